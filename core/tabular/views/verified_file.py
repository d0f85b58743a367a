"""A verified pair of files with what a report has to say about it."""

from __future__ import annotations

from dataclasses import dataclass

from core.reports import InputFacts
from core.tabular import TabularAudit


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedFile:
    """A pair of files as a report needs it: the result, what went in, and how long it took.

    Attributes
    ----------
    audit
        The result.
    inputs
        Original, anonymized table and log.
    seconds
        How long reading and verifying took.
    """

    audit: TabularAudit
    inputs: tuple[InputFacts, ...] = ()
    seconds: float = 0.0

    @property
    def settings(self) -> dict[str, object]:
        """Return what the file was held against, as reports state it."""
        return _settings_of(self.audit)


def _settings_of(audit: TabularAudit) -> dict[str, object]:
    limits = audit.thresholds
    return {
        "mode": audit.measurement.log.mode,
        "keeping diagnoses permitted": audit.measurement.log.allow_dx,
        "policy consistency at least": limits.policy_consistency_share,
        "pattern residual at most": limits.pattern_residual_share,
        "high-risk handling at least": limits.high_risk_handling_share,
        "review recommended from a WARN share of": limits.warn_share,
        "patterns": list(audit.measurement.settings.patterns),
        "quasi-identifiers": list(audit.classes.quasi_identifiers) if audit.classes else [],
        **_opinion_settings(audit),
    }


def _opinion_settings(audit: TabularAudit) -> dict[str, object]:
    if audit.second_opinion is None:
        return {}
    limits = vars(audit.second_opinion.thresholds)
    return {f"second opinion: {name.replace('_', ' ')}": value for name, value in limits.items()}
