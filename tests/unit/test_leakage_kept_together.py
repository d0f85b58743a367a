"""Two columns that were scrambled together, whatever the other columns did."""

import numpy as np
import pandas as pd
import pytest

from core.leakage.judging import LeakageAudit, audit_leakage
from core.tables import read_dataset
from core.verdict import Verdict


def people(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return persons with income, height, day and weight, beside sex and one of 25 places."""
    height = rng.normal(170, 9, n).round(1)
    return pd.DataFrame(
        {
            "place": rng.integers(10, 35, n).astype(str),
            "sex": rng.choice(["F", "M"], n),
            "income": rng.lognormal(8, 0.6, n).round(2),
            "height": height,
            "weight": (0.45 * height + rng.normal(0, 6, n)).round(1),
            "day": (pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")).astype(str),
        }
    )


def shuffled(table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({name: rng.permutation(table[name].to_numpy()) for name in table})


def audit(original: pd.DataFrame, scrambled: pd.DataFrame) -> LeakageAudit:
    tables = (
        read_dataset(table.to_csv(index=False).encode(), name=f"{name}.csv")
        for name, table in (("original", original), ("scrambled", scrambled))
    )
    return audit_leakage(*tables)


def verdicts(found: LeakageAudit) -> list[tuple[Verdict, tuple[str, ...]]]:
    return [(each.verdict, each.columns) for each in found.findings if each.check == "kept_together"]


def test_two_columns__of_a_part_of_the_persons_are_found_in_other_rows() -> None:
    rng = np.random.default_rng(1)
    original = people(500, rng)
    scrambled, order = shuffled(original, rng), rng.permutation(500)
    scrambled.loc[:199, ["income", "day"]] = original.loc[order[:200], ["income", "day"]].to_numpy()
    found = audit(original, scrambled)
    assert verdicts(found) == [(Verdict.FAIL, ("income", "day"))]
    assert found.verdict is Verdict.FAIL


def test_two_columns__are_found_on_other_scales() -> None:
    rng = np.random.default_rng(2)
    original = people(500, rng)
    scrambled, order = shuffled(original, rng), rng.permutation(500)
    scrambled["income"] = np.log(original["income"].to_numpy()[order]).round(5)
    scrambled["height"] = ((original["height"].to_numpy()[order] - 170) / 9).round(3)
    assert verdicts(audit(original, scrambled)) == [(Verdict.FAIL, ("income", "height"))]


def test_two_columns__of_which_one_is_coarse_are_a_warning() -> None:
    rng = np.random.default_rng(3)
    original = people(500, rng)
    scrambled = shuffled(original, rng)
    order = np.argsort(rng.random(500) + original["place"].astype(int))
    scrambled[["place", "income"]] = original.loc[order, ["place", "income"]].to_numpy()
    assert verdicts(audit(original, scrambled)) == [(Verdict.WARN, ("income", "place"))]


@pytest.mark.parametrize("how", ["apart", "one from the other"])
def test_two_columns__scrambled_apart_or_of_one_meaning_are_none(how: str) -> None:
    rng = np.random.default_rng(4)
    original = people(500, rng)
    if how == "one from the other":
        original["per_month"] = (original["income"] / 12).round(2)
    scrambled = shuffled(original, rng)
    if how == "one from the other":
        scrambled["per_month"] = (scrambled["income"] / 12).round(2)
    found = audit(original, scrambled)
    assert verdicts(found) == []
    assert found.verdict is Verdict.PASS


def test_two_columns__drawn_anew_from_what_they_have_to_do_with_each_other_are_none() -> None:
    rng = np.random.default_rng(5)
    found = audit(people(500, rng), people(500, rng))
    assert verdicts(found) == []
