"""Row leakage: whether a participant is still in the scrambled table."""

from datetime import datetime
from functools import partial

import streamlit as st

from core.demo.leakage import DEMOS
from core.errors import AuditInputError
from core.leakage import LeakageAudit, LeakageMeasures, TablePair, judge_leakage, views
from core.reports import InputFacts, Report, input_facts
from core.tables import Dataset
from core.words import own, say, text
from pages.components.inputs import above_privacy_line, ask_for_table, show_empty_state, show_privacy_line
from pages.components.reading import show_problems
from pages.components.results import (
    Download,
    show_chart,
    show_definitions,
    show_downloads,
    show_figures,
    show_findings,
    show_table,
    show_verdict,
)
from pages.components.text import plain
from pages.measure.leakage_parts.settings import ask_for_settings, ask_for_thresholds
from pages.measure.leakage_parts.work import measure

TOOL = "leakage"
WHAT_TO_UPLOAD = (
    "Upload the **original** table and its **scrambled** copy, whether shuffled, noised or synthetic. "
    "Columns are matched by name, rows by position or by a column of your choice. CSV, TSV, Excel or Parquet."
)


def show_leakage() -> None:
    st.title(say(views.TITLE))
    st.markdown(say(views.QUESTION))
    original, scrambled, holdout = _ask_for_tables()
    if original is None or scrambled is None:
        show_empty_state(TOOL, text=WHAT_TO_UPLOAD, demos=DEMOS)
        show_privacy_line()
        return
    with above_privacy_line():
        _show_audit(original, scrambled, holdout)


def _show_audit(original: Dataset, scrambled: Dataset, holdout: Dataset | None) -> None:
    try:
        settings = ask_for_settings(original, scrambled)
        pair, measures = measure(original, scrambled, holdout, settings)
    except AuditInputError as error:
        show_problems(error)
        return
    if measures is not None:
        with st.expander(say("Thresholds"), icon=":material/speed:"):
            audit = judge_leakage(measures, ask_for_thresholds())
        tables = {own("original"): original, own("scrambled"): scrambled, own("hold-out"): holdout}
        _show_results(audit, pair, {role: table for role, table in tables.items() if table is not None})


def _ask_for_tables() -> tuple[Dataset | None, Dataset | None, Dataset | None]:
    left, right = st.columns(2)
    with left:
        original = ask_for_table(TOOL, "original", label="Original table")
    with right:
        scrambled = ask_for_table(TOOL, "scrambled", label="Scrambled table")
    with st.expander(say("Hold-out table (optional)"), icon=":material/group_off:"):
        st.markdown(
            say(
                "Records of the same kind that the scrambled table was **not** made from. If scrambled rows "
                "are closer to the original than to these, something of the original persons was kept."
            )
        )
        holdout = ask_for_table(TOOL, "holdout", label="Hold-out table")
    return original, scrambled, holdout


def _show_results(audit: LeakageAudit, pair: TablePair, tables: dict[str, Dataset]) -> None:
    show_verdict(audit.verdict, audit.headline, findings=audit.findings)
    st.caption(plain(say(views.comparison_note(audit.measures))))
    st.subheader(say("Row by row"), anchor=False)
    show_figures(views.row_figures(audit))
    st.subheader(say("Wherever a row went"), anchor=False)
    show_figures(views.moved_figures(audit))
    show_figures(views.found_figures(audit))
    with st.container(border=True):
        st.markdown(say("**What was found**"))
        show_findings(audit.findings, key=TOOL)
    _show_charts(audit.measures)
    _show_nearest(audit)
    _show_attacks(audit)
    _show_tables(audit.measures, pair)
    st.subheader(say("Downloads"), anchor=False)
    facts = [input_facts(table, role) for role, table in tables.items()]
    identity = repr(([fact.sha256 for fact in facts], audit.measures.settings, audit.thresholds))
    counts = partial(views.row_counts_csv, audit.measures)
    show_downloads(
        TOOL,
        partial(_report, audit, facts),
        identity=identity,
        extra=[Download("Counts per row (CSV)", "leakage_rows.csv", "text/csv", counts, "No cell values.")],
    )
    show_definitions(views.MEASURE_KEYS, limits=views.LIMITS)


def _report(audit: LeakageAudit, facts: list[InputFacts], created_at: datetime) -> Report:
    return views.leakage_report(audit, inputs=facts, created_at=created_at)


def _show_charts(measures: LeakageMeasures) -> None:
    charts = views.leakage_charts(measures)
    if "proportion" not in charts:
        return
    show_chart(charts["proportion"], key="leakage_proportion")
    left, right = st.columns(2)
    with left:
        show_chart(charts["distribution"], key="leakage_distribution")
    with right:
        show_chart(charts["columns"], key="leakage_columns")


def _show_nearest(audit: LeakageAudit) -> None:
    st.subheader(say("Nearest rows"), anchor=False)
    left, right = st.columns(2)
    with left:
        show_chart(views.leakage_charts(audit.measures)["nearest"], key="leakage_nearest")
        st.caption(plain(say(views.nearest_note(audit.measures))))
    with right:
        show_figures(views.nearest_figures(audit), per_row=2)


def _show_attacks(audit: LeakageAudit) -> None:
    figures = views.attack_figures(audit)
    if not figures:
        return
    st.subheader(say("Attacks"), anchor=False)
    show_figures(figures, per_row=4 if len(figures) == 4 else 3)
    if not audit.measures.has_holdout:
        st.caption(
            say("Without a hold-out no attack is judged: part of its success is knowledge of the population.")
        )
    with st.expander(say("Every attack, with intervals"), icon=":material/table:"):
        table = views.attacks_table(audit.measures)
        show_table(table, alt="Success of attacks", columns=views.ATTACK_COLUMNS)
        st.caption(plain(say(views.ATTACKS_NOTE)))


def _show_tables(measures: LeakageMeasures, pair: TablePair) -> None:
    columns, rows, distances = st.tabs([say("Columns"), say("Worst rows"), say("Closest records")])
    with columns:
        table = views.columns_table(measures)
        show_table(table, alt="Matching cells by column", columns=views.COLUMN_COLUMNS)
    with rows:
        worst = views.worst_rows_table(measures)
        show_table(worst, alt="Rows that share most with their original", columns=views.ROW_COLUMNS)
        if len(worst):
            _show_values(pair, measures, worst["row"].tolist())
    with distances:
        table = views.distances_table(measures)
        show_table(table, alt="Distance to the closest record", columns=views.DISTANCE_COLUMNS)
        st.caption(say(views.DISTANCES_NOTE))


def _show_values(pair: TablePair, measures: LeakageMeasures, rows: list[int]) -> None:
    if st.toggle(
        say("Show the cells of a row"),
        key="leakage_reveal",
        help=say("Cell values are people's data; they are shown here only, and never in a report."),
        persist_state="session",
    ):
        row = st.selectbox(say("Row of the original table"), rows, key="leakage_row", persist_state="session")
        show_table(
            views.row_values_table(pair, measures, row),
            alt=text("Cells of row {row} in both tables", row=row),
            columns=views.CELL_COLUMNS,
        )


show_leakage()
