"""Columns that were emptied, grouped or kept, records that were removed, and references between tables."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray, FloatArray, IntArray
from core.declared.lines import Case, Line, Shown, are_meant, counts_of, n_different, shown
from core.declared.lists import as_texts
from core.declared.pairing import Pair, Sheet
from core.declared.rules import Rule, are_among, matches
from core.values.cells import as_numbers
from core.values.dates import read_dates
from core.verdict import Verdict
from core.words import Text, counted, joined, listed, text


def _line(
    rule: Rule,
    pair: Pair,
    column: str,
    wrong: BoolArray,
    said: Sequence[Text],
    *,
    n_looked_at: int,
    unjudged: bool = False,
    shows: tuple[Shown, ...] = (),
) -> Line:
    """Return the line of a column; `wrong`, shape (n_paired,), are records that are not as declared."""
    verdict = Verdict.FAIL if wrong.any() else Verdict.NOT_ASSESSED if unjudged else Verdict.PASS
    return Line(
        kind=rule.kind,
        of=f"{pair.name}.{column}",
        verdict=verdict,
        message=joined(said),
        n_persons=n_different(pair.persons[wrong]),
        n_records=int(wrong.sum()),
        n_looked_at=n_looked_at,
        line=rule.line,
        shown=shows,
    )


def not_held(rule: Rule, of: str, *, is_paired: bool) -> Line:
    """Return the line of a column of which a rule speaks and no record could be looked at."""
    said = (
        text("{column}: no record has the values of `where`.", column=f"`{of}`")
        if is_paired
        else text("{column}: no record could be held against its original.", column=f"`{of}`")
    )
    return Line(kind=rule.kind, of=of, verdict=Verdict.NOT_ASSESSED, message=said, line=rule.line)


def emptied_lines(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield a line for each column that should hold nothing; a column that is not there holds nothing."""
    for sheet in case.released:
        for column in sheet.columns:
            if rule.names(sheet.name, column):
                yield _emptied(case, rule, sheet, column)
    for pair in case.pairs:
        for column in pair.original.columns:
            is_there = column in pair.columns.values() or column in pair.released.columns
            if not is_there and rule.names(pair.name, column):
                place = f"{pair.name}.{column}"
                said = text("{column} is not there any more.", column=f"`{place}`")
                yield Line(
                    kind="emptied",
                    of=place,
                    verdict=Verdict.PASS,
                    message=said,
                    n_looked_at=pair.released.n_records,
                    line=rule.line,
                )


def _emptied(case: Case, rule: Rule, sheet: Sheet, column: str) -> Line:
    filled = sheet[column].codes >= 0
    pair = next((each for each in case.pairs if each.released is sheet), None)
    asked = np.full(sheet.n_records, not rule.where)
    if pair is not None:
        asked[pair.mine] = case.spoken_of(rule, pair, column)
    filled &= asked
    place, n = f"{sheet.name}.{column}", int(filled.sum())
    if rule.where and not asked.any():
        return not_held(rule, place, is_paired=pair is not None and bool(len(pair.mine)))
    persons = 0 if pair is None else n_different(pair.persons[filled[pair.mine]])
    said = (
        text(
            "{column} holds something in {records}.",
            records=counted(n, "record"),
            column=f"`{place}`",
        )
        if n
        else text("{column} is empty.", column=f"`{place}`")
    )
    return Line(
        kind="emptied",
        of=place,
        verdict=Verdict.FAIL if n else Verdict.PASS,
        message=said,
        n_persons=persons,
        n_records=n,
        n_looked_at=int(asked.sum()),
        line=rule.line,
        shown=()
        if pair is None or column not in pair.columns
        else shown("filled", pair, column, filled[pair.mine]),
    )


