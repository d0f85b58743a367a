"""`NA` among codes of two letters: Namibia's, or a missing cell; nobody is left out with a PASS for it."""

import io

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.delivery import audit_delivery
from core.risk import RiskSettings, audit_risk
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict

COUNTRIES = ("country", ["NE", "NG", "NC"])
CONTINENTS = ("continent", ["AF", "EU", "AS", "SA"])
BRANCHES = ("branch", ["LJ", "MB", "KP", "CE", "NM"])


def _records(name: str, codes: list[str], missing: str) -> list[tuple[str, str]]:
    return [(name, "status"), *((code, "abc"[at % 3]) for at, code in enumerate(codes * 12 + [missing] * 3))]


def _as_csv(rows: list[tuple[str, str]]) -> bytes:
    return "".join(f"{first},{second}\n" for first, second in rows).encode()


def _as_workbook(rows: list[tuple[str, str]]) -> bytes:
    book, held = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(held)
    return held.getvalue()


def _as_parquet(rows: list[tuple[str, str]]) -> bytes:
    held = io.BytesIO()
    names, *records = rows
    columns = {name: [record[at] for record in records] for at, name in enumerate(names)}
    pq.write_table(pa.table(columns), held)
    return held.getvalue()


def _verdicts(dataset: Dataset, column: str) -> dict[str, Verdict]:
    settings = RiskSettings(quasi_identifiers=(column,), sensitive=("status",))
    return {each.check: each.verdict for each in audit_risk(dataset, settings=settings).exposure}


@pytest.mark.parametrize("write", [_as_csv, _as_workbook, _as_parquet])
@pytest.mark.parametrize(("name", "codes"), [COUNTRIES, CONTINENTS, BRANCHES])
def test_audit_risk__passes_nothing_where_a_code_may_be_taken_for_missing(
    name: str, codes: list[str], write: object
) -> None:
    assert callable(write)
    data = write(_records(name, codes, "NA"))
    dataset = read_dataset(data, name="t")
    assert dataset.reading.codes_missing == (name,)
    assert any("NA" in str(note) for note in dataset.reading.notes)
    assert _verdicts(dataset, name)["codes_missing"] is Verdict.NOT_ASSESSED
    as_value = read_dataset(data, name="t", options=ReadOptions(missing_spellings=()))
    assert "codes_missing" not in _verdicts(as_value, name)
    assert as_value.table[name].null_count == 0


@pytest.mark.parametrize(
    ("codes", "missing"),
    [
        (["NE", "NG", "NC"], ""),  # a release leaves cells blank
        (["NE", "NG", "NC"], "null"),
        (["Niger", "Nigeria", "NC"], "NA"),
        (["NE", "NG"], "NA"),  # two answers, and no answer
        (["10", "20", "30"], "NA"),
        (["north", "south", "east"], "NA"),
    ],
)
def test_read_dataset__takes_other_missing_cells_as_such(codes: list[str], missing: str) -> None:
    dataset = read_dataset(_as_csv(_records("place", codes, missing)), name="t.csv")
    assert dataset.reading.codes_missing == ()
    assert "codes_missing" not in _verdicts(dataset, "place")


def test_read_dataset__looks_at_each_column_by_itself() -> None:
    data = b"a,b\nNE,1\nNG,NA\nNC,2\n,3\n"
    assert read_dataset(data, name="t.csv").reading.codes_missing == ()


def test_audit_delivery__passes_nothing_where_a_code_may_be_taken_for_missing() -> None:
    persons = [f"P{at}" for at in range(39)]
    codes = [row[0] for row in _records(*COUNTRIES, "NA")[1:]]
    first = "person,country\n" + "".join(f"{one},{code}\n" for one, code in zip(persons, codes, strict=True))
    second = "person,ward\n" + "".join(f"{one},A\n" for one in persons)
    tables = [read_dataset(each.encode(), name=name) for each, name in ((first, "p.csv"), (second, "v.csv"))]
    findings = audit_delivery(tables).findings
    assert Verdict.NOT_ASSESSED in {each.verdict for each in findings if each.check == "codes_missing"}


@pytest.mark.parametrize(
    ("numbers", "is_doubtful"),
    [
        (["1.234", "987", "12"], True),
        (["1,234", "987", "3,125"], True),
        (["1.234", "1,234", "5"], True),
        (["1.234", "987", "0.5"], False),
        (["1,234", "2,345", "9,875"], False),
    ],
)
def test_numbers__that_nothing_tells_as_thousands_or_decimals_are_a_warning(
    numbers: list[str], *, is_doubtful: bool
) -> None:
    rows = "".join(f"{each};{'ab'[at % 2]}\n" for at, each in enumerate(numbers * 12))
    dataset = read_dataset(f"amount;status\n{rows}".encode(), name="t.csv")
    found = audit_risk(dataset, settings=RiskSettings(quasi_identifiers=("amount",), sensitive=("status",)))
    told = [each.verdict for each in found.all_findings if each.check == "ambiguous_numbers"]
    assert told == [Verdict.WARN] * is_doubtful
