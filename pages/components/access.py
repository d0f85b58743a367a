"""Who may use the dashboard: a token in the printed address, or a sign-in; what may be opened by path."""

import hmac
import os
import secrets
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import streamlit as st
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import AuditInputError
from core.web.caching import owners_of
from core.web.streamlit_internals import (
    USER_COOKIE_NAME,
    MediaFileKind,
    MemoryFile,
    _get_signed_cookie_with_chunks,
    get_display_address,
    get_secrets_auth_section,
    get_url,
    is_host_allowed,
    runtime,
)
from core.words import own, say, speaking
from pages.components.text import plain

TOKEN_VARIABLE = "ANONAUDIT_TOKEN"  # noqa: S105 - the name of a variable
FOLDERS_VARIABLE = "ANONAUDIT_FOLDERS"
OFF = "off"
_SHORTEST, _FEWEST_LETTERS = 16, 6  # of a token that somebody chose
_FOR_PROBES, _UPLOADS, _DOWNLOADS = "_stcore/health", "_stcore/upload_file/", "media/"
_BRINGS_TOKEN = "token"  # noqa: S105 - no refusal
NOT_INVITED = (
    "Open the address that the dashboard printed when it was started; it carries a token that lets you in."
)
OTHER_HOST = "This server answers under its own names only."
OTHER_SESSION = "This belongs to another session."
NOT_KEPT = (
    "This file is no longer kept: the page it was made on was closed, its data were deleted, or many large "
    "files were made after it. Download it on its page again."
)
NOT_OPENED = (
    "Nothing at this path can be opened here. Name a path in one of the folders that the server may open, or "
    "upload the file."
)


def has_sign_in() -> bool:
    """Return whether ``secrets.toml`` says whom visitors sign in with."""
    return bool(get_secrets_auth_section())


def offers_folders() -> bool:
    """Return whether the operator named folders whose files may be opened in place."""
    return bool(_folders())


def path_within(path: str | Path) -> Path:
    """Return what a path leads to, if that can be read in a folder the operator named.

    Raises
    ------
    AuditInputError
        When it leads elsewhere, by a link too, or nowhere: in the same words, so that nothing is found out.
    """
    try:
        found = Path(path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise AuditInputError(NOT_OPENED) from None
    allowed = any(found.is_relative_to(folder) for folder in _folders())
    if not allowed or not (found.is_file() or found.is_dir()) or not os.access(found, os.R_OK):
        raise AuditInputError(NOT_OPENED)
    return found


def _folders() -> list[Path]:
    named = os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)
    return [Path(folder).resolve() for folder in named if folder.strip()]


def show_sign_in() -> bool:
    """Show how to sign in to who has to and did not; return whether that is so."""
    if getattr(
        st.user, "is_logged_in", True
    ):  # without a sign-in in `secrets.toml` there is no such attribute
        return False
    st.title("AnonAudit")
    st.markdown(say("Sign in to go on."))
    section = st.secrets["auth"]
    providers = [name for name in section if isinstance(section[name], Mapping)]
    for provider in providers or [None]:
        label = say("Sign in with {provider}", provider=plain(provider)) if provider else say("Sign in")
        st.button(label, key=f"sign_in_{provider}", type="primary", on_click=st.login, args=(provider,))
    return True


class Invitation:
    """The token, and the cookies that browsers get for it.

    A browser's cookie is a random name and our signature of it: it says who was let in, and tells browsers
    apart.
    """

    def __init__(self) -> None:
        given = os.environ.get(TOKEN_VARIABLE, "").strip()
        self.is_fixed = bool(given)  # known to who set it; it is printed nowhere
        given = given or (OFF if has_sign_in() else secrets.token_urlsafe(24))
        self.token = None if given.casefold() == OFF else given
        if self.token is not None and (len(given) < _SHORTEST or len({*given}) < _FEWEST_LETTERS):
            message = (
                "{variable} is easy to guess: give at least {letters} characters, or {off} for no token."
            )
            sys.exit(f"error: {say(message, variable=TOKEN_VARIABLE, letters=_SHORTEST, off=OFF)}")
        self._key = (self.token or secrets.token_hex()).encode()

    @property
    def cookie(self) -> str:
        """Return the cookie's name; cookies know no port, and two dashboards may run on a machine."""
        return f"anonaudit-{st.get_option('server.port')}"

    def lets_in(self, token: str | None) -> bool:
        """Return whether somebody brings the token."""
        return bool(token and self.token) and hmac.compare_digest(
            str(token).encode(), str(self.token).encode()
        )

    def browser_of(self, request: HTTPConnection) -> str | None:
        """Return the cookie of a browser that was let in."""
        given = request.cookies.get(self.cookie, "")
        name, _, signature = given.rpartition(".")
        return given if hmac.compare_digest(signature.encode(), self._signature(name).encode()) else None

    def let_in(self, request: HTTPConnection, response: Response) -> Response:
        """Give a browser its cookie."""
        name = secrets.token_urlsafe(16)
        value = self.browser_of(request) or f"{name}.{self._signature(name)}"
        secure = request.scope["scheme"] == "https"
        response.set_cookie(self.cookie, value, httponly=True, samesite="lax", secure=secure)
        return response

    def _signature(self, name: str) -> str:
        return hmac.new(self._key, name.encode(), sha256).hexdigest()


