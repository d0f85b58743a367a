"""Small groups, single persons, repeated persons, and rows that nobody anonymized."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.schemas import SCHEMAS
from benchmarks.quality.scoreboard import Scenario
from benchmarks.quality.tabular.leaks_left import block, exact_births
from benchmarks.quality.tabular.releases import (
    ASK,
    Change,
    Release,
    anonymized,
    floored,
    leak,
    numbers,
    with_sex_alone,
)


def _sex(release: Release) -> str:
    return next(name for name, column in release.schema.columns.items() if column.semantic == "gender")


def _towns_and_years(release: Release, _rng: np.random.Generator) -> Release:
    """Keep quasi-identifiers too fine: town, year of birth and of visit."""
    town, birth, day = (release.first(kind) for kind in ("region", "birth", "date"))
    release = release.having(town, release.truth(town).str.upper(), action="region_generalize")
    for name in (birth, day):
        release = release.having(name, floored(release.truth(name), 1), action="date_floor_year")
    return release.having(_sex(release), release.truth(_sex(release)))


def _one_unlike(release: Release, _rng: np.random.Generator) -> Release:
    town = release.first("region")
    values = (
        release.released[town]
        if town in release.released
        else release.truth(town).map(release.schema.regions)
    )
    values = values.copy()
    values.iloc[len(values) // 2] = "Spodnja Vas 7"
    return release.having(town, values, action="region_generalize")


def _kept(*columns: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        for column in columns:
            release = release.having(column, release.truth(column), semantic="other")
        return release

    return change


def _class_of(n_people: int) -> Change:
    """Return a change that lets few people alone have a value of their own in a quasi-identifier."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        sex = _sex(release)
        people = release.truth(release.first("id"))
        chosen = people.isin(rng.permutation(pd.unique(people))[:n_people])
        return release.having(sex, release.truth(sex).mask(chosen, "X"))

    return change


def _homogeneous(release: Release, _rng: np.random.Generator) -> Release:
    """Give every class a sensitive value in common."""
    keys = [
        name
        for name in release.released
        if release.semantic(name) in _QUASI or name in release.schema.of_kind("birth")
    ]
    classes = release.released.groupby(keys, dropna=False).ngroup().to_numpy()
    made = np.array(["E11", "I10", "F20", "B24", "C34"])[classes % 5]
    original = release.original.assign(condition="")
    original.loc[release.rows, "condition"] = made
    return replace(release, original=original).having("condition", made)


_QUASI = frozenset({"age", "gender", "race", "marital_status", "address", "visit_date", "zipcode"})


