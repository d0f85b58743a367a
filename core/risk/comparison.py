"""A table against its original: precision lost, classes before, and records linked by closest values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from core.chance import binomial_tail
from core.classes import EquivalenceClasses
from core.coding import BoolArray, CodedColumn, FloatArray, IntArray, coded_column
from core.risk.columns import unchosen_columns
from core.risk.records import classes_over, enter_records
from core.risk.settings import RiskSettings
from core.tables import Dataset
from core.utility import average_class_size, categorical_ncp, discernibility, numeric_ncp
from core.values.cells import as_numbers, cells_equal

# What people write for values that they merge or take out: English, Korean, Slovenian.
_REST = frozenset(
    {"other", "others", "rest", "misc", "miscellaneous", "all others", "기타", "그 외", "drugo", "ostalo"}
)
_BLANKS = frozenset(
    {
        "redacted",
        "suppressed",
        "masked",
        "removed",
        "deleted",
        "hidden",
        "unknown",
        "n/a",
        "na",
        "none",
        "null",
        "xxx",
        "any",
        "all",
        "삭제",
        "비공개",
        "익명",
        "미상",
        "neznano",
        "izbrisano",
    }
)


@dataclass(frozen=True, kw_only=True)
class ColumnChange:
    """One column of the original and what became of it."""

    column: str  # its name
    released: bool  # whether the table has a column of this name
    # cells that differ from the original's in the same row / rows, in [0, 1], two missing ones being equal;
    # None where the row counts differ or the column is gone
    changed_share: float | None
    # precision lost, in [0, 1], mean over all records, those left out of the classes included; None for other
    # columns than quasi-identifiers and where the row counts differ
    ncp: float | None
    n_values_original: int  # distinct known values
    n_values: int | None
    n_missing_original: int  # missing cells
    n_missing: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """The table against its original."""

    original_name: str  # name of the original
    n_records: int  # rows of both
    n_records_original: int
    # classes of the original over the quasi-identifiers it has; None where it has none of them
    classes_original: EquivalenceClasses | None
    # mean over the records and the quasi-identifiers that both tables have, in [0, 1]; None where the row
    # counts differ
    ncp: float | None
    discernibility: int  # of both tables
    discernibility_original: int | None
    average_class_size_original: float | None  # of the original
    columns: tuple[ColumnChange, ...]  # one for each column of the original, in its order

    @property
    def same_rows(self) -> bool:
        """Return whether both tables have the same number of rows, taken to be in the same order."""
        return self.n_records == self.n_records_original


def compare_with_original(
    dataset: Dataset, original: Dataset, classes: EquivalenceClasses, settings: RiskSettings
) -> Comparison:
    """Compare a table with its original, row by row where they have the same number of rows."""
    columns = tuple(_change(name, dataset, original, settings) for name in original.columns)
    return compared_classes(
        original.name,
        (classes, dataset.n_records),
        (_original_classes(original, settings), original.n_records),
        columns,
    )


def compared_classes(
    original_name: str,
    released: tuple[EquivalenceClasses, int],
    original: tuple[EquivalenceClasses | None, int],
    columns: tuple[ColumnChange, ...],
) -> Comparison:
    """Compare the classes of a table and its original, each with the table's records."""
    (classes, n_records), (classes_original, n_original) = released, original
    penalties = [column.ncp for column in columns if column.ncp is not None]
    return Comparison(
        original_name=original_name,
        n_records=n_records,
        n_records_original=n_original,
        classes_original=classes_original,
        ncp=float(np.mean(penalties)) if penalties else None,
        discernibility=discernibility(classes, n_removed=max(n_original - n_records, 0)),
        discernibility_original=None if classes_original is None else discernibility(classes_original),
        average_class_size_original=None
        if classes_original is None
        else average_class_size(classes_original),
        columns=columns,
    )


def _change(name: str, dataset: Dataset, original: Dataset, settings: RiskSettings) -> ColumnChange:
    before = coded_column(original.table, name)
    after = coded_column(dataset.table, name) if name in dataset.columns else None
    same_rows = original.n_records == dataset.n_records
    changed = None
    if after is not None and same_rows:
        equal = cells_equal(dataset.table[name], original.table[name])
        both_missing = (after.codes < 0) & (before.codes < 0)
        changed = float(np.count_nonzero(~equal & ~both_missing) / max(len(equal), 1))
    is_judged = after is not None and same_rows and name in settings.quasi_identifiers
    return ColumnChange(
        column=name,
        released=after is not None,
        changed_share=changed,
        ncp=_precision_lost(before, after) if after is not None and is_judged else None,
        n_values_original=before.n_distinct,
        n_values=None if after is None else after.n_distinct,
        n_missing_original=before.n_missing,
        n_missing=None if after is None else after.n_missing,
    )


