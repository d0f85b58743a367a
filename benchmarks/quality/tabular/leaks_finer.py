"""Values that tell more records apart than the log says, whatever they were made of: finer, or spelled apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.releases import NAMED, Change, Release, dates, fine, leak, tokens
from core.verdict import Verdict

_ENOUGH = (200, 1000, 5000)
_WITH_DATES = ("korean_hospital", "slovenian_registry", "process_log", "us_claims")
_UNSEEN = ("\u200b", "\u200c")


def _spelled(write: Callable[[str, int], str]) -> Change:
    """Return a change that writes each value of a kept category in one of 97 ways, by the row."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.kept()[0]
        ways = rng.integers(0, 97, len(release.released))
        values = [write(value, int(way)) for value, way in zip(release.released[column], ways, strict=True)]
        return release.having(column, values, action="keep")

    return change


def _spelled_before(release: Release, rng: np.random.Generator) -> Release:
    """Write a kept category in four ways in the original, and in fewer in the release."""
    column = release.kept()[0]
    ways = rng.integers(0, 4, len(release.original))
    written = [
        (value, value.upper(), value.lower(), f"{value} ")[way]
        for value, way in zip(release.original[column], ways, strict=True)
    ]
    before = replace(release, original=release.original.assign(**{column: written}))
    return before.having(column, before.truth(column).str.strip(), action="keep")


def _in_bits(value: str, way: int) -> str:
    return value + "".join(_UNSEEN[int(bit)] for bit in f"{way:07b}")


def _finer(make: Callable[[Release, np.random.Generator], pd.Series | list[str]], action: str) -> Change:
    """Return a change that fills a category which the log calls coarser with values of something else."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        return release.having(release.first("category"), make(release, rng), semantic="other", action=action)

    return change


def _two_numbers(release: Release, rng: np.random.Generator) -> list[str]:
    return [f"{value:.3f}" for value in rng.normal(size=len(release.released))]


def _marked_tokens(mark: Callable[[str, np.random.Generator], str]) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first("id")
        drawn = tokens(release.truth(column), rng, n_bytes=6)
        marks = {name: mark(name, rng) for name in release.truth(release.first("name"))}
        names = release.truth(release.first("name"))
        values = [marks[name] + token for name, token in zip(names, drawn, strict=True)]
        return release.having(column, values, action="pseudonymize")

    return change


def _initials(name: str, _rng: np.random.Generator) -> str:
    return "".join(word[0] for word in name.split()) + "-"


def _some_letters(_name: str, rng: np.random.Generator) -> str:
    return "".join(rng.choice(list("ABCDEFGHIJKLMNOPRSTUVZ"), 2)) + "-"


def _days_between(release: Release, _rng: np.random.Generator) -> Release:
    born, seen = (dates(release.truth(release.first(kind))) for kind in ("birth", "date"))
    days = (seen.to_numpy() - born.to_numpy()) / np.timedelta64(1, "D")
    return release.having("d", [f"{day:.0f}" for day in days], semantic="other")


def _weeks(release: Release, _rng: np.random.Generator) -> Release:
    calendar = dates(release.truth(release.first("birth"))).dt.isocalendar()
    year = dates(release.truth(release.first("birth"))).dt.year
    for name, part in (("y", year), ("w", calendar.week), ("wd", calendar.day)):
        release = release.having(name, part.astype(str), semantic="other")
    return release


def _weekday_seen(release: Release, _rng: np.random.Generator) -> Release:
    seen = dates(release.truth(release.first("date")))
    return release.having(
        "seen on", seen.dt.day_of_week.map("Mon Tue Wed Thu Fri Sat Sun".split().__getitem__)
    )


def finer_kinds() -> Iterator[Kind]:
    """Yield columns that got finer, spellings that carry who it is, and what looks like them and is fine."""
    spellings = (("a category with signs nobody sees", _in_bits),)
    for name, write in spellings:
        yield leak(name, "spelling", _spelled(write), sizes=_ENOUGH)
    yield fine(
        "a category in fewer spellings than the original's",
        "spelling",
        _spelled_before,
        schemas=("english_insurance", "survey"),
        sizes=_ENOUGH,
    )
    for name, make, schemas in (("a category of numbers nobody had", _two_numbers, NAMED),):
        for action in ("generalize", "keep"):
            yield leak(
                f"{name}, logged {action}",
                "finer",
                _finer(make, action),
                at_least=Verdict.WARN,
                schemas=schemas,
                sizes=_ENOUGH,
            )
    yield leak(
        "tokens with initials before them",
        "initials",
        _marked_tokens(_initials),
        control=_marked_tokens(_some_letters),
        schemas=("english_insurance", "slovenian_registry"),
        sizes=_ENOUGH,
        orders=(False,),
    )
    yield fine(
        "tokens with two random letters before them",
        "initials",
        _marked_tokens(_some_letters),
        schemas=("english_insurance", "slovenian_registry"),
        sizes=_ENOUGH,
    )
    yield leak(
        "days from birth to a visit", "days between", _days_between, schemas=_WITH_DATES, sizes=_ENOUGH
    )
    yield leak(
        "year, week and weekday of birth", "parts of weeks", _weeks, schemas=_WITH_DATES, sizes=_ENOUGH
    )
    yield fine("the weekday of a visit", "parts of weeks", _weekday_seen, schemas=_WITH_DATES, sizes=_ENOUGH)


KINDS = tuple(finer_kinds())
