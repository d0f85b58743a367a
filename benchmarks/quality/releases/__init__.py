"""Releases after releases: what two tell together that neither tells alone, and pairs that tell nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind, Scenario, leak_of
from core.delivery import audit_delivery
from core.releases import (
    EarlierTable,
    Ledger,
    ReleasedTable,
    Roles,
    judge_releases,
    measure_releases,
    new_ledger,
    read_ledger,
)
from core.tables import Dataset, read_dataset
from core.verdict import Finding, Verdict, worst

KINDS: list[Kind] = []
SIZES = (1000, 5000)
_FACTS = ("same_release", "release_other_columns")  # said of controls too
_QUASI = ("age", "sex", "region")
_DIAGNOSES = np.array(["flu", "asthma", "none", "ulcer"])
Made = Callable[["Pair", bool], None]


@dataclass(kw_only=True, eq=False)
class Pair:
    """A release and an earlier one of the same people, alike in 24 classes that hold every diagnosis."""

    rng: np.random.Generator
    later: pd.DataFrame
    earlier: list[pd.DataFrame]
    quasi: tuple[str, ...] = _QUASI
    sensitive: tuple[str, ...] = ("diagnosis",)
    person: str | None = None
    as_ledger: bool = False
    tables: dict[str, tuple[pd.DataFrame, pd.DataFrame]] = field(default_factory=dict)

    def newcomers(self, n: int, *, diagnosis: str | None = None) -> None:
        """Let as many come to one class."""
        new = people(n, self.rng).assign(age="20-29", sex="F", region="north")
        self.later = pd.concat([self.later, new if diagnosis is None else new.assign(diagnosis=diagnosis)])

    def findings(self) -> Sequence[Finding]:
        """Return what the audit says of the release beside the earlier ones."""
        if self.tables:
            later, earlier = (
                [_read(pair[at], f"{name}.csv", self.rng) for name, pair in self.tables.items()]
                for at in (0, 1)
            )
            before = [EarlierTable(release=f"before/{each.name}", dataset=each) for each in earlier]
            releases = audit_delivery(later, earlier=before).releases
            return () if releases is None else releases.findings
        roles = Roles(quasi_identifiers=self.quasi, sensitive=self.sensitive, person=self.person)
        tables = [_read(frame, "table.csv", self.rng) for frame in (self.later, *self.earlier)]
        before_: list[EarlierTable | Ledger] = [
            EarlierTable(release=f"r{at}", dataset=each) for at, each in enumerate(tables[1:])
        ]
        released = [ReleasedTable(name="table", dataset=each, roles=roles) for each in tables]
        if self.as_ledger:
            before_ = [read_ledger(new_ledger([each], k=5), name="l.json") for each in released[1:]]
        return judge_releases(measure_releases(released[:1], before_), k=5).findings


def _read(frame: pd.DataFrame, name: str, rng: np.random.Generator) -> Dataset:
    shuffled = frame.iloc[rng.permutation(len(frame))]
    return read_dataset(shuffled.to_csv(index=False).encode(), name=name)


def people(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return people with a pseudonym nobody else has."""
    number = np.arange(n)
    return pd.DataFrame(
        {
            "pid": [f"{each:010x}" for each in rng.choice(2**40, n, replace=False)],
            "age": np.array(["20-29", "30-39", "40-49"])[number % 3],
            "sex": np.array(["F", "M"])[number // 3 % 2],
            "region": np.array(["north", "south", "east", "west"])[number // 6 % 4],
            "diagnosis": _DIAGNOSES[rng.integers(0, 4, n)],
        }
    )


def _drawn(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return people drawn at random, so that classes are not equally large."""
    return people(6 * n, rng).iloc[rng.choice(6 * n, n, replace=False)]


def _pair(scenario: Scenario) -> Pair:
    rng = scenario.rng("releases")
    before = people(scenario.n_records, rng)
    return Pair(rng=rng, later=before.copy(), earlier=[before])


def leak(family: str, *checks: str, at_least: Verdict = Verdict.FAIL) -> Callable[[Made], Made]:
    """Register what plants a leak (True) or its harmless twin (False); found is by the checks named."""

    def register(make: Made) -> Made:
        def judged(scenario: Scenario, leaky: bool) -> Verdict:
            pair = _pair(scenario)
            make(pair, leaky)
            found = [
                each
                for each in pair.findings()
                if each.check in checks or not (leaky or each.check in _FACTS)
            ]
            return worst([Verdict.PASS, *(each.verdict for each in found)])

        KINDS.append(
            leak_of("releases", make.__name__, judged, family=family, at_least=at_least, sizes=SIZES)
        )
        return make

    return register


def clean(family: str) -> Callable[[Callable[[Pair], None]], Callable[[Pair], None]]:
    """Register what makes a pair of releases that tells nothing."""

    def register(make: Callable[[Pair], None]) -> Callable[[Pair], None]:
        def judged(scenario: Scenario) -> Verdict:
            pair = _pair(scenario)
            make(pair)
            return worst([Verdict.PASS, *(each.verdict for each in pair.findings())])

        KINDS.append(
            Kind(
                tool="releases",
                name=make.__name__.replace("_", " ").strip(),
                family=family,
                leaky=False,
                judge=judged,
                sizes=SIZES,
                orders=(False,),
            )
        )
        return make

    return register


# Who came and who left


@leak("differences", "release_newcomer_values")
def _eight_newcomers_of_one_diagnosis(p: Pair, leaky: bool) -> None:
    p.newcomers(8, diagnosis="ulcer" if leaky else None)


@leak("noise", "release_noise", at_least=Verdict.WARN)
def _noise_drawn_anew(p: Pair, leaky: bool) -> None:
    p.person, n = "pid", len(p.later)
    cost = p.rng.gamma(4, 500, n)
    for frame in (p.later, p.earlier[0]):
        frame["cost"] = np.round(cost + p.rng.laplace(0, 40, n) if leaky else cost, 1)


@clean("noise")
def _costs_that_grew(p: Pair) -> None:
    p.person, n = "pid", len(p.later)
    p.earlier[0]["cost"] = np.round(p.rng.gamma(4, 500, n), 1)
    p.later["cost"] = np.round(p.earlier[0]["cost"] * p.rng.normal(1.02, 0.02, n), 1)
    p.newcomers(15)


@leak("differences", "release_newcomers")
def _one_who_is_in_the_third_release_of_five_that_came_to_the_second(p: Pair, leaky: bool) -> None:
    before = p.later
    p.newcomers(8)
    p.earlier = [p.later, before]
    p.later = p.later.iloc[: len(before) + (1 if leaky else 8)]
    if not leaky:
        p.earlier = [before]


@leak("differences", "release_newcomers")
def _newcomers_in_three_columns_of_four_values(p: Pair, leaky: bool) -> None:
    p.sensitive = ("diagnosis", "drug")
    p.earlier = [frame.assign(drug=np.array(["a", "b"])[np.arange(len(frame)) % 2]) for frame in p.earlier]
    p.later = p.earlier[0]
    p.newcomers(1 if leaky else 12)
    p.later = p.later.fillna("a")


# The same people over releases


@leak("persons", "release_candidates")
def _candidates_that_two_classes_leave(p: Pair, leaky: bool) -> None:
    p.person = "pid"
    n = len(p.later)
    group = np.arange(n) // 20
    for frame, turned in ((p.later, True), (p.earlier[0], False)):
        frame["region"] = [f"c{each}" for each in np.roll(group, 10 if turned else 0)]
    pattern = np.arange(n) // 10 % 4 if leaky else np.arange(n) % 4
    for frame in (p.later, p.earlier[0]):
        frame["age"], frame["sex"], frame["diagnosis"] = "20-29", "F", _DIAGNOSES[pattern]


@leak("persons", "release_relinked")
def _fresh_pseudonyms_beside_exact_heights(p: Pair, leaky: bool) -> None:
    p.person = "pid"
    height = p.rng.permutation(10 * len(p.later))[: len(p.later)] / 10
    for frame in (p.later, p.earlier[0]):
        frame["height"] = height if leaky else 170
    p.later["pid"] = [f"x{each:09}" for each in p.rng.permutation(len(p.later))]


@leak("persons", "release_newcomers")
def _tests_of_newcomers_whom_another_table_names(p: Pair, leaky: bool) -> None:
    before, n_new = p.earlier[0], 2 if leaky else 30
    after = pd.concat([before, people(n_new, p.rng).assign(age="20-29", sex="F", region="north")])
    frames = []
    for frame in (after, before):
        visits = pd.DataFrame({"visit": "v" + frame.pid.to_numpy(), "pid": frame.pid.to_numpy()})
        tests = visits.loc[visits.index.repeat(8), ["visit"]].assign(
            kind=np.tile(list("abab"), 2 * len(visits))
        )
        frames.append({"persons": frame[["pid", "sex"]], "visits": visits, "tests": tests})
    p.tables = {name: (frames[0][name], frames[1][name]) for name in frames[0]}


def _of_region_and_of_job(p: Pair, *further: str) -> None:
    """Release regions now and jobs before; of both together a class has few."""
    n = len(p.later)
    regions, jobs = (np.array([f"{c}{at}" for at in range(round(n**0.5 / 2.5))]) for c in "rj")
    both = p.later.assign(region=p.rng.choice(regions, n), job=p.rng.choice(jobs, n))
    p.quasi = ("sex", "region")
    p.later = both[["sex", "region", *further]]
    p.earlier = [both[["sex", "job", *further]]]


@leak("joined", "release_alike")
def _jobs_before_and_regions_now_under_one_pseudonym(p: Pair, leaky: bool) -> None:
    _of_region_and_of_job(p, "pid")
    p.person = "pid" if leaky else None
    if not leaky:
        p.later = p.later.drop(columns="pid")


# Cuts


def _banded(age: np.ndarray, start: int, width: int) -> list[str]:
    low = (age - start) // width * width + start
    return [f"{each}-{each + width - 1}" for each in low]


@leak("cuts", "release_boundaries")
def _two_between_bands_that_moved(p: Pair, leaky: bool) -> None:
    n = len(p.later)
    age = np.where(np.arange(n) % 2, 20 + np.arange(n) % 5, 30 + np.arange(n) % 5)
    age[: 2 if leaky else 200] = 25
    p.quasi = ("age",)
    p.later["age"], p.earlier[0]["age"] = _banded(age, 20, 10), _banded(age, 15, 10)


@leak("cuts", "release_boundaries")
def _two_between_bands_that_moved_while_older_ones_left(p: Pair, leaky: bool) -> None:
    _two_between_bands_that_moved(p, leaky)
    p.earlier = [pd.concat([p.earlier[0], people(12, p.rng).assign(age="85-94")])]


_LETTERS = {"north": "N", "south": "S", "east": "E", "west": "W"}


@leak("spellings", "release_other_values", at_least=Verdict.WARN)
def _categories_spelled_anew_of_other_people(p: Pair, leaky: bool) -> None:
    if leaky:
        p.later, p.earlier = _drawn(len(p.later), p.rng), [_drawn(len(p.later), p.rng)]
        p.later["region"] = p.later.region.map(_LETTERS)


@leak("spellings", "release_newcomers")
def _newcomers_to_everybody_a_year_older(p: Pair, leaky: bool) -> None:
    age = p.rng.integers(30, 42, len(p.later))
    p.newcomers(2 if leaky else 12)
    p.earlier[0]["age"] = age
    p.later["age"] = [*(age + 1), *[31] * (len(p.later) - len(age))]


# Proper


@clean("proper")
def _other_people_beside_a_ledger(p: Pair) -> None:
    p.as_ledger = True
    p.later, p.earlier = _drawn(len(p.later), p.rng), [_drawn(len(p.later), p.rng)]


@clean("proper")
def _the_same_people_with_fresh_pseudonyms(p: Pair) -> None:
    p.person = "pid"
    p.later["pid"] = [f"x{each:09}" for each in p.rng.permutation(len(p.later))]
    p.later = pd.concat([p.later, people(24 * 12, p.rng)])


@clean("proper")
def _many_come_with_a_pseudonym_and_all_others_stay(p: Pair) -> None:
    p.person = "pid"
    p.later = pd.concat([p.later, people(24 * 15, p.rng)])
