"""Measures of equivalence classes, used by several tools."""

from __future__ import annotations

from core.measures.measure import Measure

SWEENEY = "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"

MEASURES = (
    Measure(
        key="k",
        label="Smallest class size (k)",
        unit="records",
        lower=1,
        better="higher",
        definition="Number of records in the smallest equivalence class: the records that share "
        "the same values in all quasi-identifiers.",
        source=SWEENEY,
    ),
    Measure(
        key="share_k_lt_2",
        label="Records alone in their class (k < 2)",
        unit="share",
        upper=1,
        better="lower",
        definition="Records whose combination of quasi-identifiers no other record has, divided by "
        "the records assessed.",
        source=SWEENEY,
    ),
    Measure(
        key="share_k_lt_5",
        label="Records in classes smaller than 5 (k < 5)",
        unit="share",
        upper=1,
        better="lower",
        definition="Records whose combination of quasi-identifiers fewer than five records share, "
        "divided by the records assessed.",
        source=SWEENEY,
    ),
)
