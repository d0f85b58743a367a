"""A report as plain data: facts, sections, tables, charts; and how its files are named."""

from __future__ import annotations

import hashlib
import math
import platform
import re
import shlex
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from core import __version__
from core.files.plain_text import printable, setting_text, shell_word
from core.lazy_pandas import pd
from core.measures import MEASURES
from core.measures.measure import Unit
from core.result import Col, Drawing, Figure, Table
from core.tables import MISSING_SPELLINGS, Dataset
from core.verdict import Finding, Verdict, next_steps, worst_first
from core.words import Text, amount, counted, joined, own, part_of, say, text

if TYPE_CHECKING:
    from core.engines import Origin


@dataclass(frozen=True, kw_only=True)
class InputFacts:
    """What a report says of one input file: its part in the audit, name, size and SHA-256."""

    role: str
    name: str
    n_bytes: int
    sha256: str
    reading: str = ""
    path: str = ""  # what the report's arguments call it; its name without
    options: Mapping[str, object] | None = None  # a table's reading options, so that it is read alike again


def headings(columns: Sequence[Col]) -> list[str]:
    """Return the headings in the language spoken, each once."""
    told: list[str] = []
    for column in columns:
        heading = say(column.label)
        while heading in told:  # a column of the person's own may be called like one of ours
            heading = say("{name} (column)", name=heading)
        told.append(heading)
    return told


def said_rows(table: Table, *, with_marks: bool = False) -> list[tuple[object, ...]]:
    """Return the rows with the words in the language spoken, without marks around names.

    `with_marks`: with the verdicts in words, for where there are no tints.
    """
    rows = [
        tuple(
            _said(cell) if column.kind == "words" else cell
            for cell, column in zip(row, table.columns, strict=True)
        )
        for row in table.cells()
    ]
    marks = table.marks() if with_marks else {}
    if not marks:
        return rows
    tints = zip(*(marks.get(each.key, [None] * len(rows)) for each in table.columns), strict=True)
    return [
        tuple(
            say("{cell} ({verdict})", cell=str(cell), verdict=mark.word) if mark else cell
            for cell, mark in zip(row, marked, strict=True)
        )
        for row, marked in zip(rows, tints, strict=True)
    ]


def said_frame(table: Table) -> pd.DataFrame:
    """Return a table in the language spoken; whole numbers stay whole beside cells that hold nothing."""
    cells = list(zip(*said_rows(table), strict=True)) or [()] * len(table.columns)
    return pd.DataFrame(
        {
            heading: pd.Series(list(each), dtype=_kind(each, column))
            for heading, each, column in zip(headings(table.columns), cells, table.columns, strict=True)
        }
    )


def _kind(cells: Sequence[object], column: Col) -> str | type | None:
    """Return the type of a column where pandas would take another."""
    known = [cell for cell in cells if cell is not None]
    are_whole = 0 < len(known) < len(cells) and all(type(n) is int and abs(n) < 2**63 for n in known)
    return object if column.kind == "words" else "Int64" if are_whole else None


def _said(cell: object) -> object:
    """Return words in the language spoken, names in them unmarked; a verdict, a number or none as it is."""
    return _unmarked(cell) if isinstance(cell, str) and cell not in Verdict.__members__ else cell


def _unmarked(words: str) -> str:
    """Return words in the language spoken, without the marks around names, which cells would show."""
    return say(words).replace("`", "")


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportSection:
    """What a report says of one file of a run; a page of its own in HTML."""

    name: str  # of the file
    verdict: Verdict
    headline: str
    figures: tuple[Figure, ...]
    findings: tuple[Finding, ...]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)  # as of a report
    charts: tuple[Drawing, ...] = ()
    tables: tuple[Table, ...] = ()
    details: tuple[Table, ...] = ()  # further tables, shown in the appendix
    further: tuple[Figure, ...] = ()  # such as those of every column, shown in the appendix
    asked: Mapping[str, object] = field(default_factory=dict)  # settings by name, where files have their own


def figures_of(sections: Sequence[ReportSection]) -> tuple[Figure, ...]:
    """Return the figures of all files, each with the name of its file where there are several."""
    several = len(sections) > 1
    return tuple(
        replace(figure, of=": ".join(part for part in (several and section.name, figure.of) if part))
        for section in sections
        for figure in (*section.figures, *section.further)
    )


