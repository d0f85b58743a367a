"""The cleaned log at every step of flattening, prepared once so that any k is answered from it."""

import calendar
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import (
    BoolArray,
    CodedColumn,
    FloatArray,
    IntArray,
    combination_codes,
    sorted_distinct,
    value_codes,
)
from core.events.log import EventLog
from core.events.settings import ANY, AUTOMATIC, COARSER, KIND_COLUMNS, levels_of, parse_step
from core.words import Text, input_error, own, text

# How "any" is written in exported files, by setting; screens say "any week".
_ANY_TEXTS = {"100": "100", "any": "any", "blank": ""}
_TIME_PERIODS = ("night", "morning", "daytime", "afternoon")

# First hour of each stretch of the day: night until 6, morning, daytime, afternoon, night from 22.
_PERIOD_OF_HOUR = np.repeat([0, 1, 2, 3, 0], [6, 2, 9, 5, 2]).astype(np.int64)
_HALF_OF_PERIOD = np.array([1, 0, 0, 1])  # day is morning and daytime, 6-17 h
_FIRST_WEEKEND_DAY = 5
_NOON = 12


def derived_column(log: EventLog, name: str) -> CodedColumn:
    """Return a derived column of every event of the log.

    Week and ISO year follow ISO 8601; `weekday` counts from Monday 0; `time_period` is night from
    22 to 6 h, morning to 8 h, daytime to 17 h, afternoon to 22 h; `quantized_hour` is the first
    hour of the block of ``hour_block`` hours.

    `name`: one of :data:`core.events.settings.DERIVED_COLUMNS`, or a level that only flattening uses:
    ``quarter``, ``half_day``, ``day_night``, ``any``. Any other is a column of the log's own: its trimmed
    values, empty where missing.
    """
    return _DERIVATIONS[name](log) if name in _DERIVATIONS else _own_column(log, name)


def _own_column(log: EventLog, name: str) -> CodedColumn:
    cells = pc.fill_null(pc.utf8_trim_whitespace(log.others[name].cast(pa.string())), "")
    values = pc.unique(cells).sort()
    codes = pc.index_in(cells, values).to_numpy().astype(np.int64)
    return CodedColumn(name=name, codes=codes, values=values)


def level_column(log: EventLog, column: str, level: str) -> CodedColumn:
    """Return a contributing column at a level: its own name for the values as they are.

    Values of a coarser level are written so that they cannot be taken for finer ones: month 3 in
    the column ``week_number`` is ``month_3``, "any" is ``100`` or as the settings say.
    """
    if level == column:
        return derived_column(log, column)
    coarse = derived_column(log, level)
    if level in _PREFIXED_LEVELS:
        labels = tuple(f"{level}_{label}" for label in coarse.labels)
        return CodedColumn(name=level, codes=coarse.codes, values=pa.array(labels, pa.string()))
    return coarse


def shown_value(column: str, value: str) -> Text:
    """Return a released value in words: "any week" for the sentinel, "month 3" for month_3."""
    if value in _ANY_TEXTS.values():
        return own(_ANY_OF[column]) if column in _ANY_OF else text("any {column}", column=column)
    for level in COARSER.get(column, ()):
        if level in _PREFIXED_LEVELS and value.startswith(f"{level}_"):
            return text(_PREFIXED_LEVELS[level], value=value.removeprefix(f"{level}_"))
    if column == "weekday" and value in _WEEKDAY_CODES:
        return own(_WEEKDAYS[int(value)])
    return text("{value}", value=value)


def exported_labels(column: str, labels: Sequence[str], *, any_value: str) -> Sequence[str]:
    """Return values of a column as files say them: days by their names, weeks as ISO 8601 writes them.

    Both are numbers where "any" is 100, the published form, of which `NUMBERS` is the legend.
    """
    named = {} if any_value == PUBLISHED else EXPORTED.get(column, {})
    return [named.get(label, label) for label in labels]


