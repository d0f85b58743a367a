"""Which names an error may list: none where the line of names holds the values of a record."""

import pytest

from core.errors import AuditInputError
from core.events import EventSettings
from core.events.settings import check_columns
from core.people.roles.headers import holds_values, listed_names
from core.risk import RiskSettings
from core.risk.settings import check_settings
from core.tables import ReadOptions, read_dataset
from core.tabular.measuring import check_quasi_identifiers

RECORDS = (
    ("Ana Novak", "34", "Ljubljana", "I10"),
    ("김민지", "서울", "고혈압"),
    ("Featherstone", "Leeds", "Asthma"),
    ("Schmidt", "m", "A"),
    ("ana.novak@example.org", "Nurse"),
    ("1984-03-02", "Oslo"),
    ("P-00017", "Oslo", "x"),
    ("novak", "maribor"),
)
HEADERS = (
    ("age", "sex", "income", "status"),
    ("Name", "City", "Diagnosis"),
    ("Patient ID", "Mark", "Grade"),
    ("A", "B", "C"),
    ("Column 1", "Column 2"),
    ("EventCode", "visitDate", "hba1c_2"),
    ("나이", "성별", "거주지"),
    ("starost", "spol", "kraj"),
    ("OD_ISO", "GUID", "dogodek", "ward"),
    ("Rose", "variety_code", "petal_length"),
)


@pytest.mark.parametrize("names", RECORDS, ids=str)
def test_holds_values__is_true_of_a_record(names: tuple[str, ...]) -> None:
    assert holds_values(names)
    shown = str(listed_names(names))
    assert not any(name in shown for name in names if len(name) > 2)
    assert "--no-header" in shown


@pytest.mark.parametrize(
    "names", [names for names in HEADERS if "Mark" not in names and "Rose" not in names], ids=str
)
def test_holds_values__is_false_of_a_header(names: tuple[str, ...]) -> None:
    assert not holds_values(names)
    assert all(name in str(listed_names(names)) for name in names)


def _risk(columns: tuple[str, ...]) -> None:
    check_settings(RiskSettings(quasi_identifiers=("absent",)), columns)


def _events(columns: tuple[str, ...]) -> None:
    check_columns(EventSettings(columns=("absent",), flatten="absent"), columns)


def _tabular(columns: tuple[str, ...]) -> None:
    data = ",".join(columns).encode() + b"\n" + b",".join([b"1"] * len(columns)) + b"\n"
    check_quasi_identifiers(read_dataset(data, name="t.csv"), ["absent"])


@pytest.mark.parametrize("refuse", [_risk, _events, _tabular])
def test_errors__list_no_values_of_the_first_record(refuse: object) -> None:
    assert callable(refuse)
    for names in RECORDS:
        with pytest.raises(AuditInputError) as error:
            refuse(names)
        assert not any(name in str(error.value) for name in names if len(name) > 3)
    with pytest.raises(AuditInputError, match="income"):
        refuse(HEADERS[0])


def test_listed_names__tells_the_option_where_names_are_absent() -> None:
    assert "--header-row" in str(listed_names(("Person", "Unnamed: 2", "Result", "Unnamed: 4")))
    assert "--header-row" not in str(listed_names(("Unnamed: 1", "age", "sex")))


TRAILING = (
    ("age,sex,work,\n", "60,m,a\n58,f,b\n", ["age", "sex", "work"]),
    ("age;sex;;\n", "60;m\n58;f\n", ["age", "sex"]),
    ("age\tsex\t\n", "60\tm\n58\tf\n", ["age", "sex"]),
)


@pytest.mark.parametrize(("header", "records", "names"), TRAILING)
def test_read_dataset__leaves_out_the_empty_end_of_a_header(
    header: str, records: str, names: list[str]
) -> None:
    dataset = read_dataset((header + records).encode(), name="t.csv")
    assert list(dataset.columns) == names
    assert dataset.n_records == 2
    assert len(dataset.reading.notes) == 1


@pytest.mark.parametrize(
    "data", [b"age,sex,\n60,m,\n58,f,\n", b"age,sex,\n60,m,x\n58,f,\n", b"age,sex\n60,m,\n58,f,\n"]
)
def test_read_dataset__keeps_other_empty_ends_as_they_are(data: bytes) -> None:
    dataset = read_dataset(data, name="t.csv")
    assert dataset.n_records == 2
    assert dataset.columns[:2] == ("age", "sex")


TWO_LINES = (
    "Person,,Result,,Weight\nage,sex,income,status,(kg)\n20,F,1000,a,60\n30,M,1100,b,61\n",
    "Patient;;;Visit\nsex;age;city;ward\nm;40;Ptuj;A\nf;50;Koper;B\n",
    "Survey 2024\n\nDonor,,Blood,,Year\nplace,born,group,volume,of\nKranj,1950,A,450,1\nCelje,1961,0,430,2\n",
)


@pytest.mark.parametrize("data", TWO_LINES)
def test_read_dataset__takes_the_second_line_of_a_header_of_two(data: str) -> None:
    dataset = read_dataset(data.encode(), name="t.csv")
    assert dataset.n_records == 2
    assert not dataset.unnamed_columns
    again = read_dataset(
        data.encode(), name="t.csv", options=ReadOptions(header=dataset.reading.options.header)
    )
    assert again.columns == dataset.columns


ONE_LINE = (
    ",name,age\n1,Ana,34\n2,Bor,35\n",  # a column of row numbers
    "name,,,score,sex\nAna,x,y,3,f\nBor,z,w,4,m\n",  # the record below holds a number
    "Site,,,Text,Note\nnorth,a,b,c,z\nsouth,d,e,f,y\n",  # nothing below is a number: nobody can say
    "Site,,,Text,Score\nnorth,a,b,x,none\nnorth,d,e,y,2\n",  # a value that returns is no name
)


@pytest.mark.parametrize("data", ONE_LINE)
def test_read_dataset__takes_no_record_for_a_second_line(data: str) -> None:
    assert read_dataset(data.encode(), name="t.csv").n_records == 2
