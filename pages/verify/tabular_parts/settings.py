"""The tabular verifier's limits as live sliders; none of them measures anything again."""

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from core.people.patterns import CATALOGUE
from core.settings.form import described
from core.tabular import TabularSettings, TabularThresholds
from core.tabular.log import Mode
from core.tabular.second_opinion import SecondOpinionThresholds
from core.words import own, say
from pages.components.asking import ask_for, ask_for_form

_PATTERNS = described(TabularSettings)["patterns"]


class Limits(NamedTuple):
    """What files are held against."""

    rule: Mapping[Mode, TabularThresholds]
    opinion: SecondOpinionThresholds


def ask_for_patterns() -> tuple[str, ...]:
    """Show which sensitive patterns count in the published rule; changing them scans again."""
    with st.form("tabular_patterns_form", border=False):
        picked: tuple[str, ...] = ask_for("tabular", TabularSettings, "patterns")
        st.form_submit_button(say("Scan again"))
    return tuple(key for key in CATALOGUE if key in picked) or _PATTERNS.default


def show_departures(patterns: tuple[str, ...], limits: Limits) -> None:
    """Say where the rule's verdict is no longer the published one."""
    if patterns != _PATTERNS.default:
        _show_departure(
            "You changed the sensitive patterns that count: the rule's verdict is not the published one any "
            "more. Reports say what was set."
        )
    if any(rule != TabularThresholds.for_mode(mode) for mode, rule in limits.rule.items()):
        _show_departure(
            "You changed the published thresholds: the rule's verdict is not the published one any more. "
            "Reports say what was set."
        )


def _show_departure(message: str) -> None:
    st.warning(say(message), icon=":material/edit:")


def ask_for_limits(*, k: int) -> Limits:
    """Show all limits with their published defaults; return them."""
    st.caption(say("Moving a slider judges the same measurements again; nothing is read a second time."))
    high, low, opinion = st.columns(3)
    with high:
        rule_high = _ask_for_rule("high")
    with low:
        rule_low = _ask_for_rule("low")
    with opinion:
        return Limits(rule={"high": rule_high, "low": rule_low}, opinion=_ask_for_opinion(k))


_OF_MODE: Mapping[Mode, tuple[str, str]] = {
    "high": ("**Published rule, high mode**", "{label} (high mode)"),
    "low": ("**Published rule, low mode**", "{label} (low mode)"),
}


def _ask_for_rule(mode: Mode) -> TabularThresholds:
    title, label = _OF_MODE[mode]
    st.markdown(say(title))
    given = {
        name: {"mark": mode, "label": say(label, label=own(told.label))}
        for name, told in described(TabularThresholds).items()
    }
    published = TabularThresholds.for_mode(mode)
    asked = ask_for_form("tabular", TabularThresholds, per_row=1, used=published, given=given)
    return TabularThresholds(**asked)


def _ask_for_opinion(k: int) -> SecondOpinionThresholds:
    st.markdown(say("**Second opinion**"))
    names = [name for name, told in described(SecondOpinionThresholds).items() if told.percent]
    shares = ask_for_form("tabular", SecondOpinionThresholds, *names, per_row=1)
    shares["relinkage_fail_share"] = max(shares["relinkage_fail_share"], shares["relinkage_warn_share"])
    return SecondOpinionThresholds(**shares, smallest_k=k)
