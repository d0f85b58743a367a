"""Text from files is shown as typed."""

import pytest

from pages.components.text import duration, plain, sentence, size


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
