"""A setting's widget, made from its description; the range shown may end where the allowed one does not.

Tables that the person edits are here too: what was edited is kept over a visit to another page.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import pandas as pd
import streamlit as st

from core.settings_form import Setting, described
from core.words import Written, own, say, text
from pages.components.policy import opened_value, say_absent

_DEFAULT: Any = object()  # None is a value
_PER_ROW = 4


def ask_for_form(
    tool: str,
    form: type,
    *names: str,
    per_row: int = _PER_ROW,
    given: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Show the settings of a form, or those named, beside each other; return their values by name.

    `given` says what a setting's widget takes of the files at hand, such as the columns to choose from.
    """
    asked = names or tuple(described(form))
    found: dict[str, Any] = {}
    for first in range(0, len(asked), per_row):
        row = asked[first : first + per_row]
        for place, name in zip(st.columns(min(per_row, len(asked))), row, strict=False):
            with place:
                found[name] = ask_for(tool, form, name, **given.get(name, {}))
    return found


def ask_for(tool: str, form: type, name: str, *, mark: str = "", **given: Any) -> Any:
    """Show the widget that a setting describes; return its value.

    `mark` belongs to the files at hand: others have a widget of their own.
    """
    told = described(form)[name]
    look = told.widget
    ends = (look.key or name, mark) if mark else (look.key or name,)
    given = {**look.further, "key": "_".join((tool, *ends)), **given}
    shown: Any = {"widget": look.kind} if look.kind else {}
    if told.kind is bool:
        return ask_whether(form, name, **shown, **given)
    options = given.pop("options", [*look.options] or None)
    if told.is_several:
        words = {**told.choices, **look.options}
        given = {"format_func": lambda value: say(words[value]) if words.get(value) else str(value), **given}
        return ask_for_several(form, name, options or tuple(told.choices), **given)
    if told.choices or options is not None:
        return ask_for_choice(form, name, options=options, **shown, **given)
    of_numbers = {"span": look.span, "step": look.step, "none_at": look.none_at, **given}
    return ask_for_number(form, name, slider=look.kind == "slider", **of_numbers)


def ask_for_number(
    form: type,
    name: str,
    *,
    key: str,
    slider: bool = False,
    span: tuple[float, float] | None = None,
    step: float | None = None,
    start: float | None = _DEFAULT,
    none_at: float | None = None,
    disabled: bool = False,
    **further: Any,
) -> Any:
    """Show a slider or a number to type; return the value, a share in [0, 1] where percent are shown.

    Parameters
    ----------
    form, name
        The dataclass and its field.
    span
        The range shown, in the setting's unit; all that is allowed by default.
    start
        The value to begin with; the default one by default.
    none_at
        The value shown that means none: one that every table meets.
    """
    told = described(form)[name]
    low, high = span or (told.least, told.most)
    start = told.default if start is _DEFAULT else start
    start = none_at if start is None else start
    factor = 100 if told.percent else 1
    whole = told.kind is int or (told.percent and step is None)

    def shown(value: float | None) -> float | None:
        if value is None or math.isinf(value):
            return None
        return round(factor * value) if whole else float(factor * value)

    is_opened, value = opened_value(told, key)
    if is_opened:
        st.session_state[key] = shown(none_at if value is None else value)
    low, high = _span_of_opened(st.session_state.get(key), told, (low, high), factor)
    bounds = {"min_value": shown(low), "max_value": shown(high), "value": shown(start)}
    if step is not None:
        bounds["step"] = shown(step)
    if slider and told.percent:
        further["format"] = "%d %%" if whole else "%.1f %%"
    if not slider and told.percent:
        further["label"] = say("{label} (%)", label=own(told.label))
    if not slider and told.is_optional:
        further["placeholder"] = say(told.none)
    widget: Any = st.slider if slider else st.number_input
    value = widget(**_common(told, key, **further), **bounds, disabled=disabled)
    if value is None or disabled or value == shown(none_at):
        return None if told.is_optional else told.default
    return told.kind(value) if factor == 1 else float(value) / factor


CHOOSE = "Choose an option"


def _span_of_opened(
    value: float | None, told: Setting, span: tuple[float, float], factor: int
) -> tuple[float, float]:
    """Return the range shown, wide enough for a value that a file or a policy set beyond it."""
    if value is None:
        return span
    own_value = min(max(value / factor, told.least), told.most)
    return min(span[0], own_value), max(span[1], own_value)


_MANTISSAS = (1, 1.5, 2, 3, 5, 7)


