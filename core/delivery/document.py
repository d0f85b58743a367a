"""A delivery's audit as one JSON document and as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.delivery.attack import Attack
from core.delivery.judging import DeliveryAudit
from core.delivery.keys import Link
from core.delivery.known import Known
from core.delivery.measuring import TableFacts
from core.free_text import reading_words, texts_document
from core.plain import plain_fields
from core.releases import earlier_words
from core.settings_form import option_words, settings_document
from core.verdict import Verdict
from core.words import Text, own, text

if TYPE_CHECKING:
    from core.reports import InputFacts


# What needs the records themselves, and is no key of the document of tables in an engine.
_OF_RECORDS = ("attacks", "smallest_sets_finding_half", "intervals", "texts")


def delivery_document(audit: DeliveryAudit) -> dict[str, object]:
    """Return the audit as JSON-able values; shares in [0, 1], null for what could not be told."""
    document = _document(audit)
    is_there = audit.measurement.is_in_engine
    return {key: value for key, value in document.items() if not (is_there and key in _OF_RECORDS)}


def _document(audit: DeliveryAudit) -> dict[str, object]:
    measured, k = audit.measurement, audit.thresholds.k
    return {
        "tool": "dataset",
        "verdict": audit.overall.value,
        "overall": audit.overall.value,
        "n_tables": len(measured.tables),
        "n_persons": measured.n_persons,
        "tables": [_table(table, k) for table in measured.tables],
        "keys": [_link(link) for link in measured.links],
        "known": [_known(known, k) for known in measured.known],
        "records_alone": [_known(known, k) for known in measured.records_alone],
        "unchosen_columns": [str(place) for place in measured.unchosen],
        "share_found_by_all_columns": None
        if measured.everything_known is None
        else measured.everything_known.share_below(2),
        "attacks": [_attack(attack) for attack in measured.attacks],
        "smallest_sets_finding_half": [_attack(attack) for attack in measured.finding_half],
        "intervals": [
            {
                "column": f"{table.name}.{each.column}",
                "n_persons": each.n_persons,
                "share_alone": each.share_alone,
                "share_alone_by_number_of_records": each.share_alone_by_number,
                "share_alone_by_weekdays": each.share_alone_by_weekdays,
            }
            for table in measured.tables
            for each in table.time.sequences
        ],
        "same_files": [list(pair) for pair in measured.same_files],
        "texts": texts_document(measured.texts, audit.read),
        "thresholds": vars(audit.thresholds),
        "settings": settings_document(measured.settings, audit.thresholds),
        "findings": [finding.document() for finding in audit.findings],
    }


def _table(table: TableFacts, k: int) -> dict[str, object]:
    return {
        "table": table.name,
        "n_records": table.n_records,
        "n_persons": table.n_persons,
        "person_column": None if table.person_column is None else str(table.person_column),
        "persons_have_several_records": table.repeats,
        "quasi_identifiers": list(table.quasi_identifiers),
        "n_persons_below_k": table.n_below(k),
        "smallest_class": int(table.smallest.min()) if len(table.smallest) else None,
        "n_records_of_nobody": table.n_nobody,
        "n_persons_only_here": table.n_only_here,
    }


def _link(link: Link) -> dict[str, object]:
    return {
        "one": str(link.one),
        "other": str(link.other),
        **plain_fields(link, "n_values", "n_found", "share_found", "one_is_unique", "other_is_unique"),
        "spelled_otherwise": link.is_folded,
        "given": link.is_given,
    }


def _known(known: Known, k: int) -> dict[str, object]:
    interval = known.interval_below(k)
    return {
        "n_records_known": known.n_events,
        "n_persons_looked_at": known.n_looked_at,
        "share_below_k": known.share_below(k),
        "share_below_k_interval": None if interval is None else list(interval),
        "share_unique": known.share_below(2),
        "share_found_by_random_records": known.share_found,
        "smallest_class": int(known.smallest.min()) if known.n_looked_at else None,
        "n_persons_with_records_drawn": known.n_cut,
    }


def _attack(attack: Attack) -> dict[str, object]:
    return {
        "n_facts": attack.n_facts,
        "of_person": [str(place) for place in attack.of_person],
        "of_record": [str(place) for place in attack.of_record],
        "share_found": attack.share_found,
    }


def verdict_sentence(audit: DeliveryAudit) -> Text:
    """Say the gravest finding; of none, how many persons all tables together find."""
    if not audit.findings:
        return text("No key joins the tables: what they tell together is not known.")
    gravest = audit.findings[0]
    if gravest.verdict is Verdict.PASS:
        gravest = next((each for each in audit.findings if each.check == "joined_k"), gravest)
    return own(gravest.gist)


def delivery_arguments(audit: DeliveryAudit, inputs: Sequence[InputFacts]) -> tuple[str, ...]:
    """Return the words that repeat the audit of some tables."""
    words = [*option_words(audit.measurement.settings), *option_words(audit.thresholds)]
    tables = [facts.path for facts in inputs if facts.role == "table"]
    read = reading_words(audit.read, audit.measurement.texts)
    return (*tables, *words, *read, *earlier_words(audit.releases, inputs))
