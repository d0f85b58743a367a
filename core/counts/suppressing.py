"""Which counts to suppress: the small ones, and so many others that nobody can work them out."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from core.coding import FloatArray
from core.counts.bounds import Bounded, bounds_of
from core.counts.cube import Cube, Key

_MOST_CELLS = 600  # cells of a table for which others to suppress are looked for
_MOST_ROUNDS = 200
_FREE = 0.001  # what it costs to move a count that is suppressed already
_CLOSE = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Suppression:
    """Cells that a person can suppress, and what the table tells of them then."""

    primary: tuple[Key, ...]  # small counts that the table shows
    secondary: tuple[Key, ...]  # others, without which totals would give the small ones away
    holds: bool  # whether every suppressed cell can then be at least so many values; counted again
    is_complete: bool  # whether it was looked for to the end


def small_cells(cube: Cube, least: int) -> tuple[Key, ...]:
    """Return the cells and totals that show a count from 1 to below the smallest one."""
    return tuple(key for key, count in cube.cells.items() if count is not None and 0 < count < least)


def propose_suppression(cube: Cube, least: int) -> Suppression:
    """Suppress small counts, then the cheapest others without which totals would still tell of them.

    What the table suppresses already stays so. Counts from 1 to below `least` are small; a suppressed cell
    holds when it can be so many values.
    """
    primary = small_cells(cube, least)
    if len(cube.inner) > _MOST_CELLS:
        return Suppression(primary=primary, secondary=(), holds=False, is_complete=False)
    made = cube.with_suppressed(primary)
    secondary: list[Key] = []
    bounded = bounds_of(made)
    for _ in range(_MOST_ROUNDS):
        told = told_cells(bounded, least)
        found = (_partners(made, key, int(bounded.asked(key, least))) for key in told)
        partners = next(filter(None, found), ())
        if not partners:
            break
        secondary += partners
        made = made.with_suppressed(partners)
        bounded = bounds_of(made, {*told, *partners})  # others can only be more values than before
    bounded = bounds_of(made)
    holds = bounded.is_consistent and not bounded.n_left_out and not told_cells(bounded, least)
    return Suppression(primary=primary, secondary=tuple(secondary), holds=holds, is_complete=True)


def told_cells(bounded: Bounded, least: int) -> tuple[Key, ...]:
    """Return the suppressed cells that can be fewer values than asked for, the narrowest first."""
    told = [
        (each.n_values, key)
        for key, each in bounded.bounds.items()
        if each.n_values < bounded.asked(key, least)
    ]
    return tuple(key for _, key in sorted(told))


def _partners(cube: Cube, told: Key, least: int) -> tuple[Key, ...]:
    """Return the cheapest cells that let a suppressed one be `least` values; none where no cells do.

    Counts are moved between cells so that all totals stay and the told one grows by `least` - 1; cells that
    move have to be suppressed, small counts before large ones. Cells of 0 stay.

    References
    ----------
    Fischetti and Salazar, Solving the cell suppression problem on tabular data, Manag. Sci. 47(7), 2001.
    """
    inner = cube.inner
    place = {key: number for number, key in enumerate(inner)}
    counts = [cube.known(key) for key in inner]
    rows = [_indicator(cube, total, place) for total in cube.totals if cube.cells[total] is not None]
    goal = _indicator(cube, told, place)
    cost = np.array([_FREE if count is None else 1.0 + count for count in counts])
    most_down = np.array([count or 0 for count in counts], dtype=np.float64)
    most_up = np.array([0.0 if count == 0 else least - 1.0 for count in counts])
    moves = np.stack([*rows, goal])
    solved = scipy.optimize.linprog(
        np.concatenate([cost, cost]),
        A_eq=np.hstack([moves, -moves]),
        b_eq=np.append(np.zeros(len(rows)), least - 1),
        bounds=np.stack([np.zeros(2 * len(inner)), np.concatenate([most_up, most_down])], axis=1),
    )
    if not solved.success:
        return ()
    moved = (solved.x[: len(inner)] > _CLOSE) | (solved.x[len(inner) :] > _CLOSE)
    return tuple(
        key for key, is_moved in zip(inner, moved, strict=True) if is_moved and cube.known(key) is not None
    )


def _indicator(cube: Cube, key: Key, place: Mapping[Key, int]) -> FloatArray:
    """Return which inner cells a cell, or a total, is the sum of."""
    found = np.zeros(len(place))
    found[[place[part] for part in cube.parts(key)]] = 1
    return found
