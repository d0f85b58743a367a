"""What a careful person would not object to, and what looks like it but is to be objected to."""

import numpy as np
import pyarrow as pa
import pytest

from core.coding import coded
from core.people.roles import Role, suggest_roles
from core.tabular import audit_tabular
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion import SecondOpinionSettings
from core.tabular.second_opinion.pair import marked, pair_tables
from core.tabular.second_opinion.surrogates import measure_surrogates
from core.verdict import Verdict
from tests.cases.table import says
from tests.second_opinion_examples import dataset, findings, keep_all, log_of, opinion_on, table, the_finding


@pytest.mark.parametrize(
    ("actions", "meaning"),
    [
        ("keep retained unchanged as-is 유지 ohranjeno", Meaning.KEPT),
        ("drop suppress local_suppression Deleted removal redact 삭제 izbrisano", Meaning.GONE),
        ("pseudonymize tokenized hash(id) 가명처리 psevdonimizirano", Meaning.PSEUDONYM),
        (
            "generalize Generalisation round rounding_to_100 bin binned 반올림 zaokroženo mask",
            Meaning.COARSER,
        ),
        ("topcode top-coding bottom_coded winsorized", Meaning.CUT_OFF),
        ("noise add_noise Laplace jittering microaggregation 잡음추가 šum", Meaning.DISTURBED),
        ("swap data-swapping shuffled permute 교환", Meaning.SWAPPED),
        ("surrogate fake_names synthesize randomise 대체", Meaning.REPLACED),
        ("bless x not_generalized keep_if_permitted_else_drop no_noise k", None),
        ("gelöscht geloescht supprimée effacé eliminado rimosso excluído verwijderd usunięto", Meaning.GONE),
        ("削除済み 刪除 entfernt", Meaning.GONE),
        ("verschlüsselt haché cifrado gepseudonimiseerd pseudonimizacja 仮名化 假名化", Meaning.PSEUDONYM),
        ("vergröbert anonymisiert gerundet généralisé arrondi redondeado generalizzato", Meaning.COARSER),
        ("agrupado afgerond uogólniono zaokrąglono 一般化 匿名化 泛化", Meaning.COARSER),
        ("unverändert conservé sin_cambios mantenuto behouden そのまま 保留", Meaning.KEPT),
        ("verrauscht bruité ruido szum ノイズ付加 噪声", Meaning.DISTURBED),
        ("vertauscht échangé scambiato シャッフル", Meaning.SWAPPED),
        ("ersetzt remplacé sostituito 置換", Meaning.REPLACED),
        ("nicht_gelöscht pas_supprimé sans_anonymisation 未匿名化 不删除 削除しない 삭제안함", None),
        ("geprüft vérifié gewicht secret cruise 確認済み", None),
    ],
)
def test_meaning_of__natural_spellings(actions, meaning):
    assert {word: meaning_of(word) for word in actions.split()} == dict.fromkeys(actions.split(), meaning)


def test_disguises__count_as_taken_out_whatever_word_the_log_uses():
    rng = np.random.default_rng(0)
    names = [f"Person {i % 9}" for i in rng.permutation(90)]
    original = {"name": names, "code": [str(i % 7) for i in range(90)]}
    anonymized = {"name": [None] * 90, "code": original["code"], "extra": names}
    for action, verdict in (("removed", Verdict.FAIL), ("bless", Verdict.WARN)):
        log = log_of(name=("other", action), code=("other", "keep"), extra=("other", "generalize"))
        (copy,) = findings(opinion_on(original, anonymized, log), "disguise_copy")
        assert copy.verdict is verdict


MARKS = "*** * [REDACTED] <removed> Masked XXXX - 삭제 비공개 izbrisano ###-##-####".split()
NO_MARKS = ("x", "X", "M", "5-", "none", "no", "+", "deleted item", "Removed 5", "0000", "Maskell", "***a***")


def test_marked__finds_marks_and_nothing_else():
    found = marked(pa.array([*MARKS, *NO_MARKS]))
    assert found is not None
    assert found.tolist() == [True] * len(MARKS) + [False] * len(NO_MARKS)
    assert marked(pa.array(NO_MARKS)) is None
    assert marked(pa.array([], pa.string())) is None


