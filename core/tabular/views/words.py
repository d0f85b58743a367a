"""Title, question, limits and headlines of the tabular verifier, and what a report says of a pair."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from core.measures import shared
from core.measures import tabular as measures
from core.reports import InputFacts, ReportTable, input_facts
from core.settings_form import report_lines
from core.tables import Dataset
from core.tabular import AnonymizationLog, LeftOutFile, TabularAudit
from core.tabular.views.proof import tabular_proof
from core.tabular.words import SHORT_WORDS
from core.verdict import Finding, Verdict, verdict_counts
from core.words import Text, Value, counted, joined, own, text

TITLE = "Tabular verifier"
QUESTION = "Does an anonymized table hold what its log claims, and is that enough?"
LIMITS = (
    (
        "The published rule looks for written patterns and believes the log's meaning of a column; a PASS of "
        "the rule alone does not mean that people cannot be recognized."
    ),
    (
        "Sensitive patterns are found by their form: a name or number written in another way may be missed, "
        "and a harmless code that looks like one is counted."
    ),
    (
        "Class sizes speak of the chosen quasi-identifiers only; what an attacker may know besides is "
        "not in them."
    ),
    "Nothing here calls a table anonymous.",
)
MEASURE_KEYS = tuple(
    measure.key
    for group in (measures.MEASURES, shared.MEASURES, measures.SECOND_OPINION)
    for measure in group
)


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedFile:
    """A pair of files as a report needs it: the result, what went in, and how long it took."""

    audit: TabularAudit  # the result
    inputs: tuple[InputFacts, ...] = ()  # Original, anonymized table and log
    is_repeatable: bool = True  # whether its tables are files
    seconds: float = 0.0  # how long reading and verifying took
    # makes the steps by which anybody finds the same, or the attacks tried
    prove: Callable[[], tuple[ReportTable, ...]] = tuple

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


def headline(audit: TabularAudit) -> str:
    """Return the most important reason for a file's overall verdict; without one, both verdicts."""
    reason = gravest(audit)
    return reason.gist if reason else verdicts_said(audit)


def verdicts_said(audit: TabularAudit) -> Text:
    """Return both verdicts in a sentence."""
    message = "The published rule says {rule}, the second opinion {ours}."
    return text(message, rule=own(audit.verdict.word), ours=own(audit.second_opinion_verdict.word))


def gravest(audit: TabularAudit) -> Finding | None:
    """Return the most important reason for a file's overall verdict; None where it is PASS.

    Of a column whose values remain although they were to be dropped this comes before what they tell.
    """
    reasons = [finding for finding in audit.all_findings if finding.verdict is audit.overall]
    if not reasons or audit.overall is Verdict.PASS:
        return None
    failed = audit.overall is Verdict.FAIL
    of_columns = (finding for finding in reasons if failed and (finding.column or finding.columns))
    first = next(of_columns, reasons[0])
    of_it = (each for each in reasons if each.check == "column_dropped" and each.column == first.column)
    return next(of_it, first)


def run_headline(files: Sequence[VerifiedFile], skipped: Sequence[LeftOutFile]) -> str:
    """Return the sentence above the report of a run: one file's, or how many files got which verdict."""
    if len(files) != 1:
        return run_counts(files, skipped)
    audit = files[0].audit
    found = text("{file}: {headline}", file=audit.name, headline=own(headline(audit)))
    return joined([found, _left_out(skipped)]) if skipped else found


def run_counts(files: Sequence[VerifiedFile], skipped: Sequence[LeftOutFile]) -> str:
    """Return how many files got which verdict, and how many none."""
    counts = {verdict: sum(file.audit.overall is verdict for file in files) for verdict in reversed(Verdict)}
    found = text(
        "{n} file verified: {counts}.",
        "{n} files verified: {counts}.",
        n=len(files),
        counts=verdict_counts({verdict: n for verdict, n in counts.items() if n}),
    )
    return joined([found, _left_out(skipped)]) if skipped else found


def _left_out(skipped: Sequence[LeftOutFile]) -> Text:
    return text("{n} file could not be verified.", "{n} files could not be verified.", n=len(skipped))


def checks_line(audit: TabularAudit) -> Text:
    """Return how many column checks ended in which verdict, in one line."""
    counts = {status: audit.measurement.n_messages(status) for status in reversed(Verdict)}
    return text(
        "{n} column check: {counts}.",
        "{n} column checks: {counts}.",
        n=len(audit.measurement.checks),
        counts=verdict_counts({status: n for status, n in counts.items() if n}),
    )


def class_note(audit: TabularAudit) -> str:
    """Return which records the class figures speak of, in a sentence."""
    classes = audit.classes
    if classes is None:
        return "No quasi-identifier in the log and none chosen, so the size of classes was not assessed."
    facts: dict[str, Value] = {
        "records": counted(classes.n_records, "record"),
        "classes": counted(classes.n_classes, "class", "classes"),
        "columns": ", ".join(classes.quasi_identifiers),
    }
    if not classes.n_left_out:
        return text("{records} in {classes} over {columns}.", **facts)
    return text(
        "{records} in {classes} over {columns}; {n} record blank in all of them left out.",
        "{records} in {classes} over {columns}; {n} records blank in all of them left out.",
        n=classes.n_left_out,
        **facts,
    )
