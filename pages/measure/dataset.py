"""Data set: who is found when the tables of one delivery are read together."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from itertools import combinations

import streamlit as st

from core.declared import Originals, read_originals
from core.delivery import (
    DeliveryMeasurement,
    DeliverySettings,
    DeliveryThresholds,
    attack_sentence,
    judge_delivery,
    measure_delivery,
    named_tables,
    released_tables,
)
from core.delivery.proof import delivery_proof
from core.delivery.report import delivery_report, facts_of_originals, facts_of_tables
from core.delivery.result import delivery_result, roles_sentence
from core.delivery.tool import TOOL
from core.reports import Report
from core.settings.form import described
from core.tables import Dataset
from core.web.caching import StoredFile, remembered
from core.words import listed, say
from pages.components.asking import ask_for_form
from pages.components.drawer import ask_for_inputs
from pages.components.earlier import ledger_download
from pages.components.inputs import stored_files, take_along
from pages.components.parts import show_group
from pages.components.policy import ask_for_context
from pages.components.reading import read_table
from pages.components.results import Download
from pages.components.shown import Shown, Texts
from pages.components.text import sentence
from pages.components.tool_page import ToolPage, show_page

_PEOPLE = ("k", "known_records", "alone_with_all")  # thresholds that are in people


def _ask_for_inputs(shown: Shown) -> bool:
    """Ask for tables; where each is there twice, offer to hold the one against the other."""
    if not ask_for_inputs(shown):
        return False
    files = stored_files(TOOL.key, "tables")
    if stored_files(TOOL.key, "originals"):
        return True
    from core.triage import GivenFile, sides_of  # noqa: PLC0415 - takes long to import

    tables = [GivenFile(name=each.name, table=read_table(TOOL.key, each)[0]) for each in files]
    released, originals = sides_of([each for each in tables if each.table is not None])
    if originals:
        keys = {each.name: each.key for each in files}
        places = {
            role: [keys[each.name] for each in side]
            for role, side in (("tables", released), ("originals", originals))
        }
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            names = listed([each.name for each in originals])
            twice = say("Each table is there twice. Are these the originals: {files}?", files=names)
            st.markdown(sentence(twice), width="stretch")
            if st.button(say("Hold the others against them"), key=f"{TOOL.key}_sides", type="primary"):
                take_along(TOOL.key, TOOL.key, places)
    return True


def _ask_for_settings(shown: Shown) -> DeliverySettings:
    tables = named_tables(shown.given["tables"])
    columns = [f"{name}.{column}" for name, each in tables.items() for column in each.columns]
    options = {
        "keys": _pairs(tables),
        "person": [None, *columns],
        "quasi_identifiers": columns,
        "sensitive": columns,
        "leave_out": columns,
    }
    given = {name: {"options": offered} for name, offered in options.items()}
    return DeliverySettings(**ask_for_form(TOOL.key, DeliverySettings, per_row=2, given=given))


def _pairs(tables: Mapping[str, Dataset]) -> list[str]:
    """Return the pairs of columns of different tables, as the setting has them."""
    return [
        f"{name}.{column}={other}.{second}"
        for (name, one), (other, another) in combinations(tables.items(), 2)
        for column in one.columns
        for second in another.columns
    ]


_measure_tables = remembered(kept=8)(measure_delivery)


@remembered(kept=2)
def _read_originals(
    tables: tuple[Dataset, ...],
    mapping: Dataset | None,
    shifts: Dataset | None,
    rules: tuple[StoredFile, ...],
) -> Originals:
    file = (rules[-1].name, rules[-1].data) if rules else None
    return read_originals(named_tables(tables), mapping=mapping, shifts=shifts, rules=file)


def _measure(shown: Shown) -> DeliveryMeasurement:
    given = [shown.given[role] for role in ("originals", "mapping", "shifts", "rules")]
    originals = None
    if any(each for each in given):
        originals = _read_originals(*given)
        shown.depends_on.append(originals.rule_file)
    shown.found["originals"] = originals
    with st.spinner(say("Measuring"), show_time=True):
        return _measure_tables(
            shown.given["tables"], shown.settings, earlier=shown.earlier.releases, originals=originals
        )


def _judge_live(shown: Shown) -> None:
    """Show the roles above the verdict, and the thresholds above the picture that they move."""
    with shown.top:
        st.markdown(sentence(say(roles_sentence(shown.measured))))
    ask_for_context(TOOL.key)
    asked = ask_for_form(TOOL.key, DeliveryThresholds, *_PEOPLE)
    with st.expander(say("For statisticians"), icon=":material/functions:"):
        models = [name for name in described(DeliveryThresholds) if name not in _PEOPLE]
        asked |= ask_for_form(TOOL.key, DeliveryThresholds, *models)
    shown.judge(DeliveryThresholds(**asked))
    show_group(shown.result, "picture")


def _reasons(shown: Shown) -> tuple[str, ...]:
    cheapest = shown.audit.cheapest
    return (attack_sentence(cheapest),) if cheapest is not None and cheapest.share_found else ()


def _texts(shown: Shown) -> list[Texts]:
    measured = shown.measured
    if not measured.texts:
        return []
    datasets = {each.name: each.dataset for each in released_tables(measured, shown.given["tables"])}
    return [
        Texts(f"{TOOL.key}_{place}", datasets[table.name], table.texts, of=f"{table.name}.")
        for place, table in enumerate(measured.tables)
    ]


def _report(shown: Shown, created_at: datetime) -> Report:
    tables = shown.given["tables"]
    originals = facts_of_originals(shown.found["originals"])
    inputs = [*facts_of_tables(tables), *shown.earlier.facts(), *originals]
    report = delivery_report(shown.audit, inputs=inputs, created_at=created_at)
    return report.with_tables(delivery_proof(shown.audit, tables, shown.found["originals"])).beside_unread(
        shown.unread
    )


def _downloads(shown: Shown) -> list[Download]:
    tables, declared = shown.given["tables"], shown.measured.declared
    released = partial(released_tables, shown.measured, tables)
    ledger = ledger_download(released, k=shown.thresholds.k, earlier=shown.earlier, identity=tables[0].sha256)
    if declared is None:
        return [ledger]
    words = "What was done to each column, with the exceptions seen. It names values: keep it to yourself."
    return [Download("Rules (TOML)", "rules.toml", lambda: declared.rule_file, words), ledger]


show_page(
    ToolPage(
        tool=TOOL,
        inputs=_ask_for_inputs,
        titles=("Keys, persons, roles of columns",),
        settings=_ask_for_settings,
        measure=_measure,
        judge=lambda shown: judge_delivery(shown.measured, shown.thresholds, read=shown.read),
        result=lambda shown: delivery_result(shown.audit),
        live=_judge_live,
        reasons=_reasons,
        elsewhere=("picture",),
        texts=_texts,
        report=_report,
        released=lambda shown: [(each, ()) for each in shown.given["tables"]],
        downloads=_downloads,
    )
)
