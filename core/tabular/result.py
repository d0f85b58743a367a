"""What the tabular verifier says of a file, and of a run of several."""

from collections.abc import Iterator, Sequence
from typing import Any

from core.people.free_text.result import texts_group
from core.result import Col, Figure, Group, Note, Result, Table
from core.settings.form import settings_document
from core.tabular.charts import class_drawing, class_note, figures_drawing
from core.tabular.column_map import column_map
from core.tabular.csv_report import class_shares
from core.tabular.judging import TabularAudit
from core.tabular.pairing import LeftOutFile
from core.tabular.second_opinion.result import figures_of_columns, figures_of_file, tables_of_opinion
from core.tabular.tool import TOOL
from core.tabular.verified import VerifiedFile
from core.tabular.words import SHORT_WORDS, patterns_found
from core.verdict import Finding, Verdict, verdict_counts, worst
from core.words import Text, joined, own, percent, text

_FIRST = ("policy_consistency", "pattern_residual", "high_risk_handling", "k")
_FILE_COLUMNS = (
    Col("file", "File"),
    Col("mode", "Mode", kind="words"),
    Col("overall", "Overall", kind="words"),
    Col("rule", "Published rule", kind="words"),
    Col("second_opinion", "Second opinion", kind="words"),
    Col("policy_consistency", "Policy consistency", "share"),
    Col("pattern_residual", "Pattern residual", "share"),
    Col("high_risk_handling", "High-risk handling", "share"),
    Col("pass_share", "PASS messages", "share"),
    Col("warn_share", "WARN messages", "share"),
    Col("fail_share", "FAIL messages", "share"),
    Col("mandatory_review", "Review mandatory"),
    Col("recommended_review", "Review recommended"),
    Col("k", "Smallest group (k)"),
    Col("share_k_lt_2", "Records with k < 2", "share"),
    Col("share_k_lt_5", "Records with k < 5", "share"),
)
_RUN_COLUMNS = (
    Col("overall", "Overall", kind="words"),
    Col("file", "File"),
    Col("why", "Why", kind="words"),
    Col("rule", "Published rule", kind="words"),
    Col("second_opinion", "Second opinion", kind="words"),
)
_CHECK_COLUMNS = (
    Col("column", "Column"),
    Col("anonymized_column", "Anonymized column"),
    Col("semantic", "Semantic"),
    Col("action", "Action"),
    Col("status", "Status", kind="words", get=lambda check: check.status.value),
    Col("reason", "Reason", kind="words"),
    Col("n_filled", "Values"),
    Col("n_failing", "Speaking against"),
    Col("shapes", "Shapes", get=lambda check: ", ".join(check.shapes)),
)
_RESIDUAL_COLUMNS = (
    Col("column", "Anonymized column"),
    Col("n_filled", "Non-blank cells"),
    Col("n_cells", "Cells with a pattern"),
    Col("found_share", "Share of cells", "share", get=lambda found: found.n_cells / found.n_filled),
    Col("patterns", "Patterns", kind="words", get=lambda found: patterns_found(found.counts)),
)
_SKIPPED_COLUMNS = (Col("file", "File", get=lambda each: each.name), Col("reason", "Reason", kind="words"))


def run_result(files: Sequence[VerifiedFile], skipped: Sequence[LeftOutFile] = (), *, k: int = 5) -> Result:
    """Return all that a run says: its files, the worst first, and those that were not verified."""
    audits = [file.audit for file in files]
    left_out = Table("skipped", "Files not verified", _SKIPPED_COLUMNS, skipped)
    return Result(
        tool=TOOL.key,
        verdict=run_verdict(audits, n_skipped=len(skipped)),
        verdicts={
            "Published rule": worst(audit.verdict for audit in audits),
            "Second opinion": worst(audit.second_opinion_verdict for audit in audits),
        },
        headline=_headline(audits, skipped),
        findings=[
            Finding(check="not_verified", verdict=Verdict.NOT_ASSESSED, message=file.reason).of_file(
                file.name
            )
            for file in skipped
        ],
        files=lambda: [file_result(audit, k=k) for audit in ranked(audits)],
        groups=(
            Group("list", "Files", (_run_table(ranked(audits), skipped),), where="page"),
            Group("files", "Files", (_files_table(audits),)),
            Group("skipped", "Files not verified", (left_out,) if skipped else (), is_detail=True),
        ),
        settings={file.audit.name: file.settings for file in files},
        is_whole=not skipped,
    )


def run_verdict(audits: Sequence[TabularAudit], *, n_skipped: int = 0) -> Verdict:
    """Return the worst overall verdict; a skipped file counts as NOT_ASSESSED."""
    return worst([*(audit.overall for audit in audits), *([Verdict.NOT_ASSESSED] * min(n_skipped, 1))])


