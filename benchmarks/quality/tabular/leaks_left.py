"""Columns left as they were, wholly or in part, and logs that do not say what was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.tabular.releases import (
    ASK,
    EVERY,
    Change,
    Release,
    dates,
    each,
    floored,
    leak,
    tokens,
    written,
)

_PHONES, _ENGLISH = ("korean_hospital", "slovenian_registry"), ("english_insurance",)
_HAVING = {"phone": _PHONES, "national": _PHONES, "email": _ENGLISH}
Where = Callable[[Release, np.random.Generator], np.ndarray]


def left(kind: str, *, action: str, semantic: str = "") -> Change:
    """Return a change that leaves the original's first column of a kind as it was."""
    return written(kind, lambda values, _: values, action=action, semantic=semantic)


def moved(kind: str, heading: str) -> Change:
    """Return a change that drops a column and keeps its values under another heading."""
    return written(kind, lambda values, _: values, heading=heading)


def _partly(kind: str, where: Where, *, blank: bool = False) -> Change:
    """Return a change that leaves a column as it was in some rows only; elsewhere tokens, or nothing."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first(*kind.split())
        values = release.truth(column)
        others = pd.Series("", index=values.index) if blank else tokens(values, rng)
        action = "drop" if blank else "pseudonymize"
        return release.having(column, others.mask(where(release, rng), values), action=action)

    return change


def _share(share: float) -> Where:
    return lambda release, rng: rng.random(len(release.rows)) < max(share, 4 / len(release.rows))


def block(start: float, end: float) -> Where:
    """Return which rows are in a block, from one share of the table to another."""

    def where(release: Release, _rng: np.random.Generator) -> np.ndarray:
        at = np.arange(len(release.rows)) / len(release.rows)
        return (at >= start) & (at < end)

    return where


def _one_region(release: Release, _rng: np.random.Generator) -> np.ndarray:
    town = release.truth(release.first("region"))
    return (town == town.iloc[0]).to_numpy()


def _nowhere(release: Release, _rng: np.random.Generator) -> np.ndarray:
    return np.zeros(len(release.rows), dtype=bool)


def exact_births(where: Where, action: str) -> Change:
    """Return a change that leaves birthdates exact in some rows, and floors the others to decades."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first("birth")
        exact = dates(release.truth(column)).dt.strftime("%Y-%m-%d")
        values = floored(release.truth(column), 10).mask(where(release, rng), exact)
        return release.having(column, values, action=action)

    return change


def _unlogged(release: Release, _rng: np.random.Generator) -> Release:
    column = release.first("name")
    kept = release.having(column, release.truth(column))
    return replace(kept, log={name: entry for name, entry in kept.log.items() if name != column})


def _tidied(values: pd.Series, _rng: np.random.Generator) -> pd.Series:
    """Return another spelling: upper case, spaces as underscores."""
    upper = values.str.upper()
    respelled = upper if (upper != values).any() else values.str.replace("-", "").str.strip("0")
    return respelled.str.replace(" ", "_")


def _dropped(kind: str) -> Change:
    """Return the control: the column is dropped for good, and logged so in the published word."""
    return lambda release, _rng: release.without(release.first(*kind.split()))


def _years(release: Release, _rng: np.random.Generator) -> Release:
    column = release.first("birth")
    return release.logged(column, action="date_floor_year") if column in release.released else release


def _half_kept(values: pd.Series, rng: np.random.Generator) -> pd.Series:
    return tokens(values, rng).mask(rng.random(len(values)) < 0.5, values)


_NUMBERS = "national phone email name"


def _called_blank(word: str) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(*_NUMBERS.split())
        return release.without(column).logged(column, semantic=word)

    return change


def _suffixed(release: Release, _rng: np.random.Generator) -> Release:
    column = release.first("name")
    values = release.truth(column).str.upper() + "."
    return replace(release, released=release.released.assign(**{f"{column}_anon": values}))


def _other_log(release: Release, _rng: np.random.Generator) -> Release:
    return replace(release, log={f"col_{i}": {"semantic": "other", "action": "keep"} for i in range(6)})


def _log_of_passports(release: Release, _rng: np.random.Generator) -> Release:
    passport = {"semantic": "passport", "action": "pseudonymize"}
    return replace(release, log={**release.log, "passport_no": passport})


def _log_of_another_file(release: Release, _rng: np.random.Generator) -> Release:
    return replace(release, meta={**release.meta, "source_file": "patients_2021.csv"})


def _wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


