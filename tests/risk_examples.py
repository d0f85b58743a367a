"""Tables of people for the tests of disclosure risk, and what an audit says of them."""

from collections.abc import Callable

import pytest

from core.counts import CountsAudit
from core.errors import AuditInputError
from core.risk import RiskAudit, RiskMeasurement, RiskSettings, RiskThresholds, judge_risk, measure_risk
from core.tables import Dataset, read_dataset
from tests.saying import Saying

# Classes over age and sex: (30, F) of 3, (40, M) of 2, (50, F) of 1.
PEOPLE = """age,sex,disease,salary
30,F,flu,3
30,F,flu,5
30,F,cold,9
40,M,flu,6
40,M,flu,11
50,F,gout,8
"""
# What everybody is, of whom the people are some.
POPULATION = "age,sex\n" + "30,F\n" * 6 + "40,M\n" * 2 + "50,F\n" * 4 + "60,F\n"
DISEASE = {"sensitive": ("disease",)}
_TABLES = ("original", "population")


def table(text: str, name: str = "people.csv") -> Dataset:
    return read_dataset(text.encode(), name=name)


def measured(text: str = PEOPLE, *, quasi: str = "age,sex", **chosen: object) -> RiskMeasurement:
    """Measure a table; `original` and `population` are tables as text, `hierarchies` groups of values."""
    further = {name: table(chosen.pop(name), f"{name}.csv") for name in _TABLES if name in chosen}
    groups = chosen.pop("hierarchies", None)
    settings = RiskSettings(quasi_identifiers=tuple(quasi.split(",")), **chosen)
    return measure_risk(table(text), settings=settings, hierarchies=groups, **further)


def judged(
    text: str = PEOPLE,
    *,
    quasi: str = "age,sex",
    k: int = 5,
    l: int | None = 2,  # noqa: E741 - the model's own letter
    limits: dict[str, float] | None = None,
    **chosen: object,
) -> RiskAudit:
    return judge_risk(measured(text, quasi=quasi, **chosen), RiskThresholds(k=k, l=l, **(limits or {})))


def messages(audit: RiskAudit | CountsAudit) -> dict[str, str]:
    findings = audit.all_findings if isinstance(audit, RiskAudit) else audit.findings
    return {finding.check: f"{finding.verdict.value}: {finding.message}" for finding in findings}


def tells(audit: RiskAudit | CountsAudit, **expected: str | None) -> None:
    """Hold findings by their check: verdict, subject and values, "…" for any words; None for no finding."""
    told = messages(audit)
    found = {check: told.get(check) for check in expected}
    assert found == {check: words and Saying(f"{words}…") for check, words in expected.items()}


def problems(act: Callable[[], object]) -> tuple[str, ...]:
    """Return what somebody has to fix before something can be done."""
    with pytest.raises(AuditInputError) as raised:
        act()
    return raised.value.problems
