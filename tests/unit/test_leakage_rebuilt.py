"""Values that original rows give back by a sum, and persons who are found by all their records."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from core.leakage.judging import audit_leakage
from core.tables import read_dataset
from core.verdict import Verdict

Rng = np.random.Generator
Tables = tuple[pd.DataFrame, pd.DataFrame]
N = 400


def verdicts(tables: Tables, *checks: str) -> dict[str, Verdict]:
    first, second = (
        read_dataset(table.to_csv(index=False).encode(), name=f"{name}.csv")
        for name, table in zip(("original", "scrambled"), tables, strict=True)
    )
    return {
        each.check: each.verdict for each in audit_leakage(first, second).findings if each.check in checks
    }


def marks(rng: Rng, n: int = N, k: int = 4) -> pd.DataFrame:
    return pd.DataFrame(rng.normal(60, 15, (n, k)).round(1), columns=[f"subject{at}" for at in range(k)])


def shuffled(table: pd.DataFrame, rng: Rng) -> pd.DataFrame:
    return pd.DataFrame({name: rng.permutation(table[name].to_numpy()) for name in table})


def mean_of_three(rng: Rng) -> Tables:
    table = marks(rng)
    mean = (table.shift(1, fill_value=0) + table + table.shift(-1, fill_value=0)) / 3
    return table, mean.round(3)


def mean_of_the_next(rng: Rng) -> Tables:
    table = marks(rng, k=2)
    return table, ((table.shift(-1, fill_value=50) + 2 * table.shift(-2, fill_value=50)) / 3).round(2)


def score_of_the_original(rng: Rng) -> Tables:
    table = pd.DataFrame(rng.integers(1, 6, (N, 8)), columns=[f"q{at}" for at in range(8)])
    scrambled = shuffled(table, rng)
    scrambled["score"] = (table.to_numpy() @ [1.13, 2.07, 0.91, 3.31, 1.77, 2.59, 0.53, 1.19]).round(2)
    return table, scrambled


@pytest.mark.parametrize("made", [mean_of_three, mean_of_the_next, score_of_the_original])
def test_rebuilt__sums_of_original_rows_fail(made: Callable[[Rng], Tables]) -> None:
    assert verdicts(made(np.random.default_rng(1)), "rebuilt") == {"rebuilt": Verdict.FAIL}


def score_of_the_scrambled(rng: Rng) -> Tables:
    table, scrambled = (marks(rng) for _ in range(2))
    return table, scrambled.assign(score=scrambled.sum(axis=1))


def sorted_alike(rng: Rng) -> Tables:
    first, second = (marks(rng).sort_values("subject0").reset_index(drop=True) for _ in range(2))
    return first, second


def means_of_fifty(rng: Rng) -> Tables:
    table = marks(rng, k=12)
    groups = (table.sum(axis=1).rank(method="first") - 1) // 50
    return table, table.groupby(groups).transform("mean").round(2)


@pytest.mark.parametrize("made", [score_of_the_scrambled, sorted_alike, means_of_fifty])
def test_rebuilt__what_the_scrambled_row_or_a_group_gives_is_none(
    made: Callable[[Rng], Tables],
) -> None:
    assert verdicts(made(np.random.default_rng(2)), "rebuilt") == {}


def of_persons(rng: Rng, n_persons: int, records: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the person of each record, and a pseudonym of it in each table."""
    person = np.repeat(np.arange(n_persons), records)
    names = [np.array([f"{mark}{at:03d}" for at in order]) for mark, order in (("p", np.arange(n_persons)),)]
    new = np.array([f"x{at:03d}" for at in rng.permutation(n_persons)])
    return person, names[0][person], new[person]


def shifted_visits(rng: Rng) -> Tables:
    person, name, new = of_persons(rng, 60, 7)
    days = rng.integers(0, 700, len(person))
    shift = rng.integers(-300, 300, 60)[person]
    first, second = (
        (pd.Timestamp("2022-01-01") + pd.to_timedelta(each, "D")).strftime("%Y-%m-%d")
        for each in (days, days + shift)
    )
    pulse = rng.integers(50, 110, len(person))
    original = pd.DataFrame({"patient": name, "visit": first, "pulse": pulse})
    scrambled = pd.DataFrame({"patient": new, "visit": second, "pulse": rng.permutation(pulse)})
    return original, scrambled.sort_values("patient")


def ages_of_households(rng: Rng) -> Tables:
    person, name, new = of_persons(rng, 120, 4)
    table = pd.DataFrame({"dom": name, "age": rng.integers(0, 95, len(person)), "id": person})
    inside = table.sample(frac=1, random_state=1).sort_values("id", kind="stable")["age"].to_numpy()
    sex = np.array(["F", "M"])[rng.integers(0, 2, len(person))]
    return table.assign(sex=sex).drop(columns="id"), pd.DataFrame(
        {"dom": new, "age": inside, "sex": rng.permutation(sex)}
    )