def _precision_lost(before: CodedColumn, after: CodedColumn) -> float | None:
    """Return how much of a column's precision its released form lost (NCP), in [0, 1]; None of no record."""
    # what is blank, stars or a word for that lost all; a word for the rest leaves two categories open
    if not len(after.codes):
        return None
    released = after.codes_with_missing
    alike = EquivalenceClasses(
        quasi_identifiers=(after.name,),
        class_of_record=released,
        class_sizes=np.bincount(released, minlength=len(after.values) + 1),
    )
    found = pc.is_in(after.values, value_set=before.values.cast(after.values.type))
    there = cast("BoolArray", found.to_numpy(zero_copy_only=False))
    numbers = as_numbers(before.values)
    if numbers is not None and np.isfinite(numbers).any():
        penalty = numeric_ncp(np.append(numbers, np.nan)[before.codes], alike)
    else:
        penalty = categorical_ncp(before.codes.astype(np.int64), alike)
        stands_for_several = np.append(_is_any_of(after.values, _REST) & ~there, False)
        penalty[stands_for_several] = penalty[stands_for_several].clip(min(2 / max(before.n_distinct, 1), 1))
    blank = np.append(_is_any_of(after.values, _BLANKS), False) | after.value_is_suppressed
    penalty[blank & ~np.append(there, False)] = 1.0
    return float(np.where(before.codes >= 0, penalty[released], 0.0).mean())


def _is_any_of(values: pa.Array, words: frozenset[str]) -> BoolArray:
    folded = pc.utf8_lower(pc.utf8_trim(values, " \t[]()<>_-."))
    found = pc.is_in(folded, value_set=pa.array(sorted(words), folded.type))
    return cast("BoolArray", found.to_numpy(zero_copy_only=False))


def _original_classes(original: Dataset, settings: RiskSettings) -> EquivalenceClasses | None:
    names = [name for name in dict.fromkeys(settings.quasi_identifiers) if name in original.columns]
    if not names:
        return None
    columns = [coded_column(original.table, name) for name in names]
    person = settings.person if settings.person in original.columns else None
    return classes_over(
        columns,
        enter_records(columns, settings, n_records=original.n_records),
        settings,
        person_of_record=None if person is None else coded_column(original.table, person).codes,
    )


_N_LOOKED_AT = 5_000  # released records drawn where there are more
_MOST_COLUMNS = 10


@dataclass(frozen=True, kw_only=True)
class Linkage:
    """Released records whose nearest original, by numbers, is their own."""

    columns: tuple[str, ...]  # numbers in both tables: quasi-identifiers, and columns nobody chose
    n_records: int  # released records looked at; drawn at random (seeded) where there are more than 5,000
    n_originals: int  # originals they were compared with
    # expected records linked rightly: where m originals share the nearest place and one of them is a record's
    # own, it counts 1 / m
    n_linked: float

    @property
    def share(self) -> float:
        """Return `n_linked` / `n_records`, in [0, 1]."""
        return self.n_linked / self.n_records

    def is_above(self, risk: float) -> bool:
        """Return whether more are linked than that risk explains, with a chance below 0.001."""
        return bool(binomial_tail(np.floor(self.n_linked), self.n_records, min(risk, 1.0)) < 0.001)


def link_records(dataset: Dataset, original: Dataset, settings: RiskSettings) -> Linkage | None:
    """Link released records to originals by their numbers; None without numbers in both, or rows in common.

    Each column is divided by its standard deviation in the original; records with a missing number are
    passed over. Of more than ten columns the ten with the most values are taken.

    References
    ----------
    Domingo-Ferrer and Torra, A quantitative comparison of disclosure control methods for microdata,
    Confidentiality, Disclosure and Data Access, 2001 (distance-based record linkage).
    """
    if dataset.n_records != original.n_records or not dataset.n_records:
        return None
    names = [
        name
        for name in (*settings.quasi_identifiers, *unchosen_columns(settings, dataset.columns))
        if name in original.columns
    ]
    found = _numbers(dataset, original, names)
    if not found:
        return None
    released = np.column_stack([each[1] for each in found])
    originals = np.column_stack([each[2] for each in found])
    complete = np.flatnonzero(~(np.isnan(released) | np.isnan(originals)).any(axis=1))
    if len(complete) < 2:
        return None
    looked_at = complete
    if len(complete) > _N_LOOKED_AT:
        looked_at = np.random.default_rng(0).choice(complete, _N_LOOKED_AT, replace=False)
    scale = originals[complete].std(axis=0)
    return Linkage(
        columns=tuple(each[0] for each in found),
        n_records=len(looked_at),
        n_originals=len(complete),
        n_linked=_n_linked(released / scale, originals / scale, complete, looked_at),
    )


def _numbers(
    dataset: Dataset, original: Dataset, names: Sequence[str]
) -> list[tuple[str, FloatArray, FloatArray]]:
    """Return name, released and original numbers of the columns that are numbers in both and vary."""
    found = []
    for name in names:
        after = as_numbers(dataset.table[name])
        before = as_numbers(original.table[name]) if after is not None else None
        if after is None or before is None:
            continue
        known = before[~np.isnan(before)]
        if len(known) and known.min() < known.max():
            found.append((len(np.unique(known)), name, after, before))
    found.sort(key=lambda each: -each[0])
    return [each[1:] for each in found[:_MOST_COLUMNS]]


def _n_linked(released: FloatArray, originals: FloatArray, complete: IntArray, looked_at: IntArray) -> float:
    places, place_of, n_at = np.unique(originals[complete], axis=0, return_inverse=True, return_counts=True)
    own = np.full(len(originals), -1, dtype=np.int64)
    own[complete] = place_of.ravel()
    nearest, place = scipy.spatial.cKDTree(places).query(released[looked_at])
    to_own = np.linalg.norm(released[looked_at] - places[own[looked_at]], axis=1)
    right = to_own <= nearest * (1 + 1e-9) + 1e-12
    at = np.where(right, own[looked_at], place)
    return float((right / n_at[at]).sum())
