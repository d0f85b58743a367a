"""What classes give away beyond their sizes: who stands behind them, and what they make likely."""

from __future__ import annotations

from collections.abc import Iterator

from core.risk.likely import DOMINANT_GAIN, DOMINANT_SHARE, SKEWED_RATIO, SKEWED_SHARE, LikelyValues
from core.risk.measuring import RiskMeasurement
from core.risk.people import HouseholdRisk
from core.risk.settings import RiskThresholds
from core.risk.words import counted, number, percent
from core.verdict import Finding, Verdict


def people_findings(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
    """Yield what is known of the people behind records: hidden persons, all their records, households."""
    yield from _hidden_persons(measured, thresholds.k)
    if thresholds.person_k is None:
        yield from _all_records(measured, thresholds.k)
    if measured.household is not None:
        yield from _households(measured, measured.household, thresholds)


def _hidden_persons(measured: RiskMeasurement, k: int) -> Iterator[Finding]:
    hidden = measured.hidden_persons
    if hidden is None:
        return
    n_classes, n_records = hidden.below(max(k, 2), measured.classes)
    if not n_classes:
        return
    sure = hidden.looks_like_identifier and hidden.column not in measured.settings.other
    yield Finding(
        check="hidden_persons",
        verdict=Verdict.FAIL if sure else Verdict.WARN,
        message=f"{counted(n_classes, 'class', 'classes')} of at least {counted(max(k, 2), 'record')} "
        f"({counted(n_records, 'record')}) hold fewer than {max(k, 2):,} values of `{hidden.column}`, "
        "which seems to say whose record it is: records with the same value are nearly always in one class. "
        "Records are no people then; choose it as the person column, so that classes count persons.",
        column=hidden.column,
        n_affected=n_records,
    )


def _all_records(measured: RiskMeasurement, k: int) -> Iterator[Finding]:
    found, column = measured.persons_by_all_records, measured.settings.person
    if found is None or column is None or not found.n:
        return
    n_alone, n_below = found.n_below(2), found.n_below(k)
    if not n_below:
        return
    yield Finding(
        check="repeated_visits",
        verdict=Verdict.WARN,
        message=f"By all their records together, which classes they are in and how often, {n_alone:,} of "
        f"{counted(found.n, 'person')} ({percent(n_alone / found.n)}) are like nobody else and {n_below:,} "
        f"like fewer than {k:,} persons. As long as `{column}`, or a pseudonym for it, tells which records "
        "belong together, whoever knows several of them finds the person: leave it out, or cut the number of "
        "records of a person.",
        column=column,
        n_affected=n_below,
    )


def _households(
    measured: RiskMeasurement, household: HouseholdRisk, thresholds: RiskThresholds
) -> Iterator[Finding]:
    if not household.n_households:
        yield Finding(
            check="households",
            verdict=Verdict.NOT_ASSESSED,
            message=f"No assessed record names a household in `{household.column}`.",
            column=household.column,
        )
        return
    yield _households_of_classes(measured, household, max(thresholds.k, 2))
    if thresholds.household_risk is None:
        yield _risk_of_households(household, thresholds.risk_at_k)
    if household.n_unknown:
        yield Finding(
            check="unknown_households",
            verdict=Verdict.WARN,
            message=f"{household.n_unknown:,} of {counted(measured.classes.n_records, 'record')} name no "
            f"household in `{household.column}`, so nothing is said of theirs.",
            column=household.column,
            n_affected=household.n_unknown,
        )


def _risk_of_households(household: HouseholdRisk, accepted: float) -> Finding:
    n_above, n = household.n_above(accepted), household.n_households
    return Finding(
        check="household_risk",
        verdict=Verdict.WARN if n_above else Verdict.PASS,
        message=f"{n_above:,} of {counted(n, 'household')} ({percent(n_above / n)}) are found through any of "
        f"their members with a chance above {percent(accepted)}, at most "
        f"{percent(household.highest_risk or 0.0)} and on average {percent(household.average_risk or 0.0)}.",
        column=household.column,
        n_affected=n_above,
    )


def _households_of_classes(measured: RiskMeasurement, household: HouseholdRisk, k: int) -> Finding:
    sizes = household.households_of_class
    several = measured.classes.class_sizes > 1
    n_one, n_few = int(((sizes < 2) & several).sum()), int((sizes < k).sum())
    fewest = int(sizes.min())
    verdict = Verdict.FAIL if n_one else Verdict.WARN if n_few else Verdict.PASS
    message = f"Every class has at least {counted(fewest, 'household')}."
    if n_few:
        total = counted(measured.classes.n_classes, "class", "classes")
        message = (
            f"{n_few:,} of {total} hold fewer than {counted(k, 'household')}, {n_one:,} of them several "
            "records of a single one: whoever knows the class knows the household. Generalize further."
        )
    return Finding(
        check="households", verdict=verdict, message=message, column=household.column, n_affected=n_few
    )


def likely_findings(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield what classes make likely beyond chance, and which sensitive attributes tell one another."""
    for each in measured.sensitive:
        dominant, skewed = each.likelihood.dominant, each.likelihood.skewed
        if dominant.beyond_chance:
            rule = f"at least {percent(DOMINANT_SHARE)}, and {percent(DOMINANT_GAIN)} more than in the table"
            yield _likely("dominant_value", each.column, dominant, rule)
        if skewed.beyond_chance and not (dominant.beyond_chance and skewed.n_classes <= dominant.n_classes):
            rule = f"at least {percent(SKEWED_SHARE)} and {number(SKEWED_RATIO)} times its share of the table"
            yield _likely("skewed_value", each.column, skewed, rule)
    if measured.settings.several_sensitive == "one_by_one" and measured.related:
        yield _related(measured)


def _likely(check: str, column: str, found: LikelyValues, rule: str) -> Finding:
    return Finding(
        check=check,
        verdict=Verdict.WARN,
        message=f"In {counted(found.n_classes, 'class', 'classes')} ({counted(found.n_records, 'record')}) a "
        f"value of `{column}` has {rule}, up to {percent(found.highest_share)}; chance alone makes "
        f"{number(found.n_expected)} such classes. Who is known to be in one has it that likely: ask for a "
        "largest α or t, and generalize until it holds.",
        column=column,
        n_affected=found.n_records,
    )


def _related(measured: RiskMeasurement) -> Finding:
    best = max(measured.related, key=lambda each: each.right_share - each.right_share_without)
    others = len(measured.related) - 1
    more = f" {counted(others, 'other pair')} likewise." if others else ""
    return Finding(
        check="related_sensitive",
        verdict=Verdict.WARN,
        message=f"Whoever knows `{best.known}` guesses `{best.guessed}` rightly for "
        f"{percent(best.right_share)} of {counted(best.n_records, 'record')}, without it for "
        f"{percent(best.right_share_without)}.{more} Each was judged as if nobody knew the other: leave one "
        "out, or add the others to the quasi-identifiers (several sensitive attributes).",
        n_affected=len(measured.related),
    )
