"""What one row of an export gives away, and how diverse what it tells of its user is."""

from dataclasses import dataclass, replace

import numpy as np

from core.attribute_disclosure import distinct_l, entropy_l, largest, own_items, smallest, t_closeness
from core.chance import NO_ACCIDENT
from core.classes import EquivalenceClasses, items_of_classes
from core.coding import BoolArray, IntArray, combination_codes, combined_codes, sorted_distinct, value_codes
from core.events.measuring import AnonymizedEvents
from core.events.settings import KIND_COLUMNS
from core.events.stages import derived_column
from core.events.traces import pseudonym_codes
from core.known import bags, users_sharing
from core.values.folded_text import folded_text, says_unknown

_YEARS, _HOURS = ("iso_year", "year"), ("hour", "quantized_hour", "time_period")
_TIMES_THE_NEXT = 2  # a user with so many times the rows of anybody else stands out
_ROWS_MORE = 3
_TIMES_THE_USUAL = 10


@dataclass(frozen=True, kw_only=True)
class RowRisk:
    """Users that the rows under one pseudonym single out, their combinations being shared by k users."""

    n_users: int  # users released
    # users with a pseudonym of so many rows that no other user's pseudonym has as many
    n_alone_by_number: int
    n_below_k_by_number: int  # users with a pseudonym of so many rows as fewer than k users' pseudonyms have
    # Users, fewer than k, with at least twice the rows of every other user, or users alone with their number
    # of rows and with at least ten times the rows of most
    n_standing_out: int
    # users with a pseudonym whose rows, each as often as it occurs, nobody else's equal, or fewer than k's do
    n_unique_multiset: int
    n_below_k_multiset: int
    # the same of the kinds of events, in the order that the released times tell; None where the export tells
    # no order or no kind
    n_unique_sequence: int | None
    n_below_k_sequence: int | None
    # users alone by number, and users of whose rows fewer than k have the same, with at most one row of each
    # user and combination; None where pseudonyms are not per user,
    # or both are 0 anyway
    n_alone_by_number_capped: int | None = None
    n_below_k_multiset_capped: int | None = None

    def share(self, n_users: int | None) -> float | None:
        """Return a number of users as a share in [0, 1] of those released; None without any."""
        return n_users / self.n_users if self.n_users and n_users is not None else None


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rows:
    """The released rows: pseudonym and combination of each, shape (n_rows,), and whose pseudonym it is."""

    pseudonym: IntArray
    group: IntArray
    user_of_pseudonym: IntArray

    @property
    def n_pseudonyms(self) -> int:
        return len(self.user_of_pseudonym)


def row_risk(anonymized: AnonymizedEvents, pseudonym_per: str) -> RowRisk:
    """Count the users whom the rows under one pseudonym single out.

    Notes
    -----
    Multisets and sequences are compared by :func:`core.known.bags`.
    """
    rows = _released_rows(anonymized, pseudonym_per)
    n_of_pseudonym = np.bincount(rows.pseudonym, minlength=rows.n_pseudonyms)
    users_of_number = _users_with_number(n_of_pseudonym, rows.user_of_pseudonym)
    n_alone = _n_users(users_of_number == 1, rows)
    n_unique, n_below_k = _n_rare(rows.group, rows.pseudonym, rows, k := anonymized.rule.k)
    sequences = _n_rare_sequences(anonymized, rows, pseudonym_per) or (None, None)
    capped = _capped(rows) if pseudonym_per == "user" and (n_alone or n_unique) else None
    return RowRisk(
        n_users=int(rows.user_of_pseudonym.max(initial=-1)) + 1,
        n_alone_by_number=n_alone,
        n_below_k_by_number=_n_users(users_of_number < k, rows),
        n_standing_out=max(
            _n_standing_out(n_of_pseudonym, rows.user_of_pseudonym, k),
            _n_users((users_of_number == 1) & _are_extreme(n_of_pseudonym), rows),
        ),
        n_unique_multiset=n_unique,
        n_below_k_multiset=n_below_k,
        n_unique_sequence=sequences[0],
        n_below_k_sequence=sequences[1],
        n_alone_by_number_capped=None if capped is None else _n_alone(capped),
        n_below_k_multiset_capped=None
        if capped is None
        else _n_rare(capped.group, capped.pseudonym, capped, k)[1],
    )


