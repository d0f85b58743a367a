"""Measuring row leakage: at once where that is quick, beside the page where it is not."""

from functools import partial

import streamlit as st

from core import leakage
from core.caching import remembered
from core.jobs import Progress
from core.leakage import LeakageMeasures, LeakageSettings, RowLeakage, TablePair, measure_leakage
from core.leakage.result import usual_figures
from core.tables import Dataset
from core.words import say
from pages.components.long_work import ask_for_work
from pages.components.results import show_figures

_MOST_CELLS_AT_ONCE = 2_000_000  # of both tables together; a few seconds
pair_tables = remembered(kept=2)(leakage.pair_tables)  # a pair keeps what was compared, for other settings


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
    pair = pair_tables(original, scrambled, key=settings.key)
    n_cells = (original.n_records + scrambled.n_records) * len(pair.columns)
    if n_cells <= _MOST_CELLS_AT_ONCE:
        with st.spinner(say("Comparing rows, and random orders of them"), show_time=True):
            return pair, _measure_at_once(original, scrambled, holdout, settings)
    measures = _measure_beside_the_page(pair, (original, scrambled, holdout), settings)
    if measures is not None and measures.settings != settings:
        pair = pair_tables(original, scrambled, key=measures.settings.key)
    return pair, measures


@remembered()
def _measure_at_once(
    original: Dataset, scrambled: Dataset, holdout: Dataset | None, settings: LeakageSettings
) -> LeakageMeasures:
    return measure_leakage(pair_tables(original, scrambled, key=settings.key), settings, holdout=holdout)


@remembered()
def _row_matches(original: Dataset, scrambled: Dataset, settings: LeakageSettings) -> RowLeakage | None:
    """Apply the row rules alone; None where rows cannot be paired."""
    pair = pair_tables(original, scrambled, key=settings.key)
    columns = leakage.compared_columns(pair, settings)
    return None if pair.row_problem else leakage.count_row_matches(pair, columns, settings)


def _measure_beside_the_page(
    pair: TablePair, tables: tuple[Dataset, Dataset, Dataset | None], settings: LeakageSettings
) -> LeakageMeasures | None:
    """Show the usual figures at once, and everything else once the person has asked for it."""
    original, scrambled, holdout = tables
    with st.spinner(say("Comparing rows"), show_time=True):
        rows = _row_matches(original, scrambled, settings)
    inputs = repr([each and each.fingerprint for each in tables])
    job = ask_for_work(
        "leakage",
        f"{inputs} {settings}",
        partial(_work, pair, settings, holdout),
        label="Compare with chance, and find moved rows",
        inputs=inputs,
    )
    if job is None or job.result is None:
        if rows is not None:
            st.subheader(say("A first look, row by row"), anchor=False)
            show_figures(usual_figures(rows))
        return None
    measures: LeakageMeasures = job.result
    return measures


def _work(
    pair: TablePair, settings: LeakageSettings, holdout: Dataset | None, progress: Progress
) -> LeakageMeasures:
    return measure_leakage(pair, settings, holdout=holdout, progress=progress)
