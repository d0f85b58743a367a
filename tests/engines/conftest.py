"""The engines of the tests' own."""

import pytest

from tests.postgresql import PASSWORD, USER, server

__all__ = ["server"]


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGUSER", USER)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
