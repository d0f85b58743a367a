"""Disclosure risk: how easily people are found in a table, and what it gives away."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from core import risk
from core.caching import remembered
from core.releases import EarlierTable, Ledger
from core.reports import InputFacts, Report, input_facts
from core.risk.proof import risk_proof
from core.risk.report import risk_report
from core.risk.result import compared_group, risk_result
from core.risk.tool import TOOL
from core.tables import Dataset
from core.words import own, say
from pages.components.drawer import ask_for_inputs
from pages.components.earlier import ledger_download
from pages.components.inputs import Way, stored_files
from pages.components.results import Download, show_definitions
from pages.components.shown import Shown, Texts
from pages.components.tool_page import ToolPage, show_judged, show_page
from pages.measure.risk_parts.counts import show_counts
from pages.measure.risk_parts.details import place_details, show_comparison, show_details
from pages.measure.risk_parts.in_database import ask_for_configured_table, show_in_database
from pages.measure.risk_parts.results import show_classes, show_intruders, show_people
from pages.measure.risk_parts.settings import ask_for_limits, propose_counts, show_drawer
from pages.measure.risk_parts.what_if import show_what_if

_DATABASE = "database"


def _ask_for_inputs(shown: Shown) -> bool:
    if (in_database := ask_for_configured_table()) is None:
        return ask_for_inputs(shown)
    shown.given[_DATABASE] = in_database
    return True


def _show_drawer(shown: Shown) -> None:
    if _DATABASE not in shown.given:
        show_drawer(shown)


def _show(shown: Shown) -> None:
    """Show a table in a database, a table of counts, or one of people."""
    if _DATABASE in shown.given:
        show_in_database(shown)
    elif shown.settings.is_of_counts:
        show_counts(shown)
    else:
        _show_people(shown)


def _show_people(shown: Shown) -> None:
    with st.spinner(say("Measuring"), show_time=True):
        shown.measured = _measure(shown)
    propose_counts(shown.given["table"], shown.measured)
    first, details, shown.last = st.container(), st.container(), st.container()
    with details:
        shown.found["places"] = place_details()
    with first:
        show_judged(shown)
    show_details(shown.found["places"], shown)
    show_definitions(TOOL.measures, limits=TOOL.limits)


def _measure(shown: Shown) -> risk.RiskMeasurement:
    table, original, population, groups = (
        shown.given[role] for role in ("table", "original", "population", "hierarchies")
    )
    return _measured(
        table,
        shown.settings,
        groups,
        original=original,
        population=population,
        earlier=shown.earlier.releases,
    )


@remembered
def _measured(
    table: Dataset,
    settings: risk.RiskSettings,
    groups: Sequence[Dataset],
    *,
    original: Dataset | None = None,
    population: Dataset | None = None,
    earlier: Sequence[EarlierTable | Ledger] = (),
) -> risk.RiskMeasurement:
    """Measure a table's disclosure risk; groups of values are those of the column that they name."""
    named = dict(risk.hierarchy_for(each, table) for each in groups)
    return risk.measure_risk(
        table,
        settings=settings,
        hierarchies={name: each for name, each in named.items() if name not in settings.quasi_identifiers},
        original=original,
        population=population,
        earlier=earlier,
    )


def _judge_live(shown: Shown) -> None:
    """Show people beside the classes, and the limits above these, which move with them."""
    measured = shown.measured
    people, classes = st.columns([2, 3])
    with classes:
        limits = ask_for_limits(
            with_sensitive=bool(measured.sensitive),
            with_household=measured.household is not None,
            with_person=measured.persons_by_all_records is not None,
        )
        shown.judge(limits)
        show_classes(shown.audit)
    with people:
        show_people(shown.result)


def _fill_tabs(shown: Shown) -> None:
    """Fill the tabs that depend on the thresholds."""
    shown.found["other"] = _judge_other(shown)
    with shown.found["places"].intruders:
        show_intruders(shown.result)
    with shown.found["places"].compared:
        show_comparison(compared_group(shown.audit, shown.found["other"]), shown.measured.comparison)


def _judge_other(shown: Shown) -> risk.RiskAudit | None:
    """Measure the second table the same way, as far as it has the columns."""
    original, settings = shown.given["original"], shown.measured.settings
    if original is None or (same := risk.settings_for_other(settings, original.columns)) is None:
        return None
    groups = [each for each in shown.given["hierarchies"] if each.columns[0] in same.sensitive]
    return risk.judge_risk(_measured(original, same, groups), shown.thresholds)


def _search(shown: Shown) -> None:
    found = shown.found["what_if"] = show_what_if(shown)
    shown.depends_on = [None if found is None else found.settings]


def _ways(shown: Shown) -> list[Way]:
    if shown.given["original"] is None:
        return []
    scrambled, original = ([stored_files(TOOL.key, role)[-1].key] for role in ("table", "original"))
    return [Way("leakage", partial(dict, original=original, scrambled=scrambled))]


def _downloads(shown: Shown) -> list[Download]:
    """Return the list of records that miss a threshold, without values, and the ledger."""
    digest = hashlib.sha256(shown.identity().encode("utf-8", "surrogatepass")).hexdigest()[:8]
    dataset = shown.given["table"]
    released = risk.released_table(dataset, shown.measured.settings)
    return [
        Download(
            "Records that miss a threshold",
            f"violating_records_{digest}.csv",
            "text/csv",
            partial(risk.violations_csv, shown.audit),
            "Their positions in the table, the size of their class and what they miss; no values.",
        ),
        ledger_download(
            lambda: [released], k=shown.thresholds.k, earlier=shown.earlier, identity=dataset.sha256
        ),
    ]


def _report(shown: Shown, created_at: datetime) -> Report:
    dataset, found = shown.given["table"], shown.found
    return risk_report(
        shown.audit,
        inputs=_facts(shown),
        created_at=created_at,
        other=found["other"],
        columns=found.get("columns") or risk.measure_columns(shown.measured, dataset),
        suda=found.get("suda"),
        what_if=found["what_if"],
        groups=[risk.hierarchy_for(each, dataset)[0] for each in shown.given["hierarchies"]],
    ).with_tables(risk_proof(shown.audit, dataset))


def _facts(shown: Shown) -> list[InputFacts]:
    roles = {"table": own("table"), "original": own("original"), "population": own("population")}
    named = [(shown.given[role], word) for role, word in roles.items()]
    found = [input_facts(table, word) for table, word in named if table is not None]
    found += [input_facts(table, risk.GROUPS) for table in shown.given["hierarchies"]]
    return [*found, *shown.earlier.facts()]


show_page(
    ToolPage(
        tool=TOOL,
        inputs=_ask_for_inputs,
        drawer=_show_drawer,
        body=_show,
        live=_judge_live,
        judge=lambda shown: risk.judge_risk(shown.measured, shown.thresholds, read=shown.read),
        result=lambda shown: risk_result(shown.audit),
        figures=("first",),
        texts=lambda shown: [Texts(TOOL.key, shown.given["table"], shown.measured.texts)],
        tabs=_fill_tabs,
        further=_search,
        ways=_ways,
        report=_report,
        released=lambda shown: [(shown.given["table"], shown.measured.settings.leave_out)],
        downloads=_downloads,
    )
)
