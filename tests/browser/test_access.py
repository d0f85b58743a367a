"""Only who was let in is served, under the server's own names, and only what is theirs."""

import http.client
import json

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.sessions import Session
from tests.browser.conftest import TOKEN, let_in
from tests.browser.downloading import downloaded
from tests.kinds import Visit, Wait

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


def _status(address: str, path: str, **headers: str) -> int:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.request(
        "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.fixture(scope="module")
def cookie(browser: Browser, server_address: str) -> str:
    """The cookie of a visitor who was let in."""
    context = let_in(browser.new_context(), server_address)
    cookies = {each["name"]: each for each in context.cookies()}
    context.close()
    mine = cookies[f"anonaudit-{server_address.rpartition(':')[2]}"]
    assert mine["httpOnly"]
    assert mine["sameSite"] == "Lax"
    return f"{mine['name']}={mine['value']}"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/vcf", {}),
        ("/_stcore/metrics", {}),
        ("/_stcore/stream", UPGRADE),
        ("/static/index.html", {}),
        ("/media/0.csv", {}),
        ("/?token=wrong", {}),
        ("//_stcore/stream", UPGRADE),
    ],
)
def test_visitor__without_the_token_is_refused(
    cookie: str, server_address: str, path: str, headers: dict[str, str]
) -> None:
    name, _, value = cookie.partition("=")
    made_up = f"{name}=me.{value.partition('.')[2]}"
    assert _status(server_address, path, **headers) == 403
    assert _status(server_address, path, **headers, Cookie=made_up) == 403


@pytest.mark.parametrize("path", ["/", "/_stcore/metrics", "/_stcore/stream", "/app/static/logo.svg"])
@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("example.org", None),
        ("example.org", "http://example.org"),
        (None, "http://example.org"),
        (None, "null"),
    ],
)
def test_server__answers_under_its_own_name_only(
    cookie: str, server_address: str, path: str, host: str | None, origin: str | None
) -> None:
    own = server_address.removeprefix("http://")
    upgrade = UPGRADE if path.endswith("stream") else {}
    assert _status(server_address, path, **upgrade, Cookie=cookie, Host=own, Origin=server_address) in (
        101,
        200,
    )
    given = {"Host": host or own, **({"Origin": origin} if origin else {})}
    assert _status(server_address, path, **upgrade, Cookie=cookie, **given) == 403


def test_token__does_not_stay_in_the_address(quiet_page: Page, fresh_server: str) -> None:
    quiet_page.context.clear_cookies()
    quiet_page.goto(f"{fresh_server}/risk?token={TOKEN}")
    expect(quiet_page.get_by_role("heading", level=1, name="Disclosure risk")).to_be_visible(timeout=30_000)
    assert quiet_page.url == f"{fresh_server}/risk"


def test_clearing_the_caches__takes_nothing_of_another_session(server_address: str) -> None:
    one, other = (Session(server_address, "risk", token=TOKEN) for _ in range(2))
    for tab in (one, other):
        tab.upload("table to be released", {"people.csv": b"age,sex\n30,F\n40,M\n"})
    one._socket.send(BackMsg(clear_cache=True).SerializeToString())
    for tab in (one, other):
        tab.rerun()
    assert "people\\\\.csv" not in one.text
    assert "people\\\\.csv" in other.text
    for tab in (one, other):
        tab.close()


def test_upload_and_download__need_the_cookie_of_their_session(
    visit: Visit, wait_until_idle: Wait, server_address: str, browser: Browser
) -> None:
    page = visit("risk")
    uploads, downloads = [], []
    page.on("request", lambda request: uploads.append(request) if request.method == "PUT" else None)
    page.on("request", lambda request: downloads.append(request.url) if "/media/" in request.url else None)
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,sex\n30,F\n40,M\n"}
    )
    expect(page.get_by_text("people.csv ·")).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    assert json.loads(downloaded(page, "Report as JSON").read_text())
    stranger = let_in(browser.new_context(), server_address)
    fetched = [url for url in downloads if url.endswith(".json")]
    assert fetched
    assert page.context.request.get(fetched[-1]).ok
    assert stranger.request.get(fetched[-1]).status == 403
    (upload,) = uploads
    headers = {"x-xsrftoken": upload.headers.get("x-xsrftoken", "")}
    part = {"file": {"name": "b.csv", "mimeType": "text/csv", "buffer": b"a\n1\n"}}
    assert stranger.request.put(upload.url, multipart=part, headers=headers).status == 403
    wipe = let_in(
        browser.new_context(), server_address
    ).new_page()  # another's wipe takes nothing of this one
    wipe.goto(f"{server_address}/risk")
    wipe.get_by_role("button", name="Group sizes").or_(wipe.get_by_role("heading", level=1)).first.wait_for()
    wipe.close()
    page.wait_for_timeout(1_500)
    assert page.context.request.get(fetched[-1]).ok
    wait_until_idle(page)
    page.get_by_role("button", name="Delete my data").click()
    page.get_by_role("button", name="Delete all").click()
    expect(page.get_by_text("go when you close the tab")).to_be_visible()
    gone = page.context.request.get(fetched[-1])
    assert (gone.status, gone.text()[:29]) == (404, "This file is no longer kept: ")
    stranger.close()


def test_downloads__are_all_their_owners_again_and_again(visit: Visit, wait_until_idle: Wait) -> None:
    page = visit("risk")
    fetched: dict[str, None] = {}
    page.on("request", lambda request: fetched.setdefault(request.url) if "/media/" in request.url else None)
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,sex\n30,F\n40,M\n"}
    )
    expect(page.get_by_text("people.csv ·")).to_be_visible(timeout=30_000)
    wait_until_idle(page)
    for _ in range(3):
        for label in ("Download report", "Report as JSON", "Report as Excel", "Download settings"):
            assert downloaded(page, label).stat().st_size
        page.wait_for_timeout(1_100)  # a report tells the second in which it was made
    files = [url for url in fetched if not url.endswith((".svg", ".png"))]
    assert len(files) > 9
    assert [page.context.request.get(url).status for url in files] == [200] * len(files)
