"""What if: records to suppress for a k, generalizations that reach it, and the table that comes out."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from core.attribute_disclosure import Distance, SensitiveCounts, distinct_l, sensitive_counts, t_closeness
from core.attribute_disclosure import entropy_l as entropy_of_classes
from core.datasets import ReadOptions, read_dataset
from core.equivalence import EquivalenceClasses, IntArray, equivalence_classes
from core.reports.plain import starts_like_formula
from core.risk.combinations import BoolArray, distinct_combinations
from core.risk.ladders import SUPPRESSED, FloatArray, Kind, column_ladders, thinned
from core.risk.lattice import MAX_NODES, ClassesAccepted, Generalization, Lattice

ClassDistances = Callable[[SensitiveCounts], FloatArray]  # of each class's values from the whole table's

_TOLERANCE = 1e-9  # of entropies and distances, which are sums of rounded shares


@dataclass(frozen=True, kw_only=True)
class SuppressionNeed:
    """Records that would have to be suppressed, with nothing generalized, so that no class is below k."""

    k: int
    n_to_suppress: int
    n_records: int

    @property
    def share(self) -> float | None:
        """Return records to suppress / records assessed, in [0, 1]; None of no record."""
        return self.n_to_suppress / self.n_records if self.n_records else None


def records_to_suppress(classes: EquivalenceClasses, ks: Sequence[int]) -> tuple[SuppressionNeed, ...]:
    """Return how many records each k costs if small classes are suppressed as they are."""
    return tuple(
        SuppressionNeed(k=k, n_to_suppress=classes.n_records_below(k), n_records=classes.n_records)
        for k in ks
    )


def build_lattice(
    table: pa.Table,
    quasi_identifiers: Sequence[str],
    *,
    kinds: Mapping[str, Kind] | None = None,
    leave_out: BoolArray | None = None,
    weights: Sequence[float] = (),
    max_nodes: int = MAX_NODES,
) -> Lattice:
    """Return all generalizations of a table that its columns' values suggest.

    Parameters
    ----------
    table
        Columns of strings; empty and blank cells are one missing value.
    quasi_identifiers
        The columns to generalize.
    kinds
        What the values of some columns are, where it shall not be found out.
    leave_out
        Shape (n_records,); True for records that are not assessed. They will not be shown.
    weights
        How much the loss of each quasi-identifier counts, above 0; empty: all the same.
    max_nodes
        Bound on the combinations of levels; levels in the middle of the longest ladders are left out until
        it holds, and the lattice says in which columns. Where even two levels each exceed it, all are kept.

    Raises
    ------
    AuditInputError
        No record.
    """
    ladders, codes = column_ladders(table, quasi_identifiers, kinds=kinds)
    kept = thinned(ladders, max_nodes=max_nodes)
    if math.prod(len(ladder.levels) for ladder in kept) > max_nodes:
        kept = ladders
    return Lattice(
        table=distinct_combinations(codes, leave_out=leave_out),
        ladders=kept,
        thinned_columns=tuple(
            whole.column
            for whole, left in zip(ladders, kept, strict=True)
            if len(left.levels) < len(whole.levels)
        ),
        n_nodes_possible=math.prod(len(ladder.levels) for ladder in ladders),
        weights=tuple(weights),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class GeneralizedTable:
    """A table that can be given away, and how it was made.

    Attributes
    ----------
    table
        All columns and records in their order; quasi-identifiers generalized, ``*`` in all of them for a
        suppressed record.
    n_suppressed
        Records of which no quasi-identifier is shown: suppressed, left out of the search, or all records
        where the generalization shows no column.
    settings
        How to repeat it; only text, numbers, lists and dictionaries, no cell value of the table.
    """

    table: pa.Table
    n_suppressed: int
    settings: Mapping[str, object]


def generalize(
    table: pa.Table,
    lattice: Lattice,
    found: Generalization,
    *,
    accepted: ClassesAccepted | None = None,
) -> GeneralizedTable:
    """Apply a generalization to the table that its lattice was built from.

    Parameters
    ----------
    table
        The same table; it is not changed.
    lattice, found
        The search's lattice and result.
    accepted
        The same as in the search: classes that it refuses are suppressed as well.
    """
    suppressed = lattice.suppressed_combinations(found.levels, k=found.k, accepted=accepted)
    combination = lattice.table.combination_of_record
    hidden = np.append(suppressed, True)[combination]  # position -1: a record that was left out
    if lattice.hides_all(found.levels):
        hidden = np.ones_like(hidden)
    result = table
    for column, (ladder, position) in enumerate(zip(lattice.ladders, found.levels, strict=True)):
        level = ladder.levels[position]
        group = np.append(level.group_of_value[lattice.table.codes[column]], 0)[combination]
        written = level.names.cast(pa.string()).take(pa.array(group, mask=hidden))
        shown = pc.if_else(pa.array(hidden), SUPPRESSED, written)
        result = result.set_column(result.column_names.index(ladder.column), ladder.column, shown)
    return GeneralizedTable(
        table=result,
        n_suppressed=int(np.count_nonzero(hidden)),
        settings=_settings(lattice, found, n_hidden=int(np.count_nonzero(hidden))),
    )


def _settings(lattice: Lattice, found: Generalization, *, n_hidden: int) -> dict[str, object]:
    columns = [
        {
            "column": ladder.column,
            "kind": ladder.kind,
            "level": position,
            "n_levels": len(ladder.levels),
            "generalization": ladder.levels[position].description,
            "n_groups": ladder.levels[position].n_groups,
        }
        for ladder, position in zip(lattice.ladders, found.levels, strict=True)
    ]
    return {
        "k": found.k,
        "smallest_class": found.smallest_class,
        "n_records": len(lattice.table.combination_of_record),
        "n_suppressed": n_hidden,
        "loss": found.loss,
        "columns": columns,
    }


def generalized_csv(table: pa.Table) -> bytes:
    """Return a table of text as CSV, UTF-8, missing cells empty, in quotes where a line would be blank.

    Text that a spreadsheet would run as a formula is preceded by an apostrophe; numbers never are.
    """
    columns = [column.cast(pa.string()) for column in table.columns]
    if len(columns) == 1:
        columns = [pc.fill_null(columns[0], "")]
    safe = pa.table(
        [_defused(column) for column in columns],
        names=[_defused_text(name) for name in table.column_names],
    )
    written = io.BytesIO()
    csv.write_csv(safe, written)
    return written.getvalue()


def _defused(column: pa.ChunkedArray) -> pa.ChunkedArray:
    encoded = pc.dictionary_encode(column)
    chunks = [
        pa.array([_defused_text(text) for text in chunk.dictionary.to_pylist()], pa.string()).take(
            chunk.indices
        )
        for chunk in encoded.chunks
    ]
    return pa.chunked_array(chunks, pa.string())


def _defused_text(text: str) -> str:
    is_number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text)
    return f"'{text}" if starts_like_formula(text) and not is_number else text


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedTable:
    """What the classes of a generalized table's bytes are, counted anew.

    Attributes
    ----------
    classes
        Over the quasi-identifiers as written; fully suppressed records left out.
    n_suppressed
        Records with ``*`` in all quasi-identifiers.
    """

    classes: EquivalenceClasses
    n_suppressed: int

    def holds(self, k: int) -> bool | None:
        """Return whether every record shown is in a class of at least `k`; None where none is shown."""
        return None if self.classes.k is None else self.classes.k >= k


def protects_sensitive(
    sensitive_codes: IntArray,
    *,
    l: int | None = None,  # noqa: E741 - the model's own letter
    entropy_l: float | None = None,
    t: float | None = None,
    distance: Distance | ClassDistances = "equal",
) -> ClassesAccepted:
    """Return the check, for a search, of whether a class keeps a sensitive attribute to itself.

    Parameters
    ----------
    sensitive_codes
        Shape (n_records_in_table,), -1 for an unknown value; in the order of values for ``ordered``.
    l, entropy_l
        Fewest distinct values and smallest entropy l of a class; None is not asked.
    t
        Largest distance from all assessed records, those to be suppressed included; None is not asked.
        Against the records shown alone the distance can come out different, so measure the result again.
    distance
        Of t-closeness, or what measures it.

    Returns
    -------
    ClassesAccepted
        A class without any known value is accepted only where nothing is asked.
    """

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        counts = sensitive_counts(classes, sensitive_codes)
        good = np.ones(classes.n_classes, dtype=bool)
        if l is not None:
            good &= distinct_l(counts) >= l
        if entropy_l is not None:
            good &= entropy_of_classes(counts) >= entropy_l - _TOLERANCE
        if t is not None:
            far = distance(counts) if callable(distance) else t_closeness(counts, distance=distance)
            good &= far <= t + _TOLERANCE
        return good

    return accepted


def verify_generalized(
    data: bytes, quasi_identifiers: Sequence[str], *, columns: Sequence[str]
) -> VerifiedTable:
    """Read the bytes of a generalized table back and count its classes.

    Parameters
    ----------
    data
        What is to be given away, as :func:`generalized_csv` writes it.
    quasi_identifiers
        Their names in the table that was generalized.
    columns
        All names of that table in order: reading and safe writing may have changed some.

    Returns
    -------
    VerifiedTable
        Nothing of the search is reused.
    """
    options = ReadOptions(delimiter=",", encoding="utf-8", header="first_line", missing_spellings=())
    dataset = read_dataset(data, name="generalized table", options=options)
    written = dict(zip(columns, dataset.columns, strict=True))
    chosen = [written[name] for name in quasi_identifiers]
    stars = [pc.fill_null(pc.equal(dataset.table[name], SUPPRESSED), False) for name in chosen]
    hidden = np.logical_and.reduce([each.to_numpy(zero_copy_only=False) for each in stars])
    return VerifiedTable(
        classes=equivalence_classes(dataset.table, chosen, leave_out=hidden),
        n_suppressed=int(np.count_nonzero(hidden)),
    )
