"""What the thresholds do not cover: a table can meet all of them and still give people away."""

from collections.abc import Iterator, Mapping, Sequence

from core.files.leftovers import judge_leftovers
from core.people.free_text import Reading, text_findings
from core.people.roles import DIGESTS, PERHAPS_NAMES, PERSON_KINDS, Role
from core.risk.alike import AlikeClasses, Likeness, YesTogether
from core.risk.columns import UnchosenColumns
from core.risk.folding import DOMINANT_GAIN, DOMINANT_SHARE, SKEWED_RATIO, SKEWED_SHARE, LikelyValues
from core.risk.further_columns import FurtherColumns
from core.risk.measuring import RiskMeasurement
from core.risk.people import HiddenPersons, HouseholdRisk
from core.risk.population_estimates import estimates_note
from core.risk.sensitive import guessed_text
from core.risk.settings import RiskThresholds
from core.risk.told import judge_told
from core.sequences import judge_orders, judge_sequences, judge_span
from core.verdict import Finding, Verdict
from core.words import Text, counted, joined, listed, number, own, part_of, percent, share_of, text


def _people_findings(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
    """Yield what is known of the people behind records: hidden persons, all their records, households."""
    yield from _hidden_persons(measured, thresholds.k)
    yield from _repeats_with_person(measured)
    if thresholds.person_k is None:
        yield from _all_records(measured, thresholds.k)
    if measured.household is not None:
        yield from _households(measured, measured.household, thresholds)


def _hidden_persons(measured: RiskMeasurement, k: int) -> Iterator[Finding]:
    hidden = measured.hidden_persons
    if hidden is None:
        return
    column, least = f"`{hidden.column}`", max(k, 2)
    n_classes, n_records = hidden.below(least, measured.classes)
    if not n_classes:
        yield from _enough_hidden_persons(measured, hidden, least)
        return
    sure = hidden.looks_like_identifier and hidden.column not in measured.settings.harmless
    yield Finding.of(
        "hidden_persons", Verdict.FAIL if sure else Verdict.WARN, column=hidden.column, n_affected=n_records
    )(
        "If {column} is the person, the smallest group has {smallest}, and {n} group of at least {size} "
        "({records}) holds fewer than {asked}: {why}. Choose it as the person column, so that groups count "
        "persons.",
        "If {column} is the person, the smallest group has {smallest}, and {n} groups of at least {size} "
        "({records}) hold fewer than {asked}: {why}. Choose it as the person column, so that groups count "
        "persons.",
        n=n_classes,
        smallest=counted(hidden.smallest, "person"),
        size=counted(least, "record"),
        records=counted(n_records, "record"),
        asked=least,
        column=column,
        why=_why_a_person(hidden),
    )


def _why_a_person(hidden: HiddenPersons) -> Text:
    if not hidden.is_steady:
        return text("it seems to say whose record it is")
    return text("records with the same value are nearly always alike, as those of a person are")


def _enough_hidden_persons(measured: RiskMeasurement, hidden: HiddenPersons, least: int) -> Iterator[Finding]:
    """Yield that classes hold enough persons, if that is what they are; released codes of theirs are told."""
    told = {*measured.settings.leave_out, *measured.settings.direct_identifiers, *measured.settings.harmless}
    if hidden.is_steady and hidden.column in told:
        return
    is_told = hidden.looks_like_identifier or not hidden.is_steady
    yield Finding.of("hidden_persons", Verdict.PASS if is_told else Verdict.WARN, column=hidden.column)(
        "If {column} is the person, the smallest group has {smallest}, and {asked} are asked for: {why}.",
        column=f"`{hidden.column}`",
        smallest=counted(hidden.smallest, "person"),
        asked=least,
        why=_why_a_person(hidden),
    )


def _repeats_with_person(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield the columns whose codes each stand for one person in all the person's records."""
    settings = measured.settings
    told = {*settings.direct_identifiers, *settings.harmless, *settings.leave_out}
    told |= {each.column for each in measured.unassigned if each.kind not in _RECORD_NUMBERS}
    columns = [column for column in measured.repeating if column not in told]
    if not columns:
        return
    hidden = measured.hidden_persons
    yield Finding.of("repeats_with_person", Verdict.FAIL, n_affected=len(columns), columns=tuple(columns))(
        "{columns} has a value of its own for nearly every value of {person}, in all of its records, as "
        "numbers, names and addresses of a person have.",
        "{columns} have a value of their own for nearly every value of {person}, in all of its records, as "
        "numbers, names and addresses of a person have.",
        n=len(columns),
        columns=listed(columns),
        person=f"`{settings.person or (hidden.column if hidden else '')}`",
    ).told(
        step=text(
            "Leave {columns} out; only if the values are fresh random pseudonyms, say they are harmless.",
            columns=_named(columns),
        )
    )


def _time_and_order(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield what intervals between a person's records, days between two columns, and order tell."""
    time, shifted = measured.time, measured.settings.shifted
    if shifted:
        yield Finding.of("taken_as_shifted", Verdict.PASS, columns=shifted)(
            "{columns} was taken as shifted, by one number of days for each person: others know the days "
            "between dates, and not the dates. Whether it was is seen beside the originals (Data set).",
            "{columns} were taken as shifted, by one number of days for each person: others know the days "
            "between dates, and not the dates. Whether they were is seen beside the originals (Data set).",
            n=len(shifted),
            columns=listed(shifted),
        )
    yield from map(judge_sequences, time.sequences)
    yield from map(judge_span, time.spans)
    yield from judge_orders([("", each) for each in time.orders])


def _all_records(measured: RiskMeasurement, k: int) -> Iterator[Finding]:
    found, column = measured.persons_by_all_records, measured.settings.person
    if found is None or column is None or not found.n:
        return
    n_alone, n_below = found.n_below(2), found.n_below(k)
    if not n_below:
        return
    yield Finding.of("repeated_visits", Verdict.WARN, column=column, n_affected=n_below)(
        "By all their records together, which groups they are in and how often, {alone} are "
        "like nobody else and {below} like fewer than {asked}. As long as {column}, or a "
        "pseudonym for it, tells which records belong together, whoever knows several of them finds the "
        "person: leave it out, or cut the number of records of a person.",
        alone=share_of(n_alone, found.n, "persons"),
        below=n_below,
        asked=counted(k, "person"),
        column=f"`{column}`",
    )


def _households(
    measured: RiskMeasurement, household: HouseholdRisk, thresholds: RiskThresholds
) -> Iterator[Finding]:
    if not household.n_households:
        yield Finding.of("households", Verdict.NOT_ASSESSED, column=household.column)(
            "No assessed record names a household in {column}.", column=f"`{household.column}`"
        )
        return
    yield _households_of_classes(measured, household, max(thresholds.k, 2))
    if thresholds.household_risk is None:
        yield _risk_of_households(household, thresholds.risk_at_k)
    if household.n_unknown:
        yield Finding.of(
            "unknown_households", Verdict.WARN, column=household.column, n_affected=household.n_unknown
        )(
            "{n} of {records} names no household in {column}, so nothing is said of its household.",
            "{n} of {records} name no household in {column}, so nothing is said of theirs.",
            records=counted(measured.classes.n_records, "record"),
            column=f"`{household.column}`",
        )


def _risk_of_households(household: HouseholdRisk, accepted: float) -> Finding:
    n_above, n = household.n_above(accepted), household.n_households
    return Finding.of(
        "household_risk",
        Verdict.WARN if n_above else Verdict.PASS,
        column=household.column,
        n_affected=n_above,
    )(
        "{found} is found through any of its members with a chance above {accepted}, at most {highest} and "
        "on average {average}.",
        "{found} are found through any of their members with a chance above {accepted}, at most {highest} "
        "and on average {average}.",
        n=n_above,
        found=share_of(n_above, n, "households"),
        accepted=percent(accepted),
        highest=percent(household.highest_risk or 0.0),
        average=percent(household.average_risk or 0.0),
    )


def _households_of_classes(measured: RiskMeasurement, household: HouseholdRisk, k: int) -> Finding:
    sizes = household.households_of_class
    several = measured.classes.class_sizes > 1
    n_one, n_few = int(((sizes < 2) & several).sum()), int((sizes < k).sum())
    fewest = int(sizes.min())
    verdict = Verdict.FAIL if n_one else Verdict.WARN if n_few else Verdict.PASS
    message = text("Every group has at least {households}.", households=counted(fewest, "household"))
    if n_few:
        message = text(
            "{n} of {classes} holds fewer than {households}, {one} of them several records of a single one: "
            "whoever knows the group knows the household. Generalize further.",
            "{n} of {classes} hold fewer than {households}, {one} of them several records of a single one: "
            "whoever knows the group knows the household. Generalize further.",
            n=n_few,
            classes=counted(measured.classes.n_classes, "group"),
            households=counted(k, "household"),
            one=n_one,
        )
    return Finding(
        check="households", verdict=verdict, message=message, column=household.column, n_affected=n_few
    )


def _likely_findings(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
    """Yield what classes make likely beyond chance, and which sensitive attributes tell one another."""
    for each in measured.sensitive:
        dominant, skewed = each.likelihood.dominant, each.likelihood.skewed
        told = max((one.n_classes for one in (dominant, skewed) if one.beyond_chance), default=0)
        yield from (
            _alike(each.column, found, thresholds.l)
            for found in each.alike
            if found.likeness != "few" or found.n_classes > told
        )
        in_range = sum(one.n_classes for one in each.alike if one.likeness == "range")
        if dominant.beyond_chance and dominant.n_classes > in_range:
            rule = text(
                "at least {share}, and {gain} more than in the table",
                share=percent(DOMINANT_SHARE),
                gain=percent(DOMINANT_GAIN),
            )
            yield _likely("dominant_value", each.column, dominant, rule)
        if skewed.beyond_chance and not (dominant.beyond_chance and skewed.n_classes <= dominant.n_classes):
            rule = text(
                "at least {share} and {ratio} times its share of the table",
                share=percent(SKEWED_SHARE),
                ratio=number(SKEWED_RATIO),
            )
            yield _likely("skewed_value", each.column, skewed, rule)
    if measured.settings.several_sensitive == "one_by_one" and measured.related:
        yield _related(measured)
    if measured.settings.several_sensitive == "one_by_one" and measured.together is not None:
        yield _together(measured.together)
    hidden = measured.hidden_persons
    same = [
        one for one in measured.further if one.one_value[0] and not (hidden and hidden.column in one.columns)
    ]
    yield from map(_one_value, same)


_LIKENESSES: Mapping[Likeness, str] = {
    "result": "all say yes, or all no, in several words or signs",
    "code": "are codes of one group, by their first letters and digits",
    "beginning": "all begin alike",
    "word": "have a word in common",
    "range": "lie in a narrow range",
    "few": "are a few of those in the table, and may mean the same",
    "own": "occur in no other group, and may be names of one thing",
}
_SAME_MEANING = ("result", "code")


def _alike(column: str, found: AlikeClasses, l: int | None) -> Finding:  # noqa: E741 - the model's letter
    sure = found.likeness in _SAME_MEANING and (l or 1) > 1
    return Finding.of(
        "alike_in_class", Verdict.FAIL if sure else Verdict.WARN, column=column, n_affected=found.n_records
    )(
        "In {n} group ({records}) the values of {column} differ, and {likeness}; at most {share} of the "
        "table have the same. Chance makes so many less often than once in a million tables.",
        "In {n} groups ({records}) the values of {column} differ, and {likeness}; at most {share} of the "
        "table have the same. Chance makes so many less often than once in a million tables.",
        n=found.n_classes,
        records=counted(found.n_records, "record"),
        column=f"`{column}`",
        likeness=own(_LIKENESSES[found.likeness]),
        share=percent(found.share_in_table),
    )


def _together(found: YesTogether) -> Finding:
    return Finding.of("yes_together", Verdict.WARN, n_affected=found.n_records, columns=found.columns)(
        "In {n} group ({records}) everybody has one of {columns}, which {share} of the table have: none of "
        "these columns says so alone. Chance makes such a group less often than once in a million tables.",
        "In {n} groups ({records}) everybody has one of {columns}, which {share} of the table have: none of "
        "these columns says so alone. Chance makes such a group less often than once in a million tables.",
        n=found.n_classes,
        records=counted(found.n_records, "record"),
        columns=listed(found.columns),
        share=percent(found.share_in_table),
    )


def _one_value(found: FurtherColumns) -> Finding:
    (column,), (n_classes, n_records) = found.columns, found.one_value
    return Finding.of("one_value_in_class", Verdict.WARN, column=column, n_affected=n_records)(
        "In {n} group ({records}) everybody has the same value of {column}, which nobody chose: of a "
        "household the group is one family, of a treatment or ward it tells what everybody has. Chance "
        "makes such a group less often than once in a million tables.",
        "In {n} groups ({records}) everybody has the same value of {column}, which nobody chose: of a "
        "household each group is one family, of a treatment or ward it tells what everybody has. Chance "
        "makes such a group less often than once in a million tables.",
        n=n_classes,
        records=counted(n_records, "record"),
        column=f"`{column}`",
    )


def _likely(check: str, column: str, found: LikelyValues, rule: Text) -> Finding:
    return Finding.of(check, Verdict.WARN, column=column, n_affected=found.n_records)(
        "In {n} group ({records}) a value of {column} has {rule}, up to {highest}; chance alone makes "
        "{expected} such groups. Who is known to be in one has it that likely: ask for a largest α or "
        "t, and generalize until it holds.",
        "In {n} groups ({records}) a value of {column} has {rule}, up to {highest}; chance alone makes "
        "{expected} such groups. Who is known to be in one has it that likely: ask for a largest α or "
        "t, and generalize until it holds.",
        n=found.n_classes,
        records=counted(found.n_records, "record"),
        column=f"`{column}`",
        rule=rule,
        highest=percent(found.highest_share),
        expected=number(found.n_expected),
    )


def _related(measured: RiskMeasurement) -> Finding:
    best = max(measured.related, key=lambda each: each.right_share - each.right_share_without)
    others = len(measured.related) - 1
    sentences: list[str] = [
        guessed_text(best),
        (
            "Each was judged as if nobody knew the other: leave one out, or add the others to the "
            "quasi-identifiers (several sensitive attributes)."
        ),
    ]
    if others:
        sentences.insert(1, text("{n} other pair likewise.", "{n} other pairs likewise.", n=others))
    return Finding.of("related_sensitive", Verdict.WARN, n_affected=len(measured.related))(joined(sentences))


_TELLS_APART = 0.9  # share of distinct values from which a column nobody chose tells records apart
_MOST_NAMED = 3  # columns in what to do next
_SINGLED_OUT = 0.05  # share of records from which columns that nobody chose are a warning
_MUCH_MISSING = 0.05  # share of records without a known sensitive value from which that is a warning
_RECORD_NUMBERS = frozenset({"record identifier", "identifier by distinctness"})
_NOT_SURE = _RECORD_NUMBERS | {PERHAPS_NAMES, DIGESTS}


def exposure_findings(
    measured: RiskMeasurement, thresholds: RiskThresholds, read: Mapping[str, Reading]
) -> tuple[Finding, ...]:
    """Return what speaks against the table, or limits the figures, beside the thresholds."""
    return (
        *_suggested(measured),
        *_counts(measured),
        *_identifiers(measured),
        *judge_leftovers(measured.leftovers),
        *_perhaps_names(measured),
        *_sensitive_identifiers(measured),
        *text_findings(measured.texts, read),
        *_columns_nobody_chose(measured, max(thresholds.k, 2)),
        *_unchosen_together(measured),
        *judge_told(measured.told, max(thresholds.k, 2)),
        *_people_findings(measured, thresholds),
        *_time_and_order(measured),
        *_linked(measured, thresholds),
        *_population_by_size(measured, thresholds),
        *_sensitive(measured),
        *_likely_findings(measured, thresholds),
        *_left_out(measured),
        *_persons(measured),
        *_columns(measured),
        *measured.elsewhere,
    )


def _suggested(measured: RiskMeasurement) -> Iterator[Finding]:
    if measured.settings.roles_suggested:
        chosen = listed(measured.settings.quasi_identifiers)
        found = Finding.of("roles_suggested", Verdict.WARN)(
            "Nobody chose the quasi-identifiers; names and values suggested these: "
            "{columns}, sensitive {sensitive}. Every figure depends on this choice."
            if measured.settings.sensitive
            else "Nobody chose the quasi-identifiers; names and values suggested these: "
            "{columns}. Every figure depends on this choice.",
            columns=chosen,
            sensitive=listed(measured.settings.sensitive),
        )
        yield found.told(
            step=text("Confirm {columns} as the quasi-identifiers, or choose others.", columns=chosen)
            if chosen
            else ""
        )


def _counts(measured: RiskMeasurement) -> Iterator[Finding]:
    if measured.looks_like_counts is None:
        return
    column, has_totals = measured.looks_like_counts
    yield Finding.of("table_of_counts", Verdict.NOT_ASSESSED, column=column)(
        "`{column}` seems to count people: every row is another cell of the other columns, and some are "
        "totals. Rows are no persons then, and no figure here holds."
        if has_totals
        else "`{column}` seems to count people: every row is another cell of the other columns. Rows are no "
        "persons then, and no figure here holds."
    )


def _named(columns: Sequence[str]) -> Text:
    return listed(columns, at_most=_MOST_NAMED)


_REMOVE = "Remove {columns}, or say what of it is not released."
_MAY_BE_FRESH = "Remove {columns}, or, if the values are fresh random pseudonyms, say that they are harmless."


def _identifiers(measured: RiskMeasurement) -> Iterator[Finding]:
    texts = {each.column for each in measured.texts if each.is_text}
    unassigned = [each for each in measured.unassigned if each.column not in texts]
    found = [each for each in unassigned if each.role is Role.DIRECT_IDENTIFIER]
    said, harmless = measured.settings.direct_identifiers, measured.settings.harmless
    alike = [each.column for each in found if each.kind not in _NOT_SURE and each.column not in said]
    people = [*said, *(column for column in alike if column not in harmless)]
    numbers = [each for each in found if each.kind in _RECORD_NUMBERS]
    numbers += [
        each
        for each in unassigned
        if each.role is not Role.DIRECT_IDENTIFIER
        and each.n_nonblank > 1
        and (each.distinct_share or 0) >= _TELLS_APART
    ]
    passed = {*said, *measured.repeating}
    apart = [each.column for each in numbers if each.column not in passed and not each.counts_rows]
    doubtful = [each.column for each in found if each.from_values and each.column in {*alike} & {*harmless}]
    if people:
        by_name = {each.column for each in found if each.kind in PERSON_KINDS and not each.from_values}
        step = _MAY_BE_FRESH if by_name.issuperset(people) else _REMOVE
        yield Finding.of("direct_identifiers", Verdict.FAIL, n_affected=len(people))(
            _direct_identifiers(people, said)
        ).told(step=text(step, columns=_named(people)))
    if doubtful:
        yield Finding.of("doubtful_identifiers", Verdict.WARN, n_affected=len(doubtful))(
            "{columns} looks like a direct identifier of people, and you say that it is harmless.",
            "{columns} look like direct identifiers of people, and you say that they are harmless.",
            columns=listed(doubtful),
        )
    if apart:
        yield Finding.of("distinct_columns", Verdict.WARN, n_affected=len(apart))(
            "{columns} tells nearly every record, or person, apart and is not among the quasi-identifiers. "
            "Whoever has the same column from elsewhere finds every record.",
            "{columns} tell nearly every record, or person, apart and are not among the quasi-identifiers. "
            "Whoever has the same column from elsewhere finds every record.",
            columns=listed(apart),
        ).told(step=text("Leave {columns} out, or count it as known.", columns=_named(apart)))


def _perhaps_names(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield the columns of digests, and in the form of names, that nobody has said anything of."""
    said = {*measured.settings.direct_identifiers, *measured.settings.harmless}
    unsaid = [each for each in measured.unassigned if each.column not in said]
    perhaps = [each.column for each in unsaid if each.kind == PERHAPS_NAMES]
    if digests := [each.column for each in unsaid if each.kind == DIGESTS]:
        yield Finding.of("digests", Verdict.WARN, n_affected=len(digests))(
            "{columns} holds digests, and some records have the same: whoever guesses what they were made "
            "of, such as names or days of birth, computes them again, unless a secret key went in.",
            "{columns} hold digests, and some records have the same: whoever guesses what they were made "
            "of, such as names or days of birth, computes them again, unless a secret key went in.",
            columns=listed(digests),
        ).told(
            step=text(
                "Give random pseudonyms instead of {columns}, or say that a secret key went in.",
                columns=_named(digests),
            )
        )
    if perhaps:
        yield Finding.of("perhaps_names", Verdict.WARN, n_affected=len(perhaps))(
            "{columns} may hold names of people, by their header or by how the values are written.",
            columns=listed(perhaps),
        ).told(step=text("Look at {columns}: names of people have to go.", columns=_named(perhaps)))


def _direct_identifiers(people: Sequence[str], said: Sequence[str]) -> Text:
    if {*people} <= {*said}:
        return text(
            "{columns} is a direct identifier of people: no group size protects while it is in the table.",
            "{columns} are direct identifiers of people: no group size protects while they are in the table.",
            n=len(people),
            columns=listed(people),
        )
    return text(
        "{columns} looks like a direct identifier of people: no group size protects while it is in the "
        "table.",
        "{columns} look like direct identifiers of people: no group size protects while they are in the "
        "table.",
        n=len(people),
        columns=listed(people),
    )


def _sensitive_identifiers(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield the sensitive attributes whose values name people: they are released as they are."""
    texts = {each.column for each in measured.texts if each.is_text}
    columns = [
        each.column
        for each in measured.sensitive_suggestions
        if each.role is Role.DIRECT_IDENTIFIER
        and each.from_values
        and each.kind not in _NOT_SURE
        and each.column not in texts
    ]
    if columns:
        yield Finding.of("sensitive_identifiers", Verdict.FAIL, n_affected=len(columns))(
            "{columns} is chosen as sensitive, and the values look like direct identifiers of people. A "
            "release has them as they are.",
            "{columns} are chosen as sensitive, and the values look like direct identifiers of people. A "
            "release has them as they are.",
            columns=listed(columns),
        ).told(step=text("Leave {columns} out of the release.", columns=_named(columns)))


def _columns_nobody_chose(measured: RiskMeasurement, k: int) -> Iterator[Finding]:
    """Yield which further columns narrow records down, and which others may be known of a person."""
    joined_with = tuple(_with_further(measured, k))
    yield from joined_with
    told = {*measured.settings.direct_identifiers, *measured.settings.harmless}
    told |= {name for each in joined_with for name in each.columns}
    quasi = [
        each.column
        for each in measured.unassigned
        if each.role is Role.QUASI_IDENTIFIER
        and each.column not in told
        and (each.n_distinct > 1 or each.n_nonblank < measured.entry.n_in_table)  # a constant changes nothing
    ]
    if quasi:
        yield Finding.of("further_quasi_identifiers", Verdict.WARN, n_affected=len(quasi))(
            "{columns} may be known about a person from elsewhere, and is not among the "
            "quasi-identifiers; with it groups get smaller.",
            "{columns} may be known about a person from elsewhere, and are not among the "
            "quasi-identifiers; with them groups get smaller.",
            columns=listed(quasi),
        ).told(step=text("Add {columns} to the quasi-identifiers, and look again.", columns=_named(quasi)))


def _with_further(measured: RiskMeasurement, k: int) -> Iterator[Finding]:
    """Yield which further columns, each or all together, put many more records into small classes."""
    n_records, before = measured.classes.n_records, measured.classes.n_records_below(k)
    told = {each.column for each in measured.unassigned if each.role is Role.DIRECT_IDENTIFIER}
    told |= {each.column for each in measured.unassigned if (each.distinct_share or 0) >= _TELLS_APART}
    many = [each for each in measured.further if each.n_below(k) - before >= max(_SINGLED_OUT * n_records, 1)]
    single = [each for each in many if len(each.columns) == 1 and each.columns[0] not in told]
    single.sort(key=lambda each: -each.n_below(k))
    together = [each for each in many if len(each.columns) > 1 and told.isdisjoint(each.columns)]
    found = single or together
    if not found:
        return
    worst = found[0]
    columns = tuple(dict.fromkeys(name for each in found for name in each.columns))
    message = (
        "Whoever knows {columns} together beside the quasi-identifiers narrows {found} down to fewer than "
        "{asked}, {alone} of them to one; no single one of these columns does."
        if not single
        else "Whoever knows one more of {columns} beside the quasi-identifiers narrows records down to fewer "
        "than {asked}: with {worst} {found}, {alone} of them to one."
        if len(found) > 1
        else "Whoever knows {columns} beside the quasi-identifiers narrows {found} down to fewer than "
        "{asked}, {alone} of them to one."
    )
    yield Finding.of("further_columns", Verdict.WARN, n_affected=worst.n_below(k), columns=columns)(
        message,
        columns=listed(columns),
        found=share_of(worst.n_below(k), n_records, "records"),
        asked=measured.units(k),
        alone=worst.n_below(2),
        worst=listed(worst.columns),
    ).told(
        step=text(
            "Add {columns} to the quasi-identifiers, make it coarser, or leave it out; it is harmless "
            "only if nobody outside can know it.",
            "Add {columns} to the quasi-identifiers, make them coarser, or leave them out; they are "
            "harmless only if nobody outside can know them.",
            n=len(columns),
            columns=_named(columns),
        )
    )


def _unchosen_together(measured: RiskMeasurement) -> Iterator[Finding]:
    """Yield what the columns nobody chose single out together; little of it is a fact, no warning."""
    found = measured.unchosen
    if len(found.columns) < 2 or found.unique_share is None:  # one column is spoken of by itself
        return
    much = found.unique_share >= _SINGLED_OUT
    sentences: list[str] = [
        text(
            "The {columns} released columns that nobody has marked as known to others, put together, single "
            "out {found}.",
            columns=len(found.columns),
            found=share_of(found.n_unique, found.n_records, "records"),
        )
    ]
    if found.smallest:
        sentences.append(_smallest_set(found))
    if much:
        sentences.append("Whoever knows them of somebody finds the record.")
    yield Finding.of("unchosen_columns", Verdict.WARN if much else Verdict.PASS, n_affected=found.n_unique)(
        joined(sentences)
    ).told(
        step=text(
            "Choose what {columns} are, make them coarser, or leave them out: alone they single out {found}.",
            columns=_named(found.smallest or found.columns),
            found=share_of(found.n_unique_in_smallest or found.n_unique, found.n_records, "records"),
        )
    )


def _smallest_set(found: UnchosenColumns) -> Text:
    one_of = found.n_sets > 1
    message = {
        (False, True): "By {columns} alone it is {share}.",
        (True, True): "By {columns} alone it is {share}, one of {sets} such sets of that size.",
        (
            False,
            False,
        ): "By {columns} alone it is {share}; the search was bounded, so a smaller set may exist.",
        (True, False): (
            "By {columns} alone it is {share}, one of {sets} such sets of that size; the search was "
            "bounded, so a smaller set may exist."
        ),
    }[one_of, found.is_exact]
    return text(
        message,
        columns=listed(found.smallest),
        share=part_of(found.n_unique_in_smallest / max(found.n_records, 1), found.n_records),
        sets=found.n_sets,
    )


def _linked(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
    linkage = measured.linkage
    if linkage is None:
        return
    above = linkage.is_above(thresholds.risk_at_k)
    yield Finding.of(
        "record_linkage", Verdict.WARN if above else Verdict.PASS, n_affected=int(linkage.n_linked)
    )(
        joined(
            [
                text(
                    "By the numbers of {columns} the nearest original of {linked} is "
                    "their own, among {originals}; {accepted} are accepted by k.",
                    columns=listed(linkage.columns),
                    linked=share_of(round(linkage.n_linked), linkage.n_records, "records"),
                    originals=linkage.n_originals,
                    accepted=percent(thresholds.risk_at_k),
                ),
                *(
                    ["Whoever has the originals finds these people: make the numbers coarser."]
                    if above
                    else []
                ),
            ]
        )
    )


def _population_by_size(measured: RiskMeasurement, thresholds: RiskThresholds) -> Iterator[Finding]:
    """Yield what is known and what is estimated of a population of which only the size is given."""
    population = measured.population
    if population is None or population.based_on != "size":
        return
    bounded = population.journalist_highest_risk <= 1 / max(thresholds.k, 2) + 1e-12
    yield Finding.of("population_by_size", Verdict.PASS if bounded else Verdict.WARN)(
        joined(
            [
                text(
                    "Only the size of the population is known, of which the table holds {share}. Against it "
                    "risks are bounds, those of somebody known to be in the table: at most {journalist} for "
                    "a journalist, {marketer} for a marketer.",
                    share=percent(min(population.n_records / population.population_size, 1.0)),
                    journalist=percent(population.journalist_highest_risk),
                    marketer=percent(population.marketer_risk),
                ),
                *filter(None, [estimates_note(population.estimates)]),
                "Give a table of the population to count instead.",
            ]
        )
    )


def _sensitive(measured: RiskMeasurement) -> Iterator[Finding]:
    if not measured.settings.sensitive:
        yield Finding.of("no_sensitive_attribute", Verdict.WARN)(
            "No sensitive attribute is chosen, so what a group gives away about everybody in it "
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
                "{n} of {records} has no known value of {column} and was not counted. If a blank is an "
                "answer, such as no diagnosis, count it as a value.",
                "{n} of {records} have no known value of {column} and were not counted. If a blank is an "
                "answer, such as no diagnosis, count it as a value.",
                records=counted(n_assessed, "record"),
                column=f"`{sensitive.column}`",
            )


def _left_out(measured: RiskMeasurement) -> Iterator[Finding]:
    entry = measured.entry
    total = counted(entry.n_in_table, "record")
    if entry.n_fully_suppressed:
        yield Finding.of("fully_suppressed", Verdict.PASS, n_affected=entry.n_fully_suppressed)(
            "{n} of {records} is suppressed (`*`) in every quasi-identifier and left out.",
            "{n} of {records} are suppressed (`*`) in every quasi-identifier and left out.",
            records=total,
        )
    if entry.n_dropped:
        yield Finding.of("dropped_records", Verdict.WARN, n_affected=entry.n_dropped)(
            "{n} of {records} lacks a quasi-identifier and was left out; nothing is said about it.",
            "{n} of {records} lack a quasi-identifier and were left out; nothing is said about them.",
            records=total,
        )
    if measured.settings.missing == "wildcard" and entry.n_with_missing:
        yield Finding.of("wildcards", Verdict.WARN, n_affected=entry.n_with_missing)(
            "{n} of {records} lacks a quasi-identifier, which was taken to match every value. Groups "
            "then overlap and are as large as they can be; whoever knows that a value is missing sees "
            "smaller ones.",
            "{n} of {records} lack a quasi-identifier, which was taken to match every value. Groups "
            "then overlap and are as large as they can be; whoever knows that a value is missing sees "
            "smaller ones.",
            records=counted(entry.n_assessed, "record"),
        )


def _persons(measured: RiskMeasurement) -> Iterator[Finding]:
    persons = measured.persons
    if persons is not None and persons.n_unknown:
        yield Finding.of(
            "unknown_persons", Verdict.WARN, column=measured.settings.person, n_affected=persons.n_unknown
        )(
            "{n} of {records} names no person in {column}. It adds nobody to a group with known persons, "
            "and counts as one person elsewhere.",
            "{n} of {records} name no person in {column}. They add nobody to a group with known persons, "
            "and count as one person elsewhere.",
            records=counted(measured.classes.n_records, "record"),
            column=f"`{measured.settings.person}`",
        )


def _columns(measured: RiskMeasurement) -> Iterator[Finding]:
    constant = [
        each.column for each in measured.quasi_identifiers if each.n_values + (each.n_missing > 0) <= 1
    ]
    if constant:
        yield Finding.of("constant_columns", Verdict.PASS, n_affected=len(constant))(
            "{columns} holds one and the same value in all records, so groups do not depend on it.",
            "{columns} hold one and the same value in all records, so groups do not depend on them.",
            columns=listed(constant),
        )
    if len(measured.quasi_identifiers) == len(measured.columns) and len(measured.columns) > 1:
        yield Finding.of("all_columns", Verdict.WARN)(
            "All {n} columns are quasi-identifiers: nothing remains that a group could give away, and "
            "few tables reach large groups over every column.",
            n=len(measured.columns),
        )
    unknown = measured.settings.missing == "value"
    n_missing = sum(each.n_missing for each in measured.quasi_identifiers)
    if unknown and n_missing:
        n_cells = measured.entry.n_in_table * len(measured.quasi_identifiers)
        yield Finding.of("missing_quasi_identifiers", Verdict.PASS, n_affected=n_missing)(
            "{found} is missing, which counts as a value of its own.",
            "{found} are missing, which counts as a value of its own.",
            n=n_missing,
            found=share_of(n_missing, n_cells, "cells of the quasi-identifiers"),
        )
