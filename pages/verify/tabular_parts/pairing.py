"""Which uploaded files belong together: by their names, and by hand."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from core.tables import Dataset
from core.tabular import FilePair, LeftOutFile, pair_files
from core.tabular.other_logs import may_be_log
from core.triage import GivenFile, offers, originals_of
from core.web.caching import StoredFile
from core.words import joined, own, say
from pages.components import pairing as by_hand
from pages.components.inputs import WAYS, Way, show_ways_on
from pages.components.reading import read_table
from pages.components.text import plain

MOST_TAKEN_ALONG = 2  # tables: one, or one and its copy


def pair_given(
    tool: str, files: Sequence[StoredFile]
) -> tuple[tuple[FilePair, ...], tuple[LeftOutFile, ...]]:
    """Pair files by their names, the rest as the person did; return pairs and what is left out, and why."""
    named = {stored.name: stored for stored in files}
    pairing = pair_files(list(named))
    chosen = [FilePair(**pair) for pair in by_hand.pairs_by_hand(tool, _parts(tool, files))]
    taken = {pair.original for pair in chosen}
    pairs = (*(pair for pair in pairing.pairs if pair.original not in taken), *chosen)
    used = {name for pair in pairs for name in (pair.original, pair.anonymized, pair.log)}
    logs = logs_among(tool, files)
    left_out = tuple(
        file if file.name in logs else _with_cause(tool, file, named.get(file.name))
        for file in (*pairing.skipped, *pairing.unused)
        if file.name not in used
    )
    return pairs, left_out


def _with_cause(tool: str, file: LeftOutFile, stored: StoredFile | None) -> LeftOutFile:
    """Return a file that is left out with the reason that it cannot be read, where it cannot."""
    error = None if stored is None else read_table(tool, stored)[1]
    return file if error is None else LeftOutFile(name=file.name, reason=joined(error.problems))


def logs_among(tool: str, files: Sequence[StoredFile]) -> frozenset[str]:
    """Return the names of logs: JSON, and tables that tell of the columns of others, a line a column."""
    logs = {stored.name for stored in files if stored.name.casefold().endswith(".json")}
    tables = _tables(tool, [stored for stored in files if stored.name not in logs])
    for name, table in tables.items():
        others = [column for other, read in tables.items() if other != name for column in read.columns]
        logs |= {name} if may_be_log(table, others) else set()
    return frozenset(logs)


def _tables(tool: str, files: Sequence[StoredFile]) -> dict[str, Dataset]:
    read = {stored.name: read_table(tool, stored)[0] for stored in files}
    return {name: table for name, table in read.items() if table is not None}


def tables_among(tool: str, files: Sequence[StoredFile]) -> dict[str, Dataset]:
    """Return the tables that can be read and are no logs, by name."""
    logs = logs_among(tool, files)
    return _tables(tool, [stored for stored in files if stored.name not in logs])


def can_be_paired(tool: str, files: Sequence[StoredFile]) -> bool:
    """Tell whether there is a log, and a table that can be read, to pair by hand."""
    return bool(logs_among(tool, files)) and bool(tables_among(tool, files))


def ask_for_pairs(tool: str, files: Sequence[StoredFile]) -> None:
    """Let the person pair files by hand, proposed by their names and columns, and undo it."""
    if can_be_paired(tool, files):
        by_hand.ask_for_pairs(
            tool,
            _parts(tool, files),
            of="original",
            label="Pair these three",
            proposed=_proposed(tool, files),
        )
    else:
        st.caption(say("There is nothing to pair: an original, an anonymized table and a log are needed."))


def _proposed(tool: str, files: Sequence[StoredFile]) -> by_hand.Pair:
    """Return the first table that seems to be another's copy, and the log where there is one only."""
    logs = logs_among(tool, files)
    log = {"log": next(iter(logs))} if len(logs) == 1 else {}
    copies = copies_among(tables_among(tool, files))
    return log | next(({"original": original, "anonymized": copy} for copy, original in copies.items()), {})


def copies_among(tables: Mapping[str, Dataset]) -> dict[str, str]:
    """Return of which table each other one seems to be the anonymized copy."""
    return originals_of([GivenFile(name=name, table=table) for name, table in tables.items()])


def _parts(tool: str, files: Sequence[StoredFile]) -> by_hand.Parts:
    logs = logs_among(tool, files)
    tables = [stored.name for stored in files if stored.name not in logs]
    return {
        "original": ("Original", tables),
        "anonymized": ("Anonymized table", tables),
        "log": ("Log", [stored.name for stored in files if stored.name in logs]),
    }


def show_left_out(left_out: Sequence[LeftOutFile]) -> None:
    """Say which files were not verified, where none was: first those that cannot be read, and why."""
    said = [(say(own(file.reason)), file.name) for file in left_out]
    read, unread = [], []
    for reason, name in said:
        if reason.startswith(name):  # what is wrong with a file names it
            unread.append(plain(reason))
        else:
            message = say("{file} was not verified. {reason}", file=name, reason=own(reason))
            read.append(plain(message))
    st.error("\n\n".join((*unread, *read)), icon=":material/error:")


def show_what_needs_no_log(tool: str, files: Sequence[StoredFile]) -> None:
    """Say which tools take tables without a log, where there is none, and take one or two there."""
    tables = tables_among(tool, files)
    given = [GivenFile(name=name, table=table) for name, table in tables.items()]
    if logs_among(tool, files) or not given:
        return
    st.info(
        say(
            "There is no log among these files. **Row leakage** compares an original with its anonymized "
            "table, and **Disclosure risk** judges one table alone: both take these files as they are."
        ),
        icon=":material/alt_route:",
    )
    keys = {stored.name: stored.key for stored in files}
    found: dict[str, Way] = {}
    for offer in offers(given) if len(given) <= MOST_TAKEN_ALONG else ():
        if offer.tool in WAYS:
            places = {role: [keys[name] for name in names] for role, names in offer.places.items()}
            found.setdefault(offer.tool, Way(offer.tool, partial(dict, places)))
    show_ways_on(tool, found.values())
