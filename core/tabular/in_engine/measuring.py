"""Measure two tables of one engine: everything the published rule counts."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.engines import (
    SECRETS,
    Address,
    Engine,
    JoinedColumn,
    KeyColumn,
    Origin,
    beside,
    check_groupable,
    check_key,
    connected,
    is_missing_text,
    key_columns,
    key_problems,
    look_at,
    may_say_the_same,
    no_common_key,
    say_the_same,
    side_of,
    text_form,
    trimmed_text,
    unanswered_by,
)
from core.equivalence import CountedClasses
from core.errors import AuditInputError, UnansweredError
from core.tables import ReadOptions
from core.tables.header import is_unnamed
from core.tabular.columns import MatchedColumn, logged_quasi_identifiers
from core.tabular.in_engine.columns import Pair
from core.tabular.log import AnonymizationLog
from core.tabular.measuring import (
    ResidualCount,
    TabularMeasurement,
    check_quasi_identifiers,
    check_tables,
    logged_actions,
    match_tables,
    residual_count,
)
from core.tabular.rules import ColumnCheck, Scanned, check_match
from core.tabular.settings import TabularSettings
from core.verdict import Finding, not_in_engine
from core.words import input_error

_NO_SECOND_OPINION = (
    "The second opinion is not assessed: columns left unchanged, re-linkage, identifiers that the log does "
    "not name, free text, and what else it looks for need the records themselves."
)


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

    Where the engine answers no more once a column is counted, that is kept, and `unanswered` says why.

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
    options = options or ReadOptions()
    reach = connected(original, options=options, memory=memory, secrets=secrets, is_stopped=is_stopped)
    with reach as first:
        engines = (first, beside(first, anonymized, options=options, is_stopped=is_stopped))
        measuring = _Measuring(engines, log, settings or TabularSettings(), quasi_identifiers, options)
        try:
            measured, classes = measuring.measure(key)
        except UnansweredError as error:
            raise AuditInputError(*unanswered_by(error, engines)) from None
        if measured.unanswered and is_stopped is not None and is_stopped():
            raise AuditInputError(*measured.unanswered)
        return InEngine(measured, classes, (engines[0].origin, engines[1].origin))


class _Measuring:
    """What belongs together in two tables of one engine, the original first, and what is counted of it."""

    def __init__(
        self,
        engines: tuple[Engine, Engine],
        log: AnonymizationLog,
        settings: TabularSettings,
        quasi_identifiers: Sequence[str] | None,
        options: ReadOptions,
    ) -> None:
        self._engines, self._settings, self._options = engines, settings, options
        self._names = engines[0].address.name, engines[1].address.name
        sides = [_Side(each.address.name, tuple(each.table.columns)) for each in engines]
        self._log, self._matched, alike = match_tables(sides[0], sides[1], log)
        self._notes = (*_log_notes(self._log, engines), *alike, not_in_engine(_NO_SECOND_OPINION))
        self._quasi = quasi_identifiers
        check_quasi_identifiers(sides[1], quasi_identifiers or ())

    def measure(self, key: str | None) -> tuple[TabularMeasurement, CountedClasses | None]:
        """Count column by column, then classes, up to where the engine answers no more."""
        pair = self._pair(key)
        checks: dict[int, ColumnCheck] = {}
        residuals: list[ResidualCount] = []
        unanswered: tuple[str, ...] = ()
        classes = None
        try:
            self._count(pair, checks, residuals)
            classes = self._classes(pair)
        except UnansweredError as error:
            if not residuals:
                raise
            unanswered = unanswered_by(error, self._engines)
        measured = check_tables(
            self._names,
            self._log,
            self._settings,
            matched=self._matched,
            checks=[checks.get(place) or self._check(match) for place, match in enumerate(self._matched)],
            residuals=residuals,
            n_records=pair.n_records,
            notes=self._notes,
        )
        n_uncounted = len(self._engines[1].table.columns) - len(residuals)
        return replace(measured, unanswered=unanswered, n_uncounted=n_uncounted), classes

    def _pair(self, key: str | None) -> Pair:
        first, second = self._engines
        if key is not None and (
            absent := [
                problem
                for engine in self._engines
                if key not in engine.table.columns
                for problem in key_problems(key, engine.address.name, None)
            ]
        ):
            raise AuditInputError(*absent)
        pseudonyms = [
            (match.original, match.anonymized)
            for match in self._matched
            if match.action == "pseudonymize" and match.anonymized is not None
        ]
        check_groupable(first, [*(name for name, _ in pseudonyms), *([] if key is None else [key])])
        check_groupable(second, second.table.columns)
        n_records = []
        for engine in self._engines:
            n_records.append(int(engine.row(engine.table.agg(n=engine.table.count()))["n"]))
            if not n_records[-1]:
                raise input_error("{table}: the table holds no record.", table=engine.address.name)
        n_first, n_second = n_records
        pairs = list(dict.fromkeys(pseudonyms))
        return Pair(
            engines=self._engines,
            options=self._options,
            n_records=(n_first, n_second),
            unchanged={} if key is None else self._unchanged(key, pairs, is_by_row=n_first == n_second),
        )

    def _unchanged(
        self, key: str, pairs: Sequence[tuple[str, str]], *, is_by_row: bool
    ) -> dict[tuple[str, str], int]:
        """Return the cells of each pair of columns that say the same in the rows of the same key."""
        keyed = self._joined((key, key), with_missing=False)
        compared = [self._joined(names, with_missing=True) for names in pairs]
        look_at(self._engines, [keyed])
        with ExitStack() as kept:
            sides = []
            for side, engine in enumerate(self._engines):
                others = {f"{'ab'[side]}{place}": each.values[side] for place, each in enumerate(compared)}
                table = side_of(engine, [keyed], side, **others)
                if any(
                    each.is_text and not engine.table[names[side]].type().is_string()
                    for each, names in zip(compared, pairs, strict=True)
                ):  # texts of numbers are long questions, which are not asked again within others
                    table = kept.enter_context(engine.kept(table))
                sides.append((table, check_key(engine, table, key=key)))
            if not is_by_row:
                return {}
            (a, _), (b, n_rows) = sides
            rows = a.join(b, a.c0 == b.c0)
            return dict(zip(pairs, self._n_alike(key, rows, compared, n_rows=n_rows), strict=True))

    def _n_alike(self, key: str, rows: Any, compared: Sequence[JoinedColumn], *, n_rows: int) -> list[int]:
        """Return how many cells of each column are alike in rows of the same key; all have to be there."""
        counts: dict[str, Any] = {"n": rows.count()}
        for place, column in enumerate(compared):
            one, other = rows[f"a{place}"], rows[f"b{place}"]
            same = one == other
            if column.is_text:
                same = same.ifelse(~is_missing_text(one, self._options), False)
                counts[f"m{place}"] = may_say_the_same(one, other).ifelse(1, 0).sum()
            counts[f"n{place}"] = same.ifelse(1, 0).sum()
        found = {name: int(n or 0) for name, n in self._engines[0].row(rows.agg(**counts)).items()}
        if not found["n"]:
            raise no_common_key(key, *self._names)
        if found["n"] < n_rows:
            raise input_error(
                "{n} row of {file} has no row of the same “{key}” in {other}, and is paired with none.",
                "{n} rows of {file} have no row of the same “{key}” in {other}, and are paired with none.",
                n=n_rows - found["n"],
                file=self._names[1],
                key=key,
                other=self._names[0],
            )
        return [
            found[f"n{place}"] + (self._written_otherwise(rows, place) if found.get(f"m{place}") else 0)
            for place in range(len(compared))
        ]

    def _written_otherwise(self, rows: Any, place: int) -> int:
        """Return how many cells are equal that are not written alike."""
        first, one, other = self._engines[0], rows[f"a{place}"], rows[f"b{place}"]
        few = rows.filter(may_say_the_same(one, other)).select(a=trimmed_text(one), b=trimmed_text(other))
        with first.kept(few) as kept:
            is_missing = is_missing_text(kept.a, self._options) | is_missing_text(kept.b, self._options)
            equal = say_the_same(kept.a, kept.b).ifelse(~is_missing, False)
            return int(first.row(kept.agg(n=equal.ifelse(1, 0).sum()))["n"] or 0)

    def _joined(self, names: tuple[str, str], *, with_missing: bool) -> JoinedColumn:
        """Return a column of both tables, as text where their types differ.

        `with_missing`: whether texts that stand for missing cells are left as they are.
        """
        columns = []
        for engine, name in zip(self._engines, names, strict=True):
            if with_missing and engine.table[name].type().is_string():
                columns.append(KeyColumn(name=name, value=engine.table[name], has_stars=False))
            else:
                columns.append(key_columns(engine, [name], self._options)[name])
        if columns[0].value.type() != columns[1].value.type():
            columns = [
                replace(each, value=text_form(engine, each)(each.value))
                for engine, each in zip(self._engines, columns, strict=True)
            ]
        return JoinedColumn(columns, dates=False)

    def _check(self, match: MatchedColumn, scanned: Scanned | None = None) -> ColumnCheck:
        unnamed = [name for name in self._engines[0].table.columns if is_unnamed(name)]
        return check_match(match, scanned, self._log, unnamed=unnamed)

    def _count(self, pair: Pair, checks: dict[int, ColumnCheck], residuals: list[ResidualCount]) -> None:
        """Add what is counted of each anonymized column, and the checks of what became it by their places."""
        logged = logged_actions(self._matched, self._log)
        facts = pair.facts()
        for name in self._engines[1].table.columns:
            matches = {place: each for place, each in enumerate(self._matched) if each.anonymized == name}
            actions = [logged.get(name, ""), *(each.action for each in matches.values())]
            patterns = self._settings.patterns
            with pair.scanned(name, facts.get(name), actions=actions, patterns=patterns) as scanned:
                found = {place: self._check(match, scanned) for place, match in matches.items()}
                residual = residual_count(name, scanned)
            checks |= found
            residuals.append(residual)

    def _classes(self, pair: Pair) -> CountedClasses | None:
        """Return the classes of records that share their quasi-identifiers; see `measure_classes`."""
        logged = logged_quasi_identifiers(self._matched)
        quasi = logged if self._quasi is None else tuple(self._quasi)
        if not quasi:
            return None
        engine = self._engines[1]
        columns = key_columns(engine, quasi, self._options)
        keys = {f"k{place}": columns[name].value for place, name in enumerate(quasi)}
        records = engine.table.select(**keys)
        is_assessed = records.k0.notnull()
        for name in keys:
            is_assessed = is_assessed | records[name].notnull()
        records = records.filter(is_assessed)
        classes = records.group_by([*keys]).agg(size=records.count())
        by_size = classes.group_by("size").agg(n=classes.count())
        found = engine.rows(by_size.order_by("size"))
        sizes, n_classes = (np.array([int(n) for n in found[key]], dtype=np.int64) for key in ("size", "n"))
        return CountedClasses(
            quasi,
            sizes=sizes,
            n_classes=n_classes,
            n_records=sizes * n_classes,
            n_left_out=pair.n_records[1] - int(sizes @ n_classes),
        )


def _log_notes(log: AnonymizationLog, engines: tuple[Engine, Engine]) -> tuple[Finding, ...]:
    """Return what is odd about the log; a table of a database is called as no file is."""
    first, second = (engine.address for engine in engines)
    if first.engine != "duckdb":
        return log.notes
    return log.notes_about(original_name=first.name, anonymized_name=second.name)
