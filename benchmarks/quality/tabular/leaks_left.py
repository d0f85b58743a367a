"""Columns left as they were, wholly or in part, and logs that do not say what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.releases import (
    BORN,
    EVERY,
    NAMED,
    ONE_ROW_EACH,
    Change,
    Release,
    dates,
    floored,
    leak,
    tokens,
)
from core.verdict import Verdict

_ASK = Verdict.WARN


def left(kind: str, *, action: str, semantic: str = "") -> Change:
    """Return a change that leaves the original's first column of a kind as it was."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(*kind.split())
        return release.having(column, release.truth(column), action=action, semantic=semantic)

    return change


def _partly(
    kind: str, where: Callable[[Release, np.random.Generator], np.ndarray], fill: str = "token"
) -> Change:
    """Return a change that leaves a column as it was in some rows only; elsewhere tokens, or nothing."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first(*kind.split())
        values = release.truth(column)
        others = tokens(values, rng) if fill == "token" else pd.Series("", index=values.index)
        action = "pseudonymize" if fill == "token" else "drop"
        return release.having(column, others.mask(where(release, rng), values), action=action)

    return change


def _nowhere(change: Callable[..., Change], kind: str, **how: str) -> Change:
    return change(kind, lambda release, _rng: np.zeros(len(release.rows), dtype=bool), **how)


def _share(share: float) -> Callable[[Release, np.random.Generator], np.ndarray]:
    return lambda release, rng: rng.random(len(release.rows)) < max(share, 4 / len(release.rows))


def _block(start: float, end: float) -> Callable[[Release, np.random.Generator], np.ndarray]:
    def where(release: Release, _rng: np.random.Generator) -> np.ndarray:
        at = np.arange(len(release.rows)) / len(release.rows)
        return (at >= start) & (at < end)

    return where


def _one_region(release: Release, _rng: np.random.Generator) -> np.ndarray:
    town = release.truth(release.first("region"))
    return (town == town.iloc[0]).to_numpy()


def left_kinds() -> Iterator[Kind]:
    """Yield columns left as they were."""
    for kind, name, schemas in (
        ("phone", "telephones", ("korean_hospital", "slovenian_registry", "us_claims")),
        ("email", "e-mail addresses", ("english_insurance", "survey", "process_log")),
    ):
        yield leak(
            f"{name} kept, logged as other",
            "left as it was",
            left(kind, action="keep", semantic="other"),
            schemas=schemas,
        )
        yield leak(
            f"{name} kept, log says drop", "left as it was", left(kind, action="drop"), schemas=schemas
        )
    yield leak(
        "postcode kept in full, logged as region",
        "left as it was",
        left("zip", action="region_generalize", semantic="address"),
        schemas=ONE_ROW_EACH,
    )
    yield leak("names kept, column missing in log", "left as it was", _unlogged("name"), schemas=NAMED)


def _unlogged(kind: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(kind)
        kept = release.having(column, release.truth(column))
        return replace(kept, log={name: entry for name, entry in kept.log.items() if name != column})

    return change


def moved(kind: str, heading: str) -> Change:
    """Return a change that drops a column and keeps its values under another heading."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(kind)
        return release.without(column).having(heading, release.truth(column))

    return change


def partly_kinds() -> Iterator[Kind]:
    """Yield columns left as they were in some rows."""
    for kind, what in (
        ("id", "ids"),
        ("name email", "names or e-mails"),
        ("national phone email", "numbers"),
    ):
        for where, rows in (
            (_share(0.05), "5 % of the rows"),
            (_block(0.4, 0.55), "a block of rows"),
            (_one_region, "one region"),
        ):
            yield leak(
                f"{what} left in {rows}",
                "left in part",
                _partly(kind, where),
                control=_nowhere(_partly, kind),
                at_least=Verdict.FAIL
                if rows in {"half of the rows", "one region", "a block of rows"}
                else _ASK,
                sizes=(200, 1000, 5000, 20_000),
            )
    yield leak(
        "birthdates floored in the first half only",
        "left in part",
        _dates_partly(_block(0.5, 1.0)),
        schemas=BORN,
    )
    yield leak(
        "names blanked but for some rows",
        "left in part",
        _partly("name", _share(0.03), fill="blank"),
        schemas=NAMED,
    )


def _dates_partly(where: Callable[[Release, np.random.Generator], np.ndarray]) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first("birth")
        exact = dates(release.truth(column)).dt.strftime("%Y-%m-%d")
        values = floored(release.truth(column), 10).mask(where(release, rng), exact)
        return release.having(column, values, action="date_floor_decade")

    return change


_ODD_DROPS = ("DROP", " Drop", "drop ", "ｄｒｏｐ", "Dropped", "remove", "delete", "drop_column", "droρ")


