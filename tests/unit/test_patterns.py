import numpy as np
import pyarrow as pa
import pytest

from core.coding import distinct_values
from core.patterns import ALL_PATTERNS, CATALOGUE, RULE_PATTERNS, Confirmed, scan_column

ZERO_WIDTH = "\u200b"


def found(*cells: str | None, patterns=ALL_PATTERNS) -> dict[str, int]:
    return dict(scan_column(pa.chunked_array([pa.array(cells, pa.string())]), patterns).counts)


def by_rule(cell: str) -> list[str]:
    return list(found(cell, patterns=RULE_PATTERNS))


@pytest.mark.parametrize(
    ("cell", "keys"),
    [
        ("900101-1234567", ["resident_number"]),
        ("9001011234567", ["resident_number"]),
        ("991332-9999999", ["resident_number"]),  # neither date nor check digit rules a number out
        ("주민(900101-1234567)", ["resident_number"]),
        (f"{ZERO_WIDTH}900101-1234567\x00", ["resident_number"]),
        ("_900101-1234567_", ["resident_number"]),
        ("x900101-1234567", []),
        ("가900101-1234567", []),
        ("900101-1234567가", []),
        ("900101-12345678", []),
        ("900101--1234567", []),
        ("-900101-1234567", []),
        ("010-1234-5678", ["phone"]),
        ("tel. 02-123-4567, home", ["phone"]),
        ("+82-10-1234-5678", []),
        ("1234-5678", []),
        ("2020-1-5", ["date"]),
        ("2020/12/31", ["date"]),
        ("2020-01-01T10:00:00+09:00", ["date"]),
        ("2020-01-01T1000", ["date"]),
        ("2020-01-01 10:00", ["date"]),
        ("2020-01-01Today", []),
        ("1-2020-01-01", []),
        ("2020-01", []),
        ("seen 2020-01-01,2020-01-02", ["date"]),
        ("a.b+c@mail.example.org", ["email"]),
        ("<홍@한국.kr>", ["email"]),
        ("a@b", []),
        ("a@b.c", []),
        ("김철수", ["hangul_name"]),
        (" 이영희 ", ["hangul_name"]),
        ("황보민수", ["hangul_name"]),
        ("민준", ["hangul_name"]),
        ("홍길동", ["hangul_name"]),
        ("김유리", ["hangul_name"]),
        ("김", []),
        ("김철수님께서", []),
        ("김철수 님", []),
        ("역삼동", []),
        ("강남구", []),
        ("김포시", []),
        ("남성", []),
        ("미혼", []),
        ("서울", []),
        ("고혈압", []),
        ("위염", []),
        ("8c8e1c9a-b310-43c6-33a7-ad11bad21c40", []),
        ("12345678-1234-1234-1234-123456789012", []),
        ("", []),
    ],
)
def test_scan_column__finds_the_patterns_of_the_published_rule(cell, keys):
    assert by_rule(cell) == keys


@pytest.mark.parametrize(
    ("cell", "key"),
    [
        ("９００１０１－１２３４５６７", "disguised"),
        (f"900101-{ZERO_WIDTH}1234567", "disguised"),
        ("900101\u20111234567", "disguised"),
        ("90\x00" + "0101-1234567", "disguised"),
        ("900101-123456\u0667", "disguised"),
        ("hong＠example.org", "disguised"),
        ("김\u200b철수", "disguised"),
        ("\u1100\u1175\u11b7\u110e\u1165\u11af\u1109\u116e", "disguised"),
        ("id900101-1234567", "resident_number_embedded"),
        ("900101 1234567", "resident_number_embedded"),
        ("010 1234 5678", "phone_spaced"),
        ("010.1234.5678", "phone_spaced"),
        ("(02) 123-4567", "phone_spaced"),
        ("01012345678", "phone_spaced"),
        ("+386 41 234 567", "international_phone"),
        ("+82 10-1234-5678", "international_phone"),
        ("1987. 1. 21.", "date_other"),
        ("21.1.1987", "date_other"),
        ("01/21/1987", "date_other"),
        ("19870121", "date_other"),
        ("19870121T1030", "date_other"),
        ("1987년 1월 21일", "date_other"),
        ("21-JAN-87", "date_other"),
        ("January 21st, 1987", "date_other"),
        ("999-35-6397", "us_ssn"),
        ("SI56 1910 0000 0123 438", "iban"),
        ("GB82WEST12345698765432", "iban"),
        ("4111 1111 1111 1111", "card"),
        ("378282246310005", "card"),
        ("192.168.0.1", "ipv4"),
        ("2001:db8::ff00:42:8329", "ipv6"),
        ("0101006500006", "emso"),
        ("SI15012557", "si_tax_number"),
        ("44051401359", "national_number"),
        ("12345678Z", "national_number"),
        ("11-22-334455-66", "kr_driving_licence"),
        ("홍 길동", "hangul_name_spaced"),
    ],
)
def test_scan_column__finds_more_in_a_second_opinion(cell, key):
    assert key in found(cell)
    assert not CATALOGUE[key].rule


