"""Whether the tables and the log are about the same columns and records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.tabular.second_opinion.classes import ClassesMeasurement, ClassMeasurement
from core.tabular.second_opinion.pair import CodedPair, LoggedTables, Order
from core.tabular.settings import SecondOpinionThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import Text, joined, text

_FEWEST_IN_CLASS = 2  # records: classes of one record are no sign that small ones were deleted


@dataclass(frozen=True, kw_only=True, eq=False)
class StructureMeasurement:
    """How the columns and records of the tables and the log differ."""

    n_original: int  # Records
    n_anonymized: int
    order: Order  # whether row i of both tables is the same record; see `LoggedTables.order`
    # anonymized columns that the log does not mention, nor the column they were made from
    unlogged_columns: tuple[str, ...]
    vanished_columns: tuple[str, ...]  # logged columns that are in neither table
    # Anonymized column to blank original cells that are filled, where there are any. Counted row by row;
    # where `order` is ``changed``, how many more cells are filled than in the original, the least possible
    # number, and not at all when the anonymized table has more records.
    filled_blanks: Mapping[str, int]


def measure_structure(tables: LoggedTables) -> StructureMeasurement:
    """Compare the columns of tables and log, the record counts, and the blank cells."""
    mentioned = set(tables.log.entries)
    mentioned |= {pair.pair.anonymized for pair in tables.coded if pair.pair.original in mentioned}
    columns = {*tables.original.column_names, *tables.anonymized.column_names}
    filled = {pair.pair.anonymized: _n_filled(pair, tables) for pair in tables.coded}
    return StructureMeasurement(
        n_original=tables.n_original,
        n_anonymized=tables.n_anonymized,
        order=tables.order,
        unlogged_columns=tuple(name for name in tables.anonymized.column_names if name not in mentioned),
        vanished_columns=tuple(name for name in tables.log.entries if name not in columns),
        filled_blanks={column: n for column, n in filled.items() if n},
    )


def _n_filled(pair: CodedPair, tables: LoggedTables) -> int:
    """Return how many blank cells are filled, none where one value fills all or marks stood for blanks."""
    if pair.anonymized is pair.original or pair.pair.original in tables.original_marks:
        return 0
    if np.count_nonzero(pair.anonymized_counts) == 1 and not pair.n_same_values:
        return 0
    if tables.in_order:
        return int(np.count_nonzero((pair.original < 0) & (pair.anonymized >= 0)))
    if tables.n_anonymized > tables.n_original:
        return 0
    return max(0, int(pair.anonymized_counts.sum() - pair.original_counts.sum()))


def judge_structure(
    measured: StructureMeasurement, classes: ClassesMeasurement, thresholds: SecondOpinionThresholds
) -> list[Finding]:
    """Return the findings about columns, records and blanks.

    Fewer records are what the suppression of small classes leaves: where every class has the size that is
    asked for, that is said and not warned of.
    """
    return [
        *_about_columns(measured),
        *_about_records(measured, classes.chosen, thresholds),
        *(_about_blanks(column, n, measured) for column, n in measured.filled_blanks.items()),
    ]


def _about_columns(measured: StructureMeasurement) -> Iterator[Finding]:
    if unlogged := measured.unlogged_columns:
        message = text(
            "{n} anonymized column the log does not mention: {columns}. Nobody has said what was done to it.",
            "{n} anonymized columns the log does not mention: {columns}. Nobody has said what was done to "
            "them.",
            n=len(unlogged),
            columns=listed(unlogged),
        )
        yield _of_columns("column_not_in_log", unlogged, message)
    if vanished := measured.vanished_columns:
        message = text(
            "{n} logged column exists in neither table: {columns}. The log may belong to another file.",
            "{n} logged columns exist in neither table: {columns}. The log may belong to another file.",
            n=len(vanished),
            columns=listed(vanished),
        )
        yield _of_columns("logged_column_missing", vanished, message)


def _of_columns(check: str, columns: Sequence[str], message: Text) -> Finding:
    alone = columns[0] if len(columns) == 1 else None
    return Finding.of(check, Verdict.WARN, column=alone, n_affected=len(columns))(message)


def _about_records(
    measured: StructureMeasurement, classes: ClassMeasurement | None, thresholds: SecondOpinionThresholds
) -> Iterator[Finding]:
    if measured.n_anonymized != measured.n_original:
        yield _about_count(measured, classes, thresholds)
        return
    if measured.order == "kept":
        yield Finding.of("row_order_kept", Verdict.PASS, n_affected=measured.n_anonymized)(
            "Both tables have the same number of records and, as far as values show, in the same "
            "order: whoever holds any other file in this order can link records by their position."
        )
        return
    message = (
        "Both tables have the same number of records, but in another order. Columns are compared as sets of "
        "values."
        if measured.order == "changed"
        else (
            "Both tables have the same number of records, and nothing shows whether in the same order. Cells "
            "are compared row by row."
        )
    )
    yield Finding(check=f"row_order_{measured.order}", verdict=Verdict.PASS, message=message)


def _about_count(
    measured: StructureMeasurement, classes: ClassMeasurement | None, thresholds: SecondOpinionThresholds
) -> Finding:
    difference = measured.n_anonymized - measured.n_original
    k = classes.k if classes is not None and difference < 0 else None
    explained = k is not None and k >= max(thresholds.smallest_k, _FEWEST_IN_CLASS)
    numbers = {"anonymized": measured.n_anonymized, "original": measured.n_original}
    if difference > 0:
        told = text(
            "The anonymized table has {n} record more than the original ({anonymized} against {original}).",
            "The anonymized table has {n} records more than the original ({anonymized} against {original}).",
            n=difference,
            **numbers,
        )
    else:
        told = text(
            "The anonymized table has {n} record fewer than the original ({anonymized} against {original}).",
            "The anonymized table has {n} records fewer than the original ({anonymized} against {original}).",
            n=-difference,
            **numbers,
        )
    why = (
        text(
            "That is what deleting small groups leaves: every group now has at least {n} record.",
            "That is what deleting small groups leaves: every group now has at least {n} records.",
            n=k,
        )
        if explained
        else ""
    )
    not_compared = "Cells cannot be compared row by row, so columns are compared as sets of values."
    return Finding.of(
        "row_count_differs", Verdict.PASS if explained else Verdict.WARN, n_affected=abs(difference)
    )(joined([told, why, not_compared] if why else [told, not_compared]))


def _about_blanks(column: str, n: int, measured: StructureMeasurement) -> Finding:
    if measured.order == "changed":
        message = text(
            "At least {n} cell of `{column}` is filled although blank in the original: values were invented, "
            "or come from somewhere else.",
            "At least {n} cells of `{column}` are filled although blank in the original: values were "
            "invented, or come from somewhere else.",
            n=n,
            column=column,
        )
    else:
        message = text(
            "{n} cell of `{column}` is filled although blank in the original: values were invented, or come "
            "from somewhere else.",
            "{n} cells of `{column}` are filled although blank in the original: values were invented, or "
            "come from somewhere else.",
            n=n,
            column=column,
        )
    return Finding.of("blank_filled", Verdict.WARN, column=column, n_affected=n)(message)
