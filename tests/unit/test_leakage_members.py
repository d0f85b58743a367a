"""Members: original persons nearer to scrambled rows than outsiders, by all columns or some."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.comparing.nearest_records import RankedColumn, find_nearest
from core.leakage import audit_leakage
from core.leakage.members import NearerMembers, nearer_members
from core.leakage.pairing import pair_tables
from core.leakage.settings import LeakageSettings
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

Table = pd.DataFrame
KNOWN = ("age", "sex", "region")
MEASURED = ("bmi", "pressure")
N = 1000


def drawn(n: int, rng: np.random.Generator) -> Table:
    """Return persons of one population: six columns, measurements that go with age."""
    age = rng.integers(18, 95, n)
    return Table(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], n),
            "region": rng.choice([f"r{i}" for i in range(8)], n, p=np.arange(8, 0, -1) / 36),
            "bmi": rng.normal(25 + age / 40, 4).round(1),
            "pressure": rng.normal(100 + age / 2, 14).round(),
            "diagnosis": rng.choice([f"d{i}" for i in range(12)], n, p=np.arange(12, 0, -1) / 78),
        }
    )


def nudged(original: Table, made: Table, rng: np.random.Generator) -> Table:
    """Put 5 % of the persons among made ones, two numbers of each moved in the last digit."""
    rows, made = rng.choice(N, N // 20, replace=False), made.copy()
    made.iloc[rows] = original.iloc[rng.permutation(N)[: len(rows)]].to_numpy()
    for row in rows:
        for name in rng.choice(["age", *MEASURED], 2, replace=False):
            made.loc[row, name] += rng.choice([-1, 1]) * (0.1 if name == "bmi" else 1)
    return made.round(1)


def averaged(original: Table, made: Table, rng: np.random.Generator) -> Table:
    """Put means of two persons alike in place of half of the made ones."""
    made = made.astype(dict.fromkeys(("age", *MEASURED), float))
    for row in range(N // 2):
        person = original.iloc[rng.integers(N)]
        alike = original[(original.sex == person.sex) & (original.region == person.region)]
        apart = sum((alike[name] - person[name]).abs() / original[name].std() for name in ("age", *MEASURED))
        other = alike.loc[apart.nsmallest(2).index[-1]]
        mean = {name: (person[name] + other[name]) / 2 for name in ("age", *MEASURED)}
        made.loc[row] = {**person, **mean}
    return made.round(1)


def kept_in_part(original: Table, made: Table, rng: np.random.Generator) -> Table:
    """Keep age, sex, region and diagnosis of 300 persons, with measurements of nobody."""
    made = made.copy()
    names = [*KNOWN, "diagnosis"]
    made.loc[:299, names] = original.iloc[rng.permutation(N)[:300]][names].to_numpy()
    return made


def fresh(_original: Table, made: Table, _rng: np.random.Generator) -> Table:
    """Leave the made persons as they are."""
    return made


def in_any_order(original: Table, _made: Table, rng: np.random.Generator) -> Table:
    """Put every column of the original in an order of its own."""
    return Table({name: rng.permutation(original[name].to_numpy()) for name in original})


def towns(n: int, rng: np.random.Generator) -> Table:
    """Return customers: their towns, and sums that hardly two of them share."""
    town = rng.choice(20, n, p=(1 / np.arange(1, 21)) / (1 / np.arange(1, 21)).sum())
    return Table(
        {
            "town": [f"Town{each}" for each in town],
            "zip": 1000 + 37 * (3 * town + rng.integers(0, 3, n)),
            "balance": rng.lognormal(9, 1.4, n).round(2),
            "rate": rng.normal(4.1, 1.1, n).round(3),
            "cards": rng.poisson(1.3, n),
        }
    )


def told_of_towns(n_copied: int, seed: int) -> NearerMembers:
    """Return what is found where each column holds the original's values drawn anew, and some rows stay."""
    rng = np.random.default_rng(seed)
    original, others = towns(N, rng), towns(N, rng)
    made = Table({name: rng.choice(original[name].to_numpy(), N) for name in original})
    copied = original.iloc[rng.permutation(N)[:n_copied]]
    made = pd.concat([copied, made[n_copied:]])
    pair = pair_tables(written(original, "original.csv"), written(made, "scrambled.csv"))
    known, holdout = ("town", "zip"), written(others, "holdout.csv")
    return nearer_members(pair, pair.columns, LeakageSettings(), quasi_identifiers=known, holdout=holdout)


