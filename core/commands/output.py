"""What every subcommand prints the same way."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.errors import AuditInputError
from core.writing import write_file

_UNPRINTABLE = re.compile(
    r"[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def print_json(document: Mapping[str, object]) -> None:
    """Print exactly one JSON document on stdout; NaN and infinity have no place in it.

    What a terminal would obey, or no encoding can write, stands in it as JSON's own escapes.
    """
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    print(_UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], text))


def printable(text: str) -> str:
    """Return a text on one line, as written, with what a terminal would obey shown as an escape."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def print_line(text: str, *, flush: bool = False) -> None:
    """Print one line, names from files in it shown as they are written."""
    print(printable(text), flush=flush)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, names from files in them shown as they are written."""
    for line in lines:
        print_line(line)


def print_problems(problems: tuple[str, ...]) -> None:
    """Print what the person can fix, a line each, on stderr."""
    _print_on_stderr("error", problems)


def print_warning(text: str) -> None:
    """Print what the person may have overlooked, on one line of stderr, names in it as they are written."""
    _print_on_stderr("warning", [text])


def _print_on_stderr(kind: str, sentences: Iterable[str]) -> None:
    for sentence in sentences:
        print(f"{kind}: {printable(sentence)}", file=sys.stderr)


def check_new_files(option: str, *paths: Path) -> None:
    """Refuse files that cannot be written or would replace one, before any work is done."""
    try:
        has_folder = paths[0].parent.is_dir()
        existing = [path for path in paths if path.exists() or path.is_symlink()]
    except OSError as error:
        raise AuditInputError(
            f"{option}: {paths[0]} cannot be written: {error.strerror}. Choose another name."
        ) from None
    if not has_folder:
        raise AuditInputError(f"{option}: there is no folder {paths[0].parent}; choose another one.")
    if existing:
        raise AuditInputError(
            f"{option}: {existing[0]} exists and is never overwritten; choose another name."
        )


def write_new_files(option: str, files: Mapping[Path, bytes]) -> None:
    """Write files that are not there yet, and read each back."""
    for path, data in files.items():
        try:
            write_file(path, data)
            same = path.read_bytes() == data
        except OSError as error:
            raise AuditInputError(
                f"{option}: {path} cannot be written: {error.strerror}. Choose another folder or name."
            ) from None
        if not same:
            raise AuditInputError(f"{option}: {path} does not read back as it was written; do not use it.")


def survive_any_encoding() -> None:
    """Let a terminal of few characters show the others as escapes, rather than end in an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
