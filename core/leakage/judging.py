"""From figures and thresholds to findings and a verdict; cheap, so that sliders answer at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.leakage.attacks import AttackRate
from core.leakage.chance import ChanceRange, probabilities_of_matches
from core.leakage.measuring import LeakageMeasures, measure_leakage
from core.leakage.near_copies import Excess, NearCopies
from core.leakage.pairing import pair_tables
from core.leakage.second_look import SecondLook
from core.leakage.settings import LeakageSettings, LeakageThresholds
from core.leakage.whole_rows import RowLeakage, WholeRows
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst
from core.words import percent, share_of


@dataclass(frozen=True, kw_only=True, eq=False)
class LeakageAudit:
    """The measures, the thresholds they were held against, and what follows."""

    measures: LeakageMeasures  # what went in
    thresholds: LeakageThresholds
    findings: tuple[Finding, ...]  # sentences with counts, one a check
    verdict: Verdict  # the worst of the findings

    @property
    def headline(self) -> str:
        """Return the sentence that explains the verdict, with its counts."""
        if self.verdict is Verdict.PASS:
            return "No more of the original rows is left than chance gives."
        check = next(finding for finding in self.findings if finding.verdict is self.verdict)
        return _short(check, self.measures)


_MORE_CELLS = "Rows share more cells with their original row than chance gives."
# Of rows that point at one person, so many have to point at their own for FAIL: fewer tell a reader nothing.
_RELINKED_SHARE = 0.1
# Figures are looked at in about ten ways, so that each may use a tenth of the tolerated probability.
_N_WAYS = 10
_WORTH_A_LOOK = 0.05
_NO_BETTER_THAN_CHANCE = 0.5
_CLEARLY_CLOSER = 0.9
# Of fewer rows, one that stays as it was is never put down to chance.
_FEWEST_FOR_CHANCE = 20
_SHORT = {
    "relinkage_by_likeness": "Rows can be re-linked with their original row more often than by chance.",
    "without_columns": "Without columns that match nowhere, original rows are still in the scrambled table.",
    "second_look": "Past spelling or a simple disguise, original rows are still in the scrambled table.",
    "partial_leakage": _MORE_CELLS,
    "matching_cells": _MORE_CELLS,
    "columns_above_chance": _MORE_CELLS,
    "near_copies": "More scrambled rows are nearly copies of an original row than chance or likeness "
    "explains.",
    "relinkage": "Rows can be re-linked with their original row more often than by chance.",
}


def _short(finding: Finding, measures: LeakageMeasures) -> str:
    """Return what a finding comes down to; its own sentence where that is short already."""
    rows, whole = measures.rows, measures.whole_rows
    match finding.check:
        case "full_leakage" if rows is not None:
            return f"{rows.n_full:,} of {rows.n_rows:,} rows are the same as their original row."
        case "whole_rows" if finding.verdict is Verdict.FAIL:
            return (
                f"{whole.n_unique_exact:,} of {whole.n_unique:,} unique rows of the original are still in "
                "the scrambled table."
            )
        case "repeated_rows":
            return (
                f"{whole.n_exact:,} of {whole.n_original:,} original rows are still in the scrambled table."
            )
        case _:
            return _SHORT.get(finding.check, finding.message)


def audit_leakage(
    original: Dataset,
    scrambled: Dataset,
    *,
    settings: LeakageSettings | None = None,
    thresholds: LeakageThresholds | None = None,
    holdout: Dataset | None = None,
) -> LeakageAudit:
    """Ask whether rows of the original table are still in the scrambled one.

    Parameters
    ----------
    original, scrambled
        The tables.
    settings, thresholds
        The defaults compare rows by position, ignore nothing and tolerate no full leakage.
    holdout
        Records of the same kind that the scrambled table was not made from.

    Returns
    -------
    LeakageAudit
        FAIL for any full leakage above the threshold, or more unique whole rows than chance gives;
        WARN where partial leakage exceeds chance; NOT_ASSESSED where rows could not be compared.

    Raises
    ------
    AuditInputError
        See :func:`core.leakage.pairing.pair_tables` and :func:`core.leakage.measuring.measure_leakage`.
    """
    settings = settings or LeakageSettings()
    pair = pair_tables(original, scrambled, key=settings.key)
    return judge_leakage(measure_leakage(pair, settings, holdout=holdout), thresholds or LeakageThresholds())


def judge_leakage(measures: LeakageMeasures, thresholds: LeakageThresholds) -> LeakageAudit:
    """Hold the measures against the thresholds.

    Parameters
    ----------
    measures
        What was measured.
    thresholds
        From where a figure is a concern.

    Returns
    -------
    LeakageAudit
        At least one finding.
    """
    findings = (
        *_row_findings(measures, thresholds),
        *_whole_row_findings(measures, thresholds),
        *_nearest_findings(measures, thresholds),
        *_set_aside_findings(measures, thresholds),
        *_second_look_findings(measures, thresholds),
        *_attack_findings(measures, thresholds),
        *_holdout_findings(measures),
        *_column_set_findings(measures),
    )
    return LeakageAudit(
        measures=measures,
        thresholds=thresholds,
        findings=findings,
        verdict=worst(finding.verdict for finding in findings),
    )


def _row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Judge the row rules against chance."""
    rows, orders = measures.rows, measures.random_orders
    if rows is None or orders is None:
        by_key = measures.settings.key is not None
        yield Finding.of("rows_not_paired", Verdict.NOT_ASSESSED if by_key else Verdict.PASS)(
            measures.row_problem
        )
        return
    yield from _valid_cell_findings(rows)
    yield _full_leakage_finding(measures, rows, orders.full_share, thresholds)
    if rows.n_rows == 1:
        yield Finding.of("chance_not_assessed", Verdict.NOT_ASSESSED)(
            "With a single row there is only one order, so chance cannot be told from leakage."
        )
        return
    yield _partial_leakage_finding(rows, orders.partial_share, thresholds)
    yield _matching_cells_finding(measures, rows, orders.mean_matching_cells, thresholds)
    yield from _column_findings(measures, rows, thresholds)


