"""Measure a log once, then anonymize it for any k and strategy."""

from dataclasses import dataclass
from functools import cached_property
from math import fsum

import numpy as np

from core.coding import BoolArray, FloatArray, IntArray, sorted_distinct
from core.events.log import EventLog, read_event_log
from core.events.settings import AUTOMATIC, REMOVE_EVENTS, STRATEGIES, EventSettings, Rule
from core.events.stages import ANY, Stages, prepare_stages
from core.tables import Dataset
from core.words import input_error


@dataclass(frozen=True, kw_only=True, eq=False)
class Flattened:
    """Where flattening left every unit of events."""

    stages: Stages  # what was flattened
    # shape (n_units,), the stage a unit stopped at; the last one also where k is not reached
    stage_of_unit: IntArray
    group_of_unit: IntArray  # shape (n_units,), its combination and (combination, user) pair at that stage
    pair_of_unit: IntArray
    n_below_after_step: IntArray  # shape (n_stages,), events still below k after each stage
    # shape (n_stages,), certainty penalty summed over the events settled up to each stage
    penalty_after_step: FloatArray
    n_events_raised: int  # events raised to the last stage to lift others over k


def flatten(stages: Stages, k: int, *, raise_settled: bool) -> Flattened:
    """Take every combination with fewer than `k` distinct users a stage further, stage by stage.

    A combination that reaches k among the events that came that far stops there. Those below k
    after the last stage stay there and are left to removal.

    `raise_settled`: where a combination is below k after the last stage, raise the cheapest combination that
    stopped earlier and shares its coarser value: fewest events times penalty added. It brings k users of its
    own, so one is enough.

    Returns two units of one user and one combination at stage 0 may stop at different stages only where a
    step's coarser values split the combination (a week that spans two months).
    """
    stage_of_unit = np.zeros(stages.n_units, dtype=np.int64)
    active = np.arange(stages.n_units)
    n_below = np.zeros(stages.n_stages, dtype=np.int64)
    penalty = np.zeros(stages.n_stages)
    for stage in range(stages.n_stages):
        stage_of_unit[active] = stage
        below = _are_below(stages, stage, active, k)
        settled, active = active[~below], active[below]
        n_below[stage] = stages.n_events_of_unit[active].sum()
        loss = stages.loss_of_group[stages.group_of_unit[stage][settled]]
        penalty[stage] = loss @ stages.n_events_of_unit[settled]
    raised = np.empty(0, dtype=np.int64)
    if raise_settled and len(active):
        raised = _units_to_raise(stages, stage_of_unit, active)
        stage_of_unit[raised] = stages.n_stages - 1
    return Flattened(
        stages=stages,
        stage_of_unit=stage_of_unit,
        group_of_unit=_at_own_stage(stages.group_of_unit, stage_of_unit),
        pair_of_unit=_at_own_stage(stages.pair_of_unit, stage_of_unit),
        n_below_after_step=n_below,
        penalty_after_step=np.cumsum(penalty),
        n_events_raised=int(stages.n_events_of_unit[raised].sum()),
    )


def _at_own_stage(per_stage: tuple[IntArray, ...], stage_of_unit: IntArray) -> IntArray:
    found = per_stage[0].copy()
    for stage in range(1, len(per_stage)):
        there = np.flatnonzero(stage_of_unit == stage)
        found[there] = per_stage[stage][there]
    return found


def _are_below(stages: Stages, stage: int, active: IntArray, k: int) -> BoolArray:
    """Return which of the active units have fewer than k distinct users in their combination."""
    if stage == 0:
        n_users = stages.n_users_of_whole_group
    else:
        present = np.zeros(len(stages.group_of_pair), dtype=bool)
        present[stages.pair_of_unit[stage][active]] = True
        n_users = stages.users_per_group(present)
    return n_users[stages.group_of_unit[stage][active]] < k


