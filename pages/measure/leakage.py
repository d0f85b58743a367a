"""Row leakage: whether a participant is still in the scrambled table."""

from datetime import datetime
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.demo.leakage import DEMOS
from core.leakage import LeakageAudit, LeakageMeasures, TablePair, judge_leakage, views
from core.reports import Report, input_facts
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
from pages.components.text import sentence
from pages.components.texts import ask_what_was_read, what_was_read
from pages.measure.leakage_parts.settings import ask_for_settings, ask_for_thresholds, propose_to_ignore
from pages.measure.leakage_parts.work import measure

TOOL = "leakage"
_MOST_LISTED = 1_000
WHAT_TO_UPLOAD = (
    "Upload the **original** table and its **scrambled** copy, whether shuffled, noised or synthetic. "
    "Columns are matched by name, rows by position or by a column of your choice. CSV, TSV, Excel or Parquet."
)


def show_leakage() -> None:
    st.title(say(views.TITLE))
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
        holdout = ask_for_table(TOOL, "holdout", label="Hold-out table")
    if original is None or scrambled is None:
        question.markdown(say(views.QUESTION))
        show_empty_state(TOOL, text=WHAT_TO_UPLOAD, demos=DEMOS)
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
        note.caption(sentence(say(views.comparison_note(measures))))
        tables = {own("original"): original, own("scrambled"): scrambled, own("hold-out"): holdout}
        with greyed_out(TOOL, when=measures.settings != settings):
            _show_results(
                judge_leakage(measures, thresholds, read=what_was_read(TOOL, scrambled, measures.texts)),
                pair,
                {role: table for role, table in tables.items() if table is not None},
            )


def _ask_for_tables() -> tuple[Dataset | None, Dataset | None]:
    stored = stored_files(TOOL, "original"), stored_files(TOOL, "scrambled")
    left, right = (st.container(), st.container()) if all(stored) else st.columns(2)
    with left:
        original = ask_for_table(TOOL, "original", label="Original table")
    with right:
        scrambled = ask_for_table(TOOL, "scrambled", label="Scrambled table")
    return original, scrambled


def _show_results(audit: LeakageAudit, pair: TablePair, tables: dict[str, Dataset]) -> None:
    problem = audit.measures.row_problem
    reasons = (problem,) if problem and problem != audit.headline else ()
    show_verdict(audit.verdict, audit.headline, reasons=reasons, findings=audit.findings)
    _show_leaked_rows(audit)
    show_figures(views.headline_figures(audit), at_once=4)
    with st.container(border=True):
        st.markdown(say("**What was found**"))
        said = next((each.check for each in audit.findings if each.gist == audit.headline), "")
        show_findings(audit.findings, key=TOOL, at_once=2, in_card=said)
    ask_what_was_read(TOOL, pair.scrambled, audit.measures.texts)
    _show_details(audit, pair)
    given = {role: [stored_files(TOOL, role)[-1].key] for role in ("original", "scrambled")}
    show_ways_on(TOOL, [Way("risk", partial(dict, table=given["scrambled"], original=given["original"]))])
    st.subheader(say("Downloads"), anchor=False)
    facts = [input_facts(table, role) for role, table in tables.items()]
    identity = repr(
        ([fact.sha256 for fact in facts], audit.measures.settings, audit.thresholds, dict(audit.read))
    )
    counts = partial(views.row_counts_csv, audit.measures)
    show_downloads(
        TOOL,
        partial(_report, audit, tables),
        identity=identity,
        released=[(pair.scrambled, ())],
        extra=[Download("Counts per row (CSV)", "leakage_rows.csv", "text/csv", counts, "No cell values.")],
    )
    show_definitions(views.MEASURE_KEYS, limits=views.LIMITS)


def _report(audit: LeakageAudit, tables: dict[str, Dataset], created_at: datetime) -> Report:
    facts = [input_facts(table, role) for role, table in tables.items()]
    original, scrambled, *_ = tables.values()
    made = views.leakage_report(audit, inputs=facts, created_at=created_at)
    return made.with_tables(views.leakage_proof(audit, original, scrambled))


def _show_leaked_rows(audit: LeakageAudit) -> None:
    """Show the leaked rows alone: where they stand, and their list."""
    if (chart := views.leaked_rows_chart(audit)) is None:
        return
    places, listed = st.columns([3, 2])
    with places:
        show_chart(chart, key="leakage_leaked")
    with listed:
        table = views.leaked_rows_table(audit.measures)[:_MOST_LISTED]
        show_table(table, alt="Rows of the original that are still there")


def _show_details(audit: LeakageAudit, pair: TablePair) -> None:
    measures = audit.measures
    charts = views.leakage_charts(measures)
    names = ("Rows", "Columns", "Nearest rows", "Attacks", "Worst rows", "Closest records")
    rows, columns, nearest, attacks, worst, distances = st.tabs([say(name) for name in names])
    with rows:
        if "proportion" in charts:
            show_chart(charts["proportion"], key="leakage_proportion")
            show_chart(charts["distribution"], key="leakage_distribution")
        else:
            st.markdown(say("Rows could not be compared with their own, so there is nothing to show here."))
    with columns:
        if "columns" in charts:
            show_chart(charts["columns"], key="leakage_columns")
        table = views.columns_table(measures)
        show_table(table, alt="Matching cells by column")
    with nearest:
        show_chart(charts["nearest"], key="leakage_nearest")
        st.caption(sentence(say(views.nearest_note(measures))))
        show_figures(views.nearest_figures(audit))
    with attacks:
        _show_attacks(audit)
    with worst:
        table = views.worst_rows_table(measures)
        show_table(table, alt="Rows that share most with their original")
        if len(table):
            _show_values(pair, measures, table["row"].tolist())
    with distances:
        table = views.distances_table(measures)
        show_table(table, alt="Distance to the closest record")
        st.caption(say(views.DISTANCES_NOTE))


def _show_attacks(audit: LeakageAudit) -> None:
    figures = views.attack_figures(audit)
    if not figures:
        st.markdown(say("Attacks need two columns and two rows."))
        return
    show_figures(figures, per_row=4 if len(figures) == 4 else 3)
    if not audit.measures.has_holdout:
        st.caption(
            say("Without a hold-out no attack is judged: part of its success is knowledge of the population.")
        )
    table = views.attacks_table(audit.measures)
    show_table(table, alt="Success of attacks")
    st.caption(sentence(say(views.ATTACKS_NOTE)))


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
        )


show_leakage()
