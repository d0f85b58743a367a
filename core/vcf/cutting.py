"""Cut the text of a VCF file into blocks of some megabytes. Sites are never split between two blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from core.vcf.blocks import NEWLINE, Block, site_of
from core.vcf.columns import MANY_COLUMNS
from core.vcf.header import VcfHeader

BLOCK = 1 << 21  # bytes of text looked at together; twice as many where samples make the lines long


class Source(Protocol):
    """Where the text of the records comes from."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer, or the beginning of it; return how many bytes that are, 0 at the end."""


def read_blocks(name: str, header: VcfHeader, begun: bytes, source: Source) -> Iterator[Block]:
    """Cut text into blocks that end where a site ends.

    Parameters
    ----------
    name
        The file's name, for messages.
    header
        The file's header.
    begun
        The text after the header that has been read already.
    source
        The text after that.
    """
    buffers = _Buffers(2 * BLOCK if header.n_columns > MANY_COLUMNS else BLOCK)
    number = 1
    data, n_bytes = _begun(buffers.take(len(begun)), begun)
    at_end = False
    while not at_end:
        n_bytes, at_end = _filled(data, n_bytes, source)
        whole, n_bytes = _without_returns(data, n_bytes)
        cut = n_bytes if at_end else _site_cut(whole, n_bytes)
        with memoryview(whole)[cut:n_bytes] as rest:
            data, n_bytes = _begun(buffers.take(len(rest)), rest)
        if cut:
            block = Block(name, header.n_columns, whole, cut, number)
            number += len(block.ends)
            yield block


class _Buffers:
    """Memory for blocks, used again once no array points into it: fresh memory costs more than a look."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._buffers: list[bytearray] = []

    def take(self, n_bytes: int) -> bytearray:
        """Return memory for a block and its last newline, of which this much is needed at once."""
        for buffer in self._buffers:
            if len(buffer) > 2 * n_bytes and _is_free(buffer):
                return buffer
        buffer = bytearray(max(self._size, 2 * n_bytes) + 1)
        self._buffers.append(buffer)
        return buffer


def _is_free(buffer: bytearray) -> bool:
    """Tell whether no array points into the memory: only then can its size change."""
    try:
        last = buffer.pop()
    except BufferError:
        return False
    buffer.append(last)
    return True


def _begun(data: bytearray, text: bytes | memoryview) -> tuple[bytearray, int]:
    data[: len(text)] = text
    return data, len(text)


def _filled(data: bytearray, n_bytes: int, source: Source) -> tuple[int, bool]:
    """Read until the memory is full or the text is at its end, which a newline then ends."""
    with memoryview(data) as view:
        while n_bytes < len(data) - 1:
            n_read = source.readinto(view[n_bytes : len(data) - 1])
            if not n_read:
                break
            n_bytes += n_read
        else:
            return n_bytes, False
        if n_bytes and view[n_bytes - 1] != NEWLINE:
            view[n_bytes] = NEWLINE
            n_bytes += 1
    return n_bytes, True


def _without_returns(text: bytearray, n_bytes: int) -> tuple[bytearray, int]:
    if text.find(b"\r", 0, n_bytes) < 0:
        return text, n_bytes
    replaced = text[:n_bytes].replace(b"\r\n", b"\n")
    return replaced, len(replaced)


def _site_cut(text: bytearray, n_bytes: int) -> int:
    """Return where the last site's first line begins: what follows may go on in the next piece."""
    cut = text.rfind(b"\n", 0, n_bytes) + 1
    site: bytes | bytearray | None = None
    while cut > 0:
        start = text.rfind(b"\n", 0, cut - 1) + 1
        found = site_of(text, start, cut)
        if site is not None and found != site:
            return cut
        site = found
        cut = start
    return 0
