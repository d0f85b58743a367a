"""Whether htslib takes the columns of a record: names that a header cannot hold, values of a wrong type.

Reading text lets pass what htslib refuses in the middle of a file: a CHROM, FILTER, INFO key or FORMAT
key that is not declared and cannot be (a comma, ``<`` or ``>`` in it), a FORMAT key written twice, a
sample with more fields than FORMAT names, and a sample's value that does not have the declared type.
Values of INFO are never refused: htslib reads as much of them as it can.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from core.errors import AuditInputError
from core.vcf.header import VcfHeader, opened
from core.vcf.records import USUAL_FILTERS, Record
from core.vcf.remembering import remembered
from core.words import own, text

_REGULAR = re.compile(rb"[A-Za-z0-9_.][A-Za-z0-9_.:*+-]*")
_REGULAR_INFO = re.compile(rb"(?:(?:[A-Za-z0-9_.][A-Za-z0-9_.:*+-]*+)?+(?:=[^;]*+)?+(?:;|\Z))*+")
_LONG_NUMBER = re.compile(rb"\d{10,}")
# The four parts of a plain genotype of one sample, each told by one letter.
_GENOTYPE_FORM = bytes.maketrans(b"123456789|", b"000000000/")
_MISSING = frozenset((b"\t./.", b"\t0/.", b"\t./0"))
_LAST_BITS = int.from_bytes(b"\0\1\0\1", "little")  # of both digits of a genotype
_GENOTYPE_PARTS = bytes.maketrans(b"123456789.|0/\t", b"0000000000/0/\t")
_LARGEST_INDEX = (1 << 30) - 2  # of an allele in a genotype

# What htslib reads of a value, up to the comma or colon after it. An empty value is missing.
_GENOTYPE = rb"(?:\d++|\.|\+\d*+)(?:[/|](?:\d++|\.|\+\d*+))*+"
_INTEGER = rb"(?:\d++|\.|[+-]\d*+)?+"
_FLOAT = (
    rb"(?: *+[+-]?(?:0[xX](?:[0-9a-fA-F]++\.?[0-9a-fA-F]*+|\.[0-9a-fA-F]++)(?:[pP][+-]?\d++)?+"
    rb"|(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?+|(?i:inf(?:inity)?|nan(?:\(\w*+\))?))|\.)?+"
)
_TEXT = rb"[^\t:]*+"
_LISTS = {"Integer": rb"%s(?:,%s)*+" % (_INTEGER, _INTEGER), "Float": rb"%s(?:,%s)*+" % (_FLOAT, _FLOAT)}
# Digits are alike to these patterns, but for the 0 before an x.
_ALIKE = bytes.maketrans(b"123456789", b"000000000")
MAX_KNOWN = 1 << 21  # bytes of samples that are remembered
FEW_BYTES = 1 << 12  # of samples that are compared one by one
_TAB = 9


class ValueChecker:
    """Checks records of one file as htslib does, by what the file's header declares."""

    def __init__(self, header: VcfHeader) -> None:
        self.contigs = frozenset(header.contigs)
        self.formats = header.formats
        self.patterns: dict[bytes, re.Pattern[bytes] | None] = {}
        self._shapes: dict[bytes, set[bytes]] = {}  # under each FORMAT: of samples that htslib takes
        self._n_known = 0  # bytes of them

    def agrees(self, other: "ValueChecker") -> bool:
        """Tell whether another file's header declares alike, so that equal texts are judged alike."""
        return self.contigs == other.contigs and self.formats == other.formats

    def check(self, name: str, numbers: Sequence[int], records: Sequence[Record]) -> None:
        """Refuse records that htslib cannot read; samples that it surely takes are told together."""
        by_format: dict[bytes, list[int]] = defaultdict(list)
        for place, record in enumerate(records):
            by_format[record.format].append(place)
        unsure = {
            place
            for format_, places in by_format.items()
            if not self.takes(format_, [records[place].samples for place in places])
            for place in places
        }
        for place, record in enumerate(records):
            self.check_names(name, numbers[place], record)
            if place in unsure:
                self._check_samples(name, numbers[place], record)

    def check_names(self, name: str, number: int, record: Record) -> None:
        """Refuse a record with a name that htslib cannot take up."""
        is_odd = record.chrom not in self.contigs and not _taken("CHROM", record.chrom)
        if column := "CHROM" if is_odd else self.odd_name(record.filter, record.info):
            raise AuditInputError(
                text(
                    "{file}: record {number} has a {column} that the header does not declare and that "
                    "htslib cannot take up; remove commas, quotation marks, angle brackets and outer spaces "
                    "from it.",
                    file=name,
                    number=number,
                    column=own(column),
                )
            )

    @staticmethod
    def odd_name(filter_: bytes, info: bytes) -> str:
        """Return which of these columns has a name that htslib cannot declare by itself, "" for none."""
        if filter_ not in USUAL_FILTERS and not all(_taken("FILTER", part) for part in filter_.split(b";")):
            return "FILTER"
        if _has_odd_sign(info) and not _REGULAR_INFO.fullmatch(info):
            names = {field.partition(b"=")[0] for field in info.split(b";")}
            if not all(_taken("INFO", name) for name in names if name):
                return "key in INFO"
        return ""

    def _check_samples(self, name: str, number: int, record: Record) -> None:
        if self.takes(record.format, [record.samples]):
            return
        if self._pattern(record.format) is None:
            raise AuditInputError(
                text(
                    "{file}: record {number} has a FORMAT that htslib cannot read; its keys must differ, "
                    "hold no comma or angle bracket, and be declared as values, not as flags.",
                    file=name,
                    number=number,
                )
            )
        keys = record.format.split(b":")
        values = [self._value(key) for key in keys]
        cells = record.samples[1:].split(b"\t")
        if not cells[-1]:
            raise AuditInputError(
                text("{file}: record {number} has no text in its last sample.", file=name, number=number)
            )
        for place, sample in enumerate(cells, 1):
            fields = sample.split(b":")
            if place == len(cells) and not fields[-1] and len(fields) <= len(keys):
                fields.pop()  # at the end of a line htslib takes a field without text, even a genotype
            if len(fields) > len(keys):
                raise AuditInputError(
                    text(
                        "{file}: record {number} has more fields in sample {sample} than FORMAT names.",
                        file=name,
                        number=number,
                        sample=place,
                    )
                )
            for key, value, field in zip(keys, values, fields, strict=False):
                if not re.fullmatch(value, field) or (key == b"GT" and _is_huge(field)):
                    raise AuditInputError(
                        text(
                            "{file}: record {number} has a value in sample {sample} that is not what FORMAT "
                            "{key} holds by its declaration.",
                            file=name,
                            number=number,
                            sample=place,
                            key=key.decode("utf-8", "backslashreplace"),
                        )
                    )

    def takes(self, format_: bytes, samples: Sequence[bytes]) -> bool:
        """Tell whether each sample of some records, whatever its digits, is surely one that htslib takes."""
        if format_ in (b"", b"."):
            return True
        pattern = self._pattern(format_)
        if pattern is None:
            return False
        if format_ == b"GT":
            samples = [text for text in samples if not _are_plain(text)]
        if not all(samples):
            return False
        text = b"".join(samples)
        cells = _different_cells(text)
        known = self._shapes.setdefault(format_, set())
        new = cells - known
        if new:
            text = b"".join(new)
            if b"\t" in new or _LONG_NUMBER.search(text) or not pattern.fullmatch(text):
                return False
            self._n_known += len(text)
            if self._n_known > MAX_KNOWN:
                self._shapes.clear()
                self._n_known = 0
            else:
                known |= new
        return True

    def _pattern(self, format_: bytes) -> re.Pattern[bytes] | None:
        """Return the pattern of all samples under one FORMAT, None for one that htslib cannot read."""
        if format_ not in self.patterns:
            self.patterns[format_] = self._compiled(format_)
        return self.patterns[format_]

    def _compiled(self, format_: bytes) -> re.Pattern[bytes] | None:
        keys = format_.split(b":")
        odd = any(key == b"." or not _taken("FORMAT", key) for key in keys if key)
        if odd or len(set(keys)) < len(keys) or any(self.formats.get(key) == "Flag" for key in keys):
            return None
        cell = rb""
        for key in reversed(keys[1:]):
            cell = rb"(?::%s%s)?+" % (self._value(key), cell)
        return re.compile(rb"(?:\t%s%s)*+" % (self._value(keys[0]), cell))

    def _value(self, key: bytes) -> bytes:
        """Return the pattern of one field."""
        return _GENOTYPE if key == b"GT" else _LISTS.get(self.formats.get(key, "String"), _TEXT)


