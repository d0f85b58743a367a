"""A report as PDF: its HTML page, printed by the Chromium of this machine."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from core.errors import AuditInputError
from core.reports.as_html import render_html
from core.reports.model import Report

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_SECONDS = 60
_QUIET = (
    *("--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-sync"),
    *("--disable-extensions", "--disable-background-networking", "--disable-component-update"),
    *("--disable-breakpad", "--disable-dev-shm-usage", "--no-pdf-header-footer"),
    "--proxy-server=127.0.0.1:9",  # where nobody answers
)
NO_BROWSER = (
    "There is no Chromium on this machine, which makes the PDF. Open the HTML report in a browser and "
    "print it."
)
_NOT_PRINTED = "Chromium did not make the PDF. Open the HTML report in a browser and print it."


def browser() -> str | None:
    """Return the program on PATH that prints a page as PDF; None where there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


def render_pdf(report: Report) -> bytes:
    """Print the HTML report as PDF, in a folder for the owner alone that is deleted at once.

    The browser starts with an empty profile and without a network; the page itself holds no script and
    may fetch nothing. The same report gives other bytes each time: a PDF says when it was printed.

    Raises
    ------
    AuditInputError
        There is no Chromium on PATH, or it did not make the PDF within a minute.
    """
    program = browser()
    if program is None:
        raise AuditInputError(NO_BROWSER)
    page = render_html(report)
    with TemporaryDirectory(prefix="anonaudit-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        (place / "report.html").write_bytes(page)
        _print(program, place)
        try:
            printed = (place / "report.pdf").read_bytes()
        except OSError:
            raise AuditInputError(_NOT_PRINTED) from None
    if not printed.startswith(b"%PDF-"):
        raise AuditInputError(_NOT_PRINTED)
    return printed


def _print(program: str, place: Path) -> None:
    """Let the browser write report.pdf beside report.html; all its processes end with it."""
    profile, target = place / "profile", place / "report.pdf"
    words = [*_QUIET, f"--user-data-dir={profile}", f"--print-to-pdf={target}"]
    if sys.platform != "win32" and os.geteuid() == 0:
        words.append("--no-sandbox")  # Chromium refuses to have one for root; the page holds no script
    process = subprocess.Popen(  # noqa: S603 - a browser on PATH and a page of ours
        [program, *words, (place / "report.html").as_uri()],
        cwd=place,
        env={**os.environ, "HOME": str(place)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS)
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
