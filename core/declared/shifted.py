"""Dates shifted by one number of days per person: in columns, in texts, and how the numbers were drawn."""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from core.coding import BoolArray, FloatArray, IntArray
from core.declared.columns import not_held
from core.declared.drawn import anchor_lines, order_lines, told_days
from core.declared.lines import (
    EPSILON,
    MOST_SHOWN,
    Case,
    Line,
    Shown,
    at_person,
    counts_of,
    moved_by,
    n_different,
    shown,
)
from core.declared.pairing import Pair
from core.declared.rules import Rule
from core.sequences import in_order_of
from core.values.dates import read_days
from core.verdict import Verdict
from core.words import Text, counted, joined, listed, text

_FEWEST = 5  # persons from which the same number of days for all is no chance
_FEW_DATES, _MOST_LOOKED_AT = 0.05, 1_000  # share of dates that hide among fewer persons; dates
_SPREAD = 0.5  # share of the different numbers that a draw would give, below which it was none
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_IN_TEXT = re.compile(
    r"(?<![0-9])(?:[12][0-9]{3} ?[-/.년] ?[0-9]{1,2} ?[-/.월] ?[0-9]{1,2}일?"
    r"|[0-9]{1,2}[-/.] ?[0-9]{1,2}[-/.] ?[12][0-9]{3}"
    rf"|[0-9]{{1,2}}\.? (?:{_MONTHS})[a-z]*\.?,? [12][0-9]{{3}}"
    rf"|(?:{_MONTHS})[a-z]*\.? [0-9]{{1,2}},? [12][0-9]{{3}})(?![0-9])",
    re.IGNORECASE,
)


def shifted_lines(case: Case, rule: Rule, implied: Sequence[tuple[Pair, str]]) -> Iterator[Line]:
    """Yield a line for each column of dates or texts of a rule, and one for how its numbers were drawn.

    `implied` are columns that no rule speaks of: dates in them give the shift of the others away.
    """
    columns = case.columns(rule)
    dated = [(pair, column) for pair, column in columns if pair.are_dates(column)]
    shifts = case.shifts(rule, dated)
    n_dates = np.zeros(case.n_persons, dtype=np.int64)
    for pair, column in dated:
        n_dates += _n_known(case, rule, pair, column)
    for pair, column in columns:
        asked = case.spoken_of(rule, pair, column)
        if rule.where and not asked.any():
            yield not_held(rule, f"{pair.name}.{column}", is_paired=bool(len(asked)))
        elif pair.are_dates(column):
            yield _column_line(
                case, rule, pair, column, shifts, asked=asked, is_judged=bool(np.any(n_dates > 1))
            )
        else:
            yield _text_line(case, rule, pair, column, shifts=shifts, asked=asked) or Line(
                kind="shifted",
                of=f"{pair.name}.{column}",
                verdict=Verdict.NOT_ASSESSED,
                message=text("{column} holds no dates.", column=f"`{pair.name}.{column}`"),
                line=rule.line,
            )
    for pair, column in implied:
        everything = np.ones(len(pair.mine), dtype=bool)
        if pair.are_dates(column):
            yield _column_line(case, rule, pair, column, shifts, asked=everything, is_judged=True)
        elif (found := _text_line(case, rule, pair, column, shifts=shifts, asked=everything)) is not None:
            yield found
    if dated:
        yield _drawn_line(case, rule, shifts, dated)
        yield from anchor_lines(case, rule, dated)
        yield from order_lines(case, rule, dated)


def _n_known(case: Case, rule: Rule, pair: Pair, column: str) -> IntArray:
    """Return shape (n_persons,): the dates of each person that both tables tell, and the rule speaks of."""
    known = (pair.persons >= 0) & ~np.isnan(moved_by(pair, column)) & case.spoken_of(rule, pair, column)
    return np.bincount(pair.persons[known], minlength=case.n_persons)


_OTHERWISE = (
    "{column} has lost its dates in {records}.",
    "{column} has dates where the original has none in {records}.",
    "{column} has dates that cannot be read, or are nobody's, in {records}.",
)


