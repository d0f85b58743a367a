"""Reports for tests: one like a real run, and the texts that break careless writers."""

import dataclasses
from datetime import UTC, datetime

import altair as alt
import numpy as np
import pandas as pd

from core.charts import class_size_chart
from core.plain import valid_unicode
from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable
from core.verdict import Finding, Verdict

CREATED_AT = datetime(2026, 11, 20, 6, 30, tzinfo=UTC)

FORMULAS = (
    "=1+1",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://evil.example","x")',
    "+1+1",
    "-2+3",
    "-5",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠A1",
)

HOSTILE = (
    *FORMULAS,
    "</style><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]>",
    "<!--",
    "-->",
    "javascript:alert(1)",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "</title><svg onload=alert(1)>",
    "</svg><script>1</script>",
    "&lt;b&gt; &amp;amp; &#x3c;",
    "#N/A",
    "_x0041_",
    "a\x00b\x01c\x1fd",
    "lone \ud800 surrogate",
    "\ufeffbom",
    "\u202etxt.exe",
    'a,b;c\t"d"\r\ne',
    "[x](javascript:alert(1)) :red[y] $z$",
    "q:Q",
    "a.b[0]",
    "x" * 40_000,
    "",
)


def report(**changes: object) -> Report:
    """Return a report with every part filled; `changes` replaces parts."""
    parts: dict[str, object] = {
        "tool": "tabular",
        "title": "Verify an anonymized table",
        "question": "Was this table anonymized as its log says?",
        "verdict": Verdict.FAIL,
        "headline": "1 of 3 columns fails.",
        "verdicts": {"Published rule": Verdict.WARN, "Second opinion": Verdict.FAIL},
        "inputs": (
            InputFacts(role="Original", name="patients.csv", n_bytes=12345, sha256="ab" * 32, reading="CSV"),
        ),
        "settings": {"k": 5, "Quasi-identifiers": ["age", "zip"], "Diagnosis retention": False},
        "figures": (
            Figure(measure="k", value=1, threshold="at least 5", verdict=Verdict.FAIL),
            Figure(measure="share_k_lt_5", value=0.1234, verdict=Verdict.WARN, of="patients.csv"),
            Figure(measure="share_k_lt_2", value=None, verdict=Verdict.NOT_ASSESSED),
        ),
        "findings": (
            Finding(check="log", verdict=Verdict.PASS, message="The log mentions all 3 columns."),
            Finding(
                check="unchanged",
                verdict=Verdict.FAIL,
                message="FIRST is unchanged in 9 of 10 cells.",
                column="FIRST",
                n_affected=9,
            ),
        ),
        "tables": (columns_table(), class_sizes_table(7)),
        "charts": (class_sizes_chart(),),
        "limits": ("It does not know what else is known about these people.",),
        "created_at": CREATED_AT,
        "versions": {"anonaudit": "1.0", "python": "3.11"},
    }
    return Report(**(parts | changes))  # type: ignore[arg-type]


def replaced(report: Report, **changes: object) -> Report:
    """Return a copy of a report with other parts."""
    return dataclasses.replace(report, **changes)  # type: ignore[arg-type]


def columns_table() -> ReportTable:
    """Return a table with text, verdicts, shares, counts and missing cells."""
    frame = pd.DataFrame(
        {
            "Column": ["FIRST", "ZIP", "AGE"],
            "Status": [Verdict.FAIL, Verdict.WARN, Verdict.PASS],
            "unchanged_share": [0.9, 0.0001, np.nan],
            "Cells": [10, 9, 8],
        }
    )
    return ReportTable(name="columns", title="Every column", frame=frame, note="One line per column.")


def class_sizes_table(n_rows: int) -> ReportTable:
    """Return a table of numbers alone."""
    frame = pd.DataFrame({"Class size": range(1, n_rows + 1), "Records": range(n_rows)})
    return ReportTable(name="class sizes", title="Records by class size", frame=frame)


def class_sizes_chart() -> ReportChart:
    """Return a chart like the tools' own."""
    chart = class_size_chart(np.array([1, 4, 9]), np.array([3, 8, 90]), 5)
    return ReportChart(title="Class sizes", chart=chart, alt_text="11 of 101 records are in small classes.")


def text_report(text: str) -> Report:
    """Return a report with the same text in every place that can hold one."""
    cell = valid_unicode(text)  # no frame can hold a lone surrogate
    frame = pd.DataFrame([[cell, "plain"], ["plain", cell]], columns=[cell, "other"])
    points = pd.DataFrame({"c0": [cell, "other"], "c1": [1, 2]})
    chart = alt.Chart(points).mark_bar().encode(x=alt.X("c0:N", title=text), y="c1:Q")
    return report(
        tool=text,
        title=text,
        question=text,
        headline=text,
        verdicts={text: Verdict.WARN},
        inputs=(InputFacts(role=text, name=text, n_bytes=1, sha256=text, reading=text),),
        settings={text: text, "list": [text, {text: text}]},
        figures=(Figure(measure="k", value=2, threshold=text, verdict=Verdict.WARN, of=text),),
        findings=(Finding(check=text, verdict=Verdict.WARN, message=text, column=text, n_affected=1),),
        tables=(
            ReportTable(name=text, title=text, frame=frame, note=text),
            ReportTable(name=text, title=text, frame=frame, note=text),
        ),
        charts=(ReportChart(title=text, chart=chart, alt_text=text),),
        limits=(text,),
        versions={text: text},
    )
