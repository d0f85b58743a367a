"""How much one session may upload: what is on its way, what no page has taken yet, and what it holds."""

from collections import Counter

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.caching import n_bytes_held, refuse_upload
from core.streamlit_internals import runtime
from core.turns import turns
from pages.components.access import session_of_upload


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
