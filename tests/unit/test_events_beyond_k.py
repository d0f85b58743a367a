"""What k does not cover: users that are one person, other people, and what groups of users tell."""

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from core.errors import AuditInputError
from core.events import EventAudit
from core.events.users import numbered_users, users_called_tests, users_of_domains, users_together
from core.verdict import Verdict
from tests.events_examples import HEADER, audit, finding

WARN, FAIL = Verdict.WARN, Verdict.FAIL
RNG = np.random.default_rng(7)


def of_places(*rows: tuple[str, str, str], **chosen: object) -> EventAudit:
    """Audit rows of user, event and place, released as event and place."""
    lines = [f"2024-01-08T10:00:00;{user};{event};{place}" for user, event, place in rows]
    settings = {"columns": ("event", "place"), "flatten": "place", "k": 3, "pseudonym_per": "event"}
    return audit(*lines, header=f"{HEADER};place", **{**settings, **chosen})


def crowd(place: str, event: str, n: int, *, first: int = 0) -> list[tuple[str, str, str]]:
    return [
        (f"{place.lower()}{'abcdefghij'[at // 10]}{at % 10}x{at * 37 % 97}", event, place)
        for at in range(first, n)
    ]


@pytest.mark.parametrize(
    ("cards", "is_joined"),
    [
        ([f"{base}-{n}" for base in ("40417", "58230") for n in (1, 2, 3)], True),
        ([f"kona.{base} {n:02}" for base in ("vidrik", "zuliba") for n in (1, 2, 3)], True),
        ([f"A{base}/{n}" for base in (88213, 91177, 20936) for n in (1, 4)], True),
        ([f"S{ward:02}-{n:02}" for ward in range(9) for n in range(9)], False),  # all of nine sites
        (["40417", "58230", "83-1", "55-2", "19-3"], False),
        ([f"app-0417{end}" for end in ("", "_2", "_3", "_4")], True),  # beside itself without a number
        (["Mira.Z", "Mira.Z 2"], True),
        ([*(f"{n}" for n in range(10, 60)), "12-1", "47-1"], False),  # half of all numbers are there
    ],
)
def test_numbered_users__are_joined_beyond_chance(cards: list[str], *, is_joined: bool) -> None:
    others = [f"{n}" for n in RNG.integers(10_000, 99_999, 60)] if len(cards) < 30 else []
    assert (numbered_users(pa.array(sorted({*cards, *others}))) is not None) is is_joined


