"""What the columns of a release are, and what the differences between releases are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.tables import Dataset
from core.words import own

if TYPE_CHECKING:
    from core.releases.judging import ReleasesAudit
    from core.reports import InputFacts

EARLIER = own("earlier release")  # its part in an audit


@dataclass(frozen=True, kw_only=True)
class Roles:
    """What is known of a person, what must not become known, and whose record it is."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    person: str | None = None

    def common(self, columns: tuple[str, ...]) -> Roles:
        """Return the roles of the columns that another table has too."""
        return Roles(
            quasi_identifiers=tuple(name for name in self.quasi_identifiers if name in columns),
            sensitive=tuple(name for name in self.sensitive if name in columns),
            person=self.person if self.person in columns else None,
        )


class Released(Protocol):
    """A table of the release that is judged, wherever it is, and what its columns are."""

    @property
    def name(self) -> str:
        """Return what it is called."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns."""

    @property
    def roles(self) -> Roles:
        """Return what its columns are."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedTable:
    """A table of the release that is judged, and what its columns are."""

    name: str
    dataset: Dataset
    roles: Roles

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of its columns."""
        return self.dataset.columns


@dataclass(frozen=True, kw_only=True)
class EarlierTable:
    """A table of an earlier release."""

    release: str  # what the release is called: its folder, or its file
    dataset: Dataset


def earlier_words(audit: ReleasesAudit | None, inputs: Sequence[InputFacts]) -> list[str]:
    """Return the options that name the earlier releases on the command line."""
    paths = [facts.path for facts in inputs if facts.role == EARLIER]
    return ["--earlier", *paths] if audit is not None and paths else []
