"""Masked records that are like one that was judged literally, so that the same is found in them.

Whoever masks a file writes the same text from QUAL on in every masked record, or takes ALT alone away. What
the checks find in such a record depends on its alleles and on the shape of the rest: names, genotypes, and
which numbers are zero, but on no other number. So once a record was judged literally, the next ones of its
shape are compared with it as they stand in the text, and not taken apart.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from core.vcf.columns import ALT, CHROM, FILTER, ID, INFO, POS, QUAL, REF
from core.vcf.info import NUMERIC, Kind, kind_of
from core.vcf.pointers import has_phasing
from core.vcf.records import USUAL_FILTERS, Record

MAX_BLANKS = 4  # texts from QUAL on that are known as blank
MAX_SHAPES, MAX_CELLS = 256, 64  # kinds of records, and of samples in one of them, that are known
MAX_NOTED = 4096  # answers that are remembered
LONGEST = 1000  # bytes from QUAL to FORMAT of records whose shape is looked at
LONGEST_WORDS = 8000  # of those whose INFO holds words
BASES = b"ACGT,"
BLANK_ALTS = (b".", b"N")
_NUMBER = rb"[0-9+eE-][0-9.,+eE-]*+"
_ZERO, _NOT_ZERO = rb"0[0.,]*+", rb"(?=[^;\t]*[1-9+eE-])" + _NUMBER
_WHOLE = re.compile(rb"[1-9][0-9]{0,8}")
_SAID_BY_VALUE = Kind.COUNTS | Kind.TELLS  # of fields whose value may be zero, which says less
_DIGITS = b"0123456789"
_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_SAYS_NOTHING = b"0.,|/: "  # what a value may hold that is as good as zero
_DIGIT_IN_WORD = b"GA0GH:"  # the one word with a digit that a check looks for, with zeros for digits
_TAB, _POINT = b"\t."
NO_SHAPE = (-1, -1)


#: A line: the text it stands in, from where to where, and where its first columns end, counted from there.
Standing = tuple[bytes, int, int, Sequence[int]]


class Shape(NamedTuple):
    """What a record has from QUAL to FORMAT, whatever its numbers."""

    number: int
    pattern: re.Pattern[bytes]
    cells: list[tuple[int, re.Pattern[bytes]]]  # of the one sample, the last one found first


class Words(NamedTuple):
    """What a record without samples has from QUAL on, whatever its numbers, if INFO holds words."""

    number: int
    # the fields of which it matters whether they are zero: their places in INFO, and where their values start
    counted: tuple[tuple[int, int], ...]


class Like(NamedTuple):
    """A masked record that may be like one that was judged."""

    ref: bytes
    alt: bytes
    kept_alt: bytes
    blank: int  # which of the known texts follows ALT; −1 where it is the original's own
    shape: tuple[int, int]  # where it is: numbers of the original's shape and of its sample's


class AlikeRecords:
    """What is known of the records of a pair of files.

    A record is blank if ID, QUAL and INFO are missing, FILTER is missing or PASS, ALT is “.” or ``N``, and
    its samples are genotypes alone, all missing and alike.

    Parameters
    ----------
    n_samples
        Of the original.
    keeps_rest
        Whether the same text means the same in both files.
    """

    def __init__(self, n_samples: int, *, keeps_rest: bool) -> None:
        self._n_samples = n_samples
        self._keeps_rest = keeps_rest and n_samples < 2
        self._blanks: list[bytes] = []
        self._contigs: set[bytes] = set()
        self._shapes: dict[bytes, list[Shape]] = defaultdict(list)  # by all that is no number
        self._words: dict[bytes, Words] = {}
        self._written: dict[bytes, Words] = {}  # the same by texts whose numbers are of one length
        self._n_found, self._n_missed = 0, 0  # lookups among them
        self._n_shapes = 0
        self._noted: set[tuple[object, ...]] = set()

    def learn(self, original: Record, kept: Record) -> None:
        """Take up two records that are each other's own; htslib takes both."""
        self._contigs.add(kept.chrom)
        if kept.info == kept.qual == b"." and kept.filter in USUAL_FILTERS:
            self._learn_blank(kept)
        if self._keeps_rest and not original.extra and original.n_samples == self._n_samples:
            self._learn_shape(original)

    def _learn_blank(self, record: Record) -> None:
        if record.samples and not record.is_missing:
            return
        rest = b"\t" + record.rest
        if len(self._blanks) < MAX_BLANKS and rest not in self._blanks:
            self._blanks.append(rest)

    def _learn_shape(self, record: Record) -> None:
        """Take up the shape of a record, if no number of its sample's has a meaning."""
        keys = record.format.split(b":")
        if has_phasing(record.format) or b"CN" in keys:
            return
        if not record.fields.is_numeric:
            self._learn_words(record)
            return
        end = len(record.line) - len(record.samples)
        middle = record.line[len(record.line) - len(record.rest) - 1 : end]
        key = middle.translate(None, NUMERIC)
        shape = next((one for one in self._shapes.get(key, ()) if one.pattern.fullmatch(middle)), None)
        if shape is None:
            if self._n_shapes == MAX_SHAPES or len(middle) > LONGEST:
                return
            shape = Shape(self._n_shapes, _shape_of(record), [])
            self._n_shapes += 1
            self._shapes[key].append(shape)
        cells = shape.cells
        if record.samples and len(cells) < MAX_CELLS and _place(cells, record.samples, 0, sys.maxsize) < 0:
            cells.append((len(cells), _cell_of(record)))

    def _learn_words(self, record: Record) -> None:
        """Take up a record whose INFO holds words, unless digits in it may be more than numbers."""
        rest = b"\t" + record.rest
        fields = [text.partition(b"=") for text in record.info.split(b";")]
        key = _shortened(rest.translate(_ALIKE))
        if (
            self._n_samples
            or len(self._words) == MAX_SHAPES
            or len(rest) > LONGEST_WORDS
            or b"%" in record.info
            or _DIGIT_IN_WORD in key.upper()
            or any(name != name.translate(None, _DIGITS) for name, _, _ in fields)
        ):
            return
        counted = tuple(
            (at, len(name) + 1)
            for at, (name, _, value) in enumerate(fields)
            if kind_of(name.upper()) & _SAID_BY_VALUE and not value.strip(_DIGITS + _SAYS_NOTHING)
        )
        self._words.setdefault(key, Words(len(self._words), counted))

    def find(self, mine: Standing, theirs: tuple[bytes, int, int]) -> Like | None:
        """Return what a record is like, None for nothing known.

        Alleles of the original that are no plain bases may be told by the form of what is missing, so nothing
        is like them.
        """
        text, low, _, ends = mine
        ref_at, alt_at = low + ends[ID] + 1, low + ends[REF] + 1
        alt = text[alt_at : low + ends[ALT]]
        if alt.translate(None, BASES) or text[low : low + ends[CHROM]] not in self._contigs:
            return None
        head = text[low:alt_at]
        if text[ref_at - 2] != _POINT or text[ref_at - 3] != _TAB:
            head = b"%s.\t%s" % (text[low : low + ends[POS] + 1], text[ref_at:alt_at])
        kept, at, end = theirs
        if not kept.startswith(head, at):
            return None
        at += len(head) + 1
        kept_alt = kept[at - 1 : at]
        rest = self._rest(mine, (kept, at, end)) if kept_alt in BLANK_ALTS else None
        return rest and Like(text[ref_at : alt_at - 1], alt, kept_alt, *rest)

    def _rest(self, mine: Standing, theirs: tuple[bytes, int, int]) -> tuple[int, tuple[int, int]] | None:
        """Return which blank text follows ALT, or −1 and the shape of the original's own; else None."""
        kept, at, end = theirs
        for number, rest in enumerate(self._blanks):
            if end - at == len(rest) and kept.startswith(rest, at):
                return number, NO_SHAPE
        text, low, high, ends = mine
        begin = low + ends[ALT]
        if not self._keeps_rest or end - at != high - begin or not kept.startswith(text[begin:high], at):
            return None
        is_short = ends[-1] - ends[ALT] <= LONGEST
        shape = self._shape(text, begin, low + ends[-1], high) if is_short else NO_SHAPE
        if shape is NO_SHAPE and self._words and high - begin <= LONGEST_WORDS:
            shape = self._worded_shape(text[begin:high])
        return (-1, shape) if shape is not NO_SHAPE else None

    def _shape(self, text: bytes, low: int, end: int, high: int) -> tuple[int, int]:
        """Return the numbers of the shape that a record has from QUAL on, and of its sample's."""
        middle = text[low:end]
        for shape in self._shapes.get(middle.translate(None, NUMERIC), ()):
            if shape.pattern.fullmatch(middle):
                cell = _place(shape.cells, text, end, high) if self._n_samples else 0
                return (shape.number, cell) if cell >= 0 else NO_SHAPE
        return NO_SHAPE

    def _worded_shape(self, rest: bytes) -> tuple[int, int]:
        """Return the number of what a record has from QUAL on, and which of its counted fields are zero.

        Where hardly any record is found nothing is looked for any more.
        """
        if self._n_missed > MAX_NOTED + self._n_found:
            return NO_SHAPE
        zeroed = rest.translate(_ALIKE)
        words = self._written.get(zeroed)
        if words is None:
            words = self._words.get(_shortened(zeroed))
            if words is None:
                self._n_missed += 1
                return NO_SHAPE
            if len(self._written) < MAX_SHAPES:
                self._written[zeroed] = words
        self._n_found += 1
        zeros = 0
        if words.counted:
            fields = rest[rest.rfind(b"\t") + 1 :].split(b";")
            for at, begin in words.counted:
                zeros = 2 * zeros + (not fields[at][begin:].strip(_SAYS_NOTHING))
        return MAX_SHAPES + words.number, zeros

    def is_new(self, like: Like, mine: Standing, is_repeat: int, *, with_qual: bool) -> bool:
        """Tell whether no record was noted yet that masking changed in the same way, beside REF and ALT."""
        text, low, high, ends = mine
        filter_ = text[low + ends[QUAL] + 1 : low + ends[FILTER]]
        key: tuple[object, ...]
        if like.blank < 0:
            qual = text[low + ends[ALT] + 1 : low + ends[QUAL]] if with_qual else b""
            key = is_repeat, like.kept_alt, b"," in like.alt, like.shape, qual, filter_
        else:
            begin = low + ends[-1]
            end = text.find(b"\t", begin + 1, high)
            genotype = text[begin + 1 : end if end > 0 else high].partition(b":")[0]
            missing = (
                ends[at] - ends[at - 1] == 2 and text[low + ends[at] - 1] == _POINT for at in (QUAL, INFO)
            )
            format_ = text[low + ends[INFO] + 1 : begin]
            one = b"," not in like.alt
            key = is_repeat, like.kept_alt, one, like.blank, filter_, genotype, format_, *missing
        if key in self._noted:
            return False
        if len(self._noted) < MAX_NOTED:
            self._noted.add(key)
        return True


