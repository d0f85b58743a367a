"""Records are no persons: every tool that counts records says so where a column says whose they are."""

import numpy as np
import pandas as pd
import pytest

from core.diversity import DiversitySettings, ModelChoice, prepare_search
from core.leakage import audit_leakage
from core.roles import suggest_roles, whose_records
from core.tables import Dataset, read_dataset
from core.verdict import Verdict


def visits(n_persons: int, n: int = 120) -> Dataset:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "patient_id": 70_000 + rng.permutation(np.arange(n) % n_persons),
            "age": rng.integers(20, 60, n),
            "ward": rng.choice(["a", "b"], n),
            "disease": rng.choice(["flu", "cold", "gout"], n),
        }
    )
    return read_dataset(table.to_csv(index=False).encode(), name="visits.csv")


@pytest.mark.parametrize(("n_persons", "column"), [(40, "patient_id"), (120, None), (119, None)])
def test_whose_records__is_a_persons_number_that_repeats_beyond_double_entries(
    n_persons: int, column: str | None
) -> None:
    found = whose_records(suggest_roles(visits(n_persons).table))
    assert (found and found.column) == column


def test_leakage__says_that_rows_are_counted() -> None:
    facts = {each.check: each for each in audit_leakage(visits(40), visits(40)).findings}
    assert facts["rows_of_persons"].verdict is Verdict.PASS
    assert "`patient_id` seems to say whose row it is, and has 40 values in 120 rows" in (
        facts["rows_of_persons"].message
    )
    checks = {each.check for each in audit_leakage(visits(120), visits(120)).findings}
    assert "rows_of_persons" not in checks


@pytest.mark.parametrize(("n_persons", "told"), [(40, True), (120, False)])
def test_diversity__warns_that_cells_count_records(n_persons: int, told: bool) -> None:
    settings = DiversitySettings(
        label="ward",
        sensitive_attributes=("disease",),
        quasi_identifiers=("age",),
        left_out=("patient_id",),
        categorical=("disease",),
    )
    problem = prepare_search(visits(n_persons), settings, ModelChoice())
    found = [each for each in problem.notes if each.check == "records_of_persons"]
    assert [each.verdict for each in found] == [Verdict.WARN] * told
