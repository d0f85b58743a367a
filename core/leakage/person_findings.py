"""Findings about persons who are still there: whole rows, near copies, re-linked rows, members."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.chance import NO_ACCIDENT, normal_tail, poisson_tail
from core.leakage.measuring import LeakageMeasures
from core.leakage.members import NearerMembers
from core.leakage.near_copies import NearCopies
from core.leakage.row_signatures import FoundRows, Kind
from core.leakage.settings import LeakageThresholds
from core.leakage.whole_rows import WholeRows
from core.verdict import Finding, Verdict
from core.words import Text, Written, counted, joined, listed, own, percent, share_of, text

# Of rows that point at one person, so many have to point at their own for FAIL: fewer tell a reader nothing.
_RELINKED_SHARE = 0.1
# Figures are looked at in about ten ways, so that each may use a tenth of the tolerated probability.
N_WAYS = 10
WORTH_A_LOOK = 0.05
# Of the persons looked at, that may leak unseen where the verdict is PASS: beside a hold-out, and without.
LARGEST_UNSEEN, LARGEST_UNSEEN_ALONE = 0.02, 0.05
_FEWEST_KNOWN = 3  # persons whose quasi-identifiers reappear
_LEAST_LEVEL = 0.0001
_FOUND_BY: Mapping[Kind, str] = {
    "values": "which values stand in a row, in whatever order",
    "differences": "the differences between values",
    "ratios": "the ratios between values",
    "blanks": "which cells are blank",
    "zeros": "which cells are zero",
    "axes": "the place among all rows, whatever the axes",
    "cells": "a cell that holds the whole row",
    "recoded": "which rows share a value, whatever it is called now",
    "order": "the neighbours that values still have",
    "lengths": "the lengths of the words of texts",
    "gaps": "what lies between all records of one person",
    "digits": "digits that values of one row share, beyond those of the original",
}
_BELIEVED = 2  # times as many as strangers would share


def whole_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """FAIL where more unique whole rows reappear than independent columns give."""
    found = measures.whole_rows
    if len(measures.columns) == 1:
        yield Finding.of("whole_rows", Verdict.NOT_ASSESSED, n_affected=found.n_exact)(
            "With a single column a whole row is one cell, so whole rows that reappear cannot be told "
            "from chance: {rows} is found in the scrambled table.",
            "With a single column a whole row is one cell, so whole rows that reappear cannot be told "
            "from chance: {rows} are found in the scrambled table.",
            rows=share_of(found.n_exact, found.n_original, "rows"),
        )
        return
    verdict = whole_row_verdict(found, thresholds)
    repeated = text(
        "Counting repeated rows too, {rows} is found, where such columns would give {expected}.",
        "Counting repeated rows too, {rows} are found, where such columns would give {expected}.",
        n=found.n_exact,
        rows=share_of(found.n_exact, found.n_original, "rows"),
        expected=count_told(found.expected_exact),
    )
    are_same = (found.n_exact, found.n_original) == (found.n_unique_exact, found.n_unique)
    sentences: list[str] = [whole_rows_found(found, verdict), *([] if are_same else [repeated])]
    if found.is_copy and found.excess >= 1:
        sentences.append("The scrambled table holds exactly the rows of the original.")
    yield Finding.of("whole_rows", verdict, n_affected=found.n_unique_exact)(joined(sentences))
    yield from _repeated_row_findings(measures, thresholds)


def known_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say where scrambled rows have all quasi-identifiers of a person, and more than chance gives."""
    found, level = measures.known_rows, thresholds.chance_level / N_WAYS
    if found is None or found.n_unique_exact < _FEWEST_KNOWN:
        return
    whole = measures.whole_rows
    if whole_row_verdict(whole, thresholds) is Verdict.FAIL and whole.n_unique_exact >= found.n_unique_exact:
        return  # the same persons, told already
    verdict = whole_row_verdict(found, replace(thresholds, chance_level=max(level, _LEAST_LEVEL)))
    beyond_strangers = found.n_unique_exact >= _BELIEVED * found.expected_among_strangers
    if verdict is Verdict.PASS and beyond_strangers and found.p_value <= level:
        verdict = Verdict.WARN
    if verdict is Verdict.PASS:
        return
    yield Finding.of("known_rows", verdict, n_affected=found.n_unique_exact)(
        "By {columns} alone: {found}",
        columns=listed(measures.quasi_identifiers, at_most=4),
        found=whole_rows_found(found, verdict),
    )


