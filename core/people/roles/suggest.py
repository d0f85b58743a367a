"""Suggest a role for every column of a table."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from core.coding import CodedColumn, CodedTable
from core.lazy_pandas import pd
from core.people.roles.values import (
    DISTINCT,
    FEWEST_DIGITS,
    ColumnProfile,
    ValueMatch,
    decimal_places,
    holds_too_little,
    is_only_region,
    match_full_names,
    match_other_people,
    match_values,
    profile_column,
)
from core.people.roles.vocabulary import (
    DIGESTS,
    PERHAPS_NAMES,
    NameMatch,
    Role,
    RoleSuggestion,
    heads_other_people,
    heads_people_of_records,
    heads_row_numbers,
    match_name,
)
from core.processes.jobs import Threads
from core.values.cells import as_numbers
from core.words import joined, own, text

PERSON_KINDS = frozenset(
    {
        "national identification number",
        "identity document or account number",
        "patient or person number",
        "e-mail address",
    }
)
_LIFE_DATES = frozenset({"date of birth", "date of death"})
_TRAITS = _LIFE_DATES | frozenset(
    {
        "postal code",
        "postal address",
        "sex or gender",
        "age",
        "race, ethnicity or nationality",
        "marital status or household",
        "body measurement visible to others",
        "coordinates",
        "place or region",
    }
)
_ONE_EACH = PERSON_KINDS | _LIFE_DATES | {"person's name", "phone number", "sex or gender"}
_FEWEST_REPEATS = 0.02  # share of records that have to be repeats, fewer are double entries
_ORDER = tuple(Role)
_FEW = 2  # distinct values up to which a column is a flag, whatever it is called
_LAT_LIMIT, _LON_LIMIT = 90.0, 180.0
_COORDINATE_PLACES = 4  # about ten metres
_REGION = 15.0  # degrees from north to south, and from west to east: most countries are smaller


def suggest_roles(
    table: pa.Table | CodedTable, *, sample_size: int = 500, seed: int = 0
) -> tuple[RoleSuggestion, ...]:
    """Suggest for every column whether it is a direct identifier, quasi-identifier, sensitive, or other.

    A column's name is looked up word by word in English, Korean and Slovenian vocabulary, and its values
    are held against known shapes (numbers of persons, phones, e-mail, names, addresses, coordinates,
    dates, codes, free text) and their distinctness. Where both speak, the more revealing role wins.
    Missing and suppressed (``*``) cells are left out.

    What it cannot tell: names outside its small lists when the column's name says nothing; a code whose
    meaning only its owner knows; whether a column is known to others, which is what makes a
    quasi-identifier; identifiers inside free text; and anything a misleading column name hides in
    values without a known shape. It suggests; a person decides.

    Parameters
    ----------
    table
        Columns of text, coded or not; missing is null.
    sample_size
        Distinct values per column that are held against shapes. Counts are exact whatever it is.
    seed
        Of the choice of those values where a column has more.

    Returns
    -------
    tuple of RoleSuggestion
        One per column; direct identifiers first, then quasi-identifiers, sensitive attributes, others; within
        a role by falling score, then in the order of the table.
    """
    columns = table if isinstance(table, CodedTable) else CodedTable(table=table, keeps=False)
    names = columns.table.column_names
    with Threads() as threads:
        found = threads.map(
            lambda name: profile_column(columns[name], seed=seed, sample_size=sample_size), names
        )
        profiles = dict(zip(names, found, strict=True))
    suggestions = [
        _counting(_suggest_role(name, profile), columns[name]) for name, profile in profiles.items()
    ]
    return tuple(sorted(_with_coordinates(suggestions, profiles), key=_rank))


def suggest_by_name(column: str, *, n_nonblank: int, n_distinct: int) -> RoleSuggestion:
    """Suggest what a column is from its name alone, where its values are elsewhere."""
    profile = ColumnProfile(n_nonblank=n_nonblank, n_distinct=n_distinct, sample=())
    by_name = _suggest_role(column, profile)
    if by_name.kind or n_distinct <= _FEW or not heads_other_people(column):
        return by_name
    reason = text("The name means {kind}.", kind=own("person's name"))
    return replace(by_name, role=Role.DIRECT_IDENTIFIER, kind=PERHAPS_NAMES, score=0.6, reason=reason)


def columns_of_people(suggestions: Iterable[RoleSuggestion]) -> frozenset[str]:
    """Return the columns whose values are names, numbers or addresses of people and nothing beside."""
    return frozenset(
        each.column
        for each in suggestions
        if each.role is Role.DIRECT_IDENTIFIER and each.from_values and each.kind not in NOT_ONLY_PEOPLE
    )


NOT_ONLY_PEOPLE = frozenset(
    {"free text", "record identifier", "identifier by distinctness", PERHAPS_NAMES, DIGESTS}
)


def says_whose(suggestion: RoleSuggestion) -> bool:
    """Return whether a column seems to say whose record it is, and some persons to have several."""
    n_most = (1 - _FEWEST_REPEATS) * suggestion.n_nonblank
    meant = match_name(suggestion.column) if suggestion.from_values else None
    kinds = {suggestion.kind, meant.rule.kind if meant else ""}
    is_person = suggestion.role is Role.DIRECT_IDENTIFIER and not kinds.isdisjoint(PERSON_KINDS)
    return is_person and 1 < suggestion.n_distinct <= n_most


def whose_records(suggestions: Iterable[RoleSuggestion]) -> RoleSuggestion | None:
    """Return the finest column of those that say whose record it is, see `says_whose`; None without one."""
    return max(filter(says_whose, suggestions), key=lambda each: each.n_distinct, default=None)


def is_trait(suggestion: RoleSuggestion) -> bool:
    """Return whether a column says what a person is or where one lives, whatever happens."""
    return suggestion.kind in _TRAITS


def says_who(suggestion: RoleSuggestion) -> bool:
    """Return whether a column says who a person is, by a name, a number, an address, or a trait."""
    named = suggestion.role is Role.DIRECT_IDENTIFIER and suggestion.kind not in NOT_ONLY_PEOPLE
    return named or is_trait(suggestion)


def is_the_same_for_life(suggestion: RoleSuggestion) -> bool:
    """Return whether a person has one value of a column in all of the person's records, or nearly so."""
    return suggestion.kind in _ONE_EACH and not heads_other_people(suggestion.column)


