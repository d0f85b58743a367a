"""Row leakage: against a Python loop over rows, against reading the files as text, and its memory."""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from benchmarks.measuring import peak_bytes, read_as_text, timed, worked_seconds
from core.leakage import LeakageSettings, RowLeakage, count_row_matches, measure_leakage, pair_tables
from core.tables import Dataset, read_dataset

KINDS = ("sex", "smoker", "age", "bmi", "weight", "score", "town", "visit", "id", "token")


def run() -> None:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        _against_a_loop(Path(folder))
        _against_reading(Path(folder))


def _against_a_loop(folder: Path) -> None:
    paths = [_write(folder, f"small_{seed}.csv", 20_000, 14, seed) for seed in (1, 2)]
    original, scrambled = (read_dataset(path) for path in paths)
    # both work on one core: processor time is fair however busy the machine is
    fast, rows = timed(lambda: _row_rules(original, scrambled), rounds=15, clock=time.process_time)
    slow, literal = timed(lambda: _loop(original, scrambled), clock=time.process_time)
    counts = list(zip(rows.match_count.tolist(), rows.valid_count.tolist(), strict=True))
    assert counts == literal, "the fast result differs from the loop's"
    print(f"20,000 x 14, row rules: {slow / fast:,.0f} times faster than a Python loop over rows")
    print(f"    ({fast * 1000:.0f} ms against {slow:.1f} s; at least 200 wanted; the same counts)")
    whole, _ = timed(lambda: measure_leakage(pair_tables(original, scrambled), LeakageSettings()), rounds=2)
    print(f"20,000 x 14, everything incl. chance, exact nearest rows, distances: {whole:.1f} s")


def _row_rules(original: Dataset, scrambled: Dataset) -> RowLeakage:
    pair = pair_tables(original, scrambled)
    return count_row_matches(pair, pair.columns, LeakageSettings())


def _loop(original: Dataset, scrambled: Dataset) -> list[tuple[int, int]]:
    """Compare row by row as one would write it first, over pandas rows."""
    counts = []
    for (_, row), (_, other) in zip(original.frame.iterrows(), scrambled.frame.iterrows(), strict=True):
        matching = valid = 0
        for column in original.columns:
            a, b = row[column], other[column]
            if isinstance(a, float) and isinstance(b, float):  # both missing
                continue
            valid += 1
            matching += _same(a, b)
        counts.append((matching, valid))
    return counts


def _same(a: object, b: object) -> bool:
    """Compare two cells as numbers where both are, else as trimmed text."""
    if isinstance(a, float) or isinstance(b, float):
        return False
    try:
        return math.isclose(float(str(a)), float(str(b)), rel_tol=0)
    except ValueError:
        return str(a).strip() == str(b).strip()


def _against_reading(folder: Path) -> None:
    paths = [_write(folder, f"large_{seed}.csv", 1_000_000, 20, seed) for seed in (1, 2)]
    for measure in ("measure_large_rows", "measure_large"):  # in processes of their own, for their own peak
        program = (
            "import sys\n"
            "from pathlib import Path\n"
            "from benchmarks import bench_leakage as bench\n"
            f"bench.{measure}([Path(name) for name in sys.argv[1:]])\n"
        )
        subprocess.run([sys.executable, "-c", program, *map(str, paths)], check=True)


def measure_large_rows(paths: list[Path]) -> None:
    """Print time and memory of reading and the row rules at 1,000,000 x 20."""
    before = peak_bytes()
    frames = _read_and_count(paths)
    peak = (peak_bytes() - before) / frames
    ours, worked = (
        timed(lambda: _read_and_count(paths), rounds=3, clock=clock)[0]
        for clock in (time.perf_counter, worked_seconds)
    )
    reading, read = (
        timed(lambda: [read_as_text(path.read_bytes()) for path in paths], rounds=3, clock=clock)[0]
        for clock in (time.perf_counter, worked_seconds)
    )
    print(f"1,000,000 x 20, reading both files and row rules: {worked / read:.1f} times pyarrow.csv's work")
    print(
        f"    ({worked:.2f} s against {read:.2f} s of processor time to read both as text; at most 5 wanted;"
    )
    print(f"    {ours / reading:.1f} times by the clock, {ours:.2f} s against {reading:.2f} s)")
    print(f"    peak memory {peak:.1f} times the two frames of {frames / 2**20:,.0f} MB (at most 3 wanted)")


def measure_large(paths: list[Path]) -> None:
    """Print time and memory of everything at 1,000,000 x 20."""
    before = peak_bytes()
    start, at = time.perf_counter(), worked_seconds()
    tables = [read_dataset(path) for path in paths]
    measure_leakage(pair_tables(*tables), LeakageSettings())
    seconds, worked = time.perf_counter() - start, worked_seconds() - at
    frames = sum(table.table.nbytes for table in tables)
    print(f"1,000,000 x 20, reading and everything: {seconds:.1f} s ({worked:.1f} s of work), ", end="")
    print(f"peak memory {(peak_bytes() - before) / frames:.1f} times the two frames")


def _read_and_count(paths: list[Path]) -> int:
    """Read both tables, apply the row rules, and return the size of the two frames in bytes."""
    tables = [read_dataset(path) for path in paths]
    pair = pair_tables(*tables)
    count_row_matches(pair, pair.columns, LeakageSettings())
    return sum(table.table.nbytes for table in tables)


def _write(folder: Path, name: str, n_rows: int, n_columns: int, seed: int) -> Path:
    """Write a table of people: words, whole numbers, decimals, dates, identifiers, some cells missing."""
    generator = np.random.default_rng(seed)
    columns = {
        f"{KINDS[column % len(KINDS)]}_{column}": _column(KINDS[column % len(KINDS)], n_rows, generator)
        for column in range(n_columns)
    }
    csv.write_csv(pa.table(columns), folder / name)
    return folder / name


def _column(kind: str, n: int, generator: np.random.Generator) -> pa.Array:
    """Return a column of a kind, 3 % of the cells missing."""
    values: np.ndarray
    match kind:
        case "sex":
            values = np.array(["female", "male"])[generator.integers(0, 2, n)]
        case "smoker":
            values = np.array(["yes", "no", "former"])[generator.integers(0, 3, n)]
        case "age":
            values = generator.integers(18, 95, n).astype(str)
        case "bmi":
            values = np.round(generator.normal(26, 4, n), 1).astype(str)
        case "weight":
            values = np.round(generator.normal(75, 12, n), 3).astype(str)
        case "score":
            values = generator.integers(-999, 100, n).astype(str)
        case "town":
            values = np.array([f"Town {number}" for number in range(500)])[generator.integers(0, 500, n)]
        case "visit":
            values = (np.datetime64("2000-01-01") + generator.integers(0, 9000, n)).astype(str)
        case "id":
            values = generator.integers(0, 10**9, n).astype(str)
        case _:
            values = np.array([f"{number:012x}" for number in generator.integers(0, 2**48, n)])
    return pa.array(values, pa.string(), mask=generator.random(n) < 0.03)
