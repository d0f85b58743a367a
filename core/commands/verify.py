"""``python -m core verify``: a filed report repeated on its files."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from core.commands.audit import repeated_report
from core.commands.output import print_json, print_lines, print_warning
from core.filed import Repeat, Sameness, read_report
from core.files.named_files import Source
from core.words import input_error, own, text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the report and its files."""
    parser.add_argument("report", type=Path, metavar="REPORT.json", help="the report, as JSON")
    parser.add_argument(
        "files",
        type=Path,
        nargs="*",
        metavar="FILE",
        help="the files that were audited, or folders that hold them; names may have changed since",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Repeat the audit, say what it comes to, and return 0 for the same, 1 for another.

    What is nobody's but the report's is 2: words that another version may have used, and what it says of a
    policy whose file is not at hand.
    """
    found = []
    for path in arguments.files:
        if not path.exists():
            raise input_error("There is no file {path}; check the path.", path=str(path))
        inside = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        found += [Source(each.name, each) for each in inside]
    repeat = repeated_report(read_report(arguments.report), found)
    named = {path.name for path in arguments.files}  # what a folder holds besides is no mistake
    for name in [name for name in repeat.unused if name in named]:
        print_warning(text("{file} is no input of the report; it was left aside.", file=name))
    if arguments.json:
        print_json(repeat_document(repeat))
    else:
        print_lines(_lines(repeat))
    if repeat.sameness is Sameness.DIFFERENT:
        return 1
    return 2 if repeat.is_policy_kept or repeat.sameness is Sameness.OTHER_WORDS else 0


def repeat_document(repeat: Repeat) -> dict[str, object]:
    """Return what repeating a report came to as plain values for JSON."""
    return {
        "report": repeat.filed.name,
        "report_sha256": repeat.filed.sha256,
        "tool": repeat.filed.tool,
        "outcome": repeat.sameness.value,
        "changed_parts": list(repeat.filed.changed),
        "n_differences": repeat.n_differences,
        "differences": [each._asdict() for each in repeat.differences],
        "not_repeated": [str(each) for each in repeat.notes],
        "inputs": [
            {"role": str(facts.role), "name": facts.name, "sha256": facts.sha256, "given_as": given}
            for facts, given in repeat.used
        ],
        "left_aside": list(repeat.unused),
    }


def _lines(repeat: Repeat) -> Iterator[str]:
    yield text("{outcome}  {sentence}", outcome=repeat.sameness.word, sentence=repeat.sentence)
    yield from (text("  {note}", note=each) for each in repeat.notes)
    yield from (
        text("  {role} {file}: given as {given}", role=own(facts.role), file=facts.name, given=given)
        for facts, given in repeat.used
    )
    yield from (
        text("  {where}: filed {filed}, now {now}", where=each.where, filed=each.filed, now=each.now)
        for each in repeat.differences
    )
    if (rest := repeat.n_differences - len(repeat.differences)) > 0:
        yield text("  and {n} more", n=rest)
