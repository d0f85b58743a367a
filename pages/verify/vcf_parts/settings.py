"""The VCF verifier's settings: repeats start a new reading, threshold and severities judge at once."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.errors import AuditInputError
from core.vcf import ALL_CHECKS, MAF_LIMIT, MOTIF_LIMIT, REPEAT_LIMITS, VcfSettings
from core.vcf.views import severity_table
from core.verdict import Verdict
from pages.components.editing import edit_table
from pages.components.reading import show_problems

_DEFAULTS = VcfSettings()


def ask_for_repeats(tool: str) -> VcfSettings:
    """Ask what counts as a short tandem repeat; a change needs the files to be read again."""
    expander = st.expander("What counts as a short tandem repeat", icon=":material/repeat:")
    with expander, st.form(f"{tool}_repeats", border=False):
        first, second, third = st.columns(3)
        low = first.number_input(
            "Shortest motif (bases)",
            1,
            MOTIF_LIMIT,
            _DEFAULTS.min_motif,
            key=f"{tool}_min_motif",
            help="The unit that repeats, such as AC in ACACAC.",
            persist_state="session",
        )
        high = second.number_input(
            "Longest motif (bases)",
            1,
            MOTIF_LIMIT,
            _DEFAULTS.max_motif,
            key=f"{tool}_max_motif",
            persist_state="session",
        )
        copies = third.number_input(
            "Copies in a row, at least",
            *REPEAT_LIMITS,
            _DEFAULTS.min_repeat,
            key=f"{tool}_min_repeat",
            persist_state="session",
        )
        st.form_submit_button("Use these", key=f"{tool}_use_repeats")
    try:
        settings = VcfSettings(min_motif=int(low), max_motif=int(high), min_repeat=int(copies))
    except AuditInputError as error:
        show_problems(error)
        settings = _DEFAULTS
    st.caption(
        f"A short tandem repeat is a motif of {settings.min_motif} to {settings.max_motif} bases "
        f"(A, C, G, T), at least {settings.min_repeat} times in a row."
    )
    return settings


def ask_for_threshold(tool: str) -> float:
    """Ask for the MAF threshold; nothing is read again."""
    chosen = st.slider(
        "A variant is rare below this minor allele frequency",
        0.001,
        MAF_LIMIT,
        _DEFAULTS.maf_threshold,
        step=0.001,
        format="%.3f",
        key=f"{tool}_maf",
        help="Sites of the original below the threshold must be masked. Moving it counts again at once, from "
        "what was read.",
        persist_state="session",
    )
    return round(float(chosen), 3)


def ask_for_severities(tool: str) -> Mapping[str, Verdict]:
    """Let the person say how bad each exposure check's findings are; return what differs from ours."""
    with st.expander("How bad is each kind of exposure?", icon=":material/tune:"):
        st.caption(
            "The verdict a check leads to when it finds something. Ours to begin with; PASS lists the "
            "finding without counting it."
        )
        edited = edit_table(
            severity_table({}),
            key=f"{tool}_severities",
            disabled=["Check"],
            alt="Severity of every exposure check",
            column_config={
                "Severity": st.column_config.SelectboxColumn(
                    options=[verdict.value for verdict in Verdict], required=True
                )
            },
        )
    return {
        name: Verdict(severity)
        for name, severity in zip(ALL_CHECKS, edited["Severity"], strict=True)
        if Verdict(severity) is not ALL_CHECKS[name].default
    }
