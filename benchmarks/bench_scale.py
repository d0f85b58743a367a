"""What 200,000 genomes and a table of a billion records cost, from growth that is measured here.

Genomes: processor seconds of a pair against its records, by the smallest and the largest. Tables: the
classes of records over eight columns, by DuckDB on one thread, against n log n. ``BENCH_SCALE`` (default 1)
multiplies the sizes.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from benchmarks.bench_vcf import KINDS, write_pair
from benchmarks.measuring import timed
from core.vcf import VcfSettings, judge_scan, scan_pair

SCALE = float(os.environ.get("BENCH_SCALE", "1"))
GENOME_RECORDS, N_GENOMES = 5_000_000, 200_000
TABLE_RECORDS = 1_000_000_000
N_COLUMNS, CODE_BYTES, COUNT_BYTES = 8, 4, 8  # of a record that is shuffled: its codes and a count
N_ROUNDS = 3


def run() -> None:
    """Print seconds by size, and what the large ones cost by them."""
    seconds = {n: _genome(n) for n in (int(size * SCALE) for size in (50_000, 100_000, 200_000, 400_000))}
    a_record = _slope(seconds, lambda n: n)
    for n, took in seconds.items():
        print(f"pair of one sample, {n:,} records: {took:.2f} s, {1e6 * took / n:.2f} µs a record")
    hours = N_GENOMES * GENOME_RECORDS * a_record / 3600
    print(
        f"{N_GENOMES:,} genomes of {GENOME_RECORDS:,} records: {GENOME_RECORDS * a_record:.0f} s each, "
        f"{hours:,.0f} core hours; nothing is shuffled"
    )
    seconds = {n: _table(n) for n in (int(size * SCALE) for size in (250_000, 500_000, 1_000_000, 2_000_000))}
    a_step = _slope(seconds, lambda n: n * math.log2(n))
    for n, took in seconds.items():
        print(f"classes over {N_COLUMNS} columns, {n:,} records: {took:.2f} s, {1e6 * took / n:.2f} µs each")
    hours = TABLE_RECORDS * math.log2(TABLE_RECORDS) * a_step / 3600
    n_bytes = TABLE_RECORDS * (N_COLUMNS * CODE_BYTES + COUNT_BYTES)
    print(
        f"{TABLE_RECORDS:,} records: {hours:.2f} core hours, at most {n_bytes / 1e9:.0f} GB shuffled, for "
        "one set of columns"
    )


def _slope(seconds: dict[int, float], steps: Callable[[int], float]) -> float:
    """Return the seconds a step between the smallest and the largest size, without those of beginning."""
    small, large = min(seconds), max(seconds)
    return (seconds[large] - seconds[small]) / (steps(large) - steps(small))


def _genome(n_records: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        pair = write_pair(Path(folder), "one sample", KINDS["one sample, scrubbed"][0](n_records))
        return timed(
            lambda: judge_scan(scan_pair(pair, VcfSettings()), VcfSettings()),
            rounds=N_ROUNDS,
            clock=time.process_time,
        )[0]


def _table(n_records: int) -> float:
    with duckdb.connect(config={"threads": 1}) as database:
        columns = ", ".join(
            f"(hash(i * {N_COLUMNS} + {number}) % {4 + 6 * number})::VARCHAR AS c{number}"
            for number in range(N_COLUMNS)
        )
        database.execute(f"CREATE TABLE t AS SELECT {columns} FROM range({n_records}) AS r(i)")  # noqa: S608
        names = ", ".join(f"c{number}" for number in range(N_COLUMNS))
        query = f"SELECT n, count(*) FROM (SELECT count(*) AS n FROM t GROUP BY {names}) GROUP BY n"  # noqa: S608
        return timed(lambda: database.execute(query).fetchall(), rounds=N_ROUNDS, clock=time.process_time)[0]
