"""Rows found by what no change of their values touches: readings that give each row a signature.

Let c₁₁ be the signatures that one row of each table has, and c₂ those that two rows of one table have and
none of the other. Whatever two laws independent rows are drawn from, n²p² + m²q² ≥ 2nm·pq, so that of those
c₁₁ + c₂ no more than half are expected to be c₁₁: its binomial tail holds for strangers of any kind. A
column that was shuffled holds each of its values again, though; so the same count is taken with every column
of the original shuffled on its own (seeded), and has to be exceeded too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import average_ranks, binomial_tail
from core.coding import FloatArray, IntArray, some_rows, value_codes
from core.comparing.digests import joined_digests
from core.comparing.numbers import last_place
from core.comparing.positions import positions_of
from core.leakage.pairing import TablePair
from core.values.cells import shared_codes

Kind = Literal[
    "values",
    "differences",
    "ratios",
    "blanks",
    "zeros",
    "axes",
    "cells",
    "recoded",
    "order",
    "digits",
    "lengths",
    "gaps",
]
Hashes = npt.NDArray[np.uint64]
Sign = Callable[[FloatArray], Hashes]

_FEWEST_ROWS, _FEWEST_FOUND = 20, 5
_MOST_ROWS = 50_000  # of each table, drawn at random where it has more
FEWEST_COLUMNS, _MOST_COLUMNS = 3, 100
_DRAWS = 5
_WORTH_A_LOOK = 0.001  # by strangers, before anything is shuffled
_SAME_ORDER = 0.98  # rank correlation from which two columns of numbers say one thing
_ALIKE = 0.5  # overlap of the middle halves of columns that measure one thing
_LARGEST = 1e100  # of usual numbers
_GRID, _WIDEST = 8, 0.5  # steps of ratios: in half last places, and at most
_STEP_OF_AXES = 0.25  # standard deviations
_ROWS_AN_AXIS, _NO_SPREAD = 20, 1e-9
_MARKS = "|;,\t/_ "  # between the values of a row in a cell
_LOOKED_AT, _MOST_THERE = 50, 0.9
_WORDS_OF_TEXT = 3  # of a text, in the middle
_DIGEST, _DIGESTS_TRIED = re.compile("[0-9A-Fa-f]{8,64}"), 20
_FACTOR, _STIRRED = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


@dataclass(frozen=True, kw_only=True)
class FoundRows:
    """Original rows that a scrambled row has the signature of, and nobody else."""

    kind: Kind
    columns: tuple[str, ...]  # that the signature is made of
    n_found: int
    n_unique: int  # original rows with a signature of their own
    n_expected: float  # found where every column of the original is shuffled on its own
    p_value: float  # the larger of both probabilities; not corrected for how many readings there are


def stirred(numbers: Hashes) -> Hashes:
    """Return shape (n,): numbers in which every bit depends on all, as a hash is."""
    mixed = numbers * _FACTOR
    mixed ^= mixed >> _STIRRED
    mixed *= _FACTOR
    mixed ^= mixed >> _STIRRED
    return mixed


def row_hashes(cells: FloatArray) -> Hashes:
    """Return shape (n_rows,): a hash of the cells of each row, shape (n_rows, n_columns), NaN a value too."""
    plain = np.where(np.isnan(cells), np.finfo(float).max, cells) + 0.0
    found = np.zeros(len(cells), dtype=np.uint64)
    for column in plain.T:
        found = stirred(found * _FACTOR + np.ascontiguousarray(column).view(np.uint64))
    return found


def count_found(original: Hashes, scrambled: Hashes) -> tuple[int, int, int]:
    """Return the original signatures of one row, those of them one scrambled row has, and c₂ as above."""
    _, place = np.unique(np.concatenate([original, scrambled]), return_inverse=True)
    n_values = int(place.max(initial=-1)) + 1
    ours, theirs = (
        np.bincount(side, minlength=n_values) for side in (place[: len(original)], place[len(original) :])
    )
    n_alone = np.count_nonzero((ours == 2) & (theirs == 0)) + np.count_nonzero((ours == 0) & (theirs == 2))
    n_unique, n_found = np.count_nonzero(ours == 1), np.count_nonzero((ours == 1) & (theirs == 1))
    return int(n_unique), int(n_found), int(n_alone)


def rows_found(
    kind: Kind,
    columns: Sequence[str],
    signatures: tuple[Hashes, Hashes],
    shuffled: Callable[[np.random.Generator], Hashes],
    *,
    seed: int,
) -> FoundRows | None:
    """Return how many rows are found; None where strangers would give as many.

    Parameters
    ----------
    kind, columns
        What the signatures are, and what they are made of.
    signatures
        Of the original rows and of the scrambled rows.
    shuffled
        Gives the signatures of the original with every column shuffled on its own.
    seed
        Where shuffling starts.
    """
    n_unique, n_found, n_alone = count_found(*signatures)
    by_strangers = float(binomial_tail(n_found, n_found + n_alone, 0.5))
    if n_found < _FEWEST_FOUND or by_strangers > _WORTH_A_LOOK:
        return None
    drawn = [
        count_found(signatures[0], shuffled(np.random.default_rng((seed, draw))))[1] for draw in range(_DRAWS)
    ]
    by_shuffling = binomial_tail(n_found, n_unique, (sum(drawn) + 1) / (_DRAWS * n_unique + 1))
    return FoundRows(
        kind=kind,
        columns=tuple(columns),
        n_found=n_found,
        n_unique=n_unique,
        n_expected=sum(drawn) / _DRAWS,
        p_value=max(by_strangers, float(by_shuffling)),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Reading:
    """Columns of both tables, shape (n_rows, n_columns) each, and what makes signatures of their rows."""

    kind: Kind
    columns: tuple[str, ...]
    original: FloatArray
    scrambled: FloatArray
    sign: Sign

    def of(self, kind: Kind, chosen: Sequence[int] | IntArray, sign: Sign) -> "_Reading":
        """Return another reading of some of the columns."""
        names = tuple(np.array(self.columns, dtype=object)[chosen])
        sides = (self.original[:, chosen], self.scrambled[:, chosen])
        return _Reading(kind=kind, columns=names, original=sides[0], scrambled=sides[1], sign=sign)

    def shuffled(self, generator: np.random.Generator) -> Hashes:
        """Return the signatures of the original's rows, every column shuffled on its own."""
        return self.sign(generator.permuted(self.original, axis=0))


