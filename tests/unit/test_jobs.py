"""A job reports progress, stops when asked, keeps what is done, and fails with sentences."""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from core.errors import AuditInputError
from core.processes import jobs
from core.processes.jobs import Interruptible, Interruption, Job, JobState, Progress, Threads


def _forever() -> None:
    while True:
        sum(range(1000))


def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.01)


def test_job__returns_the_result_and_all_of_its_progress() -> None:
    def work(progress: Progress) -> str:
        progress.report(5, 0)
        assert progress.share_done == 0  # while the total is unknown
        progress.report(2, 2, "second of two")
        return "result"

    job = Job("key", work)
    job.wait(10)
    assert (job.state, job.result, job.is_running) == (JobState.DONE, "result", False)
    assert (job.progress.share_done, job.progress.text, job.seconds_left) == (1.0, "second of two", 0)


@pytest.mark.parametrize(("after", "left"), [(0, 30), (20, 10), (40, None)])
def test_job__counts_the_time_left_down_between_reports(
    monkeypatch: pytest.MonkeyPatch, after: float, left: float | None
) -> None:
    go_on = threading.Event()
    job = Job("key", lambda _: go_on.wait(10))
    job.progress.report(25, 100)
    job.progress.started_at = job.progress.reported_at - 10
    monkeypatch.setattr(Job, "elapsed_seconds", 10 + after)
    assert job.seconds_left == left
    go_on.set()


def test_job__keeps_what_is_done_when_stopped() -> None:
    started = threading.Event()

    def work(progress: Progress) -> list[int]:
        done = [0]
        progress.report(1, 100)
        started.set()
        while not progress.stop_asked:
            threading.Event().wait(0.001)
        return done

    job = Job("key", work)
    assert started.wait(10)
    assert job.is_running
    job.stop()
    job.wait(10)
    assert (job.state, job.result) == (JobState.STOPPED, [0])


def test_job__tells_what_the_person_can_fix() -> None:
    def work(_progress: Progress) -> None:
        raise AuditInputError("The file is empty.")

    job = Job("key", work)
    job.wait(10)
    assert (job.state, job.problems, job.result) == (JobState.FAILED, ("The file is empty.",), None)
    assert job.elapsed_seconds == job.elapsed_seconds


@pytest.mark.slow
def test_job__that_does_not_look_is_interrupted_and_hands_over_what_is_done() -> None:
    def deaf() -> None:
        while True:
            try:
                sum(range(1000))
            except Exception:  # noqa: S112 - no net for errors holds it
                continue

    for keeps, goes_on, result in ((True, _forever, [1]), (False, deaf, None)):
        begun = threading.Event()

        def work(progress: Progress, keeps: bool = keeps, goes_on: Callable[[], None] = goes_on) -> None:
            done: list[int] = []
            if keeps:
                progress.keep(done.copy)
            done.append(1)
            begun.set()  # noqa: B023
            goes_on()

        job = Job("key", work)
        assert begun.wait(10)
        job.stop()
        job.wait(30)
        assert (job.state, job.result) == (JobState.STOPPED, result)


def test_interruptible__ends_a_thread_and_leaves_others_and_ended_work_alone() -> None:
    go, ended = threading.Event(), []
    ready: list[Interruptible] = []

    def work() -> None:
        mine = Interruptible(threading.current_thread())
        ready.append(mine)
        with suppress(Interruption):
            while not go.is_set():
                pass
            mine.end()
            ended.append(True)
            while len(ended) < 3:
                pass

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    _until(lambda: len(ready) == 3)
    ready[0].interrupt()
    next(thread for thread in threads if thread.ident == ready[0]._thread.ident).join(10)
    assert sum(thread.is_alive() for thread in threads) == 2
    go.set()
    _until(lambda: len(ended) == 2)
    ready[1].interrupt()
    time.sleep(0.1)
    assert sum(thread.is_alive() for thread in threads) == 2
    ended.append(True)
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    Interruptible(threading.Thread()).interrupt()


def test_interruptible__leaves_no_trace_for_a_tracer() -> None:
    """Interruptions that were never raised would stop CPython at the next function that is traced."""
    for _ in range(200):
        mine = Interruptible(threading.current_thread())
        other = threading.Thread(target=mine.interrupt)
        try:
            other.start()
            mine.end()
        except Interruption:
            mine.end()
        other.join()
    seen: list[bool] = []

    def traced() -> None:
        seen.append(True)

    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        traced()
    finally:
        sys.settrace(before)
    assert seen == [True]


def test_threads__do_work_in_order_and_raise_its_errors() -> None:
    def late() -> None:
        raise TimeoutError

    with Threads(2) as threads:
        assert list(threads.map(lambda number: number * 2, range(50))) == list(range(0, 100, 2))
        with pytest.raises(TimeoutError):  # the work's own, not one of waiting for it
            threads.submit(late).result()
    assert jobs._WORKING_FOR == {}


def test_threads__end_with_an_error_of_the_thread_that_has_them() -> None:
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        _forever()

    def failing() -> None:
        with Threads(2) as threads:
            threads.map(work, range(9))
            _until(lambda: len(begun) == 2)
            raise AuditInputError("A sentence.")

    with pytest.raises(AuditInputError):
        failing()
    assert sorted(begun) == [0, 1]
    assert jobs._WORKING_FOR == {}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("where", ["waiting for others", "working itself"])
def test_threads__are_interrupted_with_the_thread_that_has_them(where: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    def inner() -> None:
        with Threads(1) as further, suppress(Interruption):
            begun.set()
            further.submit(_forever).result()

    def outer() -> None:
        try:
            with Threads(2) as threads:
                result = threads.submit(inner)
                if where == "working itself":
                    _forever()
                result.result()
                _forever()
        except Interruption:
            ended.set()

    job = Job("key", lambda _progress: outer())
    assert begun.wait(10)
    before = threading.active_count()
    job.stop()
    assert ended.wait(10)
    job.wait(10)
    assert not job.is_running
    assert jobs._WORKING_FOR == {}
    assert threading.active_count() <= before


def test_threads__an_interruption_waits_until_what_must_not_be_interrupted_is_done() -> None:
    inside, go, seen = threading.Event(), threading.Event(), []

    def work() -> None:
        with suppress(Interruption), jobs.Shielded():
            inside.set()
            while not go.is_set():
                pass
            with jobs.Shielded():  # within another one: nothing is raised at its end
                seen.append("inside")
            seen.append("done")
        seen.append("after")

    thread = threading.Thread(target=work)
    mine = Interruptible(thread)
    thread.start()
    assert inside.wait(10)
    for _ in range(3):
        mine.interrupt()
    assert thread.is_alive()
    go.set()
    thread.join(10)
    assert seen == ["inside", "done", "after"]
    assert not jobs._SHIELDED
    assert not jobs._ASKED
