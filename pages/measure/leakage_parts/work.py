"""Measuring row leakage: at once where that is quick, beside the page where it is not."""

from functools import partial

import streamlit as st

from core import caching
from core.jobs import Progress
from core.leakage import LeakageMeasures, LeakageSettings, TablePair, measure_leakage
from core.leakage.result import usual_figures
from core.tables import Dataset
from core.words import say
from pages.components.long_work import ask_for_work
from pages.components.results import show_figures

_MOST_CELLS_AT_ONCE = 2_000_000  # of both tables together; a few seconds


def measure(
    original: Dataset, scrambled: Dataset, holdout: Dataset | None, settings: LeakageSettings
) -> tuple[TablePair, LeakageMeasures | None]:
    """Return the pair and its measures; None while a large pair is not measured yet.

    Those of a large pair may be of former settings, until it is measured anew.

    Raises
    ------
    AuditInputError
        The tables do not fit each other or the settings.
    """
    pair = caching.leakage_pair(original.fingerprint, scrambled.fingerprint, settings.key)
    stranger = None if holdout is None else holdout.fingerprint
    n_cells = (original.n_records + scrambled.n_records) * len(pair.columns)
    if n_cells <= _MOST_CELLS_AT_ONCE:
        with st.spinner(say("Comparing rows, and random orders of them"), show_time=True):
            return pair, caching.leakage_measures(
                original.fingerprint, scrambled.fingerprint, stranger, settings
            )
    measures = _measure_beside_the_page(pair, holdout, settings)
    if measures is not None and measures.settings != settings:
        pair = caching.leakage_pair(original.fingerprint, scrambled.fingerprint, measures.settings.key)
    return pair, measures


def _measure_beside_the_page(
    pair: TablePair, holdout: Dataset | None, settings: LeakageSettings
) -> LeakageMeasures | None:
    """Show the usual figures at once, and everything else once the person has asked for it."""
    original, scrambled = pair.original.fingerprint, pair.scrambled.fingerprint
    with st.spinner(say("Comparing rows"), show_time=True):
        rows = caching.leakage_rows(original, scrambled, settings)
    inputs = repr((original, scrambled, holdout and holdout.fingerprint))
    job = ask_for_work(
        "leakage",
        f"{inputs} {settings}",
        partial(_work, pair, settings, holdout),
        label="Compare with chance, and find moved rows",
        inputs=inputs,
    )
    if job is None or job.result is None:
        if rows is not None:
            st.subheader(say("Row by row, before anything is known of chance"), anchor=False)
            show_figures(usual_figures(rows))
        return None
    measures: LeakageMeasures = job.result
    return measures


def _work(
    pair: TablePair, settings: LeakageSettings, holdout: Dataset | None, progress: Progress
) -> LeakageMeasures:
    return measure_leakage(pair, settings, holdout=holdout, progress=progress)
