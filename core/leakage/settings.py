"""What the person chooses: how cells count, and from where a figure is a concern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.cells import canonical_text
from core.errors import AuditInputError

MISSING_ON_BOTH = ("leave out", "match", "difference")
LARGEST_Z = 10.0
SMALLEST_CHANCE_LEVEL, LARGEST_CHANCE_LEVEL = 0.0001, 0.2


@dataclass(frozen=True, kw_only=True)
class LeakageSettings:
    """How two tables are compared; a change means measuring again.

    Attributes
    ----------
    key
        A column that names the person in both tables: rows with the same key are compared, and the
        key itself is not. None compares rows in the same position.
    ignore_values
        Cells equal to one of these, in either table, are not compared by the row rules. ``NaN``
        stands for missing cells, ``None`` for nothing.
    ignore_columns
        Columns left out of every comparison: names, or 0-based positions in the original table as
        numbers or as text (``1``, ``1,2,3``, ``[1,2,3]``). A name wins over a position.
    missing_on_both
        What a cell is that is missing in both tables: ``leave out`` (not compared), ``match`` or
        ``difference``. Missing in one table only is always a difference.
    seed
        Start of the random permutations and samples; the same seed gives the same figures.
    n_permutations
        Random orders of the scrambled rows to compare with; None takes 20 to 500, more for
        smaller tables.
    max_comparisons
        Nearest rows are exact up to this many cell comparisons, beyond that on a random sample of
        the original rows; distances to the closest record take half of it.
    """

    key: str | None = None
    ignore_values: tuple[str, ...] = ()
    ignore_columns: tuple[str | int, ...] = ()
    missing_on_both: str = "leave out"
    seed: int = 0
    n_permutations: int | None = None
    max_comparisons: int = 8_000_000_000

    def __post_init__(self) -> None:
        problems = []
        if self.missing_on_both not in MISSING_ON_BOTH:
            problems.append(
                f"missing_on_both must be one of {', '.join(MISSING_ON_BOTH)}; got {self.missing_on_both!r}."
            )
        if self.seed < 0:
            problems.append(f"seed must be a whole number of at least 0; got {self.seed}.")
        if self.n_permutations is not None and self.n_permutations < 1:
            problems.append(f"n_permutations must be at least 1; got {self.n_permutations}.")
        if self.max_comparisons < 1:
            problems.append(f"max_comparisons must be at least 1; got {self.max_comparisons}.")
        if problems:
            raise AuditInputError(*problems)

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
    """From where a figure is a concern; a change only judges again.

    Attributes
    ----------
    max_full_leakage_share
        Share in [0, 1] of fully matching rows that is tolerated; more is FAIL.
    chance_level
        Unique whole rows that reappear are FAIL when independent columns would give as many with
        at most this probability.
    z
        Standard deviations above chance from which an excess is WARN.
    """

    max_full_leakage_share: float = 0.0
    chance_level: float = 0.01
    z: float = 4.0

    def __post_init__(self) -> None:
        problems = []
        if not 0 <= self.max_full_leakage_share <= 1:
            problems.append(
                f"max_full_leakage_share must be between 0 and 1; got {self.max_full_leakage_share}."
            )
        if not SMALLEST_CHANCE_LEVEL <= self.chance_level <= LARGEST_CHANCE_LEVEL:
            problems.append(
                f"chance_level must be between {SMALLEST_CHANCE_LEVEL} and {LARGEST_CHANCE_LEVEL}; "
                f"got {self.chance_level}."
            )
        if not 1 <= self.z <= LARGEST_Z:
            problems.append(f"z must be between 1 and {LARGEST_Z:g}; got {self.z}.")
        if problems:
            raise AuditInputError(*problems)


def resolve_columns(stated: Iterable[str | int], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns that were stated by name or by 0-based position.

    Parameters
    ----------
    stated
        Names, positions, or texts with several positions or names: ``1``, ``1,2,3``, ``[1,2,3]``.
        A text that is a column's name is that column, whatever else it could mean.
    columns
        All names, in order.

    Returns
    -------
    tuple[str, ...]
        Each column once, in the order stated.

    Raises
    ------
    AuditInputError
        A column does not exist or a position is out of range; all such are listed.

    Examples
    --------
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
    if problems:
        raise AuditInputError(*problems)
    return tuple(dict.fromkeys(found))


def _parts(stated: Iterable[str | int], columns: Sequence[str]) -> list[str]:
    """Return single names and positions; a text that is a column's name is not taken apart."""
    parts: list[str] = []
    for item in stated:
        text = str(item)
        if text in columns:
            parts.append(text)
        else:
            inner = text.strip().removeprefix("[").removesuffix("]")
            parts += [part.strip() for part in inner.split(",") if part.strip()]
    return parts


def _unknown_column(part: str, n_columns: int) -> str:
    """Say that a column to ignore does not exist."""
    if re.fullmatch(r"-?[0-9]+", part):
        return (
            f"Column position {part} to ignore is out of range: positions go from 0 to {n_columns - 1}, "
            "in the order of the original table."
        )
    return (
        f"Column “{part}” to ignore is not in the original table; use a column's name or its 0-based "
        "position."
    )
