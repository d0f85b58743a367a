"""Published bounds of a table of which three margins are released.

The table: 1,841 men of a car factory by six answers (Edwards and Havranek, "A fast procedure for model search
in multidimensional contingency tables", Biometrika 72, 1985). The bounds: what the margins [BF], [ABCE] and
[ADE] leave each of its 64 cells (Dobra and Fienberg, "Bounds for cell entries in contingency tables given
marginal totals and decomposable graphs", PNAS 97, 2000), read from slides of a talk of theirs, "Preserving
confidentiality". The counts were not read from the paper: that the formula of the second paper gives all 64
bounds from them says that the margins used are those published.
"""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from core.counts import bounds_of, read_cube
from core.tables import read_dataset

AXES = "FEDCBA"
COUNTS = np.array(
    [
        [44, 40, 112, 67, 129, 145, 12, 23], [35, 12, 80, 33, 109, 67, 7, 9],
        [23, 32, 70, 66, 50, 80, 7, 13], [24, 25, 73, 57, 51, 63, 7, 16],
        [5, 7, 21, 9, 9, 17, 1, 4], [4, 3, 11, 8, 14, 17, 5, 2],
        [7, 3, 14, 14, 9, 16, 2, 3], [4, 0, 13, 11, 5, 14, 4, 4],
    ]
).reshape([2] * 6)  # fmt: skip
MARGINS = ("BF", "ABCE", "ADE")
UPPER = np.array(
    [
        [88, 62, 224, 117, 261, 246, 25, 38], [88, 62, 224, 117, 261, 151, 25, 38],
        [58, 60, 170, 148, 115, 173, 20, 36], [58, 60, 170, 148, 115, 173, 20, 36],
        [88, 62, 126, 117, 134, 134, 25, 38], [88, 62, 126, 117, 134, 134, 25, 38],
        [58, 60, 126, 126, 115, 134, 20, 36], [58, 60, 126, 126, 115, 134, 20, 36],
    ]
).reshape([2] * 6)  # fmt: skip


def _margin(of: str) -> np.ndarray:
    return COUNTS.sum(axis=tuple(at for at, axis in enumerate(AXES) if axis not in of), keepdims=True)


def test_counts_and_bounds__are_those_of_one_paper() -> None:
    assert COUNTS.sum() == 1841
    most = np.minimum(np.minimum(_margin("BF"), _margin("ABCE")), _margin("ADE"))
    assert np.array_equal(np.broadcast_to(most, UPPER.shape), UPPER)
    least = _margin("BF") + _margin("ABCE") + _margin("ADE") - _margin("B") - _margin("AE")
    assert least.max() <= 0


def _published() -> dict[tuple[int, ...], tuple[float, float]]:
    """Return what the margins, published as rows of totals, leave each cell."""
    lines = [",".join((*AXES, "n"))]
    for margin in MARGINS:
        for answers in product((0, 1), repeat=len(margin)):
            said = dict(zip(margin, answers, strict=True))
            n = _margin(margin)[tuple(said.get(axis, 0) for axis in AXES)]
            lines.append(
                ",".join([*(f"{axis}{said[axis]}" if axis in said else "Total" for axis in AXES), str(n)])
            )
    cube = read_cube(read_dataset("\n".join(lines).encode(), name="margins.csv").table, [*AXES], "n")
    bounds = bounds_of(cube).bounds
    return {
        tuple(int(words[at][1]) for words, at in zip(cube.categories, key, strict=True)): tuple(each)
        for key, each in bounds.items()
    }


def test_bounds__are_the_published_ones() -> None:
    assert _published() == {at: (0, UPPER[at]) for at in np.ndindex(*UPPER.shape)}


@pytest.mark.parametrize("margins", [MARGINS, ("ABC", "CDE", "AF")])
def test_bounds__are_what_a_program_for_each_cell_gives(
    margins: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.golden.test_counts.MARGINS", margins)
    cells = list(np.ndindex(*COUNTS.shape))
    rows, totals = [], []
    for margin in margins:
        for answers in product((0, 1), repeat=len(margin)):
            said = dict(zip(margin, answers, strict=True))
            inside = [all(cell[AXES.index(axis)] == said[axis] for axis in margin) for cell in cells]
            rows.append(np.array(inside, dtype=float))
            totals.append(float(COUNTS.ravel()[inside].sum()))
    found = _published()
    for at, cell in enumerate(cells):
        goal = np.zeros(len(cells))
        goal[at] = 1
        least, most = (linprog(sign * goal, A_eq=np.array(rows), b_eq=totals).fun * sign for sign in (1, -1))
        assert found[cell] == (np.ceil(least - 1e-6), np.floor(most + 1e-6))
