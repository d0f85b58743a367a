"""The event-log anonymizer's settings: a form for what measures the log anew, live controls for the rest."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from core.errors import AuditInputError
from core.events import (
    BUILT_IN_MAPPING,
    DEFAULT_LEAVE_OUT,
    DERIVED_COLUMNS,
    EventMapping,
    EventSettings,
    MeasuredEvents,
    ReleaseOptions,
    Rule,
    event_mapping,
    mapping_csv,
    mapping_json,
    read_event_mapping,
)
from core.events.column_finding import with_found_columns
from core.events.log import EventLog
from core.events.mapping import OTHER_EVENT
from core.events.settings import AUTOMATIC, COARSER
from core.events.tool import TOOL
from core.settings.form import described
from core.tables import Dataset
from core.web.caching import StoredFile
from core.words import say
from pages.components.asking import ask_for, ask_for_form, edit_table
from pages.components.drawer import EARLIER, SETTINGS, ask_for_further, place_drawer
from pages.components.inputs import ask_for_files, list_file
from pages.components.policy import opened_form
from pages.components.reading import show_problems
from pages.components.results import Download, show_download
from pages.components.shown import Shown
from pages.components.text import plain

_SETTINGS, _BASE = "events_settings", "events_base_mapping"
_CLASS = "generalized_event"
_MOST_KINDS = 200  # to give a class to at once
_COLUMNS = ("time_column", "user_column", "event_column")


class Live(NamedTuple):
    """What answers at once: the rule, and how users appear in the export."""

    rule: Rule
    options: ReleaseOptions
    batch: int


def ask_for_settings(shown: Shown) -> EventSettings | None:
    """Show the form with the settings in use; return them, None where the columns are to be chosen first."""
    dataset: Dataset = shown.given["log"]
    _take_opened()
    used: EventSettings = with_found_columns(dataset, st.session_state.get(_SETTINGS, EventSettings()))
    problem = None
    if not {used.time_column, used.user_column, used.event_column} <= {*dataset.columns}:
        _ask_for_columns_first(dataset, used)
        return None
    place_drawer(shown, say("Settings"), [SETTINGS, EARLIER])
    ask_for_further(shown)
    settings = shown.drawer[SETTINGS]
    with settings:
        base = _ask_for_mapping()
    if st.session_state.get(_BASE, BUILT_IN_MAPPING) != base:
        used = replace(used, mapping=base, leave_out=tuple(_known(used.leave_out, base)))
    with settings, st.form("events_form", border=False):
        fields = {**_ask_for_columns(dataset, used), **_ask_for_fields(dataset, used)}
        with st.expander(say("Event mapping"), icon=":material/edit_note:"):
            pairs = _edit_mapping(used.mapping)
        if st.form_submit_button(say("Apply settings"), type="primary", icon=":material/play_arrow:"):
            try:
                used = _settings_of(fields, pairs)
            except AuditInputError as error:
                problem = error
    if problem is not None:
        show_problems(problem)
    st.session_state[_SETTINGS], st.session_state[_BASE] = used, base
    return used


def offer_found_columns(used: EventSettings) -> None:
    """Offer to confirm which columns are time, user and event, where they were found by their values."""
    if used.found_columns:
        found = (used.time_column, used.user_column, used.event_column)
        st.button(
            say("Confirm: {columns}", columns=", ".join(map(plain, found))),
            key="events_confirm",
            icon=":material/check:",
            on_click=partial(st.session_state.__setitem__, _SETTINGS, replace(used, found_columns=())),
        )


def _ask_for_columns_first(dataset: Dataset, used: EventSettings) -> None:
    """Ask which columns are time, user and event where neither names nor values tell; nothing else yet."""
    with st.form("events_columns_form"):
        st.header(say("Is this a log of events?"), anchor=False)
        st.markdown(
            say(
                "No columns of it read as a time, a user and an event. Choose them, or give another file: "
                "a table of people without times is for **Disclosure risk**."
            )
        )
        chosen = _ask_for_columns(dataset, used)
        if not st.form_submit_button(say("Use these columns"), type="primary", icon=":material/play_arrow:"):
            return
        if None in chosen.values() or len({*chosen.values()}) < len(chosen):
            st.error(say("Choose three different columns."), icon=":material/error:")
            return
    st.session_state[_SETTINGS] = replace(used, **chosen)
    st.rerun()


def _take_opened() -> None:
    """Put the settings of a file that was opened in use."""
    if opened := opened_form("events", EventSettings):
        if "mapping" in opened:
            opened["mapping"] = EventMapping(tuple(opened["mapping"].items()))
        use_settings(replace(st.session_state.get(_SETTINGS, EventSettings()), **opened))


def _settings_of(fields: dict[str, Any], pairs: pd.DataFrame) -> EventSettings:
    """Return the settings that the form's fields mean."""
    mapping = event_mapping(pairs.fillna("").itertuples(index=False, name=None))
    if AUTOMATIC in fields["flatten_steps"]:
        fields["flatten_steps"] = (AUTOMATIC,)
    return EventSettings(mapping=mapping, **fields)


