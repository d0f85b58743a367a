"""What files hold beside their table: gathered with bounds, and held against the originals."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.formatting.rule import FormulaRule
from openpyxl.packaging.custom import StringProperty
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from pyarrow import parquet
from stdnum.si import emso

from core.comparing.originals_in_texts import Sought, Texts, find
from core.counts import audit_counts
from core.delivery import audit_delivery
from core.files.leftovers import judge_leftovers, leftovers_of
from core.leakage import audit_leakage
from core.risk import RiskSettings, audit_risk
from core.tables import Dataset, ReadOptions, read_dataset
from core.tables import hidden_contents as beside
from core.tables.hidden_contents import Beside, beside_of, beside_workbook, bounded
from core.tables.reading import READERS
from core.tabular.second_opinion import judge_second_opinion, measure_second_opinion
from core.verdict import Finding, Verdict
from tests.old_workbooks import old_workbook
from tests.second_opinion_examples import dataset, log_of


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read here; test_reading_apart.py reads in the other process."""

    def read_here(data: pa.Buffer, *, n_bytes: int, name: str, options: ReadOptions, kind: str) -> object:
        assert n_bytes == data.size
        return READERS[kind](data, name=name, options=options)

    monkeypatch.setattr("core.tables.reading.read_apart", read_here)


NAMES = [f"Person{letter} Surname{letter}" for letter in "ABCDEFGHIJKL"]
GROUPS = ["x", "y"] * 6
LOG = log_of(name=("name", "drop"), group=("other", "keep"))


def workbook(change: Callable[[Workbook], object] = lambda _book: None) -> bytes:
    """Return a workbook of the groups alone, after a change."""
    book = Workbook()
    assert book.active is not None
    for row in ["group", *GROUPS]:
        book.active.append([row])
    change(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def parquet_file(metadata: dict[str, str]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table({"group": GROUPS}).replace_schema_metadata(metadata), file)
    return file.getvalue()


def findings(released: Dataset) -> list[Finding]:
    measured = measure_second_opinion(dataset({"name": NAMES, "group": GROUPS}), released, LOG)
    found = judge_second_opinion(measured).findings
    return [finding for finding in found if finding.check.endswith("beside_the_table")]


def _sheet(texts: list[str], state: str = "visible") -> Callable[[Workbook], None]:
    def add(book: Workbook) -> None:
        sheet = book.create_sheet("more")
        sheet.sheet_state = state
        for text in texts:
            sheet.append([text])

    return add


def _comment(book: Workbook) -> None:
    for row, name in enumerate(NAMES[:4]):
        book["Sheet"].cell(row + 2, 1).comment = Comment(f"this is {name}!", "staff")


def _keywords(book: Workbook) -> None:
    book.properties.keywords = "; ".join(NAMES)


def _own_property(book: Workbook) -> None:
    book.custom_doc_props.append(StringProperty(name="people", value=", ".join(NAMES)))


def _choices(book: Workbook) -> None:
    book["Sheet"].add_data_validation(
        DataValidation(type="list", formula1=f'"{",".join(NAMES[:5])}"', sqref="A2:A9")
    )


def _footer(book: Workbook) -> None:
    book["Sheet"].oddFooter.center.text = ", ".join(NAMES[:4])


def _link(book: Workbook) -> None:
    for row, name in enumerate(NAMES):
        book["Sheet"].cell(row + 2, 1).hyperlink = f"https://example.org/{name}"


def _defined(book: Workbook) -> None:
    for number, name in enumerate(NAMES):
        book.defined_names[f"n{number}"] = DefinedName(f"n{number}", attr_text=f'"{name}"')


def _rule(book: Workbook) -> None:
    for name in NAMES[:4]:
        rule = FormulaRule(formula=[f'$A2="{name}"'])
        book["Sheet"].conditional_formatting.add("A2:A9", rule)


def _formula(book: Workbook) -> None:
    for row, name in enumerate(NAMES[:4]):
        book["Sheet"].cell(row + 2, 2).value = f'=COUNTIF(A:A,"{name}")'


def _format(book: Workbook) -> None:
    for row, name in enumerate(NAMES[:4]):
        book["Sheet"].cell(row + 2, 1).number_format = f'0 "{name}"'


def _name_of_range(book: Workbook) -> None:
    for row, name in enumerate(NAMES[:4]):
        called = "of_" + name.replace(" ", "_")
        book.defined_names[called] = DefinedName(called, attr_text=f"Sheet!$A${row + 2}")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (_rule, "formulas, lists of choices, headers and footers"),
        (_formula, "formulas, lists of choices, headers and footers"),
        (_format, "other parts of the workbook"),
        (_name_of_range, "names of values"),
        (_sheet(NAMES), "the sheet “more”"),
        (_sheet(NAMES, "veryHidden"), "the hidden sheet “more”"),
        (_comment, "comments"),
        (_keywords, "the document's properties"),
        (_own_property, "the document's own properties"),
        (_choices, "formulas, lists of choices, headers and footers"),
        (_footer, "formulas, lists of choices, headers and footers"),
        (_link, "links"),
        (_defined, "names of values"),
    ],
)
def test_leftovers__originals_anywhere_in_a_workbook_fail(
    change: Callable[[Workbook], object], where: str
) -> None:
    (finding,) = findings(read_dataset(workbook(change), name="x.xlsx"))
    assert finding.verdict is Verdict.FAIL
    assert finding.message.startswith(f"Beside the table, the file holds originals in {where}: ")
    assert finding.message.endswith(
        "of the original column `name` that the table does not show. Save the table alone, in a new file."
    )
    assert not any(name in finding.message for name in NAMES)


