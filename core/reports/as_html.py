"""A report as one self-contained HTML file: no script, nothing fetched, fit to be printed and filed."""

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from core.charts import described, vega_lite
from core.measures import MEASURES
from core.measures.measure import Unit
from core.plain import printable, scalar, unbroken
from core.reports.as_json import content_digest, settings_digest
from core.reports.as_svg import chart_svg
from core.reports.model import (
    Figure,
    InputFacts,
    Report,
    ReportChart,
    ReportSection,
    ReportTable,
    column_units,
    figure_text,
    findings_of,
    in_utc,
    said_settings,
    time_text,
    unit_words,
)
from core.verdict import Finding, Verdict, next_steps, over_files, worst_first
from core.words import Amount, own, say, spoken_language

MOST_COLUMNS = 14
_MOST_ROWS = 25
_MOST_ROWS_OF_MAP = 30
_MOST_AT_FRONT = 5  # findings on the first page
_MOST_OF_FILE = 3  # findings with each of several files
_MOST_FILES = 20  # named on the first page
_LONGEST_TEXT = 600
_LONGEST_WORD = 28
_UPRIGHT, _SIDEWAYS = 95, 150  # letters that fit beside each other on paper
_BESIDE_WIDTH, _BESIDE_HEIGHT = 340, 180  # pixels of a chart beside the figures
_GRID_WIDTH = 460  # pixels of one of several

NOT_DRAWN = (
    "This chart could not be drawn: the process that draws ended or took too long. Its figures stand in the "
    "tables; download the report once more to have it drawn."
)
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)

_STYLE = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
_CODE = re.compile("`([^`\n]+)`")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 .,:-]")
_VERDICT_MEANINGS = {
    Verdict.PASS: "PASS means: every check held. It does not mean that the data are anonymous in law.",
    Verdict.WARN: "WARN means: nothing failed, but something needs a person's judgement.",
    Verdict.NOT_ASSESSED: "NOT ASSESSED means: something could not be checked; this is not a pass.",
    Verdict.FAIL: "FAIL means: at least one check failed.",
}


def render_html(report: Report) -> bytes:
    """Write the report as one HTML file in UTF-8.

    The first page holds the verdict, the gravest findings, what to do, the files and how the report was made;
    then comes a section per file; definitions, settings and hashes are an appendix. Charts are inline SVG. A
    content security policy forbids scripts and requests, links lead within the file, and all text is escaped.
    Tables show their first 25 rows (maps of columns 30) and 14 columns and say so where they hold more.
    Light, dark and print have their own colours; a verdict is told by word, symbol and colour. The same
    report gives the same bytes, and two that differ in `created_at` differ in its lines alone.
    """
    sections = report.sections or (_whole(report),)
    numbers, digest, further = count(1), content_digest(report), _appendix_parts(report, sections)
    words = say(
        "Made by AnonAudit on the person's own machine. The file holds no script and fetches nothing. The "
        "XLSX and JSON of the same report hold the exact figures."
    )
    inside = "\n".join(
        f'<section id="{anchor}">\n<h2>{text(say(part.heading))}</h2>\n{part.content}\n</section>'
        for anchor, part in further.items()
    )
    body = [
        _front(report, sections, digest, further),
        "<main>",
        *(_section(each, n, report, numbers) for n, each in enumerate(sections, start=1)),
        f'<div class="appendix">\n{inside}\n</div>',
        "</main>",
        f"<footer>{text(words)}</footer>",
    ]
    made = _head(report, digest) + "\n".join(part for part in body if part) + "\n</body>\n</html>\n"
    return made.encode("utf-8")


def text(value: object) -> str:
    """Return text from anywhere, harmless between tags and inside a quoted attribute."""
    return html.escape(printable(str(value)), quote=True)


def prose(words: str) -> str:
    """Return a sentence said in the language spoken, with the names in it set as code."""
    return _CODE.sub(r"<code>\1</code>", text(unbroken(say(words))))


def _whole(report: Report) -> ReportSection:
    """Return a run that is not of several files as one section; its tables are details."""
    return ReportSection(
        name=say("Result"),
        verdict=report.verdict,
        headline="",
        figures=report.figures,
        findings=(),
        charts=report.charts,
        details=report.tables,
    )


