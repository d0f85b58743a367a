"""Findings as sentences: what was found, its first places, and what to do about it."""

from __future__ import annotations

from core.vcf.exposure import Exposure
from core.verdict import Finding, Verdict


def finding_of(exposure: Exposure) -> Finding:
    """Return an exposure as a finding, with its first places and, unless it is a mere fact, its remedy."""
    return Finding(
        check=exposure.check,
        verdict=exposure.verdict,
        message=sentence_of(exposure),
        n_affected=exposure.n_affected,
    )


def sentence_of(exposure: Exposure) -> str:
    """Return what was found, where first, and what to do."""
    parts = [exposure.message]
    if exposure.examples and " First: " not in exposure.message:
        left = len(exposure.places) - len(exposure.examples)
        more = f" and {left:,} more" if left else ""
        parts.append(f"First: {', '.join(exposure.examples)}{more}.")
    if exposure.verdict is not Verdict.PASS:
        parts.append(exposure.remedy)
    return " ".join(parts)
