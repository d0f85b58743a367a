"""Releases in an engine are subtracted from each other as in memory; only counts come back."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from core.__main__ import main
from core.releases import Roles
from tests.engine_tables import few, in_duckdb, releases, releases_differences
from tests.kinds import Told

if TYPE_CHECKING:
    from tests.postgresql import Server


def written(folder: Path, *tables: pa.Table) -> list[str]:
    return in_duckdb(folder, dict(zip(("later", "earlier"), tables, strict=True)))


@given(drawn=releases())
@few(8)
def test_duckdb__as_in_memory(tmp_path: Path, drawn: tuple[pa.Table, pa.Table, Roles]) -> None:
    *tables, roles = drawn
    assert releases_differences(tables, written(tmp_path, *tables), roles) == []


def test_duckdb__minus_zero_in_one_release_alone(tmp_path: Path) -> None:
    later = pa.table({"q0": [1e17, 0.1, 0.0, -0.0, 1.0, float("nan")] * 3})
    earlier = pa.table({"q0": [1e17, 0.1, 0.0, 0.0, 1.0, None] * 2})
    at, roles = written(tmp_path, later, earlier), Roles(quasi_identifiers=("q0",))
    assert releases_differences((later, earlier), at, roles) == []


def test_duckdb__not_a_number_beside_one_value(tmp_path: Path) -> None:
    """A Parquet file says smallest and largest value without NaN, and may not be taken for all its values."""
    missing: tuple[float | None, ...] = (float("nan"), None)
    pair = [
        pa.table({"q0": [value, missing[0]] * 3 + [*more]}) for value, more in ((0.5, ()), (0.5, missing))
    ]
    at, roles = written(tmp_path, *pair), Roles(quasi_identifiers=("q0",))
    assert releases_differences((pair[0], pair[1]), at, roles) == []


def release(n: int) -> pa.Table:
    """Return persons of 8 classes with four diseases; the last three of one class have one disease."""
    random = np.random.default_rng(0)
    found = {"age": ["20-29", "30-39", "40-49", "50-59"], "sex": ["f", "m"], "disease": [*"abcd"]}
    last = {"age": "20-29", "sex": "f", "disease": "a"}
    return pa.table({name: [*random.choice(values, n), *[last[name]] * 3] for name, values in found.items()})


ASKED = ("--quasi-identifier", "age", "sex", "--sensitive", "disease")


def test_command__says_what_two_releases_tell_together(tmp_path: Path, capsys: Told) -> None:
    later = release(2000)
    at, reports = written(tmp_path, later, later.slice(0, 2000)), tmp_path / "reports"
    asked = ["risk", at[0], *ASKED, "--k", "5"]
    assert main([*asked, "--earlier", at[1], "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    (compared,) = found["earlier_releases"]
    newcomers = ("n_newcomers", "n_newcomers_below_k", "n_newcomers_given_away")
    assert [compared[key] for key in newcomers] == [3, 3, 3]
    assert (compared["n_leavers"], found["verdicts"]["Beyond the thresholds"]) == (0, "FAIL")
    assert [each["attribute"] for each in found["releases_told"]] == ["disease"]
    assert main([*asked, "--earlier", str(tmp_path / "earlier.parquet"), "--report", str(reports)]) == 1
    assert "its difference to `later.parquet` leaves 3 of 3" in capsys.readouterr().out
    filed = json.loads(next(reports.glob("*.json")).read_text(encoding="utf-8"))
    inputs = [(each["role"], each["name"]) for each in filed["inputs"]]
    assert inputs == [("table", at[0]), ("earlier release", at[1])]


def test_command__what_cannot_be_held_against_the_release_is_never_passed(
    tmp_path: Path, capsys: Told
) -> None:
    later = release(2000)
    at, ledger = written(tmp_path, later, later), tmp_path / "ledger.json"
    assert main(["risk", str(tmp_path / "earlier.parquet"), *ASKED, "--ledger", str(ledger)]) == 0
    capsys.readouterr()
    odd = pa.table({"age": [f"{each}" for each in range(50)], "sex": ["f"] * 50})
    files = in_duckdb(tmp_path, {"odd": odd, "other": pa.table({"x": [1]})})
    assert main(["risk", at[0], *ASKED, "--earlier", str(ledger), "spark:elsewhere", *files, "--json"]) == 2
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert (found["overall"], found["earlier_releases"]) == ("NOT_ASSESSED", [])
    reasons = " ".join(each["reason"] for each in found["releases_not_compared"])
    for part in ("no table of this release", "not in one engine", "has 50 different values", "salted hashes"):
        assert part in reasons
    assert "are not in one engine" in printed.err
    assert main(["risk", at[0], *ASKED, "--earlier", at[1], "--json"]) == 0
    same = json.loads(capsys.readouterr().out)
    told = {each["check"]: each["verdict"] for each in same["findings"]}
    assert (told["same_release"], same["overall"]) == ("WARN", "NOT_ASSESSED")


def test_releases__only_counts_leave_the_engine(tmp_path: Path, answered: list[tuple[int, str]]) -> None:
    random = np.random.default_rng(0)
    names = ("age", "town", "sex", "job")
    later = pa.table({name: random.integers(0, 9, 3000) for name in names} | {"p": np.arange(3000)})
    roles = Roles(quasi_identifiers=names[:3], sensitive=("job",), person="p")
    pair = (later, later.slice(30))
    assert releases_differences(pair, written(tmp_path, *pair), roles) == []
    assert len(answered) > 8
    both = [each.to_pandas().groupby([*names[:3]])["job"].agg(lambda of: tuple(sorted(of))) for each in pair]
    assert max(n for n, _ in answered) <= len({*zip(*both[0].align(both[1]), strict=True)})  # a row a shape
    assert [query for _, query in answered if "COUNT(" not in query and "SUM(" not in query] == []


@pytest.mark.usefixtures("password")
@given(drawn=releases())
@few(3)
def test_postgresql__as_in_memory(server: "Server", drawn: tuple[pa.Table, pa.Table, Roles]) -> None:
    *tables, roles = drawn
    assert releases_differences(tables, [*map(server.table, tables)], roles) == []
