"""The JSON of every command is what its schema in docs/schemas/ says."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs.generated import CALLS, documents, settings_of

SCHEMAS = Path(__file__).parents[1] / "docs/schemas"
# None of them is among the calls that the schemas were made from.
OTHER_CALLS = {
    "tabular": "tabular visits.csv --warn-share 0.1 --pattern email --no-quasi-identifiers --json",
    "vcf": "vcf -o . -a . --maf 0.2 --min-repeat 4 --donors --json",
    "leakage": "leakage survey.csv survey_leaking.csv --holdout other_half.csv "
    "--missing-on-both match --json",
    "leakage_in_engine": "leakage duckdb:later.csv duckdb:earlier.csv --key id "
    "--missing-on-both match --json",
    "risk": "risk demo_patients_released.csv --sensitive diagnosis --person days_in_hospital --what-if "
    "--local-recoding --max-suppression 0.3 --json",
    "dataset_in_engine": "dataset duckdb:persons.csv duckdb:stays.csv --known-records 2 "
    "--key persons.pseudonym=stays.person --leave-out persons.sex --json",
    "dataset": "dataset persons_by_year.csv stays_by_year.csv --known-records 2 --json",
    "events": "events demo_alarm_log.csv --k 3 --pseudonym-per day --columns weekday,event --flatten event "
    "--leave-out-none --json",
    "events_suggestions": "events demo_alarm_log.csv --suggest --k 12 --json",
    "diversity": "diversity --demo wine --k-max 3 --diversity entropy --regression --json",
    "diversity_ranking": "diversity diabetes.csv --rank-columns --json",
}


def _schema(name: str) -> dict[str, object]:
    schema: dict[str, object] = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return schema


@pytest.mark.one_of(12)
@pytest.mark.parametrize("name", CALLS)
def test_json__is_as_its_schema_says(name: str) -> None:
    (document,) = documents([OTHER_CALLS[name]])
    problems = Draft202012Validator(_schema(name)).iter_errors(document)
    assert [f"{problem.json_path}: {problem.message}"[:300] for problem in problems] == []


@pytest.mark.parametrize("name", [name for name in CALLS if "_" not in name])
def test_schema__describes_every_setting(name: str) -> None:
    properties = _schema(name)["properties"]
    if name == "tabular":
        properties = properties["files"]["items"]["properties"]
    told = {each.name: f"{each.heading} {each.about}".strip() for each in settings_of(name)}
    described = {key: value["description"] for key, value in properties["settings"]["properties"].items()}
    assert described == told, "run: make docs"


def test_schema__refuses_what_no_command_prints() -> None:
    (document,) = documents(["diversity iris.csv --rank-columns --json"])
    validator = Draft202012Validator(_schema("diversity_ranking"))
    for wrong in ({"new": 1}, {"verdict": "FINE"}, {"n_records": "150"}):
        assert not validator.is_valid(document | wrong)
    del document["singling_out"]
    assert not validator.is_valid(document)
