"""Batches on a Dask cluster of two worker processes: the same results, whatever is lost on the way."""

import io
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import build_parser, main
from core.cluster import Scheduler, Task, digest_of, settings_digest, stamps
from core.cluster import running as running_of
from core.cluster import tasks as tasks_of
from core.commands import tabular as tabular_command
from core.commands import vcf as vcf_command
from core.commands.audit import asked_by
from core.processes.packing import packed, unpacked_bytes
from core.tabular import FilePair
from core.tabular.measured_pair import measure_pair as measure_tables
from core.vcf import MeasuredPair, VcfPair, VcfSettings, measure_pair
from core.vcf.pairing import file_at
from core.words import text_of
from tests.kinds import Patch
from tests.saying import Saying
from tests.vcf_files import bgzf, masked_header, vcf_text

ROOT = Path(__file__).parents[2]
N_PAIRS = 12
SECRET = "Kralj-Matjaž-7731"  # noqa: S105 - a cell that must not travel
CLUSTER = """
import sys, time
import dask
from distributed import LocalCluster
if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    print(cluster.scheduler_address, *(one.pid for one in cluster.workers.values()), flush=True)
    sys.stdin.read()
"""


class Cluster:
    """A scheduler with two workers, in processes of their own."""

    def __init__(self, folder: Path, python_path: str = str(ROOT)) -> None:
        script = folder / "cluster.py"
        script.write_text(CLUSTER, encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": python_path},
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.address, *pids = self.process.stdout.readline().decode().split()
        self.workers = list(map(int, pids))

    def end(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    yield started
    started.end()


AtFirst = Callable[[Callable[[], object]], None]


@pytest.fixture(scope="module")
def genomes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs of genome files, one of them damaged."""
    folder = tmp_path_factory.mktemp("genomes")
    for number in range(N_PAIRS):
        at = range(100 + number, 140 + number)
        lines = [f"chr1 {place} . A G . . AF=0.001;NOTE=x{SECRET}" for place in at]
        masked = [f"chr1 {place} . A . . . ." for place in at[: 40 - number % 3]]
        (folder / f"s{number:02}.vcf.gz").write_bytes(bgzf(vcf_text(lines)))
        text = vcf_text(masked, header=masked_header())
        (folder / f"high_anony_s{number:02}.vcf.gz").write_bytes(bgzf(text) if number != 5 else b"")
    return folder


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    _call("demo", "tabular", str(folder))
    return folder


@pytest.fixture(scope="module")
def alone(genomes: Path, tables: Path) -> dict[str, tuple[int, dict[str, Any]]]:
    """What this machine gives without a cluster."""
    return {"vcf": _vcf(genomes)[:2], "tabular": _tabular(tables)[:2]}


def _call(*words: str) -> tuple[int, str, str]:
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        code = main(list(words))
    return code, out.getvalue(), error.getvalue()


def _vcf(folder: Path, *more: str) -> tuple[int, dict[str, Any], str]:
    return _document("pairs", "vcf", "-o", str(folder), "-a", str(folder), "--json", *more)


def _tabular(folder: Path, *more: str) -> tuple[int, dict[str, Any], str]:
    return _document("files", "tabular", str(folder), "--json", "--evidence", "masked", *more)


def _document(key: str, *words: str) -> tuple[int, dict[str, Any], str]:
    """Return the exit code, the document without times, and what was told."""
    code, out, error = _call(*words)
    assert out, error
    document = json.loads(out)
    for each in document[key]:
        assert each.pop("seconds") >= 0
    for each in ("created_at", "digests"):
        del document[each]
    return code, document, error


def _problem(*words: str) -> str:
    code, out, error = _call(*words)
    assert (code, out) == (2, "")
    return error.splitlines()[-1].removeprefix("error: ")


@pytest.fixture
def at_first_result(monkeypatch: Patch) -> AtFirst:
    """Do something once a worker has answered for the first time."""

    def arrange(what: Callable[[], object]) -> None:
        answer, did = Scheduler._answer, []

        def answered(self: Scheduler, task: Task, future: Any) -> Any:
            found = answer(self, task, future)
            did.extend([] if did else [what()])
            return found

        monkeypatch.setattr(Scheduler, "_answer", answered)

    return arrange


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["vcf", "tabular"])
def test_cluster__gives_what_one_machine_gives(
    tool: str, cluster: Cluster, request: pytest.FixtureRequest, alone: dict[str, Any], tmp_path: Path
) -> None:
    audit, folder = {"vcf": (_vcf, "genomes"), "tabular": (_tabular, "tables")}[tool]
    folder = request.getfixturevalue(folder)
    there = audit(folder, "--scheduler", cluster.address, "--report", str(tmp_path))
    assert there[:2] == alone[tool]
    assert "Pairs done: " in there[2]
    reports = sorted(tmp_path.glob("*.json"))
    assert len(reports) == 1
    for further in ((), ("--scheduler", cluster.address)):
        again = audit(folder, "--report", str(tmp_path), "--resume", *further)
        assert again[:2] == alone[tool]
    digests = {path.stem.rpartition("_")[2] for path in tmp_path.glob("*.json")}
    assert len(digests) == 1  # of the whole report, times left out
    for kept in (tmp_path / "pairs").iterdir():
        assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_cluster__a_worker_that_is_killed_changes_nothing(
    cluster: Cluster, genomes: Path, alone: dict[str, Any], at_first_result: AtFirst
) -> None:
    at_first_result(lambda: os.kill(cluster.workers[0], signal.SIGKILL))
    assert _vcf(genomes, "--scheduler", cluster.address)[:2] == alone["vcf"]
    with pytest.raises(ProcessLookupError):
        os.kill(cluster.workers[0], 0)


@pytest.mark.slow
def test_cluster__a_pair_that_ends_its_workers_is_one_error(cluster: Cluster, genomes: Path) -> None:
    work = [_task(genomes, number) for number in range(3)]
    work[1] = replace(work[1], measure=partial(os._exit, 1))
    scheduler = Scheduler(cluster.address)
    answers = dict(scheduler.answers(work, lambda _n_workers: None))
    scheduler.close()
    assert [bool(answers[number].data) for number in range(3)] == [True, False, True]
    (problem,) = map(text_of, answers[1].problems)
    assert problem.startswith("high_anony_s01.vcf.gz: every process that worked on this pair was lost")


def _task(folder: Path, number: int) -> Task:
    original, anonymized = folder / f"s{number:02}.vcf.gz", folder / f"high_anony_s{number:02}.vcf.gz"
    pair = VcfPair(original=file_at(original), anonymized=file_at(anonymized), level="high")
    return Task(
        name=anonymized.name,
        files=stamps([original, anonymized]),
        settings=settings_digest(VcfSettings()),
        measure=partial(measure_pair, pair, VcfSettings(), looks_for_donors=False, panel=None),
    )


@pytest.mark.slow
def test_cluster__a_scheduler_that_goes_away_leaves_what_is_done(
    genomes: Path, alone: dict[str, Any], tmp_path: Path, at_first_result: AtFirst
) -> None:
    started, reports = Cluster(tmp_path), tmp_path / "reports"
    at_first_result(lambda: os.kill(started.process.pid, signal.SIGKILL))
    code, document, told = _vcf(genomes, "--scheduler", started.address, "--report", str(reports))
    started.end()
    n_kept = len(list((reports / "pairs").iterdir()))
    assert code == 2
    assert document["verdict"] in ("NOT_ASSESSED", "FAIL")  # whichever pairs were done first
    assert 1 <= n_kept < N_PAIRS - 1
    assert len(document["pairs"]) == n_kept
    assert f"The scheduler {started.address} went away before all pairs were done." in told
    assert "not done, because the scheduler went away." in document["errors"][-1]["message"]
    assert _vcf(genomes, "--report", str(reports), "--resume")[:2] == alone["vcf"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])  # SIGTERM ends it as SIGKILL does
def test_cluster__a_run_that_is_ended_leaves_no_report_and_can_be_continued(
    how: int, cluster: Cluster, tables: Path, alone: dict[str, Any], tmp_path: Path
) -> None:
    more = ["--scheduler", cluster.address, "--report", str(tmp_path)]
    words, pipe = [sys.executable, "-m", "core", "tabular", str(tables), *more], subprocess.PIPE
    run = subprocess.Popen(words, cwd=ROOT, stderr=pipe, stdout=pipe, text=True)
    assert run.stderr is not None
    assert run.stderr.readline().startswith("Pairs done: ")
    run.send_signal(how)
    _, told = run.communicate(timeout=60)
    said = [line for line in told.splitlines() if not line.startswith("Pairs done: ")]
    is_stop = how == signal.SIGINT
    assert run.returncode == (130 if is_stop else -how)
    assert said == (["error: Stopped before the end; nothing was judged."] if is_stop else [])
    assert {each.name for each in tmp_path.iterdir()} <= {"pairs"}
    assert _tabular(tables, *more, "--resume")[:2] == alone["tabular"]


def _refused(genomes: Path, address: str) -> str:
    return _problem("vcf", "-o", str(genomes), "-a", str(genomes), "--scheduler", address)


@pytest.mark.slow
def test_cluster__refuses_workers_of_another_copy_or_disk_or_that_cannot_load_it_in_a_sentence(
    cluster: Cluster, genomes: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    for module in (tasks_of, running_of):
        monkeypatch.setattr(module, "build", lambda: "AnonAudit 0.0 abc, Python 3.99")
    said = Saying("--scheduler: AnonAudit …and AnonAudit 0.0 abc, Python 3.99 here.…")
    assert _refused(genomes, cluster.address) == said
    monkeypatch.undo()
    own_stamps = tasks_of.stamps
    monkeypatch.setattr(vcf_command, "stamps", lambda paths: [replace_size(one) for one in own_stamps(paths)])
    said = Saying("--scheduler: the worker tcp://… does not see s00.vcf.gz as this machine does.…")
    assert _refused(genomes, cluster.address) == said
    monkeypatch.undo()
    started = Cluster(tmp_path, python_path="")
    problem = _refused(genomes, started.address)
    started.end()
    assert problem.startswith(f"--scheduler: a worker of {started.address} cannot load AnonAudit.")


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nobody", "odd://x"])
def test_scheduler__that_does_not_answer_is_a_sentence(address: str, genomes: Path) -> None:
    said = f"--scheduler: nothing answers at {address} as a Dask scheduler."
    assert _refused(genomes, address).startswith(said)


def replace_size(stamp: tasks_of.Stamp) -> tasks_of.Stamp:
    return stamp._replace(n_bytes=stamp.n_bytes + 1)


def test_do__tells_a_worker_of_another_copy_or_disk_that_came_later(genomes: Path) -> None:
    task = _task(genomes, 0)
    answers = [
        tasks_of.do(task, "AnonAudit 0.0"),
        tasks_of.do(replace(task, files=tuple(map(replace_size, task.files))), tasks_of.build()),
        tasks_of.do(replace(task, measure=_runs_out), tasks_of.build()),
    ]
    host = platform.node()
    problems = [str(text_of(problem)) for answer in answers for problem in answer.problems]
    assert [problem.partition(". ")[0] for problem in problems] == [
        "high_anony_s00.vcf.gz: the worker has another AnonAudit or Python than this machine",
        f"high_anony_s00.vcf.gz: the worker on {host} does not see s00.vcf.gz as this machine does",
        "high_anony_s00.vcf.gz: the pair takes more memory than the process may have",
    ]


def _runs_out() -> Any:
    raise MemoryError


@pytest.mark.slow
def test_do__sends_no_cell(genomes: Path, tables: Path) -> None:
    answer = tasks_of.do(_task(genomes, 0), tasks_of.build())
    assert answer.data
    found = unpacked_bytes(MeasuredPair, answer.data)
    assert (found.scan.n_original, found.scan.n_anonymized) == (40, 40)
    assert SECRET.encode() not in packed(found)[0].column(0)[0].as_py()
    pair = [tables / f"patients{ending}" for ending in (".csv", "_anonymized.csv", "_anonymized_log.json")]
    words = ["tabular", str(tables), "--evidence", "masked"]
    arguments = asked_by(build_parser(words).parse_args(words))
    names = FilePair(original=str(pair[0]), anonymized=str(pair[1]), log=str(pair[2]))
    (sent,) = packed(measure_tables(names, tabular_command._limits(arguments)))
    whole = b"".join(repr(column.to_pylist()).encode() for column in sent.columns)
    _, *records = pair[0].read_text(encoding="utf-8").splitlines()
    cells = {cell for record in records for cell in record.split(",") if len(cell) > 5}
    assert len(cells) > 100
    assert {cell for cell in cells if cell.encode() in whole} == set()


@pytest.mark.slow
def test_resume__does_again_what_was_changed(genomes: Path, tmp_path: Path) -> None:
    folder, reports = tmp_path / "genomes", tmp_path / "reports"
    shutil.copytree(genomes, folder)
    _vcf(folder, "--report", str(reports))
    first = {path.name for path in (reports / "pairs").iterdir()}
    assert len(first) == N_PAIRS - 1  # what ended in an error is not kept
    text = vcf_text(["chr1 100 . A . . . ."], header=masked_header())
    (folder / "high_anony_s03.vcf.gz").write_bytes(bgzf(text))
    changed = _vcf(folder)
    assert _vcf(folder, "--report", str(reports), "--resume")[:2] == changed[:2]
    second = {path.name for path in (reports / "pairs").iterdir()} - first
    assert len(second) == 1
    with_setting = _vcf(folder, "--maf", "0.3")
    assert _vcf(folder, "--maf", "0.3", "--report", str(reports), "--resume")[:2] == with_setting[:2]
    third = {path.name for path in (reports / "pairs").iterdir()} - first - second
    assert len(third) == N_PAIRS - 1
    for path in (reports / "pairs").iterdir():  # cut short, or changed by hand
        path.write_bytes(path.read_bytes()[:-40])
    assert _vcf(folder, "--report", str(reports), "--resume")[:2] == changed[:2]


def test_resume__takes_nothing_that_was_measured_by_another_version(
    genomes: Path, monkeypatch: Patch
) -> None:
    task = _task(genomes, 0)
    before = digest_of(task)
    assert digest_of(task) == before
    monkeypatch.setattr(tasks_of, "build", lambda: "another")
    assert digest_of(task) != before


@pytest.mark.slow
def test_resume__refuses_the_folder_of_another_run_or_one_that_cannot_be_written_in_a_sentence(
    genomes: Path, tables: Path, tmp_path: Path
) -> None:
    pairs, file = tmp_path / "other", tmp_path / "file"
    file.mkdir()
    (file / "pairs").write_text("", encoding="utf-8")
    _tabular(tables, "--report", str(pairs))
    words = ("vcf", "-o", str(genomes), "-a", str(genomes))
    of_other = _problem(*words, "--resume", "--report", str(pairs))
    assert of_other.startswith(f"--resume: {pairs} holds the pairs of")
    assert _problem(*words, "--resume").startswith("--resume continues what is in the folder of --report.")
    assert f"cannot be kept in {file / 'pairs'}: File exists." in _problem(*words, "--report", str(file))


def test_settings_digest__is_the_same_in_every_process() -> None:
    given = ({"b": 1, "a": frozenset({"x", "y"})}, VcfSettings(), Path("a"))
    program = (
        "from pathlib import Path\nfrom core.cluster import settings_digest\n"
        "from core.vcf import VcfSettings\n"
        "print(settings_digest({'a': frozenset({'y', 'x'}), 'b': 1}, VcfSettings(), Path('a')))"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == settings_digest(*given)
    assert settings_digest(VcfSettings(maf_threshold=0.3)) != settings_digest(VcfSettings())
