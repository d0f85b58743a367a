"""VCF files as they come: a path opened in place, or bytes in memory; decompressed piece by piece.

What igzip and pysam's BGZFile let pass is checked besides: that the file is made of BGZF blocks, that
the end marker is there, and that nothing follows it. Nothing is ever written to disk.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from isal import igzip, isal_zlib

from core.errors import AuditInputError

EOF_MARKER = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
PIECE = 1 << 20  # bytes of text handed on at once
GZIP_MAGIC = b"\x1f\x8b"
BGZF_HEADER = 18

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


def read_pieces(file: VcfFile, *, progress: Progress | None = None) -> Iterator[bytes]:
    """Yield the decompressed content in pieces of 128 kB.

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
            yield from _read_as_found(file.name, stream, head, progress or _no_progress)
        except OSError as error:
            reason = error.strerror or "unknown reason"
            raise AuditInputError(f"{file.name}: reading the file failed ({reason}).") from None


def _no_progress(_n_bytes: int) -> None:
    pass


def _read_as_found(name: str, stream: BinaryIO, head: bytes, progress: Progress) -> Iterator[bytes]:
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


def _read_plain(stream: BinaryIO, progress: Progress) -> Iterator[bytes]:
    while piece := stream.read(PIECE):
        progress(len(piece))
        yield piece


def _read_bgzf(name: str, stream: BinaryIO, progress: Progress) -> Iterator[bytes]:
    with igzip.IGzipFile(fileobj=_BlockFrames(name, stream, progress), mode="rb") as text:
        try:
            while piece := text.read(PIECE):
                yield piece
        except (igzip.BadGzipFile, EOFError, _INFLATE_ERROR):
            raise AuditInputError(_damage_problem(name)) from None


class _BlockFrames(io.RawIOBase):
    """The compressed bytes of a BGZF file as they are read, checked from block to block.

    Sizes and checksums of the blocks' texts are left to igzip; here each block must begin where the
    one before ends, and the end marker must come last.
    """

    def __init__(self, name: str, stream: BinaryIO, progress: Progress) -> None:
        self._name = name
        self._stream = stream
        self._progress = progress
        self._to_next = 0  # bytes until the next block begins
        self._head = b""  # of a block whose header has not been read whole
        self._block_size = 0
        self._tail = b""

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer; at the end of the file, check that it is a whole one."""
        data = self._stream.read(len(buffer))
        if not data:
            self._check_end()
        buffer[: len(data)] = data
        self._progress(len(data))
        self._tail = (self._tail + data[-len(EOF_MARKER) :])[-len(EOF_MARKER) :]
        self._step_over_blocks(self._head + data if self._head else data)
        return len(data)

    def _step_over_blocks(self, data: bytes) -> None:
        offset = self._to_next
        while offset + BGZF_HEADER <= len(data):
            if data[offset : offset + 4] != b"\x1f\x8b\x08\x04" or data[offset + 12 : offset + 14] != b"BC":
                raise AuditInputError(_garbage_problem(self._name, after_end=self._after_end))
            self._block_size = int.from_bytes(data[offset + 16 : offset + 18], "little") + 1
            offset += self._block_size
        self._head = data[offset:]
        self._to_next = max(0, offset - len(data))

    @property
    def _after_end(self) -> bool:
        return self._block_size == len(EOF_MARKER)

    def _check_end(self) -> None:
        if self._head and self._after_end:
            raise AuditInputError(_garbage_problem(self._name, after_end=True))
        if self._head or self._to_next:
            raise AuditInputError(
                f"{self._name}: the file is cut short in the middle of a compressed block; "
                "copy it again from its source."
            )
        if self._tail != EOF_MARKER:
            raise AuditInputError(
                f"{self._name}: the BGZF end marker is missing, so the file may be cut short; "
                "copy it again from its source."
            )


def _damage_problem(name: str) -> str:
    return (
        f"{name}: a compressed block is damaged (its checksum does not match); "
        "copy the file again from its source."
    )


def _garbage_problem(name: str, *, after_end: bool) -> str:
    if after_end:
        return f"{name}: bytes that are not VCF follow the end marker; remove them or copy the file again."
    return f"{name}: a compressed block does not begin as BGZF does; the file is damaged, copy it again."
