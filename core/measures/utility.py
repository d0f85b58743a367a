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
        definition="Beside an original: for each record, the width of the range of the original numbers that "
        "are written as its value is now, divided by the width of the range of all, or different original "
        "categories so written divided by all (0 for one, at least two for a word such as `other`), and 1 "
        "for a value that is blank or nothing but stars now and was not before; mean over all records and "
        "the quasi-identifiers. In the l-diversity search: the same range or categories of the records of "
        "each cell; mean over the released records.",
        source="Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., Fast "
        "data anonymization with low information loss, VLDB 2007",
    ),
    Measure(
        key="discernibility",
        label="Discernibility",
        unit="number",
        better="neither",
        definition="Sum of the squared class sizes, plus records left out or removed from the original "
        "times all "
        "records of the original; small values "
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
