"""Who is shown to be in a file by asking it only which alleles it holds.

References
----------
Shringarpure, S. S., Bustamante, C. D. (2015). Privacy risks from genomic data-sharing beacons. American
Journal of Human Genetics 97 (5), 631-646.

Raisaro, J. L., Tramèr, F., Ji, Z. and others (2017). Addressing Beacon re-identification attacks. Journal of
the American Medical Informatics Association 24 (4), 799-805.
"""

import math

import numpy as np
import numpy.typing as npt

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
