"""The event-log anonymizer's settings: a form for what measures the log anew, live controls for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.caching import StoredFile
from core.errors import AuditInputError
from core.events import (
    BUILT_IN_MAPPING,
    DEFAULT_LEAVE_OUT,
    DERIVED_COLUMNS,
    EventMapping,
    EventSettings,
    ReleaseOptions,
    Rule,
    event_mapping,
    mapping_csv,
    mapping_json,
    read_event_mapping,
)
from core.events.column_finding import with_found_columns
from core.events.mapping import OTHER_EVENT
from core.events.settings import (
    ANY_VALUES,
    AUTOMATIC,
    COARSER,
    NEAR_EQUAL_USERS,
    PSEUDONYM_SCOPES,
    STRATEGIES,
    TIME_FORMATS,
)
from core.tables import Dataset
from pages.components.editing import edit_table
from pages.components.inputs import ask_for_files, list_file
from pages.components.reading import show_problems

_SETTINGS, _BASE = "events_settings", "events_base_mapping"
_LARGEST_K = 50
_STRATEGY_WORDS = {"remove-events": "Remove events", "remove-users": "Remove users"}
_SCOPE_WORDS = {"user": "User", "week": "Week", "day": "Day", "event": "Event"}
_TIME_WORDS = {
    "auto": "Detect",
    "iso": "ISO 8601: 2026-11-22 14:05",
    "year-first": "2026/11/22 14:05",
    "day-first": "22.11.2026 14:05",
    "month-first": "11/22/2026 2:05 PM",
    "epoch-seconds": "Seconds since 1970",
    "epoch-milliseconds": "Milliseconds since 1970",
}
_NEAR_EQUAL_WORDS = {
    "ask": "Say what one user would change",
    "join": "Take them for one user",
    "distinct": "They are several users",
}
_SINGLE, _ALL, _CHOSEN = "In one step", "In several steps: all levels", "In several steps: as listed"


class Live(NamedTuple):
    """What answers at once: the rule, and how users appear in the export."""

    rule: Rule
    options: ReleaseOptions
    seed: int | None
    batch: int


def ask_for_settings(dataset: Dataset) -> EventSettings:
    """Show the form with the settings in use; return them."""
    base = _ask_for_mapping()
    used: EventSettings = st.session_state.get(_SETTINGS, EventSettings())
    if st.session_state.get(_BASE, BUILT_IN_MAPPING) != base:
        used = replace(used, mapping=base, leave_out=tuple(_known(used.leave_out, base)))
    used = with_found_columns(dataset, used)
    problem = None
    to_choose = not {used.time_column, used.user_column, used.event_column} <= {*dataset.columns}
    settings = st.expander("Settings", icon=":material/tune:", expanded=to_choose or bool(used.found_columns))
    with settings, st.form("events_form", border=False):
        if used.found_columns:
            st.info(
                "The log has other column names. Time, user and event were found by their values: look at "
                "them and press Apply settings to confirm.",
                icon=":material/search:",
            )
        fields = {
            **_ask_for_columns(dataset, used),
            **_ask_for_reading(used),
            **_ask_for_flattening(used),
            **_ask_for_cleanup(used),
        }
        with st.expander("Event mapping", icon=":material/edit_note:"):
            pairs = _edit_mapping(used.mapping)
        if st.form_submit_button("Apply settings", type="primary", icon=":material/play_arrow:"):
            try:
                used = _settings_of(fields, pairs)
            except AuditInputError as error:
                problem = error
    if problem is not None:
        show_problems(problem)
    st.session_state[_SETTINGS], st.session_state[_BASE] = used, base
    return used


def _settings_of(fields: dict[str, object], pairs: pd.DataFrame) -> EventSettings:
    """Return the settings that the form's fields mean."""
    mapping = event_mapping(pairs.fillna("").itertuples(index=False, name=None))
    return EventSettings(mapping=mapping, **fields)  # type: ignore[arg-type]


def _classes(mapping: EventMapping) -> list[str]:
    return list(dict.fromkeys((*mapping.classes, OTHER_EVENT, *DEFAULT_LEAVE_OUT)))


def _known(classes: Sequence[str], mapping: EventMapping) -> list[str]:
    return [name for name in classes if name in _classes(mapping)]


def _ask_for_mapping() -> EventMapping:
    """Return the mapping that was uploaded last, the built-in one while there is none."""
    with st.expander("Another event mapping (CSV or JSON)", icon=":material/upload_file:"):
        st.markdown(
            "Which class an event (`dogodek`) belongs to. The built-in mapping goes by the part after the "
            "dot; change it in the settings below, or upload one of two columns, event and class."
        )
        files = ask_for_files(
            "events", "mapping", label="Event mapping", types=("csv", "json", "txt"), several=False
        )
        return _read_mapping(files[-1]) if files else BUILT_IN_MAPPING


