"""Charts are drawn in a process of their own.

The drawing library (vl-convert 1.9.0) holds the interpreter for as long as it draws, so that every session
would wait; a control character aborts its process; and once in some thousand charts it never returns. Here
only a process that does nothing else waits, aborts or is ended, and the chart is drawn again by another.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from core.errors import AuditInputError
from core.processes.bounded_process import EndedError, Process
from core.processes.bounds import ALLOWED

_TRIES = 2
_LONGEST_REASON = 500


class Drawn(NamedTuple):
    """A chart as SVG text, or why it cannot be drawn."""

    svg: str = ""
    refused: str = ""


class _Drawer:
    """Draws one chart after the other, which takes a fiftieth of what the first one takes."""

    def __init__(self) -> None:
        self._process: Process | None = None

    def draw(self, specification: dict[str, object]) -> Drawn | None:
        """Draw a chart; None where no process could."""
        for _ in range(_TRIES):
            try:
                if self._process is None:
                    self._process = Process(__name__)
                return self._process.call(
                    draw, specification, bounds=ALLOWED["chart"].of(0), report=_until(patience_seconds())
                )
            except (EndedError, TimeoutError, AuditInputError):  # the last: it did not start
                self.end()
            except BaseException:  # such as Streamlit's own: half an answer may be left
                self.end()
                raise
        return None

    def end(self) -> None:
        """End the process, with the charts it has drawn."""
        if self._process is not None:
            self._process.end()
            self._process = None


_DRAWER: ContextVar[_Drawer | None] = ContextVar("_DRAWER", default=None)


@contextmanager
def drawing() -> Iterator[None]:
    """Draw the charts of one report in one process."""
    drawer = _Drawer()
    token = _DRAWER.set(drawer)
    try:
        yield
    finally:
        _DRAWER.reset(token)
        drawer.end()


def svg_of(specification: dict[str, object]) -> str | None:
    """Return a chart, as Vega-Lite with its data, as SVG text.

    None where no process could draw it: each ended, or took too long. ValueError: it cannot be drawn.
    """
    if (drawer := _DRAWER.get()) is None:
        with drawing():
            return svg_of(specification)
    drawn = drawer.draw(specification)
    if drawn is not None and drawn.refused:
        raise ValueError(drawn.refused)
    return drawn and drawn.svg


def patience_seconds() -> float:
    """Return how long a process may take for one chart; most take less than a second."""
    return 60.0


def _until(seconds: float) -> Callable[[int], None]:
    end = time.monotonic() + seconds

    def look_up(_: int) -> None:
        if time.monotonic() > end:
            raise TimeoutError

    return look_up


def draw(specification: dict[str, object], **_report: object) -> Drawn:
    """Draw a chart, in the process that does nothing else."""
    import vl_convert  # noqa: PLC0415 - loaded by the process that draws alone

    try:
        return Drawn(svg=vl_convert.vegalite_to_svg(specification, allowed_base_urls=[]))
    except ValueError as error:
        return Drawn(refused=str(error)[:_LONGEST_REASON])