def ranked(audits: Sequence[TabularAudit]) -> list[TabularAudit]:
    """Return the files as a result lists them, the worst first."""
    return sorted(audits, key=lambda audit: -audit.overall.severity)


def file_result(audit: TabularAudit, *, k: int = 5, log: bool = False) -> Result:
    """Return all that is said of one file; `k`, `log`: of the picture of class sizes."""
    opinion, measured = audit.second_opinion, audit.opinion_measurement
    drawn = class_drawing(audit, k, log=log)
    residuals = _residuals(audit)
    return Result(
        tool=TOOL.key,
        name=audit.name,
        verdict=audit.overall,
        verdicts={"Published rule": audit.verdict, "Second opinion": audit.second_opinion_verdict},
        headline=reason.gist if (reason := gravest(audit)) else _verdicts_said(audit),
        findings=audit.all_findings,
        first=_FIRST,
        groups=(
            Group("map", "Column map", (column_map(audit),)),
            Group(
                "classes",
                "Group sizes",
                () if drawn is None else (drawn, Note(class_note(audit))),
                empty=class_note(audit),
            ),
            Group("figures", "All figures", (*_figures(audit), figures_drawing(audit))),
            Group("further", "All figures", tuple(_further(audit)), where="report", is_detail=True),
            Group("columns", "Column checks", (*_about_log(audit), _columns_table(audit)), is_detail=True),
            Group(
                "patterns",
                "Sensitive patterns",
                (residuals,) if residuals.rows else (),
                empty="No cell of the anonymized table holds a pattern of the published rule.",
                is_detail=True,
            ),
            *(
                Group(f"opinion_{number}", title, (table,), is_detail=True)
                for number, (title, table) in enumerate(
                    tables_of_opinion(audit.name, measured, opinion).items() if opinion and measured else ()
                )
            ),
            *(texts_group(measured.texts, opinion.read, file=audit.name) if opinion and measured else ()),
        ),
        asked=settings_document(
            audit.measurement.settings,
            audit.thresholds,
            *([opinion.thresholds, measured.settings] if opinion and measured else []),
        ),
    )


# --- words


_ABOUT_LOG = {
    "by_fields": "The log is in another form than ours and was read by its fields; what it does not say of a "
    "column, such as what it holds, is told by the column's name.",
    "made_here": "The log was made here by comparing both tables: it says what was seen, and what a person "
    "confirmed, not what was promised before. The second opinion does not believe it.",
}


def _about_log(audit: TabularAudit) -> Iterator[Note]:
    if (words := _ABOUT_LOG.get(audit.measurement.log.origin)) is not None:
        yield Note(words)


def gravest(audit: TabularAudit) -> Finding | None:
    """Return the most important reason for a file's overall verdict; None where it is PASS.

    Of a column whose values remain although they were to be dropped this comes before what they tell.
    """
    reasons = [finding for finding in audit.all_findings if finding.verdict is audit.overall]
    if not reasons or audit.overall is Verdict.PASS:
        return None
    failed = audit.overall is Verdict.FAIL
    of_columns = (finding for finding in reasons if failed and (finding.column or finding.columns))
    first = next(of_columns, reasons[0])
    of_it = (each for each in reasons if each.check == "column_dropped" and each.column == first.column)
    return next(of_it, first)


def _verdicts_said(audit: TabularAudit) -> Text:
    """Return both verdicts in a sentence."""
    message = "The published rule says {rule}, the second opinion {ours}."
    return text(message, rule=own(audit.verdict.word), ours=own(audit.second_opinion_verdict.word))


def _headline(audits: Sequence[TabularAudit], skipped: Sequence[LeftOutFile]) -> str:
    """Return the sentence above the report of a run: one file's, or how many files got which verdict."""
    if len(audits) != 1:
        return run_counts(audits, skipped)
    (audit,) = audits
    reason = gravest(audit)
    said = reason.gist if reason else _verdicts_said(audit)
    found = text("{file}: {headline}", file=audit.name, headline=own(said))
    return joined([found, _left_out(skipped)]) if skipped else found


def run_counts(audits: Sequence[TabularAudit], skipped: Sequence[LeftOutFile]) -> str:
    """Return how many files got which verdict, and how many none."""
    counts = {verdict: sum(audit.overall is verdict for audit in audits) for verdict in reversed(Verdict)}
    found = text(
        "{n} file verified: {counts}.",
        "{n} files verified: {counts}.",
        n=len(audits),
        counts=verdict_counts({verdict: n for verdict, n in counts.items() if n}),
    )
    return joined([found, _left_out(skipped)]) if skipped else found


def _left_out(skipped: Sequence[LeftOutFile]) -> Text:
    return text("{n} file could not be verified.", "{n} files could not be verified.", n=len(skipped))


# --- figures


