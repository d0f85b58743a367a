"""Original tables of row leakage: people of the institutions, and of numeric research; more of the same people.

``people(scenario, purpose)`` draws another set of persons from the population of a scenario each time the
purpose differs, so that strangers are as like the originals as persons of one population are. Every cell is text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.quality.schemas import SCHEMAS
from benchmarks.quality.scoreboard import Scenario
from core.people.names import ENGLISH_GIVEN_NAMES, ENGLISH_SURNAMES

Table = pd.DataFrame
INSTITUTIONS = tuple(SCHEMAS)
NUMERIC = ("labs", "sites")
POPULATIONS = (*INSTITUTIONS, *NUMERIC, "answers")
_DIRECT = ("id", "name", "national", "phone", "email", "address")


def people(scenario: Scenario, purpose: str = "original", n: int | None = None) -> Table:
    """Return `n` persons (the scenario's number unless said), without direct identifiers."""
    rng = scenario.rng(purpose)
    n = scenario.n_records if n is None else n
    if scenario.schema in _MAKERS:
        return _MAKERS[scenario.schema](n, rng).astype(str)
    schema = SCHEMAS[scenario.schema]
    direct = [name for name, column in schema.columns.items() if column.kind in _DIRECT]
    return schema.make(n, rng).drop(columns=direct)


def with_identifiers(scenario: Scenario, purpose: str = "original", n: int | None = None) -> Table:
    """Return persons with a participant number, a name and an address before everything else."""
    table = people(scenario, purpose, n)
    rng = scenario.rng(f"identifiers of {purpose}")
    number = rng.permutation(10 * len(table))[: len(table)]
    letters = np.array(list("abcdefghijklmnoprstuvz"))
    names = ["".join(word).title() for word in letters[rng.integers(0, len(letters), (len(table), 9))]]
    table.insert(0, "pid", [f"P{each:07d}" for each in number])
    table.insert(1, "person", names)
    return table


def with_full_names(scenario: Scenario, purpose: str = "original", n: int | None = None) -> Table:
    """Return persons with first and last name, of which strangers share some, before everything else."""
    table = people(scenario, purpose, n)
    rng = scenario.rng(f"full names of {purpose}")
    first, last = (np.array(sorted(names)) for names in (ENGLISH_GIVEN_NAMES, ENGLISH_SURNAMES))
    both = zip(rng.choice(first, len(table)), rng.choice(last, len(table)), strict=True)
    table.insert(0, "person", [f"{one.title()} {other.title()}" for one, other in both])
    return table


def numeric_columns(table: Table) -> list[str]:
    """Return the columns in which every cell is a number."""
    return [name for name in table if pd.to_numeric(table[name], errors="coerce").notna().all()]


def fine_columns(table: Table) -> list[str]:
    """Return the numeric columns with many values: measurements rather than answers."""
    many = min(20, max(8, len(table) // 4))
    return [name for name in numeric_columns(table) if table[name].nunique() >= many]


def _factors(n: int, rng: np.random.Generator, n_columns: int, n_factors: int, noise: float) -> np.ndarray:
    # the loadings are the population's, the same for all persons drawn from it
    loadings = np.random.default_rng([n_columns, n_factors]).normal(0, 1, (n_factors, n_columns))
    loadings /= np.linalg.norm(loadings, axis=0)
    values: np.ndarray = rng.normal(0, 1, (n, n_factors)) @ loadings + rng.normal(0, noise, (n, n_columns))
    return values


def _labs(n: int, rng: np.random.Generator) -> Table:
    """Laboratory values with decimals, correlated through a few organs, plus sex and age."""
    latent = _factors(n, rng, 14, 4, 0.5)
    columns = {f"lab_{i}": np.round(np.exp(2 + i / 7 + 0.3 * latent[:, i]), 2) for i in range(14)}
    return pd.DataFrame({"sex": rng.choice(["F", "M"], n), "age": rng.integers(20, 90, n), **columns})


def _answers(n: int, rng: np.random.Generator) -> Table:
    """Draw a questionnaire: yes or no, and five degrees, all of them driven by one or two traits."""
    latent = _factors(n, rng, 16, 2, 0.6)
    yes = {f"q{i}": np.where(latent[:, i] > 0.3, "yes", "no") for i in range(8)}
    degrees = {
        f"q{i}": np.clip(np.round(3 + 1.3 * latent[:, i]), 1, 5).astype(int).astype(str) for i in range(8, 16)
    }
    return pd.DataFrame({**yes, **degrees})


def _sites(n: int, rng: np.random.Generator) -> Table:
    """Measurements from six sites that differ much from each other: a population in clumps."""
    site = rng.integers(0, 6, n)
    centre = np.random.default_rng(6).normal(0, 3, (6, 9))
    values = centre[site] + _factors(n, rng, 9, 3, 0.8)
    return pd.DataFrame(
        {
            "site": np.array(list("UVWXYZ"))[site],
            "group": np.where(rng.random(n) < 0.5, "case", "control"),
            **{f"m{i}": np.round(50 + 5 * values[:, i], 1) for i in range(9)},
        }
    )


_MAKERS: dict[str, Callable[[int, np.random.Generator], Table]] = {
    "labs": _labs,
    "answers": _answers,
    "sites": _sites,
}
