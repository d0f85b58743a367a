import base64
import codecs
import hashlib
from datetime import date, timedelta

import numpy as np
import pytest

from core.errors import AuditInputError
from core.free_text import Reading
from core.tabular.second_opinion import (
    SecondOpinionSettings,
    SecondOpinionThresholds,
    judge_second_opinion,
    measure_second_opinion,
    with_quasi_identifiers,
)
from core.tabular.second_opinion.transforms import holds, shift_between
from core.tabular.views.figures import figures_of_columns, figures_of_file
from core.verdict import Verdict
from tests.cases.table import holds_for_each, says
from tests.second_opinion_examples import (
    concerns,
    dataset,
    findings,
    hidden_in,
    keep_all,
    log_of,
    opinion_on,
    relinked_in,
    the_finding,
    well_anonymized,
)

NUMBERS = [str(n) for n in range(10)]
LETTERS = list("abcdefghij")


# --- a sound anonymization raises no alarm


@pytest.mark.parametrize("language", ["english", "korean", "slovenian"])
def test_judge__passes_a_sound_anonymization(language: str) -> None:
    opinion = opinion_on(*well_anonymized(language))
    assert opinion.verdict is Verdict.PASS
    assert concerns(opinion) == {}


def test_judge__passes_a_sound_anonymization_in_another_order() -> None:
    original, anonymized, log = well_anonymized()
    order = np.random.default_rng(1).permutation(len(original["age"]))
    shuffled = {name: [values[i] for i in order] for name, values in anonymized.items()}
    opinion = opinion_on(original, shuffled, log)
    assert concerns(opinion) == {}
    assert the_finding(opinion, "row_order_changed").verdict is Verdict.PASS


def test_judge__says_of_suppressed_records_and_warns_where_small_classes_are_left() -> None:
    original, anonymized, log = well_anonymized()
    kept = {name: values[:1_150] for name, values in anonymized.items()}
    opinion = opinion_on(original, kept, log)
    assert concerns(opinion) == {}
    k = the_finding(opinion, "smallest_class").message.split(" has ")[1].split(";")[0]
    fewer = the_finding(opinion, "row_count_differs").message
    assert says(fewer, f"50 records fewer…(1,150 against 1,200)…small classes…at least {k}.")
    warned = the_finding(opinion_on(original, kept, log, smallest_k=1_000), "row_count_differs")
    assert (warned.verdict, "small classes" in warned.message) == (Verdict.WARN, False)


# --- structure


def test_structure__names_columns_that_tables_and_log_do_not_share() -> None:
    opinion = opinion_on(
        {"a": NUMBERS, "b": LETTERS},
        {"a": ["x"] * 10, "new": ["y"] * 10},
        log_of(a=("other", "keep"), b=("other", "drop"), gone=("name", "drop")),
    )
    unlogged = the_finding(opinion, "column_not_in_log")
    assert (unlogged.verdict, unlogged.column, unlogged.n_affected) == (Verdict.WARN, "new", 1)
    assert says(the_finding(opinion, "logged_column_missing").message, "1 …`gone`")


def test_structure__an_expansion_is_mentioned_by_its_own_entry_or_its_original() -> None:
    opinion = opinion_on(
        {"addr": LETTERS},
        {"addr_city": ["x"] * 10, "addr_zip": ["1"] * 10, "other_zip": ["2"] * 10},
        log_of(addr=("address", "region_generalize"), addr_zip=("zipcode", "mask_zip_leading")),
    )
    assert the_finding(opinion, "column_not_in_log").column == "other_zip"


def test_structure__matches_headers_and_log_in_other_letters() -> None:
    names = [f"Person {i}" for i in range(20)]
    original = {"Name": names, "Sex": ["F", "M"] * 10, "Part of": names}
    anonymized = {"\ufeffNAME": names, "sex": ["F", "M"] * 10, "part_of_1": [None] * 20}
    opinion = opinion_on(
        original, anonymized, log_of(name=("name", "keep"), SEX=("gender", "keep"), PART_OF=("x", ""))
    )
    assert not findings(opinion, "column_not_in_log")
    assert not findings(opinion, "logged_column_missing")
    assert the_finding(opinion, "unchanged_distinct_column").column == "\ufeffNAME"


def test_structure__counts_filled_blanks_row_by_row() -> None:
    blank = [None, None, *NUMBERS[2:]]
    opinion = opinion_on({"a": blank, "b": LETTERS}, {"a": NUMBERS, "b": LETTERS})
    finding = the_finding(opinion, "blank_filled")
    assert (finding.column, finding.n_affected, finding.verdict) == ("a", 2, Verdict.WARN)


def test_structure__counts_filled_blanks_at_least_where_there_are_no_rows() -> None:
    opinion = opinion_on({"a": [None] * 8 + ["1", "2"]}, {"a": ["3"] * 8 + ["4"]})
    assert the_finding(opinion, "blank_filled").message.startswith("At least 7 cells of `a` ")
    more = opinion_on({"a": [None, "2"]}, {"a": ["3"] * 9})
    assert findings(more, "blank_filled") == []
    assert the_finding(more, "row_count_differs").message.startswith(
        "The anonymized table has 7 records more"
    )


# --- unchanged columns


def test_unchanged__equal_as_text_number_or_date() -> None:
    measured = measure_second_opinion(
        dataset({"n": ["25023", "25024", " 7"], "d": ["2020-01-02", "2020/1/3", "2020-01-04"]}),
        dataset(
            {"n": ["25023.0", "25024.00", "7"], "d": ["2020-01-02 00:00:00", "2020-01-03", "2020-01-04"]}
        ),
        log_of(),
    )
    assert [column.unchanged_share for column in measured.columns] == [1.0, 1.0]


def test_unchanged__counts_over_the_cells_filled_in_the_original() -> None:
    measured = measure_second_opinion(
        dataset({"a": ["1", "2", None, None]}), dataset({"a": ["1", None, None, "4"]}), log_of()
    )
    column = measured.columns[0]
    assert (column.n_unchanged, column.n_compared, column.unchanged_share) == (1, 2, 0.5)
    assert (column.n_distinct_original, column.n_filled_original, column.distinct_share) == (2, 2, 1.0)


