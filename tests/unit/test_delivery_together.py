"""What tables tell together without a key, by totals, by masks, by who is absent, and by small groups."""

import numpy as np
import pytest

from core.delivery import DeliverySettings, DeliveryThresholds, audit_delivery
from core.tables import Dataset
from core.verdict import Finding, Verdict
from tests.unit.test_delivery import pseudonyms, table
from tests.unit.test_delivery_found import found_in

N = 400
SAID = ("stand once in both", "minus the released", "then, and w", "mask one number", "Who is in both")


def found(*tables: Dataset, settings: DeliverySettings | None = None) -> dict[str, Finding]:
    """Return the findings by their checks; those of what tables tell together by words of theirs."""
    audit = audit_delivery(tables, settings, DeliveryThresholds())
    told = [each for each in audit.findings if each.check == "told_together"]
    of_words = {words: each for words in SAID for each in told if words in str(each.message)}
    return {**found_in(audit), **of_words}


RANDOM = np.random.default_rng(23)
AGES = RANDOM.choice(["18-39", "40-64", "65+"], N)
AREAS = RANDOM.choice([f"area {each}" for each in range(60)], N)


def two_tables(one: list[str], other: list[str], at: np.ndarray) -> dict[str, Finding]:
    """Return what is found of two tables of other pseudonyms; `at` are the persons of the second's rows."""
    first = table("pharmacy", patient=pseudonyms(N), age=AGES, cost=one)
    second = table("claims", insured=pseudonyms(N, 5), area=AREAS[at], paid=other)
    chosen = DeliverySettings(quasi_identifiers=("pharmacy.age", "claims.area"))
    return found(first, second, settings=chosen)


CENTS = RANDOM.gamma(3, 40, N).round(2)
SHUFFLED = RANDOM.permutation(N)
SECONDS = np.datetime64("2023-01-01T00:00:00") + RANDOM.integers(0, 9_000_000, N)
MET = {
    "amounts": (CENTS, CENTS[SHUFFLED]),
    "times": (SECONDS, SECONDS[SHUFFLED]),
    "half of the balances": (
        (CENTS * 7).round(2),
        np.where(np.arange(N) % 2, (CENTS * 7).round(2), RANDOM.gamma(3, 280, N).round(2))[SHUFFLED],
    ),
}
PRICES = RANDOM.choice(100_000, 600, replace=False) / 100
NOT_MET = {
    "other amounts": (CENTS, RANDOM.gamma(3, 40, N).round(2)),
    "a list of prices": (RANDOM.choice(PRICES, N), RANDOM.choice(PRICES, N)),
    "numbers one after the other": (np.arange(N) / 10, RANDOM.permutation(N) / 10),
    "whole hundreds": ((CENTS * 100).round(-2), (RANDOM.gamma(3, 40, N) * 100).round(-2)),
}


@pytest.mark.parametrize("name", MET)
def test_values__that_stand_once_in_both_join_tables_without_a_key(name: str) -> None:
    one, other = ([str(each) for each in values] for values in MET[name])
    seen = two_tables(one, other, SHUFFLED)["stand once in both"]
    assert seen.verdict is Verdict.FAIL
    assert {*map(str, (seen.message.values["one"], seen.message.values["other"]))} == {
        "`pharmacy.cost`",
        "`claims.paid`",
    }


@pytest.mark.parametrize("name", NOT_MET)
def test_values__that_meet_as_chance_has_it_join_nothing(name: str) -> None:
    one, other = ([str(each) for each in values] for values in NOT_MET[name])
    assert "stand once in both" not in two_tables(one, other, SHUFFLED)


# --- totals

TEAMS = [f"T{each % 20:02}" for each in range(N)]
PAY = RANDOM.integers(20, 60, N) * 500
LEFT_OUT = np.isin(np.arange(N), [*range(20, 32)])  # one each of twelve teams


def of_teams(pay: np.ndarray, rows: np.ndarray, **more: object) -> dict[str, Finding]:
    """Return what is found of staff with pay, NaN where emptied, and a table of their teams."""
    ids = np.array(pseudonyms(N))
    written = ["" if np.isnan(each) else f"{each:.0f}" for each in pay]
    staff = table(
        "staff",
        employee=ids[rows],
        team=np.array(TEAMS)[rows],
        age=AGES[rows],
        pay=np.array(written)[rows],
    )
    teams = table("teams", team=[f"T{each:02}" for each in range(20)], **more)
    return found(staff, teams, settings=DeliverySettings(person="staff.employee"))


def sums(values: np.ndarray) -> np.ndarray:
    return np.array([values[np.arange(N) % 20 == each].sum() for each in range(20)])


EVERYBODY = np.ones(N, dtype=bool)
EMPTIED = np.where(LEFT_OUT, np.nan, PAY.astype(float))


