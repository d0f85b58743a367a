"""A script ends soon after it is no longer wanted, whatever it is computing.

Streamlit looks at what the person did since only between two elements. A measurement of a minute would
go on after "Stop", "Delete my data" and the closing of its tab.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from core.processes.jobs import Interruptible, Interruption
from core.web.streamlit_internals import ScriptRequests, ScriptRequestType, get_script_run_ctx

LOOK_SECONDS = 0.25
IDLE_LOOKS = 40  # without a script, after which the watch ends
GRACE_SECONDS = 0.5  # in which Streamlit ends a script itself, at its next element


class _Running(Interruptible):
    """A script that runs, and whether it is wanted."""

    def __init__(self, is_unwanted: Callable[[], bool]) -> None:
        super().__init__(threading.current_thread())
        self._is_unwanted = is_unwanted
        self._unwanted_since: float | None = None

    def look(self) -> None:
        """Interrupt the script where it has been unwanted for a while."""
        if not self._is_unwanted():
            self._unwanted_since = None
            return
        now = time.monotonic()
        self._unwanted_since = self._unwanted_since or now
        if now - self._unwanted_since >= GRACE_SECONDS:
            self.interrupt()


class _Watch:
    """One thread that looks at all scripts that run, until none has for a while.

    While it may be interrupted, a script takes no lock that is written in Python, as a condition is:
    interrupted inside, it would keep it.
    """

    def __init__(self) -> None:
        self._running: set[_Running] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, script: _Running) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._look, name="anonaudit-watch", daemon=True)
                self._thread.start()
            self._running.add(script)

    def remove(self, script: _Running) -> None:
        self._running.discard(script)

    def _look(self) -> None:
        n_idle = 0
        while n_idle < IDLE_LOOKS or not self._is_over():
            time.sleep(LOOK_SECONDS)
            n_idle = 0 if self._look_at_all() else n_idle + 1

    def _look_at_all(self) -> int:
        """Look at each; return how many run. None is held between two looks."""
        running = list(self._running)
        for script in running:
            script.look()
        return len(running)

    def _is_over(self) -> bool:
        """Let the thread end where nothing runs."""
        with self._lock:
            if not self._running:
                self._thread = None
            return self._thread is None


_WATCH = _Watch()


@contextmanager
def interruptible() -> Iterator[None]:
    """Run a script's work so that it ends within about a second after it is no longer wanted."""
    context = get_script_run_ctx()
    requests = context.script_requests if context is not None else None
    if requests is None:
        yield
        return
    script = _Running(lambda: _is_unwanted(requests))
    _WATCH.add(script)
    try:
        yield
    except Interruption:
        _end(script)
        st.empty()  # here Streamlit ends the script, or begins the next
        st.stop()
    finally:
        _end(script)


def _end(script: _Running) -> None:
    script.end()
    _WATCH.remove(script)


def _is_unwanted(requests: ScriptRequests) -> bool:
    """Return whether the person stopped the script, closed its tab or did what makes it begin anew."""
    if requests._state is ScriptRequestType.STOP:
        return True
    pending = requests._rerun_data
    return requests._state is ScriptRequestType.RERUN and not pending.fragment_id_queue
