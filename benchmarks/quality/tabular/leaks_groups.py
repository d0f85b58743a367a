"""Small groups, single persons, repeated persons, and rows that nobody anonymized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind, Scenario
from benchmarks.quality.tabular.releases import (
    ALL_SCHEMAS,
    BORN,
    EVERY,
    NAMED,
    ONE_ROW_EACH,
    Change,
    Release,
    anonymized,
    dates,
    floored,
    leak,
    numbers,
    with_sex_alone,
)
from core.verdict import Verdict

_LARGER = (200, 1000, 5000, 20_000)
_ASK = Verdict.WARN


def _meaning(release: Release, semantic: str) -> str:
    return next(name for name, column in release.schema.columns.items() if column.semantic == semantic)


def _fine_quasi_identifiers(*wanted: str) -> Change:
    """Return a change that keeps quasi-identifiers too fine: town, year of birth, month of visit."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        town, day, sex = release.first("region"), release.first("date"), _meaning(release, "gender")
        if "town" in wanted:
            release = release.having(town, release.truth(town).str.upper(), action="region_generalize")
        if "year" in wanted and release.schema.of_kind("birth"):
            birth = release.first("birth")
            release = release.having(birth, floored(release.truth(birth), 1), action="date_floor_year")
        if "age" in wanted:
            release = release.having("age_years", _ages(release), semantic="age", action="generalize")
        if "visit" in wanted:
            release = release.having(day, floored(release.truth(day), 1), action="date_floor_year")
        return release.having(sex, release.truth(sex))

    return change


def _ages(release: Release) -> pd.Series:
    if "age" in release.schema.columns:
        return release.truth("age")
    return (2026 - dates(release.truth(release.first("birth"))).dt.year).astype(str)


def small_kinds() -> Iterator[Kind]:
    """Yield classes that are too small."""
    small = (30, 200, 1000)
    yield leak(
        "years of birth, town and visit, birthdate not named in log",
        "small classes",
        _fine_quasi_identifiers("year", "town", "visit"),
        sizes=small,
        schemas=BORN,
        at_least=_ASK,
    )
    yield leak(
        "one forgotten record with its exact town and age",
        "small classes",
        _one_unlike,
        sizes=_LARGER,
        at_least=_ASK,
    )
    yield leak(
        "height and weight kept to the unit",
        "small classes",
        _kept("height", "weight"),
        schemas=("survey",),
        sizes=_LARGER,
        at_least=_ASK,
    )
    for n_people, sizes in ((4, _LARGER),):
        yield leak(
            f"a class of {n_people} persons in the log's quasi-identifiers",
            "small classes",
            _class_of(n_people),
            sizes=sizes,
        )


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
        sex = _meaning(release, "gender")
        people = release.truth(release.first("id"))
        chosen = people.isin(rng.permutation(pd.unique(people))[:n_people])
        return release.having(sex, release.truth(sex).mask(chosen, "X"))

    return change


def alike_kinds() -> Iterator[Kind]:
    """Yield classes whose people share a sensitive value, and values that only one person has."""
    yield leak(
        "every class has one diagnosis",
        "alike inside",
        _homogeneous(1.0),
        sizes=(200, 1000, 5000),
        schemas=EVERY,
    )
    for value in ("Bürgermeister", "župan"):
        yield leak(
            f"one single {value}",
            "single values",
            _rare_value(value, 1),
            control=_rare_value(value, None),
            sizes=_LARGER,
            at_least=_ASK,
        )
    for above, n_people in ((95, 1),):
        yield leak(
            f"{n_people} aged above {above} in years",
            "extreme values",
            _old(above, n_people),
            control=_old(above, 0),
            sizes=_LARGER,
            at_least=_ASK,
        )
    yield leak(
        "rounded numbers without a top",
        "extreme values",
        _untopped,
        schemas=("slovenian_registry", "english_insurance", "us_claims"),
        sizes=_LARGER,
        at_least=_ASK,
    )


def _homogeneous(share: float) -> Change:
    """Return a change that gives a share of the classes, at least one, a sensitive value in common."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        keys = [
            name
            for name in release.released
            if release.semantic(name) in _QUASI or name in release.schema.of_kind("birth")
        ]
        classes = release.released.groupby(keys, dropna=False).ngroup().to_numpy()
        chosen = rng.permutation(classes.max() + 1)[: max(1, round(share * (classes.max() + 1)))]
        values = np.array(["E11", "I10", "F20", "B24", "C34"])
        usual = values[rng.integers(0, len(values), len(classes))]
        made = np.where(np.isin(classes, chosen), values[classes % len(values)], usual)
        original = release.original.assign(condition="")
        original.loc[release.rows, "condition"] = made
        return replace(release, original=original).having("condition", made)

    return change


_QUASI = frozenset({"age", "gender", "race", "marital_status", "address", "visit_date", "zipcode"})


def _rare_value(value: str, n_people: int | None) -> Change:
    """Return a change that adds a column of roles where one or two persons have a role of their own."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        release = with_sex_alone(release)
        people = release.original[release.first("id")]
        roles = pd.Series(np.array(["worker", "clerk", "pupil", "pensioner"])[pd.factorize(people)[0] % 4])
        if n_people is not None:
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


