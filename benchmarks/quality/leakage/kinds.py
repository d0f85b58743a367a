"""The kinds of the row-leakage auditor: what was released, with and without a hold-out, and what it was made from."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.quality.leakage.releases import (
    cart,
    copula,
    digits,
    drawn,
    mean_groups,
    other_values,
    shuffled,
    some_cells,
)
from benchmarks.quality.leakage.tables import (
    INSTITUTIONS,
    NUMERIC,
    POPULATIONS,
    Table,
    numeric_columns,
    people,
    with_full_names,
    with_identifiers,
)
from benchmarks.quality.scoreboard import Kind, Scenario
from core.errors import AuditInputError
from core.leakage import audit_leakage
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Verdict

Release = Callable[[Scenario, Table], Table]
Source = Callable[[Scenario], Table]
Base = Callable[[Scenario, Table], Table]
Change = Callable[[Table, np.random.Generator], Table]
_MANY = (1000,)  # with fewer records a leak of so few persons is none that anybody could tell from chance
_DETAILED = (*INSTITUTIONS, *NUMERIC)


def strangers(scenario: Scenario, original: Table) -> Table:
    """Return other persons of the same population, as many."""
    return people(scenario, "strangers", len(original))


def mixed(scenario: Scenario, original: Table) -> Table:
    """Return the original with every column in a random order of its own."""
    return shuffled(original, scenario.rng("mixed"))


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


def one_shuffled(table: Table, rng: np.random.Generator) -> Table:
    """Put one column in a random order of its own, and leave the others together."""
    name = rng.choice(table.columns)
    return table.assign(**{name: rng.permutation(table[name].to_numpy())})


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


def numbers(
    change: Callable[[np.ndarray, np.random.Generator], np.ndarray], *, more_digits: int = 0
) -> Change:
    """Return a change of every number by itself, written with so many digits more."""

    def whole(table: Table, rng: np.random.Generator) -> Table:
        for name in numeric_columns(table):
            values = pd.to_numeric(table[name]).to_numpy(float)
            places = max(0, digits(table[name]) + more_digits)
            table[name] = [f"{value:.{places}f}" for value in change(values, rng)]
        return table

    return whole


def spread_noise(share: float) -> Change:
    """Add noise to every number, in shares of the column's standard deviation."""
    return numbers(lambda v, rng: v + rng.normal(0, share * v.std(), len(v)))


def decimal_comma(table: Table, rng: np.random.Generator) -> Table:
    for name in numeric_columns(table):
        table[name] = [f"{float(cell):.2f}".replace(".", ",") for cell in table[name]]
    return table


