"""The VCF verifier against the time to decompress both files.

Three kinds of files, generated: many samples with depths and likelihoods, of which masking blanks ALT alone,
long INFO and one sample, of which it scrubs the record.
Sizes are a fraction of the full ones (200,000 × 500 samples; 1,000,000 sites with 2 kB of INFO; 5,000,000
records of one sample), set by ``BENCH_VCF_SCALE`` (default 0.1, at which each is more than 100 MB of text).
The yardstick is ``bgzip -dc`` of both files where bgzip is installed, else htslib's; which one it was is
printed.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pysam

from benchmarks.measuring import peak_bytes, worked_seconds
from core.vcf import VcfFile, VcfPair, VcfSettings, judge_scan, scan_pair

SCALE = float(os.environ.get("BENCH_VCF_SCALE", "0.1"))
MEMORY_LIMIT_MB = 200
N_ROUNDS = 5  # of yardstick and verifier in turn, since a shared machine is now fast and now slow
REPEAT_ALT = b"AC" * 8
HEADER = b"""##fileformat=VCFv4.2
##cmdline=caller --in sample.bam
##reference=file:///data/ref.fa
##contig=<ID=chr1,length=248956422>
##contig=<ID=chr2,length=242193529>
##INFO=<ID=AC,Number=A,Type=Integer,Description="x">
##INFO=<ID=AF,Number=A,Type=Float,Description="x">
##INFO=<ID=AN,Number=1,Type=Integer,Description="x">
##INFO=<ID=CSQ,Number=.,Type=String,Description="x">
##INFO=<ID=DP,Number=1,Type=Integer,Description="x">
##FORMAT=<ID=GT,Number=1,Type=String,Description="x">
##FORMAT=<ID=AD,Number=R,Type=Integer,Description="x">
##FORMAT=<ID=DP,Number=1,Type=Integer,Description="x">
##FORMAT=<ID=GQ,Number=1,Type=Integer,Description="x">
##FORMAT=<ID=PL,Number=G,Type=Integer,Description="x">
"""
MASKED_HEADER = HEADER.replace(b"=caller --in sample.bam", b"=.").replace(b"file:///data/", b"")

Make = Callable[[int], Iterator[tuple[bytes, bytes]]]
Line = tuple[bytes, bytes, bytes, bytes]  # up to REF, ALT, between, rest after INFO's frequency


def run() -> None:
    """Print seconds, ratios and memory for each kind of file."""
    for name, (make, full, limit) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            pair = write_pair(Path(folder), name, make(int(full * SCALE)))
            report(name, pair, int(full * SCALE), limit)


def report(name: str, pair: VcfPair, n_records: int, limit: float) -> None:
    """Measure one pair and print a line."""
    yardstick, decompress = decompression(pair)
    actions = (decompress, lambda: verify(pair), lambda: plain_loop(pair))
    rounds = [[times(action) for action in actions] for _ in range(N_ROUNDS)]
    wall = sorted(ours[0] / baseline[0] for baseline, ours, _ in rounds)
    processor = statistics.median(ours[1] / baseline[1] for baseline, ours, _ in rounds)
    ours_cpu, loop_cpu = (statistics.median(one[at][1] for one in rounds) for at in (1, 2))
    memory = memory_in_own_process(pair)
    print(
        f"{name}, {n_records:,} records: {ours_cpu:.2f} s of processor time, a plain loop {loop_cpu:.2f} s; "
        f"{statistics.median(wall):.1f}× ({wall[0]:.1f}–{wall[-1]:.1f}) {yardstick} of both files "
        f"by the clock and {processor:.1f}× in processor time (aim {limit:g}×), peak memory {memory:.0f} MB "
        f"(aim {MEMORY_LIMIT_MB} MB)"
    )


def verify(pair: VcfPair) -> None:
    """Read, judge, and make sure that the result is what the generator made."""
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    assert audit.n_targets > 2
    assert audit.n_masked < audit.n_targets


def decompression(pair: VcfPair) -> tuple[str, Callable[[], object]]:
    """Return the yardstick's name, and what decompresses both files."""
    bgzip = shutil.which("bgzip")
    files = (pair.original, pair.anonymized)
    if bgzip is None:
        return "htslib's decompression", lambda: read_with_pysam(pair)

    def decompress() -> None:
        for file in files:
            subprocess.run([bgzip, "-dc", str(file.path)], stdout=subprocess.DEVNULL, check=True)

    return "bgzip -dc", decompress


def read_with_pysam(pair: VcfPair) -> None:
    """Decompress both files with the htslib that pysam brings."""
    for file in (pair.original, pair.anonymized):
        with pysam.BGZFile(str(file.path)) as stream:
            while stream.read(1 << 20):
                pass