def kept_together_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say of which two columns the values stand together still; FAIL beyond chance, WARN by a coarse one.

    Columns shuffled within each place keep place and value together, as was meant.
    """
    found, looks = measures.scrambled_together, (measures, measures.set_aside, measures.second_look)
    whole = [each.whole_rows for each in looks if each is not None]
    if found is None or any(whole_row_verdict(each, thresholds) is Verdict.FAIL for each in whole):
        return  # the same persons, told already
    rows, level = found.whole_rows, thresholds.chance_level / N_WAYS / found.n_looked_at
    verdict = whole_row_verdict(rows, replace(thresholds, chance_level=max(level, _LEAST_LEVEL)))
    if verdict is Verdict.PASS or rows.p_value > level:
        return
    verdict = Verdict.WARN if found.is_coarse else verdict
    yield Finding.of("kept_together", verdict, columns=found.columns, n_affected=rows.n_unique_exact)(
        "{names} were scrambled together: of {total} records that nobody equals in both, {n} ({share}) still "
        "has its two values side by side; scrambled apart it would be {expected}. Who knows one learns the "
        "other.",
        "{names} were scrambled together: of {total} records that nobody equals in both, {n} ({share}) still "
        "have their two values side by side; scrambled apart it would be {expected}. Who knows one learns "
        "the other.",
        n=rows.n_unique_exact,
        total=rows.n_unique,
        share=percent(found.share),
        names=listed(found.columns),
        expected=count_told(rows.expected_unique_exact),
    )


def signature_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say by what rows are found whatever was done to their values; FAIL of many, WARN of few."""
    looks = (measures, measures.set_aside, measures.second_look)
    whole = [each.whole_rows for each in looks if each is not None]
    n_told = max(
        (each.n_unique_exact for each in whole if whole_row_verdict(each, thresholds) is Verdict.FAIL),
        default=0,
    )
    for found in _of_other_persons(measures.by_signatures):
        p_value = found.p_value * len(_FOUND_BY)
        if p_value > member_level(thresholds) or found.n_found <= n_told:
            continue
        is_sure = p_value <= NO_ACCIDENT and found.kind != "digits"  # made-up rows may share them too
        verdict = Verdict.FAIL if is_sure else Verdict.WARN
        yield Finding.of(f"signature_{found.kind}", verdict, columns=found.columns, n_affected=found.n_found)(
            "{rows} is found by {what} ({columns}), although columns were scrambled; by chance it "
            "would be {expected}.",
            "{rows} are found by {what} ({columns}), although columns were scrambled; by chance it "
            "would be {expected}.",
            rows=share_of(found.n_found, found.n_unique, "persons with nobody like them"),
            what=own(_FOUND_BY[found.kind]),
            columns=listed(found.columns, at_most=4),
            expected=count_told(found.n_expected),
        )


def _of_other_persons(readings: Sequence[FoundRows]) -> Iterator[FoundRows]:
    """Yield the readings of blanks, zeros, cells and gaps, and of all others the one that finds most."""
    apart = ("blanks", "zeros", "cells", "gaps")
    yield from (each for each in readings if each.kind in apart)
    others = [each for each in readings if each.kind not in apart]
    yield from sorted(others, key=lambda each: -each.n_found)[:1]


def rebuilt_findings(measures: LeakageMeasures) -> Iterator[Finding]:
    """FAIL for the columns that original rows give back by a sum."""
    for by_neighbours in (True, False):
        found = [each for each in measures.rebuilt if each.by_neighbours == by_neighbours]
        if not found:
            continue
        names = tuple(each.column for each in found)
        yield Finding.of("rebuilt", Verdict.FAIL, columns=names, n_affected=found[0].n_rows)(
            "Values of {names} are sums of the original's in the same row and next to it, which give at "
            "least {share} of their variance (rows elsewhere at most {chance}). Differences undo it."
            if by_neighbours
            else "Values of {names} are sums of the original's in other columns of the row, which give at "
            "least {share} of their variance (rows elsewhere at most {chance}). Those find the row.",
            names=listed(names, at_most=4),
            share=percent(min(0.999, *(each.share for each in found))),
            chance=percent(max(each.share_elsewhere for each in found)),
        )


