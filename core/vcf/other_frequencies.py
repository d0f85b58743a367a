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
    rb"(?i)(?:dbNSFP[_.-])?(?:(?:GNOMAD[EG]?(?:[_.-]?(?:EXOMES?|GENOMES?|ALL|V\d))?|EXAC(?:_ALL)?|1000G\w*?|1KGP?\d*|TGP"
    rb"|TOPMED|ESP6500\w*?|KRGDB|KRG\d*|KOVA\d*|ALFA|TOMMO|JPT?HGVD|HGVD|UK10K|DBSNP|POP|POPULATION|GLOBAL|R|ALT)"
    rb"(?:[_.-]?(?:AF|MAF|FREQ))?|CAF|(?:GNOMAD[EG]?_)?(?:AF_?(?:POP|GRP)?MAX|(?:POP|GRP)?MAX_?AF))"
)
_NUMBERS = rb"=([0-9.][0-9.eE,+-]*)(?=[;\t\n])"
_OF_REFERENCE_TOO = frozenset((b"CAF", b"TOPMED"))  # in dbSNP, whose first number is the reference's


@dataclass(frozen=True, eq=False)
class RarerElsewhere:
    """Records with a second frequency below :data:`LARGEST` and below their own; arrays of one length."""

    records: Tally = field(default_factory=Tally)  # with that second frequency
    own: array[float] = field(default_factory=lambda: array("d"))  # the one that decides the rule

    def below(self, threshold: float) -> Places:
        """Return the records that are rare by their second frequency alone, at a threshold."""
        records = self.records
        pairs = enumerate(zip(records.mafs, self.own, strict=True))
        which = [number for number, (share, own) in pairs if share < threshold <= own]
        names = [contig.decode("utf-8", "backslashreplace") for contig in records.contig_ids]
        return Places(
            names, [records.contigs[one] for one in which], [records.positions[one] for one in which]
        )


class OtherFrequencies:
    """Takes records of the anonymized file beside what the rule says of their site.

    Attributes
    ----------
    found
        Those with a second frequency.
    """

    def __init__(self, header: VcfHeader) -> None:
        declared = (attributes_of(line)[1] for line in header.lines if line.startswith(b"##INFO"))
        keys = [told[b"ID"] for told in declared if _OF_ALL.fullmatch(told.get(b"ID", b""))]
        names = b"|".join(map(re.escape, keys))
        self._pattern = re.compile(rb"[;\t](%s)%s" % (names, _NUMBERS)) if keys else None
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
            if share < mafs[row] < np.inf:
                self.found.records.add(contig, int(positions[row]), share)
                self.found.own.append(float(mafs[row]))


def _smallest(key: bytes, text: bytes) -> float:
    """Return the frequency of the rarest allele in a list of them, 1 where none is a number."""
    numbers = text.split(b",")
    if key.upper() in _OF_REFERENCE_TOO and len(numbers) > 1:
        numbers = numbers[1:]
    try:
        return min((float(number) for number in numbers if number.strip(b".")), default=1.0)
    except ValueError:
        return 1.0
