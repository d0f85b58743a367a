"""What the person chooses: how events are generalized, when a combination is released, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.errors import AuditInputError
from core.events.mapping import BUILT_IN_MAPPING, OTHER_EVENT, EventMapping

DERIVED_COLUMNS = (
    "generalized_event",
    "year",
    "month",
    "day",
    "hour",
    "quantized_hour",
    "iso_year",
    "week_number",
    "weekday",
    "workday_weekend",
    "time_period",
    "event",
)
ANY = "any"
COARSER: dict[str, tuple[str, ...]] = {
    "year": (ANY,),
    "iso_year": (ANY,),
    "month": ("quarter", ANY),
    "day": (ANY,),
    "hour": ("quantized_hour", "half_day", ANY),
    "quantized_hour": ("half_day", ANY),
    "week_number": ("month", ANY),
    "weekday": ("workday_weekend", ANY),
    "workday_weekend": (ANY,),
    "time_period": ("day_night", ANY),
    "generalized_event": (ANY,),
    "event": ("generalized_event", ANY),
}
AUTOMATIC = "auto"
REMOVE_EVENTS = "remove-events"
REMOVE_USERS = "remove-users"
STRATEGIES = (REMOVE_EVENTS, REMOVE_USERS)
DEFAULT_LEAVE_OUT = ("measurement_event", "power_event", "system_event")
PSEUDONYM_SCOPES = ("user", "week", "day", "event")
DETECT = "auto"
TIME_FORMATS = (
    DETECT,
    "iso",
    "year-first",
    "day-first",
    "month-first",
    "epoch-seconds",
    "epoch-milliseconds",
)
NEAR_EQUAL_USERS = ("ask", "join", "distinct")
ANY_VALUES = ("100", "any", "blank")
MOST_FOUND_BY_ALL_ROWS = 0.5
SMALLEST_K = 2
LARGEST_HOUR_BLOCK = 24


@dataclass(frozen=True, kw_only=True)
class EventSettings:
    """How the log is read and generalized; changing any of these measures the log anew.

    Attributes
    ----------
    columns
        The quasi-identifier: derived columns, or the raw ``event``, that are released with the
        pseudonym. Their combination is what k users must share.
    flatten
        The contributing column set to "any" where a combination has too few users.
    flatten_steps
        Multi-level flattening: ``column:level`` in the order they are tried, such as
        ``("week_number:month", "week_number:any")``; ``("auto",)`` takes every level of the time
        columns and of `flatten`, smallest average loss first. Empty: single-level flattening of
        `flatten`.
    leave_out
        Event classes whose events are dropped before anything else.
    hour_block
        Hours per block of ``quantized_hour``, 1-24: with 3, 14 h becomes 12 and 15 h stays 15.
    mapping
        Event to event class.
    user_column, time_column, event_column
        The names of the three columns that are read; all others are ignored.
    sensitive
        A derived column, or the raw ``event``, not among `columns`, whose diversity within each
        released combination is measured; None for none.
    leave_out_unreadable
        Go on without records whose timestamp is unreadable or whose user or event is missing.
    time_format
        How timestamps are written, one of :data:`TIME_FORMATS`; ``auto`` finds it and says so.
    near_equal_users
        Users whose identifiers differ only in case, spaces, separators, accents or leading
        zeros: ``ask`` says what one user instead of several would change, ``join`` makes them one,
        ``distinct`` takes them for several, as confirmed.
    any_value
        How "any" is written in the export: ``100`` as published, ``any``, or ``blank``, which leaves
        a column of numbers a column of numbers.
    found_columns
        Those of the three columns that were found by their values and not confirmed yet.
    """

    columns: tuple[str, ...] = ("generalized_event", "week_number", "weekday", "time_period")
    flatten: str = "week_number"
    flatten_steps: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = DEFAULT_LEAVE_OUT
    hour_block: int = 3
    mapping: EventMapping = field(default=BUILT_IN_MAPPING, repr=False)
    user_column: str = "GUID"
    time_column: str = "OD_ISO"
    event_column: str = "dogodek"
    sensitive: str | None = None
    leave_out_unreadable: bool = False
    time_format: str = DETECT
    near_equal_users: str = NEAR_EQUAL_USERS[0]
    any_value: str = ANY_VALUES[0]
    found_columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse settings that cannot mean anything, all at once."""
        problems = [*_column_problems(self), *_step_problems(self), *_value_problems(self)]
        if problems:
            raise AuditInputError(*problems)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """When a combination may be released; changing these only re-judges what was measured.

    Attributes
    ----------
    k
        Distinct users that must share each released combination, at least 2.
    strategy
        ``remove-events`` drops the records of combinations that stay below k; ``remove-users``
        drops users until no combination is below k.
    max_trace_unique_share
        The largest share in [0, 1] of users that two known events may single out; above it the
        trace verdict is FAIL. None: no limit is set, and more than 5 % of users that four known
        events may single out are a WARN.
    cap
        Rows of one user with the same combination that are released at most; None for all. Rows
        beyond it are removed, which never lowers k.
    max_rows_unique_share
        The largest share in [0, 1] of users whose rows together (which combinations, how often, in
        which order) nobody else has; above it the verdict on counts and order is FAIL.
    """

    k: int = 5
    strategy: str = REMOVE_EVENTS
    max_trace_unique_share: float | None = None
    cap: int | None = None
    max_rows_unique_share: float = MOST_FOUND_BY_ALL_ROWS

    def __post_init__(self) -> None:
        """Refuse a rule that cannot mean anything, all at once."""
        problems = []
        if self.k < SMALLEST_K:
            problems.append(f"k is {self.k}; it must be at least {SMALLEST_K}, or nobody shares anything.")
        if self.strategy not in STRATEGIES:
            problems.append(_not_allowed("strategy", self.strategy, STRATEGIES))
        if self.cap is not None and self.cap < 1:
            problems.append(f"cap is {self.cap}; it must be at least 1, or nothing is released.")
        for name in ("max_trace_unique_share", "max_rows_unique_share"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                problems.append(f"{name} is {share}; it must lie between 0 and 1.")
        if problems:
            raise AuditInputError(*problems)


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """How users appear in the export.

    Attributes
    ----------
    pseudonym_per
        ``user``: one pseudonym links all events of a user. ``week``, ``day``: a new one for each
        ISO week or day, flattened events one each, so that their week stays hidden. ``event``: a
        new one for each event; nothing is linked.
    keep_user_ids
        Write the original identifiers. Then nothing is pseudonymized.
    pseudonym_seed
        Pseudonyms that the same seed draws again, for tests; None for fresh ones.
    """

    pseudonym_per: str = "user"
    keep_user_ids: bool = False
    pseudonym_seed: int | None = None

    def __post_init__(self) -> None:
        """Refuse options that contradict each other."""
        if self.pseudonym_per not in PSEUDONYM_SCOPES:
            raise AuditInputError(_not_allowed("pseudonym_per", self.pseudonym_per, PSEUDONYM_SCOPES))
        if self.pseudonym_seed is not None and self.pseudonym_seed < 0:
            raise AuditInputError(
                f"pseudonym_seed is {self.pseudonym_seed}; it must be 0 or a larger number."
            )
        if self.keep_user_ids and self.pseudonym_per != "user":
            raise AuditInputError(
                "keep_user_ids writes the original identifiers, so there is no new pseudonym per "
                f"{self.pseudonym_per}; choose one of the two."
            )


def parse_step(step: str) -> tuple[str, str]:
    """Return the column and the level of a step such as ``week_number:month``."""
    column, _, level = step.partition(":")
    return column.strip(), level.strip()


def _not_allowed(parameter: str, value: object, allowed: tuple[str, ...]) -> str:
    return f"{parameter} is {value!r}; it must be one of {', '.join(allowed)}."


def _column_problems(settings: EventSettings) -> list[str]:
    problems = [
        _not_allowed("columns", column, DERIVED_COLUMNS)
        for column in settings.columns
        if column not in DERIVED_COLUMNS
    ]
    if not settings.columns:
        problems.append("columns is empty; choose at least one contributing column.")
    if len(set(settings.columns)) != len(settings.columns):
        problems.append("columns names a contributing column twice.")
    if settings.flatten not in settings.columns:
        problems.append(_not_allowed("flatten", settings.flatten, settings.columns))
    names = (settings.user_column, settings.time_column, settings.event_column)
    if len(set(names)) != len(names):
        problems.append("user_column, time_column and event_column must be three different columns.")
    return problems


def _step_problems(settings: EventSettings) -> list[str]:
    if settings.flatten_steps == (AUTOMATIC,):
        return []
    problems = []
    reached = dict.fromkeys(settings.columns, -1)
    for step in settings.flatten_steps:
        column, level = parse_step(step)
        levels = COARSER.get(column, ())
        if column not in reached:
            problems.append(_not_allowed("the column of a flatten step", column, settings.columns))
        elif level not in levels:
            problems.append(_not_allowed(f"the level of a flatten step of {column}", level, levels))
        elif levels.index(level) <= reached[column]:
            problems.append(f"flatten_steps takes {column} to {level} after a level as coarse or coarser.")
        else:
            reached[column] = levels.index(level)
    return problems


def _value_problems(settings: EventSettings) -> list[str]:
    problems = []
    if not 1 <= settings.hour_block <= LARGEST_HOUR_BLOCK:
        problems.append(
            f"hour_block is {settings.hour_block}; it must lie between 1 and {LARGEST_HOUR_BLOCK}."
        )
    classes = tuple(dict.fromkeys((*settings.mapping.classes, OTHER_EVENT, *DEFAULT_LEAVE_OUT)))
    problems += [
        _not_allowed("leave_out", left_out, classes)
        for left_out in settings.leave_out
        if left_out not in classes
    ]
    listed = {"time_format": TIME_FORMATS, "near_equal_users": NEAR_EQUAL_USERS, "any_value": ANY_VALUES}
    problems += [
        _not_allowed(name, getattr(settings, name), allowed)
        for name, allowed in listed.items()
        if getattr(settings, name) not in allowed
    ]
    choices = tuple(column for column in DERIVED_COLUMNS if column not in settings.columns)
    if settings.sensitive is not None and settings.sensitive not in choices:
        problems.append(_not_allowed("sensitive", settings.sensitive, choices))
    return problems
