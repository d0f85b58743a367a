import base64
import codecs
import hashlib
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from functools import partial

import numpy as np
import pytest

from core.errors import AuditInputError
from core.people.free_text import Reading
from core.tabular.second_opinion import (
    SecondOpinionSettings,
    SecondOpinionThresholds,
    judge_second_opinion,
    measure_second_opinion,
    with_quasi_identifiers,
)
from core.tabular.second_opinion.result import figures_of_columns, figures_of_file, tables_of_opinion
from core.tabular.second_opinion.transforms import holds, shift_between
from core.verdict import Verdict
from tests.cases.table import holds_for_each, read_cases, says
from tests.second_opinion_examples import (
    concerns,
    dataset,
    findings,
    hidden_in,
    holds_in,
    keep_all,
    log_of,
    opinion_on,
    relinked_in,
    the_finding,
    well_anonymized,
)

NUMBERS = [str(n) for n in range(10)]


def texts(values: Iterable[object]) -> list[str]:
    return [str(value) for value in values]


CASES = read_cases("second_opinion.txt")


@pytest.mark.slow
@pytest.mark.parametrize("part", CASES)
def test_checks__of_tables_of_a_few_columns(part: str) -> None:
    holds_for_each(CASES[part], partial(holds_in, part))


# --- a sound anonymization raises no alarm


@pytest.mark.parametrize("language", ["english", "korean", "slovenian"])
def test_judge__passes_a_sound_anonymization(language: str) -> None:
    opinion = opinion_on(*well_anonymized(language))
    assert opinion.verdict is Verdict.PASS
    assert concerns(opinion) == {}


@pytest.mark.slow
def test_judge__passes_a_sound_anonymization_reordered_and_with_records_suppressed() -> None:
    original, anonymized, log = well_anonymized()
    order = np.random.default_rng(1).permutation(len(original["age"]))
    shuffled = {name: [values[i] for i in order] for name, values in anonymized.items()}
    opinion = opinion_on(original, shuffled, log)
    assert concerns(opinion) == {}
    assert the_finding(opinion, "row_order_changed").verdict is Verdict.PASS
    original, anonymized, log = well_anonymized()
    kept = {name: values[:1_150] for name, values in anonymized.items()}
    opinion = opinion_on(original, kept, log)
    assert concerns(opinion) == {}
    k = the_finding(opinion, "smallest_class").message.split(" has ")[1].split(";")[0]
    fewer = the_finding(opinion, "row_count_differs").message
    assert says(fewer, f"50 records fewer…(1,150 against 1,200)…small groups…at least {k}.")
    warned = the_finding(opinion_on(original, kept, log, smallest_k=1_000), "row_count_differs")
    assert (warned.verdict, "small groups" in warned.message) == (Verdict.WARN, False)


# --- unchanged columns


def test_unchanged__equal_as_text_number_or_date_and_by_values_where_shuffled() -> None:
    spelled = (["25023", "25024", " 7"], ["2020-01-02", "2020/1/3", "2020-01-04"])
    otherwise = (["25023.0", "25024.00", "7"], ["2020-01-02 00:00:00", "2020-01-03", "2020-01-04"])
    halves = (["1", "2", None, None], ["1", None, None, "4"])
    for before, after, counts in (
        (spelled[0], otherwise[0], (3, 3, 1.0, 3, 3, 1.0)),
        (spelled[1], otherwise[1], (3, 3, 1.0, 3, 3, 1.0)),
        (*halves, (1, 2, 0.5, 2, 2, 1.0)),
        ([None], [None], (0, 0, None, 0, 0, None)),
        ([f"N{i}" for i in range(40)], [f"N{i}" for i in range(20)], (20, 20, 1.0, 40, 40, 1.0)),
    ):
        (one,) = measure_second_opinion(dataset({"a": before}), dataset({"a": after}), log_of()).columns
        found = (one.n_unchanged, one.n_compared, one.unchanged_share)
        assert (*found, one.n_distinct_original, one.n_filled_original, one.distinct_share) == counts
    columns = {"a": [f"N{i}" for i in range(30)], "b": [str(i % 3) for i in range(30)]}
    turned = {name: values[::-1] for name, values in columns.items()}
    assert the_finding(opinion_on(columns, turned), "unchanged_distinct_column").column == "a"
    assert [row[-1] for row in _rows("Unchanged columns", columns, turned)] == ["values", "values"]


# --- re-linkage


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


def test_relinkage__takes_off_what_chance_gives() -> None:
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
    rng = np.random.default_rng(3)
    original = {f"v{j}": rng.integers(0, 4, 500).astype(str) for j in range(6)}
    shuffled = {name: rng.permutation(cells).tolist() for name, cells in original.items()}
    opinion = relinked_in({name: cells.tolist() for name, cells in original.items()}, shuffled)
    assert findings(opinion, "relinkage_by_partly_unchanged") == []


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


