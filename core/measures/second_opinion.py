"""Measures of the second opinion on anonymized tables."""

from __future__ import annotations

from core.measures.measure import Measure

_OURS = "AnonAudit"

MEASURES = (
    Measure(
        key="relinkage_share",
        label="Records found again in the original",
        unit="share",
        upper=1,
        better="lower",
        definition="Anonymized records whose combination of values, over all columns left unchanged, occurs "
        "in exactly one original record, divided by all anonymized records. A record blank in all of these "
        "columns matches nothing.",
        source=_OURS,
    ),
    Measure(
        key="n_relinkage_columns",
        label="Fewest columns that find over half of the records",
        unit="columns",
        lower=1,
        upper=3,
        better="higher",
        definition="Size of the smallest set found, of up to three unchanged columns, whose values alone "
        "match more than half of the anonymized records to exactly one original record each.",
        source=_OURS,
    ),
    Measure(
        key="n_left_unchanged_columns",
        label="Columns left unchanged",
        unit="columns",
        better="lower",
        definition="Anonymized columns whose share of unchanged cells reaches the limit for left unchanged.",
        source=_OURS,
    ),
    Measure(
        key="unchanged_share",
        label="Unchanged cells of a column",
        unit="share",
        upper=1,
        better="lower",
        definition="Cells equal to the original of the same row as trimmed text, number or date, divided by "
        "the non-blank original cells. Where tables differ in length or order: original cells whose value "
        "reappears in the anonymized column, each anonymized cell used once; with fewer anonymized "
        "records, divided by the non-blank cells expected among as many original records.",
        source=_OURS,
    ),
    Measure(
        key="original_distinct_share",
        label="Distinct values of an original column",
        unit="share",
        upper=1,
        better="lower",
        definition="Distinct non-blank values of the original column, divided by its non-blank cells.",
        source=_OURS,
    ),
    Measure(
        key="n_unlogged_columns",
        label="Columns the log does not mention",
        unit="columns",
        better="lower",
        definition="Anonymized columns without an entry in the log, also none for the column they were made "
        "from.",
        source=_OURS,
    ),
    Measure(
        key="n_filled_blanks",
        label="Blank cells that became filled",
        unit="cells",
        better="lower",
        definition="Cells blank in the original and filled in the anonymized table, row by row; where tables "
        "differ in length or order, the least number that the counts of filled cells allow.",
        source=_OURS,
    ),
    Measure(
        key="unique_without_share",
        label="Records still unique without a quasi-identifier",
        unit="share",
        upper=1,
        better="neither",
        definition="Records alone in their class over all quasi-identifiers but this one, divided by the "
        "records assessed; the lower, the more this one contributes.",
        source=_OURS,
    ),
    Measure(
        key="pseudonym_unchanged_share",
        label="Pseudonyms equal to the original",
        unit="share",
        upper=1,
        better="lower",
        definition="Pseudonyms equal to the original of the same row, divided by the rows filled in both "
        "columns. Where tables differ in length or order: non-blank anonymized cells that occur in the "
        "original column, divided by all its non-blank cells.",
        source=_OURS,
    ),
    Measure(
        key="n_originals_with_several_pseudonyms",
        label="Originals with several pseudonyms",
        unit="values",
        better="lower",
        definition="Distinct original values that stand in rows with more than one distinct pseudonym.",
        source=_OURS,
    ),
    Measure(
        key="n_pseudonyms_for_several_originals",
        label="Pseudonyms for several originals",
        unit="values",
        better="lower",
        definition="Distinct pseudonyms that stand in rows with more than one distinct original value.",
        source=_OURS,
    ),
)
