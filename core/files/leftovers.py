"""What the file of a release holds beside its table, and whether that tells who the people are."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, CodedTable
from core.comparing.originals_in_texts import Found, Sought, Texts, find, shown_in, some
from core.people.patterns import CATALOGUE, scan_column
from core.people.roles import Role, RoleSuggestion, suggest_roles
from core.people.roles.names import are_full_names, is_full_name
from core.people.roles.suggest import NOT_ONLY_PEOPLE
from core.tables import Beside, Dataset
from core.tables.hidden_contents import beside_of
from core.verdict import Finding, Verdict
from core.words import counted, joined, listed, own, text

_TELLING = 0.2  # distinct share from which a value says who it is of
_ENOUGH = 3  # original values, or numbers of people, that are no accident …
_NO_ACCIDENT, _RARE = 1e-6, 1e-3  # … where the chance of as many is below; and from which one is worth a look
_ENOUGH_NAMES = 5  # full names that are a list of people …
_SHARE_OF_NAMES = 0.05  # … where they are so many of all texts
_OF_PEOPLE = tuple(CATALOGUE[key] for key in ("resident_number", "emso", "us_ssn", "national_number"))


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One thing beside the table."""

    beside: Beside
    columns: tuple[
        str, ...
    ]  # original columns of which values are in it that the released table does not show
    n_values: int  # such values, of all columns
    is_sure: bool  # whether they are more than chance, and not only worth a look
    n_people: int  # different personal numbers and full names in it, where they are no accident


def leftovers_of(
    release: Dataset, original: Dataset | None = None, *, roles: Sequence[RoleSuggestion] | None = None
) -> tuple[Leftover, ...]:
    """Look for people, and for values of the original where there is one, in all of a file that is no cell.

    Parameters
    ----------
    roles
        Of the original's columns, where they were suggested before.
    """
    if original is None:
        return measure_leftovers(release, None, (), CodedTable(table=release.table, keeps=False))
    columns = CodedTable(table=original.table, keeps=False)
    roles = suggest_roles(columns) if roles is None else roles
    people = {
        one.column for one in roles if one.role is Role.DIRECT_IDENTIFIER and one.kind not in NOT_ONLY_PEOPLE
    }
    return measure_leftovers(release, columns, people, CodedTable(table=release.table, keeps=False))


def measure_leftovers(
    release: Dataset, original: CodedTable | None, people: Collection[str], released: CodedTable
) -> tuple[Leftover, ...]:
    """Look for people, and for values of the original that say whose they are, in all that is no cell.

    Parameters
    ----------
    people
        Columns of the original that are known to say who somebody is.
    released
        The table itself: what stands in it is not gone.
    """
    places = [*release.reading.beside, *_names(release)]
    texts = [Texts(one.texts) for one in places]
    found: list[list[Found]] = [[] for _ in places]
    for sought in _sought(original, people) if original is not None else ():
        for place, one in enumerate(find(sought, texts)):
            found[place] += [one] if one.chance < _RARE else []
    words = _Shown(released, original)
    return tuple(_leftover(place, each, words) for place, each in zip(places, found, strict=True))


def _names(release: Dataset) -> list[Beside]:
    """Return the names of the columns, and of the file, which may hold what is no character."""
    named = release.name.encode("utf-8", "replace").decode()
    return [
        replace(beside_of(own("the column names"), release.columns, is_usual=True), is_of_table=True),
        replace(beside_of(own("the name of the file"), [named], is_usual=True), is_of_table=True),
    ]


def _sought(original: CodedTable, people: Collection[str]) -> Iterator[Sought]:
    """Yield the values that say whose they are; parts of people's names together, as records hold them."""
    parts = []
    for name in original.table.column_names:
        column = original[name]
        values = column.values if column.is_distinct else pc.unique(column.values)
        if column.n_filled and (name in people or tells_whom(column)):
            sought = Sought((name,), values, identifies=name in people or are_full_names(some(values)))
            if sought.is_of_names:
                parts.append(name)
            else:
                yield sought
    if parts:
        texts = [original.table[name].cast(pa.string()).combine_chunks() for name in parts]
        together = pc.binary_join_element_wise(*texts, " , ", null_handling="skip")
        yield Sought(tuple(parts), pc.unique(together), identifies=True)


def tells_whom(column: CodedColumn) -> bool:
    """Whether a column's values differ enough to say of whom they are."""
    return column.n_filled > 0 and column.n_distinct >= _TELLING * column.n_filled


@dataclass(frozen=True, eq=False)
class _Shown:
    """What the released table shows, looked at where a value was found elsewhere."""

    released: CodedTable
    original: CodedTable | None

    def without(self, found: Found) -> Found:
        """Return what was found without values that the table shows, or the original names a column."""
        kept = {value: frozenset(value.split()) - _COMMAS for value in found.values}
        named = (
            self.original.table.column_names
            if self.original is not None and not found.sought.identifies
            else ()
        )
        cells = [self.released[name].values for name in self.released.table.column_names]
        for texts in (*cells, pa.array(named, pa.string())):
            shown = shown_in(texts, kept)
            kept = {value: each for value, each in kept.items() if value not in shown}
        return replace(found, values=frozenset(kept))


