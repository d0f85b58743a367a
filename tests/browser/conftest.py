"""A fresh server and a real Chromium; every page visited must be quiet and talk to this server only."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong
ROOT = Path(__file__).parents[2]
TOKEN = "let-the-tests-in"  # noqa: S105 - of servers that only tests start
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    skip = pytest.mark.skip(reason="Chromium is not installed; docs/development.md says how")
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(
                pytest.mark.flaky(reruns=1)
            )  # what a busy machine did; it is told that it was run twice
            if CHROMIUM is None and not os.environ.get("CI"):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    assert CHROMIUM, "Chromium is not installed; docs/development.md says how"
    return {"executable_path": CHROMIUM, "args": QUIET}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_server(
    log: Path, *options: str, port: int | None = None, **environment: str
) -> tuple[subprocess.Popen[bytes], str]:
    """Start the dashboard as README says, and wait until it answers."""
    port = port or free_port()
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "streamlit_app.py",
        f"--server.port={port}",
        *options,
    ]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "ANONAUDIT_TOKEN": TOKEN, **environment},
        )
    return server, wait_until_healthy(server, port, log)


def wait_until_healthy(server: subprocess.Popen[bytes], port: int, log: Path) -> str:
    """Return the address of a server once it answers, and fail with its log where it does not."""
    address = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):
                return address
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    server.kill()
    raise AssertionError(f"the server did not start:\n{log.read_text()}")


def stop_server(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(10)


@pytest.fixture(scope="session")
def server_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server, address = start_server(tmp_path_factory.mktemp("server") / "log.txt")
    yield address
    stop_server(server)


@pytest.fixture(scope="session")
def base_url(server_address: str) -> str:
    """Stand in for the fixture of pytest-base-url, which pytest 9.2 warns about."""
    return server_address


def let_in(context: BrowserContext, address: str) -> BrowserContext:
    """Bring a server's token, as who opens the printed address does; the browser keeps the cookie."""
    assert context.request.get(f"{address}/?token={TOKEN}").ok
    return context


def opener_of(browser: Browser, address: str, **options: Any) -> Page:
    """Open a tab of a new context; those it opens share what is read and compiled of the application."""
    opener = let_in(browser.new_context(**options), address).new_page()
    opener.goto(f"{address}/app/static/logo.svg")
    return opener


def opened_by(opener: Page) -> Page:
    """Return a new tab of the opener's context."""
    with opener.context.expect_page() as opened:
        opener.evaluate("() => { window.open() }")
    return opened.value


@pytest.fixture(scope="session")
def opener(browser: Browser, server_address: str) -> Iterator[Page]:
    opener = opener_of(browser, server_address)
    yield opener
    opener.context.close()


@pytest.fixture
def context(opener: Page) -> Iterator[BrowserContext]:
    """The context of all tests, each of which finds it without cookies, other tabs and what pages keep."""
    opener.context.clear_cookies()
    yield opener.context
    for page in opener.context.pages:
        if page is not opener:
            page.close()
    opener.evaluate("() => localStorage.clear()")


@pytest.fixture
def page(context: BrowserContext, opener: Page, server_address: str) -> Page:
    """A page whose browser was let in."""
    let_in(context, server_address)
    return opened_by(opener)


@pytest.fixture
def fresh_server(tmp_path: Path, context: BrowserContext) -> Iterator[str]:
    """A server that nobody has visited yet; the test's browser was let in."""
    server, address = start_server(tmp_path / "log.txt")
    let_in(context, address)
    yield address
    stop_server(server)


@pytest.fixture
def wait_until_idle() -> Callable[[Page], None]:
    """Wait until the page's script has ended, before acting: right after a click it still says it is idle."""

    def wait(page: Page) -> None:
        app = page.get_by_test_id("stApp")
        expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=30_000)
        expect(page.locator('[data-stale="true"]')).to_have_count(0, timeout=30_000)

    return wait


@pytest.fixture
def choose(wait_until_idle: Callable[[Page], None]) -> Callable[[Page, str, str], None]:
    """Choose an option of a select box; a rerun that draws the box again closes its list, so try again."""

    def click_option(page: Page, label: str, option: str) -> None:
        for attempt in range(4):
            wait_until_idle(page)
            page.get_by_role("combobox", name=label).click()
            try:
                page.get_by_role("option", name=option, exact=True).click(timeout=5_000)
            except PlaywrightTimeoutError:
                assert attempt < 3, f"{option} cannot be chosen in {label}"
                page.keyboard.press("Escape")
            else:
                return

    return click_option


@pytest.fixture
def quiet_page(page: Page) -> Iterator[Page]:
    """A page that fails the test on an error of the script or console, or a request to another host."""
    noise: list[str] = []

    def hear_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            noise.append(f"console: {message.text}")

    def hear_request(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            noise.append(f"request to another host: {request.url}")

    page.on("console", hear_console)
    page.on("pageerror", lambda error: noise.append(f"page error: {error}"))
    page.on("request", hear_request)
    page.set_default_timeout(20_000)
    yield page
    assert noise == []
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.fixture
def visit(
    quiet_page: Page, server_address: str, wait_until_idle: Callable[[Page], None]
) -> Callable[[str], Page]:
    """Open a page by its path and wait until it stands."""

    def open_path(path: str) -> Page:
        quiet_page.goto(f"{server_address}/{path}")
        expect(quiet_page.get_by_role("heading", level=1)).to_be_visible(timeout=30_000)
        wait_until_idle(quiet_page)
        return quiet_page

    return open_path
