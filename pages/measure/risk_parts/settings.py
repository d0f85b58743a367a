"""What the columns of a table are, how to count, and what the figures are held against."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.people.roles import Role, RoleSuggestion
from core.risk import PRESETS, RiskMeasurement, RiskSettings, RiskThresholds
from core.risk.tool import TOOL
from core.settings.form import described
from core.tables import Dataset
from core.words import Text, counted, joined, own, say, text
from pages.components.asking import ask_for, ask_for_form, edit_table, propose
from pages.components.drawer import EARLIER, FURTHER, ask_for_further, place_drawer
from pages.components.policy import ask_for_context, opened_form, say_absent
from pages.components.roles import suggested_roles
from pages.components.shown import Shown

_HOW_TO_COUNT = (
    "missing",
    "missing_sensitive",
    "several_sensitive",
    "population_size",
    "distance",
    "recursive_c",
    "closeness",
)
ROLES = "Roles"
_FREE_TEXT = own("free text")
# The role that a column may have, and the setting that holds the columns of that role.
_FIELDS: Mapping[str, str] = {
    Role.QUASI_IDENTIFIER.value: "quasi_identifiers",
    Role.SENSITIVE_ATTRIBUTE.value: "sensitive",
    Role.DIRECT_IDENTIFIER.value: "direct_identifiers",
    own("other"): "other",
    "date shifted per person": "shifted",
    own("person"): "person",
    own("household"): "household",
    "sampling weight": "weight",
    own("count"): "counts",
    own("amount"): "magnitude",
    own("contributor"): "contributor",
    "not released": "leave_out",
}
_HEADINGS = {
    "column": own("Column"),
    "role": own("Role"),
    "suggestion": own("Suggestion"),
    "reason": own("Reason"),
    "n_distinct": own("Distinct values"),
}


def show_drawer(shown: Shown) -> None:
    """Show the roles that names and values suggest, to correct and confirm, beside places for other files.

    Until the person confirms them the suggested roles are measured, and a finding says so.
    """
    dataset: Dataset = shown.given["table"]
    _take_opened(dataset)
    confirmed: RiskSettings | None = st.session_state.get(_slot(dataset))
    settings = shown.settings = confirmed or _settings(_suggested_roles(dataset), {})
    unusable = not settings.quasi_identifiers and not settings.is_of_counts
    titles = [EARLIER] if settings.is_of_counts else [FURTHER, EARLIER]
    heading = " · ".join(say(words) for words in (roles_note(settings), *titles))
    place_drawer(shown, heading, (ROLES, *titles), opened=ROLES if unusable else "")
    with shown.drawer[ROLES]:
        _ask_for_roles(dataset)
    ask_for_further(shown)


def _ask_for_roles(dataset: Dataset) -> None:
    told = described(RiskSettings)
    st.caption(
        " · ".join(
            f"{say(told[name].label)}: {say(told[name].about).rstrip('.')}" for name in _FIELDS.values()
        )
    )
    with st.form("risk_roles_form", border=False):
        roles = _edit_roles(dataset)
        choices = ask_for_form(TOOL.key, RiskSettings, *_HOW_TO_COUNT)
        if st.form_submit_button(say("Confirm the roles"), type="primary", icon=":material/check:"):
            st.session_state[_slot(dataset)] = _settings(roles, choices, suggested=False)
            st.rerun()


def roles_note(settings: RiskSettings) -> Text:
    """Return in one line how many columns have each role, and whether somebody confirmed them."""
    counts = (
        counted(len(settings.quasi_identifiers), "quasi-identifier"),
        counted(len(settings.sensitive), "sensitive attribute") if settings.sensitive else None,
        counted(len(settings.direct_identifiers), "direct identifier")
        if settings.direct_identifiers
        else None,
    )
    roles = joined([each for each in counts if each is not None], ", ")
    if settings.roles_suggested:
        return text("Roles, suggested: {roles}. Confirm them", roles=roles)
    return text("Roles, confirmed: {roles}. Edit them", roles=roles)


def roles_table(suggestions: Sequence[RoleSuggestion], roles: Mapping[str, str]) -> pd.DataFrame:
    """Return a row per column of `roles`: the role to confirm, what it may be, and why."""
    by_column = {each.column: each for each in suggestions}
    ordered = [(by_column[column], role) for column, role in roles.items()]
    rows = [
        (each.column, role, say(each.role.value), say(each.reason), each.n_distinct) for each, role in ordered
    ]
    return pd.DataFrame(rows, columns=list(_HEADINGS))


def _take_opened(dataset: Dataset) -> None:
    """Take the roles of a settings file that was opened, those of columns that the table has.

    Where it says neither what is known about a person nor what counts people, nobody chose that: those
    suggested stay beside its own, and stay suggested, as the command takes them.
    """
    opened = opened_form("risk", RiskSettings)
    roles = {name: role for role, name in _FIELDS.items()}
    named = {
        column: roles[name]
        for name in roles.keys() & opened.keys()
        for column in ((opened[name],) if isinstance(opened[name], str) else opened[name])
    }
    say_absent("risk_", [column for column in named if column not in dataset.columns])
    found = {column: role for column, role in named.items() if column in dataset.columns}
    if not found:
        return
    is_chosen = any(opened.get(name) for name in ("quasi_identifiers", "counts", "magnitude"))
    usual = dict.fromkeys(dataset.columns, Role.OTHER.value)
    if not is_chosen:
        said = Role.SENSITIVE_ATTRIBUTE.value if opened.get("sensitive") else None
        usual |= {name: role for name, role in _suggested_roles(dataset).items() if role != said}
    roles_taken = usual | found
    choices = {name: value for name, value in opened.items() if name not in roles}
    _fill_editor(dataset, roles_taken)
    settings = _settings(roles_taken, choices, suggested=not is_chosen)
    if not is_chosen:
        harmless = tuple(column for column, role in found.items() if role == Role.OTHER.value)
        settings = replace(settings, other=harmless)
    st.session_state[_slot(dataset)] = settings


def _fill_editor(dataset: Dataset, roles: Mapping[str, str]) -> None:
    key = f"risk_roles_{dataset.fingerprint}"
    for slot in (key, f"{key}_kept", f"{key}_base"):
        st.session_state.pop(slot, None)
    st.session_state[f"{key}_opened"] = roles


def propose_counts(dataset: Dataset, measured: RiskMeasurement) -> None:
    """Propose to audit as such what looks like a table of counts: of its rows no figure holds."""
    if measured.looks_like_counts is None:
        return
    column, _ = measured.looks_like_counts
    proposal = say(
        "`{column}` seems to count people. The rows are groups then, and nobody's own.", column=column
    )
    propose(
        proposal,
        say("Audit it as a table of counts"),
        key="risk_as_counts",
        icon=":material/pivot_table_chart:",
        on_click=_take_as_counts,
        args=(dataset, column),
    )


def _take_as_counts(dataset: Dataset, column: str) -> None:
    roles = {**_suggested_roles(dataset), column: str(own("count"))}
    _fill_editor(dataset, roles)
    st.session_state[_slot(dataset)] = _settings(roles, {}, suggested=False)


def _slot(dataset: Dataset) -> str:
    return f"risk_settings_{dataset.fingerprint}"


def _suggested_roles(dataset: Dataset) -> dict[str, str]:
    suggested = {each.column: each.role.value for each in suggested_roles(dataset)}
    suggested |= dict.fromkeys(_texts(dataset), Role.OTHER.value)
    return {column: suggested[column] for column in dataset.columns}


def _texts(dataset: Dataset) -> list[str]:
    """Return the columns of free text, which is read by its cells and not by a role."""
    suggestions = suggested_roles(dataset)
    return [each.column for each in suggestions if each.kind == _FREE_TEXT and each.from_values]


def _edit_roles(dataset: Dataset) -> dict[str, str]:
    """Show the editor; return the role of each column, by name in the table's order."""
    opened = st.session_state.get(f"risk_roles_{dataset.fingerprint}_opened")
    roles = opened or _suggested_roles(dataset)
    table = roles_table(suggested_roles(dataset), roles)
    edited = edit_table(
        table,
        key=f"risk_roles_{dataset.fingerprint}",
        kept_columns=["role"],
        disabled=[name for name in table.columns if name != "role"],
        column_config={
            **{key: say(label) for key, label in _HEADINGS.items()},
            "role": st.column_config.SelectboxColumn(
                say("Role"),
                options=[str(role) for role in _FIELDS],
                format_func=lambda role: say(str(role)),
                required=True,
                width="medium",
            ),
            "reason": st.column_config.TextColumn(say("Reason"), width="large"),
        },
        alt=say("Columns of the table with the suggested role, its reason, and the role to confirm"),
    )
    return dict(zip(dataset.columns, edited["role"], strict=True))


