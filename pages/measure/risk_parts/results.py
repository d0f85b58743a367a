"""What was found out about a table, on the page."""

import streamlit as st

from core.measures import MEASURES
from core.risk import RiskAudit, views
from core.verdict import Verdict
from core.words import Amount, joined, own, say, text
from pages.components.results import show_chart, show_figures, show_findings, show_verdict
from pages.components.text import sentence

_FINDINGS_AT_ONCE = 2


def show_judgement(audit: RiskAudit) -> None:
    """Show the verdict and what to do next."""
    show_verdict(audit.overall, views.headline(audit), findings=audit.all_findings)


def show_found(audit: RiskAudit) -> None:
    """Show the figures, four of them at once, and what the verdict's card does not say yet."""
    show_figures(views.headline_figures(audit), at_once=4)
    gravest = views.gravest(audit)
    show_findings(audit.all_findings, key="risk", at_once=_FINDINGS_AT_ONCE, in_card=gravest.check)
    if gravest.verdict is Verdict.PASS:
        st.markdown(say("Nothing further was noticed."))


def show_intruders(audit: RiskAudit) -> None:
    """Show what each intruder finds, and in one line those that cannot be assessed."""
    found = views.intruders(audit)
    known = [intruder for intruder in found if intruder.risk is not None]
    for intruder in known:
        risk = text(
            "{figure}: {risk}",
            figure=own(MEASURES[intruder.measure].label),
            risk=Amount("risk", intruder.risk),
        )
        st.markdown(f"**{sentence(say(risk))}**")
        st.caption(sentence(say(intruder.wants)))
        st.markdown(sentence(say(intruder.finds)))
    if unknown := [own(intruder.name) for intruder in found if intruder.risk is None]:
        note = "Not assessed without a table of the population or its size: {intruders}."
        st.markdown(say(note, intruders=joined(unknown, ", ")))
    if (bars := views.risk_bars(audit)) is not None:
        show_chart(bars, key="risk_bars")
    if figures := views.against_population(audit):
        with st.expander(say("Against the population, figure by figure"), icon=":material/groups:"):
            show_figures(figures)
            if note := views.models_note(audit):
                st.caption(sentence(say(note)))


def show_people(audit: RiskAudit) -> None:
    """Show how many of 100 people are found."""
    if (chart := views.people_chart(audit)) is not None:
        show_chart(chart, key="risk_people")


def show_classes(audit: RiskAudit) -> None:
    """Show the class sizes with k."""
    log = st.toggle(say("Logarithmic scale"), key="risk_log_scale", persist_state="session")
    chart = views.class_chart(audit, log=log)
    if chart is None:
        st.info(say("No record is assessed, so there is no class."), icon=":material/help:")
        return
    show_chart(chart, key="risk_class_chart")
