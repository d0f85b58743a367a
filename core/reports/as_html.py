"""A report as one self-contained HTML file: no script, nothing fetched, fit to be printed and filed."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import cast
from xml.etree import ElementTree as ET

import altair as alt
import pandas as pd

from core.charts import Specification, for_report
from core.drawing import svg_of
from core.measures import MEASURES, Measure
from core.measures.measure import Unit
from core.plain import JsonValue, json_value, printable, scalar, sha256_of
from core.reports.model import (
    Figure,
    InputFacts,
    Report,
    ReportChart,
    ReportTable,
    column_units,
    figure_text,
    in_utc,
    said_settings,
    time_text,
    unit_word,
)
from core.verdict import Verdict, next_steps, worst_first
from core.words import Amount, own, say, spoken_language

_LONGEST_LABEL = 300
NOT_DRAWN = (
    "This chart could not be drawn: the process that draws ended or took too long. Its figures stand in the "
    "tables; download the report once more to have it drawn."
)

_DRAWN = frozenset(
    [
        "svg",
        "g",
        "path",
        "line",
        "rect",
        "circle",
        "text",
        "tspan",
        "defs",
        "clipPath",
        "linearGradient",
        "stop",
    ]
)
_BEYOND_PLANE_0 = re.compile("[\U00010000-\U0010ffff]")
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")


def _chart_svg(chart: alt.TopLevelMixin | Specification, *, prefix: str) -> str:
    """Draw a chart as an SVG element without namespace, script, link or reference to anything outside.

    Where it cannot be drawn, a sentence says so.

    `prefix`: put before every id, so that charts of one page stay apart. The page holds the chart's name and
    description in elements with the ids ``<prefix>-title`` and ``<prefix>-text``.
    """
    specification = cast("dict[str, object]", _drawable(json_value(for_report(chart))))
    drawn = _svg(specification)
    if drawn is None:
        return f"<p>{text(say(NOT_DRAWN))}</p>"
    root = ET.fromstring(printable(drawn))  # noqa: S314 - our own drawing, without entities
    _strip(root)
    _renumber_ids(root, prefix)
    width, height = root.attrib["width"], root.attrib["height"]
    root.attrib.clear()
    root.attrib |= {
        "viewBox": f"0 0 {width} {height}",
        "role": "img",
        "aria-labelledby": f"{prefix}-title",
        "aria-describedby": f"{prefix}-text",
    }
    return ET.tostring(root, encoding="unicode")


def _svg(specification: dict[str, object]) -> str | None:
    try:
        return svg_of(specification)
    except ValueError:
        # Vega shortens long labels by UTF-16 units; one cut inside a character cannot be measured.
        plain = json.loads(
            _BEYOND_PLANE_0.sub("\N{REPLACEMENT CHARACTER}", json.dumps(specification, ensure_ascii=False))
        )
        return svg_of(plain)


def _drawable(part: JsonValue) -> JsonValue:
    """Return a specification without control characters and texts too long to measure.

    Measuring a control character ends the process that draws (vl-convert 1.9.0).
    """
    if isinstance(part, dict):
        return {printable(name): _drawable(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_drawable(value) for value in part]
    return _short(printable(part)) if isinstance(part, str) else part


def _short(text: str) -> str:
    """Cut a text that no label can show and that takes seconds to measure; distinct texts stay distinct."""
    if len(text) <= _LONGEST_LABEL:
        return text
    return f"{text[:_LONGEST_LABEL]}… {sha256_of(text)[:8]}"


def _strip(element: ET.Element) -> None:
    """Keep only what draws, in the element and below it."""
    element.tag = element.tag.rpartition("}")[2]
    element.attrib = {name: value for name, value in element.attrib.items() if _is_plain(name)}
    for child in list(element):
        _strip(child)
        if child.tag not in _DRAWN:
            element.remove(child)


def _renumber_ids(root: ET.Element, prefix: str) -> None:
    """Give ids numbers in the order of the drawing: Vega counts gradients over the life of the process."""
    ids = (element.attrib["id"] for element in root.iter() if "id" in element.attrib)
    renamed = {old: f"{prefix}-{number}" for number, old in enumerate(ids, start=1)}
    for element in root.iter():
        for name, value in element.attrib.items():
            element.attrib[name] = (
                renamed[value]
                if name == "id"
                else _REFERENCE.sub(lambda found: f"url(#{renamed.get(found[1], prefix)})", value)
            )


def _is_plain(name: str) -> bool:
    return not name.startswith(("{", "aria-", "on")) and name not in ("role", "href", "class")


_MOST_ROWS = 50
MOST_COLUMNS = 14
_LONGEST_TEXT = 600
_LONGEST_WORD = 28

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)

_STYLE = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
_VERDICT_MEANINGS = {
    Verdict.PASS: "PASS means: every check held.",
    Verdict.WARN: "WARN means: nothing failed, but something needs a person's judgement.",
    Verdict.NOT_ASSESSED: "NOT ASSESSED means: something could not be checked; this is not a pass.",
    Verdict.FAIL: "FAIL means: at least one check failed.",
}


def render_html(report: Report) -> bytes:
    """Write the report as one HTML file in UTF-8.

    Charts are inline SVG. A content security policy forbids scripts and requests. All text is escaped.
    Tables show their first 50 rows and 14 columns and say so where they hold more. Light, dark and
    print have their own colours; a verdict is told by word, symbol and colour. The same report gives
    the same bytes, and two that differ in `created_at` differ in that line.
    """
    body = [
        _header(report),
        "<main>",
        _verdict_panel(report),
        _figures_section(report.figures),
        _findings_section(report),
        _charts_section(report.charts),
        _tables_section(report.tables),
        _limits_section(report.limits),
        _provenance_section(report),
        "</main>",
        _footer(),
    ]
    return (_head(report) + "\n".join(part for part in body if part) + "\n</body>\n</html>\n").encode("utf-8")


def text(value: object) -> str:
    """Return text from anywhere, harmless between tags and inside a quoted attribute."""
    return html.escape(printable(str(value)), quote=True)


# ---------------------------------------------------------------------------------------------- frame


def _head(report: Report) -> str:
    return f"""<!doctype html>
