"""Tables, sentences, charts and the report of a risk audit."""

from collections import Counter
from datetime import UTC, datetime
from functools import cache

import numpy as np
import pandas as pd
import pytest

from core.charts import described
from core.demo import RISK as DEMOS
from core.demo import demo_file
from core.people.roles import suggest_roles
from core.reports import RENDERERS, input_facts, render
from core.reports.model import said_frame
from core.result import Group, Note
from core.risk import (
    ColumnsMeasurement,
    RiskAudit,
    RiskSettings,
    RiskThresholds,
    WhatIfSettings,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
    search_what_if,
    suda_note,
    suggested_settings,
    what_if_note,
)
from core.risk.charts import class_drawing, intruders_drawing, people_drawing
from core.risk.columns import singling_out_sets
from core.risk.evidence import worst_classes_table
from core.risk.intruders import intruders
from core.risk.report import risk_report
from core.risk.result import (
    TOOL,
    columns_group,
    compared_group,
    disclosure_group,
    risk_result,
    sets_note,
    special_uniques_group,
    unchosen_group,
)
from core.risk.suda import Suda, class_combinations
from core.verdict import Verdict
from pages.measure.risk_parts.settings import roles_note, roles_table
from tests.cases.table import holds_for_each, says
from tests.checked_charts import checked
from tests.one_json import document_of
from tests.risk_examples import DISEASE, PEOPLE, POPULATION, judged, measured, table
from tests.saying import Saying

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOTHING = "age,sex,x\n*,,1\n"


def _said(group: Group, place: int = 0) -> pd.DataFrame:
    """Return a table of a group as people read it."""
    return said_frame(group.tables[place])


def _against_population() -> RiskAudit:
    return judged(population=POPULATION, **DISEASE)


def _suda(**options: object) -> Suda:
    at_work = {name: options.pop(name) for name in ("stop",) if name in options}
    suda = measure_special_uniques(measured(PEOPLE, **options), table(PEOPLE), **at_work)
    assert suda is not None
    return suda


def test_intruders__speak_of_people_found_for_certain() -> None:
    prosecutor, journalist, marketer = intruders(judged())
    assert prosecutor.risk == 1.0
    assert prosecutor.wants == Saying("Knows these 2 facts about somebody (`age`, `sex`), and that the …")
    assert prosecutor.finds == Saying("Finds 1 of 6 records (16.7 %) for certain: … 50.0 % … 100 % …")
    assert (journalist.risk, marketer.risk) == (None, None)
    assert journalist.finds == Saying("Not assessed: … At most it is the prosecutor's 100 %.")
    assert marketer.finds == Saying("Not assessed: give a table of the population or its size. … 50.0 % …")
    prosecutor, journalist, _ = intruders(judged(NOTHING))
    assert (prosecutor.risk, prosecutor.finds) == (None, "No record is assessed.")
    assert journalist.finds == "Not assessed: give a table of the population or its size."


PERSONS = "age,who\n2,a\n2,b\n2,b\n"
SQUARES = (  # a table, the title, and squares of a hundred: the part, how dark, how many
    (
        "age\n1\n" + "2\n" * 2 + "3\n" * 5,
        "13 are found for certain",
        {
            ("found for certain: 1 of 8 records", 1.0): 13,
            ("in a group of fewer than 5: 2 of 8 records", 1.0): 25,
            ("in a group of 5 or more: 5 of 8 records", 1.0): 62,
        },
    ),
    (
        "age\n1\n" + "2\n" * 499,  # fewer than one of a hundred is a paler square
        "fewer than 1 is found for certain: 1 of 500 records",
        {
            ("found for certain: 1 of 500 records", 0.45): 1,
            ("in a group of 5 or more: 499 of 500 records", 1.0): 99,
        },
    ),
    (PERSONS, "nobody is found for certain", {("in a group of fewer than 5: 2 of 2 persons", 1.0): 100}),
)


def test_people_chart__has_a_square_for_each_of_a_hundred() -> None:
    def holds(text: str, title: str, squares: dict[tuple[str, float], int]) -> None:
        (chart,) = people_drawing(judged(text, quasi="age", person="who" if text == PERSONS else None))
        (rows,) = checked(chart.chart())["datasets"].values()
        assert chart.title == f"Of 100 people, {title}"
        assert Counter((row["part"], row["opacity"]) for row in rows) == squares

    holds_for_each(SQUARES, holds)


