"""The k slider of the disclosure-risk page in a real Chromium, at 1,000,000 × 8; key press to new chart."""

import tempfile
from pathlib import Path

from playwright.sync_api import expect

from benchmarks.bench_risk import write_people
from benchmarks.dashboard import open_page, print_k_moves

N_RECORDS = 1_000_000
LIMIT_SECONDS = 0.3


def run() -> None:
    """Upload the table, move the slider, print the median time until the new limit is drawn."""
    with tempfile.TemporaryDirectory() as folder, open_page("risk") as page:
        path = Path(folder) / "people.csv"
        write_people(path, N_RECORDS)
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(path)
        expect(page.get_by_role("heading", name="Downloads")).to_be_visible(timeout=240_000)
        page.wait_for_timeout(3000)
        print_k_moves(page, limit_seconds=LIMIT_SECONDS)
