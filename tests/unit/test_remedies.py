"""Every finding that asks for something says what to do next."""

import ast
import re
from pathlib import Path

import pytest

from core.remedies import REMEDIES, harm_rank, remedy_of
from core.vcf.checks import ALL_CHECKS
from core.verdict import Finding, Verdict, next_steps, over_files, worst_first

CORE = Path(__file__).parents[2] / "core"
# Facts that a person can only weigh: nothing is to be done about them, or the sentence itself says when.
TO_WEIGH = {
    "accuracy",
    "all_columns",
    "chance_not_assessed",
    "classes_left_out",
    "columns_above_chance",
    "constant_columns",
    "dates_without_time",
    "disguises",
    "doubtful_identifiers",
    "dropped_records",
    "duplicate_records",
    "events_raised",
    "events_removed",
    "fully_suppressed",
    "in_one_table_only",
    "matching_cells",
    "missing_numbers",
    "missing_quasi_identifiers",
    "missing_sensitive_values",
    "model_file",
    "orphan_keys",
    "partial_leakage",
    "pseudonym_for_each_record",
    "pseudonyms_one_to_one",
    "release_by_ledger",
    "release_renamed",
    "releases",
    "rows_capped",
    "rule_warns_of_column",
    "single_level_used",
    "single_record_class",
    "surrogates",
    "text_read",
    "training",
    "unknown_households",
    "unknown_persons",
    "unseen_categories",
    "wildcards",
}


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


def test_remedies__stand_for_every_check() -> None:
    checks = checks_in_the_code()
    assert len(checks) > 100
    assert {check for check in checks if not remedy_of(check)} <= TO_WEIGH
    assert not {check for check in TO_WEIGH if remedy_of(check)}
    assert all(check.remedy for check in ALL_CHECKS.values())


def test_remedies__are_imperative_sentences() -> None:
    assert all(re.fullmatch(r"[A-Z][^.]*\.", remedy) for remedy in REMEDIES.values())


def finding(check: str, verdict: Verdict, **more: object) -> Finding:
    return Finding(check=check, verdict=verdict, message=f"{check}.", **more)  # type: ignore[arg-type]


def test_worst_first__puts_names_before_ratios_and_fail_before_all() -> None:
    found = [
        finding("average_risk", Verdict.FAIL),
        finding("roles_suggested", Verdict.WARN),
        finding("direct_identifiers", Verdict.WARN),
        finding("k", Verdict.FAIL),
    ]
    assert [each.check for each in worst_first(found)] == [
        "k",
        "average_risk",
        "direct_identifiers",
        "roles_suggested",
    ]


def test_next_steps__are_the_remedies_of_the_gravest_findings_with_their_columns() -> None:
    found = [
        finding("rare_value", Verdict.WARN, column="sex"),
        finding("looks_like_identifier", Verdict.FAIL, column="name"),
        finding("looks_like_identifier", Verdict.FAIL, columns=("phone", "name")),
        finding("smallest_class", Verdict.PASS),
        finding("accuracy", Verdict.FAIL),
    ]
    assert next_steps(found) == (
        f"`name`, `phone`: {remedy_of('looks_like_identifier')}",
        f"`sex`: {remedy_of('rare_value')}",
    )
    assert next_steps(found, at_most=1) == next_steps(found)[:1]
    assert next_steps([finding("smallest_class", Verdict.PASS)]) == ()


def test_next_steps__name_the_file_of_several() -> None:
    found = [
        finding("looks_like_identifier", Verdict.FAIL, column="name").of_file("a.csv"),
        finding("looks_like_identifier", Verdict.FAIL, column="phone").of_file("b.csv"),
        finding("row_order_kept", Verdict.WARN).of_file("b.csv"),
    ]
    assert next_steps(found) == (
        f"`name`, `phone` in `a.csv`, `b.csv`: {remedy_of('looks_like_identifier')}",
        f"`b.csv`: {remedy_of('row_order_kept')}",
    )


def test_next_steps__tell_last_what_is_for_columns_that_are_treated_already() -> None:
    found = [
        finding("looks_like_identifier", Verdict.FAIL, column="note"),
        finding("original_values_inside", Verdict.FAIL, column="note"),
        finding("row_order_kept", Verdict.WARN),
    ]
    order = [step.partition(": ")[2] or step for step in next_steps(found)]
    assert order == [remedy_of(finding_.check) for finding_ in (found[0], found[2], found[1])]
    elsewhere = [found[0], finding("original_values_inside", Verdict.FAIL, column="town"), found[2]]
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
    assert harm_rank(check) == list(REMEDIES).index(name)
    assert harm_rank("nothing_known") == len(REMEDIES)
