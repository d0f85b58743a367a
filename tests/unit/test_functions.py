"""Released columns that are functions of what the original says of who somebody is count in k."""

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from core.tables import read_dataset
from core.tabular import audit_tabular
from core.tabular.charts import class_drawing
from core.tabular.evidence import evidence_of
from core.tabular.log import read_log
from core.tabular.second_opinion.opinion import SecondOpinion, judge_second_opinion, measure_second_opinion
from core.verdict import Verdict
from tests.second_opinion_examples import dataset, log_of

N = 600
TOWNS = "Hagen Bremen Ulm Kiel Mainz Trier Jena Gera Celle Fulda Passau Worms".split()
Made = tuple[pd.DataFrame, pd.DataFrame, dict[str, tuple[str, str]]]


def people(seed: int = 0) -> Made:
    """Return an original, a proper release of sex and a diagnosis, and its log."""
    rng = np.random.default_rng(seed)
    days = np.datetime64("1950-01-01") + rng.integers(0, 19_000, N)
    original = pd.DataFrame(
        {
            "Nummer": [f"P{number}" for number in rng.permutation(10**5)[:N]],
            "geboren": pd.Series(days).dt.strftime("%d.%m.%Y"),
            "Geschlecht": rng.choice(["m", "w"], N),
            "Ort": rng.choice(TOWNS, N),
            "Befund": rng.choice(["A", "B", "C", "D"], N),
        }
    )
    log = {"Nummer": ("patient_id", "pseudonymize"), "geboren": ("birthdate", "drop")}
    log |= {"Geschlecht": ("gender", "keep"), "Ort": ("address", "drop"), "Befund": ("other", "keep")}
    tokens = [rng.bytes(8).hex() for _ in range(N)]
    return original, original[["Geschlecht", "Befund"]].assign(Nummer=tokens), log


def with_column(name: str, values: object, semantic: str = "other", action: str = "keep") -> Made:
    """Return the people with one released column more."""
    original, released, log = people()
    return original, released.assign(**{name: values}), {**log, name: (semantic, action)}


def born() -> pd.Series:
    """Return the days of birth."""
    return pd.to_datetime(people()[0]["geboren"], format="%d.%m.%Y")


def towns_as(made: Mapping[str, object]) -> pd.Series:
    """Return something in the place of each town."""
    return people()[0]["Ort"].map(made)


def opinion_on(
    original: pd.DataFrame, released: pd.DataFrame, log: dict[str, tuple[str, str]]
) -> SecondOpinion:
    entries = {name: {"semantic": said, "action": done} for name, (said, done) in log.items()}
    measured = measure_second_opinion(
        read_dataset(original.to_csv(index=False).encode(), name="x.csv"),
        read_dataset(released.to_csv(index=False).encode(), name="x_anonymized.csv"),
        read_log(json.dumps({"log_info": entries}).encode(), name="x_anonymized_log.json"),
    )
    return judge_second_opinion(measured)