def _units_to_raise(stages: Stages, stage_of_unit: IntArray, below: IntArray) -> IntArray:
    """Return the units of the combinations to raise: for each target, its cheapest one, as a whole."""
    own = _at_own_stage(stages.group_of_unit, stage_of_unit)
    target_of_unit = stages.group_of_unit[-1]
    is_target = np.zeros(stages.n_groups, dtype=bool)
    is_target[target_of_unit[below]] = True
    lowest, highest = np.full(stages.n_groups, stages.n_groups), np.full(stages.n_groups, -1)
    np.minimum.at(lowest, own, target_of_unit)
    np.maximum.at(highest, own, target_of_unit)
    candidates = np.flatnonzero((lowest == highest) & (stages.stage_of_group < stages.n_stages - 1))
    candidates = candidates[is_target[lowest[candidates]]]
    targets = lowest[candidates]
    n_events = np.bincount(own, weights=stages.n_events_of_unit, minlength=stages.n_groups)
    cost = n_events[candidates] * (stages.loss_of_group[targets] - stages.loss_of_group[candidates])
    order = np.lexsort((stages.rank_of_group[candidates], cost, targets))
    cheapest = order[np.unique(targets[order], return_index=True)[1]]
    is_raised = np.zeros(stages.n_groups, dtype=bool)
    is_raised[candidates[cheapest]] = True
    return np.flatnonzero(is_raised[own])


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
        """Return the normalized certainty penalty in [0, 1] of the log after cleanup; 0 without events.

        The mean over events and contributing columns: 0 for a value kept, values covered / values of the
        column for a coarser one, 1 for each cell of a removed event.

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
        stays = _users_after_peeling(stages, present, n_before, k)
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


def _users_after_peeling(stages: Stages, present: BoolArray, n_users_of_group: IntArray, k: int) -> BoolArray:
    """Return which users stay when those of combinations below `k` are removed until none is."""
    # Batagelj and Zaveršnik, An O(m) algorithm for cores decomposition of networks, 2003
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


SINGLE_LEVEL, MULTI_LEVEL = "single-level", "multi-level"
_FLATTENINGS = (SINGLE_LEVEL, MULTI_LEVEL)
_CURVE_K = tuple(range(2, 51))
LARGEST_LOG_WITH_CURVE = 200_000


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredEvents:
    """A log with everything about it that does not depend on k."""

    log: EventLog  # the events
    single: Stages  # combinations as they are and with the flatten column at "any"

    @cached_property
    def multi(self) -> Stages:
        """Return the combinations at each multi-level step: those chosen, or all of them."""
        return prepare_stages(self.log, self.log.settings.flatten_steps or (AUTOMATIC,))

    @cached_property
    def n_users_after_cleanup(self) -> int:
        """Return the number of distinct users with an event after cleanup."""
        return int(np.count_nonzero(np.bincount(self.single.user_of_unit)))

    @property
    def n_events_after_cleanup(self) -> int:
        """Return the number of events after cleanup."""
        return len(self.single.unit_of_event)

    def stages(self, flattening: str) -> Stages:
        """Return the stages of one of :data:`_FLATTENINGS`."""
        return self.single if flattening == SINGLE_LEVEL else self.multi


@dataclass(frozen=True, kw_only=True, eq=False)
class AnonymizedEvents:
    """A log anonymized for one rule."""

    measured: MeasuredEvents  # the log
    rule: Rule  # k and strategy
    flattening: str  # what was used: ``single-level`` or ``multi-level``
    reduced: Reduced  # what is released
    # what single-level flattening releases under the same rule; `reduced` itself where it was used
    single_level: Reduced
    # true where multi-level flattening was asked for and keeps fewer events than single-level
    fell_back: bool

    @property
    def stages(self) -> Stages:
        """Return the stages that were used."""
        return self.reduced.flattened.stages

    @cached_property
    def event_is_kept(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return shape (n_events_after_cleanup,): whether each event is released."""
        units = self.stages.unit_of_event
        kept = self.reduced.kept[units]
        if self.reduced.n_events_capped:
            kept = _rank_in_unit(units, self.stages.n_events_of_unit) < self.reduced.n_events_of_unit[units]
        return kept

    @cached_property
    def merging_penalty(self) -> float:
        """Return what merging kinds into classes costs the released events, beyond their flattening."""
        log, columns = self.measured.log, self.stages.columns
        if "generalized_event" not in columns or len(log.events) <= 1:
            return 0.0
        kept = log.kept_after_cleanup[self.event_is_kept]
        values = self.stages.values_of_group[:, columns.index("generalized_event")]
        finest = values[self.stages.stage_of_group == 0].max(initial=-1)
        is_class = (values <= finest)[self.group_of_event[self.event_is_kept]]
        pairs = sorted_distinct(log.class_of_event * len(log.events) + log.event_of_event) // len(log.events)
        n_kinds = np.bincount(pairs, minlength=len(log.classes))
        cost = np.where(n_kinds > 1, n_kinds / len(log.events), 0.0)[log.class_of_event[kept]]
        return float((cost * is_class).sum()) / len(columns)

    @cached_property
    def group_of_event(self) -> IntArray:
        """Return shape (n_events_after_cleanup,): each event's combination after flattening."""
        return self.reduced.flattened.group_of_unit[self.stages.unit_of_event]

    @cached_property
    def stage_of_event(self) -> IntArray:
        """Return shape (n_events_after_cleanup,): the stage each event stopped at."""
        return self.reduced.flattened.stage_of_unit[self.stages.unit_of_event]

    @cached_property
    def user_of_event(self) -> IntArray:
        """Return shape (n_events_after_cleanup,): the code of each event's user."""
        return self.stages.user_of_unit[self.stages.unit_of_event]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one way of anonymizing keeps and costs."""

    k: int  # which way
    flattening: str
    strategy: str
    n_users: int  # Kept
    n_events: int
    n_events_flattened: int  # released events with a coarser value, and such cells
    n_cells_generalized: int
    penalty_share: float  # normalized certainty penalty in [0, 1]


def measure_events(dataset: Dataset, settings: EventSettings) -> MeasuredEvents:
    """Read a log and number its combinations; everything that no threshold changes."""
    log = read_event_log(dataset, settings)
    if not len(log.kept_after_cleanup):
        raise input_error(
            "The only event belongs to a class that is left out; leave out fewer classes.",
            "All {n} events belong to classes that are left out; leave out fewer classes.",
            n=log.n_events,
        )
    return MeasuredEvents(log=log, single=prepare_stages(log, (f"{settings.flatten}:{ANY}",)))


def anonymize_events(measured: MeasuredEvents, rule: Rule) -> AnonymizedEvents:
    """Flatten and reduce a measured log so that every combination has k users; cheap."""
    n_users = measured.n_users_after_cleanup
    if rule.k > n_users:
        raise input_error(
            "k is {k}, above the {n} user with an event after cleanup (of {all} in all); no combination "
            "can reach it. Choose a smaller k.",
            "k is {k}, above the {n} users with an event after cleanup (of {all} in all); no combination "
            "can reach it. Choose a smaller k.",
            n=n_users,
            k=rule.k,
            all=measured.log.n_users,
        )
    single = _reduced(measured, rule, SINGLE_LEVEL)
    chosen, flattening = single, SINGLE_LEVEL
    if measured.log.settings.flatten_steps:
        chosen, flattening = _reduced(measured, rule, MULTI_LEVEL), MULTI_LEVEL
    fell_back = chosen.n_events < single.n_events
    if fell_back:
        chosen, flattening = single, SINGLE_LEVEL
    return AnonymizedEvents(
        measured=measured,
        rule=rule,
        flattening=flattening,
        reduced=chosen,
        single_level=single,
        fell_back=fell_back,
    )


def compare_strategies(measured: MeasuredEvents, *, k: int, cap: int | None = None) -> tuple[Outcome, ...]:
    """Return what both strategies keep and cost for `k`, with single- and multi-level flattening.

    Multi-level flattening is shown as it is, also where it keeps fewer events and single-level would be used.
    """
    outcomes = []
    for flattening in _FLATTENINGS:
        flattened = flatten(measured.stages(flattening), k, raise_settled=flattening == MULTI_LEVEL)
        outcomes += [
            _outcome(reduce_to_k(flattened, k=k, strategy=strategy, cap=cap), flattening)
            for strategy in STRATEGIES
        ]
    return tuple(outcomes)


def strategy_curve(
    measured: MeasuredEvents, ks: tuple[int, ...] = _CURVE_K, *, cap: int | None = None
) -> tuple[Outcome, ...]:
    """Return :func:`compare_strategies` for every k of `ks`, ascending."""
    return tuple(outcome for k in ks for outcome in compare_strategies(measured, k=k, cap=cap))


def comparable_outcomes(
    measured: MeasuredEvents, *, k: int, cap: int | None = None, largest_log: int = LARGEST_LOG_WITH_CURVE
) -> tuple[Outcome, ...]:
    """Return the strategies' curve with the chosen k in it, of a large log the chosen k alone."""
    if measured.n_events_after_cleanup > largest_log:
        return compare_strategies(measured, k=k, cap=cap)
    return strategy_curve(measured, tuple(sorted({*_CURVE_K, k})), cap=cap)


def _rank_in_unit(unit_of_event: IntArray, n_events_of_unit: IntArray) -> IntArray:
    """Return how many events of its unit stand before each event in the file."""
    order = np.argsort(unit_of_event, kind="stable")
    starts = np.cumsum(n_events_of_unit) - n_events_of_unit
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - starts[unit_of_event[order]]
    return rank


def _reduced(measured: MeasuredEvents, rule: Rule, flattening: str) -> Reduced:
    flattened = flatten(measured.stages(flattening), rule.k, raise_settled=flattening == MULTI_LEVEL)
    return reduce_to_k(flattened, k=rule.k, strategy=rule.strategy, cap=rule.cap)


def _outcome(reduced: Reduced, flattening: str) -> Outcome:
    return Outcome(
        k=reduced.k,
        flattening=flattening,
        strategy=reduced.strategy,
        n_users=reduced.n_users,
        n_events=reduced.n_events,
        n_events_flattened=reduced.n_events_flattened,
        n_cells_generalized=reduced.n_cells_generalized,
        penalty_share=reduced.penalty_share,
    )
