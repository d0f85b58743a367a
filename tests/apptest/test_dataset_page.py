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
