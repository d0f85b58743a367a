"""Settings of the (k, l) search: where the model comes from, ranges, cells."""

from typing import Any, NamedTuple

import streamlit as st

from core.caching import UntouchedModel, untouched_model
from core.diversity import DiversitySettings, ModelChoice
from core.diversity.judging import accuracy_word
from core.diversity.settings import ModelSource, Task, just_below
from core.diversity.tool import TOOL
from core.errors import AuditInputError
from core.tables import Dataset
from core.words import listed, percent, say, text
from pages.anonymize.diversity_parts.roles import Roles, ask_for_roles
from pages.components.asking import ask_for_choice, ask_for_number
from pages.components.inputs import ask_for_files, ask_for_table, list_file
from pages.components.reading import show_problems
from pages.components.text import plain, sentence

_MOST_CELLS_AT_ONCE = 500_000  # records × columns


class Asked(NamedTuple):
    """What the person chose; None where something is still missing."""

    settings: DiversitySettings
    choice: ModelChoice | None
    training: Dataset | None
    untouched: UntouchedModel | None


def ask_for_search(data: Dataset) -> Asked:
    """Show all settings; return what was chosen."""
    mark = data.fingerprint[:8]  # another table, other columns: its own widgets
    st.header(say("What is what"), anchor=False)
    roles = ask_for_roles(data, mark)
    st.header(say("The model"), anchor=False)
    choice, training, task = _ask_for_model(data, mark)
    st.header(say("What to search"), anchor=False)
    untouched = _untouched(data, roles, task, choice, training)
    return Asked(_ask_for_grid(data, roles, task, untouched), choice, training, untouched)


def show_asked(asked: Asked) -> None:
    """Say what stands to be searched: the roles of columns, and what the model does untouched."""
    roles = text(
        "Label: {label} · sensitive: {sensitive} · quasi-identifiers: {quasi}",
        label=listed([asked.settings.label]),
        sensitive=listed(asked.settings.sensitive_attributes, at_most=4),
        quasi=listed(asked.settings.quasi_identifiers, at_most=4),
    )
    st.markdown(sentence(say(roles)))
    if (found := asked.untouched) is not None:
        st.markdown(
            say(
                "Untouched, the model ({model}; {n} feature: {features}) has {name} **{accuracy}**.",
                "Untouched, the model ({model}; {n} features: {features}) has {name} **{accuracy}**.",
                n=len(found.features),
                model=plain(say(found.description)),
                features=sentence(say(listed(found.features, at_most=4))),
                name=accuracy_word(asked.settings.task, begins=False),
                accuracy=percent(found.accuracy),
            )
        )


def _ask_for_model(data: Dataset, mark: str) -> tuple[ModelChoice | None, Dataset | None, Task]:
    left, right = st.columns(2)
    with left:
        source = ask_for_choice(ModelChoice, "source", key="diversity_model")
    with right:
        task = ask_for_choice(DiversitySettings, "task", widget="segmented_control", key="diversity_task")
    if source == "file":
        files = ask_for_files(
            TOOL.key,
            "model",
            label="Fitted scikit-learn model in skops format",
            several=False,
            help_text="Saved with skops.io.dump. Pickle and joblib files run code when opened: refused.",
        )
        if not files:
            return None, None, task
        list_file(TOOL.key, "model", files[-1])
        return ModelChoice(source="file", file_name=files[-1].name, file=files[-1].data), None, task
    if source == "predictions":
        column = ask_for_choice(
            ModelChoice, "predictions_column", options=data.columns, key=f"diversity_predictions_{mark}"
        )
        return ModelChoice(source="predictions", predictions_column=column), None, task
    return _ask_for_training(source, task)


def _ask_for_training(source: ModelSource, task: Task) -> tuple[ModelChoice, Dataset | None, Task]:
    left, middle, right = st.columns(3)
    with left:
        size = ask_for_number(
            ModelChoice, "test_size", slider=True, span=(0.1, 0.9), key="diversity_test_size"
        )
    with middle:
        split_seed = ask_for_number(ModelChoice, "split_seed", key="diversity_split_seed")
    with right:
        seed = ask_for_number(ModelChoice, "seed", key="diversity_seed")
    with st.expander(say("Train on a table of its own"), icon=":material/upload_file:"):
        training = ask_for_table(TOOL.key, "training", label="Training table with the same columns")
    choice = ModelChoice(source=source, seed=seed, test_size=size, split_seed=split_seed)
    return choice, training, task


def _untouched(
    data: Dataset, roles: Roles, task: Task, choice: ModelChoice | None, training: Dataset | None
) -> UntouchedModel | None:
    """Return what the model does untouched, where asking it takes no long while."""
    if choice is None or data.n_records * len(data.columns) > _MOST_CELLS_AT_ONCE:
        return None
    smallest = DiversitySettings(**roles._asdict(), task=task, k_max=2)
    found = untouched_model(data.fingerprint, smallest, choice, training.fingerprint if training else None)
    if isinstance(found, AuditInputError):
        if choice.source == "file":
            show_problems(found)
        return None
    return found


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
    mark = data.fingerprint[:8]  # another table, other bounds: its own widgets
    most = max(data.n_records, 2)
    found: dict[str, Any] = {}
    first, second, third, last = st.columns(4)
    with first:
        found["k_min"] = ask_for_number(
            DiversitySettings, "k_min", span=(2, most), key=f"diversity_k_min_{mark}"
        )
    with second:
        found["k_max"] = ask_for_number(
            DiversitySettings,
            "k_max",
            span=(2, most),
            start=min(DiversitySettings.k_max, most),
            key=f"diversity_k_max_{mark}",
            help=say(
                "Up to the records to anonymize; the table has {n}. More pairs take longer.", n=data.n_records
            ),
        )
    with third:
        found["l_min"] = ask_for_number(DiversitySettings, "l_min", span=(1, most), key=f"diversity_l_{mark}")
    with last:
        target = just_below(untouched.accuracy) if untouched else None
        renamed: Any = {} if task == "classification" else {"label": say("Target R²")}
        found["target_accuracy"] = ask_for_number(
            DiversitySettings,
            "target_accuracy",
            slider=target is not None,
            start=target,
            key=f"diversity_target_{target}",  # another model, another target to begin with
            **renamed,
        )
    return found


def _ask_for_rules() -> dict[str, Any]:
    found: dict[str, Any] = {}
    left, right = st.columns(2)
    with left:
        found["cells"] = ask_for_choice(DiversitySettings, "cells", widget="radio", key="diversity_cells")
        bins = ask_for_number(DiversitySettings, "sensitive_bins", span=(0, 100), key="diversity_bins")
    with right:
        rule = ask_for_choice(DiversitySettings, "diversity", widget="radio", key="diversity_rule")
        found["recursive_c"] = ask_for_number(
            DiversitySettings, "recursive_c", span=(0.1, 100), key="diversity_c", disabled=rule != "recursive"
        )
    return {**found, "diversity": rule, "sensitive_bins": bins or None}