def _valid_cell_findings(rows: RowLeakage) -> Iterator[Finding]:
    """Say how many rows have nothing to compare; never let them pass in silence."""
    n = rows.n_without_valid_cells
    if n:
        yield Finding.of(
            "rows_without_valid_cells",
            Verdict.NOT_ASSESSED if n == rows.n_rows else Verdict.WARN,
            n_affected=n,
        )(
            f"{share_of(n, rows.n_rows, 'rows')} have no valid cell: everything in them is ignored "
            "or missing in both tables, so they were not assessed."
        )


def _full_leakage_finding(
    measures: LeakageMeasures, rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds
) -> Finding:
    """FAIL above the tolerated share unless random order may give as many; PASS where it usually does."""
    if not rows.n_full:
        return Finding.of("full_leakage", Verdict.PASS, n_affected=0)(
            f"None of {rows.n_rows:,} rows is the same as its original row in every valid cell."
        )
    tolerated = rows.full_leakage_share <= thresholds.max_full_leakage_share
    expected = max(measures.expected_full, chance.mean * rows.n_rows)
    p_value = float(stats.poisson.sf(rows.n_full - 1, expected))
    by_chance = (
        rows.n_rows >= _FEWEST_FOR_CHANCE
        and rows.n_full < rows.n_rows - rows.n_without_valid_cells
        and p_value > thresholds.chance_level
        and _whole_row_verdict(measures.whole_rows, thresholds) is Verdict.PASS
    )
    is_usual = by_chance and p_value > _WORTH_A_LOOK
    advice = (
        "so few different rows coincide by chance"
        if is_usual
        else "within the tolerated share"
        if tolerated
        else "so few different rows say little about anybody; check that nobody is singled out by them"
        if by_chance
        else "privacy is not preserved, scramble again or add noise"
    )
    verdict = Verdict.PASS if is_usual else Verdict.WARN if tolerated or by_chance else Verdict.FAIL
    return Finding.of("full_leakage", verdict, n_affected=rows.n_full)(
        f"NOTICE: {share_of(rows.n_full, rows.n_rows, 'rows')} are the same as their original row in "
        f"every valid cell: {advice}. Random order would give "
        f"{'about as many, ' if by_chance else ''}{_percent_range(chance)}."
    )


def _partial_leakage_finding(rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds) -> Finding:
    """WARN where more rows match in part than random orders give."""
    exceeds = chance.is_exceeded_by(rows.partial_leakage_share, z=thresholds.z)
    comparison = "more than chance gives" if exceeds else "no more than chance gives"
    return Finding.of(
        "partial_leakage", Verdict.WARN if exceeds else Verdict.PASS, n_affected=rows.n_partial
    )(
        f"{share_of(rows.n_partial, rows.n_rows, 'rows')} share some but not all valid cells with "
        f"their original row, {comparison}: random order gives {_percent_range(chance)}."
    )


