"""Names and numbers inside other columns' text, and names in other clothes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.schemas import Column
from benchmarks.quality.scoreboard import Kind, Scenario
from benchmarks.quality.tabular.releases import ALL_SCHEMAS as _SCHEMAS
from benchmarks.quality.tabular.releases import (
    EVERY,
    NAMED,
    ONE_ROW_EACH,
    Change,
    Release,
    anonymized,
    leak,
    original_of,
    tokens,
)
from core.verdict import Verdict

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


def names(schema_name: str, frame: pd.DataFrame) -> pd.Series:
    """Return each record's whole name."""
    schema = _SCHEMAS[schema_name]
    columns = schema.of_kind("name")
    return frame[columns].agg(" ".join, axis=1) if len(columns) > 1 else frame[columns[0]]


def _noted(scenario: Scenario) -> Release:
    """Return a careful release of a table that has a column of notes too; notes are kept, other categories are not."""
    schema = _SCHEMAS[scenario.schema]
    original = original_of(scenario)
    rng = scenario.rng("notes")
    phrases = np.array(_FIVE[schema.language])
    original["notes"] = phrases[rng.integers(0, len(phrases), len(original))]
    kept = {name: column for name, column in schema.columns.items() if column.semantic != "other"}
    columns = {**kept, "notes": Column(kind="text", semantic="other")}
    release = anonymized(replace(schema, columns=columns), scenario, original[list(columns)])
    return release if "notes" in release.released else release.having("notes", release.truth("notes"))


