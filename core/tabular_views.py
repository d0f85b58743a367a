"""Tables, charts and the report of the tabular verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import altair as alt
import pandas as pd

from core.charts import Specification, horizontal_bars, verdict_counts_bar
from core.class_size_chart import class_size_chart
from core.measures import MEASURES
from core.measures import second_opinion as second_opinion_measures
from core.measures import shared as shared_measures
from core.measures import tabular as tabular_measures
from core.patterns import CATALOGUE
from core.reports import Figure, InputFacts, Report, ReportChart, ReportTable, current_versions
from core.tabular import LeftOutFile, TabularAudit
from core.tabular.csv_report import class_shares
from core.tabular.second_opinion import second_opinion_figures
from core.tabular.words import counted, percent
from core.verdict import Finding, Verdict, worst

TITLE = "Tabular verifier"
QUESTION = "Does an anonymized table hold what its log claims, and is that enough?"
LIMITS = (
    (
        "The published rule looks for written patterns and believes the log's meaning of a column; a "
        "PASS of the "
        "rule alone does not mean that people cannot be recognized."
    ),
    (
        "Sensitive patterns are found by their form: a name or number written in another way may be "
        "missed, and a "
        "harmless code that looks like one is counted."
    ),
    (
        "Class sizes speak of the chosen quasi-identifiers only; what an attacker may know besides is "
        "not in them."
    ),
    "Nothing here calls a table anonymous.",
)
MEASURE_KEYS = tuple(
    measure.key
    for group in (tabular_measures.MEASURES, shared_measures.MEASURES, second_opinion_measures.MEASURES)
    for measure in group
)
COLUMN_UNITS = {"Values": "cells", "Speaking against": "cells"}


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedFile:
    """A pair of files as a report needs it: the result, what went in, and how long it took.

    Attributes
    ----------
    audit
        The result.
    inputs
        Original, anonymized table and log.
    seconds
        How long reading and verifying took.
    """

    audit: TabularAudit
    inputs: tuple[InputFacts, ...] = ()
    seconds: float = 0.0

    @property
    def settings(self) -> dict[str, object]:
        """Return what the file was held against, as reports state it."""
        return _settings_of(self.audit)


def run_verdict(audits: Sequence[TabularAudit], *, n_skipped: int = 0) -> Verdict:
    """Return the worst overall verdict; a skipped file counts as NOT_ASSESSED."""
    return worst([*(audit.overall for audit in audits), *([Verdict.NOT_ASSESSED] * min(n_skipped, 1))])


def headline(audit: TabularAudit) -> str:
    """Return the sentence that explains a file's overall verdict, the most important reason in it."""
    rule, ours = audit.verdict.value, audit.second_opinion_verdict.value.replace("_", " ")
    sentence = f"The published rule says {rule}, the second opinion {ours}."
    reason = next((finding for finding in audit.all_findings if finding.verdict is audit.overall), None)
    if reason is None or audit.overall is Verdict.PASS:
        return sentence
    return f"{sentence} {reason.message}"


def files_table(files: Sequence[VerifiedFile]) -> pd.DataFrame:
    """Return a row per file: verdicts, figures in [0, 1], reviews; None where not assessed."""
    return pd.DataFrame([_file_row(file) for file in files], columns=list(FILE_COLUMNS))


FILE_COLUMNS = (
    "File",
    "Mode",
    "Overall",
    "Published rule",
    "Second opinion",
    "Policy consistency",
    "Pattern residual",
    "High-risk handling",
    "PASS messages",
    "WARN messages",
    "FAIL messages",
    "Review mandatory",
    "Review recommended",
    "Smallest class (k)",
    "Records with k < 2",
    "Records with k < 5",
    "Seconds",
)
FILE_UNITS: dict[str, Any] = {
    name: "share"
    for name in FILE_COLUMNS
    if name.endswith("messages") or name.startswith(("Policy", "Pattern", "High-risk", "Records"))
}


def _file_row(file: VerifiedFile) -> tuple[object, ...]:
    audit, measured, classes = file.audit, file.audit.measurement, file.audit.classes
    below = class_shares(audit) if classes is not None else (None, None)
    return (
        audit.name,
        measured.log.mode,
        audit.overall.value,
        audit.verdict.value,
        audit.second_opinion_verdict.value,
        measured.policy_consistency,
        measured.pattern_residual,
        measured.high_risk_handling,
        measured.pass_share,
        measured.warn_share,
        measured.fail_share,
        audit.mandatory_review,
        audit.recommended_review,
        None if classes is None else classes.k,
        *below,
        round(file.seconds, 2),
    )


