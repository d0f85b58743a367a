"""BCF files, read byte by byte and handed on as VCF text; no native reader sees what they hold."""

import re
import struct
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from core.errors import AuditInputError
from core.vcf.header import FREQUENCY_KEYS, MAX_HEADER, VcfHeader, parse_header
from core.vcf.lines import Lines
from core.vcf.remembering import remembered
from core.words import text

MAGIC = b"BCF\x02\x02"
PIECE_RECORDS = 2_000
SIZES = {0: 0, 1: 1, 2: 2, 3: 4, 5: 4, 7: 1}  # of a value of each type
WHOLE = {1: "b", 2: "h", 3: "i"}  # the types of whole numbers, as struct calls them
FLOAT, TEXT, LONG = 5, 7, 15
_FIXED = struct.Struct("<iii4sHHI")
_MISSING_FLOAT, _END_FLOAT = 0x7F800001, 0x7F800002
_MISSING = {1: -(1 << 7), 2: -(1 << 15), 3: -(1 << 31)}  # the end of a list is one more
_ONE_BYTE, _END_BYTE = 0x11, 0x81  # one whole number of one byte; the end of a list of such
_BYTES = [b"." if one == 0x80 else b"%d" % (one - (one > 0x80) * 256) for one in range(256)]
SHORT = 16  # bytes of a value that may be remembered
_QUOTED = re.compile(rb'"(?:[^"\\\n]|\\.)*"')
_NAMED = re.compile(rb"##(FILTER|INFO|FORMAT|contig)=<(?:[^>]*,)?ID=([^,>]+)")
_NUMBERED = re.compile(rb",IDX=(\d{1,9})(?=[,>])")
_FREQUENCIES = frozenset(key.encode() for key in FREQUENCY_KEYS)
_ALLELES = np.frombuffer(b".0123456789", dtype=np.uint8)

Take = Callable[[int], bytes]


def is_binary(text: bytes) -> bool:
    """Tell whether decompressed content is BCF."""
    return text.startswith(MAGIC[:3])


class Bytes:
    """The bytes of a stream, as many at a time as are asked for."""

    def __init__(self, begun: bytes, read: Callable[[], bytes]) -> None:
        self._text = begun
        self._read = read
        self._at = 0

    def take(self, n_bytes: int) -> bytes:
        """Return the next bytes; fewer at the end."""
        if len(self._text) - self._at < n_bytes:
            pieces, n_held = [self._text[self._at :]], len(self._text) - self._at
            while n_held < n_bytes and (piece := self._read()):
                pieces.append(piece)
                n_held += len(piece)
            self._text, self._at = b"".join(pieces), 0
        taken = self._text[self._at : self._at + n_bytes]
        self._at += len(taken)
        return taken


def read_binary(name: str, text: bytes, read: Callable[[], bytes]) -> tuple[VcfHeader, Lines]:
    """Read a BCF file in lines; see :func:`read_binary_text`."""
    header, pieces = read_binary_text(name, text, read)
    return header, Lines(name, header.n_columns, _Text(pieces), b"")


def read_binary_text(
    name: str, beginning: bytes, read: Callable[[], bytes]
) -> tuple[VcfHeader, Iterator[bytes]]:
    """Read a BCF file as pieces of VCF text."""
    stream = Bytes(beginning, read)
    is_known = stream.take(len(MAGIC)) == MAGIC
    n_bytes = int.from_bytes(stream.take(4), "little")
    content = stream.take(min(n_bytes, MAX_HEADER)) if is_known else b""
    if not content or len(content) < n_bytes:
        raise AuditInputError(
            text("{file}: this BCF file has no header of version 2.2; convert it to VCF.", file=name)
        )
    stated = content.partition(b"\x00")[0]
    header = parse_header(name, _NUMBERED.sub(b"", stated))
    return header, _as_text(name, Names(stated), stream.take)


class _Text:
    """Pieces of text, read as a source of lines is."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer, or the beginning of it."""
        if not self._left:
            self._left = memoryview(next(self._pieces, b""))
        n_bytes = min(len(buffer), len(self._left))
        buffer[:n_bytes] = self._left[:n_bytes]
        self._left = self._left[n_bytes:]
        return n_bytes