def _classes(mapping: EventMapping) -> list[str]:
    return list(dict.fromkeys((*mapping.classes, OTHER_EVENT, *DEFAULT_LEAVE_OUT)))


def _known(classes: Sequence[str], mapping: EventMapping) -> list[str]:
    return [name for name in classes if name in _classes(mapping)]


def _ask_for_mapping() -> EventMapping:
    """Return the mapping that was uploaded last, the built-in one while there is none."""
    with st.expander(say("Another event mapping (CSV or JSON)"), icon=":material/upload_file:"):
        st.markdown(
            say(
                "Which class an event (`dogodek`) belongs to. The built-in mapping goes by the part after "
                "the dot; change it in the settings below, or upload one of two columns, event and class."
            )
        )
        files = ask_for_files("events", TOOL.input("mapping"), several=False)
        return _read_mapping(files[-1]) if files else BUILT_IN_MAPPING


def _read_mapping(stored: StoredFile) -> EventMapping:
    list_file("events", "mapping", stored)
    try:
        return read_event_mapping(stored.data)
    except AuditInputError as error:
        show_problems(error)
        return BUILT_IN_MAPPING


def _ask_for_columns(dataset: Dataset, used: EventSettings) -> dict[str, Any]:
    given = {name: {"mark": dataset.fingerprint, "options": dataset.columns} for name in _COLUMNS}
    return ask_for_form("events", EventSettings, *_COLUMNS, used=used, given=given)


def _ask_for_fields(dataset: Dataset, used: EventSettings) -> dict[str, Any]:
    """Show how the log is read, flattened and cleaned up."""
    roles = {used.time_column, used.user_column, used.event_column}
    offered = tuple(
        dict.fromkeys((*DERIVED_COLUMNS, *(each for each in dataset.columns if each not in roles)))
    )
    steps = [AUTOMATIC, *(f"{column}:{level}" for column, levels in COARSER.items() for level in levels)]
    given: dict[str, dict[str, Any]] = {
        "columns": {"options": offered},
        "flatten": {"options": offered},
        "flatten_steps": {"options": steps},
        "leave_out": {"mark": str(hash(used.mapping)), "options": _classes(used.mapping)},
        "sensitive": {"options": (None, *offered)},
    }
    ask = partial(ask_for_form, "events", EventSettings, used=used, given=given)
    return {
        **ask("time_format", "near_equal_users", "any_value", "leave_out_unreadable"),
        **ask("columns", per_row=1),
        **ask("flatten", "flatten_steps", "sensitive"),
        **ask("leave_out", "hour_block"),
    }


def _edit_mapping(mapping: EventMapping) -> pd.DataFrame:
    st.caption(say("Whole names count before the part after the dot. Add lines at the end."))
    return edit_table(
        pd.DataFrame(mapping.pairs, columns=["event", "event_class"]),
        num_rows="dynamic",
        key=f"events_mapping_{hash(mapping)}",
        alt=say("Event mapping: each event and its class"),
        column_config={"event": say("Event"), "event_class": say("Class")},
    )


def use_settings(settings: EventSettings) -> None:
    """Put settings in use, and let the form's fields show them."""
    st.session_state[_SETTINGS] = settings
    fields = ("events_columns", "events_flatten", "events_leave_out_", "events_sensitive")
    for key in [key for key in st.session_state if str(key).startswith(fields)]:
        del st.session_state[key]


