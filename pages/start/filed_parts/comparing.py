"""Two filed reports beside each other."""

from collections.abc import Sequence

import streamlit as st

from core.filed import Change, FiledReport, compare_reports
from core.result import Col, Table
from core.verdict import Verdict
from core.words import say
from pages.components.results import show_findings, show_table
from pages.components.text import sentence

_CHANGES = (
    Col("name", "What", kind="words"),
    Col("before", "Before", get=lambda change: change.before or "–"),
    Col("after", "After", get=lambda change: change.after or "–"),
    Col("direction", "Better or worse", kind="words"),
)


def show_comparison(report: FiledReport, others: Sequence[FiledReport]) -> None:
    """Ask which report came before, and show what differs; only reports of the same tool are offered."""
    st.subheader(say("Compare"), anchor=False)
    alike = {other.name: other for other in others if other.tool == report.tool}
    if not alike:
        st.markdown(say("The other reports are of other tools; compare two of one tool."))
        return
    label = say("Report from before")
    before = st.selectbox(label, list(alike), key="filed_before", persist_state="session")
    found = compare_reports(alike[before], report)
    st.markdown(sentence(say(found.sentence)))
    for note in found.notes:
        st.warning(sentence(say(note)))
    parts = found.changes()
    for (heading, changes), tab in zip(parts.items(), st.tabs([*map(say, parts)]), strict=True):
        with tab:
            if not changes:
                st.markdown(say("Nothing differs."))
            elif changes is found.findings_judged:
                _show_judged(changes)
            else:
                show_table(Table("", heading, _CHANGES, changes))
    for heading, findings in found.findings().items():
        if findings:
            st.markdown(f"**{say(heading)}**")
            show_findings(findings, key=f"filed_{heading}", at_once=len(findings), fold_held=False)


def _show_judged(changes: Sequence[Change]) -> None:
    """Show findings with another verdict as lines of text; cells of a table would cut them short."""
    for each in changes:
        verdicts = " → ".join(say(Verdict(told).word) for told in (each.before, each.after) if told)
        st.markdown(f"**{verdicts}** · {sentence(each.name)}")
