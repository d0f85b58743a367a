import csv
import io
import json
import math
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath

import numpy as np
import openpyxl
import pandas as pd
import pytest

from core.charts import Chart, chart, field, heatmap, layer
from core.measures import MEASURES
from core.plain import json_value, printable, setting_text
from core.reports import (
    RENDERERS,
    Figure,
    ReportChart,
    ReportTable,
    content_digest,
    csv_bytes,
    current_versions,
    input_facts,
    render,
    render_csv,
    render_html,
    render_json,
    render_xlsx,
)
from core.reports.as_xlsx import cell_text
from core.reports.model import Column, distinct_names, report_stem, sheet_names
from core.tables import read_dataset
from core.verdict import Finding, Verdict
from tests import report_examples as examples
from tests.page_reader import Page
from tests.saying import Saying
from tests.tool_reports import TOOLS, report_of


def workbook(report):
    return openpyxl.load_workbook(io.BytesIO(render_xlsx(report)))


def cells(sheet):
    return [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]


def csv_rows(data: bytes):
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


# ------------------------------------------------------------------------------------------------ JSON


def test_render_json__holds_everything_but_the_charts():
    document = json.loads(render_json(examples.report()))
    assert list(document) == [
        "report_format", "tool", "title", "question", "verdict", "verdicts", "headline", "headline_said",
        "created_at",
        "inputs", "settings", "policy", "figures", "findings", "tables", "limits", "versions",
        "platform", "seeds", "command", "arguments", "result", "digests", "content_digest",
    ]  # fmt: skip
    assert document["verdict"] == "FAIL"
    assert document["verdicts"] == {"Published rule": "WARN", "Second opinion": "FAIL"}
    assert document["created_at"] == "2026-11-20T06:30:00Z"
    assert document["inputs"] == [
        {
            "role": "Original",
            "name": "patients.csv",
            "n_bytes": 12345,
            "sha256": "ab" * 32,
            "reading": "CSV",
            "path": "",
            "options": None,
        }
    ]
    assert document["settings"] == {"k": 5, "Quasi-identifiers": ["age", "zip"], "Diagnosis retention": False}
    assert document["figures"][1] == {
        "measure": "share_k_lt_5",
        "of": "patients.csv",
        "label": "Records in classes smaller than 5 (k < 5)",
        "value": 0.1234,
        "text": "12.3 %",
        "unit": "share",
        "threshold": "",
        "verdict": "WARN",
        "definition": Saying("Records whose combination of quasi-identifiers fewer than five …"),
        "source": "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002",
    }
    assert document["findings"][1] == {
        "check": "unchanged",
        "verdict": "FAIL",
        "column": "FIRST",
        "message": "FIRST is unchanged in 9 of 10 cells.",
        "message_said": None,
        "n_affected": 9,
        "columns": [],
        "remedy": "",
        "remedy_said": None,
    }
    assert document["tables"][0] == {
        "name": "columns",
        "title": "Every column",
        "note": "One line per column.",
        "columns": ["Column", "Status", "unchanged_share", "Cells"],
        "rows": [["FIRST", "FAIL", 0.9, 10], ["ZIP", "WARN", 0.0001, 9], ["AGE", "PASS", None, 8]],
    }


@pytest.mark.parametrize(
    ("value", "text"), [(None, "not assessed"), (math.nan, "not assessed"), (math.inf, "infinite")]
)
def test_render_json__writes_null_and_says_which_kind_of_nothing_it_is(value, text):
    figures = (Figure(measure="k", value=value),)
    figure = json.loads(render_json(examples.report(figures=figures)))["figures"][0]
    assert (figure["value"], figure["text"]) == (None, text)


