"""Columns of the scrambled table that tell by themselves who takes part: names, national numbers, e-mail."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.chance import binomial_tail
from core.leakage.pairing import TablePair
from core.people.roles import RoleSuggestion
from core.verdict import Finding, Verdict
from core.words import listed, share_of, text

_NAMES, _MAIL = "person's name", "e-mail address"  # strangers share names
_LOOKED_AT, _HALF, _FEWEST_FREE, _MOST_DIGITS = 1000, 5, 5, 12
_KINDS = frozenset(
    {_NAMES, "national identification number", "identity document or account number", _MAIL, "phone number"}
)


@dataclass(frozen=True, kw_only=True)
class NamingColumn:
    """A column whose values say who somebody is, and how many of the original's are still there."""

    column: str
    is_seen: bool  # whether the values of either table look so, not the column's name alone
    n_found: int  # distinct values of the original that the scrambled table holds, of all of them
    n_values: int
    p_value: float  # of as many, were the scrambled values drawn from where the original's are from


def find_naming_columns(
    pair: TablePair, columns: Sequence[str], suggestions: Iterable[RoleSuggestion]
) -> tuple[NamingColumn, ...]:
    """Return the compared columns that tell who people are and still hold values of the original.

    `suggestions` are of both tables: among pseudonyms a few values of the original are no longer seen.
    """
    named = sorted((each for each in suggestions if each.kind in _KINDS), key=lambda each: each.from_values)
    kinds = {each.column: each for each in named}
    found = (_naming_column(pair, kinds[name]) for name in columns if name in kinds)
    return tuple(each for each in found if each.n_found)


def _naming_column(pair: TablePair, suggestion: RoleSuggestion) -> NamingColumn:
    ours, theirs = (counts[:-1] for counts in pair.codes[suggestion.column].counts_with_missing())
    n_values, n_found = int((ours > 0).sum()), int(((ours > 0) & (theirs > 0)).sum())
    if suggestion.kind == _NAMES or not suggestion.from_values:
        n = int(ours.sum())
        n_alike = float((ours * (ours - 1.0)).sum() / 2)
        one_alike = min((n_alike + 1) / max(n * (n - 1) / 2, 1), 1)  # two strangers of one name; never none
    elif suggestion.kind == _MAIL:
        one_alike = 10.0**-_MOST_DIGITS
    else:
        one_alike = 10.0 ** -_n_free_digits(pair.original.table[suggestion.column])
    held = -np.expm1(int(theirs.sum()) * np.log1p(-min(one_alike, 1 - 1e-12)))
    p_value = float(binomial_tail(n_found, n_values, held))
    return NamingColumn(
        column=suggestion.column,
        is_seen=suggestion.from_values,
        n_found=n_found,
        n_values=n_values,
        p_value=p_value,
    )


def _n_free_digits(cells: pa.ChunkedArray) -> int:
    """Return in how many places from the end values have half of all digits or more; 12 of no numbers."""
    texts = cells.slice(0, _LOOKED_AT).drop_null().cast(pa.string())
    digits = pc.replace_substring_regex(texts, "[^0-9]", "")
    places = (pc.utf8_slice_codeunits(pc.utf8_reverse(digits), at, at + 1) for at in range(_MOST_DIGITS))
    free = sum(pc.count_distinct(place.filter(pc.not_equal(place, ""))).as_py() >= _HALF for place in places)
    return free if free >= _FEWEST_FREE else _MOST_DIGITS


def naming_findings(columns: Sequence[NamingColumn], level: float) -> Iterator[Finding]:
    """FAIL where values that tell who people are stand in both tables, WARN where only the name says so.

    Names that strangers share as often, made-up ones for instance, are no finding.
    """
    found = [each for each in columns if each.p_value <= level]
    if seen := sorted((each for each in found if each.is_seen), key=lambda each: -each.n_found):
        names, most = [each.column for each in seen], seen[0]
        values = share_of(most.n_found, most.n_values, "values")
        finding = Finding.of("direct_identifiers", Verdict.FAIL, n_affected=len(seen))(
            "{columns} tells who people are, and values of the original are still there: {values} of {most}. "
            "Whoever reads them knows who takes part.",
            "{columns} tell who people are, and values of the original are still there: {values} of {most}. "
            "Whoever reads them knows who takes part.",
            columns=listed(names, at_most=4),
            values=values,
            most=f"`{most.column}`",
        )
        short = text(
            "{n} of {total} original values of {column} is still there, and tells who somebody is.",
            "{n} of {total} original values of {column} are still there, and tell who people are.",
            n=most.n_found,
            total=most.n_values,
            column=f"`{most.column}`",
        )
        step = text(
            "Leave out {columns}, or put random pseudonyms in place of the {n} value.",
            "Leave out {columns}, or put random pseudonyms in place of the {n} values.",
            n=sum(each.n_found for each in seen),
            columns=listed(names, at_most=4),
        )
        yield finding.told(short=short, step=step)
    for each in found:
        if not each.is_seen:
            yield Finding.of("perhaps_names", Verdict.WARN, column=each.column, n_affected=each.n_found)(
                "By its name `{column}` may tell who people are, and values of the original are still there: "
                "{values}.",
                values=share_of(each.n_found, each.n_values, "values"),
            )