SHARED = "xl/sharedStrings.xml"


def with_part(name: str, content: str, *, comment: str = "", after: str = "") -> bytes:
    """Return the workbook of groups with one more part, a comment, and bytes after its end."""
    file = io.BytesIO(workbook())
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(name, content)
        archive.comment = comment.encode()
    return file.getvalue() + after.encode()


def _each(text: str) -> str:
    return "<sst>" + "".join(text.format(name) for name in NAMES[:4]) + "</sst>"


@pytest.mark.parametrize(
    ("file", "where"),
    [
        (with_part(SHARED, _each("<si><t>{}</t></si>")), "texts that no cell shows"),
        (
            with_part(SHARED, _each("<si><r><t>Per</t></r><r><t>x</t></r><rPh><t>{}</t></rPh></si>")),
            "texts that",
        ),
        (
            with_part("xl/persons/person.xml", _each('<person displayName="{}"/>')),
            "other parts of the workbook",
        ),
        (with_part("xl/new.xml", _each("<a><!-- {} --></a>")), "other parts of the workbook"),
        (with_part("xl/printer.bin", "\0".join("\0".join(NAMES))), "other parts of the workbook"),
        (with_part(f"xl/{', '.join(NAMES)}.txt", ""), "other parts of the workbook"),
        (with_part("xl/a.xml", "<a/>", comment=", ".join(NAMES)), "bytes around the archive"),
        (with_part("xl/a.xml", "<a/>", after=", ".join(NAMES)), "bytes around the archive"),
    ],
)
def test_leftovers__originals_in_any_part_of_an_archive_fail(file: bytes, where: str) -> None:
    (finding,) = findings(read_dataset(file, name="x.xlsx"))
    assert finding.verdict is Verdict.FAIL
    assert f"originals in {where}" in finding.message


def _lines(*lines: str) -> Dataset:
    return read_dataset("\n".join(lines).encode(), name="people_anonymized.csv")


ROWS = [f"{group};1;0;1;0" for group in GROUPS]
FLAGS = "group;a;b;c;d"


@pytest.mark.parametrize(
    ("release", "verdict"),
    [
        (_lines("group;" + ";".join(NAMES[:4]), *ROWS), Verdict.FAIL),
        (_lines("group;" + ";".join(f"t1_{name.upper()}_score" for name in NAMES[:4]), *ROWS), Verdict.FAIL),
        (_lines("group;SurnameA;SurnameB;SurnameC;SurnameD", *ROWS), Verdict.WARN),  # of anybody
        (_lines(f"# {', '.join(name.split()[1] for name in NAMES[:6])}", FLAGS, *ROWS), Verdict.FAIL),
        (_lines("# " + " and ".join(NAMES[:3]), FLAGS, *ROWS), Verdict.FAIL),
        (_lines(f"asked by {NAMES[0]}", FLAGS, *ROWS), Verdict.WARN),
        (_lines("group;SurnameA;b;c;d", *ROWS), None),  # one word may be a namesake
        (_lines("by PersonA SurnameB, PersonB SurnameC, PersonC SurnameD", FLAGS, *ROWS), None),  # of others
        (_lines(FLAGS, *ROWS), None),
    ],
)
def test_leftovers__people_in_column_names_and_lines_above_the_table(
    release: Dataset, verdict: Verdict | None
) -> None:
    found = findings(release)
    assert [one.verdict for one in found] == ([verdict] if verdict else [])
    assert not any(name.casefold() in one.message.casefold() for name in NAMES for one in found)


