"""Rule files: what was done to the columns of a delivery, as its makers declare it, in TOML, and back.

A section a rule, named by what was done; `columns` are written TABLE.COL, and ``*`` stands for any letters::

    person = "*.person_id"              # says whose each record is, in the originals
    [[replaced]]                        # by the mapping, the same everywhere
    columns = ["*.person_id"]
    [[shifted]]                         # by one number of days per person
    columns = ["*.visit_date", "note.text"]
    least = -364
    most = -7
    whole_weeks = true
    [[grouped]]
    columns = ["patient.age"]
    above = 89
    into = "90+"
    [[emptied]]                         # of some records alone: of those that had such values
    columns = ["answer.text"]
    where = {question = ["name", "address_*"]}
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase, translate
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray
from core.errors import AuditInputError
from core.settings.files import first_problems, read_toml
from core.settings.reading import TABLE_ENDINGS
from core.words import Text, listed, text

Kind = Literal["replaced", "shifted", "emptied", "grouped", "kept", "removed", "refers"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*\"?(\w+)\"?[ \t]*\]\]", re.MULTILINE)
_NUMBER = (int, float)
# What a rule of each kind may say beside its columns, and what kind of value that is
_KEYS: Mapping[Kind, Mapping[str, tuple[type, ...]]] = {
    "replaced": {},
    "shifted": {
        "where": (dict,),
        "least": (int,),
        "most": (int,),
        "whole_weeks": (bool,),
        "one_for_all": (bool,),
    },
    "emptied": {"where": (dict,)},
    "grouped": {
        "where": (dict,),
        "above": _NUMBER,
        "fewer_than": (int,),
        "count": (str,),
        "into": (str,),
        "to": (str,),
        "only": (list,),
        "codes": (dict,),
    },
    "kept": {"where": (dict,)},
    "removed": {
        "where": (dict,),
        "above": _NUMBER,
        "below": _NUMBER,
        "values": (list,),
        "empty": (bool,),
        "persons": (bool,),
    },
    "refers": {"to": (str,)},
}
_ONE_OF: Mapping[Kind, tuple[str, ...]] = {
    "grouped": ("above", "fewer_than", "to", "only", "codes"),
    "removed": ("above", "below", "values", "empty"),
    "refers": ("to",),
}
_CHOICES = {("grouped", "count"): ("records", "persons"), ("grouped", "to"): ("year", "month")}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What was done to some columns.

    Attributes
    ----------
    least, most, whole_weeks, one_for_all
        Of a shift: days that it is drawn from; whether they are multiples of seven, and one for everybody.
    above, fewer_than, only, codes, to, into, count
        Of groups: numbers above it; values of fewer records, or persons; values but these; each value by its
        group; years or months of dates. `into` is what is written for those grouped, anything where empty.
        Of a removal: numbers above. Of references: `to` is the column that has every value.
    below, values, empty, persons
        Of a removal: the records with numbers below, with these values (``*`` for any letters), with none;
        with all others of their persons in the table.
    where
        Original columns of the table, and the values (``*`` for any letters) that a record has to have in
        each for the rule to speak of it. A rule without speaks of the records that no other `where` names.
    line
        Of the rule file, 0 where it was proposed.
    """

    kind: Kind
    columns: tuple[str, ...]
    line: int = 0
    least: int | None = None
    most: int | None = None
    whole_weeks: bool = False
    one_for_all: bool = False
    above: float | None = None
    below: float | None = None
    fewer_than: int | None = None
    count: str = "records"
    into: str = ""
    to: str = ""
    only: tuple[str, ...] = ()
    codes: tuple[tuple[str, str], ...] = ()
    values: tuple[str, ...] = ()
    empty: bool = False
    persons: bool = False
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def names(self, table: str, column: str) -> bool:
        """Return whether the rule is about a column."""
        return any(matches(each, table, column) for each in self.columns)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """A rule file; `person` is empty where it does not say whose records are."""

    rules: tuple[Rule, ...]
    person: str = ""

    def of(self, *kinds: Kind) -> tuple[Rule, ...]:
        """Return the rules of some kinds."""
        return tuple(each for each in self.rules if each.kind in kinds)


def matches(written: str, table: str, column: str) -> bool:
    """Return whether TABLE.COL, with ``*`` for any letters, names a column; the table also by its file."""
    names = (table, *(f"{table}.{ending}" for ending in TABLE_ENDINGS))
    return any(fnmatchcase(f"{name}.{column}", _literal(written)) for name in names)


