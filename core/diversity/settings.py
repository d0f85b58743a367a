"""What the person chooses: roles of the columns, ranges of k and l, how cells are made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal, get_args

from core.errors import AuditInputError

CellRule = Literal["proper", "quasi_identifiers", "all_features"]
DiversityRule = Literal["distinct", "entropy", "recursive"]
MajorityRule = Literal["records", "leaf_shares"]
Task = Literal["classification", "regression"]

LARGEST_GRID = 200_000


@dataclass(frozen=True, kw_only=True)
class DiversitySettings:
    """Settings of the (k, l) grid search.

    Attributes
    ----------
    label
        Column the model predicts.
    sensitive_attributes
        Columns whose values each cell must hold in sufficient diversity; at least one.
    quasi_identifiers
        Columns replaced by a representative of the cell; at least one.
    k_min, k_max
        Smallest and largest k tried, 2 ≤ k_min ≤ k_max.
    l_min
        Smallest l tried, 1 ≤ l_min ≤ k_max; for each k, l runs from here up to k.
    target_accuracy
        In [0, 1]. Minimization generalizes as far as the model still agrees with itself on this
        share of the inner hold-out, and a configuration is offered from this accuracy on. For
        regression the same with R².
    cells
        What the tree that makes the cells sees. ``proper``: the quasi-identifiers only, neither
        the label nor the sensitive attribute steers the cells. ``quasi_identifiers``: splits on
        the quasi-identifiers only, chosen to separate the labels. ``all_features``: splits on
        every feature, the sensitive attribute included, chosen to separate the labels; the
        published reference.
    diversity
        ``distinct``: at least l distinct sensitive values in a cell. ``entropy``: exp of the
        entropy at least l. ``recursive``: most frequent count < c × the counts from the l-th on.
    recursive_c
        The c of recursive (c, l)-diversity, above 0.
    sensitive_bins
        A numeric sensitive attribute with more distinct values is counted in this many bins of
        about equal numbers of records, because a continuous attribute otherwise always looks
        diverse; at least 2. None counts values as written.
    majority
        Label of a merged cell in minimization. ``records``: most frequent prediction among its
        records. ``leaf_shares``: every leaf below counts the same, whatever its size; the
        published reference.
    categorical
        Feature columns whose values are categories. Every other feature must hold numbers.
    one_hot_groups
        Groups of quasi-identifiers that are one category written as several 0/1 columns; they
        are replaced together.
    left_out
        Columns that are no features, such as record numbers.
    task
        Whether the label is a class or a number.
    holdout_seed, minimization_seed
        Random states of the outer and the inner split.
    """

    label: str
    sensitive_attributes: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    k_min: int = 2
    k_max: int = 7
    l_min: int = 1
    target_accuracy: float = 0.6
    cells: CellRule = "proper"
    diversity: DiversityRule = "distinct"
    recursive_c: float = 3.0
    sensitive_bins: int | None = 10
    majority: MajorityRule = "records"
    categorical: tuple[str, ...] = ()
    one_hot_groups: tuple[tuple[str, ...], ...] = ()
    left_out: tuple[str, ...] = ()
    task: Task = "classification"
    holdout_seed: int = 38
    minimization_seed: int = 18

    @property
    def n_pairs(self) -> int:
        """Return the number of pairs, without making them."""
        first = max(self.k_min, self.l_min) - self.l_min + 1
        last = self.k_max - self.l_min + 1
        return max((first + last) * (last - first + 1) // 2, 0)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Return every (k, l) of the grid, k ascending and within it l ascending."""
        return tuple(
            (k, l)
            for k in range(self.k_min, self.k_max + 1)
            for l in range(self.l_min, k + 1)  # noqa: E741
        )


def as_published(settings: DiversitySettings) -> DiversitySettings:
    """Return the settings with cells, diversity and majority as the published reference has them."""
    return replace(
        settings,
        cells="all_features",
        diversity="distinct",
        sensitive_bins=None,
        majority="leaf_shares",
    )


