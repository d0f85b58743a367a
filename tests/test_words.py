"""Catalogues hold every message, and say what is wrong with a translation."""

from pathlib import Path

import pytest

from core import languages
from docs import words

PLURAL = ("{n} record of {file}", "{n} records of {file}")
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
GOOD = """
msgid "{n} record of {file}"
msgid_plural "{n} records of {file}"
msgstr[0] "{file}의 기록 {n}개"

msgid "Rows"
msgstr "행"
"""


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(languages, "FOLDER", tmp_path)
    monkeypatch.setattr(words, "LANGUAGES", {"en": "English", "ko": "한국어"})
    monkeypatch.setattr(
        words, "messages", lambda: {PLURAL: [("core/x.py", 1)], ("Rows", ""): [("core/x.py", 2)]}
    )
    (tmp_path / "ko").mkdir()
    return tmp_path / "ko" / "shared.po"


def test_problems__are_none_where_all_is_translated(catalogue: Path) -> None:
    catalogue.write_text(HEADER + GOOD, encoding="utf-8")
    assert words.problems() == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('msgid "Rows"\nmsgstr "행"\n', "", "no entry for 'Rows'"),
        ('msgstr "행"', 'msgstr ""', "'Rows' has no translation"),
        ("{file}의", "파일의", "names other values"),
        ("{file}의", "{datei}의", "names other values"),
        ("{n}개", "{n개", "braces"),
        ('msgid "Rows"', 'msgid "Gone"', "nothing says 'Gone' any more"),
    ],
)
def test_problems__tell_what_is_missing_unused_or_badly_formatted(
    catalogue: Path, old: str, new: str, problem: str
) -> None:
    assert old in GOOD
    catalogue.write_text(HEADER + GOOD.replace(old, new), encoding="utf-8")
    assert any(problem in told for told in words.problems())


def test_update__keeps_translations_and_drops_what_nobody_says(catalogue: Path) -> None:
    catalogue.write_text(HEADER + GOOD + '\nmsgid "Gone"\nmsgstr "없음"\n', encoding="utf-8")
    words.update()
    assert words.problems() == []
    once = catalogue.read_bytes()
    words.update()
    assert catalogue.read_bytes() == once
    assert "행" in once.decode()


def test_messages__are_found_where_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "rooms.py").write_text(
        '''"""A module."""
NAME, FORMAT, KEY, WORSE, PATTERN = "Class size", "%Y-%m-%d of", "class_size", "WARN", r"[ a]{1,4} of"
def made(n):
    """Say it."""
    return text("{n} row of {file}", "{n} rows of {file}", n=n), counted(n, "class", "classes"), f"{n} not so"
    return share_of(n, 9, "rows")
''',
        encoding="utf-8",
    )
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "_of_data", lambda: ())
    assert set(words.messages()) == {
        ("Class size", ""),
        ("WARN", ""),
        ("{n} row of {file}", "{n} rows of {file}"),
        ("{n} class", "{n} classes"),
        ("{found} of {total} rows", ""),
        ("{found} of {total} rows ({share})", ""),
    }