def log_kinds() -> Iterator[Kind]:
    """Yield words of the log in odd spelling, and logs that are wrong."""
    for kind, word in zip(
        ("name", "name", "email", "name", "id", "name email", "id", "national phone email", "name email"),
        _ODD_DROPS,
        strict=True,
    ):
        yield leak(
            f"log says {word!r}, {kind} kept in tidied form",
            "log words",
            _tidied(kind, action=word),
            control=_properly_dropped(kind),
            at_least=_ASK,
            schemas=NAMED
            if kind == "name"
            else ("english_insurance", "survey", "process_log")
            if kind == "email"
            else EVERY,
        )
    for word in ("Date_Floor_Year", "date-floor-year"):
        yield leak(
            f"log says {word!r}, months kept",
            "log words",
            _months(word),
            control=_years(word),
            at_least=_ASK,
            schemas=BORN,
        )
    for word in ("hash",):
        yield leak(f"log says {word!r}, half the ids kept", "log words", _half_kept(word), at_least=_ASK)
    for word in ("fullname", "cellphone", "resident_number", "FIRST NAME"):
        yield leak(
            f"kept column the log calls {word!r}",
            "log words",
            _called(word),
            control=_called_blank(word),
            schemas=EVERY,
        )
    yield leak(
        "log names a column that is nowhere",
        "log words",
        lambda release, _rng: replace(
            release, log={**release.log, "passport_no": {"semantic": "passport", "action": "pseudonymize"}}
        ),
        at_least=_ASK,
    )
    yield leak("log says drop, column renamed with a suffix", "log words", _suffixed, schemas=NAMED)
    yield leak("log of another table", "log words", _other_log, at_least=_ASK)
    yield leak(
        "log of another file of the same table",
        "log words",
        lambda release, _rng: replace(release, meta={**release.meta, "source_file": "patients_2021.csv"}),
        at_least=_ASK,
    )


def _other_log(release: Release, _rng: np.random.Generator) -> Release:
    return replace(release, log={f"col_{i}": {"semantic": "other", "action": "keep"} for i in range(6)})


def _wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


def _tidied(kind: str, *, action: str) -> Change:
    """Keep a column in another spelling: upper case, spaces as underscores."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(*kind.split())
        values = release.truth(column)
        respelled = (
            values.str.upper()
            if (values.str.upper() != values).any()
            else values.str.replace("-", "").str.strip("0")
        )
        return release.having(column, respelled.str.replace(" ", "_"), action=action)

    return change


def _properly_dropped(kind: str) -> Change:
    """Return the control: the column is dropped for good, and logged so in the published word."""
    return lambda release, _rng: release.without(release.first(*kind.split()))


def _months(word: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first("birth")
        return release.having(column, dates(release.truth(column)).dt.strftime("%Y-%m-01"), action=word)

    return change


def _years(word: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first("birth")
        if column not in release.released:
            return release
        return release.logged(column, action="date_floor_decade" if "ecade" in word else "date_floor_year")

    return change


def _half_kept(word: str) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first("id")
        values = release.truth(column)
        return release.having(
            column, tokens(values, rng).mask(rng.random(len(values)) < 0.5, values), action=word
        )

    return change


def _called(word: str) -> Change:
    """Keep a column in coarser form (no name in full, no number in full) and call it what it is."""

    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first("national", "phone", "email", "name")
        return release.having(column, release.truth(column).str.slice(0, -1), semantic=word, action="keep")

    return change


def _called_blank(word: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first("national", "phone", "email", "name")
        return release.without(column).logged(column, semantic=word)

    return change


def _suffixed(release: Release, _rng: np.random.Generator) -> Release:
    column = release.first("name")
    return replace(
        release,
        released=release.released.assign(**{f"{column}_anon": release.truth(column).str.upper() + "."}),
    )


def respelled_kinds() -> Iterator[Kind]:
    """Yield columns left as they were in another spelling."""
    for name, kind, respell, schemas in _RESPELLED:
        yield leak(
            name,
            "respelled",
            _respelled(kind, respell),
            control=lambda release, _rng: release,
            schemas=schemas,
        )


def _respelled(kind: str, respell: Callable[[pd.Series], pd.Series]) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(kind)
        action = {"id": "pseudonymize", "birth": "date_floor_year"}.get(kind, "region_generalize")
        return release.having(column, respell(release.truth(column)), action=action)

    return change


_PHONES = ("korean_hospital", "slovenian_registry", "us_claims")
_RESPELLED: tuple[tuple[str, str, Callable[[pd.Series], pd.Series], tuple[str, ...]], ...] = (
    ("birthdates as ISO weeks and days", "birth", lambda s: dates(s).dt.strftime("%G-W%V-%u"), BORN),
    ("birthdates as day of year", "birth", lambda s: dates(s).dt.strftime("%Y-%j"), BORN),
    ("postcodes with spaces between", "zip", lambda s: s.map(" ".join), ONE_ROW_EACH),
    (
        "telephones written as words of digits",
        "phone",
        lambda s: s.str.replace(r"\D", "", regex=True).map(lambda t: "-".join(_DIGITS[int(d)] for d in t)),
        _PHONES,
    ),
    (
        "ids with a check letter at the end",
        "id",
        lambda s: s + s.map(lambda t: "ABCDEFGH"[sum(map(ord, t)) % 8]),
        EVERY,
    ),
    ("ids in full-width digits", "id", lambda s: s.map(_wide), EVERY),
    (
        "e-mails with at and dot in words",
        "email",
        lambda s: s.str.replace("@", " (at) ").str.replace(".", " (dot) "),
        ("english_insurance", "survey", "process_log"),
    ),
    (
        "national numbers with the middle masked",
        "national",
        lambda s: s.map(lambda t: t[: len(t) // 2 - 1] + "**" + t[len(t) // 2 + 1 :]),
        _PHONES,
    ),
)
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


KINDS = (*left_kinds(), *partly_kinds(), *log_kinds(), *respelled_kinds())
