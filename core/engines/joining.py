"""Rows of two tables of one engine that belong together by a key, and cells that say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from core.engines.columns import KeyColumn, digits_and_power, has_blank_ends, trimmed_text
from core.engines.sources import Engine
from core.errors import AuditInputError, refuse
from core.values.cells import DATE_PATTERN, NUMBER_PATTERN, canonical_text
from core.words import input_error, text

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

_MOST_SPELLINGS = 10_000  # of dates of a column, which come here to be read
# Written so that every engine reads them: no backslash.
_DATE = DATE_PATTERN.replace(r"\.", "[.]")
_NUMBER = NUMBER_PATTERN.replace(r"\.", "[.]")
_PLAIN_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_PLAIN_NUMBER = "^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)[.][0-9]*[1-9])$"
_NOT_FINITE = {"nan": "nan"} | {
    f"{sign}{word}": "-inf" if sign == "-" else "inf"
    for sign in ("", "+", "-")
    for word in ("inf", "infinity")
}


class JoinedColumn:
    """A column of both tables as expressions that are equal exactly where cells are in memory.

    `as_text`: whether numbers and dates are compared by what is written; `dates`: whether dates in any
    spelling are equal.
    """

    def __init__(self, columns: Sequence[KeyColumn], *, dates: bool, as_text: bool = False) -> None:
        self.name = columns[0].name
        self.reads_dates = dates
        kinds = [column.value.type() for column in columns]
        same = kinds[0] == kinds[1] or all(kind.is_integer() for kind in kinds)
        zones = [kind.is_timestamp() and kind.timezone is not None for kind in kinds]
        self.is_text = kinds[0].is_string() or not same or as_text
        if self.is_text and any(zones):
            raise input_error(
                "{column} holds {kind}, and is compared as text, which says nothing of time zones. Give both "
                "tables the same type without one, and ignore no values.",
                column=f"`{self.name}`",
                kind=str(kinds[zones.index(True)]).partition("(")[0],
            )
        to = "string" if self.is_text else "int64" if kinds[0] != kinds[1] else None
        self.values = [column.value if to is None else column.value.cast(to) for column in columns]
        self.is_spaced = self.has_numbers = False  # whether cells have blank ends, or numbers in other forms
        self.dates: dict[str, str] = {}  # what spellings of dates say

    def facts(self, side: int) -> dict[str, Any]:
        """Return counts of cells that are not written as they are compared."""
        value = self.values[side]
        plain = trimmed_text(value)
        is_number = plain.re_search(_NUMBER) & ~plain.re_search(_PLAIN_NUMBER)
        found = {
            "spaced": has_blank_ends(value).sum(),
            "numbers": (is_number | plain.lower().isin([*_NOT_FINITE])).sum(),
        }
        return found | {"dates": self._odd_date(plain).nunique()} if self.reads_dates else found

    def _odd_date(self, plain: Any) -> Any:
        import ibis  # noqa: PLC0415 - takes seconds to import

        is_odd = plain.re_search(_DATE) & ~plain.re_search(_PLAIN_DATE)
        return is_odd.ifelse(plain, ibis.null("string"))

    def take(self, engine: Engine, side: int, found: Mapping[str, int]) -> None:
        """Take the facts of one table, and read its dates."""
        self.is_spaced |= found["spaced"] > 0
        self.has_numbers |= found["numbers"] > 0
        if not found["dates"]:
            return
        if found["dates"] > _MOST_SPELLINGS:
            raise input_error(
                "{column} of {file} holds {n} dates that are not written as 2020-01-31, too many to read. "
                "Give both tables a column of dates.",
                column=f"`{self.name}`",
                file=engine.address.name,
                n=found["dates"],
            )
        odd = engine.table.select(v=self._odd_date(trimmed_text(self.values[side])))
        odd = odd.filter(odd.v.notnull())
        spellings = engine.rows(odd.group_by("v").agg(n=odd.count()), most=_MOST_SPELLINGS)["v"]
        self.dates |= {each: canonical_text(each, dates=True) for each in spellings}

    def canonical(self, value: Any) -> Any:
        """Return a text that dates were read in as all that are equal to it are written."""
        return _numbers_alike(value) if self.has_numbers else value


def _numbers_alike(value: Any) -> Any:
    """Return texts with each number as its digits, e, and the power of ten of the last of them."""
    import ibis  # noqa: PLC0415

    is_number = value.re_search(_NUMBER).fill_null(False)
    number = is_number.ifelse(value, "0")
    digits, power = digits_and_power(number)
    sign = number.startswith("-").ifelse("-", "")
    alike = (digits == "").ifelse("0", sign + digits + "e" + power.cast("string"))
    words = [(value.lower() == word, ibis.literal(said)) for word, said in _NOT_FINITE.items()]
    return ibis.cases((is_number, alike), *words, else_=value)


def look_at(engines: tuple[Engine, Engine], written: Sequence[JoinedColumn]) -> None:
    """Find out which columns of text have to be looked at closely; the rest are compared as they are."""
    for side, engine in enumerate(engines):
        facts = {
            f"{key}_{place}": fact
            for place, each in enumerate(written)
            if each.is_text
            for key, fact in each.facts(side).items()
        }
        found = engine.row(engine.table.agg(**facts)) if facts else {}
        for place, each in enumerate(written):
            if each.is_text:
                told = {key: int(found.get(f"{key}_{place}") or 0) for key in ("spaced", "numbers", "dates")}
                each.take(engine, side, told)


def side_of(engine: Engine, written: Sequence[JoinedColumn], side: int, **others: Any) -> Expression:
    """Return a table with its key c0 and columns c1, … as they are compared, and others as they are."""
    import ibis  # noqa: PLC0415

    table = engine.table.select(
        **{
            f"c{place}": trimmed_text(each.values[side]) if each.is_spaced else each.values[side]
            for place, each in enumerate(written)
        },
        **others,
    )
    for place, each in enumerate(written):
        if each.dates:
            names = ibis.memtable(pa.table({"v": list(each.dates), "d": list(each.dates.values())}))
            joined = table.left_join(names, table[f"c{place}"] == names.v)
            table = joined.mutate(**{f"c{place}": ibis.coalesce(joined.d, joined[f"c{place}"])}).drop(
                "v", "d"
            )
    return table.select(
        *others, **{f"c{place}": each.canonical(table[f"c{place}"]) for place, each in enumerate(written)}
    )


def check_key(engine: Engine, table: Expression, *, key: str) -> int:
    """Return the rows of a table in which the key names each once."""
    groups = table.group_by("c0").agg(n=table.count())
    found = engine.row(
        groups.agg(
            n_rows=groups.n.sum(),
            missing=groups.c0.isnull().ifelse(groups.n, 0).sum(),
            repeated=((groups.n > 1) & groups.c0.notnull()).ifelse(1, 0).sum(),
        )
    )
    n_rows, missing, repeated = (int(found[each] or 0) for each in ("n_rows", "missing", "repeated"))
    if not n_rows:
        raise input_error("{file} has no records below its header.", file=engine.address.name)
    refuse(key_problems(key, engine.address.name, (missing, repeated)))
    return n_rows


def key_problems(key: str, file: str, counts: tuple[int, int] | None) -> list[str]:
    """Say what is wrong with a key of so many missing cells and repeated values; None where it is absent."""
    if counts is None:
        absent = "The key column “{key}” is not in {file}; it has to be in both tables."
        return [text(absent, key=key, file=file)]
    problems: list[str] = []
    n_missing, n_repeated = counts
    if n_missing:
        problems.append(
            text(
                "The key column “{key}” of {file} is empty in {n} row; a key has to be filled in every row.",
                "The key column “{key}” of {file} is empty in {n} rows; a key has to be filled in every row.",
                n=n_missing,
                key=key,
                file=file,
            )
        )
    if n_repeated:
        problems.append(
            text(
                "The key column “{key}” of {file} holds {n} value more than once; a key has to be "
                "different in every row.",
                "The key column “{key}” of {file} holds {n} values more than once; a key has to be "
                "different in every row.",
                n=n_repeated,
                key=key,
                file=file,
            )
        )
    return problems


def no_common_key(key: str, original: str, scrambled: str) -> AuditInputError:
    """Return the error of a key that pairs no row."""
    return input_error(_NO_COMMON_KEY, key=key, original=original, scrambled=scrambled)


_NO_COMMON_KEY = (
    "No value of the key column “{key}” is in both {original} and {scrambled}, so no row can be "
    "compared with its own."
)
