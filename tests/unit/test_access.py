"""The token that lets visitors in, and what browsers may keep of what was made for one session."""

import asyncio
from typing import Any

import pytest

from core.engines.addresses import Address
from core.engines.sources import _failures
from core.errors import AuditInputError
from pages.components import access
from pages.components.serving import SecurityHeaders

LONG = "correct-horse-battery"


@pytest.mark.parametrize("given", ["x", "on", "Off!", "password", "aaaaaaaaaaaaaaaaaaaa", "1212121212121212"])
def test_invitation__refuses_a_token_that_is_easy_to_guess(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(access.TOKEN_VARIABLE, given)
    with pytest.raises(SystemExit, match=f"{access.TOKEN_VARIABLE} is easy to guess") as ended:
        access.Invitation()
    assert given not in str(ended.value).replace(access.TOKEN_VARIABLE, "").split()


@pytest.mark.parametrize("given", ["off", "OFF", " Off "])
def test_invitation__is_off_in_any_spelling(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(access.TOKEN_VARIABLE, given)
    assert access.Invitation().token is None


@pytest.mark.parametrize("given", [LONG, f" {LONG}\n"])
def test_print_address__shows_no_token_that_somebody_chose(
    given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(access.TOKEN_VARIABLE, given)
    monkeypatch.setattr(access, "INVITATION", access.Invitation())
    assert access.INVITATION.lets_in(LONG)
    access.print_address()
    printed = capsys.readouterr().out
    assert LONG not in printed
    assert f"token=${access.TOKEN_VARIABLE}" in printed


@pytest.mark.parametrize("given", ["", " "])
def test_print_address__shows_a_token_of_its_own(
    given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(access.TOKEN_VARIABLE, given)
    monkeypatch.setattr(access, "INVITATION", access.Invitation())
    access.print_address()
    assert f"token={access.INVITATION.token}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "is_kept"),
    [
        ("/media/0123.csv", False),
        ("/media/0123.html", False),
        ("/_stcore/upload_file/a/b", False),
        ("/static/media.js", True),
        ("/", True),
    ],
)
def test_security_headers__let_no_browser_keep_a_download(path: str, is_kept: bool) -> None:
    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        headers = [(b"Cache-Control", b"public, max-age=9"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": [(b"host", b"x")], "query_string": b"", "root_path": ""}
    asyncio.run(SecurityHeaders(app)(scope, lambda: None, send))  # type: ignore[arg-type]  # nothing is received
    found = [value for name, value in sent[0]["headers"] if name.lower() == b"cache-control"]
    assert found == ([b"public, max-age=9"] if is_kept else [b"no-store"])


class OperationalError(Exception):
    """Stands for what a database's library raises."""


OperationalError.__module__ = "psycopg.errors"
AT = 'connection to server at "127.0.0.1", port 5432 failed: '


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f'{AT}FATAL:  role "auditr" does not exist', "refuses user or password"),
        (f'{AT}FATAL:  role "auditor" is not permitted to log in', "refuses user or password"),
        (f'{AT}FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "a"', "refuses user or password"),
        (f'{AT}FATAL:  Peer authentication failed for user "a"', "refuses user or password"),
        (f"{AT}Connection refused. Is the server running on that host?", "does not answer"),
        (f'{AT}FATAL:  database "gone" does not exist', "there is no such table"),
        ('relation "role_of" does not exist', "there is no such table"),
    ],
)
def test_failures__of_a_database_are_told_apart(words: str, said: str) -> None:
    address = Address(engine="postgresql", place="t", host="h", database="d", schema="s")
    with pytest.raises(AuditInputError, match=said), _failures(address):
        raise OperationalError(words)
