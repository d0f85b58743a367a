"""How often attacks on the scrambled table succeed: singling out, linkage, inference, and membership.

Each attack makes guesses about original records with the scrambled table in hand, and the same guesses about
hold-out records, of whom the scrambled table can know nothing of their own. A naive attacker guesses without
looking. Success beyond the hold-out's is what the scrambled table tells of the persons in it; success beyond
the naive attacker's alone may be knowledge of the population.

References
----------
Giomi, Boenisch, Wehmeyer and Tasnádi, A Unified Framework for Quantifying Privacy Risk in Synthetic Data,
PoPETs 2023(2). Wilson, Probable inference, JASA 22, 1927. Hanley and McNeil, The meaning and use of the area
under a receiver operating characteristic (ROC) curve, Radiology 143, 1982.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import scipy

from core.chance import average_ranks
from core.coding import BoolArray, FloatArray, IntArray, some_rows
from core.comparing.nearest_records import Records, find_closest, likeness_tables, n_records, take_records
from core.intervals import Z_95, wilson_interval
from core.leakage.pairing import TablePair
from core.tables import Dataset
from core.values.cells import CodeArray, as_numbers, codes_of_tables
from core.words import Text, own, text

_MOST_TARGETS = 500
_MOST_REFERENCES = 5000
_MOST_INFERRED = 16
_MOST_COLUMNS = 64
_CLOSE = 0.05
_PREDICATE_COLUMNS = 3
_TRIES = 20
_CELLS_AT_ONCE = 2_000_000  # of records, held against guesses
_HALVINGS = 5  # which columns belong to which half decides much
_POWER_Z = 0.841621


@dataclass(frozen=True, kw_only=True)
class AttackRate:
    """Guesses and successes of one attack."""

    # ``singling out, one column``, ``singling out, several columns``, ``linkage`` or ``inference``
    attack: str
    column: str = ""  # the column inferred, else empty
    n_guesses: int  # about original records
    n_successes: int
    n_naive: int  # successes of as many naive guesses
    n_control_guesses: int = 0  # guesses and successes about hold-out records; 0 and 0 without any
    n_control: int = 0

    @property
    def named(self) -> Text:
        """Return the attack and its column."""
        if not self.column:
            return own(self.attack)
        return text("{attack} of “{column}”", attack=own(self.attack), column=self.column)

    @property
    def share(self) -> float:
        """Return successes over guesses, in [0, 1]; 0 of none."""
        return self.n_successes / self.n_guesses if self.n_guesses else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the share."""
        return wilson_interval(self.n_successes, self.n_guesses)

    @property
    def naive_share(self) -> float:
        """Return the naive attacker's successes over guesses."""
        return self.n_naive / self.n_guesses if self.n_guesses else 0.0

    @property
    def control_share(self) -> float | None:
        """Return the successes about hold-out records over guesses; None without a hold-out."""
        return self.n_control / self.n_control_guesses if self.n_control_guesses else None

    @property
    def risk(self) -> float | None:
        """Return (share − control) / (1 − control), at least 0; None without a hold-out."""
        control = self.control_share
        if control is None:
            return None
        return max(0.0, (self.share - control) / (1 - control)) if control < 1 else 0.0

    @property
    def p_value(self) -> float:
        """Return the chance that so many of all successes are about originals (Fisher); 1 without control."""
        if not self.n_control_guesses or not self.n_guesses:
            return 1.0
        return float(
            scipy.stats.hypergeom.sf(
                self.n_successes - 1,
                self.n_guesses + self.n_control_guesses,
                self.n_successes + self.n_control,
                self.n_guesses,
            )
        )


