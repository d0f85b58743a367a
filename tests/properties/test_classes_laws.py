"""Laws of items of classes: classes that are alike stand for each other, as records and in two releases."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core import attribute_disclosure as models
from core.classes import Items, Pairs, classes_of_codes, items_of_classes, items_of_signatures
from core.releases.counts import beside, beside_of_items, count_classes, overlap_of, surplus
from tests.thorough import tried

MODELS = (
    *(each.of_classes for each in models.LIMITS),
    lambda items: models.t_closeness(items, distance="ordered"),
    lambda items: models.recursive_c(items, l=2),
    lambda items: models.largest_recursive_l(items, c=2.0),
    models.enhanced_beta,
    lambda items: models.delta_disclosure(items, absent="infinite"),
)
# records as class and value, which is -1 where it is not known
rows = st.lists(st.tuples(st.integers(0, 12), st.integers(-1, 4)), min_size=1, max_size=60)
slow = tried(80)


def _items(records: list[tuple[int, int]]) -> Items:
    of_class, value = np.array(records, dtype=np.int64).T
    return items_of_classes(classes_of_codes(of_class, ()), value)


def _alike(items: Items) -> Items:
    """Return the items with classes that are alike as one entry."""
    held: list[list[tuple[int, int]]] = [[] for _ in items.m]
    for of_class, item, n in zip(items.of_class, items.item, items.n, strict=True):
        held[of_class].append((int(item), int(n)))
    kinds = Counter((int(n), tuple(each)) for n, each in zip(items.records, held, strict=True))
    pairs = [(place, *pair) for place, (_, each) in enumerate(kinds) for pair in reversed(each)]
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    records = np.array([n for n, _ in kinds], dtype=np.int64)
    m = np.array([*kinds.values()], dtype=np.int64)
    return items_of_signatures(m, records, Pairs(*columns), n_items=len(items.totals))


def _told(items: Items) -> list[Counter[tuple[int, float]]]:
    """Return by model how many classes have so many records and which figure."""
    found = []
    for model in MODELS:
        values = np.nan_to_num(np.asarray(model(items), dtype=float), nan=-1.0, posinf=-2.0).round(12)
        told: Counter[tuple[int, float]] = Counter()
        for m, records, value in zip(items.m, items.records, values, strict=True):
            told[int(records), float(value)] += int(m)
        found.append(told)
    return found


@slow
@given(rows)
def test_classes_alike__have_the_figures_of_each_of_them(records: list[tuple[int, int]]) -> None:
    items = _items(records)
    alike = _alike(items)
    assert alike.totals.tolist() == items.totals.tolist()
    assert int(alike.m @ alike.records) == len(records)
    assert _told(alike) == _told(items)


@slow
@given(rows, st.lists(st.integers(-1, 2), min_size=5, max_size=5))
def test_items_merged__are_those_of_merged_values(records: list[tuple[int, int]], to: list[int]) -> None:
    items = _items(records)
    groups = np.array(to[: len(items.totals)], dtype=np.int64)
    merged, alike = items.merged(groups), _alike(items).merged(groups)
    literal = _items([(at, -1 if value < 0 else to[value]) for at, value in records])
    n = len(literal.totals)
    assert merged.totals[:n].tolist() == literal.totals.tolist()
    assert not merged.totals[n:].any()
    for name in ("of_class", "item", "n"):
        assert getattr(merged, name).tolist() == getattr(literal, name).tolist()
    assert _told(alike)[:2] == _told(merged)[:2]


@slow
@given(rows, rows)
def test_releases_as_one_table__are_each_beside_the_other(
    later: list[tuple[int, int]], earlier: list[tuple[int, int]]
) -> None:
    """An item is the class itself or one of its values, and the release."""
    sides = [np.array(each, dtype=np.int64).T for each in (later, earlier)]
    looked_up = beside(*(count_classes(of_class, {"v": value}) for of_class, value in sides))
    parts = [(of_class, np.full(len(of_class), side)) for side, (of_class, _) in enumerate(sides)]
    parts += [(c[v >= 0], 2 * (1 + v[v >= 0]) + side) for side, (c, v) in enumerate(sides)]
    of_class, item = (np.concatenate(each) for each in zip(*parts, strict=True))
    items = items_of_classes(classes_of_codes(of_class, ()), item)
    for counted in (items, _alike(items)):
        found = beside_of_items(counted, {"v": 5})
        assert (found.n, found.n_found) == (looked_up.n, looked_up.n_found)
        assert vars(overlap_of(found)) == vars(overlap_of(looked_up))
        for side in (0, 1):
            one, other = surplus(found, side), surplus(looked_up, side)
            assert (one.n, one.n_given_away) == (other.n, other.n_given_away)
            assert [one.groups.n_below(k) for k in range(6)] == [other.groups.n_below(k) for k in range(6)]
