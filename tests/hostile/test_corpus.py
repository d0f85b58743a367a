"""A part of the hostile files, in the test; `make trust` reads all of them."""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.commands import COMMANDS
from core.errors import AuditInputError
from tests.hostile import trust
from tests.hostile.corpus import GOOD, PLANTED, Hostile, good, hostile_file, killers
from tests.hostile.exits import ROOT, commands, run_here, table_of_exits
from tests.hostile.genomes import genome_pair
from tests.hostile.trust import FAULTS, READ, READERS, REFUSED, limited, outcome_of, table

N_OF_EACH = 8


@pytest.mark.parametrize("kind", GOOD)
def test_readers__read_the_good_files(kind: str) -> None:
    assert limited(Hostile(GOOD[kind][0], kind, good(kind))) == READ


@pytest.mark.parametrize("number", range(len(GOOD)), ids=list(GOOD))
def test_readers__read_or_refuse_a_changed_file(number: int) -> None:
    files = [hostile_file(number + 7 * len(GOOD) * i) for i in range(N_OF_EACH)]
    assert {file.how: word for file in files if (word := limited(file)) not in (READ, REFUSED)} == {}


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_readers__read_or_refuse_changed_pairs_of_genomes(first: int) -> None:
    pairs = [genome_pair(number) for number in range(first, first + 100)]
    words = {file.how: limited(file) for file in pairs}
    assert {how: word for how, word in words.items() if word not in (READ, REFUSED)} == {}
    assert Counter(words.values())[READ] > 20


MOST_SECONDS = 2  # of processor time
# these take a second on idle cores, and may take as long as any file
LONGER = (
    *("a line for every problem", "repeated names", "short header lines", "30,000 records at a site"),
    *(
        "keys of a thousand parts",
        "a deep and wide part",
        "40,000 findings",
        "60,000 figures",
        "tables without end",
    ),
)
FIVE = (
    ("table", "blank columns"),
    ("report", "a figure of 4,000 digits"),
    ("policy", "a number of a megabyte"),
    ("signers", "a pattern of stars"),
    ("vcf", "100,000 ALTs at a site"),
)


def _faults(files: Iterable[Hostile]) -> dict[str, str]:
    words = {
        f"{file.reader}: {file.how}": limited(file, seconds=None if file.how in LONGER else MOST_SECONDS)
        for file in files
    }
    return {how: word for how, word in words.items() if word not in (READ, REFUSED)}


def test_readers__read_or_refuse_what_was_made_to_kill() -> None:
    assert _faults(file for file in killers() if (file.reader, file.how) not in FIVE) == {}


@pytest.mark.quick
def test_readers__read_or_refuse_five_files_made_to_kill() -> None:
    five = [file for file in killers() if (file.reader, file.how) in FIVE]
    assert len(five) == len(FIVE)
    assert _faults(five) == {}


def test_corpus__is_the_same_each_time_and_counted() -> None:
    assert hostile_file(91) == hostile_file(91)
    assert hostile_file(91).data != hostile_file(91 + len(GOOD)).data
    assert genome_pair(5) == genome_pair(5) != genome_pair(8)
    rows = table(Counter({("log", READ): 3, ("log", REFUSED): 2})).splitlines()
    assert rows[2 + list(READERS).index("log")] == "| log | 5 | 3 | 2 | 0 | 0 | 0 | 0 |"
    rows = table_of_exits({"vcf": Counter({0: 3, -6: 1}), "risk": Counter({1: 4})}).splitlines()
    assert rows[2:] == ["| vcf | 4 | -6: 1, 0: 3 | 1 |", "| risk | 4 | 1: 4 | 0 |"]


def test_outcome_of__tells_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    def leak(_data: bytes) -> None:
        raise AuditInputError(f"The cell {PLANTED} is bad.")

    def fail(_data: bytes) -> None:
        raise KeyError

    def wait(_data: bytes) -> None:
        time.sleep(30)

    monkeypatch.setattr(trust, "SECONDS", 1)
    monkeypatch.setattr(trust, "WAITING", 1)
    monkeypatch.setattr(trust, "READERS", {"leak": leak, "fail": fail, "wait": wait})
    found = [limited(Hostile(reader, "", b"")) for reader in ("leak", "fail", "wait")]
    assert found == ["leaked a cell", "traceback: KeyError", "timed out"]
    assert outcome_of(Hostile("leak", "", b"")) == FAULTS[3]


def test_exit_codes__of_commands_are_those_of_a_verdict(tmp_path: Path) -> None:
    given = commands(tmp_path)
    assert {*given, "serve"} == set(COMMANDS)  # which ends when it is told to
    ended = {tool: run_here(tool, words) for tool, words in given.items()}
    failed = ("tabular", "vcf", "leakage", "risk", "dataset")
    assert ended == {tool: int(tool in failed) for tool in given}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, ["measures"]),
        (1, ["risk", "people.csv", "--quasi-identifier", "age"]),
        (2, ["risk", "absent.csv"]),
    ],
)
def test_exit_code__of_a_process_is_that_of_its_command(code: int, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n30,F\n40,M\n")
    command = [sys.executable, "-m", "core", *words]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    assert done.returncode == code, done.stderr
