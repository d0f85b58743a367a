"""Disclosure risk: how easily people are found in a table, and what it gives away."""

from datetime import datetime
from functools import partial

import streamlit as st

from core import risk
from core.reports import Report
from core.risk.proof import risk_proof
from core.risk.report import risk_report
from core.risk.result import risk_result
from core.risk.tool import TOOL
from core.words import say
from pages.components.drawer import ask_for_inputs
from pages.components.earlier import ledger_download
from pages.components.inputs import Way, stored_files
from pages.components.parts import show_group
from pages.components.results import Download
from pages.components.shown import Shown, Texts
from pages.components.text import short_digest
from pages.components.tool_page import ToolPage, show_found, show_page, show_whole
from pages.measure.risk_parts.counts import show_counts
from pages.measure.risk_parts.in_database import ask_for_configured_table, show_in_database
from pages.measure.risk_parts.results import (
    ELSEWHERE,
    measure_table,
    show_classes,
    show_columns,
    show_compared,
    show_disclosure,
    show_intruders,
    show_special_uniques,
    show_worst,
)
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
    table, original, population, groups = (
        shown.given[role] for role in ("table", "original", "population", "hierarchies")
    )
    with st.spinner(say("Measuring"), show_time=True):
        shown.measured = measure_table(
            table,
            shown.settings,
            groups,
            original=original,
            population=population,
            earlier=shown.earlier.releases,
        )
    propose_counts(table, shown.measured)
    show_whole(shown)


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
        show_group(shown.result, "people")


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
    digest = short_digest(shown.identity())
    dataset = shown.given["table"]
    released = risk.released_table(dataset, shown.measured.settings)
    return [
        Download(
            "Records that miss a threshold",
            f"violating_records_{digest}.csv",
            partial(risk.violations_csv, shown.audit),
            "Their positions in the table, the size of their group and what they miss; no values.",
            is_further=True,
        ),
        ledger_download(
            lambda: [released], k=shown.thresholds.k, earlier=shown.earlier, identity=dataset.sha256
        ),
    ]


def _report(shown: Shown, created_at: datetime) -> Report:
    dataset, found = shown.given["table"], shown.found
    return risk_report(
        shown.audit,
        inputs=shown.facts(),
        created_at=created_at,
        other=found["other"],
        columns=found["columns"],
        suda=found.get("suda"),
        what_if=found["what_if"],
        groups=[risk.hierarchy_for(each, dataset)[0] for each in shown.given["hierarchies"]],
    ).with_tables(risk_proof(shown.audit, dataset))


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
        found=partial(show_found, at_once=1),
        elsewhere=ELSEWHERE,
        texts=lambda shown: [Texts(TOOL.key, shown.given["table"], shown.measured.texts)],
        parts={
            "disclosure": show_disclosure,
            "intruders": show_intruders,
            "columns": show_columns,
            "compared": show_compared,
        },
        own_tabs={"Special uniques": show_special_uniques, "Worst groups": show_worst},
        further=_search,
        ways=_ways,
        report=_report,
        released=lambda shown: [(shown.given["table"], shown.measured.settings.leave_out)],
        downloads=_downloads,
    )
)