def _column_line(
    case: Case,
    rule: Rule,
    pair: Pair,
    column: str,
    shifts: FloatArray,
    *,
    asked: BoolArray,
    is_judged: bool,
) -> Line:
    moved, expected = moved_by(pair, column), at_person(shifts, pair.persons)
    mine, theirs = pair.cells(column)
    known = (pair.persons >= 0) & ~np.isnan(moved - expected) & asked
    wrong = known & (np.abs(moved - expected) > EPSILON)
    blank, new = (mine < 0) & (theirs >= 0) & asked, (mine >= 0) & (theirs < 0) & asked
    unread = ~known & (mine >= 0) & (theirs >= 0) & asked
    of = f"{pair.name}.{column}"
    concerned = wrong | blank | new
    said = [
        *_wrong(f"`{of}`", pair.persons, wrong, wrong & (np.abs(moved) <= EPSILON)),
        *counts_of(of, *zip((blank, new, unread), _OTHERWISE, strict=True)),
    ]
    # one date a person is told, and judged by its range and draw, where the mapping says whose it is
    if not (is_told := known.any() and (is_judged or case.given is not None or case.mapping is not None)):
        said.append(text("{column}: nobody has two dates that can be compared.", column=f"`{of}`"))
    n = int(known.sum())
    return Line(
        kind="shifted",
        of=of,
        verdict=Verdict.FAIL
        if concerned.any()
        else Verdict.PASS
        if is_told and not unread.any()
        else Verdict.NOT_ASSESSED,
        message=joined(said or [_held(of, n)]),
        n_persons=n_different(pair.persons[concerned]),
        n_records=int(concerned.sum()),
        n_looked_at=n,
        line=rule.line,
        shown=_moved(case, rule, (pair, column), moved, wrong) or shown("blank", pair, column, blank),
    )


def _moved(
    case: Case, rule: Rule, place: tuple[Pair, str], moved: FloatArray, wrong: BoolArray
) -> tuple[Shown, ...]:
    """Return a date that was moved otherwise than its person's others, and one of these if there is one."""
    if not wrong.any():
        return ()
    at = int(np.argmax(wrong))
    person = place[0].persons[at]
    for pair, column in case.columns(rule):
        if pair.are_dates(column):
            others = moved_by(pair, column)
            fits = (pair.persons == person) & case.spoken_of(rule, pair, column)
            fits &= np.abs(others - moved[at]) > EPSILON
            if fits.any():
                second = shown("moved", pair, column, fits, most=1, moved=others)
                return shown("moved", *place, wrong, most=1, moved=moved) + second
    return shown("moved", *place, wrong, moved=moved)


def n_near_dates(pair: Pair, column: str, shifts: FloatArray, asked: BoolArray) -> int:
    """Return among how many persons who knows a date finds its person, for all dates but a twentieth.

    They have a released date as near to it as the persons' shifts are to each other. Counted for every so
    many, of at most 1,000 dates; 0 where no shift is known.

    Parameters
    ----------
    shifts
        Shape (n_persons,): days, NaN where none is known.
    asked
        Shape (n_paired,): of which records.
    """
    moved, (released, _) = shifts[~np.isnan(shifts)], pair.days(column)
    dates = released[pair.mine]
    known = (pair.persons >= 0) & asked & ~np.isnan(dates) & ~np.isnan(at_person(shifts, pair.persons))
    order = np.argsort(dates[known], kind="stable")
    days, persons = dates[known][order], pair.persons[known][order]
    if not len(days):
        return 0
    looked_at = np.unique(np.linspace(0, len(days) - 1, _MOST_LOOKED_AT).astype(np.int64))
    true = days[looked_at] - shifts[persons[looked_at]]
    first = np.searchsorted(days, true + moved.min() - EPSILON, "left")
    last = np.searchsorted(days, true + moved.max() + EPSILON, "right")
    before = _before(persons)
    n_near = [np.count_nonzero(before[a:b] < a) for a, b in zip(first, last, strict=True)]
    return int(np.quantile(n_near, _FEW_DATES, method="lower"))


def _before(persons: IntArray) -> IntArray:
    """Return shape (n,): where the same person stands before, -1 where nowhere."""
    order = np.argsort(persons, kind="stable")
    found = np.full(len(persons), -1)
    same = np.diff(persons[order]) == 0
    found[order[1:][same]] = order[:-1][same]
    return found


