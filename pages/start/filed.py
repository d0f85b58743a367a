"""Filed reports: read again, repeated on their files, compared with each other."""

from collections.abc import Sequence

import streamlit as st

from core.errors import AuditInputError
from core.filed import FiledReport, read_report
from core.filed.deciding import is_decided
from core.filed.signing import LARGEST as LARGEST_SIGNATURE
from core.filed.signing import is_signature, signers_in
from core.reports.model import time_text
from core.tools import Input
from core.triage import is_report
from core.web.caching import StoredFile, remembered
from core.words import own, say
from pages.components.inputs import above_privacy_line, ask_for_files, list_file, show_privacy_line
from pages.components.navigation import FILED_REPORTS, TOOLS
from pages.components.reading import show_problems
from pages.components.results import show_verdict
from pages.components.text import plain, sentence
from pages.start.filed_parts.comparing import show_comparison
from pages.start.filed_parts.deciding import show_decided, show_deciding
from pages.start.filed_parts.repeating import show_repeat

TOOL = "filed"
_FILES = Input(
    role="files",
    label="Reports as page (HTML) or JSON, and the files that were audited, whatever they are called now",
)
_ASKED = (
    "Does a report that was filed still hold? Drop it as page or JSON with the files that it was made of: it "
    "is repeated with its own settings. Drop two reports of one tool to see what got better or worse, or a "
    "decided report with its signature and the list of signers."
)


def show_filed() -> None:
    st.title(say(FILED_REPORTS.title), anchor=False)
    question = st.container()
    stored = ask_for_files(TOOL, _FILES)
    if not stored:
        question.markdown(say(_ASKED))
        show_privacy_line()
        return
    for each in stored:
        list_file(TOOL, "files", each)
    with above_privacy_line():
        _show_reports(stored)


def _show_reports(given: Sequence[StoredFile]) -> None:
    decided = [each for each in given if is_decided(each.data)]
    small = [each for each in given if each.n_bytes <= LARGEST_SIGNATURE]
    signatures = [each for each in small if is_signature(each.data)]
    lists = {each.key: signers_in(each.data, name=each.name) for each in small}
    signers = b"\n".join(each for each in lists.values() if each is not None)
    for each in decided:
        show_decided(each, signatures, signers)
    aside = {each.key for each in (*decided, *signatures)} | {key for key, each in lists.items() if each}
    stored = [each for each in given if each.key not in aside or not decided]
    if not stored:
        return
    reports, problems = _read(stored)
    for problem in problems:
        show_problems(problem)
    if not reports:
        if not problems:
            st.info(say("There is no report among these files: add one as page (HTML) or JSON."))
        return
    chosen = reports[0]
    if len(reports) > 1:
        names = [report.name for _, report in reports]
        name = st.selectbox(say("Report to look at"), names, key="filed_report", persist_state="session")
        chosen = reports[names.index(name)]
    files = [each for each in stored if each.key not in {key for key, _ in reports}]
    _show_report(chosen[1])
    show_repeat(*chosen, files)
    if others := [report for key, report in reports if key != chosen[0]]:
        show_comparison(chosen[1], others)
    show_deciding(next(each for each in stored if each.key == chosen[0]), chosen[1])


def _read(stored: Sequence[StoredFile]) -> tuple[list[tuple[str, FiledReport]], list[AuditInputError]]:
    """Return the reports among the files by their keys, and what is wrong with those that are none."""
    reports, problems = [], []
    for each in stored:
        if not each.name.lower().endswith((".json", ".html")):
            continue
        try:
            reports.append((each.key, _report(each)))
        except AuditInputError as error:
            if is_report(each.data) or len(stored) == 1:  # else a log or a ledger, which is an input
                problems.append(error)
    return reports, problems


@remembered()
def _report(stored: StoredFile) -> FiledReport:
    return read_report(stored.data, name=stored.name)


def _show_report(report: FiledReport) -> None:
    tool = next((each.title for each in TOOLS if each.key == report.tool), report.tool)
    show_verdict(
        report.verdict,
        report.headline,
        parts=list(report.verdicts.items()),
        findings=report.findings,
        key="filed",
    )
    told = say(
        "{tool} of AnonAudit {version}, {created}",
        tool=own(tool),
        version=report.version,
        created=time_text(report.made_at),
    )
    st.caption(plain(told))
    if report.changed:
        st.error(sentence(say(report.told_changed)), icon=":material/edit_off:")


show_filed()
