"""Sentences know what they were made of, and are said in a language."""

import copy
import json
import math
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import languages
from core.languages import BRACKETS, ENGLISH
from core.measures import MEASURES
from core.measures.measure import format_number
from core.reports.model import Figure, figure_text, unit_words
from core.words import (
    Text,
    Written,
    amount,
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
from pages.components.text import duration, plain, sentence, size

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
    assert (say("Records"), say(amount("share", None))) == ("Zapisi", "ni ocenjeno")


@pytest.mark.usefixtures("slovenian")
@pytest.mark.parametrize("message", ["Columns", "Groups", "Never translated"])
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age", "age"),
        ("$x$", r"\$x\$"),
        ("a\n\n# b", r"a \# b"),
        (":red[x]", r"\:red\[x\]"),
        ("<b>", r"\<b\>"),
        ("http://a.b", "http\\:\u2060\\/\\/a\\.b"),
        ("a@b.c", "a\u2060\\@b\\.c"),
        ("->", "\\-\u2060\\>"),
        ("\u202egpj.exe", "gpj\\.exe"),
        ("< 0.1 % of 12.5 %", "\\<\xa00\\.1\xa0\\% of 12\\.5\xa0\\%"),
        ("a" * 200, "a" * 60 + "…" + "a" * 30),
    ],
)
def test_plain__escapes_what_markdown_would_read(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_sentence__shows_column_names_as_code_and_the_rest_as_typed() -> None:
    assert sentence("Column `a*b` and `$c$` hold 5 values.") == "Column `a*b` and `$c$` hold 5 values\\."


@pytest.mark.parametrize(
    ("n_bytes", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (58_300, "58.3 kB"),
        (161_400_000, "161 MB"),
        (2_000_000_000, "2 GB"),
    ],
)
def test_size__uses_the_unit_people_read(n_bytes: int, shown: str) -> None:
    assert size(n_bytes) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.2, "less than a second"), (12.4, "12 s"), (150, "2 min"), (7200, "120 min")]
)
def test_duration__is_short(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.12345, "12.3 %"),
        (0, "0 %"),
        (1, "100 %"),
        (1.0, "100 %"),
        (0.5, "50.0 %"),
        (1e-12, "< 0.1 %"),
        (0.000999, "< 0.1 %"),
        (0.001, "0.1 %"),
        (0.999, "99.9 %"),
        (0.9991, "> 99.9 %"),
        (1 - 1e-12, "> 99.9 %"),
        (-0.02, "-2.0 %"),
        (-1e-6, "> -0.1 %"),
        (1.5, "150.0 %"),
        (None, "not assessed"),
        (math.nan, "not assessed"),
        (math.inf, "infinite"),
        (-math.inf, "minus infinite"),
    ],
)
@pytest.mark.parametrize("unit", ["share", "risk"])
def test_format_number__writes_shares_as_percent_and_never_rounds_to_nothing_or_all(unit, share, written):
    assert format_number(unit, share) == written


@pytest.mark.parametrize(
    ("unit", "value", "written"),
    [
        ("records", 1234567, "1,234,567"),
        ("records", 5.0, "5"),
        ("records", 2.5, "2.50"),
        ("records", 0.001, "< 0.01"),
        ("records", -0.001, "> -0.01"),
        ("bits", 1.5, "1.500"),
        ("number", 2.9999, "3.000"),
        ("number", 3, "3"),
        ("number", 0.0004, "< 0.001"),
        ("number", 12345.6789, "12,345.679"),
        ("classes", None, "not assessed"),
        ("number", math.inf, "infinite"),
    ],
)
def test_format_number__writes_counts_with_separators_and_other_numbers_with_decimals(unit, value, written):
    assert format_number(unit, value) == written


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda measure: measure.key)
def test_label__is_shown_as_it_is_without_escaping(measure):
    """Cards show labels as Markdown; a space after "<" keeps it a plain sign."""
    assert not re.search(r"[\[\]*_`$~#\\>:@]|<(?! )|->|--", measure.label)


@pytest.mark.parametrize(
    ("unit", "value", "word"),
    [
        ("records", 2, "records"),
        ("records", 1, "record"),
        ("groups", 1, "group"),
        ("values", 1.0, "value"),
        ("share", 0.5, ""),
        ("number", 3, ""),
        ("records", None, ""),
        ("records", math.inf, ""),
    ],
)
def test_unit_words__follows_the_number(unit, value, word):
    assert unit_words(unit, value) == ("", word)


@pytest.mark.parametrize(("n", "word"), [(1, "zapis"), (102, "zapisa"), (3, "zapisi"), (29, "zapisov")])
def test_unit_words__has_the_forms_of_the_language(n, word):
    with speaking("sl"):
        assert unit_words("records", n) == ("", word)


def test_unit_words__stand_on_the_side_that_the_language_has() -> None:
    with speaking("ko"):
        assert unit_words("sites", 3) == ("사이트", "개")


@pytest.mark.parametrize(
    ("value", "total", "written"),
    [
        (3 / 5_000, 5_000, "3 of 5,000"),
        (0.0098, 5_000, "49 of 5,000"),
        (0.01, 5_000, "1.0 %"),
        (0.0, 5_000, "0 %"),
        (3 / 5_000, None, "< 0.1 %"),
        (None, 5_000, "not assessed"),
    ],
)
def test_figure_text__tells_a_small_part_as_a_count(value, total, written):
    assert figure_text(Figure("sample_unique_share", value, total=total)) == written
