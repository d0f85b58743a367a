"""What else tables of a delivery give away: lists, households, pseudonyms, order, missing persons."""

import hashlib
import json
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from uuid import NAMESPACE_DNS, UUID, uuid5

import numpy as np
import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import csv

from core.__main__ import main
from core.coding import CodedColumn, coded
from core.commands.audit import repeated_report
from core.delivery import (
    DeliveryAudit,
    DeliverySettings,
    DeliveryThresholds,
    audit_delivery,
    judge_delivery,
    measure_delivery,
    named_tables,
)
from core.delivery.joined import read_list
from core.delivery.keys import Place
from core.delivery.report import facts_of_tables
from core.delivery.result import TOOL, delivery_result
from core.errors import AuditInputError
from core.filed import Sameness, read_report
from core.files.named_files import Source
from core.people.free_text import Reading
from core.tables import Dataset, ReadOptions, read_dataset, read_sheets
from core.triage import GivenFile, offers
from core.verdict import Finding, Verdict
from tests.kinds import Told
from tests.one_json import document_of
from tests.unit.test_delivery import pseudonyms, table

N = 120
RANDOM = np.random.default_rng(11)


DAYS = [date(2021, 1, 1) + timedelta(days=17 * i % 700) for i in range(N)]


def persons(ids: Sequence[str], **more: Sequence[object]) -> Dataset:
    n = len(ids)
    return table("persons", pseudonym=ids, sex=(["f", "m"] * n)[:n], **more)


def visits(ids: Sequence[str], **more: Sequence[object]) -> Dataset:
    return table("visits", person=[*ids, *ids], place=["a"] * 2 * len(ids), **more)


def found(*tables: Dataset, settings: DeliverySettings | None = None, **limits: object) -> dict[str, Finding]:
    return found_in(audit_delivery(tables, settings, DeliveryThresholds(**limits)))


def found_in(audit: DeliveryAudit) -> dict[str, Finding]:
    return {each.check: each for each in reversed(audit.findings)}


def values(*texts: str) -> CodedColumn:
    return coded(pa.array(texts))


def test_read_list__parts_cells_and_leaves_texts_dates_and_numbers_whole() -> None:
    lists = read_list(values("chess; golf", "golf;rowing", "chess;rowing;golf", "rowing;golf"))
    assert lists is not None
    assert lists.record.tolist() == [0, 0, 1, 1, 2, 2, 2, 3, 3]
    assert len(set(lists.item.tolist())) == 3
    assert lists.item[0] == lists.item[4]
    assert read_list(values("chess", "golf", "rowing")) is None
    assert read_list(values("1/2/2024", "2/2/2024", "1/1/2024", "2/1/2024")) is None
    assert read_list(values("a;b", "b;a")) is None
    assert read_list(values(*(f"Dear {i}, hello there, you" for i in range(9)))) is None


def test_lists__are_held_against_k_by_their_parts() -> None:
    rng = np.random.default_rng(0)
    parts = np.array([f"sport{i}" for i in range(12)])
    cells = ["|".join(np.sort(rng.choice(parts, 3, replace=False))) for _ in range(N)]
    ids = pseudonyms(N)
    one = found(persons(ids, hobbies=cells), visits(ids), known_records=2)["lists"]
    assert one.verdict is Verdict.FAIL
    assert "`persons.hobbies` holds lists: " in one.message
    assert "knows 2 parts of them" in one.message
    lists = ("chess|golf", "golf|rowing", "chess|rowing", "chess|golf|rowing")
    shared = [lists[i % 4] for i in range(N)]
    assert found(persons(ids, hobbies=shared), visits(ids))["lists"].verdict is Verdict.PASS


