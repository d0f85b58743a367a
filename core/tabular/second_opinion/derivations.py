"""Whether a column, whatever its name, follows from an original column that is gone or was changed.

Numbers and dates are compared by their order (whoever knows the original finds the record by its place),
by constants, and as parts of dates; texts by the pairs of characters they share. Rows are compared unless
their order has changed; then only what whole sets of values show. Of an anonymized column that stands for
an original one, only what goes beyond the relation between the two originals counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import FloatArray
from core.comparing.nearest import (
    FEWEST_ROWS,
    MOST,
    SOME,
    letter_pairs,
    n_nearest_in_classes,
    n_nearest_texts,
    order_kept,
    standard_ranks,
)
from core.comparing.numbers import Amounts
from core.comparing.sets import (
    FEWEST_DISTINCT,
    Counted,
    are_drawn_alike,
    are_evenly_spaced,
    counted,
    n_rescaled,
)
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.numbering import shown_by_others
from core.tabular.second_opinion.search import COARSER, Derivation, Search, until
from core.tabular.settings import SecondOpinionThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import joined, own, share_of, text

_FEWEST_VALUES, _FEWEST_TEXTS = 3, 10
_LIKELY = 0.95  # rank correlation from which two columns are looked at
_NEARLY_IN_PLACE = 0.999
_MOST_NEAREST = 0.8  # share of records nearest to their own original in their class that surely tell
_MOST_READINGS = 400  # numbers that columns may be read as, per table
_SHARED, _SOME_SHARED = 0.5, 0.1  # share of texts whose nearest original is their own
_MOST_TEXT_PAIRS, _LONGEST_TEXT = 400, 200  # columns; characters
_MOST_OF_A_PART, _LARGEST_PART = 5, 10_000  # columns that may hold one part of a date, and their numbers
_TELLING = 0.2  # distinct share below which a column tells nobody apart


def measure_derivations(search: Search) -> tuple[Derivation, ...]:
    """Look for originals in every anonymized column that was changed or added."""
    in_rows = search.tables.order != "changed" and len(search.sample) >= FEWEST_ROWS
    by_row = (*_in_order(search), *_near_texts(search)) if in_rows else ()
    return (*by_row, *_parts_of_dates(search), *_rescaled(search))


# --- by order


def _in_order(search: Search) -> Iterator[Derivation]:
    """Yield pairs of readings of columns of which one tells the order of the other."""
    names, before = _ranks(search, "original", search.tables.original.column_names)
    tokens, after = _ranks(search, "anonymized", search.candidates)
    alike, of_originals = np.abs(before @ after.T), np.abs(before @ before.T)
    for i, j in np.argwhere(alike >= _LIKELY):
        (original, _), (anonymized, _) = names[i], tokens[j]
        related = {name for (name, _), each in zip(names, of_originals[i], strict=True) if each >= _LIKELY}
        if original in search.originals and not search.is_natural(original, anonymized, related.__contains__):
            yield from _order_of_pair(search, names[i], tokens[j])


def _ranks(search: Search, side: str, columns: Sequence[str]) -> tuple[list[tuple[str, str]], FloatArray]:
    """Return the readings of columns by name, and shape (n_readings, n_rows): the ranks that they give."""
    read = {
        (column, reading): standard_ranks(values)
        for column in columns
        for reading, values in search.orders(side, column, sampled=True).items()
    }
    names = list(read)[:_MOST_READINGS]
    return names, np.array([read[name] for name in names]).reshape(len(names), len(search.sample))


def _order_of_pair(
    search: Search, original: tuple[str, str], anonymized: tuple[str, str]
) -> Iterator[Derivation]:
    """Yield how exactly an anonymized column tells the order of an original one, over all compared rows."""
    first = search.orders("original", original[0], sampled=False).get(original[1])
    second = search.orders("anonymized", anonymized[0], sampled=False).get(anonymized[1])
    if first is None or second is None:
        return
    known = ~(np.isnan(first) | np.isnan(second))
    if np.count_nonzero(known) < max(FEWEST_ROWS, 0.5 * np.count_nonzero(~np.isnan(second))):
        return
    first, second = first[known], second[known]
    kind, n = order_kept(first, second)
    found: dict[str, tuple[int, int]] = {} if kind is None else {kind: (n, len(first))}
    if kind not in {"one to one", "in order"}:
        nearest = n_nearest_in_classes(first, second, search.classes_but(anonymized[0])[known])
        if nearest[1] >= SOME * len(first) and nearest[0] >= SOME * nearest[1]:
            found["nearest"] = nearest
    position = abs(float(standard_ranks(first) @ standard_ranks(np.flatnonzero(known).astype(float))))
    for each, counts in found.items():
        yield search.derivation(
            original[0],
            anonymized[0],
            kind=each,
            until=until(original[1]),
            counts=counts,
            by_position=position >= _NEARLY_IN_PLACE,
        )


# --- parts of dates

_PART_RANGES = {
    "year": (1800, 2300),
    "month": (1, 12),
    "day": (1, 31),
    "year and month": (180_001, 230_012),
    "month and day": (101, 1231),
    "day and month": (101, 3112),
    "day of year": (1, 366),
    "week": (1, 53),
    "weekday": (0, 6),
    "weekday_1": (1, 7),
}
_OF_DATES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("parts", ("year", "month", "day")),
    ("parts", ("year", "day of year")),
    ("parts", ("year", "month and day")),
    ("parts", ("year", "day and month")),
    ("parts", ("year and month", "day")),
    ("parts", ("year", "week", "weekday")),
    ("parts", ("year", "week", "weekday_1")),
    ("days", ("month and day",)),
    ("days", ("day and month",)),
    ("days", ("day of year",)),
    ("days", ("month", "day")),
    ("days", ("week", "weekday")),
    ("days", ("week", "weekday_1")),
    ("days", ("week",)),  # of births alone
)


def _parts_of_dates(search: Search) -> Iterator[Derivation]:
    """Yield columns whose numbers, put together, are an original column's dates or days of the year."""
    read = {name: search.numbers("anonymized", name) for name in search.candidates}
    numbers = {name: one.numbers for name, one in read.items() if one and one.kind == "number"}
    columns = {part: _within(numbers, *ends) for part, ends in _PART_RANGES.items()}
    for original in search.originals:
        dates = search.amounts("original", original)
        if dates is None or dates.kind != "date" or len(dates.distinct) < FEWEST_DISTINCT:
            continue
        is_birth = is_high_risk(search.tables.log.entry(original).semantic)
        for kind, parts in _OF_DATES if is_birth else _OF_DATES[:-1]:
            known = _together([dates.part(part) for part in parts])
            before = counted(known)
            for names in itertools.product(*(columns[part] for part in parts)):
                written = _together([numbers[name] for name in names])
                if len({*names}) == len(names) and _are_the_same(search, known, before, written):
                    values, counts = counted(written)
                    n = int(counts.sum())
                    yield search.derivation(
                        original, *names, kind=kind, counts=(n, n), distinct_share=len(values) / n
                    )


