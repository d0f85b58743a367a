"""What the person chooses: how events are generalized, when a combination is released, and how."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.errors import AuditInputError
from core.events.mapping import BUILT_IN_MAPPING, OTHER_EVENT, EventMapping
from core.people.pseudonyms import TokenSource
from core.people.roles.headers import holds_values
from core.settings.form import Widget, check, described, metadata_of, said, setting
from core.words import own, text

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
KIND_COLUMNS = ("generalized_event", "event")
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
_MOST_NAMED = 40


@dataclass(frozen=True, kw_only=True)
class EventSettings:
    """How the log is read and generalized; changing any of these measures the log anew."""

    time_column: str = setting(
        "OD_ISO",
        "Time column",
        "Date and time of each event (`OD_ISO`). Found by its values where the log has no such column.",
        metavar="NAME",
    )
    user_column: str = setting(
        "GUID",
        "User column",
        "Who the event is about (`GUID`); becomes a pseudonym. Found by its values where there is none.",
        metavar="NAME",
    )
    event_column: str = setting(
        "dogodek",
        "Event column",
        "What happened (`dogodek`). Found by its values where the log has no such column.",
        metavar="NAME",
    )
    time_format: str = setting(
        DETECT,
        "How times are written",
        "Found and said by itself; choose it to confirm what was found. Seconds since 1970 are in UTC.",
        choices={
            DETECT: "Detect",
            "iso": "ISO 8601: 2026-11-22 14:05",
            "year-first": "2026/11/22 14:05",
            "day-first": "22.11.2026 14:05",
            "month-first": "11/22/2026 2:05 PM",
            "epoch-seconds": "Seconds since 1970",
            "epoch-milliseconds": "Milliseconds since 1970",
            "excel-days": "Days since 1900 (Excel)",
        },
    )
    near_equal_users: str = setting(
        "ask",
        "Users spelt nearly alike",
        "Identifiers that differ in case, spaces, separators, accents or leading zeros only.",
        choices={
            "ask": "Say what one user would change",
            "join": "Take them for one user",
            "distinct": "They are several users",
        },
    )
    any_value: str = setting(
        "any",
        'How "any" is written in the export',
        "100 is the published form. Blank leaves a column of numbers a column of numbers.",
        choices=dict.fromkeys(("100", "any", "blank"), ""),
    )
    leave_out_unreadable: bool = setting(
        False,
        "Go on without records whose time, user or event cannot be read",
        "Otherwise they stop the run with their lines.",
    )
    columns: tuple[str, ...] = setting(
        ("generalized_event", "week_number", "weekday", "time_period"),
        "Contributing columns",
        "Released with the pseudonym. Every combination of their values must be shared by k users. Columns "
        "of the log's own by name, or what time and event give: generalized_event, event, year, month, day, "
        "hour, quantized_hour, iso_year, week_number, weekday, workday_weekend, time_period.",
        metavar="A,B,C",
        commas=True,
    )
    flatten: str = setting(
        "week_number",
        "Flatten column",
        'Set to "any" in combinations with fewer than k users.',
        metavar="COLUMN",
    )
    flatten_steps: tuple[str, ...] = setting(
        (),
        "Steps, in this order",
        "A combination gets only as coarse as it needs: week, month, any week. Each step names a "
        "contributing column and a coarser level of it, such as week_number:month; auto takes every level of "
        "the time columns and of the flatten column, smallest average loss first.",
        metavar="COLUMN:LEVEL,…",
        commas=True,
        none="the flatten column in one step",
        widget=Widget(options={AUTOMATIC: "all levels"}),
    )
    leave_out: tuple[str, ...] = setting(
        DEFAULT_LEAVE_OUT,
        "Event classes to leave out",
        "Their events are dropped before anything else.",
        metavar="CLASS",
    )
    hour_block: int = setting(
        3,
        "Hours per block",
        "Of quantized_hour: with 3, 14 h becomes 12 and 15 h stays 15.",
        least=1,
        most=24,
        metavar="HOURS",
    )
    sensitive: str | None = setting(
        None,
        "Attribute to protect",
        "Any column that is not released: ℓ-diversity and t-closeness within each combination.",
        metavar="COLUMN",
        none=own("none"),
    )
    mapping: EventMapping = field(
        default=BUILT_IN_MAPPING,
        repr=False,
        metadata=metadata_of(
            "Event mapping",
            "Which class each event belongs to, by its whole name or the part after the dot; CSV or JSON.",
            "--mapping",
            metavar="FILE",
            plain=lambda mapping: dict(mapping.pairs),
        ),
    )
    found_columns: tuple[str, ...] = ()  # columns found by their values and not confirmed yet

    def __post_init__(self) -> None:
        check(self, [*_column_problems(self), *_step_problems(self), *_value_problems(self)])


@dataclass(frozen=True, kw_only=True)
class Rule:
    """When a combination may be released; changing these only re-judges what was measured."""

    k: int = setting(
        5,
        "k: users that share each combination",
        "Every combination in the export is shared by at least k different users.",
        least=2,
        any_size=True,
        widget=Widget(kind="slider", span=(2, 50)),
    )
    strategy: str = setting(
        REMOVE_EVENTS,
        "What still violates",
        "Remove the events of combinations below k, or users until no combination is below k.",
        choices={REMOVE_EVENTS: "Remove events", REMOVE_USERS: "Remove users"},
        widget=Widget(kind="segmented_control"),
    )
    cap: int | None = setting(
        None,
        "Rows per user and combination",
        "Rows beyond it are removed: how many somebody has then tells less. k does not change by it.",
        least=1,
        any_size=True,
        metavar="N",
        none=own("all"),
    )
    max_trace_unique_share: float | None = setting(
        None,
        "Limit for two known events",
        "Share of users that they can single out; above it the traces FAIL. Without one, more than 5 % from "
        "four known events is a WARN.",
        "--max-trace-share",
        percent=True,
        none="no limit",
        widget=Widget(step=0.0001, key="limit"),
    )
    max_rows_unique_share: float = setting(
        0.5,
        "Limit for all rows together",
        "Share of users whose rows, or their order, fewer than k users have. Above it the verdict is FAIL, "
        "above 5 % WARN.",
        "--max-rows-share",
        percent=True,
        widget=Widget(step=0.0001, key="rows_limit"),
    )
    max_whole_trace_share: float = setting(
        0.5,
        "Limit for whole traces",
        "Share of users whose whole trace, the set of their exported combinations, fewer than k users have. "
        "Above it the verdict is FAIL, above 5 % WARN.",
        percent=True,
        widget=Widget(step=0.0001, key="whole_trace_limit"),
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """How users appear in the export."""

    pseudonym_per: str = setting(
        "user",
        "New pseudonym for each",
        "One pseudonym per user links all their events. Shorter ones lower the trace risk.",
        choices=dict(zip(PSEUDONYM_SCOPES, ("User", "Week", "Day", "Event"), strict=True)),
        widget=Widget(kind="segmented_control", key="scope"),
    )
    keep_user_ids: bool = setting(
        False,
        "Write the original identifiers",
        "Not pseudonymized. Only with one pseudonym per user.",
        widget=Widget(key="keep_ids"),
    )
    pseudonym_seed: int | None = setting(
        None,
        "Seed for repeatable pseudonyms",
        "For tests only: whoever knows the seed can repeat the pseudonyms.",
        least=0,
        any_size=True,
        metavar="N",
        none=own("fresh"),
        plain=lambda _: "given",
        secret=True,  # whoever knows it can give the users away,
        widget=Widget(key="seed"),
    )

    def __post_init__(self) -> None:
        keep, per = (said(ReleaseOptions, name) for name in ("keep_user_ids", "pseudonym_per"))
        both = self.keep_user_ids and self.pseudonym_per != "user"
        problem = text(
            "{keep} writes the original identifiers, so {per} cannot be {scope} too.",
            keep=keep,
            per=per,
            scope=self.pseudonym_per,
        )
        check(self, [problem] if both else ())

    @property
    def token_source(self) -> TokenSource:
        """Return what pseudonyms are drawn from: fresh random bytes, or those that the seed gives."""
        if self.pseudonym_seed is None:
            return secrets.token_bytes
        return np.random.default_rng(self.pseudonym_seed).bytes


def parse_step(step: str) -> tuple[str, str]:
    """Return the column and the level of a step such as ``week_number:month``."""
    column, _, level = step.rpartition(":")
    return column.strip(), level.strip()


def levels_of(column: str) -> tuple[str, ...]:
    """Return the coarser levels of a contributing column; one of the log's own has none but any."""
    return COARSER.get(column, (ANY,))


