"""A verified pair of files with what a report has to say about it."""

from __future__ import annotations

from dataclasses import dataclass

from core.reports import InputFacts
from core.settings_form import report_lines
from core.tabular import TabularAudit
from core.tabular.words import SHORT_WORDS
from core.words import text


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedFile:
    """A pair of files as a report needs it: the result, what went in, and how long it took."""

    audit: TabularAudit  # the result
    inputs: tuple[InputFacts, ...] = ()  # Original, anonymized table and log
    seconds: float = 0.0  # how long reading and verifying took

    @property
    def settings(self) -> dict[str, object]:
        """Return what the file was held against, as reports state it."""
        return _settings_of(self.audit)


def _settings_of(audit: TabularAudit) -> dict[str, object]:
    opinion = [audit.second_opinion.thresholds] if audit.second_opinion else []
    return {
        text("mode"): SHORT_WORDS[audit.measurement.log.mode],
        "keeping diagnoses permitted": audit.measurement.log.allow_dx,
        **report_lines(audit.thresholds, audit.measurement.settings),
        "Quasi-identifiers": list(audit.classes.quasi_identifiers) if audit.classes else [],
        **report_lines(*opinion),
    }
