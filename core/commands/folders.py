"""What a folder holds beside the inputs of a tool: it is named, never left out in silence."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from core.commands.output import print_warning
from core.files.named_files import is_alone
from core.files.own_reports import is_own_report
from core.words import listed, text

_FOLDERS = "{folder}: folders in it were passed over: {names}."
_REPORTS = "{folder}: reports of AnonAudit in it were passed over: {names}."
_NO_FILES = "{folder}: what is no plain file, such as a pipe or a link to nothing, was passed over: {names}."
_OTHERS = "{folder}: files that are no input of this tool were passed over: {names}."


def tell_passed_over(folder: Path, taken: Iterable[Path], *, entries: Iterable[Path] | None = None) -> None:
    """Name what a folder holds besides, by why it is passed over; `entries`: else all directly in it."""
    if is_alone():
        return
    used = {*taken}
    why = defaultdict(list)
    for entry in sorted({*(folder.iterdir() if entries is None else entries)} - used):
        why[_why(entry)].append(str(entry.relative_to(folder)))
    for message, names in why.items():
        print_warning(text(message, folder=str(folder), names=listed(names)))


def _why(entry: Path) -> str:
    if entry.is_dir():
        return _FOLDERS
    if not entry.is_file():
        return _NO_FILES
    return _REPORTS if is_own_report(entry) else _OTHERS
