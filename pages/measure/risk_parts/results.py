"""What was found out about a table: tabs that are more than the parts of their group."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core import risk
from core.attribute_disclosure import LIMITS
from core.measures import MEASURES
from core.processes.jobs import Progress
from core.releases import EarlierTable, Ledger
from core.risk import (
    RiskAudit,
    RiskMeasurement,
    RiskSettings,
    Suda,
    SudaSettings,
    judge_risk,
    measure_columns,
    measure_special_uniques,
    settings_for_other,
)
from core.risk.evidence import worst_classes_table
from core.risk.result import classes_group, columns_group, compared_group, special_uniques_group
from core.risk.tool import TOOL
from core.tables import Dataset
from core.web.caching import remembered
from core.words import amount, joined, own, say, text
from pages.components.asking import ask_for
from pages.components.long_work import ask_for_work, greyed_out
from pages.components.parts import show_part, show_parts
from pages.components.results import ask_to_show_values, show_table
from pages.components.shown import Shown
from pages.components.text import sentence

ELSEWHERE = ("people", "classes", "suppression")  # groups beside the limits, and in the search
_measure_columns = remembered(kept=8)(measure_columns)


@remembered()
def measure_table(
    table: Dataset,
    settings: RiskSettings,
    groups: Sequence[Dataset],
    *,
    original: Dataset | None = None,
    population: Dataset | None = None,
    earlier: Sequence[EarlierTable | Ledger] = (),
) -> RiskMeasurement:
    """Measure a table's disclosure risk; groups of values are those of the column that they name."""
    named = dict(risk.hierarchy_for(each, table) for each in groups)
    return risk.measure_risk(
        table,
        settings=settings,
        hierarchies={name: each for name, each in named.items() if name not in settings.quasi_identifiers},
        original=original,
        population=population,
        earlier=earlier,
    )


def show_classes(audit: RiskAudit) -> None:
    """Show the class sizes with k."""
    log = st.toggle(say("Logarithmic scale"), key="risk_log_scale", persist_state="session")
    show_parts(classes_group(audit, log=log), key="risk_classes")


def show_intruders(shown: Shown) -> None:
    """Show what each intruder finds, and in one line those that cannot be assessed."""
    group = shown.result.group("intruders")
    all_three = [intruder for table in group.tables for intruder in table.rows]
    for intruder in (each for each in all_three if each.risk is not None):
        figure, found = own(MEASURES[intruder.measure].label), amount("risk", intruder.risk)
        st.markdown(f"**{sentence(say(text('{figure}: {risk}', figure=figure, risk=found)))}**")
        st.caption(sentence(say(intruder.wants)))
        st.markdown(sentence(say(intruder.finds)))
    if unknown := [own(intruder.name) for intruder in all_three if intruder.risk is None]:
        note = "Not assessed without a table of the population or its size: {intruders}."
        st.markdown(say(note, intruders=joined(unknown, ", ")))
    for bars in group.drawings:
        show_part(bars, key="risk_bars")


def show_disclosure(shown: Shown) -> None:
    """Show what classes give away in counts, and the models of it behind a fold."""
    group = shown.result.group("disclosure")
    if not group.tables:
        st.markdown(say(group.empty))
        return
    (table,) = group.tables
    models = {MEASURES[key].label for key in shown.measured.sensitive[0].figures if key != LIMITS[0].figure}
    parts: tuple[list[Sequence[object]], ...] = ([], [])
    for row in table.rows:
        parts[row[0] in models].append(row)
    show_table(replace(table, rows=parts[0]))
    with st.expander(say("For statisticians"), icon=":material/functions:", key="risk_models"):
        show_table(replace(table, rows=parts[1]))
        st.caption(say(table.note))


def show_columns(shown: Shown) -> None:
    """Show which quasi-identifiers single out."""
    with st.spinner(say("Looking at sets of columns"), show_time=True):
        columns = shown.found["columns"] = _measure_columns(shown.measured, shown.given["table"])
    show_parts(columns_group(shown.measured, columns), key="risk_columns")


def show_compared(shown: Shown) -> None:
    """Show the table beside the original, measured the same way as far as it has the columns."""
    other = shown.found["other"] = _judge_other(shown)
    show_parts(compared_group(shown.audit, other), key="risk_compared")


def _judge_other(shown: Shown) -> RiskAudit | None:
    original, settings = shown.given["original"], shown.measured.settings
    if original is None or (same := settings_for_other(settings, original.columns)) is None:
        return None
    groups = [each for each in shown.given["hierarchies"] if each.columns[0] in same.sensitive]
    return judge_risk(measure_table(original, same, groups), shown.thresholds)


def show_special_uniques(shown: Shown) -> None:
    """Search for special uniques on demand."""
    measured, dataset = shown.measured, shown.given["table"]
    st.caption(
        say("A record that two or three values single out is easier to find than one that needs all of them.")
    )
    n_columns = len(measured.classes.quasi_identifiers)
    if not measured.classes.n_classes:
        st.markdown(say("No record is assessed, so none is singled out."))
        return
    start = min(SudaSettings.max_size, n_columns)
    size = ask_for(TOOL.key, SudaSettings, "max_size", mark=str(n_columns), span=(1, n_columns), start=start)
    known = measured.population and (measured.population.n_records, measured.population.population_size)
    key = f"{dataset.fingerprint}{(measured.settings, known, size)!r}"
    work = partial(_search_special_uniques, measured, dataset, size)
    label = "Search for special uniques (SUDA2)"
    job = ask_for_work("risk_suda", key, work, label=label, inputs=dataset.fingerprint)
    if job is not None and isinstance(job.result, Suda):
        shown.found["suda"] = job.result if job.key == key else None
        with greyed_out("suda", when=job.key != key):
            show_parts(special_uniques_group(job.result, file=dataset.name), key="risk_suda")


def _search_special_uniques(
    measured: RiskMeasurement, dataset: Dataset, size: int, progress: Progress
) -> Suda | None:
    """Search beside the page; makes no Streamlit call."""

    def stop(n_done: int, n_sets: int) -> bool:
        progress.report(n_done, n_sets, "Searching sets of columns")
        return progress.stop_asked

    return measure_special_uniques(measured, dataset, max_size=size, stop=stop)


def show_worst(shown: Shown) -> None:
    """Show the smallest classes, without values until these are asked for."""
    reveal = ask_to_show_values("risk_reveal")
    show_table(
        worst_classes_table(shown.measured, shown.given["table"], reveal=reveal), alt="The smallest groups"
    )
    st.caption(
        say("The 50 smallest groups; of equally small ones those with the fewest sensitive values first.")
    )
