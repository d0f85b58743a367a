"""What a table of counts is held against."""

from dataclasses import dataclass

from core.settings.form import Widget, check, setting
from core.words import Text, text


def no_ledger(file: str) -> Text:
    """Say that no table of counts is held against a ledger."""
    return text("{file} is a ledger of persons; give the earlier table of counts itself.", file=file)


@dataclass(frozen=True, kw_only=True)
class CountThresholds:
    """The limits of a table of counts, or of sums over contributors."""

    least: int = setting(
        5,
        "Smallest count",
        "A count from 1 to below it is small; 0 is no small count.",
        "--k",
        least=2,
        any_size=True,
        widget=Widget(kind="slider", span=(2, 50), key="counts_k"),
    )
    n_largest: int = setting(
        1,
        "n of the dominance rule",
        "So many largest contributors are looked at.",
        "--dominance-n",
        least=1,
        any_size=True,
    )
    dominance_share: float = setting(
        0.85,
        "k of the dominance rule",
        "Share of a cell's sum that its n largest contributors may have at most.",
        "--dominance-k",
        percent=True,
    )
    p_share: float = setting(
        0.1,
        "p of the p % rule",
        "How near the second largest contributor may come to the largest one's value by subtraction.",
        "--p-percent",
        percent=True,
    )

    def __post_init__(self) -> None:
        check(self)
