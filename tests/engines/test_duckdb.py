"""A table in DuckDB is audited as in memory, and only aggregates come back."""

import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import current_thread
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from pyarrow import csv

from core.__main__ import main
from core.engines import Address, address_of, connected
from core.engines.sources import Engine
from core.errors import AuditInputError
from core.processes.jobs import Interruption
from core.risk import RiskMeasurement, RiskSettings, RiskThresholds, SudaSettings, judge_risk
from core.risk.in_engine import audit_in_engine, measure_in_engine
from core.tables import ReadOptions
from core.verdict import Verdict
from tests.engine_tables import (
    THRESHOLDS,
    audits,
    comparison_differences,
    differences,
    differing,
    few,
    in_duckdb,
    released,
)
from tests.kinds import Patch, Told
from tests.saying import Saying


@pytest.mark.parametrize("most_counters", [0, 32])  # classes as lists, and as rows of counters
@given(drawn=audits())
@few(12)
def test_measure__as_in_memory(
    most_counters: int, tmp_path: Path, monkeypatch: Patch, drawn: tuple[pa.Table, RiskSettings]
) -> None:
    table, chosen = drawn
    monkeypatch.setattr("core.engines.signatures._MOST_COUNTERS", most_counters)
    with connected(placed(tmp_path, table)) as engine:
        assert differences(table, engine, chosen) == []


def placed(folder: Path, table: pa.Table, name: str = "t") -> Address:
    (found,) = map(address_of, in_duckdb(folder, {name: table}))
    return found


def measured(place: Address, *quasi: str, sensitive: Sequence[str] = (), **more: Any) -> RiskMeasurement:
    chosen = RiskSettings(quasi_identifiers=quasi, sensitive=tuple(sensitive))
    with connected(place, **more) as engine:
        return measure_in_engine(engine, settings=chosen, thresholds=RiskThresholds(), **more)


@pytest.mark.parametrize("values", [[0.0], [0.0, 7.5], [1.0, math.inf, -math.inf]])
def test_measure__knows_cells_that_are_no_numbers(tmp_path: Path, values: list[float]) -> None:
    """Which DuckDB denies where smallest and largest value of a Parquet file's column are numbers."""
    cells = [*values, math.nan, values[0], math.nan]
    table = pa.table({"q": [n % 2 for n in range(len(cells))], "s": pa.array(cells, pa.float64())})
    chosen = RiskSettings(quasi_identifiers=("q",), sensitive=("s",))
    with connected(placed(tmp_path, table)) as engine:
        assert measure_in_engine(engine, settings=chosen, thresholds=THRESHOLDS).sensitive[0].n_missing == 2
        assert differences(table, engine, chosen) == []


@given(drawn=released())
@few(15)
def test_audit__compares_with_the_original_as_in_memory(
    tmp_path: Path, drawn: tuple[pa.Table, pa.Table, RiskSettings]
) -> None:
    *tables, chosen = drawn
    at = in_duckdb(tmp_path, dict(zip(("0", "1"), tables, strict=True)))
    assert comparison_differences(tables, at, chosen) == []


def people(n: int = 3000) -> pa.Table:
    random = np.random.default_rng(0)
    columns = {"age": random.integers(20, 60, n), "sex": random.choice(["f", "m"], n)}
    columns |= {
        "place": random.integers(0, 50, n),
        "disease": random.choice(["flu", "hiv", "Flu", "none"], n),
    }
    return pa.table(columns | {"pay": random.integers(20, 60, n) * 1000, "number": np.arange(n)})


CHOSEN = RiskSettings(quasi_identifiers=("age", "sex", "place"), sensitive=("disease", "pay"))


def check_aggregates(answered: list[tuple[int, str]], *tables: pa.Table) -> None:
    """Hold that answers are values of a column, sizes of classes, or signatures; no records or classes."""
    assert len(answered) > 10
    assert max(n for n, _ in answered) <= max(map(n_signatures, tables))
    assert [query for _, query in answered if not re.search(r"COUNT\(|SUM\(|MAX\(", query)] == []


