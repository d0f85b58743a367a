"""Which settings are suggested, and what they are said to keep."""

import pytest

from core.events import (
    EventSettings,
    Rule,
    anonymize_events,
    measure_events,
    suggest_settings,
    suggested_mapping,
)
from core.events import result as search
from core.events.result import suggestion_lines, suggestions_document
from core.tables import Dataset, read_dataset


def dataset(*lines: str) -> Dataset:
    return read_dataset("\n".join(["OD_ISO;GUID;dogodek", *lines]).encode(), name="log.csv")


DAYS = [f"2024-01-{8 + n:02d}T{n % 3 * 8:02d}:00;u{n};X.FALL_DETECTED" for n in range(6)]


def test_suggest_settings__finds_what_keeps_most() -> None:
    log, rule = dataset(*DAYS), Rule(k=3)
    asked = EventSettings()
    assert anonymize_events(measure_events(log, asked), rule).reduced.n_events == 0
    found = suggest_settings(log, asked, rule)
    assert (found.n_tried, found.n_ways, len(found.best)) == (36, 36, 3)
    best = found.best[0]
    kept = anonymize_events(measure_events(log, best.settings), rule).reduced
    assert (best.n_events, best.n_users) == (kept.n_events, kept.n_users) == (6, 6)
    assert [each.lost_share for each in found.best] == sorted(each.lost_share for each in found.best)
    assert 0 < best.lost_share < 1


def test_suggest_settings__counts_a_column_left_out_as_lost_and_nothing_where_nothing_is() -> None:
    same = [f"2024-01-08T10:00;{user};X.FALL_DETECTED" for user in "abc"]
    assert suggest_settings(dataset(*same), EventSettings(), Rule(k=3)).best[0].lost_share == 0
    settings = EventSettings(columns=("generalized_event", "day"), flatten="day")
    days = [f"2024-01-{8 + n:02d}T10:00;u{n};X.FALL_DETECTED" for n in range(4)]
    found = suggest_settings(dataset(*days), settings, Rule(k=4))
    assert {each.lost_share for each in found.best} == {0.5}


def test_suggest_settings__says_when_nothing_reaches_k() -> None:
    found = suggest_settings(dataset(*DAYS), EventSettings(), Rule(k=50))
    assert found.best == ()
    assert suggestion_lines(found)[-1] == "None of them reaches k with anything left. Choose a smaller k."


def test_suggest_settings__is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MOST_EVENTS_LOOKED_AT", 60)
    assert suggest_settings(dataset(*DAYS), EventSettings(), Rule(k=3)).n_tried == 10


def test_suggest_settings__never_releases_the_attribute_to_protect() -> None:
    settings = EventSettings(columns=("generalized_event", "week_number"), sensitive="month")
    found = suggest_settings(dataset(*DAYS), settings, Rule(k=2))
    assert all("month" not in each.settings.columns for each in found.best)


def test_suggested_mapping__keeps_common_kinds_and_joins_rare_ones() -> None:
    lines = [f"2024-01-08T10:00;u{n};lunch" for n in range(4)]
    lines += [f"2024-01-08T10:00;u{n};walk {n % 2}" for n in range(4)]
    lines += ["2024-01-08T10:00;u0;999", "2024-01-08T10:00;u0;bath"]
    log, rule = dataset(*lines), Rule(k=3)
    mapping = suggested_mapping(measure_events(log, EventSettings()).log, 3)
    assert dict(mapping.pairs) == {
        "lunch": "lunch",
        "walk 0": "walk",
        "walk 1": "walk",
        "999": "other_event",
        "bath": "other_event",
    }
    found = suggest_settings(log, EventSettings(), rule)
    assert found.best[0].settings.mapping == mapping
    assert (
        suggestion_lines(found)[-1] == "With an event mapping that fits the log; --suggest --json prints it."
    )
    kept = anonymize_events(measure_events(log, found.best[0].settings), rule)
    assert found.best[0].lost_share > kept.reduced.penalty_share  # 2 of 5 kinds are merged, twice
    document = suggestions_document(found)
    assert document["suggestions"][0]["mapping"]["lunch"] == "lunch"


def test_suggest_settings__leaves_a_mapping_that_fits_alone() -> None:
    found = suggest_settings(dataset(*DAYS), EventSettings(), Rule(k=2))
    assert found.best[0].settings.mapping == EventSettings().mapping
    assert "mapping" not in suggestion_lines(found)[-1]
