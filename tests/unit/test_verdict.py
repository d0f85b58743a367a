"""Verdicts combine in one order, and the exit code follows from it."""

import itertools

import pytest

from core.verdict import Finding, Verdict, exit_code, worst, worst_first
from core.words import text

ORDER = (Verdict.PASS, Verdict.WARN, Verdict.NOT_ASSESSED, Verdict.FAIL)


@pytest.mark.parametrize(("better", "worse"), list(itertools.combinations(ORDER, 2)))
def test_worst__is_the_later_in_the_order_whatever_comes_first(better: Verdict, worse: Verdict) -> None:
    assert worst([better, worse]) is worse
    assert worst([worse, better]) is worse


def finding(check: str, verdict: Verdict) -> Finding:
    return Finding(check=check, verdict=verdict, message="2 of 3 cells are left.", column="age", n_affected=2)


def test_worst_first__keeps_the_order_of_equals() -> None:
    given = [
        finding("a", Verdict.WARN),
        finding("b", Verdict.FAIL),
        finding("c", Verdict.WARN),
        finding("d", Verdict.NOT_ASSESSED),
    ]
    assert [each.check for each in worst_first(given)] == ["b", "d", "a", "c"]


def test_finding__names_its_file_and_keeps_the_rest() -> None:
    named = finding("a", Verdict.WARN).of_file("x.csv").document()
    assert named == {
        "check": "a",
        "verdict": "WARN",
        "column": "age",
        "message": "x.csv: 2 of 3 cells are left.",
        "remedy": "",
        "n_affected": 2,
    }


def test_verdict__has_a_word_and_a_symbol_of_its_own() -> None:
    assert [verdict.word for verdict in Verdict] == ["PASS", "WARN", "NOT ASSESSED", "FAIL"]
    assert [verdict.symbol for verdict in Verdict] == ["✓", "!", "?", "✕"]


def test_worst__of_nothing_is_not_assessed() -> None:
    assert worst([]) is Verdict.NOT_ASSESSED


@pytest.mark.parametrize(
    ("overall", "incomplete", "code"),
    [
        (Verdict.PASS, False, 0),
        (Verdict.WARN, False, 0),
        (Verdict.NOT_ASSESSED, False, 0),
        (Verdict.FAIL, False, 1),
        (Verdict.FAIL, True, 2),
        (Verdict.PASS, True, 2),
    ],
)
def test_exit_code__follows_the_convention(overall: Verdict, incomplete: bool, code: int) -> None:
    assert exit_code(overall, incomplete=incomplete) == code


def test_finding_of__takes_a_message_and_its_values() -> None:
    of = Finding.of("names_left", Verdict.WARN, column="name", n_affected=2)
    found = of(
        "{n} value of `{column}` is left in {file}.", "{n} values of `{column}` are left in {file}.", file="a"
    )
    assert found.message == "2 values of `name` are left in a."
    assert of("`{column}` is left: {n}.", n=7, column="x").message == "`x` is left: 7."
    assert of("Nothing is left.").message == "Nothing is left."


def test_finding_of__takes_no_name_in_braces_for_a_value() -> None:
    made = text("`{name}` is left.", name="{column} {n}")
    assert (
        Finding.of("left", Verdict.WARN, column="a", n_affected=3)(made).message == "`{column} {n}` is left."
    )
