"""The gravest finding first, and many columns told as one."""

from core.tabular.second_opinion.opinion import folded, gravest_first
from core.verdict import Finding, Verdict
from tests.second_opinion_examples import findings, opinion_on


def _finding(check: str, verdict: Verdict = Verdict.FAIL, column: str | None = None) -> Finding:
    return Finding(check=check, verdict=verdict, message=f"{column}: {check}.", column=column, n_affected=2)


def test_gravest_first__puts_numbers_and_names_of_people_before_shares() -> None:
    found = [
        _finding("row_count_differs", Verdict.WARN),
        _finding("relinkage"),
        _finding("copy", column="lab"),
        _finding("copy", column="born"),
        _finding("copy", column="who"),
        _finding("copy", column="number"),
        _finding("originals_beside_the_table"),
        _finding("small", Verdict.WARN, column="number"),
    ]
    semantics = {"number": "ssn", "who": "name", "born": "birthdate", "lab": "other"}
    ordered = gravest_first(found, (), semantics)
    assert [one.column or one.check for one in ordered] == [
        *("number", "who", "originals_beside_the_table", "born", "lab", "relinkage", "number"),
        "row_count_differs",
    ]


def test_folded__tells_four_columns_of_one_check_as_one_and_leaves_others_alone() -> None:
    found = [_finding("copy", column=name) for name in "abcd"] + [_finding("relinkage")]
    (one, other) = folded(found)
    assert one.message == "a: copy. So it is with 3 more columns: `b`, `c` and `d`."
    assert (one.column, one.columns, one.n_affected) == (None, ("a", "b", "c", "d"), 8)
    assert one.document()["columns"] == ["a", "b", "c", "d"]
    assert other.check == "relinkage"
    three = [_finding("copy", column=name) for name in "abc"]
    mixed = [*three, _finding("copy", Verdict.WARN, column="d")]
    facts = [_finding("fact", Verdict.PASS, column=name) for name in "abcde"]
    assert folded([*mixed, *facts]) == (*mixed, *facts)
    assert "columns" not in three[0].document()
    columns = {f"lab{i}": [f"{10 * i + row / 7:.3f}" for row in range(40)] for i in range(6)}
    (finding,) = findings(opinion_on(columns, columns), "unchanged_distinct_column")
    assert finding.columns == tuple(columns)
    assert finding.message.endswith(
        "So it is with 5 more columns: `lab1`, `lab2`, `lab3`, `lab4` and `lab5`."
    )
