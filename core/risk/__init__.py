"""Disclosure risk of a table: class sizes, intruders, attribute disclosure, and what stands behind them."""

from core.risk.comparison import ColumnChange, Comparison
from core.risk.document import risk_document, risk_summary
from core.risk.hierarchies import hierarchy_for, read_hierarchy
from core.risk.judging import RiskAudit, judge_risk
from core.risk.lattice import Objective
from core.risk.measuring import RiskMeasurement, measure_risk, settings_for_other, suggested_settings
from core.risk.protecting import ClassLimits
from core.risk.released import PERSON_RELEASED, PersonReleased, check_undeclared
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
from core.risk.singling_out import (
    USUAL_SET_SIZE,
    ColumnsMeasurement,
    measure_columns,
    measure_special_uniques,
)
from core.risk.suda import Suda
from core.risk.suda_document import suda_note
from core.risk.violations import violating_records, violations_csv
from core.risk.what_if import (
    Release,
    WhatIf,
    WhatIfSettings,
    release,
    release_reaching,
    search_what_if,
    what_if_settings,
)
from core.risk.what_if_document import (
    option_for,
    release_document,
    what_if_document,
    what_if_lines,
    what_if_note,
)

__all__ = [
    "DISTANCES",
    "MISSING",
    "MISSING_SENSITIVE",
    "PERSON_RELEASED",
    "PRESETS",
    "SEVERAL",
    "USUAL_SET_SIZE",
    "ClassLimits",
    "ColumnChange",
    "ColumnsMeasurement",
    "Comparison",
    "Hierarchy",
    "Objective",
    "PersonReleased",
    "Release",
    "RiskAudit",
    "RiskMeasurement",
    "RiskSettings",
    "RiskThresholds",
    "SensitiveMeasurement",
    "Suda",
    "WhatIf",
    "WhatIfSettings",
    "check_undeclared",
    "hierarchy_for",
    "judge_risk",
    "measure_columns",
    "measure_risk",
    "measure_special_uniques",
    "option_for",
    "read_hierarchy",
    "release",
    "release_document",
    "release_reaching",
    "risk_document",
    "risk_summary",
    "search_what_if",
    "settings_for_other",
    "suda_note",
    "suggested_settings",
    "violating_records",
    "violations_csv",
    "what_if_document",
    "what_if_lines",
    "what_if_note",
    "what_if_settings",
]