def test_total__minus_what_is_released_gives_the_value_left_out() -> None:
    whole = sums(PAY)
    for pay, rows, more in (
        (EMPTIED, EVERYBODY, {"payroll": whole}),
        (PAY.astype(float), ~LEFT_OUT, {"members": [20] * 20, "mean_pay": (whole / 20).round(2)}),
        (EMPTIED, EVERYBODY, {"mean_pay": (whole / 20).round(2)}),
        (np.where(np.arange(N) < 20, np.nan, PAY.astype(float)), EVERYBODY, {"payroll": whole}),
    ):
        seen = of_teams(pay, rows, **more)["minus the released"]
        n = 20 if np.isnan(pay[:20]).all() else 12
        assert (seen.verdict, seen.n_affected) == (Verdict.FAIL, n)


def test_total__of_what_is_released_or_of_something_else_tells_nothing() -> None:
    for pay, rows, more in (
        (PAY.astype(float), EVERYBODY, {"payroll": sums(PAY)}),  # nothing is missing
        (EMPTIED, EVERYBODY, {"payroll": sums(np.nan_to_num(EMPTIED))}),  # of what is left
        (EMPTIED, EVERYBODY, {"budget": sums(PAY) + RANDOM.integers(0, 900_000, 20)}),
        (EMPTIED, EVERYBODY, {"payroll": sums(PAY).round(-5)}),
        (EMPTIED, EVERYBODY, {"floor": RANDOM.integers(0, 9, 20)}),
    ):
        assert "minus the released" not in of_teams(pay, rows, **more)


# --- masks

NUMBERS = [f"{each:010}" for each in RANDOM.choice(10**10, N, replace=False)]


def masked(one: list[str], other: list[str]) -> dict[str, Finding]:
    ids = pseudonyms(N)
    return found(
        table("grants", person=ids, phone=one, age=AGES),
        table("aids", person=ids, tel=other, kind=[("a", "b")[each % 2] for each in range(N)]),
        settings=DeliverySettings(quasi_identifiers=("grants.age",)),
    )


def mask(number: str, shown: str, mark: str = "*") -> str:
    return "".join(letter if seen == "1" else mark for letter, seen in zip(number, shown, strict=True))


@pytest.mark.parametrize(
    ("one", "other", "mark"),
    [("1111000000", "0001111000", "*"), ("0000001111", "1100000001", "X"), ("1011000000", "0011110000", "#")],
)
def test_masks__of_one_number_with_other_places_show_more_together(one: str, other: str, mark: str) -> None:
    seen = masked([mask(each, one, mark) for each in NUMBERS], [mask(each, other) for each in NUMBERS])
    together = sum("1" in each for each in zip(one, other, strict=True))
    assert seen["mask one number"].verdict is Verdict.FAIL
    assert seen["mask one number"].message.values["n"] == together


def test_masks__of_the_same_places_or_of_other_numbers_tell_nothing() -> None:
    others = [NUMBERS[each - 1] for each in range(N)]
    assert "mask one number" not in masked(
        [mask(each, "1110000000") for each in NUMBERS], [mask(each, "1110000000", "X") for each in NUMBERS]
    )
    assert "mask one number" not in masked(
        [mask(each, "1110000000") for each in NUMBERS], [mask(each, "0111000000") for each in others]
    )


# --- who is absent, and who lives together


