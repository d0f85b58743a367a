"""What if: records to suppress for a k, generalizations that reach it, and the table that comes out."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from core.attribute_disclosure import LIMITS, Distance, distinct_l, t_closeness
from core.classes import (
    EquivalenceClasses,
    Items,
    equivalence_classes,
    items_of_classes,
    persons_per_class,
)
from core.coding import BoolArray, CodedColumn, FloatArray, IntArray, combination_codes, value_codes
from core.files.plain_text import table_csv
from core.risk.folding import FoldedValues, distinct_meanings, fold_values
from core.risk.ladders import SUPPRESSED, Kind, column_ladders, thinned
from core.risk.lattice import MAX_NODES, ClassesAccepted, Generalization, Lattice, Node
from core.risk.lattice_search import Demand, search_cheapest
from core.risk.records import distinct_combinations
from core.risk.sensitive import class_distances, sensitive_codes
from core.risk.settings import Hierarchy, RiskSettings
from core.tables import ReadOptions, read_dataset

ClassDistances = Callable[[Items], FloatArray]  # of each class's values from the whole table's


@dataclass(frozen=True, kw_only=True)
class ClassLimits:
    """What a class has to reach in a sensitive attribute; None is not asked."""

    # fewest distinct values, and smallest entropy l
    l: int | None = None  # noqa: E741 - the model's own letter
    entropy_l: float | None = None
    # Largest distance from all assessed records, those to be suppressed included. Against the records shown
    # alone it can come out different, so measure the result again.
    t: float | None = None
    alpha: float | None = None  # largest share of one value, basic β, and δ with absent values passed over
    beta: float | None = None
    delta: float | None = None

    @property
    def is_set(self) -> bool:
        """Return whether anything is asked."""
        return any(limit is not None for limit in vars(self).values())

    def met(self, counts: Items, *, distance: ClassDistances, distinct: IntArray) -> BoolArray:
        """Return shape (n_classes,): whether each class meets them; one without a known value does not."""
        good = distinct >= (self.l or 1)
        for limit in LIMITS[1:]:
            asked = getattr(self, limit.threshold)
            if asked is not None:
                values = distance(counts) if limit.figure == "t" else limit.of_classes(counts)
                good &= ~limit.missed(values, asked)
        return good


def protects_sensitive(
    sensitive_codes: IntArray,
    limits: ClassLimits,
    *,
    distance: Distance | ClassDistances = "equal",
    folded: FoldedValues | None = None,
    assessed: BoolArray | None = None,
) -> ClassesAccepted:
    """Return the check, for a search, of whether a class keeps a sensitive attribute to itself."""
    totals = None
    if assessed is not None:
        known = sensitive_codes[assessed & (sensitive_codes >= 0)]
        totals = np.bincount(known, minlength=int(sensitive_codes.max(initial=-1)) + 1)

    def measured(counts: Items) -> FloatArray:
        return distance(counts) if callable(distance) else t_closeness(counts, distance=distance)

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        if not limits.is_set:
            return np.ones(classes.n_classes, dtype=bool)
        counts = items_of_classes(classes, sensitive_codes, totals=totals)
        distinct = distinct_l(counts) if folded is None else distinct_meanings(counts, folded)
        if folded is not None and folded.numbers is not None:
            counts = counts.merged(folded.interval_of_group)
        return limits.met(counts, distance=measured, distinct=distinct)

    return accepted


def protects_column(
    column: CodedColumn,
    settings: RiskSettings,
    limits: ClassLimits,
    *,
    hierarchy: Hierarchy | None,
    assessed: BoolArray,
) -> list[ClassesAccepted]:
    """Return the checks of a sensitive attribute, as written and, where it differs, as what values mean."""
    distance, code = sensitive_codes(column, settings, hierarchy)
    written = protects_sensitive(
        code[column.codes],
        limits,
        distance=lambda counts: class_distances(counts, column, distance, hierarchy),
        assessed=assessed,
    )
    folded = fold_values(column, settings)
    if not folded.changes:
        return [written]
    meant = protects_sensitive(
        folded.group_of_value[column.codes],
        ClassLimits(**(vars(limits) | ({"t": None} if distance == "hierarchical" else {}))),
        distance="ordered" if folded.numbers is not None else "equal",
        folded=folded,
        assessed=assessed,
    )
    return [written, meant]


def has_persons(person_of_record: IntArray, at_least: int) -> ClassesAccepted:
    """Return the check of whether so many distinct persons are in a class."""

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        persons = persons_per_class(classes.class_of_record, person_of_record, n_classes=classes.n_classes)
        return persons >= at_least

    return accepted


def all_of(checks: Sequence[ClassesAccepted]) -> ClassesAccepted | None:
    """Return the check that all checks pass; None of none."""
    if not checks:
        return None

    def accepted(classes: EquivalenceClasses) -> BoolArray:
        fine = np.ones(classes.n_classes, dtype=bool)
        for check in checks:
            fine &= check(classes)
        return fine

    return accepted


_MOST_PASSES, _MOST_TRIED = 3, 300  # of generalizing further what would be suppressed, and in each of them
_NEARLY_ALL = 1 - 1e-9  # all but one record may stay suppressed


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
    hierarchies: Mapping[str, Hierarchy] | None = None,
    leave_out: BoolArray | None = None,
    counted: BoolArray | None = None,
    weights: Sequence[float] = (),
    max_nodes: int = MAX_NODES,
) -> Lattice:
    """Return all generalizations of a table that its columns' values suggest.

    `max_nodes`: bound on the combinations of levels; levels in the middle of the longest ladders are left out
    until it holds, and the lattice says in which columns. Where even two levels each exceed it, all are kept.
    """
    ladders, codes = column_ladders(table, quasi_identifiers, kinds=kinds, hierarchies=hierarchies)
    kept = thinned(ladders, max_nodes=max_nodes)
    if math.prod(len(ladder.levels) for ladder in kept) > max_nodes:
        kept = ladders
    return Lattice(
        table=distinct_combinations(codes, leave_out=leave_out, counted=counted),
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
    """A table that can be given away, and how it was made."""

    # all columns and records in their order; quasi-identifiers generalized, ``*`` in all of them for a
    # suppressed record
    table: pa.Table
    # records of which no quasi-identifier is shown: suppressed, left out of the search, or all records where
    # the generalization shows no column
    n_suppressed: int
    nodes: tuple[Node, ...]  # the generalizations that records are written by
    # how to repeat it; only text, numbers, lists and dictionaries, no cell value of the table
    settings: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, eq=False)
class Recoding:
    """Which generalization each combination of values is written by."""

    # the generalization found, and those of records that it would suppress (local recoding)
    nodes: tuple[Node, ...]
    node_of_combination: IntArray  # shape (n_combinations,): position in `nodes`, -1 for a suppressed one
    n_records: tuple[int, ...]  # records written by each of `nodes`
    # mean over the assessed records of the loss of their quasi-identifiers, 1 for a suppressed one
    loss: float


def _recode(
    lattice: Lattice, found: Generalization, *, accepted: ClassesAccepted | None = None, locally: bool = False
) -> Recoding:
    """Return how each combination is written; bad classes are suppressed, or generalized `locally`."""
    table = lattice.table
    node_of = np.where(lattice.suppressed_combinations(found.levels, k=found.k, accepted=accepted), -1, 0)
    nodes = [found.levels]
    for _ in range(_MOST_PASSES if locally else 0):
        rest = (node_of < 0) & (table.sizes > 0)
        if int(table.sizes[rest].sum()) < found.k:
            break
        part = lattice.restricted(rest)
        demand = Demand(k=found.k, suppression_limit=_NEARLY_ALL, accepted=accepted)
        best = search_cheapest(part, demand, max_evaluations=_MOST_TRIED).best
        if best is None or part.hides_all(best.levels):
            break
        shown = ~part.suppressed_combinations(best.levels, k=found.k, accepted=accepted)
        node_of[np.flatnonzero(rest)[shown]] = len(nodes)
        nodes.append(best.levels)
    losses = [lattice.loss_of_combination(node) for node in nodes]
    loss = np.choose(node_of + 1, [np.ones(table.n_combinations), *losses])
    return Recoding(
        nodes=tuple(nodes),
        node_of_combination=node_of,
        n_records=tuple(int(table.sizes[node_of == number].sum()) for number in range(len(nodes))),
        loss=float(loss @ table.sizes / table.n_records),
    )


def generalize(
    table: pa.Table,
    lattice: Lattice,
    found: Generalization,
    *,
    accepted: ClassesAccepted | None = None,
    locally: bool = False,
) -> GeneralizedTable:
    """Apply a generalization to the table that its lattice was built from."""
    recoding = _recode(lattice, found, accepted=accepted, locally=locally)
    combination = lattice.table.combination_of_record[: table.num_rows]
    node_of = np.append(recoding.node_of_combination, -1)[combination]  # -1: a record that was left out
    if len(recoding.nodes) == 1 and lattice.hides_all(found.levels):
        node_of = np.full_like(node_of, -1)
    result = table
    for column, ladder in enumerate(lattice.ladders):
        shown = pa.array([SUPPRESSED] * len(node_of), pa.string())
        for number, node in enumerate(recoding.nodes):
            texts = _texts(lattice, node, column, combination)
            shown = pc.if_else(pa.array(node_of == number), texts, shown)
        result = result.set_column(result.column_names.index(ladder.column), ladder.column, shown)
    n_hidden = int(np.count_nonzero(node_of < 0))
    return GeneralizedTable(
        table=result,
        n_suppressed=n_hidden,
        nodes=recoding.nodes,
        settings=_settings(lattice, found, recoding, n_hidden=n_hidden, n_records=table.num_rows),
    )


def _texts(lattice: Lattice, node: Node, column: int, combination: IntArray) -> pa.Array:
    """Return what a generalization shows of one column, by record; of a record left out anything."""
    level = lattice.ladders[column].levels[node[column]]
    group = np.append(level.group_of_value[lattice.table.codes[column]], 0)[combination]
    return level.names.cast(pa.string()).take(pa.array(group))


def _generalized_below(lattice: Lattice, node: Node, *, first: int) -> pa.Table:
    """Return all records of the lattice from `first` on, such as a population's, as they are generalized."""
    combination = lattice.table.combination_of_record[first:]
    names = [ladder.column for ladder in lattice.ladders]
    return pa.table([_texts(lattice, node, column, combination) for column in range(len(names))], names=names)


