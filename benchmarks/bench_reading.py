"""Reading 1,000,000 × 20 cells, hashed and as text with missing cells found, against pyarrow.csv alone."""

import io
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
from pyarrow import csv

from benchmarks.measuring import in_turn, read_as_text, timed
from core.tables import read_dataset

N_RECORDS = 1_000_000
ROUNDS = 5
CITIES = ["Ljubljana", "Šentjur", "Kranj", "서울특별시", "부산광역시", "Graz", "NA", ""]


def run() -> None:
    """Print how many times longer than pyarrow.csv our reader takes, for several ways to write a table."""
    with tempfile.TemporaryDirectory() as folder:
        for label, path in _files(Path(folder)).items():
            data = path.read_bytes()
            ours, theirs = in_turn(partial(read_dataset, path), partial(read_as_text, data), rounds=ROUNDS)
            print(
                f"{label}, {path.stat().st_size / 1e6:.0f} MB: {ours:.2f} s, pyarrow.csv {theirs:.2f} s, "
                f"ratio {ours / theirs:.2f} (limit 3)"
            )
    workbook = _workbook(n_records=20_000)
    seconds, _ = timed(lambda: read_dataset(workbook, name="t.xlsx"), rounds=ROUNDS)
    print(f"XLSX, 20,000 × 20: {seconds:.2f} s")


def _files(folder: Path) -> dict[str, Path]:
    """Write the same kind of table unquoted, with every text quoted, and with padded cells."""
    table = _table()
    written = {
        "unquoted": (table, "none"),
        "quoted": (table, "all_valid"),
        "every cell padded": (_padded(table), "none"),
    }
    paths = {}
    for label, (content, quoting) in written.items():
        paths[label] = folder / f"{label}.csv"
        csv.write_csv(content, paths[label], csv.WriteOptions(quoting_style=quoting, quoting_header="none"))
    return paths


def _table() -> pa.Table:
    """Return 20 columns as clinical tables have them: numbers, categories, dates, measurements."""
    rng = np.random.default_rng(20)
    kinds: list[Callable[[], pa.Array]] = [
        lambda: pa.array(rng.integers(0, 10**8, N_RECORDS)).cast(pa.string()),
        lambda: pa.array(np.array(CITIES, dtype=object)[rng.integers(0, len(CITIES), N_RECORDS)]),
        lambda: pa.array(np.datetime64("1950-01-01") + rng.integers(0, 20_000, N_RECORDS)).cast(pa.string()),
        lambda: pa.array(rng.normal(100, 20, N_RECORDS).round(2)).cast(pa.string()),
    ]
    return pa.table({f"column_{number}": kinds[number % 4]() for number in range(20)})


def _padded(table: pa.Table) -> pa.Table:
    cells = [pa.array([f" {cell} " for cell in column.to_pylist()]) for column in table.columns[:4]]
    return pa.table({name: cells[number % 4] for number, name in enumerate(table.column_names)})


def _workbook(*, n_records: int) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    table = _table().slice(0, n_records)
    sheet.append(table.column_names)
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()
