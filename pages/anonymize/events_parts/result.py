"""Results of the event-log anonymizer on its page, a tab each."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.events import EventSettings, Outcome, Rule, Suggestions, suggest_settings
from core.events.charts import curve_drawing, group_drawings
from core.events.measuring import LARGEST_LOG_WITH_CURVE
from core.events.result import recommended_way, scopes_table, suggestions_table, ways_table
from core.events.settings import PSEUDONYM_SCOPES
from core.events.suggestions import NONE_REACHES, tried_text
from core.processes.jobs import Progress
from core.result import Col, Table
from core.tables import Dataset
from core.words import say, text
from pages.anonymize.events_parts import measured
from pages.anonymize.events_parts.settings import show_mapping_downloads, use_settings
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.parts import show_beside, show_group, show_part
from pages.components.results import show_table
from pages.components.shown import Shown

_TRACE_WORDS = (
    "One pseudonym links all events of a user. Somebody who saw two of them, a neighbour for example, looks "
    "for the pseudonym that has both. **Can single out** counts users for whom *some* such events nobody "
    "else has; **at random** is the chance for events picked at random."
)


def show_combinations(shown: Shown) -> None:
    """Show how many users share each combination, before and after."""
    log = st.toggle(say("Logarithmic scale"), key="events_log_scale", persist_state="session")
    drawn = tuple(group_drawings(shown.audit.anonymized, log=log))
    show_beside(drawn, key="events_combinations")


def show_loss(shown: Shown) -> None:
    """Show what each class and each step lost."""
    result = shown.result
    show_group(result, "loss")
    st.markdown(say("**Loss after each flatten step**, if what is below k were removed there"))
    show_group(result, "steps")
    if result.group("diversity").parts:
        st.markdown(say("**Diversity of the attribute to protect** within the released combinations"))
        show_group(result, "diversity")


def show_traces(shown: Shown) -> None:
    """Show what known events tell, and what other pseudonyms would change."""
    result, audit = shown.result, shown.audit
    risk_of = partial(measured.trace_risk, shown.given["log"], shown.settings, shown.thresholds.rule)
    st.markdown(say(_TRACE_WORDS))
    show_group(result, "traces")
    st.markdown(
        say(
            "**What counts and order tell**: whoever knows how many rows somebody has, all of them, or the "
            "order in which things happened, looks for the pseudonym of which that is true."
        )
    )
    show_group(result, "rows")
    st.markdown(say("**What another pseudonym would change**"))
    if audit.anonymized.reduced.n_events > LARGEST_LOG_WITH_CURVE and not st.toggle(
        say("Measure all four kinds of pseudonym (takes some seconds)"),
        key="events_all_scopes",
        persist_state="session",
    ):
        return
    show_part(scopes_table({scope: risk_of(scope) for scope in PSEUDONYM_SCOPES}), key="events_scopes")


def show_strategies(shown: Shown) -> None:
    """Show four ways for the chosen k, and the curve over all k; offer a search for other settings."""
    shown.found["outcomes"] = _show_ways(shown)
    _show_suggestions(shown)


def _show_ways(shown: Shown) -> Sequence[Outcome]:
    """Show the ways, and return those that are shown."""
    audit, log, rule = shown.audit, shown.given["log"], shown.thresholds.rule
    outcomes = measured.outcomes(log, shown.settings, rule.k, rule.cap)
    st.markdown(say(recommended_way(outcomes)))
    show_part(ways_table(audit, outcomes), key="events_ways")
    if audit.measured.n_events_after_cleanup > LARGEST_LOG_WITH_CURVE and not st.toggle(
        say("Draw the curve over k (takes some seconds)"), key="events_draw_curve", persist_state="session"
    ):
        return outcomes
    points = measured.curve(log, shown.settings, rule.cap)
    show_part(curve_drawing(audit, points), key="events_curve")
    return (*points, *(outcome for outcome in outcomes if outcome.k not in {point.k for point in points}))


def _show_suggestions(shown: Shown) -> None:
    """Offer a search for settings that keep most, and to use one of them."""
    dataset, settings, rule = shown.given["log"], shown.settings, shown.thresholds.rule
    st.markdown(say("**Which columns and flatten steps keep most?** Coarser settings than these are tried."))
    asked = Rule(k=rule.k, strategy=rule.strategy, cap=rule.cap)
    key = f"{dataset.fingerprint}{(settings, hash(settings.mapping), asked)!r}"
    work = partial(_suggest, dataset, settings, asked)
    label = "Suggest settings (takes some seconds)"
    job = ask_for_work("events_suggest", key, work, label=label, inputs=dataset.fingerprint)
    if job is not None and job.result is not None:
        with greyed_out("suggestions", when=job.key != key):
            _show_suggested(job.result)


def _suggest(dataset: Dataset, settings: EventSettings, rule: Rule, progress: Progress) -> Suggestions:
    """Search beside the page; makes no Streamlit call."""
    progress.report(0, 0, "Trying coarser settings")
    return suggest_settings(dataset, settings, rule)


def _show_suggested(found: Suggestions) -> None:
    st.caption(say(tried_text(found)))
    if not found.best:
        st.markdown(say(NONE_REACHES))
        return
    show_part(suggestions_table(found), key="events_suggestions")
    with st.container(horizontal=True):
        for number, suggestion in enumerate(found.best, start=1):
            if st.button(say("Use line {number}", number=number), key=f"events_use_suggestion_{number}"):
                use_settings(suggestion.settings)
                st.rerun()  # the whole page, not what depends on the rule alone


def show_unmapped(shown: Shown) -> None:
    """Show the events without a class, with counts, and offer the mapping."""
    result = shown.result
    if result.group("unmapped").parts:
        told = "Events without a class; they count as `other_event`. Give them one in the settings."
        st.markdown(say(told))
    show_group(result, "unmapped")
    show_mapping_downloads(shown.settings.mapping)


def show_preview(shown: Shown) -> None:
    """Show the first lines of the export and of the log."""
    st.markdown(
        say("The first lines of the export, sorted by what they say so that their order tells nothing.")
    )
    show_group(shown.result, "preview")
    st.markdown(say("The first lines of the log as uploaded."))
    first = shown.given["log"].table.slice(0, 10)
    columns = tuple(Col(name, text("{column}", column=name)) for name in first.column_names)
    rows = [*zip(*(column.to_pylist() for column in first.columns), strict=True)]
    show_table(Table("", "", columns, rows), alt="First lines of the log")