def columns_table(audit: TabularAudit, *, statuses: Sequence[Verdict] = tuple(Verdict)) -> pd.DataFrame:
    """Return a row per check, expansions below their original column; only those of the given statuses."""
    rows = [
        (
            check.column,
            check.anonymized_column,
            check.semantic,
            check.action,
            check.status.value,
            check.reason,
            check.n_filled,
            check.n_failing,
            ", ".join(check.shapes),
        )
        for check in audit.measurement.checks
        if check.status in statuses
    ]
    names = ("Column", "Anonymized column", "Semantic", "Action", "Status", "Reason", *COLUMN_UNITS, "Shapes")
    return pd.DataFrame(rows, columns=list(names))


def residual_table(audit: TabularAudit) -> pd.DataFrame:
    """Return a row per anonymized column that holds sensitive patterns, and how many cells hold which."""
    rows = [
        {
            "Anonymized column": residual.column,
            "Non-blank cells": residual.n_filled,
            "Cells with a pattern": residual.n_cells,
            "Share of cells": residual.n_cells / residual.n_filled,
            "Patterns": ", ".join(f"{CATALOGUE[key].label} {n:,}" for key, n in residual.counts.items()),
        }
        for residual in audit.measurement.residuals
        if residual.n_cells
    ]
    names = ["Anonymized column", "Non-blank cells", "Cells with a pattern", "Share of cells", "Patterns"]
    return pd.DataFrame(rows, columns=names)


def skipped_table(skipped: Sequence[LeftOutFile]) -> pd.DataFrame:
    """Return a row per file that was not verified, with the reason."""
    return pd.DataFrame(
        {"File": [file.name for file in skipped], "Reason": [file.reason for file in skipped]}
    )


def rule_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published figures with their thresholds and what each makes of the file."""
    measured, limits = audit.measurement, audit.thresholds
    missed = {finding.check for finding in audit.findings}

    def figure(key: str, value: float, threshold: str) -> Figure:
        verdict = Verdict.FAIL if key in missed else Verdict.PASS
        return Figure(measure=key, value=value, threshold=threshold, verdict=verdict)

    return (
        figure(
            "policy_consistency",
            measured.policy_consistency,
            f"at least {percent(limits.policy_consistency_share)}",
        ),
        figure(
            "pattern_residual", measured.pattern_residual, f"at most {percent(limits.pattern_residual_share)}"
        ),
        figure(
            "high_risk_handling",
            measured.high_risk_handling,
            f"at least {percent(limits.high_risk_handling_share)}",
        ),
        Figure(measure="pass_share", value=measured.pass_share),
        Figure(
            measure="warn_share",
            value=measured.warn_share,
            threshold=f"below {percent(limits.warn_share)}",
            verdict=Verdict.WARN if audit.recommended_review else Verdict.PASS,
        ),
        Figure(
            measure="fail_share",
            value=measured.fail_share,
            threshold="none",
            verdict=Verdict.FAIL if audit.mandatory_review else Verdict.PASS,
        ),
    )


def class_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published class figures; None, never 0, where nothing names a quasi-identifier."""
    classes = audit.classes
    of = "" if classes is None else ", ".join(classes.quasi_identifiers)
    return (
        Figure(measure="k", value=None if classes is None else classes.k, of=of),
        Figure(measure="share_k_lt_2", value=None if classes is None else classes.share_below(2), of=of),
        Figure(measure="share_k_lt_5", value=None if classes is None else classes.share_below(5), of=of),
    )


def opinion_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the second opinion's figures; none where it was not asked for."""
    if audit.opinion_measurement is None or audit.second_opinion is None:
        return ()
    return second_opinion_figures(audit.opinion_measurement, audit.second_opinion)


def opinion_units(frame: pd.DataFrame) -> dict[str, Any]:
    """Return which columns of a table of the second opinion are shares in [0, 1]."""
    return {
        name: "share"
        for name in frame.columns
        if name.lower().endswith("share") or name.startswith(("Share", "Unique with"))
    }


def messages_chart(audit: TabularAudit) -> alt.LayerChart:
    """Draw how many column checks ended in PASS, WARN and FAIL."""
    counts = {status: audit.measurement.n_messages(status) for status in Verdict}
    return verdict_counts_bar(counts, unit="column checks")


