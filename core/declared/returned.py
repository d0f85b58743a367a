"""Values that were grouped, emptied or replaced and that other released columns give back."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.chance import determines
from core.coding import IntArray
from core.declared.drawn import of_persons
from core.declared.lines import Case, Line, Shown, shown
from core.declared.pairing import Pair
from core.declared.rules import Rule
from core.verdict import Verdict
from core.words import counted, listed, text

_FEWEST, _FEWEST_THINGS = 8, 5  # persons whose values are hidden; records of a table of things
_SHOWN = 40  # records in which one column tells another
_UNIQUE = 0.9  # share of things that kept columns name alone


class _Kept(NamedTuple):
    """A released column that is as it was, by person."""

    pair: Pair
    column: str
    codes: IntArray  # shape (n_persons,): of released cells, -1 for none


def returned_lines(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield a line for each column whose hidden values another kept column tells, or that names things still.

    Told is what persons alike in the kept column had alike, beyond chance. A table of things, such as towns,
    names them still where kept columns are each thing's own: who has a list of them reads off which it is.
    """
    everybody = np.arange(case.n_persons)
    kept: list[_Kept] | None = None
    for pair in case.pairs:
        for theirs in pair.original.columns:
            if not any(rule.names(pair.name, each) for each in pair.called(theirs)) or not len(pair.mine):
                continue
            if _is_of_things(case, pair):
                yield from _named_still(rule, pair, theirs)
                continue
            if kept is None:
                kept = list(_kept(case, everybody))
            hidden = _hidden(pair, theirs, everybody)
            told = [
                each
                for each in kept
                if (each.pair is not pair or each.pair.columns[each.column] != theirs)
                and not (each.pair is pair and _is_its_concept(theirs, each.column))
                and determines(each.codes, hidden, n_tried=len(kept))
            ]
            if told and np.count_nonzero(hidden >= 0) >= _FEWEST:
                yield _line(rule, pair, theirs, told, hidden)


def _is_its_concept(theirs: str, kept: str) -> bool:
    """Return whether columns are a fact of OMOP twice: emptied words of the source, and the concept kept."""
    stem = theirs.lower().removesuffix("_source_value")
    return stem != theirs.lower() and kept.lower() in (f"{stem}_concept_id", f"{stem}_source_concept_id")


def _is_of_things(case: Case, pair: Pair) -> bool:
    """Return whether a table is of nobody, or of none of those that a larger table is about, as of towns."""
    others = [each for each in case.pairs if each is not pair and (each.person >= 0).any()]
    larger = any(each.original.n_records > pair.original.n_records for each in others)
    met = any(np.isin(each.person, pair.person[pair.person >= 0]).any() for each in others)
    return not (pair.person >= 0).any() or (larger and not met)


def _line(rule: Rule, pair: Pair, theirs: str, told: list[_Kept], hidden: IntArray) -> Line:
    n = int(np.count_nonzero((told[0].codes >= 0) & (hidden >= 0)))
    return Line(
        kind="returned",
        of=f"{pair.name}.{theirs}",
        verdict=Verdict.FAIL,
        message=text(
            "{column}: what was hidden of {persons} follows from {columns}, which were kept.",
            column=f"`{pair.name}.{theirs}`",
            persons=counted(n, "person"),
            columns=listed([f"{each.pair.name}.{each.column}" for each in told], at_most=4),
        ),
        n_persons=n,
        n_records=n,
        n_looked_at=int(np.count_nonzero(hidden >= 0)),
        line=rule.line,
        shown=next((_told(pair, theirs, each.column) for each in told if each.pair is pair), ()),
    )


def _told(pair: Pair, theirs: str, kept: str) -> tuple[Shown, ...]:
    """Return records in which a kept column and the original of a hidden one are filled."""
    filled = (pair.cells(kept)[0] >= 0) & (pair.original[theirs].codes[pair.theirs] >= 0)
    return tuple(each._replace(of=theirs) for each in shown("told", pair, kept, filled, most=_SHOWN))


def _kept(case: Case, everybody: IntArray) -> Iterator[_Kept]:
    for pair in case.pairs:
        for column in pair.columns:
            if column == pair.own or not len(pair.mine) or not (pair.person >= 0).any():
                continue
            if not pair.changed(column).any():
                yield _Kept(pair, column, of_persons(pair, column, everybody))


def _hidden(pair: Pair, theirs: str, everybody: IntArray) -> IntArray:
    """Return shape (n_persons,): the original value of who has another one now, else -1."""
    cells = pair.original[theirs]
    column = next((mine for mine, other in pair.columns.items() if other == theirs), None)
    is_hidden = np.ones(len(pair.mine), dtype=bool) if column is None else pair.changed(column)
    codes = np.where(is_hidden, cells.codes[pair.theirs].astype(np.int64), -1)
    found = np.full(len(everybody) + 1, -1)
    known = (pair.persons >= 0) & (codes >= 0)
    found[pair.persons[known][::-1]] = codes[known][::-1]
    return found[: len(everybody)]


def _named_still(rule: Rule, pair: Pair, theirs: str) -> Iterator[Line]:
    """Yield a line where a table of things, whose names were hidden, has kept columns of each thing's own."""
    names = pair.original[theirs]
    column = next((mine for mine, other in pair.columns.items() if other == theirs), None)
    is_hidden = column is None or bool(pair.changed(column).all())
    if (
        pair.original.n_records < _FEWEST_THINGS
        or names.n_distinct < pair.original.n_records
        or not is_hidden
    ):
        return
    told = [
        each
        for each in pair.columns
        if not pair.changed(each).any()
        and pair.released[each].n_distinct >= _UNIQUE * pair.released.n_records
    ]
    if told:
        yield Line(
            kind="returned",
            of=f"{pair.name}.{theirs}",
            verdict=Verdict.WARN,
            message=text(
                "{column} is hidden, and {columns} are each one's own: who has a list of these reads off "
                "which each is.",
                column=f"`{pair.name}.{theirs}`",
                columns=listed([f"{pair.name}.{each}" for each in told], at_most=4),
            ),
            n_records=pair.released.n_records,
            n_looked_at=pair.released.n_records,
            line=rule.line,
        )
