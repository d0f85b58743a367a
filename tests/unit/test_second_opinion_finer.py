"""Columns that got finer than the log allows, and values told apart by how they are written."""

import unicodedata

import numpy as np
import pytest

from core.verdict import Verdict
from tests.second_opinion_examples import Columns, findings, finer_in, log_of

N = 120
RNG = np.random.default_rng(8)
WARDS = [str(ward) for ward in RNG.choice(["north", "south", "east"], N)]
AGES = [str(age) for age in RNG.integers(30, 60, N)]
ORIGINAL: Columns = {"age": AGES, "ward": WARDS, "day": [f"2024-0{1 + i % 9}-0{1 + i % 7}" for i in range(N)]}


def _found(check: str, ward: list[str], action: str = "generalize", smallest_k: int = 5) -> list[Verdict]:
    released = {"age": [f"{age[0]}0s" for age in AGES], "ward": ward}
    log = log_of(age=("age", "generalize"), ward=("other", action), day=("visit_date", "drop"))
    opinion = finer_in(ORIGINAL, released, log, smallest_k=smallest_k)
    return [one.verdict for one in findings(opinion, check)]


@pytest.mark.parametrize("action", ["generalize", "keep", "round", "swap", "top-code"])
def test_finer__values_nobody_shared_are_found_whatever_they_are(action: str) -> None:
    drawn = [f"{number:.4f}" for number in np.random.default_rng(1).normal(size=N)]
    assert _found("finer_values", drawn, action) == [Verdict.FAIL]


@pytest.mark.parametrize("action", ["pseudonymize", "noise", "synthetic"])
def test_finer__what_may_make_new_values_is_left_to_other_checks(action: str) -> None:
    drawn = [f"{number:.4f}" for number in np.random.default_rng(1).normal(size=N)]
    assert _found("finer_values", drawn, action) == []


def test_finer__bands_that_fit_each_place_and_hold_k_are_fine() -> None:
    ward = [f"{value}, {i // 20}" for i, value in enumerate(sorted(WARDS))]
    sizes = {value: ward.count(value) for value in ward}
    assert _found("finer_values", [v if sizes[v] >= 5 else "*" for v in ward]) == []


def _bits(value: str, i: int) -> str:
    return value + "".join("\u200b\u2060"[int(bit)] for bit in f"{i:07b}")


@pytest.mark.parametrize(
    "write",
    [
        lambda value, i: " " * (i % 11) + value + " " * (i // 11),
        _bits,
        lambda value, i: value + "\ufe00" * (i % 40) + " " * (i // 40),
        lambda value, i: "".join(
            c.upper() if i >> place & 1 else c for place, c in enumerate(value + "ward")
        ),
    ],
    ids=["spaces", "signs nobody sees", "variation selectors", "letter case"],
)
def test_spelling__tells_apart_what_is_one_value(write: object) -> None:
    assert callable(write)
    assert _found("finer_spelling", [write(value, i) for i, value in enumerate(WARDS)], "keep") == [
        Verdict.FAIL
    ]


def test_spelling__numbers_in_many_ways_and_few_ways() -> None:
    ward = [f"{3 + i % 2}." + "0" * (1 + i % 30) for i in range(N)]
    assert _found("finer_spelling", ward, "noise") == [Verdict.FAIL]
    ward = [(value, value.title(), f"{value} ")[i % 3] for i, value in enumerate(WARDS)]
    assert _found("finer_spelling", ward, "keep") == []
    names = [f"Žiga {i}" for i in range(N)]
    decomposed = [unicodedata.normalize("NFD", name) for name in names]
    assert _found("finer_spelling", decomposed, "synthetic") == []


@pytest.mark.parametrize(("n_alike", "verdicts"), [(6, [Verdict.FAIL]), (1, [])])
def test_spelling__is_seen_in_a_few_of_many_values(n_alike: int, verdicts: list[Verdict]) -> None:
    n = 30_000
    released = {"code": [f"c{i // n_alike}" + "\u200b" * (i % n_alike) for i in range(n)]}
    original = {"code": [str(i % 7) for i in range(n)]}
    opinion = finer_in(original, released, log_of(code=("other", "synthetic")), smallest_k=5)
    assert [one.verdict for one in findings(opinion, "finer_spelling")] == verdicts


def _kept(ward: list[str], before: list[str] | None = None, order: np.ndarray | None = None) -> list[Verdict]:
    original = {"age": AGES, "ward": before or WARDS}
    released = {"age": [f"{age[0]}0s" for age in AGES], "ward": ward}
    if order is not None:
        released = {name: [column[i] for i in order] for name, column in released.items()}
    log = log_of(age=("age", "generalize"), ward=("other", "keep"))
    return [one.verdict for one in findings(finer_in(original, released, log), "kept_values_split")]


SPLIT = {
    "letter case": lambda value, way: (value, value.upper(), value.title())[way],
    "spaces": lambda value, way: value + " " * way,
    "another letter that looks alike": lambda value, way: value.replace("o", "\u043e", way % 2).replace(
        "t", "\u0442", way // 2
    ),
    "zeros before it": lambda value, way: "0" * way + value,
    "a letter after it": lambda value, way: value + "-ab"[way],
}


@pytest.mark.parametrize("order", [None, RNG.permutation(N)], ids=["in order", "shuffled"])
@pytest.mark.parametrize("write", SPLIT.values(), ids=SPLIT)
def test_split__kept_values_that_became_several_are_a_warning_though_many_share_each(write, order) -> None:
    ward = [write(value, i % 3 if i % 2 else 0) for i, value in enumerate(WARDS)]
    assert _kept(ward, order=order) == [Verdict.WARN]


def test_split__of_the_originals_own_spellings_few_cells_or_noise_is_no_finding() -> None:
    dirty = [value.upper() if i % 3 else f"{value} " for i, value in enumerate(WARDS)]
    assert _kept(dirty, dirty) == []
    assert _kept([value.strip().lower() for value in dirty], dirty) == []
    assert _kept(["unknown" if i % 9 == 0 else value for i, value in enumerate(WARDS)]) == []
    assert _kept([str(float(age) + i % 5) for i, age in enumerate(AGES)], AGES) == []