def n_signatures(table: pa.Table) -> int:
    """Return how many different multisets of values the classes of `CHOSEN` have, of either attribute."""
    classes = table.to_pandas().groupby([*CHOSEN.quasi_identifiers])
    return max(len({tuple(sorted(each)) for _, each in classes[name]}) for name in CHOSEN.sensitive)


def test_measure__only_aggregates_leave_the_engine(
    tmp_path: Path, answered: list[tuple[int, str]], monkeypatch: Patch
) -> None:
    kept, keep = [], Engine.kept

    def recorded(self: Engine, question: object) -> object:
        kept.append(self.backend.compile(question))
        return keep(self, question)

    monkeypatch.setattr(Engine, "kept", recorded)
    with connected(placed(tmp_path, people())) as engine:
        found = measure_in_engine(engine, settings=CHOSEN, thresholds=THRESHOLDS)
    assert found.classes.n_classes > 1500  # so that a row a class would be seen
    check_aggregates(answered, people())
    assert all("number" not in query or "COUNT(" in query for query in (*kept, *(q for _, q in answered)))


def test_audit__only_aggregates_of_both_tables_leave_the_engine(
    tmp_path: Path, answered: list[tuple[int, str]]
) -> None:
    before, at = placed(tmp_path, people(3000)), placed(tmp_path, people(2500), "released")
    found = audit_in_engine(at, settings=CHOSEN, thresholds=THRESHOLDS, original=before)
    assert found.original.measurement.classes.n_classes > 1500
    check_aggregates(answered, people(), people(2500))