def test_leftovers__unused_values_of_a_dictionary_and_names_of_files() -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 6), pa.array(["x", "y", *NAMES[:5]]))
    file = io.BytesIO()
    parquet.write_table(pa.table({"group": values}), file)
    (finding,) = findings(read_dataset(file.getvalue(), name="x.parquet"))
    assert finding.verdict is Verdict.FAIL
    assert "5 values" in finding.message
    (finding,) = findings(replace(_lines(FLAGS, *ROWS), name="; ".join(NAMES[:3]) + ".csv"))
    assert finding.message.startswith("Originals stand in the name of the file: 3 values")


DAYS = [f"{day:02}.03.{year}" for day, year in zip(range(3, 15), range(1931, 1991, 5), strict=True)]
NUMBERS = [f"MRN {number}" for number in range(702113, 702125)]


@pytest.mark.parametrize(
    ("texts", "column", "values", "is_found"),
    [
        (["1941-03-05", "3/6/1946", "19560308"], "born", DAYS, True),
        (["2023-01-01", "2023-02-01", "2023-03-01"], "born", DAYS, False),
        (["mrn702113", "see MRN-702114", "MRN702115."], "number", NUMBERS, True),
        (["A1:C702113", "702130", "702131"], "number", NUMBERS, False),
        (
            ["田中太郎様", "佐藤花子様", "鈴木一郎様"],
            "name",
            ["田中 太郎", "佐藤 花子", "鈴木 一郎", "林 明"],
            True,
        ),
        (["トウキョウ", "ナイカ", "ゲカ"], "name", ["田中 太郎", "佐藤 花子", "鈴木 一郎", "林 明"], False),
        (
            ["https://x.example/Ana%20Horvat", r"Luka \u004bova\u010d"],
            "name",
            ["Ana Horvat", "Luka Kovač"],
            True,
        ),
    ],
)
def test_find__days_numbers_and_names_however_they_are_written(
    texts: list[str], column: str, values: list[str], *, is_found: bool
) -> None:
    (found,) = find(Sought((column,), pa.array(values), identifies=True), [Texts(texts)])
    assert (len(found.values) >= len(texts)) if is_found else not found.values
    assert (found.chance < 1e-6) is is_found


def test_find__many_numbers_of_few_digits_are_met_by_chance() -> None:
    sought = Sought(("zip",), pa.array([str(number) for number in range(20000, 29000)]), identifies=True)
    (found,) = find(sought, [Texts([str(number) for number in range(10007, 99999, 997)])])
    assert len(found.values) > 3
    assert found.chance > 0.01


def test_leftovers__of_real_names_beside_made_up_ones_of_the_same_words() -> None:
    made_up = [f"Person{a} Surname{b}" for a, b in zip("ABCDEFGHIJKL", "BCDEFGHIJKLA", strict=True)]
    for shown, n_found in ((made_up, 4), (NAMES, 0)):
        columns = {"name": shown, **dict.fromkeys(NAMES[:4], ["1"] * 12)}
        found = leftovers_of(dataset(columns), dataset({"name": NAMES, "group": GROUPS}))
        assert sum(one.n_values for one in found) == n_found


def test_leftovers__of_thousands_of_people_on_another_sheet() -> None:
    people = [f"{chr(97 + n // 600)}anna {chr(97 + n % 24)}{n // 24 % 25}ovak{n}" for n in range(9000)]
    release = read_dataset(workbook(_sheet(people)), name="x.xlsx", options=ReadOptions(sheet="Sheet"))
    original = dataset({"name": people, "group": ["x", "y"] * 4500})
    (finding,) = judge_leftovers(leftovers_of(release, original))
    assert finding.verdict is Verdict.FAIL
    assert finding.n_affected == 9000


def test_leftovers__of_a_workbook_that_name_nobody() -> None:
    assert findings(read_dataset(workbook(), name="x.xlsx")) == []
    empty = read_dataset(workbook(lambda book: book.create_sheet("empty")), name="x.xlsx")
    assert findings(empty) == []
    (finding,) = findings(read_dataset(workbook(_sheet(["Codes", "x is the first group"])), name="x.xlsx"))
    assert finding.verdict is Verdict.WARN
    assert finding.message == (
        "The file holds more than the table: the sheet “more” (2 texts). Nothing in it was seen to "
        "name people, but only the table was audited: look at it, or save the table alone, in a new file."
    )

    def footed(book: Workbook) -> None:
        book["Sheet"].oddFooter.center.text = "Page &P of &N"
        book["Sheet"].add_data_validation(DataValidation(type="list", formula1='"x,y"', sqref="A2:A9"))

    assert findings(read_dataset(workbook(footed), name="x.xlsx")) == []


