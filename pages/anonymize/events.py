"""Event-log anonymizer: which export shows every combination for k users, and what k does not cover."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from core.caching import events_audit, events_measurement
from core.demo import EVENTS as DEMOS
from core.events import EventAudit, EventSettings, Outcome, export_files, release_zip
from core.events.report import events_report
from core.events.result import events_result, told_in_headline, way_of_events
from core.events.tool import TOOL
from core.reports import Report, input_facts
from core.result import Figure
from core.tables import Dataset
from core.words import own, say
from pages.anonymize.events_parts.result import show_tabs
from pages.anonymize.events_parts.settings import Live, ask_for_rule, ask_for_settings, kinds_are_settled
from pages.components import results
from pages.components.inputs import above_privacy_line, ask_for_table, show_empty_state
from pages.components.parts import show_group

_FINDINGS_AT_ONCE = 2
WHAT_TO_UPLOAD = (
    "Upload a log with a line per event: when (`OD_ISO`), who (`GUID`) and what (`dogodek`). With other "
    "names, time, user and event are found by their values; other columns are not exported."
)


def show_events() -> None:
    st.title(say(TOOL.title))
    question = st.container()
    dataset = ask_for_table(
        TOOL.key, "log", label="Event log", help_text="CSV, TSV, Excel, Parquet, XES or XES.gz."
    )
    if dataset is None:
        question.markdown(say(TOOL.question))
        show_empty_state(TOOL.key, text=WHAT_TO_UPLOAD, demos=DEMOS)
        return
    with above_privacy_line():
        settings = ask_for_settings(dataset)
        if settings is not None:
            _show_results(dataset, settings)


def _show_results(dataset: Dataset, settings: EventSettings) -> None:
    with st.spinner(say("Reading the log …")):
        measured = events_measurement(dataset.fingerprint, settings)
    if not kinds_are_settled(dataset, measured):
        return
    verdict = st.container()
    controls, picture = st.columns([1, 2.4], gap="large")
    with controls:
        live = ask_for_rule()
    with st.spinner(say("Writing the export and counting k again from its bytes …")):
        audit = events_audit(dataset.fingerprint, settings, live.rule, live.options, batch=live.batch)
    result = events_result(audit)
    with verdict:
        results.show_verdict(
            result.verdict, result.headline, reasons=[way_of_events(audit)], findings=result.findings
        )
    with picture:
        show_group(result, "stages")
    figures = [part for part in result.parts("page") if isinstance(part, Figure)]
    results.show_figures(result.in_order(figures), at_once=4)
    told = told_in_headline(audit)
    results.show_findings(result.findings, key=TOOL.key, at_once=_FINDINGS_AT_ONCE, in_card=told)
    outcomes = show_tabs(result, audit, dataset, settings, live.rule)
    _show_downloads(audit, dataset, outcomes, live)
    results.show_definitions(TOOL.measures, limits=TOOL.limits)


def _show_downloads(audit: EventAudit, dataset: Dataset, outcomes: Sequence[Outcome], live: Live) -> None:
    st.header(say("Downloads"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("New pseudonyms"),
            key="events_new_pseudonyms",
            icon=":material/refresh:",
            on_click=_renew_pseudonyms,
            help=say("Pseudonyms are random. Press to draw them anew; files downloaded before keep theirs."),
        )
        with_mapping = st.checkbox(
            say("Add the list of users and pseudonyms"),
            key="events_with_user_mapping",
            help=say(
                "Whoever has it undoes the pseudonyms. Keep it apart from the export, or do not take it."
            ),
            persist_state="session",
        )
    results.show_downloads(
        TOOL.key,
        partial(_report, audit, dataset, outcomes),
        identity=repr((dataset.fingerprint, audit.measured.log.settings, live)),
        extra=[
            results.Download(file.name, file.unique_name, "text/csv", partial(bytes, file.data), file.about)
            for file in export_files(audit.release, with_user_mapping=with_mapping)
        ]
        + [
            results.Download(
                "All files as zip",
                "anonymized_events.zip",
                "application/zip",
                partial(release_zip, audit.release, with_user_mapping=with_mapping),
            )
        ],
    )


def _renew_pseudonyms() -> None:
    st.session_state["events_batch"] = st.session_state.get("events_batch", 0) + 1


def _report(audit: EventAudit, dataset: Dataset, outcomes: Sequence[Outcome], created_at: datetime) -> Report:
    return events_report(
        audit, inputs=[input_facts(dataset, own("log"))], outcomes=outcomes, created_at=created_at
    )


show_events()
