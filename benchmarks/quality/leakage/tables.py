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
from core.people import ENGLISH_GIVEN_NAMES, ENGLISH_SURNAMES

Table = pd.DataFrame
INSTITUTIONS = ("korean_hospital", "slovenian_registry", "english_insurance", "us_claims", "survey")
RESEARCH = ("research", "labs", "answers", "wages", "sites")
POPULATIONS = (*INSTITUTIONS, *RESEARCH)
NUMERIC = ("labs", "wages", "sites")
_DIRECT = ("id", "name", "national", "phone", "email", "address")
NO_ANSWER = "-999"


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
    """Return the columns in which every cell that is there is a number, missing answers apart."""
    return [name for name in table if _is_numeric(table[name])]


def _is_numeric(column: pd.Series) -> bool:
    there = column[(column != "") & (column != NO_ANSWER)]
    return len(there) > 0 and bool(pd.to_numeric(there, errors="coerce").notna().all())


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


def _research(n: int, rng: np.random.Generator) -> Table:
    """Draw a study of young adults: coarse numbers, answers that hang together, many of them not given."""
    latent = _factors(n, rng, 8, 2, 0.7)
    answers = np.clip(np.round(4 + 2 * latent), 1, 7).astype(int).astype(str)
    silent = rng.random(n) < 0.4
    answers[np.ix_(silent, [4, 5, 6, 7])] = NO_ANSWER
    faith = rng.random(n) < 0.2
    return pd.DataFrame(
        {
            "age": np.clip(np.round(23 + rng.gamma(2, 2, n)), 18, 60).astype(int),
            "sex": np.where(rng.random(n) < 0.5, "female", "male"),
            "handedness": rng.choice(["right", "left"], n, p=[0.9, 0.1]),
            "education": np.array(["low", "medium", "high"])[np.clip((latent[:, 0] + 1.2).astype(int), 0, 2)],
            "BMI": np.round(23 + 3 * latent[:, 1] + rng.gamma(1, 2, n)).astype(int),
            "religious": np.where(faith, "yes", "no"),
            "importance": np.where(faith, rng.integers(1, 6, n).astype(str), NO_ANSWER),
            "background": np.round(np.clip(4 + 1.5 * latent[:, 2], 1, 9) * 2) / 2,
            **{f"attraction_{i}": answers[:, i] for i in range(4)},
            **{f"identity_{i}": answers[:, i] for i in range(4, 8)},
        }
    )


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


def _wages(n: int, rng: np.random.Generator) -> Table:
    """Wages, hours and tax: long-tailed, some of them nearly determined by others; a tenth missing."""
    skill = rng.normal(0, 1, n)
    hours = np.clip(np.round(38 + 6 * rng.normal(0, 1, n)), 8, 60)
    wage = np.exp(2.9 + 0.45 * skill + rng.normal(0, 0.25, n))
    income = wage * hours * 48
    table = pd.DataFrame(
        {
            "branch": rng.choice(list("ABCDEFGHKM"), n),
            "years": np.clip(np.round(12 + 2.5 * skill + rng.normal(0, 1.5, n)), 6, 24).astype(int),
            "hours": hours.astype(int),
            "wage": np.round(wage, 2),
            "income": np.round(income).astype(int),
            "tax": np.round(income * (0.18 + 0.02 * skill) + rng.normal(0, 150, n)).astype(int),
            "rent": np.round(np.exp(6.4 + 0.3 * skill + rng.normal(0, 0.3, n))).astype(int),
            "savings": np.round(np.exp(8 + 0.8 * skill + rng.normal(0, 1.2, n))).astype(int),
            "children": rng.poisson(1.1, n),
        }
    ).astype(str)
    for name in ("rent", "savings", "tax"):
        table.loc[rng.random(n) < 0.1, name] = ""
    return table


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
    "research": _research,
    "labs": _labs,
    "answers": _answers,
    "wages": _wages,
    "sites": _sites,
}
