"""What a person can set before verifying VCF files."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.settings.form import check, said, setting
from core.verdict import Verdict
from core.words import own, text

MAF_LIMIT = 0.5  # a minor allele is at most as frequent as the other; the slider ends here


@dataclass(frozen=True, kw_only=True)
class VcfSettings:
    """Thresholds and patterns of the VCF verifier."""

    maf_threshold: float = setting(
        0.01,
        "A variant is rare below this minor allele frequency",
        "Sites of the original below the threshold must be masked.",
        "--maf",
        above=0,
        most=MAF_LIMIT,
    )
    min_motif: int = setting(
        1,
        "Shortest motif (bases)",
        "The unit that repeats in a short tandem repeat, such as AC in ACACAC.",
        "--min-motif",
        least=1,
        most=12,
    )
    max_motif: int = setting(
        6,
        "Longest motif (bases)",
        "Longer units do not make a short tandem repeat.",
        "--max-motif",
        least=1,
        most=12,
    )
    min_repeat: int = setting(
        7,
        "Copies in a row, at least",
        "From so many copies of the motif on, an ALT allele is a short tandem repeat.",
        "--min-repeat",
        least=2,
        most=100,
    )
    severities: Mapping[str, Verdict] = setting(
        {},
        "How bad is each kind of exposure?",
        "The verdict a check leads to when it finds something: FAIL, NOT_ASSESSED, WARN, or PASS, which "
        "lists the finding without counting it.",
        "--severity",
        metavar="CHECK=VERDICT",
        none="ours for each check",
        plain=lambda severities: {check: verdict.value for check, verdict in severities.items()},
    )

    def __post_init__(self) -> None:
        low, high = (own(said(type(self), name)) for name in ("min_motif", "max_motif"))
        crossed = text(
            "{low} must be at most {high}, received {first} and {second}.",
            low=low,
            high=high,
            first=self.min_motif,
            second=self.max_motif,
        )
        check(self, [crossed] if self.min_motif > self.max_motif else ())
