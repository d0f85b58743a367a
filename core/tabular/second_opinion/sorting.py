"""Whether a reordered table, sorted by a column, stands in the order of the original sorted by another.

Numbers drawn in the order of names or of older numbers lead back to each person, whatever the rows' order,
see :mod:`core.comparing.sorted_alike`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.coding import FloatArray, joint_codes
from core.comparing.sorted_alike import (
    FEWEST_IN_ORDER,
    FEWEST_ROWS,
    HIGHLY_DISTINCT,
    Order,
    Witness,
    agree,
    few_groups,
    same_order,
)
from core.tabular.second_opinion.pair import CodedPair
from core.tabular.second_opinion.search import COARSER, Search, until
from core.tabular.words import listed
from core.values.cells import CodeArray
from core.verdict import Finding, Verdict
from core.words import own, text

_MOST_ROWS, _MOST_IN_GROUPS = 200_000, 20_000  # records of tables that are sorted, and group by group
_FEWEST_VALUES, _MOST_GROUPINGS = 8, 3  # of a column; columns that group records
_ONE_SCALE = 0.1  # of the spread, between the middle numbers of two columns


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
    is_small = FEWEST_ROWS <= tables.n_original <= _MOST_ROWS
    if tables.order == "kept" or tables.n_original != tables.n_anonymized or not is_small:
        return ()
    witnesses = [one for pair in tables.coded if (one := _witness(search, pair)) is not None]
    if tables.order == "unknown" and any(agree(one.before, one.after) for one in witnesses):
        return ()  # rows are compared as they stand
    before = list(_orders(search, "original", search.originals))
    after = list(_orders(search, "anonymized", search.candidates))
    found: dict[str | None, SortedAlike] = {}
    for (name, order), (original, sought) in itertools.product(after, before):
        if (original, name) != (None, None) and name not in found:
            shown = same_order(
                sought,
                order,
                [one for one in witnesses if one.name != name],
                of_file=name is None,
                is_gone=original is not None and search.taken_out(original),
                n_tried=len(before) * len(after),
            )
            if shown is not None:
                found[name] = _sorted_alike(search, original, name, shown[0])
    rest = [(name, order) for name, order in after if name not in {None, *found}]
    is_small = tables.n_original <= _MOST_IN_GROUPS
    return (*found.values(), *(_within_groups(search, witnesses, rest, before) if is_small else ()))


_Orders = Sequence[tuple[str | None, Order]]


def _within_groups(
    search: Search, witnesses: Sequence[Witness], after: _Orders, before: _Orders
) -> Iterator[SortedAlike]:
    """Yield columns in the order of an original one within each group of a column left as it was."""
    told: set[str | None] = set()
    groupings = list(_kept_groups(search))
    n_tried = 2 * len(groupings) * len(after) * len(before) * len(witnesses)
    for names, ours, theirs in groupings:
        others, blocks = [one for one in witnesses if one.name not in names], np.sort(ours)
        for (name, order), (original, sought) in itertools.product(after, before):
            is_left_out = _is_its_own_coarser(search, original, name) or _on_one_scale(search, original, name)
            if name in told or is_left_out:
                continue
            rows = order.within(theirs)
            for one, each in itertools.product(others, (sought.within(ours), sought.reversed.within(ours))):
                if agree(one.before[each], one.after[rows], blocks=blocks, n_tried=n_tried):
                    told.add(name)
                    n_values = len({*zip(theirs.tolist(), order.places.tolist(), strict=True)})
                    is_telling = original is not None and n_values >= HIGHLY_DISTINCT * len(rows)
                    yield _sorted_alike(search, original, name, one.name, names, is_telling=is_telling)
                    break


def _is_its_own_coarser(search: Search, original: str | None, anonymized: str | None) -> bool:
    """Whether a column is a coarser form of its own original, of which the order tells no more than it."""
    if original is None or anonymized is None or search.stands_for.get(anonymized) != original:
        return False
    n_before = search.tables.n_distinct("original", original)
    return search.tables.n_distinct("anonymized", anonymized) <= COARSER * n_before


def _on_one_scale(search: Search, original: str | None, anonymized: str | None) -> bool:
    """Whether numbers are spread as the originals are, as rounded or noisy ones, which others look for."""
    columns = (("original", original), ("anonymized", anonymized))
    read = [search.amounts(side, name) for side, name in columns if name is not None]
    if len(read) < 2 or any(one is None for one in read):
        return False
    before, after = (np.nanquantile(one.numbers, np.linspace(0, 1, 101)) for one in read if one is not None)
    return bool(np.median(np.abs(after - before)) <= _ONE_SCALE * before.std())


def _kept_groups(search: Search) -> Iterator[tuple[tuple[str, ...], CodeArray, CodeArray]]:
    """Yield the columns left as they were, and pairs of them, whose values many records share."""
    n = search.tables.n_original
    kept = [one for one in search.tables.coded if one.pair.anonymized in search.left]
    whole = sorted(
        (one for one in kept if one.n_same_values == n and one.n_values > 1), key=lambda one: one.n_values
    )
    for size in (1, 2):
        for some in itertools.combinations(whole[:_MOST_GROUPINGS], size):
            both = joint_codes(some)
            if len(np.unique(both.original)) <= n / FEWEST_IN_ORDER:
                yield tuple(one.pair.anonymized for one in some), both.original, both.anonymized


def _sorted_alike(
    search: Search,
    original: str | None,
    anonymized: str | None,
    witness: str | None,
    groups: tuple[str, ...] = (),
    *,
    is_telling: bool | None = None,
) -> SortedAlike:
    telling = (
        original is None
        or search.tables.distinct_share("original", original) >= HIGHLY_DISTINCT
        or (anonymized is not None and search.taken_out(original))
    )
    return SortedAlike(
        original=original,
        anonymized=anonymized,
        witness=witness,
        n_records=search.tables.n_original,
        is_telling=telling if is_telling is None else is_telling,
        groups=groups,
    )


def _orders(search: Search, side: str, names: Sequence[str]) -> Iterator[tuple[str | None, Order]]:
    """Yield the orders that columns give their rows, each once, and that of the file."""
    yield None, Order.by(np.arange(search.tables.n_original))
    for name in names:
        seen: set[bytes] = set()
        for reading, values in search.orders(side, name, sampled=False).items():
            order = Order.by(values)
            if until(reading) and len(order.sizes) <= COARSER * search.tables.n_distinct(side, name):
                continue  # such as the length of a stay, or an age in years
            if len(order.sizes) >= _FEWEST_VALUES and (key := order.rows.tobytes()) not in seen:
                seen.add(key)
                yield name, order


def _witness(search: Search, pair: CodedPair) -> Witness | None:
    sides = (
        ("original", pair.pair.original, pair.original),
        ("anonymized", pair.pair.anonymized, pair.anonymized),
    )
    before, after = (few_groups(codes, partial(_numbers, search, side, name)) for side, name, codes in sides)
    if before is None or after is None:
        return None
    return Witness(name=pair.pair.anonymized, before=before, after=after)


def _numbers(search: Search, side: str, name: str) -> FloatArray | None:
    amounts = search.amounts(side, name)
    return None if amounts is None else amounts.numbers


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