SIZES = dict(zip(TOWNS, (912, 318, 407, 1530, 222, 650, 711, 189, 503, 2011, 845, 377), strict=True))
TEACHERS = {town: f"T{town[:2]}" for town in TOWNS}
KNOWN = {
    "year of birth, in the rule's words": ("geboren", lambda: born().dt.year, "birthdate", "date_floor_year"),
    "age under another name": ("x1", lambda: 2026 - born().dt.year, "other", "keep"),
    "stratum": (
        "x2",
        lambda: people()[0]["Ort"].str[:2] + (born().dt.year // 20).astype(str),
        "other",
        "keep",
    ),
    "size of the town": ("x3", lambda: towns_as(SIZES), "other", "keep"),
    "teacher of the town and the year": (
        "x4",
        lambda: towns_as(TEACHERS) + (born().dt.year % 4).astype(str),
        "",
        "",
    ),
}


IN_ROWS_ALONE = {"teacher of the town and the year", "birth dates shuffled"}


def in_both_orders(names: Mapping[str, object]) -> list[tuple[str, bool]]:
    """Return each case in order and, where that can be seen, reordered."""
    return [
        (name, moved) for name in names for moved in (False, True) if not (moved and name in IN_ROWS_ALONE)
    ]


@pytest.mark.parametrize(("name", "reordered"), in_both_orders(KNOWN))
def test_function_of_what_others_know__counts_in_k(name: str, reordered: bool) -> None:
    column, values, semantic, action = KNOWN[name]
    original, released, log = with_column(column, values(), semantic, action)
    if reordered:
        released = released.sample(frac=1, random_state=1)
    seen = {finding.check: finding for finding in opinion_on(original, released, log).findings}
    assert seen["counts_as_quasi_identifier"].column == column
    assert f"`{column}`" in str(seen["smallest_class"].message)


def test_renamed_category__is_looked_at() -> None:
    original, released, log = people()
    log = {**log, "Ort": ("other", "pseudonymize"), "Jahr": ("age", "keep")}
    codes = {town: f"E{number}" for number, town in enumerate(reversed(TOWNS))}
    released = released.assign(Ort=original["Ort"].map(codes), Jahr=born().dt.year // 10)
    original = original.assign(Jahr=released["Jahr"])
    found = {finding.check: finding.verdict for finding in opinion_on(original, released, log).findings}
    assert found["looks_like_quasi_identifier"] is Verdict.WARN


def correlated() -> Made:
    """Return a diagnosis that a third of a town share."""
    original, released, log = people()
    rng = np.random.default_rng(1)
    of_town = original["Ort"].map(dict(zip(TOWNS, "ABCD" * 3, strict=True)))
    original["Befund"] = released["Befund"] = original["Befund"].where(rng.random(N) > 0.35, of_town)
    return original, released, log


NOT_KNOWN = {
    "nothing added": people,
    "correlated diagnosis": correlated,
    "bands of the diagnosis": lambda: with_column(
        "Befund", people()[0]["Befund"].map(dict(zip("ABCD", "1122", strict=True)))
    ),
    "ward": lambda: with_column("x5", np.random.default_rng(3).choice(["p", "q", "r"], N)),
    "birth dates shuffled": lambda: with_column(
        "x6", born().dt.year.sample(frac=1, random_state=3).to_numpy()
    ),
}


@pytest.mark.parametrize(("name", "reordered"), in_both_orders(NOT_KNOWN))
def test_what_goes_with_nothing__does_not_count(name: str, reordered: bool) -> None:
    original, released, log = NOT_KNOWN[name]()
    released = released.sample(frac=1, random_state=1) if reordered else released
    checks = {finding.check for finding in opinion_on(original, released, log).findings}
    assert "counts_as_quasi_identifier" not in checks


def test_decades_shared_by_five__pass() -> None:
    decades = born().dt.year // 10 * 10
    opinion = opinion_on(*with_column("geboren", decades, "birthdate", "date_floor_decade"))
    assert opinion.verdict is Verdict.PASS
    assert "counts_as_quasi_identifier" in {finding.check for finding in opinion.findings}


def tokens_with(pieces: list[str]) -> list[str]:
    """Return random pseudonyms that hold a piece each behind two letters."""
    rng = np.random.default_rng(4)
    return [f"{rng.bytes(1).hex()}{piece}{rng.bytes(4).hex()}" for piece in pieces]


PIECES = {
    "years": lambda: (born().dt.year % 100).map("{:02d}".format).tolist(),
    "towns": lambda: towns_as({town: chr(75 + at) for at, town in enumerate(reversed(TOWNS))}).tolist(),
    "nothing": lambda: ["q"] * N,
    "anything": lambda: np.random.default_rng(6).choice(list("abcdefgh"), N).tolist(),
}


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("reordered", [False, True])
def test_pseudonym_that_holds_what_others_know__counts_in_k(name: str, reordered: bool) -> None:
    original, released, log = with_column("Nummer", tokens_with(PIECES[name]()), "patient_id", "pseudonymize")
    released = released.sample(frac=1, random_state=1) if reordered else released
    found = {finding.check: finding for finding in opinion_on(original, released, log).findings}
    assert ("counts_as_quasi_identifier" in found) is (name in {"years", "towns"})
    if name in {"years", "towns"}:
        assert found["counts_as_quasi_identifier"].verdict is Verdict.WARN
    assert (found["smallest_class"].verdict is Verdict.FAIL) is (name == "years")


def test_audit__draws_and_lists_the_classes_that_count() -> None:
    rng = np.random.default_rng(3)
    n = 400
    born = (np.datetime64("1950-01-01") + rng.integers(0, 20_000, n)).astype(str)
    sex = rng.choice(["F", "M"], n)
    log = log_of(sex=("gender", "keep"), born=("birthdate", "date_floor_year"), ward=("other", "keep"))
    ward = rng.choice([*"ab"], n)
    released = {"sex": sex, "born": [f"{day[:4]}-01-01" for day in born], "ward": ward}
    audit = audit_tabular(dataset({"sex": sex, "born": born, "ward": ward}), dataset(released), log)
    assert audit.classes.quasi_identifiers == ("sex",)  # as published
    counted = audit.counted_classes
    assert counted.quasi_identifiers == ("sex", "born")
    assert (counted.n_records, counted.k < 5) == (n, True)
    assert "over sex, born" in str(class_drawing(audit, 5).alt)
    (shown,) = [each for each in evidence_of(audit, k=5) if each.kind == "small_classes"]
    assert shown.columns == ("sex", "born")
