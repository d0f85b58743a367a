"""Event logs and their exports: what a careful person would object to, and what is properly done.

A kind is a log, the settings somebody chose, and the export that comes of them; judged is the audit of it.
"""

from __future__ import annotations

import numpy as np

from benchmarks.quality.events.logs import (
    FAMILY,
    GIVEN,
    Make,
    judged,
    natural,
    person_names,
    shared_profiles,
    varied,
)
from benchmarks.quality.events.proper import (
    apart,
    base62,
    capped,
    codes,
    epoch,
    named,
    one_kind,
    pandas_times,
    rooms,
    timed,
    two_parts,
    two_years,
    versions,
    with_extras,
    with_na,
)
from benchmarks.quality.events.rows import (
    all_numbers,
    even_total,
    few_heavy,
    in_one_week,
    nobody_heavy,
    numbers_in_pairs,
    one_heavy,
    one_order,
    order_by_month,
    order_in_a_day,
    order_of_kinds,
    same_number,
    same_subset,
    some_numbers,
    split_total,
    subsets,
)
from benchmarks.quality.events.users import (
    by_case,
    by_composition,
    by_marks,
    by_spaces,
    numbered,
    row_numbers,
    sessions,
    sessions_of_one_event,
    spelt,
    true_numbers,
    true_persons,
)
from benchmarks.quality.events.values import (
    activity,
    changed,
    chosen,
    class_of_a_person,
    class_of_a_thing,
    dominated,
    labelled,
    merged,
    names_in_values,
    names_of_another_column,
    nearly_uniform,
    only_the_column,
    own_mapping,
    single_events,
    stamp,
    undominated,
    unmapped,
)
from benchmarks.quality.scoreboard import Kind
from core.verdict import Verdict


def _leaky(
    name: str, family: str, make: Make, control: Make, at_least: Verdict = Verdict.FAIL, **more: object
) -> Kind:
    return Kind(
        tool="events",
        name=name,
        family=family,
        leaky=True,
        judge=judged(make),
        control=judged(control),
        at_least=at_least,
        **more,  # type: ignore[arg-type]
    )


def _fine(name: str, family: str, make: Make, **more: object) -> Kind:
    return Kind(tool="events", name=name, family=family, leaky=False, judge=judged(make), **more)  # type: ignore[arg-type]


_PER_DAY, _PER_EVENT = {"pseudonym_per": "day"}, {"pseudonym_per": "event"}
_WARN, _NOT = Verdict.WARN, Verdict.NOT_ASSESSED
_MANY = (1000, 5000, 20_000)
_SOME = (200, 1000, 5000, 20_000)
_COARSE = {"columns": ("generalized_event", "weekday"), "flatten": "weekday"}
_STEPS = {"flatten_steps": ("auto",)}
_USERS = {"strategy": "remove-users"}

