"""Disclosure risk of large tables: time and memory, and the k slider, in one run.

Each size is measured in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from core import risk_views
from core.datasets import read_dataset
from core.risk import RiskSettings, RiskThresholds, judge_risk, measure_risk

_SIZES = (1_000_000, 10_000_000)
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
    """Measure one table in this process and print what it took."""
    started = time.perf_counter()
    dataset = read_dataset(Path(path))
    read = time.perf_counter()
    settings = RiskSettings(quasi_identifiers=tuple(_columns()[:-1]), sensitive=("diagnosis",))
    measured = measure_risk(dataset, settings=settings)
    done = time.perf_counter()
    slider = _slider_seconds(measured)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{dataset.n_records:>11,} × {len(_N_VALUES)} in {measured.classes.n_classes:,} classes: "
        f"read {read - started:.1f} s, all class measures {done - read:.1f} s, peak {peak:.2f} GB, "
        f"moving k {slider:.3f} s",
        flush=True,
    )


def _slider_seconds(measured: object) -> float:
    """Return the slowest of a few judgements with the chart and figures that a page then draws.

    The first one is what a page shows before anybody moves the slider.
    """
    seconds = []
    for k in (5, 3, 11, 20):
        started = time.perf_counter()
        audit = judge_risk(measured, RiskThresholds(k=k))
        risk_views.class_chart(audit)
        risk_views.headline_figures(audit)
        risk_views.intruders_table(audit)
        seconds.append(time.perf_counter() - started)
    return max(seconds[1:])


def run() -> None:
    """Measure 1,000,000 records, and 10,000,000 where RISK_BENCH_LARGE is set."""
    sizes = _SIZES if os.environ.get("RISK_BENCH_LARGE") else _SIZES[:1]
    with tempfile.TemporaryDirectory() as folder:
        for n_records in sizes:
            path = Path(folder) / f"people_{n_records}.csv"
            write_people(path, n_records)
            program = "import sys; from benchmarks.bench_risk import measure; measure(sys.argv[1])"
            subprocess.run([sys.executable, "-c", program, str(path)], check=True)
            path.unlink()


if __name__ == "__main__":
    run()
