"""Measure a pair of tables: everything the published rule counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.classes import EquivalenceClasses, equivalence_classes
from core.errors import AuditInputError
from core.people.patterns import CATALOGUE
from core.people.roles.headers import listed_names
from core.processes.jobs import Threads
from core.tables import Dataset
from core.tabular import rules
from core.tabular.columns import (
    MatchedColumn,
    about_names_alike,
    is_dropping,
    is_high_risk,
    is_protecting,
    logged_quasi_identifiers,
    match_columns,
)
from core.tabular.log import AnonymizationLog
from core.tabular.settings import TabularSettings
from core.verdict import Finding, Verdict, worst
from core.words import input_error, text

MOST_COLUMNS = 8_000


@dataclass(frozen=True, kw_only=True)
class ColumnResult:
    """An original column and the checks of all it became."""

    column: str  # its name
    checks: tuple[
        rules.ColumnCheck, ...
    ]  # one per anonymized column, one in all where it is absent or unnamed

    @property
    def status(self) -> Verdict:
        """Return the worst status of the checks."""
        return worst(check.status for check in self.checks)


@dataclass(frozen=True, kw_only=True)
class ResidualCount:
    """How many cells of an anonymized column hold a sensitive pattern."""

    column: str  # name in the anonymized table
    n_filled: int  # cells that are not blank, and those of them with a pattern
    n_cells: int
    counts: Mapping[str, int]  # pattern key to cells; a cell may hold several patterns


@dataclass(frozen=True, kw_only=True, eq=False)
class TabularMeasurement:
    """Everything the rule measures about a pair of files; no threshold of the decision is in it."""

    original_name: str  # what was verified
    anonymized_name: str
    log: AnonymizationLog
    settings: TabularSettings  # how it was measured
    n_original: int  # Records
    n_anonymized: int
    columns: tuple[ColumnResult, ...]  # one result per original column, in file order
    residuals: tuple[ResidualCount, ...]  # one count per anonymized column, in file order
    n_logged: int  # columns in the log, and those of them that should be gone but hold values
    inconsistent_columns: tuple[str, ...]
    n_high_risk: int  # High-risk columns in the log, and those of them without a protecting action
    unprotected_columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]  # anonymized columns that the log calls quasi-identifying
    notes: tuple[Finding, ...] = ()  # findings about the log

    @cached_property
    def checks(self) -> tuple[rules.ColumnCheck, ...]:
        """Return all checks; each is a message in the ratios."""
        return tuple(check for result in self.columns for check in result.checks)

    def n_messages(self, status: Verdict) -> int:
        """Return the number of messages of a status."""
        return sum(check.status is status for check in self.checks)

    @property
    def pass_share(self) -> float:
        """Return PASS messages / all messages."""
        return self.n_messages(Verdict.PASS) / len(self.checks)

    @property
    def warn_share(self) -> float:
        """Return WARN messages / all messages."""
        return self.n_messages(Verdict.WARN) / len(self.checks)

    @property
    def fail_share(self) -> float:
        """Return FAIL messages / all messages."""
        return self.n_messages(Verdict.FAIL) / len(self.checks)

    @property
    def policy_consistency(self) -> float:
        """Return the share of logged columns that are gone where they should be; 1 for an empty log."""
        return _share(self.n_logged - len(self.inconsistent_columns), self.n_logged, of_none=1.0)

    @property
    def n_filled(self) -> int:
        """Return the non-blank cells of the anonymized table."""
        return sum(residual.n_filled for residual in self.residuals)

    @property
    def n_residual(self) -> int:
        """Return the cells of the anonymized table that hold a sensitive pattern."""
        return sum(residual.n_cells for residual in self.residuals)

    @property
    def pattern_residual(self) -> float:
        """Return cells with a sensitive pattern / non-blank cells; 0 for a blank table."""
        return _share(self.n_residual, self.n_filled, of_none=0.0)

    @property
    def high_risk_handling(self) -> float:
        """Return the share of high-risk columns with a protecting action; 1 when there are none."""
        return _share(self.n_high_risk - len(self.unprotected_columns), self.n_high_risk, of_none=1.0)

    @property
    def shares(self) -> tuple[float, float, float, float, float, float]:
        """Return the rule's three figures and the shares of PASS, WARN and FAIL messages."""
        figures = (self.policy_consistency, self.pattern_residual, self.high_risk_handling)
        return (*figures, self.pass_share, self.warn_share, self.fail_share)


def _share(n: int, total: int, *, of_none: float) -> float:
    return n / total if total else of_none


