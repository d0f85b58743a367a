"""The dashboard behind nginx as deploy/nginx.conf sets it up: TLS, the web socket, uploads, downloads."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ROOT, TOKEN, free_port, start_server, stop_server
from tests.browser.downloading import downloaded

MOST_VISITORS = 12  # who could all be sent to one server by chance once in 2,048 runs
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/bin")


@pytest.fixture
def proxied(fresh_server: str, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh server behind nginx, with a certificate of its own."""
    with _nginx(tmp_path, [fresh_server]) as address:
        yield address


@contextmanager
def _nginx(folder: Path, servers: Sequence[str]) -> Iterator[str]:
    """Put nginx before servers, as deploy/nginx.conf does."""
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian: apt-get install nginx-light)")
    port = free_port()
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost".split(),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    site = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
    for given, here in (
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("anonaudit.example.org", "localhost"),
        ("/etc/ssl/anonaudit/certificate.pem", str(certificate)),
        ("/etc/ssl/anonaudit/key.pem", str(key)),
        (
            "    server 127.0.0.1:8501;",
            "".join(f"    server {each.removeprefix('http://')};\n" for each in servers),
        ),
    ):
        assert given in site
        site = site.replace(given, here)
    places = "".join(
        f"{each}_temp_path {folder}/{each};\n"
        for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"pid {folder}/pid; daemon off; events {{}}\nhttp {{\n{places}{site}}}\n"
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    server = subprocess.Popen([NGINX, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")])
    time.sleep(1)
    assert server.poll() is None, (folder / "error.log").read_text()
    yield f"https://localhost:{port}"
    server.terminate()
    server.wait(10)


def test_proxy__serves_a_whole_audit_over_tls(browser: Browser, proxied: str) -> None:
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(f"{proxied}/risk?token={TOKEN}")
    expect(page.get_by_role("heading", level=1, name="Disclosure risk")).to_be_visible(timeout=30_000)
    assert page.url == f"{proxied}/risk"
    assert all(each["secure"] for each in context.cookies() if each["name"].startswith("anonaudit"))
    table = b"age,sex\n" + b"30,F\n40,M\n" * 400_000
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": table}
    )
    expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)
    assert json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8"))
    assert context.request.get(f"{proxied}/risk", headers={"Origin": "https://example.org"}).status == 403
    context.close()


def test_proxy__keeps_each_visitor_at_one_of_several_servers(browser: Browser, tmp_path: Path) -> None:
    """Web socket, upload and download need the server that holds the session; another knows none of it."""
    trails = [tmp_path / f"trail{number}.jsonl" for number in range(2)]
    servers = [
        start_server(tmp_path / f"log{number}.txt", ANONAUDIT_TRAIL=str(trail))
        for number, trail in enumerate(trails)
    ]
    try:
        with _nginx(tmp_path, [address for _, address in servers]) as proxy:
            n_audits = [0, 0]
            for number in range(MOST_VISITORS):
                _audit(browser, proxy, n_records=100 + number)
                n_audits = [trail.read_text().count("\n") if trail.exists() else 0 for trail in trails]
                if number and all(n_audits):
                    break
            assert all(n_audits), "all visitors were sent to one server"
    finally:
        for server, _ in servers:
            stop_server(server)


def _audit(browser: Browser, proxy: str, *, n_records: int) -> None:
    """Upload a table as a new visitor, on two pages after each other, and read the report of it."""
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(f"{proxy}/risk?token={TOKEN}")
    cookies = [each for each in context.cookies() if each["name"] == "anonaudit_server"]
    assert [(each["secure"], each["httpOnly"]) for each in cookies] == [(True, True)]
    table = b"age,sex\n" + b"30,F\n40,M\n" * (n_records // 2)
    for _ in range(2):
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
            {"name": "people.csv", "mimeType": "text/csv", "buffer": table}
        )
        expect(page.get_by_role("button", name="Download report")).to_be_visible(timeout=60_000)
        report = json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8"))
        assert report["inputs"][0]["n_bytes"] == len(table)
        page.reload()
    assert [each for each in context.cookies() if each["name"] == "anonaudit_server"] == cookies
    context.close()
