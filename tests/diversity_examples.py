"""People for the (k, ℓ) search, and searches of them."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest

from core.diversity import (
    DiversityAudit,
    DiversitySearch,
    DiversitySettings,
    ModelChoice,
    SearchProblem,
    judge_diversity,
    measure_diversity,
    prepare_search,
)
from core.errors import AuditInputError
from core.tables import Dataset, read_dataset

ROLES = {"label": "ill", "sensitive_attributes": ("income",), "quasi_identifiers": ("age", "job")}
SETTINGS = DiversitySettings(**ROLES, categorical=("job",), k_max=5, sensitive_bins=4)


def people(n_records: int = 120, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(20, 80, n_records),
        "job": rng.choice(["clerk", "nurse", "pilot"], n_records),
        "income": rng.integers(10, 60, n_records),
        "score": np.round(rng.normal(0, 1, n_records), 3),
    }
    frame = pd.DataFrame(columns)
    risk = frame["age"] + 12 * (frame["job"] == "pilot") + rng.normal(0, 8, n_records)
    return frame.assign(ill=np.where(risk > 55, "yes", "no"))


def dataset(frame: pd.DataFrame, name: str = "people.csv") -> Dataset:
    return read_dataset(frame.to_csv(index=False).encode(), name=name)


def prepared(
    frame: pd.DataFrame | None = None, choice: ModelChoice | None = None, **changes: object
) -> SearchProblem:
    frame = people() if frame is None else frame
    return prepare_search(dataset(frame), replace(SETTINGS, **changes), choice or ModelChoice())


@lru_cache(maxsize=32)
def measured(**changes: object) -> DiversitySearch:
    """Return the search of those people, which tests only read."""
    return measure_diversity(prepared(**changes))


def judged(frame: pd.DataFrame, **changes: object) -> DiversityAudit:
    return judge_diversity(measure_diversity(prepared(frame, **changes)))


def problems(call: Callable[[], object]) -> tuple[str, ...]:
    with pytest.raises(AuditInputError) as raised:
        call()
    return raised.value.problems


def told(written: str) -> dict[str, object]:
    """Return settings as a table of cases has them, lists as tuples."""
    return {name: _frozen(one) for name, one in json.loads(written).items()}


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