def measure_tabular(
    original: Dataset, anonymized: Dataset, log: AnonymizationLog, *, settings: TabularSettings | None = None
) -> TabularMeasurement:
    """Check every column of an anonymized table against what its log says was done.

    Every value is read. A blank is a missing cell. Tables may differ in length; pseudonyms are
    then compared as sets of values.
    """
    settings = settings or TabularSettings()
    log, matched, alike = _match_tables(original, anonymized, log)
    actions = {name: entry.action for name, entry in log.entries.items()}
    actions |= {match.anonymized: match.action for match in matched if match.anonymized is not None}
    patterns = tuple(CATALOGUE[key] for key in settings.patterns)

    def scan(name: str) -> rules.ScannedColumn:
        action = actions.get(name, "")
        return rules.scan_anonymized(anonymized.table[name], original.table, action=action, patterns=patterns)

    with Threads() as threads:  # Arrow lets the columns run in parallel
        scanned = dict(zip(anonymized.columns, threads.map(scan, anonymized.columns), strict=True))

        def check(match: MatchedColumn) -> rules.ColumnCheck:
            return rules.check_match(match, scanned, log, unnamed=original.unnamed_columns)

        found: dict[str, list[rules.ColumnCheck]] = {}
        for match, made in zip(matched, threads.map(check, matched), strict=True):
            found.setdefault(match.original, []).append(made)
    residuals = tuple(_residual_count(name, column) for name, column in scanned.items())
    high_risk = [entry for entry in log.entries.values() if is_high_risk(entry.semantic)]
    return TabularMeasurement(
        original_name=original.name,
        anonymized_name=anonymized.name,
        log=log,
        settings=settings,
        n_original=original.n_records,
        n_anonymized=anonymized.n_records,
        columns=tuple(ColumnResult(column=name, checks=tuple(each)) for name, each in found.items()),
        residuals=residuals,
        n_logged=len(log.entries),
        inconsistent_columns=_inconsistent(matched, {one.column: one.n_filled for one in residuals}, log),
        n_high_risk=len(high_risk),
        unprotected_columns=tuple(
            entry.column for entry in high_risk if not is_protecting(entry.action, allow_dx=log.allow_dx)
        ),
        quasi_identifiers=logged_quasi_identifiers(matched),
        notes=(*log.notes_about(original_name=original.name, anonymized_name=anonymized.name), *alike),
    )


def _match_tables(
    original: Dataset, anonymized: Dataset, log: AnonymizationLog
) -> tuple[AnonymizationLog, tuple[MatchedColumn, ...], tuple[Finding, ...]]:
    """Return the log by the tables' names, the columns that belong together, and names that are too alike."""
    for table in (original, anonymized):
        if len(table.columns) > MOST_COLUMNS:
            raise input_error(
                "{file}: the table has {columns} columns; every one is looked at in many ways, so at "
                "most {most} are. Verify it in parts, each with its part of the log.",
                file=table.name,
                columns=len(table.columns),
                most=MOST_COLUMNS,
            )
    alike = tuple(about_names_alike(original.columns, anonymized.columns, log))
    log = log.for_columns(original.columns, anonymized.columns)
    return log, match_columns(original, anonymized, log), alike


def _residual_count(name: str, column: rules.ScannedColumn) -> ResidualCount:
    """Return how many cells of an anonymized column hold a sensitive pattern."""
    return ResidualCount(
        column=name, n_filled=column.n_filled, n_cells=column.n_residual, counts=column.residual_counts
    )


def _inconsistent(
    matched: Sequence[MatchedColumn], n_filled: Mapping[str, int], log: AnonymizationLog
) -> tuple[str, ...]:
    """Return the logged columns that should be gone but hold values, by their name or expanded."""
    stands_for = {name: [name] for name in log.entries if name in n_filled}
    for match in matched:
        if (
            match.anonymized is not None
            and match.original in log.entries
            and match.anonymized not in log.entries
        ):
            stands_for.setdefault(match.original, []).append(match.anonymized)
    return tuple(
        name
        for name, entry in log.entries.items()
        if is_dropping(entry.action, allow_dx=log.allow_dx)
        and any(n_filled.get(column) for column in stands_for.get(name, ()))
    )


def measure_classes(anonymized: Dataset, quasi_identifiers: Sequence[str]) -> EquivalenceClasses | None:
    """Form the classes of records that share their quasi-identifiers.

    A missing value is a value of its own, but a record blank in all quasi-identifiers is left out
    and counted.
    """
    check_quasi_identifiers(anonymized, quasi_identifiers)
    if not quasi_identifiers:
        return None
    blank = np.ones(anonymized.n_records, dtype=np.bool_)
    for name in quasi_identifiers:
        blank &= anonymized.table[name].is_null().to_numpy()
    return equivalence_classes(anonymized.table, tuple(quasi_identifiers), leave_out=blank)


def check_quasi_identifiers(anonymized: Dataset, quasi_identifiers: Sequence[str]) -> None:
    """Refuse quasi-identifiers that the anonymized table does not have."""
    unknown = [name for name in quasi_identifiers if name not in anonymized.columns]
    if unknown:
        raise AuditInputError(
            *(
                text(
                    "{file}: quasi-identifier `{name}` is not one of its columns; the table has {columns}.",
                    file=anonymized.name,
                    name=name,
                    columns=listed_names(anonymized.columns),
                )
                for name in unknown
            )
        )
