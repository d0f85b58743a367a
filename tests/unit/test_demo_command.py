"""``python -m core demo``: the files of every demo, and a command that audits them."""

import shlex
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands import COMMANDS
from core.commands.demo import TOOLS, demos_of

DEMOS = [(tool, name) for tool in TOOLS for name in demos_of(tool)]


def test_tools__are_all_that_audit() -> None:
    assert {*TOOLS} < {*COMMANDS}


@pytest.mark.parametrize(("tool", "name"), DEMOS)
def test_demo__writes_files_that_the_printed_command_audits(
    tool: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", tool, str(tmp_path / "new" / "folder"), "--name", name]) == 0
    printed = capsys.readouterr().out.splitlines()
    monkeypatch.chdir(tmp_path / "new" / "folder")
    assert sorted(line.strip() for line in printed[1:-1]) == sorted(path.name for path in Path().iterdir())
    words = shlex.split(printed[-1].partition(": ")[2])[3:]
    if tool == "diversity":
        words += ["--k-max", "2"]
    assert main([*words, "--json"]) in (0, 1)


def test_demo__overwrites_nothing_and_knows_its_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "survey_leaking.csv").write_text("mine")
    assert main(["demo", "leakage", str(tmp_path)]) == 2
    assert (tmp_path / "survey_leaking.csv").read_text() == "mine"
    assert not (tmp_path / "survey.csv").exists()
    assert main(["demo", "leakage", str(tmp_path), "--name", "none"]) == 2
    (tmp_path / "file").write_text("")
    assert main(["demo", "leakage", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"error: FOLDER: {tmp_path}/survey_leaking.csv exists and is never overwritten; choose another name.",
        "error: --name must be one of leaking, safe, reversed, received none.",
        f"error: {tmp_path}/file cannot be made: File exists.",
    ]
