"""What the columns of a table are, how to count, and what the figures are held against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from core import caching
from core.risk import (
    DISTANCES,
    MISSING,
    MISSING_SENSITIVE,
    PRESETS,
    SEVERAL,
    RiskSettings,
    RiskThresholds,
    views,
)
from core.roles import Role
from core.tables import Dataset
from pages.components.editing import edit_table

PERSON, HOUSEHOLD, WEIGHT, NOT_RELEASED = "person", "household", "sampling weight", "not released"
ROLES = (*(role.value for role in Role), PERSON, HOUSEHOLD, WEIGHT, NOT_RELEASED)
_ROLES_HELP = (
    "quasi-identifier: others may know it about a person · sensitive attribute: must not become known · "
    "direct identifier: names the person · other: harmless, a release keeps it · person: whose record it "
    "is, so "
    "that classes count people · household: which household it is of, found through any member · "
    "sampling weight: people a record stands for · not released: will be removed"
)
_WORDS: Mapping[str, str] = {
    "value": "a value of its own",
    "wildcard": "matches every value",
    "drop": "leaves the record out",
    "unknown": "unknown, not counted",
    "one_by_one": "one by one",
    "others_added": "with the others as quasi-identifiers (stricter)",
    "auto": "ordered for numbers, else equal",
    "equal": "equal",
    "ordered": "ordered",
}


class _Choices(NamedTuple):
    """How to count."""

    missing: str = "value"
    missing_sensitive: str = "unknown"
    several: str = "one_by_one"
    population_size: int | None = None
    distance: str = "auto"
    recursive_c: float = 3.0
    closeness: float = 0.01


def ask_for_settings(dataset: Dataset) -> RiskSettings:
    """Show the roles that names and values suggest, to correct and confirm; return what to measure.

    Until the person confirms them the suggested roles are measured, and a finding says so.
    """
    confirmed: RiskSettings | None = st.session_state.get(_slot(dataset))
    label = "Roles of the columns" if confirmed else "Roles of the columns: suggested, please confirm"
    with st.expander(label, icon=":material/rule:", expanded=confirmed is None):
        st.caption(_ROLES_HELP)
        with st.form("risk_roles_form", border=False):
            roles = _edit_roles(dataset)
            choices = _ask_for_choices()
            if st.form_submit_button("Confirm the roles", type="primary", icon=":material/check:"):
                st.session_state[_slot(dataset)] = _settings(roles, choices, suggested=False)
                st.rerun()
    return confirmed or _settings(_suggested_roles(dataset), _Choices())


def _slot(dataset: Dataset) -> str:
    return f"risk_settings_{dataset.fingerprint}"


def _suggested_roles(dataset: Dataset) -> dict[str, str]:
    suggested = {each.column: each.role.value for each in caching.role_suggestions(dataset.fingerprint)}
    return {column: suggested[column] for column in dataset.columns}


def _edit_roles(dataset: Dataset) -> dict[str, str]:
    """Show the editor; return the role of each column, by name in the table's order."""
    table = views.roles_table(caching.role_suggestions(dataset.fingerprint), dataset.columns)
    edited = edit_table(
        table,
        key=f"risk_roles_{dataset.fingerprint}",
        disabled=[name for name in table.columns if name != "Role"],
        column_config={
            "Role": st.column_config.SelectboxColumn(options=list(ROLES), required=True, width="medium"),
            "Reason": st.column_config.TextColumn(width="large"),
        },
        alt="Columns of the table with the suggested role, its reason, and the role to confirm",
    )
    return dict(zip(dataset.columns, edited["Role"], strict=True))


def _ask_for_choices() -> _Choices:
    first, second, third, fourth = st.columns(4)
    with first:
        missing = _choose(
            "A missing quasi-identifier", MISSING, "missing", "Which records have the same values."
        )
    with second:
        unknown = _choose(
            "A missing sensitive value",
            MISSING_SENSITIVE,
            "missing_sensitive",
            "A blank may be an answer, such as no diagnosis.",
        )
    with third:
        several = _choose(
            "Several sensitive attributes",
            SEVERAL,
            "several",
            "Stricter: an intruder knows the other sensitive attributes.",
        )
    with fourth:
        population = st.number_input(
            "People in the population",
            min_value=1,
            value=None,
            step=1000,
            placeholder="not known",
            key="risk_population_size",
            help="How many people the table is a sample of, for journalist and marketer risk.",
            persist_state="session",
        )
    distance, recursive_c, closeness = _ask_for_models()
    size = None if population is None else int(population)
    return _Choices(missing, unknown, several, size, distance, recursive_c, closeness)


