"""What was found out about a table, on the page."""

from __future__ import annotations

import streamlit as st

from core import risk_views as views
from core.caching import risk_special_uniques
from core.datasets import Dataset
from core.risk import ColumnsMeasurement, RiskAudit
from pages.components.results import (
    show_chart,
    show_figures,
    show_findings,
    show_table,
    show_verdict,
)
from pages.components.text import sentence


def show_judgement(audit: RiskAudit) -> None:
    """Show the verdict, its figures and all findings."""
    show_verdict(
        audit.overall,
        views.headline(audit),
        parts=(("Thresholds", audit.verdict), ("Beyond the thresholds", audit.exposure_verdict)),
    )
    show_figures(views.headline_figures(audit))
    asked, beyond = st.columns(2)
    with asked, st.container(border=True, height="stretch"):
        st.subheader("Thresholds", anchor=False)
        show_findings(audit.findings, key="risk_asked")
    with beyond, st.container(border=True, height="stretch"):
        st.subheader("Beyond the thresholds", anchor=False)
        if audit.exposure:
            show_findings(audit.exposure, key="risk_beyond")
        else:
            st.markdown("Nothing further was noticed.")


def show_intruders(audit: RiskAudit) -> None:
    """Show the three intruders in plain words."""
    st.header("Three intruders", anchor=False)
    for place, intruder in zip(st.columns(3), views.intruders(audit), strict=True):
        with place, st.container(border=True, height="stretch"):
            st.subheader(intruder.name, anchor=False)
            st.caption(sentence(intruder.wants))
            show_figures((views.intruder_figure(intruder),), per_row=1)
            st.markdown(sentence(intruder.finds))
    if figures := views.against_population(audit):
        with st.expander("Against the population, figure by figure", icon=":material/groups:"):
            show_figures(figures)
            if note := views.models_note(audit):
                st.caption(sentence(note))


def show_classes(audit: RiskAudit) -> None:
    """Show the class sizes with k, and how many records are in small classes."""
    st.header("Class sizes", anchor=False)
    log = st.toggle("Logarithmic scale", key="risk_log_scale")
    chart = views.class_chart(audit, log=log)
    if chart is None:
        st.info("No record is assessed, so there is no class.", icon=":material/help:")
        return
    histogram, shares = st.columns([3, 2])
    with histogram:
        show_chart(chart, key="risk_class_chart")
    with shares:
        show_table(
            views.class_size_shares(audit),
            alt="Records in classes below the usual sizes",
            units={"Share of records": "share"},
        )
        if (bars := views.risk_bars(audit)) is not None:
            show_chart(bars, key="risk_bars")


def show_details(
    audit: RiskAudit, dataset: Dataset, *, other: RiskAudit | None, columns: ColumnsMeasurement | None
) -> None:
    """Show the tables behind the figures, a tab each."""
    st.header("Details", anchor=False)
    disclosure, singling, special, worst, compared = st.tabs(
        ["Attribute disclosure", "Columns", "Special uniques", "Worst classes", "Side by side"]
    )
    with disclosure:
        _show_disclosure(audit)
    with singling:
        _show_columns(columns)
    with special:
        _show_special_uniques(audit, dataset)
    with worst:
        _show_worst(audit, dataset)
    with compared:
        _show_comparison(audit, other)


def _show_disclosure(audit: RiskAudit) -> None:
    if not audit.measurement.sensitive:
        st.markdown("Choose a sensitive attribute among the roles to see what classes give away about it.")
        return
    show_table(
        views.disclosure_table(audit.measurement),
        alt="Figures of attribute disclosure by sensitive attribute",
    )
    st.caption("Every figure is that of the class where it is worst.")


def _show_columns(columns: ColumnsMeasurement | None) -> None:
    if columns is None:
        st.markdown("No record is assessed, so no column singles anybody out.")
        return
    st.markdown(sentence(views.sets_note(columns)))
    bars, sets = st.columns([3, 2])
    with bars:
        show_chart(views.contribution_chart(columns), key="risk_contributions")
    with sets:
        if columns.sets.sets:
            show_table(
                views.sets_table(columns),
                alt="Smallest sets of columns that single out most records",
                units=views.SET_UNITS,
            )
    show_table(views.columns_table(columns), alt="What each quasi-identifier does", units=views.COLUMN_UNITS)


def _show_special_uniques(audit: RiskAudit, dataset: Dataset) -> None:
    wanted = st.toggle(
        "Search for special uniques (SUDA2)",
        key="risk_suda",
        help="Finds the smallest sets of up to three values that only one record has. Takes some seconds for "
        "large tables.",
    )
    if not wanted:
        st.caption(
            "A record that two or three values single out is easier to find than one that needs all of them."
        )
        return
    with st.spinner("Searching sets of values", show_time=True):
        suda = risk_special_uniques(dataset.fingerprint, audit.measurement.settings)
    if suda is None or not len(suda.scored_records):
        st.markdown("No record is singled out by up to three values.")
        return
    st.markdown(sentence(views.suda_note(suda)))
    chart, records = st.columns([3, 2])
    with chart:
        show_chart(views.suda_chart(suda), key="risk_suda_chart")
    with records:
        show_table(views.suda_records_table(suda, dataset), alt="Records with the highest scores")


def _show_worst(audit: RiskAudit, dataset: Dataset) -> None:
    reveal = st.toggle(
        "Show values",
        key="risk_reveal",
        help="Shapes stand for values until you switch this on: 9 for a digit, A for a letter.",
    )
    show_table(
        views.worst_classes_table(audit.measurement, dataset, reveal=reveal), alt="The smallest classes"
    )
    st.caption("The 50 smallest classes; of equally small ones those with the fewest sensitive values first.")


def _show_comparison(audit: RiskAudit, other: RiskAudit | None) -> None:
    comparison = audit.measurement.comparison
    if comparison is None:
        st.markdown("Add the original or an earlier version above to see it beside this table.")
        return
    show_figures(views.comparison_figures(audit), per_row=4)
    if not comparison.same_rows:
        st.info(
            f"The tables have {comparison.n_records:,} and {comparison.n_records_original:,} rows, so cells "
            "cannot be compared row by row.",
            icon=":material/help:",
        )
    if lacking := views.columns_the_other_lacks(audit, other):
        st.warning(sentence(lacking), icon=":material/warning:")
    if other is not None:
        show_table(views.side_by_side_table(audit, other), alt="Figures of both tables side by side")
    show_table(views.changes_table(comparison), alt="What became of each column", units=views.CHANGE_UNITS)