INVITATION = Invitation()


def print_address() -> None:
    """Print where the dashboard is, with a token that nobody else knows yet; logs outlive the others."""
    where = get_url(get_display_address(st.get_option("server.address") or "localhost"))
    token = f"${TOKEN_VARIABLE}" if INVITATION.is_fixed else INVITATION.token
    query = f"/?token={token}" if INVITATION.token else ""
    sys.stdout.write(f"\n  AnonAudit: {where}{query}\n  Ctrl+C ends it.\n\n")
    sys.stdout.flush()


class Access:
    """Serve only browsers that were let in, under the server's own names, what is theirs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        refusal = _refusal(request)
        if refusal is None:
            await self._app(scope, receive, _with_cookie(request, send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif refusal == _BRINGS_TOKEN:
            await INVITATION.let_in(request, _without_token(request))(scope, receive, send)
        else:
            with speaking(request.headers.get("accept-language", "")[:2]):
                status = 404 if refusal == NOT_KEPT else 403
                await PlainTextResponse(say(own(refusal)), status_code=status)(scope, receive, send)


def _refusal(request: HTTPConnection) -> str | None:
    """Return why a request is not served."""
    host, origin = request.headers.get("host"), request.headers.get("origin")
    if not is_host_allowed(host) or (origin is not None and urlsplit(origin).netloc != host):
        return OTHER_HOST
    if INVITATION.lets_in(request.query_params.get("token")):
        return _BRINGS_TOKEN
    path = _path(request)
    browser = INVITATION.browser_of(request)
    if browser is None:
        can_come = path == _FOR_PROBES or (INVITATION.token is None and request.scope["type"] == "http")
        return None if can_come and not path.startswith((_UPLOADS, _DOWNLOADS)) else NOT_INVITED
    if path.startswith(_DOWNLOADS) and not _is_kept(path):
        return NOT_KEPT
    return None if _is_theirs(path, request, browser) else OTHER_SESSION


def _is_kept(path: str) -> bool:
    """Return whether there is a picture of ours, or a download that a session still has."""
    file = _file(path)
    return file is not None and (
        file.kind is not MediaFileKind.DOWNLOADABLE or bool(owners_of(_file_id(path)))
    )


def _file(path: str) -> MemoryFile | None:
    return runtime.get_instance().media_file_mgr.read_file(_file_id(path))


def _file_id(path: str) -> str:
    return path.removeprefix(_DOWNLOADS).partition(".")[0]


def _path(request: HTTPConnection) -> str:
    return request.url.path.removeprefix("/" + st.get_option("server.baseUrlPath").strip("/")).lstrip("/")


def is_of_session(request: HTTPConnection) -> bool:
    """Return whether a request is for what was made for one session: a download, or an upload of it."""
    return _path(request).startswith((_UPLOADS, _DOWNLOADS))


def session_of_upload(request: HTTPConnection) -> str | None:
    """Return the session that a file is uploaded to, None for any other request."""
    path = _path(request)
    return path.removeprefix(_UPLOADS).partition("/")[0] if path.startswith(_UPLOADS) else None


def _is_theirs(path: str, request: HTTPConnection, browser: str) -> bool:
    """Return whether a browser may upload to a session, or fetch a file that was made for one."""
    if (session := session_of_upload(request)) is not None:
        sessions = {session}
    elif path.startswith(_DOWNLOADS):
        file = _file(path)
        if file is None or file.kind is not MediaFileKind.DOWNLOADABLE:
            return True  # nothing any more, or a picture of ours
        sessions = owners_of(_file_id(path))
    else:
        return True
    if has_sign_in() and not _get_signed_cookie_with_chunks(request.cookies, USER_COOKIE_NAME):
        return False
    clients = [runtime.get_instance().get_client(session) for session in sessions]
    contexts = [client.client_context for client in clients if client is not None]
    return any(context and context.cookies.get(INVITATION.cookie) == browser for context in contexts)


def _without_token(request: HTTPConnection) -> Response:
    """Send a browser to the address without the token, so that it stands in no history."""
    rest = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
    path = "/" + request.url.path.lstrip("/")
    return RedirectResponse(f"{path}?{urlencode(rest)}" if rest else path, status_code=303)


def _with_cookie(request: HTTPConnection, send: Send) -> Send:
    """Give a browser its cookie where no token is asked for."""
    if INVITATION.token is not None or request.scope["type"] != "http" or INVITATION.browser_of(request):
        return send

    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = INVITATION.let_in(request, Response()).headers["set-cookie"]
            message["headers"] = [*message.get("headers", []), (b"set-cookie", given.encode())]
        await send(message)

    return send_with_cookie