def ask_on_log_scale(form: type, name: str, *, key: str, span: tuple[float, float]) -> float:
    """Show a slider whose steps grow with the value, and the value to type beside it; return the value.

    Parameters
    ----------
    key
        Of the typed value; the slider's ends in ``_slider``, and either follows the other.
    span
        The range shown; both ends are above 0.
    """
    told = described(form)[name]
    is_opened, given = opened_value(told, key)
    if is_opened:
        st.session_state[key] = given
    value = float(st.session_state.setdefault(key, told.default))
    steps = {min(max(step, span[0]), span[1]) for step in _steps(*span)}
    slider = f"{key}_slider"
    if (
        st.session_state.get(slider) != value
    ):  # setting what it shows would make a slider moved fast jump back
        st.session_state[slider] = value
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider(
            options=sorted(steps | {value}),
            format_func=lambda step: say(Written(str(step))),
            on_change=_follow,
            args=(key, slider),
            **_common(told, slider),
        )
        st.number_input(
            min_value=span[0],
            max_value=span[1],
            step=span[0],
            format="%g",
            width=140,
            **_common(told, key, label_visibility="collapsed", help=None),
        )
    return value


def _steps(least: float, most: float) -> Iterator[float]:
    decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    return (float(f"{mantissa}e{decade}") for decade in decades for mantissa in _MANTISSAS)


def _follow(key: str, slider: str) -> None:
    st.session_state[key] = st.session_state[slider]


def ask_for_choice(
    form: type,
    name: str,
    *,
    key: str,
    widget: Literal["selectbox", "segmented_control", "select_slider", "radio"] = "selectbox",
    options: Sequence[Any] | None = None,
    start: Any = _DEFAULT,
    words: Callable[[Any], str] | None = None,
    **further: Any,
) -> Any:
    """Show the values to choose one from, in words; return the chosen one."""
    told = described(form)[name]
    listed = list(told.choices) if options is None else list(options)
    start = told.default if start is _DEFAULT else start
    is_opened, given = opened_value(told, key)
    if is_opened and given in listed:
        st.session_state[key] = given
    elif is_opened and widget != "select_slider":
        say_absent(key, [given])
    elif is_opened:
        listed = sorted([*listed, given])
        st.session_state[key] = given
    if widget == "segmented_control":
        further |= {"default": start, "required": True}
    elif widget == "select_slider":
        further["value"] = start
    else:
        further["index"] = listed.index(start) if start in listed else None
        if widget == "selectbox":
            further["placeholder"] = say(CHOOSE)
    written = words or (lambda value: _in_words(told, value))
    return getattr(st, widget)(
        options=listed, format_func=lambda value: say(written(value)), **_common(told, key, **further)
    )


def _in_words(told: Setting, value: Any) -> str:
    """Return a value in words of ours, or as it stands where it is the person's, such as a column."""
    if value is None:
        return told.none
    shown = str(value)
    return told.choices.get(value) or shown if value in told.choices else text("{value}", value=shown)


def ask_for_several(
    form: type, name: str, options: Sequence[Any], *, key: str, start: Any = _DEFAULT, **further: Any
) -> tuple[Any, ...]:
    """Show the values to choose any from; return the chosen ones."""
    told = described(form)[name]
    start = told.default if start is _DEFAULT else start
    further.setdefault("placeholder", "Choose options")
    is_opened, given = opened_value(told, key)
    if is_opened:
        there = given if further.get("accept_new_options") else [one for one in given if one in options]
        say_absent(key, [one for one in given if one not in there])
        st.session_state[key] = list(there)
    return tuple(st.multiselect(options=options, default=start, **_common(told, key, **further)))


def ask_whether(
    form: type, name: str, *, key: str, widget: Literal["checkbox", "toggle"] = "checkbox", **further: Any
) -> bool:
    """Show what can be switched on; return whether it is."""
    told = described(form)[name]
    is_opened, given = opened_value(told, key)
    if is_opened:
        st.session_state[key] = given
        further.pop("value", None)
    return bool(getattr(st, widget)(**_common(told, key, **further)))


def _common(told: Setting, key: str, **further: Any) -> dict[str, Any]:
    further |= {name: say(further[name]) for name in ("placeholder", "format") if name in further}
    return {
        "label": say(told.label),
        "help": say(told.about) or None,
        "key": key,
        "persist_state": "session",
    } | further


def edit_table(
    table: pd.DataFrame, *, key: str, alt: str, kept_columns: Sequence[str] = (), **options: Any
) -> pd.DataFrame:
    """Show a table to edit, as it was left on a former visit of the page; return it as it is now.

    `kept_columns` are those that can be edited where the others are said in the language of the visit.
    """
    base, kept = f"{key}_base", f"{key}_kept"
    if key not in st.session_state:  # Streamlit 1.67 forgets an editor's edits on a page switch
        former = st.session_state.get(kept, table)
        st.session_state[base] = table.assign(**former[list(kept_columns)]) if kept_columns else former
    edited: pd.DataFrame = st.data_editor(
        st.session_state[base], key=key, hide_index=True, alt=alt, **options
    )
    st.session_state[kept] = edited
    return edited
