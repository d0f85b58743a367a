"""A run of the tabular verifier as one JSON document."""

from collections.abc import Sequence

from core.free_text import reading_words, texts_document
from core.plain import plain_fields
from core.settings_form import option_words, settings_document
from core.tabular.csv_report import class_shares
from core.tabular.judging import TabularAudit
from core.tabular.measuring import ColumnResult
from core.tabular.pairing import FilePair, LeftOutFile, pair_files
from core.tabular.rules import ColumnCheck
from core.tabular.settings import TabularThresholds
from core.verdict import Verdict, worst


def run_verdict(audits: Sequence[TabularAudit], *, n_skipped: int = 0) -> Verdict:
    """Return the worst overall verdict; a skipped file counts as NOT_ASSESSED."""
    return worst([*(audit.overall for audit in audits), *([Verdict.NOT_ASSESSED] * min(n_skipped, 1))])


def tabular_document(audits: Sequence[TabularAudit], skipped: Sequence[LeftOutFile]) -> dict[str, object]:
    """Return the run as plain values for JSON; shares in [0, 1], null for not assessed.

    Without quasi-identifiers the class shares are 0.0 as in the CSV report; `min_k` is null and a
    finding says that they were not assessed.
    """
    return {
        "tool": "tabular",
        "verdict": run_verdict(audits, n_skipped=len(skipped)).value,
        "files": [_file(audit) for audit in audits],
        "skipped": [{"file": file.name, "reason": file.reason} for file in skipped],
    }


def _file(audit: TabularAudit) -> dict[str, object]:
    measured, classes = audit.measurement, audit.classes
    below_2, below_5 = class_shares(audit)
    opinion, looked = (
        [audit.second_opinion.thresholds] if audit.second_opinion else [],
        audit.opinion_measurement,
    )
    return {
        "file": audit.name,
        "mode": measured.log.mode,
        "verdict": audit.verdict.value,
        "second_opinion": audit.second_opinion_verdict.value,
        "overall": audit.overall.value,
        **{key: getattr(measured, key) for key in _RULE_FIGURES},
        "recommended_review": audit.recommended_review,
        "mandatory_review": audit.mandatory_review,
        "quasi_identifiers": list(classes.quasi_identifiers) if classes else [],
        "min_k": classes.k if classes else None,
        "share_k_lt_2": below_2,
        "share_k_lt_5": below_5,
        "columns": [_column(column) for column in measured.columns],
        "texts": texts_document(looked.texts, audit.second_opinion.read)
        if audit.second_opinion and looked
        else [],
        "findings": [finding.document() for finding in audit.all_findings],
        "settings": settings_document(measured.settings, audit.thresholds, *opinion),
    }


_RULE_FIGURES = (
    "policy_consistency",
    "pattern_residual",
    "high_risk_handling",
    "pass_share",
    "warn_share",
    "fail_share",
)


def _column(column: ColumnResult) -> dict[str, object]:
    """Return a column's entry: its worst check; those of an expanded column are nested inside."""
    worst = max(column.checks, key=lambda check: check.status.severity)
    entry = _check(worst)
    if len(column.checks) > 1:
        entry["expansions"] = [_check(check) for check in column.checks]
    return entry


def _check(check: ColumnCheck) -> dict[str, object]:
    return {
        **plain_fields(check, "column", "anonymized_column", "semantic", "action"),
        "status": check.status.value,
        "reason": check.reason,
    }


def tabular_arguments(
    audits: Sequence[TabularAudit], files: Sequence[FilePair], skipped: Sequence[LeftOutFile]
) -> tuple[tuple[str, ...], ...]:
    """Return the words that repeat the run, those of files with the same options together.

    `files`: the paths of each audit's files; those that their names do not pair are named together.
    """
    by_name = pair_files([path for pair in files for path in vars(pair).values()]).pairs
    runs: dict[tuple[str, ...], list[str]] = {}
    for audit, pair in zip(audits, files, strict=True):
        words = (pair.original,) if pair in by_name else ("--pair", *vars(pair).values())
        runs.setdefault(_options(audit), []).extend(words)
    left_out = [word for file in skipped for word in ("--not-verified", file.name, file.reason)]
    first = next(iter(runs), ())
    return tuple(
        (*_pairs_last(words), *options, *(left_out if options == first else []))
        for options, words in runs.items()
    )


def _pairs_last(words: Sequence[str]) -> list[str]:
    """Return the words with options behind the names alone."""
    found: tuple[list[str], list[str]] = [], []
    left = 0
    for word in words:
        left = 4 if word == "--pair" else max(left - 1, 0)
        found[left > 0].append(word)
    return [*found[0], *found[1]]


def _options(audit: TabularAudit) -> tuple[str, ...]:
    measured, opinion, looked = audit.measurement, audit.second_opinion, audit.opinion_measurement
    asked: list[object] = [opinion.thresholds, looked.settings] if opinion and looked else []
    return (
        *option_words(measured.settings),
        *option_words(audit.thresholds, usual=TabularThresholds.for_mode(measured.log.mode)),
        *(word for each in asked for word in option_words(each)),
        *reading_words(opinion.read if opinion else {}, looked.texts if looked else ()),
    )
