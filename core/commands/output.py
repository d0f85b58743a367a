"""What every subcommand prints the same way."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from core.errors import AuditInputError
from core.files.named_files import write_file
from core.languages import ENGLISH
from core.words import Text, input_error, joined, say, speaking, text

_UNPRINTABLE = re.compile(
    r"[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


_LAST_STREAM = 2  # stderr
_PRINTED: list[bool] = []  # whether this run has printed its JSON document
DEFAULT_REPORT_DIR = Path("reports")  # of CSV files for other programs


def print_json(document: Mapping[str, object]) -> None:
    """Print exactly one JSON document on stdout; NaN and infinity have no place in it.

    What a terminal would obey, or no encoding can write, stands in it as JSON's own escapes.
    """
    written = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    _PRINTED.append(True)
    print(_UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], written))


def print_json_errors(problems: Iterable[str]) -> None:
    """Print the document of a run that came to nothing: what was wrong, and nothing else."""
    if _PRINTED:
        return  # a document was printed before it went wrong, and there is only one
    with suppress(OSError, ValueError), speaking(ENGLISH):  # nobody can be told; the exit code tells
        print_json({"errors": [{"message": str(problem)} for problem in problems]})


def printable(words: str) -> str:
    """Return a text on one line, as written, with what a terminal would obey shown as an escape."""
    if words.isprintable():
        return words
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in words)


def print_line(line: str, *, flush: bool = False) -> None:
    """Print one line in the language spoken, names from files in it shown as they are written."""
    print(printable(say(line)), flush=flush)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, names from files in them shown as they are written."""
    for line in lines:
        print_line(line)


def print_problems(problems: tuple[str, ...]) -> None:
    """Print what the person can fix, a line each, on stderr."""
    _print_on_stderr("error", problems)


def print_warning(words: str) -> None:
    """Print what the person may have overlooked, on one line of stderr, names in it as they are written."""
    _print_on_stderr("warning", [words])


def _print_on_stderr(kind: str, sentences: Iterable[str]) -> None:
    with suppress(OSError, ValueError):  # nobody can be told; the exit code tells
        for sentence in sentences:
            print(f"{say(kind)}: {printable(say(sentence))}", file=sys.stderr)


def check_new_files(option: str, *paths: Path) -> None:
    """Refuse files that cannot be written or would replace one, before any work is done."""
    try:
        has_folder = paths[0].parent.is_dir()
        existing = [path for path in paths if path.exists() or path.is_symlink()]
    except OSError as error:
        raise AuditInputError(unwritable(option, paths[0], error, "Choose another name.")) from None
    if not has_folder:
        no_folder = "{option}: there is no folder {folder}; choose another one."
        raise input_error(no_folder, option=option, folder=str(paths[0].parent))
    if existing:
        exists = "{option}: {file} exists and is never overwritten; choose another name."
        raise input_error(exists, option=option, file=str(existing[0]))


def write_new_files(option: str, files: Mapping[Path, bytes], *, private: Container[Path] = ()) -> None:
    """Write files that are not there yet, all or none, and read each back; `private`: for the owner alone."""
    begun: list[Path] = []
    differs: Path | None = None
    try:
        for path, data in files.items():
            if not os.path.lexists(path):
                begun.append(path)
            write_file(path, data, private=path in private)
            if path.read_bytes() != data:
                differs = path
                break
    except BaseException as error:  # Ctrl+C too
        if isinstance(error, FileExistsError):  # made meanwhile by somebody else, whose it stays
            begun = [each for each in begun if each != path]
        for each in begun:
            each.unlink(missing_ok=True)
        if isinstance(error, OSError):
            remedy = "Choose another folder or name."
            raise AuditInputError(unwritable(option, path, error, remedy)) from None
        raise
    if differs is not None:
        problem = "{option}: {file} does not read back as it was written; do not use it."
        raise input_error(problem, option=option, file=str(differs))


def unwritable(option: str, path: Path, error: OSError, remedy: str) -> Text:
    """Say that a file cannot be written, and what helps."""
    problem = "{option}: {file} cannot be written: {reason}."
    return joined([text(problem, option=option, file=str(path), reason=str(error.strerror)), remedy])


def ready_streams() -> None:
    """Let a terminal of few characters show others as escapes, and no file take the place of a closed stream.

    AuditInputError: nobody can be given a result.
    """
    _PRINTED.clear()
    while (free := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        pass  # else the next file that is opened would get what is printed
    os.close(free)
    if sys.stderr is None or sys.stderr.closed:
        sys.stderr = io.TextIOWrapper(io.BytesIO())
    if sys.stdout is None or sys.stdout.closed:
        sys.stdout = io.TextIOWrapper(io.BytesIO())
        raise AuditInputError("The output is closed, so that no result can be given. Leave it open.")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
