"""What the file of a release holds beside its table, and whether that tells who the people are."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, CodedTable
from core.patterns import CATALOGUE, scan_column
from core.roles.names import is_full_name
from core.tables import Beside, Dataset
from core.verdict import Finding, Verdict
from core.words import counted, joined, listed, own, text

_TELLING = 0.2  # distinct share from which a value says who it is of
_ENOUGH = 3  # original values, or numbers of people, that are no accident
_ENOUGH_NAMES = 5  # full names that are a list of people …
_SHARE_OF_NAMES = 0.05  # … where they are so many of all texts
_MOST_WORDS = 5  # of an original value
_BETWEEN_WORDS = re.compile(r"[\s,;:!?|\"'<>()\[\]{}=/\\]+")
_HANGUL = re.compile("[가-힣]")
_OF_PEOPLE = tuple(CATALOGUE[key] for key in ("resident_number", "emso", "us_ssn", "national_number"))


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One thing beside the table."""

    beside: Beside
    # original columns of which enough values are in it that the released table does not show
    columns: tuple[str, ...]
    n_values: int  # such values, of all columns
    n_people: int  # different personal numbers and full names in it, where they are no accident


def leftovers_of(release: Dataset, original: Dataset | None = None) -> tuple[Leftover, ...]:
    """Look for people, and for values of the original where there is one, beside the table of a file."""
    if not release.reading.beside:
        return ()
    telling = {}
    if original is not None:
        columns = CodedTable(table=original.table, keeps=False)
        telling = {name: columns[name] for name in original.columns if tells_whom(columns[name])}
    return measure_leftovers(release, telling, CodedTable(table=release.table, keeps=False))


def tells_whom(column: CodedColumn) -> bool:
    """Whether a column's values differ enough to say of whom they are."""
    return column.n_filled > 0 and column.n_distinct >= _TELLING * column.n_filled


def measure_leftovers(
    release: Dataset, telling: Mapping[str, CodedColumn], released: CodedTable
) -> tuple[Leftover, ...]:
    """Look for people, and for values of some columns of the original, beside the table of a file.

    Parameters
    ----------
    telling
        Columns of the original whose values say of whom they are, by name.
    released
        The table itself: what stands in it is not gone.
    """
    if not (beside := release.reading.beside):
        return ()
    shown = [released[name].values for name in released.table.column_names]
    words = {name: gone for name, column in telling.items() if (gone := _gone(column.values, shown))}
    return tuple(_leftover(one, words) for one in beside)


def _gone(values: pa.Array, shown: Sequence[pa.Array]) -> frozenset[str]:
    """Return values, as words, that no column of the released table holds."""
    for known in shown:
        values = values.filter(pc.invert(pc.is_in(values, value_set=known.cast(values.type))))
    return frozenset(words for text in values.to_pylist() if _is_long(words := _words(text)))


def _words(text: str) -> str:
    """Return a text as its words, without what stands between them."""
    return " ".join(word for part in _BETWEEN_WORDS.split(text.casefold()) if (word := part.strip(".-_")))


def _is_long(words: str) -> bool:
    """Whether a value is long enough not to be found by accident."""
    if _HANGUL.search(words):
        return len(words) >= 3
    return len(words) >= (5 if words.replace(" ", "").isdigit() else 4)


def _leftover(one: Beside, words: Mapping[str, frozenset[str]]) -> Leftover:
    said = frozenset(_runs_of_words(one.texts) if words else ())
    found = {column: len(values & said) for column, values in words.items()}
    return Leftover(
        beside=one,
        columns=tuple(column for column, n in found.items() if n >= min(_ENOUGH, len(words[column]))),
        n_values=sum(found.values()),
        n_people=_n_people(one.texts),
    )


def _n_people(texts: Sequence[str]) -> int:
    """Count personal numbers and full names; a few of either are an accident, or whom to ask."""
    n_numbers = int(scan_column(pa.array(texts, pa.string()), _OF_PEOPLE).any_mask.sum())
    n_names = sum(map(is_full_name, texts))
    are_names = n_names >= max(_ENOUGH_NAMES, _SHARE_OF_NAMES * len(texts))
    return (n_numbers if n_numbers >= _ENOUGH else 0) + (n_names if are_names else 0)


def _runs_of_words(texts: Sequence[str]) -> Iterator[str]:
    """Yield the texts' words, and up to five that follow each other."""
    for each in texts:
        words = _words(each).split(" ")
        for start in range(len(words)):
            for end in range(start + 1, min(start + _MOST_WORDS, len(words)) + 1):
                yield " ".join(words[start:end])


def judge_leftovers(measured: Sequence[Leftover]) -> list[Finding]:
    """Return a finding for each thing that stands beside the table and is worth a look."""
    return [_judged(one) for one in measured if one.columns or one.n_people or not one.beside.is_usual]


def _judged(one: Leftover) -> Finding:
    if one.columns:
        return _holds_originals(one)
    return _holds_people(one) if one.n_people else _is_there(one.beside)


def _holds_originals(one: Leftover) -> Finding:
    return Finding.of("originals_beside_the_table", Verdict.FAIL, n_affected=one.n_values)(
        "Beside the table, the file holds originals in {what}: {values} of the original column {columns} "
        "that the table does not show. Save the table alone, in a new file.",
        "Beside the table, the file holds originals in {what}: {values} of the original columns "
        "{columns} that the table does not show. Save the table alone, in a new file.",
        n=len(one.columns),
        what=own(one.beside.what),
        values=counted(one.n_values, "value"),
        columns=listed(one.columns),
    )


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
