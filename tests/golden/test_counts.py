"""Published bounds of a table of which three margins are released.

The table: 1,841 men of a car factory by six answers (Edwards and Havranek, "A fast procedure for model search
in multidimensional contingency tables", Biometrika 72, 1985). The bounds: what the margins [BF], [ABCE] and
[ADE] leave each of its 64 cells (Dobra and Fienberg, "Bounds for cell entries in contingency tables given
marginal totals and decomposable graphs", PNAS 97, 2000), read from slides of a talk of theirs, "Preserving
confidentiality". The counts were not read from the paper: that the formula of the second paper gives all 64
bounds from them says that the margins used are those published.
"""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from core.counts import bounds_of, read_cube
from core.known import events_of, known_one, known_several
from core.tables import read_dataset
from tests.releases_examples import Roles, measured

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
            lines.append(",".join([*(f"{at}{said[at]}" if at in said else "Total" for at in AXES), str(n)]))
    cube = read_cube(read_dataset("\n".join(lines).encode(), name="margins.csv").table, [*AXES], "n")
    return {
        tuple(int(words[at][1]) for words, at in zip(cube.categories, key, strict=True)): tuple(each)
        for key, each in bounds_of(cube).bounds.items()
    }


def test_bounds__are_the_published_ones() -> None:
    assert _published() == {at: (0, UPPER[at]) for at in np.ndindex(*UPPER.shape)}


@pytest.mark.parametrize("margins", [MARGINS, ("ABC", "CDE", "AF")])
def test_bounds__are_what_a_program_for_each_cell_gives(
    margins: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.MARGINS", margins)
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


HEADER = ("name", "age", "zip", "disease")
ROLES = Roles(quasi_identifiers=("age", "zip"), sensitive=("disease",), person="name")


def _group(age: str, postcode: str, **diseases: str) -> list[tuple[str, ...]]:
    return [(name, age, postcode, disease) for name, disease in diseases.items()]


FIRST = [
    *_group("21-22", "12-14", Bob="dyspepsia", Alice="bronchitis"),
    *_group("23-24", "18-25", Andy="flu", David="gastritis"),
    *_group("36-41", "20-27", Gary="flu", Helen="gastritis"),
    *_group("37-43", "26-35", Jane="dyspepsia", Ken="flu", Linda="gastritis"),
    *_group("52-56", "33-34", Paul="dyspepsia", Steve="gastritis"),
]
# Andy, Alice, Helen, Ken and Paul left; Emily, Mary, Ray, Tom and Vince came.
SECOND = [
    *_group("21-23", "12-25", Bob="dyspepsia", David="gastritis"),
    *_group("25-43", "21-33", Emily="flu", Jane="dyspepsia", Linda="gastritis"),
    *_group("41-46", "20-30", Gary="flu", Mary="gastritis"),
    *_group("54-56", "31-34", Ray="dyspepsia", Steve="gastritis"),
    *_group("60-65", "36-44", Tom="gastritis", Vince="flu"),
]
# With two counterfeits every person stays with the same diseases.
INVARIANT = [
    *_group("21-22", "12-14", Bob="dyspepsia", c1="bronchitis"),
    *_group("23-25", "21-25", David="gastritis", Emily="flu"),
    *_group("37-43", "26-33", Jane="dyspepsia", c2="flu", Linda="gastritis"),
    *_group("41-46", "20-30", Gary="flu", Mary="gastritis"),
    *_group("54-56", "31-34", Ray="dyspepsia", Steve="gastritis"),
    *_group("60-65", "36-44", Tom="gastritis", Vince="flu"),
]
# As quoted from table 1: age, postcode in thousands, disease.
PERSONS = {
    name: (int(age), int(postcode), disease)
    for name, age, postcode, disease in map(
        str.split,
        """Bob 21 12 dyspepsia/Alice 22 14 bronchitis/Andy 24 18 flu/David 23 25 gastritis/Gary 41 20 flu
        Helen 36 27 gastritis/Jane 37 33 dyspepsia/Ken 40 35 flu/Linda 43 26 gastritis
        Paul 52 33 dyspepsia/Steve 56 34 gastritis""".replace("\n", "/").split("/"),
    )
}


@pytest.mark.parametrize(("release", "n"), [(FIRST, 11), (SECOND, 6), (INVARIANT, 6)])
def test_classes__hold_the_persons_of_the_first_table(release: list[tuple[str, ...]], n: int) -> None:
    known = [(row, PERSONS[row[0]]) for row in release if row[0] in PERSONS]
    assert len(known) == n
    for (_, *intervals, disease), (*numbers, own) in known:
        assert disease == own
        for interval, number in zip(intervals, numbers, strict=True):
            low, high = map(int, interval.split("-"))
            assert low <= number <= high


def test_two_diverse_releases__leave_bob_and_david_one_disease() -> None:
    """Bob: dyspepsia or bronchitis, then or gastritis. David: flu or gastritis, then dyspepsia or it."""
    found = measured(SECOND, FIRST, roles=ROLES, header=HEADER).candidates["later", "disease"]
    assert (found.n_persons, found.n_given_away) == (6, 2)
    assert sorted(found.left.tolist()) == [1, 1, 2, 2, 3, 3]


def test_m_invariant_releases__leave_everybody_the_same_diseases() -> None:
    found = measured(INVARIANT, FIRST, roles=ROLES, header=HEADER).candidates["later", "disease"]
    assert found.n_given_away == 0
    assert found.left.tolist() == found.alone.tolist()
    assert int(found.left.min()) == 2  # 2-invariance


ORIGINAL = ("a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2")
GENERALIZED = ("A b1 b2", "A b1", "A b1 b2", "A b2")


def _fewest(transactions: tuple[str, ...], m: int) -> int:
    """Return in how many transactions the rarest set of up to m items of one of them is, trying each."""
    sets = [set(each.split()) for each in transactions]
    known = {one for each in sets for size in range(1, m + 1) for one in combinations(sorted(each), size)}
    return min(sum(set(one) <= each for each in sets) for one in known)


@pytest.mark.parametrize(
    ("transactions", "fewest"), [(ORIGINAL, {1: 2, 2: 1, 3: 1}), (GENERALIZED, {1: 3, 2: 2, 3: 2})]
)
def test_sets_of_the_papers_example__are_as_anonymous_as_it_says(
    transactions: tuple[str, ...], fewest: dict[int, int]
) -> None:
    items = sorted({item for each in transactions for item in each.split()})
    pairs = [(at, items.index(item)) for at, each in enumerate(transactions) for item in each.split()]
    person, event = (np.array(values) for values in zip(*pairs, strict=True))
    events = events_of(np.zeros(len(transactions), dtype=np.int64), person, event)
    for m, expected in fewest.items():
        found = known_one(events) if m == 1 else known_several(events, m, most_persons=9, seed=0)
        assert int(found.smallest.min()) == expected == _fewest(transactions, m)
