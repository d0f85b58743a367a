"""Tables of counts, and of sums over contributors: small cells, and what totals tell of suppressed ones."""

from core.counts.bounds import Bounds, bounds_of
from core.counts.cube import Cube, looks_like_counts, read_cube
from core.counts.judging import (
    CellsMeasurement,
    CountsAudit,
    audit_counts,
    cell_names,
    judge_counts,
    judge_together,
    measure_cells,
)
from core.counts.measuring import measure_counts
from core.counts.settings import CountThresholds
from core.counts.suppressing import propose_suppression
from core.counts.together import Together, cells_of_records, measure_together