@pytest.mark.parametrize(
    ("metadata", "verdict"),
    [
        ({}, None),
        ({"org.apache.spark.version": "3.5.0"}, None),
        ({"history": "made from " + ", ".join(NAMES)}, Verdict.FAIL),
        ({"key": json.dumps({name: i for i, name in enumerate(NAMES)})}, Verdict.FAIL),
        ({"pandas": json.dumps({"index_columns": NAMES, "columns": []})}, Verdict.FAIL),
        ({"pandas": json.dumps({"attributes": {"by": "the registry"}})}, Verdict.WARN),
        ({"pandas": "{broken"}, Verdict.WARN),
        ({"note": "for the ministry"}, Verdict.WARN),
    ],
)
def test_leftovers__metadata_of_parquet(metadata: dict[str, str], verdict: Verdict | None) -> None:
    found = findings(read_dataset(parquet_file(metadata), name="x.parquet"))
    assert [finding.verdict for finding in found] == ([verdict] if verdict else [])


def test_beside__metadata_of_parquet_texts_up_to_a_bound_and_damaged_archives() -> None:
    file = io.BytesIO()
    read_dataset(workbook(), name="x.xlsx").frame.set_index("group", append=True).to_parquet(file)
    assert read_dataset(file.getvalue(), name="x.parquet").reading.beside == ()
    field = pa.field("group", pa.string(), metadata={"labels": "; ".join(NAMES)})
    file = io.BytesIO()
    parquet.write_table(pa.table([pa.array(GROUPS)], schema=pa.schema([field])), file)
    (labels,) = read_dataset(file.getvalue(), name="x.parquet").reading.beside
    assert labels.what == "metadata “labels” of column “group”"
    one = beside_of("a sheet", ["abc", "", "abc", " de ", "fgh"], most=5)
    assert (one.texts, one.n_texts, one.is_complete) == (("abc", "de"), 4, False)
    long = Beside(what="a", texts=("x" * 3_000_000, "y" * 2_000_000), n_texts=2)
    (kept, rest) = bounded([long, Beside(what="b", texts=("z",), n_texts=1)])
    assert (len(kept.texts), kept.is_complete, rest.texts) == (1, False, ("z",))
    assert beside_workbook(pa.py_buffer(b"PK\x03\x04 no archive")) == ()
    noted = {
        "index_columns": ["age", "__ward__"],
        "columns": [],
        "attributes": {"note": ["Ana Novak", 7, True]},
    }
    column = pa.field("age", pa.string(), metadata={b"note": b"of Ana", b"PARQUET:field_id": b"1"})
    metadata = {b"pandas": json.dumps(noted).encode(), b"owner": b"Maja", b"ARROW:schema": b"x"}
    found = beside.beside_parquet(pa.schema([column]), metadata)
    texts = [text for one in found for text in one.texts]
    assert {"Ana Novak", "7", "__ward__", "Maja", "of Ana"} <= {*texts}
    assert not {"x", "1", "age"} & {*texts}
    broken = beside.beside_parquet(pa.schema([column]), {b"pandas": b"{cut"})
    assert "{cut" in [text for one in broken for text in one.texts]


def test_beside_workbook__names_hidden_rows_and_columns_where_there_are_some() -> None:
    def hide(book: Workbook) -> None:
        sheet = book.active
        assert sheet is not None
        sheet.row_dimensions[3].hidden = True
        sheet.row_dimensions[4].hidden = True
        sheet.column_dimensions["A"].hidden = True

    released = read_dataset(workbook(hide), name="people_anonymized.xlsx")
    (beside,) = [one for one in released.reading.beside if one.is_of_table]
    assert (beside.what, beside.n_texts) == ("hidden rows or columns", 3)
    measured = measure_second_opinion(dataset({"name": NAMES, "group": GROUPS}), released, LOG)
    (finding,) = [f for f in judge_second_opinion(measured).findings if f.check == "hidden_in_a_sheet"]
    assert finding.verdict is Verdict.WARN
    assert "3 places" in finding.message
    released = read_dataset(workbook(), name="people_anonymized.xlsx")
    assert not any(one.is_of_table for one in released.reading.beside)


def test_old_workbook__says_what_was_not_looked_at() -> None:
    released = read_dataset(old_workbook(["group"], *[[group] for group in GROUPS]), name="x.xls")
    assert released.table.to_pydict() == {"group": GROUPS}
    (found,) = findings(released)
    assert found.verdict is Verdict.WARN
    assert "an .xls file" in found.message
    assert "not looked at" in found.message


# The other audits of a released file.

