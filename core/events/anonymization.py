"""Measure a log once, then anonymize it for any k and strategy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.coding import IntArray
from core.errors import AuditInputError
from core.events.flattening import flatten
from core.events.log import EventLog, read_event_log
from core.events.removal import Reduced, reduce_to_k
from core.events.settings import AUTOMATIC, STRATEGIES, EventSettings, Rule
from core.events.stages import Stages, prepare_stages, single_level_steps
from core.tables import Dataset

SINGLE_LEVEL, MULTI_LEVEL = "single-level", "multi-level"
FLATTENINGS = (SINGLE_LEVEL, MULTI_LEVEL)
CURVE_K = tuple(range(2, 51))
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
        """Return the stages of one of :data:`FLATTENINGS`."""
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
        raise AuditInputError(
            f"All {log.n_events:,} events belong to classes that are left out; leave out fewer classes."
        )
    return MeasuredEvents(log=log, single=prepare_stages(log, single_level_steps(settings.flatten)))


def anonymize_events(measured: MeasuredEvents, rule: Rule) -> AnonymizedEvents:
    """Flatten and reduce a measured log so that every combination has k users; cheap."""
    n_users = measured.n_users_after_cleanup
    if rule.k > n_users:
        raise AuditInputError(
            f"k is {rule.k}, above the {n_users:,} {'user' if n_users == 1 else 'users'} with an event after "
            f"cleanup (of {measured.log.n_users:,} in all); no combination can reach it. Choose a smaller k."
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

    Multi-level flattening is shown as it is, also where it keeps fewer events and single-level
    would be used.
    """
    outcomes = []
    for flattening in FLATTENINGS:
        flattened = flatten(measured.stages(flattening), k, raise_settled=flattening == MULTI_LEVEL)
        outcomes += [
            _outcome(reduce_to_k(flattened, k=k, strategy=strategy, cap=cap), flattening)
            for strategy in STRATEGIES
        ]
    return tuple(outcomes)


def strategy_curve(
    measured: MeasuredEvents, ks: tuple[int, ...] = CURVE_K, *, cap: int | None = None
) -> tuple[Outcome, ...]:
    """Return :func:`compare_strategies` for every k of `ks`, ascending."""
    return tuple(outcome for k in ks for outcome in compare_strategies(measured, k=k, cap=cap))


def comparable_outcomes(
    measured: MeasuredEvents, *, k: int, cap: int | None = None, largest_log: int = LARGEST_LOG_WITH_CURVE
) -> tuple[Outcome, ...]:
    """Return the strategies' curve with the chosen k in it, of a large log the chosen k alone."""
    if measured.n_events_after_cleanup > largest_log:
        return compare_strategies(measured, k=k, cap=cap)
    return strategy_curve(measured, tuple(sorted({*CURVE_K, k})), cap=cap)


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
