"""Site frequencies of a whole block at once.

Plain numbers (``AF=0.0012``, ``AC=3;AN=1000``) are read with numpy; every other line, such as one
with several ALT alleles, goes through :class:`core.vcf.frequencies.FrequencyReader`, whose result
this must equal on every line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.blocks import NEWLINE, Block, Offsets
from core.vcf.columns import TAB, Text, places, whole_numbers
from core.vcf.frequencies import NOT_COMPUTABLE, FrequencyReader
from core.vcf.header import UNDECLARED, Declaration

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

EQUALS, SEMICOLON, POINT = 61, 59, 46
WIDTH = 14  # one digit, the point, twelve digits: below 2⁵³, so the quotient is rounded once
SHORT_WIDTH = 8  # tried first
INT_WIDTH = 10
# Under these a MAF without a value is missing, and the next key decides.
_READABLE_MAF = (Declaration("Float", single=True), UNDECLARED)
_A, _C, _F, _M, _N = b"ACFMN"


class Rarity(NamedTuple):
    """Per line: the site's minor allele frequency, and whether the reference is the rarest allele.

    `hindered` lists the lines whose frequency cannot be computed because of a declaration.
    """

    mafs: Floats
    reference_is_rarest: Mask
    hindered: list[int]


def site_rarity(block: Block, reader: FrequencyReader, wanted: Mask) -> Rarity:
    """Compute the site frequency of every wanted line; infinity elsewhere and where not computable."""
    n_lines = len(block.ends)
    result = Rarity(np.full(n_lines, NOT_COMPUTABLE), np.zeros(n_lines, dtype=bool), [])
    if reader.declared["MAF"] not in _READABLE_MAF and block.holds(b"MAF"):
        slow = wanted
    else:
        slow = np.zeros(n_lines, dtype=bool)
        _FastReading(info_text(block), reader, result, slow).read(wanted)
    for line in np.flatnonzero(slow).tolist():
        site = reader.site(block.info(line))
        result.mafs[line] = site.maf
        result.reference_is_rarest[line] = reference_is_rarest(site.frequencies)
        if site.hindered_by:
            result.hindered.append(line)
    return result


def reference_is_rarest(frequencies: Sequence[float]) -> bool:
    """Tell whether the reference allele is rarer than every ALT allele with a known frequency."""
    return bool(frequencies) and max(0, 1 - sum(frequencies)) < min(frequencies)


class InfoText(NamedTuple):
    """A text that holds every line's INFO, from the tab before it at `begins` to its end at `ends`."""

    text: Text
    begins: Offsets
    ends: Offsets


def info_text(block: Block) -> InfoText:
    """Return the block's text, or where INFO is a small part of it, the INFO columns cut out."""
    begins, ends = block.tabs[6], block.info_ends
    width = int((ends - begins).max(initial=0)) + 1
    if len(begins) * width > len(block.text) // 4:
        return InfoText(block.text, begins, ends)
    cells = np.take(block.text, begins[:, None] + np.arange(width), mode="clip")
    rows = np.arange(len(begins)) * width
    return InfoText(cells.ravel(), rows, rows + ends - begins)


@dataclass(eq=False)
class _FastReading:
    """What numpy reads of one block, and the lines it leaves to the slow reader."""

    info: InfoText
    reader: FrequencyReader
    result: Rarity
    slow: Mask

    def read(self, wanted: Mask) -> None:
        """Read every wanted line by the first of its keys that decides."""
        maf, af, ac, an = _first_hits(self.info, wanted)
        for hits in (maf, af, ac, an):
            self.slow |= wanted & (hits >= 0) & (_at(self.info.text, hits, 0) != EQUALS)
        wanted = wanted & ~self.slow
        has_maf = wanted & (maf >= 0)
        has_af = wanted & ~has_maf & (af >= 0)
        has_counts = wanted & ~has_maf & ~has_af & (ac >= 0) & (an >= 0)
        if has_maf.any():
            self._from_maf(np.flatnonzero(has_maf), maf)
        if has_af.any():
            self._from_af(np.flatnonzero(has_af), af)
        if has_counts.any():
            self._from_counts(np.flatnonzero(has_counts), ac, an)

    def _from_maf(self, lines: Offsets, maf: Offsets) -> None:
        if self.reader.declared["MAF"].type != "Float":
            self.slow[lines] = True
            return
        values, plain = _decimals(self.info.text, maf[lines] + 1)
        self.result.mafs[lines[plain]] = _single(values[plain])
        self.slow[lines[~plain]] = True

    def _from_af(self, lines: Offsets, af: Offsets) -> None:
        kind = self.reader.declared["AF"].type
        if kind not in ("Float", "String"):
            self.slow[lines] = True
            return
        values, plain = _decimals(self.info.text, af[lines] + 1)
        self._fill(lines[plain], _single(values[plain]) if kind == "Float" else values[plain])
        self.slow[lines[~plain]] = True

    def _from_counts(self, lines: Offsets, ac: Offsets, an: Offsets) -> None:
        declared = self.reader.declared
        if declared["AC"].type != "Integer" or declared["AN"] != Declaration("Integer", single=True):
            self.slow[lines] = True
            return
        counts, plain_counts = _integers(self.info.text, ac[lines] + 1)
        totals, plain_totals = _integers(self.info.text, an[lines] + 1)
        plain = plain_counts & plain_totals & (totals > 0)
        self._fill(lines[plain], counts[plain] / totals[plain])
        self.slow[lines[~plain]] = True

    def _fill(self, lines: Offsets, frequencies: Floats) -> None:
        reference = np.maximum(0, 1 - frequencies)
        self.result.mafs[lines] = np.minimum(reference, frequencies)
        self.result.reference_is_rarest[lines] = reference < frequencies


