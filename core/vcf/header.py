"""The header of a VCF file: checked by us first, then by htslib."""

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pysam

from core.errors import AuditInputError
from core.words import text

_CONTIG_ID = re.compile(rb"^##contig=<(?:[^\n\">]*,)?ID=([^,>\n]+)", re.MULTILINE)
_FORMAT_ID = re.compile(rb"##FORMAT=<(?:[^\">]*,)?ID=([^,>]+)")
_ATTRIBUTE = re.compile(rb'[<,]([^=,<>"]{1,99})=("[^"]*"|[^,>"]*)')
_TYPE = re.compile(rb"[<,]Type=([^,>]+)")
_STATED_NUMBER = re.compile(rb"(?<=[<,])[ \t]*IDX=")  # htslib makes room for as many as the largest
_TYPES = {kind.encode(): kind for kind in ("Integer", "Float", "String", "Character", "Flag")}
FREQUENCY_KEYS = ("MAF", "AF", "AC", "AN")
FIXED_COLUMNS = (b"#CHROM", b"POS", b"ID", b"REF", b"ALT", b"QUAL", b"FILTER", b"INFO")
MAGIC = b"##fileformat=VCF"
MAX_HEADER = 1 << 28


@dataclass(frozen=True)
class Declaration:
    """How a header declares an INFO field: its type and whether it holds exactly one value."""

    type: str
    single: bool


UNDECLARED = Declaration("String", single=True)  # what htslib assumes


@dataclass(frozen=True, kw_only=True)
class VcfHeader:
    """The header of one file."""

    lines: tuple[bytes, ...]  # every ``##`` line, without line ends
    samples: tuple[bytes, ...]  # sample names, in order
    contigs: tuple[bytes, ...]  # names of the declared contigs, in order
    # how MAF, AF, AC and AN are declared; a key that is not declared is absent
    declarations: dict[str, Declaration]
    formats: dict[bytes, str] = field(default_factory=dict)  # the declared type of every FORMAT key

    @property
    def n_columns(self) -> int:
        """Return how many columns every record must have."""
        return len(FIXED_COLUMNS) + (1 + len(self.samples) if self.samples else 0)


