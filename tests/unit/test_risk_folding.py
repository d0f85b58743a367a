"""Values as what they mean: spellings, close numbers, words for unknown."""

import numpy as np
import pyarrow as pa
import pytest

from core.attribute_disclosure import sensitive_counts
from core.coding import coded_column
from core.equivalence import classes_of_codes
from core.risk import RiskThresholds, judge_risk
from core.risk.folding import FoldedValues, distinct_meanings, fold_values, folded_text
from core.risk.settings import RiskSettings
from core.verdict import Verdict
from tests.risk_examples import measured, messages


def _folded(*values: str | None, **settings: object) -> FoldedValues:
    column = coded_column(pa.table({"x": pa.array(values, pa.string())}), "x")
    return fold_values(column, RiskSettings(quasi_identifiers=("a",), **settings))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HIV", "hiv"),
        ("H.I.V.", "HIV"),
        ("lung cancer", " lung  cancer "),
        ("lung_cancer", "Lung-Cancer"),
        ("ＨＩＶ", "HIV"),
        ("okužba", "okuz\u030cba"),
        ("covid-19", "COVID 19"),
    ],
)
def test_folded_text__is_the_same_for_another_spelling(one: str, other: str) -> None:
    assert len(set(folded_text(pa.array([one, other])).to_pylist())) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A+", "A-"),
        ("Rh-", "Rh"),
        ("<=50K", ">50K"),
        ("J45.0", "J4.50"),
        ("10-20", "1020"),
        ("5 %", "5"),
        ("-5", "5"),
    ],
)
def test_folded_text__keeps_signs_that_say_something(one: str, other: str) -> None:
    assert len(set(folded_text(pa.array([one, other])).to_pylist())) == 2


@pytest.mark.parametrize("word", ["unknown", "N/A", "not stated", "?", "-", "모름", "Ni podatka"])
def test_fold_values__counts_no_word_for_unknown(word: str) -> None:
    folded = _folded("flu", word, "cold")
    assert (folded.n_unknown, int(folded.group_of_value.max())) == (1, 1)
    assert folded.changes


@pytest.mark.parametrize("values", [("none", "flu"), ("+", "-"), ("no", "yes"), ("not ill", "ill")])
def test_fold_values__counts_answers(values: tuple[str, ...]) -> None:
    assert not _folded(*values).changes


@pytest.mark.parametrize(
    "values",
    [("50,000", "31000"), ("€ 50000", "31000 EUR"), ("50 000", "31'000"), ("50.000,00", "31000,0")],
)
def test_fold_values__reads_amounts(values: tuple[str, ...]) -> None:
    numbers = _folded(*values).numbers
    assert numbers is not None
    assert numbers.tolist() == [31000, 50000]


def test_fold_values__takes_close_numbers_by_the_spread_of_the_column() -> None:
    salaries = [str(20_000 + 700 * n) for n in range(100)]
    assert not _folded(*salaries).n_merged  # 700 apart, of which 1 % of 63,000 or so is less
    folded = _folded(*salaries, "20010")
    assert folded.n_merged == 1
    assert _folded(*salaries, "20010", closeness=0.0).n_merged == 0
    assert not _folded(*(str(year) for year in range(1990, 2026))).changes
    assert not _folded(*(str(age) for age in range(101))).changes


def test_fold_values__makes_unknown_and_missing_one_answer_where_a_blank_is_one() -> None:
    folded = _folded("3", "unknown", None, missing_sensitive="value")
    assert folded.numbers is None
    assert folded.group_of_value.tolist() == [0, 1, 1]


def test_distinct_meanings__takes_the_most_values_that_are_not_close() -> None:
    classes = classes_of_codes(np.array([0, 0, 0, 0, 1, 1]), ("a",))
    folded = FoldedValues(
        group_of_value=np.arange(5),
        numbers=np.array([0.0, 0.9, 1.8, 2.7, 9.0]),
        width=1.0,
        n_merged=3,
        n_unknown=0,
    )
    counts = sensitive_counts(classes, np.array([0, 1, 2, 3, 3, 4]))
    assert distinct_meanings(counts, folded).tolist() == [2, 2]
    assert folded.interval_of_group.tolist() == [0, 0, 1, 1, 2]


SPELLED = "age,disease\n" + "30,HIV\n30,hiv\n30,H.I.V.\n" * 2 + "40,flu\n40,cold\n40,gout\n" * 2


def test_judge__fails_one_value_in_several_spellings() -> None:
    audit = judge_risk(measured(SPELLED, quasi="age", sensitive=("disease",)), RiskThresholds(alpha=0.9, k=5))
    assert audit.measurement.sensitive[0].figures["distinct_l"] == 3
    told = messages(audit)
    assert told["distinct_l"].startswith("PASS")
    assert told["folded_distinct_l"] == (
        "FAIL: 1 of 2 classes (6 records) holds one and the same value of `disease`, counted as what values "
        "mean, "
        "not as they are spelled: case, spaces and punctuation aside, words for unknown not counted. Write "
        "each "
        "value one way, and generalize or suppress these classes."
    )
    assert told["alpha"].startswith("PASS")
    assert told["folded_alpha"].startswith(
        "FAIL: In 1 class (6 records), of the values of `disease`, counted"
    )


def test_judge__says_how_close_numbers_are() -> None:
    text = "age,salary\n" + "30,50000\n30,50010\n30,50020\n" * 2 + "40,20000\n40,31000\n40,68000\n" * 2
    audit = judge_risk(measured(text, quasi="age", sensitive=("salary",)))
    assert "numbers up to 480 apart taken as one" in messages(audit)["folded_distinct_l"]
    assert (
        judge_risk(measured(text, quasi="age", sensitive=("salary",), closeness=0.0)).verdict is Verdict.PASS
    )


def test_judge__holds_every_limit_against_values_as_what_they_mean() -> None:
    limits = RiskThresholds(k=5, entropy_l=2.5, t=0.4, beta=0.9, delta=0.65)
    told = messages(judge_risk(measured(SPELLED, quasi="age", sensitive=("disease",)), limits))
    assert told["folded_entropy_l"].startswith(
        "FAIL: The smallest entropy ℓ of `disease`, counted as what values mean, not as they are spelled, "
        "is 1;"
    )
    assert {key for key, text in told.items() if text.startswith("FAIL")} == {
        "folded_distinct_l",
        "folded_entropy_l",
        "t",
        "basic_beta",
        "delta_ln",
    }
