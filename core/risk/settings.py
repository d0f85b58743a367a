"""What the person chooses before anything is measured, and what the figures are held against."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.errors import AuditInputError

Missing = Literal["value", "wildcard", "drop"]
SensitiveDistance = Literal["auto", "equal", "ordered"]
Several = Literal["one_by_one", "others_added"]
MissingSensitive = Literal["unknown", "value"]

MISSING: tuple[Missing, ...] = ("value", "wildcard", "drop")
DISTANCES: tuple[SensitiveDistance, ...] = ("auto", "equal", "ordered")
SEVERAL: tuple[Several, ...] = ("one_by_one", "others_added")
MISSING_SENSITIVE: tuple[MissingSensitive, ...] = ("unknown", "value")

# Smallest class sizes a person recognizes, and who asks for them.
PRESETS: Mapping[int, str] = {
    3: "few known recipients, highest risk 0.33",
    5: "recipients under contract, highest risk 0.20",
    11: "public health data (EMA, Health Canada), highest risk 0.09",
    20: "public release, stricter, highest risk 0.05",
}


@dataclass(frozen=True, kw_only=True)
class RiskSettings:
    """What is measured; changing any of it measures again.

    Attributes
    ----------
    quasi_identifiers
        Columns that somebody may know about a person from elsewhere; at least one.
    sensitive
        Columns whose values must not become known; none of them a quasi-identifier.
    person
        Column that says whose record it is; then a class counts distinct persons. None: a record is a
        person.
    weight
        Column with sampling weights, all above 0; for individual risk. None: no weights.
    leave_out
        Columns that will not be released: nothing is said about them.
    direct_identifiers
        Columns that name a person, whatever they look like; the table fails while they are in it.
    other
        Columns that the person looked at and found harmless: what they look like is a warning at most.
    missing
        What a missing quasi-identifier is: ``value`` (a value of its own), ``wildcard`` (matches every
        value) or ``drop`` (such records are left out).
    distance
        Between sensitive values for t-closeness: ``auto`` (ordered for columns of numbers, else equal),
        ``equal`` or ``ordered``.
    several_sensitive
        ``one_by_one``, or ``others_added``: for each sensitive attribute the others are
        quasi-identifiers as well, which is stricter.
    missing_sensitive
        ``unknown`` (such a record is not counted) or ``value`` (a blank is an answer of its own).
    recursive_c
        c at which the largest l of recursive (c, l)-diversity is reported; above 0.
    closeness
        Sensitive numbers that differ by at most this share, in [0, 1), of the range between their 5 % and
        95 % quantiles are close, and not told apart where values are judged by what they mean.
    household
        Column that says which household a record is of, for the risk of households; None: not assessed.
    population_size
        People in the population the table is a sample of; None where not known.
    roles_suggested
        Whether nobody chose the columns, so that the suggested ones were taken; said in a finding.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    weight: str | None = None
    leave_out: tuple[str, ...] = ()
    direct_identifiers: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    missing: Missing = "value"
    distance: SensitiveDistance = "auto"
    several_sensitive: Several = "one_by_one"
    missing_sensitive: MissingSensitive = "unknown"
    recursive_c: float = 3.0
    closeness: float = 0.01
    household: str | None = None
    population_size: int | None = None
    roles_suggested: bool = False


@dataclass(frozen=True, kw_only=True)
class RiskThresholds:
    """What the figures are held against; changing any of it measures nothing again.

    Attributes
    ----------
    k
        Every class has at least so many records (or persons); a record is at risk in a smaller one. 1 is
        always met, for a policy that rests on other thresholds, such as the average risk.
    l
        Every class has at least so many different sensitive values; None is not judged, 1 is always met.
    entropy_l
        Smallest entropy l; None is not judged.
    t
        Largest distance of a class from the whole table, in [0, 1]; None is not judged.
    average_risk
        Largest average risk of a record, in [0, 1]; None is not judged.
    alpha
        Largest share of one sensitive value in a class, in [0, 1]; None is not judged.
    beta
        Largest basic β, at least 0; None is not judged.
    delta
        Largest δ, values absent from a class passed over, at least 0; None is not judged.
    household_risk
        Largest risk, in [0, 1], that a household is found through any of its members; None: above 1 / k is a
        warning.
    person_k
        Every person shares the classes of all their records, and how often, with at least so many persons,
        themselves included; None: fewer than k is a warning.
    """

    k: int = 5
    l: int | None = 2  # noqa: E741 - the model's own letter
    entropy_l: float | None = None
    t: float | None = None
    average_risk: float | None = None
    alpha: float | None = None
    beta: float | None = None
    delta: float | None = None
    household_risk: float | None = None
    person_k: int | None = None

    @property
    def risk_at_k(self) -> float:
        """Return 1 / k, the highest risk that k accepts."""
        return 1 / self.k