def test_unchanged__a_blank_column_has_no_share() -> None:
    measured = measure_second_opinion(dataset({"a": [None]}), dataset({"a": [None]}), log_of())
    assert measured.columns[0].unchanged_share is None
    assert measured.columns[0].distinct_share is None


def test_unchanged__fails_a_highly_distinct_column_and_lets_a_coarse_one_pass() -> None:
    columns = {"lab": [f"{5 + i / 7:.3f}" for i in range(40)], "gender": ["M", "F"] * 20}
    opinion = opinion_on(columns, columns, log_of(lab=("lab", "keep"), gender=("gender", "keep")))
    finding = the_finding(opinion, "unchanged_distinct_column")
    assert (finding.verdict, finding.column) == (Verdict.FAIL, "lab")
    assert says(finding.message, "40 of 40 (100 %)…unchanged…40 of 40 (100 %)…distinct")


def test_unchanged__limits_are_inclusive_and_movable() -> None:
    original = {"a": [str(n) for n in range(20)]}
    anonymized = {"a": ["x", *original["a"][1:]]}
    assert findings(opinion_on(original, anonymized), "unchanged_distinct_column")
    strict = opinion_on(original, anonymized, left_unchanged_share=0.96)
    assert not findings(strict, "unchanged_distinct_column")
    partly = the_finding(strict, "partly_unchanged_column").message
    assert says(partly, "`a`…19 of 20 (95.0 %)…unchanged…20 of 20 (100 %)…distinct")
    half = {"a": ["1", "1", "2", "2"]}
    assert findings(opinion_on(half, half), "unchanged_distinct_column")
    assert not findings(opinion_on(half, half, highly_distinct_share=0.51), "unchanged_distinct_column")


def test_unchanged__sees_values_that_only_changed_rows() -> None:
    names = [f"N{i}" for i in range(30)]
    rest = {"g": ["x", "y", "z"] * 10, "h": ["p", "q"] * 15}
    opinion = opinion_on({"a": names, **rest}, {"a": names[::-1], **rest})
    finding = the_finding(opinion, "values_in_other_rows")
    assert (finding.verdict, finding.column, finding.n_affected) == (Verdict.WARN, "a", 30)
    assert says(finding.message, "30 of 30 (100 %) reappear…30 of 30 (100 %)…distinct")


def test_unchanged__a_shuffled_table_is_compared_by_values() -> None:
    columns = {"a": [f"N{i}" for i in range(30)], "b": [str(i % 3) for i in range(30)]}
    reverse = {name: values[::-1] for name, values in columns.items()}
    opinion = opinion_on(columns, reverse)
    assert the_finding(opinion, "unchanged_distinct_column").column == "a"
    assert opinion.tables["columns"]["compared_by"].tolist() == ["values", "values"]


def test_unchanged__fewer_records_are_compared_with_as_many() -> None:
    columns = {"a": [f"N{i}" for i in range(40)]}
    fewer = {"a": columns["a"][:20]}
    measured = measure_second_opinion(dataset(columns), dataset(fewer), log_of())
    assert (measured.columns[0].n_unchanged, measured.columns[0].n_compared) == (20, 20)


# --- re-linkage


def test_relinkage__counts_records_that_match_exactly_one() -> None:
    opinion = relinked_in(
        {"a": ["1", "1", "2", "2", "3"], "b": ["x", "y", "x", "x", None]},
        {"a": ["1", "1", "2", "2", "3"], "b": ["x", "y", "x", "x", None]},
    )
    finding = the_finding(opinion, "relinkage")
    assert (finding.verdict, finding.n_affected) == (Verdict.FAIL, 3)
    assert says(finding.message, "the 2 columns left unchanged, 3 of 5 (60.0 %)")
    few = the_finding(opinion, "relinkage_by_few_columns")
    assert says(few.message, "2 unchanged columns…over 50.0 %…`a` and `b`…3 of 5 (60.0 %)…was ruled out")


def test_relinkage__a_record_blank_in_all_columns_matches_nothing() -> None:
    opinion = relinked_in({"a": [None, "1", "1"]}, {"a": [None, "1", "1"]})
    assert the_finding(opinion, "relinkage").n_affected == 0


@pytest.mark.parametrize(
    ("changed_share", "verdict"), [(0.06, Verdict.FAIL), (0.7, Verdict.FAIL), (0.9, Verdict.WARN)]
)
def test_relinkage__finds_records_left_alone_among_changed_ones(
    changed_share: float, verdict: Verdict
) -> None:
    rng = np.random.default_rng(3)
    original = {f"v{j}": rng.integers(0, 40, 500).astype(str) for j in range(4)}
    changed = np.arange(500) < changed_share * 500
    anonymized = {name: np.where(changed, rng.permutation(cells), cells) for name, cells in original.items()}
    opinion = relinked_in(
        {name: cells.tolist() for name, cells in original.items()},
        {name: cells.tolist() for name, cells in anonymized.items()},
    )
    finding = the_finding(opinion, "relinkage_by_partly_unchanged")
    assert finding.verdict is verdict
    assert finding.n_affected >= (1 - changed_share) * 500 - 3


def test_relinkage__takes_off_what_chance_gives_in_reordered_tables() -> None:
    rng = np.random.default_rng(1)
    n = 500
    sex, town = rng.choice(["f", "m"], n).tolist(), rng.choice([f"t{i}" for i in range(12)], n).tolist()
    value = [f"{v / 10:.1f}" for v in rng.normal(135, 12, n).round()]
    order = rng.permutation(n)
    swapped = [f"{round(float(value[i]) * 4) / 4:.1f}" for i in rng.permutation(n)]
    original = {"sex": sex, "town": town, "value": value}
    released = {"sex": [sex[i] for i in order], "town": [town[i] for i in order], "value": swapped}
    checks = {finding.check for finding in relinked_in(original, released).findings}
    assert "relinkage_by_partly_unchanged" not in checks
    kept = {**released, "value": [value[i] if i % 3 else "13.0" for i in order]}
    assert "relinkage_by_partly_unchanged" in {f.check for f in relinked_in(original, kept).findings}


