"""How the rule measures, and the limits of the published decision."""

from __future__ import annotations

from dataclasses import dataclass, fields

from core.errors import AuditInputError
from core.patterns import CATALOGUE, RULE_PATTERNS
from core.tabular.log import Mode


@dataclass(frozen=True, kw_only=True)
class TabularSettings:
    """How the rule measures; a change means measuring again.

    Attributes
    ----------
    patterns
        Keys of the sensitive patterns that count in the rule; the default is the published set.
        See :data:`core.patterns.CATALOGUE`.
    """

    patterns: tuple[str, ...] = tuple(pattern.key for pattern in RULE_PATTERNS)

    def __post_init__(self) -> None:
        unknown = [key for key in self.patterns if key not in CATALOGUE]
        if unknown:
            raise AuditInputError(
                f"patterns must be among {', '.join(CATALOGUE)}, not {', '.join(map(str, unknown))}."
            )


@dataclass(frozen=True, kw_only=True)
class TabularThresholds:
    """The limits a file is held against; all shares in [0, 1].

    Attributes
    ----------
    policy_consistency_share
        Policy consistency must be at least this.
    pattern_residual_share
        Cells with a sensitive pattern must be at most this share.
    high_risk_handling_share
        High-risk columns handled must be at least this share.
    warn_share
        Review is recommended from this share of WARN messages.
    """

    policy_consistency_share: float
    pattern_residual_share: float = 0.10
    high_risk_handling_share: float = 1.0
    warn_share: float

    def __post_init__(self) -> None:
        problems = [
            f"{field.name} must be between 0 and 1, not {getattr(self, field.name)}."
            for field in fields(self)
            if not 0 <= getattr(self, field.name) <= 1
        ]
        if problems:
            raise AuditInputError(*problems)

    @classmethod
    def for_mode(cls, mode: Mode) -> TabularThresholds:
        """Return the published limits of low or high mode."""
        if mode == "high":
            return cls(policy_consistency_share=0.80, warn_share=0.30)
        return cls(policy_consistency_share=0.60, warn_share=0.50)
