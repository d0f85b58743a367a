"""Tabular verifier: whether an anonymized table holds what its log claims, and whether that is enough."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from core.caching import StoredFile
from core.demo.tabular import DEMOS
from core.reports import Report
from core.tabular import LeftOutFile, views
from core.tabular.csv_report import Headers, csv_report_header, csv_report_name, csv_report_row
from core.words import listed, say
from pages.components import inputs, results
from pages.components.text import sentence
from pages.verify.tabular_parts.batch import MeasuredFile, judge, measure_pairs
from pages.verify.tabular_parts.file import show_file
from pages.verify.tabular_parts.pairing import (
    ask_for_pairs,
    can_be_paired,
    is_log,
    pair_given,
    show_left_out,
    show_what_needs_no_log,
)
from pages.verify.tabular_parts.settings import Limits, ask_for_limits, ask_for_patterns, show_departures

TOOL = "tabular"
WHAT_TO_UPLOAD = (
    "Upload three files for each table: the **original** `visits.csv`, the **anonymized** "
    "`visits_anonymized.csv`, and the **log** of what was done, `visits_anonymized_log.json`. "
    "Tables may be CSV, TSV, Excel or Parquet. Without a log, **Row leakage** compares the two tables, and "
    "**Disclosure risk** judges one alone."
)


def show_tabular() -> None:
    st.title(say(views.TITLE))
    question = st.container()
    files = inputs.ask_for_files(
        TOOL,
        "files",
        label="Originals, anonymized tables and logs, all together",
        help_text="Files are paired by their names; others can be paired by hand.",
    )
    if not files:
        question.markdown(say(views.QUESTION))
        inputs.show_empty_state(TOOL, text=WHAT_TO_UPLOAD, demos=DEMOS)
        return
    pairs, left_out = pair_given(TOOL, files)
    k = int(st.session_state.get("tabular_k", 5))
    patterns, limits = _ask_for_settings(files, k=k, expanded=not pairs and can_be_paired(TOOL, files))
    with inputs.above_privacy_line():
        measured, problems = measure_pairs(
            TOOL, pairs, {stored.name: stored for stored in files}, patterns=patterns
        )
        show_what_needs_no_log(TOOL, files)
        if measured:
            show_departures(patterns, limits)
            keys = {stored.name: stored.key for stored in files}
            _show_results(measured, (*problems, *left_out), limits, k, keys)
        else:
            show_left_out((*problems, *left_out))


def _ask_for_settings(
    files: Sequence[StoredFile], *, k: int, expanded: bool
) -> tuple[tuple[str, ...], Limits]:
    """Show files and settings in one drawer, open where a pair can be made; return patterns and limits."""
    names = listed([stored.name for stored in files], at_most=2)
    heading = sentence(say("Files and settings: {files}", files=names))
    drawer = st.expander(heading, icon=":material/tune:", expanded=expanded)
    places = drawer.tabs(
        [say("Files"), say("Pair files by hand"), say("Sensitive patterns"), say("Thresholds")],
        default=say("Pair files by hand") if expanded else None,
    )
    with places[0]:
        inputs.list_given(TOOL, "files", files, is_table=lambda name: not is_log(name), says_problems=False)
    with places[1]:
        ask_for_pairs(TOOL, files)
    with places[2]:
        patterns = ask_for_patterns()
    with places[3]:
        return patterns, ask_for_limits(k=k)


def _show_results(
    measured: Sequence[MeasuredFile],
    left_out: Sequence[LeftOutFile],
    limits: Limits,
    k: int,
    keys: Mapping[str, str],
) -> None:
    files = [judge(file, limits) for file in measured]
    shown = 0
    if len(files) > 1 or left_out:
        results.show_verdict(
            views.run_verdict([file.audit for file in files], n_skipped=len(left_out)),
            views.run_counts(files, left_out),
        )
        shown = _choose_file(files, left_out)
    show_file(files[shown].audit, measured[shown], k=k)
    pair = measured[shown].pair
    original, anonymized = [keys[pair.original]], [keys[pair.anonymized]]
    inputs.show_ways_on(
        TOOL,
        [
            inputs.Way("leakage", partial(dict, original=original, scrambled=anonymized)),
            inputs.Way("risk", partial(dict, table=anonymized, original=original)),
        ],
    )
    if len(files) > 1:
        with st.expander(say("All figures of all files"), icon=":material/table:"):
            results.show_table(views.files_table(files), alt="Verdicts and figures of all files")
    st.header(say("Downloads"), anchor=False)
    results.show_downloads(
        TOOL,
        partial(_report, files, left_out, k),
        identity=repr(([file.identity for file in measured], [file.settings for file in files])),
        extra=_csv_downloads(files),
        released=[(file.anonymized, ()) for file in measured],
    )
    results.show_definitions(views.MEASURE_KEYS, limits=views.LIMITS)


def _choose_file(files: Sequence[views.VerifiedFile], left_out: Sequence[LeftOutFile]) -> int:
    """List files, the worst first, with those left out; return the place of the one to look at."""
    ranked = sorted(files, key=lambda file: -file.audit.overall.severity)
    names = [file.audit.name for file in ranked]
    results.list_files(TOOL, views.run_table(files, left_out), names)
    return files.index(ranked[names.index(results.ask_for_file(TOOL, names))]) if len(names) > 1 else 0


def _report(
    files: Sequence[views.VerifiedFile], left_out: Sequence[LeftOutFile], k: int, created_at: datetime
) -> Report:
    return views.tabular_report(files, skipped=left_out, created_at=created_at, k=k)


def _csv_downloads(files: Sequence[views.VerifiedFile]) -> list[results.Download]:
    """Offer the published CSV report, with its own headers and with English ones."""
    name = csv_report_name(datetime.now(UTC))
    asked: dict[Headers, tuple[str, str]] = {
        "ko": ("CSV report (한국어)", name),
        "en": ("CSV report (English)", name.replace(".csv", "_english.csv")),
    }
    return [
        results.Download(
            label, file_name, "text/csv", partial(_csv, files, headers), "A row per file, as published."
        )
        for headers, (label, file_name) in asked.items()
    ]


def _csv(files: Sequence[views.VerifiedFile], headers: Headers) -> bytes:
    rows = (csv_report_row(file.audit, seconds=file.seconds) for file in files)
    return "".join((csv_report_header(headers), *rows)).encode()


show_tabular()
