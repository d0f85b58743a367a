"""Holding a measurement against thresholds; cheap enough for a slider."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from core.attribute_disclosure import LIMITS, Limit
from core.people.free_text import Reading, check_reading
from core.releases import ReleasesAudit, judge_releases
from core.risk.exposure import exposure_findings
from core.risk.measuring import RiskMeasurement, measure_risk, suggested_settings
from core.risk.sensitive import SensitiveMeasurement
from core.risk.settings import Hierarchy, RiskSettings, RiskThresholds
from core.tables import Dataset
from core.verdict import Finding, Verdict, not_answered, worst, worst_first
from core.words import Text, Value, counted, listed, number, own, percent, share_of, text


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskAudit:
    """A measurement held against thresholds."""

    measurement: RiskMeasurement  # what was held against what
    thresholds: RiskThresholds
    findings: tuple[Finding, ...]  # one for each threshold; their worst is the verdict
    # what the thresholds do not cover: identifiers in the table, columns nobody chose, records left out
    exposure: tuple[Finding, ...]
    read: Mapping[str, Reading] = field(default_factory=dict)  # cells of texts that a person has read
    releases: ReleasesAudit | None = None  # what earlier releases tell beside it; its findings are exposure

    @property
    def verdict(self) -> Verdict:
        """Return the worst of the thresholds' verdicts."""
        return worst(finding.verdict for finding in self.findings)

    @property
    def exposure_verdict(self) -> Verdict:
        """Return the worst of what the thresholds do not cover."""
        return worst([Verdict.PASS, *(finding.verdict for finding in self.exposure)])

    @property
    def overall(self) -> Verdict:
        """Return the worse of both verdicts."""
        return worst([self.verdict, self.exposure_verdict])

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Return all findings, the worst first."""
        return worst_first((*self.findings, *self.exposure))

    @cached_property
    def n_at_risk(self) -> int:
        """Return the records in classes smaller than k."""
        return self.measurement.classes.n_records_below(self.thresholds.k)

    @cached_property
    def figures(self) -> Mapping[str, float | None]:
        """Return every figure of the classes by its measure's key; None where nothing is assessed."""
        measured = self.measurement
        classes = measured.classes
        found: dict[str, float | None] = {
            "k": classes.k,
            "n_records": classes.n_records,
            "n_classes": classes.n_classes,
            "average_class_size": _mean_class_size(measured),
            **{f"share_k_lt_{k}": classes.share_below(k) for k in _SHARES_BELOW},
            "sample_unique_share": classes.share_below(2),
            "prosecutor_highest_risk": measured.highest_risk,
            "prosecutor_average_risk": measured.average_risk,
            "records_at_risk_share": classes.share_below(self.thresholds.k),
        }
        if measured.persons is not None:
            n_persons = measured.persons.n_persons
            below = measured.persons.n_below(self.thresholds.k)
            found["n_persons"] = n_persons
            found["persons_at_risk_share"] = below / n_persons if n_persons else None
        return {**found, **_people_figures(measured, self.thresholds.k), **population_figures(measured)}


def _people_figures(measured: RiskMeasurement, k: int) -> dict[str, float | None]:
    """Return the figures of columns nobody chose, of all records of a person, of households and linkage."""
    found: dict[str, float | None] = {}
    if measured.unchosen.columns:
        found["unchosen_unique_share"] = measured.unchosen.unique_share
    if measured.further and measured.classes.n_records:
        most = max(each.n_below(k) for each in measured.further if len(each.columns) == 1)
        found["further_column_at_risk_share"] = most / measured.classes.n_records
    if (persons := measured.persons_by_all_records) is not None:
        found["persons_alone_share"] = persons.n_below(2) / persons.n if persons.n else None
    if (household := measured.household) is not None:
        found |= {
            "n_households": household.n_households,
            "household_highest_risk": household.highest_risk,
            "household_average_risk": household.average_risk,
            "n_households_in_class": int(household.households_of_class.min())
            if measured.classes.n_classes
            else None,
        }
    if measured.linkage is not None:
        found["linked_share"] = measured.linkage.share
    return found


