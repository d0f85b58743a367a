"""VCF files as they come: a path opened in place, or bytes in memory; decompressed piece by piece.

The decompression checks what igzip and pysam's BGZFile let pass: every block's size and CRC-32,
the end marker, and that nothing follows it. Nothing is ever written to disk.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from isal import isal_zlib

from core.errors import AuditInputError

EOF_MARKER = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
PIECE = 1 << 21  # bytes of text handed on at once
READ = 1 << 17
GZIP_MAGIC = b"\x1f\x8b"
BGZF_HEADER = 18
MAX_BLOCK = 1 << 16

Progress = Callable[[int], None]
_INFLATE_ERROR: type[Exception] = isal_zlib.error  # type: ignore[assignment]  # its stub names the type wrongly


@dataclass(frozen=True, kw_only=True)
class VcfFile:
    """A VCF file by name: either a `path` that is opened in place, or its `content` in memory."""

    name: str
    path: Path | None = None
    content: bytes | None = None

    @property
    def n_bytes(self) -> int:
        """Return the size in bytes, compressed as it is stored; 0 for a path that is gone."""
        if self.content is not None:
            return len(self.content)
        try:
            return os.stat(self._path()).st_size  # noqa: PTH116 - one call, no exception on a race
        except OSError:
            return 0

    def sha256(self) -> str:
        """Return the SHA-256 of the stored bytes; a path is read for it.

        Raises
        ------
        AuditInputError
            When the path cannot be opened.
        """
        with self.open() as stream:
            digest = hashlib.sha256()
            while piece := stream.read(PIECE):
                digest.update(piece)
            return digest.hexdigest()

    @property
    def identity(self) -> str:
        """Return what tells this file from another or a changed one without reading it all."""
        if self.content is not None:
            return hashlib.sha256(self.content).hexdigest()
        found = self._path().stat()
        return f"{self.path}:{found.st_size}:{found.st_mtime_ns}"

    def open(self) -> BinaryIO:
        """Open for reading.

        Raises
        ------
        AuditInputError
            When the path cannot be opened.
        """
        if self.content is not None:
            return io.BytesIO(self.content)
        try:
            return self._path().open("rb")
        except OSError as error:
            reason = error.strerror or "unknown reason"
            raise AuditInputError(f"{self.name}: the file cannot be opened ({reason}).") from None

    def _path(self) -> Path:
        if self.path is None:
            raise TypeError("A VcfFile needs a path or its content.")
        return self.path


def read_pieces(file: VcfFile, *, progress: Progress | None = None) -> Iterator[list[bytes]]:
    """Yield the decompressed content in pieces of about 2 MB, each a list of parts to be joined.

    BGZF and uncompressed files are read; `progress` is called with the number of stored bytes
    read since its last call.

    Raises
    ------
    AuditInputError
        For an empty file, plain gzip, a truncated or damaged file, bytes after the end, or a file
        that cannot be read.
    """
    with file.open() as stream:
        try:
            head = stream.read(BGZF_HEADER)
            stream.seek(0)
            pieces = _read_as_found(file.name, stream, head, progress or _no_progress)
            yield from pieces
        except OSError as error:
            reason = error.strerror or "unknown reason"
            raise AuditInputError(f"{file.name}: reading the file failed ({reason}).") from None


def _no_progress(_n_bytes: int) -> None:
    pass


def _read_as_found(name: str, stream: BinaryIO, head: bytes, progress: Progress) -> Iterator[list[bytes]]:
    if not head:
        raise AuditInputError(f"{name}: the file is empty (0 bytes); get it again from its source.")
    if not head.startswith(GZIP_MAGIC):
        return _read_plain(stream, progress)
    if not is_bgzf(head):
        raise AuditInputError(plain_gzip_problem(name))
    return _read_bgzf(name, stream, progress)


def plain_gzip_problem(name: str) -> str:
    """Say that a file is plain gzip, and how to recompress it."""
    return (
        f"{name}: compressed with plain gzip, but VCF files need block gzip (BGZF); recompress it with "
        "“gunzip -c FILE | bgzip -c > NEW_FILE” and use the new file."
    )


def is_bgzf(head: bytes) -> bool:
    """Tell whether a file that begins with `head` (18 bytes or more) is block gzip."""
    return len(head) >= BGZF_HEADER and head[:4] == b"\x1f\x8b\x08\x04" and head[12:14] == b"BC"


def _read_plain(stream: BinaryIO, progress: Progress) -> Iterator[list[bytes]]:
    while piece := stream.read(PIECE):
        progress(len(piece))
        yield [piece]


def _read_bgzf(name: str, stream: BinaryIO, progress: Progress) -> Iterator[list[bytes]]:
    rest = b""
    parts: list[bytes] = []
    size = 0
    last_block = b""
    while read := stream.read(READ):
        progress(len(read))
        data = rest + read if rest else read
        offset, last_block = _inflate_blocks(name, data, parts, last_block)
        rest = data[offset:]
        size = sum(map(len, parts))
        if size >= PIECE:
            yield parts
            parts = []
    _check_end(name, rest, last_block)
    if parts:
        yield parts


def _inflate_blocks(name: str, data: bytes, parts: list[bytes], last_block: bytes) -> tuple[int, bytes]:
    """Append the text of every whole block in `data`; return where the first broken-off one begins."""
    offset, end = 0, len(data)
    view = memoryview(data)
    while offset + BGZF_HEADER <= end:
        if data[offset : offset + 4] != b"\x1f\x8b\x08\x04" or data[offset + 12 : offset + 14] != b"BC":
            raise AuditInputError(_garbage_problem(name, last_block))
        stop = offset + int.from_bytes(data[offset + 16 : offset + 18], "little") + 1
        if stop > end:
            break
        parts.append(_inflate(name, view[offset + BGZF_HEADER : stop]))
        last_block = data[offset:stop] if stop - offset == len(EOF_MARKER) else b""
        offset = stop
    return offset, last_block


def _inflate(name: str, body: memoryview) -> bytes:
    try:
        size = int.from_bytes(body[-4:], "little")
        text = isal_zlib.decompress(body[:-8], -15, min(size, MAX_BLOCK) or 1)
    except _INFLATE_ERROR:
        raise AuditInputError(_damage_problem(name)) from None
    if len(text) != size or isal_zlib.crc32(text) != int.from_bytes(body[-8:-4], "little"):
        raise AuditInputError(_damage_problem(name))
    return bytes(text)


def _check_end(name: str, rest: bytes, last_block: bytes) -> None:
    if rest and last_block == EOF_MARKER:
        raise AuditInputError(_garbage_problem(name, last_block))
    if rest:
        raise AuditInputError(
            f"{name}: the file is cut short in the middle of a compressed block; "
            "copy it again from its source."
        )
    if last_block != EOF_MARKER:
        raise AuditInputError(
            f"{name}: the BGZF end marker is missing, so the file may be cut short; "
            "copy it again from its source."
        )


def _damage_problem(name: str) -> str:
    return (
        f"{name}: a compressed block is damaged (its checksum does not match); "
        "copy the file again from its source."
    )


def _garbage_problem(name: str, last_block: bytes) -> str:
    if last_block == EOF_MARKER:
        return f"{name}: bytes that are not VCF follow the end marker; remove them or copy the file again."
    return f"{name}: a compressed block does not begin as BGZF does; the file is damaged, copy it again."
