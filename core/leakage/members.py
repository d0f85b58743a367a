"""Members: original persons nearer to a scrambled row than outsiders are, over all rows and some columns.

Whoever knows a person's record looks for the scrambled row nearest to it. Where scrambled rows tell nothing
of single persons, an original person and an outsider are as likely to be the nearer one; so among the persons
nearest to scrambled rows as many are members as their share of all persons. Outsiders are the hold-out's
records. Without a hold-out the question is turned round: are scrambled rows nearer to original persons than
original persons are to each other, and than rows mixed from persons alike would be?

Nearness is that of ranks: numbers by how many of the original lie between them, words by being equal or not,
each column as much as any other. Nothing is sampled up to 100,000 rows of each table.

Where persons have several records, these are near to the same scrambled rows together. Whether they have is
told by the records themselves: then the original's are nearer to each other than the hold-out's are to them.
Their records are then taken together by the columns in which they agree, as many of each person, and a person
counts once.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.chance import binomial_tail
from core.coding import IntArray, combination_codes, some_rows, sorted_distinct
from core.comparing.nearest_records import (
    Ranked,
    Records,
    Scores,
    find_nearest,
    likeness_tables,
    n_records,
    ranked,
    take_records,
)
from core.leakage.near_copies import mosaics
from core.leakage.pairing import TablePair
from core.leakage.settings import LeakageSettings
from core.leakage.whole_rows import comparable_rows
from core.tables import Dataset

_MOST_COLUMNS = 255
MOST_ROWS = 100_000  # of each table, that are all looked at
_OF_BUDGET = 25  # times the settings' comparisons: these are as much cheaper than others
_MOST_MIXED = 20_000  # rows
_POWER_Z = 0.841621  # four of five samples
_FEWER_ROWS = 2000  # that are looked at by each set of columns, at least
_FEWEST = 20  # persons of either kind
_OUTSIDERS, _TIMES = 1, 4  # the fewest nearest outsiders, and how many times as many are looked at next
_OF_LEVEL = 2  # halves of the tolerated probability: of all columns, and of the other sets of columns
_MOST_INFERRED = 16  # columns that are looked at beside the quasi-identifiers, one by one
_SURELY_MORE = 2.0  # without outsiders: times as many as by chance, which a smoother population may give too
_SURELY_SEVERAL = 1e-4  # probability by chance, from which persons have several records
_MAY_BE = 0.05  # probability by chance, from which it is asked what values alone would tell
_SHUFFLED = 4  # tables with shuffled columns
_NEARER_THAN, _NEARLY_ALL = 0.05, 0.9  # share of outsiders; of pairs of records that agree


@dataclass(frozen=True, kw_only=True)
class NearerMembers:
    """Where members among the persons nearest to scrambled rows are most beyond their share.

    Attributes
    ----------
    columns
        By which nearness was told.
    n_nearest, n_members
        Persons who are nearest, and the members among them; of each other, where there is no hold-out,
        scrambled rows stand for members and original persons for outsiders.
    n_expected
        Members among them by chance.
    n_persons, n_outsiders
        Members and outsiders looked at, by all columns; by some columns there may be fewer.
    p_value
        Probability in [0, 1] of so many by chance, times how many such were tried.
    n_tried
        Numbers of nearest outsiders, times sets of columns, that were tried.
    n_as_near
        Outsiders who are as near as can be, as a copy is.
    """

    columns: tuple[str, ...] = ()
    n_nearest: int = 0
    n_members: int = 0
    n_expected: float = 0.0
    n_persons: int
    n_outsiders: int
    p_value: float = 1.0
    n_tried: int
    n_as_near: int = 0
    by_holdout: bool = True
    searched_share: float = 1.0  # scrambled rows that the nearest was looked for among, of all of them

    def smallest_leak(self, level: float) -> int | None:
        """Return of how many members a leak would have been told in four of five samples.

        Of members who are all nearer to a scrambled row than anybody else. None where not even all of them
        would have been told. Where only a part of the scrambled rows was searched, as many more as it is
        smaller. `level`: the probability by chance from which members are told.
        """
        persons, told = np.arange(1, self.n_persons + 1), np.zeros(self.n_persons, bool)
        share = self.n_persons / (self.n_persons + self.n_outsiders)
        for number in np.maximum(_numbers_of_outsiders(self.n_outsiders), self.n_as_near).tolist():
            usual = (number * share - _POWER_Z * np.sqrt(number * share)) / (1 - share)  # as near by chance
            members = persons + max(0, math.floor(usual))
            told |= binomial_tail(members, members + number, share) * self.n_tried <= level
        found = math.ceil(persons[told.argmax()] / self.searched_share) if told.any() else self.n_persons + 1
        return found if found <= self.n_persons else None


def _numbers_of_outsiders(n_outsiders: int) -> IntArray:
    """Return how many nearest outsiders are looked at: 1, 4, 16, … up to half of all."""
    n_steps = int(np.emath.logn(_TIMES, max(1.0, n_outsiders / 2 / _OUTSIDERS)))
    numbers: IntArray = _OUTSIDERS * _TIMES ** np.arange(n_steps + 1)
    return numbers


def nearer_members(
    pair: TablePair,
    columns: Sequence[str],
    settings: LeakageSettings,
    *,
    quasi_identifiers: Collection[str] = (),
    holdout: Dataset | None = None,
    most_rows: int = MOST_ROWS,
    report: Callable[[float], None] = lambda _: None,
) -> NearerMembers | None:
    """Return where members are nearer to scrambled rows than outsiders, least likely by chance.

    Nearness is told by all columns and by the quasi-identifiers; with a hold-out also by these and each other
    column, by words alone and by numbers alone: who is known by some columns is looked for by those, whatever
    became of the others. None where a table has fewer than 20 rows. `report` is told the share in [0, 1] that
    is done.
    """
    generator = np.random.default_rng((settings.seed, 3))
    chosen = [columns[place] for place in some_rows(generator, len(columns), _MOST_COLUMNS)]
    given = [pair.original, pair.scrambled, *([] if holdout is None else [holdout])]
    if min(table.n_records for table in given) < _FEWEST:
        return None
    fitting = settings.max_comparisons * _OF_BUDGET // (pair.scrambled.n_records * len(chosen))
    most = max(_FEWEST, min(most_rows, fitting))
    original, scrambled, *others = likeness_tables(
        [
            comparable_rows(table, chosen, settings, some_rows(generator, table.n_records, size))
            for table, size in zip(given, (most, most_rows, most), strict=False)
        ],
        chosen,
        seed=settings.seed,
    )
    known = [place for place, name in enumerate(chosen) if name in {*quasi_identifiers}]
    found: Iterable[NearerMembers]
    if others:
        sets = _sets_of_columns(original, known)
        persons = _of_persons(original, others[0], generator)
        found = _all_beyond_outsiders(*persons, scrambled, sets, generator)
    else:
        sets = _several([range(len(chosen)), known])
        mixed = mosaics(original, min(_MOST_MIXED, n_records(scrambled)), generator)
        found = (_beyond_strangers(original, scrambled, mixed, places) for places in sets)
    tried: list[NearerMembers] = []
    for each in found:
        tried.append(each)
        report(sum(map(len, sets[: len(tried)])) / sum(map(len, sets)))
    least = _least_likely(tried, [tuple(chosen[place] for place in places) for places in sets])
    return replace(least, searched_share=n_records(scrambled) / pair.scrambled.n_records)


def _least_likely(tried: Sequence[NearerMembers], columns: Sequence[tuple[str, ...]]) -> NearerMembers:
    """Return what the set of columns tells that is least likely by chance, of all that were tried.

    All columns, which are tried first, have half of the tolerated probability, the other sets share the rest.
    """
    n_others = len(tried) - 1
    times = [_OF_LEVEL, *[_OF_LEVEL * n_others] * n_others] if n_others else [1]
    p_values = [min(1.0, each.p_value * n) for each, n in zip(tried, times, strict=True)]
    at = p_values.index(min(p_values))
    return replace(
        tried[at],
        columns=columns[at],
        p_value=p_values[at],
        n_tried=tried[0].n_tried * times[0],
        n_persons=tried[0].n_persons,
        n_outsiders=tried[0].n_outsiders,
        n_as_near=tried[0].n_as_near,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Persons:
    """Records of a table, and whose each is; of persons with one record each a number of its own."""

    records: Records
    person: IntArray

    def some(self, generator: np.random.Generator, most: int) -> "_Persons":
        """Return the records of some persons."""
        persons = sorted_distinct(self.person)
        rows = np.flatnonzero(np.isin(self.person, persons[some_rows(generator, len(persons), most)]))
        return _Persons(records=take_records(self.records, rows), person=self.person[rows])

    def nearest(self, references: Ranked, places: Sequence[int]) -> Scores:
        """Return shape (n_persons,): how near a person's nearest record is to its nearest reference."""
        distance = find_nearest(ranked(self.records, places), references).distance
        _, whose = np.unique(self.person, return_inverse=True)
        least = np.full(int(whose.max()) + 1, np.iinfo(np.uint16).max, np.uint16)
        np.minimum.at(least, whose, distance)
        return least


