"""Reading a hierarchy of a column's values from a table."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from core.errors import AuditInputError
from core.risk.settings import Hierarchy
from core.tables import Dataset


def read_hierarchy(dataset: Dataset, *, values: Collection[str] | None = None) -> Hierarchy:
    """Read a hierarchy: a line for each value, the value first, then its groups from small to large.

    A last column with one and the same group in all lines is the group of all and left out, as it
    tells nothing apart.

    Parameters
    ----------
    dataset
        At least two columns; their names do not matter. The form that the field's tools exchange,
        ``value;level 1;level 2;…`` without a header, is read as a table without one.
    values
        The column's values: a first line whose value is none of them is a header. None: there is none, or
        it was read as one.

    Raises
    ------
    AuditInputError
        Fewer than two columns, missing cells, a value with two lines, or a group that lies in two
        groups of the next level.
    """
    columns = [dataset.table[name].to_pylist() for name in dataset.columns]
    if values is not None and columns[0] and columns[0][0] not in values:
        columns = [cells[1:] for cells in columns]
    return _hierarchy(dataset.name, columns)


def hierarchy_for(dataset: Dataset, table: Dataset) -> tuple[str, Hierarchy]:
    """Return the column of a table that a hierarchy is for, and the hierarchy.

    The file names the column in its header, or, without one, in its own name: ``age.csv``,
    ``hierarchy_age.csv``.

    Raises
    ------
    AuditInputError
        Neither does, or the hierarchy cannot be read.
    """
    if dataset.columns[0] in table.columns:
        return dataset.columns[0], read_hierarchy(dataset)
    stem = dataset.name.rsplit(".", 1)[0].casefold()
    named = [
        column for column in table.columns if re.search(rf"(^|[^\w]|_){re.escape(column.casefold())}$", stem)
    ]
    if not named:
        raise AuditInputError(
            f"{dataset.name}: it is not said which column these groups are for. Name the first column as "
            "that column is named, or let the file's name end with it, as in hierarchy_age.csv."
        )
    columns = [dataset.table[name].to_pylist() for name in dataset.columns]
    if dataset.reading.header_line:  # what was taken for a header is the first line
        columns = [[name, *cells] for name, cells in zip(dataset.columns, columns, strict=True)]
    return max(named, key=len), _hierarchy(dataset.name, columns)


def _hierarchy(name: str, columns: list[list[str | None]]) -> Hierarchy:
    problems = []
    if len(columns) < 2:
        problems.append(f"{name} needs two columns or more: the value, then its groups.")
    n_missing = sum(cell is None for column in columns for cell in column)
    if n_missing:
        problems.append(f"{name} lacks {n_missing:,} cells; give every value a group on every level.")
    n_repeated = len(columns[0]) - len(set(columns[0]))
    if n_repeated:
        problems.append(f"{name} has {n_repeated:,} lines for values that have one already.")
    for level, (groups, above) in enumerate(pairwise(columns[1:]), start=1):
        if len(set(zip(groups, above, strict=True))) > len(set(groups)):
            problems.append(f"{name}: a group of level {level} lies in several groups of level {level + 1}.")
    if problems:
        raise AuditInputError(*problems)
    kept = columns[:-1] if len(set(columns[-1])) == 1 else columns
    return Hierarchy(groups={value: tuple(groups) for value, *groups in zip(*kept, strict=True)})
