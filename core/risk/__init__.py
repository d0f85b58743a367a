"""Disclosure risk of a table: class sizes, intruders, attribute disclosure, and what stands behind them."""

from core.risk.comparison import ColumnChange, Comparison
from core.risk.document import risk_document, risk_summary
from core.risk.hierarchies import read_hierarchy
from core.risk.judging import RiskAudit, judge_risk
from core.risk.measuring import RiskMeasurement, measure_risk, suggested_settings
from core.risk.sensitive import SensitiveMeasurement
from core.risk.settings import (
    DISTANCES,
    MISSING,
    MISSING_SENSITIVE,
    PRESETS,
    SEVERAL,
    Hierarchy,
    RiskSettings,
    RiskThresholds,
)

__all__ = [
    "DISTANCES",
    "MISSING",
    "MISSING_SENSITIVE",
    "PRESETS",
    "SEVERAL",
    "ColumnChange",
    "Comparison",
    "Hierarchy",
    "RiskAudit",
    "RiskMeasurement",
    "RiskSettings",
    "RiskThresholds",
    "SensitiveMeasurement",
    "judge_risk",
    "measure_risk",
    "read_hierarchy",
    "risk_document",
    "risk_summary",
    "suggested_settings",
]
