"""Disclosure risk: how easily people are found in a table, and what it gives away."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import caching, risk
from core.demo import RISK as DEMOS
from core.reports import InputFacts, Report, input_facts
from core.risk.proof import risk_proof
from core.risk.report import risk_report
from core.risk.result import compared_group, risk_result
from core.risk.tool import TOOL
from core.tables import Dataset
from core.words import own, say
from pages.components.earlier import Earlier, ask_for_earlier, ledger_download, show_earlier
from pages.components.inputs import (
    Way,
    above_privacy_line,
    ask_for_files,
    ask_for_table,
    list_table,
    show_empty_state,
    show_ways_on,
    stored_files,
)
from pages.components.results import Download, show_definitions, show_downloads
from pages.components.texts import ask_what_was_read
from pages.measure.risk_parts.counts import show_counts
from pages.measure.risk_parts.details import Places, place_details, show_comparison, show_details
from pages.measure.risk_parts.in_database import ask_for_configured_table, show_in_database
from pages.measure.risk_parts.results import (
    show_classes,
    show_found,
    show_intruders,
    show_judgement,
    show_people,
)
from pages.measure.risk_parts.settings import ask_for_limits, ask_for_settings, propose_counts
from pages.measure.risk_parts.what_if import Sources, show_what_if

WHAT_TO_UPLOAD = (
    "Upload **one table** of people that is about to be released: CSV, TSV, Excel or Parquet, a record a "
    "row. No log and no original is needed."
)


def show_risk() -> None:
    st.title(say(TOOL.title))
    question = st.container()
    if (in_database := ask_for_configured_table()) is not None:
        with above_privacy_line():
            show_in_database(in_database)
        return
    dataset = ask_for_table(TOOL.key, "table", label="The table to be released")
    if dataset is None:
        question.markdown(say(TOOL.question))
        show_empty_state(TOOL.key, text=WHAT_TO_UPLOAD, demos=DEMOS)
        return
    settings, (*further, releases) = ask_for_settings(dataset)
    with releases:
        earlier = ask_for_earlier(TOOL.key)
    if settings.is_of_counts:
        with above_privacy_line():
            show_counts(dataset, settings, earlier)
        return
    with further[0]:
        others = _ask_for_others(earlier)
    with above_privacy_line():
        _show_results(dataset, settings, others)


class Others(NamedTuple):
    """What the table is compared with."""

    original: Dataset | None
    population: Dataset | None
    hierarchies: tuple[Dataset, ...]
    earlier: Earlier

    def facts(self) -> list[InputFacts]:
        """Return what a report says of them."""
        named = [(own("original"), self.original), (own("population"), self.population)]
        found = [input_facts(dataset, role) for role, dataset in named if dataset is not None]
        found += [input_facts(dataset, risk.GROUPS) for dataset in self.hierarchies]
        return [*found, *self.earlier.facts()]


@dataclass
class Measured:
    """What the page shows; the searches' results are filled in while it is drawn, for the report."""

    dataset: Dataset
    others: Others
    measurement: risk.RiskMeasurement
    columns: risk.ColumnsMeasurement | None = None
    suda: risk.Suda | None = None

    def sources(self) -> Sources:
        """Return what a search for generalizations takes beside the table."""
        named = dict(risk.hierarchy_for(each, self.dataset) for each in self.others.hierarchies)
        chosen = self.measurement.settings.quasi_identifiers
        population = self.others.population
        return Sources(
            hierarchies={name: each for name, each in named.items() if name in chosen},
            population=population,
            key=(
                "" if population is None else population.fingerprint,
                *(each.fingerprint for each in self.others.hierarchies),
            ),
        )

    def inputs(self) -> list[InputFacts]:
        """Return what a report says of the files."""
        return [input_facts(self.dataset, own("table")), *self.others.facts()]


def _ask_for_others(earlier: Earlier) -> Others:
    first, second, third = st.columns(3)
    with first:
        original = ask_for_table(
            TOOL.key,
            "original",
            label="The original",
            help_text="Shows what anonymization cost and changed; rows correspond by position.",
        )
    with second:
        population = ask_for_table(
            TOOL.key,
            "population",
            label="A table of the population",
            help_text="Everybody the table was drawn from, with the same quasi-identifiers.",
        )
    with third:
        files = ask_for_files(
            TOOL.key,
            "hierarchies",
            label="Groups of a column's values",
            help_text="Of a quasi-identifier for What if, of a sensitive attribute for t-closeness: a "
            "line for each value, the value first, then its groups from small to large. The first column "
            "is named as that column is, or, without a header, the file is: hierarchy_age.csv.",
        )
        read = [list_table(TOOL.key, "hierarchies", stored) for stored in files]
    hierarchies = tuple(dataset for dataset in read if dataset is not None)
    return Others(original, population, hierarchies, earlier)


