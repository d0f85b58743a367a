"""The minor allele frequency of a site, from INFO, as the published rule defines it.

The first of MAF, AF, AC with AN that is present decides. Values are read as htslib reads them:
a field declared Float holds 32-bit floats, one declared Integer holds the digits a text begins
with, one declared String or not declared holds text. AF or AC declared Flag is 1 where it is present,
whatever is written behind it: such a site is rare. A site whose frequency cannot be computed has
the value infinity here, which is below no threshold; so has NaN.
"""

import math
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.vcf.header import UNDECLARED, Declaration

NOT_COMPUTABLE = math.inf
SURE_DIGITS = 10  # fewer always fit
INT_RANGE = (-2147483640, 2147483647)  # what a 32-bit BCF integer holds besides missing and end marks

_FLOAT = re.compile(
    rb"\s*([+-]?(?:0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][+-]?\d+)?"
    rb"|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[iI][nN][fF]|[nN][aA][nN]))"
)
_INTEGER = re.compile(rb"[+-]?\d+")
_SINGLE = struct.Struct("<f")
_DECIDING, _MAF = r"(?:^|;)(?:MAF|AF|AC)(?:[=;]|$)", r"(?:^|;)MAF(?:[=;]|$)"
_PLAIN_NUMBER = r"^[0-9]{1,6}(?:\.[0-9]{1,15})?(?:[eE]-[0-9]{1,2})?$"
_LONGEST_NUMBER = 28  # and one more byte
_EQUALS, _SEMICOLON = b"=;"
_FIELDS = {key: b";%s" % key.encode() for key in ("MAF", "AF", "AC", "AN")}

Value = float | bytes | None


class Field(NamedTuple):
    """The values of an INFO field; `single` when the declaration promises exactly one and one is there."""

    values: tuple[Value, ...]
    single: bool
    flag: bool


class SiteFrequency(NamedTuple):
    """A site's minor allele frequency; infinity if not computable, with the declaration that is the cause."""

    maf: float
    hindered_by: str
    frequencies: tuple[float, ...]


class Rarity(NamedTuple):
    """What many INFO columns tell; arrays of one length, the places of the columns that were read."""

    mafs: npt.NDArray[np.float64]  # the site's minor allele frequency; infinity where not computable
    # index of the rarest allele (0 is the reference) where it is known at once, else −1
    rarest: npt.NDArray[np.int8]
    hindered: list[int]  # places whose frequency cannot be computed because of a declaration


_NONE = SiteFrequency(NOT_COMPUTABLE, "", ())


