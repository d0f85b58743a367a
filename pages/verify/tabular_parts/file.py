"""One verified file on the page: verdicts side by side, figures, charts, tables, evidence."""

from functools import partial

import streamlit as st

from core.reports import Figure, ReportChart
from core.tabular import TabularAudit, views
from core.tabular.second_opinion import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.views.evidence import evidence_of, evidence_table
from core.verdict import Finding, Verdict
from core.words import say
from pages.components import results
from pages.components.asking import CHOOSE, ask_for_number, ask_for_several, ask_whether
from pages.components.text import plain, sentence
from pages.components.texts import ask_what_was_read
from pages.verify.tabular_parts.batch import MeasuredFile

_AT_ONCE = {"rule": 1, "opinion": 2}  # findings: the map above tells what the rule says of each column
_MAIN = ("policy_consistency", "pattern_residual", "high_risk_handling", "k")


def show_file(audit: TabularAudit, file: MeasuredFile, *, k: int) -> None:
    """Show everything that was found out about one file."""
    both = [("Published rule", audit.verdict), ("Second opinion", audit.second_opinion_verdict)]
    is_clean = audit.overall is Verdict.PASS
    results.show_verdict(
        audit.overall,
        views.headline(audit),
        parts=[] if is_clean else both,
        findings=audit.all_findings,
        key="file",
    )
    _show_map(audit)
    said = views.gravest(audit)
    in_card = said.check if said else ""
    rule, opinion = st.columns(2)
    with rule, st.container(border=True, height="stretch", key="tabular_side_rule"):
        _show_side(
            "Published rule",
            audit.verdict,
            "Believes what the log says of each column, and checks whether it was done.",
            audit.findings,
            "No column check failed and every figure meets its threshold.",
            key="rule",
            in_card=in_card,
        )
    with opinion, st.container(border=True, height="stretch", key="tabular_side_opinion"):
        _show_side(
            "Second opinion",
            audit.second_opinion_verdict,
            "Does not believe the log: looks at what is left of the original table.",
            (*audit.measurement.notes, *(audit.second_opinion.findings if audit.second_opinion else ())),
            "Nothing speaks against the table.",
            key="opinion",
            in_card=in_card,
        )
    if audit.opinion_measurement is not None:
        ask_what_was_read("tabular", file.anonymized, audit.opinion_measurement.texts)
    results.show_figures([figure for figure in _figures(audit) if figure.measure in _MAIN])
    _show_tables(audit, file, k)


def _figures(audit: TabularAudit) -> tuple[Figure, ...]:
    return (*views.rule_figures(audit), *views.class_figures(audit))


def _show_map(audit: TabularAudit) -> None:
    """Show the column map and its checks in one line; a click on a column tells what was found about it."""
    found, key = views.column_map(audit), f"tabular_column_{audit.name}"
    st.markdown(f"**{say('Column map')}** · {sentence(say(views.checks_line(audit)))}")
    results.show_map(
        found.frame,
        alt="Every column: what was logged, whether it was done and what was found, the worst first",
        names="column",
        key="tabular_map",
        opened=partial(st.session_state.__setitem__, key),
        marks=found.marks,
    )
    chosen = str(st.session_state.get(key))
    if chosen in found.findings:
        results.show_findings(found.findings[chosen], key="tabular_column", fold_held=False)
    else:
        st.caption(say("Mark a column to read its findings."))


def _show_side(
    title: str,
    verdict: Verdict,
    idea: str,
    findings: tuple[Finding, ...],
    nothing: str,
    *,
    key: str,
    in_card: str,
) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(say(title), anchor=False, width="content", help=say(idea))
        results.show_badge(verdict)
    if findings:
        results.show_findings(findings, key=f"tabular_{key}", at_once=_AT_ONCE[key], in_card=in_card)
    else:
        st.markdown(say(nothing))


def _show_classes(audit: TabularAudit, k: int) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ask_for_number(
            SecondOpinionThresholds, "smallest_k", slider=True, span=(2, 50), start=k, key="tabular_k"
        )
        log = st.toggle(say("Logarithmic scale"), key="tabular_log_scale", persist_state="session")
    chart = views.class_chart(audit, k=k, log=log)
    if chart is None:
        st.info(sentence(say(views.class_note(audit))), icon=":material/help:")
        return
    note = views.class_note(audit)
    results.show_chart(
        ReportChart(title="Records by class size", chart=chart, alt_text=note), key="tabular_classes"
    )
    st.caption(sentence(say(note)))


def _show_tables(audit: TabularAudit, file: MeasuredFile, k: int) -> None:
    opinion = audit.second_opinion.tables if audit.second_opinion else {}
    titles = ["Class sizes", "All figures", "Column checks", "Sensitive patterns"]
    titles += [*(views.OPINION_TABLES[key].tab for key in opinion), "Evidence"]
    classes, figures, columns, patterns, *others, evidence = st.tabs([plain(say(title)) for title in titles])
    with classes:
        ask_for_several(
            SecondOpinionSettings,
            "quasi_identifiers",
            file.anonymized.columns,
            start=audit.measurement.quasi_identifiers,
            key=file.quasi_identifiers_key,
        )
        if audit.classes is None:
            ask_whether(SecondOpinionThresholds, "no_quasi_identifiers", key=file.no_quasi_identifiers_key)
        _show_classes(audit, k)
    with figures:
        results.show_figures([figure for figure in _figures(audit) if figure.measure not in _MAIN], per_row=3)
        results.show_chart(views.figures_chart_of(audit), key="tabular_figures_chart")
    with columns:
        _show_columns(audit)
    with patterns:
        found = views.residual_table(audit)
        if len(found):
            results.show_table(found, alt="Sensitive patterns by column")
        else:
            st.markdown(say("No cell of the anonymized table holds a pattern of the published rule."))
    for tab, (key, frame) in zip(others, opinion.items(), strict=True):
        shown = views.OPINION_TABLES[key]
        with tab:
            results.show_table(frame, alt=shown.title, columns=shown.columns)
    with evidence:
        _show_evidence(audit, file, k)


def _show_columns(audit: TabularAudit) -> None:
    statuses = st.pills(
        say("Status"),
        list(Verdict),
        default=list(Verdict),
        selection_mode="multi",
        format_func=lambda status: say(status.word),
        key="tabular_statuses",
        persist_state="session",
    )
    results.show_table(
        views.columns_table(audit, statuses=statuses), alt="Every column, what was logged, and its status"
    )


def _show_evidence(audit: TabularAudit, file: MeasuredFile, k: int) -> None:
    choices = evidence_of(audit, k=k)
    if not choices:
        st.markdown(say("No record speaks against this file."))
        return
    by_label = {str(evidence.label): evidence for evidence in choices}
    label = st.selectbox(
        say("Records to look at"),
        list(by_label),
        index=None,
        placeholder=say(CHOOSE),
        format_func=lambda label: say(by_label[label].label) if label in by_label else label,
        key=f"tabular_evidence_{file.pair.original}",
        persist_state="session",
    )
    reveal = results.ask_to_show_values("tabular_reveal")
    if label not in by_label:
        return
    rows = evidence_table(by_label[label], file.original, file.anonymized, audit, k=k, reveal=reveal)
    results.show_table(rows, alt="Records behind the choice above")
    st.caption(say("At most the first 100 records, counted from 1."))
