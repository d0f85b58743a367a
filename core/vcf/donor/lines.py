"""The records of one VCF or BCF file as lines, for what needs no second file beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain

from core.vcf.binary import is_binary, read_binary_text
from core.vcf.files import Content, Progress, VcfFile
from core.vcf.header import VcfHeader, read_header


@contextmanager
def open_lines(
    file: VcfFile, progress: Progress | None = None
) -> Iterator[tuple[VcfHeader, Iterator[bytes]]]:
    """Read a file's header, and give it with the lines that follow; the file is closed after.

    Blank lines and comments between records are left out.
    """
    with closing(Content(file, progress)) as content:
        text = content.read()
        if is_binary(text):
            header, pieces = read_binary_text(file.name, text, content.read)
            yield header, _lines(pieces)
            return
        header, beyond = read_header(file.name, text, content.read)
        yield header, _lines(chain([beyond], iter(content.read, b"")))


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from filter(_is_record, map(_without_return, lines))
    if _is_record(rest := _without_return(rest)):
        yield rest


def _without_return(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line


def _is_record(line: bytes) -> bool:
    return bool(line) and not line.startswith(b"#")
