"""What stands in a file beside its table: other sheets, comments, properties, metadata."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.worksheet import Worksheet
from pyarrow import parquet

from benchmarks.quality.tabular.releases import ASK, Change, Release, leak

Add = Callable[[Workbook, Worksheet, Release], object]


def nothing(_book: Workbook, _sheet: Worksheet, _release: Release) -> None:
    """Add nothing to a workbook."""


def workbook(add: Add = nothing) -> Change:
    """Return a change that writes the anonymized table as a workbook with something more in it."""

    def write(release: Release) -> tuple[str, bytes]:
        book = Workbook()
        book.properties.creator = "openpyxl"
        sheet = book.active
        sheet.title = "data"
        sheet.append(list(release.released.columns))
        for row in release.released.itertuples(index=False):
            sheet.append([cell or None for cell in row])
        add(book, sheet, release)
        file = io.BytesIO()
        book.save(file)
        return "x_anonymized.xlsx", file.getvalue()

    return lambda release, _rng: replace(release, write=write)


def parquet_file(metadata: Callable[[Release], dict[str, str]] = lambda _release: {}) -> Change:
    """Return a change that writes the anonymized table as Parquet with metadata."""

    def write(release: Release) -> tuple[str, bytes]:
        table = pa.Table.from_pandas(release.released, preserve_index=False)
        table = table.replace_schema_metadata(
            {key.encode(): text.encode() for key, text in metadata(release).items()} or None
        )
        file = io.BytesIO()
        parquet.write_table(table, file)
        return "x_anonymized.parquet", file.getvalue()

    return lambda release, _rng: replace(release, write=write)


def _sheet_of(columns: tuple[str, ...], *, state: str, n: int | None = None) -> Add:
    """Return an addition: a sheet with original columns by kind, in the order of the original."""

    def add(book: Workbook, _sheet: Worksheet, release: Release) -> None:
        other = book.create_sheet("Sheet2")
        other.sheet_state = state
        names = [name for name in release.original if release.schema.columns[name].kind in columns]
        other.append(names)
        for row in release.original[names].head(n or len(release.original)).itertuples(index=False):
            other.append(list(row))

    return add


def _comments_with_ids(_book: Workbook, sheet: Worksheet, release: Release) -> None:
    for row, text in enumerate(release.truth(release.first("id"))):
        if row % 2 == 0:
            sheet.cell(row + 2, 1).comment = Comment(text, "staff")


def _named(release: Release) -> list[str]:
    return release.truth(release.first("name", "email")).to_list()


def _property(name: str, made: Callable[[Release], str]) -> Add:
    def add(book: Workbook, _sheet: Worksheet, release: Release) -> None:
        setattr(book.properties, name, made(release))

    return add


def _defined(book: Workbook, _sheet: Worksheet, release: Release) -> None:
    for number, name in enumerate(_named(release)[:10]):
        book.defined_names[f"p{number}"] = DefinedName(f"p{number}", attr_text=f'"{name}"')


def _footed(_book: Workbook, sheet: Worksheet, release: Release) -> None:
    sheet.oddFooter.center.text = "Contains: " + ", ".join(_named(release)[:4])


def _index_column(release: Release, rng: np.random.Generator) -> Release:
    with_index = release.having("__index_level_0__", release.truth(release.first("id")))
    return parquet_file()(with_index, rng)


_PEOPLE = ("id", "name", "national", "phone", "email")
# fmt: off
KINDS = (
    *(
        leak(name, "workbooks", workbook(add), control=workbook(), **how)
        for name, add, how in (
            ("a very hidden sheet with names", _sheet_of(("name", "email"), state="veryHidden"), {}),
            ("a hidden sheet with the first twenty originals", _sheet_of(_PEOPLE, state="hidden", n=20), {}),
            ("comments with ids", _comments_with_ids, {}),
            ("a description that names people", _property("description", lambda r: "Export for " + " and ".join(_named(r)[:6])), {"at_least": ASK}),
            ("the author's name in the properties", _property("creator", lambda _r: "Jože Zidar, oddelek 3"), {"at_least": ASK}),
            ("defined names that hold names", _defined, {"at_least": ASK}),
            ("a page footer with names", _footed, {"at_least": ASK}),
        )
    ),
    leak(
        "Parquet metadata with names", "Parquet", control=parquet_file(),
        change=parquet_file(lambda r: {"history": "removed " + ", ".join(_named(r)[:30])}),
    ),
    leak("a Parquet column of ids called like an index", "Parquet", _index_column, control=parquet_file()),
)
# fmt: on
