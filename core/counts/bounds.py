"""What suppressed counts can be, by the totals that are published: exact bounds."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy

from core.coding import BoolArray, FloatArray
from core.counts.cube import Cube, Equations, Key, equations_of

_MOST_TIED = 400  # unknown cells that equations tie, up to which each is bounded
_MOST_WHOLE = 40  # up to which whole numbers are asked for where bounds of fractions are not whole
_CLOSE = 1e-6


class Bounds(NamedTuple):
    """The least and the most that a count can be; infinite where nothing bounds it."""

    least: float
    most: float

    @property
    def n_values(self) -> float:
        """Return how many whole numbers it can be."""
        return self.most - self.least + 1


class Bounded(NamedTuple):
    """The bounds of suppressed cells."""

    bounds: Mapping[Key, Bounds]  # of suppressed inner cells and totals
    is_consistent: bool  # whether any counts fit the totals; if not, no bounds are there
    n_left_out: int  # cells that too many equations tie
    by_mark: Mapping[Key, float]  # how many values the marks alone leave a cell, infinite without any

    def asked(self, key: Key, least: int) -> float:
        """Return how many values a suppressed cell has to leave: so many, or all that its mark does."""
        return min(least, self.by_mark.get(key, np.inf))


def bounds_of(cube: Cube, only: Collection[Key] | None = None) -> Bounded:
    """Return what each suppressed cell can be, or `only` those asked for.

    Of tables in two dimensions with their margins, and wherever fractions give whole bounds, they are exact;
    else whole numbers are asked for up to 40 tied cells, and beyond the bounds may be wider than they are.
    A mark such as ``<5`` bounds its cell too, and each cell of a total marked so.

    References
    ----------
    Dobra and Fienberg, Bounds for cell entries in contingency tables, PNAS 97(22), 2000.
    """
    equations = equations_of(cube)
    if not _all_known_add_up(equations):
        return Bounded({}, False, 0, {})
    found: dict[Key, Bounds] = {}
    spans = np.array([cube.span(key) for key in equations.unknown]).reshape(-1, 2)
    group, n_left_out = equations.component_of, 0
    is_bounded = np.zeros(len(equations.unknown), dtype=np.bool_)
    for each in np.unique(group):
        chosen = group == each
        keys = [key for key, is_in in zip(equations.unknown, chosen, strict=True) if is_in]
        matrix, totals = equations.of(chosen)
        if len(keys) > _MOST_TIED:
            n_left_out += len(keys)
            continue
        asked = [place for place, key in enumerate(keys) if only is None or key in only]
        bounded = _bounded(matrix, totals, spans[chosen], asked)
        if bounded is None:
            return Bounded({}, False, 0, {})
        found.update(zip([keys[place] for place in asked], bounded, strict=True))
        is_bounded[chosen] = True
    for total in cube.totals:
        if (
            cube.cells[total] is None
            and (only is None or total in only)
            and (sums := _of_total(cube, total, is_bounded, equations, spans)) is not None
        ):
            found[total] = sums
    widths = (spans[:, 1] - spans[:, 0] + 1).tolist()
    return Bounded(found, True, n_left_out, dict(zip(equations.unknown, widths, strict=True)))


def _all_known_add_up(equations: Equations) -> bool:
    """Whether totals of known cells alone are their sums, and none is below what is known of it."""
    alone = ~equations.matrix.any(axis=1) if len(equations.unknown) else np.ones(len(equations.totals), bool)
    return bool((equations.totals >= 0).all() and (equations.totals[alone] == 0).all())


def _bounded(
    matrix: FloatArray, totals: FloatArray, spans: FloatArray, asked: Sequence[int]
) -> list[Bounds] | None:
    """Return the bounds of the unknowns asked for; None where nothing fits."""
    found = []
    for number in asked:
        goal = np.zeros(matrix.shape[1])
        goal[number] = 1
        pair = _least(goal, matrix, totals, spans), _least(-goal, matrix, totals, spans)
        if pair[0] is None or pair[1] is None:
            return None
        found.append(Bounds(np.ceil(pair[0] - _CLOSE), np.floor(-pair[1] + _CLOSE)))
    return found


def _least(goal: FloatArray, matrix: FloatArray, totals: FloatArray, spans: FloatArray) -> float | None:
    """Return the least of a sum of unknowns, minus infinity where nothing bounds it; None if none fits."""
    if not len(totals):
        ends = np.where(goal >= 0, spans[:, 0], spans[:, 1])
        return float(goal[goal != 0] @ ends[goal != 0])
    given = {"A_eq": matrix, "b_eq": totals, "bounds": spans}
    solved = scipy.optimize.linprog(goal, **given)
    if solved.status == 3:
        return -np.inf
    if not solved.success:
        return None
    is_whole = (
        abs(solved.fun - round(solved.fun)) < _CLOSE and np.abs(solved.x - solved.x.round()).max() < _CLOSE
    )
    if not is_whole and len(goal) <= _MOST_WHOLE:
        whole = scipy.optimize.linprog(goal, integrality=np.ones(len(goal)), **given)
        return float(whole.fun) if whole.success else None
    return float(solved.fun)


def _of_total(
    cube: Cube, total: Key, is_bounded: BoolArray, equations: Equations, spans: FloatArray
) -> Bounds | None:
    """Return what a suppressed total can be, as the sum of its cells under the other totals."""
    parts = set(cube.parts(total))
    known = sum(cube.known(key) or 0 for key in parts)
    inside = np.array([key in parts for key in equations.unknown], dtype=np.bool_)
    if not inside.any():
        return Bounds(known, known)
    if not is_bounded[inside].all():
        return None
    goal = inside.astype(np.float64)
    low, high = (_least(sign * goal, equations.matrix, equations.totals, spans) for sign in (1, -1))
    if low is None or high is None:
        return None
    return Bounds(known + np.ceil(low - _CLOSE), known + np.floor(-high + _CLOSE))