def test_groups__of_whom_nobody_is_in_a_table_with_most_others_are_told() -> None:
    ids, women = pseudonyms(N), [each % 2 for each in range(N)]
    old = [n for n in range(N) if AGES[n] == "65+" and women[n]]
    chosen = DeliverySettings(quasi_identifiers=("persons.age", "persons.sex"))

    def with_table(members: list[int]) -> dict[str, Finding]:
        persons = table("persons", person=ids, age=AGES, sex=[("f", "m")[each] for each in women])
        passed = table(
            "passed",
            person=[ids[n] for n in members],
            mark=["1", "2"] * (len(members) // 2) + ["1"] * (len(members) % 2),
        )
        return found(persons, passed, settings=chosen)

    some = [*range(0, N, 9)]  # of both sexes
    for absent in (old + some, [n for n in range(N) if AGES[n] == "18-39"] + some, [*old, *range(0, N, 3)]):
        seen = with_table([n for n in range(N) if n not in {*absent}])
        assert "nobody" in str(seen["all_in_table"].message)
    for absent in ([*range(0, N, 5)], [*(n for n in old if n % 3), *range(0, N, 7)]):
        assert "all_in_table" not in with_table([n for n in range(N) if n not in {*absent}])


def test_codes__that_put_a_few_together_are_households_whatever_their_name() -> None:
    ids = pseudonyms(N)

    def with_codes(codes: list[str]) -> dict[str, Finding]:
        persons = table("persons", person=ids, age=AGES, sex=["f", "m"] * (N // 2), area=AREAS, xk=codes)
        chosen = DeliverySettings(quasi_identifiers=("persons.age", "persons.sex", "persons.area"))
        return found(persons, table("stays", person=ids, ward=["a", "b"] * (N // 2)), settings=chosen)

    drawn = [f"{each:08x}" for each in RANDOM.choice(2**32, N, replace=False)]
    of_four = [drawn[each // 4] for each in range(N)]
    assert with_codes(of_four)["households"].n_affected > N / 2
    assert with_codes([f"Fam{each}" for each in of_four])["households"].n_affected > N / 2
    assert with_codes([f"{each // 3 + 1000:06}-A" for each in range(N)])["households"].n_affected
    assert "households" not in with_codes([drawn[each % 8] for each in range(N)])  # large groups
    assert "households" not in with_codes(["red clay", "wood grey"] * (N // 2))


def test_number_of_records__joins_no_persons_of_two_tables() -> None:
    trips = [
        table(
            name,
            card=[pseudonyms(N, seed)[each // 4] for each in range(N)],
            trip_no=[each % 4 + 1 for each in range(N)],
            zone=AGES,
        )
        for seed, name in enumerate(("may", "june"))
    ]
    assert "no_key" in found(*trips)


def test_key_that_a_person_names__is_no_number_beside_itself() -> None:
    persons: Dataset = table("persons", id=pseudonyms(N), age=AGES, area=AREAS)
    areas = table("areas", area=sorted({*AREAS}), region=["n", "s"] * (len({*AREAS}) // 2))
    assert "listed_beside_key" not in found(persons, areas, settings=DeliverySettings(person="persons.id"))


# --- quasi-identifiers that other columns say

TOWNS = np.array(["Alm", "Brod", "Cerk", "Dol", "Est", "Fala", "Gaj", "Hum"])
OF = RANDOM.choice(8, N, p=[0.16] * 6 + [0.02] * 2)
SMALL = (OF >= 6) & (np.arange(N) % 2 == 0)  # half of those of the two last towns, whose cell was emptied


def said(*more: Dataset, **columns: object) -> dict[str, Finding]:
    persons = table("persons", id=pseudonyms(N), town=np.where(SMALL, "", TOWNS[OF]), group=COARSE, **columns)
    chosen = DeliverySettings(person="persons.id", quasi_identifiers=("persons.town", "persons.group"))
    return found(
        persons, *(more or [table("letters", id=pseudonyms(N), kind=["a", "b"] * (N // 2))]), settings=chosen
    )


YEARS = RANDOM.integers(20, 80, N)
COARSE = [f"{each // 20 * 20}-{each // 20 * 20 + 19}" for each in YEARS]


def test_empty_cells__that_other_columns_fill_are_told() -> None:
    wards = table(
        "wards", ward=[f"w{each}" for each in range(16)], lies_in=[TOWNS[each // 2] for each in range(16)]
    )
    ward = [f"w{2 * each + at % 2}" for at, each in enumerate(OF)]
    for seen in (
        said(seat=TOWNS[OF]),  # the same word
        said(doctor=[f"d{each}" for each in OF]),  # a code that determines it
        said(wards, ward=ward),  # over a lookup table
    ):
        assert seen["then, and w"].verdict is Verdict.FAIL
        assert int(np.count_nonzero(SMALL)) == int(
            str(seen["then, and w"].message.values["cells"]).split()[0]
        )


def test_empty_cells__that_nothing_fills_are_not_told() -> None:
    assert "then, and w" not in said(seat=np.where(SMALL, "", TOWNS[OF]))  # empty there too
    assert "then, and w" not in said(seat=TOWNS[RANDOM.permutation(OF)])  # of others
    assert "then, and w" not in said(half=["n" if each < 4 else "s" for each in OF])  # half of the country


def test_ranges__that_another_column_says_more_finely_are_told() -> None:
    tariff = table("tariff", fee=[f"{each}.5" for each in range(20, 80)], at_age=[*range(20, 80)])
    for seen in (
        said(years=YEARS),
        said(five=[f"{each // 5 * 5}-{each // 5 * 5 + 4}" for each in YEARS]),
        said(tariff, fee=[f"{each}.5" for each in YEARS]),
    ):
        assert "more finely" in str(seen["then, and w"].message)
    assert "then, and w" not in said(score=RANDOM.integers(20, 80, N))
    assert "then, and w" not in said(wider=[f"{each // 40 * 40}-{each // 40 * 40 + 39}" for each in YEARS])


# --- two tables without a key


def hospitals(one: list[str], other: list[str]) -> dict[str, Finding]:
    first = table("north", age=AGES, town=TOWNS[OF % 2], diagnosis=one)
    second = table("south", age=AGES, town=TOWNS[OF % 2], diagnosis=other)
    names = ("north.age", "north.town", "south.age", "south.town")
    hidden = ("north.diagnosis", "south.diagnosis")
    return found(first, second, settings=DeliverySettings(quasi_identifiers=names, sensitive=hidden))


def test_diagnoses__that_two_tables_share_alone_are_told() -> None:
    turn = np.arange(N) % 3
    one, other = np.array(["asthma", "gout", "HIV"])[turn], np.array(["eczema", "HIV", "flu"])[turn]
    seen = hospitals(list(one), list(other))["Who is in both"]
    assert (seen.verdict, seen.message.values["n"]) == (Verdict.WARN, 6)
    same = np.array(["gout", "HIV", "asthma"])[turn]
    assert "Who is in both" not in hospitals(list(one), list(same))  # all of them
    assert "Who is in both" not in hospitals(list(one), [f"no {each}" for each in one])  # none