def _figures(audit: TabularAudit) -> list[Figure]:
    """Return the figures of a file; the smallest class once, with its threshold where there is one."""
    opinion = (
        tuple(figures_of_file(audit.opinion_measurement, audit.second_opinion))
        if audit.opinion_measurement and audit.second_opinion
        else ()
    )
    judged = {figure.measure for figure in opinion}
    return [
        *_rule_figures(audit),
        *(figure for figure in _class_figures(audit) if figure.measure not in judged),
        *opinion,
    ]


def _rule_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published figures with their thresholds and what each makes of the file."""
    measured, limits = audit.measurement, audit.thresholds
    missed = {finding.check for finding in audit.findings}

    def figure(key: str, value: float, threshold: str, total: int | None = None) -> Figure:
        verdict = Verdict.FAIL if key in missed else Verdict.PASS
        return Figure(key, value, threshold=threshold, verdict=verdict, total=total)

    return (
        figure(
            "policy_consistency",
            measured.policy_consistency,
            text("at least {share}", share=percent(limits.policy_consistency_share)),
        ),
        figure(
            "pattern_residual",
            measured.pattern_residual,
            text("at most {share}", share=percent(limits.pattern_residual_share)),
            measured.n_filled,
        ),
        figure(
            "high_risk_handling",
            measured.high_risk_handling,
            text("at least {share}", share=percent(limits.high_risk_handling_share)),
        ),
        Figure("pass_share", measured.pass_share),
        Figure(
            "warn_share",
            measured.warn_share,
            threshold=text("below {share}", share=percent(limits.warn_share)),
            verdict=Verdict.WARN if audit.recommended_review else Verdict.PASS,
        ),
        Figure(
            "fail_share",
            measured.fail_share,
            threshold="none",
            verdict=Verdict.FAIL if audit.mandatory_review else Verdict.PASS,
        ),
    )


def _class_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published class figures; None, never 0, where nothing names a quasi-identifier."""
    classes = audit.classes
    if classes is None:
        return tuple(Figure(key, None) for key in ("k", "share_k_lt_2", "share_k_lt_5"))
    of = ", ".join(classes.quasi_identifiers)
    return (
        Figure("k", classes.k, of=of),
        *(Figure(f"share_k_lt_{k}", classes.share_below(k), of=of, total=classes.n_records) for k in (2, 5)),
    )


def _further(audit: TabularAudit) -> Iterator[Figure]:
    """Yield the smallest class where every value counts, and the second opinion's figures of every column."""
    every = [classes.k for classes in (audit.classes, audit.counted_classes) if classes and classes.k]
    yield Figure("min_k", min(every, default=None))
    if audit.opinion_measurement and audit.second_opinion:
        yield from figures_of_columns(audit.opinion_measurement, audit.second_opinion)


# --- tables


def _files_table(audits: Sequence[TabularAudit]) -> Table:
    """Return a row per file: verdicts, figures in [0, 1], reviews; None where not assessed."""
    return Table(
        "file_list",
        "Files",
        _FILE_COLUMNS,
        [_file_row(audit) for audit in audits],
        "Overall is the worse of the published rule's verdict and the second opinion.",
    )


def _file_row(audit: TabularAudit) -> tuple[Any, ...]:
    measured, classes = audit.measurement, audit.classes
    below = class_shares(audit) if classes is not None else (None, None)
    return (
        audit.name,
        SHORT_WORDS[measured.log.mode],
        audit.overall.value,
        audit.verdict.value,
        audit.second_opinion_verdict.value,
        *measured.shares,
        audit.mandatory_review,
        audit.recommended_review,
        None if classes is None else classes.k,
        *below,
    )


def _run_table(audits: Sequence[TabularAudit], left_out: Sequence[LeftOutFile]) -> Table:
    """Return a row per file, the worst first, those left out among them, with the gravest reason."""
    rows: list[tuple[Verdict, str, str, str, str]] = [
        (Verdict.NOT_ASSESSED, file.name, file.reason, "–", "–") for file in left_out
    ]
    for audit in audits:
        reason = gravest(audit)
        why = reason.gist if reason else text("Nothing speaks against the table.")
        rows.append((audit.overall, audit.name, why, audit.verdict, audit.second_opinion_verdict))
    return Table("list", "Files", _RUN_COLUMNS, sorted(rows, key=lambda row: -row[0].severity))


def _columns_table(audit: TabularAudit) -> Table:
    """Return a row per check, expansions below their original column."""
    return Table(
        "columns",
        text("Columns of {file}", file=audit.name),
        _CHECK_COLUMNS,
        audit.measurement.checks,
        "Shapes stand for values: 9 for a digit, A for a letter.",
    )


def _residuals(audit: TabularAudit) -> Table:
    """Return a row per anonymized column that holds sensitive patterns, and how many cells hold which."""
    return Table(
        "patterns",
        text("Sensitive patterns left in {file}", file=audit.measurement.anonymized_name),
        _RESIDUAL_COLUMNS,
        [residual for residual in audit.measurement.residuals if residual.n_cells],
    )