class FrequencyReader:
    """Reads site frequencies under one file's declarations."""

    def __init__(self, declarations: Mapping[str, Declaration]) -> None:
        self.declared = {key: declarations.get(key, UNDECLARED) for key in _FIELDS}

    def site(self, info: bytes) -> SiteFrequency:
        """Compute the site's minor allele frequency from its INFO column."""
        if info == b".":
            return _NONE
        text = b";%s;" % info
        if b"AF" not in text:
            return self._from_counts(text)
        maf = self._field("MAF", text)
        if maf is not None:
            decided = _from_maf(maf)
            if decided is not None:
                return decided
        af = self._field("AF", text)
        if af is not None:
            frequencies = tuple(_numbers(af.values))
            if frequencies:
                return SiteFrequency(smallest(frequencies), "", () if af.flag else frequencies)
        return self._from_counts(text)

    def counts(self, info: bytes) -> tuple[tuple[float, ...], float]:
        """Return AC and AN, nothing and 0 for those that are not there or not computable."""
        counts, total = (self._field(key, b";%s;" % info) for key in ("AC", "AN"))
        if counts is None or total is None or not total.single:
            return (), 0.0
        return tuple(_numbers(counts.values)), next(_numbers(total.values), 0.0)

    def maf(self, info: bytes) -> float:
        """Compute the site's minor allele frequency alone."""
        return self.site(info).maf

    def many(self, infos: pa.Array, has_alt: npt.NDArray[np.bool_]) -> Rarity:
        """Compute the frequencies of many INFO columns, of those whose record has an ALT allele.

        One plain number under AF, declared Float, is read together with others; all else by :meth:`site`.
        """
        n_lines = len(infos)
        rarity = Rarity(np.full(n_lines, NOT_COMPUTABLE), np.full(n_lines, -1, dtype=np.int8), [])
        starts, texts = _plain_frequencies(infos)
        is_plain = has_alt & (starts >= 0) & (self.declared["AF"].type == "Float")
        is_told = has_alt & ~is_plain
        if _holds(infos, b"MA"):
            is_maf = _match(infos, _MAF)
            is_plain &= ~is_maf
            is_told |= is_maf
        others = np.flatnonzero(is_told)
        is_told[others] = _match(infos.take(pa.array(others)), _DECIDING)
        literal = np.flatnonzero(is_told & has_alt & ~is_plain)
        for place, info in zip(literal.tolist(), infos.take(pa.array(literal)).to_pylist(), strict=True):
            site = self.site(info)
            rarity.mafs[place] = site.maf
            if site.hindered_by:
                rarity.hindered.append(place)
        texts = texts.filter(pa.array(is_plain))
        singles = pc.cast(texts, pa.float64()).to_numpy().astype(np.float32).astype(np.float64)
        rest = np.maximum(0, 1 - singles)
        rarity.mafs[is_plain] = np.minimum(rest, singles)
        rarity.rarest[is_plain] = singles <= rest
        return rarity

    def _from_counts(self, text: bytes) -> SiteFrequency:
        counts = self._field("AC", text)
        total = None if counts is None else self._field("AN", text)
        if counts is None or total is None:
            return _NONE
        if not total.single:
            return SiteFrequency(NOT_COMPUTABLE, "AN", ())
        n_alleles = next(_numbers(total.values), 0.0)
        if not n_alleles > 0:
            return _NONE
        frequencies = tuple(count / n_alleles for count in _numbers(counts.values))
        return SiteFrequency(smallest(frequencies), "", frequencies) if frequencies else _NONE

    def _field(self, key: str, info: bytes) -> Field | None:
        """Read a field of an INFO column that stands between semicolons."""
        text = _text_of(_FIELDS[key], info)
        if text is None:
            return None
        declared = self.declared[key]
        if declared.type == "Flag":
            return Field((1.0,), single=False, flag=True)
        has_value, text = text != b";", text.strip(b";")
        if declared.type in ("Float", "Integer"):
            values = _typed(text, declared.type) if has_value else ()
        else:
            values = tuple(part or None for part in text.split(b",")) if text else ()
        return Field(values, single=declared.single and len(values) <= 1, flag=False)


def _plain_frequencies(infos: pa.Array) -> tuple[npt.NDArray[np.int64], pa.Array]:
    """Return where the first AF of each INFO column has its value, −1 unless that is a number, and these."""
    bounds = np.frombuffer(infos.buffers()[1], dtype=np.int64)[infos.offset :][: len(infos) + 1]
    data = infos.buffers()[2]
    if not len(infos) or data is None or not data.size:
        return np.full(len(infos), -1), pa.array([""] * len(infos), pa.large_string())
    cells = np.frombuffer(data, dtype=np.uint8)
    at = pc.find_substring(infos, "AF").to_numpy().astype(np.int64)
    starts = bounds[:-1] + at + len("AF=")
    last = len(cells) - 1
    is_key = (at >= 0) & (starts < bounds[1:]) & (cells[np.minimum(starts - 1, last)] == _EQUALS)
    is_key &= (at == 0) | (cells[np.maximum(starts - 4, 0)] == _SEMICOLON)
    ends = np.minimum(bounds[1:], starts + _LONGEST_NUMBER)
    window = cells[np.minimum(starts[:, None] + np.arange(_LONGEST_NUMBER), last)]
    is_end = window == _SEMICOLON
    ends = np.where(is_end.any(axis=1), np.minimum(ends, starts + is_end.argmax(axis=1)), ends)
    ends = np.where(is_key, ends, bounds[:-1])
    starts = np.where(is_key, starts, bounds[:-1])
    pairs = np.stack([starts, ends], axis=1).ravel()
    both = pa.Array.from_buffers(pa.large_binary(), len(pairs) - 1, [None, pa.py_buffer(pairs), data])
    texts = both.take(pa.array(np.arange(0, len(pairs), 2)))
    is_plain = is_key & _match(texts, _PLAIN_NUMBER) & (ends - starts < _LONGEST_NUMBER)
    if not is_plain.all():
        texts = pc.if_else(pa.array(is_plain), texts, b"0")
    return np.where(is_plain, starts, -1), pc.cast(texts, pa.large_string())


