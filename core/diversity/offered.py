"""What the package offers, whole: scikit-learn comes along."""

# ruff: noqa: F401 - what others import from here

from core.diversity.features import is_numeric, suggest_label, suggest_one_hot_groups, zero_one_columns
from core.diversity.judging import (
    DiversityAudit,
    DiversityThresholds,
    Recommendation,
    audit_diversity,
    judge_diversity,
    pareto_front,
)
from core.diversity.measuring import (
    Configuration,
    DiversitySearch,
    KeptSet,
    Stability,
    Status,
    measure_diversity,
    released_generalizations,
    repeat_configuration,
    search,
)
from core.diversity.minimization import SearchStoppedError
from core.diversity.minimized import Generalization, generalizations
from core.diversity.model_files import load_estimator
from core.diversity.problem import SearchProblem, prepare_search
from core.diversity.release import KeptCells, Verification, minimized_sources, released_table, verify
from core.diversity.released import ledger_table
from core.diversity.settings import DiversitySettings, ModelChoice, as_published, check_settings
from core.diversity.singling_out import SinglingOut, rank_by_singling_out
