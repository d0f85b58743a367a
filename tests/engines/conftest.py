"""The engines of the tests' own."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from core.engines.sources import Engine
from tests.postgresql import PASSWORD, USER, server

__all__ = ["server"]


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGUSER", USER)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Return how many rows each question was answered with, and the question, as they come."""
    rows: list[tuple[int, str]] = []
    answer = Engine.answer

    def recorded(self: Engine, question: Any, **options: int) -> object:
        found = answer(self, question, **options)
        rows.append((max(map(len, found.values())), self.backend.compile(question)))
        return found

    monkeypatch.setattr(Engine, "answer", recorded)
    return rows


@pytest.fixture
def vanish(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, int], None]:
    """Return what makes a file vanish once engines have answered so often from now on."""
    answer = Engine.answer

    def after(file: Path, n_answers: int) -> None:
        asked = count()

        def harmed(self: Engine, question: object, **options: int) -> object:
            if next(asked) >= n_answers:
                file.unlink(missing_ok=True)
            return answer(self, question, **options)

        monkeypatch.setattr(Engine, "answer", harmed)

    return after
