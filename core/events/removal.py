"""Removal of what still violates k: the events concerned, or the users concerned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum

import numpy as np

from core.coding import IntArray
from core.events.flattening import Flattened
from core.events.settings import REMOVE_EVENTS
from core.events.stages import Stages
from core.events.timestamps import BoolArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Reduced:
    """What is released of a flattened log."""

    flattened: Flattened  # the log before removal
    k: int  # the rule that was applied
    strategy: str
    cap: int | None
    kept: BoolArray  # shape (n_units,), whether a unit's combination is released
    # shape (n_units,), released events of each unit: all, none, or what the cap leaves
    n_events_of_unit: IntArray
    # shape (n_groups,), distinct users of each combination before and after removal; 0 for a combination that
    # no event has
    n_users_before: IntArray
    n_users_after: IntArray
    user_is_kept: BoolArray  # shape (n_users,), whether a user still has an event

    @cached_property
    def n_events_of_group(self) -> IntArray:
        """Return shape (n_groups,): released events of each combination."""
        stages, groups = self.flattened.stages, self.flattened.group_of_unit
        return np.bincount(groups, self.n_events_of_unit, minlength=stages.n_groups).astype(np.int64)

    @property
    def n_events(self) -> int:
        """Return the number of events released."""
        return int(self.n_events_of_group.sum())

    @property
    def n_events_capped(self) -> int:
        """Return the number of events removed as a user's excess over the cap."""
        return int(self.flattened.stages.n_events_of_unit[self.kept].sum()) - self.n_events

    @property
    def n_users(self) -> int:
        """Return the number of users with a released event."""
        return int(np.count_nonzero(self.user_is_kept))

    @property
    def n_events_flattened(self) -> int:
        """Return the number of events released with at least one coarser value."""
        return int(self.n_events_of_group[self.flattened.stages.stage_of_group > 0].sum())

    @property
    def n_cells_generalized(self) -> int:
        """Return the number of released cells of contributing columns that are coarser."""
        return int(self.flattened.stages.n_generalized_of_group @ self.n_events_of_group)

    @property
    def penalty_share(self) -> float:
        """Return the normalized certainty penalty in [0, 1] of the log after cleanup.

        The mean over events and contributing columns: 0 for a value kept, values covered / values
        of the column for a coarser one, 1 for each cell of a removed event. 0 without events.

        References
        ----------
        Xu et al., Utility-based anonymization using local recoding, KDD 2006.
        """
        stages = self.flattened.stages
        penalties = stages.loss_of_group * self.n_events_of_group
        n_all = len(stages.unit_of_event)
        return (fsum(penalties.tolist()) + n_all - self.n_events) / max(n_all, 1)


def reduce_to_k(flattened: Flattened, *, k: int, strategy: str, cap: int | None = None) -> Reduced:
    """Remove events or users until every combination has `k` distinct users, then what is over the cap.

    `strategy`: ``remove-events`` drops all events of the combinations below k. ``remove-users`` drops the
    users of such combinations, of those that thereby fall below k, and so on. Removing a user never raises a
    count, so all of them must go, and what is left is one unique set whatever the order.
    """
    stages = flattened.stages
    present = np.zeros(len(stages.group_of_pair), dtype=bool)
    present[flattened.pair_of_unit] = True
    n_before = stages.users_per_group(present)
    if strategy == REMOVE_EVENTS:
        kept = n_before[flattened.group_of_unit] >= k
        n_after = np.where(n_before >= k, n_before, 0)
    else:
        stays = users_after_peeling(stages, present, n_before, k)
        kept = stays[stages.user_of_unit]
        n_after = stages.users_per_group(present & stays[stages.user_of_pair])
    user_is_kept = np.zeros(stages.n_users, dtype=bool)
    user_is_kept[stages.user_of_unit[kept]] = True
    return Reduced(
        flattened=flattened,
        k=k,
        strategy=strategy,
        cap=cap,
        kept=kept,
        n_events_of_unit=_capped(flattened, kept, cap),
        n_users_before=n_before,
        n_users_after=n_after,
        user_is_kept=user_is_kept,
    )


def _capped(flattened: Flattened, kept: BoolArray, cap: int | None) -> IntArray:
    """Return how many events of each unit stay when a user keeps `cap` of each combination."""
    n_events = np.where(kept, flattened.stages.n_events_of_unit, 0)
    if cap is None:
        return n_events
    order = np.argsort(flattened.pair_of_unit, kind="stable")
    pair, n = flattened.pair_of_unit[order], n_events[order]
    before = np.cumsum(n) - n
    is_first = np.append(True, pair[1:] != pair[:-1])[: len(pair)]
    before -= np.maximum.accumulate(np.where(is_first, before, 0))
    stay = np.empty_like(n)
    stay[order] = np.clip(cap - before, 0, n)
    return stay


def users_after_peeling(stages: Stages, present: BoolArray, n_users_of_group: IntArray, k: int) -> BoolArray:
    """Return which users stay when those of combinations below `k` are removed until none is.

    As in peeling a graph to its k-core: each round removes the users of the combinations that fell
    below k and lowers the counts of their other combinations. Every (combination, user) pair is
    looked at twice at most, so the time is near linear in the pairs.

    References
    ----------
    Batagelj and Zaveršnik, An O(m) algorithm for cores decomposition of networks, 2003.
    """
    n_users, stays = n_users_of_group.copy(), np.ones(stages.n_users, dtype=bool)
    fallen = np.flatnonzero((n_users > 0) & (n_users < k))
    while len(fallen):
        pairs = _slices(stages.pairs_by_group, fallen)
        users = np.unique(stages.user_of_pair[pairs[present[pairs]]])
        users = users[stays[users]]
        stays[users] = False
        pairs = _slices(stages.pairs_by_user, users)
        groups, n_lost = np.unique(stages.group_of_pair[pairs[present[pairs]]], return_counts=True)
        before = n_users[groups]
        n_users[groups] = before - n_lost
        fallen = groups[(before >= k) & (before - n_lost < k) & (before - n_lost > 0)]
    return stays


def _slices(ordered: tuple[IntArray, IntArray], keys: IntArray) -> IntArray:
    """Return what belongs to any of the keys, from an order and where each key's part begins."""
    order, starts = ordered
    lengths = starts[keys + 1] - starts[keys]
    before = np.cumsum(lengths) - lengths
    return order[np.repeat(starts[keys] - before, lengths) + np.arange(int(lengths.sum()))]