def test_roles_note__counts_columns_by_role() -> None:
    settings = RiskSettings(quasi_identifiers=("a", "b"), sensitive=("c",), direct_identifiers=("d",))
    assert roles_note(settings) == (
        "Roles, confirmed: 2 quasi-identifiers, 1 sensitive attribute, 1 direct identifier. Edit them"
    )


def test_intruders__against_a_population() -> None:
    _, journalist, marketer = intruders(_against_population())
    assert journalist.finds == Saying(
        "In the population of 13 … has 2 people; … right with 50.0 %. 0 records …"
    )
    assert marketer.finds == "Expects 29.2 % of the matches to be right: about 2 of 6 records."
    assert marketer.risk == pytest.approx(1.75 / 6)
    _, estimated, bound = intruders(judged(population_size=33))
    assert estimated.finds == Saying(
        "Of the population only the size is known (33), so … at most 100 %. Of 1 unique record about 0 are …"
    )
    assert bound.finds == Saying("At most 50.0 % of the matches are right, as of somebody known to be in…")
    everybody = judged("age\n30\n30\n", quasi="age", population_size=4)
    nobody, bound, _ = intruders(everybody)
    assert (nobody.finds, nobody.wants) == (
        Saying("Finds nobody for certain.…"),
        Saying("Knows this fact about somebody (`age`)…"),
    )
    assert bound.finds.endswith("is right with at most 50.0 %.")
    persons = intruders(judged("age,who\n30,a\n30,a\n40,b\n40,c\n", quasi="age", person="who"))[0]
    assert persons.finds.startswith("Finds 1 of 3 persons (33.3 %) for certain: it is alone in a group.")


def test_roles_table__has_a_row_per_column_in_the_tables_order() -> None:
    people = table(PEOPLE)
    suggested = suggest_roles(people.table)
    roles_of = {each.column: each.role.value for each in suggested}
    roles = roles_table(suggested, {column: roles_of[column] for column in people.columns})
    assert roles["column"].tolist() == ["age", "sex", "disease", "salary"]
    assert roles["role"].tolist()[:3] == ["quasi-identifier", "quasi-identifier", "sensitive attribute"]
    assert roles["n_distinct"].tolist() == [3, 2, 3, 6]


def test_disclosure_table__writes_infinite_and_counts() -> None:
    frame = _said(disclosure_group(measured(sensitive=("disease", "salary"))))
    rows = frame.set_index("Figure")
    assert rows.loc["Bound on c at ℓ = 2"].tolist() == ["infinite", "infinite"]
    assert rows.loc["Groups with one value"].tolist() == ["2", "1"]
    assert rows.loc["Records in groups with one value"].tolist() == ["3", "1"]
    assert rows.loc["Distance between values"].tolist() == ["equal", "ordered"]
    assert disclosure_group(measured()).parts == ()


def test_worst_classes__are_masked_until_revealed() -> None:
    found = measured(sensitive=("disease",))
    masked = said_frame(worst_classes_table(found, table(PEOPLE)))
    assert masked.to_dict("list") == {
        "Size in records": [1, 2, 3],
        "age": ["99", "99", "99"],
        "sex": ["A", "A", "A"],
        "Different values of disease": [1, 1, 2],
    }
    shown = said_frame(worst_classes_table(found, table(PEOPLE), reveal=True))
    assert shown["age"].tolist() == ["50", "40", "30"]


def test_class_size_shares__hold_the_usual_sizes_and_k() -> None:
    (table,) = risk_result(judged(k=4)).group("sizes").tables
    below, records, shares = zip(*table.cells(), strict=True)
    assert below == (2, 3, 4, 5, 11, 20)
    assert records == (1, 3, 6, 6, 6, 6)
    assert shares[:2] == pytest.approx([1 / 6, 3 / 6])


def test_charts__say_what_they_show() -> None:
    (chart,) = class_drawing(judged(k=3))
    assert chart.alt == Saying("Histogram … 3 of 6 records (50.0 %) are in groups smaller than 3.")
    drawn = checked(chart.chart())
    rows = drawn["datasets"].values()
    assert any([row.get("cumulative") for row in data] == pytest.approx([1 / 6, 3 / 6, 1.0]) for data in rows)
    assert drawn["layer"][-1]["encoding"]["y"]["axis"]["orient"] == "right"
    (bars,) = intruders_drawing(_against_population())
    told = described(checked(bars.chart()))
    figures = "Prosecutor, highest, 100 %; Prosecutor, average, 50.0 %; …, 50.0 %; …, 29.2 %"
    assert says(told, f"{figures}…Threshold: at most 1 / 5.")
    nothing = judged(NOTHING)
    assert class_drawing(nothing) == intruders_drawing(nothing) == ()
    (of_persons,) = class_drawing(judged("age,who\n30,a\n30,b\n", quasi="age", person="who"))
    assert of_persons.title == "Records by group size, sizes in persons"


