"""Rows found by what no change of their values touches, and rows that stayed together under a recoding."""

import hashlib
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from core.leakage.judging import audit_leakage
from core.leakage.pairing import pair_tables
from core.leakage.recoded_rows import find_recoded_rows
from core.leakage.rejoined_columns import find_rejoined_columns
from core.leakage.result import leakage_result
from core.leakage.row_signatures import find_by_signatures
from core.leakage.settings import LeakageSettings
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

Rng = np.random.Generator
Tables = tuple[pd.DataFrame, pd.DataFrame]
N = 400


def datasets(tables: Tables) -> tuple[Dataset, Dataset]:
    first, second = (
        read_dataset(table.to_csv(index=False).encode(), name=f"{name}.csv")
        for name, table in zip(("original", "scrambled"), tables, strict=True)
    )
    return first, second


def verdicts(tables: Tables) -> dict[str, Verdict]:
    """Return the verdicts of the readings that found rows, by reading."""
    findings = audit_leakage(*datasets(tables)).findings
    return {each.check: each.verdict for each in findings if each.check.startswith("signature_")}


def found(tables: Tables) -> dict[str, tuple[int, int]]:
    """Return how many rows each reading finds of how many, before any is judged."""
    pair = pair_tables(*datasets(tables))
    recoded = find_recoded_rows(pair, pair.columns, seed=0)
    readings = [
        *find_by_signatures(pair, pair.columns, seed=0),
        *([recoded] if recoded else []),
        *find_rejoined_columns(pair, pair.columns, seed=0),
    ]
    return {each.kind: (each.n_found, each.n_unique) for each in readings}


def shuffled(table: pd.DataFrame, rng: Rng) -> pd.DataFrame:
    return pd.DataFrame({name: rng.permutation(table[name].to_numpy()) for name in table})


def mixed(table: pd.DataFrame, rng: Rng) -> pd.DataFrame:
    return table.iloc[rng.permutation(len(table))].reset_index(drop=True)


def measures(rng: Rng, n: int = N, k: int = 6) -> pd.DataFrame:
    """Return k measurements of each person at different times."""
    values = rng.normal(120, 15, (n, 1)) + rng.normal(0, 10, (n, k))
    return pd.DataFrame(values.round(0), columns=[f"t{place}" for place in range(k)])


def bodies(rng: Rng, n: int = N) -> pd.DataFrame:
    height = rng.normal(170, 9, n).round(1)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "height": height,
            "weight": (0.9 * height - 80 + rng.gamma(4, 4, n)).round(1),
            "pressure": rng.normal(125, 14, n).round(),
            "sugar": (4 + rng.gamma(2, 0.6, n)).round(2),
        }
    )


def answers(rng: Rng, n: int = N, k: int = 9) -> pd.DataFrame:
    return pd.DataFrame(rng.integers(1, 6, (n, k)), columns=[f"q{place}" for place in range(k)])


def dates(rng: Rng, n: int = N) -> pd.DataFrame:
    first = rng.integers(0, 900, (n, 1))
    days = np.hstack([first, first + rng.integers(3, 200, (n, 4)).cumsum(axis=1)])
    return pd.DataFrame(days, columns=["first", *(f"visit{place}" for place in range(2, 6))])


def as_days(days: pd.DataFrame) -> pd.DataFrame:
    return days.apply(lambda column: (pd.Timestamp("2019-01-01") + pd.to_timedelta(column, "D")).astype(str))


def within_the_person(rng: Rng) -> Tables:
    table = measures(rng)
    return table, mixed(pd.DataFrame(rng.permuted(table, axis=1), columns=table.columns), rng)


def shifted(rng: Rng) -> Tables:
    table = dates(rng)
    return as_days(table), mixed(as_days(table.add(rng.integers(-300, 300, len(table)), axis=0)), rng)


def shifted_measures(rng: Rng) -> Tables:
    table = measures(rng)
    return table, mixed(table.add(rng.integers(-40, 40, len(table)), axis=0), rng)


def of_one_factor(rng: Rng) -> Tables:
    table = bodies(rng)
    return table, mixed(table.mul(np.exp(rng.normal(0, 0.5, len(table))), axis=0).round(4), rng)


def blank_as_before(rng: Rng) -> Tables:
    table = bodies(rng).join(answers(rng))
    blank = rng.random(table.shape) < 0.3
    return table.mask(blank), mixed(shuffled(table, rng).mask(blank), rng)


