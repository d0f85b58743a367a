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


@pytest.mark.parametrize("tool", sorted({*TOOLS} - {"diversity"}))
def test_demo_option__writes_what_the_command_writes(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = next(iter(demos_of(tool)))
    for words, folder in (([name], name), ([name, "own"], "own")):
        assert main(["demo", tool, "command_" + folder, "--name", name]) == 0
        with pytest.raises(SystemExit) as left:
            main([tool, "--demo", *words])
        assert left.value.code == 0
        written, expected = (
            {p.name: p.read_bytes() for p in Path(f).iterdir()} for f in (folder, "command_" + folder)
        )
        assert written == expected
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main([tool, "--demo", "none"])
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("error: --name must be one of ")
