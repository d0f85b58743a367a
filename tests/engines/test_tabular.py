"""The published rule on two tables in DuckDB is that in memory; only counts come back."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from core.__main__ import main
from core.engines import address_of
from core.errors import AuditInputError
from core.tabular import AnonymizationLog, LogEntry, judge_tabular
from core.tabular.in_engine import InEngine, measure_in_engine
from core.verdict import Verdict
from tests.engine_tables import parquet_bytes, rule_differences, verified

ROOT = Path(__file__).parents[2]


def written(folder: Path, *tables: pa.Table) -> list[str]:
    at = []
    for name, table in zip(("original", "anonymized"), tables, strict=True):
        (file := folder / f"{name}.parquet").write_bytes(parquet_bytes(table))
        at.append(f"duckdb:{file}")
    return at


@given(drawn=verified())
@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_measure__as_in_memory(
    tmp_path: Path, drawn: tuple[pa.Table, pa.Table, AnonymizationLog, str | None]
) -> None:
    *tables, log, key = drawn
    assert rule_differences(tables, written(tmp_path, *tables), log, key) == []


N = 600
ACTIONS = {
    "id": "pseudonymize",
    "born": "date_floor_year",
    "name": "drop",
    "note": "keep",
    "town": "region_generalize",
}
ORIGINAL = pa.table(
    {
        "rid": range(N),
        "id": [f"900101-1{n:06d}" for n in range(N)],
        "born": [f"{1950 + n % 50}-0{1 + n % 9}-1{n % 9}" for n in range(N)],
        "name": [f"Kim {n}" for n in range(N)],
        "note": [f"note {n}" for n in range(N)],
        "town": [f"T{n % 40}" for n in range(N)],
    }
)
ANONYMIZED = pa.table(
    {
        "rid": range(N),
        "id": [f"P-{n:06d}" for n in range(N)],
        "born": [f"{1950 + n % 50}-01-01" for n in range(N)],
        "name": pa.nulls(N, pa.string()),
        "note": [f"note {n}" for n in range(N)],
        "town": [f"R{n % 4}" for n in range(N)],
    }
)
LOG = AnonymizationLog(
    name="log.json",
    entries={
        name: LogEntry(column=name, semantic="address" if name == "town" else "", action=action)
        for name, action in ACTIONS.items()
    },
)


def measured(
    folder: Path, original: pa.Table = ORIGINAL, anonymized: pa.Table = ANONYMIZED, **chosen: object
) -> InEngine:
    at = written(folder, original, anonymized)
    return measure_in_engine(*map(address_of, at), LOG, **chosen)


def changed(name: str, cells: list[object]) -> pa.Table:
    return ANONYMIZED.set_column(ANONYMIZED.column_names.index(name), name, pa.array(cells))


def statuses(found: InEngine) -> dict[str, Verdict]:
    return {each.column: each.status for each in found.measurement.checks}


def test_measure__only_counts_leave_the_engine(tmp_path: Path, answered: list[tuple[int, str]]) -> None:
    notes = changed("note", [f"{n} {'x' * (n % 300)} 010-1234-5678" for n in range(N)])
    found = measured(tmp_path, anonymized=notes, key="rid")
    assert statuses(found)["note"] is Verdict.FAIL
    assert len(answered) > 12
    assert max(n for n, _ in answered) <= 200  # at most so many shapes of cells, never the cells
    assert [query for _, query in answered if "COUNT(" not in query and "SUM(" not in query] == []
    # a row of an answer is a count, a size of classes, or a shape without letters and digits
    grouped = [query for n, query in answered if n > 1]
    assert [query for query in grouped if '"size"' not in query and "REGEXP_REPLACE" not in query] == []


def test_measure__a_clean_table_never_passes_on_the_whole(tmp_path: Path) -> None:
    found = measured(tmp_path, key="rid")
    assert {*statuses(found).values()} == {Verdict.PASS}
    audit = judge_tabular(found.measurement, classes=found.classes)
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.NOT_ASSESSED)
    assert [each.check for each in audit.all_findings] == ["not_in_engine"]
    assert (found.classes.k, found.classes.quasi_identifiers) == (N // 4, ("town",))


def test_measure__pseudonyms_need_the_key(tmp_path: Path) -> None:
    kept = changed("id", [f"900101-1{n:06d}" if n < 60 else f"P-{n:06d}" for n in range(N)])
    with_key, without = measured(tmp_path, anonymized=kept, key="rid"), measured(tmp_path, anonymized=kept)
    assert statuses(with_key)["id"] is Verdict.WARN
    clean = measured(tmp_path)
    assert statuses(clean)["id"] is Verdict.NOT_ASSESSED
    (unknown,) = [each for each in clean.measurement.checks if each.column == "id"]
    assert unknown.reason.endswith(
        "whether values equal the original in the same row is not assessed without --key."
    )
    assert "without --key" in next(each.reason for each in without.measurement.checks if each.column == "id")
    # one column of six cannot bring the share of WARN to a half; where it can, the rule has no verdict
    assert judge_tabular(clean.measurement).verdict is Verdict.PASS
    columns = ["rid", "id"]
    few = measured(tmp_path, ORIGINAL.select(columns), ANONYMIZED.select(columns))
    assert judge_tabular(few.measurement).verdict is Verdict.NOT_ASSESSED


@pytest.mark.parametrize(
    ("column", "cells", "status"),
    [
        ("name", [None] * (N - 1) + ["x"], Verdict.FAIL),
        ("born", ["1950-01-01"] * (N - 1) + ["1950-01-02"], Verdict.FAIL),
        ("note", ["010-1234-5678"] * 61 + ["x"] * (N - 61), Verdict.FAIL),
        ("note", ["010-1234-5678"] * 60 + ["x"] * (N - 60), Verdict.PASS),  # a tenth may
        ("id", ["P-1"] * N, Verdict.WARN),
    ],
)
def test_measure__each_check_fires(tmp_path: Path, column: str, cells: list[object], status: Verdict) -> None:
    found = measured(tmp_path, anonymized=changed(column, cells), key="rid")
    assert statuses(found)[column] is status
    assert {each for name, each in statuses(found).items() if name != column} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("anonymized", "chosen", "sentence"),
    [
        (ANONYMIZED.drop_columns(["rid"]), {"key": "rid"}, "“rid” is not in anonymized.parquet"),
        (changed("rid", [0, 0, *range(2, N)]), {"key": "rid"}, "holds 1 value more than once"),
        (changed("rid", [None, *range(1, N)]), {"key": "rid"}, "is empty in 1 row"),
        (changed("rid", [*range(1, N + 1)]), {"key": "rid"}, "1 row of anonymized.parquet has no row of the"),
        (changed("rid", [*range(N, 2 * N)]), {"key": "rid"}, "No value of the key column “rid” is in both"),
        (ANONYMIZED.slice(0, 0), {}, "anonymized.parquet: the table holds no record."),
        (changed("note", [[n] for n in range(N)]), {}, "`note` holds array, which cannot be grouped"),
        (
            changed("note", pa.array([0] * N, pa.timestamp("us", "UTC"))),
            {},
            "`note` of anonymized.parquet holds moments with a time zone",
        ),
        (pa.table({"x": [1]}), {}, "none of the 6 columns of original.parquet is in it"),
        (ANONYMIZED, {"quasi_identifiers": ("sex",)}, "quasi-identifier `sex` is not one of its columns"),
    ],
)
def test_measure__bad_input_is_one_sentence(
    tmp_path: Path, anonymized: pa.Table, chosen: dict[str, object], sentence: str
) -> None:
    with pytest.raises(AuditInputError) as raised:
        measured(tmp_path, anonymized=anonymized, **chosen)
    assert len(raised.value.problems) == 1
    assert sentence in str(raised.value)


def test_measure__a_column_that_is_gone_is_told(tmp_path: Path) -> None:
    found = measured(tmp_path, anonymized=ANONYMIZED.drop_columns(["note"]), key="rid")
    assert statuses(found)["note"] is Verdict.WARN


def test_command__prints_and_files_what_the_engine_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = written(tmp_path, ORIGINAL, ANONYMIZED)
    info = {name: {"semantic": "", "action": action} for name, action in ACTIONS.items()}
    (log := tmp_path / "log.json").write_text(json.dumps({"log_info": info}), encoding="utf-8")
    reports = tmp_path / "reports"
    words = ["tabular", *at, "--log", str(log), "--key", "rid"]
    assert main([*words, "--json", "--report", str(reports)]) == 0
    printed = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs/schemas/tabular.json").read_text(encoding="utf-8"))
    assert [*Draft202012Validator(schema).iter_errors(printed)] == []
    (file,) = printed["files"]
    assert (file["verdict"], file["overall"], file["min_k"]) == ("PASS", "NOT_ASSESSED", None)
    filed = json.loads(next(reports.glob("*.json")).read_text(encoding="utf-8"))
    assert [each["role"] for each in filed["inputs"]] == ["original", "anonymized", "log"]
    assert filed["arguments"] == []  # its records are not among the files
    assert main(words[:-2]) == 0
    printed = capsys.readouterr().out
    assert "NOT ASSESSED: `id`: Rows in an engine have no order" in printed
    assert next(tmp_path.glob("anonymization_report_*.csv")).read_text(encoding="utf-8").count("PASS") == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--evidence", "masked"], "--evidence needs the records themselves"),
        (["--pattern", "iban"], "--pattern iban needs the records themselves"),
        (["--resume", "--text-model", "gliner"], "--resume, --text-model need the records themselves"),
    ],
)
def test_command__refuses_what_needs_the_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["tabular", "duckdb:a.parquet", "duckdb:b.parquet", "--log", "log.json", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["duckdb:a.parquet"], "Tables in an engine are named with their log"),
        (["--pair", "duckdb:a.parquet", "duckdb:b.parquet", "l.json"], "are named with their log"),
        (["duckdb:a.parquet", "--log", "l.json"], "--log belongs to two tables"),
        (["a.csv", "b.csv", "--log", "l.json", "--key", "id"], "--key pairs the rows of tables in an engine"),
        (["a.csv", "--key", "id"], "--key pairs the rows of tables in an engine"),
        (["duckdb:a.parquet", "spark:b", "--log", "l.json", "--json"], "l.json: the file cannot be opened."),
    ],
)
def test_command__bad_words_are_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["tabular", *words, "--json"]) == 2
    assert sentence in capsys.readouterr().err
