"""What every subcommand prints the same way."""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.at_hand import write_file
from core.commands import policy_commands
from core.errors import AuditInputError
from core.languages import ENGLISH
from core.plain import json_value
from core.verdict import Verdict, exit_code
from core.words import Text, input_error, joined, own, say, speaking, text

if TYPE_CHECKING:
    from core.policies import PolicyOutcome
    from core.reports import Report
    from core.result import Result, Table

_UNPRINTABLE = re.compile(
    r"[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


MOST_JOBS = 256
_LAST_STREAM = 2  # stderr
_PRINTED: list[bool] = []  # whether this run has printed its JSON document
DEFAULT_REPORT_DIR = Path("reports")  # of CSV files for other programs
_NOTHING = (
    "Nothing was audited: what was named holds no input of this tool. Check the path, and what is in it."
)
_FORMATS = ("html", "xlsx", "csv", "json")  # of core.reports.RENDERERS, which takes long to import


@dataclass(frozen=True, kw_only=True)
class Audited:
    """What a command found, before any of it is printed or written; each is made when it is asked for."""

    verdict: Verdict
    report: Callable[[datetime], Report]  # what --json prints, and policies are held against
    result: Callable[[], Result]  # what is printed else, as lines
    tables: tuple[str, ...] = ()  # groups of the result whose tables are printed
    is_told: bool = False  # whether its files were printed as each was done
    written: tuple[str, ...] = ()  # lines about files that were written
    evidence: Sequence[Table] | None = None  # records behind the result, masked, where asked for
    # what a policy makes of the report, where one was asked for
    policy: Callable[[Report], PolicyOutcome | None] | None = None
    further: Mapping[str, object] = field(default_factory=dict)  # what --json prints of this very run alone
    seconds: Sequence[float] = ()  # that each file of the run took, in the order of the report
    problems: tuple[str, ...] = ()  # the input that could not be used
    problem_files: tuple[str, ...] = ()  # the file of each, where they are of files
    unread: tuple[str, ...] = ()  # those of files that the report says nothing of, so that it is not whole
    warnings: tuple[str, ...] = ()  # what the person may have overlooked
    is_incomplete: bool = False
    n_audited: int = 1  # of files, or of what else a tool has a verdict for

    def show(self, arguments: argparse.Namespace) -> int:
        """Print the result, write the report where it is asked for, and return the exit code.

        AuditInputError: nothing was audited, and nothing says why; a folder may not be there as it should.
        """
        if not (self.n_audited or self.problems or self.is_incomplete):
            raise AuditInputError(_NOTHING)
        if absent := getattr(arguments, "not_read", ()):
            return self.with_unread(absent).show(argparse.Namespace(**vars(arguments) | {"not_read": ()}))
        print_problems(self.problems)
        if arguments.json:
            print_json(self.document())
        else:
            outcome = None if self.policy is None else self.policy(self._report)
            print_lines([*self._lines(), *self.written, *(outcome.lines if outcome else ())])
            print_evidence(self.evidence or ())
        for warning in self.warnings:
            print_warning(warning)
        self.write_report(arguments)
        return exit_code(self.verdict, incomplete=self.is_incomplete or bool(self.problems))

    def _lines(self) -> Iterable[str]:
        from core.reports.as_text import lines_of  # noqa: PLC0415 - takes long to import

        return () if self.is_told else lines_of(self.result(), tables=self.tables)

    @cached_property
    def _report(self) -> Report:
        """Return the report, which is made once, whatever it is printed and written as."""
        return self.report(datetime.now(UTC)).beside_unread([str(problem) for problem in self.unread])

    def with_unread(self, problems: Sequence[str]) -> Audited:
        """Return the same beside files that could not be read when a report was made."""
        told = tuple(own(each) for each in problems)
        return replace(self, problems=(*self.problems, *told), unread=(*self.unread, *told))

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints: the report, with what went wrong and how long files took."""
        from core.reports import render_json  # noqa: PLC0415 - takes long to import

        document: dict[str, Any] = json.loads(render_json(self.full_report(self._report.created_at)))
        with speaking(ENGLISH):
            of_files = zip_longest(self.problem_files, self.problems, fillvalue="")
            errors = [{"file": file, "message": str(problem)} for file, problem in of_files]
            further = json_value(self.further)
        files: list[dict[str, Any]] = next(
            (document[key] for key in ("files", "pairs") if key in document), []
        )
        for file, seconds in zip(files, self.seconds, strict=False):
            file["seconds"] = round(seconds, 3)
        return {"errors": errors, **document, **further}  # type: ignore[dict-item]

    def full_report(self, created_at: datetime) -> Report:
        """Return the report, with the policy and the evidence that were asked for."""
        report = replace(self._report, created_at=created_at)
        if self.policy is not None and (outcome := self.policy(report)) is not None:
            report = policy_commands().with_outcome(report, outcome)
        return report if self.evidence is None else report.with_evidence(self.evidence)

    def write_report(self, arguments: argparse.Namespace) -> None:
        """Write the report in the formats asked for, and say where it is."""
        if arguments.report is None:
            return
        from core.reports import RENDERERS, content_digest, report_stem  # noqa: PLC0415 - takes long to import

        folder: Path = arguments.report
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AuditInputError(_unwritable("--report", folder, error, "Choose another folder.")) from None
        renderers = {name: RENDERERS[name] for name in formats_of(arguments)}
        while True:
            report = self.full_report(created_at := datetime.now(UTC))
            stem = report_stem(report.tool, created_at, content_digest(report))
            files = {
                folder / f"{stem}.{each.extension}": each.function(report) for each in renderers.values()
            }
            if not any(folder.glob(f"{stem}.*")):
                try:
                    write_new_files("--report", files)
                    break
                except AuditInputError:
                    if not any(map(os.path.lexists, files)):
                        raise
            time.sleep(1)  # the same was reported in this very second, and names tell no less
        index = _write_index(folder) if "html" in renderers else None
        if not arguments.json:
            print_line(text("Report: {file}", file=", ".join(map(str, files))))
            if index is not None:
                print_line(text("All reports of the folder, the worst first: {file}", file=str(index)))


def _write_index(folder: Path) -> Path | None:
    """Write the page that lists a folder's reports anew; None where it lists one alone, or is not ours."""
    from core.reports.index import INDEX, is_index, render_index  # noqa: PLC0415 - takes long to import

    path, data = folder / INDEX, render_index(folder)
    if data is None:
        return None
    try:
        ours = is_index(path) if path.exists() or path.is_symlink() else True
        if ours:
            write_file(path, data, replace=True)
            return path
        print_warning(text("{file} is no index of AnonAudit and was left as it is.", file=str(path)))
    except OSError as error:
        print_warning(_unwritable("--report", path, error, "The reports are there."))
    return None


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Declare the folder of the report, and its formats."""
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FOLDER",
        help="write the report that the page downloads into a folder; nothing in it is overwritten",
    )
    parser.add_argument(
        "--formats",
        default="html,json",
        metavar="FORMATS",
        help=f"of the report, with commas between them: {', '.join(_FORMATS)} (default: html,json)",
    )


def check_report_options(arguments: argparse.Namespace) -> None:
    """Refuse a report that cannot be written, before any work is done."""
    if arguments.report is not None and arguments.report.exists() and not arguments.report.is_dir():
        no_folder = "--report: {folder} is not a folder; choose another name."
        raise input_error(no_folder, folder=str(arguments.report))
    formats_of(arguments)


def memory_asked_for(arguments: argparse.Namespace) -> int | None:
    """Return the bytes of memory that a process may take, where that was asked for."""
    megabytes: int | None = getattr(arguments, "memory", None)
    if megabytes is not None and megabytes < 1:
        raise input_error("--memory must be at least 1 MB; received {given}.", given=megabytes)
    return None if megabytes is None else megabytes << 20


def formats_of(arguments: argparse.Namespace) -> list[str]:
    """Return the formats that are asked for."""
    asked = [part.strip() for part in arguments.formats.split(",") if part.strip()]
    if not asked or not {*asked} <= {*_FORMATS}:
        message = "--formats must be among {formats}, with commas between them; received {given}."
        raise input_error(message, formats=", ".join(_FORMATS), given=arguments.formats)
    return list(dict.fromkeys(asked))


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
        raise AuditInputError(_unwritable(option, paths[0], error, "Choose another name.")) from None
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
            raise AuditInputError(_unwritable(option, path, error, remedy)) from None
        raise
    if differs is not None:
        problem = "{option}: {file} does not read back as it was written; do not use it."
        raise input_error(problem, option=option, file=str(differs))


def _unwritable(option: str, path: Path, error: OSError, remedy: str) -> Text:
    problem = "{option}: {file} cannot be written: {reason}."
    return joined([text(problem, option=option, file=str(path), reason=str(error.strerror)), remedy])


def add_not_read_option(parser: argparse.ArgumentParser) -> None:
    """Declare what could not be read when a report was made, which a repetition is not given."""
    parser.add_argument("--not-read", action="append", default=[], metavar="SENTENCE", help=argparse.SUPPRESS)


def add_evidence_option(parser: argparse.ArgumentParser) -> None:
    """Declare whether cells are shown."""
    parser.add_argument(
        "--evidence",
        choices=("none", "masked"),
        default="none",
        help="show the records behind findings by number, their cells masked: letters as A, digits as 9 "
        "(default: none)",
    )


def print_evidence(tables: Iterable[Table]) -> None:
    """Print tables of evidence, a line a record."""
    from core.reports.model import headings, said_rows  # noqa: PLC0415 - takes long to import

    for table in tables:
        print_line(text("Evidence: {title}", title=own(table.title)))
        for row in (headings(table.columns), *said_rows(table)):
            print_line(text("  {cells}", cells=" | ".join("" if cell is None else str(cell) for cell in row)))


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
