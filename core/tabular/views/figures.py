"""Figures of the tabular verifier: the published rule, the classes and the second opinion."""

from collections.abc import Iterator

from core.reports import Figure
from core.tabular import TabularAudit
from core.tabular.second_opinion.opinion import SecondOpinion, SecondOpinionMeasurement
from core.verdict import Verdict
from core.words import percent, text


def figures_of_file(measured: SecondOpinionMeasurement, opinion: SecondOpinion) -> Iterator[Figure]:
    """Yield the second opinion's figures of the file with their thresholds; None for "not assessed"."""
    thresholds, relinkage = opinion.thresholds, measured.relinkage
    level = relinkage.level(thresholds.left_unchanged_share)
    n_matched = level.n_matched if level else 0
    yield Figure(
        measure="relinkage_share",
        value=n_matched / relinkage.n_records if relinkage.n_records else None,
        threshold=text(
            "at most {fail}, a warning above {warn}",
            fail=percent(thresholds.relinkage_fail_share),
            warn=percent(thresholds.relinkage_warn_share),
        ),
        verdict=_verdict(opinion, "relinkage"),
        total=relinkage.n_records,
    )
    if level is not None and level.smallest_set is not None:
        yield Figure(
            measure="n_relinkage_columns",
            value=len(level.smallest_set.columns),
            of=", ".join(level.smallest_set.columns),
        )
    n_left = sum(column.is_unchanged(thresholds) for column in measured.columns)
    yield Figure(measure="n_left_unchanged_columns", value=n_left)
    yield Figure(
        measure="n_unlogged_columns", value=len(measured.structure.unlogged_columns), threshold="none"
    )
    yield Figure(
        measure="n_filled_blanks", value=sum(measured.structure.filled_blanks.values()), threshold="none"
    )
    classes = measured.classes.chosen
    if classes is not None:
        yield Figure(
            measure="k",
            value=classes.k,
            threshold=text("at least {k}", k=thresholds.smallest_k),
            verdict=_verdict(opinion, "smallest_class"),
            of=", ".join(classes.quasi_identifiers),
        )
    else:
        yield Figure(measure="k", value=None, verdict=Verdict.NOT_ASSESSED)


def figures_of_columns(measured: SecondOpinionMeasurement, opinion: SecondOpinion) -> Iterator[Figure]:
    """Yield its figures of every column."""
    thresholds = opinion.thresholds
    for column in measured.columns:
        yield Figure(
            measure="unchanged_share",
            value=column.unchanged_share,
            total=column.n_compared,
            threshold=text("left unchanged from {share}", share=percent(thresholds.left_unchanged_share)),
            of=column.anonymized,
        )
        yield Figure(
            measure="original_distinct_share",
            value=column.distinct_share,
            threshold=text("highly distinct from {share}", share=percent(thresholds.highly_distinct_share)),
            of=column.original,
        )
    classes = measured.classes.chosen
    for contribution in classes.contributions if classes else ():
        yield Figure(
            measure="unique_without_share",
            value=contribution.n_unique_without / classes.n_assessed
            if classes and classes.n_assessed
            else None,
            of=contribution.column,
            total=classes.n_assessed if classes else None,
        )
    for quality in measured.pseudonyms:
        yield Figure(
            measure="pseudonym_unchanged_share",
            value=quality.n_unchanged / quality.n_compared if quality.n_compared else None,
            threshold=text("at most {share}", share=percent(thresholds.pseudonym_unchanged_share)),
            of=quality.anonymized,
            total=quality.n_compared,
        )
        yield Figure(
            measure="n_originals_with_several_pseudonyms",
            value=quality.n_originals_with_several,
            of=quality.anonymized,
        )
        yield Figure(
            measure="n_pseudonyms_for_several_originals",
            value=quality.n_pseudonyms_for_several,
            of=quality.anonymized,
        )


def _verdict(opinion: SecondOpinion, check: str) -> Verdict | None:
    return next((finding.verdict for finding in opinion.findings if finding.check == check), None)


def rule_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published figures with their thresholds and what each makes of the file."""
    measured, limits = audit.measurement, audit.thresholds
    missed = {finding.check for finding in audit.findings}

    def figure(key: str, value: float, threshold: str, total: int | None = None) -> Figure:
        verdict = Verdict.FAIL if key in missed else Verdict.PASS
        return Figure(measure=key, value=value, threshold=threshold, verdict=verdict, total=total)

    return (
        figure(
            "policy_consistency",
            measured.policy_consistency,
            text("at least {share}", share=percent(limits.policy_consistency_share)),
        ),
        figure(
            "pattern_residual",
            measured.pattern_residual,
            text("at most {share}", share=percent(limits.pattern_residual_share)),
            measured.n_filled,
        ),
        figure(
            "high_risk_handling",
            measured.high_risk_handling,
            text("at least {share}", share=percent(limits.high_risk_handling_share)),
        ),
        Figure(measure="pass_share", value=measured.pass_share),
        Figure(
            measure="warn_share",
            value=measured.warn_share,
            threshold=text("below {share}", share=percent(limits.warn_share)),
            verdict=_of_warnings(audit),
        ),
        Figure(
            measure="fail_share",
            value=measured.fail_share,
            threshold="none",
            verdict=Verdict.FAIL if audit.mandatory_review else Verdict.PASS,
        ),
    )


def _of_warnings(audit: TabularAudit) -> Verdict:
    if audit.recommended_review:
        return Verdict.WARN
    is_unknown = audit.measurement.possible_warn_share >= audit.thresholds.warn_share
    return Verdict.NOT_ASSESSED if is_unknown else Verdict.PASS


def class_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the published class figures; None, never 0, where nothing names a quasi-identifier."""
    classes = audit.classes
    of = "" if classes is None else ", ".join(classes.quasi_identifiers)
    return (
        Figure(measure="k", value=None if classes is None else classes.k, of=of),
        *(
            Figure(
                measure=f"share_k_lt_{k}",
                value=None if classes is None else classes.share_below(k),
                of=of,
                total=None if classes is None else classes.n_records,
            )
            for k in (2, 5)
        ),
    )


def opinion_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the second opinion's figures of the file; none where it was not asked for."""
    if audit.opinion_measurement is None or audit.second_opinion is None:
        return ()
    return tuple(figures_of_file(audit.opinion_measurement, audit.second_opinion))


def column_figures(audit: TabularAudit) -> tuple[Figure, ...]:
    """Return the second opinion's figures of every column."""
    if audit.opinion_measurement is None or audit.second_opinion is None:
        return ()
    return tuple(figures_of_columns(audit.opinion_measurement, audit.second_opinion))


def class_and_opinion_figures(audit: TabularAudit) -> list[Figure]:
    """Return class and opinion figures; the smallest class once, with its threshold where there is one."""
    opinion = opinion_figures(audit)
    judged = {figure.measure for figure in opinion}
    return [*(figure for figure in class_figures(audit) if figure.measure not in judged), *opinion]
