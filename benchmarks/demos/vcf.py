"""Demo genome files: seeded, synthetic, block-compressed, with no person behind any record."""

from collections.abc import Callable, Mapping

import numpy as np
from isal import isal_zlib

from core.demo import DemoFile
from core.vcf.files import EOF_MARKER

_SEED = 20_250
_CONTIGS = (("chr1", 1_600), ("chr2", 1_200), ("chrX", 500))
_SAMPLES = ("S1", "S2", "S3", "S4", "S5", "S6")
_MOTIFS = ("A", "AC", "AG", "CAG", "AAAT", "AATGG")
_HEADER = (
    "##fileformat=VCFv4.2",
    "##cmdline=caller --in donor.bam --out calls.vcf",
    "##reference=/data/reference/genome.fa",
    *(f"##contig=<ID={name},length={2_000_000 * size}>" for name, size in _CONTIGS),
    '##INFO=<ID=AC,Number=A,Type=Integer,Description="Allele count">',
    '##INFO=<ID=AF,Number=A,Type=Float,Description="Allele frequency">',
    '##INFO=<ID=AN,Number=1,Type=Integer,Description="Alleles called">',
    '##INFO=<ID=CSQ,Number=.,Type=String,Description="Consequence. Format: Allele|Consequence|Gene">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
)
_COLUMNS = "\t".join(("#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"))

# Contig, position, ID, ALT, AF, genotypes, whether it is a repeat.
Site = tuple[str, int, str, str, float, list[str], bool]
Shown = tuple[str, str, str, list[str]]  # ID, ALT, INFO, genotypes
Masking = Callable[[Site, int], Shown]


def make_cohort(seed: int = _SEED) -> Mapping[str, tuple[DemoFile, ...]]:
    """Return two originals and three anonymized files: one clean, one with leftovers, one of low level."""
    rng = np.random.default_rng(seed)
    north, south = _sites(rng), _sites(rng)
    files = {
        "north.vcf.gz": _text(north, _HEADER, _SAMPLES, _as_it_is),
        "high_0.01_anony_north.vcf.gz": _text(north, _clean_header(), _MASKED_SAMPLES, _masked_well),
        "low_anony_north.vcf.gz": _text(north, _clean_header(), _MASKED_SAMPLES, _as_it_is),
        "south.vcf.gz": _text(south, _HEADER, _SAMPLES, _as_it_is),
        "high_0.01_anony_south.vcf.gz": _text(
            south, (*_clean_header(), "##source=caller 4"), _SAMPLES, _masked_badly
        ),
    }
    return {"files": tuple(DemoFile(name=name, data=_bgzf(text)) for name, text in files.items())}


_MASKED_SAMPLES = tuple(f"sample_{number}" for number in range(1, len(_SAMPLES) + 1))


def _clean_header() -> tuple[str, ...]:
    return tuple(
        "##cmdline=." if line.startswith("##cmdline") else line.replace("/data/reference/", "")
        for line in _HEADER
    )


def _sites(rng: np.random.Generator) -> list[Site]:
    sites: list[Site] = []
    for contig, n_sites in _CONTIGS:
        positions = np.cumsum(rng.integers(200, 60_000, n_sites))
        rare = rng.random(n_sites) < 0.15
        frequencies = np.where(rare, 10.0 ** rng.uniform(-5, -2.05, n_sites), rng.uniform(0.02, 0.9, n_sites))
        repeats = rng.random(n_sites) < 0.03
        drawn = zip(positions.tolist(), frequencies.tolist(), repeats.tolist(), strict=True)
        sites.extend(_site(rng, contig, *values) for values in drawn)
    return sites


def _site(rng: np.random.Generator, contig: str, position: int, frequency: float, repeat: bool) -> Site:
    alt = str(rng.choice(list("CGT")))
    if repeat:
        alt = "G" + str(rng.choice(_MOTIFS)) * int(rng.integers(7, 14))
    calls = rng.binomial(1, min(frequency, 0.95), (len(_SAMPLES), 2)).tolist()
    genotypes = [f"{first}/{second}" for first, second in calls]
    return contig, position, f"rs{10**6 + position}", alt, round(frequency, 6), genotypes, repeat


def _as_it_is(site: Site, number: int) -> Shown:
    del number
    _, _, name, alt, frequency, genotypes, _ = site
    return name, alt, f"AF={frequency:.6g}", genotypes


def _masked_well(site: Site, number: int) -> Shown:
    _, _, _, _, frequency, genotypes, repeat = site
    if repeat or frequency < 0.01:
        return ".", "N" if repeat else ".", ".", ["./."] * len(genotypes)
    return _as_it_is(site, number)


def _masked_badly(site: Site, number: int) -> Shown:
    """Mask as :func:`_masked_well`, but for what an anonymizer in a hurry leaves behind."""
    _, _, name, alt, frequency, genotypes, repeat = site
    if not (repeat or frequency < 0.01):
        return _as_it_is(site, number)
    leftovers = {
        0: (name, "N" if repeat else ".", ".", genotypes),
        1: (".", f"{alt},<NON_REF>" if repeat else alt, "AF=0.2", genotypes),
        2: (".", "N" if repeat else ".", f"AF={frequency:.6g};CSQ={alt}|missense|GENE7", genotypes),
        3: (name, alt, f"AF={frequency:.6g}", genotypes),
    }
    return leftovers.get(number % 9) or _masked_well(site, number)


def _text(sites: list[Site], header: tuple[str, ...], samples: tuple[str, ...], masking: Masking) -> bytes:
    lines = [*header, "\t".join((_COLUMNS, *samples))]
    for number, site in enumerate(sites):
        name, alt, info, genotypes = masking(site, number)
        lines.append("\t".join((site[0], str(site[1]), name, "A", alt, "50", "PASS", info, "GT", *genotypes)))
    return ("\n".join(lines) + "\n").encode()


def _bgzf(text: bytes, size: int = 60_000) -> bytes:
    return b"".join([*(_block(text[at : at + size]) for at in range(0, len(text), size)), EOF_MARKER])


def _block(text: bytes) -> bytes:
    body = isal_zlib.compress(text, 2, -15)
    head = bytes.fromhex("1f8b08040000000000ff060042430200") + (len(body) + 25).to_bytes(2, "little")
    return head + body + isal_zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