@pytest.mark.parametrize(
    "cell",
    [
        "+99 123 456 789",
        "4111111111111112",
        "1.2.840.10008.5.1",
        "300.1.2.3",
        "10:20:30",
        "15012558",
        "GB82WEST12345698765433",
        "12345678A",
        "２０２０",
        "남\u200b성",
        "8c8e1c9a-b310-43c6-33a7-ad11bad21c40",
    ],
)
def test_scan_column__leaves_lookalikes_alone(cell):
    assert found(cell) == {}


def test_scan_column__counts_cells_not_distinct_values():
    hits = scan_column(pa.array(["a@b.co", None, "x", "a@b.co", "2020-01-01 a@b.co"]))
    assert dict(hits.counts) == {"date": 1, "email": 3}
    assert (hits.n_cells, hits.n_filled) == (3, 4)
    assert hits.in_records().tolist() == [True, False, False, True, True]


def test_scan_column__without_a_match_counts_nothing():
    hits = scan_column(pa.array([None, "x"]))
    assert (dict(hits.counts), hits.n_cells, hits.in_records().tolist()) == ({}, 0, [False, False])
    assert scan_column(pa.array([], pa.string())).n_filled == 0
    assert scan_column(pa.array(["a@b.co"]), ()).n_cells == 0


def test_scan_column__a_checksum_speaks_for_the_column_and_rules_no_cell_out():
    valid, invalid = "4111111111111111", "4111111111111112"
    hits = scan_column(pa.array([valid, valid + " ", invalid]), ALL_PATTERNS)
    assert hits.counts["card"] == 3
    assert hits.confirmed["card"] == Confirmed(n_checked=3, n_valid=2)
    assert "card" not in found(valid, invalid, "4111111111111113", "4111111111111114")


def test_scan_column__every_value_counts_where_nothing_repeats():
    cells = [f"value {i}" for i in range(20_000)]
    cells[19_999] = "900101-1234567"
    column = pa.chunked_array([cells[:9_000], [None], cells[9_000:]])
    hits = scan_column(column)
    assert not hits.distinct.is_distinct
    assert dict(hits.counts) == {"resident_number": 1}
    assert np.flatnonzero(hits.in_records()).tolist() == [20_000]
    assert (hits.n_filled, hits.distinct.n_records, hits.distinct.n_distinct) == (20_000, 20_001, 20_000)


def test_scan_column__a_long_column_of_cards_is_judged_by_evenly_spaced_ones():
    column = pa.array([f"4111 1111 1111 1111 {i}" for i in range(5_000)])
    hits = scan_column(column, ALL_PATTERNS)
    assert hits.counts["card"] == 5_000
    assert hits.confirmed["card"].n_checked <= 500


def test_distinct_values__large_columns_are_held_as_large_strings(monkeypatch):
    monkeypatch.setattr("core.coding._LARGEST_ARRAY", 1)
    distinct = distinct_values(pa.chunked_array([["a", None], ["b", "a"]]))
    assert distinct.values.type == pa.large_string()
    assert distinct.counts.tolist() == [2, 1]


def test_catalogue__is_complete_and_explained():
    assert [pattern.key for pattern in RULE_PATTERNS] == [
        "resident_number",
        "phone",
        "date",
        "email",
        "hangul_name",
    ]
    assert all(pattern.label and pattern.description.endswith(".") for pattern in ALL_PATTERNS)
    assert [pattern.key for pattern in ALL_PATTERNS] == list(CATALOGUE)
