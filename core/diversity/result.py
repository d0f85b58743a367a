"""What a (k, l) search says: the trade-off, lists of pairs, and what one pair releases and lets be known."""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

import numpy as np

from core.attribute_disclosure import distinct_l
from core.diversity import (
    Configuration,
    DiversityAudit,
    DiversitySettings,
    SearchProblem,
    SinglingOut,
    Stability,
    Verification,
    released_generalizations,
)
from core.diversity.charts import (
    STATUS_WORDS,
    class_sizes_drawing,
    evaluated,
    trade_off_drawing,
    values_drawing,
)
from core.diversity.judging import cause_of_failure
from core.diversity.minimized import known_as, ranges
from core.diversity.tool import TOOL
from core.releases.result import releases_groups, releases_limits
from core.result import Col, Figure, Group, Note, Part, Result, Table
from core.settings.form import report_lines, settings_document
from core.utility import average_class_size, discernibility
from core.verdict import Verdict
from core.words import Text, Written, joined, listed, own, part_of, percent, text

_RECOMMENDED_TITLE = "Recommended pair"
_FIRST = ("accuracy", "deletion_ratio", "k", "distinct_l")


def _of(part: str, name: str) -> Callable[[Configuration], object]:
    """Return what reads a figure of a part of a configuration, None where it has no such part."""
    return lambda configuration: getattr(getattr(configuration, part), name, None)


_PAIRS = (
    Col("k", "k"),
    Col("l", "ℓ"),
    Col("result", "Result", kind="words", get=lambda each: STATUS_WORDS[each.status]),
    Col("accuracy", "Accuracy", "share"),
    Col("accuracy_low", "Interval from", "share", get=_of("evaluation", "accuracy_low")),
    Col("accuracy_high", "Interval to", "share", get=_of("evaluation", "accuracy_high")),
    Col("balanced_accuracy", "Balanced", "share", get=_of("evaluation", "balanced_accuracy")),
    Col("baseline_accuracy", "Most frequent label", "share", get=_of("evaluation", "baseline_accuracy")),
    Col("untouched_accuracy", "Same records untouched", "share", get=_of("evaluation", "untouched_accuracy")),
    Col("n_holdout", "Held out", get=_of("evaluation", "n_holdout")),
    Col("deletion_ratio", "Removed", "share"),
    Col("n_kept", "Kept", get=_of("kept_set", "n_kept")),
    Col("ncp", "NCP", "share", get=_of("kept_set", "ncp")),
    Col("minimization_ncp", "NCP of minimization", "share", get=_of("evaluation", "minimization_ncp")),
    Col("min_k", "Smallest group", get=_of("verification", "k")),
    Col("distinct_l", "Distinct ℓ", get=_of("verification", "distinct_l")),
    Col("entropy_l", "Entropy ℓ", "number", get=_of("verification", "entropy_l")),
    Col("t", "t", "number", get=_of("verification", "t")),
    Col("alpha", "α", "share", get=_of("verification", "alpha")),
)
_BINS = (
    Col("attribute", "Sensitive attribute", get=attrgetter("name")),
    Col("values", "Different values", get=attrgetter("n_distinct")),
    Col("counted_as", "Counted as", get=attrgetter("n_values")),
    Col(
        "bins",
        "Bins",
        kind="words",
        get=lambda each: "as written" if each.edges is None else ranges(each.edges.tolist()),
    ),
)
_GENERALIZATIONS = (
    Col("column", "Quasi-identifier", get=attrgetter("feature")),
    Col("known_as", "May be known as", kind="words", get=known_as),
)
_CLASS_VALUES = (
    Col("attribute", "Sensitive attribute"),
    Col("values", "Different values"),
    Col("classes", "Groups"),
    Col("records", "Records"),
)
_RECOMMENDED = (Col("k", "k"), Col("l", "ℓ"), Col("reason", "Reason", kind="words"))
_SINGLING_OUT = (
    Col("column", "Column"),
    Col("values", "Different values", get=attrgetter("n_values")),
    Col("alone", "Records it singles out", "share", get=attrgetter("unique_share")),
    Col("together", "Together with those above", "share", get=attrgetter("unique_share_with_former")),
)


