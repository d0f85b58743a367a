"""Files at hand, and the audits that fit them."""

import json
from collections.abc import Callable

import pytest

from core.demo import Demo
from core.tables import read_dataset
from core.triage import GivenFile, Offer, is_report, offers, sides_of
from core.vcf.pairing import is_vcf_name
from pages.components.navigation import TOOLS


def given(name: str, data: bytes) -> GivenFile:
    if is_vcf_name(name) or name.endswith(".json"):
        return GivenFile(name=name, data=data)
    return GivenFile(name=name, table=read_dataset(data, name=name))


def of_demo(tool: str, key: str) -> tuple[Offer, ...]:
    demo: Demo = next(demo for each in TOOLS if each.key == tool for demo in each.demos if demo.key == key)
    files = {file.name: file.data for files in demo.make().values() for file in files}
    return offers([given(name, data) for name, data in files.items()])


DEMOS = [
    pytest.param(tool.key, demo.key, id=f"{tool.key}-{demo.key}")
    for tool in TOOLS
    for demo in tool.demos
    if tool.key != "diversity"  # any table may be one for a model
]


@pytest.mark.parametrize(("tool", "key"), DEMOS)
def test_offers__find_the_tool_of_every_demo(tool: str, key: str) -> None:
    found = of_demo(tool, key)
    assert tool in [offer.tool for offer in found[:2]]
    if (tool, key) != ("risk", "generalized"):  # a table beside its original is first compared with it
        assert found[0].tool == tool


def test_offers__put_the_released_table_of_two_second() -> None:
    table = b"age,sex,town\n" + b"31,F,A\n42,M,B\n" * 9
    found = offers([given("people_anonymized.csv", table), given("people.csv", table)])
    assert [offer.tool for offer in found] == ["leakage", "risk"]
    assert found[0].places == {"original": ("people.csv",), "scrambled": ("people_anonymized.csv",)}
    assert found[1].places == {"table": ("people_anonymized.csv",), "original": ("people.csv",)}


def test_offers__take_a_short_table_that_shares_a_key_alone_for_no_copy() -> None:
    people = b"number,age,sex\n" + b"".join(b"P%d,%d,F\n" % (n, 20 + n % 50) for n in range(100, 300))
    visits = b"number,day\n" + b"".join(b"P%d,2024-03-%d\n" % (n, 10 + n % 19) for n in range(100, 300))
    found = offers([given("people.csv", people), given("visits.csv", visits)])
    assert found[0].tool == "dataset"
    beside = offers([given("x.vcf", b""), given("people.csv", people), given("visits.csv", visits)])
    assert [offer.tool for offer in beside[:2]] == ["vcf", "dataset"]  # whatever else was dropped
    assert "leakage" not in [offer.tool for offer in found]


def test_offers__keep_tables_of_other_columns_apart() -> None:
    one, other = b"age,sex\n31,F\n42,M\n", b"price,item\n3,apple\n4,pear\n"
    found = offers([given("people.csv", one), given("prices.csv", other)])
    assert {offer.tool for offer in found} == {"risk", "diversity"}
    assert len(found) == 4


def test_offers__are_none_of_nothing_and_of_unknown_json() -> None:
    assert offers([]) == ()
    assert offers([given("x.json", b"[1, 2]"), given("y.json", b"{"), given("z.json", b'{"a": 1}')]) == ()


def test_is_report__knows_ours_from_a_log() -> None:
    ours = dict.fromkeys(("tool", "verdict", "inputs", "findings", "versions", "more"))
    assert is_report(json.dumps(ours).encode())
    assert not is_report(b'{"log_info": {}}')
    assert not is_report(b"[" * 100_000)


PEOPLE = b"age,sex,town\n" + b"31,F,A\n42,M,B\n" * 9
PRICES = b"price,item\n3,apple\n4,pear\n"


