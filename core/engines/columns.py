"""Columns of a table in an engine as what records are grouped by: the same values apart as in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from core.coding import CodedColumn, IntArray
from core.engines.sources import Engine
from core.errors import refuse
from core.tables import ReadOptions
from core.tables.parquet import as_text
from core.values.cells import WHITE_SPACE
from core.words import input_error, text

if TYPE_CHECKING:
    from ibis.expr.types import BooleanValue, Value

_MOST_VALUES = 10_000  # distinct values of a column that leave the engine
_FEW_VALUES = 20  # that may be of hardly more records
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


def key_columns(engine: Engine, names: Sequence[str], options: ReadOptions) -> Mapping[str, KeyColumn]:
    """Return columns by name.

    Raises
    ------
    AuditInputError
        A column of lists, records or bytes, which nobody can group.
    """
    check_groupable(engine, names)
    columns = {name: engine.table[name] for name in dict.fromkeys(names)}
    floats = {name: column for name, column in columns.items() if column.type().is_floating()}
    minus = {name: _is_minus_zero(column).sum() for name, column in floats.items()}
    has_minus = engine.row(engine.table.agg(**_numbered(minus))) if minus else {}
    split = {name for name, n in zip(minus, has_minus.values(), strict=True) if n}
    return {name: _key(engine, name, options, as_text=name in split) for name in columns}


def check_groupable(engine: Engine, names: Sequence[str]) -> None:
    """Refuse columns of lists, records or bytes, which nobody can group."""
    refuse(
        text(
            "{column} holds {kind}, which cannot be grouped. Leave it out, or give a view with text, "
            "numbers and dates.",
            column=f"`{name}`",
            kind=str(engine.table[name].type()).partition("<")[0],
        )
        for name in dict.fromkeys(names)
        if not is_groupable(engine.table[name])
    )


def _numbered(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by a name that no column has."""
    return {f"v{place}": value for place, value in enumerate(values.values())}


class Values(NamedTuple):
    """The distinct values of a column."""

    cells: pa.Array  # as the engine has them, a missing one last
    written: pa.Array  # those that are there, as text
    counts: tuple[IntArray, ...]  # the records of each, and those of them of which each condition holds

    def of_each(self, counts: IntArray) -> IntArray:
        """Return shape (n_values + 1,): counts of each value, and last of a missing one, 0 of none."""
        return counts if self.cells.null_count else np.append(counts, 0)

    def column(self, name: str) -> CodedColumn:
        """Return the values as a column that has each once, counted in the whole table."""
        n_values = len(self.written)
        codes = np.append(np.arange(n_values), -1) if self.cells.null_count else np.arange(n_values)
        column = CodedColumn(values=self.written, codes=codes, name=name)
        column.__dict__["counts"] = self.counts[0][:n_values]  # a frozen object has no other way in
        return column


def n_too_many(engine: Engine, column: KeyColumn) -> int:
    """Return how many values a column has, if they are too many to leave the engine, and else 0."""
    n_values, n_records = engine.row(
        engine.table.agg(n_values=column.value.nunique(), n_records=engine.table.count())
    ).values()
    is_large = n_values > _MOST_VALUES or (n_values > _FEW_VALUES and 2 * n_values > n_records)
    return int(n_values) if is_large else 0


def distinct_values(engine: Engine, column: KeyColumn, *conditions: Any) -> Values:
    """Return a column's values, which are not too many, and how many records have each."""
    every = engine.table.select(s=column.value, **{f"c{n}": each for n, each in enumerate(conditions)})
    counts = {"n": every.count()} | {f"n{n}": every[f"c{n}"].sum() for n in range(len(conditions))}
    found = engine.answer(every.group_by("s").agg(**counts))
    cells = found["s"].combine_chunks()
    order = np.argsort(cells.is_null().to_numpy(zero_copy_only=False), kind="stable")
    cells = cells.take(pa.array(order))
    written = as_text(pa.chunked_array([cells.slice(0, len(cells) - cells.null_count)])).combine_chunks()
    numbers = ([int(each or 0) for each in found[name].to_pylist()] for name in counts)
    return Values(cells, written, tuple(np.array(each, dtype=np.int64)[order] for each in numbers))


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
    return (column == 0).ifelse(column.cast("string").startswith("-"), False)


def known_value(engine: Engine, name: str, options: ReadOptions) -> Any:
    """Return a column that is no text, with missing cells as null."""
    column: Any = engine.table[name]
    if column.type().is_uuid():
        return column.cast("string")
    if column.type().is_floating() and {"nan", "NaN"} & {*options.missing_spellings}:
        return column.isnan().ifelse(_null(column), column)
    return column


def _key(engine: Engine, name: str, options: ReadOptions, *, as_text: bool) -> KeyColumn:
    column = known_value(engine, name, options)
    if as_text:
        column = column.cast("string")
    if not engine.table[name].type().is_string():
        return KeyColumn(name=name, value=column, has_stars=False)
    has_missing, has_stars = _looked_at(engine, name, options)
    return KeyColumn(name=name, value=_known(column, options) if has_missing else column, has_stars=has_stars)


def _looked_at(engine: Engine, name: str, options: ReadOptions) -> tuple[bool, bool]:
    """Return whether a column of text has cells that are missing by their words, and such with stars.

    The distinct values are looked at once, and every later question may then be a plain one.
    """
    values = engine.table.select(v=engine.table[name]).distinct()
    found = engine.row(
        values.agg(missing=is_missing_text(values.v, options).sum(), stars=values.v.contains("*").sum())
    )
    return bool(found["missing"]), bool(found["stars"])


