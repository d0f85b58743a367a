"""The tables behind the figures, a tab each; only the comparison depends on the thresholds."""

from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.jobs import Progress
from core.risk import (
    ColumnsMeasurement,
    RiskAudit,
    RiskMeasurement,
    Suda,
    SudaSettings,
    measure_special_uniques,
    views,
)
from core.tables import Dataset
from core.words import say
from pages.components.asking import ask_for_number
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.results import ask_to_show_values, show_chart, show_figures, show_table
from pages.components.text import sentence


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


def show_details(
    places: Places, measured: RiskMeasurement, dataset: Dataset, *, columns: ColumnsMeasurement | None
) -> Suda | None:
    """Fill the tabs that do not depend on the thresholds; return the special uniques if searched for."""
    with places.disclosure:
        show_disclosure(measured)
    with places.columns:
        show_columns(measured, columns)
    with places.worst:
        _show_worst(measured, dataset)
    with places.special:
        return _show_special_uniques(measured, dataset)


def show_disclosure(measured: RiskMeasurement) -> None:
    """Show what classes give away about each sensitive attribute."""
    if not measured.sensitive:
        st.markdown(
            say("Choose a sensitive attribute among the roles to see what classes give away about it.")
        )
        return
    table = views.disclosure_table(measured)
    show_table(table, alt="Figures of attribute disclosure by sensitive attribute")
    st.caption(say("Every figure is that of the class where it is worst."))


def show_columns(measured: RiskMeasurement, columns: ColumnsMeasurement | None) -> None:
    """Show which quasi-identifiers single out, and which sets of columns that nobody chose do."""
    if columns is not None:
        _show_chosen(columns)
    elif measured.classes.n_classes:
        st.markdown(say("There are too many classes to look at each column."))
    else:
        st.markdown(say("No record is assessed, so no column singles anybody out."))
    st.markdown(say("**Columns nobody chose**"))
    st.markdown(sentence(say(views.unchosen_note(measured))))
    if measured.unchosen.sets:
        show_table(
            views.unchosen_sets_table(measured),
            alt="Smallest sets of columns nobody chose that single out most records",
        )


def _show_chosen(columns: ColumnsMeasurement) -> None:
    st.markdown(sentence(say(views.sets_note(columns))))
    bars, sets = st.columns([3, 2])
    with bars:
        show_chart(views.contribution_chart(columns), key="risk_contributions")
    with sets:
        if columns.sets.sets:
            show_table(views.sets_table(columns), alt="Smallest sets of columns that single out most records")
    table = views.columns_table(columns)
    show_table(table, alt="What each quasi-identifier does")


def _show_special_uniques(measured: RiskMeasurement, dataset: Dataset) -> Suda | None:
    st.caption(
        say("A record that two or three values single out is easier to find than one that needs all of them.")
    )
    n_columns = len(measured.classes.quasi_identifiers)
    if not measured.classes.n_classes:
        st.markdown(say("No record is assessed, so none is singled out."))
        return None
    size = ask_for_number(
        SudaSettings,
        "max_size",
        span=(1, n_columns),
        start=min(SudaSettings.max_size, n_columns),
        key=f"risk_suda_size_{n_columns}",
    )
    known = measured.population and (measured.population.n_records, measured.population.population_size)
    key = f"{dataset.fingerprint}{(measured.settings, known, size)!r}"
    work = partial(_search_special_uniques, measured, dataset, size)
    label = "Search for special uniques (SUDA2)"
    job = ask_for_work("risk_suda", key, work, label=label, inputs=dataset.fingerprint)
    if job is None or not isinstance(job.result, Suda):
        return None
    with greyed_out("suda", when=job.key != key):
        st.markdown(sentence(say(views.suda_note(job.result))))
        if len(job.result.scored_records):
            chart, records = st.columns([3, 2])
            with chart:
                show_chart(views.suda_chart(job.result), key="risk_suda_chart")
            with records:
                table = views.suda_records_table(job.result, dataset)
                show_table(table, alt="Records with the highest scores")
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
    table = views.worst_classes_table(measured, dataset, reveal=reveal)
    show_table(table, alt="The smallest classes")
    st.caption(
        say("The 50 smallest classes; of equally small ones those with the fewest sensitive values first.")
    )


def show_comparison(audit: RiskAudit, other: RiskAudit | None) -> None:
    """Show the table beside the original."""
    comparison = audit.measurement.comparison
    if comparison is None:
        st.markdown(say("Add the original above to see it beside this table."))
        return
    show_figures(views.comparison_figures(audit), per_row=4)
    if not comparison.same_rows:
        st.info(
            say(
                "The tables have {records} and {originals} rows, so cells cannot be compared row by row.",
                records=comparison.n_records,
                originals=comparison.n_records_original,
            ),
            icon=":material/help:",
        )
    if lacking := views.columns_the_other_lacks(audit, other):
        st.warning(sentence(say(lacking)), icon=":material/warning:")
    if other is not None:
        table = views.side_by_side_table(audit, other)
        show_table(table, alt="Figures of both tables side by side")
    changes = views.changes_table(comparison)
    show_table(changes, alt="What became of each column")
