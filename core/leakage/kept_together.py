"""Two columns that were scrambled together: who knows one value of a person still learns the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.coding import sorted_distinct
from core.comparing.nearest import standard_ranks
from core.leakage.pairing import TablePair, follows
from core.leakage.whole_rows import WholeRows, find_whole_rows, n_unique_found
from core.values.cells import as_numbers

# those of most different values, of which every two are looked at; and of tables of more rows than that
_MOST_COLUMNS, _MOST_OF_LONG_ONES, _LONG = 12, 6, 50_000
_FEWEST_VALUES = 20  # of a column: who shares a coarse one with many learns little
_LEAST_SHARE = 0.25  # of the pairs that one person has: columns shuffled within groups of four keep so many
_MOST_BY_CHANCE = 0.05  # of those pairs, with both columns shuffled on their own
_SAME_ORDER = 0.98  # rank correlation from which two columns of numbers say one thing
_FEWEST_ROWS = 20
_COARSE = 10  # records a value


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptTogether:
    """Two columns whose values stand together in the scrambled table as in the original."""

    columns: tuple[str, str]
    whole_rows: WholeRows  # over these two columns
    n_looked_at: int  # pairs of columns
    is_coarse: bool  # whether ten original records or more have a value of one of them, on average

    @property
    def share(self) -> float:
        """Return the pairs found over those that one original record has alone, in [0, 1]."""
        return self.whole_rows.n_unique_exact / self.whole_rows.n_unique


def find_kept_together(
    pair: TablePair, columns: Sequence[str], *, holdout: TablePair | None = None
) -> KeptTogether | None:
    """Return the two columns that stayed together for most persons; None where none did.

    Looked at are every two of the twelve columns (six of more than 50,000 rows) with the most different
    values, at least 20 each, but those where one follows from the other. They stayed together where a quarter
    or more of the pairs of values that one original record has alone are found in the scrambled table, and
    both shuffled on their own would give at most a twentieth.

    Parameters
    ----------
    pair, columns
        The tables, and the columns that are compared.
    holdout
        The original beside records of strangers, who then tell what chance gives.
    """
    if min(pair.original.n_records, pair.scrambled.n_records) < _FEWEST_ROWS:
        return None
    varied = [name for name in columns if len(sorted_distinct(pair.codes[name].original)) >= _FEWEST_VALUES]
    varied.sort(key=lambda name: -pair.codes[name].n_values)
    most = _MOST_COLUMNS if pair.original.n_records <= _LONG else _MOST_OF_LONG_ONES
    pairs = list(combinations(varied[:most], 2))
    found = [
        KeptTogether(
            columns=two,
            whole_rows=rows,
            n_looked_at=len(pairs),
            is_coarse=any(_is_coarse(pair, each) for each in two),
        )
        for two, rows in _kept(pair, pairs, holdout)
    ]
    return max(found, key=lambda each: each.share, default=None)


def _kept(
    pair: TablePair, pairs: Sequence[tuple[str, str]], holdout: TablePair | None
) -> Iterator[tuple[tuple[str, str], WholeRows]]:
    for two in pairs:
        if n_unique_found(pair, two) < _LEAST_SHARE * _FEWEST_ROWS or _say_one_thing(pair, *two):
            continue
        rows = find_whole_rows(pair, two, holdout=holdout)
        if (
            rows.n_unique_exact >= _LEAST_SHARE * max(rows.n_unique, _FEWEST_ROWS)
            and rows.expected_unique_exact <= _MOST_BY_CHANCE * rows.n_unique
        ):
            yield two, rows


def _is_coarse(pair: TablePair, name: str) -> bool:
    codes = pair.codes[name].original
    return _COARSE * len(sorted_distinct(codes)) <= len(codes)


def _say_one_thing(pair: TablePair, name: str, other: str) -> bool:
    """Whether, in the original, one column follows from the other, or both put persons in one order."""
    if follows(pair, name, other) or follows(pair, other, name):
        return True
    first, second = (as_numbers(pair.original.table[each]) for each in (name, other))
    if first is None or second is None:
        return False
    known = ~np.isnan(first) & ~np.isnan(second)
    return bool(abs(standard_ranks(first[known]) @ standard_ranks(second[known])) >= _SAME_ORDER)