def figures_chart(audit: TabularAudit) -> Specification:
    """Draw the published figures as bars, each with a tick at its threshold."""
    measured, limits = audit.measurement, audit.thresholds
    rows = (
        ("policy_consistency", "at least", measured.policy_consistency, limits.policy_consistency_share),
        ("high_risk_handling", "at least", measured.high_risk_handling, limits.high_risk_handling_share),
        ("pattern_residual", "at most", measured.pattern_residual, limits.pattern_residual_share),
        ("warn_share", "below", measured.warn_share, limits.warn_share),
    )
    frame = pd.DataFrame(
        {
            "figure": [f"{MEASURES[key].label} ({bound} {percent(limit)})" for key, bound, _, limit in rows],
            "value": [value for _, _, value, _ in rows],
            "limit": [limit for *_, limit in rows],
        }
    )
    return horizontal_bars(
        frame,
        label="figure",
        value="value",
        reference="limit",
        value_title="Share (%)",
        label_title="Figure and threshold",
        reference_meaning="threshold",
    )


def class_chart(audit: TabularAudit, *, k: int, log: bool = False) -> Specification | None:
    """Draw the records by class size with k as a line; None where nothing was assessed.

    Parameters
    ----------
    audit
        Its classes answer every k at once.
    k
        Threshold; at least 1.
    log
        Draw counts on a logarithmic scale.
    """
    if audit.classes is None or not audit.classes.n_records:
        return None
    sizes, records = audit.classes.size_histogram
    return class_size_chart(sizes, records, k, log=log)


def class_note(audit: TabularAudit) -> str:
    """Return which records the class figures speak of, in a sentence."""
    classes = audit.classes
    if classes is None:
        return "No quasi-identifier in the log and none chosen, so the size of classes was not assessed."
    left_out = (
        f"; {counted(classes.n_left_out, 'record')} blank in all of them left out"
        if classes.n_left_out
        else ""
    )
    return (
        f"{counted(classes.n_records, 'record')} in "
        f"{counted(classes.n_classes, 'class', plural='classes')} over "
        f"{', '.join(classes.quasi_identifiers)}{left_out}."
    )


def tabular_report(
    files: Sequence[VerifiedFile], *, skipped: Sequence[LeftOutFile] = (), created_at: datetime, k: int = 5
) -> Report:
    """Return the report of a run: every file with its verdicts, figures, findings, tables and charts.

    It holds counts, column names and masked shapes, no cell values.

    Parameters
    ----------
    files
        In the order of the run.
    skipped
        What was not verified, and why.
    created_at
        UTC.
    k
        Threshold drawn in the class charts.
    """
    audits = [file.audit for file in files]
    several = len(files) > 1
    return Report(
        tool="tabular",
        title=TITLE,
        question=QUESTION,
        verdict=run_verdict(audits, n_skipped=len(skipped)),
        headline=_run_headline(files, skipped),
        inputs=tuple(facts for file in files for facts in file.inputs),
        settings=_settings(files),
        figures=tuple(
            _of_file(figure, audit.name if several else "")
            for audit in audits
            for figure in (*rule_figures(audit), *_class_and_opinion_figures(audit))
        ),
        findings=_findings(audits, skipped),
        tables=_tables(files, skipped),
        charts=tuple(chart for audit in audits for chart in file_charts(audit, k)),
        limits=LIMITS,
        created_at=created_at,
        versions=current_versions(),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Second opinion": worst(audit.second_opinion_verdict for audit in audits),
        },
    )


def _class_and_opinion_figures(audit: TabularAudit) -> list[Figure]:
    """Return both, the smallest class once: with the second opinion's threshold where there is one."""
    opinion = opinion_figures(audit)
    judged = {figure.measure for figure in opinion}
    return [*(figure for figure in class_figures(audit) if figure.measure not in judged), *opinion]


def _run_headline(files: Sequence[VerifiedFile], skipped: Sequence[LeftOutFile]) -> str:
    left_out = f" {counted(len(skipped), 'file')} could not be verified." if skipped else ""
    if len(files) == 1:
        return f"{files[0].audit.name}: {headline(files[0].audit)}{left_out}"
    counts = [
        (verdict, sum(file.audit.overall is verdict for file in files)) for verdict in reversed(Verdict)
    ]
    parts = ", ".join(f"{n:,} {verdict.value.replace('_', ' ')}" for verdict, n in counts if n)
    return f"{counted(len(files), 'file')} verified: {parts or 'none'}.{left_out}"


def _settings(files: Sequence[VerifiedFile]) -> dict[str, object]:
    """Return what each file was held against, by file name."""
    return {file.audit.name: file.settings for file in files}


