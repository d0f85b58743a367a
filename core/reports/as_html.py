"""A report as one self-contained HTML file: no script, nothing fetched, fit to be printed and filed."""

import json
import re
from collections.abc import Sequence
from functools import cache
from itertools import count
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.charts import described, one_bar, vega_lite
from core.files.plain_text import printable, scalar, unbroken
from core.measures import MEASURES
from core.measures.measure import Unit
from core.processes.drawing import drawing
from core.reports.as_json import content_digest, render_json, settings_digest
from core.reports.as_svg import chart_svg
from core.reports.carried import carry
from core.reports.model import (
    Report,
    ReportSection,
    figure_text,
    findings_of,
    headings,
    local_time_text,
    said_rows,
    said_settings,
    time_text,
    unit_words,
)
from core.result import Col, Drawing, Table
from core.verdict import Finding, Verdict, next_steps, over_files, worst_first
from core.words import amount, own, say, spoken_language

if TYPE_CHECKING:
    from jinja2 import Environment

_MOST_COLUMNS = 14
_MOST_FIGURES = 16  # of a run, before those of the annex; all that are judged
_MOST_ROWS = 25
_MOST_ROWS_OF_MAP = 30
_LONGEST_TEXT = 600
_LONGEST_IN_MARGIN = 80
# Width and height in pixels of a chart: on the first page, beside the figures, one of several
_SIZES = {"first": (460, 200), "beside": (340, 180), "grid": (460, None)}

_CODE = re.compile("`([^`\n]+)`")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 .,:-]")


def render_html(report: Report) -> bytes:
    """Write the report as one HTML file in UTF-8.

    The first page holds the verdict, what to do, the gravest findings and the first picture; then comes a
    section per file with what is judged, and what the result cannot tell. All other figures, tables,
    definitions, settings and hashes are an annex. Charts are inline SVG. A
    content security policy forbids scripts and requests, links lead within the file, and all text is escaped.
    Tables show their first 25 rows (maps of columns 30) and 14 columns and say so where they hold more.
    Light, dark and print have their own colours; a verdict is told by word, symbol and colour. The same
    report gives the same bytes, and two that differ in `created_at` differ in its lines alone.
    """
    sections = report.sections or (_whole(report),)
    shown = {id(table) for section in sections for table in section.tables}
    return html_page(
        "report.html.jinja",
        mark=("anonaudit-rows", json.dumps(_rows_of_index(report), ensure_ascii=False)),
        carried=carry(render_json(report)),
        report=report,
        sections=sections,
        steps=next_steps(report.findings),
        findings=worst_first(report.findings),
        tables=[table for table in report.tables if id(table) not in shown],
        definitions=[MEASURES[key] for key in dict.fromkeys(each.measure for each in report.figures)],
        settings=said_settings(report),
        digest=content_digest(report),
        settings_digest=settings_digest(report),
        most_rows=_MOST_ROWS,
        numbers=count(1),  # of charts
    )


def html_page(template: str, **parts: object) -> bytes:
    """Return the page that a template makes of its parts; whatever it is given is escaped and printable."""
    with drawing():
        return _environment().get_template(template).render(parts).encode("utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - takes long to import

    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, "__html__") else printable(str(value)),
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    said = (say, own, unbroken, local_time_text, time_text, figure_text, unit_words, spoken_language)
    for function in (*said, next, _cell_text, _css, _drawn, _grave, _marked, _shown):
        made.globals[function.__name__.lstrip("_")] = function
    made.globals["MEASURES"] = MEASURES
    return made


def _whole(report: Report) -> ReportSection:
    """Return a run that is not of several files as one section; figures that nothing judges come last."""
    judged = [each for each in report.figures if each.threshold or each.verdict]
    others = [each for each in report.figures if each not in judged][: max(_MOST_FIGURES - len(judged), 0)]
    first = [*judged, *others]
    return ReportSection(
        name=say("Result"),
        verdict=report.verdict,
        headline="",
        figures=tuple(each for each in report.figures if each in first),
        findings=(),
        charts=report.charts,
        further=tuple(each for each in report.figures if each not in first),
    )


def _rows_of_index(report: Report) -> list[tuple[str, str, str, str]]:
    """Return verdict, file, gravest finding and place of each file, and of what is about no audited file."""
    if report.inputs and not report.sections:
        names = ", ".join(dict.fromkeys(facts.name for facts in report.inputs))
        return [(report.verdict, names, _gist(report.verdict, report.findings, report.headline), "")]
    of_files = {(each.check, each.message) for each in findings_of(report.sections)}
    aside = [each for each in report.findings if (each.check, each.message) not in of_files]
    return [
        *(
            (each.verdict, each.name, _gist(each.verdict, each.findings, each.headline), f"file-{number}")
            for number, each in enumerate(report.sections, start=1)
        ),
        *((each.verdict, "", say(each.message), "") for each in aside),
    ]


