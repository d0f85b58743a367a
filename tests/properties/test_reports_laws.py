import csv
import io
import json
import re
import zipfile
from datetime import datetime, timedelta

import numpy as np
import openpyxl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.charts import class_size_table
from core.commands.audit import repeated_report
from core.filed import Sameness, read_report
from core.filed.reading import as_json
from core.files.named_files import Source
from core.files.plain_text import json_value, printable, valid_unicode
from core.measures import format_number
from core.reports import Figure, csv_bytes, render_csv, render_html, render_json, render_xlsx
from core.reports.as_xlsx import LARGEST_TEXT, cell_text
from core.reports.model import distinct_names, sheet_names
from core.result import Col, Table
from core.verdict import Verdict
from tests import report_examples as examples
from tests import tool_reports
from tests.hostile.repeats import REFUSED, TOOLS, not_told, outcome
from tests.page_reader import Page
from tests.thorough import tried

laws = tried(25)
any_text = st.one_of(
    st.sampled_from([text for text in examples.HOSTILE if len(text) < 1000]),
    st.text(st.characters(exclude_categories=[]), max_size=40),
    st.text(st.sampled_from("<>&\"'/=+-@\t\r\n\x00\x0b\ud800;:#!-]a"), max_size=12),
)
moments = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1))
numbers = st.one_of(st.none(), st.integers(-(10**20), 10**20), st.floats(), st.floats().map(np.float64))


def without_charts(text):
    """The same text everywhere; charts have a test of their own, since drawing takes longest."""
    return examples.replaced(examples.text_report(text), charts=())


HARMLESS = render_html(without_charts("harmless"))


def table_of(values):
    table = Table("", "t", (Col("a", "a"),), [(value,) for value in values], name="t")
    return examples.report(charts=(), tables=(table,))


# ------------------------------------------------------------------------------------ text is only text


@laws
@given(any_text)
def test_json__gives_every_text_back(text):
    document = json.loads(render_json(without_charts(text)))
    same = valid_unicode(text)
    assert [document[part] for part in ("tool", "title", "question", "headline")] == [same] * 4
    assert document["settings_said"] == {same: same, "list": [same, {same: same}]} or same == "list"
    facts = dict.fromkeys(("role", "name", "sha256", "reading"), same)
    assert document["inputs"] == [facts | {"n_bytes": 1, "path": "", "options": None}]
    assert document["findings"][0]["message"] == document["findings"][0]["column"] == same
    assert document["tables"][1]["rows"] == [[same, "plain"], ["plain", same]]
    assert document["limits"] == [same]


@laws
@given(any_text)
@example("</style><script>alert(1)</script>")
def test_html__has_the_same_elements_whatever_the_texts_say(text):
    shown = " ".join(printable(text).split())
    assume(shown and text not in Verdict.__members__)
    page, plain = Page(render_html(without_charts(text))), Page(HARMLESS)
    assert page.tags == plain.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in plain.attributes]
    (shown_in_head,) = re.findall(r'@top-left \{ content: "([^"]*)"; font', page.style)
    assert not set(shown_in_head) & set("<>\n")
    assert len({re.sub(r'content: "[^"]*"', "", each.style) for each in (page, plain)}) == 1
    assert page.text.count(shown) >= plain.text.count("harmless")


@pytest.mark.slow
@tried(10)
@given(any_text)
@example("\x00")
@example("long and beyond the first plane " + "\U0001f600" * 40)
def test_html__draws_charts_with_any_text(text):
    report = examples.replaced(examples.text_report(text), tables=())
    page = Page(render_html(report))
    assert page.tags.count("svg") == 1
    assert not set(page.tags) & {"script", "image", "foreignobject", "use"}
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert all(value[0] == "#" for name, value in page.attributes if name.endswith("href"))


@laws
@given(any_text)
def test_xlsx__stores_every_text_as_text(text):
    book = openpyxl.load_workbook(io.BytesIO(render_xlsx(without_charts(text))))
    assert all(cell.data_type in "sn" for sheet in book for row in sheet.iter_rows() for cell in row)
    stored = cell_text(text) or None  # an empty text is an empty cell
    for sheet in book.worksheets[3:]:
        rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
        assert rows == [[stored, "other"], [stored, "plain"], ["plain", stored]]
    assert book["Findings"]["B3"].value == (cell_text(text.replace("`", "")) or None)  # marks around names


