"""Tables made without any single person: strangers, shuffled columns, synthesizers, means of groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.quality.leakage.tables import Table, fine_columns


def shuffled(table: Table, rng: np.random.Generator) -> Table:
    """Put every column in a random order of its own."""
    return pd.DataFrame({name: rng.permutation(table[name].to_numpy()) for name in table})


def drawn(table: Table, rng: np.random.Generator, n: int | None = None) -> Table:
    """Draw each column anew, with replacement, without regard to the others."""
    n = n or len(table)
    return pd.DataFrame({name: table[name].to_numpy()[rng.integers(0, len(table), n)] for name in table})


def cart(table: Table, rng: np.random.Generator) -> Table:
    """Synthesize column by column: each value is drawn from a tree's leaf of 50, grown on the columns before it."""
    codes = pd.DataFrame({name: _as_floats(table[name]) for name in table})
    columns = list(table)
    chosen = {columns[0]: rng.integers(0, len(table), len(table))}
    for position, name in enumerate(columns[1:], start=1):
        before = columns[:position]
        known = codes[before].to_numpy()
        drawn_rows = np.column_stack([codes[b].to_numpy()[chosen[b]] for b in before])
        many = table[name].nunique() > 20
        model = DecisionTreeRegressor if many else DecisionTreeClassifier
        tree = model(min_samples_leaf=50, random_state=int(rng.integers(2**31)))
        tree.fit(known, codes[name] if many else table[name])
        chosen[name] = _from_leaves(tree.apply(known), tree.apply(drawn_rows), rng)
    return pd.DataFrame({name: table[name].to_numpy()[chosen[name]] for name in columns})


def _from_leaves(leaves: np.ndarray, wanted: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    order = np.argsort(leaves, kind="stable")
    ordered = leaves[order]
    start, stop = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    return order[start + (rng.random(len(wanted)) * (stop - start)).astype(int)]


def _as_floats(column: pd.Series) -> np.ndarray:
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.notna().mean() > 0.5:
        return numbers.fillna(-1e6).to_numpy(float)
    return pd.factorize(column, sort=True)[0].astype(float)


def copula(table: Table, rng: np.random.Generator) -> Table:
    """Synthesize by a Gaussian copula: correlated normals, sent back through each column's own values."""
    scores = np.column_stack([_normal_scores(_as_floats(table[name]), rng) for name in table])
    correlation = np.corrcoef(scores, rowvar=False) + 1e-6 * np.eye(scores.shape[1])
    normal = rng.multivariate_normal(np.zeros(len(correlation)), correlation, len(table), method="eigh")
    uniform = stats.norm.cdf(normal / np.sqrt(np.diag(correlation)))
    result = {}
    for position, name in enumerate(table):
        order = np.argsort(_as_floats(table[name]), kind="stable")
        result[name] = table[name].to_numpy()[order][(uniform[:, position] * len(table)).astype(int)]
    return pd.DataFrame(result)


def _normal_scores(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    ranks = stats.rankdata(values + rng.normal(0, 1e-9, len(values)), method="ordinal")
    return stats.norm.ppf((ranks - 0.5) / len(values))


def mean_groups(table: Table, rng: np.random.Generator) -> Table:
    """Microaggregate: rows ordered by their main direction, groups of a dozen get mean numbers and the mode."""
    scores = np.column_stack([stats.rankdata(_as_floats(table[name])) for name in table])
    scores = (scores - scores.mean(0)) / np.maximum(scores.std(0), 1e-9)
    order = np.argsort(scores @ np.linalg.svd(scores, full_matrices=False)[2][0])
    groups = np.empty(len(table), int)
    groups[order] = np.minimum(np.arange(len(table)) // 12, max(len(table) // 12 - 1, 0))
    result, numeric = {}, set(fine_columns(table))
    for name in table:
        column = pd.Series(table[name].to_numpy())
        if name in numeric:
            means = pd.to_numeric(column).groupby(groups).transform("mean")
            result[name] = means.round(digits(table[name])).map("{:g}".format)
        else:
            result[name] = column.groupby(groups).transform(lambda part: part.mode().iloc[0])
    return pd.DataFrame(result).iloc[rng.permutation(len(table))]


def digits(column: pd.Series) -> int:
    """Return the largest number of digits after the point."""
    return max((len(cell.partition(".")[2]) for cell in column), default=0)


def other_values(table: Table, cells: np.ndarray, rng: np.random.Generator) -> Table:
    """Give the cells that are True another person's value of that column."""
    values = table.to_numpy(dtype=object).copy()
    for column in range(values.shape[1]):
        rows = np.flatnonzero(cells[:, column])
        values[rows, column] = values[rng.integers(0, len(values), len(rows)), column]
    return pd.DataFrame(values, columns=table.columns)


def some_cells(n_rows: int, n_columns: int, each: int, rng: np.random.Generator) -> np.ndarray:
    """Choose `each` random cells of every row."""
    places = np.argsort(rng.random((n_rows, n_columns)), axis=1)[:, : min(each, n_columns)]
    cells = np.zeros((n_rows, n_columns), bool)
    np.put_along_axis(cells, places, True, axis=1)
    return cells
