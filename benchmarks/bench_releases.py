"""A release of a million records beside ledgers and tables of earlier ones: processor time, in one run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from benchmarks.measuring import worked_seconds
from core.releases import EarlierTable, ReleasedTable, Roles, measure_releases, new_ledger, read_ledger
from core.tables import Dataset, read_dataset

N_RECORDS, N_NEW, N_LEDGERS = 1_000_000, 2_000, 50
# Distinct values of seven quasi-identifiers, as a release has them and as they were collected, and of the
# sensitive attribute, the last of the eight columns.
SHAPES = {
    "generalized": (9, 2, 12, 4, 6, 3, 3, 30),
    "as collected": (80, 2, 40, 12, 30, 6, 5, 30),
}
Result = TypeVar("Result")


def run() -> None:
    """Print the processor seconds of each comparison."""
    for shape, n_values in SHAPES.items():
        names = tuple(f"column_{number}" for number in range(len(n_values)))
        roles = Roles(quasi_identifiers=names[:-1], sensitive=names[-1:])
        with tempfile.TemporaryDirectory() as folder:
            later = _people(Path(folder) / "later.csv", names, n_values, N_RECORDS)
            earlier = _people(Path(folder) / "earlier.csv", names, n_values, N_RECORDS - N_NEW)
        released = ReleasedTable(name="later", dataset=later, roles=roles)
        before = ReleasedTable(name="later", dataset=earlier, roles=roles)
        data = _timed(f"{shape}: ledger written", lambda table=before: new_ledger([table], k=5))
        print(f"  {len(data) / 1e6:.1f} MB")
        ledger = read_ledger(data, name="ledger.json")
        n_classes = len(ledger.tables[0].counts.keys)
        print(
            f"  {n_classes:,} classes, {len(ledger.tables[0].counts.values[names[-1]].part):,} with a value"
        )
        for n in (1, N_LEDGERS):
            _timed(
                f"{shape}: beside {n} ledgers, read and compared",
                lambda n=n, table=released, data=data: measure_releases(
                    [table], [read_ledger(data, name=f"{number}.json") for number in range(n)]
                ),
            )
        _timed(
            f"{shape}: beside the table",
            lambda table=released, other=earlier: measure_releases(
                [table], [EarlierTable(release="earlier", dataset=other)]
            ),
        )


def _people(path: Path, names: tuple[str, ...], n_values: tuple[int, ...], n_records: int) -> Dataset:
    """Write uneven values, the first records the same in every release, and read them."""
    rng = np.random.default_rng(5)
    columns = [
        pa.array((rng.random(N_RECORDS)[:n_records] ** 2 * n).astype(np.int64).astype(str)) for n in n_values
    ]
    pa_csv.write_csv(pa.table(columns, names=list(names)), path)
    return read_dataset(path)


def _timed(label: str, work: Callable[[], Result]) -> Result:
    started = worked_seconds()
    result = work()
    print(f"{label}: {worked_seconds() - started:.1f} s")
    return result
