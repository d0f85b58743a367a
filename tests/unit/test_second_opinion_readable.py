"""Original values that can be read off other cells, and tables in which nothing can."""

import base64
import codecs
import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from core.comparing.made_up import recombined
from core.comparing.readings import keys_of, plain
from core.tabular.second_opinion import SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.second_opinion.in_codes import ReadableColumn, judge_in_codes, measure_in_codes
from core.tabular.second_opinion.pair import pair_tables
from core.tabular.second_opinion.unchanged import measure_unchanged
from core.verdict import Verdict
from tests.second_opinion_examples import Columns, log_of, table

N = 80
GIVEN = ("Ana", "Maja", "Luka", "Žiga", "Nina", "Jure", "Eva", "Rok", "Tina", "Matej", "Urška", "Blaž")
FAMILY = ("Novak", "Kovačič", "Horvat", "Zupan", "Kos", "Golob", "Mlakar", "Bizjak", "Hribar", "Rozman")


def _original(rng: np.random.Generator) -> dict[str, list[str]]:
    days = np.datetime64("1940-01-01") + rng.integers(0, 25_000, N)
    return {
        "record": [str(number) for number in rng.choice(np.arange(100_000, 999_999), N, replace=False)],
        "name": [f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}" for _ in range(N)],
        "born": [str(day) for day in days],
        "phone": [f"031 {rng.integers(100, 1000)} {rng.integers(100, 1000)}" for _ in range(N)],
        "ward": [str(ward) for ward in rng.choice(["north", "south"], N)],
    }


Make = Callable[[dict[str, list[str]], np.random.Generator], Sequence[str]]


def _read(make: Make, *, shuffled: bool) -> tuple[ReadableColumn, ...]:
    rng = np.random.default_rng(5)
    original = _original(rng)
    anonymized = {"token": list(make(original, rng)), "ward": original["ward"]}
    if shuffled:
        order = rng.permutation(N)
        anonymized = {name: [cells[i] for i in order] for name, cells in anonymized.items()}
        anonymized = {name: cells[1:] for name, cells in anonymized.items()}
    return _measured(original, anonymized)


def _measured(original: Columns, anonymized: Columns) -> tuple[ReadableColumn, ...]:
    log = log_of(**{name: ("", "keep" if name == "ward" else "drop") for name in original})
    tables = pair_tables(table(original), table(anonymized), log)
    return measure_in_codes(tables, measure_unchanged(tables), SecondOpinionSettings())


def _dates(form: str) -> Callable[[dict[str, list[str]], np.random.Generator], list[str]]:
    def made(table: dict[str, list[str]], rng: np.random.Generator) -> list[str]:
        parts = [day.split("-") for day in table["born"]]
        return [form.format(y=y, yy=y[2:], m=m, d=d, x=f"{rng.integers(0, 16**4):04x}") for y, m, d in parts]

    return made


READABLE = {
    "names with invisible characters between": lambda t, _: ["\u200b".join(name) for name in t["name"]],
    "names in look-alike letters": lambda t, _: [
        name.translate(str.maketrans("aeo", "аео")).upper() for name in t["name"]
    ],
    "names backwards in capitals": lambda t, _: [name.upper()[::-1] for name in t["name"]],
    "family names first, together": lambda t, _: [
        plain(name.split()[1]) + plain(name.split()[0]) for name in t["name"]
    ],
    "names without vowels": lambda t, _: [re.sub("[aeiou ]", "", name.lower()) for name in t["name"]],
    "names in a record in Base64": lambda t, _: [
        base64.b64encode(f'{{"n":"{name}"}}'.encode()).decode() for name in t["name"]
    ],
    "numbers with a check digit, backwards": lambda t, _: [
        f"{n[::-1]}{sum(map(int, n)) % 10}" for n in t["record"]
    ],
    "names in ROT13 before random digits": lambda t, rng: [
        f"{codecs.encode(plain(name), 'rot13')}{rng.integers(1000)}" for name in t["name"]
    ],
    "names with digits for letters, in capitals": lambda t, rng: [
        f"{rng.integers(10)}{plain(name).translate(str.maketrans('aeio', '4310')).upper()}"
        for name in t["name"]
    ],
    "names by sorted letters": lambda t, _: ["".join(sorted(plain(name))) for name in t["name"]],
    "every second letter of names": lambda t, _: [name[::2] for name in t["name"]],
    "names by the keys of a telephone": lambda t, _: [plain(name).translate(KEYS) for name in t["name"]],
    "numbers between random letters": lambda t, rng: [
        "".join(chr(rng.integers(97, 123)) + digit for digit in n) for n in t["record"]
    ],
    "numbers of a letter and digits, digits backwards": lambda t, _: [
        f"{phone.replace(' ', '')[::-1]}{i % 10}" for i, phone in enumerate(t["phone"])
    ],
    "numbers in base 36": lambda t, _: [np.base_repr(int(n), 36).lower() for n in t["record"]],
    "the last six digits of telephones": lambda t, _: [phone.replace(" ", "")[-6:] for phone in t["phone"]],
    "birthdays before a random end": _dates("F{yy}{m}{d}-{x}"),
    "birthdays, day first, after a random beginning": _dates("{x}/{d}{m}{y}"),
}
KEYS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "22233344455566677778889999")
NOT_READABLE = {
    "random tokens": lambda _, rng: [rng.bytes(8).hex() for _ in range(N)],
    "hashes with a secret": lambda t, _: [
        hashlib.sha256(f"k9#{n}".encode()).hexdigest()[:12] for n in t["record"]
    ],
    "made-up names of the same lists": lambda _, rng: [
        f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}" for _ in range(N)
    ],
    "made-up names by sorted letters": lambda _, rng: [
        "".join(sorted(plain(f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}"))) for _ in range(N)
    ],
    "random letters between random digits": lambda _, rng: [
        "".join(f"{chr(rng.integers(97, 123))}{rng.integers(10)}" for _ in range(6)) for _ in range(N)
    ],
    "made-up birthdays": lambda _, rng: [
        str(np.datetime64("1940-01-01") + rng.integers(0, 25_000)) for _ in range(N)
    ],
    "made-up telephones": lambda _, rng: [
        f"031 {rng.integers(100, 1000)} {rng.integers(100, 1000)}" for _ in range(N)
    ],
    "running numbers in random order": lambda _, rng: [f"S{n:05d}" for n in rng.permutation(N)],
    "years of birth": lambda t, _: [day[:4] for day in t["born"]],
}


@pytest.mark.one_of(6)
@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "in another order"])
@pytest.mark.parametrize("name", READABLE)
def test_measure_readable__sees_values_in_any_plain_form(name: str, *, shuffled: bool) -> None:
    (found,) = _read(READABLE[name], shuffled=shuffled)
    assert found.anonymized == "token"
    assert found.n_hits >= 0.9 * found.n_compared


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "in another order"])
@pytest.mark.parametrize("name", NOT_READABLE)
def test_measure_readable__reads_nothing_off_other_values(name: str, *, shuffled: bool) -> None:
    assert _read(NOT_READABLE[name], shuffled=shuffled) == ()