def _ask_for_models() -> tuple[str, float, float]:
    """Show how sensitive values are told apart and how far they are, and c of recursive diversity."""
    first, second, third, _ = st.columns(4)
    with first:
        distance = _choose(
            "Distance between sensitive values",
            DISTANCES,
            "distance",
            "For t-closeness: ordered counts how far apart numbers rank, equal only whether values differ. A "
            "file of groups, added above, takes precedence.",
        )
    with second:
        recursive_c = st.number_input(
            "c of recursive diversity",
            min_value=0.01,
            value=3.0,
            step=0.5,
            key="risk_recursive_c",
            help="The largest l is reported at which the most frequent value occurs in fewer records than "
            "c times those with the l-th most frequent and all rarer values.",
            persist_state="session",
        )
    with third:
        closeness = st.number_input(
            "Numbers taken as one, % of their spread",
            min_value=0.0,
            max_value=50.0,
            value=1.0,
            step=0.5,
            key="risk_closeness",
            help="Where sensitive values are judged by what they mean, numbers that differ by at most this "
            "part "
            "of the range between their 5 % and 95 % quantiles are one, such as salaries of 50,000 and "
            "50,010.",
            persist_state="session",
        )
    return distance, float(recursive_c), float(closeness) / 100


def _choose(label: str, options: tuple[str, ...], key: str, help_text: str) -> str:
    return str(
        st.selectbox(
            label,
            options,
            format_func=lambda option: _WORDS[option],
            key=f"risk_{key}",
            help=help_text,
            persist_state="session",
        )
    )


def _settings(roles: Mapping[str, str], choices: _Choices, *, suggested: bool = True) -> RiskSettings:
    """Return the settings for roles by column; a confirmed role overrides what the column looks like."""

    def of(role: str) -> tuple[str, ...]:
        return tuple(column for column, chosen in roles.items() if chosen == role)

    return RiskSettings(
        quasi_identifiers=of(Role.QUASI_IDENTIFIER),
        sensitive=of(Role.SENSITIVE_ATTRIBUTE),
        direct_identifiers=of(Role.DIRECT_IDENTIFIER),
        other=() if suggested else of(Role.OTHER),
        person=next(iter(of(PERSON)), None),
        household=next(iter(of(HOUSEHOLD)), None),
        weight=next(iter(of(WEIGHT)), None),
        leave_out=of(NOT_RELEASED),
        missing=choices.missing,  # type: ignore[arg-type]  # one of MISSING; core checks again
        missing_sensitive=choices.missing_sensitive,  # type: ignore[arg-type]
        several_sensitive=choices.several,  # type: ignore[arg-type]
        population_size=choices.population_size,
        distance=choices.distance,  # type: ignore[arg-type]
        recursive_c=choices.recursive_c,
        closeness=choices.closeness,
        roles_suggested=suggested,
    )


def ask_for_limits(
    *, with_sensitive: bool, with_household: bool = False, with_person: bool = False
) -> RiskThresholds:
    """Show the presets and sliders; moving one judges the same measurement again."""
    with st.container(border=True):
        st.pills(
            "Smallest class size asked for by",
            list(PRESETS),
            format_func=lambda k: f"{k} · {PRESETS[k]}",
            key="risk_preset",
            on_change=_take_preset,
            help="Presets that recipients and authorities use; they move the slider.",
            persist_state="session",
        )
        k_place, l_place, entropy_place, t_place, average_place = st.columns(5)
        with k_place:
            k = st.slider(
                "Smallest class size k",
                1,
                50,
                5,
                key="risk_k",
                help="Every combination of quasi-identifiers should be shared by at least k; 1 asks for no "
                "size, "
                "for a policy of average risk alone.",
                persist_state="session",
            )
        with l_place:
            least = _ask_for_distinct_l(disabled=not with_sensitive)
        with entropy_place:
            entropy_l = _ask_for_entropy_l(disabled=not with_sensitive)
        with t_place:
            t = _optional_limit(
                "Largest distance t",
                "t",
                "Largest distance of a class's values from the whole table's; 1 is always met.",
                disabled=not with_sensitive,
            )
        with average_place:
            average = _optional_limit(
                "Largest average risk", "average", "Mean over records of 1 / class size."
            )
        with st.expander("Limits of α, β, δ, households and visits", icon=":material/tune:"):
            alpha, beta, delta = _ask_for_further_limits(disabled=not with_sensitive)
            household_risk, person_k = _ask_for_limits_of_people(
                with_household=with_household, with_person=with_person
            )
    return RiskThresholds(
        k=int(k),
        l=least if with_sensitive else None,
        entropy_l=entropy_l if with_sensitive and entropy_l > 1 else None,
        t=t,
        average_risk=average,
        alpha=alpha,
        beta=beta,
        delta=delta,
        household_risk=household_risk,
        person_k=person_k,
    )


