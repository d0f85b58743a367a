"""What a tool's page shows, from what is given to what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamlit.delta_generator import DeltaGenerator

from core.people.free_text import Reading, TextColumn
from core.reports import InputFacts, input_facts
from core.tables import Dataset
from core.tools import Tool
from core.words import own
from pages.components.earlier import Earlier
from pages.components.texts import what_was_read

if TYPE_CHECKING:
    from pages.components.tool_page import ToolPage


@dataclass(frozen=True)
class Texts:
    """Columns of a table that may be free text, to be read by the person."""

    key: str  # of the widgets
    table: Dataset
    columns: Sequence[TextColumn]
    of: str = ""  # what stands before a column's name in what was read


@dataclass(kw_only=True)
class Shown:
    """What a page shows, filled from its top to its bottom.

    Attributes
    ----------
    given
        A table, several, or files, by the part they play.
    drawer
        Places for settings and files, by their titles.
    unread
        Names of files that could not be read, beside which a result is not whole.
    top, last
        Places above the verdict, and of what stands between tabs and definitions.
    found
        What else was found on the way, for tabs and the report.
    depends_on
        What the result depends on, beside what is given, settings, thresholds and what was read.
    is_outdated
        Whether settings have changed since it was measured.
    """

    page: ToolPage
    given: dict[str, Any] = field(default_factory=dict)
    drawer: Mapping[str, DeltaGenerator] = field(default_factory=dict)
    settings: Any = None
    measured: Any = None
    thresholds: Any = None
    read: Mapping[str, Reading] = field(default_factory=dict)
    audit: Any = None
    result: Any = None
    top: Any = None
    last: Any = None
    found: dict[str, Any] = field(default_factory=dict)
    depends_on: list[object] = field(default_factory=list)
    is_outdated: bool = False
    unread: list[str] = field(default_factory=list)

    @property
    def tool(self) -> Tool:
        """Return the tool whose page it is."""
        return self.page.tool

    @property
    def tables(self) -> list[Dataset]:
        """Return every table given, in the order of the tool's inputs."""
        return [table for each in self.tool.inputs for table in _tables(self.given.get(each.role))]

    @property
    def earlier(self) -> Earlier:
        """Return the earlier releases given."""
        return self.given.get("earlier") or Earlier()

    def facts(self) -> list[InputFacts]:
        """Return what a report says of the tables given, and of the earlier releases."""
        found = [
            input_facts(table, own(each.part or each.role))
            for each in self.tool.inputs
            for table in _tables(self.given.get(each.role))
        ]
        return [*found, *self.earlier.facts()]

    def judge(self, thresholds: Any) -> None:
        """Hold what was measured against thresholds, and what the person read of its texts."""
        self.thresholds = thresholds
        self.read = {
            f"{texts.of}{column}": found
            for texts in self.page.texts(self)
            for column, found in what_was_read(texts.key, texts.table, texts.columns).items()
        }
        self.audit = self.page.judge(self)
        self.result = self.page.result(self)

    def identity(self) -> str:
        """Return what the result depends on."""
        given = [each.fingerprint for each in self.tables]
        return repr(
            (
                given,
                self.unread,
                self.earlier.digests,
                self.settings,
                self.thresholds,
                dict(self.read),
                self.depends_on,
            )
        )


def _tables(given: Any) -> list[Dataset]:
    several = given if isinstance(given, list | tuple) else [given]
    return [each for each in several if isinstance(each, Dataset)]
