"""A session ends with its tab: what it held goes back to the system, and nothing of it stays in memory."""

import asyncio
import ctypes
import gc
import os
import secrets
import sys
import threading
from contextlib import suppress
from itertools import product

import numpy as np
import pyarrow as pa
import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.web.streamlit_internals import AppSession, ForwardMsg, SessionClient, runtime

_TAB_CLOSED = (1000, 1001)  # said by the browser; a connection that was lost says nothing, or something else
_CONNECTION = "x-anonaudit-connection"
_CLEANING_AFTER_SECONDS = (0.5, 1.8)  # a script that runs ends within a second and a half
_LARGEST_KEPT, _N_KEPT = 1024, 7  # bytes, and blocks
_LOOK_SECONDS = 0.2  # in which Streamlit's loop looks at every session
_OVERWRITING = {
    "PYTHONMALLOC": "malloc",  # small objects too come from the C library, and Arrow's
    "GLIBC_TUNABLES": "glibc.malloc.perturb=255:glibc.malloc.tcache_count=0"
    ":glibc.malloc.mmap_threshold=16777216",  # large arrays go back to the system once they are freed
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


class Ending:
    """Close a session when its tab is closed, and a lost one when it may come back no more.

    Streamlit keeps both until another session ends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        name = secrets.token_hex()
        ended: list[AppSession] = []
        wait = 0

        async def hear() -> Message:
            message = await receive()
            nonlocal wait
            if message["type"] == "websocket.disconnect" and (session := _session_of(name)) is not None:
                ended.append(session)
                if message.get("code") in _TAB_CLOSED:
                    runtime.get_instance().mark_session_nonresumable(session.id)
                else:
                    wait = st.get_option("server.disconnectedSessionTTL")
            return message

        headers = [*scope["headers"], (_CONNECTION.encode(), name.encode())]
        await self._app({**scope, "headers": headers}, hear, send)
        for session, seconds in product(ended, _CLEANING_AFTER_SECONDS):
            asyncio.get_running_loop().call_later(wait + seconds, _end, session)
        ended.clear()


class _Nobody(SessionClient):
    """Whom an empty session belongs to."""

    client_context = None

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Send nothing."""


def _session_of(connection: str) -> AppSession | None:
    for info in runtime.get_instance()._session_mgr.list_active_sessions():
        context = info.client.client_context if info.client is not None else None
        if context is not None and (_CONNECTION, connection) in context.headers:
            return info.session
    return None


def _end(session: AppSession) -> None:
    """Forget a session that did not come back.

    Streamlit's loop holds on to the session it looked at last, and to what it sent it: an empty one takes
    its place.
    """
    server = runtime.get_instance()
    if server.is_active_session(session.id):
        return
    server.close_session(session.id)
    empty = server.connect_session(client=_Nobody(), user_info={})
    server._enqueued_some_message()
    asyncio.get_running_loop().call_later(_LOOK_SECONDS, _clean, empty)


def _clean(empty: str) -> None:
    runtime.get_instance().close_session(empty)
    threading.Thread(target=_collect, name="anonaudit-memory", daemon=True).start()


def _collect() -> None:
    """Give what nobody uses back to the system, and write over the small blocks that NumPy keeps."""
    gc.collect()
    for size in range(_LARGEST_KEPT):  # it keeps seven freed ones of each size, with what stood in them
        _ = [np.zeros(size, np.uint8) for _ in range(_N_KEPT)]
    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def overwrite_freed_memory() -> None:
    """Let what is freed be overwritten, where the system's C library can; call it before anything is served.

    That is told to a program before it starts, so this one starts anew.
    """
    if sys.platform != "linux":
        return
    if not _OVERWRITING.items() <= os.environ.items():
        os.closerange(3, 1 << 12)  # the server's socket too, which is opened again
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **_OVERWRITING})  # noqa: S606 - this very command