class Names:
    """What the numbers in records stand for: contigs, and the IDs of FILTER, INFO and FORMAT together.

    `n_samples` is how many the header names.
    """

    def __init__(self, header: bytes) -> None:
        self.n_samples = max(0, header.rstrip(b"\n").rpartition(b"\n")[2].count(b"\t") - 8)
        self.contigs: dict[int, bytes] = {}
        self.words = {0: b"PASS"}
        known: dict[tuple[bool, bytes], int] = {(False, b"PASS"): 0}
        for line in header.split(b"\n"):
            plain = _QUOTED.sub(b'""', line)
            if (named := _NAMED.match(plain)) is None:
                continue
            is_contig = named[1] == b"contig"
            names = self.contigs if is_contig else self.words
            stated = _NUMBERED.search(plain)
            if (key := (is_contig, named[2])) not in known:
                known[key] = int(stated[1]) if stated else max(names, default=-1) + 1
                names[known[key]] = named[2]


def _as_text(name: str, names: Names, take: Take) -> Iterator[bytes]:
    lines: list[bytes] = []
    number = 0
    while len(lengths := take(8)) == 8:
        number += 1
        n_shared, n_own = struct.unpack("<II", lengths)
        shared = take(n_shared)
        samples = take(n_own)
        try:
            if len(shared) < n_shared or len(samples) < n_own:
                raise ValueError("The record is cut short.")
            lines.append(_line(names, shared, samples))
        except (LookupError, ValueError, struct.error):
            raise AuditInputError(
                text(
                    "{file}: record {number} of this BCF file is damaged, or holds a tab or a line end "
                    "within a field; get the file again from its source.",
                    file=name,
                    number=number,
                )
            ) from None
        if len(lines) >= PIECE_RECORDS:
            yield b"".join(lines)
            lines = []
    if lengths:
        raise AuditInputError(
            text(
                "{file}: this BCF file is cut short behind record {number}; get it again.",
                file=name,
                number=number,
            )
        )
    yield b"".join(lines)


def _line(names: Names, shared: bytes, samples: bytes) -> bytes:
    """Return a record as htslib writes it, its frequencies as exact as they are stored."""
    contig, position, _, quality, n_info, n_alleles, counts = _FIXED.unpack_from(shared)
    n_samples, n_fields = counts & 0xFFFFFF, counts >> 24
    if n_samples not in (0, names.n_samples):
        raise ValueError("The record has another number of samples than the header.")
    at = _FIXED.size
    texts = []
    for _ in range(n_alleles + 1):
        kind, n, at = described(shared, at)
        if kind != TEXT and n:
            raise ValueError("An allele is text.")
        texts.append(_text(shared[at : at + n]) if n else b".")
        at += n
    identifier, reference, *alts = (*texts, b".") if n_alleles == 0 else texts
    kind, n, at = described(shared, at)
    filters, at = _whole(shared, at, kind, n)
    fields = []
    for _ in range(n_info):
        key, at = key_at(shared, at)
        field = names.words[key]
        kind, n, at = described(shared, at)
        end = at + n * SIZES[kind]
        if n:
            field += b"=" + _value(shared[at:end], kind, n, is_exact=field in _FREQUENCIES)
        fields.append(field)
        at = end
    if at > len(shared):
        raise ValueError("The fields are longer than their record.")
    columns = [
        names.contigs[contig],
        b"%d" % (position + 1),
        identifier,
        reference,
        b",".join(alts) or b".",
        _float(quality),
        b";".join([names.words[one] for one in filters]) or b".",
        b";".join(fields) or b".",
    ]
    if n_samples:
        columns += _sample_columns(names, samples, n_samples, n_fields)
    line = b"\t".join(columns)
    if line.count(b"\t") != (8 + n_samples if n_samples else 7) or b"\n" in line or b"\r" in line:
        raise ValueError("A field holds a tab or a line end.")
    return line + b"\n"


