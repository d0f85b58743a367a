"""The tables of a disclosure-risk audit, and what is said beside them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from core.measures import MEASURES, releases, risk, risk_models, shared
from core.reports import ReportTable
from core.reports.evidence import records_table
from core.reports.model import Column, Table, table_by, table_of
from core.risk import (
    ColumnsMeasurement,
    Comparison,
    RiskAudit,
    RiskMeasurement,
    RiskSettings,
    Suda,
    suda_note,
)
from core.roles import RoleSuggestion
from core.tables import Dataset
from core.verdict import Finding, Verdict
from core.words import Amount, Text, Written, counted, joined, listed, own, percent, text

TITLE = "Disclosure risk"


QUESTION = "How easily are people found in this table, and what does it give away about them?"


LIMITS = (
    (
        "The figures speak of the columns chosen as quasi-identifiers. What others know, now or later, is "
        "theirs."
    ),
    (
        "A large class protects who somebody is, not what is true of everybody in it: look at the sensitive "
        "attributes."
    ),
    "t, β and δ say how far a class is from the whole table, not whether that hurts anybody.",
    (
        "Risk against a population is as good as the population's table or size; estimates assume a random "
        "sample."
    ),
    "Nothing here calls a table anonymous.",
)


MEASURE_KEYS = tuple(
    measure.key
    for group in (
        *(shared.MEASURES, risk.MEASURES, risk_models.MEASURES, shared.DISCLOSURE, shared.COST),
        releases.MEASURES,
    )
    for measure in group
)


def headline(audit: RiskAudit) -> str:
    """Return the most important reason of the overall verdict, in a sentence."""
    return gravest(audit).message


def gravest(audit: RiskAudit) -> Finding:
    """Return the finding that explains the overall verdict: that no figure holds, else the worst."""
    if audit.overall is Verdict.PASS:
        return audit.findings[0]
    of_counts = (finding for finding in audit.all_findings if finding.check == "table_of_counts")
    return next(of_counts, audit.all_findings[0])


ROLE_COLUMNS = (
    Column("column", "Column"),
    Column("role", "Role"),
    Column("suggestion", "Suggestion", kind="words"),
    Column("reason", "Reason", kind="words"),
    Column("n_distinct", "Distinct values"),
)


_DISTANCES = {"equal": own("equal"), "ordered": own("ordered"), "hierarchical": own("hierarchical")}


def roles_note(settings: RiskSettings) -> Text:
    """Return in one line how many columns have each role, and whether somebody confirmed them."""
    counts = (
        counted(len(settings.quasi_identifiers), "quasi-identifier"),
        counted(len(settings.sensitive), "sensitive attribute") if settings.sensitive else None,
        counted(len(settings.direct_identifiers), "direct identifier")
        if settings.direct_identifiers
        else None,
    )
    roles = joined([each for each in counts if each is not None], ", ")
    if settings.roles_suggested:
        return text("Roles, suggested: {roles}. Edit or confirm them", roles=roles)
    return text("Roles, confirmed: {roles}. Edit them", roles=roles)


def roles_table(suggestions: Sequence[RoleSuggestion], columns: Sequence[str]) -> pd.DataFrame:
    """Return a row per column, in the table's order: what it may be, why, and the role to confirm."""
    by_column = {suggestion.column: suggestion for suggestion in suggestions}
    ordered = [by_column[column] for column in columns]
    return pd.DataFrame(
        {
            "column": [each.column for each in ordered],
            "role": [each.role.value for each in ordered],
            "suggestion": [each.role.value for each in ordered],
            "reason": pd.Series([each.reason for each in ordered], dtype=object),
            "n_distinct": [each.n_distinct for each in ordered],
        }
    )


def disclosure_table(measured: RiskMeasurement) -> Table:
    """Return a row per figure of attribute disclosure and a column per sensitive attribute, written out."""
    keys = list(measured.sensitive[0].figures) if measured.sensitive else []
    labels = [
        *(MEASURES[key].label for key in keys),
        "Different values in the table",
        "Records without a known value",
        "Classes with one value",
        "Records in classes with one value",
        "Distance between values",
    ]
    columns = [
        [
            *(Amount(MEASURES[key].unit, each.figures[key]) for key in keys),
            *(Written(f"{n:,}") for n in (each.n_values, each.n_missing, *each.below_l(2))),
            _DISTANCES[each.distance],
        ]
        for each in measured.sensitive
    ]
    return _beside_each_other(labels, [each.column for each in measured.sensitive], columns)


def _beside_each_other(
    labels: Sequence[str], names: Sequence[str], columns: Sequence[Sequence[str]]
) -> Table:
    """Return figures with a column for each of what they are of."""
    cells: dict[Column, Sequence[str]] = {Column("figure", "Figure", kind="words"): labels}
    for place, (name, values) in enumerate(zip(names, columns, strict=True)):
        heading = "{name} (second)" if name in names[:place] else "{name}"
        cells[Column(f"of_{place}", text(heading, name=name), kind="words")] = values
    return table_by(cells)