KEYS = [f"{number:02}0{number % 9 + 1}960500{number:03}" for number in range(11, 29)]
EMSO = [key[:12] + check for key in KEYS for check in "0123456789" if emso.is_valid(key[:12] + check)]
CODES = ["Codes", "x is the first group", "contact: data@clinic.example", "prepared by Ana Novak"]


def _table(file: str, /, **columns: list[str]) -> Dataset:
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    return read_dataset("\n".join(lines).encode(), name=f"{file}.csv")


def judged(release: Dataset) -> dict[str, list[Finding]]:
    """Return what each audit of a release says of what stands beside its table."""
    original = _table("original", group=GROUPS, name=NAMES, age=[str(age) for age in range(12)])
    second = replace(release, name="y.xlsx")
    roles = RiskSettings(quasi_identifiers=("group",))
    counted = _table("counts", group=["x", "y"], sex=["f", "m"], n=["40", "50"])
    counted = replace(counted, reading=release.reading)
    return {
        name: [one for one in found if one.check.endswith("beside_the_table")]
        for name, found in {
            "risk": audit_risk(release, settings=roles).all_findings,
            "risk beside its original": audit_risk(release, settings=roles, original=original).all_findings,
            "leakage": audit_leakage(original, release).findings,
            "dataset": audit_delivery([second, original]).findings,
            "counts": audit_counts(counted, counts=["n"], dimensions=["group", "sex"]).findings,
        }.items()
    }


@pytest.mark.parametrize(
    ("texts", "verdict"), [(CODES, Verdict.WARN), (EMSO, Verdict.FAIL), (CODES + EMSO[:3], Verdict.FAIL)]
)
@pytest.mark.parametrize("state", ["visible", "veryHidden"])
def test_audits_of_a_release__say_what_stands_beside_its_table(
    texts: list[str], verdict: Verdict, state: str
) -> None:
    release = read_dataset(workbook(_sheet(texts, state)), name="x.xlsx")
    for tool, found in judged(release).items():
        assert [one.verdict for one in found] == [verdict], tool
        assert "“more”" in found[0].message
        assert not any(text in found[0].message for text in texts)


def test_audits_of_a_release__find_the_original_beside_it_and_lists_of_people() -> None:
    found = judged(read_dataset(workbook(_sheet(NAMES, "hidden")), name="x.xlsx"))
    assert [one.check for one in found["leakage"]] == ["originals_beside_the_table"]
    assert [one.check for one in found["risk beside its original"]] == ["originals_beside_the_table"]
    assert [one.check for one in found["risk"]] == ["beside_the_table"]  # names of no list
    people = [f"{first} {last}" for first in ("Ana", "Luka") for last in ("Novak", "Horvat", "Kos")]
    found = judged(read_dataset(workbook(_sheet([*people, *CODES], "hidden")), name="x.xlsx"))
    assert [one.check for one in found["risk"]] == ["people_beside_the_table"]
    assert found["risk"][0].n_affected == 6


def _written_by(*keywords: str) -> Callable[[Workbook], object]:
    def change(book: Workbook) -> None:
        book.properties.creator, book.properties.lastModifiedBy = "Jana Novak", "Jana Novak"
        book.properties.title, book.properties.keywords = "Report of May", " ".join(keywords)

    return change


def test_audits_of_a_release__say_nothing_of_a_table_alone_nor_of_who_wrote_it() -> None:
    assert not any(judged(read_dataset(workbook(), name="x.xlsx")).values())
    assert not any(judged(read_dataset(workbook(_written_by()), name="x.xlsx")).values())
    told = judged(read_dataset(workbook(_written_by(*["a long story"] * 20)), name="x.xlsx"))
    assert [one.verdict for one in told["risk"]] == [Verdict.WARN]


# Which sheet is the table.


def _first_sheet(rows: list[list[str]]) -> Callable[[Workbook], None]:
    def change(book: Workbook) -> None:
        sheet = book.create_sheet("first", 0)
        for row in rows:
            sheet.append(row)

    return change


def test_workbook__a_cover_is_not_taken_for_the_table_and_a_short_table_is() -> None:
    covered = read_dataset(workbook(_first_sheet([["About this file"]])), name="x.xlsx")
    assert (covered.reading.options.sheet, covered.n_records) == ("Sheet", 12)
    assert "the sheet “first”" in [one.what for one in covered.reading.beside]
    short = read_dataset(workbook(_first_sheet([["a", "b"], ["1", "2"], ["3", "4"]])), name="x.xlsx")
    assert short.reading.options.sheet == "first"
    asked = read_dataset(
        workbook(_first_sheet([["About this file"], ["read me"]])),
        name="x.xlsx",
        options=ReadOptions(sheet="first"),
    )
    assert asked.n_records == 1
