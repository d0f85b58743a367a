"""Take files away as a person does: by the buttons at the end of a page."""

from pathlib import Path

from playwright.sync_api import Download, Page, expect


def download(page: Page, label: str) -> Download:
    """Press a download's button, of one too that stands behind "More formats"."""
    expect(page.get_by_role("button", name="Download report", exact=True)).to_be_visible()
    button = page.get_by_role("button", name=label, exact=True)
    is_behind = not button.is_visible()
    if is_behind:
        page.get_by_role("button", name="More formats").click()
        expect(button).to_be_visible()
    with page.expect_download(timeout=30_000) as started:
        button.click()
    if is_behind:
        page.keyboard.press("Escape")
        expect(button).to_be_hidden()
    return started.value


def downloaded(page: Page, label: str) -> Path:
    """Return the file that a button gives."""
    return Path(download(page, label).path())
