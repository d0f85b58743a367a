"""BCF files as htslib reads them: their records handed on as VCF text."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

import pysam

from core.errors import AuditInputError
from core.vcf.header import MAX_HEADER, VcfHeader, parse_header
from core.vcf.lines import Lines
from core.words import text

MAGIC = b"BCF\x02\x02"
PIECE_RECORDS = 2_000
_NUMBERED = re.compile(rb",IDX=\d{1,9}(?=[,>])")
pysam.set_encoding_error_handler("surrogateescape")  # text of any bytes is read
pysam.set_verbosity(0)
_REFUSALS = (OSError, ValueError, LookupError, NotImplementedError)  # of htslib and pysam


def is_binary(text: bytes) -> bool:
    """Tell whether decompressed content is BCF."""
    return text.startswith(MAGIC[:3])


def read_binary(name: str, text: bytes, read: Callable[[], bytes]) -> tuple[VcfHeader, Lines]:
    """Read a BCF file in lines; see :func:`read_binary_text`."""
    header, pieces = read_binary_text(name, text, read)
    return header, Lines(name, header.n_columns, _Text(pieces), b"")


def read_binary_text(
    name: str, beginning: bytes, read: Callable[[], bytes]
) -> tuple[VcfHeader, Iterator[bytes]]:
    """Read a BCF file as pieces of VCF text.

    Parameters
    ----------
    name
        The file's name, for messages.
    beginning
        The first decompressed bytes, one or more.
    read
        Returns the next ones, none at the end; called from another thread once the pieces are taken.

    Raises
    ------
    AuditInputError
        For a header or, with the piece where it stands, a record that htslib cannot read.
    """
    at = len(MAGIC) + 4
    while len(beginning) < at and (piece := read()):
        beginning += piece
    end = at + int.from_bytes(beginning[len(MAGIC) : at], "little")
    while len(beginning) < min(end, MAX_HEADER) and (piece := read()):
        beginning += piece
    if not beginning.startswith(MAGIC) or end == at or len(beginning) < end:
        raise AuditInputError(
            text("{file}: this BCF file has no header of version 2.2; convert it to VCF.", file=name)
        )
    header = parse_header(name, _NUMBERED.sub(b"", beginning[at:end].partition(b"\x00")[0]))
    return header, _as_text(name, header, beginning, read)


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


def _as_text(name: str, header: VcfHeader, beginning: bytes, read: Callable[[], bytes]) -> Iterator[bytes]:
    lines: list[bytes] = []
    number = 0
    with closing(_Fed(beginning, read)) as fed:
        try:
            for line in fed.lines():
                # a record may have no samples, whatever the header says
                if line.count(b"\t") not in (7, header.n_columns - 1) or len(line.splitlines()) != 1:
                    raise ValueError("A field holds a tab or a line end.")
                number += 1
                lines.append(line)
                if len(lines) == PIECE_RECORDS:
                    yield b"".join(lines)
                    lines = []
        except _REFUSALS:
            raise (fed.problem or _damaged(name, number + 1)) from None
        if fed.problem is not None:
            raise fed.problem
    yield b"".join(lines)


def _damaged(name: str, number: int) -> AuditInputError:
    return AuditInputError(
        text(
            "{file}: record {number} of this BCF file is cut short or damaged, or holds a tab or a line end "
            "within a field; get the file again from its source.",
            file=name,
            number=number,
        )
    )


class _Fed:
    """htslib, given a file's bytes by another thread through a pipe: they never become a file.

    Attributes
    ----------
    problem
        What came up where the bytes come from; htslib takes it for the end of the file.
    """

    def __init__(self, beginning: bytes, read: Callable[[], bytes]) -> None:
        self.problem: BaseException | None = None
        self._next, self._read = beginning, read
        self._reading, writing = os.pipe()
        self._feeding = threading.Thread(target=self._feed, args=(writing,), daemon=True)
        self._feeding.start()

    def lines(self) -> Iterator[bytes]:
        """Yield each record as a line of VCF, as htslib writes it, whatever bytes its text holds."""
        pipe = os.fdopen(self._reading, "rb", buffering=0, closefd=False)
        with pipe, pysam.VariantFile(pipe) as file:
            for record in file:
                yield str(record).encode("utf-8", "surrogateescape")

    def close(self) -> None:
        """Let the other thread end."""
        os.close(self._reading)
        self._feeding.join()

    def _feed(self, writing: int) -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb", buffering=0) as pipe:
            try:
                while self._next:
                    rest = memoryview(self._next)
                    while rest:
                        rest = rest[pipe.write(rest) or 0 :]
                    self._next = self._read()
            except BrokenPipeError:
                raise
            except BaseException as problem:  # raised again by who reads the lines
                self.problem = problem