def check_settings(settings: DiversitySettings, columns: tuple[str, ...]) -> None:
    """Check the settings on their own and against the columns of the table.

    Raises
    ------
    AuditInputError
        Names every parameter out of its range and every column that is absent or has two roles.
    """
    problems = [*_range_problems(settings), *_choice_problems(settings), *_role_problems(settings, columns)]
    if problems:
        raise AuditInputError(*problems)


def _range_problems(settings: DiversitySettings) -> list[str]:
    problems = []
    if settings.k_min < 2 or settings.k_min > settings.k_max:
        problems.append(
            "The smallest k must be at least 2 and at most the largest k; they are "
            f"{settings.k_min:,} and {settings.k_max:,}."
        )
    if not 1 <= settings.l_min <= settings.k_max:
        problems.append(
            f"l cannot be below 1 nor larger than k: the smallest l must lie between 1 and the largest k, "
            f"{settings.k_max}; it is {settings.l_min}."
        )
    if not problems and settings.n_pairs > LARGEST_GRID:
        problems.append(
            f"The grid has {settings.n_pairs:,} pairs of k and l; at most {LARGEST_GRID:,} are searched. "
            "Narrow the range of k (--k-min, --k-max), or raise the smallest l (--l-min)."
        )
    if not 0 <= settings.target_accuracy <= 1:
        problems.append(f"The target accuracy must lie between 0 and 1; it is {settings.target_accuracy:g}.")
    if not settings.recursive_c > 0:
        problems.append(f"c of recursive diversity must be above 0; it is {settings.recursive_c:g}.")
    if settings.sensitive_bins is not None and settings.sensitive_bins < 2:
        problems.append(
            f"A sensitive attribute needs at least 2 bins; {settings.sensitive_bins} were asked for."
        )
    return problems


def _choice_problems(settings: DiversitySettings) -> list[str]:
    choices = {
        "cells": (settings.cells, get_args(CellRule)),
        "diversity": (settings.diversity, get_args(DiversityRule)),
        "majority": (settings.majority, get_args(MajorityRule)),
        "task": (settings.task, get_args(Task)),
    }
    return [
        f"{name} must be one of {', '.join(allowed)}; it is {chosen}."
        for name, (chosen, allowed) in choices.items()
        if chosen not in allowed
    ]


def _role_problems(settings: DiversitySettings, columns: tuple[str, ...]) -> list[str]:
    problems, known = [], set(columns)
    if not settings.quasi_identifiers:
        problems.append("Choose at least one quasi-identifier.")
    if not settings.sensitive_attributes:
        problems.append("Choose at least one sensitive attribute.")
    named = {
        "label": (settings.label,),
        "sensitive attribute": settings.sensitive_attributes,
        "quasi-identifier": settings.quasi_identifiers,
        "categorical column": settings.categorical,
        "column of a one-hot group": tuple(c for group in settings.one_hot_groups for c in group),
        "column left out": settings.left_out,
    }
    for role, names in named.items():
        problems += [
            f"The {role} “{name}” is not a column of the table." for name in names if name not in known
        ]
        problems += [f"“{name}” is given twice as {role}." for name in _repeated(names)]
    problems += _clashes(named)
    return problems


def _repeated(names: tuple[str, ...]) -> list[str]:
    return sorted(name for name, n_times in Counter(names).items() if n_times > 1)


def _clashes(named: dict[str, tuple[str, ...]]) -> list[str]:
    exclusive = ("label", "sensitive attribute", "quasi-identifier", "column left out")
    members = {role: set(names) for role, names in named.items()}
    problems = [
        f"“{name}” cannot be both {first} and {second}."
        for position, first in enumerate(exclusive)
        for second in exclusive[position + 1 :]
        for name in named[first]
        if name in members[second]
    ]
    problems += [
        f"“{name}” is in a one-hot group and must be a quasi-identifier that is not categorical."
        for name in named["column of a one-hot group"]
        if name not in members["quasi-identifier"] or name in members["categorical column"]
    ]
    return problems
