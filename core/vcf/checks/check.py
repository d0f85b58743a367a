"""What a check is: its name, how bad it is, what it says, what to do, and for masked sites how it looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.vcf.checks.case import Case
from core.verdict import Verdict

FAIL, WARN, NOT_ASSESSED = Verdict.FAIL, Verdict.WARN, Verdict.NOT_ASSESSED
MASKED = "{n} of {of} masked sites "

#: What a site check looks at; where there is nothing of it in a record, the check has nothing to say.
Part = Literal["alt", "ref", "qual", "id", "filter", "info", "samples", "repeat", "length"]
Test = Callable[[Case], bool]


@dataclass(frozen=True)
class Check:
    """One exposure check.

    Attributes
    ----------
    name
        Stable machine name.
    label
        Name on screen.
    default
        The verdict when anything is found and the person has not said otherwise.
    message
        A sentence with ``{n}`` for the count and ``{of}`` for the denominator.
    remedy
        What to do about it, in a sentence.
    """

    name: str
    label: str
    default: Verdict
    message: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class SiteCheck(Check):
    """A check of one original record at a masked site and its own anonymized record.

    Attributes
    ----------
    parts
        What of the anonymized record it looks at.
    test
        Whether it finds something.
    """

    parts: tuple[Part, ...]
    test: Test


def site_check(
    name: str, label: str, default: Verdict, *, parts: tuple[Part, ...], message: str, remedy: str
) -> Callable[[Test], SiteCheck]:
    """Make a function of a case a check of masked sites; its message goes on after “n of m masked sites”."""

    def made(test: Test) -> SiteCheck:
        return SiteCheck(
            name=name,
            label=label,
            default=default,
            message=MASKED + message,
            remedy=remedy,
            parts=parts,
            test=test,
        )

    return made