def whole_row_verdict(found: WholeRows, thresholds: LeakageThresholds) -> Verdict:
    """FAIL beyond both independent columns and strangers; WARN where strangers are too few to tell.

    The original's own values in another order are no strangers'.
    """
    if found.is_copy and found.excess >= 1:
        return Verdict.FAIL
    if found.excess <= 0 or found.p_value > thresholds.chance_level:
        return Verdict.PASS
    if found.is_rearranged or found.stranger_p_value <= thresholds.chance_level:
        return Verdict.FAIL
    nobody_alike = not found.n_holdout and not found.n_pairs
    return Verdict.WARN if nobody_alike or found.stranger_p_value <= WORTH_A_LOOK else Verdict.PASS


def whole_rows_found(found: WholeRows, verdict: Verdict) -> Text:
    """Say how many unique rows are found whole, and how many by columns in random orders and by strangers."""
    exceeds = found.excess > 0 and verdict is not Verdict.PASS
    chance = (
        "with every column shuffled on its own, as their values say they were, it would be {shuffled}"
        if found.is_rearranged
        else "with every column shuffled on its own it would be {shuffled}, and by the hold-out {strangers}"
        if found.n_holdout
        else "with every column shuffled on its own it would be {shuffled}, and with numbers on the "
        "original's scale moved by a value or two {strangers}"
        if 0 < found.expected_among_neighbours == found.expected_among_strangers
        else "with every column shuffled on its own it would be {shuffled}, and by rows that original "
        "persons share with each other {strangers}"
    )
    return text(
        "{rows} is found whole somewhere in the scrambled table, {comparison}: {chance}.",
        "{rows} are found whole somewhere in the scrambled table, {comparison}: {chance}.",
        n=found.n_unique_exact,
        rows=share_of(found.n_unique_exact, found.n_unique, "rows that are unique in the original"),
        comparison=own("more than chance" if exceeds else "no more than chance"),
        chance=text(
            chance,
            shuffled=count_told(found.expected_unique_exact),
            strangers=count_told(found.expected_among_strangers),
        ),
    )


def _repeated_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where repeated rows reappear beyond chance, FAIL where the whole table does."""
    found = measures.whole_rows
    if (
        found.n_repeated_exact > found.expected_repeated_exact
        and found.repeated_p_value <= thresholds.chance_level
    ) or (found.is_copy and found.n_unique_exact == 0 and found.expected_exact < found.n_exact - 1):
        yield Finding.of(
            "repeated_rows",
            Verdict.FAIL if found.n_exact == found.n_original else Verdict.WARN,
            n_affected=found.n_repeated_exact,
        )(
            "{n} distinct row that several original records share is found whole in the scrambled table, "
            "more than chance: shuffled columns, or strangers as like the original's persons, would give "
            "{expected}.",
            "{n} distinct rows that several original records share are found whole in the scrambled "
            "table, more than chance: shuffled columns, or strangers as like the original's persons, "
            "would give {expected}.",
            expected=count_told(found.expected_repeated_exact),
        )


def nearest_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where rows find their own scrambled row, FAIL where they do often or point at one person."""
    nearest = measures.nearest
    if nearest.n_relinked is not None and measures.whole_rows.n_scrambled > 1:
        expected = nearest.expected_relinked(measures.whole_rows.n_scrambled)
        p_value = float(poisson_tail(nearest.n_relinked, expected))
        yield Finding.of(
            "relinkage",
            _relinkage_verdict(
                nearest.n_relinked, nearest.n_with_unique_best, p_value, thresholds=thresholds
            ),
            n_affected=nearest.n_relinked,
        )(
            "For {rows} the own scrambled row is the unique best match among all; chance would give "
            "{expected}.",
            rows=share_of(nearest.n_relinked, nearest.n_assessed, "rows")
            if nearest.is_exact
            else share_of(nearest.n_relinked, nearest.n_assessed, "sampled rows"),
            expected=count_told(expected),
        )
    yield from _relinkage_by_likeness(measures.near_copies, thresholds)
    yield _near_copy_finding(measures.near_copies, thresholds)


def _relinkage_verdict(
    n_relinked: int, n_named: int, p_value: float, *, thresholds: LeakageThresholds
) -> Verdict:
    """FAIL where rows find their own beyond chance and often enough to be believed; WARN beyond chance."""
    if not n_relinked or p_value > normal_tail(thresholds.z):
        return Verdict.PASS
    surely = p_value <= thresholds.chance_level / N_WAYS
    return Verdict.FAIL if surely and n_relinked >= _RELINKED_SHARE * n_named else Verdict.WARN


