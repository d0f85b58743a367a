"""What the person chooses: how cells count, and from where a figure is a concern."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.errors import refuse
from core.settings.form import Widget, check, setting
from core.values.cells import canonical_text
from core.words import Text, text

_CHANCE_LEVELS = (0.0001, 0.001, 0.005, 0.01, 0.05, 0.1)


@dataclass(frozen=True, kw_only=True)
class LeakageSettings:
    """How two tables are compared; a change means measuring again."""

    key: str | None = setting(
        None,
        "Compare rows by",
        "By position, or by a column that names each person once in both tables; it is not compared itself.",
        none="Position in the table",
        metavar="COL",
    )
    ignore_values: tuple[str, ...] = setting(
        (),
        "Values to ignore",
        "Cells equal to one of these, in either table, are not compared. Numbers count as numbers: -999 is "
        "also -999.0. NaN stands for missing cells, None for nothing.",
        "--ignore-value",
        metavar="V",
        widget=Widget(
            options={"NaN": "NaN (missing cells)", "-999": "", "0": ""},
            further={"accept_new_options": True, "placeholder": "None; type a value to add it"},
        ),
    )
    ignore_columns: tuple[str | int, ...] = setting(
        (),
        "Columns to ignore",
        "Left out of every comparison, by name or 0-based position (1 or 1,2,3); a name wins. A column of "
        "row numbers, for instance, says nothing.",
        "--ignore-column",
        metavar="C",
        widget=Widget(further={"placeholder": "None"}),
    )
    missing_on_both: str = setting(
        "leave out",
        "A cell missing in both tables is",
        "Missing in one table only is always a difference.",
        choices={"leave out": "Leave out", "match": "Match", "difference": "Difference"},
        widget=Widget(kind="segmented_control"),
    )
    seed: int = setting(
        0,
        "Seed",
        "Where random orders and samples start; the same seed gives the same figures.",
        least=0,
        any_size=True,
    )
    n_permutations: int | None = setting(
        None,
        "Random orders",
        "How many random orders of the scrambled rows to compare with.",
        "--random-orders",
        least=1,
        most=10_000,
        none="20 to 500, more for smaller tables",
    )
    max_comparisons: int = setting(
        8_000_000_000,
        "Comparisons of cells, at most",
        "Nearest rows are exact up to so many, beyond that on a random sample of the original rows; "
        "distances to the closest record take half of it.",
        least=1,
        most=1_000_000_000_000,
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def values_to_ignore(self) -> tuple[str, ...]:
        """Return the ignore values in canonical text, without ``None``, each once."""
        stated = (canonical_text(value) for value in self.ignore_values)
        return tuple(dict.fromkeys(value for value in stated if value != "None"))

    @property
    def ignores_missing(self) -> bool:
        """Whether missing cells are among the ignore values (``NaN``)."""
        return "nan" in self.values_to_ignore


@dataclass(frozen=True, kw_only=True)
class LeakageThresholds:
    """From where a figure is a concern; a change only judges again."""

    max_full_leakage_share: float = setting(
        0.0,
        "Full leakage tolerated",
        "More fully matching rows than this share of all rows is FAIL.",
        "--max-full-leakage",
        percent=True,
        widget=Widget(kind="slider", span=(0, 0.05), step=0.001, key="max_full"),
    )
    chance_level: float = setting(
        0.01,
        "Whole rows: probability by chance at most",
        "Unique whole rows that reappear are FAIL when shuffled columns would give as many with no more than "
        "this probability. Larger is stricter.",
        least=0.0001,
        most=0.2,
        metavar="PROBABILITY",
        widget=Widget(kind="select_slider", options=dict.fromkeys(_CHANCE_LEVELS, "")),
    )
    z: float = setting(
        4.0,
        "Excess worth a warning",
        "Figures this many standard deviations above chance are WARN. Smaller is stricter.",
        least=1,
        most=10,
        widget=Widget(kind="slider", step=0.5, further={"format": "%.1f standard deviations"}),
    )

    def __post_init__(self) -> None:
        check(self)


def resolve_columns(stated: Iterable[str | int], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names, each once, of columns stated by name or 0-based position (``1,2,3``, ``[1,2]``).

    A text that is a column's name is that column. What does not exist is an AuditInputError that lists all.

    >>> resolve_columns(["[0,2]", "age"], ["id", "age", "sex"])
    ('id', 'sex', 'age')
    """
    problems: list[str] = []
    found: list[str] = []
    for part in _parts(stated, columns):
        if part in columns:
            found.append(part)
        elif re.fullmatch(r"-?[0-9]{1,9}", part) and 0 <= int(part) < len(columns):
            found.append(columns[int(part)])
        else:
            problems.append(_unknown_column(part, len(columns)))
    refuse(problems)
    return tuple(dict.fromkeys(found))


def _parts(stated: Iterable[str | int], columns: Sequence[str]) -> Iterator[str]:
    """Return single names and positions; a text that is a column's name is not taken apart."""
    for item in stated:
        written = str(item)
        if written in columns:
            yield written
        else:
            inner = written.strip().removeprefix("[").removesuffix("]")
            yield from (part.strip() for part in inner.split(",") if part.strip())


def _unknown_column(part: str, n_columns: int) -> Text:
    """Say that a column to ignore does not exist."""
    if re.fullmatch(r"-?[0-9]+", part):
        return text(
            "Column position {position} to ignore is out of range: positions go from 0 to {last}, in the "
            "order of the original table.",
            position=part,
            last=n_columns - 1,
        )
    return text(
        "Column “{column}” to ignore is not in the original table; use a column's name or its 0-based "
        "position.",
        column=part,
    )
