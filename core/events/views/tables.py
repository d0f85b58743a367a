"""Tables of the event-log anonymizer: what was kept, what it cost, what traces tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.coding import IntArray
from core.events import AnonymizedEvents, EventAudit, MeasuredEvents, Outcome, Release, Suggestions, TraceRisk
from core.events.measuring import MULTI_LEVEL
from core.events.row_risk import CombinationDiversity
from core.events.settings import parse_step
from core.events.stages import derived_column, shown_value

LEFT_OUT, AS_IS, FLATTENED, REMOVED = "Left out", "Kept as they are", "Kept flattened", "Removed"
_PREVIEW_ROWS = 50


def stage_table(anonymized: AnonymizedEvents) -> pd.DataFrame:
    """Return users and events in total, after cleanup, kept as they are, kept flattened, and removed."""
    measured, reduced = anonymized.measured, anonymized.reduced
    flattened = reduced.flattened.stage_of_unit > 0
    rows = [
        ("In the log", measured.log.n_users, measured.log.n_events_in_file),
        ("After cleanup", measured.n_users_after_cleanup, measured.n_events_after_cleanup),
        (AS_IS, *_users_and_events(anonymized, np.where(flattened, 0, reduced.n_events_of_unit))),
        (FLATTENED, *_users_and_events(anonymized, np.where(flattened, reduced.n_events_of_unit, 0))),
        (
            REMOVED,
            *_users_and_events(anonymized, anonymized.stages.n_events_of_unit - reduced.n_events_of_unit),
        ),
    ]
    return pd.DataFrame(rows, columns=["Stage", "Users", "Events"])


def _users_and_events(anonymized: AnonymizedEvents, n_events_of_unit: IntArray) -> tuple[int, int]:
    users = anonymized.stages.user_of_unit[n_events_of_unit > 0]
    return len(np.unique(users)), int(n_events_of_unit.sum())


def class_loss_table(anonymized: AnonymizedEvents) -> pd.DataFrame:
    """Return for each event class the events left out, kept, kept flattened and removed."""
    log = anonymized.measured.log
    n_classes, classes = len(log.classes), log.class_of_event
    after_cleanup = classes[log.kept_after_cleanup]
    kept, flattened = anonymized.event_is_kept, anonymized.stage_of_event > 0

    def count(codes: IntArray) -> IntArray:
        return np.bincount(codes, minlength=n_classes).astype(np.int64)

    frame = pd.DataFrame(
        {
            "Event class": log.classes,
            "Events": count(classes),
            LEFT_OUT: count(classes) - count(after_cleanup),
            AS_IS: count(after_cleanup[kept & ~flattened]),
            FLATTENED: count(after_cleanup[kept & flattened]),
            REMOVED: count(after_cleanup[~kept]),
        }
    )
    return frame.sort_values(["Events", "Event class"], ascending=[False, True], ignore_index=True)


def step_table(anonymized: AnonymizedEvents) -> pd.DataFrame:
    """Return what is below k and lost after each flatten step, if that were removed there."""
    flattened, n_events = anonymized.reduced.flattened, anonymized.measured.n_events_after_cleanup
    steps = ["As it is", *(_step_in_words(step) for step in anonymized.stages.steps)]
    rows = [
        (step, int(n_below), n_events - int(n_below), (float(penalty) + int(n_below)) / n_events)
        for step, n_below, penalty in zip(
            steps, flattened.n_below_after_step, flattened.penalty_after_step, strict=True
        )
    ]
    if flattened.n_events_raised:
        raised = f"Raise {flattened.n_events_raised:,} settled events"
        rows.append((raised, *_after_raising(anonymized)))
    rows.append(("Removal", 0, anonymized.reduced.n_events, anonymized.reduced.penalty_share))
    if anonymized.flattening == MULTI_LEVEL:
        single = anonymized.single_level
        rows.append(("Single-level flattening and removal instead", 0, single.n_events, single.penalty_share))
    names = ["After", "Events below k", "Events at k", "Information lost"]
    return pd.DataFrame(rows, columns=names)


def _after_raising(anonymized: AnonymizedEvents) -> tuple[int, int, float]:
    """Return what stands below k once settled combinations were raised, and the penalty then."""
    stages, reduced = anonymized.stages, anonymized.reduced
    groups = reduced.flattened.group_of_unit
    reaches = reduced.n_users_before[groups] >= reduced.k
    n_events = stages.n_events_of_unit
    n_below, total = int(n_events[~reaches].sum()), int(n_events.sum())
    penalty = float(stages.loss_of_group[groups[reaches]] @ n_events[reaches])
    return n_below, total - n_below, (penalty + n_below) / total


def _step_in_words(step: str) -> str:
    """Return such as "week_number → month"."""
    column, level = parse_step(step)
    return f"{column} → {level}"


def comparison_table(outcomes: Sequence[Outcome], measured: MeasuredEvents) -> pd.DataFrame:
    """Return a row per way of anonymizing: users and events kept, cells made coarser, penalty."""
    return pd.DataFrame(
        [
            {
                "Flattening": outcome.flattening,
                "Strategy": outcome.strategy,
                "Users kept": outcome.n_users,
                "Events kept": outcome.n_events,
                "Share of events kept": outcome.n_events / measured.n_events_after_cleanup,
                "Events flattened": outcome.n_events_flattened,
                "Cells made coarser": outcome.n_cells_generalized,
                "Information lost": outcome.penalty_share,
            }
            for outcome in outcomes
        ]
    )


def trace_table(before: TraceRisk, after: TraceRisk) -> pd.DataFrame:
    """Return a row per number of known events: shares before and after, with intervals of samples."""
    rows = []
    for of_before, of_after in zip(before.by_known, after.by_known, strict=True):
        for what, first, second in (
            ("can single out", of_before.singled_out, of_after.singled_out),
            ("single out at random", of_before.random, of_after.random),
        ):
            rows.append(
                {
                    "Known events": str(of_before.n_known),
                    "They": what,
                    "Share before": first.value if first else None,
                    "Share after": second.value if second else None,
                    "After, lower": second.lower if second else None,
                    "After, upper": second.upper if second else None,
                    "How": _how(second.n_sampled) if second else "not assessed",
                }
            )
    rows.append(
        {
            "Known events": "whole trace",
            "They": "are unique",
            "Share before": before.whole_trace,
            "Share after": after.whole_trace,
            "After, lower": after.whole_trace,
            "After, upper": after.whole_trace,
            "How": "exact" if after.whole_trace is not None else "not assessed",
        }
    )
    return pd.DataFrame(rows)


def _how(n_sampled: int) -> str:
    return f"sample of {n_sampled:,}" if n_sampled else "exact"


def row_table(audit: EventAudit) -> pd.DataFrame:
    """Return a row per thing that rows under a pseudonym tell: users singled out, and their share."""
    rows = audit.rows
    told = {
        "Number of rows": rows.n_alone_by_number,
        f"Number of rows, shared by fewer than {audit.anonymized.rule.k}": rows.n_below_k_by_number,
        "Far more rows than others": rows.n_standing_out,
        "All rows, each as often as it occurs": rows.n_unique_multiset,
        "Order of the kinds of events": rows.n_unique_sequence,
    }
    return pd.DataFrame(
        [
            {
                "What somebody knows": known,
                "Users singled out": number,
                "Share of users": rows.share(number),
                "How": "exact" if number is not None else "the export tells no order",
            }
            for known, number in told.items()
        ]
    )


def suggestion_table(suggestions: Suggestions) -> pd.DataFrame:
    """Return a row per suggestion: its columns and flattening, and what it keeps and loses."""
    return pd.DataFrame(
        [
            {
                "Contributing columns": ", ".join(found.settings.columns),
                "Flatten column": found.settings.flatten,
                "Flatten steps": ", ".join(found.settings.flatten_steps) or "one step",
                "Events kept": found.n_events,
                "Users kept": found.n_users,
                "Information lost": found.lost_share,
            }
            for found in suggestions.best
        ]
    )


def scope_table(risks: dict[str, TraceRisk]) -> pd.DataFrame:
    """Return a row per pseudonym scope: pseudonyms, and what two and four known events single out."""
    return pd.DataFrame(
        [
            {
                "New pseudonym per": scope,
                "Pseudonyms": risk.n_traces,
                "Two known events can single out": risk.singled_out(2),
                "Four known events can single out": risk.singled_out(4),
                "Whole trace unique": risk.whole_trace,
            }
            for scope, risk in risks.items()
        ]
    )


def diversity_table(diversity: CombinationDiversity) -> pd.DataFrame:
    """Return the diversity of the chosen attribute within released combinations, a row."""
    return pd.DataFrame(
        [
            {
                "Attribute": diversity.attribute,
                "Combinations": diversity.n_combinations,
                "With one value": diversity.n_uniform,
                "Smallest distinct l": diversity.distinct_l,
                "Smallest entropy l": diversity.entropy_l,
                "Largest t": diversity.t,
            }
        ]
    )


def unmapped_table(measured: MeasuredEvents) -> pd.DataFrame:
    """Return the events that the mapping does not name, most frequent first."""
    unmapped = measured.log.unmapped
    frame = pd.DataFrame({"Event": list(unmapped), "Events": list(unmapped.values())})
    return frame.sort_values(["Events", "Event"], ascending=[False, True], ignore_index=True)


def cross_table_before(measured: MeasuredEvents, x: str, y: str) -> pd.DataFrame:
    """Return the events after cleanup per value of two derived columns, empty cells left out."""
    log = measured.log
    columns = [derived_column(log, name) for name in (x, y)]
    codes = [column.codes[log.kept_after_cleanup] for column in columns]
    return _cross_table((x, y), codes, [column.labels for column in columns])


def cross_table_after(anonymized: AnonymizedEvents, x: str, y: str) -> pd.DataFrame | None:
    """Return the released events per released value of two columns; None where one is not released."""
    stages = anonymized.stages
    if x not in stages.columns or y not in stages.columns:
        return None
    places = [stages.columns.index(name) for name in (x, y)]
    groups = anonymized.group_of_event[anonymized.event_is_kept]
    codes = [stages.values_of_group[groups, place] for place in places]
    return _cross_table((x, y), codes, [stages.labels[place] for place in places])


def _cross_table(
    names: tuple[str, str], codes: list[IntArray], labels: list[tuple[str, ...]]
) -> pd.DataFrame:
    n_second = len(labels[1])
    counts = np.bincount(codes[0] * n_second + codes[1], minlength=len(labels[0]) * n_second)
    cells = np.flatnonzero(counts)
    return pd.DataFrame(
        {
            "x": [shown_value(names[0], labels[0][cell // n_second]) for cell in cells],
            "y": [shown_value(names[1], labels[1][cell % n_second]) for cell in cells],
            "x_order": cells // n_second,
            "y_order": cells % n_second,
            "n_events": counts[cells],
        }
    )


def size_histogram(anonymized: AnonymizedEvents, *, before: bool) -> tuple[IntArray, IntArray]:
    """Return distinct numbers of users per combination, and the events in combinations of each.

    Before: the combinations after cleanup, nothing flattened. After: the released ones.
    """
    stages, reduced = anonymized.stages, anonymized.reduced
    if before:
        users = stages.n_users_of_whole_group[stages.group_of_unit[0]]
        n_events = stages.n_events_of_unit
    else:
        users = reduced.n_users_after[reduced.flattened.group_of_unit[reduced.kept]]
        n_events = reduced.n_events_of_unit[reduced.kept]
    sizes, place = np.unique(users, return_inverse=True)
    return sizes, np.bincount(place, weights=n_events, minlength=len(sizes)).astype(np.int64)


def preview_table(release: Release, *, n_rows: int = _PREVIEW_ROWS) -> pd.DataFrame:
    """Return the first rows of the exported file, as text."""
    end, rows = 0, 0
    data = release.events_csv
    while rows <= n_rows and (found := data.find(b"\n", end)) >= 0:
        end, rows = found + 1, rows + 1
    lines = [line.split(";") for line in data[:end].decode().splitlines()]
    return pd.DataFrame(lines[1:], columns=lines[0])
