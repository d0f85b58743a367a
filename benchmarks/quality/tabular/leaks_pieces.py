"""Pieces of identifiers, days without a year, ranks and numbers worked out from others; and what is fine of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.releases import (
    ALL_SCHEMAS,
    BORN,
    NAMED,
    Change,
    Release,
    dates,
    fine,
    leak,
    numbers,
)
from core.verdict import Verdict

_ENOUGH = (200, 1000, 5000)
_NUMBERED = tuple(
    name
    for name, schema in ALL_SCHEMAS.items()
    if len(schema.of_kind("number")) > 1 and name not in {"process_log", "survey"}
)


def _pseudonyms(make: Callable[[Release, np.random.Generator], list[str]]) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        return release.having(release.first("id"), make(release, rng), action="pseudonymize")

    return change


def _drawn(rng: np.random.Generator, n: int) -> list[str]:
    return [f"{number:06d}" for number in rng.choice(10**6, n, replace=False)]


def _digits(release: Release) -> list[str]:
    written = release.truth(release.first("id")).str.replace(r"\D", "", regex=True)
    return written.str[-4:].tolist()


def _with_last_four(release: Release, rng: np.random.Generator) -> list[str]:
    last = _digits(release)
    return [f"X{four}{drawn}" for four, drawn in zip(last, _drawn(rng, len(last)), strict=True)]


def _with_any_four(release: Release, rng: np.random.Generator) -> list[str]:
    n = len(release.released)
    return [
        f"X{four:04d}{drawn}" for four, drawn in zip(rng.integers(0, 10**4, n), _drawn(rng, n), strict=True)
    ]


def _in_order_of_names(release: Release, _rng: np.random.Generator) -> list[str]:
    places = release.truth(release.first("name")).rank(method="first").astype(int)
    return [f"S{place:05d}" for place in places]


def _counted_up(release: Release, rng: np.random.Generator) -> list[str]:
    return [f"S{place:06d}" for place in rng.permutation(len(release.released)) + 1]


def _joined_digest(release: Release, _rng: np.random.Generator) -> list[str]:
    born = dates(release.truth(release.first("birth"))).dt.strftime("%Y-%m-%d")
    return [
        hashlib.sha256(f"{name}|{day}".lower().encode()).hexdigest()
        for name, day in zip(release.truth(release.first("name")), born, strict=True)
    ]


def _day_of_birth(release: Release, _rng: np.random.Generator) -> Release:
    born = dates(release.truth(release.first("birth")))
    return release.having("d", born.dt.day_of_year.astype(str), semantic="other")


def _any_day(release: Release, rng: np.random.Generator) -> Release:
    return release.having("d", rng.integers(1, 366, len(release.released)).astype(str), semantic="other")


def _ratio(release: Release, _rng: np.random.Generator) -> Release:
    first, second = (numbers(release.truth(name)) for name in release.schema.of_kind("number")[:2])
    with np.errstate(all="ignore"):
        ratio = pd.Series(first / second).replace([np.inf, -np.inf], np.nan)
    size = float(np.nanmedian(np.abs(ratio))) or 1.0
    places = max(0, 3 - int(np.floor(np.log10(size))))
    written = ["" if np.isnan(value) else f"{value:.{places}f}" for value in ratio]
    return release.having("index", written, semantic="other")


def _one_identifier(release: Release, _rng: np.random.Generator) -> Release:
    column = release.kept()[0]
    values = release.released[column].tolist()
    values[len(values) // 2] = str(release.truth(release.first("id"))[len(values) // 2])
    return release.having(column, values, action="keep")


def _kinds() -> Iterator[Kind]:
    yield leak(
        "the last four digits of a number before random ones",
        "pieces",
        _pseudonyms(_with_last_four),
        control=_pseudonyms(_with_any_four),
        sizes=_ENOUGH,
    )
    yield leak(
        "numbers in the order of names",
        "sorted",
        _pseudonyms(_in_order_of_names),
        schemas=NAMED,
        sizes=_ENOUGH,
    )
    yield fine("numbers counted up", "sorted", _pseudonyms(_counted_up), sizes=_ENOUGH)
    yield leak(
        "a digest of the name and the date of birth",
        "joined",
        _pseudonyms(_joined_digest),
        schemas=[name for name in NAMED if name in BORN],
        sizes=_ENOUGH,
    )
    yield leak(
        "the day of the year of birth", "days", _day_of_birth, control=_any_day, schemas=BORN, sizes=_ENOUGH
    )
    yield leak(
        "the ratio of two numbers",
        "worked out",
        _ratio,
        at_least=Verdict.WARN,
        schemas=_NUMBERED,
        sizes=_ENOUGH,
    )
    yield leak("one identifier in a category", "text", _one_identifier, sizes=_ENOUGH)


KINDS = tuple(_kinds())
