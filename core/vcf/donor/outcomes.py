"""What looking for the donors of one pair came to: an error ends this look, never the run."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import AuditInputError
from core.vcf.donor.judging import DonorAudit, judge_donors
from core.vcf.donor.measuring import measure_donors
from core.vcf.files import Progress, VcfFile
from core.vcf.judgment import VcfAudit
from core.vcf.outcomes import UNEXPECTED
from core.vcf.pairing import VcfPair
from core.vcf.settings import VcfSettings

UNREADABLE = (
    "looking for the donors ended in an error that was not foreseen ({kind}); they were not assessed."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class DonorOutcome:
    """The donors' audit of one pair, or the problems that ended it."""

    pair: VcfPair
    audit: DonorAudit | None
    problems: tuple[str, ...] = ()


def run_donors(
    pair: VcfPair,
    audit: VcfAudit,
    settings: VcfSettings,
    *,
    panel: VcfFile | None = None,
    progress: Progress | None = None,
) -> DonorOutcome:
    """Read the anonymized file of a verified pair, and the panel, for what they tell of the donors."""
    try:
        measured = measure_donors(
            pair.anonymized,
            original=audit.scan.candidates,
            panel=panel,
            progress=progress,
        )
    except AuditInputError as error:
        return DonorOutcome(pair=pair, audit=None, problems=error.problems)
    except UNEXPECTED as error:
        problem = f"{pair.anonymized.name}: {UNREADABLE.format(kind=type(error).__name__)}"
        return DonorOutcome(pair=pair, audit=None, problems=(problem,))
    return DonorOutcome(pair=pair, audit=judge_donors(measured, settings))