def _settings(
    lattice: Lattice, found: Generalization, recoding: Recoding, *, n_hidden: int, n_records: int
) -> dict[str, object]:
    columns = [_columns(lattice, node) for node in recoding.nodes]
    further = [
        {"n_records": n, "columns": each} for n, each in zip(recoding.n_records[1:], columns[1:], strict=True)
    ]
    return {
        "k": found.k,
        "smallest_class": found.smallest_class,
        "n_records": n_records,
        "n_suppressed": n_hidden,
        "loss": recoding.loss if further else found.loss,
        "columns": columns[0],
        "local_recoding": further,
    }


def _columns(lattice: Lattice, node: Node) -> list[dict[str, object]]:
    return [
        {
            "column": ladder.column,
            "kind": ladder.kind,
            "level": position,
            "n_levels": len(ladder.levels),
            "generalization": ladder.levels[position].description,
            "n_groups": ladder.levels[position].n_groups,
        }
        for ladder, position in zip(lattice.ladders, node, strict=True)
    ]


@dataclass(frozen=True, kw_only=True, eq=False)
class VerifiedTable:
    """What the classes of a generalized table's bytes are, counted anew."""

    classes: EquivalenceClasses  # over the quasi-identifiers as written; fully suppressed records left out
    n_suppressed: int  # records with ``*`` in all quasi-identifiers
    shown: pa.Table  # the quasi-identifiers of the other records, as read back

    def holds(self, k: int) -> bool | None:
        """Return whether every record shown is in a class of at least `k`; None where none is shown."""
        return None if self.classes.k is None else self.classes.k >= k


