"""Attack rates beside those of the `anonymeter` package, on the same tables.

The package is no dependency and needs older libraries than ours, so it runs in an environment of its own:

    python3 -m venv /somewhere && /somewhere/bin/python -m pip install anonymeter
    ANONYMETER_PYTHON=/somewhere/bin/python .venv/bin/python -m benchmarks anonymeter

Both make guesses of the same kind, but draw them each on their own. The closest row is found by rarity in
bits here, by Gower's distance there. Codes of digits (a zip) are words here and numbers within 5 % there,
where a missing number guessed to be missing counts as told.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from benchmarks.quality.leakage import leaks, releases
from benchmarks.quality.leakage.kinds import dataset
from benchmarks.quality.leakage.tables import people
from benchmarks.quality.scoreboard import Scenario
from core.chance import wilson_interval
from core.leakage import pair_tables
from core.leakage.attacks import AttackRate, try_attacks

N_RECORDS = 1000
SCHEMAS = ("labs", "wages", "survey", "us_claims")
Release = Callable[[Scenario, pd.DataFrame], pd.DataFrame]
RELEASES: dict[str, Release] = {
    "the original's own rows, 1 % noise": lambda s, o: leaks.relative_noise(0.01)(o.copy(), s.rng("noise")),
    "trees grown to one a leaf": lambda s, o: releases.cart(o, s.rng("grown out"), leaf=1),
    "trees, 50 a leaf": lambda s, o: releases.cart(o, s.rng("trees")),
    "other persons": lambda s, o: people(s, "strangers", len(o)),
}


def run() -> None:
    """Print both tools' successes beside each other, and in how many the 95 % intervals meet."""
    python = os.environ.get("ANONYMETER_PYTHON")
    if not python:
        print("skipped: ANONYMETER_PYTHON names no Python with the package anonymeter (how to: this file)")
        return
    n_met = n_all = 0
    for schema in SCHEMAS:
        for label, release in RELEASES.items():
            ours, theirs, seconds = _both(
                Scenario(seed=1, n_records=N_RECORDS, schema=schema), release, python
            )
            met = {key: _meet(ours[key], theirs[key]) for key in ours if key in theirs}
            n_met, n_all = n_met + sum(met.values()), n_all + len(met)
            print(
                f"{schema}, {label}: {sum(met.values())} of {len(met)} attacks agree "
                f"({seconds[0]:.1f} s ours, {seconds[1]:.1f} s theirs)"
            )
            for (attack, column), rate in ours.items():
                if not column and (attack, column) in theirs:
                    print(f"    {attack}: {_shown(rate)} ours, {_shown(theirs[attack, column])} theirs")
            inferred = [key for key in met if key[1]]
            print(
                f"    inference, mean of {len(inferred)} columns: "
                f"{_mean(ours, inferred)} ours, {_mean(theirs, inferred)} theirs"
            )
    print(f"in all, {n_met} of {n_all} attacks agree: their 95 % intervals meet")


Rates = dict[tuple[str, str], AttackRate]


def _both(scenario: Scenario, release: Release, python: str) -> tuple[Rates, Rates, tuple[float, float]]:
    """Return the rates of both, and the seconds each took."""
    original = people(scenario)
    control = people(scenario, "hold-out")
    released = release(scenario, original.copy())
    pair = pair_tables(dataset(original, "original.csv"), dataset(released, "released.csv"))
    start = time.perf_counter()
    attacks = try_attacks(pair, pair.columns, seed=0, holdout=dataset(control, "control.csv"))
    assert attacks is not None
    middle = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        tables = {"original": original, "released": released, "control": control}
        for name, table in tables.items():
            table.to_csv(Path(folder) / f"{name}.csv", index=False)
        program = Path(__file__).with_name("anonymeter_rates.py")
        printed = subprocess.run([python, str(program), folder], check=True, capture_output=True, text=True)
    theirs = [
        AttackRate(
            attack=row["attack"],
            column=row["column"],
            n_guesses=row["n"],
            n_successes=row["n_success"],
            n_naive=0,
            n_control_guesses=row["n"],
            n_control=row["n_control"],
        )
        for row in json.loads(printed.stdout)
    ]
    seconds = middle - start, time.perf_counter() - middle
    return _by_name(attacks.rates), _by_name(theirs), seconds


def _by_name(rates: tuple[AttackRate, ...] | list[AttackRate]) -> Rates:
    return {(rate.attack, rate.column): rate for rate in rates if rate.n_guesses}


def _meet(ours: AttackRate, theirs: AttackRate) -> bool:
    """Whether the intervals of success about originals meet, and those about control records."""
    return all(
        a[0] <= b[1] and b[0] <= a[1]
        for a, b in (
            (ours.interval, theirs.interval),
            (_control_interval(ours), _control_interval(theirs)),
        )
    )


def _control_interval(rate: AttackRate) -> tuple[float, float]:
    return wilson_interval(rate.n_control, rate.n_control_guesses)


def _shown(rate: AttackRate) -> str:
    low, high = rate.interval
    control = rate.control_share or 0
    return f"{rate.share:.1%} ({low:.1%}–{high:.1%}) of {rate.n_guesses:,}, control {control:.1%}"


def _mean(rates: Rates, keys: list[tuple[str, str]]) -> str:
    shares = [(rates[key].share, rates[key].control_share or 0.0) for key in keys]
    share, control = (sum(part) / len(shares) for part in zip(*shares, strict=True))
    return f"{share:.1%}, control {control:.1%}"
