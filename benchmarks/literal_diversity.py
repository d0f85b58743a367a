"""One pair of k and l, word for word as the rules say, with a loop for every "each".

Slow on purpose: what the fast search is measured and tested against. Numbers only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

Apply = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class LiteralProblem:
    """Numbers, labels, a fitted classifier, and which columns are what."""

    values: np.ndarray
    labels: np.ndarray
    model: DecisionTreeClassifier
    quasi_identifiers: list[int]
    sensitive: int
    target_accuracy: float


def literal_configuration(problem: LiteralProblem, k: int, l: int) -> tuple[float, float | None]:  # noqa: E741
    """Return deletion ratio and accuracy of one pair; None where too few records are left."""
    released, kept = _anonymize(problem, k, l)
    deletion_ratio = (len(kept) - int(kept.sum())) / len(kept)
    if kept.sum() < 4:
        return deletion_ratio, None
    records, labels = released[kept], problem.labels[kept]
    first, second, _, truth = train_test_split(records, labels, test_size=0.4, random_state=38)
    minimize = _minimization(problem, first)
    return deletion_ratio, float(np.mean(problem.model.predict(minimize(second)) == truth))


def _anonymize(problem: LiteralProblem, k: int, l: int) -> tuple[np.ndarray, np.ndarray]:  # noqa: E741
    tree = DecisionTreeClassifier(random_state=10, min_samples_split=2, min_samples_leaf=k)
    leaves = tree.fit(problem.values, problem.labels).apply(problem.values)
    released, kept = problem.values.copy(), np.zeros(len(leaves), dtype=bool)
    for leaf in set(leaves):
        members = [i for i in range(len(leaves)) if leaves[i] == leaf]
        kept[members] = len({problem.values[i, problem.sensitive] for i in members}) >= l
        for column in problem.quasi_identifiers:
            numbers = [problem.values[i, column] for i in members]
            median = np.median(numbers)
            released[members, column] = min(numbers, key=lambda number: abs(number - median))
    return released, kept


def _minimization(problem: LiteralProblem, records: np.ndarray) -> Apply:
    predictions = problem.model.predict(records)
    try:
        fit, held_out, fit_as, held_out_as = train_test_split(
            records, predictions, test_size=0.4, random_state=18, stratify=predictions
        )
    except ValueError:
        fit, held_out, fit_as, held_out_as = train_test_split(
            records, predictions, test_size=0.4, random_state=18
        )
    columns = problem.quasi_identifiers
    tree = DecisionTreeClassifier(random_state=0).fit(fit[:, columns], fit_as)

    def agreement(apply: Apply) -> float:
        return float(np.mean(problem.model.predict(apply(held_out)) == held_out_as))

    best = _at_level(tree, 0, fit, fit_as, columns)
    if agreement(best) > problem.target_accuracy:
        for level in range(1, int(tree.get_depth()) + 1):
            higher = _at_level(tree, level, fit, fit_as, columns)
            if agreement(higher) < problem.target_accuracy:
                break
            best = higher
    return best


def _at_level(
    tree: DecisionTreeClassifier, level: int, fit: np.ndarray, fit_as: np.ndarray, columns: list[int]
) -> Apply:
    depth = tree.get_depth() - level

    def cell_of(record: np.ndarray) -> int:
        node, at = 0, 0
        while at < depth and tree.tree_.children_left[node] >= 0:
            value = np.float32(record[columns][tree.tree_.feature[node]])
            left = value <= tree.tree_.threshold[node]
            node, at = (tree.tree_.children_left if left else tree.tree_.children_right)[node], at + 1
        return int(node)

    cells = [cell_of(record) for record in fit]
    representatives = {}
    for cell in set(cells):
        label = tree.classes_[np.argmax(_leaf_shares(tree, cell))]
        members = np.array(
            [fit[i][columns] for i in range(len(fit)) if cells[i] == cell and fit_as[i] == label]
        )
        median = np.median(members, axis=0)
        distances = [np.sqrt(((member - median) ** 2).sum()) for member in members]
        representatives[cell] = members[int(np.argmin(distances))]

    def apply(records: np.ndarray) -> np.ndarray:
        replaced = records.copy()
        for number, record in enumerate(records):
            replaced[number, columns] = representatives[cell_of(record)]
        return replaced

    return apply


def _leaf_shares(tree: DecisionTreeClassifier, node: int) -> np.ndarray:
    """Return the sum of the class shares of all leaves below: how the reference weighs a merged cell."""
    left, right = tree.tree_.children_left[node], tree.tree_.children_right[node]
    if left < 0:
        return np.asarray(tree.tree_.value[node][0])
    return _leaf_shares(tree, left) + _leaf_shares(tree, right)
