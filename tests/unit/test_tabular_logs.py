"""Logs in other forms than ours, and logs proposed by comparing both tables."""

import json
import random
from datetime import date, timedelta

import pytest

from core.errors import AuditInputError
from core.tables import Dataset, read_dataset
from core.tabular.log import read_log
from core.tabular.other_logs import may_be_log
from core.tabular.proposed_log import log_document, propose_log

Actions = dict[str, tuple[str, str]]  # column to what it holds and what was done
AGE, NAME = ("age", "rounding"), ("name", "suppression")
FORMS: list[tuple[str, bytes, Actions]] = [
    ("a.csv", b"stolpec;ukrep\nime;izbrisano\nspol;ohranjeno\n", {"ime": ("name", "izbrisano")}),
    ("b.csv", b"Variable,Type,De-identification\nage,numeric,rounding\nsex,categorical,none\n", {"age": AGE}),
    ("c.tsv", "변수명\t처리방법\n이름\t삭제\n성별\t유지\n".encode("cp949"), {"성별": ("gender", "유지")}),
    ("d.csv", b"a,b\nage,rounding\nsex,kept\n", {"age": AGE, "sex": ("gender", "kept")}),
    ("e.json", json.dumps({"age": "rounding", "name": "suppression"}).encode(), {"age": AGE, "name": NAME}),
    (
        "f.json",
        json.dumps({"version": 2, "columns": [{"name": "age", "method": "rounding"}]}).encode(),
        {"age": AGE},
    ),
    (
        "g.json",
        json.dumps({"by": {"transformations": {"age": {"technique": "rounding", "to": 5}}}}).encode(),
        {"age": AGE},
    ),
]


@pytest.mark.parametrize(("name", "data", "expected"), FORMS, ids=[name for name, _, _ in FORMS])
def test_log__of_another_form_is_read_by_its_fields(name: str, data: bytes, expected: Actions) -> None:
    log = read_log(data, name=name)
    assert log.origin == "by_fields"
    found = {column: (entry.semantic, entry.action) for column, entry in log.entries.items()}
    assert found.items() >= expected.items()


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", b"a,b,c\nage,x,rounding\nsex,y,kept\n", "which field names the columns"),
        ("b.csv", b"id,age\n1,30\n2,31\n", "holds no list with the name of each column"),
        ("c.json", b'{"x": 1}', "no object `log_info`"),
        ("d.json", b'["rounding"]', "not a JSON object"),
        ("e.json", b"column,action\nage,rounding\n", "not valid JSON"),
    ],
)
def test_log__that_says_nothing_of_columns_is_refused(name: str, data: bytes, message: str) -> None:
    with pytest.raises(AuditInputError, match=message):
        read_log(data, name=name)


def test_salt__noted_in_a_log_of_another_form_is_tried_too() -> None:
    log = read_log(b"column,action,remark\nid,hashed,salt=tajno7\nage,kept,\n", name="l.csv")
    assert "salt=tajno7" in log.texts


def test_table__is_a_log_where_its_lines_name_columns_of_others_and_actions() -> None:
    columns = ["id", "age", "sex"]
    log = _table("field,done\nid,hashed\nage,rounded\nsex,kept\n")
    assert may_be_log(log, columns)
    assert not may_be_log(log, ["weight", "height", "bmi"])
    assert not may_be_log(_table("id,age\nage,30\nsex,31\n"), columns)
    assert not may_be_log(_table("name,type\nid,text\nage,number\nsex,text\n"), columns)  # a data dictionary


def _table(text: str, name: str = "t.csv") -> Dataset:
    return read_dataset(text.encode(), name=name)


N = 300
RNG = random.Random(4)  # noqa: S311 - of examples
DAYS = [date(1950, 1, 1) + timedelta(RNG.randrange(20_000)) for _ in range(N)]
NUMBERS = [RNG.gauss(70, 10) for _ in range(N)]
TOWNS = [RNG.choice(["Celje", "Koper", "Kranj", "Ptuj"]) for _ in range(N)]
ILLNESSES = [RNG.choice(["I10", "E11", "J45", "C50", "K21"]) for _ in range(N)]
CODES = [f"{RNG.randrange(10**9, 10**10)}" for _ in range(N)]
STAYS = ILLNESSES  # in its rows in every pair, so that rows can be compared


def _proposed(before: list[str], after: list[str] | None, header: str = "x") -> tuple[str, str]:
    """Return what is proposed for a column beside one that stays, and what it is said to hold."""
    rows = [f"{header},dx", *(f"{a},{b}" for a, b in zip(before, STAYS, strict=True))]
    original = _table("\n".join(rows) + "\n", "o.csv")
    kept = (
        ["dx", *STAYS]
        if after is None
        else [f"{header},dx", *(f"{a},{b}" for a, b in zip(after, STAYS, strict=True))]
    )
    entries = propose_log(original, _table("\n".join(kept) + "\n", "a.csv"))
    assert entries[-1].action == "keep"  # the one that stays
    return entries[0].action, entries[0].semantic


