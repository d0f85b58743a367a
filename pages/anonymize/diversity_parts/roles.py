"""Roles of the columns in the (k, l) search, and groups of quasi-identifiers that are one category."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.caching import columns_of_text, suggested_roles, zero_one_columns
from core.demo.diversity import LABEL, SHOWN_ROLES
from core.diversity import suggest_one_hot_groups
from core.roles import Role
from core.tables import Dataset

SMALLEST_GROUP = 2


class Roles(NamedTuple):
    """Suggested roles of the columns."""

    label: str
    sensitive: list[str]
    quasi_identifiers: list[str]
    left_out: list[str]
    categorical: list[str]
    one_hot_groups: list[list[str]]


def ask_for_roles(data: Dataset, mark: str) -> Roles:
    """Ask what the columns are, from the suggested roles on; `mark` belongs to the table."""
    suggested, columns = _suggested(data), list(data.columns)
    left, right = st.columns(2)
    label = left.selectbox(
        "Label",
        columns,
        index=columns.index(suggested.label),
        key=f"diversity_label_{mark}",
        help="The column that the model predicts.",
        persist_state="session",
    )
    others = [name for name in columns if name != label]
    sensitive = _ask_for_columns(
        right,
        "Sensitive attributes",
        others,
        suggested.sensitive,
        key=f"diversity_sensitive_{mark}",
        explained="What nobody shall learn about a person from their cell. Each cell must hold enough "
        "different values of each.",
    )
    free = [name for name in others if name not in sensitive]
    quasi = _ask_for_columns(
        left,
        "Quasi-identifiers",
        free,
        suggested.quasi_identifiers,
        key=f"diversity_quasi_{mark}",
        explained="What others may know of a person, and could recognize them by. These columns are "
        "anonymized.",
    )
    left_out = _ask_for_columns(
        right,
        "Leave out of features and release",
        [name for name in free if name not in quasi],
        suggested.left_out,
        key=f"diversity_left_out_{mark}",
        explained="Names, record numbers and the like: the model does not use them and they are not "
        "released.",
    )
    categorical = _ask_for_columns(
        left,
        "Columns of categories",
        [name for name in others if name not in left_out],
        suggested.categorical,
        key=f"diversity_categorical_{mark}",
        explained="All other features must hold numbers.",
    )
    groups = _ask_for_one_hot_groups(data, [name for name in quasi if name not in categorical], mark)
    return Roles(label, sensitive, quasi, left_out, categorical, groups)


def _ask_for_columns(
    place: DeltaGenerator, label: str, options: list[str], suggested: list[str], *, key: str, explained: str
) -> list[str]:
    return place.multiselect(
        label,
        options,
        [name for name in suggested if name in options],
        key=key,
        help=explained,
        persist_state="session",
    )


def _suggested(data: Dataset) -> Roles:
    """Return roles to start from."""
    columns = list(data.columns)
    demo = SHOWN_ROLES.get(data.name.removesuffix(".csv"))
    text = columns_of_text(data.fingerprint)
    if demo is not None and {LABEL, demo.sensitive_attribute, *demo.quasi_identifiers} <= set(columns):
        return Roles(LABEL, [demo.sensitive_attribute], list(demo.quasi_identifiers), [], list(text), [])
    label = LABEL if LABEL in columns else columns[-1]
    of_role: dict[Role, list[str]] = {role: [] for role in Role}
    for suggestion in suggested_roles(data.fingerprint):
        if suggestion.column != label:
            of_role[suggestion.role].append(suggestion.column)
    return Roles(
        label=label,
        sensitive=of_role[Role.SENSITIVE_ATTRIBUTE][:1],
        quasi_identifiers=of_role[Role.QUASI_IDENTIFIER],
        left_out=of_role[Role.DIRECT_IDENTIFIER],
        categorical=[name for name in text if name != label],
        one_hot_groups=[],  # suggested once the quasi-identifiers are chosen
    )


def _ask_for_one_hot_groups(data: Dataset, columns: list[str], mark: str) -> list[list[str]]:
    """Ask for groups one after the other, as long as columns are left for another one."""
    of_zeros_and_ones = set(zero_one_columns(data.fingerprint))
    free = [name for name in columns if name in of_zeros_and_ones]
    if len(free) < SMALLEST_GROUP:
        return []
    suggested = [list(group) for group in suggest_one_hot_groups(data.table, free)]
    st.caption(
        "Some quasi-identifiers hold 0 and 1 only. Where several of them are one category, such as a job, "
        "name them together: their cell then shows one job, never two. "
        + (
            "Suggested are columns whose names begin alike and of which no record has two 1s."
            if suggested
            else "Leave the list empty where each column is a property of its own."
        )
    )
    offered = hashlib.sha256(repr(free).encode()).hexdigest()[:8]  # other columns: suggested anew
    groups: list[list[str]] = []
    number = 0
    while len(free) >= SMALLEST_GROUP and number <= max(len(suggested), len(groups)):
        default = [name for name in suggested[number] if name in free] if number < len(suggested) else []
        number += 1
        group = st.multiselect(
            f"One category in several 0/1 columns, group {number}",
            free,
            default,
            key=f"diversity_group_{number}_{mark}_{offered}",
            help="A category such as a job may be written as one column per value, with a 1 in one of them. "
            "Such columns are replaced together: a cell shows its most frequent row of the group, never "
            "two jobs at once. Suggested where names begin alike and no record has two 1s; leave it empty "
            "where each column is a property of its own.",
            persist_state="session",
        )
        if len(group) >= SMALLEST_GROUP:
            groups.append(group)
            free = [name for name in free if name not in group]
        elif group:
            st.info("A group needs at least two columns; one column is replaced on its own.")
    return groups
