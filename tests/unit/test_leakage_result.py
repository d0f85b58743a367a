"""Figures, tables, charts and the report say what was measured, and hold no cell value."""

import json
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from core.charts import described
from core.demo import LEAKAGE as DEMOS
from core.leakage import LeakageAudit, LeakageSettings, LeakageThresholds, audit_leakage, pair_tables
from core.leakage.evidence import row_counts_csv, row_values_table
from core.leakage.report import leakage_report
from core.leakage.result import comparison_note, leakage_result, nearest_note
from core.leakage.tool import TOOL
from core.measures import MEASURES
from core.reports import RENDERERS, input_facts, render
from core.result import Drawing, Figure, Table
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict
from tests.cases.table import says
from tests.checked_charts import checked
from tests.report_examples import frame_of

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ORIGINAL = "town,age,sex\nEkwador,30,f\nBydgoszcz,41,m\nCork,52,f\nDerby,63,m\n"
STRANGERS = "town,age,sex\nOslo,35,x\nParis,90,x\nRome,12,x\n"
SCRAMBLED = "town,age,sex\nEkwador,30,f\nDerby,41,f\nBydgoszcz,63,m\nCork,30,m\n"


def table(text: str, name: str = "table.csv") -> Dataset:
    return read_dataset(text.encode(), name=name, options=ReadOptions(delimiter=",", header="first_line"))


def audit(scrambled: str = SCRAMBLED, **settings: object) -> LeakageAudit:
    return audit_leakage(
        table(ORIGINAL, "original.csv"),
        table(scrambled, "scrambled.csv"),
        settings=LeakageSettings(**settings),  # type: ignore[arg-type]
    )


def figures(audit: LeakageAudit) -> dict[str, Figure]:
    """Return every figure by its measure."""
    return {each.measure: each for group in leakage_result(audit).groups for each in group.figures}


def frame(audit: LeakageAudit, key: str) -> pd.DataFrame:
    """Return a table by its key."""
    (found,) = (
        each
        for group in leakage_result(audit).groups
        for each in group.parts
        if isinstance(each, Table) and each.key == key
    )
    return frame_of(found)


def in_order(audit: LeakageAudit) -> list[Figure]:
    """Return the figures of rows, moved rows and persons found, those that a page shows at once first."""
    result = leakage_result(audit)
    return result.in_order(result.group("persons").figures)


def drawings(audit: LeakageAudit, key: str) -> list[Drawing]:
    """Return the drawings of a group."""
    return [each for each in leakage_result(audit).group(key).parts if isinstance(each, Drawing)]


def demo(key: str) -> tuple[Dataset, Dataset]:
    files = next(demo for demo in DEMOS if demo.key == key).make()
    original, scrambled = (files[role][0] for role in ("original", "scrambled"))
    return read_dataset(original.data, name=original.name), read_dataset(scrambled.data, name=scrambled.name)


@pytest.mark.slow
def test_demos__leak_do_not_leak_and_are_reversed() -> None:
    verdicts = {key: audit_leakage(*demo(key)) for key in ("leaking", "safe", "reversed")}
    assert {key: found.verdict for key, found in verdicts.items()} == {
        "leaking": Verdict.FAIL,
        "safe": Verdict.PASS,
        "reversed": Verdict.FAIL,
    }
    leaking, turned = verdicts["leaking"].measures, verdicts["reversed"].measures
    assert leaking.rows is not None
    assert turned.rows is not None
    assert leaking.rows.n_full == 18
    assert leaking.whole_rows.n_unique_exact == 30
    assert turned.rows.n_full == 0
    assert turned.whole_rows.n_exact == 600


@pytest.mark.slow
def test_headline__says_it_in_one_sentence() -> None:
    assert audit_leakage(*demo("leaking")).headline.startswith("30 of 600 unique rows")
    assert audit_leakage(*demo("safe")).headline.startswith("No more of the original rows")
    assert audit_leakage(*demo("reversed")).headline.startswith("600 of 600 unique rows")


