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

import datetime
import re
import threading
from collections.abc import Sequence
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, FloatArray, SharedCodes
from core.values.numbers import may_be_thousands, plain_numbers

CodeArray = npt.NDArray[np.int32]
Column: TypeAlias = pa.Array | pa.ChunkedArray

_LARGEST_ARRAY = 2**31 - 1  # bytes that one array of Arrow's plain strings can hold


def _contiguous(column: Column) -> pa.Array:
    """Return the column as one array, of 64-bit offsets where 32 bits cannot address its text."""
    if not pa.types.is_large_string(column.type) and column.nbytes >= _LARGEST_ARRAY:
        column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        chunks = column.chunks or [pa.array([], column.type)]
        column = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
    return column


def _as_mask(booleans: pa.Array) -> BoolArray:
    """Return an Arrow mask as a NumPy array that may be written to; missing is False."""
    filled = booleans.fill_null(False) if booleans.null_count else booleans
    return cast("BoolArray", filled.to_numpy(zero_copy_only=False).astype(bool, copy=True))


def codes_of(encoded: pa.DictionaryArray) -> CodeArray:
    """Return the codes of a dictionary-encoded array; -1 where a cell is missing."""
    indices = encoded.indices
    indices = indices.fill_null(-1) if indices.null_count else indices
    return cast("CodeArray", indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False))


def text_and_offsets(values: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.integer]]:
    """Return the bytes of all cells, end to end, and shape (n_cells + 1,): where each begins."""
    _, offsets_buffer, text_buffer = values.buffers()
    width = np.dtype(np.int64 if pa.types.is_large_string(values.type) else np.int32)
    offsets = np.frombuffer(offsets_buffer, width, len(values) + 1, values.offset * width.itemsize)
    text = np.frombuffer(text_buffer or b"", np.uint8)
    return text[offsets[0] : offsets[-1]], offsets - offsets[0]


WHITE_SPACE = "".join(character for character in map(chr, range(0x3001)) if character.isspace())


def _bytes_at(position: int) -> BoolArray:
    """Return shape (256,): True for a byte that a white space has at that position of its UTF-8."""
    found = {character.encode()[position] for character in WHITE_SPACE}
    return np.array([byte in found for byte in range(256)])


BEGINS_SPACE, ENDS_SPACE = _bytes_at(0), _bytes_at(-1)


def trimmed(values: pa.Array) -> pa.Array:
    """Return the cells without white space around them; the same array where there is none."""
    text, offsets = text_and_offsets(values)
    filled = offsets[1:] > offsets[:-1]
    starts, ends = (
        (offsets[:-1], offsets[1:]) if filled.all() else (offsets[:-1][filled], offsets[1:][filled])
    )
    first, last = text[starts], text[ends - 1]  # bytes of every cell that is not empty
    if not (BEGINS_SPACE[first].any() or ENDS_SPACE[last].any()):
        return values
    return pc.utf8_trim(values, characters=WHITE_SPACE)


# Longest number, its sign not counted, that is written without an exponent in its canonical text.
_LONGEST_PLAIN_NUMBER = 40

NUMBER_PATTERN = r"^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,18})?$"
_NOT_FINITE_PATTERN = r"^(?i:[+-]?inf(?:inity)?|nan)$"
DATE_PATTERN = (
    r"^[0-9]{4}(?:-[0-9]{1,2}-|/[0-9]{1,2}/|\.[0-9]{1,2}\.)[0-9]{1,2}"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)

_NUMBER = re.compile(
    r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,18}))?", re.ASCII
)  # only applied to what NUMBER_PATTERN matches
_IS_NUMBER = re.compile(NUMBER_PATTERN.replace("$", r"\Z"))
_IS_NOT_FINITE = re.compile(_NOT_FINITE_PATTERN.replace("$", r"\Z"), re.ASCII)
_IS_DATE = re.compile(DATE_PATTERN.replace("$", r"\Z"))
_DATE = re.compile(
    r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})"
    r"(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


