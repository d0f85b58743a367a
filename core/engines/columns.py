"""Columns of a table in an engine as what records are grouped by: the same values apart as in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from core.engines.sources import Engine
from core.errors import AuditInputError
from core.tables import ReadOptions
from core.words import text

if TYPE_CHECKING:
    from ibis.expr.types import BooleanValue, Value

_BLANKS = "\t\n\f\r "  # what stars may stand between


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyColumn:
    """A column as an expression."""

    name: str
    value: Value  # as it is grouped: null where missing, numbers with minus zero as text
    is_text: bool

    @property
    def is_missing(self) -> BooleanValue:
        """Return whether a cell is missing."""
        return self.value.isnull()

    @property
    def is_suppressed(self) -> BooleanValue:
        """Return whether a cell is missing or nothing but stars."""
        if not self.is_text:
            return self.is_missing
        stars = self.value.contains("*") & self.value.re_search(f"^[{_BLANKS}]*[*]+[{_BLANKS}]*$")
        return (self.is_missing | stars).fill_null(True)


@cache
def _spaces() -> str:
    """Return the characters that are trimmed around a cell, as they are in memory."""
    characters = [chr(each) for each in range(1, 0x3001)]
    trimmed = pc.utf8_trim_whitespace(pa.array(characters))
    return "".join(each for each, left in zip(characters, trimmed.to_pylist(), strict=True) if not left)


def key_columns(engine: Engine, names: Sequence[str], options: ReadOptions) -> Mapping[str, KeyColumn]:
    """Return columns by name.

    Raises
    ------
    AuditInputError
        A column of lists, records or bytes, which nobody can group.
    """
    columns = {name: engine.table[name] for name in dict.fromkeys(names)}
    problems = [
        text(
            "{column} holds {kind}, which cannot be grouped. Leave it out, or give a view with text, "
            "numbers and dates.",
            column=f"`{name}`",
            kind=str(column.type()).partition("<")[0],
        )
        for name, column in columns.items()
        if not is_groupable(column)
    ]
    if problems:
        raise AuditInputError(*problems)
    floats = {name: column for name, column in columns.items() if column.type().is_floating()}
    minus = {name: _is_minus_zero(column).sum() for name, column in floats.items()}
    has_minus = engine.row(engine.table.agg(**_numbered(minus))) if minus else {}
    split = {name for name, n in zip(minus, has_minus.values(), strict=True) if n}
    return {name: _key(name, column, options, as_text=name in split) for name, column in columns.items()}


def _numbered(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by a name that no column has."""
    return {f"v{place}": value for place, value in enumerate(values.values())}


def is_groupable(column: Value) -> bool:
    """Return whether a column's cells can be told apart as text would be."""
    kind = column.type()
    return any(
        (
            kind.is_string(),
            kind.is_boolean(),
            kind.is_numeric(),
            kind.is_date(),
            kind.is_timestamp(),
            kind.is_time(),
            kind.is_uuid(),
        )
    )


def _is_minus_zero(column: Any) -> Any:
    return (column == 0) & column.cast("string").startswith("-")


def _key(name: str, column: Any, options: ReadOptions, *, as_text: bool) -> KeyColumn:
    kind = column.type()
    if kind.is_uuid():
        column = column.cast("string")
    if kind.is_floating() and {"nan", "NaN"} & {*options.missing_spellings}:
        column = column.isnan().ifelse(_null(column), column)
    if as_text:
        column = column.cast("string")
    if kind.is_string():
        column = _known(column, options)
    return KeyColumn(name=name, value=column, is_text=kind.is_string())


def _null(column: Any) -> Any:
    import ibis  # noqa: PLC0415 - takes seconds to import

    return ibis.null(column.type())


def _known(column: Any, options: ReadOptions) -> Any:
    """Return a column of text with missing cells as null; cells with blank ends are looked at closely."""
    import ibis  # noqa: PLC0415

    words = ["", *options.missing_spellings]
    spaces = _spaces()
    edges = column.left(1).isin(list(spaces)) | column.right(1).isin(list(spaces))
    inside = "|".join(word for word in words if word)
    pattern = f"^[{spaces}]*({inside})?[{spaces}]*$" if inside else f"^[{spaces}]*$"
    null = _null(column)
    return ibis.cases((column.isin(words), null), (edges & column.re_search(pattern), null), else_=column)
