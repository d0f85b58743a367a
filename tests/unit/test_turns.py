"""Heavy work waits for its turn, in order; light work never does."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from core.errors import AuditInputError
from core.processes import queue as module
from core.processes.jobs import Job, JobState, Progress
from core.processes.queue import MEGABYTE, Limits, Turns, in_turn, of_run, place_text, taken
from pages.components import interrupting
from pages.components.interrupting import interruptible
from pages.components.serving import leave_out_messages, where_it_happened
from tests.kinds import Patch

TWO = Limits(at_once=2, memory=100, quota=1)


@pytest.fixture
def one_at_once(monkeypatch: Patch) -> Iterator[Turns]:
    made = Turns(TWO._replace(at_once=1, memory=1 << 40))
    monkeypatch.setattr(module, "turns", lambda: made)
    yield made
    assert not made._at_work


def test_ask__lets_so_many_work_at_once_and_the_others_in_their_order() -> None:
    turns = Turns(TWO)
    assert [turns.ask(who, 10) for who in "abcd"] == [None, None, 0, 1]
    turns.end("b")
    assert turns.ask("d", 10) == 1
    assert turns.ask("c", 10) is None
    assert turns.ask("d", 10) == 0


def test_ask__plans_memory_and_lets_one_alone_take_more() -> None:
    turns = Turns(TWO)
    assert [turns.ask("large", 1_000), turns.ask("small", 1)] == [None, 0]
    turns.end("large")
    assert [turns.ask("small", 60), turns.ask("other", 41)] == [None, 0]
    assert turns.ask("third", 1) == 1, "what would fit waits too, or the large would never begin"


def test_ask__keeps_the_place_of_a_page_that_begins_anew_and_forgets_who_left(monkeypatch: Patch) -> None:
    turns = Turns(TWO._replace(at_once=1))
    assert [turns.ask(who, 1) for who in "abc"] == [None, 0, 1]
    turns.end("b")
    assert turns.ask("b", 1) == 0, "it came back"
    turns.end("b")
    monkeypatch.setattr(module, "KEPT_SECONDS", -1)
    assert turns.ask("c", 1) == 0


def test_taken__keeps_its_turn_to_the_end_of_the_run(one_at_once: Turns) -> None:
    with of_run("one", lambda _place: None):
        for _ in range(2):
            with taken("one", 5):
                assert one_at_once.ask("two", 1) == 0
        assert one_at_once.ask("two", 1) == 0
    assert one_at_once.ask("two", 1) is None
    one_at_once.end("two")
    with taken("one", 5), taken("one", 5):
        assert list(one_at_once._at_work) == ["one"]


def test_taken__tells_the_place_as_it_changes_and_what_is_raised_meanwhile_ends_it(
    one_at_once: Turns,
) -> None:
    assert one_at_once.ask("first", 1) is None
    assert one_at_once.ask("second", 1) == 0
    told: list[int | None] = []

    def look_up(place: int | None) -> None:
        told.append(place)
        if place == 1:
            one_at_once.end("first")
            assert one_at_once.ask("second", 1) is None
        if place == 0:
            one_at_once.end("second")

    with taken("third", 1, look_up):
        assert told == [1, 0, None]
    assert one_at_once.ask("first", 1) is None

    def leave(_place: int | None) -> None:
        raise KeyError

    with pytest.raises(KeyError), taken("third", 1, leave):
        pytest.fail("it is not its turn")
    one_at_once.end("first")


@pytest.mark.slow
def test_in_turn__counts_time_from_its_turn_and_can_be_stopped_while_it_waits(one_at_once: Turns) -> None:
    assert one_at_once.ask("other", 1) is None
    waits = Job("key", in_turn(lambda _progress: 1, who="stopped", n_bytes=1))
    _until(lambda: waits.progress.text == place_text(0))
    waits.stop()
    waits.wait(5)
    assert (waits.state, waits.result) == (JobState.STOPPED, None)
    begun = threading.Event()

    def work(_progress: Progress) -> int:
        begun.set()
        return 2

    works = Job("key", in_turn(work, who="works", n_bytes=1))
    time.sleep(0.3)
    assert not begun.is_set()
    one_at_once.end("other")
    works.wait(10)
    assert (works.state, works.result) == (JobState.DONE, 2)
    assert works.elapsed_seconds < 0.2


def _until(holds: Callable[[], bool]) -> None:
    for _ in range(100):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError


def test_place_text__says_how_many_are_before() -> None:
    assert place_text(2).endswith(": 2 before you.")
    assert place_text(0).endswith("; you are next.")


def test_limits__are_sensible_without_settings_and_follow_them() -> None:
    usual = Limits.of({})
    assert usual.at_once >= 1
    assert usual.memory > usual.quota >= 10 * MEGABYTE
    given = {"ANONAUDIT_AT_ONCE": "3", "ANONAUDIT_MEMORY": "800", "ANONAUDIT_QUOTA": " 50 "}
    assert Limits.of(given) == (3, 800 * MEGABYTE, 50 * MEGABYTE)
    assert Limits.of({"ANONAUDIT_MEMORY": "800"}).quota == 200 * MEGABYTE


def test_limits__plan_with_the_memory_of_the_container(tmp_path: Path, monkeypatch: Patch) -> None:
    of_kinds = (tmp_path / "new", tmp_path / "old", tmp_path / "missing")
    monkeypatch.setattr("core.processes.queue._OF_CONTAINER", of_kinds)
    of_kinds[0].write_text("max\n")
    machine = Limits.of({})
    of_kinds[1].write_text(f"{400 * MEGABYTE}\n")
    assert machine.memory > Limits.of({}).memory == 200 * MEGABYTE
    of_kinds[0].write_text(f"{200 * MEGABYTE}\n")
    assert Limits.of({}).memory == 100 * MEGABYTE


def test_limits__that_cannot_be_read_are_named() -> None:
    for wrong in ("0", "-1", "1.5", "two", "²"):
        with pytest.raises(AuditInputError, match=r"^ANONAUDIT_QUOTA has to be a whole number from 1 up\.$"):
            Limits.of({"ANONAUDIT_QUOTA": wrong})


def run(work: Callable[[], None], monkeypatch: Patch) -> tuple[ScriptRequests, threading.Thread]:
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


@pytest.mark.one_of(2)
@pytest.mark.parametrize("asked", ASKED)
def test_interruptible__ends_what_is_no_longer_wanted(asked: str, monkeypatch: Patch) -> None:
    requests, thread = run(forever, monkeypatch)
    time.sleep(0.3)
    assert thread.is_alive()
    ASKED[asked](requests)
    thread.join(20)  # about 1 on an idle machine
    assert not thread.is_alive()


@pytest.mark.slow
def test_interruptible__lets_a_part_of_the_page_wait_its_turn(monkeypatch: Patch) -> None:
    done = []

    def work() -> None:
        time.sleep(1.5)
        done.append(True)

    requests, thread = run(work, monkeypatch)
    requests.request_rerun(RerunData(fragment_id="progress"))
    thread.join(20)
    assert done == [True]


def test_interruptible__leaves_errors_other_threads_and_what_has_no_page_alone(monkeypatch: Patch) -> None:
    caught = []
    with interruptible():
        caught.append("no page")

    def work() -> None:
        try:
            with interruptible():
                raise ValueError
        except ValueError as error:
            caught.append(type(error).__name__)

    _, thread = run(work, monkeypatch)
    thread.join(20)
    assert caught == ["no page", "ValueError"]
    assert interrupting._WATCH._running == set()


NAME = "".join(["Kim", " ", "Minji"])  # not in one piece, as tracebacks show source lines


def test_log__names_type_and_line_of_an_error_but_not_the_cell_in_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    logger = logging.getLogger("test.serving")
    logger.addFilter(leave_out_messages)
    with pytest.raises(ValueError, match="Kim Minji") as caught:
        int(NAME)
    where = where_it_happened(caught.value)
    assert "ValueError" in where
    assert f"in {test_log__names_type_and_line_of_an_error_but_not_the_cell_in_its_message.__name__}" in where
    logger.error("Uncaught app execution", exc_info=caught.value)
    logger.info("quiet")
    assert "ValueError (message left out" in caplog.text
    assert "quiet" not in caplog.text
    assert NAME not in where + caplog.text
