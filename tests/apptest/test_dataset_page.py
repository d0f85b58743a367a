"""The page of several tables, as a visitor meets it."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.unit.test_delivery_found import PERSONS, SHEET_NOTES, VISITS, book


def test_dataset_page__reads_all_sheets_of_a_workbook(
    open_page: Callable[[str], AppTest], tmp_path: Path
) -> None:
    path = book(tmp_path, notes=SHEET_NOTES, persons=PERSONS, visits=VISITS)
    app = open_page("pages/measure/dataset.py")
    app = app.file_uploader[0].set_value([(path.name, path.read_bytes(), "application/x")]).run()
    assert not app.exception
    assert not app.error
    assert [*app.dataframe[0].value.iloc[:, 0]] == ["book persons", "book visits"]
    assert "the sheet “notes”" in app.header[0].value


def test_dataset_page__holds_tables_that_came_twice_against_each_other(
    open_page: Callable[[str], AppTest],
) -> None:
    def tables(key: str, *, year: str) -> list[tuple[str, bytes, str]]:
        people = "".join(f"{key}{n},{year or 1940 + n % 60},{'FM'[n % 2]}\n" for n in range(100, 300))
        visits = "".join(f"{key}{n},{'ABC'[n % 3]}\n" for n in range(100, 300))
        files = {"people.csv": f"number,born,sex\n{people}", "visits.csv": f"number,ward\n{visits}"}
        return [(name, data.encode(), "text/csv") for name, data in files.items()]

    app = open_page("pages/measure/dataset.py")
    dropped = [*tables("P", year=""), *tables("Q", year="1940-1999")]  # two folders, in one drop
    dropped.append(dropped[0])  # and a file twice, which is one
    app = app.file_uploader[0].set_value(dropped).run()
    assert "`people.csv`" in app.main.markdown.values[0]
    assert not any("(3)" in each for each in app.main.markdown.values)
    app = app.button(key="dataset_sides").click().run()
    assert not app.exception
    assert not app.error
    assert any("No rules say what was done" in each for each in app.markdown.values)
