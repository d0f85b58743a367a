"""Title, question, limits and headlines of the VCF verifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.measures import vcf as measures
from core.vcf import DonorAudit, PairOutcome, VcfAudit
from core.vcf.outcomes import RULE, findings_of
from core.verdict import Verdict, verdict_counts
from core.words import Text, joined, own, text

TITLE = "VCF verifier"
QUESTION = "Was the genome file really masked, and what in it would still give the donor away?"
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


def headline(audit: VcfAudit, donors: DonorAudit | None = None, *, steps: Sequence[str] = ()) -> Text:
    """Return what explains a file's overall verdict: the counts, and the gravest finding beside the rule.

    The finding is shorter where one of the `steps` said with it is its remedy.
    """
    told = findings_of(audit, donors, steps=steps)
    found = [one.message for one in told if one.verdict is not Verdict.PASS and one.check != RULE]
    return joined([text("{rule}.", rule=_rule_counts(audit)), *found[:1]])


def counts_sentence(audit: VcfAudit, donors: DonorAudit | None = None) -> Text:
    """Return what the rule counts and the verdicts beside it, in a sentence; findings say the rest."""
    rule = _rule_counts(audit)
    ours = own(audit.exposure_verdict.word)
    if donors is None:
        return text("{rule}; beside the rule, exposure is {exposure}.", rule=rule, exposure=ours)
    return text(
        "{rule}; beside the rule, exposure is {exposure}, and what tells of the donors is {donors}.",
        rule=rule,
        exposure=ours,
        donors=own(donors.verdict.word),
    )


def _rule_counts(audit: VcfAudit) -> Text:
    n_targets, n_left = audit.n_targets, audit.n_targets - audit.n_masked
    if n_left:
        return text(
            "{n} of {total} targets is not masked",
            "{n} of {total} targets are not masked",
            n=n_left,
            total=n_targets,
        )
    if n_targets:
        return text("Every target counts as masked ({n} of {total})", n=audit.n_masked, total=n_targets)
    return text("Nothing had to be masked")


def run_headline(outcomes: Sequence[PairOutcome], *, n_unmatched: int = 0) -> Text:
    """Return the sentence that explains the verdict of a run: one pair's, or how many pairs got which."""
    audits = [outcome.audit for outcome in outcomes if outcome.audit is not None]
    if len(outcomes) == 1 and audits:
        said = counts_sentence(audits[0], outcomes[0].donors)
    else:
        counts = Counter(outcome.overall for outcome in outcomes)
        found = {verdict: counts[verdict] for verdict in reversed(Verdict) if counts[verdict]}
        said = text(
            "{n} pair: {counts}.", "{n} pairs: {counts}.", n=len(outcomes), counts=verdict_counts(found)
        )
    if not n_unmatched:
        return said
    alone = text("{n} file has no partner.", "{n} files have no partner.", n=n_unmatched)
    return joined([said, alone])
