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
    """A figure of a report: a measure's key, its value, and the threshold it is held against.

    Attributes
    ----------
    measure
        Key into :data:`core.measures.MEASURES`, which gives label, unit and definition.
    value
        The figure itself (shares in [0, 1]); None for "not assessed".
    threshold
        In words, such as "at least 80 %"; empty where nothing is judged.
    verdict
        What the figure makes of it, None where nothing is judged.
    of
        Which file, column or attribute the figure is about; empty for the whole run.
    """

    measure: str
    value: float | None
    threshold: str = ""
    verdict: Verdict | None = None
    of: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportTable:
    """A table of a report: aggregates, or evidence where the person switched it on.

    Attributes
    ----------
    name
        Short name: the sheet in XLSX, the file in the zip of CSVs, the key in JSON.
    title
        Heading on screen and in HTML.
    frame
        The rows; its index is not shown. Shares stay in [0, 1].
    note
        A sentence on how to read it.
    units
        Column name to unit, for writing: ``{"Share of records": "share"}`` is shown as percent.
        Without it a column whose name ends in ``_share`` or ``_risk`` is.
    """

    name: str
    title: str
    frame: pd.DataFrame
    note: str = ""
    units: Mapping[str, Unit] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportChart:
    """A chart of a report, drawn from aggregates, with a text that says what it shows."""

    title: str
    chart: Specification | alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart | alt.FacetChart
    alt_text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """Everything a reader needs to understand, check and repeat an audit.

    Attributes
    ----------
    tool, title, question
        Which tool, its title on screen, and the question it answers.
    verdict, headline
        The overall verdict and the sentence that explains it.
    inputs, settings
        What went in; `settings` maps plain names to JSON-able values.
    figures, findings, tables, charts
        What came out.
    limits
        Sentences about what this result cannot tell.
    created_at
        UTC; the only part that differs between two runs on the same input.
    versions
        Package name to version.
    verdicts
        The verdicts that `verdict` is the worst of, by name, where there are several: such as
        "Published rule" and "Second opinion".
    """

    tool: str
    title: str
    question: str
    verdict: Verdict
    headline: str
    inputs: tuple[InputFacts, ...]
    settings: Mapping[str, object]
    figures: tuple[Figure, ...]
    findings: tuple[Finding, ...]
    tables: tuple[ReportTable, ...]
    charts: tuple[ReportChart, ...] = ()
    limits: tuple[str, ...] = ()
    created_at: datetime
    versions: Mapping[str, str] = field(default_factory=dict)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