ISO = [day.isoformat() for day in DAYS]
HEIGHTS = [f"{one:.1f}" for one in NUMBERS]
EXAMPLES: list[tuple[str, list[str], list[str] | None]] = [
    ("drop", CODES, None),
    ("drop", CODES, [""] * N),
    ("drop", CODES, [CODES[0], *[""] * (N - 1)]),
    ("redact", CODES, ["***"] * N),
    ("keep", TOWNS, TOWNS),
    ("keep", HEIGHTS, [f"{float(one):.2f}" for one in HEIGHTS]),
    ("keep", ISO, [f"{day.day}.{day.month}.{day.year}" for day in DAYS]),
    ("keep", TOWNS, [*TOWNS[:200], *[""] * 100]),
    ("swap", HEIGHTS, RNG.sample(HEIGHTS, N)),
    ("swap", TOWNS, RNG.sample(TOWNS, N)),
    ("date_floor_year", ISO, [f"{day.year}-01-01" for day in DAYS]),
    ("date_floor_decade", ISO, [f"{day.year // 10 * 10}-01-01" for day in DAYS]),
    ("generalize", ISO, [f"{day.year}" for day in DAYS]),
    ("generalize", HEIGHTS, [f"{float(one) // 10 * 10:.0f}" for one in HEIGHTS]),
    ("generalize", TOWNS, ["west" if one in ("Koper", "Kranj") else "east" for one in TOWNS]),
    ("pseudonymize", CODES, [f"P{number + 1000}" for number in RNG.sample(range(N), N)]),
    ("pseudonymize", TOWNS, [{"Celje": "b", "Koper": "q", "Kranj": "x", "Ptuj": "k"}[one] for one in TOWNS]),
    ("noise", HEIGHTS, [f"{float(one) + RNG.gauss(0, 2):.2f}" for one in HEIGHTS]),
    ("date_shift", ISO, [(day + timedelta(RNG.randrange(1, 60))).isoformat() for day in DAYS]),
    ("replace", HEIGHTS, [f"{RNG.gauss(70, 10):.3f}" for _ in range(N)]),
]


@pytest.mark.parametrize(("action", "before", "after"), EXAMPLES)
def test_proposal__says_what_was_done(action: str, before: list[str], after: list[str] | None) -> None:
    assert _proposed(before, after)[0] == action


@pytest.mark.parametrize(
    ("header", "semantic", "action"),
    [
        ("postal code", "zipcode", "mask_zip_leading"),
        ("naslov", "address", "region_generalize"),
        ("키", "other", "generalize"),
    ],
)
def test_proposal__names_what_a_column_holds_in_the_rule_s_words(
    header: str, semantic: str, action: str
) -> None:
    codes = [f"{RNG.randrange(1000, 9999)}" for _ in range(N)]
    assert _proposed(codes, [f"{code[:2]}**" for code in codes], header) == (action, semantic)


def test_reordered_and_shorter_tables__are_compared_as_a_whole() -> None:
    rows = [*zip(CODES, HEIGHTS, TOWNS, strict=True)]
    some = RNG.sample(rows, 250)
    original = _table("code,kg,town\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    after = _table(
        "code,kg,town,new\n" + "".join(f"P{n + 100},{b},{c},1\n" for n, (_, b, c) in enumerate(some))
    )
    found = {each.column: each.action for each in propose_log(original, after)}
    assert found == {"code": "pseudonymize", "kg": "keep", "town": "keep", "new": "replace"}


def test_exchanged_column__leaves_the_order_of_the_rows_as_it_is() -> None:
    """A column of few values is exchanged beside another that stays: the rows have not moved."""
    assert _proposed(TOWNS, RNG.sample(TOWNS, N))[0] == "swap"
    order = sorted(range(N), key=lambda row: (STAYS[row], RNG.random()))  # moved, and sorted by what stays
    first = sorted(range(N), key=lambda row: (STAYS[row], row))
    original = _table("x,dx\n" + "".join(f"{HEIGHTS[row]},{STAYS[row]}\n" for row in first))
    moved = _table("x,dx\n" + "".join(f"{HEIGHTS[row]},{STAYS[row]}\n" for row in order))
    assert [each.action for each in propose_log(original, moved)] == ["keep", "keep"]


def test_document__is_read_back_as_a_log_that_was_made_here() -> None:
    entries = propose_log(_table("ime,a\nAna,1\nBor,2\n", "o.csv"), _table("a\n1\n2\n", "a.csv"))
    log = read_log(log_document(entries, original_name="o.csv", anonymized_name="a.csv"), name="l.json")
    assert log.origin == "made_here"
    assert (log.mode, log.source_file, log.output_file) == ("low", "o.csv", "a.csv")
    assert not log.notes
    assert [(each.column, each.action) for each in log.entries.values()] == [("ime", "drop"), ("a", "keep")]
