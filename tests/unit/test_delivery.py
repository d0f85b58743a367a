"""Tables of one delivery: keys, who each record is about, what known records find, verdicts."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.__main__ import main
from core.coding import CodedTable
from core.declared import read_originals
from core.delivery import (
    DeliveryAudit,
    DeliverySettings,
    DeliveryThresholds,
    audit_delivery,
    judge_delivery,
    measure_delivery,
    named_tables,
)
from core.delivery.attack import Records, cheapest_attacks
from core.delivery.charts import attacks_drawing, known_drawing, tables_drawing
from core.delivery.judging import known_words
from core.delivery.keys import Link, Persons, Place, persons_of, propose_links
from core.delivery.report import delivery_report
from core.delivery.result import delivery_result, roles_sentence, verdict_sentence
from core.demo import DATASET as DEMOS
from core.errors import AuditInputError
from core.known import events_of, known_all, known_none, known_one, known_several
from core.releases import EarlierTable
from core.reports import RENDERERS, render
from core.reports.as_text import lines_of
from core.tables import Dataset, read_dataset
from core.verdict import Verdict, next_steps
from tests.cases.table import says
from tests.checked_charts import checked
from tests.kinds import Patch, Told
from tests.one_json import figures_of
from tests.saying import Saying
from tests.thorough import tried

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def table(name: str, /, **columns: Sequence[object]) -> Dataset:
    lines = [";".join(columns), *(";".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return read_dataset("\n".join(lines).encode(), name=f"{name}.csv")


def coded(*tables: Dataset) -> dict[str, CodedTable]:
    return {each.name.removesuffix(".csv"): CodedTable(table=each.table) for each in tables}


def links_of(*tables: Dataset) -> dict[tuple[str, str], Link]:
    return {(str(link.one), str(link.other)): link for link in propose_links(coded(*tables))}


def persons_in(*tables: Dataset) -> Persons:
    found = persons_of(coded(*tables), list(links_of(*tables).values()))
    assert found is not None
    return found


def pseudonyms(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return ["".join(row) for row in rng.choice(list("ABCDEFGHJKLMNP"), (n, 8))]


def checks(audit: DeliveryAudit) -> dict[str, Verdict]:
    return {each.check: each.verdict for each in reversed(audit.findings)}


# What known records find, by its definition.

PEOPLE = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, 4)), max_size=25),
    )
)


def literal(
    demographics: Sequence[int], records: Sequence[tuple[int, int]], n: int
) -> list[tuple[int, float]]:
    """Return of each person how few fit so many of the records, at least, and how often nobody else does."""
    people = [(mine, {event for one, event in records if one == at}) for at, mine in enumerate(demographics)]
    found = []
    for mine, own in people:
        known = [{*each} for each in combinations(sorted(own), min(n, len(own)))]
        sizes = [sum(mine == other and each <= theirs for other, theirs in people) for each in known]
        found.append((min(sizes), float(np.mean([size == 1 for size in sizes]))))
    return found


@tried(150)
@given(PEOPLE)
def test_known__is_what_its_definition_says(people: tuple[list[int], list[tuple[int, int]]]) -> None:
    demographics, records = people
    person, event = (np.array([each[place] for each in records], dtype=np.int64) for place in (0, 1))
    events = events_of(np.array(demographics), person, event)
    several = [known_several(events, n, most_persons=99, seed=0) for n in (2, 3)]
    found = [known_none(events), known_one(events), *several]
    for n, known in enumerate(found):
        expected = literal(demographics, records, n)
        assert known.smallest.tolist() == [smallest for smallest, _ in expected]
        assert known.alone.tolist() == pytest.approx([alone for _, alone in expected])
        assert not known.is_sample
    bags = [(mine, Counter(e for p, e in records if p == each)) for each, mine in enumerate(demographics)]
    alike = known_all(np.array(demographics), person, event).smallest.tolist()
    assert alike == [sum(one == other for other in bags) for one in bags]
    more = [known.share_below(2) for known in found]
    assert more == sorted(more)  # who knows more finds no fewer


def test_known_several__of_many_is_a_sample_with_an_interval_around_the_truth() -> None:
    rng, n = np.random.default_rng(3), 2000
    demographics, person = rng.integers(0, 9, n), rng.integers(0, n, 4 * n)
    events = events_of(demographics, person, rng.integers(0, 60, 4 * n))
    truth = known_several(events, 2, most_persons=n, seed=0).share_below(3)
    samples = [known_several(events, 2, most_persons=200, seed=seed) for seed in range(20)]
    assert {(each.is_sample, each.n_looked_at) for each in samples} == {(True, 200)}
    assert sum(least <= truth <= most for least, most in (each.interval_below(3) for each in samples)) >= 17
    nobody = known_several(events, 2, most_persons=0, seed=0)
    assert (nobody.n_looked_at, nobody.share_below(2), nobody.interval_below(2)) == (0, None, None)
    person, event = np.repeat([0, 1], [200, 150]), np.array([*range(200), *range(150)])
    known = known_several(events_of(np.zeros(2, dtype=np.int64), person, event), 2, most_persons=9, seed=0)
    assert (known.n_cut, known.smallest.tolist()) == (2, [1, 2])  # of very many records some are looked at


@pytest.mark.parametrize("n_events", [2, 3])
def test_known_several__is_the_same_of_events_listed_and_in_bits(n_events: int, monkeypatch: Patch) -> None:
    rng = np.random.default_rng(n_events)
    person, event = rng.integers(0, 300, 2000), np.minimum(rng.geometric(0.15, 2000), 20)
    events = events_of(rng.integers(0, 2, 300), person, event)
    found = []
    for rare in (0, 20, 10**6):  # all in bits, some, none
        monkeypatch.setattr("core.known._RARE", rare)
        known = known_several(events, n_events, most_persons=300, seed=0)
        found.append((known.smallest.tolist(), known.alone.tolist()))
    assert found[0] == found[1] == found[2]


# Keys.


def test_propose_links__by_like_names_by_values_and_through_a_table_between() -> None:
    ids, stays = pseudonyms(60), pseudonyms(150, 1)
    rng = np.random.default_rng(0)
    who, of_tests = rng.integers(0, 60, 150), rng.integers(0, 150, 300)
    tables = [
        table("patients", id=ids, age=rng.integers(20, 80, 60), ward=rng.integers(1, 9, 60)),
        table("visits", who=[ids[i] for i in who], stay=stays, ward=rng.integers(1, 9, 150)),
        table("tests", stay=[stays[i] for i in of_tests], value=rng.integers(1, 200, 300)),
        table("wards", number=range(1, 9), name=list("abcdefgh")),
    ]
    lookups = {("wards.number", "patients.ward"), ("wards.number", "visits.ward")}
    joined = {("patients.id", "visits.who"), ("visits.stay", "tests.stay")}
    assert set(links_of(*tables)) == joined | lookups
    persons = persons_in(*tables)
    assert persons.n_persons == 60
    columns = {name: str(place) for name, place in persons.columns.items()}
    assert columns == {"patients": "patients.id", "visits": "visits.who", "tests": "visits.stay"}
    assert all((person >= 0).all() for person in persons.of_record.values())


def test_propose_links__numbers_after_other_letters_are_of_other_things_and_spellings_are_not() -> None:
    persons, stays = [f"p{i:04d}" for i in range(80)], [f"s{i:05d}" for i in range(150)]
    tables = [
        table("people", person=persons, sex=list("MF" * 40)),
        table("stays", stay=stays, person=[persons[i % 80] for i in range(150)]),
        table("tests", stay=[stays[i % 150] for i in range(300)], value=range(300)),
    ]
    assert set(links_of(*tables)) == {("people.person", "stays.person"), ("stays.stay", "tests.stay")}
    assert set(links_of(tables[0], table("rooms", room=stays, floor=list("AB" * 75)))) == set()
    one = table("a", person_id=[f"{i:05d}" for i in range(80)], x=range(80))
    other = table("b", person=[str(i) for i in range(80)], y=range(80))
    (link,) = links_of(one, other).values()
    assert (link.is_folded, link.n_found, link.n_values) == (True, 80, 80)
    of_record = persons_in(one, other).of_record
    assert of_record["a"].tolist() == of_record["b"].tolist()


def test_propose_links__are_none_where_nothing_joins() -> None:
    for one, other in (
        ({"id": range(1, 100)}, {"visit_no": range(1, 100)}),  # counted off in both
        (
            {"age": [20 + i % 50 for i in range(99)]},
            {"age": [20 + i % 40 for i in range(99)], "x": range(99)},
        ),
        ({"sex": ["f", "m"] * 40}, {"gender": ["f", "m"] * 40}),
        ({"id": pseudonyms(50)}, {"id": pseudonyms(50, 1)}),  # nobody in both
    ):
        joined = [link for link in links_of(table("a", **one), table("b", **other)) if "age" not in link[0]]
        assert joined == [], (one, other)


def linked(n: int = 400, *, per_person: int = 3, days: int = 30, seed: int = 0) -> list[Dataset]:
    rng, ids = np.random.default_rng(seed), pseudonyms(n, seed)
    who = rng.integers(0, n, per_person * n)
    sexes, regions = rng.choice(["f", "m"], n), rng.choice(["north", "south", "east"], n)
    dates = [f"2024-03-{each:02d}" for each in rng.integers(1, days + 1, len(who))]
    visits = table("visits", person=[ids[i] for i in who], visit_date=dates)
    return [table("persons", pseudonym=ids, sex=sexes, region=regions), visits]


def test_audit__each_table_is_fine_and_together_they_find_nearly_everybody() -> None:
    measured = measure_delivery(linked(n=300))
    audit = judge_delivery(measured, DeliveryThresholds(k=11))
    found = checks(audit)
    assert audit.overall is Verdict.FAIL
    assert [each.verdict for each in audit.findings if each.check == "table_k"] == [Verdict.PASS] * 2
    assert (found["joined_k"], found["alone_with_all_records"]) == (Verdict.FAIL, Verdict.WARN)
    assert measured.known_by(None).share_below(2) > 0.8
    assert audit.cheapest is not None
    assert {str(place) for place in audit.cheapest.of_record} == {"visits.visit_date"}
    first, *_, last = next_steps(audit.findings)
    assert first == Saying("Make `persons.region`, `persons.sex`, `visits.visit_date` …")
    assert last == Saying("Release fewer records a person in …300 persons are among fewer than 11.")
    audit = judge_delivery(measured, DeliveryThresholds(k=30))  # tables that fail by themselves
    failed = [each for each in audit.findings if (each.check, each.verdict) == ("table_k", Verdict.FAIL)]
    assert failed
    for each in failed:
        assert each.remedy in next_steps(audit.findings, at_most=9)
        assert f"{each.n_affected} persons are among fewer than 30" in each.remedy
        assert all(f"`{column}`" in each.remedy for column in each.columns[:3])


def test_audit__of_coarse_records_passes_and_thresholds_say_how_many_are_known() -> None:
    audit = audit_delivery(linked(n=2000, per_person=1, days=1))
    assert audit.overall is Verdict.PASS, [each.message for each in audit.findings]
    assert audit.measurement.known_by(1).share_below(5) == 0
    measured = measure_delivery(linked(days=2))
    judged = [judge_delivery(measured, DeliveryThresholds(k=30, known_records=n)).judged for n in range(4)]
    assert [by is not None and by.n_events for by in judged] == [0, 1, 2, 3]
    assert measured.known_by(0).share_below(30) == 0


@pytest.mark.slow
@tried(25)
@given(st.integers(0, 10**6))
def test_law__new_pseudonyms_change_nothing_and_a_table_more_finds_no_fewer(seed: int) -> None:
    tables = linked(n=60, seed=seed % 97)
    rng = np.random.default_rng(seed)
    people, visits = (each.frame for each in tables)
    ids = list(people["pseudonym"])
    new = dict(zip(ids, rng.permutation(pseudonyms(60, seed + 1)), strict=True))
    renamed = (
        people.assign(pseudonym=people["pseudonym"].map(new)),
        visits.assign(person=visits["person"].map(new)),
    )
    again = [
        read_dataset(frame.to_csv(index=False).encode(), name=each.name)
        for frame, each in zip(renamed, tables, strict=True)
    ]
    one, other = measure_delivery(tables), measure_delivery(again)
    for n in (0, 1, 2, 3, None):
        assert sorted(one.known_by(n).smallest) == sorted(other.known_by(n).smallest)
    more = table("further", person=ids, blood_type=rng.choice(["A", "B", "0"], 60))
    roles = ("persons.sex", "persons.region", "visits.visit_date")
    before, after = (
        measure_delivery(given, DeliverySettings(quasi_identifiers=quasi))
        for given, quasi in ((tables, roles), ([*tables, more], (*roles, "further.blood_type")))
    )
    for n in (0, 1, 2, None):
        assert (after.known_by(n).share_below(5) or 0) >= (before.known_by(n).share_below(5) or 0)


def test_cheapest_attacks__name_the_columns_that_find_most() -> None:
    n = 50
    persons = {Place("p", "number"): np.arange(n), Place("p", "half"): np.arange(n) % 2}
    same = {Place("r", "same"): np.zeros(n, dtype=np.int64)}
    found = cheapest_attacks(persons, [Records(person=np.arange(n), columns=same)], n_persons=n)
    (attack,) = found.best
    assert found.finding_half == (attack,)
    assert (attack.of_person, attack.of_record, attack.share_found) == ((Place("p", "number"),), (), 1.0)
    crossed = {Place("p", "tens"): np.arange(n) // 10, Place("p", "none"): np.zeros(n, dtype=np.int64)}
    ones = [Records(person=np.arange(n), columns={Place("r", "ones"): np.arange(n) % 10})]
    (attack,) = cheapest_attacks(crossed, ones, n_persons=n).best
    assert (attack.n_facts, attack.tables, attack.share_found) == (2, ("p", "r"), 1.0)
    assert cheapest_attacks({}, [], n_persons=n).best == ()


@pytest.mark.parametrize(("spread", "verdict"), [(300, Verdict.FAIL), (1, Verdict.PASS)])
def test_audit__dates_shifted_for_each_person_keep_their_intervals(spread: int, verdict: Verdict) -> None:
    rng, ids, who = np.random.default_rng(4), pseudonyms(300), np.repeat(np.arange(300), 3)
    days = rng.integers(0, 365, 300)[who] + rng.integers(0, spread, 900)  # by the shift of each person
    dates = [str(np.datetime64("2020-01-01") + int(day)) for day in days]
    visits = table("visits", patient=[ids[i] for i in who], day=dates)
    roles = DeliverySettings(quasi_identifiers=("patients.sex",))
    audit = audit_delivery([table("patients", id=ids, sex=["f", "m"] * 150), visits], roles)
    assert checks(audit)["intervals"] is verdict
    (found,) = audit.measurement.tables[1].time.sequences
    assert found.column == "day"
    assert (found.share_alone > 0.9) is (spread > 1)


# What else is said.


def test_audit__direct_identifiers_fail_and_orphans_and_nobody_are_said() -> None:
    ids = pseudonyms(100)
    mails = [f"person{i}@example.org" for i in range(100)]
    persons = table("persons", pseudonym=ids, contact=mails, sex=["f", "m"] * 50)
    visits = table("visits", person=[*ids[:90], *pseudonyms(10, 5), *[""] * 20], ward=["a", "b", "c"] * 40)
    audit = audit_delivery([persons, visits])
    found = checks(audit)
    assert found["looks_like_identifier"] is Verdict.FAIL
    assert found["records_of_nobody"] is Verdict.WARN
    messages = " ".join(each.message for each in audit.findings)
    assert "`persons.contact` looks like a direct identifier" in messages
    assert "`visits`: 20 of 120 records" in messages
    assert "10 of 100 values (10.0 %) of `visits.person` are not in `persons.pseudonym`." in messages
    assert "example.org" not in messages


def test_verdict_sentence__is_the_gravest_finding_and_columns_of_one_kind_stand_in_one() -> None:
    names = [f"{first} {last}" for first in ("Ana", "Maja", "Luka") for last in ("Novak", "Kos", "Golob")] * 6
    other = table("b", item=["x", "y"] * 9)
    audit = audit_delivery([table("a", nurse=names, surgeon=names[::-1]), other])
    assert checks(audit) == {"looks_like_identifier": Verdict.FAIL, "no_key": Verdict.NOT_ASSESSED}
    assert verdict_sentence(audit) == "`a.nurse`, `a.surgeon` look like direct identifiers (person's name)."
    people = table("a", pid=pseudonyms(60), age=[*range(60)]), table("b", pid=pseudonyms(60))
    joined = audit_delivery(people)
    assert joined.findings[0].check == "joined_k"
    assert verdict_sentence(joined).startswith(
        "Who knows the quasi-identifiers and 1 record of a person narrows 60 of 60 persons (100 %)"
    )
    audit = audit_delivery([table("a", age=[30, 40] * 9), other])
    assert audit.overall is Verdict.NOT_ASSESSED
    assert (audit.judged, audit.cheapest, delivery_result(audit).group("persons").figures) == (None, None, ())
    assert checks(audit) == {"no_key": Verdict.NOT_ASSESSED}
    for name in RENDERERS:
        assert render(delivery_report(audit, inputs=[], created_at=NOON), name)


def test_audit__keys_and_persons_can_be_named() -> None:
    ids = pseudonyms(40)
    one = table("a.1", x=ids, k=range(40))
    other = table("b", y=[ids[i % 7] for i in range(60)], k=range(60), day=[i % 3 for i in range(60)])
    settings_ = DeliverySettings(keys=("a.1.x=b.csv.y",), person="b.y", leave_out=("b.k",))
    measured = measure_delivery([one, other], settings_)
    (link,) = measured.links
    assert (str(link.one), str(link.other), link.is_given) == ("a.1.x", "b.y", True)
    assert (measured.n_persons, measured.tables[1].columns) == (40, ("y", "day"))
    tables = [table("p", x=ids * 2), table("q", y=ids[:30] * 2)]
    many = audit_delivery(tables, DeliverySettings(keys=("p.x=q.y",)))
    assert checks(many)["many_to_many"] is Verdict.WARN


def test_measure__refuses_what_is_not_there() -> None:
    tables = [table("a", x=[1, 2], y=[3, 4]), table("b", x=[1, 2])]
    for settings, problem in (
        ({"keys": ("a.x",)}, "--key needs TABLE.COL=TABLE.COL, received a.x."),
        ({"keys": ("a.x=a.y",)}, "joins a table to itself"),
        ({"keys": ("a.x=b.z",)}, "--key: there is no column `b.z`"),
        ({"person": "c.x"}, "--person: there is no column `c.x`"),
        ({"quasi_identifiers": ("x",)}, "write TABLE.COL with one of the tables a, b."),
        ({"most_persons": 0}, "most_persons must be from 1 to 1,000,000"),
    ):
        with pytest.raises(AuditInputError) as refused:
            measure_delivery(tables, DeliverySettings(**settings))
        assert problem in " ".join(refused.value.problems)
    for few in ([], tables[:1], tables[:1] * 2):
        with pytest.raises(AuditInputError, match="A data set is two tables or more"):
            measure_delivery(few)


def test_measure__tells_files_of_one_name_apart_and_passes_over_a_file_given_twice() -> None:
    names = [each.name for each in measure_delivery([*linked(n=50), *linked(n=50, seed=1)]).tables]
    assert names == ["persons.csv", "visits.csv", "persons.csv (2)", "visits.csv (2)"]
    tables = linked(n=200, per_person=1, days=1)
    audit = audit_delivery([*tables, tables[0]])
    assert audit.measurement.same_files == (("persons.csv", "persons.csv"),)
    assert checks(audit)["same_file"] is Verdict.WARN


# Command and report.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in DEMOS[0].make()["tables"]:
        (tmp_path / file.name).write_bytes(file.data)
    return tmp_path


@pytest.mark.slow
def test_command__prints_what_the_audit_says_and_names_a_bad_table(folder: Path, capsys: Told) -> None:
    assert main(["dataset", str(folder), "--k", "11"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(
        "FAIL: Who knows the quasi-identifiers and 1 record of a person narrows 1,500 of 1,500"
    )
    assert says(printed, "  persons.pseudonym  stays.person…1,500…1,500…100 %")
    assert main(["dataset", str(folder), "--k", "11", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["overall"], document["n_persons"]) == ("FAIL", 1500)
    assert [each["n_records_known"] for each in document["known"]] == [0, 1, 2, 3, None]
    assert document["known"][0]["share_below_k"] == 0
    assert [each["n_records_known"] for each in document["records_alone"]] == [1, 2, 3]
    words = [str(known_words(n)) for n in (0, 1)]
    figures = [figures_of(document, measure) for measure in ("smallest_known_class", "alone_share")]
    assert [[*each] for each in figures] == [words, words]
    assert figures[0][words[0]] == document["known"][0]["smallest_class"] >= 11
    assert figures[1][words[1]] == document["known"][1]["share_unique"] > 0
    smallest = {each["table"]: each["smallest_class"] for each in document["released_tables"]}
    assert figures_of(document, "smallest_table_class") == smallest
    (folder / "broken.parquet").write_bytes(b"PAR1 no table")
    assert main(["dataset", str(folder), str(folder / "nowhere.csv")]) == 2
    printed = capsys.readouterr()
    assert "broken.parquet" in printed.err
    assert "nowhere.csv" in printed.err
    assert printed.out.startswith(
        "FAIL: Who knows the quasi-identifiers and 1 record of a person narrows 1,412 of 1,500"
    )
    (folder / "empty").mkdir()
    assert main(["dataset", str(folder / "empty")]) == 2
    assert "holds no table" in capsys.readouterr().err


READ = ("tables", "originals", "mapping")  # roles of a demo whose files are tables


@pytest.mark.one_of(2)
@pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.key)
def test_demo__is_as_it_says(demo: object) -> None:
    files = demo.make()
    given = {role: [read_dataset(file.data, name=file.name) for file in files.get(role, ())] for role in READ}
    tables, originals = given["tables"], None
    if demo.key == "declared":
        (rules,) = files["rules"]
        originals = read_originals(
            named_tables(given["originals"]), mapping=given["mapping"][0], rules=(rules.name, rules.data)
        )
    audit = audit_delivery(tables, originals=originals)
    assert audit.overall is (Verdict.PASS if demo.key == "coarse" else Verdict.FAIL)
    if originals is not None:
        assert audit.measurement.declared is not None
        failed = [each for each in audit.measurement.declared.lines if each.verdict is Verdict.FAIL]
        assert [(each.kind, each.of, each.n_persons) for each in failed] == [
            ("shifted", "condition_occurrence.condition_start_date", 4),
            ("emptied", "condition_occurrence.condition_source_value", 12),
        ]
        return
    assert all(table.n_below(5) == 0 for table in audit.measurement.tables)
    report = delivery_report(audit, inputs=[], created_at=NOON)
    for name in RENDERERS:
        written = render(report, name)
        assert tables[0].frame["pseudonym"][0].encode() not in written
    assert not [
        line
        for line in lines_of(delivery_result(audit), tables=("tables", "keys"))
        if tables[0].frame["pseudonym"][0] in line
    ]


@pytest.mark.slow
def test_picture__has_a_box_for_each_table_and_an_arrow_for_each_key_away_from_persons() -> None:
    tables = [read_dataset(file.data, name=file.name) for file in DEMOS[0].make()["tables"]]
    lookup = table("wards", ward=["a", "b"], floor=[1, 2])
    audit = audit_delivery([*tables, lookup], DeliverySettings(keys=("stays.stay=tests.stay",)))
    picture = tables_drawing(audit)
    boxes, keys = checked(picture.chart())["datasets"].values()
    assert {each["name"] for each in boxes} == {"persons", "stays", "tests", "wards"}
    found = {each["name"]: (each["meaning"], each["found"]) for each in boxes}
    assert found["persons"] == found["tests"] == ("WARN", "! fewer than 5 with the others")
    assert found["wards"] == ("neutral", "")
    assert roles_sentence(audit.measurement) == (
        "Persons: `persons.pseudonym`; others may know `persons.age_group`, `persons.sex`, "
        "`persons.region`, `stays.admission`, `tests.test`."
    )
    drawn = [(each["ends"], each["share"], each["named"]) for each in keys]
    assert drawn == [("1 : n", "100 %", False), ("1 : n", "100 %", True)]
    assert "`persons` to `stays` by `persons.pseudonym` = `stays.person` (1 : n)" in picture.alt
    assert "`wards`: 2 records, joined to nobody." in picture.alt
    alone = audit_delivery([lookup, table("other", x=["a", "b"])])
    assert len(checked(tables_drawing(alone).chart())["datasets"]) == 1
    rows = next(iter(checked(attacks_drawing(audit).chart())["datasets"].values()))
    assert "age_group, region" in rows[-1]["name"]
    assert all(checked(each(audit).chart())["layer"] for each in (attacks_drawing, known_drawing))
    persons = table("persons", person=["a", "b", "c"], town=["x", "y", "z"])
    many = [table(f"visits_{n}", person=["a", "b", "b", "c"], ward=[n, 1, 2, 3]) for n in range(20)]
    assert checked(tables_drawing(audit_delivery([persons, *many])).chart())["height"] <= 800


@pytest.mark.parametrize(
    ("towns", "days", "known_records", "found"),
    [
        ("abcdef", "111111", 1, {"persons": "FAIL", "visits": "WARN"}),  # a town of one
        ("aaaaaa", "111112", 1, {"persons": "WARN", "visits": "FAIL"}),  # a day of one
        ("aaabbb", "112112", 1, {"persons": "WARN", "visits": "WARN"}),  # town and day together
        ("aaabbb", "112112", 0, {"persons": "PASS", "visits": "PASS"}),  # … and no day is known
        ("aaaaaa", "111222", 1, {"persons": "PASS", "visits": "PASS"}),
    ],
)
def test_picture__tells_tables_that_find_people_alone_from_those_that_need_others(
    towns: str, days: str, known_records: int, found: Mapping[str, str]
) -> None:
    persons = table("persons", person=[*"uvwxyz"], town=[*towns])
    visits = table("visits", person=[*"uvwxyzu"], day=[f"2024-01-0{day}" for day in (*days, days[0])])
    settings = DeliverySettings(
        person="persons.person",
        quasi_identifiers=("persons.town", "visits.day"),
        keys=("persons.person=visits.person",),
    )
    audit = audit_delivery([persons, visits], settings, DeliveryThresholds(k=2, known_records=known_records))
    boxes = next(iter(checked(tables_drawing(audit).chart())["datasets"].values()))
    assert {each["name"]: each["meaning"] for each in boxes} == found


COUNTS = {(place, term): 41 + 7 * at for at, (place, term) in enumerate(product("ABCD", "xyz"))}


def _counts(name: str, column: str, cells: Mapping[tuple[str, str], object]) -> Dataset:
    rows = {"place": [place for place, _ in cells], column: [each for _, each in cells]}
    return table(name, **rows, n=[*cells.values()])


def _by_sex(more: int = 0, times: int = 1) -> Dataset:
    whole = {place: sum(n for (each, _), n in COUNTS.items() if each == place) for place in "ABCD"}
    cells = {(place, sex): times * ((n + (sex == "F")) // 2) for place, n in whole.items() for sex in "FM"}
    return _counts("by_sex", "sex", cells | {("B", "F"): cells["B", "F"] + more})


@pytest.mark.slow
def test_counts_of_one_delivery__are_subtracted_where_they_count_the_same_people() -> None:
    seasons, n = ["spring", "autumn"], sum(COUNTS.values())
    for hidden, other, expected in (
        ("", _by_sex(), {}),
        ("", _by_sex(2), {"small_differences": Verdict.FAIL}),
        ("", _by_sex(5), {}),
        ("", _by_sex(4, times=2), {}),
        ("x", _by_sex(), {"recoverable_counts": Verdict.FAIL}),
        ("xy", _by_sex(), {"recoverable_counts": Verdict.PASS}),
        ("", table("by_season", season=seasons, n=[500, n - 498]), {"small_differences": Verdict.WARN}),
        ("", table("visits", season=seasons, n=[4000, 5000]), {}),
    ):
        cells = {key: "*" if key[0] == "C" and key[1] in hidden else n for key, n in COUNTS.items()}
        found = checks(audit_delivery([_counts("by_term", "term", cells), other]))
        told = {
            check: found[check] for check in ("small_differences", "recoverable_counts") if check in found
        }
        assert told == expected, (hidden, other.frame)
    rounded = {key: 5 * round(n / 5) for key, n in COUNTS.items()}
    by_sex = {key: 5 * at + 60 for at, key in enumerate(product("ABCD", "FM"))}
    tables = [_counts("by_term", "term", rounded), _counts("by_sex", "sex", by_sex)]
    assert "small_differences" not in checks(audit_delivery(tables))


RECORDS = [key for key, n in COUNTS.items() for _ in range(n)]


def _records(rows: Sequence[tuple[str, str]], *, name: str = "people", times: int = 1) -> Dataset:
    rows, ids = [*rows] * times, pseudonyms(len(rows)) * times
    return table(name, pseudonym=ids, place=[each for each, _ in rows], term=[each for _, each in rows])


def test_counts__minus_the_records_of_persons_give_who_was_left_out() -> None:
    counts = _counts("by_term", "term", COUNTS)
    rows = {"place": [place for place, _ in COUNTS], "term": [term for _, term in COUNTS]}
    in_german = table("by_term", **rows, Anzahl=[*COUNTS.values()])
    visits = table(
        "visits", pseudonym=pseudonyms(len(RECORDS))[: len(RECORDS) - 2], ward=["x"] * (len(RECORDS) - 2)
    )
    for tables, is_told in (
        ([counts, _records(RECORDS[2:])], True),
        ([in_german, _records([*RECORDS[:100], *RECORDS[103:]])], True),
        ([counts, _records(RECORDS[2:]), visits], True),
        ([counts, _records(RECORDS)], False),
        ([counts, _records(RECORDS[9::2])], False),  # a sample
        ([counts, _records(RECORDS[2:], times=2)], False),  # records, of persons with two each
    ):
        assert ("small_differences" in checks(audit_delivery(tables))) is is_told


BANDS = {"tens": (0, 10, 20, 30, 40), "young": (0, 18, 30), "fives": (0, 5, 10, 15, 20, 30, 40)}


def _by_band(name: str, people: Sequence[tuple[int, str]]) -> Dataset:
    found: dict[tuple[str, str], int] = {}
    for age, place in people:
        low = max(cut for cut in BANDS[name] if cut <= age)
        high = min((cut for cut in BANDS[name] if cut > age), default=0)
        band = f"{low}-{high - 1}" if high else f"{low}+"
        found[place, band] = found.get((place, band), 0) + 1
    return _counts(name, "age", found)


def _of_all_ages(n_of_18: int) -> list[tuple[int, str]]:
    """Return six or seven people of every age and place, and so many of 18 in A, where nobody is 19."""
    all_ages = [(age, place) for place in "ABCD" for age in range(50) for _ in range(6 + age % 2)]
    return [each for each in all_ages if each not in ((18, "A"), (19, "A"))] + [(18, "A")] * n_of_18


@pytest.mark.slow
def test_counts_and_records_cut_at_different_ages__are_read_together() -> None:
    for n_of_18, verdict in ((2, Verdict.FAIL), (7, None)):
        people = _of_all_ages(n_of_18)
        audit = audit_delivery([_by_band("tens", people), _by_band("young", people)])
        assert checks(audit).get("counts_together") is verdict
        assert audit.overall is (verdict or Verdict.PASS)
        more = [_by_band("fives", [*people, (33, "B"), (33, "B")]), _by_band("tens", people)]
        assert checks(audit_delivery(more))["small_differences"] is Verdict.FAIL
    people = [each for each in _of_all_ages(3) if each[0] not in (18, 19) or each[1] == "A"]
    tens = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age, _ in people]
    names = pseudonyms(len(people))
    persons = table("persons", pid=names, age=tens, place=[place for _, place in people])
    visits = table("visits", pid=names * 2, ward=["x", "y"] * len(people))
    found = checks(audit_delivery([persons, visits, _by_band("young", people)]))
    assert found["counts_together"] is Verdict.FAIL
    assert audit_delivery([persons, visits, _by_band("tens", people)]).overall is Verdict.PASS


def test_many_regions_in_two_tables_of_counts__are_no_key() -> None:
    regions = [f"R{at:03}" for at in range(60)]
    tables = [
        _counts(name, name, {(region, each): 20 + at for at, region in enumerate(regions) for each in values})
        for name, values in (("sex", "FM"), ("term", "xy"))
    ]
    assert audit_delivery(tables).overall is Verdict.PASS


def test_counts_of_an_earlier_release__are_subtracted_and_persons_compared_with_persons() -> None:
    names = pseudonyms(60)
    persons = table("persons", pid=names, sex=["F", "M"] * 30)
    visits = table("visits", pid=names * 2, ward=["A", "B", "C", "D"] * 30)
    one, earlier, more = (
        table("counts", region=["north", "south"], n=[140, n], mean_income=[2000.5, mean])
        for n, mean in ((161, 2040.75), (160, 2000.25), (181, 2040.75))
    )
    before = [
        EarlierTable(release=f"before/{each.name}", dataset=each) for each in (persons, visits, earlier)
    ]
    audit = audit_delivery([persons, visits, one], earlier=before)
    assert checks(audit)["figure_differences"] is Verdict.FAIL
    assert audit.releases is not None
    assert {each.table for each in audit.releases.measurement.compared} <= {"persons", "visits"}
    assert "figure_differences" not in checks(audit_delivery([persons, visits, more], earlier=before))