def verify_generalized(
    data: bytes, quasi_identifiers: Sequence[str], *, columns: Sequence[str]
) -> VerifiedTable:
    """Read the bytes of a generalized table back and count its classes."""
    table = _read_back(data, quasi_identifiers, columns=columns)
    stars = [pc.fill_null(pc.equal(column, SUPPRESSED), False) for column in table.columns]
    hidden = np.logical_and.reduce([each.to_numpy(zero_copy_only=False) for each in stars])
    return VerifiedTable(
        classes=equivalence_classes(table, table.column_names, leave_out=hidden),
        n_suppressed=int(np.count_nonzero(hidden)),
        shown=table.filter(pa.array(~hidden)),
    )


def _read_back(data: bytes, chosen: Sequence[str], *, columns: Sequence[str]) -> pa.Table:
    """Return some columns of a written table, under the names they had before it was written."""
    options = ReadOptions(delimiter=",", encoding="utf-8", header="first_line", missing_spellings=())
    dataset = read_dataset(data, name="generalized table", options=options)
    written = dict(zip(columns, dataset.columns, strict=True))
    return pa.table([dataset.table[written[name]] for name in chosen], names=list(chosen))


def smallest_population_class(shown: pa.Table, lattice: Lattice, nodes: Sequence[Node], *, first: int) -> int:
    """Return the people of the population whom the smallest class of a written table may be about.

    `lattice`, `nodes`: the generalizations that records were written by. Each of the population's people, the
    lattice's records from `first` on, is written by all of them and read back, and counts once in a class.
    """
    names = shown.column_names
    people = [
        _read_back(table_csv(_generalized_below(lattice, node, first=first)), names, columns=names)
        for node in nodes
    ]
    together = pa.concat_tables([shown, *people], promote_options="permissive")
    columns = [value_codes(together[name]) for name in names]
    codes = combination_codes(columns, n_records=together.num_rows)
    classes, *written = np.split(codes, shown.num_rows + np.arange(len(nodes)) * people[0].num_rows)
    n_people = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    for number, ways in enumerate(written):
        known = np.zeros(len(ways), dtype=bool)
        for before in written[:number]:
            known |= ways == before
        n_people += np.bincount(ways[~known], minlength=len(n_people))
    return int(n_people[np.unique(classes)].min())