def diversity_result(audit: DiversityAudit, picked: Configuration | None) -> Result:
    """Return all that the search says, and of the pair that was picked what it releases."""
    problem = audit.search.problem
    settings, choice = problem.settings, problem.choice
    return Result(
        tool=TOOL.key,
        verdict=audit.overall,
        headline=_headline(audit),
        findings=audit.findings,
        first=_FIRST,
        groups=(
            Group(
                "trade_off",
                "The trade-off",
                tuple(_trade_off(audit, picked)),
                empty="No pair of k and ℓ has an accuracy to draw.",
            ),
            Group("pair", "Figures", tuple(_figures(audit, picked))),
            *_lists(audit),
            Group(
                "bins",
                "Counted values",
                (Table("bins", "How sensitive values are counted", _BINS, problem.sensitive),),
            ),
            *([] if picked is None else _released(problem, picked)),
            *releases_groups(None if audit.released is None else audit.released.releases),
            Group("untouched", "Figures", tuple(_untouched(problem)), where="report"),
            Group("recommended", _RECOMMENDED_TITLE, _recommended(audit), where="report", is_detail=True),
        ),
        settings={
            **report_lines(settings, choice, audit.thresholds),
            "Label of a merged cell": own(settings.majority),
            "Seed of the hold-out": settings.holdout_seed,
            "Seed of the minimization": settings.minimization_seed,
            "Model": own(_model(problem)),
        },
        asked=settings_document(settings, choice, audit.thresholds),
        limits=releases_limits(None if audit.released is None else audit.released.releases),
        seeds={
            "split_seed": choice.split_seed,
            "seed": choice.seed,
            "holdout_seed": settings.holdout_seed,
            "minimization_seed": settings.minimization_seed,
        },
    )


def _headline(audit: DiversityAudit) -> str:
    """Return the sentence that explains the overall verdict."""
    is_class = audit.search.problem.settings.task == "classification"
    if audit.verdict is Verdict.NOT_ASSESSED:
        return "k and ℓ can be met, but what that does to accuracy cannot be assessed."
    if audit.recommended is None:
        none = (
            "No pair of k and ℓ reaches the accuracy within your limits."
            if is_class
            else "No pair of k and ℓ reaches the R² within your limits."
        )
        cause = cause_of_failure(audit)
        return joined([none, cause]) if cause else none
    chosen = audit.search.configuration(audit.recommended.k, audit.recommended.l)
    stability = audit.search.repeated.get((chosen.k, chosen.l))
    start = text(
        "Start from k = {k}, ℓ = {l}: {removed} removed."
        if chosen.accuracy is None
        else "Start from k = {k}, ℓ = {l}: {accuracy} accurate, {removed} removed."
        if is_class
        else "Start from k = {k}, ℓ = {l}: {accuracy} R², {removed} removed.",
        k=chosen.k,
        l=chosen.l,
        accuracy=percent(chosen.accuracy or 0.0) if stability is None else _with_range(stability),
        removed=part_of(chosen.deletion_ratio, audit.search.problem.n_records, "records"),
    )
    if any(each.verdict is Verdict.FAIL for each in audit.findings):
        return joined([start, "But its release gives more away."])
    found = [finding for finding in audit.findings if finding.check == "untouched_columns"]
    if not found or not found[0].n_affected:
        return start
    but = text(
        "But columns released as they are single out {n} record.",
        "But columns released as they are single out {n} records.",
        n=found[0].n_affected,
    )
    return joined([start, but])


def _with_range(stability: Stability) -> Text:
    mean, low, high = (percent(each) for each in (stability.mean, stability.low, stability.high))
    return text("{mean} ({low} to {high})", mean=mean, low=low, high=high)


def what_predicts_what(settings: DiversitySettings, features: Sequence[str]) -> Text:
    """Return in one sentence what predicts the label, what others may know, and what nobody is to learn."""
    known, hidden = (
        listed(names, at_most=3) for names in (settings.quasi_identifiers, settings.sensitive_attributes)
    )
    if not settings.label:
        return text("Others may know {known}; nobody is to learn {hidden}.", known=known, hidden=hidden)
    return text(
        "{features} predicts `{label}`; others may know {known}; nobody is to learn {hidden}.",
        "{features} predict `{label}`; others may know {known}; nobody is to learn {hidden}.",
        n=len(features),
        features=listed(features, at_most=2),
        label=settings.label,
        known=known,
        hidden=hidden,
    )