<html lang="{spoken_language()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{text(_title(report))}</title>
<style>{_STYLE}</style>
</head>
<body>
"""


def _title(report: Report) -> str:
    title, verdict = own(report.title), own(report.verdict.word)
    return say("{title}: {verdict} – AnonAudit report", title=title, verdict=verdict)


def _header(report: Report) -> str:
    moment = in_utc(report.created_at)
    return f"""<header class="top">
<div class="brand"><strong>AnonAudit</strong>
<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">{time_text(moment)}</time></div>
<h1 class="wrap">{text(say(report.title))}</h1>
<p class="question wrap">{text(say(report.question))}</p>
</header>"""


def _verdict_panel(report: Report) -> str:
    verdict = report.verdict
    parts = "".join(
        f"<li>{text(say(name))}{_verdict_badge(part)}</li>" for name, part in report.verdicts.items()
    )
    return f"""<section class="verdict {verdict.value}" aria-label="{text(say("Verdict"))}">
<span class="mark" aria-hidden="true">{verdict.symbol}</span>
<span class="word">{text(say(verdict.word))}</span>
<span class="headline wrap">{text(say(report.headline))}</span>
</section>
{f'<ul class="parts">{parts}</ul>' if parts else ""}
<p class="small">{text(say(_VERDICT_MEANINGS[verdict]))}</p>
{_next_steps(report)}"""


def _next_steps(report: Report) -> str:
    steps = "".join(f'<li class="wrap">{text(say(step))}</li>' for step in next_steps(report.findings))
    return f"<h2>{text(say('Do next'))}</h2>\n<ol>{steps}</ol>" if steps else ""


def _verdict_badge(verdict: Verdict | None) -> str:
    """Return a verdict as word and symbol in its colour; empty where nothing is judged."""
    if verdict is None:
        return ""
    symbol, label = verdict.symbol, text(say(verdict.word))
    return f'<span class="badge {verdict.value}"><span aria-hidden="true">{symbol}</span> {label}</span>'


def _footer() -> str:
    words = say(
        "Made by AnonAudit on the person's own machine. The file holds no script and fetches nothing. The "
        "XLSX and JSON of the same report hold the exact figures."
    )
    return f"<footer>{text(words)}</footer>"


def _section(heading: str, content: str) -> str:
    return f"<section>\n<h2>{text(say(heading))}</h2>\n{content}\n</section>" if content else ""


# --------------------------------------------------------------------------------- figures and findings


def _figures_section(figures: tuple[Figure, ...]) -> str:
    if not figures:
        return ""
    with_of = any(figure.of for figure in figures)
    judged = any(figure.verdict is not None or figure.threshold for figure in figures)
    heads = ["Figure", "Of"] if with_of else ["Figure"]
    heads += ["Value", "Threshold", "Verdict"] if judged else ["Value"]
    seen: set[str] = set()
    rows = []
    for figure in figures:
        rows.append(_figure_row(figure, defined=figure.measure in seen, with_of=with_of, judged=judged))
        seen.add(figure.measure)
    return _section("Figures", _table_html(say("Figures"), [say(head) for head in heads], rows))


def _figure_row(figure: Figure, *, defined: bool, with_of: bool, judged: bool) -> str:
    measure = MEASURES[figure.measure]
    definition = "" if defined else _definition(measure)
    cells = [f'<th scope="row" class="figure">{text(say(measure.label))}{definition}</th>']
    if with_of:
        cells.append(_text_cell(say(figure.of)))
    word = unit_word(measure.unit, figure.value)
    unit = f' <span class="unit">{word}</span>' if word else ""
    cells.append(f'<td class="value">{text(figure_text(figure))}{unit}</td>')
    if judged:
        cells.append(
            f"{_text_cell(_unbroken(say(figure.threshold)))}<td>{_verdict_badge(figure.verdict)}</td>"
        )
    return f"<tr>{''.join(cells)}</tr>"


def _unbroken(words: str) -> str:
    """Keep a number and its percent sign on one line."""
    return words.replace(" %", "\N{NO-BREAK SPACE}%")


def _definition(measure: Measure) -> str:
    words = say(
        "{definition} Source: {source}.", definition=own(measure.definition), source=own(measure.source)
    )
    return f'<span class="definition">{text(words)}</span>'


def _findings_section(report: Report) -> str:
    if not report.findings:
        return _section("Findings", f"<p>{text(say('No findings.'))}</p>")
    rows = [
        f"<tr><td>{_verdict_badge(finding.verdict)}</td>"
        f"{_text_cell(say(finding.message))}{_text_cell(finding.column or '')}"
        f'<td class="number">{_cell_text(finding.n_affected, None)}</td></tr>'
        for finding in worst_first(report.findings)
    ]
    heads = [say(head) for head in ("Verdict", "Finding", "Column", "Affected")]
    return _section("Findings", _table_html(say("Findings"), heads, rows))


# ---------------------------------------------------------------------------------------------- charts


def _charts_section(charts: tuple[ReportChart, ...]) -> str:
    return _section("Charts", "\n".join(_chart(chart, number) for number, chart in enumerate(charts, 1)))


def _chart(chart: ReportChart, number: int) -> str:
    return f"""<figure>