def test_json_value__turns_anything_into_json():
    assert json_value(
        {
            1: np.int64(3),
            "f": np.float32(0.5),
            "nan": np.nan,
            "na": pd.NA,
            "nat": pd.NaT,
            "inf": -math.inf,
            "set": {"b", "a"},
            "tuple": (1, Verdict.WARN),
            "bool": np.True_,
            "when": datetime(2026, 1, 2, tzinfo=UTC),
            "path": PurePosixPath("a/b"),
            "surrogate": "\udc80",
        }
    ) == {
        "1": 3,
        "f": 0.5,
        "nan": None,
        "na": None,
        "nat": None,
        "inf": None,
        "set": ["a", "b"],
        "tuple": [1, "WARN"],
        "bool": True,
        "when": "2026-01-02T00:00:00+00:00",
        "path": "a/b",
        "surrogate": "\ufffd",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (False, "no"),
        (None, "none"),
        ([], "none"),
        ("", "none"),
        (5, "5"),
        (0, "0"),
        (["a", "b"], "a, b"),
        ({"a": 1, "b": None}, "a: 1; b: none"),
    ],
)
def test_setting_text__writes_settings_for_people(value, text):
    assert setting_text(value) == text


# ------------------------------------------------------------------------------------------------ XLSX


def test_render_xlsx__has_a_summary_findings_limits_and_a_sheet_per_table():
    book = workbook(examples.report())
    assert book.sheetnames == ["Summary", "Findings", "Limits", "columns", "class sizes"]
    said = {str(cell.value) for cell in cells(book["Summary"])}
    assert said >= {
        "AnonAudit report: Verify an anonymized table",
        "Was this table anonymized as its log says?",
        "FAIL",
        "1 of 3 columns fails.",
        "2026-11-20 06:30:00 UTC",
        "Second opinion",
        "patients.csv",
        "12345",
        "ab" * 32,
        "age, zip",
        "no",
        "3.11",
        "Smallest class size (k)",
        "at least 5",
        "not assessed",
        "records",
        "Every column. 3 rows. One line per column",
    }
    assert [cell.value for cell in book["Limits"]["A"]] == [
        "← Summary",
        "What this result cannot tell",
        "It does not know what else is known about these people.",
    ]


def test_render_xlsx__shows_its_whole_title():
    sheet = workbook(examples.report())["Summary"]
    assert not sheet["A1"].alignment.wrap_text
    assert sheet["B1"].value is None


def test_render_xlsx__gives_figures_with_their_definition_and_an_exact_value():
    sheet = workbook(examples.report())["Summary"]
    rows = {row[0]: row for row in sheet.iter_rows(values_only=True)}
    assert rows["Records in classes smaller than 5 (k < 5)"] == (
        "Records in classes smaller than 5 (k < 5)",
        0.1234,
        "share",
        None,
        "WARN",
        "patients.csv",
        MEASURES["share_k_lt_5"].definition,
        "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002",
    )


def test_render_xlsx__puts_the_gravest_finding_first():
    sheet = workbook(examples.report())["Findings"]
    assert list(sheet.iter_rows(min_row=2, values_only=True)) == [
        ("Verdict", "Finding", "Column", "Affected", "Check"),
        ("FAIL", "FIRST is unchanged in 9 of 10 cells.", "FIRST", 9, "unchanged"),
        ("PASS", "The log mentions all 3 columns.", None, None, "log"),
    ]


def test_render_xlsx__says_so_where_there_is_nothing():
    book = workbook(examples.report(findings=(), limits=(), tables=(), figures=()))
    assert book["Findings"]["B3"].value == "No findings."
    assert book["Limits"]["A3"].value == "None stated."
    assert book.sheetnames == ["Summary", "Findings", "Limits"]


def test_render_xlsx__keeps_numbers_numbers_and_leaves_missing_cells_blank():
    sheet = workbook(examples.report())["columns"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["← Summary", None, None, None],
        ["Column", "Status", "unchanged_share", "Cells"],
        ["FIRST", "FAIL", 0.9, 10],
        ["ZIP", "WARN", 0.0001, 9],
        ["AGE", "PASS", None, 8],
    ]
    assert [cell.number_format for cell in sheet["C"][2:4]] == ["0.0 %", '"< 0.1 %"']
    assert sheet.freeze_panes == "A3"
    assert sheet.print_title_rows == "$2:$2"
    assert sheet.auto_filter.ref == "A2:D5"
    assert sheet["A3"].alignment.wrap_text


