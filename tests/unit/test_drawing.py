"""Charts are drawn by another process, which may end or never return."""

import threading
import time

import pytest

from core.processes import drawing
from core.processes.bounded_process import EndedError, Process

DOT: dict[str, object] = {"mark": "point", "data": {"values": [{"a": 1}]}, "encoding": {"x": {"field": "a"}}}
NOT_DRAWABLE = {**DOT, "data": {"url": "https://example.invalid/data.json"}}


class Drawers:
    """The processes that were started."""

    def __init__(self) -> None:
        self.all: list[Process] = []

    def start(self, module: str) -> Process:
        self.all.append(Process(module))
        return self.all[-1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    drawers = Drawers()
    monkeypatch.setattr(drawing, "Process", drawers.start)
    return drawers.all


@pytest.mark.slow
def test_svg_of__draws_charts_of_one_report_in_one_process(started: list[Process]) -> None:
    with drawing.drawing():
        svg = drawing.svg_of(DOT)
        assert svg is not None
        assert svg.startswith("<svg")
        with pytest.raises(ValueError, match="External data url not allowed"):
            drawing.svg_of(NOT_DRAWABLE)
        assert drawing.svg_of(DOT) == svg
    assert len(started) == 1
    assert drawing.svg_of(DOT) == svg
    assert len(started) == 2
    with pytest.raises(EndedError):
        started[0].call(drawing.draw, DOT, bounds=drawing.ALLOWED["chart"].of(0))


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
def test_svg_of__ends_a_process_that_hangs_and_tries_another(
    started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    patience = iter([0.0, 60.0])
    monkeypatch.setattr(drawing, "patience_seconds", lambda: next(patience))
    assert drawing.svg_of(DOT)
    assert len(started) == 2


@pytest.mark.parametrize("error", [EndedError, KeyboardInterrupt])
def test_svg_of__gives_up_when_every_process_ends_and_an_interruption_ends_it(
    error: type[BaseException], started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Process, "call", fail)
    if error is EndedError:
        assert drawing.svg_of(DOT) is None
    else:
        with pytest.raises(error):
            drawing.svg_of(DOT)
    assert [each._line.fileno() for each in started] == [-1] * (2 if error is EndedError else 1)
