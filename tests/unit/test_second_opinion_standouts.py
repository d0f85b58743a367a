"""Values that hardly anybody has, ages above 89, and rows that were forgotten."""

import numpy as np
import pytest

from core.tabular.second_opinion.rare_values import densest_block
from tests.second_opinion_examples import findings, log_of, opinion_on

N = 240
RNG = np.random.default_rng(4)
SEX = RNG.choice(["F", "M"], N).tolist()


# --- forgotten rows

DAYS = (np.datetime64("1950-01-01") + RNG.integers(0, 20_000, N)).astype(str).tolist()
AGES = RNG.integers(20, 80, N).astype(str).tolist()
BANDS = [f"{int(age) // 10 * 10}-{int(age) // 10 * 10 + 9}" for age in AGES]


def _forgotten(anonymized: list[str | None], original: list[str], *, dropped: int = 0) -> list[str]:
    released = {"x": anonymized[dropped:], "sex": SEX[dropped:]}
    opinion = opinion_on({"x": original, "sex": SEX}, released, log_of(x=("other", "generalize")))
    return [f"{one.verdict} {one.message}" for one in findings(opinion, "forgotten_rows")]


def test_forgotten__blocks_of_originals_are_found() -> None:
    years: list[str | None] = [f"{day[:4]}-01-01" for day in DAYS]
    years[100:120] = DAYS[100:120]
    (found,) = _forgotten(years, DAYS)
    assert found.startswith("FAIL `x` holds originals in rows 101 to 120: 20 of 20 (100 %) cells there")
    years: list[str | None] = [f"{day[:4]}-01-01" for day in DAYS]
    years[100:120] = DAYS[100:120]
    assert "rows 91 to 110" in _forgotten(years, DAYS, dropped=10)[0]
    blank: list[str | None] = [None] * N
    blank[-8:] = DAYS[-8:]
    assert len(_forgotten(blank, DAYS)) == 1
    ages = [str(20 + int(age) % 20) for age in AGES]
    bands: list[str | None] = [f"{age[0]}0-{age[0]}9" for age in ages]
    bands[30:90] = ages[30:90]
    assert _forgotten(bands, ages)[0].startswith("WARN `x` holds originals in rows 31 to 90: ")


def test_forgotten__what_its_own_rule_leaves_alone_and_cells_here_and_there_are_no_block() -> None:
    money = sorted(RNG.integers(100, 900, N).tolist())
    topped: list[str | None] = [str(min(one, 500)) for one in money]
    assert _forgotten(topped, [str(one) for one in money]) == []
    region = ["Celje"] * 60 + ["Kranj"] * 90 + ["Bled"] * 90
    regions: list[str | None] = ["Celje" if one == "Celje" else "Gorenjska" for one in region]
    assert _forgotten(regions, region) == []
    kept = RNG.random(N) < 0.4
    some: list[str | None] = [a if keep else b for a, b, keep in zip(AGES, BANDS, kept, strict=True)]
    assert _forgotten(some, AGES) == []
    assert densest_block(np.zeros(4, dtype=bool)) == (0, 0)


@pytest.mark.parametrize("is_of_one", [True, False])
def test_forgotten__rows_of_one_person_are_one_chance(*, is_of_one: bool) -> None:
    rng, n = np.random.default_rng(7), 1200
    who = [f"P{i // 6:03d}" for i in range(n)] if is_of_one else [f"P{i:04d}" for i in range(n)]
    town = [("Bled", "Celje", "Kranj")[i] for i in np.repeat(rng.integers(0, 3, n // 6), 6)]
    left = np.isin(np.arange(n) // 6, [5, 40, 90, 91, 150])  # of 200 persons, two beside each other
    tokens = {one: f"t{place:05d}" for place, one in enumerate(rng.permutation(sorted(set(who))))}
    released = {
        "who": [tokens[one] for one in who],
        "town": [one if keep else None for one, keep in zip(town, left, strict=True)],
    }
    log = log_of(who=("patient_id", "pseudonymize"), town=("address", "suppress"))
    found = findings(opinion_on({"who": who, "town": town}, released, log), "forgotten_rows")
    assert bool(found) is not is_of_one
