"""What released columns tell beside the classes: sensitive values, blanked cells, who belongs together.

A drug tells its diagnosis in the largest group too; a total tells the amount that was blanked; a code of a
household holds its members together, who are alone by all they are; a weight of 231 kg is one person's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.classes import EquivalenceClasses
from core.coding import BoolArray, CodedColumn, FloatArray, IntArray, coded_column
from core.comparing.worked_out import worked_out
from core.people.rare_values import OldAges, RareValues, about_old, about_rare, old_ages, rare_values
from core.people.roles import Role, RoleSuggestion
from core.risk.columns import unchosen_columns
from core.risk.folding import fold_values
from core.risk.people import SizeCounts, in_one_class, persons_by_all_records
from core.risk.records import RecordEntry
from core.risk.sensitive import Related, SensitiveMeasurement, guessed_text, related_attributes
from core.risk.settings import RiskSettings
from core.tables import Dataset
from core.values.cells import as_numbers
from core.verdict import Finding, Verdict
from core.words import listed, share_of

_MOST_COLUMNS = 20
_FEWEST_BLANK, _MOST_BLANK = 3, 0.5  # cells of a column that were blanked, and of its cells
_RECORDS, _FEWEST_GROUPS = (1.2, 30), 50  # records that a code holds together on average, and codes
_ALONE = 0.05  # share of the groups of several records from which they are a warning
_CODE = r"^(?:[^\d\s.,]+[-_/]?\d+|0\d*|[1-9]\d*|[0-9a-fA-F]+)$"


@dataclass(frozen=True, kw_only=True)
class GivenBack:
    """A column whose missing cells others give by a sum or product."""

    column: str
    by: tuple[str, ...]
    n_cells: int  # missing ones, where the others are there
    n_missing: int


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldTogether:
    """A column of codes that holds records together, as of a person or household."""

    column: str
    alike: SizeCounts  # its codes of several records, by how many share the classes of all of them


@dataclass(frozen=True, kw_only=True, eq=False)
class Told:
    """What the records of a file tell beside the classes."""

    proxies: tuple[Related, ...] = ()  # columns that nobody chose which tell a sensitive one
    given_back: tuple[GivenBack, ...] = ()
    held_together: HeldTogether | None = None
    rare: tuple[RareValues, ...] = ()
    old: tuple[OldAges, ...] = ()


def measure_told(
    dataset: Dataset,
    settings: RiskSettings,
    entry: RecordEntry,
    classes: EquivalenceClasses,
    *,
    coded: Mapping[str, CodedColumn],
    quasi: Sequence[CodedColumn],
    sensitive: Sequence[SensitiveMeasurement],
    unassigned: Sequence[RoleSuggestion],
    person: IntArray | None,
) -> Told:
    """Look at the released columns that nobody chose, the first 20 of each kind.

    `coded` are the columns that stand as codes already; each other one is coded once.
    """
    columns = _Columns(dataset.table, coded)
    unchosen = [each for each in unassigned if each.column in unchosen_columns(settings, dataset.columns)]
    unchosen = [each for each in unchosen if each.role is not Role.DIRECT_IDENTIFIER]
    released = [name for name in dataset.columns if name not in settings.leave_out]
    known = {*settings.quasi_identifiers, *settings.direct_identifiers, settings.person, settings.household}
    known |= {*settings.harmless, *settings.sensitive}
    values = [name for name in released if name not in known and name != settings.weight]
    rare = (rare_values(columns[name], name, person) for name in values)
    names = [each.column for each in unchosen]
    unchosen = [each for each in unchosen if each.column not in settings.harmless]
    ages = [each.column for each in unchosen if each.kind == "age"]
    old = (old_ages(dataset.table[name], name) for name in ages)
    return Told(
        proxies=_proxies(columns, settings, entry, sensitive, names),
        given_back=_given_back(columns, released),
        held_together=None if person is not None else _held_together(columns, classes, quasi, unchosen),
        rare=tuple(each for each in rare if each is not None),
        old=tuple(each for each in old if each is not None),
    )


class _Columns(dict[str, CodedColumn]):
    """Columns of a table as codes, by name, coded when they are asked for."""

    def __init__(self, table: pa.Table, coded: Mapping[str, CodedColumn]) -> None:
        super().__init__(coded)
        self._table = table

    def __missing__(self, name: str) -> CodedColumn:
        return self.setdefault(name, coded_column(self._table, name))


def _proxies(
    columns: _Columns,
    settings: RiskSettings,
    entry: RecordEntry,
    sensitive: Sequence[SensitiveMeasurement],
    names: Sequence[str],
) -> tuple[Related, ...]:
    """Return the columns that remove three of four wrong guesses of a sensitive one."""
    guessed = [each.column for each in sensitive]
    looked_at = [columns[name] for name in (*guessed, *names)[:_MOST_COLUMNS]]
    folded = {each.column: each.folded for each in sensitive}
    folded |= {each.name: fold_values(each, settings) for each in looked_at if each.name not in folded}
    found = related_attributes(looked_at, folded, assessed=~entry.leave_out) if guessed and names else ()
    return tuple(each for each in found if each.guessed in guessed and each.known not in guessed)


def _given_back(columns: _Columns, released: Sequence[str]) -> tuple[GivenBack, ...]:
    """Return the columns of numbers some cells of which are missing, and worked out of other columns."""
    looked_at = released[: 2 * _MOST_COLUMNS]
    if not any(columns[name].n_missing >= _FEWEST_BLANK for name in looked_at):
        return ()
    read = {name: as_numbers(columns[name].values) for name in looked_at}
    kept = [(name, each) for name, each in read.items() if each is not None][:_MOST_COLUMNS]
    numbers = {name: np.append(each, np.nan)[columns[name].codes] for name, each in kept}
    found = []
    for name, target in numbers.items():
        missing = np.isnan(target)
        if not _FEWEST_BLANK <= missing.sum() <= _MOST_BLANK * len(target):
            continue
        others = {other: each for other, each in numbers.items() if other != name}
        by = worked_out(target, others)
        n_cells = int(np.count_nonzero(missing & _are_there(others, by))) if by else 0
        if n_cells >= _FEWEST_BLANK:
            found.append(GivenBack(column=name, by=by, n_cells=n_cells, n_missing=int(missing.sum())))
    return tuple(found)


def _are_there(columns: Mapping[str, FloatArray], names: Sequence[str]) -> BoolArray:
    return cast("BoolArray", ~np.isnan(np.column_stack([columns[name] for name in names])).any(axis=1))


def _held_together(
    columns: _Columns,
    classes: EquivalenceClasses,
    quasi: Sequence[CodedColumn],
    unchosen: Sequence[RoleSuggestion],
) -> HeldTogether | None:
    """Return the column of codes whose records are alike in a quasi-identifier beyond chance, and alone."""
    least, most = _RECORDS
    for each in unchosen if classes.n_classes else ():
        few = max(each.n_distinct, 1)
        if each.n_distinct < _FEWEST_GROUPS or not least <= each.n_nonblank / few <= most:
            continue
        column = columns[each.column]
        are_codes = pc.all(pc.match_substring_regex(column.values, _CODE)).as_py()
        if not are_codes or (as_numbers(column.values) is not None and not _are_padded(column)):
            continue
        codes = np.where(column.counts[column.codes] > 1, column.codes, -1)
        if any(in_one_class(one.codes_with_missing, codes, n_tests=len(quasi)) for one in quasi):
            return HeldTogether(column=each.column, alike=persons_by_all_records(classes, codes))
    return None


def _are_padded(column: CodedColumn) -> bool:
    """Return whether numbers have one length, and some a zero before them: codes."""
    lengths = pc.utf8_length(column.values)
    is_padded = pc.any(pc.starts_with(column.values, "0")).as_py()
    return bool(is_padded and pc.count_distinct(lengths).as_py() == 1)


def judge_told(told: Told, k: int) -> Iterator[Finding]:
    """Yield a warning of everything that is told."""
    for each in told.proxies[:1]:
        names = tuple(dict.fromkeys(one.known for one in told.proxies))
        yield Finding.of("sensitive_by_column", Verdict.WARN, columns=names, n_affected=each.n_records)(
            "{guessed} Nobody chose {columns}: who sees it reads the sensitive value, in large groups too.",
            guessed=guessed_text(max(told.proxies, key=lambda one: one.right_share)),
            columns=listed(names),
        )
    for one in told.given_back:
        yield Finding.of("blank_given_back", Verdict.WARN, column=one.column, n_affected=one.n_cells)(
            "Of the missing cells of {column}, {found} are worked out of {others}: a sum, difference, "
            "product or quotient gives them.",
            column=f"`{one.column}`",
            found=share_of(one.n_cells, one.n_missing),
            others=listed(one.by),
        )
    if told.held_together is not None:
        yield from _together(told.held_together, k)
    yield from map(about_old, told.old)
    yield from about_rare(told.rare)


def _together(found: HeldTogether, k: int) -> Iterator[Finding]:
    n_alone = found.alike.n_below(2)
    if n_alone >= _ALONE * found.alike.n:
        yield Finding.of("held_together", Verdict.WARN, column=found.column, n_affected=n_alone)(
            "{column} holds records together that are alike, as those of a person or household are: by all "
            "their groups together {alone} are like nobody else and {below} like fewer than {asked}. Choose "
            "it as person or household, or leave it out.",
            column=f"`{found.column}`",
            alone=share_of(n_alone, found.alike.n, "codes of several records"),
            below=found.alike.n_below(k),
            asked=k,
        )