def canonical_text(text: str, *, dates: bool = False) -> str:
    """Return the canonical text of a cell: two cells are equal exactly when these are.

    The trimmed text; for a number its shortest exact decimal form; for a date, if asked for, the ISO 8601
    form, without a time at midnight.

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
    sign, whole, fraction, exponent_text = cast("re.Match[str]", _NUMBER.fullmatch(text)).groups("")
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


def _special_pattern(*, dates: bool) -> str:
    """Return the pattern of trimmed cells whose canonical text may differ from what is written."""
    patterns = [NUMBER_PATTERN, _NOT_FINITE_PATTERN, *([DATE_PATTERN] if dates else [])]
    return "|".join(patterns)


# Decimal numbers of at most 15 significant digits stay apart when rounded to a 64-bit float
# (DBL_DIG in C), as long as they are neither tiny nor huge.
_EXACT_IN_FLOAT = 15
_SMALLEST_SAFE, _LARGEST_SAFE = 1e-290, 1e290

_HEAD = 64  # cells that decide whether a column is worth a try as numbers


def as_numbers(column: Column) -> FloatArray | None:
    """Return shape (n_cells,): the cells as floats, missing as NaN; None unless all are finite numbers.

    Decimal commas and signs between thousands are read as by :func:`core.values.numbers.plain_numbers`.
    """
    values = trimmed(_contiguous(column))
    numbers = _as_floats(values)
    if numbers is None or may_be_thousands(values):
        encoded = pc.dictionary_encode(values)
        plain = plain_numbers(encoded.dictionary)
        numbers = None if plain is None else _as_floats(plain.texts.take(encoded.indices))
    if numbers is None:
        return None
    floats = numbers.to_numpy(zero_copy_only=False)
    n_finite = np.count_nonzero(np.isfinite(floats))
    return cast("FloatArray", floats) if n_finite + numbers.null_count == len(floats) else None


def _as_floats(values: pa.Array) -> pa.Array | None:
    """Return the cells as 64-bit floats, None unless all but missing ones are numbers, infinite or nan."""
    head = values.slice(0, _HEAD)
    if pc.match_substring_regex(head, f"{NUMBER_PATTERN}|{_NOT_FINITE_PATTERN}").false_count:
        return None
    try:
        return values.cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def _exact_floats(cells: pa.Array) -> pa.Array | None:
    """Return floats that are equal exactly where the cells are; None where floats cannot tell."""
    floats = _as_floats(cells)
    if floats is None:
        return None
    numbers = floats.drop_null().to_numpy()
    size = np.abs(numbers)
    zeros = pc.unique(cells.filter(pc.equal(floats, 0.0))).to_pylist()
    exact = (
        _are_short(cells).all()
        and (_of_usual_size(size) | (size == 0)).all()
        and all(canonical_text(text) == "0" for text in zeros)
    )
    return pc.add(floats, 0.0) if exact else None  # −0 + 0 is 0


def _of_usual_size(size: FloatArray) -> BoolArray:
    """Return shape (n_numbers,): True where an absolute value is neither tiny (nor 0) nor huge."""
    usual: BoolArray = (size > _SMALLEST_SAFE) & (size < _LARGEST_SAFE)
    return usual


def _are_short(values: pa.Array) -> BoolArray:
    """Return shape (n_cells,): True where a cell has no more digits than a float holds exactly."""
    short: BoolArray = np.diff(text_and_offsets(values)[1]) <= _EXACT_IN_FLOAT
    return short


_MAY_BEGIN_NUMBER = np.array([chr(byte) in "0123456789+-.iInN" for byte in range(256)])
_NEVER_IN_NUMBER = np.array([chr(byte) not in "0123456789+-.eEinfatyINFATY" for byte in range(256)])
_NEVER_IN_EITHER = _NEVER_IN_NUMBER & np.array([chr(byte) not in "/:TZ " for byte in range(256)])
_ISO_DATE_LENGTH = 10
_LOWER_CASE = np.uint8(ord("a") - ord("A"))


def _says_itself(values: pa.Array) -> bool:
    """Whether the cells surely all are their own canonical text; False: a closer look is needed."""
    text, offsets = text_and_offsets(values)
    filled = offsets[1:] > offsets[:-1]
    starts, ends = offsets[:-1][filled], offsets[1:][filled]
    if not len(starts):
        return True
    first = text[starts]
    if BEGINS_SPACE[first].any() or ENDS_SPACE[text[ends - 1]].any():
        return False
    if not (_MAY_BEGIN_NUMBER[first] & _may_be_that_long(first, ends - starts)).any():
        return True
    return _are_plain_integers(text, starts, ends) or _are_iso_dates(text, starts, ends)


def _may_be_that_long(first: npt.NDArray[np.uint8], lengths: npt.NDArray[np.integer]) -> BoolArray | np.bool_:
    """Return False for a cell that begins with i or n, but is no longer than ``no``."""
    letter = first > ord("9")
    return ~letter | (lengths >= len("nan")) if letter.any() else np.True_


def _are_plain_integers(
    text: npt.NDArray[np.uint8], starts: npt.NDArray[np.integer], ends: npt.NDArray[np.integer]
) -> bool:
    """Whether all cells are digits only, possibly after a minus, none over 40 long or with a leading zero."""
    if text.min() < ord("-") or text.max() > ord("9") or (ends - starts).max() > _LONGEST_PLAIN_NUMBER:
        return False
    first = text[starts]
    negative = first == ord("-")
    if np.count_nonzero(text < ord("0")) != np.count_nonzero(negative):  # a point, slash, or inner hyphen
        return False
    if (negative & (ends - starts == 1)).any():
        return False
    leading = np.where(negative, text[np.minimum(starts + 1, len(text) - 1)], first)
    return not ((leading == ord("0")) & (negative | (ends - starts > 1))).any()


def _are_iso_dates(
    text: npt.NDArray[np.uint8], starts: npt.NDArray[np.integer], ends: npt.NDArray[np.integer]
) -> bool:
    """Whether all cells are four digits, two and two with hyphens between; valid as a date or not."""
    if len(text) != len(starts) * _ISO_DATE_LENGTH or (ends - starts != _ISO_DATE_LENGTH).any():
        return False
    characters = text.reshape(-1, _ISO_DATE_LENGTH)
    hyphens = characters == ord("-")
    digits = (characters >= ord("0")) & (characters <= ord("9"))
    return bool((hyphens[:, [4, 7]]).all() and digits[:, [0, 1, 2, 3, 5, 6, 8, 9]].all())


def _may_be_special(values: pa.Array, *, dates: bool) -> BoolArray:
    """Return shape (n_cells,): False where a cell's bytes rule out a number, or, if asked for, a date."""
    text, offsets = text_and_offsets(values)
    filled = offsets[1:] > offsets[:-1]
    starts = offsets[:-1][filled]
    possible = np.zeros(len(values), dtype=bool)
    if len(starts):
        never = _NEVER_IN_EITHER[text] if dates else _NEVER_IN_NUMBER[text] | _is_inner_hyphen(text, starts)
        possible[filled] = _MAY_BEGIN_NUMBER[text[starts]] & ~np.maximum.reduceat(never, starts)
    return possible


