"""A synthetic survey of our own and three scrambled copies of it: leaking, safe, and reversed."""

import csv
import io
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from core.demo import DemoFile

_N_PARTICIPANTS = 600
_COLUMNS_WORDS = "age sex handedness education bmi smoker income_band wellbeing importance_of_faith town"
_COLUMNS = tuple(_COLUMNS_WORDS.split())
_TOWNS = tuple(f"Town {letter}" for letter in "ABCDEFGHIJKLMNOPQRST")
_NO_ANSWER = "-999"

Cells = npt.NDArray[np.str_]


def _scramble_safely(cells: Cells) -> Cells:
    """Put every column in a random order of its own: what one column tells of another is gone."""
    rng = np.random.default_rng(7)
    return np.stack([rng.permutation(column) for column in cells.T], axis=1)


def _scramble_leaking(cells: Cells) -> Cells:
    """Scramble, but leave the town in its place, 18 people as they were, and move 12 others unchanged."""
    rng = np.random.default_rng(11)
    scrambled = _scramble_safely(cells)
    scrambled[:, _COLUMNS.index("town")] = cells[:, _COLUMNS.index("town")]
    kept = rng.choice(len(cells), 30, replace=False)
    scrambled[kept[:18]] = cells[kept[:18]]
    scrambled[kept[18:]] = cells[np.roll(kept[18:], 1)]
    return scrambled


def reverse(cells: Cells) -> Cells:
    """Turn the table upside down: no row is in its place, and every row is still there."""
    return cells[::-1]


def make_pair(scramble: Callable[[Cells], Cells], name: str) -> Mapping[str, tuple[DemoFile, ...]]:
    """Return the survey and its scrambled copy as the files of the page."""
    rng = np.random.default_rng(20_25)
    n = _N_PARTICIPANTS
    age = rng.integers(18, 90, n)
    education = np.clip((age > 24).astype(int) + rng.integers(0, 3, n), 0, 3)
    bmi = np.round(np.clip(rng.normal(22 + age / 20, 3.2, n), 15, 48), 1)
    wellbeing = np.clip(np.round(6 + 0.6 * education - rng.exponential(1.6, n)), 0, 10).astype(int)
    faith = np.where(rng.random(n) < 0.3, _NO_ANSWER, rng.integers(1, 6, n).astype(str))
    columns = (
        age.astype(str),
        rng.choice(["female", "male"], n),
        rng.choice(["right", "left", "both"], n, p=[0.88, 0.1, 0.02]),
        np.array(["primary", "secondary", "college", "university"])[education],
        bmi.astype(str),
        np.where(rng.random(n) < 0.25, "yes", "no"),
        np.array(["low", "middle", "high"])[np.clip(education - rng.integers(0, 2, n), 0, 2)],
        wellbeing.astype(str),
        faith,
        rng.choice(np.array(_TOWNS), n),
    )
    survey = np.stack([column.astype(str) for column in columns], axis=1)
    return {
        "original": (DemoFile(name="survey.csv", data=_csv(survey)),),
        "scrambled": (DemoFile(name=name, data=_csv(scramble(survey))),),
        "holdout": (),
    }


def _csv(cells: Cells) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(cells.tolist())
    return text.getvalue().encode()


PAIRS = {
    "survey_leaking.csv": _scramble_leaking,
    "survey_shuffled.csv": _scramble_safely,
    "survey_reversed.csv": reverse,
}
