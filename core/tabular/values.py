"""What single values look like: floored dates, pseudonyms, and shapes that show no value."""

import datetime
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, CodedColumn
from core.files.plain_text import masked_shapes
from core.people.names import KOREAN_SURNAMES

_N_SHAPES = 3
_MIDNIGHT = r"(?:[ T]00?:00(?::00(?:\.0+)?)?Z?)?"
_EXCEL_DAY_ZERO = datetime.date(1899, 12, 30)

HEXADECIMAL = r"^[0-9A-Fa-f]{8,}$"
DIGITS_ONLY = r"^[0-9]+$"
UUID = r"^\{?[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\}?$"
TOKEN = r"^[A-Za-z0-9+/_\-]{12,}={0,6}$"  # noqa: S105 - the shape of a pseudonym, no password
SURNAME_AND_ZEROS = f"^(?:{'|'.join(sorted(KOREAN_SURNAMES))})00$"


def _excel_serials(*, decade: bool) -> pa.Array:
    """Return the day numbers by which Excel stores the first days of years 1900 to 2199."""
    years = range(1900, 2200, 10 if decade else 1)
    days = [str((datetime.date(year, 1, 1) - _EXCEL_DAY_ZERO).days) for year in years]
    return pa.array([*days, *(f"{day}.0" for day in days)])


SERIALS = {decade: _excel_serials(decade=decade) for decade in (False, True)}


def floor_pattern(*, decade: bool) -> str:
    """Return the regex of trimmed texts that are the first day of a year, or of a decade."""
    return rf"^[0-9]{{3}}{'0' if decade else '[0-9]'}-01-01{_MIDNIGHT}$"


def are_date_floors(values: pa.Array, *, decade: bool) -> BoolArray:
    """Return which values are the first day of a year, or of a decade."""
    trimmed = pc.utf8_trim_whitespace(values)
    written = pc.match_substring_regex(trimmed, floor_pattern(decade=decade))
    return _mask(pc.or_(written, pc.is_in(trimmed, SERIALS[decade].cast(trimmed.type))))


def look_like_pseudonyms(values: CodedColumn) -> BoolArray:
    """Return which values look like pseudonyms.

    Hexadecimal tokens of 8 characters or more, UUIDs, tokens of 12 characters or more with letters
    and digits, one prefix shared by the whole column with a number, a Korean surname with ``00``.
    Tokens of digits alone are hexadecimal only in a column where most such tokens hold a letter:
    elsewhere they are numbers, such as resident numbers or dates.
    """
    trimmed = pc.utf8_trim_whitespace(values.values)
    like = _hexadecimal_tokens(values, trimmed)
    rest = np.flatnonzero(~like)
    if len(rest):
        others = trimmed.take(pa.array(rest))
        like[rest] = _other_tokens(others) | _matches(others, f"{UUID}|{SURNAME_AND_ZEROS}")
    if not like.all() and _share_a_prefix(trimmed):
        like[:] = True
    return like


def _hexadecimal_tokens(values: CodedColumn, trimmed: pa.Array) -> BoolArray:
    tokens = _matches(trimmed, HEXADECIMAL)
    digits = np.zeros_like(tokens)
    digits[tokens] = _matches(trimmed.filter(pa.array(tokens)), DIGITS_ONLY)
    if values.n_cells(digits) > values.n_cells(tokens & ~digits):
        tokens &= ~digits
    return tokens


def _other_tokens(values: pa.Array) -> BoolArray:
    return _matches(values, TOKEN) & _matches(values, "[A-Za-z]") & _matches(values, "[0-9]")


def _share_a_prefix(values: pa.Array) -> bool:
    """Return whether every value is one and the same prefix, which ends in no digit, and a number."""
    first = re.fullmatch(r"(.*[^0-9])[0-9]+", values[0].as_py(), re.DOTALL)
    if first is None:
        return False
    if not pc.all(pc.starts_with(values, first[1])).as_py():
        return False
    numbers = pc.utf8_slice_codeunits(values, len(first[1]))
    return bool(pc.all(pc.match_substring_regex(numbers, DIGITS_ONLY)).as_py())


def n_shared_values(a: CodedColumn, b: CodedColumn) -> int:
    """Return the number of distinct values, as trimmed text, that both columns hold."""
    ours, theirs = (pc.unique(pc.utf8_trim_whitespace(column.values)) for column in (a, b))
    return int(pc.sum(pc.is_in(ours, theirs.cast(ours.type))).as_py() or 0)


def frequent_shapes(values: CodedColumn, mask: BoolArray) -> tuple[str, ...]:
    """Return the shapes of up to three marked values, the most frequent first, then by text."""
    return shapes_of(values.values.filter(pa.array(mask)), pa.array(values.counts[mask]))


def shapes_of(values: pa.Array, counts: pa.Array) -> tuple[str, ...]:
    """Return the most frequent shapes of values that occur so often."""
    marked = pa.table({"shape": masked_shapes(values), "n": counts})
    totals = marked.group_by("shape").aggregate([("n", "sum")])
    order = totals.sort_by([("n_sum", "descending"), ("shape", "ascending")])
    return tuple(order["shape"].slice(0, _N_SHAPES).to_pylist())


def _matches(values: pa.Array, regex: str) -> BoolArray:
    return _mask(pc.match_substring_regex(values, regex))


def _mask(booleans: pa.Array) -> BoolArray:
    return np.array(booleans.to_numpy(zero_copy_only=False), dtype=bool)
