"""Settings of the (k, l) search: roles of the columns, where the model comes from, ranges, cells."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from core.caching import columns_of_text, suggested_roles, zero_one_columns
from core.datasets import Dataset
from core.demo.diversity import LABEL, SHOWN_ROLES
from core.diversity import DiversitySettings, ModelChoice, suggest_one_hot_groups
from core.diversity.problem import ModelSource
from core.diversity.settings import CellRule, DiversityRule, Task
from core.roles import Role
from pages.components.inputs import ask_for_files, ask_for_table

TOOL = "diversity"
SMALLEST_GROUP = 2
MODELS: Mapping[ModelSource, str] = {
    "tree": "Train a decision tree here",
    "forest": "Train a random forest here",
    "boosting": "Train gradient boosting here",
    "logistic": "Train a linear model here",
    "file": "My model, as a skops file",
    "predictions": "Only its predictions, in a column",
}
CELLS: Mapping[CellRule, str] = {
    "proper": "From the quasi-identifiers alone",
    "quasi_identifiers": "Quasi-identifiers, cut to separate the labels",
    "all_features": "All features, as published",
}
DIVERSITIES: Mapping[DiversityRule, str] = {
    "distinct": "at least l different values",
    "entropy": "entropy of at least l values",
    "recursive": "recursive (c, l)",
}


TASKS: Mapping[Task, str] = {"classification": "a class", "regression": "a number"}


class Roles(NamedTuple):
    """Suggested roles of the columns."""

    label: str
    sensitive: list[str]
    quasi_identifiers: list[str]
    left_out: list[str]
    categorical: list[str]
    one_hot_groups: list[list[str]]


class Asked(NamedTuple):
    """What the person chose; None where something is still missing."""

    settings: DiversitySettings
    choice: ModelChoice | None
    training: Dataset | None


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


def ask_for_search(data: Dataset) -> Asked:
    """Show all settings; return what was chosen."""
    suggested = _suggested(data)
    mark = data.fingerprint[:8]  # another table, other columns: its own widgets
    st.header("What is what", anchor=False)
    roles = _ask_for_roles(data, suggested, mark)
    st.header("The model", anchor=False)
    choice, training, task = _ask_for_model(data, mark)
    st.header("What to search", anchor=False)
    settings = _ask_for_grid(roles, task)
    return Asked(settings, choice, training)


def _ask_for_roles(data: Dataset, suggested: Roles, mark: str) -> Roles:
    columns = list(data.columns)
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
    sensitive = right.multiselect(
        "Sensitive attributes",
        others,
        [name for name in suggested.sensitive if name in others],
        key=f"diversity_sensitive_{mark}",
        help="What nobody shall learn about a person from their cell. Each cell must hold enough "
        "different values of each.",
        persist_state="session",
    )
    free = [name for name in others if name not in sensitive]
    quasi = left.multiselect(
        "Quasi-identifiers",
        free,
        [name for name in suggested.quasi_identifiers if name in free],
        key=f"diversity_quasi_{mark}",
        help="What others may know of a person, and could recognize them by. These columns are anonymized.",
        persist_state="session",
    )
    unused = [name for name in free if name not in quasi]
    left_out = right.multiselect(
        "Leave out of features and release",
        unused,
        [name for name in suggested.left_out if name in unused],
        key=f"diversity_left_out_{mark}",
        help="Names, record numbers and the like: the model does not use them and they are not released.",
        persist_state="session",
    )
    features = [name for name in others if name not in left_out]
    categorical = left.multiselect(
        "Columns of categories",
        features,
        [name for name in suggested.categorical if name in features],
        key=f"diversity_categorical_{mark}",
        help="All other features must hold numbers.",
        persist_state="session",
    )
    groups = _ask_for_one_hot_groups(data, [name for name in quasi if name not in categorical], mark)
    return Roles(label, sensitive, quasi, left_out, categorical, groups)


def _ask_for_one_hot_groups(data: Dataset, columns: list[str], mark: str) -> list[list[str]]:
    """Ask for groups one after the other, as long as columns are left for another one."""
    of_zeros_and_ones = set(zero_one_columns(data.fingerprint))
    free = [name for name in columns if name in of_zeros_and_ones]
    if len(free) < SMALLEST_GROUP:
        return []
    suggested = [list(group) for group in suggest_one_hot_groups(data.table, free)]
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


def _ask_for_model(data: Dataset, mark: str) -> tuple[ModelChoice | None, Dataset | None, Task]:
    left, right = st.columns(2)
    source = left.selectbox(
        "Where the model comes from",
        list(MODELS),
        format_func=MODELS.__getitem__,
        key="diversity_model",
        help="A model trained here learns from a part of the table, or from a table of its own, and the "
        "rest is anonymized.",
        persist_state="session",
    )
    task = right.segmented_control(
        "The label is",
        list(TASKS),
        default="classification",
        format_func=TASKS.__getitem__,
        key="diversity_task",
        help="For numbers, accuracy is R².",
        required=True,
        persist_state="session",
    )
    if source == "file":
        files = ask_for_files(
            TOOL,
            "model",
            label="Fitted scikit-learn model in skops format",
            types=("skops", "zip", "pkl", "pickle", "joblib", "bin"),
            several=False,
            help_text="Saved with skops.io.dump. Pickle and joblib files run code when opened: refused.",
        )
        if not files:
            return None, None, task
        return ModelChoice(source="file", file_name=files[-1].name, file=files[-1].data), None, task
    if source == "predictions":
        column = st.selectbox(
            "Column with the predictions",
            list(data.columns),
            index=None,
            key=f"diversity_predictions_{mark}",
            help="Accuracy of anonymized records cannot be assessed without the model itself.",
        )
        return ModelChoice(source="predictions", predictions_column=column), None, task
    return _ask_for_training(source, task)


def _ask_for_training(source: ModelSource, task: Task) -> tuple[ModelChoice, Dataset | None, Task]:
    left, middle, right = st.columns(3)
    percent = left.slider(
        "Part of the table to anonymize",
        10,
        90,
        50,
        format="%d %%",
        key="diversity_test_size",
        help="The rest trains the model. Not used with a training table of its own.",
        persist_state="session",
    )
    split_seed = middle.number_input(
        "Seed of the split",
        0,
        2**31 - 1,
        14,
        key="diversity_split_seed",
        help="The same seed gives the same split.",
        persist_state="session",
    )
    seed = right.number_input(
        "Seed of the model",
        0,
        2**31 - 1,
        10,
        key="diversity_seed",
        help="The same seed trains the same model.",
        persist_state="session",
    )
    with st.expander("Train on a table of its own", icon=":material/upload_file:"):
        training = ask_for_table(TOOL, "training", label="Training table with the same columns")
    choice = ModelChoice(source=source, seed=seed, test_size=percent / 100, split_seed=split_seed)
    return choice, training, task


def _ask_for_grid(roles: Roles, task: Task) -> DiversitySettings:
    left, middle, right = st.columns(3)
    k_min, k_max = left.slider(
        "k, records in a cell",
        2,
        100,
        (2, 12),
        key="diversity_k",
        help="Nobody can be told apart from k - 1 others by the quasi-identifiers.",
        persist_state="session",
    )
    l_min = middle.slider(
        "Smallest l, sensitive values in a cell",
        1,
        20,
        1,
        key="diversity_l",
        help="l runs from here up to k. Cells with fewer different values are removed.",
        persist_state="session",
    )
    target = right.slider(
        "Target accuracy" if task == "classification" else "Target R²",
        0,
        100,
        80,
        format="%d %%",
        key="diversity_target",
        help="Quasi-identifiers are generalized as far as the model keeps this agreement with itself, and "
        "pairs are offered from this accuracy on.",
        persist_state="session",
    )
    with st.expander("How cells are made and counted", icon=":material/tune:"):
        cells, diversity, c, bins = _ask_for_rules()
    return DiversitySettings(
        label=roles.label,
        sensitive_attributes=tuple(roles.sensitive),
        quasi_identifiers=tuple(roles.quasi_identifiers),
        k_min=k_min,
        k_max=k_max,
        l_min=l_min,
        target_accuracy=target / 100,
        cells=cells,
        diversity=diversity,
        recursive_c=c,
        sensitive_bins=bins or None,
        majority="leaf_shares" if cells == "all_features" else "records",
        categorical=tuple(roles.categorical),
        one_hot_groups=tuple(tuple(group) for group in roles.one_hot_groups),
        left_out=tuple(roles.left_out),
        task=task,
    )


def _ask_for_rules() -> tuple[CellRule, DiversityRule, float, int]:
    left, right = st.columns(2)
    cells = left.radio(
        "Cells are made",
        list(CELLS),
        format_func=CELLS.__getitem__,
        key="diversity_cells",
        help="From the quasi-identifiers alone, neither the label nor the sensitive attribute decides who "
        "shares a cell with whom.",
        persist_state="session",
    )
    diversity = right.radio(
        "A cell is diverse with",
        list(DIVERSITIES),
        format_func=DIVERSITIES.__getitem__,
        key="diversity_rule",
        persist_state="session",
    )
    c = right.number_input(
        "c of recursive (c, l)",
        0.1,
        100.0,
        3.0,
        key="diversity_c",
        help="The most frequent value may occur fewer than c times as often as the l-th and all rarer ones.",
        disabled=diversity != "recursive",
        persist_state="session",
    )
    bins = left.number_input(
        "Bins of a numeric sensitive attribute",
        0,
        100,
        10,
        key="diversity_bins",
        help="A continuous attribute looks diverse always; bins of about equal numbers of records are "
        "counted instead. 0 counts values as written.",
        persist_state="session",
    )
    return cells, diversity, c, bins
