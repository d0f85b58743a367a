"""`make same` says what differs between two folders of filed answers, and refuses what is none."""

import json
import queue
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks import same
from benchmarks.same_calls import DOCUMENTED, TOOLS
from core.__main__ import build_parser
from core.commands.demo import TOOLS as OF_DEMOS

REPORT: dict[str, Any] = {
    "tool": "leakage",
    "verdict": "FAIL",
    "created_at": "2026-01-02",
    "figures": [{"measure": "full_leakage_share", "of": "", "value": 0.25}],
    "findings": [{"check": "full_leakage", "verdict": "FAIL", "column": None}],
    "settings": {"Seed": 1},
    "tables": [{"name": "Rows", "rows": [[1, 2], [3, 4]]}],
    "pairs": [{"file": "b", "seconds": 0.5}, {"file": "a"}],
}


def _filed(folder: Path, *reports: dict[str, Any], code: int = 1, said: str = "") -> Path:
    folder.mkdir()
    answer = {"exit": code, "said": [said], "report": reports}
    (folder / "demo_leakage.json").write_text(json.dumps(answer), encoding="utf-8")
    return folder


def _changed(**parts: Any) -> dict[str, Any]:
    return {**REPORT, **parts}


def test_differences__are_none_for_times_and_the_order_of_pairs(tmp_path: Path) -> None:
    pairs = [{"file": "a"}, {"file": "b", "seconds": 9}]
    later = _changed(created_at="2026-11-27", pairs=pairs)
    assert list(same.differences(_filed(tmp_path / "a", REPORT), _filed(tmp_path / "b", later))) == []


@pytest.mark.parametrize(
    ("parts", "where"),
    [
        ({"verdict": "PASS"}, "verdict"),
        ({"figures": [{"measure": "full_leakage_share", "of": "", "value": 0.24}]}, "Full leakage"),
        ({"findings": []}, "findings › full_leakage"),
        ({"settings": {"Seed": 2}}, "settings › Seed"),
        ({"tables": [{"name": "Rows", "rows": [[1, 2], [3, 5]]}]}, "tables › Rows › rows › 2 › 2"),
    ],
)
def test_differences__name_the_call_and_the_place(tmp_path: Path, parts: dict[str, Any], where: str) -> None:
    before, now = _filed(tmp_path / "a", REPORT), _filed(tmp_path / "b", _changed(**parts))
    (line,) = same.differences(before, now)
    assert line.startswith("demo_leakage: ")
    assert where in line


def test_differences__tell_exit_codes_words_and_calls_that_only_one_has(tmp_path: Path) -> None:
    before = _filed(tmp_path / "a", code=2, said="error: There is no column age.")
    now = _filed(tmp_path / "b", code=1, said="error: There is no column AGE.")
    (now / "demo_risk.json").write_text("{}", encoding="utf-8")
    told = list(same.differences(before, now))
    assert [line.split(":")[0] for line in told] == ["demo_leakage", "demo_leakage", "demo_risk"]
    assert "exit: 2 → 1" in told[0]


@pytest.mark.parametrize("given", ["no-such-commit", "0123456789ab", "EMPTY"])
def test_main__refuses_what_nothing_was_filed_for_before_it_asks(given: str, tmp_path: Path) -> None:
    with pytest.raises(
        SystemExit, match=f"^AGAINST=.*{'commit' if given != 'EMPTY' else 'no filed answers'}"
    ):
        same.main([str(tmp_path) if given == "EMPTY" else given])


def test_calls_of_the_documents__are_calls_of_today() -> None:
    assert TOOLS == OF_DEMOS
    for line in DOCUMENTED:
        words = [line.split()[1], *shlex.split(line.partition(": ")[2])]
        assert build_parser(words).parse_args(words).tool in TOOLS


def test_answering__files_report_exit_code_and_what_was_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,age\n1,30\n2,40\n3,50\n4,60\n", encoding="utf-8")
    calls = [{"folder": str(tmp_path), "words": ["leakage", "a.csv", name]} for name in ("a.csv", "no.csv")]
    asked = "".join(json.dumps(call) + "\n" for call in calls)
    words = [*same.PYTHON, "-c", same._ANSWERING]
    with same._code_of(same.ROOT):
        done = subprocess.run(words, input=asked, capture_output=True, text=True, check=True)
    leaked, missing = map(json.loads, done.stdout.splitlines())
    assert (leaked["exit"], leaked["said"], leaked["report"][0]["verdict"]) == (1, [], "FAIL")
    assert (missing["exit"], missing["report"]) == (2, [])
    assert "no.csv" in missing["said"][0]


def test_answering__is_done_by_the_code_of_the_commit_and_not_by_that_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core/__init__.py").touch()
    (tmp_path / "core/__main__.py").write_text("def main(words):\n    return 42\n", encoding="utf-8")
    monkeypatch.chdir(same.ROOT)
    asked: queue.SimpleQueue[object] = queue.SimpleQueue()
    asked.put({"name": "demo", "folder": str(tmp_path), "words": ["risk"]})
    with same._code_of(tmp_path):
        same._ask(asked, tmp_path)
    assert json.loads((tmp_path / "demo.json").read_text(encoding="utf-8"))["exit"] == 42
