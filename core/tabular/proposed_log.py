"""A log for a person to confirm: what seems to have been done to each column, by comparing the two tables.

For who has an original and an anonymized table and no log in our form. What is proposed is what is seen, not
what somebody promised: the log says so of itself, and the audit of it too.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from core.chance import dependence
from core.coding import CodedColumn
from core.people.roles import suggest_roles
from core.tables import Dataset
from core.tabular.log import MADE_HERE, AnonymizationLog
from core.tabular.second_opinion.pair import CodedPair, LoggedTables, in_groups, pair_tables
from core.tabular.semantics import semantic_by_name, semantic_of
from core.tabular.values import are_date_floors, look_like_pseudonyms
from core.values.cells import as_numbers
from core.values.dates import read_dates
from core.words import Text, counted, joined, share_of, text

ACTIONS: Mapping[str, str] = {  # what may be logged of a column, in plain words
    "keep": "kept as it is",
    "drop": "removed",
    "redact": "replaced by a mark such as ***",
    "pseudonymize": "pseudonymized",
    "date_floor_year": "cut to the first day of the year",
    "date_floor_decade": "cut to the first day of the decade",
    "generalize": "made coarser, such as rounded",
    "mask_zip_leading": "postal code cut to its first digits",
    "region_generalize": "address cut to its region",
    "noise": "moved by random amounts",
    "date_shift": "moved by a number of days",
    "swap": "exchanged between records",
    "replace": "replaced by other values",
}
_COARSER_BY_SEMANTIC = {
    "zipcode": "mask_zip_leading",
    "address": "region_generalize",
    "region": "region_generalize",
}
_MOSTLY = 0.95  # share of cells from which a column is as it was
_ONE_EACH = 0.9  # share of values that stand for one original each, from which they are pseudonyms
_FEWER = 0.9  # distinct values for each one of the original, up to which a column is coarser
_BY_CHANCE = 1e-6  # probability of so strong a dependence between unrelated columns


@dataclass(frozen=True, kw_only=True)
class ProposedEntry:
    """What seems to have been done to one column."""

    column: str  # name in the original, or in the anonymized table where only that has it
    semantic: str  # one of the values of `SEMANTICS`, or another word for what the column holds
    action: str  # one of `ACTIONS`
    reason: str  # what was seen, with counts; without cell values


def propose_log(original: Dataset, anonymized: Dataset) -> tuple[ProposedEntry, ...]:
    """Return an entry for each column of the original, and for each that only the anonymized table has.

    Cells are compared row by row where the rows are in their places, else as a whole: values that are all
    there, fewer of them, others. A blank is a missing cell; marks such as ``***`` are none.

    Parameters
    ----------
    original, anonymized
        Of any number of records; columns are paired by their names as the verifier does.

    Returns
    -------
    tuple of ProposedEntry
        In the order of the original, then of the anonymized table.
    """
    kinds = {one.column: one.kind for one in suggest_roles(original.table)}
    tables = pair_tables(original.table, anonymized.table, AnonymizationLog(name=""))
    names = dict(zip(tables.original.column_names, original.columns, strict=True))  # as the original has them
    semantics = {name: semantic_of(kinds[written]) for name, written in names.items()}
    paired: dict[str, list[CodedPair]] = {name: [] for name in names}
    for pair in tables.coded:
        paired[pair.pair.original].append(pair)
    entries = []
    for name, pairs in paired.items():
        told = [_entry(pair, tables, semantics[name]) for pair in pairs]
        single = [(names[name], *told[0])] if pairs[:1] and not pairs[1:] else []
        several = zip((pair.pair.anonymized for pair in pairs), *zip(*told, strict=True), strict=True)
        found = single or ([*several] if told else [(names[name], "drop", _ABSENT)])
        entries += [
            ProposedEntry(column=column, semantic=semantics[name], action=action, reason=reason)
            for column, action, reason in found
        ]
    known = {pair.pair.anonymized for pair in tables.coded}
    new = [name for name in anonymized.columns if name not in known]
    return (*entries, *(_of_new(name, tables.written["anonymized"][name]) for name in new))


_ABSENT = text("It is not in the anonymized table.")


def _of_new(name: str, column: CodedColumn) -> ProposedEntry:
    return ProposedEntry(
        column=name,
        semantic=semantic_by_name(name),
        action="replace",
        reason=text(
            "The original has no such column; it holds {values}.",
            values=counted(column.n_distinct, "distinct value"),
        ),
    )


def _entry(pair: CodedPair, tables: LoggedTables, semantic: str) -> tuple[str, Text]:
    """Return what was done to a column that is in both tables, and what tells it."""
    before = tables.written["original"][pair.pair.original]
    after = tables.written["anonymized"][pair.pair.anonymized]
    seen = _Seen(pair, tables, before, after)
    for look in (_as_nothing, _as_it_was, _as_days, _as_floors, _as_pseudonyms, _as_coarser, _as_moved):
        if (found := look(seen)) is not None:
            action, reason = found
            return _COARSER_BY_SEMANTIC.get(semantic, action) if action == "generalize" else action, reason
    return "replace", text("Its values are others than the original's, and nothing tells how they came.")


@dataclass(frozen=True, eq=False)
class _Seen:
    """A column of both tables."""

    pair: CodedPair
    tables: LoggedTables
    before: CodedColumn
    after: CodedColumn

    @property
    def sides(self) -> tuple[CodedColumn, CodedColumn]:
        """Return the column in the original, and in the anonymized table."""
        return self.before, self.after

    @property
    def in_rows(self) -> bool:
        """Whether cells can be compared row by row."""
        return self.tables.n_original == self.tables.n_anonymized and self.tables.in_order

    @property
    def n_together(self) -> int:
        """Return the different pairs of an original value and what stands in its row."""
        both = (self.pair.original >= 0) & (self.pair.anonymized >= 0)
        codes = self.pair.original[both].astype(np.int64) * (self.pair.n_values + 1)
        return len(np.unique(codes + self.pair.anonymized[both]))


_Found = tuple[str, Text] | None


def _as_nothing(seen: _Seen) -> _Found:
    """Tell a column of blanks or marks, which had values, and nearly such a one."""
    n_marks, n_left = seen.tables.marks.get(seen.pair.pair.anonymized, 0), seen.after.n_filled
    n_gone = len(seen.after.codes) - n_left
    if not seen.before.n_filled or n_gone < _MOSTLY * len(seen.after.codes):
        return None
    if n_gone - n_left < _MOSTLY * seen.before.n_filled * len(seen.after.codes) / len(seen.before.codes):
        return None  # the original was as empty
    left = text("{n} value remains.", "{n} values remain.", n=n_left) if n_left else ""
    gone = (
        text(
            "{n} cell holds a mark in place of a value.",
            "{n} cells hold a mark in place of a value.",
            n=n_marks,
        )
        if n_marks
        else text("{n} cell is blank.", "{n} cells are blank.", n=n_gone)
    )
    return "redact" if n_marks else "drop", joined([gone, *([left] if n_left else [])])


def _as_it_was(seen: _Seen) -> _Found:
    """Tell a column whose values are there, in their own rows or in others."""
    pair, n_after = seen.pair, seen.after.n_filled
    n_blanked = max(seen.before.n_filled - n_after, 0)
    if seen.in_rows and pair.n_same_row >= _MOSTLY * n_after:
        blanked = text(" {n} cell was blanked.", " {n} cells were blanked.", n=n_blanked) if n_blanked else ""
        return "keep", text(
            "{found} non-blank cells are the original's, in their rows.{blanked}",
            found=share_of(pair.n_same_row, n_after),
            blanked=blanked,
        )
    if pair.n_same_values < _MOSTLY * n_after:
        return None
    found = share_of(pair.n_same_values, n_after)
    if seen.in_rows or pair.pair.anonymized in seen.tables.apart:
        return "swap", text("{found} values are the original's, in other rows.", found=found)
    return "keep", text("{found} values are the original's; rows are in another order.", found=found)


def _as_days(seen: _Seen) -> _Found:
    """Tell dates that are the same days in another form."""
    if not seen.in_rows or not all(map(_are_days, seen.sides)):
        return None
    before, after = (np.append(read_dates(one.values).positions(), np.nan)[one.codes] for one in seen.sides)
    n_same = int(np.count_nonzero(before == after))
    if n_same < _MOSTLY * seen.after.n_filled:
        return None
    found = share_of(n_same, seen.after.n_filled)
    return "keep", text("{found} dates are the original's, in another form.", found=found)


def _as_floors(seen: _Seen) -> _Found:
    """Tell dates of which nearly all were cut to the first day of their year or decade."""
    for action, decade in (("date_floor_decade", True), ("date_floor_year", False)):
        before, after = (one.n_cells(are_date_floors(one.values, decade=decade)) for one in seen.sides)
        if after >= _MOSTLY * seen.after.n_filled > 0 and before < _MOSTLY * seen.before.n_filled:
            found = share_of(after, seen.after.n_filled)
            return action, (
                text("{found} values are the first day of a decade.", found=found)
                if decade
                else text("{found} values are the first day of a year.", found=found)
            )
    return None


def _as_pseudonyms(seen: _Seen) -> _Found:
    """Tell values that are none of the original's: each stands for one, or looks like a pseudonym."""
    before, after = seen.before, seen.after
    if seen.pair.n_same_values or not after.n_filled:
        return None
    n_like = after.n_cells(look_like_pseudonyms(after))
    is_like = n_like >= _MOSTLY * after.n_filled and as_numbers(after.values) is None
    n_before, n_after = before.n_distinct, after.n_distinct
    is_of_one = not seen.in_rows or _ONE_EACH * seen.n_together <= n_after  # each stands for one original
    if is_like and n_after > 1 and is_of_one:
        found = share_of(n_like, after.n_filled)
        return "pseudonymize", text("{found} values look like pseudonyms.", found=found)
    is_one_each = seen.in_rows and _ONE_EACH * seen.n_together <= min(n_before, n_after) > 1
    if not is_one_each or as_numbers(before.values) is not None:
        return None
    return "pseudonymize", text(
        "{n} distinct value stands for {before}, one for one.",
        "{n} distinct values stand for {before}, one for one.",
        n=after.n_distinct,
        before=before.n_distinct,
    )


