"""Classes that have one thing in several values, in several columns, or in a column that nobody chose."""

import numpy as np
import pandas as pd
import pytest

from core.risk import RiskAudit
from tests.risk_examples import judged, tells

N, SIZE = 1200, 60  # records, and those of a class
AGES = np.arange(N) // SIZE
INSIDE = AGES == 3
RNG = np.random.default_rng(8)
STATE = RNG.bit_generator.state
Words = tuple[str, ...]


@pytest.fixture(autouse=True)
def _same_draws_whatever_else_runs() -> None:
    RNG.bit_generator.state = STATE


def _drawn(values: object, inside: object = None) -> np.ndarray:
    """Return values drawn for all records, and for those of one class from others."""
    found = RNG.choice(np.array(values, dtype=object), N)
    if inside is not None:
        found[INSIDE] = RNG.choice(np.array(inside, dtype=object), SIZE)
    return found


def _days(first: int, last: int) -> list[str]:
    return [f"{day:%d.%m.%Y}" for day in pd.date_range("2021-01-01", periods=last)[first:]]


def _judged(sensitive: Words, **columns: np.ndarray) -> RiskAudit:
    """Judge a table with classes by age and sex, which says nothing more; other columns are unchosen."""
    table = pd.DataFrame({"age": AGES // 2, "sex": np.where(AGES % 2, "f", "m"), **columns})
    return judged(table.to_csv(index=False), sensitive=sensitive)


POSITIVE, NEGATIVE = (
    ("positive", "POS", "pos.", "+", "reactive"),
    ("negative", "NEG", "neg.", "-", "non-reactive"),
)
CODES = ("F20.0", "F20.1", "F20.5", "F20.9")
OTHERS = ("J45.0", "E11.9", "M10.0", "S52.5")
GRADES = ("none", "mild", "moderate", "severe", "very severe", "extremely severe")
ALIKE = {
    "results in several words": (POSITIVE + NEGATIVE, POSITIVE, "FAIL: … all say yes, or all no"),
    "answers in three languages": (
        ("da", "D", "1", "예", "ne", "N", "0", "아니오"),
        ("da", "D", "1", "예"),
        "FAIL",
    ),
    "codes of one category": (CODES + OTHERS, CODES, "FAIL: … codes of one group"),
    "drugs of one group": (
        ("N02BE01", "N02AA01", "C03CA01", "B01AC06"),
        ("N02BE01", "N02AA01"),
        "FAIL: … codes",
    ),
    "stages that begin alike": (
        ("Stadium I", "Stadium II", "Stadium IVa", "Stadium IVb"),
        ("Stadium IVa", "Stadium IVb"),
        "WARN: … begin alike",
    ),
    "grades with one word": (GRADES, GRADES[3:], "WARN: … have a word in common"),
    "names of one disease": (
        ("HIV", "AIDS", "B20x", "flu", "gout", "asthma"),
        ("HIV", "AIDS", "B20x"),
        "WARN: … few",
    ),
    "letters that are categories, not answers": ((*"abcdefghjn",), (*"dj",), "WARN: … few"),
    "days of one week": (_days(0, 120), _days(60, 67), "WARN: … in a narrow range"),
    "near amounts": (range(1000, 90_000, 37), range(20_000, 24_000, 37), "WARN: … in a narrow range"),
}
DIFFERENT = {
    "results of both kinds": (POSITIVE + NEGATIVE, POSITIVE + NEGATIVE[:1]),
    "codes of one category, as nearly everywhere": (CODES * 5 + OTHERS, CODES),
    "codes of several categories": (CODES + OTHERS, (*CODES, "J45.0", "E11.9", "M10.0")),
    "a word that nearly all have": (
        ("flu, mild", "gout, mild", "asthma, mild", "none"),
        ("flu, mild", "gout, mild", "asthma, mild"),
    ),
    "days of the whole year": (_days(0, 120), _days(10, 110)),
}


@pytest.mark.parametrize(("values", "inside", "said"), ALIKE.values(), ids=ALIKE)
def test_class__that_has_one_thing_in_several_values_is_told(values: Words, inside: Words, said: str) -> None:
    told = _judged(("x",), x=_drawn(values, inside))
    tells(told, k="PASS", distinct_l="PASS", folded_distinct_l=None, alike_in_class=said)
    tells(_judged(("x",), x=_drawn(values)), alike_in_class=None)


@pytest.mark.parametrize(("values", "inside"), DIFFERENT.values(), ids=DIFFERENT)
def test_class__of_different_things_or_of_what_is_common_is_not_told(values: Words, inside: Words) -> None:
    tells(_judged(("x",), x=_drawn(values, inside)), alike_in_class=None)


def test_class__so_small_that_chance_makes_it_is_not_told() -> None:
    x = _drawn(CODES + OTHERS)
    few = np.arange(N) % 300 < 5
    table = pd.DataFrame(
        {"age": np.where(few, 90 + np.arange(N) // 300, AGES // 5), "x": np.where(few, "F20.1", x)}
    )
    table.loc[few & (np.arange(N) % 5 == 0), "x"] = "F20.2"
    tells(judged(table.to_csv(index=False), quasi="age", sensitive=("x",)), alike_in_class=None)


SMALL = 4  # records of a class
FAMILIES = {
    "codes": (
        ("C50.1", "C50.2", "C50.4", "C50.8", "C50.9"),
        ("J45.0", "I10.1", "E11.9", "S52.1", "K35.8"),
        "FAIL",
    ),
    "results of a test": (
        ("HIV+", "hiv pos", "HIV-positive", "positive"),
        ("neg", "HIV-", "HIV neg.", "negative"),
        "FAIL",
    ),
    "drugs": (("N06AB03", "N06AA09", "N06AX16"), ("C03CA01", "B01AC06", "A10BA02", "H02AB06"), "FAIL"),
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("go_with_age", [True, False])
def test_classes__of_one_family_each_are_told_where_they_are_many(name: str, *, go_with_age: bool) -> None:
    ones, others, verdict = FAMILIES[name]
    ages, rng = np.arange(400) // SMALL, np.random.default_rng(4)
    of_ones = ages % 2 == 0 if go_with_age else rng.random(400) < 0.5
    values = np.where(of_ones, rng.choice(ones, 400), rng.choice(others, 400))
    table = pd.DataFrame({"age": ages, "sex": "f", "finding": values})
    told = judged(table.to_csv(index=False), sensitive=("finding",))
    tells(told, alike_in_class=f"{verdict}: …" if go_with_age else None)


def test_dates__of_one_class_that_are_close_are_one_meaning() -> None:
    for form in ("%Y-%m-%d", "%d/%m/%Y", "%-d. %-m. %Y"):
        days = pd.Timestamp("2016-01-01") + pd.to_timedelta(RNG.integers(0, 1800, N), "D")
        days = days.where(~INSIDE, pd.Timestamp("2018-03-06") + pd.to_timedelta(RNG.integers(0, 6, N), "D"))
        told = _judged(("day",), day=days.strftime(form).to_numpy())
        tells(told, distinct_l="PASS", folded_distinct_l="FAIL: 1 of 20 … (of dates, days)")


# ------------------------------------------------------------------- several columns, and one nobody chose


def _flags(yes: object, no: object, names: Words, *, often: float = 0.05) -> dict[str, np.ndarray]:
    """Return columns of yes and no; of one class everybody has exactly one yes."""
    found = {name: np.where(RNG.random(N) < often, yes, no).astype(object) for name in names}
    which = RNG.integers(0, len(names), N)
    for place, column in enumerate(found.values()):
        column[INSIDE] = np.where(which == place, yes, no)[INSIDE]
        column[:2] = yes
    return found


@pytest.mark.parametrize(
    ("yes", "no", "names"),
    [(1, 0, ("a", "b", "c")), ("ja", "nein", ("a", "b")), ("양성", "음성", ("a", "b", "c"))],
)
def test_yes__in_one_of_several_columns_for_a_whole_class_is_told(
    yes: object, no: object, names: Words
) -> None:
    flags = _flags(yes, no, names)
    listed = ", ".join(f"`{name}`" for name in names)
    tells(_judged(names, **flags), yes_together=f"WARN: In 1 group (60 records) … one of {listed}")
    flags[names[0]][INSIDE.argmax()] = flags[names[1]][INSIDE.argmax()] = no
    if len(names) > 2:
        flags[names[2]][INSIDE.argmax()] = no
    tells(_judged(names, **flags), yes_together=None)  # one has none of them


def test_yes__that_most_have_or_that_one_column_says_alone_is_not_told_together() -> None:
    tells(_judged(("a", "b"), **_flags("yes", "no", ("a", "b"), often=0.6)), yes_together=None)
    flags = _flags("yes", "no", ("a", "b"))
    flags["a"][INSIDE] = "yes"
    tells(_judged(("a", "b"), **flags), yes_together=None)


OF_ALL = {
    "one household": (_drawn([f"h{n}" for n in range(500)]), "h7"),
    "one clinic": (_drawn(["north", "south", "east", "west", "hill", "lake"]), "methadone"),
    "one drug, in Korean": (_drawn(["감기약", "진통제", "소화제"]), "항바이러스제"),
}


@pytest.mark.parametrize(("values", "own"), OF_ALL.values(), ids=OF_ALL)
def test_one_value__of_a_column_nobody_chose_for_a_whole_class_is_told(values: np.ndarray, own: str) -> None:
    x, others = _drawn(["flu", "gout", "cold"]), np.where(INSIDE, own, values)
    said = "WARN: In 1 group (60 records) everybody has the same value of `c`"
    tells(_judged(("x",), x=x, c=others), one_value_in_class=said)
    others[INSIDE.argmax()] = values[0]
    tells(_judged(("x",), x=x, c=others), one_value_in_class=None)


def test_one_value__that_follows_from_a_chosen_column_or_is_missing_or_common_is_not_told() -> None:
    x, c = _drawn(["flu", "gout", "cold"]), _drawn(["north", "south", "east"])
    for column in (
        np.where(AGES // 2 == 1, "island", c),  # of all classes of an age
        np.where(INSIDE, "", c),
        np.where(INSIDE | (RNG.random(N) < 0.5), "north", c),
        (AGES // 2 * 10).astype(str),  # the age in other words
    ):
        tells(_judged(("x",), x=x, c=column), one_value_in_class=None)