@pytest.mark.slow
def test_keys__tell_what_is_computed_or_stands_inside() -> None:
    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    computed, days = {"key_computed": Verdict.FAIL}, [np.datetime64("1950-01-01") + at for at in range(200)]
    for keys, expected in (
        ([digest(str(i)) for i in range(N)], computed),
        ([digest(f"{day}".replace("-", "")) for day in days], computed),
        ([digest(f"{day}") for day in days], computed),
        ([digest(f"PAT-{at:04d}") for at in range(200)], computed),
        ([digest(f"secret {at}") for at in range(200)], computed),  # a key that is guessed
        ([hashlib.blake2b(str(at).encode()).hexdigest() for at in range(200)], computed),
        ([str(uuid5(NAMESPACE_DNS, str(at))) for at in range(200)], computed),
        ([digest(f"7f3a9c x {at}") for at in range(200)], {}),
        ([str(UUID(bytes=RANDOM.bytes(16), version=4)) for at in range(200)], {}),
        ([f"p{i}@example.org" for i in range(N)], {"looks_like_identifier": Verdict.FAIL}),
        (
            [f"1980{1 + i % 12:02d}{1 + i % 28:02d}-{i:04d}" for i in range(N)],
            {"key_holds_dates": Verdict.WARN},
        ),
        ([f"CLM{DAYS[i]:%y%m%d}{i:03d}" for i in range(N)], {"key_holds_dates": Verdict.WARN}),
        ([f"{DAYS[i]:%d%m%y}-{i * 37 % 997:03d}" for i in range(N)], {"key_holds_dates": Verdict.WARN}),
        ([f"A7{DAYS[i]:%m%d%y}{i:04d}" for i in range(N)], {"key_holds_dates": Verdict.WARN}),
        ([f"{2301 + i // 30}{1 + i % 30:02d}" for i in range(N)], {}),  # sites and their patients
        ([f"{i * 7919 % 900_001 + 100_000}" for i in range(N)], {}),
        (pseudonyms(N), {}),
    ):
        told = {check: each.verdict for check, each in found(persons(keys), visits(keys)).items()}
        checks = ("key_computed", "looks_like_identifier", "key_holds_dates")
        assert {check: told[check] for check in checks if check in told} == expected, keys[:2]
    cards = [f"K-{i * 7}" for i in range(N)]  # computed of another column
    keys = [hashlib.md5(each.encode()).hexdigest() for each in cards]  # noqa: S324
    got = found(persons(keys), visits(keys), table("cards", card=cards, x=["y"] * N))["key_computed"]
    assert "are the MD5 of a value of `cards.card`" in got.message


def test_table__with_numbers_of_patients_that_nothing_joins_is_said() -> None:
    ids = [f"{at * 7919 % 10007:05d}" for at in range(200)]
    for name, verdict in (("mrn", Verdict.WARN), ("kit", Verdict.PASS)):
        other = table("other", **{name: [f"K{each}" for each in range(200)], "result": ["x", "y"] * 100})
        assert found(persons(ids), visits(ids * 2), other)["not_joined"].verdict is verdict


