"""Disclosure risk of a table: class sizes, intruders, attribute disclosure, and what stands behind them."""

from core.risk.comparison import ColumnChange, Comparison
from core.risk.document import risk_document, risk_summary
from core.risk.hierarchies import read_hierarchy
from core.risk.judging import RiskAudit, judge_risk
from core.risk.measuring import RiskMeasurement, measure_risk, settings_for_other, suggested_settings
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
from core.risk.singling_out import ColumnsMeasurement, measure_columns, measure_special_uniques
from core.risk.suda import Suda
from core.risk.what_if import Release, WhatIf, WhatIfSettings, release, search_what_if

__all__ = [
    "DISTANCES",
    "MISSING",
    "MISSING_SENSITIVE",
    "PRESETS",
    "SEVERAL",
    "ColumnChange",
    "ColumnsMeasurement",
    "Comparison",
    "Hierarchy",
    "Release",
    "RiskAudit",
    "RiskMeasurement",
    "RiskSettings",
    "RiskThresholds",
    "SensitiveMeasurement",
    "Suda",
    "WhatIf",
    "WhatIfSettings",
    "judge_risk",
    "measure_columns",
    "measure_risk",
    "measure_special_uniques",
    "read_hierarchy",
    "release",
    "risk_document",
    "risk_summary",
    "search_what_if",
    "settings_for_other",
    "suggested_settings",
]