# --- disguises

PSEUDONYM = ("patient_id", "pseudonymize")
WORDS = [f"{letter}{i * 7919 % 100_003:05d}" for i, letter in enumerate("QWERTZUIOP" * 4)]


@pytest.mark.slow
def test_judge__takes_a_table_of_very_many_columns() -> None:
    original = {f"c{i}": ["1", "2", "3", str(i)] for i in range(150)}
    opinion = opinion_on(original, {name: ["x", "y", "x", "y"] for name in original})
    assert "not assessed for 22,350 pairs of columns" in the_finding(opinion, "disguises").message
    assert the_finding(opinion_on(original, original), "relinkage").verdict is Verdict.FAIL


def _digest(name: str, text: str) -> str:
    return hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()


DASHED = [f"{word[:2]}-{word[2:]}" for word in WORDS]
IN_ANY_ORDER = [
    ("hash", WORDS, "an unsalted MD5 hash", lambda v: _digest("md5", v)),
    ("hash", WORDS, "an unsalted SHA-1 hash", lambda v: _digest("sha1", v)),
    ("hash", WORDS, "an unsalted SHA-256 hash", lambda v: _digest("sha256", v)[:12]),
    ("hash", WORDS, "an unsalted SHA-256 hash", lambda v: "P_" + _digest("sha256", v.lower()).upper()),
    (
        "hash",
        WORDS,
        "an unsalted SHA-512 hash",
        lambda v: base64.b64encode(hashlib.sha512(v.encode()).digest()).decode(),
    ),
    ("encoding", DASHED, "the original in Base64", lambda v: base64.b64encode(v.encode()).decode()),
    ("encoding", DASHED, "the original in hexadecimal", lambda v: v.encode().hex()),
    ("encoding", DASHED, "the original in ROT13", lambda v: codecs.encode(v, "rot13")),
    ("encoding", DASHED, "the original written backwards", lambda v: v[::-1]),
    ("encoding", DASHED, "the original in other letter case or without spaces and signs", str.lower),
    (
        "encoding",
        DASHED,
        "the original in other letter case or without spaces and signs",
        lambda v: v.replace("-", ""),
    ),
]


@pytest.mark.slow
def test_disguises__sees_unsalted_hashes_and_encodings_in_any_order() -> None:
    def holds(check: str, originals: list[str], how: str, disguise: Callable[[str], str]) -> None:
        tokens = [disguise(one) for one in originals]
        for released in (tokens, tokens[::-1]):
            opinion = hidden_in({"id": originals}, {"id": released}, log_of(id=PSEUDONYM))
            finding = the_finding(opinion, f"disguise_{check}")
            assert (finding.verdict, finding.column, finding.n_affected) == (Verdict.FAIL, "id", 40)
            assert says(finding.message, f"`id` are {how}: 40 of 40 (100 %)")

    holds_for_each(IN_ANY_ORDER, holds)


def test_disguises__hashes_of_other_columns_of_categories_and_with_a_secret() -> None:
    names = [f"김{chr(0xAC00 + 28 * i)}수" for i in range(20)]
    tokens = [hashlib.md5(name.encode("cp949"), usedforsecurity=False).hexdigest() for name in names]
    log = log_of(name=("name", "drop"), id=PSEUDONYM)
    opinion = hidden_in({"name": names, "id": [str(i) for i in range(20)]}, {"id": tokens}, log)
    told = the_finding(opinion, "disguise_hash").message
    assert says(told, "`id` are an unsalted MD5 hash…`name`: 20 of 20")
    coarse = ["Single", "Married", "Widowed", "Divorced"] * 10
    hashed = hidden_in({"m": coarse}, {"m": [_digest("sha256", value) for value in coarse]})
    assert the_finding(hashed, "disguise_hash").verdict is Verdict.WARN
    rng = np.random.default_rng(3)
    keyed = [hashlib.sha256(b"\x07unguessable \xfe" + word.encode()).hexdigest() for word in WORDS]
    for tokens in (keyed, [rng.bytes(6).hex() for _ in WORDS]):  # near misses
        opinion = hidden_in({"id": WORDS}, {"id": tokens}, log_of(id=PSEUDONYM))
        assert [f.check for f in opinion.findings if f.check.startswith("disguise")] == []


