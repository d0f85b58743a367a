"""Measures of the disclosure-risk tool."""

from __future__ import annotations

from typing import Literal

from core.measures.measure import Measure, Unit
from core.measures.shared import SWEENEY

_EMAM = "El Emam, Guide to the De-Identification of Personal Health Information, 2013"
_BETA = "Cao and Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
_DELTA = "Brickell and Shmatikov, The cost of privacy, KDD 2008"
_L_DIVERSITY = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007"
_TEMPL = "Templ, Statistical disclosure control for microdata, Springer, 2017 (hierarchical risk)"
_MEANT = (
    "Of values as what they mean: text without case, width, spaces and punctuation, words for unknown "
    "not counted, and numbers closer than the chosen share of the range between their 5 % and 95 % quantiles "
    "taken as one."
)


def _folded(
    key: str,
    label: str,
    unit: Unit,
    better: Literal["higher", "lower", "neither"],
    said: str,
    *,
    upper: float | None = None,
) -> Measure:
    return Measure(
        key=f"folded_{key}",
        label=f"{label}, values as what they mean",
        unit=unit,
        upper=upper,
        better=better,
        definition=f"{said} {_MEANT}",
        source="AnonAudit",
    )


MEASURES = (
    Measure(
        key="n_records",
        label="Records assessed",
        unit="records",
        better="neither",
        definition="Records of the table, without those left out (suppressed in every quasi-identifier, or "
        "with a missing one where such records are dropped).",
        source="AnonAudit",
    ),
    Measure(
        key="n_classes",
        label="Equivalence classes",
        unit="classes",
        better="neither",
        definition="Different combinations of the quasi-identifiers among the records assessed.",
        source=SWEENEY,
    ),
    *(
        Measure(
            key=f"share_k_lt_{k}",
            label=f"Records in classes smaller than {k}",
            unit="share",
            upper=1,
            better="lower",
            definition=f"Records whose class counts fewer than {k} records (or persons, where a person "
            "column is given), divided by the records assessed.",
            source=SWEENEY,
        )
        for k in (3, 11, 20)
    ),
    Measure(
        key="sample_unique_share",
        label="Unique records in the table",
        unit="share",
        upper=1,
        better="lower",
        definition="Records alone in their class, divided by the records assessed. Whether they are unique "
        "among all people as well is another question.",
        source="Skinner and Elliot, A measure of disclosure risk for microdata, JRSS B 64(4), 2002",
    ),
    Measure(
        key="prosecutor_highest_risk",
        label="Prosecutor risk, highest",
        unit="risk",
        upper=1,
        better="lower",
        definition="1 / size of the smallest class: the chance to pick the right record of somebody who is "
        "known to be in the table and whose quasi-identifiers are known (prosecutor).",
        source=_EMAM,
    ),
    Measure(
        key="prosecutor_average_risk",
        label="Prosecutor risk, average",
        unit="risk",
        upper=1,
        better="lower",
        definition="Mean over the records assessed of 1 / size of their class (prosecutor). Where a class "
        "counts records it equals classes / records.",
        source=_EMAM,
    ),
    Measure(
        key="records_at_risk_share",
        label="Records at risk",
        unit="share",
        upper=1,
        better="lower",
        definition="Records in classes smaller than k, whose prosecutor risk is above 1 / k, divided by the "
        "records assessed.",
        source=_EMAM,
    ),
    Measure(
        key="n_persons",
        label="Persons assessed",
        unit="number",
        better="neither",
        definition="Different values of the person column among the records assessed.",
        source="AnonAudit",
    ),
    Measure(
        key="persons_at_risk_share",
        label="Persons at risk",
        unit="share",
        upper=1,
        better="lower",
        definition="Persons with a record in a class of fewer than k persons, divided by the persons "
        "assessed.",
        source="AnonAudit",
    ),
    Measure(
        key="recursive_c_at_l2",
        label="Bound on c at l = 2",
        unit="number",
        better="lower",
        definition="Records with the most frequent sensitive value divided by the records with any other, "
        "in the class where it is largest: recursive (c, 2)-diversity holds for every c above it. Infinite "
        "where a class has one value.",
        source=_L_DIVERSITY,
    ),
    Measure(
        key="recursive_c_at_l3",
        label="Bound on c at l = 3",
        unit="number",
        better="lower",
        definition="Records with the most frequent sensitive value divided by the records with the third "
        "most frequent and all rarer ones, in the class where it is largest. Infinite where a class has "
        "fewer than three values.",
        source=_L_DIVERSITY,
    ),
    Measure(
        key="recursive_l",
        label="Largest l of recursive (c, l)-diversity",
        unit="number",
        better="higher",
        definition="Largest l for which, at the chosen c, the most frequent value of every class occurs in "
        "fewer records than c times those with the l-th most frequent value and all rarer ones.",
        source=_L_DIVERSITY,
    ),
    Measure(
        key="basic_beta",
        label="Basic β",
        unit="number",
        better="lower",
        definition="Largest relative gain (p - q) / q of a sensitive value, p its share of a class and q "
        "its share of the table: how much more likely a value becomes for whoever knows the class.",
        source=_BETA,
    ),
    Measure(
        key="enhanced_beta",
        label="Enhanced β",
        unit="number",
        better="lower",
        definition="Smallest β for which every gain (p - q) / q is at most min(β, -ln q); infinite where a "
        "gain is above -ln q, because then no β makes it hold.",
        source=_BETA,
    ),
    Measure(
        key="delta_ln",
        label="δ, values absent from a class passed over",
        unit="number",
        better="lower",
        definition="Largest |ln(p / q)| (natural logarithm) of a sensitive value that occurs in a class, p "
        "its share of the class and q its share of the table.",
        source=_DELTA,
    ),
    Measure(
        key="delta_ln_absent",
        label="δ, values absent from a class counted",
        unit="number",
        better="lower",
        definition="The same, infinite where a class lacks a value of the table (p = 0), as the definition "
        "says.",
        source=_DELTA,
    ),
    _folded(
        "distinct_l",
        "Distinct l",
        "values",
        "higher",
        "Most values of a class no two of which are close, in the class where they are fewest.",
    ),
    _folded("entropy_l", "Entropy l", "number", "higher", "Entropy l of the class where it is smallest."),
    _folded(
        "alpha",
        "α",
        "share",
        "lower",
        "Records with the most frequent value divided by those of the class with a known value, where this "
        "is largest.",
        upper=1,
    ),
    _folded(
        "t",
        "t",
        "number",
        "lower",
        "Earth mover's distance of a class from all records, where it is largest; ordered for numbers, and "
        "the hierarchical one left as it is.",
        upper=1,
    ),
    _folded("basic_beta", "Basic β", "number", "lower", "Largest relative gain (p - q) / q of a value."),
    _folded("delta_ln", "δ", "number", "lower", "Largest |ln(p / q)| of a value that occurs in a class."),
    Measure(
        key="unchosen_unique_share",
        label="Singled out by columns nobody chose",
        unit="share",
        upper=1,
        better="lower",
        definition="Records that no other one equals in all released columns that are no quasi-identifier, "
        "sensitive attribute, person, weight or household, divided by all records of the table.",
        source="AnonAudit",
    ),
    Measure(
        key="persons_alone_share",
        label="Persons alone by all their records",
        unit="share",
        upper=1,
        better="lower",
        definition="Persons with whom no other has records in the same classes equally often, divided by the "
        "persons assessed.",
        source="AnonAudit",
    ),
    Measure(
        key="n_households",
        label="Households assessed",
        unit="number",
        better="neither",
        definition="Different values of the household column among the records assessed.",
        source="AnonAudit",
    ),
    Measure(
        key="household_highest_risk",
        label="Household risk, highest",
        unit="risk",
        upper=1,
        better="lower",
        definition="1 - Π(1 - 1 / class size) over the records of a household: the chance that it is found "
        "through any member, for the household where it is largest.",
        source=_TEMPL,
    ),
    Measure(
        key="household_average_risk",
        label="Household risk, average",
        unit="risk",
        upper=1,
        better="lower",
        definition="Household risk averaged over the households assessed.",
        source=_TEMPL,
    ),
    Measure(
        key="n_households_in_class",
        label="Fewest households in a class",
        unit="number",
        better="higher",
        definition="Different households with a record in a class, in the class where they are fewest.",
        source="AnonAudit",
    ),
    Measure(
        key="linked_share",
        label="Records linked to their original by numbers",
        unit="share",
        upper=1,
        better="lower",
        definition="Records whose nearest original, by the Euclidean distance of standardized numbers in "
        "both tables, is their own (1 / m where m originals share that place), divided by the records "
        "looked at.",
        source="Domingo-Ferrer and Torra, A quantitative comparison of disclosure control methods for "
        "microdata, 2001",
    ),
    Measure(
        key="population_size",
        label="People in the population",
        unit="number",
        better="neither",
        definition="People the table's records were drawn from: rows of the population's table, or its "
        "size as given.",
        source="AnonAudit",
    ),
    Measure(
        key="n_records_population_unique",
        label="Records unique in the population (estimate)",
        unit="number",
        better="lower",
        definition="Estimated people unique in the population times the sampling fraction, at most the "
        "unique records of the table.",
        source="Dankar et al., Estimating the re-identification risk of clinical data sets, BMC Med Inform "
        "Decis Mak 12:66, 2012",
    ),
)
