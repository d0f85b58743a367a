"""What the thresholds do not cover: a table can meet all of them and still give people away."""

from __future__ import annotations

from collections.abc import Iterator

from core.risk.columns import UnchosenColumns
from core.risk.folding import DOMINANT_GAIN, DOMINANT_SHARE, SKEWED_RATIO, SKEWED_SHARE, LikelyValues
from core.risk.measuring import RiskMeasurement
from core.risk.people import HouseholdRisk
from core.risk.population_estimates import estimates_note
from core.risk.settings import RiskThresholds
from core.roles import Role
from core.verdict import Finding, Verdict
from core.words import counted, listed, number, percent


def _people_findings(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
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
    yield Finding.of(
        "hidden_persons", Verdict.FAIL if sure else Verdict.WARN, column=hidden.column, n_affected=n_records
    )(
        f"{counted(n_classes, 'class', 'classes')} of at least {counted(max(k, 2), 'record')} "
        f"({counted(n_records, 'record')}) hold fewer than {max(k, 2):,} values of `{hidden.column}`, "
        "which seems to say whose record it is: records with the same value are nearly always in one class. "
        "Records are no people then; choose it as the person column, so that classes count persons."
    )


def _all_records(measured: RiskMeasurement, k: int) -> Iterator[Finding]:
    found, column = measured.persons_by_all_records, measured.settings.person
    if found is None or column is None or not found.n:
        return
    n_alone, n_below = found.n_below(2), found.n_below(k)
    if not n_below:
        return
    yield Finding.of("repeated_visits", Verdict.WARN, column=column, n_affected=n_below)(
        f"By all their records together, which classes they are in and how often, {n_alone:,} of "
        f"{counted(found.n, 'person')} ({percent(n_alone / found.n)}) are like nobody else and {n_below:,} "
        f"like fewer than {k:,} persons. As long as `{column}`, or a pseudonym for it, tells which records "
        "belong together, whoever knows several of them finds the person: leave it out, or cut the number of "
        "records of a person."
    )


def _households(
    measured: RiskMeasurement, household: HouseholdRisk, thresholds: RiskThresholds
) -> Iterator[Finding]:
    if not household.n_households:
        yield Finding.of("households", Verdict.NOT_ASSESSED, column=household.column)(
            f"No assessed record names a household in `{household.column}`."
        )
        return
    yield _households_of_classes(measured, household, max(thresholds.k, 2))
    if thresholds.household_risk is None:
        yield _risk_of_households(household, thresholds.risk_at_k)
    if household.n_unknown:
        yield Finding.of(
            "unknown_households", Verdict.WARN, column=household.column, n_affected=household.n_unknown
        )(
            f"{household.n_unknown:,} of {counted(measured.classes.n_records, 'record')} name no "
            f"household in `{household.column}`, so nothing is said of theirs."
        )


def _risk_of_households(household: HouseholdRisk, accepted: float) -> Finding:
    n_above, n = household.n_above(accepted), household.n_households
    return Finding.of(
        "household_risk",
        Verdict.WARN if n_above else Verdict.PASS,
        column=household.column,
        n_affected=n_above,
    )(
        f"{n_above:,} of {counted(n, 'household')} ({percent(n_above / n)}) are found through any of "
        f"their members with a chance above {percent(accepted)}, at most "
        f"{percent(household.highest_risk or 0.0)} and on average {percent(household.average_risk or 0.0)}."
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


def _likely_findings(measured: RiskMeasurement) -> Iterator[Finding]:
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
    return Finding.of(check, Verdict.WARN, column=column, n_affected=found.n_records)(
        f"In {counted(found.n_classes, 'class', 'classes')} ({counted(found.n_records, 'record')}) a "
        f"value of `{column}` has {rule}, up to {percent(found.highest_share)}; chance alone makes "
        f"{number(found.n_expected)} such classes. Who is known to be in one has it that likely: ask for a "
        "largest α or t, and generalize until it holds."
    )


def _related(measured: RiskMeasurement) -> Finding:
    best = max(measured.related, key=lambda each: each.right_share - each.right_share_without)
    others = len(measured.related) - 1
    more = f" {counted(others, 'other pair')} likewise." if others else ""
    return Finding.of("related_sensitive", Verdict.WARN, n_affected=len(measured.related))(
        f"Whoever knows `{best.known}` guesses `{best.guessed}` rightly for "
        f"{percent(best.right_share)} of {counted(best.n_records, 'record')}, without it for "
        f"{percent(best.right_share_without)}.{more} Each was judged as if nobody knew the other: leave one "
        "out, or add the others to the quasi-identifiers (several sensitive attributes)."
    )


_TELLS_APART = 0.9  # share of distinct values from which a column nobody chose tells records apart
_SINGLED_OUT = 0.05  # share of records from which columns that nobody chose are a warning
_MUCH_MISSING = 0.05  # share of records without a known sensitive value from which that is a warning
_FREE_TEXT = "free text"
_RECORD_NUMBERS = frozenset({"record identifier", "identifier by distinctness"})


def exposure_findings(measured: RiskMeasurement, thresholds: RiskThresholds) -> tuple[Finding, ...]:
    """Return what speaks against the table, or limits the figures, beside the thresholds."""
    return (
        *_suggested(measured),
        *_identifiers(measured),
        *_sensitive_identifiers(measured),
        *_columns_nobody_chose(measured),
        *_unchosen_together(measured),
        *_people_findings(measured, thresholds),
        *_linked(measured, thresholds),
        *_population_by_size(measured, thresholds),
        *_sensitive(measured),
        *_likely_findings(measured),
        *_left_out(measured),
        *_persons(measured),
        *_columns(measured),
    )


def _suggested(measured: RiskMeasurement) -> Iterator[Finding]:
    if measured.settings.roles_suggested:
        sensitive = measured.settings.sensitive
        yield Finding.of("roles_suggested", Verdict.WARN)(
            "Nobody chose the quasi-identifiers; taken are those that names and values suggest: "
            f"{listed(measured.settings.quasi_identifiers)}"
            f"{f', sensitive {listed(sensitive)}' if sensitive else ''}. "
            "Every figure depends on this choice."
        )


def _identifiers(measured: RiskMeasurement) -> Iterator[Finding]:
    found = [each for each in measured.unassigned if each.role is Role.DIRECT_IDENTIFIER]
    said, harmless = measured.settings.direct_identifiers, measured.settings.other
    alike = [each.column for each in found if each.kind not in _RECORD_NUMBERS and each.column not in said]
    people = [*said, *(column for column in alike if column not in harmless)]
    numbers = [each.column for each in found if each.kind in _RECORD_NUMBERS]
    numbers += [
        each.column
        for each in measured.unassigned
        if each.role is not Role.DIRECT_IDENTIFIER
        and each.n_nonblank > 1
        and (each.distinct_share or 0) >= _TELLS_APART
    ]
    numbers = [column for column in numbers if column not in said]
    doubtful = [each.column for each in found if each.from_values and each.column in {*alike} & {*harmless}]
    if people:
        yield Finding.of("direct_identifiers", Verdict.FAIL, n_affected=len(people))(
            f"{listed(people)} {_be_or_look(people, said)} of people. No class size protects while "
            "they are in the table; remove them, or say that they are not released."
        )
    if doubtful:
        yield Finding.of("doubtful_identifiers", Verdict.WARN, n_affected=len(doubtful))(
            f"{listed(doubtful)} {_look(len(doubtful))} of people, and you say "
            f"that {'it is' if len(doubtful) == 1 else 'they are'} harmless."
        )
    if numbers:
        yield Finding.of("distinct_columns", Verdict.WARN, n_affected=len(numbers))(
            f"{listed(numbers)} tell{'s' if len(numbers) == 1 else ''} nearly every record apart "
            f"and {'is' if len(numbers) == 1 else 'are'} not among the quasi-identifiers. Whoever has the "
            "same column from elsewhere finds every record."
        )


def _sensitive_identifiers(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield the sensitive attributes whose values name people: they are released as they are."""
    alike = [
        each
        for each in measured.sensitive_suggestions
        if each.role is Role.DIRECT_IDENTIFIER and each.from_values and each.kind not in _RECORD_NUMBERS
    ]
    for verdict, texts in ((Verdict.FAIL, False), (Verdict.WARN, True)):
        columns = [each.column for each in alike if (each.kind == _FREE_TEXT) is texts]
        if columns:
            one = len(columns) == 1
            what = "free text, in which names may stand" if texts else "direct identifiers of people"
            yield Finding.of(
                "sensitive_texts" if texts else "sensitive_identifiers", verdict, n_affected=len(columns)
            )(
                f"{listed(columns)} {'is' if one else 'are'} chosen as sensitive, and the values "
                f"look like {what}. A release has them as they are: leave {'it' if one else 'them'} out."
            )


def _be_or_look(people: list[str], said: tuple[str, ...]) -> str:
    one = len(people) == 1
    if set(people) <= set(said):
        return "is a direct identifier" if one else "are direct identifiers"
    return _look(len(people))


def _look(n_columns: int) -> str:
    return "looks like a direct identifier" if n_columns == 1 else "look like direct identifiers"


def _columns_nobody_chose(measured: RiskMeasurement) -> Iterator[Finding]:
    quasi = [
        each.column
        for each in measured.unassigned
        if each.role is Role.QUASI_IDENTIFIER
        and each.column not in {*measured.settings.direct_identifiers, *measured.settings.other}
    ]
    if quasi:
        yield Finding.of("further_quasi_identifiers", Verdict.WARN, n_affected=len(quasi))(
            f"{listed(quasi)} may be known about a person from elsewhere, and "
            f"{'is' if len(quasi) == 1 else 'are'} not among the quasi-identifiers; with "
            f"{'it' if len(quasi) == 1 else 'them'} classes get smaller."
        )


def _unchosen_together(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield what the columns nobody chose single out together; little of it is a fact, no warning."""
    found = measured.unchosen
    if len(found.columns) < 2 or found.unique_share is None:  # one column is spoken of by itself
        return
    together = f"The {len(found.columns):,} released columns that nobody chose, taken together, single out"
    share = f"{found.n_unique:,} of {counted(found.n_records, 'record')} ({percent(found.unique_share)})"
    much = found.unique_share >= _SINGLED_OUT
    yield Finding.of("unchosen_columns", Verdict.WARN if much else Verdict.PASS, n_affected=found.n_unique)(
        f"{together} {share}.{_smallest_set(found)}"
        + (
            " Whoever knows them of somebody finds the record: make them quasi-identifiers or sensitive, or "
            "coarser, or leave them out."
            if much
            else ""
        )
    )


def _smallest_set(found: UnchosenColumns) -> str:
    if not found.smallest:
        return ""
    alone = percent(found.n_unique_in_smallest / max(found.n_records, 1))
    others = f", one of {found.n_sets:,} such sets of that size" if found.n_sets > 1 else ""
    bounded = "" if found.is_exact else "; the search was bounded, so a smaller set may exist"
    do = "do" if len(found.smallest) > 1 else "does"
    return f" {listed(found.smallest)} {do} so for {alone}{others}{bounded}."


def _linked(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
    linkage = measured.linkage
    if linkage is None:
        return
    above = linkage.is_above(thresholds.risk_at_k)
    yield Finding.of(
        "record_linkage", Verdict.WARN if above else Verdict.PASS, n_affected=int(linkage.n_linked)
    )(
        f"By the numbers of {listed(linkage.columns)} the nearest original of "
        f"{linkage.n_linked:,.0f} of {counted(linkage.n_records, 'record')} ({percent(linkage.share)}) is "
        f"their own, among {linkage.n_originals:,}; {percent(thresholds.risk_at_k)} are accepted by k."
        + (" Whoever has the originals finds these people: make the numbers coarser." if above else "")
    )


def _population_by_size(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
    """Yield what is known and what is estimated of a population of which only the size is given."""
    population = measured.population
    if population is None or population.based_on != "size":
        return
    bounded = population.journalist_highest_risk <= 1 / max(thresholds.k, 2) + 1e-12
    share = percent(min(population.n_records / population.population_size, 1.0))
    yield Finding.of("population_by_size", Verdict.PASS if bounded else Verdict.WARN)(
        f"Only the size of the population is known, of which the table holds {share}. Against it "
        "risks are bounds, those of somebody known to be in the table: at most "
        f"{percent(population.journalist_highest_risk)} for a journalist, "
        f"{percent(population.marketer_risk)} for a marketer. {estimates_note(population.estimates)} Give a "
        "table of the population to count instead."
    )


def _sensitive(measured: RiskMeasurement) -> Iterator[Finding]:
    if not measured.settings.sensitive:
        yield Finding.of("no_sensitive_attribute", Verdict.WARN)(
            "No sensitive attribute is chosen, so what a class gives away about everybody in it "
            "was not looked at."
        )
    n_assessed = measured.classes.n_records
    for sensitive in measured.sensitive:
        if sensitive.n_missing:
            much = sensitive.n_missing >= _MUCH_MISSING * n_assessed or sensitive.n_classes_unknown
            yield Finding.of(
                "missing_sensitive_values",
                Verdict.WARN if much else Verdict.PASS,
                column=sensitive.column,
                n_affected=sensitive.n_missing,
            )(
                f"{sensitive.n_missing:,} of {counted(n_assessed, 'record')} have no known value of "
                f"`{sensitive.column}` and were not counted. If a blank is an answer, such as no diagnosis, "
                "count it as a value."
            )


def _left_out(measured: RiskMeasurement) -> Iterator[Finding]:
    entry = measured.entry
    total = counted(entry.n_in_table, "record")
    if entry.n_fully_suppressed:
        yield Finding.of("fully_suppressed", Verdict.PASS, n_affected=entry.n_fully_suppressed)(
            f"{entry.n_fully_suppressed:,} of {total} are suppressed (blank or *) in every "
            "quasi-identifier and left out."
        )
    if entry.n_dropped:
        yield Finding.of("dropped_records", Verdict.WARN, n_affected=entry.n_dropped)(
            f"{entry.n_dropped:,} of {total} lack a quasi-identifier and were left out; nothing is "
            "said about them."
        )
    if measured.settings.missing == "wildcard" and entry.n_with_missing:
        yield Finding.of("wildcards", Verdict.WARN, n_affected=entry.n_with_missing)(
            f"{entry.n_with_missing:,} of {counted(entry.n_assessed, 'record')} lack a "
            "quasi-identifier, which was taken to match every value. Classes then overlap and are as large "
            "as they can be; whoever knows that a value is missing sees smaller ones."
        )


def _persons(measured: RiskMeasurement) -> Iterator[Finding]:
    persons = measured.persons
    if persons is not None and persons.n_unknown:
        yield Finding.of(
            "unknown_persons", Verdict.WARN, column=measured.settings.person, n_affected=persons.n_unknown
        )(
            f"{persons.n_unknown:,} of {counted(measured.classes.n_records, 'record')} name no "
            f"person in `{measured.settings.person}`. They add nobody to a class with known persons, and "
            "count as one person elsewhere."
        )


def _columns(measured: RiskMeasurement) -> Iterator[Finding]:
    constant = [
        each.column for each in measured.quasi_identifiers if each.n_values + (each.n_missing > 0) <= 1
    ]
    if constant:
        yield Finding.of("constant_columns", Verdict.PASS, n_affected=len(constant))(
            f"{listed(constant)} {'holds' if len(constant) == 1 else 'hold'} one and the same value "
            f"in all records, so classes do not depend on {'it' if len(constant) == 1 else 'them'}."
        )
    if len(measured.quasi_identifiers) == len(measured.columns) and len(measured.columns) > 1:
        yield Finding.of("all_columns", Verdict.WARN)(
            f"All {len(measured.columns):,} columns are quasi-identifiers: nothing remains that a "
            "class could give away, and few tables reach large classes over every column."
        )
    unknown = measured.settings.missing == "value"
    n_missing = sum(each.n_missing for each in measured.quasi_identifiers)
    if unknown and n_missing:
        n_cells = measured.entry.n_in_table * len(measured.quasi_identifiers)
        yield Finding.of("missing_quasi_identifiers", Verdict.PASS, n_affected=n_missing)(
            f"{n_missing:,} of {counted(n_cells, 'cell')} of the quasi-identifiers "
            f"({percent(n_missing / n_cells)}) are missing, which counts as a value of its own."
        )
