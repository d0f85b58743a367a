"""Columns filled with made-up values of the original's form: they look like identifiers and identify nobody.

Whether values are made up is held against chance, never believed: row by row a surrogate is no more like its
own original than like another record's, and by value it has no more in common with the original column than
a draw of other people would have.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import scipy

from core.cells import as_numbers
from core.coding import IntArray, some_rows
from core.dates import read_dates
from core.letters import without_accents
from core.roles import Role, RoleSuggestion
from core.tabular.second_opinion.amounts import read_amounts
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.settings import SecondOpinionSettings
from core.tabular.words import listed
from core.verdict import Finding, Verdict

_IDENTIFYING = frozenset({Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER})
_FEWEST = 25  # filled rows below which chance explains too much
_ENOUGH = 200  # rows below which not one value of the original may be left
_FEWEST_VALUES = 10  # distinct ones
_N_SPELLED = 20_000  # sampled cells whose letters and words are counted
_NO_ACCIDENT = 4.0  # standard deviations beyond chance
_N_SHUFFLES = 40
_N_ROWS = 1_000  # sampled rows that are held against other rows
_WORD = re.compile(r"[^\W_]{2,}")
_N_GLANCE = 100  # cells that show how dates are written
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_SAME_BUILD = 0.5  # share of the cells that are built alike in both columns
_RARE = 1e-3  # probability below which two columns are more alike than chance


def measure_surrogates(
    tables: LoggedTables, suggestions: Sequence[RoleSuggestion], settings: SecondOpinionSettings
) -> frozenset[str]:
    """Return the columns that look like identifiers but have no more to do with the original's than chance.

    Columns of few records or few values are never among them, nor are dates of tables in another order,
    where nothing could be told. Related are a column of which some cells are left, values in other rows,
    respelled or shortened values, and numbers or dates in a similar order.
    """
    roles = {one.column: one.role for one in suggestions if one.role in _IDENTIFYING}
    return frozenset(
        name
        for pair in tables.coded
        if (name := pair.pair.anonymized) in roles
        and pair.anonymized is not pair.original
        and (tables.in_order or roles[name] is not Role.QUASI_IDENTIFIER or _built_alike(pair, tables))
        and _are_surrogates(pair, tables, settings)
    )


def _built_alike(pair: CodedPair, tables: LoggedTables) -> bool:
    """Whether values are built as the original's are: cut short or made coarser they are no made-up ones."""
    ours, theirs = (
        Counter(map(_build, column.drop_null().slice(0, _N_ROWS).to_pylist()))
        for column in (tables.original[pair.pair.original], tables.anonymized[pair.pair.anonymized])
    )
    n_alike = sum(min(ours[build] / ours.total(), n / theirs.total()) for build, n in theirs.items())
    return n_alike >= _SAME_BUILD


def _build(text: str) -> str:
    """Return a cell with each digit as 9 and each word as a letter."""
    return _LETTERS.sub("a", _DIGIT.sub("9", text.strip()))


def judge_surrogates(columns: Sequence[str]) -> list[Finding]:
    """Return what is said of surrogates; nothing speaks against them."""
    if not columns:
        return []
    n = len(columns)
    return [
        Finding.of("surrogates", Verdict.PASS, column=columns[0] if n == 1 else None, n_affected=n)(
            "{n} column looks like identifiers but holds no more of the original's values than chance: "
            "{columns}. They were taken for made-up values.",
            "{n} columns look like identifiers but hold no more of the original's values than chance: "
            "{columns}. They were taken for made-up values.",
            columns=listed(columns),
        )
    ]


def _are_surrogates(pair: CodedPair, tables: LoggedTables, settings: SecondOpinionSettings) -> bool:
    n_filled = int(pair.anonymized_counts.sum())
    if n_filled < _FEWEST or np.count_nonzero(pair.anonymized_counts) < _FEWEST_VALUES:
        return False
    if n_filled < _ENOUGH and pair.n_same_values:
        return False
    original, anonymized = tables.original[pair.pair.original], tables.anonymized[pair.pair.anonymized]
    if tables.in_order and not _unrelated_in_rows(pair, original, anonymized, settings):
        return False
    if _are_dates(original) and _are_dates(anonymized):
        return tables.order == "kept"
    return _by_chance(pair.original_counts, pair.anonymized_counts) and _differently_spelled(
        _sampled(original, settings), _sampled(anonymized, settings)
    )


