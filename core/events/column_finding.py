"""Which columns of a log are time, user and event, found by their values and names."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import log

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.events.settings import DETECT, EventSettings
from core.events.timestamps import COUNTED, Timestamps, parse_timestamps
from core.people.roles import RoleSuggestion, is_trait, says_who, suggest_roles
from core.people.roles.vocabulary import Role, match_name, name_tokens
from core.tables import Dataset
from core.words import input_error

ROLES = ("time_column", "user_column", "event_column")
_N_LOOKED_AT = 5_000
_MOST_COLUMNS = 200
_READABLE = 0.9
_TIME_WORDS = frozenset(
    {"time", "timestamp", "date", "datetime", "when", "start", "started", "created"}
    | {"od", "cas", "datum", "ura", "시간", "일시", "시각"}
)
_USER_WORDS = frozenset(
    {"user", "guid", "patient", "person", "client", "case", "member", "resident", "subject", "participant"}
    | {"customer", "employee", "who", "owner", "uporabnik", "pacient", "oseba", "stranka", "varovanec"}
    | {"환자", "사용자", "회원", "고객", "대상자"}
)
_EVENT_WORDS = frozenset(
    {"event", "activity", "action", "what", "alarm", "operation", "task", "message", "dogodek", "aktivnost"}
    | {"signal", "trigger", "sprožilec", "신호"}
    | {"dejavnost", "opravilo", "이벤트", "활동", "행동", "사건", "알람"}
)
_KIND_WORDS = frozenset(
    {"kind", "type", "vrsta", "tip", "종류", "유형"}
)  # of events most likely, where nothing is called so
_LONG_TEXT = 60
_BARE_NAMES = frozenset({"name", "ime", "이름", "naziv"})  # of events too
_A_HINT = 1.0
_NEVER = -9.0
_MOST_DAYS = (
    40 * 365
)  # from the first to the last of dates under a header that says nothing; births spread more
_TWO_KINDS = 0.4  # two values are a property more often than all that ever happens


@dataclass(frozen=True, kw_only=True)
class _Column:
    """What is known of a column: how well it reads as times, users and events."""

    name: str
    as_time: float
    as_user: float
    as_event: float


def with_found_columns(
    dataset: Dataset, settings: EventSettings, *, given: Collection[str] = ()
) -> EventSettings:
    """Return the settings with columns found by their values where the log has other names.

    The published names come first, without need to confirm them. Time is a column that can nearly
    always be read as such; of the others, users have many values and events few, and names in
    English, Korean and Slovenian count as a hint. What says who a person is, such as a date of birth or
    a postal code, is none of them; a number or a name of persons can be the user only.
    """
    _refuse_missing_header(dataset)
    published = {
        role: getattr(EventSettings, role)
        for role in ROLES
        if getattr(settings, role) not in dataset.columns
        and role not in given
        and getattr(EventSettings, role) in dataset.columns
    }
    settings = replace(settings, **published)
    absent = [role for role in ROLES if getattr(settings, role) not in dataset.columns and role not in given]
    taken = {getattr(settings, role) for role in ROLES if role not in absent}
    if not absent:
        return settings
    table = _sampled(dataset, taken)
    roles = {each.column: each for each in suggest_roles(table)}
    columns = [_looked_at(roles[name], table[name]) for name in table.column_names]
    found = _best(columns, absent)
    if found is None:
        return settings
    return replace(settings, **found, found_columns=tuple(found))  # type: ignore[arg-type]


def _refuse_missing_header(dataset: Dataset) -> None:
    """Refuse a file whose column names are a record, without repeating them."""
    names = parse_timestamps(pa.array(dataset.columns, pa.string()), time_format=DETECT)
    for position in np.flatnonzero(names.readable) if names.time_format != "excel-days" else ():
        if _share_of_times(dataset.table.column(int(position)).slice(0, _N_LOOKED_AT)) >= _READABLE:
            raise input_error(
                "{file}: a time stands where a column name belongs, so the file seems to have no header "
                "line. Read it without one (--no-header, or “How it was read” on the page).",
                file=dataset.name,
            )


def _share_of_times(cells: pa.ChunkedArray) -> float:
    cells = cells.drop_null()
    times = parse_timestamps(cells, time_format=DETECT)
    return float(times.readable.mean()) if len(cells) else 0.0


def _sampled(dataset: Dataset, taken: Collection[str]) -> pa.Table:
    """Return the columns that are free, of some records from the first to the last."""
    names = [name for name in dataset.columns[:_MOST_COLUMNS] if name not in taken]
    step = max(dataset.n_records // _N_LOOKED_AT, 1)
    return dataset.table.select(names).take(
        pa.array(np.arange(0, dataset.n_records, step)[:_N_LOOKED_AT], pa.int64())
    )


def _looked_at(role: RoleSuggestion, cells: pa.ChunkedArray) -> _Column:
    cells = cells.drop_null()
    tokens = {*name_tokens(role.column)}
    n, n_distinct = len(cells), pc.count_distinct(cells).as_py()
    if n == 0:
        return _Column(name=role.column, as_time=_NEVER, as_user=_NEVER, as_event=_NEVER)
    spread = log(max(n_distinct, 1)) / log(n + 1) if n > 1 else 0.5
    is_long = pc.mean(pc.utf8_length(cells)).as_py() > _LONG_TEXT
    unfit = _share_matching(cells, r"^\s*-?\d+[.,]\d+\s*$") + float(is_long)
    match = match_name(role.column)
    names_person = match is not None and match.rule.role is Role.DIRECT_IDENTIFIER
    is_kind = tokens == {"concept", "name"}  # XES calls the kind of an event concept:name
    user_hint = (bool(tokens & _USER_WORDS) or names_person) and not is_kind
    event_hint = 1.0 if is_kind or tokens & _EVENT_WORDS else 0.5 * bool(tokens & _KIND_WORDS)
    may_be_event = not says_who(role) or is_kind or (tokens <= _BARE_NAMES and not role.from_values)
    as_user = spread - unfit + _A_HINT * user_hint - 0.5 * (n_distinct == n > 1) - 0.5 * (n_distinct == 1)
    as_event = 1 - spread - unfit - _TWO_KINDS * (n_distinct <= 2) + _A_HINT * (event_hint - user_hint)
    return _Column(
        name=role.column,
        as_time=_NEVER if is_trait(role) else _as_time(cells, is_hinted=bool(tokens & _TIME_WORDS)),
        as_user=_NEVER if is_trait(role) else as_user,
        as_event=as_event if may_be_event else _NEVER,
    )


def _as_time(cells: pa.ChunkedArray, *, is_hinted: bool) -> float:
    """Return the share read as times, less where numbers could be anything; births are none."""
    times = parse_timestamps(cells, time_format=DETECT)
    share = float(times.readable.mean())
    if share < _READABLE or (not is_hinted and _spread_like_births(times)):
        return _NEVER
    is_number, is_date = times.time_format in COUNTED, times.n_without_time > 0
    if times.time_format == "excel-days" and not is_hinted:  # any number of five digits
        return _NEVER
    return share - 0.3 * is_number - 0.2 * is_date + 0.5 * is_hinted


def _spread_like_births(times: Timestamps) -> bool:
    """Return whether times are dates alone, of more years than most of what happens is recorded."""
    days = times.days[times.readable]
    is_date = times.n_without_time == len(days)
    return is_date and bool(np.subtract(*np.percentile(days, (99, 1))) > _MOST_DAYS)


def _share_matching(cells: pa.ChunkedArray, pattern: str) -> float:
    return float(pc.mean(pc.match_substring_regex(cells, pattern).cast(pa.int8())).as_py())


def _best(columns: Sequence[_Column], absent: Sequence[str]) -> dict[str, str] | None:
    """Return the columns that fit the absent roles best together; None where one cannot be filled."""
    attribute = {"time_column": "as_time", "user_column": "as_user", "event_column": "as_event"}
    found: dict[str, str] = {}
    rest = list(columns)
    if "time_column" in absent:
        times = max(rest, key=lambda column: column.as_time, default=None)
        if times is None or times.as_time < 0:
            return None
        found["time_column"] = times.name
        rest.remove(times)
    rest = [column for column in rest if column.as_time < 0]
    others = [role for role in absent if role != "time_column"]
    best = max(
        permutations(rest, len(others)),
        key=lambda chosen: sum(getattr(c, attribute[role]) for c, role in zip(chosen, others, strict=True)),
        default=(),
    )
    chosen = list(zip(others, best, strict=False))
    if len(best) < len(others) or any(getattr(each, attribute[role]) <= _NEVER for role, each in chosen):
        return None
    return found | {role: column.name for role, column in chosen}
