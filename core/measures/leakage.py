"""Measures of row leakage."""

from core.measures.measure import Measure

_HOEFFDING = "Hoeffding, A combinatorial central limit theorem, Ann. Math. Statist. 22(4), 1951"
_FELLEGI_SUNTER = "Fellegi and Sunter, A theory for record linkage, JASA 64(328), 1969"
_GIOMI = (
    "Giomi et al., A Unified Framework for Quantifying Privacy Risk in Synthetic Data, PoPETs 2023(2); "
    "closeness by likeness in bits is ours"
)
_HANLEY = "Hanley and McNeil, The meaning and use of the area under a ROC curve, Radiology 143, 1982"
_PODANI = (
    "Podani, Extending Gower's general coefficient of similarity to ordinal characters, Taxon 48(2), 1999"
)

MEASURES = (
    Measure("full_leakage_share", "Full leakage", "share", "lower").means(
        "Rows in which every valid cell equals the same cell of the original row, and there is at least "
        "one, divided by all rows compared. A cell is valid unless either side is an ignore value or both "
        "are missing."
    ),
    Measure("partial_leakage_share", "Partial leakage", "share", "lower").means(
        "Rows in which some but not all valid cells equal those of the original row, divided by all rows "
        "compared. Near 100 % for any table with a yes/no column: compare it with chance."
    ),
    Measure("mean_matching_cells", "Average matching cells per row", "cells", "lower").means(
        "Valid cells that equal those of the original row, averaged over all rows compared."
    ),
    Measure("std_matching_cells", "Spread of matching cells (SD)", "cells", "neither").means(
        "Population standard deviation of the matching cells per row over all rows compared."
    ),
    Measure(
        "expected_matching_cells", "Matching cells per row by chance", "cells", "neither", _HOEFFDING
    ).means(
        "Average matching cells per row if the scrambled rows were in random order: for each column the sum "
        "over values of original count × scrambled count / rows², summed over columns. Exact."
    ),
    Measure("n_rows_compared", "Rows compared", "records", "neither").means(
        "Pairs of an original and a scrambled row that were compared; all original rows where the rows could "
        "not be paired."
    ),
    Measure("n_columns_compared", "Columns compared", "columns", "neither").means(
        "Columns of both tables whose cells were compared, ignored ones left out."
    ),
    Measure("expected_full_rows", "Rows equal in full by chance", "records", "neither").means(
        "Rows that random order would make equal in every valid cell, from the counts of equal rows; where a "
        "cell is missing in both tables, that counts as equal here."
    ),
    Measure("n_original_rows_alone", "Original rows without a partner", "records", "neither").means(
        "Rows of the original whose key no scrambled row has; they are not compared."
    ),
    Measure("n_scrambled_rows_alone", "Scrambled rows without a partner", "records", "neither").means(
        "Scrambled rows whose key no original row has; they are not compared."
    ),
    Measure("n_rows_without_valid_cells", "Rows without a valid cell", "records", "lower").means(
        "Rows in which every cell is ignored or missing in both tables. They count in the denominators but "
        "never as leaks, and are not assessed."
    ),
    Measure("column_match_share", "Matching cells of a column", "share", "lower").means(
        "Rows in which the column's cell is valid and equals that of the original row, divided by all rows "
        "compared."
    ),
    Measure("column_z", "Excess over chance (z)", "number", "lower", _HOEFFDING, lower=None).means(
        "Matching cells of a column minus their expectation under random order of the scrambled rows, in "
        "standard deviations of that random order. Both are exact. Not defined where chance never varies."
    ),
    Measure("n_exact_rows_anywhere", "Whole rows found anywhere", "records", "lower").means(
        "Σ over distinct rows of min(rows in the original, rows in the scrambled table), in whatever order, "
        "over the columns not ignored; ignore values and missing cells are ordinary values here."
    ),
    Measure("n_unique_exact_rows_anywhere", "Unique whole rows found", "records", "lower").means(
        "Rows that no other original row equals and that the scrambled table holds at least once. Held "
        "against what the scrambled table would give with every column shuffled on its own."
    ),
    Measure("n_known_rows", "Persons found by quasi-identifiers", "records", "lower").means(
        "Original rows that no other equals in the quasi-identifiers (told by names and values; those that "
        "follow from another left out), and whose quasi-identifiers a scrambled row has. Held against what "
        "the scrambled table would give with every column shuffled on its own."
    ),
    Measure("kept_together_share", "Pairs of values kept together", "share", "lower").means(
        "For the two columns that stayed together most, of every two of the twelve with the most different "
        "values (20 or more each, neither following from the other): pairs of values that one original row "
        "has alone and that a scrambled row has, divided by all such pairs. Shown from 25 %; held against "
        "what both columns shuffled on their own would give."
    ),
    Measure("n_rows_by_signature", "Rows found whatever their values became", "records", "lower").means(
        "Original rows with a signature that no other has and that one scrambled row has: which values stand "
        "in the row, whatever their order; their differences or ratios; which cells are blank, or zero; its "
        "place among all rows, whatever the axes; a cell that holds it whole; which rows share its values, "
        "however these are recoded; neighbours within columns; digits beyond the original's. Of the reading "
        "that finds most. By chance: the original with every column shuffled on its own, and with endings "
        "drawn at random."
    ),
    Measure("relink_share", "Re-linked rows", "share", "lower").means(
        "Original rows whose own scrambled row shares a larger part of its valid cells with them than any "
        "other scrambled row does, divided by the original rows looked at."
    ),
    Measure("mean_best_share", "Cells shared with the nearest row", "share", "lower").means(
        "The largest share of equal valid cells that an original row has with any scrambled row, averaged "
        "over the original rows looked at."
    ),
    Measure(
        "median_distance_to_closest", "Distance to closest record", "number", "higher", _PODANI, upper=1
    ).means(
        "Median over scrambled rows of the distance to the closest original record: the mean over columns of "
        "the share of original values between two numbers, and of 0 (equal) or 1 for words and columns of at "
        "most 12 values; a missing number stands beyond the largest. Alone it can miss leaks."
    ),
    Measure(
        "median_distance_within_original",
        "Distance between original records",
        "number",
        "neither",
        _PODANI,
        upper=1,
    ).means(
        "Median over original records of the distance to the closest other original record: how close people "
        "are to each other anyway."
    ),
    Measure(
        "median_distance_ratio", "Nearest-neighbour distance ratio", "number", "higher", _PODANI, upper=1
    ).means(
        "Median over scrambled rows of the distance to the closest original record over the distance to the "
        "second closest; near 0 where a row points at one person, 1 where both are equally close."
    ),
    Measure(
        "closer_to_original_share", "Closer to the original than to the hold-out", "share", "lower"
    ).means(
        "Scrambled rows whose closest original record is nearer than the closest of as many hold-out "
        "records, ties counting half, divided by the rows looked at. About one half if nothing was learned."
    ),
    Measure("n_near_copies", "Rows that point at one person", "records", "lower", _FELLEGI_SUNTER).means(
        "Scrambled rows that are more like one original row than like the next by the stated bits, out of "
        "the rows looked at (1,000 at most). Likeness sums −log₂ of the chance that a cell is as close; "
        "held against strangers and rows mixed from at least 40 persons alike."
    ),
    Measure(
        "relinked_by_likeness_share", "Rows that point at their own", "share", "lower", _FELLEGI_SUNTER
    ).means(
        "Scrambled rows whose closest original row, by likeness in bits, is their own, divided by the rows "
        "looked at that point at a single row. By chance one over the original rows."
    ),
    Measure("full_leakage_without_columns_share", "Full leakage, columns set aside", "share", "lower").means(
        "Full leakage over the columns left when those are set aside that share no value with the original, "
        "such as new participant numbers, divided by all rows compared."
    ),
    Measure("n_unique_exact_rows_second_look", "Unique whole rows, second look", "records", "lower").means(
        "Unique original rows found whole after case, composition, spelling of numbers and dates, units, "
        "scale, recoding and column names are undone. Apart from the literal figure."
    ),
    Measure("singling_out_univariate_share", "Singling out by one column", "share", "lower", _GIOMI).means(
        "Guesses that exactly one original record fits, divided by the guesses: a value that one scrambled "
        "row has, or its smallest or largest number as a bound."
    ),
    Measure(
        "singling_out_multivariate_share", "Singling out by three columns", "share", "lower", _GIOMI
    ).means(
        "Guesses that exactly one original record fits, divided by the guesses: three cells of a scrambled "
        "row, words equal and numbers on its side of the median, that fit this scrambled row alone."
    ),
    Measure("linkage_share", "Linkage of two halves", "share", "lower", _GIOMI).means(
        "Original records of which one half of the columns finds the same closest scrambled row as the "
        "other half, both without a tie, divided by the records tried."
    ),
    Measure("inference_share", "Inference of a column, at most", "share", "lower", _GIOMI).means(
        "For the column with the largest gain over the hold-out, or else over naive guesses: original "
        "records whose cell is that of the scrambled row closest in all other columns (numbers within 5 %), "
        "divided by the records tried."
    ),
    Measure("membership_auc", "Membership (area under the curve)", "number", "lower", _HANLEY, upper=1).means(
        "Probability that an original record is more like its closest scrambled row than a hold-out record "
        "is, ties half; 0.5 if nothing tells members. With a 95 % interval."
    ),
    Measure(
        "smallest_membership_auc", "Smallest leak that would show", "number", "neither", _HANLEY, upper=1
    ).means(
        "Area under the curve that as many members and others show as above 0.5 in four of five samples, at "
        "2.5 % error: a smaller leak may be there unseen."
    ),
    Measure("n_nearest_members", "Original persons among the nearest", "records", "lower").means(
        "Of the persons nearest to a scrambled row (by ranks, summed over columns; words equal or not), "
        "those of the original, where others are of the hold-out; without one, scrambled rows nearest to an "
        "original person, beside original persons nearest to each other. Looked at are 8, 16, … nearest, "
        "by all columns and by the quasi-identifiers; shown is where chance is least likely."
    ),
    Measure("smallest_leak_share", "Smallest leak that would have shown", "share", "lower").means(
        "Original persons of whom a leak would have been told in four of five samples, divided by all looked "
        "at; not assessed where not even all of them would. Beside a hold-out, of persons who are all nearer "
        "to a scrambled row than anybody else; without one, of copied persons who point at themselves by as "
        "many bits as copies of this table do. A smaller leak, or of persons who are told less clearly, may "
        "be there unseen."
    ),
)
