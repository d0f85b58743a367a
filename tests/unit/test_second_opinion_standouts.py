"""Values that hardly anybody has, ages above 89, and rows that were forgotten."""

import numpy as np
import pytest

from core.tabular.second_opinion.standouts import densest_block
from core.verdict import Verdict
from tests.second_opinion_examples import Columns, findings, log_of, opinion_on, the_finding

N = 240
RNG = np.random.default_rng(4)
SEX = RNG.choice(["F", "M"], N).tolist()
WORK = [("clerk", "nurse", "driver")[i % 3] for i in range(N)]
LOG = log_of(sex=("gender", "keep"), work=("other", "keep"))


def _rare(work: list[str], **more: Columns) -> list[str]:
    columns = {"sex": SEX[: len(work)], "work": work, **more}
    return [finding.message for finding in findings(opinion_on(columns, columns, LOG), "rare_value")]


def test_rare__one_person_of_a_value_of_their_own_is_worth_a_warning() -> None:
    (message,) = _rare(["mayor", *WORK[1:]])
    assert message == (
        "1 value of `work` is of one or two people alone: 1 of 240, while the other values are "
        "usual. Who such a value is about, others may know: put it together with others."
    )


def test_rare__two_people_are_rare_where_there_are_many() -> None:
    assert "2 of 240" in _rare(["Q87.4", "Q87.4", *WORK[2:]])[0]
    assert _rare(["Q87.4", "Q87.4", *WORK[2:150]]) == []


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(WORK, id="all usual"),
        pytest.param(["other"] * 5 + WORK[5:], id="few, but not that few"),
        pytest.param(["mayor", *WORK[1:60]], id="a small table"),
        pytest.param([f"task {i}" for i in range(N)], id="a column of rare values"),
        pytest.param([f"code {i // 2}" if i < 60 else "x" for i in range(N)], id="a long tail"),
    ],
)
def test_rare__usual_values_small_tables_and_long_tails_raise_nothing(work: list[str]) -> None:
    assert _rare(work) == []


def test_rare__a_person_of_many_records_is_one_person() -> None:
    who = [f"P{i // 4}" for i in range(4 * N)]
    work = [WORK[i // 4] for i in range(4 * N)]
    work[:4] = ["mayor"] * 4
    tokens = [f"{hash_of(name):012x}" for name in who]
    log = log_of(patient_id=("patient_id", "pseudonymize"), work=("other", "keep"))
    opinion = opinion_on({"patient_id": who, "work": work}, {"patient_id": tokens, "work": work}, log)
    assert "1 of 240" in the_finding(opinion, "rare_value").message


def hash_of(text: str) -> int:
    """Return an arbitrary number for a text, the same in every run."""
    return int(np.random.default_rng(list(text.encode())).integers(2**47))


@pytest.mark.parametrize(
    ("ages", "n"),
    [
        (["93", "40-49"], 1),
        (["91", "104.0", "50"], 2),
        (["90", "90", "50"], None),
        (["90+", "80-89", "over 89"], None),
        (["89", "12"], None),
        (["1999", "1987"], None),
        (["999", "40"], None),
    ],
)
def test_old__ages_above_89_in_years_are_worth_a_warning(ages: list[str], n: int | None) -> None:
    columns = {"age": ages * 10, "sex": (["F", "M"] * 20)[: len(ages) * 10]}
    found = findings(opinion_on(columns, columns, log_of(age=("age", "keep"))), "age_above_89")
    assert [(one.verdict, one.n_affected) for one in found] == ([(Verdict.WARN, 10 * n)] if n else [])


# --- forgotten rows

DAYS = (np.datetime64("1950-01-01") + RNG.integers(0, 20_000, N)).astype(str).tolist()
AGES = RNG.integers(20, 80, N).astype(str).tolist()
BANDS = [f"{int(age) // 10 * 10}-{int(age) // 10 * 10 + 9}" for age in AGES]


def _forgotten(anonymized: list[str | None], original: list[str], *, dropped: int = 0) -> list[str]:
    released = {"x": anonymized[dropped:], "sex": SEX[dropped:]}
    opinion = opinion_on({"x": original, "sex": SEX}, released, log_of(x=("other", "generalize")))
    return [f"{one.verdict} {one.message}" for one in findings(opinion, "forgotten_rows")]


def test_forgotten__a_block_of_dates_left_in_full_fails() -> None:
    years: list[str | None] = [f"{day[:4]}-01-01" for day in DAYS]
    years[100:120] = DAYS[100:120]
    (found,) = _forgotten(years, DAYS)
    assert found.startswith("FAIL `x` holds originals in rows 101 to 120: 20 of 20 (100 %) cells there")


def test_forgotten__a_block_that_was_to_be_blank_fails() -> None:
    blank: list[str | None] = [None] * N
    blank[-8:] = DAYS[-8:]
    assert len(_forgotten(blank, DAYS)) == 1


def test_forgotten__a_block_of_coarse_values_is_worth_a_warning() -> None:
    ages = [str(20 + int(age) % 20) for age in AGES]
    bands: list[str | None] = [f"{age[0]}0-{age[0]}9" for age in ages]
    bands[30:90] = ages[30:90]
    assert _forgotten(bands, ages)[0].startswith("WARN `x` holds originals in rows 31 to 90: ")


def test_forgotten__a_block_is_seen_where_rows_were_deleted() -> None:
    years: list[str | None] = [f"{day[:4]}-01-01" for day in DAYS]
    years[100:120] = DAYS[100:120]
    assert "rows 91 to 110" in _forgotten(years, DAYS, dropped=10)[0]


def test_forgotten__what_its_own_rule_leaves_alone_is_not_forgotten() -> None:
    money = sorted(RNG.integers(100, 900, N).tolist())
    topped: list[str | None] = [str(min(one, 500)) for one in money]
    assert _forgotten(topped, [str(one) for one in money]) == []
    region = ["Celje"] * 60 + ["Kranj"] * 90 + ["Bled"] * 90
    regions: list[str | None] = ["Celje" if one == "Celje" else "Gorenjska" for one in region]
    assert _forgotten(regions, region) == []


def test_forgotten__cells_kept_here_and_there_are_no_block() -> None:
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
