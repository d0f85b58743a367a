"""Anonymized records of which masking left nothing but REF: many are alike, and one stands for all.

Whoever masks a file properly writes the same text from QUAL on in every masked record. Such a text is
known once a record with it was looked at literally; of the next ones REF and ALT alone are looked at.
"""

from __future__ import annotations

from core.vcf.records import USUAL_FILTERS, Record

MAX_RESTS = 4  # texts from QUAL on that are known as bare
MAX_NOTED = 4096  # answers that are remembered
BASES = b"ACGT,"
BLANK_ALTS = (b".", b"N")
_HEAD = b"%s\t%s\t.\t%s\t"  # of a bare line, as far as ALT


class BareRecords:
    """The bare records of an anonymized file.

    A record is bare if ID, QUAL and INFO are missing, FILTER is missing or PASS, ALT is “.” or ``N``, and its
    samples are genotypes alone, all missing and alike.
    """

    def __init__(self) -> None:
        self._rests: list[bytes] = []
        self._contigs: set[bytes] = set()
        self._noted: set[tuple[object, ...]] = set()

    def learn(self, record: Record) -> None:
        """Take up what a record has from QUAL on, if it is bare; it was found to be one that htslib takes."""
        if record.info != b"." or record.qual != b"." or record.filter not in USUAL_FILTERS:
            return
        if record.samples and (
            record.format != b"GT" or not record.is_uniform or record.telling_samples[1:].strip(b"./|")
        ):
            return
        rest = b"\t" + record.rest
        if rest not in self._rests:
            if len(self._rests) == MAX_RESTS:
                return
            self._rests.append(rest)
        self._contigs.add(record.chrom)

    def find(self, line: bytes, original: Record) -> tuple[bytes, int] | None:
        """Return ALT, and which of the known texts follows, of a line that is an original's bare record.

        None of any other line. Alleles of the original that are no plain bases may be told by the form of
        what is missing, so theirs is none either.
        """
        if not self._rests or original.alt.translate(None, BASES) or original.chrom not in self._contigs:
            return None
        head = _HEAD % (original.chrom, original.pos, original.ref)
        if not line.startswith(head):
            return None
        at = len(head)
        alt = line[at : at + 1]
        for number, rest in enumerate(self._rests if alt in BLANK_ALTS else ()):
            if len(line) == at + 1 + len(rest) and line.endswith(rest):
                return alt, number
        return None

    def is_new(self, original: Record, alt: bytes, rest: int) -> bool:
        """Tell whether no record was noted yet that masking changed in the same way, beside REF and ALT."""
        end = original.samples.find(b"\t", 1)
        genotype = original.samples[1 : end if end > 0 else None].partition(b":")[0]
        key = alt, rest, original.qual == b".", original.filter, original.info == b".", genotype
        if key in self._noted:
            return False
        if len(self._noted) < MAX_NOTED:
            self._noted.add(key)
        return True
