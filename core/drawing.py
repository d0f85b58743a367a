"""Charts are drawn in a process of their own.

The drawing library (vl-convert 1.9.0) holds the interpreter for as long as it draws, so that every session
would wait; a control character aborts its process; and once in some thousand charts it never returns. Here
only a process that does nothing else waits, aborts or is ended, and the chart is drawn again by another.
"""

import atexit
import json
import time
from typing import cast

import pyarrow as pa

from core.apart import Answer, Bounds, EndedError, Pool, Worker
from core.errors import AuditInputError

DRAWERS = Pool()
atexit.register(DRAWERS.end)
_BOUNDS = Bounds(memory=1 << 44, seconds=60)  # the library reserves 32 GB of addresses and uses 0.1
_TRIES = 2
_LONGEST_REASON = 500


def svg_of(specification: dict[str, object]) -> str | None:
    """Return a chart, as Vega-Lite with its data, as SVG text.

    None where no process could draw it: each ended, or took too long. ValueError: it cannot be drawn.
    """
    data = pa.py_buffer(json.dumps(specification).encode())
    for _ in range(_TRIES):
        worker = DRAWERS.take()
        try:
            document, _none = _ask(worker, data)
        except (EndedError, TimeoutError, AuditInputError):  # the last: it did not start
            worker.end()
            continue
        except BaseException:  # such as Streamlit's own: half an answer may be left in the pipe
            worker.end()
            raise
        DRAWERS.give_back(worker)
        if "refused" in document:
            raise ValueError(document["refused"])
        return cast("str", document["svg"])
    return None


def _ask(worker: Worker, data: pa.Buffer) -> Answer:
    until = time.monotonic() + patience_seconds()

    def look_up(_: int) -> None:
        if time.monotonic() > until:
            raise TimeoutError

    return worker.ask("core.drawing:draw", data, {}, bounds=_BOUNDS, report=look_up)


def patience_seconds() -> float:
    """Return how long a process may take for one chart; most take less than a tenth of a second."""
    return 60.0


def draw(data: pa.Buffer, _report: object = None) -> Answer:
    """Draw a chart, in the process that does nothing else."""
    import vl_convert  # noqa: PLC0415 - loaded by the process that draws alone

    try:
        return {"svg": vl_convert.vegalite_to_svg(json.loads(data.to_pybytes()), allowed_base_urls=[])}, None
    except ValueError as error:
        return {"refused": str(error)[:_LONGEST_REASON]}, None