def _sample_columns(names: Names, samples: bytes, n_samples: int, n_fields: int) -> list[bytes]:
    keys, cells = [], []
    at = 0
    for _ in range(n_fields):
        key, at = key_at(samples, at)
        kind, n, at = described(samples, at)
        size = n * SIZES[kind]
        end = at + size * n_samples
        if end > len(samples):
            raise ValueError("The samples are longer than their record.")
        keys.append(names.words[key])
        own = samples[at:end]
        if keys[-1] == b"GT" and kind in WHOLE and n:
            cells.append(_genotypes(own, kind, n))
        elif size:
            value = _short_value if size <= SHORT else _value
            cells.append([value(own[i : i + size], kind, n) for i in range(0, len(own), size)])
        else:
            cells.append([b"."] * n_samples)
        at = end
    if not keys:
        return [b"."] * (n_samples + 1)
    return [b":".join(keys), *(map(b":".join, zip(*cells, strict=True)) if len(cells) > 1 else cells[0])]


def described(text: bytes, at: int) -> tuple[int, int, int]:
    """Return a value's type, how many there are, and where they begin."""
    kind, n = text[at] & 15, text[at] >> 4
    at += 1
    if n == LONG:
        size = SIZES[text[at] & 15]
        n = int.from_bytes(text[at + 1 : at + 1 + size], "little")
        at += 1 + size
    return kind, n, at


def key_at(text: bytes, at: int) -> tuple[int, int]:
    """Return the number of a name, and where what follows begins."""
    if text[at] == _ONE_BYTE:
        return text[at + 1], at + 2
    kind, n, at = described(text, at)
    numbers, at = _whole(text, at, kind, n)
    return numbers[0], at


def _whole(text: bytes, at: int, kind: int, n: int) -> tuple[Sequence[int], int]:
    """Return whole numbers, and where what follows begins."""
    if n == 0:
        return (), at
    return struct.unpack_from(f"<{n}{WHOLE[kind]}", text, at), at + n * SIZES[kind]


def _value(text: bytes, kind: int, n: int, *, is_exact: bool = False) -> bytes:
    """Return one value or a list as htslib writes it."""
    if kind == TEXT:
        return _text(text)
    if kind == 1:
        end = text.find(_END_BYTE)
        return b",".join(map(_BYTES.__getitem__, text if end < 0 else text[:end]))
    parts = []
    if kind == FLOAT:
        for i in range(0, 4 * n, 4):
            bits = text[i : i + 4]
            if int.from_bytes(bits, "little") == _END_FLOAT:
                break
            parts.append(_float(bits, is_exact=is_exact))
        return b",".join(parts)
    missing = _MISSING[kind]
    for number in _whole(text, 0, kind, n)[0]:
        if number == missing + 1:
            break
        parts.append(b"." if number == missing else b"%d" % number)
    return b",".join(parts)


@remembered
def _short_value(text: bytes, kind: int, n: int) -> bytes:
    return _value(text, kind, n)


def _text(text: bytes) -> bytes:
    return text.partition(b"\x00")[0]


def _float(bits: bytes, *, is_exact: bool = False) -> bytes:
    """Return a float with six digits, as htslib does, or with all: six can move one across a threshold."""
    if int.from_bytes(bits, "little") == _MISSING_FLOAT:
        return b"."
    number: float = struct.unpack("<f", bits)[0]
    return b"%.9g" % number if is_exact else b"%g" % number


def _genotypes(text: bytes, kind: int, n: int) -> list[bytes]:
    """Return every sample's genotype: alleles counted from 0, each after the first with its separator."""
    values = np.frombuffer(text, dtype=np.dtype(WHOLE[kind]).newbyteorder("<")).reshape(-1, n)
    if n == 2 and values.min() >= 0 and values.max() < 2 * len(_ALLELES):
        cells = np.empty((len(values), 3), dtype=np.uint8)
        cells[:, 0], cells[:, 2] = _ALLELES[values[:, 0] >> 1], _ALLELES[values[:, 1] >> 1]
        cells[:, 1] = np.where(values[:, 1] & 1, ord("|"), ord("/"))
        found: list[bytes] = cells.reshape(-1).view("S3").tolist()
        return found
    return [_genotype(row, _MISSING[kind] + 1) for row in values.tolist()]


def _genotype(alleles: list[int], end: int) -> bytes:
    parts: list[bytes] = []
    for number in alleles:
        if number == end:
            break
        separator = (b"|" if number & 1 else b"/") if parts else b""
        parts.append(separator + (b"%d" % ((number >> 1) - 1) if number >> 1 else b"."))
    return b"".join(parts) or b"."
