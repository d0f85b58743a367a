"""What the anonymized file holds beside its table, and whether that tells who the people are."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from core.tables import Beside, Dataset
from core.tabular.columns import is_high_risk
from core.tabular.second_opinion.pair import LoggedTables
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import counted, joined, own, text

_ENOUGH = 3  # original values that are no accident
_TELLING = 0.2  # distinct share from which a value says who it is of
_MOST_WORDS = 5  # of an original value
_BETWEEN_WORDS = re.compile(r"[\s,;:!?|\"'<>()\[\]{}=/\\]+")
_HANGUL = re.compile("[가-힣]")


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One thing beside the table."""

    what: str  # in words
    n_texts: int  # texts in it
    # whether all was looked at, whether it matters only by what it says, and whether it is part of the sheets
    is_complete: bool
    is_usual: bool
    is_of_table: bool
    # original columns of which enough values are in it that the anonymized table does not show
    columns: tuple[str, ...]
    n_values: int  # such values, of all columns


def measure_leftovers(anonymized: Dataset, tables: LoggedTables) -> tuple[Leftover, ...]:
    """Look for original values that are gone from the table in all the file holds beside it."""
    beside = anonymized.reading.beside
    if not beside:
        return ()
    words = {column: values for column in _telling(tables) if (values := _gone(tables, column))}
    return tuple(_leftover(one, words) for one in beside)


def _telling(tables: LoggedTables) -> Iterator[str]:
    """Yield the original columns whose values say of whom they are."""
    for column in tables.original.column_names:
        values = tables.written["original"][column]
        entry = tables.log.entry(column)
        names_people = entry.takes_out and is_high_risk(entry.semantic)
        if values.n_filled and (names_people or values.n_distinct >= _TELLING * values.n_filled):
            yield column


def _gone(tables: LoggedTables, column: str) -> frozenset[str]:
    """Return the values of an original column, as words, that no column of the anonymized table holds."""
    values = tables.written["original"][column].values
    for name in tables.anonymized.column_names:
        known = tables.written["anonymized"][name].values.cast(values.type)
        values = values.filter(pc.invert(pc.is_in(values, value_set=known)))
    return frozenset(words for text in values.to_pylist() if _is_long(words := _words(text)))


def _words(text: str) -> str:
    """Return a text as its words, without what stands between them."""
    return " ".join(word for part in _BETWEEN_WORDS.split(text.casefold()) if (word := part.strip(".-_")))


def _is_long(words: str) -> bool:
    """Whether a value is long enough not to be found by accident."""
    if _HANGUL.search(words):
        return len(words) >= 3
    return len(words) >= (5 if words.replace(" ", "").isdigit() else 4)


def _leftover(one: Beside, words: dict[str, frozenset[str]]) -> Leftover:
    said = frozenset(_runs_of_words(one.texts))
    found = {column: len(values & said) for column, values in words.items()}
    return Leftover(
        what=one.what,
        n_texts=one.n_texts,
        is_complete=one.is_complete,
        is_usual=one.is_usual,
        is_of_table=one.is_of_table,
        columns=tuple(column for column, n in found.items() if n >= min(_ENOUGH, len(words[column]))),
        n_values=sum(found.values()),
    )


def _runs_of_words(texts: Sequence[str]) -> Iterator[str]:
    """Yield the texts' words, and up to five that follow each other."""
    for each in texts:
        words = _words(each).split(" ")
        for start in range(len(words)):
            for end in range(start + 1, min(start + _MOST_WORDS, len(words)) + 1):
                yield " ".join(words[start:end])


def judge_leftovers(measured: Sequence[Leftover]) -> list[Finding]:
    """Return a finding for each thing that stands beside the table and is worth a look."""
    return [
        _holds_originals(one) if one.columns else _is_there(one)
        for one in measured
        if one.columns or not one.is_usual
    ]


def _holds_originals(one: Leftover) -> Finding:
    return Finding.of("originals_beside_the_table", Verdict.FAIL, n_affected=one.n_values)(
        "Beside the table, the file holds originals in {what}: {values} of the original column {columns} "
        "that the table does not show. Save the table alone, in a new file.",
        "Beside the table, the file holds originals in {what}: {values} of the original columns "
        "{columns} that the table does not show. Save the table alone, in a new file.",
        n=len(one.columns),
        what=own(one.what),
        values=counted(one.n_values, "value"),
        columns=listed(one.columns),
    )


def _is_there(one: Leftover) -> Finding:
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
    return Finding.of("beside_the_table", Verdict.WARN, n_affected=one.n_texts)(
        joined([told, _ONLY_THE_TABLE])
    )


_ONLY_THE_TABLE = (
    "No originals were found there, but only the table was audited: look at it, or save the table alone, in "
    "a new file."
)
