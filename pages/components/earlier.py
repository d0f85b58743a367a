"""Earlier releases on the pages that compare with them: their files, what was found, and the ledger."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from core.caching import StoredFile, remembered
from core.errors import AuditInputError
from core.releases import (
    EARLIER,
    EarlierTable,
    Ledger,
    ReleasedTable,
    ReleasesAudit,
    new_ledger,
    read_ledger,
    releases_sentence,
)
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
    """Earlier releases: tables, and ledgers as files and as read."""

    tables: tuple[Dataset, ...] = ()
    files: tuple[InputFacts, ...] = ()
    ledgers: tuple[Ledger, ...] = ()

    @property
    def digests(self) -> list[str]:
        """Return what a result depends on."""
        return [each.fingerprint for each in self.tables] + [each.sha256 for each in self.files]

    @property
    def releases(self) -> list[EarlierTable | Ledger]:
        """Return what a release is compared with."""
        return [*(EarlierTable(release=each.name, dataset=each) for each in self.tables), *self.ledgers]

    def facts(self) -> list[InputFacts]:
        """Return what a report says of them."""
        return [*(input_facts(each, EARLIER) for each in self.tables), *self.files]


def ask_for_earlier(tool: str) -> Earlier:
    """Ask for tables of earlier releases and for ledgers; one that cannot be read is said and passed over."""
    tables, files, ledgers = [], [], []
    stored = ask_for_files(tool, INPUT.role, label=INPUT.label, help_text=INPUT.help)
    for each in stored:
        if not each.name.lower().endswith(_LEDGER):
            if (dataset := list_table(tool, INPUT.role, each)) is not None:
                tables.append(dataset)
            continue
        list_file(tool, INPUT.role, each)
        try:
            ledgers.append(_ledger(each))
            files.append(file_facts(each.data, EARLIER, name=each.name))
        except AuditInputError as error:
            show_problems(error)
    return Earlier(tuple(tables), tuple(files), tuple(ledgers))


@remembered
def _ledger(stored: StoredFile) -> Ledger:
    return read_ledger(stored.data, name=stored.name)


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
        lambda: new_ledger(tables(), k=k, earlier=earlier.ledgers),
        "Counts of classes by salted hash, no data, for the next release. Keep it to yourself.",
    )