def _holds(texts: pa.Array, pair: bytes) -> bool:
    """Tell whether two letters stand side by side in the texts of a column."""
    data = texts.buffers()[2]
    every = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    wanted = int.from_bytes(pair, "little")
    halves = (every[at : at + (len(every) - at) // 2 * 2].view("<u2") for at in range(min(2, len(every))))
    return any(bool(np.any(half == wanted)) for half in halves)


def _match(texts: pa.Array, pattern: str) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return found


def _text_of(key: bytes, text: bytes) -> bytes | None:
    """Return the value of the first field under a key (with its semicolon), a semicolon for none, or None."""
    start = text.find(key)
    while start >= 0:
        start += len(key)
        end = text[start : start + 1]
        if end == b"=":
            return text[start + 1 : text.find(b";", start)]
        if end == b";":
            return b";"
        start = text.find(key, start)
    return None


def rarest_allele(frequencies: Sequence[float], n_alts: int) -> int:
    """Return the index of the rarest allele: 0 for the reference, 1 for the first ALT allele.

    The first ALT allele where frequencies are not known or not of every allele.
    """
    if frequencies and max(0, 1 - sum(frequencies)) < min(frequencies):
        return 0
    return 1 + (min(range(n_alts), key=frequencies.__getitem__) if len(frequencies) == n_alts else 0)


def smallest(frequencies: Iterable[float]) -> float:
    """Return min(max(0, 1 − Σf), f…): the frequency of the rarest allele, the reference included.

    A NaN among the frequencies makes the reference's share 0, and so the result at most 0.
    """
    listed = tuple(frequencies)
    return min(max(0, 1 - sum(listed)), *listed)


def as_single(value: float) -> float:
    """Round to the nearest 32-bit float, as htslib stores a value declared Float."""
    try:
        return float(_SINGLE.unpack(_SINGLE.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _from_maf(field: Field) -> SiteFrequency | None:
    """Decide by the MAF field; None when its single value is missing and the next key decides."""
    if field.flag:
        return SiteFrequency(NOT_COMPUTABLE, "MAF", ())
    first = field.values[0] if field.values else None
    if first is None:
        return None if field.single else SiteFrequency(NOT_COMPUTABLE, "MAF", ())
    number = _number(first)
    if number is None:
        return SiteFrequency(NOT_COMPUTABLE, "MAF", ())
    return SiteFrequency(NOT_COMPUTABLE if math.isnan(number) else number, "", (number,))


def _typed(text: bytes, kind: str) -> tuple[Value, ...]:
    read = float_prefix if kind == "Float" else _integer_prefix
    return tuple(read(part) for part in text.split(b","))


def float_prefix(text: bytes) -> float | None:
    """Return the 32-bit float that a text begins with, as htslib reads it; None for none."""
    match = _FLOAT.match(text)
    if match is None:
        return None
    number = match[1]
    if b"x" in number or b"X" in number:
        return as_single(float.fromhex(number.decode()))
    return as_single(float(number))


def _integer_prefix(text: bytes) -> float | None:
    if len(text) < SURE_DIGITS and text.isdigit():
        return int(text)
    match = _INTEGER.match(text)
    if match is None or len(match[0]) > 20:
        return None
    number = int(match[0])
    return number if INT_RANGE[0] <= number <= INT_RANGE[1] else None


def _numbers(values: Iterable[Value]) -> Iterator[float]:
    for value in values:
        number = None if value is None else _number(value)
        if number is not None:
            yield number


def _number(value: float | bytes) -> float | None:
    if not isinstance(value, bytes):
        return value
    try:
        return float(value)
    except ValueError:
        return None