def test_headline__is_the_worst_reason() -> None:
    assert risk_result(judged(k=2)).headline == Saying("1 of 6 persons (16.7 %) shares … with nobody…")
    passing = judged("age,disease\n" + "30,flu\n30,cold\n" * 3, quasi="age", **DISEASE)
    assert passing.overall is Verdict.PASS
    assert risk_result(passing).headline == Saying("Every combination … at least 6 records; 5 are asked for.")


@cache
def _demo_audits() -> tuple[RiskAudit, RiskAudit]:
    released = table(demo_file("risk", "demo_patients_released.csv").data.decode(), "released.csv")
    original = table(demo_file("risk", "demo_patients.csv").data.decode(), "patients.csv")
    settings = RiskSettings(quasi_identifiers=("age", "sex", "town"), sensitive=("diagnosis",))
    audit = judge_risk(
        measure_risk(released, settings=settings, original=original),
        RiskThresholds(k=5, l=2, entropy_l=1.5, t=0.5, average_risk=0.2),
    )
    return audit, judge_risk(measure_risk(original, settings=suggested_settings(original)))


@pytest.mark.slow
def test_report__renders_in_every_format_without_cell_values() -> None:
    audit, other = _demo_audits()
    facts = (input_facts(table(PEOPLE), "table"),)
    report = risk_report(audit, inputs=facts, created_at=NOW, other=other)
    assert report.verdict is audit.overall
    assert report.verdicts == {"Thresholds": audit.verdict, "Beyond the thresholds": audit.exposure_verdict}
    names = [
        "Small classes",
        "Attribute disclosure",
        "Intruders",
        "Further columns",
        "Changes",
        "Side by side",
    ]
    assert [each.name for each in report.tables] == [*names, "Class sizes", "Sensitive"]
    html = render(report, "html").decode()
    assert "HIV infection" not in html
    assert "Three intruders" in html
    assert all(len(render(report, name)) > 1000 for name in RENDERERS)
    alone = risk_report(judged(), inputs=(), created_at=NOW)
    assert [each.name for each in alone.tables] == [
        "Small classes",
        "Intruders",
        "Further columns",
        "Unchosen columns",
        "Class sizes",
    ]
    assert risk_result(judged()).group("compared").parts == ()


@pytest.mark.slow
def test_report__holds_the_searches_that_were_made() -> None:
    people, audit = table(PEOPLE), judged(k=2)
    suda = measure_special_uniques(audit.measurement, people)
    asked = WhatIfSettings(ks=(2,), suppression_limit=0.2)
    what_if = search_what_if(audit.measurement, people, settings=asked)
    described = {"inputs": [input_facts(people, "table")], "created_at": NOW}
    report = risk_report(audit, **described, suda=suda, what_if=what_if)
    tables = {each.key: each for each in report.tables}
    uniques, searched, chosen = (tables[key] for key in ("special_uniques", "what_if", "generalization"))
    assert [each.name for each in (uniques, searched, chosen)] == [
        "Special uniques",
        "What if",
        "Generalization",
    ]
    assert (uniques.note, searched.note) == (suda_note(suda), what_if_note(what_if))
    assert chosen.title.startswith("What happens to each quasi-identifier: k = 2: ")
    assert [each.title for each in report.charts][-3:] == [
        "What the scores come from",
        "Loss against risk",
        "The lattice around the chosen generalization",
    ]
    assert "What if columns were made coarser" in render(report, "html").decode()
    assert len(render(report, "xlsx")) > 1000
    assert "Special uniques" in render(report, "json").decode()
    nothing = search_what_if(audit.measurement, people, settings=WhatIfSettings(ks=(50,)))
    report = risk_report(audit, **described, what_if=nothing)
    (said,) = (each for each in report.tables if each.key == "what_if_result")
    assert said.cells() == [(what_if_note(nothing),)]


def test_first_figures__show_what_is_judged() -> None:
    audit, _ = _demo_audits()
    figures = {figure.measure: figure for figure in risk_result(audit).group("first").figures}
    assert figures["k"].threshold == "at least 5"
    assert figures["distinct_l"].threshold == "at least 2"
    assert figures["t"].verdict is not None
    assert figures["prosecutor_average_risk"].threshold == "at most 20.0 %"
    persons = risk_result(judged("age,who\n30,a\n30,b\n", quasi="age", person="who")).group("first")
    assert persons.figures[1].measure == "persons_at_risk_share"


