"""Genotypes of one record: how many copies of an ALT allele each sample has."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.lines import Lines
from core.vcf.memoized import remembered

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
        return _is_autosomal(self.contig)


@remembered
def _is_autosomal(contig: str) -> bool:
    return _SEX.match(contig) is None


_BASES = frozenset("ACGT")
Key = tuple[str, int, str, str]
Wanted = Callable[[Site], object]


def always(_site: Site) -> bool:
    """Want every record."""
    return True


def key_of(site: Site, i: int = 0) -> Key:
    """Return what tells an allele, whether its contig is called ``1`` or ``chr1``."""
    contig = site.contig[3:] if site.contig[:3].lower() == "chr" else site.contig
    return contig, site.position, site.ref, site.alts[i]


def read_sites(lines: Lines, n_samples: int, wanted: Wanted = always) -> Iterator[tuple[Site, Dosages]]:
    """Yield the records of a file, each with its samples' dosages; empty ones without genotypes.

    Lines that are none, blank, a comment or not wanted are left out.
    """
    while n_waiting := lines.fill():
        sites = [read_site(line) for line in lines.take(n_waiting)]
        found = [site for site in sites if site is not None and wanted(site)]
        dosages = iter(read_dosages([site.samples for site in found if site.samples], n_samples))
        for site in found:
            yield site, next(dosages) if site.samples else _NO_DOSAGES


def read_site(line: bytes) -> Site | None:
    """Split a line; None where it has no readable position."""
    columns = line.split(b"\t", 9)
    if len(columns) < 8 or line.startswith(b"#") or not columns[1].isdigit():
        return None
    has_genotypes = len(columns) > 9 and (columns[8] == b"GT" or columns[8].startswith(b"GT:"))
    return Site(
        columns[0].decode("utf-8", "backslashreplace"),
        int(columns[1]),
        columns[3].decode("ascii", "backslashreplace").upper(),
        tuple(columns[4].decode("ascii", "backslashreplace").upper().split(",")),
        columns[7],
        b"\t" + columns[9] if has_genotypes else b"",
    )


def named(alts: tuple[str, ...]) -> list[int]:
    """Return the numbers, from 0, of the ALT alleles that say what they are."""
    return [i for i, alt in enumerate(alts) if not _NAMELESS.fullmatch(alt)]


def read_dosages(records: Sequence[bytes], n_samples: int) -> Dosages:
    """Return each sample's copies of the first ALT allele: 0, 1, 2, `MISSING`, or `CARRIES`.

    One allele alone, as on a sex chromosome, counts as two. What is missing in part, or has three alleles or
    more, carries the allele or is missing; so are samples that a record lacks.

    Parameters
    ----------
    records
        Samples of each record, from the tab before the first one.

    Returns
    -------
    Of shape (records, samples).
    """
    if not n_samples:
        return np.empty((len(records), 0), dtype=np.int8)
    text = b"".join((*records, _PADDING))
    tabs = np.flatnonzero(np.frombuffer(text, dtype=np.uint8)[: -len(_PADDING)] == TAB)
    starts = np.cumsum([0, *map(len, records)])
    if len(tabs) != len(records) * n_samples or not np.array_equal(tabs[::n_samples], starts[:-1]):
        return read_dosages([_with_samples(record, n_samples) for record in records], n_samples)
    words = np.ndarray(len(text) - 4, "<u4", text, offset=1, strides=(1,))[tabs]
    first, between, second, after = words.view(np.uint8).reshape(-1, 4).T
    plain = ((between == SLASH) | (between == BAR)) & ((after == COLON) | (after == TAB))
    dosages = _SUMS[_CODES[first] + _CODES[second]]
    ends = np.append(tabs[1:], starts[-1])
    for place in np.flatnonzero(~plain).tolist():
        dosages[place] = read_dosage(text[tabs[place] + 1 : ends[place]].partition(b":")[0])
    return dosages.reshape(len(records), n_samples)


def _with_samples(record: bytes, n_samples: int) -> bytes:
    """Return a record with as many samples as the header has; those that it lacks are missing."""
    cells = record[1:].split(b"\t")[:n_samples]
    return b"".join(b"\t" + cell for cell in cells + [b"."] * (n_samples - len(cells)))


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
_NO_DOSAGES: Dosages = np.full(0, MISSING, dtype=np.int8)
_PADDING = b"\t\t\t\t"


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


def carriers(samples: bytes, n_samples: int, allele: int) -> npt.NDArray[np.bool_]:
    """Return which samples carry an allele: 0 is the reference, 1 the first ALT."""
    wanted = b"%d" % allele
    found = np.zeros(n_samples, dtype=bool)
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
