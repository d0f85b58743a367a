"""How a table was read: what was assumed, and a form to correct it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from core.errors import AuditInputError
from core.tables import DELIMITERS, ENCODINGS, HEADERS, MISSING_SPELLINGS, Dataset, ReadOptions, read_sheets
from core.web.caching import StoredFile, vault
from core.words import counted, say, text
from pages.components.text import plain, sentence


def read_table(tool: str, stored: StoredFile) -> tuple[Dataset | None, AuditInputError | None]:
    """Read a stored file as the person wants it read; return the table, or what is wrong."""
    try:
        return vault().dataset(stored.key, read_options(tool, stored)), None
    except AuditInputError as error:
        return None, error


def all_sheets(tool: str, stored: StoredFile) -> list[Dataset]:
    """Return the table of a file that can be read, and of a workbook whose sheet nobody chose all tables."""
    return read_sheets(partial(vault().dataset, stored.key), read_options(tool, stored))


def read_options(tool: str, stored: StoredFile) -> ReadOptions:
    """Return how the person wants a file to be read; the default detects everything."""
    options: ReadOptions = st.session_state.get(_slot(tool, stored.key), ReadOptions())
    return options


def read_alike(source: str, tool: str, key: str) -> None:
    """Let a tool read a file as the person wanted it on another page."""
    if (options := st.session_state.get(_slot(source, key))) is not None:
        st.session_state[_slot(tool, key)] = options


def summary_of(dataset: Dataset | None) -> str:
    """Say how large a table is."""
    if dataset is None:
        return "could not be read"
    records, columns = counted(dataset.n_records, "record"), counted(len(dataset.columns), "column")
    return text("{records} × {columns}", records=records, columns=columns)


def show_problems(error: AuditInputError) -> None:
    """Show what the person can fix, a line each."""
    st.error("\n\n".join(sentence(say(problem)) for problem in error.problems), icon=":material/error:")


def ask_for_reading(
    tool: str,
    role: str,
    stored: StoredFile,
    dataset: Dataset | None,
    *,
    further: Callable[[], None] | None = None,
) -> None:
    """Offer what was assumed while reading, to look at and to correct; one file may stand in two roles.

    `further` shows what else can be done about the file, below.
    """
    with st.popover(say("How it was read"), icon=":material/tune:", type="tertiary"):
        for note in (dataset.reading.summary, *dataset.reading.notes) if dataset else ():
            st.markdown(f":material/info: {sentence(say(note))}")
        with st.form(f"{tool}_{role}_reading_form_{stored.key}", border=False):
            changed = _ask_for_options(tool, role, stored, dataset)
            if st.form_submit_button(say("Read again"), icon=":material/refresh:"):
                st.session_state[_slot(tool, stored.key)] = changed
                st.rerun()
        if further is not None:
            further()


def _slot(tool: str, key: str) -> str:
    return f"{tool}_reading_{key}"


def _ask_for_options(tool: str, role: str, stored: StoredFile, dataset: Dataset | None) -> ReadOptions:
    """Show a field for each assumption that applies to the file's format; return what they say."""
    options = dataset.reading.options if dataset else read_options(tool, stored)
    key = f"{tool}_{role}_{stored.key}"
    if dataset is None or dataset.reading.format == "CSV":
        delimiter = _choose("Delimiter", DELIMITERS, options.delimiter, f"{key}_delimiter")
        encoding = _choose("Encoding", ENCODINGS, options.encoding, f"{key}_encoding")
        options = replace(options, delimiter=delimiter, encoding=encoding)
    if dataset is not None and dataset.reading.sheets:
        sheets = {sheet: sheet for sheet in dataset.reading.sheets}
        options = replace(options, sheet=_choose("Sheet", sheets, options.sheet, f"{key}_sheet"))
    header = _choose(
        "Column names",
        HEADERS,
        options.header,
        f"{key}_header",
        help_text="Or type the number of the line that holds them.",
    )
    missing = st.checkbox(
        say("Read these spellings as missing, like empty cells"),
        value=bool(options.missing_spellings),
        key=f"{key}_missing",
        help=plain(", ".join(MISSING_SPELLINGS)),
        persist_state="session",
    )
    spellings = MISSING_SPELLINGS if missing else ()
    st.caption(say("Spellings: {spellings}", spellings=plain(", ".join(MISSING_SPELLINGS))))
    return replace(options, header=header or "auto", missing_spellings=spellings)


def _choose(
    label: str, options: Mapping[str, str], value: str | None, key: str, *, help_text: str | None = None
) -> str | None:
    """Show a select box over described options, the one in use chosen; another may be typed."""
    known = list(options) if value is None or value in options else [value, *options]
    return st.selectbox(
        say(label),
        known,
        index=known.index(value) if value is not None else None,
        format_func=lambda option: say(options[option]) if option in options else option,
        placeholder=say("Detect"),
        accept_new_options=True,
        help=help_text and say(help_text),
        key=key,
        persist_state="session",
    )
