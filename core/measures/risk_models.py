"""Measures of risk against a population, of smallest unique sets of values, and of columns."""

from core.measures.measure import Measure

_EL_EMAM = "El Emam, Guide to the de-identification of personal health information, CRC Press, 2013"
_DANKAR = (
    "Dankar, El Emam, Neisa, Roffey, Estimating the re-identification risk of clinical data sets, BMC "
    "Medical Informatics and Decision Making 12:66, 2012"
)
_NERGIZ = "Nergiz, Atzori, Clifton, Hiding the presence of individuals from shared databases, SIGMOD 2007"
_FRANCONI = (
    "Franconi and Polettini, Individual risk estimation in μ-Argus: a review, Privacy in Statistical "
    "Databases, LNCS 3050, 2004"
)

_SUDA = (
    "Manning, Haglin, Keane, A recursive search algorithm for statistical disclosure assessment, Data Mining "
    "and Knowledge Discovery 16, 2008"
)
_MARKETER = (
    "Dankar and El Emam, A method for evaluating marketer re-identification risk, EDBT/ICDT Workshops, 2010"
)
_PITMAN = (
    "Pitman, Exchangeable and partially exchangeable random partitions, Probability Theory and Related "
    "Fields 102, 1995"
)
_MOTWANI = "Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, VLDB 2007"

_XU = (
    "Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., Fast data "
    "anonymization with low information loss, VLDB 2007"
)
_ELLIOT = (
    "Elliot and Manning, Using DIS to modify the classification of special uniques, UNECE work session on "
    "statistical data confidentiality, 2003"
)
_CHEN = (
    "Chen and Keller-McNulty, Estimation of identification disclosure risk in microdata, Journal of "
    "Official Statistics 14(1), 1998"
)
_SWEENEY = "Sweeney, Computational disclosure control, PhD thesis, MIT, 2001"
_HOSHINO = (
    "Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal of "
    "Official Statistics 17(4), 2001"
)
_ZAYATZ = (
    "Zayatz, Estimation of the number of unique population elements using a sample, US Bureau of the "
    "Census, 1991"
)

