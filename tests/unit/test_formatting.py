import math
import re

import pytest

from core.measures import MEASURES, format_number
from core.reports.model import Figure, figure_text, unit_words
from core.words import speaking


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
        ("classes", 1, "class"),
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
