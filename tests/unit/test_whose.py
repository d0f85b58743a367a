"""Whose a record is, by a column of its own or by a table that says it, now and in earlier releases."""

import numpy as np
import pandas as pd
import pytest

from core.delivery.owners import Whose, earlier_with_persons, with_persons
from core.diversity import DiversitySettings, ModelChoice, prepare_search
from core.leakage import audit_leakage
from core.people.roles import suggest_roles, whose_records
from core.releases import EarlierTable, ReleasedTable, Roles
from core.tables import Dataset, read_dataset
from core.verdict import Verdict
from tests.saying import Saying


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


def joined(dataset: Dataset, whose: dict[str, Whose] = WHOSE, persons: Dataset | None = PERSONS) -> Dataset:
    """Return the drugs with whose they are, by a table of persons where there is one."""
    tables = {"drugs.csv": dataset, **({"persons.csv": persons} if persons else {})}
    return with_persons("drugs.csv", tables, whose)


def test_with_persons__follows_keys_to_the_table_that_says_it() -> None:
    assert persons_of(joined(DRUGS)) == ["ana", "eva", None]
    assert with_persons("persons.csv", {"persons.csv": PERSONS, "drugs.csv": DRUGS}, WHOSE) is PERSONS
    other = table("persons.csv", "person,visit ana,1")
    alone = {"drugs.csv": WHOSE["drugs.csv"]}
    for missing in ({"whose": {}}, {"persons": None}, {"persons": other}, {"whose": alone}):
        assert joined(DRUGS, **missing) is DRUGS, missing


def test_with_persons__keys_spelled_otherwise_match_where_they_are_folded() -> None:
    spelled = table("drugs.csv", "stay,drug S1,x S-3,y")
    way = Whose(column="person", key=("stay",), there="persons.csv", there_key=("stay",), is_folded=True)
    assert persons_of(joined(spelled, WHOSE | {"drugs.csv": way}))[0] == "ana"
    assert persons_of(joined(spelled)) == [None, None]


def test_with_persons__several_columns_together_are_one_pseudonym() -> None:
    rows = table("a.csv", "born,sex,x 1980,F,1 1980,M,2 1980,F,3")
    made = with_persons("a.csv", {"a.csv": rows}, {"a.csv": Whose(column="person", key=("born", "sex"))})
    first, second, third = persons_of(made)
    assert first == third != second


def earlier(release: str, name: str, text: str) -> EarlierTable:
    return EarlierTable(release=release, dataset=table(name, text))


NOW = released(**{"persons.csv": PERSONS, "drugs.csv": DRUGS})


def test_earlier_with_persons__takes_the_table_of_the_same_folder_else_the_one_with_most_keys() -> None:
    text = "stay,drug s1,x s2,y"
    drugs, elsewhere = (earlier(f"{year}/drugs.csv", "drugs.csv", text) for year in (2024, 2022))
    beside = earlier("2024/persons.csv", "persons.csv", "person,stay mia,s1 mia,s7")
    fuller = earlier("2023/persons.csv", "persons.csv", "person,stay ana,s1 eva,s2")
    made = earlier_with_persons([drugs, beside, fuller], NOW, WHOSE)
    assert [persons_of(each.dataset) for each in made] == [["mia", None], ["mia", "mia"], ["ana", "eva"]]
    made = earlier_with_persons([elsewhere, beside, fuller], NOW, WHOSE)
    assert persons_of(made[0].dataset) == ["ana", "eva"]
    keyless = earlier("2024/persons.csv", "persons.csv", "person,visit ana,1")
    for releases in ([drugs], [drugs, keyless]):  # without that table it stays as it is
        assert earlier_with_persons(releases, NOW, WHOSE)[0].dataset is drugs.dataset


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


@pytest.mark.parametrize("n_persons", [40, 120, 119])
def test_whose_records__is_a_persons_number_that_repeats_beyond_double_entries(n_persons: int) -> None:
    found = whose_records(suggest_roles(visits(n_persons).table))
    assert (found and found.column) == ("patient_id" if n_persons == 40 else None)


SEARCHED = DiversitySettings(
    label="ward",
    sensitive_attributes=("disease",),
    quasi_identifiers=("age",),
    left_out=("patient_id",),
    categorical=("disease",),
)


@pytest.mark.parametrize("n_persons", [40, 120])
def test_leakage_and_diversity__say_that_rows_of_persons_are_counted(n_persons: int) -> None:
    data = visits(n_persons)
    notes = [*audit_leakage(data, data).findings, *prepare_search(data, SEARCHED, ModelChoice()).notes]
    facts = {each.check: each for each in notes if each.check.endswith("s_of_persons")}
    told = {"rows_of_persons": Verdict.PASS, "records_of_persons": Verdict.WARN} if n_persons == 40 else {}
    assert {check: fact.verdict for check, fact in facts.items()} == told
    if told:
        said = "`patient_id` seems to say whose row it is, and has 40 values in 120 rows…"
        assert str(facts["rows_of_persons"].message) == Saying(said)