def test_offers__find_every_table_and_its_copy_among_others() -> None:
    names = ("people.csv", "wards.csv", "wards_scrambled.csv", "people_anonymized.csv")
    found = offers([given("prices.csv", PRICES), *(given(name, PEOPLE) for name in names)])
    pairs = [offer.places for offer in found if offer.tool == "leakage"]
    assert pairs == [
        {"original": ("wards.csv",), "scrambled": ("wards_scrambled.csv",)},
        {"original": ("people.csv",), "scrambled": ("people_anonymized.csv",)},
    ]
    assert [offer.tool for offer in found[:3]] == ["leakage", "leakage", "risk"]
    assert found[2].places == {"table": ("prices.csv",)}  # the best of each file comes before all others
    assert [offer.tool for offer in found[3:]] == ["risk", "risk", "diversity"]


def test_offers__take_no_table_for_a_copy_of_another_by_its_name_alone() -> None:
    files = [given("people.csv", PEOPLE), given("people_anonymized.csv", PRICES), given("x.csv", PRICES)]
    found = offers(files)
    assert [offer.places for offer in found if offer.tool == "leakage"] == [
        {"original": ("x.csv",), "scrambled": ("people_anonymized.csv",)}
    ]
    two = [given("a.csv", PEOPLE), given("b.csv", PEOPLE), given("masked.csv", PEOPLE)]
    assert "leakage" not in [offer.tool for offer in offers(two)]  # of which of the two is not known


def test_offers__leave_a_table_that_no_log_is_for_out_of_the_tabular_verifier() -> None:
    files = [given(name, PEOPLE) for name in ("people.csv", "people_anonymized.csv", "wards.csv")]
    log = given("people_anonymized_log.json", b'{"log_info": {}}')
    verified = offers([*files, log])[0]
    assert verified.tool == "tabular"
    assert verified.places == {"files": ("people.csv", "people_anonymized.csv", "people_anonymized_log.json")}
    other = offers([*files, given("log.json", b'{"log_info": {}}')])[0]
    assert other.places == {"files": ("people.csv", "people_anonymized.csv", "wards.csv", "log.json")}


def _table(header: str, *columns: Callable[[int], object]) -> bytes:
    """Return a table of 600 records, a function of the number of the record for each column."""
    rows = (",".join(str(make(n)) for make in columns) for n in range(600))
    return "\n".join([header, *rows, ""]).encode()


def _born(n: int) -> str:
    return f"{1935 + n * 7 % 65}-{1 + n % 12:02}-{1 + n * 5 % 28:02}"


def _at(n: int) -> str:
    return f"2024-{1 + n % 12:02}-{1 + n * 5 % 28:02} {n % 24:02}:{n % 60:02}"


def _day(n: int) -> str:
    return _at(n)[:10]