def check_columns(settings: EventSettings, columns: Sequence[str]) -> None:
    """Refuse columns, contributing or sensitive, that are neither made of time and event nor in the log."""
    roles = {settings.user_column, settings.time_column, settings.event_column}
    allowed = tuple(dict.fromkeys((*DERIVED_COLUMNS, *(name for name in columns if name not in roles))))
    shown = DERIVED_COLUMNS if holds_values(columns) else allowed
    asked = {"columns": settings.columns, "sensitive": filter(None, (settings.sensitive,))}
    for name, chosen in asked.items():
        if absent := [column for column in chosen if column not in allowed]:
            named = (*shown[:_MOST_NAMED], *(["…"] * (len(shown) > _MOST_NAMED)))
            raise AuditInputError(_not_allowed(name, ", ".join(absent), named))


def _not_allowed(name: str, value: object, allowed: Sequence[str]) -> str:
    named = said(EventSettings, name) if name in described(EventSettings) else name
    return text(
        "{setting} must be one of {allowed}, received {value}.",
        setting=named,
        allowed=", ".join(allowed),
        value=str(value),
    )


def _column_problems(settings: EventSettings) -> Iterator[str]:
    if not settings.columns:
        yield "columns is empty; choose at least one contributing column."
    if len(set(settings.columns)) != len(settings.columns):
        yield "columns names a contributing column twice."
    if settings.flatten not in settings.columns:
        yield _not_allowed("flatten", settings.flatten, settings.columns)
    names = (settings.user_column, settings.time_column, settings.event_column)
    if len(set(names)) != len(names):
        yield "user_column, time_column and event_column must be three different columns."


