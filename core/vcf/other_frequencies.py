"""Records that a second frequency of their own calls rare, although the one that decides the rule does not.

A file's AF is often that of its own donors, or of one panel, and a population's stands beside it
(``gnomAD_AF``, ``TOPMED``, ``KRGDB_AF``). Frequencies of a part of a population are no such second one: an
allele is missing from some part of nearly every population.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.vcf.candidates import Places, Tally
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
        declared = (attributes_of(line)[1] for line in header.lines if line.startswith(b"##INFO"))
        names = [told.get(b"ID", b"") for told in declared]
        keys = [name for name in names if _OF_ALL.fullmatch(name)]
        keys += [b"AF"] if b"MAF" in names and b"AF" in names else []  # MAF decides where both are there
        either = b"|".join(map(re.escape, keys))
        self._pattern = re.compile(rb"[;\t](%s)%s" % (either, _VALUE)) if keys else None
        self.found = RarerElsewhere()

    def read(
        self,
        lines: Block,
        contig: bytes,
        positions: Sequence[int] | npt.NDArray[np.int64],
        mafs: npt.NDArray[np.float64],
    ) -> None:
        """Read lines of a contig at sites of these frequencies; one that is not computable says nothing."""
        if self._pattern is None:
            return
        low, high = lines.starts[[0, -1]].tolist()
        for match in self._pattern.finditer(lines.text, low, high):
            share = _smallest(match[1], match[2])
            if share >= LARGEST:
                continue
            row = int(np.searchsorted(lines.starts, match.start(), side="right")) - 1
            if share < _ALIKE * mafs[row] < np.inf:
                self.found.records.add(contig, int(positions[row]), share)
                self.found.own.append(float(mafs[row]))


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