def _read_mapping(stored: StoredFile) -> EventMapping:
    list_file("events", "mapping", stored)
    try:
        return read_event_mapping(stored.data)
    except AuditInputError as error:
        show_problems(error)
        return BUILT_IN_MAPPING


def _ask_for_columns(dataset: Dataset, used: EventSettings) -> dict[str, object]:
    labels = {
        "time_column": ("Time column (OD_ISO)", "Date and time of each event."),
        "user_column": ("User column (GUID)", "Who the event is about; becomes a pseudonym."),
        "event_column": ("Event column (dogodek)", "What happened."),
    }
    fields: dict[str, object] = {}
    for place, (name, (label, help_text)) in zip(st.columns(3), labels.items(), strict=True):
        wanted = getattr(used, name)
        options = list(dict.fromkeys([*dataset.columns, wanted]))
        with place:
            fields[name] = st.selectbox(
                label,
                options,
                index=options.index(wanted),
                key=f"events_{name}_{dataset.fingerprint}",
                help=help_text,
                persist_state="session",
            )
    return fields


def _ask_for_reading(used: EventSettings) -> dict[str, object]:
    fields: dict[str, object] = {}
    first, second, third = st.columns(3)
    with first:
        fields["time_format"] = st.selectbox(
            "How times are written",
            TIME_FORMATS,
            index=TIME_FORMATS.index(used.time_format),
            format_func=_TIME_WORDS.__getitem__,
            key="events_time_format",
            help="Found and said by itself; choose it to confirm what was found. Seconds since 1970 "
            "are in UTC.",
            persist_state="session",
        )
    with second:
        fields["near_equal_users"] = st.selectbox(
            "Users spelt nearly alike",
            NEAR_EQUAL_USERS,
            index=NEAR_EQUAL_USERS.index(used.near_equal_users),
            format_func=_NEAR_EQUAL_WORDS.__getitem__,
            key="events_near_equal_users",
            help="Identifiers that differ in case, spaces, separators, accents or leading zeros only.",
            persist_state="session",
        )
    with third:
        fields["any_value"] = st.selectbox(
            'How "any" is written in the export',
            ANY_VALUES,
            index=ANY_VALUES.index(used.any_value),
            key="events_any_value",
            help="100 is the published form. Blank leaves a column of numbers a column of numbers.",
            persist_state="session",
        )
    fields["leave_out_unreadable"] = st.checkbox(
        "Go on without records whose time, user or event cannot be read",
        value=used.leave_out_unreadable,
        key="events_leave_out_unreadable",
        persist_state="session",
    )
    return fields


def _ask_for_flattening(used: EventSettings) -> dict[str, object]:
    columns = st.multiselect(
        "Contributing columns",
        DERIVED_COLUMNS,
        default=used.columns,
        key="events_columns",
        help="Released with the pseudonym. Every combination of their values must be shared by k users.",
        persist_state="session",
    )
    first, second, third = st.columns(3)
    with first:
        flatten = st.selectbox(
            "Flatten column",
            DERIVED_COLUMNS,
            index=DERIVED_COLUMNS.index(used.flatten),
            key="events_flatten",
            help='Set to "any" (100 in the file) in combinations with fewer than k users.',
            persist_state="session",
        )
    with second:
        mode = st.selectbox(
            "Flatten",
            (_SINGLE, _ALL, _CHOSEN),
            index=_mode_index(used.flatten_steps),
            key="events_flatten_mode",
            help="In several steps, a combination gets only as coarse as it needs: week, month, any week.",
            persist_state="session",
        )
    with third:
        steps = st.multiselect(
            "Steps, in this order",
            [f"{column}:{level}" for column, levels in COARSER.items() for level in levels],
            default=[step for step in used.flatten_steps if step != AUTOMATIC],
            key="events_flatten_steps",
            help='Used with "as listed". Each names a contributing column and a coarser level of it.',
            persist_state="session",
        )
    chosen = {_SINGLE: (), _ALL: (AUTOMATIC,), _CHOSEN: tuple(steps)}[mode]
    return {"columns": tuple(columns), "flatten": flatten, "flatten_steps": chosen}


def _mode_index(steps: Sequence[str]) -> int:
    return 0 if not steps else 1 if tuple(steps) == (AUTOMATIC,) else 2


def _ask_for_cleanup(used: EventSettings) -> dict[str, object]:
    first, second, third = st.columns([2, 1, 1])
    with first:
        leave_out = st.multiselect(
            "Event classes to leave out",
            _classes(used.mapping),
            default=_known(used.leave_out, used.mapping),
            key=f"events_leave_out_{hash(used.mapping)}",
            help="Their events are dropped before anything else.",
            persist_state="session",
        )
        none = st.toggle(
            "Leave out no class",
            value=not used.leave_out,
            key="events_leave_out_none",
            persist_state="session",
        )
    with second:
        block = st.number_input(
            "Hours per block",
            1,
            24,
            used.hour_block,
            key="events_hour_block",
            help="Of quantized_hour: with 3, 14 h becomes 12 and 15 h stays 15.",
            persist_state="session",
        )
    with third:
        choices = (None, *DERIVED_COLUMNS)
        sensitive = st.selectbox(
            "Attribute to protect",
            choices,
            index=choices.index(used.sensitive),
            format_func=lambda name: name or "none",
            key="events_sensitive",
            help="A column that is not released: l-diversity and t-closeness within each combination.",
            persist_state="session",
        )
    return {"leave_out": () if none else tuple(leave_out), "hour_block": int(block), "sensitive": sensitive}


