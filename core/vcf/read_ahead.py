"""Read ahead in a thread, so that both files are decompressed while what came is judged."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
DEPTH = 1  # items that wait, besides the one being made and the one in use


@dataclass(frozen=True)
class _End:
    """The iterator is at its end, or failed."""

    error: BaseException | None = None


@dataclass(frozen=True)
class _Made(Generic[Item]):
    item: Item


def read_ahead(items: Iterator[Item]) -> Generator[Item, None, None]:
    """Yield what an iterator yields, which a thread asks for the next item meanwhile.

    What the iterator raises is raised here, in its place in the order. When the generator is closed
    before the end, the thread ends after the item it is making.
    """
    made: queue.Queue[_Made[Item] | _End] = queue.Queue(maxsize=DEPTH)
    closed = threading.Event()
    thread = threading.Thread(target=_fill, args=(items, made, closed), daemon=True)
    thread.start()
    try:
        while isinstance(got := made.get(), _Made):
            yield got.item
        if got.error is not None:
            raise got.error
    finally:
        closed.set()
        while thread.is_alive():
            _drain(made)
            thread.join(0.01)


def _fill(items: Iterator[Item], made: queue.Queue[_Made[Item] | _End], closed: threading.Event) -> None:
    end = _End()
    try:
        for item in items:
            if closed.is_set():
                break
            made.put(_Made(item))
    except BaseException as error:  # it is raised where the item is awaited
        end = _End(error)
    made.put(end)


def _drain(made: queue.Queue[_Made[Item] | _End]) -> None:
    while not made.empty():
        made.get()
