"""Every check: what its findings are about, and what a person can do; in the order of the harm they tell of.

A name that ends in ``*`` stands for all checks that begin so. What has no remedy can only be looked at.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, get_args

Group = Literal[
    "masking",
    "direct_identifiers",
    "pseudonyms",
    "linkability",
    "singling_out",
    "counts",
    "inference",
    "log",
    "conditions",
]
GROUPS: tuple[Group, ...] = get_args(Group)


class Check(NamedTuple):
    """A check, or all whose names begin alike."""

    name: str
    group: Group
    remedy: str


_LATER = "Release these persons later, with enough others, or make their classes coarser in this release."
_TRACES = (
    "Give each event a new pseudonym; against traces alone a new one each day, or coarser times and kinds of "
    "events, may do."
)
_REMEDIES: Mapping[Group, Mapping[str, str]] = {
    "masking": {  # What was masked, and what gives it back.
        "targets_left": "Mask these targets, and verify again.",
        **dict.fromkeys(
            (
                "masked_in_name_only",
                "allele_*",
                "length_in_alt",
                "frequency_only",
                "unmasked_duplicate",
                "public_id",
                "other_id",
                "told_in_info",
                "described_in_info",
                "rare_frequency_in_info",
                "indel_described",
                "other_info",
                "genotype_kept",
                "depth_betrays",
                "carriers_blanked",
                "sample_fields_kept",
                "repeat_*",
                "phased_neighbour",
                "phase_set_neighbour",
                "star_neighbour",
                "mate_kept",
                "something_new",
                "blank_in_several_ways",
                "extra_columns",
                "alleles_shown",
                "added_neighbour",
                "rare_added",
                "repeats_added",
                "variants_not_verified",
                "bytes_unread",
            ),
            "",
        ),
    },
    "direct_identifiers": {  # Who somebody is stands in what is released.
        "direct_identifiers": "Remove these columns, or say that they are not released.",
        "perhaps_names": "Look at these columns: names of people have to go.",
        "looks_like_identifier": "Remove the column, or replace its values by random pseudonyms.",
        "sensitive_identifiers": "Leave these columns out of the release.",
        "declared_replaced": "Replace identifiers by the mapping in every column, text and name of a file.",
        "declared_emptied": "Empty these columns.",
        "people_in_text": "Leave the text out, or replace what names people, and audit again.",
        "people_in_values": "Map these events to classes that say what happened and not to whom.",
        "identifiers_in_values": "Map these events to classes without identifiers.",
        "holds_sensitive_pattern": "Blank the cells that hold such a number, date or address.",
        "pattern_residual": "Blank the cells that hold sensitive patterns, and verify again.",
        "originals_beside_the_table": "Save the table alone, in a new file.",
        "people_beside_the_table": "Save the table alone, in a new file.",
        "original_values_inside": "Remove or replace the original values in this column too.",
        "values_read_off": "Take the column out, or draw its values at random.",
        "forgotten_rows": "Treat these rows as the others were treated.",
        "hidden_in_a_sheet": "Delete what is hidden in the workbook.",
        "beside_the_table": "Save the table alone, in a new file.",
        "text_not_read": "Let a person read cells drawn at random, or leave the text out.",
        **dict.fromkeys(
            (
                "header_*",
                "samples_*",
                "doubtful_identifiers",
            ),
            "",
        ),
    },
    "pseudonyms": {  # Codes for persons are no secret.
        "digests": "Give random pseudonyms instead, or say that a secret key went in.",
        "key_computed": "Draw random pseudonyms, or compute them with a secret key that nobody else has.",
        "listed_beside_key": "Leave the number out: it belongs in a list that is not released.",
        "key_holds_dates": "Draw random pseudonyms that hold no date.",
        "key_of_words": "Draw random pseudonyms, if these are names of persons.",
        "user_ids_kept": "Export the log again without the original user identifiers.",
        "pseudonym_equals_original": "Draw new random pseudonyms for these values.",
        "pseudonym_is_an_original": "Draw random pseudonyms that are nobody's number or name.",
        "disguise_*": "Take the column out, or replace its values by random pseudonyms.",
        "pseudonym_for_several_originals": "Give each person a pseudonym of their own.",
        "pseudonym_seed": "Leave the seed out before the export is given away.",
        "pseudonym_for_each_record": "",
    },
    "linkability": {  # Records find their persons, or each other.
        "whole_rows": "Do not share this table: scramble it anew so that no row stays whole.",
        "full_leakage": "Change or move every row that stayed as it was.",
        "known_rows": "Make birth dates, places and the like coarser, or draw them anew.",
        "declared_near": "Shift by a wider range of days, or make the dates coarser.",
        "kept_together": "Scramble these columns apart from each other, or leave one of them out.",
        "signature_cells": "Leave out the column that holds whole rows.",
        "signature_order": "Shuffle every column anew, over all rows.",
        "signature_digits": "Round the values as the original's are.",
        "signature_*": "Scramble every column apart from the others, its blank cells and zeros too.",
        "without_columns": "Scramble the other columns too: new pseudonyms alone hide nobody.",
        "second_look": "Scramble values, and not only how they are written.",
        "near_copies": "Change more cells of each row, or change them more.",
        "relinkage": "Make the columns that find people coarser, or leave some of them out.",
        "relinkage_by_blanks": "Blank other cells too, or leave out columns that are blank for few.",
        "relinkage_by_*": "Make the columns that find people coarser, or leave some of them out.",
        "coarse_completed": "Leave the other column out, or make it coarser too.",
        "repeated_rows": "Scramble the columns apart from each other.",
        "unchanged_distinct_column": "Leave the column out, or make its values coarser.",
        "partly_unchanged_column": "Treat every cell of the column as the log says.",
        "values_in_other_rows": "Make the values coarser: in other rows, too, they tell who is in the table.",
        "masked_in_part": "Leave the column out, or give random pseudonyms.",
        "kept_likeness": "Give random pseudonyms.",
        "finer_values": "Leave the column out, or make it as coarse as the log says.",
        "kept_values_split": "Write equal values alike, as in the original.",
        "finer_spelling": "Write equal values alike: trim spaces, one letter case, no signs nobody sees.",
        "derived_*": "Leave the column out, or make it so coarse that the original cannot be told.",
        "in_the_original_order": "Give random pseudonyms and shuffle the records.",
        "record_linkage": "Make the numbers coarser, or add more noise.",
        "smallest_leak": "Give a larger hold-out and tables of more persons, or decide on other grounds: "
        "that nothing was seen among so few says little.",
        "members": "Make the table anew with more noise or fewer training rounds.",
        "attacks": "Make the columns by which the attacks succeed coarser.",
        "release_alike": "Give every release pseudonyms of its own.",
        "release_joined": "Shuffle the records, and round or leave out what names one of each release.",
        "release_relinked": "Make the columns by which persons are found again coarser, or leave some out.",
        **dict.fromkeys(("donor_in_panel", "relative_in_panel", "columns_above_chance"), ""),
    },
    "singling_out": {  # Small groups.
        "declared_shifted": "Shift all dates of a person by one number of days, drawn anew for each person.",
        "declared_grouped": "Group these values as declared.",
        "k": "Make quasi-identifiers coarser, or suppress small classes; What if shows the options.",
        "smallest_class": "Make the quasi-identifiers coarser, or remove the records of small classes.",
        "smallest_class_of_persons": "Make the quasi-identifiers coarser, or remove these persons.",
        "joined_k": "Make dates and places of records coarser, or give tables pseudonyms of their own.",
        "table_k": "Make these quasi-identifiers coarser, or leave some of them out.",
        "intervals": "Make these dates coarser, or keep fewer records a person; shifting dates is no help.",
        "same_order": "Shuffle the records of every table, each in another order.",
        "lists": "Make the parts of these lists coarser, or release fewer of them.",
        "few_in_table": "Leave the table out, or add it to a larger one that does not say where they were.",
        "spans": "Release the rounded number of days instead of the two dates.",
        "households": "Leave the household out, or make it tell no more than its size, rounded.",
        "one_value_of_class": "Make quasi-identifiers or these values coarser, or suppress them there.",
        "all_in_table": "Make quasi-identifiers coarser, so that some of each group are not in the table.",
        "alone_with_all_records": "Release fewer records a person, or give each table pseudonyms of its own.",
        "release_newcomers": _LATER,
        "release_leavers": _LATER,
        "release_boundaries": "Cut the column where the earlier release cut it.",
        "release_candidates": "Keep classes of the same sensitive values over releases (m-invariance).",
        "release_of_others": "Give both with the pseudonym, or ages as of one day, and compare again.",
        "k_anonymity": "Choose coarser columns or a smaller k, and export again.",
        "repeats_with_person": "Leave these columns out, or say that the values are fresh random pseudonyms.",
        "hidden_persons": "Say which column tells whose record it is, so that persons are counted.",
        "repeated_visits": "Give each visit its own pseudonym, or make dates and places coarser.",
        "person_limit": "Give each record a pseudonym of its own, or make quasi-identifiers coarser.",
        "household_limit": "Remove the household column, or make quasi-identifiers coarser.",
        "household_risk": "Remove the household column, or make quasi-identifiers coarser.",
        "average_risk": "Make quasi-identifiers coarser until the average risk is below the limit.",
        "row_numbers": _TRACES,
        "row_multisets": _TRACES,
        "row_sequences": _TRACES,
        "known_event_tells": _TRACES,
        "known_time_tells": "Make times coarser, or merge kinds of events.",
        "trace_risk": _TRACES,
        "whole_trace": _TRACES,
        "distinct_columns": "Leave these columns out, or make them quasi-identifiers.",
        "unchosen_columns": "Make them quasi-identifiers or sensitive, make them coarser, or leave them out.",
        "further_columns": "Make them quasi-identifiers, make them coarser, or leave them out.",
        "further_quasi_identifiers": "Add these columns to the quasi-identifiers, and look again.",
        "counts_as_quasi_identifier": "Give random pseudonyms.",
        "looks_like_quasi_identifier": "Add these columns to the quasi-identifiers, or make them coarser.",
        "rare_value": "Put the rare value together with others.",
        "age_above_89": "Write 90 or more for all of these ages.",
        "no_quasi_identifier": "Choose the columns that others may know of a person.",
        **dict.fromkeys(
            (
                "sole_carrier",
                "rare_of_one_donor",
                "fully_suppressed",
            ),
            "",
        ),
    },
    "counts": {  # Small counts, and those that differences tell.
        "recoverable_counts": "Suppress further cells, as proposed, or put categories together.",
        "unrounded_counts": "Round these counts as the others are, or say in the table why they are not.",
        "narrow_counts": "Suppress further cells, as proposed, or put categories together.",
        "small_counts": "Suppress these cells and the further ones proposed, or put categories together.",
        "figure_differences": "Round these figures more, or suppress one of the two.",
        "extreme_figures": "Leave the column out, or show a percentile that several people share.",
        "counts_not_compared": "Give that table with the same columns and the same name of the count.",
        "counts_together": "Publish fewer of these tables, or by fewer columns, and cut bands alike in all.",
        "small_differences": "Use the same bands in all tables, or suppress one of the two counts.",
        "full_counts": "Put categories together until groups are in several of them.",
        "dominance": "Put these cells together with others, or suppress them.",
        "p_percent": "Put these cells together with others, or suppress them.",
        "table_of_counts": "Say that this column counts people, or that it is a quasi-identifier.",
        "counts_not_bounded": "Audit parts of the table by themselves.",
        "totals_do_not_add_up": "Look for the cells that the totals miss, or correct the totals.",
        "suppression": "Put categories together, and audit again.",
    },
    "inference": {  # What a group gives away.
        "release_newcomer_values": _LATER,
        "release_leaver_values": _LATER,
        "release_alike_values": "Give every release pseudonyms of its own.",
        "release_noise": "Draw noise once for each person and value, and release the same number again.",
        "distinct_l": "Merge classes until each holds several sensitive values.",
        "folded_*": "Write each value one way, and merge classes until each holds several of them.",
        "entropy_l": "Merge classes until their sensitive values are more mixed.",
        "homogeneous_classes": "Choose ℓ of 2 or more.",
        "alike_inside": "Merge these classes with others.",
        "related_sensitive": "Leave one of these columns out, or add the others to the quasi-identifiers.",
        "diversity": "Make the released columns coarser where one value is that of everybody.",
        "dates_in_values": "Map these events to classes without dates.",
        "untouched_columns": "Leave these columns out, or add them to the quasi-identifiers.",
        "sensitive": "Choose a sensitive attribute that has values.",
        "no_sensitive_attribute": "Choose the columns that nobody shall learn about a person.",
        **dict.fromkeys(
            (
                "alpha",
                "beta",
                "delta",
            ),
            "",
        ),
    },
    "log": {  # The log and the file do not fit each other.
        "declared_removed": "Remove these records, or correct the rules.",
        "declared_kept": "Look at the column: keep it as it was, or correct the rules.",
        "declared_refers": "Look at these records: they refer to nothing that is released.",
        "declared_rows": "Look at these records: say by which rule they are gone, or what they were made of.",
        "declared_undeclared": "Say in the rules what was done to these columns.",
        "declared_tables": "Give the original of this table too.",
        "declared_nothing": "Confirm the rules that are proposed, and give them.",
        "high_risk_handling": "Remove or pseudonymize the high-risk columns that are unprotected.",
        "policy_consistency": "Blank the columns that the log says were removed.",
        "mandatory_review": "Look at each column that is FAIL, treat it again, and verify again.",
        "recommended_review": "Look at each column that is WARN.",
        "column_*": "Look at the column: do with it what the log says, or correct the log.",
        "logged_column_missing": "Check that log and table belong together.",
        "blank_filled": "Find out where the values came from; leave blank what was blank.",
        "original_with_several_pseudonyms": "Give each person one pseudonym.",
        "pseudonyms_not_one_to_one": "Give each person one pseudonym, and each pseudonym to one person.",
        "row_order_*": "Shuffle the records before the table is given away.",
        "row_order_kept": "Shuffle the records before the table is given away.",
        "row_count_differs": "Find out which records were added or left out.",
    },
    "conditions": {  # The settings, what could not be looked at, and facts worth stating.
        "codes_missing": "Say that `NA` is a value (`--no-missing-words`), or leave missing cells empty.",
        "ambiguous_numbers": "Write these numbers without marks between thousands.",
        "dates_in_text": "Take dates and places out of the text, or leave it out.",
        "not_in_engine": "Audit an extract of the table as a file, or have its owner look.",
        "roles_suggested": "Confirm the quasi-identifiers.",
        "nothing_asked": "Ask for classes of at least 2, or for a largest average risk.",
        "mapping": "Give the kinds of events classes in a mapping, or release the column event instead.",
        "unmapped_events": "Add these kinds of events to the mapping.",
        "columns_found": "Confirm which columns hold time, user and event.",
        "time_format": "Confirm how times are written.",
        "users_*": "Say whether these user identifiers are one person's.",
        "weeks_of_several_years": "Add iso_year to keep the years apart.",
        "unreadable_records": "Correct the times of these records, or leave the records out knowingly.",
        "mixed_time_zones": "Write all times in one zone.",
        "column_names_alike": "Rename the columns so that each has one spelling.",
        "columns_not_comparable": "Give both tables in one form.",
        "columns_only_in_*": "Name the columns alike in both tables.",
        "rows_not_paired": "Give the rows in the order of the original, or a key column.",
        "rows_without_valid_cells": "Look at the rows that hold nothing to compare.",
        "population_by_size": "Add a table of the population, if there is one.",
        "search_stopped": "Search again to the end.",
        "verification": "Choose one of the pairs that held when read back.",
        "nothing_within_limits": "Lower the target accuracy, or allow more records to be removed.",
        "below_baseline": "Raise the target accuracy, or choose smaller k and ℓ.",
        "label_not_predicted": "Choose the label that the model was trained for.",
        "model_below_baseline": "Choose a better model first.",
        "accuracy_unknown": "Add the model itself instead of its predictions.",
        "cells_are_steered": "Choose proper cells.",
        "continuous_sensitive": "Put the numbers into bins.",
        "too_few_values": "Choose a smaller ℓ, or another sensitive attribute.",
        "pair_error": "Correct the file that could not be read, and verify again.",
        "not_verified": "Correct the file that could not be read, and verify again.",
        "unmatched_file": "Add the file that belongs to this one, or rename them alike.",
        "no_key": "Name the columns that hold the same persons in two tables.",
        "order": "Shuffle the records, and draw pseudonyms and numbers in random order.",
        "records_of_persons": "Keep one record a person, or put a person's records into one.",
        "rows_of_persons": "Compare tables with one row a person, where persons matter.",
        "missing_persons": "Take out of every table who was taken out of one.",
        "lookup_table": "",
        "not_joined": "Name the column that joins this table to the others, or leave the table out.",
        "records_of_nobody": "Leave these records out, or fill in whose they are.",
        "key_spelled_otherwise": "Write the key alike in all tables, or say that they are not the same.",
        "many_to_many": "Check that these columns hold the same persons.",
        "same_file": "Give each table once.",
        "same_release": "Give the releases before this one.",
        "release_other_columns": "Give the earlier release with all columns that were released.",
        "release_other_values": "Give the earlier release as it was given away, with values written alike.",
        "release_not_compared": "Give the earlier release itself, with the columns of this one.",
        **dict.fromkeys(
            (
                "frequency_unknown",
                "no_frequency_at_all",
                "frequencies_own",
                "some_frequencies_own",
                "declaration_hides_frequency",
                "level_assumed",
                "nothing_to_verify",
                "no_records",
                "panel_not_comparable",
            ),
            "",
        ),
    },
}
CHECKS: Mapping[str, Check] = {
    name: Check(name, group, remedy)
    for group, remedies in _REMEDIES.items()
    for name, remedy in remedies.items()
}
_RANKS: Mapping[str, int] = {name: rank for rank, name in enumerate(CHECKS)}


@cache
def _check(name: str) -> Check | None:
    """Return a check by its name, else that with the longest name that it begins with."""
    if name in CHECKS:
        return CHECKS[name]
    fitting = [known for known in CHECKS if known.endswith("*") and name.startswith(known[:-1])]
    return CHECKS[max(fitting, key=len)] if fitting else None


def remedy_of(check: str) -> str:
    """Return what a person can do about a check's finding; empty where it can only be looked at."""
    found = _check(check)
    return found.remedy if found else ""


def harm_rank(check: str) -> int:
    """Return the place of a check in the order of harm, 0 for the worst; those not named come last."""
    found = _check(check)
    return _RANKS[found.name] if found and found.remedy else len(_RANKS)


def is_among(check: str, names: Sequence[str], groups: Sequence[str] = ()) -> bool:
    """Return whether a check is named, itself or by a beginning with ``*``, or is of one of the groups."""
    found = _check(check)
    return (found is not None and found.group in groups) or any(
        check == name or (name.endswith("*") and check.startswith(name[:-1])) for name in names
    )