def findings_of(sections: Sequence[ReportSection]) -> tuple[Finding, ...]:
    """Return the findings of all files, each with the name of its file where there are several."""
    several = len(sections) > 1
    return tuple(
        finding.of_file(section.name) if several else finding
        for section in sections
        for finding in section.findings
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """Everything a reader needs to understand, check and repeat an audit."""

    tool: str  # which tool, its title on screen, and the question it answers
    title: str
    question: str
    verdict: Verdict  # the overall verdict and the sentence that explains it
    headline: str
    inputs: tuple[InputFacts, ...]  # what went in
    settings: Mapping[str, object]  # by their labels; `asked`: by their names
    figures: tuple[Figure, ...]  # what came out
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    charts: tuple[Drawing, ...] = ()
    limits: tuple[str, ...] = ()  # sentences about what this result cannot tell
    created_at: datetime  # UTC; the only part that differs between two runs on the same input
    versions: Mapping[str, str] = field(default_factory=dict)  # package name to version
    # the verdicts that `verdict` is the worst of, by name, where there are several: such as "Published rule"
    # and "Second opinion"
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    sections: tuple[ReportSection, ...] = ()  # the same, file by file, where a run is of files
    asked: Mapping[str, object] = field(default_factory=dict)
    kind: str = ""  # as of a result
    is_whole: bool = True  # as of a result
    files_are: str = "files"  # what JSON calls its sections
    seeds: Mapping[str, object] = field(default_factory=dict)  # where random numbers started
    arguments: tuple[tuple[str, ...], ...] = ()  # the words of each run of the tool that repeat the audit
    policy: Mapping[str, object] = field(default_factory=dict)  # whose limits were taken, where they were
    platform: str = field(default_factory=lambda: f"{platform.system()} {platform.machine()}")

    @property
    def own_figures(self) -> tuple[Figure, ...]:
        """Return the figures of the whole run, without those of its files."""
        of_files = {*figures_of(self.sections)}
        return tuple(each for each in self.figures if each not in of_files)

    def beside_unread(self, files: Sequence[str]) -> Report:
        """Return the report of a run in which files could not be read, named, or what is wrong with each."""
        if not files:
            return self
        words = [f"--not-read={file}" for file in files]
        return replace(self, is_whole=False, arguments=tuple((*run, *words) for run in self.arguments))

    def with_tables(self, tables: Iterable[Table]) -> Report:
        """Return the report with further tables behind its own."""
        return replace(self, tables=(*self.tables, *tables))

    def with_evidence(self, tables: Iterable[Table]) -> Report:
        """Return the report with records behind it, and the option that asks for them."""
        arguments = tuple((*words, "--evidence", "masked") for words in self.arguments)
        return replace(self.with_tables(tables), arguments=arguments)

    @property
    def command(self) -> str:
        """Return the commands that repeat the audit in the folder of its files, a line each."""
        return "\n".join(shlex.join(["python", "-m", "core", self.tool, *words]) for words in self.arguments)

    @property
    def command_shown(self) -> str:
        """Return the same to be read and copied, without letters that cannot be seen."""
        runs = (["python", "-m", "core", self.tool, *words] for words in self.arguments)
        return "\n".join(" ".join(map(shell_word, words)) for words in runs)


_PACKAGES = (
    "pandas",
    "numpy",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "pysam",
    "vl-convert-python",
    "openpyxl",
    "python-calamine",
    "isal",
    "streamlit",
)
_DELIMITER_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "space"}


def current_versions() -> Mapping[str, str]:
    """Return AnonAudit's, Python's and the main packages' versions; packages not installed are left out."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - takes long to import

    versions = {"anonaudit": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def input_facts(dataset: Dataset, role: str) -> InputFacts:
    """Return what a report says of a data set: part in the audit, name, size, SHA-256, how it was read."""
    options = dataset.reading.options
    delimiter = options.delimiter and _DELIMITER_NAMES.get(options.delimiter, options.delimiter)
    parts = [
        dataset.reading.format,
        options.encoding,
        delimiter and text("delimiter {delimiter}", delimiter=text(delimiter)),
        options.sheet and text("sheet {name}", name=options.sheet),
        _names_text(options.header),
        _missing_text(options.missing_spellings),
    ]
    return InputFacts(
        role=role,
        name=dataset.name,
        n_bytes=dataset.n_bytes,
        sha256=dataset.sha256,
        reading=joined([part for part in parts if part], ", "),
        options=vars(options),
    )


def file_facts(data: bytes, role: str, *, name: str) -> InputFacts:
    """Return what a report says of a file that is no table."""
    return InputFacts(role=role, name=name, n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def origin_facts(origin: Origin, role: str = "table") -> InputFacts:
    """Return what a report says of a table in an engine."""
    return InputFacts(
        role=role,
        name=origin.address,
        n_bytes=origin.n_bytes,
        sha256=origin.sha256,
        reading=text("asked where it is, by {engine}", engine=origin.engine),
    )


def placed(inputs: Iterable[InputFacts]) -> tuple[InputFacts, ...]:
    """Return what a report says of files, each with a path of its own; files of one name get folders."""
    known: dict[str, tuple[str, str, str]] = {}
    found = []
    for number, facts in enumerate(inputs, start=1):
        file = (facts.name, facts.sha256, repr(facts.options))
        path = facts.path or facts.name
        path = f"./{path}" if path.startswith("-") else path
        if known.setdefault(path, file) != file:
            path = f"{number}/{facts.name}"
        known[path] = file
        found.append(replace(facts, path=path))
    return tuple(found)


def _names_text(header: str) -> str | None:
    """Say where the names stand, where that is not the first line."""
    if header.isdigit():
        return text("names in line {n}", n=int(header))
    return {"second_line": "names in the second line", "none": "no names"}.get(header)


def _missing_text(spellings: Sequence[str]) -> str | None:
    """Say which words are missing cells, where they are not the usual ones."""
    if not spellings:
        return text("words such as NA are values")
    if {*spellings} == {*MISSING_SPELLINGS}:
        return None
    return text("taken for missing: {words}", words=", ".join(sorted(spellings)))


def verdict_text(verdict: Verdict | None) -> str:
    """Return the verdict's word in the language spoken, empty where nothing is judged."""
    return "" if verdict is None else say(verdict.word)


