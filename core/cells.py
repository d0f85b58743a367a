"""When two cells say the same: equal as trimmed text, as numbers, and, where asked for, as dates.

Every cell has one canonical text (:func:`canonical_text`), and two cells are equal exactly when
their canonical texts are. Being equality of a function's results, this is an equivalence relation:
reflexive, symmetric and transitive, so that cells may be counted, grouped and joined by it. The
vectorized functions give the same answers without writing out a canonical text for each cell:
they compare as text first and look at numbers only where the texts differ.

- Text: compared without the white space around it; case, accents and inner spaces count.
- Numbers: an optional sign, ASCII digits with at most one decimal point, an optional exponent of at
  most 18 digits. Compared as exact decimals, never rounded: ``-999`` = ``-999.0``, ``1e3`` = ``1000``,
  ``00123`` = ``123``, ``-0`` = ``0``, but ``9007199254740993`` ≠ ``9007199254740992`` although both
  round to the same 64-bit float. Thousands separators and decimal commas make a text.
- ``inf``, ``infinity`` (any case, any sign) and ``nan`` (any case) are one value each, equal to
  themselves; that keeps the relation reflexive, unlike IEEE 754.
- Dates, only where asked for: year, month, day separated by ``-``, ``/`` or ``.``, then possibly a
  time. ``2020-01-02`` = ``2020/1/2`` = ``2020-01-02T00:00:00`` = ``2020-01-02 00:00Z``; UTC is assumed
  where no offset is written, another offset is part of the value. Impossible dates are text.
- Missing: equal to nothing, also not to another missing cell; callers decide what that means.
"""

from __future__ import annotations

import datetime
import re
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.int32]
Column: TypeAlias = pa.Array | pa.ChunkedArray

WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace())

# Longest number, its sign not counted, that is written without an exponent in its canonical text.
_LONGEST_PLAIN_NUMBER = 40

# Decimal numbers of at most 15 significant digits stay apart when rounded to a 64-bit float
# (DBL_DIG in C), as long as they are neither tiny nor huge.
_EXACT_IN_FLOAT = 15
_SMALLEST_SAFE, _LARGEST_SAFE = 1e-290, 1e290

