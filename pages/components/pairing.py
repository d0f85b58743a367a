"""Pairing by hand: which files belong together where their names do not tell."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from core.words import say
from pages.components.asking import CHOOSE
from pages.components.text import plain

Pair = Mapping[str, str]  # what was chosen for each part
# By part: its label, and the files to choose from, or what else it may be, in words.
Parts = Mapping[str, tuple[str, Sequence[str] | Mapping[str, str]]]


def pairs_by_hand(tool: str, parts: Parts) -> list[Pair]:
    """Return the pairs that the person made of what is there."""
    return [
        pair for pair in _made(tool) if all(pair[part] in options for part, (_, options) in parts.items())
    ]


def _made(tool: str) -> list[Pair]:
    pairs: list[Pair] = st.session_state.setdefault(f"{tool}_pairs_by_hand", [])
    return pairs


def ask_for_pairs(
    tool: str, parts: Parts, *, of: str, label: str, proposed: Pair = MappingProxyType({})
) -> None:
    """Let the person pair files, and undo it; a file is in the part `of` one pair only."""
    chosen: dict[str, str | None] = {}
    for place, (part, (named, options)) in zip(st.columns(len(parts)), parts.items(), strict=True):
        words = options if isinstance(options, Mapping) else {}
        chosen[part] = place.selectbox(
            say(named),
            list(options),
            index=0 if words else _place(proposed.get(part), list(options)),
            format_func=lambda value, words=words: say(words[value]) if value in words else value,
            placeholder=say(CHOOSE),
            key=f"{tool}_pair_{part}",
            persist_state="session",
        )
    st.button(
        say(label),
        key=f"{tool}_pair",
        disabled=not all(chosen.values()),
        on_click=remember_pair,
        args=(tool, chosen, of),
    )
    for pair in pairs_by_hand(tool, parts):
        st.button(
            say("Undo {file}", file=plain(pair[of])),
            key=f"{tool}_unpair_{pair[of]}",
            on_click=_made(tool).remove,
            args=(pair,),
        )


def _place(name: str | None, options: Sequence[str]) -> int | None:
    return options.index(name) if name in options else None


def remember_pair(tool: str, pair: Pair, of: str) -> None:
    """Keep a pair; a file is in the part `of` one pair only."""
    others = [other for other in _made(tool) if other[of] != pair[of]]
    st.session_state[f"{tool}_pairs_by_hand"] = [*others, pair]
