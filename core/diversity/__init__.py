"""Which (k, l) protects people at an accuracy the person can live with: cells, minimization, search.

`prepare_search` checks the inputs and gets the model, `measure_diversity` searches the grid,
`judge_diversity` filters, recommends and says what to know.
"""

from core.diversity.audit import (
    DiversityAudit,
    DiversitySearch,
    DiversityThresholds,
    Recommendation,
    judge_diversity,
    measure_diversity,
    pareto_front,
)
from core.diversity.features import is_numeric
from core.diversity.generalizations import (
    Generalization,
    generalizations,
    generalizations_document,
    in_words,
)
from core.diversity.grid_search import Configuration, KeptSet, Status, search
from core.diversity.model_files import load_estimator
from core.diversity.one_hot import suggest_one_hot_groups, zero_one_columns
from core.diversity.problem import ModelChoice, SearchProblem, prepare_search
from core.diversity.release import (
    KeptCells,
    Verification,
    csv_bytes,
    minimized_sources,
    released_table,
    verify,
)
from core.diversity.settings import DiversitySettings, as_published, check_settings
from core.diversity.singling_out import SinglingOut, rank_by_singling_out
from core.diversity.stability import Stability, repeat_configuration
from core.diversity.stopping import SearchStoppedError

__all__ = [
    "Configuration",
    "DiversityAudit",
    "DiversitySearch",
    "DiversitySettings",
    "DiversityThresholds",
    "Generalization",
    "KeptCells",
    "KeptSet",
    "ModelChoice",
    "Recommendation",
    "SearchProblem",
    "SearchStoppedError",
    "SinglingOut",
    "Stability",
    "Status",
    "Verification",
    "as_published",
    "check_settings",
    "csv_bytes",
    "generalizations",
    "generalizations_document",
    "in_words",
    "is_numeric",
    "judge_diversity",
    "load_estimator",
    "measure_diversity",
    "minimized_sources",
    "pareto_front",
    "prepare_search",
    "rank_by_singling_out",
    "released_table",
    "repeat_configuration",
    "search",
    "suggest_one_hot_groups",
    "verify",
    "zero_one_columns",
]
