"""Results of the event-log anonymizer on its page: figures, charts, tables, trace risk, strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from core.events import EventAudit, Outcome, Suggestions, TraceRisk, views
from core.events.measuring import LARGEST_LOG_WITH_CURVE
from core.measures.measure import Unit
from core.reports import ReportChart
from core.tables import Dataset
from pages.anonymize.events_parts.settings import use_settings
from pages.components.results import show_chart, show_table

_SHARES: Mapping[str, Unit] = {
    "Information lost": "share",
    "Share of events kept": "share",
    "Share before": "share",
    "Share after": "share",
    "After, lower": "share",
    "After, upper": "share",
    "Two known events can single out": "share",
    "Four known events can single out": "share",
    "Whole trace unique": "share",
    "Share of users": "share",
}
_TRACE_WORDS = (
    "One pseudonym links all events of a user. Somebody who saw two of them, a neighbour for example, looks "
    "for the pseudonym that has both. **Can single out** counts users for whom *some* such events nobody "
    "else has; **at random** is the chance for events picked at random."
)


def show_loss(audit: EventAudit, *, log: bool) -> None:
    """Show what was kept, kept flattened and removed, and what each step cost."""
    show_chart(views.stage_figure(audit), key="events_stage_chart")
    before, after = st.columns(2)
    for place, chart in zip((before, after), views.group_figures(audit, log=log), strict=False):
        with place:
            show_chart(chart, key=f"events_{chart.title}")
    show_chart(views.loss_figure(audit), key="events_loss_chart")
    st.markdown("**Loss after each flatten step**, if what is below k were removed there")
    show_table(
        views.step_table(audit.anonymized),
        alt="Events below k, events at k, and information lost after each flatten step",
        units=_SHARES,
    )
    if audit.diversity is not None:
        st.markdown("**Diversity of the attribute to protect** within the released combinations")
        show_table(views.diversity_table(audit.diversity), alt="l-diversity and t-closeness of the attribute")


def show_heat_maps(audit: EventAudit) -> None:
    """Show events by week and time period, and by weekday and class, before and after."""
    for crossing in views.CROSSINGS:
        charts = views.cross_figures(audit, *crossing)
        for chart in charts:
            show_chart(chart, key=f"events_{chart.title}")
        if len(charts) == 1:
            st.caption(f"{crossing[2]} and {crossing[3].lower()} are not both in the export.")


def show_traces(audit: EventAudit, risk_of: Callable[[str], TraceRisk], scopes: Sequence[str]) -> None:
    """Show what known events tell, and what other pseudonyms would change."""
    st.markdown(_TRACE_WORDS)
    show_chart(views.trace_figure(audit), key="events_trace_chart")
    show_table(
        views.trace_table(audit.traces_before, audit.traces_after),
        alt="Users singled out by known events before and after, with intervals of samples",
        units=_SHARES,
    )
    st.markdown(
        "**What counts and order tell**: whoever knows how many rows somebody has, all of them, or the order "
        "in which things happened, looks for the pseudonym of which that is true."
    )
    show_table(
        views.row_table(audit),
        alt="Users singled out by the number of rows, by all rows, and by their order",
        units=_SHARES,
    )
    st.markdown("**What another pseudonym would change**")
    if audit.anonymized.reduced.n_events > LARGEST_LOG_WITH_CURVE and not st.toggle(
        "Measure all four kinds of pseudonym (takes some seconds)",
        key="events_all_scopes",
        persist_state="session",
    ):
        return
    table = views.scope_table({scope: risk_of(scope) for scope in scopes})
    show_table(
        table,
        alt="Trace risk for a new pseudonym per user, week, day and event",
        units=_SHARES,
    )


def show_strategies(
    audit: EventAudit, outcomes: Sequence[Outcome], curve: Callable[[], Sequence[Outcome]]
) -> Sequence[Outcome]:
    """Show four ways for the chosen k, and the curve over all k; return what is shown."""
    st.markdown(views.recommended_way(outcomes))
    table = views.comparison_table(outcomes, audit.measured)
    show_table(
        table,
        alt="Users and events kept, cells made coarser and information lost for four ways of anonymizing",
        units=_SHARES,
    )
    if audit.measured.n_events_after_cleanup > LARGEST_LOG_WITH_CURVE and not st.toggle(
        "Draw the curve over k (takes some seconds)",
        key="events_draw_curve",
        persist_state="session",
    ):
        return outcomes
    points = curve()
    chart: ReportChart = views.curve_figure(audit, points, k=audit.anonymized.rule.k)
    show_chart(chart, key="events_curve_chart")
    return (*points, *(outcome for outcome in outcomes if outcome.k not in {point.k for point in points}))


def show_suggestions(suggest: Callable[[], Suggestions]) -> None:
    """Offer a search for settings that keep most, and to use one of them."""
    st.markdown("**Which columns and flatten steps keep most?** Coarser settings than these are tried.")
    if not st.toggle("Suggest settings (takes some seconds)", key="events_suggest", persist_state="session"):
        return
    found = suggest()
    st.caption(f"{found.n_tried:,} of {found.n_ways:,} ways were tried, those with fewest changes first.")
    if not found.best:
        st.markdown("None of them reaches k with anything left. Choose a smaller k.")
        return
    table = views.suggestion_table(found)
    show_table(table, alt="Settings that reach k, with what they keep and lose", units=_SHARES)
    with st.container(horizontal=True):
        for number, suggestion in enumerate(found.best, start=1):
            st.button(
                f"Use line {number}",
                key=f"events_use_suggestion_{number}",
                on_click=use_settings,
                args=(suggestion.settings,),
            )


def show_unmapped(audit: EventAudit) -> None:
    """Show the events without a class, with counts."""
    unmapped = views.unmapped_table(audit.measured)
    if unmapped.empty:
        st.markdown("Every event of the log has a class.")
        return
    st.markdown("Events without a class; they count as `other_event`. Give them one in the settings.")
    show_table(unmapped, alt="Events that the mapping does not name, with counts")


def show_preview(audit: EventAudit, dataset: Dataset) -> None:
    """Show the first lines of the export and of the log."""
    st.markdown("The first lines of the export, sorted by what they say so that their order tells nothing.")
    show_table(views.preview_table(audit.release), alt="First lines of anonymized_events.csv")
    st.markdown("The first lines of the log as uploaded.")
    show_table(dataset.table.slice(0, 10).to_pandas(), alt="First lines of the log")