<figcaption id="chart-{number}-title">{text(say(chart.title))}</figcaption>
{_chart_svg(chart.chart, prefix=f"chart-{number}")}
<p class="note wrap" id="chart-{number}-text">{text(say(chart.alt_text))}</p>
</figure>"""


# ---------------------------------------------------------------------------------------------- tables


def _tables_section(tables: tuple[ReportTable, ...]) -> str:
    return _section("Tables", "\n".join(_report_table(table) for table in tables))


def _report_table(table: ReportTable) -> str:
    shown = table.said.iloc[:_MOST_ROWS, :MOST_COLUMNS]
    units = column_units(table)[:MOST_COLUMNS]
    numeric = [_is_numeric(shown.iloc[:, position]) for position in range(shown.shape[1])]
    rows = [
        "<tr>"
        + "".join(_cell(value, unit, right) for value, unit, right in zip(row, units, numeric, strict=True))
        + "</tr>"
        for row in shown.itertuples(index=False, name=None)
    ]
    note = f'<p class="note wrap">{text(say(table.note))}</p>' if table.note else ""
    heading = f'<h3 class="wrap">{text(say(table.title))}</h3>'
    if not rows:
        return f"{heading}\n{note}\n<p>{text(say('No rows.'))}</p>"
    content = _table_html(say(table.title), [str(name) for name in shown.columns], rows, numeric=numeric)
    return f"{heading}\n{note}\n{content}\n{_cut_statement(table.said)}"


def _cut_statement(frame: pd.DataFrame) -> str:
    n_rows, n_columns = frame.shape
    if n_rows > _MOST_ROWS and n_columns > MOST_COLUMNS:
        cut = "First {rows} of {n_rows} rows and first {columns} of {n_columns} columns; the XLSX holds all."
    elif n_rows > _MOST_ROWS:
        cut = "First {rows} of {n_rows} rows; the XLSX holds all."
    elif n_columns > MOST_COLUMNS:
        cut = "First {columns} of {n_columns} columns; the XLSX holds all."
    else:
        return ""
    words = say(cut, rows=_MOST_ROWS, n_rows=n_rows, columns=MOST_COLUMNS, n_columns=n_columns)
    return f'<p class="small">{text(words)}</p>'


def _table_html(
    label: str, heads: list[str], rows: Iterable[str], *, numeric: list[bool] | None = None
) -> str:
    right = numeric or [False] * len(heads)
    header = "".join(
        f'<th scope="col"{" class=number" if is_number else ""}>{text(head)}</th>'
        for head, is_number in zip(heads, right, strict=True)
    )
    narrow = ' class="numbers"' if all(right) else ""
    body = "\n".join(rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{text(label)}"><table{narrow}>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _is_numeric(cells: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells))


def _cell(value: object, unit: Unit | None, right: bool) -> str:
    if isinstance(value, str) and str(value) in Verdict.__members__:
        return f"<td>{_verdict_badge(Verdict(str(value)))}</td>"
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


# ------------------------------------------------------------------------------ limits and provenance


def _limits_section(limits: tuple[str, ...]) -> str:
    items = "".join(f'<li class="wrap">{text(say(limit))}</li>' for limit in limits)
    return _section("What this result cannot tell", f'<ul class="limits">{items}</ul>' if items else "")


def _provenance_section(report: Report) -> str:
    parts = [
        _inputs(report.inputs),
        _facts("Settings", said_settings(report)),
        _versions(report),
    ]
    return _section("How to repeat this", "\n".join(part for part in parts if part))


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
    return f"<h3>{text(heading)}</h3>\n" + _table_html(heading, heads, rows, numeric=numeric)


def _facts(heading: str, facts: Iterable[tuple[str, str]]) -> str:
    items = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in facts)
    return f'<h3>{text(say(heading))}</h3>\n<dl class="facts">{items}</dl>' if items else ""


def _versions(report: Report) -> str:
    versions = " · ".join(f"{text(name)} {text(version)}" for name, version in report.versions.items())
    return f'<h3>{text(say("Versions"))}</h3>\n<p class="small wrap long">{versions}</p>' if versions else ""