KINDS = (
    _leaky("every user has another number of rows", "numbers", all_numbers, same_number),
    _leaky(
        "numbers of rows, users removed instead of events",
        "numbers",
        chosen(all_numbers, rule=_USERS),
        chosen(same_number, rule=_USERS),
    ),
    _leaky(
        "numbers of rows, flattened in all steps",
        "numbers",
        chosen(all_numbers, settings=_STEPS),
        chosen(same_number, settings=_STEPS),
    ),
    _leaky(
        "numbers of rows in one day, a pseudonym a day",
        "numbers",
        chosen(all_numbers, options=_PER_DAY),
        chosen(same_number, options=_PER_DAY),
    ),
    _leaky("a fifth have numbers of their own", "numbers", some_numbers, same_number, _WARN),
    _leaky("one user with fifty times the rows", "numbers", one_heavy, nobody_heavy, _WARN),
    _leaky("three users with far more rows", "numbers", few_heavy, nobody_heavy, _WARN),
    _leaky("numbers of rows that two users each share", "numbers", numbers_in_pairs, same_number, _WARN),
    _leaky("same rows in all, split differently", "numbers", split_total, even_total),
    _leaky("one user makes most of a combination", "numbers", dominated, undominated, _WARN),
    _leaky("order of kinds by week", "order", order_of_kinds, one_order, _WARN),
    _leaky(
        "order of kinds in a day",
        "order",
        changed(order_of_kinds, order_in_a_day),
        changed(one_order, order_in_a_day),
        _WARN,
    ),
    _leaky(
        "order of kinds by month",
        "order",
        changed(order_of_kinds, order_by_month),
        changed(one_order, order_by_month),
        _WARN,
    ),
    _leaky("four weeks of twelve", "together", subsets, same_subset, _WARN),
    _leaky(
        "days and hours of one week",
        "together",
        in_one_week,
        chosen(in_one_week, options=_PER_EVENT),
        _WARN,
    ),
    _leaky(
        "a real log, one pseudonym a user",
        "together",
        natural,
        chosen(natural, options=_PER_EVENT),
        _WARN,
        sizes=_SOME,
    ),
    _leaky(
        "a real log, users removed",
        "together",
        chosen(natural, rule=_USERS, settings=_COARSE),
        chosen(natural, rule=_USERS, settings=_COARSE, options=_PER_EVENT),
        _WARN,
        sizes=_MANY,
    ),
    _leaky("one person in five cases", "users", spelt(by_case), true_persons),
    _leaky("one person with five kinds of spaces", "users", spelt(by_spaces), true_persons),
    _leaky("one person with five separators", "users", spelt(by_marks), true_persons),
    _leaky("one person in five Unicode forms", "users", spelt(by_composition), true_persons),
    _leaky("one number with leading zeros", "users", numbered(lambda i, k: "0" * k + str(i)), true_numbers),
    _leaky(
        "one number as spreadsheets write it",
        "users",
        numbered(lambda i, k: (str(i), f"{i}.0", f"{i}.00", f"0{i}", f"{i},0")[k]),
        true_numbers,
    ),
    _leaky(
        "one code with and without zeros and case",
        "users",
        numbered(lambda i, k: (f"P{i}", f"p{i}", f"P0{i}", f"P-{i}", f"P 00{i}")[k]),
        true_numbers,
    ),
    _leaky("sessions taken for users", "users", sessions, sessions_of_one_event, _WARN),
    _leaky("row numbers taken for users", "users", row_numbers, sessions_of_one_event, _WARN),
    _leaky("no event is in the mapping", "mapping", unmapped(1.0), shared_profiles, _NOT),
    _leaky("all kinds in one class", "mapping", merged, own_mapping, _NOT),
    _leaky("two fifths of the kinds unmapped", "mapping", unmapped(0.4), shared_profiles, _WARN),
    _leaky("dates in event names", "values", stamp("%Y-%m-%d"), labelled(activity), _WARN),
    _leaky("day-first dates in event names", "values", stamp("%d.%m.%Y"), labelled(activity), _WARN),
    _leaky("compact timestamps in event names", "values", stamp("%Y%m%dT%H%M%S"), labelled(activity), _WARN),
    _leaky("epoch seconds in event names", "values", stamp("%s"), labelled(activity), _WARN),
    _leaky("participants named in the event", "values", names_in_values, labelled(activity)),
    _leaky("names of another column in the event", "values", names_of_another_column, only_the_column),
    _leaky("a class called after a user", "values", class_of_a_person, class_of_a_thing),
    _leaky(
        "e-mail addresses in events",
        "values",
        labelled(lambda g, _: f"mail to {GIVEN[g % 18]}.{FAMILY[g % 15]}@example.org"),
        labelled(activity),
        _WARN,
    ),
    _leaky(
        "phone numbers in events",
        "values",
        labelled(lambda _, r: f"call +386 41 {r.integers(100, 999)} {r.integers(100, 999)}"),
        labelled(activity),
        _WARN,
    ),
    _leaky(
        "pseudonyms from a seed",
        "pseudonyms",
        chosen(shared_profiles, options={"pseudonym_seed": 1}),
        shared_profiles,
        _WARN,
    ),
    _leaky(
        "the users' own identifiers",
        "pseudonyms",
        chosen(shared_profiles, options={"keep_user_ids": True}),
        shared_profiles,
        _WARN,
    ),
    _leaky(
        "one value of the attribute a combination",
        "attribute",
        nearly_uniform(0.0),
        nearly_uniform(0.8),
        _WARN,
    ),
    _leaky(
        "nearly one value of the attribute",
        "attribute",
        nearly_uniform(0.04),
        nearly_uniform(0.8),
        _WARN,
        sizes=_SOME,
    ),
    _fine("shared profiles", "linked", shared_profiles),
    _fine("shared profiles, users removed", "linked", chosen(shared_profiles, rule=_USERS)),
    _fine("shared profiles, all steps", "linked", chosen(shared_profiles, settings=_STEPS)),
    _fine("shared profiles, k = 8", "linked", chosen(shared_profiles, rule={"k": 8})),
    _fine("one event each", "linked", single_events, sizes=_SOME),
    _fine("one kind of event only", "linked", one_kind),
    _fine("two years", "linked", two_years),
    _fine("a row a user and combination at most", "linked", capped),
    _fine("other columns in the file", "linked", with_extras, sizes=_SOME),
    _fine("a real log, a pseudonym an event", "unlinked", chosen(natural, options=_PER_EVENT), sizes=_SOME),
    _fine(
        "a real log, a pseudonym an event, users removed",
        "unlinked",
        chosen(natural, options=_PER_EVENT, rule=_USERS, settings=_COARSE),
        sizes=_MANY,
    ),
    _fine(
        "a real log, a pseudonym an event, all steps",
        "unlinked",
        chosen(natural, options=_PER_EVENT, settings=_STEPS),
        sizes=_SOME,
    ),
    _fine("one event a week, a pseudonym a week", "unlinked", lambda s: apart(s, "week"), sizes=_SOME),
    _fine("one event a week, a pseudonym a day", "unlinked", lambda s: apart(s, "day"), sizes=_SOME),
    _fine("names of people as users", "users", named(shared_profiles, person_names)),
    _fine("short codes in both cases", "users", named(shared_profiles, base62)),
    _fine(
        "numbers as users",
        "users",
        named(shared_profiles, lambda n, rng: rng.permutation(9 * n)[:n].astype(str)),
    ),
    _fine(
        "padded numbers as users",
        "users",
        named(shared_profiles, lambda n, rng: np.char.zfill(rng.permutation(9 * n)[:n].astype(str), 8)),
    ),
    _fine("numbers in two parts as users", "users", named(shared_profiles, two_parts)),
    _fine(
        "users called NA and null",
        "users",
        lambda s: varied(named(shared_profiles, with_na)(s), missing=()),
    ),
    _fine("own column names", "reading", lambda s: varied(shared_profiles(s), names=("when", "who", "what"))),
    _fine("day-first times", "reading", timed(pandas_times("%d.%m.%Y %H:%M"), time_format="day-first")),
    _fine("year-first times with slashes", "reading", timed(pandas_times("%Y/%m/%d %H:%M"))),
    _fine(
        "month-first times", "reading", timed(pandas_times("%m/%d/%Y %I:%M %p"), time_format="month-first")
    ),
    _fine("epoch seconds", "reading", timed(epoch(1), time_format="epoch-seconds")),
    _fine("epoch milliseconds", "reading", timed(epoch(1000), time_format="epoch-milliseconds")),
    _fine("times with a zone", "reading", timed(pandas_times("%Y-%m-%dT%H:%M:%S+01:00"))),
    _fine("own activities released as they are", "values", labelled(activity)),
    _fine("clinical codes as events", "values", labelled(codes)),
    _fine("versions and phases as events", "values", labelled(versions)),
    _fine(
        "numbered rooms, numbered users",
        "values",
        named(labelled(rooms), lambda n, _: np.arange(1, n + 1).astype(str)),
    ),
    _fine("an own mapping", "values", own_mapping),
    _fine("a diverse attribute", "attribute", nearly_uniform(0.8), sizes=_SOME),
)
