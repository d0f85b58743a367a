"""Bytes of a stored file that no reader shows: between its blocks, after its end, beyond fields of BCF.

Whoever knows that they are there reads them; bgzip, htslib and this verifier pass over them.
"""

import io
import struct
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import numpy.typing as npt

from core.vcf.binary import MAGIC
from core.vcf.files import BGZF_HEADER, EOF_MARKER, GZIP_MAGIC, PIECE, Content, VcfFile
from core.vcf.header import opened
from core.words import Text, text

SIZES = {0: 0, 1: 1, 2: 2, 3: 4, 5: 4, 7: 1}  # of a value of each type of BCF
WHOLE = {1: "b", 2: "h", 3: "i"}  # the types of whole numbers, as struct calls them
TEXT, LONG = 7, 15
MAX_BLOCK = 1 << 16  # bytes
_NO_TIME = bytes(4)
PLAIN_EXTRA = 6  # bytes of a block's extra field: its size, as BGZF has it, and nothing else
_ENDS = {1: 0x81, 2: 0x8001, 3: 0x80000001, 5: 0x7F800002}  # what fills a list behind its last value
_MISSING = {1: 0x80, 2: 0x8000, 3: 0x80000000}  # of whole numbers; a genotype's missing allele is 0
_END_BYTES, _EVEN = {1: 0x81, TEXT: 0}, bytes(range(0, 256, 2))
_RANGES = {2: (-120, (1 << 7) - 1), 3: (-32760, (1 << 15) - 1)}  # of what takes fewer bytes, as htslib has it
_WORDS: dict[int, npt.DTypeLike] = {1: "<u1", 2: "<u2", 3: "<u4", 5: "<u4", 7: "<u1"}


