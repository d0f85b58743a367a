"""Pairs of releases of different people drawn alike, and what is said of their differences."""

from __future__ import annotations

import io
from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from core.releases import EarlierTable, ReleasedTable, Roles, judge_releases, measure_releases
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

CLASSES, SIZES, SEEDS = (4, 8, 12, 24, 48, 96, 150, 250, 400), (200, 1000, 5000), range(60)
ROLES = Roles(quasi_identifiers=("class",), sensitive=("value",))


def run() -> None:
    """Print the verdicts by number of classes, over all sizes and seeds."""
    all_found: Counter[Verdict] = Counter()
    for n_classes in CLASSES:
        found = Counter(_verdict(n_classes, n, seed) for n, seed in product(SIZES, SEEDS))
        print(f"{n_classes} classes: {_words(found)}")
        all_found += found
    print(f"{sum(all_found.values()):,} pairs: {_words(all_found)}")


def _words(found: Counter[Verdict]) -> str:
    return ", ".join(
        f"{n} {verdict.value}" for verdict, n in sorted(found.items(), key=lambda each: -each[1])
    )


def _verdict(n_classes: int, n: int, seed: int) -> Verdict:
    rng = np.random.default_rng([n_classes, n, seed])
    later, earlier = (_table(rng, n_classes, n) for _ in range(2))
    released = ReleasedTable(name="later", dataset=later, roles=ROLES)
    measured = measure_releases([released], [EarlierTable(release="earlier", dataset=earlier)])
    return judge_releases(measured, k=5).overall


def _table(rng: np.random.Generator, n_classes: int, n: int) -> Dataset:
    columns = {
        "class": np.char.add("c", (rng.random(n) ** 2 * n_classes).astype(int).astype(str)),
        "value": np.char.add("v", rng.integers(0, 6, n).astype(str)),
    }
    written = io.BytesIO()
    pa_csv.write_csv(pa.table(columns), written)
    return read_dataset(written.getvalue(), name="table.csv")


if __name__ == "__main__":
    run()
