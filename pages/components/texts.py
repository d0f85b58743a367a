"""Reading free text: cells drawn at random, and how many of them a person has read."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import streamlit as st

from core.people.free_text import Reading, TextColumn, cells_to_read, sample_of_cells
from core.reports.evidence import records_table
from core.result import Col
from core.tables import Dataset
from core.words import say
from pages.components.results import ask_to_show_values, show_table

_AT_ONCE = 20


def ask_what_was_read(tool: str, dataset: Dataset, texts: Sequence[TextColumn]) -> Mapping[str, Reading]:
    """Show cells to read of the texts in which nobody was found, and return what was read of each column."""
    unread = _unread(texts)
    if not unread:
        return {}
    with st.expander(say("Read free text"), icon=":material/menu_book:"):
        st.caption(
            say(
                "Cells are drawn at random, always the same. Read them in this order, and write down how "
                "many you read and how many of these name somebody; both stay in this session and stand in "
                "the report."
            )
        )
        reveal = ask_to_show_values(f"{tool}_texts_reveal")
        return {each.column: _ask(tool, dataset, each, reveal=reveal) for each in unread}


def what_was_read(tool: str, dataset: Dataset, texts: Sequence[TextColumn]) -> Mapping[str, Reading]:
    """Return what was read of each column up to now, before the page asks again."""
    state = st.session_state
    keys = {each.column: _key(tool, dataset, each.column) for each in _unread(texts)}
    read = {column: (state.get(key, 0), state.get(f"{key}_found", 0)) for column, key in keys.items()}
    return {column: Reading(n_read, min(n_found, n_read)) for column, (n_read, n_found) in read.items()}


def _unread(texts: Sequence[TextColumn]) -> list[TextColumn]:
    return [each for each in texts if each.is_text and not each.n_found]


def _key(tool: str, dataset: Dataset, column: str) -> str:
    return f"{tool}_read_{dataset.fingerprint[:16]}_{column}"


def _ask(tool: str, dataset: Dataset, column: TextColumn, *, reveal: bool) -> Reading:
    key = _key(tool, dataset, column.column)
    needed = cells_to_read(column.n_cells)
    first, second, third = st.columns(3)
    with first:
        page = st.number_input(
            say("Page of `{column}`", column=column.column),
            min_value=1,
            max_value=-(-column.n_cells // _AT_ONCE),
            key=f"{key}_page",
            help=say("Each page shows 20 cells; {needed} are enough if none names anybody.", needed=needed),
            persist_state="session",
        )
    with second:
        n_read = st.number_input(
            say("Cells read"), min_value=0, max_value=column.n_cells, key=key, persist_state="session"
        )
    with third:
        n_found = st.number_input(
            say("Cells that name somebody"),
            min_value=0,
            max_value=column.n_cells,
            key=f"{key}_found",
            persist_state="session",
        )
    drawn = sample_of_cells(dataset.table[column.column], page * _AT_ONCE)[(page - 1) * _AT_ONCE :]
    shown = records_table(
        {Col("number", "Number"): np.arange(len(drawn)) + (page - 1) * _AT_ONCE + 1},
        {column.column: dataset.table[column.column].take(pa.array(drawn))},
        reveal=reveal,
    )
    show_table(shown, alt="Cells drawn at random")
    return Reading(n_read, min(n_found, n_read))
