"""What stands in a file beside its table: other sheets, comments, properties, metadata."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.worksheet import Worksheet
from pyarrow import parquet

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.releases import EVERY, Change, Release, leak
from core.verdict import Verdict

Add = Callable[[Workbook, Worksheet, Release], object]
_SIZES = (30, 200, 1000, 5000)
_ASK = Verdict.WARN


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


def _sheet_of(
    columns: tuple[str, ...], *, state: str = "visible", title: str = "Sheet2", n: int | None = None
) -> Add:
    """Return an addition: a sheet with original columns by kind, in the order of the original."""

    def add(book: Workbook, _sheet: Worksheet, release: Release) -> None:
        other = book.create_sheet(title)
        other.sheet_state = state
        names = [name for name in release.original if release.schema.columns[name].kind in columns]
        other.append(names)
        for row in release.original[names].head(n or len(release.original)).itertuples(index=False):
            other.append(list(row))

    return add


def _comments(made: Callable[[Release], list[str]], every: int) -> Add:
    def add(_book: Workbook, sheet: Worksheet, release: Release) -> None:
        for row, text in enumerate(made(release)):
            if row % every == 0:
                sheet.cell(row + 2, 1).comment = Comment(text, "staff")

    return add


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


def workbook_kinds() -> Iterator[Kind]:
    """Yield what stands in a workbook beside the table."""
    people = ("id", "name", "national", "phone", "email")
    cases: tuple[tuple[str, Add, Verdict, tuple[str, ...]], ...] = (
        (
            "a very hidden sheet with names",
            _sheet_of(("name", "email"), state="veryHidden"),
            Verdict.FAIL,
            EVERY,
        ),
        (
            "a hidden sheet with the first twenty originals",
            _sheet_of(people, state="hidden", n=20),
            Verdict.FAIL,
            EVERY,
        ),
        ("comments with ids", _comments(lambda r: r.truth(r.first("id")).to_list(), 2), Verdict.FAIL, EVERY),
        (
            "a description that names people",
            _property("description", lambda r: "Export for " + " and ".join(_named(r)[:6])),
            _ASK,
            EVERY,
        ),
        (
            "the author's name in the properties",
            _property("creator", lambda _r: "Jože Zidar, oddelek 3"),
            _ASK,
            EVERY,
        ),
        ("defined names that hold names", _defined, _ASK, EVERY),
        ("a page footer with names", _footed, _ASK, EVERY),
    )
    for name, add, at_least, schemas in cases:
        yield leak(
            name,
            "workbooks",
            workbook(add),
            control=workbook(),
            at_least=at_least,
            schemas=schemas,
            sizes=_SIZES,
        )


def parquet_kinds() -> Iterator[Kind]:
    """Yield what stands in the metadata of Parquet files."""
    for name, metadata, at_least in (
        (
            "Parquet metadata with names",
            lambda r: {"history": "removed " + ", ".join(_named(r)[:30])},
            Verdict.FAIL,
        ),
    ):
        yield leak(
            name,
            "Parquet",
            parquet_file(metadata),
            control=parquet_file(),
            at_least=at_least,
            sizes=(30, 200, 1000, 20_000),
        )
    yield leak(
        "a Parquet column of ids called like an index",
        "Parquet",
        _index_column,
        control=parquet_file(),
        sizes=_SIZES,
    )


def _index_column(release: Release, rng: np.random.Generator) -> Release:
    with_index = release.having("__index_level_0__", release.truth(release.first("id")))
    return parquet_file()(with_index, rng)


KINDS = (*workbook_kinds(), *parquet_kinds())
