"""Measures of several tables of one delivery."""

from core.measures.measure import Measure

_TERROVITIS = (
    "Terrovitis, Mamoulis and Kalnis, Privacy-preserving anonymization of set-valued data, PVLDB 1(1), 2008, "
    "with the quasi-identifiers of persons beside their records"
)
_UNIQUE = "de Montjoye et al., Unique in the Crowd: the privacy bounds of human mobility, Sci. Rep. 3, 2013"

MEASURES = (
    Measure("joined_below_k_share", "Persons among fewer than k", "share", "lower", _TERROVITIS).means(
        "Persons of whom some choice of so many records, each its combination of quasi-identifiers, with "
        "their own quasi-identifiers fits fewer than k persons, divided by the persons looked at."
    ),
    Measure("joined_unique_share", "Persons alone with all records", "share", "lower", _UNIQUE).means(
        "Persons whose quasi-identifiers and all records, each as often as it occurs, fit nobody else, "
        "divided by all persons."
    ),
    Measure(
        "all_records_below_k_share", "Among fewer than k with all records", "share", "lower", _UNIQUE
    ).means(
        "Persons whose quasi-identifiers and all records, each as often as it occurs, fit fewer than k "
        "persons, divided by all persons."
    ),
    Measure("random_found_share", "Found by records drawn at random", "share", "lower", _UNIQUE).means(
        "The share of the choices of so many records of a person that fit nobody else of the same "
        "quasi-identifiers, averaged over the persons looked at."
    ),
    Measure("attack_share", "Found by the cheapest facts", "share", "lower", _UNIQUE).means(
        "Persons whom the values of these few columns, of records those of one drawn at random, fit alone, "
        "averaged over all persons. Sets of columns grow one by one from the best few: a better one may "
        "exist."
    ),
    Measure(
        "table_below_k_share", "Persons among fewer than k in one table", "share", "lower", _TERROVITIS
    ).means(
        "Persons with a record whose combination of quasi-identifiers is that of fewer than k persons, "
        "divided by the persons in the table."
    ),
    Measure(
        "smallest_known_class", "Smallest group by what is known", "number", "higher", _TERROVITIS, lower=1
    ).means(
        "Persons in the smallest group that some choice of so many records of a person leaves, with the "
        "person's quasi-identifiers, among the persons looked at."
    ),
    Measure(
        "smallest_table_class", "Smallest group in one table", "number", "higher", _TERROVITIS, lower=1
    ).means("Persons in the smallest group by a record's quasi-identifiers in the table."),
    Measure("alone_share", "Alone by what is known", "share", "lower", _TERROVITIS).means(
        "Persons of whom some choice of so many records, with their quasi-identifiers, fits nobody else, "
        "divided by the persons looked at."
    ),
    Measure("all_columns_found_share", "Found by all released columns", "share", "lower", _TERROVITIS).means(
        "Persons whom all released columns, their own and those of some record of theirs, fit alone, divided "
        "by the persons looked at."
    ),
)
