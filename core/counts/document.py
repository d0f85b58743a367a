"""An audit of counts as one JSON document and as lines of text."""

import math

from core.counts.judging import CountsAudit, cell_names
from core.counts.measuring import CountsMeasurement
from core.counts.suppressing import Suppression
from core.settings_form import settings_document


def counts_document(audit: CountsAudit) -> dict[str, object]:
    """Return the audit as JSON-able values; null for a bound that is infinite."""
    return {
        "tool": "risk",
        "kind": "counts",
        "file": audit.name,
        "overall": audit.overall.value,
        "dimensions": list(audit.dimensions),
        "counts": [
            _counts(each, made) for each, made in zip(audit.measured, audit.suppressions, strict=True)
        ],
        "magnitude": _magnitude(audit),
        "settings": settings_document(audit.thresholds),
        "findings": [finding.document() for finding in audit.findings],
    }


def _counts(measured: CountsMeasurement, made: Suppression) -> dict[str, object]:
    return {
        "column": measured.count,
        "n_cells": len(measured.cube.inner),
        "n_totals": len(measured.cube.totals),
        "n_suppressed": sum(count is None for count in measured.cube.cells.values()),
        "smallest": min((each for each in measured.cube.shown if each), default=None),
        "totals_add_up": measured.bounded.is_consistent,
        "bounds": [
            {
                "categories": cell_names(measured, key),
                "least": int(each.least),
                "most": int(each.most) if math.isfinite(each.most) else None,
            }
            for key, each in measured.bounded.bounds.items()
        ],
        "n_full_groups": {each.column: each.n_full for each in measured.full},
        "primary": [cell_names(measured, key) for key in made.primary],
        "secondary": [cell_names(measured, key) for key in made.secondary],
        "suppression_holds": made.holds,
    }


def _magnitude(audit: CountsAudit) -> dict[str, object] | None:
    if audit.contributions is None or audit.dominated is None:
        return None
    return {
        "column": audit.contributions.column,
        "n_cells": audit.contributions.n_cells,
        "n_cells_by_dominance": int(audit.dominated.by_share.sum()),
        "n_cells_by_p_percent": int(audit.dominated.by_p.sum()),
    }
