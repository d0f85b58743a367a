"""The report of a run of the tabular verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from core.reports import Figure, Report, ReportTable, current_versions
from core.tabular import LeftOutFile, TabularAudit
from core.tabular.views.charts import file_charts
from core.tabular.views.figures import class_and_opinion_figures, rule_figures
from core.tabular.views.tables import (
    CHECK_COLUMNS,
    FILE_COLUMNS,
    OPINION_TABLES,
    RESIDUAL_COLUMNS,
    SKIPPED_COLUMNS,
    columns_table,
    files_table,
    residual_table,
    skipped_table,
)
from core.tabular.views.verified_file import VerifiedFile
from core.tabular.views.words import LIMITS, QUESTION, TITLE, run_headline, run_verdict
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import own, text


def tabular_report(
    files: Sequence[VerifiedFile], *, skipped: Sequence[LeftOutFile] = (), created_at: datetime, k: int = 5
) -> Report:
    """Return the report of a run: every file with its verdicts, figures, findings, tables and charts.

    It holds counts, column names and masked shapes, no cell values.
    """
    audits = [file.audit for file in files]
    several = len(files) > 1
    return Report(
        tool="tabular",
        title=TITLE,
        question=QUESTION,
        verdict=run_verdict(audits, n_skipped=len(skipped)),
        headline=run_headline(files, skipped),
        inputs=tuple(facts for file in files for facts in file.inputs),
        settings=_settings(files),
        figures=tuple(
            _of_file(figure, audit.name if several else "")
            for audit in audits
            for figure in (*rule_figures(audit), *class_and_opinion_figures(audit))
        ),
        findings=_findings(audits, skipped),
        tables=_tables(files, skipped),
        charts=tuple(chart for audit in audits for chart in file_charts(audit, k).values()),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Second opinion": worst(audit.second_opinion_verdict for audit in audits),
        },
    )


def _settings(files: Sequence[VerifiedFile]) -> dict[str, object]:
    """Return what each file was held against, by file name."""
    return {file.audit.name: file.settings for file in files}


def _of_file(figure: Figure, file: str) -> Figure:
    of = ": ".join(part for part in (file, figure.of) if part)
    return replace(figure, of=of)


def _findings(audits: Sequence[TabularAudit], skipped: Sequence[LeftOutFile]) -> tuple[Finding, ...]:
    several = len(audits) > 1
    found = [
        finding.of_file(audit.name) if several else finding
        for audit in audits
        for finding in audit.all_findings
    ]
    found += [
        Finding(check="not_verified", verdict=Verdict.NOT_ASSESSED, message=file.reason).of_file(file.name)
        for file in skipped
    ]
    return worst_first(found)


def _tables(files: Sequence[VerifiedFile], skipped: Sequence[LeftOutFile]) -> tuple[ReportTable, ...]:
    tables = [
        ReportTable(
            name="Files",
            title="Files",
            frame=files_table(files),
            note="Overall is the worse of the published rule's verdict and the second opinion.",
            columns=FILE_COLUMNS,
        )
    ]
    for file in files:
        tables.extend(_file_tables(file.audit))
    if skipped:
        tables.append(
            ReportTable(
                name="Not verified",
                title="Files not verified",
                frame=skipped_table(skipped),
                columns=SKIPPED_COLUMNS,
            )
        )
    return tuple(tables)


def _file_tables(audit: TabularAudit) -> list[ReportTable]:
    name = audit.name
    tables = [
        ReportTable(
            name=f"Columns {name}",
            title=text("Columns of {file}", file=name),
            frame=columns_table(audit),
            columns=CHECK_COLUMNS,
            note="Shapes stand for values: 9 for a digit, A for a letter.",
        ),
        ReportTable(
            name=f"Patterns {name}",
            title=text("Sensitive patterns left in {file}", file=audit.measurement.anonymized_name),
            frame=residual_table(audit),
            columns=RESIDUAL_COLUMNS,
        ),
    ]
    if audit.second_opinion is not None:
        tables.extend(
            ReportTable(
                name=f"{shown.title} {name}",
                title=text("Second opinion on {file}: {table}", file=name, table=own(shown.title)),
                frame=audit.second_opinion.tables[key],
                columns=shown.columns,
            )
            for key, shown in OPINION_TABLES.items()
        )
    return [table for table in tables if len(table.frame)]