def test_render_xlsx__blanks_infinite_numbers_and_keeps_integers_that_excel_would_round_as_text():
    frame = pd.DataFrame(
        {"x": [math.inf, -math.inf, -5.0], "n": [10**15, 10**15 + 1, -5], "b": [True, False, True]}
    )
    sheet = workbook(examples.report(tables=(ReportTable(name="t", title="t", frame=frame),)))["t"]
    assert [cell.value for cell in sheet["A"][1:]] == ["x", None, None, -5]
    assert [cell.value for cell in sheet["B"][1:]] == ["n", 10**15, str(10**15 + 1), -5]
    assert [cell.value for cell in sheet["C"][1:]] == ["b", True, False, True]


@pytest.mark.parametrize("formula", [*examples.FORMULAS, "#N/A", "#DIV/0!"])
def test_render_xlsx__stores_every_text_as_text(formula):
    book = workbook(examples.text_report(formula))
    found = [
        cell for sheet in book for cell in cells(sheet) if "1" in str(cell.value) or "#" in str(cell.value)
    ]
    assert found
    assert {cell.data_type for sheet in book for cell in cells(sheet)} <= {"s", "n"}
    assert {type(cell.value) for cell in cells(book.worksheets[3])} == {str}


def test_render_xlsx__marks_formula_text_so_that_editing_keeps_it_text():
    sheet = workbook(examples.text_report("=1+1")).worksheets[3]
    assert (sheet["A2"].value, sheet["A2"].quotePrefix) == ("=1+1", True)
    assert (sheet["B2"].value, sheet["B2"].quotePrefix) == ("other", False)


def test_render_xlsx__leads_from_the_summary_to_every_sheet_and_back():
    tables = tuple(ReportTable(name=name, title="t", frame=pd.DataFrame({"a": [1]})) for name in ("a'b", "c"))
    book = workbook(examples.report(tables=tables))
    summary = book.worksheets[0]
    links = {cell.value: cell.hyperlink.location for cell in cells(summary) if cell.hyperlink}
    assert links == {"Findings": "'Findings'!A1", "Limits": "'Limits'!A1", "a'b": "'a''b'!A1", "c": "'c'!A1"}
    assert {sheet["A1"].hyperlink.location for sheet in book.worksheets[1:]} == {"'Summary'!A1"}


def test_render_xlsx__tints_marked_cells_and_says_their_verdict():
    sheet = workbook(examples.report(tables=(examples.marked_table(),)))["map"]
    assert [cell.value for cell in sheet["B"][2:]] == ["no (FAIL)", "yes"]
    assert sheet["B3"].fill.start_color.rgb.endswith("F9DAD3")
    assert not sheet["B4"].fill.fill_type


def test_render_xlsx__fixes_the_files_own_dates_to_the_reports():
    properties = workbook(examples.report()).properties
    assert properties.created == properties.modified == datetime(2026, 11, 20, 6, 30)
    assert properties.creator == "AnonAudit"


def test_render_xlsx__says_what_a_sheet_cannot_hold(monkeypatch):
    monkeypatch.setattr("core.reports.as_xlsx.LARGEST_SHEET", 5)
    monkeypatch.setattr("core.reports.as_xlsx.WIDEST_SHEET", 1)
    book = workbook(examples.report(tables=(examples.class_sizes_table(7),)))
    assert book["class sizes"].dimensions == "A1:A5"
    assert (
        "Records by class size. 7 rows. First 3 of 7 rows; the CSV and JSON hold all. "
        "First 1 of 2 columns; the CSV and JSON hold all"
    ) in {cell.value for cell in cells(book["Summary"])}


