from core.reports.as_text import lines_of, table_lines
from core.result import Col, Figure, Group, Note, Result, Table
from core.verdict import Finding, Verdict
from core.words import counted, say, speaking

LEFT = Finding.of("k", Verdict.FAIL, n_affected=2)("{n} record is alone.", "{n} records are alone.")
FACT = Finding.of("dropped_records", Verdict.PASS)("Nothing was left out.")
TABLE = Table(
    "kinds", "Kinds", (Col("name", "Column"), Col("share", "Share of records", "share")), [("a", 0.5)]
)


def _result(**more) -> Result:
    return Result(tool="risk", verdict=Verdict.FAIL, headline="2 records are alone.", **more)


def test_lines__say_verdict_findings_worst_first_steps_and_figures_that_failed_first() -> None:
    figures = (
        Figure("sample_unique_share", 0.25, of="age", total=8),
        Figure("k", 1, "at least 5", Verdict.FAIL),
        Figure("t", None),
    )
    groups = (
        Group("figures", "Figures", (*figures, Note("Not said."))),
        Group("page", "Page", (Figure("k", 7),), where="page"),
        Group("detail", "Detail", (Figure("k", 8),), is_detail=True),
        Group("kinds", "Kinds", (TABLE,)),
    )
    verdicts = {"Thresholds": Verdict.FAIL, "Exposure": Verdict.NOT_ASSESSED}
    told = [*map(str, lines_of(_result(findings=(FACT, LEFT), groups=groups, verdicts=verdicts)))]
    assert told[:3] == [
        "FAIL: 2 records are alone. (Thresholds FAIL, Exposure NOT ASSESSED)",
        "  FAIL  2 records are alone.",
        "  PASS  Nothing was left out.",
    ]
    assert told[3] == "Do next:"
    assert told[5:] == [
        "Figures:",
        "  Smallest group size (k): 1 (at least 5, FAIL)",
        "  Unique records in the table: age: 25.0 %",
        "  Largest distance from the whole table (t): not assessed",
    ]
    assert not [line for line in told if "Kinds" in line or "Not said" in line]
    shown = [*map(str, lines_of(_result(groups=groups), tables=("kinds",)))]
    assert shown[-3:] == ["Kinds:", "  Column  Share of records", "  a       50.0 %"]


def test_lines__of_a_run_go_on_with_its_files_and_speak_the_language() -> None:
    files = [_result(name="a.csv"), Result(tool="risk", name="{b}", verdict=Verdict.PASS, headline="Fine.")]
    told = [*map(str, lines_of(_result(files=lambda: files)))]
    assert told == ["FAIL: 2 records are alone.", "a.csv: FAIL: 2 records are alone.", "{b}: PASS: Fine."]
    with speaking("sl"):
        (first, second, *_) = map(say, lines_of(_result(findings=(LEFT,))))
    assert first.startswith("NE USTREZA: ")
    assert second.startswith("  NE USTREZA  ")


def test_table_lines__are_aligned_and_say_how_many_rows_are_left_out() -> None:
    columns = (Col("who", "Who", kind="words"), Col("n", "Number"), Col("none", "None"))
    rows = [(counted(n, "record"), n, None) for n in range(998, 1020)]
    wide = Table("t", "Wide", columns, [("한국어", 1, None), *rows], note="Read it so.")
    told = [*map(str, table_lines(wide))]
    assert told[:5] == [
        "Wide:",
        "  Read it so.",
        "  Who            Number  None",
        "  한국어         1       –",
        "  998 records    998     –",
    ]
    assert told[-1] == "… and 3 more; --json prints all"
    assert len(told) == 3 + 20 + 1