def _is_inner_hyphen(text: npt.NDArray[np.uint8], starts: npt.NDArray[np.integer]) -> BoolArray:
    """Return shape (n_bytes,): True for a hyphen that neither begins a cell nor follows an e."""
    hyphen: BoolArray = text == ord("-")
    hyphen[starts] = False
    hyphen[1:] &= (text[:-1] | _LOWER_CASE) != ord("e")
    return hyphen


_CANONICAL_DECIMAL_PATTERN = r"^(?:0|-?[1-9][0-9]*|-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9])$"


def canonical_values(values: Column, *, dates: bool = False) -> pa.Array:
    """Return the canonical text of each cell, as an Arrow array of the same length; missing stays so.

    Fast where most cells are texts or plain decimals; a number with an exponent, and a date, costs
    about a microsecond.
    """
    values = trimmed(_contiguous(values))
    if _says_itself(values):
        return values
    found = _as_mask(pc.match_substring_regex(values, _special_pattern(dates=dates)))
    special = values.take(np.flatnonzero(found)) if len(values) else values
    if not len(special):
        return values
    return pc.replace_with_mask(values, pa.array(found), _canonical_specials(special, dates=dates))


def _canonical_specials(values: pa.Array, *, dates: bool) -> pa.Array:
    """Return the canonical texts of trimmed numbers, infinities, nans and dates."""
    values = _shortened_decimals(values)
    canonical = pc.and_(
        pc.match_substring_regex(values, _CANONICAL_DECIMAL_PATTERN),
        pc.less_equal(pc.binary_length(values), _LONGEST_PLAIN_NUMBER),
    )
    odd = ~_as_mask(canonical)
    if not odd.any():
        return values
    rewritten = [
        canonical_text(text, dates=dates) for text in values.take(np.flatnonzero(odd)).to_pylist()
    ]  # fmt: skip
    return pc.replace_with_mask(values, pa.array(odd), pa.array(rewritten, values.type))


