"""What the person chooses before anything is measured, and what the figures are held against."""

from dataclasses import dataclass

from core.risk.settings import RiskThresholds
from core.settings.form import Widget, check, setting, setting_of


@dataclass(frozen=True, kw_only=True)
class DeliverySettings:
    """How the tables are read together; changing any of it measures again.

    A column is named as TABLE.COL, the table by its file's name with or without its ending.
    """

    keys: tuple[str, ...] = setting(
        (),
        "Key",
        "Columns of two tables that hold the same things, as TABLE.COL=TABLE.COL; they are joined by it "
        "whatever their values look like.",
        "--key",
        metavar="KEY",
        none="those that names and values propose",
    )
    person: str | None = setting(
        None,
        "Person",
        "A column that says whose record it is, in one of the tables; the others are reached by keys.",
        metavar="TABLE.COL",
        none="the key named like a person, else the one of most tables",
    )
    quasi_identifiers: tuple[str, ...] = setting(
        (),
        "Quasi-identifier",
        "Others may know it about a person, or about one of their records.",
        "--quasi-identifier",
        metavar="TABLE.COL",
        none="those suggested",
    )
    sensitive: tuple[str, ...] = setting(
        (),
        "Sensitive",
        "Nobody should learn it of a person who is known by other columns; beside those that look so.",
        metavar="TABLE.COL",
        none="those suggested",
    )
    leave_out: tuple[str, ...] = setting((), "Not released", "Will be removed.", metavar="TABLE.COL")
    most_persons: int = setting(
        5000,
        "Persons looked at",
        "For two and three known records: everybody where there are no more, else so many, drawn at random.",
        least=1,
        most=1_000_000,
        widget=Widget(step=1000),
    )
    seed: int = setting(
        0, "Seed", "Where random draws start; the same seed gives the same figures.", least=0, any_size=True
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class DeliveryThresholds:
    """What the figures are held against; changing any of it measures nothing again."""

    k: int = setting(
        5,
        "Smallest group k",
        "Every person should be among at least k for whoever knows their quasi-identifiers and so many of "
        "their records; usual are 3, 5, 11, 20.",
        least=1,
        any_size=True,
        widget=Widget(kind="slider", span=(2, 30)),
    )
    known_records: int = setting(
        1,
        "Known records",
        "How many records of a person an intruder may know, beside the person's own quasi-identifiers.",
        least=0,
        most=3,
        widget=Widget(kind="slider"),
    )
    alone_with_all: float = setting(
        0.05,
        "Alone with all records",
        "Share of persons, at most, whom all of their records together leave among fewer than k; more is a "
        "warning.",
        percent=True,
        widget=Widget(kind="slider"),
    )
    # Of each sensitive column over classes of persons joined over all tables; the names are those of
    # :data:`core.attribute_disclosure.LIMITS`.
    l: int | None = setting_of(RiskThresholds, "l")  # noqa: E741 - the model's own letter
    entropy_l: float | None = setting_of(RiskThresholds, "entropy_l")
    t: float | None = setting_of(RiskThresholds, "t")
    alpha: float | None = setting_of(RiskThresholds, "alpha")
    beta: float | None = setting_of(RiskThresholds, "beta")
    delta: float | None = setting_of(RiskThresholds, "delta")

    def __post_init__(self) -> None:
        check(self)