def _one_of(*values: str) -> Callable[[int], str]:
    return lambda n: values[n * 7 // 3 % len(values)]


GIVEN = _one_of("Ana", "Janez", "Marko", "Maja", "Luka", "Nina", "Eva", "Jan")
SURNAME = _one_of("Novak", "Horvat", "Krajnc", "Zupan", "Kos")
TOWN = _one_of("1000", "2000", "3000", "4000")
KIND = _one_of("fall", "call", "meal")


@pytest.mark.parametrize(
    "table",
    [
        _table("birth_date,given_name,postcode", _born, GIVEN, TOWN),
        _table("datum rojstva,priimek,pošta,spol", _born, SURNAME, TOWN, _one_of("M", "Ž")),
        _table("생년월일,성별,진단", _born, _one_of("남", "여"), _one_of("감기", "천식", "골절")),
        _table("date_of_death,surname,city", _born, SURNAME, _one_of("Celje", "Kranj", "Koper")),
        _table("c1,c2,c3", _born, GIVEN, TOWN),  # by the years of the dates alone
        _table(
            "patient_id,surname,admission,ward", lambda n: f"P{n:04}", SURNAME, _day, _one_of("A", "B", "C")
        ),
        _table(
            "first name,last name,admitted,ward",
            lambda n: f"Given{n % 30}",
            lambda n: f"Sur{n // 30}",
            _day,
            KIND,
        ),
    ],
)
def test_offers__take_people_of_a_row_each_for_no_log(table: bytes) -> None:
    assert [offer.tool for offer in offers([given("people.csv", table)])] == ["risk", "diversity"]


@pytest.mark.parametrize("header", ["birth_date,given_name,postcode", "rojen,ime,pošta"])
def test_offers__say_that_people_have_a_row_each(header: str) -> None:
    (risk, _) = offers([given("people.csv", _table(header, _born, GIVEN, TOWN))])
    assert risk.reason != offers([given("people.csv", PRICES)])[0].reason


@pytest.mark.parametrize(
    "log",
    [
        _table("user,time,event", lambda n: f"u{n % 40}", _at, KIND),
        _table("ime,datum,dogodek", GIVEN, _at, KIND),
        _table("a,b,c", lambda n: f"u{n % 40}", _at, KIND),
        _table("patient_id,visit_date,name,birth_date,sex", lambda n: f"P{n % 60:03}", _day, KIND,
               lambda n: _born(n % 60), lambda n: "MF"[n % 2]),
        _table("resident,time,event,uuid", lambda n: f"r{n % 40}", _at, KIND, lambda n: f"0a{n:06x}"),
    ],
)  # fmt: skip
def test_offers__take_a_log_for_one_whoever_it_is_of(log: bytes) -> None:
    assert offers([given("log.csv", log)])[0].tool == "events"


def _people(key: str, *, exact: bool) -> bytes:
    rows = (f"{key}{n},{1940 + n % 60 if exact else '1940-1999'},{'FM'[n % 2]}\n" for n in range(100, 300))
    return f"number,born,sex\n{''.join(rows)}".encode()


def _visits(key: str, *, exact: bool) -> bytes:
    rows = (f"{key}{n},2024-03-{10 + n % 19 if exact else 10}\n" for n in range(100, 300))
    return f"number,day\n{''.join(rows)}".encode()


DELIVERIES = {  # names of: original people, original visits, released people, released visits
    "folders": ("raw/people.csv", "raw/visits.csv", "release/people.csv", "release/visits.csv"),
    "endings": ("people.csv", "visits.csv", "people_deidentified.csv", "visits_deidentified.csv"),
    "numbered": ("people.csv", "visits.csv", "people (2).csv", "visits (2).csv"),
    "released first": ("people (2).csv", "visits (2).csv", "people.csv", "visits.csv"),
}


@pytest.mark.parametrize("names", DELIVERIES.values(), ids=DELIVERIES)
def test_offers__find_tables_that_come_with_their_originals(names: tuple[str, str, str, str]) -> None:
    tables = [
        *(_people("P", exact=True), _visits("P", exact=True)),
        *(_people("Q", exact=False), _visits("Q", exact=False)),
    ]
    files = [given(*each) for each in zip(names, tables, strict=True)]
    best = offers(sorted(files, key=lambda each: "(2)" in each.name))[0]
    assert best.tool == "dataset"
    assert {role: sorted(each) for role, each in best.places.items()} == {
        "originals": sorted(names[:2]),
        "tables": sorted(names[2:]),
    }


def test_sides__are_none_of_one_pair_of_other_columns_and_of_tables_that_come_once() -> None:
    people, visits = _people("P", exact=True), _visits("P", exact=True)
    once = [given("people.csv", people), given("visits.csv", visits), given("people_masked.csv", people)]
    assert sides_of(once) == ([], [])
    other = [*once, given("visits_masked.csv", b"shop,price\n" + b"A,1\nB,2\n" * 9)]
    assert sides_of(other) == ([], [])


def test_offers__take_pairs_that_no_key_joins_for_no_delivery() -> None:
    one = b"age,sex,town\n" + b"31,F,A\n42,M,B\n" * 9
    other = b"price,shop,colour\n" + b"3,X,red\n4,Y,blue\n" * 9
    found = offers(
        [
            *(given("people.csv", one), given("people_anonymized.csv", one)),
            *(given("sales.csv", other), given("sales_anonymized.csv", other)),
        ]
    )
    assert [offer.tool for offer in found[:2]] == ["leakage", "leakage"]
