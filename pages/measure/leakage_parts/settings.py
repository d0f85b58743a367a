"""What to ignore when rows are compared, and the thresholds as live sliders."""

from __future__ import annotations

import streamlit as st

from core.leakage import MISSING_ON_BOTH, LeakageSettings, LeakageThresholds, with_names_of
from core.tables import Dataset

_BY_POSITION = "Position in the table"
_MISSING = "NaN (missing cells)"
_BOTH_MISSING_WORDS = dict(zip(MISSING_ON_BOTH, ("Leave out", "Match", "Difference"), strict=True))


def ask_for_settings(original: Dataset, scrambled: Dataset) -> LeakageSettings:
    """Show how cells and rows are compared; a change measures again."""
    there = set(with_names_of(original, scrambled).columns)
    common = [name for name in original.columns if name in there]
    pair = f"{original.fingerprint}_{scrambled.fingerprint}"
    values, columns, pairing = st.columns(3)
    with values:
        ignored = st.multiselect(
            "Values to ignore",
            [_MISSING, "-999", "0"],
            key="leakage_ignore_values",
            accept_new_options=True,
            placeholder="None; type a value to add it",
            help="Cells equal to one of these, in either table, are not compared. Numbers count as numbers: "
            "-999 is also -999.0.",
            persist_state="session",
        )
    with columns:
        left_out = st.multiselect(
            "Columns to ignore",
            common,
            key=f"leakage_ignore_columns_{pair}",
            placeholder="None",
            help="Left out of every comparison. A column of row numbers, for instance, says nothing.",
            persist_state="session",
        )
    with pairing:
        by = st.selectbox(
            "Compare rows by",
            [_BY_POSITION, *common],
            key=f"leakage_key_{pair}",
            help="By position, or by a column that names each person once in both tables.",
            persist_state="session",
        )
    with st.expander("More settings", icon=":material/tune:"):
        both, seed = st.columns(2)
        with both:
            missing = st.segmented_control(
                "A cell missing in both tables is",
                MISSING_ON_BOTH,
                default=MISSING_ON_BOTH[0],
                format_func=_BOTH_MISSING_WORDS.__getitem__,
                key="leakage_missing_on_both",
                required=True,
                help="Missing in one table only is always a difference.",
                persist_state="session",
            )
        with seed:
            start = st.number_input(
                "Seed",
                min_value=0,
                value=0,
                key="leakage_seed",
                help="Where random orders and samples start; the same seed gives the same figures.",
                persist_state="session",
            )
    return LeakageSettings(
        key=None if by == _BY_POSITION else by,
        ignore_values=tuple("NaN" if value == _MISSING else value for value in ignored),
        ignore_columns=tuple(left_out),
        missing_on_both=missing or MISSING_ON_BOTH[0],
        seed=int(start),
    )


def ask_for_thresholds() -> LeakageThresholds:
    """Show from where figures are a concern; a change only judges again."""
    full, level, z = st.columns(3)
    usual = LeakageThresholds()
    with full:
        percent = st.slider(
            "Full leakage tolerated",
            0.0,
            5.0,
            100 * usual.max_full_leakage_share,
            0.1,
            format="%.1f %%",
            key="leakage_max_full",
            help="More fully matching rows than this share of all rows is FAIL.",
            persist_state="session",
        )
    with level:
        chance_level = st.select_slider(
            "Whole rows: probability by chance at most",
            [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1],
            usual.chance_level,
            key="leakage_chance_level",
            help="Unique whole rows that reappear are FAIL when shuffled columns would give as many with no "
            "more than this probability. Larger is stricter.",
            persist_state="session",
        )
    with z:
        deviations = st.slider(
            "Excess worth a warning",
            1.0,
            10.0,
            usual.z,
            0.5,
            format="%.1f standard deviations",
            key="leakage_z",
            help="Figures this many standard deviations above chance are WARN. Smaller is stricter.",
            persist_state="session",
        )
    return LeakageThresholds(
        max_full_leakage_share=percent / 100, chance_level=float(chance_level), z=deviations
    )
