"""What the person chooses before anything is measured, and what the figures are held against."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from core.errors import refuse
from core.people.roles.headers import listed_names
from core.settings.form import REQUIRED, Widget, check, setting
from core.words import Text, joined, own, text

Missing = Literal["value", "wildcard", "drop"]
SensitiveDistance = Literal["auto", "equal", "ordered"]
Several = Literal["one_by_one", "others_added"]
MissingSensitive = Literal["unknown", "value"]

GROUPS = "groups of values"  # the part of files of hierarchies in an audit
# Smallest class sizes a person recognizes, and who asks for them.
PRESETS: Mapping[int, str] = {
    3: "few known recipients, highest risk 0.33",
    5: "recipients under contract, highest risk 0.20",
    11: "public health data (EMA, Health Canada), highest risk 0.09",
    20: "public release, stricter, highest risk 0.05",
}
# From 0 to 1, which every table meets and which is not judged.
_TO_ONE = Widget(kind="slider", step=0.05, none_at=1.0)


@dataclass(frozen=True, kw_only=True)
class RiskSettings:
    """What is measured; changing any of it measures again."""

    quasi_identifiers: tuple[str, ...] = setting(
        REQUIRED,
        "Quasi-identifier",
        "Others may know it about a person.",
        "--quasi-identifier",
        metavar="COL",
        none="those suggested",
    )
    sensitive: tuple[str, ...] = setting(
        (), "Sensitive attribute", "Its values must not become known.", metavar="COL"
    )
    direct_identifiers: tuple[str, ...] = setting(
        (),
        "Direct identifier",
        "Names a person, whatever it looks like; the table fails with it.",
        "--direct-identifier",
        metavar="COL",
    )
    other: tuple[str, ...] = setting(
        (),
        "Other (harmless)",
        "Whatever it looks like, such as a drug column called name; a release keeps it.",
        "--harmless",
        metavar="COL",
    )
    shifted: tuple[str, ...] = setting(
        (),
        "Date shifted per person",
        "By one number of days for each person: others know the days between dates, not the dates.",
        metavar="COL",
    )
    person: str | None = setting(
        None, "Person", "Whose record it is, so that groups count people.", metavar="COL"
    )
    household: str | None = setting(
        None, "Household", "Which household it is of, found through any member.", metavar="COL"
    )
    weight: str | None = setting(
        None, "Sampling weight", "People a record stands for; all above 0.", metavar="COL"
    )
    counts: tuple[str, ...] = setting(
        (),
        "Count",
        "How many people a row stands for; the table is then audited as one of counts.",
        metavar="COL",
    )
    magnitude: str | None = setting(
        None, "Amount", "What a contributor gives to the cell of its row.", metavar="COL"
    )
    contributor: str | None = setting(
        None, "Contributor", "Who gives the amount; each row another one without.", metavar="COL"
    )
    leave_out: tuple[str, ...] = setting((), "Not released", "Will be removed.", metavar="COL")
    missing: Missing = setting(
        "value",
        "A missing quasi-identifier",
        "Which records have the same values.",
        choices={
            "value": "a value of its own",
            "wildcard": "matches every value",
            "drop": "leaves the record out",
        },
    )
    missing_sensitive: MissingSensitive = setting(
        "unknown",
        "A missing sensitive value",
        "A blank may be an answer, such as no diagnosis.",
        choices={"unknown": "unknown, not counted", "value": "a value of its own"},
    )
    several_sensitive: Several = setting(
        "one_by_one",
        "Several sensitive attributes",
        "Stricter: an intruder knows the other sensitive attributes.",
        choices={
            "one_by_one": "one by one",
            "others_added": "with the others as quasi-identifiers (stricter)",
        },
        widget=Widget(key="several"),
    )
    distance: SensitiveDistance = setting(
        "auto",
        "Distance between sensitive values",
        "For t-closeness: ordered counts how far apart numbers rank, equal only whether values differ. A "
        "file of groups takes precedence.",
        choices={"auto": "ordered for numbers, else equal", "equal": "equal", "ordered": "ordered"},
    )
    recursive_c: float = setting(
        3.0,
        "c of recursive diversity",
        "The largest ℓ is reported at which the most frequent value occurs in fewer records than c times "
        "those with the ℓ-th most frequent and all rarer values.",
        above=0,
        any_size=True,
        widget=Widget(span=(0.01, math.inf), step=0.5),
    )
    closeness: float = setting(
        0.01,
        "Numbers taken as one",
        "Where sensitive values are judged by what they mean, numbers that differ by at most this part of "
        "the range between their 5 % and 95 % quantiles are one, such as salaries of 50,000 and 50,010.",
        percent=True,
        most=math.inf,
        below=1,
        widget=Widget(span=(0, 0.5), step=0.005),
    )
    population_size: int | None = setting(
        None,
        "People in the population",
        "How many people the table is a sample of, for journalist and marketer risk.",
        least=1,
        any_size=True,
        metavar="N",
        none="not known",
        widget=Widget(step=1000),
    )
    roles_suggested: bool = False  # whether nobody chose the columns; said in a finding

    def __post_init__(self) -> None:
        check(self)

    @property
    def harmless(self) -> tuple[str, ...]:
        """Return the columns whose values others do not know: said to be harmless, or shifted dates."""
        return (*self.other, *self.shifted)

    @property
    def is_of_counts(self) -> bool:
        """Return whether the rows are cells of counts or contributions to them, and no people."""
        return bool(self.counts or self.magnitude)

    def categories(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that say which cell of counts a row is: those that nothing else was said of."""
        parts = (self.counts, self.leave_out, self.direct_identifiers, self.harmless)
        single = (self.magnitude, self.contributor, self.person, self.weight, self.household)
        named = {*single, *(column for part in parts for column in part)}
        return tuple(column for column in columns if column not in named)

    def of_counts(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return the columns of a table of counts by what they are there."""
        return {
            "counts": self.counts,
            "dimensions": self.categories(columns),
            "sensitive": self.sensitive,
            "magnitude": self.magnitude,
            "contributor": self.contributor,
        }


@dataclass(frozen=True, kw_only=True)
class RiskThresholds:
    """What the figures are held against; changing any of it measures nothing again."""

    k: int = setting(
        5,
        "Smallest group size k",
        "Every combination of quasi-identifiers should be shared by at least k (usual are 3, 5, 11, 20); 1 "
        "asks for no size, for a policy of average risk alone.",
        least=1,
        any_size=True,
        widget=Widget(kind="slider", span=(1, 50)),
    )
    l: int | None = setting(  # noqa: E741 - the model's own letter
        2,
        "Different sensitive values ℓ",
        "Every group should have at least ℓ different values; 1 is always met.",
        least=1,
        any_size=True,
        none="not judged",
        widget=Widget(kind="slider", span=(1, 10)),
    )
    entropy_l: float | None = setting(
        None,
        "Entropy ℓ",
        "Every group should be as diverse as one of ℓ equally frequent values (exp of its entropy); 1 is "
        "always met.",
        least=1,
        any_size=True,
        none="not judged",
        widget=Widget(kind="slider", span=(1, 10), step=0.1, none_at=1.0),
    )
    t: float | None = setting(
        None,
        "Largest distance t",
        "Largest distance of a group's values from the whole table's; 1 is always met.",
        least=0,
        most=1,
        none="not judged",
        widget=_TO_ONE,
    )
    average_risk: float | None = setting(
        None,
        "Largest average risk",
        "Mean over records of 1 / group size.",
        least=0,
        most=1,
        none="not judged",
        widget=replace(_TO_ONE, key="average"),
    )
    alpha: float | None = setting(
        None,
        "Largest share α",
        "Share of the most frequent sensitive value in a group; 1 is always met.",
        least=0,
        most=1,
        metavar="SHARE",
        none="not judged",
        widget=_TO_ONE,
    )
    beta: float | None = setting(
        None,
        "Largest β",
        "Relative gain of a sensitive value in a group.",
        least=0,
        any_size=True,
        none="not judged",
        widget=Widget(step=0.5),
    )
    delta: float | None = setting(
        None,
        "Largest δ",
        "|ln| of a value's share in a group to its share of the table, values absent from a group passed "
        "over.",
        least=0,
        any_size=True,
        none="not judged",
        widget=Widget(step=0.5),
    )
    household_risk: float | None = setting(
        None,
        "Largest risk of a household",
        "Chance to find a household through any of its members; needs a household column. Not set, more than "
        "1 / k is a warning.",
        least=0,
        most=1,
        none="not judged",
        widget=replace(_TO_ONE, key="household_limit"),
    )
    person_k: int | None = setting(
        None,
        "Persons alike in all records",
        "Persons, at least, that share the groups of all their records; needs a person column. Not set, "
        "fewer than k is a warning.",
        least=1,
        any_size=True,
        none="not judged",
        widget=Widget(step=1, key="person_limit"),
    )

    def __post_init__(self) -> None:
        check(self)

    @property
    def risk_at_k(self) -> float:
        """Return 1 / k, the highest risk that k accepts."""
        return 1 / self.k


@dataclass(frozen=True, kw_only=True)
class Hierarchy:
    """Groups of the values of a sensitive attribute, from the values up to one group of all.

    `groups`: value → its groups, equally many, the smallest first, the group of all left out.
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def check_settings(settings: RiskSettings, columns: Sequence[str]) -> None:
    """Refuse settings that no measurement can be made with; names all that is wrong, allowed and received."""
    problems = [*_column_problems(settings, columns), *_overlap_problems(settings)]
    if settings.is_of_counts:
        problems += _without_effect(settings)
        if not problems and not settings.categories(columns):
            problems.append("No column says which cell a row is. Leave the columns of categories in.")
    elif not settings.quasi_identifiers:
        problems.append(
            "No quasi-identifier is chosen. Choose the columns that somebody may know about a person."
        )
    refuse(problems)


def _without_effect(settings: RiskSettings) -> list[Text]:
    """Return a sentence for what was chosen of persons that a table of cells does not use."""
    chosen: dict[str, str | None] = {
        "a sampling weight": settings.weight,
        "a household": settings.household,
        "a person": settings.person,
    }
    return [
        text("A table of counts or amounts has no use for {what}; leave it out.", what=own(name))
        for name, given in chosen.items()
        if given is not None
    ]


def _column_problems(settings: RiskSettings, columns: Sequence[str]) -> list[str]:
    chosen = [*settings.quasi_identifiers, *settings.sensitive, *settings.leave_out]
    chosen += [*settings.direct_identifiers, *settings.harmless, *settings.counts]
    single = (settings.person, settings.weight, settings.household, settings.magnitude, settings.contributor)
    chosen += [column for column in single if column is not None]
    unknown = [column for column in dict.fromkeys(chosen) if column not in columns]
    shown = listed_names(columns)
    return [
        text("There is no column {column}; the table has {columns}.", column=f"`{column}`", columns=shown)
        for column in unknown
    ]


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
        ("a shifted date", settings.shifted),
        ("a count", settings.counts),
        ("the amount", tuple(filter(None, (settings.magnitude,)))),
        ("the contributor", tuple(filter(None, (settings.contributor,)))),
    )
    uses: dict[str, list[str]] = {}
    for use, columns in parts:
        for column in dict.fromkeys(columns):
            uses.setdefault(column, []).append(use)
    return [
        text("{column} cannot be both {uses}; choose one.", column=f"`{column}`", uses=_both(found))
        for column, found in uses.items()
        if len(found) > 1
    ]


def _both(uses: Sequence[str]) -> Text:
    """Return what a column was chosen for, such as "harmless and not released"."""
    first, second = (joined(uses[:-1], ", "), own(uses[-1]))
    return text("{first} and {second}", first=first, second=second)
