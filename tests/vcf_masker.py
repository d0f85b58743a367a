"""Mask real VCF files properly, as a careful person would, each time in another of the usual styles.

The published rule says which records are targets, read record by record through pysam. A target, and what
else tells its allele (a copy of it, a record of its ID, its mates, an overlapping ``*``, phasing in other
records), is scrubbed, and so is a repeat that is called by its copies; the header keeps
definitions only, and samples get pseudonyms.
"""

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from isal import igzip

from core.vcf.files import VcfFile
from tests.vcf_files import Reference, bgzf, read

How = Literal["whole site", "records"]
PHASING = (b"PID", b"PGT", b"PS", b"HP", b"PQ", b"PHASESET")
KEPT_LINES = (b"##INFO=", b"##FORMAT=", b"##FILTER=", b"##ALT=", b"##contig=", b"##fileformat=")
_CONTIG_ORIGIN = re.compile(rb",(?:URL|assembly|md5|M5|species|taxonomy|AS|UR|SP)=(?:\"[^\"]*\"|[^,>]*)")
_DEPTH = re.compile(rb"(?<![^;])(?:DP|MQ)=[0-9.]+(?![^;])")
_COPIES = re.compile(rb"<STR[0-9]+>")
_LOCUS = re.compile(rb"(?:^|;)(?:RU=[A-Za-z]{2}|MOTIFS?=[A-Za-z]{2}|PERIOD=(?!1(?:;|$)))")
_MATES = re.compile(rb"(?:^|;)(MATEID|PARID|EVENT)=([^;]+)")


class Style(NamedTuple):
    """One careful person's habits."""

    alt: bytes
    genotype: bytes
    keeps_format: bool
    keeps_quality: bool = False
    keeps_filter: bool = False
    keeps_depth: bool = False


class Masked(NamedTuple):
    """A masked file and how many of its records were targets."""

    original: VcfFile
    anonymized: VcfFile
    n_targets: int


class Line(NamedTuple):
    """A record as text, and which rule asks for it to be masked."""

    columns: list[bytes]
    target: Literal["", "MAF", "STR"]

    @property
    def site(self) -> tuple[bytes, bytes]:
        return self.columns[0], self.columns[1]

    @property
    def place(self) -> tuple[bytes, int]:
        return self.columns[0], int(self.columns[1])

    @property
    def alleles(self) -> set[bytes]:
        return set(self.columns[4].upper().split(b",")) - {b".", b"*", b"<*>", b"<NON_REF>"}


def mask(path: Path, how: How, *, seed: int = 1, threshold: float = 0.01) -> Masked:
    """Return a file of VCF text and its proper masking, both compressed as block gzip.

    Raises
    ------
    ValueError, OSError
        When pysam cannot read the file.
    """
    rng = random.Random(f"{path.name} {how} {seed}")  # noqa: S311 - a style, not a secret
    style = Style(
        alt=rng.choice((b".", b"N")),
        genotype=rng.choice((b"./.", b".", b".|.")),
        keeps_format=rng.random() < 0.3,
        keeps_quality=rng.random() < 0.3,
        keeps_filter=rng.random() < 0.3,
        keeps_depth=rng.random() < 0.3,
    )
    text = _text(path)
    content = bgzf(text)
    header, columns, records = _parts(text)
    n_columns = columns.count(b"\t") + 1
    lines = list(_lines(records, content, threshold, n_columns))
    scrubbed = _scrubbed(lines, how)
    body = [
        _scrub(line, style, at_repeat=line.site in scrubbed.repeats)
        if i in scrubbed.which
        else _unphased(line)
        for i, line in enumerate(lines)
    ]
    masked = b"\n".join([*_header(header), _with_pseudonyms(columns, rng), *body]) + b"\n"
    name = path.name.split(".vcf")[0].split(".bcf")[0] + ".vcf.gz"
    return Masked(
        original=VcfFile(name=name, content=content),
        anonymized=VcfFile(name=f"high_{threshold:g}_anony_{name}", content=bgzf(masked)),
        n_targets=sum(bool(line.target) for line in lines),
    )


def _text(path: Path) -> bytes:
    data = path.read_bytes()
    text: bytes = igzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    if text.startswith(b"BCF"):
        records = read(data)
        header = str(records[0].header) if records else ""
        return (header + "".join(map(str, records))).encode()
    return text.replace(b"\r\n", b"\n")


