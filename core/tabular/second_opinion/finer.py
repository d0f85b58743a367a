"""Cells that tell more records apart than they may: columns that got finer, and one value in many spellings.

Neither needs to know how the values were made: a column that was only kept, cut or made coarser cannot hold
values that fewer records share than before, and what a value is written like (letter case, spaces, signs
nobody sees) should say nothing about whose it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import CodedColumn, value_codes
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.settings import SecondOpinionThresholds
from core.values.cells import equal_values
from core.verdict import Finding, Verdict
from core.words import own, share_of

IntArray = npt.NDArray[np.int64]

_NEVER_FINER = frozenset({Meaning.KEPT, Meaning.COARSER, Meaning.CUT_OFF, Meaning.SWAPPED})
_FEWEST = 10  # records that have to be told apart
_LEAST_SHARE = 0.05  # of a column's filled cells, and more than that beyond the original's
_MANY = 0.5  # share of the filled cells from which it is FAIL
# spaces, control and format characters, and signs that choose another form of the one before them
_NOT_SEEN = r"[\s\p{Z}\p{Cc}\p{Cf}\x{034F}\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}]+"
_FEWEST_VERSIONS = 3  # more values than before, from which kept values were split
_IN_THEIR_ORIGINAL = 0.99  # share of cells whose value stands for one original value alone
_FEWEST_CELLS = 5  # of a value on average, below which values follow from each other by chance
_NUMBER = r"^\s*[-+]?[0-9][0-9.,\s]*$"
_FEWEST_SPELLINGS = 10  # more values as written than after folding, below which no column is looked at
_SOME, _FEWEST_IN_SOME = 60, 3  # how many values of many are looked at, and how many more of these


@dataclass(frozen=True, kw_only=True, eq=False)
class FinerColumn:
    """How many records of a column share their value, against how many did or would."""

    column: str  # of the anonymized table
    # ``values``, against those of the original column; ``spelling``, against the values folded; ``split``,
    # as written, against those of the original column that was kept; ``renamed``, against those of the
    # original column that was to be coarser
    by: str
    # shape (n_values,): the filled cells of each distinct value, and of what it is held against
    n_cells: IntArray
    # against the original: shape (n_original_values,); against folded values: shape (n_values,)
    n_cells_against: IntArray

    def n_told_apart(self, k: int) -> int:
        """Return the cells whose value fewer than `k` share; by spelling, though `k` share the folded one."""
        rare = self.n_cells < k
        if self.by == "spelling":
            rare &= self.n_cells_against >= k
        return int(self.n_cells[rare].sum())

    @property
    def n_filled(self) -> int:
        """Return the filled cells."""
        return int(self.n_cells.sum())

    def share_before(self, k: int) -> float:
        """Return the share of the original's filled cells whose value fewer than `k` share, in [0, 1]."""
        against = self.n_cells_against
        return float(against[against < k].sum() / max(against.sum(), 1)) if self.by == "values" else 0.0


def measure_finer(tables: LoggedTables) -> tuple[FinerColumn, ...]:
    """Count how many cells share each value of the columns that may not have got finer, and each spelling.

    Blanks are left out. By values: columns whose log says kept, coarser, cut off or swapped; values are equal
    as text, numbers or dates. By spelling: every anonymized column, equal where they differ in letter case,
    spaces, width, composition, signs nobody sees or the spelling of numbers and dates alone. Split: a column
    whose log says kept and that holds more values, as written, than the original; where the records are seen
    to be in order, each stands for one original value, and elsewhere they are no numbers. Renamed: a column
    whose log says coarser and that has other values, which occur as often one for one.
    """
    split = (_split(tables, pair) for pair in tables.coded)
    renamed = (_against_original(pair, "renamed") for pair in tables.coded if _is_renamed(pair))
    by_values = (_against_original(pair) for pair in tables.coded if _may_not_be_finer(pair))
    by_spelling = (_against_folded(tables, name) for name in tables.anonymized.column_names)
    return tuple(one for one in (*split, *renamed, *by_values, *by_spelling) if one is not None)