@pytest.mark.parametrize(
    ("original", "token", "how"),
    [
        (["Ann Featherstone", "Bob Okafor", "Eve Quimby"], ["F362A500", "O216B100", "Q510E100"], "Soundex"),
        (["Ann Featherstone", "Bob Okafor", "Eve Quimby"], ["A500F362", "B100O216", "E100Q510"], "Soundex"),
        (["김민지", "박서준", "최영희"], ["ㄱㅁㅈ", "ㅂㅅㅈ", "ㅊㅇㅎ"], "first consonants"),
        (["김민지", "박서준", "최영희"], ["rlaalswl", "qkrtjwns", "chldudgml"], "English keyboard"),
        (["10.0.0.1", "192.168.1.20", "8.8.4.4"], ["167772161", "3232235796", "134743044"], "one number"),
        (["U012345", "U907312", "U660418"], ["543210", "213709", "814066"], "digits, backwards"),
    ],
)
def test_plain_forms__write_names_and_numbers_as_people_do(
    original: list[str], token: list[str], how: str
) -> None:
    found = [reading.how for reading, forms in keys_of(original) if forms == [plain(each) for each in token]]
    assert any(how in name for name in found), found


def test_measure_readable__reads_nothing_off_a_column_of_its_own_name_or_dense_numbers() -> None:
    rng = np.random.default_rng(0)
    original = {"record": [f"{n}" for n in rng.choice(10**6, N, replace=False)], "ward": ["north"] * N}
    drawn = {"record": [f"{n}" for n in rng.choice(10**12, N, replace=False)], "ward": ["north"] * N}
    assert _measured(original, drawn) == ()
    drawn["record"] = [
        "".join(map("{}{}".format, own, n))
        for own, n in zip(drawn["record"], original["record"], strict=True)
    ]
    assert [one.how for one in _measured(original, drawn)] == ["in plain form"]
    # Running numbers hold every number of an original that was numbered likewise.
    rng = np.random.default_rng(0)
    original = {"record": [f"P{n:05d}" for n in range(N)], "ward": ["north"] * N}
    anonymized = {"token": [f"S{n:05d}" for n in rng.permutation(N)][1:], "ward": ["north"] * (N - 1)}
    assert _measured(original, anonymized) == ()


def test_judge_readable__names_columns_form_and_count() -> None:
    one = ReadableColumn(
        original="record",
        anonymized="token",
        how="written backwards",
        n_hits=40,
        n_compared=80,
        original_distinct_share=0.3,
        taken_out=True,
    )
    (finding,) = judge_in_codes([one], SecondOpinionThresholds())
    assert finding.verdict is Verdict.FAIL
    assert finding.message == (
        "Values of the original column `record` can be read off `token`, written backwards: 40 of 80 "
        "(50.0 %) cells compared, far more than chance gives."
    )


def test_recombined__keeps_the_build_of_values() -> None:
    rng = np.random.default_rng(1)
    assert {len(value) for value in recombined(["A-123", "B-456", "C-7890"], rng)} == {5, 6}
    names = recombined(["Ana Novak", "Eva Kos"], rng)
    assert all(len(name.split()) == 2 for name in names)
    days = recombined(["2020-01-01", "2020-01-03"], rng)
    assert set(days) <= {"2020-01-01", "2020-01-02", "2020-01-03"}