def _shortened(zeroed: bytes) -> bytes:
    """Return a text in which all digits are zeros with fewer of them, but never one for several.

    Texts of which the same comes differ in nothing but numbers, and where one of them has one digit, so has
    the other.
    """
    return zeroed.replace(b"0000", b"00").replace(b"000", b"00")


def _place(cells: list[tuple[int, re.Pattern[bytes]]], text: bytes, low: int, high: int) -> int:
    """Return the number of the sample that a text holds one like, and try it first next; −1 for none."""
    for place, (number, pattern) in enumerate(cells):
        if pattern.fullmatch(text, low, high):
            if place:
                cells.insert(0, cells.pop(place))
            return number
    return -1


def _shape_of(record: Record) -> re.Pattern[bytes]:
    """Return what matches from QUAL to FORMAT of a record, and of those with other numbers."""
    qual = rb"\." if record.qual == b"." else rb"(?!\.\t)[^\t]*+"
    info = b";".join(
        re.escape(name) + b"=" + _value_of(value, kind) for name, value, kind in record.fields.numbers()
    )
    columns = [b"", qual, re.escape(record.filter), info or rb"\."]
    return re.compile(rb"\t".join([*columns, re.escape(record.format)] if record.format else columns))


def _value_of(value: bytes, kind: int) -> bytes:
    if not kind & _SAID_BY_VALUE:
        return _NUMBER
    return _NOT_ZERO if value.strip(b"0.,") else _ZERO


def _cell_of(record: Record) -> re.Pattern[bytes]:
    """Return what matches a sample and those with other whole numbers; genotypes are as they are."""
    keys = record.format.split(b":")
    fields = [
        re.escape(text)
        if key.endswith(b"GT")
        else b",".join(
            _WHOLE.pattern if _WHOLE.fullmatch(one) else re.escape(one) for one in text.split(b",")
        )
        for key, text in zip(keys, record.samples[1:].split(b":"), strict=False)
    ]
    return re.compile(rb"\t" + b":".join(fields))
