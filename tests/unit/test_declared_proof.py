"""The commands that show what is not as declared print, beside files and originals, what is said."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import csv

from benchmarks.quality import declared as quality
from benchmarks.quality.scoreboard import Scenario
from core.declared import Declared, Originals, measure_declared, read_originals
from core.declared.proof import FOLDER, declared_steps
from core.delivery import audit_delivery
from core.delivery.proof import delivery_proof
from core.reports.proof import Step
from core.tables import Dataset
from core.verdict import Verdict
from tests.unit.test_declared import _CODES, _NAMES, _SHIFTS, _START, ORIGINALS, RULES, N, written
from tests.unit.test_declared import tables as people_and_visits

Held = tuple[Declared, dict[str, Dataset], Originals]


def _kind(name: str, monkeypatch: pytest.MonkeyPatch) -> Held:
    """Return what is measured of a broken delivery of the frozen kinds, and of what."""
    found: list[Held] = []

    def measured(released: dict[str, Dataset], given: Originals, *, files: list[str]) -> Declared:
        found.append((measure_declared(released, given, files=files), released, given))
        return found[-1][0]

    monkeypatch.setattr(quality, "measure_declared", measured)
    (kind,) = (each for each in quality.KINDS if each.name == name)
    kind.judge(Scenario(seed=1, n_records=120, reordered=True))
    return found[0]


def _run(steps: list[Step], released: dict[str, Dataset], given: Originals, folder: Path) -> None:
    """Run every command beside the files; it has to print what the step says, and no cell."""
    (folder / FOLDER).mkdir()
    for place, tables in (
        (folder, [*released.values(), *given.given.values()]),
        (folder / FOLDER, [*given.tables.values()]),
    ):
        for each in tables:
            csv.write_csv(each.table, place / each.name)
    for step in steps:
        words = ["/bin/sh", "-c", step.command.replace("python3", sys.executable, 1)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.stdout.strip(), done.stderr) == (step.prints, "")
        assert re.fullmatch(r"[-0-9 ]+(?:(?:of|and|on|different:)[-0-9 ]+)?", step.prints)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("a few notes unshifted", "were moved by different numbers"),
        ("another pseudonym in one table", "is not what the mapping says"),
        pytest.param("six persons unshifted", "were moved by different numbers", marks=pytest.mark.slow),
        pytest.param(
            "notes shifted by a day more", "were moved by different numbers", marks=pytest.mark.slow
        ),
        pytest.param("in the order of identifiers", "days that are not as declared", marks=pytest.mark.slow),
        pytest.param("zero for some", "days that are not as declared", marks=pytest.mark.slow),
        pytest.param("some dates blank", "has lost what", marks=pytest.mark.slow),
        pytest.param("a few identifiers kept", "is what `original/", marks=pytest.mark.slow),
        pytest.param("two persons share a pseudonym", "different pseudonyms: 1", marks=pytest.mark.slow),
        pytest.param("identifiers in another column", "holds something of", marks=pytest.mark.slow),
        pytest.param("pseudonyms that hold identifiers", "holds what", marks=pytest.mark.slow),
        pytest.param("a few comments left", "holds something", marks=pytest.mark.slow),
        pytest.param("one age left", "1 of 1 looked at", marks=pytest.mark.slow),
        pytest.param("sex of a few changed", "is not what `original/", marks=pytest.mark.slow),
        pytest.param("test visits left", "a rule takes away", marks=pytest.mark.slow),
        pytest.param("records lost", "of originally", marks=pytest.mark.slow),
        pytest.param("measurements of no visit", "has what is not in", marks=pytest.mark.slow),
    ],
)
def test_what_fails__is_shown_by_a_command(
    kind: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, released, given = _kind(kind, monkeypatch)
    steps = [*declared_steps(found, released, given)]
    assert any(said in each.what for each in steps), [each.what for each in steps]
    _run(steps[:4], released, given, tmp_path)


def _steps(released: dict[str, Dataset], rules: str) -> list[Step]:
    given = read_originals(
        ORIGINALS,
        mapping=written("ids.csv", {"id": _NAMES, "code": _CODES}),
        rules=("rules.toml", rules.encode()),
    )
    return [*declared_steps(measure_declared(released, given), released, given)]


def test_what_holds__is_not_shown() -> None:
    assert _steps(people_and_visits(_CODES, _SHIFTS), RULES) == []
    rules = RULES.replace('["people.sex"]', '["people.sex"]\nwhere = {sex = ["none"]}')
    assert _steps(people_and_visits(_CODES, _SHIFTS), rules) == []  # not assessed


def test_one_day__and_order__and_columns_that_tell__are_shown(tmp_path: Path) -> None:
    day = np.where(np.arange(N) % 3 == 0, 90, np.arange(N) * 37 % 700)
    tables = {}
    for side, ids, shift in (("old", _NAMES, 0 * _SHIFTS), ("new", _CODES, _SHIFTS)):
        town = np.arange(N) % 12
        columns = {
            "person_id": ids,
            "what": np.where(np.arange(N) % 3 == 0, "flood", "visit"),
            "number": np.argsort(np.argsort(day, kind="stable")) + 1,
            "town": [f"town {each}" for each in town] if side == "old" else ["some"] * N,
            "area": [f"area {each * 7 % 12}" for each in town],
            "day": _START + day + shift,
        }
        tables[side] = {"visits": written("visits.csv", columns)}
    rules = (
        'person = "visits.person_id"\n[[shifted]]\ncolumns = ["visits.day"]\n[[grouped]]\ncolumns = '
        '["visits.town"]\nonly = ["none"]\ninto = "some"\n'
    )
    given = read_originals(
        tables["old"],
        mapping=written("ids.csv", {"id": _NAMES, "code": _CODES}),
        rules=("rules.toml", rules.encode()),
    )
    found = measure_declared(tables["new"], given)
    steps = [*declared_steps(found, tables["new"], given)]
    told = " ".join(each.what for each in steps)
    assert "different days: 1." in told
    assert "does not fall" in told
    assert "Different values of `visits.area`" in told
    _run(steps, tables["new"], given, tmp_path)


def test_report__says_where_the_originals_are() -> None:
    released = people_and_visits(_CODES, _SHIFTS, extra=1)
    given = read_originals(
        ORIGINALS,
        rules=("rules.toml", RULES.encode()),
        mapping=written("ids.csv", {"id": _NAMES, "code": _CODES}),
    )
    audit = audit_delivery([*released.values()], originals=given)
    assert audit.overall is Verdict.FAIL
    (table,) = delivery_proof(audit, [*released.values()], given)
    assert f"`{FOLDER}`" in table.note
    assert "different numbers of days" in next(iter(table.rows))[1]
    assert all(
        f"{FOLDER}/" not in row[2]
        for (table,) in [delivery_proof(audit, [*released.values()])]
        for row in table.rows
    )