def population_figures(measured: RiskMeasurement) -> dict[str, float | None]:
    """Return the figures against a population and by weights, as far as they were measured."""
    found: dict[str, float | None] = {}
    if (population := measured.population) is not None:
        presence = population.delta_presence
        found |= {
            "population_size": population.population_size,
            "k_map": population.k_map,
            "journalist_highest_risk": population.journalist_highest_risk,
            "marketer_risk": population.marketer_risk,
            "delta_presence_lower": None if presence is None else presence[0],
            "delta_presence_upper": None if presence is None else presence[1],
        }
        for estimate in population.estimates:
            found[f"marketer_risk_{estimate.model}"] = estimate.risk
            if estimate.interval is not None:
                low, high = estimate.interval
                found |= {"marketer_risk_low": low, "marketer_risk_high": high}
    if (uniques := measured.uniques) is not None:
        found["population_unique_share"] = uniques.population_unique_share
        for each in (uniques.zayatz, uniques.pitman, uniques.snb):
            found[f"population_uniques_{each.model}"] = each.n_population_uniques
        found["n_records_population_unique"] = uniques.n_records_population_unique
    if (individual := measured.individual) is not None:
        found |= {
            "individual_highest_risk": individual.highest_risk,
            "individual_average_risk": individual.average_risk,
            "expected_reidentifications": individual.expected_reidentifications,
        }
    return found


_MOST_SUPPRESSED = 0.2  # share of the records up to which suppressing them is worth proposing
_SHARES_BELOW = (2, 3, 5, 11, 20)


def audit_risk(
    dataset: Dataset,
    *,
    settings: RiskSettings | None = None,
    thresholds: RiskThresholds | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    original: Dataset | None = None,
    population: Dataset | None = None,
) -> RiskAudit:
    """Measure and judge the disclosure risk of a table; see `measure_risk` and `judge_risk`.

    Without settings the roles are taken that names and values suggest, and a finding says so.
    """
    settings = settings or replace(suggested_settings(dataset), roles_suggested=True)
    measured = measure_risk(
        dataset, settings=settings, hierarchies=hierarchies, original=original, population=population
    )
    return judge_risk(measured, thresholds)


def judge_risk(
    measurement: RiskMeasurement,
    thresholds: RiskThresholds | None = None,
    *,
    read: Mapping[str, Reading] | None = None,
) -> RiskAudit:
    """Hold a measurement against thresholds.

    A figure that could not be assessed is NOT_ASSESSED, never PASS.

    Parameters
    ----------
    measurement
        What was measured.
    thresholds
        The default asks for classes of 5 and two sensitive values in each.
    read
        Cells of free text that a person has read, by column.
    """
    check_reading(measurement.texts, read or {})
    thresholds = thresholds or RiskThresholds()
    findings = [_class_size_finding(measurement, thresholds.k)]
    if thresholds.average_risk is not None:
        findings.append(_average_risk_finding(measurement, thresholds.average_risk))
    elif thresholds.k == 1:
        findings.append(_NOTHING_ASKED)
    if thresholds.household_risk is not None:
        findings.append(_household_finding(measurement, thresholds.household_risk))
    if thresholds.person_k is not None:
        findings.append(_person_finding(measurement, thresholds.person_k))
    for sensitive in measurement.sensitive:
        found = sensitive_findings(sensitive, thresholds)
        findings += [_with_group_step(finding, measurement) for finding in found]
    findings += map(not_answered, measurement.unanswered)
    releases = None
    if measurement.releases is not None:
        releases = judge_releases(measurement.releases, k=thresholds.k)
    return RiskAudit(
        measurement=measurement,
        thresholds=thresholds,
        findings=tuple(findings),
        read=read or {},
        exposure=(
            *exposure_findings(measurement, thresholds, read or {}),
            *(() if releases is None else releases.findings),
        ),
        releases=releases,
    )


_ALONE = 2  # members below which a class has one only
_NOTHING_ASKED = Finding.of("nothing_asked", Verdict.NOT_ASSESSED)(
    "Neither a group size nor an average risk is asked for, so the risk of records is held against "
    "nothing. Ask for groups of at least 2, or for a largest average risk."
)


def _mean_class_size(measured: RiskMeasurement) -> float | None:
    """Return the mean size of a class: records (or persons) per class where classes do not overlap."""
    classes = measured.classes
    return classes.n_members / classes.n_classes if classes.n_classes else None


