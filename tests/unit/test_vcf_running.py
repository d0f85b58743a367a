"""Many pairs: progress, stopping, processes of their own, and one bad pair among good ones."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pysam import bcftools

from core.demo import VCF
from core.processes import bounded_process
from core.processes import bounds as process_bounds
from core.processes.jobs import Job, JobState, Progress
from core.processes.packing import packed, unpacked
from core.vcf import (
    VcfFile,
    VcfPair,
    VcfScan,
    VcfSettings,
    judge_outcome,
    pair_files,
    pair_folders,
    render_findings,
    run_pairs,
    running,
    scan_pairs,
    split_uploads,
)
from core.vcf import outcomes as outcomes_of
from core.vcf.outcomes import STOPPED, run_scan
from core.vcf.running import scan_apart
from core.vcf.sites import Tallies
from core.words import say, speaking
from tests.cases.table import says
from tests.kinds import Patch
from tests.vcf_files import bgzf, masked_header, vcf_file, vcf_text

SETTINGS = VcfSettings()


def _demo_pairs() -> tuple[VcfPair, ...]:
    files = [VcfFile(name=file.name, content=file.data) for file in VCF[0].make()["files"]]
    return pair_files(*split_uploads(files)).pairs


def _rows(scans: object) -> list[object]:
    return [judge_outcome(scan, SETTINGS).audit.report_row() for scan in scans]


@pytest.fixture
def in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.vcf.running.WORTH_SEVERAL", 0)


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
    """Return the processes that work for this one."""
    forker = bounded_process.FORKER.process
    children = Path(f"/proc/{forker.pid}/task/{forker.pid}/children") if forker else Path(os.devnull)
    return set(map(int, children.read_text().split()))


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.one_of(6)
@pytest.mark.parametrize("worth_bytes", [0, 10_000_000])
@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_scan_pairs__counts_bytes_and_reads_every_pair(
    worth_bytes: int, n_jobs: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.vcf.running.WORTH_SEVERAL", worth_bytes)
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
            return pairs[1].anonymized.name in self.text

    first, *others = scan_pairs(pairs, SETTINGS, Stopping())
    assert first.scan is not None
    assert [first.was_stopped, *(one.was_stopped for one in others)] == [False, True, True]
    assert [one.problems for one in others] == [
        (STOPPED.format(file=pair.anonymized.name),) for pair in pairs[1:]
    ]


@pytest.mark.slow
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
    assert job.result[3].problems == (STOPPED.format(file="x.vcf"),)
    _wait_until(lambda: _processes() == before)


@pytest.mark.slow
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
    assert says(problem, "x.vcf: …process…ended…4 GiB…2,252 seconds")
    assert [one.scan is not None for one in job.result] == [False, True, True, True]
    _wait_until(lambda: _processes() == before)


@pytest.mark.slow
def test_run_pairs__that_nobody_reads_to_the_end_leaves_no_process(
    in_processes: None, large_pair: VcfPair
) -> None:
    before = _processes()
    outcomes = run_pairs([_demo_pairs()[0], large_pair], SETTINGS, n_jobs=2)
    assert next(outcomes).audit is not None
    outcomes.close()
    _wait_until(lambda: _processes() == before)


def test_scan_pairs__one_bad_pair_never_stops_the_rest(in_processes: None) -> None:
    good = _demo_pairs()
    bad = VcfPair(original=good[0].original, anonymized=VcfFile(name="x", content=b""), level="low")
    scans = scan_pairs([bad, *good], SETTINGS, Progress(), n_jobs=2)
    assert says(scans[0].problems[0], "x: …empty (0 bytes)")
    assert all(scan.scan is not None for scan in scans[1:])


def test_scan_apart__what_it_says_can_be_said_in_other_languages() -> None:
    pair = VcfPair(
        original=vcf_file("x.vcf", vcf_text(["chr1 100 . A G . . AF=0.001"], samples=("Kim_Minjun",))),
        anonymized=VcfFile(name="low_anony_x.vcf", content=b"none"),
        level="low",
    )
    copied = replace(pair, anonymized=replace(pair.original, name="low_anony_x.vcf"))
    with speaking("brackets"):
        (problem,) = scan_apart(pair, SETTINGS, lambda _n_bytes: None).problems
        assert say(problem) == (
            "⟦low_anony_x.vcf: not a VCF file; its first line must begin with “##fileformat=VCF”.⟧"
        )
        audit = judge_outcome(scan_apart(copied, SETTINGS, lambda _n_bytes: None), SETTINGS).audit
        said = [say(exposure.sentence) for exposure in audit.exposure if exposure.check == "samples_kept"]
    assert said == [
        (
            "⟦1 of 1 sample names is that of the original, or holds one, in either case.⟧ "
            "⟦First: ⟦sample 1⟧.⟧ ⟦Give the samples new names: bcftools reheader -s.⟧"
        )
    ]


@pytest.mark.parametrize("has_shared_memory", [True, False])
def test_scan_apart__gives_what_reading_here_gives(has_shared_memory: bool, monkeypatch: Patch) -> None:
    monkeypatch.setattr(running, "HAS_SHARED_MEMORY", has_shared_memory)
    for pair in _demo_pairs():
        here, there = run_scan(pair, SETTINGS), scan_apart(pair, SETTINGS, lambda _n_bytes: None)
        assert there.problems == here.problems == ()
        outcomes = [judge_outcome(one, SETTINGS) for one in (here, there)]
        assert _rows([here]) == _rows([there])
        assert render_findings(outcomes[:1]) == render_findings(outcomes[1:])


@pytest.mark.slow
def test_scan_apart__a_process_at_its_bounds_is_the_problem_of_its_pair(monkeypatch: Patch) -> None:
    pair = _demo_pairs()[0]
    monkeypatch.setattr(running, "_bounds", lambda _files: process_bounds.Bounds(1 << 30, 0))
    (problem,) = scan_apart(pair, SETTINGS, lambda _n_bytes: None).problems
    assert "the process that read this pair ended" in problem
    monkeypatch.undo()
    assert scan_apart(pair, SETTINGS, lambda _n_bytes: None).problems == ()


def test_scan_pairs__stopping_leaves_no_process_behind(large_pair: VcfPair) -> None:
    before = _processes()
    job = Job("key", lambda progress: scan_pairs([large_pair], SETTINGS, progress))
    _wait_until(lambda: job.progress.n_done > 0)
    job.stop()
    job.wait(30)
    _wait_until(lambda: _processes() <= before)
    assert job.result is not None
    assert job.result[0].was_stopped


def test_unpacked__refuses_what_is_of_another_type_or_does_not_hold_together() -> None:
    scan = run_scan(_demo_pairs()[1], SETTINGS).scan
    assert scan is not None
    (table,) = packed(scan)
    found = unpacked(VcfScan, [table])
    running.check_scan(found)
    text = table.column(0)[0].as_py()
    first = 1 + 3 * len(fields(Tallies))  # of the candidates' arrays: whole numbers, and two on fractions
    for old, new in ((b'"high"', b'"other"'), (b'"north', b'["north'), (b" 0,", b' "0",'), (b"]", b"")):
        changed = table.set_column(0, "0", pa.array([text.replace(old, new, 1)], pa.large_binary()))
        with pytest.raises((ValueError, TypeError, LookupError)):
            unpacked(VcfScan, [changed])
    with pytest.raises(TypeError):
        unpacked(VcfScan, [table.set_column(first, str(first), table.column(first + 2))])
    for field, array in (("mafs", found.candidates.mafs[1:]), ("contigs", found.candidates.contigs + 9)):
        broken = replace(found, candidates=replace(found.candidates, **{field: array}))
        with pytest.raises(ValueError, match="does not hold together"):
            running.check_scan(broken)
    removed = replace(found.removed, n=found.removed.n + 1)
    with pytest.raises(ValueError, match="does not hold together"):
        running.check_scan(replace(found, removed=removed))


def test_run_scan__an_error_ends_its_pair_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def scan_pair(*_: object, **__: object) -> object:
        raise MemoryError

    monkeypatch.setattr(outcomes_of, "scan_pair", scan_pair)
    (problem,) = outcomes_of.run_scan(_demo_pairs()[0], SETTINGS).problems
    assert says(problem, "low_anony_north.vcf.gz: not enough memory")

    def scan_pair(*_: object, **__: object) -> object:
        raise IndexError("a value that must not be shown")

    monkeypatch.setattr(outcomes_of, "scan_pair", scan_pair)
    (problem,) = outcomes_of.run_scan(_demo_pairs()[0], SETTINGS).problems
    assert says(problem, "low_anony_north.vcf.gz: …(IndexError)")
    assert "must not be shown" not in problem


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to see the process's own")
def test_scan_apart__its_process_ends_soon_after_the_one_that_asked(large_pair: VcfPair) -> None:
    code = (
        "from pathlib import Path; from core.vcf import VcfFile, VcfPair, VcfSettings; import sys\n"
        "from core.vcf.running import scan_apart\n"
        "file = VcfFile(name='x.vcf', path=Path(sys.argv[1]))\n"
        "pair = VcfPair(original=file, anonymized=file, level='high')\n"
        "scan_apart(pair, VcfSettings(), lambda n: n and print(n, flush=True))\n"
    )
    asking = subprocess.Popen(
        [sys.executable, "-c", code, str(large_pair.original.path)],
        stdout=subprocess.PIPE,
        cwd=bounded_process.ROOT,
    )
    assert asking.stdout is not None
    assert asking.stdout.readline()
    children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children").read_text().split()
    children += Path(f"/proc/{children[0]}/task/{children[0]}/children").read_text().split()
    asking.kill()
    asking.communicate()
    assert len(children) == 2
    _wait_until(lambda: not any(Path(f"/proc/{each}").exists() for each in children))


@pytest.mark.slow
def test_scan_apart__unsorted_files_beyond_the_memory_are_refused_with_the_command_that_sorts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = np.random.default_rng(0).permutation(60_000).tolist()
    (tmp_path / "sorted").mkdir()
    texts = {
        "s one.vcf.gz": vcf_text([f"chr1 {1 + place} . A G . . AF=0.001" for place in positions]),
        "high_anony_s one.vcf.gz": vcf_text(
            [f"chr1 {1 + place} . A . . . ." for place in positions], header=masked_header()
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(bgzf(text))
    assert _scanned(tmp_path) == (60_000, ())
    monkeypatch.setenv(process_bounds.MEMORY_VARIABLE, "100")
    n_records, (problem,) = _scanned(tmp_path)
    assert n_records is None
    told, _, commands = problem.partition("mkdir -p sorted; ")
    assert says(told, "high_anony_s one.vcf.gz: …not sorted by contig and position")
    monkeypatch.chdir(tmp_path)
    for command in commands.split("; "):
        program, *words = shlex.split(command)
        assert (program, words[0]) == ("bcftools", "sort")
        getattr(bcftools, words[0])(*words[1:], catch_stdout=False)
    assert _scanned(tmp_path / "sorted") == (60_000, ())


def _scanned(folder: Path) -> tuple[int | None, tuple[str, ...]]:
    (pair,) = pair_folders(folder, folder).pairs
    outcome = scan_apart(pair, SETTINGS, lambda _n_bytes: None)
    return outcome.scan and outcome.scan.n_original, outcome.problems


def test_reporter__tells_bytes_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    report = running._Reporter(told.append)
    report(1)
    assert told == []
    report(running.REPORTED_BYTES)
    assert told == [running.REPORTED_BYTES + 1]
    monkeypatch.setattr(running, "REPORTED_SECONDS", 0)
    report(5)
    assert told[1:] == [5]
