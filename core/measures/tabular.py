"""Measures of the tabular verifier."""

from core.measures.measure import Measure
from core.measures.shared import SWEENEY

_RULE = "Published rule of the tabular verifier"


MEASURES = (
    Measure("policy_consistency", "Policy consistency", "share", "higher", _RULE).means(
        "One minus the logged columns that should be gone (logged `drop`, or `keep_if_permitted_else_drop` "
        "without permission) but hold values, divided by the columns in the log; 100 % for an empty log."
    ),
    Measure("pattern_residual", "Pattern residual", "share", "lower", _RULE).means(
        "Cells of the anonymized table that hold a sensitive pattern, divided by its non-blank cells. Every "
        "cell is read; a date that a logged date floor correctly produced does not count."
    ),
    Measure("high_risk_handling", "High-risk handling", "share", "higher", _RULE).means(
        "Logged columns whose semantic is high-risk (such as name, birth date, phone, address or identifier) "
        "and whose action protects, divided by the high-risk columns in the log; 100 % when there are none."
    ),
    Measure("pass_share", "PASS messages", "share", "higher", _RULE).means(
        "Column checks that ended in PASS, divided by all column checks. A column that was expanded into "
        "several counts once for each."
    ),
    Measure("warn_share", "WARN messages", "share", "lower", _RULE).means(
        "Column checks that ended in WARN, divided by all column checks. A column that was expanded into "
        "several counts once for each."
    ),
    Measure("fail_share", "FAIL messages", "share", "lower", _RULE).means(
        "Column checks that ended in FAIL, divided by all column checks. A column that was expanded into "
        "several counts once for each."
    ),
    Measure(
        "min_k", "Smallest class with every value as written", "records", "higher", SWEENEY, lower=1
    ).means(
        "Number of records in the smallest equivalence class of all quasi-identifiers, where masks such as "
        "`***` and made-up values are values like others; for the second opinion they are none. Policies are "
        "held against this one."
    ),
)


SECOND_OPINION = (
    Measure("relinkage_share", "Records found again in the original", "share", "lower").means(
        "Anonymized records whose combination of values, over all columns left unchanged, occurs in exactly "
        "one original record, divided by all anonymized records. A record blank in all of these columns "
        "matches nothing."
    ),
    Measure(
        "n_relinkage_columns",
        "Fewest columns that find over half of the records",
        "columns",
        "higher",
        lower=1,
        upper=3,
    ).means(
        "Size of the smallest set found, of up to three unchanged columns, whose values alone match more "
        "than half of the anonymized records to exactly one original record each."
    ),
    Measure("n_left_unchanged_columns", "Columns left unchanged", "columns", "lower").means(
        "Anonymized columns whose share of unchanged cells reaches the limit for left unchanged."
    ),
    Measure("unchanged_share", "Unchanged cells of a column", "share", "lower").means(
        "Cells equal to the original of the same row as trimmed text, number or date, divided by the "
        "non-blank original cells. Where tables differ in length or order: original cells whose value "
        "reappears in the anonymized column, each anonymized cell used once; with fewer anonymized records, "
        "divided by the non-blank cells expected among as many original records."
    ),
    Measure("original_distinct_share", "Distinct values of an original column", "share", "lower").means(
        "Distinct non-blank values of the original column, divided by its non-blank cells."
    ),
    Measure("n_unlogged_columns", "Columns the log does not mention", "columns", "lower").means(
        "Anonymized columns without an entry in the log, also none for the column they were made from."
    ),
    Measure("n_filled_blanks", "Blank cells that became filled", "cells", "lower").means(
        "Cells blank in the original and filled in the anonymized table, row by row; where tables differ in "
        "length or order, the least number that the counts of filled cells allow."
    ),
    Measure(
        "unique_without_share", "Records still unique without a quasi-identifier", "share", "neither"
    ).means(
        "Records alone in their class over all quasi-identifiers but this one, divided by the records "
        "assessed; the lower, the more this one contributes."
    ),
    Measure("pseudonym_unchanged_share", "Pseudonyms equal to the original", "share", "lower").means(
        "Pseudonyms equal to the original of the same row, divided by the rows filled in both columns. "
        "Where tables differ in length or order: non-blank anonymized cells that occur in the original "
        "column, divided by all its non-blank cells."
    ),
    Measure(
        "n_originals_with_several_pseudonyms", "Originals with several pseudonyms", "values", "lower"
    ).means("Distinct original values that stand in rows with more than one distinct pseudonym."),
    Measure(
        "n_pseudonyms_for_several_originals", "Pseudonyms for several originals", "values", "lower"
    ).means("Distinct pseudonyms that stand in rows with more than one distinct original value."),
)