PUBLISHED = "100"
NUMBERS = "100 is any; weekday 0 is Monday, 6 is Sunday; week_number is the week of ISO 8601."
EXPORTED = {
    "weekday": dict(zip("0123456", calendar.day_name, strict=True)),
    "week_number": {str(number): f"W{number:02}" for number in range(1, 54)},
}
_PREFIXED_LEVELS = {
    "month": "month {value}",
    "quarter": "quarter {value}",
    "quantized_hour": "quantized hour {value}",
    "generalized_event": "generalized event {value}",
}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WEEKDAY_CODES = frozenset("0123456")
_ANY_OF = {
    "generalized_event": "any event class",
    "week_number": "any week",
    "iso_year": "any ISO year",
    "day": "any day of the month",
    "quantized_hour": "any hour block",
    "workday_weekend": "any day",
    "time_period": "any time period",
}


def _numbers(name: str, values: IntArray) -> CodedColumn:
    """Return small whole numbers as a column, without sorting a million of them."""
    lowest = int(values.min(initial=0))
    occurs = np.bincount(values - lowest) > 0
    labels = tuple(str(value + lowest) for value in np.flatnonzero(occurs))
    code_of = np.cumsum(occurs) - 1
    return CodedColumn(
        name=name, codes=code_of[values - lowest].astype(np.int64), values=pa.array(labels, pa.string())
    )


def _words(name: str, codes: IntArray, words: tuple[str, ...]) -> CodedColumn:
    """Return codes of words as a column that holds only the words that occur."""
    occurs = np.bincount(codes, minlength=len(words)) > 0
    labels = tuple(word for word, found in zip(words, occurs, strict=True) if found)
    return CodedColumn(
        name=name, codes=(np.cumsum(occurs) - 1)[codes].astype(np.int64), values=pa.array(labels, pa.string())
    )


def _period_codes(log: EventLog) -> IntArray:
    return _PERIOD_OF_HOUR[log.calendar.hour]


def _event(log: EventLog) -> CodedColumn:
    order = sorted(range(len(log.events)), key=lambda code: log.events[code])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    labels = tuple(log.events[code] for code in order)
    return CodedColumn(name="event", codes=rank[log.event_of_event], values=pa.array(labels, pa.string()))


