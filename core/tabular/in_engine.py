"""The published rule on two tables in one engine: only aggregates come back."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.engines import (
    SECRETS,
    Address,
    Engine,
    JoinedColumn,
    KeyColumn,
    Origin,
    beside,
    check_key,
    connected,
    key_columns,
    key_problems,
    look_at,
    no_common_key,
    side_of,
    text_form,
    trimmed_text,
)
from core.equivalence import CountedClasses
from core.errors import AuditInputError
from core.patterns import CATALOGUE
from core.people import (
    ADMINISTRATIVE_ENDINGS,
    CATEGORICAL_ENDINGS,
    GIVEN_NAMES_LIKE_PLACES,
    KOREAN_SURNAMES,
    WORDS_THAT_ARE_NO_NAMES,
)
from core.tables import ReadOptions
from core.tables.header import is_unnamed
from core.tabular import values
from core.tabular.columns import MatchedColumn
from core.tabular.log import DATE_FLOOR_ACTIONS, AnonymizationLog
from core.tabular.measuring import (
    TabularMeasurement,
    check_quasi_identifiers,
    check_tables,
    logged_actions,
    match_tables,
)
from core.tabular.rules import Pseudonyms
from core.tabular.settings import TabularSettings
from core.verdict import Finding, Verdict
from core.words import input_error

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

_MOST_SHAPES = 200  # of cells that speak against a column, the most frequent
_LONGEST_SHAPE = 50  # characters of a cell that its shape may depend on
_BREAKS = ["\x85", "\u2028", "\u2029"]  # ends of lines that Java allows before the end of a text


class InEngine(NamedTuple):
    """What the rule counted of two tables in an engine, and where."""

    measurement: TabularMeasurement
    classes: CountedClasses | None
    origins: tuple[Origin, Origin]  # of the original and the anonymized table


class _Side(NamedTuple):
    name: str
    columns: tuple[str, ...]


def measure_in_engine(
    original: Address,
    anonymized: Address,
    log: AnonymizationLog,
    *,
    settings: TabularSettings | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    key: str | None = None,
    options: ReadOptions | None = None,
    memory: str | None = None,
    secrets: Path = SECRETS,
    is_stopped: Callable[[], bool] | None = None,
) -> InEngine:
    """Reach two tables in one engine, and count there what the published rule counts.

    Parameters
    ----------
    original, anonymized, log
        Where the tables are, and what was logged.
    settings
        Patterns of the rule alone; the others need the values themselves.
    quasi_identifiers
        Anonymized columns that others may know; None takes those of the log.
    key
        A column that names each row of both tables once: pseudonyms are then held against the original's
        values in the row of the same key. Without it that is not assessed, rows having no order.
    options, memory, secrets, is_stopped
        See :func:`core.engines.connected`.

    Raises
    ------
    AuditInputError
        A table cannot be reached or is empty, the two are not in one engine, a column holds what cannot be
        grouped, or the key does not name each row once.
    """
    options, settings = options or ReadOptions(), settings or TabularSettings()
    reach = connected(original, options=options, memory=memory, secrets=secrets, is_stopped=is_stopped)
    with reach as first:
        second = beside(first, anonymized, options=options, is_stopped=is_stopped)
        engines = (first, second)
        names = (first.address.name, second.address.name)
        sides = tuple(_Side(name, tuple(e.table.columns)) for name, e in zip(names, engines, strict=True))
        log, matched, alike = match_tables(sides[0], sides[1], log)
        quasi = None if quasi_identifiers is None else tuple(quasi_identifiers)
        check_quasi_identifiers(sides[1], quasi or ())
        pair = _Pair(engines, _columns(engines, matched, key, options), matched, key)
        actions = logged_actions(matched, log)
        scanned = {
            name: _Scanned(pair, column, action=actions.get(name, ""), patterns=settings.patterns)
            for name, column in pair.columns[1].items()
        }
        measured = check_tables(
            names,
            log,
            settings,
            matched=matched,
            scanned=scanned,
            n_records=pair.n_records,
            unnamed=[name for name in sides[0].columns if is_unnamed(name)],
            notes=(*_log_notes(log, engines), *alike, _not_in_engine()),
        )
        chosen = measured.quasi_identifiers if quasi is None else quasi
        return InEngine(measured, _classes(pair, chosen), (first.origin, second.origin))


def _columns(
    engines: tuple[Engine, Engine], matched: Sequence[MatchedColumn], key: str | None, options: ReadOptions
) -> tuple[Mapping[str, KeyColumn], Mapping[str, KeyColumn]]:
    """Return the original's columns that are needed, and all anonymized ones."""
    if key is not None and (
        absent := [
            problem
            for engine in engines
            if key not in engine.table.columns
            for problem in key_problems(key, engine.address.name, None)
        ]
    ):
        raise AuditInputError(*absent)
    needed = [match.original for match in matched if _is_pseudonymized(match)]
    first, second = engines
    return (
        key_columns(first, [*needed, *([] if key is None else [key])], options),
        key_columns(second, second.table.columns, options),
    )


