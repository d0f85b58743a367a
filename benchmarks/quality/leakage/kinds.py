"""The kinds of the row-leakage auditor: what was released, with and without a hold-out, and what it was made from."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from benchmarks.quality.leakage import leaks, releases
from benchmarks.quality.leakage.tables import (
    INSTITUTIONS,
    NUMERIC,
    POPULATIONS,
    Table,
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

# With fewer records than these a leak of so few persons is none that anybody could tell from chance.
_ANY = (30, 200, 1000, 5000, 20_000)
_SOME = (200, 1000, 5000, 20_000)
_MANY = (1000, 5000, 20_000)
_DETAILED = ("korean_hospital", "slovenian_registry", "english_insurance", "us_claims", "survey", *NUMERIC)


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


def _leak(
    name: str,
    family: str,
    release: Release,
    control: Release,
    *,
    sizes: Sequence[int] = _SOME,
    schemas: Sequence[str] = POPULATIONS,
    holdout: bool = False,
    source: Source = people,
) -> Kind:
    return Kind(
        tool="leakage",
        name=name,
        family=family,
        leaky=True,
        judge=_judge(release, source=source, holdout=holdout),
        control=_judge(control, source=source, holdout=holdout),
        sizes=sizes,
        schemas=schemas,
    )


def _fine(
    name: str,
    family: str,
    release: Release,
    *,
    sizes: Sequence[int] = _ANY,
    schemas: Sequence[str] = POPULATIONS,
    holdout: bool = False,
    source: Source = people,
) -> Kind:
    return Kind(
        tool="leakage",
        name=name,
        family=family,
        leaky=False,
        judge=_judge(release, source=source, holdout=holdout),
        sizes=sizes,
        schemas=schemas,
    )


def _everyone(
    name: str,
    family: str,
    change: leaks.Change,
    *,
    base: leaks.Base = leaks.strangers,
    sizes: Sequence[int] = _SOME,
    schemas: Sequence[str] = _DETAILED,
    holdout: bool = False,
) -> Kind:
    """Return the kind that releases every person changed in one way; control: the same of nobody."""
    leak, control = leaks.everyone(change), leaks.the_same_of(change, base)
    return _leak(name, family, leak, control, sizes=sizes, schemas=schemas, holdout=holdout)


def _some(
    name: str,
    family: str,
    share: float,
    change: leaks.Change,
    base: leaks.Base,
    *,
    sizes: Sequence[int] = _MANY,
    schemas: Sequence[str] = _DETAILED,
    holdout: bool = False,
) -> Kind:
    """Return the kind that hides a share of the persons among nobody; control: nobody alone."""
    leak = leaks.some(share, change, base, at_least=3)
    control = leaks.the_same_of(leaks.unchanged, base)
    return _leak(name, family, leak, control, sizes=sizes, schemas=schemas, holdout=holdout)


def _extreme_kept(scenario: Scenario, original: Table) -> Table:
    """Keep only the persons unlike everybody else as they are: the richest, oldest, sickest."""
    rank = np.zeros(len(original))
    for name in releases.numbers_of(original):
        values = pd.to_numeric(original[name], errors="coerce").fillna(0).to_numpy()
        rank = np.maximum(rank, np.argsort(np.argsort(values)))
    chosen = np.argsort(rank)[-max(5, len(original) // 50) :]
    released = leaks.strangers(scenario, original)
    released.iloc[chosen] = original.iloc[chosen].to_numpy()
    return leaks.in_order(scenario, released)


def _shorter_strangers(scenario: Scenario, original: Table) -> Table:
    return people(scenario, "strangers", max(10, len(original) // 2))


def _longer_strangers(scenario: Scenario, original: Table) -> Table:
    return people(scenario, "strangers", 2 * len(original))


def _with_more_columns(scenario: Scenario, original: Table) -> Table:
    rng = scenario.rng("more columns")
    return leaks.in_order(
        scenario, original.assign(weight_of_row=rng.random(len(original)).round(6).astype(str), batch="7")
    )


def _shuffled_numbers(scenario: Scenario, original: Table) -> Table:
    return leaks.in_order(
        scenario, leaks.new_numbers_of_persons(scenario, releases.shuffled(original, scenario.rng("mixed")))
    )


def _shuffled_names(scenario: Scenario, original: Table) -> Table:
    mixed = releases.shuffled(original, scenario.rng("mixed"))
    return leaks.in_order(scenario, leaks.new_names_and_numbers(scenario, mixed))


def _shuffled_apart(scenario: Scenario, original: Table) -> Table:
    return releases.shuffled(original, scenario.rng("mixed"))


def _made_up_names(scenario: Scenario, original: Table) -> Table:
    mixed = _shuffled_apart(scenario, original)
    return mixed.assign(person=with_full_names(scenario, "strangers", len(original))["person"])


def _pid_and_a_cell(scenario: Scenario, original: Table) -> Table:
    table = leaks.new_numbers_of_persons(scenario, original)
    rest = leaks.cells_of_others(1)(table.drop(columns="pid"), scenario.rng("change"))
    rest.insert(0, "pid", table["pid"])
    return leaks.in_order(scenario, rest)


WHOLE = (
    _leak(
        "only the extreme persons as they are",
        "whole rows",
        _extreme_kept,
        leaks.strangers,
        sizes=_MANY,
        schemas=("survey", *NUMERIC),
    ),
    _leak("columns added", "whole rows", _with_more_columns, leaks.strangers, schemas=_DETAILED),
    _some(
        "2 % of rows among strangers, hold-out",
        "whole rows",
        0.02,
        leaks.unchanged,
        leaks.strangers,
        holdout=True,
    ),
    _everyone("rows in another order, hold-out", "whole rows", leaks.unchanged, holdout=True),
)

NEARLY = (
    _some(
        "1 % with a cell new, among strangers", "near copies", 0.01, leaks.cells_of_others(1), leaks.strangers
    ),
    _some(
        "5 % with two cells new, among strangers",
        "near copies",
        0.05,
        leaks.cells_of_others(2),
        leaks.strangers,
    ),
    _everyone("two cells of every row blank", "near copies", leaks.blanked(2), sizes=_ANY),
    _everyone("a fifth of all cells from others", "near copies", leaks.share_of_cells(0.2)),
    _some("10 % with three cells new", "near copies", 0.1, leaks.cells_of_others(3), leaks.strangers),
)

NOISE = (
    _everyone(
        "1 % noise on numbers, hold-out",
        "noise",
        leaks.relative_noise(0.01),
        schemas=(*NUMERIC, "survey"),
        holdout=True,
    ),
    _everyone("noise of 5 % of the spread", "noise", leaks.spread_noise(0.05), schemas=("labs", "sites")),
    _everyone("a tenth of the way to another", "noise", leaks.toward_neighbour, schemas=("labs", "sites")),
)

SPELLING = (
    _everyone("numbers rounded", "another spelling", leaks.rounded, schemas=NUMERIC),
    _everyone("dates in another spelling", "another spelling", leaks.dates_respelled, schemas=INSTITUTIONS),
)

DISGUISE = (
    _everyone("logarithms of numbers", "disguise", leaks.logarithms, schemas=(*NUMERIC, "survey")),
    _everyone("columns in another order", "disguise", leaks.columns_moved),
)

PARTS = (
    _leak(
        "names of people, shuffled", "identifiers", _shuffled_apart, _made_up_names, source=with_full_names
    ),
    _leak(
        "new numbers and a cell new",
        "identifiers aside",
        _pid_and_a_cell,
        _shuffled_numbers,
        source=with_identifiers,
        schemas=_DETAILED,
    ),
    _everyone("one column shuffled", "rest together", leaks.one_shuffled(1), base=leaks.mixed),
)


def _strangers(scenario: Scenario, original: Table) -> Table:
    return leaks.strangers(scenario, original)


def _bases(release: Callable[[Table, np.random.Generator], Table]) -> Release:
    return lambda scenario, original: leaks.in_order(scenario, release(original, scenario.rng("release")))


def _within_regions(table: Table, rng: np.random.Generator) -> Table:
    """Shuffle every column within the groups of its commonest category of at least 50 persons."""
    for name in table:
        counts = table[name].value_counts()
        if 2 <= len(counts) <= 8 and counts.min() >= 50:
            return releases.shuffled_within(table, table[name], rng)
    return releases.shuffled(table, rng)


def _yes_no(scenario: Scenario, purpose: str = "original", n: int | None = None) -> Table:
    rng = scenario.rng(f"yes and no of {purpose}")
    n = scenario.n_records if n is None else n
    likely = np.random.default_rng(scenario.seed).uniform(0.1, 0.9, 6)
    return pd.DataFrame(
        np.where(rng.random((n, 6)) < likely, "yes", "no"), columns=[f"q{i}" for i in range(6)]
    )


def _yes_no_source(scenario: Scenario) -> Table:
    return _yes_no(scenario)


def _changed(change: leaks.Change, base: leaks.Base) -> Release:
    return leaks.the_same_of(change, base)


def _small_groups(table: Table, rng: np.random.Generator) -> Table:
    return releases.mean_groups(table, rng, k=12)


def _drawn_and_smeared(table: Table, rng: np.random.Generator) -> Table:
    return leaks.spread_noise(0.3)(releases.drawn(table, rng), rng)


FINE = (
    _fine("other persons", "strangers", _strangers),
    _fine(
        "other persons, correlated, hold-out",
        "strangers",
        _strangers,
        schemas=("answers", "labs", "sites", "research"),
        holdout=True,
    ),
    _fine("fewer other persons", "strangers", _shorter_strangers),
    _fine("twice as many other persons", "strangers", _longer_strangers),
    _fine("other persons, questionnaire", "strangers", _strangers, schemas=("answers",)),
    _fine(
        "yes and no of other persons",
        "small sample",
        lambda s, o: _yes_no(s, "strangers"),
        source=_yes_no_source,
        schemas=("",),
    ),
    _fine(
        "yes and no, shuffled",
        "small sample",
        leaks.mixed,
        source=_yes_no_source,
        sizes=(30, 200),
        schemas=("",),
    ),
    _fine("shuffled columns, hold-out", "shuffled", _bases(releases.shuffled), holdout=True),
    _fine(
        "half of the rows, columns drawn anew",
        "shuffled",
        lambda s, o: releases.drawn(o, s.rng("drawn"), len(o) // 2),
    ),
    _fine("columns drawn and smeared", "shuffled", _bases(_drawn_and_smeared)),
    _fine("shuffled within large groups", "shuffled", _bases(_within_regions), sizes=_MANY),
    _fine("trees, 50 a leaf", "synthesized", leaks.trees, sizes=_SOME),
    _fine("trees, 50 a leaf, numbers", "synthesized", leaks.trees, sizes=_SOME, schemas=NUMERIC),
    _fine(
        "trees, 50 a leaf, twice as many",
        "synthesized",
        lambda s, o: releases.cart(o, s.rng("trees"), n=2 * len(o)),
        sizes=_SOME,
    ),
    _fine("copula", "synthesized", _bases(releases.copula), sizes=_SOME),
    _fine("copula, smeared", "synthesized", _bases(releases.smooth_copula), sizes=_SOME, schemas=NUMERIC),
    _fine(
        "means of a dozen",
        "means of groups",
        lambda s, o: (
            _small_groups(o, s.rng("means")).sample(frac=1, random_state=s.seed).reset_index(drop=True)
        ),
        sizes=_SOME,
        schemas=("labs", "sites"),
    ),
    _fine(
        "other persons in capitals",
        "another spelling",
        _changed(leaks.shouted, leaks.strangers),
        schemas=INSTITUTIONS,
    ),
    _fine(
        "shuffled, decimal comma",
        "another spelling",
        _changed(leaks.decimal_comma, leaks.mixed),
        schemas=NUMERIC,
    ),
    _fine(
        "other persons, columns renamed",
        "another spelling",
        _changed(leaks.renamed, leaks.strangers),
        schemas=_DETAILED,
    ),
    _fine(
        "trees, numbers shifted",
        "another spelling",
        _changed(leaks.shifted, leaks.trees),
        sizes=_SOME,
        schemas=NUMERIC,
    ),
    _fine("shuffled with names made up", "identifiers", _made_up_names, source=with_full_names),
    _fine(
        "shuffled with new names and numbers", "identifiers aside", _shuffled_names, source=with_identifiers
    ),
    _fine(
        "other persons, a fifth of cells drawn",
        "strangers",
        _changed(leaks.share_of_cells(0.2), leaks.strangers),
    ),
)

KINDS = (*WHOLE, *NEARLY, *NOISE, *SPELLING, *DISGUISE, *PARTS, *FINE)