def _matching_cells_finding(
    measures: LeakageMeasures, rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds
) -> Finding:
    """WARN where rows share more cells with their original row than random orders give."""
    expected = measures.expected_matching_cells
    exceeds = chance.is_exceeded_by(rows.mean_matching_cells, z=thresholds.z)
    comparison = "more than chance gives" if exceeds else "no more than chance gives"
    return Finding.of("matching_cells", Verdict.WARN if exceeds else Verdict.PASS)(
        f"Rows share {rows.mean_matching_cells:.2f} of {len(measures.columns)} cells with their "
        f"original row on average, {comparison}: the same rows in random order share {expected:.2f} "
        f"({chance.low:.2f} to {chance.high:.2f} in 95 % of orders)."
    )


def _column_findings(
    measures: LeakageMeasures, rows: RowLeakage, thresholds: LeakageThresholds
) -> Iterator[Finding]:
    """WARN where columns keep more of their cells in place than chance, also counted exactly."""
    if measures.column_chance is None:
        return
    z_scores = np.nan_to_num(measures.column_z(), nan=-np.inf)
    p_values = probabilities_of_matches(rows.column_matches, measures.column_chance)
    z_scores[p_values > stats.norm.sf(thresholds.z)] = -np.inf
    above = np.flatnonzero(z_scores >= thresholds.z)
    if not len(above):
        return
    top = int(z_scores.argmax())
    expected = measures.column_chance.expected_matches[top] / rows.n_rows
    yield Finding.of(
        "columns_above_chance",
        Verdict.WARN,
        column=measures.columns[top] if len(above) == 1 else None,
        n_affected=len(above),
    )(
        f"{len(above):,} of {_columns(len(measures.columns))} keep more cells in place than chance "
        f"gives; most of all “{measures.columns[top]}”, the same in "
        f"{share_of(int(rows.column_matches[top]), rows.n_rows, 'rows')}, where chance gives "
        f"{percent(expected)}."
    )


def _whole_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """FAIL where more unique whole rows reappear than independent columns give."""
    found = measures.whole_rows
    if len(measures.columns) == 1:
        yield Finding.of("whole_rows", Verdict.NOT_ASSESSED, n_affected=found.n_exact)(
            "With a single column a whole row is one cell, so whole rows that reappear cannot be told from "
            f"chance: {share_of(found.n_exact, found.n_original, 'rows')} are found in the scrambled table."
        )
        return
    verdict = _whole_row_verdict(found, thresholds)
    yield Finding.of("whole_rows", verdict, n_affected=found.n_unique_exact)(
        f"{_whole_rows_found(found)} {_against_chance(found, verdict)}. Counting repeated rows too, "
        f"{share_of(found.n_exact, found.n_original, 'rows')} are found, where such columns would give "
        f"{_number(found.expected_exact)}."
        + (
            " The scrambled table holds exactly the rows of the original, in another order."
            if found.is_copy and found.excess >= 1
            else ""
        )
    )
    yield from _repeated_row_findings(measures, thresholds)


def _whole_row_verdict(found: WholeRows, thresholds: LeakageThresholds) -> Verdict:
    """FAIL beyond both independent columns and strangers; WARN where strangers are too few to tell."""
    if found.is_copy and found.excess >= 1:
        return Verdict.FAIL
    if found.excess <= 0 or found.p_value > thresholds.chance_level:
        return Verdict.PASS
    if found.stranger_p_value <= thresholds.chance_level:
        return Verdict.FAIL
    nobody_alike = not found.n_holdout and not found.n_pairs
    return Verdict.WARN if nobody_alike or found.stranger_p_value <= _WORTH_A_LOOK else Verdict.PASS


def _whole_rows_found(found: WholeRows) -> str:
    """Say how many unique rows are found whole."""
    return (
        f"{share_of(found.n_unique_exact, found.n_unique, 'rows that are unique in the original')} are "
        "found whole somewhere in the scrambled table,"
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
            f"{found.n_repeated_exact:,} distinct rows that several original records share are "
            "found whole in the scrambled table, more than chance: shuffled columns, or strangers as like "
            f"the original's persons, would give {_number(found.expected_repeated_exact)}."
        )