def test_cell_text__cuts_at_what_excel_holds_and_says_so():
    cut = cell_text("x" * 40_000)
    assert len(cut) == 32_767
    assert cut.endswith("x … [cut: the text has 40,000 characters]")
    assert cell_text("x" * 32_767) == "x" * 32_767


def test_cell_text__counts_as_excel_counts_and_never_halves_a_character():
    cut = cell_text("😀" * 20_000)
    assert 32_765 <= len(cut.encode("utf-16-le")) // 2 <= 32_767
    assert cut.startswith("😀😀")
    assert "\ufffd" not in cut


def test_cell_text__removes_what_xml_forbids():
    assert cell_text("a\x00b\x08c\x0bd\ud800e\ufffff\r\ng\rh\ti") == "abcd\ufffdef\ng\nh\ti"
    assert cell_text("_x0041_") == "_x005F_x0041_"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "A", "a"], ["a", "A_2", "a_3"]),
        (["", "[]", "'"], ["Table", "Table_2", "Table_3"]),
        (["History", "summary"], ["History_2", "summary_2"]),
        (["a/b:c*d?e\\f[g]"], ["a b c d e f g"]),
        (["x" * 40, "x" * 40], ["x" * 31, "x" * 29 + "_2"]),
        (["'quoted'"], ["quoted"]),
        (["=A1"], ["=A1"]),
    ],
)
def test_sheet_names__are_what_excel_accepts(names, expected):
    assert sheet_names(names, taken=("Summary",)) == expected


