"""Near copies: scrambled rows that point at one original person, more than strangers or mixed values would.

A row points at a person by so many bits as it is more like that person than like the next: a person who
moved to another row and had a few cells changed, or a little noise on all of them, still stands out by many
bits. Rows of nobody do so by few, and how often by how many is taken from two baselines, because either
alone alarms for harmless reasons:

- *strangers*: hold-out records against the original, or, without any, each original record against all
others;
- *mosaics*: rows in which every cell comes from one of at least 40 original persons who are alike, drawn
anew for
  every cell, as careful synthesizers do that use values again.

Beyond what was seen, a baseline's tail is continued exponentially, at the upper end of its likely width.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.cells import as_numbers, codes_of_tables
from core.chance import binomial_tail, poisson_tail
from core.coding import BoolArray, FloatArray, IntArray, some_rows
from core.jobs import Threads
from core.leakage.pairing import N_THREADS, TablePair
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import without_ignored
from core.tables import Dataset

_PER_BIT = 16
_LEVELS = 4096
_MOST_BITS = 12
_FEWEST_VALUES = 12  # a column of fewer numbers is one of words
MOST_COLUMNS = 256
_OUTSIDE = 0.2
_ROWS_AT_ONCE = 32
_OTHER_ROWS_AT_ONCE = 8192  # a block of sums then stays in the processor's cache

SmallArray = npt.NDArray[np.unsignedinteger]


def _bits_by_distance() -> npt.NDArray[np.uint8]:
    """Return shape (levels,): the sixteenths of a bit that numbers so many levels apart score."""
    apart = np.arange(_LEVELS) / _LEVELS
    chance = np.clip(2 * apart, 2.0**-_MOST_BITS, 1)
    return np.round(-np.log2(chance) * _PER_BIT).astype(np.uint8)


_BITS = _bits_by_distance()


@dataclass(frozen=True, kw_only=True, eq=False)
class LikenessColumn:
    """One column of a table: places in the original's order or codes of words, and what equality scores."""

    is_number: bool
    cells: SmallArray = field(repr=False)
    most: npt.NDArray[np.uint8] = field(repr=False)

    def take(self, rows: IntArray) -> "LikenessColumn":
        """Return some of the records."""
        return LikenessColumn(is_number=self.is_number, cells=self.cells[rows], most=self.most[rows])


Records = tuple[LikenessColumn, ...]


def take_records(records: Records, rows: IntArray) -> Records:
    """Return some of the records of a table."""
    return tuple(column.take(rows) for column in records)


def n_records(records: Records) -> int:
    """Return the number of records."""
    return len(records[0].cells)


def likeness_tables(tables: Sequence[pa.Table], columns: Sequence[str], *, seed: int) -> list[Records]:
    """Make tables comparable; the first is the original, by which numbers are placed and values are rare."""
    chosen = [columns[place] for place in some_rows(np.random.default_rng(seed), len(columns), MOST_COLUMNS)]
    encoded = [_encode([table[name] for table in tables]) for name in chosen]
    return [tuple(column[number] for column in encoded) for number in range(len(tables))]


def _encode(parts: Sequence[pa.ChunkedArray]) -> list[LikenessColumn]:
    """Return one column of every table."""
    codes = codes_of_tables(parts)
    n_codes = max(int(part.max(initial=-1)) for part in codes) + 1
    counts = np.bincount(codes[0] + 1, minlength=n_codes + 1)
    share = np.maximum(counts, 1) / len(codes[0])
    most = np.round(np.clip(-np.log2(share), 0, _MOST_BITS) * _PER_BIT).astype(np.uint8)
    most[0] = 0  # two missing cells say nothing
    numbers = [as_numbers(part) for part in parts] if n_codes > _FEWEST_VALUES else [None]
    known = [part for part in numbers if part is not None]
    caps = [most[part + 1] for part in codes]
    if len(known) == len(parts):
        cells = _places(known)
        caps = [
            np.where(_far_outside(known[0], part), 0, cap).astype(np.uint8)
            for part, cap in zip(known, caps, strict=True)
        ]
        return [
            LikenessColumn(is_number=True, cells=part, most=cap)
            for part, cap in zip(cells, caps, strict=True)
        ]
    kind = np.min_scalar_type(n_codes + 1)
    return [
        LikenessColumn(is_number=False, cells=(part + 1).astype(kind), most=cap)
        for part, cap in zip(codes, caps, strict=True)
    ]


