"""Are people of one file, or their relatives, in another? KING-robust kinship over the variants both have.

References
----------
Manichaikul, A., Mychaleckyj, J. C., Rich, S. S., Daly, K., Sale, M., Chen, W.-M. (2010). Robust relationship
inference in genome-wide association studies. Bioinformatics 26 (22), 2867-2873.
"""

import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.donor.genotypes import MISSING, Dosages, Key, Site, key_of, read_sites
from core.vcf.files import Progress, VcfFile
from core.vcf.lines import Lines
from core.vcf.measuring import open_lines

#: Name and smallest kinship of each degree, the closest first.
DEGREES = (
    ("same person or identical twin", 0.354),
    ("first degree", 0.177),
    ("second degree", 0.0884),
    ("third degree", 0.0442),
)
MAX_SITES = 100_000
MAX_CELLS = 100_000_000  # genotypes held in memory, for each of the two files
LINKED = 100_000  # bases: variants in one such window are counted as one when chance is judged
ERROR_RATE = 0.01  # of all pairs of people, how often one may be taken for relatives by chance
TILE = 256
_OTHER_BASE = {"A": "T", "C": "G", "G": "C", "T": "A"}  # on the other strand

Floats = npt.NDArray[np.float64]
Planes = npt.NDArray[np.uint64]


class Relative(NamedTuple):
    """Two samples that are related: their columns from 1, kinship, degree, and variants compared."""

    sample: int
    panel_sample: int
    kinship: float
    degree: str
    n_sites: int


@dataclass(frozen=True, kw_only=True)
class KinshipMeasurement:
    """How the samples of a file and those of a panel are related."""

    panel_name: str  # name of the panel's file
    n_samples: int  # samples of the file and of the panel
    n_panel_samples: int
    n_sites: int  # common variants that both files have, and the windows of 100,000 bases they lie in
    n_windows: int
    least_kinship: float  # the smallest kinship that these variants tell from chance; infinity without any
    relatives: tuple[Relative, ...]  # pairs above 0.0442 and above chance, the closest first

    @property
    def n_pairs(self) -> int:
        """Return how many pairs of samples were compared."""
        return self.n_samples * self.n_panel_samples

    def n_related(self, degree: str) -> int:
        """Return how many samples of the file have their closest relative in the panel at this degree."""
        closest: dict[int, str] = {}
        for relative in self.relatives:
            closest.setdefault(relative.sample, relative.degree)
        return sum(found == degree for found in closest.values())


