"""What if: search for generalizations beside the page, choose one, take the table away."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import streamlit as st

from core import caching
from core import risk_views as views
from core.datasets import Dataset
from core.errors import AuditInputError
from core.jobs import Progress
from core.risk import (
    PERSON_RELEASED,
    PersonReleased,
    Release,
    RiskAudit,
    WhatIf,
    WhatIfSettings,
    judge_risk,
    search_what_if,
    what_if_settings,
)
from pages.components.long_work import ask_for_work
from pages.components.reading import show_problems
from pages.components.results import (
    Download,
    show_badge,
    show_chart,
    show_download,
    show_findings,
    show_table,
)
from pages.components.text import plain

TOOL = "risk"


def show_what_if(audit: RiskAudit, dataset: Dataset) -> WhatIf | None:
    """Show what suppression alone would cost, search for cheaper generalizations, return what was found."""
    st.header("What if", anchor=False)
    if not audit.measurement.classes.n_classes:
        st.markdown("No record is assessed, so nothing can be generalized.")
        return None
    costs, search = st.columns([2, 3])
    with costs:
        st.markdown("**With nothing generalized**")
        show_table(
            views.suppression_table(audit),
            alt="Records to suppress for each k",
            units=views.SUPPRESSION_UNITS,
        )
    with search:
        st.markdown("**With columns made coarser**")
        settings = _ask_for_settings(audit)
        groups = hashlib.sha256(repr(audit.measurement.hierarchies).encode()).hexdigest()
        key = repr((dataset.fingerprint, audit.measurement.settings, groups, settings))
        job = ask_for_work(
            TOOL, key, _Search(audit, dataset, settings), label="Search the cheapest generalizations"
        )
    if job is None or not isinstance(job.result, WhatIf):
        return None
    _show_options(job.result, key, audit, dataset)
    return job.result


class _Search:
    """The search as work beside the page; it makes no Streamlit call."""

    def __init__(self, audit: RiskAudit, dataset: Dataset, settings: WhatIfSettings) -> None:
        self._audit, self._dataset, self._settings = audit, dataset, settings

    def __call__(self, progress: Progress) -> WhatIf:
        n_compared = 0

        def stop() -> bool:
            nonlocal n_compared
            n_compared += 1
            progress.report(0, 0, f"Searching: {n_compared:,} candidates looked at")
            return progress.stop_asked

        return search_what_if(self._audit.measurement, self._dataset, settings=self._settings, stop=stop)


def _ask_for_settings(audit: RiskAudit) -> WhatIfSettings:
    percent = st.slider(
        "Records that may be suppressed, at most",
        0,
        50,
        5,
        format="%d %%",
        key="risk_suppression_limit",
        help="Records that stand out after all columns are made coarser lose their quasi-identifiers "
        "instead.",
        persist_state="session",
    )
    diverse = bool(audit.measurement.sensitive) and st.toggle(
        "Also reach l and t as set above",
        key="risk_what_if_diverse",
        help="Distinct l, entropy l and t, by the distance shown under attribute disclosure; otherwise only "
        "the size of classes counts.",
        persist_state="session",
    )
    return what_if_settings(
        audit.measurement, audit.thresholds, suppression_limit=percent / 100, diverse=diverse
    )


def _show_options(what_if: WhatIf, key: str, audit: RiskAudit, dataset: Dataset) -> None:
    st.markdown(plain(views.what_if_note(what_if)))
    if not what_if.options:
        return
    chart, table = st.columns([2, 3])
    with chart:
        show_chart(views.frontier_chart(what_if), key="risk_frontier")
    with table:
        show_table(
            views.options_table(what_if), alt="Generalizations to choose from", units=views.OPTION_UNITS
        )
    labels = views.option_labels(what_if)
    option = st.selectbox(
        "Generalization to look at",
        range(len(labels)),
        index=views.option_for(what_if, audit.thresholds.k),
        format_func=lambda number: labels[number],
        key="risk_option",
    )
    _show_option(what_if, min(option, len(labels) - 1), key, audit, dataset)


def _show_option(what_if: WhatIf, option: int, key: str, audit: RiskAudit, dataset: Dataset) -> None:
    columns, counted = st.columns([2, 3])
    with columns:
        show_table(views.option_columns_table(what_if, option), alt="What happens to each quasi-identifier")
        person = _ask_for_person(audit)
    with counted:
        try:
            with st.spinner("Making the table and counting it again", show_time=True):
                made = caching.risk_release(
                    key,
                    option,
                    dataset.fingerprint,
                    person=person,
                    _what_if=what_if,
                    _measured=audit.measurement,
                )
        except AuditInputError as error:
            show_problems(error)
            return
        again = judge_risk(made.measured, replace(audit.thresholds, k=made.k))
        with st.container(horizontal=True, vertical_alignment="center"):
            show_badge(again.overall, "The table, read back and counted again")
        show_findings(again.all_findings, key="risk_release")
        st.caption(plain(views.released_note(made)))
    _offer(made, f"{dataset.name.rsplit('.', 1)[0]}_{_digest(key, option, person)}")


def _ask_for_person(audit: RiskAudit) -> PersonReleased:
    """Ask what stands in the person column of the release, where there is one."""
    if audit.measurement.settings.person is None:
        return "pseudonym"
    words = {"pseudonym": "fresh random pseudonyms", "left_out": "nothing: it is left out"}
    chosen = st.radio(
        "In the person column of the release",
        PERSON_RELEASED,
        format_func=lambda option: words[option],
        key="risk_person_released",
        help="Pseudonyms tell which records are of one person; nobody can compute them, and another release "
        "has others.",
        horizontal=True,
        persist_state="session",
    )
    return "left_out" if chosen == "left_out" else "pseudonym"


def _digest(key: str, option: int, person: str) -> str:
    """Return a short name for what was made: Streamlit 1.67 may serve former bytes under the same name."""
    return hashlib.sha256(f"{key} {option} {person}".encode()).hexdigest()[:8]


def _offer(made: Release, stem: str) -> None:
    with st.container(horizontal=True):
        show_download(
            Download("Generalized table", f"{stem}.csv", "text/csv", lambda: made.data),
            key="risk_generalized",
        )
        show_download(
            Download("How it was made", f"{stem}.json", "application/json", lambda: made.settings),
            key="risk_generalized_settings",
        )