def _rank(suggestion: RoleSuggestion) -> tuple[int, float]:
    return _ORDER.index(suggestion.role), -suggestion.score


def _suggest_role(column: str, profile: ColumnProfile) -> RoleSuggestion:
    """Suggest the role of one column from its name and its values."""
    if not profile.n_nonblank:
        return _suggestion(column, profile, score=1.0, reason="All cells are blank or suppressed.")
    by_name = _coarsened(_believable(match_name(column), profile), profile)
    by_values = match_values(profile)
    if by_name is None or by_name.rule.role is not Role.DIRECT_IDENTIFIER:
        others = match_other_people(profile) if heads_other_people(column) else None
        by_name, by_values = (None, others) if others else (by_name, by_values)
    full_names = match_full_names(profile, of_people=heads_people_of_records(column))
    if full_names and by_name is None:
        return _from_values(column, profile, full_names)
    if full_names and by_name and (by_values is None or by_values.kind != by_name.rule.kind):
        named = text("The name means {kind}.", kind=own(by_name.rule.kind))
        suggestion = _from_values(column, profile, full_names)
        return replace(suggestion, reason=joined([named, full_names.reason]))
    if by_name is None and by_values is None:
        return _nothing_found(column, profile)
    if by_name is None:
        return _from_values(column, profile, by_values)
    return _from_name(column, profile, by_name, by_values)


def _counting(suggestion: RoleSuggestion, column: CodedColumn) -> RoleSuggestion:
    """Return the suggestion, marked where the column only counts the rows, from 0 or 1 on."""
    n_records, is_mute = len(column.codes), suggestion.role is Role.OTHER and not suggestion.kind
    may_count = (is_mute or suggestion.kind == "record identifier") and suggestion.n_distinct == n_records > 1
    if not may_count or not heads_row_numbers(suggestion.column):
        return suggestion
    numbers, rows = as_numbers(column.values), np.arange(n_records)
    if numbers is None or not any(np.array_equal(numbers[column.codes], rows + first) for first in (0, 1)):
        return suggestion
    return replace(suggestion, counts_rows=True, reason=text("The values only count the rows."))


def _believable(match: NameMatch | None, profile: ColumnProfile) -> NameMatch | None:
    """Return the match unless the values cannot be what the name says."""
    if match is None:
        return None
    if match.rule.if_distinct and not profile.tells_records_apart:
        return None
    is_flag = profile.n_distinct <= _FEW and profile.n_nonblank > 2 * _FEW
    is_person = match.rule.kind == "person's name" and profile.is_numeric
    is_short = match.rule.kind in _LONG_NUMBERS and profile.is_numeric and not _holds_long_numbers(profile)
    is_none = is_flag or is_person or is_short or holds_too_little(match.rule.kind, profile)
    return None if match.rule.role is Role.DIRECT_IDENTIFIER and is_none else match


def _coarsened(match: NameMatch | None, profile: ColumnProfile) -> NameMatch | None:
    """Return the match; that of an address as a place where the values are towns and the like."""
    if match is None or not is_only_region(match.rule.kind, profile):
        return match
    return replace(match, rule=replace(match.rule, role=Role.QUASI_IDENTIFIER, kind="place or region"))


_LONG_NUMBERS = frozenset({"identity document or account number", "phone number"})


def _holds_long_numbers(profile: ColumnProfile) -> bool:
    """Whether most numbers are long enough for documents and telephones, and are no decimals."""
    whole = profile.share(lambda value: "." not in value and "," not in value)
    return whole > 0.5 and float(np.median([len(value) for value in profile.sample])) >= FEWEST_DIGITS


