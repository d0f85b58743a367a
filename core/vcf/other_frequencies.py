"""Frequencies that decide nothing: those of the file's own donors, and second ones of a record."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

import numpy as np
import numpy.typing as npt

from core.vcf.candidates import Places, Tally
from core.vcf.frequencies import FrequencyReader, smallest
from core.vcf.header import VcfHeader, attributes_of
from core.vcf.lines import Block

LARGEST = 0.05  # frequencies that are kept: a rule with a larger threshold looks no further
_OF_ALL = re.compile(
    rb"(?i)(?:dbNSFP[_.-])?(?:GNOMAD[EG]?(?:[_.-]?(?:EXOMES?|GENOMES?|ALL|V\d))?|EXAC(?:_ALL)?|1000G\w*?"
    rb"|1KGP?\d*|TGP|TOPMED|ESP6500\w*?|KRGDB|KRG\d*|KOVA\d*|ALFA|TOMMO|JPT?HGVD|HGVD|UK10K|DBSNP)"
    rb"(?:[_.-]?(?:AF|MAF|FREQ))?"
    rb"|(?:POP|POPULATION|GLOBAL|R|ALT)[_.-]?(?:AF|MAF|FREQ)"
    rb"|CAF|FREQ|COMMON|POPAF|AF_?PERCENT"
    rb"|(?:GNOMAD[EG]?_)?(?:AF_?(?:POP|GRP)?MAX|(?:POP|GRP)?MAX_?AF)"
)
_NO_SHARE = re.compile(rb"(?i)[^=;]{0,40}(?:POPAF|FREQ|PERCENT)|COMMON|CAF")
_FEWEST_COLUMNS = 3  # of an annotation
_BEFORE_KEY = (b";", b"\t")
_VALUE = rb"=([^;\t\n]+)"
_RARE_IN_DBSNP = 0.0099  # what COMMON=0 says: in no population of 1000 Genomes 1 % or more
_ALIKE = 1 - 1e-6  # share from which a frequency is the one that decides, in other digits
_OF_REFERENCE_TOO = frozenset((b"CAF", b"TOPMED"))  # in dbSNP, whose first number is the reference's


@dataclass(frozen=True, eq=False)
class RarerElsewhere:
    """Records with a second frequency below :data:`LARGEST` and below their own; arrays of one length."""

    records: Tally = field(default_factory=Tally)  # with that second frequency
    own: array[float] = field(default_factory=lambda: array("d"))  # the one that decides the rule

    def below(self, threshold: float) -> Places:
        """Return the records that are rare by their second frequency alone, at a threshold."""
        pairs = enumerate(zip(self.records.mafs, self.own, strict=True))
        return self.records.chosen([number for number, (share, own) in pairs if share < threshold <= own])


class OtherFrequencies:
    """Takes records of the anonymized file beside what the rule says of their site.

    Attributes
    ----------
    found
        Those with a second frequency.
    """

    def __init__(self, header: VcfHeader) -> None:
        declared = [attributes_of(line)[1] for line in header.lines if line.startswith(b"##INFO")]
        names = [told.get(b"ID", b"") for told in declared]
        keys = [name for name in names if _OF_ALL.fullmatch(name)]
        keys += [b"AF"] if b"MAF" in names and b"AF" in names else []  # MAF decides where both are there
        self._columns = {
            told[b"ID"] + b"=": one for told in declared if b"ID" in told and (one := _pattern_of(told))
        }
        either = b"|".join(map(re.escape, keys))
        self._pattern = re.compile(rb"[;\t](%s)%s" % (either, _VALUE)) if either else None
        self.found = RarerElsewhere()

    def read(
        self,
        lines: Block,
        contig: bytes,
        positions: Sequence[int] | npt.NDArray[np.int64],
        mafs: npt.NDArray[np.float64],
    ) -> None:
        """Read lines of a contig at sites of these frequencies, infinity where none is computable.

        A record that no longer names its allele says nothing.
        """
        if self._pattern is None and not self._columns:
            return
        last = -1
        for at, share in self._shares(lines.text, *lines.starts[[0, -1]].tolist()):
            row = int(np.searchsorted(lines.starts, at, side="right")) - 1
            if share < _ALIKE * mafs[row] and row != last and lines[row].split(b"\t", 5)[4].strip(b"N.,"):
                last = row
                self.found.records.add(contig, int(positions[row]), share)
                self.found.own.append(float(mafs[row]))

    def _shares(self, text: bytes, low: int, high: int) -> Iterator[tuple[int, float]]:
        """Yield where a part of a text states a frequency of a population that may be rare, and which."""
        for match in self._pattern.finditer(text, low, high) if self._pattern else ():
            share = _smallest(match[1], match[2])
            if share < LARGEST:
                yield match.start(), share
        for key, pattern in self._columns.items():
            at = text.find(key, low, high)
            while at >= 0:
                begin = at + len(key)
                if (share := _share_of(text, begin, pattern)) < LARGEST and text[at - 1 : at] in _BEFORE_KEY:
                    yield at, share
                at = text.find(key, begin, high)


def _share_of(text: bytes, begin: int, pattern: re.Pattern[bytes]) -> float:
    """Return the frequency of the rarer of two alleles by the first two entries of an annotation.

    Entries go by transcript, and say the same for each. Of several columns the highest counts; it is 1 where
    there is none.
    """
    first = pattern.match(text, begin)
    if first is None:
        return 1.0
    allele, *values = first.groups()
    share = _highest(values)
    second = text.find(b",", first.end()) + 1
    if not text.startswith(allele, second) and (other := pattern.match(text, second)):
        return min(share, _highest(other.groups()[1:]))
    return share


def _highest(values: Sequence[bytes]) -> float:
    try:
        return max(map(float, filter(None, values)), default=1.0)
    except ValueError:  # of a list, or of no number
        return 1.0


def _pattern_of(told: Mapping[bytes, bytes]) -> re.Pattern[bytes] | None:
    """Return the pattern of the columns of an annotation that are frequencies, by its description's list.

    In what VEP writes AF is that of all of 1000 Genomes. No column is taken for a negative logarithm.
    """
    names = [one.strip(b" '\"") for one in told.get(b"Description", b"").rpartition(b": ")[2].split(b"|")]
    is_told = [
        name == b"AF" or (_OF_ALL.fullmatch(name) is not None and not _NO_SHARE.fullmatch(name))
        for name in names
    ]
    if len(names) < _FEWEST_COLUMNS or not any(is_told):
        return None
    last = max(at for at, one in enumerate(is_told) if one)
    cells = (rb"([^|,;\t\n]*)" if one else rb"[^|,;\t\n]*" for one in is_told[1 : last + 1])
    return re.compile(rb"([^|,;\t\n]*\|)" + rb"\|".join(cells))


def _smallest(key: bytes, text: bytes) -> float:
    """Return the frequency of the rarest allele that a field states, 1 where it states none.

    Of several sources in one field (FREQ of dbSNP) the highest counts, and of percent and negative logarithms
    what they stand for.
    """
    key = key.upper()
    if key == b"COMMON":
        return _RARE_IN_DBSNP if text == b"0" else 1.0
    if key == b"FREQ" and b":" not in text:
        return 1.0  # of a caller, which counts reads
    sources = [part.rpartition(b":")[2] for part in text.split(b"|")]
    has_reference = key in _OF_REFERENCE_TOO or b":" in text
    return max(_rarest(source, key, has_reference=has_reference) for source in sources)


def _rarest(text: bytes, key: bytes, *, has_reference: bool) -> float:
    numbers = text.replace(b"%", b"").split(b",")
    numbers = numbers[1:] if has_reference and len(numbers) > 1 else numbers
    try:
        rarest = min((float(number) for number in numbers if number.strip(b".")), default=1.0)
    except ValueError:
        return 1.0
    if key.endswith(b"POPAF"):
        return float(10 ** -max((float(number) for number in numbers if number.strip(b".")), default=0.0))
    return rarest / 100 if b"%" in text or b"PERCENT" in key else rarest


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