def test_pair_tables__blanks_marks_in_chunks_and_wide_offsets():
    cells = pa.chunked_array([["***", "a"], [], ["b", "[masked]", "a"]], pa.large_string()).slice(1)
    original = pa.table({"a": ["x", None, "-", "a"], "b": ["1", "-", "2", "-"]})
    released = pa.table({"a": cells, "c": ["*", "1", "2", "3"]})
    tables = pair_tables(original, released, log_of())
    assert tables.anonymized["a"].to_pylist() == ["a", "b", None, "a"]
    assert tables.anonymized["c"].to_pylist() == [None, "1", "2", "3"]
    assert tables.original["a"].to_pylist() == ["x", None, None, "a"]
    assert tables.marks == {"a": 1, "c": 1}
    assert tables.original_marks == {"a": 1, "b": 2}
    for side, columns in tables.written.items():
        for name in columns.table.column_names:
            alone = coded(columns.table[name])
            assert columns[name].values.to_pylist() == alone.values.to_pylist(), (side, name)
            assert columns[name].codes.tolist() == alone.codes.tolist(), (side, name)
    assert tables.coded[0].original.tolist() == [0, -1, -1, 1]
    assert tables.coded[0].anonymized.tolist() == [1, 2, -1, 1]


def test_marks__are_blanks_in_classes_and_no_filled_blanks():
    region = ["North", "South"] * 20
    original = {"region": region, "sex": ["M", "F"] * 20, "note": [None, "good"] * 20}
    anonymized = {
        "region": ["***"] * 2 + region[2:],
        "sex": ["-"] * 2 + original["sex"][2:],
        "note": ["[REDACTED]", "good"] * 20,
    }
    log = log_of(region=("address", "suppress"), sex=("gender", "suppress"), note=("other", "keep"))
    opinion = opinion_on(original, anonymized, log)
    assert the_finding(opinion, "smallest_class").verdict is Verdict.PASS
    assert findings(opinion, "blank_filled") == []
    words = {**anonymized, "region": ["Elsewhere", "Nowhere", *region[2:]]}
    assert the_finding(opinion_on(original, words, log), "smallest_class").verdict is Verdict.FAIL


def audited(original, anonymized, log):
    return audit_tabular(dataset(original), dataset(anonymized, "people_anonymized.csv"), log)


def rule_message(original, anonymized, log, check):
    (finding,) = [f for f in audited(original, anonymized, log).findings if f.check == check]
    return finding.message


KNOWN = "A known false alarm of the rule: "


@pytest.mark.parametrize(
    ("cells", "is_false"),
    [(["***"] * 20, True), (["Patient"] * 20, True), (["***"] * 19 + ["Ana"], False), (["Ana"] * 20, False)],
)
def test_rule__says_that_marks_which_remain_are_a_false_alarm(cells, is_false):
    original = {"name": ["Ana", "Rok", "Eva", "Jan"] * 5, "sex": ["M", "F"] * 10}
    anonymized = {"name": cells, "sex": original["sex"]}
    log = log_of(name=("name", "drop"), sex=("gender", "keep"))
    message = rule_message(original, anonymized, log, "column_dropped")
    assert says(message, KNOWN + "…a mark") is is_false
    assert message.startswith("`name`: 20 of 20 (100 %) values remain although `drop` is logged.")