def _show_results(dataset: Dataset, settings: risk.RiskSettings, others: Others) -> None:
    original, population = others.original, others.population
    with st.spinner(say("Measuring"), show_time=True):
        measurement = caching.risk_measurement(
            dataset.fingerprint,
            settings,
            original=original.fingerprint if original else None,
            population=population.fingerprint if population else None,
            hierarchies=tuple(each.fingerprint for each in others.hierarchies),
            earlier=others.earlier.keys,
        )
    propose_counts(dataset, measurement)
    found = Measured(dataset, others, measurement)
    first, details, last = st.container(), st.container(), st.container()
    with details:
        places = place_details()
    with first:
        _show_judged(found, places, last)
    with places.columns, st.spinner(say("Looking at sets of columns"), show_time=True):
        found.columns = caching.risk_columns(dataset.fingerprint, measurement)
    found.suda = show_details(places, measurement, dataset, columns=found.columns)
    if original is not None:
        keys = {role: [stored_files(TOOL.key, role)[-1].key] for role in ("table", "original")}
        show_ways_on(
            TOOL.key, [Way("leakage", partial(dict, original=keys["original"], scrambled=keys["table"]))]
        )
    show_definitions(TOOL.measures, limits=TOOL.limits)


@st.fragment
def _show_judged(found: Measured, places: Places, last: DeltaGenerator) -> None:
    """Show what depends on the thresholds; a slider moved runs and sends this again, nothing else."""
    measured = found.measurement
    verdict = st.container()
    people, classes = st.columns([2, 3])
    noticed, texts = st.container(), st.container()
    with classes:
        limits = ask_for_limits(
            with_sensitive=bool(measured.sensitive),
            with_household=measured.household is not None,
            with_person=measured.persons_by_all_records is not None,
        )
        with texts:
            read = ask_what_was_read(TOOL.key, found.dataset, measured.texts)
        audit = risk.judge_risk(measured, limits, read=read)
        show_classes(audit)  # drawn first: it is what moves with the slider
    result = risk_result(audit)
    with verdict:
        show_judgement(result)
    with people:
        show_people(result)
    with noticed:
        show_found(result)
        show_earlier(audit.releases)
    other = _judge_other(found.others, audit)
    with places.intruders:
        show_intruders(result)
    with places.compared:
        show_comparison(compared_group(audit, other), measured.comparison)
    with last:
        what_if = show_what_if(audit, result, found.dataset, found.sources())
        st.header(say("Downloads"), anchor=False)
        show_downloads(
            TOOL.key,
            partial(_report, found, audit, other, what_if),
            identity=_identity(found, audit, what_if),
            extra=[_violations(found, audit), _ledger(found, audit)],
            released=[(found.dataset, audit.measurement.settings.leave_out)],
        )


def _violations(found: Measured, audit: risk.RiskAudit) -> Download:
    """Return the list of records that miss a threshold, by their position and without values."""
    digest = hashlib.sha256(_identity(found, audit, None).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Download(
        "Records that miss a threshold",
        f"violating_records_{digest}.csv",
        "text/csv",
        partial(risk.violations_csv, audit),
        "Their positions in the table, the size of their class and what they miss; no values.",
    )


def _ledger(found: Measured, audit: risk.RiskAudit) -> Download:
    table = risk.released_table(found.dataset, found.measurement.settings)
    return ledger_download(
        lambda: [table], k=audit.thresholds.k, earlier=found.others.earlier, identity=found.dataset.sha256
    )


def _identity(found: Measured, audit: risk.RiskAudit, what_if: risk.WhatIf | None) -> str:
    """Return what the report depends on, for its file name."""
    searched = None if what_if is None else what_if.settings
    inputs = [facts.sha256 for facts in found.inputs()]
    inputs += found.others.earlier.ledgers
    return repr((inputs, audit.measurement.settings, audit.thresholds, dict(audit.read), searched))


def _judge_other(others: Others, audit: risk.RiskAudit) -> risk.RiskAudit | None:
    """Measure the second table the same way, as far as it has the columns."""
    original, settings = others.original, audit.measurement.settings
    if original is None or (same := risk.settings_for_other(settings, original.columns)) is None:
        return None
    groups = tuple(each.fingerprint for each in others.hierarchies if each.columns[0] in same.sensitive)
    measured = caching.risk_measurement(original.fingerprint, same, hierarchies=groups)
    return risk.judge_risk(measured, audit.thresholds)


def _report(
    found: Measured,
    audit: risk.RiskAudit,
    other: risk.RiskAudit | None,
    what_if: risk.WhatIf | None,
    created_at: datetime,
) -> Report:
    return risk_report(
        audit,
        inputs=found.inputs(),
        created_at=created_at,
        other=other,
        columns=found.columns or risk.measure_columns(found.measurement, found.dataset),
        suda=found.suda,
        what_if=what_if,
        groups=[risk.hierarchy_for(each, found.dataset)[0] for each in found.others.hierarchies],
    ).with_tables(risk_proof(audit, found.dataset))


show_risk()