def find_by_signatures(pair: TablePair, columns: Sequence[str], *, seed: int) -> tuple[FoundRows, ...]:
    """Return the readings by which more rows are found than strangers or shuffled columns would give.

    Of tables of more than 50,000 rows as many are drawn, of more than 100 columns the first. Blank cells are
    read as such; a reading of numbers leaves out rows in which too few are there.

    Parameters
    ----------
    pair, columns
        The tables, and the columns that are compared.
    seed
        Where samples and shuffling start.
    """
    if min(pair.original.n_records, pair.scrambled.n_records) < _FEWEST_ROWS:
        return ()
    generator = np.random.default_rng((seed, 7))
    original, scrambled = (
        side.table.take(some_rows(generator, side.n_records, _MOST_ROWS))
        for side in (pair.original, pair.scrambled)
    )
    tables, names = (original, scrambled), (*columns, *pair.only_in_scrambled)
    readings = chain(
        _readings(tables, columns[:_MOST_COLUMNS]),
        _whole_rows_in_cells(tables, names[:_MOST_COLUMNS]),
    )
    found = (
        rows_found(
            each.kind,
            each.columns,
            (each.sign(each.original), each.sign(each.scrambled)),
            each.shuffled,
            seed=seed,
        )
        for each in readings
    )
    return tuple(each for each in found if each is not None)


