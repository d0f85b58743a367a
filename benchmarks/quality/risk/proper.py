"""Proper releases: a careful person would let them pass, whatever they look like at a glance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.quality.risk.tables import ALL, People, judged, people
from benchmarks.quality.scoreboard import Kind, Scenario
from core.verdict import Verdict

KINDS: list[Kind] = []
_MIDDLE = (200, 1000, 5000)


def proper(
    family: str, *, sizes: Sequence[int] = (30, 200, 1000, 5000), schemas: Sequence[str] = ALL
) -> Callable[[Callable[[Scenario], Verdict]], Callable[[Scenario], Verdict]]:
    """Register a proper kind under its function's name."""

    def register(judge: Callable[[Scenario], Verdict]) -> Callable[[Scenario], Verdict]:
        name = judge.__name__.replace("_", " ").strip()
        KINDS.append(
            Kind(
                tool="risk", name=name, family=family, leaky=False, judge=judge, sizes=sizes, schemas=schemas
            )
        )
        return judge

    return register


def _rng(s: Scenario) -> np.random.Generator:
    return s.rng("proper")


def _drawn(s: Scenario, table: People, values: Sequence[str]) -> list[str]:
    return [values[i] for i in _rng(s).integers(0, len(values), len(table.frame))]


@proper("generalized")
def _generalized_ages_and_places(s: Scenario) -> Verdict:
    return judged(people(s))


@proper("generalized")
def _classes_of_three_for_known_recipients(s: Scenario) -> Verdict:
    return judged(people(s, k=3))


@proper("generalized")
def _some_records_suppressed_with_stars(s: Scenario) -> Verdict:
    table = people(s, k=6)
    rows = table.classes()[-1]
    for column in table.quasi:
        table = table.with_cells(rows, column, "*")
    return judged(table)


@proper("generalized", sizes=_MIDDLE)
def _a_constant_column_is_kept(s: Scenario) -> Verdict:
    return judged(people(s).with_column("year", ["2025"] * len(people(s).frame)))


@proper("missing values", sizes=_MIDDLE)
def _ages_missing_for_a_whole_class(s: Scenario) -> Verdict:
    table = people(s)
    return judged(table.with_cells(table.classes()[0], table.quasi[0], ""))


@proper("missing values", sizes=_MIDDLE)
def _some_diagnoses_unknown(s: Scenario) -> Verdict:
    table = people(s, k=20)
    rows = _rng(s).permutation(len(table.frame))[: max(len(table.frame) // 50, 1)]
    return judged(table.with_cells(rows, table.diagnosis, "unknown"))


@proper("sensitive values")
def _a_decimal_laboratory_value(s: Scenario) -> Verdict:
    table = people(s)
    values = _rng(s).normal(13.6, 1.4, len(table.frame))
    return judged(table.with_column("haemoglobin", [f"{v:.1f}" for v in values], sensitive=True))


@proper("sensitive values", sizes=_MIDDLE, schemas=("slovenian_registry",))
def _decimal_commas(s: Scenario) -> Verdict:
    table = people(s)
    values = _rng(s).normal(5.2, 0.8, len(table.frame))
    return judged(
        table.with_column("glukoza", [f"{v:.2f}".replace(".", ",") for v in values], sensitive=True)
    )


@proper("sensitive values", sizes=(1000, 5000))
def _two_answers_that_differ_by_a_sign(s: Scenario) -> Verdict:
    table = people(s, k=40)
    return judged(table.with_column("salary_class", _drawn(s, table, ("<=50K", ">50K")), sensitive=True))


@proper("sensitive values", sizes=(1000, 5000))
def _a_small_scale_of_answers(s: Scenario) -> Verdict:
    table = people(s, k=20)
    return judged(table.with_column("trust", _drawn(s, table, "12345"), sensitive=True))


@proper("sensitive values", sizes=(1000, 5000))
def _neighbouring_years(s: Scenario) -> Verdict:
    table = people(s, k=20)
    return judged(
        table.with_column("onset", _drawn(s, table, ("2019", "2020", "2021", "2022")), sensitive=True)
    )


@proper("sensitive values", sizes=(1000, 5000))
def _bands_of_income(s: Scenario) -> Verdict:
    table = people(s, k=20)
    values = _drawn(s, table, ("0-20", "20-40", "40-60", "60-80"))
    return judged(table.with_column("income_band", values, sensitive=True))


@proper("sensitive values", sizes=_MIDDLE)
def _two_sensitive_attributes_without_relation(s: Scenario) -> Verdict:
    table = people(s, k=10)
    return judged(
        table.with_column("therapy", _drawn(s, table, ("A", "B", "C", "D", "E", "F")), sensitive=True)
    )


@proper("sensitive values", sizes=(1000, 5000, 20_000))
def _closeness_asked_for_and_kept(s: Scenario) -> Verdict:
    return judged(replace(people(s, k=60), limits={"t": 0.6}))


@proper("other columns", sizes=(1000, 5000))
def _two_harmless_answers_left_in(s: Scenario) -> Verdict:
    table = people(s)
    table = table.with_column("satisfaction", _drawn(s, table, "12345"))
    other = ["low", "medium", "high"]
    values = [other[i] for i in s.rng("second").integers(0, 3, len(table.frame))]
    return judged(table.with_column("trust", values))


@proper("other columns", sizes=(1000, 5000))
def _harmless_answers_said_to_be_harmless(s: Scenario) -> Verdict:
    table = people(s)
    table = table.with_column("satisfaction", _drawn(s, table, "12345"))
    return judged(table.saying(other=("satisfaction",)))


@proper("other columns", sizes=(200, 1000, 5000))
def _a_drug_called_name_said_to_be_harmless(s: Scenario) -> Verdict:
    table = people(s)
    drugs = ("ibuprofen", "metformin", "salbutamol", "sertraline", "omeprazole")
    return judged(table.with_column("name", _drawn(s, table, drugs)).saying(other=("name",)))


@proper("other columns", sizes=(200, 1000, 5000))
def _names_that_will_not_be_released(s: Scenario) -> Verdict:
    table = people(s)
    values = [f"Person {i}" for i in range(len(table.frame))]
    return judged(table.with_column("full_name", values).saying(leave_out=("full_name",)))


@proper("persons", sizes=_MIDDLE)
def _one_record_a_person(s: Scenario) -> Verdict:
    table = people(s)
    tokens = [f"{i:08x}" for i in _rng(s).permutation(2**20)[: len(table.frame)]]
    return judged(table.with_column("pid", tokens).saying(person="pid"))


@proper("population", sizes=_MIDDLE)
def _sampling_weights(s: Scenario) -> Verdict:
    table = people(s)
    return judged(table.with_column("w", ["25"] * len(table.frame)).saying(weight="w"))


@proper("population", sizes=_MIDDLE)
def _a_policy_of_average_risk_alone(s: Scenario) -> Verdict:
    return judged(replace(people(s, k=10), k=1, limits={"average_risk": 0.1}))


@proper("households", sizes=(1000, 5000))
def _everybody_of_another_household(s: Scenario) -> Verdict:
    table = people(s)
    return judged(table.with_column("hh", [f"H{i}" for i in range(len(table.frame))]).saying(household="hh"))


@proper("beside the original", sizes=_MIDDLE)
def _generalized_beside_its_original(s: Scenario) -> Verdict:
    return judged(people(s), original=True)
