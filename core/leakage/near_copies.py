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

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from core.chance import binomial_tail, poisson_tail
from core.coding import FloatArray, IntArray, some_rows
from core.comparing.nearest_records import (
    MOST_BITS,
    MOST_COLUMNS,
    PER_BIT,
    Records,
    find_closest,
    likeness_tables,
    n_records,
    take_records,
)
from core.leakage.pairing import TablePair
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import comparable_rows
from core.tables import Dataset

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
_QUANTILES = np.arange(1, 16) / 16  # of the bits by which copies point at their persons
_POWER_Z = 0.841621  # four of five samples
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
    gap: BitArray = field(repr=False)  # shape (n_rows,), bits by which each row points at its closest person
    excess: Excess = Excess()  # against the baselines
    n_holdout: int = 0  # Hold-out records that served as strangers; 0 where the original's own records did
    # Rows whose own original row is known and that point at somebody; those that point at their own. None
    # where rows are not paired.
    n_own: int | None = None
    n_relinked: int | None = None
    # bits by which copies of original persons would point at them, and by which rows of each baseline do;
    # no copies with a hold-out, beside which :class:`core.leakage.members.NearerMembers` tells smaller leaks
    copied: BitArray = field(repr=False, default_factory=lambda: np.empty(0, np.float32))
    baselines: tuple[BitArray, ...] = field(repr=False, default=())
    looked_at_share: float = 1.0  # scrambled rows looked at, of all

    def smallest_leak(self, level: float, n_persons: int) -> int | None:
        """Return of how many copied persons a leak would have been told in four of five samples.

        None where not even copies of all `n_persons` would. `level`: the probability by chance from which
        near copies are told.
        """

        def is_told(n_copied: int) -> bool:
            for bits in thresholds.tolist():
                share = self.looked_at_share * float((self.copied >= bits).mean())
                n_told = n_copied * share - _POWER_Z * math.sqrt(n_copied * share * (1 - share))
                _, p_value = _by_chance(math.floor(n_told), self.n_rows, self.baselines, bits)
                if p_value * len(thresholds) <= level:
                    return True
            return False

        thresholds = np.unique(np.quantile(self.copied, _QUANTILES)) if len(self.copied) else np.empty(0)
        thresholds = thresholds[thresholds >= _LEAST_BITS]
        found = bisect.bisect_left(range(1, n_persons + 1), True, key=is_told) + 1
        return found if found <= n_persons else None

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
        return NearCopies(n_rows=len(rows), n_references=n_records(original), gap=observed.gap)
    themselves = some_rows(generator, n_records(original), len(rows))
    mixed = find_closest(mosaics(original, len(rows), generator), original).gap
    alone = take_records(_as_strangers(original), themselves)
    strangers = find_closest(others[0], original) if others else find_closest(alone, original, own=themselves)
    copied = np.empty(0, np.float32) if others else _bits_of_copies(original, themselves) - strangers.best
    baselines = (strangers.gap, mixed)
    pointing = (observed.gap > 0) & (own >= 0) if own is not None else None
    return NearCopies(
        n_rows=len(rows),
        n_references=n_records(original),
        excess=most_unlikely_excess(observed.gap, baselines, persons=observed.nearest),
        n_holdout=len(strangers.gap) if others else 0,
        n_own=None if pointing is None else int(np.count_nonzero(pointing)),
        n_relinked=None
        if pointing is None or own is None
        else int(np.count_nonzero(pointing & (observed.nearest == own))),
        gap=observed.gap,
        copied=copied,
        baselines=baselines,
        looked_at_share=len(rows) / pair.scrambled.n_records,
    )


def _bits_of_copies(original: Records, rows: IntArray) -> BitArray:
    """Return how like some records are to themselves."""
    sixteenths = np.sum([column.most[rows] for column in original], axis=0)
    return (sixteenths / PER_BIT).astype(np.float32)


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
    counts = np.round(len(most) * np.exp2(-(most / PER_BIT)))
    bits = np.log2(len(most) / np.maximum(counts - 1, 1))
    scored: npt.NDArray[np.uint8] = np.round(np.minimum(bits, MOST_BITS) * PER_BIT).astype(np.uint8)
    return np.where(most > 0, scored, most)


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
        n_expected, p_value = _by_chance(n_persons, len(observed), baselines, bits)
        if p_value == 1:
            continue
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


def _by_chance(
    n_persons: int, n_rows: int, baselines: Sequence[BitArray], bits: float
) -> tuple[float, float]:
    """Return the rows expected by the larger baseline, and the chance of so many; 1 of too few to believe."""
    n_expected = n_rows * max(tail_rate(baseline, bits) for baseline in baselines)
    if n_persons < max(_FEWEST_ROWS_FOUND, _BELIEVED * n_expected):
        return n_expected, 1.0
    return n_expected, max(_excess_probability(n_persons, n_rows, gaps, bits) for gaps in baselines)


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