def test_rule__says_that_categories_years_other_words_and_pseudonyms_are_false_alarms() -> None:
    meals = ["조식", "중식", "수영", "요가"] * 30
    log = log_of(meal=("other", "keep"))
    message = rule_message({"meal": meals}, {"meal": meals}, log, "column_patterns")
    assert says(message, KNOWN + "…4 words repeated over 120 records")
    names = [f"김{a}{b}" for a in "민서도하지수" for b in "준연윤은호아"] * 3
    assert KNOWN not in rule_message({"meal": names}, {"meal": names}, log, "column_patterns")
    original = {"born": [f"{1940 + i}-05-06" for i in range(20)]}
    log = log_of(born=("birthdate", "date_floor_year"))
    years = {"born": [f"{1940 + i}" for i in range(20)]}
    assert KNOWN in rule_message(original, years, log, "column_date_floor")
    months = {"born": [f"{1940 + i}-05" for i in range(20)]}
    assert KNOWN not in rule_message(original, months, log, "column_date_floor")
    original = {"name": ["Ana", "Rok"] * 10, "sex": ["M", "F"] * 10}
    for action, is_false in (("delete", True), ("keep", False)):
        log = log_of(name=("name", action), sex=("gender", "keep"))
        message = rule_message(original, {"sex": original["sex"]}, log, "column_removed")
        assert (KNOWN in message) is is_false
    original = {"id": [f"P{i}" for i in range(40)]}
    log = log_of(id=("patient_id", "pseudonymize"))
    colours = {"id": [f"{'abcdefgh'[i % 8]}{'klmno'[i // 8]} {'uvwxy'[i % 5]}" for i in range(40)]}
    assert KNOWN in rule_message(original, colours, log, "column_pseudonyms")
    same = {"id": [*original["id"][:4], *colours["id"][4:]]}
    assert KNOWN not in rule_message(original, same, log, "column_pseudonyms")


@pytest.mark.parametrize(
    ("action", "changed", "is_false"),
    [("generalize", True, True), ("generalize", False, False), ("bless", True, False)],
)
def test_rule__says_that_protection_in_other_words_is_a_false_alarm(action, changed, is_false):
    original = {"born": [f"{1940 + i}-05-06" for i in range(20)]}
    anonymized = {"born": ["1940-1959"] * 20} if changed else original
    log = log_of(born=("birthdate", action))
    (found,) = [f for f in audited(original, anonymized, log).findings if f.check == "high_risk_handling"]
    assert (KNOWN in found.message) is is_false
    step = "Log what was done to `born` in words" if is_false else "Remove or pseudonymize `born`."
    assert found.remedy.startswith(step)


@pytest.mark.parametrize(
    "words",
    [
        ["Rose", "Lily", "Iris", "Daisy", "Poppy"],
        ["Austin", "Jackson", "Madison", "Charlotte"],
        ["조식", "수영", "장미", "한식"],
    ],
)
def test_roles__few_words_over_many_rows_are_categories(words):
    (few,) = suggest_roles(table({"x": words * 40}))
    assert few.role is Role.OTHER
    if words[0].isascii():
        (all_different,) = suggest_roles(table({"x": words}))
        assert all_different.kind == "person's name"


def test_roles__the_same_few_physicians_are_still_names_of_people():
    (few,) = suggest_roles(table({"x": ["James Smith", "Ana Novak", "Mary Jones", "Rok Kovač"] * 40}))
    assert few.kind == "person's name"
    assert few.score >= 0.85


def test_sanity__a_heading_alone_warns_unless_values_are_many_and_distinct():
    warns = {("name", 30): True, ("name", 400): False, ("patient_id", 40): False, ("patient_id", 5): True}
    for (heading, n_values), is_warned in warns.items():
        cells = [f"q{'abcdefghij'[i % 10]}{i % n_values}" for i in range(500)]
        finding = the_finding(opinion_on({heading: cells}, {heading: cells}), "looks_like_identifier")
        assert finding.verdict is (Verdict.WARN if is_warned else Verdict.FAIL), (heading, n_values)


SURNAMES = "Novak Horvat Kovač Walker Zupan Bennett Turner Mlakar Foster Hughes Clarke Singh Patel".split()
GIVEN = "Ana Boris Clara David Eva Filip Grace Hugo Irena Jakob Klara Luka Maja Nejc Oskar Petra".split()


def people(n: int, seed: int) -> dict[str, list[str | None]]:
    rng = np.random.default_rng(seed)
    return {
        "full_name": [f"{rng.choice(GIVEN)} {rng.choice(SURNAMES)}" for _ in range(n)],
        "phone": [f"0{rng.integers(31, 71)} {a:03d} {b:03d}" for a, b in rng.integers(0, 1_000, (n, 2))],
        "born": [str(np.datetime64("1940-01-01") + int(day)) for day in rng.integers(0, 24_000, n)],
    }


