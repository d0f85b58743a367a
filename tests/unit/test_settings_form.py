import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest

from core.errors import AuditInputError
from core.settings_form import (
    REQUIRED,
    add_options,
    check,
    command_line,
    described,
    from_options,
    given_options,
    option_words,
    report_lines,
    said,
    setting,
    settings_document,
    settings_named_by,
)


@dataclass(frozen=True, kw_only=True)
class Form:
    name: str = setting(REQUIRED, "Name", "Who.", "--name")
    k: int = setting(5, "Size", "How many.", "--smallest-k", least=2, most=1000)
    share: float | None = setting(None, "Share", "Of all.", "--share", percent=True, none="no limit")
    c: float = setting(3.0, "c", "Above 0.", "--c", above=0, below=9)
    cap: int = setting(9, "Cap", "", "--cap")
    way: Literal["one", "two"] = setting("one", "Which way?", "", "--way")
    columns: tuple[str, ...] = setting(
        ("a",), "Columns", "", "--columns", choices={"a": "first", "b": ""}, commas=True
    )
    groups: tuple[tuple[str, ...], ...] = setting((), "Groups", "", "--group", metavar="COL")
    weights: Mapping[str, float] = setting({}, "Weights", "", "--weight", none="1", plain=dict)
    fast: bool = setting(False, "Fast", "", "--fast")
    silent: int = 0


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser, Form)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"k": 1}, "k must be from 2 to 1,000, received 1."),
        ({"k": 2000}, "k must be from 2 to 1,000, received 2,000."),
        ({"k": 2.5}, "k must be a whole number from 2 to 1,000, received 2.5."),
        ({"k": True}, "k must be from 2 to 1,000, received True."),
        ({"k": "5"}, "k must be a whole number from 2 to 1,000, received 5."),
        ({"cap": "many"}, "cap must be a whole number, received many."),
        ({"share": 1.5}, "share must be from 0 to 1, received 1.5."),
        ({"share": math.nan}, "share must be from 0 to 1, received nan."),
        ({"c": 0}, "c must be above 0 and below 9, received 0."),
        ({"c": math.inf}, "c must be above 0 and below 9, received inf."),
        ({"way": "three"}, "way must be one of one, two, received three."),
        ({"way": ["one"]}, "way must be one of one, two, received ['one']."),
        ({"columns": ("a", "c", "d")}, "columns must be among a, b, received c, d."),
        ({"columns": "a"}, "columns must be a list of values, received a."),
    ],
)
def test_check__names_parameter_range_and_value(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(AuditInputError) as raised:
        check(Form(name="x", **changes), ["And more."])
    assert raised.value.problems == (problem, "And more.")


def test_check__takes_what_is_allowed() -> None:
    check(Form(name="x", share=None, columns=("b",), k=1000, c=8.9))


def test_said__is_the_parameter_the_option_or_the_label() -> None:
    assert said(Form, "k") == "k"
    with settings_named_by("flag"):
        assert said(Form, "k") == "--smallest-k"
    with settings_named_by("label"):
        assert said(Form, "k") == "“Size”"
    assert said(Form, "k") == "k"


def test_options__give_what_was_named_and_defaults_for_the_rest() -> None:
    assert given_options(Form, parsed()) == {}
    arguments = parsed(
        *("--smallest-k", "3", "--share", "0.5", "--columns", "a,b", "--columns", "a", "--fast"),
        *("--group", "x", "y", "--group", "z", "v"),
    )
    found = from_options(Form, arguments, name="x")
    assert (found.k, found.share, found.c, found.fast) == (3, 0.5, 3.0, True)
    assert (found.columns, found.groups) == (("a", "b", "a"), (("x", "y"), ("z", "v")))


def test_options__are_given_before_the_command_line() -> None:
    assert from_options(Form, parsed("--name", "x", "--smallest-k", "3"), k=7).k == 7


def test_help__says_label_choices_and_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed("--help")
    words = " ".join(capsys.readouterr().out.split())
    assert "--smallest-k K Size. How many. (default: 5)" in words
    assert "--share SHARE Share. Of all. (default: no limit)" in words
    assert "--way one|two Which way? (default: one)" in words
    assert "Columns. a: first. (default: a)" in words
    assert "--weight WEIGHT [WEIGHT ...] Weights. (default: 1)" in words
    assert words.endswith("--fast Fast.")


def test_report_and_json__hold_every_setting() -> None:
    form = Form(name="x", columns=("b",))
    assert report_lines(form) == {
        "Name": "x", "Size": 5, "Share": "no limit", "c": 3.0, "Cap": 9, "Which way?": "one",
        "Columns": ["b"], "Groups": [], "Weights": {}, "Fast": False,
    }  # fmt: skip
    assert settings_document(form)["share"] is None
    assert list(settings_document(form)) == list(described(Form))
    assert "silent" not in described(Form)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ["--name", "Ana"]),
        ({"k": 9, "share": 0.25}, ["--name", "Ana", "--smallest-k", "9", "--share", "0.25"]),
        ({"columns": ("b", "a")}, ["--name", "Ana", "--columns", "b", "--columns", "a"]),
        ({"groups": (("x", "y"), ("-z",))}, ["--name", "Ana", "--group", "x", "y", "--group", "-z"]),
        ({"cap": -1, "fast": True}, ["--name", "Ana", "--cap=-1", "--fast"]),
    ],
)
def test_option_words__give_the_settings_again(given: dict[str, object], words: list[str]) -> None:
    form = Form(name="Ana", **given)
    assert option_words(form) == words
    if "groups" not in given:
        assert from_options(Form, parsed(*words)) == form


def test_option_words__leave_out_what_is_as_usual_or_given_otherwise() -> None:
    form = Form(name="-", k=7, way="two")
    assert option_words(form, usual=Form(name="x", k=7)) == ["--name=-", "--way", "two"]
    assert option_words(form, left_out=("name", "k")) == ["--way", "two"]


def test_command_line__can_be_typed_as_it_is() -> None:
    line = command_line("risk", ["-a b.csv", "c.csv"], ["--name", "it's"])
    assert line == """python -m core risk './-a b.csv' c.csv --name 'it'"'"'s'"""
