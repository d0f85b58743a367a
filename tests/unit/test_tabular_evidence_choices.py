"""What can be looked at behind a verdict, masked unless asked for."""

import json

import pytest

from core.tables import Dataset, read_dataset
from core.tabular import TabularAudit, audit_tabular, read_log
from core.tabular.views.evidence import evidence_of, evidence_table

NAMES = [f"Name{n:02d}" for n in range(20)]
ORIGINAL = "id,name,sex\n" + "".join(f"{n},{name},{'FM'[n % 2]}\n" for n, name in enumerate(NAMES))
ANONYMIZED = "id,name,sex\n" + "".join(
    f"{n if n == 7 else ''},{name},{'FM'[n % 2] if n else 'X'}\n" for n, name in enumerate(NAMES)
)
ACTIONS = {"id": ("patient_id", "drop"), "name": ("other", "keep"), "sex": ("gender", "keep")}


def _audit() -> tuple[Dataset, Dataset, TabularAudit]:
    entries = {name: {"semantic": kind, "action": action} for name, (kind, action) in ACTIONS.items()}
    log = read_log(json.dumps({"log_info": entries}).encode(), name="a_anonymized_log.json")
    original = read_dataset(ORIGINAL.encode(), name="a.csv")
    anonymized = read_dataset(ANONYMIZED.encode(), name="a_anonymized.csv")
    return original, anonymized, audit_tabular(original, anonymized, log)


def test_evidence_of__names_every_kind() -> None:
    *_, audit = _audit()
    assert [evidence.label for evidence in evidence_of(audit, k=5)] == (
        "Column check of id, Unchanged cells of name, Records re-linked by name, "
        "Records in classes smaller than 5"
    ).split(", ")


@pytest.mark.parametrize(
    ("label", "masked", "revealed"),
    [
        ("Column check of id", [8, "9", "9", "value remains"], [8, "7", "7", "value remains"]),
        ("Unchanged cells of name", [1, "AAAA99", "AAAA99"], [1, "Name00", "Name00"]),
        ("Records re-linked by name", [1, 1, "AAAA99"], [1, 1, "Name00"]),
        ("Records in classes smaller than 5", [1, 1, "A"], [1, 1, "X"]),
    ],
)
def test_evidence_table__is_masked_unless_revealed(
    label: str, masked: list[object], revealed: list[object]
) -> None:
    original, anonymized, audit = _audit()
    evidence = next(found for found in evidence_of(audit, k=5) if found.label == label)
    for reveal, row in ((False, masked), (True, revealed)):
        rows = evidence_table(evidence, original, anonymized, audit, k=5, reveal=reveal)
        assert rows.iloc[0].tolist() == row


def test_evidence_of__is_empty_where_nothing_speaks_against_a_file() -> None:
    table = b"sex\n" + b"F\nM\n" * 10
    log = read_log(
        json.dumps({"log_info": {"sex": {"semantic": "gender", "action": "keep"}}}).encode(), name="l.json"
    )
    audit = audit_tabular(read_dataset(table, name="a.csv"), read_dataset(table, name="b.csv"), log)
    assert evidence_of(audit, k=5) == ()
