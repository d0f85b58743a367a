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
    epoch,
    named,
    one_kind,
    pandas_times,
    rooms,
    timed,
    two_parts,
    two_years,
    versions,
)
from benchmarks.quality.events.rows import (
    all_numbers,
    nobody_heavy,
    one_heavy,
    one_order,
    order_of_kinds,
    same_number,
)
from benchmarks.quality.events.users import (
    by_case,
    numbered,
    row_numbers,
    sessions_of_one_event,
    spelt,
    true_numbers,
    true_persons,
)
from benchmarks.quality.events.values import (
    activity,
    chosen,
    labelled,
    names_in_values,
    nearly_uniform,
    own_mapping,
    stamp,
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
        "numbers of rows, flattened in all steps",
        "numbers",
        chosen(all_numbers, settings=_STEPS),
        chosen(same_number, settings=_STEPS),
    ),
    _leaky("one user with fifty times the rows", "numbers", one_heavy, nobody_heavy, _WARN),
    _leaky("order of kinds by week", "order", order_of_kinds, one_order, _WARN),
    _leaky(
        "a real log, users removed",
        "together",
        chosen(natural, rule=_USERS, settings=_COARSE),
        chosen(natural, rule=_USERS, settings=_COARSE, options=_PER_EVENT),
        _WARN,
        sizes=_MANY,
    ),
    _leaky("one person in five cases", "users", spelt(by_case), true_persons),
    _leaky(
        "one number as spreadsheets write it",
        "users",
        numbered(lambda i, k: (str(i), f"{i}.0", f"{i}.00", f"0{i}", f"{i},0")[k]),
        true_numbers,
    ),
    _leaky("row numbers taken for users", "users", row_numbers, sessions_of_one_event, _WARN),
    _leaky("no event is in the mapping", "mapping", unmapped(1.0), shared_profiles, _NOT),
    _leaky("compact timestamps in event names", "values", stamp("%Y%m%dT%H%M%S"), labelled(activity), _WARN),
    _leaky("participants named in the event", "values", names_in_values, labelled(activity)),
    _leaky(
        "e-mail addresses in events",
        "values",
        labelled(lambda g, _: f"mail to {GIVEN[g % 18]}.{FAMILY[g % 15]}@example.org"),
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
    _fine("shared profiles", "linked", shared_profiles),
    _fine("shared profiles, k = 8", "linked", chosen(shared_profiles, rule={"k": 8})),
    _fine("one kind of event only", "linked", one_kind),
    _fine("two years", "linked", two_years),
    _fine("a row a user and combination at most", "linked", capped),
    _fine("a real log, a pseudonym an event", "unlinked", chosen(natural, options=_PER_EVENT), sizes=_SOME),
    _fine(
        "a real log, a pseudonym an event, users removed",
        "unlinked",
        chosen(natural, options=_PER_EVENT, rule=_USERS, settings=_COARSE),
        sizes=_MANY,
    ),
    _fine("one event a week, a pseudonym a week", "unlinked", lambda s: apart(s, "week"), sizes=_SOME),
    _fine("names of people as users", "users", named(shared_profiles, person_names)),
    _fine("short codes in both cases", "users", named(shared_profiles, base62)),
    _fine("numbers in two parts as users", "users", named(shared_profiles, two_parts)),
    _fine("own column names", "reading", lambda s: varied(shared_profiles(s), names=("when", "who", "what"))),
    _fine("day-first times", "reading", timed(pandas_times("%d.%m.%Y %H:%M"), time_format="day-first")),
    _fine("year-first times with slashes", "reading", timed(pandas_times("%Y/%m/%d %H:%M"))),
    _fine("epoch seconds", "reading", timed(epoch(1), time_format="epoch-seconds")),
    _fine("versions and phases as events", "values", labelled(versions)),
    _fine(
        "numbered rooms, numbered users",
        "values",
        named(labelled(rooms), lambda n, _: np.arange(1, n + 1).astype(str)),
    ),
    _fine("an own mapping", "values", own_mapping),
    _fine("a diverse attribute", "attribute", nearly_uniform(0.8), sizes=_SOME),
)
