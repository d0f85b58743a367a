"""k^m-anonymity of Terrovitis, Mamoulis and Kalnis, PVLDB 1(1), 2008.

Their running example, figure 1: four transactions, and the same with a1 and a2 generalized to A, which they
call 2²-anonymous (k = 2, m = 2). The tables stand here as known from the paper, which was not at hand to be
read again; that the first is not 2²-anonymous and the second is, is counted one by one below too.
"""

from itertools import combinations

import numpy as np
import pytest

from core.delivery.known import events_of, known_one, known_several

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
