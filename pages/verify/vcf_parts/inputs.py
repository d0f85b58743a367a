"""Genome files on the page: uploaded or opened in place, paired by name or by hand."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.errors import AuditInputError
from core.processes.jobs import Progress
from core.vcf import Pairing, VcfFile, VcfPair, files_of_folders, pair_files, split_uploads
from core.vcf.measuring import open_lines
from core.web.caching import StoredFile, vault
from core.words import joined, say
from pages.components import pairing as by_hand
from pages.components.access import offers_folders, path_within
from pages.components.long_work import start_work
from pages.components.reading import show_problems
from pages.components.text import plain

SMALL = 20_000_000  # bytes: read in a second or two
MOMENT_SECONDS = 1.0
LEVELS = {
    "high": "High: header, repeats and rare variants must be masked",
    "low": "Low: the header only",
}


@dataclass(frozen=True)
class GivenFiles:
    """The files that a person gave, each on its side."""

    originals: tuple[VcfFile, ...] = ()
    anonymized: tuple[VcfFile, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is any file."""
        return bool(self.originals or self.anonymized)


def ask_for_folders(tool: str) -> GivenFiles:
    """Ask for two folders that the server may open; files in them are opened in place, however large."""
    if not offers_folders():
        return GivenFiles()
    with st.expander(say("Large files: open folders on this machine"), icon=":material/folder_open:"):
        st.caption(say("Nothing is uploaded or copied: the files are read where they are."))
        left, right = st.columns(2)
        first = left.text_input(
            say("Folder of the originals"), key=f"{tool}_origin_folder", persist_state="session"
        )
        second = right.text_input(
            say("Folder of the anonymized files"), key=f"{tool}_anony_folder", persist_state="session"
        )
    if not first.strip() or not second.strip():
        return GivenFiles()
    try:
        found = files_of_folders(path_within(first.strip()), path_within(second.strip()))
        originals, anonymized = (
            [replace(file, path=path_within(file.path or "")) for file in side] for side in found
        )
    except AuditInputError as error:
        show_problems(error)
        return GivenFiles()
    return GivenFiles(tuple(originals), tuple(anonymized))


def uploaded_files(files: Sequence[StoredFile]) -> GivenFiles:
    """Tell uploaded files apart by their names; of two with one name the later counts."""
    named = {stored.name: VcfFile(name=stored.name, content=stored.data) for stored in files}
    originals, anonymized = split_uploads(named.values())
    return GivenFiles(tuple(originals), tuple(anonymized))


def pair_given(tool: str, *given: GivenFiles) -> Pairing:
    """Pair the files of each place by name, any others as the person did."""
    found = [pair_files(files.originals, files.anonymized) for files in given]
    by_name = Pairing(
        pairs=tuple(pair for one in found for pair in one.pairs),
        unmatched=tuple(name for one in found for name in one.unmatched),
    )
    known = _by_name(given)
    chosen = tuple(
        VcfPair(
            original=known[pair["original"]],
            anonymized=known[pair["anonymized"]],
            level="low" if pair["level"] == "low" else "high",
        )
        for pair in by_hand.pairs_by_hand(tool, _parts(known))
    )
    taken = {pair.anonymized.name for pair in chosen}
    pairs = (*(pair for pair in by_name.pairs if pair.anonymized.name not in taken), *chosen)
    used = {name for pair in chosen for name in (pair.original.name, pair.anonymized.name)}
    unmatched = tuple(name for name in by_name.unmatched if name not in used)
    return Pairing(pairs=pairs, unmatched=unmatched)


def _by_name(given: Sequence[GivenFiles]) -> dict[str, VcfFile]:
    return {file.name: file for files in given for file in (*files.originals, *files.anonymized)}


def start_small_work(tool: str, key: str, work: Callable[[Progress], Any], files: Sequence[VcfFile]) -> None:
    """Start without asking where it takes a moment only, once for each set of files and settings."""
    job = vault().job(tool)
    if sum(file.n_bytes for file in files) <= SMALL and (job is None or job.key != key):
        start_work(tool, key, work)
        if (started := vault().job(tool)) is not None:
            started.wait(MOMENT_SECONDS)


def causes_of(unmatched: Sequence[str], files: Sequence[StoredFile]) -> dict[str, str]:
    """Return what is wrong with each file that found no partner, empty where only the partner is missing."""
    uploaded = {stored.name: stored for stored in files}
    return {name: what_is_wrong(uploaded[name]) if name in uploaded else "" for name in unmatched}


def show_unmatched(causes: Mapping[str, str]) -> None:
    """Say which files found no partner, first why those that are no genome files found none."""
    if unread := [why for why in causes.values() if why]:
        show_problems(AuditInputError(*unread))
    if names := ", ".join(plain(name) for name, why in causes.items() if not why):
        st.warning(
            say(
                "Without a partner, not verified: {files}. An anonymized file is named "
                "`<level>_…anony_<original's name>`; others can be paired by hand.",
                files=names,
            ),
            icon=":material/link_off:",
        )


def what_is_wrong(stored: StoredFile) -> str:
    """Return why a file's header cannot be read, empty where it can."""
    try:
        with open_lines(VcfFile(name=stored.name, content=stored.data), None):
            return ""
    except AuditInputError as error:
        return joined(error.problems)


def ask_for_pairs(tool: str, pairing: Pairing, *given: GivenFiles) -> None:
    """Let the person pair files by hand, from two that seem to belong together on, and undo it."""
    found = next(filter(None, map(pairing.proposed, pairing.unmatched)), ())
    proposed = dict(zip(("original", "anonymized"), found, strict=False))
    parts = _parts(_by_name(given))
    by_hand.ask_for_pairs(tool, parts, of="anonymized", label="Pair these two", proposed=proposed)


def _parts(files: Mapping[str, VcfFile]) -> by_hand.Parts:
    names = list(files)
    return {"original": ("Original", names), "anonymized": ("Anonymized", names), "level": ("Level", LEVELS)}
