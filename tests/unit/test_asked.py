"""The words of a filed report are read as the command line reads them, and refused in the same words."""

import argparse
from pathlib import Path
from typing import NoReturn

import pytest

from core.commands.audit import add_arguments
from core.errors import AuditInputError
from core.settings.asked import as_usual, words_asked
from core.settings.form import NONE
from core.tools import TOOLS, tool

REFUSED = "Refused ({reason})."


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AuditInputError(REFUSED.format(reason=message))


def typed(key: str, words: list[str]) -> dict[str, object]:
    """Return what the command line makes of words."""
    parser = Parser(add_help=False, allow_abbrev=False)
    add_arguments(parser, tool(key))
    return {name: value for name, value in vars(parser.parse_args(words)).items() if value is not None}


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("leakage", "a.csv b.csv --holdout c.csv --ignore-value=-999 --ignore-value x --seed 3"),
        ("leakage", "a.csv duckdb:b.db -999 0,1 --read note=30 name=10/2 --no-header"),
        ("risk", "a.csv --sensitive a b --sensitive c --k 7 --l none --suda --hierarchy age=h.csv"),
        ("risk", "a.csv --earlier b.csv l.json --population p.csv --what-if --not-read x --policy own"),
        ("dataset", "a.csv b.csv --key a.x=b.x --known-records 2 --evidence masked"),
        ("events", "log.csv --columns week_number,event --leave-out-none --mapping {} --pseudonym-seed 7"),
        ("diversity", "t.csv --one-hot-group a b --one-hot-group c --regression --pair 3 2 --model m.skops"),
        ("tabular", "a.csv --pair a b c --pair d e f --not-verified g why --pattern email --log l.json"),
        ("vcf", "-o a -a b --pair x y high --not-paired z --donors-of y w --severity a=FAIL --jobs 3"),
    ],
)
def test_words__ask_what_the_command_line_asks(key: str, words: str) -> None:
    asked = words_asked(tool(key), words.split(), refused=REFUSED)
    assert asked == typed(key, words.split())
    assert {*asked} <= {*as_usual(tool(key))}


@pytest.mark.parametrize(
    "words",
    [
        "a.csv --nothing",
        "a.csv b.csv",
        "a.csv --k",
        "a.csv --k many",
        "a.csv --sensitive",
        "a.csv --suda=yes",
        "a.csv --population p.csv --population-size 9",
        "--k 3",
    ],
)
def test_words__that_the_command_line_refuses_are_refused_in_its_words(words: str) -> None:
    told = []
    for read in (typed, lambda key, words: words_asked(tool(key), words, refused=REFUSED)):
        with pytest.raises(AuditInputError) as refused:
            read("risk", words.split())
        told.append(str(refused.value))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("a.csv --report out", "report"),
        ("a.csv --release r.csv", "release"),
        ("a.csv --settings s.toml", "settings"),
        ("a.csv --json", "json"),
        ("a.csv --rep out", "unrecognized arguments: --rep"),
        ("a.csv --help", "unrecognized arguments: --help"),
        ("a.csv --demo x", "unrecognized arguments: --demo"),
        ("a.csv -", "unrecognized arguments: -"),
        ("a.csv --evidence all", "argument --evidence: invalid choice: 'all' (choose from 'none', 'masked')"),
        ("a.csv --what-if=", "argument --what-if: ignored explicit argument ''"),
    ],
)
def test_words__of_one_run_alone_or_abbreviated_are_refused(words: str, reason: str) -> None:
    with pytest.raises(AuditInputError) as refused:
        words_asked(tool("risk"), words.split(), refused=REFUSED)
    assert refused.value.problems == (REFUSED.format(reason=reason),)


def test_words__stand_for_a_secret_that_only_the_person_has() -> None:
    words = ["SEED", "--user-column", "SEED", "--pseudonym-seed", "SEED"]
    asked = words_asked(tool("events"), words, refused=REFUSED)
    assert asked == {"input": Path("SEED"), "user_column": "SEED", "pseudonym_seed": 0}


def test_words__say_that_no_number_is_asked_for() -> None:
    assert words_asked(tool("risk"), ["a.csv", "--t", "none"], refused=REFUSED)["t"] is NONE


@pytest.mark.parametrize("key", TOOLS)
def test_tool__asks_each_thing_once(key: str) -> None:
    asks = tool(key).asks
    flags = [flag for told in asks for flag in told.flags]
    assert len(flags) == len({*flags})
    named = [told.dest for told in asks if not told.sets]
    assert len(named) == len({*named})
    assert all(told.label for told in asks if not told.is_hidden)