MEASURES = (
    Measure(
        "population_unique_share", "People unique in the population (estimate)", "share", "lower", _DANKAR
    ).means(
        "Estimated people who share their quasi-identifiers with nobody in the population, divided by the "
        "population: Pitman's model up to a sampling fraction of 10 %, above it the smaller of Zayatz's and"
        " the slide negative binomial model's; Zayatz's where a model has no answer."
    ),
    Measure(
        "population_uniques_zayatz", "People unique in the population (Zayatz)", "number", "lower", _ZAYATZ
    ).means(
        "Sample uniques divided by the sampling fraction, times the probability that one comes from a "
        "population class of one if population classes are as large as the sample's."
    ),
    Measure(
        "population_uniques_pitman", "People unique in the population (Pitman)", "number", "lower", _HOSHINO
    ).means(
        "Expected classes of one in a population whose class sizes follow Pitman's sampling formula, fitted"
        " to the sample by maximum likelihood; no figure where no maximum is found."
    ),
    Measure(
        "population_uniques_snb", "People unique in the population (SNB)", "number", "lower", _CHEN
    ).means(
        "Expected classes of one in a population whose class sizes less one are negative binomial, fitted "
        "to the sample's classes of one and two; no figure where the equations have no solution."
    ),
    Measure("k_map", "Smallest population class (k-map)", "number", "higher", _SWEENEY, lower=1).means(
        "People of the population with the quasi-identifiers of a record, for the record where they are "
        "fewest. If only the population's size is known: those of the table, at least."
    ),
    Measure("journalist_highest_risk", "Journalist risk, highest", "risk", "lower", _EL_EMAM).means(
        "1 / people of the population in the class, for the record where they are fewest: the chance of "
        "somebody who wants to find anybody of the table in the population. If only the population's size "
        "is known: the prosecutor's highest risk, which it is at most."
    ),
    Measure("marketer_risk", "Marketer risk", "risk", "lower", _MARKETER).means(
        "Records of a class divided by its people of the population, summed over classes and divided by the"
        " records: the share expected to be right when every record is matched. If only the population's "
        "size is known: the prosecutor's average risk, which it is at most."
    ),
    Measure("marketer_risk_weights", "Marketer risk (estimate by weights)", "risk", "lower", _FRANCONI).means(
        "Records of a class times the expectation of 1 / its people of the population, summed over classes "
        "and divided by the records; a record stands for population size / records people. Far too low "
        "where classes are small."
    ),
    Measure("marketer_risk_pitman", "Marketer risk (estimate, Pitman)", "risk", "lower", _PITMAN).means(
        "The same, the people of the population in a class given those in the table by Pitman's model, "
        "fitted by maximum likelihood; no figure where no maximum is found."
    ),
    Measure(
        "marketer_risk_low", "Marketer risk (Pitman), 95 % interval from", "risk", "lower", _PITMAN
    ).means(
        "2.5 % quantile of Pitman's estimate over parameters drawn around those fitted (60, seeded). That "
        "the model may be wrong is not in the interval."
    ),
    Measure("marketer_risk_high", "Marketer risk (Pitman), 95 % interval to", "risk", "lower", _PITMAN).means(
        "97.5 % quantile of the same."
    ),
    Measure("marketer_risk_snb", "Marketer risk (estimate, SNB)", "risk", "lower", _CHEN).means(
        "The same by the slide negative binomial model; no figure where its equations have no solution."
    ),
    Measure(
        "delta_presence_lower", "Presence in the table, least certain (δ min)", "share", "higher", _NERGIZ
    ).means(
        "Records of the table divided by the people of the same class in the population, where this is "
        "smallest; 0 where a population class has no record in the table."
    ),
    Measure(
        "delta_presence_upper", "Presence in the table, most certain (δ max)", "share", "lower", _NERGIZ
    ).means(
        "Records of the table divided by the people of the same class in the population, where this is "
        "largest: how sure somebody can be that a person is in the table."
    ),
    Measure("individual_highest_risk", "Individual risk, highest", "risk", "lower", _FRANCONI).means(
        "Expectation of 1 / people of the population in the class, given its records and the sum of their "
        "sampling weights (negative binomial), for the record where it is largest."
    ),
    Measure("individual_average_risk", "Individual risk, average", "risk", "lower", _FRANCONI).means(
        "Individual risk of each record, averaged over the records."
    ),
    Measure("expected_reidentifications", "Expected re-identifications", "number", "lower", _FRANCONI).means(
        "Individual risk of each record, summed over the records."
    ),
    Measure("sampling_fraction", "Sampling fraction", "share", "neither").means(
        "Records (persons, where a person column is given) of the table divided by the people of the "
        "population."
    ),
    Measure("n_special_uniques", "Special uniques", "records", "lower", _SUDA).means(
        "Records with a set of few values, up to the largest size searched, that no other record has and "
        "that gets shared when any of them is left out."
    ),
    Measure("suda_score", "Special uniqueness (SUDA score)", "number", "lower", _SUDA).means(
        "For each smallest set of k quasi-identifiers that singles the record out, the product of "
        "(quasi-identifiers - i) for i from k to the largest size searched, summed over such sets."
    ),
    Measure("dis_suda", "Chance that a match is right (DIS-SUDA)", "risk", "lower", _ELLIOT).means(
        "The file's data intrusion simulation risk (sample uniques against pairs at the sampling fraction),"
        " spread over the records by SUDA scores; not assessed without the population's size."
    ),
    Measure(
        "suda_contribution_share", "Part of the SUDA scores with the column", "share", "neither", _SUDA
    ).means(
        "Points of smallest unique sets that have the column, divided by the points of all; sets have "
        "several columns, so parts add up to more than 100 %."
    ),
    Measure("distinction", "Distinction", "share", "lower", _MOTWANI).means(
        "Distinct combinations of values in the columns, divided by the records."
    ),
    Measure("separation", "Separation", "share", "lower", _MOTWANI).means(
        "Pairs of records that differ in at least one of the columns, divided by all pairs."
    ),
    Measure("unique_share_gained", "Records unique because of the column", "share", "lower").means(
        "Records alone in their class over all quasi-identifiers and not without this one, divided by the "
        "records."
    ),
    Measure("suppression_needed_share", "Records to suppress for k", "share", "neither").means(
        "Records in classes smaller than k, divided by the records assessed: without their quasi-"
        "identifiers all others are in classes of at least k."
    ),
    Measure("generalization_loss", "Precision lost by generalizing", "share", "neither", _XU).means(
        "Range of a value's interval divided by that of all values, or values of its group divided by all "
        "(0 for a value of its own, 1 for one not shown); mean over quasi-identifiers and records, 1 for a "
        "suppressed record."
    ),
)