@pytest.mark.slow
def test_figures__stand_beside_chance_with_their_verdict() -> None:
    full, partial, mean, spread, *_ = leakage_result(audit()).group("persons").figures
    assert (full.value, full.threshold, full.verdict) == (0.25, "none tolerated", Verdict.FAIL)
    assert partial.value == 0.5
    assert partial.threshold.startswith("chance ")
    assert mean.threshold == "chance 1.00"
    assert spread.measure == "std_matching_cells"
    tolerant = audit_leakage(
        table(ORIGINAL), table(SCRAMBLED), thresholds=LeakageThresholds(max_full_leakage_share=0.3)
    )
    assert figures(tolerant)["full_leakage_share"].threshold == "at most 30.0 %"
    result = audit_leakage(*demo("leaking"))
    for group in leakage_result(result).groups:
        assert all(checked(each.chart())["layer"] for each in group.drawings)
    nearest = result.measures.nearest
    relinked = figures(result)["relink_share"]
    assert (nearest.n_assessed, nearest.expected_relinked(600)) == (600, nearest.n_with_unique_best / 600)
    assert (relinked.value, relinked.threshold) == (22 / 600, "chance < 0.1 %")
    unpaired = audit("town,age,sex\nCork,1,f\n")
    assert figures(unpaired)["relink_share"].threshold == ""


def test_figures__are_not_assessed_where_rows_cannot_be_paired() -> None:
    result = audit("town,age,sex\nCork,1,f\n")
    rows = leakage_result(result).group("persons").figures[:4]
    assert [figure.value for figure in rows] == [None] * 4
    assert rows[0].verdict is Verdict.NOT_ASSESSED
    assert (
        list(frame(result, "columns"))
        == "column n_valid n_matching match_share expected_share excess z".split()
    )
    assert len(frame(result, "columns")) == len(frame(result, "worst_rows")) == 0
    assert drawings(result, "rows") == drawings(result, "columns") == []
    assert len(drawings(result, "nearest")) == 1
    assert row_counts_csv(result.measures).decode().count("\n") == 1


@pytest.mark.slow
def test_columns_and_charts__show_the_largest_first() -> None:
    columns = frame(audit(), "columns")
    assert columns["n_matching"].sum() == 5
    assert columns["z"].is_monotonic_decreasing
    assert (columns["excess"] == columns["match_share"] - columns["expected_share"]).all()
    header = ",".join(f"c{number}" for number in range(40))
    rows = "\n".join(",".join(str((row * column) % 5) for column in range(40)) for row in range(6))
    wide = table(f"{header}\n{rows}\n")
    (chart,) = drawings(audit_leakage(wide, wide), "columns")
    assert chart.title == "Matching cells by column, against chance (the 30 with the largest excess)"
    proportion, distribution = drawings(audit(ignore_values=("63", "m", "Derby")), "rows")
    specification = checked(distribution.chart())
    counts = next(iter(specification["datasets"].values()))
    assert sum(row["observed"] for row in counts) == 4
    assert sum(row["chance"] for row in counts) == pytest.approx(4)
    told = described(checked(proportion.chart()))
    assert says(told, "full leakage, 2…partial leakage, 0…cell, 1, 25.0 %…cell, 1, 25.0 %.")


@pytest.mark.slow
def test_row_tables__have_numbers_and_counts_and_one_row_of_both_tables() -> None:
    assert frame(audit(), "worst_rows")[:3].to_dict("list") == {
        "row": [1, 2, 4],
        "n_matching": [3, 1, 1],
        "n_valid": [3, 3, 3],
        "matching_share": [1.0, pytest.approx(1 / 3), pytest.approx(1 / 3)],
        "leakage": ["full", "partial", "partial"],
    }
    ignored = audit(ignore_values=("30", "f", "Ekwador"), ignore_columns=("town", "age"))
    assert frame(ignored, "worst_rows")["leakage"].tolist() == ["full", "", "", ""]
    original = table("id,a\n7,x\n8,y\n")
    scrambled = table("id,a\n8,z\n9,x\n")
    pair = pair_tables(original, scrambled, key="id")
    result = audit_leakage(original, scrambled, settings=LeakageSettings(key="id"))
    assert frame(result, "worst_rows")["row"].tolist() == [2]
    assert frame_of(row_values_table(pair, result.measures, 2)).to_dict("records") == [
        {"column": "a", "original": "y", "scrambled": "z", "equal": False}
    ]
    lines = row_counts_csv(audit().measures).decode("utf-8-sig").splitlines()
    assert lines[0] == '"row","matching_cells","valid_cells","full_leakage"'
    assert lines[1:] == ["1,3,3,true", "2,1,3,false", "3,0,3,false", "4,1,3,false"]


