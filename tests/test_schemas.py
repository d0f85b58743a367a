"""What ``--json`` prints of an audit is as the schema of reports says, whatever the tool."""

import io
import json
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from core.__main__ import main
from pages.components import navigation

SCHEMA = Path(__file__).parents[1] / "docs/schemas/report.json"
ROLES = "--quasi-identifier age sex town --sensitive diagnosis days_in_hospital"
CALLS = (
    "tabular patients.csv visits.csv --warn-share 0.1 --pattern email --no-quasi-identifiers",
    "tabular survey.csv nowhere.csv --k 400 --evidence masked",
    "tabular survey.csv --policy hipaa-expert --k 3",
    "vcf -o . -a . --maf 0.2 --min-repeat 4 --donors --policy strict-open-data",
    "leakage survey.csv survey_leaking.csv --missing-on-both match --evidence masked",
    "leakage survey.csv survey_shuffled.csv --holdout strangers.csv",
    "leakage duckdb:later.csv duckdb:earlier.csv --key id --missing-on-both match",
    f"risk demo_patients_released.csv --original demo_patients.csv {ROLES} --suda --what-if",
    (
        "risk demo_patients_released.csv --sensitive diagnosis --person days_in_hospital --what-if "
        "--local-recoding --max-suppression 0.3 --release out.csv"
    ),
    "risk later.csv --quasi-identifier age --sensitive disease --person id --earlier earlier.csv wards.csv",
    "risk demo_patients.csv --policy strict-open-data --k 3 --evidence masked",
    "dataset persons.csv stays.csv tests.csv --earlier persons.csv tests.csv later.csv",
    (
        "dataset duckdb:persons.csv duckdb:stays.csv --known-records 2 "
        "--key persons.pseudonym=stays.person --leave-out persons.sex"
    ),
    (
        "events demo_alarm_log.csv --k 3 --pseudonym-per day --columns weekday,event --flatten event "
        "--leave-out-none"
    ),
    "events demo_alarm_log.csv --sensitive hour --strategy remove-users --cap 1 --policy gdpr-wp216",
    "diversity --demo wine --k-max 3 --diversity entropy --regression",
    "diversity --demo iris --k-max 4 --target-accuracy 0.4 --splits 2 --rank-columns",
)
MORE_FILES = {
    "wards.csv": "ward,floor\nA,1\nB,2\n",
    "later.csv": "id,age,disease,sex\n" + "".join(f"p{n},{n % 2}0-{n % 2}9,{n % 3},F\n" for n in range(30)),
    "earlier.csv": "id,age,disease,sex\n" + "".join(f"p{n},{n % 2}0-{n % 2}9,{n % 3},F\n" for n in range(25)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that holds the files of all demos, and some more."""
    at = tmp_path_factory.mktemp("demos")
    for tool in navigation.TOOLS:
        for demo in tool.demos:
            for file in (one for several in demo.make().values() for one in several):
                (at / file.name).write_bytes(file.data)
    for name, text in MORE_FILES.items():
        (at / name).write_text(text, encoding="utf-8")
    survey = pd.read_csv(at / "survey.csv")
    strangers = {name: np.roll(survey[name], 37 * place + 11) for place, name in enumerate(survey)}
    pd.DataFrame(strangers).to_csv(at / "strangers.csv", index=False)
    return at


def _printed(call: str) -> dict[str, Any]:
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()):
        main([*shlex.split(call), "--json"])
    document: dict[str, Any] = json.loads(printed.getvalue())
    return document


@pytest.mark.one_of(len(CALLS))
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[:50])
def test_json__is_as_the_schema_of_reports_says(
    call: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "out.csv").unlink(missing_ok=True)
    document = _printed(call)
    problems = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).iter_errors(document)
    assert [f"{problem.json_path}: {problem.message}"[:300] for problem in problems] == []
    for part in (document, *document.get("files", ()), *document.get("pairs", ())):
        keyed = [table for table in part["tables"] if table["key"]]
        assert len({table["key"] for table in keyed}) == len(keyed)
        for table in keyed:
            keys = [column["key"] for column in table["columns"]]
            assert all([*row] == keys for row in part[table["key"]])


@pytest.mark.parametrize(
    "words", ["leakage nowhere.csv other.csv", "leakage one.csv", "risk t.csv --k few", "vcf -o none -a none"]
)
def test_json__says_what_was_wrong(words: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(io.StringIO()) as said:
        try:
            code = main([*shlex.split(words), "--json"])
        except SystemExit as end:
            code = int(str(end.code))
    (told,) = json.loads(printed.getvalue()).values()
    assert code == 2
    assert told
    assert all(each["message"] in said.getvalue() for each in told)