def _readings(tables: tuple[pa.Table, pa.Table], columns: Sequence[str]) -> Iterator[_Reading]:
    """Yield every reading that the columns allow."""
    blank = [[_as_bits(side[name].is_null()) for side in tables] for name in columns]
    yield from _supports("blanks", _columns_side_by_side(columns, blank))
    texts = [name for name in columns if all(map(_is_text, (side[name] for side in tables)))]
    if len(texts) > 1:
        lengths = [[_lengths(side[name]) for side in tables] for name in texts]
        yield replace(_columns_side_by_side(texts, lengths), kind="lengths")
    read = {name: found for name in columns if (found := numbers_of([side[name] for side in tables]))}
    dates = [name for name in read if _is_dated(tables[0][name])]
    numbers = [name for name in read if name not in dates]
    if len(numbers) > 1:
        every = _columns_side_by_side(numbers, [read[name] for name in numbers])
        zero = [[(side == 0).astype(float) for side in read[name]] for name in numbers]
        yield from _supports("zeros", _columns_side_by_side(numbers, zero))
        every = every.of("values", _of_several_meanings(every.original), row_hashes)
        yield from _ratios(every)
        yield every.of("axes", list(range(len(every.columns))), _axes)
        for group in _of_one_scale(every.original):
            yield from _values_and_differences(every, group)
    if len(dates) >= FEWEST_COLUMNS:
        every = _columns_side_by_side(dates, [read[name] for name in dates])
        yield from _values_and_differences(every, list(range(len(dates))))


def numbers_of(cells: Sequence[pa.ChunkedArray]) -> list[FloatArray]:
    """Return a column of both tables as numbers or days; none unless each holds some, and usual ones."""
    found = positions_of(cells) or []
    sizes = [np.abs(side[~np.isnan(side)]).max(initial=-1) for side in found]
    return found if all(0 <= size <= _LARGEST for size in sizes) else []


def columns_of_numbers(tables: Sequence[pa.Table], names: Sequence[str]) -> dict[str, list[FloatArray]]:
    """Return those of some columns that hold numbers or days in each table, by name; see `numbers_of`."""
    read = {name: numbers_of([table[name] for table in tables]) for name in names}
    return {name: sides for name, sides in read.items() if sides}


def _columns_side_by_side(names: Sequence[str], parts: Sequence[Sequence[FloatArray]]) -> _Reading:
    """Return columns, each of both tables, as a reading of whole rows."""
    sides = [np.column_stack([part[side] for part in parts]) for side in (0, 1)]
    return _Reading(
        kind="values", columns=tuple(names), original=sides[0], scrambled=sides[1], sign=row_hashes
    )


def _as_bits(mask: pa.ChunkedArray) -> FloatArray:
    bits: FloatArray = mask.to_numpy().astype(float)
    return bits


def _is_dated(cells: pa.ChunkedArray) -> bool:
    head = cells.drop_null().slice(0, _LOOKED_AT)
    return bool(pc.any(pc.match_substring_regex(head, r"\d\D+\d+\D+\d")).as_py())


def _is_text(cells: pa.ChunkedArray) -> bool:
    """Return whether the first cells are mostly of several words."""
    head = cells.drop_null().slice(0, _LOOKED_AT)
    n_words = pc.count_substring_regex(head, r"\S+")
    return bool(len(head) and np.median(n_words.to_numpy()) >= _WORDS_OF_TEXT)


def _lengths(cells: pa.ChunkedArray) -> FloatArray:
    """Return shape (n_cells,): a number for the lengths of the words of a cell, NaN where missing."""
    shapes = pc.dictionary_encode(pc.replace_substring_regex(cells, r"\S", "x")).combine_chunks()
    # 52 bits of a digest, the same in both tables
    numbers = [int(sha256(each.encode()).hexdigest()[:13], 16) for each in shapes.dictionary.to_pylist()]
    places = pc.fill_null(shapes.indices, len(numbers)).to_numpy(zero_copy_only=False)
    found: FloatArray = np.append(np.array(numbers, dtype=float), np.nan)[places]
    return found


def _supports(kind: Kind, bits: _Reading) -> Iterator[_Reading]:
    """Yield which cells of a row are blank, or zero, by the columns in which some are and some are not."""
    means = [side.mean(axis=0) for side in (bits.original, bits.scrambled)]
    varies = np.flatnonzero((means[0] > 0) & (means[0] < 1) & (means[1] > 0))
    if len(varies) > 1:
        yield bits.of(kind, varies, row_hashes)


