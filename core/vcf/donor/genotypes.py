"""Genotypes of one record: how many copies of an ALT allele each sample has."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.header import VcfHeader
from core.vcf.lines import Lines
from core.vcf.remembering import remembered

Dosages = npt.NDArray[np.int8]
MISSING = -1
CARRIES = 3  # at least one copy; how many is not known
_NAMELESS = re.compile(r"<NON_REF>|<\*>|<?N+>?|[.*]?")  # of the whole ALT allele
TAB, SLASH, BAR, COLON = 9, 47, 124, 58
_SEX = re.compile(r"(?i)^(?:chr)?(?:[xywz]|mt?|xy|par[12]?|nc_00002[34].*|nc_012920.*)$")
_HALF, _OTHER = 8, 40  # codes of a point and of any other letter; sums of two tell all cases apart


class Site(NamedTuple):
    """One record: place, alleles, INFO, and its samples from the tab before the first one.

    `samples` is empty where the record has no genotypes.
    """

    contig: str
    position: int
    ref: str
    alts: tuple[str, ...]
    info: bytes
    samples: bytes

    @property
    def is_snv(self) -> bool:
        """Tell whether it is one base for another."""
        return len(self.alts) == 1 and self.ref in _BASES and self.alts[0] in _BASES

    @property
    def is_autosomal(self) -> bool:
        """Tell whether the contig is neither a sex chromosome nor of mitochondria, by its name."""
        return _SEX.match(self.contig) is None


_BASES = frozenset("ACGT")
Key = tuple[str, int, str, str]


def key_of(site: Site, i: int = 0) -> Key:
    """Return what tells an allele, whether its contig is called ``1`` or ``chr1``."""
    contig = site.contig[3:] if site.contig[:3].lower() == "chr" else site.contig
    return contig, site.position, site.ref, site.alts[i]


def read_sites(lines: Lines) -> Iterator[Site]:
    """Yield the records of a file; lines that are none, blank or a comment are left out."""
    while n_waiting := lines.fill():
        for line in lines.take(n_waiting):
            if (site := read_site(line)) is not None:
                yield site


def read_site(line: bytes) -> Site | None:
    """Split a line; None where it has no readable position."""
    columns = line.split(b"\t", 9)
    if len(columns) < 8 or line.startswith(b"#") or not columns[1].isdigit():
        return None
    has_genotypes = len(columns) > 9 and (columns[8] == b"GT" or columns[8].startswith(b"GT:"))
    return Site(
        contig=columns[0].decode("utf-8", "backslashreplace"),
        position=int(columns[1]),
        ref=columns[3].decode("ascii", "backslashreplace").upper(),
        alts=tuple(columns[4].decode("ascii", "backslashreplace").upper().split(",")),
        info=columns[7],
        samples=b"\t" + columns[9] if has_genotypes else b"",
    )


def named(alts: tuple[str, ...]) -> list[int]:
    """Return the numbers, from 0, of the ALT alleles that say what they are."""
    return [i for i, alt in enumerate(alts) if not _NAMELESS.fullmatch(alt)]


def read_dosages(samples: bytes, header: VcfHeader) -> Dosages:
    """Return each sample's copies of the first ALT allele: 0, 1, 2, `MISSING`, or `CARRIES`.

    One allele alone, as on a sex chromosome, counts as two. What is missing in part, or has three alleles or
    more, carries the allele or is missing.
    """
    n = len(header.samples)
    text = np.frombuffer(samples + b"\t\t\t\t", dtype=np.uint8)
    tabs = np.flatnonzero(text[: len(samples)] == TAB)[:n]
    first, between, second, after = (text[tabs + shift] for shift in (1, 2, 3, 4))
    plain = ((between == SLASH) | (between == BAR)) & ((after == COLON) | (after == TAB))
    dosages = np.full(n, MISSING, dtype=np.int8)
    dosages[: len(tabs)] = _SUMS[_CODES[first] + _CODES[second]]
    if not plain.all():
        for sample in np.flatnonzero(~plain).tolist():
            end = int(tabs[sample + 1]) if sample + 1 < len(tabs) else len(samples)
            dosages[sample] = read_dosage(samples[tabs[sample] + 1 : end].partition(b":")[0])
    return dosages


def _codes() -> npt.NDArray[np.uint8]:
    codes = np.full(256, _OTHER, dtype=np.uint8)
    codes[ord("0")], codes[ord("1")], codes[ord(".")] = 0, 1, _HALF
    return codes


def _sums() -> Dosages:
    sums = np.full(2 * _OTHER + 1, MISSING, dtype=np.int8)
    sums[:3] = 0, 1, 2
    sums[_HALF + 1] = CARRIES
    return sums


_CODES, _SUMS = _codes(), _sums()


@remembered
def read_dosage(genotype: bytes) -> int:
    """Return the copies of the first ALT allele in one genotype as written.

    Examples
    --------
    >>> [read_dosage(text) for text in (b"0/1", b"1", b"./1", b"0/0/1", b".")]
    [1, 2, 3, 3, -1]
    """
    alleles = _alleles(genotype)
    copies = alleles.count(b"1")
    if len(alleles) > 2 or b"." in alleles or not all(allele in (b"0", b"1") for allele in alleles):
        return CARRIES if copies else MISSING
    return copies if len(alleles) == 2 else 2 * copies


def _alleles(genotype: bytes) -> list[bytes]:
    return genotype.replace(b"|", b"/").strip(b"/").split(b"/")


def carriers(samples: bytes, header: VcfHeader, allele: int) -> npt.NDArray[np.bool_]:
    """Return which samples carry an allele: 0 is the reference, 1 the first ALT."""
    wanted = b"%d" % allele
    found = np.zeros(len(header.samples), dtype=bool)
    for sample, genotype in enumerate(_genotypes(samples)):
        if sample < len(found):
            found[sample] = wanted in _alleles(genotype)
    return found


def allele_counts(samples: bytes, n_alts: int) -> list[int]:
    """Return how often the reference and each ALT allele are named, over all samples."""
    counts = [0] * (n_alts + 1)
    for genotype in _genotypes(samples):
        for allele in _alleles(genotype):
            if allele.isdigit() and int(allele) <= n_alts:
                counts[int(allele)] += 1
    return counts


def _genotypes(samples: bytes) -> Iterator[bytes]:
    return (sample.partition(b":")[0] for sample in samples[1:].split(b"\t"))