def test_distinct_names__are_what_every_file_system_accepts():
    names = ["../../etc/passwd", "CON", "about", "", "a b", "a:b", "한글"]
    assert distinct_names(names, taken=("about",)) == [
        "etc_passwd", "CON_", "about_2", "table", "a_b", "a_b_2", "한글",
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------- CSV


def test_render_csv__gives_several_tables_as_a_zip_that_explains_itself():
    archive = zipfile.ZipFile(io.BytesIO(render_csv(examples.report())))
    assert archive.namelist() == "about.csv figures.csv findings.csv columns.csv class_sizes.csv".split()
    about = csv_rows(archive.read("about.csv"))
    assert about[:2] == [["Section", "Name", "Text"], ["Report", "Tool", "tabular"]]
    assert ["Input", "SHA-256", "ab" * 32] in about
    assert ["Setting", "Quasi-identifiers", "age, zip"] in about
    assert ["Limit", "", "It does not know what else is known about these people."] in about
    figures = csv_rows(archive.read("figures.csv"))
    assert figures[0] == [
        "Of", "Figure", "Value", "As text", "Unit", "Threshold", "Verdict", "Definition", "Source", "Key",
    ]  # fmt: skip
    assert figures[1][:7] == ["", "Smallest class size (k)", "1", "1", "records", "at least 5", "FAIL"]
    assert figures[3][1:7] == [
        "Records alone in their class (k < 2)", "", "not assessed", "share", "", "NOT ASSESSED",
    ]  # fmt: skip
    findings = csv_rows(archive.read("findings.csv"))
    assert findings[1] == ["FAIL", "FIRST is unchanged in 9 of 10 cells.", "FIRST", "9", "unchanged"]


def test_render_csv__without_tables_still_tells_the_result():
    archive = zipfile.ZipFile(io.BytesIO(render_csv(examples.report(tables=()))))
    assert archive.namelist() == ["about.csv", "figures.csv", "findings.csv"]


@pytest.mark.parametrize("formula", examples.FORMULAS)
def test_csv_bytes__puts_an_apostrophe_before_text_that_would_run(formula):
    rows = csv_rows(csv_bytes(pd.DataFrame({formula: ["safe", formula]})))
    assert rows == [["'" + formula], ["safe"], ["'" + formula]]


def test_csv_bytes__never_damages_numbers():
    frame = pd.DataFrame({"n": [-5, 3], "x": [-0.25, math.inf], "y": [np.nan, -1e-9]})
    assert csv_rows(csv_bytes(frame)) == [["n", "x", "y"], ["-5", "-0.25", ""], ["3", "", "-1e-09"]]


def test_csv_bytes__quotes_what_needs_quoting():
    text = 'a,b;c\t"d"\r\ne'
    assert csv_rows(csv_bytes(pd.DataFrame({"x": [text]}))) == [["x"], [text]]


# ------------------------------------------------------------------------------------------------ HTML


def test_render_html__is_one_file_without_script_or_request():
    data = render_html(examples.report())
    page = Page(data)
    assert not set(page.tags) & {"script", "link", "img", "iframe", "object", "embed", "form", "image"}
    assert not {name for name, _ in page.attributes} & {"src", "xlink:href", "action"}
    links = {value[1:] for name, value in page.attributes if name == "href" if value[0] == "#"}
    assert len(links) >= 6
    assert links <= {value for name, value in page.attributes if name == "id"}
    assert len(links) == len({value for name, value in page.attributes if name == "href"})
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert (
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
    ) in page.attributes
    assert b"http:" not in data
    assert b"https:" not in data
    assert "@import" not in page.style
    assert "url(" not in page.style


def test_render_html__tells_verdicts_by_word_and_symbol():
    text = Page(render_html(examples.report())).text
    assert "✕ FAIL 1 of 3 columns fails." in text
    assert "Published rule! WARN" in text
    assert "Second opinion✕ FAIL" in text
    assert "FAIL means: at least one check failed." in text
    assert "not assessed ? NOT ASSESSED" in text
    marked = Page(render_html(examples.report(tables=(examples.marked_table(),)))).text
    assert "a ✕ no (FAIL) b yes" in marked


@pytest.mark.parametrize("verdict", list(Verdict))
def test_render_html__explains_the_verdict(verdict):
    text = Page(render_html(examples.report(verdict=verdict, headline="Because."))).text
    assert f"{verdict.value.replace('_', ' ')} means: " in text


def test_render_html__says_at_the_front_once_what_the_verdict_says():
    message = "FIRST is unchanged in 9 of 10 cells."
    for headline, n_at_front in (("1 of 3 columns fails.", 1), (f"patients.csv: {message}", 1)):
        front, _ = render_html(examples.report(headline=headline)).decode().split("</header>")
        body = front.split("<body>")[1]
        assert body.count("is unchanged in 9 of 10 cells.") == n_at_front
        assert ("<h2>Findings</h2>" in body) is (message not in headline)


def test_render_html__defines_each_measure_once_and_shows_every_figure():
    figures = tuple(Figure(measure="k", value=value, of=f"file {value}") for value in (1, 2000))
    text = Page(render_html(examples.report(figures=figures))).text
    assert text.count("Number of records in the smallest equivalence class") == 1
    assert text.count("Sweeney, k-anonymity") == 1
    assert "(file 1) 1 record" in text
    assert "(file 2000) 2,000 records" in text
    assert "Threshold" not in text


def test_render_html__draws_charts_as_svg_with_a_text():
    drawn = examples.class_sizes_chart()
    page = Page(render_html(examples.report(charts=(drawn, drawn))))
    assert page.tags.count("svg") == 2
    assert ("aria-labelledby", "chart-1-title") in page.attributes
    assert ("aria-describedby", "chart-2-text") in page.attributes
    assert "11 of 101 records are in small classes." in page.text
    assert "k = 5" in page.text
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_render_html__keeps_clip_paths_of_two_charts_apart():
    points = [{"c0": 1, "c1": 1}, {"c0": 2, "c1": 9}]
    clipped = chart(layer(points, "line", {"clip": True}, x=field("c0:Q"), y=field("c1:Q")), height=100)
    drawn = ReportChart(title="t", chart=clipped, alt_text="t")
    data = render_html(examples.report(charts=(drawn, drawn))).decode()
    page = Page(data.encode())
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    clips = {value for name, value in page.attributes if name == "clip-path"}
    assert len(clips) == 2
    assert clips <= {f"url(#{id_})" for id_ in ids}


def test_render_html__draws_a_gradient_the_same_way_every_time():
    cells = pd.DataFrame({"a": ["x", "y"], "b": ["1", "1"], "v": [0.1, 0.9]})
    drawn = heatmap(cells, x="a", y="b", value="v", x_title="A", y_title="B", value_title="V")
    report = examples.report(charts=(ReportChart(title="t", chart=drawn, alt_text="t"),) * 2)
    first = render_html(report)
    page = Page(first)
    assert page.tags.count("lineargradient") == 2
    ids = {value for name, value in page.attributes if name == "id"}
    filled = {value for name, value in page.attributes if name == "fill" and value.startswith("url(")}
    assert len(filled) == 2
    assert filled <= {f"url(#{id_})" for id_ in ids}
    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(lambda _: render_html(report), range(6))) == {first}