def _from_name(
    column: str, profile: ColumnProfile, by_name: NameMatch, by_values: ValueMatch | None
) -> RoleSuggestion:
    rule = by_name.rule
    named = text("The name means {kind}.", kind=own(rule.kind))
    if by_values is None:
        return _named(column, profile, by_name, reason=named)
    reason = joined([named, by_values.reason])
    if by_values.kind == rule.kind:
        return replace(
            _named(column, profile, by_name, reason=reason),
            score=round(min(1.0, max(rule.score, by_values.score) + 0.02), 2),
            from_values=True,
        )
    more_revealing = _ORDER.index(by_values.role) < _ORDER.index(rule.role)
    no_codes = (
        rule.kind in _CODE_KINDS and by_values.role is rule.role and by_values.kind not in _MAY_BE_CODES
    )
    if no_codes or (more_revealing and by_values.kind not in _WEAK_KINDS):
        suggestion = _from_values(column, profile, by_values)
        return replace(suggestion, reason=reason)
    return _named(column, profile, by_name, reason=named)


# Names that promise codes: they say nothing of values that look like no codes, such as names of people.
_CODE_KINDS = frozenset({"patient or person number", "record identifier"})
_MAY_BE_CODES = frozenset({"record identifier", "identifier by distinctness", DIGESTS, "free text"})
# Shapes that say little against a name that says what the column holds.
_WEAK_KINDS = _MAY_BE_CODES - {"free text"} | {"person's name", PERHAPS_NAMES, "year"}


def _named(column: str, profile: ColumnProfile, by_name: NameMatch, *, reason: str) -> RoleSuggestion:
    rule = by_name.rule
    return _suggestion(column, profile, role=rule.role, kind=rule.kind, score=rule.score, reason=reason)


def _from_values(column: str, profile: ColumnProfile, by_values: ValueMatch | None) -> RoleSuggestion:
    assert by_values is not None  # noqa: S101 - the caller has looked
    return _suggestion(
        column,
        profile,
        role=by_values.role,
        kind=by_values.kind,
        score=by_values.score,
        reason=joined(["The name says nothing.", by_values.reason]),
        from_values=True,
    )


def _nothing_found(column: str, profile: ColumnProfile) -> RoleSuggestion:
    if profile.tells_records_apart:
        reason = "Neither name nor shape says what it is, but nearly every value differs: check by eye."
        return _suggestion(column, profile, score=0.4, reason=reason)
    return _suggestion(
        column, profile, score=0.6, reason="Neither the name nor the values look like any known kind."
    )


def _suggestion(
    column: str,
    profile: ColumnProfile,
    *,
    score: float,
    reason: str,
    role: Role = Role.OTHER,
    kind: str = "",
    from_values: bool = False,
) -> RoleSuggestion:
    return RoleSuggestion(
        column=column,
        role=role,
        kind=kind,
        score=round(score, 2),
        reason=reason,
        from_values=from_values,
        n_nonblank=profile.n_nonblank,
        n_distinct=profile.n_distinct,
    )


def _with_coordinates(
    suggestions: list[RoleSuggestion], profiles: Mapping[str, ColumnProfile]
) -> list[RoleSuggestion]:
    """Return the suggestions with neighbouring columns that look like latitude and longitude marked."""
    found = list(suggestions)
    for first, second in itertools.pairwise(range(len(found))):
        pair = (found[first], found[second])
        if any(suggestion.role is not Role.OTHER for suggestion in pair):
            continue
        if _are_coordinates(*(profiles[suggestion.column] for suggestion in pair)):
            found[first], found[second] = (_coordinate(suggestion) for suggestion in pair)
    return found


def _coordinate(suggestion: RoleSuggestion) -> RoleSuggestion:
    return replace(
        suggestion,
        role=Role.QUASI_IDENTIFIER,
        kind=text("coordinates"),
        score=0.6,
        from_values=True,
        reason="The values and those of the neighbouring column look like latitude and longitude.",
    )


def _are_coordinates(first: ColumnProfile, second: ColumnProfile) -> bool:
    """Whether two columns hold decimals of one region on earth: precise, away from zero, not far apart."""
    if min(decimal_places(first), decimal_places(second)) < _COORDINATE_PLACES:
        return False
    if min(first.distinct_share, second.distinct_share) < DISTINCT / 2:
        return False
    a, b = _numbers(first), _numbers(second)
    return any(_in_region(lat, lon) for lat, lon in ((a, b), (b, a)))


def _in_region(lat: np.ndarray, lon: np.ndarray) -> bool:
    limits = np.abs(lat).max() <= _LAT_LIMIT and np.abs(lon).max() <= _LON_LIMIT
    far_from_zero = min(abs(np.median(lat)), abs(np.median(lon))) > 5
    spread = (np.subtract(*np.percentile(each, (99, 1))) for each in (lat, lon))
    return bool(limits and far_from_zero and all(one <= _REGION for one in spread))


def _numbers(profile: ColumnProfile) -> np.ndarray:
    values = pd.to_numeric(pd.Series(profile.sample), errors="coerce")
    return values.dropna().to_numpy()