def _split(tables: LoggedTables, pair: CodedPair) -> FinerColumn | None:
    """Return the values of a kept column against the original's, where some became several."""
    names = pair.pair
    if pair.anonymized is pair.original or meaning_of(names.action) is not Meaning.KEPT:
        return None
    before, after = tables.written["original"][names.original], tables.written["anonymized"][names.anonymized]
    n_more = after.n_distinct - before.n_distinct
    has_more = n_more >= _FEWEST_VERSIONS and tables.n_anonymized <= tables.n_original
    if not has_more or after.n_filled < _FEWEST_CELLS * after.n_distinct:
        return None
    if not (_are_words(after) if tables.order != "kept" else _stands_for_one(before, after)):
        return None
    ours, theirs = (one.counts[one.counts > 0] for one in (after, before))
    return FinerColumn(column=names.anonymized, by="split", n_cells=ours, n_cells_against=theirs)


def _are_words(column: CodedColumn) -> bool:
    """Whether at most half of the values are numbers, which noise makes more of."""
    numbers = pc.sum(pc.match_substring_regex(column.values.cast(pa.large_string()), _NUMBER)).as_py()
    return bool(numbers * 2 <= len(column.values))


def _stands_for_one(before: CodedColumn, after: CodedColumn) -> bool:
    """Whether nearly all cells of each value stand for one original value."""
    both = (before.codes >= 0) & (after.codes >= 0)
    size = len(before.values) + 1
    joint, n_cells = np.unique(
        after.codes[both].astype(np.int64) * size + before.codes[both], return_counts=True
    )
    most = np.zeros(len(after.values), dtype=np.int64)
    np.maximum.at(most, joint // size, n_cells)
    return bool(most.sum() >= _IN_THEIR_ORIGINAL * n_cells.sum())


def _may_not_be_finer(pair: CodedPair) -> bool:
    return pair.anonymized is not pair.original and meaning_of(pair.pair.action) in _NEVER_FINER


def _against_original(pair: CodedPair, by: str = "values") -> FinerColumn:
    ours, before = (counts[counts > 0] for counts in (pair.anonymized_counts, pair.original_counts))
    return FinerColumn(column=pair.pair.anonymized, by=by, n_cells=ours, n_cells_against=before)


def _is_renamed(pair: CodedPair) -> bool:
    """Whether a column to be made coarser has new categories that occur as often as those it had."""
    ours, before = (np.sort(counts[counts > 0]) for counts in (pair.anonymized_counts, pair.original_counts))
    is_of_categories = _FEWEST_VERSIONS <= len(ours) <= before.sum() / _FEWEST_CELLS
    is_new = pair.n_same_values <= _LEAST_SHARE * before.sum()
    is_coarser = meaning_of(pair.pair.action) is Meaning.COARSER
    return bool(is_coarser and is_of_categories and is_new and np.array_equal(ours, before))


def _against_folded(tables: LoggedTables, name: str) -> FinerColumn | None:
    """Return a column's spellings against its folded values; None where they are about as many."""
    written = tables.written["anonymized"][name]
    values = written.values
    if len(values) < _FEWEST_SPELLINGS or not _may_be_one(values):
        return None
    spelled, codes = _spellings(values)
    if _n_fewer(spelled, codes) < _FEWEST_SPELLINGS:
        return None
    counts = written.counts
    n_cells = np.bincount(spelled, weights=counts).astype(np.int64)
    of_folded = np.bincount(codes, weights=counts).astype(np.int64)
    first = np.unique(spelled, return_index=True)[1]
    return FinerColumn(column=name, by="spelling", n_cells=n_cells, n_cells_against=of_folded[codes[first]])


def _may_be_one(values: pa.Array) -> bool:
    """Whether some spellings may be of one value; seen in a few of many values, because pairs add up."""
    # of n, 60 √n: where a hundredth shares its folded value, some eighteen pairs are among them, whatever n
    n_some = int(_SOME * np.sqrt(len(values)))
    if n_some * 2 > len(values):
        return True
    drawn = np.unique(np.random.default_rng(len(values)).integers(0, len(values), n_some))
    return _n_fewer(*_spellings(values.take(pa.array(drawn)))) >= _FEWEST_IN_SOME


def _n_fewer(spelled: IntArray, codes: IntArray) -> int:
    return int(spelled.max(initial=-1) - codes.max(initial=-1))


def _spellings(values: pa.Array) -> tuple[IntArray, IntArray]:
    """Return shape (n_values,), twice: a code for each spelling, and for each folded value."""
    values = values.cast(pa.large_string())
    bare = pc.replace_substring_regex(pc.utf8_normalize(values, "NFKC"), _NOT_SEEN, "")
    return value_codes(values), _codes_of_equal(pc.utf8_lower(bare))


def _codes_of_equal(values: pa.Array) -> IntArray:
    """Return shape (n_values,): one code for values equal as text, numbers or dates."""
    distinct = pc.dictionary_encode(values)
    equal = equal_values(distinct.dictionary, dates=True)
    codes = distinct.indices.to_numpy().astype(np.int64)
    return codes if equal is None else equal.astype(np.int64)[codes]


def judge_finer(measured: Sequence[FinerColumn], thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return a finding per column that tells records apart which it should not."""
    others = {"split": _of_split, "renamed": _of_renamed}
    few = [_of_few_alike(one, thresholds.smallest_k) for one in measured if one.by not in others]
    found = [finding for finding in few if finding is not None]
    named = {finding.column for finding in found}
    rest = [one for one in measured if one.by in others and one.column not in named]
    return found + [others[one.by](one) for one in rest]


def _of_split(one: FinerColumn) -> Finding:
    return Finding.of("kept_values_split", Verdict.WARN, column=one.column, n_affected=one.n_filled)(
        "`{column}` is said to be kept, but holds {n_values} different values in place of the original's "
        "{n_before}: some were split. What tells equal values apart (a letter, a space, a number put to "
        "them) can carry who it is.",
        column=one.column,
        n_values=len(one.n_cells),
        n_before=len(one.n_cells_against),
    )


def _of_renamed(one: FinerColumn) -> Finding:
    sizes, n_with = np.unique(one.n_cells_against, return_counts=True)
    n_told = int(sizes[n_with == 1].sum())
    return Finding.of("only_renamed", Verdict.WARN, column=one.column, n_affected=n_told)(
        "`{column}` is said to be made coarser, but its {n_values} values occur as often as the original's, "
        "one for one: they were renamed. {found} cells have a value that occurs as often as no other, by "
        "which whoever knows how many people are where reads it.",
        column=one.column,
        n_values=len(one.n_cells),
        found=own(share_of(n_told, one.n_filled)),
    )


def _of_few_alike(one: FinerColumn, k: int) -> Finding | None:
    n, n_filled = one.n_told_apart(k), one.n_filled
    beyond = n / max(n_filled, 1) - one.share_before(k)
    if n < _FEWEST or beyond <= _LEAST_SHARE:
        return None
    return Finding.of(
        "finer_values" if one.by == "values" else "finer_spelling",
        Verdict.FAIL if beyond >= _MANY else Verdict.WARN,
        column=one.column,
        n_affected=n,
    )(_MESSAGES[one.by], column=one.column, found=own(share_of(n, n_filled)), limit=k)


_MESSAGES = {
    "values": "`{column}` got finer, though the log says that it was kept or made coarser: {found} cells "
    "hold a value that fewer than {limit} records share, a larger share than in the original. Find out what "
    "these values are, and leave the column out or make it coarser.",
    "spelling": "Cells of `{column}` are told apart by how they are written alone (spaces, letter case, "
    "signs nobody sees): {found} cells are spelled as in fewer than {limit} records, though more hold the "
    "same value. A spelling can carry who it is: write equal values alike.",
}
