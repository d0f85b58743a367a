"""Many pairs: progress, stopping, processes of their own, and one bad pair among good ones."""

import io
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.demo.vcf import make_cohort
from core.jobs import Job, JobState, Progress
from core.vcf import (
    VcfFile,
    VcfPair,
    VcfSettings,
    judge_outcome,
    pair_files,
    run_pairs,
    scan_pairs,
    split_uploads,
)
from core.vcf import outcomes as outcomes_of
from core.vcf.outcomes import STOPPED
from core.vcf.pool import Pool
from core.vcf.worker import Answer, Request, serve
from tests.vcf_files import vcf_text

SETTINGS = VcfSettings()


def _demo_pairs() -> tuple[VcfPair, ...]:
    files = [VcfFile(name=file.name, content=file.data) for file in make_cohort()["files"]]
    return pair_files(*split_uploads(files)).pairs


def _rows(scans: object) -> list[object]:
    return [judge_outcome(scan, SETTINGS).audit.report_row() for scan in scans]


@pytest.fixture
def in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.vcf.running.WORTH_A_PROCESS", 0)


@pytest.fixture(scope="module")
def large_pair(tmp_path_factory: pytest.TempPathFactory) -> VcfPair:
    """Return a pair on disk that takes seconds to read."""
    rng = np.random.default_rng(7)
    lines = [
        f"chr1 {pos} . A ACACACACACACACA . . AF=0.001" for pos in rng.integers(1, 10**9, 400_000).tolist()
    ]
    path = tmp_path_factory.mktemp("large") / "x.vcf"
    path.write_bytes(vcf_text(lines))
    file = VcfFile(name="x.vcf", path=path)
    return VcfPair(original=file, anonymized=file, level="high")