def surrogates_of(original, anonymized):
    tables = pair_tables(table(original), table(anonymized), keep_all(original))
    return measure_surrogates(tables, suggest_roles(tables.anonymized), SecondOpinionSettings())


def reordered(columns, seed=9):
    n = len(columns["phone"])
    order = np.random.default_rng(seed).permutation(n)
    return {name: [values[i] for i in order] for name, values in columns.items()}


@pytest.mark.slow
def test_surrogates__other_people_are_found_by_chance_alone():
    kept = {"code": [str(i % 7) for i in range(400)]}
    original, others = people(400, 1) | kept, people(400, 2) | kept
    assert surrogates_of(original, others) == {"full_name", "phone", "born"}
    assert surrogates_of(original, reordered(others)) >= {"full_name", "phone"}
    opinion = opinion_on(original, others)
    assert findings(opinion, "looks_like_identifier") == []
    assert says(the_finding(opinion, "surrogates").message, "3 columns…`full_name`, `phone` and `born`")


@pytest.mark.parametrize(
    "change",
    [
        lambda own, *_: own,
        lambda own, other, i: own if i % 12 == 0 else other,
        lambda own, *_: " ".join(reversed(own.split())),
        lambda own, *_: own.upper().replace(" ", ""),
        lambda own, *_: f"{own[:-2]}**",
    ],
)
def test_surrogates__what_was_made_of_the_original_is_none(change):
    original, others = people(400, 1), people(400, 2)
    made = {
        name: [
            change(own, other, i)
            for i, (own, other) in enumerate(zip(original[name], others[name], strict=True))
        ]
        for name in ("full_name", "phone")
    }
    kept = {"code": [str(i % 7) for i in range(400)]}
    assert surrogates_of(original | kept, {**original, **made, **kept}).isdisjoint(made)


@pytest.mark.slow
def test_surrogates__values_in_other_rows_few_records_and_dates_are_none() -> None:
    original = people(400, 1)
    assert surrogates_of(original, reordered(original)) == frozenset()
    shuffled = {
        **original,
        "phone": reordered(original, 4)["phone"],
        "full_name": reordered(original, 5)["full_name"],
    }
    assert surrogates_of(original, shuffled) == frozenset()
    assert surrogates_of(people(20, 1), people(20, 2)) == frozenset()
    few = people(60, 1)
    assert "phone" not in surrogates_of(
        few, {**people(60, 2), "phone": [few["phone"][7], *people(59, 2)["phone"]]}
    )
    assert "phone" in surrogates_of(few, people(60, 2))
    original, others = people(400, 1), people(400, 2)
    columns = {"sex": ["M", "F"] * 200}
    log = log_of(sex=("gender", "keep"), born=("visit_date", "surrogate"))
    made_up = opinion_on(columns | {"born": original["born"]}, columns | {"born": others["born"]}, log)
    assert the_finding(made_up, "smallest_class").verdict is Verdict.PASS
    left = opinion_on(columns | {"born": original["born"]}, columns | {"born": original["born"]}, log)
    assert the_finding(left, "smallest_class").verdict is Verdict.FAIL


def test_partly_unchanged__numbers_that_rounding_left_are_none_and_names_left_are():
    rng = np.random.default_rng(3)
    values = [f"{value:.1f}" for value in rng.normal(13.6, 8, 60)]
    rounded = [f"{round(float(value) / 5) * 5:.1f}" for value in values[:50]] + [
        f"{5 * i}.0" for i in range(1, 6) for _ in range(2)
    ]
    original = {"x": [*values[:50], *rounded[50:]], "code": [str(i % 7) for i in range(60)]}
    log = log_of(x=("other", "round"), code=("other", "keep"))
    opinion = opinion_on(original, {**original, "x": rounded}, log)
    assert findings(opinion, "partly_unchanged_column") == []
    left = [value if i % 5 else None for i, value in enumerate(people(60, 1)["full_name"])]
    names = {**original, "x": people(60, 1)["full_name"]}
    assert len(findings(opinion_on(names, {**names, "x": left}, log), "partly_unchanged_column")) == 1


