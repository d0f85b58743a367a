"""What a file tells of its donors, as findings and as plain data."""

from core.vcf.donor.judging import DonorAudit
from core.vcf.donor.kinship import DEGREES
from core.vcf.donor.membership import NEVER
from core.vcf.donor.remaining import COMMON
from core.verdict import Finding

SHOWN_PAIRS = 1_000


def donor_findings(audit: DonorAudit) -> tuple[Finding, ...]:
    """Return what was found, each with its first samples and, unless it is a fact, what to do."""
    return tuple(exposure.finding for exposure in audit.exposure)


def donor_document(audit: DonorAudit) -> dict[str, object]:
    """Return everything as the command line writes it in JSON; samples by their column, from 1."""
    remaining, kinship = audit.measurement.remaining, audit.measurement.kinship
    document: dict[str, object] = {
        "verdict": audit.verdict.value,
        "common_from": COMMON,
        "n_samples": remaining.n_samples,
        "n_named_alleles": remaining.n_named,
        "n_common_alleles": remaining.n_common,
        "n_rare_alleles": audit.rare.n,
        "n_alleles_without_frequency": remaining.n_unknown,
        "n_independent_variants": remaining.n_independent,
        "match_exponent": round(remaining.match_exponent, 3),
        "carriers": [{"k": k, "n_rare_alleles": n} for k, n in audit.rare.carriers],
        "singletons": audit.rare.singletons.tolist(),
        "questions": [None if asked == NEVER else asked for asked in remaining.queries.tolist()],
        "findings": [finding.document() for finding in donor_findings(audit)],
    }
    if kinship is not None:
        panel: dict[str, object] = {
            "name": kinship.panel_name,
            "n_samples": kinship.n_panel_samples,
            "n_shared_variants": kinship.n_sites,
            "least_kinship": round(kinship.least_kinship, 4) if kinship.n_windows else None,
            "degrees": {degree: kinship.n_related(degree) for degree, _ in DEGREES},
            "n_related_pairs": len(kinship.relatives),
            "pairs": [one._asdict() for one in kinship.relatives[:SHOWN_PAIRS]],
        }
        membership = audit.measurement.membership
        if membership is not None:
            asked = membership.questions.tolist()
            panel["n_shown_to_be_in_the_file"] = len(asked) - asked.count(NEVER)
            panel["n_shown_not_to_be"] = membership.n_excluded
            panel["questions"] = [None if one == NEVER else one for one in asked]
        document["panel"] = panel
    return document
