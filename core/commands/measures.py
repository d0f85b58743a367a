"""``python -m core measures``: the definition of every figure, as Markdown."""

import argparse

from core.measures import MEASURES, Measure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no argument."""


def run(_arguments: argparse.Namespace) -> int:
    """Print the definitions."""
    print(measures_document(), end="")
    return 0


def measures_document() -> str:
    """Return all definitions as a Markdown document, in the order of the registry."""
    rows = [
        "# Measures",
        "",
        "Every figure that AnonAudit shows, defined once. `python -m core measures` prints this page.",
        "",
        "| figure | key | unit | range | better | definition | source |",
        "|---|---|---|---|---|---|---|",
        *(_row(measure) for measure in MEASURES.values()),
    ]
    return "\n".join(rows) + "\n"


def _row(measure: Measure) -> str:
    bounds = f"{_bound(measure.lower, '−∞')} … {_bound(measure.upper, '∞')}"
    cells = (
        measure.label,
        f"`{measure.key}`",
        measure.unit,
        bounds,
        measure.better,
        measure.definition,
        measure.source,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _bound(value: float | None, unbounded: str) -> str:
    return unbounded if value is None else f"{value:g}"
