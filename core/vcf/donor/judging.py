"""Judge what a file tells of its donors."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.vcf.donor.kinship import DEGREES, KinshipMeasurement
from core.vcf.donor.measuring import DonorMeasurement
from core.vcf.donor.remaining import IDENTIFYING, NEVER, Rare, Remaining
from core.vcf.exposure import Exposure, SamplePlaces, found
from core.vcf.settings import VcfSettings
from core.verdict import Verdict, worst
from core.words import Written, joined, number, own, text


@dataclass(frozen=True, kw_only=True, eq=False)
class DonorAudit:
    """A donor measurement with what follows from it; facts without a verdict of their own are PASS."""

    measurement: DonorMeasurement
    settings: VcfSettings
    rare: Rare
    exposure: tuple[Exposure, ...]

    @property
    def verdict(self) -> Verdict:
        """Return the worst of the findings."""
        return worst([Verdict.PASS, *(exposure.verdict for exposure in self.exposure)])


def judge_donors(measurement: DonorMeasurement, settings: VcfSettings) -> DonorAudit:
    """Say what the figures mean, each in a sentence, the worst first.

    Parameters
    ----------
    settings
        Its threshold says what is rare, its severities how bad a finding is.
    """
    rare = measurement.remaining.rare(settings.maf_threshold)
    remaining, kinship, severities = measurement.remaining, measurement.kinship, settings.severities
    exposure = [
        *_common(remaining, severities),
        *_rare(rare, settings, remaining.n_samples),
        *_members(remaining, severities),
    ]
    if kinship is not None:
        exposure += [*_related(kinship, severities), *_compared(kinship, severities)]
    ordered = sorted(exposure, key=lambda one: -one.verdict.severity)
    return DonorAudit(measurement=measurement, settings=settings, rare=rare, exposure=tuple(ordered))


def _common(remaining: Remaining, severities: Mapping[str, Verdict]) -> list[Exposure]:
    if not remaining.n_samples:
        meaning = (
            "30 to 80 independent ones identify a person; this file has no samples, so they do not tell "
            "whose they are."
        )
    elif not remaining.n_independent:
        meaning = "30 to 80 independent ones identify a person."
    elif remaining.n_independent >= IDENTIFYING[0]:
        meaning = (
            "30 to 80 independent ones identify a person: whoever has a donor's genotypes finds the donor "
            "here; an unrelated person matches with probability {chance}."
        )
    else:
        meaning = (
            "30 to 80 independent ones identify a person; at these an unrelated person matches with "
            "probability {chance}."
        )
    return found(
        "common_remaining",
        remaining.n_common,
        remaining.n_named,
        (),
        severities,
        n_independent=remaining.n_independent,
        meaning=text(meaning, chance=_power(remaining.match_exponent)),
    )


def _power(exponent: float) -> Written:
    return Written(f"10^-{exponent:.0f}" if exponent >= 3 else f"{10**-exponent:.2g}")


def _rare(rare: Rare, settings: VcfSettings, n_samples: int) -> list[Exposure]:
    alone = np.flatnonzero(rare.singletons)
    return found(
        "rare_of_one_donor",
        rare.n_singletons,
        rare.n,
        SamplePlaces((alone + 1).tolist()),
        settings.severities,
        threshold=Written(f"{settings.maf_threshold:g}"),
        n_donors=len(alone),
        n_samples=n_samples,
    )


def _members(remaining: Remaining, severities: Mapping[str, Verdict]) -> list[Exposure]:
    """State how few yes-or-no questions about alleles show that a person is in the file."""
    recognizable = np.flatnonzero(remaining.queries != NEVER)
    if not len(recognizable):
        return []
    asked = remaining.queries[recognizable]
    return found(
        "membership",
        len(recognizable),
        remaining.n_samples,
        SamplePlaces((recognizable + 1).tolist()),
        severities,
        fewest=int(asked.min()),
        median=int(np.median(asked)),
    )


def _compared(kinship: KinshipMeasurement, severities: Mapping[str, Verdict]) -> list[Exposure]:
    """State what was compared, or that it was too little."""
    is_too_little = kinship.least_kinship >= DEGREES[0][1]
    return found(
        "panel_not_comparable" if is_too_little else "panel_compared",
        1,
        kinship.n_samples,
        (),
        severities,
        panel=kinship.panel_name,
        n_sites=kinship.n_sites,
        n_windows=kinship.n_windows,
        n_panel=kinship.n_panel_samples,
        n_pairs=kinship.n_pairs,
        least=Written(f"{max(kinship.least_kinship, DEGREES[-1][1]):.2g}"),
    )


def _related(kinship: KinshipMeasurement, severities: Mapping[str, Verdict]) -> list[Exposure]:
    same, *further = (degree for degree, _ in DEGREES)
    counts = {degree: n for degree in further if (n := kinship.n_related(degree))}
    return [
        *_pairs("donor_in_panel", kinship, severities, {same: kinship.n_related(same)}),
        *_pairs("relative_in_panel", kinship, severities, counts),
    ]


def _pairs(
    check: str, kinship: KinshipMeasurement, severities: Mapping[str, Verdict], counts: Mapping[str, int]
) -> list[Exposure]:
    relatives = [one for one in kinship.relatives if one.degree in counts]
    pairs = [
        text(
            "sample {sample} and the panel's sample {other} ({kinship})",
            sample=str(one.sample),
            other=str(one.panel_sample),
            kinship=number(one.kinship),
        )
        for one in relatives[:3]
    ]
    degrees = [text("{found} of the {degree}", found=n, degree=own(degree)) for degree, n in counts.items()]
    return found(
        check,
        sum(counts.values()),
        kinship.n_samples,
        SamplePlaces(sorted({one.sample for one in relatives})),
        severities,
        panel=kinship.panel_name,
        pairs=joined(pairs, ", "),
        degrees=joined(degrees, ", "),
    )
