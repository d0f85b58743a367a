"""Synthetic deliveries of our own: tables that are each fine and find people together, and coarser ones."""

import csv
import io
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.demo import DemoFile

_N_PERSONS = 1500
_REGIONS = ("north", "east", "south", "west", "centre")
_TESTS = ("HbA1c", "LDL", "TSH", "CRP")

Column = npt.NDArray[np.str_]


def make_delivery(*, coarse: bool) -> Mapping[str, tuple[DemoFile, ...]]:
    """Return persons, their stays and the tests of stays, joined by random pseudonyms.

    Each table by itself puts every person among many. Where `coarse`, stays tell the year alone, and tests
    are left out.
    """
    rng = np.random.default_rng(17)
    persons = _pseudonyms(rng, _N_PERSONS, 10)
    person_of_stay = np.concatenate([np.arange(_N_PERSONS), rng.integers(0, _N_PERSONS, _N_PERSONS)])
    n_stays = len(person_of_stay)
    stays_no = _pseudonyms(rng, n_stays, 12)
    week = rng.integers(1, 53, n_stays)
    people: dict[str, Column] = {
        "pseudonym": persons,
        "age_group": rng.choice(["0–39", "40–64", "65+"], _N_PERSONS, p=[0.4, 0.35, 0.25]),
        "sex": rng.choice(["female", "male"], _N_PERSONS),
        "region": rng.choice(["east", "west"] if coarse else _REGIONS, _N_PERSONS),
    }
    stays: dict[str, Column] = {
        "stay": stays_no,
        "person": persons[person_of_stay],
        "admission": np.array(["2024" if coarse else f"2024 week {each}" for each in week]),
    }
    ending = "_by_year.csv" if coarse else ".csv"
    files = [
        DemoFile(name=f"persons{ending}", data=_csv(people)),
        DemoFile(name=f"stays{ending}", data=_csv(stays)),
    ]
    if not coarse:
        stay_of_test = rng.integers(0, n_stays, 2 * n_stays)
        tests = {"stay": stays_no[stay_of_test], "test": rng.choice(_TESTS, 2 * n_stays)}
        files.append(DemoFile(name="tests.csv", data=_csv(tests)))
    return {"tables": tuple(files)}


def _pseudonyms(rng: np.random.Generator, n: int, length: int) -> Column:
    letters = np.array(list("ABCDEFGHJKLMNPQRSTUVWXYZ23456789"))
    return np.array(["".join(row) for row in rng.choice(letters, (n, length))])


def _csv(columns: Mapping[str, Sequence[str] | Column]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()
