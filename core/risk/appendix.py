"""The appendix of a report of risk: all that was counted, attribute by attribute and model by model."""

from collections.abc import Iterator

from core.measures import MEASURES
from core.people.free_text.result import texts_group
from core.result import Col, Figure, Group, Part, Table
from core.risk.judging import RiskAudit
from core.risk.measuring import RiskMeasurement
from core.risk.population import PopulationUniques
from core.risk.suda import Suda
from core.risk.what_if import WhatIf
from core.words import own

DISTANCES = {"equal": own("equal"), "ordered": own("ordered"), "hierarchical": own("hierarchical")}
_CLASS_SIZES = (Col("class_size", "Group size"), Col("n_records", "Records"))
_ATTRIBUTE = (
    Col("distance", "Distance between values", kind="words"),
    Col("n_values", "Different values in the table"),
    Col("n_missing", "Records without a known value"),
    Col("n_values_meaning_the_same", "Values that mean the same as another"),
    Col("n_words_for_unknown", "Words for unknown"),
    Col("closeness_width", "Numbers closer than this are one"),
)
_MODELS = (
    Col("model", "Model"),
    Col("n_population_uniques", "People unique in the population"),
    Col("is_chosen", "Taken", kind="words"),
    Col("reason", "Why there is no answer", kind="words"),
)
_SETS = (Col("n_values", "Values in the set"), Col("n_sets", "Sets"))
_COSTS = (
    Col("k", "k asked for"),
    Col("discernibility", "Discernibility"),
    Col("average_class_size", "Average group size"),
    Col("average_risk", "Average risk", "risk"),
    Col("n_suppressed", "Records suppressed"),
)


def appendix_groups(audit: RiskAudit, suda: Suda | None, what_if: WhatIf | None) -> Iterator[Group]:
    """Yield the groups of the appendix."""
    measured = audit.measurement
    sizes = zip(*(each.tolist() for each in measured.classes.size_histogram), strict=True)
    by_size = Table("class_sizes", "Records by group size", _CLASS_SIZES, [*sizes])
    yield _further("counted", "Records", *_counted(audit), by_size)
    if measured.sensitive:
        yield _further("sensitive", "Sensitive attributes", _sensitive_table(measured))
    if measured.uniques is not None:
        yield _further("models", "People unique in the population", *_models(measured.uniques))
    if suda is not None:
        yield _further("scores", "Special uniques", *_scores(suda))
    if what_if is not None and what_if.options:
        options = [each.best for each in what_if.options if each.best is not None]
        costs = Table("what_if_costs", "What each option costs", _COSTS, options)
        yield _further("costs", "What if", costs)
    yield from texts_group(measured.texts, audit.read)


def _further(key: str, title: str, *parts: Part) -> Group:
    return Group(f"{key}_further", title, parts, where="report", is_detail=True)


def _counted(audit: RiskAudit) -> Iterator[Figure]:
    """Yield how many records there are, how many of them were left out, and how many are at risk."""
    entry = audit.measurement.entry
    yield Figure("n_records_in_table", entry.n_in_table)
    yield Figure("n_records_fully_suppressed", entry.n_fully_suppressed)
    yield Figure("n_records_dropped", entry.n_dropped)
    yield Figure("n_records_at_risk", audit.n_at_risk)


def _sensitive_table(measured: RiskMeasurement) -> Table:
    """Return a row for each sensitive attribute."""
    keys = [*dict.fromkeys(key for each in measured.sensitive for key in each.figures)]
    figures = (Col(key, MEASURES[key].label, MEASURES[key].unit) for key in keys)
    rows = [
        (
            each.column,
            *map(each.figures.get, keys),
            DISTANCES[each.distance],
            each.n_values,
            each.n_missing,
            each.folded.n_merged,
            each.folded.n_unknown,
            each.folded.width,
        )
        for each in measured.sensitive
    ]
    columns = (Col("column", "Column"), *figures, *_ATTRIBUTE)
    return Table("sensitive", "What groups give away about each sensitive attribute", columns, rows)


def _models(uniques: PopulationUniques) -> Iterator[Part]:
    """Yield how much of the population is in the table, and what each model says of it."""
    yield Figure("sampling_fraction", uniques.sampling_fraction)
    rows = [
        (
            each.model,
            each.n_population_uniques,
            own("yes") if each == uniques.chosen else own("no"),
            each.reason or None,
        )
        for each in (uniques.zayatz, uniques.pitman, uniques.snb)
    ]
    yield Table("population_models", "People unique in the population, by model", _MODELS, rows)


def _scores(suda: Suda) -> Iterator[Part]:
    """Yield the highest scores, and how many sets of values nobody shares there are."""
    dis = suda.dis_of_record
    yield Figure("n_special_uniques", len(suda.scored_records))
    yield Figure("suda_score", float(suda.score_of_record.max(initial=0.0)))
    yield Figure("dis_suda", None if dis is None else float(dis.max(initial=0.0)))
    sets = [*enumerate(suda.n_by_size.tolist(), start=1)]
    yield Table("unique_sets", "Smallest sets of values that nobody shares", _SETS, sets)
