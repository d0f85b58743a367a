"""The published rule on two tables in DuckDB is that in memory; only counts come back."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from core.__main__ import main
from core.engines import address_of
from core.errors import AuditInputError
from core.tabular import AnonymizationLog, LogEntry, TabularThresholds, judge_tabular
from core.tabular.in_engine import InEngine, measure_in_engine
from core.verdict import Verdict
from tests.engine_tables import few, in_duckdb, rule_differences, verified
from tests.kinds import Patch, Told

ROOT = Path(__file__).parents[2]


def written(folder: Path, *tables: pa.Table) -> list[str]:
    return in_duckdb(folder, dict(zip(("original", "anonymized"), tables, strict=True)))


@given(drawn=verified())
@few(5)
def test_measure__as_in_memory(
    tmp_path: Path, drawn: tuple[pa.Table, pa.Table, AnonymizationLog, str | None]
) -> None:
    *tables, log, key = drawn
    assert rule_differences(tables, written(tmp_path, *tables), log, key) == []


_FLOATS = [
    0.1234567890123,
    -1234.1234567890123,
    12345.123456789012,
    1.2345678e-6,
    1.23456789e-6,
    5e-6,
    36526.0,
]
_FLOATS += [12.34567890123, 9001011234567.0, 1e300, float("nan"), float("inf"), -0.0]
_WHOLES = [9001011234567, -9001011234567, 900101123456, 10**13, 10**12, 10**12 - 1, 2**62, 36526, 1]
_TEXTS = ["NA ", " NA", "007", "7", " 7.0", "1e3", "1000", "nan", "NaN", "x", "x ", "\u3000x", "", "inf"]
_TEXTS += ["+Infinity", "1e-2", "0.01", "a@b.cd", "가나", "한\u0301", "김철수", "９００１０１-1234567"]
_TEXTS += ["010-1234-5678", None]
_PRICES = [Decimal("1.1234567890123"), Decimal("-0.0000000000001"), Decimal("0.0000010000000"), Decimal(0)]


@pytest.mark.parametrize("action", ["keep", "pseudonymize", "date_floor_year"])
@pytest.mark.parametrize("is_spelled_alike", [True, False])
def test_measure__numbers_and_spellings_as_in_memory(
    tmp_path: Path, action: str, is_spelled_alike: bool
) -> None:
    n = len(_TEXTS)
    floats = (_FLOATS * n)[:n]
    columns = {"rid": range(n), "float": floats, "small": pa.array(floats, pa.float32())}
    columns |= {"whole": (_WHOLES * n)[:n], "price": pa.array((_PRICES * n)[:n], pa.decimal128(38, 13))}
    columns |= {"text": _TEXTS, "token": [f"P-{each}" for each in range(n)]}
    other = columns | {"text": [*_TEXTS[1:], None]}
    if not is_spelled_alike:
        other |= {"text": [None if each is None else f" {each}\t" for each in _TEXTS]}
        other |= {"whole": [f"{each}.0" for each in columns["whole"]]}
    log = log_of({name: action for name in columns if name != "rid"}, float="age")
    tables = pa.table(columns), pa.table(other)
    assert rule_differences(tables, written(tmp_path, *tables), log, "rid") == []


def log_of(actions: dict[str, str], **semantics: str) -> AnonymizationLog:
    entries = {
        name: LogEntry(column=name, semantic=semantics.get(name, ""), action=action)
        for name, action in actions.items()
    }
    return AnonymizationLog(name="log.json", entries=entries)


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
LOG = log_of(ACTIONS, town="address")


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
    gone = measured(tmp_path, anonymized=ANONYMIZED.drop_columns(["note"]), key="rid")
    assert statuses(gone)["note"] is Verdict.WARN


def test_measure__pseudonyms_need_the_key(tmp_path: Path) -> None:
    kept = changed("id", [f"900101-1{n:06d}" if n < 60 else f"P-{n:06d}" for n in range(N)])
    assert statuses(measured(tmp_path, anonymized=kept, key="rid"))["id"] is Verdict.WARN
    clean = measured(tmp_path)
    assert statuses(clean)["id"] is Verdict.NOT_ASSESSED
    said = "whether values equal the original in the same row is not assessed without --key."
    for found in (clean, measured(tmp_path, anonymized=kept)):
        (unknown,) = [each for each in found.measurement.checks if each.column == "id"]
        assert unknown.reason.endswith(said) or found is not clean
        assert "without --key" in unknown.reason
    # one column of six cannot bring the share of WARN to a half; where it can, the rule has no verdict
    assert judge_tabular(clean.measurement).verdict is Verdict.PASS
    few_ = measured(tmp_path, *(each.select(["rid", "id"]) for each in (ORIGINAL, ANONYMIZED)))
    assert judge_tabular(few_.measurement).verdict is Verdict.NOT_ASSESSED


def test_measure__each_check_fires(tmp_path: Path) -> None:
    for column, cells, status in (
        ("name", [None] * (N - 1) + ["x"], Verdict.FAIL),
        ("born", ["1950-01-01"] * (N - 1) + ["1950-01-02"], Verdict.FAIL),
        ("note", ["010-1234-5678"] * 61 + ["x"] * (N - 61), Verdict.FAIL),
        ("note", ["010-1234-5678"] * 60 + ["x"] * (N - 60), Verdict.PASS),  # a tenth may
        ("id", ["P-1"] * N, Verdict.WARN),
    ):
        found = statuses(measured(tmp_path, anonymized=changed(column, cells), key="rid"))
        assert found[column] is status, column
        assert {each for name, each in found.items() if name != column} == {Verdict.PASS}, column


def test_measure__bad_input_is_one_sentence(tmp_path: Path) -> None:
    moments = pa.array([0] * N, pa.timestamp("us", "UTC"))
    for anonymized, chosen, sentence in (
        (ANONYMIZED.drop_columns(["rid"]), {"key": "rid"}, "“rid” is not in anonymized.parquet"),
        (changed("rid", [0, 0, *range(2, N)]), {"key": "rid"}, "holds 1 value more than once"),
        (changed("rid", [None, *range(1, N)]), {"key": "rid"}, "is empty in 1 row"),
        (changed("rid", [*range(1, N + 1)]), {"key": "rid"}, "1 row of anonymized.parquet has no row of the"),
        (changed("rid", [*range(N, 2 * N)]), {"key": "rid"}, "No value of the key column “rid” is in both"),
        (ANONYMIZED.slice(0, 0), {}, "anonymized.parquet: the table holds no record."),
        (changed("note", [[n] for n in range(N)]), {}, "`note` holds array, which cannot be grouped"),
        (changed("note", moments), {}, "`note` of anonymized.parquet holds moments with a time zone"),
        (pa.table({"x": [1]}), {}, "none of the 6 columns of original.parquet is in it"),
        (ANONYMIZED, {"quasi_identifiers": ("sex",)}, "quasi-identifier `sex` is not one of its columns"),
    ):
        with pytest.raises(AuditInputError) as raised:
            measured(tmp_path, anonymized=anonymized, **chosen)
        assert len(raised.value.problems) == 1
        assert sentence in str(raised.value)


def written_with_log(folder: Path, anonymized: pa.Table = ANONYMIZED) -> list[str]:
    at = written(folder, ORIGINAL, anonymized)
    info = {name: {"semantic": "", "action": action} for name, action in ACTIONS.items()}
    (log := folder / "log.json").write_text(json.dumps({"log_info": info}), encoding="utf-8")
    return ["tabular", *at, "--log", str(log), "--key", "rid"]


def test_command__prints_and_files_what_the_engine_counted(tmp_path: Path, capsys: Told) -> None:
    words, reports = written_with_log(tmp_path), tmp_path / "reports"
    assert main([*words, "--json", "--report", str(reports)]) == 0
    printed = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "docs/schemas/report.json").read_text(encoding="utf-8"))
    assert [*Draft202012Validator(schema).iter_errors(printed)] == []
    (file,) = printed["files"]
    assert (file["verdicts"]["Published rule"], file["overall"], file["k"]) == ("PASS", "NOT_ASSESSED", None)
    filed = json.loads(next(reports.glob("*.json")).read_text(encoding="utf-8"))
    assert [each["role"] for each in filed["inputs"]] == ["original", "anonymized", "log"]
    assert filed["arguments"] == []  # its records are not among the files
    assert main([*words[:-2], "--report-dir", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "NOT ASSESSED  `id`: Rows in an engine have no order" in printed
    assert next(tmp_path.glob("anonymization_report_*.csv")).read_text(encoding="utf-8").count("PASS") == 2


@pytest.mark.parametrize("name", ["anonymized", "original"])
def test_command__keeps_what_was_counted_before_a_table_vanished(
    tmp_path: Path, capsys: Told, vanish: Callable[[Path, int], None], name: str
) -> None:
    kept, refused = [], 0
    for last in range(2, 24, 2):
        words = written_with_log(tmp_path)
        vanish(tmp_path / f"{name}.parquet", last)
        code = main([*words, "--json"])
        printed = capsys.readouterr()
        if not printed.err:
            continue  # everything was counted before
        assert (code, f"{name}.parquet: there is no such table" in printed.err) == (2, True)
        (file,) = json.loads(printed.out)["files"] or [None]
        if file is None:
            refused += 1
            continue
        assert (file["verdicts"]["Published rule"], file["overall"]) == ("NOT_ASSESSED", "NOT_ASSESSED")
        assert f"rest is not assessed: {name}.parquet" in str(file["findings"])
        statuses = [each["status"] for each in file["columns"]]
        assert {*statuses} == {"PASS", "NOT_ASSESSED"}
        kept.append(statuses.count("PASS"))
    assert refused
    assert kept == sorted(kept)
    assert kept[0] < len(ACTIONS) or name == "original"


def test_command__what_was_counted_may_fail_already(
    tmp_path: Path, capsys: Told, vanish: Callable[[Path, int], None]
) -> None:
    words = written_with_log(tmp_path, changed("born", ["1950-01-02"] * N))
    vanish(tmp_path / "anonymized.parquet", 14)
    assert main([*words, "--report", str(tmp_path / "reports")]) == 2
    printed = capsys.readouterr()
    assert "original.parquet: FAIL: " in printed.out
    assert "`note`: The engine answered no more before this column was counted." in printed.out
    assert "anonymized.parquet: there is no such table, or not any more." in printed.err
    page = next((tmp_path / "reports").glob("*.html")).read_text(encoding="utf-8")
    assert "anonymized.parquet: there is no such table, or not any more." in page
    assert "The engine answered no more before this column was counted." in page


def test_judge__a_share_of_what_was_counted_does_not_fail_the_rest(tmp_path: Path) -> None:
    few = changed("note", ["010-1234-5678"] * 60 + ["x"] * (N - 60))  # a tenth of a column may
    whole = measured(tmp_path, anonymized=few.select(["rid", "note"]), key="rid").measurement
    limits = replace(TabularThresholds.for_mode("low"), pattern_residual_share=0.03)
    verdicts = [judge_tabular(replace(whole, n_uncounted=n), thresholds=limits).verdict for n in (0, 1, 2)]
    assert (whole.n_residual, whole.n_filled) == (60, 2 * N)
    assert verdicts == [Verdict.FAIL, Verdict.FAIL, Verdict.NOT_ASSESSED]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "duckdb:a.parquet duckdb:b.parquet --log l.json --evidence masked",
            "--evidence needs the records themselves",
        ),
        (
            "duckdb:a.parquet duckdb:b.parquet --log l.json --pattern iban",
            "--pattern iban needs the records themselves",
        ),
        (
            "duckdb:a.parquet duckdb:b.parquet --log l.json --resume --text-model gliner",
            "error: --resume, --text-model need the records themselves",
        ),
        ("duckdb:a.parquet", "Tables in an engine are named with their log"),
        ("--pair duckdb:a.parquet duckdb:b.parquet l.json", "are named with their log"),
        ("duckdb:a.parquet --log l.json", "--log belongs to two tables"),
        ("a.csv b.csv --log l.json --key id", "--key pairs the rows of tables in an engine"),
        ("a.csv --key id", "--key pairs the rows of tables in an engine"),
        ("duckdb:a.parquet spark:b --log l.json --json", "l.json: the file cannot be opened."),
    ],
)
def test_command__bad_words_and_what_needs_the_records_are_one_sentence(
    tmp_path: Path, monkeypatch: Patch, capsys: Told, words: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tabular", *words.split(), "--json"]) == 2
    assert sentence in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]
