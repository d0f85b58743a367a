"""A trail of audits holds neither names nor values, and who has to sign in sees nothing else."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

TABLE = b"name,age\n" + b"".join(b"Zebulon%d,%d\n" % (i, 20 + i) for i in range(30))


def test_trail__has_a_line_for_each_audit_and_verdict(
    open_page: Callable[[str], AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trail = tmp_path / "trail.jsonl"
    monkeypatch.setenv("ANONAUDIT_TRAIL", str(trail))
    app = open_page("pages/measure/risk.py")
    assert not trail.exists()
    app = app.file_uploader[0].set_value([("Quixotic.csv", TABLE, "text/csv")]).run()
    app.run()
    assert not app.exception
    (line,) = [json.loads(line) for line in trail.read_text().splitlines()]
    assert sorted(line) == ["n_files", "session", "time", "tool", "verdict"]
    assert (line["tool"], line["n_files"]) == ("risk", 1)
    assert line["verdict"] in ("PASS", "WARN", "NOT_ASSESSED", "FAIL")
    assert datetime.fromisoformat(line["time"]).tzinfo is not None
    assert len(line["session"]) == 16
    assert trail.stat().st_mode & 0o777 == 0o600


def test_trail__is_not_written_unless_a_file_is_named(
    open_page: Callable[[str], AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = open_page("pages/measure/risk.py")
    app.file_uploader[0].set_value([("Quixotic.csv", TABLE, "text/csv")]).run()
    assert list(tmp_path.iterdir()) == []
