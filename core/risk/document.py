"""A risk audit as one JSON document and as lines of text."""

from __future__ import annotations

import math

from core.measures import MEASURES, format_value
from core.risk.columns import ColumnContribution, SinglingOutSets
from core.risk.comparison import Comparison
from core.risk.judging import RiskAudit
from core.risk.population import PopulationUniques
from core.risk.sensitive import SensitiveMeasurement
from core.risk.singling_out import ColumnsMeasurement
from core.risk.suda import Suda
from core.risk.suda_document import suda_document, suda_lines
from core.risk.unchosen import UnchosenColumns
from core.risk.what_if import WhatIf
from core.risk.what_if_document import what_if_document, what_if_lines
from core.risk.words import counted


def risk_document(
    audit: RiskAudit,
    *,
    columns: ColumnsMeasurement | None = None,
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
) -> dict[str, object]:
    """Return the audit as JSON-able values; shares in [0, 1], null for infinite and for not assessed.

    Parameters
    ----------
    audit
        The result.
    columns, suda, what_if
        What the searches found, where they were made.
    """
    measured = audit.measurement
    return {
        "tool": "risk",
        "file": measured.name,
        "verdict": audit.verdict.value,
        "exposure_verdict": audit.exposure_verdict.value,
        "overall": audit.overall.value,
        "quasi_identifiers": list(measured.classes.quasi_identifiers),
        "sensitive_attributes": [sensitive.column for sensitive in measured.sensitive],
        "unit": measured.unit,
        "missing": measured.settings.missing,
        **{key: finite(value) for key, value in audit.figures.items()},
        "n_records_in_table": measured.entry.n_in_table,
        "n_records_fully_suppressed": measured.entry.n_fully_suppressed,
        "n_records_dropped": measured.entry.n_dropped,
        "n_records_at_risk": audit.n_at_risk,
        "class_sizes": _class_sizes(audit),
        "sensitive": {sensitive.column: _sensitive(sensitive) for sensitive in measured.sensitive},
        "population_known_by": None if measured.population is None else measured.population.based_on,
        "marketer_estimates": []
        if measured.population is None
        else [vars(each) for each in measured.population.estimates],
        "population_uniques": None if measured.uniques is None else _uniques(measured.uniques),
        "unchosen_columns": _unchosen(measured.unchosen),
        "related_sensitive": [vars(each) for each in measured.related],
        "record_linkage": None if measured.linkage is None else vars(measured.linkage),
        "columns": [] if columns is None else [_column(each) for each in columns.contributions],
        "singling_out_sets": None if columns is None else _sets(columns.sets),
        "suda": None if suda is None else suda_document(suda),
        "what_if": None if what_if is None else what_if_document(what_if, k=audit.thresholds.k),
        "original": None if measured.comparison is None else _comparison(measured.comparison),
        "thresholds": vars(audit.thresholds),
        "findings": [finding.document() for finding in audit.all_findings],
    }


def finite(value: float | None) -> float | None:
    """Return the value, None where it is infinite: JSON has no infinity."""
    return None if value is None or math.isinf(value) else value


def _counted_value(key: str, value: float | None) -> float | None:
    """Return a figure as JSON writes it: whole numbers for what is counted."""
    counts = ("distinct_l", "recursive_l", "folded_distinct_l")
    return int(value) if value is not None and key in counts else finite(value)


def _class_sizes(audit: RiskAudit) -> list[dict[str, int]]:
    sizes, records = audit.measurement.classes.size_histogram
    return [
        {"class_size": size, "n_records": n} for size, n in zip(sizes.tolist(), records.tolist(), strict=True)
    ]


def _sensitive(sensitive: SensitiveMeasurement) -> dict[str, object]:
    return {
        **{key: _counted_value(key, value) for key, value in sensitive.figures.items()},
        "distance": sensitive.distance,
        "quasi_identifiers": list(sensitive.classes.quasi_identifiers),
        "n_values": sensitive.n_values,
        "n_missing": sensitive.n_missing,
        "n_values_meaning_the_same": sensitive.folded.n_merged,
        "n_words_for_unknown": sensitive.folded.n_unknown,
        "closeness_width": sensitive.folded.width,
        "likely_values": {
            "dominant": vars(sensitive.likelihood.dominant),
            "skewed": vars(sensitive.likelihood.skewed),
        },
    }


