"""Reordered tables that a column still sorts like the original, and what only looks so."""

from collections.abc import Callable

import numpy as np
import pytest

from core.verdict import Finding, Verdict
from tests.second_opinion_examples import findings, log_of, sorted_in

N = 120
RNG = np.random.default_rng(4)
NAMES = ["".join(RNG.choice(list("abcdefghijklmnop"), 9)).title() for _ in range(N)]
ORIGINAL = {
    "name": NAMES,
    "number": [f"{number:03d}-{number % 7}4" for number in RNG.permutation(3 * N)[:N]],
    "sex": RNG.choice(["f", "m"], N).tolist(),
    "town": RNG.choice(["Koper", "Celje", "Kranj"], N).tolist(),
}
LOG = log_of(
    name=("name", "pseudonymize"), number=("ssn", "drop"), sex=("gender", "keep"), town=("address", "keep")
)


def numbered(values: list[str]) -> list[str]:
    places = {value: place for place, value in enumerate(sorted(values))}
    return [f"S{places[value]:05d}" for value in values]


def in_order(pseudonyms: list[str], order: np.ndarray) -> list[Finding]:
    released = {"name": pseudonyms, "sex": ORIGINAL["sex"], "town": ORIGINAL["town"]}
    shuffled = {name: [column[i] for i in order] for name, column in released.items()}
    return findings(sorted_in(ORIGINAL, shuffled, LOG), "in_the_original_order")


SHUFFLED = np.random.default_rng(1).permutation(N)


@pytest.mark.parametrize("source", ["name", "number"])
@pytest.mark.parametrize(
    "turn", [lambda texts: texts, lambda texts: [f"{99_999 - int(t[1:])}" for t in texts]]
)
def test_sorting__finds_numbers_in_the_order_of_an_original(
    source: str, turn: Callable[[list[str]], list[str]]
) -> None:
    (finding,) = in_order(turn(numbered(ORIGINAL[source])), SHUFFLED)
    assert (finding.verdict, finding.column) == (Verdict.FAIL, "name")
    assert f"the original column `{source}`" in finding.message


@pytest.mark.parametrize("ending", ["{}", "a{}"], ids=["numbers behind names", "words"])
def test_sorting__finds_numbers_in_the_order_of_names_that_repeat(ending: str) -> None:
    rng = np.random.default_rng(3)
    names = [NAMES[i] + ending.format(i % 3) for i in rng.integers(0, N, N)]
    places = np.argsort(np.argsort(names, kind="stable"), kind="stable")
    original = {**ORIGINAL, "name": names}
    released = {
        "name": [f"S{place:05d}" for place in places],
        "sex": ORIGINAL["sex"],
        "town": ORIGINAL["town"],
    }
    shuffled = {name: [column[i] for i in SHUFFLED] for name, column in released.items()}
    (finding,) = findings(sorted_in(original, shuffled, LOG), "in_the_original_order")
    assert (finding.verdict, finding.column) == (Verdict.FAIL, "name")


def test_sorting__lets_dates_made_years_and_noise_pass() -> None:
    rng = np.random.default_rng(5)
    days = [str(np.datetime64("1940-01-01") + int(day)) for day in rng.integers(0, 20_000, N)]
    original = {"born": days, "sex": ORIGINAL["sex"], "town": ORIGINAL["town"]}
    released = {**original, "born": [f"{day[:4]}-01-01" for day in days]}
    shuffled = {name: [column[i] for i in SHUFFLED] for name, column in released.items()}
    log = log_of(born=("birthdate", "generalize"), sex=("gender", "keep"), town=("address", "keep"))
    assert findings(sorted_in(original, shuffled, log), "in_the_original_order") == []
    income = np.exp(RNG.normal(10, 0.5, N))
    original = {**ORIGINAL, "income": [f"{value:.2f}" for value in income]}
    noisy = [f"{value:.2f}" for value in income * RNG.normal(1, 0.3, N)]
    released = {"income": noisy, "sex": ORIGINAL["sex"], "town": ORIGINAL["town"]}
    shuffled = {name: [column[i] for i in SHUFFLED] for name, column in released.items()}
    log = log_of(income=("other", "noise"), name=("name", "drop"), number=("ssn", "drop"))
    assert findings(sorted_in(original, shuffled, log), "in_the_original_order") == []


def test_sorting__fails_rows_in_the_order_of_an_original_and_numbers_of_its_rows() -> None:
    tokens = [RNG.bytes(6).hex() for _ in range(N)]
    (finding,) = in_order(tokens, np.argsort(ORIGINAL["number"]))
    assert (finding.verdict, finding.column) == (Verdict.FAIL, None)
    assert "the rows of the file" in finding.message
    (finding,) = in_order([str(number) for number in range(N)], SHUFFLED)
    assert finding.verdict is Verdict.FAIL
    assert "the original's rows" in finding.message


