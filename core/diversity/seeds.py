"""Random states at their start, without making them anew."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

_OF_THREAD = threading.local()


def seeded(seed: int) -> np.random.RandomState:
    """Return numpy's legacy generator as ``RandomState(seed)`` is at its start.

    scikit-learn draws from this generator. A grid asks for the same few seeds thousands of times,
    and seeding takes longer than a small split; so each thread keeps one generator per seed and
    sets it back. Whoever gets it uses it up before asking again.
    """
    kept: dict[int, tuple[np.random.RandomState, Any]] = _OF_THREAD.__dict__.setdefault("kept", {})
    if seed not in kept:
        fresh = np.random.RandomState(seed)
        kept[seed] = (fresh, fresh.get_state(legacy=False))
    generator, start = kept[seed]
    generator.set_state(start)
    return generator