def test_users_together__act_at_once_beyond_chance_and_no_clock() -> None:
    times = np.sort(RNG.integers(0, 3_000_000, 40)) + 7
    alone = RNG.integers(0, 3_000_000, 300)
    users = np.concatenate([np.repeat([0, 1, 2], 40), 3 + RNG.integers(0, 40, 300)])
    devices = np.concatenate([times, times + 1, times + 2, alone])
    found = users_together(users, devices)
    assert found is not None
    assert (found.n_users_joined, found.n_persons_joined) == (3, 1)
    pairs = users_together(users[:120] % 2 + 2 * (np.arange(120) % 40 // 5), devices[:120])
    assert pairs is not None
    apart = np.concatenate([times, times + 20, times + 55, alone])
    assert users_together(users, apart) is None
    nightly = np.concatenate([np.arange(40) * 86_400 + 30] * 3)
    assert users_together(users[:120], nightly) is None  # a clock sets them off
    assert users_together(users, devices // 60 * 60) is None  # times without seconds


def test_users_called_tests__are_few_and_look_otherwise() -> None:
    people = [f"{n}" for n in RNG.integers(100_000, 999_999, 60)]
    for name in ("test01", "QA_north", "demo.account", "monitor", "prueba-7", "테스트3"):
        found = users_called_tests(pa.array([*people, name]))
        assert found is not None
        assert (found.n_users_joined, found.person_of_user[-1]) == (1, -1)
    for name in ("attesta", "qatar9", "B7K2", "contest"):
        assert users_called_tests(pa.array([*people, name])) is None
    assert users_called_tests(pa.array([f"test{n}" for n in range(9)])) is None


def test_users_called_tests__or_made_in_a_row() -> None:
    people = [f"{n}" for n in RNG.integers(100_000, 999_999, 60)]
    for row in ("loadgen{:02}", "svc-account-{}", "벤치{}"):
        found = users_called_tests(pa.array([*people, *(row.format(n) for n in (1, 2, 3, 4))]))
        assert found is not None
        assert found.n_users_joined == 4
    for names in (
        ["ward2", "ward5", "ward9"],
        ["k1001", "k1002", "k1003"],
        ["k1", "k2", "k3"],
        [f"user{n}" for n in range(60)],
    ):
        assert users_called_tests(pa.array([*people, *names])) is None


def test_users_of_domains__are_accounts_of_one_person() -> None:
    people = [f"{name}{n}@a.example" for n, name in enumerate(["zora", "Milan", "petra"] * 9)]
    for moved in ("zora0@b.example", "milan1@new.a.example", "PETRA2@c.example"):
        found = users_of_domains(pa.array([*people, moved]))
        assert found is not None
        assert (found.n_users_joined, found.n_persons_joined) == (2, 1)
    assert users_of_domains(pa.array(["OLD\\zora", "NEW\\zora", "NEW\\petra"])) is not None
    assert users_of_domains(pa.array([*people, "zora99@b.example"])) is None
    assert users_of_domains(pa.array(["zora-a", "zora-b"])) is None


@pytest.mark.parametrize(
    ("of_day", "check"),
    [
        (lambda day, n, _: f"B{day:%y%m%d}-{n % 2}", "own_column_time"),
        (lambda day, *_: f"firmware {day.toordinal() // 7}", "own_column_time"),
        (lambda day, n, _: f"{day.toordinal() * 7919 % 997}/{n % 3}", "own_column_time"),
        (lambda day, n, _: f"{day:%A} {n % 2}", None),  # which the released weekday says
        (lambda _, n, __: f"ward {n % 4}", None),
        (lambda _, __, nth: f"{nth}", "own_column_order"),
        (lambda _, n, nth: f"{n % 5 * 100 + nth * 3}", "own_column_order"),
        (lambda _, n, nth: f"{(nth * 37 + n) % 50}", None),  # goes up and down
        (lambda _, n, __: f"{20 + n % 6}", None),  # an age
    ],
)
def test_own_columns__tell_times_beyond_chance(of_day: Callable[..., str], check: str | None) -> None:
    lines = []
    for nth in range(12):
        for n in range(60):
            day = date(2024, 1, 1) + timedelta(days=int(RNG.integers(5)) + 5 * nth + n * 7 % 61)
            lines.append(f"{day}T10:00;u{n}q;visit;{of_day(day, n, nth)}")
    settings = {"columns": ("event", "own", "weekday"), "flatten": "weekday", "pseudonym_per": "event"}
    found = audit(*lines, header=f"{HEADER};own", **settings)
    for each in ("own_column_time", "own_column_order"):
        told = finding(found, each)
        assert (told is not None) is (each == check)
        assert told is None or told.verdict is WARN


def test_own_columns__hold_what_identifies() -> None:
    for values, is_found in (
        (("Kim Min-jun", "Lee Seo-yeon", "Park Ji-ho"), True),
        (("Lindenweg 7", "Schulgasse 3a", "Kerkstraat 9"), True),
        (("193.2.14.7", "193.2.99.1", "84.20.7.3"), True),
        (("MX-200", "MX-300", "TR-7"), False),
        (("간호사", "의사", "원무과"), False),
    ):
        lines = [f"2024-01-08T10:00;u{n}q;rest;{values[n % 3]}" for n in range(12)]
        found = audit(*lines, header=f"{HEADER};own", columns=("event", "own"), flatten="own")
        assert (finding(found, "identifiers_in_values") is not None) is is_found


def test_persons__who_are_no_users_are_said_only_where_k_needs_them() -> None:
    base = [*crowd("Ost", "rest", 9), *crowd("Ost", "claim", 3)]
    padded = [*base, *((name, "claim", "West") for name in ("p381", "test1", "demo_x"))]
    told = finding(
        of_places(*[(user, "rest", "Ost") for user, *_ in crowd("Ost", "", 60)], *padded), "users_tests"
    )
    assert told.verdict is WARN
    more = [*padded, *crowd("West", "claim", 4)]
    assert (
        finding(
            of_places(*[(user, "rest", "Ost") for user, *_ in crowd("Ost", "", 60)], *more), "users_tests"
        )
        is None
    )


@pytest.mark.parametrize(
    ("name", "values", "is_said"),
    [
        ("org:resource", "User_{}", True),
        ("employee no", "{}", True),
        ("zdravnik_id", "Z{}", True),
        ("org:group", "Team{}", False),
        ("nurse", "yes", False),
        ("ward", "W{}", False),
    ],
)
def test_other_people__are_numbers_under_names_of_staff(name: str, values: str, *, is_said: bool) -> None:
    lines = [f"2024-01-08T10:00;u{n}q;rest;{values.format(n % 3)}" for n in range(12)]
    found = audit(*lines, header=f"{HEADER};{name}", columns=("event", name), flatten=name)
    assert (finding(found, "other_people") is not None) is is_said


def test_group_tells__what_all_of_a_value_have_beyond_chance() -> None:
    others = [
        row
        for place in ("Ost", "Nord", "West")
        for event in ("rest", "walk")
        for row in crowd(place, event, 15)
    ]
    ill = [*crowd("Nord", "ill", 4), *crowd("West", "ill", 4)]
    told = finding(of_places(*others, *ill, *crowd("Ost", "ill", 15)), "group_tells")
    assert (told.verdict, told.n_affected) == (WARN, 15)
    assert finding(of_places(*others, *ill, *crowd("Ost", "ill", 13)), "group_tells") is None
    common = [*crowd("Nord", "ill", 13), *crowd("West", "ill", 12), *crowd("Ost", "ill", 15)]
    assert finding(of_places(*others, *common), "group_tells") is None  # most others have it
    small = [*others, *crowd("Sued", "rest", 3), *crowd("Sued", "walk", 3), *ill, *crowd("Sued", "ill", 3)]
    assert finding(of_places(*small), "group_tells") is None  # three of 48, as chance has it


def test_all_but_few__where_the_size_of_a_group_is_told() -> None:
    whole = [row for place in ("Ost", "Nord") for row in crowd(place, "present", 12)]
    told = finding(
        of_places(*whole, *crowd("Ost", "vaccinated", 11), *crowd("Nord", "vaccinated", 8)),
        "group_all_but_few",
    )
    assert (told.verdict, told.n_affected) == (WARN, 1)
    enough = of_places(*whole, *crowd("Ost", "vaccinated", 9), *crowd("Nord", "vaccinated", 12))
    assert finding(enough, "group_all_but_few") is None
    untold = [*crowd("Ost", "present", 10), *crowd("Ost", "vaccinated", 12, first=1)]
    assert finding(of_places(*untold), "group_all_but_few") is None


def test_values_given_back__under_one_pseudonym() -> None:
    towns = [row for place in ("Ost", "Nord", "West") for row in crowd(place, "rest", 8)]
    rare = [crowd(place, "methadone", 2) for place in ("Ost", "Nord", "West")]
    rows = [*towns, *(row for each in rare for row in each)]
    told = finding(of_places(*rows, pseudonym_per="user"), "values_given_back")
    assert (told.verdict, told.n_affected) == (FAIL, 6)
    assert finding(of_places(*rows, pseudonym_per="event"), "values_given_back") is None
    moving = [(user, event, place) for user, event, _ in rows[:24] for place in ("Ost", "Nord", "West")]
    assert finding(of_places(*moving, *rows[24:], pseudonym_per="user"), "values_given_back") is None


def test_dominated_counts__of_one_user() -> None:
    rows = [*crowd("Ost", "bet", 6), *crowd("Nord", "bet", 6)]
    assert finding(of_places(*rows, *[rows[0]] * 80), "dominated_counts").n_affected == 1
    assert finding(of_places(*rows, *[rows[0]] * 80, cap=1), "dominated_counts") is None
    assert finding(of_places(*rows, *[rows[0]] * 30), "dominated_counts") is None


def test_sensitive__can_be_a_column_of_the_log() -> None:
    rows = [*crowd("Ost", "rest", 6), *crowd("Nord", "walk", 6)]
    found = of_places(*rows, columns=("event",), flatten="event", sensitive="place")
    assert finding(found, "diversity").verdict is WARN
    with pytest.raises(AuditInputError, match="town"):
        of_places(*rows, sensitive="town")


@pytest.mark.parametrize(
    ("events", "verdict"),
    [
        (("visit (Ana Novak)", "visit (Ivan Kos)"), FAIL),
        (("search_john_smith", "call Dr. Watson", "walk"), FAIL),
        (("鈴木美智子 事故", "高橋商店", "小川洋子さん"), FAIL),
        (("letter to Mary Jones", "lunch"), WARN),
        (("山口県庁", "小松菜 レシピ"), None),
        (("Downs score", "Market Street", "lunch"), None),
    ],
)
def test_people_in_values__by_names_in_texts(events: tuple[str, ...], verdict: Verdict | None) -> None:
    rows = [(f"u{n}k", event, "Ost") for event in events for n in range(4)]
    found = finding(of_places(*rows), "people_in_values")
    assert (found and found.verdict) is verdict


def test_yearly_number__is_an_age_under_one_pseudonym() -> None:
    def told(step: str) -> object:
        lines = []
        for user in range(120):
            turns = {"age": int(RNG.integers(0, 365)), "grade": 240, "visits": 0}[step]
            for week in range(0, 26, 2):
                day = np.datetime64("2024-01-08") + week * 7
                number = 9 + user % 9 + (week if step == "visits" else int(week * 7 >= turns))
                lines.append(f"{day}T10:00;u{user}q;visit;{number}")
        settings = {"columns": ("event", "nth", "week_number"), "flatten": "week_number", "k": 2}
        return finding(audit(*lines, header=f"{HEADER};nth", **settings), "yearly_number")

    assert told("age").verdict is WARN
    assert told("grade") is None
    assert told("visits") is None


def test_sensitive__of_own_values_in_other_words() -> None:
    rows = [row for place in ("Ost", "Nord", "West") for row in crowd(place, "rest", 20)]
    of = {"Ost": ("HCV", "hep. C"), "Nord": ("flu", "gout"), "West": ("gout", "flu")}
    lines = [
        f"2024-01-08T10:00;{user};{event};{place};{of[place][n % 2]}"
        for n, (user, event, place) in enumerate(rows)
    ]
    settings = {"columns": ("event", "place"), "flatten": "place", "sensitive": "diagnosis"}
    found = finding(audit(*lines, header=f"{HEADER};place;diagnosis", **settings), "diversity")
    assert found.verdict is WARN
    assert "names of one thing" in str(found.message)