def _relinkage_by_likeness(found: NearCopies, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Judge how often scrambled rows point at their own original row, numbers compared by closeness."""
    if not found.n_own or found.n_relinked is None:
        return
    yield Finding.of(
        "relinkage_by_likeness",
        _relinkage_verdict(found.n_relinked, found.n_own, found.relink_p_value, thresholds=thresholds),
        n_affected=found.n_relinked,
    )(
        "{rows} can be matched to its own row, close numbers counting as alike; guessing would match "
        "{expected}.",
        "{rows} can be matched to their own row, close numbers counting as alike; guessing would match "
        "{expected}.",
        rows=share_of(found.n_relinked, found.n_own, "scrambled rows that point at one original row"),
        expected=count_told(found.n_own / found.n_references),
    )


def _near_copy_finding(found: NearCopies, thresholds: LeakageThresholds) -> Finding:
    """FAIL where more rows point at one person than strangers or mixed values would."""
    excess = found.excess
    if excess.p_value > thresholds.chance_level:
        return Finding.of("near_copies", Verdict.PASS, n_affected=0)(
            "No more scrambled rows point at one original person than {strangers}, or rows mixed from "
            "persons alike, would ({n} row looked at).",
            "No more scrambled rows point at one original person than {strangers}, or rows mixed from "
            "persons alike, would ({n} rows looked at).",
            n=found.n_rows,
            strangers=_strangers(found),
        )
    verdict = verdict_by_chance(excess.p_value, thresholds)
    return Finding.of("near_copies", verdict, n_affected=excess.n_observed)(pointing(found))


def near_person_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """FAIL where persons are found by the means of their records, in which noise averages out."""
    found = measures.near_persons
    if found is None or found.excess.p_value > thresholds.chance_level:
        return
    verdict = verdict_by_chance(found.excess.p_value, thresholds)
    yield Finding.of("near_persons", verdict, n_affected=found.excess.n_observed)(
        "By the means of all records of a person, in which noise averages out, {rows} clearly belongs to one "
        "original person; by original persons among each other it would be {expected}.",
        "By the means of all records of a person, in which noise averages out, {rows} clearly belong to one "
        "original person each; by original persons among each other it would be {expected}.",
        n=found.excess.n_observed,
        rows=share_of(found.excess.n_observed, found.n_rows, "persons"),
        expected=count_told(found.excess.n_expected),
    )


def verdict_by_chance(p_value: float, thresholds: LeakageThresholds) -> Verdict:
    """FAIL where persons are found, WARN where chance is unlikely."""
    if p_value <= member_level(thresholds):
        return Verdict.FAIL
    return Verdict.WARN if p_value <= thresholds.chance_level else Verdict.PASS


def _strangers(found: NearCopies) -> Text:
    """Name what stands for strangers."""
    return own("hold-out records" if found.n_holdout else "original persons among each other")


def pointing(found: NearCopies) -> Text:
    """Say how many rows point at one person, and how many would by chance."""
    excess = found.excess
    return text(
        "{rows} clearly belongs to one original person; by {strangers}, or rows mixed from persons alike, it "
        "would be {expected}: people may have moved with little changed.",
        "{rows} clearly belong to one original person each ({persons}); by {strangers}, or rows mixed from "
        "persons alike, it would be {expected}: people may have moved with little changed.",
        n=excess.n_observed,
        rows=share_of(excess.n_observed, found.n_rows, "scrambled rows looked at"),
        persons=counted(excess.n_persons, "person"),
        strangers=_strangers(found),
        expected=count_told(excess.n_expected),
    )


def member_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """FAIL where original persons are nearer to scrambled rows than outsiders, beyond chance."""
    found = measures.members
    if found is None:
        return
    verdict = verdict_by_chance(found.p_value, thresholds)
    if verdict is Verdict.PASS:
        yield Finding.of("members", verdict, n_affected=0)(
            "Original persons are no nearer to a scrambled row than hold-out records are ({n} and {others} "
            "looked at)."
            if found.by_holdout
            else "Scrambled rows are no nearer to an original person than original persons are to each "
            "other, or than rows mixed from persons alike ({n} and {others} looked at).",
            n=found.n_persons,
            others=found.n_outsiders,
        )
        return
    yield Finding.of("members", verdict, n_affected=found.n_members)(
        "Of the {nearest} persons nearest to a scrambled row, by {columns}, {members} are of the original, "
        "where chance gives {expected}, and {others} of the hold-out: the scrambled table holds persons of "
        "the original, or nearly."
        if found.by_holdout
        else "Of the {nearest} closest matches by {columns}, {members} are a scrambled row and an original "
        "person, where chance gives at most {expected}, and {others} are two original persons, or a row "
        "mixed from persons alike: the scrambled table holds persons of the original, or nearly.",
        nearest=found.n_nearest,
        columns=_by_columns(found, measures),
        members=found.n_members,
        others=found.n_nearest - found.n_members,
        expected=count_told(found.n_expected),
    )


def member_level(thresholds: LeakageThresholds) -> float:
    """Return the probability by chance from which members are told."""
    return thresholds.chance_level / N_WAYS


def _by_columns(found: NearerMembers, measures: LeakageMeasures) -> Text:
    """Name the columns by which persons are near."""
    if len(found.columns) == len(measures.columns):
        return own("all columns")
    return listed(found.columns, at_most=4)


def _too_few(n: int, others: int | None) -> Text:
    """Say that so many records of the original, and of a hold-out where there is one, show no leak."""
    if others is None:
        return text(
            "{n} original record and no hold-out are too few for nearness to the scrambled table to "
            "show any leak.",
            "{n} original records and no hold-out are too few for nearness to the scrambled table to "
            "show any leak.",
            n=n,
        )
    return text(
        "{n} original record and {others} of the hold-out are too few for nearness to the scrambled "
        "table to show any leak.",
        "{n} original records and {others} of the hold-out are too few for nearness to the scrambled "
        "table to show any leak.",
        n=n,
        others=others,
    )


def smallest_leak_findings(
    measures: LeakageMeasures, thresholds: LeakageThresholds, others: Verdict
) -> Iterator[Finding]:
    """Say what leak could have been seen; NOT ASSESSED where nothing was, and that says too little."""
    persons, total, largest = smallest_leak(measures, thresholds)
    is_seen = persons is not None and persons <= largest * total
    verdict = Verdict.NOT_ASSESSED if others is Verdict.PASS and not is_seen else Verdict.PASS
    n_outsiders = measures.members.n_outsiders if measures.has_holdout and measures.members else 0
    if persons is None:
        told = _too_few(total, n_outsiders if measures.has_holdout else None)
        yield Finding.of("smallest_leak", verdict)(told)
        return
    if measures.has_holdout:
        yield Finding.of("smallest_leak", verdict, n_affected=persons)(
            "The smallest leak that nearness to the scrambled table could have shown is of {n} person of "
            "{members} looked at ({share}; beside {others} of the hold-out): a smaller one may be there "
            "unseen.",
            "The smallest leak that nearness to the scrambled table could have shown is of {n} persons of "
            "{members} looked at ({share}; beside {others} of the hold-out): a smaller one may be there "
            "unseen.",
            members=total,
            share=percent(persons / total),
            others=n_outsiders,
        )
        return
    yield Finding.of("smallest_leak", verdict, n_affected=persons)(
        "The smallest leak that nearness could have shown without a hold-out is of {n} copied person of "
        "{members} ({share}): a smaller one may be there unseen.",
        "The smallest leak that nearness could have shown without a hold-out is of {n} copied persons of "
        "{members} ({share}): a smaller one may be there unseen.",
        members=total,
        share=percent(persons / total),
    )


def smallest_leak(measures: LeakageMeasures, thresholds: LeakageThresholds) -> tuple[int | None, int, float]:
    """Return the smallest leak that could have been seen, of how many persons, and its largest share.

    Persons nearer to a scrambled row than hold-out records; without a hold-out, near copies. The leak is None
    where none could.
    """
    level, total = member_level(thresholds), measures.whole_rows.n_original
    if not measures.has_holdout:
        looks = [measures.near_copies, *([measures.second_look.near_copies] if measures.second_look else [])]
        seen = [n for each in looks if (n := each.smallest_leak(level, total)) is not None]
        return min(seen, default=None), total, LARGEST_UNSEEN_ALONE
    found = measures.members
    if found is None:
        return None, total, LARGEST_UNSEEN
    return found.smallest_leak(level), found.n_persons, LARGEST_UNSEEN


def count_told(value: float) -> Text:
    """Return an expected count with as many decimals as it needs."""
    if value < 0.005:
        return own("none" if value == 0 else "fewer than 0.01")
    return Written(f"{value:,.2f}" if value < 100 else f"{value:,.0f}")