def time_text(moment: datetime) -> str:
    """Write a moment in UTC, such as ``2026-11-20 06:30:00 UTC``; a time without zone is taken as UTC."""
    return f"{in_utc(moment):%Y-%m-%d %H:%M:%S} UTC"


def local_time_text(moment: datetime) -> str:
    """Write a moment in this machine's own time, with its offset from UTC; empty where there is none."""
    local = in_utc(moment).astimezone()
    return f"{local:%Y-%m-%d %H:%M:%S} UTC{local:%z}" if local.utcoffset() else ""


def in_utc(moment: datetime) -> datetime:
    """Return the moment in UTC, without fractions of a second."""
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(microsecond=0)


def figure_text(figure: Figure) -> str:
    """Return a figure's value in the way of its measure's unit and the language spoken."""
    unit = MEASURES[figure.measure].unit
    return say(part_of(figure.value, figure.total) if unit == "share" else amount(unit, figure.value))


_COUNTED: Mapping[Unit, Text] = MappingProxyType(
    {
        "records": counted(0, "record"),
        "cells": counted(0, "cell"),
        "groups": counted(0, "group"),
        "columns": counted(0, "column"),
        "users": counted(0, "user"),
        "events": counted(0, "event"),
        "sites": counted(0, "site"),
        "values": counted(0, "value"),
        "bits": counted(0, "bit"),
    }
)


def unit_words(unit: Unit, value: float | None) -> tuple[str, str]:
    """Return what stands before and after a written number, in the form that it asks for: "record" after 1.

    Both are empty beside percent, and where no number is written (not assessed, infinite).
    """
    if unit not in _COUNTED or value is None or not math.isfinite(value):
        return "", ""
    n = int(value) if value == int(value) else 0
    before, _, after = say(Text(_COUNTED[unit].message, _COUNTED[unit].plural, n, {"n": "\0"})).partition(
        "\0"
    )
    return before.strip(), after.strip()


def figures_table(report: Report) -> Table:
    """Return a row per figure: what it is of, label, value, text, unit, threshold, verdict, definition."""
    heads = (
        "Of", "Figure", "Value", "As text", "Unit", "Threshold", "Verdict", "Definition", "Source", "Key",
    )  # fmt: skip
    rows = [
        (
            say(figure.of),
            say(measure.label),
            figure.value,
            figure_text(figure),
            say(measure.unit),
            say(figure.threshold),
            verdict_text(figure.verdict),
            say(measure.definition),
            say(measure.source),
            measure.key,
        )
        for figure in report.figures
        for measure in (MEASURES[figure.measure],)
    ]
    return _told("figures", heads, rows)


def findings_table(report: Report) -> Table:
    """Return a row per finding, the gravest first."""
    rows = [
        (
            verdict_text(finding.verdict),
            _unmarked(finding.message),
            finding.column,
            finding.n_affected,
            finding.check,
        )
        for finding in worst_first(report.findings)
    ]
    return _told("findings", ("Verdict", "Finding", "Column", "Affected", "Check"), rows)


def about_table(report: Report) -> Table:
    """Return the rows of :func:`about_rows`."""
    rows = [(say(section), say(name), words) for section, name, words in about_rows(report)]
    return _told("about", ("Section", "Name", "Text"), rows)


def _told(name: str, heads: Sequence[str], rows: Sequence[tuple[object, ...]]) -> Table:
    """Return a table of what is said already."""
    return Table("", "", tuple(Col(head, head) for head in heads), rows, name=name)


