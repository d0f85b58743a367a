"""What an audit says, as one tree of plain parts; pages, files and terminals render it.

A renderer never asks a tool anything: what is shown is in the :class:`Result`. There are five kinds of
parts and no sixth. Nothing here imports pandas, Streamlit or Altair, and rows are read when a renderer asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from core.measures.measure import Unit
from core.verdict import Finding, Verdict, worst

if TYPE_CHECKING:
    from core.charts import alt

Where = Literal["both", "page", "report"]


@dataclass(frozen=True)
class Figure:
    """A figure: a measure's key, its value, and the threshold it is held against."""

    measure: str  # key into :data:`core.measures.MEASURES`, which gives label, unit and definition
    value: float | None  # the figure itself (shares in [0, 1]); None for "not assessed"
    threshold: str = ""  # in words, such as "at least 80 %"; empty where nothing is judged
    verdict: Verdict | None = None  # what the figure makes of it, None where nothing is judged
    of: str = ""  # which file, column or attribute the figure is about; empty for the whole run
    total: int | None = None  # what a share is of, where it was counted: a small part is told as a count


@dataclass(frozen=True)
class Col:
    """A column of a table: its key in JSON, its heading, how its cells are written, and how they are got."""

    key: str  # in snake_case; nothing else names the column in code
    label: str
    unit: Unit | None = None  # shares and risks stay in [0, 1] and are shown as percent
    # words: ours, and said in a language; data: numbers, and names and values as typed; code: commands of
    # ours, which are never cut short
    kind: Literal["data", "words", "code"] = "data"
    get: Callable[[Any], Any] | None = None  # of a row that is no tuple; by default its attribute of the key
    mark: Callable[[Any], Verdict | None] | None = None  # what a row's cell is tinted by


@dataclass(frozen=True, eq=False)
class Table:
    """Rows under headings: tuples in the order of the columns, or things that the columns know to read."""

    key: str  # in snake_case: the key in JSON; empty for tables whose rows stand where they are described
    title: str  # heading on screen and in HTML
    columns: tuple[Col, ...]
    rows: Iterable[Any] = ()
    note: str = ""  # a sentence on how to read it
    where: Where = "both"
    name: str = ""  # of its sheet and file, where that is not its key

    @property
    def called(self) -> str:
        """Return the name of its sheet in XLSX, and of its file in the zip of CSVs."""
        return self.name or self.key.replace("_", " ").capitalize()

    def cells(self) -> list[tuple[Any, ...]]:
        """Return the rows as tuples, in the order of the columns."""
        gets = [each.get or attrgetter(each.key) for each in self.columns]
        return [row if isinstance(row, tuple) else tuple(get(row) for get in gets) for row in self.rows]

    def marks(self) -> dict[str, list[Verdict | None]]:
        """Return the verdict that each row's cell is tinted by, by the keys of columns that are tinted."""
        return {each.key: [each.mark(row) for row in self.rows] for each in self.columns if each.mark}


@dataclass(frozen=True, eq=False)
class Drawing:
    """A chart drawn from aggregates, under its title."""

    title: str
    chart: Callable[[], alt.LayerChart]  # makes it when something shows it
    alt: str = ""  # says what it shows, where that is more than titles of axes and the first marks
    where: Where = "both"


@dataclass(frozen=True)
class Note:
    """A sentence between the parts of a page."""

    words: str


Part = Figure | Table | Drawing | Note


@dataclass(frozen=True, eq=False)
class Group:
    """Parts under one heading: a tab of the page, a part of a report."""

    key: str
    title: str
    parts: tuple[Part, ...]
    where: Where = "both"
    empty: str = ""  # said on the page where there are no parts
    is_detail: bool = False  # in a report's appendix

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Return the figures."""
        return tuple(each for each in self.parts if isinstance(each, Figure))

    @property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables."""
        return tuple(each for each in self.parts if isinstance(each, Table))

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """Return the drawings."""
        return tuple(each for each in self.parts if isinstance(each, Drawing))


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """All that an audit says of its inputs."""

    tool: str
    verdict: Verdict
    headline: str  # the sentence that explains the verdict
    name: str = ""  # of the file, where a run is of several
    short: str = ""  # of the file in names of sheets, where it has a shorter name
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)  # those that it is the worst of, by name
    findings: Sequence[Finding] = ()
    files: Callable[[], Sequence[Result]] = tuple  # makes those of a run's files, which tell all of them
    first: Sequence[str] = ()  # measures of the figures that stand first
    groups: Sequence[Group] = ()
    limits: Sequence[str] = ()  # what this result cannot tell, beside what no result of the tool can
    settings: Mapping[str, object] = field(default_factory=dict)  # labels to values, as people read them
    asked: Mapping[str, object] = field(
        default_factory=dict
    )  # the same by the names of settings, as JSON has them
    kind: str = ""  # of input, where policies limit other figures of it than of what the tool usually takes
    is_whole: bool = True  # False where an input was left out, could not be read, or was not finished
    seeds: Mapping[str, object] = field(default_factory=dict)  # where random numbers started

    def group(self, key: str) -> Group:
        """Return a group by its key."""
        return next(each for each in self.groups if each.key == key)

    def parts(self, where: Literal["page", "report"], *, is_detail: bool | None = None) -> Iterator[Part]:
        """Yield the parts that stand on a page, or in a report, in their order; details alone, or none."""
        for group in self.groups:
            if group.where in ("both", where) and is_detail in (None, group.is_detail):
                yield from (each for each in group.parts if getattr(each, "where", "both") in ("both", where))

    def in_order(self, figures: Sequence[Figure]) -> list[Figure]:
        """Return figures as people read them: those that failed, unless one stands first, then the first."""
        failed = [each.measure for each in figures if each.verdict is Verdict.FAIL]
        first = list(self.first) if {*failed} & {*self.first} else [*failed, *self.first]
        return sorted(
            figures, key=lambda each: first.index(each.measure) if each.measure in first else len(first)
        )


def verdict_of(findings: Iterable[Finding], *checks: str) -> Verdict | None:
    """Return the worst verdict of the findings of some checks; None where there is none."""
    found = [each.verdict for each in findings if each.check in checks]
    return worst(found) if found else None