def are_among(values: pa.Array, written: Sequence[str]) -> BoolArray:
    """Return shape (n_values,): which values are one of those written, with ``*`` for any letters."""
    plain = pa.array([each for each in written if "*" not in each], pa.large_string())
    found = np.array(pc.is_in(values, value_set=plain), dtype=bool)
    patterns = "|".join(translate(_literal(each)) for each in written if "*" in each)
    if patterns:
        fits = re.compile(patterns).match
        found |= np.array([fits(each) is not None for each in values.to_pylist()], dtype=bool)
    return found


def _literal(written: str) -> str:
    """Return a pattern in which only ``*`` has a meaning."""
    return re.sub(r"([\[?])", r"[\1]", written)


def read_rules(data: bytes, *, name: str) -> Rules:
    """Read a rule file. AuditInputError: all that is wrong with it, with the lines of its rules."""
    content = read_toml(data, name=name)
    lines: dict[str, list[int]] = {}
    written = data.decode("utf-8-sig")
    for found in _HEADER.finditer(written):
        line = written.count("\n", 0, found.start(1)) + 1
        lines.setdefault(found[1], []).append(line)
    problems: list[Text] = []
    rules = []
    for key, value in content.items():
        if key == "person":
            if not isinstance(value, str):
                problems.append(text("`person` has to be a column, as TABLE.COL."))
        elif key not in KINDS or not isinstance(value, list):
            problems.append(
                text("`{key}` is no kind of rule; there are {kinds}.", key=key[:50], kinds=listed(KINDS))
            )
        else:
            starts = lines.get(key, [])
            for position, section in enumerate(value):
                line = starts[position] if position < len(starts) else 0
                found_wrong = [*_problems(key, section, line)]
                problems += found_wrong
                if not found_wrong:
                    rules.append(_rule(key, section, line))
    if not rules and not problems:
        problems.append(text("There is no rule in it."))
    if problems:
        raise AuditInputError(*first_problems(problems, name=name))
    return Rules(rules=tuple(rules), person=content.get("person", ""))


def _problems(kind: Kind, section: object, line: int) -> Iterator[Text]:
    """Yield what is wrong with a rule."""
    if not isinstance(section, dict) or not _are_texts(section.get("columns")):
        yield text("Line {line}: `columns` has to be a list of columns, as TABLE.COL.", line=line)
        return
    for key, value in section.items():
        if key == "columns":
            continue
        if key not in _KEYS[kind]:
            known = listed(["columns", *_KEYS[kind]])
            yield text(
                "Line {line}: `{key}` says nothing of `{kind}`; it takes {known}.",
                line=line,
                key=key[:50],
                kind=kind,
                known=known,
            )
        elif not _fits(value, _KEYS[kind][key], _CHOICES.get((kind, key), ()), key=key):
            yield text("Line {line}: `{key}` has a value that it cannot have.", line=line, key=key)
    one_of = _ONE_OF.get(kind, ())
    if one_of and sum(each in section for each in one_of) != 1:
        yield text(
            "Line {line}: `{kind}` needs exactly one of {known}.", line=line, kind=kind, known=listed(one_of)
        )
    least, most = section.get("least"), section.get("most")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield text("Line {line}: `least` is larger than `most`.", line=line)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _fits(value: object, types: tuple[type, ...], choices: Sequence[str], *, key: str) -> bool:
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        return False
    if isinstance(value, dict):
        fits = _are_texts if key == "where" else _is_text
        return bool(value) and all(map(fits, value.values()))
    return _are_texts(value) if list in types else not choices or value in choices


def _rule(kind: Kind, section: Mapping[str, Any], line: int) -> Rule:
    return Rule(kind=kind, line=line, **{key: _as_tuple(value) for key, value in section.items()})


def _as_tuple(value: Any) -> Any:
    """Return lists, and tables as pairs, as tuples, and anything else as it is."""
    if isinstance(value, dict):
        return tuple((key, _as_tuple(each)) for key, each in value.items())
    return tuple(value) if isinstance(value, list) else value


def rules_toml(rules: Rules, *, notes: Mapping[Rule, Sequence[str]] | None = None) -> bytes:
    """Write rules as a rule file, with lines of notes above each."""
    written = [f"person = {_toml(rules.person)}"] if rules.person else []
    for each in rules.rules:
        written += ["", *(f"# {note}" for note in (notes or {}).get(each, ()))]
        written.append(f"[[{each.kind}]]")
        for told in fields(Rule):
            value = getattr(each, told.name)
            if told.name not in ("kind", "line") and value != told.default:
                written.append(f"{told.name} = {_toml(value)}")
    return ("\n".join(written).strip() + "\n").encode()


def _toml(value: object) -> str:
    """Return a value as TOML; its basic strings are those of JSON but for the delete character."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{_toml(one)} = {_toml(other)}" for one, other in value) + "}"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