def settle_kinds(dataset: Dataset, measured: MeasuredEvents) -> None:
    """Keep kinds of events as they are where half of the log has no class; offer to give them some."""
    log, kept = measured.log, f"events_kinds_kept_{dataset.fingerprint}"
    is_kept: bool | None = st.session_state.get(kept)  # None before anything was done, False if not wanted
    if is_kept is None and _CLASS in log.settings.columns and 2 * sum(log.unmapped.values()) >= log.n_events:
        st.session_state[kept] = True
        use_settings(_released(log.settings, "event", instead_of=_CLASS))
        st.rerun()
    if is_kept and "event" in log.settings.columns and log.unmapped:
        title = say(
            "{n} kind of event without a class",
            "{n} kinds of events without a class",
            n=len(log.unmapped),
        )
        with st.expander(title, icon=":material/category:"):
            _ask_for_classes(dataset, log, kept)


def _ask_for_classes(dataset: Dataset, log: EventLog, kept: str) -> None:
    """Show the kinds without a class, the most frequent first, to give them one or to go on without."""
    st.markdown(say("A class says in general what happened, and is what the export shows then."))
    with_classes = replace(log, settings=_released(log.settings, _CLASS, instead_of="event"))
    used = _with_named_kinds(dataset, with_classes)
    with st.container(horizontal=True):
        st.button(
            say("Use these classes"),
            key="events_use_classes",
            type="primary",
            disabled=used is None,
            on_click=use_settings,
            args=(used,),
        )
        st.button(
            say("Go on without classes"),
            key="events_without_classes",
            type="tertiary",
            on_click=_go_without,
            args=(kept, with_classes.settings),
        )


def _go_without(kept: str, settings: EventSettings) -> None:
    st.session_state[kept] = False
    use_settings(settings)


def _with_named_kinds(dataset: Dataset, log: EventLog) -> EventSettings | None:
    """Show the kinds with a place for a class each; return the settings with those given, None for none."""
    kinds = sorted(log.unmapped, key=lambda kind: (-log.unmapped[kind], kind))[:_MOST_KINDS]
    named = edit_table(
        pd.DataFrame({"event": kinds, "event_class": ""}),
        key=f"events_kinds_{dataset.fingerprint}_{hash(log.settings.mapping)}",
        alt=say("Kinds of events without a class, to give them one"),
        disabled=["event"],
        column_config={"event": say("Event"), "event_class": say("Class")},
    )
    given = [pair for pair in named.fillna("").itertuples(index=False, name=None) if pair[1].strip()]
    mapping = log.settings.mapping
    try:
        return replace(log.settings, mapping=event_mapping([*mapping.pairs, *given])) if given else None
    except AuditInputError as error:
        show_problems(error)
        return None


def _released(settings: EventSettings, column: str, *, instead_of: str) -> EventSettings:
    """Return settings that release one column in the place of another."""
    names = [name for name in settings.columns if name != column]
    steps = tuple(step for step in settings.flatten_steps if not step.startswith(f"{column}:"))
    return replace(
        settings,
        columns=tuple(column if name == instead_of else name for name in names),
        flatten=column if settings.flatten == instead_of else settings.flatten,
        flatten_steps=steps,
        sensitive=None if settings.sensitive == column else settings.sensitive,
    )


def show_mapping_downloads(mapping: EventMapping) -> None:
    """Offer the mapping in use, to keep, edit and upload again."""
    with st.container(horizontal=True):
        for label, name, write in (
            ("Mapping as CSV", "event_mapping.csv", mapping_csv),
            ("Mapping as JSON", "event_mapping.json", mapping_json),
        ):
            show_download(Download(label, name, partial(write, mapping)), key=f"events_{name}")


def ask_for_rule() -> Live:
    """Show what answers at once: k, strategy, pseudonyms; return it."""
    ask, ask_of_release = partial(ask_for, "events", Rule), partial(ask_for, "events", ReleaseOptions)
    k, scope, cap = ask("k"), ask_of_release("pseudonym_per"), ask("cap")
    with st.popover(say("Further options"), icon=":material/more_horiz:"):
        further = {name: ask(name) for name in described(Rule) if name not in ("k", "cap")}
        keep = ask_of_release("keep_user_ids", disabled=scope != "user")
        seed = ask_of_release("pseudonym_seed")
    return Live(
        rule=Rule(k=k, cap=cap, **further),
        options=ReleaseOptions(
            pseudonym_per=scope, keep_user_ids=keep and scope == "user", pseudonym_seed=seed
        ),
        batch=st.session_state.get("events_batch", 0),
    )
