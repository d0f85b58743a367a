"""Measures of what an equivalence class tells about its members' sensitive value."""

from __future__ import annotations

from core.measures.measure import Measure

L_DIVERSITY = "Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, TKDD 1(1), 2007"

MEASURES = (
    Measure(
        key="distinct_l",
        label="Fewest sensitive values in a class (distinct l)",
        unit="values",
        better="higher",
        definition="Number of different sensitive values in the class that has fewest; a missing value is "
        "none. With one value, whoever is known to be in the class is known to have it.",
        source=L_DIVERSITY,
    ),
    Measure(
        key="entropy_l",
        label="Entropy l",
        unit="number",
        better="higher",
        definition="exp of the entropy of the sensitive values in the class where it is smallest: the number "
        "of equally frequent values that would be as uncertain.",
        source=L_DIVERSITY,
    ),
    Measure(
        key="recursive_c",
        label="Bound on c for recursive (c, l)-diversity",
        unit="number",
        better="lower",
        definition="Records with the most frequent sensitive value divided by the records with the l-th most "
        "frequent value and all rarer ones, in the class where it is largest; infinite with fewer than l "
        "values.",
        source=L_DIVERSITY,
    ),
    Measure(
        key="t",
        label="Largest distance from the whole table (t)",
        unit="number",
        upper=1,
        better="lower",
        definition="Earth mover's distance between the sensitive values of a class and those of all records, "
        "for the class where it is largest; ordered distance for numbers, equal distance for categories.",
        source="Li, Li, Venkatasubramanian, t-closeness, ICDE 2007",
    ),
    Measure(
        key="alpha",
        label="Largest share of one sensitive value in a class (α)",
        unit="share",
        upper=1,
        better="lower",
        definition="Records with the most frequent sensitive value divided by the records of the class with "
        "a known value, in the class where it is largest.",
        source="Wong et al., (α, k)-anonymity, KDD 2006",
    ),
)
