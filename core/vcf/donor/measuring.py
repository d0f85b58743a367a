"""Read an anonymized file for what it tells of its donors, and compare it with a panel."""

from dataclasses import dataclass

import numpy as np

from core.vcf.candidates import Candidates
from core.vcf.donor.genotypes import read_sites
from core.vcf.donor.kinship import KinshipMeasurement, SiteSample, measure_kinship
from core.vcf.donor.remaining import COMMON, KnownFrequency, Remaining, RemainingCollector
from core.vcf.files import Progress, VcfFile
from core.vcf.measuring import open_lines
from core.vcf.memoized import forgetting


@dataclass(frozen=True, kw_only=True, eq=False)
class DonorMeasurement:
    """What a file tells of its donors, and of a panel's people; `kinship` is None without a panel."""

    name: str
    remaining: Remaining
    kinship: KinshipMeasurement | None

    @property
    def identity(self) -> str:
        """Return what tells this measurement from one of another file or with another panel."""
        return f"{self.name} {self.kinship.panel_name if self.kinship else ''}"


@forgetting()
def measure_donors(
    file: VcfFile,
    *,
    original: Candidates | None = None,
    panel: VcfFile | None = None,
    progress: Progress | None = None,
) -> DonorMeasurement:
    """Read a file once, and then the panel."""
    with open_lines(file, progress) as (header, lines):
        known = _unknown if original is None else frequencies_of(original)
        n_samples = len(header.samples)
        collector, sites = RemainingCollector(header, known), SiteSample(n_samples)
        for site, dosages in read_sites(lines, n_samples):
            frequency = collector.take(site, dosages)
            common = frequency is None or COMMON <= frequency <= 1 - COMMON
            if panel is not None and site.samples and common and site.is_snv and site.is_autosomal:
                sites.add(site, dosages)
    kinship = None if panel is None else measure_kinship(sites, n_samples, panel, progress)
    return DonorMeasurement(name=file.name, remaining=collector.result(), kinship=kinship)


def _unknown(_contig: str, _position: int) -> float:
    return float("inf")


def frequencies_of(candidates: Candidates) -> KnownFrequency:
    """Return what tells a site's frequency in the original: that of its rarest record."""
    numbers = {name: number for number, name in enumerate(candidates.contig_names)}
    keys = (candidates.contigs.astype(np.int64) << 40) + candidates.positions.astype(np.int64)
    order = np.lexsort((candidates.mafs, keys))
    keys, mafs = keys[order], candidates.mafs[order]

    def known(contig: str, position: int) -> float:
        number = numbers.get(contig)
        if number is None:
            return float("inf")
        place = int(np.searchsorted(keys, (number << 40) + position))
        found = place < len(keys) and keys[place] == (number << 40) + position
        return float(mafs[place]) if found else float("inf")

    return known
