"""``python -m core compare``: two reports of one tool beside each other."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from core.commands.output import print_json, print_lines
from core.filed import Comparison, compare_reports, comparison_document, read_report
from core.words import own, text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two reports."""
    parser.add_argument("before", type=Path, metavar="BEFORE.json", help="the earlier report, as JSON")
    parser.add_argument("after", type=Path, metavar="AFTER.json", help="the later one, of the same tool")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """Compare, print what differs, and return 1 where a verdict got worse or a report was changed, else 0."""
    comparison = compare_reports(read_report(arguments.before), read_report(arguments.after))
    if arguments.json:
        print_json(comparison_document(comparison))
    else:
        print_lines(_lines(comparison))
    return int(comparison.is_worse or comparison.is_changed)


def _lines(comparison: Comparison) -> Iterator[str]:
    yield comparison.sentence
    for heading, changes in comparison.changes().items():
        changed = [each for each in changes if each.direction != "same"]
        if changed:
            yield text("{heading}:", heading=own(heading))
        for each in changed:
            yield text(
                "  {name}: {before} → {after} ({direction})",
                name=own(each.name),
                before=each.before or "–",
                after=each.after or "–",
                direction=own(each.direction),
            )
    for heading, findings in comparison.findings().items():
        if findings:
            yield text("{heading}:", heading=own(heading))
        for finding in findings:
            verdict = own(finding.verdict.word)
            yield text("  {verdict}: {message}", verdict=verdict, message=finding.message)
    yield from comparison.notes
