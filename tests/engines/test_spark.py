"""Tables in Spark are audited as in memory, in a process of its own: Spark warns of pandas at every turn."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.engines import address_of, connected
from core.errors import AuditInputError
from tests.kinds import Patch

ROOT = Path(__file__).parents[2]
AUDITS = ("risk", "risk of a release", "releases", "leakage", "dataset")


@pytest.mark.slow
def test_audits__are_as_in_memory(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    if not shutil.which("java"):
        pytest.skip("Java is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.in_spark", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=550,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == {audit: [] for audit in AUDITS}


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_connected__java_missing_is_one_sentence(monkeypatch: Patch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with (
        pytest.raises(AuditInputError, match=r"^Spark needs Java, and there is none here\."),
        connected(address_of("spark:t")),
    ):
        pass