def _is_pseudonymized(match: MatchedColumn) -> bool:
    return match.action == "pseudonymize" and match.anonymized is not None


def _log_notes(log: AnonymizationLog, engines: tuple[Engine, Engine]) -> tuple[Finding, ...]:
    """Return what is odd about the log; a table of a database is called as no file is."""
    first, second = (engine.address for engine in engines)
    if first.engine != "duckdb":
        return log.notes
    return log.notes_about(original_name=first.name, anonymized_name=second.name)


def _not_in_engine() -> Finding:
    return Finding.of("not_in_engine", Verdict.NOT_ASSESSED)(
        "The second opinion is not assessed: columns left unchanged, re-linkage, identifiers that the log "
        "does not name, free text, and what else it looks for need the records themselves."
    )


class _Pair:
    """Two tables of one engine, the original first, and which of their rows belong together."""

    def __init__(
        self,
        engines: tuple[Engine, Engine],
        columns: tuple[Mapping[str, KeyColumn], Mapping[str, KeyColumn]],
        matched: Sequence[MatchedColumn],
        key: str | None,
    ) -> None:
        self.engines, self.columns = engines, columns
        first, second = (int(engine.row(engine.table.agg(n=engine.table.count()))["n"]) for engine in engines)
        for engine, n in zip(engines, (first, second), strict=True):
            if not n:
                raise input_error("{table}: the table holds no record.", table=engine.address.name)
        self.n_records = first, second
        pairs = [(m.original, str(m.anonymized)) for m in matched if _is_pseudonymized(m)]
        self.unchanged = {} if key is None else self._count_unchanged(key, list(dict.fromkeys(pairs)))

    def texts(self, side: int, name: str) -> Expression:
        """Return the distinct values v of a column, as texts, and the rows n of each."""
        engine, column = self.engines[side], self.columns[side][name]
        form = text_form(engine, column)
        cells = engine.table.select(v=column.value)
        cells = cells.filter(cells.v.notnull())
        grouped = cells.group_by("v").agg(n=cells.count())
        return grouped.select(v=form(grouped.v), n=grouped.n)

    def _count_unchanged(self, key: str, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Return the cells of each pair of columns that are equal in the rows of the same key."""
        written = [JoinedColumn(self._alike(names), dates=False) for names in ((key, key), *pairs)]
        look_at(self.engines, written)
        tables = [side_of(engine, written, side) for side, engine in enumerate(self.engines)]
        first, second = self.engines
        with first.kept(tables[0]) as original, second.kept(tables[1]) as anonymized:
            check_key(first, original, key=key)
            n_rows = check_key(second, anonymized, key=key)
            if self.n_records[0] != self.n_records[1]:
                return {}
            a, b = (
                table.select(**{f"{letter}{place}": table[f"c{place}"] for place in range(len(written))})
                for letter, table in (("a", original), ("b", anonymized))
            )
            rows = a.join(b, a.a0 == b.b0)
            equal = {
                f"n{place}": (rows[f"a{place}"] == rows[f"b{place}"]).fill_null(False).ifelse(1, 0).sum()
                for place in range(1, len(written))
            }
            found = first.row(rows.agg(n0=rows.count(), **equal))
        counts = [int(value or 0) for value in found.values()]
        if not counts[0]:
            raise no_common_key(key, first.address.name, second.address.name)
        if counts[0] < n_rows:
            raise input_error(
                "{n} row of {file} has no row of the same “{key}” in {other}, and is paired with none.",
                "{n} rows of {file} have no row of the same “{key}” in {other}, and are paired with none.",
                n=n_rows - counts[0],
                file=second.address.name,
                key=key,
                other=first.address.name,
            )
        return dict(zip(pairs, counts[1:], strict=True))

    def _alike(self, names: tuple[str, str]) -> list[KeyColumn]:
        """Return a column of both tables, as text where their types differ."""
        columns = [self.columns[side][name] for side, name in enumerate(names)]
        if columns[0].value.type() == columns[1].value.type():
            return columns
        return [
            KeyColumn(name=each.name, value=text_form(engine, each)(each.value), has_stars=each.has_stars)
            for engine, each in zip(self.engines, columns, strict=True)
        ]


class _Scanned:
    """What the rule counts of an anonymized column in an engine; see :class:`core.tabular.rules.Scanned`."""

    def __init__(self, pair: _Pair, column: KeyColumn, *, action: str, patterns: Sequence[str]) -> None:
        self._pair, self._name, self._action, self._patterns = pair, column.name, action, tuple(patterns)

    @cached_property
    def _texts(self) -> Expression:
        return self._pair.texts(1, self._name)

    @cached_property
    def _flagged(self) -> Expression:
        """Return the distinct values with whether each holds each pattern, and any that counts."""
        import ibis  # noqa: PLC0415 - takes seconds to import

        texts = self._texts.mutate(may=self._texts.v.re_search(_MAY_HOLD))
        possible = self._possible_patterns()
        flags = {
            f"p{place}": texts.may.ifelse(_holds(texts.v, key), False)
            if key in possible
            else ibis.literal(False)
            for place, key in enumerate(self._patterns)
        }
        flagged = texts.mutate(**flags)
        residual = ibis.literal(False)
        for flag in flags:
            residual = residual | flagged[flag]
        if self._action in DATE_FLOOR_ACTIONS:
            residual = residual & ~_is_floor(flagged.v, decade=self._action == "date_floor_decade")
        return flagged.mutate(r=residual)

    def _possible_patterns(self) -> Container[str]:
        """Return the patterns that a column of this type can hold."""
        kind: Any = self._pair.engines[1].table[self._name].type()
        if kind.is_numeric():
            return ("resident_number",)
        if kind.is_boolean() or kind.is_date() or kind.is_timestamp():
            return ("date",)
        return self._patterns

    @cached_property
    def _counts(self) -> dict[str, int]:
        flagged = self._flagged
        marked = {f"p{place}": flagged[f"p{place}"] & flagged.r for place in range(len(self._patterns))}
        asked = {"r": flagged.r, **marked}
        return self._row(
            flagged.agg(
                n=flagged.n.sum(),
                distinct=flagged.count(),
                **{key: mark.ifelse(flagged.n, 0).sum() for key, mark in asked.items()},
            )
        )

    def _row(self, question: Expression) -> dict[str, int]:
        return {key: int(value or 0) for key, value in self._pair.engines[1].row(question).items()}

    @property
    def n_records(self) -> int:
        """Return the number of records."""
        return self._pair.n_records[1]

    @property
    def n_filled(self) -> int:
        """Return the cells that are not blank."""
        return self._counts["n"]

    @property
    def n_residual(self) -> int:
        """Return the cells that hold a sensitive pattern."""
        return self._counts["r"]

    @property
    def residual_counts(self) -> Mapping[str, int]:
        """Return pattern key to the cells that hold it."""
        counts = {key: self._counts[f"p{place}"] for place, key in enumerate(self._patterns)}
        return {key: n for key, n in counts.items() if n}

    def residual_shapes(self) -> tuple[str, ...]:
        """Return frequent shapes of cells with a pattern."""
        return self._shapes(self._flagged.filter(self._flagged.r))

    def wrong_dates(self, *, decade: bool) -> tuple[int, tuple[str, ...]]:
        """Return the cells that are not the first day of a year, or of a decade, and frequent shapes."""
        wrong = self._texts.filter(~_is_floor(self._texts.v, decade=decade))
        n_wrong = self._row(wrong.agg(n=wrong.n.sum()))["n"]
        return n_wrong, self._shapes(wrong) if n_wrong else ()

    def _shapes(self, texts: Expression) -> tuple[str, ...]:
        """Return the most frequent shapes; the engine hides digits and letters, and the rest is done here."""
        shape = texts.v.left(_LONGEST_SHAPE).re_replace("[0-9]", "0")
        digits, letters = (_characters(each, beyond_ascii=True) for each in (r"\p{N}", r"[\p{L}\p{M}]"))
        shape = shape.re_replace(f"[{digits}]", "²").re_replace(f"[a-zA-Z{letters}]", "A")
        hidden = texts.select(s=shape, n=texts.n)
        grouped = hidden.group_by("s").agg(n=hidden.n.sum().cast("int64"))
        found = self._pair.engines[1].rows(
            grouped.order_by([grouped.n.desc(), grouped.s]).limit(_MOST_SHAPES), most=_MOST_SHAPES
        )
        return values.shapes_of(pa.array(found["s"], pa.string()), pa.array(found["n"], pa.int64()))

    def pseudonyms(self, match: MatchedColumn) -> Pseudonyms:
        """Return what the rule counts of pseudonyms; rows belong together by the key."""
        first, second = self._pair.n_records
        original = self._pair.texts(0, match.original)
        n_original = int(self._pair.engines[0].row(original.agg(n=original.count()))["n"])
        if by_row := first == second:
            n_unchanged = self._pair.unchanged.get((match.original, self._name))
        else:
            ours, theirs = (
                each.select(**{letter: trimmed_text(each.v)}).distinct()
                for letter, each in (("a", original), ("b", self._texts))
            )
            shared = ours.join(theirs, ours.a == theirs.b)
            n_unchanged = self._row(shared.agg(n=shared.count()))["n"]
        return Pseudonyms(
            n_filled=self.n_filled,
            n_distinct=self._counts["distinct"],
            n_distinct_original=n_original,
            n_unlike=self.n_filled - self._n_like_pseudonyms(),
            n_unchanged=n_unchanged,
            n_compared=self.n_filled if by_row else self._counts["distinct"],
            by_row=by_row,
        )

    def _n_like_pseudonyms(self) -> int:
        """Return the cells that look like pseudonyms; see `values.look_like_pseudonyms`."""
        texts = self._texts.select(t=trimmed_text(self._texts.v), n=self._texts.n)
        digits = texts.t.re_search(values.DIGITS_ONLY)
        is_hexadecimal = texts.t.re_search(values.HEXADECIMAL)
        other = texts.t.re_search(_there(values.TOKEN))
        other = other & texts.t.re_search("[A-Za-z]") & texts.t.re_search("[0-9]")
        other = other | texts.t.re_search(_there(f"{values.UUID}|{values.SURNAME_AND_ZEROS}"))
        found = self._row(
            texts.agg(
                digits=(is_hexadecimal & digits).ifelse(texts.n, 0).sum(),
                letters=(is_hexadecimal & ~digits).ifelse(texts.n, 0).sum(),
                other=(other & ~is_hexadecimal).ifelse(texts.n, 0).sum(),
                prefixes=texts.t.re_replace("[0-9]+$", "").nunique(),
                without=((~texts.t.re_search("[0-9]$")) | digits).ifelse(1, 0).sum(),
            )
        )
        if self.n_filled and found["prefixes"] == 1 and not found["without"]:
            return self.n_filled
        are_tokens = found["digits"] <= found["letters"]
        return found["letters"] + found["other"] + (found["digits"] if are_tokens else 0)


def _classes(pair: _Pair, quasi: Sequence[str]) -> CountedClasses | None:
    """Return the classes of records that share their quasi-identifiers; see `measure_classes`."""
    if not quasi:
        return None
    engine = pair.engines[1]
    keys = {f"k{place}": pair.columns[1][name].value for place, name in enumerate(quasi)}
    records = engine.table.select(**keys)
    is_assessed = records.k0.notnull()
    for name in keys:
        is_assessed = is_assessed | records[name].notnull()
    records = records.filter(is_assessed)
    classes = records.group_by([*keys]).agg(size=records.count())
    by_size = classes.group_by("size").agg(n=classes.count())
    found = engine.rows(by_size.order_by("size"))
    sizes, n_classes = (np.array([int(each) for each in found[key]], dtype=np.int64) for key in ("size", "n"))
    return CountedClasses(
        quasi,
        sizes=sizes,
        n_classes=n_classes,
        n_records=sizes * n_classes,
        n_left_out=pair.n_records[1] - int(sizes @ n_classes),
    )


# --- the rule's patterns as every engine reads them: no backslash, and characters named one by one


@cache
def _characters(of: str, *, beyond_ascii: bool = False) -> str:
    """Return the characters that a regex finds in memory, as ranges to stand in brackets."""
    codes = np.array([code for code in range(128 if beyond_ascii else 1, 0x110000) if code >> 11 != 0x1B])
    found = pc.match_substring_regex(pa.array(list(map(chr, codes.tolist()))), of)
    hits = codes[found.to_numpy(zero_copy_only=False)]
    ends = np.flatnonzero(np.diff(hits) != 1)
    starts, ends = hits[np.append(0, ends + 1)].tolist(), hits[np.append(ends, len(hits) - 1)].tolist()
    return "".join(f"{chr(a)}-{chr(b)}" if b > a else chr(a) for a, b in zip(starts, ends, strict=True))


@cache
def _there(regex: str) -> str:
    """Return a regex of the rule as engines read it."""
    plain = (
        *(("(?P<found>", "(?:"), (r"\-]", "-]"), (r"\d", "[0-9]"), (r"\s", "[\t\n\f\r ]")),
        *((r"\.", "[.]"), (r"\{", "[{]"), (r"\}", "[}]")),
    )
    for old, new in plain:
        regex = regex.replace(old, new)
    for kind in (r"\p{L}", r"\p{N}"):
        if kind in regex:
            regex = regex.replace(kind, _characters(kind))
    return regex


# What is in every text that holds a pattern of the rule: no letters besides, so that it is searched quickly.
_MAY_HOLD = (
    "[0-9]{6}-?[0-9]{7}|[0-9]{2,3}-[0-9]{3,4}-[0-9]{4}|[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}|@|[가-힣]{2}"
)


def _holds(value: Any, key: str) -> Any:
    """Return whether a text holds a pattern of the rule."""
    found = value.re_search(_there(CATALOGUE[key].regex))
    if key != "hangul_name":
        return found
    word = trimmed_text(value)
    people = f"^{_any_of(KOREAN_SURNAMES)}{_any_of(GIVEN_NAMES_LIKE_PLACES)}$"
    is_place = word.re_search(f"[{ADMINISTRATIVE_ENDINGS}]$") & ~word.re_search(people)
    is_word = word.re_search(f"^{_any_of(WORDS_THAT_ARE_NO_NAMES)}$|[{CATEGORICAL_ENDINGS}]$")
    return found & ~value.right(1).isin(_BREAKS) & ~is_place & ~is_word


def _is_floor(value: Any, *, decade: bool) -> Any:
    """Return whether a text is the first day of a year, or of a decade."""
    text = trimmed_text(value)
    serials = _any_of(each for each in values.SERIALS[decade].to_pylist() if "." not in each)
    return text.re_search(f"{_there(values.floor_pattern(decade=decade))}|^{serials}([.]0)?$")


def _any_of(words: Iterable[str]) -> str:
    """Return a regex of words; as a list of values they would take long to compile."""
    return f"(?:{'|'.join(sorted(words))})"
