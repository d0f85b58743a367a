"""VCF files as they come: a path opened in place, or bytes in memory; decompressed piece by piece.

What igzip and pysam's BGZFile let pass is checked besides: that the file is made of BGZF blocks and that
the end marker is there. Nothing is ever written to disk.
"""

import hashlib
import io
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from isal import igzip, isal_zlib

from core.errors import AuditInputError
from core.files.input_bytes import open_input, unchanged
from core.words import Text, own, text

EOF_MARKER = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
PIECE = 1 << 20  # bytes read at once where nobody gives the memory
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
        try:
            found = self._path().stat()
        except OSError:
            return f"{self.path}:gone"
        return f"{self.path}:{found.st_size}:{found.st_mtime_ns}"

    def open(self) -> io.BufferedIOBase:
        """Open for reading.

        Raises
        ------
        AuditInputError
            When the path cannot be opened.
        """
        if self.content is not None:
            return io.BytesIO(self.content)
        try:
            return open_input(self._path(), name=self.name)
        except OSError as error:
            reason = error.strerror or own("unknown reason")
            raise AuditInputError(
                text("{file}: the file cannot be opened ({reason}).", file=self.name, reason=reason)
            ) from None

    def _path(self) -> Path:
        if self.path is None:
            raise TypeError("A VcfFile needs a path or its content.")
        return self.path


@contextmanager
def unchanged_files(*files: VcfFile) -> Iterator[None]:
    """Refuse files that are changed, replaced or removed while they are read."""
    with ExitStack() as looked_at:
        for file in files:
            if file.path is not None:
                looked_at.enter_context(unchanged(file.path, name=file.name))
        yield


class Content:
    """The decompressed content of a file, read into memory that the caller gives.

    BGZF and uncompressed files are read.

    Parameters
    ----------
    file
        The file; it is opened here and closed with :meth:`close`.
    progress
        Called with the number of stored bytes read since its last call.

    Raises
    ------
    AuditInputError
        For an empty file, plain gzip, a truncated or damaged file, or a file that cannot be read; here or
        while reading.
    """

    def __init__(self, file: VcfFile, progress: Progress | None = None) -> None:
        self._name = file.name
        with ExitStack() as opened:
            stream = opened.enter_context(file.open())
            self._content = opened.enter_context(self._inflated(stream, progress or (lambda _n_bytes: None)))
            self._opened = opened.pop_all()

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer, or the beginning of it; return how many bytes that are, 0 at the end."""
        with self._own_words():
            return self._content.readinto(buffer) or 0

    def read(self) -> bytes:
        """Return the next piece of at most a megabyte, empty at the end."""
        with self._own_words():
            return self._content.read(PIECE) or b""

    def close(self) -> None:
        """Close the file; calling it twice does nothing more."""
        self._opened.close()

    def _inflated(self, stream: io.BufferedIOBase, progress: Progress) -> "_Counted | _Inflated":
        with self._own_words():
            head = stream.read(BGZF_HEADER)
            stream.seek(0)
        if not head:
            raise AuditInputError(
                text("{file}: the file is empty (0 bytes); get it again from its source.", file=self._name)
            )
        if not head.startswith(GZIP_MAGIC):
            return _Counted(stream, progress)
        if not is_bgzf(head):
            raise AuditInputError(plain_gzip_problem(self._name))
        with self._own_words():
            end, size = find_end(stream), stream.seek(0, io.SEEK_END)
            stream.seek(0)
        if end < size:
            raise AuditInputError(
                text(
                    "{file}: {n} byte stands behind the end marker, from byte {byte} on, where programs end "
                    "with an error or do not look: it can hold anything. Write the file again: "
                    "bcftools view -O z.",
                    "{file}: {n} bytes stand behind the end marker, from byte {byte} on, where programs end "
                    "with an error or do not look: they can hold anything. Write the file again: "
                    "bcftools view -O z.",
                    file=self._name,
                    n=size - end,
                    byte=end,
                )
            )
        with self._own_words():
            blocks = _Beginning(stream, end)
        return _Inflated(fileobj=_BlockFrames(self._name, blocks, progress), mode="rb")

    @contextmanager
    def _own_words(self) -> Iterator[None]:
        """Say in one sentence why reading failed."""
        try:
            yield
        except (igzip.BadGzipFile, EOFError, _INFLATE_ERROR):
            raise AuditInputError(
                text(
                    "{file}: a compressed block is damaged (its checksum does not match); copy the file "
                    "again from its source.",
                    file=self._name,
                )
            ) from None
        except OSError as error:
            reason = error.strerror or own("unknown reason")
            raise AuditInputError(
                text("{file}: reading the file failed ({reason}).", file=self._name, reason=reason)
            ) from None


def find_end(stream: io.BufferedIOBase) -> int:
    """Return where the blocks of a BGZF file end: at its end marker, whatever follows, else at its size.

    The stream is at its beginning afterwards.
    """
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - len(EOF_MARKER)))
    offset, end = 0, size if stream.read() == EOF_MARKER else 0
    while not end:
        stream.seek(offset)
        head = stream.read(len(EOF_MARKER))
        if head == EOF_MARKER and not _is_block_at(stream, offset + len(EOF_MARKER)):
            end = offset + len(EOF_MARKER)
        elif not is_bgzf(head):
            end = size
        else:
            offset += int.from_bytes(head[16:18], "little") + 1
    stream.seek(0)
    return end


def _is_block_at(stream: io.BufferedIOBase, offset: int) -> bool:
    stream.seek(offset)
    return is_bgzf(stream.read(BGZF_HEADER))


class _Beginning(io.RawIOBase):
    """The first bytes of a file."""

    def __init__(self, stream: io.BufferedIOBase, n_bytes: int) -> None:
        self._stream = stream
        self._left = n_bytes

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer as far as these bytes go."""
        n_bytes = self._stream.readinto(memoryview(buffer)[: self._left])
        self._left -= n_bytes
        return n_bytes


