"""The files of a run: how each ended, which one to look at, and the figures of all."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

import streamlit as st

from core.charts import places
from core.result import Result, Table
from core.verdict import Verdict
from core.words import say
from pages.components.parts import show_group
from pages.components.results import (
    OF_CELL,
    OF_LETTER,
    OF_TABLE,
    said_and_tinted,
    show_badge,
    show_map,
    show_verdict,
    widths_of,
)
from pages.components.text import plain, sentence

_MOST_BELOW = 3  # files below each other in a narrow window; of more, one less and a fold with the others
_OF_REASON = 60  # letters of a file's reason, where files stand below each other
_SENTENCE_ENDS = re.compile(r"(?<=\D[.])\s(?=[A-ZČŠŽ`\d가-힣])")


def show_run(run: Result, names: Sequence[str], *, headline: str = "") -> None:
    """Show the verdict of a run and its files; `names` are of those that were read, the first one first."""
    show_verdict(run.verdict, headline or run.headline)
    (table,) = run.group("list").tables
    _list_files(run.tool, table, names)


def show_figures_of_files(run: Result) -> None:
    """Show the figures of all files, where there are several."""
    if any(len(table.cells()) > 1 for table in run.group("files").tables):
        with st.expander(say("Figures of all files"), icon=":material/table:"):
            show_group(run, "files")


def ask_for_file(tool: str, names: Sequence[str]) -> str:
    """Ask for the file to look at; the first is open at the start."""
    return st.selectbox(say("File to look at"), names, key=f"{tool}_file", persist_state="session")


def _open_file(tool: str, names: Sequence[str], name: str) -> None:
    if name in names:
        st.session_state[f"{tool}_file"] = name


def _list_files(tool: str, table: Table, names: Sequence[str]) -> None:
    """List the files of a run; one click opens one of `names`, those that were read.

    A reason too long for its place is told by its first sentence: the card of its file tells all of it. In a
    narrower window files stand below each other, on a telephone without the reasons that cards tell; the one
    looked at has its card on the page, and what passes needs none.
    """
    keys = [column.key for column in table.columns]
    files = [dict(zip(keys, row, strict=True)) for row in table.cells()]
    reasons = [say(each["why"]).removeprefix(f"{each['file']}: ") for each in files]
    others = tuple(replace(each, get=itemgetter(each.key)) for each in table.columns if each.key != "why")
    shown, _ = said_and_tinted(replace(table, columns=others, rows=files))
    room = max(OF_TABLE - sum(widths_of(shown).values()), OF_TABLE // 3)
    most = int((room - OF_CELL) / OF_LETTER)
    with st.container(key=f"list_wide_{tool}"):
        show_map(
            replace(
                table,
                rows=[
                    tuple((each | {"why": shortened(reason, most)}).values())
                    for each, reason in zip(files, reasons, strict=True)
                ],
            ),
            alt="Every file with its verdict, and why, the worst first",
            names="file",
            key=f"{tool}_list",
            opened=partial(_open_file, tool, names),
        )
    with st.container(key=f"list_narrow_{tool}", gap="small"):
        looked_at = st.session_state.get(f"{tool}_file") or next(iter(names), "")
        silent = {each["file"] for each in files if each["overall"] == Verdict.PASS.name} | {looked_at}
        rows = [
            (each["overall"], each["file"], "" if each["file"] in silent else reason)
            for each, reason in zip(files, reasons, strict=True)
        ]
        n_shown = len(rows) if len(rows) <= _MOST_BELOW else _MOST_BELOW - 1
        for number, row in enumerate(rows[:n_shown]):
            _show_listed(tool, number, *row, names=names)
        if below := rows[n_shown:]:
            with st.expander(say("{n} more", n=len(below)), key=f"{tool}_more_files"):
                for number, row in enumerate(below, start=n_shown):
                    _show_listed(tool, number, *row, names=names)


def _show_listed(
    tool: str, number: int, verdict: str, name: str, reason: str, *, names: Sequence[str]
) -> None:
    kind = "read" if name in names else "unread"
    with st.container(
        horizontal=True,
        vertical_alignment="top",
        gap="small",
        wrap=False,
        key=f"listed_{kind}_{tool}_{number}",
    ):
        show_badge(Verdict(verdict))
        with st.container(gap=None):
            if name in names:
                reason = shortened(reason, _OF_REASON)
                st.button(
                    plain(name),
                    key=f"{tool}_open_{number}",
                    type="tertiary",
                    on_click=_open_file,
                    args=(tool, names, name),
                )
            else:
                st.markdown(f"**{plain(name)}**")
            if reason:
                st.markdown(sentence(reason))


def shortened(reason: str, most: int) -> str:
    """Return a reason as a line of `most` letters holds it: whole, its first sentence, or its first words."""
    if places(reason) <= most:
        return reason
    first = _SENTENCE_ENDS.split(reason, maxsplit=1)[0]
    if places(first) <= most:
        return first
    while places(first) > most - 2 and " " in first:
        first = first.rpartition(" ")[0]
    return f"{first} …"
