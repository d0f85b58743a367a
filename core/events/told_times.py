"""What a column of the log's own tells of times: finer ones than are released, or which row comes next."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from core.chance import binomial_tail, poisson_tail
from core.coding import IntArray, combined_codes, sorted_distinct, value_codes
from core.events.measuring import AnonymizedEvents
from core.events.settings import DERIVED_COLUMNS, KIND_COLUMNS, ReleaseOptions
from core.values.cells import as_numbers
from core.verdict import Finding, Verdict
from core.words import share_of

_SHARE_TO_WARN, _BY_CHANCE = 0.05, 1e-6
_GOES_UP = 0.9  # share of the steps from one event of a user to the next
_DAY, _WEEK = 1, 7


def told_times_findings(anonymized: AnonymizedEvents, options: ReleaseOptions) -> Iterator[Finding | None]:
    """Yield which columns of the log's own tell times, of the released rows."""
    own = anonymized.measured.log.others
    for place, name in enumerate(anonymized.stages.columns if anonymized.event_is_kept.any() else ()):
        if name in own:
            yield _finer_time(anonymized, place)
            yield _counter(anonymized, place) if options.pseudonym_per != "user" else None


def _finer_time(anonymized: AnonymizedEvents, place: int) -> Finding | None:
    """Say where all events of a value, at one released time, are of one day or week out of several.

    Chance: n users at a released time whose events have shares p of days are all of one with sum p^n; so many
    values are found so less than once in a million.
    """
    stages, kept, log = anonymized.stages, anonymized.event_is_kept, anonymized.measured.log
    times = [
        n for n, name in enumerate(stages.columns) if name in DERIVED_COLUMNS and name not in KIND_COLUMNS
    ]
    values = stages.values_of_group[anonymized.group_of_event[kept]]
    time, shown = (
        value_codes(combined_codes(values[:, each].T, n_records=len(values)))
        for each in (times, [place, *times])
    )
    days = log.calendar.days[log.kept_after_cleanup][kept]
    n_users = _n_different(shown, value_codes(anonymized.user_of_event[kept]))[shown]
    for length in (_DAY, _WEEK):
        span = value_codes(days // length)
        is_asked = (_n_different(time, span)[time] > 1) & (n_users > 1)
        is_told = is_asked & (_n_different(shown, span)[shown] == 1)
        first = np.unique(shown, return_index=True)[1]
        first = first[is_asked[first]]
        chance = _all_at_once(time, span, time[first], n_users[first])
        n_rows = int(np.count_nonzero(is_told))
        by_chance = poisson_tail(np.count_nonzero(is_told[first]), chance)
        if n_rows > _SHARE_TO_WARN * len(values) and by_chance < _BY_CHANCE:
            return Finding.of(
                "own_column_time", Verdict.WARN, column=stages.columns[place], n_affected=n_rows
            )(
                "{column} tells the day of {events}, which the released times leave open: all events with "
                "one value of it happened then."
                if length == _DAY
                else "{column} tells the week of {events}, which the released times leave open: all events "
                "with one value of it happened then.",
                column=stages.columns[place],
                events=share_of(n_rows, len(values), "exported events"),
            )
    return None


def _n_different(codes: IntArray, values: IntArray) -> IntArray:
    """Return shape (n_codes,): the different values of each code."""
    size = int(values.max()) + 1
    return np.bincount(sorted_distinct(codes * size + values) // size)


def _all_at_once(time: IntArray, span: IntArray, asked: IntArray, n_users: IntArray) -> float:
    """Return how many of some values chance has in one span: of n users each, at released times."""
    size = int(span.max()) + 1
    cells, n_rows = np.unique(time * size + span, return_counts=True)
    shares = n_rows / np.bincount(time)[cells // size]
    alike, n_alike = np.unique(np.stack([asked, n_users]), axis=1, return_counts=True)
    start, end = (np.searchsorted(cells // size, alike[0], side) for side in ("left", "right"))
    chances = [(shares[a:b] ** n).sum() for a, b, n in zip(start, end, alike[1], strict=True)]
    return float(np.dot(n_alike, chances)) if chances else 0.0


def _counter(anonymized: AnonymizedEvents, place: int) -> Finding | None:
    """Say where a number goes up from each event of a user to the next, as one that counts them does.

    A new pseudonym then hides little: the row before, and the next, have the numbers beside. By chance every
    second step goes up.
    """
    stages, kept, log = anonymized.stages, anonymized.event_is_kept, anonymized.measured.log
    before = stages.values_of_group[stages.group_of_unit[0][stages.unit_of_event], place][kept]
    number = as_numbers(pa.array(stages.labels[place][: before.max() + 1], pa.string()))
    if number is None:
        return None
    user, number = anonymized.user_of_event[kept], number[before]
    order = np.lexsort((log.calendar.seconds[log.kept_after_cleanup][kept], user))
    step = np.diff(number[order])[np.diff(user[order]) == 0]
    n_up = int(np.count_nonzero(step > 0))
    if n_up < _GOES_UP * len(step) or binomial_tail(n_up, len(step), 0.5) >= _BY_CHANCE:
        return None
    return Finding.of("own_column_order", Verdict.WARN, column=stages.columns[place], n_affected=n_up)(
        "{column} goes up from one event of a user to the next: {n} step of {total}. It "
        "puts events in order that new pseudonyms were to keep apart.",
        "{column} goes up from one event of a user to the next: {n} steps of {total}. It "
        "puts events in order that new pseudonyms were to keep apart.",
        n=n_up,
        column=stages.columns[place],
        total=len(step),
    )
