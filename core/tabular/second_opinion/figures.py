"""The second opinion's figures, as reports show them."""

from __future__ import annotations

from collections.abc import Iterator

from core.reports import Figure
from core.tabular.second_opinion.opinion import SecondOpinion, SecondOpinionMeasurement
from core.tabular.words import percent
from core.verdict import Verdict


def second_opinion_figures(measured: SecondOpinionMeasurement, opinion: SecondOpinion) -> tuple[Figure, ...]:
    """Return every figure of the second opinion with its threshold; None stands for "not assessed".

    Parameters
    ----------
    measured, opinion
        As measured and judged; the thresholds are those of the opinion.
    """
    return (*_of_the_file(measured, opinion), *_of_columns(measured, opinion))


def _of_the_file(measured: SecondOpinionMeasurement, opinion: SecondOpinion) -> Iterator[Figure]:
    thresholds, relinkage = opinion.thresholds, measured.relinkage
    level = relinkage.level(thresholds.left_unchanged_share)
    n_matched = level.n_matched if level else 0
    yield Figure(
        measure="relinkage_share",
        value=n_matched / relinkage.n_records if relinkage.n_records else None,
        threshold=f"at most {percent(thresholds.relinkage_fail_share)}, "
        f"a warning above {percent(thresholds.relinkage_warn_share)}",
        verdict=_verdict(opinion, "relinkage"),
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
            threshold=f"at least {thresholds.smallest_k}",
            verdict=_verdict(opinion, "smallest_class"),
            of=", ".join(classes.quasi_identifiers),
        )
    else:
        yield Figure(measure="k", value=None, verdict=Verdict.NOT_ASSESSED)


def _of_columns(measured: SecondOpinionMeasurement, opinion: SecondOpinion) -> Iterator[Figure]:
    thresholds = opinion.thresholds
    for column in measured.columns:
        yield Figure(
            measure="unchanged_share",
            value=column.unchanged_share,
            threshold=f"left unchanged from {percent(thresholds.left_unchanged_share)}",
            of=column.anonymized,
        )
        yield Figure(
            measure="original_distinct_share",
            value=column.distinct_share,
            threshold=f"highly distinct from {percent(thresholds.highly_distinct_share)}",
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
        )
    for quality in measured.pseudonyms:
        yield Figure(
            measure="pseudonym_unchanged_share",
            value=quality.n_unchanged / quality.n_compared if quality.n_compared else None,
            threshold=f"at most {percent(thresholds.pseudonym_unchanged_share)}",
            of=quality.anonymized,
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
