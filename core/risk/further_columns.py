"""What each further released column, and all of them, do to the classes of the chosen quasi-identifiers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import NO_ACCIDENT
from core.classes import EquivalenceClasses, persons_per_class
from core.coding import BoolArray, CodedColumn, IntArray, coded_column, combined_codes, value_codes
from core.risk.columns import MOST_COLUMNS, unchosen_columns, with_most_values
from core.risk.folding import SKEWED_RATIO
from core.risk.records import RecordEntry, classes_over
from core.risk.settings import RiskSettings
from core.tables import Dataset

_OF_A_STRATUM = 5  # records with a sampling weight, from which it is a stratum's
_FEW = 0.1  # share of classes up to which one value of everybody is an exception
_DENSE = 8  # codes for each record up to which every possible one is counted


@dataclass(frozen=True, kw_only=True, eq=False)
class FurtherColumns:
    """The classes over the chosen quasi-identifiers and one more released column, or several."""

    columns: tuple[str, ...]  # which nobody chose, nor said to be harmless
    sizes: IntArray  # distinct class sizes, ascending: records, or persons where a person column is given
    n_of_size: IntArray  # assessed records in classes of each size
    # classes, and their records, of which everybody has one value of the column, beyond chance
    one_value: tuple[int, int] = (0, 0)

    def n_below(self, k: int) -> int:
        """Return the assessed records in classes of fewer than `k`."""
        return int(self.n_of_size[self.sizes < k].sum())


def further_columns(
    settings: RiskSettings, columns: Sequence[str], n_values: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the columns that are joined, in the table's order: up to 30, those with the most values.

    `n_values`: the distinct values of each column that is looked at.
    """
    unchosen = [each for each in unchosen_columns(settings, columns) if each not in settings.harmless]
    return tuple(with_most_values([each for each in unchosen if n_values.get(each, 0) > 1], n_values))


def measure_further(
    dataset: Dataset,
    quasi: Sequence[CodedColumn],
    entry: RecordEntry,
    classes: EquivalenceClasses,
    settings: RiskSettings,
    *,
    person: IntArray | None,
    n_values: Mapping[str, int],
) -> tuple[FurtherColumns, ...]:
    """Form the classes over the quasi-identifiers and each further column, and last over all of these.

    A missing cell of a further column is a value, or matches all where it does so in the quasi-identifiers;
    all together are left out there.

    Parameters
    ----------
    dataset, quasi, entry, classes, settings
        The table, its quasi-identifiers, which records are assessed, their classes, and what was chosen.
    person
        Shape (n_records,): the person of each record, -1 for an unknown one; None where records are counted.
    n_values
        The distinct values of each column that is looked at.
    """
    names = further_columns(settings, dataset.columns, n_values) if classes.n_classes else ()
    if settings.weight is not None and classes.n_classes:
        weights = coded_column(dataset.table, settings.weight)
        if 1 < weights.n_distinct <= len(weights.codes) / _OF_A_STRATUM:  # what the design says of strata
            names, n_values = (*names, settings.weight), {**n_values, settings.weight: weights.n_distinct}
    if settings.missing == "wildcard" and entry.n_with_missing:
        return tuple(
            _told((name,), classes_over([*quasi, column], entry, settings, person_of_record=person))
            for name, column in _coded(dataset, names)
        )
    found, known = [], ~entry.leave_out if entry.leave_out.any() else slice(None)
    chosen = together = classes.class_of_record[known]
    own = [each.codes_with_missing[known] for each in quasi]
    who = None if person is None else person[known]
    for name, column in _coded(dataset, sorted(names, key=lambda each: -n_values[each])):
        codes = column.codes_with_missing[known]
        sizes = _sizes((name,), combined_codes([chosen, codes], n_records=len(chosen)), who)
        same = _one_value(column, codes, classes, chosen, own)
        found.append(replace(sizes, one_value=same))
        together = combined_codes([together, codes], n_records=len(chosen))
    found.sort(key=lambda each: names.index(each.columns[0]))
    if len(names) > 1:
        found.append(_sizes(names, together, who))
    return tuple(found)


def _one_value(
    column: CodedColumn,
    codes: IntArray,
    classes: EquivalenceClasses,
    of_record: IntArray,
    quasi: Sequence[IntArray],
) -> tuple[int, int]:
    """Return the classes, and their records, of which everybody has one value of a column, beyond chance.

    At most one class in ten, else the column follows from the quasi-identifiers; as it does where all of
    several classes with one value of a quasi-identifier have one. The value is that of at most a fifth of
    the table. One with the share q is that of n members with the chance qⁿ, times values, classes and
    columns. A missing value is none.
    """
    first = np.zeros(classes.n_classes, dtype=np.int64)
    first[of_record[::-1]] = np.arange(len(of_record))[::-1]
    value = codes[first]
    same = _is_steady(codes, of_record, value) & (classes.class_sizes > 1) & (value < len(column.values))
    if not same.any() or same.sum() > max(_FEW * (classes.class_sizes > 1).sum(), 1):
        return 0, 0
    n_tried = len(column.values) * classes.n_classes * MOST_COLUMNS
    share = (np.bincount(codes) / len(codes))[value]
    unlikely = classes.class_sizes * np.log(share) < np.log(NO_ACCIDENT / n_tried)
    same &= unlikely & (share <= 1 / SKEWED_RATIO)
    for own in quasi if same.any() else ():
        of_class = own[first]
        n_classes = np.bincount(of_class)
        with_value = np.zeros(len(n_classes), dtype=np.int64)
        with_value[of_class] = value
        follows = _is_steady(codes, own, with_value) & (n_classes > 1)
        same &= ~follows[of_class]
    return int(same.sum()), int(classes.records_of_class[same].sum())


def _is_steady(codes: IntArray, group: IntArray, value: IntArray) -> BoolArray:
    """Return shape (n_groups,): whether all records of a group have its value."""
    steady = np.ones(len(value), dtype=bool)
    steady[group[codes != value[group]]] = False
    return steady


def _coded(dataset: Dataset, names: Sequence[str]) -> Iterator[tuple[str, CodedColumn]]:
    """Yield columns one after another, so that one is let go of before the next is coded."""
    return ((name, coded_column(dataset.table, name)) for name in names)


def _sizes(names: tuple[str, ...], codes: IntArray, person: IntArray | None) -> FurtherColumns:
    """Count records by the size of their class, of codes of any size; of persons where they are known."""
    if person is not None:
        return _told(names, _classes_of_persons(value_codes(codes), person))
    is_dense = int(codes.max(initial=0)) < _DENSE * len(codes)
    records = np.bincount(codes) if is_dense else pc.value_counts(pa.array(codes)).field(1).to_numpy()
    n_classes = np.bincount(records)
    sizes = np.flatnonzero(n_classes[1:]) + 1
    return FurtherColumns(columns=names, sizes=sizes, n_of_size=sizes * n_classes[sizes])


def _classes_of_persons(class_of_record: IntArray, person: IntArray) -> EquivalenceClasses:
    n_classes = int(class_of_record.max(initial=-1)) + 1
    return EquivalenceClasses(
        quasi_identifiers=(),
        class_of_record=class_of_record,
        class_sizes=persons_per_class(class_of_record, person, n_classes=n_classes),
    )


def _told(names: tuple[str, ...], classes: EquivalenceClasses) -> FurtherColumns:
    sizes, n_of_size = classes.size_histogram
    return FurtherColumns(columns=names, sizes=sizes, n_of_size=n_of_size)
