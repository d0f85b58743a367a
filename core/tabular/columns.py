"""Which anonymized columns an original column became, and what the log says of each."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from core.comparing.names import columns_alike
from core.tables import Dataset
from core.tabular.log import QUASI_IDENTIFYING_SEMANTICS, AnonymizationLog, LogEntry, folded
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import input_error

_PROTECTING_ACTIONS = frozenset(
    {
        "drop",
        "pseudonymize",
        "date_floor_year",
        "date_floor_decade",
        "region_generalize",
        "mask_zip_leading",
        "drop_zip_detail",
    }
)
_HIGH_RISK_BEGINNING = re.compile(
    r"ssn|passport|driver|licen[sc]e|birth|death|dob|phone|mobile|email|address|zip|postal|postcode"
    r"|(?:tele|cell)phone|(?:full|first|last|middle|given|family|maiden|sur|fore|nick|user|patient|person)names?$"
    r"|(?:patient|person|subject|participant|member|customer|client|user|employee|student|national)id$"
)
_HIGH_RISK_PHRASES = (
    "dateofbirth",
    "homeaddress",
    "residentnumber",
    "residentregistration",
    "nationalnumber",
)
_HIGH_RISK_TOKENS = frozenset({"name", "id", "mrn"})
_NO_LETTER = re.compile(r"[\W\d_]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, kw_only=True)
class MatchedColumn:
    """An original column, one anonymized column it became, and the log entry that holds for it."""

    original: str  # name in the original
    anonymized: str | None  # name in the anonymized table; None where the column is absent
    entry: LogEntry  # without words where nothing is logged

    @property
    def action(self) -> str:
        """Return the logged action, empty where nothing is logged."""
        return self.entry.action

    @property
    def semantic(self) -> str:
        """Return the logged semantic, empty where nothing is logged."""
        return self.entry.semantic


@dataclass(frozen=True, kw_only=True)
class ColumnPair(MatchedColumn):
    """An original column that is there, and an anonymized column it became."""

    anonymized: str


def column_pairs(
    original: Sequence[str], anonymized: Sequence[str], log: AnonymizationLog
) -> dict[str, tuple[ColumnPair, ...]]:
    """Return every original column with the anonymized columns it became, none where it is absent.

    The column of the same name (in other letters, see `columns_alike`, where none is written the
    same), else all whose names begin with ``<column>_``; a column whose own name exists in the original
    is never another column's expansion. An expansion uses its own log entry, else that of the original
    column. The published rule and the second opinion both judge these.
    """
    alike = columns_alike(original, anonymized)
    expansions = _Expansions(set(anonymized).difference(original, alike.values()))
    return {
        name: tuple(
            ColumnPair(original=name, anonymized=found, entry=log.entries.get(found) or log.entry(name))
            for found in ([alike[name]] if name in alike else expansions.of(name))
        )
        for name in original
    }


def match_columns(original: Dataset, anonymized: Dataset, log: AnonymizationLog) -> tuple[MatchedColumn, ...]:
    """Return the pairs of columns, and the original columns that are absent, in the original's order."""
    pairs = column_pairs(original.columns, anonymized.columns, log)
    if not any(pairs.values()):
        raise input_error(
            "{anonymized}: none of the {columns} columns of {original} is in it, so there is nothing to "
            "verify. Check that the two files belong together and that the first line holds the column "
            "names.",
            columns=len(original.columns),
            anonymized=anonymized.name,
            original=original.name,
        )
    return tuple(
        match
        for name, found in pairs.items()
        for match in found or [MatchedColumn(original=name, anonymized=None, entry=log.entry(name))]
    )


def about_names_alike(
    original: Sequence[str], anonymized: Sequence[str], log: AnonymizationLog
) -> Iterator[Finding]:
    """Yield a warning for names that differ in letter case alone and so could not be matched."""
    groups: dict[str, tuple[dict[str, None], dict[str, None], dict[str, None]]] = {}
    for i, names in enumerate((original, anonymized, log.entries)):
        for name in names:
            groups.setdefault(folded(name), ({}, {}, {}))[i][name] = None
    for ours, theirs, logged in groups.values():
        meant = ours if len(ours) >= len(theirs) else theirs
        if len(meant) > 1 and not meant.keys() >= {*ours, *theirs, *logged}:
            names = list({**ours, **theirs, **logged})
            yield Finding.of("column_names_alike", Verdict.WARN, n_affected=len(names))(
                "{columns} differ in letter case, spaces or signs alone, so which column of the other table "
                "or of the log is meant cannot be said. Rename them so that every column has one spelling.",
                columns=listed(names),
            )


class _Expansions:
    """Anonymized columns of no original's name, looked up by what they begin with."""

    def __init__(self, names: Collection[str]) -> None:
        self._written = sorted((name, name) for name in names)
        self._folded = sorted((folded(name), name) for name in names)

    def of(self, original: str) -> list[str]:
        """Return the names that begin with ``<original>_``; where none is written so, those that fold so."""
        return _beginning_with(f"{original}_", self._written) or _beginning_with(
            f"{folded(original)}_", self._folded
        )


def _beginning_with(prefix: str, names: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names, sorted by how they are looked up, that begin with the prefix."""
    found = []
    for looked_up, name in names[bisect_left(names, (prefix, "")) :]:
        if not looked_up.startswith(prefix):
            break
        found.append(name)
    return found


def logged_quasi_identifiers(matched: Sequence[MatchedColumn]) -> tuple[str, ...]:
    """Return the anonymized columns that the log calls age, gender, race, … and does not drop."""
    return tuple(
        dict.fromkeys(
            match.anonymized
            for match in matched
            if match.anonymized is not None
            and match.semantic in QUASI_IDENTIFYING_SEMANTICS
            and match.action != "drop"
        )
    )


def is_dropping(action: str, *, allow_dx: bool) -> bool:
    """Return whether the action leaves no value, given whether keeping diagnoses is permitted."""
    return action == "drop" or (action == "keep_if_permitted_else_drop" and not allow_dx)


def is_protecting(action: str, *, allow_dx: bool) -> bool:
    """Return whether the action protects a high-risk column."""
    return action in _PROTECTING_ACTIONS or is_dropping(action, allow_dx=allow_dx)


def is_high_risk(semantic: str) -> bool:
    """Return whether a semantic is one that identifies people.

    >>> [is_high_risk(semantic) for semantic in ("birthdate", "zipCode", "patientid", "MRN", "Surname")]
    [True, True, True, True, True]
    >>> [is_high_risk(semantic) for semantic in ("width", "identity_type", "kidney", "")]
    [False, False, False, False]
    """
    tokens = [
        token.lower() for part in _NO_LETTER.split(semantic) for token in _CAMEL_CASE.split(part) if token
    ]
    if any(token in _HIGH_RISK_TOKENS or _HIGH_RISK_BEGINNING.match(token) for token in tokens):
        return True
    return any(phrase in "".join(tokens) for phrase in _HIGH_RISK_PHRASES)
