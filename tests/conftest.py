"""Each worker computes on one thread, and no example of Hypothesis fails for the time it takes.

Threads of OpenMP that wait for each other spin: two workers on two cores would take a hundred times as long
to boost small trees as one of them alone.

A test has the marker of its folder; `make test` leaves those folders out, but for tests marked `quick`.
Of the cases of a test marked `one_of(n)` each n-th is part of `make test`, and the others are `slow`.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.thorough import times

os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile("any machine", deadline=None, max_examples=times(100))
settings.load_profile("any machine")

FOLDERS = ("browser", "engines", "hostile", "quality")
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE) and (folder := item.path.relative_to(HERE).parts[0]) in FOLDERS:
            item.add_marker(folder)
    met = Counter[tuple[Path, str]]()
    for item in items:
        if (mark := item.get_closest_marker("one_of")) is not None:
            test = item.path, item.name.partition("[")[0]
            if met[test] % mark.args[0]:
                item.add_marker("slow")
            met[test] += 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Hide the loop that Playwright keeps running in this thread from tests that run one of their own."""
    loop = None if item.get_closest_marker("browser") else asyncio._get_running_loop()
    if loop is None:
        return (yield)
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        asyncio._set_running_loop(loop)
