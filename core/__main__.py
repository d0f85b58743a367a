"""The command line: ``python -m core <tool> …``."""

from __future__ import annotations

import argparse
import atexit
import errno
import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn


def _stop_at_start(*_: object) -> None:
    """Answer Ctrl+C while modules are loaded, when an interruption would end in a traceback of theirs."""
    os.write(2, b"error: Stopped before the end; nothing was judged.\n")
    os._exit(130)


class _Interrupted:
    """What answers Ctrl+C while a tool runs, and keeps that it came: libraries make other errors of it."""

    CODE = 130  # what a process that Ctrl+C ended leaves with
    came = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Interrupt what runs."""
        self.came = True
        signal.default_int_handler(number, frame)


_INTERRUPTED = _Interrupted()
_OBJECTS = 100_000  # made before garbage is looked for; that of modules is none, and looking takes long

if __name__ == "__main__":
    # KiB of addresses that Arrow takes at once; else a GiB, which is all that a copy of this process may have
    os.environ.setdefault("MIMALLOC_ARENA_RESERVE", "65536")
    signal.signal(signal.SIGINT, _stop_at_start)
    gc.set_threshold(_OBJECTS)

from core import __version__
from core.commands import COMMANDS, command, output
from core.errors import AuditInputError
from core.languages import ENGLISH, LANGUAGES
from core.processes.bounded_process import FORKER
from core.processes.bounds import memory_left
from core.settings.form import settings_named_by
from core.tools import TOOLS, tool
from core.words import speaking, text

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).parents[1]
_OF_OUTPUT = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF}  # where no file is named
_LANGUAGES = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())


class _WrongArgumentsError(SystemExit):
    """Ends a run whose arguments are wrong, once that is said."""

    def __init__(self, message: str) -> None:
        super().__init__(2)
        self.message = message


class _Parser(argparse.ArgumentParser):
    """A parser whose errors repeat arguments as they are written: a file's name may steer a terminal."""

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and leave with exit code 2."""
        try:
            super().error(output.printable(message))
        except SystemExit:
            raise _WrongArgumentsError(message) from None

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a message; help that cannot be printed is an error, as a result is."""
        if file is sys.stdout and message:
            file.write(message)
            file.flush()
        else:
            super()._print_message(message, file)


class _WriteDemo(argparse.Action):
    """``TOOL --demo NAME [FOLDER]``: what ``demo TOOL FOLDER --name NAME`` does."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,  # noqa: ARG002 - as argparse has it
    ) -> None:
        """Write the files and leave."""
        name, *folders = map(str, values or ())
        if len(folders) > 1:
            parser.error("--demo takes a name and one folder")
        tool = parser.prog.rpartition(" ")[2]
        words = ["demo", tool, *(folders or [name]), "--name", name, "--language", namespace.language]
        raise SystemExit(main(words))


def build_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser with every tool as a subcommand.

    Only the tool that `arguments` begin with is imported and declares its arguments: the others, with
    all the libraries they need, would take longer than many an audit.
    """
    parser = _Parser(
        prog="python -m core",
        description="Audit anonymized data on this machine. Exit code: 0 done, 1 the verdict is FAIL, "
        "2 an input could not be used or the arguments are wrong.",
    )
    parser.add_argument("--version", action="version", version=f"AnonAudit {__version__}")
    tools = parser.add_subparsers(dest="tool", required=True, metavar="TOOL")
    for name, summary in COMMANDS.items():
        subparser = tools.add_parser(name, help=summary, description=summary)
        if name in arguments[:1]:
            _declare(subparser, name)
    return parser


