"""Verdicts combine in one order, and the exit code follows from it."""

import itertools

import pytest

from core.verdict import Verdict, exit_code, worst

ORDER = (Verdict.PASS, Verdict.WARN, Verdict.NOT_ASSESSED, Verdict.FAIL)


@pytest.mark.parametrize(("better", "worse"), list(itertools.combinations(ORDER, 2)))
def test_worst__is_the_later_in_the_order_whatever_comes_first(better: Verdict, worse: Verdict) -> None:
    assert worst([better, worse]) is worse
    assert worst([worse, better]) is worse


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
