"""The index of a folder of reports: every file audited there, the worst first, on one page.

Each HTML report carries its rows in a line of its head, so the page is made of what lies in the folder.
It shows what the reports show: it proves nothing, and who files it keeps the reports.
"""

import html
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from core.errors import AuditInputError
from core.files.input_bytes import open_input
from core.files.plain_text import parsed_json
from core.reports.as_html import html_page
from core.verdict import Verdict

INDEX = "index.html"
_MARK = '<meta name="generator" content="AnonAudit index">'
_ROWS = re.compile(r'<meta name="anonaudit-rows" content="([^"<>]*)">\s*')
_REPORT = re.compile(r"anonaudit_[\w-]{1,80}_(\d{8}T\d{6}Z)_[0-9a-f]{8}\.html")
_HEAD = 10  # lines, in which a report's rows stand, and in which an index says that it is one
_LONGEST = 16 << 20  # letters of a line


class _Row(NamedTuple):
    """A file of a report, or what kept one from being audited."""

    verdict: Verdict
    name: str
    told: str  # the gravest finding
    report: str  # file name
    place: str  # in it
    at: datetime

    @property
    def link(self) -> str:
        """Return what leads there from beside the report."""
        return quote(self.report) + (f"#{self.place}" if self.place else "")


def is_index(path: Path) -> bool:
    """Return whether a file is an index of ours, which may be made anew."""
    return any(line.strip() == _MARK for line in _head_of(path))


def render_index(folder: Path) -> bytes | None:
    """Return the index of a folder of reports as HTML in UTF-8; None where it has fewer than two rows.

    The worst rows come first, then the latest reports. Files that are no HTML reports of ours by name and
    head are left out, as is a report whose rows do not hold together.
    """
    found = [row for path in folder.glob("anonaudit_*.html") for row in _rows_of(path)]
    if len(found) < 2:
        return None
    rows = sorted(found, key=lambda row: (-row.verdict.severity, -row.at.timestamp(), row.report))
    counts = Counter(row.verdict for row in rows)
    return html_page("index.html.jinja", rows=rows, counts=counts)


def _head_of(path: Path) -> Sequence[str]:
    """Return the first lines of a file; none of what cannot be read as text, such as a pipe."""
    try:
        with io.TextIOWrapper(open_input(path), encoding="utf-8") as lines:
            return [lines.readline(_LONGEST) for _ in range(_HEAD)]
    except (OSError, ValueError, AuditInputError):
        return ()


def _rows_of(path: Path) -> Iterator[_Row]:
    name = _REPORT.fullmatch(path.name)
    told = next(filter(None, map(_ROWS.fullmatch, _head_of(path))), None) if name else None
    if name is None or told is None:
        return
    try:
        at = datetime.strptime(name[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        rows = parsed_json(html.unescape(told[1]))
    except (ValueError, RecursionError):
        return
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 4 and all(isinstance(each, str) for each in row):
            verdict, file, finding, place = row
            if verdict in Verdict.__members__ and re.fullmatch(r"(file-\d{1,9})?", place):
                yield _Row(Verdict(verdict), file, finding, path.name, place, at)