def test_relinkage__shuffled_columns_are_not_their_own_records() -> None:
    rng = np.random.default_rng(3)
    original = {f"v{j}": rng.integers(0, 4, 500).astype(str) for j in range(6)}
    shuffled = {name: rng.permutation(cells).tolist() for name, cells in original.items()}
    opinion = relinked_in({name: cells.tolist() for name, cells in original.items()}, shuffled)
    assert findings(opinion, "relinkage_by_partly_unchanged") == []


@pytest.mark.parametrize("action", ["region_generalize", "keep_if_permitted_else_drop"])
def test_sanity__names_left_unchanged_are_seen_whatever_the_log_says(action: str) -> None:
    people = [f"{first} Smith" for first in ("James", "Mary", "John", "Linda", "Robert")] * 20
    opinion = opinion_on({"person": people}, {"person": people}, log_of(person=("diagnosis", action)))
    assert the_finding(opinion, "looks_like_identifier").verdict is Verdict.FAIL


def test_relinkage__by_no_columns_finds_nobody() -> None:
    opinion = opinion_on({"a": NUMBERS}, {"a": ["x"] * 10})
    assert the_finding(opinion, "relinkage").verdict is Verdict.PASS
    assert opinion.tables["relinkage"].empty


def test_relinkage__follows_the_limit_of_left_unchanged_without_measuring_again() -> None:
    changed = ["x", *NUMBERS[1:]]
    measured = measure_second_opinion(
        dataset({"a": NUMBERS, "b": ["1", "2"] * 5}),
        dataset({"a": changed, "b": ["1", "2"] * 5}),
        log_of(a=("other", "keep"), b=("other", "keep")),
    )
    lenient = judge_second_opinion(measured, thresholds=SecondOpinionThresholds(left_unchanged_share=0.9))
    strict = judge_second_opinion(measured)
    assert the_finding(lenient, "relinkage").n_affected == 9
    assert the_finding(strict, "relinkage").n_affected == 0
    assert the_finding(lenient, "relinkage_by_few_columns").column == "a"


def test_relinkage__shares_decide_between_pass_warn_and_fail() -> None:
    columns = {"a": [str(n) for n in range(10)] + ["x"] * 90}
    assert the_finding(relinked_in(columns, columns), "relinkage").verdict is Verdict.WARN
    assert (
        the_finding(relinked_in(columns, columns, relinkage_warn_share=0.1), "relinkage").verdict
        is Verdict.PASS
    )
    assert (
        the_finding(relinked_in(columns, columns, relinkage_fail_share=0.09), "relinkage").verdict
        is Verdict.FAIL
    )


