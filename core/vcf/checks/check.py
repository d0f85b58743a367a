"""What a check is: its name, how bad it is, what it says, what to do, and for masked sites how it looks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from core.vcf.checks.case import Case
from core.verdict import Verdict

FAIL, WARN, NOT_ASSESSED = Verdict.FAIL, Verdict.WARN, Verdict.NOT_ASSESSED


class Part:
    """What of an anonymized record there is to look at: bits, as whole numbers.

    Where there is nothing of it in a record, a check that looks at it alone has nothing to say.
    """

    ALT = 1 << 0  # something else than “.”
    REF = 1 << 1  # not the original's
    QUAL = 1 << 2  # not the original's
    ID = 1 << 3
    FILTER = 1 << 4
    WORDS = 1 << 5  # INFO has more than fields of plain numbers
    IDENTIFIER = 1 << 6  # fields of INFO of these kinds
    TELLS = 1 << 7
    DESCRIBES = 1 << 8  # or counts
    FREQUENCY = 1 << 9  # or counts
    OTHER = 1 << 10  # neither harmless nor spoken of by another check
    LENGTH = 1 << 11  # or a REF longer than one base
    SAMPLES = 1 << 12  # more than one missing genotype for all
    REPEAT = 1 << 13  # the original holds a short tandem repeat
    POSITION = 1 << 14  # not written as the original's
    FORMAT = 1 << 15  # neither the original's nor GT alone
    NEW_INFO = 1 << 16  # not the original's


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

    parts: int  # what of the anonymized record it looks at: bits of :class:`Part`
    test: Test  # whether it finds something
    telling: Telling | None = None  # in which fields, as bcftools names them, where its remedy names them


def site_check(
    name: str, label: str, default: Verdict, *, parts: int, message: str, remedy: str
) -> Callable[[Test], SiteCheck]:
    """Make a function of a case a check of masked sites."""

    def made(test: Test) -> SiteCheck:
        return SiteCheck(
            name=name, label=label, default=default, message=message, remedy=remedy, parts=parts, test=test
        )

    return made


def field_check(
    name: str, label: str, default: Verdict, *, parts: int, message: str, remedy: str
) -> Callable[[Telling], SiteCheck]:
    """Make a function that yields what of a case tells something a check of masked sites.

    It yields fields as ``bcftools annotate -x`` takes them, ``{keys}`` and ``{fields}`` of the sentences.
    """
    made = site_check(name, label, default, parts=parts, message=message, remedy=remedy)
    return lambda telling: replace(made(lambda case: any(telling(case))), telling=telling)
