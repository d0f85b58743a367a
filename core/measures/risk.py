"""Measures of the disclosure-risk tool."""

from core.measures.measure import Measure
from core.measures.shared import SWEENEY

_EMAM = "El Emam, Guide to the De-Identification of Personal Health Information, 2013"
_BETA = "Cao and Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
_DELTA = "Brickell and Shmatikov, The cost of privacy, KDD 2008"
_L_DIVERSITY = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007"
_TEMPL = "Templ, Statistical disclosure control for microdata, Springer, 2017 (hierarchical risk)"
_DANKAR = (
    "Dankar et al., Estimating the re-identification risk of clinical data sets, BMC Med Inform Decis Mak "
    "12:66, 2012"
)
_DOMINGO = (
    "Domingo-Ferrer and Torra, A quantitative comparison of disclosure control methods for microdata, 2001"
)
_SKINNER = "Skinner and Elliot, A measure of disclosure risk for microdata, JRSS B 64(4), 2002"


MEASURES = (
    Measure("n_records", "Records assessed", "records", "neither").means(
        "Records of the table, without those left out (suppressed in every quasi-identifier, or with a "
        "missing one where such records are dropped)."
    ),
    Measure("n_records_in_table", "Records in the table", "records", "neither").means(
        "Records of the table, those that are not assessed included."
    ),
    Measure(
        "n_records_fully_suppressed", "Records suppressed in every quasi-identifier", "records", "neither"
    ).means("Records whose quasi-identifiers are all missing; they are not assessed."),
    Measure(
        "n_records_dropped", "Records left out for a missing quasi-identifier", "records", "neither"
    ).means(
        "Records with a missing quasi-identifier that are not assessed because such records are dropped."
    ),
    Measure("n_classes", "Equivalence classes", "classes", "neither", SWEENEY).means(
        "Different combinations of the quasi-identifiers among the records assessed."
    ),
    Measure("share_k_lt_3", "Records in classes smaller than 3", "share", "lower", SWEENEY).means(
        "Records in classes of fewer than 3 records (or persons, where a person column is given), divided "
        "by the records assessed."
    ),
    Measure("share_k_lt_11", "Records in classes smaller than 11", "share", "lower", SWEENEY).means(
        "Records in classes of fewer than 11 records (or persons, where a person column is given), divided "
        "by the records assessed."
    ),
    Measure("share_k_lt_20", "Records in classes smaller than 20", "share", "lower", SWEENEY).means(
        "Records in classes of fewer than 20 records (or persons, where a person column is given), divided "
        "by the records assessed."
    ),
    Measure("sample_unique_share", "Unique records in the table", "share", "lower", _SKINNER).means(
        "Records alone in their class, divided by the records assessed. Whether they are unique among all "
        "people as well is another question."
    ),
    Measure("prosecutor_highest_risk", "Prosecutor risk, highest", "risk", "lower", _EMAM).means(
        "1 / size of the smallest class: the chance to pick the right record of somebody who is known to be"
        " in the table, by the quasi-identifiers."
    ),
    Measure("prosecutor_average_risk", "Prosecutor risk, average", "risk", "lower", _EMAM).means(
        "Mean over the records assessed of 1 / size of their class (prosecutor). Where a class counts "
        "records it equals classes / records."
    ),
    Measure("records_at_risk_share", "Records at risk", "share", "lower", _EMAM).means(
        "Records in classes smaller than k, whose prosecutor risk is above 1 / k, divided by the records "
        "assessed."
    ),
    Measure("n_records_at_risk", "Records in classes smaller than k", "records", "lower", _EMAM).means(
        "Records whose class counts fewer than k records (or persons, where a person column is given)."
    ),
    Measure("n_persons", "Persons assessed", "number", "neither").means(
        "Different values of the person column among the records assessed; of several tables, different "
        "persons by the keys that join them."
    ),
    Measure("persons_at_risk_share", "Persons at risk", "share", "lower").means(
        "Persons with a record in a class of fewer than k persons, divided by the persons assessed."
    ),
    Measure("recursive_c_at_l2", "Bound on c at ℓ = 2", "number", "lower", _L_DIVERSITY).means(
        "Records with the most frequent sensitive value divided by those with any other, in the class where"
        " it is largest; infinite where a class has one value."
    ),
    Measure("recursive_c_at_l3", "Bound on c at ℓ = 3", "number", "lower", _L_DIVERSITY).means(
        "Records with the most frequent sensitive value divided by those with the third most frequent and "
        "all rarer ones, in the class where it is largest; infinite with fewer than three values."
    ),
    Measure("recursive_l", "Largest ℓ of recursive (c, ℓ)-diversity", "number", "higher", _L_DIVERSITY).means(
        "Largest ℓ for which, at the chosen c, the most frequent value of every class occurs in fewer "
        "records than c times those with the ℓ-th most frequent value and all rarer ones."
    ),
    Measure("basic_beta", "Basic β", "number", "lower", _BETA).means(
        "Largest relative gain (p - q) / q of a sensitive value, p its share of a class and q of the table:"
        " how much more likely it becomes for who knows the class."
    ),
    Measure("enhanced_beta", "Enhanced β", "number", "lower", _BETA).means(
        "Smallest β for which every gain (p - q) / q is at most min(β, -ln q); infinite where a gain is "
        "above -ln q."
    ),
    Measure("delta_ln", "δ, values absent from a class passed over", "number", "lower", _DELTA).means(
        "Largest |ln(p / q)| of a sensitive value that occurs in a class, p its share of the class and q of"
        " the table."
    ),
    Measure("delta_ln_absent", "δ, values absent from a class counted", "number", "lower", _DELTA).means(
        "The same, infinite where a class lacks a value of the table (p = 0)."
    ),
    Measure("folded_distinct_l", "Distinct ℓ, values as what they mean", "values", "higher").means(
        "Most values of a class no two of which are close, in the class where they are fewest: text without"
        " case, width, spaces, punctuation and words for unknown; numbers are close within the chosen share"
        " of the range from their 5 % to their 95 % quantile."
    ),
    Measure("folded_entropy_l", "Entropy ℓ, values as what they mean", "number", "higher").means(
        "Entropy ℓ in the class where it is smallest, close values as one as in distinct ℓ of values as "
        "what they mean."
    ),
    Measure("folded_alpha", "α, values as what they mean", "share", "lower").means(
        "Records with the most frequent value divided by those of the class with a known value, where this "
        "is largest; close values as one as in distinct ℓ of values as what they mean."
    ),
    Measure("folded_t", "t, values as what they mean", "number", "lower", upper=1).means(
        "Earth mover's distance of a class from all records, where it is largest; ordered for numbers, the "
        "hierarchical one as it is. Values as in distinct ℓ of values as what they mean."
    ),
    Measure("folded_basic_beta", "Basic β, values as what they mean", "number", "lower").means(
        "Largest relative gain (p - q) / q of a value; close values as one as in distinct ℓ of values as "
        "what they mean."
    ),
    Measure("folded_delta_ln", "δ, values as what they mean", "number", "lower").means(
        "Largest |ln(p / q)| of a value that occurs in a class; close values as one as in distinct ℓ of "
        "values as what they mean."
    ),
    Measure("unchosen_unique_share", "Singled out by columns nobody chose", "share", "lower").means(
        "Records that no other equals in the released columns that are no quasi-identifier, sensitive "
        "attribute, person, weight or household, divided by all records."
    ),
    Measure("further_column_at_risk_share", "Records at risk with a further column", "share", "lower").means(
        "Records in classes of fewer than k by the quasi-identifiers and one released column that nobody "
        "chose or called harmless, divided by the records assessed; of the worst column."
    ),
    Measure("persons_alone_share", "Persons alone by all their records", "share", "lower").means(
        "Persons with whom no other has records in the same classes equally often, divided by the persons "
        "assessed."
    ),
    Measure("n_households", "Households assessed", "number", "neither").means(
        "Different values of the household column among the records assessed."
    ),
    Measure("household_highest_risk", "Household risk, highest", "risk", "lower", _TEMPL).means(
        "1 - Π(1 - 1 / class size) over the records of a household: the chance that it is found through any "
        "member, for the household where it is largest."
    ),
    Measure("household_average_risk", "Household risk, average", "risk", "lower", _TEMPL).means(
        "Household risk averaged over the households assessed."
    ),
    Measure("n_households_in_class", "Fewest households in a class", "number", "higher").means(
        "Different households with a record in a class, in the class where they are fewest."
    ),
    Measure("linked_share", "Records linked to their original by numbers", "share", "lower", _DOMINGO).means(
        "Records whose nearest original, by the Euclidean distance of standardized numbers, is their own (1"
        " / m where m are as near), divided by the records looked at."
    ),
    Measure("population_size", "People in the population", "number", "neither").means(
        "People the table's records were drawn from: rows of the population's table, or its size as given."
    ),
    Measure(
        "n_records_population_unique",
        "Records unique in the population (estimate)",
        "number",
        "lower",
        _DANKAR,
    ).means(
        "Estimated people unique in the population times the sampling fraction, at most the unique records "
        "of the table."
    ),
)