def hidden_in_four() -> dict[str, list[str]]:
    """Return 81 records that only four columns of three values tell apart."""
    return {f"c{j}": [str(i // 3**j % 3) for i in range(81)] for j in range(4)}


def test_relinkage__says_where_no_few_columns_are_enough() -> None:
    columns = hidden_in_four()
    exhaustive = relinked_in(columns, columns)
    told = the_finding(exhaustive, "relinkage").message
    assert says(told, "4 columns…81 of 81 (100 %)…No set of up to 3…over 50.0 %…all sets were")
    single = relinked_in(columns, columns, settings=SecondOpinionSettings(largest_set=1))
    assert "No single column re-links over 50.0 %" in the_finding(single, "relinkage").message


def test_relinkage__searches_greedily_beyond_its_budget_and_says_so() -> None:
    columns = hidden_in_four() | {"d": [str(i % 40) for i in range(81)]}
    greedy = relinked_in(columns, columns, settings=SecondOpinionSettings(search_budget=1))
    assert "The search was greedy" in the_finding(greedy, "relinkage_by_few_columns").message


def test_relinkage__uses_the_least_changed_of_several_expansions() -> None:
    opinion = relinked_in(
        {"addr": NUMBERS},
        {"addr_a": ["x"] * 10, "addr_b": NUMBERS},
        log_of(addr=("address", "region_generalize")),
    )
    assert the_finding(opinion, "relinkage_by_few_columns").column == "addr_b"


# --- disguises

WORDS = [f"{letter}{i * 7919 % 100_003:05d}" for i, letter in enumerate("QWERTZUIOP" * 4)]


@pytest.mark.parametrize(
    ("how", "disguise"),
    [
        ("an unsalted MD5 hash", lambda v: hashlib.md5(v.encode(), usedforsecurity=False).hexdigest()),
        ("an unsalted SHA-1 hash", lambda v: hashlib.sha1(v.encode(), usedforsecurity=False).hexdigest()),
        ("an unsalted SHA-256 hash", lambda v: hashlib.sha256(v.encode()).hexdigest()[:12]),
        ("an unsalted SHA-256 hash", lambda v: "P_" + hashlib.sha256(v.lower().encode()).hexdigest().upper()),
        (
            "an unsalted SHA-512 hash",
            lambda v: base64.b64encode(hashlib.sha512(v.encode()).digest()).decode(),
        ),
    ],
)
@pytest.mark.parametrize("shuffled", [False, True])
def test_disguises__sees_unsalted_hashes(how: str, disguise: object, shuffled: bool) -> None:
    tokens = [disguise(word) for word in WORDS]
    opinion = hidden_in(
        {"id": WORDS}, {"id": tokens[::-1] if shuffled else tokens}, log_of(id=("patient_id", "pseudonymize"))
    )
    finding = the_finding(opinion, "disguise_hash")
    assert (finding.verdict, finding.column, finding.n_affected) == (Verdict.FAIL, "id", 40)
    assert says(finding.message, f"`id` are {how}: 40 of 40 (100 %)")


def test_disguises__sees_a_hash_of_another_column_and_of_korean_text() -> None:
    names = [f"김{chr(0xAC00 + 28 * i)}수" for i in range(20)]
    tokens = [hashlib.md5(name.encode("cp949"), usedforsecurity=False).hexdigest() for name in names]
    opinion = hidden_in(
        {"name": names, "id": [str(i) for i in range(20)]},
        {"id": tokens},
        log_of(name=("name", "drop"), id=("patient_id", "pseudonymize")),
    )
    assert says(
        the_finding(opinion, "disguise_hash").message, "`id` are an unsalted MD5 hash…`name`: 20 of 20"
    )


def test_disguises__secretly_salted_hashes_and_random_tokens_are_fine() -> None:
    rng = np.random.default_rng(3)
    for tokens in (
        [hashlib.sha256(b"\x07unguessable \xfe" + word.encode()).hexdigest() for word in WORDS],
        [rng.bytes(6).hex() for _ in WORDS],
    ):
        opinion = hidden_in({"id": WORDS}, {"id": tokens}, log_of(id=("patient_id", "pseudonymize")))
        assert [f.check for f in opinion.findings if f.check.startswith("disguise")] == []


@pytest.mark.parametrize(
    ("how", "disguise"),
    [
        ("the original in Base64", lambda v: base64.b64encode(v.encode()).decode()),
        ("the original in hexadecimal", lambda v: v.encode().hex()),
        ("the original in ROT13", lambda v: codecs.encode(v, "rot13")),
        ("the original written backwards", lambda v: v[::-1]),
        ("the original in other letter case or without spaces and signs", str.lower),
        ("the original in other letter case or without spaces and signs", lambda v: v.replace("-", "")),
    ],
)
@pytest.mark.parametrize("shuffled", [False, True])
def test_disguises__sees_encodings(how: str, disguise: object, shuffled: bool) -> None:
    words = [f"{word[:2]}-{word[2:]}" for word in WORDS]
    coded = [disguise(word) for word in words]
    opinion = hidden_in(
        {"id": words}, {"id": coded[::-1] if shuffled else coded}, log_of(id=("patient_id", "pseudonymize"))
    )
    finding = the_finding(opinion, "disguise_encoding")
    assert finding.verdict is Verdict.FAIL
    assert says(finding.message, f"`id` are {how}: 40 of 40 (100 %)")


@pytest.mark.parametrize("shuffled", [False, True])
def test_disguises__sees_a_copy_under_another_name(shuffled: bool) -> None:
    copy = WORDS[::-1] if shuffled else WORDS
    opinion = hidden_in(
        {"name": WORDS},
        {"code": copy, "name": [None] * 40},
        log_of(name=("name", "drop"), code=("other", "keep")),
    )
    finding = the_finding(opinion, "disguise_copy")
    assert (finding.verdict, finding.column) == (Verdict.FAIL, "code")
    assert says(finding.message, "`code`…`name`: 40 of 40 (100 %)")


def test_disguises__a_renamed_column_that_was_not_taken_out_is_worth_a_warning() -> None:
    coarse = ["20", "30", "40", "50"] * 10
    opinion = hidden_in({"age": coarse}, {"age_new": coarse}, log_of(age=("age", "keep")))
    assert findings(opinion, "disguise_copy") == []  # an expansion is compared like the column itself
    renamed = hidden_in({"age": coarse, "b": coarse}, {"years": coarse, "b": ["x"] * 40})
    assert {finding.verdict for finding in findings(renamed, "disguise_copy")} == {Verdict.WARN}


def test_judge__takes_a_table_of_very_many_columns() -> None:
    original = {f"c{i}": ["1", "2", "3", str(i)] for i in range(150)}
    anonymized = {name: ["x", "y", "x", "y"] for name in original}
    opinion = opinion_on(original, anonymized)
    assert "not assessed for 22,350 pairs of columns" in the_finding(opinion, "disguises").message
    kept = opinion_on(original, original)
    assert the_finding(kept, "relinkage").verdict is Verdict.FAIL


def test_classes__beyond_fifty_quasi_identifiers_no_contribution_is_measured() -> None:
    columns = {f"c{i}": ["1", "2"] for i in range(51)}
    settings = SecondOpinionSettings(quasi_identifiers=tuple(columns))
    message = the_finding(opinion_on(columns, columns, settings=settings), "smallest_class").message
    assert message.endswith("fewer than 5: 2 of 2 (100 %) records are in classes that small.")


def test_disguises__a_coarse_column_may_be_copied_or_respelled() -> None:
    coarse = ["Single", "Married", "Widowed", "Divorced"] * 10
    opinion = hidden_in({"marital": coarse}, {"marital": [value.lower() for value in coarse], "m2": coarse})
    assert [f.check for f in opinion.findings if f.check.startswith("disguise")] == []


def test_disguises__a_hash_of_a_coarse_column_is_worth_a_warning() -> None:
    coarse = ["Single", "Married", "Widowed", "Divorced"] * 10
    tokens = [hashlib.sha256(value.encode()).hexdigest() for value in coarse]
    assert the_finding(hidden_in({"m": coarse}, {"m": tokens}), "disguise_hash").verdict is Verdict.WARN


@pytest.mark.parametrize(
    ("original", "anonymized", "how"),
    [
        (
            [f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(84)],
            None,
            "dates shifted by one constant number of days",
        ),
        (
            [str(i * 3) for i in range(50)],
            [str(i * 3 + 100) for i in range(50)],
            "the original plus one constant",
        ),
        (
            [str(i * 3) for i in range(50)],
            [str(round(i * 3 * 2.54, 4)) for i in range(50)],
            "the original times one constant",
        ),
    ],
)
def test_disguises__sees_constant_shifts(original: list[str], anonymized: list[str] | None, how: str) -> None:
    shifted = anonymized or [str(np.datetime64(day) + 17) for day in original]
    opinion = hidden_in({"v": original}, {"v": shifted}, log_of(v=("other", "shift")))
    finding = the_finding(opinion, "disguise_shift")
    assert finding.verdict is Verdict.FAIL
    assert says(finding.message, f"`v` are {how}: …distinct")


def test_disguises__a_shift_of_a_coarse_column_is_worth_a_warning_and_noise_is_fine() -> None:
    ages = [str(20 + i % 5) for i in range(60)]
    shifted = [str(int(age) + 3) for age in ages]
    assert the_finding(hidden_in({"v": ages}, {"v": shifted}), "disguise_shift").verdict is Verdict.WARN
    rng = np.random.default_rng(2)
    noisy = [str(int(age) + n) for age, n in zip(ages, rng.integers(-9, 9, 60), strict=True)]
    assert [f.check for f in hidden_in({"v": ages}, {"v": noisy}).findings if "disguise" in f.check] == []


def test_shift_between__leaves_impossible_dates_and_mixed_texts_alone() -> None:
    days = [(f"2020-02-{20 + i}", f"2020-03-{20 + i}") for i in range(12)]
    assert shift_between(days) is None
    assert shift_between([("a", "b"), ("c", "d"), ("e", "f")]) is None


def test_disguises__sees_shortened_texts_that_still_differ() -> None:
    streets = [f"{100 + i} Oak Street Apt {i}" for i in range(30)]
    short = [street[:7] for street in streets]
    opinion = hidden_in({"a": streets}, {"a": short}, log_of(a=("address", "region_generalize")))
    finding = the_finding(opinion, "disguise_shortened")
    assert finding.verdict is Verdict.FAIL
    assert says(finding.message, "`a`…30 of 30 (100 %) values and 100 % of them are distinct")
    coarse = hidden_in({"a": streets}, {"a": [street[:1] for street in streets]})
    assert findings(coarse, "disguise_shortened") == []


def test_disguises__sees_numbers_that_keep_their_order() -> None:
    rng = np.random.default_rng(5)
    exact = rng.choice(100_000, 50, replace=False)
    rounded = [str(round(n, -1)) for n in exact]
    opinion = hidden_in({"v": exact.astype(str).tolist()}, {"v": rounded}, log_of(v=("income", "round")))
    assert the_finding(opinion, "disguise_order_kept").verdict is Verdict.FAIL
    coarse = [str(n // 3_000) for n in exact]
    halved = hidden_in({"v": exact.astype(str).tolist()}, {"v": coarse}, highly_distinct_share=0.3)
    assert the_finding(halved, "disguise_order_kept").verdict is Verdict.WARN


def test_disguises__a_generalization_that_merges_nothing_is_none() -> None:
    rng = np.random.default_rng(5)
    days = [date(2025, 1, 1) + timedelta(days=int(n)) for n in rng.integers(0, 80, 200)]  # some 75 different
    original = {"d": [day.isoformat() for day in days]}
    numbers = [str((day - date(1970, 1, 1)).days) for day in days]
    coarser = log_of(d=("event", "generalize"))
    opinion = hidden_in(original, {"d": numbers}, coarser)
    assert the_finding(opinion, "disguise_order_kept").verdict is Verdict.FAIL
    weeks = [str(int(n) // 7) for n in numbers]  # merged, as the log says
    assert findings(hidden_in(original, {"d": weeks}, coarser), "disguise_order_kept") == []
    years = {"d": [str(1930 + n) for n in rng.integers(0, 40, 200)]}  # as coarse before as after
    floored = {"d": [f"{year}-01-01" for year in years["d"]]}
    assert (
        findings(hidden_in(years, floored, log_of(d=("birthdate", "date_floor_year"))), "disguise_order_kept")
        == []
    )


def test_disguises__warns_of_noise_that_hardly_changes_the_order() -> None:
    rng = np.random.default_rng(2)
    exact = rng.normal(50_000, 9_000, 300)
    for noise, verdicts in ((5, [Verdict.WARN]), (9_000, [])):
        noisy = (exact + rng.normal(0, noise, 300)).round(2).astype(str).tolist()
        opinion = hidden_in({"v": exact.round(2).astype(str).tolist()}, {"v": noisy})
        assert [f.verdict for f in findings(opinion, "disguise_order_nearly_kept")] == verdicts


def _wide(text: bytes) -> bytes:
    return base64.b64encode(text.decode().encode("utf-16"))


MANY = [f"{10_000_000 + 37 * int(n)}" for n in np.random.default_rng(1).permutation(60)]
DAYS = [date(1950, 1, 1) + timedelta(days=int(n)) for n in np.random.default_rng(1).permutation(900)[:60]]
DECIMALS = np.random.default_rng(1).normal(50, 9, 60).round(3).astype(str).tolist()
PEOPLE = [f"Person {n * 7919 % 1000}" for n in range(60)]
PSEUDONYM = ("patient_id", "pseudonymize")
KEPT, CODED = "disguise_order_kept", "disguise_encoding"
ISO, CODES = [day.isoformat() for day in DAYS], [f"PT{n}" for n in MANY]
DATE_FORMS = ("%d.%m.%Y", "%m/%d/%Y", "%B %d, %Y", "%Y년 %m월 %d일", "%y%m%d", "%Y-%j")
NUMBER_FORMS = ("{:.2f}", "{:,.2f}", "K{:.0f}", "{:x}", "-{:.0f}")
ENCODINGS = (base64.b32encode, lambda text: base64.b64encode(base64.b64encode(text)), _wide)
RESPELLED: list[tuple[str, tuple[str, str], list[str], list[str]]] = [
    *((KEPT, ("event", "x"), ISO, [day.strftime(form) for day in DAYS]) for form in DATE_FORMS),
    *((KEPT, PSEUDONYM, CODES, [form.format(int(n) * 3 + 7) for n in MANY]) for form in NUMBER_FORMS),
    (KEPT, ("other", "keep"), DECIMALS, [number.replace(".", ",") for number in DECIMALS]),
    *((CODED, PSEUDONYM, PEOPLE, [code(one.encode()).decode() for one in PEOPLE]) for code in ENCODINGS),
]


def test_disguises__sees_dates_numbers_and_names_in_another_spelling() -> None:
    def holds(check: str, entry: tuple[str, str], original: list[str], respelled: list[str]) -> None:
        opinion = hidden_in({"v": original}, {"v": respelled}, log_of(v=entry))
        assert the_finding(opinion, check).verdict is Verdict.FAIL

    holds_for_each(RESPELLED, holds)


def test_disguises__a_coarse_column_kept_beside_its_changed_self_is_worth_a_warning() -> None:
    ages = [str(20 + n % 12) for n in range(60)]
    bands = {"age": ["20-31"] * 60}
    assert the_finding(hidden_in({"age": ages}, {**bands, "age_raw": ages}), "disguise_copy").verdict is (
        Verdict.WARN
    )


def test_disguises__sees_originals_inside_other_texts() -> None:
    rng = np.random.default_rng(4)
    names = [f"Tra{a}{b}vik" for a in "abcdefgh" for b in "klmnopqr"]
    notes = [
        f"Seen today, {name} feels better." if i % 10 == 0 else f"Nothing new on day {rng.integers(99)}."
        for i, name in enumerate(names)
    ]
    ward = {"ward": ["A", "B"] * 32}
    opinion = hidden_in(
        {**ward, "name": names, "note": [f"Raw {i}" for i in range(64)]},
        {**ward, "name": [None] * 64, "note": notes},
        log_of(ward=("ward", "keep"), name=("name", "drop"), note=("note", "clean")),
    )
    finding = the_finding(opinion, "disguise_inside")
    assert (finding.verdict, finding.column, finding.n_affected) == (Verdict.FAIL, "note", 7)
    assert says(finding.message, "`note`…`name` inside: 7 of 64 (10.9 %)")


@pytest.mark.parametrize("wrap", ["P-{}", "{}X", "0{}0", "환자{}님"])
def test_disguises__sees_originals_that_were_only_wrapped(wrap: str) -> None:
    ids = [str(10_000 + i * 7919 % 89_999) for i in range(40)]
    opinion = hidden_in(
        {"id": ids}, {"id": [wrap.format(value) for value in ids]}, log_of(id=("patient_id", "pseudonymize"))
    )
    assert says(the_finding(opinion, "disguise_inside").message, "`id`…its original…40 of 40 (100 %)")


HELD = [
    ("called Novak today", "novak", True, True),
    ("called Novakov today", "novak", True, False),
    ("xNovak", "Novak", True, False),
    ("xNovak", "Novak", False, True),
    ("김민준님은", "김민준", True, True),
    ("he is 45", "45", True, False),
    ("Novak", "Novak", True, False),
    ("somebody else", "Novak", True, False),
]


def test_holds__wants_words_of_some_length() -> None:
    for text, original, as_word, expected in HELD:
        assert holds(text, original, as_word=as_word) is expected, (text, original)


# --- semantic sanity


def test_sanity__sees_identifiers_that_the_log_lets_through() -> None:
    names = ["김민준", "이서연", "박지훈", "최수빈", "정예은", "강도윤"]
    opinion = opinion_on({"c1": names}, {"c1": names[::-1]}, log_of(c1=("other", "keep")))
    finding = the_finding(opinion, "looks_like_identifier")
    assert (finding.verdict, finding.column) == (Verdict.FAIL, "c1")
    assert says(finding.message, "`c1`…`other` / `keep`…(person's name)…100 %…Korean names")


def test_sanity__an_unsure_guess_is_a_warning_and_an_unlogged_column_counts_too() -> None:
    texts = [f"Day {i}, knee" for i in range(40)]
    opinion = opinion_on({"x": NUMBERS * 4}, {"items2": texts}, log_of())
    finding = the_finding(opinion, "looks_like_identifier")
    assert finding.verdict is Verdict.WARN
    assert says(finding.message, "`items2` is not logged…(identifier by distinctness)")


def test_sanity__trusts_what_was_logged_with_a_meaning_and_an_action() -> None:
    opinion = opinion_on(*well_anonymized())
    assert findings(opinion, "looks_like_identifier") == []


def test_sanity__counts_cells_with_sensitive_patterns() -> None:
    remarks = ["ok"] * 38 + ["call 010-1234-5678", "mail a@b.si"]
    opinion = opinion_on({"remark": ["x"] * 40}, {"remark": remarks}, log_of(remark=("other", "keep")))
    finding = the_finding(opinion, "holds_sensitive_pattern")
    assert (finding.verdict, finding.n_affected) == (Verdict.WARN, 2)
    assert says(finding.message, "2 of 40 (5.0 %) cells of `remark`…`other` / `keep`")


# --- pseudonyms


def pseudonymized(originals: list[str], pseudonyms: list[str | None], **thresholds: float) -> dict[str, str]:
    """Return what is said about the pseudonyms of a table in which another column keeps its rows."""
    if len(originals) == len(pseudonyms):  # enough rows to show that they are in order
        originals, pseudonyms = originals * 10, pseudonyms * 10
    rows = [f"r{i % 7}" for i in range(len(pseudonyms))]
    opinion = opinion_on(
        {"id": originals, "r": [f"r{i % 7}" for i in range(len(originals))]},
        {"id": pseudonyms, "r": rows},
        log_of(id=("patient_id", "pseudonymize"), r=("ward", "keep")),
        **thresholds,
    )
    return {check: message for check, message in concerns(opinion).items() if "pseudonym" in check}


def test_pseudonyms__one_to_one_raises_nothing() -> None:
    assert pseudonymized(["a", "b", "a", "c"], ["k1", "k2", "k1", "k3"]) == {}


def test_pseudonyms__counts_originals_with_several_and_pseudonyms_for_several() -> None:
    found = pseudonymized(["a", "a", "b", "c"], ["k1", "k2", "k3", "k3"])
    assert found.keys() == {"original_with_several_pseudonyms", "pseudonym_for_several_originals"}
    assert all(message.startswith("1 of 3 (33.3 %) ") for message in found.values())


def test_pseudonyms__are_compared_as_written() -> None:
    assert pseudonymized(["a", "b"], ["0e11223344", "0e55667788"]) == {}


def test_pseudonyms__equal_to_the_original_hide_nothing() -> None:
    originals = [f"p{i}" for i in range(200)]
    pseudonyms = ["p0", *(f"k{i}" for i in range(199))]
    opinion = opinion_on({"id": originals}, {"id": pseudonyms}, log_of(id=("patient_id", "pseudonymize")))
    finding = the_finding(opinion, "pseudonym_equals_original")
    assert (finding.verdict, finding.n_affected) == (Verdict.WARN, 1)
    assert finding.message.startswith("1 of 200 pseudonyms of `id` ")
    strict = opinion_on(
        {"id": originals},
        {"id": pseudonyms},
        log_of(id=("patient_id", "pseudonymize")),
        pseudonym_unchanged_share=0.001,
    )
    assert the_finding(strict, "pseudonym_equals_original").verdict is Verdict.FAIL


def test_pseudonyms__that_are_the_originals_of_other_rows_fail() -> None:
    originals = [f"k{i}" for i in range(100)]
    rest = {"r": [str(i % 7) for i in range(100)]}
    log = log_of(id=("patient_id", "pseudonymize"), r=("ward", "keep"))
    rotated = opinion_on({"id": originals, **rest}, {"id": originals[1:] + originals[:1], **rest}, log)
    finding = the_finding(rotated, "pseudonym_is_an_original")
    assert (rotated.verdict, finding.verdict, finding.n_affected) == (Verdict.FAIL, Verdict.FAIL, 100)
    assert finding.message.startswith("100 of 100 (100 %) pseudonyms of `id` ")
    some = originals[1:11] + [f"n{i}" for i in range(90)]
    partly = opinion_on({"id": originals, **rest}, {"id": some, **rest}, log)
    assert the_finding(partly, "pseudonym_is_an_original").verdict is Verdict.WARN


def test_pseudonyms__of_another_order_are_compared_by_frequency() -> None:
    rows = {"r": [str(i) for i in range(6)]}
    log = log_of(id=("patient_id", "pseudonymize"), r=("ward", "keep"))
    originals = ["a", "a", "b", "b", "c", "c"]
    agreeing = opinion_on({"id": originals, **rows}, {"id": list("xyzxyz"), "r": rows["r"][::-1]}, log)
    assert findings(agreeing, "pseudonyms_not_one_to_one") == []
    differing = opinion_on({"id": originals, **rows}, {"id": list("xxxyzw"), "r": rows["r"][::-1]}, log)
    told = the_finding(differing, "pseudonyms_not_one_to_one").message
    assert says(told, "`id`…4 pseudonyms for 3 original values")


def test_pseudonyms__of_another_length_are_compared_as_sets_and_not_assessed_further() -> None:
    fits = pseudonymized(["a", "a", "b", "c"], ["k1", "k1", "b"])
    assert fits.keys() == {"pseudonym_equals_original"}
    said = pseudonymized(["a", "a", "b", "b"], ["k1", "k2", "k2", "k3", "k3", "b"])
    assert said.keys() == {"pseudonym_equals_original", "pseudonyms_one_to_one"}
    assert said["pseudonym_equals_original"].startswith("1 of 6 (16.7 %) ")
    assert "not assessed" in said["pseudonyms_one_to_one"]


def test_pseudonyms__one_for_each_record_is_said_and_no_worry() -> None:
    originals = [f"p{i // 3}" for i in range(30)]
    columns = {"id": originals, "code": [str(i % 7) for i in range(30)]}
    log = log_of(id=("patient_id", "pseudonymize"), code=("other", "keep"))
    own = opinion_on(columns, {**columns, "id": [f"k{i * 7919 % 101}" for i in range(30)]}, log)
    finding = the_finding(own, "pseudonym_for_each_record")
    assert (finding.verdict, finding.n_affected) == (Verdict.PASS, 30)
    assert findings(own, "original_with_several_pseudonyms") == []
    nearly = opinion_on(columns, {**columns, "id": [f"k{i * 7919 % 29}" for i in range(30)]}, log)
    assert findings(nearly, "pseudonym_for_each_record") == []
    assert len(findings(nearly, "original_with_several_pseudonyms")) == 1


# --- classes


def test_classes__names_the_quasi_identifier_that_contributes_most() -> None:
    columns = {"sex": ["M", "F"] * 10, "zip": [str(1_000 + i) for i in range(20)]}
    log = log_of(sex=("gender", "keep"), zip=("zipcode", "mask_zip_leading"))
    opinion = opinion_on(columns, columns, log)
    smallest = the_finding(opinion, "smallest_class").message
    assert says(smallest, "`sex` and `zip` has 1 record, fewer than 5: 20 of 20 (100 %)…`zip`…100 %…0 %")
    table = opinion.tables["quasi_identifiers"]
    assert table["quasi_identifier"].tolist() == ["zip", "sex"]
    assert table["k_without"].tolist() == [10, 1]


def test_classes__the_limit_moves_without_measuring_again() -> None:
    columns = {"sex": ["M"] * 4 + ["F"] * 6}
    measured = measure_second_opinion(dataset(columns), dataset(columns), log_of(sex=("gender", "keep")))
    for k, verdict in ((4, Verdict.PASS), (5, Verdict.FAIL)):
        opinion = judge_second_opinion(measured, thresholds=SecondOpinionThresholds(smallest_k=k))
        assert the_finding(opinion, "smallest_class").verdict is verdict


def test_classes__records_blank_in_all_quasi_identifiers_are_left_out() -> None:
    opinion = opinion_on({"sex": ["M", "F"]}, {"sex": [None, None]}, log_of(sex=("gender", "suppress")))
    finding = the_finding(opinion, "smallest_class")
    assert finding.verdict is Verdict.PASS
    assert says(finding.message, "Every record is blank in `sex`")


def test_classes__blank_quasi_identifiers_do_not_hide_those_the_log_does_not_name() -> None:
    columns = {"sex": [None] * 6, "age": [str(n) for n in range(30, 36)]}
    opinion = opinion_on(
        {**columns, "sex": ["M"] * 6}, columns, log_of(sex=("gender", "x"), age=("other", "x"))
    )
    assert the_finding(opinion, "looks_like_quasi_identifier").verdict is Verdict.WARN


def test_classes__without_quasi_identifiers_are_not_assessed_but_proposed() -> None:
    opinion = opinion_on(
        {"x": ["M", "F"] * 3, "age": NUMBERS[:6]},
        {"x": ["M", "F"] * 3, "age": ["1"] * 3 + ["2"] * 3},
        log_of(),
    )
    finding = the_finding(opinion, "no_quasi_identifier")
    assert finding.verdict is Verdict.NOT_ASSESSED
    assert says(finding.message, "Proposed: `age` and `x`…1 record…6 of 6 (100 %)…smaller than 5")
    assert opinion.verdict.severity >= Verdict.WARN.severity


def test_classes__without_anything_like_a_quasi_identifier_ask_the_person() -> None:
    opinion = opinion_on({"x": ["p"] * 4}, {"x": ["p"] * 4}, log_of(x=("other", "keep")))
    assert "No column looks like one" in the_finding(opinion, "no_quasi_identifier").message
    assert opinion.tables["quasi_identifiers"].empty


def test_classes__warn_of_quasi_identifiers_that_the_log_does_not_name() -> None:
    columns = {"sex": ["M", "F"] * 10, "birth_date": [str(1940 + i) for i in range(20)]}
    log = log_of(sex=("gender", "keep"), birth_date=("birthdate", "date_floor_year"))
    finding = the_finding(opinion_on(columns, columns, log), "looks_like_quasi_identifier")
    assert (finding.verdict, finding.column) == (Verdict.WARN, "birth_date")
    assert says(finding.message, "1 column…`birth_date`…1 record…20 of 20 (100 %)…smaller than 5")


def test_classes__a_chosen_set_is_taken_as_it_is() -> None:
    columns = {"sex": ["M", "F"] * 10, "birth_date": [str(1940 + i) for i in range(20)]}
    settings = SecondOpinionSettings(quasi_identifiers=("sex",))
    opinion = opinion_on(columns, columns, log_of(sex=("gender", "keep")), settings=settings)
    assert the_finding(opinion, "smallest_class").verdict is Verdict.PASS
    assert findings(opinion, "looks_like_quasi_identifier") == []


def test_classes__a_chosen_column_must_exist() -> None:
    with pytest.raises(AuditInputError) as error:
        opinion_on(
            {"a": ["1"]}, {"a": ["1"]}, settings=SecondOpinionSettings(quasi_identifiers=("a", "b", "c"))
        )
    assert ["`b`" in error.value.problems[0], "`c`" in error.value.problems[1]] == [True, True]


# --- settings, edges, figures


def test_settings__say_what_is_wrong() -> None:
    with pytest.raises(AuditInputError) as error:
        SecondOpinionSettings(over_share=1.0, largest_set=4, search_budget=0, sample_size=0)
    names = ["over_share", "largest_set", "search_budget", "sample_size"]
    assert [problem.split()[0] for problem in error.value.problems] == names


def test_thresholds__say_what_is_wrong() -> None:
    with pytest.raises(AuditInputError) as error:
        SecondOpinionThresholds(
            left_unchanged_share=0.4, highly_distinct_share=1.5, smallest_k=0, relinkage_warn_share=0.3
        )
    names = ["left_unchanged_share", "highly_distinct_share", "smallest_k", "relinkage_warn_share"]
    assert [problem.split()[0] for problem in error.value.problems] == names


def test_measure__takes_one_record_and_tables_without_a_common_column() -> None:
    one = opinion_on({"a": ["1"]}, {"a": ["1"]})
    assert the_finding(one, "relinkage").n_affected == 1
    apart = opinion_on({"a": ["1"]}, {"b": ["2"]})
    assert the_finding(apart, "relinkage").verdict is Verdict.PASS
    assert apart.verdict is Verdict.NOT_ASSESSED


def test_figures__hold_what_is_shown_and_none_for_not_assessed() -> None:
    original, anonymized, log = well_anonymized()
    measured = measure_second_opinion(dataset(original), dataset(anonymized), log)
    opinion = judge_second_opinion(measured)
    figures = (*figures_of_file(measured, opinion), *figures_of_columns(measured, opinion))
    values = {(figure.measure, figure.of): figure.value for figure in figures}
    assert values["relinkage_share", ""] == 0
    assert values["k", "age, gender, region, visit_date"] == 6
    assert values["unchanged_share", "gender"] == 1
    assert values["pseudonym_unchanged_share", "patient_id"] == 0
    assert values["unique_without_share", "age"] == 0
    bare = measure_second_opinion(
        dataset({"a": NUMBERS}), dataset({"a": NUMBERS}), log_of(a=("other", "keep"))
    )
    figures = figures_of_file(bare, judge_second_opinion(bare))
    by_measure = {figure.measure: figure for figure in figures}
    assert by_measure["k"].value is None
    assert by_measure["k"].verdict is Verdict.NOT_ASSESSED
    assert (by_measure["n_relinkage_columns"].value, by_measure["n_relinkage_columns"].of) == (1, "a")
    assert by_measure["relinkage_share"].verdict is Verdict.FAIL


def test_messages__hold_no_cell_value() -> None:
    secret = [f"Zq{i}Secret" for i in range(30)]
    columns = {"name": secret, "sex": ["M", "F"] * 15}
    opinion = opinion_on(columns, columns)
    assert not any("Secret" in finding.message for finding in opinion.findings)
    assert not any("Secret" in frame.to_string() for frame in opinion.tables.values())


@pytest.mark.parametrize("chosen", [("age",), ("age", "sex"), ()])
def test_with_quasi_identifiers__is_the_same_as_measuring_again(chosen: tuple[str, ...]) -> None:
    original, anonymized, log = well_anonymized()
    tables = dataset(original), dataset(anonymized)
    names = tuple(name for name in tables[1].columns if name in chosen)
    measured = measure_second_opinion(*tables, log)
    again = measure_second_opinion(*tables, log, settings=SecondOpinionSettings(quasi_identifiers=names))
    changed = with_quasi_identifiers(measured, tables[1], names)
    assert judge_second_opinion(changed).findings == judge_second_opinion(again).findings
    assert changed.settings == again.settings


def test_with_quasi_identifiers__refuses_a_column_that_is_not_there() -> None:
    original, anonymized, log = well_anonymized()
    measured = measure_second_opinion(dataset(original), dataset(anonymized), log)
    with pytest.raises(AuditInputError, match="`salary` is not a column of the anonymized table"):
        with_quasi_identifiers(measured, dataset(anonymized), ["salary"])


def test_free_text__is_read_in_the_anonymized_table() -> None:
    words = "came with mild pain after work and slept badly was told to rest call again soon".split()
    rows = np.random.default_rng(0).integers(0, len(words), (60, 9))
    notes = [" ".join(words[i] for i in row) for row in rows]
    released = {"group": ["a", "b"] * 30, "note": notes}
    told = {one.check: one for one in opinion_on(released, released).findings}
    assert told["text_not_read"].verdict is Verdict.NOT_ASSESSED
    assert "looks_like_identifier" not in {check for check, one in told.items() if one.column == "note"}
    measured = measure_second_opinion(dataset(released), dataset(released), keep_all(released))
    read = {"note": Reading(58), "comment": Reading(3)}
    judged = judge_second_opinion(measured, read=read)
    assert "text_read" in {one.check for one in judged.findings}
    assert judged.read == {"note": Reading(58)}
    named = {**released, "note": [*notes[:-1], "called by Mary Brown about the pain at work"]}
    told = {one.check: one for one in opinion_on(released, named).findings}
    assert (told["people_in_text"].verdict, told["people_in_text"].n_affected) == (Verdict.FAIL, 1)
