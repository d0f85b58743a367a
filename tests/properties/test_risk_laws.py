"""Disclosure risk: laws that hold for every table, and slow literal definitions."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attribute_disclosure import (
    basic_beta,
    delta_disclosure,
    enhanced_beta,
    hierarchical_t,
    largest_recursive_l,
)
from core.classes import EquivalenceClasses, items_of_classes
from core.risk import (
    ClassLimits,
    RiskMeasurement,
    RiskSettings,
    WhatIfSettings,
    judge_risk,
    measure_risk,
    measure_special_uniques,
    release,
    search_what_if,
)
from core.risk.columns import distinctness, singling_out_sets
from core.risk.population import population_uniques
from core.risk.population_estimates import risk_by_population_table, risk_given_population
from core.risk.records import Combinations, distinct_combinations
from core.risk.suda import every_set, measure_suda
from core.tables import Dataset, Reading, ReadOptions
from tests.thorough import tried

CELLS = st.sampled_from(["a", "b", "c", None])
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS, st.sampled_from(["x", "y", "z"])), min_size=1, max_size=30)
NAMES = ("q0", "q1", "q2", "s")
LAWS = tried(60)

Row = tuple[str | None, ...]


def dataset(rows: list[Row], names: tuple[str, ...] = NAMES) -> Dataset:
    columns = [pa.array([row[number] for row in rows], pa.string()) for number in range(len(names))]
    return Dataset(
        name="t",
        table=pa.table(dict(zip(names, columns, strict=True))),
        fingerprint="",
        sha256="",
        n_bytes=0,
        reading=Reading(format="CSV", options=ReadOptions()),
    )


def measured(
    rows: list[Row], quasi: tuple[str, ...] = ("q0", "q1", "q2"), **chosen: object
) -> RiskMeasurement:
    given = RiskSettings(quasi_identifiers=quasi, sensitive=("s",), leave_out=(), **chosen)
    return measure_risk(dataset(rows), settings=given)


def figures(found: RiskMeasurement) -> dict[str, object]:
    return {**judge_risk(found).figures, **found.sensitive[0].figures}


@LAWS
@given(rows=ROWS, times=st.integers(2, 4), random=st.randoms(use_true_random=False))
def test_figures__of_a_table_in_another_order_under_other_names_merged_or_repeated(
    rows: list[Row], times: int, random: object
) -> None:
    found = measured(rows)
    assert found.classes.class_sizes.sum() == found.entry.n_assessed
    assert found.entry.n_assessed + found.entry.n_fully_suppressed == len(rows)
    shuffled = rows.copy()
    random.shuffle(shuffled)
    assert figures(found) == pytest.approx(figures(measured(shuffled, quasi=("q2", "q0", "q1"))))
    names = {"a": "Ž", "b": "=1", "c": "a"}
    renamed = [(*(names.get(cell) if cell else cell for cell in row[:3]), row[3] * 2) for row in rows]
    assert figures(found) == pytest.approx(figures(measured(renamed)))
    merged = [("b" if row[0] == "a" else row[0], *row[1:]) for row in rows]
    assert (measured(merged).classes.k or 0) >= (found.classes.k or 0)
    often = measured(rows * times)
    assert (often.classes.k or 0) == times * (found.classes.k or 0)
    for key in ("alpha", "distinct_l", "entropy_l", "t", "basic_beta", "enhanced_beta", "delta_ln"):
        assert often.sensitive[0].figures[key] == pytest.approx(found.sensitive[0].figures[key]), key


@LAWS
@given(rows=ROWS)
def test_one_more_quasi_identifier__never_raises_k(rows: list[Row]) -> None:
    # A value of its own instead of a missing cell, so that the same records are assessed.
    filled = [tuple(cell or "?" for cell in row) for row in rows]
    fewer, more = measured(filled, quasi=("q0", "q1")), measured(filled)
    assert more.classes.k <= fewer.classes.k
    assert (more.classes.size_of_record <= fewer.classes.size_of_record).all()


@LAWS
@given(rows=ROWS)
def test_figures__stay_in_their_ranges(rows: list[Row]) -> None:
    found = measured(rows)
    if found.classes.k is None:
        return
    values = figures(found)
    assert 1 <= values["distinct_l"] <= found.classes.class_sizes.max()
    assert (found.sensitive[0].distinct_l <= found.classes.class_sizes).all()
    assert 1 <= values["entropy_l"] <= values["distinct_l"] + 1e-12
    assert 0 <= values["t"] <= 1
    assert 0 <= values["basic_beta"] <= values["enhanced_beta"]
    assert values["delta_ln"] <= values["delta_ln_absent"]
    assert 0 < values["prosecutor_average_risk"] <= values["prosecutor_highest_risk"] <= 1
    if found.classes.n_classes == 1:
        assert values["t"] == pytest.approx(0)


@LAWS
@given(rows=ROWS, missing=st.sampled_from(["value", "wildcard", "drop"]))
def test_class_size__equals_its_literal_definition(rows: list[Row], missing: str) -> None:
    assessed = rows if missing == "value" else [row for row in rows if any(row[:3])]
    assessed = [row for row in assessed if missing != "drop" or all(row[:3])]

    def alike(a: str | None, b: str | None) -> bool:
        return a == b or (missing == "wildcard" and (a is None or b is None))

    expected = [
        sum(all(alike(a, b) for a, b in zip(row[:3], other[:3], strict=True)) for other in assessed)
        for row in assessed
    ]
    found = measured(rows, missing=missing).classes
    assert found.size_of_record[found.class_of_record >= 0].tolist() == expected


@LAWS
@given(rows=ROWS, owners=st.lists(st.sampled_from(["p", "r", "u", None]), min_size=30, max_size=30))
def test_persons__are_counted_literally(rows: list[Row], owners: list[str | None]) -> None:
    with_owner = [(*row[:3], owner) for row, owner in zip(rows, owners, strict=False)]
    found = measure_risk(
        dataset(with_owner, ("q0", "q1", "q2", "who")),
        settings=RiskSettings(quasi_identifiers=("q0", "q1", "q2"), person="who"),
    ).classes
    for row, size in zip(with_owner, found.size_of_record.tolist(), strict=True):
        people = {other[3] for other in with_owner if other[:3] == row[:3]} - {None}
        assert size == max(len(people), 1)


# Classes and codes for the models with a literal definition in plain loops.
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=30)
GROUPS = [np.arange(6), np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1])]


def moved(p: list[float], q: list[float]) -> float:
    """The hierarchical distance as the paper writes it: from the leaves up, group by group."""
    extra = {(0, leaf): p[leaf] - q[leaf] for leaf in range(6)}
    parent = {(0, leaf): (1, int(GROUPS[1][leaf])) for leaf in range(6)}
    parent |= {(1, int(GROUPS[1][leaf])): (2, int(GROUPS[2][leaf])) for leaf in range(6)}
    parent |= {(2, group): (3, 0) for group in (0, 1)}
    cost = 0.0
    for height in (1, 2, 3):
        for node in {above for above in parent.values() if above[0] == height}:
            children = [extra[child] for child, above in parent.items() if above == node]
            gain = sum(each for each in children if each > 0)
            loss = -sum(each for each in children if each < 0)
            cost += height / 3 * min(gain, loss)
            extra[node] = sum(children)
    return cost


def literal(members: list[int], everybody: list[int]) -> dict[str, float]:
    p = [members.count(value) / len(members) for value in range(6)]
    q = [everybody.count(value) / len(everybody) for value in range(6)]
    gains = [(a - b) / b for a, b in zip(p, q, strict=True) if a > b]
    holds = all((a - b) / b <= -math.log(b) for a, b in zip(p, q, strict=True) if a > b)
    logs = [abs(math.log(a / b)) for a, b in zip(p, q, strict=True) if a > 0]
    absent = any(a == 0 and b > 0 for a, b in zip(p, q, strict=True))
    counts = sorted(Counter(members).values(), reverse=True)
    return {
        "basic": max(gains, default=0.0),
        "enhanced": max(gains, default=0.0) if holds else math.inf,
        "delta": max(logs),
        "delta_absent": math.inf if absent else max(logs),
        "recursive": max(
            (n for n in range(1, len(counts) + 1) if counts[0] < 2 * sum(counts[n - 1 :])), default=0
        ),
        "hierarchical": moved(p, q),
    }


@LAWS
@given(pairs=PAIRS)
def test_models__equal_their_literal_definition(pairs: list[tuple[int, int]]) -> None:
    of_record = np.unique([pair[0] for pair in pairs], return_inverse=True)[1].astype(np.int64)
    codes = np.array([pair[1] for pair in pairs], dtype=np.int64)
    classes = EquivalenceClasses(
        quasi_identifiers=(), class_of_record=of_record, class_sizes=np.bincount(of_record)
    )
    counts = items_of_classes(classes, codes)
    found = {
        "basic": basic_beta(counts),
        "enhanced": enhanced_beta(counts),
        "delta": delta_disclosure(counts),
        "delta_absent": delta_disclosure(counts, absent="infinite"),
        "recursive": largest_recursive_l(counts, c=2.0),
        "hierarchical": hierarchical_t(counts, levels=[groups[: len(counts.totals)] for groups in GROUPS]),
    }
    for number in range(classes.n_classes):
        expected = literal(codes[of_record == number].tolist(), codes.tolist())
        for name, values in found.items():
            assert values[number] == pytest.approx(expected[name], abs=1e-9), name


@LAWS
@given(rows=ROWS)
def test_sensitive_values_with_wildcards__are_those_of_compatible_records(rows: list[Row]) -> None:
    found = measured(rows, missing="wildcard")
    assessed = [row for row in rows if any(row[:3])]
    everybody = [row[3] for row in assessed]
    classes = found.classes.class_of_record[found.classes.class_of_record >= 0].tolist()
    for row, number in zip(assessed, classes, strict=True):
        group = [
            other[3]
            for other in assessed
            if all(a == b or a is None or b is None for a, b in zip(row[:3], other[:3], strict=True))
        ]
        distance = sum(
            abs(group.count(value) / len(group) - everybody.count(value) / len(everybody)) for value in "xyz"
        )
        assert found.sensitive[0].distinct_l[number] == len(set(group))
        assert found.sensitive[0].by_class.figures["t"][number] == pytest.approx(distance / 2, abs=1e-9)


@tried(25)
@given(rows=ROWS, k=st.integers(2, 5))
def test_released_table__always_reaches_k_and_l_when_counted_again(rows: list[Row], k: int) -> None:
    table = dataset(rows)
    found = measured(rows)
    if found.classes.k is None:
        return
    searched = search_what_if(
        found, table, settings=WhatIfSettings(ks=(k,), suppression_limit=0.5, limits=ClassLimits(l=2))
    )
    for option in range(len(searched.options)):
        made = release(searched, option, found, table)
        shown = made.measured
        assert (shown.classes.k or k) >= k
        if shown.classes.n_records and shown.sensitive[0].figures["distinct_l"] is not None:
            assert shown.sensitive[0].figures["distinct_l"] >= 2
        assert shown.entry.n_fully_suppressed >= made.n_suppressed


Records = list[tuple[int | str | None, ...]]


@st.composite
def tables(draw: st.DrawFn) -> Records:
    n_columns = draw(st.integers(1, 5))
    record = st.tuples(*[st.integers(0, 3)] * n_columns)
    return draw(st.lists(record, min_size=1, max_size=14))


def _collapsed(records: Records) -> Combinations:
    return distinct_combinations(
        {str(i): np.array(column) for i, column in enumerate(zip(*records, strict=True))}
    )


def _is_unique(records: Records, record: int, columns: tuple[int, ...]) -> bool:
    """Whether nobody else is like a record in columns; None is like everything."""

    def alike(other: int) -> bool:
        pairs = ((records[record][column], records[other][column]) for column in columns)
        return all(a == b or a is None or b is None for a, b in pairs)

    return not any(alike(other) for other in range(len(records)) if other != record)


def _literal_msus(records: Records, max_size: int) -> set[tuple[tuple[int, ...], int]]:
    found = set()
    for size in range(1, max_size + 1):
        for columns in combinations(range(len(records[0])), size):
            parts = [part for n in range(1, size) for part in combinations(columns, n)]
            for record in range(len(records)):
                if _is_unique(records, record, columns) and not any(
                    _is_unique(records, record, part) for part in parts
                ):
                    found.add((columns, record))
    return found


@tried(120)
@given(tables(), st.integers(1, 5))
def test_minimal_sample_uniques__equal_the_definition(records: Records, max_size: int) -> None:
    max_size = min(max_size, len(records[0]))
    table = _collapsed(records)
    record_of = {int(combination): i for i, combination in enumerate(table.combination_of_record)}
    found = {
        (columns, record_of[int(each)])
        for columns, unique, _ in every_set(table, max_size)
        for each in unique
    }
    assert found == _literal_msus(records, max_size)


@tried(40)
@given(st.sets(st.tuples(CELLS, CELLS, CELLS).filter(any), min_size=1, max_size=14))
def test_special_uniques__with_wildcards_are_whom_nobody_else_can_be(records: set[Row]) -> None:
    rows = sorted(records, key=str)
    data = dataset(rows, NAMES[:3])
    settings = RiskSettings(quasi_identifiers=NAMES[:3], missing="wildcard")
    suda = measure_special_uniques(measure_risk(data, settings=settings), data, max_size=3)
    assert suda is not None
    expected = _literal_msus(rows, 3)
    assert suda.n_by_size.tolist() == [sum(len(columns) == n for columns, _ in expected) for n in (1, 2, 3)]
    assert set(suda.scored_records.tolist()) == {record for _, record in expected}


@tried(60)
@given(tables())
def test_measure_suda__laws(records: Records) -> None:
    found = measure_suda(_collapsed(records), max_size=5, sampling_fraction=0.1)
    uniques = [_is_unique(records, i, tuple(range(len(records[0])))) for i in range(len(records))]
    assert (found.score_of_record > 0).tolist() == uniques  # searched to the end, every unique has one
    assert ((found.dis_of_record >= 0) & (found.dis_of_record <= 1)).all()
    assert (found.contribution_of_record <= 1 + 1e-12).all()
    doubled = measure_suda(_collapsed(records * 2), max_size=5, sampling_fraction=0.1)
    assert doubled.score_of_record.sum() == 0


@tried(60)
@given(tables(), st.integers(1, 32))
def test_measure_suda__stopped_keeps_the_sizes_searched_whole(records: Records, n_sets: int) -> None:
    table = _collapsed(records)
    part = measure_suda(table, max_size=5, sampling_fraction=None, stop=lambda done, _: done == n_sets)
    whole = measure_suda(table, max_size=max(part.max_size, 1), sampling_fraction=None)
    assert part.n_by_size.tolist() == whole.n_by_size.tolist()[: part.max_size]
    assert part.was_stopped == (part.max_size < len(records[0]))
    if part.max_size:
        assert part.score_of_record.tolist() == whole.score_of_record.tolist()


@tried(80)
@given(tables())
def test_distinctness__equals_counting(records: Records) -> None:
    columns = range(len(records[0]))
    found = distinctness(_collapsed(records), list(columns))
    counts = Counter(records)
    assert found.n_classes == len(counts)
    assert found.n_unique == sum(n == 1 for n in counts.values())
    assert found.n_pairs_separated == sum(a != b for a, b in combinations(records, 2))


@tried(80)
@given(tables(), st.sampled_from([0.0, 0.3, 0.5, 0.9]))
def test_singling_out_sets__equal_trying_all(records: Records, share: float) -> None:
    found = singling_out_sets(_collapsed(records), share=share)
    for size in range(1, len(records[0]) + 1):
        sets = {
            tuple(str(column) for column in columns)
            for columns in combinations(range(len(records[0])), size)
            if sum(_is_unique(records, i, columns) for i in range(len(records))) > share * len(records)
        }
        if sets:
            break
    assert {each.columns for each in found.sets} == sets
    greedy = singling_out_sets(_collapsed(records), share=share, max_cells=1)
    assert bool(greedy.sets) == bool(sets)
    assert all(each.n_unique > share * len(records) for each in greedy.sets)


sizes = st.lists(st.integers(1, 12), min_size=1, max_size=40).map(np.array)


@tried(60)
@given(sizes, st.integers(0, 3000))
def test_population_uniques__are_never_more_than_the_population(class_sizes: np.ndarray, more: int) -> None:
    population = int(class_sizes.sum()) + more
    found = population_uniques(class_sizes, population_size=population)
    for estimate in (found.zayatz, found.pitman, found.snb):
        assert (estimate.n_population_uniques is None) == bool(estimate.reason)
        assert 0 <= (estimate.n_population_uniques or 0) <= population * (1 + 1e-9)
    assert found.chosen.n_population_uniques is not None


@tried(60)
@given(sizes, st.integers(0, 500), st.randoms(use_true_random=False))
def test_population_uniques__do_not_depend_on_the_order(
    class_sizes: np.ndarray, more: int, random: object
) -> None:
    shuffled = class_sizes.tolist()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    population = int(class_sizes.sum()) + more
    first = population_uniques(class_sizes, population_size=population)
    assert population_uniques(np.array(shuffled), population_size=population) == first


@tried(80)
@given(st.data())
def test_risk_by_population_table__equals_counting(data: st.DataObject) -> None:
    values = st.sampled_from(["a", "b", "c"])
    population = data.draw(st.lists(st.tuples(values, values), min_size=1, max_size=30))
    drawn = data.draw(st.sets(st.integers(0, len(population) - 1), min_size=1))
    sample = [population[i] for i in sorted(drawn)]
    found = risk_by_population_table(_table(sample), _table(population), ["x", "y"])
    assert found.k_map == min(population.count(record) for record in sample)
    marketer = sum(1 / population.count(record) for record in sample) / len(sample)
    assert abs(found.marketer_risk - marketer) < 1e-12
    shares = [sample.count(record) / population.count(record) for record in population]
    assert found.delta_presence == (min(shares), max(shares))
    assert found.marketer_risk <= found.journalist_highest_risk + 1e-12


def _table(records: list[tuple[str, str]]) -> pa.Table:
    return pa.table({"x": [x for x, _ in records], "y": [y for _, y in records]})


@tried(80)
@given(st.integers(1, 500), st.floats(1, 1e6), st.floats(1, 10))
def test_risk_given_population__falls_as_the_population_grows(size: int, times: float, more: float) -> None:
    one = np.array([size])
    small, large = size * times, size * times * more
    risk = risk_given_population(one, np.array([small]))[0]
    assert risk_given_population(one, np.array([large]))[0] <= risk * (1 + 1e-9)
    assert 1 / small * (1 - 1e-9) <= risk <= 1 / size * (1 + 1e-9)  # Jensen: at least 1 / expected size
