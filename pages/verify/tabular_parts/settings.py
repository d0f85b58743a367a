"""The tabular verifier's limits as live sliders; none of them measures anything again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from core.patterns import CATALOGUE, RULE_PATTERNS
from core.tabular import TabularThresholds
from core.tabular.log import Mode
from core.tabular.second_opinion import SecondOpinionThresholds

_RULE_HELP: Mapping[str, tuple[str, str]] = {
    "policy_consistency_share": (
        "Policy consistency at least",
        "Share of logged columns that are gone where the log says they should be.",
    ),
    "pattern_residual_share": (
        "Pattern residual at most",
        "Share of non-blank anonymized cells that hold a sensitive pattern.",
    ),
    "high_risk_handling_share": (
        "High-risk handling at least",
        "Share of high-risk columns in the log that have a protecting action.",
    ),
    "warn_share": (
        "Review recommended from a WARN share of",
        "Share of column checks that end in WARN.",
    ),
}
_OPINION_HELP: Mapping[str, tuple[str, str]] = {
    "left_unchanged_share": (
        "A column is left unchanged from",
        "Share of its cells that equal the original's, as text, number or date.",
    ),
    "highly_distinct_share": (
        "A column is highly distinct from",
        "Distinct values divided by non-blank cells of the original.",
    ),
    "partly_unchanged_share": (
        "A highly distinct column is worth a warning from",
        "Share of its cells that equal the original's.",
    ),
    "relinkage_warn_share": (
        "Re-linked records are worth a warning above",
        "Share of anonymized records that match exactly one original record.",
    ),
    "relinkage_fail_share": (
        "Re-linked records are FAIL above",
        "Share of anonymized records that match exactly one original record.",
    ),
    "pseudonym_unchanged_share": (
        "Pseudonyms that equal the original are FAIL above",
        "Share of a pseudonymized column; any at all is worth a warning.",
    ),
}


PUBLISHED_PATTERNS = tuple(pattern.key for pattern in RULE_PATTERNS)


class Limits(NamedTuple):
    """What files are held against."""

    rule: Mapping[Mode, TabularThresholds]
    opinion: SecondOpinionThresholds


def ask_for_patterns() -> tuple[str, ...]:
    """Show which sensitive patterns count in the published rule; changing them scans again."""
    chosen: tuple[str, ...] = st.session_state.setdefault("tabular_patterns", PUBLISHED_PATTERNS)
    with (
        st.expander("Sensitive patterns that count in the rule", icon=":material/password:"),
        st.form("tabular_patterns_form", border=False),
    ):
        picked = st.multiselect(
            "Patterns",
            list(CATALOGUE),
            default=list(chosen),
            format_func=lambda key: CATALOGUE[key].label,
            key="tabular_patterns_choice",
            help="The five chosen to begin with are the published rule's. The second opinion always looks "
            "for all of them.",
            persist_state="session",
        )
        if st.form_submit_button("Scan again") and picked:
            st.session_state["tabular_patterns"] = tuple(key for key in CATALOGUE if key in picked)
            st.rerun()
    if chosen != PUBLISHED_PATTERNS:
        _show_departure("the sensitive patterns that count")
    return chosen


def _show_departure(what: str) -> None:
    """Say that the rule's verdict is no longer the published one."""
    st.warning(
        f"You changed {what}: the rule's verdict is not the published one any more. "
        "Reports say what was set.",
        icon=":material/edit:",
    )


def ask_for_limits(*, k: int) -> Limits:
    """Show all limits with their published defaults; return them."""
    with st.expander("Thresholds", icon=":material/tune:"):
        st.caption("Moving a slider judges the same measurements again; nothing is read a second time.")
        high, low, opinion = st.columns(3)
        with high:
            rule_high = _ask_for_rule("high")
        with low:
            rule_low = _ask_for_rule("low")
        with opinion:
            ours = _ask_for_opinion(k)
    rule: dict[Mode, TabularThresholds] = {"high": rule_high, "low": rule_low}
    if any(limits != TabularThresholds.for_mode(mode) for mode, limits in rule.items()):
        _show_departure("the published thresholds")
    return Limits(rule=rule, opinion=ours)


def _ask_for_rule(mode: Mode) -> TabularThresholds:
    st.markdown(f"**Published rule, {mode} mode**")
    published = TabularThresholds.for_mode(mode)
    return TabularThresholds(
        **{
            name: _share_slider(
                f"{label} ({mode} mode)", getattr(published, name), f"{mode}_{name}", help_text
            )
            for name, (label, help_text) in _RULE_HELP.items()
        }
    )


def _ask_for_opinion(k: int) -> SecondOpinionThresholds:
    st.markdown("**Second opinion**")
    ours = SecondOpinionThresholds()
    shares = {
        name: _share_slider(
            label,
            getattr(ours, name),
            name,
            help_text,
            lowest=50 if name == "left_unchanged_share" else 0,
        )
        for name, (label, help_text) in _OPINION_HELP.items()
    }
    shares["relinkage_fail_share"] = max(shares["relinkage_fail_share"], shares["relinkage_warn_share"])
    return SecondOpinionThresholds(**shares, smallest_k=k, no_quasi_identifiers=False)


def _share_slider(label: str, default: float, key: str, help_text: str, *, lowest: int = 0) -> float:
    percent = st.slider(
        label,
        lowest,
        100,
        round(100 * default),
        format="%d %%",
        key=f"tabular_limit_{key}",
        help=help_text,
        persist_state="session",
    )
    return float(percent) / 100
