"""Tables of cases, one a line, and tests over all of a table that name every case which fails."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from core.errors import AuditInputError
from tests.saying import Saying

_SIGN = re.compile(r"\\u([0-9a-f]{4})")


class Case(NamedTuple):
    """A line of a table: where it stands, and its columns."""

    place: str
    columns: tuple[str, ...]


def read_cases(name: str) -> Mapping[str, list[Case]]:
    """Return the cases of each part of a table, names in braces and `\\u` replaced by what they stand for."""
    parts: dict[str, list[Case]] = {}
    names: dict[str, str] = {}
    part = ""
    for number, line in enumerate((Path(__file__).parent / name).read_text().splitlines(), 1):
        columns = [one.strip() for one in line.split("  ") if one.strip()]
        if line.startswith("["):
            part = line[1 : line.index("]")]
        elif part == "names" and columns:
            names[columns[0]] = columns[1].format_map(names)
        elif part and columns:
            filled = tuple(_SIGN.sub(_letter, one.format_map(names) if names else one) for one in columns)
            parts.setdefault(part, []).append(Case(f"{name}:{number} {line}", filled))
    return parts


def _letter(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def holds_for_each(cases: Iterable[object], holds: Callable[..., None]) -> None:
    """Fail with every case in which a function's assertions fail; a tuple is several arguments."""
    wrong = []
    for case in cases:
        place, arguments = case if isinstance(case, Case) else (repr(case), case)
        try:
            holds(*arguments) if isinstance(arguments, tuple) else holds(arguments)
        except (AssertionError, AuditInputError, LookupError, TypeError, ValueError) as error:
            wrong.append(f"{place}\n    {type(error).__name__}: {error}")
    assert not wrong, "\n".join([f"{len(wrong)} cases fail:", *wrong])


def says(sentence: object, pieces: str) -> bool:
    """Whether a sentence holds pieces, `…` between them, one after the other: its subject and its values."""
    return Saying(f"…{pieces}…") == str(sentence)
