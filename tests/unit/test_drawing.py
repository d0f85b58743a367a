"""Charts are drawn by another process, which may end or never return."""

import json
import os
import signal
import threading
import time

import pyarrow as pa
import pytest

from core import drawing
from core.apart import Answer

DOT: dict[str, object] = {"mark": "point", "data": {"values": [{"a": 1}]}, "encoding": {"x": {"field": "a"}}}
NOT_DRAWABLE = {**DOT, "data": {"url": "https://example.invalid/data.json"}}


@pytest.fixture(autouse=True)
def _new_processes() -> None:
    drawing.DRAWERS.end()


@pytest.mark.slow
def test_svg_of__draws() -> None:
    svg = drawing.svg_of(DOT)
    assert svg is not None
    assert svg.startswith("<svg")
    assert drawing.draw(pa.py_buffer(json.dumps(DOT).encode())) == ({"svg": svg}, None)


@pytest.mark.slow
def test_svg_of__refuses_what_cannot_be_drawn_and_draws_on_with_the_same_process() -> None:
    document, _ = drawing.draw(pa.py_buffer(json.dumps(NOT_DRAWABLE).encode()))
    assert list(document) == ["refused"]
    with pytest.raises(ValueError, match="External data url not allowed"):
        drawing.svg_of(NOT_DRAWABLE)
    (process,) = drawing.DRAWERS.idle
    assert drawing.svg_of(DOT)
    assert drawing.DRAWERS.idle == [process]


@pytest.mark.slow
def test_svg_of__lets_other_threads_work_meanwhile() -> None:
    many = {**DOT, "data": {"values": [{"a": number} for number in range(2_000)]}}
    drawing.svg_of(DOT)  # the process has started
    gaps, ended = [], threading.Event()

    def tick() -> None:
        last = time.monotonic()
        while not ended.is_set():
            time.sleep(0.001)
            gaps.append(time.monotonic() - last)
            last += gaps[-1]

    ticking = threading.Thread(target=tick)
    ticking.start()
    began = time.monotonic()
    drawing.svg_of(many)
    took = time.monotonic() - began
    ended.set()
    ticking.join()
    assert max(gaps) < took / 2


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops a process as POSIX does")
def test_svg_of__ends_a_process_that_hangs_and_tries_another(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing.svg_of(DOT)
    (stuck,) = drawing.DRAWERS.idle
    os.kill(stuck.process.pid, signal.SIGSTOP)
    patience = iter([0.5, 60.0])
    monkeypatch.setattr(drawing, "patience_seconds", lambda: next(patience))
    assert drawing.svg_of(DOT)
    assert not stuck.is_alive


def test_svg_of__gives_up_when_every_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask(worker: object, _: pa.Buffer) -> Answer:
        asked.append(worker)
        raise drawing.EndedError

    monkeypatch.setattr(drawing, "_ask", ask)
    assert drawing.svg_of(DOT) is None
    assert len(asked) == 2
    assert not any(worker.is_alive for worker in asked)


def test_svg_of__an_interruption_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask(worker: object, _: pa.Buffer) -> Answer:
        asked.append(worker)
        raise KeyboardInterrupt

    monkeypatch.setattr(drawing, "_ask", ask)
    with pytest.raises(KeyboardInterrupt):
        drawing.svg_of(DOT)
    assert [worker.is_alive for worker in asked] == [False]
    assert drawing.DRAWERS.idle == []