def class_size_shares(audit: RiskAudit) -> Table:
    """Return a row per usual threshold: records in smaller classes and their share."""
    classes = audit.measurement.classes
    thresholds = sorted({2, 3, 5, 11, 20, audit.thresholds.k})
    return table_by(
        {
            Column("below", "Class size below"): thresholds,
            Column("n_records", "Records"): [classes.n_records_below(k) for k in thresholds],
            Column("share", "Share of records", "share"): [classes.share_below(k) for k in thresholds],
        }
    )


def worst_classes_table(measured: RiskMeasurement, dataset: Dataset, *, reveal: bool = False) -> Table:
    """Return the smallest classes, and of equally small ones those that give most away; shapes for cells."""
    classes = measured.classes
    order = measured.worst_classes
    shown = dataset.table.take(pa.array(measured.first_record_of_class[order]))
    size = Column("size", "Size in records" if measured.persons is None else "Size in persons")
    different = {
        Column(
            f"distinct_{place}", text("Different values of {column}", column=each.column)
        ): each.distinct_l[order]
        for place, each in enumerate(each for each in measured.sensitive if each.classes is classes)
    }
    cells: dict[str, pa.ChunkedArray] = {
        text("{column}", column=name): shown[name] for name in classes.quasi_identifiers
    }
    return records_table({size: classes.class_sizes[order]}, cells, behind=different, reveal=reveal)


def evidence_tables(audit: RiskAudit, dataset: Dataset) -> tuple[ReportTable, ...]:
    """Return the smallest classes, masked; nothing where no class is smaller than k."""
    measured = audit.measurement
    if not measured.classes.n_records_below(audit.thresholds.k):
        return ()
    return (ReportTable("Evidence", "Smallest classes", worst_classes_table(measured, dataset)),)


def changes_table(comparison: Comparison) -> Table:
    """Return a row per column of the original: what became of it."""
    columns = comparison.columns
    return table_by(
        {
            Column("column", "Column"): [each.column for each in columns],
            Column("released", "In the table", kind="words"): [
                own("yes") if each.released else own("no") for each in columns
            ],
            Column("changed_share", "Cells changed", "share"): [each.changed_share for each in columns],
            Column("ncp", "Precision lost (NCP)", "share"): [each.ncp for each in columns],
            Column("n_values_original", "Distinct values, original"): [
                each.n_values_original for each in columns
            ],
            Column("n_values", "Distinct values"): pd.array(
                [each.n_values for each in columns], dtype="Int64"
            ),
            Column("n_missing_original", "Missing, original"): [each.n_missing_original for each in columns],
            Column("n_missing", "Missing"): pd.array([each.n_missing for each in columns], dtype="Int64"),
        }
    )


def columns_the_other_lacks(audit: RiskAudit, other: RiskAudit | None) -> str:
    """Say which quasi-identifiers a second table lacks, so that its classes are larger; empty for none."""
    if other is None:
        return "The second table has none of the quasi-identifiers, so its classes cannot be formed."
    there = other.measurement.classes.quasi_identifiers
    lacking = [name for name in audit.measurement.classes.quasi_identifiers if name not in there]
    if not lacking:
        return ""
    return text(
        "The second table has no {lacking}: its classes are formed over {columns} alone, which makes them "
        "larger than they would be with all.",
        lacking=listed(lacking),
        columns=listed(there),
    )


def side_by_side_table(audit: RiskAudit, other: RiskAudit) -> Table:
    """Return a row per figure: this table beside another one, written out."""
    mine, theirs = _all_figures(audit), _all_figures(other)
    others = [theirs.get(label, "not assessed") for label in mine]
    names = [audit.measurement.name, other.measurement.name]
    return _beside_each_other(list(mine), names, [list(mine.values()), others])


def _all_figures(audit: RiskAudit) -> dict[str, Text]:
    found: dict[str, Text] = {
        MEASURES[key].label: Amount(MEASURES[key].unit, value) for key, value in audit.figures.items()
    }
    for sensitive in audit.measurement.sensitive:
        for key, value in sensitive.figures.items():
            measure = MEASURES[key]
            label = text("{column}: {figure}", column=sensitive.column, figure=own(measure.label))
            found[label] = Amount(measure.unit, value)
    return found


_N_SCORED = 50


def columns_table(columns: ColumnsMeasurement) -> Table:
    """Return a row per quasi-identifier, the one that makes most records unique first."""
    ordered = sorted(columns.contributions, key=lambda each: -each.n_unique_gained)
    return table_by(
        {
            Column("column", "Column"): [each.column for each in ordered],
            Column("gained_share", "Unique only because of it", "share"): [
                each.unique_share_gained for each in ordered
            ],
            Column("alone_share", "Unique with this column alone", "share"): [
                each.alone.unique_share for each in ordered
            ],
            Column("distinction", "Records it tells apart (distinction)", "share"): [
                each.alone.distinction for each in ordered
            ],
            Column("separation", "Pairs it tells apart (separation)", "share"): [
                each.alone.separation for each in ordered
            ],
        }
    )