def test_keys__of_two_columns_are_joined_together() -> None:
    keys = {"hospital": ["h1", "h2"] * (N // 2), "patient": [i // 2 for i in range(N)]}
    days = [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)]
    tables = [table("patients", **keys, sex=["f", "m"] * (N // 2)), table("visits", **keys, day=days)]
    measured = measure_delivery(tables)
    assert measured.n_persons == N
    (link,) = measured.links
    assert link.one == Place("patients", "hospital + patient")
    assert "patient" not in measured.tables[0].released
    named = measure_delivery(tables, DeliverySettings(keys=("patients.patient=visits.patient",)))
    assert named.n_persons == N // 2


def test_households__are_found_by_who_is_in_them() -> None:
    ids, rng = pseudonyms(N), np.random.default_rng(1)
    households = rng.permutation(np.repeat(np.arange(N // 4), 4)).astype(str)
    regions = rng.choice(["n", "s", "e", "w"], N)
    got = found(persons(ids, region=regions, household=households), visits(ids))["households"]
    assert got.verdict is Verdict.FAIL
    assert "`persons.household` puts persons together" in got.message
    alike = np.repeat(np.arange(N // 2), 2).astype(str)
    calm = found(persons(ids, region=["n"] * N, household=alike), visits(ids))["households"]
    assert calm.verdict is Verdict.PASS


def test_tables__in_one_order_are_told_and_those_sorted_alike_are_not() -> None:
    ids, rng = pseudonyms(N), np.random.default_rng(2)
    age, outcome = rng.integers(20, 40, N), rng.choice(["x", "y"], N)

    def told(ages: np.ndarray) -> dict[str, Finding]:
        other = table("outcomes", code=pseudonyms(N, 9), age=ages, outcome=outcome)
        return found(persons(ids, age=ages), visits(ids), other)

    got = told(age)
    assert got["same_order"].verdict is Verdict.FAIL
    assert "their order does: place by place they agree in `age`" in got["same_order"].message
    assert "not_joined" not in got
    assert "same_order" not in told(np.sort(age))


def test_numbers_of_records__tell_persons_apart_where_nothing_else_of_them_is_known() -> None:
    people = [f"p{n}" for n in range(40)]
    persons = table("persons", pid=people, sex=["f", "m"] * 20)
    for step, alone in ((1, 40), (0, 0)):
        doses = [name for n, name in enumerate(people) for _ in range(n // 2 * step + 2)]
        finding = found(persons, read_dataset("\n".join(["pid", *doses]).encode(), name="doses.csv"))[
            "alone_with_all_records"
        ]
        assert (finding.n_affected, finding.verdict) == (alone, Verdict.WARN if alone else Verdict.PASS)


def test_persons__few_in_a_table_missing_from_one_or_numbered_beside_the_key_are_said() -> None:
    ids = pseudonyms(N)
    numbers = np.random.default_rng(3).permutation(9999)[:N]
    few, listed = (
        table("hiv_clinic", person=ids[:3], value=["x", "y", "x"]),
        table("transfer", person=ids, hospital_number=numbers),
    )
    for tables, check, verdict, *said in (
        ((persons(ids), visits(ids), few), "few_in_table", Verdict.FAIL, "`hiv_clinic` is of 3 persons"),
        (
            (persons(ids[:-2]), visits(ids)),
            "missing_persons",
            Verdict.WARN,
            "2 of 120 persons",
            "are in other tables and not in `persons`",
        ),
        (
            (persons(ids), visits(ids), listed),
            "listed_beside_key",
            Verdict.FAIL,
            "`transfer.hospital_number` names each person of the table once",
        ),
        (
            (
                persons(ids),
                visits(ids),
                table("deviations", person=ids, source=[*(numbers[:30] * 77_773 + 10**8), *[""] * (N - 30)]),
            ),
            "listed_beside_key",
            Verdict.WARN,
            "`deviations.source` names 30 of 120 persons (25.0 %) of the table once each",
        ),
    ):
        got = found(*tables)[check]
        assert got.verdict is verdict
        assert all(each in got.message for each in said)


def test_tables__joined_to_each_other_alone_are_read_as_a_delivery_of_their_own() -> None:
    rng = np.random.default_rng(4)
    ids, times = pseudonyms(N), [f"{each:.9f}" for each in rng.random(N)]
    first = table("bloods", taken=times, drawer=rng.integers(0, 60, N))
    second = table("scans", taken=times, shelf=rng.integers(0, 60, N))
    roles = DeliverySettings(quasi_identifiers=("persons.sex", "bloods.drawer", "scans.shelf"))
    audit = audit_delivery([persons(ids), visits(ids), first, second], roles)
    (apart,) = audit.measurement.apart
    assert apart.n_persons == N
    joined = [each for each in audit.findings if each.check == "joined_k"]
    (alone,) = [each for each in joined if "joined to each other alone" in each.message]
    assert alone.verdict is Verdict.FAIL


@pytest.mark.parametrize("spelled", ["{}.0", "HOSP24/{}", "{:0>9}", "p {}"])
def test_keys__spelled_otherwise_are_joined_and_told_once(spelled: str) -> None:
    numbers = [str(i) for i in np.random.default_rng(5).permutation(90_000)[:N] + 10_000]
    written = [spelled.format(each) for each in numbers]
    audit = audit_delivery([persons(written), visits(numbers), table("notes", person=numbers, x=["a"] * N)])
    assert audit.measurement.n_persons == N
    (finding,) = (each for each in audit.findings if each.check == "key_spelled_otherwise")
    assert "`persons.pseudonym=visits.person`" in finding.message


COMPLAINTS = ("a cough since monday", "knee pain for weeks", "a rash again")
NOTES = [f"came with {COMPLAINTS[at % 3]}, told to rest {at}" for at in range(2 * N)]


def _with_notes(notes: Sequence[str] = NOTES) -> list[Dataset]:
    ids = pseudonyms(N)
    return [persons(ids), visits(ids, note=notes)]


def test_notes__are_not_assessed_until_enough_is_read_and_fail_where_somebody_is_named() -> None:
    measured = measure_delivery(_with_notes())
    assert not measured.known_by(1).share_below(5)  # nobody knows a note word for word
    unread = judge_delivery(measured)
    assert (unread.overall, unread.findings[0].check) == (Verdict.NOT_ASSESSED, "text_not_read")
    read = judge_delivery(measured, read={"visits.note": Reading(200)})
    assert read.overall is Verdict.PASS
    assert document_of(TOOL, delivery_result(read))["texts"][0]["n_read"] == 200
    with pytest.raises(AuditInputError, match="no column `note` holds free text"):
        judge_delivery(measured, read={"note": Reading(200)})
    finding = found(*_with_notes([*NOTES[:-1], "came with a cough. Discussed with gospa Novak."]))[
        "people_in_text"
    ]
    assert (finding.verdict, finding.column, finding.n_affected) == (Verdict.FAIL, "visits.note", 1)


def test_command__takes_what_was_read(tmp_path: Path, capsys: Told) -> None:
    for each in _with_notes():
        csv.write_csv(each.table, tmp_path / each.name)
    for more, verdict in ((), "NOT ASSESSED"), (("--read", "visits.note=200"), "PASS"):
        assert main(["dataset", str(tmp_path), *more]) == 0
        assert capsys.readouterr().out.startswith(verdict)


def test_counts__among_the_tables_are_audited_as_counts_and_tables_in_a_circle_as_well() -> None:
    ids = pseudonyms(N)
    for least, verdict in ((3, Verdict.FAIL), (5, Verdict.PASS)):
        counts = table("summary", area=["a", "b", "c", "d"], term=["x"] * 4, n=[40, least, 30, 20])
        got = found(persons(ids), visits(ids), counts)
        assert (got["small_counts"].verdict, got["small_counts"].column) == (verdict, "summary.n")
        assert "not_joined" not in got
    circle = table("tests", visit=range(2 * N), person=[*ids, *ids])
    audit = audit_delivery([persons(ids), visits(ids, visit=range(2 * N)), circle])
    assert audit.overall is not Verdict.NOT_ASSESSED
    assert audit.measurement.n_persons == N


PERSONS = [["pid", "sex", "region"], *([f"P{n}", "fm"[n % 2], "abc"[n % 3]] for n in range(60))]
VISITS = [["pid", "ward"], *([f"P{n * 7 % 60}", "xyz"[n * n % 3]] for n in range(150))]
SHEET_NOTES = [["About"], ["Written in May"]]


def book(folder: Path, *, name: str = "book.xlsx", **sheets: list[list[str]]) -> Path:
    """Write a workbook; sheets called `hidden…` are hidden."""
    written = Workbook()
    written.remove(written["Sheet"])
    for title, rows in sheets.items():
        sheet = written.create_sheet(title)
        sheet.sheet_state = "hidden" if title.startswith("hidden") else "visible"
        for row in rows:
            sheet.append(row)
    written.save(folder / name)
    return folder / name


def tables_of(path: Path, options: ReadOptions | None = None) -> list[Dataset]:
    return read_sheets(lambda asked: read_dataset(path, options=asked), options or ReadOptions())


def names(path: Path, options: ReadOptions | None = None) -> list[str]:
    return [*named_tables(tables_of(path, options))]


def test_read_sheets__takes_every_table_and_no_notes(tmp_path: Path) -> None:
    path = book(tmp_path, notes=SHEET_NOTES, persons=PERSONS, hidden_visits=VISITS)
    assert names(path) == ["book persons", "book hidden_visits"]
    assert names(path, ReadOptions(sheet="persons")) == ["book"]
    assert names(book(tmp_path, name="one.xlsx", persons=PERSONS)) == ["one"]
    (facts,) = facts_of_tables(tables_of(book(tmp_path, persons=PERSONS, visits=VISITS)))
    assert (facts.name, facts.reading) == ("book.xlsx", "XLSX, sheets `persons`, `visits`")
    assert facts.options is not None
    assert facts.options["sheet"] is None


def test_audit__joins_the_sheets_and_warns_of_what_is_no_table(tmp_path: Path) -> None:
    got = found(*tables_of(book(tmp_path, notes=SHEET_NOTES, persons=PERSONS, hidden_visits=VISITS)))
    assert "joined_k" in got
    beside = got["beside_the_table"]
    assert beside.verdict is Verdict.WARN
    assert beside.message.startswith("book.xlsx: The file holds more than the table: the sheet “notes”")
    alone = book(tmp_path, name="alone.xlsx", persons=PERSONS, visits=VISITS)
    assert "beside_the_table" not in found(*tables_of(alone))


@pytest.mark.parametrize("sheet", [None, "visits"])
def test_command__reads_all_sheets_and_its_report_is_repeated_alike(
    sheet: str | None, tmp_path: Path, capsys: Told
) -> None:
    path, other, folder = (
        book(tmp_path, persons=PERSONS, visits=VISITS),
        tmp_path / "other.csv",
        tmp_path / "out",
    )
    other.write_text("pid,kind\n" + "".join(f"P{n},{'uv'[n % 2]}\n" for n in range(60)))
    asked = [] if sheet is None else ["--sheet", sheet]
    main(["dataset", str(path), str(other), *asked, "--json", "--report", str(folder), "--formats", "json"])
    document = json.loads(capsys.readouterr().out)
    ours = ["book persons", "book visits"] if sheet is None else ["book"]
    assert [each["table"] for each in document["released_tables"]] == [*ours, "other"]
    report = read_report(next(folder.glob("anonaudit_dataset*.json")))
    files = [Source("renamed.xlsx", path), Source("other.csv", other)]
    assert repeated_report(report, files).sameness is Sameness.SAME


def test_home__offers_data_set_for_a_workbook_of_several_tables(tmp_path: Path) -> None:
    path = book(tmp_path, persons=PERSONS, visits=VISITS)
    (first, *_) = offers([GivenFile(name=path.name, table=read_dataset(path))])
    assert (first.tool, first.places) == ("dataset", {"tables": ("book.xlsx",)})
    covered = book(tmp_path, name="covered.xlsx", notes=SHEET_NOTES, persons=PERSONS)
    assert "dataset" not in [each.tool for each in offers([GivenFile(name="x", table=read_dataset(covered))])]


# ---------------------------------------------------------------------------- values that all alike have


def _with_result(results: Sequence[str], column: str = "diagnosis") -> dict[str, Finding]:
    ids = pseudonyms(N)
    return found(persons(ids), table("tests", person=ids, **{column: results}))


TOLD = {
    "of all women": ["HIV" if n % 2 == 0 else ["flu", "cold", "gout"][n % 3] for n in range(N)],
    "of every group, each another": [["asthma", "gout"][n % 2] for n in range(N)],
    "of all men": [["flu", "cold", "gout"][n % 3] if n % 2 == 0 else "HIV" for n in range(N)],
}
NOT_TOLD = {
    "two in each group": [["asthma", "gout"][n // 2 % 2] for n in range(N)],
    "one of everybody": ["flu"] * N,
    "nearly all women": [
        "gout" if n == 0 else "HIV" if n % 2 == 0 else ["flu", "cold"][n % 3 > 0] for n in range(N)
    ],
}


@pytest.mark.parametrize("results", TOLD.values(), ids=TOLD)
def test_one_value__of_everybody_alike_in_another_table_is_told(results: Sequence[str]) -> None:
    told = _with_result(results)["one_value_of_class"]
    assert told.verdict is Verdict.FAIL
    assert "`tests.diagnosis`" in told.message


@pytest.mark.parametrize("results", NOT_TOLD.values(), ids=NOT_TOLD)
def test_one_value__is_not_told_where_values_differ(results: Sequence[str]) -> None:
    assert "one_value_of_class" not in _with_result(results)


def test_one_value__of_a_column_of_no_meaning_is_a_warning_unless_it_repeats_the_persons_columns() -> None:
    assert _with_result(TOLD["of all women"], "v7")["one_value_of_class"].verdict is Verdict.WARN
    assert "one_value_of_class" not in _with_result(["Mrs" if n % 2 == 0 else "Mr" for n in range(N)], "v7")


def test_keys_of_other_things__are_facts_of_the_persons() -> None:
    ids = pseudonyms(N)
    courses = [f"c{n % 40:02d}" for n in range(3 * N)]
    of_courses = table("courses", course=sorted(set(courses)), title=[f"Course {n}" for n in range(40)])
    told = found(persons(ids), table("enrolments", person=ids * 3, course=courses), of_courses)
    assert told["unchosen_columns"].verdict is Verdict.WARN
    assert "`enrolments.course`" in told["unchosen_columns"].message
