"""l-diversity search: which k and l protect people at an accuracy that the person can live with."""

from functools import partial

import streamlit as st
from joblib import cpu_count

from core import diversity
from core.caching import vault
from core.demo import DIVERSITY as DEMOS
from core.diversity.result import singling_out_table
from core.diversity.tool import TOOL
from core.errors import AuditInputError
from core.jobs import Progress
from core.tables import Dataset
from core.words import say
from pages.anonymize.diversity_parts.results import show_search
from pages.anonymize.diversity_parts.settings import Asked, ask_for_search, show_asked
from pages.components.inputs import ask_for_table, show_empty_state, show_privacy_line
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.parts import show_part
from pages.components.policy import ask_for_settings_file
from pages.components.reading import show_problems

MOST_THREADS = 4
WHAT_TO_UPLOAD = (
    "Upload a **table of people** with the label that your model predicts. The model is trained here on a "
    "part of it, or you bring your own: a fitted scikit-learn model in **skops** format, or a column with "
    "its predictions. Training data need not be available."
)
DEMO_OFFER = "Try public tables that come with scikit-learn:"


def show_diversity() -> None:
    st.title(say(TOOL.title))
    question = st.container()
    data = ask_for_table(TOOL.key, "data", label="Table to anonymize")
    if data is None:
        question.markdown(say(TOOL.question))
        show_empty_state(TOOL.key, text=WHAT_TO_UPLOAD, demos=DEMOS, offer=DEMO_OFFER)
        return
    job = vault().job(TOOL.key)
    begun = job is not None and job.key.startswith(data.fingerprint)
    start = st.container()  # what is done next stands above what can be set
    with st.expander(say("Settings"), icon=":material/tune:", expanded=not begun):
        ask_for_settings_file(TOOL.key)
        asked = ask_for_search(data)
        _show_singling_out(data)
    with start:
        key = _checked(asked, data)
    if key is not None and asked.choice is not None:
        work = partial(_search, data, asked.settings, asked.choice, asked.training)
        with start:
            if not begun:
                show_asked(asked)
            job = ask_for_work(TOOL.key, key, work, label="Search", inputs=data.fingerprint)
        if job is not None and job.result is not None:
            with greyed_out(TOOL.key, when=job.key != key):
                show_search(job.result, job.key)
    show_privacy_line()


def _checked(asked: Asked, data: Dataset) -> str | None:
    """Return what the search will be known by, None while the settings do not stand."""
    if asked.choice is None:
        st.info(say("Upload the model to go on."), icon=":material/upload_file:")
        return None
    try:
        diversity.check_settings(asked.settings, data.columns)
    except AuditInputError as error:
        show_problems(error)
        return None
    training = asked.training.fingerprint if asked.training else None
    return data.fingerprint + repr((asked.settings, asked.choice, asked.choice.file_digest, training))


def _search(
    data: Dataset,
    settings: diversity.DiversitySettings,
    choice: diversity.ModelChoice,
    training: Dataset | None,
    progress: Progress,
) -> diversity.DiversitySearch | None:
    """Prepare and search, beside the page; no Streamlit call in here. None if stopped before the model is."""
    progress.report(0, 0, "Getting the model")
    try:
        problem = diversity.prepare_search(
            data, settings, choice, training=training, should_stop=lambda: progress.stop_asked
        )
    except diversity.SearchStoppedError:
        return None
    return diversity.measure_diversity(
        problem,
        n_jobs=min(MOST_THREADS, cpu_count()),
        on_progress=lambda n_done, n_all: progress.report(n_done, n_all, "Pairs of k and ℓ"),
        should_stop=lambda: progress.stop_asked,
        on_start=progress.keep,
    )


def _show_singling_out(data: Dataset) -> None:
    if not st.toggle(
        say("Which columns single people out?"),
        key="diversity_rank",
        help=say("Every column alone, then together."),
        persist_state="session",
    ):
        return
    st.markdown(
        say(
            "A column that singles many people out is a candidate for the quasi-identifiers, if others "
            "may know it, or should be left out. Ranked by what each adds to those before it."
        )
    )
    ranked = diversity.rank_by_singling_out(data.table, data.columns)
    show_part(singling_out_table(ranked), key="diversity_singling_out")


show_diversity()