def test_classes__beyond_fifty_quasi_identifiers_no_contribution_is_measured() -> None:
    columns = {f"c{i}": ["1", "2"] for i in range(51)}
    settings = SecondOpinionSettings(quasi_identifiers=tuple(columns))
    message = the_finding(opinion_on(columns, columns, settings=settings), "smallest_class").message
    assert message.endswith("fewer than 5: 2 of 2 (100 %) records are in groups that small.")


def test_shift_between__leaves_impossible_dates_and_mixed_texts_alone() -> None:
    days = [(f"2020-02-{20 + i}", f"2020-03-{20 + i}") for i in range(12)]
    assert shift_between(days) is None
    assert shift_between([("a", "b"), ("c", "d"), ("e", "f")]) is None


def test_disguises__sees_shortened_texts_and_originals_inside_other_texts() -> None:
    streets = [f"{100 + i} Oak Street Apt {i}" for i in range(30)]
    short = [street[:7] for street in streets]
    opinion = hidden_in({"a": streets}, {"a": short}, log_of(a=("address", "region_generalize")))
    finding = the_finding(opinion, "disguise_shortened")
    assert finding.verdict is Verdict.FAIL
    assert says(finding.message, "`a`…30 of 30 (100 %) values and 100 % of them are distinct")
    coarse = hidden_in({"a": streets}, {"a": [street[:1] for street in streets]})
    assert findings(coarse, "disguise_shortened") == []
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


