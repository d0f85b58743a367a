"""A log of 1,000,000 events of 20,000 users: each strategy from file to export, and the k slider after."""

import secrets
import tempfile
import uuid
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from benchmarks.measuring import csv_bytes, timed, worked_seconds
from core.events import (
    EventSettings,
    MeasuredEvents,
    ReleaseOptions,
    Rule,
    anonymize_events,
    audit_events,
    measure_events,
    original_traces,
    release_events,
    released_traces,
    strategy_curve,
    trace_risk,
)
from core.tables import read_dataset

N_EVENTS, N_USERS = 1_000_000, 20_000
LIMITS = {"remove-events": 5.0, "remove-users": 10.0}
SLIDER_LIMIT = 0.5
SINGLE_LIMIT = 8.0


def run() -> None:
    """Print the seconds of each part, and how many times longer than pyarrow.csv reading the file takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        csv.write_csv(_log(), path, csv.WriteOptions(delimiter=";", quoting_style="none"))
        plain, _ = timed(lambda: csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=";")))
        for strategy, limit in LIMITS.items():
            start = worked_seconds()
            seconds, measured = timed(lambda strategy=strategy: _from_file_to_export(path, strategy))
            processor = worked_seconds() - start
            print(
                f"{strategy}, file to verified export: {seconds:.2f} s (limit {limit:g}), "
                f"{processor:.2f} s of processor time, "
                f"{seconds / plain:.0f} × pyarrow.csv reading the file ({plain:.2f} s)"
            )
    _time_slider(measured)
    _time_single_events()
    anonymized = anonymize_events(measured, Rule())
    for label, made in (
        ("before", lambda: original_traces(measured)),
        ("after", lambda: released_traces(anonymized, "user")),
    ):
        seconds, _ = timed(lambda made=made: trace_risk(made()))
        print(f"trace risk {label}: {seconds:.2f} s")
    seconds, _ = timed(lambda: strategy_curve(measured))
    print(f"curve of four ways over k = 2 … 50: {seconds:.2f} s")


def _log() -> pa.Table:
    """Return a log of one year with users as uneven as real ones."""
    rng = np.random.default_rng(1)
    names = np.array(
        ["FALL_DETECTED", "EMERGENCY_BUTTON_PRESSED", "NOT_MOVING", "SMOKE_DETECTED", "WATER_LEAK_DETECTED"]
    )
    activity = rng.pareto(1.2, N_USERS) + 0.3
    users = rng.choice(N_USERS, N_EVENTS, p=activity / activity.sum())
    seconds = np.sort(rng.integers(0, 365 * 86_400, N_EVENTS)).astype("timedelta64[s]")
    return pa.table(
        {
            "OD_ISO": (np.datetime64("2023-01-01T00:00:00") + seconds).astype(str),
            "GUID": np.char.add("user-", users.astype(str)),
            "dogodek": np.char.add(
                "DEVICE.", names[rng.choice(len(names), N_EVENTS, p=[0.4, 0.3, 0.15, 0.1, 0.05])]
            ),
        }
    )


def _from_file_to_export(path: Path, strategy: str) -> MeasuredEvents:
    measured = measure_events(read_dataset(path), EventSettings())
    anonymized = anonymize_events(measured, Rule(strategy=strategy))
    release = release_events(anonymized, ReleaseOptions(), secrets.token_bytes)
    assert release.verification.k_reached
    return measured


def _time_single_events() -> None:
    """Print the processor time of a whole audit of a million users with one event each."""
    start = worked_seconds()
    audit_events(
        read_dataset(_single_events(), name="log.csv"),
        settings=EventSettings(),
        rule=Rule(),
        options=ReleaseOptions(),
        token_source=secrets.token_bytes,
    )
    seconds = worked_seconds() - start
    print(
        f"{N_EVENTS:,} users with one event each: {seconds:.2f} s of processor time (limit {SINGLE_LIMIT:g})"
    )


def _single_events() -> bytes:
    """Return the log with a user of its own for each event."""
    users = [
        str(uuid.UUID(int=number << 64 | number))
        for number in np.random.default_rng(2).permutation(N_EVENTS).tolist()
    ]
    table = _log()
    table = table.set_column(1, "GUID", pa.array(users))
    return csv_bytes(table, delimiter=";", quoting_style="none")


def _time_slider(measured: MeasuredEvents) -> None:
    slowest = {}
    for strategy in LIMITS:
        slowest[strategy] = max(
            timed(lambda k=k, strategy=strategy: anonymize_events(measured, Rule(k=k, strategy=strategy)))[0]
            for k in (3, 5, 10, 25, 50)
        )
    answers = ", ".join(f"{strategy} {seconds:.3f} s" for strategy, seconds in slowest.items())
    print(f"slowest answer of the k slider: {answers} (limit {SLIDER_LIMIT:g})")


if __name__ == "__main__":
    run()