_DIGITS = "zero one two three four five six seven eight nine".split()
# fmt: off
_LEFT = (
    ("telephones kept, logged as other", "phone", {"action": "keep", "semantic": "other"}),
    ("telephones kept, log says drop", "phone", {"action": "drop"}),
    ("e-mail addresses kept, logged as other", "email", {"action": "keep", "semantic": "other"}),
    ("e-mail addresses kept, log says drop", "email", {"action": "drop"}),
    ("postcode kept in full, logged as region", "zip", {"action": "region_generalize", "semantic": "address"}),
)
_PARTS = (
    ("ids left in 5 % of the rows", "id", _share(0.05), ASK),
    ("ids left in one region", "id", _one_region, None),
    ("names or e-mails left in 5 % of the rows", "name email", _share(0.05), ASK),
    ("names or e-mails left in a block of rows", "name email", block(0.4, 0.55), None),
    ("numbers left in 5 % of the rows", "national phone email", _share(0.05), ASK),
    ("numbers left in a block of rows", "national phone email", block(0.4, 0.55), None),
)
_ODD_DROPS = (
    ("DROP", "name"), (" Drop", "name"), ("drop ", "email"), ("ｄｒｏｐ", "name"), ("remove", "name email"),
    ("delete", "id"), ("drop_column", "national phone email"), ("droρ", "name email"),
)
_RESPELLED = (
    ("birthdates as ISO weeks and days", "birth", "date_floor_year", lambda s, _: dates(s).dt.strftime("%G-W%V-%u")),
    ("birthdates as day of year", "birth", "date_floor_year", lambda s, _: dates(s).dt.strftime("%Y-%j")),
    ("postcodes with spaces between", "zip", "region_generalize", each(" ".join)),
    ("telephones written as words of digits", "phone", "region_generalize", each(lambda t: "-".join(_DIGITS[int(d)] for d in t if d.isdigit()))),
    ("ids with a check letter at the end", "id", "pseudonymize", each(lambda t: t + "ABCDEFGH"[sum(map(ord, t)) % 8])),
    ("ids in full-width digits", "id", "pseudonymize", each(_wide)),
    ("e-mails with at and dot in words", "email", "region_generalize", each(lambda t: t.replace("@", " (at) ").replace(".", " (dot) "))),
    ("national numbers with the middle masked", "national", "region_generalize", each(lambda t: t[: len(t) // 2 - 1] + "**" + t[len(t) // 2 + 1 :])),
)
KINDS = (
    *(leak(name, "left as it was", left(kind, **how), schemas=_HAVING.get(kind, EVERY)) for name, kind, how in _LEFT),
    leak("names kept, column missing in log", "left as it was", _unlogged),
    *(
        leak(name, "left in part", _partly(kind, where), control=_partly(kind, _nowhere), **({"at_least": least} if least else {}))
        for name, kind, where, least in _PARTS
    ),
    leak("birthdates floored in the first half only", "left in part", exact_births(block(0.5, 1.0), "date_floor_decade")),
    leak("names blanked but for some rows", "left in part", _partly("name", _share(0.03), blank=True)),
    *(
        leak(
            f"log says {word!r}, {kind} kept in tidied form", "log words", written(kind, _tidied, action=word),
            control=_dropped(kind), at_least=ASK, schemas=_HAVING.get(kind, EVERY),
        )
        for word, kind in _ODD_DROPS
    ),
    leak(
        "log says 'date-floor-year', months kept", "log words", control=_years, at_least=ASK,
        change=written("birth", lambda s, _: dates(s).dt.strftime("%Y-%m-01"), action="date-floor-year"),
    ),
    leak("log says 'hash', half the ids kept", "log words", written("id", _half_kept, action="hash"), at_least=ASK),
    *(
        leak(
            f"kept column the log calls {word!r}", "log words", control=_called_blank(word),
            change=written(_NUMBERS, lambda s, _: s.str.slice(0, -1), semantic=word, action="keep"),
        )
        for word in ("fullname", "resident_number", "FIRST NAME")
    ),
    leak("log names a column that is nowhere", "log words", _log_of_passports, at_least=ASK),
    leak("log says drop, column renamed with a suffix", "log words", _suffixed),
    leak("log of another table", "log words", _other_log, at_least=ASK),
    leak("log of another file of the same table", "log words", _log_of_another_file, at_least=ASK),
    *(
        leak(name, "respelled", written(kind, make, action=action), schemas=_HAVING.get(kind, EVERY))
        for name, kind, action, make in _RESPELLED
    ),
)
# fmt: on