def sets_note(columns: ColumnsMeasurement) -> str:
    """Say which smallest sets of columns single out most records, and whether all were looked at."""
    found = columns.sets
    if not found.sets:
        return "No set of the quasi-identifiers, not even all, singles out more than half of the records."
    first = found.sets[0]
    share = percent(first.unique_share or 0.0)
    if found.method == "greedy":
        return text(
            "{columns} together single out {share} of the records. All sets of up to {searched} were looked "
            "at and do not single out more than half; this larger one was grown column by column, so a "
            "smaller one may exist.",
            columns=listed(first.columns),
            share=share,
            searched=counted(found.searched_size, "column"),
        )
    smallest = text(
        "{columns} alone singles out {share} of the records, and no smaller set singles out more than half.",
        "{columns} together single out {share} of the records, and no smaller set singles out more than "
        "half.",
        n=len(first.columns),
        columns=listed(first.columns),
        share=share,
    )
    others = len(found.sets) - 1
    if not others:
        return smallest
    more = text(
        "{n} other set of this size also singles out over half.",
        "{n} other sets of this size also single out over half.",
        n=others,
    )
    return joined([smallest, more])


def sets_table(columns: ColumnsMeasurement) -> Table:
    """Return a row per smallest set that singles out more than half of the records, up to 50."""
    return _sets_table([(each.columns, each.unique_share) for each in columns.sets.sets])


def unchosen_sets_table(measured: RiskMeasurement) -> Table:
    """Return a row per smallest set of columns nobody chose that singles most records out, up to 50."""
    return _sets_table(measured.unchosen.sets)


def _sets_table(sets: Sequence[tuple[Sequence[str], float | None]]) -> Table:
    columns = (Column("columns", "Columns"), Column("unique_share", "Records unique in them", "share"))
    return table_of([(", ".join(names), share) for names, share in sets[:50]], columns)


def unchosen_note(measured: RiskMeasurement) -> str:
    """Say what the columns nobody chose single out together, and among what sets were searched."""
    found = measured.unchosen
    if not found.columns or found.unique_share is None:
        return "Every released column was chosen for something."
    if not found.sets:
        return text(
            "{columns}, which nobody chose, singles out {share} of the records; no set of such columns "
            "singles out over half.",
            "The {n} released columns that nobody chose, taken together, single out {share} of the records; "
            "no set of such columns singles out over half.",
            n=len(found.columns),
            columns=listed(found.columns),
            share=percent(found.unique_share),
        )
    together = text(
        "{columns}, which nobody chose, singles out {share} of the records.",
        "The {n} released columns that nobody chose, taken together, single out {share} of the records.",
        n=len(found.columns),
        columns=listed(found.columns),
        share=percent(found.unique_share),
    )
    searched = (
        "The smallest sets that single out over half, searched on {records} and among {columns}:"
        if found.is_exact
        else "The smallest sets that single out over half, searched on {records} and among {columns}; the "
        "search was bounded, so smaller sets may exist:"
    )
    among = text(
        searched,
        records=counted(found.n_looked_at, "record"),
        columns=counted(found.n_columns_looked_at, "column"),
    )
    return joined([together, among])


def suda_columns_table(suda: Suda) -> Table:
    """Return a row per quasi-identifier: the part of all scores that comes from sets with it."""
    parts = Column("part", "Part of the scores", "share")
    table = table_by({Column("column", "Column"): suda.quasi_identifiers, parts: suda.column_contribution})
    return table.sort_values("part", ascending=False, kind="stable", ignore_index=True)


def suda_records_table(suda: Suda, dataset: Dataset) -> Table:
    """Return the records with the highest scores, by their position in the table from 1, without values.

    DIS-SUDA has no column where it is not assessed.
    """
    scores = suda.score_of_record[suda.scored_records]
    order = np.argsort(-scores, kind="stable")[:_N_SCORED]
    records = suda.scored_records[order]
    cells: dict[Column, object] = {
        Column("record", text("Record of {file}", file=dataset.name)): records + 1,
        Column("score", "SUDA score"): scores[order],
    }
    if suda.dis_of_record is not None:
        cells[Column("dis", "DIS-SUDA")] = suda.dis_of_record[records]
    most = suda.contribution_of_record[order].argmax(axis=1) if len(order) else []
    cells[Column("because_of", "Mostly because of")] = [suda.quasi_identifiers[int(one)] for one in most]
    return table_by(cells)


def suda_tables(suda: Suda) -> tuple[ReportTable, ...]:
    """Return the tables of a report: what the scores come from, with what was and was not searched."""
    return (
        ReportTable(
            "Special uniques",
            "Special uniques (SUDA2): what the scores come from",
            suda_columns_table(suda),
            note=suda_note(suda),
        ),
    )
