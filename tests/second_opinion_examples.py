"""Small tables, logs and opinions for the tests of the second opinion."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from functools import partial
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from core.tables import Dataset, Reading, ReadOptions
from core.tabular.log import AnonymizationLog, LogEntry
from core.tabular.second_opinion import (
    SecondOpinion,
    SecondOpinionSettings,
    SecondOpinionThresholds,
    judge_second_opinion,
    measure_second_opinion,
)
from core.tabular.second_opinion.computed import measure_computed
from core.tabular.second_opinion.derivations import measure_derivations
from core.tabular.second_opinion.disguises import measure_disguises
from core.tabular.second_opinion.finer import judge_finer, measure_finer
from core.tabular.second_opinion.opinion import HiddenOriginals, _hidden, _judge_hidden
from core.tabular.second_opinion.pair import pair_tables
from core.tabular.second_opinion.pieces import measure_pieces
from core.tabular.second_opinion.relations import measure_relations
from core.tabular.second_opinion.relinkage import judge_relinkage, measure_relinkage
from core.tabular.second_opinion.search import Search
from core.tabular.second_opinion.sorting import measure_sorting
from core.tabular.second_opinion.unchanged import measure_unchanged
from core.verdict import Finding, Verdict
from tests.cases.table import says

Columns = Mapping[str, Sequence[str | None]]


def table(columns: Columns) -> pa.Table:
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def dataset(columns: Columns, name: str = "people.csv") -> Dataset:
    reading = Reading(format="CSV", options=ReadOptions())
    return Dataset(name=name, table=table(columns), fingerprint=name, sha256="", n_bytes=0, reading=reading)


def log_of(**columns: tuple[str, str]) -> AnonymizationLog:
    entries = {
        column: LogEntry(column=column, semantic=semantic, action=action)
        for column, (semantic, action) in columns.items()
    }
    return AnonymizationLog(name="log.json", entries=entries)


def keep_all(columns: Columns) -> AnonymizationLog:
    return log_of(**dict.fromkeys(columns, ("other", "keep")))


def opinion_on(
    original: Columns,
    anonymized: Columns,
    log: AnonymizationLog | None = None,
    *,
    settings: SecondOpinionSettings | None = None,
    **thresholds: float,
) -> SecondOpinion:
    measured = measure_second_opinion(
        dataset(original),
        dataset(anonymized, "people_anonymized.csv"),
        log or keep_all({**original, **anonymized}),
        settings=settings,
    )
    return judge_second_opinion(measured, thresholds=SecondOpinionThresholds(**thresholds))


class Seen(NamedTuple):
    """What one family of checks found."""

    findings: list[Finding]


def seen_by(
    family: str,
    original: Columns,
    anonymized: Columns,
    log: AnonymizationLog | None = None,
    *,
    settings: SecondOpinionSettings | None = None,
    **thresholds: float,
) -> Seen:
    """Ask one family of checks alone: relinkage, finer, disguised, derived, sorted, or hidden (all three)."""
    chosen, limits = settings or SecondOpinionSettings(), SecondOpinionThresholds(**thresholds)
    tables = pair_tables(table(original), table(anonymized), log or keep_all({**original, **anonymized}))
    if family == "finer":
        return Seen(judge_finer(measure_finer(tables), limits))
    columns = measure_unchanged(tables)
    if family == "relinkage":
        return Seen(judge_relinkage(measure_relinkage(tables, columns, chosen), limits))
    if family == "hidden":
        return Seen(_judge_hidden(_hidden(tables, columns, chosen), limits))
    left = frozenset(column.anonymized for column in columns if column.is_left)
    search = Search(tables=tables, settings=chosen, left=left)
    disguises = measure_disguises(tables, columns, chosen)
    explained = frozenset((one.original, one.anonymized) for one in disguises.found)
    steps = (measure_derivations, measure_pieces, measure_relations) if family == "derived" else ()
    found = HiddenOriginals(
        disguises=disguises,
        computed=measure_computed(tables, columns, chosen, explained=explained),
        in_texts=(),
        in_codes=(),
        masked=(),
        derivations=tuple(one for step in steps for one in step(search)),
        sorting=measure_sorting(search) if family == "sorted" else (),
        kept_likeness=(),
    )
    return Seen(_judge_hidden(found, limits))


relinked_in, finer_in = partial(seen_by, "relinkage"), partial(seen_by, "finer")
disguised_in, derived_in = partial(seen_by, "disguised"), partial(seen_by, "derived")
sorted_in, hidden_in = partial(seen_by, "sorted"), partial(seen_by, "hidden")


def findings(opinion: SecondOpinion | Seen, check: str) -> list[Finding]:
    return [finding for finding in opinion.findings if finding.check == check]


def the_finding(opinion: SecondOpinion | Seen, check: str) -> Finding:
    (finding,) = findings(opinion, check)
    return finding


def concerns(opinion: SecondOpinion | Seen) -> dict[str, str]:
    """Return check to message of everything that is not PASS."""
    return {f.check: f.message for f in opinion.findings if f.verdict is not Verdict.PASS}


_RANGE, _TIMES = re.compile(r"(.*?)(\d+)\.\.(\d+)(.*)"), re.compile(r"(.+)\*(\d+)")
_EXPECTED = re.compile(r"(?P<check>[!\w]+[*+]?)(?:=(?P<verdict>\w+))?(?::(?P<n>\d+))?(?:@(?P<column>.+))?")


def _cells(word: str) -> list[str | None]:
    """Return the cells of a word of `tests/cases/second_opinion.txt`, where the signs are explained."""
    word, times = _TIMES.fullmatch(word).groups() if _TIMES.fullmatch(word) else (word, 1)
    texts: list[str | None] = [None if word == "-" else word.replace("·", " ")]
    if found := _RANGE.fullmatch(texts[0] or ""):
        first, last = int(found[2]), int(found[3])
        numbers = range(first, last + 1) if first <= last else range(first, last - 1, -1)
        texts = [f"{found[1]}{number}{found[4]}" for number in numbers]
    return [text for text in texts for _ in range(int(times))]


def _columns_of(text: str, original: Columns) -> dict[str, list[str | None]]:
    if text == "=":
        return {name: [*cells] for name, cells in original.items()}
    columns: dict[str, list[str | None]] = {}
    endless = []
    for part in text.split(" / "):
        name, cells = part.split(": ", 1)
        name = name.replace("·", " ")
        *words, last = cells.split()
        if cells == "=":
            columns[name] = [*original[name]]
            continue
        if last == "*":
            endless.append(name)
        all_times = int(last[1:]) if re.fullmatch(r"\*\d+", last) else 1
        words = words if last.startswith("*") else [*words, last]
        columns[name] = [cell for word in words for cell in _cells(word)] * all_times
    n = max(map(len, columns.values()))
    return {name: [*islice(cycle(cells), n)] if name in endless else cells for name, cells in columns.items()}


def holds_in(part: str, expected: str, original: str, released: str, entries: str, *more: str) -> None:
    """Hold a line of `tests/cases/second_opinion.txt` against the family of checks that its part names."""
    before = _columns_of(original, {})
    after = _columns_of(released, before)
    logged = {} if entries in ("keep", "none") else dict(one.split() for one in entries.split(" / "))
    log = log_of(**{name: tuple(entry.split("/")) for name, entry in logged.items()})
    given = dict(one.split("=") for one in more if re.fullmatch(r"\w+=\S+", one))
    numbers = {name: (float if "." in one else int)(one) for name, one in given.items() if one[0].isdigit()}
    chosen = {name: value for name, value in numbers.items() if name in SecondOpinionSettings.__annotations__}
    if "quasi_identifiers" in given:
        chosen["quasi_identifiers"] = (given["quasi_identifiers"],)
    limits = {name: value for name, value in numbers.items() if name not in chosen}
    ask = opinion_on if part == "tables" else partial(seen_by, part)
    log = keep_all({**before, **after}) if entries == "keep" else log
    opinion = ask(before, after, log, settings=SecondOpinionSettings(**chosen), **limits)
    for one in expected.split():
        check, verdict, n, column = _EXPECTED.fullmatch(one).groups()
        if check == "verdict":
            assert opinion.verdict.name == verdict
            continue
        found = [each for each in opinion.findings if fnmatch(each.check, check.strip("!+"))]
        assert (not found) if check[0] == "!" else (len(found) == 1 or (check[-1] == "+" and found)), one
        assert all(each.verdict.name == (verdict or each.verdict.name) for each in found), (one, found)
        assert all(n in (None, str(each.n_affected)) for each in found), (one, found)
        assert all(column in (None, each.column) for each in found), (one, found)
    for check, pieces in (one.split(": ", 1) for one in more if ": " in one):
        assert says(the_finding(opinion, check).message, pieces), the_finding(opinion, check).message


ENGLISH = ["James", "Mary", "John", "Linda", "Robert", "Susan", "Michael", "Karen", "William", "Nancy"]
SLOVENIAN = ["Janez", "Marija", "Luka", "Ana", "Matej", "Nina", "Rok", "Eva", "Gregor", "Petra"]


def well_anonymized(
    language: str = "english", *, n: int = 1_200
) -> tuple[dict[str, list[str | None]], dict[str, list[str | None]], AnonymizationLog]:
    """Return a table whose anonymization is sound: names and numbers gone, the rest coarse, k above 5."""
    rng = np.random.default_rng(7)
    heads, people, sexes, regions, diagnoses = (texts.split(", ") for texts in _WORDS[language])
    ages = rng.integers(20, 70, n)
    days = np.datetime64("2020-01-01") + rng.integers(0, 1_000, n)
    sex, region, diagnosis = (rng.choice(words, n).tolist() for words in (sexes, regions, diagnoses))
    numbers = [f"{10_000_000 + i * 37}" for i in rng.permutation(n)]
    names = rng.choice(people, n).tolist()
    lab = np.round(rng.normal(5.5, 1.0, n), 3).astype(str).tolist()
    original = [
        numbers,
        names,
        ages.astype(str).tolist(),
        sex,
        region,
        days.astype(str).tolist(),
        diagnosis,
        lab,
    ]
    released = [
        *([rng.bytes(6).hex() for _ in range(n)], [None] * n),
        *([f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in ages], sex, region),
        *([f"{str(day)[:4]}-01-01" for day in days], diagnosis, [f"{round(float(value))}" for value in lab]),
    ]
    before, after = (dict(zip(heads, cells, strict=True)) for cells in (original, released))
    return before, after, log_of(**dict(zip(heads, map(_entry, _ENTRIES.split()), strict=True)))


def _entry(words: str) -> tuple[str, str]:
    meaning, action = words.split("/")
    return meaning, action


_ENTRIES = (
    "patient_id/pseudonymize name/drop age/generalize gender/keep address/region_generalize "
    "visit_date/date_floor_year diagnosis/keep lab/round"
)
#: Headers, people, sexes, regions and diagnoses.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "english": (
        "patient_id, name, age, gender, region, visit_date, diagnosis, glucose",
        ", ".join(f"{first} Smith" for first in ENGLISH),
        *("M, F", "North, South, West", "E11, I10, J45, K29"),
    ),
    "korean": (
        *("환자번호, 성명, 나이, 성별, 지역, 진료일, 진단명, 혈당", "김민준, 이서연, 박지훈, 최수빈, 정예은"),
        *("남성, 여성", "서울, 부산, 대구", "고혈압, 당뇨병, 폐렴, 위염"),
    ),
    "slovenian": (
        "številka pacienta, priimek, starost, spol, regija, datum obiska, diagnoza, glukoza",
        "Novak, Horvat, Krajnc, Zupančič, Potočnik",
        *("moški, ženska", "Gorenjska, Primorska, Osrednja", "astma, diabetes, gastritis, angina"),
    ),
}