@dataclass(frozen=True, kw_only=True)
class Membership:
    """How well likeness to the scrambled table tells original records from hold-out records."""

    n_members: int  # original and hold-out records looked at
    n_others: int
    # probability that a member is more like its closest scrambled row than another person, ties half
    auc: float

    @property
    def _deviation(self) -> float:
        """Return the standard deviation of the area where nothing tells members."""
        return math.sqrt((self.n_members + self.n_others + 1) / (12 * self.n_members * self.n_others))

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the area (Hanley and McNeil)."""
        a, n, m = self.auc, self.n_members, self.n_others
        q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
        variance = (a * (1 - a) + (n - 1) * (q1 - a * a) + (m - 1) * (q2 - a * a)) / (n * m)
        half = Z_95 * float(np.sqrt(max(variance, 0.0)))
        return max(0.0, a - half), min(1.0, a + half)

    @property
    def smallest_shown(self) -> float:
        """Return the area from which so many records show a leak: at 2.5 % error, in four of five samples."""
        return min(1.0, 0.5 + (Z_95 + _POWER_Z) * self._deviation)


@dataclass(frozen=True, kw_only=True)
class Attacks:
    """The attacks tried."""

    rates: tuple[AttackRate, ...]  # one an attack, and one a column inferred
    membership: Membership | None  # none without a hold-out


def try_attacks(
    pair: TablePair, columns: Sequence[str], *, seed: int, holdout: Dataset | None = None
) -> Attacks | None:
    """Attack seeded samples of original and hold-out records with the scrambled table.

    Notes
    -----
    *Singling out, one column*: a value that one scrambled row has, or its smallest or largest number as a
    bound where one row reaches it; a success where exactly one record fits. *Several columns*: three columns
    of a scrambled row, words equal and numbers as far from the median or farther, where one scrambled row
    alone fits; no guess is made twice. *Linkage*:
    half of the columns of a record find the same closest scrambled row as the other half (of rows as close,
    any); the columns are halved anew for each fifth of the records. *Inference*: the
    column's value in the scrambled row that is closest in all other columns equals the record's, numbers
    within 5 %. Closest is by likeness in bits.
    """
    generator = np.random.default_rng((seed, 2))
    names = [columns[place] for place in some_rows(generator, len(columns), _MOST_COLUMNS)]
    if len(names) < 2 or min(pair.original.n_records, pair.scrambled.n_records) < 2:
        return None
    tables = [pair.original, pair.scrambled] + ([] if holdout is None else [holdout])
    most = min([_MOST_REFERENCES, *(table.n_records for table in (tables[0], tables[-1]))])
    sizes = [most, min(_MOST_REFERENCES, pair.scrambled.n_records), most]
    taken = [
        table.table.select(names).take(some_rows(generator, table.n_records, size))
        for table, size in zip(tables, sizes, strict=False)
    ]
    likeness = likeness_tables(taken, names, seed=seed)
    values = [_values([table[name] for table in taken]) for name in names]
    rates = [
        _counted("singling out, one column", *_one_column_guesses(values, generator)),
        _counted("singling out, several columns", *_several_column_guesses(values, generator)),
        _linkage(likeness, generator),
        *_inference(likeness, values, names, generator),
    ]
    return Attacks(rates=tuple(rates), membership=_membership(likeness))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Values:
    """A column of all tables: codes, and numbers where it is one of numbers."""

    codes: tuple[CodeArray, ...] = field(repr=False)
    numbers: tuple[FloatArray, ...] | None = field(repr=False)


def _values(parts: Sequence[pa.ChunkedArray]) -> _Values:
    """Return one column of every table."""
    numbers = [as_numbers(part) for part in parts]
    known = tuple(part for part in numbers if part is not None)
    return _Values(codes=tuple(codes_of_tables(parts)), numbers=known if len(known) == len(parts) else None)


def _counted(attack: str, fitting: list[list[int]], naive: list[int]) -> AttackRate:
    """Return the guesses that exactly one record fits."""
    original, control = [row[0] for row in fitting], [row[1] for row in fitting if len(row) > 1]
    return AttackRate(
        attack=attack,
        n_guesses=len(original),
        n_successes=original.count(1),
        n_naive=naive.count(1),
        n_control_guesses=len(control),
        n_control=control.count(1),
    )


def _one_column_guesses(
    values: Sequence[_Values], generator: np.random.Generator
) -> tuple[list[list[int]], list[int]]:
    """Return for each guess how many records of each other table fit; and for as many naive guesses."""
    guesses: list[tuple[_Values, float, str]] = []
    for column in values:
        codes = column.codes[1]
        found, counts = np.unique(codes[codes >= 0], return_counts=True)
        guesses += [(column, float(code), "=") for code in found[counts == 1]]
        if column.numbers is not None and not np.isnan(column.numbers[1]).all():
            bounds = float(np.nanmin(column.numbers[1])), float(np.nanmax(column.numbers[1]))
            guesses += [
                (column, bound, how)
                for bound, how in zip(bounds, "<>", strict=True)
                if _n_fitting(column, 1, bound, how) == 1
            ]
    chosen = [guesses[place] for place in some_rows(generator, len(guesses), _MOST_TARGETS)]
    others = [table for table in range(len(values[0].codes)) if table != 1]
    fitting = [[_n_fitting(column, table, bound, how) for table in others] for column, bound, how in chosen]
    naive = []
    for column, _, _ in chosen:
        codes = column.codes[1]
        drawn = float(codes[generator.integers(len(codes))])
        naive.append(_n_fitting(column, 0, drawn, "="))
    return fitting, naive


def _n_fitting(column: _Values, table: int, bound: float, how: str) -> int:
    """Return how many records of a table fit a guess about one column."""
    if how == "=" or column.numbers is None:
        return int(np.count_nonzero(column.codes[table] == bound))
    numbers = column.numbers[table]
    return int(np.count_nonzero(numbers <= bound if how == "<" else numbers >= bound))


def _several_column_guesses(
    values: Sequence[_Values], generator: np.random.Generator
) -> tuple[list[list[int]], list[int]]:
    """Return for each guess how many records of each other table fit; and for as many naive guesses."""
    n_rows, n_used = len(values[0].codes[1]), min(_PREDICATE_COLUMNS, len(values))
    medians = [_median(column) for column in values]
    others = [table for table in range(len(values[0].codes)) if table != 1]
    at_once = max(1, _CELLS_AT_ONCE // max(map(len, values[0].codes)))
    chosen = np.empty((0, n_used + 1), dtype=np.int64)  # the columns of a guess, and its row
    for first in range(0, _TRIES * _MOST_TARGETS, at_once):
        n = min(at_once, _TRIES * _MOST_TARGETS - first)
        used = np.sort(generator.random((n, len(values))).argsort(axis=1)[:, :n_used], axis=1)
        rows = np.repeat(generator.integers(0, n_rows, (n, 1)), n_used, axis=1)
        alone = _n_fitting_all(values, medians, 1, used, rows) == 1
        found = np.concatenate([chosen, np.column_stack([used, rows[:, 0]])[alone]])
        _, places = np.unique(found, axis=0, return_index=True)
        chosen = found[np.sort(places)][:_MOST_TARGETS]
        if len(chosen) == _MOST_TARGETS:
            break
    used, rows = chosen[:, :-1], np.repeat(chosen[:, -1:], n_used, axis=1)
    mixed = generator.integers(0, n_rows, used.shape)
    fitting = [_n_fitting_all(values, medians, table, used, rows) for table in others]
    return np.transpose(fitting).tolist(), _n_fitting_all(values, medians, 0, used, mixed).tolist()


def _median(column: _Values) -> float | None:
    """Return the middle of a column's scrambled numbers; None where it has none."""
    if column.numbers is None or np.isnan(column.numbers[1]).all():
        return None
    return float(np.nanmedian(column.numbers[1]))


