"""How a search is told to stop in the middle of an evaluation."""

from __future__ import annotations

from collections.abc import Callable

ShouldStop = Callable[[], bool]


class SearchStoppedError(Exception):
    """Somebody asked to stop while an evaluation was under way; what was finished before is kept."""


def never() -> bool:
    """Say that nobody asks to stop."""
    return False


def stop_if(should_stop: ShouldStop) -> None:
    """Raise SearchStoppedError where somebody asks to stop."""
    if should_stop():
        raise SearchStoppedError
