"""Tables that are fit to be released, made from the originals by hand; what a leak is put into."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.quality.schemas import SCHEMAS
from benchmarks.quality.scoreboard import Scenario
from core.__main__ import main
from core.risk import RiskSettings, RiskThresholds, judge_risk, measure_risk
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

ALL = tuple(SCHEMAS)
_WORDS = {
    "ko": ("고혈압", "당뇨", "천식", "우울증", "위염", "편두통", "빈혈", "아토피"),
    "sl": ("hipertenzija", "diabetes", "astma", "depresija", "gastritis", "migrena", "anemija", "ekcem"),
    "en": ("hypertension", "diabetes", "asthma", "depression", "gastritis", "migraine", "anaemia", "eczema"),
}
RARE = {"ko": "에이즈", "sl": "okužba s HIV", "en": "HIV infection"}
_TITLES = {
    "ko": ("연령대", "성별", "지역", "진단", "소득"),
    "sl": ("starost", "spol", "regija", "diagnoza", "dohodek"),
    "en": ("age", "sex", "region", "diagnosis", "income"),
}
_OF_SCHEMA = {  # birth, sex, town
    "korean_hospital": ("생년월일", "성별", "지역"),
    "slovenian_registry": ("datum_rojstva", "spol", "obcina"),
    "english_insurance": ("date_of_birth", "sex", "town"),
}


@dataclass(frozen=True, kw_only=True)
class People:
    """A table about people and what somebody who releases it says of its columns.

    Attributes
    ----------
    frame
        All cells are text; the quasi-identifiers are generalized.
    original
        The columns before that, row by row the same people.
    quasi, sensitive
        Names of columns.
    k, l
        What is asked of the classes.
    said
        Further settings.
    """

    frame: pd.DataFrame
    original: pd.DataFrame
    language: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    k: int = 5
    l: int = 2  # noqa: E741 - the model's own letter
    said: dict[str, object] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)

    @property
    def diagnosis(self) -> str:
        """Return the name of the sensitive words' column."""
        return _TITLES[self.language][3]

    @property
    def income(self) -> str:
        """Return the name of the column of amounts, in the frame where a kind put it there."""
        return _TITLES[self.language][4]

    def classes(self) -> list[np.ndarray]:
        """Return the rows of each class, the largest first."""
        groups = [np.asarray(rows) for rows in self.frame.groupby(list(self.quasi)).indices.values()]
        return sorted(groups, key=lambda rows: (-len(rows), rows[0]))

    def with_cells(self, rows: np.ndarray, column: str, values: Sequence[str] | str) -> People:
        """Return the people with some cells replaced."""
        frame = self.frame.copy()
        frame.iloc[rows, frame.columns.get_loc(column)] = values
        return replace(self, frame=frame)

    def with_column(
        self, name: str, values: Sequence[str] | np.ndarray, *, sensitive: bool = False
    ) -> People:
        """Return the people with one more column, which nobody says anything of unless it is sensitive."""
        frame = self.frame.assign(**{name: [str(value) for value in values]})
        return replace(self, frame=frame, sensitive=(*self.sensitive, name) if sensitive else self.sensitive)

    def saying(self, **said: object) -> People:
        """Return the people with further settings."""
        return replace(self, said={**self.said, **said})


def _bands(ages: np.ndarray, width: int) -> list[str]:
    return [f"{age // width * width}-{age // width * width + width - 1}" for age in ages]


def people(scenario: Scenario, k: int = 5) -> People:
    """Return a proper table: classes of at least `k` (and of twice as many but for few), diverse diagnoses.

    The coarsest ages and places that are needed are chosen, small or uniform classes are deleted, and
    diagnoses are drawn independently of everything, so that nothing stands out but by chance.
    """
    schema = SCHEMAS[scenario.schema]
    rng, n = scenario.rng("people"), scenario.n_records
    birth, sex, town = _OF_SCHEMA[scenario.schema]
    raw = schema.make(n, rng)
    sex = raw[sex]
    ages = 2026 - raw[birth].str.extract(r"((?:19|20)\d\d)")[0].astype(int).to_numpy()
    regions = raw[town].map(schema.regions)
    titles, words = _TITLES[schema.language], _WORDS[schema.language]
    diagnosis = [words[i] for i in rng.integers(0, len(words), n)]
    income = np.exp(rng.normal(np.log(32_000), 0.5, n)).round(-1).astype(int).astype(str)
    original = pd.DataFrame(
        {titles[0]: ages.astype(str), titles[1]: sex, titles[2]: raw[town], titles[3]: diagnosis}
    ).assign(**{titles[4]: income})
    candidates = [
        (_bands(ages, 10), sex, raw[town]),
        (_bands(ages, 20), sex, raw[town]),
        (_bands(ages, 20), sex, regions),
        (_bands(ages, 50), sex, regions),
        (_bands(ages, 50), sex, None),
        (None, sex, None),
    ]
    for columns in candidates:
        quasi = {
            title: list(column) for title, column in zip(titles, columns, strict=False) if column is not None
        }
        frame = pd.DataFrame({**quasi, titles[3]: diagnosis})
        good = _good_classes(frame, list(quasi), titles[3], k)
        if good.mean() >= 0.85:
            break
    order = np.flatnonzero(good)
    if scenario.reordered:
        order = rng.permutation(order)
    return People(
        frame=frame.iloc[order].reset_index(drop=True),
        original=original.iloc[order].reset_index(drop=True),
        language=schema.language,
        quasi=tuple(quasi),
        sensitive=(titles[3],),
        k=k,
    )


def _good_classes(frame: pd.DataFrame, quasi: list[str], diagnosis: str, k: int) -> np.ndarray:
    """Return which rows are in classes a careful person would keep."""
    groups = frame.groupby(quasi)[diagnosis]
    size = groups.transform("size")
    top = groups.transform(lambda values: values.value_counts().iloc[0])
    return ((size >= k) & (groups.transform("nunique") >= 3) & (top <= 0.6 * size)).to_numpy()


def dataset(frame: pd.DataFrame, name: str = "release.csv") -> Dataset:
    """Return the frame as the tool reads it from a file."""
    return read_dataset(frame.to_csv(index=False).encode(), name=name)


def judged(table: People, *, original: bool = False) -> Verdict:
    """Audit a table as the person who releases it would, and return the overall verdict."""
    measured = measure_risk(
        dataset(table.frame),
        settings=RiskSettings(quasi_identifiers=table.quasi, sensitive=table.sensitive, **table.said),
        original=dataset(table.original, "original.csv") if original else None,
    )
    limits = RiskThresholds(**{"k": table.k, "l": table.l, **table.limits})
    return judge_risk(measured, limits).overall


def given_away(table: People, secrets: Sequence[str], *options: str) -> Verdict:
    """Have a release written; FAIL when it is refused or keeps the secrets, PASS when it holds one.

    A table without secrets passes when its release is written.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "table.csv", Path(folder) / "out.csv"
        source.write_bytes(table.frame.to_csv(index=False).encode())
        said = [part for name in table.quasi for part in ("--quasi-identifier", name)]
        said += [part for name in table.sensitive for part in ("--sensitive", name)]
        limits = ["--k", str(table.k), "--what-if", "--max-suppression", "0.3", "--release", str(target)]
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
            main(["risk", str(source), *said, *limits, *options])
        written = target.read_text() if target.exists() else None
    if not secrets:
        return Verdict.FAIL if written is None else Verdict.PASS
    return Verdict.PASS if written is not None and any(each in written for each in secrets) else Verdict.FAIL
