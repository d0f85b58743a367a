"""A trail of the audits made: when, with which tool, how many files, which verdict; no name, no value."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.caching import vault
from core.verdict import Verdict, worst

FILE_VARIABLE = "ANONAUDIT_TRAIL"
_WRITTEN = "trail_of_audits"


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
            if (key := (tool, identity, worst(run.verdicts))) not in known:
                known.add(key)
                _write(path, tool, key[2])


def _write(path: str, tool: str, verdict: Verdict) -> None:
    context = get_script_run_ctx()
    session = context.session_id if context is not None else ""
    line = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "tool": tool,
        "session": sha256(session.encode()).hexdigest()[:16],
        "n_files": vault().n_files,
        "verdict": verdict.value,
    }
    with open(path, "a", encoding="utf-8", opener=_only_ours) as file:
        file.write(json.dumps(line) + "\n")


def _only_ours(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
