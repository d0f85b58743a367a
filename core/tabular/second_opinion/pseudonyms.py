"""Whether pseudonyms stand for one original each, and hide it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.coding import sorted_distinct
from core.comparing.made_up import most_known_by_chance
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.settings import SecondOpinionThresholds
from core.verdict import Finding, Verdict
from core.words import counted, share_of


@dataclass(frozen=True, kw_only=True, eq=False)
class PseudonymQuality:
    """How the pseudonyms of one column relate to the original values."""

    original: str  # column names
    anonymized: str
    # ``rows``; ``frequencies`` for tables of equal length in another order: one-to-one pseudonyms occur as
    # often as the values they stand for; ``values`` for tables of different length
    compared_by: str
    n_originals: int  # distinct non-blank values
    n_pseudonyms: int
    # original values with more than one pseudonym, pseudonyms that stand for more than one original value;
    # None where the tables cannot be compared row by row
    n_originals_with_several: int | None
    n_pseudonyms_for_several: int | None
    # whether the sorted frequencies of both columns are equal; None unless compared by them
    frequencies_agree: bool | None
    # whether any original value or pseudonym occurs more than once; without repeats, both are one-to-one
    # whatever the rows
    has_repeats: bool
    # pseudonyms equal to the original of the same row among rows filled in both; by values, non-blank
    # anonymized cells that occur in the original column among all non-blank ones
    n_unchanged: int
    n_compared: int
    n_reused: int  # non-blank anonymized cells that are a value of the original column, in whatever row
    # whether no more are than names drawn of the same words would be, and in their own row than by chance
    is_by_chance: bool


def measure_pseudonyms(tables: LoggedTables) -> tuple[PseudonymQuality, ...]:
    """Assess every column logged as pseudonymized, in whatever words."""
    return tuple(
        _quality(pair, tables) for pair in tables.coded if meaning_of(pair.pair.action) is Meaning.PSEUDONYM
    )


def _quality(pair: CodedPair, tables: LoggedTables) -> PseudonymQuality:
    if tables.in_order:
        by_rows = _by_rows(pair, tables)
        is_one_to_one = not (by_rows.n_originals_with_several or by_rows.n_pseudonyms_for_several)
        if tables.order == "kept" or is_one_to_one:
            return by_rows
    frequencies_agree = None
    if tables.n_original == tables.n_anonymized:
        frequencies_agree = _frequencies(pair.original_counts) == _frequencies(pair.anonymized_counts)
    known = pair.anonymized_counts[pair.original_counts > 0]
    return PseudonymQuality(
        original=pair.pair.original,
        anonymized=pair.pair.anonymized,
        compared_by="values" if frequencies_agree is None else "frequencies",
        n_originals=int(np.count_nonzero(pair.original_counts)),
        n_pseudonyms=int(np.count_nonzero(pair.anonymized_counts)),
        n_originals_with_several=None,
        n_pseudonyms_for_several=None,
        frequencies_agree=frequencies_agree,
        has_repeats=bool(
            pair.original_counts.max(initial=0) > 1 or pair.anonymized_counts.max(initial=0) > 1
        ),
        n_unchanged=int(known.sum()),
        n_compared=int(pair.anonymized_counts.sum()),
        n_reused=int(known.sum()),
        is_by_chance=_are_drawn_alike(pair, tables),
    )


def _frequencies(counts: np.ndarray) -> list[int]:
    return sorted(counts[counts > 0].tolist())


def _by_rows(pair: CodedPair, tables: LoggedTables) -> PseudonymQuality:
    """Compare pseudonyms as written: `0e12` and `0e34` are two pseudonyms, though equal as numbers."""
    both = (pair.original >= 0) & (pair.anonymized >= 0)
    original = tables.written["original"][pair.pair.original].codes[both].astype(np.int64)
    anonymized = tables.written["anonymized"][pair.pair.anonymized].codes[both]
    n_values = int(anonymized.max(initial=0)) + 1
    combinations = sorted_distinct(original * n_values + anonymized)
    per_original = np.bincount(combinations // n_values, minlength=1)
    per_pseudonym = np.bincount(combinations % n_values, minlength=1)
    return PseudonymQuality(
        original=pair.pair.original,
        anonymized=pair.pair.anonymized,
        compared_by="rows",
        n_originals=int(np.count_nonzero(per_original)),
        n_pseudonyms=int(np.count_nonzero(per_pseudonym)),
        n_originals_with_several=int(np.count_nonzero(per_original > 1)),
        n_pseudonyms_for_several=int(np.count_nonzero(per_pseudonym > 1)),
        frequencies_agree=None,
        has_repeats=len(combinations) < len(original),
        n_unchanged=pair.n_same_row,
        n_compared=len(original),
        n_reused=int(pair.anonymized_counts[pair.original_counts > 0].sum()),
        is_by_chance=_are_drawn_alike(pair, tables) and pair.n_same_row <= _most_in_own_rows(pair),
    )


def _are_drawn_alike(pair: CodedPair, tables: LoggedTables) -> bool:
    """Return whether no more pseudonyms are originals than names drawn of the same words would be."""
    before = tables.written["original"][pair.pair.original]
    after = tables.written["anonymized"][pair.pair.anonymized]
    n_known = np.count_nonzero((pair.original_counts > 0) & (pair.anonymized_counts > 0))
    return bool(0 < n_known <= most_known_by_chance(after, before))


def _most_in_own_rows(pair: CodedPair) -> float:
    """Return the most rows whose value is their own original's by chance, 3 standard deviations included."""
    expected = float(pair.original_counts @ pair.anonymized_counts) / max(len(pair.original), 1)
    return expected + 3 * np.sqrt(expected)


