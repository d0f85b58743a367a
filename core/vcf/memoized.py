"""Values computed once: per object, or per scan for what many records have in common.

What a function remembers comes from somebody's file, so what reads one stands in :func:`forgetting`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast, overload

Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])

MAX_REMEMBERED = 4096  # answers of one function
_FORGETTING: list[Callable[[], None]] = []


def remembered(function: Function) -> Function:
    """Have a function of few different texts compute its answer for each of them once."""
    cached = lru_cache(maxsize=MAX_REMEMBERED)(function)
    _FORGETTING.append(cached.cache_clear)
    return cast("Function", cached)


@contextmanager
def forgetting() -> Iterator[None]:
    """Forget at the end all answers of all functions that remember any."""
    try:
        yield
    finally:
        for clear in _FORGETTING:
            clear()


class lazy(Generic[Value]):  # noqa: N801 - used as a decorator
    """Make a method of no arguments an attribute, computed once per object: without a lock, so faster."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> "lazy[Value] | Value":
        if instance is None:
            return self
        value = self._compute(instance)
        instance.__dict__[self._name] = value
        return value