@pytest.mark.slow
def test_distances_table__names_the_holdout_where_there_is_one() -> None:
    with_holdout = audit_leakage(table(ORIGINAL), table(SCRAMBLED), holdout=table(STRANGERS))
    assert len(frame(audit(), "distances")) == 2
    assert frame(with_holdout, "distances")["between"].tolist()[2:] == [
        "Scrambled rows to a sample of the original",
        "Scrambled rows to the hold-out",
    ]
    assert figures(with_holdout)["closer_to_original_share"].value == 1.0


@pytest.mark.slow
def test_notes__state_every_choice() -> None:
    result = audit(ignore_values=("-999",), ignore_columns=("town",), missing_on_both="difference")
    told = "2 columns compared, 1 ignored…-999…is a difference…is a difference…500 random orders, seed 0"
    assert says(comparison_note(result.measures), told)
    assert says(nearest_note(audit().measures), "Exact: 4…4")
    assert says(nearest_note(audit(max_comparisons=24).measures), "sample (seed 0): 2 of 4…4")
    assert set(TOOL.measures) <= set(MEASURES)


@pytest.mark.slow
def test_leakage_report__renders_everywhere_and_holds_no_cell_value() -> None:
    original, scrambled = table(ORIGINAL, "original.csv"), table(SCRAMBLED, "scrambled.csv")
    report = leakage_report(
        audit_leakage(original, scrambled),
        inputs=[input_facts(original, "original"), input_facts(scrambled, "scrambled")],
        created_at=NOW,
    )
    for name in RENDERERS:
        content = render(report, name)
        assert render(report, name) == content
        if name in ("json", "html"):
            assert b"Bydgoszcz" not in content
    document = json.loads(render(report, "json"))
    assert document["verdict"] == "FAIL"
    columns = next(table for table in document["tables"] if table["key"] == "columns")["columns"]
    assert [each["label"] for each in columns] == [
        "Column", "Valid cells", "Matching cells", "Matching share", "By chance", "Excess", "z",
    ]  # fmt: skip
    assert report.settings["Compare rows by"] == "Position in the table"
    assert {figure.measure for figure in report.figures} <= set(TOOL.measures)


def test_found_and_attack_figures__stand_beside_chance_hold_out_or_naive() -> None:
    alone = audit()
    linkage = figures(alone)["linkage_share"]
    assert linkage.threshold.startswith("naive ")
    assert linkage.verdict is None
    held = audit_leakage(table(ORIGINAL), table(SCRAMBLED), holdout=table(STRANGERS))
    assert figures(held)["linkage_share"].threshold.startswith("hold-out ")
    assert figures(held)["membership_auc"].threshold.startswith("95 %: ")
    assert len(frame(held, "attacks")) == 6
    single = audit_leakage(table("a\n1\n2\n"), table("a\n1\n3\n"))
    assert leakage_result(single).group("attacks").figures == ()
    assert len(frame(single, "attacks")) == 0


def test_found_figures__say_what_is_left_without_columns_and_past_spelling() -> None:
    rows = [f"{row},{row * 7 % 30},{'abc'[row % 3]}" for row in range(30)]
    original = "pid,a,b\n" + "\n".join(f"P{row}" for row in rows) + "\n"
    scrambled = "pid,a,b\n" + "\n".join(f"Q{row}".replace("a", "A") for row in rows) + "\n"
    found = figures(audit_leakage(table(original), table(scrambled)))
    assert found["full_leakage_without_columns_share"].value == pytest.approx(2 / 3)
    assert found["n_unique_exact_rows_second_look"].verdict is not None


@pytest.mark.slow
def test_headline_figures__what_failed_does_not_stand_behind_what_held() -> None:
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 100, 500) for _ in range(4)]
    moved = [np.concatenate((each[:5], rng.permutation(each[5:]))) for each in columns]
    original, renamed = (
        "\n".join(["pid,a,b,c,d", *(f"{sign}{n},{','.join(map(str, row))}" for n, row in enumerate(rows))])
        for sign, rows in (("P", zip(*columns, strict=True)), ("Q", zip(*moved, strict=True)))
    )
    first, *_ = in_order(audit_leakage(table(original), table(renamed)))
    assert (first.measure, first.verdict) == ("full_leakage_without_columns_share", Verdict.FAIL)
    first, *_ = in_order(audit_leakage(table(original), table(original)))
    assert (first.measure, first.verdict) == ("full_leakage_share", Verdict.FAIL)
