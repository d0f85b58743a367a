"""Whether a file's frequencies are those of its own donors, which tell nothing of how rare a variant is.

A caller counts the alleles of the samples before it: with one diploid sample AF is 0, 0.5 or 1, with forty no
variant that somebody carries is below 0.0125. A record's frequency is its file's own where it is the share of
the genotypes' alleles (to the last digit written), or AC / AN with no more alleles than the samples have; a
population's frequency beside the caller's AN is not.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from core.vcf.frequencies import FrequencyReader, smallest

MOST_ALLELES_OF_A_SAMPLE = 2
FIRST_CELLS, FEWEST_FIRST, MOST_FIRST = 200_000, 20, 1000  # genotypes, and records, all looked at first
_EACH = 1000  # of those after them, one in so many records, or in so many as there are samples
_COARSEST = 0.005  # what rounding may do to a share: half of the second digit, at most
_AS_SINGLE = 1e-6  # what a 32-bit float makes of it
_WRITTEN = (re.compile(rb"(?:^|;)MAF=(?!\.(?:;|$))([^;]*)"), re.compile(rb"(?:^|;)AF=([^;]*)"))
_ALLELE = re.compile(rb"\d+")


class OwnFrequencies:
    """Looks at some of the records with a frequency: the first ones, and one in many of those after them."""

    def __init__(self, reader: FrequencyReader, n_samples: int) -> None:
        self._reader = reader
        self._n_samples = n_samples
        self._n_first = min(MOST_FIRST, max(FEWEST_FIRST, FIRST_CELLS // max(n_samples, 1)))
        self._each = max(_EACH, n_samples)
        self._n_seen = 0
        self.n_looked_at = 0
        self.alleles: Counter[int] = Counter()  # in how many records the frequency is of so many alleles

    def chosen(self, n: int) -> Iterator[int]:
        """Yield which of the next `n` records with a frequency to look at; none in a file without samples."""
        first, self._n_seen = self._n_seen, self._n_seen + n
        if not self._n_samples:
            return
        yield from range(max(0, min(self._n_first - first, n)))
        start = max(first, self._n_first)
        yield from range(start + -start % self._each - first, n, self._each)

    def look(self, info: bytes, alt: bytes, samples: bytes) -> None:
        """Look at a record; `samples` is FORMAT and all after it."""
        self.n_looked_at += 1
        told = self._reader.site(info).frequencies
        if told and (n_alleles := self._own_alleles(info, alt.count(b",") + 1, told, samples)):
            self.alleles[n_alleles] += 1

    def _own_alleles(self, info: bytes, n_alts: int, told: Sequence[float], samples: bytes) -> int:
        """Return of how many alleles the frequency is, where they are the file's own; else 0."""
        maf, af = (pattern.search(info) for pattern in _WRITTEN)
        decides = maf or af
        written = decides[1].split(b",") if decides else [b""] * len(told)
        stated, n_stated = self._reader.counts(info)
        if not 0 <= n_stated <= MOST_ALLELES_OF_A_SAMPLE * self._n_samples:  # others were counted too
            return 0
        for counts, n_alleles in ((stated, int(n_stated)), _carried(samples, n_alts)):
            shares = [count / n_alleles for count in counts] if n_alleles > 0 else []
            if _are_rounded([smallest(shares)] if maf and shares else shares, told, written):
                return n_alleles
        return 0


def _carried(samples: bytes, n_alts: int) -> tuple[Sequence[float], int]:
    """Return how many alleles the genotypes name of each ALT, and of all; none without genotypes."""
    format_, *cells = samples.strip(b"\t").split(b"\t")
    if format_ != b"GT" and not format_.startswith(b"GT:"):
        return (), 0
    named = Counter(_ALLELE.findall(b"/".join(cell.partition(b":")[0] for cell in cells)))
    return [named[b"%d" % alt] for alt in range(1, n_alts + 1)], named.total()


def _are_rounded(shares: Sequence[float], told: Sequence[float], written: Sequence[bytes]) -> bool:
    """Tell whether frequencies are these shares, to the last digit written."""
    return 0 < len(shares) == len(told) == len(written) and all(
        abs(share - one) <= _rounding(digits)
        for share, one, digits in zip(shares, told, written, strict=True)
    )


def _rounding(written: bytes) -> float:
    """Return by how much a number may differ from what it was rounded from."""
    try:
        exponent = Decimal(written.decode("ascii", "replace")).as_tuple().exponent
    except InvalidOperation:
        return _AS_SINGLE
    if not isinstance(exponent, int) or exponent > -2:
        return _AS_SINGLE
    return _AS_SINGLE + min(0.5 * float(10.0**exponent), _COARSEST)
