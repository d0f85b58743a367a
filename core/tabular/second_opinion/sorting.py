"""Whether a reordered table, sorted by a column, stands in the order of the original sorted by another.

Numbers drawn in the order of names or of older numbers lead back to each person, whatever the rows' order.
Row by row nothing can be compared then; but once both tables are sorted the other columns agree row by row,
and disagree when one table is moved on by a few rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from core.cells import CodeArray
from core.coding import IntArray, SharedCodes, joint_codes
from core.tabular.second_opinion.derivations import COARSER, Search, is_until
from core.tabular.second_opinion.pair import CodedPair, dependence
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import own, text

_FEWEST_ROWS, _MOST_ROWS = 20, 200_000
_FEWEST_VALUES = 8
_FEWEST_DISTINCT = 0.2  # share of distinct values from which a column's order tells records apart
_HIGHLY_DISTINCT, _NEARLY_DISTINCT = 0.5, 0.9
_MOST_VALUES = 50  # of a column whose values are held against each other as they are
_MOST_GROUPS, _ROWS_PER_GROUP = 8, 10  # that the values of a column are put in
_FEWEST_IN_GROUP = 5
_NO_ACCIDENT, _NO_ACCIDENT_OF_COUNTS = 1e-7, 1e-6  # probability of as much agreement by chance
_CLEARLY = 1.5  # times the agreement of rows moved on, from which it is that of the rows themselves
_N_MOVED = 40
_SAME_IN_BLOCKS = 0.97  # share of rows that blocks of equal values of the original have in common with a file
_FAR = 6  # standard deviations of that share of files moved on
_FEWEST_IN_ORDER, _MOST_GROUPINGS = 10, 3  # records of a group that is sorted alone; columns that group them
_MOST_IN_GROUPS = 20_000  # records of tables that are sorted group by group
_ONE_SCALE = 0.1  # of the spread, between the middle numbers of two columns
_FEWEST_RUNS = 0.7  # times the changes from row to row that a column makes in a random order


@dataclass(frozen=True, kw_only=True)
class SortedAlike:
    """An anonymized column in the order of an original one."""

    original: str | None  # column names; None for the order of the rows in the file
    anonymized: str | None
    # the anonymized column that agrees row by row once both tables are sorted; None where it is enough that
    # the values, in order, occur as often as the original's
    witness: str | None
    n_records: int  # records of each table
    # whether a place tells whose record it is: by values that are highly distinct or, of a column, gone ones,
    # or by a number for each row
    is_telling: bool
    groups: tuple[str, ...] = ()  # columns left as they were, within each of whose values this is so


def measure_sorting(search: Search) -> tuple[SortedAlike, ...]:
    """Sort reordered tables of one length, at most 200,000, by every column: where the others agree then."""
    tables = search.tables
    is_small = _FEWEST_ROWS <= tables.n_original <= _MOST_ROWS
    if tables.order == "kept" or tables.n_original != tables.n_anonymized or not is_small:
        return ()
    witnesses = [one for pair in tables.coded if (one := _witness(search, pair)) is not None]
    if tables.order == "unknown" and any(_agree(one.before, one.after) for one in witnesses):
        return ()  # rows are compared as they stand
    before = list(_orders(search, "original", search.originals))
    after = list(_orders(search, "anonymized", search.candidates))
    found = {}
    for name, order in after:
        for original, sought in before:
            if (original, name) != (None, None) and name not in found:
                others = [one for one in witnesses if one.anonymized != name]
                is_gone = original is not None and search.taken_out(original)
                proof = _proof(sought, order, others, of_file=name is None, is_gone=is_gone)
                if proof is not None:
                    found[name] = _sorted_alike(search, original, name, proof.name)
    if tables.n_original > _MOST_IN_GROUPS:
        return tuple(found.values())
    within = _within_groups(
        search, witnesses, [(name, order) for name, order in after if name not in found], before
    )
    return (*found.values(), *within)


def _within_groups(
    search: Search,
    witnesses: Sequence[_Witness],
    after: Sequence[tuple[str | None, _Order]],
    before: Sequence[tuple[str | None, _Order]],
) -> Iterator[SortedAlike]:
    """Yield columns in the order of an original one within each group of a column left as it was."""
    n = search.tables.n_original
    told: set[str | None] = {None}
    for names, group in _kept_groups(search):
        others = [one for one in witnesses if one.anonymized not in names]
        blocks = np.sort(group.original)
        for (name, theirs), (original, ours) in itertools.product(after, before):
            is_coarser = _is_its_own_coarser(search, original, name)
            if name in told or is_coarser or _on_one_scale(search, original, name):
                continue
            rows = theirs.within(group.anonymized)
            mine = [one.within(group.original) for one in (ours, ours.reversed)]
            found = (
                one for one, each in itertools.product(others, mine) if _agree_within(one, each, rows, blocks)
            )
            if (proof := next(found, None)) is not None:
                told.add(name)
                seen = _sorted_alike(search, original, name, proof.anonymized)
                n_values = len(np.unique(group.anonymized.astype(np.int64) * n + theirs.places))
                is_telling = original is not None and n_values >= _HIGHLY_DISTINCT * n
                yield replace(seen, groups=names, is_telling=is_telling)


def _is_its_own_coarser(search: Search, original: str | None, anonymized: str | None) -> bool:
    """Whether a column is a coarser form of its own original, of which the order tells no more than it."""
    if original is None or anonymized is None:
        return False
    own = any(
        (one.pair.original, one.pair.anonymized) == (original, anonymized) for one in search.tables.coded
    )
    n_before = search.tables.n_distinct("original", original)
    return own and search.tables.n_distinct("anonymized", anonymized) <= COARSER * n_before


def _on_one_scale(search: Search, original: str | None, anonymized: str | None) -> bool:
    """Whether numbers are spread as the originals are, as rounded or noisy ones, which others look for."""
    columns = (("original", original), ("anonymized", anonymized))
    read = [search.amounts(side, name) for side, name in columns if name is not None]
    if len(read) < 2 or any(one is None for one in read):
        return False
    before, after = (np.nanquantile(one.numbers, np.linspace(0, 1, 101)) for one in read if one is not None)
    return bool(np.median(np.abs(after - before)) <= _ONE_SCALE * before.std())


def _kept_groups(search: Search) -> Iterator[tuple[tuple[str, ...], SharedCodes]]:
    """Yield the columns left as they were, and pairs of them, whose values many records share."""
    n = search.tables.n_original
    kept = [one for one in search.tables.coded if one.pair.anonymized in search.left]
    whole = sorted(
        (one for one in kept if one.n_same_values == n and one.n_values > 1), key=lambda one: one.n_values
    )
    for size in (1, 2):
        for some in itertools.combinations(whole[:_MOST_GROUPINGS], size):
            both = joint_codes(some)
            if len(np.unique(both.original)) <= n / _FEWEST_IN_ORDER:
                yield tuple(one.pair.anonymized for one in some), both


def _agree_within(one: _Witness, before: IntArray, after: IntArray, blocks: CodeArray) -> bool:
    """Whether groups depend on each other row by row, and much less once each block is moved on by rows."""
    ours, theirs = one.before[before], one.after[after]
    statistic, freedom = dependence(ours, theirs)
    starts = np.searchsorted(blocks, blocks)
    sizes = np.searchsorted(blocks, blocks, side="right") - starts
    place = np.arange(len(blocks)) - starts
    moves = [sign * step for step in range(1, _FEWEST_IN_ORDER) for sign in (1, -1)]
    if not freedom or scipy.special.chdtrc(freedom, statistic) > _NO_ACCIDENT:
        return False
    moved = [dependence(ours, theirs[starts + (place + by) % sizes])[0] for by in moves]
    return (
        statistic >= _CLEARLY * max(moved)
        and scipy.special.chdtrc(freedom, statistic - max(moved)) <= _NO_ACCIDENT
    )


def _sorted_alike(
    search: Search, original: str | None, anonymized: str | None, witness: str | None
) -> SortedAlike:
    telling = (
        original is None
        or search.tables.distinct_share("original", original) >= _HIGHLY_DISTINCT
        or (anonymized is not None and search.taken_out(original))
    )
    return SortedAlike(
        original=original,
        anonymized=anonymized,
        witness=witness,
        n_records=search.tables.n_original,
        is_telling=telling,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Order:
    """An order of the rows: which row comes first, and how many rows share each place."""

    rows: IntArray
    sizes: IntArray

    @cached_property
    def reversed(self) -> _Order:
        """Return the order the other way round."""
        return _Order(rows=self.rows[::-1], sizes=self.sizes[::-1])

    @property
    def places(self) -> IntArray:
        """Return shape (n_rows,): the place of each row; rows may share one."""
        places = np.empty(len(self.rows), dtype=np.int64)
        places[self.rows] = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return places

    def within(self, codes: CodeArray) -> IntArray:
        """Return the rows group by group, in each in this order."""
        return self.rows[np.argsort(codes[self.rows], kind="stable")]

    @property
    def firsts(self) -> IntArray:
        """Return the first row of each place: rows of one person say the same of them."""
        return self.rows[np.cumsum(self.sizes) - self.sizes]


def _orders(search: Search, side: str, names: Sequence[str]) -> Iterator[tuple[str | None, _Order]]:
    """Yield the orders that columns give their rows, each once, and that of the file."""
    n = search.tables.n_original
    yield None, _Order(rows=np.arange(n), sizes=np.ones(n, dtype=np.int64))
    for name in names:
        seen = set()
        own = search.tables.n_distinct(side, name)
        for reading, values in search.orders(side, name, sampled=False).items():
            _, sizes = np.unique(values, return_counts=True)
            order = _Order(rows=np.argsort(values, kind="stable"), sizes=sizes)
            if is_until(reading) and len(order.sizes) <= COARSER * own:
                continue  # such as the length of a stay, or an age in years
            if len(order.sizes) >= _FEWEST_VALUES and (key := order.rows.tobytes()) not in seen:
                seen.add(key)
                yield name, order


@dataclass(frozen=True, kw_only=True, eq=False)
class _Witness:
    """A pair of columns, as a few groups each, whose rows agree if the tables are sorted alike."""

    anonymized: str
    before: IntArray
    after: IntArray


def _witness(search: Search, pair: CodedPair) -> _Witness | None:
    groups = [
        _groups(search, "original", pair.pair.original, pair.original),
        _groups(search, "anonymized", pair.pair.anonymized, pair.anonymized),
    ]
    before, after = groups
    if before is None or after is None:
        return None
    return _Witness(anonymized=pair.pair.anonymized, before=before, after=after)


def _groups(search: Search, side: str, name: str, codes: CodeArray) -> IntArray | None:
    """Return a few groups of about equal size, by value or by amount; None where there is nothing to tell."""
    most = min(_MOST_GROUPS, len(codes) // _ROWS_PER_GROUP)
    counts = np.bincount(codes + 1)
    if np.count_nonzero(counts) > _MOST_VALUES:
        amounts = search.amounts(side, name)
        if amounts is None or not len(amounts.distinct):
            return None
        edges = np.nanquantile(amounts.numbers, np.linspace(0, 1, most + 1)[1:-1])
        groups = np.searchsorted(edges, amounts.numbers, side="right")
    else:
        usual = np.argsort(-counts, kind="stable")[: most - 1]
        usual = usual[counts[usual] >= _FEWEST_IN_GROUP]
        place = np.full(len(counts), most - 1)
        place[usual] = np.arange(len(usual))
        groups = place[codes + 1]
    sizes = np.bincount(groups)
    return groups if np.count_nonzero(sizes >= _FEWEST_IN_GROUP) > 1 else None


@dataclass(frozen=True)
class _Proof:
    """By what two orders are seen to be the same."""

    name: str | None


def _proof(
    before: _Order, after: _Order, witnesses: Sequence[_Witness], *, of_file: bool, is_gone: bool
) -> _Proof | None:
    """`of_file`: the rows as they stand; `is_gone`: the original column was to be gone, and may repeat."""
    if _as_often(before.sizes, after.sizes):
        return _Proof(None)
    rows = _told_apart(before, after, may_repeat=of_file and is_gone)
    if rows is not None:
        for ours, one in itertools.product((rows[0], rows[0][::-1]), witnesses):
            if _agree(one.before[ours], one.after[rows[1]]):
                return _Proof(one.anonymized)
    n = len(before.rows)
    if is_gone and len(before.sizes) >= _FEWEST_ROWS and len(after.sizes) >= _NEARLY_DISTINCT * n:
        found = (one.anonymized for one in witnesses if _in_blocks(before, after, one))
        return next(map(_Proof, found), None)
    return None


def _told_apart(before: _Order, after: _Order, *, may_repeat: bool) -> tuple[IntArray, IntArray] | None:
    """Return the rows of both tables in order, one of each place where rows repeat; None of too few."""
    n, n_places = len(before.rows), min(len(before.sizes), len(after.sizes))
    if n_places < (_FEWEST_ROWS if may_repeat else n * _FEWEST_DISTINCT):
        return None
    if n_places >= n * _NEARLY_DISTINCT or may_repeat:
        return before.rows, after.rows
    if len(before.sizes) == len(after.sizes):
        return before.firsts, after.firsts
    return (before.rows, after.rows) if _breaks_ties(before, after) else None


def _in_blocks(before: _Order, after: _Order, one: _Witness) -> bool:
    """Whether an order has, block by block, what the original has of each value, however within a block.

    The rows of a name may stand at random, and no other column may hang on it: then the blocks still hold
    the same, and not so once one table is moved on. An order that a column itself gives says nothing.
    """
    n, size = len(before.rows), int(max(one.before.max(), one.after.max())) + 1
    values = one.after[after.rows]
    if np.count_nonzero(np.diff(values)) < _FEWEST_RUNS * n * (1 - (np.bincount(values) ** 2).sum() / n**2):
        return False
    for rows, sizes in ((before.rows, before.sizes), (before.rows[::-1], before.sizes[::-1])):
        block = np.repeat(np.arange(len(sizes)), sizes) * size
        held = np.bincount(block + one.before[rows], minlength=len(sizes) * size)
        alike, *moved = (
            np.minimum(held, np.bincount(block + np.roll(values, by), minlength=len(held))).sum() / n
            for by in np.linspace(0, n, _N_MOVED, endpoint=False).astype(np.int64)
        )
        if alike >= _SAME_IN_BLOCKS and alike - np.mean(moved) > _FAR * max(np.std(moved), 1 / n):
            return True
    return False


def _breaks_ties(before: _Order, after: _Order) -> bool:
    """Whether values that differ nearly all, as pseudonyms do, may number others of which some repeat."""
    n = len(before.rows)
    is_column = not np.array_equal(after.rows, np.arange(n))
    differ = len(after.sizes) >= _NEARLY_DISTINCT * n and len(before.sizes) >= _HIGHLY_DISTINCT * n
    return is_column and differ


def _as_often(before: IntArray, after: IntArray) -> bool:
    """Whether values occur as often in their order, which they hardly would in any other order."""
    if len(before) != len(after) or not (
        np.array_equal(before, after) or np.array_equal(before, after[::-1])
    ):
        return False
    ways = (
        scipy.special.gammaln(len(before) + 1)
        - scipy.special.gammaln(np.unique(before, return_counts=True)[1] + 1).sum()
    )
    return bool(ways >= -np.log(_NO_ACCIDENT_OF_COUNTS))


def _agree(before: IntArray, after: IntArray) -> bool:
    """Whether groups depend on each other row by row, and much less once one table is moved on by rows."""
    statistic, freedom = dependence(before, after)
    if not freedom or scipy.special.chdtrc(freedom, statistic) > _NO_ACCIDENT:
        return False
    moves = [sign * step for step in range(1, min(_N_MOVED // 2, len(before) - 1) + 1) for sign in (1, -1)]
    return statistic >= _CLEARLY * max(dependence(np.roll(before, by), after)[0] for by in moves)


# --- judging


def judge_sorting(measured: Sequence[SortedAlike], told: Mapping[str, Verdict]) -> list[Finding]:
    """Return a finding per column in the order of an original one: FAIL where that leads to people.

    `told` are the columns that other checks have explained; of them nothing more is said.
    """
    return [_finding(one) for one in measured if one.anonymized not in told]


def _finding(one: SortedAlike) -> Finding:
    ours = (
        text("the values of `{column}`", column=one.anonymized)
        if one.anonymized
        else text("the rows of the file")
    )
    theirs = (
        text("those of the original column `{column}`", column=one.original)
        if one.original
        else text("the original's rows")
    )
    if one.groups:
        theirs = text("{those} within each group of {groups}", those=own(theirs), groups=listed(one.groups))
    how = (
        text("sorted so, the rows of both tables agree in `{column}`", column=one.witness)
        if one.witness
        else text("in this order they occur as often")
    )
    return Finding(
        check="in_the_original_order",
        verdict=Verdict.FAIL if one.is_telling else Verdict.WARN,
        message=text(
            "Although the records were put in another order, {ours} are in the order of {theirs}: {how} ({n} "
            "record). Whoever holds the original finds each record by its place: give random pseudonyms, and "
            "shuffle the rows.",
            "Although the records were put in another order, {ours} are in the order of {theirs}: {how} ({n} "
            "records). Whoever holds the original finds each record by its place: give random pseudonyms, "
            "and shuffle the rows.",
            n=one.n_records,
            ours=ours,
            theirs=theirs,
            how=how,
        ),
        column=one.anonymized,
        n_affected=one.n_records,
    )
