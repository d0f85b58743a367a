"""Row leakage: whether a participant is still in the scrambled table."""

from datetime import datetime
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demo import LEAKAGE as DEMOS
from core.leakage import LeakageAudit, LeakageMeasures, TablePair, judge_leakage
from core.leakage.evidence import row_counts_csv, row_values_table
from core.leakage.proof import leakage_proof
from core.leakage.report import leakage_report
from core.leakage.result import comparison_note, leakage_result
from core.leakage.tool import TOOL
from core.reports import Report, input_facts
from core.result import Result, Table
from core.tables import Dataset
from core.words import own, say, text
from pages.components.inputs import (
    Way,
    above_privacy_line,
    ask_for_table,
    show_empty_state,
    show_ways_on,
    stored_files,
)
from pages.components.long_work import greyed_out
from pages.components.parts import show_group, show_part
from pages.components.results import (
    Download,
    show_definitions,
    show_downloads,
    show_figures,
    show_findings,
    show_table,
    show_verdict,
)
from pages.components.text import sentence
from pages.components.texts import ask_what_was_read, what_was_read
from pages.measure.leakage_parts.settings import ask_for_settings, ask_for_thresholds, propose_to_ignore
from pages.measure.leakage_parts.work import measure

WHAT_TO_UPLOAD = (
    "Upload the **original** table and its **scrambled** copy, whether shuffled, noised or synthetic. "
    "Columns are matched by name, rows by position or by a column of your choice. CSV, TSV, Excel or Parquet."
)


def show_leakage() -> None:
    st.title(say(TOOL.title))
    question = st.container()
    original, scrambled = _ask_for_tables()
    drawer = st.expander(say("Settings"), icon=":material/tune:")
    with drawer:
        st.markdown(
            say(
                "Records of the same kind that the scrambled table was **not** made from. If scrambled rows "
                "are closer to the original than to these, something of the original persons was kept."
            )
        )
        holdout = ask_for_table(TOOL.key, "holdout", label="Hold-out table")
    if original is None or scrambled is None:
        question.markdown(say(TOOL.question))
        show_empty_state(TOOL.key, text=WHAT_TO_UPLOAD, demos=DEMOS)
        return
    with above_privacy_line():
        _show_audit(original, scrambled, holdout, drawer)


def _show_audit(
    original: Dataset, scrambled: Dataset, holdout: Dataset | None, drawer: DeltaGenerator
) -> None:
    with drawer:
        settings = ask_for_settings(original, scrambled)
        thresholds = ask_for_thresholds()
        note = st.container()
    propose_to_ignore(original, scrambled, settings)
    pair, measures = measure(original, scrambled, holdout, settings)
    if measures is not None:
        note.caption(sentence(say(comparison_note(measures))))
        tables = {own("original"): original, own("scrambled"): scrambled, own("hold-out"): holdout}
        with greyed_out(TOOL.key, when=measures.settings != settings):
            _show_results(
                judge_leakage(measures, thresholds, read=what_was_read(TOOL.key, scrambled, measures.texts)),
                pair,
                {role: table for role, table in tables.items() if table is not None},
            )


def _ask_for_tables() -> tuple[Dataset | None, Dataset | None]:
    stored = stored_files(TOOL.key, "original"), stored_files(TOOL.key, "scrambled")
    left, right = (st.container(), st.container()) if all(stored) else st.columns(2)
    with left:
        original = ask_for_table(TOOL.key, "original", label="Original table")
    with right:
        scrambled = ask_for_table(TOOL.key, "scrambled", label="Scrambled table")
    return original, scrambled


def _show_results(audit: LeakageAudit, pair: TablePair, tables: dict[str, Dataset]) -> None:
    problem = audit.measures.row_problem
    reasons = (problem,) if problem and problem != audit.headline else ()
    result = leakage_result(audit)
    show_verdict(result.verdict, result.headline, reasons=reasons, findings=result.findings)
    _show_leaked_rows(result)
    show_figures(result.in_order(result.group("persons").figures), at_once=4)
    with st.container(border=True):
        st.markdown(say("**What was found**"))
        said = next((each.check for each in audit.findings if each.gist == audit.headline), "")
        show_findings(audit.findings, key=TOOL.key, at_once=2, in_card=said)
    ask_what_was_read(TOOL.key, pair.scrambled, audit.measures.texts)
    _show_details(result, pair, audit.measures)
    given = {role: [stored_files(TOOL.key, role)[-1].key] for role in ("original", "scrambled")}
    show_ways_on(TOOL.key, [Way("risk", partial(dict, table=given["scrambled"], original=given["original"]))])
    st.subheader(say("Downloads"), anchor=False)
    facts = [input_facts(table, role) for role, table in tables.items()]
    identity = repr(
        ([fact.sha256 for fact in facts], audit.measures.settings, audit.thresholds, dict(audit.read))
    )
    counts = partial(row_counts_csv, audit.measures)
    show_downloads(
        TOOL.key,
        partial(_report, audit, tables),
        identity=identity,
        released=[(pair.scrambled, ())],
        extra=[Download("Counts per row (CSV)", "leakage_rows.csv", "text/csv", counts, "No cell values.")],
    )
    show_definitions(TOOL.measures, limits=TOOL.limits)


def _report(audit: LeakageAudit, tables: dict[str, Dataset], created_at: datetime) -> Report:
    facts = [input_facts(table, role) for role, table in tables.items()]
    original, scrambled, *_ = tables.values()
    made = leakage_report(audit, inputs=facts, created_at=created_at)
    return made.with_tables(leakage_proof(audit, original, scrambled))


def _show_leaked_rows(result: Result) -> None:
    """Show the leaked rows alone: where they stand, and their list."""
    if parts := result.group("leaked").parts:
        for place, part in zip(st.columns([3, 2]), parts, strict=True):
            with place:
                show_part(part, key="leakage_leaked")


def _show_details(result: Result, pair: TablePair, measures: LeakageMeasures) -> None:
    groups = [result.group(key) for key in ("rows", "columns", "nearest", "attacks", "worst", "distances")]
    for tab, group in zip(st.tabs([say(group.title) for group in groups]), groups, strict=True):
        with tab:
            show_group(result, group.key)
            if group.key == "worst" and measures.rows is not None:
                _show_values(
                    pair,
                    measures,
                    [row for part in group.parts if isinstance(part, Table) for row, *_ in part.cells()],
                )


def _show_values(pair: TablePair, measures: LeakageMeasures, rows: list[int]) -> None:
    if st.toggle(
        say("Show the cells of a row"),
        key="leakage_reveal",
        help=say("Cell values are people's data; they are shown here only, and never in a report."),
        persist_state="session",
    ):
        row = st.selectbox(say("Row of the original table"), rows, key="leakage_row", persist_state="session")
        show_table(
            row_values_table(pair, measures, row),
            alt=text("Cells of row {row} in both tables", row=row),
        )


show_leakage()