_COMMAS = frozenset(",;|")


def _leftover(place: Beside, found: Sequence[Found], shown: _Shown) -> Leftover:
    gone = [one for each in found if (one := shown.without(each)).values]
    sure = [
        one
        for one in gone
        if one.chance < _NO_ACCIDENT and len(one.values) >= min(_ENOUGH, len(one.sought.values))
    ]
    told = sure or gone
    return Leftover(
        beside=place,
        columns=tuple(dict.fromkeys(name for one in told for name in one.sought.columns)),
        n_values=sum(len(one.values) for one in told),
        is_sure=bool(sure),
        n_people=_n_people(place.texts),
    )


def _n_people(texts: Sequence[str]) -> int:
    """Count personal numbers and full names; a few of either are an accident, or whom to ask."""
    n_numbers = int(scan_column(pa.array(texts, pa.string()), _OF_PEOPLE).any_mask.sum())
    n_names = sum(map(is_full_name, texts))
    are_names = n_names >= max(_ENOUGH_NAMES, _SHARE_OF_NAMES * len(texts))
    return (n_numbers if n_numbers >= _ENOUGH else 0) + (n_names if are_names else 0)


def judge_leftovers(measured: Sequence[Leftover]) -> list[Finding]:
    """Return a finding for each thing that stands beside the table and is worth a look."""
    return [_judged(one) for one in measured if one.columns or one.n_people or not one.beside.is_usual]


def _judged(one: Leftover) -> Finding:
    if one.columns and one.is_sure:
        return _names_originals(one) if one.beside.is_of_table else _holds_originals(one)
    if one.n_people:
        return _holds_people(one)
    return _may_hold_originals(one) if one.columns else _is_there(one.beside)


def _holds_originals(one: Leftover) -> Finding:
    return Finding.of("originals_beside_the_table", Verdict.FAIL, n_affected=one.n_values)(
        "Beside the table, the file holds originals in {what}: {values} of the original column {columns} "
        "that the table does not show. Save the table alone, in a new file.",
        "Beside the table, the file holds originals in {what}: {values} of the original columns "
        "{columns} that the table does not show. Save the table alone, in a new file.",
        **_facts(one),
    )


def _names_originals(one: Leftover) -> Finding:
    return Finding.of("originals_beside_the_table", Verdict.FAIL, n_affected=one.n_values)(
        "Originals stand in {what}: {values} of the original column {columns} that no cell shows. Rename "
        "what is named by them.",
        "Originals stand in {what}: {values} of the original columns {columns} that no cell shows. Rename "
        "what is named by them.",
        **_facts(one),
    )


def _may_hold_originals(one: Leftover) -> Finding:
    return Finding.of("originals_beside_the_table", Verdict.WARN, n_affected=one.n_values)(
        "No cell of the table, but {what} of the file may name people: {values} of the original column "
        "{columns}, which would seldom stand there by chance. Look at it.",
        "No cell of the table, but {what} of the file may name people: {values} of the original columns "
        "{columns}, which would seldom stand there by chance. Look at it.",
        **_facts(one),
    )


def _facts(one: Leftover) -> dict[str, Any]:
    return {
        "n": len(one.columns),
        "what": own(one.beside.what),
        "values": counted(one.n_values, "value"),
        "columns": listed(one.columns),
    }


def _holds_people(one: Leftover) -> Finding:
    return Finding.of("people_beside_the_table", Verdict.FAIL, n_affected=one.n_people)(
        "Beside the table, the file names people in {what}: {n} personal number or full name. Save the table "
        "alone, in a new file.",
        "Beside the table, the file names people in {what}: {n} personal numbers or full names. Save the "
        "table alone, in a new file.",
        what=own(one.beside.what),
    )


def _is_there(one: Beside) -> Finding:
    if one.is_of_table:
        return Finding.of("hidden_in_a_sheet", Verdict.WARN, n_affected=one.n_texts)(
            "The workbook has {what} ({n} place): whoever opens it can show them. On the sheet that was read "
            "they were audited with the table. Delete what is not meant to be released.",
            "The workbook has {what} ({n} places): whoever opens it can show them. On the sheet that was "
            "read they were audited with the table. Delete what is not meant to be released.",
            what=own(one.what),
        )
    if not one.n_texts:
        message = "The file holds more than the table: {what} (not looked at)."
    elif one.is_complete:
        message = "The file holds more than the table: {what} ({texts})."
    else:
        message = "The file holds more than the table: {what} ({texts}, of which a part was looked at)."
    told = text(message, what=own(one.what), texts=counted(one.n_texts, "text"))
    found = Finding.of("beside_the_table", Verdict.WARN, n_affected=one.n_texts)
    step = (
        "Audit all sheets together in Data set, or save the table alone, in a new file." if one.sheet else ""
    )
    return found(joined([told, _ONLY_THE_TABLE])).told(step=step)


_ONLY_THE_TABLE = (
    "Nothing in it was seen to name people, but only the table was audited: look at it, or save the table "
    "alone, in a new file."
)
