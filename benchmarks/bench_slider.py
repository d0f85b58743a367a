"""The k slider of the tabular page in a real Chromium, at 1,000,000 × 20; key press to new chart."""

import json
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect

from benchmarks.bench_tabular import make_pair
from benchmarks.dashboard import open_page, print_k_moves

LIMIT_SECONDS = 0.5


def run() -> None:
    """Upload the pair, move the slider, print the median time until the new limit is drawn."""
    with tempfile.TemporaryDirectory() as folder, open_page("tabular") as page:
        _upload(page, Path(folder))
        print_k_moves(page, limit_seconds=LIMIT_SECONDS)


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