def _rare_value(value: str, n_people: int) -> Change:
    """Return a change that adds a column of roles where so many persons have a role of their own."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        release = with_sex_alone(release)
        people = release.original[release.first("id")]
        roles = pd.Series(np.array(["worker", "clerk", "pupil", "pensioner"])[pd.factorize(people)[0] % 4])
        roles = roles.mask(people.isin(rng.permutation(pd.unique(people))[:n_people]), value)
        release = replace(release, original=release.original.assign(position=roles))
        return release.having("position", roles.iloc[release.rows])

    return change


def _old(above: int, n_people: int) -> Change:
    """Return a change that adds ages in bands of ten, those above a limit in years."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        release = with_sex_alone(release)
        people = release.original[release.first("id")]
        codes = pd.factorize(people)[0]
        ages = pd.Series(rng.integers(20, 80, codes.max() + 1)[codes])
        bands = (ages // 30 * 30).astype(str) + "-" + (ages // 30 * 30 + 29).astype(str)
        old = people.isin(rng.permutation(pd.unique(people))[:n_people])
        ages, bands = ages.mask(old, above + 4), bands.mask(old, str(above + 4))
        release = replace(release, original=release.original.assign(age_now=ages.astype(str)))
        return release.having("age_now", bands.iloc[release.rows], semantic="other", action="generalize")

    return change


def _untopped(release: Release, _rng: np.random.Generator) -> Release:
    column = "dohodek" if "dohodek" in release.original else "claim_amount"
    values = numbers(release.truth(column))
    step = 10 ** np.floor(np.log10(np.median(values))) / 2
    made = (np.round(values / step) * step).astype(int).astype(str)
    return release.having(column, made, action="round")


def _repeating(scenario: Scenario) -> Release:
    """Return a release of a table where each person has about four records; classes hold five persons."""
    schema = SCHEMAS[scenario.schema]
    people = schema.make(max(scenario.n_records // 4, 8), scenario.rng("original"))
    rng = scenario.rng("visits")
    rows = np.sort(rng.integers(0, len(people), scenario.n_records))
    return anonymized(schema, scenario, people.iloc[rows].reset_index(drop=True))


def _by_rows(release: Release, _rng: np.random.Generator) -> Release:
    """Make classes of rows: town and year of birth stay wherever five rows share them."""
    town, birth, sex = release.first("region"), release.first("birth"), _sex(release)
    years = floored(release.truth(birth), 1).str.slice(0, 4)
    columns = pd.DataFrame({town: release.truth(town).str.upper(), birth: years, sex: release.truth(sex)})
    small = columns.groupby(list(columns))[sex].transform("size") < 5
    release = release.having(town, columns[town].mask(small, ""), action="region_generalize")
    release = release.having(birth, columns[birth].mask(small, ""), semantic="age", action="generalize")
    release = release.having(sex, columns[sex].mask(small, ""))
    return release.logged(release.first("id"), semantic="other")


def _towns_in_a_block(release: Release, rng: np.random.Generator) -> Release:
    """Leave the exact values of birth and town in the first rows."""
    first, town = block(0.0, 0.05), release.first("region")
    wide = release.truth(town).map(release.schema.regions).mask(first(release, rng), release.truth(town))
    return exact_births(first, "generalize")(release.having(town, wide, action="region_generalize"), rng)


def _one_row(release: Release, _rng: np.random.Generator) -> Release:
    released = release.released.copy()
    released.iloc[0] = release.original.iloc[release.rows[0]][released.columns].to_numpy()
    return replace(release, released=released)


def _sorted_by_names(release: Release, rng: np.random.Generator) -> Release:
    name = release.first("name")
    surnames = rng.permutation([f"{a}{b}ski" for a in "BDGKLMPRSTVZ" for b in ("a", "o", "i")])
    original = release.original.copy()
    original[name] = rng.choice(surnames, len(original))
    release = replace(release, original=original)
    order = np.lexsort((rng.random(len(release.rows)), release.truth(name).to_numpy().astype(str)))
    released = release.released.iloc[order].reset_index(drop=True)
    return replace(release.without(name), released=released, rows=release.rows[order])


def _shuffled_ids(release: Release, rng: np.random.Generator) -> Release:
    who = release.first("id")
    return release.having(who, rng.permutation(release.truth(who).to_numpy()), action="pseudonymize")


def _names_only_dropped(release: Release, rng: np.random.Generator) -> Release:
    named = release.schema.of_kind("name", "national", "email", "phone")
    return _kept(*(name for name in release.original if name not in named))(release.without(*named), rng)


def _exact_measurements(release: Release, rng: np.random.Generator) -> Release:
    return _kept(*release.schema.of_kind("number", "date"))(release, rng)


# fmt: off
KINDS = (
    leak("years of birth, town and visit, birthdate not named in log", "small classes", _towns_and_years, at_least=ASK),
    leak("one forgotten record with its exact town and age", "small classes", _one_unlike, at_least=ASK),
    leak("a class of 4 persons in the log's quasi-identifiers", "small classes", _class_of(4)),
    leak("every class has one diagnosis", "alike inside", _homogeneous),
    *(
        leak(f"one single {value}", "single values", _rare_value(value, 1), control=_rare_value(value, 0), at_least=ASK)
        for value in ("Bürgermeister", "župan")
    ),
    leak("1 aged above 95 in years", "extreme values", _old(95, 1), control=_old(95, 0), at_least=ASK),
    leak(
        "rounded numbers without a top", "extreme values", _untopped, at_least=ASK,
        schemas=("slovenian_registry", "english_insurance"),
    ),
    leak(
        "classes of five rows and one person, identifier called other", "repeated persons", _by_rows,
        base=_repeating, at_least=ASK,
    ),
    leak(
        "a block of rows at the beginning not generalized", "forgotten rows", _towns_in_a_block, at_least=ASK,
        orders=(False,),
    ),
    leak("one original row left at the top", "forgotten rows", _one_row, at_least=ASK),
    leak(
        "rows sorted by surnames, those of one name at random", "original order", _sorted_by_names, at_least=ASK,
        orders=(False,),
    ),
    leak("ids shuffled among the rows", "left as it was", _shuffled_ids, at_least=ASK),
    leak("a release that is the original without names", "left as it was", _names_only_dropped),
    leak("numbers and dates kept exactly, persons dropped", "left as it was", _exact_measurements),
)
# fmt: on
