"""Settings of the (k, l) search: where the model comes from, ranges, cells."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.diversity import DiversitySettings, ModelChoice, prepare_search
from core.diversity.result import what_predicts_what
from core.diversity.settings import ModelSource, Task, just_below
from core.diversity.tool import TOOL
from core.errors import AuditInputError
from core.tables import Dataset
from core.web.caching import remembered
from core.words import say
from pages.anonymize.diversity_parts.roles import ROLES, Roles, ask_for_roles
from pages.components.asking import ask_for, ask_for_form
from pages.components.drawer import SETTINGS
from pages.components.inputs import ask_for_files, ask_for_table, list_file
from pages.components.policy import ask_for_settings_file
from pages.components.reading import show_problems
from pages.components.text import sentence

_MOST_CELLS_AT_ONCE = 500_000  # records × columns


class UntouchedModel(NamedTuple):
    """What a model does before anything is anonymized."""

    accuracy: float  # on the records as they are; R² for regression
    features: tuple[str, ...]  # what it was trained on


class Asked(NamedTuple):
    """What the person chose; None where something is still missing."""

    settings: DiversitySettings
    choice: ModelChoice | None
    training: Dataset | None
    untouched: UntouchedModel | None


def ask_for_search(data: Dataset, drawer: Mapping[str, DeltaGenerator]) -> Asked:
    """Show all settings in their places in the drawer; return what was chosen."""
    mark = data.fingerprint[:8]  # another table, other columns: its own widgets
    with drawer[ROLES]:
        roles = ask_for_roles(data, mark)
    with drawer[SETTINGS]:
        ask_for_settings_file(TOOL.key)
        choice, training, task = _ask_for_model(data, mark)
        untouched = _untouched(data, roles, task, choice, training)
        return Asked(_ask_for_grid(data, roles, task, untouched), choice, training, untouched)


def show_asked(asked: Asked, data: Dataset) -> None:
    """Say what predicts what, and what others may know."""
    settings, of_model = asked.settings, asked.untouched
    taken = {settings.label, *settings.left_out, asked.choice and asked.choice.predictions_column}
    features = of_model.features if of_model else [name for name in data.columns if name not in taken]
    st.markdown(sentence(say(what_predicts_what(settings, features))))


def _ask_for_model(data: Dataset, mark: str) -> tuple[ModelChoice | None, Dataset | None, Task]:
    ask = partial(ask_for, TOOL.key, ModelChoice)
    left, right = st.columns(2)
    with left:
        source: ModelSource = ask("source")
    with right:
        task: Task = ask_for(TOOL.key, DiversitySettings, "task")
    if source == "file":
        files = ask_for_files(TOOL.key, TOOL.input("model"), several=False)
        if not files:
            return None, None, task
        list_file(TOOL.key, "model", files[-1])
        return ModelChoice(source=source, file_name=files[-1].name, file=files[-1].data), None, task
    if source == "predictions":
        column = ask("predictions_column", mark=mark, options=data.columns)
        return ModelChoice(source=source, predictions_column=column), None, task
    if source == "none":
        return ModelChoice(source=source), None, task
    trained = ask_for_form(TOOL.key, ModelChoice, "test_size", "split_seed", "seed")
    with st.expander(say("Train on a table of its own"), icon=":material/upload_file:"):
        training = ask_for_table(TOOL.key, TOOL.input("training"))
    return ModelChoice(source=source, **trained), training, task


def _untouched(
    data: Dataset, roles: Roles, task: Task, choice: ModelChoice | None, training: Dataset | None
) -> UntouchedModel | None:
    """Return what the model does untouched, where asking it takes no long while."""
    if choice is None or choice.source == "none" or data.n_records * len(data.columns) > _MOST_CELLS_AT_ONCE:
        return None
    smallest = DiversitySettings(**roles._asdict(), task=task, k_max=2)
    with st.spinner(say("Asking the untouched model …")):
        found = _ask_model(data, smallest, choice, training)
    if isinstance(found, AuditInputError):
        if choice.source == "file":
            show_problems(found)
        return None
    return found


@remembered()
def _ask_model(
    data: Dataset, settings: DiversitySettings, choice: ModelChoice, training: Dataset | None
) -> UntouchedModel | AuditInputError:
    """Return what the model of a search does untouched, or why it cannot be had."""
    try:
        problem = prepare_search(data, settings, choice, training=training)
    except AuditInputError as error:
        return AuditInputError(*error.problems)
    model = problem.inputs.model
    names = tuple(column.name for column in problem.inputs.space.columns)
    loaded = getattr(model, "loaded", None)
    return UntouchedModel(
        accuracy=problem.base_accuracy,
        features=(loaded.feature_names if loaded else None) or names,
    )


def _ask_for_grid(
    data: Dataset, roles: Roles, task: Task, untouched: UntouchedModel | None
) -> DiversitySettings:
    grid = _ask_for_ranges(data, task, untouched)
    with st.expander(say("How cells are made and counted"), icon=":material/tune:"):
        rules = _ask_for_rules()
    settings = DiversitySettings(
        **roles._asdict(),
        **grid,
        **rules,
        majority="leaf_shares" if rules["cells"] == "all_features" else "records",
        task=task,
    )
    st.caption(
        say(
            "{n} pair of k and ℓ will be searched.",
            "{n} pairs of k and ℓ will be searched.",
            n=settings.n_pairs,
        )
    )
    return settings


def _ask_for_ranges(data: Dataset, task: Task, untouched: UntouchedModel | None) -> dict[str, Any]:
    most = max(data.n_records, 2)
    target = just_below(untouched.accuracy) if untouched else None
    bounded = {"mark": data.fingerprint[:8]}  # another table, other bounds: its own widgets
    told = say("Up to the records to anonymize; the table has {n}. More pairs take longer.", n=data.n_records)
    given: dict[str, dict[str, Any]] = {
        "k_min": {**bounded, "span": (2, most)},
        "k_max": {
            **bounded,
            "span": (2, most),
            "start": min(DiversitySettings.k_max, most),
            "help": told,
        },
        "l_min": {**bounded, "span": (1, most)},
        "target_accuracy": {"mark": str(target), "start": target},  # another model, another target
        "n_splits": {},
    }
    if task == "regression":
        given["target_accuracy"]["label"] = say("Target R²")
    return ask_for_form(TOOL.key, DiversitySettings, *given, given=given)


def _ask_for_rules() -> dict[str, Any]:
    found = ask_for_form(TOOL.key, DiversitySettings, "cells", "diversity", per_row=2)
    given = {"recursive_c": {"disabled": found["diversity"] != "recursive"}}
    asked = ask_for_form(TOOL.key, DiversitySettings, "sensitive_bins", "recursive_c", given=given)
    return {**found, **asked}
