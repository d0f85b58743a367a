"""Read ahead in a thread, so that both files are decompressed while what came is judged.

It is one thread for both: as it lets the interpreter go at every compressed block and asks for it again,
a second one would keep the judging waiting longer than it helps.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")
DEPTH = 2  # items of each iterator that wait, besides the one being made and the one in use


@dataclass(frozen=True)
class _End:
    """The iterator is at its end, or failed."""

    error: BaseException | None = None


@dataclass(frozen=True)
class _Made(Generic[Item]):
    item: Item


@dataclass(eq=False)
class _Queue(Generic[Item]):
    """An iterator, and what came of it and waits."""

    items: Iterator[Item]
    waiting: deque[_Made[Item] | _End] = field(default_factory=deque)
    is_over: bool = False


@contextmanager
def read_ahead(*iterators: Iterator[Item]) -> Iterator[tuple[Iterator[Item], ...]]:
    """Give iterators that yield what others yield, which a thread asks for their next items meanwhile.

    What an iterator raises is raised in its place in the order. At the end the thread has ended; it
    finishes the item it is making.
    """
    reader = _Reader(iterators)
    thread = threading.Thread(target=reader.fill, daemon=True)
    thread.start()
    try:
        yield tuple(map(reader.take, reader.queues))
    finally:
        reader.close()
        thread.join()


class _Reader(Generic[Item]):
    """Fills the queues in one thread and empties them in another."""

    def __init__(self, iterators: tuple[Iterator[Item], ...]) -> None:
        self.queues = tuple(map(_Queue, iterators))
        self._is_closed = False
        self._changed = threading.Condition()

    def fill(self) -> None:
        """Make items for the shortest queue until all are at their end, or the reader is closed."""
        while (queue := self._shortest()) is not None:
            made = _next(queue.items)
            with self._changed:
                queue.waiting.append(made)
                queue.is_over = isinstance(made, _End)
                self._changed.notify()

    def take(self, queue: _Queue[Item]) -> Iterator[Item]:
        """Yield the items of a queue."""
        while True:
            with self._changed:
                while not queue.waiting:
                    self._changed.wait()
                made = queue.waiting.popleft()
                self._changed.notify()
            if isinstance(made, _Made):
                yield made.item
            elif made.error is not None:
                raise made.error
            else:
                return

    def close(self) -> None:
        """Have the thread end."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _shortest(self) -> _Queue[Item] | None:
        """Wait for a queue to have room; None when there is nothing more to do."""
        with self._changed:
            while not self._is_closed:
                queues = [queue for queue in self.queues if not queue.is_over]
                if not queues:
                    return None
                shortest = min(queues, key=lambda queue: len(queue.waiting))
                if len(shortest.waiting) < DEPTH:
                    return shortest
                self._changed.wait()
        return None


def _next(items: Iterator[Item]) -> _Made[Item] | _End:
    try:
        return _Made(next(items))
    except StopIteration:
        return _End()
    except BaseException as error:  # it is raised where the item is awaited
        return _End(error)
