"""Figures, findings and tables of what a file tells of its donors."""

from __future__ import annotations

import pandas as pd

from core.reports import Figure
from core.vcf.donor import DEGREES, IDENTIFYING, DonorAudit
from core.vcf.donor.document import SHOWN_PAIRS
from core.vcf.donor.membership import NEVER
from core.verdict import Verdict

DONOR_MEASURE_KEYS = (
    "n_common_alleles",
    "n_independent_variants",
    "match_exponent",
    "n_singleton_alleles",
    "fewest_questions",
    "kinship",
)
DONOR_LIMITS = (
    (
        "Donors: variants a million bases apart are taken as independent, genotypes as in Hardy-Weinberg "
        "proportions; relatives match far more often than by chance. Frequencies are the file's own, perhaps "
        "of another population."
    ),
    (
        "Kinship sees the people of the panel given, and nobody else; parents and full siblings look alike, "
        "twins are one person, and people of mixed or very different ancestry may look further apart or "
        "closer. Variants match by contig, position and bases, so that another reference build shares few. "
        "Repeats, insertions and sex chromosomes are not compared."
    ),
    (
        "Questions about membership count alleles that the file still names, as if each were asked alone and "
        "nothing else were known; linked alleles say less, a genealogy more."
    ),
)


def donor_figures(audit: DonorAudit, *, of: str = "") -> tuple[Figure, ...]:
    """Return the figures of one file; those that need samples or a panel only with them."""
    remaining, kinship = audit.measurement.remaining, audit.measurement.kinship
    found = [
        Figure(measure="n_common_alleles", value=remaining.n_common, threshold=_of(remaining.n_named), of=of),
        Figure(
            measure="n_independent_variants",
            value=remaining.n_independent,
            threshold=f"{IDENTIFYING[0]} to {IDENTIFYING[1]} identify",
            of=of,
        ),
    ]
    if remaining.n_samples:
        asked = remaining.queries[remaining.queries != NEVER]
        found += [
            Figure(measure="match_exponent", value=round(remaining.match_exponent), of=of),
            Figure(
                measure="n_singleton_alleles",
                value=audit.rare.n_singletons,
                threshold=_of(audit.rare.n),
                of=of,
            ),
            Figure(
                measure="fewest_questions",
                value=int(asked.min()) if len(asked) else None,
                threshold=f"{len(asked):,} of {remaining.n_samples:,} samples",
                of=of,
            ),
        ]
    if kinship is not None:
        closest = kinship.relatives[0].kinship if kinship.relatives else None
        found.append(
            Figure(
                measure="kinship",
                value=closest,
                threshold=f"{kinship.n_sites:,} variants",
                verdict=_kinship_verdict(audit),
                of=of,
            )
        )
    return tuple(found)


def _of(n: int) -> str:
    return f"of {n:,}"


def _kinship_verdict(audit: DonorAudit) -> Verdict:
    checks = ("donor_in_panel", "relative_in_panel", "panel_not_comparable")
    found = [one.verdict for one in audit.exposure if one.check in checks]
    return max(found, key=lambda verdict: verdict.severity, default=Verdict.PASS)


def donor_headline(audit: DonorAudit) -> str:
    """Return the sentence that explains the donors' verdict."""
    remaining, kinship = audit.measurement.remaining, audit.measurement.kinship
    if any(one.check == "donor_in_panel" for one in audit.exposure) and kinship is not None:
        return f"{kinship.n_related(DEGREES[0][0]):,} of {kinship.n_samples:,} donors are in the panel too."
    if kinship is not None and kinship.relatives:
        return f"Relatives of the donors are in {kinship.panel_name}."
    if not remaining.n_samples:
        return "The file has no samples, so its variants do not tell whose they are."
    if audit.rare.n_singletons:
        return (
            f"Rare alleles that the file names and that one donor alone carries: {audit.rare.n_singletons:,}."
        )
    return f"{remaining.n_common:,} common variants remain, {remaining.n_independent:,} of them independent."


def carriers_table(audit: DonorAudit) -> pd.DataFrame:
    """Return a row per number of carriers: how many of the rare alleles that remain so many samples carry."""
    return pd.DataFrame(audit.rare.carriers, columns=["Samples that carry it (k)", "Rare alleles"])


def samples_table(audit: DonorAudit) -> pd.DataFrame:
    """Return a row per sample, by its column: rare alleles of its own, questions that show membership."""
    remaining = audit.measurement.remaining
    return pd.DataFrame(
        {
            "Sample": range(1, remaining.n_samples + 1),
            "Rare alleles it alone carries": audit.rare.singletons,
            "Questions that show it is in the file": pd.array(
                [None if asked == NEVER else asked for asked in remaining.queries.tolist()], dtype="Int64"
            ),
        }
    )


def members_table(audit: DonorAudit) -> pd.DataFrame:
    """Return a row per person of the panel who is shown to be in the file, by how many questions."""
    membership = audit.measurement.membership
    asked = membership.questions.tolist() if membership else []
    rows = [(column, one) for column, one in enumerate(asked, 1) if one != NEVER]
    return pd.DataFrame(rows, columns=["Panel's sample", "Questions that show it is in the file"])


def relatives_table(audit: DonorAudit) -> pd.DataFrame:
    """Return a row per related pair of a sample of the file and one of the panel, the closest first."""
    kinship = audit.measurement.kinship
    return pd.DataFrame(
        [one._asdict() for one in (kinship.relatives if kinship else ())[:SHOWN_PAIRS]],
        columns=["sample", "panel_sample", "kinship", "degree", "n_sites"],
    ).set_axis(["Sample", "Panel's sample", "Kinship", "Relation", "Variants compared"], axis=1)
