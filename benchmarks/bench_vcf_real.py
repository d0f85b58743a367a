"""The VCF verifier on real shapes: a panel of 3,202 samples, a gVCF, and a cohort of repeats.

The real files are small; each is repeated along its contigs until its records are 100 MB of text, and every
target record is scrubbed, but for one in a hundred that is forgotten. They are read from the folder that
``REAL_DIR`` names; without it there is nothing to measure.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pysam
from isal import igzip

from benchmarks.bench_vcf import report
from core.vcf import VcfFile, VcfPair, VcfSettings
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import VcfHeader, parse_header
from core.vcf.repeats import RepeatPattern

REAL_DIR = Path(os.environ.get("REAL_DIR", Path(__file__).parents[1] / ".." / "shared" / "real"))
N_BYTES = int(float(os.environ.get("BENCH_VCF_REAL_MB", "100")) * 1e6)
FORGOTTEN = 100  # one target in so many is left as it is
SHAPES = {
    "panel of 3,202 samples": (
        "vcflib__samples_1kGP_high_coverage_Illumina.chr1.filtered.SNV_INDEL_SV_phased_panel-head-1000.vcf.gz",
        4.0,
    ),
    "gVCF": ("bio2zarr__tests_data_vcf_NA12878.prod.chr20snippet.g.vcf.gz", 4.0),
    "cohort of repeats": ("TRTools__example-files_CEU_subset.vcf.gz", 8.0),
}


def run() -> None:
    """Print seconds, ratios and memory for each shape."""
    for name, (file, limit) in SHAPES.items():
        path = REAL_DIR / "vcf" / file
        if not path.is_file():
            print(f"{name}: {path.name} is not in {path.parent.name}; set REAL_DIR")
            continue
        with tempfile.TemporaryDirectory() as folder:
            pair, n_records, n_targets = tiled(path, Path(folder))
            report(f"{name}, {n_targets / n_records:.2%} targets", pair, n_records, limit)


def tiled(path: Path, folder: Path) -> tuple[VcfPair, int, int]:
    """Write a file again and again along its contigs, and its masking; count its records and targets."""
    text: bytes = igzip.decompress(path.read_bytes())
    start = text.index(b"\n", text.index(b"\n#CHROM") + 1) + 1
    header = parse_header(path.name, text[:start])
    columns = [line.split(b"\t", 2) for line in text[start:].splitlines()]
    n_tiles = -(-N_BYTES // (len(text) - start))
    names = path.name, f"high_anony_{path.name}"
    n_targets = 0
    with (
        pysam.BGZFile(str(folder / names[0]), "wb") as original,
        pysam.BGZFile(str(folder / names[1]), "wb") as anonymized,
    ):
        original.write(text[:start])
        anonymized.write(b"\n".join(_masked_header(text[:start])))
        for site, rest, masked in _along(columns, n_tiles, header):
            n_targets += masked is not None
            forgotten = masked is None or n_targets % FORGOTTEN == 1
            original.write(site + rest + b"\n")
            anonymized.write(site + (rest if forgotten else masked or b"") + b"\n")
    files = [VcfFile(name=name, path=folder / name) for name in names]
    return VcfPair(original=files[0], anonymized=files[1], level="high"), len(columns) * n_tiles, n_targets


def _masked_header(text: bytes) -> Iterator[bytes]:
    for line in text.split(b"\n"):
        key = line.partition(b"=")[0]
        yield {b"##reference": b"##reference=x", b"##cmdline": b"##cmdline=."}.get(key, line)


def _along(
    columns: list[list[bytes]], n_tiles: int, header: VcfHeader
) -> Iterator[tuple[bytes, bytes, bytes | None]]:
    """Yield CHROM and POS, the rest, and the rest masked if the record is a target, sorted."""
    pattern, reader = RepeatPattern.of(VcfSettings()), FrequencyReader(header.declarations)
    masked = [_masked(rest, pattern, reader) for _, _, rest in columns]
    for contig in dict.fromkeys(chrom for chrom, _, _ in columns):
        mine = [place for place, (chrom, _, _) in enumerate(columns) if chrom == contig]
        positions = [int(columns[place][1]) for place in mine]
        span = max(positions) - min(positions) + 1000
        for tile in range(n_tiles):
            for place, position in zip(mine, positions, strict=True):
                yield b"%s\t%d\t" % (contig, position + tile * span), columns[place][2], masked[place]


def _masked(rest: bytes, pattern: RepeatPattern, reader: FrequencyReader) -> bytes | None:
    """Return a target from ID on with nothing left but REF; None for other records."""
    _, ref, alt, _, _, info, *samples = rest.split(b"\t")
    is_repeat = pattern.found(alt)
    if alt == b"." or not (is_repeat or reader.maf(info) < VcfSettings().maf_threshold):
        return None
    blank = [b"GT", *[b"./."] * (len(samples) - 1)] if samples else []
    return b"\t".join([b".", ref, b"N" if is_repeat else b".", b".", b".", b".", *blank])