def _within(numbers: Mapping[str, FloatArray], low: float, high: float) -> list[str]:
    """Return the first columns of whole numbers of a range."""
    known = {name: each[~np.isnan(each)] for name, each in numbers.items()}
    fit = (
        name
        for name, each in known.items()
        if len(each) and low <= each.min() and each.max() <= high and np.all(each == np.floor(each))
    )
    return list(itertools.islice(fit, _MOST_OF_A_PART))


def _together(parts: Sequence[FloatArray]) -> FloatArray:
    """Return one number for each row's parts of a date."""
    number = np.zeros(len(parts[0]))
    for part in parts:
        number = number * _LARGEST_PART + part
    return number


def _are_the_same(search: Search, known: FloatArray, before: Counted, written: FloatArray) -> bool:
    """Whether numbers are the originals, row by row or, as `before` counts them, as a whole set."""
    if search.tables.order != "changed" and len(before[0]) >= _FEWEST_VALUES:
        here = ~np.isnan(known)
        if np.mean(known[here] == written[here]) >= MOST:
            return True
    return search.tables.order != "kept" and are_drawn_alike(before, counted(written))


# --- constants


def _rescaled(search: Search) -> Iterator[Derivation]:
    """Yield columns that are an original column times a constant, plus a constant, or a date as a number."""
    telling = [
        name
        for name in search.candidates
        if search.tables.distinct_share("anonymized", name) >= _TELLING
        or search.stands_for.get(name) in search.disturbed
    ]
    for anonymized, original in itertools.product(telling, search.originals):
        after, before = search.numbers("anonymized", anonymized), search.numbers("original", original)
        if after is None or before is None:
            continue
        is_own = search.stands_for.get(anonymized) == original
        is_disturbed = is_own and original in search.disturbed
        found = n_rescaled(before, after, own=is_own)

        def shows(also: str, known: Amounts = before) -> bool:
            numbers = search.numbers("original", also)
            return numbers is not None and n_rescaled(known, numbers) is not None

        if (
            found is not None
            and not search.is_natural(original, anonymized, shows)
            and (is_disturbed or not _are_counted_anew(search, (original, anonymized), before, after))
        ):
            one = search.derivation(original, anonymized, kind="constant", counts=found)
            yield replace(one, taken_out=one.taken_out or is_disturbed)