def _gist(verdict: Verdict, findings: Sequence[Finding], headline: str) -> str:
    """Return the gravest finding where it is as grave as the verdict, else the headline."""
    gravest = worst_first(findings)[:1]
    is_why = gravest and gravest[0].verdict is verdict is not Verdict.PASS
    return say(gravest[0].gist if is_why else headline)


# ------------------------------------------------------------------------------- what templates ask for


def _grave(findings: Sequence[Finding], headline: str) -> tuple[Sequence[Finding], str]:
    """Return the findings against it that the headline does not say, or a sentence where there are none."""
    grave = [finding for finding in over_files(findings) if finding.verdict is not Verdict.PASS]
    told = [one for one in grave if say(one.message) not in say(headline) and say(one.gist) != say(headline)]
    nothing = "Nothing was found that speaks against it." if findings else "No findings."
    return told, "" if grave else say(nothing)


def _marked(words: str) -> list[str]:
    """Return a sentence in the language spoken in pieces, each second one a name or command in it."""
    return _CODE.split(printable(unbroken(say(words))))


def _css(words: str) -> str:
    """Return what stands in quotes in a style sheet, with everything but letters and digits as escapes."""
    plain = " ".join(printable(words).split("\n"))
    shown = plain if len(plain) <= _LONGEST_IN_MARGIN else f"{plain[:_LONGEST_IN_MARGIN]}…"
    return _NOT_PLAIN.sub(lambda found: f"\\{ord(found[0]):x} ", shown)


def _drawn(chart: Drawing, anchor: str, *, place: str) -> tuple[str | None, str]:
    """Return a chart as SVG and what says in words what it shows; "" of one bar, None if it failed."""
    width, height = _SIZES[place]
    made = chart.chart()
    if words := one_bar(made):
        return "", words
    svg = chart_svg(made, prefix=anchor, width=width, height=height)
    return svg, chart.alt or described(vega_lite(made))


class _Cell(NamedTuple):
    """A cell: its words, none where it is missing; what it holds; its verdict, where it is tinted or one."""

    words: str | None
    kind: str  # number, name (one word, which may be broken), wrap (several), code, mark, verdict
    verdict: Verdict | None = None


class _Shown(NamedTuple):
    """As much of a table as a page shows."""

    heads: Sequence[str]
    numeric: Sequence[int]  # places of columns of numbers
    rows: Sequence[Sequence[_Cell]]
    of: tuple[int, int]  # rows and columns of all
    tints: Sequence[Verdict]
    is_map: bool


def _shown(table: Table) -> _Shown:
    said, marks = said_rows(table), table.marks()
    rows = said[: _MOST_ROWS_OF_MAP if marks else _MOST_ROWS]
    columns = table.columns[:_MOST_COLUMNS]
    numeric = [place for place, cells in enumerate(zip(*rows, strict=True)) if _are_numbers(cells)]
    cells = [
        [
            _Cell(str(value).replace("`", ""), "mark", mark)
            if (mark := marks[column.key][place] if column.key in marks else None)
            else _cell(value, column, right=n in numeric)
            for n, (value, column) in enumerate(zip(row, columns, strict=False))
        ]
        for place, row in enumerate(rows)
    ]
    tints = {mark for column in marks.values() for mark in column if mark}
    by_severity = sorted(tints, key=lambda each: each.severity)
    return _Shown(
        headings(columns), [*numeric], cells, (len(said), len(table.columns)), by_severity, bool(marks)
    )


def _are_numbers(cells: Sequence[object]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return bool(known) and all(isinstance(each, Real) and not isinstance(each, bool) for each in known)


def _cell(value: object, column: Col, *, right: bool) -> _Cell:
    if column.kind == "code":
        return _Cell(str(value), "code")
    if isinstance(value, str) and str(value) in Verdict.__members__:
        return _Cell("", "verdict", Verdict(str(value)))
    words = _cell_text(value, column.unit)
    return _Cell(words, "number" if right else "wrap" if " " in (words or "") else "name")


def _cell_text(value: object, unit: Unit | None = None) -> str | None:
    plain = scalar(value)
    if plain is None:
        return None
    if isinstance(plain, bool):
        return say("yes" if plain else "no")
    if isinstance(plain, int | float):
        return say(amount(unit or "number", plain))
    if len(plain) > _LONGEST_TEXT:
        return f"{plain[:_LONGEST_TEXT]} … {say('[{n} characters; the XLSX holds more]', n=len(plain))}"
    return plain