def plain_loop(pair: VcfPair) -> tuple[int, int]:
    """Count targets and those masked as a short script does, record by record of files that are in step."""
    pysam.set_verbosity(0)
    threshold, n_targets, n_masked = VcfSettings().maf_threshold, 0, 0
    repeat = re.compile(r"([ACGT]{1,6}?)\1{6,}")
    with (
        pysam.VariantFile(str(pair.original.path)) as mine,
        pysam.VariantFile(str(pair.anonymized.path)) as own,
    ):
        for before, after in zip(mine, own, strict=True):
            alt, kept = (",".join(record.alts or ()) for record in (before, after))
            is_repeat = repeat.search(alt) is not None
            if not alt or not (is_repeat or _frequency(before.info) < threshold):
                continue
            n_targets += 1
            if is_repeat:
                n_masked += kept != alt and "N" in kept
            else:
                n_masked += not kept.strip(".,") or _frequency(after.info) > _frequency(before.info)
    return n_targets, n_masked


def _frequency(info: pysam.VariantRecordInfo) -> float:
    """Return the frequency of a record's rarest allele by MAF, AF or AC with AN."""
    if "MAF" in info and info["MAF"] is not None:
        found = info["MAF"]
        return float(found[0] if isinstance(found, tuple) else found)
    values = info["AF"] if "AF" in info else info["AC"] if "AC" in info and "AN" in info else ()
    total = 1 if "AF" in info else info["AN"] if values else 1
    shares = [value / total for value in np.atleast_1d(values).tolist() if value is not None and total]
    return min(max(0, 1 - sum(shares)), *shares) if shares else float("inf")


