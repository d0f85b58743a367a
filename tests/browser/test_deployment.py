"""The dashboard behind nginx as deploy/nginx.conf sets it up: TLS, the web socket, uploads, downloads."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import ROOT, TOKEN, free_port
from tests.browser.downloading import downloaded

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/bin")


@pytest.fixture
def proxied(fresh_server: str, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh server behind nginx, with a certificate of its own."""
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian: apt-get install nginx-light)")
    port = free_port()
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
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
        ("http://127.0.0.1:8501", fresh_server),
    ):
        assert given in site
        site = site.replace(given, here)
    places = "".join(
        f"{each}_temp_path {tmp_path}/{each};\n"
        for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"pid {tmp_path}/pid; daemon off; events {{}}\nhttp {{\n{places}{site}}}\n"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    server = subprocess.Popen([NGINX, "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "error.log")])
    time.sleep(1)
    assert server.poll() is None, (tmp_path / "error.log").read_text()
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
    expect(page.get_by_role("heading", name="Downloads")).to_be_visible(timeout=60_000)
    assert json.loads(downloaded(page, "Report as JSON").read_text(encoding="utf-8"))
    assert context.request.get(f"{proxied}/risk", headers={"Origin": "https://example.org"}).status == 403
    context.close()
