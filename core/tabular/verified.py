"""A verified pair of files, with what went in."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from core.reports import InputFacts, input_facts
from core.result import Table
from core.settings.form import report_lines
from core.tables import Dataset
from core.tabular import AnonymizationLog, TabularAudit
from core.tabular.proof import tabular_proof
from core.tabular.words import SHORT_WORDS
from core.words import text


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedFile:
    """A pair of files as a report needs it: the result, what went in, and how long it took."""

    audit: TabularAudit  # the result
    inputs: tuple[InputFacts, ...] = ()  # Original, anonymized table and log
    seconds: float = 0.0  # how long reading and verifying took
    prove: Callable[[], tuple[Table, ...]] = tuple  # makes the steps by which anybody finds the same

    @property
    def settings(self) -> dict[str, object]:
        """Return what the file was held against, as reports state it."""
        audit = self.audit
        opinion = [audit.second_opinion.thresholds] if audit.second_opinion else []
        return {
            text("mode"): SHORT_WORDS[audit.measurement.log.mode],
            "keeping diagnoses permitted": audit.measurement.log.allow_dx,
            **report_lines(audit.thresholds, audit.measurement.settings),
            "Quasi-identifiers": list(audit.classes.quasi_identifiers) if audit.classes else [],
            **report_lines(*opinion),
        }


def verified_file(
    audit: TabularAudit, original: Dataset, anonymized: Dataset, *, seconds: float = 0.0
) -> VerifiedFile:
    """Return a verified pair with what a report says of its files."""
    prove = partial(tabular_proof, audit, original, anonymized)
    facts = log_facts(audit.measurement.log)
    tables = input_facts(original, text("original")), input_facts(anonymized, text("anonymized"))
    return VerifiedFile(audit=audit, inputs=(*tables, facts), seconds=seconds, prove=prove)


def log_facts(log: AnonymizationLog) -> InputFacts:
    """Return what a report says of a log."""
    return InputFacts(role=text("log"), name=log.name, n_bytes=log.n_bytes, sha256=log.sha256)
