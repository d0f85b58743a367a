"""What deploy/Containerfile says holds, as far as that can be seen without a container engine."""

import ast
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from benchmarks.sessions import Session
from core.demo import FOLDER
from tests.browser.conftest import TOKEN, free_port, start_server, stop_server

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "deploy/Containerfile").read_text(encoding="utf-8").splitlines()
COPIES = [line.split()[1:] for line in LINES if line.startswith("COPY ") and "--from" not in line]


def _words(instruction: str) -> list[str]:
    (line,) = [line for line in LINES if line.startswith(f"{instruction} [")]
    words: list[str] = ast.literal_eval(line.removeprefix(instruction))
    return words


def _names(lines: list[str]) -> set[str]:
    found = (re.match(r"[\w.-]+(?=\W*[=<>])|[\w.-]+(?=\[)", line) for line in lines)
    return {each[0].lower().replace("_", "-") for each in found if each}


def test_container__copies_only_what_is_there() -> None:
    assert {FOLDER.name, "core", "pages", "locale", "policies"} <= {source for source, _ in COPIES}
    assert [source for source, _ in COPIES if not (ROOT / source).exists()] == []


def test_container__is_given_what_it_copies() -> None:
    ignored, *given = (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines()
    assert ignored == "*"
    let_through = {each.removeprefix("!") for each in given if each.startswith("!")}
    copied = [source for source, _ in COPIES]
    within = {each for each in let_through if any(each.startswith(f"{source}/") for source in copied)}
    assert {*copied} - {each.partition("/")[0] for each in within} <= let_through
    assert let_through - within <= {*copied}


def test_container__installs_every_requirement_by_its_hash() -> None:
    assert any("--require-hashes -r /requirements.lock" in line for line in LINES)
    lock = (ROOT / "deploy/requirements.lock").read_text(encoding="utf-8")
    locked = re.findall(r"^\S+==.*?(?=^\S|\Z)", lock, re.MULTILINE | re.DOTALL)
    assert all("--hash=sha256:" in each for each in locked)
    wanted = _names((ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines())
    assert wanted <= _names(locked)
    bases = {line.split()[1] for line in LINES if line.startswith("FROM ")}
    assert bases == {f"docker.io/library/python:{sys.version_info[0]}.{sys.version_info[1]}-slim"}


def test_lock__is_what_requirements_ask_for() -> None:
    """Who changes requirements.txt makes the lock file anew: `make inventory`."""
    lock = (ROOT / "deploy/requirements.lock").read_text(encoding="utf-8")
    locked = {
        canonicalize_name(name): Version(version)
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE)
    }
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    asked = [Requirement(line.partition("#")[0]) for line in lines if line.partition("#")[0].strip()]
    needed: set[str] = set()
    while asked:
        each = asked.pop()
        name = canonicalize_name(each.name)
        assert name in locked, f"{name} is asked for and not locked"
        assert locked[name] in each.specifier, f"{name} is locked as {locked[name]}, not {each.specifier}"
        if f"{name}{sorted(each.extras)}" in needed:
            continue
        needed |= {name, f"{name}{sorted(each.extras)}"}
        further = map(Requirement, metadata.requires(name) or ())
        extras = [{"extra": extra} for extra in ("", *each.extras)]
        asked += [one for one in further if one.marker is None or any(map(one.marker.evaluate, extras))]
    assert {*locked} - needed == set(), "locked, and nobody asks for it"


def test_container__runs_without_rights() -> None:
    (user,) = [line.split()[1] for line in LINES if line.startswith("USER ")]
    assert all(int(each) >= 1000 for each in user.split(":"))
    assert any("podman build --format docker" in line for line in LINES), "podman drops the health check else"
    for option in ("--read-only", "--cap-drop=all", "no-new-privileges", "--ulimit core=0"):
        assert any(option in line for line in LINES if line.startswith("#")), option


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_container__serves_from_what_it_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "app"
    for source, target in COPIES:
        if target.startswith("/app"):
            copied = tmp_path / target[1:]
            (copied if target.endswith("/") else copied.parent).mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, copied)
    before = sorted(path for path in place.rglob("*") if "__pycache__" not in path.parts)
    program, *command = _words("CMD")
    assert program == "/venv/bin/streamlit"
    monkeypatch.setattr("tests.browser.conftest.ROOT", place)
    port = free_port()
    assert command[:2] == ["run", "streamlit_app.py"]
    server, address = start_server(
        tmp_path / "log.txt", *command[2:], port=port, HOME=str(tmp_path), PYTHONDONTWRITEBYTECODE="1"
    )
    try:
        healthy = _words("HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD")
        assert healthy[0] == "/venv/bin/python"
        check = [sys.executable, *(each.replace("8501", str(port)) for each in healthy[1:])]
        assert subprocess.run(check, check=False, timeout=60).returncode == 0
        session = Session(address, "risk", token=TOKEN)
        session.upload("table to be released", {"people.csv": b"age,sex\n" + b"30,F\n40,M\n" * 50})
        assert "download_button" in session.text
    finally:
        stop_server(server)
    assert sorted(path for path in place.rglob("*") if "__pycache__" not in path.parts) == before
    check_gone = subprocess.run(check, check=False, timeout=60, stderr=subprocess.DEVNULL)
    assert check_gone.returncode != 0, "it would be healthy without a server"