# ---------------------------------------------------------------------------------------------- frame


def _head(report: Report, digest: str) -> str:
    title, verdict = own(report.title), own(report.verdict.word)
    name = say("{title}: {verdict} – AnonAudit report", title=title, verdict=verdict)
    rows = json.dumps(_rows_of_index(report), ensure_ascii=False)
    return page_head(
        name, more=f'<meta name="anonaudit-rows" content="{text(rows)}">', style=_paper(report, digest)
    )


def page_head(title: str, *, more: str, style: str = "") -> str:
    """Return a page of ours up to its body; `more`: what it says of itself, a line of its head."""
    return f"""<!doctype html>
<html lang="{spoken_language()}">
<head>
<meta charset="utf-8">
{more}
<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{text(title)}</title>
<style>{_STYLE}{style}</style>
</head>
<body>
"""


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


def _paper(report: Report, digest: str) -> str:
    """Return what stands at the head and foot of every printed page."""
    page, of = say("Page {page} of {pages}", page="\x00", pages="\x01").split("\x00")
    between, after = of.split("\x01")
    numbered = f"{_css(page)} counter(page) {_css(between)} counter(pages) {_css(after)}"
    boxes = {
        "top-left": _css(say("AnonAudit report: {title}", title=own(report.title))),
        "top-right": _css(say(report.verdict.word)),
        "bottom-left": _css(f"{time_text(report.created_at)} · {digest[:16]}"),
        "bottom-right": numbered,
    }
    look = "font: 8pt sans-serif; color: #414d5c; white-space: nowrap;"
    inside = " ".join(f"@{place} {{ content: {words}; {look} }}" for place, words in boxes.items())
    return f"@page {{ {inside} }}\n"


def _css(words: str) -> str:
    """Return text as a string of a style sheet, with everything but letters and digits as escapes."""
    plain = " ".join(printable(words).split("\n"))
    shown = plain if len(plain) <= 80 else f"{plain[:80]}…"
    return f'"{_NOT_PLAIN.sub(lambda found: f"{chr(92)}{ord(found[0]):x} ", shown)}"'


# ----------------------------------------------------------------------------------------- first page


def _front(
    report: Report, sections: Sequence[ReportSection], digest: str, further: "Mapping[str, _Part]"
) -> str:
    moment = in_utc(report.created_at)
    found = _gravest(report.findings, report.headline, at_most=_MOST_AT_FRONT)
    steps = "".join(f'<li class="wrap">{prose(step)}</li>' for step in next_steps(report.findings))
    links = [(f"file-{n}", each.name) for n, each in enumerate(sections, start=1)]
    links += [(anchor, say(part.heading)) for anchor, part in further.items()]
    items = "".join(f'<li><a class="long" href="#{anchor}">{text(name)}</a></li>' for anchor, name in links)
    parts = [
        f"""<header class="top">
<div class="brand"><strong>AnonAudit</strong>
<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">{time_text(moment)}</time></div>
<h1 class="wrap">{text(say(report.title))}</h1>
<p class="question wrap">{text(say(report.question))}</p>""",
        _verdict_panel(report),
        f"<h2>{text(say('Do next'))}</h2>\n<ol>{steps}</ol>" if steps else "",
        f"<h2>{text(say('Findings'))}</h2>\n{found}" if found else "",
        _files(report),
        _made(report, digest),
        f'<nav aria-label="{text(say("Contents"))}"><h2>{text(say("Contents"))}</h2><ol>{items}</ol></nav>',
        "</header>",
    ]
    return "\n".join(part for part in parts if part)


def _verdict_panel(report: Report) -> str:
    verdict = report.verdict
    return f"""<section class="verdict {verdict.value}" aria-label="{text(say("Verdict"))}">
<span class="mark" aria-hidden="true">{verdict.symbol}</span>
<span class="word">{text(say(verdict.word))}</span>
<span class="headline wrap">{prose(report.headline)}</span>
</section>
{_verdicts(report.verdicts)}
<p class="small">{text(say(_VERDICT_MEANINGS[verdict]))}</p>"""