def _are_counted_anew(search: Search, columns: tuple[str, str], before: Amounts, after: Amounts) -> bool:
    """Whether both are numbers in even steps, and kept columns show that their order says nothing."""
    both, sizes = (before, after), (search.tables.n_original, search.tables.n_anonymized)
    if tuple(len(one.numbers) for one in both) != sizes:
        return False
    if not all(are_evenly_spaced(one.distinct) for one in both):
        return False
    places = (np.where(np.isnan(one.numbers), -1, np.searchsorted(one.distinct, one.numbers)) for one in both)
    return shown_by_others(search.tables, columns, *places) is False


# --- texts


def _near_texts(search: Search) -> Iterator[Derivation]:
    """Yield text columns whose texts are nearest, by the pairs of characters, to their own row's original."""
    names = [
        name
        for name in search.candidates
        if search.tables.distinct_share("anonymized", name) >= _TELLING
        and _is_telling_text(search, "anonymized", name)
    ]
    originals = [name for name in search.originals if _is_telling_text(search, "original", name)]
    if len(names) * len(originals) > _MOST_TEXT_PAIRS:
        return
    before = {name: _letters(search, "original", name) for name in search.tables.original.column_names}
    for anonymized in names:
        after = _letters(search, "anonymized", anonymized)
        for original in originals:
            n, n_compared = n_nearest_texts(before[original], after)

            def shows(own: str, known: str = original, most: int = n) -> bool:
                return n_nearest_texts(before[known], before[own])[0] >= most / 2

            enough = n_compared >= FEWEST_ROWS and n >= max(_FEWEST_VALUES, _SOME_SHARED * n_compared)
            if enough and not search.is_natural(original, anonymized, shows):
                yield search.derivation(original, anonymized, kind="near text", counts=(n, n_compared))


def _is_telling_text(search: Search, side: str, name: str) -> bool:
    """Whether a column holds varied texts that are no amounts."""
    texts = search.cells(side, name, sampled=True).drop_null()
    if len(pc.unique(texts)) < _FEWEST_TEXTS or len(texts) < FEWEST_ROWS:
        return False
    return search.amounts(side, name, sampled=True) is None


def _letters(search: Search, side: str, name: str) -> list[frozenset[str]]:
    cells = search.table(side)[name].take(pa.array(search.sample)).to_pylist()
    return letter_pairs([(text or "")[:_LONGEST_TEXT] for text in cells])


# --- judging


def judge_derivations(
    measured: Sequence[Derivation], thresholds: SecondOpinionThresholds, told: Mapping[str, Verdict]
) -> list[Finding]:
    """Return a finding for each column from which people can be found or an original be read.

    `told` are the columns of which other checks say so already, and how gravely; they are told again only
    if this is graver.
    """
    judged = [(one, _verdict(one, thresholds)) for one in measured]
    return [_finding(one, verdict) for one, verdict in _surest_of_each(judged, told)]


def _surest_of_each(
    judged: Sequence[tuple[Derivation, Verdict | None]], told: Mapping[str, Verdict]
) -> Iterator[tuple[Derivation, Verdict]]:
    """Yield for each anonymized column the gravest of what it follows from, of these the surest."""
    taken: set[str] = set()
    surest = {kind: place for place, kind in enumerate(_MESSAGES)}
    telling = [(one, verdict) for one, verdict in judged if verdict is not None]
    for one, verdict in sorted(telling, key=lambda each: (-each[1].severity, surest[each[0].kind])):
        known = taken | {name for name in told if told[name].severity >= verdict.severity}
        if not known.intersection(one.anonymized):
            taken.update(one.anonymized)
            yield one, verdict


def _verdict(one: Derivation, thresholds: SecondOpinionThresholds) -> Verdict | None:
    """Return what a derivation makes of the table; None where it reveals nothing that counts."""
    limit, share = thresholds.highly_distinct_share, one.n_matched / one.n_compared
    if one.kind in {"together", "in_groups"}:
        return _above(share, thresholds.relinkage_fail_share, thresholds.relinkage_warn_share)
    if one.kind == "nearest":
        return _from(share, _MOST_NEAREST, 0)
    if one.kind == "near text":
        is_sure = share >= _SHARED and one.original_distinct_share >= limit
        sure = _from(one.anonymized_distinct_share, limit if is_sure else _NEVER, limit)
    elif one.until and one.kind in {"one to one", "in order"}:
        is_coarser = one.anonymized_distinct_share <= COARSER * one.original_distinct_share  # ages in years
        sure = _from(one.anonymized_distinct_share, limit, _NEVER if is_coarser else 0)
    elif one.kind in _FROM:
        least = (limit if each is None else each for each in _FROM[one.kind])
        sure = _from(one.anonymized_distinct_share, *least)
    else:
        sure = Verdict.FAIL if one.taken_out or one.original_distinct_share >= limit else Verdict.WARN
    return Verdict.WARN if sure is Verdict.FAIL and one.by_position else sure


