"""``python -m core risk`` where the table is, and in DuckDB where it is too large for memory."""

from datetime import datetime
from pathlib import Path
from typing import Any

from core.asked import Asked
from core.at_hand import is_alone
from core.commands import earlier
from core.commands.audited import Audited
from core.commands.engines import address_given, are_too_large, asked_of_records, measured, refuse_records
from core.releases import EARLIER
from core.reports import InputFacts, Report, origin_facts
from core.risk import RiskSettings, RiskThresholds, SudaSettings
from core.risk.in_engine import AuditInEngine, audit_in_engine
from core.risk.report import risk_report
from core.risk.result import risk_result
from core.settings_form import from_options


def asks_engine(arguments: Asked) -> bool:
    """Tell whether a table is in an engine, or a folder, or a file that needs more memory than there is.

    A file stays in memory where an option needs its records.
    """
    tables = [each for each in (arguments.table, arguments.original) if each is not None]
    files = [each for each in tables if isinstance(each, Path)]
    if len(files) < len(tables) or any(isinstance(each, str) for each in arguments.earlier):
        return True
    if is_alone():
        return False
    is_large = any(are_too_large([each]) for each in files)
    return any(each.is_dir() for each in files) or (is_large and not asked_of_records(arguments))


def audit(arguments: Asked, thresholds: RiskThresholds) -> Audited:
    """Measure and judge a table where it is."""
    address, warnings = address_given(arguments.table)
    original = None
    if arguments.original is not None:
        original, further = address_given(arguments.original)
        warnings += further
    refuse_records(arguments)
    settings = from_options(
        RiskSettings, arguments, quasi_identifiers=tuple(arguments.quasi_identifier or ())
    )
    suda = from_options(SudaSettings, arguments) if arguments.suda else None
    before = earlier.read_before_in_engine(arguments)
    found = measured(
        arguments,
        audit_in_engine,
        address,
        settings=settings,
        thresholds=thresholds,
        suda=suda,
        original=original,
        earlier=before.elsewhere,
    )
    audited = found.audit
    searched: dict[str, Any] = {"columns": found.columns, "suda": found.suda}

    def report(created_at: datetime) -> Report:
        inputs = [*_inputs(found), *before.facts()]
        return risk_report(audited, inputs=inputs, created_at=created_at, other=found.original, **searched)

    return Audited(
        verdict=audited.overall,
        report=report,
        result=lambda: risk_result(audited, **searched),
        tables=("columns", "special", "releases"),
        problems=(*before.problems, *found.problems),
        warnings=warnings,
    )


def _inputs(found: AuditInEngine) -> list[InputFacts]:
    """Return what a report says of the tables."""
    inputs = [origin_facts(found.origin)]
    if found.original_origin is not None:
        inputs.append(origin_facts(found.original_origin, "original"))
    return [*inputs, *(origin_facts(each, EARLIER) for each in found.earlier)]
