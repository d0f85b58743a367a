"""What minimization makes of each quasi-identifier: cut points, groups of categories, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from core.diversity.minimization_penalty import cut_points
from core.diversity.minimized import Minimization


@dataclass(frozen=True, kw_only=True)
class Generalization:
    """What may be known of one quasi-identifier for the model to stay as accurate."""

    feature: str  # the column
    # For numbers: the ranges are up to the first cut, up to the second, …, above the last. None for
    # categories and for a feature left as it is.
    cuts: tuple[float, ...] | None = None
    # For categories: those that are not told apart stand in one group. None otherwise.
    groups: tuple[tuple[str, ...], ...] | None = None
    untouched: bool = False  # whether the feature is left as it is


def generalizations(minimization: Minimization) -> tuple[Generalization, ...]:
    """Return the generalization of every quasi-identifier, in the order of the units."""
    cuts = cut_points(minimization)
    space = minimization.problem.space
    found = []
    for unit, generalized in zip(minimization.problem.units, minimization.generalized, strict=True):
        for position in unit.columns:
            column = space.columns[position]
            if not generalized:
                found.append(Generalization(feature=column.name, untouched=True))
            elif column.categories is None:
                found.append(Generalization(feature=column.name, cuts=cuts.get((position, None), ())))
            else:
                told_apart = {category for at, category in cuts if at == position}
                found.append(
                    Generalization(feature=column.name, groups=_groups(column.categories, told_apart))
                )
    return tuple(found)


def generalizations_document(found: tuple[Generalization, ...]) -> dict[str, object]:
    """Return the generalizations as plain values for JSON."""
    return {
        "ranges": {each.feature: list(each.cuts) for each in found if each.cuts is not None},
        "categories": {
            each.feature: [list(group) for group in each.groups] for each in found if each.groups is not None
        },
        "untouched": [each.feature for each in found if each.untouched],
    }


def in_words(generalization: Generalization) -> str:
    """Return a generalization as a person reads it.

    >>> in_words(Generalization(feature="mean perimeter", cuts=(91.0999,)))
    'mean perimeter: up to 91.1 | above'
    >>> in_words(Generalization(feature="age", cuts=()))
    'age: any value, it makes no difference to the model'
    """
    name = generalization.feature
    if generalization.untouched:
        return f"{name}: left as it is"
    if generalization.groups is not None:
        return f"{name}: " + " | ".join(
            " or ".join(c or "(missing)" for c in g) for g in generalization.groups
        )
    if not generalization.cuts:
        return f"{name}: any value, it makes no difference to the model"
    first, *others = [f"{cut:.4g}" for cut in generalization.cuts]
    return f"{name}: " + " | ".join([f"up to {first}", *(f"to {cut}" for cut in others), "above"])


def _groups(categories: tuple[str, ...], told_apart: set[int | None]) -> tuple[tuple[str, ...], ...]:
    own = [(name,) for number, name in enumerate(categories) if number in told_apart]
    rest = tuple(name for number, name in enumerate(categories) if number not in told_apart)
    return (*own, rest) if rest else tuple(own)