def test_render_html__never_fetches_a_charts_data():
    bars = {"mark": "bar", "encoding": {"x": field("a:Q")}}
    drawn = Chart({"data": {"url": "https://example.invalid/data.json"}, **bars, "height": 9}, {})
    with pytest.raises(ValueError, match="External data url not allowed"):
        render_html(examples.report(charts=(ReportChart(title="t", chart=drawn, alt_text="t"),)))


def test_render_html__says_where_a_long_or_wide_table_was_cut():
    wide = pd.DataFrame({f"column {number}": range(60) for number in range(20)})
    tables = (examples.class_sizes_table(1234), ReportTable(name="w", title="Wide", frame=wide))
    page = Page(render_html(examples.report(tables=tables)))
    assert "First 25 of 1,234 rows; the XLSX holds all." in page.text
    assert "First 25 of 60 rows and first 14 of 20 columns; the XLSX holds all." in page.text
    assert "column 14" not in page.text
    assert page.tags.count("tr") < 130


def test_render_html__shows_shares_as_percent_and_missing_as_a_dash():
    frame = pd.DataFrame(
        {"a_share": [0.5, 0.0001], "part": [1.0, np.nan], "x": [1.5, -2.0], "y": [True, False]}
    )
    units = {"a_share": "share", "part": "risk"}
    columns = tuple(Column(name, name, units.get(name)) for name in frame)
    table = ReportTable(name="t", title="t", frame=frame, columns=columns)
    text = Page(render_html(examples.report(tables=(table,)))).text
    assert "a_share part x y 50.0 % 100 % 1.500 yes < 0.1 % – -2 no" in text


def test_render_html__shortens_long_texts_and_says_so():
    frame = pd.DataFrame({"a": ["y" * 5000]})
    text = Page(render_html(examples.report(tables=(ReportTable(name="t", title="t", frame=frame),)))).text
    assert "y" * 600 + " … [5,000 characters; the XLSX holds more]" in text
    assert "y" * 601 not in text


def test_render_html__says_so_where_there_is_nothing():
    bare = examples.report(
        figures=(),
        findings=(),
        tables=(),
        charts=(),
        limits=(),
        inputs=(),
        settings={},
        versions={},
        verdicts={},
    )
    text = Page(render_html(bare)).text
    assert "No findings." in text
    for heading in ("Definitions", "Tables", "What this result cannot tell"):
        assert heading not in text
    empty = ReportTable(name="t", title="Empty one", frame=pd.DataFrame({"a": []}))
    assert "Empty one No rows." in Page(render_html(examples.report(tables=(empty,)))).text


def test_render_html__prints_on_a4_with_repeated_headers_and_whole_rows():
    style = Page(render_html(examples.report())).style
    assert "size: A4" in style
    printed = style[style.index("@media print") :]
    assert "thead { display: table-header-group; }" in printed
    assert "tr, figure, .verdict, dt, dd, li, nav { break-inside: avoid; }" in printed
    assert "prefers-color-scheme: dark" in style


