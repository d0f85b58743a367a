"""The dashboard in a real Chromium, for what only a browser can measure."""

import os
import shutil
import socket
import statistics
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
N_MOVES = 9


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


def print_k_moves(page: Page, *, limit_seconds: float) -> None:
    """Move k from 5 step by step with the arrow key; print the time until the chart shows the new limit."""
    seconds = [_move(page, k) for k in range(6, 6 + N_MOVES)]
    print(
        f"k slider in the browser, key press to new chart: median {statistics.median(seconds):.2f} s, "
        f"{min(seconds):.2f} to {max(seconds):.2f} s (limit {limit_seconds} s)"
    )


def _move(page: Page, k: int) -> float:
    slider = page.get_by_role("slider", name="Smallest class size k")
    slider.focus()
    started_at = time.perf_counter()
    slider.press("ArrowRight")
    page.get_by_text(f"k = {k}", exact=True).first.wait_for(state="visible")
    seconds = time.perf_counter() - started_at
    page.wait_for_timeout(1000)
    return seconds
