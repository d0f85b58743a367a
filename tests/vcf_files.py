"""Small VCF files for tests, and a slow literal verifier built on pysam to compare with."""

import os
import re
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pysam

from core.vcf.files import EOF_MARKER, VcfFile

HEADER = (
    "##fileformat=VCFv4.2",
    "##cmdline=/opt/caller --in /data/u/s.bam",
    "##reference=file:///data/ref/GRCh38.fa",
    "##contig=<ID=chr1,length=248956422>",
    "##contig=<ID=chr2,length=242193529>",
    '##INFO=<ID=AC,Number=A,Type=Integer,Description="x">',
    '##INFO=<ID=AF,Number=A,Type=Float,Description="x">',
    '##INFO=<ID=AN,Number=1,Type=Integer,Description="x">',
    '##INFO=<ID=MAF,Number=1,Type=Float,Description="x">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">',
)
COLUMNS = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
MASKED = {HEADER[1]: "##cmdline=.", HEADER[2]: "##reference=GRCh38"}


def vcf_text(records: Sequence[str], *, header: Sequence[str] = HEADER, samples: Sequence[str] = ()) -> bytes:
    """Join header and records; a record is written with spaces for tabs."""
    columns = "\t".join([COLUMNS, *(["FORMAT", *samples] if samples else [])])
    lines = [*header, columns, *(record.replace(" ", "\t") for record in records)]
    return ("\n".join(lines) + "\n").encode()


def masked_header(header: Sequence[str] = HEADER) -> list[str]:
    """Return the header as an anonymizer leaves it."""
    return [MASKED.get(line, line) for line in header]


def bgzf(text: bytes, *, block: int = 60_000) -> bytes:
    """Compress as block gzip, end marker included."""
    with_blocks = [_bgzf_block(text[at : at + block]) for at in range(0, len(text), block)]
    return b"".join([*with_blocks, EOF_MARKER])


def _bgzf_block(text: bytes) -> bytes:
    body = zlib.compress(text, 1, -15)  # always the same bytes, which ISA-L does not promise
    size = 18 + len(body) + 8 - 1
    head = bytes.fromhex("1f8b08040000000000ff060042430200") + size.to_bytes(2, "little")
    return head + body + zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")


def vcf_file(name: str, text: bytes) -> VcfFile:
    """Return a compressed file in memory."""
    return VcfFile(name=name, content=bgzf(text))


def bcf(text: bytes) -> bytes:
    """Return a file of VCF text as htslib writes it in BCF."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "made.vcf"), Path(folder, "made.bcf")
        source.write_bytes(text)
        quiet = pysam.set_verbosity(0)
        try:
            with (
                pysam.VariantFile(str(source)) as reading,
                pysam.VariantFile(str(target), "wb", header=reading.header) as out,
            ):
                for record in reading:
                    out.write(record)
        finally:
            pysam.set_verbosity(quiet)
        return target.read_bytes()


class Reference:
    """The published rule, literally: every record through pysam, sites in a dictionary."""

    def __init__(
        self, threshold: float, *, min_motif: int = 1, max_motif: int = 6, min_repeat: int = 7
    ) -> None:
        self.threshold = threshold
        self.pattern = re.compile(rf"([ACGT]{{{min_motif},{max_motif}}})\1{{{min_repeat - 1},}}")

    def targets(self, content: bytes) -> dict[tuple[str, int], tuple[str, tuple[str, ...]]]:
        found = {}
        for record in read(content):
            if kind := self.kind(record):
                found[record.chrom, record.pos] = (kind, record.alts)
        return found

    def kind(self, record: pysam.VariantRecord) -> Literal["", "MAF", "STR"]:
        """Return why a record is a target, nothing when it is none."""
        if not record.alts or record.alts == (".",):
            return ""
        if any(self.pattern.search(alt) for alt in record.alts):
            return "STR"
        maf = site_maf(record)
        return "MAF" if maf is not None and maf < self.threshold else ""

    def verify(self, original: bytes, anonymized: bytes) -> tuple[int, set[str]]:
        """Return the number of masked targets and the positions of the others."""
        targets = self.targets(original)
        masked = set()
        for record in read(anonymized):
            site = (record.chrom, record.pos)
            if site in targets and self.satisfies(record, *targets[site]):
                masked.add(site)
        return len(masked), {f"{chrom}:{pos}" for chrom, pos in set(targets) - masked}

    def satisfies(self, record: pysam.VariantRecord, kind: str, alts: tuple[str, ...]) -> bool:
        found = record.alts or ()
        if kind == "STR":
            return found != alts and any("N" in alt for alt in found)
        maf = site_maf(record)
        return maf is None or not maf < self.threshold or all(alt == "." for alt in found)


def site_maf(record: pysam.VariantRecord) -> float | None:
    info = record.info
    if "MAF" in info and info["MAF"] is not None:
        return _declared_maf(info["MAF"])
    if "AF" in info:
        frequencies = numbers(info["AF"])
        if frequencies:
            return min(max(0, 1 - sum(frequencies)), *frequencies)
    if "AC" in info and "AN" in info and not isinstance(info["AN"], tuple):
        total = (*numbers(info["AN"]), 0.0)[0]
        frequencies = [count / total for count in numbers(info["AC"])] if total > 0 else []
        if frequencies:
            return min(max(0, 1 - sum(frequencies)), *frequencies)
    return None


def _declared_maf(value: object) -> float | None:
    if value is True:
        return None
    try:
        return float(value[0] if isinstance(value, tuple) else value)
    except (TypeError, ValueError, IndexError):
        return None


def numbers(value: object) -> list[float]:
    found = []
    for one in value if isinstance(value, tuple) else (value,):
        try:
            found.append(float(one))
        except (TypeError, ValueError):
            continue
    return found


def read(content: bytes) -> list[pysam.VariantRecord]:
    quiet = pysam.set_verbosity(0)
    try:
        with os.fdopen(os.memfd_create("vcf"), "w+b") as memory:
            memory.write(content)
            memory.flush()
            memory.seek(0)
            with pysam.VariantFile(memory) as file:
                return list(file)
    finally:
        pysam.set_verbosity(quiet)
