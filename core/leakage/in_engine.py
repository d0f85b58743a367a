"""The row rules of two tables in one engine, joined on a key: only counts come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.chance import poisson_tail
from core.checks import remedy_of
from core.comparing.names import aligned_names
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
    unanswered_by,
)
from core.errors import AuditInputError, UnansweredError
from core.leakage.chance import ColumnChance
from core.leakage.pairing import column_problems
from core.leakage.row_findings import column_findings, missing_column_findings, valid_cell_findings
from core.leakage.settings import LeakageSettings, LeakageThresholds, resolve_columns
from core.leakage.whole_rows import RowLeakage
from core.tables import ReadOptions
from core.values.cells import canonical_text
from core.verdict import Finding, Verdict, not_answered, not_in_engine, worst
from core.words import Written, input_error, share_of

if TYPE_CHECKING:
    from ibis.expr.types import Table as Expression

_WORTH_A_LOOK = 0.05


class InEngine(NamedTuple):
    """What was found of two tables in an engine, and where."""

    audit: RowsInEngine
    origins: tuple[Origin, Origin]  # of the original and the scrambled table


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsInEngine:
    """The row rules of two tables in an engine, judged."""

    settings: LeakageSettings
    thresholds: LeakageThresholds
    columns: tuple[str, ...]  # columns compared, in the original's order
    rows: RowLeakage  # of the pairs that the key makes, alike ones counted together
    n_alone: tuple[int, int]  # original and scrambled rows without a partner
    # Rows that random order would make equal in full (missing is a value), and matches that it would give;
    # None where the engine answered no more.
    expected_full: float | None = None
    chance: ColumnChance | None = None
    unanswered: tuple[str, ...] = ()  # why an engine did not answer to the end
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Return the worst of the findings; what the engine cannot do is among them, so it never is PASS."""
        return worst(finding.verdict for finding in self.findings)


def audit_rows_in_engine(
    original: Address,
    scrambled: Address,
    *,
    settings: LeakageSettings,
    thresholds: LeakageThresholds,
    options: ReadOptions | None = None,
    memory: str | None = None,
    secrets: Path = SECRETS,
    is_stopped: Callable[[], bool] | None = None,
) -> InEngine:
    """Reach two tables in one engine, and apply the row rules to the rows that have the same key.

    Parameters
    ----------
    original, scrambled
        Where the tables are.
    settings, thresholds
        With a key; random orders and limits of comparisons are not used.
    options, memory, secrets, is_stopped
        See :func:`core.engines.connected`.

    Where the engine answers no more once rows are counted, these are kept, and `unanswered` says why.

    Raises
    ------
    AuditInputError
        A table cannot be reached, the two are not in one engine, or the key does not name each row once.
    """
    options = options or ReadOptions()
    reach = connected(original, options=options, memory=memory, secrets=secrets, is_stopped=is_stopped)
    with reach as first, ExitStack() as kept:
        second = beside(first, scrambled, options=options, is_stopped=is_stopped)
        names = aligned_names(first.table.columns, second.table.columns)
        second = replace(
            second,
            table=second.table.select(
                **{new: second.table[old] for new, old in zip(names, second.table.columns, strict=True)}
            ),
        )
        names = (str(settings.key), *_columns(first, second, settings))
        try:
            keys = [key_columns(engine, names, options) for engine in (first, second)]
            measured = _measure((first, second), keys, settings, thresholds, kept)
        except UnansweredError as error:
            raise AuditInputError(*unanswered_by(error, (first, second))) from None
        if measured.unanswered and is_stopped is not None and is_stopped():
            raise AuditInputError(*measured.unanswered)
        only = [
            [name for name in one.table.columns if name not in other.table.columns]
            for one, other in ((first, second), (second, first))
        ]
        findings = (*_findings(measured), *missing_column_findings(*only))
        return InEngine(replace(measured, findings=findings), (first.origin, second.origin))


def _columns(first: Engine, second: Engine, settings: LeakageSettings) -> tuple[str, ...]:
    """Return the columns to compare; see :func:`core.leakage.measuring.compared_columns`."""
    if settings.key is None:
        raise input_error(
            "Rows in an engine have no order and are compared by a key alone; name its column with --key."
        )
    problems = [
        *column_problems(
            first.address.name,
            second.address.name,
            [name for name in first.table.columns if name in second.table.columns],
            settings.key,
        )
    ]
    for engine in (first, second):
        if settings.key not in engine.table.columns:
            problems += key_problems(settings.key, engine.address.name, None)
    if problems:
        raise AuditInputError(*problems)
    ignored = {settings.key, *resolve_columns(settings.ignore_columns, first.table.columns)}
    there = [name for name in first.table.columns if name in second.table.columns and name != settings.key]
    columns = tuple(name for name in there if name not in ignored)
    if not columns:
        raise input_error("Every common column is ignored, so nothing is left to compare; ignore fewer.")
    return columns