def test_sorting__sees_repeated_values_by_how_often_they_occur() -> None:
    who = RNG.integers(0, 25, N)
    original = {"name": [NAMES[i] for i in who], "note": ["x", "y"] * (N // 2)}
    places = {name: f"K{i:03d}" for i, name in enumerate(sorted(set(original["name"])))}
    released = {"name": [places[original["name"][i]] for i in SHUFFLED], "note": ["x", "y"] * (N // 2)}
    log = log_of(name=("name", "pseudonymize"), note=("other", "keep"))
    opinion = sorted_in(original, {**released, "note": [original["note"][i] for i in SHUFFLED]}, log)
    (finding,) = findings(opinion, "in_the_original_order")
    assert finding.verdict is Verdict.FAIL
    assert "they occur as often" in finding.message


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", range(5))
def test_sorting__lets_random_pseudonyms_of_one_or_several_rows_pass(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tokens = [rng.bytes(6).hex() for _ in range(N)]
    assert in_order(tokens, rng.permutation(N)) == []
    assert in_order([str(number) for number in rng.permutation(N)], rng.permutation(N)) == []
    rng = np.random.default_rng(seed)
    who = rng.integers(0, 30, N)
    tokens = [rng.bytes(5).hex() for _ in range(30)]
    original = {"name": [NAMES[i] for i in who], "town": [ORIGINAL["town"][i] for i in who]}
    order = rng.permutation(N)
    released = {"name": [tokens[who[i]] for i in order], "town": [original["town"][i] for i in order]}
    opinion = sorted_in(original, released, log_of(name=("name", "pseudonymize"), town=("address", "keep")))
    assert findings(opinion, "in_the_original_order") == []


@pytest.mark.parametrize("seed", range(3))
def test_sorting__one_rare_value_that_meets_another_by_chance_is_no_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    order, ages = rng.permutation(N), rng.permutation(N)
    sex = list(ORIGINAL["sex"])
    sex[int(np.argsort(ages)[7])] = "x"  # the only one, in the eighth place by age
    released = [sex[i].replace("x", "f") for i in order]
    released[7] = "?"  # and another only one, in the eighth row
    original = {"age": ages.astype(str).tolist(), "sex": sex}
    log = log_of(age=("age", "drop"), sex=("gender", "keep"))
    assert findings(sorted_in(original, {"sex": released}, log), "in_the_original_order") == []


@pytest.mark.parametrize("is_sorted", [True, False])
def test_sorting__warns_of_rows_in_the_order_of_names_that_repeat_often(*, is_sorted: bool) -> None:
    rng = np.random.default_rng(6)
    who = rng.integers(0, 40, 6 * N)
    names = [NAMES[i] for i in who]
    sex = ["f" if NAMES[i] < "H" or i % 3 else "m" for i in who]
    town = rng.choice(["Koper", "Celje", "Kranj"], len(who)).tolist()
    original = {"name": names, "sex": sex, "town": town}
    order = sorted(range(len(who)), key=names.__getitem__) if is_sorted else rng.permutation(len(who))
    released = {"sex": [sex[i] for i in order], "town": [town[i] for i in order]}
    log = log_of(name=("name", "drop"), sex=("gender", "keep"), town=("address", "keep"))
    found = findings(sorted_in(original, released, log), "in_the_original_order")
    assert [one.verdict for one in found] == [Verdict.WARN] * is_sorted


@pytest.mark.parametrize(("by", "turned"), [("name", 1), ("name", -1), ("nothing", 1), ("town", 1)])
def test_sorting__warns_of_rows_in_the_order_of_names_on_which_nothing_hangs(by: str, turned: int) -> None:
    rng = np.random.default_rng(3)
    n = 5 * N
    names = [NAMES[at] for at in rng.integers(0, 40, n)]
    sex, town = (rng.choice(values, n).tolist() for values in ("f m".split(), "Koper Celje Kranj".split()))
    original = {"name": names, "sex": sex, "town": town}
    ties = rng.permutation(n).tolist()
    order = sorted(ties, key=original.get(by, ties).__getitem__)[::turned]
    released = {"sex": [sex[i] for i in order], "town": [town[i] for i in order]}
    log = log_of(name=("name", "drop"), sex=("gender", "keep"), town=("address", "keep"))
    found = findings(sorted_in(original, released, log), "in_the_original_order")
    assert [one.verdict for one in found] == [Verdict.WARN] * (by == "name")


@pytest.mark.parametrize("by", ["born", "town"])
def test_sorting__lets_rows_sorted_by_what_is_released_pass(by: str) -> None:
    rng = np.random.default_rng(7)
    n = 6 * N
    days = [str(np.datetime64("1950-01-01") + int(day)) for day in rng.integers(0, 20_000, n)]
    original = {"born": days, "town": rng.choice(["Koper", "Celje", "Kranj"], n).tolist()}
    original["sex"] = rng.choice(["f", "m"], n).tolist()
    released = {**original, "born": [f"{day[:4]}-01-01" for day in days]}
    order = sorted(rng.permutation(n).tolist(), key=released[by].__getitem__)
    log = log_of(born=("birthdate", "generalize"), sex=("gender", "keep"), town=("address", "keep"))
    shuffled = {name: [column[i] for i in order] for name, column in released.items()}
    assert findings(sorted_in(original, shuffled, log), "in_the_original_order") == []


@pytest.mark.parametrize("by", ["last word", "kept column"])
def test_sorting__sees_rows_in_the_order_of_surnames_behind_given_names(by: str) -> None:
    rng = np.random.default_rng(8)
    surnames = ["".join(rng.choice(list("abdeiknorst"), 6)).title() for _ in range(2 * N)]
    names = [
        f"{rng.choice(['Ana', 'Ivo', 'Maja', 'Rok'])} {surname}" for surname in rng.choice(surnames, 4 * N)
    ]
    sex, town = (
        rng.choice(values, len(names)).tolist() for values in ("f m".split(), "Koper Celje Kranj".split())
    )
    keys = [name.split()[1] for name in names] if by == "last word" else town
    order = sorted(rng.permutation(len(names)).tolist(), key=keys.__getitem__)
    released = {"sex": [sex[i] for i in order], "town": [town[i] for i in order]}
    log = log_of(name=("name", "drop"), sex=("gender", "keep"), town=("other", "keep"))
    found = findings(
        sorted_in({"name": names, "sex": sex, "town": town}, released, log), "in_the_original_order"
    )
    assert [one.verdict for one in found] == [Verdict.FAIL] * (by == "last word")
