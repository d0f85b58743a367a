"""The grid search over k and l: each distinct set of kept records is evaluated once."""

import hashlib
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
import sklearn

from core.classes import EquivalenceClasses
from core.coding import BoolArray, FloatArray, IntArray
from core.diversity.cells import (
    CellDiversity,
    CellInputs,
    Cells,
    QuasiIdentifierUnit,
    cell_inputs,
    fit_leaves,
    make_cells,
    released_values,
)
from core.diversity.evaluation import FEWEST_RECORDS, Evaluation, EvaluationInputs, evaluate
from core.diversity.features import MISSING_CATEGORY, FeatureColumn
from core.diversity.minimization import SearchStoppedError, ShouldStop, never
from core.diversity.minimized import Generalization, generalizations, masked
from core.diversity.problem import SearchProblem
from core.diversity.release import KeptCells, Verification, released_table, verify
from core.files.plain_text import holds_formulas, table_csv
from core.processes.jobs import Threads
from core.risk import RiskAudit
from core.utility import categorical_ncp, numeric_ncp
from core.words import input_error, own

OnProgress = Callable[[int, int], None]


class Status(StrEnum):
    """What became of a pair of k and l."""

    OFFERED = "offered"
    NO_DELETION = "no deletion"
    BELOW_TARGET = "below target"
    NOTHING_LEFT = "nothing left"
    TOO_FEW_RECORDS = "too few records"
    ACCURACY_UNKNOWN = "accuracy not assessable"
    NOT_VERIFIED = "not verified"
    STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True, eq=False)
