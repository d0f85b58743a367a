import pytest

from core.demo.tabular import DEMOS, make_hospital
from core.tables import read_dataset
from core.tabular import audit_tabular, pair_files, read_log

EXPECTED = {
    "patients.csv": ("PASS", "PASS"),
    "visits.csv": ("WARN", "PASS"),
    "lab_results.csv": ("FAIL", "FAIL"),
    "survey.csv": ("PASS", "FAIL"),
}


@pytest.fixture(scope="module")
def files():
    return {file.name: file.data for file in make_hospital()["files"]}


@pytest.mark.parametrize("original", EXPECTED)
def test_demo__shows_each_outcome(files, original):
    (pair,) = (pair for pair in pair_files(list(files)).pairs if pair.original == original)
    audit = audit_tabular(
        read_dataset(files[pair.original], name=pair.original),
        read_dataset(files[pair.anonymized], name=pair.anonymized),
        read_log(files[pair.log], name=pair.log),
    )
    assert (audit.verdict.value, audit.second_opinion_verdict.value) == EXPECTED[original]


def test_demo__is_the_same_each_time_and_complete(files):
    again = {file.name: file.data for file in DEMOS[0].make()["files"]}
    assert again == files
    assert len(pair_files(list(files)).pairs) == 4
    assert make_hospital(8)["files"][0].data != files["patients.csv"]