def _against_chance(found: WholeRows, verdict: Verdict) -> str:
    """Say what columns in random orders of their own would give, and what strangers would."""
    exceeds = found.excess > 0 and verdict is not Verdict.PASS
    strangers = "the hold-out" if found.n_holdout else "rows that original persons share with each other"
    return (
        f"{'more' if exceeds else 'no more'} than chance: with every column shuffled on its own it would be "
        f"{_number(found.expected_unique_exact)}, and by {strangers} "
        f"{_number(found.expected_among_strangers)}"
    )


def _nearest_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where rows find their own scrambled row, or come closer to the original than to a hold-out."""
    nearest = measures.nearest
    if nearest.n_relinked is not None and measures.whole_rows.n_scrambled > 1:
        expected = nearest.expected_relinked(measures.whole_rows.n_scrambled)
        p_value = float(stats.poisson.sf(nearest.n_relinked - 1, expected))
        looked_at = "rows" if nearest.is_exact else "sampled rows"
        yield Finding.of(
            "relinkage",
            _relinkage_verdict(
                nearest.n_relinked, nearest.n_with_unique_best, p_value, thresholds=thresholds
            ),
            n_affected=nearest.n_relinked,
        )(
            f"For {share_of(nearest.n_relinked, nearest.n_assessed, looked_at)} the own scrambled "
            f"row is the unique best match among all; chance would give {_number(expected)}."
        )
    yield from _relinkage_by_likeness(measures.near_copies, thresholds)
    yield _near_copy_finding(measures.near_copies, thresholds)
    yield from _distance_findings(measures, thresholds)


def _relinkage_verdict(
    n_relinked: int, n_named: int, p_value: float, *, thresholds: LeakageThresholds
) -> Verdict:
    """FAIL where rows find their own beyond chance and often enough to be believed; WARN beyond chance."""
    if not n_relinked or p_value > stats.norm.sf(thresholds.z):
        return Verdict.PASS
    surely = p_value <= thresholds.chance_level / _N_WAYS
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
        f"{share_of(found.n_relinked, found.n_own, 'scrambled rows that point at one original row')} "
        "point at their own, close numbers counting as alike; rows named at random would give "
        f"{_number(found.n_own / found.n_references)}."
    )


def _near_copy_finding(found: NearCopies, thresholds: LeakageThresholds) -> Finding:
    """FAIL where more rows point at one person than strangers or mixed values would."""
    excess = found.excess
    if excess.p_value > thresholds.chance_level:
        return Finding.of("near_copies", Verdict.PASS, n_affected=0)(
            f"No more scrambled rows point at one original person than {_strangers(found)}, or rows "
            f"mixed from persons alike, would ({found.n_rows:,} rows looked at)."
        )
    return Finding.of("near_copies", _found_verdict(excess, thresholds), n_affected=excess.n_observed)(
        f"{_pointing(found)} Take those persons out, or synthesize with larger groups."
    )


def _found_verdict(excess: Excess, thresholds: LeakageThresholds) -> Verdict:
    """FAIL where persons are found, WARN where chance is unlikely."""
    if excess.p_value <= thresholds.chance_level / _N_WAYS:
        return Verdict.FAIL
    return Verdict.WARN if excess.p_value <= thresholds.chance_level else Verdict.PASS


def _strangers(found: NearCopies) -> str:
    """Name what stands for strangers."""
    return "hold-out records" if found.n_holdout else "original persons among each other"


def _pointing(found: NearCopies) -> str:
    """Say how many rows point at one person, and how many would by chance."""
    excess = found.excess
    return (
        f"{share_of(excess.n_observed, found.n_rows, 'scrambled rows looked at')} point at one original "
        f"person each ({excess.n_persons:,} persons), more like that person than like the next by "
        f"{excess.bits:.0f} bits or more; by {_strangers(found)}, or rows mixed from persons alike, it "
        f"would be {_number(excess.n_expected)}: people may have moved with little changed."
    )


def _set_aside_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say what leaks once columns that match nowhere are set aside; FAIL beyond chance."""
    aside = measures.set_aside
    if aside is None:
        return
    level = thresholds.chance_level / _N_WAYS
    without = f"Without {_named(aside.columns)}, which matches nowhere,"
    tolerated = aside.rows is None or aside.rows.full_leakage_share <= thresholds.max_full_leakage_share
    if aside.rows is not None and aside.full_p_value <= level and not tolerated:
        yield Finding.of("without_columns", Verdict.FAIL, n_affected=aside.rows.n_full)(
            f"{without} {percent(aside.rows.full_leakage_share)} full leakage: "
            f"{share_of(aside.rows.n_full, aside.rows.n_rows, 'rows')} are the same as their original row "
            f"in the other {_columns(aside.n_left)}; random order would give "
            f"{_number(aside.expected_full)}. Scramble those too."
        )
        return
    verdict = _whole_row_verdict(aside.whole_rows, thresholds)
    yield Finding.of("without_columns", verdict, n_affected=aside.whole_rows.n_unique_exact)(
        f"{without} {_whole_rows_found(aside.whole_rows)} {_against_chance(aside.whole_rows, verdict)}."
    )


