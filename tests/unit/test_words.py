"""Sentences know what they were made of, and are said in a language."""

import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import languages
from core.languages import BRACKETS, ENGLISH
from core.measures.measure import format_number
from core.words import (
    Amount,
    Text,
    Written,
    counted,
    joined,
    listed,
    own,
    percent,
    plain_text,
    say,
    speaking,
    text,
    text_of,
)

CATALOGUE = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "{n} record of {file} is unique ({share})."
msgid_plural "{n} records of {file} are unique ({share})."
msgstr[0] "{n} zapis v {file} je edinstven ({share})."
msgstr[1] "{n} zapisa v {file} sta edinstvena ({share})."
msgstr[2] "{n} zapisi v {file} so edinstveni ({share})."
msgstr[3] "{n} zapisov v {file} je edinstvenih ({share})."

msgid "Records"
msgstr "Zapisi"

msgid "not assessed"
msgstr "ni ocenjeno"

#, fuzzy
msgid "Columns"
msgstr "Vrstice?"

msgid "Classes"
msgstr ""
"""


@pytest.fixture
def slovenian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "sl").mkdir()
    (tmp_path / "sl" / "words.po").write_text(CATALOGUE, encoding="utf-8")
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    languages.language.cache_clear()
    with speaking("sl"):
        yield
    languages.language.cache_clear()


def unique(n: int, *, file: str = "a.csv") -> Text:
    return text(
        "{n} record of {file} is unique ({share}).",
        "{n} records of {file} are unique ({share}).",
        n=n,
        file=file,
        share=percent(0.125),
    )


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (1, "1 zapis v a.csv je edinstven (12,5 %)."),
        (2, "2 zapisa v a.csv sta edinstvena (12,5 %)."),
        (3, "3 zapisi v a.csv so edinstveni (12,5 %)."),
        (5, "5 zapisov v a.csv je edinstvenih (12,5 %)."),
        (101, "101 zapis v a.csv je edinstven (12,5 %)."),
        (12_345, "12.345 zapisov v a.csv je edinstvenih (12,5 %)."),
    ],
)
@pytest.mark.usefixtures("slovenian")
def test_say__takes_the_form_that_the_count_asks_for(n: int, said: str) -> None:
    assert say(unique(n)) == said


@pytest.mark.usefixtures("slovenian")
def test_say__says_literals_and_words_in_place_of_numbers() -> None:
    assert (say("Records"), say(Amount("share", None))) == ("Zapisi", "ni ocenjeno")


@pytest.mark.usefixtures("slovenian")
@pytest.mark.parametrize("message", ["Columns", "Classes", "Never translated"])
def test_say__is_english_where_a_translation_is_missing_empty_or_doubtful(message: str) -> None:
    assert say(message) == message


@pytest.mark.usefixtures("slovenian")
def test_say__leaves_names_of_the_person_alone() -> None:
    assert say(unique(1, file="Records")) == "1 zapis v Records je edinstven (12,5 %)."


def test_say__is_english_where_the_language_is_unknown() -> None:
    with speaking("xx"):
        assert say(unique(2)) == str(unique(2))


def test_text__is_its_english_sentence() -> None:
    sentence = unique(1234)
    assert sentence == "1,234 records of a.csv are unique (12.5 %)."
    assert json.loads(json.dumps([sentence])) == [str(sentence)]


def test_text__refuses_a_number_without_a_way_of_writing() -> None:
    for value in (0.5, True):
        with pytest.raises(TypeError, match="written"):
            text("{value}", value=value)


def test_text__takes_braces_from_the_person_as_they_are() -> None:
    assert text("{name} is unique.", name="{n} {0} {{") == "{n} {0} {{ is unique."


values = st.one_of(
    st.text(),
    st.integers(-(10**9), 10**9),
    st.floats(0, 1).map(percent),
    st.integers(0, 10**6).map(lambda n: counted(n, "record")),
    st.lists(st.text(min_size=1), max_size=9).map(listed),
)


@settings(deadline=None)  # the first example reads the catalogues
@given(one=values, other=values, n=st.integers(0, 10**7))
def test_text__survives_copies_processes_and_joining(one: object, other: object, n: int) -> None:
    sentence = joined([text("{one} of {other}, {n}", n=n, one=one, other=other), "A literal."])
    for again in (
        pickle.loads(pickle.dumps(sentence)),  # noqa: S301 - our own
        copy.deepcopy(sentence),
        text_of(json.loads(json.dumps(plain_text(sentence)))),
    ):
        assert again == sentence
        for code in (ENGLISH, BRACKETS, "sl"):
            with speaking(code):
                assert say(again) == say(sentence)


@given(st.one_of(values.filter(lambda value: isinstance(value, str)).map(str), st.text()))
def test_say__in_english_changes_nothing(words: str) -> None:
    assert say(words) == words
    assert say(own(words)) == words


@settings(deadline=None)  # the first example reads the catalogues
@given(st.floats(0, 1), st.integers(0, 10**12))
def test_number__in_slovenian_is_the_english_one_with_other_separators(share: float, n: int) -> None:
    spoken = languages.language("sl")
    for english in (format_number("share", share), f"{n:,}", str(Written(f"{share:,.15g}"))):
        swapped = english.translate(str.maketrans(".,", ",."))
        assert spoken.number(english) == swapped


@pytest.mark.parametrize("message", ["{a:>99999999999}", "{a.__class__}", "{a[0]}", "{a!r}", "{}", "{a"])
def test_text_of__refuses_braces_that_ask_for_more_than_a_value(message: str) -> None:
    with pytest.raises(ValueError, match="Braces"):
        text_of({"message": message, "plural": "", "n": None, "values": {"a": "b"}})
    assert text_of(plain_text(own(message))) == message


@pytest.mark.parametrize(
    ("both", "one"),
    [
        ("레코드 1개을(를)", "레코드 1개를"),
        ("`지역`은(는)", "`지역`은"),
        ("`나이`이(가)", "`나이`가"),
        ("“서울”(으)로", "“서울”로"),  # ㄹ
        ("부산(으)로", "부산으로"),
        ("10와(과)", "10과"),
        ("2과(와)", "2와"),
        ("1,000을(를)", "1,000을"),
        ("14.6 %은(는)", "14.6 %는"),
        ("`age`은(는)", "`age`은(는)"),
        ("나이(세)", "나이(세)"),
    ],
)
def test_settled__korean_particles_go_by_the_letter_before_them(both: str, one: str) -> None:
    assert languages.language("ko").settled(f"{both} 봅니다.") == f"{one} 봅니다."
    assert languages.language("sl").settled(both) == both