def _shortened_decimals(values: pa.Array) -> pa.Array:
    """Return decimals without the zeros that end them: ``2.50`` as ``2.5``, ``2.0`` as ``2``."""
    if pc.any(pc.match_substring_regex(values, r"^-?[0-9]+\.[0-9]*0$")).as_py():
        values = pc.replace_substring_regex(values, r"^(-?[0-9]+)\.0+$", r"\1")
        values = pc.replace_substring_regex(values, r"^(-?[0-9]+\.[0-9]*[1-9])0+$", r"\1")
    return values


_FEW, _MANY = 2048, 65_536  # cells that decide
_RARELY, _TOO_DISTINCT = 0.05, 0.5  # distinct over all of these cells


def _distinct_share(column: pa.Array, n_looked_at: int) -> float:
    """Return distinct over all of the first cells, in [0, 1]; near 1, a dictionary does not pay."""
    head = column.slice(0, n_looked_at)
    return float(pc.count_distinct(head).as_py() / max(len(head), 1))


_ONE_AT_A_TIME = threading.Lock()


def shared_codes(a: Column, b: Column, *, dates: bool = False) -> SharedCodes:
    """Give equal values of two columns one code, dates in any spelling if asked for; -1 where missing."""
    a, b = _contiguous(a), _contiguous(b)
    if max(_distinct_share(column, _MANY) for column in (a, b)) > _TOO_DISTINCT:
        return _codes_cell_by_cell(a, b, dates=dates)
    encoded = [pc.dictionary_encode(column) for column in (a, b)]
    dictionaries = [part.dictionary.cast(pa.large_string()) for part in encoded]
    values = pa.concat_arrays(dictionaries)
    codes = codes_of(pc.dictionary_encode(canonical_values(values, dates=dates)))
    n_a = len(dictionaries[0])
    return SharedCodes(
        original=np.append(codes[:n_a], np.int32(-1))[codes_of(encoded[0])],
        anonymized=np.append(codes[n_a:], np.int32(-1))[codes_of(encoded[1])],
    )


def canonical_codes(column: Column, *, dates: bool = False) -> CodeArray:
    """Return shape (n_cells,): equal cells have one code, 0 … n_values - 1; a missing cell is -1."""
    return shared_codes(column, pa.array([], pa.string()), dates=dates).original


def codes_of_tables(columns: Sequence[pa.ChunkedArray]) -> list[CodeArray]:
    """Return the codes of a column of several tables; equal cells, dates in any spelling, share one."""
    chunks = [chunk.cast(pa.large_string()) for column in columns for chunk in column.chunks]
    codes = canonical_codes(pa.chunked_array(chunks, pa.large_string()), dates=True)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def equal_values(values: Column, *, dates: bool = False) -> CodeArray | None:
    """Return shape (n_values,): one code for equal values, all written differently; None if none are."""
    values = _contiguous(values)
    if _says_itself(values):
        return None
    floats = _exact_floats(values)
    if floats is not None:
        return codes_of(pc.dictionary_encode(floats))
    canonical = canonical_values(values, dates=dates)
    rewritten = np.flatnonzero(_as_mask(pc.not_equal(canonical, values)))
    if not len(rewritten):
        return None
    others = pc.is_in(values, value_set=pc.unique(canonical.take(rewritten)))
    return _merged(canonical, np.union1d(rewritten, np.flatnonzero(_as_mask(others))))


def _merged(values: pa.Array, places: npt.NDArray[np.int64]) -> CodeArray:
    """Return shape (n_values,): codes of values that are the same at some of these places or nowhere."""
    codes = codes_of(pc.dictionary_encode(values.take(places)))
    first = places[np.unique(codes, return_index=True)[1]]
    stands_for = np.arange(len(values))
    stands_for[places] = first[codes]
    number = np.cumsum(stands_for == np.arange(len(values))) - 1
    return cast("CodeArray", number[stands_for].astype(np.int32))


def _codes_cell_by_cell(a: pa.Array, b: pa.Array, *, dates: bool) -> SharedCodes:
    """Return the codes of two columns whose values hardly repeat; one pair at a time, to bound memory."""
    with _ONE_AT_A_TIME:
        return _codes_of_all_cells(a, b, dates=dates)


