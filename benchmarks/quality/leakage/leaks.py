"""What somebody did to a table so that persons can be found in it: leaks, each with the same thing without one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.quality.leakage.releases import cart, digits, noisy, other_values, shuffled, some_cells
from benchmarks.quality.leakage.tables import NO_ANSWER, Table, numeric_columns, people, with_identifiers
from benchmarks.quality.scoreboard import Scenario

Base = Callable[[Scenario, Table], Table]
Change = Callable[[Table, np.random.Generator], Table]


def strangers(scenario: Scenario, original: Table) -> Table:
    """Return other persons of the same population, as many."""
    return people(scenario, "strangers", len(original))


def mixed(scenario: Scenario, original: Table) -> Table:
    """Return the original with every column in a random order of its own."""
    return shuffled(original, scenario.rng("mixed"))


def trees(scenario: Scenario, original: Table) -> Table:
    """Return a synthesis by trees with at least 50 persons a leaf."""
    return cart(original, scenario.rng("trees"))


def in_order(scenario: Scenario, table: Table) -> Table:
    """Return the records in another order, where the scenario says so."""
    if not scenario.reordered:
        return table.reset_index(drop=True)
    return table.iloc[scenario.rng("order").permutation(len(table))].reset_index(drop=True)


def everyone(change: Change) -> Callable[[Scenario, Table], Table]:
    """Release every person, changed in one way."""

    def leak(scenario: Scenario, original: Table) -> Table:
        return in_order(scenario, change(original.copy(), scenario.rng("change")))

    return leak


def the_same_of(change: Change, base: Base) -> Callable[[Scenario, Table], Table]:
    """Change a table of nobody in the same way: the control of :func:`everyone`."""

    def control(scenario: Scenario, original: Table) -> Table:
        return in_order(scenario, change(base(scenario, original).copy(), scenario.rng("change")))

    return control


def some(
    share: float, change: Change, base: Base, *, at_least: int = 1
) -> Callable[[Scenario, Table], Table]:
    """Put a share of the persons, changed in one way, into a table of nobody."""

    def leak(scenario: Scenario, original: Table) -> Table:
        rng = scenario.rng("who")
        chosen = rng.choice(len(original), max(at_least, round(share * len(original))), replace=False)
        released = base(scenario, original).reset_index(drop=True)
        people_there = change(original.iloc[chosen].reset_index(drop=True), scenario.rng("change"))
        released.iloc[chosen] = people_there.to_numpy()
        return in_order(scenario, released)

    return leak


def unchanged(table: Table, rng: np.random.Generator) -> Table:
    return table


def cells_of_others(each: int) -> Change:
    """Give `each` random cells of every row another person's value."""

    def change(table: Table, rng: np.random.Generator) -> Table:
        return other_values(table, some_cells(len(table), table.shape[1], each, rng), rng)

    return change


def share_of_cells(share: float) -> Change:
    def change(table: Table, rng: np.random.Generator) -> Table:
        return other_values(table, rng.random(table.shape) < share, rng)

    return change


def blanked(each: int) -> Change:
    def change(table: Table, rng: np.random.Generator) -> Table:
        cells = some_cells(len(table), table.shape[1], each, rng)
        return pd.DataFrame(np.where(cells, "", table.to_numpy(object)), columns=table.columns)

    return change


def relative_noise(share: float) -> Change:
    """Multiply every number by about one."""

    def change(table: Table, rng: np.random.Generator) -> Table:
        for name in numeric_columns(table):
            values = pd.to_numeric(table[name], errors="coerce").to_numpy(float)
            noise = np.nan_to_num(values) * rng.normal(0, share, len(table))
            table[name] = noisy(table[name], noise, digits=max(2, digits(table[name])))
        return table

    return change


