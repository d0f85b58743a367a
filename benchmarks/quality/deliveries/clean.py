"""Deliveries that are properly done, each near to something that is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.quality.deliveries.leaks import SIZES, dates
from benchmarks.quality.deliveries.worlds import SCHEMAS, World, audited, pseudonyms, world
from benchmarks.quality.scoreboard import Kind, Scenario
from core.verdict import Verdict

KINDS: list[Kind] = []


def clean(family: str) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """Register a function that changes a clean delivery into another; two warnings count as NOT ASSESSED."""

    def register(change: Callable[[World], None]) -> Callable[[World], None]:
        def judged(scenario: Scenario) -> Verdict:
            made = world(scenario)
            change(made)
            audit = audited(made)
            n_warned = sum(finding.verdict is Verdict.WARN for finding in audit.findings)
            return audit.overall if n_warned < 2 or audit.overall is Verdict.FAIL else Verdict.NOT_ASSESSED

        KINDS.append(
            Kind(
                tool="deliveries",
                name=change.__name__.replace("_", " ").strip(),
                family=family,
                leaky=False,
                judge=judged,
                sizes=SIZES,
                schemas=tuple(SCHEMAS),
                orders=(False,),
            )
        )
        return change

    return register


@clean("tables")
def _keys_in_a_circle(w: World) -> None:
    w.tests[w.names.vperson] = w.ids[w.of_visit]


@clean("tables")
def _a_third_without_visits(w: World) -> None:
    for name in list(w.who):
        if name != w.names.persons:
            w.keep(name, w.kind[w.who[name]] % 3 > 0)


@clean("keys")
def _random_numbers_as_keys(w: World) -> None:
    keys = w.rng.permutation(90_000_000 // 9)[: w.n] + 10_000_000
    w.rename(lambda who: keys[who])


@clean("keys")
def _leading_zeros_everywhere(w: World) -> None:
    keys = np.char.zfill(w.rng.permutation(900_000)[: w.n].astype(str), 8)
    w.rename(lambda who: keys[who])


@clean("keys")
def _a_prefix_in_one_table_of_coarse_facts(w: World) -> None:
    keys = w.rng.permutation(900_000)[: w.n].astype(str)
    w.rename(lambda who: keys[who])
    w.rename(lambda who: np.char.add("S-", keys[who]), tables=[w.names.persons])


@clean("keys")
def _a_number_within_a_hospital_of_coarse_facts(w: World) -> None:
    names, hospital = w.names, np.array(["h1", "h2"])[w.kind % 2]
    number = np.zeros(w.n, dtype=np.int64)
    for each in np.unique(hospital):
        number[hospital == each] = w.rng.permutation(np.count_nonzero(hospital == each))
    w.rename(lambda who: number[who])
    for name, columns in w.tables.items():
        if names.vperson in columns or name == names.persons:
            columns["hospital"] = hospital[w.who[name]]


@clean("keys")
def _two_pseudonyms_that_nothing_joins(w: World) -> None:
    keys = pseudonyms(w.rng, w.n)
    w.add("outcomes", np.arange(w.n), code=keys, outcome=np.array(["better", "worse"])[w.kind % 2])


@clean("keys")
def _some_visits_without_a_person(w: World) -> None:
    key = w.visits[w.names.vperson].astype(object)
    key[w.some(max(w.n // 50, 1))] = ""
    w.visits[w.names.vperson] = key


@clean("identifiers")
def _serial_numbers_of_devices_in_a_lookup(w: World) -> None:
    w.tables["analysers"] = {"analyser": np.arange(1, 9), "model": np.array(["m1", "m2"] * 4)}


@clean("known records")
def _a_rare_ward_of_twelve(w: World) -> None:
    w.visits[w.names.ward][w.kind[w.of_visit] == 0] = "W9"


@clean("known records")
def _ten_records_each_and_all_alike(w: World) -> None:
    more = np.repeat(np.arange(w.n), 10)
    w.add(
        "diary", more, **{w.names.vperson: w.ids[more], "mood": np.array(["good", "bad"])[w.kind[more] % 2]}
    )


@clean("sets")
def _lists_that_many_share(w: World) -> None:
    w.persons["hobbies"] = np.array(["chess;golf", "golf;rowing", "chess;rowing"])[w.kind % 3]


@clean("split")
def _facts_split_over_three_tables_and_coarse(w: World) -> None:
    for name, column, n_values in (("work", "occupation", 2), ("home", "municipality", 3)):
        value = np.char.add("c", (w.kind % n_values).astype(str))
        w.add(name, np.arange(w.n), **{w.names.vperson: w.ids, column: value})


@clean("time")
def _a_schedule_of_fourteen_days_shifted(w: World) -> None:
    start = w.rng.integers(0, 365, w.n)[w.of_visit]
    w.visits[w.names.day] = dates(start + 14 * (np.arange(2 * w.n) % 2))
    w.settings["quasi_identifiers"] = (f"{w.names.persons}.{w.names.sex}",)


@clean("order")
def _rows_sorted_by_random_pseudonyms(w: World) -> None:
    w.keep(w.names.persons, np.argsort(w.ids))
    w.in_order.add(w.names.persons)


@clean("order")
def _visits_sorted_by_their_random_numbers(w: World) -> None:
    w.keep(w.names.visits, np.argsort(w.visits[w.names.vid]))
    w.in_order.add(w.names.visits)


@clean("households")
def _households_of_persons_alike(w: World) -> None:
    order = np.argsort(w.kind, kind="stable")
    household = np.empty(w.n, dtype=np.int64)
    household[order] = np.arange(w.n) // 2
    w.persons["household"] = pseudonyms(w.rng, w.n)[household]


@clean("unchosen")
def _diagnoses_that_many_share(w: World) -> None:
    w.visits["diagnosis"] = _halves_of_kinds(w)[w.of_visit]


def _halves_of_kinds(w: World) -> np.ndarray:
    """Return one of two diagnoses for each person, so that of those alike in everything half have each."""
    order = np.argsort(w.kind, kind="stable")
    half = np.empty(w.n, dtype=np.int64)
    half[order] = np.arange(w.n) % 2
    return np.array(["D1", "D2"])[half]