class SiteSample:
    """Common variants of a file with its samples' genotypes; where there are too many, a sample of them.

    Which are kept follows from contig and position alone, so that two runs, and two files, keep the same.
    """

    def __init__(self, n_samples: int) -> None:
        self._capacity = max(1, min(MAX_SITES, MAX_CELLS // max(n_samples, 1)))
        self._limit = 1 << 32
        self._kept: dict[Key, Dosages] = {}

    def add(self, site: Site, dosages: Dosages) -> None:
        """Keep one variant of one base on an autosome; of two records for it the first."""
        key = key_of(site)
        if key in self._kept or (self._is_sample and _place(key) >= self._limit):
            return
        self._kept[key] = dosages.copy()
        while len(self._kept) > self._capacity:
            self._limit //= 2
            self._kept = {kept: found for kept, found in self._kept.items() if _place(kept) < self._limit}

    @property
    def _is_sample(self) -> bool:
        return self._limit < 1 << 32

    def __len__(self) -> int:
        return len(self._kept)

    def has(self, site: Site) -> bool:
        """Tell whether a record of another file has genotypes of a variant that is kept."""
        return bool(site.samples) and site.is_snv and self.get(key_of(site)) is not None

    def get(self, key: Key) -> tuple[Dosages, bool, bool] | None:
        """Return the genotypes of a variant; None without it.

        With them: whether its two alleles are exchanged, and whether they are read on the other strand.
        """
        contig, position, ref, alt = key
        for first, second, is_other in ((ref, alt, False), (_OTHER_BASE[ref], _OTHER_BASE[alt], True)):
            if (found := self._kept.get((contig, position, first, second))) is not None:
                return found, False, is_other
            if (found := self._kept.get((contig, position, second, first))) is not None:
                return found, True, is_other
        return None


def _place(key: Key) -> int:
    return zlib.crc32(f"{key[0]}:{key[1]}".encode())


def measure_kinship(
    sites: SiteSample, n_samples: int, panel: VcfFile, progress: Progress | None = None
) -> KinshipMeasurement:
    """Compare every sample of a file with every one of a panel."""
    with open_lines(panel, progress) as (header, lines):
        n_panel = len(header.samples)
        shared = _shared(sites, lines, n_panel)
    windows = {(key[0], key[1] // LINKED) for key, _, _ in shared}
    left = np.array([own for _, own, _ in shared], dtype=np.int8).reshape(len(shared), n_samples)
    right = np.array([other for _, _, other in shared], dtype=np.int8).reshape(len(shared), n_panel)
    chance = _Chance(n_pairs=n_samples * n_panel, n_windows=len(windows))
    relatives = sorted(_relatives(left, right, chance), key=lambda one: (-one.kinship, one.sample))
    return KinshipMeasurement(
        panel_name=panel.name,
        n_samples=n_samples,
        n_panel_samples=n_panel,
        n_sites=len(shared),
        n_windows=len(windows),
        least_kinship=chance.margin(len(shared), _heterozygosity(left)),
        relatives=tuple(relatives),
    )


def _shared(sites: SiteSample, lines: Lines, n_panel: int) -> Sequence[tuple[Key, Dosages, Dosages]]:
    """Return the variants of both files, of each place the first, with the genotypes of the same allele.

    Where the panel has variants on the other strand, A beside T and C beside G tell no strand and are left
    out.
    """
    found: dict[tuple[str, int], tuple[Key, Dosages, Dosages]] = {}
    any_other_strand = False
    for site, other in read_sites(lines, n_panel, sites.has):
        key = key_of(site)
        if key[:2] not in found and (match := sites.get(key)) is not None:
            own, exchanged, is_other_strand = match
            any_other_strand |= is_other_strand
            found[key[:2]] = key, own, _exchanged(other) if exchanged else other
    if not any_other_strand:
        return list(found.values())
    return [one for one in found.values() if _OTHER_BASE[one[0][2]] != one[0][3]]


def _exchanged(dosages: Dosages) -> Dosages:
    whole = (dosages >= 0) & (dosages <= 2)
    return np.where(whole, 2 - dosages, np.int8(MISSING)).astype(np.int8)


def _heterozygosity(dosages: Dosages) -> float:
    n_called = int(((dosages >= 0) & (dosages <= 2)).sum())
    return float((dosages == 1).sum() / n_called) if n_called else 0.0


@dataclass(frozen=True)
class _Chance:
    """How far the kinship of two unrelated people may lie from 0 by chance."""

    n_pairs: int
    n_windows: int

    def margin(self, n_sites: float, heterozygosity: float) -> float:
        """Return what kinship has to exceed; infinity where nobody is heterozygous.

        The difference of two unrelated people's copies has variance 4h and fourth cumulant 4h(1 − 6h), h =
        pq, so the kinship over n variants has standard error √(8h² + 4h) / (8h √n). Linked variants count
        once.
        """
        h = heterozygosity / 2
        n = min(n_sites, self.n_windows)
        if not n or not h:
            return math.inf
        z = NormalDist().inv_cdf(1 - ERROR_RATE / max(self.n_pairs, 1))
        return z * math.sqrt(8 * h**2 + 4 * h) / (8 * h * math.sqrt(n))


def _relatives(left: Dosages, right: Dosages, chance: _Chance) -> Iterator[Relative]:
    for row in range(0, left.shape[1], TILE):
        for column in range(0, right.shape[1], TILE):
            tile = compare(left[:, row : row + TILE], right[:, column : column + TILE])
            for i, j in np.argwhere(tile.kinship > DEGREES[-1][1]).tolist():
                kinship, n_sites = float(tile.kinship[i, j]), int(tile.n_sites[i, j])
                if kinship > chance.margin(n_sites, float(tile.heterozygosity[i, j])):
                    degree = next(name for name, least in DEGREES if kinship > least)
                    yield Relative(row + i + 1, column + j + 1, kinship, degree, n_sites)


class Tile(NamedTuple):
    """Of pairs of samples, shape (left, right): kinship, variants compared, smaller heterozygous share."""

    kinship: Floats
    n_sites: Floats
    heterozygosity: Floats


def compare(left: Dosages, right: Dosages) -> Tile:
    """Return the KING-robust kinship of every sample of one group with every one of another.

    Notes
    -----
    With the counts of variants at which both have a genotype, N_het,het both heterozygous, N_0,2 opposite
    homozygotes and N the smaller number of heterozygous ones: (N_het,het − 2 N_0,2) / 2N + 1/2 − (N_i + N_j)
    / 4N. Where N is 0 it is not a number.
    """
    (ref, het, alt), (their_ref, their_het, their_alt) = map(_planes, (left, right))
    called, their_called = ref | het | alt, their_ref | their_het | their_alt
    both_het = _n_both(het, their_het)
    opposite = _n_both(ref, their_alt) + _n_both(alt, their_ref)
    n_left, n_right = _n_both(het, their_called), _n_both(called, their_het)
    n_sites = _n_both(called, their_called)
    smaller = np.minimum(n_left, n_right)
    with np.errstate(divide="ignore", invalid="ignore"):
        kinship = (both_het - 2 * opposite) / (2 * smaller) + 0.5 - (n_left + n_right) / (4 * smaller)
        return Tile(kinship, n_sites, smaller / n_sites)


def _planes(dosages: Dosages) -> tuple[Planes, Planes, Planes]:
    """Return a bit a variant where a sample has no copy, one, both; shape (samples, words)."""
    whole = np.full((dosages.shape[1], -(-len(dosages) // 64) * 64), MISSING, dtype=np.int8)
    whole[:, : len(dosages)] = dosages.T
    first, second, third = (np.packbits(whole == copies, axis=1).view(np.uint64) for copies in (0, 1, 2))
    return first, second, third


def _n_both(left: Planes, right: Planes) -> Floats:
    """Return how many bits two samples share, of each of one group with each of another."""
    counts = [np.bitwise_count(one & right).sum(axis=1, dtype=np.int64) for one in left]
    return np.array(counts, dtype=np.float64).reshape(len(left), len(right))