def _in_notes(
    share: float, made: Callable[[Release], pd.Series], *, sentence: bool = True, in_original: bool = True
) -> Change:
    """Return a change that writes something about the person into a share of the notes, at least four."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        n = len(release.rows)
        chosen = rng.permutation(n) < max(4, round(share * n))
        call = _CALLS[release.schema.language] if sentence else "{}"
        texts = release.released["notes"] + "; " + made(release).map(call.format)
        notes = release.released["notes"].mask(chosen, texts)
        original = release.original
        if in_original:
            original = original.assign(
                notes=original["notes"].where(~np.isin(np.arange(n), release.rows[chosen]))
            )
            original.loc[release.rows, "notes"] = notes.to_numpy()
        return replace(release.having("notes", notes), original=original)

    return change


def _whole(release: Release) -> pd.Series:
    return names(release.schema.name, release.original).iloc[release.rows].reset_index(drop=True)


def _turned(release: Release) -> pd.Series:
    """Return names with the surname first, or Korean ones with a space after it."""
    return _whole(release).map(
        lambda name: ", ".join(reversed(name.split(" ", 1))) if " " in name else f"{name[0]} {name[1:]}"
    )


def _of(*kinds: str) -> Callable[[Release], pd.Series]:
    return lambda release: release.truth(release.first(*kinds))


def note_kinds() -> Iterator[Kind]:
    """Yield names and numbers in free text that was kept."""
    large = (200, 1000, 5000, 20_000)
    cases: tuple[tuple[str, float, Callable[[Release], pd.Series], Sequence[str], Sequence[int]], ...] = (
        ("names turned round in a tenth of the notes", 0.1, _turned, NAMED, large),
        (
            "names in capitals in a tenth of the notes",
            0.1,
            lambda r: _whole(r).str.upper(),
            ("slovenian_registry", "english_insurance", "us_claims", "process_log"),
            large,
        ),
        (
            "telephones in a tenth of the notes",
            0.1,
            _of("phone"),
            ("korean_hospital", "slovenian_registry", "us_claims"),
            large,
        ),
        (
            "e-mails in 5 % of the notes",
            0.05,
            _of("email"),
            ("english_insurance", "survey", "process_log"),
            large,
        ),
        ("postcodes in a tenth of the notes", 0.1, _of("zip"), ONE_ROW_EACH, large),
    )
    for name, share, made, schemas, sizes in cases:
        yield leak(
            name,
            "in notes",
            _in_notes(share, made),
            base=_noted,
            schemas=schemas,
            sizes=sizes,
            at_least=Verdict.WARN if share < 0.02 or "postcodes" in name else Verdict.FAIL,
        )


def _added(heading: str, made: Callable[[Release], Sequence[str] | pd.Series]) -> Change:
    """Return a change that adds a column about the persons."""
    return lambda release, _rng: release.having(heading, made(release))


def _added_of_nobody(release: Release, rng: np.random.Generator) -> Release:
    """Add a column of random tokens: the control."""
    return release.having("field_7", [rng.bytes(6).hex() for _ in release.rows])


def column_kinds() -> Iterator[Kind]:
    """Yield columns beside the anonymized ones that name the person."""
    western = ("slovenian_registry", "english_insurance", "us_claims", "process_log")
    cases: tuple[tuple[str, str, Callable[[Release], pd.Series], Sequence[str]], ...] = (
        (
            "e-mail local parts as user names",
            "login",
            lambda r: _of("email")(r).str.split("@").str[0],
            ("english_insurance", "survey", "process_log"),
        ),
        (
            "names as a user name",
            "login",
            lambda r: _plain(_whole(r)).str.lower().str.replace(" ", "."),
            western,
        ),
        (
            "JSON cells with names as escapes",
            "payload",
            lambda r: _whole(r).map(lambda n: '{"n": "' + n.encode("unicode_escape").decode() + '"}'),
            ("korean_hospital",),
        ),
        (
            "a log line with the id",
            "trace",
            lambda r: "2026-01-01 INFO saved record " + _of("id")(r) + " in 3 ms",
            EVERY,
        ),
        ("ids and region joined", "group", lambda r: _of("region")(r) + "/" + _of("id")(r), EVERY),
    )
    for name, heading, made, schemas in cases:
        yield leak(
            name, "inside another column", _added(heading, made), control=_added_of_nobody, schemas=schemas
        )


def _plain(values: pd.Series) -> pd.Series:
    """Return the text without marks above letters; Korean stays whole."""
    return values.map(
        lambda text: unicodedata.normalize(
            "NFC", "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
        )
    )


def _masked(name: str) -> str:
    parts = name.split(" ")
    return f"{parts[0][:2]}* {' '.join(parts[1:])}" if len(parts) > 1 else f"{name[0]}*{name[2:]}"


def name_kinds() -> Iterator[Kind]:
    """Yield name columns in other clothes: the log says they are pseudonyms, or something else."""
    western = ("slovenian_registry", "english_insurance", "us_claims", "process_log")
    cases: tuple[tuple[str, Callable[[Release], pd.Series], Sequence[str]], ...] = (
        (
            "names turned round",
            lambda r: _whole(r).map(lambda n: " ".join(reversed(n.split(" ", 1)))),
            western,
        ),
        ("first name masked after two letters", lambda r: _whole(r).map(_masked), NAMED),
        ("names as squeezed ASCII", lambda r: _plain(_whole(r)).str.upper().str.replace(" ", ""), western),
        (
            "Korean names taken apart into letters",
            lambda r: _whole(r).map(lambda n: unicodedata.normalize("NFD", n)),
            ("korean_hospital",),
        ),
        (
            "names without vowels",
            lambda r: _plain(_whole(r)).str.replace(r"[aeiouAEIOU]", "", regex=True),
            western,
        ),
        ("names with invisible letters between", lambda r: _whole(r).map("\u200b".join), NAMED),
        (
            "names in look-alike letters",
            lambda r: _whole(r).str.translate(str.maketrans("aeopcxAEOPCX", "аеорсхАЕОРСХ")),
            western,
        ),
        (
            "Korean names with the middle syllable masked",
            lambda r: _whole(r).map(lambda n: n[0] + "O" + n[2:]),
            ("korean_hospital",),
        ),
    )
    for name, made, schemas in cases:
        yield leak(
            name,
            "names in other clothes",
            _in_place("name", made),
            control=_in_place_nobody("name"),
            schemas=schemas,
        )
        if name in {
            "names turned round",
            "initial and surname",
            "first name masked after two letters",
            "Korean names romanized",
        }:
            yield leak(
                f"{name}, in a column called alias",
                "names in other clothes",
                _added("alias", made),
                control=_added_of_nobody,
                schemas=schemas,
            )


def _in_place(kind: str, made: Callable[[Release], pd.Series]) -> Change:
    return lambda release, _rng: release.having(release.first(kind), made(release), action="pseudonymize")


def _in_place_nobody(kind: str) -> Change:
    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first(kind)
        return release.having(column, tokens(release.truth(column), rng), action="pseudonymize")

    return change


KINDS = (*note_kinds(), *column_kinds(), *name_kinds())
