"""A dashboard that a benchmark starts, and its page in a real Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
TOKEN = "benchmark"  # noqa: S105 - of servers that only benchmarks start


@contextmanager
def serve() -> Iterator[tuple[str, int]]:
    """Start a server, yield its address and the number of its process, and end it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", f"--server.port={port}"]
    server = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "ANONAUDIT_TOKEN": TOKEN},
    )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/_stcore/health")
        yield address, server.pid
    finally:
        server.terminate()
        server.wait(20)


@contextmanager
def open_page(name: str) -> Iterator[Page]:
    """Start a server, yield its page of that name in a browser, and end both."""
    with serve() as (address, _server), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1360, "height": 2400})
        page.goto(f"{address}/{name}?token={TOKEN}")
        yield page
        browser.close()


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise TimeoutError("the server did not start")
