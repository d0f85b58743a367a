import csv
import io
import json
import math
import re
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import PurePosixPath

import numpy as np
import openpyxl
import pandas as pd
import pytest

from core.charts import alt, heatmap, layered
from core.files.plain_text import json_value, printable, setting_text
from core.measures import MEASURES
from core.reports import (
    RENDERERS,
    Figure,
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
from core.reports.model import distinct_names, report_stem, said_frame, sheet_names
from core.result import Col, Drawing, Table
from core.tables import read_dataset
from core.verdict import Finding, Verdict
from tests import report_examples as examples
from tests.page_reader import Page
from tests.saying import Saying
from tests.tool_reports import TOOLS, report_of


def workbook(report):
    return openpyxl.load_workbook(io.BytesIO(render_xlsx(report)))


def page_of(**changes):
    return Page(render_html(examples.report(**changes)))


def cells(sheet):
    return [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]


def csv_rows(data: bytes):
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


# ------------------------------------------------------------------------------------------------ JSON


def test_render_json__holds_everything_but_the_charts():
    document = json.loads(render_json(examples.report()))
    assert list(document) == [
        "report_format", "tool", "kind", "title", "question", "verdict", "overall", "verdicts", "is_whole",
        "headline", "headline_said", "created_at", "inputs", "settings", "settings_said", "policy", "figures",
        "measures", "findings", "tables", "files", "limits", "versions", "platform", "seeds", "command",
        "arguments", "k", "share_k_lt_2", "digests", "content_digest",
    ]  # fmt: skip
    assert document["verdict"] == "FAIL"
    assert document["verdicts"] == {"Published rule": "WARN", "Second opinion": "FAIL"}
    assert document["created_at"] == "2026-11-20T06:30:00Z"
    assert document["inputs"] == [
        {
            "role": "Original", "name": "patients.csv", "n_bytes": 12345, "sha256": "ab" * 32,
            "reading": "CSV", "path": "", "options": None,
        }
    ]  # fmt: skip
    assert document["settings_said"] == {
        "k": 5,
        "Quasi-identifiers": ["age", "zip"],
        "Diagnosis retention": False,
    }
    assert document["figures"][1] == {
        "measure": "share_k_lt_5", "of": "patients.csv", "value": 0.1234, "total": None, "text": "12.3 %",
        "threshold": "", "verdict": "WARN",
    }  # fmt: skip
    assert (document["k"], document["share_k_lt_2"], "share_k_lt_5" in document) == (1, None, False)
    assert document["measures"]["share_k_lt_5"] == {
        "label": "Records in groups smaller than 5 (k < 5)", "unit": "share",
        "definition": Saying("Records whose combination of quasi-identifiers fewer than five …"),
        "source": "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002",
    }  # fmt: skip
    assert document["findings"][1] == {
        "check": "unchanged", "verdict": "FAIL", "column": "FIRST", "columns": [], "n_affected": 9,
        "message": "FIRST is unchanged in 9 of 10 cells.", "message_said": None,
        "remedy": "", "remedy_said": None,
    }  # fmt: skip
    assert document["tables"][0] == {
        "name": "columns", "title": "Every column", "note": "One line per column.", "key": "",
        "columns": ["Column", "Status", "unchanged_share", "Cells"],
        "rows": [["FIRST", "FAIL", 0.9, 10], ["ZIP", "WARN", 0.0001, 9], ["AGE", "PASS", None, 8]],
    }  # fmt: skip
    for value, text in ((None, "not assessed"), (math.nan, "not assessed"), (math.inf, "infinite")):
        figures = (Figure(measure="k", value=value),)
        figure = json.loads(render_json(examples.report(figures=figures)))["figures"][0]
        assert (figure["value"], figure["text"]) == (None, text)


def test_json_value__turns_anything_into_json_and_setting_text_into_words_for_people():
    for value, written in (
        (np.int64(3), 3), (np.float32(0.5), 0.5), (np.nan, None), (pd.NA, None), (pd.NaT, None),
        (-math.inf, None), ({"b", "a"}, ["a", "b"]), ((1, Verdict.WARN), [1, "WARN"]), (np.True_, True),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"), (PurePosixPath("a/b"), "a/b"),
        ("\udc80", "\ufffd"),
    ):  # fmt: skip
        assert json_value({1: value, "in": [value]}) == {"1": written, "in": [written]}
        assert type(json_value(value)) is type(written)
    for value, text in (
        (True, "yes"), (False, "no"), (None, "none"), ([], "none"), ("", "none"), (5, "5"), (0, "0"),
        (["a", "b"], "a, b"), ({"a": 1, "b": None}, "a: 1; b: none"),
    ):  # fmt: skip
        assert setting_text(value) == text


# ------------------------------------------------------------------------------------------------ XLSX


def test_render_xlsx__has_a_summary_findings_limits_and_a_sheet_per_table():
    book = workbook(examples.report())
    assert book.sheetnames == ["Summary", "Findings", "Limits", "columns", "group sizes"]
    sheet = book["Summary"]
    assert {str(cell.value) for cell in cells(sheet)} >= {
        "AnonAudit report: Verify an anonymized table", "Was this table anonymized as its log says?", "FAIL",
        "1 of 3 columns fails.", "2026-11-20 06:30:00 UTC", "Second opinion", "patients.csv", "12345",
        "ab" * 32, "age, zip", "no", "3.11", "Smallest group size (k)", "at least 5", "not assessed",
        "records", "Every column. 3 rows. One line per column",
    }  # fmt: skip
    assert not sheet["A1"].alignment.wrap_text  # its title is shown whole
    assert sheet["B1"].value is None
    label = "Records in groups smaller than 5 (k < 5)"
    source = "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"
    (row,) = [row for row in sheet.iter_rows(values_only=True) if row[0] == label]
    definition = MEASURES["share_k_lt_5"].definition
    assert row == (label, 0.1234, "share", None, "WARN", "patients.csv", definition, source)
    assert list(book["Findings"].iter_rows(min_row=2, values_only=True)) == [  # the gravest first
        ("Verdict", "Finding", "Column", "Affected", "Check"),
        ("FAIL", "FIRST is unchanged in 9 of 10 cells.", "FIRST", 9, "unchanged"),
        ("PASS", "The log mentions all 3 columns.", None, None, "log"),
    ]
    limits = [cell.value for cell in book["Limits"]["A"]]
    assert limits[:2] == ["← Summary", "What this result cannot tell"]
    assert limits[2:] == ["It does not know what else is known about these people."]
    assert book.properties.created == book.properties.modified == datetime(2026, 11, 20, 6, 30)
    assert book.properties.creator == "AnonAudit"


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
    columns = {"x": [math.inf, -math.inf, -5.0], "n": [10**15, 10**15 + 1, -5], "b": [True, False, True]}
    sheet = workbook(examples.report(tables=(examples.as_table(columns),)))["t"]
    assert [[cell.value for cell in sheet[at][1:]] for at in "ABC"] == [
        ["x", None, None, -5],
        ["n", 10**15, str(10**15 + 1), -5],
        ["b", True, False, True],
    ]


@pytest.mark.slow
def test_render_xlsx__stores_every_text_as_text_and_marks_formulas_so_that_editing_keeps_them():
    for formula in (*examples.FORMULAS, "#N/A", "#DIV/0!"):
        book = workbook(examples.text_report(formula))
        texts = [str(cell.value) for sheet in book for cell in cells(sheet)]
        assert any("1" in text or "#" in text for text in texts), formula
        assert {cell.data_type for sheet in book for cell in cells(sheet)} <= {"s", "n"}, formula
        assert {type(cell.value) for cell in cells(book.worksheets[3])} == {str}, formula
    sheet = workbook(examples.text_report("=1+1")).worksheets[3]
    assert (sheet["A2"].value, sheet["A2"].quotePrefix) == ("=1+1", True)
    assert (sheet["B2"].value, sheet["B2"].quotePrefix) == ("other", False)


def test_render_xlsx__leads_from_the_summary_to_every_sheet_and_back():
    book = workbook(
        examples.report(tables=tuple(examples.as_table({"a": [1]}, name) for name in ("a'b", "c")))
    )
    links = {cell.value: cell.hyperlink.location for cell in cells(book.worksheets[0]) if cell.hyperlink}
    assert links == {"Findings": "'Findings'!A1", "Limits": "'Limits'!A1", "a'b": "'a''b'!A1", "c": "'c'!A1"}
    assert {sheet["A1"].hyperlink.location for sheet in book.worksheets[1:]} == {"'Summary'!A1"}


def test_render_xlsx__tints_marked_cells_and_says_their_verdict():
    sheet = workbook(examples.report(tables=(examples.marked_table(),)))["map"]
    assert [cell.value for cell in sheet["B"][2:]] == ["no (FAIL)", "yes"]
    assert sheet["B3"].fill.start_color.rgb.endswith("F9DAD3")
    assert not sheet["B4"].fill.fill_type


def test_render_xlsx__says_what_a_sheet_cannot_hold(monkeypatch):
    monkeypatch.setattr("core.reports.as_xlsx.LARGEST_SHEET", 5)
    monkeypatch.setattr("core.reports.as_xlsx.WIDEST_SHEET", 1)
    book = workbook(examples.report(tables=(examples.class_sizes_table(7),)))
    assert book["group sizes"].dimensions == "A1:A5"
    said = Saying("Records by group size. 7 rows. First 3 of 7 rows; …First 1 of 2 columns; …")
    assert any(said == cell.value for cell in cells(book["Summary"]))


def test_said_frame__keeps_whole_numbers_whole_beside_gaps():
    columns = tuple(Col(key, key) for key in ("a", "b", "c"))
    shown = said_frame(Table("", "", columns, [(1, 2**70, 0.5), (None, None, None)]))
    whole, large, shares = shown.to_dict("list").values()
    assert (str(whole[0]), pd.isna(whole[1])) == ("1", True)
    assert (large[0], shares[0]) == (2**70, 0.5)


def test_cell_text__cuts_at_what_excel_holds_and_removes_what_xml_forbids():
    cut = cell_text("x" * 40_000)
    assert len(cut) == 32_767
    assert cut.endswith("x … [cut: the text has 40,000 characters]")
    assert cell_text("x" * 32_767) == "x" * 32_767
    cut = cell_text("😀" * 20_000)  # counted as Excel counts, and never halved
    assert 32_765 <= len(cut.encode("utf-16-le")) // 2 <= 32_767
    assert cut.startswith("😀😀")
    assert "\ufffd" not in cut
    assert cell_text("a\x00b\x08c\x0bd\ud800e\ufffff\r\ng\rh\ti") == "abcd\ufffdef\ng\nh\ti"
    assert cell_text("_x0041_") == "_x005F_x0041_"


def test_sheet_names__are_what_excel_accepts_and_distinct_names_what_every_file_system_does():
    for names, expected in (
        (["a", "A", "a"], ["a", "A_2", "a_3"]),
        (["", "[]", "'"], ["Table", "Table_2", "Table_3"]),
        (["History", "summary"], ["History_2", "summary_2"]),
        (["a/b:c*d?e\\f[g]"], ["a b c d e f g"]),
        (["x" * 40, "x" * 40], ["x" * 31, "x" * 29 + "_2"]),
        (["'quoted'"], ["quoted"]),
        (["=A1"], ["=A1"]),
    ):
        assert sheet_names(names, taken=("Summary",)) == expected
    names = ["../../etc/passwd", "CON", "about", "", "a b", "a:b", "한글"]
    expected = ["etc_passwd", "CON_", "about_2", "table", "a_b", "a_b_2", "한글"]
    assert distinct_names(names, taken=("about",)) == expected


# ------------------------------------------------------------------------------------------------- CSV


def test_render_csv__gives_several_tables_as_a_zip_that_explains_itself():
    archive = zipfile.ZipFile(io.BytesIO(render_csv(examples.report())))
    assert archive.namelist() == "about.csv figures.csv findings.csv columns.csv group_sizes.csv".split()
    about, figures, findings = (csv_rows(archive.read(name)) for name in archive.namelist()[:3])
    assert about[:2] == [["Section", "Name", "Text"], ["Report", "Tool", "tabular"]]
    assert ["Input", "SHA-256", "ab" * 32] in about
    assert ["Setting", "Quasi-identifiers", "age, zip"] in about
    assert ["Limit", "", "It does not know what else is known about these people."] in about
    header = "Of,Figure,Value,As text,Unit,Threshold,Verdict,Definition,Source,Key"
    assert figures[0] == header.split(",")
    assert figures[1][:7] == ",Smallest group size (k),1,1,records,at least 5,FAIL".split(",")
    alone = "Records alone in their group (k < 2),,not assessed,share,,NOT ASSESSED"
    assert figures[3][1:7] == alone.split(",")
    assert findings[1] == ["FAIL", "FIRST is unchanged in 9 of 10 cells.", "FIRST", "9", "unchanged"]
    archive = zipfile.ZipFile(io.BytesIO(render_csv(examples.report(tables=()))))
    assert archive.namelist() == ["about.csv", "figures.csv", "findings.csv"]


def test_csv_bytes__puts_an_apostrophe_before_text_that_would_run_and_damages_nothing_else():
    for formula in examples.FORMULAS:
        rows = csv_rows(csv_bytes(examples.as_table({formula: ["safe", formula]})))
        assert rows == [["'" + formula], ["safe"], ["'" + formula]]
    frame = pd.DataFrame({"n": [-5, 3], "x": [-0.25, math.inf], "y": [np.nan, -1e-9]})
    assert csv_rows(csv_bytes(examples.as_table(frame))) == [
        ["n", "x", "y"],
        ["-5", "-0.25", ""],
        ["3", "", "-1e-09"],
    ]
    text = 'a,b;c\t"d"\r\ne'
    assert csv_rows(csv_bytes(examples.as_table({"x": [text]}))) == [["x"], [text]]


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
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert ("content", policy) in page.attributes
    assert not re.search(rb"https?:", data)
    assert not re.search(r"@import|url\(", page.style)


@pytest.mark.slow
def test_render_html__tells_verdicts_by_word_and_symbol():
    text = page_of().text
    for said in (
        "✕ FAIL 1 of 3 columns fails.", "Published rule! WARN", "Second opinion✕ FAIL",
        "FAIL means: at least one check failed.", "not assessed ? NOT ASSESSED",
    ):  # fmt: skip
        assert said in text
    assert "a ✕ no (FAIL) b yes" in page_of(tables=(examples.marked_table(),)).text
    for verdict in Verdict:
        text = page_of(verdict=verdict, headline="Because.").text
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
    text = page_of(figures=figures).text
    assert text.count("Number of records in the smallest equivalence class") == 1
    assert text.count("Sweeney, k-anonymity") == 1
    assert "(file 1) 1 record" in text
    assert "(file 2000) 2,000 records" in text
    assert "Threshold" not in text


def test_render_html__draws_charts_as_svg_with_a_text_and_ids_of_their_own():
    page = page_of(charts=(examples.class_sizes_chart(),) * 2)
    assert page.tags.count("svg") == 2
    assert ("aria-labelledby", "chart-1-title") in page.attributes
    assert ("aria-describedby", "chart-2-text") in page.attributes
    assert "11 of 101 records are in small groups." in page.text
    assert "k = 5" in page.text
    points = alt.Chart(pd.DataFrame({"c0": [1, 2], "c1": [1, 9]}))
    clipped = layered(points.mark_line(clip=True).encode(x=alt.X("c0:Q"), y=alt.Y("c1:Q")), height=100)
    clipping = page_of(charts=(Drawing("t", lambda: clipped, "t"),) * 2)
    ids = [[value for name, value in each.attributes if name == "id"] for each in (page, clipping)]
    assert [len(each) for each in ids] == [len(set(each)) for each in ids]
    clips = {value for name, value in clipping.attributes if name == "clip-path"}
    assert len(clips) == 2
    assert clips <= {f"url(#{id_})" for id_ in ids[1]}


@pytest.mark.slow
def test_render_html__draws_a_gradient_the_same_way_every_time():
    cells = pd.DataFrame({"a": ["x", "y"], "b": ["1", "1"], "v": [0.1, 0.9]})
    drawn = partial(heatmap, cells, x="a", y="b", value="v", x_title="A", y_title="B", value_title="V")
    report = examples.report(charts=(Drawing("t", drawn, "t"),) * 2)
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
    bars = alt.Chart("https://example.invalid/data.json").mark_bar().encode(x=alt.X("a:Q"))
    drawn = partial(alt.layer, bars, height=9)
    with pytest.raises(ValueError, match="External data url not allowed"):
        render_html(examples.report(charts=(Drawing("t", drawn, "t"),)))


def test_render_html__says_where_a_long_or_wide_table_or_text_was_cut():
    wide = examples.as_table({f"column {number}": range(60) for number in range(20)}, "Wide")
    page = page_of(tables=(examples.class_sizes_table(1234), wide))
    assert "First 25 of 1,234 rows; the XLSX holds all." in page.text
    assert "First 25 of 60 rows and first 14 of 20 columns; the XLSX holds all." in page.text
    assert "column 14" not in page.text
    assert page.tags.count("tr") < 130
    text = page_of(tables=(examples.as_table({"a": ["y" * 5000]}),)).text
    assert "y" * 600 + " … [5,000 characters; the XLSX holds more]" in text
    assert "y" * 601 not in text


def test_render_html__shows_shares_as_percent_and_missing_as_a_dash():
    cells = {"a_share": [0.5, 0.0001], "part": [1.0, np.nan], "x": [1.5, -2.0], "y": [True, False]}
    units = {"a_share": "share", "part": "risk"}
    columns = tuple(Col(name, name, units.get(name)) for name in cells)
    table = Table("", "t", columns, [*zip(*cells.values(), strict=True)], name="t")
    assert "a_share part x y 50.0 % 100 % 1.500 yes < 0.1 % – -2 no" in page_of(tables=(table,)).text


def test_render_html__says_so_where_there_is_nothing():
    nothing = dict.fromkeys(("figures", "findings", "tables", "charts", "limits", "inputs"), ())
    text = page_of(**nothing, **{key: {} for key in ("settings", "versions", "verdicts")}).text
    assert "No findings." in text
    for heading in ("Definitions", "Tables", "What this result cannot tell"):
        assert heading not in text
    assert "Empty one No rows." in page_of(tables=(examples.as_table({"a": []}, "Empty one"),)).text


def test_render_html__prints_on_a4_with_repeated_headers_and_whole_rows():
    style = Page(render_html(examples.report())).style
    assert "size: A4" in style
    printed = style[style.index("@media print") :]
    assert "thead { display: table-header-group; }" in printed
    assert "tr, figure, .verdict, dt, dd, li, nav { break-inside: avoid; }" in printed
    assert "prefers-color-scheme: dark" in style


@pytest.mark.slow
def test_render_html__shows_hostile_text_as_typed():
    harmless = set(Page(render_html(examples.text_report("harmless"))).tags)
    for text in examples.HOSTILE:
        page = Page(render_html(examples.text_report(text)))
        same = "li" if text else ""  # an empty text may leave out a note, never add anything
        assert set(page.tags) <= harmless | {same}, text
        assert "script" not in page.tags, text
        assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"], text
        assert all(value[0] == "#" for name, value in page.attributes if name == "href"), text
        assert " ".join(printable(text)[:600].split()) in page.text, text


# ------------------------------------------------------------------------- names, versions, registry


def test_report_stem__holds_tool_time_and_digest_and_is_safe_whatever_the_tool_is_called():
    at = examples.CREATED_AT
    assert report_stem("tabular", at, "abcdef0123") == "anonaudit_tabular_20261120T063000Z_abcdef01"
    assert report_stem('../a b:c"<>|?*\x00', at, "ab") == "anonaudit_a_b_c_20261120T063000Z_ab"


def test_reports__state_the_time_in_utc_and_their_digest_ignores_it_alone():
    report, later = examples.report(), examples.report(created_at=examples.CREATED_AT + timedelta(days=1))
    assert content_digest(report) == content_digest(later)
    assert content_digest(report) != content_digest(examples.report(settings={"k": 6}))
    seoul = datetime(2026, 11, 20, 15, 30, 0, 999, tzinfo=timezone(timedelta(hours=9)))
    assert render_html(examples.report(created_at=seoul)) == render_html(report)
    naive = datetime(2026, 11, 20, 6, 30)
    assert render_json(examples.report(created_at=naive)) == render_json(report)


def test_renderers__offer_four_formats_that_render_uses():
    assert list(RENDERERS) == ["html", "xlsx", "csv", "json"]
    report = examples.report()
    for format_, renderer in RENDERERS.items():
        assert render(report, format_) == renderer.function(report)
    assert render(report, "xlsx")[:2] == b"PK"
    assert render(report, "html").startswith(b"<!doctype html>")


def test_versions_and_input_facts__name_what_computes_and_the_data_set():
    versions = current_versions()
    assert {"anonaudit", "python", "pandas", "pyarrow"} <= set(versions)
    assert versions["pandas"] == pd.__version__
    dataset = read_dataset(b"a,b\n1,2\n", name="x.csv")
    facts = input_facts(dataset, "Original")
    assert (facts.role, facts.name, facts.n_bytes, facts.sha256) == ("Original", "x.csv", 8, dataset.sha256)
    assert facts.reading.startswith("CSV")


def test_findings__keep_their_order_within_a_verdict():
    messages = [f"message {number}" for number in range(5)]
    text = page_of(findings=tuple(Finding(check=m, verdict=Verdict.WARN, message=m) for m in messages)).text
    positions = [text.index(message) for message in messages]
    assert positions == sorted(positions)


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_render_html__cuts_no_legend_off_a_chart(tool: str) -> None:
    """What stands above a plot, legends among it, has the room that the plot is moved down by."""
    page = render_html(report_of(tool)).decode()
    for drawn in re.findall(r"<svg viewBox.*?</svg>", page, re.DOTALL):
        moved = re.search(r'stroke-miterlimit="10" transform="translate\([\d.]+,([\d.]+)\)"', drawn)
        assert moved is not None
        legends = re.findall(r'translate\(-?[\d.]+,(-[\d.]+)\)"><path d="M0,0h\d+v\d+h', drawn)
        assert all(float(moved[1]) + float(top) >= 0 for top in legends)


def test_html__tells_the_machines_own_time_beside_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {}
    try:
        for zone in ("UTC", "Europe/Ljubljana", "Asia/Seoul", "America/New_York"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            told[zone] = re.findall(
                r"06:30:00 UTC · ([^<]+)</dd>", render(examples.report(), "html").decode()
            )
    finally:
        monkeypatch.undo()
        time.tzset()
    assert told == {
        "UTC": [],
        "Europe/Ljubljana": ["2026-11-20 07:30:00 UTC+0100"],
        "Asia/Seoul": ["2026-11-20 15:30:00 UTC+0900"],
        "America/New_York": ["2026-11-20 01:30:00 UTC-0500"],
    }
