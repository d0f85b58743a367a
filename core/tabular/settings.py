"""How the rule measures, and the limits of the published decision."""

from __future__ import annotations

from dataclasses import dataclass

from core.patterns import CATALOGUE, RULE_PATTERNS
from core.settings_form import REQUIRED, check, setting
from core.tabular.log import Mode


@dataclass(frozen=True, kw_only=True)
class TabularSettings:
    """How the rule measures; a change means measuring again."""

    patterns: tuple[str, ...] = setting(
        tuple(pattern.key for pattern in RULE_PATTERNS),
        "Sensitive patterns that count in the rule",
        "The default ones are the published rule's. The second opinion always looks for all of them.",
        "--pattern",
        choices={key: pattern.label for key, pattern in CATALOGUE.items()},
        metavar="PATTERN",
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class TabularThresholds:
    """The limits a file is held against; all shares in [0, 1]."""

    policy_consistency_share: float = setting(
        REQUIRED,
        "Policy consistency at least",
        "Share of logged columns that are gone where the log says they should be; the published limit is "
        "0.6, in high mode 0.8.",
        "--policy-consistency",
        percent=True,
    )
    pattern_residual_share: float = setting(
        0.10,
        "Pattern residual at most",
        "Share of non-blank anonymized cells that hold a sensitive pattern.",
        "--pattern-residual",
        percent=True,
    )
    high_risk_handling_share: float = setting(
        1.0,
        "High-risk handling at least",
        "Share of high-risk columns in the log that have a protecting action.",
        "--high-risk-handling",
        percent=True,
    )
    warn_share: float = setting(
        REQUIRED,
        "Review recommended from a WARN share of",
        "Share of column checks that end in WARN; the published limit is 0.5, in high mode 0.3.",
        "--warn-share",
        percent=True,
    )

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def for_mode(cls, mode: Mode) -> TabularThresholds:
        """Return the published limits of low or high mode."""
        if mode == "high":
            return cls(policy_consistency_share=0.80, warn_share=0.30)
        return cls(policy_consistency_share=0.60, warn_share=0.50)