def kept_lines(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield a line for each column that should be as it was."""
    for pair, column in case.columns(rule):
        asked = case.spoken_of(rule, pair, column)
        if not (asked.any() if rule.where else len(asked)):
            yield not_held(rule, f"{pair.name}.{column}", is_paired=bool(len(asked)))
            continue
        wrong = pair.changed(column) & asked
        place = f"`{pair.name}.{column}`"
        said = (
            text(
                "{column} is not as it was in {records}.",
                records=counted(int(wrong.sum()), "record"),
                column=place,
            )
            if wrong.any()
            else text("{column} is as it was.", column=place)
        )
        shows = shown("unlike", pair, column, wrong)
        yield _line(rule, pair, column, wrong, [said], n_looked_at=int(asked.sum()), shows=shows)


# --- groups


def grouped_lines(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield a line for each column whose values should be in groups."""
    for pair, column in case.columns(rule):
        asked = case.spoken_of(rule, pair, column)
        if not (asked.any() if rule.where else len(asked)):
            yield not_held(rule, f"{pair.name}.{column}", is_paired=bool(len(asked)))
            continue
        yield (_cut_to if rule.to else _grouped)(rule, pair, column, asked)


def _grouped(rule: Rule, pair: Pair, column: str, asked: BoolArray) -> Line:
    values, *_ = pair.joint(column)
    mine, theirs = pair.cells(column)
    is_grouped, into, unread = _groups(rule, pair, column, values)
    grouped, filled = np.append(is_grouped, False)[theirs] & asked, (theirs >= 0) & asked
    same = ~pair.changed(column)
    left = grouped & same & ~_said_alike(into, mine, theirs)
    other = filled & ~grouped & ~same
    expected = np.append(into, -1)[theirs]
    elsewhere = grouped & ~left & (expected != mine) & (expected != -2)
    if not rule.codes and not rule.into:  # whatever stands for those grouped must be no other value
        occurs = np.zeros(len(values) + 1, dtype=bool)
        occurs[theirs[filled & ~grouped]] = True
        elsewhere |= grouped & ~left & (mine >= 0) & occurs[mine]
    no_number = np.append(unread, False)[theirs] & asked
    of = f"{pair.name}.{column}"
    said = counts_of(
        of,
        (left, "{column} is not grouped in {records}."),
        (
            elsewhere,
            "{column} has other groups than declared in {records}.",
        ),
        (
            other,
            "{column} is not as it was, and should be, in {records}.",
        ),
        (no_number, "{column} has no number in {records}."),
    )
    return _line(
        rule,
        pair,
        column,
        left | elsewhere | other,
        said or [_as_declared(of, int(grouped.sum()))],
        n_looked_at=int(filled.sum()),
        unjudged=bool(no_number.any()),
        shows=shown("alike", pair, column, left)
        + shown("unlike", pair, column, (elsewhere | other) & (mine != theirs)),
    )


def _as_declared(of: str, n: int) -> Text:
    return text(
        "{column} is grouped as declared in {records}.",
        records=counted(n, "record"),
        column=f"`{of}`",
    )


def _said_alike(into: IntArray, mine: IntArray, theirs: IntArray) -> BoolArray:
    """Return where a value of a group is what the group is called."""
    return (np.append(into, -1)[theirs] == mine) & (mine >= 0)


def _groups(rule: Rule, pair: Pair, column: str, values: pa.Array) -> tuple[BoolArray, IntArray, BoolArray]:
    """Return shape (n_values,) each: what is to be grouped, the code of its group, what cannot be told.

    -2 for any group; -3 for one that occurs nowhere.
    """
    n = len(values)
    none = np.zeros(n, dtype=bool)
    name = pc.index_in(pa.scalar(rule.into, pa.large_string()), value_set=values).as_py() if rule.into else -2
    into = np.full(n, -3 if name is None else name)
    if rule.codes:
        of, to = (pa.array(each, pa.large_string()) for each in zip(*rule.codes, strict=True))
        at = pc.index_in(values, value_set=of)
        target = pc.index_in(to.take(at), value_set=values).fill_null(-3).to_numpy()
        return at.is_valid().to_numpy(zero_copy_only=False), target.astype(np.int64), none
    if rule.only:
        listed_ = pc.is_in(values, value_set=pa.array([*rule.only, rule.into], pa.large_string()))
        return ~listed_.to_numpy(zero_copy_only=False), into, none
    _, _, theirs = pair.joint(column)
    if rule.fewer_than is not None:
        if rule.count == "persons":
            known = (theirs >= 0) & (pair.person >= 0)
            both = np.unique(np.stack([theirs[known], pair.person[known]], axis=1), axis=0)[:, 0]
        else:
            both = theirs[theirs >= 0]
        counts = np.bincount(both, minlength=n)
        return (counts > 0) & (counts < rule.fewer_than), into, none
    numbers = _numbers(values)
    is_original = np.bincount(theirs[theirs >= 0], minlength=n) > 0
    limit = np.inf if rule.above is None else rule.above
    return np.nan_to_num(numbers, nan=-np.inf) > limit, into, np.isnan(numbers) & is_original


def _numbers(values: pa.Array) -> FloatArray:
    """Return each value as a number, NaN where it is none."""
    plain = pc.match_substring_regex(values, r"^\s*[-+]?[0-9]+(?:[.,][0-9]+)?\s*$")
    found = as_numbers(pc.if_else(plain, values, pa.scalar(None, values.type)))
    return np.full(len(values), np.nan) if found is None else found


def _cut_to(rule: Rule, pair: Pair, column: str, asked: BoolArray) -> Line:
    """Return whether dates are cut to their years or months."""
    values, *_ = pair.joint(column)
    mine, theirs = pair.cells(column)
    years = pc.match_substring_regex(values, r"^[12][0-9]{3}$").to_numpy(zero_copy_only=False)
    plain = [int(each) if is_year else -1 for each, is_year in zip(values.to_pylist(), years, strict=True)]
    dates = read_dates(values)
    year = np.append(np.where(years, plain, dates.year), -1)
    month = np.append(dates.month, -1)
    day = np.append(dates.day, -1)
    filled = (mine >= 0) & (theirs >= 0) & asked
    unread = filled & ((year[mine] < 0) | (year[theirs] < 0))
    fine = (day[mine] > 1) | ((month[mine] > 1) & (rule.to == "year"))
    fine |= (mine == theirs) & (day[mine] > 0)
    wrong_year = (year[mine] != year[theirs]) | (
        (month[mine] != month[theirs]) & (rule.to == "month") & (month[theirs] > 0)
    )
    finer, other = filled & ~unread & fine, filled & ~unread & ~fine & wrong_year
    of = f"{pair.name}.{column}"
    said = counts_of(
        of,
        (finer, "{column} has finer dates in {records}."),
        (other, "{column} has other dates in {records}."),
        (unread, "{column} has dates that cannot be read in {records}."),
    ) or [_as_declared(of, int(filled.sum()))]
    return _line(
        rule,
        pair,
        column,
        finer | other,
        said,
        n_looked_at=int(filled.sum()),
        unjudged=bool(unread.any()),
        shows=shown("alike", pair, column, finer & (mine == theirs)),
    )


# --- records


def gone_by(rule: Rule, pair: Pair, column: str) -> IntArray:
    """Return the original records that a rule of removal takes away, by number."""
    cells = pair.original[column]
    values = cells.values
    if rule.empty:
        found = cells.codes < 0
    elif rule.values:
        found = cells.in_records(are_among(as_texts(values), rule.values))
    else:
        numbers = _numbers(as_texts(values))
        low = -np.inf if rule.above is None else rule.above
        high = np.inf if rule.below is None else rule.below
        found = cells.in_records((numbers > low) & (numbers < high))
    found &= are_meant(rule, pair)
    if rule.persons:
        everybody = pair.person[found]
        found = np.isin(pair.person, everybody[everybody >= 0]) | found
    return np.flatnonzero(found)


def removed_columns(rule: Rule, pairs: Sequence[Pair]) -> list[tuple[Pair, str]]:
    """Return the original columns that a rule of removal is about, tables by their released names."""
    return [
        (pair, column)
        for pair in pairs
        for column in pair.original.columns
        if any(rule.names(pair.name, each) for each in pair.called(column))
    ]


def removed_lines(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield a line for each table of which a rule takes records away: whether they are gone."""
    for pair, column in removed_columns(rule, case.pairs):
        gone = gone_by(rule, pair, column)
        still = np.intersect1d(gone, pair.theirs)
        place = f"`{pair.name}.{column}`"
        is_told = bool(pair.way)
        said = (
            text("{column}: no record could be held against its original.", column=place)
            if not is_told
            else text(
                "{column} should have removed what is still there: {records}.",
                records=counted(len(still), "record"),
                column=place,
            )
            if len(still)
            else text(
                "{column} has removed {records}.",
                records=counted(len(gone), "record"),
                column=place,
            )
        )
        verdict = Verdict.NOT_ASSESSED if not is_told else Verdict.FAIL if len(still) else Verdict.PASS
        yield Line(
            kind="removed",
            of=f"{pair.name}.{column}",
            verdict=verdict,
            message=said,
            n_persons=n_different(pair.person[still]),
            n_records=len(still),
            n_looked_at=len(gone),
            line=rule.line,
            shown=_still(pair, np.isin(pair.theirs, still)) if len(still) else (),
        )


def _still(pair: Pair, which: BoolArray) -> tuple[Shown, ...]:
    """Return the column that is kept most of records that should have been removed."""
    kept = {one: which & ~pair.changed(one) & (pair.cells(one)[0] >= 0) for one in pair.columns}
    column = max(kept, key=lambda one: int(kept[one].sum()))
    return shown("still", pair, column, kept[column])


def row_lines(case: Case) -> Iterator[Line]:
    """Yield a line for each table: whether the number of its records is explained, and all are paired."""
    for pair in case.pairs:
        if not pair.way:
            yield Line(
                kind="rows",
                of=pair.name,
                verdict=Verdict.NOT_ASSESSED,
                message=text(
                    "Nothing tells which records of {table} are which of its original.",
                    table=f"`{pair.name}`",
                ),
            )
            continue
        new = np.ones(pair.released.n_records, dtype=bool)
        new[pair.mine] = False
        missing = np.ones(pair.original.n_records, dtype=bool)
        missing[pair.theirs] = False
        missing[case.gone.get(pair.name, np.zeros(0, dtype=np.int64))] = False
        yield _rows(pair, new, missing, is_mapped=case.mapping is not None and pair.own is not None)


def _rows(pair: Pair, new: BoolArray, missing: BoolArray, *, is_mapped: bool) -> Line:
    said = counts_of(
        pair.name,
        (
            missing,
            "{column} has lost {records} by no rule.",
        ),
        (new, "{column} has {records} without an original."),
    )
    # as many of both are perhaps the same records, which nothing tells any more
    may_be_same = bool(missing.any()) and missing.sum() == new.sum() and not is_mapped
    return Line(
        kind="rows",
        of=pair.name,
        verdict=Verdict.PASS if not said else Verdict.NOT_ASSESSED if may_be_same else Verdict.FAIL,
        message=joined(said or [_explained(pair)]),
        n_persons=n_different(pair.person[missing]),
        n_records=int(max(missing.sum(), new.sum())),
        n_looked_at=pair.released.n_records,
        shown=(Shown("rows", pair.name, "", pair.original.name, "", (), ()),),
    )


def _explained(pair: Pair) -> Text:
    told = text(
        "{table}: {released}, of originally {originals}.",
        table=f"`{pair.name}`",
        released=counted(pair.released.n_records, "record"),
        originals=counted(pair.original.n_records, "record"),
    )
    if not len(pair.unsure):
        return told
    by_order = text(
        "Told from others by the order of dates alone: {found}.",
        found=len(pair.unsure),
    )
    return joined([told, by_order])


def refers_lines(case: Case, rule: Rule) -> Iterator[Line]:
    """Yield a line for each released column all of whose values have to stand in another one."""
    targets = [
        sheet[column]
        for sheet in case.released
        for column in sheet.columns
        if matches(rule.to, sheet.name, column)
    ]
    known = pa.chunked_array([as_texts(each.values) for each in targets], pa.large_string())
    for sheet in case.released:
        for column in sheet.columns:
            if not rule.names(sheet.name, column) or matches(rule.to, sheet.name, column):
                continue
            cells = sheet[column]
            is_known = pc.is_in(as_texts(cells.values), value_set=known.combine_chunks())
            n = int(cells.in_records(~is_known.to_numpy(zero_copy_only=False)).sum())
            place = f"{sheet.name}.{column}"
            said = (
                text(
                    "{column} refers to nothing in {to} in {records}.",
                    records=counted(n, "record"),
                    column=f"`{place}`",
                    to=listed([rule.to]),
                )
                if n
                else text("{column} refers to {to}.", column=f"`{place}`", to=listed([rule.to]))
            )
            yield Line(
                kind="refers",
                of=place,
                verdict=Verdict.FAIL if n else Verdict.PASS,
                message=said,
                n_records=n,
                n_looked_at=cells.n_filled,
                line=rule.line,
            )