def _measure(
    engines: tuple[Engine, Engine],
    keys: Sequence[Mapping[str, KeyColumn]],
    settings: LeakageSettings,
    thresholds: LeakageThresholds,
    kept: ExitStack,
) -> RowsInEngine:
    """Measure what `keys` names of both tables, the key first."""
    (first, second), names = engines, tuple(keys[0])
    as_text = bool(settings.values_to_ignore)
    written = [
        JoinedColumn([each[name] for each in keys], dates=name != names[0], as_text=as_text) for name in names
    ]
    look_at(engines, written)
    tables = [
        kept.enter_context(engine.kept(side_of(engine, written, side))) for side, engine in enumerate(engines)
    ]
    counts = [check_key(*each, key=names[0]) for each in zip(engines, tables, strict=True)]
    a, b = (
        table.select(**{f"{letter}{place}": table[f"c{place}"] for place in range(len(names))})
        for letter, table in zip("ab", tables, strict=True)
    )
    pairs = kept.enter_context(first.kept(a.join(b, a.a0 == b.b0)))
    rows = _row_leakage(first, pairs, written, settings)
    if not rows.n_rows:
        raise no_common_key(names[0], first.address.name, second.address.name)
    measured = RowsInEngine(
        settings=settings,
        thresholds=thresholds,
        columns=names[1:],
        rows=rows,
        n_alone=(counts[0] - rows.n_rows, counts[1] - rows.n_rows),
    )
    places = range(1, len(names))
    alike = _counted_together(*(each.select(*[f"c{place}" for place in places]) for each in tables))
    try:
        n_alike = float(first.row(alike.agg(s=(alike.n_a * alike.n_b).sum()))["s"] or 0)
        measured = replace(measured, expected_full=n_alike / counts[1])
        chance = []
        for place in places:
            sides = [pairs.select(v=pairs[f"{letter}{place}"]) for letter in "ab"]
            chance.append(_column_chance(first, sides, written[place], settings, n=rows.n_rows))
    except UnansweredError as error:
        return replace(measured, unanswered=unanswered_by(error, engines))
    expected, variance = (np.array([each[at] for each in chance]) for at in range(2))
    return replace(measured, chance=ColumnChance(expected_matches=expected, variance=variance))


def _is_ignored(column: JoinedColumn, value: Any, settings: LeakageSettings) -> Any:
    """Return whether a cell is one of the values to ignore."""
    import ibis  # noqa: PLC0415

    is_it = value.isnull() if settings.ignores_missing else ibis.literal(False)
    for each in settings.values_to_ignore:
        stated = ibis.literal(canonical_text(each, dates=True), "string")
        is_it = is_it | (value == column.canonical(stated)).fill_null(False)
    return is_it


def _row_leakage(
    engine: Engine, pairs: Expression, written: Sequence[JoinedColumn], settings: LeakageSettings
) -> RowLeakage:
    """Return the row rules; see :func:`core.leakage.whole_rows.count_row_matches`."""
    import ibis  # noqa: PLC0415

    flags: dict[str, Any] = {}
    for place, each in enumerate(written[1:], start=1):
        a, b = pairs[f"a{place}"], pairs[f"b{place}"]
        is_match, is_valid = (a == b).fill_null(False), ibis.literal(True)
        both_missing = a.isnull() & b.isnull()
        if not settings.ignores_missing and settings.missing_on_both == "match":
            is_match = is_match | both_missing
        elif not settings.ignores_missing and settings.missing_on_both == "leave out":
            is_valid = ~both_missing
        is_valid = is_valid & ~_is_ignored(each, a, settings) & ~_is_ignored(each, b, settings)
        flags |= {
            f"m{place}": (is_match & is_valid).ifelse(1, 0),
            f"v{place}": is_valid.ifelse(1, 0),
        }
    cells = pairs.select(**flags)
    rows = cells.mutate(m=_added(cells, "m", len(written)), v=_added(cells, "v", len(written)))
    found = engine.rows(
        rows.group_by(["m", "v"]).agg(n=rows.count(), **{f"s_{key}": rows[key].sum() for key in flags})
    )
    counts = {key: np.array([int(each) for each in values], dtype=np.int64) for key, values in found.items()}
    places = range(1, len(written))
    return RowLeakage(
        match_count=counts["m"].astype(np.uint16),
        valid_count=counts["v"].astype(np.uint16),
        column_matches=np.array([counts[f"s_m{place}"].sum() for place in places], dtype=np.int64),
        column_valid=np.array([counts[f"s_v{place}"].sum() for place in places], dtype=np.int64),
        n_alike=counts["n"],
    )


