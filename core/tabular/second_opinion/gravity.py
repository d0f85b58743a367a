"""The order in which findings are told: the gravest first, and many columns of one kind as one finding."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.roles import RoleSuggestion
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import own, text

_MANY = 4  # findings of one check from which they are told as one

_KINDS = (
    ("national identification number", "identity document or account number"),
    ("person's name",),
    ("patient or person number", "e-mail address", "phone number", "online identifier or network address"),
    ("postal address", "date of birth", "coordinates", "date of death"),
)
_SEMANTICS = (("ssn", "passport"), ("name",), ("_id", "mrn", "mail", "phone"), ("birth", "address"))
_NAMES_PEOPLE = frozenset({"originals_beside_the_table"})
_ABOUT_THE_FILE = frozenset({"row_count_differs", "column_not_in_log", "logged_column_missing"})


def gravest_first(
    findings: Sequence[Finding], suggestions: Sequence[RoleSuggestion], semantics: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Return the findings, worst first; of these numbers and names of people before shares of records."""
    kinds = {one.column: one.kind for one in suggestions}

    def rank(finding: Finding) -> int:
        if finding.column is None:
            named = finding.check in _NAMES_PEOPLE
            return 1 if named else len(_KINDS) + (2 if finding.check in _ABOUT_THE_FILE else 1)
        kind, semantic = kinds.get(finding.column, ""), semantics.get(finding.column, "").casefold()
        by_kind = (place for place, names in enumerate(_KINDS) if kind in names)
        return min(next(by_kind, len(_KINDS)), _rank_of_semantic(semantic))

    return tuple(sorted(findings, key=lambda finding: (-finding.verdict.severity, rank(finding))))


def _rank_of_semantic(semantic: str) -> int:
    for place, words in enumerate(_SEMANTICS):
        if any(word in semantic for word in words):
            return place
    return len(_KINDS)


def folded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings, four or more single columns of one check and verdict told as one, all named."""
    return tuple(_folded(findings))


def _folded(findings: Sequence[Finding]) -> Iterator[Finding]:
    groups: dict[tuple[str, Verdict], list[Finding]] = {}
    for finding in findings:
        if finding.column is not None and finding.verdict is not Verdict.PASS:
            groups.setdefault((finding.check, finding.verdict), []).append(finding)
    for finding in findings:
        group = groups.get((finding.check, finding.verdict), [])
        if finding.column is None or len({one.column for one in group}) < _MANY:
            yield finding
        elif finding is group[0]:
            yield _as_one(group)


def _as_one(group: Sequence[Finding]) -> Finding:
    """Return the first finding with the columns of the others in its message."""
    columns = tuple(dict.fromkeys(one.column for one in group if one.column is not None))
    others = columns[1:]
    return replace(
        group[0],
        message=text(
            "{finding} So it is with {n} more column: {columns}.",
            "{finding} So it is with {n} more columns: {columns}.",
            n=len(others),
            finding=own(group[0].message),
            columns=listed(others),
        ),
        column=None,
        columns=columns,
        n_affected=sum(one.n_affected or 0 for one in group),
    )
