"""Records described by the cells of a tree: what is left of each feature, and how much was lost."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from core.coding import FloatArray, IntArray
from core.diversity.cells import CellTree, QuasiIdentifierUnit, raised
from core.diversity.features import FeatureSpace, Float32Array
from core.diversity.outcomes import Outcome
from core.diversity.settings import MajorityRule
from core.files.plain_text import masked_shapes
from core.words import Text, Written, joined, own, text

Predict = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, kw_only=True, eq=False)
class MinimizationProblem:
    """What is to be minimized."""

    space: FeatureSpace  # how values are held, and the quasi-identifiers among them
    units: tuple[QuasiIdentifierUnit, ...]
    predict: Predict  # the model
    outcome: Outcome  # measures agreement; its labels are not looked at
    majority: MajorityRule  # how a merged cell gets its label
    target_accuracy: float  # agreement to keep

    @property
    def n_classes(self) -> int | None:
        """Return the classes of the label; None for regression."""
        return len(self.outcome.classes) if self.outcome.task == "classification" else None

    @cached_property
    def columns(self) -> list[int]:
        """Return the positions of all columns to minimize, unit after unit."""
        return [column for unit in self.units for column in unit.columns]

    def points(self, values: FloatArray) -> Float32Array:
        """Return shape (n_records, n_encoded): the encoded features to minimize, as trees want them."""
        return np.ascontiguousarray(self.space.encode(values, self.columns), dtype=np.float32)


@dataclass(frozen=True, kw_only=True, eq=False)
class Minimization:
    """A minimization that can be applied to any records."""

    problem: MinimizationProblem = field(repr=False)
    tree: CellTree = field(repr=False)  # the cells
    level: int  # 0 for the leaves as cells, 1 for the level above, and so on
    # shape (n_nodes, n_columns): values of the representative of each node that is a cell
    representatives: FloatArray = field(repr=False)
    # shape (n_nodes,): which record of those minimized the representative is
    sources: IntArray = field(repr=False)
    generalized: tuple[bool, ...]  # per unit, whether it is replaced; False for a feature left as it is
    agreement: float  # agreement of the model with itself on the inner hold-out after minimization
    leaves_agreement: float  # the same with the leaves as cells and all features replaced

    def cell_of(self, values: FloatArray) -> IntArray:
        """Return shape (n_records,): the node that is each record's cell."""
        problem = self.problem
        nodes = self.tree.leaf_of(problem.points(values))
        for level in range(1, self.level + 1):
            nodes = raised(nodes, self.tree, level)
        return nodes

    def apply(self, values: FloatArray) -> FloatArray:
        """Return the values with each generalized feature replaced by its cell's representative."""
        return self.replaced(values, self.cell_of(values))

    def replaced(self, values: FloatArray, nodes: IntArray) -> FloatArray:
        """Return the same, for records whose cells are known already."""
        problem, replaced = self.problem, values.copy()
        if all(self.generalized):
            replaced[:, problem.columns] = self.representatives[nodes]
            return replaced
        replaces = np.repeat(self.generalized, [len(unit.columns) for unit in problem.units])
        columns = np.array(problem.columns)[replaces]
        replaced[:, columns] = self.representatives[nodes][:, replaces]
        return replaced


@dataclass(frozen=True, kw_only=True, eq=False)
class CellUse:
    """Which cells some records are in, and their domain: what a penalty is counted from."""

    n_of_node: IntArray  # shape (n_nodes,): records in each cell
    lowest: FloatArray  # shape (n_encoded,): the domain of each encoded feature
    highest: FloatArray


def cell_use(minimization: Minimization, values: FloatArray, nodes: IntArray | None = None) -> CellUse:
    """Return how the records fall into the cells, `nodes` if known already; at least one record."""
    problem = minimization.problem
    encoded = problem.space.encode(values, problem.columns)
    nodes = minimization.cell_of(values) if nodes is None else nodes
    return CellUse(
        n_of_node=np.bincount(nodes, minlength=len(minimization.tree.left)),
        lowest=encoded.min(axis=0),
        highest=encoded.max(axis=0),
    )


def unit_ncp(minimization: Minimization, use: CellUse) -> FloatArray:
    """Return shape (n_units,): mean over the records of how much of each feature's domain is released.

    A number costs the width of its cell within the domain / the domain's width; a category the
    categories its cell allows / all, 0 for a single one. A feature left as it is costs 0.
    """
    problem = minimization.problem
    lower, upper = _cell_boxes(minimization.tree, use.lowest, use.highest)
    found, place = np.zeros(len(problem.units)), 0
    for number, unit in enumerate(problem.units):
        width = sum(problem.space.columns[column].width for column in unit.columns)
        inside = slice(place, place + width)
        place += width
        if minimization.generalized[number]:
            penalty = _box_penalty(lower[:, inside], upper[:, inside], is_number=unit.codes is None)
            found[number] = penalty @ use.n_of_node / use.n_of_node.sum()
    return found