def _parts(text: bytes) -> tuple[list[bytes], bytes, list[bytes]]:
    lines = text.rstrip(b"\n").split(b"\n")
    header = [line for line in lines if line.startswith(b"##")]
    (columns,) = [line for line in lines if line.startswith(b"#CHROM")]
    return header, columns, [line for line in lines if line and not line.startswith(b"#")]


def _lines(records: Sequence[bytes], content: bytes, threshold: float, n_columns: int) -> Iterator[Line]:
    """Yield the records, without what stands beyond the columns that the header announces."""
    rule = Reference(threshold)
    for text, record in zip(records, read(content), strict=True):
        yield Line(text.split(b"\t")[:n_columns], rule.kind(record))


class _Scrubbed(NamedTuple):
    which: set[int]
    repeats: set[tuple[bytes, bytes]]


def _scrubbed(lines: Sequence[Line], how: How) -> _Scrubbed:
    """Return which records are scrubbed, and at which sites there is a repeat."""
    targets = [line for line in lines if line.target]
    sites = {line.site for line in targets}
    named = {(line.site, allele) for line in targets for allele in line.alleles}
    called = {(line.site, line.columns[2]) for line in targets if line.columns[2] != b"."}
    mates = set().union(*map(_mates, targets))
    hidden = {
        (line.columns[0], place)
        for line in targets
        for place in range(line.place[1] + 1, line.place[1] + min(len(line.columns[3]), 10_000))
    }
    which = {
        i
        for i, line in enumerate(lines)
        if line.target
        or _COPIES.search(line.columns[4])
        or (line.alleles and _LOCUS.search(line.columns[7]))
        or (how == "whole site" and line.site in sites)
        or any((line.site, allele) in named for allele in line.alleles)
        or (line.site, line.columns[2]) in called
        or (mates and not mates.isdisjoint(_mates(line)))
        or (b"*" in line.columns[4].split(b",") and line.place in hidden)
    }
    return _Scrubbed(which, {line.site for line in targets if line.target == "STR"})


def _mates(line: Line) -> set[bytes]:
    found = {value for _, value in _MATES.findall(line.columns[7])}
    return found | ({line.columns[2]} if found and line.columns[2] != b"." else set())


def _scrub(line: Line, style: Style, *, at_repeat: bool) -> bytes:
    alt = b"N" if at_repeat else style.alt
    quality = line.columns[5] if style.keeps_quality else b"."
    filters = line.columns[6] if style.keeps_filter else b"."
    depth = b";".join(_DEPTH.findall(line.columns[7])) if style.keeps_depth else b""
    columns = [*line.columns[:2], b".", line.columns[3], alt, quality, filters, depth or b"."]
    if len(line.columns) > 8:
        fields = line.columns[8].split(b":")
        kept = fields if style.keeps_format else [b"GT"]
        blank = b":".join(style.genotype if field == b"GT" else b"." for field in kept)
        columns += [b":".join(kept), *[blank] * (len(line.columns) - 9)]
    return b"\t".join(columns)


def _unphased(line: Line) -> bytes:
    """Return a record without phasing fields: they can name other records' alleles and carriers."""
    if len(line.columns) < 9 or b"P" not in line.columns[8]:
        return b"\t".join(line.columns)
    fields = line.columns[8].split(b":")
    kept = [i for i, field in enumerate(fields) if field not in PHASING]
    if len(kept) == len(fields) or not kept:
        return b"\t".join(line.columns)
    samples = [
        b":".join(values[i] for i in kept if i < len(values)) or b"."
        for values in (sample.split(b":") for sample in line.columns[9:])
    ]
    return b"\t".join([*line.columns[:8], b":".join(fields[i] for i in kept), *samples])


def _header(header: Sequence[bytes]) -> list[bytes]:
    """Keep definitions; blank the command line, shorten the reference to its file's name."""
    kept = []
    for line in header:
        if line.startswith(KEPT_LINES):
            kept.append(_CONTIG_ORIGIN.sub(b"", line) if line.startswith(b"##contig") else line)
        elif line.startswith(b"##cmdline="):
            kept.append(b"##cmdline=.")
        elif line.startswith(b"##reference="):
            kept.append(b"##reference=.")
    return list(dict.fromkeys(kept))


def _with_pseudonyms(columns: bytes, rng: random.Random) -> bytes:
    fixed, samples = columns.split(b"\t")[:9], columns.split(b"\t")[9:]
    numbers = list(range(1, len(samples) + 1))
    rng.shuffle(numbers)
    return b"\t".join([*fixed, *(b"S%04d" % number for number in numbers)])
