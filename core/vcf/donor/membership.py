"""Who is shown to be in a file by asking it only which alleles it holds.

References
----------
Shringarpure, S. S., Bustamante, C. D. (2015). Privacy risks from genomic data-sharing beacons. American
Journal of Human Genetics 97 (5), 631-646.

Raisaro, J. L., Tramèr, F., Ji, Z. and others (2017). Addressing Beacon re-identification attacks. Journal of
the American Medical Informatics Association 24 (4), 799-805.
"""

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.vcf.donor.genotypes import Key, Site, carriers, key_of, read_dosages
from core.vcf.header import VcfHeader

ALPHA = 0.05  # a person who is not in the file would pass as a member this often
PANEL_ALPHA = 0.01  # of a whole panel of people who are not in the file, one would pass this often
MAX_ASKED = 200_000  # alleles whose answers are held, the rarest
LINKED = 100_000  # bases: of alleles in one such window one question is asked, the rarest
NEVER = -1

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class PanelMembership:
    """Which of a panel's people are shown to be in a file by questions about alleles."""

    panel_name: str
    questions: Counts  # for each person how many show it, the rarest allele first; -1 where none do
    n_excluded: int  # people whom an answer shows not to be in the file


class Answers:
    """What a file answers when it is asked for an allele: whether it holds it; of the rarest alleles."""

    def __init__(self, n_samples: int) -> None:
        self.n_samples = n_samples
        self._known: dict[Key, tuple[float, bool]] = {}
        self._most = math.inf

    def add(self, key: Key, frequency: float, *, is_held: bool) -> None:
        """Take an allele of the file up."""
        if frequency > self._most:
            return
        self._known[key] = round_up(frequency), is_held
        if len(self._known) > 2 * MAX_ASKED:
            ordered = sorted(self._known.items(), key=lambda one: one[1][0])[:MAX_ASKED]
            self._known, self._most = dict(ordered), ordered[-1][1][0]

    def get(self, key: Key) -> tuple[float, bool] | None:
        """Return an allele's frequency, rounded up, and the answer; None where the file does not name it."""
        return self._known.get(key)


class PanelQuestions:
    """Asks a file for the alleles of a panel's people, one of each window."""

    def __init__(self, answers: Answers, header: VcfHeader) -> None:
        self._answers = answers
        self._header = header
        self._window = ("", -1)
        self._best = np.full(len(header.samples), np.inf)
        self._is_held = np.zeros(len(header.samples), dtype=bool)
        self._counts: dict[float, tuple[Counts, Counts]] = defaultdict(self._nobody)

    def _nobody(self) -> tuple[Counts, Counts]:
        n_people = len(self._header.samples)
        return np.zeros(n_people, dtype=np.int64), np.zeros(n_people, dtype=np.int64)

    def take(self, site: Site) -> None:
        """Take a record of the panel up."""
        asked = [(i, found) for i in range(len(site.alts)) if (found := self._answers.get(key_of(site, i)))]
        if not asked or not site.samples:
            return
        window = site.contig, site.position // LINKED
        if window != self._window:
            self._ask()
            self._window = window
        for i, (frequency, is_held) in asked:
            if len(site.alts) == 1:
                holders = read_dosages(site.samples, self._header) > 0
            else:
                holders = carriers(site.samples, self._header, i + 1)
            rarer = holders & (frequency < self._best)
            self._best[rarer], self._is_held[rarer] = frequency, is_held

    def _ask(self) -> None:
        """Count the answers for the rarest alleles of a window."""
        for frequency in np.unique(self._best[np.isfinite(self._best)]).tolist():
            chosen = self._best == frequency
            no, yes = self._counts[frequency]
            no += chosen & ~self._is_held
            yes += chosen & self._is_held
        self._best[:] = np.inf

    def result(self, panel_name: str) -> PanelMembership:
        """Return how many questions show that each person is in the file: all answers until then are yes."""
        self._ask()
        n_people = len(self._header.samples)
        asked = _Asked(n_people, -math.log(PANEL_ALPHA / max(n_people, 1)))
        is_in = np.ones(n_people, dtype=bool)
        for frequency in sorted(self._counts):
            no, yes = self._counts[frequency]
            is_in &= (no == 0) | (asked.needed != NEVER)
            asked.ask(yes * is_in, evidence_of(frequency, self._answers.n_samples))
        return PanelMembership(panel_name=panel_name, questions=asked.needed, n_excluded=int((~is_in).sum()))


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