def _class_size_finding(measured: RiskMeasurement, k: int) -> Finding:
    classes = measured.classes
    if classes.k is None:
        return Finding.of("k", Verdict.NOT_ASSESSED)(
            "None of {records} could be assessed: all are left out.",
            records=counted(measured.entry.n_in_table, "record"),
        )
    smallest = measured.units(classes.k)
    if k == 1:
        return Finding.of("k", Verdict.PASS)(
            "No size of groups is asked for; the smallest has {smallest}.", smallest=smallest
        )
    below = classes.n_records_below(k)
    if below:
        words: dict[str, Value] = {
            "found": share_of(below, classes.n_records, "persons" if _are_persons(measured) else "records"),
            "columns": listed(classes.quasi_identifiers, at_most=3),
        }
        told = text(
            "{found} shares {columns} with fewer than {others}; {alone} with nobody: who knows these finds "
            "them.",
            "{found} share {columns} with fewer than {others}; {alone} with nobody: who knows these finds "
            "them.",
            n=below,
            others=_others(measured, k - 1),
            alone=classes.n_records_below(_ALONE),
            **words,
        )
        if k == _ALONE:
            told = text(
                "{found} shares {columns} with nobody: who knows these finds them.",
                "{found} share {columns} with nobody: who knows these finds them.",
                n=below,
                **words,
            )
        found = Finding.of("k", Verdict.FAIL, n_affected=below)(told)
        return replace(found, own_remedy=_step_to_k(measured, k, below))
    return Finding.of("k", Verdict.PASS)(
        "Every combination of the quasi-identifiers is shared by at least {smallest}; {asked} are asked for.",
        smallest=smallest,
        asked=k,
    )


def _are_persons(measured: RiskMeasurement) -> bool:
    """Whether each record is of a person of its own, as far as can be told."""
    return measured.persons is None and measured.hidden_persons is None


def _others(measured: RiskMeasurement, n: int) -> Text:
    is_record = measured.persons is None and not _are_persons(measured)
    return counted(n, "other record") if is_record else counted(n, "other person")


def _step_to_k(measured: RiskMeasurement, k: int, below: int) -> Text:
    """Return which quasi-identifiers to make coarser, or how many records to suppress, to reach `k`.

    A column is named alone only where, left out, it takes half of the records below `k` out of small classes.
    """
    by_values = _most_values_first(measured)
    left = {name: measured.n_below_without(name, k) for name in reversed(by_values)}
    known = {name: n for name, n in left.items() if n is not None and 2 * n <= below}
    coarser = listed(by_values, at_most=3)
    if known:
        best = min(known, key=lambda name: known[name])  # of equals the one with the fewest values
        coarser = text(
            "{column} (without it, {n} record would be in a group under {k})",
            "{column} (without it, {n} records would be in groups under {k})",
            n=known[best],
            column=f"`{best}`",
            k=k,
        )
    if below > _MOST_SUPPRESSED * measured.classes.n_records:
        return text("Make coarser: {coarser}. See What if.", coarser=coarser)
    return text(
        "Suppress the {n} record in a group under {k}, or make coarser: {coarser}.",
        "Suppress the {n} records in groups under {k}, or make coarser: {coarser}.",
        n=below,
        k=k,
        coarser=coarser,
    )


def _most_values_first(measured: RiskMeasurement) -> list[str]:
    facts = sorted(measured.quasi_identifiers, key=lambda each: -each.n_values)
    return [each.column for each in facts]


def _with_group_step(finding: Finding, measured: RiskMeasurement) -> Finding:
    """Return a finding of what classes give away with what to do in which columns and how many records."""
    if finding.verdict is not Verdict.FAIL or not finding.n_affected or finding.check.startswith("folded_"):
        return finding
    step = text(
        "Make {columns} coarser, or suppress the {n} record whose group gives it away.",
        "Make {columns} coarser, or suppress the {n} records whose groups give it away.",
        n=finding.n_affected,
        columns=listed(_most_values_first(measured), at_most=3),
    )
    return replace(finding, own_remedy=step)


def _average_risk_finding(measured: RiskMeasurement, limit: float) -> Finding:
    risk = measured.average_risk
    if risk is None:
        return Finding.of("average_risk", Verdict.NOT_ASSESSED)(
            "No record is assessed, so there is no average risk."
        )
    missed = risk > limit + 1e-12
    found = Finding.of("average_risk", Verdict.FAIL if missed else Verdict.PASS)(
        "The average risk of a record is {risk}; at most {limit} is asked for.",
        risk=number(risk),
        limit=number(limit),
    )
    step = text(
        "Make {columns} coarser until the average risk is at most {limit}.",
        columns=listed(_most_values_first(measured), at_most=3),
        limit=number(limit),
    )
    return replace(found, own_remedy=step)


