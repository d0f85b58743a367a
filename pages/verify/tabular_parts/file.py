"""One verified file on the page: verdicts side by side, figures, charts, tables, evidence."""

from dataclasses import replace
from functools import partial

import streamlit as st

from core.result import Result, Table
from core.tabular import TabularAudit
from core.tabular.evidence import evidence_of, evidence_table
from core.tabular.second_opinion import SecondOpinionSettings, SecondOpinionThresholds
from core.verdict import Verdict
from core.words import say
from pages.components import results
from pages.components.asking import CHOOSE, ask_for
from pages.components.parts import show_group, show_part
from pages.components.shown import Shown
from pages.components.text import sentence


def show_map(shown: Shown) -> None:
    """Show the column map and its checks in one line; a click on a column tells what was found about it."""
    result: Result = shown.result
    (table,) = (each for each in result.group("map").parts if isinstance(each, Table))
    key = f"tabular_column_{result.name}"
    st.markdown(f"**{say('Column map')}** · {sentence(say(table.note))}")
    results.show_map(
        table,
        alt="Every column: what was logged, whether it was done and what was found, the worst first",
        names="column",
        key="tabular_map",
        opened=partial(st.session_state.__setitem__, key),
    )
    chosen = str(st.session_state.get(key))
    found = next((row.findings for row in table.rows if row.column == chosen), None)
    if found is None:
        st.caption(say("Mark a column for its findings."))
    else:
        results.show_findings(found, key="tabular_column", fold_held=False)


_SIDES = {
    "rule": (
        "Published rule",
        "Believes what the log says of each column, and checks whether it was done.",
        "No column check failed and every figure meets its threshold.",
    ),
    "opinion": (
        "Second opinion",
        "Does not believe the log: looks at what is left of the original table.",
        "Nothing speaks against the table.",
    ),
}


def show_sides(shown: Shown) -> None:
    """Show what the published rule says beside the second opinion."""
    audit: TabularAudit = shown.audit
    ours = audit.second_opinion.findings if audit.second_opinion else ()
    found = {"rule": audit.findings, "opinion": (*audit.measurement.notes, *ours)}
    # the map above tells what the rule says of each column
    at_once = {"rule": 1, "opinion": 2 if len(shown.measured) == 1 else 1}
    for place, (side, (title, idea, nothing)) in zip(st.columns(2), _SIDES.items(), strict=True):
        with place, st.container(border=True, height="stretch", key=f"tabular_side_{side}"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.subheader(say(title), anchor=False, width="content", help=say(idea))
                results.show_badge(shown.result.verdicts[title])
            results.show_findings(found[side], key=f"tabular_{side}", at_once=at_once[side])
            if not found[side]:
                st.markdown(say(nothing))


def ask_for_classes(shown: Shown) -> None:
    """Ask for the quasi-identifiers and k, and show the classes."""
    audit, file = shown.audit, shown.found["file"]
    options, classes = file.anonymized.columns, audit.counted_classes
    start = () if classes is None else classes.quasi_identifiers
    of_file = partial(ask_for, "tabular", mark=file.mark)
    of_file(SecondOpinionSettings, "quasi_identifiers", options=options, start=start)
    if audit.classes is None:
        of_file(SecondOpinionThresholds, "no_quasi_identifiers")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = shown.thresholds.opinion.smallest_k
        ask_for("tabular", SecondOpinionThresholds, "smallest_k", start=k)
        st.toggle(say("Logarithmic scale"), key="tabular_log_scale", persist_state="session")
    show_group(shown.result, "classes")


def show_columns(shown: Shown) -> None:
    """Show the checks of columns, those with the chosen statuses."""
    statuses = st.pills(
        say("Status"),
        list(Verdict),
        default=list(Verdict),
        selection_mode="multi",
        format_func=lambda status: say(status.word),
        key="tabular_statuses",
        persist_state="session",
    )
    for part in shown.result.group("columns").parts:
        if isinstance(part, Table):
            part = replace(part, rows=[check for check in part.rows if check.status in statuses])  # noqa: PLW2901
        show_part(part, key="tabular_columns")


def show_evidence(shown: Shown) -> None:
    """Show the records behind a figure or finding, on demand."""
    audit, file, k = shown.audit, shown.found["file"], shown.thresholds.opinion.smallest_k
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
