"""A synthetic alarm log: seeded, ours, with no person behind any record."""

import numpy as np

_SEED = 20240
_N_USERS = 240
_N_EVENTS = 9_000
_START = np.datetime64("2024-01-01T00:00:00")
_N_WEEKS = 13
_DEVICES_AND_EVENTS = (
    ("EMERGENCY_PENDANT.EMERGENCY_BUTTON_PRESSED", 0.26),
    ("CONTROL_PANEL.EMERGENCY_BUTTON_PRESSED", 0.08),
    ("FALL_DETECTOR.FALL_DETECTED", 0.09),
    ("FALL_DETECTOR.FALL_DETECTION_CANCELED", 0.06),
    ("FALL_DETECTOR.NOT_MOVING", 0.03),
    ("SMOKE_DETECTOR.SMOKE_DETECTED", 0.02),
    ("WATER_LEAK_DETECTOR.WATER_LEAK_DETECTED", 0.015),
    ("BLOOD_PRESSURE_MONITOR.MEASUREMENT_RECEIVED_VALID", 0.16),
    ("CONTROL_PANEL.BATTERY_EMPTY", 0.05),
    ("CONTROL_PANEL.MAINS_POWER_FAILED", 0.04),
    ("FALL_DETECTOR.SUPERVISORY", 0.185),
    ("DOOR_SENSOR.DOOR_LEFT_OPEN", 0.01),
)
_HOUR_WEIGHTS = np.array(
    [1, 1, 1, 1, 1, 2, 4, 6, 7, 7, 6, 6, 6, 5, 5, 5, 6, 6, 7, 7, 6, 4, 3, 2], dtype=float
)


def make_alarm_log() -> bytes:
    """Return an alarm log as CSV: 240 users, 9,000 events in 13 weeks, one kind of them in no mapping."""
    rng = np.random.default_rng(_SEED)
    events, shares = zip(*_DEVICES_AND_EVENTS, strict=True)
    activity = rng.pareto(1.3, _N_USERS) + 0.15
    users = rng.choice(_N_USERS, _N_EVENTS, p=activity / activity.sum())
    kinds = rng.choice(len(events), _N_EVENTS, p=np.array(shares) / sum(shares))
    days = rng.integers(0, 7 * _N_WEEKS, _N_EVENTS)
    hours = rng.choice(24, _N_EVENTS, p=_HOUR_WEIGHTS / _HOUR_WEIGHTS.sum())
    seconds = days * 86_400 + hours * 3_600 + rng.integers(0, 3_600, _N_EVENTS)
    names = [f"demo-{number:04d}" for number in rng.permutation(_N_USERS)]
    lines = [
        f"{_START + np.timedelta64(int(seconds[event]), 's')};{names[users[event]]};{events[kinds[event]]}"
        for event in np.argsort(seconds, kind="stable")
    ]
    return ("\n".join(["OD_ISO;GUID;dogodek", *lines]) + "\n").encode()