def _declare(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare what a command takes, and what runs it."""
    if name in TOOLS:
        audit = command("audit")
        audit.add_arguments(parser, tool(name))
        _add_demo(parser)
        parser.set_defaults(run=audit.run)
    else:
        command(name).add_arguments(parser)
        parser.set_defaults(run=command(name).run)
    _add_shared_options(parser)


def _add_shared_options(parser: argparse.ArgumentParser) -> None:
    """Declare what every command takes."""
    parser.add_argument(
        "--language",
        choices=tuple(LANGUAGES),
        default=ENGLISH,
        help=f"of what is printed and of reports: {_LANGUAGES} (default: {ENGLISH}); JSON and CSV "
        "stay English",
    )
    parser.add_argument("--debug", action="store_true", help="show where an unexpected error comes from")


def _add_demo(parser: argparse.ArgumentParser) -> None:
    """Declare that the files of a demo are written, where a tool takes no demo itself."""
    if "--demo" not in parser._option_string_actions:
        parser.add_argument(
            "--demo",
            action=_WriteDemo,
            nargs="+",
            metavar=("NAME", "FOLDER"),
            help="only write the files of this demo into the folder (default: one of its name), and say "
            "how to audit them; a wrong name lists them",
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code (0, 1 for FAIL, 2 for unusable input)."""
    try:
        output.ready_streams()
    except AuditInputError as error:
        return _ended_by(error, debug=False)
    words = sys.argv[1:] if arguments is None else arguments
    try:
        parsed = build_parser(words).parse_args(words)
    except _WrongArgumentsError as error:
        if "--json" in words:
            output.print_json_errors([error.message])
        raise
    if signal.getsignal(signal.SIGINT) is _stop_at_start:
        signal.signal(signal.SIGINT, _INTERRUPTED)
        FORKER.begin_here()
    with speaking(parsed.language):
        return _run(parsed)


def _run(parsed: argparse.Namespace) -> int:
    try:
        with settings_named_by("flag"):
            code = int(parsed.run(parsed))
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        return _ended_by(error, debug=parsed.debug, as_json=getattr(parsed, "json", False))
    return code


def _ended_by(error: BaseException, *, debug: bool, as_json: bool = False) -> int:
    """Say in a sentence what ended a run, as JSON too where that was asked for, and return its exit code."""
    code, problems = _end_of(error, debug=debug)
    output.print_problems(problems)
    if as_json and problems and code != _INTERRUPTED.CODE:
        output.print_json_errors(problems)
    return code


def _end_of(error: BaseException, *, debug: bool) -> tuple[int, tuple[str, ...]]:
    """Return the exit code of a run that an error ended, and what is said of it."""
    if isinstance(error, BrokenPipeError):  # whoever read the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2, ()
    if _INTERRUPTED.came or not isinstance(error, Exception):
        return _INTERRUPTED.CODE, ("Stopped before the end; nothing was judged.",)
    if isinstance(error, AuditInputError):
        return 2, error.problems
    if debug:
        traceback.print_exception(error)
    return 2, (unexpected(error),)


def unexpected(error: Exception) -> str:
    """Return a sentence about an error that nobody foresaw, without its message, which may quote a cell."""
    if isinstance(error, MemoryError) or "thread" in str(error):
        if memory_left() is not None:
            return "The input takes more memory than --memory allows. Allow more, or audit a part of it."
        return "The input takes more memory than there is. Audit a part of it, or use a larger machine."
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        cannot = "{file} cannot be used: {reason}."
        return text(cannot, file=os.fsdecode(error.filename), reason=error.strerror)
    if isinstance(error, OSError) and error.errno in _OF_OUTPUT and error.strerror:
        return text("The output cannot be written: {reason}.", reason=error.strerror)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(ROOT / "core")]
    if not ours:
        return text(
            "An unexpected {error} came up in a library; nothing was judged. Please report it with what you "
            "did; --debug shows more, which may quote cells.",
            error=type(error).__name__,
        )
    return text(
        "An unexpected {error} came up in {file}, line {line}; nothing was judged. Please report it with "
        "what you did; --debug shows more, which may quote cells.",
        error=type(error).__name__,
        file=Path(ours[-1].filename).name,
        line=str(ours[-1].lineno),
    )


def leave(code: int) -> NoReturn:
    """End the process at once, after all that is to be done at its end.

    A thread of a library may want Python's lock to free a buffer. While the interpreter takes itself apart it
    does not get it, and ends the process with a signal: in 2 to 6 of 100 runs on a busy machine.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed by whoever reads it
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    try:
        status = main()
    except SystemExit as end:  # of wrong arguments, and of help
        status = end.code if isinstance(end.code, int) else 0
    except Exception as error:  # Python would end with 1, which says that the verdict is FAIL
        status = _ended_by(error, debug=False)
    leave(status)
