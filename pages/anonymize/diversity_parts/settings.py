"""Settings of the (k, l) search: where the model comes from, ranges, cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from core.diversity import DiversitySettings, ModelChoice
from core.diversity.problem import ModelSource
from core.diversity.settings import CellRule, DiversityRule, Task
from core.tables import Dataset
from pages.anonymize.diversity_parts.roles import Roles, ask_for_roles
from pages.components.inputs import ask_for_files, ask_for_table

TOOL = "diversity"
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


class Asked(NamedTuple):
    """What the person chose; None where something is still missing."""

    settings: DiversitySettings
    choice: ModelChoice | None
    training: Dataset | None


def ask_for_search(data: Dataset) -> Asked:
    """Show all settings; return what was chosen."""
    mark = data.fingerprint[:8]  # another table, other columns: its own widgets
    st.header("What is what", anchor=False)
    roles = ask_for_roles(data, mark)
    st.header("The model", anchor=False)
    choice, training, task = _ask_for_model(data, mark)
    st.header("What to search", anchor=False)
    settings = _ask_for_grid(data, roles, task)
    return Asked(settings, choice, training)


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
            persist_state="session",
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


def _ask_for_grid(data: Dataset, roles: Roles, task: Task) -> DiversitySettings:
    k_min, k_max, l_min, target = _ask_for_ranges(data, task)
    with st.expander("How cells are made and counted", icon=":material/tune:"):
        cells, diversity, c, bins = _ask_for_rules()
    settings = DiversitySettings(
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
    st.caption(f"{settings.n_pairs:,} pairs of k and l will be searched.")
    return settings


def _ask_for_ranges(data: Dataset, task: Task) -> tuple[int, int, int, int]:
    mark = data.fingerprint[:8]  # another table, other bounds: its own widgets
    most = max(data.n_records, 2)
    first, second, third, last = st.columns(4)
    k_min = first.number_input(
        "Smallest k",
        2,
        most,
        2,
        key=f"diversity_k_min_{mark}",
        help="k is the records in a cell, at least: nobody can be told apart from k - 1 others by the "
        "quasi-identifiers.",
        persist_state="session",
    )
    k_max = second.number_input(
        "Largest k",
        2,
        most,
        min(12, most),
        key=f"diversity_k_max_{mark}",
        help=f"Up to the records to anonymize; the table has {data.n_records:,}. More pairs take longer.",
        persist_state="session",
    )
    l_min = third.number_input(
        "Smallest l",
        1,
        most,
        1,
        key=f"diversity_l_{mark}",
        help="l is the different sensitive values in a cell, at least; cells with fewer are removed. It runs "
        "from here up to k.",
        persist_state="session",
    )
    target = last.slider(
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
    return k_min, k_max, l_min, target


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
