"""Original values inside the cells of other columns, against what chance gives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from core.comparing.keys import Hits
from core.tabular.log import AnonymizationLog
from core.tabular.second_opinion import in_texts
from core.tabular.second_opinion.in_texts import ValuesInTexts, judge_in_texts, measure_in_texts
from core.tabular.second_opinion.masked import MaskedColumn, judge_masked, measure_masked
from core.tabular.second_opinion.pair import pair_tables
from core.tabular.second_opinion.unchanged import measure_unchanged
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.verdict import Verdict
from tests.second_opinion_examples import log_of, table

N = 600
RNG = np.random.default_rng(1)
GIVEN = "Ana Boris Cvetka Darja Eva Franc Gregor Helena Igor Jana Klemen Luka Maja Nejc Oskar".split()
SURNAMES = "Novák Horvat Kos Zupan Golob Turk Hribar Kotnik Petek Rozman".split()
Cells = Sequence[str | None]


def drawn(*parts: Sequence[str], between: str = "") -> list[str]:
    return [between.join(words) for words in zip(*(RNG.choice(part, N) for part in parts), strict=True)]


NAMES = drawn(GIVEN, SURNAMES, between=" ")
KOREAN = drawn(tuple("김이박최정강조윤장임"), tuple("민서도하지수예현은태"), tuple("준연윤은호아우원정민"))
IDS = [f"P{i:07d}" for i in RNG.permutation(3 * N)[:N]]
PHONES = [
    f"010-{a}-{b:04d}" for a, b in zip(RNG.integers(2000, 9999, N), RNG.integers(0, 9999, N), strict=True)
]
BIRTHS = [str(np.datetime64("1940-01-01") + int(day)) for day in RNG.integers(0, 20_000, N)]
NOTES = RNG.choice(["all well", "come again soon", "tests ordered"], N).tolist()
ORIGINAL: dict[str, Cells] = {
    "id": IDS, "name": NAMES, "성명": KOREAN, "phone": PHONES, "birth": BIRTHS, "note": NOTES,
    "age": RNG.integers(20, 80, N).astype(str).tolist(),
    "score": RNG.permutation(10 * N)[:N].astype(str).tolist(),
}  # fmt: skip
ANONYMIZED: dict[str, Cells] = ORIGINAL | {
    "id": [RNG.bytes(6).hex() for _ in IDS], "name": [None] * N, "성명": [None] * N, "phone": [None] * N,
    "birth": [f"{birth[:4]}-01-01" for birth in BIRTHS],
    "score": [str(int(score) // 10 * 10) for score in ORIGINAL["score"] if score],
}  # fmt: skip
ACTIONS = {
    "id": ("patient_id", "pseudonymize"), "name": ("name", "drop"), "성명": ("name", "drop"),
    "phone": ("phone", "drop"), "birth": ("birthdate", "date_floor_year"), "note": ("other", "keep"),
    "age": ("age", "keep"), "score": ("other", "round"),
}  # fmt: skip
SHUFFLED = RNG.permutation(N)


def found_in(
    changed: Mapping[str, Cells],
    *,
    original: Mapping[str, Cells] | None = None,
    shuffled: bool = False,
    log: AnonymizationLog | None = None,
) -> list[tuple[str, str, str, int]]:
    """Return (original column, anonymized column, form, hits) of what is found, in the order it was found."""
    cells = {**ANONYMIZED, **changed}
    if shuffled:
        cells = {name: [column[i] for i in SHUFFLED] for name, column in cells.items()}
    tables = pair_tables(table({**ORIGINAL, **(original or {})}), table(cells), log or log_of(**ACTIONS))
    assert tables.order == ("changed" if shuffled else "kept")
    found = measure_in_texts(tables, measure_unchanged(tables), SecondOpinionSettings())
    assert all(one.hits.by_rows is not shuffled for one in found)
    return [(one.original, one.anonymized, one.form, one.hits.n_hits) for one in found]


def planted(values: Sequence[str], write: Callable[[str], str]) -> tuple[list[str], int]:
    """Return the notes with every eleventh holding the value of its row, and how many do."""
    notes = [write(v) if i % 11 == 5 else note for i, (v, note) in enumerate(zip(values, NOTES, strict=True))]
    return notes, sum(i % 11 == 5 for i in range(N))


@pytest.mark.slow
def test_measure_elsewhere__chance_explains_digits_of_tokens_and_planted_ones_not() -> None:
    rng = np.random.default_rng(5)
    pay = (10_000 + rng.permutation(80_000)[:N]).astype(str).tolist()
    tokens = [f"{rng.bytes(4).hex()}x{rng.integers(10_000, 99_999)}" for _ in range(N)]
    original: dict[str, Cells] = {"pay": pay}
    log = log_of(**ACTIONS, pay=("other", "drop"))
    changed: dict[str, Cells] = {"pay": [None] * N, "id": tokens}
    assert found_in(changed, original=original, shuffled=True, log=log) == []
    planted = {
        **changed,
        "id": [f"{t[:9]}{p}" if i % 4 == 0 else t for i, (t, p) in enumerate(zip(tokens, pay, strict=True))],
    }
    assert [one[:3] for one in found_in(planted, original=original, shuffled=True, log=log)] == [
        ("pay", "id", "values")
    ]
    rng = np.random.default_rng(6)
    days = np.datetime64("2023-01-01") + rng.permutation(900)[:N]
    original: dict[str, Cells] = {"seen": days.astype(str).tolist(), "case": [f"c{i // 5}" for i in range(N)]}
    log = log_of(**ACTIONS, seen=("other", "drop"), case=("other", "hash"))
    short = [f"{day:%y%m%d}" for day in days.astype(object)]
    tokens = [f"{rng.bytes(4).hex()}x{rng.integers(940_000, 999_999)}" for _ in range(N // 5)]
    changed: dict[str, Cells] = {"seen": [None] * N, "case": [tokens[i // 5] for i in range(N)]}
    assert found_in(changed, original=original, shuffled=True, log=log) == []
    tokens[3] = f"{tokens[3][:9]}{short[40]}"  # by chance, in the five records of one case
    changed["case"] = [tokens[i // 5] for i in range(N)]
    assert found_in(changed, original=original, shuffled=True, log=log) == []
    changed["case"] = [f"{tokens[i // 5][:9]}{short[i]}" if i % 4 == 0 else tokens[i // 5] for i in range(N)]
    assert [one[:3] for one in found_in(changed, original=original, shuffled=True, log=log)] == [
        ("seen", "case", "values")
    ]


@pytest.mark.slow
def test_measure_elsewhere__short_words_and_words_of_categories_are_none_of_others() -> None:
    trust = ["low", "medium", "high"]
    illness = ["asthma", "eczema", "migraine", "diabetes"]
    original: dict[str, Cells] = {
        "pay": [f"{10_000 + 37 * i}" for i in range(N)],
        "trust": [trust[i % 3] for i in range(N)],
        "illness": [illness[i * i % 7 % 4] for i in range(N)],
    }
    log = log_of(**ACTIONS, pay=("other", "range"), trust=("other", "drop"), illness=("other", "drop"))
    gone: dict[str, Cells] = {"trust": [None] * N, "illness": [None] * N}
    changed: dict[str, Cells] = {**gone, "pay": [("low", "middle", "high")[3 * i // N] for i in range(N)]}
    assert found_in(changed, original=original, shuffled=True, log=log) == []
    changed["pay"] = [illness[i * i % 7 % 4] if i % 2 else "none" for i in range(N)]
    assert [one[:3] for one in found_in(changed, original=original, shuffled=True, log=log)] == [
        ("illness", "pay", "values")
    ]
    original["trust"] = [("Ana Novak", "Jan Kos")[i % 2] for i in range(N)]  # two physicians
    changed["pay"] = ["Ana Novak" if i % 3 else "none" for i in range(N)]
    assert ("trust", "pay") in [
        one[:2] for one in found_in(changed, original=original, shuffled=True, log=log)
    ]
    rng = np.random.default_rng(7)
    steps = ["decide", "check", "close", "call back"]
    original: dict[str, Cells] = {"step": [steps[i % 4] for i in range(N)], "id": [f"c{i}" for i in range(N)]}
    log = log_of(**{**ACTIONS, "id": ("patient_id", "hash")}, step=("name", "drop"))
    tokens = [f"{rng.bytes(8).hex()}{'7dcd0' if i % 5 == 0 else '8'}" for i in range(N)]
    changed: dict[str, Cells] = {"step": [None] * N, "id": tokens}
    assert found_in(changed, original=original, shuffled=True, log=log) == []
    changed["id"] = [f"{token}-{steps[i % 4]}" for i, token in enumerate(tokens)]
    assert ("step", "id", "values") in [
        one[:3] for one in found_in(changed, original=original, shuffled=True, log=log)
    ]


JAPANESE = drawn(
    ("田中", "佐藤", "高橋", "山本", "森", "小林"), ("花子", "健一", "美咲", "翔", "陽子", "直樹")
)
CHINESE = drawn(tuple("王李張劉陳楊林歐"), ("小明", "志強", "淑芬", "雅婷", "偉", "靜"))
THAI = drawn(("สมชาย", "วิชัย", "สุภาพร", "ณัฐพล"), ("ใจดี", "รักไทย", "ทองดี", "บุญมา"), between=" ")
SAID = {
    "Japanese": (
        JAPANESE,
        ("本日来院、山本駅の森で転倒", "高橋を渡り受診", "経過良好"),
        "{}様より電話あり。",
    ),
    "Chinese": (CHINESE, ("患者主訴頭痛", "林口轉診，王牌藥物", "無不適"), "已通知{}先生回診"),
    "Thai": (THAI, ("มีอาการไอ", "นัดติดตามผล"), "คุณ{}มาตามนัด"),
}


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("language", SAID)
def test_measure_elsewhere__names_in_texts_without_borders_of_words(language: str, *, shuffled: bool) -> None:
    names, notes, about = SAID[language]
    log = log_of(**ACTIONS, 姓名=("name", "drop"))
    told = RNG.choice(notes, N).tolist()
    original: dict[str, Cells] = {"note": told, "姓名": names}
    changed: dict[str, Cells] = {"note": told, "姓名": [None] * N}
    assert found_in(changed, original=original, shuffled=shuffled, log=log) == []
    for spelled in (names, [f"{name[:2]} {name[2:]}" if language == "Japanese" else name for name in names]):
        for every in (9, N // 7):
            changed["note"] = [
                told[i] + about.format(spelled[i]) if i % every == 0 else told[i] for i in range(N)
            ]
            (found,) = found_in(changed, original=original, shuffled=shuffled, log=log)
            assert found == ("姓名", "note", "values", len(range(0, N, every)))
    others = [about.format(f"三浦{i % 7}一郎") if i % 9 == 0 else told[i] for i in range(N)]
    assert found_in({**changed, "note": others}, original=original, shuffled=shuffled, log=log) == []


def test_measure_elsewhere__short_names_in_an_added_column_of_common_words_are_chance() -> None:
    surnames = drawn(("森", "林", "東", "西", "高", "大", "金"), ("田", "川", "山", "野", "中", "原"))
    log = log_of(**ACTIONS, 姓=("name", "drop"))
    places = drawn(
        ("大", "東", "西", "高", "森", "林"), ("野", "原", "川", "山", "中"), ("駅より徒歩", "病院へ紹介")
    )
    changed: dict[str, Cells] = {"姓": [None] * N, "comment": places}
    assert found_in(changed, original={"姓": surnames}, shuffled=True, log=log) == []


PLANTED: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "a name": ("name", "values", lambda v: f"Spoke to {v} today"),
    "a name turned round, in capitals": (
        "name",
        "values",
        lambda v: f"{v.split()[1].upper()}, {v.split()[0]}: ok",
    ),
    "a name without accents": ("name", "values", lambda v: v.replace("á", "a") + " called"),
    "a name in an address": ("name", "values", lambda v: v.replace(" ", ".").lower() + "@example.org"),
    "a surname with an initial": ("name", "initials", lambda v: f"{v.split()[1]} {v[0]}. called"),
    "a surname": ("name", "one word", lambda v: f"called ms {v.split()[1]}"),
    "a Korean name with a particle": ("성명", "values", lambda v: f"{v}님 재진"),
    "a phone number in digits": ("phone", "values", lambda v: f"call {v.replace('-', '')}"),
    "an identifier": ("id", "values", lambda v: f"see {v.lower()}"),
    "a date of birth": ("birth", "values", lambda v: f"born {int(v[8:])}. {int(v[5:7])}. {v[:4]}"),
}


@pytest.mark.one_of(4)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("what", PLANTED)
def test_measure__finds_values_in_notes(what: str, shuffled: bool) -> None:
    column, form, write = PLANTED[what]
    notes, n = planted(dict(ORIGINAL)[column], write)  # type: ignore[arg-type]
    for original in ({"note": notes}, {}):  # left unchanged, or put there
        (found,) = found_in({"note": notes}, original=original, shuffled=shuffled)
        assert found[:3] == (column, "note", form)
        assert found[3] >= (0.8 if form == "one word" else 1) * n


@pytest.mark.parametrize("shuffled", [False, True])
def test_measure__three_hits_are_enough_and_two_are_not(shuffled: bool) -> None:
    for n in (2, 3):
        notes = [f"Spoke to {NAMES[i]}" if i in (5, 70, 500)[:n] else note for i, note in enumerate(NOTES)]
        found = found_in({"note": notes}, original={"note": notes}, shuffled=shuffled)
        assert len(found) == (n == 3)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("note", NOTES),
        ("note", drawn(["seen by"], GIVEN, SURNAMES, between=" ")),  # physicians of the same names
        ("note", drawn(["drank"], ["Ana", "Luka", "water"], between=" ")),
        ("note", [f"{number}" for number in RNG.integers(10**6, 10**7, N)]),
    ],
)
def test_measure__leaves_alone_what_chance_explains(column: str, cells: list[str], shuffled: bool) -> None:
    assert found_in({column: cells}, original={column: cells}, shuffled=shuffled) == []


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("names", "form"),
    [
        ([f"{n.split()[1].upper()} {n.split()[0]}" for n in NAMES], "values"),
        ([f"{n.split()[1].upper()} {n[0]}." for n in NAMES], "initials"),
        (drawn(GIVEN, SURNAMES, between=" "), None),  # surrogates
        ([f"Person {i}" for i in RNG.permutation(N)], None),
    ],
)
def test_measure__sees_a_column_of_names_respelled(
    names: list[str], form: str | None, shuffled: bool
) -> None:
    log = log_of(**{**ACTIONS, "name": ("name", "pseudonymize")})
    found = found_in({"name": names}, shuffled=shuffled, log=log)
    assert found == ([("name", "name", form, N)] if form else [])


@pytest.mark.slow
def test_measure__of_new_columns_and_new_names() -> None:
    texts = [f"Stay of {number}" for number in PHONES]
    assert found_in({"new": texts}, shuffled=True) == [("phone", "new", "values", N)]
    texts = [f"{name} 귀하" for name in KOREAN]
    assert found_in({"new": texts}, shuffled=True)[0] == ("성명", "new", "values", N)
    rare = [f"{a}{i:04d}x Y{i}" for i, a in enumerate("abc" * (N // 3))]
    assert found_in({"new": rare}, shuffled=True) == []
    given, surnames = (
        [f"{c}{a}{b}" for a in "aeiou" for b in ends] for c, ends in (("M", "klnrst"), ("B", "cdgpvz"))
    )
    names = drawn(given, surnames, between=" ")
    cells = {"name": names}
    others = drawn(given, surnames, between=" ")
    assert found_in({"new": names}, original=cells, shuffled=True) == [("name", "new", "values", N)]
    assert found_in({"new": others}, original=cells, shuffled=True) == []


def test_measure__reads_a_sample_of_very_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_texts, "_MOST_RECORDS", 300)
    notes, _ = planted(NAMES, lambda value: f"Spoke to {value}")
    tables = pair_tables(
        table({**ORIGINAL, "note": notes}), table({**ANONYMIZED, "note": notes}), log_of(**ACTIONS)
    )
    found = measure_in_texts(tables, measure_unchanged(tables), SecondOpinionSettings())
    (one,) = found
    assert one.n_sampled == 300
    assert "of a sample of 300 records" in judge_in_texts(found)[0].message


@pytest.mark.parametrize(
    ("form", "anonymized", "verdict", "what"),
    [
        ("values", "note", Verdict.FAIL, "values of the original column `name`"),
        ("one word", "name", Verdict.WARN, "one word of the names of its own original"),
    ],
)
def test_judge__says_what_is_where(form: str, anonymized: str, verdict: Verdict, what: str) -> None:
    hits = Hits(n_hits=9, n_compared=80, n_by_chance=0.2, by_rows=True)
    one = ValuesInTexts(original="name", anonymized=anonymized, form=form, hits=hits, n_filled=90)
    (finding,) = judge_in_texts([one])
    assert (finding.verdict, finding.n_affected) == (verdict, 9)
    assert finding.message == (
        f"Cells of `{anonymized}` hold {what}, in the same rows: 9 of 90 (10.0 %) cells, by chance about "
        "0.200. Whoever reads them sees what should be gone."
    )


# --- masks


def masked_in(changed: Mapping[str, Cells], *, shuffled: bool) -> list[tuple[str, int, int, int]]:
    cells = {**ANONYMIZED, **changed}
    if shuffled:
        cells = {name: [column[i] for i in SHUFFLED] for name, column in cells.items()}
    tables = pair_tables(table(ORIGINAL), table(cells), log_of(**ACTIONS))
    found = measure_masked(tables, SecondOpinionSettings())
    return [(one.anonymized, one.n_fitting, one.n_compared, round(one.n_candidates)) for one in found]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("column", "cells", "at_most"),
    [
        ("name", [f"{name[:2]}* {name.split()[1]}" for name in NAMES], 20),
        ("name", [" ".join(word[0] + "*" * (len(word) - 1) for word in name.split()) for name in NAMES], 30),
        ("성명", [f"{name[0]}O{name[2]}" for name in KOREAN], 20),
        ("phone", [f"{phone[:4]}****{phone[8:]}" for phone in PHONES], 2),
    ],
)
def test_measure_masked__counts_who_fits(column: str, cells: list[str], at_most: int, shuffled: bool) -> None:
    ((name, n_fitting, n_compared, n_candidates),) = masked_in({column: cells}, shuffled=shuffled)
    assert (name, n_fitting, n_compared) == (column, 60, 60)
    assert 1 <= n_candidates <= at_most


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("phone", ["010-****-****"] * N),  # all alike: nothing is left
        ("name", ["***"] * N),
        ("birth", [f"{birth[:4]}-**-**" for birth in BIRTHS]),  # coarse, not masked
        ("phone", [f"{RNG.integers(10**6)}-****" for _ in range(N)]),
    ],
)
def test_measure_masked__leaves_what_hides_alone(column: str, cells: list[str], shuffled: bool) -> None:
    assert masked_in({column: cells}, shuffled=shuffled) == []


def test_judge_masked__fails_below_the_smallest_class() -> None:
    one = MaskedColumn(original="name", anonymized="name", n_fitting=54, n_compared=60, n_candidates=4.9)
    more = replace(one, n_candidates=12.0)
    failed, warned = judge_masked((one, more), SecondOpinionThresholds())
    assert (failed.verdict, warned.verdict) == (Verdict.FAIL, Verdict.WARN)
    assert warned.message == (
        "`name` hides its originals in part only: 54 of 60 (90.0 %) sampled cells fit them, and about 12 "
        "records fit a cell."
    )