def judge_pseudonyms(
    measured: tuple[PseudonymQuality, ...], thresholds: SecondOpinionThresholds
) -> list[Finding]:
    """Return findings about pseudonyms that are not one-to-one, or not pseudonyms."""
    return [finding for quality in measured for finding in _about(quality, thresholds)]


def _about(quality: PseudonymQuality, thresholds: SecondOpinionThresholds) -> Iterator[Finding]:
    n, total = quality.n_unchanged, quality.n_compared
    if n and not quality.is_by_chance:
        message = (
            "{found} pseudonyms of `{column}` equal the original of the same row: they hide nothing."
            if quality.compared_by == "rows"
            else "{found} pseudonyms of `{column}` equal a value of the original: they hide nothing."
        )
        failed = n > thresholds.pseudonym_unchanged_share * total
        yield _found("pseudonym_equals_original", quality, message, n, total, failed=failed)
    if quality.n_reused > max(n, thresholds.pseudonym_unchanged_share * total) and not quality.is_by_chance:
        message = (
            "{found} pseudonyms of `{column}` are values of the original in other rows: they say who is in "
            "the table, and point at the wrong people."
        )
        failed = quality.n_reused >= thresholds.left_unchanged_share * total
        yield _found("pseudonym_is_an_original", quality, message, quality.n_reused, total, failed=failed)
    if quality.n_pseudonyms == total > quality.n_originals:
        # nobody's records can be put together, which hides more, not less
        yield Finding.of(
            "pseudonym_for_each_record", Verdict.PASS, column=quality.anonymized, n_affected=total
        )(
            "Each of {records} has a pseudonym of its own in `{column}`, of {originals}: records of one "
            "person cannot be put together.",
            records=counted(total, "record"),
            originals=counted(quality.n_originals, "original value"),
        )
    else:
        yield from _about_several(quality)


def _about_several(quality: PseudonymQuality) -> Iterator[Finding]:
    """Yield what is said of originals and pseudonyms that do not stand for one each."""
    if n := quality.n_originals_with_several:
        message = (
            "{found} original values of `{original}` have more than one pseudonym in `{column}`: records of "
            "one person fall apart."
        )
        yield _found("original_with_several_pseudonyms", quality, message, n, quality.n_originals)
    if n := quality.n_pseudonyms_for_several:
        message = (
            "{found} pseudonyms of `{column}` stand for more than one original value of `{original}`: "
            "records of different persons are mixed up."
        )
        yield _found("pseudonym_for_several_originals", quality, message, n, quality.n_pseudonyms)
    if quality.frequencies_agree is False:
        yield Finding.of("pseudonyms_not_one_to_one", Verdict.WARN, column=quality.anonymized)(
            "The pseudonyms of `{column}` do not occur as often as the original values, so they are not "
            "one-to-one: {pseudonyms} for {originals}.",
            pseudonyms=counted(quality.n_pseudonyms, "pseudonym"),
            originals=counted(quality.n_originals, "original value"),
        )
    if quality.compared_by == "values" and quality.has_repeats:
        # no worry where no more pseudonyms are left than originals
        fits = quality.n_pseudonyms <= quality.n_originals
        verdict = Verdict.PASS if fits else Verdict.NOT_ASSESSED
        yield Finding.of("pseudonyms_one_to_one", verdict, column=quality.anonymized)(
            "Whether the pseudonyms of `{column}` are one-to-one was not assessed: the tables differ in "
            "their number of records, so there are no rows to compare."
        )


def _found(
    check: str, quality: PseudonymQuality, message: str, n: int, total: int, *, failed: bool = False
) -> Finding:
    verdict = Verdict.FAIL if failed else Verdict.WARN
    return Finding.of(check, verdict, column=quality.anonymized, n_affected=n)(
        message, found=share_of(n, total), original=quality.original
    )
