"""One record, split into its columns when a site has to be looked at closely."""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import NamedTuple

from core.vcf.memoized import lazy, remembered
from core.vcf.readings import Info

#: ALT alleles that name no variant of the donor's: overlapping deletion and "anything else".
EMPTY_ALLELES = frozenset((b".", b"*", b"<NON_REF>", b"<*>", b""))
GENOTYPE = re.compile(rb"\t(?:[0.][/|])*[1-9]")
DIGITS = b"0123456789"
USUAL_FILTERS = frozenset((b".", b"PASS"))
N_FIXED = 8  # columns before FORMAT


class AltColumn(NamedTuple):
    """What an ALT column by itself tells."""

    alts: tuple[bytes, ...]  # the alleles as written
    distinct: frozenset[bytes]
    alleles: tuple[bytes, ...]  # those that say something
    is_blank: bool  # whether every allele is ``.``
    names_allele: bool  # whether one names anything beside ``N``, ``*`` and ``<NON_REF>``


class Record:
    """The columns of one line whose number of columns was checked.

    `samples` is everything after FORMAT, the tab before each sample included; `format` and `samples`
    are empty where the file, or the record, has no samples. `extra` is what stands beyond the columns
    that the header announces; only where `has_extra` says so is it looked for.
    """

    def __init__(self, line: bytes, n_columns: int, *, has_extra: bool = False) -> None:
        self.line = line
        self.extra = b""
        if has_extra:
            columns = line.split(b"\t")
            self.extra = b"\t".join(columns[n_columns:])
            line = b"\t".join(columns[:n_columns])
        self.chrom, self.pos, self.id, self.ref, self.alt, self.qual, self.filter, self.info, *rest = (
            line.split(b"\t", 9)
        )
        self.format = rest[0] if rest else b""
        self.samples = b"\t" + rest[1] if len(rest) > 1 else b""
        self.n_samples = n_columns - N_FIXED - 1 if self.samples else 0

    @property
    def rest(self) -> bytes:
        """Return everything from QUAL on: records with equal rests have equal INFO, FORMAT and samples."""
        before = len(self.chrom) + len(self.pos) + len(self.id) + len(self.ref) + len(self.alt)
        return self.line[before + 5 :]

    @lazy
    def column(self) -> AltColumn:
        """Return what the ALT column by itself tells."""
        return alt_column(self.alt)

    @property
    def alts(self) -> tuple[bytes, ...]:
        """Return the ALT alleles as written."""
        return self.column.alts

    @property
    def alleles(self) -> tuple[bytes, ...]:
        """Return the ALT alleles that say something."""
        return self.column.alleles

    @lazy
    def fields(self) -> Info:
        """Return INFO, taken apart."""
        return Info(self.info)

    @lazy
    def cells(self) -> list[bytes]:
        """Return each sample's text."""
        return self.samples[1:].split(b"\t") if self.samples else []

    @lazy
    def has_genotypes(self) -> bool:
        """Tell whether the samples begin with a genotype."""
        return self.format.startswith(b"GT") and self.format[2:3] in (b"", b":")

    @property
    def has_carriers(self) -> bool:
        """Tell whether any sample's genotype names an ALT allele."""
        return self.has_genotypes and GENOTYPE.search(self.samples) is not None

    @lazy
    def is_uniform(self) -> bool:
        """Tell whether all samples have the same text, which then tells none from another; one has."""
        end = self.samples.find(b"\t", 1)
        return end < 0 or self.samples[:end] * (len(self.samples) // end) == self.samples

    @property
    def telling_samples(self) -> bytes:
        """Return the samples' text; where all are alike, that of the first, which tells as much."""
        end = self.samples.find(b"\t", 1)
        return self.samples[:end] if end >= 0 and self.is_uniform else self.samples

    @lazy
    def is_missing(self) -> bool:
        """Tell whether all samples have nothing but one missing genotype, written alike."""
        return self.format == b"GT" and self.is_uniform and not self.telling_samples[1:].strip(b"./|")

    def names(self, alleles: Sequence[bytes]) -> bool:
        """Tell whether ALT names one of the alleles."""
        return not self.column.distinct.isdisjoint(alleles)

    def has_sole_carrier(self, allele: int) -> bool:
        """Tell whether exactly one sample carries the allele of this index (0 is the reference)."""
        return self.has_genotypes and has_sole_carrier(self.samples, self.format, len(self.alts), allele)


def is_blank(alt: bytes) -> bool:
    """Tell whether every allele of an ALT column is ``.``."""
    return not alt.strip(b".,")


@remembered
def alt_column(alt: bytes) -> AltColumn:
    """Take an ALT column apart; many records have the same."""
    alts = tuple(alt.split(b","))
    alleles = tuple(allele for allele in alts if allele not in EMPTY_ALLELES)
    return AltColumn(
        alts,
        frozenset(alts),
        alleles,
        is_blank=is_blank(alt),
        names_allele=any(allele.strip(b"Nn<>.") for allele in alleles),
    )


def has_sole_carrier(
    samples: bytes, format_: bytes, n_alts: int, allele: int, *, low: int = 0, high: int = sys.maxsize
) -> bool:
    """Tell whether exactly one sample's genotype names an allele; genotypes must come first.

    The samples may be a part of a text. Of nothing but genotypes with fewer than ten alleles the digit itself
    is looked for.
    """
    if format_ == b"GT" and n_alts < 10:
        digit = DIGITS[allele]
        first = samples.find(digit, low, high)
        if first < 0:
            return False
        after = samples.find(b"\t", first, high)
        return after < 0 or samples.find(digit, after, high) < 0
    found = _carrier_pattern(allele).finditer(samples, low, high)
    return next(found, None) is not None and next(found, None) is None


@cache
def _carrier_pattern(allele: int) -> re.Pattern[bytes]:
    return re.compile(rb"\t(?:[0-9.]+[/|])*%d(?=[/|:\t]|\Z)" % allele)


def genotypes_changed(original: Record, kept: Record, *, in_order: bool) -> bool:
    """Tell whether a sample's genotype differs; one blanked together with ALT is masked, not changed.

    Nor is anything changed in a file from which samples were left out, or to which some were added: the fewer
    genotypes are all among the others. Where the samples are not `in_order`, as under other names, nobody
    knows whose is whose, and any order of the same genotypes is right.
    """
    if not kept.format or original.samples == kept.samples:
        return False
    masked = original.alt != kept.alt
    if masked and kept.is_uniform and _is_missing(kept.telling_samples[1:]):
        return False
    before, after = _genotypes(original), _genotypes(kept)
    if not in_order and len(before) != len(after):
        many, few = sorted((before, after), key=len, reverse=True)
        missing = Counter({one: n for one, n in Counter(few).items() if masked and _is_missing(one)})
        return bool(Counter(few) - missing - Counter(many))
    if len(before) == len(after) and all(
        left == right or (masked and _is_missing(right)) for left, right in zip(before, after, strict=True)
    ):
        return False
    return in_order or len(before) != len(after) or Counter(before) != Counter(after)


def _is_missing(genotype: bytes) -> bool:
    return not genotype.partition(b":")[0].strip(b"./|")


def _genotypes(record: Record) -> list[bytes]:
    """Return each sample's genotype as written; empty without genotypes."""
    return [cell.partition(b":")[0] for cell in record.cells] if record.has_genotypes else []


# What two records must have in common, the closest first; of several alike, the first is the first's.
# Beside it a size that is then the same too: what differs in it is not looked at, however long it is.
_ALIKE: tuple[tuple[Callable[[Record], Hashable], Callable[[Record], int]], ...] = (
    (lambda record: record.line, lambda record: len(record.line)),
    (lambda record: (record.ref, record.alt), lambda record: len(record.alt)),
    (lambda record: (record.ref.upper(), record.alt.upper()), lambda record: len(record.alt)),
    (lambda record: (record.ref, record.rest), lambda record: len(record.samples)),
    (lambda record: (record.ref, record.id), lambda record: len(record.id)),
    (lambda record: record.ref, lambda record: len(record.ref)),
    (lambda _record: None, lambda _record: 0),
)


def own_records(originals: Sequence[Record], kept: Sequence[Record]) -> list[int]:
    """Return for each original record at a site the place of its own anonymized record, −1 for none.

    Records that are equal are each other's own; others are paired by REF and ALT, in any case; then by REF
    and what the masking left of the rest; then by REF; at last by their order. Anonymized records that are
    equal stand in the order of their originals. The work grows with the number of records, not with their
    pairs.
    """
    if len(originals) == len(kept) == 1:
        return [0]
    own = [-1] * len(originals)
    free = dict.fromkeys(range(len(kept)))
    left = list(range(len(originals)))
    for alike, size in _ALIKE:
        if not left or not free:
            break
        by_key: dict[Hashable, list[int]] = defaultdict(list)
        sizes = {size(originals[number]) for number in left} & {size(kept[place]) for place in free}
        for place in reversed(free):
            if size(kept[place]) in sizes:
                by_key[alike(kept[place])].append(place)
        for number in left if by_key else ():
            places = by_key.get(alike(originals[number])) if size(originals[number]) in sizes else None
            if places:
                own[number] = places.pop()
                del free[own[number]]
        left = [number for number in left if own[number] < 0]
    return _in_order_where_equal(own, kept)


def _in_order_where_equal(own: list[int], kept: Sequence[Record]) -> list[int]:
    """Give equal anonymized records to the originals in their order; which is whose nobody can tell."""
    given: dict[bytes, list[int]] = defaultdict(list)
    for place in sorted(place for place in own if place >= 0):
        given[kept[place].line].append(place)
    if len(given) == len(own):
        return own
    following = {line: iter(places) for line, places in given.items()}
    return [next(following[kept[place].line]) if place >= 0 else place for place in own]