def _second_look_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say what leaks past spelling and simple disguises; FAIL beyond chance."""
    again = measures.second_look
    if again is None:
        return
    start = f"Second look ({_what_was_undone(again)}): "
    if again.n_columns < len(measures.columns):
        start = f"{start}on {again.n_columns:,} of {_columns(len(measures.columns))}, "
    rows = again.rows
    if rows is not None and rows.n_full and rows.full_leakage_share > thresholds.max_full_leakage_share:
        p_value = float(stats.poisson.sf(rows.n_full - 1, again.expected_full))
        if p_value <= thresholds.chance_level / _N_WAYS:
            yield Finding.of("second_look", Verdict.FAIL, n_affected=rows.n_full)(
                f"{start}{share_of(rows.n_full, rows.n_rows, 'rows')} are the same as their "
                f"original row in every valid cell; random order would give {_number(again.expected_full)}. "
                "Another spelling or scale hides nobody."
            )
            return
    whole = _whole_row_verdict(again.whole_rows, thresholds)
    near = _found_verdict(again.near_copies.excess, thresholds)
    if near.severity > whole.severity:
        message, n = _pointing(again.near_copies), again.near_copies.excess.n_observed
    else:
        message = f"{_whole_rows_found(again.whole_rows)} {_against_chance(again.whole_rows, whole)}."
        n = again.whole_rows.n_unique_exact
    yield Finding(check="second_look", verdict=worst((whole, near)), message=start + message, n_affected=n)


def _attack_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where attacks succeed on original records more often than on hold-out records."""
    if measures.attacks is None or not measures.has_holdout:
        return
    level = thresholds.chance_level / _N_WAYS / max(len(measures.attacks.rates), 1)
    rates = measures.attacks.rates
    better = [rate for rate in rates if rate.p_value <= level]
    message = f"No attack of {len(rates):,} succeeds on original records more often than on hold-out records."
    if better:
        most = max(better, key=lambda rate: rate.risk or 0.0)
        message = (
            f"{len(better):,} of {len(rates):,} attacks succeed on original records more often than on "
            f"hold-out records, most of all {_attack_named(most)}: {percent(most.share)} of "
            f"{most.n_guesses:,} guesses against {percent(most.control_share or 0)}. The scrambled table "
            "tells something of the persons in it; scramble more."
        )
    yield Finding.of("attacks", Verdict.WARN if better else Verdict.PASS, n_affected=len(better))(message)
    yield from _membership_findings(measures)


def _attack_named(rate: AttackRate) -> str:
    """Return an attack and its column."""
    return f"{rate.attack} of “{rate.column}”" if rate.column else rate.attack


def _membership_findings(measures: LeakageMeasures) -> Iterator[Finding]:
    """WARN where members can be told from others by their closest scrambled row."""
    found = None if measures.attacks is None else measures.attacks.membership
    if found is None:
        return
    low, high = found.interval
    told = low > _NO_BETTER_THAN_CHANCE and found.auc >= found.smallest_shown
    yield Finding.of("membership", Verdict.WARN if told else Verdict.PASS)(
        f"By its closest scrambled row, an original record is told from a hold-out record with "
        f"probability {found.auc:.2f} (95 % interval {low:.2f} to {high:.2f}; a coin gives 0.50, and from "
        f"{found.smallest_shown:.2f} a leak would show with {found.n_members:,} and {found.n_others:,} "
        f"records)."
    )


