"""Everything about a pair of tables that does not depend on thresholds."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from core.coding import FloatArray, IntArray
from core.files.leftovers import Leftover, leftovers_of
from core.leakage.attacks import Attacks, try_attacks
from core.leakage.chance import (
    FEWEST_PERMUTATIONS,
    ColumnChance,
    RandomOrders,
    column_chance,
    draw_random_orders,
    n_permutations_for,
)
from core.leakage.distances import Distances, measure_distances, require_columns
from core.leakage.identifying_columns import NamingColumn, find_naming_columns
from core.leakage.kept_together import KeptTogether, find_kept_together
from core.leakage.members import MOST_ROWS, NearerMembers, nearer_members
from core.leakage.near_copies import NearCopies, find_near_copies
from core.leakage.nearest import NearestRows, PackedTables, find_nearest_rows, pack_tables
from core.leakage.pairing import TablePair, follows, pair_tables, with_names_of
from core.leakage.persons_again import find_near_persons, find_persons_again
from core.leakage.rebuilt import Rebuilt, find_rebuilt
from core.leakage.recoded_rows import find_recoded_rows
from core.leakage.rejoined_columns import find_rejoined_columns
from core.leakage.row_signatures import FoundRows, find_by_signatures
from core.leakage.second_look import SecondLook, look_again, not_comparable
from core.leakage.settings import LeakageSettings, resolve_columns
from core.leakage.whole_rows import (
    RowLeakage,
    WholeRows,
    count_row_matches,
    expected_full_matches,
    find_whole_rows,
)
from core.people.free_text import ModelName, TextColumn, measure_texts
from core.people.roles import Role, RoleSuggestion, columns_of_people, suggest_roles, whose_records
from core.processes.jobs import Progress
from core.tables import Dataset
from core.words import input_error


@dataclass(frozen=True, kw_only=True, eq=False)
class SetAside:
    """The row rules and whole rows over the columns left."""

    columns: tuple[str, ...]  # columns set aside, and the number of those left
    n_left: int
    rows: RowLeakage | None  # the row rules over the columns left; None where rows are not paired
    # rows that would leak fully over the columns left if scrambled rows were in random order
    expected_full: float
    whole_rows: WholeRows  # whole rows over the columns left


def _set_columns_aside(
    pair: TablePair,
    columns: Sequence[str],
    settings: LeakageSettings,
    rows: RowLeakage | None,
    *,
    holdout: TablePair | None = None,
) -> SetAside | None:
    """Measure again without the columns that never match."""
    aside = tuple(name for name in columns if _never_matches(pair, name))
    gone = set(aside)
    left = tuple(name for name in columns if name not in gone)
    if not aside or len(left) < 2:
        return None
    return SetAside(
        columns=aside,
        n_left=len(left),
        rows=None if rows is None else count_row_matches(pair, left, settings),
        expected_full=expected_full_matches(pair, left),
        whole_rows=find_whole_rows(pair, left, holdout=holdout),
    )


def _never_matches(pair: TablePair, name: str) -> bool:
    """Whether a column holds values in both tables, and shares none."""
    there, other_there = (counts[:-1] > 0 for counts in pair.codes[name].counts_with_missing())
    return bool(there.any() and other_there.any() and not (there & other_there).any())


@dataclass(frozen=True, kw_only=True, eq=False)
class LeakageMeasures:
    """What was measured of a pair of tables."""

    settings: LeakageSettings  # how cells were compared
    columns: tuple[str, ...]  # columns compared, in the original's order, and columns the person left out
    ignored_columns: tuple[str, ...]
    only_in_original: tuple[str, ...]  # columns that could not be compared
    only_in_scrambled: tuple[str, ...]
    notes: tuple[str, ...]  # what was assumed while aligning; why rows could not be paired, else empty
    row_problem: str
    # shape (n_rows,), row numbers from 0 of the original rows that were paired
    original_rows: IntArray = field(repr=False)
    rows: RowLeakage | None  # the row rules and what chance gives; None where rows could not be paired
    column_chance: ColumnChance | None
    random_orders: RandomOrders | None
    # rows that equal their original row in full by random order, missing cells a value of their own
    expected_full: float
    whole_rows: WholeRows  # what does not depend on the order of rows
    # the same by the quasi-identifiers alone; None where they are fewer than two, or all columns
    known_rows: WholeRows | None
    kept_together: KeptTogether | None  # two columns that were scrambled together
    # the readings by which more rows are found than by chance, whatever was done to their values
    by_signatures: tuple[FoundRows, ...]
    # columns that original rows give back by a sum
    rebuilt: tuple[Rebuilt, ...]
    nearest: NearestRows
    near_copies: NearCopies
    near_persons: (
        NearCopies | None
    )  # the same of the means of persons' records; None where nobody has several
    # where original persons are nearer to scrambled rows than outsiders; None of few persons
    members: NearerMembers | None
    distances: Distances
    # the row rules without the columns that never match; None where there are none
    set_aside: SetAside | None
    # the figures after spelling and simple disguises are undone; None where nothing had to be
    second_look: SecondLook | None
    # by their names and values, of the columns compared, but those that follow from another
    quasi_identifiers: tuple[str, ...]
    # columns that share hardly a value with the original's, however they are read
    not_comparable: tuple[str, ...]
    columns_by_values: tuple[str, ...]  # the columns compared, those of most different values first
    attacks: Attacks | None  # how often attacks succeed; None for fewer than two columns or rows
    # the original's column that says whose row it is, where persons have several
    persons: RoleSuggestion | None = None
    naming: tuple[NamingColumn, ...] = ()  # columns that tell who people are and hold values of the original
    has_holdout: bool = False  # whether a hold-out was given that is one
    texts: tuple[TextColumn, ...] = ()  # scrambled columns of free text, and others in which people are named
    leftovers: tuple[Leftover, ...] = ()  # what the scrambled file holds beside its table

    @property
    def scrambled_together(self) -> KeptTogether | None:
        """Return the two columns that were scrambled together, as written or past spelling; None for none."""
        return self.kept_together or (self.second_look.kept_together if self.second_look else None)

    @property
    def expected_matching_cells(self) -> float | None:
        """Return the exact mean of matching cells per row under random order; None if not paired."""
        if self.column_chance is None or self.rows is None:
            return None
        return self.column_chance.expected_total / self.rows.n_rows

    def column_z(self) -> FloatArray:
        """Return shape (n_columns,): standard deviations above chance; NaN where chance never varies."""
        if self.rows is None or self.column_chance is None:
            return np.full(len(self.columns), np.nan)
        return self.column_chance.z(self.rows.column_matches)


# Each step, and about how much of the time all take it takes, of 100: of 300,000 rows of 10 columns.
_STEPS = {
    "Comparing cells": 1,
    "Drawing random orders": 4,
    "Looking for nearest rows": 3,
    "Looking for near copies": 6,
    "Measuring distances": 6,
    "Looking for members": 72,
    "Setting columns aside": 1,
    "Looking past spelling": 2,
    "Looking past values": 2,
    "Trying attacks": 3,
}

# A hold-out is refused where its records are in a table with no more than this probability by chance.
_SURELY_NOT_CHANCE = 1e-6

# A stopped measurement finishes with samples this many times smaller.
_WHEN_STOPPED = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class FirstLook:
    """What is quick to measure at any size: rows that are still whole, in their place or anywhere."""

    columns: tuple[str, ...]  # columns compared
    rows: RowLeakage | None  # the row rules; None where rows could not be paired
    whole_rows: WholeRows
    beside: TablePair | None = field(repr=False)  # the original with the hold-out; None without one


def look_first(pair: TablePair, settings: LeakageSettings, *, holdout: Dataset | None = None) -> FirstLook:
    """Return the rows that are still whole; parameters and errors are those of `measure_leakage`."""
    columns = compared_columns(pair, settings)
    beside = _beside(pair, columns, settings, holdout)
    return FirstLook(
        columns=columns,
        rows=None if pair.original_rows is None else count_row_matches(pair, columns, settings),
        whole_rows=find_whole_rows(pair, columns, holdout=beside),
        beside=beside,
    )


def measure_leakage(
    pair: TablePair,
    settings: LeakageSettings,
    *,
    holdout: Dataset | None = None,
    first: FirstLook | None = None,
    progress: Progress | None = None,
    text_model: ModelName = "none",
) -> LeakageMeasures:
    """Measure how much of the original table is still in the scrambled one.

    Parameters
    ----------
    pair
        The tables, aligned with the settings' key. Cells compared once are kept in it.
    settings
        What to ignore, seed and limits.
    holdout
        Records of the same kind that the scrambled table was not made from, if there are any.
    first
        What `look_first` found of the same pair, settings and hold-out, if it was asked before.
    progress
        Is told each step. Asked to stop, the measurement ends soon, with fewer random orders and
        smaller samples, which it states.
    text_model
        An installed model that looks for names in free text too.

    Returns
    -------
    LeakageMeasures
        Row figures are None where rows cannot be paired.

    Raises
    ------
    AuditInputError
        A column to ignore does not exist, all columns are ignored, or the hold-out does not fit or is none.
    """
    first = first or look_first(pair, settings, holdout=holdout)
    columns = first.columns
    table = pair.scrambled.table
    roles, original_roles = suggest_roles(table), suggest_roles(pair.original.table)
    quasi = frozenset(each.column for each in original_roles if each.role is Role.QUASI_IDENTIFIER)
    measured = _measure_columns(pair, columns, settings, first, progress or Progress(), quasi=quasi)
    return replace(
        measured,
        naming=find_naming_columns(pair, columns, (*roles, *original_roles)),
        persons=whose_records(original_roles),
        has_holdout=first.beside is not None,
        texts=measure_texts(table, skip=columns_of_people(roles), model=text_model),
        leftovers=leftovers_of(pair.scrambled, pair.original, roles=original_roles),
    )


def _measure_columns(
    pair: TablePair,
    columns: tuple[str, ...],
    settings: LeakageSettings,
    first: FirstLook,
    progress: Progress,
    *,
    quasi: Collection[str],
) -> LeakageMeasures:
    """Measure the columns that are compared, step by step, after what was found at first."""
    holdout = None if first.beside is None else first.beside.scrambled
    progress.unit = "%"
    _begin("Comparing cells", progress)
    packed = pack_tables(pair, columns, settings)
    _begin("Drawing random orders", progress)
    chance, orders = _chance_of_rows(pair, columns, settings, packed, progress)
    nearest, near_copies, distances = _measure_without_order(
        pair, columns, settings, packed, progress, holdout=holdout
    )
    members = _members(pair, columns, settings, progress, quasi=quasi, holdout=holdout)
    _begin("Setting columns aside", progress)
    aside = _set_columns_aside(pair, columns, settings, first.rows, holdout=first.beside)
    _begin("Looking past spelling", progress)
    most = _budget(settings, progress) // 8
    again = look_again(pair, columns, settings, holdout=holdout, max_comparisons=most)
    _begin("Looking past values", progress)
    by_signatures = _by_signatures(pair, columns, seed=settings.seed)
    _begin("Trying attacks", progress)
    return LeakageMeasures(
        **_compared(pair, columns, settings, quasi),
        rows=first.rows,
        column_chance=chance,
        random_orders=orders,
        whole_rows=first.whole_rows,
        known_rows=_known_rows(pair, columns, quasi, holdout=first.beside),
        kept_together=find_kept_together(pair, columns, holdout=first.beside),
        by_signatures=by_signatures,
        nearest=nearest,
        near_copies=near_copies,
        members=members,
        distances=distances,
        set_aside=aside,
        second_look=again,
        not_comparable=not_comparable(pair, columns, again),
        attacks=try_attacks(pair, columns, seed=settings.seed, holdout=holdout),
    )


def _by_signatures(pair: TablePair, columns: tuple[str, ...], *, seed: int) -> tuple[FoundRows, ...]:
    """Return by what rows are found whatever was done to their values."""
    recoded = find_recoded_rows(pair, columns, seed=seed)
    return (
        *([] if recoded is None else [recoded]),
        *find_by_signatures(pair, columns, seed=seed),
        *find_rejoined_columns(pair, columns, seed=seed),
        *find_persons_again(pair, columns, seed=seed),
    )


def _members(
    pair: TablePair,
    columns: tuple[str, ...],
    settings: LeakageSettings,
    progress: Progress,
    *,
    quasi: Collection[str],
    holdout: Dataset | None,
) -> NearerMembers | None:
    """Return where members are nearer to scrambled rows than outsiders."""
    report = partial(_begin, "Looking for members", progress)
    report()
    return nearer_members(
        pair,
        columns,
        settings,
        quasi_identifiers=quasi,
        holdout=holdout,
        most_rows=MOST_ROWS // (_WHEN_STOPPED if progress.stop_asked else 1),
        report=report,
    )


def _compared(
    pair: TablePair, columns: tuple[str, ...], settings: LeakageSettings, quasi: Collection[str]
) -> dict[str, Any]:
    """Return what is compared, what cannot be, chance of whole rows, and what rows and persons give back."""
    return {
        "quasi_identifiers": tuple(_known_columns(pair, columns, quasi)),
        "expected_full": expected_full_matches(pair, columns),
        "settings": settings,
        "columns": columns,
        "ignored_columns": resolve_columns(settings.ignore_columns, pair.original.columns),
        "only_in_original": pair.only_in_original,
        "only_in_scrambled": pair.only_in_scrambled,
        "notes": pair.notes,
        "row_problem": pair.row_problem,
        "original_rows": np.array([], np.int64) if pair.original_rows is None else pair.original_rows,
        "columns_by_values": _by_values(pair, columns),
        "near_persons": find_near_persons(pair, columns, settings),
        "rebuilt": find_rebuilt(pair, columns),
    }


def _known_rows(
    pair: TablePair, columns: Sequence[str], quasi: Collection[str], *, holdout: TablePair | None
) -> WholeRows | None:
    """Return the whole rows over the quasi-identifiers alone."""
    known = _known_columns(pair, columns, quasi)
    return find_whole_rows(pair, known, holdout=holdout) if 1 < len(known) < len(columns) else None


def _known_columns(pair: TablePair, columns: Sequence[str], quasi: Collection[str]) -> list[str]:
    """Return the quasi-identifiers compared, but those that follow from another of them."""
    known = [name for name in columns if name in quasi]
    for name in sorted(known, key=lambda each: pair.codes[each].n_values):
        if any(follows(pair, name, other) for other in known if other != name):
            known.remove(name)
    return known


def _by_values(pair: TablePair, columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(columns, key=lambda name: -pair.codes[name].n_values))


def _beside(
    pair: TablePair, columns: tuple[str, ...], settings: LeakageSettings, holdout: Dataset | None
) -> TablePair | None:
    """Return the original with the hold-out; refuse one that holds records of either table."""
    if holdout is None:
        return None
    holdout = with_names_of(pair.original, holdout)
    require_columns(holdout, columns)
    beside = pair_tables(pair.original, holdout)
    released = pair_tables(pair.scrambled, holdout)
    for table, other in ((pair.original, beside), (pair.scrambled, released)):
        if n := _n_no_strangers(other, columns, settings):
            raise input_error(
                "{n} record of the hold-out {file} is in {table} too, or nearly, so it is no hold-out. Give "
                "records of other persons, that the scrambled table was not made from, or none.",
                "{n} records of the hold-out {file} are in {table} too, or nearly, so it is no hold-out. "
                "Give records of other persons, that the scrambled table was not made from, or none.",
                n=n,
                file=holdout.name,
                table=table.name,
            )
    return beside


def _n_no_strangers(pair: TablePair, columns: tuple[str, ...], settings: LeakageSettings) -> int:
    """Return the hold-out records that are in a table, whole or nearly; 0 where chance explains them."""
    whole = find_whole_rows(pair, columns)
    if whole.is_copy or max(whole.p_value, whole.stranger_p_value) <= _SURELY_NOT_CHANCE:
        return whole.n_exact
    near = find_near_copies(pair, columns, settings, max_comparisons=settings.max_comparisons // 16)
    return near.excess.n_observed if near.excess.p_value <= _SURELY_NOT_CHANCE else 0


def compared_columns(pair: TablePair, settings: LeakageSettings) -> tuple[str, ...]:
    """Return the common columns that the person did not leave out."""
    ignored = resolve_columns(settings.ignore_columns, pair.original.columns)
    left_out = set(ignored)
    columns = tuple(name for name in pair.columns if name not in left_out)
    if not columns:
        raise input_error("Every common column is ignored, so nothing is left to compare; ignore fewer.")
    return columns


def _begin(step: str, progress: Progress, share: float = 0) -> None:
    """Say that a step begins, or how much of it, in [0, 1], is done; those before it are."""
    before = list(_STEPS)[: list(_STEPS).index(step)]
    done = sum(_STEPS[each] for each in before) + share * _STEPS[step]
    progress.report(round(done), sum(_STEPS.values()), step)


def _budget(settings: LeakageSettings, progress: Progress) -> int:
    """Return how many cells may be compared, few once the person asked to stop."""
    return settings.max_comparisons // (_WHEN_STOPPED if progress.stop_asked else 1)


def _chance_of_rows(
    pair: TablePair,
    columns: tuple[str, ...],
    settings: LeakageSettings,
    packed: PackedTables,
    progress: Progress,
) -> tuple[ColumnChance | None, RandomOrders | None]:
    """Return what chance gives of the row rules, nothing where rows are not paired."""
    if pair.original_rows is None or pair.scrambled_rows is None:
        return None, None
    n_permutations = settings.n_permutations or n_permutations_for(pair.n_pairs, len(columns))
    if progress.stop_asked:
        n_permutations = min(n_permutations, FEWEST_PERMUTATIONS)
    return (
        column_chance(packed, pair.original_rows, pair.scrambled_rows),
        draw_random_orders(
            packed, pair.original_rows, pair.scrambled_rows, n_permutations=n_permutations, seed=settings.seed
        ),
    )


def _measure_without_order(
    pair: TablePair,
    columns: tuple[str, ...],
    settings: LeakageSettings,
    packed: PackedTables,
    progress: Progress,
    *,
    holdout: Dataset | None,
) -> tuple[NearestRows, NearCopies, Distances]:
    """Return what rows give away wherever they stand: nearest rows, near copies, distances."""
    _begin("Looking for nearest rows", progress)
    nearest = find_nearest_rows(pair, packed, max_comparisons=_budget(settings, progress), seed=settings.seed)
    _begin("Looking for near copies", progress)
    near_copies = find_near_copies(
        pair, columns, settings, holdout=holdout, max_comparisons=_budget(settings, progress) // 8
    )
    _begin("Measuring distances", progress)
    distances = measure_distances(
        pair, columns, settings=settings, holdout=holdout, max_comparisons=_budget(settings, progress) // 2
    )
    return nearest, near_copies, distances
