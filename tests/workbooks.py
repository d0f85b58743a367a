"""Workbooks, and such with a part changed as an attacker would make them."""

import io
import zipfile

import openpyxl


def workbook(**sheets: list[list[object]]) -> bytes:
    """Return a workbook of sheets by name; one whose name begins so is hidden."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        if name.startswith("hidden"):
            sheet.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def with_part_changed(data: bytes, part: str, old: bytes, new: bytes, *, renamed: str | None = None) -> bytes:
    """Return a workbook with a change in one part, as an attacker would make it."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            content = source.read(name)
            assert name != part or old in content
            changed = content.replace(old, new) if name == part else content
            target.writestr(renamed or name if name == part else name, changed)
    return out.getvalue()