_NUMBER_PATTERN = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,18})?$"
_NOT_FINITE_PATTERN = r"^(?:[+-]?inf(?:inity)?|nan)$"
_DATE_PATTERN = (
    r"^[0-9]{4}(?:-[0-9]{1,2}-|/[0-9]{1,2}/|\.[0-9]{1,2}\.)[0-9]{1,2}"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_CANONICAL_DECIMAL_PATTERN = r"^(?:0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9])$"

_NUMBER = re.compile(
    r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]{1,18}))?", re.ASCII
)  # only applied to what _NUMBER_PATTERN matches
_IS_NUMBER = re.compile(_NUMBER_PATTERN.replace("$", r"\Z"))
_IS_NOT_FINITE = re.compile(_NOT_FINITE_PATTERN.replace("$", r"\Z"), re.IGNORECASE | re.ASCII)
_IS_DATE = re.compile(_DATE_PATTERN.replace("$", r"\Z"))
_DATE = re.compile(
    r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def canonical_text(text: str, *, dates: bool = False) -> str:
    """Return the canonical text of a cell: two cells are equal exactly when these are.

    Parameters
    ----------
    text
        The cell as written.
    dates
        Whether dates in different spellings are one value.

    Returns
    -------
    str
        The trimmed text; for a number its shortest exact decimal form; for a date, if asked for,
        the ISO 8601 form, without a time at midnight.

    Examples
    --------
    >>> canonical_text(" -999.0"), canonical_text("1e3"), canonical_text("1e300")
    ('-999', '1000', '1e300')
    >>> canonical_text("2020/1/2"), canonical_text("2020/1/2", dates=True)
    ('2020/1/2', '2020-01-02')
    """
    trimmed = text.strip(WHITE_SPACE)
    if _IS_NUMBER.match(trimmed):
        return _canonical_number(trimmed)
    if _IS_NOT_FINITE.match(trimmed):
        return {"-": "-inf", "n": "nan"}.get(trimmed[0].lower(), "inf")
    if dates and _IS_DATE.match(trimmed):
        return _canonical_date(trimmed)
    return trimmed


def _canonical_number(text: str) -> str:
    """Return the shortest exact decimal form of a number, with an exponent past 40 characters."""
    sign, whole, fraction, exponent_text = cast("re.Match[str]", _NUMBER.fullmatch(text)).groups()
    significant = (whole + fraction).lstrip("0")
    digits = significant.rstrip("0")
    if not digits:
        return "0"
    exponent = int(exponent_text or 0) - len(fraction) + len(significant) - len(digits)
    return ("-" if sign == "-" else "") + _written(digits, exponent)


def _written(digits: str, exponent: int) -> str:
    """Write digits × 10^exponent, plain where that takes at most 40 characters."""
    point = len(digits) + exponent
    if exponent >= 0 and point <= _LONGEST_PLAIN_NUMBER:
        return digits + "0" * exponent
    if exponent < 0 < point and len(digits) < _LONGEST_PLAIN_NUMBER:
        return f"{digits[:point]}.{digits[point:]}"
    if exponent < 0 and point <= 0 and 2 - exponent <= _LONGEST_PLAIN_NUMBER:
        return "0." + "0" * -point + digits
    return f"{digits}e{exponent}"


def _canonical_date(text: str) -> str:
    """Return a date in ISO 8601, the time only where it is not midnight; impossible dates as they are."""
    year, month, day, hour, minute, second, fraction, offset = cast(
        "re.Match[str]", _DATE.fullmatch(text)
    ).groups()
    try:
        date = datetime.date(int(year), int(month), int(day)).isoformat()
        time = datetime.time(int(hour or 0), int(minute or 0), int(second or 0)).isoformat()
    except ValueError:
        return text
    fraction = (fraction or "").rstrip("0")
    zone = (offset or "").replace(":", "")
    zone = "" if zone in {"Z", "+0000", "-0000"} else zone
    time += f".{fraction}" if fraction else ""
    return date if time == "00:00:00" and not zone else f"{date}T{time}{zone}"


def cells_equal(a: Column, b: Column, *, dates: bool = False) -> BoolArray:
    """Compare two columns cell by cell.

    A missing cell equals nothing, also not another missing cell.

    Parameters
    ----------
    a, b
        String columns of equal length; missing is null.
    dates
        Whether dates in different spellings are one value.

    Returns
    -------
    BoolArray
        Shape (n_cells,), True where both cells are there and equal.
    """
    a, b = _contiguous(a), _contiguous(b)
    equal = _as_mask(pc.equal(a, b))
    rest = np.flatnonzero(~equal & _as_mask(pc.is_valid(a)) & _as_mask(pc.is_valid(b)))
    if len(rest) and not (_says_itself(a, dates=dates) and _says_itself(b, dates=dates)):
        equal[rest] = _differing_texts_equal(a.take(rest), b.take(rest), dates=dates)
    return equal


def cells_equal_to(column: Column, value: str, *, dates: bool = False) -> BoolArray:
    """Return shape (n_cells,): True where a cell equals the value; False where it is missing."""
    column = _contiguous(column)
    if _says_itself(column, dates=dates):
        return _as_mask(pc.equal(column, canonical_text(value, dates=dates)))
    encoded = pc.dictionary_encode(column)
    wanted = _as_mask(
        pc.equal(canonical_values(encoded.dictionary, dates=dates), canonical_text(value, dates=dates))
    )
    indices = _indices(encoded)
    return cast("BoolArray", np.append(wanted, False)[indices])


def shared_codes(a: Column, b: Column, *, dates: bool = False) -> tuple[CodeArray, CodeArray]:
    """Give equal values of two columns one code, so that they can be joined, counted and compared.

    Parameters
    ----------
    a, b
        String columns, of any lengths; missing is null.
    dates
        Whether dates in different spellings are one value.

    Returns
    -------
    tuple[CodeArray, CodeArray]
        Shapes (n_cells_a,) and (n_cells_b,): two cells, in whichever column, have the same code
        exactly when they are equal. Codes are 0 … n_values - 1; a missing cell is -1.
    """
    encoded = [pc.dictionary_encode(_contiguous(column)) for column in (a, b)]
    dictionaries = [part.dictionary.cast(pa.large_string()) for part in encoded]
    values = pa.concat_arrays(dictionaries)
    codes = _indices(pc.dictionary_encode(canonical_values(values, dates=dates)))
    n_a = len(dictionaries[0])
    return (
        np.append(codes[:n_a], np.int32(-1))[_indices(encoded[0])],
        np.append(codes[n_a:], np.int32(-1))[_indices(encoded[1])],
    )


def canonical_codes(column: Column, *, dates: bool = False) -> CodeArray:
    """Return shape (n_cells,): equal cells have one code, 0 … n_values - 1; a missing cell is -1."""
    return shared_codes(column, pa.array([], pa.string()), dates=dates)[0]


def canonical_values(values: Column, *, dates: bool = False) -> pa.Array:
    """Return the canonical text of each cell, as an Arrow array of the same length; missing stays so.

    Fast where most cells are texts or plain decimals; a number with an exponent, and a date, costs
    about a microsecond.
    """
    values = _trimmed(_contiguous(values))
    if _says_itself(values, dates=dates):
        return values
    values = _shortened_decimals(values)
    odd = np.flatnonzero(_needs_rewriting(values, dates=dates))
    if not len(odd):
        return values
    rewritten = [canonical_text(text, dates=dates) for text in values.take(odd).to_pylist()]
    mask = np.zeros(len(values), dtype=bool)
    mask[odd] = True
    return pc.replace_with_mask(values, pa.array(mask), pa.array(rewritten, values.type))


def _contiguous(column: Column) -> pa.Array:
    """Return the column as one array, of 64-bit offsets where 32 bits cannot address its text."""
    if not pa.types.is_large_string(column.type) and column.nbytes >= np.iinfo(np.int32).max:
        column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        chunks = column.chunks or [pa.array([], column.type)]
        column = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
    return column


def _as_mask(booleans: pa.Array) -> BoolArray:
    """Return an Arrow mask as a NumPy array that may be written to; missing is False."""
    filled = booleans.fill_null(False) if booleans.null_count else booleans
    return cast("BoolArray", filled.to_numpy(zero_copy_only=False).astype(bool, copy=True))


def _indices(encoded: pa.DictionaryArray) -> CodeArray:
    """Return the codes of a dictionary-encoded array; -1 where a cell is missing."""
    indices = encoded.indices
    indices = indices.fill_null(-1) if indices.null_count else indices
    return cast("CodeArray", indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False))


