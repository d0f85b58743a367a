"""Users and events kept for 100 settings, as an independent implementation of the description found."""

import json
from functools import cache
from pathlib import Path

import pytest

from core.events import EventSettings, Rule, anonymize_events, mapping_csv, measure_events
from core.events.mapping import BUILT_IN_MAPPING
from core.events.measuring import MeasuredEvents
from core.tables import Dataset, read_dataset

FIGURES = (
    *"""users_total users_after events_total
    events_after_cleanup events_after events_flattened_kept""".split(),
)


@cache
def _dataset(path: Path) -> Dataset:
    return read_dataset(path)


@cache
def _measured(path: Path, settings: EventSettings) -> MeasuredEvents:
    return measure_events(_dataset(path), settings)


@pytest.mark.parametrize("number", range(100))
def test_anonymize_events__keeps_what_the_reference_keeps(golden_dir: Path, number: int) -> None:
    expected = json.loads((golden_dir / "events" / "expected.json").read_text())[number]
    settings = EventSettings(
        columns=tuple(expected["contributing_columns"]),
        flatten=expected["flatten_column"],
        leave_out=tuple(expected["generalized_events_removed"]),
    )
    measured = _measured(golden_dir / "events" / expected["file"], settings)
    reduced = anonymize_events(
        measured, Rule(k=expected["k"], strategy=expected["strategy"].replace("_", "-"))
    ).reduced
    found = {
        "users_total": measured.log.n_users,
        "users_after": reduced.n_users,
        "events_total": measured.log.n_events_in_file,
        "events_after_cleanup": measured.n_events_after_cleanup,
        "events_after": reduced.n_events,
        "events_flattened_kept": reduced.n_events_flattened,
    }
    asked = [name for name in FIGURES if name in expected]
    assert {name: found[name] for name in asked} == {name: expected[name] for name in asked}


def test_expected__holds_100_settings(golden_dir: Path) -> None:
    assert len(json.loads((golden_dir / "events" / "expected.json").read_text())) == 100


def test_built_in_mapping__is_the_published_one(golden_dir: Path) -> None:
    published = (golden_dir / "events" / "event_classes.csv").read_text().split()[1:]
    assert sorted(mapping_csv(BUILT_IN_MAPPING).decode().split()[1:]) == sorted(published)
