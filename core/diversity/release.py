"""The anonymized table as bytes, and the proof on those very bytes that k and l hold."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from core.attribute_disclosure import (
    Distance,
    alpha,
    distinct_l,
    entropy_l,
    largest,
    recursive_c,
    smallest,
    t_closeness,
)
from core.classes import EquivalenceClasses, Items, equivalence_classes, items_of_classes
from core.coding import IntArray
from core.diversity.evaluation import Evaluation
from core.diversity.problem import SearchProblem
from core.diversity.settings import DiversitySettings
from core.tables import Dataset, ReadOptions, read_dataset

_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class Verification:
    """What the equivalence classes of released bytes are, counted anew."""

    classes: EquivalenceClasses  # over the quasi-identifiers, as written in the file
    # per sensitive attribute, its values in each class, in the bins of the search
    counts: tuple[Items, ...] = field(repr=False)
    distances: tuple[Distance, ...]  # per sensitive attribute, the distance of t-closeness

    @property
    def k(self) -> int | None:
        """Return the smallest class size."""
        return self.classes.k

    @property
    def distinct_l(self) -> int:
        """Return the fewest distinct sensitive values of any class and attribute."""
        return int(min(smallest(distinct_l(counts)) or 0 for counts in self.counts))

    @property
    def entropy_l(self) -> float:
        """Return the smallest entropy l of any class and attribute."""
        return min(smallest(entropy_l(counts)) or 0.0 for counts in self.counts)

    @property
    def t(self) -> float | None:
        """Return the largest distance of any class and attribute from the whole release."""
        found = [
            largest(t_closeness(counts, distance=distance))
            for counts, distance in zip(self.counts, self.distances, strict=True)
        ]
        return max((each for each in found if each is not None), default=None)

    @property
    def alpha(self) -> float | None:
        """Return the largest share of one sensitive value in any class."""
        found = [largest(alpha(counts)) for counts in self.counts]
        return max((each for each in found if each is not None), default=None)

    def recursive_c(self, l: int) -> float:  # noqa: E741 - the model's own letter
        """Return the bound that c must exceed for recursive (c, l)-diversity."""
        return max(largest(recursive_c(counts, l=l)) or 0.0 for counts in self.counts)

    def holds(self, k: int, l: int, settings: DiversitySettings) -> bool:  # noqa: E741
        """Return whether every class has at least `k` records and is diverse enough for `l`."""
        if (self.k or 0) < k:
            return False
        if settings.diversity == "recursive":
            return self.recursive_c(l) < settings.recursive_c
        found = self.entropy_l if settings.diversity == "entropy" else self.distinct_l
        return found >= l - _TOLERANCE


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptCells:
    """Which records are released, and whose quasi-identifiers each shows."""

    kept: IntArray  # shape (n_kept,): positions among the problem's records, ascending
    sources: IntArray  # shape (n_kept, n_units): the record each quasi-identifier's text is taken from


def released_table(problem: SearchProblem, cells: KeptCells) -> pa.Table:
    """Return the anonymized table: kept records, each quasi-identifier as its representative wrote it.

    Columns that are no features (left out by the person) are not released. All others are as they were.
    """
    table = problem.data.table
    left_out = set(problem.settings.left_out)
    unit_of = {
        problem.inputs.space.columns[position].name: number
        for number, unit in enumerate(problem.inputs.units)
        for position in unit.columns
    }
    names = [name for name in table.column_names if name not in left_out]
    unchanged = table.select([name for name in names if name not in unit_of])
    released = dict(
        zip(unchanged.column_names, unchanged.take(problem.records[cells.kept]).columns, strict=True)
    )
    for name, unit in unit_of.items():
        released[name] = table[name].take(problem.records[cells.sources[:, unit]])
    return pa.table({name: released[name] for name in names})


def minimized_sources(problem: SearchProblem, cells: KeptCells, evaluation: Evaluation) -> KeptCells:
    """Return the same records with the representatives of the minimization on top.

    Minimization looks at the anonymized quasi-identifiers only, so it merges classes and never
    splits one: k and l cannot fall.
    """
    values = problem.values[cells.kept].copy()
    for number, unit in enumerate(problem.inputs.units):
        columns = list(unit.columns)
        values[:, columns] = problem.values[cells.sources[:, number, np.newaxis], columns]
    minimization = evaluation.minimization
    representatives = evaluation.first_records[minimization.sources[minimization.cell_of(values)]]
    row_of_record = np.full(problem.n_records, -1, dtype=np.int64)
    row_of_record[cells.kept] = np.arange(len(cells.kept))
    rows = row_of_record[representatives]
    sources = cells.sources.copy()
    for number, generalized in enumerate(minimization.generalized):
        if generalized:
            sources[:, number] = cells.sources[rows, number]
    return KeptCells(kept=cells.kept, sources=sources)


def read_back(data: bytes, problem: SearchProblem) -> tuple[Dataset, dict[str, str]]:
    """Return a release as it reads, and what its columns are called now: reading may have renamed one."""
    options = ReadOptions(
        delimiter=",",
        encoding="utf-8",
        header="first_line",
        missing_spellings=problem.data.reading.options.missing_spellings,
    )
    dataset = read_dataset(data, name=problem.data.name, options=options)
    written = [name for name in problem.data.columns if name not in problem.settings.left_out]
    return dataset, dict(zip(written, dataset.columns, strict=True))


def verify(data: bytes, problem: SearchProblem) -> Verification:
    """Read released bytes back and count their classes and sensitive values.

    Nothing of the search is reused but the bins of the sensitive attributes.
    """
    dataset, column_of = read_back(data, problem)
    classes = equivalence_classes(
        dataset.table, [column_of[name] for name in problem.settings.quasi_identifiers]
    )
    return Verification(
        classes=classes,
        counts=tuple(
            items_of_classes(classes, attribute.code(dataset.table[column_of[attribute.name]]))
            for attribute in problem.sensitive
        ),
        distances=tuple(attribute.distance for attribute in problem.sensitive),
    )
