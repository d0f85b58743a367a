"""BCF files: read by htslib and handed on as VCF text."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pysam

from core.errors import AuditInputError
from core.vcf.files import Content, VcfFile
from core.vcf.header import FREQUENCY_KEYS, VcfHeader, parse_header
from core.vcf.lines import Lines
from core.vcf.memory import memory_file

MAGIC = b"BCF"
PIECE_RECORDS = 2_000


def is_binary(text: bytes) -> bool:
    """Tell whether decompressed content is BCF."""
    return text.startswith(MAGIC)


def read_binary(file: VcfFile, content: Content) -> tuple[VcfHeader, Lines]:
    """Read a BCF file through htslib, in lines; see :func:`read_binary_text`."""
    header, pieces = read_binary_text(file, content)
    return header, Lines(file.name, header.n_columns, _Text(pieces), b"")


def read_binary_text(file: VcfFile, content: Content) -> tuple[VcfHeader, Iterator[bytes]]:
    """Read a BCF file through htslib, as pieces of VCF text.

    The rest of its `content` is read first, so that a damaged file is refused in our own words
    before htslib sees it.

    Raises
    ------
    AuditInputError
        When the file is damaged or htslib cannot read it.
    """
    while content.read():
        pass
    quiet = pysam.set_verbosity(0)
    try:
        binary = _open(file)
    except (ValueError, OSError):
        raise AuditInputError(f"{file.name}: htslib cannot read this BCF file; convert it to VCF.") from None
    finally:
        pysam.set_verbosity(quiet)
    try:
        header = parse_header(file.name, str(binary.header).encode())
    except UnicodeDecodeError:
        raise AuditInputError(
            f"{file.name}: the header of this BCF file is not in UTF-8; convert it to VCF."
        ) from None
    return header, _as_text(file.name, binary)


def _open(file: VcfFile) -> pysam.VariantFile:
    if file.content is None:
        return pysam.VariantFile(str(file.path))
    with memory_file(file.content) as memory:
        return pysam.VariantFile(os.dup(memory.fileno()))


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


def _as_text(name: str, binary: pysam.VariantFile) -> Iterator[bytes]:
    lines: list[bytes] = []
    with binary:
        try:
            for record in binary:
                lines.append(_line(record))
                if len(lines) >= PIECE_RECORDS:
                    yield b"".join(lines)
                    lines = []
        except (ValueError, OSError):
            raise AuditInputError(f"{name}: htslib cannot read a record of this BCF file.") from None
    if lines:
        yield b"".join(lines)


def _line(record: pysam.VariantRecord) -> bytes:
    """Return the record as text, with its frequencies as exact as they are stored.

    htslib writes floats with six digits, which can move a frequency across a threshold.
    """
    columns = str(record).encode().split(b"\t", 8)
    fields = columns[7].rstrip(b"\n").split(b";")
    exact = {key: _exact(record.info[key]) for key in FREQUENCY_KEYS if _holds_floats(record, key)}
    ended = columns[7].endswith(b"\n")
    columns[7] = b";".join(_replaced(field, exact) for field in fields) + (b"\n" if ended else b"")
    return b"\t".join(columns)


def _holds_floats(record: pysam.VariantRecord, key: str) -> bool:
    return key in record.info and record.header.info[key].type == "Float"


def _exact(value: object) -> bytes:
    values = value if isinstance(value, tuple) else (value,)
    return b",".join(b"." if number is None else b"%.9g" % number for number in values)


def _replaced(field: bytes, exact: dict[str, bytes]) -> bytes:
    key, equals, _ = field.partition(b"=")
    value = exact.get(key.decode("latin-1"))
    return field if value is None or not equals else key + b"=" + value
