"""Names and numbers inside other columns' text, and names in other clothes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.schemas import SCHEMAS, Column
from benchmarks.quality.scoreboard import Scenario
from benchmarks.quality.tabular.releases import (
    ASK,
    Change,
    Release,
    added,
    anonymized,
    leak,
    original_of,
    random_tokens,
    written,
)

_FIVE = {
    "ko": ("경과 양호", "다음 달 재방문", "추가 검사 없음", "약 처방함", "보호자와 통화"),
    "sl": (
        "brez posebnosti",
        "kontrola čez mesec",
        "odsvetovan napor",
        "predpisana terapija",
        "pogovor s svojci",
    ),
    "en": (
        "no complaints",
        "call back next month",
        "no further tests",
        "advice given",
        "talked to the family",
    ),
}
_CALLS = {"ko": "{} 님과 통화", "sl": "klical {} zaradi termina", "en": "spoke to {} about the date"}


def _noted(scenario: Scenario) -> Release:
    """Return a careful release of a table that has a column of notes too; notes are kept, other categories are not."""
    schema = SCHEMAS[scenario.schema]
    original = original_of(scenario)
    rng = scenario.rng("notes")
    phrases = np.array(_FIVE[schema.language])
    original["notes"] = phrases[rng.integers(0, len(phrases), len(original))]
    kept = {name: column for name, column in schema.columns.items() if column.semantic != "other"}
    columns = {**kept, "notes": Column(kind="text", semantic="other")}
    release = anonymized(replace(schema, columns=columns), scenario, original[list(columns)])
    return release if "notes" in release.released else release.having("notes", release.truth("notes"))


def _in_notes(share: float, made: Callable[[Release], pd.Series]) -> Change:
    """Return a change that writes something about the person into a share of the notes, at least four."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        n = len(release.rows)
        chosen = rng.permutation(n) < max(4, round(share * n))
        texts = release.released["notes"] + "; " + made(release).map(_CALLS[release.schema.language].format)
        notes = release.released["notes"].mask(chosen, texts)
        original = release.original.copy()
        original.loc[release.rows, "notes"] = notes.to_numpy()
        return replace(release.having("notes", notes), original=original)

    return change


def _whole(release: Release) -> pd.Series:
    """Return each record's whole name."""
    names = release.original[release.schema.of_kind("name")].agg(" ".join, axis=1)
    return names.iloc[release.rows].reset_index(drop=True)


def _turned(release: Release) -> pd.Series:
    """Return names with the surname first, or Korean ones with a space after it."""
    return _whole(release).map(
        lambda name: ", ".join(reversed(name.split(" ", 1))) if " " in name else f"{name[0]} {name[1:]}"
    )


def _of(*kinds: str) -> Callable[[Release], pd.Series]:
    return lambda release: release.truth(release.first(*kinds))


def _plain(text: str) -> str:
    """Return the text without marks above letters; Korean stays whole."""
    return unicodedata.normalize(
        "NFC", "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    )


def _masked(name: str) -> str:
    parts = name.split(" ")
    return f"{parts[0][:2]}* {' '.join(parts[1:])}" if len(parts) > 1 else f"{name[0]}*{name[2:]}"


def _as_names(make: Callable[[str], str]) -> Change:
    """Return a change that writes whole names in other clothes where the names stood, as pseudonyms."""
    return lambda release, _rng: release.having(
        release.first("name"), _whole(release).map(make), action="pseudonymize"
    )


def _backwards(name: str) -> str:
    return " ".join(reversed(name.split(" ", 1)))


_ALIKE = str.maketrans("aeopcxAEOPCX", "аеорсхАЕОРСХ")
_KOREAN, _ENGLISH, _WESTERN = (
    ("korean_hospital",),
    ("english_insurance",),
    ("slovenian_registry", "english_insurance"),
)
_NO_VOWELS = str.maketrans("", "", "aeiouAEIOU")
# fmt: off
_NOTES = (
    ("names turned round in a tenth of the notes", 0.1, _turned, {}),
    ("names in capitals in a tenth of the notes", 0.1, lambda r: _whole(r).str.upper(), {"schemas": _WESTERN}),
    ("telephones in a tenth of the notes", 0.1, _of("phone"), {"schemas": ("korean_hospital", "slovenian_registry")}),
    ("e-mails in 5 % of the notes", 0.05, _of("email"), {"schemas": _ENGLISH}),
    ("postcodes in a tenth of the notes", 0.1, _of("zip"), {"at_least": ASK}),
)
_INSIDE = (
    ("e-mail local parts as user names", "login", lambda r, _: _of("email")(r).str.split("@").str[0], {"schemas": _ENGLISH}),
    ("names as a user name", "login", lambda r, _: _whole(r).map(_plain).str.lower().str.replace(" ", "."), {"schemas": _WESTERN}),
    ("JSON cells with names as escapes", "payload", lambda r, _: _whole(r).map(lambda n: '{"n": "' + n.encode("unicode_escape").decode() + '"}'), {"schemas": _KOREAN}),
    ("a log line with the id", "trace", lambda r, _: "2026-01-01 INFO saved record " + _of("id")(r) + " in 3 ms", {}),
    ("ids and region joined", "group", lambda r, _: _of("region")(r) + "/" + _of("id")(r), {}),
)
_CLOTHES = (
    ("names turned round", _backwards, {"schemas": _WESTERN}),
    ("first name masked after two letters", _masked, {}),
    ("names as squeezed ASCII", lambda n: _plain(n).upper().replace(" ", ""), {"schemas": _WESTERN}),
    ("Korean names taken apart into letters", lambda n: unicodedata.normalize("NFD", n), {"schemas": _KOREAN}),
    ("names without vowels", lambda n: _plain(n).translate(_NO_VOWELS), {"schemas": _WESTERN}),
    ("names with invisible letters between", "\u200b".join, {}),
    ("names in look-alike letters", lambda n: n.translate(_ALIKE), {"schemas": _WESTERN}),
    ("Korean names with the middle syllable masked", lambda n: n[0] + "O" + n[2:], {"schemas": _KOREAN}),
)
_NOBODY = added("field_7", lambda release, rng: [rng.bytes(6).hex() for _ in release.rows])  # the control
KINDS = (
    *(leak(name, "in notes", _in_notes(share, made), base=_noted, **how) for name, share, made, how in _NOTES),
    *(leak(name, "inside another column", added(heading, made), control=_NOBODY, **how) for name, heading, made, how in _INSIDE),
    *(
        leak(name, "names in other clothes", _as_names(make), control=written("name", random_tokens), **how)
        for name, make, how in _CLOTHES
    ),
    leak(
        "names turned round, in a column called alias", "names in other clothes", control=_NOBODY, schemas=_WESTERN,
        change=added("alias", lambda r, _: _whole(r).map(_backwards)),
    ),
)
# fmt: on