def _codes_of_all_cells(a: pa.Array, b: pa.Array, *, dates: bool) -> SharedCodes:
    """Return the codes of two columns, every cell looked at."""
    cells = pa.concat_arrays([a.cast(pa.large_string()), b.cast(pa.large_string())])
    values = _exact_floats(cells)
    if values is None:
        values = canonical_values(cells, dates=dates)
    codes = codes_of(pc.dictionary_encode(values))
    return SharedCodes(original=codes[: len(a)], anonymized=codes[len(a) :])


_MOSTLY = 0.5  # share of differing cells from which whole columns are compared closely


def cells_equal(a: Column, b: Column, *, dates: bool = False) -> BoolArray:
    """Return shape (n_cells,): where the cells of two columns are both there and equal."""
    a, b = _contiguous(a), _contiguous(b)
    equal = _as_mask(pc.equal(a, b))
    differs = ~equal
    for column in (a, b):
        if column.null_count:
            differs &= _as_mask(pc.is_valid(column))
    n_differ = np.count_nonzero(differs)
    if not n_differ or (_says_itself(a) and _says_itself(b)):
        return equal
    if max(_distinct_share(column, _FEW) for column in (a, b)) < _RARELY:
        return shared_codes(a, b, dates=dates).equal_in_row
    if n_differ > _MOSTLY * len(a):
        return _cells_equal_closely(a, b, dates=dates) & (equal | differs)
    rest = np.flatnonzero(differs)
    equal[rest] = _cells_equal_closely(a.take(rest), b.take(rest), dates=dates)
    return equal


def cells_equal_to(column: Column, value: str, *, dates: bool = False) -> BoolArray:
    """Return shape (n_cells,): True where a cell equals the value; False where it is missing."""
    column = _contiguous(column)
    if _says_itself(column):
        return _as_mask(pc.equal(column, canonical_text(value, dates=dates)))
    encoded = pc.dictionary_encode(column)
    wanted = _as_mask(
        pc.equal(canonical_values(encoded.dictionary, dates=dates), canonical_text(value, dates=dates))
    )
    indices = codes_of(encoded)
    return cast("BoolArray", np.append(wanted, False)[indices])


def _cells_equal_closely(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare cells as text, number and date; two missing cells may count as equal."""
    a, b = trimmed(a), trimmed(b)
    numbers = _numbers_equal(a, b, dates=dates)
    if numbers is not None:
        return numbers
    equal = _as_mask(pc.equal(a, b))
    possible = _may_be_special(a, dates=dates) & _may_be_special(b, dates=dates)
    candidates = np.flatnonzero(~equal & possible)
    if len(candidates):
        a, b = a.take(candidates), b.take(candidates)
        numbers = _numbers_equal(a, b, dates=dates)
        equal[candidates] = _specials_equal(a, b, dates=dates) if numbers is None else numbers
    return equal


def _specials_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare trimmed cells whose texts differ: only two numbers, or two dates, can still be equal."""
    equal = np.zeros(len(a), dtype=bool)
    pattern = _special_pattern(dates=dates)
    found = np.flatnonzero(_as_mask(pc.match_substring_regex(a, pattern)))
    found = found[_as_mask(pc.match_substring_regex(b.take(found), pattern))]
    if len(found):
        equal[found] = _canonical_texts_equal(a.take(found), b.take(found), dates=dates)
    return equal


def _numbers_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray | None:
    """Compare trimmed cells by 64-bit floats where those are exact enough; None unless all are numbers."""
    # equal decimals are equal floats; equal floats settle it for short numbers of usual size alone
    numbers_a, numbers_b = _as_floats(a), _as_floats(b)
    if numbers_a is None or numbers_b is None:
        return None
    floats_a, floats_b = (numbers.to_numpy(zero_copy_only=False) for numbers in (numbers_a, numbers_b))
    equal = floats_a == floats_b
    size = np.abs(floats_a)
    safe = _of_usual_size(size) & _are_short(a) & _are_short(b)
    careful = np.flatnonzero((equal & ~safe) | (np.isnan(floats_a) & np.isnan(floats_b)))
    if len(careful):
        equal[careful] = _canonical_texts_equal(a.take(careful), b.take(careful), dates=dates)
    return cast("BoolArray", equal)


def _canonical_texts_equal(a: pa.Array, b: pa.Array, *, dates: bool) -> BoolArray:
    """Compare cells by their canonical texts, each distinct text looked at once."""
    codes = shared_codes(a, b, dates=dates)
    return cast("BoolArray", codes.original == codes.anonymized)
