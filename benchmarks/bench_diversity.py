"""The (k, l) grid search against the reference's seconds, a literal implementation, and the clock."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from benchmarks.literal_diversity import LiteralProblem, literal_configuration
from benchmarks.measuring import timed
from core.demo import diversity_table
from core.diversity import (
    DiversitySettings,
    ModelChoice,
    SearchProblem,
    as_published,
    measure_diversity,
    prepare_search,
    search,
)
from core.tables import read_dataset

GOLDEN_DIR = Path(os.environ.get("GOLDEN_DIR", Path(__file__).parents[2] / "shared" / "golden"))
JOBS = 2


def demo_problem(name: str, **changes: object) -> SearchProblem:
    """Return a search over a demo table with the cells of the reference."""
    file = diversity_table(name)
    settings = DiversitySettings(
        label="target",
        sensitive_attributes=("mean radius",),
        quasi_identifiers=("mean texture", "mean perimeter", "mean smoothness"),
    )
    settings = as_published(replace(settings, **changes))  # type: ignore[arg-type]
    return prepare_search(read_dataset(file.data, name=file.name), settings, ModelChoice())


def golden() -> None:
    """Compare with the literal rules on this machine, and with the reference's seconds on its own.

    One thread and the processor's seconds, so that what else runs on this machine counts less.
    """
    for path in sorted((GOLDEN_DIR / "diversity").glob("*.json")):
        expected = json.loads(path.read_text())
        problem = demo_problem(
            expected["dataset"],
            sensitive_attributes=(expected["sensitive_attribute"],),
            quasi_identifiers=tuple(expected["quasi_identifiers"]),
            k_min=expected["k_min"],
            k_max=expected["k_max"],
            target_accuracy=expected["target_accuracy"],
        )
        slow = literal_seconds(problem)
        one = timed(lambda: search(problem, verified=False), rounds=7, clock=time.process_time)[0]  # noqa: B023
        two = timed(lambda: search(problem, verified=False, n_jobs=JOBS), rounds=7)[0]  # noqa: B023
        proven = timed(lambda: measure_diversity(problem, n_jobs=JOBS), rounds=3)[0]  # noqa: B023
        reference = expected["reference_seconds"]
        print(
            f"{path.stem}, {len(problem.settings.pairs):,} pairs: {one:.3f} s, {slow / one:.0f}x faster than "
            f"the literal rules in this run ({slow:.1f} s), {reference / one:.0f}x faster than the "
            f"reference's {reference} s; {JOBS} threads {two:.3f} s; all read back {proven:.3f} s"
        )


def literal_seconds(problem: SearchProblem) -> float:
    """Return the seconds that the rules take word for word, from every eighth pair of the grid."""
    inputs = problem.inputs
    by_the_books = LiteralProblem(
        values=problem.values,
        labels=inputs.outcome.values,
        model=inputs.model.estimator,  # type: ignore[union-attr]
        quasi_identifiers=[problem.features.index(name) for name in problem.settings.quasi_identifiers],
        sensitive=problem.features.index(problem.settings.sensitive_attributes[0]),
        target_accuracy=problem.settings.target,
    )
    some = problem.settings.pairs[::8]
    took, _ = timed(
        lambda: [literal_configuration(by_the_books, *pair) for pair in some], clock=time.process_time
    )
    return took * len(problem.settings.pairs) / len(some)


def large_table() -> None:
    """Search k 2 to 30 on 20,000 records of 30 features, every release read back."""
    values, labels = make_classification(40_000, 30, n_informative=8, n_classes=3, random_state=1)
    frame = pd.DataFrame(np.round(values, 3), columns=[f"f{i}" for i in range(30)]).assign(label=labels)
    data = read_dataset(frame.to_csv(index=False).encode(), name="large.csv")
    for cells in ("all_features", "proper"):
        settings = DiversitySettings(
            label="label",
            sensitive_attributes=("f5",),
            quasi_identifiers=("f0", "f1", "f2", "f3"),
            k_max=30,
            cells=cells,
            sensitive_bins=None if cells == "all_features" else 10,
        )
        problem = prepare_search(data, settings, ModelChoice())
        took = timed(lambda: measure_diversity(problem, n_jobs=JOBS))[0]  # noqa: B023
        print(
            f"20,000 x 30, k 2 to 30, {len(settings.pairs)} pairs, cells {cells}, {JOBS} threads: "
            f"{took:.0f} s"
        )


def run() -> None:
    """Print all ratios."""
    golden()
    large_table()
