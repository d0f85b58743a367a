"""Copies of columns that were made by arithmetic, in place or under any other heading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.releases import (
    BORN,
    EVERY,
    ONE_ROW_EACH,
    Change,
    Release,
    dates,
    leak,
    numbers,
    plain,
)
from core.verdict import Verdict

Make = Callable[[pd.Series, np.random.Generator], Sequence[str] | pd.Series]
_NUMERIC = tuple(name for name in EVERY)
_LARGER = (200, 1000, 5000, 20_000)


def _number_column(release: Release) -> str:
    """Return the number that tells people apart best: the one with the most distinct values."""
    columns = [
        name for name in release.schema.of_kind("number") if release.schema.columns[name].semantic == "other"
    ]
    return max(columns, key=lambda name: release.original[name].nunique())


def _set(
    column_of: Callable[[Release], str],
    make: Make,
    *,
    heading: str | None,
    action: str,
    strangers: bool = False,
) -> Change:
    """Return a change that writes a derived copy into the column itself, or under another heading.

    With `strangers` the copy is made from the same column of other people: the control.
    """

    def change(release: Release, rng: np.random.Generator) -> Release:
        column = column_of(release)
        source = release.of_strangers() if strangers else release
        made = make(source.truth(column), rng)
        if heading is None:
            return release.having(column, made, action=action, semantic="other")
        return release.without(column).having(heading, made, action="keep", semantic="other")

    return change


def _both(
    name: str,
    family: str,
    column_of: Callable[[Release], str],
    make: Make,
    *,
    heading: str,
    action: str,
    schemas: Sequence[str],
    at_least: Verdict = Verdict.FAIL,
    orders: Sequence[bool] = (False, True),
    strangers: str = "both",
) -> Iterator[Kind]:
    """Yield a derived copy in place and one under another heading.

    Controls hold the same copy of other people's values where `strangers` says so, else the proper release: nobody
    can tell exact birthdates of strangers from real ones.
    """
    for where, suffix in ((None, "in place"), (heading, f"as {heading}")):
        yield leak(
            f"{name}, {suffix}",
            family,
            _set(column_of, make, heading=where, action=action),
            control=_set(column_of, make, heading=where, action=action, strangers=True)
            if strangers == "both" or (strangers == "heading" and where)
            else plain,
            at_least=at_least,
            schemas=schemas,
            sizes=_LARGER,
            orders=orders,
        )


def _digits(values: np.ndarray, digits: int = 2) -> list[str]:
    return [f"{value:.{digits}f}" for value in values]


def _noise(rng: np.random.Generator, n: int, spread: float) -> np.ndarray:
    return rng.normal(0, spread, n)


def number_kinds() -> Iterator[Kind]:
    """Yield copies of numbers. Those that keep the order only count where rows can be compared, or all are distinct."""
    cases: tuple[tuple[str, Make, str, Verdict, tuple[bool, ...]], ...] = (
        ("numbers × 1.01", lambda s, _: _digits(numbers(s) * 1.01, 4), "pay", Verdict.FAIL, (False, True)),
        (
            "numbers in another currency",
            lambda s, _: _digits(numbers(s) * 1473.25, 0),
            "sum_2",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "numbers with a currency sign",
            lambda s, _: ["€ " + f"{v:,.2f}" for v in numbers(s)],
            "Euro",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "numbers divided by a thousand",
            lambda s, _: _digits(numbers(s) / 1000, 6),
            "k",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "numbers plus a constant",
            lambda s, _: _digits(numbers(s) + 137.5),
            "level",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "numbers scaled and shifted",
            lambda s, _: _digits(numbers(s) * 1.8 + 32, 4),
            "fahr",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "a constant minus the numbers",
            lambda s, _: _digits(100_000 - numbers(s)),
            "rest",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "numbers as z-scores",
            lambda s, _: _digits((numbers(s) - numbers(s).mean()) / numbers(s).std(), 5),
            "z",
            Verdict.FAIL,
            (False,),
        ),
        (
            "logarithms of numbers",
            lambda s, _: _digits(np.log(np.abs(numbers(s)) + 1), 5),
            "log_v",
            Verdict.FAIL,
            (False,),
        ),
        (
            "square roots of numbers",
            lambda s, _: _digits(np.sqrt(np.abs(numbers(s))), 5),
            "root",
            Verdict.FAIL,
            (False,),
        ),
        (
            "ranks of numbers",
            lambda s, _: numbers(s).argsort().argsort().astype(str),
            "rank_all",
            Verdict.FAIL,
            (False,),
        ),
        (
            "percentiles of numbers with decimals",
            lambda s, _: _digits(pd.Series(numbers(s)).rank(pct=True).to_numpy() * 100, 4),
            "centile",
            Verdict.FAIL,
            (False,),
        ),
        (
            "numbers with noise of 1 %",
            lambda s, rng: _digits(numbers(s) * (1 + _noise(rng, len(s), 0.01))),
            "approx",
            Verdict.FAIL,
            (False,),
        ),
        (
            "numbers with 5 % noise",
            lambda s, rng: _digits(numbers(s) * (1 + _noise(rng, len(s), 0.05))),
            "approx5",
            Verdict.WARN,
            (False,),
        ),
        (
            "numbers to the power of three",
            lambda s, _: _digits(numbers(s) ** 3, 1),
            "cubes",
            Verdict.FAIL,
            (False,),
        ),
        (
            "numbers in scientific form",
            lambda s, _: [f"{v:.6E}" for v in numbers(s)],
            "sci",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "large numbers in another unit, six digits in scientific form",
            lambda s, _: [f"{v * 2.54e4:.5e}" for v in numbers(s)],
            "large",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "numbers as fractions of the largest",
            lambda s, _: _digits(numbers(s) / numbers(s).max(), 6),
            "ratio",
            Verdict.FAIL,
            (False,),
        ),
        (
            "reciprocals of numbers",
            lambda s, _: [f"{1 / v:.8f}" for v in numbers(s)],
            "per",
            Verdict.FAIL,
            (False,),
        ),
        ("numbers backwards", lambda s, _: s.map(lambda t: t[::-1]), "checksum", Verdict.FAIL, (False, True)),
        (
            "numbers with letters for digits",
            lambda s, _: s.str.translate(str.maketrans("0123456789", "ABCDEFGHIJ")),
            "code",
            Verdict.FAIL,
            (False,),
        ),
        (
            "two numbers joined with text",
            lambda s, _: "v=" + s + ";ok",
            "record",
            Verdict.FAIL,
            (False, True),
        ),
    )
    schemas = ("slovenian_registry", "english_insurance", "us_claims", "survey", "process_log")
    for name, make, heading, at_least, orders in cases:
        yield from _both(
            name,
            "derived numbers",
            _number_column,
            make,
            heading=heading,
            action="noise",
            schemas=schemas,
            at_least=at_least,
            orders=orders,
        )


def _birth(release: Release) -> str:
    return release.first("birth")


def _visit(release: Release) -> str:
    return release.first("date")


def _day_numbers(s: pd.Series) -> np.ndarray:
    return dates(s).dt.floor("D").to_numpy().astype("datetime64[D]").astype(int)


def date_kinds() -> Iterator[Kind]:
    """Yield copies of birthdates and visit dates in other forms."""
    cases: tuple[tuple[str, Make, str, Verdict, tuple[bool, ...]], ...] = (
        (
            "birthdates as spreadsheet serials",
            lambda s, _: (_day_numbers(s) + 25_569).astype(str),
            "stage",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "birthdates as seconds of the epoch",
            lambda s, _: (_day_numbers(s) * 86_400).astype(str),
            "tick",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "birthdates as milliseconds of the epoch",
            lambda s, _: (_day_numbers(s) * 86_400_000).astype(str),
            "clock",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "birthdates as Julian day numbers",
            lambda s, _: (_day_numbers(s) + 2_440_588).astype(str),
            "jd",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates as days before the study",
            lambda s, _: (20_000 - _day_numbers(s)).astype(str),
            "offset",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates as age in days",
            lambda s, _: (20_454 - _day_numbers(s)).astype(str),
            "measure_2",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates as age with decimals",
            lambda s, _: _digits((20_454 - _day_numbers(s)) / 365.25, 3),
            "measure_3",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates as yymmdd",
            lambda s, _: dates(s).dt.strftime("%y%m%d"),
            "vcode",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "birthdates as ddmmyyyy",
            lambda s, _: dates(s).dt.strftime("%d%m%Y"),
            "batch",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "birthdates backwards",
            lambda s, _: dates(s).dt.strftime("%Y%m%d").map(lambda t: t[::-1]),
            "lot",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates moved by 100 days for all",
            lambda s, _: (dates(s) + pd.Timedelta(days=100)).dt.strftime("%Y-%m-%d"),
            "dt",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates moved by up to three days each",
            lambda s, rng: (dates(s) + pd.to_timedelta(rng.integers(-3, 4, len(s)), unit="D")).dt.strftime(
                "%Y-%m-%d"
            ),
            "around",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates as the day after in words",
            lambda s, _: (dates(s) + pd.Timedelta(days=1)).dt.strftime("%d %b %Y"),
            "next_day",
            Verdict.FAIL,
            (False,),
        ),
        (
            "birthdates joined with the sex of all",
            lambda s, _: "B" + dates(s).dt.strftime("%Y%m%d") + "X",
            "stamp",
            Verdict.FAIL,
            (False, True),
        ),
        (
            "birthdates as ISO week",
            lambda s, _: dates(s).dt.strftime("%G-W%V"),
            "week",
            Verdict.WARN,
            (False, True),
        ),
    )
    for name, make, heading, at_least, orders in cases:
        yield from _both(
            name,
            "derived dates",
            _birth,
            make,
            heading=heading,
            action="generalize",
            strangers="" if any(word in name for word in ("moved", "words", "joined", "week")) else "heading",
            schemas=BORN,
            at_least=at_least,
            orders=orders,
        )
    yield leak(
        "birthdates split in year, month and day columns",
        "derived dates",
        _split("%Y %m %d", "y", "m", "d"),
        control=_split("%Y %m %d", "y", "m", "d", strangers=True),
        schemas=BORN,
    )
    yield leak(
        "birthdates split in month and day beside the year",
        "derived dates",
        _split("%m %d", "part1", "part2"),
        control=_split("%m %d", "part1", "part2", strangers=True),
        schemas=BORN,
        sizes=_LARGER,
    )
    yield leak(
        "birthdates split in year-month and day",
        "derived dates",
        _split("%Y-%m %d", "period", "no"),
        control=_split("%Y-%m %d", "period", "no", strangers=True),
        schemas=BORN,
    )
    yield leak(
        "birthdates as year and day of year",
        "derived dates",
        _split("%Y %j", "cohort", "seq"),
        control=_split("%Y %j", "cohort", "seq", strangers=True),
        schemas=BORN,
    )
    for name, make, heading, at_least in (
        ("visit dates as day numbers", lambda s, _: _day_numbers(s).astype(str), "day_index", Verdict.FAIL),
        (
            "visit dates as days since the first visit",
            lambda s, _: (_day_numbers(s) - _day_numbers(s).min()).astype(str),
            "elapsed",
            Verdict.FAIL,
        ),
        (
            "visit dates moved by half a year for all",
            lambda s, _: (dates(s) + pd.Timedelta(days=182)).dt.strftime("%Y-%m-%d"),
            "moved",
            Verdict.FAIL,
        ),
        ("visit dates in a US form", lambda s, _: dates(s).dt.strftime("%m/%d/%y"), "when", Verdict.FAIL),
    ):
        yield from _both(
            name,
            "derived dates",
            _visit,
            make,
            heading=heading,
            action="generalize",
            strangers="" if any(word in name for word in ("moved", "form")) else "heading",
            schemas=EVERY,
            at_least=at_least,
            orders=(False,),
        )


def _split(form: str, *headings: str, strangers: bool = False) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first("birth")
        source = release.of_strangers() if strangers else release
        parts = dates(source.truth(column)).dt.strftime(form).str.split(" ")
        release = release.without(column)
        for place, heading in enumerate(headings):
            release = release.having(heading, parts.str[place])
        return release

    return change


def other_kinds() -> Iterator[Kind]:
    """Yield copies of postcodes, places and several columns at once."""
    zips: tuple[tuple[str, Make, str], ...] = (
        ("postcodes backwards", lambda s, _: s.map(lambda t: t[::-1]), "zone"),
        (
            "postcodes plus 11111",
            lambda s, _: s.str.replace(r"\D", "", regex=True).astype(int).add(11_111).astype(str),
            "area",
        ),
        ("postcodes without their last digit", lambda s, _: s.str.slice(0, -1), "sector"),
        ("postcodes joined twice", lambda s, _: s + s, "grid"),
    )
    for name, make, heading in zips:
        yield from _both(
            name,
            "derived places",
            lambda release: release.first("zip"),
            make,
            heading=heading,
            action="region_generalize",
            strangers="heading",
            schemas=("korean_hospital", "english_insurance", "us_claims", "survey"),
            at_least=Verdict.WARN if "without" in name else Verdict.FAIL,
            orders=(False,),
        )
    yield leak(
        "coordinates of every address",
        "derived places",
        _coordinates,
        at_least=Verdict.FAIL,
        schemas=("korean_hospital", "slovenian_registry", "english_insurance"),
    )
    yield leak(
        "coordinates in one cell",
        "derived places",
        _coordinates_joined,
        schemas=("korean_hospital", "slovenian_registry", "english_insurance"),
    )
    yield leak(
        "sex, birthdate and postcode joined",
        "derived places",
        _joined,
        control=plain,
        schemas=("korean_hospital", "slovenian_registry", "english_insurance", "us_claims"),
    )
    yield leak(
        "income as exact text of words",
        "derived numbers",
        _set(_number_column, lambda s, _: s.map(_worded), heading="in_words", action="keep"),
        control=_set(
            _number_column, lambda s, _: s.map(_worded), heading="in_words", action="keep", strangers=True
        ),
        schemas=ONE_ROW_EACH,
        sizes=_LARGER,
        orders=(False,),
    )


_WORDS = ("nil", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _worded(text: str) -> str:
    return " ".join(_WORDS[int(digit)] if digit.isdigit() else "point" for digit in text)


def _places(release: Release) -> np.ndarray:
    """Return a made-up point for each distinct address, as a map would give it: the coordinates in the original too."""
    address = release.original[release.first("address")]
    codes, distinct = pd.factorize(address)
    rng = release.scenario.rng("map")
    points = np.column_stack([rng.uniform(45, 47, len(distinct)), rng.uniform(13, 17, len(distinct))])
    return points[codes]


def _coordinates(release: Release, _rng: np.random.Generator) -> Release:
    """Keep the coordinates that the original has as well."""
    points = _places(release)
    for place, heading in enumerate(("lat", "lon")):
        texts = pd.Series(_digits(points[:, place], 5))
        release = _with_original(release, heading, texts).having(heading, texts.iloc[release.rows])
    return release


def _coordinates_joined(release: Release, _rng: np.random.Generator) -> Release:
    points = _places(release)
    texts = pd.Series([f"{a:.5f},{b:.5f}" for a, b in points])
    return _with_original(release, "point", texts).having(
        "point", texts.iloc[release.rows].map("POINT({})".format)
    )


def _with_original(release: Release, heading: str, values: pd.Series) -> Release:
    return replace(release, original=release.original.assign(**{heading: values.to_numpy()}))


def _joined(release: Release, _rng: np.random.Generator) -> Release:
    sex = next(name for name, column in release.schema.columns.items() if column.semantic == "gender")
    parts = [release.truth(name) for name in (sex, release.first("birth"), release.first("zip"))]
    return release.having("link_key", parts[0] + "|" + parts[1] + "|" + parts[2])


KINDS = (*number_kinds(), *date_kinds(), *other_kinds())
