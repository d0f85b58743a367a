"""The k slider of two pages in a real Chromium, at a million records; key press to new chart."""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from benchmarks.bench_risk import write_people
from benchmarks.bench_tabular import make_pair
from benchmarks.dashboard import open_page

N_RECORDS, N_MOVES = 1_000_000, 9


def run() -> None:
    """Upload the files, move k from 5 step by step, print the time until the new limit is drawn."""
    for name, (write, limit_seconds) in PAGES.items():
        with tempfile.TemporaryDirectory() as folder, open_page(name) as page:
            page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(write(Path(folder)))
            slider = page.get_by_role("slider", name="Smallest group size k")
            expect(slider).to_be_visible(timeout=240_000)
            page.wait_for_timeout(3000)
            seconds = [_move(page, k) for k in range(6, 6 + N_MOVES)]
        print(
            f"{name}, k slider in the browser: median {statistics.median(seconds):.2f} s, "
            f"{min(seconds):.2f} to {max(seconds):.2f} s (limit {limit_seconds} s)"
        )


def _move(page: Page, k: int) -> float:
    slider = page.get_by_role("slider", name="Smallest group size k")
    slider.focus()
    started_at = time.perf_counter()
    slider.press("ArrowRight")
    page.get_by_text(f"k = {k}", exact=True).first.wait_for(state="visible")
    seconds = time.perf_counter() - started_at
    page.wait_for_timeout(1000)
    return seconds


def _people(folder: Path) -> list[Path]:
    write_people(folder / "people.csv", N_RECORDS)
    return [folder / "people.csv"]


def _pair(folder: Path) -> list[Path]:
    (original, anonymized), log = make_pair(N_RECORDS)
    entries = {name: {"semantic": each.semantic, "action": each.action} for name, each in log.entries.items()}
    files = {
        "people.csv": original,
        "people_anonymized.csv": anonymized,
        "people_anonymized_log.json": json.dumps({"log_info": entries}).encode(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in files]


PAGES: dict[str, tuple[Callable[[Path], list[Path]], float]] = {
    "tabular": (_pair, 0.5),
    "risk": (_people, 0.3),
}
