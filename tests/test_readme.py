"""README and docs/ are short and plain, name every tool and command, and all that they say to type runs."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands import COMMANDS
from pages.components.navigation import TOOLS

ROOT = Path(__file__).parents[1]
README, HISTORY, REFERENCE = ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "docs/reference"
PATHS = [README, HISTORY, *sorted(ROOT.glob("docs/**/*.md"))]
PAGES = {path: path.read_text(encoding="utf-8") for path in PATHS}
FENCE = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile("-m core (?!TOOL|serve)")  # serve would not end
LEFT_OUT = re.compile(r"(?m:^    .*$)|<!--.*?-->|`[^`]*`|!\[.*?\]\(.*?\)|\]\([^)]*\)|[*_[]", re.DOTALL)


def _written(paths: list[Path]) -> object:
    return pytest.mark.parametrize("path", paths, ids=[str(path.relative_to(ROOT)) for path in paths])


def test_documents__are_short() -> None:
    assert README.stat().st_size <= 8_000
    assert sum(path.stat().st_size for path in PATHS) <= 130_000
    assert len(PAGES[HISTORY].split("\n## ")[1].splitlines()) <= 40


def _sentences(page: str) -> Iterator[str]:
    text = LEFT_OUT.sub("", FENCE.sub("\n\n", page))
    for part in re.split(r"\n\s*\n|\n\s*(?:[-|#]|\d+\.) ?|(?<=\S) \| ", text):
        yield from re.split(r"(?<=[.!?])\s+", " ".join(part.split()))


@_written([path for path in PATHS if REFERENCE not in path.parents])
def test_sentences__are_at_most_160_letters_long(path: Path) -> None:
    assert [each for each in _sentences(PAGES[path]) if len(each) > 160] == []


def _anchors(page: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@_written(PATHS)
def test_links__lead_to_files_and_headings(path: Path) -> None:
    wrong = []
    for link in re.findall(r"\]\(((?!https?:)[^)]+)\)", FENCE.sub("", PAGES[path])):
        name, _, heading = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (heading and heading not in _anchors(PAGES[target])):
            wrong.append(link)
    assert wrong == []


def test_documents__name_files_that_are_there() -> None:
    kept = [page for path, page in PAGES.items() if path != HISTORY and REFERENCE not in path.parents]
    named = re.findall(r"`((?:core|pages|tests|policies|benchmarks|locale|deploy)/[^`<*]*)`", "\n".join(kept))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_readme__names_every_tool_and_document() -> None:
    assert [tool.title for tool in TOOLS if tool.title not in PAGES[README]] == []
    kept = [path for path in PATHS[1:] if REFERENCE not in path.parents]
    assert [path.name for path in kept if f"]({path.relative_to(ROOT)})" not in PAGES[README]] == []


def test_readme__shows_the_two_commands_first() -> None:
    assert re.findall(r"^make \w+", PAGES[README], re.MULTILINE)[:2] == ["make run", "make test"]


def test_documents__say_make_for_what_makefile_has() -> None:
    targets = {*re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)}
    assert {*re.findall(r"(?:`|^)make ([a-z-]+)", "\n".join(PAGES.values()), re.MULTILINE)} <= targets


@pytest.mark.parametrize("command", COMMANDS)
def test_documents__name_every_command(command: str) -> None:
    assert f"python -m core {command}" in "\n".join(PAGES.values())


@pytest.mark.one_of(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_command__prints_its_help(command: str) -> None:
    words = [sys.executable, "-m", "core", command, "--help"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert COMMANDS[command].split()[0] in done.stdout


def _calls(page: str) -> Iterator[tuple[str, str]]:
    """Yield the files that a document shows by their names, and its commands, those in running text too."""
    for _, name, code in FENCE.findall(page):
        lines = [code] if name else code.replace("\\\n", " ").splitlines()
        yield from ((name, line) for line in lines if name or COMMAND.search(line))
    in_text = re.findall(r"`([^`\n]+)`", FENCE.sub("", page))
    yield from (("", code) for code in in_text if COMMAND.search(code))


@pytest.fixture
def beside_the_demos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "demo").symlink_to(ROOT / "demo")
    monkeypatch.chdir(tmp_path)


@pytest.mark.one_of(6)
@_written([path for path in PATHS if any(_calls(PAGES[path]))])
@pytest.mark.usefixtures("beside_the_demos")
def test_documents__say_to_type_what_runs(path: Path) -> None:
    wrong = []
    for name, code in _calls(PAGES[path]):
        if name:
            Path(name).write_text(code, encoding="utf-8")
        elif _exit_code(code) not in ((2,) if "# exit code 2" in code else (0, 1)):
            wrong.append(code)
    assert wrong == []


def _exit_code(code: str) -> int:
    words = shlex.split(code, comments=True)
    found = [sorted(map(str, Path().glob(word))) if "*" in word else [word] for word in words]
    words = [word for each in found for word in each]
    return main(words[words.index("core") + 1 :])
