"""Measures of row leakage."""

from __future__ import annotations

from core.measures.measure import Measure

OURS = "AnonAudit"
HOEFFDING = "Hoeffding, A combinatorial central limit theorem, Ann. Math. Statist. 22(4), 1951"
FELLEGI_SUNTER = "Fellegi and Sunter, A theory for record linkage, JASA 64(328), 1969"
GIOMI = (
    "Giomi et al., A Unified Framework for Quantifying Privacy Risk in Synthetic Data, PoPETs 2023(2); "
    "closeness by likeness in bits is ours"
)
HANLEY = "Hanley and McNeil, The meaning and use of the area under a ROC curve, Radiology 143, 1982"
GOWER = "Gower, A general coefficient of similarity and some of its properties, Biometrics 27(4), 1971"

MEASURES = (
    Measure(
        key="full_leakage_share",
        label="Full leakage",
        unit="share",
        upper=1,
        better="lower",
        definition="Rows in which every valid cell equals the same cell of the original row, and there is at "
        "least one, divided by all rows compared. A cell is valid unless either side is an ignore value or "
        "both are missing.",
        source=OURS,
    ),
    Measure(
        key="partial_leakage_share",
        label="Partial leakage",
        unit="share",
        upper=1,
        better="lower",
        definition="Rows in which some but not all valid cells equal those of the original row, divided by "
        "all "
        "rows compared. Near 100 % for any table with a yes/no column: compare it with chance.",
        source=OURS,
    ),
    Measure(
        key="mean_matching_cells",
        label="Average matching cells per row",
        unit="cells",
        better="lower",
        definition="Valid cells that equal those of the original row, averaged over all rows compared.",
        source=OURS,
    ),
    Measure(
        key="std_matching_cells",
        label="Spread of matching cells (SD)",
        unit="cells",
        better="neither",
        definition="Population standard deviation of the matching cells per row over all rows compared.",
        source=OURS,
    ),
    Measure(
        key="expected_matching_cells",
        label="Matching cells per row by chance",
        unit="cells",
        better="neither",
        definition="Average matching cells per row if the scrambled rows were in random order: for each "
        "column "
        "the sum over values of original count × scrambled count / rows², summed over columns. Exact.",
        source=HOEFFDING,
    ),
    Measure(
        key="n_rows_without_valid_cells",
        label="Rows without a valid cell",
        unit="records",
        better="lower",
        definition="Rows in which every cell is ignored or missing in both tables. They count in the "
        "denominators but never as leaks, and are not assessed.",
        source=OURS,
    ),
    Measure(
        key="column_match_share",
        label="Matching cells of a column",
        unit="share",
        upper=1,
        better="lower",
        definition="Rows in which the column's cell is valid and equals that of the original row, divided "
        "by all "
        "rows compared.",
        source=OURS,
    ),
    Measure(
        key="column_z",
        label="Excess over chance (z)",
        unit="number",
        lower=None,
        better="lower",
        definition="Matching cells of a column minus their expectation under random order of the scrambled "
        "rows, "
        "in standard deviations of that random order. Both are exact. Not defined where chance never varies.",
        source=HOEFFDING,
    ),
    Measure(
        key="n_exact_rows_anywhere",
        label="Whole rows found anywhere",
        unit="records",
        better="lower",
        definition="Σ over distinct rows of min(rows in the original, rows in the scrambled table), in "
        "whatever "
        "order, over the columns not ignored; ignore values and missing cells are ordinary values here.",
        source=OURS,
    ),
    Measure(
        key="n_unique_exact_rows_anywhere",
        label="Unique whole rows found",
        unit="records",
        better="lower",
        definition="Rows that no other original row equals and that the scrambled table holds at least "
        "once. Held "
        "against what the scrambled table would give with every column shuffled on its own.",
        source=OURS,
    ),
    Measure(
        key="relink_share",
        label="Re-linked rows",
        unit="share",
        upper=1,
        better="lower",
        definition="Original rows whose own scrambled row shares a larger part of its valid cells with "
        "them than "
        "any other scrambled row does, divided by the original rows looked at.",
        source=OURS,
    ),
    Measure(
        key="mean_best_share",
        label="Cells shared with the nearest row",
        unit="share",
        upper=1,
        better="lower",
        definition="The largest share of equal valid cells that an original row has with any scrambled "
        "row, averaged "
        "over the original rows looked at.",
        source=OURS,
    ),
    Measure(
        key="median_distance_to_closest",
        label="Distance to closest record",
        unit="number",
        upper=1,
        better="higher",
        definition="Median over scrambled rows of the Gower distance to the closest original record: the "
        "mean over "
        "columns of |x − y| / range for numbers, and of 0 (equal) or 1 for words. Alone it can miss leaks.",
        source=GOWER,
    ),
    Measure(
        key="median_distance_within_original",
        label="Distance between original records",
        unit="number",
        upper=1,
        better="neither",
        definition="Median over original records of the Gower distance to the closest other original "
        "record: how "
        "close people are to each other anyway.",
        source=GOWER,
    ),
    Measure(
        key="median_distance_ratio",
        label="Nearest-neighbour distance ratio",
        unit="number",
        upper=1,
        better="higher",
        definition="Median over scrambled rows of the distance to the closest original record over the "
        "distance to "
        "the second closest; near 0 where a row points at one person, 1 where both are equally close.",
        source=GOWER,
    ),
    Measure(
        key="closer_to_original_share",
        label="Closer to the original than to the hold-out",
        unit="share",
        upper=1,
        better="lower",
        definition="Scrambled rows whose closest original record is nearer than the closest of as many "
        "hold-out "
        "records, ties counting half, divided by the rows looked at. About one half if nothing was learned.",
        source=OURS,
    ),
    Measure(
        key="n_near_copies",
        label="Rows that point at one person",
        unit="records",
        better="lower",
        definition="Scrambled rows that are more like one original row than like the next by the stated "
        "bits, out of the rows looked at (1,000 at most). Likeness sums −log₂ of the chance "
        "that a cell is as close; held against strangers and rows mixed from at least 40 "
        "persons alike.",
        source=FELLEGI_SUNTER,
    ),
    Measure(
        key="relinked_by_likeness_share",
        label="Rows that point at their own",
        unit="share",
        upper=1,
        better="lower",
        definition="Scrambled rows whose closest original row, by likeness in bits, is their own, "
        "divided by the rows looked at that point at a single row. By chance one over the "
        "original rows.",
        source=FELLEGI_SUNTER,
    ),
    Measure(
        key="full_leakage_without_columns_share",
        label="Full leakage, columns set aside",
        unit="share",
        upper=1,
        better="lower",
        definition="Full leakage over the columns left when those are set aside that share no value with "
        "the original, such as new participant numbers, divided by all rows compared.",
        source=OURS,
    ),
    Measure(
        key="n_unique_exact_rows_second_look",
        label="Unique whole rows, second look",
        unit="records",
        better="lower",
        definition="Unique original rows found whole after case, composition, spelling of numbers and "
        "dates, units, scale, recoding and column names are undone. Apart from the literal "
        "figure.",
        source=OURS,
    ),
    Measure(
        key="singling_out_univariate_share",
        label="Singling out by one column",
        unit="share",
        upper=1,
        better="lower",
        definition="Guesses that exactly one original record fits, divided by the guesses: a value that "
        "one scrambled row has, or its smallest or largest number as a bound.",
        source=GIOMI,
    ),
    Measure(
        key="singling_out_multivariate_share",
        label="Singling out by three columns",
        unit="share",
        upper=1,
        better="lower",
        definition="Guesses that exactly one original record fits, divided by the guesses: three cells "
        "of a scrambled row, words equal and numbers on its side of the median, that fit this "
        "scrambled row alone.",
        source=GIOMI,
    ),
    Measure(
        key="linkage_share",
        label="Linkage of two halves",
        unit="share",
        upper=1,
        better="lower",
        definition="Original records of which one half of the columns finds the same closest scrambled "
        "row as the other half, both without a tie, divided by the records tried.",
        source=GIOMI,
    ),
    Measure(
        key="inference_share",
        label="Inference of a column, at most",
        unit="share",
        upper=1,
        better="lower",
        definition="For the column with the largest gain over the hold-out, or else over naive guesses: "
        "original records whose cell is that of the scrambled row closest in all other "
        "columns (numbers within 5 %), divided by the records tried.",
        source=GIOMI,
    ),
    Measure(
        key="membership_auc",
        label="Membership (area under the curve)",
        unit="number",
        upper=1,
        better="lower",
        definition="Probability that an original record is more like its closest scrambled row than a "
        "hold-out record is, ties half; 0.5 if nothing tells members. With a 95 % interval.",
        source=HANLEY,
    ),
    Measure(
        key="smallest_membership_auc",
        label="Smallest leak that would show",
        unit="number",
        upper=1,
        better="neither",
        definition="Area under the curve that as many members and others show as above 0.5 in four of "
        "five samples, at 2.5 % error: a smaller leak may be there unseen.",
        source=HANLEY,
    ),
)