def _places(numbers: Sequence[FloatArray]) -> list[SmallArray]:
    """Return where numbers stand in the first table's order, 0 to 4095; missing ones at the end."""
    ordered = np.sort(numbers[0][~np.isnan(numbers[0])])
    placed = []
    for part in numbers:
        low, high = np.searchsorted(ordered, part, "left"), np.searchsorted(ordered, part, "right")
        place = (low + high) / 2 / max(len(ordered), 1) * (_LEVELS - 1)
        placed.append(np.where(np.isnan(part), _LEVELS - 1, place).astype(np.int16).view(np.uint16))
    return placed


def _far_outside(original: FloatArray, numbers: FloatArray) -> BoolArray:
    """Return which numbers lie so far outside the original's that they are like nobody's."""
    low, lower, upper, high = np.nanquantile(original, [0, 0.25, 0.75, 1])
    margin = _OUTSIDE * (upper / 2 - lower / 2)  # halves, so that 1e308 − −1e308 is finite
    with np.errstate(over="ignore"):
        outside: BoolArray = (numbers + margin < low) | (numbers - margin > high)
    return outside


@dataclass(frozen=True, kw_only=True, eq=False)
class Closest:
    """The closest reference of each record."""

    # shape (n_rows,), bits of likeness with the closest and the second closest reference
    best: npt.NDArray[np.float32] = field(repr=False)
    second: npt.NDArray[np.float32] = field(repr=False)
    # shape (n_rows,), row number of the closest reference, the first of equals
    nearest: IntArray = field(repr=False)

    @property
    def gap(self) -> npt.NDArray[np.float32]:
        """Return shape (n_rows,): by how many bits a record points at one reference alone."""
        gap: npt.NDArray[np.float32] = self.best - self.second
        return gap