@pytest.mark.parametrize("text", examples.HOSTILE)
def test_render_html__shows_hostile_text_as_typed(text):
    page = Page(render_html(examples.text_report(text)))
    harmless = Page(render_html(examples.text_report("harmless")))
    same = "li" if text else ""  # an empty text may leave out a note, never add anything
    assert set(page.tags) <= set(harmless.tags) | {same}
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert all(value[0] == "#" for name, value in page.attributes if name == "href")
    assert " ".join(printable(text)[:600].split()) in page.text


# ------------------------------------------------------------------------- names, versions, registry


def test_report_stem__holds_tool_time_and_digest():
    assert (
        report_stem("tabular", examples.CREATED_AT, "abcdef0123")
        == "anonaudit_tabular_20261120T063000Z_abcdef01"
    )


def test_report_stem__is_safe_whatever_the_tool_is_called():
    name = report_stem('../a b:c"<>|?*\x00', examples.CREATED_AT, "ab")
    assert name == "anonaudit_a_b_c_20261120T063000Z_ab"


def test_content_digest__ignores_the_time_alone():
    assert content_digest(examples.report()) == content_digest(
        examples.report(created_at=examples.CREATED_AT + timedelta(days=1))
    )
    assert content_digest(examples.report()) != content_digest(examples.report(settings={"k": 6}))


def test_reports__state_the_time_in_utc():
    seoul = datetime(2026, 11, 20, 15, 30, 0, 999, tzinfo=timezone(timedelta(hours=9)))
    assert render_html(examples.report(created_at=seoul)) == render_html(examples.report())
    naive = datetime(2026, 11, 20, 6, 30)
    assert render_json(examples.report(created_at=naive)) == render_json(examples.report())


def test_renderers__offer_four_formats_that_render_uses():
    assert list(RENDERERS) == ["html", "xlsx", "csv", "json"]
    report = examples.report()
    for format_, renderer in RENDERERS.items():
        assert render(report, format_) == renderer.function(report)
    assert render(report, "xlsx")[:2] == b"PK"
    assert render(report, "html").startswith(b"<!doctype html>")


def test_current_versions__names_what_computes():
    versions = current_versions()
    assert {"anonaudit", "python", "pandas", "pyarrow"} <= set(versions)
    assert versions["pandas"] == pd.__version__


def test_input_facts__describe_a_data_set():
    dataset = read_dataset(b"a,b\n1,2\n", name="x.csv")
    facts = input_facts(dataset, "Original")
    assert (facts.role, facts.name, facts.n_bytes) == ("Original", "x.csv", 8)
    assert facts.sha256 == dataset.sha256
    assert facts.reading.startswith("CSV")


def test_findings__keep_their_order_within_a_verdict():
    findings = tuple(
        Finding(check=str(number), verdict=Verdict.WARN, message=f"message {number}") for number in range(5)
    )
    text = Page(render_html(examples.report(findings=findings))).text
    positions = [text.index(f"message {number}") for number in range(5)]
    assert positions == sorted(positions)


@pytest.mark.parametrize("tool", TOOLS)
def test_render_html__cuts_no_legend_off_a_chart(tool: str) -> None:
    """What stands above a plot, legends among it, has the room that the plot is moved down by."""
    page = render_html(report_of(tool)).decode()
    for drawn in re.findall(r"<svg viewBox.*?</svg>", page, re.DOTALL):
        moved = re.search(r'stroke-miterlimit="10" transform="translate\([\d.]+,([\d.]+)\)"', drawn)
        assert moved is not None
        legends = re.findall(r'translate\(-?[\d.]+,(-[\d.]+)\)"><path d="M0,0h\d+v\d+h', drawn)
        assert all(float(moved[1]) + float(top) >= 0 for top in legends)