def times(action: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of one call by the clock, and of the processor, children included."""
    cpu, started = worked_seconds(), time.perf_counter()
    action()
    return time.perf_counter() - started, worked_seconds() - cpu


def memory_in_own_process(pair: VcfPair) -> float:
    """Return the peak memory in MB of a fresh process that verifies the pair and nothing else."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_vcf", str(pair.original.path), str(pair.anonymized.path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def write_pair(folder: Path, name: str, records: Iterator[tuple[bytes, bytes]]) -> VcfPair:
    """Write original and anonymized records, block-compressed."""
    first, second = folder / f"{name}.vcf.gz", folder / f"high_anony_{name}.vcf.gz"
    columns = COLUMNS[name]
    with pysam.BGZFile(str(first), "wb") as original, pysam.BGZFile(str(second), "wb") as anonymized:
        original.write(HEADER + columns)
        anonymized.write(MASKED_HEADER + columns)
        for line, masked in records:
            original.write(line)
            anonymized.write(masked)
    return VcfPair(
        original=VcfFile(name=first.name, path=first),
        anonymized=VcfFile(name=second.name, path=second),
        level="high",
    )


def masked_alt(alt: bytes, frequency: float, chance: float) -> bytes:
    """Mask as an anonymizer would, and forget one target in a hundred."""
    if chance < 0.01:
        return alt
    if alt == REPEAT_ALT:
        return b"N"
    return b"." if frequency < 0.01 else alt


def sites(n_records: int, rare_share: float) -> Iterator[tuple[bytes, bytes, float, float, float]]:
    """Yield CHROM-POS, ALT, frequency and two random numbers, sorted."""
    rng = np.random.default_rng(7)
    positions = np.cumsum(rng.integers(1, 200, n_records))
    rare = rng.random(n_records) < rare_share
    frequencies = np.where(rare, rng.random(n_records) * 0.01, 0.01 + rng.random(n_records) * 0.6)
    chances, others, repeats = rng.random(n_records), rng.random(n_records), rng.random(n_records) < 0.01
    for position, frequency, chance, other, repeat in zip(
        positions.tolist(),
        frequencies.tolist(),
        chances.tolist(),
        others.tolist(),
        repeats.tolist(),
        strict=True,
    ):
        yield (
            b"chr1\t%d\t.\tA\t" % position,
            REPEAT_ALT if repeat else b"G",
            round(frequency, 4),
            chance,
            other,
        )


def many_samples(n_records: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield records of 500 samples as a joint caller writes them, genotypes drawn from the frequency."""
    rng = np.random.default_rng(11)
    homozygous = [_cell(rng, 0) for _ in range(5_000)]
    carrying = {dosage: [_cell(rng, dosage) for _ in range(500)] for dosage in (1, 2)}
    for place, alt, frequency, chance, _ in sites(n_records, 0.1):
        row = [homozygous[cell] for cell in rng.integers(0, len(homozygous), 500).tolist()]
        calls = rng.binomial(2, frequency, 500)
        for sample in np.flatnonzero(calls).tolist():
            row[sample] = carrying[int(calls[sample])][sample]
        info = b"\t50\tPASS\tAC=%d;AF=%.4f;AN=1000\tGT:AD:DP:GQ:PL" % (int(frequency * 1000), frequency)
        rest = info + b"".join(row) + b"\n"
        yield place + alt + rest, place + masked_alt(alt, frequency, chance) + rest


def scrubbed(make: Make) -> Make:
    """Return the same records, of which masking leaves nothing but REF."""

    def made(n_records: int) -> Iterator[tuple[bytes, bytes]]:
        for line, masked in make(n_records):
            yield line, masked if masked == line else _scrubbed(masked)

    return made


def _scrubbed(masked: bytes) -> bytes:
    chrom, pos, _, ref, alt, _, _, _, *samples = masked.split(b"\t")
    genotypes = [b"GT", *[b"./."] * (len(samples) - 1)] if samples else []
    return b"\t".join([chrom, pos, b".", ref, alt, b".", b".", b".", *genotypes]) + b"\n"


def _cell(rng: np.random.Generator, dosage: int) -> bytes:
    """Return one sample's genotype, depths and likelihoods."""
    depth, quality = int(rng.integers(15, 60)), int(rng.integers(20, 99))
    reads = (0, depth // 2, depth)[dosage]
    likelihoods = [quality * 9, quality * 9, quality * 9]
    likelihoods[dosage] = 0
    return b"\t%s:%d,%d:%d:%d:%d,%d,%d" % (
        (b"0/0", b"0/1", b"1/1")[dosage],
        depth - reads,
        reads,
        depth,
        quality,
        *likelihoods,
    )


def long_info(n_records: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield records without samples, with 2 kB of annotation."""
    rng = np.random.default_rng(13)
    transcripts = [
        b"|".join(b"%s%08d" % (word, number) for word in (b"intron_variant", b"MODIFIER", b"ENSG", b"ENST"))
        for number in rng.integers(0, 10**8, 400).tolist()
    ]
    for place, alt, frequency, chance, other in sites(n_records, 0.1):
        start = int(other * 360)
        info = b"\t50\tPASS\tAC=%d;AF=%.4f;AN=1000;DP=%d;CSQ=%s\n" % (
            int(frequency * 1000),
            frequency,
            int(other * 9000),
            b",".join(transcripts[start : start + 35]),
        )
        yield place + alt + info, place + masked_alt(alt, frequency, chance) + info


def one_sample(n_records: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield records of one sample as a variant caller writes them."""
    rng = np.random.default_rng(17)
    for place, alt, frequency, chance, other in sites(n_records, 0.05):
        scores = rng.normal(size=6)
        info = (
            b"\t%.2f\tPASS\tAC=1;AF=%.4f;AN=2;BaseQRankSum=%.3f;ClippingRankSum=%.3f;DP=%d;ExcessHet=3.0103;"
            b"FS=%.3f;MLEAC=1;MLEAF=0.500;MQ=60.00;MQRankSum=%.3f;QD=%.2f;ReadPosRankSum=%.3f;SOR=%.3f"
        ) % (other * 1000, frequency, scores[0], scores[1], other * 60, *abs(scores[2:3]), *scores[3:], 0.7)
        rest = info + b"\tGT:AD:DP:GQ:PL" + _cell(rng, 1) + b"\n"
        yield place + alt + rest, place + masked_alt(alt, frequency, chance) + rest


_SITE_COLUMNS = b"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
_SAMPLE_COLUMNS = _SITE_COLUMNS + b"\tFORMAT" + b"".join(b"\tS%d" % i for i in range(500)) + b"\n"
COLUMNS = {
    "many samples": _SAMPLE_COLUMNS,
    "long INFO, scrubbed": _SITE_COLUMNS + b"\n",
    "one sample, scrubbed": _SITE_COLUMNS + b"\tFORMAT\tS1\n",
}
KINDS = {
    "many samples": (many_samples, 200_000, 2.0),
    "long INFO, scrubbed": (scrubbed(long_info), 1_000_000, 2.5),
    "one sample, scrubbed": (scrubbed(one_sample), 5_000_000, 4.0),
}


if __name__ == "__main__":
    verify(
        VcfPair(
            original=VcfFile(name="original", path=Path(sys.argv[1])),
            anonymized=VcfFile(name="anonymized", path=Path(sys.argv[2])),
            level="high",
        )
    )
    print(peak_bytes() / 2**20)
