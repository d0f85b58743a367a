"""What rows, traces, users and released values tell; on logs countable by hand."""

import numpy as np
import pyarrow as pa
import pytest

from core.chance import wilson_interval
from core.errors import AuditInputError
from core.events import EventAudit, event_mapping, judge_events, trace_risk
from core.events.row_risk import combination_diversity
from core.events.trace_risk import KnownEvents, Share, TraceRisk
from core.events.traces import Traces, TraceSearch, build_traces
from core.events.users import folded, near_equal_users
from core.tables import ReadOptions, read_dataset
from core.verdict import Verdict
from tests.cases.table import holds_for_each, read_cases, says
from tests.events_examples import HEADER, audit, finding, messages
from tests.saying import Saying

CASES = read_cases("events.txt")
PASS, WARN, FAIL, NOT_ASSESSED = Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.NOT_ASSESSED
MONDAYS = ("2024-01-08", "2024-01-15", "2024-01-22")
FALL, IDLE = "X.FALL_DETECTED", "X.NOT_MOVING"
KINDS = {"columns": ("generalized_event",), "flatten": "generalized_event"}
RAW = {"columns": ("event", "weekday"), "flatten": "weekday"}


def log(**rows: str) -> list[str]:
    """Return events: for each user a letter a row, the day by its place: f a fall, i idle, - none."""
    return [
        f"{MONDAYS[place % 3]}T10:00;{user};{FALL if letter == 'f' else IDLE}"
        for user, letters in rows.items()
        for place, letter in enumerate(letters)
        if letter != "-"
    ]


def times(**numbers: int) -> list[str]:
    """Return as many rows of each user as is said."""
    of_each = numbers.items()
    return [f"2024-01-08T10:{at:02d};{user};{FALL}" for user, number in of_each for at in range(number)]


def users(*names: str, day: str = MONDAYS[0]) -> list[str]:
    return [f"{day}T10:00;{name};{FALL}" for name in names]


def raw(*events: str, n_users: int = 4) -> list[str]:
    return [f"2024-01-08T10:00;user.number{n};{event}" for event in events for n in range(n_users)]


def test_row_risk__counts_users_alone_with_their_number_of_rows() -> None:
    found = audit(*times(a=1, b=1, c=2, d=2, e=3))
    rows = found.rows
    assert (rows.n_users, rows.n_alone_by_number, rows.n_below_k_by_number) == (5, 1, 1)
    assert (rows.n_unique_multiset, rows.n_unique_sequence, rows.n_standing_out) == (1, 1, 0)
    assert (found.verdict, found.trace_verdict, found.rows_verdict, found.overall) == (PASS, PASS, FAIL, FAIL)
    assert (rows.n_alone_by_number_capped, rows.n_below_k_multiset_capped) == (0, 0)
    helped = finding(found, "row_numbers")
    assert helped is not None
    assert says(
        helped.message, "With one line of each kind per user it would be 0 by number and 0 by all lines."
    )
    assert says(helped.remedy, "(a cap)")
    found = audit(*times(a=2, b=2, c=3, d=3))
    assert (found.rows.n_alone_by_number, found.rows.n_unique_multiset, found.overall) == (0, 0, PASS)


def test_row_findings__name_a_cap_only_where_it_helps() -> None:
    by_kind = audit(*log(a="f--", b="-f-", c="ff-", d="f-f", e="--f", f="-ff"))
    assert by_kind.rows.n_below_k_multiset_capped == 6
    still = finding(by_kind, "row_multisets")
    assert still is not None
    assert says(still.message, "does not help: 0 by number, 6 by all lines")
    assert [each.message for each in by_kind.findings if "one line of each kind" in each.message] == [
        still.message
    ]


def test_row_risk__sees_who_has_far_more_rows_than_everybody_else() -> None:
    many = {f"u{number}": 1 + number % 2 for number in range(300)}
    alone = audit(*times(**many, heavy=20), k=5)
    assert (alone.rows.n_standing_out, alone.rows_verdict) == (1, WARN)
    near = audit(*times(**many, near=3), k=5).rows
    assert (near.n_alone_by_number, near.n_standing_out) == (1, 0)
    assert audit(*times(**many, near=3), k=5).rows_verdict is PASS
    few = {f"u{number}": 1 for number in range(600)}
    several = audit(*times(**few, **{f"h{number}": 30 + number for number in range(5)}), k=5)
    assert (several.rows.n_standing_out, several.rows_verdict) == (5, WARN)


