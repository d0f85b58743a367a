"""What a policy can limit: what each limit is called, which settings it sets, and where its figure stands."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LIMITS_KEY = "policy_limits"  # of the table of limits in a report
COUNTS = "counts"  # a kind of input of Disclosure risk
_GROUPS = ("k", "smallest_class*", "joined_k", "table_k", "k_anonymity", "hidden_persons", "few_in_table")


@dataclass(frozen=True, kw_only=True)
class LimitKind:
    """One thing that can be limited.

    Attributes
    ----------
    label
        In words.
    is_floor
        Whether the figure has to be at least, not at most, so large.
    least, most, whole
        What the limit itself may be.
    settings
        Tool to the settings that it sets; a tool that is not among them is not concerned, unless
        it has a figure.
    measures
        Tool, or kind of its inputs, to the measures of the figures that are held against the limit.
    of_figure
        Makes of such a figure what is limited.
    checks
        Checks whose findings decide too: what they FAIL is not met, what they do not assess cannot be told.
        A name that ends in ``*`` stands for all that begin so.
    to_setting
        Makes the setting's value of the limit.
    """

    label: str
    is_floor: bool = False
    least: float = 0
    most: float = 1
    whole: bool = False
    settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    measures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    of_figure: Callable[[float | None], float | None] = field(default=lambda value: value)
    checks: tuple[str, ...] = ()
    to_setting: Callable[[Any], Any] = field(default=lambda value: value)
    is_floor_of_setting: bool = False  # whether the setting is stricter the larger it is

    @property
    def tools(self) -> set[str]:
        """Return the tools that the limit concerns."""
        return {*self.settings, *self.measures} - {COUNTS}

    def is_of(self, kind: str, *, of_tool: bool) -> bool:
        """Return whether it is about a tool's inputs of a kind; `of_tool`: about its usual ones."""
        return {*self.measures} != {COUNTS} if of_tool else kind in self.measures


# Tool, or kind of its inputs, to the measures of the figures that are held against a limit.
_K: Mapping[str, tuple[str, ...]] = {
    "risk": ("k",),
    "tabular": ("min_k",),
    "dataset": ("smallest_known_class", "smallest_table_class"),
    "events": ("smallest_combination",),
    "diversity": ("recommended_k",),
}
_K_SETTINGS = {
    "risk": ("k",),
    "tabular": ("smallest_k",),
    "dataset": ("k",),
    "events": ("k",),
    "diversity": ("k_min",),
}


LIMITS: Mapping[str, LimitKind] = {
    "k": LimitKind(
        label="Smallest group",
        is_floor=True,
        is_floor_of_setting=True,
        least=2,
        most=math.inf,
        whole=True,
        settings=_K_SETTINGS,
        measures=_K,
        checks=_GROUPS,
    ),
    "highest_risk": LimitKind(
        label="Highest risk of being found",
        settings=_K_SETTINGS,
        measures=_K,
        of_figure=lambda k: k and 1 / k,
        checks=_GROUPS,
        to_setting=lambda risk: math.ceil(1 / risk - 1e-9),
        is_floor_of_setting=True,
    ),
    "average_risk": LimitKind(
        label="Average risk of being found",
        settings={"risk": ("average_risk",)},
        measures={"risk": ("prosecutor_average_risk",)},
        checks=("average_risk",),
    ),
    "unique_share": LimitKind(
        label="Share who are alone",
        settings={"events": ("max_rows_unique_share", "max_whole_trace_share")},
        measures={
            "risk": ("sample_unique_share",),
            "tabular": ("share_k_lt_2",),
            "dataset": ("alone_share",),
            "events": ("multiset_unique_share", "sequence_unique_share", "whole_trace_unique_share"),
        },
    ),
    "l": LimitKind(
        label="Different sensitive values in each group",
        is_floor=True,
        is_floor_of_setting=True,
        least=1,
        most=math.inf,
        whole=True,
        settings={"risk": ("l",), "diversity": ("l_min",)},
        measures={"risk": ("distinct_l", "folded_distinct_l"), "diversity": ("recommended_l",)},
        checks=("distinct_l", "folded_distinct_l", "homogeneous_classes"),
    ),
    "t": LimitKind(
        label="Distance t of a group's sensitive values",
        settings={"risk": ("t",)},
        measures={"risk": ("t", "folded_t")},
        checks=("t", "folded_t"),
    ),
    "smallest_cell": LimitKind(
        label="Smallest count in a cell",
        is_floor=True,
        is_floor_of_setting=True,
        least=2,
        most=math.inf,
        whole=True,
        settings={"risk": ("k",)},
        measures={COUNTS: ("smallest_cell",)},
        checks=(
            "small_counts",
            "recoverable_counts",
            "narrow_counts",
            "small_differences",
            "counts_together",
            "counts_not_bounded",
        ),
    ),
    "relinked_share": LimitKind(
        label="Share of records found again",
        settings={"tabular": ("relinkage_fail_share",)},
        measures={"leakage": ("relink_share",)},
        checks=("relinkage*",),
    ),
    "full_leakage_share": LimitKind(
        label="Share of rows that stayed as they were",
        settings={"leakage": ("max_full_leakage_share",)},
        measures={"leakage": ("full_leakage_share",)},
        checks=("full_leakage", "without_columns", "second_look"),
    ),
    "masked_share": LimitKind(
        label="Share of targets that are masked",
        is_floor=True,
        measures={"vcf": ("vcf_masked_share",)},
        checks=("targets_left",),
    ),
    "findings": LimitKind(label="Findings that there must not be"),
    "identifiers": LimitKind(label="Columns that there must not be"),
}
