"""Results of the event-log anonymizer on its page: figures, charts, tables, trace risk, strategies."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.events import (
    EventAudit,
    EventSettings,
    Outcome,
    Rule,
    Suggestions,
    TraceRisk,
    suggest_settings,
    views,
)
from core.events.measuring import LARGEST_LOG_WITH_CURVE
from core.events.result import NONE_REACHES, tried_text
from core.jobs import Progress
from core.tables import Dataset
from core.words import say
from pages.anonymize.events_parts.settings import use_settings
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.results import show_chart, show_table

_TRACE_WORDS = (
    "One pseudonym links all events of a user. Somebody who saw two of them, a neighbour for example, looks "
    "for the pseudonym that has both. **Can single out** counts users for whom *some* such events nobody "
    "else has; **at random** is the chance for events picked at random."
)


def show_combinations(audit: EventAudit) -> None:
    """Show how many users share each combination, before and after."""
    log = st.toggle(say("Logarithmic scale"), key="events_log_scale", persist_state="session")
    before, after = st.columns(2)
    charts = views.group_figures(audit, log=log)
    for number, (place, chart) in enumerate(zip((before, after), charts, strict=False)):
        with place:
            show_chart(chart, key=f"events_group_chart_{number}")


def show_loss(audit: EventAudit) -> None:
    """Show what each class and each step lost."""
    show_chart(views.loss_figure(audit), key="events_loss_chart")
    st.markdown(say("**Loss after each flatten step**, if what is below k were removed there"))
    show_table(
        views.step_table(audit.anonymized),
        alt="Events below k, events at k, and information lost after each flatten step",
    )
    if audit.diversity is not None:
        st.markdown(say("**Diversity of the attribute to protect** within the released combinations"))
        show_table(views.diversity_table(audit.diversity), alt="ℓ-diversity and t-closeness of the attribute")


def show_heat_maps(audit: EventAudit) -> None:
    """Show events by week and time period, and by weekday and class, before and after."""
    for crossing in views.CROSSINGS:
        charts = views.cross_figures(audit, crossing)
        for number, chart in enumerate(charts):
            show_chart(chart, key=f"events_{crossing.x}_{number}")
        if len(charts) == 1:
            st.caption(say(crossing.not_exported))


def show_traces(audit: EventAudit, risk_of: Callable[[str], TraceRisk], scopes: Sequence[str]) -> None:
    """Show what known events tell, and what other pseudonyms would change."""
    st.markdown(say(_TRACE_WORDS))
    show_chart(views.trace_figure(audit), key="events_trace_chart")
    show_table(
        views.trace_table(audit.traces_before, audit.traces_after),
        alt="Users singled out by known events before and after, with intervals of samples",
    )
    st.markdown(
        say(
            "**What counts and order tell**: whoever knows how many rows somebody has, all of them, or the "
            "order in which things happened, looks for the pseudonym of which that is true."
        )
    )
    show_table(
        views.row_table(audit), alt="Users singled out by the number of rows, by all rows, and by their order"
    )
    st.markdown(say("**What another pseudonym would change**"))
    if audit.anonymized.reduced.n_events > LARGEST_LOG_WITH_CURVE and not st.toggle(
        say("Measure all four kinds of pseudonym (takes some seconds)"),
        key="events_all_scopes",
        persist_state="session",
    ):
        return
    table = views.scope_table({scope: risk_of(scope) for scope in scopes})
    show_table(table, alt="Trace risk for a new pseudonym per user, week, day and event")


def show_strategies(
    audit: EventAudit, outcomes: Sequence[Outcome], curve: Callable[[], Sequence[Outcome]]
) -> Sequence[Outcome]:
    """Show four ways for the chosen k, and the curve over all k; return what is shown."""
    st.markdown(say(views.recommended_way(outcomes)))
    table = views.comparison_table(outcomes, audit.measured)
    show_table(
        table,
        alt="Users and events kept, cells made coarser and information lost for four ways of anonymizing",
    )
    if audit.measured.n_events_after_cleanup > LARGEST_LOG_WITH_CURVE and not st.toggle(
        say("Draw the curve over k (takes some seconds)"), key="events_draw_curve", persist_state="session"
    ):
        return outcomes
    points = curve()
    show_chart(views.curve_figure(audit, points, k=audit.anonymized.rule.k), key="events_curve_chart")
    return (*points, *(outcome for outcome in outcomes if outcome.k not in {point.k for point in points}))


def show_suggestions(dataset: Dataset, settings: EventSettings, rule: Rule) -> None:
    """Offer a search for settings that keep most, and to use one of them."""
    st.markdown(say("**Which columns and flatten steps keep most?** Coarser settings than these are tried."))
    asked = Rule(k=rule.k, strategy=rule.strategy, cap=rule.cap)
    key = f"{dataset.fingerprint}{(settings, hash(settings.mapping), asked)!r}"
    work = partial(_suggest, dataset, settings, asked)
    label = "Suggest settings (takes some seconds)"
    job = ask_for_work("events_suggest", key, work, label=label, inputs=dataset.fingerprint)
    if job is not None and job.result is not None:
        with greyed_out("suggestions", when=job.key != key):
            _show_suggestions(job.result)


def _suggest(dataset: Dataset, settings: EventSettings, rule: Rule, progress: Progress) -> Suggestions:
    """Search beside the page; makes no Streamlit call."""
    progress.report(0, 0, "Trying coarser settings")
    return suggest_settings(dataset, settings, rule)


def _show_suggestions(found: Suggestions) -> None:
    st.caption(say(tried_text(found)))
    if not found.best:
        st.markdown(say(NONE_REACHES))
        return
    show_table(views.suggestion_table(found), alt="Settings that reach k, with what they keep and lose")
    with st.container(horizontal=True):
        for number, suggestion in enumerate(found.best, start=1):
            st.button(
                say("Use line {number}", number=number),
                key=f"events_use_suggestion_{number}",
                on_click=use_settings,
                args=(suggestion.settings,),
            )


def show_unmapped(audit: EventAudit) -> None:
    """Show the events without a class, with counts."""
    unmapped = views.unmapped_table(audit.measured)
    if unmapped.empty:
        st.markdown(say("Every event of the log has a class."))
        return
    st.markdown(say("Events without a class; they count as `other_event`. Give them one in the settings."))
    show_table(unmapped, alt="Events that the mapping does not name, with counts")


def show_preview(audit: EventAudit, dataset: Dataset) -> None:
    """Show the first lines of the export and of the log."""
    st.markdown(
        say("The first lines of the export, sorted by what they say so that their order tells nothing.")
    )
    show_table(views.preview_table(audit.release), alt="First lines of anonymized_events.csv")
    st.markdown(say("The first lines of the log as uploaded."))
    show_table(dataset.table.slice(0, 10).to_pandas(), alt="First lines of the log")
