"""``python -m core demo``: the demo files of a tool in a folder, and the command that audits them."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.commands.output import check_new_files, print_lines, write_new_files
from core.demo import DEMO_ROLES, DEMOS, LABEL, Demo, DemoFile
from core.settings.form import command_line
from core.words import counted, input_error, text

TOOLS = tuple(DEMOS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tool, the folder, and which of the tool's demos."""
    parser.add_argument("of", choices=TOOLS, metavar="TOOL", help=f"one of {', '.join(TOOLS)}")
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where the files go; made if it is not there"
    )
    parser.add_argument(
        "--name", metavar="NAME", help="which demo of the tool (default: the first); a wrong name lists them"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files, none over another, and print how to audit them."""
    demos = demos_of(arguments.of)
    demo = demos.get(arguments.name or next(iter(demos)))
    if demo is None:
        raise input_error(
            "--name must be one of {names}, received {name}.", names=", ".join(demos), name=arguments.name
        )
    folder: Path = arguments.folder
    files = demo.make()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refused = "{folder} cannot be made: {reason}."
        raise input_error(refused, folder=str(folder), reason=str(error.strerror)) from None
    data = {folder / file.name: file.data for several in files.values() for file in several}
    check_new_files("FOLDER", *data)
    write_new_files("FOLDER", data)
    print_lines(
        [
            text(
                "{files} in {folder}: {about}",
                files=counted(len(data), "file"),
                folder=str(folder),
                about=text(demo.description),
            ),
            *(text("  {line}", line=path.name) for path in data),
            text("Audit them there by: {command}", command=audit_command(arguments.of, demo.key, files)),
        ]
    )
    return 0


def demos_of(tool: str) -> Mapping[str, Demo]:
    """Return the demos of a tool by name."""
    return {demo.key: demo for demo in DEMOS[tool]}


def audit_command(tool: str, key: str, files: Mapping[str, Sequence[DemoFile]]) -> str:
    """Return what audits a demo in the folder it was written to."""
    names = {role: [file.name for file in several] for role, several in files.items()}
    given: list[str] = [name for several in names.values() for name in several]
    words: list[str] = []
    if tool == "tabular":
        given = [name for name in given if f"{name.removesuffix('.csv')}_anonymized.csv" in given]
    elif tool == "vcf":
        given, words = [], ["-o", ".", "-a", "."]
    elif tool == "risk":
        given = names["table"]
        words = [word for name in names["original"] for word in ("--original", name)]
    elif tool == "diversity":
        roles = DEMO_ROLES[key]
        words = ["--label", LABEL, "--sensitive", roles.sensitive_attribute]
        words += ["--quasi-identifier", *roles.quasi_identifiers]
    return command_line(tool, given, words)