def _text_and_offsets(values: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.integer]]:
    """Return the bytes of all cells, end to end, and shape (n_cells + 1,): where each begins."""
    _, offsets_buffer, text_buffer = values.buffers()
    width = np.dtype(np.int64 if pa.types.is_large_string(values.type) else np.int32)
    offsets = np.frombuffer(offsets_buffer, width, len(values) + 1, values.offset * width.itemsize)
    text = np.frombuffer(text_buffer or b"", np.uint8)
    return text[offsets[0] : offsets[-1]], offsets - offsets[0]


def _edge_bytes(values: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return the first and the last byte of every cell that is not empty."""
    text, offsets = _text_and_offsets(values)
    filled = offsets[1:] > offsets[:-1]
    starts, ends = (
        (offsets[:-1], offsets[1:]) if filled.all() else (offsets[:-1][filled], offsets[1:][filled])
    )
    return text[starts], text[ends - 1]


def _bytes_at(position: int) -> BoolArray:
    """Return shape (256,): True for a byte that a white space has at that position of its UTF-8."""
    found = {character.encode()[position] for character in WHITE_SPACE}
    return np.array([byte in found for byte in range(256)])


_BEGINS_SPACE, _ENDS_SPACE = _bytes_at(0), _bytes_at(-1)
_MAY_BEGIN_NUMBER = np.array([chr(byte) in "0123456789+-.iInN" for byte in range(256)])


def _says_itself(values: pa.Array, *, dates: bool) -> bool:
    """Whether the cells surely all are their own canonical text, by a look at few of their bytes.

    True for texts that begin like no number and for integers written plainly; both without space
    around them. False means only that a closer look is needed.
    """
    if not len(values) or values.null_count == len(values):
        return True
    first, last = _edge_bytes(values)
    if not len(first):
        return True
    if _BEGINS_SPACE[first].any() or _ENDS_SPACE[last].any():
        return False
    if not _MAY_BEGIN_NUMBER[first].any():
        return True
    return not dates and _are_plain_integers(values, first)


def _are_plain_integers(values: pa.Array, first: npt.NDArray[np.uint8]) -> bool:
    """Whether all cells are digits only, none longer than 40 or with a leading zero."""
    text, offsets = _text_and_offsets(values)
    if text.min() < ord("0") or text.max() > ord("9"):
        return False
    lengths = np.diff(offsets)
    lengths = lengths[lengths > 0]
    return bool(lengths.max() <= _LONGEST_PLAIN_NUMBER and not ((first == ord("0")) & (lengths > 1)).any())


def _trimmed(values: pa.Array) -> pa.Array:
    """Return the cells without white space around them; the same array where there is none."""
    first, last = _edge_bytes(values)
    if not (_BEGINS_SPACE[first].any() or _ENDS_SPACE[last].any()):
        return values
    return pc.utf8_trim(values, characters=WHITE_SPACE)


def _shortened_decimals(values: pa.Array) -> pa.Array:
    """Return decimals without the zeros that end them: ``2.50`` as ``2.5``, ``2.0`` as ``2``."""
    if pc.any(pc.match_substring_regex(values, r"^-?[0-9]+\.[0-9]*0$")).as_py():
        values = pc.replace_substring_regex(values, r"^(-?[0-9]+)\.0+$", r"\1")
        values = pc.replace_substring_regex(values, r"^(-?[0-9]+\.[0-9]*[1-9])0+$", r"\1")
    return values


def _needs_rewriting(values: pa.Array, *, dates: bool) -> BoolArray:
    """Return True for trimmed cells that are a number, infinity, nan or date not in canonical form."""
    pattern = f"{_NUMBER_PATTERN}|{_DATE_PATTERN}" if dates else _NUMBER_PATTERN
    wanted = pc.match_substring_regex(values, pattern)
    canonical = pc.and_(
        pc.match_substring_regex(values, _CANONICAL_DECIMAL_PATTERN),
        pc.less_equal(pc.binary_length(values), _LONGEST_PLAIN_NUMBER),
    )
    extreme = pc.match_substring_regex(values, _NOT_FINITE_PATTERN, ignore_case=True)
    return _as_mask(pc.or_(pc.and_not(wanted, canonical), extreme))


def _differing_texts_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare cells, none missing, whose texts as written differ."""
    trimmed_a, trimmed_b = _trimmed(a), _trimmed(b)
    equal = np.zeros(len(a), dtype=bool)
    if trimmed_a is not a or trimmed_b is not b:
        equal = _as_mask(pc.equal(trimmed_a, trimmed_b))
    candidates = np.flatnonzero(~equal & _may_be_numbers(trimmed_a) & _may_be_numbers(trimmed_b))
    if len(candidates) == len(a):
        return _numbers_equal(trimmed_a, trimmed_b, dates=dates)
    if len(candidates):
        equal[candidates] = _numbers_equal(
            trimmed_a.take(candidates), trimmed_b.take(candidates), dates=dates
        )
    return equal


def _may_be_numbers(values: pa.Array) -> BoolArray:
    """Return shape (n_cells,): True where a cell begins like a number or a date."""
    text, offsets = _text_and_offsets(values)
    if not len(text):
        return np.zeros(len(values), dtype=bool)
    first = text[np.minimum(offsets[:-1], len(text) - 1)]
    return cast("BoolArray", _MAY_BEGIN_NUMBER[first] & (offsets[1:] > offsets[:-1]))


def _numbers_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare trimmed cells that begin like numbers: by 64-bit floats where those are exact enough.

    Equal decimals round to equal floats, so different floats settle it. Equal floats settle it for
    short numbers of usual size; what is left is compared by canonical texts.
    """
    try:
        floats_a, floats_b = (values.cast(pa.float64()).to_numpy(zero_copy_only=False) for values in (a, b))
    except pa.ArrowInvalid:  # not all are numbers
        return _canonical_texts_equal(a, b, dates=dates)
    equal = floats_a == floats_b
    size = np.abs(floats_a)
    safe = (size > _SMALLEST_SAFE) & (size < _LARGEST_SAFE) & _are_short(a) & _are_short(b)
    careful = np.flatnonzero((equal & ~safe) | (np.isnan(floats_a) & np.isnan(floats_b)))
    if len(careful):
        equal[careful] = _canonical_texts_equal(a.take(careful), b.take(careful), dates=dates)
    return equal


def _are_short(values: pa.Array) -> BoolArray:
    """Return shape (n_cells,): True where a cell has no more digits than a float holds exactly."""
    return np.diff(_text_and_offsets(values)[1]) <= _EXACT_IN_FLOAT


def _canonical_texts_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare cells, none missing, by their canonical texts, each distinct text looked at once."""
    codes_a, codes_b = shared_codes(a, b, dates=dates)
    return cast("BoolArray", codes_a == codes_b)
