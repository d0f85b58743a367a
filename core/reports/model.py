"""What a report holds; every tool fills one in, and every renderer reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import altair as alt
import pandas as pd

from core.charts import Specification
from core.measures.measure import Unit
from core.verdict import Finding, Verdict


@dataclass(frozen=True, kw_only=True)
class InputFacts:
    """What a report says of one input file: its part in the audit, name, size and SHA-256."""

    role: str
    name: str
    n_bytes: int
    sha256: str
    reading: str = ""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of a report: a measure's key, its value, and the threshold it is held against."""

    measure: str  # key into :data:`core.measures.MEASURES`, which gives label, unit and definition
    value: float | None  # the figure itself (shares in [0, 1]); None for "not assessed"
    threshold: str = ""  # in words, such as "at least 80 %"; empty where nothing is judged
    verdict: Verdict | None = None  # what the figure makes of it, None where nothing is judged
    of: str = ""  # which file, column or attribute the figure is about; empty for the whole run


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportTable:
    """A table of a report: aggregates, or evidence where the person switched it on."""

    name: str  # short name: the sheet in XLSX, the file in the zip of CSVs, the key in JSON
    title: str  # heading on screen and in HTML
    frame: pd.DataFrame  # The rows; its index is not shown. Shares stay in [0, 1].
    note: str = ""  # A sentence on how to read it
    # Column name to unit, for writing: ``{"Share of records": "share"}`` is shown as percent. Without it a
    # column whose name ends in ``_share`` or ``_risk`` is.
    units: Mapping[str, Unit] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportChart:
    """A chart of a report, drawn from aggregates, with a text that says what it shows."""

    title: str
    chart: Specification | alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart | alt.FacetChart
    alt_text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """Everything a reader needs to understand, check and repeat an audit."""

    tool: str  # which tool, its title on screen, and the question it answers
    title: str
    question: str
    verdict: Verdict  # the overall verdict and the sentence that explains it
    headline: str
    inputs: tuple[InputFacts, ...]  # what went in; `settings` maps plain names to JSON-able values
    settings: Mapping[str, object]
    figures: tuple[Figure, ...]  # what came out
    findings: tuple[Finding, ...]
    tables: tuple[ReportTable, ...]
    charts: tuple[ReportChart, ...] = ()
    limits: tuple[str, ...] = ()  # sentences about what this result cannot tell
    created_at: datetime  # UTC; the only part that differs between two runs on the same input
    versions: Mapping[str, str] = field(default_factory=dict)  # package name to version
    # the verdicts that `verdict` is the worst of, by name, where there are several: such as "Published rule"
    # and "Second opinion"
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
