"""What classes give away about one sensitive attribute."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core import attribute_disclosure as models
from core.attribute_disclosure import LIMITS, Limit
from core.classes import EquivalenceClasses, Items, Pairs, classes_of_codes, items_of_classes, spread
from core.coding import BoolArray, CodedColumn, FloatArray, IntArray, combined_codes, some_rows
from core.risk.alike import AlikeClasses, alike_classes
from core.risk.folding import FoldedValues, Likelihood, distinct_meanings, fold_values, likely_values
from core.risk.records import class_values
from core.risk.settings import Hierarchy, RiskSettings
from core.values.cells import as_numbers
from core.words import Text, counted, input_error, percent, text


@dataclass(frozen=True, kw_only=True, eq=False)
class ByClass:
    """Figures of each class, or of each entry of classes alike, for one sensitive attribute."""

    # shape (n_entries,): the classes that are alike, one each in memory, and the assessed records of one
    m: IntArray
    records: IntArray
    # by the figure of each of `LIMITS`, shape (n_entries,): of no known value 0 if limits ask for at least so
    # much, else NaN
    figures: Mapping[str, IntArray | FloatArray]

    @property
    def distinct_l(self) -> IntArray:
        """Return shape (n_entries,): distinct values of each class."""
        return cast("IntArray", self.figures["distinct_l"])

    def worst(self) -> dict[str, float | None]:
        """Return the figure of the worst class; those without a known value are passed over."""
        known = self.distinct_l > 0
        found = {}
        for each in LIMITS:
            worst = models.smallest if each.is_least else models.largest
            found[each.figure] = worst(self.figures[each.figure][known])
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveMeasurement:
    """Attribute disclosure of one sensitive attribute."""

    column: str  # the attribute
    distance: str  # ``equal``, ``ordered`` or ``hierarchical``: between values, for t
    # the classes its values were counted in; with the other sensitive attributes as quasi-identifiers where
    # the settings say so
    classes: EquivalenceClasses
    n_missing: int  # assessed records whose value is not known and not counted
    n_values: int  # distinct values that count
    # key of :data:`core.measures.MEASURES` → figure of the worst class; infinite where no finite one holds,
    # None where no class has a known value
    figures: Mapping[str, float | None]
    by_class: ByClass  # of the values as written
    folded: FoldedValues  # which written values mean the same
    # of the values as what they mean; the same object as `by_class` where that changes nothing
    folded_by_class: ByClass
    likelihood: Likelihood  # classes that make a value likely, of the values as what they mean
    alike: tuple[AlikeClasses, ...]  # classes whose values are one thing in other words

    @property
    def distinct_l(self) -> IntArray:
        """Return shape (n_entries,): distinct values of each class as written."""
        return self.by_class.distinct_l

    @property
    def n_classes_unknown(self) -> int:
        """Return the classes of which no record has a known value."""
        return int(self.by_class.m[self.distinct_l == 0].sum())

    def beyond(self, limit: Limit, asked: float, *, folded: bool = False) -> tuple[int, int]:
        """Return classes, and records in them, that miss a limit; without a known value none does."""
        by_class = self.folded_by_class if folded else self.by_class
        missed = limit.missed(by_class.figures[limit.figure], asked)
        return int(by_class.m[missed].sum()), int(by_class.m[missed] @ by_class.records[missed])


def measure_sensitive(
    column: CodedColumn,
    classes: EquivalenceClasses,
    counted: Callable[[IntArray], Items],
    *,
    settings: RiskSettings,
    hierarchy: Hierarchy | None = None,
    n_assessed: IntArray,
) -> SensitiveMeasurement:
    """Measure what classes give away about one sensitive attribute, wherever its values were counted.

    A cell that is missing or nothing but stars is unknown and not counted, unless the settings make it
    a value. `counted` returns the items of the classes by a code of each value, shape (n_values + 1,), the
    last that of a missing one; -1 is unknown. `n_assessed`, of that shape: assessed records of each value.
    """
    distance, code = sensitive_codes(column, settings, hierarchy)
    counts = counted(code)
    by_class = _by_class(counts, class_distances(counts, column, distance, hierarchy))
    folded = fold_values(column, settings)
    meant, folded_by_class = counts, by_class
    if folded.changes or (folded.numbers is not None and distance != "ordered"):
        # a person with two values of one meaning has it once
        meant = (
            counts.merged(_meanings(code, folded))
            if settings.person is None
            else counted(folded.group_of_value)
        )
    if folded.changes:
        folded_by_class = _folded_by_class(meant, folded, by_class, distance)
    return SensitiveMeasurement(
        column=column.name,
        distance=distance,
        classes=classes,
        n_missing=int(n_assessed[code < 0].sum()),
        n_values=int(np.count_nonzero(counts.totals)),
        figures=_figures(counts, by_class, settings)
        | {f"folded_{key}": folded_by_class.worst()[key] for key in _FOLDED},
        by_class=by_class,
        folded=folded,
        folded_by_class=folded_by_class,
        likelihood=likely_values(meant, folded),
        alike=alike_classes(
            meant,
            folded,
            _texts(column, code if meant is counts else folded.group_of_value),
            several=folded_by_class.distinct_l > 1,
        ),
    )


def sensitive_items(
    column: CodedColumn,
    classes: EquivalenceClasses,
    *,
    settings: RiskSettings,
    quasi_identifiers: Sequence[CodedColumn],
    person_of_record: IntArray | None = None,
) -> Callable[[IntArray], Items]:
    """Return what counts the items of classes by a code of each value of a column.

    With a person column a person counts once for each item in a class.
    """

    def counted(code: IntArray) -> Items:
        codes = code[column.codes]
        once = codes if person_of_record is None else _once_per_person(classes, codes, person_of_record)
        items = items_of_classes(classes, once)
        if settings.missing != "wildcard":
            return items
        values, missing = class_values(quasi_identifiers, classes, settings)
        if not missing.any():
            return items
        found = spread(Pairs(items.of_class, items.item, items.n), values, missing)
        return replace(items, of_class=found.of_class, item=found.item, n=found.n)

    return counted


# as figures are shown; a new one is shown last
_FOLDED = tuple(dict.fromkeys(("distinct_l", "entropy_l", "alpha", *(each.figure for each in LIMITS))))


def _meanings(code: IntArray, folded: FoldedValues) -> IntArray:
    """Return shape (n_codes,): what the values of each code mean, -1 for unknown."""
    found = np.full(int(code.max(initial=-1)) + 1, -1, dtype=np.int64)
    known = folded.group_of_value >= 0
    found[code[known]] = folded.group_of_value[known]
    return found


def _texts(column: CodedColumn, code: IntArray) -> pa.Array:
    """Return a written value of each code, "" of a missing one that counts as a value."""
    known = np.flatnonzero(code >= 0)
    places = known[np.unique(code[known], return_index=True)[1]]
    texts = column.values.take(pa.array(places, mask=places == len(column.values)))
    return pc.fill_null(texts.cast(pa.large_string()), "")


def _by_class(counts: Items, t: FloatArray) -> ByClass:
    figures = {each.figure: t if each.figure == "t" else each.of_classes(counts) for each in LIMITS}
    return ByClass(m=counts.m, records=counts.records, figures=figures)


def _folded_by_class(counts: Items, folded: FoldedValues, written: ByClass, distance: str) -> ByClass:
    """Return the figures of values as what they mean, but the hierarchical distance of those as written."""
    merged = counts if folded.numbers is None else counts.merged(folded.interval_of_group)
    t = cast("FloatArray", written.figures["t"])
    if distance != "hierarchical":
        t = models.t_closeness(merged, distance="ordered" if folded.numbers is not None else "equal")
    found = _by_class(merged, t)
    return replace(found, figures={**found.figures, "distinct_l": distinct_meanings(counts, folded)})


def sensitive_codes(
    column: CodedColumn, settings: RiskSettings, hierarchy: Hierarchy | None = None
) -> tuple[str, IntArray]:
    """Return the distance to use and shape (n_values + 1,): a code of each value, -1 for an unknown one.

    The last is that of a missing one.
    """
    as_value = settings.missing_sensitive == "value" and column.n_missing > 0
    n_values = len(column.values)
    known = np.ones(n_values + 1, dtype=bool) if as_value else ~column.value_is_suppressed
    numbers = None if as_value or hierarchy is not None else _numbers(column, known[:-1])
    if settings.distance == "ordered" and hierarchy is None and numbers is None:
        raise input_error(
            "The values of {column} have no order: not all of them are numbers, or a missing one is "
            "counted as a value. Choose the equal distance."
            if as_value
            else "The values of {column} have no order: not all of them are numbers. Choose the equal "
            "distance.",
            column=f"`{column.name}`",
        )
    if numbers is not None and settings.distance != "equal":
        return "ordered", np.append(models.ordered_codes(numbers), -1)
    code_of_value = np.where(known, np.arange(n_values + 1, dtype=np.int64), -1)
    return ("equal" if hierarchy is None else "hierarchical"), code_of_value


def _numbers(column: CodedColumn, known: BoolArray) -> FloatArray | None:
    """Return shape (n_values,): the values as numbers, NaN for unknown ones; None unless all known are."""
    found = as_numbers(column.values.filter(known))
    if found is None or not len(found):
        return None
    numbers = np.full(len(column.values), np.nan)
    numbers[known] = found
    return numbers


def _once_per_person(classes: EquivalenceClasses, codes: IntArray, person: IntArray) -> IntArray:
    """Return the codes with -1 for a person's further records with the same value in the same class."""
    known = np.flatnonzero((classes.class_of_record >= 0) & (codes >= 0) & (person >= 0))
    combined = combined_codes(
        [classes.class_of_record[known], codes[known], person[known]], n_records=len(known)
    )
    first = np.unique(combined, return_index=True)[1]
    once = codes.copy()
    once[known] = -1
    once[known[first]] = codes[known[first]]
    return once


