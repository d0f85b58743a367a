"""What a check is, and what a check of masked sites is given: a record, its own one, and the rules."""

import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from core.vcf.checks.spellings import plain, words_of
from core.vcf.memoized import lazy
from core.vcf.readings import Info
from core.vcf.records import USUAL_FILTERS, Record
from core.vcf.repeats import RepeatPattern
from core.verdict import Verdict
from core.words import text

_FORMS = re.compile(r"\[([^][|]*)\|([^][|]*)\]")  # of a message, for one and for all other counts
_LOCUS = (b"START", b"END", b"PERIOD")  # of the reference, as HipSTR writes them


@dataclass(eq=False)
class Case:
    """One original record at a site that counts as masked, and the record that stands for it."""

    original: Record  # the two records
    kept: Record
    maf: float  # their sites' frequencies, each by its own INFO; infinity where not computable
    kept_maf: float
    is_repeat: bool  # whether the repeat rule applies to the original; otherwise the MAF rule does
    pattern: RepeatPattern  # what a repeat is
    # the samples' names in the original, without those that say nothing
    names: AbstractSet[bytes] = frozenset()

    @property
    def is_masked(self) -> bool:
        """Tell whether this very record satisfies the published rule."""
        if self.is_repeat:
            return satisfies_repeat_rule(self.original, self.kept)
        return self.kept.column.is_blank or self.kept_maf > self.maf

    @lazy
    def is_hidden(self) -> bool:
        """Tell whether ALT was changed: samples that carry an allele which is still named tell no more."""
        return self.kept.alt != self.original.alt

    @lazy
    def still_named(self) -> bool:
        """Tell whether ALT names one of the original's alleles."""
        return self.kept.names(self.original.alleles)

    @lazy
    def info(self) -> Info:
        """Return the anonymized INFO, taken apart."""
        return (self.original if self.kept.info == self.original.info else self.kept).fields

    @lazy
    def of_locus(self) -> frozenset[bytes]:
        """Return the keys of INFO that say where the repeat is, if from START to END REF shows all of it."""
        told = {field.key: field.value or b"" for field in self.info.fields() if field.key in _LOCUS}
        ends = [told.get(key, b"") for key in _LOCUS[:2]]
        if not all(one.isdigit() for one in ends):
            return frozenset()
        position, (start, end) = int(self.kept.pos), map(int, ends)
        is_shown = position <= start <= end <= position + len(self.kept.ref) - 1
        return frozenset(_LOCUS) if is_shown else frozenset()

    @property
    def kinds(self) -> int:
        """Return the kinds of the fields of INFO that say something, together."""
        return self.info.kinds

    @lazy
    def wordy(self) -> bytes:
        """Return what of INFO and FILTER holds something else than numbers, as :func:`plain` returns it."""
        return plain(b";".join(self.wordy_fields))

    @property
    def wordy_fields(self) -> list[bytes]:
        """Return the fields of INFO, and FILTER as one, that hold something else than numbers."""
        texts = self.info.wordy()
        if self.kept.filter not in USUAL_FILTERS:
            texts.append(b"FILTER=" + self.kept.filter.replace(b";", b",").replace(b"_", b"|"))
        return texts

    @lazy
    def words(self) -> bytes:
        """Return the words of that part."""
        return words_of(self.wordy)

    @lazy
    def samples(self) -> bytes:
        """Return the samples' text, as far as it tells more than one of them does."""
        return self.kept.telling_samples

    @property
    def is_substitution(self) -> bool:
        """Tell whether all alleles are as long as REF."""
        return all(len(allele) == len(self.original.ref) for allele in self.original.alleles)


def satisfies_repeat_rule(original: Record, kept: Record) -> bool:
    """Tell whether the published rule counts a repeat as masked: ALT differs and holds an ``N``."""
    return kept.alt != original.alt and b"N" in kept.alt


Test = Callable[[Case], bool]
Telling = Callable[[Case], Iterator[bytes]]


@dataclass(frozen=True)
class Check:
    """One exposure check."""

    name: str  # stable machine name
    label: str  # name on screen
    default: Verdict  # the verdict when anything is found and the person has not said otherwise
    message: str  # A sentence with ``{n}`` for the count and ``{of}`` for the denominator
    remedy: str  # what to do about it, in a sentence


@dataclass(frozen=True, kw_only=True)
class SiteCheck(Check):
    """A check of one original record at a masked site and its own anonymized record."""

    test: Test  # whether it finds something
    telling: Telling | None = None  # in which fields, as bcftools names them, where its remedy names them


def _read() -> Iterator[tuple[str, Check]]:
    """Yield the checks of the table beside this file, each with the heading that it stands below."""
    heading, verdicts = "", {verdict.name[0]: verdict for verdict in Verdict}
    for line in Path(__file__).with_name("checks.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line.removeprefix("# ")
        elif line and heading:
            name, label, verdict, message, remedy = line.split(" | ")
            one, many = (_FORMS.sub(rf"\{form}", message) for form in (1, 2))
            told = text(one, many) if one != many else one
            yield heading, Check(name, label, verdicts[verdict], told, remedy)


_DECLARED = tuple(_read())


def checks_below(heading: str) -> tuple[Check, ...]:
    """Return the checks below a heading of the table, in its order."""
    return tuple(check for above, check in _DECLARED if above == heading)


def site_check(name: str) -> Callable[[Test], SiteCheck]:
    """Make a function of a case a check of masked sites, which the table declares."""
    declared = next(check for check in checks_below("sites") if check.name == name)
    return lambda test: SiteCheck(**vars(declared), test=test)


def field_check(name: str) -> Callable[[Telling], SiteCheck]:
    """Make a function that yields what of a case tells something a check of masked sites.

    It yields fields as ``bcftools annotate -x`` takes them, ``{keys}`` and ``{fields}`` of the sentences.
    """
    made = site_check(name)
    return lambda telling: replace(made(lambda case: any(telling(case))), telling=telling)
