"""A trail of the audits made: when, with which tool, how many files, which verdict; no name, no value."""

import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from errno import ENOSPC
from hashlib import sha256

import streamlit as st

from core.verdict import Verdict, worst
from core.web.caching import vault
from core.web.streamlit_internals import get_script_run_ctx

FILE_VARIABLE = "ANONAUDIT_TRAIL"
_WRITTEN = "trail_of_audits"
_ONE_AT_A_TIME = threading.Lock()
_LOG = logging.getLogger("anonaudit")


@dataclass
class _Run:
    """What one view of a page showed."""

    verdicts: list[Verdict] = field(default_factory=list)
    audits: list[tuple[str, str]] = field(default_factory=list)


_RUN: ContextVar[_Run | None] = ContextVar("_RUN", default=None)


def saw(verdict: Verdict) -> None:
    """Take note of a verdict that a page shows."""
    if (run := _RUN.get()) is not None:
        run.verdicts.append(verdict)


def audited(tool: str, identity: str) -> None:
    """Take note of an audit by a digest of its inputs and settings."""
    if (run := _RUN.get()) is not None:
        run.audits.append((tool, identity))


@contextmanager
def of_run() -> Iterator[None]:
    """Write a line for each audit that a view shows for the first time; nothing where no file is named."""
    path = os.environ.get(FILE_VARIABLE)
    if not path:
        yield
        return
    run = _Run()
    token = _RUN.set(run)
    try:
        yield
    finally:
        _RUN.reset(token)
        known = st.session_state.setdefault(_WRITTEN, set())
        for tool, identity in run.audits:
            if (key := (tool, identity, worst(run.verdicts))) not in known and _write(
                path, _line(tool, key[2])
            ):
                known.add(key)


def _line(tool: str, verdict: Verdict) -> str:
    context = get_script_run_ctx()
    session = context.session_id if context is not None else ""
    line = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "tool": tool,
        "session": sha256(session.encode()).hexdigest()[:16],
        "n_files": vault().n_files,
        "verdict": verdict.value,
    }
    return json.dumps(line) + "\n"


def check() -> None:
    """Say at the start if the trail cannot be written."""
    if path := os.environ.get(FILE_VARIABLE):
        _write(path, "")


def _write(path: str, line: str) -> bool:
    """Write a whole line or nothing; say in the log why it could not be, and return whether it was."""
    try:
        with _ONE_AT_A_TIME, open(path, "ab", buffering=0, opener=_only_ours) as file:
            end = os.fstat(file.fileno()).st_size
            if (file.write(line.encode()) or 0) < len(line):
                file.truncate(end)
                raise OSError(ENOSPC, os.strerror(ENOSPC))
    except OSError as error:
        _LOG.error("the trail of audits %s cannot be written: %s", path, error.strerror)
        return False
    return True


def _only_ours(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
