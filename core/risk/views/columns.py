"""Which columns single records out: tables and charts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from core.charts import horizontal_bars
from core.measures.measure import Unit
from core.reports import ReportChart, ReportTable
from core.risk import ColumnsMeasurement, RiskMeasurement, Suda, suda_note
from core.risk.words import counted, listed, percent
from core.tables import Dataset

COLUMN_UNITS: Mapping[str, Unit] = {
    "Unique with this column alone": "share",
    "Unique only because of it": "share",
    "Records it tells apart (distinction)": "share",
    "Pairs it tells apart (separation)": "share",
}
SET_UNITS: Mapping[str, Unit] = {"Records unique in them": "share"}
SUDA_UNITS: Mapping[str, Unit] = {"Part of the scores": "share"}
N_SCORED = 50


def columns_table(columns: ColumnsMeasurement) -> pd.DataFrame:
    """Return a row per quasi-identifier, the one that makes most records unique first."""
    ordered = sorted(columns.contributions, key=lambda each: -each.n_unique_gained)
    return pd.DataFrame(
        {
            "Column": [each.column for each in ordered],
            "Unique only because of it": [each.unique_share_gained for each in ordered],
            "Unique with this column alone": [each.alone.unique_share for each in ordered],
            "Records it tells apart (distinction)": [each.alone.distinction for each in ordered],
            "Pairs it tells apart (separation)": [each.alone.separation for each in ordered],
        }
    )


def contribution_chart(columns: ColumnsMeasurement) -> ReportChart:
    """Draw the share of records that each quasi-identifier alone makes unique."""
    table = columns_table(columns)
    shares = table["Unique only because of it"]
    return ReportChart(
        title="Records that are unique only because of one column",
        chart=horizontal_bars(
            table,
            label="Column",
            value="Unique only because of it",
            value_title="Records that would not be unique without it (%)",
            label_title="Quasi-identifier",
        ),
        alt_text="Bars of the share of records that are unique only because of a column: "
        + ", ".join(
            f"{column} {percent(share)}" for column, share in zip(table["Column"], shares, strict=True)
        )
        + ".",
    )


def sets_note(columns: ColumnsMeasurement) -> str:
    """Say which smallest sets of columns single out most records, and whether all were looked at."""
    found = columns.sets
    if not found.sets:
        return "No set of the quasi-identifiers, not even all, singles out more than half of the records."
    first = found.sets[0]
    share = percent(first.unique_share or 0.0)
    if found.method == "greedy":
        return (
            f"{listed(first.columns)} together single out {share} of the records. All sets of up to "
            f"{counted(found.searched_size, 'column')} were looked at and do not single out more than half; "
            "this larger one was grown column by column, so a smaller one may exist."
        )
    others = len(found.sets) - 1
    verb = "singles" if others == 1 else "single"
    more = f" {counted(others, 'other set')} of this size also {verb} out over half." if others else ""
    return (
        f"{listed(first.columns)} {'alone singles' if len(first.columns) == 1 else 'together single'} out "
        f"{share} of the records, and no smaller set singles out more than half.{more}"
    )


def sets_table(columns: ColumnsMeasurement) -> pd.DataFrame:
    """Return a row per smallest set that singles out more than half of the records, up to 50."""
    sets = columns.sets.sets[:50]
    return pd.DataFrame(
        {
            "Columns": [", ".join(each.columns) for each in sets],
            "Records unique in them": [each.unique_share for each in sets],
        }
    )


def unchosen_sets_table(measured: RiskMeasurement) -> pd.DataFrame:
    """Return a row per smallest set of columns nobody chose that singles most records out, up to 50."""
    sets = measured.unchosen.sets[:50]
    return pd.DataFrame(
        {
            "Columns": [", ".join(columns) for columns, _ in sets],
            "Records unique in them": [s for _, s in sets],
        }
    )


def unchosen_note(measured: RiskMeasurement) -> str:
    """Say what the columns nobody chose single out together, and among what sets were searched."""
    found = measured.unchosen
    if not found.columns or found.unique_share is None:
        return "Every released column was chosen for something."
    share = f"{percent(found.unique_share)} of the records"
    together = f"{listed(found.columns)}, which nobody chose, singles out {share}"
    if len(found.columns) > 1:
        n = len(found.columns)
        together = f"The {n:,} released columns that nobody chose, taken together, single out {share}"
    if not found.sets:
        return f"{together}; no set of such columns singles out over half."
    bounded = "" if found.is_exact else "; the search was bounded, so smaller sets may exist"
    return (
        f"{together}. The smallest sets that single out over half, searched on "
        f"{counted(found.n_looked_at, 'record')} and among {counted(found.n_columns_looked_at, 'column')}"
        f"{bounded}:"
    )


def suda_columns_table(suda: Suda) -> pd.DataFrame:
    """Return a row per quasi-identifier: the part of all scores that comes from sets with it."""
    frame = pd.DataFrame(
        {"Column": list(suda.quasi_identifiers), "Part of the scores": suda.column_contribution}
    )
    return frame.sort_values("Part of the scores", ascending=False, kind="stable", ignore_index=True)


def suda_chart(suda: Suda) -> ReportChart:
    """Draw the part of all SUDA scores that comes from sets with each quasi-identifier."""
    table = suda_columns_table(suda)
    return ReportChart(
        title="What the scores come from",
        chart=horizontal_bars(
            table,
            label="Column",
            value="Part of the scores",
            value_title="Part of all scores (%); sets have several columns",
            label_title="Quasi-identifier",
        ),
        alt_text="Bars of the part of all SUDA scores by column: "
        + ", ".join(
            f"{column} {percent(min(part, 1.0))}"
            for column, part in zip(table["Column"], table["Part of the scores"], strict=True)
        )
        + ".",
    )


def suda_records_table(suda: Suda, dataset: Dataset) -> pd.DataFrame:
    """Return the records with the highest scores, by their position in the table from 1, without values.

    DIS-SUDA has no column where it is not assessed.
    """
    scores = suda.score_of_record[suda.scored_records]
    order = np.argsort(-scores, kind="stable")[:N_SCORED]
    records = suda.scored_records[order]
    parts = suda.contribution_of_record[order]
    frame: dict[str, object] = {f"Record of {dataset.name}": records + 1, "SUDA score": scores[order]}
    if suda.dis_of_record is not None:
        frame["DIS-SUDA"] = suda.dis_of_record[records]
    frame["Mostly because of"] = [suda.quasi_identifiers[int(part.argmax())] for part in parts]
    return pd.DataFrame(frame)


def suda_tables(suda: Suda) -> tuple[ReportTable, ...]:
    """Return the tables of a report: what the scores come from, with what was and was not searched."""
    return (
        ReportTable(
            name="Special uniques",
            title="Special uniques (SUDA2): what the scores come from",
            frame=suda_columns_table(suda),
            note=suda_note(suda),
            units=SUDA_UNITS,
        ),
    )