def attributes_of(line: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """Return the key of a header line, and of a definition its attributes as written."""
    key, _, value = line.removeprefix(b"##").partition(b"=")
    return key, dict(_ATTRIBUTE.findall(value)) if value.startswith(b"<") else {}


def metadata_of(original: VcfHeader, anonymized: VcfHeader) -> tuple[int, int]:
    """Return how many of ``##cmdline`` and ``##reference`` had to be masked, and how many are.

    The command line is masked when the anonymized header has ``##cmdline=.``, the reference when
    it has a ``##reference=`` without a slash.
    """
    n_targets = n_masked = 0
    if any(line.startswith(b"##cmdline=") for line in original.lines):
        n_targets += 1
        n_masked += b"##cmdline=." in anonymized.lines
    if any(line.startswith(b"##reference=") for line in original.lines):
        n_targets += 1
        n_masked += any(line.startswith(b"##reference=") and b"/" not in line for line in anonymized.lines)
    return n_targets, n_masked


def split_header(text: bytes) -> int | None:
    """Return where the records begin in `text`, None when the header does not end in it."""
    if text.startswith(b"#CHROM"):
        start = 0
    else:
        start = text.find(b"\n#CHROM") + 1
        record = _first_record(text)
        if record is not None and (start == 0 or record < start):
            return record
        if start == 0:
            return None
    end = text.find(b"\n", start)
    return None if end < 0 else end + 1


def _first_record(text: bytes) -> int | None:
    """Return where a line begins that is no header line, None when there is none."""
    offset = 0
    while 0 <= offset < len(text):
        if text[offset : offset + 1] not in (b"#", b"\n", b"\r"):
            return offset
        offset = text.find(b"\n", offset) + 1
        if offset == 0:
            return None
    return None


def parse_header(name: str, content: bytes) -> VcfHeader:
    """Check and read a header."""
    lines = content.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    meta = tuple(line for line in lines if line.startswith(b"##"))
    if not lines[0].startswith(MAGIC):
        raise AuditInputError(
            text("{file}: not a VCF file; its first line must begin with “##fileformat=VCF”.", file=name)
        )
    if not lines[-1].startswith(b"#CHROM"):
        raise AuditInputError(
            text("{file}: the header has no “#CHROM” line before the first record.", file=name)
        )
    samples = _samples(name, lines[-1])
    declarations = _read_with_htslib(name, _STATED_NUMBER.sub(b"x=", b"\n".join(lines) + b"\n"))
    return VcfHeader(
        lines=meta,
        samples=samples,
        contigs=tuple(dict.fromkeys(_CONTIG_ID.findall(b"\n".join(meta)))),
        declarations=declarations,
        formats=_formats(meta),
    )


def read_header(name: str, text: bytes, read: Callable[[], bytes]) -> tuple[VcfHeader, bytes]:
    """Return the header of a file in text, and what was read beyond it."""
    while (end := split_header(text)) is None and len(text) < MAX_HEADER:
        piece = read()
        if not piece:
            end = len(text)
            break
        text += piece
    return parse_header(name, text[:end]), text[end:]


def _samples(name: str, line: bytes) -> tuple[bytes, ...]:
    columns = line.split(b"\t")
    if tuple(columns[:8]) != FIXED_COLUMNS or (len(columns) > 8 and columns[8] != b"FORMAT"):
        raise AuditInputError(
            text(
                "{file}: the “#CHROM” line must hold the eight fixed columns, then FORMAT and the samples, "
                "separated by tabs.",
                file=name,
            )
        )
    samples = tuple(columns[9:])
    if len(columns) == len(FIXED_COLUMNS) + 1:
        raise AuditInputError(text("{file}: the “#CHROM” line has a FORMAT column but no sample.", file=name))
    if b"" in samples:
        raise AuditInputError(text("{file}: the “#CHROM” line has an empty sample name.", file=name))
    if len(set(samples)) < len(samples):
        n_repeated = len(samples) - len(set(samples))
        raise AuditInputError(
            text(
                "{file}: sample names must differ; {found} of {total} repeat another.",
                file=name,
                found=n_repeated,
                total=len(samples),
            )
        )
    return samples


def _read_with_htslib(name: str, content: bytes) -> dict[str, Declaration]:
    if b"\x00" in content:
        raise AuditInputError(text("{file}: the header holds a NUL byte; the file is damaged.", file=name))
    try:
        with opened(content) as file:
            return _declarations(file.header)
    except (ValueError, OSError):
        raise AuditInputError(
            text("{file}: htslib cannot read the header; check its “##” lines.", file=name)
        ) from None


@contextmanager
def opened(text: bytes) -> Iterator[pysam.VariantFile]:
    """Yield VCF text as htslib opens it, through a pipe: it never becomes a file. Nothing is printed."""
    reading, writing = os.pipe()
    feeding = threading.Thread(target=_feed, args=(writing, text), daemon=True)
    quiet = pysam.set_verbosity(0)
    feeding.start()
    try:
        with os.fdopen(reading, "rb", buffering=0) as pipe, pysam.VariantFile(pipe) as file:
            yield file
    finally:
        pysam.set_verbosity(quiet)
        feeding.join()


def _feed(writing: int, text: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(writing, "wb", buffering=0) as pipe:
        rest = memoryview(text)
        while rest:
            rest = rest[pipe.write(rest) or 0 :]


def _formats(meta: Iterable[bytes]) -> dict[bytes, str]:
    """Return the type of every FORMAT key as htslib reads it: what is none of its types is text."""
    found: dict[bytes, str] = {}
    for line in meta:
        key = _FORMAT_ID.match(line)
        if key is not None and key[1] not in found:
            kind = _TYPE.search(line)
            found[key[1]] = _TYPES.get(kind[1] if kind else b"", "String")
    return found


def _declarations(known: pysam.VariantHeader) -> dict[str, Declaration]:
    found = {}
    for key in FREQUENCY_KEYS:
        if key in known.info:
            entry = known.info[key]
            found[key] = Declaration(entry.type or "String", entry.number == 1)
    return found
