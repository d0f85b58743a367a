"""Figures of the tabular verifier: the published rule, the classes and the second opinion."""

from __future__ import annotations

from core.reports import Figure
from core.tabular import TabularAudit
from core.tabular.second_opinion import second_opinion_figures
from core.tabular.words import percent
from core.verdict import Verdict


def rule_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published figures with their thresholds and what each makes of the file."""
    measured, limits = audit.measurement, audit.thresholds
    missed = {finding.check for finding in audit.findings}

    def figure(key: str, value: float, threshold: str) -> Figure:
        verdict = Verdict.FAIL if key in missed else Verdict.PASS
        return Figure(measure=key, value=value, threshold=threshold, verdict=verdict)

    return (
        figure(
            "policy_consistency",
            measured.policy_consistency,
            f"at least {percent(limits.policy_consistency_share)}",
        ),
        figure(
            "pattern_residual", measured.pattern_residual, f"at most {percent(limits.pattern_residual_share)}"
        ),
        figure(
            "high_risk_handling",
            measured.high_risk_handling,
            f"at least {percent(limits.high_risk_handling_share)}",
        ),
        Figure(measure="pass_share", value=measured.pass_share),
        Figure(
            measure="warn_share",
            value=measured.warn_share,
            threshold=f"below {percent(limits.warn_share)}",
            verdict=Verdict.WARN if audit.recommended_review else Verdict.PASS,
        ),
        Figure(
            measure="fail_share",
            value=measured.fail_share,
            threshold="none",
            verdict=Verdict.FAIL if audit.mandatory_review else Verdict.PASS,
        ),
    )


def class_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published class figures; None, never 0, where nothing names a quasi-identifier."""
    classes = audit.classes
    of = "" if classes is None else ", ".join(classes.quasi_identifiers)
    return (
        Figure(measure="k", value=None if classes is None else classes.k, of=of),
        Figure(measure="share_k_lt_2", value=None if classes is None else classes.share_below(2), of=of),
        Figure(measure="share_k_lt_5", value=None if classes is None else classes.share_below(5), of=of),
    )


def opinion_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the second opinion's figures; none where it was not asked for."""
    if audit.opinion_measurement is None or audit.second_opinion is None:
        return ()
    return second_opinion_figures(audit.opinion_measurement, audit.second_opinion)


def class_and_opinion_figures(audit: TabularAudit) -> list[Figure]:
    """Return class and opinion figures; the smallest class once, with its threshold where there is one."""
    opinion = opinion_figures(audit)
    judged = {figure.measure for figure in opinion}
    return [*(figure for figure in class_figures(audit) if figure.measure not in judged), *opinion]
