"""Long work on a page: start, progress with time left, stop; what is done is kept."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import streamlit as st

from core.processes.jobs import Job, JobState, Progress
from core.processes.queue import of_run, place_text
from core.web.caching import vault
from core.web.streamlit_internals import get_script_run_ctx
from core.words import say
from pages.components.text import duration, plain, sentence, size

# As light as text may be that can still be read on either ground.
_GREY = '<style>[class*="st-key-outdated_"]{filter:grayscale(1);opacity:.75}</style>'


def start_work(tool: str, key: str, work: Callable[[Progress], Any]) -> None:
    """Start work beside the page; call it from a button's ``on_click``.

    Parameters
    ----------
    tool
        Whose work it is; starting new work stops the tool's former.
    key
        Fingerprints and settings the result will belong to.
    work
        Makes no Streamlit call.
    """
    vault().start_job(tool, Job(key, vault().in_turn(tool, work)))


def showing_place() -> AbstractContextManager[None]:
    """Let a page show how many are before it, while its heavy work waits for its turn."""
    place = st.empty()
    context = get_script_run_ctx()

    def show(n_before: int | None) -> None:
        said = "" if n_before is None else plain(say(place_text(n_before)))
        place.info(said, icon=":material/hourglass:") if said else place.empty()

    return of_run(context.session_id, show) if context is not None else nullcontext()


def ask_for_work(
    tool: str,
    key: str,
    work: Callable[[Progress], Any],
    *,
    label: str = "",
    inputs: str | None = None,
) -> Job[Any] | None:
    """Show the start button, or progress and a stop button while it runs; return the ended work.

    Parameters
    ----------
    label
        Of the button. Without one the work starts by itself, unless there is a result of former settings.
    inputs
        What `key` begins with: the fingerprints without the settings. Where it is given, what was found of
        the same inputs under other settings is returned until new work starts: show it in :func:`greyed_out`.

    Returns
    -------
    Job or None
        The tool's work for exactly this `key` once it has ended (done, stopped or failed), or with `inputs`
        that of former settings, whose own key says so; None before. Other widgets of the page keep
        working while it runs.
    """
    job = vault().job(tool)
    former = job if inputs is not None and _has_result_of(job, inputs) else None
    if not label and former is None and (job is None or job.key != key):
        start_work(tool, key, work)
        job = vault().job(tool)
    if job is not None and job.key == key and job.is_running:
        _show_progress(tool)
        return None
    if job is None or job.key != key:
        if former is not None:
            changed = "Settings changed: the result below is that of the former ones. Start again for these."
            st.warning(say(changed), icon=":material/update:")
        st.button(
            say(label or "Start again"),
            key=f"{tool}_start",
            type="primary",
            icon=":material/play_arrow:",
            on_click=start_work,
            args=(tool, key, work),
        )
        return former
    if job.state is JobState.FAILED:
        problems = job.problems or ("The work ended unexpectedly. Please report what you did.",)
        st.error("\n\n".join(sentence(say(problem)) for problem in problems), icon=":material/error:")
    if job.state is JobState.STOPPED:
        kept = (
            "Stopped after {time} before anything was done."
            if job.result is None
            else "Stopped after {time}; what was done until then is shown."
        )
        st.info(say(kept, time=duration(job.elapsed_seconds)), icon=":material/stop_circle:")
    if job.state is not JobState.DONE:
        st.button(say("Start again"), key=f"{tool}_again", on_click=start_work, args=(tool, key, work))
    return job


def _has_result_of(job: Job[Any] | None, inputs: str) -> bool:
    return job is not None and not job.is_running and job.result is not None and job.key.startswith(inputs)


@contextmanager
def greyed_out(name: str, *, when: bool) -> Iterator[None]:
    """Show what follows in grey when it is no longer what the settings say; `name` is one of its own."""
    if not when:
        yield
        return
    st.html(_GREY)
    with st.container(key=f"outdated_{name}"):
        yield


@st.fragment(run_every=0.5)
def _show_progress(tool: str) -> None:
    job = vault().job(tool)
    if job is None or not job.is_running:
        st.rerun()
        return
    left = job.seconds_left
    progress = job.progress
    parts = [plain(say(progress.text or "Working"))]
    if progress.n_total and progress.unit != "%":
        done, total = progress.n_done, progress.n_total
        in_bytes = progress.unit == "bytes"
        parts.append(
            say("{done} of {total}", done=size(done), total=size(total))
            if in_bytes
            else say("{done} of {total}", done=done, total=total)
        )
    if left is not None:
        parts.append(say("less than a second left" if left < 1 else "about {time} left", time=duration(left)))
    st.progress(progress.share_done, text=" · ".join(parts))
    st.button(
        say("Stop and keep what is done"), key=f"{tool}_stop", icon=":material/stop:", on_click=job.stop
    )
