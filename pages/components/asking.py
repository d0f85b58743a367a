"""A setting's widget, made from its description; the range shown may end where the allowed one does not.

Tables that the person edits are here too: what was edited is kept over a visit to another page.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from core.settings.form import Setting, described
from core.words import Written, own, say, text
from pages.components.policy import opened_value, say_absent
from pages.components.text import sentence

CHOOSE = "Choose an option"
_PER_ROW = 4


def ask_for_form(
    tool: str,
    form: type,
    *names: str,
    per_row: int = _PER_ROW,
    used: Any = None,
    given: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Show the settings of a form, or those named, beside each other; return their values by name.

    `used` are settings whose values the widgets begin with, by default the usual ones. `given` says what a
    setting's widget takes of the files at hand, such as the columns to choose from.
    """
    asked = names or tuple(described(form))
    found: dict[str, Any] = {}
    for first in range(0, len(asked), per_row):
        row = asked[first : first + per_row]
        for place, name in zip(st.columns(min(per_row, len(asked))), row, strict=False):
            start = {} if used is None else {"start": getattr(used, name)}
            with place:
                found[name] = ask_for(tool, form, name, **{**start, **given.get(name, {})})
    return found


def ask_for(tool: str, form: type, name: str, *, mark: str = "", **given: Any) -> Any:
    """Show the widget that a setting describes; return its value.

    `mark` belongs to the files at hand: others have a widget of their own. `given` is what the widget takes
    beside what the setting says: its options, the value that it starts with, and what Streamlit is told.
    """
    told = described(form)[name]
    look = told.widget
    ends = (look.key or name, mark) if mark else (look.key or name,)
    given = {"start": told.default, **look.further, "key": "_".join((tool, *ends)), **given}
    options = given.pop("options", [*look.options] or None)
    if told.kind is bool:
        return _ask_whether(told, **given)
    if told.is_several:
        return _ask_for_several(told, options or tuple(told.choices), **given)
    if told.choices or options is not None:
        return _ask_for_choice(told, list(options or told.choices), **given)
    return _ask_for_number(told, **given)


def _ask_for_number(
    told: Setting,
    *,
    key: str,
    start: float | None,
    span: tuple[float, float] | None = None,
    none_at: float | None = None,
    disabled: bool = False,
    **further: Any,
) -> Any:
    """Show a slider or a number to type; return the value, a share in [0, 1] where percent are shown.

    A slider begins somewhere: without a start the number is typed. `span` is the range shown, `none_at` the
    value shown that means none, both in the setting's unit.
    """
    look = told.widget
    none_at = look.none_at if none_at is None else none_at
    low, high = span or look.span or (told.least, told.most)
    start = none_at if start is None else start
    factor = 100 if told.percent else 1
    whole = told.kind is int or (told.percent and look.step is None)

    def shown(value: float | None) -> float | None:
        if value is None or math.isinf(value):
            return None
        return round(factor * value) if whole else float(factor * value)

    is_opened, value = opened_value(told, key)
    if is_opened:
        st.session_state[key] = shown(none_at if value is None else value)
    low, high = _span_of_opened(st.session_state.get(key), told, (low, high), factor)
    bounds = {"min_value": shown(low), "max_value": shown(high), "value": shown(start)}
    if look.step is not None:
        bounds["step"] = shown(look.step)
    is_slider = look.kind == "slider" and start is not None
    if is_slider and told.percent:
        further["format"] = "%d %%" if whole else "%.1f %%"
    if not is_slider and told.percent:
        further["label"] = say("{label} (%)", label=own(told.label))
    if not is_slider and told.is_optional:
        further["placeholder"] = told.none
    widget: Any = st.slider if is_slider else st.number_input
    value = widget(**_common(told, key, **further), **bounds, disabled=disabled)
    if value is None or disabled or value == shown(none_at):
        return None if told.is_optional else told.default
    return told.kind(value) if factor == 1 else float(value) / factor


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


def _ask_for_choice(told: Setting, options: list[Any], *, key: str, start: Any, **further: Any) -> Any:
    """Show the values to choose one from, in words; return the chosen one."""
    widget = told.widget.kind or "selectbox"
    is_opened, given = opened_value(told, key)
    if is_opened and given not in options and widget == "select_slider":
        options = sorted([*options, given])
    if is_opened and given in options:
        st.session_state[key] = given
    elif is_opened:
        say_absent(key, [given])
    if widget == "segmented_control":
        further |= {"default": start, "required": True}
    elif widget == "select_slider":
        further["value"] = start
    else:
        further["index"] = options.index(start) if start in options else None
        if widget == "selectbox":
            further["placeholder"] = CHOOSE
    written = {"format_func": lambda value: say(_in_words(told, value)), **further}
    return getattr(st, widget)(options=options, **_common(told, key, **written))


def _in_words(told: Setting, value: Any) -> str:
    """Return a value in words of ours, or as it stands where it is the person's, such as a column."""
    if value is None:
        return told.none
    shown = str(value)
    words = {**told.choices, **told.widget.options}
    return words.get(value) or shown if value in words else text("{value}", value=shown)


def _ask_for_several(
    told: Setting, options: Sequence[Any], *, key: str, start: Sequence[Any], **further: Any
) -> tuple[Any, ...]:
    """Show the values to choose any from; return the chosen ones."""
    further = {
        "placeholder": "Choose options",
        "format_func": lambda value: say(_in_words(told, value)),
        **further,
    }
    is_opened, given = opened_value(told, key)
    if is_opened:
        there = given if further.get("accept_new_options") else [one for one in given if one in options]
        say_absent(key, [one for one in given if one not in there])
        st.session_state[key] = list(there)
    start = [each for each in start if each in options]
    return tuple(st.multiselect(options=options, default=start, **_common(told, key, **further)))


def _ask_whether(told: Setting, *, key: str, start: bool, **further: Any) -> bool:
    """Show what can be switched on; return whether it is."""
    is_opened, given = opened_value(told, key)
    if is_opened:
        st.session_state[key] = given
    else:
        further["value"] = start
    show: Any = st.toggle if told.widget.kind == "toggle" else st.checkbox
    return bool(show(**_common(told, key, **further)))


def _common(told: Setting, key: str, **further: Any) -> dict[str, Any]:
    further |= {name: say(further[name]) for name in ("placeholder", "format") if name in further}
    return {
        "label": say(told.label),
        "help": say(told.about) or None,
        "key": key,
        "persist_state": "session",
    } | further


def propose(
    words: str, label: str, *, key: str, icon: str, on_click: Callable[..., None], args: Any = ()
) -> None:
    """Show what is proposed, and the button that does it."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(sentence(words), width="stretch")
        st.button(label, key=key, icon=icon, on_click=on_click, args=args)


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