def _ask_for_further_limits(*, disabled: bool) -> tuple[float | None, float | None, float | None]:
    """Show limits of α, β and δ; none of them is judged unless set."""
    first, second, third = st.columns(3)
    with first:
        alpha = _optional_limit(
            "Largest share α",
            "alpha",
            "Share of the most frequent sensitive value in a class; 1 is always met.",
            disabled=disabled,
        )
    with second:
        beta = _optional_number(
            "Largest β", "beta", "Relative gain of a sensitive value in a class.", disabled=disabled
        )
    with third:
        delta = _optional_number(
            "Largest δ",
            "delta",
            "|ln| of a value's share in a class to its share of the table, values absent from a class passed "
            "over.",
            disabled=disabled,
        )
    return alpha, beta, delta


def _ask_for_limits_of_people(*, with_household: bool, with_person: bool) -> tuple[float | None, int | None]:
    """Show limits of households and of persons by all their records; a warning below k unless set."""
    first, second, _ = st.columns(3)
    with first:
        household_risk = _optional_limit(
            "Largest risk of a household",
            "household_limit",
            "Chance to find a household through any of its members; needs a household column. At 1, more "
            "than 1 / k is a warning.",
            disabled=not with_household,
        )
    with second:
        person_k = _optional_number(
            "Persons alike in all records",
            "person_limit",
            "Persons, at least, that share the classes of all their records; needs a person column. Left "
            "open, fewer than k is a warning.",
            disabled=not with_person,
            least=1.0,
            step=1.0,
        )
    return household_risk, None if person_k is None else int(person_k)


def _optional_number(
    label: str, key: str, help_text: str, *, disabled: bool, least: float = 0.0, step: float = 0.5
) -> float | None:
    value = st.number_input(
        label,
        min_value=least,
        value=None,
        step=step,
        placeholder="not judged",
        key=f"risk_{key}",
        help=help_text,
        disabled=disabled,
        persist_state="session",
    )
    return None if value is None or disabled else float(value)


def _ask_for_distinct_l(*, disabled: bool) -> int:
    chosen = st.slider(
        "Different sensitive values l",
        1,
        10,
        2,
        key="risk_l",
        help="Every class should have at least l different values; 1 is always met.",
        disabled=disabled,
        persist_state="session",
    )
    return int(chosen)


def _ask_for_entropy_l(*, disabled: bool) -> float:
    chosen = st.slider(
        "Entropy l",
        1.0,
        10.0,
        1.0,
        0.1,
        key="risk_entropy_l",
        help="Every class should be as diverse as one of l equally frequent values (exp of its entropy); "
        "1 is always met.",
        disabled=disabled,
        persist_state="session",
    )
    return float(chosen)


def _take_preset() -> None:
    if (chosen := st.session_state.get("risk_preset")) is not None:
        st.session_state["risk_k"] = chosen


def _optional_limit(label: str, key: str, help_text: str, *, disabled: bool = False) -> float | None:
    """Show a slider from 0 to 1 whose end, 1, is met by every table and so not judged."""
    value = st.slider(
        label,
        0.0,
        1.0,
        1.0,
        0.05,
        key=f"risk_{key}",
        help=help_text,
        disabled=disabled,
        persist_state="session",
    )
    return None if value >= 1 or disabled else float(value)
