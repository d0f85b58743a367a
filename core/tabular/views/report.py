"""The report of a run of the tabular verifier."""

from collections.abc import Sequence
from datetime import datetime

from core import reports
from core.tabular import FilePair, LeftOutFile, TabularAudit
from core.tabular.document import run_verdict, tabular_arguments, tabular_document
from core.tabular.views import words
from core.tabular.views.charts import class_chart_of, column_map
from core.tabular.views.figures import class_and_opinion_figures, column_figures, rule_figures
from core.tabular.views.tables import (
    OPINION_TABLES,
    columns_table,
    files_table,
    residual_table,
    skipped_table,
)
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import own, text


def tabular_report(
    files: Sequence[words.VerifiedFile],
    *,
    skipped: Sequence[LeftOutFile] = (),
    created_at: datetime,
    k: int = 5,
) -> reports.Report:
    """Return the report of a run: every file with its verdicts, figures, findings, tables and charts.

    It holds counts, column names and masked shapes, no cell values.
    """
    inputs = reports.placed(facts for file in files for facts in file.inputs)
    paths = [facts.path for facts in inputs]
    n_files = len(("original", "anonymized", "log"))
    is_known = all(len(file.inputs) == n_files and file.is_repeatable for file in files)
    pairs = [
        FilePair(original=original, anonymized=anonymized, log=log)
        for original, anonymized, log in zip(paths[::3], paths[1::3], paths[2::3], strict=False)
    ]
    audits = [file.audit for file in files]
    sections = tuple(
        _section(audit, k) for audit in sorted(audits, key=lambda audit: -audit.overall.severity)
    )
    return reports.Report(
        tool="tabular",
        title=words.TITLE,
        question=words.QUESTION,
        verdict=run_verdict(audits, n_skipped=len(skipped)),
        headline=words.run_headline(files, skipped),
        inputs=inputs,
        settings=_settings(files),
        figures=reports.figures_of(sections),
        findings=worst_first((*reports.findings_of(sections), *_not_verified(skipped))),
        tables=_tables(files, sections, skipped),
        charts=tuple(chart for section in sections for chart in section.charts),
        limits=words.LIMITS,
        created_at=created_at,
        versions=reports.current_versions(),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Second opinion": worst(audit.second_opinion_verdict for audit in audits),
        },
        sections=sections,
        result=tabular_document(audits, skipped),
        arguments=tabular_arguments(audits, pairs, skipped) if is_known else (),
    )


def _section(audit: TabularAudit, k: int) -> reports.ReportSection:
    mapped = column_map(audit)
    chart = class_chart_of(audit, k)
    return reports.ReportSection(
        name=audit.name,
        verdict=audit.overall,
        headline=words.verdicts_said(audit),
        figures=(*rule_figures(audit), *class_and_opinion_figures(audit)),
        further=column_figures(audit),
        findings=audit.all_findings,
        charts=() if chart is None else (chart,),
        tables=(
            reports.ReportTable(
                name=text("Map {file}", file=audit.name),
                title=text("Column map of {file}", file=audit.name),
                frame=mapped.frame,
                note=words.checks_line(audit),
                marks=mapped.marks,
            ),
        ),
        details=tuple(_details(audit)),
    )


def _settings(files: Sequence[words.VerifiedFile]) -> dict[str, object]:
    """Return what each file was held against, by file name."""
    return {file.audit.name: file.settings for file in files}


def _not_verified(skipped: Sequence[LeftOutFile]) -> tuple[Finding, ...]:
    return tuple(
        Finding(check="not_verified", verdict=Verdict.NOT_ASSESSED, message=file.reason).of_file(file.name)
        for file in skipped
    )


def _tables(
    files: Sequence[words.VerifiedFile],
    sections: Sequence[reports.ReportSection],
    skipped: Sequence[LeftOutFile],
) -> tuple[reports.ReportTable, ...]:
    tables = [
        reports.ReportTable(
            name="Files",
            title="Files",
            frame=files_table(files).drop(columns="seconds"),
            note="Overall is the worse of the published rule's verdict and the second opinion.",
        )
    ]
    for section in sections:
        tables += [*section.tables, *section.details]
    if skipped:
        tables.append(
            reports.ReportTable(name="Not verified", title="Files not verified", frame=skipped_table(skipped))
        )
    tables += [each for file in files for each in file.prove()]
    return tuple(tables)


def _details(audit: TabularAudit) -> list[reports.ReportTable]:
    name = audit.name
    tables = [
        reports.ReportTable(
            name=text("Columns {file}", file=name),
            title=text("Columns of {file}", file=name),
            frame=columns_table(audit),
            note="Shapes stand for values: 9 for a digit, A for a letter.",
        ),
        reports.ReportTable(
            name=text("Patterns {file}", file=name),
            title=text("Sensitive patterns left in {file}", file=audit.measurement.anonymized_name),
            frame=residual_table(audit),
        ),
    ]
    if audit.second_opinion is not None:
        tables.extend(
            reports.ReportTable(
                name=text("{table} {file}", table=own(shown.title), file=name),
                title=text("Second opinion on {file}: {table}", file=name, table=own(shown.title)),
                frame=audit.second_opinion.tables[key],
                columns=shown.columns,
            )
            for key, shown in OPINION_TABLES.items()
        )
    return [table for table in tables if len(table.frame)]