def test_row_risk__tells_rows_split_differently_from_their_number() -> None:
    rows = audit(*log(a="ffi", b="ffi", c="fii", d="iif"), **KINDS).rows
    assert (rows.n_alone_by_number, rows.n_unique_multiset) == (0, 0)
    found = audit(*log(a="fff", b="ffi", c="fii"), **KINDS)
    assert (found.rows.n_alone_by_number, found.rows.n_unique_multiset) == (0, 3)
    assert found.rows.n_unique_sequence is None
    assert found.rows_verdict is FAIL
    within = audit(*log(a="fff", b="ffi", c="fii"), max_rows_unique_share=1.0, **KINDS)
    assert within.rows_verdict is WARN  # the limit is the person's


def told(lines: list[str], **chosen: object) -> tuple[int, int | None, list[str]]:
    """Return the users of whom an event and a time give more, and what is warned of."""
    found = audit(
        *lines, **{"k": 5, "leave_out": (), "columns": ("event", "weekday", "time_period")} | chosen
    )
    checks = [each.check for each in found.findings if each.verdict is WARN and "_tells" in each.check]
    return found.inferred.n_by_event, found.inferred.n_by_time, checks


def timed(*events: tuple[int, int, int, str]) -> list[str]:
    """Return events of a user, a day of January 2024 (the first is a Monday), an hour and a kind."""
    return [f"2024-01-{day:02d}T{hour:02d}:00;user{user};{kind}" for user, day, hour, kind in events]


