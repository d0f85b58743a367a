"""What the variants that a file still names tell of its donors, read record by record."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.vcf.donor.genotypes import (
    Dosages,
    Site,
    allele_counts,
    carriers,
    named,
)
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import VcfHeader

ALPHA = 0.05  # a person who is not in the file would pass as a member this often
NEVER = -1

Counts = npt.NDArray[np.int64]


class _Asked:
    """How many questions people need until the evidence is enough."""

    def __init__(self, n_people: int, target: float) -> None:
        self.needed: Counts = np.full(n_people, NEVER, dtype=np.int64)
        self._n_asked = np.zeros(n_people, dtype=np.int64)
        self._evidence = np.zeros(n_people)
        self._target = target

    def ask(self, counts: Counts, weight: float) -> None:
        """Ask each person so many questions of a weight, all answered with yes."""
        if weight <= 0:
            return
        reached = (self.needed == NEVER) & (self._evidence + counts * weight >= self._target) & (counts > 0)
        left = (self._target - self._evidence[reached]) / weight
        self.needed[reached] = self._n_asked[reached] + np.ceil(left).astype(np.int64)
        self._n_asked += counts
        self._evidence += counts * weight


class CarriedAlleles:
    """For each sample, how many alleles of which frequency it carries.

    Frequencies are rounded up to two digits, so that an attacker is never taken for better informed than they
    are.
    """

    def __init__(self, n_samples: int) -> None:
        self._n_samples = n_samples
        self._by_frequency: dict[float, Counts] = {}

    def add(self, frequency: float, holders: npt.NDArray[np.bool_]) -> None:
        """Note who carries one allele."""
        rounded = round_up(frequency)
        counts = self._by_frequency.get(rounded)
        if counts is None:
            counts = self._by_frequency[rounded] = np.zeros(self._n_samples, dtype=np.int64)
        counts += holders

    def queries(self) -> Counts:
        """Return for each sample how many of its alleles, the rarest first, show membership; -1 for never.

        A person outside a file of N samples is told "yes, the allele is in it" with probability 1 − (1 −
        f)²ᴺ. The product over all alleles asked for has to fall to 5 %.
        """
        asked = _Asked(self._n_samples, -math.log(ALPHA))
        for frequency in sorted(self._by_frequency):
            asked.ask(self._by_frequency[frequency], evidence_of(frequency, self._n_samples))
        return asked.needed


def evidence_of(frequency: float, n_samples: int) -> float:
    """Return how much one "yes" says for membership: −log(1 − (1 − f)²ᴺ)."""
    nobody_else = math.exp(2 * n_samples * math.log1p(-min(frequency, 1.0))) if frequency < 1 else 0.0
    return -math.log1p(-nobody_else) if nobody_else < 1 else math.inf


def round_up(frequency: float) -> float:
    """Round up to two digits; 0.000001 at least, 1 at most.

    Examples
    --------
    >>> round_up(0.00123), round_up(0.3)
    (0.0013, 0.3)
    """
    if frequency <= 1e-6 or frequency >= 1:
        return 1e-6 if frequency < 1 else 1.0
    unit = math.floor(math.log10(frequency)) - 1
    digits = math.ceil(frequency / 10**unit - 1e-4)
    return min(float(f"{digits}e{unit}"), 1.0)


COMMON = 0.05  # an allele is common from this share of both forms on
IDENTIFYING = (30, 80)  # independent common variants that single a person out (Lin, Owen & Altman 2004)
WINDOW = 1_000_000  # bases: variants in different windows are taken as independent
MIN_COUNTED = 20  # samples with a genotype, from which on a frequency is counted where none is stated

KnownFrequency = Callable[[str, int], float]


class Rare(NamedTuple):
    """Alleles that are rarer than a threshold."""

    n: int  # how many a file names
    # them by how many samples carry them: (carriers, alleles), ascending; empty without genotypes
    carriers: tuple[tuple[int, int], ...]
    singletons: Counts  # for each sample those that it alone carries, shape (n_samples,)

    @property
    def n_singletons(self) -> int:
        """Return how many rare alleles exactly one sample carries."""
        return int(self.singletons.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Remaining:
    """What one file still names; alleles are ALT alleles, a record can have several."""

    n_samples: int  # samples of the file
    # alleles that are named, those with a frequency from 5 % to 95 %, and those whose frequency is not known
    n_named: int
    n_common: int
    n_unknown: int
    n_independent: int  # windows of 1,000,000 bases that hold a common variant of one base
    # minus the decimal logarithm of the probability that an unrelated person has the same genotypes at the
    # most variable such variant of each window
    match_exponent: float
    # for each allele with a known frequency: the frequency of the rarer form (the allele, or the reference of
    # a record with one ALT), how many samples carry that form, -1 without genotypes, and the sample that
    # alone does, -1 for none; shape (alleles,)
    frequencies: npt.NDArray[np.float64]
    carriers: Counts
    holders: Counts
    # for each sample how many of its alleles, the rarest first, show that it is in the file, or -1 where all
    # together do not; shape (n_samples,)
    queries: Counts

    def rare(self, maf_threshold: float) -> Rare:
        """Return what alleles rarer than a threshold tell."""
        is_rare = self.frequencies < maf_threshold
        k, n = np.unique(self.carriers[is_rare & (self.carriers >= 0)], return_counts=True)
        alone = self.holders[is_rare & (self.holders >= 0)]
        return Rare(
            n=int(is_rare.sum()),
            carriers=tuple(zip(k.tolist(), n.tolist(), strict=True)),
            singletons=np.bincount(alone, minlength=self.n_samples),
        )


@dataclass(eq=False)
class RemainingCollector:
    """Takes one record after the other.

    Parameters
    ----------
    header
        Of the file.
    known
        What contig and position say of the site's frequency where the record says nothing; infinity for
        nothing.
    """

    header: VcfHeader
    known: KnownFrequency
    counts: Counter[str] = field(default_factory=Counter)
    best: dict[tuple[str, int], float] = field(default_factory=dict)
    frequencies: array[float] = field(default_factory=lambda: array("d"))
    carriers: array[int] = field(default_factory=lambda: array("q"))
    holders: array[int] = field(default_factory=lambda: array("q"))

    def __post_init__(self) -> None:
        self.reader = FrequencyReader(self.header.declarations)
        self.carried = CarriedAlleles(len(self.header.samples))

    def take(self, site: Site, dosages: Dosages) -> float | None:
        """Note one record with its samples' dosages; return the frequency of its one ALT allele."""
        alleles = named(site.alts)
        frequencies = self._frequencies(site, dosages)
        self.counts["named"] += len(alleles)
        for i in alleles:
            self._take_allele(site, i, frequencies[i], dosages)
        return frequencies[0] if len(frequencies) == 1 else None

    def _frequencies(self, site: Site, dosages: Dosages) -> list[float | None]:
        """Return each ALT allele's frequency: as INFO says, else as is known of the site, else counted."""
        stated = self.reader.site(site.info).frequencies
        if len(stated) == len(site.alts) and not any(map(math.isnan, stated)):
            return list(stated)
        if len(site.alts) == 1 and math.isfinite(known := self.known(site.contig, site.position)):
            return [known]
        return self._counted(site, dosages)

    def _counted(self, site: Site, dosages: Dosages) -> list[float | None]:
        if len(site.alts) == 1:
            whole = dosages[(dosages >= 0) & (dosages <= 2)]
            n_alleles, counts = 2 * len(whole), [int(whole.sum())]
        else:
            every = allele_counts(site.samples, len(site.alts)) if site.samples else [0]
            n_alleles, counts = sum(every), every[1:]
        if n_alleles < 2 * MIN_COUNTED:
            return [None] * len(site.alts)
        return [count / n_alleles for count in counts]

    def _take_allele(self, site: Site, i: int, frequency: float | None, dosages: Dosages) -> None:
        if frequency is None:
            self.counts["unknown"] += 1
            return
        if COMMON <= frequency <= 1 - COMMON:
            self.counts["common"] += 1
            if site.is_snv and site.is_autosomal:
                window = site.contig, site.position // WINDOW
                minor = min(frequency, 1 - frequency)
                self.best[window] = max(self.best.get(window, 0.0), minor)
        swapped = len(site.alts) == 1 and frequency > 1 - frequency
        self.frequencies.append(1 - frequency if swapped else frequency)
        if not site.samples:
            self._note_holders(None)
        elif len(site.alts) == 1:
            found = dosages > 0
            self.carried.add(frequency, found)
            self._note_holders((dosages == 0) | (dosages == 1) if swapped else dosages > 0)
        else:
            found = carriers(site.samples, len(self.header.samples), i + 1)
            self.carried.add(frequency, found)
            self._note_holders(found)

    def _note_holders(self, found: npt.NDArray[np.bool_] | None) -> None:
        n = -1 if found is None else int(found.sum())
        self.carriers.append(n)
        self.holders.append(int(found.argmax()) if found is not None and n == 1 else -1)

    def result(self) -> Remaining:
        """Return what was noted."""
        return Remaining(
            n_samples=len(self.header.samples),
            n_named=self.counts["named"],
            n_common=self.counts["common"],
            n_unknown=self.counts["unknown"],
            n_independent=len(self.best),
            match_exponent=sum(-math.log10(match_probability(minor)) for minor in self.best.values()),
            frequencies=np.array(self.frequencies),
            carriers=np.array(self.carriers, dtype=np.int64),
            holders=np.array(self.holders, dtype=np.int64),
            queries=self.carried.queries(),
        )


def match_probability(frequency: float) -> float:
    """Return how probable it is that two unrelated people have the same genotype at one variant.

    Genotypes in Hardy-Weinberg proportions: p⁴ + (2pq)² + q⁴, in [0.375, 1].
    """
    p, q = frequency, 1 - frequency
    return p**4 + (2 * p * q) ** 2 + q**4
