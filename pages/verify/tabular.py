"""Tabular verifier: whether an anonymized table holds what its log claims, and whether that is enough."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from core.reports import Report
from core.tabular.csv_report import Headers, csv_report_header, csv_report_name, csv_report_row
from core.tabular.report import tabular_report
from core.tabular.result import file_result, run_counts, run_result
from core.tabular.tool import TOOL
from core.tabular.verified import VerifiedFile
from pages.components.drawer import FILES, THRESHOLDS, files_heading, place_drawer
from pages.components.inputs import Way, list_given
from pages.components.results import Download
from pages.components.runs import ask_for_file, show_figures_of_files, show_run
from pages.components.shown import Shown, Texts
from pages.components.tool_page import ToolPage, show_page, show_whole
from pages.verify.tabular_parts.batch import judge, measure_pairs
from pages.verify.tabular_parts.file import ask_for_classes, show_columns, show_evidence, show_map, show_sides
from pages.verify.tabular_parts.log_making import ask_for_log
from pages.verify.tabular_parts.pairing import (
    ask_for_pairs,
    can_be_paired,
    logs_among,
    pair_given,
    show_left_out,
    show_what_needs_no_log,
    tables_among,
)
from pages.verify.tabular_parts.settings import ask_for_limits, ask_for_patterns, show_departures

_BY_HAND, _PATTERNS = "Pair files by hand", "Sensitive patterns"


def _show_drawer(shown: Shown) -> None:
    """Show files and settings, opened where a pair can be made by hand."""
    files = shown.given["files"]
    shown.found["pairs"], shown.found["left_out"] = pair_given(TOOL.key, files)
    to_pair = not shown.found["pairs"] and can_be_paired(TOOL.key, files)
    titles = (FILES, _BY_HAND, _PATTERNS, THRESHOLDS)
    place_drawer(shown, files_heading(files), titles, opened=_BY_HAND if to_pair else "")
    with shown.drawer[FILES]:
        logs = logs_among(TOOL.key, files)
        list_given(TOOL.key, "files", files, is_table=lambda name: name not in logs)
    with shown.drawer[_BY_HAND]:
        ask_for_pairs(TOOL.key, files)
    with shown.drawer[_PATTERNS]:
        shown.settings = ask_for_patterns()


def _show(shown: Shown) -> None:
    files = shown.given["files"]
    shown.measured, problems = measure_pairs(
        TOOL.key, shown.found["pairs"], {stored.name: stored for stored in files}, patterns=shown.settings
    )
    shown.found["left_out"] = left_out = (*problems, *shown.found["left_out"])
    if not shown.measured:
        ask_for_log(TOOL.key, files)
        show_what_needs_no_log(TOOL.key, files)
    if shown.measured:
        show_whole(shown)
    else:
        with shown.drawer[THRESHOLDS]:
            ask_for_limits(k=_k())
        if logs_among(TOOL.key, files) or len(tables_among(TOOL.key, files)) < len(files):
            show_left_out(left_out)


def _k() -> int:
    """Return the class size that the slider says, which stands beside the classes."""
    return int(st.session_state.get("tabular_k", 5))


def _judge_live(shown: Shown) -> None:
    """Judge all files, list them, the worst first, with those left out; show the one to look at."""
    with shown.drawer[THRESHOLDS]:
        limits = ask_for_limits(k=_k())
    left_out = shown.found["left_out"]
    shown.found["files"] = files = [judge(file, limits) for file in shown.measured]
    run = shown.found["run"] = run_result(files, left_out, k=_k())
    ranked = sorted(files, key=lambda file: -file.audit.overall.severity)
    names = [file.audit.name for file in ranked]
    with shown.top:
        show_departures(shown.settings, limits)
        if len(files) > 1 or left_out:
            show_run(run, names, headline=run_counts([file.audit for file in files], left_out))
        name = ask_for_file(TOOL.key, names) if len(files) > 1 else names[0]
    chosen = files.index(ranked[names.index(name)])
    shown.found["file"] = shown.measured[chosen]
    shown.depends_on = [[file.identity for file in shown.measured], [file.settings for file in files]]
    shown.judge(limits)


def _texts(shown: Shown) -> list[Texts]:
    file = shown.found["file"]
    opinion = _file(shown).audit.opinion_measurement
    return [] if opinion is None else [Texts(TOOL.key, file.anonymized, opinion.texts)]


def _file(shown: Shown) -> VerifiedFile:
    """Return the file to look at, judged."""
    verified: VerifiedFile = shown.found["files"][shown.measured.index(shown.found["file"])]
    return verified


def _ways(shown: Shown) -> list[Way]:
    keys = {stored.name: stored.key for stored in shown.given["files"]}
    pair = shown.found["file"].pair
    original, anonymized = [keys[pair.original]], [keys[pair.anonymized]]
    return [
        Way("leakage", partial(dict, original=original, scrambled=anonymized)),
        Way("risk", partial(dict, table=anonymized, original=original)),
    ]


def _report(shown: Shown, created_at: datetime) -> Report:
    k = shown.thresholds.opinion.smallest_k
    return tabular_report(shown.found["files"], skipped=shown.found["left_out"], created_at=created_at, k=k)


def _downloads(shown: Shown) -> list[Download]:
    """Offer the published CSV report, with its own headers and with English ones."""
    name = csv_report_name(datetime.now(UTC))
    asked: dict[Headers, tuple[str, str]] = {
        "ko": ("CSV report (한국어)", name),
        "en": ("CSV report (English)", name.replace(".csv", "_english.csv")),
    }
    return [
        Download(
            label, file_name, partial(_csv, shown.found["files"], headers), "A row per file, as published."
        )
        for headers, (label, file_name) in asked.items()
    ]


def _csv(files: Sequence[VerifiedFile], headers: Headers) -> bytes:
    rows = (csv_report_row(file.audit, seconds=file.seconds) for file in files)
    return "".join((csv_report_header(headers), *rows)).encode()


show_page(
    ToolPage(
        tool=TOOL,
        drawer=_show_drawer,
        body=_show,
        live=_judge_live,
        judge=lambda shown: _file(shown).audit,
        result=lambda shown: file_result(
            shown.audit, k=_k(), log=bool(st.session_state.get("tabular_log_scale"))
        ),
        showing=show_map,
        figures=("figures",),
        found=show_sides,
        texts=_texts,
        elsewhere=("map",),
        parts={"classes": ask_for_classes, "columns": show_columns},
        own_tabs={"Evidence": show_evidence},
        further=lambda shown: show_figures_of_files(shown.found["run"]),
        ways=_ways,
        report=_report,
        released=lambda shown: [(file.anonymized, ()) for file in shown.measured],
        downloads=_downloads,
    )
)
