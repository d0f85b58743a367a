"""The k slider of the tabular page in a real Chromium, at 1,000,000 × 20; key press to new chart."""

import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.bench_tabular import make_pair

ROOT = Path(__file__).parents[1]
N_MOVES = 9
LIMIT_SECONDS = 0.5


def run() -> None:
    """Upload the pair, move the slider, print the median time until the new limit is drawn."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", f"--server.port={port}"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health")
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1360, "height": 2400})
            page.goto(f"http://127.0.0.1:{port}/tabular")
            _upload(page, Path(folder))
            seconds = [_move(page, k) for k in range(6, 6 + N_MOVES)]
            browser.close()
    finally:
        server.terminate()
        server.wait(20)
    print(
        f"k slider in the browser, key press to new chart: median {statistics.median(seconds):.2f} s, "
        f"slowest {max(seconds):.2f} s (limit {LIMIT_SECONDS} s)"
    )


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


def _upload(page: Page, folder: Path) -> None:
    (original, anonymized), log = make_pair()
    entries = {
        name: {"semantic": entry.semantic, "action": entry.action} for name, entry in log.entries.items()
    }
    files = {
        "people.csv": original,
        "people_anonymized.csv": anonymized,
        "people_anonymized_log.json": json.dumps({"log_info": entries}).encode(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        [folder / name for name in files]
    )
    expect(page.get_by_text("k = 5", exact=True).first).to_be_visible(timeout=240_000)
    page.wait_for_timeout(2000)


def _move(page: Page, k: int) -> float:
    """Press one arrow key on the slider; return the seconds until the chart shows the new limit."""
    slider = page.get_by_role("slider", name="Smallest class size k")
    slider.focus()
    started_at = time.perf_counter()
    slider.press("ArrowRight")
    page.get_by_text(f"k = {k}", exact=True).first.wait_for(state="visible")
    seconds = time.perf_counter() - started_at
    page.wait_for_timeout(700)
    return seconds
