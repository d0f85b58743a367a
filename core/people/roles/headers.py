"""Whether the line that was taken for column names holds values, and which names an error may list."""

import re
from collections.abc import Sequence

from core.people import names as people
from core.people.roles import names
from core.people.roles.vocabulary import heads_other_people, match_name
from core.tables.header import is_unnamed
from core.values.letters import without_accents
from core.words import Text, text

_MOST_LISTED = 20
_SYMBOL = 2  # letters of names such as A and B1
_MOST_LETTERS = 40  # of a name; what is longer is a text
_KNOWN_SHARE = 1 / 3  # of names with a known meaning, from which other words with a capital are names too
_MADE = re.compile(r"Column \d+|Unnamed: \d+(?:_\d+)?")
_CODED = re.compile(r"\A[\d+-]|@|://|\d{3}|\A\S{1,4}[-/.]\d")
_WRITTEN_AS_CODE = re.compile(r"[a-z][A-Za-z0-9_.]*|[A-Z]{2,}(?:_[A-Z0-9]+)+")
_ANSWERS = frozenset(("yes", "no", "true", "false", "da", "ne", "unknown", "none", "예", "아니오"))


def holds_values(columns: Sequence[str]) -> bool:
    """Return whether the names of a table seem to be its first record.

    So they do where one is a number, a date, an address, a sex or somebody's name, or where few mean anything
    and none is written as programs write names.
    """
    written = [name.strip() for name in columns if not _is_made(name)]
    if any(map(_is_value, written)):
        return True
    if all(len(name) <= _SYMBOL for name in written):
        return False
    known = sum(_has_meaning(name) for name in written)
    coded = sum(bool(_WRITTEN_AS_CODE.fullmatch(name)) for name in written)
    return bool(written) and not coded and known < _KNOWN_SHARE * len(written)


def listed_names(columns: Sequence[str]) -> Text:
    """Return the names of a table's columns for an error: none where they may be the values of a record."""
    if holds_values(columns):
        return text(
            "{n} column, whose name may be a value of the first record and is not shown; if it is one, say "
            "that there are no column names (`--no-header`)",
            "{n} columns, whose names may be the values of the first record and are not shown; if they are, "
            "say that there are no column names (`--no-header`)",
            n=len(columns),
        )
    shown = ", ".join(columns[:_MOST_LISTED]) + (", …" if len(columns) > _MOST_LISTED else "")
    if sum(map(is_unnamed, columns)) > 1:
        return text("{columns}; if another line holds the names, choose it (`--header-row`)", columns=shown)
    return text("{columns}", columns=shown)


def _is_made(name: str) -> bool:
    return bool(_MADE.fullmatch(name.strip()))


def _is_value(name: str) -> bool:
    plain = name.casefold()
    if len(name) > _MOST_LETTERS or _CODED.search(name) or plain in _ANSWERS | people.MARITAL_VALUES:
        return True
    if (
        plain in people.SEX_VALUES
        or without_accents(name) in people.US_STATES
        or name in people.KOREAN_REGIONS
    ):
        return True
    if _has_meaning(name) or (name.islower() and plain in people.NO_NAMES_IN_CODES):
        return False
    return names.looks_like_latin_name(name) or names.looks_like_korean_name(name)


def _has_meaning(name: str) -> bool:
    return match_name(name) is not None or heads_other_people(name)
