"""Disclosure risk of a table measured where it is: an engine runs the expressions, aggregates come back."""

from core.risk.in_engine.columns import search_in_engine
from core.risk.in_engine.measuring import (
    AuditInEngine,
    audit_in_engine,
    measure_in_engine,
    roles_in_engine,
)