def _capped(rows: _Rows) -> _Rows:
    """Return one row of each pseudonym and combination."""
    n_groups = int(rows.group.max(initial=-1)) + 1
    pairs = sorted_distinct(rows.pseudonym * max(n_groups, 1) + rows.group)
    return replace(rows, pseudonym=pairs // max(n_groups, 1), group=pairs % max(n_groups, 1))


def _n_alone(rows: _Rows) -> int:
    """Return how many users have a pseudonym of so many rows that nobody else's has as many."""
    n_of_pseudonym = np.bincount(rows.pseudonym, minlength=rows.n_pseudonyms)
    return _n_users(_users_with_number(n_of_pseudonym, rows.user_of_pseudonym) == 1, rows)


def _released_rows(anonymized: AnonymizedEvents, pseudonym_per: str) -> _Rows:
    kept = np.flatnonzero(anonymized.event_is_kept)
    pseudonym = value_codes(pseudonym_codes(anonymized, pseudonym_per)[kept])
    user_of_pseudonym = np.empty(int(pseudonym.max(initial=-1)) + 1, dtype=np.int64)
    user_of_pseudonym[pseudonym] = anonymized.user_of_event[kept]
    return _Rows(
        pseudonym=pseudonym,
        group=anonymized.group_of_event[kept],
        user_of_pseudonym=value_codes(user_of_pseudonym),
    )


def _users_with_number(n_of_pseudonym: IntArray, users: IntArray) -> IntArray:
    """Return for each pseudonym how many users have one of as many rows."""
    return users_sharing(value_codes(n_of_pseudonym), users)


def _n_users(of_pseudonym: BoolArray, rows: _Rows) -> int:
    return int(np.count_nonzero(np.bincount(rows.user_of_pseudonym[of_pseudonym])))


def _n_standing_out(n_of_pseudonym: IntArray, users: IntArray, k: int) -> int:
    largest = np.zeros(int(users.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(largest, users, n_of_pseudonym)
    top = np.sort(largest)[::-1][:k]
    gaps = (top[:-1] >= _TIMES_THE_NEXT * top[1:]) & (top[:-1] - top[1:] >= _ROWS_MORE)
    return int(np.flatnonzero(gaps).max(initial=-1)) + 1


def _are_extreme(n_of_pseudonym: IntArray) -> BoolArray:
    """Return which pseudonyms have at least ten times the rows of most."""
    usual = float(np.median(n_of_pseudonym)) if len(n_of_pseudonym) else 0.0
    return np.asarray(n_of_pseudonym >= _TIMES_THE_USUAL * usual, dtype=bool)


def _n_rare(items: IntArray, pseudonym: IntArray, rows: _Rows, k: int) -> tuple[int, int]:
    """Count users with a pseudonym whose multiset of items is nobody else's, or fewer than k users'."""
    sharing = users_sharing(bags(pseudonym, items, rows.n_pseudonyms), rows.user_of_pseudonym)
    return _n_users(sharing < 2, rows), _n_users(sharing < max(k, 2), rows)


def _n_rare_sequences(
    anonymized: AnonymizedEvents, rows: _Rows, pseudonym_per: str
) -> tuple[int, int] | None:
    columns = anonymized.stages.columns
    years = anonymized.measured.log.calendar.iso_year
    order = _order_columns(columns, pseudonym_per, several_years=bool(years.min() != years.max()))
    own_columns = anonymized.measured.log.others
    what = [column for column in columns if column in KIND_COLUMNS or column in own_columns]
    if not order or not what:
        return None
    known, values = _rows_of_known_time(anonymized, rows.group, order)
    pseudonym, n = rows.pseudonym[known], int(np.count_nonzero(known))
    times = combined_codes([values[columns.index(name)][known] for name in order], n_records=n)
    kinds = combination_codes([values[columns.index(name)][known] for name in what], n_records=n)
    items = _steps(pseudonym, times) * (int(kinds.max(initial=0)) + 1) + kinds
    return _n_rare(items, pseudonym, rows, anonymized.rule.k)


def _order_columns(columns: tuple[str, ...], pseudonym_per: str, *, several_years: bool) -> list[str]:
    """Return the released columns that tell the order of a pseudonym's rows, coarsest first."""
    hours = [column for column in _HOURS if column in columns][:1]
    weekdays = ["weekday"] if "weekday" in columns else []
    within = {"event": [], "day": hours, "week": [*weekdays, *hours] if weekdays else []}
    if pseudonym_per in within:
        return within[pseudonym_per]
    years = [column for column in _YEARS if column in columns][:1]
    part, days = ("week_number", weekdays) if "week_number" in columns else ("month", ["day"])
    if several_years and not years:
        return []
    if part not in columns:
        return years
    return [*years, part, *days, *hours] if {*days} and {*days} <= {*columns} else [*years, part]


def _rows_of_known_time(
    anonymized: AnonymizedEvents, group: IntArray, order: list[str]
) -> tuple[BoolArray, list[IntArray]]:
    """Return which rows have every column of the order as fine as it comes, and all columns' values."""
    stages = anonymized.stages
    finest = stages.values_of_group[stages.stage_of_group == 0].max(axis=0, initial=-1)
    places = [stages.columns.index(name) for name in order]
    is_known = (stages.values_of_group[:, places] <= finest[places]).all(axis=1)
    values = [stages.values_of_group[:, place][group] for place in range(len(stages.columns))]
    return is_known[group], values


def _steps(pseudonym: IntArray, times: IntArray) -> IntArray:
    """Return for each row how many earlier times its pseudonym has."""
    order = np.lexsort((times, pseudonym))
    pseudonym, times = pseudonym[order], times[order]
    new_pseudonym = np.append(True, pseudonym[1:] != pseudonym[:-1])[: len(order)]
    new_time = np.append(True, times[1:] != times[:-1])[: len(order)] | new_pseudonym
    rank = np.cumsum(new_time)
    rank -= np.maximum.accumulate(np.where(new_pseudonym, rank, 0))
    steps = np.empty(len(order), dtype=np.int64)
    steps[order] = rank
    return steps


_NEARLY_ALL = 0.9


@dataclass(frozen=True, kw_only=True)
class CombinationDiversity:
    """Diversity of an attribute within the released combinations, over events."""

    attribute: str  # the derived column, or the raw event
    n_combinations: int  # released combinations
    n_uniform: int  # combinations in which the attribute has one value, which knowing the combination tells
    # combinations of more values in which one value is had by at least nine of ten events, and which halve at
    # least the doubt that the whole release leaves about it
    n_dominated: int
    n_of_own_values: int  # combinations of several values that no other combination has, beyond chance
    distinct_l: float | None  # the smallest of any combination; None without any
    entropy_l: float | None
    # the largest distance in [0, 1] of a combination's distribution from that of the release (equal distance:
    # half the sum of the differences); None without any
    t: float | None


def combination_diversity(anonymized: AnonymizedEvents, attribute: str) -> CombinationDiversity:
    """Measure l-diversity and t-closeness of an attribute within the released combinations.

    Values are counted as what they mean, not as they are spelled; words for unknown are none.

    Machanavajjhala et al., l-diversity, TKDD 1(1), 2007; Li et al., t-closeness, ICDE 2007.
    """
    log, kept = anonymized.measured.log, anonymized.event_is_kept
    column = derived_column(log, attribute)
    texts = folded_text(column.values)
    meaning = np.where(says_unknown(texts), -1, value_codes(texts))
    values = meaning[column.codes[log.kept_after_cleanup][kept]]
    class_of_record = value_codes(anonymized.group_of_event[kept])
    classes = EquivalenceClasses(
        quasi_identifiers=anonymized.stages.columns,
        class_of_record=class_of_record,
        class_sizes=np.bincount(class_of_record).astype(np.int64),
    )
    counts = items_of_classes(classes, values)
    distinct = distinct_l(counts)
    return CombinationDiversity(
        attribute=attribute,
        n_combinations=classes.n_classes,
        n_uniform=int(np.count_nonzero(distinct == 1)),
        n_dominated=_n_dominated(class_of_record[values >= 0], values[values >= 0]),
        n_of_own_values=own.n_classes if (own := own_items(counts, by_chance=NO_ACCIDENT)) else 0,
        distinct_l=smallest(distinct),
        entropy_l=smallest(entropy_l(counts)),
        t=largest(t_closeness(counts)),
    )


def _n_dominated(combination: IntArray, values: IntArray) -> int:
    """Return the combinations, not uniform, whose commonest value has nearly all events."""
    n_values = int(values.max(initial=-1)) + 1
    cells, n_of_cell = np.unique(combination * max(n_values, 1) + values, return_counts=True)
    owner, value = cells // max(n_values, 1), cells % max(n_values, 1)
    n_of_combination = np.bincount(owner, weights=n_of_cell)
    share = n_of_cell / n_of_combination[owner]
    overall = np.bincount(value, weights=n_of_cell, minlength=n_values)[value] / max(len(values), 1)
    return int(np.count_nonzero((share < 1) & (share >= _NEARLY_ALL) & (1 - share <= (1 - overall) / 2)))
