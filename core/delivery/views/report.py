"""Figures, tables, chart and report of a delivery."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pandas as pd

from core.charts import horizontal_bars
from core.delivery import DeliveryAudit, attack_sentence, known_words, verdict_sentence
from core.delivery.document import delivery_arguments, delivery_document
from core.delivery.known import Known
from core.delivery.views.picture import attacks_chart, tables_chart
from core.releases.views import MEASURE_KEYS as RELEASE_KEYS
from core.releases.views import releases_figures, releases_limits, releases_tables
from core.reports import (
    Figure,
    InputFacts,
    Report,
    ReportChart,
    ReportTable,
    current_versions,
    input_facts,
    placed,
)
from core.reports.model import Column, table_of
from core.settings_form import report_lines
from core.tables import Dataset
from core.verdict import Verdict
from core.words import Text, counted, listed, own, percent, say, text

TITLE = "Data set"
QUESTION = "Who is found when the tables of one delivery are read together?"
MEASURE_KEYS = (
    "joined_below_k_share",
    "joined_unique_share",
    "random_found_share",
    "attack_share",
    "table_below_k_share",
    *RELEASE_KEYS,
)
LIMITS = (
    "Only the tables given are read together. What else has been released, or what others hold, finds more.",
    "An intruder who knows a person is in the data is assumed; what is known is assumed to be exact.",
    "Sensitive values that a whole group shares are found in Disclosure risk, table by table.",
    "Of two and three known records everybody is looked at only where that is said; else a sample.",
    "The cheapest facts are searched step by step; a cheaper set may exist.",
)

KNOWN_COLUMNS = (
    Column("known", "Known of a person", kind="words"),
    Column("below", "Among fewer than k", "share"),
    Column("alone", "Alone", "share"),
    Column("random", "Alone by records drawn at random", "share"),
    Column("looked_at", "Persons looked at", "number"),
)
TABLE_COLUMNS = (
    Column("table", "Table"),
    Column("records", "Records", "records"),
    Column("persons", "Persons", "number"),
    Column("person_column", "Person"),
    Column("quasi_identifiers", "Quasi-identifiers", kind="words"),
    Column("below", "Among fewer than k", "number"),
    Column("smallest", "Smallest group", "number"),
    Column("only_here", "In no other table", "number"),
)
KEY_COLUMNS = (
    Column("one", "Column"),
    Column("other", "Found in it: column"),
    Column("found", "Values found", "number"),
    Column("values", "Values", "number"),
    Column("share", "Share found", "share"),
    Column("note", "Note", kind="words"),
)
ATTACK_COLUMNS = (
    Column("facts", "Facts", "number"),
    Column("of_person", "Of the person", kind="words"),
    Column("of_record", "Of one record", kind="words"),
    Column("share", "Persons found", "share"),
)


def figures(audit: DeliveryAudit) -> tuple[Figure, ...]:
    """Return the figures of all tables together; none where nobody can be told."""
    judged, measured = audit.judged, audit.measurement
    if judged is None:
        return ()
    everything = measured.known_by(None)
    found = [
        Figure(
            "joined_below_k_share",
            judged.share_below(audit.thresholds.k),
            total=judged.n_looked_at,
            threshold="none allowed",
            verdict=_verdict_of(audit, "joined_k"),
            of=known_words(judged.n_events),
        ),
        Figure(
            "joined_unique_share",
            everything.share_below(2),
            total=everything.n_looked_at,
            threshold=text("at most {share}", share=percent(audit.thresholds.alone_with_all)),
            verdict=_verdict_of(audit, "alone_with_all_records"),
        )
        if measured.record_tables
        else None,
        Figure("random_found_share", judged.share_found, of=known_words(judged.n_events)),
        None
        if audit.cheapest is None
        else Figure("attack_share", audit.cheapest.share_found, of=counted(audit.cheapest.n_facts, "fact")),
    ]
    return tuple(figure for figure in found if figure is not None)


def _verdict_of(audit: DeliveryAudit, check: str) -> Verdict | None:
    return next((each.verdict for each in audit.findings if each.check == check), None)


def known_chart(audit: DeliveryAudit) -> ReportChart:
    """Draw how many persons are among fewer than k, by what is known of them."""
    known, k = audit.measurement.known, audit.thresholds.k
    rows = [(say(short_known(each)), each.share_below(k)) for each in known if each.n_looked_at]
    return ReportChart(
        title=text("Persons among fewer than {k} by what is known of them", k=k),
        chart=horizontal_bars(
            pd.DataFrame(rows, columns=["known", "below"]),
            label="known",
            value="below",
            value_title="Share of persons",
            label_title="Known beside quasi-identifiers",
        ),
        alt_text=text(
            "Of {persons}, {first} are among fewer than {k} for who knows quasi-identifiers alone, {one} "
            "with one record, {all} with all records.",
            persons=counted(audit.measurement.n_persons or 0, "person"),
            k=k,
            first=percent(known[0].share_below(k)),
            one=percent(known[1].share_below(k)),
            all=percent(known[-1].share_below(k)),
        ),
    )


def short_known(known: Known) -> Text:
    """Return what is known, for an axis."""
    if known.n_events is None:
        return text("all records")
    if not known.n_events:
        return text("no record")
    return text("{n} record", "{n} records", n=known.n_events)


def known_table(audit: DeliveryAudit) -> pd.DataFrame:
    """Return what each knowledge finds, a row each."""
    k = audit.thresholds.k
    rows = [
        (
            known_words(each.n_events),
            each.share_below(k),
            each.share_below(2),
            each.share_found,
            each.n_looked_at,
        )
        for each in audit.measurement.known
    ]
    return table_of(rows, KNOWN_COLUMNS)


def tables_table(audit: DeliveryAudit) -> pd.DataFrame:
    """Return the tables, a row each."""
    k = audit.thresholds.k
    rows = [
        (
            table.name,
            table.n_records,
            table.n_persons if table.person_column is not None else None,
            None if table.person_column is None else str(table.person_column),
            listed(table.quasi_identifiers) if table.quasi_identifiers else own("none"),
            table.n_below(k) if table.person_column is not None else None,
            int(table.smallest.min()) if len(table.smallest) else None,
            table.n_only_here if table.person_column is not None else None,
        )
        for table in audit.measurement.tables
    ]
    return table_of(rows, TABLE_COLUMNS)


def keys_table(audit: DeliveryAudit) -> pd.DataFrame:
    """Return the keys between tables, a row each."""
    rows = [
        (
            str(link.one),
            str(link.other),
            link.n_found,
            link.n_values,
            link.share_found,
            own("spelled otherwise") if link.is_folded else own("named by you") if link.is_given else own(""),
        )
        for link in audit.measurement.links
    ]
    return table_of(rows, KEY_COLUMNS)


def attacks_table(audit: DeliveryAudit) -> pd.DataFrame:
    """Return the facts that find most by their number, and all smallest sets found that find half."""
    measured = audit.measurement
    half = [each for each in measured.finding_half if each not in measured.attacks]
    rows = [
        (
            attack.n_facts,
            listed([str(place) for place in attack.of_person]) if attack.of_person else own("none"),
            listed([str(place) for place in attack.of_record]) if attack.of_record else own("none"),
            attack.share_found,
        )
        for attack in sorted((*measured.attacks, *half), key=lambda each: (each.n_facts, -each.share_found))
    ]
    return table_of(rows, ATTACK_COLUMNS)


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


def delivery_report(audit: DeliveryAudit, *, inputs: Sequence[InputFacts], created_at: datetime) -> Report:
    """Return the report of a delivery; aggregates only."""
    measured, inputs = audit.measurement, placed(inputs)
    tables = [ReportTable("tables", "Tables", tables_table(audit))]
    if measured.links:
        tables.append(ReportTable("keys", "Keys between tables", keys_table(audit)))
    if measured.known:
        tables.append(
            ReportTable("known", "What is known of a person, and what it finds", known_table(audit))
        )
    if measured.attacks:
        note = "" if audit.cheapest is None else attack_sentence(audit.cheapest)
        tables.append(ReportTable("attacks", "The cheapest attacks", attacks_table(audit), note))
    tables += releases_tables(audit.releases)
    return Report(
        tool="dataset",
        title=TITLE,
        question=QUESTION,
        verdict=audit.overall,
        headline=verdict_sentence(audit),
        inputs=inputs,
        settings=report_lines(measured.settings, audit.thresholds),
        figures=(*figures(audit), *releases_figures(audit.releases)),
        findings=audit.findings,
        tables=tuple(tables),
        charts=_charts(audit),
        limits=(*LIMITS, *releases_limits(audit.releases)),
        created_at=created_at,
        versions=current_versions(),
        result=delivery_document(audit),
        seeds={"seed": measured.settings.seed},
        arguments=() if measured.is_in_engine else (delivery_arguments(audit, inputs),),
    )


def _charts(audit: DeliveryAudit) -> tuple[ReportChart, ...]:
    measured = audit.measurement
    known = (known_chart(audit),) if measured.known else ()
    return (tables_chart(audit), *known, *((attacks_chart(audit),) if measured.attacks else ()))