def class_distances(
    counts: Items, column: CodedColumn, distance: str, hierarchy: Hierarchy | None
) -> FloatArray:
    """Return shape (n_classes,): t of each class, by the distance that :func:`sensitive_codes` chose."""
    if hierarchy is not None:
        return models.hierarchical_t(counts, levels=_hierarchy_levels(column, len(counts.totals), hierarchy))
    return models.t_closeness(counts, distance="ordered" if distance == "ordered" else "equal")


def _hierarchy_levels(column: CodedColumn, n_values: int, hierarchy: Hierarchy) -> list[IntArray]:
    """Return the group of each value on each level below the top, the values' own level first."""
    forms = [*column.labels, None][:n_values]
    suppressed = column.value_is_suppressed
    lacking = [
        position
        for position, form in enumerate(forms)
        if form not in hierarchy.groups and not suppressed[position]
    ]
    if lacking:
        raise input_error(
            "The hierarchy lacks {n} of {total} values of {column}; give each value a line.",
            n=len(lacking),
            total=column.n_distinct,
            column=f"`{column.name}`",
        )
    depth = len(next(iter(hierarchy.groups.values()), ()))
    levels = [np.arange(n_values, dtype=np.int64)]
    for level in range(depth):
        names = [hierarchy.groups.get(form or "", ("",) * depth)[level] for form in forms]
        levels.append(np.unique(np.array(names, dtype=str), return_inverse=True)[1].astype(np.int64))
    return levels


