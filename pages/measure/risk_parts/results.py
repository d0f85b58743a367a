"""What was found out about a table, on the page."""

import streamlit as st

from core.measures import MEASURES
from core.result import Note, Result
from core.risk import RiskAudit
from core.risk.result import classes_group
from core.words import amount, joined, own, say, text
from pages.components.parts import show_part
from pages.components.results import show_figures
from pages.components.text import sentence


def show_intruders(result: Result) -> None:
    """Show what each intruder finds, and in one line those that cannot be assessed."""
    group = result.group("intruders")
    found = [intruder for table in group.tables for intruder in table.rows]
    for intruder in (each for each in found if each.risk is not None):
        risk = text(
            "{figure}: {risk}",
            figure=own(MEASURES[intruder.measure].label),
            risk=amount("risk", intruder.risk),
        )
        st.markdown(f"**{sentence(say(risk))}**")
        st.caption(sentence(say(intruder.wants)))
        st.markdown(sentence(say(intruder.finds)))
    if unknown := [own(intruder.name) for intruder in found if intruder.risk is None]:
        note = "Not assessed without a table of the population or its size: {intruders}."
        st.markdown(say(note, intruders=joined(unknown, ", ")))
    for bars in group.drawings:
        show_part(bars, key="risk_bars")
    _show_population(result)


def _show_population(result: Result) -> None:
    group = result.group("population")
    if group.parts:
        with st.expander(say(group.title), icon=":material/groups:"):
            show_figures(group.figures)
            for part in group.parts:
                if isinstance(part, Note):
                    show_part(part, key="risk_population_note")


def show_people(result: Result) -> None:
    """Show how many of 100 people are found."""
    for drawing in result.group("people").drawings:
        show_part(drawing, key="risk_people")


def show_classes(audit: RiskAudit) -> None:
    """Show the class sizes with k."""
    log = st.toggle(say("Logarithmic scale"), key="risk_log_scale", persist_state="session")
    group = classes_group(audit, log=log)
    if not group.parts:
        st.info(say(group.empty), icon=":material/help:")
    for drawing in group.drawings:
        show_part(drawing, key="risk_class_chart")
