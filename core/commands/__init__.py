"""The subcommands of ``python -m core``, one module per tool, imported when it is asked for."""

import argparse
from importlib import import_module
from typing import Any, Protocol

COMMANDS = {
    "tabular": "Verify anonymized tables against their originals and logs, with a second opinion.",
    "leakage": "Compare an original table with its scrambled copy: leaking rows, how much of it is chance.",
    "risk": "Measure class sizes, re-identification risk and attribute disclosure of a table.",
    "dataset": "Read the tables of one delivery together: who is found by facts from several of them.",
    "events": "Generalize, flatten and reduce an event log until k users share every released combination.",
    "diversity": "Search the (k, ℓ) grid: protection against the accuracy of a model; k and ℓ are proven.",
    "decide": "Approve, reject or return a filed report; sign, check and pack what was decided.",
    "keys": "Make a pair of keys to sign decided reports with.",
    "demo": "Write the demo files of a tool into a folder, and say how to audit them.",
    "measures": "Print the definition, unit, range, direction and source of every figure.",
    "vcf": "Verify that anonymized VCF files are masked: header, short tandem repeats, rare variants.",
    "verify": "Repeat a filed report on its files: the same, the same figures, or what differs.",
    "compare": "Compare two reports of one tool: verdicts, figures, findings, settings, files.",
}
OF_POLICIES = ("tabular", "vcf", "leakage", "risk", "dataset", "events", "diversity")  # of audits


class Command(Protocol):
    """A module of this package: its arguments, and what it does."""

    FORMS: tuple[type[Any], ...]  # of its settings

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the subcommand's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work, print the result, return the exit code."""


def command(name: str) -> Command:
    """Return the module of a subcommand."""
    module: Command = import_module(f"core.commands.{name}")
    return module


def policy_commands() -> Any:
    """Return the module of ``--policy``, which only the tools that policies speak of need."""
    return import_module("core.commands.policies")
