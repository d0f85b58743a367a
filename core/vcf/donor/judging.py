"""Judge what a file tells of its donors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from core.vcf.donor.kinship import DEGREES, KinshipMeasurement
from core.vcf.donor.measuring import DonorMeasurement
from core.vcf.donor.remaining import IDENTIFYING, NEVER, Remaining
from core.verdict import Finding, Verdict, worst


class DonorCheck(NamedTuple):
    """One check of the donors: its name, what it leads to, and what can be done."""

    label: str
    default: Verdict
    remedy: str


DONOR_CHECKS: Mapping[str, DonorCheck] = MappingProxyType(
    {
        "donor_in_panel": DonorCheck(
            "Same donor in the panel",
            Verdict.FAIL,
            "Do not release this file where the panel can be had, or leave the donor out of it; masking rare "
            "variants does not help.",
        ),
        "relative_in_panel": DonorCheck(
            "Relative in the panel",
            Verdict.WARN,
            "Ask whether the relative's consent covers the release; only leaving common genotypes out would "
            "hide the kinship.",
        ),
        "panel_not_comparable": DonorCheck(
            "Panel too little alike to compare",
            Verdict.NOT_ASSESSED,
            "Give a panel with genotypes of the same reference build, and with more of this file's variants.",
        ),
        "rare_of_one_donor": DonorCheck(
            "Rare alleles of one donor",
            Verdict.WARN,
            "Mask the records that still name them, with a higher threshold.",
        ),
    }
)


@dataclass(frozen=True, kw_only=True, eq=False)
class DonorAudit:
    """A donor measurement with what follows from it; facts without a verdict of their own are PASS."""

    measurement: DonorMeasurement
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """Return the worst of the findings."""
        return worst([Verdict.PASS, *(finding.verdict for finding in self.findings)])


def judge_donors(measurement: DonorMeasurement) -> DonorAudit:
    """Say what the figures mean, each in a sentence."""
    remaining, kinship = measurement.remaining, measurement.kinship
    findings = [_common(remaining), *_rare(measurement), *_members(remaining)]
    if kinship is not None:
        findings += [*_related(kinship), _compared(kinship)]
    return DonorAudit(measurement=measurement, findings=tuple(findings))


def _common(remaining: Remaining) -> Finding:
    low, high = IDENTIFYING
    counted = (
        f"{remaining.n_common:,} of {remaining.n_named:,} ALT alleles that the file names are common "
        f"(5 % to 95 %), and {remaining.n_independent:,} windows of a million bases hold a common variant of "
        f"one base. {low} to {high} independent ones identify a person"
    )
    by_chance = f"an unrelated person matches with probability 10^-{remaining.match_exponent:.0f}."
    if not remaining.n_samples:
        meaning = "; this file has no samples, so they do not tell whose they are."
    elif remaining.n_independent >= low:
        meaning = f": whoever has a donor's genotypes finds the donor here; {by_chance}"
    else:
        meaning = f"; at these {by_chance}"
    return Finding(
        check="common_remaining",
        verdict=Verdict.PASS,
        message=counted + meaning,
        n_affected=remaining.n_common,
    )


def _rare(measurement: DonorMeasurement) -> list[Finding]:
    remaining = measurement.remaining
    if not remaining.n_singletons:
        return []
    n_donors = int(np.count_nonzero(remaining.singletons))
    message = (
        f"{remaining.n_singletons:,} of {remaining.n_rare:,} alleles rarer than "
        f"{measurement.maf_threshold:g} that the file still names are carried by one sample alone; "
        f"{n_donors:,} of {remaining.n_samples:,} samples have one or more, at most "
        f"{int(remaining.singletons.max()):,}."
    )
    return [_finding("rare_of_one_donor", message, remaining.n_singletons)]


def _members(remaining: Remaining) -> list[Finding]:
    """State how few yes-or-no questions about alleles show that a person is in the file."""
    known = remaining.queries[remaining.queries != NEVER]
    if not len(known):
        return []
    message = (
        "Whoever has a donor's genome, and may only ask which alleles the file holds, can tell of "
        f"{len(known):,} of {remaining.n_samples:,} donors that they are in it, with 5 % false alarms. The "
        f"fewest questions are {int(known.min()):,}, the median is {int(np.median(known)):,}."
    )
    return [Finding(check="membership", verdict=Verdict.PASS, message=message, n_affected=len(known))]


def _compared(kinship: KinshipMeasurement) -> Finding:
    """State what was compared, or that it was too little."""
    shared = (
        f"The file and {kinship.panel_name} share {kinship.n_sites:,} common variants in "
        f"{kinship.n_windows:,} windows of 100,000 bases"
    )
    if kinship.least_kinship >= DEGREES[0][1]:
        return _finding(
            "panel_not_comparable",
            f"{shared}, and have {kinship.n_samples:,} and {kinship.n_panel_samples:,} samples: too little "
            "to tell whether a donor or a relative is in both.",
            None,
        )
    least = max(kinship.least_kinship, DEGREES[-1][1])
    message = (
        f"{shared}; in {kinship.n_pairs:,} pairs of samples, kinship from {least:.2g} on is told from chance."
    )
    return Finding(check="panel_compared", verdict=Verdict.PASS, message=message)


def _related(kinship: KinshipMeasurement) -> list[Finding]:
    same, *further = (degree for degree, _ in DEGREES)
    findings = []
    if n_same := kinship.n_related(same):
        message = (
            f"{n_same:,} of {kinship.n_samples:,} samples of the file are also in {kinship.panel_name}, "
            f"whatever they are called there: kinship above {DEGREES[0][1]} (identical twins look the same). "
            f"First: {_pairs(kinship, same)}."
        )
        findings.append(_finding("donor_in_panel", message, n_same))
    counts = {degree: n for degree in further if (n := kinship.n_related(degree))}
    if counts:
        degrees = ", ".join(f"{n:,} of the {degree}" for degree, n in counts.items())
        message = (
            f"{sum(counts.values()):,} of {kinship.n_samples:,} samples of the file have a relative in "
            f"{kinship.panel_name} ({degrees}). First: {_pairs(kinship, *further)}."
        )
        findings.append(_finding("relative_in_panel", message, sum(counts.values())))
    return findings


def _pairs(kinship: KinshipMeasurement, *degrees: str) -> str:
    found = [one for one in kinship.relatives if one.degree in degrees][:5]
    return ", ".join(
        f"sample {one.sample} and the panel's sample {one.panel_sample} ({one.kinship:.3f})" for one in found
    )


def _finding(check: str, message: str, n_affected: int | None) -> Finding:
    known = DONOR_CHECKS[check]
    return Finding(
        check=check, verdict=known.default, message=f"{message} {known.remedy}", n_affected=n_affected
    )
