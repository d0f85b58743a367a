"""How the dashboard is served: what a plain Streamlit server leaves open, closed before the first visitor.

How much one session may upload counts what is on its way, what no page has taken yet, and what it holds.
"""

import gc
import logging
import sys
import threading
import traceback
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import AuditInputError
from core.processes.bounded_process import prepare as load
from core.processes.queue import turns
from core.web.caching import clear_no_others_caches, keep_downloads, n_bytes_held, refuse_upload
from core.web.streamlit_internals import PagesManager, runtime
from pages.components import trail
from pages.components.access import Access, is_of_session, print_address, session_of_upload
from pages.components.ending import Ending

# The browser itself refuses to talk to any other host, whatever a column name or cell may contain.
# Vega compiles chart expressions, hence unsafe-eval; Streamlit styles its elements inline.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


class SecurityHeaders:
    """Add the security headers to every HTTP response; no download is kept. Web sockets pass untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_download = scope["type"] == "http" and is_of_session(HTTPConnection(scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", []), *SECURITY_HEADERS]
                if is_download:  # of one session: no browser, and no proxy, keeps it for the next
                    headers = [each for each in headers if each[0].lower() != b"cache-control"]
                    headers.append((b"cache-control", b"no-store"))
                message["headers"] = headers
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class OwnAddress:
    """Tell the browser where the server is: in the folder of the page's address.

    Streamlit 1.67 looks below the page's own path first, and the console of a direct link says "not found".
    """

    _TOLD = b'<script>window.__streamlit={BACKEND_BASE_URL:new URL(".",location.href).href}</script></head>'

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a page is sent unpacked, once it was written into."""
        is_page = scope["type"] == "http" and not is_of_session(HTTPConnection(scope))
        if not is_page or "text/html" not in HTTPConnection(scope).headers.get("accept", ""):
            await self._app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def send_told(message: Message) -> None:
            nonlocal start, body
            headers = MutableHeaders(scope=message) if "headers" in message else {}
            if "text/html" in headers.get("content-type", ""):
                start = message
            elif not start:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    body = body.replace(b"</head>", self._TOLD, 1)
                    MutableHeaders(scope=start)["content-length"] = str(len(body))
                    await send(start)
                    await send({"type": "http.response.body", "body": body})

        unpacked = [each for each in scope["headers"] if each[0] != b"accept-encoding"]
        await self._app({**scope, "headers": unpacked}, receive, send_told)


class Quota:
    """Keep nothing of an upload that would take a session over its quota; its page says so."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        session = session_of_upload(HTTPConnection(scope)) if scope.get("method") == "PUT" else None
        if session is None:
            await self._app(scope, receive, send)
            return
        stated = HTTPConnection(scope).headers.get("content-length", "")
        if not stated.isdecimal():
            await Response(status_code=411)(scope, receive, send)
            return
        self._arriving[session] += int(stated)
        held = n_bytes_held(session, runtime.get_instance().uploaded_file_mgr) + self._arriving[session]
        try:
            if held <= turns().limits.quota:
                await self._app(scope, receive, send)
                return
            while (await receive()).get("more_body"):
                pass  # a browser that is answered before it has sent all says "network error"
        finally:
            self._arriving[session] -= int(stated)
            self._arriving += Counter()  # forgets sessions of which nothing arrives
        refuse_upload(session)
        await Response(status_code=204)(scope, receive, send)


def where_it_happened(error: BaseException) -> str:
    """Return an error's type and the lines of code that led to it, without its message.

    A library's message may quote a cell; a log outlives the session that the cell belongs to.
    """
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    return f"{type(error).__name__} (message left out, it may quote data)\n{''.join(frames)}"


def leave_out_messages(record: logging.LogRecord) -> bool:
    """Take the message of an unexpected error out of a log record; used as a logging filter."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        record.msg = f"{record.getMessage()}: {where_it_happened(error)}"
        record.args, record.exc_info, record.exc_text = (), None, None
    return True


def _log_thread_error(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None:
        logging.getLogger("anonaudit").error("Work beside a page: %s", where_it_happened(failed.exc_value))


def check_limits() -> None:
    """End with a sentence where the operator's limits cannot be read."""
    try:
        turns()
    except AuditInputError as error:
        sys.exit(f"error: {error}")


@asynccontextmanager
async def prepare(_app: object) -> AsyncIterator[None]:
    """Set what has to be set before the first visitor.

    Streamlit 1.67 takes a folder named ``pages/`` for its old kind of navigation until somebody ran
    ``st.navigation``, and greets a deep link with "Page not found" until then. An upload of more
    than 1 MB would pass through a temporary file; ours stay in memory. And an unexpected error would
    be logged with its message. The process that reads workbooks starts with the server. And what a slider
    moves would wait 5 ms for each thread at heavy work, whenever it goes on.

    After every script Streamlit looks for garbage among all that was ever loaded, and serves nobody else for
    a fifth of a second: what the pages need is loaded here, and left out of that.
    """
    from pages.components import results  # noqa: F401, PLC0415 - and with it what draws and what writes reports

    gc.collect()
    gc.freeze()
    sys.setswitchinterval(0.0005)
    load("core.tables.reading", "core.vcf.running")
    clear_no_others_caches()
    keep_downloads(runtime.get_instance().media_file_mgr)
    logging.getLogger("streamlit.error_util").addFilter(leave_out_messages)
    threading.excepthook = _log_thread_error
    PagesManager.uses_pages_directory = False
    MultiPartParser.spool_max_size = st.get_option("server.maxUploadSize") * 1024 * 1024
    trail.check()
    print_address()
    yield


MIDDLEWARE = tuple(Middleware(each) for each in (SecurityHeaders, Access, OwnAddress, Quota, Ending))
