"""Roles of the columns in the (k, l) search, and groups of quasi-identifiers that are one category."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st

from core.demo import LABEL, SHOWN_ROLES
from core.diversity import (
    DiversitySettings,
    is_numeric,
    suggest_label,
    suggest_one_hot_groups,
    zero_one_columns,
)
from core.diversity.tool import TOOL
from core.people.roles import Role
from core.settings.form import described
from core.tables import Dataset
from core.web.caching import remembered
from core.words import joined, own, say
from pages.components.asking import ask_for
from pages.components.roles import suggested_roles
from pages.components.text import short_digest

ROLES = "Roles of columns"
SMALLEST_GROUP = 2
_NO_LABEL = (
    "No column is proposed as the label: each names people, has one value, or differs in most records."
)


class Roles(NamedTuple):
    """Roles of the columns, by setting."""

    label: str
    sensitive_attributes: Sequence[str]
    quasi_identifiers: Sequence[str]
    left_out: Sequence[str]
    categorical: Sequence[str]
    one_hot_groups: Sequence[Sequence[str]]


def ask_for_roles(data: Dataset, mark: str) -> Roles:
    """Ask what the columns are, from the suggested roles on; `mark` belongs to the table."""
    suggested = _suggested(data)

    def ask(name: str, free: Sequence[str]) -> Any:
        start = getattr(suggested, name)
        return ask_for(TOOL.key, DiversitySettings, name, mark=mark, options=free, start=start)

    left, right = st.columns(2)
    with left:
        label = ask("label", data.columns)
        if label is None:
            st.info(say(_NO_LABEL), icon=":material/help:")

    others = [name for name in data.columns if name != label]
    with right:
        sensitive = ask("sensitive_attributes", others)
    free = [name for name in others if name not in sensitive]
    with left:
        quasi = ask("quasi_identifiers", free)
    with right:
        left_out = ask("left_out", [name for name in free if name not in quasi])
    with left:
        categorical = ask("categorical", [name for name in others if name not in left_out])
    groups = _ask_for_one_hot_groups(data, [name for name in quasi if name not in categorical], mark)
    return Roles(label or "", sensitive, quasi, left_out, categorical, groups)


def _suggested(data: Dataset) -> Roles:
    """Return roles to start from."""
    columns = list(data.columns)
    demo = SHOWN_ROLES.get(data.name.removesuffix(".csv"))
    text = _columns_of_text(data)
    if demo is not None and {LABEL, demo.sensitive_attribute, *demo.quasi_identifiers} <= set(columns):
        return Roles(LABEL, [demo.sensitive_attribute], list(demo.quasi_identifiers), [], list(text), [])
    roles = suggested_roles(data)
    label = suggest_label(columns, roles, usual=LABEL)
    of_role: dict[Role, list[str]] = {role: [] for role in Role}
    for suggestion in roles:
        if suggestion.column != label:
            of_role[suggestion.role].append(suggestion.column)
    return Roles(
        label=label or "",
        sensitive_attributes=of_role[Role.SENSITIVE_ATTRIBUTE][:1],
        quasi_identifiers=of_role[Role.QUASI_IDENTIFIER],
        left_out=of_role[Role.DIRECT_IDENTIFIER],
        categorical=[name for name in text if name != label],
        one_hot_groups=[],  # suggested once the quasi-identifiers are chosen
    )


@remembered()
def _columns_of_text(data: Dataset) -> tuple[str, ...]:
    return tuple(name for name in data.columns if not is_numeric(data.table[name]))


@remembered()
def _zero_one_columns(data: Dataset) -> set[str]:
    return {*zero_one_columns(data.table, data.columns)}


def _ask_for_one_hot_groups(data: Dataset, columns: list[str], mark: str) -> tuple[tuple[str, ...], ...]:
    """Ask for groups one after the other, as long as columns are left for another one."""
    of_zeros_and_ones = _zero_one_columns(data)
    free = [name for name in columns if name in of_zeros_and_ones]
    if len(free) < SMALLEST_GROUP:
        return ()
    suggested = [list(group) for group in suggest_one_hot_groups(data.table, free)]
    together = (
        "Some quasi-identifiers hold 0 and 1 only. Where several of them are one category, such as a job, "
        "name them together: their cell then shows one job, never two."
    )
    if suggested:
        then = "Suggested are columns whose names begin alike and of which no record has two 1s."
    else:
        then = "Leave the list empty where each column is a property of its own."
    st.caption(say(joined([together, then])))
    offered = short_digest(repr(free))  # other columns: suggested anew
    group_label = described(DiversitySettings)["one_hot_groups"].label
    groups: list[tuple[str, ...]] = []
    number = 0
    while len(free) >= SMALLEST_GROUP and number <= max(len(suggested), len(groups)):
        start = suggested[number] if number < len(suggested) else ()
        number += 1
        group = ask_for(
            TOOL.key,
            DiversitySettings,
            "one_hot_groups",
            mark=f"{number}_{mark}_{offered}",
            options=free,
            start=start,
            label=say("{label}, group {number}", label=own(group_label), number=number),
        )
        if len(group) >= SMALLEST_GROUP:
            groups.append(group)
            free = [name for name in free if name not in group]
        elif group:
            st.info(say("A group needs at least two columns; one column is replaced on its own."))
    return tuple(groups)
