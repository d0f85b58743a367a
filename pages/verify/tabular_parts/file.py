"""One verified file on the page: verdicts side by side, figures, charts, tables, evidence."""

from dataclasses import replace
from functools import partial

import streamlit as st

from core.reports import report_table
from core.result import Figure, Group, Result, Table
from core.tabular import TabularAudit
from core.tabular.evidence import evidence_of, evidence_table
from core.tabular.result import file_result, gravest
from core.tabular.second_opinion import SecondOpinionSettings, SecondOpinionThresholds
from core.verdict import Finding, Verdict
from core.words import say
from pages.components import results
from pages.components.asking import CHOOSE, ask_for_number, ask_for_several, ask_whether
from pages.components.parts import show_group, show_part
from pages.components.text import plain, sentence
from pages.components.texts import ask_what_was_read
from pages.verify.tabular_parts.batch import MeasuredFile

_AT_ONCE = {"rule": 1, "opinion": 2}  # findings: the map above tells what the rule says of each column


def show_file(audit: TabularAudit, file: MeasuredFile, *, k: int) -> None:
    """Show everything that was found out about one file."""
    result = file_result(audit, k=k, log=bool(st.session_state.get("tabular_log_scale")))
    results.show_verdict(
        result.verdict,
        result.headline,
        parts=[] if result.verdict is Verdict.PASS else list(result.verdicts.items()),
        findings=result.findings,
        key="file",
    )
    _show_map(result)
    said = gravest(audit)
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
    figures = result.group("figures").figures
    results.show_figures([each for key in result.first for each in figures if each.measure == key])
    _show_tables(result, audit, file, k)


def _show_map(result: Result) -> None:
    """Show the column map and its checks in one line; a click on a column tells what was found about it."""
    (table,) = (each for each in result.group("map").parts if isinstance(each, Table))
    shown, key = report_table(table), f"tabular_column_{result.name}"
    st.markdown(f"**{say('Column map')}** · {sentence(say(table.note))}")
    results.show_map(
        shown.frame,
        alt="Every column: what was logged, whether it was done and what was found, the worst first",
        names="column",
        key="tabular_map",
        opened=partial(st.session_state.__setitem__, key),
        marks=shown.marks,
    )
    chosen = str(st.session_state.get(key))
    found = next((row.findings for row in table.rows if row.column == chosen), None)
    if found is None:
        st.caption(say("Mark a column for its findings."))
    else:
        results.show_findings(found, key="tabular_column", fold_held=False)


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


def _show_tables(result: Result, audit: TabularAudit, file: MeasuredFile, k: int) -> None:
    tabs = ["classes", "figures", "columns", "patterns"]
    tabs += [each.key for each in result.groups if each.key.startswith("opinion_")]
    titles = [say(result.group(key).title) for key in tabs]
    *places, evidence = st.tabs([plain(title) for title in (*titles, say("Evidence"))])
    for place, key in zip(places, tabs, strict=True):
        with place:
            if key == "classes":
                _ask_for_classes(audit, file, k)
            if key == "columns":
                _show_columns(result.group(key))
            elif key == "figures":
                _show_other_figures(result)
            else:
                show_group(result, key)
    with evidence:
        _show_evidence(audit, file, k)


def _ask_for_classes(audit: TabularAudit, file: MeasuredFile, k: int) -> None:
    ask_for_several(
        SecondOpinionSettings,
        "quasi_identifiers",
        file.anonymized.columns,
        start=audit.measurement.quasi_identifiers,
        key=file.quasi_identifiers_key,
    )
    if audit.classes is None:
        ask_whether(SecondOpinionThresholds, "no_quasi_identifiers", key=file.no_quasi_identifiers_key)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ask_for_number(
            SecondOpinionThresholds, "smallest_k", slider=True, span=(2, 50), start=k, key="tabular_k"
        )
        st.toggle(say("Logarithmic scale"), key="tabular_log_scale", persist_state="session")


def _show_other_figures(result: Result) -> None:
    group = result.group("figures")
    others = [each for each in group.figures if each.measure not in result.first]
    results.show_figures(others, per_row=3)
    for part in group.parts:
        if not isinstance(part, Figure):
            show_part(part, key="tabular_figures_chart")


def _show_columns(group: Group) -> None:
    statuses = st.pills(
        say("Status"),
        list(Verdict),
        default=list(Verdict),
        selection_mode="multi",
        format_func=lambda status: say(status.word),
        key="tabular_statuses",
        persist_state="session",
    )
    for part in group.parts:
        if isinstance(part, Table):
            rows = [check for check in part.rows if check.status in statuses]
            show_part(replace(part, rows=rows), key="tabular_columns")


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