def text_form(engine: Engine, column: KeyColumn) -> Callable[[Any], Any]:
    """Return what makes texts of a column's values that are there, as they are written in memory.

    Raises
    ------
    AuditInputError
        Moments with a time zone, which engines write in that of their session.
    """
    kind: Any = engine.table[column.name].type()
    if kind.is_floating():
        return _float_text
    if kind.is_boolean():
        return lambda value: value.ifelse("true", "false")
    if kind.is_decimal() and (kind.scale or 0) > _DECIMALS_WRITTEN_PLAIN:
        return partial(_decimal_text, scale=kind.scale)
    if not kind.is_timestamp():
        return lambda value: value if kind.is_string() else value.cast("string")
    if kind.timezone is not None:
        raise input_error(
            "{column} of {file} holds moments with a time zone, which engines write in their own. Give a "
            "view with moments without one.",
            column=f"`{column.name}`",
            file=engine.address.name,
        )
    moments = engine.table.select(v=column.value)
    found = engine.row(
        moments.agg(
            fraction=(moments.v.strftime("%f") != "000000").sum(),
            time=(moments.v.strftime("%H:%M:%S") != "00:00:00").sum(),
        )
    )
    layout = "%Y-%m-%d %H:%M:%S.%f" if found["fraction"] else "%Y-%m-%d %H:%M:%S"
    layout = layout if found["fraction"] or found["time"] else "%Y-%m-%d"
    return lambda value: value.strftime(layout)


def digits_and_power(number: Any) -> tuple[Any, Any]:
    """Return the digits of a number's text from the first to the last that is not 0, and its power of ten."""
    mantissa = number.re_replace("^[+-]", "").re_replace("[eE].*$", "")
    exponent = number.re_replace("^[^eE]*", "").re_replace("^[eE][+]?", "")
    exponent = (exponent == "").ifelse("0", exponent).cast("int64")
    significant = mantissa.re_replace("[.]", "").re_replace("^0+", "")
    digits = significant.re_replace("0+$", "")
    fraction = mantissa.re_replace("^[^.]*[.]?", "")
    return digits, exponent - fraction.length() + significant.length() - digits.length()


def _float_text(value: Any) -> Any:
    """Return numbers as Arrow writes them: ``100``, ``0.00001``, ``1.5e+10``, ``1e-7``, ``-inf``."""
    import ibis  # noqa: PLC0415

    written = value.cast("string")
    is_number = written.re_search("[0-9]")
    digits, power = digits_and_power(is_number.ifelse(written, "0"))
    power = power.cast("int32")  # else PostgreSQL has no such function of texts
    point = digits.length() + power  # of 0.digits
    zeros = ibis.literal("0" * _WRITTEN_PLAIN[1])
    inside = ibis.greatest(point, 0)
    plain = ibis.cases(
        (point <= 0, ibis.literal("0.") + zeros.left(ibis.greatest(-point, 0)) + digits),
        (power >= 0, digits + zeros.left(ibis.greatest(power, 0))),
        else_=digits.left(inside) + "." + digits.substr(inside),
    )
    first = digits.left(1) + (digits.length() > 1).ifelse(ibis.literal(".") + digits.substr(1), "")
    sign = (point > 0).ifelse("+", "-")
    scientific = first + "e" + sign + (point - 1).abs().cast("string")
    is_plain = point.between(*_WRITTEN_PLAIN)
    finite = ibis.cases((digits == "", "0"), (is_plain, plain), else_=scientific)
    is_negative = written.startswith("-")
    return ibis.cases(
        (is_number, is_negative.ifelse("-", "") + finite),
        (is_negative, "-inf"),
        (written.lower() == "nan", "nan"),
        else_="inf",
    )


def _decimal_text(value: Any, *, scale: int) -> Any:
    """Return decimals as Arrow writes them: with an exponent below a millionth, ``1.50E-7``."""
    import ibis  # noqa: PLC0415

    written = value.cast("string")
    digits = written.re_replace("[^0-9]", "").re_replace("^0+", "")
    digits = (digits == "").ifelse("0", digits)
    rest = (digits.length() > 1).ifelse(ibis.literal(".") + digits.substr(1), "")
    exponent = (scale + 1 - digits.length()).cast("string")
    sign = written.startswith("-").ifelse("-", "")
    is_plain = digits.length() >= scale - _DECIMALS_WRITTEN_PLAIN + 1
    return is_plain.ifelse(written, sign + digits.left(1) + rest + "E-" + exponent)


_DECIMALS_WRITTEN_PLAIN = 6
_WRITTEN_PLAIN = (-5, 10)  # places of the point before or in the digits where Arrow writes no exponent


def _null(column: Any) -> Any:
    import ibis  # noqa: PLC0415 - takes seconds to import

    return ibis.null(column.type())


def _known(column: Any, options: ReadOptions) -> Any:
    """Return a column of text with missing cells as null."""
    return is_missing_text(column, options).ifelse(_null(column), column)


def is_missing_text(column: Any, options: ReadOptions) -> Any:
    """Return whether a text stands for a missing cell."""
    words = ["", *options.missing_spellings]
    return has_blank_ends(column).ifelse(_without_blank_ends(column).isin(words), column.isin(words))


def has_blank_ends(value: Any) -> Any:
    """Return whether white space stands around a text, or nothing in it."""
    import ibis  # noqa: PLC0415 - takes seconds to import

    spaces: Any = ibis.literal(WHITE_SPACE)
    return spaces.contains(value.left(1)) | spaces.contains(value.right(1))


def trimmed_text(value: Any) -> Any:
    """Return a text without the white space around it."""
    return has_blank_ends(value).ifelse(_without_blank_ends(value), value)


def _without_blank_ends(value: Any) -> Any:
    return value.re_replace(f"^[{WHITE_SPACE}]+", "").re_replace(f"[{WHITE_SPACE}]+$", "")
