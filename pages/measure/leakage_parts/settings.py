"""What to ignore when rows are compared, and the thresholds as live sliders."""

from __future__ import annotations

import streamlit as st

from core.leakage import LeakageSettings, LeakageThresholds, with_names_of
from core.tables import Dataset
from core.words import say
from pages.components.asking import ask_for_choice, ask_for_number, ask_for_several

_MISSING = "NaN (missing cells)"


def ask_for_settings(original: Dataset, scrambled: Dataset) -> LeakageSettings:
    """Show how cells and rows are compared; a change measures again."""
    there = set(with_names_of(original, scrambled).columns)
    common = [name for name in original.columns if name in there]
    pair = f"{original.fingerprint}_{scrambled.fingerprint}"
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
            key=f"leakage_ignore_columns_{pair}",
            placeholder=say("None"),
        )
    with pairing:
        by = ask_for_choice(LeakageSettings, "key", options=[None, *common], key=f"leakage_key_{pair}")
    with st.expander(say("More settings"), icon=":material/tune:"):
        both, *others = st.columns(4)
        with both:
            missing = ask_for_choice(
                LeakageSettings, "missing_on_both", widget="segmented_control", key="leakage_missing_on_both"
            )
        numbers = {}
        for place, name in zip(others, ("seed", "n_permutations", "max_comparisons"), strict=True):
            with place:
                numbers[name] = ask_for_number(LeakageSettings, name, key=f"leakage_{name}")
    return LeakageSettings(
        key=by,
        ignore_values=tuple("NaN" if value == _MISSING else value for value in ignored),
        ignore_columns=left_out,
        missing_on_both=missing,
        **numbers,
    )


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
