"""An original table, its anonymized table and the log, column by column.

Marks that stand where a value was taken out, such as ``***`` or ``[REDACTED]``, are blanks here; the
published rule counts them as values that remain.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, wraps
from typing import Literal, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from core.chance import NO_ACCIDENT_SPREADS, dependence
from core.coding import (
    BoolArray,
    CodedColumn,
    CodedTable,
    IntArray,
    SharedCodes,
    coded,
    coded_parts,
    joint_codes,
    one_below_the_other,
    some_rows,
)
from core.comparing.names import columns_alike
from core.processes.jobs import Threads
from core.tabular.actions import Meaning, meaning_of
from core.tabular.columns import ColumnPair, column_pairs
from core.tabular.log import AnonymizationLog
from core.tabular.settings import SecondOpinionSettings
from core.values.calendars import with_iso_dates
from core.values.cells import CodeArray, equal_values, text_and_offsets

_Found = TypeVar("_Found")
_P = ParamSpec("_P")
Order = Literal["kept", "changed", "unknown"]

_KEPT = 0.95  # share of values, rows or records from which they count as kept
_MOST_GROUPS, _MANY = 10, 100  # groups of a column's values; records times groups that make a dependence seen
_BY_CHANCE = 1e-3  # probability of a dependence, from which it is none
_TELLS_APART, _BEYOND = 0.2, 3.0  # share of distinct values; standard deviations beyond chance


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedPair(SharedCodes):
    """A pair of columns with equal values coded alike."""

    pair: ColumnPair  # the columns' names

    @property
    def is_kept(self) -> bool:
        """Whether nearly all the original's values are still there, in whatever rows."""
        return bool(self.n_same_values >= _KEPT * self.original_counts.sum() > 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class LoggedTables:
    """Two tables and the log, with their columns paired and coded."""

    log: AnonymizationLog  # what is claimed
    # a coded pair per original column that has an anonymized one, in the order of the original
    coded: tuple[CodedPair, ...]
    # the ``original`` and the ``anonymized`` table of text, and the distinct values of each column as
    # written; missing is null, and so is a mark such as ``***``, see `marked`
    written: Mapping[str, CodedTable]
    # column of the anonymized, and of the original table to the cells that held a mark, where any did
    marks: Mapping[str, int] = field(default_factory=dict)
    original_marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def original(self) -> pa.Table:
        """Return the original table."""
        return self.written["original"].table

    @property
    def anonymized(self) -> pa.Table:
        """Return the anonymized table."""
        return self.written["anonymized"].table

    @property
    def n_original(self) -> int:
        """Return the number of original records."""
        return int(self.original.num_rows)

    @property
    def n_anonymized(self) -> int:
        """Return the number of anonymized records."""
        return int(self.anonymized.num_rows)

    @property
    def in_order(self) -> bool:
        """Whether cells are compared row by row: unless the order of the records has changed."""
        return self.order != "changed"

    def n_distinct(self, side: str, name: str) -> int:
        """Return the distinct values of a column of the ``original`` or the ``anonymized``, as written."""
        return self.written[side][name].n_distinct

    def distinct_share(self, side: str, name: str) -> float:
        """Return distinct / non-blank cells of a column, 0 of none."""
        column = self.written[side][name]
        return column.n_distinct / column.n_filled if column.n_filled else 0.0

    @cached_property
    def order(self) -> Order:
        """Whether row i of both tables is the same record, as far as the values show.

        ``changed``: the tables differ in length, or columns keep their values but not their rows
        while whole records stay together. ``kept``: some column keeps its values in their rows
        far beyond chance. Else ``unknown``, or ``changed`` where columns that the log calls kept or coarser
        hang on nothing of their own original, row by row.
        """
        if self.n_original != self.n_anonymized or self._records_moved():
            return "changed"
        if any(_keeps_rows(pair) for pair in self.coded):
            return "kept"
        return "changed" if self._hang_on_nothing() else "unknown"

    def _hang_on_nothing(self) -> bool:
        """Whether the columns that should follow their originals do in no row, however they were recoded."""
        found = []
        for pair in self.coded:
            if meaning_of(pair.pair.action) in {Meaning.KEPT, Meaning.COARSER}:
                names = (("original", pair.pair.original), ("anonymized", pair.pair.anonymized))
                groups = [in_groups(self.written[side][name]) for side, name in names]
                statistic, freedom = dependence(*groups)
                if freedom and self.n_original * min(len(np.unique(one)) - 1 for one in groups) > _MANY:
                    found.append(scipy.special.chdtrc(freedom, statistic) > _BY_CHANCE)
        return bool(found) and all(found)

    def _records_moved(self) -> bool:
        """Whether records, over the columns that keep their values, are found in other rows.

        Not where some column stays in its rows, in which its values do not stand together as where they are
        sorted, and the others meet it as at random: they were exchanged.
        """
        keeping = [pair for pair in self.coded if pair.is_kept]
        moved = [pair for pair in keeping if pair.n_same_row < _KEPT * pair.n_same_values]
        records = _Records(keeping) if moved else None
        if records is None or records.share_found() < _KEPT:
            return False
        stay = any(pair not in moved and _keeps_rows(pair) and not _is_grouped(pair) for pair in keeping)
        return not (stay and all(map(records.is_at_random, moved)))

    @cached_property
    def apart(self) -> frozenset[str]:
        """Return the kept columns of a table in another order whose values are in other records now.

        Those without which whole records are found in the original as often as each value is: one after the
        other, whichever's leave lets most be found, of several the one of most values. One that repeats its
        values has to stand beside the others as at random, so that it is not changed in a few records alone.
        """
        together = [pair for pair in self.coded if pair.is_kept]
        apart: set[str] = set()
        while self.order == "changed" and len(together) > 1:
            records = _Records(together)
            if records.share_found() >= _KEPT * math.prod(_share_there(pair) for pair in together):
                break
            found = [
                (records.share_found(without=pair), np.count_nonzero(pair.original_counts))
                for pair in together
            ]
            one = together[found.index(max(found))]
            if not self.tells_apart(one) and not records.is_at_random(one):
                break
            apart.add(one.pair.anonymized)
            together.remove(one)
        return frozenset(apart)

    def tells_apart(self, column: CodedPair) -> bool:
        """Whether a column has so many values that one mostly says which record is meant."""
        return bool(np.count_nonzero(column.original_counts) >= _TELLS_APART * self.n_original)


class _Records:
    """Whole records over some columns as sums of a random number for each value."""

    def __init__(self, pairs: Sequence[CodedPair]) -> None:
        """Add up the numbers of all columns."""
        self._sums = [sum(sides) for sides in zip(*map(_numbers_of, pairs), strict=True)]

    def share_found(self, *, without: CodedPair | None = None) -> float:
        """Return the share of anonymized records that are original ones too, over all columns but one."""
        left = (0, 0) if without is None else _numbers_of(without)
        before, after = (whole - one for whole, one in zip(self._sums, left, strict=True))
        return float(np.isin(after, before).mean())

    def is_at_random(self, column: CodedPair) -> bool:
        """Whether no more records are found than with a column in random order."""
        before, after = self._sums
        _, own = _numbers_of(column)
        shuffled = after - own + np.random.default_rng(0).permutation(own)
        share = float(np.isin(shuffled, before).mean())
        return self.share_found() <= share + _BEYOND * math.sqrt(2 * share * (1 - share) / len(own))


def _numbers_of(column: CodedPair) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the numbers of a column's cells in both tables; those that are missing have one too."""
    rng = np.random.default_rng(list(column.pair.anonymized.encode()))
    n_codes = 2 + int(max(column.original.max(initial=-1), column.anonymized.max(initial=-1)))
    numbers = rng.integers(0, 2**64, n_codes, dtype=np.uint64)
    return numbers[column.original], numbers[column.anonymized]


def _share_there(column: CodedPair) -> float:
    """Return the share of a column's anonymized cells whose value the original has in any row."""
    return float(np.isin(column.anonymized, column.original).mean())


def _keeps_rows(pair: CodedPair) -> bool:
    """Whether at least half of what reappears beyond chance is in its own row, and that is no accident."""
    found = pair.n_same_row - pair.n_same_row_by_chance
    possible = pair.n_same_values - pair.n_same_row_by_chance
    return found >= possible / 2 and found > NO_ACCIDENT_SPREADS * math.sqrt(pair.n_same_row_by_chance + 1)


def _is_grouped(pair: CodedPair) -> bool:
    """Whether equal values mostly stand below each other: half as many changes as at random, or fewer."""
    codes = pair.anonymized
    shares = np.unique(codes, return_counts=True)[1] / max(len(codes), 1)
    return bool(np.mean(codes[1:] != codes[:-1]) <= (1 - (shares**2).sum()) / 2) if codes[1:].size else True


def in_groups(column: CodedColumn) -> IntArray:
    """Return shape (n_records,): a few groups of values, by amount or alphabet where there are many."""
    groups = column.codes + 1
    if column.n_distinct > _MOST_GROUPS:
        texts = pd.Series(column.values.to_pylist())  # noqa: PD011 - of a dataclass
        amounts = pd.to_numeric(texts, errors="coerce")
        values = amounts if amounts.notna().mean() > _KEPT else texts
        places = values.rank(method="dense", na_option="bottom").to_numpy()
        groups = np.append(np.ceil(places / places.max() * (_MOST_GROUPS - 1)), 0)[column.codes]
    return groups.astype(np.int64)


def classes_together(pairs: Sequence[CodedPair], most: int) -> tuple[IntArray, IntArray] | None:
    """Return the classes of the original's and of the released records by columns of fewest values.

    A column with which there are more than `most` classes of the original is left out; None where all are.
    """
    kept: list[CodedPair] = []
    for pair in sorted(pairs, key=lambda one: one.n_values):
        if len(np.unique(joint_codes([*kept, pair]).original)) <= most:
            kept.append(pair)
    if not kept:
        return None
    both = joint_codes(kept)
    return both.original.astype(np.int64), both.anonymized.astype(np.int64)


def pair_tables(original: pa.Table, anonymized: pa.Table, log: AnonymizationLog) -> LoggedTables:
    """Pair the columns of two tables and code their values.

    Dates in words or of another calendar are read as the days they are, here for all that comes after, see
    `with_iso_dates`. Cells are equal as trimmed text, as numbers or as dates. An original column without an
    anonymized one has no pair. Where only letter case and the like tell two names apart, see
    `columns_alike`, the original's columns bear the anonymized names.
    """
    original, anonymized = with_iso_dates(original), with_iso_dates(anonymized)
    alike = columns_alike(original.column_names, anonymized.column_names)
    original = original.rename_columns([alike.get(name, name) for name in original.column_names])
    log = log.for_columns(original.column_names, anonymized.column_names)
    pairs = _pairs(original.column_names, anonymized.column_names, log)
    paired = (frozenset(pair.original for pair in pairs), frozenset(pair.anonymized for pair in pairs))
    with Threads() as threads:
        coding = [
            threads.submit(_coded, pair, original[pair.original], anonymized[pair.anonymized])
            for pair in pairs
        ]
        alone = [
            {
                name: threads.submit(_as_written, table[name])
                for name in table.column_names
                if name not in known
            }
            for table, known in zip((original, anonymized), paired, strict=True)
        ]
        coded = [each.result() for each in coding]
        ours, theirs = ({name: each.result() for name, each in columns.items()} for columns in alone)
    for coded_pair, before, after in coded:
        ours[coded_pair.pair.original], theirs[coded_pair.pair.anonymized] = before, after
    return LoggedTables(
        log=log,
        coded=tuple(coded_pair for coded_pair, _, _ in coded),
        written={"original": _table(original, ours), "anonymized": _table(anonymized, theirs)},
        marks=_n_marks(theirs),
        original_marks=_n_marks(ours),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Column:
    """A column as written, without marks, and which of its cells held one; None where none did."""

    values: CodedColumn
    marks: BoolArray | None


def _as_written(column: pa.ChunkedArray) -> _Column:
    values = coded(column)
    marks = marked(values.values)
    if marks is None:
        return _Column(values=values, marks=None)
    return _Column(values=values.without(marks), marks=values.in_records(marks))


def _coded(
    pair: ColumnPair, original: pa.ChunkedArray, anonymized: pa.ChunkedArray
) -> tuple[CodedPair, _Column, _Column]:
    """Return a pair of columns with equal values coded alike, and each column as written."""
    if original.equals(anonymized):
        one = _as_written(original)
        codes = _codes(one.values)
        return CodedPair(pair=pair, original=codes, anonymized=codes), one, one
    n = len(original)
    both = _as_written(one_below_the_other(original, anonymized))
    codes, columns = _codes(both.values), coded_parts(both.values, n)
    marks = (None, None) if both.marks is None else (both.marks[:n], both.marks[n:])
    before, after = (
        _Column(values=values, marks=held if held is not None and held.any() else None)
        for values, held in zip(columns, marks, strict=True)
    )
    return CodedPair(pair=pair, original=codes[:n], anonymized=codes[n:]), before, after


def _codes(column: CodedColumn) -> CodeArray:
    """Return shape (n_records,): cells equal as text, numbers or dates have one code; -1 where blank."""
    equal = equal_values(column.values, dates=True)
    codes = column.codes if equal is None else np.append(equal, -1)[column.codes]
    return codes.astype(np.int32, copy=False)


def _table(table: pa.Table, columns: Mapping[str, _Column]) -> CodedTable:
    """Return a table with the marks of its columns blanked."""
    for position, field_ in enumerate(table.schema):
        marks = columns[field_.name].marks
        if marks is not None:
            column = table.column(position)
            blanked = pc.if_else(pa.array(marks), pa.scalar(None, column.type), column)
            table = table.set_column(position, field_, blanked)
    return CodedTable(table=table, columns={name: column.values for name, column in columns.items()})  # noqa: PD011


def _n_marks(columns: Mapping[str, _Column]) -> Mapping[str, int]:
    return {
        name: int(np.count_nonzero(column.marks))
        for name, column in columns.items()
        if column.marks is not None
    }


def _pairs(
    original: Sequence[str], anonymized: Sequence[str], log: AnonymizationLog
) -> tuple[ColumnPair, ...]:
    """Return the published rule's pairs, and those that nothing but a log entry's ``source`` tells of."""
    pairs = {name: list(found) for name, found in column_pairs(original, anonymized, log).items()}
    for name in anonymized:
        entry = log.entry(name)
        if name not in pairs and entry.source is not None:
            found = pairs.get(entry.source)
            if found is not None and all(pair.anonymized != name for pair in found):
                found.append(ColumnPair(original=entry.source, anonymized=name, entry=entry))
    return tuple(itertools.chain.from_iterable(pairs.values()))


def remembered(method: Callable[_P, _Found]) -> Callable[_P, _Found]:
    """Let an object remember what a method returned for the same arguments."""
    name = f"_{method.__name__}_remembered"

    @wraps(method)
    def remembering(*args: _P.args, **kwargs: _P.kwargs) -> _Found:
        known = args[0].__dict__.setdefault(name, {})
        key = (args[1:], *kwargs.items())
        if key not in known:
            known[key] = method(*args, **kwargs)
        found: _Found = known[key]
        return found

    return remembering


@dataclass(kw_only=True, eq=False)
class Sample:
    """The rows of both tables that are compared one by one, and their cells."""

    tables: LoggedTables
    settings: SecondOpinionSettings

    @cached_property
    def rows(self) -> pa.Array:
        """Return the sampled rows of the original, and of the anonymized table where it is as long."""
        return self.some(self.tables.n_original)

    def some(self, n: int) -> pa.Array:
        """Return some of `n` rows, as many as the settings say."""
        return pa.array(some_rows(np.random.default_rng(self.settings.seed), n, self.settings.sample_size))

    @property
    def is_sample(self) -> bool:
        """Whether these are not all rows."""
        return self.tables.n_original > self.settings.sample_size

    @cached_property
    def original(self) -> Mapping[str, list[str]]:
        """Return the trimmed cells of the sampled rows, "" where blank."""
        return _trimmed_cells(self.tables.original.take(self.rows))

    @cached_property
    def anonymized(self) -> Mapping[str, list[str]]:
        """Return the same of the anonymized table, of as many other rows in a table of other length."""
        same = self.tables.n_original == self.tables.n_anonymized
        return _trimmed_cells(
            self.tables.anonymized.take(self.rows if same else self.some(self.tables.n_anonymized))
        )


def _trimmed_cells(table: pa.Table) -> dict[str, list[str]]:
    return {
        name: [(value or "").strip() for value in column.to_pylist()]
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


_WORDS = (
    "redacted masked removed deleted suppressed hidden anonymized anonymised anonymous confidential withheld "
    "censored erased undisclosed deidentified de-identified scrubbed omitted obfuscated blinded "
    "삭제 삭제됨 삭제처리 비공개 마스킹 마스킹됨 마스킹처리 비식별 비식별화 비식별처리 익명 익명화 "
    "익명처리 가림 제거 제거됨 생략 미공개 "
    "izbrisano izbrisan izbrisana odstranjeno odstranjen skrito prikrito zakrito anonimizirano anonimno "
    "anonimiziran zaupno maskirano zamaskirano cenzurirano izpuščeno pobrisano obrisano uklonjeno "
    "gelöscht entfernt geschwärzt anonymisiert unkenntlich supprimé masqué anonymisé caviardé effacé "
    "eliminado borrado oculto suprimido anonimizado rimosso oscurato cancellato anonimizzato usunięto ukryto"
)
_PHRASES = ("not disclosed", "not released", "data removed", "value removed", "personal data")
_BRACKETS = ("{}", "[{}]", "({})", "<{}>", "{{{}}}", "*{}*", "**{}**", "***{}***", "-{}-", "--{}--", "_{}_")
_FILLERS = "*#-_.?=~·…•●○◯■□█▇※–—"
_LETTERS = "xXㅇ○×"  # letters written for what is not shown; a single one may be a value
_LONGEST = 63  # bytes
_ALL_MASKED = r"^[*#xX•○●■×][*#xX•○●■×\s\-_.@/()]*[*#xX•○●■×]$"  # such as ***-****-**** or XX/XX/XXXX


@cache
def _marks() -> pa.Array:
    """Return every mark in every spelling."""
    words = [*_WORDS.split(), *_PHRASES, *(word.replace(" ", "_") for word in _PHRASES)]
    spelled = {form for word in words for form in (word, word.upper(), word.capitalize(), word.title())}
    marks = {bracket.format(word) for word in spelled for bracket in _BRACKETS}
    marks |= {sign * n for sign in _FILLERS for n in range(1, _LONGEST)}
    marks |= {letter * n for letter in _LETTERS for n in range(2, _LONGEST)}
    return pa.array(sorted(mark for mark in marks if len(mark.encode()) <= _LONGEST), pa.large_string())


@cache
def _outlines() -> npt.NDArray[np.bool_]:
    """Return shape (256, 256, 64): whether a mark has a first byte, a last byte and a length."""
    known = np.zeros((256, 256, _LONGEST + 1), dtype=bool)
    for mark in _marks().to_pylist():
        text = mark.encode()
        known[text[0], text[-1], len(text)] = True
    masking = np.frombuffer(b"*#xX", np.uint8)
    known[np.ix_(masking, masking)] = True
    return known


@cache
def _beginnings() -> npt.NDArray[np.bool_]:
    """Return shape (256,): whether a mark begins with a byte."""
    return np.asarray(_outlines().any(axis=(1, 2)))


def marked(values: pa.Array) -> npt.NDArray[np.bool_] | None:
    """Return shape (n_values,): which texts are marks; None where none is."""
    rows = _candidates(values)
    if not len(rows):
        return None
    texts = values.take(pa.array(rows)).cast(pa.large_string())
    found = pc.or_(pc.is_in(texts, value_set=_marks()), pc.match_substring_regex(texts, _ALL_MASKED))
    marks = np.zeros(len(values), dtype=bool)
    marks[rows] = found.to_numpy(zero_copy_only=False)
    return marks if marks.any() else None


def _candidates(values: pa.Array) -> npt.NDArray[np.int64]:
    """Return which texts begin, end and are long as a mark."""
    letters, offsets = text_and_offsets(values)
    if not len(letters):
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(_beginnings()[letters.take(offsets[:-1], mode="clip")])
    starts, ends = offsets[rows], offsets[rows + 1]
    short = (ends - starts <= _LONGEST) & (ends > starts)
    rows, starts, ends = rows[short], starts[short], ends[short]
    return rows[_outlines()[letters[starts], letters[ends - 1], ends - starts]]
