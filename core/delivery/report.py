"""The report of a delivery, and what it says of its files."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from core.declared import Originals
from core.delivery.judging import DeliveryAudit
from core.delivery.result import delivery_result
from core.delivery.tool import TOOL
from core.people.free_text import reading_words
from core.releases import earlier_words
from core.reports import InputFacts, Report, file_facts, input_facts, placed, report_of
from core.settings.form import option_words
from core.tables import Dataset
from core.words import listed, own, text

PARTS = (own("original"), own("mapping"), own("shifts"), own("rules"))  # in an audit, beside its tables


def delivery_report(audit: DeliveryAudit, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report of a delivery; aggregates only."""
    inputs = placed(inputs)
    return report_of(
        TOOL,
        delivery_result(audit),
        inputs=inputs,
        created_at=created_at,
        arguments=() if audit.measurement.is_in_engine else (delivery_arguments(audit, inputs),),
    )


def delivery_arguments(audit: DeliveryAudit, inputs: Sequence[InputFacts]) -> tuple[str, ...]:
    """Return the words that repeat the audit of some tables."""
    words = [*option_words(audit.measurement.settings), *option_words(audit.thresholds)]
    tables = [facts.path for facts in inputs if facts.role == "table"]
    read = reading_words(audit.read, audit.measurement.texts)
    return (*tables, *words, *read, *earlier_words(audit.releases, inputs), *_originals_words(inputs))


def _originals_words(inputs: Sequence[InputFacts]) -> list[str]:
    """Return the options that name originals, mapping, shifts and rules."""
    words = []
    for part in PARTS:
        paths = [facts.path for facts in inputs if facts.role == part]
        words += [f"--{part}", *paths] if paths else []
    return words


def facts_of_originals(originals: Originals | None) -> list[InputFacts]:
    """Return what a report says of the originals, and of mapping, shifts and rules."""
    if originals is None:
        return []
    found = [replace(each, role=PARTS[0]) for each in facts_of_tables([*originals.tables.values()])]
    found += [input_facts(table, own(name)) for name, table in originals.given.items()]
    if originals.rule_file:
        found.append(file_facts(originals.rule_file, own("rules"), name=originals.files["rules"]))
    return found


def facts_of_tables(datasets: Sequence[Dataset]) -> list[InputFacts]:
    """Return what a report says of the files, once of a workbook of which several sheets were read."""
    sheets: dict[tuple[str, str], list[Dataset]] = {}
    for each in datasets:
        sheets.setdefault((each.name, each.sha256), []).append(each)
    return [_facts_of_sheets(found) for found in sheets.values()]


def _facts_of_sheets(tables: Sequence[Dataset]) -> InputFacts:
    facts = input_facts(tables[0], own("table"))
    if len(tables) == 1:
        return facts
    reading = text(
        "{format}, sheets {names}",
        format=tables[0].reading.format,
        names=listed([str(each.reading.options.sheet) for each in tables]),
    )
    return replace(facts, reading=reading, options={**(facts.options or {}), "sheet": None})
