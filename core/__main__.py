"""The command line: ``python -m core <tool> …``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from core import __version__
from core.commands import diversity, events, leakage, measures, risk, tabular, vcf
from core.commands.output import print_problems
from core.errors import AuditInputError


class Command(Protocol):
    """A module of :mod:`core.commands`: the name, a line of help, its arguments, and what it does."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the subcommand's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work, print the result, return the exit code."""


COMMANDS: tuple[Command, ...] = (tabular, leakage, risk, events, diversity, measures, vcf)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every tool as a subcommand."""
    parser = argparse.ArgumentParser(
        prog="python -m core",
        description="Audit anonymized data on this machine. Exit code: 0 done, 1 the verdict is FAIL, "
        "2 an input could not be used or the arguments are wrong.",
    )
    parser.add_argument("--version", action="version", version=f"AnonAudit {__version__}")
    tools = parser.add_subparsers(dest="tool", required=True, metavar="TOOL")
    for command in COMMANDS:
        subparser = tools.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code (0, 1 for FAIL, 2 for unusable input)."""
    parsed = build_parser().parse_args(arguments)
    try:
        code = int(parsed.run(parsed))
        sys.stdout.flush()
    except AuditInputError as error:
        print_problems(error.problems)
        return 2
    except BrokenPipeError:  # whoever read the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
