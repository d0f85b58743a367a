"""Measuring row leakage: at once where that is quick, beside the page where it is not."""

from functools import partial

import streamlit as st

from core import leakage
from core.leakage import FirstLook, LeakageMeasures, LeakageSettings, LeakageThresholds, TablePair
from core.leakage.result import usual_figures
from core.leakage.tool import TOOL
from core.processes.jobs import Progress
from core.tables import Dataset
from core.verdict import Verdict
from core.web.caching import remembered
from core.words import say
from pages.components.asking import ask_for_form
from pages.components.drawer import THRESHOLDS
from pages.components.long_work import ask_for_work
from pages.components.results import show_figures, show_verdict
from pages.components.shown import Shown

_MOST_CELLS_AT_ONCE = 100_000  # of both tables together; a few seconds
pair_tables = remembered(kept=2)(leakage.pair_tables)  # a pair keeps what was compared, for other settings


def measure(shown: Shown) -> tuple[TablePair, LeakageMeasures | None]:
    """Return the pair and its measures; None while a large pair is not measured yet.

    Those of a large pair may be of former settings, until it is measured anew.

    Raises
    ------
    AuditInputError
        The tables do not fit each other or the settings.
    """
    tables = original, scrambled, _ = _tables(shown)
    settings: LeakageSettings = shown.settings
    pair = pair_tables(original, scrambled, key=settings.key)
    n_cells = (original.n_records + scrambled.n_records) * len(pair.columns)
    if n_cells <= _MOST_CELLS_AT_ONCE:
        with st.spinner(say("Comparing rows, and random orders of them"), show_time=True):
            return pair, _measure_at_once(*tables, settings)
    measures = _measure_beside_the_page(pair, shown)
    if measures is not None and measures.settings != settings:
        pair = pair_tables(original, scrambled, key=measures.settings.key)
    return pair, measures


def _tables(shown: Shown) -> tuple[Dataset, Dataset, Dataset | None]:
    return shown.given["original"], shown.given["scrambled"], shown.given["holdout"]


@remembered()
def _measure_at_once(
    original: Dataset, scrambled: Dataset, holdout: Dataset | None, settings: LeakageSettings
) -> LeakageMeasures:
    return leakage.measure_leakage(
        pair_tables(original, scrambled, key=settings.key), settings, holdout=holdout
    )


@remembered()
def _look_first(
    original: Dataset, scrambled: Dataset, holdout: Dataset | None, settings: LeakageSettings
) -> FirstLook:
    return leakage.look_first(pair_tables(original, scrambled, key=settings.key), settings, holdout=holdout)


def _measure_beside_the_page(pair: TablePair, shown: Shown) -> LeakageMeasures | None:
    """Show the verdict of what is quick to find at once, while everything else is measured."""
    tables, settings = _tables(shown), shown.settings
    with st.spinner(say("Comparing rows"), show_time=True):
        first = _look_first(*tables, settings)
    verdict = st.container()
    inputs = repr([each and each.fingerprint for each in tables])
    work = partial(_work, pair, settings, tables[2], first)
    job = ask_for_work("leakage", f"{inputs} {settings}", work, inputs=inputs)
    if job is not None and job.result is not None:
        measures: LeakageMeasures = job.result
        return measures
    with shown.drawer[THRESHOLDS]:
        thresholds = LeakageThresholds(**ask_for_form(TOOL.key, LeakageThresholds))
    finding = leakage.first_finding(first, thresholds)
    with verdict:
        show_verdict(
            finding.verdict, finding.message, findings=[finding] if finding.verdict is Verdict.FAIL else ()
        )
    if first.rows is not None:
        show_figures(usual_figures(first.rows))
    return None


def _work(
    pair: TablePair,
    settings: LeakageSettings,
    holdout: Dataset | None,
    first: FirstLook,
    progress: Progress,
) -> LeakageMeasures:
    return leakage.measure_leakage(pair, settings, holdout=holdout, first=first, progress=progress)
