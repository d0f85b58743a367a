"""Estimates of risk against a population of which only the size is known, held against the truth.

A population of invented people with dependent attributes is drawn, samples of 0.5 to 50 % are taken from it
over five sets of columns, and what the models say of the marketer's risk stands beside what is true. With
``POPULATION_TABLE=FILE`` the people of a table of yours are the population, over its first columns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.coding import combined_codes, value_codes
from core.risk.population_estimates import marketer_estimates
from core.tables import read_dataset

POPULATION = 200_000
FRACTIONS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
FEWEST_DRAWN = 30
SETS = {
    "2 coarse": ("age band", "sex"),
    "3 usual": ("age", "sex", "region"),
    "4 with work": ("age", "sex", "region", "occupation"),
    "6 broad": ("age", "sex", "region", "occupation", "education", "marital"),
    "9 of a census": (
        "age", "sex", "region", "occupation", "education", "marital", "children", "hours", "town",
    ),
}  # fmt: skip


def make_population(n: int, seed: int) -> dict[str, np.ndarray]:
    """Return codes of people whose attributes depend on age, education and region, as such attributes do."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(5.5, 7.5, n).astype(int) + 15, 16, 95)
    sex = rng.integers(0, 2, n)
    region = rng.choice(20, n, p=_falling(20, 0.8))
    education = np.clip((rng.normal(6, 2.5, n) - (age > 60)).astype(int), 0, 15)
    occupation = (education // 2 + rng.choice(9, n, p=_falling(9, 1.0)) + 3 * sex) % 15
    marital = np.where(age < 25, 0, rng.choice(6, n, p=_falling(6, 1.2)))
    children = np.where(age < 22, 0, rng.poisson(1.2, n))
    hours = np.where(rng.random(n) < 0.5, 40, np.clip(rng.normal(38, 11, n).astype(int), 1, 90))
    town = region * 100 + rng.choice(60, n, p=_falling(60, 1.1))
    return {
        "age": age,
        "age band": age // 10,
        "sex": sex,
        "region": region,
        "occupation": occupation,
        "education": education,
        "marital": marital,
        "children": children,
        "hours": hours,
        "town": town,
    }


def _falling(n: int, power: float) -> np.ndarray:
    weights = 1.0 / np.arange(1, n + 1) ** power
    return weights / weights.sum()


def read_population(path: Path) -> tuple[dict[str, np.ndarray], dict[str, tuple[str, ...]]]:
    """Return the people of a table as codes, and five sets of its columns, the first ones each."""
    dataset = read_dataset(path)
    names = dataset.columns
    sizes = sorted({min(size, len(names)) for size in (2, 3, 4, 6, 9)})
    people = {name: value_codes(dataset.table[name]) for name in names}
    return people, {f"first {size}": tuple(names[:size]) for size in sizes}


def lines(people: Mapping[str, np.ndarray], sets: Mapping[str, Sequence[str]], *, seed: int = 0) -> list[str]:
    """Return a Markdown table: truth, bound and estimates for each fraction and set of columns."""
    population = len(next(iter(people.values())))
    found = [
        "| columns | sample | highest | its bound | marketer | its bound | weights | Pitman | SNB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for title, names in sets.items():
        codes = codes_of([people[name] for name in names])
        sizes = np.bincount(codes)
        for fraction in FRACTIONS:
            if fraction * population < FEWEST_DRAWN:
                continue
            rng = np.random.default_rng([seed, int(fraction * 1000)])
            drawn = codes[rng.choice(population, int(fraction * population), replace=False)]
            in_sample = np.bincount(drawn, minlength=len(sizes))
            seen = in_sample > 0
            true = float((in_sample[seen] / sizes[seen]).sum() / len(drawn))
            estimates = {
                each.model: each for each in marketer_estimates(in_sample[seen], population_size=population)
            }
            pitman = estimates["pitman"]
            between = "" if pitman.interval is None else " ({:.3f}–{:.3f})".format(*pitman.interval)
            cells = [
                title,
                f"{fraction:.1%}",
                f"{1 / sizes[seen].min():.3f}",
                f"{1 / in_sample[seen].min():.3f}",
                f"{true:.3f}",
                f"{seen.sum() / len(drawn):.3f}",
                _shown(estimates["weights"].risk),
                _shown(pitman.risk) + between,
                _shown(estimates["snb"].risk),
            ]
            found.append(f"| {' | '.join(cells)} |")
    return found


def codes_of(columns: list[np.ndarray]) -> np.ndarray:
    """Return one code from 0 for each combination of the columns."""
    return value_codes(pa.array(combined_codes(columns, n_records=len(columns[0]))))


def _shown(risk: float | None) -> str:
    return "–" if risk is None else f"{risk:.3f}"


def run() -> None:
    """Print truth, bounds and estimates as a table."""
    path = os.environ.get("POPULATION_TABLE")
    people, sets = (make_population(POPULATION, 0), SETS) if path is None else read_population(Path(path))
    print("\n".join(lines(people, sets)))