@dataclass(frozen=True, kw_only=True)
class Hierarchy:
    """Groups of the values of a sensitive attribute, from the values up to one group of all.

    Attributes
    ----------
    groups
        Value → its groups, the smallest first, the group of all left out; all values have the same
        number.
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def check_settings(settings: RiskSettings, columns: Sequence[str]) -> None:
    """Refuse settings that no measurement can be made with.

    Raises
    ------
    AuditInputError
        Names every parameter that is wrong, what is allowed, and what was received.
    """
    problems = [
        *_choice_problems(settings),
        *_column_problems(settings, columns),
        *_overlap_problems(settings),
    ]
    if not settings.quasi_identifiers:
        problems.append(
            "No quasi-identifier is chosen. Choose the columns that somebody may know about a person."
        )
    if not 0 < settings.recursive_c < math.inf:
        problems.append(f"recursive_c must be above 0, received {settings.recursive_c:g}.")
    if not 0 <= settings.closeness < 1:
        problems.append(f"closeness must be at least 0 and below 1, received {settings.closeness:g}.")
    if settings.population_size is not None and settings.population_size < 1:
        problems.append(f"population_size must be at least 1, received {settings.population_size}.")
    if problems:
        raise AuditInputError(*problems)


def _choice_problems(settings: RiskSettings) -> list[str]:
    choices: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("missing", settings.missing, MISSING),
        ("distance", settings.distance, DISTANCES),
        ("several_sensitive", settings.several_sensitive, SEVERAL),
        ("missing_sensitive", settings.missing_sensitive, MISSING_SENSITIVE),
    )
    return [
        f"{name} must be one of {', '.join(allowed)}, received {value!r}."
        for name, value, allowed in choices
        if value not in allowed
    ]


def _column_problems(settings: RiskSettings, columns: Sequence[str]) -> list[str]:
    chosen = [*settings.quasi_identifiers, *settings.sensitive, *settings.leave_out]
    chosen += [*settings.direct_identifiers, *settings.other]
    single = (settings.person, settings.weight, settings.household)
    chosen += [column for column in single if column is not None]
    unknown = [column for column in dict.fromkeys(chosen) if column not in columns]
    shown = ", ".join(list(columns)[:20]) + (", …" if len(columns) > 20 else "")
    return [f"There is no column `{column}`; the table has {shown}." for column in unknown]


def _overlap_problems(settings: RiskSettings) -> list[str]:
    """Return a sentence for every column that is chosen for two things that exclude each other."""
    parts = (
        ("a quasi-identifier", settings.quasi_identifiers),
        ("a sensitive attribute", settings.sensitive),
        ("the person column", tuple(filter(None, (settings.person,)))),
        ("the weight column", tuple(filter(None, (settings.weight,)))),
        ("the household column", tuple(filter(None, (settings.household,)))),
        ("not released", settings.leave_out),
        ("a direct identifier", settings.direct_identifiers),
        ("harmless", settings.other),
    )
    uses: dict[str, list[str]] = {}
    for use, columns in parts:
        for column in dict.fromkeys(columns):
            uses.setdefault(column, []).append(use)
    return [
        f"`{column}` cannot be both {' and '.join(found)}; choose one."
        for column, found in uses.items()
        if len(found) > 1
    ]


def check_thresholds(thresholds: RiskThresholds) -> None:
    """Refuse thresholds outside of their range.

    Raises
    ------
    AuditInputError
        Names every threshold that is wrong, its range, and what was received.
    """
    checks: tuple[tuple[str, float | None, float, float], ...] = (
        ("k", thresholds.k, 1, math.inf),
        ("l", thresholds.l, 1, math.inf),
        ("entropy_l", thresholds.entropy_l, 1, math.inf),
        ("t", thresholds.t, 0, 1),
        ("average_risk", thresholds.average_risk, 0, 1),
        ("alpha", thresholds.alpha, 0, 1),
        ("beta", thresholds.beta, 0, math.inf),
        ("delta", thresholds.delta, 0, math.inf),
        ("household_risk", thresholds.household_risk, 0, 1),
        ("person_k", thresholds.person_k, 1, math.inf),
    )
    problems = [
        f"{name} must be {_range(lower, upper)}, received {value:g}."
        for name, value, lower, upper in checks
        if value is not None and not lower <= value <= upper
    ]
    if problems:
        raise AuditInputError(*problems)


def _range(lower: float, upper: float) -> str:
    return f"at least {lower:g}" if math.isinf(upper) else f"from {lower:g} to {upper:g}"