_DERIVATIONS: dict[str, Callable[[EventLog], CodedColumn]] = {
    "generalized_event": lambda log: _words("generalized_event", log.class_of_event, log.classes),
    "year": lambda log: _numbers("year", log.calendar.year),
    "month": lambda log: _numbers("month", log.calendar.month),
    "day": lambda log: _numbers("day", log.calendar.day),
    "hour": lambda log: _numbers("hour", log.calendar.hour),
    "quantized_hour": lambda log: _numbers(
        "quantized_hour", log.calendar.hour // log.settings.hour_block * log.settings.hour_block
    ),
    "iso_year": lambda log: _numbers("iso_year", log.calendar.iso_year),
    "week_number": lambda log: _numbers("week_number", log.calendar.week_number),
    "weekday": lambda log: _numbers("weekday", log.calendar.weekday),
    "workday_weekend": lambda log: _words(
        "workday_weekend",
        (log.calendar.weekday >= _FIRST_WEEKEND_DAY).astype(np.int64),
        ("workday", "weekend"),
    ),
    "time_period": lambda log: _words("time_period", _period_codes(log), _TIME_PERIODS),
    "event": _event,
    "quarter": lambda log: _numbers("quarter", (log.calendar.month - 1) // 3 + 1),
    "half_day": lambda log: _words(
        "half_day", (log.calendar.hour >= _NOON).astype(np.int64), ("before_noon", "after_noon")
    ),
    "day_night": lambda log: _words(
        "day_night", _HALF_OF_PERIOD[_period_codes(log)], ("day", "evening_night")
    ),
    ANY: lambda log: CodedColumn(
        name=ANY,
        codes=np.zeros(log.n_events, dtype=np.int64),
        values=pa.array([_ANY_TEXTS[log.settings.any_value]]),
    ),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Stages:
    """Combinations of the contributing columns at each stage of flattening.

    Stage 0 has every column as it is; each further stage has one column coarser. Combinations of
    all stages are numbered through, and so are the (combination, user) pairs that occur; no
    combination belongs to two stages, because a coarser value is written differently from a finer.
    A unit is what no stage tells apart: the events of one user with the same values at every stage.
    """

    columns: tuple[str, ...]  # the contributing columns
    steps: tuple[str, ...]  # what each further stage does, as ``column:level``; one fewer than stages
    labels: tuple[tuple[str, ...], ...]  # for each column the values of all its levels, finer levels first
    values_of_group: IntArray  # shape (n_groups, n_columns), positions in `labels`
    stage_of_group: IntArray  # shape (n_groups,), ascending
    # shape (n_groups,), normalized certainty penalty in [0, 1] of each of its events
    loss_of_group: FloatArray
    n_generalized_of_group: IntArray  # shape (n_groups,), columns that are coarser than at stage 0
    group_of_pair: IntArray  # shape (n_pairs,)
    user_of_pair: IntArray
    group_of_unit: tuple[IntArray, ...]  # per stage, shape (n_units,)
    pair_of_unit: tuple[IntArray, ...]
    user_of_unit: IntArray  # shape (n_units,)
    n_events_of_unit: IntArray
    unit_of_event: IntArray  # shape (n_events_after_cleanup,), in file order
    n_users: int  # users of the whole log; user codes are below it

    @property
    def n_stages(self) -> int:
        """Return the number of stages, at least 1."""
        return len(self.group_of_unit)

    @property
    def n_groups(self) -> int:
        """Return the number of combinations over all stages."""
        return len(self.stage_of_group)

    @property
    def n_units(self) -> int:
        """Return the number of units."""
        return len(self.user_of_unit)

    @cached_property
    def n_users_of_whole_group(self) -> IntArray:
        """Return shape (n_groups,): distinct users if every event stood at the group's stage."""
        return np.bincount(self.group_of_pair, minlength=self.n_groups).astype(np.int64)

    @cached_property
    def pairs_by_group(self) -> tuple[IntArray, IntArray]:
        """Return the pairs ordered by group, and where each group's begin (n_groups + 1)."""
        return _ordered_by(self.group_of_pair, n=self.n_groups)

    @cached_property
    def pairs_by_user(self) -> tuple[IntArray, IntArray]:
        """Return the pairs ordered by user, and where each user's begin (n_users + 1)."""
        return _ordered_by(self.user_of_pair, n=self.n_users)

    @cached_property
    def rank_of_group(self) -> IntArray:
        """Return shape (n_groups,): each group's place when sorted by the columns' natural order."""
        order = np.lexsort(self.values_of_group.T[::-1])
        rank = np.empty(self.n_groups, dtype=np.int64)
        rank[order] = np.arange(self.n_groups)
        return rank

    def users_per_group(self, present_pairs: BoolArray) -> IntArray:
        """Return shape (n_groups,): distinct users of each group among the pairs present."""
        return np.bincount(self.group_of_pair[present_pairs], minlength=self.n_groups).astype(np.int64)


def prepare_stages(log: EventLog, steps: Sequence[str]) -> Stages:
    """Give numbers to the combinations, users and units of the cleaned log at every stage.

    `steps`: ``column:level``, each coarser than the column's step before; ``("auto",)`` for all levels of the
    time columns and of the flatten column, smallest average loss first.
    """
    automatic = tuple(steps) == (AUTOMATIC,)
    chosen = _all_steps(log) if automatic else [parse_step(step) for step in steps]
    kept, columns = log.kept_after_cleanup, log.settings.columns
    levels = [*((column, column) for column in columns), *chosen]
    at_levels = {(column, level): level_column(log, column, level) for column, level in levels}
    labels, codes = _shared_labels(columns, at_levels, kept, any_value=log.settings.any_value)
    cell_of_event = combination_codes(list(codes.values()), n_records=len(kept))
    first = first_positions(cell_of_event)
    of_cells = {key: of_events[first] for key, of_events in codes.items()}
    cells = _Cells(
        columns=columns,
        labels=labels,
        cell_of_event=cell_of_event,
        codes=of_cells,
        losses=_losses(columns, of_cells, labels),
    )
    if automatic:
        chosen = _smallest_loss_first(cells, chosen)
    return _numbered(log, cells, chosen)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Cells:
    """The distinct combinations of values over all columns and levels."""

    columns: tuple[str, ...]  # the contributing columns
    labels: tuple[tuple[str, ...], ...]  # for each column the values of all its levels
    cell_of_event: IntArray  # shape (n_events_after_cleanup,)
    # by column and level, shape (n_cells,): position in the column's labels, and its penalty
    codes: dict[tuple[str, str], IntArray]
    losses: dict[tuple[str, str], FloatArray]


def _all_steps(log: EventLog) -> list[tuple[str, str]]:
    """Return every level of the time columns, and of the flatten column whatever it is."""
    return [
        (column, level)
        for column in log.settings.columns
        if (column in COARSER and column not in KIND_COLUMNS) or column == log.settings.flatten
        for level in levels_of(column)
    ]


def _shared_labels(
    columns: tuple[str, ...], at_levels: dict[tuple[str, str], CodedColumn], kept: IntArray, *, any_value: str
) -> tuple[tuple[tuple[str, ...], ...], dict[tuple[str, str], IntArray]]:
    """Return each column's values over all its levels, and the codes of the events in them."""
    all_labels, codes = [], {}
    for column in columns:
        labels: list[str] = []
        for (owner, level), coded in at_levels.items():
            if owner == column:
                codes[column, level] = coded.codes[kept] + len(labels)
                labels.extend(coded.labels)
        if len(set(labels)) < len(labels):
            raise input_error(
                "A value of {column} is written like one of its coarser values ({any_value} stands for "
                "any); rename it in the file or mapping, write any otherwise, or flatten another column.",
                column=column,
                any_value=any_value,
            )
        all_labels.append(tuple(labels))
    return tuple(all_labels), codes


def _losses(
    columns: tuple[str, ...], cells: dict[tuple[str, str], IntArray], labels: tuple[tuple[str, ...], ...]
) -> dict[tuple[str, str], FloatArray]:
    """Return the penalty of each cell's value at each level: values covered / values of the column."""
    losses = {}
    for (column, level), coarse in cells.items():
        base = cells[column, column]
        n_values = len(labels[columns.index(column)])
        pairs = sorted_distinct(coarse * n_values + base)
        covered = np.bincount(pairs // n_values, minlength=n_values)
        n_base = len(sorted_distinct(base))
        losses[column, level] = np.where(covered > 1, covered / max(n_base, 1), 0.0)[coarse]
    return losses


def _smallest_loss_first(cells: _Cells, steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Order the steps so that the column whose next level adds least average loss comes next."""
    columns, weights = cells.columns, np.bincount(cells.cell_of_event)
    average = {
        step: fsum((loss * weights).tolist()) / max(int(weights.sum()), 1)
        for step, loss in cells.losses.items()
    }
    waiting = {column: [step for step in steps if step[0] == column] for column in columns}
    now = dict.fromkeys(columns, 0.0)
    ordered = []
    while any(waiting.values()):
        column = min(
            (column for column in columns if waiting[column]),
            key=lambda column: average[waiting[column][0]] - now[column],
        )
        step = waiting[column].pop(0)
        now[column] = average[step]
        ordered.append(step)
    return ordered


def _numbered(log: EventLog, cells: _Cells, steps: list[tuple[str, str]]) -> Stages:
    """Give numbers to groups, pairs and units through all stages."""
    n_users, columns = log.n_users, cells.columns
    user_of_event = log.user_of_event[log.kept_after_cleanup]
    unit_of_event = value_codes(cells.cell_of_event * n_users + user_of_event)
    first_event = first_positions(unit_of_event)
    cell_of_unit, user_of_unit = cells.cell_of_event[first_event], user_of_event[first_event]
    numbering = _Numbering()
    for levels in _levels_of_stages(columns, steps):
        keys = list(zip(columns, levels, strict=True))
        at_stage = [cells.codes[key] for key in keys]
        loss = np.mean([cells.losses[key] for key in keys], axis=0)
        n_coarser = sum(column != level for column, level in keys)
        group_of_cell = combination_codes(at_stage, n_records=len(loss))
        numbering.add_groups(group_of_cell, np.column_stack(at_stage), loss, n_coarser)
        numbering.add_pairs(group_of_cell[cell_of_unit], user_of_unit, n_users=n_users)
    return Stages(
        columns=columns,
        steps=tuple(f"{column}:{level}" for column, level in steps),
        labels=cells.labels,
        values_of_group=np.concatenate(numbering.values),
        stage_of_group=np.repeat(np.arange(len(numbering.values)), [len(part) for part in numbering.values]),
        loss_of_group=np.concatenate(numbering.losses),
        n_generalized_of_group=np.concatenate(numbering.n_coarser),
        group_of_pair=np.concatenate(numbering.group_of_pair),
        user_of_pair=np.concatenate(numbering.user_of_pair),
        group_of_unit=tuple(numbering.group_of_unit),
        pair_of_unit=tuple(numbering.pair_of_unit),
        user_of_unit=user_of_unit,
        n_events_of_unit=np.bincount(unit_of_event).astype(np.int64),
        unit_of_event=unit_of_event,
        n_users=n_users,
    )


class _Numbering:
    """Groups and pairs of the stages added so far."""

    def __init__(self) -> None:
        self.values: list[IntArray] = []
        self.losses: list[FloatArray] = []
        self.n_coarser: list[IntArray] = []
        self.group_of_pair: list[IntArray] = []
        self.user_of_pair: list[IntArray] = []
        self.group_of_unit: list[IntArray] = []
        self.pair_of_unit: list[IntArray] = []
        self._n_groups = 0
        self._n_groups_before = 0
        self._n_pairs = 0

    def add_groups(self, group_of_cell: IntArray, values: IntArray, loss: FloatArray, n_coarser: int) -> None:
        first = first_positions(group_of_cell)
        self.values.append(values[first])
        self.losses.append(loss[first])
        self.n_coarser.append(np.full(len(first), n_coarser, dtype=np.int64))
        self._n_groups_before, self._n_groups = self._n_groups, self._n_groups + len(first)

    def add_pairs(self, group_of_unit: IntArray, user_of_unit: IntArray, *, n_users: int) -> None:
        group_of_unit = group_of_unit + self._n_groups_before
        pair_of_unit = value_codes(group_of_unit * n_users + user_of_unit)
        first = first_positions(pair_of_unit)
        self.group_of_pair.append(group_of_unit[first])
        self.user_of_pair.append(user_of_unit[first])
        self.group_of_unit.append(group_of_unit)
        self.pair_of_unit.append(pair_of_unit + self._n_pairs)
        self._n_pairs += len(first)


def _levels_of_stages(columns: tuple[str, ...], steps: list[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Return the level of each column at each stage."""
    levels = list(columns)
    yield tuple(levels)
    for column, level in steps:
        levels[columns.index(column)] = level
        yield tuple(levels)


def first_positions(codes: IntArray) -> IntArray:
    """Return where each of the codes 0 … n - 1 occurs first."""
    first = np.empty(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last assignment wins
    return first


def _ordered_by(keys: IntArray, *, n: int) -> tuple[IntArray, IntArray]:
    starts = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n))])
    return np.argsort(keys, kind="stable"), cast("IntArray", starts)
