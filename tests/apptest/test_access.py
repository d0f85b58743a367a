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


@pytest.mark.parametrize("how", ["no folder", "a folder", "a full disk"])
def test_trail__that_cannot_be_written_is_told_to_the_operator_and_the_page_goes_on(
    how: str,
    open_page: Callable[[str], AppTest],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    trail = {
        "no folder": tmp_path / "none" / "trail.jsonl",
        "a folder": tmp_path,
        "a full disk": Path("/dev/full"),
    }[how]
    if how == "a full disk" and not trail.exists():
        pytest.skip("a device of Linux")
    monkeypatch.setenv("ANONAUDIT_TRAIL", str(trail))
    app = open_page("pages/measure/risk.py")
    app = app.file_uploader[0].set_value([("Quixotic.csv", TABLE, "text/csv")]).run()
    assert not app.exception
    (said,) = {record.getMessage() for record in caplog.records if record.name == "anonaudit"}
    assert said.startswith(f"the trail of audits {trail} cannot be written: ")
    assert "Quixotic" not in said
    caplog.clear()
    monkeypatch.setenv("ANONAUDIT_TRAIL", str(tmp_path / "trail.jsonl"))
    assert not app.run().exception
    assert len((tmp_path / "trail.jsonl").read_text().splitlines()) == 1, "it is tried again"
    assert not caplog.records


def test_trail__is_not_written_unless_a_file_is_named(
    open_page: Callable[[str], AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = open_page("pages/measure/risk.py")
    app.file_uploader[0].set_value([("Quixotic.csv", TABLE, "text/csv")]).run()
    assert list(tmp_path.iterdir()) == []
