"""The cheapest attack: which few facts, from which tables, find how many persons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.coding import IntArray, combination_codes
from core.delivery.keys import Place
from core.known import events_of, known_none, known_one

MOST_FACTS = 5
_BEAM = 6  # sets of facts that are carried on, of those of one size
_WORK = 400_000_000  # records read over all sets of facts
_LEAST_SETS = 200
_MOST_SETS = 12  # of the fewest facts that find half
FOUND_HALF = 0.5


@dataclass(frozen=True, kw_only=True)
class Attack:
    """What somebody finds who knows a few facts of a person: columns of the person, and of one record."""

    of_person: tuple[Place, ...]
    of_record: tuple[Place, ...]  # of one record of one table
    # the mean over persons of the share of their records with which the facts fit nobody else, in [0, 1]
    share_found: float

    @property
    def n_facts(self) -> int:
        """Return how many facts it takes."""
        return len(self.of_person) + len(self.of_record)

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the tables that the facts are from."""
        return tuple(dict.fromkeys(place.table for place in (*self.of_person, *self.of_record)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """Columns of a table where persons have several records."""

    person: IntArray  # shape (n_records,), -1 for nobody
    columns: Mapping[Place, IntArray]  # codes from 0 by column, shape (n_records,)


@dataclass(frozen=True, kw_only=True)
class Attacks:
    """The facts that find most, and the smallest sets of them that find half."""

    best: tuple[Attack, ...] = ()  # by number of facts, where more find more
    # of the fewest facts that find half of the persons, those tried that do, the best first
    finding_half: tuple[Attack, ...] = ()


def cheapest_attacks(
    persons: Mapping[Place, IntArray], records: Sequence[Records], *, n_persons: int
) -> Attacks:
    """Return the facts that find most persons, for each number of facts that finds more than fewer do.

    Facts are values of a person's columns, and of columns of one of their records in one table, drawn at
    random. All pairs are tried, as far as the work allows; larger sets are the best few of the size below
    with a fact more, so a better one may exist. `persons` holds codes from 0, shape (n_persons,), of columns
    of one value each; `records` those of tables where persons have several, and of columns of lists.
    """
    search = _Search(persons, records, n_persons)
    best: list[Attack] = []
    half: tuple[Attack, ...] = ()
    sets: list[frozenset[Place]] = [frozenset()]
    for n_facts in range(1, MOST_FACTS + 1):
        tried = search.attacks({more for each in sets for more in search.with_one_more(each)})
        if not tried:
            break
        if tried[0].share_found > (best[-1].share_found if best else 0):
            best.append(tried[0])
        half = half or tuple(each for each in tried if each.share_found >= FOUND_HALF)[:_MOST_SETS]
        if tried[0].share_found >= 1:
            break
        sets = [
            frozenset((*each.of_person, *each.of_record)) for each in tried[: None if n_facts == 1 else _BEAM]
        ]
    return Attacks(best=tuple(best), finding_half=half)


class _Search:
    def __init__(self, persons: Mapping[Place, IntArray], records: Sequence[Records], n_persons: int) -> None:
        self._persons, self._n_persons = persons, n_persons
        self._records = {place: each for each in records for place in each.columns}
        self._columns = [*persons, *self._records]
        largest = max([n_persons, *(len(each.person) for each in records)])
        self._sets_left = max(_LEAST_SETS, _WORK // max(largest, 1))

    def with_one_more(self, facts: frozenset[Place]) -> Iterable[frozenset[Place]]:
        """Yield the sets of one fact more; facts of records are all of one record."""
        of = {id(self._records[place]) for place in facts if place in self._records}
        for place in self._columns:
            if place not in facts and (place in self._persons or not of or id(self._records[place]) in of):
                yield facts | {place}

    def attacks(self, sets: Iterable[frozenset[Place]]) -> list[Attack]:
        """Return what the sets find, the best first; as many as the work allows."""
        ordered = sorted(sets, key=sorted)[: self._sets_left]
        self._sets_left -= len(ordered)
        found = [self._attack(sorted(each)) for each in ordered]
        found.sort(key=lambda tried: (-tried[0].share_found, -tried[1]))
        return [attack for attack, _ in found]

    def _attack(self, facts: Sequence[Place]) -> tuple[Attack, int]:
        """Return what the facts find, and into how many groups they part persons or records."""
        of_person = tuple(place for place in facts if place in self._persons)
        of_record = tuple(place for place in facts if place not in self._persons)
        demographics = combination_codes(
            [self._persons[place] for place in of_person], n_records=self._n_persons
        )
        nothing = np.zeros(0, dtype=np.int64)
        if of_record:
            records = self._records[of_record[0]]
            known = records.person >= 0
            codes = combination_codes(
                [records.columns[place][known] for place in of_record], n_records=int(np.count_nonzero(known))
            )
            events = events_of(demographics, records.person[known], codes)
            found = known_one(events)
            groups = combination_codes(
                [demographics[events.person], events.event], n_records=len(events.person)
            )
            n_groups = int(groups.max(initial=-1)) + 1
            has_record = np.bincount(records.person[known], minlength=self._n_persons) > 0
            alone = np.where(has_record, found.alone, 0.0)  # who has none, has no such fact
        else:
            alone = known_none(events_of(demographics, nothing, nothing)).alone
            n_groups = int(demographics.max(initial=-1)) + 1
        attack = Attack(of_person=of_person, of_record=of_record, share_found=float(alone.mean()))
        return attack, n_groups