def _money(release: Release) -> str:
    return next(
        name for name in ("dohodek", "claim_amount", "paid", "income", "cost") if name in release.original
    )


def _untopped(release: Release, _rng: np.random.Generator) -> Release:
    column = _money(release)
    values = numbers(release.truth(column))
    step = 10 ** np.floor(np.log10(np.median(values))) / 2
    return release.having(
        column, pd.Series(np.round(values / step) * step).astype(int).astype(str), action="round"
    )


def _repeating(scenario: Scenario) -> Release:
    """Return a release of a table where each person has about four records; classes hold five persons."""
    schema = ALL_SCHEMAS[scenario.schema]
    people = schema.make(max(scenario.n_records // 4, 8), scenario.rng("original"))
    rng = scenario.rng("visits")
    rows = np.sort(rng.integers(0, len(people), scenario.n_records))
    return anonymized(schema, scenario, people.iloc[rows].reset_index(drop=True))


def person_kinds() -> Iterator[Kind]:
    """Yield persons who have many rows, so that a class of five rows may be one person."""
    yield leak(
        "classes of five rows and one person, identifier called other",
        "repeated persons",
        _by_rows("other"),
        base=_repeating,
        schemas=BORN[:-1],
        sizes=_LARGER,
        at_least=_ASK,
    )


def _by_rows(identifier: str) -> Change:
    """Return a change that made classes of rows: town and year of birth stay wherever five rows share them."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        town, birth, sex = release.first("region"), release.first("birth"), _meaning(release, "gender")
        years = floored(release.truth(birth), 1).str.slice(0, 4)
        columns = pd.DataFrame({town: release.truth(town).str.upper(), birth: years, sex: release.truth(sex)})
        small = columns.groupby(list(columns))[sex].transform("size") < 5
        release = release.having(town, columns[town].mask(small, ""), action="region_generalize")
        release = release.having(birth, columns[birth].mask(small, ""), semantic="age", action="generalize")
        release = release.having(sex, columns[sex].mask(small, ""))
        who = release.first("id")
        if identifier == "dropped":
            return release.without(who)
        return release if identifier == "kept" else release.logged(who, semantic="other")

    return change


def block_kinds() -> Iterator[Kind]:
    """Yield rows that were forgotten, and orders that give people away."""
    for name, start, end in (("at the beginning", 0.0, 0.05),):
        yield leak(
            f"a block of rows {name} not generalized",
            "forgotten rows",
            _forgotten(start, end),
            sizes=_LARGER,
            schemas=BORN,
            at_least=_ASK,
            orders=(False,),
        )
    yield leak(
        "one original row left at the top",
        "forgotten rows",
        _one_row,
        sizes=_LARGER,
        schemas=NAMED,
        at_least=_ASK,
    )
    yield leak(
        "rows sorted by surnames, those of one name at random",
        "original order",
        _sorted_by_names,
        sizes=_LARGER,
        schemas=NAMED,
        orders=(False,),
        at_least=_ASK,
    )
    yield leak("ids shuffled among the rows", "left as it was", _shuffled_ids, sizes=_LARGER, at_least=_ASK)
    yield leak(
        "a release that is the original without names",
        "left as it was",
        _names_only_dropped,
        schemas=ONE_ROW_EACH,
    )
    yield leak(
        "numbers and dates kept exactly, persons dropped",
        "left as it was",
        _exact_measurements,
        schemas=ONE_ROW_EACH,
        sizes=_LARGER,
    )


def _forgotten(start: float, end: float) -> Change:
    """Return a change that leaves the exact values of birth and town in a block of rows."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        at = np.arange(len(release.rows)) / len(release.rows)
        block = (at >= start) & (at < end)
        town, birth = release.first("region"), release.first("birth")
        wide = release.truth(town).map(release.schema.regions).mask(block, release.truth(town))
        exact = dates(release.truth(birth)).dt.strftime("%Y-%m-%d")
        release = release.having(town, wide, action="region_generalize")
        return release.having(
            birth, floored(release.truth(birth), 10).mask(block, exact), action="generalize"
        )

    return change


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


KINDS = (*small_kinds(), *alike_kinds(), *person_kinds(), *block_kinds())