def _of_persons(
    original: Records, outsiders: Records, generator: np.random.Generator
) -> tuple[_Persons, _Persons]:
    """Return both tables by persons, who have a record each unless the original's records go together."""
    both = (original, outsiders)
    agreeing = _agreeing(original, outsiders, generator)
    if agreeing is None:
        alone = [_Persons(records=each, person=np.arange(n_records(each))) for each in both]
        return alone[0], alone[1]
    codes = [np.concatenate([each[place].cells.astype(np.int64) for each in both]) for place in agreeing]
    person = combination_codes(codes, n_records=sum(map(n_records, both)))
    whose = np.split(person, [n_records(original)])
    n_usual = int(min(np.median(np.bincount(each)[each]) for each in whose))
    found = []
    for records, mine in zip(both, whose, strict=True):
        order = np.lexsort((generator.random(len(mine)), mine))
        number = np.arange(len(mine)) - np.searchsorted(mine[order], mine[order])  # of each person's records
        rows = np.sort(order[number < n_usual])
        found.append(_Persons(records=take_records(records, rows), person=mine[rows]))
    return found[0], found[1]


def _agreeing(original: Records, outsiders: Records, generator: np.random.Generator) -> list[int] | None:
    """Return the columns in which a person's records agree; None where persons have one record each.

    They are told from records that are alike by chance by outsiders, who are never nearer to the original's
    than these are to each other.
    """
    references = ranked(original)
    rows, others = (some_rows(generator, n_records(each), _FEWER_ROWS) for each in (original, outsiders))
    among = find_nearest(ranked(take_records(original, rows)), references, own=rows)
    outside = find_nearest(ranked(take_records(outsiders, others)), references)
    share = len(rows) / (len(rows) + len(others))
    if most_beyond(among.distance, outside.distance, share=share).p_value > _SURELY_SEVERAL:
        return None
    near = among.distance < np.quantile(outside.distance, _NEARER_THAN)
    agree = np.array(
        [(column.cells[rows[near]] == column.cells[among.place[near]]).mean() for column in original]
    )
    return np.flatnonzero(agree >= min(_NEARLY_ALL, agree.max())).tolist()


