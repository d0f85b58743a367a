"""What a check is called, how bad it is by default, what it says and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from core.verdict import Verdict


class Check(NamedTuple):
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
    mark
        For checks of masked sites: the bit that says yes.
    """

    name: str
    label: str
    default: Verdict
    message: str
    remedy: str
    mark: int | None = None


FAIL, WARN, NOT_ASSESSED = Verdict.FAIL, Verdict.WARN, Verdict.NOT_ASSESSED
