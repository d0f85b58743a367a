"""``python -m core risk`` where the table is: DuckDB, PostgreSQL or Spark."""

from __future__ import annotations

import argparse
from datetime import datetime

from core.at_hand import is_alone
from core.commands.output import Audited
from core.commands.policies import judged
from core.commands.reading import read_options
from core.engines import Address, address_of
from core.errors import AuditInputError
from core.reports import Report
from core.risk import RiskSettings, RiskThresholds, risk_document, risk_summary
from core.risk.in_engine import audit_in_engine, refused_in_engine
from core.risk.views import origin_facts, risk_report
from core.settings_form import from_options
from core.words import input_error

_NEED_RECORDS = (
    *("population", "hierarchy", "original", "earlier", "ledger", "suda", "what_if", "what_if_k_alone"),
    *("write_hierarchies", "release", "read", "violations", "violations_with_values", "also"),
)


def is_address(given: str) -> bool:
    """Return whether a word names a table in an engine and no file."""
    return given.startswith(("duckdb:", "postgresql:", "postgres:", "spark:"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what an engine may take."""
    parser.add_argument(
        "--memory-limit",
        metavar="SIZE",
        help="with duckdb: what may be in memory at once, such as 8GB, before the rest goes to disk "
        "(default: four fifths of the machine's)",
    )


def audit(arguments: argparse.Namespace, thresholds: RiskThresholds) -> Audited:
    """Measure and judge a table where it is."""
    address = _address(arguments.table)
    _check_asked(arguments)
    settings = from_options(
        RiskSettings, arguments, quasi_identifiers=tuple(arguments.quasi_identifier or ())
    )
    options = read_options(arguments)
    audited, origin = audit_in_engine(
        address, settings=settings, thresholds=thresholds, options=options, memory=arguments.memory_limit
    )

    def report(created_at: datetime) -> Report:
        return risk_report(audited, inputs=[origin_facts(origin)], created_at=created_at)

    return Audited(
        verdict=audited.overall,
        report=report,
        document=lambda: risk_document(audited),
        lines=lambda: risk_summary(audited),
        policy=lambda document: judged(arguments, document),
    )


def _address(given: str) -> Address:
    if is_alone():
        raise AuditInputError(
            "A report of a table in an engine is not repeated: its records are not among the files."
        )
    address = address_of(given)
    if address is None:
        raise input_error("The address of the table begins in a way that no engine has; see docs/engines.md.")
    return address


def _check_asked(arguments: argparse.Namespace) -> None:
    asked = [name for name in _NEED_RECORDS if getattr(arguments, name)]
    asked += [name for name in ("evidence", "text_model") if getattr(arguments, name) != "none"]
    if asked:
        raise refused_in_engine([f"--{name.replace('_', '-')}" for name in asked])