def _toward_another(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Move every person's number a tenth of the way to another person's, as oversampling does."""
    return values + (rng.permutation(values) - values) * 0.1


def dataset(table: Table, name: str) -> Dataset:
    """Return a frame as the auditor reads it from a file."""
    buffer = io.StringIO()
    table.to_csv(buffer, index=False, lineterminator="\n")
    return read_dataset(
        buffer.getvalue().encode(), name=name, options=ReadOptions(delimiter=",", header="first_line")
    )


def _judge(
    release: Release, *, source: Source = people, holdout: bool = False
) -> Callable[[Scenario], Verdict]:
    def judge(scenario: Scenario) -> Verdict:
        original = source(scenario)
        strangers = dataset(people(scenario, "hold-out"), "holdout.csv") if holdout else None
        scrambled = dataset(release(scenario, original.copy()), "scrambled.csv")
        try:
            return audit_leakage(dataset(original, "original.csv"), scrambled, holdout=strangers).verdict
        except AuditInputError:  # said to the person, who is no wiser about the leak
            return Verdict.NOT_ASSESSED

    return judge


def _leak(name: str, family: str, release: Release, control: Release, **how: Any) -> Kind:
    holdout, source = how.pop("holdout", False), how.pop("source", people)
    how = {"schemas": _DETAILED, **how}
    judge, without = (_judge(each, source=source, holdout=holdout) for each in (release, control))
    return Kind(tool="leakage", name=name, family=family, leaky=True, judge=judge, control=without, **how)


def _fine(name: str, family: str, release: Release, **how: Any) -> Kind:
    judge = _judge(release, source=how.pop("source", people), holdout=how.pop("holdout", False))
    return Kind(
        tool="leakage", name=name, family=family, leaky=False, judge=judge, **{"schemas": POPULATIONS, **how}
    )


def _everyone(name: str, family: str, change: Change, *, base: Base = strangers, **how: Any) -> Kind:
    """Return the kind that releases every person changed in one way; control: the same of nobody."""
    return _leak(name, family, everyone(change), the_same_of(change, base), **how)


def _some(name: str, family: str, share: float, change: Change, **how: Any) -> Kind:
    """Return the kind that hides a share of the persons among strangers; control: strangers alone."""
    leak, control = some(share, change, strangers, at_least=3), the_same_of(unchanged, strangers)
    return _leak(name, family, leak, control, sizes=_MANY, **how)


def _extreme_kept(scenario: Scenario, original: Table) -> Table:
    """Keep only the persons unlike everybody else as they are: the richest, oldest, sickest."""
    ranks = [pd.to_numeric(original[name]).rank().to_numpy() for name in numeric_columns(original)]
    chosen = np.argsort(np.max(ranks, axis=0))[-max(5, len(original) // 50) :]
    released = strangers(scenario, original)
    released.iloc[chosen] = original.iloc[chosen].to_numpy()
    return in_order(scenario, released)


def _with_more_columns(scenario: Scenario, original: Table) -> Table:
    weights = scenario.rng("more columns").random(len(original)).round(6).astype(str)
    return in_order(scenario, original.assign(weight_of_row=weights, batch="7"))


def _shuffled_numbers(scenario: Scenario, original: Table) -> Table:
    return in_order(scenario, new_numbers_of_persons(scenario, mixed(scenario, original)))


def _shuffled_names(scenario: Scenario, original: Table) -> Table:
    return in_order(scenario, new_names_and_numbers(scenario, mixed(scenario, original)))


def _made_up_names(scenario: Scenario, original: Table) -> Table:
    others = with_full_names(scenario, "strangers", len(original))
    return mixed(scenario, original).assign(person=others["person"])


def _pid_and_a_cell(scenario: Scenario, original: Table) -> Table:
    table = new_numbers_of_persons(scenario, original)
    rest = cells_of_others(1)(table.drop(columns="pid"), scenario.rng("change"))
    rest.insert(0, "pid", table["pid"])
    return in_order(scenario, rest)


def _made(release: Change) -> Release:
    return lambda scenario, original: in_order(scenario, release(original, scenario.rng("release")))


def _yes_no(scenario: Scenario, purpose: str = "original") -> Table:
    rng = scenario.rng(f"yes and no of {purpose}")
    likely = np.random.default_rng(scenario.seed).uniform(0.1, 0.9, 6)
    answers = np.where(rng.random((scenario.n_records, 6)) < likely, "yes", "no")
    return pd.DataFrame(answers, columns=[f"q{i}" for i in range(6)])


def _drawn_and_smeared(table: Table, rng: np.random.Generator) -> Table:
    return spread_noise(0.3)(drawn(table, rng), rng)


# fmt: off
KINDS = (
    _leak("only the extreme persons as they are", "whole rows", _extreme_kept, strangers, sizes=_MANY, schemas=NUMERIC),
    _leak("columns added", "whole rows", _with_more_columns, strangers),
    _some("2 % of rows among strangers, hold-out", "whole rows", 0.02, unchanged, holdout=True),
    _everyone("rows in another order, hold-out", "whole rows", unchanged, holdout=True),
    _some("1 % with a cell new, among strangers", "near copies", 0.01, cells_of_others(1)),
    _some("5 % with two cells new, among strangers", "near copies", 0.05, cells_of_others(2)),
    _some("10 % with three cells new", "near copies", 0.1, cells_of_others(3)),
    _everyone("two cells of every row blank", "near copies", blanked(2)),
    _everyone("a fifth of all cells from others", "near copies", share_of_cells(0.2)),
    _everyone(
        "1 % noise on numbers, hold-out", "noise", schemas=NUMERIC, holdout=True,
        change=numbers(lambda v, rng: v * (1 + rng.normal(0, 0.01, len(v))), more_digits=1),
    ),
    _everyone("noise of 5 % of the spread", "noise", spread_noise(0.05), schemas=NUMERIC),
    _everyone("a tenth of the way to another", "noise", numbers(_toward_another, more_digits=1), schemas=NUMERIC),
    _everyone("numbers rounded", "another spelling", numbers(lambda v, _: v, more_digits=-1), schemas=NUMERIC),
    _everyone("dates in another spelling", "another spelling", dates_respelled, schemas=INSTITUTIONS),
    _everyone("logarithms of numbers", "disguise", numbers(lambda v, _: np.log1p(abs(v)), more_digits=4), schemas=NUMERIC),
    _everyone("columns in another order", "disguise", columns_moved),
    _leak("names of people, shuffled", "identifiers", mixed, _made_up_names, source=with_full_names, schemas=POPULATIONS),
    _leak("new numbers and a cell new", "identifiers aside", _pid_and_a_cell, _shuffled_numbers, source=with_identifiers),
    _everyone("one column shuffled", "rest together", one_shuffled, base=mixed),
    _fine("other persons", "strangers", strangers),
    _fine("other persons, correlated, hold-out", "strangers", strangers, schemas=("answers", *NUMERIC), holdout=True),
    _fine("fewer other persons", "strangers", lambda s, o: people(s, "strangers", len(o) // 2)),
    _fine("yes and no of other persons", "small sample", lambda s, o: _yes_no(s, "strangers"), source=_yes_no, schemas=("",)),
    _fine("shuffled columns, hold-out", "shuffled", _made(shuffled), holdout=True),
    _fine("half of the rows, columns drawn anew", "shuffled", lambda s, o: drawn(o, s.rng("drawn"), len(o) // 2)),
    _fine("columns drawn and smeared", "shuffled", _made(_drawn_and_smeared)),
    _fine("trees, 50 a leaf", "synthesized", _made(cart)),
    _fine("copula", "synthesized", _made(copula)),
    _fine("means of a dozen", "means of groups", lambda s, o: mean_groups(o, s.rng("means")), schemas=NUMERIC),
    _fine("shuffled, decimal comma", "another spelling", the_same_of(decimal_comma, mixed), schemas=NUMERIC),
    _fine("other persons, columns renamed", "another spelling", the_same_of(renamed, strangers), schemas=_DETAILED),
    _fine("shuffled with names made up", "identifiers", _made_up_names, source=with_full_names),
    _fine("shuffled with new names and numbers", "identifiers aside", _shuffled_names, source=with_identifiers),
)
# fmt: on