def test_audit__says_what_of_an_original_is_not_measured(tmp_path: Path) -> None:
    table = people().drop_columns(["number", "place", "pay"])
    table = table.append_column("number", pa.array(np.arange(3000) // 1000))
    at, before = placed(tmp_path, table, "coarse"), placed(tmp_path, people(), "people")
    asked = {
        "settings": RiskSettings(quasi_identifiers=("sex",), sensitive=("number",)),
        "thresholds": THRESHOLDS,
    }
    found = audit_in_engine(at, **asked, original=before)
    said = [str(each.message) for each in found.audit.all_findings if each.check == "not_in_engine"]
    for part in (
        "linked by their closest values were not assessed against people.parquet",
        "No sensitive attribute of people.parquet was measured: `number`",
    ):
        assert sum(part in each for each in said) == 1
    assert found.audit.measurement.comparison.classes_original.n_records == 3000
    assert (found.audit.overall, found.original.measurement.sensitive) == (Verdict.NOT_ASSESSED, ())
    with pytest.raises(AuditInputError) as raised:
        audit_in_engine(at, **asked, original=placed(tmp_path, pa.table({"x": [1]}), "stranger"))
    assert raised.value.problems == (Saying("stranger.parquet has none of the quasi-identifiers, so …"),)


def test_judge__nothing_that_was_not_assessed_passes(tmp_path: Path) -> None:
    table = pa.concat_tables([people(40).drop_columns(["number", "pay", "place"])] * 200)
    chosen = RiskSettings(quasi_identifiers=("sex",), sensitive=("disease",), leave_out=("age",))
    with connected(placed(tmp_path, table)) as engine:
        audit = judge_risk(measure_in_engine(engine, settings=chosen, thresholds=RiskThresholds()))
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.NOT_ASSESSED)
    assert [each.check for each in audit.all_findings].count("not_in_engine") == 3


def test_measure__attributes_that_tell_one_another_are_found(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    disease, pay = random.choice(["flu", "hiv", "gout", None], 900), random.integers(1, 400, 900) * 10
    drug = [None if each is None else f"{each.upper()}-cure" for each in disease]
    columns = {"sex": random.choice(["f", "m"], 900), "disease": disease, "drug": drug}
    table = pa.table({**columns, "pay": pay, "tax": pay * 2 + 1, "luck": random.integers(0, 9, 900)})
    sensitive = ("disease", "drug", "pay", "tax", "luck")
    with connected(place := placed(tmp_path, table)) as engine:
        chosen = RiskSettings(quasi_identifiers=("sex",), sensitive=sensitive)
        assert differences(table, engine, chosen) == []
    found = {(each.known, each.guessed) for each in measured(place, "sex", sensitive=sensitive).related}
    assert found == {("disease", "drug"), ("drug", "disease"), ("pay", "tax"), ("tax", "pay")}


def test_search__sets_of_columns_nobody_chose(tmp_path: Path, monkeypatch: Patch) -> None:
    table = people(600).drop_columns("number")
    with connected(place := placed(tmp_path, table)) as engine:
        assert differences(table, engine, RiskSettings(quasi_identifiers=("sex",))) == []
    assert measured(place, "sex").unchosen.smallest == ("age", "place")
    monkeypatch.setattr("core.risk.in_engine.source.SETS_MAX_CELLS", 600)
    found = measured(place, "sex")
    assert found.unchosen.smallest == ()
    assert any("was not searched" in str(each.message) for each in found.elsewhere)


def test_search__says_where_classes_are_too_many(tmp_path: Path, monkeypatch: Patch) -> None:
    asked = {"settings": RiskSettings(quasi_identifiers=("age", "place")), "thresholds": RiskThresholds()}
    place = placed(tmp_path, people(100))
    for most, said in ((100_000, 0), (10, 1)):
        monkeypatch.setattr("core.risk.in_engine.columns.SETS_MAX_CELLS", most)
        found = audit_in_engine(place, **asked, suda=SudaSettings())
        told = [each for each in found.audit.all_findings if "too many groups" in str(each.message)]
        assert (found.columns is None, len(told)) == (bool(said), said)
        assert found.suda.is_complete
    monkeypatch.setattr("core.risk.in_engine.columns.MAX_CELLS", 10)
    found = audit_in_engine(place, **asked, suda=SudaSettings())
    assert (found.suda.max_size, found.suda.requested_size) == (1, 2)


@pytest.mark.parametrize("form", ["csv", "folder of csv", "folder of parquet"])
def test_connected__reads_text_and_folders(tmp_path: Path, form: str) -> None:
    table, place = people(500), tmp_path / ("people.csv" if form == "csv" else "people")
    if form == "csv":
        csv.write_csv(table, place)
    else:
        place.mkdir()
        halves = {"0": table.slice(0, 200), "1": table.slice(200)}
        for name, half in halves.items() if form == "folder of csv" else ():
            csv.write_csv(half, place / f"{name}.csv")
        in_duckdb(place, halves if form == "folder of parquet" else {})
    with connected(address_of(f"duckdb:{place}")) as engine:
        assert differences(table, engine, CHOSEN) == []


def test_connected__takes_words_for_missing_as_values_where_asked(tmp_path: Path) -> None:
    (file := tmp_path / "t.csv").write_text("a;b\nNA;x\n;x\nNA;x\n1;y\n", encoding="utf-8")
    both = (ReadOptions(), ReadOptions(missing_spellings=()))
    found = [measured(address_of(f"duckdb:{file}"), "a", options=options) for options in both]
    assert [(each.entry.n_fully_suppressed, each.classes.n_classes) for each in found] == [(0, 2), (0, 3)]


def test_connected__bad_files_are_one_sentence(tmp_path: Path) -> None:
    for name, data, sentence in (
        ("t.parquet", b"PAR1" + bytes(40), "the Parquet file is damaged, cut off or encrypted. …"),
        ("t.csv", b"", "the file holds no text, only blank lines. …"),
        ("t.csv", b"a,b\n1,2\n" + b"\xff\xfe\n" * 3, "here only text in UTF-8 is read. …"),
        ("t.csv", b"a,b\n1,2\n1,2,3\n4,5\n", "the records of the text cannot be told apart; …"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(AuditInputError) as raised:
            measured(address_of(f"duckdb:{tmp_path / name}"), "a")
        assert raised.value.problems == (Saying(f"{name}: {sentence}"),)


def test_measure__refuses_what_nobody_can_group_and_values_that_are_nearly_persons(tmp_path: Path) -> None:
    with pytest.raises(AuditInputError, match="`a` holds array"):
        measured(placed(tmp_path, pa.table({"a": [[1], [2]], "b": [1, 2]})), "a")
    with pytest.raises(AuditInputError, match="3,000 different values"):
        measured(placed(tmp_path, people()), "sex", sensitive=["number"])


def test_connected__a_full_disk_and_too_little_memory_are_one_sentence(tmp_path: Path) -> None:
    n = 400_000
    place = placed(tmp_path, pa.table({"a": np.arange(n), "b": np.arange(n)[::-1]}))
    asked = {"settings": RiskSettings(quasi_identifiers=("a", "b")), "thresholds": RiskThresholds()}
    with connected(place, memory="12MB") as engine:
        engine.backend.raw_sql("SET max_temp_directory_size = '1MB'")
        with pytest.raises(AuditInputError, match=r"results is full|more memory than it may take") as raised:
            measure_in_engine(engine, **asked)
    assert len(raised.value.problems) == 1


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: Patch) -> Path:
    """Return the folder of temporary files, empty."""
    (folder := tmp_path / "temp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_connected__leaves_nothing_on_disk(tmp_path: Path, temp: Path) -> None:
    with connected(placed(tmp_path, people()), memory="1GB") as engine:
        measure_in_engine(engine, settings=CHOSEN, thresholds=RiskThresholds())
    assert list(temp.iterdir()) == []


def test_address_of__refuses_and_never_repeats_a_password_nor_shows_a_user() -> None:
    for given_address, sentence in (
        ("postgresql://me:hunter2@host/db/s.t", "holds a password"),
        ("postgresql://host/db/s.t?password=hunter2", "holds a password"),
        ("postgresql://host/db", "names no host, database or table"),
        ("duckdb:", "names no table"),
    ):
        with pytest.raises(AuditInputError, match=sentence) as raised:
            address_of(given_address)
        assert "hunter2" not in str(raised.value)
    address = address_of("postgresql://me@host:5433/db/clinic.people")
    assert (str(address), address.user) == ("postgresql://host:5433/db/clinic.people", "me")
    assert address_of("people.csv") is None


@pytest.mark.parametrize(("when", "error"), [("opened", Interruption), ("asked", AuditInputError)])
def test_connected__ends_what_was_stopped_and_clears_away(
    when: str, error: type[BaseException], tmp_path: Path, temp: Path, monkeypatch: Patch
) -> None:
    rng = np.random.default_rng(0)
    place = placed(tmp_path, pa.table({f"q{at}": rng.integers(0, 1000, 1_000_000) for at in range(4)}))
    monkeypatch.setattr("core.engines.sources._LOOK_UP_SECONDS", 0.01)  # often, whatever a question takes
    with pytest.raises(error):
        audit_in_engine(
            place,
            settings=RiskSettings(quasi_identifiers=("q0", "q1", "q2"), sensitive=("q3",)),
            thresholds=RiskThresholds(),
            is_stopped=lambda: when == "opened" or current_thread().name == "anonaudit-engine-watch",
        )
    assert list(temp.iterdir()) == []


def test_engine__a_table_of_ours_that_is_missing_is_told_from_theirs(tmp_path: Path) -> None:
    with connected(placed(tmp_path, people(50))) as engine:
        with engine.kept(engine.table.group_by("sex").agg(n=engine.table.count())) as kept:
            engine.backend.raw_sql(f"DROP TABLE {kept.get_name()}")
            with pytest.raises(AuditInputError, match="an intermediate result of this audit is gone"):
                engine.rows(kept)
        (tmp_path / "t.parquet").unlink()
        with pytest.raises(AuditInputError, match="there is no such table, or not any more"):
            engine.row(engine.table.agg(n=engine.table.sex.nunique()))


def test_command__keeps_what_was_counted_before_a_table_vanished(
    tmp_path: Path, capsys: Told, vanish: Callable[[Path, int], None]
) -> None:
    kept = []
    for last in range(0, 40, 3):
        (at,) = in_duckdb(tmp_path, {"people": people(50)})
        vanish(tmp_path / "people.parquet", last)
        code = main([*_risk(at), "--k", "1", "--average-risk", "1", "--json"])
        printed = capsys.readouterr()
        if not printed.err:
            continue  # everything was counted before
        assert (code, "people.parquet: there is no such table, or not any more." in printed.err) == (2, True)
        found = json.loads(printed.out)
        assert "there is no such table" in found["errors"][0]["message"]
        if "overall" in found:
            assert {found["verdict"], found["overall"]} <= {"NOT_ASSESSED", "FAIL"}
            kept.append((found["k"], found["n_records"]))
    assert len(kept) > 1
    assert len({*kept}) == 1


def _risk(table: Path | str, *further: str) -> list[str]:
    return ["risk", str(table), "--quasi-identifier", "age", "sex", "--sensitive", "disease", *further]


@pytest.mark.parametrize(("form", "factor"), [("parquet", "CELL"), ("csv", "LETTER")])
def test_command__measures_a_file_beyond_memory_in_duckdb(
    tmp_path: Path, monkeypatch: Patch, capsys: Told, form: str, factor: str
) -> None:
    file, table = tmp_path / f"people.{form}", people(500).select(["age", "sex", "disease"])
    csv.write_csv(table, file) if form == "csv" else in_duckdb(tmp_path, {"people": table})
    main(_risk(file, "--json"))
    here = capsys.readouterr()
    assert here.err == ""
    monkeypatch.setattr("core.commands.engines._LARGE_FILE", 1)
    main(_risk(file, "--json"))
    fits = capsys.readouterr()
    made_at = dict.fromkeys(("created_at", "digests", "content_digest"), "")
    assert json.loads(fits.out) | made_at == json.loads(here.out) | made_at
    assert fits.err == ""
    monkeypatch.setattr(f"core.commands.engines._MEMORY_FOR_A_{factor}", 1 << 40)
    main(_risk(file, "--json"))
    there = capsys.readouterr()
    assert there.err.startswith(f"warning: people.{form} needs about ")
    found, before = json.loads(there.out), json.loads(here.out)
    assert found["k"] == before["k"]
    assert [*differing(before["sensitive"], found["sensitive"], "")] == []  # sums are in another order
    assert found["overall"] != Verdict.PASS.value
    main(_risk(file, "--json", "--evidence", "masked"))  # needs the records
    assert capsys.readouterr().err == ""


def test_command__compares_with_an_original_in_duckdb(tmp_path: Path, capsys: Told) -> None:
    at, before = in_duckdb(tmp_path, {"people": people(300), "before": people(400)})
    reports = tmp_path / "reports"
    for original in (before, before.removeprefix("duckdb:")):
        main(_risk(at, "--original", original, "--json", "--report", str(reports)))
        printed = json.loads(capsys.readouterr().out)
        (records,) = (each for each in printed["side_by_side"] if each["figure"] == "Records assessed")
        assert records["of_1"] == "400"
        assert printed["changes"][0]["n_values_original"] > 1
    filed = json.loads(next(reports.glob("*.json")).read_text(encoding="utf-8"))
    assert [each["role"] for each in filed["inputs"]] == ["table", "original"]


@pytest.mark.slow
@pytest.mark.quick
def test_command__measures_a_folder_in_duckdb(tmp_path: Path, capsys: Told) -> None:
    in_duckdb(tmp_path, {"0": people(300), "1": people(300)})
    main(_risk(tmp_path, "--json"))
    assert json.loads(capsys.readouterr().out)["n_records"] == 600
