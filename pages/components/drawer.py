"""What a tool asks for on its page: what it needs, and a closed drawer with settings and further files."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.errors import AuditInputError
from core.tables import Dataset
from core.tools import Input, Tool
from core.web.caching import StoredFile
from core.words import listed, say
from pages.components.earlier import ask_for_earlier
from pages.components.inputs import (
    ask_for_files,
    ask_for_table,
    list_file,
    list_given,
    list_table,
    stored_files,
)
from pages.components.reading import all_sheets, show_problems
from pages.components.shown import Shown
from pages.components.text import sentence

FILES, SETTINGS, THRESHOLDS = "Files", "Settings", "Thresholds"
FURTHER, EARLIER = "Further files", "Earlier releases"
_BESIDE = 2  # inputs that have room beside each other


def ask_for_inputs(shown: Shown) -> bool:
    """Ask for what is needed, two tables beside each other until both are there; return whether they are."""
    tool = shown.tool
    needed = [each for each in tool.inputs if each.needed]
    are_there = all(stored_files(tool.key, each.role) for each in needed)
    places = [st.container() for _ in needed] if are_there or len(needed) == 1 else st.columns(len(needed))
    for place, each in zip(places, needed, strict=True):
        with place:
            shown.given[each.role] = _ask_for_input(tool, each)
    return all(shown.given.values())


def _ask_for_input(tool: Tool, wanted: Input) -> Dataset | tuple[StoredFile, ...] | None:
    return (ask_for_table if wanted.kind == "table" else ask_for_files)(tool.key, wanted)


def files_heading(files: Sequence[StoredFile]) -> str:
    """Return what the drawer is called where there may be several files."""
    names = listed([each.name for each in files], at_most=3)
    return sentence(say("Files and settings: {files}", files=names)) if files else say(SETTINGS)


def place_drawer(shown: Shown, heading: str, titles: Sequence[str], *, opened: str = "") -> None:
    """Place the closed drawer with its tabs; it is open at a tab where something has to be done there."""
    drawer, said = st.expander(heading, icon=":material/tune:", expanded=bool(opened)), [*map(say, titles)]
    places = drawer.tabs(said, default=say(opened) if opened else None) if said[1:] else [drawer.container()]
    shown.drawer = dict(zip(titles, places, strict=True))


def show_drawer(shown: Shown) -> None:
    """Show the closed drawer: files where there may be several, settings, further files."""
    tool = shown.tool
    (first, *_), further = _sorted(tool.inputs)
    several = first.kind != "table"
    titles = [
        *shown.page.titles,
        *([FILES] if several else []),
        *([FURTHER] if any(each.kind != "releases" for each in further) else []),
        *([EARLIER] if any(each.kind == "releases" for each in further) else []),
    ]
    heading = say(SETTINGS)
    if several:
        heading = f"{say(titles[0])} · {files_heading(shown.given[first.role])}"
    place_drawer(shown, heading, titles)
    if several:
        with shown.drawer[FILES]:
            stored = shown.given[first.role]
            given, wrong = list_given(tool.key, first.role, stored)
            read = list(zip(stored, given, strict=True))
            shown.unread = [file.name for file, table in read if table is None]
            shown.given[first.role] = [
                each for file, table in read if table is not None for each in all_sheets(tool.key, file)
            ]
        if wrong:
            show_problems(AuditInputError(*wrong))
    ask_for_further(shown)


def _sorted(inputs: Sequence[Input]) -> tuple[list[Input], list[Input]]:
    """Return the inputs that are needed, and the others."""
    return [each for each in inputs if each.needed], [each for each in inputs if not each.needed]


def ask_for_further(shown: Shown) -> None:
    """Ask in the drawer for what is not needed: further files, two beside each other, earlier releases."""
    tool, (_, further) = shown.tool, _sorted(shown.tool.inputs)
    tables = [each for each in further if each.kind != "releases"]
    if FURTHER in shown.drawer:
        with shown.drawer[FURTHER]:
            beside = len(tables) <= _BESIDE
            places = st.columns(len(tables)) if beside else [st.container() for _ in tables]
            for place, each in zip(places, tables, strict=True):
                with place:
                    given = _ask_for_input(tool, each)
                    shown.given[each.role] = _tables(tool, each, given) if each.kind == "tables" else given
                    for stored in given if isinstance(given, tuple) and each.kind == "files" else ():
                        list_file(tool.key, each.role, stored)
    if EARLIER in shown.drawer:
        with shown.drawer[EARLIER]:
            shown.given["earlier"] = ask_for_earlier(tool.key)


def _tables(tool: Tool, wanted: Input, stored: Any) -> tuple[Dataset, ...]:
    read = [list_table(tool.key, wanted.role, each) for each in stored]
    return tuple(table for table in read if table is not None)
