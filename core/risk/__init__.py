"""Disclosure risk of a table: class sizes, intruders, attribute disclosure, and what stands behind them."""

from core.risk.comparison import ColumnChange, Comparison
from core.risk.generalizing import ClassLimits
from core.risk.judging import RiskAudit, audit_risk, judge_risk
from core.risk.ladders import hierarchy_for, read_hierarchy
from core.risk.lattice import Objective
from core.risk.measuring import (
    RiskMeasurement,
    measure_risk,
    released_table,
    settings_for_other,
    suggested_settings,
)
from core.risk.notes import suda_note, what_if_note
from core.risk.released import (
    PERSON_RELEASED,
    PersonReleased,
    check_undeclared,
    violating_records,
    violations_csv,
)
from core.risk.sensitive import SensitiveMeasurement
from core.risk.settings import GROUPS, PRESETS, Hierarchy, RiskSettings, RiskThresholds, check_settings
from core.risk.suda import ColumnsMeasurement, Suda, SudaSettings, measure_columns, measure_special_uniques
from core.risk.what_if import (
    Release,
    WhatIf,
    WhatIfSettings,
    option_for,
    release,
    release_reaching,
    search_what_if,
    what_if_settings,
)