def _settings(
    roles: Mapping[str, str], choices: Mapping[str, Any], *, suggested: bool = True
) -> RiskSettings:
    """Return the settings for roles by column; a confirmed role overrides what the column looks like."""
    columns: dict[str, Any] = {}
    for role, name in _FIELDS.items():
        chosen = tuple(column for column, each in roles.items() if each == role)
        columns[name] = chosen if described(RiskSettings)[name].is_several else next(iter(chosen), None)
    if suggested:
        columns["other"] = ()
    return RiskSettings(**columns, **choices, roles_suggested=suggested)


def ask_for_limits(
    *, with_sensitive: bool, with_household: bool = False, with_person: bool = False
) -> RiskThresholds:
    """Show k with its presets, further limits folded; moving one judges the same measurement again."""
    ask_for_context(TOOL.key)
    presets, slider = st.columns([2, 3])
    with presets:
        _show_presets(st.session_state.get("risk_k", RiskThresholds.k))
    with slider:
        k = ask_for(TOOL.key, RiskThresholds, "k")
    names = [name for name in described(RiskThresholds) if name != "k"]
    can_be_met = dict.fromkeys(names, with_sensitive)
    can_be_met |= {"average_risk": True, "household_risk": with_household, "person_k": with_person}
    given = {name: {"disabled": not can_be} for name, can_be in can_be_met.items()}
    with st.expander(say("Further limits"), icon=":material/tune:"):
        further = ask_for_form(TOOL.key, RiskThresholds, *names, per_row=3, given=given)
    return RiskThresholds(k=k, **further)


def _show_presets(asked: int) -> None:
    """Show the usual sizes as buttons, the one asked for marked; they hold nothing that may be outdated."""
    with st.container(horizontal=True, gap="small"):
        for k, who in PRESETS.items():
            st.button(
                str(k),
                key=f"risk_preset_{k}",
                help=say(who),
                type="primary" if k == asked else "secondary",
                on_click=_take_preset,
                args=(k,),
            )


def _take_preset(k: int) -> None:
    st.session_state["risk_k"] = k
