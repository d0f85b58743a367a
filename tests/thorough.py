"""How often a test tries what could be tried without end: in `make coverage` three times as often."""

import os

from hypothesis import settings

IS_THOROUGH = "THOROUGH" in os.environ


def times(n: int, *, least: int = 10) -> int:
    """Return how often something is tried: `n` times by a thorough run, else a third of that."""
    return n if IS_THOROUGH else min(n, max(-(-n // 3), least))


def tried(n: int) -> settings:
    """Return the settings of a law that holds for `n` examples of a thorough run."""
    return settings(max_examples=times(n), deadline=None)
