"""Judge a folder of cases that somebody brings: ``python -m benchmarks.challenge FOLDER [--json]``.

A case is a folder with its files and a ``case.json``:

    {"inputs": ["table.csv"], "command": ["risk", "table.csv", "--quasi-identifier", "age"],
     "right": "FAIL", "class": "small groups", "by": "Ana Novak", "by_finding": "k"}

``command`` is what follows ``python -m core`` in that folder; ``right`` a verdict, ``refused``, several with
`` or `` between them, or ``not`` and a verdict. A case whose right answer is not PASS counts as a leak. With
``by_finding`` it is found only where a finding of that check stands. Exit code: 0 every answer is right, 1
one is not, 2 a case could not be tried.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.quality.scoreboard import Trial, family_lines, summary_lines, wrong_lines
from core.tools import TOOLS
from core.verdict import Verdict

ROOT = Path(__file__).parents[1]
ANSWERS: dict[str, Verdict | None] = {each.replace("_", " "): each for each in Verdict} | {"REFUSED": None}
SECONDS = 600  # for a case


class UntriedError(Exception):
    """A case that could not be tried, and why."""


class Case(msgspec.Struct, kw_only=True):
    """What ``case.json`` says; other keys are for people."""

    command: list[str]
    right: str
    family: str = msgspec.field(name="class")
    by: str = "unknown"
    inputs: list[str] = []
    by_finding: str | None = None

    def answers(self) -> set[Verdict | None]:
        """Return the answers that are right."""
        said = self.right.upper()
        if said not in ANSWERS and said.removeprefix("NOT ") in ANSWERS:
            return {*ANSWERS.values()} - {ANSWERS[said.removeprefix("NOT ")]}
        words = said.split(" OR ")
        if not {*words} <= ANSWERS.keys():
            raise UntriedError(f'"right" is "{self.right}"; it has to be made of {", ".join(ANSWERS)}.')
        return {ANSWERS[word] for word in words}


def read_case(folder: Path) -> Case:
    """Return the case of a folder; UntriedError where something about it is wrong."""
    try:
        case = msgspec.json.decode((folder / "case.json").read_bytes(), type=Case)
    except (OSError, msgspec.MsgspecError) as error:
        raise UntriedError(f"case.json cannot be used: {error}") from None
    case.answers()
    if not case.command or case.command[0] not in TOOLS:
        raise UntriedError(f'"command" has to begin with one of {", ".join(TOOLS)}.')
    missing = [each for each in case.inputs if not (folder / each).exists()]
    if missing:
        raise UntriedError(f"{', '.join(missing)}: not in the folder of the case.")
    return case


def try_case(folder: Path) -> tuple[Case, Trial]:
    """Run a case in a copy of its folder."""
    case = read_case(folder)
    with TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        words = [*(each for each in case.command if each != "--json"), "--json"]
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-m", "core", *words],
                cwd=copy,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            document = json.loads(done.stdout)
        except subprocess.TimeoutExpired:
            raise UntriedError(f"the command took more than {SECONDS} s.") from None
        except json.JSONDecodeError:
            raise UntriedError(f"the command printed no result (exit code {done.returncode}).") from None
    verdict = Verdict(document["verdict"]) if "verdict" in document else None
    named = {each["check"] for each in document.get("findings", ()) if each["verdict"] != Verdict.PASS}
    is_right = verdict in case.answers() and (case.by_finding is None or case.by_finding in named)
    return case, Trial(
        tool=case.command[0],
        kind=folder.name,
        family=case.family,
        leaky=Verdict.PASS not in case.answers(),
        verdict=verdict,
        right=is_right,
        place=f"right: {case.right}{f', by {case.by_finding}' if case.by_finding else ''}",
    )


def judged(folders: Iterable[Path]) -> tuple[list[Trial], Counter[str], dict[str, str]]:
    """Return what came of all cases, how many each person wrote, and why others could not be tried."""
    trials: list[Trial] = []
    authors: Counter[str] = Counter()
    untried: dict[str, str] = {}
    for folder in folders:
        try:
            case, trial = try_case(folder)
        except UntriedError as error:
            untried[folder.name] = str(error)
        else:
            trials.append(trial)
            authors[case.by] += 1
    return trials, authors, untried


def lines_of(trials: Sequence[Trial], authors: Counter[str]) -> list[str]:
    """Return the tables by tool and by class, who wrote the cases, and what was answered wrongly."""
    by = ", ".join(f"{name} ({n})" for name, n in authors.most_common())
    tables = [*summary_lines(trials), "", *family_lines(trials), "", f"Cases by: {by or 'nobody'}"]
    wrong = wrong_lines(trials)
    return [*tables, "", "Answered wrongly:", *wrong] if wrong else tables


def main(arguments: Sequence[str] | None = None) -> int:
    """Try all cases of a folder, print what came of them, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.challenge",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="its folders that hold a case.json are the cases")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    chosen = parser.parse_args(arguments)
    folders = sorted({path.parent for path in chosen.folder.glob("*/case.json")})
    if not folders:
        print(f"error: {chosen.folder}: no folder in it holds a case.json.", file=sys.stderr)
        return 2
    trials, authors, untried = judged(folders)
    if chosen.json:
        print(json.dumps({"cases": [asdict(each) for each in trials], "by": authors, "untried": untried}))
    else:
        print("\n".join(lines_of(trials, authors)))
    for name, why in untried.items():
        print(f"error: {name}: {why}", file=sys.stderr)
    return 2 if untried else int(not all(each.right for each in trials))


if __name__ == "__main__":
    sys.exit(main())
