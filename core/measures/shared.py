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
        "Different sensitive values in the class that has fewest, missing ones not counted. With one value,"
        " it is known of everybody in the class."
    ),
    Measure("entropy_l", "Entropy ℓ", "number", "higher", _L_DIVERSITY).means(
        "exp of the entropy of the sensitive values in the class where it is smallest: the number of "
        "equally frequent values that would be as uncertain."
    ),
    Measure(
        "recursive_c", "Bound on c for recursive (c, ℓ)-diversity", "number", "lower", _L_DIVERSITY
    ).means(
        "Records with the most frequent sensitive value divided by those with the ℓ-th most frequent and "
        "all rarer ones, in the class where it is largest; infinite with fewer than ℓ values."
    ),
    Measure("t", "Largest distance from the whole table (t)", "number", "lower", _LI, upper=1).means(
        "Earth mover's distance of a class's sensitive values from those of all records, in the class where"
        " it is largest; ordered for numbers, equal for categories."
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
        "Beside an original: the range of the original numbers written as a record's value is now divided "
        "by the range of all, or such categories divided by all (0 for one, at least two for a word such as"
        " `other`), 1 for a value that became blank or stars; mean over records and quasi-identifiers. In "
        "the ℓ-diversity search: the same of each cell's records, over the released ones."
    ),
    Measure("discernibility", "Discernibility", "number", "neither", _BAYARDO).means(
        "Sum of the squared class sizes, plus the records left out or removed times all records of the "
        "original; small where records stay distinguishable."
    ),
    Measure("average_class_size", "Average class size", "records", "neither", _LEFEVRE).means(
        "Released records divided by their equivalence classes."
    ),
)