def _unchosen(found: UnchosenColumns) -> dict[str, object]:
    return {
        "columns": list(found.columns),
        "n_records": found.n_records,
        "n_unique": found.n_unique,
        "unique_share": found.unique_share,
        "smallest_set": list(found.smallest),
        "n_unique_in_smallest_set": found.n_unique_in_smallest,
        "n_sets_of_that_size": found.n_sets,
        "is_exact": found.is_exact,
        "n_records_searched": found.n_looked_at,
        "n_columns_searched": found.n_columns_looked_at,
    }


def _uniques(uniques: PopulationUniques) -> dict[str, object]:
    """Return the three models' estimates; null with a reason where a model has no answer."""
    return {
        "sampling_fraction": uniques.sampling_fraction,
        "chosen_model": uniques.chosen.model,
        **{
            each.model: {"n_population_uniques": each.n_population_uniques, "reason": each.reason or None}
            for each in (uniques.zayatz, uniques.pitman, uniques.snb)
        },
    }


def _column(column: ColumnContribution) -> dict[str, object]:
    return {
        "column": column.column,
        "distinction": column.alone.distinction,
        "separation": column.alone.separation,
        "unique_share": column.alone.unique_share,
        "unique_share_gained": column.unique_share_gained,
    }


def _sets(found: SinglingOutSets) -> dict[str, object]:
    return {
        "above_share": found.share,
        "method": found.method,
        "searched_size": found.searched_size,
        "sets": [{"columns": list(each.columns), "unique_share": each.unique_share} for each in found.sets],
    }


def _comparison(comparison: Comparison) -> dict[str, object]:
    original = comparison.classes_original
    return {
        "file": comparison.original_name,
        "n_records": comparison.n_records_original,
        "k": None if original is None else original.k,
        "ncp": comparison.ncp,
        "discernibility": comparison.discernibility,
        "discernibility_original": comparison.discernibility_original,
        "average_class_size_original": comparison.average_class_size_original,
        "columns": [vars(column) for column in comparison.columns],
    }


def risk_summary(
    audit: RiskAudit,
    *,
    columns: ColumnsMeasurement | None = None,
    suda: Suda | None = None,
    what_if: WhatIf | None = None,
) -> list[str]:
    """Return the audit as lines of text for a terminal.

    Parameters
    ----------
    audit, columns, suda, what_if
        As for :func:`risk_document`.
    """
    return [
        *_figure_lines(audit),
        *([] if columns is None else _column_lines(columns)),
        *([] if suda is None else suda_lines(suda)),
        *([] if what_if is None else what_if_lines(what_if, k=audit.thresholds.k)),
        *(f"{finding.verdict.value}: {finding.message}" for finding in audit.all_findings),
        _verdict_line(audit),
    ]


def _verdict_line(audit: RiskAudit) -> str:
    return (
        f"Verdict {audit.verdict.value}, exposure {audit.exposure_verdict.value}, "
        f"overall {audit.overall.value}."
    )


def _figure_lines(audit: RiskAudit) -> list[str]:
    measured = audit.measurement
    records = counted(measured.classes.n_records, "record")
    classes = counted(measured.classes.n_classes, "class", "classes")
    lines = [
        f"{measured.name}: {records} in {classes} over {', '.join(measured.classes.quasi_identifiers)}",
        *(_line(key, value) for key, value in audit.figures.items()),
    ]
    for sensitive in measured.sensitive:
        lines += [
            f"{sensitive.column} ({sensitive.distance} distance)",
            *(_line(key, v) for key, v in sensitive.figures.items()),
        ]
    if measured.comparison is not None:
        lines += [
            f"against {measured.comparison.original_name}",
            _line("ncp", measured.comparison.ncp),
            _line("discernibility", measured.comparison.discernibility),
        ]
    return lines


def _line(key: str, value: float | None) -> str:
    return f"  {MEASURES[key].label}: {format_value(MEASURES[key], value)}"


def _column_lines(columns: ColumnsMeasurement) -> list[str]:
    """Return a table of what each quasi-identifier does, the one that makes most records unique first."""
    ordered = sorted(columns.contributions, key=lambda each: -each.n_unique_gained)
    width = max(len(each.column) for each in ordered)
    keys = ("unique_share_gained", "sample_unique_share", "distinction", "separation")
    heads = ("unique by it", "unique alone", "distinction", "separation")
    lines = ["columns", f"  {'':{width}}" + "".join(f"  {head:>12}" for head in heads)]
    for each in ordered:
        values = (
            each.unique_share_gained,
            each.alone.unique_share,
            each.alone.distinction,
            each.alone.separation,
        )
        cells = (format_value(MEASURES[key], value) for key, value in zip(keys, values, strict=True))
        lines.append(f"  {each.column:{width}}" + "".join(f"  {cell:>12}" for cell in cells))
    return lines
