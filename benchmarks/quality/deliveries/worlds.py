"""Deliveries of invented people, in which everybody is one of at least twelve who are alike in all tables."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Scenario
from core.delivery import (
    DeliveryAudit,
    DeliverySettings,
    DeliveryThresholds,
    judge_delivery,
    measure_delivery,
)
from core.people.free_text import Reading, cells_to_read
from core.tables import Dataset, read_dataset
from core.verdict import Verdict, worst

LEAST_ALIKE = 12
_MOST_TYPES = 240
_LETTERS = np.array(list("ABCDEFGHJKLMNPQRSTUVWXYZ23456789"))
Column = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, kw_only=True)
class Names:
    """What an institution calls its tables and columns."""

    persons: str
    pid: str
    age: str
    sex: str
    region: str
    visits: str
    vid: str
    vperson: str
    season: str
    ward: str
    tests: str
    tvisit: str
    test: str
    day: str  # of a visit
    birth: str
    person_name: str
    others: tuple[str, ...]  # of up to five further tables


SCHEMAS: Mapping[str, Names] = {
    "clinic": Names(
        persons="patients", pid="patient_id", age="age_group", sex="sex", region="region", visits="visits",
        vid="visit_id", vperson="patient_id", season="season", ward="ward", tests="tests", tvisit="visit_id",
        test="test", day="visit_date", birth="birth_year", person_name="patient_name",
        others=("consents", "wards", "referrals", "surveys", "equipment"),
    ),
    "insurer": Names(
        persons="members", pid="id", age="age_band", sex="gender", region="district", visits="claims",
        vid="claim", vperson="member_id", season="quarter", ward="branch", tests="items", tvisit="claim",
        test="item", day="claim_date", birth="year_of_birth", person_name="full_name",
        others=("contracts", "branches", "approvals", "contacts", "tariffs"),
    ),
    "slovenian": Names(
        persons="osebe", pid="oznaka", age="starostna_skupina", sex="spol", region="regija", visits="obiski",
        vid="obisk", vperson="oseba", season="cetrtletje", ward="oddelek", tests="preiskave", tvisit="obisk",
        test="preiskava", day="datum_obiska", birth="leto_rojstva", person_name="ime_in_priimek",
        others=("soglasja", "oddelki", "napotitve", "ankete", "naprave"),
    ),
    "korean": Names(
        persons="환자", pid="환자번호", age="연령대", sex="성별", region="지역", visits="방문",
        vid="방문번호", vperson="환자번호", season="분기", ward="병동", tests="검사", tvisit="방문번호",
        test="검사종류", day="방문일", birth="출생연도", person_name="환자명",
        others=("동의", "병동목록", "의뢰", "설문", "장비"),
    ),
    "school": Names(
        persons="students", pid="student_key", age="age_range", sex="gender", region="county",
        visits="enrolments", vid="enrolment", vperson="student", season="term", ward="course",
        tests="marks", tvisit="enrolment", test="mark_kind", day="start_date", birth="birth_year",
        person_name="student_name", others=("permissions", "courses", "transfers", "polls", "rooms"),
    ),
}  # fmt: skip


@dataclass(kw_only=True, eq=False)
class World:
    """Tables of a delivery while a leak or a near miss is put into them."""

    n: int
    rng: np.random.Generator
    names: Names
    kind: Column  # shape (n,): persons of one kind are alike in everything
    ids: Column
    tables: dict[str, dict[str, Column]] = field(default_factory=dict)
    who: dict[str, Column] = field(default_factory=dict)  # by table, whose each record is
    in_order: set[str] = field(default_factory=set)  # tables whose records stay in their order
    settings: dict[str, Any] = field(default_factory=dict)
    thresholds: dict[str, Any] = field(default_factory=dict)
    is_read: bool = True  # whether a person has read enough of the notes and found nobody
    planted: int = 0  # persons whom the leak gives away, where that is a number

    @property
    def persons(self) -> dict[str, Column]:
        """Return the table of persons; likewise visits and tests."""
        return self.tables[self.names.persons]

    @property
    def visits(self) -> dict[str, Column]:
        """Return the table of visits, two of each person."""
        return self.tables[self.names.visits]

    @property
    def tests(self) -> dict[str, Column]:
        """Return the table of tests, one of each visit."""
        return self.tables[self.names.tests]

    @property
    def of_visit(self) -> Column:
        """Return whose each visit is."""
        return self.who[self.names.visits]

    def some(self, n: int) -> Column:
        """Return persons at random."""
        return self.rng.choice(self.n, min(n, self.n), replace=False)

    def add(self, name: str, who: Column, **columns: Column) -> None:
        """Add a table with whose each record is; columns come with their names."""
        self.tables[name] = dict(columns)
        self.who[name] = who

    def keep(self, name: str, mask: Column) -> None:
        """Keep some records of a table."""
        self.tables[name] = {column: values[mask] for column, values in self.tables[name].items()}
        if name in self.who:
            self.who[name] = self.who[name][mask]

    def rename(self, mapping: Callable[[Column], Column], *, tables: Sequence[str] | None = None) -> None:
        """Give persons other pseudonyms in some tables, all unless named."""
        names = self.names
        keys = {names.persons: names.pid, names.visits: names.vperson}
        for name, columns in self.tables.items():
            if tables is None or name in tables:
                key = keys.get(name, names.vperson)
                if key in columns and name in self.who:
                    columns[key] = mapping(self.who[name])

    def datasets(self) -> list[Dataset]:
        """Return the tables as they would be read from CSV files, their records shuffled."""
        found = []
        for name, columns in self.tables.items():
            frame = pd.DataFrame(columns)
            if name not in self.in_order:
                frame = frame.iloc[self.rng.permutation(len(frame))]
            written = io.StringIO()
            frame.to_csv(written, index=False)
            found.append(read_dataset(written.getvalue().encode(), name=f"{name}.csv"))
        return found


def pseudonyms(rng: np.random.Generator, n: int, length: int = 10) -> Column:
    """Return random pseudonyms, all different but for chance that does not happen."""
    return (
        np.ascontiguousarray(_LETTERS[rng.integers(0, len(_LETTERS), (n, length))])
        .view(f"<U{length}")
        .ravel()
    )


def world(scenario: Scenario) -> World:
    """Return a clean delivery of three to eight tables."""
    rng, n = scenario.rng("world"), scenario.n_records
    names = SCHEMAS[scenario.schema]
    kind = rng.permutation(n) % min(max(n // LEAST_ALIKE, 1), _MOST_TYPES)
    made = World(n=n, rng=rng, names=names, kind=kind, ids=pseudonyms(rng, n))
    pattern = kind // 24
    made.add(
        names.persons,
        np.arange(n),
        **{
            names.pid: made.ids,
            names.age: np.array(["0-39", "40-64", "65+"])[kind % 3],
            names.sex: np.array(["f", "m"])[kind // 3 % 2],
            names.region: np.array(["north", "south", "east", "west"])[kind // 6 % 4],
        },
    )
    who, number = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    visit_ids = pseudonyms(rng, 2 * n, 12)
    made.add(
        names.visits,
        who,
        **{
            names.vid: visit_ids,
            names.vperson: made.ids[who],
            names.season: np.array(["2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4"])[(pattern[who] + number) % 4],
            names.ward: np.array(["W1", "W2", "W3"])[(pattern[who] // 4 + number) % 3],
        },
    )
    made.add(
        names.tests,
        who,
        **{
            names.tvisit: visit_ids,
            names.test: np.array(["blood", "urine", "x-ray"])[(pattern[who] + 2 * number) % 3],
        },
    )
    _with_others(made, scenario.seed % 6, pattern)
    return made


def _with_others(made: World, n_others: int, pattern: Column) -> None:
    names, who = made.names, made.of_visit
    consents, wards, referrals, surveys, equipment = names.others
    everybody = np.arange(made.n)
    tables: list[tuple[str, Column | None, dict[str, Column]]] = [
        (consents, everybody, {names.vperson: made.ids, "form": np.array(["A", "B"])[made.kind % 2]}),
        (wards, None, {names.ward: np.array(["W1", "W2", "W3"]), "floor": np.array(["1", "1", "2"])}),
        (
            referrals,
            who,
            {names.tvisit: made.visits[names.vid], "source": np.array(["own", "other"])[pattern[who] % 2]},
        ),
        (surveys, everybody, {names.vperson: made.ids, "answer": np.array(["yes", "no"])[pattern % 2]}),
        (equipment, None, {"device": np.array(["a", "b", "c"]), "maker": np.array(["x", "y", "y"])}),
    ]
    for name, whose, columns in tables[:n_others]:
        made.tables[name] = columns
        if whose is not None:
            made.who[name] = whose


def audited(made: World) -> DeliveryAudit:
    """Return the audit of a delivery."""
    measured = measure_delivery(made.datasets(), DeliverySettings(**made.settings))
    texts = [each for each in measured.texts if each.is_text and made.is_read]
    read = {each.column: Reading(cells_to_read(each.n_cells)) for each in texts}
    return judge_delivery(measured, DeliveryThresholds(**made.thresholds), read=read)


def said(audit: DeliveryAudit, checks: Sequence[str], mentions: Sequence[str], planted: int) -> Verdict:
    """Return the worst of the findings that say what was planted: check, columns named and how many."""
    fitting = [
        finding.verdict
        for finding in audit.findings
        if finding.check in checks
        and all(mention in str(finding.message) for mention in mentions)
        and (finding.n_affected is None or finding.n_affected >= planted)
    ]
    return worst([Verdict.PASS, *fitting])
