import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import build_parser, main
from core.commands import COMMANDS
from core.commands.demo import TOOLS, demos_of

ROOT = Path(__file__).parents[2]
NEEDED = {
    "tabular": ["a.csv"],
    "vcf": ["--origin", "a", "--anony", "b"],
    "leakage": ["a.csv", "b.csv"],
    "events": ["a.csv"],
    "diversity": ["a.csv"],
    "risk": ["a.csv"],
    "dataset": ["a.csv"],
    "decide": ["a.json"],
}
WITHOUT_LISTS = {"compare", "demo", "keys", "measures", "serve", "verify"}


def _lists(command: str) -> list[argparse.Action]:
    """Return a command's options that take several values."""
    (tools,) = [action for action in build_parser([command])._actions if isinstance(action.choices, dict)]
    return [
        action
        for action in tools.choices[command]._actions
        if action.option_strings
        and action.help != argparse.SUPPRESS
        and not isinstance(action.nargs, int)  # files that belong together
        and "--demo" not in action.option_strings  # a name and a folder
        and (action.nargs in ("+", "*") or type(action).__name__ in ("_AppendAction", "_ExtendAction"))
    ]


@pytest.mark.parametrize("command", NEEDED)
def test_list_options__add_up_in_both_forms(command: str) -> None:
    parser = build_parser([command])
    lists = [action for action in _lists(command) if action.dest != "one_hot_group"]  # a list of lists
    assert lists
    for action in lists:
        option = action.option_strings[-1]
        together = parser.parse_args([command, *NEEDED[command], option, "A", "B"])
        apart = parser.parse_args([command, *NEEDED[command], option, "A", option, "B"])
        given = [list(map(str, getattr(one, action.dest))) for one in (together, apart)]
        assert given == [["A", "B"]] * 2, option


def test_needed__knows_every_command_with_lists() -> None:
    assert {*NEEDED, *WITHOUT_LISTS} == set(COMMANDS)


def test_main__ends_quietly_when_its_reader_has_gone() -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "core", "measures"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    command.stdout.close()
    _, error = command.communicate(timeout=60)
    assert (command.returncode, error) == (2, b"")


def test_main__imports_the_tool_asked_for_only() -> None:
    program = (
        "import sys; from core.__main__ import build_parser\n"
        "build_parser(['vcf'])\n"
        "late = ('core.commands.', 'altair', 'sklearn', 'scipy.stats')\n"
        "print([name for name in sys.modules if name.startswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    shared = [f"core.commands.{name}" for name in ("output", "audited", "audit")]
    assert done.stdout.strip() == str(shared)  # the command of the tool itself only when it runs


LATE = (  # what takes long to import, and only reports, charts, other languages, engines and models need
    *("altair", "asyncio", "babel", "ibis", "jinja2", "openpyxl", "phonenumbers", "pyspark", "scipy.linalg"),
    *("scipy.optimize", "scipy.spatial", "scipy.stats", "sklearn", "streamlit", "vl_convert"),
)


@pytest.mark.parametrize(
    "words",
    [
        "leakage {demo}/leakage/survey.csv {demo}/leakage/survey_leaking.csv",
        "risk {demo}/risk/demo_patients_released.csv --quasi-identifier age sex",
        "tabular {demo}/tabular/survey.csv",
    ],
)
def test_main__prints_a_result_without_loading_what_takes_long(words: str) -> None:
    program = (
        "import sys; from core.__main__ import main\n"
        f"main({words.format(demo=ROOT / 'demo').split()!r})\n"
        f"print([name for name in {LATE!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_main__starts_without_what_takes_long_to_import() -> None:
    program = (
        "import sys; from core.__main__ import COMMANDS, build_parser\n"
        "for name in COMMANDS.keys() - {'diversity'}: build_parser([name])\n"
        f"print([name for name in {(*LATE, 'scipy.special', 'scipy.sparse')!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_pair__that_is_not_there_is_told_by_the_process_that_reads_it(tmp_path: Path) -> None:
    pair = ["-o", str(tmp_path), "-a", str(tmp_path), "--pair", "none.vcf", "neither.vcf", "high"]
    done = subprocess.run(
        [sys.executable, "-m", "core", "vcf", *pair],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "none.vcf: the file cannot be opened (No such file or directory)." in done.stderr
    assert "the process that read this pair ended" not in done.stdout + done.stderr


@pytest.mark.slow
def test_memory__an_input_beyond_it_ends_in_a_sentence(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number * 7919 % 100_003},name {number}\n" for number in range(300_000))
    (tmp_path / "people.csv").write_text(f"id,amount,name\n{rows}", encoding="utf-8")
    told = []
    for megabytes in ("20", "60", "3000", "0"):
        command = [*"-m core risk people.csv --quasi-identifier amount name --memory".split(), megabytes]
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        told.append((done.returncode, done.stderr))
    assert told[2:] == [(1, ""), (2, "error: --memory must be at least 1 MB; received 0.\n")]
    for code, words in told[:2]:
        assert code == 2
        assert words.count("\n") == 1
        assert "memory" in words


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_main__stopped_while_modules_are_loaded_says_so() -> None:
    program = (
        "import runpy, signal, sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'core.commands':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
        "runpy.run_module('core', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (130, "error: Stopped before the end; nothing was judged.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "error", ["ImportError('core')", "AuditInputError('a.csv: damaged')", "RuntimeError()"]
)
def test_main__says_that_it_was_stopped_whatever_a_library_makes_of_the_signal(error: str) -> None:
    program = (
        "import runpy, signal, sys\n"
        "from core.commands import measures\n"
        "from core.errors import AuditInputError\n"
        "def run(parsed):\n"
        "    try:\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "    except KeyboardInterrupt:\n"
        f"        raise {error} from None\n"
        "measures.run = run\n"
        "sys.argv = ['core', 'measures']\n"
        "runpy.run_module('core', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (130, "error: Stopped before the end; nothing was judged.\n")


DEMOS = [(tool, name) for tool in TOOLS for name in demos_of(tool)]


def test_tools__are_all_that_audit() -> None:
    assert {*TOOLS} < {*COMMANDS}


@pytest.mark.slow
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
