"""A script that is no longer wanted ends soon, and one that is wanted is left alone."""

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from pages.components import interrupting
from pages.components.interrupting import interruptible


def run(work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> tuple[ScriptRequests, threading.Thread]:
    """Run work as a script in a thread of its own."""
    requests = ScriptRequests()
    monkeypatch.setattr(interrupting, "get_script_run_ctx", lambda: SimpleNamespace(script_requests=requests))

    def script() -> None:
        with interruptible():
            work()

    thread = threading.Thread(target=script)
    thread.start()
    return requests, thread


def forever() -> None:
    while True:
        sum(range(1000))


ASKED: dict[str, Callable[[ScriptRequests], object]] = {
    "the tab was closed, or Stop pressed": lambda requests: requests.request_stop(),
    "a button was pressed": lambda requests: requests.request_rerun(RerunData()),
}


@pytest.mark.parametrize("asked", ASKED)
def test_interruptible__ends_what_is_no_longer_wanted(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    requests, thread = run(forever, monkeypatch)
    time.sleep(0.3)
    assert thread.is_alive()
    ASKED[asked](requests)
    thread.join(20)  # about 1 on an idle machine
    assert not thread.is_alive()


def test_interruptible__lets_a_part_of_the_page_wait_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def work() -> None:
        time.sleep(1.5)
        done.append(True)

    requests, thread = run(work, monkeypatch)
    requests.request_rerun(RerunData(fragment_id="progress"))
    thread.join(20)
    assert done == [True]


def test_interruptible__leaves_errors_and_other_threads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    caught = []

    def work() -> None:
        try:
            with interruptible():
                raise ValueError
        except ValueError as error:
            caught.append(error)

    _, thread = run(work, monkeypatch)
    thread.join(20)
    assert len(caught) == 1
    assert interrupting._WATCH._running == set()


def test_interruptible__without_a_page_runs_as_it_is() -> None:
    with interruptible():
        done = True
    assert done
