"""Title, question, limits and headlines of the VCF verifier."""

from __future__ import annotations

from collections.abc import Sequence

from core.measures import vcf as measures
from core.vcf import DonorAudit, PairOutcome, VcfAudit
from core.verdict import Verdict

TITLE = "VCF verifier"
QUESTION = (
    "Was the genome file really masked, site by site, and what in it would still give the masked allele or "
    "the donor away?"
)
LIMITS = (
    (
        "The published rule looks at the header, at short tandem repeats and at rare variants. The common "
        "variants that remain can identify a donor as well: a few dozen are enough."
    ),
    "Rarity is read from INFO. A variant without a frequency there may be rare and is not assessed.",
    (
        "The checks look at this file and its original. What other files, databases or relatives tell is "
        "not in them."
    ),
    "Nothing here calls a file anonymous.",
)
MEASURE_KEYS = tuple(measure.key for measure in measures.MEASURES)


def headline(audit: VcfAudit, donors: DonorAudit | None = None) -> str:
    """Return the sentence that explains a file's overall verdict."""
    ours = audit.exposure_verdict.word
    left = audit.n_targets - audit.n_masked
    if left:
        rule = f"{left:,} of {audit.n_targets:,} targets {'is' if left == 1 else 'are'} not masked"
    elif audit.n_targets:
        rule = f"Every target counts as masked ({audit.n_masked:,} of {audit.n_targets:,})"
    else:
        rule = "Nothing had to be masked"
    looked = f", and what tells of the donors is {donors.verdict.word}" if donors else ""
    return f"{rule}; beside the rule, exposure is {ours}{looked}."


def run_headline(outcomes: Sequence[PairOutcome], *, n_unmatched: int = 0) -> str:
    """Return the sentence that explains the verdict of a run: one pair's, or how many pairs got which."""
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    alone = ""
    if n_unmatched:
        alone = f" {n_unmatched:,} {'file has' if n_unmatched == 1 else 'files have'} no partner."
    if len(outcomes) == 1 and audits:
        return f"{headline(audits[0], outcomes[0].donors)}{alone}"
    n_again = sum(outcome.is_to_anonymize_again for outcome in outcomes)
    n_by_rule = sum(audit.verdict is Verdict.FAIL for audit in audits)
    exposures = [audit.exposure_verdict for audit in audits]
    return (
        f"{len(audits):,} of {len(outcomes):,} pairs verified: {n_again:,} must be anonymized again, "
        f"{n_by_rule:,} by the published rule; exposure is FAIL in {exposures.count(Verdict.FAIL):,} and "
        f"WARN in {exposures.count(Verdict.WARN):,}.{alone}"
    )