def _figures(counts: Items, by_class: ByClass, settings: RiskSettings) -> dict[str, float | None]:
    """Return the figure of the worst class for every model; classes without a known value are passed over."""
    known = counts.class_totals > 0
    worst = by_class.worst()
    return {
        **{key: worst.pop(key) for key in ("distinct_l", "entropy_l")},
        "recursive_c_at_l2": models.largest(models.recursive_c(counts, l=2)[known]),
        "recursive_c_at_l3": models.largest(models.recursive_c(counts, l=3)[known]),
        "recursive_l": models.smallest(models.largest_recursive_l(counts, c=settings.recursive_c)[known]),
        **{key: worst.pop(key) for key in ("alpha", "t", "basic_beta")},
        "enhanced_beta": models.largest(models.enhanced_beta(counts)[known]),
        **worst,
        "delta_ln_absent": models.largest(models.delta_disclosure(counts, absent="infinite")[known]),
    }


_N_LOOKED_AT = 20_000  # records drawn where there are more
_FEWEST = 20  # records below which nothing can be said
MOST_ATTRIBUTES = 20
GUESSED_GROUPS, _KNOWN_GROUPS = 10, 100  # a number is guessed by tenths, known by hundredths at most
_IN_GROUP = 10  # records of a group by which a number is known
_LEFT = 0.25  # share of wrong guesses that may remain for one to tell the other


