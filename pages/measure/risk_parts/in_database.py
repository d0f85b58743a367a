"""A table where it is, in a database that the operator has configured."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from core.engines import Address, configured
from core.errors import AuditInputError
from core.people.roles import Role, RoleSuggestion
from core.processes.jobs import Progress
from core.reports import Report, origin_facts
from core.risk import RiskSettings, RiskThresholds
from core.risk.in_engine import AuditInEngine, audit_in_engine, roles_in_engine
from core.risk.report import risk_report
from core.risk.result import risk_result
from core.risk.tool import TOOL
from core.web.caching import remembered
from core.words import say
from pages.components.asking import ask_for_form
from pages.components.long_work import ask_for_work
from pages.components.parts import show_group
from pages.components.reading import show_problems
from pages.components.shown import Shown
from pages.components.tool_page import ToolPage, show_whole
from pages.measure.risk_parts.results import ELSEWHERE, show_classes, show_intruders
from pages.measure.risk_parts.settings import ask_for_limits

_WORK = "risk_database"
_CHOSEN = "risk_database"
_roles = remembered()(roles_in_engine)


class ConfiguredTable(NamedTuple):
    """A table that the operator offers."""

    address: Address
    secrets: Path  # where its user and password stand


def ask_for_configured_table() -> ConfiguredTable | None:
    """Offer the tables that the operator has configured; None where there are none, or none is chosen."""
    try:
        offered = dict(_offered())
    except AuditInputError as error:
        show_problems(error)
        return None
    if not offered:
        return None
    chosen = st.selectbox(
        say("A table in a database"),
        list(offered),
        index=None,
        placeholder=say("None: upload a file below"),
        help=say(
            "Measured where it is: counts come here, and the different values of sensitive attributes; no "
            "record does."
        ),
        key=_CHOSEN,
        persist_state="session",
    )
    return offered.get(chosen) if chosen is not None else None


def _offered() -> Iterator[tuple[str, ConfiguredTable]]:
    for secrets in map(Path, st.get_option("secrets.files")):
        for name, connection in configured(secrets).items():
            for address in connection.tables:
                yield f"{name}: {address.name}", ConfiguredTable(address, secrets)


def show_in_database(shown: Shown) -> None:
    """Ask what the columns are and for the limits, measure on demand, and show what was found."""
    table: ConfiguredTable = shown.given["database"]
    with st.spinner(say("Connecting"), show_time=True):
        suggested = _roles(table.address, secrets=table.secrets)
    settings = _ask_for_settings(table, suggested)
    if not settings.quasi_identifiers:
        st.info(
            say("Choose at least one quasi-identifier: what an intruder may know."), icon=":material/rule:"
        )
        return
    limits = ask_for_limits(with_sensitive=bool(settings.sensitive))
    inputs = str(table.address)
    key = f"{inputs} {settings} {limits}"
    work = partial(_audit, table, settings, limits)
    job = ask_for_work(_WORK, key, work, label="Measure it where it is", inputs=inputs)
    if job is not None and job.result is not None:
        shown.page, shown.measured, shown.depends_on = DATABASE, job.result, [job.key]
        shown.is_outdated = job.key != key
        show_whole(shown)


def _ask_for_settings(table: ConfiguredTable, suggested: Sequence[RoleSuggestion]) -> RiskSettings:
    columns = [each.column for each in suggested]
    roles = {"quasi_identifiers": Role.QUASI_IDENTIFIER, "sensitive": Role.SENSITIVE_ATTRIBUTE}
    usual = {
        name: tuple(each.column for each in suggested if each.role is role) for name, role in roles.items()
    }
    given: dict[str, dict[str, Any]] = {
        name: {"mark": str(table.address), "options": columns, "start": start}
        for name, start in usual.items()
    }
    given["person"] = {"mark": str(table.address), "options": [None, *columns]}
    asked = ask_for_form(TOOL.key, RiskSettings, *given, given=given)
    is_as_suggested = {name: asked[name] for name in usual} == usual
    return RiskSettings(**asked, roles_suggested=is_as_suggested)


def _audit(
    table: ConfiguredTable, settings: RiskSettings, limits: RiskThresholds, progress: Progress
) -> AuditInEngine | None:
    """Measure beside the page, None when stopped; no Streamlit call in here."""
    try:
        return audit_in_engine(
            table.address,
            settings=settings,
            thresholds=limits,
            secrets=table.secrets,
            is_stopped=lambda: progress.stop_asked,
        )
    except AuditInputError:
        if progress.stop_asked:
            return None
        raise


def _show_live(shown: Shown) -> None:
    shown.judge(shown.settings)
    people, classes = st.columns([2, 3])
    with people:
        show_group(shown.result, "people")
    with classes:
        show_classes(shown.audit)


def _report(shown: Shown, created_at: datetime) -> Report:
    found: AuditInEngine = shown.measured
    inputs = [origin_facts(found.origin)]
    return risk_report(found.audit, inputs=inputs, created_at=created_at, columns=found.columns)


DATABASE = ToolPage(
    tool=TOOL,
    live=_show_live,
    judge=lambda shown: shown.measured.audit,
    result=lambda shown: risk_result(shown.audit, columns=shown.measured.columns),
    figures=("first",),
    elsewhere=ELSEWHERE,
    parts={"intruders": show_intruders},
    report=_report,
)