def _verdicts(verdicts: Mapping[str, Verdict]) -> str:
    """Return the verdicts that a verdict is the worst of, each with its name."""
    parts = "".join(f"<li>{text(say(name))}{verdict_badge(each)}</li>" for name, each in verdicts.items())
    return f'<ul class="parts">{parts}</ul>' if parts else ""


def verdict_badge(verdict: Verdict | None) -> str:
    """Return a verdict as word and symbol in its colour; empty where nothing is judged."""
    if verdict is None:
        return ""
    symbol, label = verdict.symbol, text(say(verdict.word))
    return f'<span class="badge {verdict.value}"><span aria-hidden="true">{symbol}</span> {label}</span>'


def _gravest(findings: Sequence[Finding], headline: str, *, at_most: int) -> str:
    """Return the gravest findings that the headline does not say, and how many more there are and where.

    What held is in the appendix; nothing where the headline says all.
    """
    grave = [finding for finding in over_files(findings) if finding.verdict is not Verdict.PASS]
    told = [one for one in grave if say(one.message) not in say(headline) and say(one.gist) != say(headline)]
    if grave and not told:
        return ""
    if not told:
        nothing = "Nothing was found that speaks against it." if findings else "No findings."
        return f"<p>{text(say(nothing))}</p>"
    items = "".join(
        f'<li>{verdict_badge(each.verdict)}<span class="{_wrapping(say(each.message))}">'
        f"{prose(each.message)}</span></li>"
        for each in told[:at_most]
    )
    return f'<ul class="findings">{items}</ul>{_more(told, at_most)}'


def _more(told: Sequence[Finding], at_most: int) -> str:
    if not (rest := len(told) - at_most) > 0:
        return ""
    words = say("and {n} more: see “All findings”", "and {n} more: see “All findings”", n=rest)
    return f'<p class="small"><a href="#findings">{text(words)}</a></p>'


def _files(report: Report) -> str:
    if report.sections:
        numbered = sorted(enumerate(report.sections, start=1), key=lambda one: -one[1].verdict.severity)
        items = [
            f'<li>{verdict_badge(each.verdict)} <a class="long" href="#file-{n}">{text(each.name)}</a></li>'
            for n, each in numbered
        ]
    else:
        items = [
            f'<li>{text(say(each.role))}: <span class="long">{text(each.name)}</span></li>'
            for each in report.inputs
        ]
    if rest := len(items[_MOST_FILES:]):
        items[_MOST_FILES:] = [f"<li>{text(say('and {n} more', n=rest))}</li>"]
    heading = f"<h2>{text(say('Files'))}</h2>\n"
    return f'{heading}<ul class="files">{"".join(items)}</ul>' if items else ""


def _made(report: Report, digest: str) -> str:
    tool = say(
        "AnonAudit {version} on Python {python}",
        version=report.versions.get("anonaudit", "–"),
        python=report.versions.get("python", "–"),
    )
    rows = [
        (say("Date"), text(time_text(report.created_at))),
        (say("Made by"), text(tool)),
        (say("Digest of the result"), f"<code>{digest}</code>"),
        (say("Digest of the settings"), f"<code>{settings_digest(report)}</code>"),
    ]
    items = "".join(f"<dt>{text(name)}</dt><dd>{value}</dd>" for name, value in rows)
    return f'<dl class="facts made">{items}</dl>'


# ------------------------------------------------------------------------------------------- sections


