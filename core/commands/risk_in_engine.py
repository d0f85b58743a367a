"""``python -m core risk`` where the table is: DuckDB, PostgreSQL or Spark."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime
from threading import Event

from core.at_hand import is_alone
from core.commands.output import Audited
from core.commands.policies import judged
from core.commands.reading import read_options
from core.engines import Address, address_of
from core.errors import AuditInputError
from core.jobs import Result
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
    audited, origin = _beside(
        lambda is_stopped: audit_in_engine(
            address,
            settings=settings,
            thresholds=thresholds,
            options=options,
            memory=arguments.memory_limit,
            is_stopped=is_stopped,
        )
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


class _TerminatedError(BaseException):
    pass


def _beside(work: Callable[[Callable[[], bool]], Result]) -> Result:
    """Do work in a thread of its own: Ctrl+C in the midst of an engine's code would end the process at once.

    The work is told to stop instead, by SIGTERM too, and clears away what the engine wrote before the command
    ends.
    """

    def terminate(*_: object) -> None:
        raise _TerminatedError

    stopped = Event()
    former = signal.signal(signal.SIGTERM, terminate)
    try:
        with ThreadPoolExecutor(1) as beside:
            try:
                return beside.submit(copy_context().run, work, stopped.is_set).result()
            finally:
                stopped.set()
    except _TerminatedError:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
        raise
    finally:
        signal.signal(signal.SIGTERM, former)


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
