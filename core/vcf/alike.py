"""Masked records that are like one that was judged literally, so that the same is found in them.

Whoever masks a file writes the same text from QUAL on in every masked record, or takes ALT alone away. What
the checks find in such a record depends on its alleles and on the shape of the rest: names, genotypes, and
which numbers are zero, but on no other number. So once a record was judged literally, the next ones of its
shape are compared with it as they stand in the text, and not taken apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from core.vcf.columns import ALT, ID, POS, REF, Columns, Places
from core.vcf.info import NUMERIC, Kind, kind_of
from core.vcf.lines import Block
from core.vcf.pointers import has_phasing
from core.vcf.records import USUAL_FILTERS, Record

MAX_BLANKS = 4  # texts from QUAL on that are known as blank
MAX_SHAPES, MAX_CELLS = 256, 64  # kinds of records, and of samples in one of them, that are known
MAX_NOTED = 4096  # answers that are remembered
LONGEST = 1000  # bytes from QUAL to FORMAT of records whose shape is looked at
LONGEST_WORDS = 8000  # of those whose INFO holds words
BASES = b"ACGT,"
_NUMBER = rb"[0-9+eE-][0-9.,+eE-]*+"
_ZERO, _NOT_ZERO = rb"0[0.,]*+", rb"(?=[^;\t]*[1-9+eE-])" + _NUMBER
_WHOLE = re.compile(rb"[1-9][0-9]{0,8}")
# Of fields whose value may be zero, which says less.
_SAID_BY_VALUE = Kind.COUNTS | Kind.TELLS | Kind.HARMLESS
_DIGITS = b"0123456789"
_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_SAYS_NOTHING = b"0.,|/: "  # what a value may hold that is as good as zero
_DIGIT_IN_WORD = b"GA0GH:"  # the one word with a digit that a check looks for, with zeros for digits
_TAB, _POINT, _N = b"\t.N"

#: Lines of one contig: its name, the first line, and the line after the last.
Stretch = tuple[bytes, int, int]
#: What follows ALT: which of the texts known as blank, or −1, the shape of the original's own, of its sample.
Rest = tuple[int, int, int]


class Standing(NamedTuple):
    """Where parts of masked records and of their originals stand in their texts; arrays of one length.

    `refs` to `alts_end` are REF and ALT of the original, `heads_end` is where its samples begin and `ends`
    where it ends; `kept_refs` to `rests` are REF and ALT of the masked record, which ends at `kept_ends`.
    """

    places: Places
    refs: Places
    alts_end: Places
    heads_end: Places
    ends: Places
    kept_refs: Places
    rests: Places
    kept_ends: Places


@dataclass(eq=False)
class Shape:
    """What a record has from QUAL to FORMAT, whatever its numbers, and its one sample if there is one."""

    number: int
    pattern: re.Pattern[bytes]
    cells: list[re.Pattern[bytes]] = field(default_factory=list)  # of the one sample

    def cell(self, text: bytes, low: int, high: int) -> int:
        """Return the number of the kind of sample that a text holds, −1 for none known."""
        return next((at for at, one in enumerate(self.cells) if one.fullmatch(text, low, high)), -1)


class Words(NamedTuple):
    """What a record without samples has from QUAL on, whatever its numbers, if INFO holds words."""

    number: int
    # the fields of which it matters whether they are zero: their places in INFO, and where their values start
    counted: tuple[tuple[int, int], ...]


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

    def learn(self, original: Record, kept: Record) -> None:
        """Take up two records that are each other's own; htslib takes both."""
        self._contigs.add(kept.chrom)
        is_bare = kept.info == kept.qual == b"." and kept.filter in USUAL_FILTERS
        rest = b"\t" + kept.rest
        if is_bare and (kept.is_missing or not kept.samples) and rest not in self._blanks:
            self._blanks = [*self._blanks, rest][:MAX_BLANKS]
        if self._keeps_rest and not original.extra and original.n_samples == self._n_samples:
            self._learn_shape(original)

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
            shape = Shape(self._n_shapes, _shape_of(record))
            self._n_shapes += 1
            self._shapes[key].append(shape)
        if (
            record.samples
            and len(shape.cells) < MAX_CELLS
            and shape.cell(record.samples, 0, len(record.samples)) < 0
        ):
            shape.cells.append(_cell_of(record))

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
            or record.filter.translate(None, _DIGITS) != record.filter
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

    def standing(
        self, columns: Columns, kept: Block, stretches: Sequence[Stretch], places: Places
    ) -> Standing:
        """Return where the parts of records stand of which masking left “.” or ``N`` in ALT, and no ID."""
        lines, cells = columns.lines, np.frombuffer(kept.text, dtype=np.uint8)
        known = [chrom in self._contigs for chrom, _, _ in stretches]
        if not all(known):
            begins = [low for _, low, _ in stretches]
            places = places[np.array(known)[np.searchsorted(begins, places, side="right") - 1]]
        before, ids, refs, alts = (columns.ends_in_lines(column, places) for column in (POS, ID, REF, ALT))
        samples, ends = columns.ends_in_lines(-1, places), lines.starts[places + 1] - 1
        id_at, kept_ends = (
            kept.starts[places] - lines.starts[places] + before + 1,
            kept.starts[places + 1] - 1,
        )
        alt_at = np.minimum(id_at + 2 + refs - ids, len(cells) - 2)
        is_blank = (cells[id_at] == _POINT) & (cells[id_at + 1] == _TAB) & (cells[alt_at - 1] == _TAB)
        is_blank &= (cells[alt_at] == _POINT) | (cells[alt_at] == _N)
        is_blank &= (cells[alt_at + 1] == _TAB) & (alt_at < kept_ends)
        every = (places, ids + 1, alts, samples, ends, id_at + 2, alt_at + 1, kept_ends)
        return Standing(*every if is_blank.all() else (one[is_blank] for one in every))

    def rests(self, mine: bytes, theirs: bytes, where: Standing) -> Iterator[Rest | None]:
        """Yield what stands behind ALT of each record, None for nothing known."""
        bounds = (where.alts_end, where.heads_end, where.ends, where.rests, where.kept_ends)
        blanks = [((number, -1, -1), rest, len(rest)) for number, rest in enumerate(self._blanks)]
        for low, head_end, high, at, end in zip(*(one.tolist() for one in bounds), strict=True):
            for known, rest, n_bytes in blanks:
                if end - at == n_bytes and theirs.startswith(rest, at):
                    yield known
                    break
            else:
                if not self._keeps_rest or end - at != high - low or mine[low:high] != theirs[at:end]:
                    yield None
                    continue
                found = self._shape(mine, low, head_end, high) if head_end - low <= LONGEST else None
                if found is None and self._words and high - low <= LONGEST_WORDS:
                    found = self._worded_shape(mine[low:high])
                yield found

    def _shape(self, text: bytes, low: int, end: int, high: int) -> Rest | None:
        """Return the numbers of the shape that a record has from QUAL on, and of its sample's."""
        middle = text[low:end]
        shapes = self._shapes.get(middle.translate(None, NUMERIC), ())
        shape = next((one for one in shapes if one.pattern.fullmatch(middle)), None)
        if shape is None:
            return None
        cell = shape.cell(text, end, high) if self._n_samples else 0
        return (-1, shape.number, cell) if cell >= 0 else None

    def _worded_shape(self, rest: bytes) -> Rest | None:
        """Return the number of what a record has from QUAL on, and which of its counted fields are zero."""
        if self._n_missed > MAX_NOTED + self._n_found:
            return None
        zeroed = rest.translate(_ALIKE)
        words = self._written.get(zeroed)
        if words is None:
            words = self._words.get(_shortened(zeroed))
            if words is None:
                self._n_missed += 1
                return None
            if len(self._written) < MAX_SHAPES:
                self._written[zeroed] = words
        self._n_found += 1
        zeros = 0
        if words.counted:
            fields = rest[rest.rfind(b"\t") + 1 :].split(b";")
            for at, begin in words.counted:
                zeros = 2 * zeros + (not fields[at][begin:].strip(_SAYS_NOTHING))
        return -1, MAX_SHAPES + words.number, zeros


def _shortened(zeroed: bytes) -> bytes:
    """Return a text with fewer digits, all zeros: of texts alike in it, either all or none have one digit."""
    return zeroed.replace(b"0000", b"00").replace(b"000", b"00")


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