def way_of_records(audit: DiversityAudit) -> tuple[Text, ...]:
    """Return what the model does untouched, and how many records go the way to the release."""
    problem = audit.search.problem
    untouched = text(
        "Untouched, the model has accuracy {accuracy}; the target is {target}."
        if problem.settings.task == "classification"
        else "Untouched, the model has R² {accuracy}; the target is {target}.",
        accuracy=percent(problem.base_accuracy),
        target=percent(problem.settings.target),
    )
    way = text(
        "{n} record → {records} to anonymize",
        "{n} records → {records} to anonymize",
        n=problem.data.n_records,
        records=problem.n_records,
    )
    told = () if problem.is_without_model else (untouched,)
    if audit.recommended is None:
        return *told, text("{way} → none released.", way=way)
    chosen = audit.search.configuration(audit.recommended.k, audit.recommended.l)
    kept = chosen.kept_set.n_kept if chosen.kept_set else 0
    return *told, text("{way} → {kept} released.", way=way, kept=kept)


def _trade_off(audit: DiversityAudit, picked: Configuration | None) -> Iterator[Part]:
    """Yield accuracy against removed records, and how to read it; nothing where no pair has an accuracy."""
    if evaluated(audit):
        yield trade_off_drawing(audit, picked)


def _figures(audit: DiversityAudit, picked: Configuration | None) -> Iterator[Figure]:
    """Yield the figures of the pair, judged where it is held against k, l or the target."""
    problem, stability = audit.search.problem, audit.stability
    accuracy = None if problem.is_without_model else problem.base_accuracy
    untouched = Figure("base_accuracy", accuracy, of=_model(problem))
    if picked is None:
        yield untouched
        return
    evaluation, target = picked.evaluation, problem.settings.target
    of = text("k = {k}, ℓ = {l}", k=picked.k, l=picked.l)
    if evaluation is not None:
        reached = _held(evaluation.accuracy >= target)
        yield Figure("accuracy", evaluation.accuracy, _at_least(percent(target)), reached, of)
        if stability is not None:
            held = _held(stability.mean >= target)
            yield Figure("splits_accuracy", stability.mean, _at_least(percent(target)), held, of)
            yield Figure("splits_accuracy_low", stability.low, of=of)
            yield Figure("splits_accuracy_high", stability.high, of=of)
        for key in ("baseline_accuracy", "balanced_accuracy", "untouched_accuracy", "anonymized_accuracy"):
            yield Figure(key, getattr(evaluation, key), of=of)
    yield untouched
    yield Figure("deletion_ratio", picked.deletion_ratio, of=of, total=problem.n_records)
    if picked.kept_set is not None:
        yield Figure("ncp", picked.kept_set.ncp, of=of)
    if evaluation is not None:
        yield Figure("minimization_ncp", evaluation.minimization_ncp, of=of)
    if picked.verification is not None:
        yield from _verified(problem, picked, picked.verification, of)


def _verified(
    problem: SearchProblem, picked: Configuration, verified: Verification, of: Text
) -> Iterator[Figure]:
    """Yield what was counted on the released bytes: k, then l as it was asked for, then the rest."""
    settings, classes, kept = problem.settings, verified.classes, picked.kept_set
    yield Figure("k", verified.k, _at_least(picked.k), _held((verified.k or 0) >= picked.k), of)
    diverse = _held(verified.holds(1, picked.l, settings))
    if settings.diversity == "recursive":
        bound, c = verified.recursive_c(picked.l), Written(f"{settings.recursive_c:g}")
        below = text("below {bound} at ℓ = {l}", bound=c, l=picked.l)
        yield Figure("recursive_c", bound if np.isfinite(bound) else None, below, diverse, of)
    chosen = f"{settings.diversity}_l"
    for key in sorted(("distinct_l", "entropy_l"), key=lambda key: key != chosen):
        least, judged = (_at_least(picked.l), diverse) if key == chosen else ("", None)
        yield Figure(key, getattr(verified, key), least, judged, of)
    yield Figure("t", verified.t, of=of)
    yield Figure("alpha", verified.alpha, of=of)
    yield Figure("average_class_size", average_class_size(classes), of=of)
    yield Figure("discernibility", None if kept is None else float(discernibility(kept.classes)), of=of)


