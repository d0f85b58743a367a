"""Earlier releases on the pages that compare with them: their files, and the ledger."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.errors import AuditInputError
from core.releases import (
    EARLIER,
    EarlierTable,
    Ledger,
    ReleasedTable,
    new_ledger,
    read_ledger,
)
from core.reports import InputFacts, file_facts, input_facts
from core.tables import Dataset
from core.tools import EARLIER as INPUT
from core.web.caching import StoredFile, remembered
from pages.components.inputs import ask_for_files, list_file, list_table
from pages.components.reading import show_problems
from pages.components.results import Download

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
    stored = ask_for_files(tool, INPUT)
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


@remembered()
def _ledger(stored: StoredFile) -> Ledger:
    return read_ledger(stored.data, name=stored.name)


def ledger_download(
    tables: Callable[[], Sequence[ReleasedTable]], *, k: int, earlier: Earlier, identity: str
) -> Download:
    """Offer the ledger of this release."""
    return Download(
        "Ledger of this release",
        f"ledger_{identity[:8]}.json",
        lambda: new_ledger(tables(), k=k, earlier=earlier.ledgers),
        "Counts of groups by salted hash, no data, for the next release. Keep it to yourself.",
        is_further=True,
    )
