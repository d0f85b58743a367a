"""Pairs of genome files on a Dask cluster of this machine: two workers against one, and what a task costs.

Workers are processes of one thread. A machine that others use tells little by the clock, so the processor
time of the workers stands beside it: two may take no more than one. ``BENCH_CLUSTER_PAIRS`` (default 200) and
``BENCH_CLUSTER_RECORDS`` (default 80,000 of a pair) say how much work there is.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from distributed import LocalCluster

from benchmarks.bench_vcf import KINDS, write_pair
from benchmarks.measuring import worked_seconds
from core.cluster import Scheduler, Task, settings_digest, stamps
from core.vcf import VcfPair, VcfSettings, measure_pair

N_PAIRS = int(os.environ.get("BENCH_CLUSTER_PAIRS", "200"))
N_RECORDS = int(os.environ.get("BENCH_CLUSTER_RECORDS", "80000"))
N_ROUNDS = 3  # of one worker and two in turn
N_SMALL = 100  # pairs of ten records, for what a task costs
KIND = "one sample, scrubbed"
AIM, AIM_SECONDS = 1.8, 0.05


class Took(NamedTuple):
    """Seconds by the clock, and of the workers' processors."""

    wall: float
    cpu: float


def run() -> None:
    """Print how much faster two workers are, and what a task costs."""
    with tempfile.TemporaryDirectory() as folder:
        large, small = (_pair(Path(folder), n_records) for n_records in (N_RECORDS, 10))
        rounds = [[_on_workers(n, large, N_PAIRS) for n in (1, 2)] for _ in range(N_ROUNDS)]
        faster = sorted(one.wall / two.wall for one, two in rounds)
        cpu = statistics.median(two.cpu / one.cpu for one, two in rounds)
        took = statistics.median(two.wall for _, two in rounds)
        print(
            f"{N_PAIRS} pairs of {N_RECORDS:,} records: two workers {statistics.median(faster):.2f} times as "
            f"fast as one ({faster[0]:.2f} to {faster[-1]:.2f}; aim {AIM}), {took:.1f} s, in {cpu:.2f} times "
            "the processor time"
        )
        settings = VcfSettings()
        started = time.perf_counter(), worked_seconds()
        for _ in range(N_SMALL):
            measure_pair(small, settings, looks_for_donors=False, panel=None)
        here = Took(time.perf_counter() - started[0], worked_seconds() - started[1])
        there = _on_workers(1, small, N_SMALL)
        print(
            f"{N_SMALL} pairs of 10 records: {1000 * (there.wall - here.wall) / N_SMALL:.0f} ms more a pair "
            f"on one worker than here (aim {1000 * AIM_SECONDS:.0f} ms), "
            f"{1000 * (there.cpu - here.cpu) / N_SMALL:.0f} ms of processor time"
        )


def _pair(folder: Path, n_records: int) -> VcfPair:
    own = folder / f"{n_records}"
    own.mkdir()
    return write_pair(own, KIND, KINDS[KIND][0](n_records))


def _on_workers(n_workers: int, pair: VcfPair, n_pairs: int) -> Took:
    """Measure a pair again and again."""
    task = Task(
        name=pair.anonymized.name,
        files=stamps([file.path for file in (pair.original, pair.anonymized) if file.path is not None]),
        settings=settings_digest(VcfSettings()),
        measure=partial(measure_pair, pair, VcfSettings(), looks_for_donors=False, panel=None),
    )
    with LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        scheduler = Scheduler(cluster.scheduler_address)
        for _ in scheduler.answers([task] * 2 * n_workers, lambda _n_workers: None):  # starts what is needed
            pass
        before, started = _worked(scheduler), time.perf_counter()
        n_done = sum(bool(answer.data) for _, answer in scheduler.answers([task] * n_pairs, lambda _: None))
        took = Took(time.perf_counter() - started, _worked(scheduler) - before)
        scheduler.close()
    assert n_done == n_pairs
    return took


def _worked(scheduler: Scheduler) -> float:
    return sum(scheduler._client.run(worked_seconds).values())
