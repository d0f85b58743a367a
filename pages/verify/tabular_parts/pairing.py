"""Which uploaded files belong together: by their names, and by hand."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.caching import StoredFile
from core.tabular import FilePair, LeftOutFile, pair_files
from core.triage import GivenFile, offers
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
    chosen = [FilePair(**pair) for pair in by_hand.pairs_by_hand(tool, _parts(files))]
    taken = {pair.original for pair in chosen}
    pairs = (*(pair for pair in pairing.pairs if pair.original not in taken), *chosen)
    used = {name for pair in pairs for name in (pair.original, pair.anonymized, pair.log)}
    left_out = tuple(
        _with_cause(tool, file, named.get(file.name))
        for file in (*pairing.skipped, *pairing.unused)
        if file.name not in used
    )
    return pairs, left_out


def _with_cause(tool: str, file: LeftOutFile, stored: StoredFile | None) -> LeftOutFile:
    """Return a file that is left out with the reason that it cannot be read, where it cannot."""
    error = None if stored is None or is_log(file.name) else read_table(tool, stored)[1]
    return file if error is None else LeftOutFile(name=file.name, reason=joined(error.problems))


def is_log(name: str) -> bool:
    """Tell whether a file is a log by its name."""
    return name.casefold().endswith(".json")


def can_be_paired(tool: str, files: Sequence[StoredFile]) -> bool:
    """Tell whether there is a log, and a table that can be read, to pair by hand."""
    logs = [stored for stored in files if is_log(stored.name)]
    tables = (stored for stored in files if not is_log(stored.name))
    return bool(logs) and any(read_table(tool, stored)[0] is not None for stored in tables)


def ask_for_pairs(tool: str, files: Sequence[StoredFile]) -> None:
    """Let the person pair files by hand, and undo it."""
    if can_be_paired(tool, files):
        by_hand.ask_for_pairs(tool, _parts(files), of="original", label="Pair these three")
    else:
        st.caption(say("There is nothing to pair: an original, an anonymized table and a log are needed."))


def _parts(files: Sequence[StoredFile]) -> by_hand.Parts:
    logs = [stored.name for stored in files if is_log(stored.name)]
    tables = [stored.name for stored in files if not is_log(stored.name)]
    return {
        "original": ("Original", tables),
        "anonymized": ("Anonymized table", tables),
        "log": ("Log", logs),
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
    if any(is_log(stored.name) for stored in files):
        return
    tables = [(stored, read_table(tool, stored)[0]) for stored in files]
    given = [GivenFile(name=stored.name, table=table) for stored, table in tables if table is not None]
    if not given:
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