def _edit_mapping(mapping: EventMapping) -> pd.DataFrame:
    st.caption("Whole names count before the part after the dot. Add lines at the end.")
    return edit_table(
        pd.DataFrame(mapping.pairs, columns=["Event", "Class"]),
        num_rows="dynamic",
        key=f"events_mapping_{hash(mapping)}",
        alt="Event mapping: each event and its class",
    )


def use_settings(settings: EventSettings) -> None:
    """Put settings in use, and let the form's fields show them."""
    st.session_state[_SETTINGS] = settings
    for field in ("columns", "flatten", "flatten_mode", "flatten_steps"):
        st.session_state.pop(f"events_{field}", None)


def show_mapping_downloads(mapping: EventMapping) -> None:
    """Offer the mapping in use, to keep, edit and upload again."""
    with st.container(horizontal=True):
        for label, name, write in (
            ("Mapping as CSV", "event_mapping.csv", mapping_csv),
            ("Mapping as JSON", "event_mapping.json", mapping_json),
        ):
            st.download_button(
                label,
                write(mapping),
                name,
                key=f"events_{name}",
                icon=":material/download:",
                on_click="ignore",
            )


def ask_for_rule() -> Live:
    """Show what answers at once: k, strategy, pseudonyms; return it."""
    first, second, third, fourth = st.columns([1.2, 1.4, 1.6, 0.9])
    with first:
        k = st.slider(
            "k: users that share each combination",
            2,
            _LARGEST_K,
            5,
            key="events_k",
            help="Every combination in the export is shared by at least k different users.",
            persist_state="session",
        )
    with second:
        strategy = st.segmented_control(
            "What still violates",
            STRATEGIES,
            default=STRATEGIES[0],
            format_func=_STRATEGY_WORDS.__getitem__,
            key="events_strategy",
            required=True,
            help="Remove the events of combinations below k, or users until no combination is below k.",
            persist_state="session",
        )
    with third:
        scope = st.segmented_control(
            "New pseudonym for each",
            PSEUDONYM_SCOPES,
            default="user",
            format_func=_SCOPE_WORDS.__getitem__,
            key="events_scope",
            required=True,
            help="One pseudonym per user links all their events. Shorter ones lower the trace risk.",
            persist_state="session",
        )
    with fourth:
        cap = st.number_input(
            "Rows per user and combination",
            min_value=1,
            value=None,
            key="events_cap",
            placeholder="all",
            help="Rows beyond it are removed: how many somebody has then tells less. k does not "
            "change by it.",
            persist_state="session",
        )
    return _with_export_options(Rule(k=k, strategy=strategy or STRATEGIES[0], cap=cap), scope or "user")


def _with_export_options(rule: Rule, scope: str) -> Live:
    with st.expander("Limit and export options", icon=":material/more_horiz:"):
        first, rows, second, third = st.columns(4)
        with rows:
            rows_limit = st.number_input(
                "Limit for all rows together (% of users)",
                0.0,
                100.0,
                value=100 * Rule.max_rows_unique_share,
                key="events_rows_limit",
                help="Users whose rows, or their order, nobody else has. Above it the verdict is "
                "FAIL, above 5 % WARN.",
                persist_state="session",
            )
        with first:
            limit = st.number_input(
                "Limit for two known events (% of users)",
                0.0,
                100.0,
                value=None,
                key="events_limit",
                placeholder="no limit",
                help="Above it the traces FAIL. Without one, more than 5 % from four known events is a WARN.",
                persist_state="session",
            )
        with second:
            keep = st.checkbox(
                "Write the original identifiers",
                key="events_keep_ids",
                help="Not pseudonymized. Only with one pseudonym per user.",
                disabled=scope != "user",
                persist_state="session",
            )
        with third:
            seed = st.number_input(
                "Seed for repeatable pseudonyms",
                0,
                value=None,
                key="events_seed",
                placeholder="fresh",
                help="For tests only: whoever knows the seed can repeat the pseudonyms.",
                persist_state="session",
            )
    share = None if limit is None else limit / 100
    return Live(
        rule=replace(rule, max_trace_unique_share=share, max_rows_unique_share=rows_limit / 100),
        options=ReleaseOptions(
            pseudonym_per=scope, keep_user_ids=keep and scope == "user", pseudonym_seed=seed
        ),
        seed=seed,
        batch=st.session_state.get("events_batch", 0),
    )
