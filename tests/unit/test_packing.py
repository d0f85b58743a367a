"""Functions called in another process: the same result and errors, and an end to what takes too much."""

import os
import time

import pytest

from core import apart, packing
from core.errors import AuditInputError
from core.jobs import Job, JobState, Progress
from core.packing import called_apart
from core.tabular.second_opinion import SecondOpinionSettings, measure_second_opinion
from core.tabular.second_opinion.opinion import SecondOpinionMeasurement
from core.words import say, speaking
from tests.saying import Saying
from tests.second_opinion_examples import dataset, log_of

N = 40_000
ORIGINAL = {"person": [f"p{i}" for i in range(N)], "age": [str(20 + i % 50) for i in range(N)]}
LOG = log_of(person=("name", "drop"), age=("age", "keep"))


def where(n: int) -> tuple[int, int]:
    """Return in which process this ran."""
    return os.getpid(), n


def everything(n_bytes: int) -> int:
    return len(b"x" * n_bytes)


def not_foreseen(n: int) -> int:
    raise ZeroDivisionError(f"{n} in {os.getpid()}")


def for_ever(n: int) -> int:
    while True:
        n += 1


@pytest.mark.slow
@pytest.mark.parametrize("is_shared", [True, False])
def test_called_apart__gives_what_measuring_here_gives(
    is_shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "HAS_SHARED_MEMORY", is_shared)
    monkeypatch.setattr(apart, "HAS_SHARED_MEMORY", is_shared)
    tables = dataset(ORIGINAL), dataset({"age": ORIGINAL["age"], "note": ORIGINAL["person"]})
    here = measure_second_opinion(*tables, LOG)
    there = called_apart(measure_second_opinion, *tables, LOG)
    assert isinstance(there, SecondOpinionMeasurement)
    assert repr(there) == repr(here)


def test_called_apart__calls_in_a_process_that_waits_for_the_next() -> None:
    first = called_apart(where, 1)
    assert first[0] != os.getpid()
    assert first[1] == 1
    assert called_apart(where, n=2) == (first[0], 2)


@pytest.mark.slow
def test_called_apart__a_problem_comes_back_word_for_word() -> None:
    table = dataset({"age": ORIGINAL["age"]})
    settings = SecondOpinionSettings(quasi_identifiers=("town",))
    with pytest.raises(AuditInputError) as here:
        measure_second_opinion(table, table, LOG, settings=settings)
    with pytest.raises(AuditInputError) as there:
        called_apart(measure_second_opinion, table, table, LOG, settings=settings)
    assert str(there.value) == str(here.value) != ""


def test_called_apart__an_error_that_nobody_foresaw_is_met_here() -> None:
    with pytest.raises(ZeroDivisionError, match=f"7 in {os.getpid()}"):
        called_apart(not_foreseen, 7)


@pytest.mark.slow
def test_called_apart__what_takes_too_much_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AuditInputError) as raised:
        called_apart(everything, 3 << 30)
    with speaking("en"):
        assert say(raised.value.problems[0]) == Saying(
            "The work was ended: it takes more than 1 GiB of memory or 600 …"
        )
    monkeypatch.setattr(packing, "SECONDS", 1)
    with pytest.raises(AuditInputError, match="1 seconds"):
        called_apart(for_ever, 0)


@pytest.mark.slow
def test_called_apart__ends_its_process_when_it_is_stopped() -> None:
    called_apart(where, 0)

    def work(progress: Progress) -> int:
        progress.report(1, 2)
        return called_apart(for_ever, 0)

    (worker,) = apart.POOL.idle[-1:]
    job = Job("key", work)
    while worker in apart.POOL.idle:
        time.sleep(0.05)
    time.sleep(0.2)
    job.stop()
    job.wait(30)
    assert job.state is JobState.STOPPED
    for _ in range(100):  # the system may take a while to end a process
        if not worker.is_alive:
            break
        time.sleep(0.05)
    assert not worker.is_alive
