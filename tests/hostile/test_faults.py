"""A command that is ended leaves its input as it was and nothing half written; the next one works."""

import hashlib
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DELAYS = (0.15, 0.3, 0.6, 0.9, 1.2)  # while modules are loaded, the table is read, it is measured


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(1)  # noqa: S311 - repeatable, not secret
    rows = [f"{draw.randrange(20, 90)},{draw.choice('FM')},t{draw.randrange(9_000)}" for _ in range(300_000)]
    path = tmp_path_factory.mktemp("faults") / "people.csv"
    path.write_text("\n".join(["age,sex,town", *rows]), encoding="utf-8")
    return path


def _command(table: Path, report: Path) -> list[str]:
    columns = [part for name in ("age", "sex", "town") for part in ("--quasi-identifier", name)]
    return [sys.executable, "-m", "core", "risk", str(table), *columns, "--violations", str(report)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_command__ended_at_any_time_leaves_nothing_half_done(how: int, table: Path, tmp_path: Path) -> None:
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    whole = tmp_path / "whole.csv"
    done = subprocess.run(_command(table, whole), cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr
    ended = 0
    for number, delay in enumerate(DELAYS):
        report = tmp_path / f"{number}.csv"
        process = subprocess.Popen(
            _command(table, report), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        time.sleep(delay)
        process.send_signal(how)
        _, errors = process.communicate(timeout=120)
        assert not report.exists() or report.read_bytes() == whole.read_bytes()
        if process.returncode not in (0, 1):  # it was not done before
            ended += 1
            stopped = how == signal.SIGINT
            assert process.returncode == (130 if stopped else -how)
            assert errors == ("error: Stopped before the end; nothing was judged.\n" if stopped else "")
    assert ended >= 2
    assert hashlib.sha256(table.read_bytes()).hexdigest() == digest
    again = tmp_path / "again.csv"
    done = subprocess.run(_command(table, again), cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert again.read_bytes() == whole.read_bytes()
