"""Which records miss the thresholds, by their position in the table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from core.risk.generalizing import generalized_csv
from core.risk.judging import RiskAudit
from core.risk.sensitive import SensitiveMeasurement
from core.risk.settings import RiskThresholds
from core.tables import Dataset

BoolArray = npt.NDArray[np.bool_]


def violating_records(audit: RiskAudit) -> pd.DataFrame:
    """Return a row per record that misses a threshold of classes, in the table's order, without values.

    The average risk is of no record, and records left out are in no class: neither is here.

    Returns ``Record`` is the position in the table from 1, ``Class size`` in records or persons, ``Misses``
    the thresholds that its class misses, separated by commas.
    """
    classes = audit.measurement.classes
    found: dict[str, BoolArray] = {}
    if audit.thresholds.k > 1:
        assessed = classes.class_of_record >= 0
        found["k"] = assessed & (classes.size_of_record < audit.thresholds.k)
    for sensitive in audit.measurement.sensitive:
        for name, missed in _missed_classes(sensitive, audit.thresholds):
            found[f"{name} of {sensitive.column}"] = np.append(missed, False)[
                sensitive.classes.class_of_record
            ]
    any_missed = np.zeros(len(classes.class_of_record), dtype=bool)
    for mask in found.values():
        any_missed |= mask
    records = np.flatnonzero(any_missed)
    misses = np.full(len(records), "", dtype=object)
    for name, mask in found.items():
        here = mask[records]
        misses[here] = [f"{before}, {name}" if before else name for before in misses[here]]
    return pd.DataFrame(
        {"Record": records + 1, "Class size": classes.size_of_record[records], "Misses": misses}
    )


def _missed_classes(
    sensitive: SensitiveMeasurement, limits: RiskThresholds
) -> Iterator[tuple[str, BoolArray]]:
    """Yield each threshold that is set, and the classes that miss it as written or by what values mean."""
    known = sensitive.by_class.distinct_l > 0
    pair = (sensitive.by_class, sensitive.folded_by_class)
    for name, key, limit in (
        ("l", "distinct_l", limits.l),
        ("entropy l", "entropy_l", limits.entropy_l),
        ("t", "t", limits.t),
        ("α", "alpha", limits.alpha),
        ("β", "basic_beta", limits.beta),
        ("δ", "delta_ln", limits.delta),
    ):
        if limit is None:
            continue
        if key in ("distinct_l", "entropy_l"):  # of a class whose values are all words for unknown it is 0
            missed = [(getattr(each, key) < limit - 1e-9) & (each.distinct_l > 0) for each in pair]
        else:
            missed = [getattr(each, key) > limit + 1e-12 for each in pair]
        yield name, known & (missed[0] | missed[1])


def violations_csv(audit: RiskAudit, dataset: Dataset | None = None) -> bytes:
    """Return the violating records as CSV, UTF-8, text that a spreadsheet would run as a formula defused.

    Parameters
    ----------
    audit
        The result.
    dataset
        The table, to add the records' quasi-identifiers; None for numbers only.
    """
    frame = violating_records(audit)
    columns: dict[str, object] = {str(name): pa.array(frame[name].astype(str), pa.string()) for name in frame}
    if dataset is not None:
        shown = dataset.table.take(pa.array(frame["Record"].to_numpy() - 1))
        for name in audit.measurement.classes.quasi_identifiers:
            columns[f"{name} (quasi-identifier)"] = shown[name]
    return generalized_csv(pa.table(columns))