def _has_odd_sign(text: bytes) -> bool:
    """Tell whether a text holds any sign that htslib may not take in a name."""
    return b"," in text or b"<" in text or b">" in text or b"[" in text or b'"' in text or b" " in text


def _are_plain(samples: bytes) -> bool:
    """Tell whether all samples are genotypes of two alleles below ten, or missing, and nothing else."""
    n_samples = len(samples) // 4
    if n_samples and len(samples) == 4 * n_samples and are_plain(samples, 0, n_samples):
        return True
    return samples.translate(_GENOTYPE_PARTS) == b"\t0/0" * n_samples


def are_plain(text: bytes, low: int, n_samples: int) -> bool:
    """Tell whether samples are genotypes of two alleles below ten, or missing, and nothing else.

    Others of that kind may be taken for something else: digits are looked at up to the last bit, so that each
    differs from the first sample's in nothing more, and missing ones must all be alike.
    """
    cells = np.frombuffer(text, "<u4", n_samples, low)
    differing = int(np.bitwise_or.reduce(cells ^ cells[0]))
    form = text[low : low + 4].translate(_GENOTYPE_FORM)
    return (form == b"\t0/0" and not differing & ~_LAST_BITS) or (form in _MISSING and not differing)


def _different_cells(text: bytes) -> set[bytes]:
    """Return the different samples of a text in which a tab stands before each, with zeros for digits."""
    if b"x" not in text and b"X" not in text:
        text = text.translate(_ALIKE)
    if len(text) < FEW_BYTES:
        return {b"\t" + cell for cell in text.split(b"\t")[1:]}
    tabs = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == _TAB)
    ends = np.append(tabs, len(text)).astype(np.int32)
    cells = pa.Array.from_buffers(pa.binary(), len(tabs), [None, pa.py_buffer(ends), pa.py_buffer(text)])
    return set(cells.unique().to_pylist())


def _is_huge(genotype: bytes) -> bool:
    return any(int(index) > _LARGEST_INDEX for index in _LONG_NUMBER.findall(genotype))


def _taken(column: str, name: bytes) -> bool:
    """Tell whether htslib can take up a name that the header does not declare."""
    return _REGULAR.fullmatch(name) is not None or _taken_by_htslib(column, name)


@remembered
def _taken_by_htslib(column: str, name: bytes) -> bool:
    """Ask htslib itself: names of this kind are rare, and its rules for them are its own."""
    columns = {"CHROM": b"1", "FILTER": b".", "INFO": b".", "FORMAT": b"."} | {column: name}
    line = b"%(CHROM)s\t1\t.\tA\tC\t.\t%(FILTER)s\t%(INFO)s\t%(FORMAT)s\t." % {
        key.encode(): value for key, value in columns.items()
    }
    head = b"##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS\n"
    try:
        with opened(head + line + b"\n") as file:
            return next(iter(file), None) is not None
    except (ValueError, OSError):
        return False
