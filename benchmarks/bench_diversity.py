"""The (k, l) grid search against the reference's seconds, a literal implementation, and the clock."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from benchmarks.literal_diversity import LiteralProblem, literal_configuration
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


def seconds(
    work: Callable[[], object], *, repeats: int = 1, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the shortest of several runs, on the clock, or the processor's with `time.process_time`."""
    found = []
    for _ in range(repeats):
        started = clock()
        work()
        found.append(clock() - started)
    return min(found)


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
        one = seconds(lambda: search(problem, verified=False), repeats=7, clock=time.process_time)  # noqa: B023
        two = seconds(lambda: search(problem, verified=False, n_jobs=JOBS), repeats=7)  # noqa: B023
        proven = seconds(lambda: measure_diversity(problem, n_jobs=JOBS), repeats=3)  # noqa: B023
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
    took = seconds(
        lambda: [literal_configuration(by_the_books, *pair) for pair in some], clock=time.process_time
    )
    return took * len(problem.settings.pairs) / len(some)


def wide_grid() -> None:
    """Search k 2 to 100 on breast cancer, every release read back."""
    for cells in ("all_features", "proper"):
        problem = demo_problem("breast_cancer", k_min=2, k_max=100)
        settings = replace(problem.settings, cells=cells)
        problem = replace(problem, inputs=replace(problem.inputs, settings=settings))
        took = seconds(lambda: measure_diversity(problem, n_jobs=JOBS))  # noqa: B023
        print(f"k 2 to 100, {len(settings.pairs):,} pairs, cells {cells}: {took:.1f} s")


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
        took = seconds(lambda: measure_diversity(problem, n_jobs=JOBS))  # noqa: B023
        print(
            f"20,000 x 30, k 2 to 30, {len(settings.pairs)} pairs, cells {cells}, {JOBS} threads: "
            f"{took:.0f} s"
        )


def wide_problem(n_columns: int, n_quasi_identifiers: int, **changes: object) -> SearchProblem:
    """Return a search over 300 records of many numbers, of which the first 20 say what the label is."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(600, n_columns)).round(3)
    names = [f"f{i}" for i in range(n_columns)]
    frame = pd.DataFrame(values, columns=names).assign(
        secret=rng.integers(0, 20, 600),
        label=(values[:, :20] @ rng.normal(size=20) + rng.normal(scale=0.3, size=600) > 0).astype(int),
    )
    settings = DiversitySettings(
        label="label", sensitive_attributes=("secret",), quasi_identifiers=tuple(names[:n_quasi_identifiers])
    )
    data = read_dataset(frame.to_csv(index=False).encode(), name="wide.csv")
    return prepare_search(data, replace(settings, **changes), ModelChoice())  # type: ignore[arg-type]


def many_features() -> None:
    """Search k 2 to 12 on 300 records of 5,000 features, every release read back."""
    for cells in ("all_features", "proper"):
        for n_quasi_identifiers in (4, 5000):
            problem = wide_problem(5000, n_quasi_identifiers, cells=cells, k_max=12)
            took = seconds(lambda: measure_diversity(problem, n_jobs=JOBS))  # noqa: B023
            print(
                f"300 x 5,000, {n_quasi_identifiers:,} quasi-identifiers, k 2 to 12, "
                f"{len(problem.settings.pairs)} pairs, cells {cells}, {JOBS} threads: {took:.1f} s",
                flush=True,
            )


def giving_back() -> None:
    """Miss a target of 95 % with 500 quasi-identifiers, so that they are given back one at a time."""
    problem = wide_problem(500, 500, k_max=2, l_min=2, target_accuracy=0.95)
    fast = seconds(lambda: search(problem, verified=False))
    (found,) = search(problem, verified=False)
    minimization = found.evaluation.minimization  # type: ignore[union-attr]
    n_back = minimization.generalized.count(False)
    print(f"500 quasi-identifiers, {n_back} given back for 95 %: {fast:.2f} s for an evaluation")


def run() -> None:
    """Print all ratios."""
    golden()
    wide_grid()
    large_table()
    many_features()
    giving_back()
