"""What was found out about a table, on the page."""

from __future__ import annotations

import streamlit as st

from core.risk import RiskAudit, views
from core.words import say
from pages.components.results import (
    show_chart,
    show_figures,
    show_findings,
    show_table,
    show_verdict,
)
from pages.components.text import sentence


def show_judgement(audit: RiskAudit) -> None:
    """Show the verdict, its figures and all findings."""
    show_verdict(
        audit.overall,
        views.headline(audit),
        parts=(("Thresholds", audit.verdict), ("Beyond the thresholds", audit.exposure_verdict)),
        findings=audit.all_findings,
    )
    show_figures(views.headline_figures(audit), per_row=3)
    asked, beyond = st.columns(2)
    with asked, st.container(border=True, height="stretch"):
        st.subheader(say("Thresholds"), anchor=False)
        show_findings(audit.findings, key="risk_asked")
    with beyond, st.container(border=True, height="stretch"):
        st.subheader(say("Beyond the thresholds"), anchor=False)
        if audit.exposure:
            show_findings(audit.exposure, key="risk_beyond")
        else:
            st.markdown(say("Nothing further was noticed."))


def show_intruders(audit: RiskAudit) -> None:
    """Show the three intruders in plain words."""
    st.header(say("Three intruders"), anchor=False)
    for place, intruder in zip(st.columns(3), views.intruders(audit), strict=True):
        with place, st.container(border=True, height="stretch"):
            st.subheader(say(intruder.name), anchor=False)
            st.caption(sentence(say(intruder.wants)))
            show_figures((views.intruder_figure(intruder),), per_row=1)
            st.markdown(sentence(say(intruder.finds)))
    if figures := views.against_population(audit):
        with st.expander(say("Against the population, figure by figure"), icon=":material/groups:"):
            show_figures(figures)
            if note := views.models_note(audit):
                st.caption(sentence(say(note)))


def show_classes(audit: RiskAudit) -> None:
    """Show the class sizes with k, and how many records are in small classes."""
    st.header(say("Class sizes"), anchor=False)
    log = st.toggle(say("Logarithmic scale"), key="risk_log_scale", persist_state="session")
    chart = views.class_chart(audit, log=log)
    if chart is None:
        st.info(say("No record is assessed, so there is no class."), icon=":material/help:")
        return
    histogram, shares = st.columns([3, 2])
    with histogram:
        show_chart(chart, key="risk_class_chart")
    with shares:
        show_table(
            views.class_size_shares(audit),
            alt="Records in classes below the usual sizes",
            columns=views.CLASS_SIZE_COLUMNS,
        )
        if (bars := views.risk_bars(audit)) is not None:
            show_chart(bars, key="risk_bars")