def _section(section: ReportSection, number: int, report: Report, charts: Iterator[int]) -> str:
    """Return a file's part: its verdict, gravest findings, tables, figures and charts."""
    is_file = bool(report.sections)
    several = len(report.sections) > 1
    badge = verdict_badge(section.verdict) if is_file else ""
    label = say("Figures of {file}", file=section.name) if is_file else say("Figures")
    headline = f'<p class="wrap">{prose(section.headline)}</p>' if several else ""
    found = _gravest(section.findings, section.headline, at_most=_MOST_OF_FILE) if several else ""
    figures = _figures_table(section.figures, label)
    is_beside = bool(figures) and len(section.charts) == 1
    drawn = [_chart(each, next(charts), is_beside=is_beside) for each in section.charts]
    beside = "beside" if is_beside else "below"
    charts_html = f'<div class="charts">{"".join(drawn)}</div>' if drawn else ""
    parts = [
        f'<h2 class="{_wrapping(section.name)}">{text(section.name)} {badge}</h2>',
        headline,
        _verdicts(section.verdicts) if several else "",
        found,
        *(_report_table(each, level=3) for each in section.tables if is_file),
        f'<div class="{beside}">{figures}{charts_html}</div>' if figures or drawn else "",
        *(_report_table(each, level=3) for each in section.tables if not is_file),
    ]
    inside = "\n".join(part for part in parts if part)
    return f'<section class="file" id="file-{number}">\n{inside}\n</section>'


def _figures_table(figures: Sequence[Figure], label: str) -> str:
    if not figures:
        return ""
    judged = any(figure.verdict is not None or figure.threshold for figure in figures)
    heads = ["Figure", "Value", "Threshold", "Verdict"] if judged else ["Figure", "Value"]
    rows = [_figure_row(figure, judged=judged) for figure in figures]
    return table_html(label, [say(head) for head in heads], rows, shape="figures")


def _figure_row(figure: Figure, *, judged: bool) -> str:
    measure, of = MEASURES[figure.measure], say(figure.of)
    about = f' <span class="{_wrapping(of)}">({text(of)})</span>' if of else ""
    before, after = (
        f'<span class="unit">{word}</span>' if word else "" for word in unit_words(measure.unit, figure.value)
    )
    value = " ".join(part for part in (before, text(unbroken(figure_text(figure))), after) if part)
    cells = (
        f'<th scope="row" class="figure"><a href="#measure-{measure.key}">{text(say(measure.label))}</a>'
        f'{about}</th><td class="value">{value}</td>'
    )
    if judged:
        cells += f"{_text_cell(_unbroken(say(figure.threshold)))}<td>{verdict_badge(figure.verdict)}</td>"
    return f"<tr>{cells}</tr>"


def _unbroken(words: str) -> str:
    """Keep a number and its percent sign on one line."""
    return words.replace(" %", "\N{NO-BREAK SPACE}%")


def _chart(chart: ReportChart, number: int, *, is_beside: bool) -> str:
    width, height = (_BESIDE_WIDTH, _BESIDE_HEIGHT) if is_beside else (_GRID_WIDTH, None)
    made = chart.chart()
    drawn = chart_svg(made, prefix=f"chart-{number}", width=width, height=height)
    drawn = drawn or f"<p>{text(say(NOT_DRAWN))}</p>"
    return f"""<figure>
<figcaption id="chart-{number}-title">{text(say(chart.title))}</figcaption>
{drawn}
<p class="note wrap" id="chart-{number}-text">{prose(chart.alt_text or described(vega_lite(made)))}</p>
</figure>"""


# ---------------------------------------------------------------------------------------------- tables


def _report_table(table: ReportTable, *, level: int) -> str:
    said = table.said
    most = _MOST_ROWS_OF_MAP if table.marks else _MOST_ROWS
    shown = said.iloc[:most, :MOST_COLUMNS]
    units = column_units(table)[:MOST_COLUMNS]
    numeric = [_is_numeric(shown.iloc[:, position]) for position in range(shown.shape[1])]
    rows = [
        "<tr>"
        + "".join(
            f'<td class="{mark.value}"><span aria-hidden="true">{mark.symbol}</span> '
            f'{text(str(value).replace("`", ""))}<span class="aloud"> ({text(say(mark.word))})</span></td>'
            if mark
            else f'<td class="wrap long"><code>{text(value)}</code></td>'
            if place < len(table.columns) and table.columns[place].kind == "code"
            else _cell(value, units[place], numeric[place])
            for place, (value, mark) in enumerate(zip(row[:MOST_COLUMNS], table.marks_of(n), strict=False))
        )
        + "</tr>"
        for n, row in enumerate(shown.itertuples(index=False, name=None))
    ]
    note = f'<p class="note wrap">{prose(table.note)} {_legend(table)}</p>' if table.note else ""
    heading = f'<h{level} class="wrap">{text(say(table.title))}</h{level}>'
    if not rows:
        return f"{heading}\n{note}\n<p>{text(say('No rows.'))}</p>"
    shape = "map" if table.marks else _shape(table)
    content = table_html(
        say(table.title), [str(n) for n in shown.columns], rows, numeric=numeric, shape=shape
    )
    return f"{heading}\n{note}\n{content}\n{_cut_statement(*said.shape, most)}"