def basket(rng: Rng) -> Tables:
    bought = rng.random((N, 12)) < 0.35
    names = [f"item{place}" for place in range(12)]
    first, second = (
        pd.DataFrame(rng.gamma(2, 20, bought.shape).round(1) * bought, columns=names) for _ in range(2)
    )
    return first, mixed(second, rng)


def turned(rng: Rng) -> Tables:
    table = bodies(rng)
    axes = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    scores = ((table - table.mean()) / table.std()).to_numpy() @ axes
    return table, mixed(pd.DataFrame(scores.round(3), columns=table.columns), rng)


def joined(rng: Rng) -> Tables:
    table = bodies(rng)
    table["key"] = ["|".join(map(str, row)) for row in table.itertuples(index=False)]
    return table, shuffled(table, rng)


def digests(rng: Rng) -> Tables:
    table = answers(rng)
    lines = ("|".join(map(str, row)) for row in table.itertuples(index=False))
    table["key"] = [hashlib.sha256(line.encode()).hexdigest() for line in lines]
    return table, shuffled(table, rng)


def moved_by_some_rows(rng: Rng) -> Tables:
    table = bodies(rng)
    return table, pd.DataFrame({name: np.roll(table[name], 5 * at + 1) for at, name in enumerate(table)})


def moved_in_blocks(rng: Rng) -> Tables:
    table = bodies(rng)
    blocks = [np.arange(N).reshape(-1, 4) for _ in table]
    return table, pd.DataFrame(
        {
            name: table[name].to_numpy()[rng.permuted(block, axis=1).ravel()]
            for name, block in zip(table, blocks, strict=True)
        }
    )


def turned_around(rng: Rng) -> Tables:
    table = bodies(rng)
    return table, pd.DataFrame(
        {name: table[name].to_numpy()[:: 1 - 2 * (at % 2)] for at, name in enumerate(table)}
    )


def of_one_noise(rng: Rng) -> Tables:
    table = bodies(rng)
    return table, shuffled(table.add(rng.uniform(-0.5, 0.5, N), axis=0).round(7), rng)


def numbered(rng: Rng) -> Tables:
    table = answers(rng)
    return table, shuffled(table.add(np.arange(N) / 10_000, axis=0).round(4), rng)


def of_one_noise_in_two_columns(rng: Rng) -> Tables:
    table = bodies(rng)
    scrambled, noise = shuffled(table, rng), rng.normal(0, 3, N)
    for name in ("weight", "pressure"):
        scrambled[name] = rng.permutation((table[name] + noise).round(6))
    return table, scrambled


def inverted(rng: Rng) -> Tables:
    table = answers(rng)
    return table, mixed(6 - table, rng)


def other_labels(rng: Rng) -> Tables:
    table = answers(rng).join(bodies(rng))
    scrambled = shuffled(table, rng)
    order = rng.permutation(len(table))
    for name in table.columns[:9]:
        codes = dict(zip(range(1, 6), rng.permutation(list("vwxyz")), strict=True))
        scrambled[name] = table[name].map(codes).to_numpy()[order]
    return table, scrambled


def modulo(rng: Rng) -> Tables:
    table = pd.DataFrame(rng.integers(0, 60, (N, 7)), columns=list("abcdefg"))
    return table, mixed((table + rng.integers(2, 59, 7)) % 60, rng)


LEAKS: dict[str, list[Callable[[Rng], Tables]]] = {
    "values": [within_the_person],
    "differences": [shifted, shifted_measures],
    "ratios": [of_one_factor],
    "blanks": [blank_as_before],
    "zeros": [basket],
    "axes": [turned],
    "cells": [joined, digests],
    "recoded": [inverted, other_labels, modulo],
    "order": [moved_by_some_rows, moved_in_blocks, turned_around],
    "digits": [of_one_noise, numbered, of_one_noise_in_two_columns],
}


@pytest.mark.parametrize(
    ("kind", "make"), [(kind, make) for kind, makers in LEAKS.items() for make in makers]
)
def test_rows__are_found_whatever_was_done_to_their_values(kind: str, make: Callable[[Rng], Tables]) -> None:
    n_found, n_unique = found(make(np.random.default_rng(1)))[kind]
    assert 0.4 * n_unique <= n_found >= 40


