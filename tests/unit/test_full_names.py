"""Full names of people are names under any header, and in the column that says whose a record is."""

import itertools

import pyarrow as pa
import pytest

from core.delivery import audit_delivery
from core.people.roles import Role, RoleSuggestion, suggest_roles
from core.risk import RiskSettings, audit_risk
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

_GIVEN, _SURNAMES = "Ana Marko James Mary Peter Nina".split(), "Novak Smith Zupan Wilson Kovač".split()
_GERMAN = [*itertools.product("Uwe Jens Ute Ilse Kai Anke".split(), "Voß Lenz Kühn Frey Rapp".split())]
LISTED = [f"{given} {surname}" for given, surname in itertools.product(_GIVEN, _SURNAMES)]
SURNAME_FIRST = [f"{surname}, {given}" for given, surname in itertools.product(_GIVEN, _SURNAMES)]
KOREAN = [a + b + c for a, b, c in itertools.product("김이박최정", "민서지", "준우")]
GERMAN = [" ".join(pair) for pair in _GERMAN]
TITLED = [f"Dr. {name}" for name in GERMAN]

NO_NAMES = (
    ["Yes", "No", "Unknown"] * 10,
    ["North Region", "South Region", "East Region", "West Region"] * 8,
    ["New York", "Los Angeles", "San Jose", "Nova Gorica", "Novo Mesto", "Santa Clara", "Fort Worth"] * 5,
    [f"{first} {last}" for first in ("Gold", "Basic", "Pro") for last in ("Plan", "Care", "Cover")] * 4,
    ["Acme Corp", "Globex Inc", "Initech Ltd", "Umbrella Group", "Harris Bank", "Martin Foods"] * 5,
    [f"NOV{number:04d}" for number in range(30)],
    [f"P-{number:04d}" for number in range(30)],
    ["Day Case", "Inpatient Stay", "Outpatient Visit"] * 10,
    ["Hodgkin Lymphoma", "Type Two Diabetes", "Wilson Disease", "Marfan Syndrome"] * 8,
)
ANY_HEADER = ("patient", "client", "person", "diagnosis", "city", "treatment", "x")
OF_PEOPLE = ("patient", "client", "Person", "customer_name", "stranka", "고객")


def _suggested(header: str, values: list[str]) -> RoleSuggestion:
    return next(iter(suggest_roles(pa.table({header: values}))))


@pytest.mark.parametrize("header", ANY_HEADER)
@pytest.mark.parametrize("values", [LISTED, SURNAME_FIRST, KOREAN, LISTED[::5]], ids=lambda values: values[0])
def test_suggest_roles__takes_full_names_for_names_under_any_header(header: str, values: list[str]) -> None:
    found = _suggested(header, values)
    assert (found.role, found.kind, found.from_values) == (Role.DIRECT_IDENTIFIER, "person's name", True)


@pytest.mark.parametrize("header", OF_PEOPLE)
@pytest.mark.parametrize("values", [GERMAN, TITLED, GERMAN[::7]], ids=lambda values: values[0])
def test_suggest_roles__takes_names_of_no_list_where_the_header_speaks_of_people(
    header: str, values: list[str]
) -> None:
    found = _suggested(header, values)
    assert (found.role, found.kind, found.from_values) == (Role.DIRECT_IDENTIFIER, "person's name", True)


@pytest.mark.parametrize("header", [*ANY_HEADER, *OF_PEOPLE])
@pytest.mark.parametrize("values", NO_NAMES, ids=lambda values: values[0])
def test_suggest_roles__takes_nothing_else_for_names(header: str, values: list[str]) -> None:
    if header != "customer_name":  # says itself that there are names
        assert _suggested(header, values).kind != "person's name"


def _table(header: str, values: list[str], *, name: str = "visits.csv") -> Dataset:
    rows = "".join(f'"{value}",m\n' for value in [*values, *values])
    return read_dataset(f"{header},sex\n{rows}".encode(), name=name)


@pytest.mark.parametrize("header", ["client", "person", "stay_of"])
@pytest.mark.parametrize("values", [LISTED, KOREAN, SURNAME_FIRST], ids=lambda values: values[0])
def test_audit_risk__fails_names_that_say_whose_a_record_is(header: str, values: list[str]) -> None:
    settings = RiskSettings(quasi_identifiers=("sex",), person=header)
    audit = audit_risk(_table(header, values), settings=settings)
    verdicts = {each.check: each.verdict for each in audit.exposure}
    assert verdicts.get("direct_identifiers") is Verdict.FAIL


@pytest.mark.parametrize("values", NO_NAMES[-4:-2], ids=lambda values: values[0])
def test_audit_risk__takes_pseudonyms_of_persons_as_they_are(values: list[str]) -> None:
    settings = RiskSettings(quasi_identifiers=("sex",), person="client")
    audit = audit_risk(_table("client", values), settings=settings)
    assert "direct_identifiers" not in {each.check for each in audit.exposure}


@pytest.mark.parametrize("header", ["patient", "client", "person"])
@pytest.mark.parametrize("values", [LISTED, GERMAN], ids=lambda values: values[0])
def test_audit_delivery__fails_names_as_keys(header: str, values: list[str]) -> None:
    visits = _table(header, values)
    rows = "".join(f'"{value}",{30 + at % 9}\n' for at, value in enumerate(values))
    persons = read_dataset(f"{header},age\n{rows}".encode(), name="persons.csv")
    audit = audit_delivery([visits, persons])
    assert Verdict.FAIL in {each.verdict for each in audit.findings if each.check == "looks_like_identifier"}
