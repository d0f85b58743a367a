"""l-diversity search: which k and l protect people at an accuracy that the person can live with."""

from functools import partial

import streamlit as st
from joblib import cpu_count

from core import diversity
from core.diversity.result import diversity_result, singling_out_table, way_of_records
from core.diversity.tool import TOOL
from core.errors import AuditInputError
from core.processes.jobs import Progress
from core.tables import Dataset
from core.words import say
from pages.anonymize.diversity_parts.pair import SPLITS, show_side_by_side, show_stability
from pages.anonymize.diversity_parts.results import downloads, judge_live, report
from pages.anonymize.diversity_parts.roles import ROLES
from pages.anonymize.diversity_parts.settings import Asked, ask_for_search, show_asked
from pages.components.drawer import EARLIER, SETTINGS, place_drawer
from pages.components.earlier import ask_for_earlier
from pages.components.inputs import stored_files
from pages.components.long_work import ask_for_work
from pages.components.parts import show_part
from pages.components.reading import show_problems
from pages.components.shown import Shown
from pages.components.tool_page import ToolPage, show_page, show_tabs, show_whole

MOST_THREADS = 4
_MOST_AT_ONCE = 500_000  # records × pairs that are searched without being asked for
_TABS = ("classes", "known", SPLITS, "bins", "offered", "every", "pareto")


def _show_drawer(shown: Shown) -> None:
    """Show roles, settings and earlier releases, closed unless a model is awaited."""
    is_awaiting = st.session_state.get("diversity_source") == "file" and not stored_files(TOOL.key, "model")
    shown.found["start"] = st.container()  # what is asked stands above
    titles = (ROLES, SETTINGS, EARLIER)
    place_drawer(shown, " · ".join(map(say, titles)), titles, opened=SETTINGS if is_awaiting else "")
    shown.found["asked"] = ask_for_search(shown.given["data"], shown.drawer)
    with shown.drawer[ROLES]:
        _show_singling_out(shown.given["data"])
    with shown.drawer[EARLIER]:
        shown.given["earlier"] = ask_for_earlier(TOOL.key)


def _show(shown: Shown) -> None:
    """Search beside the page, by itself where that is quick, and show what was found."""
    asked: Asked = shown.found["asked"]
    data, start = shown.given["data"], shown.found["start"]
    with start:
        show_asked(asked, data)
        key = _checked(asked, data)
    if key is None or asked.choice is None:
        return
    work = partial(_search, data, asked.settings, asked.choice, asked.training)
    is_quick = data.n_records * asked.settings.n_pairs <= _MOST_AT_ONCE
    with start:
        job = ask_for_work(TOOL.key, key, work, label="" if is_quick else "Search", inputs=data.fingerprint)
    if job is not None and job.result is not None:
        shown.measured, shown.found["identity"] = job.result, job.key
        shown.is_outdated = job.key != key
        show_whole(shown)


def _checked(asked: Asked, data: Dataset) -> str | None:
    """Return what the search will be known by, None while the settings do not stand."""
    if asked.choice is None:
        st.info(say("Upload the model to go on."), icon=":material/upload_file:")
        return None
    try:
        diversity.check_settings(asked.settings, data.columns, source=asked.choice.source)
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
    measured = diversity.measure_diversity(
        problem,
        n_jobs=min(MOST_THREADS, cpu_count()),
        on_progress=lambda n_done, n_all: progress.report(n_done, n_all, "Pairs of k and ℓ"),
        should_stop=lambda: progress.stop_asked,
        on_start=progress.keep,
    )
    if not progress.stop_asked:
        progress.report(0, 0, "Splits")
        diversity.judge_diversity(measured)  # which remembers what it measures of the recommended pair
    return measured


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


show_page(
    ToolPage(
        tool=TOOL,
        drawer=_show_drawer,
        body=_show,
        live=judge_live,
        judge=lambda shown: shown.found["audit"],
        result=lambda shown: diversity_result(shown.audit, shown.found["picked"]),
        reasons=lambda shown: way_of_records(shown.audit),
        figures=("pair",),
        found=lambda _: None,
        tabs=partial(show_tabs, only=_TABS),
        parts={"classes": show_side_by_side},
        own_tabs={SPLITS: show_stability},
        report=report,
        downloads=downloads,
    )
)