def about_rows(report: Report) -> list[tuple[str, str, str]]:
    """Return (section, name, text) of everything that is not a figure, finding or table."""
    rows = [
        ("Report", "Tool", report.tool),
        ("Report", "Title", say(report.title)),
        ("Report", "Question", say(report.question)),
        ("Report", "Verdict", verdict_text(report.verdict)),
        ("Report", "Headline", _unmarked(report.headline)),
        ("Report", "Created", time_text(report.created_at)),
    ]
    rows += [
        ("Do next", str(n), _unmarked(step)) for n, step in enumerate(next_steps(report.findings), start=1)
    ]
    rows += [("Verdicts", name, verdict_text(verdict)) for name, verdict in report.verdicts.items()]
    for facts in report.inputs:
        rows.append(("Input", say(facts.role), facts.name))
        rows.append(("Input", "Size in bytes", str(facts.n_bytes)))
        rows.append(("Input", "SHA-256", facts.sha256))
        if facts.reading:
            rows.append(("Input", "Read as", say(facts.reading)))
    rows += [("Setting", name, value) for name, value in said_settings(report)]
    rows += [("Command", "", report.command_shown)] if report.command else []
    rows += [("Version", str(name), str(value)) for name, value in report.versions.items()]
    rows += [("Limit", "", say(limit)) for limit in report.limits]
    return rows


def said_settings(report: Report) -> list[tuple[str, str]]:
    """Return the settings' names and values in the language spoken."""
    return [(say(name), say(_setting_words(value))) for name, value in report.settings.items()]


def _setting_words(value: object) -> str:
    if isinstance(value, Mapping) and value:
        each = [
            text("{name}: {value}", name=own(name), value=own(_setting_words(one)))
            for name, one in value.items()
        ]
        return joined(each, "; ")
    if isinstance(value, Text) or value in (None, True, False, [], (), {}):
        return value if isinstance(value, Text) else setting_text(value)
    if isinstance(value, list):
        return joined([_setting_words(one) for one in value], ", ")
    return text("{value}", value=setting_text(value))  # names of columns, numbers


_LONGEST_SHEET_NAME = 31
_LONGEST_FILE_NAME = 60
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\\t\r\n]")
_NOT_IN_FILE_NAMES = re.compile(r"[^\w\-]+")
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")
_RESERVED_SHEET = "history"  # Excel refuses it


def sheet_names(names: Iterable[str], *, taken: Iterable[str] = ()) -> list[str]:
    """Return names that Excel accepts for sheets: at most 31 characters, distinct whatever the case."""
    used = {name.casefold() for name in taken} | {_RESERVED_SHEET}
    chosen = []
    for name in names:
        plain = _NOT_IN_SHEET_NAMES.sub(" ", printable(name)).strip(" '") or "Table"
        chosen.append(_distinct(plain, used, longest=_LONGEST_SHEET_NAME))
    return chosen


def distinct_names(names: Iterable[str], *, taken: Iterable[str] = ()) -> list[str]:
    """Return names that every file system accepts, distinct whatever the case."""
    used = {name.casefold() for name in taken}
    return [_distinct(_file_stem(name), used, longest=_LONGEST_FILE_NAME) for name in names]


def _file_stem(text: str) -> str:
    """Return letters, digits, ``_`` and ``-`` of a text, for a file name without extension."""
    plain = unicodedata.normalize("NFC", printable(text))
    stem = _NOT_IN_FILE_NAMES.sub("_", plain).strip("_-") or "table"
    return f"{stem}_" if _DEVICES.fullmatch(stem) else stem


def report_stem(tool: str, created_at: datetime, digest: str) -> str:
    """Return ``anonaudit_<tool>_<UTC time>_<digest>``: another result always has another name.

    The verdict is left out on purpose: a file name outlives what it was true of.
    """
    return f"anonaudit_{_file_stem(tool)}_{in_utc(created_at):%Y%m%dT%H%M%SZ}_{digest[:8]}"


def _distinct(name: str, used: set[str], *, longest: int) -> str:
    """Shorten a name, number it if it is used already, and remember it."""
    number, candidate = 1, _shortened(name, longest)
    while candidate.casefold() in used:
        number += 1
        suffix = f"_{number}"
        candidate = _shortened(name, longest - len(suffix)) + suffix
    used.add(candidate.casefold())
    return candidate


def _shortened(name: str, longest: int) -> str:
    """Cut a name to a length counted as Excel counts, in UTF-16 units."""
    while len(name.encode("utf-16-le")) // 2 > longest:
        name = name[:-1]
    return name.rstrip(" '") or "_"
