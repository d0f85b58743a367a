"""A result as lines for a terminal: verdict, findings, what to do, figures, and the tables asked for."""

from collections.abc import Collection, Iterator
from itertools import islice
from unicodedata import east_asian_width

from core.measures import MEASURES
from core.reports.model import figure_text
from core.result import Col, Figure, Result, Table
from core.verdict import Finding, Verdict, next_steps, worst_first
from core.words import Text, amount, joined, own, say, text

_MOST_ROWS = 20


def lines_of(result: Result, *, tables: Collection[str] = ()) -> Iterator[str]:
    """Yield the lines; `tables`: keys of the groups whose tables are shown, at most 20 rows of each."""
    yield _first(result)
    findings = worst_first(result.findings)
    yield from (_finding(each) for each in findings)
    if steps := next_steps(findings):
        yield own("Do next:")
        yield from (text("  {step}", step=own(step)) for step in steps)
    parts = result.parts("report", is_detail=False)
    if figures := result.in_order([each for each in parts if isinstance(each, Figure)]):
        yield own("Figures:")
        yield from (_figure(each) for each in figures)
    for group in result.groups:
        if group.key in tables:
            yield from (line for each in group.tables for line in table_lines(each))
    for file in result.files():
        yield from lines_of(file, tables=tables)


def _first(result: Result) -> Text:
    """Return the verdict with its sentence, and what it is the worst of."""
    said = text("{verdict}: {sentence}", verdict=own(result.verdict.word), sentence=own(result.headline))
    if result.name:
        said = text("{file}: {said}", file=result.name, said=said)
    if not result.verdicts:
        return said
    parts = [
        text("{name} {verdict}", name=own(name), verdict=own(each.word))
        for name, each in result.verdicts.items()
    ]
    return text("{said} ({parts})", said=said, parts=joined(parts, ", "))


def _finding(finding: Finding) -> Text:
    return text("  {verdict}  {message}", verdict=own(finding.verdict.word), message=own(finding.message))


def _figure(figure: Figure) -> Text:
    """Return a figure, what it is about, what it is held against, and its verdict."""
    label = own(MEASURES[figure.measure].label)
    name = text("{what}: {of}", what=label, of=own(figure.of)) if figure.of else label
    value = own(figure_text(figure))
    judged = [own(figure.threshold)] if figure.threshold else []
    judged += [own(figure.verdict.word)] if figure.verdict else []
    if not judged:
        return text("  {name}: {value}", name=name, value=value)
    return text("  {name}: {value} ({judged})", name=name, value=value, judged=joined(judged, ", "))


def table_lines(table: Table) -> Iterator[Text]:
    """Yield a table's title, headings and first rows in columns, and how many more there are."""
    cells = table.cells()
    shown = [[say(each.label) for each in table.columns]]
    shown += [
        [_cell(*each) for each in zip(row, table.columns, strict=True)] for row in islice(cells, _MOST_ROWS)
    ]
    widths = [max(map(_width, column)) for column in zip(*shown, strict=True)]
    yield text("{title}:", title=own(table.title))
    if table.note:
        yield text("  {note}", note=own(table.note))
    for row in shown:
        padded = [cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        yield text("  {cells}", cells="  ".join(padded).rstrip())
    if (rest := len(cells) - _MOST_ROWS) > 0:
        yield text("… and {more} more; --json prints all", more=rest)


def _cell(value: object, column: Col) -> str:
    if value is None:
        return "–"
    if isinstance(value, Verdict):
        return say(value.word)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return say(value) if isinstance(value, str) and column.kind == "words" else str(value)
    return say(amount(column.unit, value)) if column.unit else f"{value:,.6g}"


def _width(cell: str) -> int:
    """Return how many columns of a terminal a cell takes."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in cell)