_NEVER, _ALWAYS = 2.0, -1.0
_FROM = {  # distinct share from which it is FAIL, and WARN; None for the threshold of highly distinct columns
    "combined": (MOST, _ALWAYS),
    "in order": (MOST, None),
    "all but in order": (MOST, _TELLING),
    "nearly in order": (_NEVER, MOST),
    "piece": (None, _ALWAYS),
}


def _from(share: float, fail: float, warn: float) -> Verdict | None:
    return Verdict.FAIL if share >= fail else Verdict.WARN if share >= warn else None


def _above(share: float, fail: float, warn: float) -> Verdict | None:
    return Verdict.FAIL if share > fail else Verdict.WARN if share > warn else None


_MESSAGES = {  # surest first
    "constant": "The values of {columns} are, up to a constant or another way of counting, those of the "
    "original column `{original}`: {found} compared. {consequence}",
    "parts": "The values of {columns} are the parts of the dates of the original column `{original}`: "
    "{found} compared. {consequence}",
    "days": "The values of {columns} are the days of the year, or weeks, of the dates of the original column "
    "`{original}`: {found} compared. {consequence}",
    "combined": "The values of {columns} are worked out from those of the original columns {originals}: "
    "{found} compared. {consequence}",
    "left": "The original column `{original}` was taken out or changed, and is worked out of {columns}, "
    "which were left: {found} compared. {consequence}",
    "means": "The values of {columns} are means of fewer than five neighbouring values of the original "
    "column `{original}`: {found} compared. {consequence}",
    "one to one": "The values of {columns} stand one for one for those of the original column `{original}`: "
    "{found} compared. {consequence}",
    "in order": "The values of {columns} are in the order of those of the original column `{original}`: "
    "{found} compared. {consequence}",
    "all but in order": "The values of {columns} are all but in the order of those of the original column "
    "`{original}`: {found} compared. {consequence}",
    "together": "The values of {columns} tell together, whatever noise or factor is in each, a sum, "
    "difference or ratio of the original columns {originals}: {found} lead to fewer than five persons. "
    "{consequence}",
    "in_groups": "Within each group of {groups}, the values of {columns} follow those of the original column "
    "`{original}`, as differences, shares, places or totals do: {found} lead to fewer than five persons. "
    "{consequence}",
    "nearest": "Among the records that share their quasi-identifiers, the values of {columns} are nearest to "
    "their own record's of the original column `{original}`: {found} compared. {consequence}",
    "near text": "The values of {columns} are spelled most like their own row's text of the original column "
    "`{original}`: {found} compared. {consequence}",
    "piece": "The values of {columns} hold, at a place of their own, pieces of those of {originals}, such as "
    "the last digits or the first letters: {found} compared. {consequence}",
    "nearly in order": "The values of {columns} are nearly in the order of those of the original column "
    "`{original}`: {found} compared. {consequence}",
}
_BETWEEN = (
    "The values of {columns} follow the days from the original column `{original}` to `{until}`: {found} "
    "compared. {consequence}"
)
_CONSEQUENCE = {
    "one to one": "Whoever knows one side knows the other.",
    "in order": "Whoever knows the original finds the record by its place.",
    "all but in order": "Whoever knows the original finds the record among few: the noise is too small.",
    "nearly in order": "Whoever knows the original finds the record among few.",
    "constant": "A few known values undo all of them.",
    "parts": "Put together, they are the original.",
    "days": "With a year or a decade beside them, they find a person.",
    "combined": "Whoever knows those of a person finds the record.",
    "left": "A sum, difference, product or quotient gives it back.",
    "means": "Whoever knows the original finds the record among few: put more together.",
    "together": "Whoever knows those of a person finds the record.",
    "in_groups": "Whoever knows those of the group finds each record.",
    "piece": "Whoever knows the original finds the record among few.",
    "nearest": "Whoever knows the original and the quasi-identifiers finds the record: the noise is too "
    "small.",
    "near text": "Whoever knows the original finds the nearest text.",
}


def _finding(one: Derivation, verdict: Verdict) -> Finding:
    message = text(
        _BETWEEN if one.until else _MESSAGES[one.kind],
        columns=listed(one.anonymized),
        until=one.until,
        original=one.original,
        originals=listed((one.original, *one.others)),
        groups=listed(one.groups),
        found=share_of(one.n_matched, one.n_compared),
        consequence=own(_CONSEQUENCE[one.kind]),
    )
    if one.by_position:
        message = joined([message, "The order of the records shows the same: sort them anew."])
    return Finding(
        check=f"derived_{one.kind.replace(' ', '_')}",
        verdict=verdict,
        message=message,
        column=one.anonymized[0] if len(one.anonymized) == 1 else None,
        n_affected=one.n_matched,
    )