@dataclass(frozen=True, kw_only=True)
class Related:
    """Two sensitive attributes of which one tells the other."""

    known: str  # their columns
    guessed: str
    # records whose value of `guessed` is right when guessed from `known` by the other records, in [0, 1]
    right_share: float
    right_share_without: float  # the same without knowing anything
    n_records: int  # records it was tried on, those with both values known


def guessed_text(found: Related) -> Text:
    """Say how surely one attribute tells the other."""
    return text(
        "Whoever knows {known} guesses {guessed} rightly for {share} of {records}, without it for {without}.",
        known=f"`{found.known}`",
        guessed=f"`{found.guessed}`",
        share=percent(found.right_share),
        records=counted(found.n_records, "record"),
        without=percent(found.right_share_without),
    )


def related_attributes(
    columns: Sequence[CodedColumn], folded: Mapping[str, FoldedValues], *, assessed: BoolArray
) -> tuple[Related, ...]:
    """Find pairs of sensitive attributes where knowing one removes three of four wrong guesses of the other.

    A record's value is guessed as the most frequent one among the *other* records that have the same known
    value, so that a known value that is all different tells nothing. Numbers are guessed by tenths of the
    records. Of more than 20,000 records so many are drawn (seeded); of more than 20 attributes the first 20
    are looked at.
    """
    records = np.flatnonzero(assessed)
    records = records[some_rows(np.random.default_rng(0), len(records), _N_LOOKED_AT)]
    chosen = columns[:MOST_ATTRIBUTES]
    codes = [folded[each.name].group_of_value[each.codes[records]] for each in chosen]
    numeric = [folded[each.name].numbers is not None for each in chosen]
    guessed = [_grouped(c, GUESSED_GROUPS) if n else c for c, n in zip(codes, numeric, strict=True)]
    n_known = n_known_groups(len(records))
    known = [_grouped(c, n_known) if n else c for c, n in zip(codes, numeric, strict=True)]
    pairs = [
        _tried(chosen[a].name, chosen[b].name, known[a], guessed[b])
        for a in range(len(chosen))
        for b in range(len(chosen))
        if a != b
    ]
    return tuple(each for each in pairs if each is not None)


def n_known_groups(n_records: int) -> int:
    """Return the groups of about as many records by which a number is known."""
    return int(np.clip(n_records // _IN_GROUP, GUESSED_GROUPS, _KNOWN_GROUPS))


def _grouped(codes: IntArray, n_groups: int) -> IntArray:
    """Return ascending codes as groups of about as many records; -1 stays."""
    if not (codes >= 0).any():
        return codes
    return cast("IntArray", np.append(group_of_code(np.bincount(codes[codes >= 0]), n_groups), -1)[codes])


def group_of_code(counts: IntArray, n_groups: int) -> IntArray:
    """Return shape (n_codes,): ascending codes of so many records, in groups of about as many each."""
    if len(counts) <= n_groups:
        return np.arange(len(counts))
    middle = (np.cumsum(counts) - counts / 2) / max(int(counts.sum()), 1)
    return np.minimum((middle * n_groups).astype(np.int64), n_groups - 1)


def _tried(known: str, guessed: str, a: IntArray, b: IntArray) -> Related | None:
    both = (a >= 0) & (b >= 0)
    return related_of(known, guessed, items_of_classes(classes_of_codes(a[both], ()), b[both]))


def related_of(known: str, guessed: str, items: Items) -> Related | None:
    """Return what one attribute tells of another; None where that is little, or nothing can be said.

    `items`: how often each known value of `guessed` stands beside each known one of `known`, the classes.
    """
    n_records, n_most = int(items.totals.sum()), int(items.totals.max(initial=0))
    if n_records < _FEWEST or n_most == n_records:
        return None
    right, without = _right_guesses(items) / n_records, n_most / n_records
    if (1 - right) > _LEFT * (1 - without):
        return None
    return Related(
        known=known, guessed=guessed, right_share=right, right_share_without=without, n_records=n_records
    )


def _right_guesses(items: Items) -> int:
    """Return the records whose item is the most frequent one among the others of their class; no ties."""
    of_class, n, rank = items.ranked
    best, second = np.zeros(items.n_entries, dtype=np.int64), np.zeros(items.n_entries, dtype=np.int64)
    best[of_class[rank == 0]], second[of_class[rank == 1]] = n[rank == 0], n[rank == 1]
    return int((items.m * best)[best - 1 > second].sum())
