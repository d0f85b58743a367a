"""The engines of the tests' own."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from core.engines.sources import Engine
from tests.postgresql import PASSWORD, USER, server

__all__ = ["server"]


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGUSER", USER)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


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
