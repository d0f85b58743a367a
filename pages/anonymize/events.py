"""Event-log anonymizer: which export shows every combination for k users, and what k does not cover."""

from datetime import datetime
from functools import partial

import streamlit as st

from core.events import EventAudit, export_files, release_zip
from core.events.report import events_report
from core.events.result import events_result, way_of_events
from core.events.tool import TOOL
from core.reports import Report
from core.verdict import Verdict
from core.words import say
from pages.anonymize.events_parts import measured
from pages.anonymize.events_parts import result as tabs
from pages.anonymize.events_parts.settings import (
    ask_for_rule,
    ask_for_settings,
    offer_found_columns,
    settle_kinds,
)
from pages.components.parts import show_group
from pages.components.policy import ask_for_context
from pages.components.results import Download
from pages.components.shown import Shown
from pages.components.tool_page import ToolPage, show_found, show_page, show_tabs, show_whole

_TABS = ("combinations", "loss", "heat_maps", "traces", "strategies", "unmapped", "preview")
_OF_LINKED_EVENTS = {"trace_risk", "whole_trace", "row_multisets", "row_numbers", "row_sequences"}


def _show(shown: Shown) -> None:
    """Ask for settings, measure, and show what was found."""
    log = shown.given["log"]
    shown.settings = ask_for_settings(shown)
    if shown.settings is None:
        return
    with st.spinner(say("Reading the log …")):
        shown.measured = measured.measure(log, shown.settings)
    settle_kinds(log, shown.measured)
    shown.depends_on = [shown.measured.log.settings]
    show_whole(shown)


def _judge_live(shown: Shown) -> None:
    """Show the rule beside the picture that it moves."""
    ask_for_context(TOOL.key)
    controls, picture = st.columns([1, 2.4], gap="large")
    with controls:
        live = ask_for_rule()
    with st.spinner(say("Writing the export and counting k again from its bytes …")):
        shown.judge(live)
    with picture:
        show_group(shown.result, "stages")


def _act(shown: Shown) -> None:
    """Offer to confirm columns, and to break links between a user's events where these tell users apart."""
    told = {each.check for each in shown.result.findings if each.verdict is not Verdict.PASS}
    with st.container(horizontal=True):
        offer_found_columns(shown.settings)
        if shown.thresholds.options.pseudonym_per != "event" and told & _OF_LINKED_EVENTS:
            st.button(
                say("New pseudonym for each event"),
                key="events_unlink",
                icon=":material/link_off:",
                on_click=_unlink,
            )


def _unlink() -> None:
    st.session_state["events_scope"] = "event"


def _judge(shown: Shown) -> EventAudit:
    live = shown.thresholds
    return measured.audit(
        shown.given["log"],
        shown.settings,
        live.rule,
        live.options,
        batch=live.batch,
        earlier=shown.earlier.releases,
    )


def _downloads(shown: Shown) -> list[Download]:
    """Ask what goes along, and offer the export's files."""
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
    release = shown.audit.release
    zipped = partial(release_zip, release, with_user_mapping=with_mapping)
    return [
        *(
            Download(
                file.name, file.unique_name, partial(bytes, file.data), file.about, is_further=number > 0
            )
            for number, file in enumerate(export_files(release, with_user_mapping=with_mapping))
        ),
        Download("All files as ZIP", "anonymized_events.zip", zipped, is_further=True),
    ]


def _renew_pseudonyms() -> None:
    st.session_state["events_batch"] = st.session_state.get("events_batch", 0) + 1


def _report(shown: Shown, created_at: datetime) -> Report:
    return events_report(
        shown.audit,
        inputs=shown.facts(),
        outcomes=shown.found["outcomes"],
        created_at=created_at,
    )


show_page(
    ToolPage(
        tool=TOOL,
        drawer=lambda _: None,
        body=_show,
        live=_judge_live,
        judge=_judge,
        result=lambda shown: events_result(shown.audit),
        act=_act,
        reasons=lambda shown: [way_of_events(shown.audit)],
        figures=("kept", "risk", "whole_log"),
        found=partial(show_found, at_once=1),
        tabs=partial(show_tabs, only=_TABS),
        parts={
            "combinations": tabs.show_combinations,
            "loss": tabs.show_loss,
            "traces": tabs.show_traces,
            "strategies": tabs.show_strategies,
            "unmapped": tabs.show_unmapped,
            "preview": tabs.show_preview,
        },
        report=_report,
        downloads=_downloads,
    )
)