def _processes() -> set[int]:
    """Return the processes that this one has started and that are still there."""
    return {
        int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()
    }


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("worth_bytes", [0, 10_000_000])
@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_scan_pairs__counts_bytes_and_reads_every_pair(
    worth_bytes: int, n_jobs: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.vcf.running.WORTH_A_PROCESS", worth_bytes)
    pairs, progress = _demo_pairs(), Progress()
    scans = scan_pairs(pairs, SETTINGS, progress, n_jobs=n_jobs)
    assert [scan.pair for scan in scans] == list(pairs)
    assert _rows(scans) == [
        outcome.audit.report_row() for outcome in run_pairs(pairs, SETTINGS) if outcome.audit
    ]
    assert progress.n_done == progress.n_total > 100_000
    assert progress.unit == "bytes"


def test_scan_pairs__keeps_what_is_done_when_stopped_and_says_what_is_not() -> None:
    pairs = _demo_pairs()

    class Stopping(Progress):
        @property
        def stop_asked(self) -> bool:
            return self.text.endswith(pairs[1].anonymized.name)

    first, *others = scan_pairs(pairs, SETTINGS, Stopping())
    assert first.scan is not None
    assert [first.was_stopped, *(one.was_stopped for one in others)] == [False, True, True]
    assert [one.problems for one in others] == [(f"{pair.anonymized.name}: {STOPPED}",) for pair in pairs[1:]]


def test_scan_pairs__stopping_ends_the_processes_and_keeps_finished_pairs(
    in_processes: None, large_pair: VcfPair
) -> None:
    before = _processes()
    job = Job("key", lambda progress: scan_pairs([*_demo_pairs(), large_pair], SETTINGS, progress, n_jobs=2))
    _wait_until(lambda: "(3 of 4 pairs done)" in job.progress.text)
    assert job.progress.text == "Reading x.vcf (3 of 4 pairs done)"
    job.stop()
    job.wait(30)
    assert job.state is JobState.STOPPED
    assert job.result is not None
    assert [one.scan is not None for one in job.result] == [True, True, True, False]
    assert job.result[3].problems == (f"x.vcf: {STOPPED}",)
    assert _processes() == before


def test_scan_pairs__a_process_that_dies_ends_one_pair_and_is_replaced(
    in_processes: None, large_pair: VcfPair
) -> None:
    before = _processes()
    pairs = [large_pair, *_demo_pairs()]
    job = Job("key", lambda progress: scan_pairs(pairs, SETTINGS, progress, n_jobs=1))
    _wait_until(lambda: job.progress.n_done > 0)
    (process,) = _processes() - before
    os.kill(process, signal.SIGKILL)
    job.wait(30)
    assert job.result is not None
    (problem,) = job.result[0].problems
    assert problem == (
        "x.vcf: the process that read this pair ended unexpectedly (signal 9). If the computer is short of "
        "memory, read fewer pairs at once."
    )
    assert [one.scan is not None for one in job.result] == [False, True, True, True]
    assert _processes() == before


def test_run_pairs__that_nobody_reads_to_the_end_leaves_no_process(
    in_processes: None, large_pair: VcfPair
) -> None:
    before = _processes()
    outcomes = run_pairs([_demo_pairs()[0], large_pair], SETTINGS, n_jobs=2)
    assert next(outcomes).audit is not None
    outcomes.close()
    assert _processes() == before


def test_scan_pairs__one_bad_pair_never_stops_the_rest(in_processes: None) -> None:
    good = _demo_pairs()
    bad = VcfPair(original=good[0].original, anonymized=VcfFile(name="x", content=b""), level="low")
    scans = scan_pairs([bad, *good], SETTINGS, Progress(), n_jobs=2)
    assert scans[0].problems == ("x: the file is empty (0 bytes); get it again from its source.",)
    assert all(scan.scan is not None for scan in scans[1:])


def test_pool__reads_here_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.vcf.pool.sys.executable", "no-such-program")
    pairs = _demo_pairs()[:1]
    (scan,) = Pool(pairs, SETTINGS, n_jobs=1, progress=None).results()
    assert scan.scan is not None


def test_pool__a_process_that_answers_nonsense_ends_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.vcf.pool.COMMAND", ("-c", "print('nonsense', flush=True); input(); input()"))
    (scan,) = Pool(_demo_pairs()[:1], SETTINGS, n_jobs=1, progress=None).results()
    assert scan.scan is None
    assert "ended unexpectedly (" in scan.problems[0]


def test_run_scan__too_little_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan_pair(*_: object, **__: object) -> object:
        raise MemoryError

    monkeypatch.setattr(outcomes_of, "scan_pair", scan_pair)
    (problem,) = outcomes_of.run_scan(_demo_pairs()[0], SETTINGS).problems
    assert problem == (
        "low_anony_north.vcf.gz: not enough memory to read this pair. Sort both files by contig and "
        "position, which lets them stream, or read fewer pairs at once."
    )


def test_run_scan__an_error_that_nobody_foresaw_ends_its_pair_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scan_pair(*_: object, **__: object) -> object:
        raise IndexError("a value that must not be shown")

    monkeypatch.setattr(outcomes_of, "scan_pair", scan_pair)
    (problem,) = outcomes_of.run_scan(_demo_pairs()[0], SETTINGS).problems
    assert problem == (
        "low_anony_north.vcf.gz: reading this pair ended in an error that was not foreseen (IndexError); "
        "nothing was verified. Please tell what kind of files these are."
    )


def test_serve__answers_with_bytes_read_and_the_scan_but_not_the_files() -> None:
    lines = [f"chr1 {pos} . A G . . AF=0.5" for pos in range(1, 60_000)]
    text = vcf_text(lines)
    assert len(text) > 1 << 20
    file = VcfFile(name="x.vcf", content=text)
    requests, answers, left = io.BytesIO(), io.BytesIO(), threading.Event()
    for _ in range(2):
        pickle.dump(Request(VcfPair(original=file, anonymized=file, level="high"), SETTINGS), requests)
    requests.seek(0)
    serve(requests, answers, left.set)
    assert left.is_set()
    assert len(answers.getvalue()) < 1_000_000
    answers.seek(0)
    found = []
    while answers.tell() < len(answers.getvalue()):
        found.append(pickle.load(answers))  # noqa: S301 - what we just wrote
    assert [type(message) for message in found].count(Answer) == 2
    first = found.index(next(message for message in found if isinstance(message, Answer)))
    assert 0 < sum(found[:first]) <= 2 * len(text)
    assert found[first].scan.n_original == 59_999