@laws
@given(any_text)
def test_csv__gives_every_text_back_and_none_that_runs(text):
    archive = zipfile.ZipFile(io.BytesIO(render_csv(without_charts(text))))
    assert len(set(archive.namelist())) == 5
    for name in archive.namelist():
        rows = list(csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig"), newline="")))
        assert len({len(row) for row in rows}) == 1
        assert not [cell for row in rows for cell in row if cell.startswith(tuple("=+-@\t\r\n"))]
    stored = valid_unicode(text).replace("\x00", "")
    assert rows[1][0] in (stored, "'" + stored)


# ------------------------------------------------------------------------------------------ numbers


@laws
@given(st.lists(numbers, min_size=1, max_size=5))
def test_json__holds_every_finite_number_exactly_and_csv_puts_no_apostrophe_before_it(values):
    report = table_of(values)
    rows = json.loads(render_json(report))["tables"][0]["rows"]
    finite = [None if value is None or not abs(value) < float("inf") else value for value in values]
    assert [row[0] for row in rows] == finite
    rows = list(csv.reader(io.StringIO(csv_bytes(report.tables[0]).decode("utf-8-sig"))))[1:]
    for row, value in zip(rows, finite, strict=True):
        assert row in ([""], []) if value is None else float((row or [""])[0]) == float(value)


@laws
@given(numbers)
def test_every_format__survives_any_figure(value):
    report = examples.report(charts=(), figures=(Figure(measure="share_k_lt_2", value=value),))
    figure = json.loads(render_json(report))["figures"][0]
    assert figure["value"] == json_value(value)
    assert Page(render_html(report)).text.count(" ".join(figure["text"].split())) >= 1
    assert render_xlsx(report)[:2] == render_csv(report)[:2] == b"PK"


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_format_number__never_rounds_a_part_to_nothing_or_all(share):
    written = format_number("share", share)
    assert written not in ("0 %", "0.0 %", "100 %", "100.0 %")
    if written[0] not in "<>":
        assert abs(float(written.removesuffix(" %")) / 100 - share) <= 0.0005 + 1e-12


# ------------------------------------------------------------------------------------ reproducibility


@pytest.mark.slow
@tried(6)
@given(moments, st.timedeltas(timedelta(seconds=1), timedelta(days=900)), any_text)
def test_reports__of_one_result_differ_in_the_time_line_alone(moment, later, headline):
    one = examples.report(created_at=moment, headline=headline)
    other = examples.report(created_at=moment + later, headline=headline)
    for renderer in (render_json, render_html, render_xlsx, render_csv):
        assert renderer(one) == renderer(one)
        assert timeless(renderer(one), moment) == timeless(renderer(other), moment + later)


def timeless(data, moment):
    """The members of a file, with the report's time taken out of each."""
    if not data.startswith(b"PK"):
        return cleaned(data, moment)
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    return {name: cleaned(archive.read(name), moment) for name in archive.namelist()}


def cleaned(data, moment):
    for pattern in ("%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%dT%H:%M:%SZ"):
        data = data.replace(moment.strftime(pattern).encode(), b"TIME")
    if (carried := as_json(data)) is not data:
        data = re.sub(rb'(anonaudit-report" content=)"[^"]+"', rb"\1", data) + cleaned(carried, moment)
    return re.sub(rb'"created_at": "[0-9a-f]{64}"', b'"created_at": "DIGEST"', data)


# ---------------------------------------------------------------------------------------------- names


@laws
@given(st.lists(any_text, max_size=6))
def test_sheet_names__are_accepted_and_distinct_names_cannot_leave_their_folder(names):
    chosen = sheet_names(names, taken=("Summary",))
    assert len({name.casefold() for name in (*chosen, "Summary", "History")}) == len(names) + 2
    for name in chosen:
        assert 1 <= len(name.encode("utf-16-le")) // 2 <= 31
        assert not set(name) & set("[]:*?/\\\r\n\x00")
        assert name[0] != "'" != name[-1]
    chosen = distinct_names(names, taken=("about",))
    assert len({name.casefold() for name in (*chosen, "about")}) == len(names) + 1
    assert all(name and not set(name) & set('/\\:*?"<>|\r\n\t\x00.') for name in chosen)


@given(st.text(max_size=50).map(lambda text: text * 2000))
def test_cell_text__always_fits_a_cell(text):
    assert len(cell_text(text).encode("utf-16-le")) // 2 <= LARGEST_TEXT


# ---------------------------------------------------------------------------------------- class sizes


@given(st.dictionaries(st.integers(1, 100_000), st.integers(1, 1000), max_size=30), st.integers(1, 200_000))
def test_class_size_table__agrees_with_counting_by_hand(classes, k):
    sizes = np.array(sorted(classes), dtype=np.int64)
    records = np.array([size * classes[size] for size in sorted(classes)], dtype=np.int64)
    table = class_size_table(sizes, records, k)
    assert table["n_records"].sum() == records.sum()
    assert table.loc[table["below_k"], "n_records"].sum() == records[sizes < k].sum()
    assert table["lower"].tolist()[1:] == (table["upper"] + 1).tolist()[:-1]
    assert table["lower"].iloc[0] == 1
    assert k in table["lower"].tolist()
    assert len(table) <= 40
    assert table["class_size"].is_unique


@pytest.mark.one_of(8)
@pytest.mark.parametrize("tool", TOOLS)
def test_report__of_random_settings_is_the_same_when_repeated(tool: str) -> None:
    found = [outcome(tool, seed) for seed in range(1_000, 1_006)]
    assert set(found) <= {Sameness.SAME, REFUSED}
    assert Sameness.SAME in found


@pytest.mark.one_of(3)
@pytest.mark.parametrize("tool", [tool for tool in tool_reports.TOOLS if tool != "tabular"])
def test_report__of_a_page_is_the_same_when_repeated(tool: str) -> None:
    given = [Source(f"renamed_{name}", data) for name, data in tool_reports.demo_files(tool).items()]
    filed = read_report(render_json(tool_reports.report_of(tool)), name="filed.json")
    differences = repeated_report(filed, given).differences
    assert {each.where for each in differences} <= {"tables › Proof"}  # which the page adds itself


@pytest.mark.one_of(8)
@pytest.mark.parametrize("tool", TOOLS)
def test_report__changed_by_hand_says_where(tool: str) -> None:
    seed = next(seed for seed in range(1_000, 1_020) if outcome(tool, seed) == Sameness.SAME)
    assert not_told(tool, seed) == []