def _what_was_undone(again: SecondLook) -> str:
    """Say in how many columns what was undone."""
    done = {
        "spelled otherwise": len(again.respelled),
        "put on the original's scale": len(again.rescaled),
        "recoded by frequency": len(again.recoded),
        "of another name": len(again.renamed),
    }
    return ", ".join(f"{_columns(n)} {what}" for what, n in done.items() if n)


def _named(columns: Sequence[str]) -> str:
    """Return column names in quotes, the first three of many."""
    names = ", ".join(f"“{name}”" for name in columns[:3])
    return names if len(columns) <= 3 else f"{names} and {len(columns) - 3:,} more"


def _holdout_findings(measures: LeakageMeasures) -> Iterator[Finding]:
    """WARN where the hold-out was none."""
    n = measures.n_holdout_in_original
    if n:
        yield Finding.of("holdout_in_original", Verdict.WARN, n_affected=n)(
            f"{n:,} hold-out records are in the original, or nearly, so it is no hold-out and was "
            "not used; give records of other persons."
        )


def _distance_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where scrambled rows are closer to original records than chance or strangers would be."""
    distances = measures.distances
    closer = distances.closer_than_originals_z
    if closer is not None and distances.within_original is not None and not measures.has_holdout:
        medians = distances.to_original.median_distance, distances.within_original.median_distance
        exceeds = closer >= thresholds.z and medians[0] <= _CLEARLY_CLOSER * medians[1]
        yield Finding.of("closest_records", Verdict.WARN if exceeds else Verdict.PASS)(
            f"Scrambled rows are {'closer' if exceeds else 'no closer'} to an original record than original "
            f"records are to each other: median distance {distances.to_original.median_distance:.3f} "
            f"against {distances.within_original.median_distance:.3f} (Gower, 0 to 1; {distances.n_rows:,} "
            "rows looked at). Such distances alone can miss leaks."
        )
    share, z = measures.distances.closer_to_original_share, measures.distances.closer_z
    if share is not None and z is not None:
        yield Finding.of(
            "closer_to_original_than_holdout", Verdict.WARN if z >= thresholds.z else Verdict.PASS
        )(
            f"{percent(share)} of {measures.distances.n_rows:,} scrambled rows are closer to an "
            "original record than to one of as many hold-out records; a table that learned nothing of the "
            "original persons gives about 50 %. Such distances alone can miss leaks."
        )


def _column_set_findings(measures: LeakageMeasures) -> Iterator[Finding]:
    """Say which columns could not be compared; WARN where they are at least half of all."""
    unlike = measures.not_comparable
    if len(unlike) >= max(2, len(measures.columns) / 2):
        yield Finding.of("columns_not_comparable", Verdict.WARN, n_affected=len(unlike))(
            f"{len(unlike):,} of {_columns(len(measures.columns))} ({_named(unlike)}) share hardly a value "
            "with the original's, so that no row can be found by them: they may be encoded or cut short. "
            "Give both tables in one form."
        )
    renamed = {} if measures.second_look is None else measures.second_look.renamed
    if measures.only_in_scrambled:
        n = len(measures.only_in_scrambled)
        n_paired = len(set(measures.only_in_scrambled) & set(renamed.values()))
        yield Finding.of(
            "columns_only_in_scrambled", Verdict.PASS if n == n_paired else Verdict.WARN, n_affected=n
        )(
            f"{n} {'column' if n == 1 else 'columns'} of the scrambled table could not be "
            "compared, because the original has no column of that name."
            + (f" The second look paired {n_paired} of them by their values." if n_paired else "")
        )
    if measures.only_in_original:
        n = len(measures.only_in_original)
        yield Finding.of("columns_only_in_original", Verdict.PASS, n_affected=n)(
            f"{n} {'column' if n == 1 else 'columns'} of the original table "
            f"{'is' if n == 1 else 'are'} not in the scrambled table."
        )


def _columns(n: int) -> str:
    """Return a number of columns in words."""
    return f"{n:,} column" if n == 1 else f"{n:,} columns"


def _percent_range(chance: ChanceRange) -> str:
    """Return a mean with its central 95 %."""
    low, high = percent(chance.low), percent(chance.high)
    return f"{percent(chance.mean)} ({low} to {high} in 95 % of orders)"


def _number(value: float) -> str:
    """Return an expected count with as many decimals as it needs."""
    if value < 0.005:
        return "none" if value == 0 else "fewer than 0.01"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