def _held(of: str, n: int) -> Text:
    return text(
        "{column} is shifted by one number of days per person: {records}.",
        column=f"`{of}`",
        records=counted(n, "record"),
    )


def _wrong(place: str, persons: IntArray, wrong: BoolArray, same: BoolArray) -> Iterator[Text]:
    """Yield how many persons' dates were moved otherwise than the person's number of days says."""
    for which, message in (
        (wrong & ~same, "{column} is not shifted by the one number of days of each person: {persons}."),
        (same, "{column} is not shifted at all: {persons}."),
    ):
        if which.any():
            yield text(message, column=place, persons=counted(n_different(persons[which]), "person"))


# --- texts


def _text_line(
    case: Case, rule: Rule, pair: Pair, column: str, *, shifts: FloatArray, asked: BoolArray
) -> Line | None:
    """Return what dates in texts say, None where the original's texts hold none."""
    rows, moved, n_unlike = moved_in_texts(pair, column, asked)
    if not len(rows) and not n_unlike:
        return None
    persons = pair.persons[rows]
    expected = at_person(shifts, persons)
    known = ~np.isnan(moved) & ~np.isnan(expected)
    wrong = known & (np.abs(moved - expected) > EPSILON)
    same = wrong & (np.abs(moved) <= EPSILON)
    place = f"`{pair.name}.{column}`"
    n_unread = int((~known).sum()) + n_unlike
    said = [*_wrong(place, persons, wrong, same)]
    if n_unread:
        said.append(
            text(
                "{column} has dates that could not be held against those of the original in {records}.",
                column=place,
                records=counted(n_unread, "record"),
            )
        )
    n = len(np.unique(rows))
    held = text(
        "{column} has its dates shifted as the columns are: {records}.",
        column=place,
        records=counted(n, "record"),
    )
    first = np.full(len(pair.mine), np.nan)  # the days by which the first date of each text was moved
    first[rows[::-1]] = np.where(wrong, moved, np.nan)[::-1]
    return Line(
        kind="shifted",
        of=f"{pair.name}.{column}",
        verdict=Verdict.FAIL if wrong.any() else Verdict.NOT_ASSESSED if n_unread else Verdict.PASS,
        message=joined(said or [held]),
        n_persons=n_different(persons[wrong]),
        n_records=len(np.unique(rows[wrong])),
        n_looked_at=n,
        line=rule.line,
        shown=_moved(case, rule, (pair, column), first, ~np.isnan(first)),
    )


def moved_in_texts(
    pair: Pair, column: str, asked: BoolArray | None = None
) -> tuple[IntArray, FloatArray, int]:
    """Return the places among paired records and days by which each date in a text was moved.

    Then how many texts have not as many dates as their original. `asked`, shape (n_paired,): of which
    records; None of all.
    """
    values, *_ = pair.joint(column)
    mine, theirs = pair.cells(column)
    found = [_IN_TEXT.findall(each) for each in values.to_pylist()]
    tokens = {one: at for at, one in enumerate(dict.fromkeys(one for each in found for one in each))}
    days = read_days(pa.array(list(tokens), pa.large_string())) if tokens else np.zeros(0)
    rows, moved, n_unlike = [], [], 0
    looked_at = (theirs >= 0) & (mine >= 0) & (True if asked is None else asked)
    for at in np.flatnonzero(looked_at).tolist():
        ours, others = found[mine[at]], found[theirs[at]]
        if len(ours) == len(others):
            rows += [at] * len(ours)
            moved += [
                days[tokens[one]] - days[tokens[other]] for one, other in zip(ours, others, strict=True)
            ]
        else:
            n_unlike += 1
    return np.array(rows, dtype=np.int64), np.array(moved, dtype=np.float64), n_unlike


# --- how the numbers were drawn


