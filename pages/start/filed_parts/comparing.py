"""Two filed reports beside each other."""

from collections.abc import Sequence

import streamlit as st

from core.filed import Change, FiledReport, compare_reports
from core.reports.model import Column, table_of
from core.verdict import Verdict
from core.words import say
from pages.components.results import show_findings, show_table
from pages.components.text import sentence

_CHANGES = (
    Column("name", "What", kind="words"),
    Column("before", "Before"),
    Column("after", "After"),
    Column("direction", "Better or worse", kind="words"),
)
_PARTS = (
    ("verdicts", "Verdicts"),
    ("figures", "Figures"),
    ("findings_judged", "Findings with another verdict"),
    ("settings", "Settings that differ"),
    ("inputs", "Files that differ"),
    ("made_by", "Versions that differ"),
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
    tabs = st.tabs([say(heading) for _, heading in _PARTS])
    for (name, heading), tab in zip(_PARTS, tabs, strict=True):
        with tab:
            if name == "findings_judged":
                if not found.findings_judged:
                    st.markdown(say("Nothing differs."))
                for each in found.findings_judged:  # lines of text: cells of a table would cut them short
                    verdicts = " → ".join(
                        say(Verdict(verdict).word) for verdict in (each.before, each.after) if verdict
                    )
                    st.markdown(f"**{verdicts}** · {sentence(each.name)}")
            else:
                _show_changes(getattr(found, name), alt=heading)
    for heading, findings in (
        ("Findings that came", found.findings_come),
        ("Findings that went", found.findings_gone),
    ):
        if findings:
            st.markdown(f"**{say(heading)}**")
            show_findings(findings, key=f"filed_{heading}", at_once=len(findings), fold_held=False)


def _show_changes(changes: Sequence[Change], *, alt: str) -> None:
    if not changes:
        st.markdown(say("Nothing differs."))
        return
    rows = [(each.name, each.before or "–", each.after or "–", each.direction) for each in changes]
    show_table(table_of(rows, _CHANGES), alt=alt)