def _as_coarser(seen: _Seen) -> _Found:
    """Tell fewer values, each of which stands for some of the original's, or all of its marks."""
    before, after = seen.before, seen.after
    if after.n_distinct > _FEWER * before.n_distinct or not after.n_filled:
        return None
    n_after, n_before = after.n_distinct, before.n_distinct
    told = text(
        "{n} distinct value stands for {before}.",
        "{n} distinct values stand for {before}.",
        n=n_after,
        before=n_before,
    )
    if not seen.in_rows:
        return "generalize", told
    is_function = seen.n_together <= n_before / _ONE_EACH
    return ("generalize", told) if is_function else None


def _as_moved(seen: _Seen) -> _Found:
    """Tell numbers or dates that follow the original's, few of them the same."""
    are_numbers = all(as_numbers(one.values) is not None for one in seen.sides)
    are_dates = all(_are_days(one) for one in seen.sides)
    if not seen.in_rows or not (are_numbers or are_dates):
        return None
    import scipy.special  # noqa: PLC0415 - takes long to import

    statistic, freedom = dependence(in_groups(seen.before), in_groups(seen.after))
    if not freedom or scipy.special.chdtrc(freedom, statistic) > _BY_CHANCE:
        return None
    if are_dates:
        return "date_shift", text("Its dates are others than the original's, and follow them.")
    return "noise", text("Its numbers are others than the original's, and follow them.")


def _are_days(column: CodedColumn) -> bool:
    dates = read_dates(column.values)
    return dates.finest == "day" and bool(dates.known.mean() >= _MOSTLY)


def log_document(
    entries: Iterable[ProposedEntry],
    *,
    original_name: str,
    anonymized_name: str,
    mode: str = "low",
    allow_dx: bool = False,
) -> bytes:
    """Return a log in our form as JSON: what is proposed, or what a person made of it.

    `mode` is ``low`` or ``high``; `allow_dx` whether keeping diagnoses is permitted.
    """
    meta = {
        "mode": mode,
        "allow_dx": allow_dx,
        "source_file": original_name,
        "output_file": anonymized_name,
        "made_by": MADE_HERE,
    }
    info = {one.column: {"semantic": one.semantic, "action": one.action} for one in entries}
    return json.dumps({"_meta": meta, "log_info": info}, ensure_ascii=False, indent=2).encode()
