"""Titles, questions, limits, and the sentence above the result."""

from __future__ import annotations

from core.measures import attribute_disclosure, risk, risk_models, shared, utility
from core.risk import PRESETS, RiskAudit
from core.verdict import Verdict

TITLE = "Disclosure risk"
QUESTION = "How easily are people found in this table, and what does it give away about them?"
LIMITS = (
    (
        "The figures speak of the columns chosen as quasi-identifiers. What others know, now or later, is "
        "theirs."
    ),
    (
        "A large class protects who somebody is, not what is true of everybody in it: look at the sensitive "
        "attributes."
    ),
    "t, β and δ say how far a class is from the whole table, not whether that hurts anybody.",
    (
        "Risk against a population is as good as the population's table or size; estimates assume a random "
        "sample."
    ),
    "Nothing here calls a table anonymous.",
)
MEASURE_KEYS = tuple(
    measure.key
    for group in (
        shared.MEASURES,
        risk.MEASURES,
        risk_models.MEASURES,
        attribute_disclosure.MEASURES,
        utility.MEASURES,
    )
    for measure in group
)


def headline(audit: RiskAudit) -> str:
    """Return the most important reason of the overall verdict, in a sentence."""
    worst = [finding for finding in audit.all_findings if finding.verdict is audit.overall]
    if audit.overall is Verdict.PASS:
        return audit.findings[0].message
    return worst[0].message


def preset_note(k: int) -> str:
    """Return who asks for classes of this size; empty for a size that is no preset."""
    return PRESETS.get(k, "")
