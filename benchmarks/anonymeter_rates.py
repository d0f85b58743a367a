"""Attack rates of the `anonymeter` package: run by a Python that has it, on the folder of tables given.

Prints a JSON list, one attack each: its name, its column, successes and guesses about original and control
records.
"""

import json
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
from anonymeter.evaluators.singling_out_evaluator import univariate_singling_out_queries

N_GUESSES = 500
N_HALVINGS = 5


def main(folder: Path) -> None:
    """Attack the tables of a folder."""
    warnings.filterwarnings("ignore")
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the package draws its targets from the global generator
    original, released, control = (
        pd.read_csv(folder / f"{name}.csv") for name in ("original", "released", "control")
    )
    n = min(N_GUESSES, len(original), len(control))
    found = [_singling_out(original, released, control, "univariate")]
    found.append(_singling_out(original, released, control, "multivariate"))
    found.append(_linkage(original, released, control, n))
    for name in original.columns:
        told = InferenceEvaluator(
            original,
            released,
            aux_cols=[other for other in original.columns if other != name],
            secret=name,
            regression=pd.api.types.is_numeric_dtype(original[name]),
            n_attacks=n,
            control=control,
        )
        found.append(_row("inference", name, told.evaluate(n_jobs=1).results(), n))
    print(json.dumps(found))


def _singling_out(
    original: pd.DataFrame, released: pd.DataFrame, control: pd.DataFrame, mode: str
) -> dict[str, object]:
    n = N_GUESSES
    if mode == "univariate":  # the package divides by what was asked for, also where there are fewer guesses
        guesses = univariate_singling_out_queries(
            pl.DataFrame(released).unique(), N_GUESSES, np.random.default_rng(0)
        )
        n = len(guesses)
    name = "singling out, one column" if mode == "univariate" else "singling out, several columns"
    if not n:
        return {"attack": name, "column": "", "n": 0, "n_success": 0, "n_control": 0}
    tried = SinglingOutEvaluator(
        original, released, n_attacks=n, control=control, max_attempts=20_000, seed=0
    )
    return _row(name, "", tried.evaluate(mode=mode).results(), n)


def _linkage(
    original: pd.DataFrame, released: pd.DataFrame, control: pd.DataFrame, n: int
) -> dict[str, object]:
    """Halve the columns in several ways, each for as many of the guesses: the halving decides much."""
    generator = np.random.default_rng(0)
    rows = []
    for _ in range(N_HALVINGS):
        order = generator.permutation(original.columns)
        halves = list(order[: len(order) // 2]), list(order[len(order) // 2 :])
        tried = LinkabilityEvaluator(
            original, released, aux_cols=halves, n_attacks=n // N_HALVINGS, control=control
        )
        rows.append(_row("linkage", "", tried.evaluate(n_jobs=1).results(), n // N_HALVINGS))
    counted = {count: sum(row[count] for row in rows) for count in ("n", "n_success", "n_control")}
    return {"attack": "linkage", "column": "", **counted}


def _row(attack: str, column: str, results: object, n: int) -> dict[str, object]:
    return {
        "attack": attack,
        "column": column,
        "n": n,
        "n_success": int(results.n_success),
        "n_control": round(results.n_control),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
