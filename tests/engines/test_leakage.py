"""The row rules of two tables in DuckDB are those in memory; only counts come back."""

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from core.__main__ import main
from core.engines import Engine, address_of
from core.errors import AuditInputError
from core.leakage import LeakageSettings, LeakageThresholds
from core.leakage.in_engine import RowsInEngine, audit_rows_in_engine
from core.verdict import Verdict
from tests.engine_tables import few, in_duckdb, pairs, row_differences
from tests.kinds import Patch, Told

ROOT = Path(__file__).parents[2]


def written(folder: Path, *tables: pa.Table) -> list[str]:
    return in_duckdb(folder, dict(zip(("original", "scrambled"), tables, strict=True)))


@given(drawn=pairs())
@few(10)
def test_audit__as_in_memory(tmp_path: Path, drawn: tuple[pa.Table, pa.Table, LeakageSettings]) -> None:
    *tables, chosen = drawn
    assert row_differences(tables, written(tmp_path, *tables), chosen) == []


def scrambled_pair(n: int = 2000) -> tuple[pa.Table, pa.Table]:
    random = np.random.default_rng(0)
    columns = {"id": [f"P{each:05d}" for each in range(n)], "age": random.integers(20, 60, n)}
    columns |= {"born": [f"{1950 + each % 40}/{1 + each % 12}/{1 + each % 28}" for each in range(n)]}
    table = pa.table(columns | {"pay": random.integers(20, 60, n) * 1000.5})
    keyed = table.take(pa.array(random.permutation(n)))
    moved = [random.permutation(each.to_numpy()) for each in keyed.columns[1:]]
    return table, pa.table([keyed["id"], *map(pa.array, moved)], names=keyed.column_names)


def audited(at: Sequence[str], key: str | None = "id") -> RowsInEngine:
    asked = {"settings": LeakageSettings(key=key), "thresholds": LeakageThresholds()}
    return audit_rows_in_engine(*map(address_of, at), **asked).audit


def test_audit__only_counts_leave_the_engine(tmp_path: Path, answered: list[tuple[int, str]]) -> None:
    found = audited(written(tmp_path, *scrambled_pair()))
    assert found.rows.n_rows == 2000
    assert len(answered) > 8
    assert max(n for n, _ in answered) <= 40 * 12 * 28 // 4  # at most the spellings of dates, never the keys
    assert [query for _, query in answered if "COUNT(" not in query and "SUM(" not in query] == []


def test_audit__finds_full_leakage_and_never_passes(tmp_path: Path) -> None:
    def full(found: RowsInEngine) -> Verdict:
        return {each.check: each.verdict for each in found.findings}["full_leakage"]

    table, scrambled = scrambled_pair()
    clean = audited(written(tmp_path, table, scrambled))
    assert (clean.verdict, full(clean)) == (Verdict.NOT_ASSESSED, Verdict.PASS)
    ordered = scrambled.sort_by("id")
    found = audited(written(tmp_path, table, pa.concat_tables([table.slice(0, 20), ordered.slice(20)])))
    assert (found.rows.n_full, found.verdict) == (20, Verdict.FAIL)
    alike = pa.table({"id": range(500), "sex": ["f", "m"] * 250})
    mixed = alike.set_column(1, "sex", pa.array(np.random.default_rng(0).permutation(["f", "m"] * 250)))
    by_chance = audited(written(tmp_path, alike, mixed))
    assert by_chance.rows.n_full > 200
    assert full(by_chance) is Verdict.WARN


def test_audit__bad_input_is_one_sentence(tmp_path: Path, monkeypatch: Patch) -> None:
    for columns, key, sentence in (
        ({"id": [1, 2], "a": [1, 2]}, None, "are compared by a key alone"),
        ({"other": [1, 2], "a": [1, 2]}, "id", "“id” is not in scrambled.parquet"),
        ({"id": [1, 1], "a": [1, 2]}, "id", "“id” of scrambled.parquet holds 1 value more than once"),
        ({"id": [1, None], "a": [1, 2]}, "id", "“id” of scrambled.parquet is empty in 1 row"),
        ({"id": [8, 9], "a": [1, 2]}, "id", "No value of the key column “id” is in both"),
        ({"id": [1, 2], "b": [1, 2]}, "id", "is the only common column"),
    ):
        at = written(tmp_path, pa.table({"id": [1, 2], "a": [3, 4]}), pa.table(columns))
        with pytest.raises(AuditInputError) as raised:
            audited(at, key)
        assert len(raised.value.problems) == 1
        assert sentence in str(raised.value)
    monkeypatch.setattr("core.engines.joining._MOST_SPELLINGS", 10)
    with pytest.raises(AuditInputError, match=r"`born` of original\.parquet holds"):
        audited(written(tmp_path, *scrambled_pair()))


