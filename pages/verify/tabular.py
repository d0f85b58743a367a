"""Tabular verifier: whether an anonymized table holds what its log claims, and whether that is enough."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from core.caching import StoredFile
from core.demo import TABULAR as DEMOS
from core.reports import report_table
from core.result import Result, Table
from core.tabular import LeftOutFile
from core.tabular.csv_report import Headers, csv_report_header, csv_report_name, csv_report_row
from core.tabular.report import tabular_report
from core.tabular.result import run_counts, run_result
from core.tabular.tool import TOOL
from core.tabular.verified import VerifiedFile
from core.words import listed, say
from pages.components import inputs, results
from pages.components.parts import show_group
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

WHAT_TO_UPLOAD = (
    "Upload three files for each table: the **original** `visits.csv`, the **anonymized** "
    "`visits_anonymized.csv`, and the **log** of what was done, `visits_anonymized_log.json`. "
    "Tables may be CSV, TSV, Excel or Parquet. Without a log, **Row leakage** compares the two tables, and "
    "**Disclosure risk** judges one alone."
)


def show_tabular() -> None:
    st.title(say(TOOL.title))
    question = st.container()
    files = inputs.ask_for_files(
        TOOL.key,
        "files",
        label="Originals, anonymized tables and logs, all together",
        help_text="Files are paired by their names; others can be paired by hand.",
    )
    if not files:
        question.markdown(say(TOOL.question))
        inputs.show_empty_state(TOOL.key, text=WHAT_TO_UPLOAD, demos=DEMOS)
        return
    pairs, left_out = pair_given(TOOL.key, files)
    k = int(st.session_state.get("tabular_k", 5))
    patterns, limits = _ask_for_settings(files, k=k, expanded=not pairs and can_be_paired(TOOL.key, files))
    with inputs.above_privacy_line():
        measured, problems = measure_pairs(
            TOOL.key, pairs, {stored.name: stored for stored in files}, patterns=patterns
        )
        show_what_needs_no_log(TOOL.key, files)
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
        inputs.list_given(
            TOOL.key, "files", files, is_table=lambda name: not is_log(name), says_problems=False
        )
    with places[1]:
        ask_for_pairs(TOOL.key, files)
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
    result = run_result(files, left_out, k=k)
    shown = 0
    if len(files) > 1 or left_out:
        results.show_verdict(result.verdict, run_counts([file.audit for file in files], left_out))
        shown = _choose_file(files, result)
    show_file(files[shown].audit, measured[shown], k=k)
    pair = measured[shown].pair
    original, anonymized = [keys[pair.original]], [keys[pair.anonymized]]
    inputs.show_ways_on(
        TOOL.key,
        [
            inputs.Way("leakage", partial(dict, original=original, scrambled=anonymized)),
            inputs.Way("risk", partial(dict, table=anonymized, original=original)),
        ],
    )
    if len(files) > 1:
        with st.expander(say("Figures of all files"), icon=":material/table:"):
            show_group(result, "files")
    st.header(say("Downloads"), anchor=False)
    results.show_downloads(
        TOOL.key,
        lambda created_at: tabular_report(files, skipped=left_out, created_at=created_at, k=k),
        identity=repr(([file.identity for file in measured], [file.settings for file in files])),
        extra=_csv_downloads(files),
        released=[(file.anonymized, ()) for file in measured],
    )
    results.show_definitions(TOOL.measures, limits=TOOL.limits)


def _choose_file(files: Sequence[VerifiedFile], run: Result) -> int:
    """List files, the worst first, with those left out; return the place of the one to look at."""
    ranked = sorted(files, key=lambda file: -file.audit.overall.severity)
    names = [file.audit.name for file in ranked]
    (listed_files,) = (each for each in run.group("list").parts if isinstance(each, Table))
    results.list_files(TOOL.key, report_table(listed_files).frame, names)
    return files.index(ranked[names.index(results.ask_for_file(TOOL.key, names))]) if len(names) > 1 else 0


def _csv_downloads(files: Sequence[VerifiedFile]) -> list[results.Download]:
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


def _csv(files: Sequence[VerifiedFile], headers: Headers) -> bytes:
    rows = (csv_report_row(file.audit, seconds=file.seconds) for file in files)
    return "".join((csv_report_header(headers), *rows)).encode()


show_tabular()
