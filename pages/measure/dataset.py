"""Data set: who is found when the tables of one delivery are read together."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import combinations

import streamlit as st

from core import caching
from core.delivery import (
    DeliveryAudit,
    DeliveryMeasurement,
    DeliverySettings,
    DeliveryThresholds,
    attack_sentence,
    judge_delivery,
    named_tables,
    released_tables,
)
from core.delivery.proof import delivery_proof
from core.delivery.report import delivery_report, facts_of_tables
from core.delivery.result import delivery_result
from core.delivery.tool import TOOL
from core.demo import DATASET as DEMOS
from core.free_text import Reading
from core.reports import Report
from core.result import Result
from core.tables import Dataset
from core.words import listed, say
from pages.components import results
from pages.components.asking import ask_for_choice, ask_for_number, ask_for_several
from pages.components.earlier import Earlier, ask_for_earlier, ledger_download, show_earlier
from pages.components.inputs import above_privacy_line, ask_for_files, list_given, show_empty_state
from pages.components.parts import show_group
from pages.components.reading import all_sheets
from pages.components.text import sentence
from pages.components.texts import ask_what_was_read

WHAT_TO_UPLOAD = (
    "Upload **all tables** of one delivery that are about the same people, such as patients, visits and "
    "tests: CSV, TSV, Excel or Parquet. The columns that join them are proposed."
)


def show_dataset() -> None:
    st.title(say(TOOL.title))
    question = st.container()
    stored = ask_for_files(TOOL.key, "tables", label="The tables of the delivery")
    if not stored:
        question.markdown(say(TOOL.question))
        show_empty_state(TOOL.key, text=WHAT_TO_UPLOAD, demos=DEMOS)
        return
    names = listed([each.name for each in stored], at_most=3)
    drawer = st.expander(sentence(say("Files and settings: {files}", files=names)), icon=":material/tune:")
    titles = ("Files", "Keys, persons, roles of columns", "Earlier releases")
    files, roles, releases = drawer.tabs([say(title) for title in titles])
    wrong = st.container()
    with files:
        given = zip(stored, list_given(TOOL.key, "tables", stored, wrong=wrong), strict=True)
        datasets = [each for file, table in given if table is not None for each in all_sheets(TOOL.key, file)]
    with releases:
        earlier = ask_for_earlier(TOOL.key)
    with above_privacy_line():
        with roles:
            settings = _ask_for_settings(datasets)
        with st.spinner(say("Measuring"), show_time=True):
            measured = caching.delivery_measurement(
                tuple(each.fingerprint for each in datasets), settings, earlier=earlier.keys
            )
        _show_judged(measured, datasets, earlier)
        results.show_definitions(TOOL.measures, limits=TOOL.limits)


def _ask_for_settings(datasets: Sequence[Dataset]) -> DeliverySettings:
    tables = named_tables(datasets)
    places = [f"{name}.{column}" for name, each in tables.items() for column in each.columns]
    left, right = st.columns(2)
    with left:
        person = ask_for_choice(DeliverySettings, "person", key="dataset_person", options=[None, *places])
        quasi = ask_for_several(
            DeliverySettings, "quasi_identifiers", places, key="dataset_quasi_identifiers"
        )
        left_out = ask_for_several(DeliverySettings, "leave_out", places, key="dataset_leave_out")
    with right:
        keys = ask_for_several(DeliverySettings, "keys", _pairs(tables), key="dataset_keys")
        most = ask_for_number(DeliverySettings, "most_persons", key="dataset_most_persons", step=1000)
        seed = ask_for_number(DeliverySettings, "seed", key="dataset_seed")
    return DeliverySettings(
        keys=keys, person=person, quasi_identifiers=quasi, leave_out=left_out, most_persons=most, seed=seed
    )


def _pairs(tables: Mapping[str, Dataset]) -> list[str]:
    """Return the pairs of columns of different tables, as the setting has them."""
    return [
        f"{name}.{column}={other}.{second}"
        for (name, one), (other, another) in combinations(tables.items(), 2)
        for column in one.columns
        for second in another.columns
    ]


@st.fragment
def _show_judged(measured: DeliveryMeasurement, datasets: Sequence[Dataset], earlier: Earlier) -> None:
    """Show what depends on the thresholds; a slider moved runs and sends this again, nothing else."""
    verdict = st.container()
    with st.container():
        thresholds = _ask_for_thresholds()
    read = _ask_what_was_read(measured, datasets)
    audit = judge_delivery(measured, thresholds, read=read)
    result = delivery_result(audit)
    show_group(result, "picture")
    with verdict:
        cheapest = audit.cheapest
        results.show_verdict(
            result.verdict,
            result.headline,
            reasons=(attack_sentence(cheapest),) if cheapest is not None and cheapest.share_found else (),
            findings=audit.findings,
        )
    results.show_figures(result.group("persons").figures, at_once=4)
    gravest = audit.findings[0].check if audit.findings else ""
    with st.container(border=True):
        st.markdown(say("**What was found**"))
        results.show_findings(audit.findings, key=TOOL.key, at_once=2, in_card=gravest)
    show_earlier(audit.releases)
    _show_details(result)
    st.subheader(say("Downloads"), anchor=False)
    identity = repr(([each.sha256 for each in datasets], measured.settings, thresholds, read, earlier.keys))
    released = partial(released_tables, measured, datasets)
    results.show_downloads(
        TOOL.key,
        partial(_report, audit, datasets, earlier),
        identity=identity,
        released=[(each, ()) for each in datasets],
        extra=[ledger_download(released, k=thresholds.k, earlier=earlier, identity=datasets[0].sha256)],
    )


def _ask_what_was_read(measured: DeliveryMeasurement, datasets: Sequence[Dataset]) -> dict[str, Reading]:
    """Show cells to read of the texts in which nobody was found, and return what was read by TABLE.COL."""
    if not measured.texts:
        return {}
    datasets_of = {each.name: each.dataset for each in released_tables(measured, datasets)}
    return {
        f"{table.name}.{column}": found
        for place, table in enumerate(measured.tables)
        for column, found in ask_what_was_read(
            f"{TOOL.key}_{place}", datasets_of[table.name], table.texts
        ).items()
    }


def _ask_for_thresholds() -> DeliveryThresholds:
    first, second, third = st.columns(3)
    with first:
        k = ask_for_number(DeliveryThresholds, "k", key="dataset_k", slider=True, span=(2, 30))
    with second:
        known = ask_for_number(DeliveryThresholds, "known_records", key="dataset_known_records", slider=True)
    with third:
        alone = ask_for_number(
            DeliveryThresholds, "alone_with_all", key="dataset_alone_with_all", slider=True
        )
    return DeliveryThresholds(k=k, known_records=known, alone_with_all=alone)


def _show_details(result: Result) -> None:
    groups = [result.group(key) for key in ("tables", "keys", "known", "attacks")]
    for tab, group in zip(st.tabs([say(group.title) for group in groups]), groups, strict=True):
        with tab:
            show_group(result, group.key)


def _report(
    audit: DeliveryAudit, datasets: Sequence[Dataset], earlier: Earlier, created_at: datetime
) -> Report:
    inputs = [*facts_of_tables(datasets), *earlier.facts()]
    report = delivery_report(audit, inputs=inputs, created_at=created_at)
    return report.with_tables(delivery_proof(audit, datasets))


show_dataset()
