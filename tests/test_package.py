"""What `pip install .` gives: the wheel in an environment of its own, its command, and the dashboard."""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

from benchmarks.sessions import Session
from core import __version__
from tests.browser.conftest import TOKEN, free_port, stop_server, wait_until_healthy

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
BUILDERS = ("podman", "docker")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(folder), str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in a fresh environment, which finds the libraries, and nothing of this project, here."""
    place = tmp_path_factory.mktemp("venv")
    venv.create(place, with_pip=False)
    python = place / "bin/python"
    (site,) = place.glob("lib/*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([*command, str(wheel)], capture_output=True, check=True)
    return place / "bin/anonaudit"


def _run(program: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [str(program), *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_wheel__holds_what_the_program_reads_and_one_package(wheel: Path) -> None:
    assert wheel.name == f"anonaudit-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in names} == {"anonaudit"}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    tops = ("core", "pages", "locale", "static", "policies", "demo", "streamlit_app.py", ".streamlit")
    wanted = {name for name in tracked.stdout.splitlines() if name.partition("/")[0] in tops}
    assert names == {f"anonaudit/{name}" for name in (*wanted, "__init__.py", "__main__.py")}


def test_command__audits_reads_in_processes_and_names_itself(program: Path, tmp_path: Path) -> None:
    told = _run(program, "--help", cwd=tmp_path)
    assert (told.returncode, told.stdout.startswith("usage: anonaudit ")) == (0, True)
    assert _run(program, "--version", cwd=tmp_path).stdout == f"AnonAudit {__version__}\n"
    made = _run(program, "demo", "leakage", "files", "--name", "leaking", cwd=tmp_path)
    assert "anonaudit leakage survey.csv survey_leaking.csv" in made.stdout
    files = ["files/survey.csv", "files/survey_leaking.csv"]
    done = _run(program, "leakage", *files, "--report", "filed", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    (filed,) = tmp_path.glob("filed/anonaudit_leakage_*.json")
    repeated = _run(program, "verify", str(filed), "files", cwd=tmp_path)
    assert repeated.returncode == 0, repeated.stdout
    here = [sys.executable, "-m", "core", "verify", str(filed), str(tmp_path / "files")]
    assert subprocess.run(here, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert _run(program, "risk", "absent.csv", cwd=tmp_path).returncode == 2
    refused = _run(program, "serve", "--port", "70000", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (2, "error: --port must be a number from 1 to 65535.\n")


def test_serve__answers_with_the_page(program: Path, tmp_path: Path) -> None:
    port = free_port()
    with (tmp_path / "log.txt").open("wb") as log:
        server = subprocess.Popen(
            [str(program), "serve", "--port", str(port)],
            cwd=tmp_path,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "ANONAUDIT_TOKEN": TOKEN},
        )
    try:
        address = wait_until_healthy(server, port, tmp_path / "log.txt")
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(address, timeout=20)
        session = Session(address, "risk", token=TOKEN)
        session.upload("table to be released", {"people.csv": b"age,sex\n" + b"30,F\n40,M\n" * 50})
        assert "download_button" in session.text
    finally:
        stop_server(server)
    assert [path.name for path in tmp_path.iterdir()] == ["log.txt"]


def _works(builder: str) -> bool:
    found = shutil.which(builder)
    return bool(found) and not subprocess.run([builder, "info"], check=False, capture_output=True).returncode


def test_container__is_built_and_serves() -> None:
    builder = next(filter(_works, BUILDERS), None)
    if builder is None:
        pytest.skip("neither podman nor docker can build here")
    name, port = f"anonaudit-test-{os.getpid()}", free_port()
    build = [builder, "build", "--quiet", "--file", "deploy/Containerfile", "--tag", name, "."]
    subprocess.run(build, cwd=ROOT, check=True)
    options = ["--rm", "--detach", "--read-only", "--tmpfs", "/tmp", "--cap-drop=all"]  # noqa: S108 - of the container
    start = [builder, "run", *options, "--name", name, "--publish", f"127.0.0.1:{port}:8501", name]
    subprocess.run(start, check=True, capture_output=True)
    try:
        for _ in range(300):
            try:
                health = urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5).read()
                break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
        assert health == b"ok"
    finally:
        subprocess.run([builder, "stop", name], check=False, capture_output=True)
        subprocess.run([builder, "rmi", "--force", name], check=False, capture_output=True)