def _settings_of(audit: TabularAudit) -> dict[str, object]:
    limits = audit.thresholds
    return {
        "mode": audit.measurement.log.mode,
        "keeping diagnoses permitted": audit.measurement.log.allow_dx,
        "policy consistency at least": limits.policy_consistency_share,
        "pattern residual at most": limits.pattern_residual_share,
        "high-risk handling at least": limits.high_risk_handling_share,
        "review recommended from a WARN share of": limits.warn_share,
        "patterns": list(audit.measurement.settings.patterns),
        "quasi-identifiers": list(audit.classes.quasi_identifiers) if audit.classes else [],
        **_opinion_settings(audit),
    }


def _opinion_settings(audit: TabularAudit) -> dict[str, object]:
    if audit.second_opinion is None:
        return {}
    limits = vars(audit.second_opinion.thresholds)
    return {f"second opinion: {name.replace('_', ' ')}": value for name, value in limits.items()}


def _of_file(figure: Figure, file: str) -> Figure:
    of = ": ".join(part for part in (file, figure.of) if part)
    return Figure(
        measure=figure.measure, value=figure.value, threshold=figure.threshold, verdict=figure.verdict, of=of
    )


def _findings(audits: Sequence[TabularAudit], skipped: Sequence[LeftOutFile]) -> tuple[Finding, ...]:
    several = len(audits) > 1
    found = [
        Finding(
            check=finding.check,
            verdict=finding.verdict,
            message=f"{audit.name}: {finding.message}" if several else finding.message,
            column=finding.column,
            n_affected=finding.n_affected,
        )
        for audit in audits
        for finding in audit.all_findings
    ]
    found += [
        Finding(check="not_verified", verdict=Verdict.NOT_ASSESSED, message=f"{file.name}: {file.reason}")
        for file in skipped
    ]
    return tuple(sorted(found, key=lambda finding: -finding.verdict.severity))


def _tables(files: Sequence[VerifiedFile], skipped: Sequence[LeftOutFile]) -> tuple[ReportTable, ...]:
    tables = [
        ReportTable(
            name="Files",
            title="Files",
            frame=files_table(files),
            note="Overall is the worse of the published rule's verdict and the second opinion.",
            units=FILE_UNITS,
        )
    ]
    for file in files:
        tables.extend(_file_tables(file.audit))
    if skipped:
        tables.append(
            ReportTable(name="Not verified", title="Files not verified", frame=skipped_table(skipped))
        )
    return tuple(tables)


def _file_tables(audit: TabularAudit) -> list[ReportTable]:
    name = audit.name
    tables = [
        ReportTable(
            name=f"Columns {name}",
            title=f"Columns of {name}",
            frame=columns_table(audit),
            note="Shapes stand for values: 9 for a digit, A for a letter.",
        ),
        ReportTable(
            name=f"Patterns {name}",
            title=f"Sensitive patterns left in {audit.measurement.anonymized_name}",
            frame=residual_table(audit),
            units={"Share of cells": "share"},
        ),
    ]
    if audit.second_opinion is not None:
        tables.extend(
            ReportTable(
                name=f"{title} {name}",
                title=f"Second opinion on {name}: {title}",
                frame=frame,
                units=opinion_units(frame),
            )
            for title, frame in audit.second_opinion.tables.items()
        )
    return [table for table in tables if len(table.frame)]


def file_charts(audit: TabularAudit, k: int) -> list[ReportChart]:
    """Return the charts of one file, each with the text that says what it shows."""
    measured = audit.measurement
    counts = ", ".join(f"{measured.n_messages(status)} {status.value}" for status in Verdict)
    charts = [
        ReportChart(
            title=f"Column checks of {audit.name}",
            chart=messages_chart(audit),
            alt_text=f"Bar of the column checks of {audit.name}: {counts.replace('_', ' ')}.",
        ),
        ReportChart(
            title=f"Figures of {audit.name} against their thresholds",
            chart=figures_chart(audit),
            alt_text=f"Bars of policy consistency {percent(measured.policy_consistency)}, high-risk handling "
            f"{percent(measured.high_risk_handling)}, pattern residual "
            f"{percent(measured.pattern_residual)} and "
            f"WARN messages {percent(measured.warn_share)}, each with its threshold.",
        ),
    ]
    classes, chart = audit.classes, class_chart(audit, k=k)
    if classes is not None and chart is not None:
        charts.append(
            ReportChart(
                title=f"Records of {audit.name} by class size",
                chart=chart,
                alt_text=f"Histogram of records by class size: {classes.n_records_below(k):,} of "
                f"{classes.n_records:,} records are in classes smaller than {k}. {class_note(audit)}",
            )
        )
    return charts
