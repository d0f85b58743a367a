"""Tables of people for the tests of disclosure risk."""

from core.risk import RiskAudit, RiskMeasurement, RiskSettings, RiskThresholds, judge_risk, measure_risk
from core.tables import Dataset, read_dataset

# Classes over age and sex: (30, F) of 3, (40, M) of 2, (50, F) of 1.
PEOPLE = """age,sex,disease,salary
30,F,flu,3
30,F,flu,5
30,F,cold,9
40,M,flu,6
40,M,flu,11
50,F,gout,8
"""


def table(text: str, name: str = "people.csv") -> Dataset:
    return read_dataset(text.encode(), name=name)


def measured(text: str = PEOPLE, *, quasi: str = "age,sex", **settings: object) -> RiskMeasurement:
    return measure_risk(
        table(text), settings=RiskSettings(quasi_identifiers=tuple(quasi.split(",")), **settings)
    )


def judged(
    text: str = PEOPLE,
    *,
    quasi: str = "age,sex",
    k: int = 5,
    l: int | None = 2,  # noqa: E741 - the model's own letter
    **settings: object,
) -> RiskAudit:
    return judge_risk(measured(text, quasi=quasi, **settings), RiskThresholds(k=k, l=l))


def messages(audit: RiskAudit) -> dict[str, str]:
    return {finding.check: f"{finding.verdict.value}: {finding.message}" for finding in audit.all_findings}
