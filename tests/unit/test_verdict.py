"""Verdicts combine in one order, and the exit code follows from it."""

import ast
import itertools
import re
from pathlib import Path

import pytest

from core.attribute_disclosure import LIMITS
from core.checks import CHECKS, check_of, harm_rank, remedy_of
from core.declared.rules import KINDS
from core.measures import MEASURES
from core.vcf.checks import ALL_CHECKS
from core.verdict import Finding, Verdict, exit_code, next_steps, over_files, worst, worst_first
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


CORE = Path(__file__).parents[2] / "core"


# Facts that a person can only weigh: nothing is to be done about them, or the sentence itself says when.
def checks_in_the_code() -> set[str]:
    """Return the checks that any finding is made of, as far as they stand there as words."""
    found = set()
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Finding.of", "Finding"):
                named = [word.value for word in node.keywords if word.arg == "check"] + node.args[:1]
                for one in named[:1]:
                    if isinstance(one, ast.Constant):
                        found.add(str(one.value))
                    elif isinstance(one, ast.JoinedStr):
                        found.add(re.sub(r"\{.*\}", "x", ast.unparse(one)[2:-1]))
    return found


@pytest.mark.slow
def test_checks__are_all_declared() -> None:
    checks = checks_in_the_code() | {*ALL_CHECKS} | {each.figure for each in LIMITS}
    assert len(checks) > 300
    assert {check for check in checks if check_of(check) is None} == {"declared_x"}
    assert all(check_of(f"declared_{kind}") for kind in (*KINDS, "rows", "undeclared", "tables"))
    assert all(check.remedy for check in ALL_CHECKS.values())


def test_checks__say_what_they_ask_and_can_say() -> None:
    for check in CHECKS.values():
        told = check.asks and check.verdicts
        assert told or (check.tool == "vcf" and any(check_of(name) is check for name in ALL_CHECKS)), check
        assert {*check.verdicts.split()} <= {*"FWNP"}
        assert {*re.findall(r"`(\w+)`", check.asks)} - {"NA"} <= {*MEASURES}


def test_remedies__are_imperative_sentences() -> None:
    told = [each.remedy for each in CHECKS.values() if each.remedy]
    assert all(re.fullmatch(r"[A-Z][^.]*\.", remedy) for remedy in told)


def finding_of(check: str, verdict: Verdict, **more: object) -> Finding:
    return Finding(check=check, verdict=verdict, message=f"{check}.", **more)  # type: ignore[arg-type]


def test_worst_first__puts_names_before_ratios_and_fail_before_all() -> None:
    found = [
        finding_of("average_risk", Verdict.FAIL),
        finding_of("roles_suggested", Verdict.WARN),
        finding_of("direct_identifiers", Verdict.WARN),
        finding_of("k", Verdict.FAIL),
    ]
    assert [
        each.check for each in worst_first(found)
    ] == "k average_risk direct_identifiers roles_suggested".split()


def test_next_steps__are_the_remedies_of_the_gravest_findings_with_their_columns() -> None:
    found = [
        finding_of("rare_value", Verdict.WARN, column="sex"),
        finding_of("looks_like_identifier", Verdict.FAIL, column="name"),
        finding_of("looks_like_identifier", Verdict.FAIL, columns=("phone", "name")),
        finding_of("smallest_class", Verdict.PASS),
        finding_of("accuracy", Verdict.FAIL),
    ]
    assert next_steps(found) == (
        f"`name`, `phone`: {remedy_of('looks_like_identifier')}",
        f"`sex`: {remedy_of('rare_value')}",
    )
    assert next_steps(found, at_most=1) == next_steps(found)[:1]
    assert next_steps([finding_of("smallest_class", Verdict.PASS)]) == ()


def test_next_steps__name_the_file_of_several() -> None:
    found = [
        finding_of("looks_like_identifier", Verdict.FAIL, column="name").of_file("a.csv"),
        finding_of("looks_like_identifier", Verdict.FAIL, column="phone").of_file("b.csv"),
        finding_of("row_order_kept", Verdict.WARN).of_file("b.csv"),
    ]
    assert next_steps(found) == (
        f"`name`, `phone` in `a.csv`, `b.csv`: {remedy_of('looks_like_identifier')}",
        f"`b.csv`: {remedy_of('row_order_kept')}",
    )


def test_next_steps__tell_last_what_is_for_columns_that_are_treated_already() -> None:
    found = [
        finding_of("looks_like_identifier", Verdict.FAIL, column="note"),
        finding_of("original_values_inside", Verdict.FAIL, column="note"),
        finding_of("row_order_kept", Verdict.WARN),
    ]
    order = [step.partition(": ")[2] or step for step in next_steps(found)]
    assert order == [remedy_of(finding_.check) for finding_ in (found[0], found[2], found[1])]
    elsewhere = [found[0], finding_of("original_values_inside", Verdict.FAIL, column="town"), found[2]]
    assert next_steps(elsewhere)[1].startswith("`town`: ")


def test_over_files__tells_what_is_found_in_several_files_once() -> None:
    def left(n: int) -> Finding:
        return Finding.of("k", Verdict.FAIL, n_affected=n)("{n} record is alone.", "{n} records are alone.")

    found = [left(n).of_file(name) for n, name in ((1, "a.csv"), (2, "b.csv"), (3, "c.csv"))]
    (folded,) = over_files(found)
    assert folded.message == "a.csv: 1 record is alone. Likewise in `b.csv`, `c.csv`."
    other = Finding.of("k", Verdict.FAIL)("Nobody can tell.").of_file("b.csv")
    assert over_files([found[0], other, left(4), left(4)]) == (found[0], other, left(4), left(4))


@pytest.mark.parametrize(
    ("check", "name"), [("derived_a_sum", "derived_*"), ("row_order_kept", "row_order_kept")]
)
def test_harm_rank__of_a_name_that_stands_for_several(check: str, name: str) -> None:
    assert harm_rank(check) == list(CHECKS).index(name)
    assert harm_rank("nothing_known") == len(CHECKS)
