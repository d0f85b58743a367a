"""A delivery beside its originals: rule files, bad input, proposals, and dates that count as shifted."""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.declared import Declared, measure_declared, read_originals
from core.declared.rules import Rule, Rules, read_rules, rules_toml
from core.delivery import audit_delivery
from core.delivery.settings import DeliveryThresholds
from core.errors import AuditInputError
from core.tables import Dataset, read_dataset
from core.verdict import Verdict
from tests.saying import Saying

N = 60
RULES = """person = "people.person_id"
[[replaced]]
columns = ["*.person_id"]
[[shifted]]
columns = ["visits.day"]
least = -60
most = -1
[[kept]]
columns = ["people.sex"]
"""
_START = np.datetime64("2020-01-01")
_RNG = np.random.default_rng(7)
_SHIFTS = -_RNG.integers(1, 61, N)
_NAMES = [f"ID-{each:05}" for each in _RNG.permutation(90_000)[:N] + 10_000]
_CODES = [f"{each:012x}" for each in _RNG.choice(2**48, N, replace=False)]


def written(name: str, columns: Mapping[str, object]) -> Dataset:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return read_dataset("\n".join(lines).encode(), name=name)


def tables(ids: list[str], shifts: np.ndarray, *, extra: int = 0) -> dict[str, Dataset]:
    """Return people and three visits of each, 30 days apart; the first visit of one `extra` days later."""
    starts = _START + np.arange(N) + shifts
    days = np.stack([starts, starts + 30, starts + 60], axis=1)
    days[0, 0] += extra
    who = np.repeat(np.arange(N), 3)
    return {
        "people": written("people.csv", {"person_id": ids, "sex": ["F", "M"] * (N // 2)}),
        "visits": written("visits.csv", {"person_id": [ids[each] for each in who], "day": days.ravel()}),
    }


ORIGINALS = tables(_NAMES, np.zeros(N, dtype=np.int64))
RELEASED = tables(_CODES, _SHIFTS)
IDS = {"id": _NAMES, "code": _CODES}


def held(released: Mapping[str, Dataset], rules: str | None = RULES) -> Declared:
    given = read_originals(
        ORIGINALS,
        mapping=written("ids.csv", IDS),
        rules=None if rules is None else ("rules.toml", rules.encode()),
    )
    return measure_declared(released, given)


def failed(found: Declared) -> list[tuple[str, str, int]]:
    return [(each.kind, each.of, each.n_persons) for each in found.lines if each.verdict is Verdict.FAIL]


def test_right_delivery__holds_and_names_its_shifted_dates() -> None:
    found = held(RELEASED)
    assert {each.verdict for each in found.lines} == {Verdict.PASS}
    assert found.shifted == ("visits.day",)
    assert not found.is_proposed


def test_one_visit_moved_otherwise__is_one_person_of_the_rule() -> None:
    found = held(tables(_CODES, _SHIFTS, extra=1))
    assert failed(found) == [("shifted", "visits.day", 1)]
    assert found.shifted == ()


def one_date(ids: list[str], shifts: np.ndarray) -> Dataset:
    return written("visits.csv", {"person_id": ids, "day": _START + np.arange(N) + shifts})


def held_once(shifts: np.ndarray, *, mapped: bool = True, more: str = "") -> Declared:
    """Hold one visit a person, shifted by days, against its original."""
    given = read_originals(
        {"visits": one_date(_NAMES, 0 * shifts)},
        mapping=written("ids.csv", IDS) if mapped else None,
        rules=("rules.toml", f'[[shifted]]\ncolumns = ["visits.day"]\n{more}'.encode()),
    )
    return measure_declared({"visits": one_date(_CODES, shifts)}, given)


def test_nobody_with_two_dates__is_not_assessed_without_a_mapping() -> None:
    found = held_once(_SHIFTS, mapped=False)
    column = next(each for each in found.lines if each.of == "visits.day" and "nobody" in each.message)
    assert column.verdict is Verdict.NOT_ASSESSED
    assert found.shifted == ()


def test_one_date_a_person__is_judged_by_its_draw_where_a_mapping_says_whose_it_is() -> None:
    assert held_once(_SHIFTS).shifted == ("visits.day",)
    for shifts, more in (
        (np.where(np.arange(N) == 3, 0, _SHIFTS), ""),
        (_SHIFTS, "whole_weeks = true"),
        (_SHIFTS, "least = -30\nmost = -1"),
    ):
        assert [each[0] for each in failed(held_once(shifts, more=more))] == ["shifted"]


# --- pseudonyms and days that were not drawn


def mapped(ids: list[str], codes: list[str], **more: list[str]) -> Declared:
    """Hold people of whom nothing but their identifiers was replaced against the originals."""
    kept = {"sex": ["F", "M"] * (len(ids) // 2)}
    given = read_originals(
        {"people": written("people.csv", {"person_id": ids, **kept, **more})},
        mapping=written("ids.csv", {"id": ids, "code": codes}),
        rules=(
            "rules.toml",
            b'person = "people.person_id"\n[[replaced]]\ncolumns = ["people.person_id"]\n',
        ),
    )
    order = np.random.default_rng(7).permutation(len(ids))
    people = {"person_id": codes, **kept}
    shuffled = {name: [each[at] for at in order] for name, each in people.items()}
    return measure_declared({"people": written("people.csv", shuffled)}, given)


_NUMBERS = [f"{each}" for each in _RNG.choice(9 * 10**6, N, replace=False) + 10**6]
_BORN = [f"{1940 + int(each)}-0{1 + int(each) % 9}-1{int(each) % 7}" for each in _RNG.integers(0, 60, N)]
_RANKS = np.argsort(np.argsort([int(each) for each in _NUMBERS]))
_RANDOM = [f"{each:08d}" for each in _RNG.choice(10**8, N, replace=False)]
_SORTED = sorted(_RANDOM)
_COMPUTED = {
    "affine": [str((48_271 * int(each) + 11) % 2_147_483_647) for each in _NUMBERS],
    "in order": [f"Q{_SORTED[each]}" for each in _RANKS],
    "in the other order": [_SORTED[N - 1 - each] for each in _RANKS],
    "digest": [hashlib.sha1(each.encode(), usedforsecurity=False).hexdigest()[:12] for each in _NUMBERS],
    "digest of number and day": [
        hashlib.sha256(f"{one}|{other}".encode()).hexdigest()
        for one, other in zip(_NUMBERS, _BORN, strict=True)
    ],
    "last digits": [f"{other}{one[-4:]}" for one, other in zip(_NUMBERS, _RANDOM, strict=True)],
}
_DRAWN = {
    "random": _RANDOM,
    "site kept": [f"{one[0]}-{other}" for one, other in zip(_NUMBERS, _RANDOM, strict=True)],
    "keyed": [hmac.new(b"k7Q!pz90", each.encode(), "sha256").hexdigest() for each in _NUMBERS],
}


@pytest.mark.parametrize("name", _COMPUTED)
def test_pseudonyms__that_follow_from_their_identifiers_fail(name: str) -> None:
    found = mapped(_NUMBERS, _COMPUTED[name], born=_BORN)
    assert ("drawn", "people.person_id", N) in failed(found)


@pytest.mark.parametrize("name", _DRAWN)
def test_pseudonyms__that_were_drawn_hold(name: str) -> None:
    assert not [each for each in failed(mapped(_NUMBERS, _DRAWN[name], born=_BORN)) if each[0] == "drawn"]


def test_pseudonyms__may_begin_with_a_word_that_all_identifiers_begin_with() -> None:
    ids, codes = ([f"환자번호{each}" for each in numbers] for numbers in (_NUMBERS, _RANDOM))
    assert not [each for each in failed(mapped(ids, codes)) if each[0] == "drawn"]


def _days_of(codes: list[str], days: Callable[[str], int]) -> np.ndarray:
    return np.array([days(each) for each in codes])


def test_days__that_follow_from_pseudonyms_fail() -> None:
    for days in (
        lambda code: int(code[-3:], 16) % 211 + 5,
        lambda code: int(code, 16) % 97 - 200,
        lambda code: int(hashlib.sha256(code.encode()).hexdigest(), 16) % 365 + 1,
    ):
        assert ("shifted", "visits.day", N) in failed(held_once(_days_of(_CODES, days)))


def test_days__of_everybody_of_one_group_fail_and_those_of_families_do_not() -> None:
    for size, is_told in ((6, True), (2, False)):
        days = np.repeat(np.random.default_rng(7).permutation(300)[: N // size] + 1, size)
        groups = [f"g{each // size}" for each in range(N)]
        seen = [
            {"visits": written("visits.csv", {"person_id": ids, "site": groups, "day": _START + 9 + moved})}
            for ids, moved in ((_NAMES, 0 * days), (_CODES, days))
        ]
        rules = b'[[shifted]]\ncolumns = ["visits.day"]\n[[kept]]\ncolumns = ["visits.site"]\n'
        given = read_originals(seen[0], mapping=written("ids.csv", IDS), rules=("rules.toml", rules))
        says = [each.message for each in measure_declared(seen[1], given).lines if each.kind == "shifted"]
        assert any("visits.site" in each for each in says) is is_told


def _with_events(events: list[str], days: np.ndarray) -> Declared:
    who = np.repeat(np.arange(N), 2)
    seen = [
        {
            "visits": written(
                "visits.csv", {"person_id": [ids[each] for each in who], "what": events, "day": day}
            )
        }
        for ids, day in ((_NAMES, days), (_CODES, days + _SHIFTS[who]))
    ]
    given = read_originals(
        seen[0],
        mapping=written("ids.csv", IDS),
        rules=("rules.toml", b'[[shifted]]\ncolumns = ["visits.day"]\n[[kept]]\ncolumns = ["visits.what"]\n'),
    )
    return measure_declared(seen[1], given)


def test_event_of_one_day__gives_the_shifts_of_all_who_have_it() -> None:
    other = _START + np.random.default_rng(7).integers(0, 900, 2 * N)
    first = np.arange(2 * N) % 2 == 0
    day = np.datetime64("2021-03-02")
    flood = ["flood" if one else "visit" for one in first]
    some = ["recall" if at < 16 and at % 2 else "visit" for at in range(2 * N)]
    found = _with_events(flood, np.where(first, day, other))
    assert ("shifted", "visits.day", N) in failed(found)
    assert found.shifted == ()
    assert ("shifted", "visits.day", 8) in failed(
        _with_events(some, np.where(np.array(some) == "recall", day, other))
    )
    assert not failed(_with_events(flood, other))  # an event of no day
    assert not failed(
        _with_events(some, np.where(first, _START + 5, other))
    )  # a day of many events, by person


# --- hidden values that kept columns give back

_TOWN = [f"t{each}" for each in _RNG.integers(0, 12, N)]
_RARE = {each for each in _TOWN if _TOWN.count(each) < 6}


def hidden(**kept: list[str]) -> list[str]:
    """Return where rare towns, grouped into one, come back from columns that were kept."""
    base = {"town": _TOWN, **kept}
    grouped = {"town": ["other" if each in _RARE else each for each in _TOWN], **kept}
    given = read_originals(
        {"people": written("people.csv", {"person_id": _NAMES, **base})},
        mapping=written("ids.csv", IDS),
        rules=("rules.toml", b'[[grouped]]\ncolumns = ["people.town"]\nfewer_than = 6\ninto = "other"\n'),
    )
    found = measure_declared({"people": written("people.csv", {"person_id": _CODES, **grouped})}, given)
    return [each.of for each in found.lines if each.kind == "returned"]


def test_grouped_values__that_kept_columns_tell_fail() -> None:
    assert hidden(written_otherwise=[each.replace("t", "Town ") for each in _TOWN]) == ["people.town"]
    assert hidden(post=[f"{each}{at % 2}" for at, each in enumerate(_TOWN)]) == ["people.town"]
    assert hidden(doctor=[f"dr {int(each[1:]) * 7 % 12}" for each in _TOWN]) == ["people.town"]


def test_grouped_values__that_nothing_tells_hold() -> None:
    assert not hidden(half=["n" if int(each[1:]) < 6 else "s" for each in _TOWN])
    assert not hidden(other=[_TOWN[at - 1] for at in range(N)])
    assert not hidden(number=[f"{at}" for at in range(N)])  # each person's own


def test_table_of_things__that_kept_numbers_name_still_is_a_warning() -> None:
    towns = sorted({*_TOWN})
    codes = dict(zip(towns, _CODES, strict=False))
    rules = b'[[replaced]]\ncolumns = ["*.person_id"]\n[[emptied]]\ncolumns = ["towns.name"]\n'

    def lines(inhabitants: list[int]) -> list[tuple[str, Verdict]]:
        things = {"town": towns, "name": [f"Great {each}" for each in towns], "inhabitants": inhabitants}
        originals = {
            "people": written("people.csv", {"person_id": _NAMES, "town": _TOWN}),
            "towns": written("towns.csv", things),
        }
        given = read_originals(originals, mapping=written("ids.csv", IDS), rules=("rules.toml", rules))
        released = {
            "people": written("people.csv", {"person_id": _CODES, "town": [codes[each] for each in _TOWN]}),
            "towns": written(
                "towns.csv",
                {"town": [codes[each] for each in towns], "name": [""] * 12, "inhabitants": inhabitants},
            ),
        }
        return [
            (each.of, each.verdict)
            for each in measure_declared(released, given).lines
            if each.kind == "returned"
        ]

    assert lines([311 * each + 7 for each in range(12)]) == [("towns.name", Verdict.WARN)]
    assert not lines([1_000 * (each // 4) for each in range(12)])


def test_number__in_the_order_of_the_true_dates_fails() -> None:
    day = _START + np.random.default_rng(7).permutation(N * 3)[:N]
    ranks = np.argsort(np.argsort(day))

    def order(numbers: list[str]) -> bool:
        seen = [
            {"visits": written("visits.csv", {"person_id": ids, "case": numbers, "day": day + moved})}
            for ids, moved in ((_NAMES, 0 * _SHIFTS), (_CODES, 9 * _SHIFTS))
        ]
        given = read_originals(
            seen[0],
            mapping=written("ids.csv", IDS),
            rules=(
                "rules.toml",
                b'[[shifted]]\ncolumns = ["visits.day"]\n[[kept]]\ncolumns = ["visits.case"]\n',
            ),
        )
        lines = measure_declared(seen[1], given).lines
        return any("order of the true dates" in each.message for each in lines)

    assert order([f"C{each:04}" for each in ranks])
    assert order([f"{90_000 - 7 * int(each)}" for each in ranks])
    assert order([str(each).replace("-", "") + "x" for each in day])
    assert not order([f"C{each:04}" for each in np.random.default_rng(7).permutation(N)])
    assert not order([f"{each // 30}" for each in ranks])  # two halves of the time


def test_declared_column_that_was_not_released__is_not_assessed() -> None:
    people = written("people.csv", {"person_id": _CODES, "age": [40] * N})
    found = held({**RELEASED, "people": people})
    assert {(each.kind, each.of) for each in found.lines if each.verdict is Verdict.NOT_ASSESSED} >= {
        ("kept", "people.sex"),
        ("undeclared", "people"),
    }


def test_table_that_was_not_released__leaves_its_rules_not_assessed() -> None:
    found = held({"visits": RELEASED["visits"]})
    assert [each.of for each in found.lines if each.verdict is Verdict.NOT_ASSESSED] == ["people.sex"]


def test_table_without_an_original__is_not_assessed() -> None:
    more = {**RELEASED, "stays": written("stays.csv", {"ward": ["a", "b"], "beds": [1, 2]})}
    assert ("tables", "stays", Verdict.NOT_ASSESSED) in {
        (each.kind, each.of, each.verdict) for each in held(more).lines
    }


def test_proposed_rules__hold_when_they_are_given_back() -> None:
    proposed = held(RELEASED, None)
    assert proposed.is_proposed
    assert proposed.shifted == ()
    kinds = [each.kind for each in read_rules(proposed.rule_file, name="rules.toml").rules]
    assert kinds == ["replaced", "shifted", "kept"]
    again = held(RELEASED, proposed.rule_file.decode())
    assert failed(again) == []
    assert again.shifted == ("visits.day",)


def test_proposed_rules__tell_exceptions() -> None:
    shifts = _SHIFTS.copy()
    proposed = held(tables(_CODES, shifts, extra=-int(shifts[0])), None)
    assert failed(proposed) == [("shifted", "visits.day", 1)]
    assert b"# `visits.day` is not shifted" in proposed.rule_file


def test_shifted_dates__are_known_by_intervals_and_not_by_date() -> None:
    by_date = audit_delivery(list(RELEASED.values()))
    given = read_originals(ORIGINALS, mapping=written("ids.csv", IDS), rules=("rules.toml", RULES.encode()))
    declared = audit_delivery(list(RELEASED.values()), originals=given)
    assert by_date.overall is Verdict.FAIL
    assert declared.overall is Verdict.PASS
    moved = tables(_CODES, _SHIFTS, extra=1)
    assert audit_delivery(list(moved.values()), originals=given).overall is Verdict.FAIL


def one_visit_each(shifts: np.ndarray, *, days: int = 120) -> tuple[dict[str, Dataset], dict[str, Dataset]]:
    """Return originals of one visit each within so many days, and the release of them."""
    seen = _START + np.random.default_rng(3).integers(0, days, N)
    return tuple(
        {
            "people": written("people.csv", {"person_id": ids, "sex": ["F", "M"] * (N // 2)}),
            "visits": written("visits.csv", {"person_id": ids, "day": seen + moved}),
        }
        for ids, moved in ((_NAMES, 0 * shifts), (_CODES, shifts))
    )  # type: ignore[return-value]


def narrow(shifts: np.ndarray, least: int, most: int, *, days: int, k: int = 5) -> tuple[Verdict, bool]:
    """Return the verdict on a delivery of one date each, and whether few are said to be near."""
    originals, released = one_visit_each(shifts, days=days)
    rules = RULES.replace("-60", str(least)).replace("most = -1", f"most = {most}")
    given = read_originals(originals, mapping=written("ids.csv", IDS), rules=("rules.toml", rules.encode()))
    thresholds = DeliveryThresholds(k=k)
    audit = audit_delivery(list(released.values()), originals=given, thresholds=thresholds)
    assert not failed(measure_declared(released, given))  # it was done as declared
    return audit.overall, "declared_near" in {each.check for each in audit.findings}


@pytest.mark.slow
def test_one_date_of_each_person__shifted_far_is_not_known() -> None:
    wide = np.random.default_rng(5).integers(1, 366, N)
    assert narrow(_SHIFTS, -60, -1, days=120) == (Verdict.PASS, False)
    assert narrow(wide, 1, 365, days=900) == (Verdict.PASS, False)
    assert narrow(wide, 1, 365, days=900, k=20) == (Verdict.WARN, True)


@pytest.mark.parametrize(
    ("shifts", "least", "most", "days"),
    [
        (np.random.default_rng(1).choice([-2, -1, 1, 2], N), -2, 2, 120),
        (np.random.default_rng(2).integers(1, 8, N), 1, 7, 400),
        (np.random.default_rng(4).integers(-30, 0, N), -30, -1, 3000),
    ],
    ids=["days", "a week", "a month, of many years"],
)
def test_dates_shifted_so_little_that_few_are_near__are_known(
    shifts: np.ndarray, least: int, most: int, days: int
) -> None:
    assert narrow(shifts, least, most, days=days) == (Verdict.FAIL, True)


def test_rich_intervals__are_said_with_their_number() -> None:
    days = np.cumsum(np.random.default_rng(7).integers(1, 400, (N, 3)), axis=1)
    both = {}
    for name, ids, shifts in (("new", _CODES, _SHIFTS), ("old", _NAMES, 0 * _SHIFTS)):
        who = [ids[each] for each in np.repeat(np.arange(N), 3)]
        visits = {"person_id": who, "day": (_START + days + shifts[:, None]).ravel()}
        both[name] = {"people": tables(ids, shifts)["people"], "visits": written("visits.csv", visits)}
    given = read_originals(both["old"], mapping=written("ids.csv", IDS), rules=("rules.toml", RULES.encode()))
    audit = audit_delivery(list(both["new"].values()), originals=given)
    found = {each.check: each for each in audit.findings}
    assert found["intervals"].verdict is Verdict.FAIL
    assert found["intervals"].n_affected == N
    assert found["joined_k"].verdict is Verdict.PASS


def problems_of(**changed: object) -> tuple[str, ...]:
    given = {"mapping": written("ids.csv", IDS), "rules": ("rules.toml", RULES.encode())} | changed
    with pytest.raises(AuditInputError) as error:
        measure_declared(RELEASED, read_originals(ORIGINALS, **given))  # type: ignore[arg-type]
    return error.value.problems


def test_bad_input__is_told_at_once_with_file_and_line() -> None:
    mapping = written("ids.csv", {"id": [*_NAMES, _NAMES[0]], "code": [*_CODES, "x"]})
    shifts = written("shifts.csv", {"id": _NAMES, "days": [*_SHIFTS[:-1], "1.5"]})
    rules = ("rules.toml", b'[[shifted]]\ncolumns = ["visits.day"]\nlength = 3\n')
    assert problems_of(mapping=mapping, shifts=shifts, rules=rules) == (
        Saying(f"ids.csv, line {N + 2}: the same stands in a line before."),
        Saying(f"shifts.csv, line {N + 1}: days have to be whole numbers."),
        Saying(
            "rules.toml: Line 1: `length` says nothing of `shifted`; it takes `columns`, `where`, `least`, "
            "`most`, `whole_weeks`, `one_for_all`."
        ),
    )


def test_unknown_columns_and_persons_lacking__are_told_together() -> None:
    shifts = written("shifts.csv", {"id": _NAMES[:-2], "days": _SHIFTS[:-2]})
    rules = ("rules.toml", (RULES + '[[emptied]]\ncolumns = ["people.phone"]\n').encode())
    assert problems_of(shifts=shifts, rules=rules) == (
        Saying("rules.toml, line 10: no column is named `people.phone`."),
        Saying("shifts.csv lacks persons of the originals: 2."),
    )


@pytest.mark.parametrize(
    "written_rules",
    [
        "[[moved]]\ncolumns = ['a.b']",
        "[[kept]]\ncolumns = 'a.b'",
        "[[grouped]]\ncolumns = ['a.b']",
        "[[grouped]]\ncolumns = ['a.b']\nabove = 1\nto = 'year'",
        "[[shifted]]\ncolumns = ['a.b']\nleast = 3\nmost = 1",
        "[[shifted]]\ncolumns = ['a.b']\nleast = true",
        "person = 3\n[[kept]]\ncolumns = ['a.b']",
        "",
        "[[kept",
    ],
)
def test_rule_file__that_says_nothing_of_use_is_refused(written_rules: str) -> None:
    with pytest.raises(AuditInputError):
        read_rules(written_rules.encode(), name="rules.toml")


def test_rules__are_read_back_as_they_were_written() -> None:
    rules = (
        Rule(kind="grouped", columns=("a.b",), codes=(('x"y', "ž"), ("\x7f", "\\"))),
        Rule(kind="grouped", columns=("a.*",), above=89.0, into="90+"),
        Rule(kind="removed", columns=("a.c",), values=("1", "2"), persons=True),
        Rule(kind="shifted", columns=("a.d",), least=-3, most=-1, whole_weeks=True),
    )
    read = read_rules(rules_toml(Rules(rules=rules, person="a.id")), name="rules.toml")
    assert read.person == "a.id"
    assert [{**vars(each), "line": 0} for each in sorted(read.rules, key=str)] == [
        vars(each) for each in sorted(rules, key=str)
    ] or {str({**vars(each), "line": 0}) for each in read.rules} == {str(vars(each)) for each in rules}


def _folder(at: Path, given: Mapping[str, Dataset]) -> str:
    at.mkdir()
    for name, each in given.items():
        each.frame.to_csv(at / f"{name}.csv", index=False)
    return str(at)


def test_command__holds_a_folder_against_its_originals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.toml").write_text(RULES)
    ids = tmp_path / "ids.csv"
    written("ids.csv", IDS).frame.to_csv(ids, index=False)
    words = [
        "dataset",
        _folder(tmp_path / "new", RELEASED),
        "--original",
        _folder(tmp_path / "old", ORIGINALS),
    ]
    rules = tmp_path / "proposed.toml"
    assert main([*words, "--mapping", str(ids), "--rules", str(tmp_path / "rules.toml"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "PASS"
    assert main([*words, "--write-rules", str(rules)]) == 1  # dates that nobody declared are known
    assert "No rules say what was done" in capsys.readouterr().out
    assert read_rules(rules.read_bytes(), name="proposed.toml").rules
    assert main([*words[:2], "--rules", str(rules)]) == 2


def omop(ids: list[str], shifts: np.ndarray, *, source: bool, lost: int = 0) -> dict[str, Dataset]:
    """Return persons and two visits of each with a condition, the first visits of some not there."""
    who = np.repeat(np.arange(N), 2)
    days = np.stack([_START + np.arange(N) + shifts, _START + np.arange(N) + shifts + 40], axis=1).ravel()
    visits, persons = np.arange(2 * N) + 7_000, [ids[each] for each in who]
    year = 1950 + np.arange(N) % 40
    person = {"PERSON_ID": ids, "GENDER_CONCEPT_ID": [8532, 8507] * (N // 2), "YEAR_OF_BIRTH": year}
    conditions = {"person_id": persons, "visit_occurrence_id": visits, "condition_start_date": days}
    words = [f"J{each % 9}" if source else "" for each in range(2 * N)]
    started = {"visit_occurrence_id": visits, "person_id": persons, "visit_start_date": days}
    return {
        "PERSON": written("PERSON.csv", person),
        "visit_occurrence": written("v.csv", {name: each[lost:] for name, each in started.items()}),
        "condition_occurrence": written("c.csv", conditions | {"condition_source_value": words}),
    }


def test_omop__is_recognized_and_what_is_usual_there_is_proposed() -> None:
    given = read_originals(omop(_NAMES, 0 * _SHIFTS, source=True), mapping=written("ids.csv", IDS))
    right = measure_declared(omop(_CODES, _SHIFTS, source=False), given)
    rules = read_rules(right.rule_file, name="r").rules
    told = {(each.kind, each.to): each.columns for each in rules if each.kind in ("refers", "emptied")}
    assert told == {
        ("emptied", ""): ("condition_occurrence.condition_source_value",),
        ("refers", "PERSON.PERSON_ID"): ("visit_occurrence.person_id", "condition_occurrence.person_id"),
        ("refers", "visit_occurrence.visit_occurrence_id"): ("condition_occurrence.visit_occurrence_id",),
    }
    assert failed(right) == []
    wrong = measure_declared(omop(_CODES, _SHIFTS, source=True, lost=2), given)
    assert [each[:2] for each in failed(wrong) if each[0] in ("refers", "emptied")] == [
        ("emptied", "condition_occurrence.condition_source_value"),
        ("refers", "condition_occurrence.visit_occurrence_id"),
    ]


@pytest.mark.parametrize(
    ("where", "verdicts"),
    [
        ('{sex = ["F"]}', {Verdict.PASS, Verdict.NOT_ASSESSED}),  # nobody says what was done to men
        ('{sex = ["F", "M"]}', {Verdict.FAIL, Verdict.PASS}),
        ('{sex = ["*"], person_id = ["ID-*"]}', {Verdict.FAIL, Verdict.PASS}),
        ('{sex = ["X"]}', {Verdict.PASS, Verdict.NOT_ASSESSED}),  # a rule that speaks of nobody holds nothing
    ],
)
def test_where__says_of_which_records_a_rule_speaks(where: str, verdicts: set[Verdict]) -> None:
    sexes = [each if each == "F" else "other" for each in ["F", "M"] * (N // 2)]
    released = {**RELEASED, "people": written("people.csv", {"person_id": _CODES, "sex": sexes})}
    found = held(released, RULES + f"where = {where}\n")
    assert {each.verdict for each in found.lines} == verdicts


def test_rule_without_where__speaks_of_the_others() -> None:
    sexes = [each if each == "F" else "other" for each in ["F", "M"] * (N // 2)]
    released = {**RELEASED, "people": written("people.csv", {"person_id": _CODES, "sex": sexes})}
    of_men = '[[grouped]]\ncolumns = ["people.sex"]\nwhere = {sex = ["M"]}\nonly = ["F"]\ninto = "other"\n'
    assert {each.verdict for each in held(released, RULES + of_men).lines} == {Verdict.PASS}
    changed = {**RELEASED, "people": written("people.csv", {"person_id": _CODES, "sex": ["other"] * N})}
    assert failed(held(changed, RULES + of_men)) == [("kept", "people.sex", N // 2)]


_SURVEY = np.arange(3 * N) % 3 == 1  # the middle visit of each
_STAYS = '[[kept]]\ncolumns = ["visits.day"]\nwhere = {kind = ["survey"]}\n'


def surveyed(ids: list[str], shifts: np.ndarray, of_survey: np.ndarray) -> dict[str, Dataset]:
    """Return people and visits, those of a survey shifted by other numbers of days."""
    who = np.repeat(np.arange(N), 3)
    moved = np.where(_SURVEY, of_survey[who], shifts[who])
    visits = {
        "person_id": [ids[each] for each in who],
        "kind": np.where(_SURVEY, "survey", "visit"),
        "n": np.arange(3 * N) * 77 % (3 * N),
        "day": _START + who + 30 * (np.arange(3 * N) % 3) + moved,
    }
    return {
        "people": written("people.csv", {"person_id": ids, "sex": "FM" * (N // 2)}),
        "visits": written("visits.csv", visits),
    }


def held_survey(shifts: np.ndarray, of_survey: np.ndarray, rules: str) -> Declared:
    nothing = np.zeros(N, dtype=np.int64)
    given = read_originals(
        surveyed(_NAMES, nothing, nothing),
        mapping=written("ids.csv", IDS),
        rules=("rules.toml", rules.encode()),
    )
    return measure_declared(surveyed(_CODES, shifts, of_survey), given)


_OTHER = -np.random.default_rng(5).integers(1, 29, N)


@pytest.mark.parametrize(
    ("of_survey", "rules", "kinds", "shifted"),
    [
        (0 * _SHIFTS, RULES + _STAYS, set(), ()),  # true dates beside shifted ones are known dates
        (_SHIFTS, RULES + _STAYS, {"kept"}, ()),
        (0 * _SHIFTS, RULES, {"shifted"}, ()),
        (
            _OTHER,
            RULES + _STAYS.replace("kept", "shifted") + "least = -28\nmost = -1\n",
            set(),
            ("visits.day",),
        ),
        (_SHIFTS, RULES + _STAYS.replace("kept", "shifted") + "least = -28\nmost = -1\n", {"shifted"}, ()),
        (0 * _OTHER, RULES + _STAYS.replace("kept", "shifted"), {"shifted"}, ()),
        (0 * _SHIFTS, RULES.replace("least", 'where = {kind = ["visit"]}\nleast'), set(), ()),
    ],
)
def test_shift__of_some_records_alone(
    of_survey: np.ndarray, rules: str, kinds: set[str], shifted: tuple[str, ...]
) -> None:
    found = held_survey(_SHIFTS, of_survey, rules)
    assert {each[0] for each in failed(found)} == kinds
    assert found.shifted == shifted


def test_shift__of_visits_alone_that_one_visit_breaks() -> None:
    shifts = np.where(np.arange(N) == 4, 0, _SHIFTS)
    found = held_survey(shifts, 0 * _SHIFTS, RULES + _STAYS)
    assert [each[0] for each in failed(found)] == ["shifted"]


@pytest.mark.parametrize("where", ["{}", "{sex = []}", '{sex = "F"}', '["F"]', "{sex = [1]}"])
def test_where__that_no_rule_can_have_is_refused(where: str) -> None:
    with pytest.raises(AuditInputError) as error:
        read_rules((RULES + f"where = {where}\n").encode(), name="rules.toml")
    assert "`where` has a value that it cannot have" in str(error.value)


def test_where__of_a_column_that_is_nowhere_is_refused() -> None:
    with pytest.raises(AuditInputError) as error:
        held(RELEASED, RULES + 'where = {gender = ["F"]}\n')
    assert "no column is named `*.gender`" in str(error.value)


def test_rules__with_where_are_written_as_they_were_read() -> None:
    rules = read_rules((RULES + 'where = {sex = ["F", "M*"]}\n').encode(), name="rules.toml")
    again = read_rules(rules_toml(rules), name="rules.toml")
    assert [each.where for each in again.rules] == [each.where for each in rules.rules]


def test_column_named_by_a_removal_alone__is_declared_by_no_rule() -> None:
    released = {**RELEASED, "people": written("people.csv", {"person_id": _CODES, "sex": ["?"] * N})}
    rules = RULES.replace("[[kept]]", "[[removed]]") + 'values = ["none"]\n'
    undeclared = [each for each in held(released, rules).lines if each.kind == "undeclared"]
    assert [each.verdict for each in undeclared] == [Verdict.NOT_ASSESSED]
