"""What a careful person would not object to, and what looks like it but is to be objected to."""

from __future__ import annotations

import numpy as np
import pytest

from core.tabular.actions import Meaning, meaning_of
from core.verdict import Verdict
from tests.second_opinion_examples import findings, keep_all, log_of, opinion_on, the_finding


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
    ],
)
def test_meaning_of__natural_spellings(actions, meaning):
    assert {word: meaning_of(word) for word in actions.split()} == dict.fromkeys(actions.split(), meaning)


def test_no_quasi_identifier__confirmed_is_a_pass_unless_columns_look_like_one():
    harmless = {"code": ["p", "q"] * 20}
    confirmed = opinion_on(harmless, harmless, keep_all(harmless), no_quasi_identifiers=True)
    assert the_finding(confirmed, "no_quasi_identifier").message == (
        "A person confirmed that others know no column of the table, so no classes were formed."
    )
    assert confirmed.verdict is Verdict.PASS
    ages = {"age": [str(20 + i) for i in range(40)]}
    doubtful = opinion_on(ages, ages, log_of(age=("other", "generalize")), no_quasi_identifiers=True)
    finding = the_finding(doubtful, "no_quasi_identifier")
    assert (finding.verdict, finding.n_affected) == (Verdict.WARN, 40)
    assert finding.message.startswith("A person confirmed that others know no column of the table")


def test_disguises__count_as_taken_out_whatever_word_the_log_uses():
    rng = np.random.default_rng(0)
    names = [f"Person {i % 9}" for i in rng.permutation(90)]
    original = {"name": names, "code": [str(i % 7) for i in range(90)]}
    anonymized = {"name": [None] * 90, "code": original["code"], "extra": names}
    for action, verdict in (("removed", Verdict.FAIL), ("bless", Verdict.WARN)):
        log = log_of(name=("other", action), code=("other", "keep"), extra=("other", "generalize"))
        (copy,) = findings(opinion_on(original, anonymized, log), "disguise_copy")
        assert copy.verdict is verdict
