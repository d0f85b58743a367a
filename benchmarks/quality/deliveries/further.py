"""Deliveries written after the checks were: wide tables, families, file names, notes, counts, kinds of keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from benchmarks.quality.deliveries.clean import clean
from benchmarks.quality.deliveries.leaks import SIZES, dates, leak
from benchmarks.quality.deliveries.worlds import Column, World, pseudonyms
from core.verdict import Verdict

_WARN = Verdict.WARN
_JOINED, _COMPUTED, _IDENTIFIER = ("joined_k",), ("key_computed",), ("looks_like_identifier",)
_TEXT, _COUNTS = ("people_in_text",), ("small_counts",)


def _of_person(w: World, name: str, who: Column | None = None, **columns: Column) -> None:
    who = np.arange(w.n) if who is None else who
    w.add(name, who, **{w.names.vperson: w.ids[who], **columns})


# Wide tables


def _wide(w: World, name: str, days: Column) -> None:
    columns = {f"visit{at + 1}_date": dates(days[:, at]) for at in range(days.shape[1])}
    _of_person(w, name, **columns)


@leak("wide", _JOINED)
def _dates_of_three_visits_in_one_record(w: World, leaky: bool) -> None:
    days = w.rng.integers(0, 300, (w.n, 3)) if leaky else np.zeros((w.n, 3), dtype=np.int64)
    _wide(w, "overview", np.cumsum(days, axis=1))
    w.planted = w.n // 2 * leaky if w.n <= 1000 else leaky


# Persons who belong together


@leak("families", ("households",), at_least=_WARN, sizes=SIZES[:3])
def _policies_that_a_family_shares(w: World, leaky: bool) -> Sequence[str]:
    order = w.rng.permutation(w.n) if leaky else np.argsort(w.kind, kind="stable")
    policy = np.empty(w.n, dtype=object)
    policy[order] = pseudonyms(w.rng, w.n, 8)[np.arange(w.n) // 3]
    w.persons["policy"] = policy
    return (f"`{w.names.persons}.policy`",)


# Keys


@leak("keys further", _JOINED)
def _site_and_number_under_other_names(w: World, leaky: bool) -> None:
    """Call the two columns that name a person together otherwise in each table."""
    names, site = w.names, np.array(["s1", "s2", "s3"])[w.kind % 3]
    number = np.zeros(w.n, dtype=np.int64)
    for each in np.unique(site):
        number[site == each] = w.rng.permutation(np.count_nonzero(site == each))
    w.tables = {name: w.tables[name] for name in (names.persons, names.visits)}
    w.persons.pop(names.pid)
    w.visits.pop(names.vperson)
    w.persons.update(centre=site, subject_number=number)
    w.visits.update(site=site[w.of_visit], subject_no=number[w.of_visit])
    w.visits[names.day] = dates(w.rng.integers(0, 300, len(w.of_visit)) if leaky else 0 * w.of_visit)
    w.planted = w.n // 2 * leaky if w.n <= 1000 else leaky


def _pasted(before: str, keys: Column, after: str | Column) -> Column:
    return np.char.add(np.char.add(before, keys), after)


@leak("keys further", ("key_holds_dates",), at_least=_WARN)
def _keys_of_initials_and_year_of_birth(w: World, leaky: bool) -> None:
    if leaky:
        letters = np.array(list("ABCDEFGHIJKLMNOPRSTVZ"))[w.rng.integers(0, 21, (w.n, 2))]
        keys = np.array(
            [f"{a}{b}{year}-{at:05}" for (a, b), year, at in zip(
                letters, w.rng.integers(1930, 2010, w.n), w.rng.permutation(w.n), strict=True)]
        )  # fmt: skip
        w.rename(lambda who: keys[who])


# Files, places, machines


@leak("files", ("key_holds_dates",), at_least=_WARN)
def _names_of_files_with_the_day(w: World, leaky: bool) -> Sequence[str]:
    day = np.char.replace(dates(w.rng.integers(0, 900, len(w.of_visit))), "-", "")
    number = w.rng.permutation(2 * w.n).astype(str)
    scan = pseudonyms(w.rng, 2 * w.n, 16)
    w.tests["file"] = _pasted("scan_", np.char.add(np.char.add(day, "_"), number) if leaky else scan, ".dcm")
    return (f"{w.names.tests}.file",)


@leak("places", (*_JOINED, "unchosen_columns"), at_least=_WARN)
def _coordinates_of_visits(w: World, leaky: bool) -> None:
    at = w.rng.random((2 * w.n, 2)) if leaky else np.zeros((2 * w.n, 2))
    w.visits.update(lat=np.round(45.5 + at[:, 0], 5), lon=np.round(13.5 + at[:, 1], 5))
    w.planted = w.n // 2 * leaky


@leak("sets", ("joined_k", "lists"))
def _lists_as_json(w: World, leaky: bool) -> None:
    codes = np.array([f"C{each:02}" for each in range(int(30 * (w.n / 300) ** 0.5))])
    w.persons["codes"] = np.array(
        [
            json.dumps([*w.rng.choice(codes, 4, replace=False)] if leaky else [*codes[: 2 + kind % 2]])
            for kind in w.kind
        ]
    )
    w.thresholds["known_records"] = 2
    w.planted = w.n // 2 * leaky if w.n <= 1000 else leaky


# Notes

_BEGIN = {
    "en": ("came with", "was seen for", "again reports", "asked about", "has had"),
    "sl": ("prišla zaradi", "ponovno navaja", "danes omenja", "pregledana zaradi", "že dolgo ima"),
    "ko": ("오늘 아침부터", "지난주부터", "운동 후에", "밤마다", "어제 저녁부터"),
}
_MIDDLE = {
    "en": ("a dry cough since monday", "pain in the left knee", "a rash on both arms", "headaches at night"),
    "sl": ("suhega kašlja od ponedeljka", "bolečin v levem kolenu", "izpuščaja po rokah", "glavobola ponoči"),
    "ko": ("마른 기침이 심해져서", "왼쪽 무릎 통증이 계속되어", "발진이 다시 시작되어", "두통이 있어"),
}
_END = {
    "en": ("advised to rest", "blood was taken", "sent home", "will be called", "dose kept"),
    "sl": ("priporočen počitek", "odvzeta kri", "odpuščena domov", "sledi klic", "terapija ista"),
    "ko": ("휴식을 권고함", "혈액 검사를 시행함", "귀가 조치함", "전화 예정임", "용량 유지함"),
}


def _noted(w: World, language: str, said: Callable[[], str], leaky: bool, *, share: float = 0.05) -> None:
    rng, n = w.rng, len(w.of_visit)
    parts = [rng.choice(each[language], n) for each in (_BEGIN, _MIDDLE, _END)]
    value = rng.integers(60, 180, n)
    notes = np.array(
        [f"{' '.join(words)} {number}" for *words, number in zip(*parts, value, strict=True)], dtype=object
    )
    for at in rng.choice(n, max(round(share * n), 2), replace=False):
        words = said()
        notes[at] = words.replace("{note}", notes[at]) if leaky else notes[at]
    w.visits["note"] = notes


def _note(w: World) -> Sequence[str]:
    return (f"`{w.names.visits}.note`",)


@leak("notes", _TEXT, sizes=SIZES[:3])
def _initials_and_surnames(w: World, leaky: bool) -> Sequence[str]:
    names = ("J. Foster", "M. Okafor", "A. Lindqvist", "R. Haddad", "K. Novak", "S. Castellano")
    _noted(w, "en", lambda: f"{{note}}. Discussed with {w.rng.choice(names)}.", leaky)
    return _note(w)


@leak("notes", ("text_not_read",), at_least=Verdict.NOT_ASSESSED, sizes=SIZES[:3])
def _notes_that_nobody_has_read(w: World, leaky: bool) -> Sequence[str]:
    _noted(w, "en", lambda: "", False)
    w.is_read = not leaky
    return _note(w)


# Tables of counts among those of persons


@leak("counts", _COUNTS)
def _a_table_of_small_counts_beside_the_persons(w: World, leaky: bool) -> Sequence[str]:
    _counts_table(w, 3 if leaky else 30)
    return ("`summary.n`",)


@leak("counts", ("small_differences",))
def _two_tables_of_counts_of_which_one_holds_two_more(w: World, leaky: bool) -> Sequence[str]:
    _two_tables_of_counts(w, more=2 * leaky)
    return (".n`",)


@leak("counts", ("recoverable_counts",))
def _a_suppressed_count_that_another_table_gives_back(w: World, leaky: bool) -> Sequence[str]:
    _two_tables_of_counts(w, hidden=1 if leaky else 2)
    return ("`by_term.n`",)


def _two_tables_of_counts(w: World, *, more: int = 0, hidden: int = 0) -> None:
    """Add counts of the same people by place and term, and by place and sex."""
    places, terms = ("W1", "W2", "W3", "W4"), ("Q1", "Q2", "Q3")
    n = w.rng.integers(40, 90, (len(places), len(terms)))
    men = w.rng.integers(20, 40, len(places))
    by_sex = np.stack([men, n.sum(axis=1) - men], axis=1)
    by_sex[1, 0] += more
    shown = n.astype(str).astype(object)
    shown[2, :hidden] = "*"
    for name, column, categories, counts in (
        ("by_term", "term", terms, shown),
        ("by_sex", "sex", ("F", "M"), by_sex),
    ):
        w.tables[name] = {
            "place": np.repeat(places, len(categories)),
            column: np.tile(categories, len(places)),
            "n": counts.ravel(),
        }


@leak("counts", ("counts_together",))
def _two_tables_of_counts_that_cut_ages_at_different_years(w: World, leaky: bool) -> Sequence[str]:
    n = w.rng.integers(30, 60, (4, 6))  # 0-9, 10-17, 18-19, 20-29, 30-39, 40+
    n[1, 2] = 2 if leaky else 9
    places = {"place": ("W1", "W2", "W3", "W4")}
    by_ten = np.stack([n[:, 0], n[:, 1] + n[:, 2], n[:, 3], n[:, 4], n[:, 5]], axis=1)
    grown = np.stack([n[:, 0] + n[:, 1], n[:, 2] + n[:, 3], n[:, 4] + n[:, 5]], axis=1)
    _cells(w, "by_ten_years", places | {"age": ("0-9", "10-19", "20-29", "30-39", "40+")}, by_ten)
    _cells(w, "of_the_young", places | {"age": ("0-17", "18-29", "30+")}, grown)
    return ("read together",)


def _cells(w: World, name: str, columns: Mapping[str, Sequence[str]], counts: Column) -> None:
    """Add a table of counts by all combinations of some columns."""
    cells = [*product(*columns.values())]
    named = {column: np.array([cell[at] for cell in cells]) for at, column in enumerate(columns)}
    w.tables[name] = named | {"n": counts.ravel()}


def _counts_table(w: World, smallest: int) -> None:
    cells = [(ward, season) for ward in ("W1", "W2", "W3") for season in ("Q1", "Q2", "Q3", "Q4")]
    n = w.rng.integers(40, 90, len(cells))
    n[4] = smallest
    ward, season = (np.array(each) for each in zip(*cells, strict=True))
    w.tables["summary"] = {"place": ward, "term": season, "n": n}


# Proper


@clean("further")
def _a_table_of_codes_and_what_they_mean(w: World) -> None:
    codes = [f"{letter}{at:02}" for letter in "ABCDE" for at in range(20)]
    w.tables["code_list"] = {
        "code": np.array(codes),
        "meaning": np.array([f"{each} disorder of type {at}" for at, each in enumerate(codes)]),
    }


@clean("further")
def _site_and_number_of_coarse_facts_under_other_names(w: World) -> None:
    _site_and_number_under_other_names(w, False)


@clean("further")
def _large_counts_with_shares_beside_the_persons(w: World) -> None:
    _counts_table(w, 40)
    n = w.tables["summary"]["n"]
    w.tables["summary"]["percent"] = np.round(100 * n / n.sum(), 1)


@clean("further")
def _couples_of_persons_alike(w: World) -> None:
    _policies_that_a_family_shares(w, False)
