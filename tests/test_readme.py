"""README names every tool and command, its definitions are current, and its commands run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import build_parser
from core.commands import COMMANDS
from core.commands.measures import measures_document
from pages.components.navigation import TOOLS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.key)
def test_readme__has_a_section_for_every_tool(tool: object) -> None:
    assert f"### {tool.title}" in README


@pytest.mark.parametrize("command", COMMANDS)
def test_readme__names_every_command(command: str) -> None:
    assert f"python -m core {command}" in README


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
    """Return the calls that README shows as a whole, without optional parts in brackets."""
    calls = re.findall(r"^(?:\.venv/bin/)?python -m core .+$", README, flags=re.MULTILINE)
    return [call for call in calls if "[" not in call and "…" not in call and "--help" not in call]


@pytest.mark.parametrize("call", _documented_calls())
def test_readme__shows_calls_that_the_parser_takes(call: str) -> None:
    words = shlex.split(call.split("#", maxsplit=1)[0])
    arguments = words[words.index("core") + 1 :]
    assert build_parser(arguments).parse_args(arguments).tool in README


def test_measures_document__is_current() -> None:
    written = (ROOT / "MEASURES.md").read_text(encoding="utf-8")
    assert written == measures_document(), "run: python -m core measures > MEASURES.md"


def test_readme__shows_the_two_commands_first() -> None:
    commands = re.findall(r"^make \w+", README, flags=re.MULTILINE)
    assert commands[:2] == ["make run", "make test"]