def _of_several_meanings(cells: FloatArray) -> list[int]:
    """Return the columns but those that put rows in the same order as one before them."""
    head = cells[: _MOST_ROWS // 10]
    ranks = [average_ranks(np.where(np.isnan(column), -np.inf, column)) for column in head.T]
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = np.nan_to_num(np.abs(np.atleast_2d(np.corrcoef(ranks))))
    return [place for place in range(len(ranks)) if not (alike[place, :place] >= _SAME_ORDER).any()]


def _of_one_scale(cells: FloatArray) -> Iterator[list[int]]:
    """Yield three columns or more each whose middle halves lie on the same stretch."""
    low, high = np.nanquantile(cells, [0.25, 0.75], axis=0)
    left = list(range(cells.shape[1]))
    while left:
        common = np.minimum(high[left[0]], high[left]) - np.maximum(low[left[0]], low[left])
        whole = np.maximum(high[left[0]], high[left]) - np.minimum(low[left[0]], low[left])
        group = [left[place] for place in np.flatnonzero(common > _ALIKE * whole)]
        left = [place for place in left[1:] if place not in group]
        if len(group) >= FEWEST_COLUMNS:
            yield group


def _values_and_differences(every: _Reading, group: Sequence[int]) -> Iterator[_Reading]:
    yield every.of("values", group, _sorted_values)
    unit = max(2 * last_place(_there(side[:, group])) for side in (every.original, every.scrambled))
    yield every.of("differences", group, partial(_differences, unit=unit))


def _there(cells: FloatArray) -> FloatArray:
    return cells[~np.isnan(cells)]


def _filled(cells: FloatArray) -> FloatArray:
    """Return the rows of which three cells or more are there."""
    return cells[np.count_nonzero(~np.isnan(cells), axis=1) >= FEWEST_COLUMNS]


def _sorted_values(cells: FloatArray) -> Hashes:
    return row_hashes(np.sort(_filled(cells), axis=1))


def _differences(cells: FloatArray, *, unit: float) -> Hashes:
    """Return the signatures of how far the values of a row are from its smallest."""
    cells = _filled(cells)
    return row_hashes(np.round((cells - np.nanmin(cells, axis=1, keepdims=True)) / unit))


def _ratios(every: _Reading) -> Iterator[_Reading]:
    """Yield the ratios of a row's numbers to its largest, as exact as the scrambled table is written."""
    sizes = [np.abs(_there(column[column != 0])) for column in every.scrambled.T]
    smallest = np.array([np.quantile(each, 0.1) if len(each) else 0.0 for each in sizes])
    halves = np.array([last_place(_there(column)) for column in every.scrambled.T])
    steps = np.divide(_GRID * halves, smallest, out=np.full(len(halves), np.inf), where=smallest > 0)
    fine = np.flatnonzero(steps <= _WIDEST)
    if len(fine) >= FEWEST_COLUMNS:
        yield every.of("ratios", list(fine), partial(_ratios_to_largest, steps=steps[fine]))


def _ratios_to_largest(cells: FloatArray, *, steps: FloatArray) -> Hashes:
    size = np.abs(cells)
    kept = np.count_nonzero(size > 0, axis=1) >= FEWEST_COLUMNS
    cells, size = cells[kept], size[kept]
    with np.errstate(divide="ignore"):
        logarithms = np.log(size / np.nanmax(size, axis=1, keepdims=True, initial=0))
    found = np.where(size == 0, 1.0, np.round(logarithms / steps))
    return row_hashes(np.where(cells < 0, found + 0.5, found))


def _axes(cells: FloatArray) -> Hashes:
    """Return the signatures of rows on axes that any rotation, change of units or other affine map leaves.

    Whitened, and turned to the eigenvectors of the second moments weighted by Mahalanobis' distance; the
    longer tail points up. Rows with a blank cell are left out; none of fewer than three columns.

    References
    ----------
    Tyler, Critchley, Dümbgen, Oja, Invariant co-ordinate selection, JRSS B 71(3), 2009.
    """
    cells = cells[~np.isnan(cells).any(axis=1)]
    n_rows, n_columns = cells.shape
    if n_columns < FEWEST_COLUMNS or n_rows < _ROWS_AN_AXIS * n_columns:
        return np.empty(0, dtype=np.uint64)
    spread = cells.std(axis=0)
    cells = (cells - cells.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    sizes, directions = np.linalg.eigh(cells.T @ cells / n_rows)
    kept = sizes > _NO_SPREAD * sizes[-1]
    white = cells @ directions[:, kept] / np.sqrt(sizes[kept])
    weighted = white * (white**2).sum(axis=1, keepdims=True)
    turned = white @ np.linalg.eigh(white.T @ weighted)[1]
    turned *= np.where((turned**3).sum(axis=0) < 0, -1.0, 1.0)
    return row_hashes(np.round(turned / _STEP_OF_AXES))


def _whole_rows_in_cells(tables: tuple[pa.Table, pa.Table], columns: Sequence[str]) -> Iterator[_Reading]:
    """Yield the scrambled columns whose cells hold whole rows of the original, or their digests."""
    for name in columns:
        cells = tables[1][name]
        head = cells.drop_null().slice(0, _LOOKED_AT).to_pylist()
        if head and all(map(_DIGEST.fullmatch, head)):
            yield from _digested_rows(tables[0], name, cells)
        for mark in _MARKS:
            n_parts = int(np.median([text.count(mark) for text in head] or [0])) + 1
            if FEWEST_COLUMNS <= n_parts <= _MOST_COLUMNS:
                yield from _cells_taken_apart(tables[0], name, cells, mark, n_parts)


def _digested_rows(original: pa.Table, name: str, cells: pa.ChunkedArray) -> Iterator[_Reading]:
    """Yield the rows whose digests a column holds: of all other columns, joined in their order."""
    others = [column for column in original.column_names if column != name]
    rows = list(zip(*(original[column].to_pylist() for column in others), strict=True))
    there = {cell.lower() for cell in cells.to_pylist() if cell}
    size = max(map(len, there), default=0)  # of digests that may have been cut short
    tried = [row for row in rows if None not in row][:_DIGESTS_TRIED]
    made = ((recipe, digest.hex()[:size] in there) for row in tried for recipe, digest in joined_digests(row))
    recipe = next((recipe for recipe, is_there in made if is_there), None)
    if recipe is None or len(others) < FEWEST_COLUMNS:
        return
    of_digest = {
        digest.hex()[:size]: place
        for place, row in enumerate(rows)
        if None not in row and (digest := recipe.digest(row)) is not None
    }
    found = [
        place for cell in cells.to_pylist() if cell and (place := of_digest.get(cell.lower())) is not None
    ]
    codes = np.column_stack([value_codes(original[column]) for column in others]).astype(float)
    yield _Reading(kind="cells", columns=(name,), original=codes, scrambled=codes[found], sign=row_hashes)


def _cells_taken_apart(
    original: pa.Table, name: str, cells: pa.ChunkedArray, mark: str, n_parts: int
) -> Iterator[_Reading]:
    """Yield the parts of a column's cells beside the original columns whose values they are."""
    lists = pc.split_pattern(cells, mark)
    lists = lists.filter(pc.equal(pc.list_value_length(lists), n_parts))
    of_part: dict[str, pa.ChunkedArray] = {}
    for place in range(n_parts):
        part = pc.list_element(lists, place)
        head = part.slice(0, _LOOKED_AT)
        for column in original.column_names:
            there = pc.is_in(head, value_set=original[column].combine_chunks()).to_numpy()
            if column not in {name, *of_part} and len(head) and there.mean() >= _MOST_THERE:
                of_part[column] = part
                break
    if len(of_part) >= FEWEST_COLUMNS:
        codes = [shared_codes(original[column], part, dates=True) for column, part in of_part.items()]
        parts = [[side.astype(float) for side in (each.original, each.anonymized)] for each in codes]
        yield replace(_columns_side_by_side(list(of_part), parts), kind="cells", columns=(name,))