class KeptSet:
    """The cells of one k, and which of them are diverse enough for one or more l."""

    cells: Cells  # the partition of all records
    is_kept: BoolArray  # shape (n_cells,): whether the cell's records are kept
    # normalized certainty penalty of the kept records' quasi-identifiers, in [0, 1], mean over records and
    # quasi-identifiers; None where nothing is kept
    ncp: float | None

    @property
    def kept_cells(self) -> KeptCells:
        """Return the kept records and the records their quasi-identifiers are taken from."""
        sources = self.cells.representatives[self.cells.cell_of_record[self.kept]]
        return KeptCells(kept=self.kept, sources=sources)

    @cached_property
    def kept(self) -> IntArray:
        """Return the kept records, ascending."""
        return np.flatnonzero(self.is_kept[self.cells.cell_of_record])

    @cached_property
    def key(self) -> bytes:
        """Return a digest of which records are kept in which cells."""
        kept_cells = np.where(self.is_kept, np.arange(len(self.is_kept)), -1).astype(np.int32)
        return hashlib.blake2b(kept_cells[self.cells.cell_of_record].tobytes(), digest_size=16).digest()

    @property
    def n_records(self) -> int:
        """Return the records before anonymization."""
        return len(self.cells.cell_of_record)

    @cached_property
    def n_kept(self) -> int:
        """Return the records kept."""
        return int(self.cells.classes.class_sizes[self.is_kept].sum())

    @property
    def classes(self) -> EquivalenceClasses:
        """Return the kept cells as equivalence classes; removed records are left out."""
        number = np.where(self.is_kept, np.cumsum(self.is_kept) - 1, -1)
        return EquivalenceClasses(
            quasi_identifiers=(),
            class_of_record=number[self.cells.cell_of_record],
            class_sizes=self.cells.classes.class_sizes[self.is_kept],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Configuration:
    """One pair of k and l, and what came of it."""

    k: int  # the pair
    l: int  # noqa: E741 - the model's own letter
    status: Status  # whether it is offered, and if not, why
    # The cells and the kept records; shared by all pairs that keep the same. None where the search was
    # stopped before.
    kept_set: KeptSet | None = field(default=None, repr=False)
    # how useful the kept records are; None where that could not be assessed
    evaluation: Evaluation | None = field(default=None, repr=False)
    # what was counted on the released bytes; None where nothing would be released
    verification: Verification | None = field(default=None, repr=False)

    @property
    def stored(self) -> bool:
        """Return whether the configuration is on the result list."""
        return self.status is Status.OFFERED

    @property
    def deletion_ratio(self) -> float | None:
        """Return records removed / all records, in [0, 1]; None where the search was stopped before."""
        if self.kept_set is None:
            return None
        return 1 - self.kept_set.n_kept / self.kept_set.n_records

    @property
    def accuracy(self) -> float | None:
        """Return the accuracy on the hold-out, minimized; None where not assessed."""
        return self.evaluation.accuracy if self.evaluation else None


def released_generalizations(
    problem: SearchProblem, configuration: Configuration
) -> tuple[Generalization, ...]:
    """Return what minimization leaves of each quasi-identifier, values that are not released as shapes.

    None of a pair without an accuracy.
    """
    if configuration.evaluation is None:
        return ()
    kept_set, space = configuration.kept_set, problem.inputs.space
    released: dict[str, set[str]] = {}
    sources = kept_set.kept_cells.sources if kept_set else np.zeros((0, len(problem.inputs.units)), np.int64)
    for number, unit in enumerate(problem.inputs.units):
        for position in unit.columns:
            column = space.columns[position]
            if column.categories is not None:
                codes = np.unique(problem.values[sources[:, number], position]).astype(int)
                released[column.name] = {column.categories[code] for code in codes}
    found = generalizations(configuration.evaluation.minimization)
    return masked(found, released)


def search(
    problem: SearchProblem,
    *,
    n_jobs: int = 1,
    verified: bool = True,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
    on_start: Callable[[Callable[[], tuple[Configuration, ...]]], None] | None = None,
) -> tuple[Configuration, ...]:
    """Evaluate every pair of k and l.

    The cells depend on k alone and many l keep the same records, so a tree is fitted once for each k
    and a model evaluated once for each distinct set of kept records. The result does not depend on
    `n_jobs`. `on_start` is given what says at any time what is done so far.
    """
    searching = _Searching(problem, verified, on_progress, should_stop)
    if on_start is not None:
        on_start(searching.so_far)
    ks = range(problem.settings.k_min, problem.settings.k_max + 1)
    with Threads(n_jobs) as threads:
        deque(threads.map(searching.search_k, ks), maxlen=0)
    return searching.so_far()


class _Searching:
    """What the searches for each k share: the inputs, what is evaluated already, and the progress."""

    def __init__(
        self,
        problem: SearchProblem,
        verified: bool,
        on_progress: OnProgress | None,
        should_stop: ShouldStop | None,
    ) -> None:
        self._problem, self._verified = problem, verified
        self._inputs, self._values = problem.inputs, problem.values
        self._sensitive_codes = [attribute.codes for attribute in problem.sensitive]
        self._on_progress = on_progress or (lambda _n_done, _n_all: None)
        self._should_stop = should_stop or never
        self._tree_inputs: CellInputs = cell_inputs(
            self._inputs.space, self._values, self._inputs.outcome.values, self._inputs.settings
        )
        # The same kept records in the same cells always have the same evaluation and verification.
        self._evaluations: dict[bytes, Evaluation] = {}
        self._verifications: dict[bytes, Verification] = {}
        self._is_harmless = verified and not holds_formulas(problem.data.table)
        self._found: dict[tuple[int, int], Configuration] = {}
        self._n_all = len(self._inputs.settings.pairs)
        self._lock = threading.Lock()

    def so_far(self) -> tuple[Configuration, ...]:
        """Return every pair in the order of the grid; what is not done is as where a search was stopped."""
        found = self._found.copy()
        return tuple(
            found.get((k, l)) or Configuration(k=k, l=l, status=Status.STOPPED)
            for k, l in self._inputs.settings.pairs  # noqa: E741
        )

    def search_k(self, k: int) -> None:
        """Find the configurations of one k, l ascending; scikit-learn's settings are a thread's own."""
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            self._search_k(k)

    def _search_k(self, k: int) -> None:
        ls = range(self._inputs.settings.l_min, k + 1)
        if not ls or self._should_stop():
            return
        leaves = fit_leaves(self._tree_inputs, k)
        partition = _Partition(
            self._inputs, self._values, make_cells(leaves, self._values, self._inputs.units, k=k)
        )
        diversity = CellDiversity(partition.cells.classes, self._sensitive_codes, self._inputs.settings)
        self._search_partition(partition, diversity, ls)

    def _search_partition(self, partition: "_Partition", diversity: CellDiversity, ls: range) -> None:
        kept_sets: dict[bytes, KeptSet] = {}
        for l in ls:  # noqa: E741
            is_kept = diversity.holds(l)
            same = is_kept.tobytes()
            if same not in kept_sets:
                kept_sets[same] = partition.kept_set(is_kept)
            configuration = self._configuration(partition, kept_sets[same], l)
            with self._lock:
                self._found[partition.cells.k, l] = configuration
                self._on_progress(len(self._found), self._n_all)

    def _configuration(self, partition: "_Partition", kept_set: KeptSet, l: int) -> Configuration:  # noqa: E741
        k, settings = partition.cells.k, self._inputs.settings
        if kept_set.n_kept == 0:
            return Configuration(k=k, l=l, status=Status.NOTHING_LEFT, kept_set=kept_set)
        if self._should_stop() and not self._is_known(kept_set):
            return Configuration(k=k, l=l, status=Status.STOPPED)
        verification = self._verification(kept_set)
        evaluation = None
        if self._problem.is_without_model:
            status = _status(0.0, kept_set, 0.0)
        elif self._inputs.model is None:
            status = Status.ACCURACY_UNKNOWN
        elif kept_set.n_kept < FEWEST_RECORDS:
            status = Status.TOO_FEW_RECORDS
        else:
            try:
                if kept_set.key not in self._evaluations:
                    self._evaluations[kept_set.key] = partition.evaluate(kept_set, self._should_stop)
                evaluation = self._evaluations[kept_set.key]
            except SearchStoppedError:
                return Configuration(k=k, l=l, status=Status.STOPPED)
            status = _status(evaluation.accuracy, kept_set, settings.target)
        if verification is not None and not verification.holds(k, l, settings):
            status = Status.NOT_VERIFIED
        return Configuration(
            k=k, l=l, status=status, kept_set=kept_set, evaluation=evaluation, verification=verification
        )

    def _is_known(self, kept_set: KeptSet) -> bool:
        """Return whether the answer needs no more work: another pair keeps the same."""
        without_model = self._inputs.model is None or kept_set.n_kept < FEWEST_RECORDS
        return (without_model or kept_set.key in self._evaluations) and (
            not self._verified or kept_set.key in self._verifications
        )

    def _verification(self, kept_set: KeptSet) -> Verification | None:
        if not self._verified:
            return None
        if kept_set.key not in self._verifications:
            table = released_table(self._problem, kept_set.kept_cells)
            released = table_csv(table, is_harmless=self._is_harmless)
            self._verifications[kept_set.key] = verify(released, self._problem)
        return self._verifications[kept_set.key]


class _Partition:
    """The cells of one k with what every kept set of them shares, computed when first needed."""

    def __init__(self, inputs: EvaluationInputs, values: FloatArray, cells: Cells) -> None:
        self.cells = cells
        self._inputs, self._values = inputs, values

    @cached_property
    def _released(self) -> FloatArray:
        return released_values(self.cells, self._values, self._inputs.units)

    @cached_property
    def _predictions(self) -> FloatArray:
        return self._inputs.predict(self._released)

    @cached_property
    def _ncp_of_cell(self) -> FloatArray:
        """Return shape (n_cells,): mean over the quasi-identifiers of the cell's penalty."""
        columns = self._inputs.space.columns
        penalties = [
            unit_penalty(unit, self._values, self.cells, number, columns[unit.columns[0]])
            for number, unit in enumerate(self._inputs.units)
        ]
        return np.asarray(np.mean(penalties, axis=0))

    def kept_set(self, is_kept: BoolArray) -> KeptSet:
        sizes = self.cells.classes.class_sizes * is_kept
        ncp = float(self._ncp_of_cell @ sizes / sizes.sum()) if is_kept.any() else None
        return KeptSet(cells=self.cells, is_kept=is_kept, ncp=ncp)

    def evaluate(self, kept_set: KeptSet, should_stop: ShouldStop) -> Evaluation:
        return evaluate(
            self._inputs, self._released, self._predictions, kept_set.kept, should_stop=should_stop
        )


def unit_penalty(
    unit: QuasiIdentifierUnit, values: FloatArray, cells: Cells, number: int, column: FeatureColumn
) -> FloatArray:
    """Return shape (n_cells,): mean over the cell's records of the precision that a quasi-identifier lost.

    `column`: the unit's feature, the first of a one-hot group: where a cell's representative is its missing
    category, every record whose category was known lost all.
    """
    if unit.codes is None:
        return numeric_ncp(values[:, unit.columns[0]], cells.classes)
    penalty = categorical_ncp(unit.codes, cells.classes)
    if column.categories is None or column.categories[-1] != MISSING_CATEGORY:
        return penalty
    known = values[:, unit.columns[0]] < len(column.categories) - 1
    is_blanked = ~known[cells.representatives[:, number]]
    known_share = np.bincount(cells.cell_of_record, weights=known) / cells.classes.class_sizes
    return np.where(is_blanked, known_share, penalty)


def _status(accuracy: float, kept_set: KeptSet, target_accuracy: float) -> Status:
    if accuracy < target_accuracy:
        return Status.BELOW_TARGET
    return Status.NO_DELETION if kept_set.n_kept == kept_set.n_records else Status.OFFERED


_MOST_REPEATS = 1000


@dataclass(frozen=True, kw_only=True)
class Stability:
    """Accuracies of one configuration over several seeds."""

    accuracies: tuple[float, ...]  # one per repeat done; the first is the search's own

    @property
    def mean(self) -> float:
        """Return the mean accuracy."""
        return float(np.mean(self.accuracies))

    @property
    def low(self) -> float:
        """Return the accuracy that 2.5 % of the repeats are at or below."""
        return float(np.quantile(self.accuracies, 0.025))

    @property
    def high(self) -> float:
        """Return the accuracy that 2.5 % of the repeats are at or above."""
        return float(np.quantile(self.accuracies, 0.975))


def repeat_configuration(
    problem: SearchProblem,
    configuration: Configuration,
    *,
    n_repeats: int = 20,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop = never,
) -> Stability:
    """Split, minimize and measure one configuration again with other seeds.

    The cells and the model stay the same; repeat i adds i to both seeds of the splits. The range shows what
    the choice of hold-out does; it is no confidence interval, because the repeats share their records.
    """
    if not 1 <= n_repeats <= _MOST_REPEATS:
        message = "The repeats must lie between 1 and {most}; {repeats} were asked for."
        raise input_error(message, most=_MOST_REPEATS, repeats=n_repeats)
    kept_set, evaluation = configuration.kept_set, configuration.evaluation
    if kept_set is None or evaluation is None:
        raise input_error(
            "k = {k}, ℓ = {l} has no accuracy to repeat: {status}.",
            k=configuration.k,
            l=configuration.l,
            status=own(configuration.status.value),
        )
    released = released_values(kept_set.cells, problem.values, problem.inputs.units)
    predictions = problem.inputs.predict(released)
    accuracies = [evaluation.accuracy]
    for repeat in range(1, n_repeats):
        inputs = _with_other_seeds(problem, repeat)
        if should_stop():
            break
        try:
            found = evaluate(inputs, released, predictions, kept_set.kept, should_stop=should_stop)
        except SearchStoppedError:
            break
        accuracies.append(found.accuracy)
        if on_progress is not None:
            on_progress(repeat + 1, n_repeats)
    return Stability(accuracies=tuple(accuracies))


def _with_other_seeds(problem: SearchProblem, repeat: int) -> EvaluationInputs:
    settings = problem.settings
    seeds = replace(
        settings,
        holdout_seed=settings.holdout_seed + repeat,
        minimization_seed=settings.minimization_seed + repeat,
    )
    return replace(problem.inputs, settings=seeds)


@dataclass(frozen=True, kw_only=True, eq=False)
class DiversitySearch:
    """A finished or stopped grid search."""

    problem: SearchProblem  # what was searched
    # every pair of k and l, in the order of the grid
    configurations: tuple[Configuration, ...] = field(repr=False)
    # accuracies over other splits of pairs that were judged
    repeated: dict[tuple[int, int], Stability] = field(default_factory=dict, repr=False)
    # what Disclosure risk said of releases that were judged, by pair and earlier releases
    released: dict[tuple[object, ...], RiskAudit] = field(default_factory=dict, repr=False)

    def configuration(self, k: int, l: int) -> Configuration:  # noqa: E741 - the model's own letter
        """Return the configuration of one pair of the grid."""
        for configuration in self.configurations:
            if (configuration.k, configuration.l) == (k, l):
                return configuration
        settings = self.problem.settings
        raise input_error(
            "k = {k}, ℓ = {l} was not searched: k runs from {smallest_k} to {largest_k}, and ℓ from "
            "{smallest_l} to k.",
            k=k,
            l=l,
            smallest_k=settings.k_min,
            largest_k=settings.k_max,
            smallest_l=settings.l_min,
        )


def measure_diversity(
    problem: SearchProblem,
    *,
    n_jobs: int = 1,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
    on_start: Callable[[Callable[[], DiversitySearch]], None] | None = None,
) -> DiversitySearch:
    """Run the grid search with every release verified; see `search` for the parameters."""

    def kept(so_far: Callable[[], tuple[Configuration, ...]]) -> None:
        if on_start is not None:
            on_start(lambda: DiversitySearch(problem=problem, configurations=so_far()))

    configurations = search(
        problem, n_jobs=n_jobs, on_progress=on_progress, should_stop=should_stop, on_start=kept
    )
    return DiversitySearch(problem=problem, configurations=configurations)