def find_closest(records: Records, references: Records, *, own: IntArray | None = None) -> Closest:
    """Return for each record its two most like references; its own row number does not count."""
    n = n_records(records)
    blocks = [np.arange(start, min(start + _ROWS_AT_ONCE, n)) for start in range(0, n, _ROWS_AT_ONCE)]

    def one(rows: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        return _closest_of_block(take_records(records, rows), references, None if own is None else own[rows])

    with Threads(N_THREADS) as pool:
        found = list(pool.map(one, blocks))
    best, second, nearest = (np.concatenate(part) for part in zip(*found, strict=True))
    return Closest(
        best=(best / np.float32(_PER_BIT)).astype(np.float32),
        second=(second / np.float32(_PER_BIT)).astype(np.float32),
        nearest=nearest,
    )


def _closest_of_block(
    records: Records, references: Records, own: IntArray | None
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the best and second best sum of a few records, and whose the best is."""
    n, n_other = n_records(records), n_records(references)
    best, second = np.zeros(n, np.int64), np.zeros(n, np.int64)
    nearest = np.zeros(n, np.int64)
    every = np.arange(n)
    for start in range(0, n_other, _OTHER_ROWS_AT_ONCE):
        stop = min(start + _OTHER_ROWS_AT_ONCE, n_other)
        sums = _sums(records, references, slice(start, stop))
        if own is not None:
            here = np.flatnonzero((own >= start) & (own < stop))
            sums[here, own[here] - start] = 0
        place = sums.argmax(axis=1)
        top = sums[every, place].astype(np.int64)
        sums[every, place] = 0
        next_top = sums.max(axis=1).astype(np.int64)
        better = top > best
        second = np.maximum(np.where(better, best, top), np.maximum(second, next_top))
        nearest = np.where(better, place + start, nearest)
        best = np.maximum(best, top)
    return best, second, nearest


def _sums(records: Records, references: Records, other: slice) -> npt.NDArray[np.uint16]:
    """Return shape (n_rows, n_other_rows): likeness in sixteenths of a bit."""
    shape = (n_records(records), other.stop - other.start)
    sums = np.zeros(shape, np.uint16)
    bits = np.empty(shape, np.uint8)
    for column, reference in zip(records, references, strict=True):
        cells, others = column.cells[:, None], reference.cells[None, other]
        if column.is_number:
            apart = np.maximum(cells, others) - np.minimum(cells, others)
            np.take(_BITS, apart, out=bits, mode="clip")
            np.minimum(bits, column.most[:, None], out=bits)
        else:
            np.multiply(np.equal(cells, others), column.most[:, None], out=bits)
        np.add(sums, bits, out=sums)
    return sums


BitArray = npt.NDArray[np.float32]

_MOST_ROWS, _FEWEST_ROWS = 1000, 50
_N_SEARCHES = 3  # of scrambled rows, of strangers, of mosaics
_MOST_REFERENCES = 100_000
_FEWEST_REFERENCES = 8
N_DRAWS = 20
SMALLEST_GROUP = 40
_MOST_GROUPED = 20_000
_DIRECTIONS = 4
_TAIL_SHARE, _FEWEST_IN_TAIL = 0.1, 10
_LEAST_BITS = 2.0
_MOST_THRESHOLDS = 16
_FEWEST_ROWS_FOUND = 3
_FEWEST_SEEN = 3
_BELIEVED = 2  # times as many as expected: a row that points at somebody is then rather right than wrong


@dataclass(frozen=True, kw_only=True)
class Excess:
    """Where rows stand out most from what baselines give."""

    bits: float = 0.0  # by how much more like one person than the next; rows that reach it are counted
    n_observed: int = 0  # rows that do, and different persons they point at
    n_persons: int = 0
    n_expected: float = 0.0  # rows that would by chance: the larger baseline's rate times the rows looked at
    # probability in [0, 1] of as many rows as persons, times the number of thresholds tried
    p_value: float = 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class NearCopies:
    """Scrambled rows that point at one original person."""

    # scrambled rows looked at, and original rows they were compared with; samples where there are more
    n_rows: int
    n_references: int
    excess: Excess  # against the baselines
    n_holdout: int  # Hold-out records that served as strangers; 0 where the original's own records did
    # Rows whose own original row is known and that point at somebody; those that point at their own. None
    # where rows are not paired.
    n_own: int | None
    n_relinked: int | None
    gap: BitArray = field(repr=False)  # shape (n_rows,), bits by which each row points at its closest person

    @property
    def relink_p_value(self) -> float:
        """Return the probability that rows named at random find their own as often; 1 where not known."""
        if not self.n_own or not self.n_relinked:
            return 1.0
        return float(binomial_tail(self.n_relinked, self.n_own, 1 / self.n_references))

    @property
    def relink_share(self) -> float | None:
        """Return the rows that point at their own person over those that point at one; None if not known."""
        return None if not self.n_own or self.n_relinked is None else self.n_relinked / self.n_own


def find_near_copies(
    pair: TablePair,
    columns: Sequence[str],
    settings: LeakageSettings,
    *,
    max_comparisons: int,
    holdout: Dataset | None = None,
) -> NearCopies:
    """Look for scrambled rows that point at one person."""
    generator = np.random.default_rng((settings.seed, 1))
    kept, rows, own = _chosen_rows(pair, len(columns), max_comparisons, generator)
    tables = [
        comparable_rows(pair.original, columns, settings, kept),
        comparable_rows(pair.scrambled, columns, settings, rows),
    ]
    if holdout is not None:
        some = some_rows(generator, holdout.n_records, len(rows))
        tables.append(comparable_rows(holdout, columns, settings, some))
    original, scrambled, *others = _compared(likeness_tables(tables, columns, seed=settings.seed))
    observed = find_closest(scrambled, original)
    if n_records(original) < _FEWEST_REFERENCES:
        return _nothing(observed, n_records(original))
    themselves = some_rows(generator, n_records(original), len(rows))
    mixed = find_closest(mosaics(original, len(rows), generator), original).gap
    strangers = (
        find_closest(others[0], original)
        if others
        else find_closest(take_records(_as_strangers(original), themselves), original, own=themselves)
    ).gap
    pointing = (observed.gap > 0) & (own >= 0) if own is not None else None
    return NearCopies(
        n_rows=len(rows),
        n_references=n_records(original),
        excess=most_unlikely_excess(observed.gap, [strangers, mixed], persons=observed.nearest),
        n_holdout=len(strangers) if others else 0,
        n_own=None if pointing is None else int(np.count_nonzero(pointing)),
        n_relinked=None
        if pointing is None or own is None
        else int(np.count_nonzero(pointing & (observed.nearest == own))),
        gap=observed.gap,
    )


def _compared(tables: Sequence[Records]) -> list[Records]:
    """Leave out columns that say nothing of any scrambled row: words and numbers the original has not.

    Baselines on columns that scrambled rows cannot be compared on would be others than theirs.
    """
    original, scrambled = tables[:2]
    telling = [
        place
        for place, (own, other) in enumerate(zip(original, scrambled, strict=True))
        if (other.most.any() if own.is_number else np.isin(other.cells[other.cells > 0], own.cells).any())
    ]
    return [tuple(table[place] for place in telling or range(len(original))) for table in tables]


def _as_strangers(original: Records) -> Records:
    """Return the records with equality scored as of a stranger: by how many others have the value."""
    return tuple(replace(column, most=_scored_by_others(column.most)) for column in original)


def _scored_by_others(most: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    counts = np.round(len(most) * np.exp2(-(most / _PER_BIT)))
    bits = np.log2(len(most) / np.maximum(counts - 1, 1))
    scored: npt.NDArray[np.uint8] = np.round(np.minimum(bits, _MOST_BITS) * _PER_BIT).astype(np.uint8)
    return np.where(most > 0, scored, most)


def _nothing(observed: Closest, n_references: int) -> NearCopies:
    """Return that too few references tell nothing."""
    return NearCopies(
        n_rows=len(observed.best),
        n_references=n_references,
        excess=Excess(),
        n_holdout=0,
        n_own=None,
        n_relinked=None,
        gap=observed.gap,
    )


def _chosen_rows(
    pair: TablePair, n_columns: int, max_comparisons: int, generator: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray | None]:
    """Return original and scrambled rows to look at, and the places of the latter's own, -1 if unknown."""
    kept = some_rows(generator, pair.original.n_records, _MOST_REFERENCES)
    fitting = max(
        _FEWEST_ROWS,
        min(_MOST_ROWS, max_comparisons // (_N_SEARCHES * len(kept) * min(n_columns, MOST_COLUMNS))),
    )
    if pair.original_rows is None or pair.scrambled_rows is None:
        return kept, some_rows(generator, pair.scrambled.n_records, fitting), None
    place = np.full(pair.original.n_records, -1, np.int64)
    place[kept] = np.arange(len(kept))
    own_place = np.full(pair.scrambled.n_records, -1, np.int64)
    own_place[pair.scrambled_rows] = place[pair.original_rows]
    # of a sample of the original, the partners are looked at, so that re-linkage can be seen
    candidates = (
        np.flatnonzero(own_place >= 0)
        if len(kept) < pair.original.n_records
        else np.arange(pair.scrambled.n_records)
    )
    rows = candidates[some_rows(generator, len(candidates), fitting)]
    return kept, rows, own_place[rows]


def comparable_rows(
    table: Dataset, columns: Sequence[str], settings: LeakageSettings, rows: IntArray
) -> pa.Table:
    """Return some rows of a table, ignored cells missing."""
    taken = table.table.select(list(columns)).take(rows)
    return pa.table([without_ignored(cells, settings) for cells in taken.columns], names=list(columns))


def mosaics(original: Records, n_rows: int, generator: np.random.Generator) -> Records:
    """Return rows whose cells come, each on its own, from groups of at least 40 persons who are alike."""
    n = n_records(original)
    looked_at = some_rows(generator, n, _MOST_GROUPED)
    group_of, members, starts = _groups(take_records(original, looked_at), generator)
    bases = generator.integers(0, len(looked_at), max(n_rows, 2 * N_DRAWS))
    groups = group_of[bases]
    sizes = starts[groups + 1] - starts[groups]
    return tuple(
        column.take(looked_at[members[starts[groups] + (generator.random(len(bases)) * sizes).astype(int)]])
        for column in original
    )


def _groups(records: Records, generator: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
    """Halve the records along their main directions until groups are small; return them end to end."""
    n = n_records(records)
    places = _along_main_directions(records, generator)
    open_groups, closed = [np.arange(n)], []
    while open_groups:
        group = open_groups.pop()
        if len(group) < 2 * SMALLEST_GROUP:
            closed.append(group)
            continue
        widest = int(places[group].var(axis=0).argmax())
        ordered = group[np.argsort(places[group, widest], kind="stable")]
        open_groups += np.array_split(ordered, 2)
    members = np.concatenate(closed)
    sizes = np.array([len(group) for group in closed])
    group_of = np.empty(n, np.int64)
    group_of[members] = np.repeat(np.arange(len(closed)), sizes)
    return group_of, members, np.concatenate([[0], np.cumsum(sizes)])


def _along_main_directions(records: Records, generator: np.random.Generator) -> FloatArray:
    """Return shape (n_rows, 4 at most): records along the main directions of their columns' ranks."""
    n = n_records(records)
    ranks = np.empty((n, len(records)))
    for place, column in enumerate(records):
        ranks[np.lexsort((generator.random(n), column.cells)), place] = np.arange(n) / n - 0.5
    _, directions = np.linalg.eigh(ranks.T @ ranks)
    along: FloatArray = ranks @ directions[:, ::-1][:, :_DIRECTIONS]
    return along


def most_unlikely_excess(observed: BitArray, baselines: Sequence[BitArray], *, persons: IntArray) -> Excess:
    """Return the threshold from which rows point at one person least likely by chance.

    Returns of the thresholds that twice as many rows reach as expected. Their number is taken as Poisson with
    the largest rate of the baselines; where a baseline has three such rows, it is held against those exactly.
    """
    beyond = np.sort(observed[observed >= _LEAST_BITS])
    if len(beyond) < _FEWEST_ROWS_FOUND:
        return Excess()
    # few rows that stand out far, or many that stand out a little; one or two may be odd by themselves
    counted = np.unique(np.geomspace(_FEWEST_ROWS_FOUND, len(beyond), _MOST_THRESHOLDS).astype(int))
    thresholds = np.unique(beyond[len(beyond) - counted])
    found = []
    for bits in thresholds.tolist():
        n_persons = len(np.unique(persons[observed >= bits]))
        n_expected = len(observed) * max(tail_rate(baseline, bits) for baseline in baselines)
        if n_persons < max(_FEWEST_ROWS_FOUND, _BELIEVED * n_expected):
            continue
        p_value = max(_excess_probability(n_persons, len(observed), gaps, bits) for gaps in baselines)
        found.append(
            Excess(
                bits=bits,
                n_observed=int(np.count_nonzero(observed >= bits)),
                n_persons=n_persons,
                n_expected=n_expected,
                p_value=min(1.0, p_value * len(thresholds)),
            )
        )
    return min(found, key=lambda excess: excess.p_value, default=Excess())


def _excess_probability(n_observed: int, n_rows: int, gaps: BitArray, bits: float) -> float:
    """Return the chance of as many rows: by the baseline's tail, and exactly where it has some."""
    p_value = float(poisson_tail(n_observed, n_rows * tail_rate(gaps, bits)))
    n_seen = int(np.count_nonzero(gaps >= bits))
    if n_seen < _FEWEST_SEEN:
        return p_value
    together = n_observed + n_seen
    return max(p_value, float(binomial_tail(n_observed, together, n_rows / (n_rows + len(gaps)))))


def tail_rate(gaps: BitArray, bits: float) -> float:
    """Return the share of a baseline's rows that point at one person by at least so many bits.

    The share seen, or, where larger, an exponential tail through the upper tenth (ten rows at least), its
    mean taken two standard errors above the one seen.
    """
    seen = float(np.count_nonzero(gaps >= bits) / len(gaps))
    n_tail = min(len(gaps), max(_FEWEST_IN_TAIL, round(_TAIL_SHARE * len(gaps))))
    tail = np.partition(gaps, len(gaps) - n_tail)[len(gaps) - n_tail :]
    start = float(tail.min())
    if bits <= start:
        return max(seen, n_tail / len(gaps))
    width = float(tail.mean() - start) * (1 + 2 / np.sqrt(n_tail))
    continued = n_tail / len(gaps) * np.exp(-(bits - start) / width) if width > 0 else 0.0
    return max(seen, float(continued))
