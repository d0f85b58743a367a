"""The tables behind the figures, a tab each; only the comparison depends on the thresholds."""

from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.caching import remembered
from core.jobs import Progress
from core.reports import report_table
from core.result import Group, Note, Table
from core.risk import (
    Comparison,
    RiskMeasurement,
    Suda,
    SudaSettings,
    measure_columns,
    measure_special_uniques,
)
from core.risk.evidence import worst_classes_table
from core.risk.result import columns_group, disclosure_group, special_uniques_group, unchosen_group
from core.risk.tool import TOOL
from core.tables import Dataset
from core.words import say
from pages.components.asking import ask_for
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.parts import show_part, show_parts
from pages.components.results import ask_to_show_values, show_figures, show_table
from pages.components.shown import Shown
from pages.components.text import sentence

_measure_columns = remembered(measure_columns, kept=8)


class Places(NamedTuple):
    """The tabs."""

    disclosure: DeltaGenerator
    intruders: DeltaGenerator
    columns: DeltaGenerator
    special: DeltaGenerator
    worst: DeltaGenerator
    compared: DeltaGenerator


def place_details() -> Places:
    """Show the tabs, yet empty."""
    st.header(say("Details"), anchor=False)
    tabs = (
        "Attribute disclosure",
        "Three intruders",
        "Columns",
        "Special uniques",
        "Worst classes",
        "Side by side",
    )
    return Places(*st.tabs([say(tab) for tab in tabs]))


def show_details(places: Places, shown: Shown) -> None:
    """Fill the tabs that do not depend on the thresholds."""
    measured, dataset = shown.measured, shown.given["table"]
    with places.columns:
        with st.spinner(say("Looking at sets of columns"), show_time=True):
            columns = shown.found["columns"] = _measure_columns(measured, dataset)
        show_columns(columns_group(measured, columns), unchosen_group(measured))
    with places.disclosure:
        show_parts(disclosure_group(measured), key="risk_disclosure")
    with places.worst:
        _show_worst(measured, dataset)
    with places.special:
        shown.found["suda"] = _show_special_uniques(measured, dataset)


def show_columns(chosen: Group, unchosen: Group) -> None:
    """Show which quasi-identifiers single out, and which sets of columns that nobody chose do."""
    if chosen.parts:
        table, *sets = chosen.tables
        st.markdown(sentence(say(table.note)))
        left, right = st.columns([3, 2])
        with left:
            show_part(chosen.drawings[0], key="risk_contributions")
        with right:
            for each in sets:
                show_part(each, key="risk_sets")
        show_rows(table)
    else:
        st.markdown(say(chosen.empty))
    st.markdown(f"**{say(unchosen.title)}**")
    st.markdown(sentence(say(unchosen.empty)))
    for table in unchosen.tables:
        show_rows(table)


def show_rows(table: Table) -> None:
    """Show a table whose note is said elsewhere."""
    show_table(report_table(table).frame, alt=table.title)


def _show_special_uniques(measured: RiskMeasurement, dataset: Dataset) -> Suda | None:
    st.caption(
        say("A record that two or three values single out is easier to find than one that needs all of them.")
    )
    n_columns = len(measured.classes.quasi_identifiers)
    if not measured.classes.n_classes:
        st.markdown(say("No record is assessed, so none is singled out."))
        return None
    start = min(SudaSettings.max_size, n_columns)
    size = ask_for(TOOL.key, SudaSettings, "max_size", mark=str(n_columns), span=(1, n_columns), start=start)
    known = measured.population and (measured.population.n_records, measured.population.population_size)
    key = f"{dataset.fingerprint}{(measured.settings, known, size)!r}"
    work = partial(_search_special_uniques, measured, dataset, size)
    label = "Search for special uniques (SUDA2)"
    job = ask_for_work("risk_suda", key, work, label=label, inputs=dataset.fingerprint)
    if job is None or not isinstance(job.result, Suda):
        return None
    with greyed_out("suda", when=job.key != key):
        group = special_uniques_group(job.result, file=dataset.name)
        origin, *records = group.tables
        st.markdown(sentence(say(origin.note)))
        if group.drawings:
            left, right = st.columns([3, 2])
            with left:
                show_part(group.drawings[0], key="risk_suda_chart")
            with right:
                show_rows(records[0])
    return job.result if job.key == key else None


def _search_special_uniques(
    measured: RiskMeasurement, dataset: Dataset, size: int, progress: Progress
) -> Suda | None:
    """Search beside the page; makes no Streamlit call."""

    def stop(n_done: int, n_sets: int) -> bool:
        progress.report(n_done, n_sets, "Searching sets of columns")
        return progress.stop_asked

    return measure_special_uniques(measured, dataset, max_size=size, stop=stop)


def _show_worst(measured: RiskMeasurement, dataset: Dataset) -> None:
    reveal = ask_to_show_values("risk_reveal")
    table = worst_classes_table(measured, dataset, reveal=reveal)
    show_table(table, alt="The smallest classes")
    st.caption(
        say("The 50 smallest classes; of equally small ones those with the fewest sensitive values first.")
    )


def show_comparison(group: Group, comparison: Comparison | None) -> None:
    """Show the table beside the original."""
    if comparison is None:
        st.markdown(say(group.empty))
        return
    show_figures(group.figures, per_row=4)
    if not comparison.same_rows:
        st.info(
            say(
                "The tables have {records} and {originals} rows, so cells cannot be compared row by row.",
                records=comparison.n_records,
                originals=comparison.n_records_original,
            ),
            icon=":material/help:",
        )
    for lacking in (part for part in group.parts if isinstance(part, Note)):
        st.warning(sentence(say(lacking.words)), icon=":material/warning:")
    for table in reversed(group.tables):
        show_rows(table)