def written(table: Table, name: str) -> Dataset:
    """Return a table as it is read from CSV."""
    return read_dataset(table.to_csv(index=False).encode(), name=name)


def found(release, *, with_holdout: bool, seed: int):
    """Return what is found of a release, in any order of rows."""
    rng = np.random.default_rng(seed)
    original, made, others = (drawn(N, rng) for _ in range(3))
    released = release(original, made, rng).sample(frac=1, random_state=seed)
    pair = pair_tables(written(original, "original.csv"), written(released, "scrambled.csv"))
    holdout = written(others, "holdout.csv") if with_holdout else None
    return nearer_members(pair, pair.columns, LeakageSettings(), quasi_identifiers=KNOWN, holdout=holdout)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("release", [nudged, averaged, kept_in_part])
def test_members__are_told_by_a_holdout_however_they_stand_in_the_table(release, seed):
    told = found(release, with_holdout=True, seed=seed)
    assert told.p_value <= 1e-3
    assert told.n_members > 1.5 * told.n_expected
    if release is kept_in_part:
        assert set(told.columns) <= {*KNOWN, "diagnosis"}


@pytest.mark.parametrize("with_holdout", [True, False])
@pytest.mark.parametrize("release", [fresh, in_any_order])
def test_members__are_not_told_where_nobody_stands_in_the_table(release, with_holdout):
    chances = [found(release, with_holdout=with_holdout, seed=seed).p_value for seed in range(10, 16)]
    assert min(chances) > 0.01


def test_members__of_means_are_told_without_a_holdout():
    assert all(found(averaged, with_holdout=False, seed=seed).p_value <= 1e-3 for seed in range(20, 22))


def test_members__are_not_told_by_values_that_only_the_original_has():
    assert min(told_of_towns(0, seed).p_value for seed in range(50, 58)) > 0.01
    assert all(told_of_towns(40, seed).p_value <= 1e-3 for seed in range(58, 60))


@pytest.mark.parametrize("n_copied", [0, 24])
def test_members__are_told_among_shuffled_columns_of_values_that_only_the_original_has(n_copied):
    rng = np.random.default_rng(70)
    tables = [drawn(400, rng).assign(born=with_births(400, rng).birth_date.to_numpy()) for _ in range(2)]
    names = ["born", "sex", "region", "bmi"]
    original, others = (each[names] for each in tables)
    copied = original.sample(n_copied, random_state=1).assign(bmi=lambda rows: rows.bmi + 0.1)
    made = pd.concat([copied, in_any_order(original, others, rng)[n_copied:]]).round(1)
    pair = pair_tables(written(original, "original.csv"), written(made, "scrambled.csv"))
    holdout = written(others, "holdout.csv")
    told = nearer_members(pair, pair.columns, LeakageSettings(), quasi_identifiers=names[:2], holdout=holdout)
    assert told.p_value <= 1e-3 if n_copied else told.p_value > 0.01


@pytest.mark.slow
def test_audit__fails_by_members_alone_and_names_the_columns():
    rng = np.random.default_rng(1)
    original, made, others = (drawn(N, rng) for _ in range(3))
    tables = (original, kept_in_part(original, made, rng).sample(frac=1, random_state=1), others)
    first, second, holdout = (written(each, f"{at}.csv") for at, each in enumerate(tables))
    audit = audit_leakage(first, second, holdout=holdout)
    assert {each.check for each in audit.findings if each.verdict is Verdict.FAIL} == {"members"}
    assert "`diagnosis`" in next(each.message for each in audit.findings if each.check == "members")
    assert audit_leakage(first, second).verdict is Verdict.PASS  # nothing tells them from others alike


