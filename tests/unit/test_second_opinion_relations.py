"""Numbers that tell originals within groups, in pairs, as totals of few, or by who is blank where."""

import numpy as np
import pandas as pd
import pytest

from core.verdict import Verdict
from tests.second_opinion_examples import Columns, derived_in, log_of, relinked_in, sorted_in

N = 420
RNG = np.random.default_rng(11)
PEOPLE = pd.DataFrame(
    {
        "spol": RNG.choice(["ženski", "moški"], N),
        "regija": RNG.choice(["Kranj", "Celje", "Koper"], N),
        "dohodek": np.round(np.exp(RNG.normal(7.5, 0.4, N)), 2),
        "sistolični": np.round(RNG.normal(128, 16, N), 1),
        "obisk": [f"O-{number}" for number in np.arange(N) // 4],
    }
)
PAY, PRESSURE = PEOPLE["dohodek"], PEOPLE["sistolični"]
REGION, SEX, PERSON = (PEOPLE.groupby(name) for name in ("regija", "spol", "obisk"))
NOISE = RNG.normal(0, 300, N)
LOG = log_of(
    spol=("gender", "keep"),
    regija=("address", "keep"),
    dohodek=("other", "noise"),
    sistolični=("other", "noise"),
    obisk=("patient_id", "drop"),
)
TOKENS = [RNG.bytes(5).hex() for _ in range(N)]
EITHER_ORDER = pytest.mark.parametrize("reordered", [False, True])


def _columns(frame: pd.DataFrame) -> Columns:
    return {name: [str(cell) if cell != "" else None for cell in frame[name]] for name in frame}


def _found(added: pd.DataFrame, *, reordered: bool) -> dict[str, Verdict]:
    released = pd.concat([PEOPLE[["spol", "regija"]], added], axis=1)
    if reordered:
        released = released.sample(frac=1, random_state=5)
    tables = _columns(PEOPLE), _columns(released)
    found = [*derived_in(*tables, LOG).findings, *sorted_in(*tables, LOG).findings]
    return {one.check: one.verdict for one in found if one.verdict is not Verdict.PASS}


@EITHER_ORDER
@pytest.mark.parametrize(
    "made",
    [
        pytest.param((REGION["dohodek"].transform("sum") - PAY).round(2), id="sum of the others"),
        pytest.param((PAY - REGION["dohodek"].transform("mean")).round(1), id="away from the mean"),
        pytest.param(REGION["dohodek"].rank(method="first"), id="place in the region"),
        pytest.param((PAY / REGION["dohodek"].transform("sum")).round(7), id="share of the region"),
        pytest.param(PAY * PEOPLE["regija"].map({"Kranj": 2, "Celje": 0.7, "Koper": 1.3}), id="units"),
    ],
)
def test_relations__of_a_group_are_seen(made: pd.Series, reordered: bool) -> None:
    assert Verdict.FAIL in _found(pd.DataFrame({"x": made}), reordered=reordered).values()


def test_relations__of_a_running_total_are_seen() -> None:
    made = REGION["dohodek"].cumsum().round(2)
    assert _found(pd.DataFrame({"x": made}), reordered=False)["derived_in_groups"] is Verdict.FAIL


@EITHER_ORDER
@pytest.mark.parametrize(
    "made",
    [
        pytest.param({"x": PERSON["dohodek"].transform("sum").round(2)}, id="total of a person"),
        pytest.param(
            {
                "x": (PAY / PERSON["dohodek"].transform("max")).round(5),
                "who": np.repeat(TOKENS[::4], 4),
            },
            id="shares of the highest",
        ),
        pytest.param(
            {"x": (PAY - PERSON["dohodek"].transform("first")).round(2), "who": np.repeat(TOKENS[::4], 4)},
            id="changes from the first visit",
        ),
    ],
)
def test_relations__of_a_person_are_seen(made: dict[str, object], reordered: bool) -> None:
    assert _found(pd.DataFrame(made), reordered=reordered)["derived_in_groups"] is Verdict.FAIL


@EITHER_ORDER
@pytest.mark.parametrize(
    "made",
    [
        pytest.param(
            {"dohodek": (PAY + NOISE).round(1), "sistolični": (PRESSURE + NOISE).round(1)}, id="noise"
        ),
        pytest.param(
            {
                "dohodek": (PAY * np.exp(NOISE / 400)).round(2),
                "sistolični": (PRESSURE * np.exp(NOISE / 400)).round(2),
            },
            id="factor",
        ),
    ],
)
def test_relations__of_two_columns_with_the_same_noise_are_seen(
    made: dict[str, object], reordered: bool
) -> None:
    found = _found(pd.DataFrame(made), reordered=reordered)
    assert found.get("derived_together") in {Verdict.WARN, Verdict.FAIL}


def test_relations__of_distances_to_three_places_are_seen() -> None:
    places = pd.DataFrame({"lat": RNG.uniform(46, 46.6, N).round(4), "lon": RNG.uniform(14, 15, N).round(4)})
    towns = ((46.05, 14.5), (46.55, 15.64), (45.55, 13.73))
    away = [np.hypot(111.2 * (places["lat"] - a), 77.1 * (places["lon"] - b)).round(1) for a, b in towns]
    released = pd.DataFrame({f"d{at}": each for at, each in enumerate(away)})
    log = log_of(lat=("coordinates", "drop"), lon=("coordinates", "drop"))
    checks = {one.check for one in derived_in(_columns(places), _columns(released), log).findings}
    assert "derived_together" in checks


@EITHER_ORDER
@pytest.mark.parametrize(
    "made",
    [
        pytest.param(
            {"dohodek": (PAY + NOISE).round(1), "sistolični": (PRESSURE + RNG.normal(0, 9, N)).round(1)},
            id="noise of its own",
        ),
        pytest.param({"x": REGION["dohodek"].transform("mean").round(1)}, id="means of a region"),
        pytest.param({"x": RNG.normal(0, 1, N).round(3)}, id="drawn anew"),
        pytest.param({"x": pd.Series(RNG.random(N)).groupby(PEOPLE["regija"]).rank()}, id="numbered anew"),
        pytest.param(
            {"x": PERSON.cumcount() + 1, "who": np.repeat(TOKENS[::4], 4)}, id="number of the visit"
        ),
        pytest.param({"dohodek": PAY.rank(method="first").floordiv(60)}, id="coarse bands"),
    ],
)
def test_relations__let_proper_numbers_pass(made: dict[str, object], reordered: bool) -> None:
    released = pd.DataFrame(made, index=PEOPLE.index)
    found = _found(released, reordered=reordered)
    assert not {"derived_in_groups", "derived_together", "in_the_original_order"} & found.keys()


# --- who is blank where

BLANK = RNG.random((N, 8)) < 0.3


@EITHER_ORDER
@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        pytest.param(BLANK, BLANK, True, id="kept"),
        pytest.param(BLANK, RNG.permuted(BLANK, axis=0), False, id="blanks of other rows"),
        pytest.param(BLANK[:, :1], BLANK[:, :1], False, id="of one column"),
        pytest.param(BLANK & False, BLANK, False, id="new"),
    ],
)
def test_relinkage__by_who_is_blank_where(
    before: np.ndarray, after: np.ndarray, found: bool, reordered: bool
) -> None:
    tables = []
    for blank in (before, after):
        numbers = RNG.normal(50, 10, blank.shape).round(2)
        cells = {
            f"m{at}": np.where(blank[:, at], "", numbers[:, at].astype(str)) for at in range(blank.shape[1])
        }
        tables.append(pd.concat([PEOPLE[["spol", "regija"]], pd.DataFrame(cells)], axis=1))
    original, released = tables
    released = released.sample(frac=1, random_state=1) if reordered else released
    checks = {one.check: one.verdict for one in relinked_in(_columns(original), _columns(released)).findings}
    assert ("relinkage_by_blanks" in checks) is found