def test_side_by_side__lists_figures_of_both_tables() -> None:
    audit, other = _demo_audits()
    frame = _said(compared_group(audit, other), 1)
    assert list(frame.columns) == ["Figure", "released.csv", "patients.csv"]
    smallest = frame.set_index("Figure").loc["Smallest group size (k)"]
    assert int(smallest["released.csv"]) >= int(smallest["patients.csv"]) == 1
    twice = _said(compared_group(audit, audit), 1)
    assert list(twice.columns) == ["Figure", "released.csv", "released.csv (second)"]


def test_demos__show_what_they_say() -> None:
    assert [demo.key for demo in DEMOS] == ["untouched", "generalized"]
    assert set(DEMOS[1].make()) == {"table", "original"}
    audit, other = _demo_audits()
    assert (other.figures["sample_unique_share"] or 0) > 0.5
    assert (audit.figures["sample_unique_share"] or 1) < 0.05


# ---------------------------------------------------------------------------------------------- columns


def _columns(text: str = PEOPLE, **settings: object) -> ColumnsMeasurement:
    found = measure_columns(measured(text, **settings), table(text))
    assert found is not None
    return found


SIX = "age,sex\n" + "".join(f"{age},{'FM'[age % 2]}\n" for age in (30, 31, 32, 33, 30, 31))


def test_columns__say_which_one_makes_records_unique() -> None:
    group = columns_group(measured(SIX), _columns(SIX))
    names, gained, alone, distinction, _ = zip(*group.tables[0].cells(), strict=True)
    assert names == ("age", "sex")
    assert gained == pytest.approx([2 / 6, 0])
    assert alone == pytest.approx([2 / 6, 0])
    assert distinction == pytest.approx([4 / 6, 2 / 6])
    told = described(checked(group.drawings[0].chart()))
    assert told.endswith("Records that would not be unique without it (%): age, 33.3 %; sex, 0 %.")


def test_sets_note__says_what_was_searched() -> None:
    assert sets_note(_columns(SIX)) == Saying("No set of the quasi-identifiers, not even all, …")
    assert len(columns_group(measured(SIX), _columns(SIX)).tables) == 1
    one = "age,sex\n30,F\n31,M\n32,F\n"
    assert sets_note(_columns(one)) == Saying("`age` alone singles out 100 % of the records, and …")
    two = "a,b,c\n1,1,1\n1,2,2\n2,1,2\n2,2,1\n"
    assert sets_note(_columns(two, quasi="a,b,c")) == Saying(
        "`a`, `b` together single out 100 % of the records, and no … 2 other …"
    )
    found = _said(columns_group(measured(two, quasi="a,b,c"), _columns(two, quasi="a,b,c")), 1)
    assert found["Columns"].tolist() == ["a, b", "a, c", "b, c"]


def test_sets_note__says_where_the_search_was_bounded() -> None:
    rows = np.random.default_rng(3).integers(0, 6, (40, 4))
    text = "a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    combinations = class_combinations(measured(text, quasi="a,b,c,d"), table(text))
    bounded = ColumnsMeasurement(contributions=(), sets=singling_out_sets(combinations, max_cells=1))
    assert bounded.sets.method == "greedy"
    assert sets_note(bounded).endswith(
        "All sets of up to 1 column were looked at and do not single out more than half; this larger one was "
        "grown column by column, so a smaller one may exist."
    )


def test_suda__says_how_few_values_single_records_out() -> None:
    suda = _suda()
    # Only (50, F) is unique, by its age alone.
    assert suda_note(suda) == Saying(
        "1 of 6 records has a set of up to 2 values … 1 of 1 value, 0 of 2 values. DIS-SUDA, …"
    )
    group = special_uniques_group(suda, file="people.csv")
    assert _said(group)["Column"].tolist() == ["age", "sex"]
    told = described(checked(group.drawings[0].chart()))
    assert told.endswith("Part of all scores (%); sets have several columns: age, 100 %; sex, 0 %.")
    records = _said(group, 1)
    assert records["Record of people.csv"].tolist() == [6]
    assert records["Mostly because of"].tolist() == ["age"]
    assert "DIS-SUDA" not in records
    suda = _suda(population_size=60)  # with a sampling fraction
    # U = 1 unique, P = 2 records in pairs, π = 0.1: DIS = 0.1 / (0.1 + 2 · 0.9).
    assert suda.dis_of_record is not None
    assert suda.dis_of_record.max() == pytest.approx(0.1 / 1.9)
    records = _said(special_uniques_group(suda, file="people.csv"), 1)
    assert records["DIS-SUDA"].tolist() == pytest.approx([0.1 / 1.9])
    assert "DIS-SUDA" not in suda_note(suda)


