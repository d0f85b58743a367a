"""The tables of a delivery in DuckDB are read together as in memory; only counts come back."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from core.__main__ import main
from core.delivery import DeliveryAudit, DeliverySettings, DeliveryThresholds
from core.delivery.in_engine import InEngine, audit_delivery_in_engine
from core.delivery.result import TOOL, delivery_result
from core.engines import address_of
from core.engines.sources import Engine
from core.errors import AuditInputError
from core.verdict import Verdict
from tests.engine_tables import deliveries, delivery_differences, few, in_duckdb
from tests.kinds import Patch, Told
from tests.one_json import document_of, figures_of

if TYPE_CHECKING:
    from tests.postgresql import Server

KEY = "persons.id=visits.patient"


@given(drawn=deliveries())
@few(8)
def test_audit__as_in_memory(tmp_path: Path, drawn: tuple[dict[str, pa.Table], DeliverySettings]) -> None:
    tables, chosen = drawn
    assert delivery_differences(tables, in_duckdb(tmp_path, tables), chosen) == []


@pytest.mark.one_of(4)
@pytest.mark.parametrize("seed", range(4))
def test_audit__what_groups_of_persons_give_away_is_as_in_memory(tmp_path: Path, seed: int) -> None:
    random, n = np.random.default_rng(seed), 90
    ids = np.array([f"P{each:05d}" for each in range(n)])
    sex, age = random.choice(["f", "m"], n), random.choice(["18-44", "65+"], n)
    held = ids[(sex == "f") | (random.random(n) < 0.3)]
    visits, ward = np.repeat(ids, 3), random.choice(["a", "b", "c"], 3 * n)
    told = np.where((np.repeat(sex, 3) == "f") & (ward == "a"), "HIV", random.choice(["flu", "gout"], 3 * n))
    amounts = random.choice(["1.000,5", "2,25", "10", ""], len(held))
    results = np.where(
        age[np.isin(ids, held)] == "65+", "positive", random.choice(["x", "Negative"], len(held))
    )
    tables = {
        "persons": pa.table({"pid": ids, "sex": sex, "age": age}),
        "visits": pa.table({"pid": visits, "ward": ward, "code": told}),
        "hiv": pa.table({"pid": held, "answer": results, "amount": amounts}),
    }
    chosen = DeliverySettings(
        keys=("persons.pid=visits.pid", "persons.pid=hiv.pid"),
        person="persons.pid",
        quasi_identifiers=("persons.sex", "persons.age", "visits.ward"),
        sensitive=("visits.code", "hiv.answer", "hiv.amount"),
    )
    at = in_duckdb(tmp_path, tables)
    assert delivery_differences(tables, at, chosen) == []
    found = audit_delivery_in_engine(
        [*map(address_of, at)], settings=chosen, thresholds=DeliveryThresholds(l=2)
    )
    told_of = {str(each.place): each for each in found.audit.measurement.one_values}
    assert {"visits.code", "hiv.answer", "hiv"} <= {*told_of}
    assert checks(found.audit)["all_in_table"] is Verdict.FAIL
    assert checks(found.audit)["distinct_l"] is Verdict.FAIL


@pytest.mark.one_of(4)
@pytest.mark.parametrize("seed", range(4))
def test_audit__reads_lookup_tables_through_several_as_in_memory(tmp_path: Path, seed: int) -> None:
    random, n = np.random.default_rng(seed), 60
    ids = [f"P{each:05d}" for each in range(n)]
    wards, hospitals = [f"W{each}" for each in range(8)], ["north", "south", "none"]
    tables = {
        "persons": pa.table({"pid": ids, "sex": random.choice(["f", "m"], n)}),
        "visits": pa.table({"patient": [*ids, *ids], "ward": random.choice([*wards, "W99", ""], 2 * n)}),
        "wards": pa.table(
            {"ward": wards, "floor": random.integers(1, 3, 8), "hospital": random.choice(hospitals, 8)}
        ),
        "hospitals": pa.table({"name": hospitals[:2], "region": ["alps", "coast"], "diagnosis": ["x", "y"]}),
    }
    chosen = DeliverySettings(
        keys=("persons.pid=visits.patient", "visits.ward=wards.ward", "wards.hospital=hospitals.name"),
        person="persons.pid",
        quasi_identifiers=(
            "persons.sex",
            *[("hospitals.region",), ("visits.ward",), ("wards.floor",), ()][seed],
        ),
        sensitive=("hospitals.diagnosis",),
    )
    at = in_duckdb(tmp_path, tables)
    assert delivery_differences(tables, at, chosen) == []
    found = audit_delivery_in_engine([*map(address_of, at)], settings=chosen, thresholds=DeliveryThresholds())
    visits = next(each for each in found.audit.measurement.tables if each.name == "visits")
    assert "ward > hospital > region" in visits.columns
    read = {each.name: each.read_by for each in found.audit.measurement.tables}
    assert [str(each) for each in read["wards"]] == ["visits.ward"]


def delivery(n: int = 2000) -> dict[str, pa.Table]:
    random = np.random.default_rng(0)
    ids, notes = [f"P{each:05d}" for each in range(n)], [{"a": each} for each in range(3 * n)]
    persons = {"id": ids, "age": random.integers(2, 6, n) * 10, "sex": [*"fm"] * (n // 2)}
    visits = {"patient": np.repeat(ids, 3), "month": random.integers(1, 3, 3 * n), "note": notes}
    return {"persons": pa.table(persons), "visits": pa.table(visits)}


def in_engine(at: Sequence[str], *keys: str, **chosen: object) -> InEngine:
    return audit_delivery_in_engine(
        [*map(address_of, at)],
        settings=DeliverySettings(keys=keys, **chosen),
        thresholds=DeliveryThresholds(known_records=2),
    )


def audited(folder: Path, tables: Mapping[str, pa.Table]) -> DeliveryAudit:
    return in_engine(in_duckdb(folder, tables), KEY).audit


def checks(found: DeliveryAudit) -> dict[str, Verdict]:
    return {each.check: each.verdict for each in reversed(found.findings)}


def test_audit__only_counts_leave_the_engine(tmp_path: Path, answered: list[tuple[int, str]]) -> None:
    found = audited(tmp_path, delivery())
    assert found.measurement.n_persons == 2000
    assert len(answered) > 12
    assert max(n for n, _ in answered) < 100  # sizes of classes, never as many as there are persons
    assert [query for _, query in answered if "COUNT(" not in query and "SUM(" not in query] == []


def test_audit__fails_where_records_single_out_and_never_passes(tmp_path: Path) -> None:
    tables = delivery()
    coarse = audited(tmp_path, tables)
    assert coarse.overall is Verdict.NOT_ASSESSED
    assert checks(coarse)["joined_k"] is Verdict.PASS
    quasi = {table.name: table.quasi_identifiers for table in coarse.measurement.tables}
    assert quasi == {"persons": ("age", "sex"), "visits": ("month",)}
    said = " ".join(str(each.message) for each in coarse.findings if each.check == "not_in_engine")
    assert "`visits.note`" in said  # a record in a cell cannot be grouped
    ward = pa.array(["w"] * 5997 + ["x"] * 3)
    found = audited(tmp_path, {**tables, "visits": tables["visits"].append_column("ward", ward)})
    assert (found.overall, checks(found)["joined_k"]) == (Verdict.FAIL, Verdict.FAIL)
    assert found.judged.n_below(2) == 1


@pytest.mark.parametrize("name", ["ward", "region", "device_id"])
def test_audit__keys_of_other_things_are_known_and_no_persons(tmp_path: Path, name: str) -> None:
    tables = delivery(200)
    values = [f"{name}{each % 40}" for each in range(600)]
    tables["visits"] = tables["visits"].append_column(name, pa.array(values))
    tables["things"] = pa.table({name: [f"{name}{each}" for each in range(40)], "floor": [*range(4)] * 10})
    places = in_duckdb(tmp_path, tables)
    measured = in_engine(places, KEY, f"visits.{name}=things.{name}").audit.measurement
    assert measured.n_persons == 200
    assert name in measured.tables[1].quasi_identifiers
    assert measured.tables[1].key_columns == ("patient",)


def test_audit__too_many_choices_are_not_assessed(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr("core.delivery.known_in_engine.MOST_SETS", 10)
    found = audited(tmp_path, delivery())
    assert checks(found)["joined_k"] is Verdict.NOT_ASSESSED
    document = document_of(TOOL, delivery_result(found))
    assert [each["share_below_k"] is None for each in document["known"]] == [False, False, True, True, False]
    assert "2 records of a person was not counted" in str(found.findings[0].message)


def test_audit__keys_written_otherwise_or_repeated_on_both_sides_are_said(tmp_path: Path) -> None:
    tables = delivery(40)

    def with_keys(form: str, more: int) -> DeliveryAudit:
        ids = [form.format(int(each.as_py()[1:]) + more) for each in tables["visits"]["patient"]]
        return audited(
            tmp_path, {**tables, "visits": tables["visits"].set_column(0, "patient", pa.array(ids))}
        )

    said, near = with_keys("{}", 0), with_keys("P{:05d}", 30)
    told = [
        [each for each in of.findings if "as they are written" in str(each.message)] for of in (said, near)
    ]
    assert [(each.check, each.verdict) for each in told[0]] == [("not_in_engine", Verdict.NOT_ASSESSED)]
    assert told[1] == []
    assert near.measurement.links[0].n_found == 10
    assert checks(near)["orphan_keys"] is Verdict.PASS
    twice = pa.concat_tables([tables["persons"], tables["persons"].slice(0, 3)])
    found = audited(tmp_path, {**tables, "persons": twice})
    assert checks(found)["many_to_many"] is Verdict.WARN
    assert (found.measurement.n_persons, found.measurement.tables[0].repeats) == (40, True)


def test_audit__bad_settings_are_one_sentence(tmp_path: Path) -> None:
    at = in_duckdb(tmp_path, delivery(20))
    for keys, quasi, sentence in (
        ((), (), "name one with --key TABLE.COL=TABLE.COL"),
        (("persons.id=visits.who",), (), "--key: there is no column `visits.who`"),
        (("persons.id=visits.note",), (), "--key: there is no column `visits.note`"),
        (("persons.id=persons.age",), (), "joins a table to itself"),
        ((KEY,), ("visits.note",), "--quasi-identifier: there is no column `visits.note`"),
    ):
        with pytest.raises(AuditInputError) as raised:
            in_engine(at, *keys, quasi_identifiers=quasi)
        assert len(raised.value.problems) == 1
        assert sentence in str(raised.value)


def test_audit__goes_on_without_tables_that_cannot_be_used(tmp_path: Path) -> None:
    tables = delivery(20)
    tables |= {"empty": tables["persons"].slice(0, 0), "copy": tables["visits"]}
    *at, copy = in_duckdb(tmp_path, tables)
    gone = "duckdb:gone.parquet"
    found = in_engine([gone, *at, "spark:elsewhere", copy], KEY, "persons.id=empty.id")
    assert list(map(str, found.problems)) == [
        "gone.parquet: there is no such file or folder. Check its path.",
        "empty.parquet has no records below its header.",
        "persons.parquet and elsewhere are not in one engine, so that their rows cannot be joined.",
    ]
    measured = found.audit.measurement
    assert (measured.n_persons, measured.same_files) == (20, (("visits", "copy"),))
    with pytest.raises(AuditInputError, match=r"^gone\.parquet: there is no such file"):
        in_engine([gone, at[0]], KEY)


def test_audit__a_table_that_vanishes_is_one_sentence(tmp_path: Path, monkeypatch: Patch) -> None:
    at, answer = in_duckdb(tmp_path, delivery(20)), Engine.answer

    def harmed(self: Engine, question: object, **options: int) -> object:
        if self.address.name == "visits.parquet":
            (tmp_path / "visits.parquet").unlink(missing_ok=True)
        return answer(self, question, **options)

    monkeypatch.setattr(Engine, "answer", harmed)
    with pytest.raises(
        AuditInputError, match=r"^visits\.parquet: there is no such table, or not any more\.$"
    ):
        in_engine(at, KEY)


def test_command__keeps_what_was_counted_before_a_table_vanished(
    tmp_path: Path, capsys: Told, vanish: Callable[[Path, int], None]
) -> None:
    kept, refused = [], 0
    for last in range(2, 40, 2):
        at = in_duckdb(tmp_path, delivery(60))
        vanish(tmp_path / "visits.parquet", last)
        code = main(["dataset", *at, "--key", KEY, "--k", "1", "--json"])
        printed = capsys.readouterr()
        if not printed.err:
            continue  # everything was counted before
        assert (code, "visits.parquet: there is no such" in printed.err) == (2, True)
        found = json.loads(printed.out)
        if found.keys() == {"errors"}:
            refused += 1
            continue
        assert found["verdict"] == "NOT_ASSESSED"
        assert "no_key" not in {each["check"] for each in found["findings"]}
        kept.append(tuple(len(found.get(key, ())) for key in ("known", "records_alone")))
        assert [each["n_persons"] for each in found["released_tables"]] == [60, 60]
    assert refused
    assert kept == sorted(kept)
    assert {bool(known) for known, _ in kept} == {False, True}


def test_command__prints_and_files_what_the_engine_counted(tmp_path: Path, capsys: Told) -> None:
    at, reports = in_duckdb(tmp_path, delivery(300)), tmp_path / "reports"
    words = ["dataset", *at, "--key", KEY]
    assert main([*words, "--k", "3", "--json", "--report", str(reports)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["n_persons"], printed["verdict"]) == (300, "NOT_ASSESSED")
    assert [each["n_persons"] for each in printed["released_tables"]] == [300, 300]
    assert not {"attacks", "texts"} & printed.keys()
    filed = json.loads(next(reports.glob("*.json")).read_text(encoding="utf-8"))
    assert [each["name"] for each in filed["inputs"]] == at
    assert main(words) == 0
    told = capsys.readouterr().out
    assert [line.split()[1:3] for line in told.splitlines() if line.startswith("  visits  ")] == [
        ["900", "300"]
    ]
    assert main([*words, "--read", "visits.note=1"]) == 2
    assert "--read needs the records themselves" in capsys.readouterr().err


def test_command__holds_tables_against_earlier_ones(tmp_path: Path, capsys: Told) -> None:
    tables = delivery(300)
    at = in_duckdb(tmp_path, tables)
    (tmp_path / "old").mkdir()
    before = in_duckdb(tmp_path / "old", {**tables, "persons": tables["persons"].slice(2)})
    assert main(["dataset", *at, "--key", KEY, "--k", "3", "--earlier", *before, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    compared = {each["table"]: each for each in found["earlier_releases"]}
    came = ("counted", "n_newcomers", "n_newcomers_below_k", "n_newcomers_given_away")
    assert [compared["persons"][key] for key in came] == ["persons", 2, 2, None]
    assert [compared["visits"][key] for key in ("n_in_both", "n_newcomers", "n_leavers")] == [None, 0, 0]
    assert figures_of(found, "newcomers_below_k_share") == {"persons.parquet": 1.0}
    assert found["verdict"] == "FAIL"


def test_command__takes_files_beyond_memory_to_duckdb(
    tmp_path: Path, capsys: Told, monkeypatch: Patch
) -> None:
    in_duckdb(tmp_path, delivery(300))
    monkeypatch.setattr("core.commands.engines._LARGE_FILE", 1)
    monkeypatch.setattr("core.commands.engines.most_memory", lambda: 1000)
    assert main(["dataset", str(tmp_path), "--key", KEY, "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["n_persons"] == 300
    assert "DuckDB measured it on disk" in printed.err


@pytest.mark.usefixtures("password")
@given(drawn=deliveries())
@few(3)
def test_postgresql__as_in_memory(
    server: "Server", drawn: tuple[dict[str, pa.Table], DeliverySettings]
) -> None:
    tables, chosen = drawn  # what is called persons counts as theirs
    at = [server.table(each, name) for name, each in tables.items()]
    assert delivery_differences(tables, at, chosen) == []