def test_find_nearest__is_what_a_loop_finds():
    rng = np.random.default_rng(3)
    n, n_other = 70, 9000  # more than one block of each
    columns = []
    for is_number in (True, False, True):
        cells = [rng.integers(0, 1000 if is_number else 5, size).astype(np.int16) for size in (n, n_other)]
        columns.append([RankedColumn(cells=each, is_number=is_number, most=999) for each in cells])
    records, references = zip(*columns, strict=True)
    apart = sum(
        np.abs(a.cells[:, None].astype(int) - b.cells)
        if a.is_number
        else (a.cells[:, None] != b.cells) * a.most
        for a, b in zip(records, references, strict=True)
    )
    nearest = find_nearest(records, references)
    assert nearest.distance.tolist() == apart.min(axis=1).tolist()
    assert nearest.place.tolist() == apart.argmin(axis=1).tolist()
    own = rng.integers(0, n_other, n)
    own[:30] = nearest.place[:30]
    apart[np.arange(n), own] = 2**16
    assert find_nearest(records, references, own=own).place.tolist() == apart.argmin(axis=1).tolist()


def test_members__of_few_persons_are_not_looked_for():
    few = written(drawn(19, np.random.default_rng(0)), "few.csv")
    pair = pair_tables(few, few)
    assert nearer_members(pair, pair.columns, LeakageSettings()) is None


def with_births(n: int, rng: np.random.Generator) -> Table:
    """Return persons with a date of birth, a postal code, a sex and what was measured."""
    born = np.datetime64("1930-01-01") + rng.integers(0, 27_000, n)
    return Table(
        {
            "birth_date": born.astype(str),
            "zip": rng.integers(60_000, 60_060, n).astype(str),
            "sex": rng.choice(["F", "M"], n),
            "pressure": rng.normal(120, 15, n).round(),
            "cholesterol": rng.normal(200, 30, n).round(),
        }
    )


@pytest.mark.parametrize(("n_kept", "verdict"), [(0, None), (5, Verdict.WARN), (80, Verdict.FAIL)])
def test_audit__finds_birth_date_place_and_sex_of_persons_with_all_else_made_up(n_kept, verdict):
    rng = np.random.default_rng(n_kept)
    original, made = with_births(400, rng), with_births(400, rng)
    known = ["birth_date", "zip", "sex"]
    made.loc[: n_kept - 1, known] = original.loc[: n_kept - 1, known].to_numpy()
    scrambled = made.sample(frac=1, random_state=1)
    audit = audit_leakage(written(original, "original.csv"), written(scrambled, "scrambled.csv"))
    found = [each.verdict for each in audit.findings if each.check == "known_rows"]
    assert found == ([] if verdict is None else [verdict])
    assert audit.verdict is (verdict or Verdict.PASS)


def visits(n: int, rng: np.random.Generator) -> Table:
    """Return eight visits of each person: the same age, sex, region and diagnosis, measured anew."""
    found = drawn(n, rng).loc[np.repeat(np.arange(n), 8)].reset_index(drop=True)
    found["pressure"] = (found["pressure"] + rng.normal(0, 4, len(found))).round()
    found["bmi"] = (found["bmi"] + rng.normal(0, 0.3, len(found))).round(1)
    return found


def told_of_visits(n_copied: int, seed: int):
    """Return what is told of visits of 150 made persons, of whom some are persons of the original."""
    rng = np.random.default_rng(seed)
    original, made, others = (visits(150, rng) for _ in range(3))
    made.loc[: 8 * n_copied - 1] = original.loc[: 8 * n_copied - 1]
    made["pressure"] += rng.integers(-1, 2, len(made))
    pair = pair_tables(written(original, "original.csv"), written(made, "scrambled.csv"))
    holdout = written(others, "holdout.csv")
    return nearer_members(pair, pair.columns, LeakageSettings(), quasi_identifiers=KNOWN, holdout=holdout)


def test_members__of_several_visits_count_once():
    fresh = [told_of_visits(0, seed) for seed in range(30, 36)]
    assert min(each.p_value for each in fresh) > 0.01
    assert all(140 <= each.n_persons <= 150 for each in fresh)
    assert all(told_of_visits(25, seed).p_value <= 1e-3 for seed in range(36, 38))


def test_smallest_leak__is_larger_where_not_all_rows_were_searched():
    found = NearerMembers(n_persons=5000, n_outsiders=5000, n_tried=9)
    part = replace(found, searched_share=0.1)
    assert part.smallest_leak(1e-3) == 10 * found.smallest_leak(1e-3)
    assert replace(found, searched_share=0.001).smallest_leak(1e-3) is None
