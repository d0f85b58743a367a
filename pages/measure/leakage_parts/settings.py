"""What to ignore when rows are compared, and the thresholds as live sliders."""

from typing import Any

import streamlit as st

from core import caching
from core.leakage import LeakageSettings, LeakageThresholds, with_names_of
from core.tables import Dataset
from core.words import listed, say
from pages.components.asking import ask_for_choice, ask_for_number, ask_for_several
from pages.components.text import sentence

_MISSING = "NaN (missing cells)"


def ask_for_settings(original: Dataset, scrambled: Dataset) -> LeakageSettings:
    """Show how cells and rows are compared; a change measures again."""
    pair = f"{original.fingerprint}_{scrambled.fingerprint}"
    there = set(with_names_of(original, scrambled).columns)
    common = [name for name in original.columns if name in there]
    values, columns, pairing = st.columns(3)
    with values:
        ignored = ask_for_several(
            LeakageSettings,
            "ignore_values",
            [_MISSING, "-999", "0"],
            key="leakage_ignore_values",
            accept_new_options=True,
            placeholder=say("None; type a value to add it"),
            format_func=lambda value: say(value) if value == _MISSING else value,
        )
    with columns:
        left_out = ask_for_several(
            LeakageSettings,
            "ignore_columns",
            common,
            key=_ignored_key(original, scrambled),
            placeholder=say("None"),
        )
    with pairing:
        by = ask_for_choice(LeakageSettings, "key", options=[None, *common], key=f"leakage_key_{pair}")
    return LeakageSettings(
        key=by,
        ignore_values=tuple("NaN" if value == _MISSING else value for value in ignored),
        ignore_columns=left_out,
        **_ask_for_further_settings(),
    )


def _ask_for_further_settings() -> dict[str, Any]:
    found: dict[str, Any] = {}
    both, *others = st.columns(4)
    with both:
        found["missing_on_both"] = ask_for_choice(
            LeakageSettings, "missing_on_both", widget="segmented_control", key="leakage_missing_on_both"
        )
    for place, name in zip(others, ("seed", "n_permutations", "max_comparisons"), strict=True):
        with place:
            found[name] = ask_for_number(LeakageSettings, name, key=f"leakage_{name}")
    return found


def _ignored_key(original: Dataset, scrambled: Dataset) -> str:
    return f"leakage_ignore_columns_{original.fingerprint}_{scrambled.fingerprint}"


def propose_to_ignore(original: Dataset, scrambled: Dataset, settings: LeakageSettings) -> None:
    """Propose to leave out columns that hold new pseudonyms: they match nowhere and hide rows that do."""
    found = caching.leakage_pseudonyms(original.fingerprint, scrambled.fingerprint, settings.key)
    if not (names := [name for name in found if name not in settings.ignore_columns]):
        return
    proposal = say(
        "{columns} never repeats and matches nowhere, as new pseudonyms do: no row can be the same with it.",
        "{columns} never repeat and match nowhere, as new pseudonyms do: no row can be the same with them.",
        n=len(names),
        columns=listed(names),
    )
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(sentence(proposal), width="stretch")
        st.button(
            say("Leave it out", "Leave them out", n=len(names)),
            key="leakage_leave_out",
            icon=":material/visibility_off:",
            on_click=_ignore,
            args=(_ignored_key(original, scrambled), names),
        )


def _ignore(key: str, names: list[str]) -> None:
    st.session_state[key] = [*st.session_state.get(key, ()), *names]


def ask_for_thresholds() -> LeakageThresholds:
    """Show from where figures are a concern; a change only judges again."""
    full, level, z = st.columns(3)
    with full:
        share = ask_for_number(
            LeakageThresholds,
            "max_full_leakage_share",
            slider=True,
            span=(0, 0.05),
            step=0.001,
            key="leakage_max_full",
        )
    with level:
        chance_level = ask_for_choice(
            LeakageThresholds,
            "chance_level",
            widget="select_slider",
            options=[0.0001, 0.001, 0.005, 0.01, 0.05, 0.1],
            key="leakage_chance_level",
        )
    with z:
        deviations = ask_for_number(
            LeakageThresholds,
            "z",
            slider=True,
            step=0.5,
            format=say("%.1f standard deviations"),
            key="leakage_z",
        )
    return LeakageThresholds(max_full_leakage_share=share, chance_level=chance_level, z=deviations)
