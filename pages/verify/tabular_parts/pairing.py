"""Which uploaded files belong together: by their names, and by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.caching import StoredFile
from core.reports.model import Column
from core.tabular import FilePair, LeftOutFile, pair_files
from core.tabular.views import skipped_table
from core.words import say
from pages.components.results import show_table
from pages.components.text import plain

_ROLES = {"original": "Original", "anonymized": "Anonymized table", "log": "Log"}


def ask_for_pairs(
    tool: str, files: Sequence[StoredFile]
) -> tuple[tuple[FilePair, ...], tuple[LeftOutFile, ...]]:
    """Pair files by their names, let the person pair the rest; return pairs and what is left out."""
    names = [stored.name for stored in files]
    pairing = pair_files(names)
    by_hand = [
        pair for pair in _pairs_by_hand(tool) if {pair.original, pair.anonymized, pair.log} <= {*names}
    ]
    taken = {pair.original for pair in by_hand}
    pairs = (*(pair for pair in pairing.pairs if pair.original not in taken), *by_hand)
    used = {name for pair in pairs for name in (pair.original, pair.anonymized, pair.log)}
    left_out = tuple(file for file in (*pairing.skipped, *pairing.unused) if file.name not in used)
    if left_out:
        _show_left_out(left_out)
    with st.expander(say("Pair files by hand"), icon=":material/link:", expanded=not pairs):
        _ask_for_pair(tool, names)
        for pair in by_hand:
            st.button(
                plain(say("Undo {file}", file=pair.original)),
                key=f"{tool}_unpair_{pair.original}",
                on_click=_forget_pair,
                args=(tool, pair),
            )
    return pairs, left_out


def _pairs_by_hand(tool: str) -> list[FilePair]:
    pairs: list[FilePair] = st.session_state.setdefault(f"{tool}_pairs_by_hand", [])
    return pairs


def _show_left_out(left_out: Sequence[LeftOutFile]) -> None:
    st.warning(
        say("Not every file can be verified ({n} left out); the reasons are below.", n=len(left_out)),
        icon=":material/warning:",
    )
    show_table(
        skipped_table(left_out),
        alt="Files that are not verified, and why",
        columns=(Column("file", "File"), Column("reason", "Why", kind="words")),
    )


def _ask_for_pair(tool: str, names: Sequence[str]) -> None:
    chosen: Mapping[str, str | None] = {
        role: place.selectbox(
            say(label), names, index=None, key=f"{tool}_pair_{role}", persist_state="session"
        )
        for place, (role, label) in zip(st.columns(3), _ROLES.items(), strict=True)
    }
    complete = all(chosen.values()) and chosen["log"] not in {chosen["original"], chosen["anonymized"]}
    st.button(
        say("Pair these three"),
        key=f"{tool}_pair",
        disabled=not complete,
        on_click=_remember_pair,
        args=(tool, chosen),
    )


def _remember_pair(tool: str, chosen: Mapping[str, str]) -> None:
    pair = FilePair(**chosen)
    others = [other for other in _pairs_by_hand(tool) if other.original != pair.original]
    st.session_state[f"{tool}_pairs_by_hand"] = [*others, pair]


def _forget_pair(tool: str, pair: FilePair) -> None:
    st.session_state[f"{tool}_pairs_by_hand"] = [other for other in _pairs_by_hand(tool) if other != pair]