@pytest.mark.slow
def test_disguises__sees_numbers_that_keep_their_order_or_nearly() -> None:
    rng = np.random.default_rng(5)
    exact = rng.choice(100_000, 50, replace=False)
    rounded = [str(round(n, -1)) for n in exact]
    opinion = hidden_in({"v": exact.astype(str).tolist()}, {"v": rounded}, log_of(v=("income", "round")))
    assert the_finding(opinion, "disguise_order_kept").verdict is Verdict.FAIL
    coarse = [str(n // 3_000) for n in exact]
    halved = hidden_in({"v": exact.astype(str).tolist()}, {"v": coarse}, highly_distinct_share=0.3)
    assert the_finding(halved, "disguise_order_kept").verdict is Verdict.WARN
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
KEPT, CODED, SHIFT = "disguise_order_kept", "disguise_encoding", "disguise_shift"
ISO, CODES = [day.isoformat() for day in DAYS], [f"PT{n}" for n in MANY]
DATE_FORMS = ("%d.%m.%Y", "%m/%d/%Y", "%y%m%d", "%Y-%j")
NUMBER_FORMS = ("{:.2f}", "{:,.2f}", "K{:.0f}", "{:x}", "-{:.0f}")
ENCODINGS = (base64.b32encode, lambda text: base64.b64encode(base64.b64encode(text)), _wide)
VISITS = [f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(84)]
WRAPS = ("P-{}", "{}X", "0{}0", "환자{}님")
THREES = [i * 3 for i in range(50)]
SHIFTED, INSIDE = ("other", "shift"), "`v`…its original…60 of 60 (100 %)"
RESPELLED: list[tuple[str, tuple[str, str], list[str], list[str], str]] = [
    *((KEPT, ("event", "x"), ISO, [day.strftime(form) for day in DAYS], "") for form in DATE_FORMS),
    *((KEPT, PSEUDONYM, CODES, [form.format(int(n) * 3 + 7) for n in MANY], "") for form in NUMBER_FORMS),
    (CODED, ("other", "keep"), DECIMALS, [number.replace(".", ",") for number in DECIMALS], ""),
    *((CODED, PSEUDONYM, PEOPLE, [code(one.encode()).decode() for one in PEOPLE], "") for code in ENCODINGS),
    (
        SHIFT,
        SHIFTED,
        VISITS,
        texts(np.datetime64(day) + 17 for day in VISITS),
        "`v` are dates shifted by one c",
    ),
    (
        SHIFT,
        SHIFTED,
        texts(THREES),
        texts(i + 100 for i in THREES),
        "`v` are the original plus one constant: ",
    ),
    (
        SHIFT,
        SHIFTED,
        texts(THREES),
        texts(i * 2.5 for i in THREES),
        "`v` are the original times one constant: ",
    ),
    *(("disguise_inside", PSEUDONYM, MANY, [form.format(one) for one in MANY], INSIDE) for form in WRAPS),
]


@pytest.mark.slow
def test_disguises__sees_dates_numbers_and_names_in_another_spelling_and_no_noise() -> None:
    def holds(check: str, entry: tuple[str, str], before: list[str], after: list[str], told: str) -> None:
        finding = the_finding(hidden_in({"v": before}, {"v": after}, log_of(v=entry)), check)
        assert finding.verdict is Verdict.FAIL
        assert says(finding.message, told), finding.message

    holds_for_each(RESPELLED, holds)
    ages = [20 + i % 5 for i in range(60)]
    noisy = ages + np.random.default_rng(2).integers(-9, 9, 60)
    found = hidden_in({"v": texts(ages)}, {"v": texts(noisy)}).findings
    assert [one.check for one in found if "disguise" in one.check] == []


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


# --- pseudonyms


def pseudonymized(originals: list[str], pseudonyms: list[str]) -> dict[str, str]:
    """Return what is said about the pseudonyms of a table in which another column keeps its rows."""
    if len(originals) == len(pseudonyms):  # enough rows to show that they are in order
        originals, pseudonyms = originals * 10, pseudonyms * 10
    opinion = opinion_on(
        {"id": originals, "r": [f"r{i % 7}" for i in range(len(originals))]},
        {"id": pseudonyms, "r": [f"r{i % 7}" for i in range(len(pseudonyms))]},
        log_of(id=PSEUDONYM, r=("ward", "keep")),
    )
    return {check: message for check, message in concerns(opinion).items() if "pseudonym" in check}


@pytest.mark.slow
def test_pseudonyms__are_one_to_one_as_written_and_compared_as_sets_where_of_another_length() -> None:
    assert pseudonymized([*"abac"], ["k1", "k2", "k1", "k3"]) == {}
    assert pseudonymized(["a", "b"], ["0e11223344", "0e55667788"]) == {}
    found = pseudonymized([*"aabc"], ["k1", "k2", "k3", "k3"])
    assert found.keys() == {"original_with_several_pseudonyms", "pseudonym_for_several_originals"}
    assert all(message.startswith("1 of 3 (33.3 %) ") for message in found.values())
    assert pseudonymized([*"aabc"], ["k1", "k1", "b"]).keys() == {"pseudonym_equals_original"}
    said = pseudonymized([*"aabb"], ["k1", "k2", "k2", "k3", "k3", "b"])
    assert said.keys() == {"pseudonym_equals_original", "pseudonyms_one_to_one"}
    assert said["pseudonym_equals_original"].startswith("1 of 6 (16.7 %) ")
    assert "not assessed" in said["pseudonyms_one_to_one"]


# --- classes


def test_tables__of_columns_used_are_as_measured_and_empty_without_any() -> None:
    columns = {"sex": ["M", "F"] * 10, "zip": [str(1_000 + i) for i in range(20)]}
    log = log_of(sex=("gender", "keep"), zip=("zipcode", "mask_zip_leading"))
    rows = _rows("Quasi-identifiers", columns, columns, log)
    assert [(name, k) for name, _, _, k in rows] == [("zip", 10), ("sex", 1)]
    assert _rows("Quasi-identifiers", {"x": ["p"] * 4}, {"x": ["p"] * 4}) == []
    assert _rows("Re-linkage", {"a": NUMBERS}, {"a": ["x"] * 10}) == []


def _rows(title, original, anonymized, log=None):
    """Return the rows of one of the second opinion's tables."""
    tables = dataset(original), dataset(anonymized, "people_anonymized.csv")
    measured = measure_second_opinion(*tables, log or keep_all({**original, **anonymized}))
    return tables_of_opinion("people.csv", measured, judge_second_opinion(measured))[title].cells()


# --- settings, edges, figures


def test_settings__say_what_is_wrong() -> None:
    columns = {"a": ["1"]}
    for ask, wrong in (
        (SecondOpinionSettings, {"over_share": 1.0, "largest_set": 4, "search_budget": 0, "sample_size": 0}),
        (
            SecondOpinionThresholds,
            {
                "left_unchanged_share": 0.4,
                "highly_distinct_share": 1.5,
                "smallest_k": 0,
                "relinkage_warn_share": 0.3,
            },
        ),
    ):
        with pytest.raises(AuditInputError) as error:
            ask(**wrong)
        assert [problem.split()[0] for problem in error.value.problems] == [*wrong]
    with pytest.raises(AuditInputError) as error:
        opinion_on(columns, columns, settings=SecondOpinionSettings(quasi_identifiers=("a", "b", "c")))
    assert ["`b`" in error.value.problems[0], "`c`" in error.value.problems[1]] == [True, True]
    with pytest.raises(AuditInputError, match="`salary` is not a column of the anonymized table"):
        with_quasi_identifiers(
            measure_second_opinion(dataset(columns), dataset(columns), log_of()), dataset(columns), ["salary"]
        )


@pytest.mark.slow
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
    for title in ("Unchanged columns", "Re-linkage", "Pseudonyms", "Quasi-identifiers"):
        assert "Secret" not in repr(_rows(title, columns, columns))


@pytest.mark.one_of(3)
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
