"""Disclosure risk of large tables: time and memory of each part, and the k slider, in one run.

Each size is measured in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from benchmarks.measuring import worked_seconds
from core.risk import (
    RiskMeasurement,
    RiskSettings,
    RiskThresholds,
    judge_risk,
    measure_columns,
    measure_risk,
    measure_special_uniques,
    release_reaching,
    search_what_if,
    suda_note,
    what_if_note,
    what_if_settings,
)
from core.risk.result import risk_result, sets_note
from core.tables import read_dataset

Result = TypeVar("Result")

_N_VALUES = {  # distinct values of the eight quasi-identifiers, under names that suggest their role
    "age": 80,
    "sex": 2,
    "city": 40,
    "education": 12,
    "occupation": 30,
    "marital_status": 6,
    "ethnicity": 5,
    "country": 9,
}
_BATCH = 1_000_000


def write_people(path: Path, n_records: int) -> None:
    """Write people with eight uneven quasi-identifiers and a diagnosis, batch by batch."""
    rng = np.random.default_rng(7)
    with pa_csv.CSVWriter(path, pa.schema([(name, pa.string()) for name in _columns()])) as writer:
        for start in range(0, n_records, _BATCH):
            n = min(_BATCH, n_records - start)
            writer.write_batch(pa.record_batch(_batch(rng, n), names=_columns()))


def _columns() -> list[str]:
    return [*_N_VALUES, "diagnosis"]


def _batch(rng: np.random.Generator, n: int) -> list[pa.Array]:
    found = []
    for number, n_values in enumerate((*_N_VALUES.values(), 25)):
        values = pa.array([f"v{number}_{value}" for value in range(n_values)])
        uneven = np.minimum(rng.geometric(min(0.5, 6 / n_values), n) - 1, n_values - 1)
        found.append(values.take(pa.array(uneven)))
    return found


def measure(path: str) -> None:
    """Measure one table in this process and print what each part took, and the memory until then."""
    dataset = _timed("read", lambda: read_dataset(Path(path)))
    settings = RiskSettings(quasi_identifiers=tuple(_columns()[:-1]), sensitive=("diagnosis",))
    measured = _timed("all class measures", lambda: measure_risk(dataset, settings=settings))
    print(f"  {dataset.n_records:,} × {len(_N_VALUES)} in {measured.classes.n_classes:,} classes")
    print(f"  moving k: {1000 * _slider_seconds(measured):.0f} ms")
    columns = _timed("columns and sets of columns", lambda: measure_columns(measured, dataset))
    suda = _timed("special uniques (SUDA2)", lambda: measure_special_uniques(measured, dataset))
    thresholds = RiskThresholds(k=5, l=2)
    asked = what_if_settings(measured, thresholds)
    what_if = _timed("what if", lambda: search_what_if(measured, dataset, settings=asked))
    if columns is not None and suda is not None:
        print(f"  {sets_note(columns)}\n  {suda_note(suda)}")
    print(f"  {what_if_note(what_if)}")
    _timed(
        "generalized table, written, read back and measured",
        lambda: release_reaching(what_if, measured, dataset, thresholds=thresholds),
    )


def _timed(label: str, work: Callable[[], Result]) -> Result:
    started, busy = time.perf_counter(), worked_seconds()
    result = work()
    seconds, busy = time.perf_counter() - started, worked_seconds() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"  {label}: {seconds:.1f} s ({busy:.1f} s of processors), peak until here {peak:.2f} GB", flush=True
    )
    return result


def _slider_seconds(measured: RiskMeasurement) -> float:
    """Return the slowest of a few judgements with all that a page then shows.

    The first one is what a page shows before anybody moves the slider.
    """
    seconds = []
    for k in (5, 3, 11, 20):
        started = time.perf_counter()
        audit = judge_risk(measured, RiskThresholds(k=k))
        risk_result(audit)
        seconds.append(time.perf_counter() - started)
    return max(seconds[1:])


def run() -> None:
    """Measure tables of as many records as RISK_BENCH_RECORDS lists, by default 1,000,000."""
    sizes = os.environ.get("RISK_BENCH_RECORDS", "1000000")
    with tempfile.TemporaryDirectory() as folder:
        for n_records in map(int, sizes.split(",")):
            path = Path(folder) / f"people_{n_records}.csv"
            write_people(path, n_records)
            print(f"{n_records:,} records", flush=True)
            program = "import sys; from benchmarks.bench_risk import measure; measure(sys.argv[1])"
            subprocess.run([sys.executable, "-c", program, str(path)], check=True)
            path.unlink()


if __name__ == "__main__":
    run()
