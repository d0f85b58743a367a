"""Whose a record is, by a column of its own or by a table that says it, now and in earlier releases."""

import numpy as np
import pandas as pd
import pytest

from core.delivery.whose import Whose, earlier_with_persons, with_persons
from core.diversity import DiversitySettings, ModelChoice, prepare_search
from core.leakage import audit_leakage
from core.releases import EarlierTable, ReleasedTable, Roles
from core.roles import suggest_roles, whose_records
from core.tables import Dataset, read_dataset
from core.verdict import Verdict


def table(name: str, text: str) -> Dataset:
    return read_dataset(text.replace(" ", "\n").encode(), name=name)


PERSONS = table("persons.csv", "person,stay ana,s1 ana,s2 eva,s3")
DRUGS = table("drugs.csv", "stay,drug s1,x s3,y s9,z")
WHOSE = {
    "persons.csv": Whose(column="person", key=("person",)),
    "drugs.csv": Whose(column="person", key=("stay",), there="persons.csv", there_key=("stay",)),
}


def persons_of(dataset: Dataset) -> list[str | None]:
    return dataset.table["person"].to_pylist()


def released(**tables: Dataset) -> list[ReleasedTable]:
    roles = Roles(quasi_identifiers=(), sensitive=(), person=None)
    return [ReleasedTable(name=name, dataset=each, roles=roles) for name, each in tables.items()]


def test_with_persons__follows_keys_to_the_table_that_says_it() -> None:
    tables = {"persons.csv": PERSONS, "drugs.csv": DRUGS}
    assert persons_of(with_persons("drugs.csv", tables, WHOSE)) == ["ana", "eva", None]
    assert with_persons("persons.csv", tables, WHOSE) is PERSONS
    assert with_persons("drugs.csv", tables, {}) is DRUGS


def test_with_persons__leaves_a_table_alone_where_the_way_is_missing() -> None:
    assert with_persons("drugs.csv", {"drugs.csv": DRUGS}, WHOSE) is DRUGS
    other = table("persons.csv", "person,visit ana,1")
    assert with_persons("drugs.csv", {"drugs.csv": DRUGS, "persons.csv": other}, WHOSE) is DRUGS
    alone = {"drugs.csv": WHOSE["drugs.csv"]}
    assert with_persons("drugs.csv", {"drugs.csv": DRUGS, "persons.csv": PERSONS}, alone) is DRUGS


def test_with_persons__keys_spelled_otherwise_match_where_they_are_folded() -> None:
    spelled = table("drugs.csv", "stay,drug S1,x S-3,y")
    way = Whose(column="person", key=("stay",), there="persons.csv", there_key=("stay",), is_folded=True)
    tables = {"persons.csv": PERSONS, "drugs.csv": spelled}
    assert persons_of(with_persons("drugs.csv", tables, WHOSE | {"drugs.csv": way}))[0] == "ana"
    assert persons_of(with_persons("drugs.csv", tables, WHOSE)) == [None, None]


def test_with_persons__several_columns_together_are_one_pseudonym() -> None:
    rows = table("a.csv", "born,sex,x 1980,F,1 1980,M,2 1980,F,3")
    made = with_persons("a.csv", {"a.csv": rows}, {"a.csv": Whose(column="person", key=("born", "sex"))})
    first, second, third = persons_of(made)
    assert first == third != second


def earlier(release: str, name: str, text: str) -> EarlierTable:
    return EarlierTable(release=release, dataset=table(name, text))


def test_earlier_with_persons__takes_the_table_of_the_same_folder_else_the_one_with_most_keys() -> None:
    now = released(**{"persons.csv": PERSONS, "drugs.csv": DRUGS})
    drugs = earlier("2024/drugs.csv", "drugs.csv", "stay,drug s1,x s2,y")
    beside = earlier("2024/persons.csv", "persons.csv", "person,stay mia,s1 mia,s7")
    fuller = earlier("2023/persons.csv", "persons.csv", "person,stay ana,s1 eva,s2")
    made = earlier_with_persons([drugs, beside, fuller], now, WHOSE)
    assert [persons_of(each.dataset) for each in made] == [["mia", None], ["mia", "mia"], ["ana", "eva"]]
    elsewhere = earlier("2022/drugs.csv", "drugs.csv", "stay,drug s1,x s2,y")
    assert persons_of(earlier_with_persons([elsewhere, beside, fuller], now, WHOSE)[0].dataset) == [
        "ana",
        "eva",
    ]


def test_earlier_with_persons__a_release_without_that_table_stays_as_it_is() -> None:
    now = released(**{"persons.csv": PERSONS, "drugs.csv": DRUGS})
    drugs = earlier("2024/drugs.csv", "drugs.csv", "stay,drug s1,x")
    assert earlier_with_persons([drugs], now, WHOSE)[0].dataset is drugs.dataset
    keyless = earlier("2024/persons.csv", "persons.csv", "person,visit ana,1")
    (made, _) = earlier_with_persons([drugs, keyless], now, WHOSE)
    assert made.dataset is drugs.dataset


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
