"""Proof of an attack: steps that anybody can run on their own copy of the files; or what was tried.

A step is a sentence, a command of standard tools, and what it prints: counts and numbers of records, never a
cell. Commands compare cells as text; where an audit also takes 1 and 1.0 for equal, the sentence says so.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import IntArray
from core.plain import masked_shapes
from core.reports.model import Column, ReportTable, Table, table_of
from core.tables import Dataset
from core.words import listed, own, text

MOST_CELLS = 20_000_000  # of a table that steps are worked out for
MOST_NAMED = 10  # records named by number
_ODD_NAME = re.compile(r"_\d{1,9}$|^Unnamed")
_STEPS = (
    Column("step", "Step"),
    Column("what", "What it shows", kind="words"),
    Column("command", "Command", kind="code"),
    Column("prints", "It prints", kind="words"),
)
_TRIED = (
    Column("attack", "Attack", kind="words"),
    Column("budget", "How far it went", kind="words"),
    Column("outcome", "What came of it", kind="words"),
)


class Step(NamedTuple):
    """A check that a sceptic can run."""

    what: str
    command: str
    prints: str


class Tried(NamedTuple):
    """An attack that was tried, how far, and what came of it."""

    attack: str
    budget: str
    outcome: str


_NOTE = (
    "Run each command in the folder of the files, with Python 3 and pandas. Records count from 1, without "
    "the header. No cell is printed."
)


def proof_tables(steps: Iterable[Step], *, note: str = _NOTE, of: str = "") -> tuple[ReportTable, ...]:
    """Return steps as a table; nothing where there are none."""
    rows = [(number, own(each.what), each.command, each.prints) for number, each in enumerate(steps, start=1)]
    return _named("Proof", "Check it yourself", table_of(rows, _STEPS), note=note, of=of)


def tried_tables(tried: Iterable[Tried], *, of: str = "") -> tuple[ReportTable, ...]:
    """Return attacks that were tried as a table; nothing where there were none."""
    rows = [tuple(own(words) for words in each) for each in tried]
    note = "What is not in this list was not tried. Who knows more, or computes longer, may get further."
    return _named("Tried", "Attacks that were tried", table_of(rows, _TRIED), note=note, of=of)


def _named(name: str, title: str, frame: Table, *, note: str, of: str) -> tuple[ReportTable, ...]:
    """Return a table of a run, or of one of its files; nothing where it has no row."""
    if not len(frame):
        return ()
    if of:
        name, title = f"{name} {of}", text("{file}: {title}", file=of, title=own(title))
    return (ReportTable(name, title, frame, note=note),)


def is_provable(*datasets: Dataset) -> bool:
    """Return whether tables are small enough that steps are worked out for them."""
    return all(each.n_records * len(each.columns) <= MOST_CELLS for each in datasets)


def python_command(*statements: str) -> str:
    """Return statements as one command of a shell."""
    return f"python3 -c {shlex.quote('; '.join(('import pandas as pd', *statements)))}"


def reading_code(variable: str, dataset: Dataset) -> str:
    """Return the statement that reads a table as text, missing cells as empty ones."""
    reading, options = dataset.reading, dataset.reading.options
    missing = literal(["", *options.missing_spellings])
    return (
        f'{variable} = {_read_code(dataset)}.fillna("")'
        if reading.format in ("Parquet", "XES")
        else f'{variable} = {_read_code(dataset)}.apply(lambda c: c.mask(c.str.strip().isin({missing}), ""))'
    )


def _read_code(dataset: Dataset) -> str:
    options, name = dataset.reading.options, literal(dataset.name)
    if dataset.reading.format == "Parquet":
        return f"pd.read_parquet({name}).astype(str)"
    if options.header == "none":
        header = f"header=None, names={literal(dataset.columns)}"
    else:
        line = {"first_line": 0, "second_line": 1}.get(options.header)
        header = f"header={int(options.header) - 1 if options.header.isdigit() else line or 0}"
        if any(_ODD_NAME.search(each) for each in dataset.columns):
            header += f", names={literal(dataset.columns)}"
    if dataset.reading.format in ("XLSX", "XLS"):
        sheet = literal(options.sheet) if options.sheet else "0"
        return f"pd.read_excel({name}, sheet_name={sheet}, {header}, dtype=str, keep_default_na=False)"
    how = f"sep={literal(options.delimiter or ',')}, encoding={literal(options.encoding or 'utf-8')}"
    return f"pd.read_csv({name}, {how}, {header}, dtype=str, keep_default_na=False)"


def literal(value: object) -> str:
    """Return text, or texts, as Python writes them."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def plain_cells(dataset: Dataset, names: Sequence[str], *, trimmed: bool = False) -> list[pa.ChunkedArray]:
    """Return columns as the commands read them: missing cells are empty ones."""
    found = []
    for name in names:
        column = dataset.table[name].cast(pa.large_string())
        trim = pc.utf8_trim_whitespace(column)
        column = trim if trimmed else column
        found.append(pc.fill_null(pc.if_else(pc.equal(trim, ""), "", column), ""))
    return found


def whole_rows(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """Return rows as one text each, which are equal where all cells are."""
    return pc.binary_join_element_wise(*columns, pa.scalar("\x1f", pa.large_string()))


def numbers(positions: IntArray) -> str:
    """Return the first record numbers, from 1, as a command prints them."""
    return " ".join(str(number) for number in (np.asarray(positions) + 1)[:MOST_NAMED].tolist())


def small_class_steps(dataset: Dataset, columns: Sequence[str], *, k: int) -> Iterator[Step]:
    """Yield how many records share all of some columns with fewer than `k`, and which are alone."""
    cells = plain_cells(dataset, columns)
    shown = np.logical_or.reduce([column.to_numpy() != "" for column in cells])
    rows = whole_rows(cells).to_numpy()[shown]
    _, codes, counts = np.unique(rows, return_inverse=True, return_counts=True)
    sizes, places = counts[codes], np.flatnonzero(shown)
    small, alone = int((sizes < k).sum()), places[sizes == 1]
    prepare = (
        reading_code("t", dataset),
        f"q = {literal(list(columns))}",
        't = t[(t[q] != "").any(axis=1)]',
        'n = t.groupby(q)[q[0]].transform("size")',
    )
    if small:
        yield Step(
            text(
                "{found} of {n} record shares all of {columns} with fewer than {k}, itself included.",
                "{found} of {n} records share all of {columns} with fewer than {k}, themselves included.",
                n=len(sizes),
                found=small,
                columns=listed(list(columns)),
                k=k,
            ),
            python_command(*prepare, f'print((n < {k}).sum(), "of", len(t))'),
            f"{small} of {len(sizes)}",
        )
    if len(alone):
        shapes = [masked_shapes(column.take([alone[0]])).to_pylist()[0] for column in cells]
        yield Step(
            text(
                "{n} record is alone with its values: who knows them has one candidate. Shape: {shape}.",
                "{n} records are alone with their values: who knows them has one candidate. Shape of the "
                "first: {shape}.",
                n=len(alone),
                shape=", ".join(shapes),
            ),
            python_command(
                *prepare,
                "a = t.index[n == 1]",
                f'print(len(a), "alone:", *[i + 1 for i in a[:{MOST_NAMED}]])',
            ),
            f"{len(alone)} alone: {numbers(alone)}",
        )