def _added(table: Expression, letter: str, n_columns: int) -> Any:
    found = table[f"{letter}1"]
    for place in range(2, n_columns):
        found = found + table[f"{letter}{place}"]
    return found


def _counted_together(a: Expression, b: Expression) -> Expression:
    """Return how many rows of each of two tables have the same cells; missing is a value."""
    import ibis  # noqa: PLC0415

    one, none = ibis.literal(1, "int64"), ibis.literal(0, "int64")
    both = a.mutate(in_a=one, in_b=none).union(b.mutate(in_a=none, in_b=one))
    names = list(a.columns)
    return both.group_by(names).agg(n_a=both.in_a.sum().cast("int64"), n_b=both.in_b.sum().cast("int64"))


def _column_chance(
    engine: Engine, sides: Sequence[Expression], written: JoinedColumn, settings: LeakageSettings, *, n: int
) -> tuple[float, float]:
    """Return mean and variance of a column's matches; see :func:`core.leakage.chance.column_chance`."""
    a, b = (each.filter(~_is_ignored(written, each.v, settings)) for each in sides)
    values = _counted_together(a, b)
    if settings.missing_on_both != "match" or settings.ignores_missing:
        values = values.filter(values.v.notnull())
    both = values.n_a.cast("float64") * values.n_b
    found = engine.row(values.agg(s=both.sum(), t=(both * (values.n_a + values.n_b)).sum()))
    s, t = (float(found[key] or 0) for key in ("s", "t"))
    return s / n, max(s - t / n + (s / n) ** 2, 0.0) / (n - 1) if n > 1 else 0.0


def _findings(measured: RowsInEngine) -> Iterator[Finding]:
    """Judge the row rules against what random order gives on average."""
    rows = measured.rows
    yield from valid_cell_findings(rows)
    yield _full_leakage_finding(measured)
    if rows.n_rows > 1 and measured.chance is not None:
        yield from column_findings(measured.columns, rows, measured.chance, measured.thresholds)
    yield not_in_engine(
        "Whole rows in other places, near copies, re-linkage, distances, columns set aside, spelling and "
        "disguises, attacks, free text, and whether partial leakage exceeds random orders are not assessed: "
        "they need the records themselves."
    )
    yield Finding.of("direct_identifiers", Verdict.NOT_ASSESSED)(
        "Whether columns tell who people are, and still hold values of the original, is not assessed: values "
        "have to be looked at for that."
    ).told(step=remedy_of("not_in_engine"))
    yield from map(not_answered, measured.unanswered)


def _full_leakage_finding(measured: RowsInEngine) -> Finding:
    """FAIL above the tolerated share, WARN where random order may well give as many."""
    rows, thresholds = measured.rows, measured.thresholds
    if not rows.n_full:
        return Finding.of("full_leakage", Verdict.PASS, n_affected=0)(
            "None of {total} rows is the same as its original row in every valid cell.", total=rows.n_rows
        )
    tolerated = rows.full_leakage_share <= thresholds.max_full_leakage_share
    if measured.expected_full is None:
        return Finding.of(
            "full_leakage", Verdict.WARN if tolerated else Verdict.NOT_ASSESSED, n_affected=rows.n_full
        )(
            "{rows} is the same as its original row in every valid cell; what random order would give was "
            "not counted.",
            "{rows} are the same as their original row in every valid cell; what random order would give was "
            "not counted.",
            rows=share_of(rows.n_full, rows.n_rows, "rows"),
        )
    by_chance = poisson_tail(rows.n_full, measured.expected_full) > _WORTH_A_LOOK
    return Finding.of(
        "full_leakage", Verdict.WARN if tolerated or by_chance else Verdict.FAIL, n_affected=rows.n_full
    )(
        "{rows} is the same as its original row in every valid cell; random order would give {expected} on "
        "average.",
        "{rows} are the same as their original row in every valid cell; random order would give {expected} "
        "on average.",
        rows=share_of(rows.n_full, rows.n_rows, "rows"),
        expected=Written(f"{measured.expected_full:,.2f}"),
    )
