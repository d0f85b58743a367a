"""README and docs/ name every tool and command, links lead somewhere, definitions are current, calls run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import build_parser
from core.commands import COMMANDS
from pages.components.navigation import TOOLS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PATHS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
PAGES = {path: path.read_text(encoding="utf-8") for path in PATHS}
DOCUMENTS = "\n".join(PAGES.values())


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_readme__has_a_section_for_every_tool(tool: object) -> None:
    assert f"### {tool.title}" in README
    assert f"# {tool.title}\n" in (ROOT / f"docs/{tool.key}.md").read_text(encoding="utf-8")


def test_readme__is_short() -> None:
    assert len(README.encode()) <= 10_000


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links__lead_to_files(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", PAGES[path])
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_docs__are_all_linked_from_readme() -> None:
    assert [path.name for path in PATHS[1:] if f"docs/{path.name}" not in README] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_documents__name_every_command(command: str) -> None:
    assert f"python -m core {command}" in DOCUMENTS


@pytest.mark.one_of(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_command__prints_its_help(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "core", command, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert COMMANDS[command].split()[0] in done.stdout


def _documented_calls() -> list[str]:
    """Return the calls that are shown as a whole, without optional parts in brackets."""
    calls = re.findall(r"^(?:\.venv/bin/)?python -m core .+$", DOCUMENTS, flags=re.MULTILINE)
    return [
        call for call in dict.fromkeys(calls) if "[" not in call and "…" not in call and "--help" not in call
    ]


@pytest.mark.parametrize("call", _documented_calls())
def test_readme__shows_calls_that_the_parser_takes(call: str) -> None:
    words = shlex.split(call.split("#", maxsplit=1)[0])
    arguments = words[words.index("core") + 1 :]
    assert build_parser(arguments).parse_args(arguments).tool in COMMANDS


def test_readme__shows_the_two_commands_first() -> None:
    commands = re.findall(r"^make \w+", README, flags=re.MULTILINE)
    assert commands[:2] == ["make run", "make test"]
