"""Bytes of a stored file that no reader shows: between its blocks, after its end, beyond fields of BCF.

Whoever knows that they are there reads them; bgzip, htslib and this verifier pass over them.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import numpy.typing as npt

from core.vcf.binary import MAGIC, SIZES, TEXT, WHOLE, Bytes, Names, Take, described, key_at
from core.vcf.files import BGZF_HEADER, EOF_MARKER, GZIP_MAGIC, VcfFile, is_bgzf, read_pieces
from core.words import Text, text

PLAIN_EXTRA = 6  # bytes of a block's extra field: its size, as BGZF has it, and nothing else
_ENDS = {1: 0x81, 2: 0x8001, 3: 0x80000001, 5: 0x7F800002}  # what fills a list behind its last value
_WORDS: dict[int, npt.DTypeLike] = {1: "<u1", 2: "<u2", 3: "<u4", 5: "<u4", 7: "<u1"}


def unread_bytes(file: VcfFile) -> tuple[Text, ...]:
    """Return the places of bytes that nobody reads, the first first; none in plain text."""
    with file.open() as stream:
        is_packed = stream.read(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
        found = [*_in_blocks(stream)] if is_packed else []
    with closing(read_pieces(file)) as pieces:
        first = next(pieces, b"")
        if first.startswith(MAGIC):
            found += _in_binary(Bytes(first, lambda: next(pieces, b"")).take)
    return tuple(found)


def _in_blocks(stream: io.BufferedIOBase) -> Iterator[Text]:
    """Yield what stands in the heads of blocks, in empty blocks, and after the end marker."""
    size = stream.seek(0, io.SEEK_END)
    offset, number, is_after_end, first_kind = 0, 0, False, b""
    while offset < size:
        stream.seek(offset)
        head = stream.read(BGZF_HEADER)
        number += 1
        if not is_bgzf(head):
            yield text("after the end marker, from byte {byte} on", byte=offset)
            return
        if is_after_end:
            yield text("block {number} after an end marker, from byte {byte} on", number=number, byte=offset)
        if int.from_bytes(head[10:12], "little") != PLAIN_EXTRA:
            yield text("extra field of block {number}, byte {byte}", number=number, byte=offset + 12)
        if any(head[4:8]):
            yield text("time of block {number}, byte {byte}", number=number, byte=offset + 4)
        length = int.from_bytes(head[16:18], "little") + 1
        stream.seek(offset + length - 4)
        is_empty = not any(stream.read(4))
        is_after_end = is_empty and length == len(EOF_MARKER)
        first_kind = first_kind or head[8:10]
        if not is_empty and head[8:10] != first_kind:
            yield text("kind of block {number}, byte {byte}", number=number, byte=offset + 8)
        if is_empty:
            stream.seek(offset)
            if stream.read(length)[BGZF_HEADER:] != EOF_MARKER[BGZF_HEADER:]:
                yield text("empty block {number}, byte {byte}", number=number, byte=offset + BGZF_HEADER)
        offset += length


def _in_binary(take: Take) -> Iterator[Text]:
    """Yield where something stands behind the header's text or behind the fields of a record of BCF."""
    take(len(MAGIC))
    head, _, behind = take(_whole(take(4))).partition(b"\x00")
    if behind.strip(b"\x00"):
        yield text("behind the header's text, byte {byte} of it", byte=len(head) + 1)
    genotypes = next((at for at, name in Names(head).words.items() if name == b"GT"), -1)
    number = 0
    while len(lengths := take(8)) == 8:
        number += 1
        shared, samples = take(_whole(lengths[:4])), take(_whole(lengths[4:]))
        try:
            is_whole = _is_shared_whole(shared) and _are_samples_whole(shared, samples, genotypes)
        except (LookupError, ValueError, struct.error):
            is_whole = False
        if not is_whole:
            yield text("behind a field of record {number}", number=number)


def _whole(text: bytes) -> int:
    return int.from_bytes(text, "little")


def _is_shared_whole(shared: bytes) -> bool:
    """Tell whether ID, alleles, FILTER and INFO fill their part of a record, and each its own length.

    The length that a record states besides is REF's, unless INFO or a symbolic allele says another.
    """
    length, n_info, n_alleles = struct.unpack_from("<i4xHH", shared, 8)
    at = 24
    for part in range(n_alleles + 2 + 2 * n_info):
        kind, n, at = described(shared, at)
        if part == 1 and n_alleles and n != length and not n_info and b"<" not in shared:
            return False
        at, is_whole = _stepped(shared, at, kind, n, 1)
        if not is_whole:
            return False
    return at == len(shared)


def _are_samples_whole(shared: bytes, samples: bytes, genotypes: int) -> bool:
    """Tell the same of the samples; a genotype's first allele, which has no separator, has no phase alone."""
    n_samples, n_fields = _whole(shared[20:23]), shared[23]
    at = 0
    for _ in range(n_fields):
        key, at = key_at(samples, at)
        kind, n, at = described(samples, at)
        if key == genotypes and kind in WHOLE and n and _is_phased_alone(samples, at, kind, n, n_samples):
            return False
        at, is_whole = _stepped(samples, at, kind, n, n_samples)
        if not is_whole:
            return False
    return at == len(samples)


def _is_phased_alone(samples: bytes, at: int, kind: int, n: int, n_samples: int) -> bool:
    values = np.frombuffer(samples, dtype=_WORDS[kind], count=n * n_samples, offset=at).reshape(n_samples, n)
    phased = (values & 1) == 1
    others = phased[:, 1:] | (values[:, 1:] == _ENDS[kind])
    return bool(np.any(phased[:, 0] & ~(others.all(axis=1) & (n > 1))))


def _stepped(text: bytes, at: int, kind: int, n: int, n_rows: int) -> tuple[int, bool]:
    """Return where the values end, and whether nothing stands behind the last one of any row."""
    end = at + n * SIZES[kind] * n_rows
    if end > len(text):
        raise ValueError("The field is longer than its record.")
    if n < 2 or kind == 0:
        return end, True
    values = np.frombuffer(text, dtype=_WORDS[kind], count=n * n_rows, offset=at).reshape(n_rows, n)
    is_end = values == (0 if kind == TEXT else _ENDS[kind])
    return end, not bool(np.any(is_end[:, :-1] & ~is_end[:, 1:]))
