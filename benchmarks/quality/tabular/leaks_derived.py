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
            "ranks of numbers",
            lambda s, _: numbers(s).argsort().argsort().astype(str),
            "rank_all",
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
            "numbers as fractions of the largest",
            lambda s, _: _digits(numbers(s) / numbers(s).max(), 6),
            "ratio",
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
            "birthdates as seconds of the epoch",
            lambda s, _: (_day_numbers(s) * 86_400).astype(str),
            "tick",
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
            "birthdates joined with the sex of all",
            lambda s, _: "B" + dates(s).dt.strftime("%Y%m%d") + "X",
            "stamp",
            Verdict.FAIL,
            (False, True),
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
        "birthdates split in month and day beside the year",
        "derived dates",
        _split("%m %d", "part1", "part2"),
        control=_split("%m %d", "part1", "part2", strangers=True),
        schemas=BORN,
        sizes=_LARGER,
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
            "visit dates moved by half a year for all",
            lambda s, _: (dates(s) + pd.Timedelta(days=182)).dt.strftime("%Y-%m-%d"),
            "moved",
            Verdict.FAIL,
        ),
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
        (
            "postcodes plus 11111",
            lambda s, _: s.str.replace(r"\D", "", regex=True).astype(int).add(11_111).astype(str),
            "area",
        ),
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


def _with_original(release: Release, heading: str, values: pd.Series) -> Release:
    return replace(release, original=release.original.assign(**{heading: values.to_numpy()}))


KINDS = (*number_kinds(), *date_kinds(), *other_kinds())