def _legend(table: ReportTable) -> str:
    """Return what the tints of a table mean."""
    marks = {mark for column in table.marks.values() for mark in column if mark}
    return " ".join(verdict_badge(mark) for mark in sorted(marks, key=lambda each: each.severity))


def _shape(table: ReportTable) -> str:
    """Tell how wide a table is on paper: empty, wide (across), or tight (words have to be broken)."""
    shown = table.said.iloc[:_MOST_ROWS, :MOST_COLUMNS].astype(object)
    n_letters = sum(
        max(map(_longest_word, (str(name), *map(str, shown.iloc[:, place])))) + 2
        for place, name in enumerate(shown.columns)
    )
    return "" if n_letters <= _UPRIGHT else "wide" if n_letters <= _SIDEWAYS else "tight"


def _longest_word(words: str) -> int:
    """Return the width of the longest word that is not broken, in letters; Korean ones are wider."""
    lengths = (
        sum(1.8 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in word)
        for word in words.split()
    )
    longest = max(lengths, default=0)
    return int(longest) if longest <= _LONGEST_WORD else 8


def _cut_statement(n_rows: int, n_columns: int, most: int) -> str:
    if n_rows > most and n_columns > MOST_COLUMNS:
        cut = "First {rows} of {n_rows} rows and first {columns} of {n_columns} columns; the XLSX holds all."
    elif n_rows > most:
        cut = "First {rows} of {n_rows} rows; the XLSX holds all."
    elif n_columns > MOST_COLUMNS:
        cut = "First {columns} of {n_columns} columns; the XLSX holds all."
    else:
        return ""
    words = say(cut, rows=most, n_rows=n_rows, columns=MOST_COLUMNS, n_columns=n_columns)
    return f'<p class="small">{text(words)}</p>'


def table_html(
    label: str, heads: list[str], rows: Iterable[str], *, numeric: list[bool] | None = None, shape: str = ""
) -> str:
    """Return a table of rows that are HTML already, which scrolls where it is too wide."""
    right = numeric or [False] * len(heads)
    header = "".join(
        f'<th scope="col"{" class=number" if is_number else ""}><span>{text(head)}</span></th>'
        for head, is_number in zip(heads, right, strict=True)
    )
    looks = " ".join(each for each in ("numbers" if all(right) else "", shape) if each)
    look = f' class="{looks}"' if looks else ""
    body = "\n".join(rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{text(label)}">'
        f"<table{look}>\n"
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _is_numeric(cells: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells))


def _cell(value: object, unit: Unit | None, right: bool) -> str:
    if isinstance(value, str) and str(value) in Verdict.__members__:
        return f"<td>{verdict_badge(Verdict(str(value)))}</td>"
    written = _cell_text(value, unit)
    return (
        f'<td class="number">{written}</td>'
        if right
        else f'<td class="{_wrapping(str(value))}">{written}</td>'
    )


def _text_cell(words: str) -> str:
    return f'<td class="{_wrapping(words)}">{text(words)}</td>'


def _wrapping(words: str) -> str:
    """Return the classes of a text: only one with very long words may be broken inside a word."""
    return "wrap long" if max(map(len, words.split()), default=0) > _LONGEST_WORD else "wrap"


def _cell_text(value: object, unit: Unit | None) -> str:
    plain = scalar(value)
    if plain is None:
        return '<span class="missing">–</span>'
    if isinstance(plain, bool):
        return text(say("yes" if plain else "no"))
    if isinstance(plain, int | float):
        return text(say(Amount(unit or "number", plain)))
    if len(plain) > _LONGEST_TEXT:
        cut = say("[{n} characters; the XLSX holds more]", n=len(plain))
        return f"{text(plain[:_LONGEST_TEXT])} … {text(cut)}"
    return text(plain)


