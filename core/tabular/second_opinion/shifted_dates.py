"""Dates that the log calls shifted: whether the shift hides them, so that nobody knows them by date.

Whose row is whose need not be known. Within each class of the columns that were kept, the released dates in
their order are held against the original ones in theirs: dates shifted by little stand close to them, closer
than those of as many other persons would (the distance is Wasserstein's).
"""

from collections.abc import Sequence

import numpy as np

from core.coding import FloatArray, IntArray
from core.comparing.numbers import read_amounts
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion.pair import CodedPair, LoggedTables, classes_together

_SAME_BY_CHANCE = 0.1  # share of shifted dates that may be as they were
_HIDES = 0.25  # of the distance of other persons' dates, from which a shift hides
_MOST_CLASSES = 60


def hidden_dates(tables: LoggedTables, names: Sequence[str]) -> tuple[str, ...]:
    """Return which of some released columns are dates that the log calls shifted, and that are.

    A column that holds the original's dates, in whatever rows, is none.
    """
    pairs = {pair.pair.anonymized: pair for pair in tables.coded}
    return tuple(name for name in names if name in pairs and _is_hidden(tables, pairs[name]))


def _is_hidden(tables: LoggedTables, pair: CodedPair) -> bool:
    if meaning_of(pair.pair.action) is not Meaning.DISTURBED or pair.is_kept:
        return False
    before, after = (
        _days(tables, side, name)
        for side, name in (("original", pair.pair.original), ("anonymized", pair.pair.anonymized))
    )
    if before is None or after is None:
        return False
    if tables.in_order and len(before) == len(after) and np.mean(before == after) > _SAME_BY_CHANCE:
        return False
    kept = [each for each in tables.coded if each is not pair and each.is_kept and each.n_values > 1]
    both = classes_together(kept, _MOST_CLASSES) or (np.zeros(len(before), int), np.zeros(len(after), int))
    own, other = _distances(before, after, both)
    return own >= _HIDES * other > 0


def _days(tables: LoggedTables, side: str, name: str) -> FloatArray | None:
    """Return shape (n_records,): a column's days, NaN where blank; None where it holds no dates."""
    column = tables.written[side][name]
    amounts = read_amounts(column.values) if len(column.values) else None
    if amounts is None or amounts.kind != "date":
        return None
    return np.append(amounts.numbers, np.nan)[column.codes]


def _distances(
    before: FloatArray, after: FloatArray, classes: tuple[IntArray, IntArray]
) -> tuple[float, float]:
    """Return the days from released to original dates within classes, and to as many dates of anybody."""
    rng, own, other = np.random.default_rng(0), 0.0, 0.0
    everybody = before[~np.isnan(before)]
    for each in np.unique(classes[0]):
        mine, theirs = (days[of == each] for days, of in ((before, classes[0]), (after, classes[1])))
        mine, theirs = mine[~np.isnan(mine)], theirs[~np.isnan(theirs)]
        if len(mine) and len(theirs):
            own += len(mine) * _distance(mine, theirs)
            other += len(mine) * _distance(mine, rng.choice(everybody, len(mine)))
    return own, other


def _distance(one: FloatArray, other: FloatArray) -> float:
    """Return the mean distance of as many quantiles of each as the first has values."""
    steps = (np.arange(len(one)) + 0.5) / len(one)
    return float(np.abs(np.sort(one) - np.quantile(other, steps, method="hazen")).mean())