def test_inference__finds_where_one_event_gives_another() -> None:
    days = {"flatten": "weekday"}
    same = timed(*((user, 1 + user // 6 + at, 10, f"K{at}") for user in range(36) for at in range(3)))
    assert told(same, **days)[::2] == (36, ["known_event_tells"])
    rng = np.random.default_rng(2)
    base = [(user, int(rng.integers(1, 8)), 10, "walk") for user in range(80) for _ in range(3)]
    visits = [(user, 2 + at, 10 + at, ("clinic", "pharmacy")[at]) for user in range(12) for at in (0, 1)]
    assert told(timed(*base, *visits), **days) == (12, 0, ["known_event_tells"])
    weekly = [(user, day, 10, "walk") for user in range(80) for day in (1, 8)]
    pairs = [(user, 1 + at, 10, ("fall", "alarm")[at]) for user in range(20) for at in (0, 1)]
    found = told(timed(*weekly, *pairs), pseudonym_per="week", **days)
    assert (found[0], "known_event_tells" in found[2]) == (20, True)
    assert told(timed(*weekly, *pairs), pseudonym_per="event", **days)[0] == 0  # nothing links the two


def test_inference__of_what_most_or_by_chance_have_is_none() -> None:
    rng = np.random.default_rng(3)
    common = [(user, day, 10, "walk") for user in range(60) for day in range(1, 6)]
    rare = [(user, int(rng.integers(1, 6)), 10, "fall") for user in range(60) if user % 3]
    assert told(timed(*common, *rare), flatten="weekday") == (0, 0, [])
    few = [
        (user, int(rng.integers(1, 8)), int(rng.integers(24)), f"K{rng.integers(3)}")
        for user in range(100)
        for _ in range(1 + int(rng.exponential(12)))
    ]  # some have many events and so have most of what the others have
    assert told(timed(*few), flatten="weekday")[2] == []


def test_inference__finds_times_at_which_one_kind_alone_happens() -> None:
    rng = np.random.default_rng(4)
    kinds = ("meal", "medicine", "visit", "walk")
    hours = [(user, 1 + int(rng.integers(7)), 3 + 6 * at, kinds[at]) for user in range(90) for at in range(4)]
    assert told(timed(*hours), columns=("event", "hour"), flatten="hour") == (0, 90, ["known_time_tells"])
    days = [(user, 1 + at, int(rng.integers(24)), kinds[at % 4]) for user in range(60) for at in range(7)]
    assert told(timed(*days), columns=("event", "weekday"), flatten="weekday")[1:] == (
        60,
        ["known_time_tells"],
    )
    weeks = [  # under any week, too
        (user, 1 + 7 * (user % 4) + at, 10, kinds[at]) for user in range(16) for at in range(4)
    ]
    assert told(timed(*weeks), columns=("event", "week_number", "weekday"), flatten="week_number")[1] == 16


def test_inference__of_times_counts_what_may_have_happened_then() -> None:
    rng = np.random.default_rng(5)
    usual = [(user, 1 + int(rng.integers(7)), int(rng.integers(24)), "walk") for user in range(90)] * 3
    rare = [(user, 3, 10, "fall") for user in range(30)]
    assert told(timed(*usual, *rare), flatten="weekday")[1:] == (0, [])
    weeks = [(user, 1 + 7 * (user % 3), 10, f"K{user % 3}") for user in range(30)]
    others = [
        (user, 1 + 7 * (user % 4), 10, f"K{user // 4 % 4}") for user in range(30, 62)
    ]  # 2 a week and kind
    found = told(timed(*weeks, *others), columns=("event", "week_number", "weekday"), flatten="week_number")
    assert found[1:] == (0, [])  # an event of any week may be of this one


def test_row_risk__follows_the_order_that_the_export_tells() -> None:
    lines = log(a="fif", b="fif", c="iff", d="if-", e="if-", g="-ff", h="-ff")

    def holds(columns: str, scope: str, n_unique: int | None) -> None:
        names = tuple(columns.split())
        found = audit(*lines, columns=names, flatten=names[-1], pseudonym_per=scope)
        assert found.rows.n_unique_sequence == n_unique

    cases = [
        ("generalized_event week_number", "user", 1),
        ("generalized_event month day", "user", 1),
        ("generalized_event weekday", "user", None),
        ("week_number weekday", "user", None),
        ("generalized_event week_number", "event", None),
        ("generalized_event weekday hour", "week", 0),
        ("generalized_event hour", "day", 0),
    ]
    holds_for_each(cases, holds)
    lines = [f"{year}-01-08T10:00;{user};{FALL}" for year in (2023, 2024) for user in "ab"]
    columns = ("generalized_event", "week_number")
    assert audit(*lines, columns=columns).rows.n_unique_sequence is None
    assert audit(*lines, columns=(*columns, "iso_year")).rows.n_unique_sequence == 0


def test_cap__removes_the_excess_and_counts_it_as_lost() -> None:
    lines = times(a=1, b=4, c=2)
    capped = audit(*lines, cap=1)
    assert capped.overall is PASS
    reduced = capped.anonymized.reduced
    assert (reduced.n_events, reduced.n_events_capped, reduced.penalty_share) == (3, 4, 4 / 7)
    assert len(capped.release.events_csv.splitlines()) == 1 + 3
    assert says(finding(capped, "rows_capped").message, "At most 1 row of a user…4 of 7 events")
    assert [audit(*lines, cap=cap).anonymized.reduced.n_events for cap in (2, 9)] == [5, 7]
    joined = audit(*log(a="fff", b="f--", c="-f-", d="--f"), k=3, cap=2, flatten="week_number")
    assert joined.anonymized.reduced.n_events == 2 + 3  # flattening joins combinations


def test_folded__makes_one_of_spellings_and_keeps_others_apart() -> None:
    def is_one(one: str, other: str) -> bool:
        first, second = folded(pa.array([one, other])).to_pylist()
        return first == second

    assert [case.place for case in CASES["one user"] if not is_one(*case.columns)] == []
    assert [case.place for case in CASES["two users"] if is_one(*case.columns)] == []


def test_near_equal_users__fail_where_k_needs_several_spellings_of_one_person() -> None:
    lines = [*users("ana", "Ana", "ANA "), *users("bor", "BOR", "Bor.", day="2024-01-16")]
    found = audit(*lines, k=3)
    assert found.verdict is PASS
    persons = finding(found, "users_near_equal")
    assert persons.verdict is FAIL
    assert says(persons.message, "6 user identifiers may be 2 persons… 1, … 3 is ")
    assert audit(*lines, k=3, near_equal_users="distinct").overall is PASS
    joined = audit(*lines, near_equal_users="join")
    assert joined.measured.log.users == ("ana", "bor")
    assert finding(joined, "users_joined").n_affected == 4
    k_holds = audit(*users("ana", "Ana", "bor", "cene"))
    assert finding(k_holds, "users_near_equal").verdict is WARN


def test_near_equal_users__are_not_seen_in_codes_that_meet_by_chance() -> None:
    letters = np.array(list("abcdefghijABCDEFGHIJ"))
    drawn = np.unique(["".join(row) for row in letters[np.random.default_rng(3).integers(0, 20, (2000, 3))]])
    assert near_equal_users(pa.array(drawn.tolist())) is None
    assert near_equal_users(pa.array([*drawn.tolist(), "abc 01", "abc1"])) is not None


def test_persons_in_columns__tell_sessions_from_users() -> None:
    lines = [f"2024-01-08T10:0{n};s{n};{FALL};{'ana' if n < 4 else 'bor'}" for n in range(6)]

    def persons(name: str, lines: list[str] = lines, **chosen: object) -> object:
        return finding(audit(*lines, header=f"{HEADER};{name}", **chosen), "users_column")

    told = persons("patient_id", k=3)
    assert (told.verdict, told.column, told.n_affected) == (FAIL, "patient_id", 6)
    of_persons = audit(*lines, header=f"{HEADER};patient_id", user_column="patient_id")
    assert of_persons.overall is not NOT_ASSESSED
    named = ("konto_uporabnik", "email", "phone", "login")
    assert {persons(name, k=3).verdict for name in named} == {FAIL}
    numbered = [line.replace(";ana", ";acc7").replace(";bor", ";acc9") for line in lines]
    assert persons("konto", numbered, k=3).verdict is WARN  # by its values
    assert [name for name in ("ward", "employee_id", "visit") if persons(name, k=3)] == []
    others = ("ward", "employee_id", "household id", "full_name", "담당의사번호", "visit id")
    assert [other for other in others if persons(other, k=3)] == []
    assert [named for named in ("person", "PatientID", "환자번호", "user") if not persons(named)] == []
    own = [line.replace(";ana", f";p{n}").replace(";bor", f";p{n}") for n, line in enumerate(lines)]
    assert persons("patient_id", own) is None


def test_telling__finds_what_released_values_say_of_people_and_days() -> None:
    def holds(event: str, check: str) -> None:
        found = audit(*raw(event, "lunch"), **RAW)
        if check == "-":
            assert found.overall is PASS
            return
        assert finding(found, check).verdict is FAIL
        assert event not in finding(found, check).message
        hidden = audit(*raw(event, "lunch"), columns=("weekday",), flatten="weekday")
        assert finding(hidden, check) is None

    holds_for_each(CASES["values"], holds)


def test_telling__finds_names_that_another_column_of_the_log_holds() -> None:
    def people(said: str) -> object:
        lines = [f"2024-01-08T10:00;u{n};{said};Ana{'abcdef'[n // 2]} Novak" for n in range(6)]
        return finding(audit(*lines, header=f"{HEADER};contact", **RAW), "people_in_values")

    assert people("walk with Anab Novak").verdict is FAIL
    assert people("walk") is None


def test_telling__counts_numbers_of_users_only_beyond_chance() -> None:
    groups = [(n, n // 3) for n in range(30)]
    named = [
        f"2024-01-08T10:00;{1000 + n};walk {' '.join(str(1000 + m) for m, other in groups if other == group)}"
        for n, group in groups
    ]
    assert finding(audit(*named, **RAW), "people_in_values").verdict is FAIL
    rooms = [f"2024-01-08T10:00;{1000 + n};room {1000 + (group * 7 + 5) % 30}" for n, group in groups]
    assert finding(audit(*rooms, **RAW), "people_in_values") is None


def test_mapping__that_tells_nothing_apart_is_not_assessed() -> None:
    both = raw("walk", "lunch")
    unmapped = audit(*both)
    assert (unmapped.verdict, unmapped.overall) == (PASS, NOT_ASSESSED)
    assert says(finding(unmapped, "mapping").message, "not assessed: none of the 2 kinds of events is ")
    assert says(finding(unmapped, "unmapped_events").remedy, "2 kinds of events")
    shared = audit(*raw("walk", "lunch", n_users=5), *raw("swim of somebody", n_users=1))
    assert says(finding(shared, "unmapped_events").remedy, "`walk`, `lunch` and 1 more kind of events")
    merged = audit(*both, mapping=event_mapping([("walk", "x"), ("lunch", "x")]), leave_out=())
    assert says(finding(merged, "mapping").message, "all 2 kinds of events are in one class")
    told = audit(*both, mapping=event_mapping([("walk", "x"), ("lunch", "y")]), leave_out=())
    assert told.overall is PASS
    assert finding(audit(*both, **RAW), "mapping") is None
    assert finding(audit(*raw(FALL)), "mapping") is None


def test_seed_and_own_identifiers__are_said() -> None:
    assert finding(audit(*raw(FALL), pseudonym_seed=3), "pseudonym_seed").verdict is WARN
    assert audit(*raw(FALL), keep_user_ids=True).overall is FAIL


def test_any_value__is_written_as_asked() -> None:
    for any_value, written in (("100", "100"), ("any", "any"), ("blank", "")):
        columns = ("generalized_event", "week_number")
        found = audit(*log(a="f--", b="-f-"), columns=columns, any_value=any_value)
        rows = [line.split(",")[1:] for line in found.release.events_csv.decode().splitlines()[1:]]
        assert rows == [["fall_detected", written]] * 2
        assert found.verdict is PASS


def test_missing_words__can_be_users() -> None:
    data = "\n".join([HEADER, *users("NA", "bor")]).encode()
    as_written = read_dataset(data, name="log.csv", options=ReadOptions(missing_spellings=()))
    assert audit(log=as_written).measured.log.users == ("NA", "bor")
    with pytest.raises(AuditInputError, match="1 of 2 records have no user in GUID"):
        audit(*users("NA", "bor"))


def test_diversity__says_where_one_value_has_nearly_all_events() -> None:
    def of_day(day: str, first: int, second: int) -> list[str]:
        events = [FALL] * first + [IDLE] * second
        return [f"2024-01-{day}T10:00;{day}u{n};{event}" for n, event in enumerate(events)]

    settings = {"columns": ("weekday",), "flatten": "weekday", "sensitive": "generalized_event"}
    told = audit(*of_day("08", 19, 1), *of_day("09", 1, 19), **settings)
    assert (told.diversity.n_uniform, told.diversity.n_dominated) == (0, 2)
    assert finding(told, "diversity").verdict is WARN
    usual = audit(*of_day("08", 19, 1), *of_day("09", 19, 1), **settings)
    assert (usual.diversity.n_dominated, finding(usual, "diversity").verdict) == (0, PASS)


def test_whole_log_penalty__counts_what_is_merged_and_left_out() -> None:
    lines = raw("X.BATTERY_EMPTY", n_users=1) + raw(
        "X.BATTERY_EMPTY", "X.BATTERY_FULL", FALL, IDLE, n_users=2
    )
    found = audit(*lines, leave_out=("power_event",), **KINDS)
    assert found.whole_log_penalty_share == pytest.approx(5 / 9)
    merged = audit(*lines, leave_out=(), **KINDS)
    assert merged.anonymized.reduced.penalty_share == 0
    assert merged.whole_log_penalty_share == pytest.approx(5 * (2 / 4) / 9)
    assert audit(*lines, columns=("weekday",), flatten="weekday", leave_out=()).whole_log_penalty_share == 0


def test_whole_trace__has_a_limit_and_a_verdict_of_its_own() -> None:
    lines = log(a="ff-", b="ff-", c="-ff", d="f-f", e="f-f")
    found = audit(*lines, flatten="week_number")
    assert (found.traces_after.whole_trace, found.whole_trace_verdict) == (0.2, WARN)
    said = finding(found, "whole_trace")
    assert said is not None
    assert says(said.message, "All of one user's lines…2 users for 1 of 5 users, …1; …50.0 % ")
    assert said.n_affected == 1
    strict = audit(*lines, flatten="week_number", max_whole_trace_share=0.1)
    assert (strict.whole_trace_verdict, strict.overall) == (FAIL, FAIL)
    assert strict.trace_verdict is found.trace_verdict
    nothing = audit(*lines, k=5, columns=("event", "day"), flatten="event")
    assert nothing.whole_trace_verdict is NOT_ASSESSED


def traces(*sets: str, repeat: int = 1) -> Traces:
    """Return traces of letters, "0xyz" of user 0."""
    owned = [(n, int(each[0]), ord(letter)) for n, each in enumerate(sets) for letter in each[1:] * repeat]
    return build_traces(*(np.array(column) for column in zip(*owned, strict=True)))


def test_trace_risk__counts_choices_that_nobody_else_has() -> None:
    """a has xy with b and yz with c, but xz alone; b and c share xy and yz with a; d alone has w."""
    risk = trace_risk(traces("0xyz", "1xy", "2yz", "3w", repeat=2))
    assert [known.singled_out.value for known in risk.by_known] == [1 / 4, 2 / 4, 2 / 4, 2 / 4]
    random = [known.random.value for known in risk.by_known]
    assert random == pytest.approx([1 / 4, (1 / 3 + 1) / 4, 2 / 4, 2 / 4])
    assert (risk.whole_trace, risk.n_users, risk.n_traces) == (1.0, 4, 4)
    two_pseudonyms_of_one = trace_risk(traces("0xy", "0xy", "1x", "2x"))
    assert [known.singled_out.value for known in two_pseudonyms_of_one.by_known] == [1 / 3] * 4
    assert (two_pseudonyms_of_one.whole_trace, two_pseudonyms_of_one.n_traces) == (1 / 3, 4)


def test_trace_risk__of_no_trace_is_not_assessed() -> None:
    risk = trace_risk(build_traces(*[np.empty(0, dtype=np.int64)] * 3))
    assert (risk.by_known[0].singled_out, risk.by_known[3].random) == (None, None)
    assert (risk.whole_trace, risk.singled_out(2)) == (None, None)


def test_trace_risk__of_a_sample_has_an_interval_and_a_seed() -> None:
    rng = np.random.default_rng(3)
    owners = np.repeat(np.arange(300), 12)
    sampled = build_traces(owners, owners, rng.integers(0, 60, len(owners)))
    exact = trace_risk(sampled)
    some, again = (trace_risk(sampled, largest_exact=0, n_users_searched=60, seed=5) for _ in range(2))
    assert some == again
    for known, found in zip(exact.by_known[1:], some.by_known[1:], strict=True):
        assert not found.singled_out.is_exact
        assert found.singled_out.lower <= known.singled_out.value <= found.singled_out.upper
        assert found.random.lower - 0.02 <= known.random.value <= found.random.upper + 0.02
    assert some.by_known[1].singled_out.n_sampled == 60


def test_trace_risk__counts_undecided_users_as_singled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = traces("0xyz", "1xy", "2yz", "3xz")
    exact = trace_risk(found, largest_exact=0)
    assert [exact.singled_out(n_known) for n_known in (1, 2, 3, 4)] == [0.0, 0.0, 1 / 4, 1 / 4]
    monkeypatch.setattr("core.events.traces._LARGEST_PRODUCT", 0)
    known = trace_risk(found, largest_exact=0).by_known[1].singled_out
    assert known is not None
    assert (known.value, known.is_exact, known.lower) == (1 / 4, False, 0.0)
    assert known.upper > 1 / 4


def test_wilson_interval__is_the_published_one() -> None:
    for n_hits, ends in ((0, (0.0, 0.2775)), (5, (0.2366, 0.7634)), (10, (0.7225, 1.0))):
        assert wilson_interval(n_hits, 10) == pytest.approx(ends, abs=1e-4)


DAYS = {"columns": ("weekday", "time_period"), "flatten": "weekday"}
MONDAY, TUESDAY, SUNDAY = "2024-01-08T10:00", "2024-01-09T10:00", "2024-01-14T10:00"
# a is on Monday and Tuesday, b on Monday and Sunday, c on Tuesday and Sunday: each pair is one user's.
TRIANGLE = tuple(
    f"{time};{user};{FALL}"
    for user, days in {"a": (MONDAY, TUESDAY), "b": (MONDAY, SUNDAY), "c": (TUESDAY, SUNDAY)}.items()
    for time in days
)


def of_days(*lines: str, **chosen: object) -> EventAudit:
    return audit(*(lines or TRIANGLE), **{**DAYS, **chosen})


def test_audit_events__judges_what_fewer_than_k_share_as_k_does() -> None:
    pairs = log(
        **{f"{a}{twin}": a * 3 for a in "fi" for twin in "12"}, c1="ff-", c2="ff-", d1="ii-", d2="ii-"
    )
    found = audit(*pairs, k=3, **KINDS)
    assert (found.verdict, found.rows.n_unique_multiset, found.rows.n_below_k_multiset) == (PASS, 0, 8)
    assert finding(found, "row_multisets").verdict is FAIL
    assert says(messages(found)["row_multisets"], "All rows … fewer than 3 for 8 of 8 users, … for 0. ")
    assert audit(*pairs, k=2, **KINDS).rows.n_below_k_multiset == 0


def test_audit_events__says_that_k_holds_and_two_events_single_out_everybody() -> None:
    found = of_days()
    assert (found.verdict, found.trace_verdict, found.rows_verdict, found.overall) == (PASS, WARN, FAIL, FAIL)
    whole = "All of one user's lines … 2 users for 3 of 3 users, … 3; … 50.0 % …"
    assert messages(found) == {
        "k_anonymity": Saying("The smallest of 3 released combinations … 2 users, k … 2 is … (6 events)."),
        "trace_risk": Saying("k = 2 does not cover what a pseudonym links: … 100 % … 3 users, … 100 %."),
        "whole_trace": Saying(whole),
        "row_numbers": Saying("The number of rows … alone singles out 0 of 3 … 0 have … 2 users …"),
        "row_multisets": Saying("All rows under a pseudonym … 2 for 3 of 3 users, … 3. … 0 by … 3 by …"),
        "known_event_tells": Saying("One known event of 0 of 3 users … Chance gives 0 %."),
    }


def test_audit_events__fails_traces_above_the_limit_that_was_set() -> None:
    found = of_days(max_trace_unique_share=0.5)
    assert (found.verdict, found.trace_verdict, found.overall) == (PASS, FAIL, FAIL)
    assert messages(found)["trace_risk"].endswith("four 100 % (limit for two: 50.0 %).")
    assert of_days(max_trace_unique_share=1.0).trace_verdict is PASS


def test_audit_events__finds_nobody_when_no_pseudonym_links_two_events() -> None:
    for scope in ("day", "event"):
        found = of_days(pseudonym_per=scope)
        assert found.overall is PASS
        assert says(messages(found)["trace_risk"], f"{scope}, two known events can single out 0 % ")


def test_audit_events__says_why_nothing_is_left() -> None:
    found = of_days(f"{MONDAY};a;{FALL}", f"2024-01-08T23:00;b;{FALL}", strategy="remove-users")
    assert (found.verdict, found.overall) == (NOT_ASSESSED, NOT_ASSESSED)
    assert messages(found) == {
        "k_anonymity": Saying("Nothing is left to release: with k = 2 all 2 events would be …"),
        "trace_risk": Saying("No event is released, …"),
        "whole_trace": Saying("No event is released, …"),
        "row_numbers": Saying("No event is released, …"),
        "events_removed": Saying("2 of 2 events after cleanup are removed to reach k. … 2 of 2."),
    }


def test_audit_events__notes_what_was_left_out_removed_and_kept() -> None:
    more = (f"{MONDAY};d;X.BATTERY_EMPTY", f"2024-01-08T23:00;a;{FALL}")
    notes = messages(of_days(*TRIANGLE, *more, keep_user_ids=True, sensitive="generalized_event"))
    assert says(notes["classes_left_out"], "1 of 8 events…1 of 4 users have no other events.")
    assert says(notes["events_removed"], "1 of 7 events after cleanup are removed to reach k.…0 of 3.")
    assert says(notes["user_ids_kept"], "The export holds the original user identifiers, as asked; ")
    assert says(notes["diversity"], "3 of 3 released combinations have one value of ")


def test_audit_events__says_when_multi_level_raised_events_or_was_not_used() -> None:
    steps = ("weekday:workday_weekend", "weekday:any")
    raised = of_days(*users("a", "b"), *users("c", day="2024-01-09"), flatten_steps=steps)
    assert says(messages(raised)["events_raised"], "2 events that had k users at an earlier step were taken")
    fallen_back = of_days(*users("a"), *users("c", day="2024-01-14"), flatten_steps=steps[:1])
    assert says(messages(fallen_back)["single_level_used"], "Single-level flattening is used: it keeps more")


def test_combination_diversity__counts_values_within_combinations() -> None:
    lines = (f"{MONDAY};a;{FALL}", f"{MONDAY};b;{IDLE}", f"{TUESDAY};a;{IDLE}", f"{TUESDAY};b;{IDLE}")
    found = of_days(*lines, sensitive="generalized_event")
    diversity = found.diversity
    assert diversity == combination_diversity(found.anonymized, "generalized_event")
    assert (diversity.n_combinations, diversity.n_uniform) == (2, 1)
    assert (diversity.distinct_l, diversity.entropy_l, diversity.t) == (1.0, 1.0, 0.25)
    assert found.overall is WARN


def test_trace_search__knows_the_fewest_events_that_single_out_or_one_more_than_asked() -> None:
    def fewest(*sets: str, at_least: int, at_most: int) -> list[int]:
        search = TraceSearch(traces(*sets))
        return [search.fewest_known(n, at_least=at_least, at_most=at_most) for n in range(len(sets))]

    assert fewest("0xy", "1xyz", "2xyz", at_least=2, at_most=4) == [5, 5, 5]  # others have everything
    six = ("0xyz", "1xy", "2yz", "3xz", "4w", "5xy")
    assert fewest(*six, at_least=1, at_most=3) == [3, 4, 4, 4, 1, 4]
    five = ("0abcde", "1abcd", "2abce", "3abde", "4acde", "5bcde")
    assert [fewest(*five, at_least=1, at_most=most)[0] for most in (4, 6)] == [5, 5]


def test_judge_events__passes_a_sampled_share_only_by_the_upper_end_of_its_interval() -> None:
    def share(value: float, upper: float) -> Share:
        return Share(value=value, lower=0.0, upper=upper, n_sampled=500)

    def holds(two: Share, four: Share, limit: float | None, verdict: Verdict) -> None:
        found = of_days(max_trace_unique_share=limit)
        by_known = tuple(
            KnownEvents(n_known=n, singled_out=two if n <= 2 else four, random=None) for n in (1, 2, 3, 4)
        )
        risk = TraceRisk(by_known=by_known, whole_trace=1.0, whole_trace_below_k=1.0, n_users=3, n_traces=3)
        before = {"traces_before": found.traces_before, "rows": found.rows, "release": found.release}
        before["inferred"] = found.inferred
        judged = judge_events(found.anonymized, **before, traces_after=risk)
        assert judged.trace_verdict is verdict
        said = next(finding for finding in judged.findings if finding.check == "trace_risk")
        assert "from a sample), four" not in said.message
        assert "from a sample) of 3 users, four" in said.message
        assert said.n_affected is None

    low, most = share(0.01, 0.02), share(0.9, 0.95)
    cases = [
        (low, share(0.02, 0.04), None, PASS),
        (low, share(0.04, 0.06), None, WARN),
        (low, most, 0.02, PASS),
        (share(0.01, 0.03), most, 0.02, WARN),
        (share(0.03, 0.05), most, 0.02, FAIL),
    ]
    holds_for_each(cases, holds)
