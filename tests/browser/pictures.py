"""Draw the pictures of README anew: `python -m tests.browser.pictures`, or with the names of some pages."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM, QUIET, ROOT, let_in, start_server, stop_server
from tests.browser.test_looks import PATHS, open_page

FOLDER = ROOT / "docs" / "pictures"
SIZE = {"width": 1440, "height": 1000}


def draw(paths: list[str]) -> None:
    """Write a picture of each page with its demo, light and in English, in few colours."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server, address = start_server(Path(folder) / "log.txt")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        try:
            context = let_in(browser.new_context(viewport=SIZE, locale="en"), address)
            for path in paths:
                page = context.new_page()
                open_page(page, path, address)
                page.mouse.move(0, 0)  # no button over a table
                picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                picture.quantize(128).save(FOLDER / f"{path or 'home'}.png", optimize=True)
                page.close()
        finally:
            browser.close()
            stop_server(server)


if __name__ == "__main__":
    draw(["" if name == "home" else name for name in sys.argv[1:]] or PATHS)