def test_suda__says_what_was_not_searched() -> None:
    def first_set(n_done: int, n_sets: int) -> bool:
        assert n_done <= n_sets == 3  # {age}, {sex}, {age, sex}
        return True

    stopped = _suda(population_size=60, stop=first_set)
    assert (stopped.max_size, stopped.was_stopped, len(stopped.scored_records)) == (0, True, 0)
    assert suda_note(stopped) == Saying(
        "No set of values was searched. The search was stopped before … 1 were …"
    )
    later = _suda(stop=lambda done, _: done == 2)
    assert "stopped before all sets of 2 were looked at; only sets of up to 1 were" in suda_note(later)
    assert measure_columns(measured(NOTHING), table(NOTHING)) is None
    assert measure_special_uniques(measured(NOTHING), table(NOTHING)) is None


def test_document__holds_columns_sets_and_suda() -> None:
    document = document_of(TOOL, risk_result(judged(), columns=_columns(), suda=_suda()))
    assert document["columns"][0]["column"] == "age"
    assert document["columns"][0]["unique_share_gained"] == pytest.approx(1 / 6)
    assert "singling_out_sets" not in document  # there is none
    assert [each["n_sets"] for each in document["unique_sets"]] == [1, 0]
    assert document["special_uniques"][0] == {"column": "age", "suda_contribution_share": 1.0}
    assert document["dis_suda"] is None  # the share of the population is not known
    assert "what_if" not in document


def _noted(group: Group) -> list[str]:
    return [part.words for part in group.parts if isinstance(part, Note)]


def test_side_by_side__says_which_columns_the_other_lacks() -> None:
    audit = judged(original=PEOPLE)
    assert _noted(compared_group(audit, judged(quasi="sex,age"))) == []
    assert _noted(compared_group(audit, judged(quasi="age"))) == [
        Saying("The second table has no `sex`: its groups are formed over …")
    ]
    assert _noted(compared_group(audit, None)) == [Saying("The second table has none of the …")]


def test_against_population__shows_every_figure_and_which_model_was_taken() -> None:
    audit = judged(population_size=60)
    group = risk_result(audit).group("population")
    found = {figure.measure: figure.value for figure in group.figures}
    assert found["population_size"] == 60
    assert found["k_map"] == 1
    assert {"population_unique_share", "population_uniques_zayatz", "marketer_risk"} <= set(found)
    (note,) = _noted(group)
    assert "which the usual decision rule takes for a table that holds 10.0 % of the population" in note
    assert risk_result(judged()).group("population").parts == ()


def test_tables__name_a_column_called_as_one_of_ours() -> None:
    text = "Size in records,sex\nAna,F\nRok,M\n"
    masked = said_frame(worst_classes_table(measured(text, quasi="Size in records,sex"), table(text)))
    assert masked.columns.tolist() == ["Size in records", "Size in records (column)", "sex"]
    assert masked.to_numpy().tolist() == [[1, "AAA", "A"], [1, "AAA", "A"]]
    figures = measured("age,Figure\n30,flu\n30,cold\n", quasi="age", sensitive=("Figure",))
    frame = _said(disclosure_group(figures))
    assert frame.columns.tolist() == ["Figure", "Figure (column)"]
    assert frame.set_index("Figure").loc["Different values in the table", "Figure (column)"] == "2"


def test_unchosen_sets__are_a_table_with_how_they_were_searched() -> None:
    rows = "".join(f"30,{n},{n % 7},x\n" for n in range(20))
    found = judged("age,a,b,c\n" + rows, quasi="age")
    joined_with, sets = unchosen_group(found).tables
    assert joined_with.cells() == [("a", 1.0, 1.0), ("b", 1.0, 0.0), ("a, b", 1.0, 1.0)]
    assert sets.cells() == [("a", 1.0)]
    assert sets.note == Saying(
        "The 3 released columns that nobody has marked …, … 100 % … 20 records … 3 columns:"
    )
    few = judged("age,b\n30,1\n30,1\n30,2\n", quasi="age")
    assert unchosen_group(few).empty == Saying(
        "`b`, which nobody has marked …, singles out 33.3 % of the records; …"
    )
    all_chosen = judged("age\n30\n", quasi="age")
    assert unchosen_group(all_chosen).parts == ()
    assert unchosen_group(all_chosen).empty == "Every released column was chosen for something."
