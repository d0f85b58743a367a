"""What released columns tell beside the classes: sensitive values, blanked cells, who belongs together."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from core.risk.judging import audit_risk
from core.risk.settings import RiskSettings
from core.tables import read_dataset

N = 900
Table = Callable[[np.random.Generator], pd.DataFrame]


def checks(table: pd.DataFrame, weight: str | None = None) -> set[str]:
    dataset = read_dataset(table.to_csv(index=False).encode(), name="table.csv")
    settings = RiskSettings(quasi_identifiers=("age_group", "sex"), sensitive=("diagnosis",), weight=weight)
    return {each.check for each in audit_risk(dataset, settings=settings).exposure}


def people(rng: np.random.Generator, n: int = N) -> pd.DataFrame:
    bands, ills = ["18-39", "40-64", "65+"], ["asthma", "diabetes", "hypertension", "migraine"]
    return pd.DataFrame(
        {
            "age_group": rng.choice(bands, n),
            "sex": rng.choice(["F", "M"], n),
            "diagnosis": rng.choice(ills, n),
        }
    )


def with_drug(rng: np.random.Generator) -> pd.DataFrame:
    table = people(rng)
    groups = {"asthma": "R03", "diabetes": "A10", "hypertension": "C09", "migraine": "N02"}
    return table.assign(drug=table["diagnosis"].map(groups) + rng.choice(["A", "B"], N))


def with_sugar(rng: np.random.Generator) -> pd.DataFrame:
    table = people(rng)
    table["diagnosis"] = np.where(rng.random(N) < 0.5, "diabetes", "migraine")
    return table.assign(hba1c=(5 + 4 * (table["diagnosis"] == "diabetes") + rng.normal(0, 0.5, N)).round(1))


def with_ward(rng: np.random.Generator) -> pd.DataFrame:
    table = people(rng)
    return table.assign(oddelek=table["diagnosis"].str[:2].map(str.upper))


@pytest.mark.parametrize("made", [with_drug, with_sugar, with_ward])
def test_sensitive_by_column__a_column_that_tells_the_value_is_named(made: Table) -> None:
    assert "sensitive_by_column" in checks(made(np.random.default_rng(1)))


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_sensitive_by_column__one_that_goes_with_it_is_none(share: float) -> None:
    rng = np.random.default_rng(2)
    table = with_drug(rng)
    table["drug"] = np.where(rng.random(N) < share, table["drug"], rng.permutation(table["drug"]))
    assert "sensitive_by_column" not in checks(table)


def test_blank_given_back__wages_by_a_total_pay_by_a_product_and_days_by_two_counts() -> None:
    rng = np.random.default_rng(3)
    wage, rent = np.exp(rng.normal(9, 0.5, N)).round(), np.exp(rng.normal(7, 1, N)).round()
    hours, rate = rng.integers(5, 60, N), rng.uniform(9, 40, N).round(2)
    stay, leave = rng.integers(1, 90, N), rng.integers(1, 90, N)
    hidden = {
        "wage": (wage, {"rent": rent, "total": wage + rent}),
        "hours": (hours, {"rate": rate, "pay": (hours * rate).round(2)}),
        "stay": (stay, {"leave": leave, "away": stay + leave}),
    }
    for name, (values, others) in hidden.items():
        table = people(rng).assign(**{name: np.where(values > np.quantile(values, 0.9), np.nan, values)})
        assert "blank_given_back" in checks(table.assign(**others)), name
        first = next(iter(others))
        assert "blank_given_back" not in checks(table.assign(**{first: others[first]})), name


def records_of(rng: np.random.Generator, codes: list[str], same: str) -> pd.DataFrame:
    """Return records of persons or households with a code each, all of one of which share a column."""
    owner = np.repeat(np.arange(len(codes)), rng.integers(1, 7, len(codes)))
    table = people(rng, len(owner))
    if same:
        table[same] = people(rng, len(codes))[same].to_numpy()[owner]
    return table.assign(koda=np.array(codes)[owner]).sample(frac=1, random_state=1)


@pytest.mark.parametrize(
    ("codes", "same"),
    [
        ([f"hh{at * 7717 % 9973:04d}" for at in range(300)], "sex"),
        ([f"{at * 7919 % 10007:05d}" for at in range(300)], "sex"),
        ([f"{at * 2654435761 % 2**32:08x}" for at in range(300)], "sex"),
    ],
)
def test_held_together__codes_of_persons_or_households_are_named(codes: list[str], same: str) -> None:
    assert "held_together" in checks(records_of(np.random.default_rng(4), codes, same))


@pytest.mark.parametrize("codes", [[f"hh{at:04d}" for at in range(300)], [str(at) for at in range(300)]])
def test_held_together__codes_whose_records_have_nothing_in_common_are_none(codes: list[str]) -> None:
    assert "held_together" not in checks(records_of(np.random.default_rng(5), codes, ""))


@pytest.mark.parametrize(
    ("column", "odd"),
    [("weight", 231), ("children", 14), ("blood", "Bombay")],
)
def test_rare_value__one_person_among_usual_ones_is_named(column: str, odd: int | str) -> None:
    rng = np.random.default_rng(6)
    usual = {
        "weight": rng.normal(75, 6, N).round().astype(int),
        "children": rng.integers(0, 5, N),
        "blood": rng.choice(["A", "B", "0"], N),
    }
    table = people(rng).assign(**{column: usual[column].astype(object)})
    assert "rare_value" not in checks(table)
    table.loc[7, column] = odd
    assert "rare_value" in checks(table)


def test_weight__of_strata_is_a_further_column_and_one_for_each_record_is_not() -> None:
    rng = np.random.default_rng(7)
    strata = rng.uniform(20, 400, 60).round(4)[rng.integers(0, 60, N)]
    assert "further_columns" in checks(people(rng).assign(w=strata), weight="w")
    assert "further_columns" not in checks(people(rng).assign(w=rng.uniform(20, 400, N)), weight="w")