def _household_finding(measured: RiskMeasurement, limit: float) -> Finding:
    household = measured.household
    if household is None or household.highest_risk is None:
        return Finding.of("household_limit", Verdict.NOT_ASSESSED)(
            "A largest risk of households is asked for, and no column says which household a record is of."
            if household is None
            else "A largest risk of households is asked for, and no assessed record says which household a "
            "record is of."
        )
    n_above, n = household.n_above(limit), household.n_households
    return Finding.of(
        "household_limit",
        Verdict.FAIL if n_above else Verdict.PASS,
        column=household.column,
        n_affected=n_above,
    )(
        "{found} is found through any of its members with a chance above {limit}; the highest is {highest}.",
        "{found} are found through any of their members with a chance above {limit}; the highest is "
        "{highest}.",
        n=n_above,
        found=share_of(n_above, n, "households"),
        limit=percent(limit),
        highest=percent(household.highest_risk),
    )


def _person_finding(measured: RiskMeasurement, asked: int) -> Finding:
    found = measured.persons_by_all_records
    if found is None or not found.n:
        return Finding.of("person_limit", Verdict.NOT_ASSESSED)(
            "It is asked that persons are alike in all their records, and no column says whose record it is."
            if found is None
            else "It is asked that persons are alike in all their records, and no assessed record says whose "
            "record it is."
        )
    n_below = found.n_below(asked)
    return Finding.of(
        "person_limit",
        Verdict.FAIL if n_below else Verdict.PASS,
        column=measured.settings.person,
        n_affected=n_below,
    )(
        "By all their records together, which groups they are in and how often, {found} is like fewer than "
        "{asked}, themselves included.",
        "By all their records together, which groups they are in and how often, {found} are like fewer than "
        "{asked}, themselves included.",
        n=n_below,
        found=share_of(n_below, found.n, "persons"),
        asked=counted(asked, "person"),
    )


def sensitive_findings(
    sensitive: SensitiveMeasurement, thresholds: object, unit: str = "record"
) -> Iterable[Finding]:
    """Yield a finding for each threshold that is set, or one that nothing could be assessed.

    `thresholds` has those of :data:`core.attribute_disclosure.LIMITS`; `unit`, ``record`` or ``person``, is
    what classes are of.
    """
    if sensitive.figures["distinct_l"] is None:
        yield Finding.of("sensitive", Verdict.NOT_ASSESSED, column=sensitive.column)(
            "No assessed record has a known value of {column}, so what groups give away about it cannot "
            "be assessed.",
            column=f"`{sensitive.column}`",
        )
        return
    for limit in LIMITS:
        asked = getattr(thresholds, limit.threshold)
        if asked is not None:
            found = _distinct_findings if limit.figure == "distinct_l" else _limit_findings
            yield from found(sensitive, limit, asked, unit)


def _distinct_findings(
    sensitive: SensitiveMeasurement,
    limit: Limit,
    l: int,  # noqa: E741 - the model's letter
    unit: str,
) -> Iterable[Finding]:
    """Yield the finding of the values as written and, where only these meet l, of what they mean."""
    yield (written := _distinct_finding(sensitive, limit, l, unit))
    n_classes, n_records = sensitive.beyond(limit, l, folded=True)
    if written.verdict is Verdict.FAIL or not n_classes:
        return
    rule = "case, spaces and punctuation aside, words for unknown not counted"
    if width := sensitive.folded.width:
        rule = text(
            "case, spaces and punctuation aside, words for unknown not counted, numbers up to {width} apart "
            "taken as one (of dates, days)",
            width=number(width),
        )
    yield Finding.of("folded_distinct_l", Verdict.FAIL, column=sensitive.column, n_affected=n_records)(
        "{n} of {classes} ({records}) holds {values} of {column}, counted as what values mean, not as "
        "they are spelled: {rule}. Write each value one way, and generalize or suppress these groups.",
        "{n} of {classes} ({records}) hold {values} of {column}, counted as what values mean, not as "
        "they are spelled: {rule}. Write each value one way, and generalize or suppress these groups.",
        n=n_classes,
        classes=counted(sensitive.classes.n_classes, "group"),
        records=counted(n_records, unit),
        values=_few_values(l),
        column=f"`{sensitive.column}`",
        rule=own(rule),
    )