def _n_fitting_all(
    values: Sequence[_Values], medians: Sequence[float | None], table: int, used: IntArray, rows: IntArray
) -> IntArray:
    """Return how many records of a table fit each guess: columns, each with the scrambled row of its cell."""
    n_records = len(values[0].codes[table])
    at_once = max(1, _CELLS_AT_ONCE // max(1, n_records))
    counts = [
        np.count_nonzero(_fits(values, medians, table, *part), axis=1)
        for part in zip(
            *(np.array_split(each, range(at_once, len(used), at_once)) for each in (used, rows)), strict=True
        )
    ]
    return np.concatenate(counts)


def _fits(
    values: Sequence[_Values], medians: Sequence[float | None], table: int, used: IntArray, rows: IntArray
) -> BoolArray:
    """Return which records of a table (by column) fit which guesses (by row)."""
    fits = np.ones((len(used), len(values[0].codes[table])), dtype=bool)
    for place, (column, median) in enumerate(zip(values, medians, strict=True)):
        guesses, position = np.nonzero(used == place)
        cells = rows[guesses, position]
        if column.numbers is None or median is None:
            fits[guesses] &= column.codes[table] == column.codes[1][cells, None]
            continue
        bounds = column.numbers[1][cells, None]
        is_above = bounds[:, 0] > median
        fits[guesses[is_above]] &= column.numbers[table] >= bounds[is_above]
        fits[guesses[~is_above]] &= column.numbers[table] <= bounds[~is_above]
    return fits


def _linkage(likeness: Sequence[Records], generator: np.random.Generator) -> AttackRate:
    """Return how often two halves of a record's columns find the same scrambled row."""
    scrambled = likeness[1]
    n_scrambled = n_records(scrambled)
    orders = [generator.permutation(len(scrambled)) for _ in range(_HALVINGS)]

    def n_linked(records: Records) -> tuple[int, int]:
        targets = generator.permutation(n_records(records))[:_MOST_TARGETS]
        linked = 0
        for number, order in enumerate(orders[: len(targets)]):
            part = targets[number::_HALVINGS]
            found = []
            for half in np.array_split(order, 2):
                rows = generator.permutation(n_scrambled)  # so that of rows as close, either half takes any
                others = take_records(_columns_of(scrambled, half), rows)
                own = take_records(_columns_of(records, half), part)
                found.append(rows[find_closest(own, others).nearest])
            linked += int(np.count_nonzero(found[0] == found[1]))
        return linked, len(targets)

    n_successes, n_guesses = n_linked(likeness[0])
    n_control, n_control_guesses = n_linked(likeness[2]) if len(likeness) > 2 else (0, 0)
    return AttackRate(
        attack=own("linkage"),
        n_guesses=n_guesses,
        n_successes=n_successes,
        n_naive=int(generator.binomial(n_guesses, 1 / n_scrambled)),
        n_control_guesses=n_control_guesses,
        n_control=n_control,
    )


def _columns_of(records: Records, places: IntArray) -> Records:
    """Return some columns of a table."""
    return tuple(records[place] for place in places)


def _inference(
    likeness: Sequence[Records],
    values: Sequence[_Values],
    names: Sequence[str],
    generator: np.random.Generator,
) -> Iterator[AttackRate]:
    """Return how often a column is told by the scrambled row that is closest in all others."""
    tables = [table for table in range(len(likeness)) if table != 1]
    chosen = {table: some_rows(generator, n_records(likeness[table]), _MOST_TARGETS) for table in tables}
    scrambled = likeness[1]
    for place in some_rows(generator, len(names), _MOST_INFERRED).tolist():
        others = np.delete(np.arange(len(names)), place)
        right: dict[int, int] = {}
        for table in tables:
            targets = take_records(_columns_of(likeness[table], others), chosen[table])
            guessed = find_closest(targets, _columns_of(scrambled, others)).nearest
            right[table] = _n_right(values[place], table, chosen[table], guessed)
        drawn = generator.integers(0, n_records(scrambled), len(chosen[0]))
        yield AttackRate(
            attack=own("inference"),
            column=names[place],
            n_guesses=len(chosen[0]),
            n_successes=right[0],
            n_naive=_n_right(values[place], 0, chosen[0], drawn),
            n_control_guesses=len(chosen[2]) if 2 in chosen else 0,
            n_control=right.get(2, 0),
        )


def _n_right(column: _Values, table: int, targets: IntArray, guessed: IntArray) -> int:
    """Return how many cells were guessed: words equal, numbers within 5 %."""
    if column.numbers is None:
        truth, guess = column.codes[table][targets], column.codes[1][guessed]
        return int(np.count_nonzero((truth == guess) & (truth >= 0)))
    number, told = column.numbers[table][targets], column.numbers[1][guessed]
    with np.errstate(over="ignore"):
        return int(np.count_nonzero(np.abs(number - told) <= _CLOSE * np.abs(number)))


def _membership(likeness: Sequence[Records]) -> Membership | None:
    """Return how well closeness to the scrambled table tells members; None without a hold-out."""
    if len(likeness) < 3:
        return None
    generator = np.random.default_rng(0)
    found = [
        find_closest(
            take_records(records, some_rows(generator, n_records(records), _MOST_TARGETS)), likeness[1]
        ).best
        for records in (likeness[0], likeness[2])
    ]
    n, m = len(found[0]), len(found[1])
    u = float(average_ranks(np.concatenate(found))[:n].sum()) - n * (n + 1) / 2
    return Membership(n_members=n, n_others=m, auc=u / (n * m))
