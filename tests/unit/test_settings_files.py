import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Literal

import pytest

from core.__main__ import main
from core.commands.audit import add_arguments, audit_again
from core.demo import TABULAR as DEMOS
from core.errors import AuditInputError
from core.filed.as_settings import settings_of as settings_of_report
from core.settings.files import LARGEST_FILE, known_settings, read_settings, settings_toml
from core.settings.form import (
    REQUIRED,
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
from core.tools import tool as declared
from tests.asking import settings_of
from tests.kinds import Told

PEOPLE = "age,sex,disease\n" + "".join(f"{30 + n % 3},F,d{n % 2}\n" for n in range(12))


def problems(content: str | bytes, *, tool: str = "risk") -> list[str]:
    data = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(AuditInputError) as caught:
        read_settings(data, name="s.toml", tool=tool)
    return list(caught.value.problems)


def test_read_settings__says_all_problems_at_once() -> None:
    content = """tool = "risk"\ncolour = "red"\n[settings]\nquasi_identifier = ["age"]\nk = 0\nt = 7
missing = "no"\nperson = 4\nwhat_if = 1\nsensitive = "x"\nn_largest = "none"
"""
    assert problems(content) == [
        f"s.toml: {problem}"
        for problem in (
            "there is no key colour; the nearest is tool.",
            "there is no key quasi_identifier; the nearest is quasi_identifiers.",
            "k must be at least 1, received 0.",
            "t must be from 0 to 1, received 7.",
            "missing must be one of value, wildcard, drop, received no.",
            "person must be a text in quotation marks.",
            "what_if must be true or false.",
            "sensitive must be a list of texts.",
            "n_largest must be a whole number at least 1, received none.",
        )
    ]


def test_read_settings__refuses_what_is_none() -> None:
    deep = "s.toml is no TOML that can be read: it is nested too deeply."
    for content, problem in (
        (b"\xff\xfe", "s.toml is no TOML: it is not written in UTF-8."),
        ("k = = 2", "s.toml is no TOML: look at line 1."),
        ("a = " + "[" * 5000, deep),
        (".".join(["a"] * 50_000) + " = 1", deep),
        (b" " * (LARGEST_FILE + 1), "s.toml is too large to be a file of settings."),
        ('tool = "leakage"', "s.toml holds settings of leakage, not of risk."),
        ("settings = 3", "s.toml: settings must be a table of settings."),
        ('[files."a.csv"]\nk = 3', "s.toml: there is no key files; the nearest is version."),
    ):
        assert problems(content) == [problem]
    for tool, content, problem in (
        ("vcf", "min_motif = 9\nmax_motif = 3", "min_motif must be at most max_motif, received 9 and 3."),
        ("diversity", 'one_hot_groups = ["a"]', "one_hot_groups must be a list of lists of texts."),
        ("events", 'mapping = ["a"]', "mapping must be a table of texts."),
        ("leakage", "ignore_columns = [true]", "ignore_columns must be a list of texts."),
    ):
        assert problems(f"[settings]\n{content}", tool=tool) == [f"s.toml: {problem}"]


def test_read_settings__of_another_version_say_what_is_not_known() -> None:
    content = b'version = "0.0.9"\nshade = 1\n[settings]\nquasi = ["age"]\nk = 3'
    opened = read_settings(content, name="s.toml", tool="risk")
    assert opened.settings.values == {"k": 3}
    said = "s.toml: AnonAudit 0.0.9 wrote {}, which this version does not know; it is left out."
    assert opened.notes == (said.format("shade"), said.format("quasi"))
    wrong = problems('version = "0.0.9"\n[settings]\nquasi = 1\nk = 0')
    assert wrong == ["s.toml: k must be at least 1, received 0."]


def test_settings_of__several_lines_and_files_paired_by_hand_differ_by_file() -> None:
    three, five = {"smallest_k": 3}, {"smallest_k": 5}
    first = "python -m core tabular 'a b.csv' c.csv --k 3 --pattern email"
    made = settings_of(f"{first}\npython -m core tabular d.csv --k 5 --pattern email")
    assert made.values["patterns"] == ["email"]
    assert made.by_file == {"a b.csv": three, "c.csv": three, "d.csv": five}
    assert read_settings(settings_toml(made), name="", tool="tabular").settings == made
    first = "python -m core tabular --k 3 --pair a.csv x.csv a.json --not-verified e.csv 'No log.'"
    made = settings_of(f"{first}\npython -m core tabular d.csv --k 5 --pair b.csv y.csv b.json")
    assert made.by_file == {"a.csv": three, "d.csv": five, "b.csv": five}


def test_settings_of__leaves_out_what_is_of_one_run() -> None:
    for tool, words, plain in (
        ("tabular", "--pair a.csv x.csv a.json --not-verified e.csv 'No log.'", "t.csv"),
        ("vcf", "-o a -a b --pair a/x.vcf b/y.vcf low --not-paired z.vcf --donors-of y.vcf", "-o a -a b"),
        ("diversity", "t.csv --pair 3 2", "t.csv"),
    ):
        assert settings_of(f"python -m core {tool} {words}") == settings_of(f"python -m core {tool} {plain}")
        assert not {"pair", "not_verified", "not_paired", "donors_of"} & known_settings(tool).keys()
    made = settings_of("python -m core events log.csv --pseudonym-seed 7", further={"mapping": {"A": "b"}})
    assert "pseudonym_seed" not in made.values
    assert made.values["mapping"] == {"A": "b"}
    assert known_settings("events")["pseudonym_seed"].secret
    assert settings_of("python -m core diversity t.csv --model my.skops").values["source"] == "file"
    made = settings_of("python -m core risk t.csv --quasi-identifier age --k 11 --policy cms-cell-11")
    assert made.values["k"] == 11
    assert "policy" not in made.values
    with pytest.raises(AuditInputError, match="unrecognized arguments: --nothing"):
        settings_of("python -m core risk t.csv --nothing")


@pytest.fixture
def given(tmp_path: Path) -> tuple[Path, list[str]]:
    """Return a settings file, and what asks for an audit by it."""
    table, file = tmp_path / "t.csv", tmp_path / "s.toml"
    table.write_text(PEOPLE)
    return file, ["risk", str(table), "--settings", str(file)]


def test_command__takes_settings_from_a_file_and_options_before_it(
    given: tuple[Path, list[str]], capsys: Told
) -> None:
    file, words = given
    file.write_text('[settings]\nquasi_identifiers = ["age"]\nk = 9\nl = "none"\nsensitive = ["disease"]')
    assert main([*words, "--k", "3", "--json"]) == 0
    printed = capsys.readouterr().out
    assert '"k": 3' in printed
    assert '"l": null' in printed
    assert main(words) == 1
    file.write_text('[settings]\nquasi_identifiers = ["age"]\npopulation_size = 2\nk = 2')
    assert main(words) == 2
    assert main([*words, "--population", words[1]]) in (0, 1)  # a typed option excludes the size


def test_command__says_what_is_wrong_with_a_settings_file(tmp_path: Path, capsys: Told) -> None:
    words = ["leakage", "a.csv", "b.csv", "--settings", str(tmp_path / "s.toml")]
    assert main(words) == 2
    assert "s.toml cannot be read: No such file or directory." in capsys.readouterr().err
    (tmp_path / "s.toml").write_text('version = "0.0.1"\n[settings]\nold = 1\n')
    assert main(words) == 2
    assert "warning: s.toml: AnonAudit 0.0.1 wrote old" in capsys.readouterr().err


@pytest.mark.slow
def test_command__asks_otherwise_of_single_files(tmp_path: Path, capsys: Told) -> None:
    for each in chain(*DEMOS[0].make().values()):
        (tmp_path / each.name).write_bytes(each.data)
    file = tmp_path / "s.toml"
    file.write_text('[settings]\nsmallest_k = 4\n[files."visits.csv"]\nsmallest_k = 2\n')
    originals = [str(tmp_path / name) for name in ("visits.csv", "survey.csv")]
    main(["tabular", *originals, "--settings", str(file), "--json"])
    printed = capsys.readouterr().out
    assert [printed.count(f'"smallest_k": {k}') for k in (4, 2)] == [1, 1]


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
    add_arguments(parser, replace(declared("events"), inputs=(), forms=(Form,), options=()))
    return parser.parse_args(words)


def test_check__names_parameter_range_and_value() -> None:
    check(Form(name="x", share=None, columns=("b",), k=1000, c=8.9))
    for changes, problem in (
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
    ):
        with pytest.raises(AuditInputError) as raised:
            check(Form(name="x", **changes), ["And more."])
        assert raised.value.problems == (problem, "And more.")


def test_said__is_the_parameter_the_option_or_the_label() -> None:
    assert said(Form, "k") == "k"
    with settings_named_by("flag"):
        assert said(Form, "k") == "--smallest-k"
    with settings_named_by("label"):
        assert said(Form, "k") == "“Size”"
    assert said(Form, "k") == "k"


def test_options__give_what_was_named_and_defaults_for_the_rest() -> None:
    assert given_options(Form, parsed()) == {}
    words = "--smallest-k 3 --share 0.5 --columns a,b --columns a --fast --group x y --group z v"
    found = from_options(Form, parsed(*words.split()), name="x")
    assert (found.k, found.share, found.c, found.fast) == (3, 0.5, 3.0, True)
    assert (found.columns, found.groups) == (("a", "b", "a"), (("x", "y"), ("z", "v")))
    assert from_options(Form, parsed("--name", "x", "--smallest-k", "3"), k=7).k == 7  # before the line


def test_help__says_label_choices_and_default(capsys: Told) -> None:
    with pytest.raises(SystemExit):
        parsed("--help")
    words = " ".join(capsys.readouterr().out.split())
    for told in (
        "--smallest-k K Size. How many. (default: 5)", "--share SHARE Share. Of all. (default: no limit)",
        "--way one|two Which way? (default: one)", "Columns. a: first. (default: a)",
        "--weight WEIGHT [WEIGHT ...] Weights. (default: 1)",
    ):  # fmt: skip
        assert told in words
    assert " --fast Fast. --json " in words


def test_report_and_json__hold_every_setting() -> None:
    form = Form(name="x", columns=("b",))
    assert report_lines(form) == {
        "Name": "x", "Size": 5, "Share": "no limit", "c": 3.0, "Cap": 9, "Which way?": "one",
        "Columns": ["b"], "Groups": [], "Weights": {}, "Fast": False,
    }  # fmt: skip
    assert settings_document(form)["share"] is None
    assert list(settings_document(form)) == list(described(Form))
    assert "silent" not in described(Form)


def test_option_words__give_the_settings_again() -> None:
    for given, words in (
        ({}, ""),
        ({"k": 9, "share": 0.25}, "--smallest-k 9 --share 0.25"),
        ({"columns": ("b", "a")}, "--columns b --columns a"),
        ({"groups": (("x", "y"), ("-z",))}, "--group x y --group -z"),
        ({"cap": -1, "fast": True}, "--cap=-1 --fast"),
    ):
        form, expected = Form(name="Ana", **given), ["--name", "Ana", *words.split()]
        assert option_words(form) == expected
        if "groups" not in given:
            assert from_options(Form, parsed(*expected)) == form
    form = Form(name="-", k=7, way="two")  # but for what is as usual or given otherwise
    assert option_words(form, usual=Form(name="x", k=7)) == ["--name=-", "--way", "two"]
    assert option_words(form, left_out=("name", "k")) == ["--way", "two"]
    line = command_line("risk", ["-a b.csv", "c.csv"], ["--name", "it's"])
    assert line == """python -m core risk './-a b.csv' c.csv --name 'it'"'"'s'"""


def test_settings__of_a_report_are_asked_again_of_other_files(tmp_path: Path, capsys: Told) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "u.csv"
    for path in (table, other):
        path.write_text("age,sex\n" + "".join(f"{30 + n % 3},F\n" for n in range(36)))
    asked = ["--quasi-identifier", "age", "--k", "7", "--policy", "cms-cell-11", "--earlier", str(table)]
    main(["risk", str(table), *asked, "--report", str(tmp_path / "out"), "--formats", "json"])
    (report,) = (tmp_path / "out").iterdir()
    capsys.readouterr()
    main(["risk", str(other), "--settings", str(report), "--json"])
    again = json.loads(capsys.readouterr().out)
    assert (again["settings"]["quasi_identifiers"], again["settings"]["k"]) == (["age"], 7)
    assert again["policy"]["name"] == "cms-cell-11"
    assert [each["name"] for each in again["inputs"]] == ["u.csv"]  # files are no settings
    main(["risk", str(other), "--settings", str(report), "--k", "3", "--json"])
    assert json.loads(capsys.readouterr().out)["settings"]["k"] == 3


def test_settings_of__take_no_column_for_an_option(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x --mapping,sex\n" + "30,F\n" * 6)
    words = [str(tmp_path / "t.csv"), "--quasi-identifier", "x --mapping"]
    report = audit_again("risk", [words]).full_report(datetime.now(UTC))
    assert settings_of_report(report, policy="none of ours").values["quasi_identifiers"] == ["x --mapping"]


@pytest.mark.parametrize("odd", [5, ["a"], {"a": 3}])
def test_settings__of_a_report_that_was_changed_are_refused_where_impossible(
    odd: object, tmp_path: Path, capsys: Told
) -> None:
    mapping, out = tmp_path / "m.json", tmp_path / "out"
    log = Path(__file__).parents[2] / "demo/events/demo_alarm_log.csv"
    mapping.write_text('{"START": "A"}')
    main(["events", str(log), "--mapping", str(mapping), "--report", str(out), "--formats", "json"])
    (report,) = out.iterdir()
    document = json.loads(report.read_text(encoding="utf-8"))
    document["settings"]["mapping"] = odd
    report.write_text(json.dumps(document))
    capsys.readouterr()
    assert main(["events", str(log), "--settings", str(report)]) == 2
    assert "mapping must be a table of texts." in capsys.readouterr().err
    assert main(["risk", str(log), "--settings", str(report)]) == 2
    assert "holds settings of events, not of risk." in capsys.readouterr().err
