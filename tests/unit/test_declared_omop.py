"""The rule file for an OMOP release, held against a right delivery, and one broken for each script."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.declared import Declared, measure_declared, read_originals
from core.tables import Dataset, read_dataset
from core.verdict import Verdict

RULES = Path(__file__).parents[2] / "docs/omop-rules.toml"
Frames = dict[str, pd.DataFrame]
N = 600
RNG = np.random.default_rng(11)
PERSONS = RNG.permutation(90_000)[:N] + 100_000
RESEARCH = RNG.permutation(9_000_000)[:N] + 1_000_000
SHIFTS = -RNG.integers(1, 365, N)
QUESTIONS = {  # of each person an answer to each
    "1586140": ["1586142", "1586144", "1586146"],
    "1585899": ["1585900", "1585901", "903096"],
    "1585845": ["1585846", "1585847", "1585848"],
    "1585249": ["1585266"] * 9 + ["1585275"],
    "1585889": ["0"],
    "1333327": ["0"],
    "1333342": ["0"],  # a survey whose dates stay
}


def _day(n: int) -> np.ndarray:
    return np.datetime64("2019-01-01") + RNG.integers(0, 900, n)


def originals() -> Frames:
    observation = pd.DataFrame(
        [
            (person, question, RNG.choice(answers), RNG.integers(1, 14), f"q_{question}", "typed by hand")
            for person in PERSONS
            for question, answers in QUESTIONS.items()
        ],
        columns=[
            *("person_id", "observation_source_concept_id", "value_source_concept_id", "value_as_number"),
            *("observation_source_value", "value_as_string"),
        ],
    )
    observation.loc[observation.index % 97 == 5, "observation_source_value"] = "PIIName_First"
    observation.insert(0, "observation_id", np.arange(len(observation)) + 1)
    observation["observation_date"] = _day(len(observation))
    condition = pd.DataFrame({"condition_occurrence_id": np.arange(2 * N) + 1, "person_id": [*PERSONS] * 2})
    condition["condition_concept_id"] = RNG.choice([201826, 320128, 4100065, 0], 2 * N)
    known = condition.condition_concept_id > 0
    condition["condition_source_concept_id"] = np.where(known, RNG.integers(1, 9, 2 * N), 0)
    condition["condition_source_value"] = RNG.choice(["E11.9", "I10", "Z38.00"], 2 * N)
    condition["condition_start_date"] = _day(2 * N)
    person = pd.DataFrame({"person_id": PERSONS, "gender_concept_id": RNG.choice([8507, 8532], N)})
    person["year_of_birth"] = RNG.integers(1935, 2000, N)
    person[["race_concept_id", "ethnicity_concept_id"]] = RNG.integers(1, 9, (N, 2)) * 1000
    person["month_of_birth"] = RNG.integers(1, 13, N)
    person[["day_of_birth", "location_id", "provider_id"]] = RNG.integers(1, 28, (N, 3))
    person["race_source_concept_id"] = RNG.integers(1, 9, N)
    return {
        "person": person,
        "observation": observation,
        "condition_occurrence": condition,
        "note": pd.DataFrame({"note_id": range(1, N + 1), "person_id": PERSONS, "note_text": "words"}),
        **_further(),
    }


def _further() -> Frames:
    """Return further tables that the rules name: of wearables, devices, deaths, specimens and sites."""
    of = {"person_id": PERSONS}
    return {
        "activity_summary": pd.DataFrame({**of, "date": _day(N), "steps": RNG.integers(0, 20_000, N)}),
        "heart_rate_minute_level": pd.DataFrame({**of, "datetime": _day(N), "rate": RNG.integers(50, 99, N)}),
        "death": pd.DataFrame({"person_id": PERSONS[:90], "death_datetime": _day(90), "cause_concept_id": 4}),
        "specimen": pd.DataFrame({**of, "specimen_source_id": [f"T{i}" for i in range(N)], "volume": 4}),
        "care_site": pd.DataFrame({"care_site_id": [1, 2], "care_site_name": ["North", "South"], "beds": 9}),
    }


def released(frames: Frames) -> Frames:
    """Return the tables as a careful programme releases them."""
    shift = dict(zip(PERSONS, SHIFTS, strict=True))
    research = dict(zip(PERSONS, RESEARCH, strict=True))
    made = {name: frame.copy() for name, frame in frames.items() if name != "note"}
    observation, condition, person = (
        made[name] for name in ("observation", "condition_occurrence", "person")
    )
    made["observation"] = _answers(observation)
    bad = condition.condition_source_value.str.startswith("Z38") | (condition.condition_concept_id == 4100065)
    made["condition_occurrence"] = condition[~bad & (condition.condition_concept_id != 0)].copy()
    person[["year_of_birth", "race_concept_id", "ethnicity_concept_id"]] = 0
    for name, frame in made.items():
        emptied = [
            *("value_as_string", "condition_source_value", "observation_source_value", "month_of_birth"),
            *("day_of_birth", "location_id", "provider_id", "race_source_concept_id", "cause_concept_id"),
            *("specimen_source_id", "care_site_name", "care_site_id"),
        ]
        frame[[each for each in emptied if each in frame]] = None
        for column in [each for each in frame if str(each).endswith(("date", "datetime"))]:
            moved = pd.to_timedelta(frame.person_id.map(shift), unit="D")
            if name == "observation":
                moved[frame.observation_source_concept_id == "1333342"] = pd.Timedelta(0)
            frame[column] = (pd.to_datetime(frame[column]) + moved).dt.date
        if "person_id" in frame:
            frame["person_id"] = frame.person_id.map(research)
    return made


def _answers(observation: pd.DataFrame) -> pd.DataFrame:
    gone = observation.observation_source_value.str.startswith("PII")
    kept = observation[~gone & (observation.observation_source_concept_id != "1333327")].copy()
    question, answer = kept.observation_source_concept_id, kept.value_source_concept_id
    for asked, said, into in (
        ("1586140", answer == "1586144", "2000000001"),
        ("1585899", ~answer.isin(["1585900", "903096"]), "2000000003"),
        ("1585845", answer == "1585848", "2000000009"),
        ("1585249", answer == "1585275", "2000000011"),
    ):
        kept.loc[(question == asked) & said, "value_source_concept_id"] = into
    large = (question == "1585889") & (kept.value_as_number > 10)
    kept["value_as_number"] = kept.value_as_number.astype(object).where(~large, "11+")
    return kept


def _datasets(frames: Frames) -> dict[str, Dataset]:
    return {
        name: read_dataset(each.to_csv(index=False).encode(), name=f"{name}.csv")
        for name, each in frames.items()
    }


ORIGINALS = originals()
MAPPING = pd.DataFrame({"person_id": PERSONS, "research_id": RESEARCH})


def held(frames: Frames) -> Declared:
    given = read_originals(
        _datasets(ORIGINALS),
        mapping=_datasets({"mapping": MAPPING})["mapping"],
        rules=(RULES.name, RULES.read_bytes()),
    )
    return measure_declared(_datasets(frames), given)


def failed(found: Declared) -> set[tuple[str, str]]:
    return {(each.kind, each.of) for each in found.lines if each.verdict is Verdict.FAIL}


def test_rule_file__is_short() -> None:
    assert len(RULES.read_text().splitlines()) <= 60


def test_right_delivery__holds() -> None:
    found = held(released(ORIGINALS))
    assert failed(found) == set()
    told = {(each.kind, each.of): each for each in found.lines}
    assert told["removed", "note.note_id"].verdict is Verdict.PASS
    assert told["emptied", "observation.value_as_string"].verdict is Verdict.PASS
    grouped = [each for each in found.lines if each.of == "observation.value_source_concept_id"]
    assert [each.n_looked_at for each in grouped if each.kind == "grouped"] == [
        int((ORIGINALS["observation"].observation_source_concept_id == question).sum())
        - int(
            (
                (ORIGINALS["observation"].observation_source_concept_id == question)
                & ORIGINALS["observation"].observation_source_value.str.startswith("PII")
            ).sum()
        )
        for question in ("1586140", "1585899", "1585845", "1585249")
    ]


def _first(frames: Frames, table: str, which: Callable[[pd.DataFrame], pd.Series]) -> pd.Index:
    return frames[table].index[which(frames[table])][:3]


def _back(frames: Frames, table: str, column: str, question: str, answer: str) -> None:
    """Write an original answer where its group should stand."""
    before = ORIGINALS[table]
    is_it = (before.observation_source_concept_id == question) & (before[column].astype(str) == answer)
    at = [each for each in before.index[is_it] if each in frames[table].index][:3]
    frames[table].loc[at, column] = answer


def _add(frames: Frames, table: str, which: Callable[[pd.DataFrame], pd.Series]) -> None:
    """Put back original records that should be gone, with everything else done to them."""
    before = ORIGINALS[table][which(ORIGINALS[table])].head(3).copy()
    for column in ("condition_source_value", "observation_source_value", "value_as_string"):
        if column in before:
            before[column] = None
    before["person_id"] = before.person_id.map(dict(zip(PERSONS, RESEARCH, strict=True)))
    frames[table] = pd.concat([frames[table], before])


def _unshift(frames: Frames, table: str, column: str) -> None:
    at = frames[table].index[:3]
    frames[table].loc[at, column] = ORIGINALS[table].loc[at, column].astype(str)


def _redate(frames: Frames, question: str, days: int) -> None:
    """Move the dates of some answers to a question otherwise than declared: originals by so many days."""
    at = _first(frames, "observation", lambda t: t.observation_source_concept_id == question)
    true = pd.to_datetime(ORIGINALS["observation"].observation_date[at])
    frames["observation"].loc[at, "observation_date"] = (true + pd.Timedelta(days=days)).dt.date


BROKEN: Mapping[str, tuple[Callable[[Frames], object], tuple[str, str]]] = {
    "1 generalization: orientation": (
        lambda all_: _back(all_, "observation", "value_source_concept_id", "1585899", "1585901"),
        ("grouped", "observation.value_source_concept_id"),
    ),
    "1 generalization: race": (
        lambda all_: _back(all_, "observation", "value_source_concept_id", "1586140", "1586144"),
        ("grouped", "observation.value_source_concept_id"),
    ),
    "2 row suppression": (
        lambda all_: _add(all_, "observation", lambda t: t.observation_source_value == "PIIName_First"),
        ("removed", "observation.observation_source_value"),
    ),
    "3 column suppression": (
        lambda all_: all_["person"].__setitem__("month_of_birth", ORIGINALS["person"].month_of_birth),
        ("emptied", "person.month_of_birth"),
    ),
    "4 date shift": (
        lambda all_: _unshift(all_, "condition_occurrence", "condition_start_date"),
        ("shifted", "condition_occurrence.condition_start_date"),
    ),
    "4 date shift: another survey": (
        lambda all_: _redate(all_, "1586140", 0),
        ("shifted", "observation.observation_date"),
    ),
    "4 date shift: a survey whose dates stay": (
        lambda all_: _redate(all_, "1333342", -30),
        ("kept", "observation.observation_date"),
    ),
    "5 codes": (
        lambda all_: _add(
            all_,
            "condition_occurrence",
            lambda t: (t.condition_source_value == "Z38.00") & (t.condition_concept_id == 201826),
        ),
        ("removed", "condition_occurrence.condition_source_value"),
    ),
    "6 wearables": (
        lambda all_: _unshift(all_, "activity_summary", "date"),
        ("shifted", "activity_summary.date"),
    ),
    "7 survey": (
        lambda all_: _add(all_, "observation", lambda t: t.observation_source_concept_id == "1333327"),
        ("removed", "observation.observation_source_concept_id"),
    ),
    "8 households": (
        lambda all_: _back(all_, "observation", "value_as_number", "1585889", "13"),
        ("grouped", "observation.value_as_number"),
    ),
    "8 states": (
        lambda all_: _back(all_, "observation", "value_source_concept_id", "1585249", "1585275"),
        ("grouped", "observation.value_source_concept_id"),
    ),
    "9 no concept": (
        lambda all_: _add(
            all_,
            "condition_occurrence",
            lambda t: (t.condition_concept_id == 0) & (t.condition_source_value == "I10"),
        ),
        ("removed", "condition_occurrence.condition_source_concept_id"),
    ),
    "10 an original identifier": (
        lambda all_: all_["person"].__setitem__("person_id", [PERSONS[0], *all_["person"].person_id[1:]]),
        ("replaced", "person.person_id"),
    ),
    "11 not suppressed": (
        lambda all_: all_.__setitem__("heart_rate_minute_level", all_["heart_rate_minute_level"].iloc[3:]),
        ("rows", "heart_rate_minute_level"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("script", BROKEN)
def test_broken_delivery__is_told_by_its_rule(script: str) -> None:
    breaks, expected = BROKEN[script]
    frames = released(ORIGINALS)
    breaks(frames)
    assert expected in failed(held(frames))