def _drawn_line(case: Case, rule: Rule, shifts: FloatArray, dated: Sequence[tuple[Pair, str]]) -> Line:
    """Return whether the persons' numbers of days are as declared, none zero, and as if drawn."""
    persons = np.flatnonzero(~np.isnan(shifts))
    days = shifts[persons]
    of = ", ".join(rule.columns)
    wrong = np.zeros(len(days), dtype=bool)
    said: list[Text] = []
    for which, message in _against(rule, days):
        if which.any():
            wrong |= which
            said.append(text(message, persons=counted(int(which.sum()), "person")))
    some = persons[wrong]
    if (not_drawn := _not_drawn(case, rule, persons, days)) is not None:
        said.append(not_drawn)
        wrong[:] = True
        some = some if len(some) else persons[np.argsort(_numbers(case, persons))]
    is_fail = bool(said)
    if not len(days):
        said.append(text("No number of days is known."))
    elif not said:
        said.append(
            text(
                "{columns} are shifted by numbers of days as declared: {persons}.",
                columns=listed(rule.columns, at_most=4),
                persons=counted(len(days), "person"),
            )
        )
    verdict = Verdict.FAIL if is_fail else Verdict.PASS if len(days) else Verdict.NOT_ASSESSED
    return Line(
        kind="shifted",
        of=of,
        verdict=verdict,
        message=joined(said),
        n_persons=int(wrong.sum()),
        n_looked_at=len(days),
        line=rule.line,
        shown=next(filter(None, (_dates_of(case, rule, *each, some) for each in dated if is_fail)), ()),
    )


def _dates_of(case: Case, rule: Rule, pair: Pair, column: str, persons: IntArray) -> tuple[Shown, ...]:
    """Return a date of some persons each, as they follow each other; evenly chosen where there are many."""
    moved, first = moved_by(pair, column), np.full(case.n_persons + 1, -1)
    known = np.flatnonzero(case.spoken_of(rule, pair, column) & ~np.isnan(moved))[::-1]
    first[pair.persons[known]] = known
    first[-1] = -1  # of nobody
    at = first[persons][first[persons] >= 0]
    return shown("moved", pair, column, at[:: max(len(at) // MOST_SHOWN, 1)], moved=moved)


def _against(rule: Rule, days: FloatArray) -> Iterator[tuple[BoolArray, str]]:
    yield (
        np.abs(days) <= EPSILON,
        "Not shifted at all: {persons}.",
    )
    if rule.whole_weeks:
        yield (
            np.abs(days / 7 - np.round(days / 7)) > EPSILON,
            "Not shifted by whole weeks: {persons}.",
        )
    least = -np.inf if rule.least is None else rule.least
    most = np.inf if rule.most is None else rule.most
    yield (
        (days < least - EPSILON) | (days > most + EPSILON),
        "Shifted by days out of the range declared: {persons}.",
    )


def _not_drawn(case: Case, rule: Rule, persons: IntArray, days: FloatArray) -> Text | None:
    """Return why numbers of days are not as drawn for each person, None where they may be."""
    n, n_different_ = len(days), len(np.unique(days))
    if rule.one_for_all:
        return text("Not everybody is shifted by the same number of days.") if n_different_ > 1 else None
    if n >= _FEWEST and n_different_ == 1:
        return text("Everybody is shifted by the same number of days: who knows one date knows all.")
    if rule.least is not None and rule.most is not None:
        possible = (rule.most - rule.least) // (7 if rule.whole_weeks else 1) + 1
        expected = possible * (1 - (1 - 1 / possible) ** n)
        if n >= _FEWEST and n_different_ < _SPREAD * expected:
            return text(
                "The numbers of days were not drawn from the range declared: only {found} are different.",
                found=n_different_,
            )
    if in_order_of(days, _numbers(case, persons), coarse=False) is not None:
        return text(
            "The numbers of days stand in the order of the identifiers: who knows one guesses others."
        )
    return told_days(case, rule, persons, days)


def _numbers(case: Case, persons: IntArray) -> FloatArray:
    """Return the rank of each person's identifier, by length and letters."""
    ids = case.identifiers.take(pa.array(persons)).to_pylist()
    order = sorted(range(len(ids)), key=lambda at: (len(ids[at]), ids[at]))
    ranks = np.empty(len(ids))
    ranks[order] = np.arange(len(ids))
    return ranks
