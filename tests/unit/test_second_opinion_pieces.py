"""Pieces of identifiers, days of the year, and numbers worked out from several columns."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest

from core.verdict import Finding, Verdict
from tests.second_opinion_examples import Columns, hidden_in, log_of

N = 400
RNG = np.random.default_rng(11)
SYLLABLES = ("ka", "lo", "mi", "tre", "bo", "ven", "sar", "di", "nu", "pel", "go", "rit")

OTHERS = ("xe", "wy", "zu", "que", "fla", "jor", "hen", "chi", "phu", "sto", "kri", "bru")
HIDDEN = ("derived_", "disguise_", "original_values_inside", "in_the_original_order")


def _named(syllables: Sequence[str], n: int) -> list[str]:
    return ["".join(RNG.choice(syllables, n)).title() for _ in range(N)]


BORN = np.datetime64("1950-01-01") + RNG.integers(0, 20_000, N)
HEIGHT, WEIGHT = RNG.normal(172, 9, N).round(), RNG.normal(78, 13, N).round(1)
ORIGINAL: Columns = {
    "card": [f"{number:09d}" for number in RNG.choice(10**9, N, replace=False)],
    "first name": _named(OTHERS, 2),
    "surname": _named(SYLLABLES, 3),
    "birth": BORN.astype(str).tolist(),
    "height": [f"{value:.0f}" for value in HEIGHT],
    "weight": [f"{value:.1f}" for value in WEIGHT],
    "group": RNG.choice(["x", "y", "z"], N).tolist(),
}
ACTIONS = {
    "card": ("patient_id", "pseudonymize"),
    **dict.fromkeys(("first name", "surname"), ("name", "drop")),
    "birth": ("birthdate", "drop"),
    **dict.fromkeys(("height", "weight"), ("other", "drop")),
    "group": ("other", "keep"),
}


def _found(added: Columns, *, reordered: bool) -> list[Finding]:
    """Return what speaks against a table that keeps the groups and has columns added."""
    released = {"group": ORIGINAL["group"], **added}
    if reordered:
        order = np.random.default_rng(5).permutation(N)
        released = {name: [values[i] for i in order] for name, values in released.items()}
    log = log_of(**{name: ACTIONS.get(name, ("other", "keep")) for name in {*ORIGINAL, *added}})
    return [one for one in hidden_in(ORIGINAL, released, log).findings if one.verdict is not Verdict.PASS]


def _checks(added: Columns, *, reordered: bool) -> set[str]:
    return {one.check for one in _found(added, reordered=reordered)}


def _drawn(length: int) -> list[str]:
    rng = np.random.default_rng(2)
    return [f"{number:0{length}d}" for number in rng.choice(10**length, N, replace=False)]


def _before(pieces: Sequence[str], drawn: Sequence[str]) -> list[str]:
    return [f"{piece}{rest}" for piece, rest in zip(pieces, drawn, strict=True)]


EITHER_ORDER = pytest.mark.parametrize("reordered", [False, True])


@pytest.mark.one_of(16)
@EITHER_ORDER
@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([value[-4:] for value in ORIGINAL["card"]], id="last four digits"),
        pytest.param([value[:5] for value in ORIGINAL["card"]], id="first five digits"),
        pytest.param([value[:4] for value in ORIGINAL["surname"]], id="first letters"),
        pytest.param(
            [a[0] + b[0] for a, b in zip(ORIGINAL["first name"], ORIGINAL["surname"], strict=True)],
            id="initials",
        ),
    ],
)
@pytest.mark.parametrize("name", ["card", "no"])
def test_pieces__are_seen_in_pseudonyms_and_in_columns_added(
    pieces: list[str], name: str, reordered: bool
) -> None:
    checks = _checks({name: _before(pieces, _drawn(6))}, reordered=reordered)
    assert any(check.startswith(HIDDEN) for check in checks)
    assert "derived_piece" in checks or len(pieces[0]) > 4 or pieces[0].isalpha()  # others tell so too


@pytest.mark.one_of(4)
@EITHER_ORDER
@pytest.mark.parametrize(
    "values",
    [
        pytest.param(_drawn(6), id="digits"),
        pytest.param(_drawn(9), id="as many digits as the original's"),
        pytest.param(_before([value[0] for value in ORIGINAL["surname"]], _drawn(6)), id="one first letter"),
        pytest.param(
            _before([ORIGINAL["surname"][i][:4] for i in RNG.integers(0, N, N)], _drawn(6)),
            id="first letters drawn anew",
        ),
        pytest.param([f"{place:06d}" for place in RNG.permutation(N) + 1], id="counted up"),
    ],
)
def test_pieces__of_random_pseudonyms_there_are_none(values: list[str], reordered: bool) -> None:
    assert not any(check.startswith(HIDDEN) for check in _checks({"card": values}, reordered=reordered))


def test_pieces__a_year_of_birth_is_no_piece_of_the_number_that_holds_it() -> None:
    days = ORIGINAL["birth"]
    numbers = [f"{day[8:]}{day[5:7]}{day[1:4]}{rest}" for day, rest in zip(days, _drawn(4), strict=True)]
    released = {"group": ORIGINAL["group"], "year": [day[:4] for day in days]}
    found = hidden_in({**ORIGINAL, "card": numbers}, released, log_of(**ACTIONS, year=("other", "keep")))
    assert "derived_piece" not in {one.check for one in found.findings}


@pytest.mark.one_of(3)
@EITHER_ORDER
@pytest.mark.parametrize("form", ["%j", "%m%d", "%d%m"])
def test_days__of_the_year_of_birth_are_seen(form: str, reordered: bool) -> None:
    days = [day.strftime(form) for day in BORN.tolist()]
    assert any(check.startswith(HIDDEN) for check in _checks({"d": days}, reordered=reordered))
    drawn = [day.strftime(form) for day in (BORN + RNG.integers(-200, 200, N)).tolist()]
    assert not _checks({"d": drawn}, reordered=reordered) & {"derived_days", "derived_parts"}


@EITHER_ORDER
def test_days__month_and_day_in_two_columns_are_seen(reordered: bool) -> None:
    days = {"m": [f"{day.month}" for day in BORN.tolist()], "d": [f"{day.day}" for day in BORN.tolist()]}
    assert _checks(days, reordered=reordered) & {"derived_days", "derived_parts"}
    assert not _checks({"m": days["m"]}, reordered=reordered) & {"derived_days", "derived_parts"}


@pytest.mark.one_of(6)
@EITHER_ORDER
@pytest.mark.parametrize(
    "made",
    [
        pytest.param(WEIGHT / (HEIGHT / 100) ** 2, id="body-mass index"),
        pytest.param(WEIGHT + HEIGHT, id="sum"),
        pytest.param(WEIGHT / HEIGHT, id="ratio"),
    ],
)
def test_combined__of_two_columns_is_seen(made: np.ndarray, reordered: bool) -> None:
    worked_out = {"derived_combined", "derived_together"}
    assert worked_out & _checks({"x": [f"{value:.3f}" for value in made]}, reordered=reordered)
    drawn = RNG.normal(made.mean(), made.std(), N)
    assert not worked_out & _checks({"x": [f"{value:.3f}" for value in drawn]}, reordered=reordered)


@pytest.mark.slow
def test_combined__a_rotation_of_several_columns_is_seen_row_by_row() -> None:
    born = BORN.astype(float)
    turned = 0.6 * (WEIGHT - 78) / 13 - 0.5 * (HEIGHT - 172) / 9 + 0.4 * (born - born.mean()) / born.std()
    assert "derived_together" in _checks({"pc1": [f"{value:.4f}" for value in turned]}, reordered=False)
    noise = turned + RNG.normal(0, 0.1, N)
    assert "derived_together" not in _checks({"pc1": [f"{value:.4f}" for value in noise]}, reordered=False)


@pytest.mark.slow
def test_sorting__pseudonyms_in_the_order_of_repeated_names_and_no_length_of_a_stay() -> None:
    names = np.random.default_rng(1).choice(["Kos", "Novak", "Zupan", *ORIGINAL["surname"][:27]], N)
    original = {**ORIGINAL, "surname": names.tolist()}
    places = np.argsort(np.argsort(names, kind="stable"), kind="stable")
    order = np.random.default_rng(5).permutation(N)
    for values, is_found in ((places, True), (np.random.default_rng(6).permutation(N), False)):
        released = {
            "card": [f"S{values[i]:05d}" for i in order],
            "group": [ORIGINAL["group"][i] for i in order],
        }
        checks = {one.check for one in hidden_in(original, released, log_of(**ACTIONS)).findings}
        assert ("in_the_original_order" in checks) is is_found
    came = np.datetime64("2024-01-01") + RNG.integers(0, 700, N)
    went = came + RNG.integers(1, 20, N)
    original = {**ORIGINAL, "came": came.astype(str).tolist(), "went": went.astype(str).tolist()}
    order = np.random.default_rng(5).permutation(N)
    released = {
        "group": [ORIGINAL["group"][i] for i in order],
        "stay": [str((went - came)[i].astype(int)) for i in order],
    }
    log = log_of(**ACTIONS, came=("visit_date", "drop"), went=("visit_date", "drop"), stay=("other", "keep"))
    assert "in_the_original_order" not in {one.check for one in hidden_in(original, released, log).findings}


@EITHER_ORDER
@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_computed__sees_names_and_dates_joined_however_the_date_is_written(
    algorithm: str, reordered: bool
) -> None:
    day_first = {**ORIGINAL, "birth": [f"{day.day}. {day.month}. {day.year}" for day in BORN.tolist()]}
    digests = [
        hashlib.new(algorithm, f"{first}|{last}|{day}".lower().encode()).hexdigest()
        for first, last, day in zip(
            *(ORIGINAL[name] for name in ("first name", "surname", "birth")), strict=True
        )
    ]
    order = np.random.default_rng(5).permutation(N) if reordered else np.arange(N)
    released = {"card": [digests[i] for i in order], "group": [ORIGINAL["group"][i] for i in order]}
    found = hidden_in(day_first, released, log_of(**ACTIONS)).findings
    assert ("disguise_hash", Verdict.FAIL) in {(one.check, one.verdict) for one in found}


@EITHER_ORDER
def test_elsewhere__one_long_number_in_one_cell_is_enough(reordered: bool) -> None:
    values = list(ORIGINAL["group"])
    values[7] = f"{values[7]} {ORIGINAL['card'][7]}"
    found = _found({"note": values}, reordered=reordered)
    assert ("original_values_inside", Verdict.FAIL) in {(one.check, one.verdict) for one in found}
    values[7] = "x 120456"  # six digits of which some number may be by chance
    assert "original_values_inside" not in _checks({"note": values}, reordered=reordered)


def test_derivations__a_column_that_a_weak_finding_explains_is_still_looked_at() -> None:
    pounds = [f"{value * 2.2046:.1f}" for value in WEIGHT]
    log = log_of(**{**ACTIONS, "weight": ("other", "keep")})
    released = {"group": ORIGINAL["group"], "weight": pounds}
    found = hidden_in(ORIGINAL, released, log, highly_distinct_share=0.99).findings
    assert any(one.check.startswith(HIDDEN) for one in found if one.verdict is not Verdict.PASS)
