"""Measures of risk against a population, of smallest unique sets of values, and of columns."""

from __future__ import annotations

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
    "Fields "
    "102, 1995"
)
_MOTWANI = "Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, VLDB 2007"

MEASURES = (
    Measure(
        key="population_unique_share",
        label="People unique in the population (estimate)",
        unit="share",
        upper=1,
        better="lower",
        definition="Estimated people who share their quasi-identifiers with nobody in the population, "
        "divided by the population. Pitman's model up to a sampling fraction of 10 %, above it the smaller "
        "of Zayatz's and the slide negative binomial model's; Zayatz's where the model asked for has no "
        "answer.",
        source=_DANKAR,
    ),
    Measure(
        key="population_uniques_zayatz",
        label="People unique in the population (Zayatz)",
        unit="number",
        better="lower",
        definition="Sample uniques divided by the sampling fraction, times the probability that a sample "
        "unique comes from a population class of one if population classes are as large as those of the "
        "sample.",
        source="Zayatz, Estimation of the number of unique population elements using a sample, US Bureau of "
        "the Census, 1991",
    ),
    Measure(
        key="population_uniques_pitman",
        label="People unique in the population (Pitman)",
        unit="number",
        better="lower",
        definition="Expected classes of one in a population whose class sizes follow Pitman's sampling "
        "formula, its two parameters fitted to the sample by maximum likelihood; no figure where no "
        "maximum is found.",
        source="Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal "
        "of Official Statistics 17(4), 2001",
    ),
    Measure(
        key="population_uniques_snb",
        label="People unique in the population (SNB)",
        unit="number",
        better="lower",
        definition="Expected classes of one in a population whose class sizes less one are negative "
        "binomial, fitted to the sample's classes of one and two; no figure where the equations have no "
        "solution.",
        source="Chen and Keller-McNulty, Estimation of identification disclosure risk in microdata, Journal "
        "of Official Statistics 14(1), 1998",
    ),
    Measure(
        key="k_map",
        label="Smallest population class (k-map)",
        unit="number",
        lower=1,
        better="higher",
        definition="People of the population who share the quasi-identifiers of a record, for the record "
        "where they are fewest. Where only the population's size is known: those of the table, at least.",
        source="Sweeney, Computational disclosure control, PhD thesis, MIT, 2001",
    ),
    Measure(
        key="journalist_highest_risk",
        label="Journalist risk, highest",
        unit="risk",
        upper=1,
        better="lower",
        definition="1 divided by the people of the population in the class, for the record where they are "
        "fewest: the chance of somebody who wants to find anybody of the table in the population. Where only "
        "the population's size is known: the prosecutor's highest risk, which it is at most.",
        source=_EL_EMAM,
    ),
    Measure(
        key="marketer_risk",
        label="Marketer risk",
        unit="risk",
        upper=1,
        better="lower",
        definition="Records of a class divided by the people of the population in it, summed over classes "
        "and divided by the records: the share expected to be right when every record is matched to the "
        "population. Where only the population's size is known: the prosecutor's average risk, which it is "
        "at "
        "most.",
        source=_MARKETER,
    ),
    Measure(
        key="marketer_risk_weights",
        label="Marketer risk (estimate by weights)",
        unit="risk",
        upper=1,
        better="lower",
        definition="Records of a class times the expectation of 1 divided by its people of the population, "
        "summed over classes and divided by the records; each record stands for population size / records "
        "people. Far too low where classes are small.",
        source=_FRANCONI,
    ),
    Measure(
        key="marketer_risk_pitman",
        label="Marketer risk (estimate, Pitman)",
        unit="risk",
        upper=1,
        better="lower",
        definition="The same, the people of the population in a class given those in the table by Pitman's "
        "model, fitted by maximum likelihood; no figure where no maximum is found.",
        source=_PITMAN,
    ),
    Measure(
        key="marketer_risk_low",
        label="Marketer risk (Pitman), 95 % interval from",
        unit="risk",
        upper=1,
        better="lower",
        definition="2.5 % quantile of Pitman's estimate over parameters drawn around those fitted (60, "
        "seeded). "
        "That the model may be wrong is not in the interval.",
        source=_PITMAN,
    ),
    Measure(
        key="marketer_risk_high",
        label="Marketer risk (Pitman), 95 % interval to",
        unit="risk",
        upper=1,
        better="lower",
        definition="97.5 % quantile of the same.",
        source=_PITMAN,
    ),
    Measure(
        key="marketer_risk_snb",
        label="Marketer risk (estimate, SNB)",
        unit="risk",
        upper=1,
        better="lower",
        definition="The same by the slide negative binomial model; no figure where its equations have no "
        "solution.",
        source="Chen and Keller-McNulty, Estimation of identification disclosure risk in microdata, Journal "
        "of Official Statistics 14(1), 1998",
    ),
    Measure(
        key="delta_presence_lower",
        label="Presence in the table, least certain (δ min)",
        unit="share",
        upper=1,
        better="higher",
        definition="Records of the table divided by the people of the population in the same class, for the "
        "population class where this is smallest; 0 where a population class has no record in the table.",
        source=_NERGIZ,
    ),
    Measure(
        key="delta_presence_upper",
        label="Presence in the table, most certain (δ max)",
        unit="share",
        upper=1,
        better="lower",
        definition="Records of the table divided by the people of the population in the same class, for the "
        "class where this is largest: how sure somebody can be that a person is in the table.",
        source=_NERGIZ,
    ),
    Measure(
        key="individual_highest_risk",
        label="Individual risk, highest",
        unit="risk",
        upper=1,
        better="lower",
        definition="Expectation of 1 divided by the people of the population in the class, given its records "
        "and the sum of their sampling weights (negative binomial), for the record where it is largest.",
        source=_FRANCONI,
    ),
    Measure(
        key="individual_average_risk",
        label="Individual risk, average",
        unit="risk",
        upper=1,
        better="lower",
        definition="Individual risk of each record, averaged over the records.",
        source=_FRANCONI,
    ),
    Measure(
        key="expected_reidentifications",
        label="Expected re-identifications",
        unit="number",
        better="lower",
        definition="Individual risk of each record, summed over the records.",
        source=_FRANCONI,
    ),
    Measure(
        key="suda_score",
        label="Special uniqueness (SUDA score)",
        unit="number",
        better="lower",
        definition="For each smallest set of k quasi-identifiers that singles the record out, the product of "
        "(quasi-identifiers - i) for i from k to the largest size searched, summed over such sets.",
        source=_SUDA,
    ),
    Measure(
        key="dis_suda",
        label="Chance that a match is right (DIS-SUDA)",
        unit="risk",
        upper=1,
        better="lower",
        definition="The file's data intrusion simulation risk, sample uniques against pairs at the sampling "
        "fraction, spread over the records by their SUDA scores; not assessed where the population's size is "
        "not known.",
        source="Elliot and Manning, Using DIS to modify the classification of special uniques, UNECE work "
        "session on statistical data confidentiality, 2003",
    ),
    Measure(
        key="suda_contribution_share",
        label="Part of the SUDA scores with the column",
        unit="share",
        upper=1,
        better="neither",
        definition="Points of smallest unique sets that have the column, divided by the points of all; sets "
        "have several columns, so parts add up to more than 100 %.",
        source=_SUDA,
    ),
    Measure(
        key="distinction",
        label="Distinction",
        unit="share",
        upper=1,
        better="lower",
        definition="Distinct combinations of values in the columns, divided by the records.",
        source=_MOTWANI,
    ),
    Measure(
        key="separation",
        label="Separation",
        unit="share",
        upper=1,
        better="lower",
        definition="Pairs of records that differ in at least one of the columns, divided by all pairs.",
        source=_MOTWANI,
    ),
    Measure(
        key="unique_share_gained",
        label="Records unique because of the column",
        unit="share",
        upper=1,
        better="lower",
        definition="Records alone in their class over all quasi-identifiers and not without this one, "
        "divided by the records.",
        source="AnonAudit",
    ),
    Measure(
        key="suppression_needed_share",
        label="Records to suppress for k",
        unit="share",
        upper=1,
        better="neither",
        definition="Records in classes smaller than k as the table is, divided by the records assessed: "
        "without their quasi-identifiers the others are in classes of at least k.",
        source="AnonAudit",
    ),
    Measure(
        key="generalization_loss",
        label="Precision lost by generalizing",
        unit="share",
        upper=1,
        better="neither",
        definition="For each value the width of its interval's range divided by that of all values, or the "
        "values of its group divided by all values (0 for a value of its own, 1 for one not shown); mean "
        "over quasi-identifiers and records, 1 for a suppressed record.",
        source="Xu et al., Utility-based anonymization using local recoding, KDD 2006; Ghinita et al., Fast "
        "data anonymization with low information loss, VLDB 2007",
    ),
)
