"""Persons as bags of events: what an intruder finds who knows their quasi-identifiers and some or all events.

Of a person, an *event* is the combination of quasi-identifiers in one of their records of a table where
persons have several. An intruder who knows n events of somebody looks for the persons of the same
demographics with all of these events (the adversary of Terrovitis, Mamoulis & Kalnis, "Privacy-preserving
anonymization of set-valued data", VLDB 2008, who knows up to m items).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import cast

import numpy as np
import numpy.typing as npt
import scipy

from core.coding import (
    BoolArray,
    FloatArray,
    IntArray,
    combination_codes,
    some_rows,
    sorted_distinct,
    value_codes,
)

_CONFIDENCE = 0.95
_BITS = 64  # of a word
_RARE = 256  # persons with an event up to which they are listed; of more, and more than a word's share, bits
_MOST_EVENTS = 60  # of a person whose pairs and triples are looked at; of more, as many drawn at random

BitArray = npt.NDArray[np.uint64]


# --- what all events together find


def bags(owner: IntArray, item: IntArray, n_owners: int) -> IntArray:
    """Return shape (n_owners,): a code from 0 of what each owner has, each item as often as it occurs.

    `owner` and `item` have shape (n_records,): whose each record is, and its code from 0. Bags are compared
    by two 64-bit sums of mixed codes: two different ones among a million agree in both with a probability
    below 1e-26.
    """
    sums = []
    for salt in (1, 2):
        total = np.zeros(n_owners, dtype=np.uint64)
        np.add.at(total, owner, _mixed(item, salt))
        sums.append(value_codes(total))
    return combination_codes(sums, n_records=n_owners)


def _mixed(codes: IntArray, salt: int) -> BitArray:
    """Return each code mixed to 64 bits (splitmix64; Steele, Lea and Flood, 2014)."""
    mixed = (codes.astype(np.uint64) * np.uint64(2) + np.uint64(salt)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return cast("BitArray", mixed ^ (mixed >> np.uint64(31)))


def alike_by_bag(person: IntArray, item: IntArray, start: IntArray) -> IntArray:
    """Return shape (n_persons,): how many persons have the same bag and the same start.

    `person` and `item` as of `bags`; `start`, shape (n_persons,), is a code from 0 that has to be equal too.
    """
    codes = combination_codes([bags(person, item, len(start)), start], n_records=len(start))
    return np.bincount(codes, minlength=1)[codes] if len(codes) else codes


def users_sharing(choices: IntArray, users: IntArray) -> IntArray:
    """Return for each choice, a code from 0, how many users have it, each counted once."""
    n_users = max(int(users.max(initial=-1)) + 1, 1)
    of_pair = sorted_distinct(choices * n_users + users) // n_users
    return np.bincount(of_pair, minlength=int(choices.max(initial=-1)) + 1)[choices]


# --- what some events find


@dataclass(frozen=True, kw_only=True, eq=False)
class Events:
    """Who has which events, each pair of person and event once, by demographics, event and person."""

    demographics: IntArray  # shape (n_persons,): a code per combination of the persons' own quasi-identifiers
    person: IntArray  # shape (n_pairs,)
    event: IntArray  # shape (n_pairs,)

    @property
    def n_persons(self) -> int:
        """Return the number of persons."""
        return len(self.demographics)


@dataclass(frozen=True, kw_only=True, eq=False)
class Known:
    """What so many known events find.

    Class sizes count persons: how many have the same demographics and all of the known events.
    """

    n_events: int | None  # None for all events of a person, each as often as it occurs
    n_persons: int  # all of them, and those looked at: fewer where it is a sample
    n_looked_at: int
    # shape (n_looked_at,): the smallest class that n of the person's events leave, those that tell most
    smallest: IntArray
    # shape (n_looked_at,): the share of the choices of n events that leave the person alone
    alone: FloatArray
    n_cut: int = 0  # persons looked at of whose events only some were, drawn at random
    # shape of `smallest`: how many persons each is of, where alike ones are counted together
    n_alike: IntArray | None = None

    @property
    def is_sample(self) -> bool:
        """Return whether not everybody was looked at."""
        return self.n_looked_at < self.n_persons

    def n_below(self, size: int) -> int:
        """Return the persons looked at whom some n events leave among fewer than `size`."""
        return n_below(self.smallest, size, self.n_alike)

    def share_below(self, size: int) -> float | None:
        """Return the share in [0, 1] of persons whom some n events leave among fewer than `size`."""
        return self.n_below(size) / self.n_looked_at if self.n_looked_at else None

    @property
    def share_found(self) -> float | None:
        """Return the mean share in [0, 1] of persons whom n of their events, drawn at random, leave alone."""
        return float(np.average(self.alone, weights=self.n_alike)) if self.n_looked_at else None

    def interval_below(self, size: int) -> tuple[float, float] | None:
        """Return the 95 % interval of `share_below` (Clopper & Pearson 1934); of no sample a point."""
        share = self.share_below(size)
        if share is None:
            return None
        if not self.is_sample:
            return share, share
        n, found = self.n_looked_at, self.n_below(size)
        tail = (1 - _CONFIDENCE) / 2
        least = float(scipy.special.betaincinv(found, n - found + 1, tail)) if found else 0.0
        most = float(scipy.special.betaincinv(found + 1, n - found, 1 - tail)) if found < n else 1.0
        return least, most


def n_below(smallest: IntArray, size: int, n_alike: IntArray | None) -> int:
    """Return how many are in classes below a size, of which each stands for `n_alike`."""
    is_below = smallest < size
    return int(np.count_nonzero(is_below) if n_alike is None else n_alike[is_below].sum())


def events_of(demographics: IntArray, person: IntArray, event: IntArray) -> Events:
    """Return persons and events with each pair once; shapes (n_persons,), (n_records,), (n_records,)."""
    n_persons = max(len(demographics), 1)
    pairs = sorted_distinct(event * n_persons + person)
    return Events(demographics=demographics, person=pairs % n_persons, event=pairs // n_persons)


def known_none(events: Events) -> Known:
    """Return what demographics alone find."""
    sizes = np.bincount(events.demographics, minlength=1)[events.demographics]
    return _known(events, 0, sizes, (sizes == 1).astype(np.float64))


def known_one(events: Events) -> Known:
    """Return what demographics and one event find, exactly; who has no event has demographics alone."""
    size = _sizes(events)
    n = events.n_persons
    n_events = np.bincount(events.person, minlength=n)
    smallest = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(smallest, events.person, size)
    alone = np.bincount(events.person, weights=size == 1, minlength=n)
    none = known_none(events)
    without = n_events == 0
    return _known(
        events,
        1,
        np.where(without, none.smallest, smallest),
        np.where(without, none.alone, alone / np.maximum(n_events, 1)),
    )


def known_all(demographics: IntArray, person: IntArray, event: IntArray) -> Known:
    """Return what demographics and all events find, each as often as it occurs; shapes as of `events_of`."""
    n_persons = len(demographics)
    sizes = alike_by_bag(person, event, demographics)
    return Known(
        n_events=None,
        n_persons=n_persons,
        n_looked_at=n_persons,
        smallest=sizes,
        alone=(sizes == 1).astype(np.float64),
    )


def known_several(
    events: Events,
    n_events: int,
    *,
    most_persons: int,
    seed: int,
) -> Known:
    """Return what demographics and n events find, n from 2 to 3.

    Everybody is looked at where there are no more than `most_persons`, else so many, drawn at random. A
    person with fewer events is looked at with all of theirs.
    """
    rng = np.random.default_rng(seed)
    who = some_rows(rng, events.n_persons, most_persons)
    look = _Lookup(events)
    found: list[tuple[int, float]] = []
    of_alike: dict[tuple[int, bytes], tuple[int, float]] = {}  # by demographics and events
    n_cut = 0
    for person in who:
        mine = look.events_of(person)
        if len(mine) > _MOST_EVENTS:
            n_cut += 1
            mine = mine[some_rows(rng, len(mine), _MOST_EVENTS)]
        alike = int(events.demographics[person]), mine.tobytes()
        if alike not in of_alike:
            of_alike[alike] = look.fewest(person, mine, min(n_events, len(mine)))
        found.append(of_alike[alike])
    n_looked_at = len(found)
    return Known(
        n_events=n_events,
        n_persons=events.n_persons,
        n_looked_at=n_looked_at,
        smallest=np.array([least for least, _ in found], dtype=np.int64),
        alone=np.array([share for _, share in found], dtype=np.float64),
        n_cut=n_cut,
    )


def _known(events: Events, n_events: int, smallest: IntArray, alone: FloatArray) -> Known:
    n = events.n_persons
    return Known(n_events=n_events, n_persons=n, n_looked_at=n, smallest=smallest, alone=alone)


def _sizes(events: Events) -> IntArray:
    """Return shape (n_pairs,): the persons with the person's demographics and the event."""
    demographics = events.demographics[events.person]
    codes = value_codes(demographics * (int(events.event.max(initial=0)) + 1) + events.event)
    return np.bincount(codes, minlength=1)[codes]


