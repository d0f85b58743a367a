"""Flattening: which stage each event stops at, so that its combination has k users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.coding import IntArray
from core.events.stages import FloatArray, Stages
from core.events.timestamps import BoolArray


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
    """Return the units of the combinations to raise: for each target, its cheapest one.

    A combination that stopped earlier has k users of its own, so one of them lifts a target. It is
    raised as a whole: a part of it would leave the rest with fewer users.
    """
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