def _unrelated_in_rows(
    pair: CodedPair, original: pa.ChunkedArray, anonymized: pa.ChunkedArray, settings: SecondOpinionSettings
) -> bool:
    by_chance = pair.n_same_row_by_chance
    if pair.n_same_row > by_chance + _NO_ACCIDENT * math.sqrt(by_chance + 1):
        return False
    rng = np.random.default_rng(settings.seed)
    rows = np.flatnonzero((pair.original >= 0) & (pair.anonymized >= 0))
    if len(rows) < _FEWEST:
        return False
    rows = np.sort(rng.choice(rows, min(len(rows), _N_ROWS), replace=False))
    ours, theirs = (column.take(pa.array(rows)) for column in (original, anonymized))
    amounts = [_amounts(cells) for cells in (ours, theirs)]
    ranks = [np.argsort(np.argsort(one)) for one in amounts if one is not None]
    if len(ranks) == len(amounts):
        correlation = float(np.asarray(np.corrcoef(ranks[0], ranks[1]))[0, 1])
        return abs(correlation) * math.sqrt(len(rows)) < _NO_ACCIDENT
    return _no_likeness(ours.to_pylist(), theirs.to_pylist(), rng)


def _amounts(cells: pa.ChunkedArray) -> npt.NDArray[np.float64] | None:
    """Return numbers, and dates as numbers; None where not all cells are one of them."""
    numbers = as_numbers(cells)
    if numbers is not None:
        return numbers
    read = read_amounts(cells)
    return None if read is None or read.kind != "date" or np.isnan(read.numbers).any() else read.numbers


def _are_dates(cells: pa.ChunkedArray) -> bool:
    """Whether the first filled cells are all written with year, month and day."""
    return bool(read_dates(cells.drop_null().slice(0, _N_GLANCE).combine_chunks()).known.all())


def _no_likeness(ours: Sequence[str], theirs: Sequence[str], rng: np.random.Generator) -> bool:
    """Whether texts share no more pairs of characters with their own original than with shuffled ones."""
    a, b = ([_pairs(text) for text in side] for side in (ours, theirs))
    own = _likeness(a, b)
    shuffled = [_likeness(a, [b[row] for row in rng.permutation(len(b))]) for _ in range(_N_SHUFFLES)]
    return own < float(np.mean(shuffled)) + _NO_ACCIDENT * max(float(np.std(shuffled)), 1e-9)


def _likeness(a: Sequence[frozenset[str]], b: Sequence[frozenset[str]]) -> float:
    """Return the share of their pairs of characters that texts share with those beside them, on average."""
    n_shared = np.array([len(one & other) for one, other in zip(a, b, strict=True)])
    sizes = np.array([len(one) + len(other) for one, other in zip(a, b, strict=True)])
    return float((n_shared / np.maximum(sizes - n_shared, 1)).mean())


def _pairs(text: str) -> frozenset[str]:
    plain = _plain(text)
    return frozenset(plain[i : i + 2] for i in range(len(plain) - 1)) or frozenset({plain})


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", without_accents(text))


def _sampled(column: pa.ChunkedArray, settings: SecondOpinionSettings) -> list[str]:
    """Return a seeded sample of the filled cells, folded."""
    filled = column.drop_null()
    rows = some_rows(np.random.default_rng(settings.seed), len(filled), _N_SPELLED)
    return [_plain(text) for text in filled.take(pa.array(rows)).to_pylist()]


def _differently_spelled(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether two columns share no more anagrams and words than two draws of one population."""
    return all(_by_chance(*_aligned(counted(ours), counted(theirs))) for counted in (_letters, _words))


def _letters(texts: Sequence[str]) -> Counter[str]:
    return Counter(["".join(sorted(filter(str.isalnum, text))) for text in texts])


def _words(texts: Sequence[str]) -> Counter[str]:
    words = Counter(_WORD.findall("\n".join(texts)))
    words.update([text for text in texts if not _WORD.search(text)])
    return words


def _aligned(ours: Counter[str], theirs: Counter[str]) -> tuple[IntArray, IntArray]:
    keys = ours.keys() | theirs.keys()
    return np.array([ours.get(key, 0) for key in keys]), np.array([theirs.get(key, 0) for key in keys])


def _by_chance(ours: IntArray, theirs: IntArray) -> bool:
    """Whether counts of the same values differ at least as much as those of two independent draws would."""
    # Pearson's statistic given the totals against a gamma of its mean and variance, exact for binomial counts
    known = ours + theirs > 0
    total = (ours + theirs)[known].astype(float)
    share = float(theirs.sum() / max(total.sum(), 1.0))
    spread = share * (1 - share)
    if not spread or len(total) < _FEWEST_VALUES:
        return False
    statistic = float(((theirs[known] - total * share) ** 2 / (total * spread)).sum())
    mean = len(total) - 1.0
    variance = max(float((2 + (1 - 6 * spread) / (total * spread)).sum()), 1.0)
    return (
        statistic >= mean or scipy.special.gammainc(mean**2 / variance, statistic / (variance / mean)) > _RARE
    )
