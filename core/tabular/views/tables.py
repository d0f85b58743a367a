"""Tables of the tabular verifier: files, columns, patterns left in, and what was skipped."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from core.reports.model import Column, Table, table_by, table_of
from core.tabular import LeftOutFile, TabularAudit
from core.tabular.csv_report import class_shares
from core.tabular.views.words import VerifiedFile, gravest
from core.tabular.words import SHORT_WORDS, patterns_found
from core.verdict import Verdict
from core.words import text

FILE_COLUMNS = (
    Column("file", "File"),
    Column("mode", "Mode", kind="words"),
    Column("overall", "Overall", kind="words"),
    Column("rule", "Published rule", kind="words"),
    Column("second_opinion", "Second opinion", kind="words"),
    Column("policy_consistency", "Policy consistency", "share"),
    Column("pattern_residual", "Pattern residual", "share"),
    Column("high_risk_handling", "High-risk handling", "share"),
    Column("pass_share", "PASS messages", "share"),
    Column("warn_share", "WARN messages", "share"),
    Column("fail_share", "FAIL messages", "share"),
    Column("mandatory_review", "Review mandatory"),
    Column("recommended_review", "Review recommended"),
    Column("k", "Smallest class (k)"),
    Column("share_k_lt_2", "Records with k < 2", "share"),
    Column("share_k_lt_5", "Records with k < 5", "share"),
    Column("seconds", "Seconds"),
)


RUN_COLUMNS = (
    Column("overall", "Overall", kind="words"),
    Column("file", "File"),
    Column("why", "Why", kind="words"),
    Column("rule", "Published rule", kind="words"),
    Column("second_opinion", "Second opinion", kind="words"),
)


class OpinionTable(NamedTuple):
    """How a table of the second opinion is shown: its title in reports and on its tab, and its columns."""

    title: str
    tab: str
    columns: tuple[Column, ...]


OPINION_TABLES: Mapping[str, OpinionTable] = MappingProxyType(
    {
        "columns": OpinionTable(
            "Columns",
            "Unchanged columns",
            (
                Column("original", "Original column"),
                Column("anonymized", "Anonymized column"),
                Column("semantic", "Semantic"),
                Column("action", "Action"),
                Column("n_unchanged", "Unchanged cells"),
                Column("n_compared", "Compared cells"),
                Column("unchanged_share", "Unchanged share", "share"),
                Column("distinct_share", "Distinct share", "share"),
                Column("is_unchanged", "Left unchanged"),
                Column("is_highly_distinct", "Highly distinct"),
                Column("compared_by", "Compared by", kind="words"),
            ),
        ),
        "relinkage": OpinionTable(
            "Re-linkage",
            "Re-linkage",
            (
                Column("columns", "Columns"),
                Column("which", "Which", kind="words"),
                Column("n_matched", "Records re-linked"),
                Column("matched_share", "Share of records", "share"),
            ),
        ),
        "pseudonyms": OpinionTable(
            "Pseudonyms",
            "Pseudonyms",
            (
                Column("column", "Column"),
                Column("n_originals", "Original values"),
                Column("n_pseudonyms", "Pseudonyms"),
                Column("n_originals_with_several", "Originals with several pseudonyms"),
                Column("n_pseudonyms_for_several", "Pseudonyms for several originals"),
                Column("n_unchanged", "Pseudonyms equal to the original"),
                Column("n_compared", "Compared"),
                Column("compared_by", "Compared by", kind="words"),
            ),
        ),
        "quasi_identifiers": OpinionTable(
            "Quasi-identifiers",
            "Quasi-identifiers",
            (
                Column("quasi_identifier", "Quasi-identifier"),
                Column("unique_share", "Unique with it", "share"),
                Column("unique_without_share", "Unique without it", "share"),
                Column("k_without", "Smallest class without it"),
            ),
        ),
    }
)


def files_table(files: Sequence[VerifiedFile]) -> pd.DataFrame:
    """Return a row per file: verdicts, figures in [0, 1], reviews; None where not assessed."""
    return table_of([_file_row(file) for file in files], FILE_COLUMNS)


def run_table(files: Sequence[VerifiedFile], left_out: Sequence[LeftOutFile]) -> pd.DataFrame:
    """Return a row per file, the worst first, those left out among them, with the gravest reason."""
    rows: list[tuple[Verdict, str, str, str, str]] = [
        (Verdict.NOT_ASSESSED, file.name, file.reason, "–", "–") for file in left_out
    ]
    for audit in (file.audit for file in files):
        reason = gravest(audit)
        why = reason.gist if reason else text("Nothing speaks against the table.")
        rows.append((audit.overall, audit.name, why, audit.verdict, audit.second_opinion_verdict))
    rows.sort(key=lambda row: -row[0].severity)
    return table_of(rows, RUN_COLUMNS)


def _file_row(file: VerifiedFile) -> tuple[object, ...]:
    audit, measured, classes = file.audit, file.audit.measurement, file.audit.classes
    below = class_shares(audit) if classes is not None else (None, None)
    return (
        audit.name,
        SHORT_WORDS[measured.log.mode],
        audit.overall.value,
        audit.verdict.value,
        audit.second_opinion_verdict.value,
        *measured.shares,
        audit.mandatory_review,
        audit.recommended_review,
        None if classes is None else classes.k,
        *below,
        round(file.seconds, 2),
    )


def columns_table(audit: TabularAudit, *, statuses: Sequence[Verdict] = tuple(Verdict)) -> Table:
    """Return a row per check, expansions below their original column; only those of the given statuses."""
    checks = [check for check in audit.measurement.checks if check.status in statuses]
    return table_by(
        {
            Column("column", "Column"): [check.column for check in checks],
            Column("anonymized", "Anonymized column"): [check.anonymized_column for check in checks],
            Column("semantic", "Semantic"): [check.semantic for check in checks],
            Column("action", "Action"): [check.action for check in checks],
            Column("status", "Status", kind="words"): [check.status.value for check in checks],
            Column("reason", "Reason", kind="words"): [check.reason for check in checks],
            Column("n_filled", "Values"): [check.n_filled for check in checks],
            Column("n_failing", "Speaking against"): [check.n_failing for check in checks],
            Column("shapes", "Shapes"): [", ".join(check.shapes) for check in checks],
        }
    )


def residual_table(audit: TabularAudit) -> Table:
    """Return a row per anonymized column that holds sensitive patterns, and how many cells hold which."""
    found = [residual for residual in audit.measurement.residuals if residual.n_cells]
    return table_by(
        {
            Column("column", "Anonymized column"): [residual.column for residual in found],
            Column("n_filled", "Non-blank cells"): [residual.n_filled for residual in found],
            Column("n_found", "Cells with a pattern"): [residual.n_cells for residual in found],
            Column("found_share", "Share of cells", "share"): [
                residual.n_cells / residual.n_filled for residual in found
            ],
            Column("patterns", "Patterns", kind="words"): [
                patterns_found(residual.counts) for residual in found
            ],
        }
    )


def skipped_table(skipped: Sequence[LeftOutFile]) -> Table:
    """Return a row per file that was not verified, with the reason."""
    reasons = pd.Series([file.reason for file in skipped], dtype=object)
    return table_by(
        {
            Column("file", "File"): [file.name for file in skipped],
            Column("reason", "Reason", kind="words"): reasons,
        }
    )
