"""Measures of what anonymization costs."""

from __future__ import annotations

from core.measures.measure import Measure

MEASURES = (
    Measure(
        key="ncp",
        label="Precision lost in the quasi-identifiers (NCP)",
        unit="share",
        upper=1,
        better="neither",
        definition="Width of the range of a number in the class divided by the width of its range in all "
        "records, or different categories in the class divided by all categories (0 for one); mean over the "
        "released records and the quasi-identifiers.",
        source="Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., Fast "
        "data anonymization with low information loss, VLDB 2007",
    ),
    Measure(
        key="discernibility",
        label="Discernibility",
        unit="number",
        better="neither",
        definition="Sum of the squared class sizes, plus removed records times all records; small values "
        "mean that records stay distinguishable and useful.",
        source="Bayardo and Agrawal, Data privacy through optimal k-anonymization, ICDE 2005",
    ),
    Measure(
        key="average_class_size",
        label="Average class size",
        unit="records",
        better="neither",
        definition="Released records divided by their equivalence classes.",
        source="LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
    ),
)
