"""Tabular verifier: whether an anonymized table holds what its log claims, and whether that is enough."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from core.caching import StoredFile
from core.demo.tabular import DEMOS
from core.reports import Report
from core.tabular import LeftOutFile, views
from core.tabular.csv_report import Headers, csv_report_header, csv_report_name, csv_report_row
from core.words import say
from pages.components.inputs import (
    TABLE_TYPES,
    above_privacy_line,
    ask_for_files,
    list_file,
    list_table,
    show_empty_state,
    show_privacy_line,
)
from pages.components.results import Download, show_definitions, show_downloads, show_table, show_verdict
from pages.verify.tabular_parts.batch import MeasuredFile, judge, measure_pairs
from pages.verify.tabular_parts.file import show_file
from pages.verify.tabular_parts.pairing import ask_for_pairs
from pages.verify.tabular_parts.settings import ask_for_limits, ask_for_patterns

TOOL = "tabular"
WHAT_TO_UPLOAD = (
    "Upload three files for each table: the **original** `visits.csv`, the **anonymized** "
    "`visits_anonymized.csv`, and the **log** of what was done, `visits_anonymized_log.json`. "
    "Tables may be CSV, TSV, Excel or Parquet. Without a log, **Row leakage** compares the two tables, and "
    "**Disclosure risk** judges one alone."
)


def show_tabular() -> None:
    st.title(say(views.TITLE))
    st.markdown(say(views.QUESTION))
    files = ask_for_files(
        TOOL,
        "files",
        label="Originals, anonymized tables and logs, all together",
        types=(*TABLE_TYPES, "json"),
        help_text="Files are paired by their names; others can be paired by hand.",
    )
    if not files:
        show_empty_state(TOOL, text=WHAT_TO_UPLOAD, demos=DEMOS)
        show_privacy_line()
        return
    pairs, left_out = ask_for_pairs(TOOL, files)
    _list_files(files, expanded=not pairs)
    patterns = ask_for_patterns()
    with above_privacy_line():
        measured, problems = measure_pairs(
            TOOL, pairs, {stored.name: stored for stored in files}, patterns=patterns
        )
        if measured:
            _show_results(measured, (*left_out, *problems))


def _list_files(files: Sequence[StoredFile], *, expanded: bool) -> None:
    with st.expander(
        say("Files and how they were read ({files})", files=len(files)),
        icon=":material/folder_open:",
        expanded=expanded,
    ):
        for stored in files:
            show = list_file if stored.name.lower().endswith(".json") else list_table
            show(TOOL, "files", stored)


def _show_results(measured: Sequence[MeasuredFile], left_out: Sequence[LeftOutFile]) -> None:
    k = int(st.session_state.get("tabular_k", 5))
    limits = ask_for_limits(k=k)
    files = [judge(file, limits) for file in measured]
    names = [file.pair.original for file in measured]
    if len(files) > 1 or left_out:
        st.header(say("All files"), anchor=False)
        show_verdict(
            views.run_verdict([file.audit for file in files], n_skipped=len(left_out)),
            views.run_headline(files, left_out),
        )
    position = 0
    if len(files) > 1:
        show_table(
            views.files_table(files), alt="Verdicts and figures of all files", columns=views.FILE_COLUMNS
        )
        chosen = st.selectbox(say("File to look at"), names, key="tabular_file", persist_state="session")
        position = names.index(chosen)
    show_file(files[position].audit, measured[position], k=k)
    st.header(say("Downloads"), anchor=False)
    show_downloads(
        TOOL,
        partial(_report, files, left_out, k),
        identity=repr(([file.identity for file in measured], [file.settings for file in files])),
        extra=_csv_downloads(files),
    )
    show_definitions(views.MEASURE_KEYS, limits=views.LIMITS)


def _report(
    files: Sequence[views.VerifiedFile], left_out: Sequence[LeftOutFile], k: int, created_at: datetime
) -> Report:
    return views.tabular_report(files, skipped=left_out, created_at=created_at, k=k)


def _csv_downloads(files: Sequence[views.VerifiedFile]) -> list[Download]:
    """Offer the published CSV report, with its own headers and with English ones."""
    name = csv_report_name(datetime.now(UTC))
    labels: dict[Headers, str] = {"ko": "CSV report (한국어)", "en": "CSV report (English)"}
    return [
        Download(label, name, "text/csv", partial(_csv, files, headers), "A row per file, as published.")
        for headers, label in labels.items()
    ]


def _csv(files: Sequence[views.VerifiedFile], headers: Headers) -> bytes:
    rows = (csv_report_row(file.audit, seconds=file.seconds) for file in files)
    return "".join((csv_report_header(headers), *rows)).encode()


show_tabular()
