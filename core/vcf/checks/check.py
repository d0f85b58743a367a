"""What a check is: its name, how bad it is, what it says, what to do, and for masked sites how it looks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from core.vcf.checks.case import Case
from core.verdict import Verdict

FAIL, WARN, NOT_ASSESSED = Verdict.FAIL, Verdict.WARN, Verdict.NOT_ASSESSED


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


def site_check(
    name: str, label: str, default: Verdict, *, message: str, remedy: str
) -> Callable[[Test], SiteCheck]:
    """Make a function of a case a check of masked sites."""

    def made(test: Test) -> SiteCheck:
        return SiteCheck(name=name, label=label, default=default, message=message, remedy=remedy, test=test)

    return made


def field_check(
    name: str, label: str, default: Verdict, *, message: str, remedy: str
) -> Callable[[Telling], SiteCheck]:
    """Make a function that yields what of a case tells something a check of masked sites.

    It yields fields as ``bcftools annotate -x`` takes them, ``{keys}`` and ``{fields}`` of the sentences.
    """
    made = site_check(name, label, default, message=message, remedy=remedy)
    return lambda telling: replace(made(lambda case: any(telling(case))), telling=telling)