# the columns of these are scrambled apart already, or one of them holds whole rows
APART = (joined, digests, of_one_noise, numbered, of_one_noise_in_two_columns)


def drawn_anew(make: Callable[[Rng], Tables]) -> Callable[[Rng], Tables]:
    """Return what makes a scrambled table of other persons, scrambled in the same way."""
    return lambda rng: (make(rng)[0], make(rng)[1])


def apart(make: Callable[[Rng], Tables]) -> Callable[[Rng], Tables]:
    """Return what makes a scrambled table whose columns are shuffled once more, each on its own."""

    def tables(rng: Rng) -> Tables:
        original, scrambled = make(rng)
        return original, shuffled(scrambled, rng)

    return tables


@pytest.mark.parametrize("change", [drawn_anew, apart])
@pytest.mark.parametrize("make", [make for makers in LEAKS.values() for make in makers if make not in APART])
def test_rows__of_strangers_or_shuffled_columns_are_not(
    make: Callable[[Rng], Tables], change: Callable[[Callable[[Rng], Tables]], Callable[[Rng], Tables]]
) -> None:
    assert found(change(make)(np.random.default_rng(2))) == {}


def test_blanks__that_few_share_but_many_have_together_find_nobody() -> None:
    rng = np.random.default_rng(3)
    table = bodies(rng)
    tests = rng.random(N) < 0.2
    scrambled = shuffled(table, rng)
    for each in (table, scrambled):
        each.loc[tests, ["pressure", "sugar"]] = np.nan
    assert found((table, scrambled)) == {}


def test_columns_of_one_meaning__scrambled_as_one_find_nobody() -> None:
    rng = np.random.default_rng(4)
    table = bodies(rng)
    table["pounds"] = (table["weight"] * 2.2046).round(2)
    table["region"] = (table["age"] // 10).map(lambda each: f"r{each * 37 % 11}")
    table["country"] = table["age"] // 30
    scrambled = shuffled(table, rng)
    for name, other in (("pounds", "weight"), ("region", "age"), ("country", "age")):
        scrambled[name] = scrambled[other].map(dict(zip(table[other], table[name], strict=True)))
    assert found((table, scrambled)) == {}


def test_columns__sorted_in_both_tables_or_of_many_digits_of_their_own_are_not_rejoined() -> None:
    rng = np.random.default_rng(7)
    table = bodies(rng)
    scrambled = shuffled(table, rng).add(rng.normal(0, 1, (N, 5)).round(6))
    for each in (table, scrambled):
        each["day"] = np.sort(rng.choice(10 * N, N, replace=False))
        each["hour"] = each["day"] * 24
    assert found((table, scrambled)) == {}


def test_columns__without_values_or_of_one_value_are_read() -> None:
    rng = np.random.default_rng(8)
    table = bodies(rng).assign(empty=None, same=1, scarce=np.where(np.arange(N) < 2, 7, np.nan))
    assert found((table, shuffled(table, rng))) == {}
    few = table.loc[: N // 20]
    assert found((few, shuffled(few, rng))) == {}


def test_figure__is_of_the_reading_that_finds_most_and_leaves_ignored_columns_out() -> None:
    original, scrambled = datasets(joined(np.random.default_rng(9)))
    groups = leakage_result(audit_leakage(original, scrambled)).groups
    (figure,) = (each for group in groups for each in group.figures if each.measure == "n_rows_by_signature")
    assert (figure.value, figure.total, figure.verdict) == (N, N, Verdict.FAIL)
    settings = LeakageSettings(ignore_columns=("key",))
    assert audit_leakage(original, scrambled, settings=settings).measures.by_signatures == ()


def test_few_rows_of_a_kind__are_a_warning() -> None:
    rng = np.random.default_rng(5)
    table = dates(rng)
    scrambled = shuffled(table, rng)
    scrambled.iloc[:16] = table.iloc[:16].add(rng.integers(-300, 300, 16), axis=0)
    tables = (as_days(table), as_days(mixed(scrambled, rng)))
    assert verdicts(tables) == {"signature_differences": Verdict.WARN}


def test_rows__told_already_as_whole_ones_are_not_told_again() -> None:
    rng = np.random.default_rng(6)
    table = answers(rng)
    assert verdicts((table, mixed(table, rng))) == {}
    assert verdicts((table, mixed(6 - table, rng))) == {"signature_recoded": Verdict.FAIL}
