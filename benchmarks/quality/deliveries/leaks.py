"""What gives people away across the tables of a delivery; each with the same delivery without it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.quality.deliveries.worlds import SCHEMAS, Column, World, audited, pseudonyms, said, world
from benchmarks.quality.scoreboard import Kind, Scenario
from core.verdict import Verdict

KINDS: list[Kind] = []
SIZES = (300, 1000, 10_000, 100_000)
_WARN = Verdict.WARN
_JOINED, _INTERVALS, _IDENTIFIER = ("joined_k",), ("intervals",), ("looks_like_identifier",)
_GIVEN = tuple("Ana Boris Mary Hugo Fiona Igor Petra James Linda Susan Maja Robert Karen Nejc Maria".split())
_FAMILY = tuple("Novak Kralj Taylor Bennett Clarke Turk Golob Foster Hughes Walker Smith Jones".split())

Planted = Callable[[World, bool], Sequence[str] | None]


def leak(
    family: str, says: Sequence[str], *, at_least: Verdict = Verdict.FAIL, sizes: Sequence[int] = SIZES
) -> Callable[[Planted], Planted]:
    """Register a function that plants a leak (True) or its harmless twin (False), and returns what is named."""

    def register(plant: Planted) -> Planted:
        def leaky(scenario: Scenario) -> Verdict:
            made = world(scenario)
            mentions = plant(made, True) or ()
            return said(audited(made), says, mentions, made.planted)

        def harmless(scenario: Scenario) -> Verdict:
            made = world(scenario)
            plant(made, False)
            return audited(made).overall

        KINDS.append(
            Kind(
                tool="deliveries",
                name=plant.__name__.replace("_", " ").strip(),
                family=family,
                leaky=True,
                judge=leaky,
                control=harmless,
                at_least=at_least,
                sizes=sizes,
                schemas=tuple(SCHEMAS),
                orders=(False,),
            )
        )
        return plant

    return register


def dates(days: Column, first: str = "2023-01-01") -> Column:
    """Return days as they are written, year first."""
    return (np.datetime64(first) + days.astype("timedelta64[D]")).astype(str)


def _names(w: World, who: Column) -> Column:
    given, family = w.rng.integers(0, len(_GIVEN), w.n), w.rng.integers(0, len(_FAMILY), w.n)
    return np.char.add(np.char.add(np.array(_GIVEN)[given], " "), np.array(_FAMILY)[family])[who]


def _mails(w: World, who: Column) -> Column:
    return np.char.add(np.char.add("p", w.rng.permutation(w.n).astype(str)), "@example.org")[who]


# One, two or three known records


@leak("known records", _JOINED)
def _days_of_visits(w: World, leaky: bool) -> None:
    w.visits[w.names.day] = dates(w.rng.integers(0, 300, len(w.of_visit)) if leaky else 0 * w.of_visit)
    w.planted = w.n // 2 if leaky and w.n <= 1000 else leaky


@leak("known records", _JOINED)
def _a_rare_test_behind_a_visit(w: World, leaky: bool) -> None:
    rare = np.flatnonzero(w.kind == 1)[: 2 if leaky else None]
    w.tests[w.names.test][np.isin(w.of_visit, rare)] = "genetic"
    w.planted = 2 * leaky


@leak("known records", ("alone_with_all_records",), at_least=_WARN)
def _numbers_of_records_of_their_own(w: World, leaky: bool) -> None:
    often = 1 + (w.rng.permutation(w.n) if leaky and w.n <= 1000 else w.kind * (40 if leaky else 0) % 41)
    often = often if w.n <= 1000 else 1 + (w.rng.geometric(0.01, w.n) if leaky else w.kind % 3)
    more = np.repeat(np.arange(w.n), often)
    w.add("calls", more, **{w.names.vperson: w.ids[more], "by": np.full(len(more), "phone")})


# Sets


# Keys


@leak("keys", _IDENTIFIER)
def _e_mail_addresses_as_the_key(w: World, leaky: bool) -> Sequence[str]:
    if leaky:
        mails = _mails(w, np.arange(w.n))
        w.rename(lambda who: mails[who])
    return (w.names.persons,)


@leak("keys", ("key_computed",))
def _keys_that_are_digests_of_small_numbers(w: World, leaky: bool) -> None:
    if leaky:
        digests = np.array([hashlib.sha256(str(each).encode()).hexdigest() for each in range(1, w.n + 1)])
        digests = w.rng.permutation(digests)
        w.rename(lambda who: digests[who])


@leak("keys", ("listed_beside_key",))
def _a_list_of_pseudonyms_and_hospital_numbers(w: World, leaky: bool) -> Sequence[str]:
    column = "hospital_number" if leaky else "batch"
    values = w.rng.permutation(9 * w.n)[: w.n] + 10**6 if leaky else w.kind % 2
    w.add("transfer_list", np.arange(w.n), **{w.names.vperson: w.ids, column: values})
    return ("`transfer_list.hospital_number`",)


@leak("keys", _JOINED)
def _a_number_within_a_hospital(w: World, leaky: bool) -> None:
    """Only hospital and number together say who it is."""
    names, hospital = w.names, np.array(["h1", "h2", "h3"])[w.kind % 3]
    number = np.zeros(w.n, dtype=np.int64)
    for each in np.unique(hospital):
        number[hospital == each] = w.rng.permutation(np.count_nonzero(hospital == each))
    w.rename(lambda who: number[who])
    for name, columns in w.tables.items():
        if names.vperson in columns or name == names.persons:
            columns["hospital"] = hospital[w.who[name]]
    _days_of_visits(w, leaky)


# Who is where


@leak("who is where", ("few_in_table",), at_least=_WARN)
def _three_persons_in_a_table_of_their_own(w: World, leaky: bool) -> Sequence[str]:
    few = w.some(3) if leaky else np.flatnonzero(w.kind == 0)
    w.add("hiv_clinic", few, **{w.names.vperson: w.ids[few], "value": w.rng.integers(0, 2, len(few))})
    w.planted = 3 * leaky
    return ("`hiv_clinic`",)


@leak("who is where", ("missing_persons",), at_least=_WARN)
def _a_tenth_in_visits_that_nobody_is_in_persons_for(w: World, leaky: bool) -> None:
    gone = np.flatnonzero(w.kind % 10 == 0)
    w.keep(w.names.persons, ~np.isin(w.who[w.names.persons], gone))
    if not leaky:
        for name in [name for name in w.who if name != w.names.persons]:
            w.keep(name, ~np.isin(w.who[name], gone))


# Identifiers in places where nobody looks


@leak("identifiers", _IDENTIFIER)
def _names_in_a_table_of_visits(w: World, leaky: bool) -> Sequence[str]:
    w.visits[w.names.person_name] = _names(w, w.of_visit) if leaky else np.full(2 * w.n, "")
    return (f"`{w.names.visits}.{w.names.person_name}`",)


# Quasi-identifiers split over tables


@leak("split", _JOINED)
def _a_post_code_in_a_second_table(w: World, leaky: bool) -> None:
    n_codes = max(w.n // 8, 2)
    code = w.rng.permutation(w.n) % n_codes if leaky else w.kind % 4
    w.add("addresses", np.arange(w.n), **{w.names.vperson: w.ids, "postcode": 1000 + code})
    w.planted = w.n // 2 * leaky


@leak("split", ("same_order",), at_least=_WARN)
def _two_tables_under_two_pseudonyms_in_one_order(w: World, leaky: bool) -> None:
    """Nothing joins them but the order of their records, which shared columns give away."""
    others = pseudonyms(w.rng, w.n)
    columns = {w.names.age: w.persons[w.names.age], w.names.sex: w.persons[w.names.sex]}
    w.add("outcomes", np.arange(w.n), code=others, **columns, outcome=np.array(["x", "y"])[w.kind % 2])
    if leaky:
        order = w.rng.permutation(w.n)
        for name in (w.names.persons, "outcomes"):
            w.keep(name, order)
            w.in_order.add(name)


# Time and order


@leak("time", _INTERVALS)
def _days_since_the_first_visit(w: World, leaky: bool) -> Sequence[str]:
    who = np.repeat(np.arange(w.n), 4)
    steps = w.rng.integers(1, 90, (w.n, 4)) if leaky else np.full((w.n, 4), 30)
    steps[:, 0] = 0
    w.add(
        "course", who, **{w.names.vperson: w.ids[who], "days_since_start": np.cumsum(steps, axis=1).ravel()}
    )
    w.settings["quasi_identifiers"] = (f"{w.names.persons}.{w.names.sex}",)
    return ("`course.days_since_start`",)


@leak("order", ("order",), at_least=_WARN)
def _random_pseudonyms_given_in_the_order_of_the_first_visit(w: World, leaky: bool) -> Sequence[str]:
    first = np.argsort(w.rng.permutation(w.n))
    w.visits["month"] = np.char.add("2024-", np.char.zfill((1 + first[w.of_visit] * 4 // w.n).astype(str), 2))
    keys = np.sort(pseudonyms(w.rng, w.n))[first] if leaky else pseudonyms(w.rng, w.n)
    w.rename(lambda who: keys[who])
    w.settings["quasi_identifiers"] = (f"{w.names.persons}.{w.names.sex}",)
    return (f"{w.names.visits}.",)


# Households


def _households(w: World, leaky: bool) -> Column:
    """Return households of one to six; where leaky, of members that no other household has."""
    if not leaky:
        order = np.argsort(w.kind, kind="stable")
        household = np.empty(w.n, dtype=np.int64)
        household[order] = np.arange(w.n) // 3
    else:
        household = np.sort(w.rng.integers(0, max(w.n // 4, 1), w.n))
    return pseudonyms(w.rng, w.n)[household]


@leak("households", ("households",), at_least=_WARN, sizes=SIZES[:3])
def _households_of_members_that_no_other_has(w: World, leaky: bool) -> Sequence[str]:
    w.persons["household"] = _households(w, leaky)
    return (f"`{w.names.persons}.household`",)


# What nobody chose


@leak("unchosen", ("one_value_of_class",))
def _one_diagnosis_of_everybody_alike(w: World, leaky: bool) -> Sequence[str]:
    one = w.kind % 6 // 3 if leaky else np.arange(w.n) % 2
    w.visits["diagnosis"] = np.array(["D1", "D2"])[one[w.of_visit]]
    return (f"{w.names.visits}.diagnosis",)


@leak("unchosen", ("unchosen_columns",), at_least=_WARN)
def _an_exact_measurement_of_persons(w: World, leaky: bool) -> Sequence[str]:
    w.persons["titre"] = w.rng.random(w.n).round(9) if leaky else np.full(w.n, 0.5)
    return (f"{w.names.persons}.titre",)