class _Lookup:
    """Counts the persons of some demographics with several events."""

    def __init__(self, events: Events) -> None:
        n_events = int(events.event.max(initial=0)) + 1
        self._n_events = n_events
        self._demographics = events.demographics
        self._n_alike = np.bincount(events.demographics, minlength=1)
        key = events.demographics[events.person] * n_events + events.event
        order = np.argsort(key, kind="stable")
        self._key, self._holders = key[order], events.person[order]
        by_person = np.argsort(events.person, kind="stable")
        self._events = events.event[by_person]
        self._first = np.searchsorted(events.person[by_person], np.arange(events.n_persons + 1))
        self._place = np.zeros(events.n_persons, dtype=np.int64)  # of candidates, one person after another
        by_class = np.argsort(events.demographics, kind="stable")
        starts = np.cumsum(self._n_alike) - self._n_alike
        self._rank = np.empty(
            events.n_persons, dtype=np.int64
        )  # of a person among those of the same demographics
        self._rank[by_class] = np.arange(events.n_persons) - starts[events.demographics[by_class]]
        self._bits: dict[int, BitArray] = {}

    def events_of(self, person: int) -> IntArray:
        return self._events[self._first[person] : self._first[person + 1]]

    def fewest(self, person: int, mine: IntArray, n: int) -> tuple[int, float]:
        """Return the fewest persons that n of some events leave, and the share of choices that leave one."""
        n_alike = int(self._n_alike[self._demographics[person]])
        if n == 0:
            return n_alike, float(n_alike == 1)
        keys = self._demographics[person] * self._n_events + mine
        starts, ends = np.searchsorted(self._key, keys), np.searchsorted(self._key, keys, side="right")
        if n == 1:
            return int((ends - starts).min()), float(np.mean(ends - starts == 1))
        is_rare = ends - starts <= max(_RARE, n_alike // _BITS)
        order = np.argsort(~is_rare, kind="stable")
        places = [slice(starts[each], ends[each]) for each in order]
        n_rare = int(np.count_nonzero(is_rare))
        words = [self._bits_of(each, n_alike) for each in places[n_rare:]]
        often = np.array(words, dtype=np.uint64).reshape(len(words), -(-n_alike // _BITS))
        return (_two if n == 2 else _three)(self._having(places[:n_rare], often), often)

    def _bits_of(self, place: slice, n_alike: int) -> BitArray:
        """Return a bit for everybody of the same demographics: whether they have an event."""
        if place.start not in self._bits:
            has = np.zeros(-(-n_alike // _BITS) * _BITS, dtype=np.bool_)
            has[self._rank[self._holders[place]]] = True
            self._bits[place.start] = np.packbits(has, bitorder="little").view(np.uint64)
        return self._bits[place.start]

    def _having(self, rare: Sequence[slice], often: BitArray) -> BoolArray:
        """Return shape (n_mine, n_candidates): who of those with a rare event has which, rare ones first."""
        holders = np.concatenate([np.zeros(0, dtype=np.int64), *(self._holders[place] for place in rare)])
        self._place[holders] = np.arange(len(holders))
        candidates = holders[self._place[holders] == np.arange(len(holders))]
        self._place[candidates] = np.arange(len(candidates))
        has = np.zeros((len(rare) + len(often), len(candidates)), dtype=np.bool_)
        lengths = [place.stop - place.start for place in rare]
        has[np.repeat(np.arange(len(rare)), lengths), self._place[holders]] = True
        rank = self._rank[candidates]
        has[len(rare) :] = (often[:, rank // _BITS] >> (rank % _BITS).astype(np.uint64)) & np.uint64(1)
        return has


@cache  # of few numbers of events, for every person again
def _pairs(n: int) -> tuple[IntArray, IntArray]:
    """Return the places of each two of n events."""
    return np.triu_indices(n, 1)


def _both(often: BitArray) -> IntArray:
    """Return shape (n_pairs,): how many have each two of some events, in the order of `_pairs`."""
    counts = [
        np.bitwise_count(often[at] & often[at + 1 :]).sum(axis=1, dtype=np.int64) for at in range(len(often))
    ]
    return np.concatenate([np.zeros(0, dtype=np.int64), *counts])


def _two(has: BoolArray, often: BitArray) -> tuple[int, float]:
    """Return the fewest that two events leave, and the share of choices that leave one."""
    numbers = has.astype(np.float32)  # counts stay exact below 2^24
    n_mine, n_rare = len(has), len(has) - len(often)
    first, second = _pairs(n_mine)
    both = (numbers @ numbers.T)[first, second]
    both[first >= n_rare] = _both(often)
    return int(both.min()), float(np.mean(both == 1))


def _three(has: BoolArray, often: BitArray) -> tuple[int, float]:
    """Return the fewest that three events leave, and the share of choices that leave one."""
    numbers = has.astype(np.float32)
    n_mine, n_rare = len(has), len(has) - len(often)
    least, n_alone = [], 0
    for first in range(n_mine - 2):
        if first < n_rare:
            rest = numbers[first + 1 :, has[first]]
            three = (rest @ rest.T)[_pairs(n_mine - first - 1)]
        else:
            at = first - n_rare
            three = _both(often[at] & often[at + 1 :]).astype(np.float32)
        least.append(int(three.min()))
        n_alone += int(np.count_nonzero(three == 1))
    return min(least), n_alone / comb(n_mine, 3)
