"""Tables of the event-log anonymizer: what was kept, what it cost, what traces tell."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.coding import IntArray
from core.events import AnonymizedEvents, EventAudit, MeasuredEvents, Outcome, Release, Suggestions, TraceRisk
from core.events.measuring import MULTI_LEVEL
from core.events.row_risk import CombinationDiversity
from core.events.settings import AUTOMATIC, parse_step
from core.events.stages import derived_column, shown_value
from core.reports.model import Column, table_by, table_of
from core.words import Text, own, say, text

OUTCOMES = {
    "left_out": "Left out",
    "kept": "Kept as they are",
    "flattened": "Kept flattened",
    "removed": "Removed",
}
_PREVIEW_ROWS = 50

STAGE_COLUMNS = (Column("stage", "Stage", kind="words"), Column("users", "Users"), Column("events", "Events"))
CLASS_COLUMNS = (
    Column("event_class", "Event class"),
    Column("events", "Events"),
    *(Column(key, label) for key, label in OUTCOMES.items()),
)
STEP_COLUMNS = (
    Column("after", "After", kind="words"),
    Column("below_k", "Events below k"),
    Column("at_k", "Events at k"),
    Column("lost", "Information lost", "share"),
)
WAY_COLUMNS = (
    Column("flattening", "Flattening", kind="words"),
    Column("strategy", "Strategy", kind="words"),
    Column("users", "Users kept"),
    Column("events", "Events kept"),
    Column("kept_share", "Share of events kept", "share"),
    Column("flattened", "Events flattened"),
    Column("cells", "Cells made coarser"),
    Column("lost", "Information lost", "share"),
)
TRACE_COLUMNS = (
    Column("known", "Known events", kind="words"),
    Column("what", "They", kind="words"),
    Column("before", "Share before", "share"),
    Column("after", "Share after", "share"),
    Column("lower", "After, lower", "share"),
    Column("upper", "After, upper", "share"),
    Column("how", "How", kind="words"),
)
ROW_COLUMNS = (
    Column("known", "What somebody knows", kind="words"),
    Column("users", "Users singled out"),
    Column("share", "Share of users", "share"),
    Column("how", "How", kind="words"),
)
SUGGESTION_COLUMNS = (
    Column("columns", "Contributing columns"),
    Column("flatten", "Flatten column"),
    Column("steps", "Flatten steps", kind="words"),
    Column("events", "Events kept"),
    Column("users", "Users kept"),
    Column("lost", "Information lost", "share"),
)
SCOPE_COLUMNS = (
    Column("scope", "New pseudonym per", kind="words"),
    Column("pseudonyms", "Pseudonyms"),
    Column("two", "Two known events can single out", "share"),
    Column("four", "Four known events can single out", "share"),
    Column("whole", "Whole trace unique", "share"),
)
DIVERSITY_COLUMNS = (
    Column("attribute", "Attribute"),
    Column("combinations", "Combinations"),
    Column("uniform", "With one value"),
    Column("distinct_l", "Smallest distinct ℓ"),
    Column("entropy_l", "Smallest entropy ℓ"),
    Column("t", "Largest t"),
)
UNMAPPED_COLUMNS = (Column("event", "Event"), Column("events", "Events"))


def stage_table(anonymized: AnonymizedEvents) -> pd.DataFrame:
    """Return users and events in total, after cleanup, kept as they are, kept flattened, and removed."""
    measured, reduced = anonymized.measured, anonymized.reduced
    flattened = reduced.flattened.stage_of_unit > 0
    rows = [
        ("In the log", measured.log.n_users, measured.log.n_events_in_file),
        ("After cleanup", measured.n_users_after_cleanup, measured.n_events_after_cleanup),
        (OUTCOMES["kept"], *_users_and_events(anonymized, np.where(flattened, 0, reduced.n_events_of_unit))),
        (
            OUTCOMES["flattened"],
            *_users_and_events(anonymized, np.where(flattened, reduced.n_events_of_unit, 0)),
        ),
        (
            OUTCOMES["removed"],
            *_users_and_events(anonymized, anonymized.stages.n_events_of_unit - reduced.n_events_of_unit),
        ),
    ]
    return table_of(rows, STAGE_COLUMNS)


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

    n_of = (
        count(classes),
        count(classes) - count(after_cleanup),
        count(after_cleanup[kept & ~flattened]),
        count(after_cleanup[kept & flattened]),
        count(after_cleanup[~kept]),
    )
    frame = table_by(dict(zip(CLASS_COLUMNS, (log.classes, *n_of), strict=True)))
    return frame.sort_values(["events", "event_class"], ascending=[False, True], ignore_index=True)


def step_table(anonymized: AnonymizedEvents) -> pd.DataFrame:
    """Return what is below k and lost after each flatten step, if that were removed there."""
    flattened, n_events = anonymized.reduced.flattened, anonymized.measured.n_events_after_cleanup
    steps = ["As it is", *(_step_in_words(step) for step in anonymized.stages.steps)]
    rows: list[tuple[str, int, int, float]] = [
        (step, int(n_below), n_events - int(n_below), (float(penalty) + int(n_below)) / n_events)
        for step, n_below, penalty in zip(
            steps, flattened.n_below_after_step, flattened.penalty_after_step, strict=True
        )
    ]
    if flattened.n_events_raised:
        n_raised = flattened.n_events_raised
        raised = text("Raise {n} settled event", "Raise {n} settled events", n=n_raised)
        rows.append((raised, *_after_raising(anonymized)))
    rows.append((own("Removal"), 0, anonymized.reduced.n_events, anonymized.reduced.penalty_share))
    if anonymized.flattening == MULTI_LEVEL:
        single = anonymized.single_level
        rows.append(("Single-level flattening and removal instead", 0, single.n_events, single.penalty_share))
    return table_of(rows, STEP_COLUMNS)


def flattened_by_step(anonymized: AnonymizedEvents) -> list[Text]:
    """Return how many released events end at each flatten step, those at which none does left out."""
    stages = anonymized.stages
    n_events = np.bincount(
        stages.stage_of_group, anonymized.reduced.n_events_of_group, minlength=stages.n_stages
    )
    return [
        text("{step}: {found}", step=_step_in_words(step), found=int(found))
        for step, found in zip(stages.steps, n_events[1:].tolist(), strict=True)
        if found
    ]


def _after_raising(anonymized: AnonymizedEvents) -> tuple[int, int, float]:
    """Return what stands below k once settled combinations were raised, and the penalty then."""
    stages, reduced = anonymized.stages, anonymized.reduced
    groups = reduced.flattened.group_of_unit
    reaches = reduced.n_users_before[groups] >= reduced.k
    n_events = stages.n_events_of_unit
    n_below, total = int(n_events[~reaches].sum()), int(n_events.sum())
    penalty = float(stages.loss_of_group[groups[reaches]] @ n_events[reaches])
    return n_below, total - n_below, (penalty + n_below) / total


def _step_in_words(step: str) -> Text:
    """Return such as "week_number → month"."""
    column, level = parse_step(step)
    return text("{column} → {level}", column=column, level=level)


def comparison_table(outcomes: Sequence[Outcome], measured: MeasuredEvents) -> pd.DataFrame:
    """Return a row per way of anonymizing: users and events kept, cells made coarser, penalty."""
    rows = [
        (
            outcome.flattening,
            outcome.strategy,
            outcome.n_users,
            outcome.n_events,
            outcome.n_events / measured.n_events_after_cleanup,
            outcome.n_events_flattened,
            outcome.n_cells_generalized,
            outcome.penalty_share,
        )
        for outcome in outcomes
    ]
    return table_of(rows, WAY_COLUMNS)


def trace_table(before: TraceRisk, after: TraceRisk) -> pd.DataFrame:
    """Return a row per number of known events: shares before and after, with intervals of samples."""
    rows: list[tuple[object, ...]] = []
    for of_before, of_after in zip(before.by_known, after.by_known, strict=True):
        for what, first, second in (
            ("can single out", of_before.singled_out, of_after.singled_out),
            ("single out at random", of_before.random, of_after.random),
        ):
            share = first.value if first else None
            known = (second.value, second.lower, second.upper, _how(second.n_sampled)) if second else _UNKNOWN
            rows.append((str(of_before.n_known), what, share, *known))
    whole = after.whole_trace
    known = _UNKNOWN if whole is None else (whole, whole, whole, _EXACT)
    rows.append(("whole trace", "are unique", before.whole_trace, *known))
    return table_of(rows, TRACE_COLUMNS)


_EXACT = own("exact")
_UNKNOWN = (None, None, None, "not assessed")


def _how(n_sampled: int) -> str:
    return text("sample of {n}", n=n_sampled) if n_sampled else _EXACT


def row_table(audit: EventAudit) -> pd.DataFrame:
    """Return a row per thing that rows under a pseudonym tell: users singled out, and their share."""
    found, k = audit.rows, audit.anonymized.rule.k
    told: list[tuple[str, int | None]] = [
        ("Number of rows", found.n_alone_by_number),
        (text("Number of rows, shared by fewer than {k}", k=k), found.n_below_k_by_number),
        ("Far more rows than others", found.n_standing_out),
        ("All rows, each as often as it occurs", found.n_unique_multiset),
        ("Order of the kinds of events", found.n_unique_sequence),
    ]
    rows = [
        (known, number, found.share(number), "the export tells no order" if number is None else _EXACT)
        for known, number in told
    ]
    return table_of(rows, ROW_COLUMNS)


def suggestion_table(suggestions: Suggestions) -> pd.DataFrame:
    """Return a row per suggestion: its columns and flattening, and what it keeps and loses."""
    rows = [
        (
            ", ".join(found.settings.columns),
            found.settings.flatten,
            _steps_in_words(found.settings.flatten_steps),
            found.n_events,
            found.n_users,
            found.lost_share,
        )
        for found in suggestions.best
    ]
    return table_of(rows, SUGGESTION_COLUMNS)


def _steps_in_words(steps: Sequence[str]) -> str:
    if tuple(steps) == (AUTOMATIC,):
        return "all levels"
    return text("{steps}", steps=", ".join(steps)) if steps else "one step"


_SCOPES = {"user": own("user"), "week": own("week"), "day": own("day"), "event": own("event")}


def scope_table(risks: dict[str, TraceRisk]) -> pd.DataFrame:
    """Return a row per pseudonym scope: pseudonyms, and what two and four known events single out."""
    rows = [
        (_SCOPES[scope], risk.n_traces, risk.singled_out(2), risk.singled_out(4), risk.whole_trace)
        for scope, risk in risks.items()
    ]
    return table_of(rows, SCOPE_COLUMNS)


def diversity_table(diversity: CombinationDiversity) -> pd.DataFrame:
    """Return the diversity of the chosen attribute within released combinations, a row."""
    found = diversity
    row = (found.attribute, found.n_combinations, found.n_uniform, found.distinct_l, found.entropy_l, found.t)
    return table_of([row], DIVERSITY_COLUMNS)


def unmapped_table(measured: MeasuredEvents) -> pd.DataFrame:
    """Return the events that the mapping does not name, most frequent first."""
    unmapped = measured.log.unmapped
    frame = table_of(list(unmapped.items()), UNMAPPED_COLUMNS)
    return frame.sort_values(["events", "event"], ascending=[False, True], ignore_index=True)


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
            "x": [say(shown_value(names[0], labels[0][cell // n_second])) for cell in cells],
            "y": [say(shown_value(names[1], labels[1][cell % n_second])) for cell in cells],
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
