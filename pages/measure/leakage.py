"""Row leakage: whether a participant is still in the scrambled table."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from core.leakage import LeakageSettings, judge_leakage, new_pseudonyms, with_names_of
from core.leakage.evidence import row_counts_csv, row_values_table
from core.leakage.proof import leakage_proof
from core.leakage.report import leakage_report
from core.leakage.result import comparison_note, leakage_result
from core.leakage.tool import TOOL
from core.reports import Report
from core.result import Table
from core.tables import Dataset
from core.web.caching import remembered
from core.words import listed, say, text
from pages.components.asking import ask_for_form, propose
from pages.components.drawer import SETTINGS
from pages.components.inputs import Way, stored_files
from pages.components.parts import show_beside, show_group
from pages.components.results import Download, show_table
from pages.components.shown import Shown, Texts
from pages.components.text import sentence
from pages.components.tool_page import ToolPage, show_found, show_page
from pages.measure.leakage_parts.work import measure, pair_tables


def _ask_for_settings(shown: Shown) -> LeakageSettings:
    """Show how cells and rows are compared; a change measures again."""
    original, scrambled = shown.given["original"], shown.given["scrambled"]
    there = set(with_names_of(original, scrambled).columns)
    common = [name for name in original.columns if name in there]
    mark = _mark(original, scrambled)
    given = {
        "key": {"options": [None, *common], "mark": mark},
        "ignore_columns": {"options": common, "mark": mark},
    }
    return LeakageSettings(**ask_for_form(TOOL.key, LeakageSettings, given=given))


def _mark(original: Dataset, scrambled: Dataset) -> str:
    return f"{original.fingerprint}_{scrambled.fingerprint}"


def _propose_to_ignore(shown: Shown) -> None:
    """Propose to leave out columns that hold new pseudonyms: they match nowhere and hide rows that do."""
    original, scrambled, settings = shown.given["original"], shown.given["scrambled"], shown.settings
    found = _new_pseudonyms(original, scrambled, settings.key)
    if not (names := [name for name in found if name not in settings.ignore_columns]):
        return
    proposal = say(
        "{columns} never repeats and matches nowhere, as new pseudonyms do: no row can be the same with it.",
        "{columns} never repeat and match nowhere, as new pseudonyms do: no row can be the same with them.",
        n=len(names),
        columns=listed(names),
    )
    propose(
        proposal,
        say("Leave it out", "Leave them out", n=len(names)),
        key="leakage_leave_out",
        icon=":material/visibility_off:",
        on_click=_ignore,
        args=(f"leakage_ignore_columns_{_mark(original, scrambled)}", names),
    )


@remembered()
def _new_pseudonyms(original: Dataset, scrambled: Dataset, key: str | None) -> tuple[str, ...]:
    return new_pseudonyms(pair_tables(original, scrambled, key=key))


def _ignore(key: str, names: list[str]) -> None:
    st.session_state[key] = [*st.session_state.get(key, ()), *names]


def _measure(shown: Shown) -> object:
    _propose_to_ignore(shown)
    shown.found["pair"], measures = measure(shown)
    if measures is not None:
        shown.drawer[SETTINGS].caption(sentence(say(comparison_note(measures))))
        shown.is_outdated = measures.settings != shown.settings
    return measures


def _reasons(shown: Shown) -> Sequence[str]:
    problem = shown.measured.row_problem
    return (problem,) if problem and problem != shown.audit.headline else ()


def _show_leaked_rows(shown: Shown) -> None:
    """Show the leaked rows alone: where they stand, and their list."""
    show_beside(shown.result.group("leaked").parts, key="leakage_leaked", widths=(3, 2))


def _show_worst(shown: Shown) -> None:
    """Show the rows that share most, and the cells of one on demand."""
    group, measures = shown.result.group("worst"), shown.measured
    show_group(shown.result, group.key)
    if measures.rows is None or not st.toggle(
        say("Show the cells of a row"),
        key="leakage_reveal",
        help=say("Cell values are people's data; they are shown here only, and never in a report."),
        persist_state="session",
    ):
        return
    rows = [row for part in group.parts if isinstance(part, Table) for row, *_ in part.cells()]
    row = st.selectbox(say("Row of the original table"), rows, key="leakage_row", persist_state="session")
    show_table(
        row_values_table(shown.found["pair"], measures, row),
        alt=text("Cells of row {row} in both tables", row=row),
    )


def _ways(_: Shown) -> list[Way]:
    original, scrambled = ([stored_files(TOOL.key, role)[-1].key] for role in ("original", "scrambled"))
    return [Way("risk", partial(dict, table=scrambled, original=original))]


def _report(shown: Shown, created_at: datetime) -> Report:
    made = leakage_report(shown.audit, inputs=shown.facts(), created_at=created_at)
    original, scrambled, *_ = shown.tables
    return made.with_tables(leakage_proof(shown.audit, original, scrambled))


def _downloads(shown: Shown) -> list[Download]:
    counts = partial(row_counts_csv, shown.measured)
    return [Download("Counts per row (CSV)", "leakage_rows.csv", counts, "No cell values.")]


show_page(
    ToolPage(
        tool=TOOL,
        found=partial(show_found, at_once=1),
        settings=_ask_for_settings,
        measure=_measure,
        judge=lambda shown: judge_leakage(shown.measured, shown.thresholds, read=shown.read),
        result=lambda shown: leakage_result(shown.audit),
        reasons=_reasons,
        showing=_show_leaked_rows,
        elsewhere=("leaked",),
        parts={"worst": _show_worst},
        texts=lambda shown: [Texts(TOOL.key, shown.given["scrambled"], shown.measured.texts)],
        ways=_ways,
        report=_report,
        released=lambda shown: [(shown.given["scrambled"], ())],
        downloads=_downloads,
    )
)