def spread_noise(share: float, *, keep_digits: bool = True) -> Change:
    """Add noise to every number, in shares of the column's standard deviation."""

    def change(table: Table, rng: np.random.Generator) -> Table:
        for name in numeric_columns(table):
            values = pd.to_numeric(table[name], errors="coerce")
            noise = rng.normal(0, share * float(np.nan_to_num(values.std())), len(table))
            table[name] = noisy(table[name], noise, digits=digits(table[name]) + (not keep_digits))
        return table

    return change


def rounded(table: Table, rng: np.random.Generator) -> Table:
    for name in numeric_columns(table):
        d = digits(table[name])
        table[name] = _spelled(
            table[name], lambda v, d=d: f"{v:.{d - 1}f}" if d else f"{round(v / 5) * 5:.0f}"
        )
    return table


def shifted(table: Table, rng: np.random.Generator) -> Table:
    for name in numeric_columns(table):
        table[name] = noisy(table[name], np.full(len(table), 7.0), digits=digits(table[name]))
    return table


def logarithms(table: Table, rng: np.random.Generator) -> Table:
    for name in numeric_columns(table):
        table[name] = _spelled(table[name], lambda v: f"{np.sign(v) * np.log1p(abs(v)):.5f}")
    return table


def decimal_comma(table: Table, rng: np.random.Generator) -> Table:
    for name in numeric_columns(table):
        table[name] = _spelled(table[name], lambda v: f"{v:.2f}".replace(".", ","))
    return table


def shouted(table: Table, rng: np.random.Generator) -> Table:
    return table.map(str.upper)


def renamed(table: Table, rng: np.random.Generator) -> Table:
    """Give half of the columns other names."""
    chosen = rng.choice(table.shape[1], table.shape[1] // 2, replace=False)
    return table.rename(columns={table.columns[i]: f"v{i:02d}" for i in chosen})


def columns_moved(table: Table, rng: np.random.Generator) -> Table:
    return table[list(rng.permutation(table.columns))]


def dates_respelled(table: Table, rng: np.random.Generator) -> Table:
    for name in table:
        days = pd.to_datetime(table[name], format="%Y-%m-%d", errors="coerce")
        if days.notna().mean() > 0.9:
            table[name] = days.dt.strftime("%d.%m.%Y").fillna("")
    return table


def one_shuffled(n_columns: int) -> Change:
    """Put a few columns in random orders of their own, and leave the others together."""

    def change(table: Table, rng: np.random.Generator) -> Table:
        for name in rng.permutation(table.columns)[:n_columns]:
            table[name] = rng.permutation(table[name].to_numpy())
        return table

    return change


def toward_neighbour(table: Table, rng: np.random.Generator) -> Table:
    """Move every person's numbers a tenth of the way to another person's, as oversampling does."""
    other = rng.permutation(len(table))
    for name in numeric_columns(table):
        values = pd.to_numeric(table[name], errors="coerce").to_numpy(float)
        noise = np.nan_to_num((values[other] - values) * 0.1)
        table[name] = noisy(table[name], noise, digits=digits(table[name]) + 1)
    return table


def new_numbers_of_persons(scenario: Scenario, table: Table) -> Table:
    """Give persons new participant numbers, and leave their names out."""
    result = table.drop(columns="person")
    rng = scenario.rng("new numbers")
    result["pid"] = [f"Q{each:08d}" for each in rng.permutation(100 * len(table))[: len(table)]]
    return result


def new_names_and_numbers(scenario: Scenario, table: Table) -> Table:
    result = new_numbers_of_persons(scenario, table)
    other = with_identifiers(scenario, "other names", len(table))
    result.insert(1, "person", [f"{name} {number}" for number, name in enumerate(other["person"])])
    return result


def _spelled(column: pd.Series, write: Callable[[float], str]) -> list[str]:
    numbers = pd.to_numeric(column, errors="coerce")
    return [
        cell if np.isnan(number) or cell == NO_ANSWER else write(number)
        for cell, number in zip(column, numbers, strict=True)
    ]
