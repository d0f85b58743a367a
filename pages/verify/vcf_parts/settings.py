"""The VCF verifier's settings: repeats start a new reading, threshold and severities judge at once."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.errors import AuditInputError
from core.settings.form import described
from core.vcf import ALL_CHECKS, MAF_LIMIT, VcfSettings
from core.verdict import Verdict
from core.words import say
from pages.components.asking import ask_for_form, ask_on_log_scale, edit_table
from pages.components.policy import opened_form
from pages.components.reading import show_problems

_REPEATS = ("min_motif", "max_motif", "min_repeat")


def ask_for_repeats(tool: str) -> VcfSettings:
    """Ask what counts as a short tandem repeat; a change needs the files to be read again."""
    with st.form(f"{tool}_repeats", border=False):
        asked = ask_for_form(tool, VcfSettings, *_REPEATS)
        st.form_submit_button(say("Use these"), key=f"{tool}_use_repeats")
    try:
        settings = VcfSettings(**asked)
    except AuditInputError as error:
        show_problems(error)
        settings = VcfSettings()
    st.caption(
        say(
            "A short tandem repeat is a motif of {shortest} to {longest} bases (A, C, G, T), at least "
            "{copies} times in a row.",
            shortest=settings.min_motif,
            longest=settings.max_motif,
            copies=settings.min_repeat,
        )
    )
    return settings


def threshold_asked(tool: str) -> float:
    """Return the MAF threshold that the slider says, which stands beside the charts that it moves."""
    return float(st.session_state.get(f"{tool}_maf", described(VcfSettings)["maf_threshold"].default))


def ask_for_threshold(tool: str) -> None:
    """Ask for the MAF threshold; nothing is read again."""
    ask_on_log_scale(VcfSettings, "maf_threshold", span=(0.0001, MAF_LIMIT), key=f"{tool}_maf")


def ask_for_severities(tool: str) -> Mapping[str, Verdict]:
    """Let the person say how bad each exposure check's findings are; return what differs from ours."""
    told = described(VcfSettings)["severities"]
    st.markdown(f"**{say(told.label)}**")
    st.caption(say(told.about))
    pairs = (pair.split("=", 1) for pair in opened_form(tool, VcfSettings).get("severities", ()))
    opened = {check: Verdict(verdict) for check, verdict in pairs if check in ALL_CHECKS}
    if opened:
        for slot in ("", "_kept", "_base"):
            st.session_state.pop(f"{tool}_severities{slot}", None)
        st.session_state[f"{tool}_severities_kept"] = severity_table(opened)
    edited = edit_table(
        severity_table({}),
        key=f"{tool}_severities",
        disabled=["check"],
        alt=say("Severity of every exposure check"),
        column_config={
            "check": st.column_config.SelectboxColumn(
                say("Check"), options=ALL_CHECKS, format_func=lambda name: say(ALL_CHECKS[str(name)].label)
            ),
            "severity": st.column_config.SelectboxColumn(
                say("Severity"),
                options=[verdict.value for verdict in Verdict],
                format_func=lambda verdict: say(Verdict(str(verdict)).word),
                required=True,
            ),
        },
    )
    return {
        name: Verdict(severity)
        for name, severity in zip(edited["check"], edited["severity"], strict=True)
        if Verdict(severity) is not ALL_CHECKS[name].default
    }


def severity_table(severities: Mapping[str, Verdict]) -> pd.DataFrame:
    """Return a row per exposure check with the verdict it leads to when it finds something."""
    found = {name: severities.get(name, check.default).value for name, check in ALL_CHECKS.items()}
    return pd.DataFrame({"check": list(found), "severity": list(found.values())})
