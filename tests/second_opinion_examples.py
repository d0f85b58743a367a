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
from core.tabular.second_opinion.combined import measure_combined
from core.tabular.second_opinion.computed import measure_computed
from core.tabular.second_opinion.derivations import Search, measure_derivations
from core.tabular.second_opinion.disguises import measure_disguises
from core.tabular.second_opinion.finer import judge_finer, measure_finer
from core.tabular.second_opinion.names_elsewhere import ElsewhereMeasurement
from core.tabular.second_opinion.opinion import HiddenOriginals, _hidden, _judge_hidden
from core.tabular.second_opinion.pair import pair_tables
from core.tabular.second_opinion.pieces import measure_pieces
from core.tabular.second_opinion.relinkage import judge_relinkage, measure_relinkage
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
    steps = (measure_derivations, measure_pieces, measure_combined) if family == "derived" else ()
    found = HiddenOriginals(
        disguises=disguises,
        computed=measure_computed(tables, columns, chosen, explained=explained),
        elsewhere=ElsewhereMeasurement(found=(), n_read=0, is_sample=False),
        readable=(),
        masked=(),
        derivations=tuple(one for step in steps for one in step(search)),
        sorting=measure_sorting(search) if family == "sorted" else (),
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
    names = _WORDS[language]
    ages = rng.integers(20, 70, n)
    days = np.datetime64("2020-01-01") + rng.integers(0, 1_000, n)
    sexes = rng.choice(names["sexes"], n).tolist()
    regions = rng.choice(names["regions"], n).tolist()
    diagnoses = rng.choice(names["diagnoses"], n).tolist()
    original: dict[str, list[str | None]] = {
        names["id"]: [f"{10_000_000 + i * 37}" for i in rng.permutation(n)],
        names["name"]: rng.choice(names["people"], n).tolist(),
        names["age"]: ages.astype(str).tolist(),
        names["sex"]: sexes,
        names["region"]: regions,
        names["visit"]: days.astype(str).tolist(),
        names["diagnosis"]: diagnoses,
        names["lab"]: np.round(rng.normal(5.5, 1.0, n), 3).astype(str).tolist(),
    }
    anonymized: dict[str, list[str | None]] = {
        names["id"]: [rng.bytes(6).hex() for _ in range(n)],
        names["name"]: [None] * n,
        names["age"]: [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in ages],
        names["sex"]: sexes,
        names["region"]: regions,
        names["visit"]: [f"{str(day)[:4]}-01-01" for day in days],
        names["diagnosis"]: diagnoses,
        names["lab"]: [f"{round(float(value))}" for value in original[names["lab"]] if value],
    }
    log = log_of(
        **{
            names["id"]: ("patient_id", "pseudonymize"),
            names["name"]: ("name", "drop"),
            names["age"]: ("age", "generalize"),
            names["sex"]: ("gender", "keep"),
            names["region"]: ("address", "region_generalize"),
            names["visit"]: ("visit_date", "date_floor_year"),
            names["diagnosis"]: ("diagnosis", "keep"),
            names["lab"]: ("lab", "round"),
        }
    )
    return original, anonymized, log


_WORDS: Mapping[str, Mapping[str, list[str] | str]] = {
    "english": {
        "id": "patient_id",
        "name": "name",
        "age": "age",
        "sex": "gender",
        "region": "region",
        "visit": "visit_date",
        "diagnosis": "diagnosis",
        "lab": "glucose",
        "people": [f"{first} Smith" for first in ENGLISH],
        "sexes": ["M", "F"],
        "regions": ["North", "South", "West"],
        "diagnoses": ["E11", "I10", "J45", "K29"],
    },
    "korean": {
        "id": "환자번호",
        "name": "성명",
        "age": "나이",
        "sex": "성별",
        "region": "지역",
        "visit": "진료일",
        "diagnosis": "진단명",
        "lab": "혈당",
        "people": ["김민준", "이서연", "박지훈", "최수빈", "정예은"],
        "sexes": ["남성", "여성"],
        "regions": ["서울", "부산", "대구"],
        "diagnoses": ["고혈압", "당뇨병", "폐렴", "위염"],
    },
    "slovenian": {
        "id": "številka pacienta",
        "name": "priimek",
        "age": "starost",
        "sex": "spol",
        "region": "regija",
        "visit": "datum obiska",
        "diagnosis": "diagnoza",
        "lab": "glukoza",
        "people": ["Novak", "Horvat", "Krajnc", "Zupančič", "Potočnik"],
        "sexes": ["moški", "ženska"],
        "regions": ["Gorenjska", "Primorska", "Osrednja"],
        "diagnoses": ["astma", "diabetes", "gastritis", "angina"],
    },
}
