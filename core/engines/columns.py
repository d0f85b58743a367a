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
    has_stars: bool  # whether some cells may be nothing but stars

    @property
    def is_missing(self) -> BooleanValue:
        """Return whether a cell is missing."""
        return self.value.isnull()

    @property
    def is_suppressed(self) -> BooleanValue:
        """Return whether a cell is missing or nothing but stars."""
        if not self.has_stars:
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
    return {name: _key(engine, name, options, as_text=name in split) for name in columns}


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


def _is_nan(column: Any) -> Any:
    """DuckDB answers ``isnan`` and comparisons of a Parquet file by its smallest and largest value alone."""
    return (column * 0 != 0) & ~column.isinf()


def _is_minus_zero(column: Any) -> Any:
    return (column == 0) & column.cast("string").startswith("-")


def _key(engine: Engine, name: str, options: ReadOptions, *, as_text: bool) -> KeyColumn:
    column: Any = engine.table[name]
    kind = column.type()
    if kind.is_uuid():
        column = column.cast("string")
    if kind.is_floating() and {"nan", "NaN"} & {*options.missing_spellings}:
        column = _is_nan(column).ifelse(_null(column), column)
    if as_text:
        column = column.cast("string")
    if not kind.is_string():
        return KeyColumn(name=name, value=column, has_stars=False)
    has_missing, has_stars = _looked_at(engine, name, options)
    return KeyColumn(name=name, value=_known(column, options) if has_missing else column, has_stars=has_stars)


def _looked_at(engine: Engine, name: str, options: ReadOptions) -> tuple[bool, bool]:
    """Return whether a column of text has cells that are missing by their words, and such with stars.

    The distinct values are looked at once, and every later question may then be a plain one.
    """
    values = engine.table.select(v=engine.table[name]).distinct()
    found = engine.row(
        values.agg(
            missing=(_known(values.v, options).isnull() & values.v.notnull()).sum(),
            stars=values.v.contains("*").sum(),
        )
    )
    return bool(found["missing"]), bool(found["stars"])


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