def unread_bytes(file: VcfFile) -> tuple[Text, ...]:
    """Return the places of bytes that nobody reads, the first first; none in plain text."""
    with file.open() as stream:
        is_packed = stream.read(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
        found = [*_in_blocks(stream)] if is_packed else []
    with closing(Content(file)) as content:
        text = io.BufferedReader(_Raw(content), PIECE)
        if text.read(len(MAGIC)) == MAGIC:
            found += _in_binary(text)
    return tuple(found)


class _Raw(io.RawIOBase):
    """Decompressed content, as Python's streams read it."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer, or the beginning of it."""
        return self._content.readinto(buffer)


def _in_blocks(stream: io.BufferedIOBase) -> Iterator[Text]:
    """Yield what stands in the heads of blocks, in empty blocks, and in blocks after an end marker."""
    stream.seek(0)
    offset, at, number, is_after_end, first_kind, data = 0, 0, 0, False, b"", stream.read(PIECE)
    while True:
        if len(data) - at < MAX_BLOCK:
            data, at = data[at:] + stream.read(PIECE), 0
        if at == len(data):
            return
        head = data[at : at + BGZF_HEADER]
        number += 1
        if is_after_end:
            yield text("block {number} after an end marker, from byte {byte} on", number=number, byte=offset)
        if int.from_bytes(head[10:12], "little") != PLAIN_EXTRA:
            yield text("extra field of block {number}, byte {byte}", number=number, byte=offset + 12)
        if head[4:8] != _NO_TIME:
            yield text("time of block {number}, byte {byte}", number=number, byte=offset + 4)
        length = int.from_bytes(head[16:18], "little") + 1
        is_empty = data[at + length - 4 : at + length] == _NO_TIME
        is_after_end = is_empty and length == len(EOF_MARKER)
        first_kind = first_kind or head[8:10]
        if not is_empty and head[8:10] != first_kind:
            yield text("kind of block {number}, byte {byte}", number=number, byte=offset + 8)
        if is_empty and data[at + BGZF_HEADER : at + length] != EOF_MARKER[BGZF_HEADER:]:
            yield text("empty block {number}, byte {byte}", number=number, byte=offset + BGZF_HEADER)
        offset, at = offset + length, at + length


def _in_binary(content: "io.BufferedReader[_Raw]") -> Iterator[Text]:
    """Yield where something stands behind the header's text or behind the fields of a record of BCF."""
    head, _, behind = content.read(_whole(content.read(4))).partition(b"\x00")
    if behind.strip(b"\x00"):
        yield text("behind the header's text, byte {byte} of it", byte=len(head) + 1)
    with opened(head) as file:
        genotypes = file.header.formats["GT"].id if "GT" in file.header.formats else -1
    number = 0
    alone: set[int] = set()  # phases of alleles that are alone
    missing: set[int] = set()  # how missing alleles are stored
    while len(lengths := content.read(8)) == 8:
        number += 1
        shared, samples = (content.read(_whole(part)) for part in (lengths[:4], lengths[4:]))
        try:
            is_whole = _is_shared_whole(shared) and _are_samples_whole(
                shared, samples, genotypes, alone, missing
            )
        except (LookupError, ValueError, struct.error):
            is_whole = False
        if not is_whole:
            yield text("behind a field of record {number}", number=number)


def _whole(text: bytes) -> int:
    return int.from_bytes(text, "little")


def _is_shared_whole(shared: bytes) -> bool:
    """Tell whether ID, alleles, FILTER and INFO fill their part of a record, and each its own length."""
    # the length beside is REF's, unless INFO or a symbolic allele says so; numbers have htslib's fewest bytes
    length, n_info, n_alleles = struct.unpack_from("<i4xHH", shared, 8)
    at = 24
    for part in range(n_alleles + 2 + 2 * n_info):
        begin = at
        kind, n, at = described(shared, at)
        if part == 1 and n_alleles and n != length and not n_info and b"<" not in shared:
            return False
        first = at
        at, is_whole = _stepped(shared, at, kind, n, 1)
        if not (is_whole and _is_short(shared, begin, first) and _is_narrow(shared[first:at], kind)):
            return False
    return at == len(shared)


def _is_short(text: bytes, at: int, end: int) -> bool:
    """Tell whether a value's type and number are written as short as they can be."""
    kind, n, _ = described(text, at)
    width = 0 if n < LONG else 2 if n < 1 << 7 else 3 if n < 1 << 15 else 5
    return end - at == 1 + width and (kind != 0 or n == 0)


def _is_narrow(text: bytes, kind: int) -> bool:
    """Tell whether whole numbers have no more bytes than the largest of them takes, as htslib writes them."""
    if kind not in (2, 3) or not text:
        return True
    values = np.frombuffer(text, dtype=np.dtype(WHOLE[kind]).newbyteorder("<")).astype(np.int64)
    low, high = _RANGES[kind]
    said = values[values > np.iinfo(WHOLE[kind]).min + 1]  # neither missing nor the end of a list
    return bool(np.any((said < low) | (said > high)))


def _are_samples_whole(
    shared: bytes, samples: bytes, genotypes: int, alone: set[int], missing: set[int]
) -> bool:
    """Tell the same of the samples; a genotype's first allele, which has no separator, has no phase alone.

    A missing allele is stored in one way in all records.
    """
    n_samples, n_fields = _whole(shared[20:23]), shared[23]
    at = 0
    for _ in range(n_fields):
        begin = at
        key, at = key_at(samples, at)
        is_narrow = _is_narrow(samples[begin + 1 : at], samples[begin] & 15)
        begin = at
        kind, n, at = described(samples, at)
        is_short = _is_short(samples, begin, at)
        if key == genotypes and kind in WHOLE and n:
            is_odd, phases = _phases_alone(samples, at, kind, n, n_samples)
            alone |= phases
            values = np.frombuffer(samples, dtype=_WORDS[kind], count=n * n_samples, offset=at)
            missing |= {place for place, one in enumerate((0, _MISSING[kind])) if np.any(values == one)}
            if is_odd or len(alone) > 1 or len(missing) > 1:
                return False
        first = at
        at, is_whole = _stepped(samples, at, kind, n, n_samples)
        is_narrow &= key != genotypes or _is_narrow(samples[first:at], kind)
        if not (is_whole and is_short and is_narrow):
            return False
    return at == len(samples)


def _phases_alone(text: bytes, at: int, kind: int, n: int, n_samples: int) -> tuple[bool, set[int]]:
    """Tell whether a first allele has a phase that the others lack; return those of alleles alone."""
    own = text[at : at + n * n_samples]
    if kind == 1 and n > 1 and _END_BYTES[1] not in own and not own[::n].translate(None, _EVEN):
        return False, set()  # nothing is alone, and no first allele has a phase
    values = np.frombuffer(text, dtype=_WORDS[kind], count=n * n_samples, offset=at).reshape(n_samples, n)
    phased = (values & 1) == 1
    is_end = (values[:, 1:] == _ENDS[kind]).all(axis=1)
    is_first_alone = phased[:, 0] & ~is_end & ~(phased[:, 1:] | (values[:, 1:] == _ENDS[kind])).all(axis=1)
    return bool(is_first_alone.any()), set((values[is_end & (values[:, 0] > 1), 0] & 1).tolist())


def _stepped(text: bytes, at: int, kind: int, n: int, n_rows: int) -> tuple[int, bool]:
    """Return where the values end, and whether nothing stands behind the last one of any row."""
    end = at + n * SIZES[kind] * n_rows
    if end > len(text):
        raise ValueError("The field is longer than its record.")
    if n < 2 or kind == 0 or (kind in _END_BYTES and _END_BYTES[kind] not in text[at:end]):
        return end, True
    values = np.frombuffer(text, dtype=_WORDS[kind], count=n * n_rows, offset=at).reshape(n_rows, n)
    is_end = values == (0 if kind == TEXT else _ENDS[kind])
    return end, not bool(np.any(is_end[:, :-1] & ~is_end[:, 1:]))


def described(text: bytes, at: int) -> tuple[int, int, int]:
    """Return a value's type, how many there are, and where they begin."""
    kind, n = text[at] & 15, text[at] >> 4
    at += 1
    if n == LONG:
        size = SIZES[text[at] & 15]
        n = _whole(text[at + 1 : at + 1 + size])
        at += 1 + size
    return kind, n, at


def key_at(text: bytes, at: int) -> tuple[int, int]:
    """Return the number of a name, and where what follows begins."""
    kind, n, at = described(text, at)
    end = at + n * SIZES[kind]
    return _whole(text[at:end]), end