def read_pieces(file: VcfFile, *, progress: Progress | None = None) -> Generator[bytes, None, None]:
    """Yield the decompressed content of a file piece by piece; see :class:`Content`."""
    with closing(Content(file, progress)) as content:
        while piece := content.read():
            yield piece


def plain_gzip_problem(name: str) -> Text:
    """Say that a file is plain gzip, and how to recompress it."""
    return text(
        "{file}: compressed with plain gzip, but VCF files need block gzip (BGZF); recompress it with "
        "“gunzip -c FILE | bgzip -c > NEW_FILE” and use the new file.",
        file=name,
    )


def is_bgzf(head: bytes) -> bool:
    """Tell whether a file that begins with `head` (18 bytes or more) is block gzip."""
    return len(head) >= BGZF_HEADER and head[:4] == b"\x1f\x8b\x08\x04" and head[12:14] == b"BC"


class _Inflated(igzip.IGzipFile):  # type: ignore[misc]  # it has no stub
    """The text of a compressed file, put straight into the memory given; GzipFile would copy it there."""

    def readinto(self, buffer: memoryview) -> int:
        """Fill the buffer, or the beginning of it."""
        return self._buffer.readinto(buffer)


class _Counted(io.RawIOBase):
    """The bytes of an uncompressed file, counted as they are read."""

    def __init__(self, stream: io.BufferedIOBase, progress: Progress) -> None:
        self._stream = stream
        self._progress = progress

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer, or the beginning of it."""
        n_bytes = self._stream.readinto(buffer)
        self._progress(n_bytes)
        return n_bytes


class _BlockFrames(io.RawIOBase):
    """The compressed bytes of a BGZF file as they are read: blocks in a row, the end marker last."""

    def __init__(self, name: str, stream: _Beginning, progress: Progress) -> None:
        self._name = name
        self._stream = stream
        self._progress = progress
        self._to_next = 0  # bytes until the next block begins
        self._head = b""  # of a block whose header has not been read whole
        self._tail = b""

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer; at the end of the file, check that it is a whole one."""
        n_bytes = self._stream.readinto(buffer)
        if not n_bytes:
            self._check_end()
        self._progress(n_bytes)
        data = buffer[:n_bytes]
        self._tail = (self._tail + data[-len(EOF_MARKER) :])[-len(EOF_MARKER) :]
        self._step_over_blocks(self._head + data if self._head else data)
        return n_bytes

    def _step_over_blocks(self, data: bytes | memoryview) -> None:
        offset = self._to_next
        while offset + BGZF_HEADER <= len(data):
            head = bytes(data[offset : offset + BGZF_HEADER])
            if not is_bgzf(head):
                raise AuditInputError(
                    text(
                        "{file}: a compressed block does not begin as BGZF does; the file is damaged, copy "
                        "it again.",
                        file=self._name,
                    )
                )
            offset += int.from_bytes(head[16:], "little") + 1
        self._head = bytes(data[offset:])
        self._to_next = max(0, offset - len(data))

    def _check_end(self) -> None:
        if self._head or self._to_next:
            raise AuditInputError(
                text(
                    "{file}: the file is cut short in the middle of a compressed block; copy it again from "
                    "its source.",
                    file=self._name,
                )
            )
        if self._tail != EOF_MARKER:
            raise AuditInputError(
                text(
                    "{file}: the BGZF end marker is missing, so the file may be cut short; copy it again "
                    "from its source.",
                    file=self._name,
                )
            )
