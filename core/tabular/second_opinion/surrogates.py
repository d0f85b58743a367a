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
import pyarrow as pa

from core.chance import NO_ACCIDENT_SPREADS
from core.coding import IntArray, some_rows
from core.comparing.nearest import letter_pairs, n_shared_pairs, standard_ranks
from core.comparing.numbers import read_amounts
from core.comparing.sets import are_drawn_anew
from core.people.roles import Role, RoleSuggestion
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.settings import SecondOpinionSettings
from core.tabular.words import listed
from core.values.dates import read_dates
from core.values.letters import without_accents
from core.verdict import Finding, Verdict

_IDENTIFYING = frozenset({Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER})
_FEWEST = 25  # filled rows below which chance explains too much
_ENOUGH = 200  # rows below which not one value of the original may be left
_FEWEST_VALUES = 10  # distinct ones
_N_SPELLED = 20_000  # sampled cells whose letters and words are counted
_N_SHUFFLES = 40
_N_ROWS = 1_000  # sampled rows that are held against other rows
_WORD = re.compile(r"[^\W_]{2,}")
_N_GLANCE = 100  # cells that show how dates are written
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_SAME_BUILD = 0.5  # share of the cells that are built alike in both columns


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
    columns = tables.original[pair.pair.original], tables.anonymized[pair.pair.anonymized]
    if tables.in_order and not _unrelated_in_rows(pair, columns, settings):
        return False
    if all(_are_dates(column) for column in columns):
        return tables.order == "kept"
    texts = [_sampled(column, settings) for column in columns]
    return are_drawn_anew(pair.original_counts, pair.anonymized_counts) and all(
        are_drawn_anew(*_aligned(*map(counted, texts))) for counted in (_letters, _words)
    )


def _unrelated_in_rows(
    pair: CodedPair, columns: tuple[pa.ChunkedArray, pa.ChunkedArray], settings: SecondOpinionSettings
) -> bool:
    """Whether values, numbers, dates and texts have no more to do with their own than with other rows'."""
    by_chance = pair.n_same_row_by_chance
    rows = np.flatnonzero((pair.original >= 0) & (pair.anonymized >= 0))
    beyond = (pair.n_same_row - by_chance) / math.sqrt(by_chance + 1)
    if beyond > NO_ACCIDENT_SPREADS or len(rows) < _FEWEST:
        return False
    rng = np.random.default_rng(settings.seed)
    rows = rows[some_rows(rng, len(rows), _N_ROWS)]
    cells = [column.take(pa.array(rows)) for column in columns]
    amounts = [read_amounts(each) for each in cells]
    ranks = [standard_ranks(one.numbers) for one in amounts if one is not None]
    if len(ranks) == len(cells):
        return abs(float(ranks[0] @ ranks[1])) * math.sqrt(len(rows)) < NO_ACCIDENT_SPREADS
    sides = (letter_pairs(list(map(_plain, each.to_pylist()))) for each in cells)
    _, likeness = n_shared_pairs(*sides)
    dealt = [likeness[np.arange(len(rows)), rng.permutation(len(rows))].mean() for _ in range(_N_SHUFFLES)]
    spread = max(float(np.std(dealt)), 1e-9)
    return bool(np.diag(likeness).mean() < np.mean(dealt) + NO_ACCIDENT_SPREADS * spread)


def _are_dates(cells: pa.ChunkedArray) -> bool:
    """Whether the first filled cells are all written with year, month and day."""
    return bool(read_dates(cells.drop_null().slice(0, _N_GLANCE).combine_chunks()).known.all())


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", without_accents(text))


def _sampled(column: pa.ChunkedArray, settings: SecondOpinionSettings) -> list[str]:
    """Return a seeded sample of the filled cells, folded."""
    filled = column.drop_null()
    rows = some_rows(np.random.default_rng(settings.seed), len(filled), _N_SPELLED)
    return [_plain(text) for text in filled.take(pa.array(rows)).to_pylist()]


def _letters(texts: Sequence[str]) -> Counter[str]:
    return Counter(["".join(sorted(filter(str.isalnum, text))) for text in texts])


def _words(texts: Sequence[str]) -> Counter[str]:
    words = Counter(_WORD.findall("\n".join(texts)))
    words.update([text for text in texts if not _WORD.search(text)])
    return words


def _aligned(ours: Counter[str], theirs: Counter[str]) -> tuple[IntArray, IntArray]:
    keys = ours.keys() | theirs.keys()
    return np.array([ours.get(key, 0) for key in keys]), np.array([theirs.get(key, 0) for key in keys])
