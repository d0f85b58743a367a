"""What a person can set before verifying VCF files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import AuditInputError
from core.verdict import Verdict

MAF_LIMIT = 0.5  # a minor allele is at most as frequent as the other; the slider ends here
MOTIF_LIMIT = 12
REPEAT_LIMITS = (2, 100)


@dataclass(frozen=True, kw_only=True)
class VcfSettings:
    """Thresholds and patterns of the VCF verifier.

    Attributes
    ----------
    maf_threshold
        Sites whose minor allele frequency is below this are rare and must be masked; in (0, 0.5].
    min_motif, max_motif
        Shortest and longest motif, in bases, that counts as a short tandem repeat; 1 to 12.
    min_repeat
        Copies of the motif in a row from which an ALT allele is a short tandem repeat; 2 to 100.
    severities
        Exposure check to verdict, where the person judges a check otherwise than its default.
    """

    maf_threshold: float = 0.01
    min_motif: int = 1
    max_motif: int = 6
    min_repeat: int = 7
    severities: Mapping[str, Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = [*_maf_problems(self.maf_threshold), *self._pattern_problems()]
        if problems:
            raise AuditInputError(*problems)

    def _pattern_problems(self) -> list[str]:
        problems = []
        if not 1 <= self.min_motif <= self.max_motif <= MOTIF_LIMIT:
            problems.append(
                f"min_motif and max_motif must satisfy 1 ≤ min_motif ≤ max_motif ≤ {MOTIF_LIMIT}; "
                f"received {self.min_motif} and {self.max_motif}."
            )
        low, high = REPEAT_LIMITS
        if not low <= self.min_repeat <= high:
            problems.append(f"min_repeat must be between {low} and {high}; received {self.min_repeat}.")
        return problems


def _maf_problems(threshold: float) -> list[str]:
    if math.isfinite(threshold) and 0 < threshold <= MAF_LIMIT:
        return []
    return [f"maf_threshold must be above 0 and at most {MAF_LIMIT}; received {threshold}."]