# -------------------------------------------------------------------------------------------- appendix


class _Part(NamedTuple):
    """A part of the appendix."""

    heading: str
    content: str


def _appendix_parts(report: Report, sections: Sequence[ReportSection]) -> dict[str, _Part]:
    """Return all findings, further tables, definitions, limits, and how to repeat it, by anchor."""
    shown = {id(table) for section in sections for table in section.tables}
    tables = [_report_table(each, level=3) for each in report.tables if id(each) not in shown]
    for section in sections:
        if section.further:
            heading = say("Further figures of {file}", file=section.name)
            table = _figures_table(section.further[:_MOST_ROWS], heading)
            cut = _cut_statement(len(section.further), 0, _MOST_ROWS)
            tables.append(f'<h3 class="{_wrapping(heading)}">{text(heading)}</h3>\n{table}\n{cut}')
    parts = {
        "findings": _Part("All findings", _all_findings(report.findings)),
        "tables": _Part("Tables", "\n".join(tables)),
        "definitions": _Part("Definitions", _definitions(report.figures)),
        "limits": _Part("What this result cannot tell", _limits(report.limits)),
        "repeat": _Part("How to repeat this", _provenance(report)),
    }
    return {anchor: part for anchor, part in parts.items() if part.content}


def _all_findings(findings: tuple[Finding, ...]) -> str:
    if not findings:
        return ""
    rows = [
        f"<tr><td>{verdict_badge(finding.verdict)}</td>"
        f'<td class="{_wrapping(say(finding.message))}">{prose(finding.message)}</td>'
        f"{_text_cell(finding.column or '')}"
        f'<td class="number">{_cell_text(finding.n_affected, None)}</td></tr>'
        for finding in worst_first(findings)
    ]
    heads = [say(head) for head in ("Verdict", "Finding", "Column", "Affected")]
    return table_html(say("Findings"), heads, rows)


def _definitions(figures: tuple[Figure, ...]) -> str:
    measures = [MEASURES[key] for key in dict.fromkeys(figure.measure for figure in figures)]
    items = "".join(
        f'<dt id="measure-{each.key}">{text(say(each.label))}</dt><dd>'
        + text(
            say("{definition} Source: {source}.", definition=own(each.definition), source=own(each.source))
        )
        + "</dd>"
        for each in measures
    )
    return f'<dl class="facts">{items}</dl>' if items else ""


def _limits(limits: tuple[str, ...]) -> str:
    items = "".join(f'<li class="wrap">{text(say(limit))}</li>' for limit in limits)
    return f'<ul class="limits">{items}</ul>' if items else ""


def _provenance(report: Report) -> str:
    command = f"<h3>{text(say('Command'))}</h3>\n<p><code>{text(report.command_shown)}</code></p>"
    versions = " · ".join(f"{text(name)} {text(version)}" for name, version in report.versions.items())
    parts = [
        _inputs(report.inputs),
        command if report.command else "",
        _facts("Settings", said_settings(report)),
        f'<h3>{text(say("Versions"))}</h3>\n<p class="small wrap long">{versions}</p>' if versions else "",
    ]
    return "\n".join(part for part in parts if part)


def _inputs(inputs: tuple[InputFacts, ...]) -> str:
    if not inputs:
        return ""
    rows = [
        f"<tr>{_text_cell(say(facts.role))}{_text_cell(facts.name)}"
        f'<td class="number">{facts.n_bytes:,}</td>'
        f"<td><code>{text(facts.sha256)}</code></td>{_text_cell(say(facts.reading))}</tr>"
        for facts in inputs
    ]
    heads = [say(head) for head in ("Part", "File", "Bytes", "SHA-256", "Read as")]
    numeric = [False, False, True, False, False]
    heading = say("Inputs")
    return f"<h3>{text(heading)}</h3>\n" + table_html(heading, heads, rows, numeric=numeric)


def _facts(heading: str, facts: Iterable[tuple[str, str]]) -> str:
    items = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in facts)
    return f'<h3>{text(say(heading))}</h3>\n<dl class="facts">{items}</dl>' if items else ""