def test_command__prints_and_files_what_the_engine_counted(tmp_path: Path, capsys: Told) -> None:
    at, reports = written(tmp_path, *scrambled_pair(300)), tmp_path / "reports"
    words = ["leakage", *at, "--key", "id"]
    assert main([*words, "--json", "--report", str(reports)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["n_rows_compared"], printed["verdict"]) == (300, "NOT_ASSESSED")
    filed = json.loads(next(reports.glob("*.json")).read_text(encoding="utf-8"))
    assert [each["role"] for each in filed["inputs"]] == ["original", "scrambled"]
    assert main(words) == 0
    assert "  Full leakage: 0 % (" in capsys.readouterr().out
    assert main([*words, "--random-orders", "3"]) == 2
    assert "--random-orders needs the records themselves" in capsys.readouterr().err
    assert main(["leakage", at[0], at[1].replace("duckdb", "spark"), "--key", "id"]) == 2
    assert "are not in one engine" in capsys.readouterr().err


def lost_after(monkeypatch: Patch, n_answers: int) -> None:
    """Lose the connection once engines have answered so often."""
    answer, asked = Engine.answer, count()

    def harmed(self: Engine, question: object, **options: int) -> object:
        if next(asked) == n_answers:
            self.backend.disconnect()
        return answer(self, question, **options)

    monkeypatch.setattr(Engine, "answer", harmed)


@pytest.mark.parametrize("n_leaking", [0, 50])
def test_command__keeps_the_rows_counted_before_the_connection_was_lost(
    tmp_path: Path, capsys: Told, n_leaking: int
) -> None:
    table, scrambled = scrambled_pair(500)
    scrambled = scrambled.sort_by("id")
    at = written(tmp_path, table, pa.concat_tables([table.slice(0, n_leaking), scrambled.slice(n_leaking)]))
    schema = json.loads((ROOT / "docs/schemas/report.json").read_text(encoding="utf-8"))
    seen = []
    for n_answers in range(24):
        with pytest.MonkeyPatch.context() as patch:
            lost_after(patch, n_answers)
            code = main(["leakage", *at, "--key", "id", "--json"])
        printed = capsys.readouterr()
        if not printed.err:
            break
        assert (code, "original.parquet: the connection was lost" in printed.err) == (2, True)
        if not printed.out:
            assert not seen
            continue
        found = json.loads(printed.out)
        if "figures" not in found:  # nothing was counted
            assert not seen
            continue
        assert [*Draft202012Validator(schema).iter_errors(found)] == []
        checks = {each["check"]: each["verdict"] for each in found["findings"]}
        assert (found["n_rows_compared"], found["verdict"] == "PASS") == (500, False)
        assert found["columns"][0]["expected_share"] is None
        seen.append((found["expected_full_rows"] is not None, checks["full_leakage"]))
    clean = {(True, "PASS"), (False, "PASS")}
    assert {*seen} == (clean if not n_leaking else {(False, "NOT_ASSESSED"), (True, "FAIL")})
    assert seen == sorted(seen)


def test_command__tells_and_files_what_was_counted_before_the_connection_was_lost(
    tmp_path: Path, capsys: Told, monkeypatch: Patch
) -> None:
    at = written(tmp_path, *scrambled_pair(300))
    answer, asked = Engine.answer, count()
    audited(at)
    monkeypatch.setattr(Engine, "answer", lambda *told, **how: (next(asked), answer(*told, **how))[1])
    audited(at)
    monkeypatch.undo()
    lost_after(monkeypatch, next(asked) - 1)
    assert main(["leakage", *at, "--key", "id", "--report", str(tmp_path / "reports")]) == 2
    printed = capsys.readouterr().out
    assert "  Full leakage: 0 % (" in printed
    assert "  Matching cells per row by chance: not assessed" in printed
    page = next((tmp_path / "reports").glob("*.html")).read_text(encoding="utf-8")
    assert "original.parquet: the connection was lost before the answer. Try again." in page
