"""Attribute disclosure equals its slow literal definition, and its figures stay in their ranges."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.attribute_disclosure import (
    alpha,
    distinct_l,
    entropy_l,
    recursive_c,
    sensitive_counts,
    t_closeness,
)
from core.equivalence import EquivalenceClasses
from tests.thorough import tried

RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=40)


def classes_of(records: list[tuple[int, int]]) -> EquivalenceClasses:
    of_record = np.unique([each[0] for each in records], return_inverse=True)[1].astype(np.int64)
    return EquivalenceClasses(
        quasi_identifiers=(), class_of_record=of_record, class_sizes=np.bincount(of_record)
    )


def literal(members: list[int], everybody: list[int], n_values: int) -> dict[str, float]:
    """One class by the books: plain loops over its sensitive values."""
    frequent = sorted(Counter(members).values(), reverse=True)
    p = [members.count(v) / len(members) for v in range(n_values)]
    q = [everybody.count(v) / len(everybody) for v in range(n_values)]
    steps = [abs(sum(p[: v + 1]) - sum(q[: v + 1])) for v in range(n_values)]
    tail = sum(frequent[1:])
    return {
        "distinct": len(frequent),
        "entropy": math.exp(-sum(s * math.log(s) for s in p if s > 0)),
        "c2": frequent[0] / tail if tail else math.inf,
        "alpha": frequent[0] / len(members),
        "equal": sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2,
        "ordered": sum(steps) / (n_values - 1) if n_values > 1 else 0.0,
    }


@tried(80)
@given(records=RECORDS)
def test_every_model__equals_its_literal_definition(records: list[tuple[int, int]]) -> None:
    codes = np.array([each[1] for each in records], dtype=np.int64)
    classes = classes_of(records)
    counts = sensitive_counts(classes, codes)
    found = {
        "distinct": distinct_l(counts),
        "entropy": entropy_l(counts),
        "c2": recursive_c(counts, l=2),
        "alpha": alpha(counts),
        "equal": t_closeness(counts),
        "ordered": t_closeness(counts, distance="ordered"),
    }
    for number in range(classes.n_classes):
        members = codes[classes.class_of_record == number].tolist()
        expected = literal(members, codes.tolist(), int(codes.max()) + 1)
        for name, values in found.items():
            assert values[number] == pytest.approx(expected[name], abs=1e-12), name


@tried(40)
@given(records=RECORDS)
def test_figures__stay_in_their_ranges(records: list[tuple[int, int]]) -> None:
    counts = sensitive_counts(classes_of(records), np.array([each[1] for each in records]))
    assert (entropy_l(counts) >= 1).all()
    assert (entropy_l(counts) <= distinct_l(counts)).all()
    assert (distinct_l(counts) <= counts.class_totals).all()
    for distance in ("equal", "ordered"):
        t = t_closeness(counts, distance=distance)
        assert (t >= 0).all()
        assert (t <= 1).all()
        if counts.n_classes == 1:
            assert t[0] == pytest.approx(0, abs=1e-12)