def _single(values: Floats) -> Floats:
    return values.astype(np.float32).astype(np.float64)


def _first_hits(info: InfoText, wanted: Mask) -> tuple[Offsets, Offsets, Offsets, Offsets]:
    """Return per line where the first MAF, AF, AC and AN end, −1 where there is none.

    That is at the ``=``, or at what follows a key without a value.
    AC and AN are looked for only when some wanted line has neither MAF nor AF.
    """
    af_like = _ends_of_keys(info.text, _F)
    preceding = _at(info.text, af_like, -3)
    m_like = af_like[preceding == _M]
    maf = _first_per_line(info, m_like[_is_boundary(_at(info.text, m_like, -4))])
    af = _first_per_line(info, af_like[_is_boundary(preceding)])
    if not np.any(wanted & (maf < 0) & (af < 0)):
        none = np.full_like(maf, -1)
        return maf, af, none, none
    ac = _first_per_line(info, _short_keys(info.text, _ends_of_keys(info.text, _C)))
    an = _first_per_line(info, _short_keys(info.text, _ends_of_keys(info.text, _N)))
    return maf, af, ac, an


def _ends_of_keys(text: Text, last: int) -> Offsets:
    """Return where what ends a key, or a key and its field, stands after an ``A`` and the letter `last`."""

    def test(_at: int, piece: Text) -> Mask:
        found = piece[1:-1] == last
        found &= piece[:-2] == _A
        return found

    after = places(text, test, 2) + 2
    cells = _at(text, after, 0)
    return after[(cells == EQUALS) | (cells == NEWLINE) | _is_boundary(cells)]


def _short_keys(text: Text, ends: Offsets) -> Offsets:
    return ends[_is_boundary(_at(text, ends, -3))]


def _at(text: Text, offsets: Offsets, shift: int) -> Text:
    return np.take(text, offsets + shift, mode="clip")


def _is_boundary(cells: Text) -> Mask:
    return (cells == SEMICOLON) | (cells == TAB)


def _first_per_line(info: InfoText, hits: Offsets) -> Offsets:
    first = np.full(len(info.ends), -1)
    lines = np.minimum(np.searchsorted(info.ends, hits), len(info.ends) - 1)
    inside = (hits > info.begins[lines]) & (hits <= info.ends[lines])
    first[lines[inside][::-1]] = hits[inside][::-1]
    return first


def _cells(text: Text, starts: Offsets, width: int) -> tuple[Text, Offsets, Mask]:
    """Return the `width` bytes from each start, shape (width, values), the lengths, and which end there."""
    cells = np.take(text, starts + np.arange(width)[:, None], mode="clip")
    stops = (cells == SEMICOLON) | (cells == TAB) | (cells == NEWLINE)
    return cells, stops.argmax(axis=0), stops.any(axis=0)


def _decimals(text: Text, starts: Offsets) -> tuple[Floats, Mask]:
    """Read numbers written ``d`` or ``d.ddd`` with up to twelve decimals; tell which were so written."""
    width = SHORT_WIDTH
    cells, lengths, ended = _cells(text, starts, width)
    if not ended.all():
        width = WIDTH
        cells, lengths, ended = _cells(text, starts, width)
    digits = cells - np.uint8(48)
    digits[np.arange(width)[:, None] >= lengths] = 0
    plain = ended & (lengths > 0) & (lengths != 2) & ((cells[1] == POINT) | (lengths == 1))
    digits[1] = digits[0]  # for the point
    digits[0] = 0
    plain &= digits.max(axis=0) <= 9
    return whole_numbers(digits) / 10.0 ** (width - 2), plain


def _integers(text: Text, starts: Offsets) -> tuple[Floats, Mask]:
    """Read whole numbers of up to nine digits; tell which were so written."""
    cells, lengths, ended = _cells(text, starts, INT_WIDTH)
    digits = cells - np.uint8(48)
    digits[np.arange(INT_WIDTH)[:, None] >= lengths] = 0
    plain = ended & (lengths > 0) & (digits.max(axis=0) <= 9)
    return whole_numbers(digits) / 10.0 ** (INT_WIDTH - lengths), plain
