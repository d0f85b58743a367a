"""A large file is held once, and packed after it was read; interrupted anywhere, its bytes stay the same."""

import hashlib
import random
from collections.abc import Callable

import pytest

from core import holding
from core.errors import AuditInputError
from core.holding import Held, Shared
from core.tables import read_dataset

pytestmark = pytest.mark.skipif(not holding.HAS_SHARED_MEMORY, reason="memory files of Linux")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "WORTH_PACKING", 100)
    monkeypatch.setattr(holding, "_BLOCK", 64)


def _data(n: int) -> bytes:
    return bytes(random.Random(n).choices(b"abc,\n", k=n))  # noqa: S311 - repeatable, not secret


@pytest.mark.parametrize("n", [0, 1, 99, 100, 128, 129, 1000])
def test_held__gives_its_bytes_before_while_and_after_they_are_lent(n: int) -> None:
    held, data = Held(_data(n)), _data(n)
    for _ in range(2):
        assert held.data == data
        with held.lent() as source:
            assert held.data == data
            assert (bytes(source.mapped()) if isinstance(source, Shared) else source) == data
            assert isinstance(source, Shared) is (n >= 100)
        assert held.n_bytes == n
    assert held.data == data


def test_held__takes_less_once_it_is_packed() -> None:
    held = Held(b"a,b\n" * 10_000)
    with held.lent():
        pass
    assert held._n_shared == 0
    assert sum(len(block) for _, block in held._packed) < held.n_bytes
    assert held._data is None


class _StopError(BaseException):
    pass


@pytest.mark.parametrize("method", ["put", "cut", "piece"])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("nth", [1, 2, 7])
def test_held__interrupted_anywhere_loses_nothing(
    method: str, after: bool, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = _data(1000)
    held = Held(data)
    with held.lent():
        pass
    usual: Callable[..., object] = getattr(Shared, method)
    calls = 0

    def interrupted(self: Shared, *given: object) -> object:
        nonlocal calls
        calls += 1
        if calls == nth and not after:
            raise _StopError
        done = usual(self, *given)
        if calls == nth:
            raise _StopError
        return done

    monkeypatch.setattr(Shared, method, interrupted)
    with pytest.raises(_StopError), held.lent():
        pass
    monkeypatch.setattr(Shared, method, usual)
    assert held.data == data
    with held.lent() as source:
        assert isinstance(source, Shared)
        assert bytes(source.mapped()) == data
    assert held.data == data


def test_held__is_not_packed_while_an_error_may_hold_it() -> None:
    held = Held(_data(500))
    with pytest.raises(AuditInputError), held.lent():
        raise AuditInputError("no table")
    assert held._n_shared == 500


@pytest.mark.slow
def test_read_dataset__reads_shared_memory_as_it_reads_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.tables.reading.WORTH_A_PROCESS", 1)
    monkeypatch.setattr("core.bounded.WORTH_SHARING", 1)
    data = b"name,age\n" + b"".join(b"n%d,%d\n" % (i, i % 90) for i in range(50_000))
    usual = read_dataset(data, name="t.csv")
    with Held(data).lent() as source:
        read = read_dataset(source, name="t.csv")
    assert read.table.equals(usual.table)
    assert (read.sha256, read.n_bytes) == (hashlib.sha256(data).hexdigest(), len(data))