def _all_beyond_outsiders(
    members: _Persons,
    outsiders: _Persons,
    scrambled: Records,
    sets: Sequence[Sequence[int]],
    generator: np.random.Generator,
) -> Iterator[NearerMembers]:
    """Yield what each set of columns tells: of all persons by the first, by the others of at least 2,000.

    All others together take about as long as the first.
    """
    yield _beyond_outsiders(members, outsiders, scrambled, sets[0], generator)
    n_cells, n_persons = sum(map(len, sets[1:])), len(sorted_distinct(members.person))
    most = max(_FEWER_ROWS, n_persons * len(sets[0]) // max(n_cells, 1))
    some = [each.some(generator, most) for each in (members, outsiders)]
    for places in sets[1:]:
        yield _beyond_outsiders(some[0], some[1], scrambled, places, generator)


def _sets_of_columns(original: Records, known: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the places of the columns by which nearness is told, all of them first."""
    every = range(len(original))
    rest = [place for place in every if place not in known][:_MOST_INFERRED]
    words = [place for place in every if not original[place].is_number]
    numbers = [place for place in every if original[place].is_number]
    inferred = [[*known, place] for place in rest] if len(known) > 1 else []
    return _several([every, known, words, numbers, *inferred])


def _several(sets: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return each set of columns once; one column alone only where there is no other."""
    found = dict.fromkeys(tuple(sorted(each)) for each in sets)
    return [each for each in found if len(each) > 1 or each == tuple(sets[0])]


def _beyond_outsiders(
    members: _Persons,
    outsiders: _Persons,
    scrambled: Records,
    places: Sequence[int],
    generator: np.random.Generator,
) -> NearerMembers:
    """Hold original persons against outsiders: which are nearer to the scrambled row nearest to them.

    Where they are, and a column alone tells members by values that only the original has, they have to be
    more of them than with this column shuffled: it holds these values still, but no row of the original.
    """
    references = ranked(scrambled, places)
    ours, theirs = (each.nearest(references, places) for each in (members, outsiders))
    share = len(ours) / (len(ours) + len(theirs))
    found = most_beyond(ours, theirs, share=share)
    if found.p_value > _MAY_BE:
        return found
    shuffled = []
    for at, (column, place) in enumerate(zip(references, places, strict=True)):
        alone = (each.nearest([column], [place]) for each in (members, outsiders))
        if most_beyond(*alone, share=share).p_value <= _MAY_BE:
            tables = [[*references] for _ in range(_SHUFFLED)]
            for table in tables:
                table[at] = replace(column, cells=generator.permutation(column.cells))
            shuffled.append(np.concatenate([members.nearest(table, places) for table in tables]))
    return most_beyond(ours, theirs, share=share, shuffled=shuffled)


def _beyond_strangers(
    original: Records, scrambled: Records, mixed: Records, places: Sequence[int]
) -> NearerMembers:
    """Hold scrambled rows against original persons among each other, and rows mixed from persons alike.

    Of the rows that are nearest to one person one counts; so does one of two persons nearest to each other.
    """
    references, n_rows = ranked(original, places), n_records(scrambled)
    found = find_nearest(ranked(scrambled, places), references)
    order = np.argsort(found.distance, kind="stable")
    _, first = np.unique(found.place[order], return_index=True)
    rows = found.distance[order][first]
    persons = np.arange(n_records(original))
    among = find_nearest(references, references, own=persons)
    is_second = (among.place[among.place] == persons) & (among.place < persons)
    others = (
        (among.distance[~is_second], n_rows / (len(persons) / 2)),
        (find_nearest(ranked(mixed, places), references).distance, n_rows / n_records(mixed)),
    )
    tried = [
        most_beyond(rows, theirs, share=_SURELY_MORE * ratio / (1 + _SURELY_MORE * ratio), by_holdout=False)
        for theirs, ratio in others
    ]
    return max(tried, key=lambda each: each.p_value)


def most_beyond(
    ours: Scores,
    theirs: Scores,
    *,
    share: float,
    shuffled: Sequence[Scores] = (),
    by_holdout: bool = True,
) -> NearerMembers:
    """Return beside how many nearest outsiders members exceed their share least likely by chance.

    Looked at are the 1, 4, 16, … nearest outsiders, up to half of all, with all who are as near as the last
    of them. How many members are nearer than the next outsider follows a negative binomial law. `share`: of
    members by chance; `shuffled`: how near they are to four tables with a column shuffled, for each such
    column. Four times as many are in these by chance.
    """
    ordered = np.sort(theirs)
    numbers = np.minimum(_numbers_of_outsiders(len(theirs)), len(theirs))
    limits = np.unique(ordered[numbers - 1])
    n_ours, n_theirs = (np.searchsorted(np.sort(each), limits, side="right") for each in (ours, theirs))
    n_nearest = n_ours + n_theirs
    chances = binomial_tail(n_ours, n_nearest, share)
    for each in shuffled:
        n_by_values = np.searchsorted(np.sort(each), limits, side="right")
        chances = np.maximum(chances, binomial_tail(n_ours, n_ours + n_by_values, 1 / (1 + _SHUFFLED)))
    at = int(np.argmin(chances))
    return NearerMembers(
        n_nearest=int(n_nearest[at]),
        n_members=int(n_ours[at]),
        n_expected=share * int(n_nearest[at]),
        n_persons=len(ours),
        n_outsiders=len(theirs),
        p_value=float(min(1.0, chances[at] * len(chances))),
        n_tried=len(chances),
        n_as_near=int(np.count_nonzero(theirs == 0)),
        by_holdout=by_holdout,
    )