def _step_problems(settings: EventSettings) -> Iterator[str]:
    if settings.flatten_steps == (AUTOMATIC,):
        return
    reached = dict.fromkeys(settings.columns, -1)
    for step in settings.flatten_steps:
        column, level = parse_step(step)
        levels = levels_of(column)
        if column not in reached:
            yield _not_allowed(text("the column of a flatten step"), column, settings.columns)
        elif level not in levels:
            named = text("the level of a flatten step of {column}", column=column)
            yield _not_allowed(named, level, levels)
        elif levels.index(level) <= reached[column]:
            yield text(
                "flatten_steps takes {column} to {level} after a level as coarse or coarser.",
                column=column,
                level=level,
            )
        else:
            reached[column] = levels.index(level)


def _value_problems(settings: EventSettings) -> Iterator[str]:
    classes = tuple(dict.fromkeys((*settings.mapping.classes, OTHER_EVENT, *DEFAULT_LEAVE_OUT)))
    yield from (
        _not_allowed("leave_out", left_out, classes)
        for left_out in settings.leave_out
        if left_out not in classes
    )
    if settings.sensitive in settings.columns:
        choices = tuple(column for column in DERIVED_COLUMNS if column not in settings.columns)
        yield _not_allowed("sensitive", settings.sensitive, choices)
