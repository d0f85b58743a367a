"""Disclosure risk: laws that hold for every table, and slow literal definitions."""

import math
from collections import Counter

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
    sensitive_counts,
)
from core.equivalence import EquivalenceClasses
from core.risk import (
    ClassLimits,
    RiskMeasurement,
    RiskSettings,
    WhatIfSettings,
    judge_risk,
    measure_risk,
    release,
    search_what_if,
)
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
@given(rows=ROWS, random=st.randoms(use_true_random=False))
def test_order_of_records_and_columns__does_not_matter(rows: list[Row], random: object) -> None:
    shuffled = rows.copy()
    random.shuffle(shuffled)
    assert figures(measured(rows)) == pytest.approx(figures(measured(shuffled, quasi=("q2", "q0", "q1"))))


@LAWS
@given(rows=ROWS)
def test_renaming_values_one_to_one__does_not_matter(rows: list[Row]) -> None:
    names = {"a": "Ž", "b": "=1", "c": "a"}
    renamed = [(*(names.get(cell) if cell else cell for cell in row[:3]), row[3] * 2) for row in rows]
    assert figures(measured(rows)) == pytest.approx(figures(measured(renamed)))


@LAWS
@given(rows=ROWS)
def test_class_sizes__sum_to_the_records_assessed(rows: list[Row]) -> None:
    found = measured(rows)
    assert found.classes.class_sizes.sum() == found.entry.n_assessed
    assert found.entry.n_assessed + found.entry.n_fully_suppressed == len(rows)


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
def test_merging_two_values__never_lowers_k(rows: list[Row]) -> None:
    merged = [("b" if row[0] == "a" else row[0], *row[1:]) for row in rows]
    k, k_merged = measured(rows).classes.k, measured(merged).classes.k
    assert (k_merged or 0) >= (k or 0)


@LAWS
@given(rows=ROWS, times=st.integers(2, 4))
def test_repeating_a_table__multiplies_k_and_keeps_shares(rows: list[Row], times: int) -> None:
    once, often = measured(rows), measured(rows * times)
    assert (often.classes.k or 0) == times * (once.classes.k or 0)
    for key in ("alpha", "distinct_l", "entropy_l", "t", "basic_beta", "enhanced_beta", "delta_ln"):
        assert often.sensitive[0].figures[key] == pytest.approx(once.sensitive[0].figures[key]), key


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
    assessed = [row for row in rows if any(row[:3]) and (missing != "drop" or all(row[:3]))]

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
        assert size == (max(len(people), 1) if any(row[:3]) else 0)


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
    counts = sensitive_counts(classes, codes)
    found = {
        "basic": basic_beta(counts),
        "enhanced": enhanced_beta(counts),
        "delta": delta_disclosure(counts),
        "delta_absent": delta_disclosure(counts, absent="infinite"),
        "recursive": largest_recursive_l(counts, c=2.0),
        "hierarchical": hierarchical_t(counts, levels=[groups[: counts.n_values] for groups in GROUPS]),
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
        assert found.sensitive[0].by_class.t[number] == pytest.approx(distance / 2, abs=1e-9)


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
