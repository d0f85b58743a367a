"""Measures of the tabular verifier."""

from core.measures.measure import Measure
from core.measures.shared import SWEENEY

_RULE = "Published rule of the tabular verifier"


MEASURES = (
    Measure("policy_consistency", "Policy consistency", "share", "higher", _RULE).means(
        "One minus the logged columns that should be gone (`drop`, or `keep_if_permitted_else_drop` without"
        " permission) but hold values, divided by the columns in the log; 100 % for an empty log."
    ),
    Measure("pattern_residual", "Pattern residual", "share", "lower", _RULE).means(
        "Cells of the anonymized table that hold a sensitive pattern, divided by its non-blank cells; a "
        "date that a logged date floor correctly made does not count."
    ),
    Measure("high_risk_handling", "High-risk handling", "share", "higher", _RULE).means(
        "High-risk columns of the log (such as name, birth date, phone, address or identifier) whose action"
        " protects, divided by all of them; 100 % when there are none."
    ),
    Measure("pass_share", "PASS messages", "share", "higher", _RULE).means(
        "Column checks that are PASS, divided by all; a column that was expanded into several counts once "
        "for each."
    ),
    Measure("warn_share", "WARN messages", "share", "lower", _RULE).means(
        "Column checks that are WARN, divided by all; a column that was expanded into several counts once "
        "for each."
    ),
    Measure("fail_share", "FAIL messages", "share", "lower", _RULE).means(
        "Column checks that are FAIL, divided by all; a column that was expanded into several counts once "
        "for each."
    ),
    Measure(
        "min_k", "Smallest class with every value as written", "records", "higher", SWEENEY, lower=1
    ).means(
        "Records in the smallest class over all quasi-identifiers, where masks such as `***` and made-up "
        "values are values like others; for the second opinion they are none. Policies are held against it."
    ),
)


SECOND_OPINION = (
    Measure("relinkage_share", "Records found again in the original", "share", "lower").means(
        "Anonymized records whose values in all columns left unchanged occur in exactly one original "
        "record, divided by all anonymized records; one that is blank in all of them matches nothing."
    ),
    Measure(
        "n_relinkage_columns",
        "Fewest columns that find over half of the records",
        "columns",
        "higher",
        lower=1,
        upper=3,
    ).means(
        "Unchanged columns in the smallest set found, of up to three, that alone matches over half of the "
        "anonymized records to exactly one original record each."
    ),
    Measure("n_left_unchanged_columns", "Columns left unchanged", "columns", "lower").means(
        "Anonymized columns whose share of unchanged cells reaches the limit for left unchanged."
    ),
    Measure("unchanged_share", "Unchanged cells of a column", "share", "lower").means(
        "Cells equal to the original of the same row as trimmed text, number or date, divided by the non-"
        "blank original cells. In tables of other length or order: original cells whose value reappears, "
        "each anonymized cell used once; with fewer records, divided by the cells expected among as many."
    ),
    Measure("original_distinct_share", "Distinct values of an original column", "share", "lower").means(
        "Distinct non-blank values of the original column, divided by its non-blank cells."
    ),
    Measure("n_unlogged_columns", "Columns the log does not mention", "columns", "lower").means(
        "Anonymized columns without an entry in the log, also none for the column they were made from."
    ),
    Measure("n_filled_blanks", "Blank cells that became filled", "cells", "lower").means(
        "Cells blank in the original and filled in the anonymized table, row by row; in tables of other "
        "length or order, the least number that the counts of filled cells allow."
    ),
    Measure(
        "unique_without_share", "Records still unique without a quasi-identifier", "share", "neither"
    ).means(
        "Records alone in their class without this quasi-identifier, divided by the records assessed; the "
        "lower, the more it contributes."
    ),
    Measure("pseudonym_unchanged_share", "Pseudonyms equal to the original", "share", "lower").means(
        "Pseudonyms equal to the original of the same row, divided by the rows filled in both columns. In "
        "tables of other length or order: non-blank anonymized cells that occur in the original column, "
        "divided by all of them."
    ),
    Measure(
        "n_originals_with_several_pseudonyms", "Originals with several pseudonyms", "values", "lower"
    ).means("Distinct original values that stand in rows with more than one distinct pseudonym."),
    Measure(
        "n_pseudonyms_for_several_originals", "Pseudonyms for several originals", "values", "lower"
    ).means("Distinct pseudonyms that stand in rows with more than one distinct original value."),
)
