"""Every figure that tools show, defined once: pages, reports and documents read from here.

The tables beside this file have a line for each, with bars between key, label, unit, range, source and
definition. A unit with ↑ protects people better where the figure is higher, with ↓ where it is lower. Without
a range it is at least 0, a share or a risk at most 1; an end that is left out has no bound. The sources stand
above the figures by their names; a figure without one is ours.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from core.measures.measure import Measure, format_number

TABLES = (
    *("classes", "disclosure", "cost", "risk", "leakage", "tabular", "vcf", "events", "diversity"),
    *("delivery", "releases", "counts"),
)
_BETTER = {"↑": "higher", "↓": "lower", "": "neither"}


def _read(table: str) -> Iterator[Measure]:
    told = Path(__file__).with_name(f"{table}.txt").read_text(encoding="utf-8")
    above, _, rows = told.rpartition("\n\n")
    sources = dict(line.split(": ", 1) for line in above.splitlines())
    for row in rows.splitlines():
        key, label, unit, bounds, source, definition = row.split(" | ")
        unit, _, arrow = unit.partition(" ")
        better, said = _BETTER[arrow], sources[source] if source else "AnonAudit"
        yield Measure(key, label, unit, better, said, *_range(bounds), definition)  # type: ignore[arg-type]


def _range(bounds: str) -> tuple[float | None, float | None]:
    lower, _, upper = (bounds or "0…").partition("…")
    return (float(lower) if lower else None), (float(upper) if upper else None)


_OF_TABLES = {table: tuple(_read(table)) for table in TABLES}
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {measure.key: measure for measures in _OF_TABLES.values() for measure in measures}
)


def keys_of(*tables: str) -> tuple[str, ...]:
    """Return the keys of the measures of some tables, in their order."""
    return tuple(measure.key for table in tables for measure in _OF_TABLES[table])
