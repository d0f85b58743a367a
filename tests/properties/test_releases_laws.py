"""Laws of releases: fast counts are the literal ones; more releases tell more; pseudonyms are names."""

from collections import Counter

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from core.releases.counts import ClassCounts, Moved, beside, count_classes, surplus
from core.releases.measuring import ReleasesMeasurement
from tests.releases_examples import (
    RECORDS,
    Row,
    compared,
    literal_alike,
    literal_candidates,
    literal_surplus,
    literal_surplus_of_persons,
    measured,
)
from tests.thorough import tried

AGES, SEXES, VALUES = ("20-29", "30-39"), ("F", "M"), ("flu", "gastritis", "asthma", "")
people = st.tuples(
    st.sampled_from([f"p{n}" for n in range(9)]),
    st.sampled_from(AGES),
    st.sampled_from(SEXES),
    st.sampled_from(VALUES),
)
releases = st.lists(people, min_size=1, max_size=14)
one_each = st.lists(people, min_size=1, max_size=9, unique_by=lambda row: row[0])
slow = tried(120)


def _fast(moved: Moved, k: int) -> tuple[int, int, int]:
    return moved.n, moved.groups.n_below(k), moved.n_given_away["diagnosis"]


@slow
@given(releases, releases, st.integers(2, 5))
def test_difference_of_records__is_the_literal_one(later: list[Row], earlier: list[Row], k: int) -> None:
    found = compared(later, earlier, RECORDS)
    assume(not found.renamed)
    assert _fast(found.came, k) == literal_surplus(later, earlier, k)
    assert _fast(found.left, k) == literal_surplus(earlier, later, k)


@slow
@given(releases, releases, st.integers(2, 5))
def test_difference_of_persons__is_the_literal_one(later: list[Row], earlier: list[Row], k: int) -> None:
    found = compared(later, earlier)
    if found.n_common is None:
        return
    assert _fast(found.came, k) == literal_surplus_of_persons(later, earlier, k)
    assert _fast(found.left, k) == literal_surplus_of_persons(earlier, later, k)
    assert found.alike is not None
    assert (found.n_common, found.alike.groups.n_below(k)) == literal_alike(later, earlier, k)


@slow
@given(releases, releases, releases)
def test_candidates__are_the_literal_ones(later: list[Row], first: list[Row], second: list[Row]) -> None:
    found = measured(later, first, second)
    both = zip((first, second), found.compared, strict=True)
    taken = [rows for rows, each in both if each.n_common is not None]
    if not taken:
        assert found.candidates == {}
        return
    left = found.candidates["later", "diagnosis"]
    assert (left.n_persons, left.n_given_away) == literal_candidates(later, *taken)


def _found(measurement: ReleasesMeasurement, k: int) -> dict[str, int]:
    """Return what is found by any of the releases, kind by kind."""
    best: Counter[str] = Counter()
    for each in measurement.compared:
        kinds = {
            "came": each.came.groups.n_below(k),
            "came_values": max(each.came.n_given_away.values()),
            "left": each.left.groups.n_below(k),
            "left_values": max(each.left.n_given_away.values()),
            "alike": 0 if each.alike is None else each.alike.groups.n_below(k),
        }
        for kind, n in kinds.items():
            best[kind] = max(best[kind], n)
    best["candidates"] = sum(each.n_given_away for each in measurement.candidates.values())
    return dict(best)


@slow
@given(one_each, one_each, one_each, st.integers(2, 5))
def test_another_earlier_release__finds_no_fewer(
    later: list[Row], first: list[Row], second: list[Row], k: int
) -> None:
    fewer, more = _found(measured(later, first), k), _found(measured(later, first, second), k)
    assert all(more[kind] >= n for kind, n in fewer.items())


@slow
@given(releases, releases, st.permutations(range(9)), st.integers(2, 5))
def test_pseudonyms_permuted_alike__change_nothing(
    later: list[Row], earlier: list[Row], places: list[int], k: int
) -> None:
    def renamed(rows: list[Row]) -> list[Row]:
        return [(f"q{places[int(row[0][1:])]}", *row[1:]) for row in rows]

    assert _found(measured(later, earlier), k) == _found(measured(renamed(later), renamed(earlier)), k)


@slow
@given(one_each)
def test_the_same_release__tells_nothing_and_is_named(rows: list[Row]) -> None:
    found = measured(rows, rows)
    assert found.compared[0].is_same
    assert set(_found(found, 5).values()) == {0}


@slow
@given(
    st.dictionaries(st.integers(0, 90), st.lists(st.integers(-1, 3), min_size=1, max_size=4), max_size=90),
    st.dictionaries(st.integers(0, 90), st.lists(st.integers(-1, 3), max_size=3), max_size=12),
    st.sets(st.integers(0, 90), max_size=60),
    st.sampled_from((1, 30, 2**40)),
)
def test_releases_subtracted__are_the_literal_ones(
    later: dict[int, list[int]], changed: dict[int, list[int]], gone: set[int], apart: int
) -> None:
    earlier = {at: values for at, values in (later | changed).items() if values and at not in gone}
    both = (later, earlier)
    found = beside(*(_class_counts(each, apart) for each in both))
    pairs = [[(str(at), value) for at, values in each.items() for value in values] for each in both]
    rows = [[("", at, "", "" if value < 0 else str(value)) for at, value in each] for each in pairs]
    for side, of, than in zip((0, 1), rows, rows[::-1], strict=True):
        assert _fast(surplus(found, side), 3) == literal_surplus(of, than, 3)
    assert found.n_found == sum(len(values) for at, values in earlier.items() if at in later)
    for kept, told in zip((slice(1, 2), slice(1, 4)), found.pairs, strict=True):
        counts = [Counter(row[kept] for row in each if row[3] or kept.stop == 2) for each in rows]
        literal = Counter((counts[0][at], counts[1][at]) for at in counts[0].keys() | counts[1].keys())
        said = list(zip(*(each.tolist() for each in told), strict=True))
        assert said == sorted((*pair, n) for pair, n in literal.items())


def _class_counts(of: dict[int, list[int]], apart: int) -> ClassCounts:
    classes = np.array([at * apart for at, values in of.items() for _ in values], dtype=np.int64)
    values = np.array([value for values in of.values() for value in values], dtype=np.int64)
    return count_classes(classes, {"diagnosis": values})
