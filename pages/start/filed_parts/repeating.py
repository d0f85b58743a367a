"""A filed report repeated on the files at hand."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.commands.audit import repeated_report
from core.filed import FiledReport, Repeat, Sameness
from core.files.named_files import Source
from core.processes.jobs import Progress
from core.result import Col, Table
from core.web.caching import StoredFile
from core.words import say
from pages.components.long_work import ask_for_work
from pages.components.results import show_table
from pages.components.text import sentence

_INPUTS = (
    Col("role", "Part", kind="words"),
    Col("name", "As it was filed"),
    Col("given", "Given as"),
)
_DIFFERENCES = (Col("where", "Where"), Col("filed", "Filed"), Col("now", "Now"))
_LOOKS = {
    Sameness.SAME: (st.success, ":material/check_circle:"),
    Sameness.SAME_FIGURES: (st.success, ":material/check_circle:"),
    Sameness.OTHER_WORDS: (st.warning, ":material/edit_note:"),
    Sameness.DIFFERENT: (st.error, ":material/difference:"),
}


def show_repeat(key: str, report: FiledReport, files: Sequence[StoredFile]) -> None:
    """Show what the report was made of, offer to repeat it, and show what that came to."""
    st.subheader(say("Repeat"), anchor=False)
    work = partial(_repeat, report, files)
    job = ask_for_work("filed", repr((key, [each.key for each in files])), work, label="Repeat the audit")
    if job is not None and job.result is not None:
        _show(job.result)
        return
    rows = [(facts.role, facts.name, f"{facts.sha256[:16]}…") for facts in report.inputs]
    columns = (*_INPUTS[:2], Col("digest", "SHA-256"))
    show_table(Table("", "", columns, rows), alt="The files that the report was made of")


def _repeat(report: FiledReport, files: Sequence[StoredFile], _progress: Progress) -> Repeat:
    """Repeat the report beside the page; no Streamlit call in here."""
    return repeated_report(report, [Source(each.name, each.held) for each in files])


def _show(repeat: Repeat) -> None:
    show, icon = _LOOKS[repeat.sameness]
    show = st.warning if repeat.is_policy_kept and repeat.sameness is not Sameness.DIFFERENT else show
    show(f"**{say(repeat.sameness.word)}** · {sentence(say(repeat.sentence))}", icon=icon)
    for note in repeat.notes:
        st.warning(sentence(say(note)), icon=":material/policy:")
    if repeat.differences:
        show_table(Table("", "", _DIFFERENCES, repeat.differences), alt="What differs, and by how much")
        if (rest := repeat.n_differences - len(repeat.differences)) > 0:
            st.caption(say("and {n} more", n=rest))
    rows = [(facts.role, facts.name, given) for facts, given in repeat.used]
    show_table(Table("", "", _INPUTS, rows), alt="Which file each input is")
    if repeat.unused:
        st.caption(sentence(say("No input of the report: {files}.", files=", ".join(repeat.unused))))