def _few_values(l: int) -> Text:  # noqa: E741 - the model's letter
    if l == 2:
        return text("one and the same value")
    return text("fewer than {n} different value", "fewer than {n} different values", n=l)


def _limit_findings(
    sensitive: SensitiveMeasurement, limit: Limit, asked: float, unit: str
) -> Iterable[Finding]:
    """Yield the finding of the values as written and, where only these meet the limit, of what they mean."""
    written = _limit_finding(sensitive, limit, asked, unit, folded=False)
    yield written
    if written.verdict is Verdict.PASS and sensitive.beyond(limit, asked, folded=True)[0]:
        yield _limit_finding(sensitive, limit, asked, unit, folded=True)


def _limit_finding(
    sensitive: SensitiveMeasurement, limit: Limit, asked: float, unit: str, *, folded: bool
) -> Finding:
    n_classes, n_records = sensitive.beyond(limit, asked, folded=folded)
    check = f"folded_{limit.figure}" if folded else limit.figure
    met, missed = _SENTENCES.get((limit.figure, folded), _SENTENCES["", folded])
    return Finding.of(
        check,
        Verdict.FAIL if n_classes else Verdict.PASS,
        column=sensitive.column,
        n_affected=n_records if n_classes else None,
    )(
        missed if n_classes else met,
        classes=counted(n_classes, "group"),
        records=counted(n_records, unit),
        column=f"`{sensitive.column}`",
        name=own(limit.says),
        found=number(sensitive.figures[check] or 0.0),
        asked=number(asked),
    )


_ENTROPY = (
    "The smallest entropy ℓ of {column} is {found}; at least {asked} is asked for.",
    (
        "The smallest entropy ℓ of {column}, counted as what values mean, not as they are spelled, is "
        "{found}; at least {asked} is asked for."
    ),
)
# By figure, "" for any other, and whether values are counted as what they mean: where it is met, and where
# it is not.
_SENTENCES: Mapping[tuple[str, bool], tuple[str, str]] = {
    ("entropy_l", False): (_ENTROPY[0], _ENTROPY[0]),
    ("entropy_l", True): (_ENTROPY[1], _ENTROPY[1]),
    ("t", False): (
        (
            "In every group the values of {column} are spread as in the whole table, up to a distance of "
            "{found}; at most {asked} is asked for."
        ),
        (
            "In {classes} ({records}) the values of {column} are further than {asked} from those of the "
            "whole table, at most {found}."
        ),
    ),
    ("t", True): (
        (
            "In every group the values of {column}, counted as what values mean, not as they are spelled, "
            "are spread as in the whole table, up to a distance of {found}; at most {asked} is asked for."
        ),
        (
            "In {classes} ({records}) the values of {column}, counted as what values mean, not as they are "
            "spelled, are further than {asked} from those of the whole table, at most {found}."
        ),
    ),
    ("", False): (
        "Of the values of {column} in every group, {name} is at most {found}; at most {asked} is asked for.",
        "In {classes} ({records}), of the values of {column} {name} is above {asked}, at most {found}.",
    ),
    ("", True): (
        (
            "Of the values of {column}, counted as what values mean, not as they are spelled, in every "
            "group, {name} is at most {found}; at most {asked} is asked for."
        ),
        (
            "In {classes} ({records}), of the values of {column}, counted as what values mean, not as they "
            "are spelled, {name} is above {asked}, at most {found}."
        ),
    ),
}


def _distinct_finding(sensitive: SensitiveMeasurement, limit: Limit, l: int, unit: str) -> Finding:  # noqa: E741 - the model's letter
    n_classes, n_records = sensitive.beyond(limit, l)
    column, total = sensitive.column, sensitive.classes.n_records
    if not n_classes:
        return Finding.of("distinct_l", Verdict.PASS, column=column)(
            "Every group has at least {n} different value of {column}.",
            "Every group has at least {n} different values of {column}.",
            n=l,
            column=f"`{column}`",
        )
    return Finding.of("distinct_l", Verdict.FAIL, column=column, n_affected=n_records)(
        "{found} gives {column} away: all alike by the quasi-identifiers have {values} ({few} of {classes}).",
        "{found} give {column} away: all alike by the quasi-identifiers have {values} ({few} of {classes}).",
        n=n_records,
        found=share_of(n_records, total, f"{unit}s"),
        few=n_classes,
        classes=counted(sensitive.classes.n_classes, "group"),
        values=_few_values(l),
        column=f"`{column}`",
    )
