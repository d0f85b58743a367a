"""The subcommands of ``python -m core``, one module per tool, imported when it is asked for."""

from importlib import import_module
from typing import Any

COMMANDS = {
    "tabular": "Verify anonymized tables against their originals and logs, with a second opinion.",
    "leakage": "Compare an original table with its scrambled copy: leaking rows, how much of it is chance.",
    "risk": "Measure group sizes, re-identification risk and attribute disclosure of a table.",
    "dataset": "Read the tables of one delivery together: who is found by facts from several of them.",
    "events": "Generalize, flatten and reduce an event log until k users share every released combination.",
    "diversity": "Search the (k, ℓ) grid: protection against the accuracy of a model; k and ℓ are proven.",
    "decide": "Approve, reject or return a filed report; sign, check and pack what was decided.",
    "keys": "Make a pair of keys to sign decided reports with.",
    "demo": "Write the demo files of a tool into a folder, and say how to audit them.",
    "measures": "Print the definition, unit, range, direction and source of every figure.",
    "vcf": "Verify that anonymized VCF files are masked: header, short tandem repeats, rare variants.",
    "verify": "Repeat a filed report on its files: the same, the same figures, or what differs.",
    "serve": "Start the dashboard on this machine and print its address.",
    "compare": "Compare two reports of one tool: verdicts, figures, findings, settings, files.",
}


def command(name: str) -> Any:
    """Return the module of a subcommand: of an audit what is special about it, else arguments and all."""
    return import_module(f"core.commands.{name}")
