"""Measures of equivalence classes, of what they tell and of what anonymization costs, for several tools."""

from core.measures.measure import Measure

SWEENEY = "Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002"

MEASURES = (
    Measure("k", "Smallest class size (k)", "records", "higher", SWEENEY, lower=1).means(
        "Number of records in the smallest equivalence class: the records that share the same values in all "
        "quasi-identifiers."
    ),
    Measure("share_k_lt_2", "Records alone in their class (k < 2)", "share", "lower", SWEENEY).means(
        "Records whose combination of quasi-identifiers no other record has, divided by the records assessed."
    ),
    Measure("share_k_lt_5", "Records in classes smaller than 5 (k < 5)", "share", "lower", SWEENEY).means(
        "Records whose combination of quasi-identifiers fewer than five records share, divided by the "
        "records assessed."
    ),
)

_L_DIVERSITY = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007"

_WONG = "Wong et al., (α, k)-anonymity, KDD 2006"
_LI = "Li, Li, Venkatasubramanian, t-closeness, ICDE 2007"

DISCLOSURE = (
    Measure("distinct_l", "Fewest sensitive values (distinct ℓ)", "values", "higher", _L_DIVERSITY).means(
        "Number of different sensitive values in the class that has fewest; a missing value is none. With "
        "one value, whoever is known to be in the class is known to have it."
    ),
    Measure("entropy_l", "Entropy ℓ", "number", "higher", _L_DIVERSITY).means(
        "exp of the entropy of the sensitive values in the class where it is smallest: the number of "
        "equally frequent values that would be as uncertain."
    ),
    Measure(
        "recursive_c", "Bound on c for recursive (c, ℓ)-diversity", "number", "lower", _L_DIVERSITY
    ).means(
        "Records with the most frequent sensitive value divided by the records with the ℓ-th most frequent "
        "value and all rarer ones, in the class where it is largest; infinite with fewer than ℓ values."
    ),
    Measure("t", "Largest distance from the whole table (t)", "number", "lower", _LI, upper=1).means(
        "Earth mover's distance between the sensitive values of a class and those of all records, for the "
        "class where it is largest; ordered distance for numbers, equal distance for categories."
    ),
    Measure("alpha", "Largest share of one sensitive value in a class (α)", "share", "lower", _WONG).means(
        "Records with the most frequent sensitive value divided by the records of the class with a known "
        "value, in the class where it is largest."
    ),
)

_LEFEVRE = "LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006"
_BAYARDO = "Bayardo and Agrawal, Data privacy through optimal k-anonymization, ICDE 2005"
_XU = (
    "Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., Fast data "
    "anonymization with low information loss, VLDB 2007"
)

COST = (
    Measure("ncp", "Precision lost in the quasi-identifiers (NCP)", "share", "neither", _XU).means(
        "Beside an original: for each record, the width of the range of the original numbers that are "
        "written as its value is now, divided by the width of the range of all, or different original "
        "categories so written divided by all (0 for one, at least two for a word such as `other`), and 1 "
        "for a value that is blank or nothing but stars now and was not before; mean over all records and "
        "the quasi-identifiers. In the ℓ-diversity search: the same range or categories of the records of "
        "each cell; mean over the released records."
    ),
    Measure("discernibility", "Discernibility", "number", "neither", _BAYARDO).means(
        "Sum of the squared class sizes, plus records left out or removed from the original times all "
        "records of the original; small values mean that records stay distinguishable and useful."
    ),
    Measure("average_class_size", "Average class size", "records", "neither", _LEFEVRE).means(
        "Released records divided by their equivalence classes."
    ),
)