def _cell_boxes(tree: CellTree, lowest: FloatArray, highest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two arrays of shape (n_nodes, n_encoded): the smallest and largest value in each node."""
    lower, upper = np.tile(lowest, (len(tree.left), 1)), np.tile(highest, (len(tree.left), 1))
    for depth in range(tree.n_levels):
        inner = np.flatnonzero((tree.depth == depth) & (tree.left >= 0))
        left, right, column = tree.left[inner], tree.right[inner], tree.split_column[inner]
        cut = np.clip(tree.threshold[inner], lower[inner, column], upper[inner, column])
        for child in (left, right):
            lower[child], upper[child] = lower[inner], upper[inner]
        upper[left, column] = cut
        lower[right, column] = cut
    return lower, upper


def _box_penalty(lower: FloatArray, upper: FloatArray, *, is_number: bool) -> FloatArray:
    """Return shape (n_nodes,): the share of the domain that each node leaves open."""
    if is_number:
        domain = float(upper[0, 0] - lower[0, 0])
        return (upper - lower)[:, 0] / domain if domain > 0 else np.zeros(len(lower))
    named = (lower > 0).any(axis=1)  # a cut above 0 in a 0/1 column says which category it is
    possible = (upper == 1).sum(axis=1)
    n_possible = np.where(named, 1, possible)
    n_categories = max(int((upper[0] > 0).sum()), 1)
    return np.where(n_possible > 1, n_possible / n_categories, 0.0)


@dataclass(frozen=True, kw_only=True)
class Generalization:
    """What may be known of one quasi-identifier for the model to stay as accurate."""

    feature: str  # the column
    # For numbers: the ranges are up to the first cut, up to the second, …, above the last. None for
    # categories and for a feature left as it is.
    cuts: tuple[float, ...] | None = None
    # For categories: those that are not told apart stand in one group. None otherwise.
    groups: tuple[tuple[str, ...], ...] | None = None
    untouched: bool = False  # whether the feature is left as it is


def generalizations(minimization: Minimization) -> tuple[Generalization, ...]:
    """Return the generalization of every quasi-identifier, in the order of the units."""
    problem, tree, space = minimization.problem, minimization.tree, minimization.problem.space
    in_use = (tree.left >= 0) & (tree.depth < tree.n_levels - minimization.level)
    names: Sequence[tuple[int, int | None]] = space.encoded_names(problem.columns)
    cuts = {
        names[column]: tuple(np.unique(tree.threshold[in_use & (tree.split_column == column)]).tolist())
        for column in np.unique(tree.split_column[in_use]).tolist()
    }
    found = []
    for unit, generalized in zip(minimization.problem.units, minimization.generalized, strict=True):
        for position in unit.columns:
            column = space.columns[position]
            if not generalized:
                found.append(Generalization(feature=column.name, untouched=True))
            elif column.categories is None:
                found.append(Generalization(feature=column.name, cuts=cuts.get((position, None), ())))
            else:
                told_apart = {category for at, category in cuts if at == position}
                found.append(
                    Generalization(feature=column.name, groups=_groups(column.categories, told_apart))
                )
    return tuple(found)


def masked(
    found: tuple[Generalization, ...], released: Mapping[str, Collection[str]]
) -> tuple[Generalization, ...]:
    """Return the generalizations with categories that are not `released`, by column, as their shapes.

    What a class of k records is released with is a generalization; any other category is a person's value.
    """
    return tuple(
        each
        if each.groups is None
        else replace(
            each, groups=tuple(_masked(group, released.get(each.feature, ())) for group in each.groups)
        )
        for each in found
    )


def _masked(names: tuple[str, ...], released: Collection[str]) -> tuple[str, ...]:
    shapes = masked_shapes(pa.array(names, pa.string())).to_pylist()
    shown = (name if name in released else shape for name, shape in zip(names, shapes, strict=True))
    return tuple(dict.fromkeys(shown))


def known_as(generalization: Generalization) -> Text:
    """Return what may be known of a feature, as a person reads it."""
    if generalization.untouched:
        return own("left as it is")
    if generalization.groups is not None:
        return joined([_one_of(group) for group in generalization.groups], " | ")
    if not generalization.cuts:
        return own("any value, it makes no difference to the model")
    return ranges(generalization.cuts)


def ranges(cuts: Sequence[float]) -> Text:
    """Return the ranges that cuts leave, such as "up to 30 | to 50 | above"."""
    first, *others = [Written(f"{cut:.4g}") for cut in cuts]
    parts = [text("up to {number}", number=first), *(text("to {number}", number=cut) for cut in others)]
    return joined([*parts, own("above")], " | ")


def _one_of(names: Sequence[str]) -> Text:
    *others, last = [text("{name}", name=name) if name else own("(missing)") for name in names]
    return text("{others} or {last}", others=joined(others, ", "), last=last) if others else last


def _groups(categories: tuple[str, ...], told_apart: set[int | None]) -> tuple[tuple[str, ...], ...]:
    own = [(name,) for number, name in enumerate(categories) if number in told_apart]
    rest = tuple(name for number, name in enumerate(categories) if number not in told_apart)
    return (*own, rest) if rest else tuple(own)
