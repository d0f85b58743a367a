"""Earlier releases on the pages that compare with them: their files, what was found, and the ledger."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from core import caching
from core.errors import AuditInputError
from core.releases import EARLIER, Ledger, ReleasedTable, ReleasesAudit, new_ledger, releases_sentence
from core.releases.result import LIMITS, earlier_table, releases_figures
from core.reports import InputFacts, file_facts, input_facts
from core.tables import Dataset
from core.tools import EARLIER as INPUT
from core.words import say
from pages.components.inputs import ask_for_files, list_file, list_table
from pages.components.parts import show_part
from pages.components.reading import show_problems
from pages.components.results import Download, show_figures
from pages.components.text import sentence

_LEDGER = ".json"


class Earlier(NamedTuple):
    """Earlier releases: tables, and ledgers by their keys, as files and as read.

    Downloads are made outside a page's run, where nothing can be asked of the session's vault.
    """

    tables: tuple[Dataset, ...] = ()
    ledgers: tuple[str, ...] = ()
    files: tuple[InputFacts, ...] = ()
    read: tuple[Ledger, ...] = ()

    @property
    def keys(self) -> caching.EarlierKeys:
        """Return what a measurement is remembered by."""
        return tuple(each.fingerprint for each in self.tables), self.ledgers

    def facts(self) -> list[InputFacts]:
        """Return what a report says of them."""
        return [*(input_facts(each, EARLIER) for each in self.tables), *self.files]


def ask_for_earlier(tool: str) -> Earlier:
    """Ask for tables of earlier releases and for ledgers; one that cannot be read is said and passed over."""
    tables, ledgers, files, read = [], [], [], []
    stored = ask_for_files(tool, INPUT.role, label=INPUT.label, help_text=INPUT.help)
    for each in stored:
        if not each.name.lower().endswith(_LEDGER):
            if (dataset := list_table(tool, INPUT.role, each)) is not None:
                tables.append(dataset)
            continue
        list_file(tool, INPUT.role, each)
        try:
            read.append(caching.release_ledger(each.key))
            ledgers.append(each.key)
            files.append(file_facts(each.data, EARLIER, name=each.name))
        except AuditInputError as error:
            show_problems(error)
    return Earlier(tuple(tables), tuple(ledgers), tuple(files), tuple(read))


def show_earlier(audit: ReleasesAudit | None) -> None:
    """Show what was compared; what was found stands among the findings."""
    if audit is None:
        return
    st.subheader(say("Earlier releases"), anchor=False)
    st.markdown(sentence(say(releases_sentence(audit))))
    show_figures(releases_figures(audit), at_once=4)
    if audit.measurement.compared:
        show_part(earlier_table(audit), key="earlier")
    for limit in LIMITS:
        st.caption(sentence(say(limit)))


def ledger_download(
    tables: Callable[[], Sequence[ReleasedTable]], *, k: int, earlier: Earlier, identity: str
) -> Download:
    """Offer the ledger of this release."""
    return Download(
        "Ledger of this release",
        f"ledger_{identity[:8]}.json",
        "application/json",
        lambda: new_ledger(tables(), k=k, earlier=earlier.read),
        "Counts of classes by salted hash, no data, for the next release. Keep it to yourself.",
    )