def meters_by_a_constant(rng: Rng) -> Tables:
    person, name, new = of_persons(rng, 50, 12)
    kwh = np.exp(rng.normal(5, 0.5, len(person))).round(1)
    rooms = rng.integers(1, 6, len(person))
    moved = (kwh + rng.uniform(500, 900, 50)[person]).round(1)
    later = rng.permutation(len(person))
    return pd.DataFrame({"meter": name, "kwh": kwh, "rooms": rooms}), pd.DataFrame(
        {"meter": new[later], "kwh": moved[later].round(1), "rooms": rng.permutation(rooms)}
    )


@pytest.mark.parametrize("made", [shifted_visits, ages_of_households, meters_by_a_constant])
def test_gaps__between_the_records_of_a_person_fail(made: Callable[[Rng], Tables]) -> None:
    assert verdicts(made(np.random.default_rng(3)), "signature_gaps") == {"signature_gaps": Verdict.FAIL}


@pytest.mark.parametrize("made", [shifted_visits, ages_of_households])
def test_gaps__of_records_dealt_out_anew_are_none(made: Callable[[Rng], Tables]) -> None:
    rng = np.random.default_rng(4)
    original, scrambled = made(rng)
    found = verdicts((original, shuffled(scrambled, rng)), "signature_gaps", "near_persons")
    assert found == {}


def noisy_persons(rng: Rng, n_persons: int, spread: float) -> Tables:
    person, name, new = of_persons(rng, n_persons, 40)
    own = rng.normal((168, 62, 30), (10, 8, 5), (n_persons, 3))
    original = pd.DataFrame(own.round(1)[person], columns=["height", "rest", "lung"])
    noise = rng.laplace(0, spread, (len(person), 3)) * (10, 8, 5)
    released = (own[person] + noise).round(1)
    scrambled = pd.DataFrame(released, columns=original.columns).assign(user=new)
    return original.assign(user=name), scrambled.sample(frac=1, random_state=1)


@pytest.mark.parametrize(("n_persons", "spread"), [(60, 0.4), (150, 0.3), (90, 0.5)])
def test_near_persons__noise_averages_out(n_persons: int, spread: float) -> None:
    tables = noisy_persons(np.random.default_rng(5), n_persons, spread)
    assert verdicts(tables, "near_persons") == {"near_persons": Verdict.FAIL}


@pytest.mark.parametrize("spread", [8.0, 20.0])
def test_near_persons__noise_that_is_large_enough_is_none(spread: float) -> None:
    assert verdicts(noisy_persons(np.random.default_rng(6), 60, spread), "near_persons") == {}


WORDS = "bolnik ima bolečine v kolenu po padcu doma predpisana terapija kontrola čez mesec".split()


def texts(rng: Rng, longest: int) -> list[str]:
    return [" ".join(rng.choice(WORDS, rng.integers(4, longest))) for _ in range(N)]


@pytest.mark.parametrize("mark", ["x", "*", "■"])
def test_lengths__of_the_words_of_masked_texts_fail(mark: str) -> None:
    rng = np.random.default_rng(7)
    original = pd.DataFrame({"note": texts(rng, 30), "plan": texts(rng, 20), "age": rng.integers(1, 90, N)})
    masked = original[["note", "plan"]].replace(r"\S", mark, regex=True)
    masked["age"] = rng.permutation(original["age"])
    found = verdicts((original, masked.sample(frac=1, random_state=2)), "signature_lengths")
    assert found == {"signature_lengths": Verdict.FAIL}


@pytest.mark.parametrize("is_anew", [True, False])
def test_lengths__of_texts_written_anew_or_shuffled_apart_are_none(is_anew: bool) -> None:
    rng = np.random.default_rng(8)
    original = pd.DataFrame({"note": texts(rng, 30), "plan": texts(rng, 20)})
    other = pd.DataFrame({"note": texts(rng, 30), "plan": texts(rng, 20)}) if is_anew else original
    masked = shuffled(other.replace(r"\S", "x", regex=True), rng)
    assert verdicts((original, masked), "signature_lengths") == {}


@pytest.mark.parametrize("n_towns", [20, 70])
def test_near_persons__towns_of_rows_that_were_shuffled_apart_are_none(n_towns: int) -> None:
    rng = np.random.default_rng(9)
    table = marks(rng, 900).assign(town=[f"t{at}" for at in rng.integers(0, n_towns, 900)])
    assert verdicts((table, shuffled(table, rng)), "near_persons", "signature_gaps") == {}