def _untouched(problem: SearchProblem) -> Iterator[Figure]:
    """Yield how many records there are to anonymize, and what is right of them untouched."""
    yield Figure("n_records_to_anonymize", problem.n_records)
    yield Figure("base_balanced_accuracy", problem.base_balanced_accuracy)
    yield Figure("base_baseline_accuracy", problem.base_baseline)


def _recommended(audit: DiversityAudit) -> tuple[Part, ...]:
    """Return the pair that is recommended, why, and what was counted on its released bytes."""
    found = audit.recommended
    chosen = None if found is None else audit.search.configuration(found.k, found.l)
    verified = None if chosen is None else chosen.verification
    return (
        Figure("recommended_k", None if verified is None else verified.k),
        Figure("recommended_l", None if verified is None else verified.distinct_l),
        Table("recommended", _RECOMMENDED_TITLE, _RECOMMENDED, () if found is None else (found,)),
    )


def _held(holds: bool) -> Verdict:
    return Verdict.PASS if holds else Verdict.FAIL


def _at_least(least: Text | int) -> Text:
    return text("at least {least}", least=least)


def _lists(audit: DiversityAudit) -> Iterator[Group]:
    """Yield the lists of pairs: those offered, all, and those that nothing beats."""
    offered, every = audit.offered, audit.search.configurations
    note = "Pairs with deletion, at or above the target, verified, within the limits."
    yield Group(
        "offered",
        text("Result list ({found})", found=len(offered)),
        (Table("result_list", "Result list", _PAIRS, offered, note),),
    )
    yield Group(
        "every",
        text("All pairs ({found})", found=len(every)),
        (
            pairs_table(audit),
            Note("Pairs that remove nothing stand here and on the Pareto front, not in the result list."),
        ),
    )
    yield Group("pareto", "Pareto front", (Table("pareto", "Pareto front", _PAIRS, audit.pareto),))


def pairs_table(audit: DiversityAudit) -> Table:
    """Return all pairs, a row each: shares in [0, 1], None where not assessed."""
    return Table("configurations", "All configurations", _PAIRS, audit.search.configurations)


def _released(problem: SearchProblem, picked: Configuration) -> Iterator[Group]:
    """Yield what minimization leaves to be known with the pair, and the classes that it releases."""
    title = text(
        "What minimization leaves of the quasi-identifiers, k = {k}, ℓ = {l}", k=picked.k, l=picked.l
    )
    yield Group(
        "known",
        "What may be known",
        (
            Note("Minimization leaves the model this much, and the accuracy above is measured with it."),
            Table("generalizations", title, _GENERALIZATIONS, released_generalizations(problem, picked)),
        ),
    )
    yield Group(
        "classes",
        "Groups",
        tuple(_classes(problem, picked)),
        empty="Nothing is released with this pair, so there are no groups.",
    )


def _classes(problem: SearchProblem, picked: Configuration) -> Iterator[Part]:
    """Yield the classes by size and by the sensitive values in them; drawn where any is released."""
    verified = picked.verification
    title = "Sensitive values per group"
    rows = [] if verified is None else [*_class_values(problem, verified)]
    if verified is not None and rows:
        yield class_sizes_drawing(picked, verified.classes)
        yield values_drawing(title, [row for row in rows if row[0] == rows[0][0]])
    yield Table("class_diversity", title, _CLASS_VALUES, rows, where="report")


def _class_values(problem: SearchProblem, verified: Verification) -> Iterator[tuple[str, int, int, int]]:
    """Yield, per sensitive attribute and number of distinct values, the classes and their records."""
    sizes = verified.classes.class_sizes
    for attribute, n_of in zip(problem.sensitive, verified.counts, strict=True):
        distinct = distinct_l(n_of)
        for number in np.unique(distinct):
            of_number = distinct == number
            yield attribute.name, int(number), int(of_number.sum()), int(sizes[of_number].sum())


def singling_out_table(ranked: Sequence[SinglingOut]) -> Table:
    """Return a row per column: how many records it singles out alone and with those before it."""
    return Table("singling_out", "Share of records that each column singles out", _SINGLING_OUT, ranked)


def _model(problem: SearchProblem) -> str:
    """Return what the model is, in words."""
    if problem.is_without_model:
        return own("none: k and ℓ alone")
    if problem.inputs.model is None:
        return text("predictions in column {column}", column=problem.choice.predictions_column)
    return problem.inputs.model.description
