"""What anonymization costs: normalized certainty penalty, discernibility, average class size."""

from typing import cast

import numpy as np

from core.classes import EquivalenceClasses
from core.coding import FloatArray, IntArray


def numeric_ncp(values: FloatArray, classes: EquivalenceClasses) -> FloatArray:
    """Return shape (n_classes,): width of each class's range of a number / width of the whole domain.

    The domain is the range over all records, those left out included. Missing (NaN) values are passed over; a
    class without any known value, and a constant column, cost nothing (Xu et al., KDD 2006).
    """
    known = ~np.isnan(values)
    counted = known & (classes.class_of_record >= 0)
    domain = float(np.ptp(values[known])) if known.any() else 0.0
    lower = np.full(classes.n_classes, np.inf)
    upper = np.full(classes.n_classes, -np.inf)
    np.minimum.at(lower, classes.class_of_record[counted], values[counted])
    np.maximum.at(upper, classes.class_of_record[counted], values[counted])
    width = np.where(upper >= lower, upper - lower, 0.0)
    return width / domain if domain > 0 else np.zeros(classes.n_classes)


def categorical_ncp(codes: IntArray, classes: EquivalenceClasses) -> FloatArray:
    """Return shape (n_classes,): distinct categories in each class / in all; 0 for one, as an exact number.

    A negative code is a missing value and passed over (Ghinita et al., VLDB 2007).
    """
    n_categories = len(np.unique(codes[codes >= 0]))
    counted = (codes >= 0) & (classes.class_of_record >= 0)
    size = int(codes.max(initial=-1)) + 1
    pairs = np.unique(classes.class_of_record[counted] * max(size, 1) + codes[counted])
    distinct = np.bincount(pairs // max(size, 1), minlength=classes.n_classes)
    return cast("FloatArray", np.where(distinct > 1, distinct / max(n_categories, 1), 0.0))


def discernibility(classes: EquivalenceClasses, *, n_removed: int = 0) -> int:
    """Return Σ class size² + (records left out or removed) × all records; lower is more useful.

    `n_removed`: records of the original that are not in the table any more (Bayardo and Agrawal, ICDE 2005).
    """
    sizes = classes.size_histogram[0].tolist()
    n_alike = sum(size * size * n for size, n in zip(sizes, classes.classes_of_size.tolist(), strict=True))
    n_hidden = classes.n_left_out + n_removed
    return n_alike + n_hidden * (classes.n_records + n_hidden)


def average_class_size(classes: EquivalenceClasses) -> float | None:
    """Return assessed records / classes, None where there is no class (LeFevre et al., ICDE 2006)."""
    return classes.n_records / classes.n_classes if classes.n_classes else None