@pytest.mark.slow
def test_swap__of_one_column_that_is_no_identifier_is_what_the_log_says():
    rng = np.random.default_rng(1)
    income = [f"{value:.2f}" for value in np.exp(rng.normal(10, 0.5, 400))]
    original = {
        "sex": list(rng.choice(["M", "F"], 400)),
        "group": list(rng.choice([*"abcd"], 400)),
        "x": income,
    }
    swapped = {**original, "x": list(rng.permutation(income))}

    def verdict(released, semantic="other", action="swap"):
        log = log_of(sex=("gender", "keep"), group=("other", "keep"), x=(semantic, action))
        return the_finding(opinion_on(original, released, log), "values_in_other_rows").verdict

    assert verdict(swapped) is Verdict.PASS
    assert verdict(swapped, action="keep") is Verdict.WARN
    assert verdict(swapped, semantic="patient_id") is Verdict.WARN
    assert verdict({**swapped, "group": list(rng.permutation(original["group"]))}) is Verdict.WARN
    assert verdict({**swapped, "x": income[:80] + list(rng.permutation(income[80:]))}) is Verdict.WARN
    names = [f"Ana Novak{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(400)]
    original["x"] = names
    assert verdict({**original, "x": list(rng.permutation(names))}) is Verdict.WARN


@pytest.mark.slow
@pytest.mark.parametrize(("share_left", "n_found"), [(0.0, 0), (0.7, 1)])
def test_partly_unchanged__dates_that_were_moved_meet_others_by_chance_in_a_reordered_table(
    share_left, n_found
):
    rng = np.random.default_rng(3)
    n = 600
    days = np.datetime64("2023-01-01") + rng.integers(0, 700, n)
    moved = days + rng.integers(30, 182, n) * (rng.random(n) >= share_left)
    order = rng.permutation(n)
    group = rng.choice(["a", "b", "c", "d"], n)
    original = {"visit": days.astype(str).tolist(), "group": group.tolist()}
    released = {"visit": moved[order].astype(str).tolist(), "group": group[order].tolist()}
    log = log_of(visit=("visit_date", "noise"), group=("other", "keep"))
    assert len(findings(opinion_on(original, released, log), "partly_unchanged_column")) == n_found


def _shuffled(columns, seed=9):
    order = np.random.default_rng(seed).permutation(len(next(iter(columns.values()))))
    return {name: [cells[row] for row in order] for name, cells in columns.items()}


@pytest.mark.parametrize("kind", ["amounts", "codes", "within groups"])
def test_swap__is_seen_in_a_reordered_table_too(kind):
    rng = np.random.default_rng(4)
    n = 400
    group = rng.choice([*"abcd"], n)
    original = {"sex": rng.choice(["M", "F"], n), "group": group, "job": rng.choice([*"uvwxyz"], n)}
    value = (
        rng.permutation([f"K{each:05d}" for each in rng.choice(10**5, n, replace=False)])
        if kind == "codes"
        else np.round(np.exp(rng.normal(7, 1, n)), 2).astype(str)
    )
    place = np.arange(n)
    for each in [*"abcd"] if kind == "within groups" else [None]:
        rows = np.flatnonzero((group == each) | (each is None))
        place[rows] = rng.permutation(rows)
    log = log_of(sex=("gender", "keep"), group=("other", "keep"), job=("other", "keep"), x=("other", "swap"))
    swapped = opinion_on({**original, "x": value}, _shuffled({**original, "x": value[place]}), log)
    expected = Verdict.WARN if kind == "codes" else Verdict.PASS
    assert the_finding(swapped, "values_in_other_rows").verdict is expected
    assert {each.check for each in swapped.findings if each.verdict is Verdict.FAIL} == set()
    left = opinion_on({**original, "x": value}, _shuffled({**original, "x": value}), log)
    assert the_finding(left, "unchanged_distinct_column").verdict is Verdict.FAIL


def test_swap__of_kept_columns_beside_a_value_and_its_bands_hides_nobody():
    rng = np.random.default_rng(5)
    n = 400
    value = np.round(rng.normal(100, 30, n), 2)
    sex, job = rng.choice(["M", "F"], n), rng.choice([*"uvwxyz"], n)
    bands = {"x": value.astype(str), "age": (value // 10).astype(int).astype(str)}
    original = {"sex": sex, "job": job, "x": bands["x"], "age": value.astype(int).astype(str)}
    released = _shuffled({"sex": rng.permutation(sex), "job": rng.permutation(job), **bands})
    log = log_of(
        sex=("gender", "keep"), job=("other", "keep"), x=("other", "swap"), age=("age", "generalize")
    )
    opinion = opinion_on(original, released, log)
    assert the_finding(opinion, "unchanged_distinct_column").verdict is Verdict.FAIL


FIRST = "Ana Maja Luka Marko Eva Jan Nina Tina Rok Miha Sara Petra Urša Matej Janez".split()
LAST = "Novak Kos Zupan Golob Vidmar Turk Hribar Rozman Petek Mlakar Bizjak Kralj".split()


@pytest.mark.parametrize(
    ("first", "last", "between"), [(FIRST, LAST, " "), (LAST, FIRST, ", "), ([*"김이박최정"], FIRST, "")]
)
@pytest.mark.parametrize("is_shuffled", [True, False])
def test_pseudonyms__drawn_of_the_same_names_are_no_originals(first, last, between, is_shuffled):
    if not between:
        last = [a + b for a in "민서지현" for b in "준우은영호"]
    rng = np.random.default_rng(6)
    n = 300
    drawn = [
        [f"{a}{between}{b}" for a, b in zip(rng.choice(first, n), rng.choice(last, n), strict=True)]
        for _ in range(2)
    ]
    ward = [str(each) for each in rng.integers(0, 5, n)]
    log = log_of(name=("name", "pseudonymize"), ward=("other", "keep"))

    def failed(original, released):
        released = {"name": released, "ward": ward}
        released = _shuffled(released) if is_shuffled else released
        opinion = opinion_on({"name": original, "ward": ward}, released, log)
        return {each.check for each in opinion.findings if each.verdict is Verdict.FAIL}

    assert failed(*drawn) == set()
    rare = [f"{name}{first[row % len(first)]}{last[row % len(last)]}" for row, name in enumerate(drawn[0])]
    assert "pseudonym_equals_original" in failed(rare, [*rare[: n // 2], *drawn[1][n // 2 :]])


@pytest.mark.parametrize("is_told", [False, True])
def test_values_elsewhere__amounts_that_happen_to_be_postal_codes_are_none(is_told):
    rng = np.random.default_rng(8)
    n = 1500
    zips = rng.integers(10_000, 10_400, n).astype(str)
    sums = np.exp(rng.normal(7, 0.8, n)).round(2)
    noised = (sums * (1 + rng.normal(0, 0.3, n))).round(2).astype(str)
    if is_told:
        noised[:40] = [f"to pay in {each}" for each in zips[700:740]]
    log = log_of(zip=("zipcode", "drop"), sum=("cost", "noise"), ward=("other", "keep"))
    ward = rng.choice([*"abcdef"], n)
    original = {"zip": zips, "sum": sums.astype(str), "ward": ward}
    opinion = opinion_on(original, _shuffled({"sum": noised, "ward": ward}), log)
    assert bool(findings(opinion, "original_values_inside")) == is_told


@pytest.mark.parametrize(("changed", "n_left"), [(0.1, 3), (1.0, 2)])
def test_apart__is_a_column_put_in_other_records_and_none_changed_in_a_few(changed, n_left):
    rng = np.random.default_rng(7)
    n = 800
    columns = {name: rng.choice([*values], n) for name, values in (("a", "uvwxyz"), ("b", "klmnop"))}
    columns["town"] = rng.choice([f"t{each}" for each in range(40)], n)
    rows = np.flatnonzero(rng.random(n) < changed)
    town = columns["town"].copy()
    town[rows] = town[rng.permutation(rows)]
    log = log_of(a=("other", "keep"), b=("other", "keep"), town=("city", "swap"))
    opinion = opinion_on(columns, _shuffled({**columns, "town": town}), log)
    assert f"By the {n_left} columns left" in str(the_finding(opinion, "relinkage").message)


@pytest.mark.parametrize("shuffled", [False, True])
def test_false_alarms__names_with_an_honorific_are_none(*, shuffled: bool) -> None:
    rng = np.random.default_rng(8)
    names = [
        "".join(parts)
        for parts in zip(
            *(rng.choice(part, 90) for part in (["田中", "佐藤", "森"], ["花子", "健一", "翔"])), strict=True
        )
    ]
    rows = rng.permutation(90) if shuffled else np.arange(90)
    age = [str(20 + i % 5) for i in range(90)]
    log = log_of(氏名=("name", "匿名化"), age=("age", "keep"))
    for said, is_told in ((lambda name: f"{name}様", False), (lambda name: f"No. {len(name)}", True)):
        released = {"氏名": [said(names[i]) for i in rows], "age": [age[i] for i in rows]}
        audit = audit_tabular(dataset({"氏名": names, "age": age}), dataset(released), log)
        (missed,) = (one for one in audit.findings if one.check == "high_risk_handling")
        assert says(missed.message, "…A known false alarm…") is is_told


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_readable__dates_that_share_a_year_show_no_postal_codes(seed):
    rng = np.random.default_rng(seed)
    n = 600
    zips = [f"{each:05d}" for each in rng.integers(3000, 3400, n)]
    paid = [str(each) for each in (np.exp(rng.normal(10.5, 0.7, n)) / 10).round().astype(int) * 10]
    visits = [np.datetime64("2023-01-01") + rng.integers(0, 500, n) for _ in range(2)]
    ward = rng.choice([*"abcd"], n)
    kept = {"ward": ward}
    original = {"zip": zips, "paid": paid, "visit": visits[0].astype(str), **kept}
    log = log_of(
        zip=("zipcode", "drop"),
        paid=("cost", "drop"),
        visit=("visit_date", "synthesize"),
        ward=("other", "keep"),
    )
    opinion = opinion_on(original, _shuffled({"visit": visits[1].astype(str), **kept}), log)
    assert findings(opinion, "disguise_readable") == []
    told = [f"{day}-{code}" for day, code in zip(visits[1].astype(str), zips, strict=True)]
    opinion = opinion_on(original, _shuffled({"visit": told, **kept}), log)
    assert {each.check for each in opinion.findings if each.verdict is Verdict.FAIL} != set()


@pytest.mark.slow
def test_forgotten_rows__are_none_where_most_values_meet_originals_by_chance():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 1200
        days = np.datetime64("2023-01-01") + rng.integers(0, 360, n)
        moved = days + rng.integers(-182, 183, n)
        kept = {"ward": rng.choice([*"abcdef"], n), "job": rng.choice([*"uvwxyz"], n)}
        original = {"day": days.astype(str), **kept}
        log = log_of(day=("other", "noise"), ward=("other", "keep"), job=("other", "keep"))
        opinion = opinion_on(original, _shuffled({"day": moved.astype(str), **kept}), log)
        found += findings(opinion, "forgotten_rows")
    assert found == []


@pytest.mark.parametrize(
    ("left", "check"),
    [
        (0.0, None),
        (0.12, "partly_unchanged_column"),
        (0.5, "partly_unchanged_column"),
        (1.0, "unchanged_distinct_column"),
    ],
)
def test_unchanged__amounts_drawn_again_and_put_in_other_rows_tell_nobody(left, check):
    rng, n = np.random.default_rng(3), 600
    income = np.round(np.exp(rng.normal(10, 0.5, n)), 2)
    kept = {
        name: rng.choice([*values], n) for name, values in (("sex", "fm"), ("region", "xyz"), ("age", "234"))
    }
    drawn = np.where(rng.random(n) < left, income, rng.choice(income, n))
    tables = [{**kept, "income": income}, {**kept, "income": drawn}]
    orders = np.arange(n), rng.permutation(n)
    original, released = (
        {name: column[order].astype(str).tolist() for name, column in each.items()}
        for each, order in zip(tables, orders, strict=True)
    )
    log = log_of(**dict.fromkeys(kept, ("other", "keep")), income=("other", "x"))
    found = [one.check for one in opinion_on(original, released, log).findings if one.column == "income"]
    assert (check in found) if check else not [one for one in found if "unchanged" in one]


BIRTHS = [f"{1940 + i}-05-06" for i in range(20)]
YEARS = [born[:4] for born in BIRTHS]
FAMILIES = ("Novak", "Kos", "Zupan", "Mlakar", "Golob")
NAMES = [f"{given} {family}" for given in ("Ana", "Bor", "Eva", "Jan") for family in FAMILIES]
SEX, MEALS = ["M", "F"] * 10, ["조식", "중식", "수영", "요가"] * 5


@pytest.mark.parametrize(
    ("original", "released", "entry", "rule", "counted"),
    [
        (BIRTHS, YEARS, ("birthdate", "date_floor_year"), Verdict.FAIL, Verdict.PASS),
        (BIRTHS, ["***"] * 20, ("birthdate", "drop"), Verdict.FAIL, Verdict.PASS),
        (BIRTHS, None, ("other", "suppress"), Verdict.WARN, Verdict.PASS),
        (BIRTHS, [f"{year}s" for year in YEARS], ("birthdate", "gerundet"), Verdict.FAIL, Verdict.WARN),
        (MEALS * 3, MEALS * 3, ("other", "keep"), Verdict.FAIL, Verdict.WARN),
        (BIRTHS, [*YEARS[:-1], BIRTHS[-1]], ("birthdate", "date_floor_year"), Verdict.FAIL, Verdict.FAIL),
        (BIRTHS, BIRTHS, ("birthdate", "date_floor_year"), Verdict.FAIL, Verdict.FAIL),
        (NAMES, NAMES[::-1], ("name", "swap"), Verdict.FAIL, Verdict.FAIL),
        (NAMES, [*NAMES[1:], NAMES[0]], ("name", "replaced"), Verdict.FAIL, Verdict.FAIL),
        (NAMES, None, ("name", "izbrisano"), Verdict.FAIL, Verdict.PASS),
        (NAMES, ["HIV"] * 20, ("name", "drop"), Verdict.FAIL, Verdict.WARN),
        (BIRTHS, ["***"] * 19 + ["1959-05-06"], ("birthdate", "drop"), Verdict.FAIL, Verdict.FAIL),
    ],
)
def test_known_false_alarm__does_not_decide_and_the_published_verdict_stays(
    original, released, entry, rule, counted
):
    n = len(original)
    sex = {"sex": (SEX * 3)[:n]}
    after = sex if released is None else {"x": released, **sex}
    audit = audited({"x": original, **sex}, after, log_of(x=entry, sex=("gender", "keep")))
    assert (audit.verdict, audit.counted_verdict) == (rule, counted)
    assert audit.n_in_other_words == (counted is Verdict.PASS)


def test_shifted_dates__are_a_false_alarm_of_the_rule_and_known_to_nobody() -> None:
    n = 200
    days = np.datetime64("2024-01-01") + np.arange(n) * 3
    moved = days + np.random.default_rng(0).integers(-90, 91, n)
    sex = {"sex": ["M", "F"] * (n // 2)}
    log = log_of(seen=("visit_date", "date_shift"), sex=("gender", "keep"))
    original = {"seen": [*map(str, days)], **sex}
    shifted = {"seen": [*map(str, moved)], **sex}
    assert KNOWN in rule_message(original, shifted, log, "column_patterns")
    audit = audited(original, shifted, log)
    assert audit.second_opinion is not None
    found = {each.check: each.verdict for each in audit.second_opinion.findings}
    assert (found["smallest_class"], found["looks_like_quasi_identifier"]) == (Verdict.PASS, Verdict.WARN)
    order = np.random.default_rng(1).permutation(n)
    sexes, by_two = np.array(sex["sex"]), days + np.random.default_rng(2).integers(-2, 3, n)
    of_others = days[np.random.default_rng(3).integers(0, n, n)]
    left = {"as they were": days, "in other rows": days[order], "by two days": by_two[order]}
    for name, dates in {**left, "in other rows, by months": moved[order], "drawn": of_others}.items():
        kept = sex["sex"] if name == "as they were" else [*map(str, sexes[order])]
        audit = audited(original, {"seen": [*map(str, dates)], "sex": kept}, log)
        assert audit.second_opinion is not None
        found = {each.check: each.verdict for each in audit.second_opinion.findings}
        assert found["smallest_class"] is (Verdict.FAIL if name in left else Verdict.PASS), name
