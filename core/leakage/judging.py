"""From figures and thresholds to findings and a verdict; cheap, so that sliders answer at once."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.chance import normal_tail, poisson_tail
from core.coding import IntArray
from core.free_text import ModelName, Reading, check_reading, text_findings
from core.leakage.chance import ChanceRange, ColumnChance, probabilities_of_matches
from core.leakage.measuring import LeakageMeasures, measure_leakage
from core.leakage.members import NearerMembers
from core.leakage.naming import naming_findings
from core.leakage.near_copies import NearCopies
from core.leakage.pairing import pair_tables
from core.leakage.second_look import SecondLook
from core.leakage.settings import LeakageSettings, LeakageThresholds
from core.leakage.telling import past_disguise, told, without
from core.leakage.whole_rows import RowLeakage, WholeRows
from core.leftovers import judge_leftovers
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, Written, counted, joined, listed, own, percent, share_of, text


@dataclass(frozen=True, kw_only=True, eq=False)
class LeakageAudit:
    """The measures, the thresholds they were held against, and what follows."""

    measures: LeakageMeasures  # what went in
    thresholds: LeakageThresholds
    findings: tuple[Finding, ...]  # sentences with counts, one a check
    verdict: Verdict  # the worst of the findings
    read: Mapping[str, Reading] = field(default_factory=dict)  # cells of texts that a person has read

    @property
    def headline(self) -> str:
        """Return the sentence that explains the verdict, with its counts."""
        if self.verdict is Verdict.PASS:
            nothing = own("No more of the original rows is left than chance gives.")
            unseen = [each.message for each in self.findings if each.check == "smallest_leak"]
            return joined([nothing, *unseen]) if unseen else nothing
        return worst_first(self.findings)[0].gist


_COMPARED = {True: "more than chance gives", False: "no more than chance gives"}
# Of rows that point at one person, so many have to point at their own for FAIL: fewer tell a reader nothing.
_RELINKED_SHARE = 0.1
# Figures are looked at in about ten ways, so that each may use a tenth of the tolerated probability.
_N_WAYS = 10
_WORTH_A_LOOK = 0.05
LARGEST_UNSEEN = 0.02  # of the persons looked at, that may leak unseen where the verdict is PASS
_MORE = 1.1  # times as many rows as before, from which a second look tells something new
# Of fewer rows, one that stays as it was is never put down to chance.
_FEWEST_FOR_CHANCE = 20
_FEWEST_KNOWN = 3  # persons whose quasi-identifiers reappear
_LEAST_LEVEL = 0.0001
_BELIEVED = 2  # times as many as strangers would share


def audit_leakage(
    original: Dataset,
    scrambled: Dataset,
    *,
    settings: LeakageSettings | None = None,
    thresholds: LeakageThresholds | None = None,
    holdout: Dataset | None = None,
    read: Mapping[str, Reading] | None = None,
    text_model: ModelName = "none",
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
    read
        Cells of the scrambled table's free text that a person has read, by column.
    text_model
        An installed model that looks for names in free text too.

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
    measured = measure_leakage(pair, settings, holdout=holdout, text_model=text_model)
    return judge_leakage(measured, thresholds or LeakageThresholds(), read=read)


def judge_leakage(
    measures: LeakageMeasures, thresholds: LeakageThresholds, *, read: Mapping[str, Reading] | None = None
) -> LeakageAudit:
    """Hold the measures, and what a person has read, against the thresholds of concern."""
    check_reading(measures.texts, read or {})
    in_place = _columns_in_place(measures, thresholds)
    judged = (
        *naming_findings(measures.naming, thresholds.chance_level / _N_WAYS),
        *_row_findings(measures, thresholds),
        *_whole_row_findings(measures, thresholds),
        *_known_row_findings(measures, thresholds),
        *_nearest_findings(measures, thresholds),
        *_member_findings(measures, thresholds),
        *_set_aside_findings(measures, thresholds),
        *_second_look_findings(measures, thresholds),
        *_attack_findings(measures, thresholds),
        *_column_set_findings(measures),
        *text_findings(measures.texts, read),
        *judge_leftovers(measures.leftovers),
    )
    unseen = _smallest_leak_findings(measures, thresholds, worst(finding.verdict for finding in judged))
    findings = tuple(told(finding, measures, in_place) for finding in (*judged, *unseen))
    return LeakageAudit(
        measures=measures,
        thresholds=thresholds,
        findings=findings,
        verdict=worst(finding.verdict for finding in findings),
        read=read or {},
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
    yield from valid_cell_findings(rows)
    yield _full_leakage_finding(measures, rows, orders.full_share, thresholds)
    if rows.n_rows == 1:
        yield Finding.of("chance_not_assessed", Verdict.NOT_ASSESSED)(
            "With a single row there is only one order, so chance cannot be told from leakage."
        )
        return
    yield _partial_leakage_finding(rows, orders.partial_share, thresholds)
    yield _matching_cells_finding(measures, rows, orders.mean_matching_cells, thresholds)
    if measures.column_chance is not None:
        yield from column_findings(measures.columns, rows, measures.column_chance, thresholds)


def valid_cell_findings(rows: RowLeakage) -> Iterator[Finding]:
    """Say how many rows have nothing to compare; never let them pass in silence."""
    n = rows.n_without_valid_cells
    if n:
        yield Finding.of(
            "rows_without_valid_cells",
            Verdict.NOT_ASSESSED if n == rows.n_rows else Verdict.WARN,
            n_affected=n,
        )(
            "{rows} has no valid cell: everything in it is ignored or missing in both tables, so it was "
            "not assessed.",
            "{rows} have no valid cell: everything in them is ignored or missing in both tables, so they "
            "were not assessed.",
            rows=share_of(n, rows.n_rows, "rows"),
        )


def _full_leakage_finding(
    measures: LeakageMeasures, rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds
) -> Finding:
    """FAIL above the tolerated share unless random order may give as many; PASS where it usually does."""
    if not rows.n_full:
        return Finding.of("full_leakage", Verdict.PASS, n_affected=0)(
            "None of {total} rows is the same as its original row in every valid cell.", total=rows.n_rows
        )
    tolerated = rows.full_leakage_share <= thresholds.max_full_leakage_share
    expected = max(measures.expected_full, chance.mean * rows.n_rows)
    p_value = float(poisson_tail(rows.n_full, expected))
    anywhere = _whole_row_verdict(measures.whole_rows, thresholds)
    is_in_every_order = expected > rows.n_full - 0.5
    by_chance = (
        rows.n_rows >= _FEWEST_FOR_CHANCE
        and (rows.n_full < rows.n_rows - rows.n_without_valid_cells or is_in_every_order)
        and p_value > thresholds.chance_level
        and anywhere is not Verdict.FAIL
    )
    is_usual = by_chance and p_value > _WORTH_A_LOOK and anywhere is Verdict.PASS
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
    found = text(
        "NOTICE: {rows} is the same as its original row in every valid cell: {advice}.",
        "NOTICE: {rows} are the same as their original row in every valid cell: {advice}.",
        n=rows.n_full,
        rows=share_of(rows.n_full, rows.n_rows, "rows"),
        advice=own(advice),
    )
    random = (
        "Random order would give about as many, {range}." if by_chance else "Random order would give {range}."
    )
    return Finding.of("full_leakage", verdict, n_affected=rows.n_full)(
        joined([found, text(random, range=_percent_range(chance))])
    )


def _partial_leakage_finding(rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds) -> Finding:
    """WARN where more rows match in part than random orders give."""
    exceeds = chance.is_exceeded_by(rows.partial_leakage_share, z=thresholds.z)
    return Finding.of(
        "partial_leakage", Verdict.WARN if exceeds else Verdict.PASS, n_affected=rows.n_partial
    )(
        "{rows} shares some but not all valid cells with its original row, {comparison}: random order "
        "gives {range}.",
        "{rows} share some but not all valid cells with their original row, {comparison}: random order "
        "gives {range}.",
        rows=share_of(rows.n_partial, rows.n_rows, "rows"),
        comparison=own(_COMPARED[exceeds]),
        range=_percent_range(chance),
    )


def _matching_cells_finding(
    measures: LeakageMeasures, rows: RowLeakage, chance: ChanceRange, thresholds: LeakageThresholds
) -> Finding:
    """WARN where rows share more cells with their original row than random orders give."""
    exceeds = chance.is_exceeded_by(rows.mean_matching_cells, z=thresholds.z)
    return Finding.of("matching_cells", Verdict.WARN if exceeds else Verdict.PASS)(
        "Rows share {cells} of {n} cell with their original row on average, {comparison}: the same rows "
        "in random order share {expected} ({low} to {high} in 95 % of orders).",
        "Rows share {cells} of {n} cells with their original row on average, {comparison}: the same rows "
        "in random order share {expected} ({low} to {high} in 95 % of orders).",
        n=len(measures.columns),
        cells=Written(f"{rows.mean_matching_cells:.2f}"),
        comparison=own(_COMPARED[exceeds]),
        expected=Written(f"{measures.expected_matching_cells:.2f}"),
        low=Written(f"{chance.low:.2f}"),
        high=Written(f"{chance.high:.2f}"),
    )


def column_findings(
    columns: Sequence[str], rows: RowLeakage, chance: ColumnChance, thresholds: LeakageThresholds
) -> Iterator[Finding]:
    """WARN where columns keep more of their cells in place than chance, also counted exactly."""
    above = _above_chance(rows, chance, thresholds)
    if not len(above):
        return
    top = int(above[0])
    expected = chance.expected_matches[top] / rows.n_rows
    yield Finding.of(
        "columns_above_chance",
        Verdict.WARN,
        column=columns[top] if len(above) == 1 else None,
        n_affected=len(above),
    )(
        "{n} of {columns} keeps more cells in place than chance gives; most of all “{column}”, the same "
        "in {rows}, where chance gives {expected}.",
        "{n} of {columns} keep more cells in place than chance gives; most of all “{column}”, the same "
        "in {rows}, where chance gives {expected}.",
        columns=counted(len(columns), "column"),
        column=columns[top],
        rows=share_of(int(rows.column_matches[top]), rows.n_rows, "rows"),
        expected=percent(expected),
    )


def _above_chance(rows: RowLeakage, chance: ColumnChance, thresholds: LeakageThresholds) -> IntArray:
    """Return the positions of columns that keep more cells in place than chance, the most of all first."""
    z_scores = np.nan_to_num(chance.z(rows.column_matches), nan=-np.inf)
    p_values = probabilities_of_matches(rows.column_matches, chance)
    z_scores[p_values > normal_tail(thresholds.z)] = -np.inf
    return np.argsort(-z_scores, kind="stable")[: int((z_scores >= thresholds.z).sum())]


def _columns_in_place(measures: LeakageMeasures, thresholds: LeakageThresholds) -> list[str]:
    if measures.rows is None or measures.column_chance is None:
        return []
    return [measures.columns[at] for at in _above_chance(measures.rows, measures.column_chance, thresholds)]


def _whole_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
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
    verdict = _whole_row_verdict(found, thresholds)
    repeated = text(
        "Counting repeated rows too, {rows} is found, where such columns would give {expected}.",
        "Counting repeated rows too, {rows} are found, where such columns would give {expected}.",
        n=found.n_exact,
        rows=share_of(found.n_exact, found.n_original, "rows"),
        expected=_number(found.expected_exact),
    )
    are_same = (found.n_exact, found.n_original) == (found.n_unique_exact, found.n_unique)
    sentences: list[str] = [_whole_rows_found(found, verdict), *([] if are_same else [repeated])]
    if found.is_copy and found.excess >= 1:
        sentences.append("The scrambled table holds exactly the rows of the original.")
    yield Finding.of("whole_rows", verdict, n_affected=found.n_unique_exact)(joined(sentences))
    yield from _repeated_row_findings(measures, thresholds)


def _known_row_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say where scrambled rows have all quasi-identifiers of a person, and more than chance gives."""
    found, level = measures.known_rows, thresholds.chance_level / _N_WAYS
    if found is None or found.n_unique_exact < _FEWEST_KNOWN:
        return
    verdict = _whole_row_verdict(found, replace(thresholds, chance_level=max(level, _LEAST_LEVEL)))
    beyond_strangers = found.n_unique_exact >= _BELIEVED * found.expected_among_strangers
    if verdict is Verdict.PASS and beyond_strangers and found.p_value <= level:
        verdict = Verdict.WARN
    if verdict is Verdict.PASS:
        return
    yield Finding.of("known_rows", verdict, n_affected=found.n_unique_exact)(
        "By {columns} alone: {found}",
        columns=listed(measures.quasi_identifiers, at_most=4),
        found=_whole_rows_found(found, verdict),
    )


def _whole_row_verdict(found: WholeRows, thresholds: LeakageThresholds) -> Verdict:
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
    return Verdict.WARN if nobody_alike or found.stranger_p_value <= _WORTH_A_LOOK else Verdict.PASS


def _whole_rows_found(found: WholeRows, verdict: Verdict) -> Text:
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
            shuffled=_number(found.expected_unique_exact),
            strangers=_number(found.expected_among_strangers),
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
            expected=_number(found.expected_repeated_exact),
        )


def _nearest_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
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
            expected=_number(expected),
        )
    yield from _relinkage_by_likeness(measures.near_copies, thresholds)
    yield _near_copy_finding(measures.near_copies, thresholds)


def _relinkage_verdict(
    n_relinked: int, n_named: int, p_value: float, *, thresholds: LeakageThresholds
) -> Verdict:
    """FAIL where rows find their own beyond chance and often enough to be believed; WARN beyond chance."""
    if not n_relinked or p_value > normal_tail(thresholds.z):
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
        "{rows} points at its own, close numbers counting as alike; rows named at random would give "
        "{expected}.",
        "{rows} point at their own, close numbers counting as alike; rows named at random would give "
        "{expected}.",
        rows=share_of(found.n_relinked, found.n_own, "scrambled rows that point at one original row"),
        expected=_number(found.n_own / found.n_references),
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
    verdict = _verdict_by_chance(excess.p_value, thresholds)
    return Finding.of("near_copies", verdict, n_affected=excess.n_observed)(_pointing(found))


def _verdict_by_chance(p_value: float, thresholds: LeakageThresholds) -> Verdict:
    """FAIL where persons are found, WARN where chance is unlikely."""
    if p_value <= member_level(thresholds):
        return Verdict.FAIL
    return Verdict.WARN if p_value <= thresholds.chance_level else Verdict.PASS


def _strangers(found: NearCopies) -> Text:
    """Name what stands for strangers."""
    return own("hold-out records" if found.n_holdout else "original persons among each other")


def _pointing(found: NearCopies) -> Text:
    """Say how many rows point at one person, and how many would by chance."""
    excess = found.excess
    return text(
        "{rows} points at one original person, more like that person than like the next by {bits} bits or "
        "more; by {strangers}, or rows mixed from persons alike, it would be {expected}: people may have "
        "moved with little changed.",
        "{rows} point at one original person each ({persons}), more like that person than like the next by "
        "{bits} bits or more; by {strangers}, or rows mixed from persons alike, it would be {expected}: "
        "people may have moved with little changed.",
        n=excess.n_observed,
        rows=share_of(excess.n_observed, found.n_rows, "scrambled rows looked at"),
        persons=counted(excess.n_persons, "person"),
        bits=round(excess.bits),
        strangers=_strangers(found),
        expected=_number(excess.n_expected),
    )


def _set_aside_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say what leaks once columns that match nowhere are set aside; FAIL beyond chance."""
    aside = measures.set_aside
    if aside is None:
        return
    level = thresholds.chance_level / _N_WAYS
    tolerated = aside.rows is None or aside.rows.full_leakage_share <= thresholds.max_full_leakage_share
    if aside.rows is not None and aside.full_p_value <= level and not tolerated:
        yield Finding.of("without_columns", Verdict.FAIL, n_affected=aside.rows.n_full)(
            _without(
                aside.columns,
                text(
                    "{rows} is the same as its original row in the other {columns}, which is full leakage; "
                    "random order would give {expected}.",
                    "{rows} are the same as their original row in the other {columns}, which is full "
                    "leakage; random order would give {expected}.",
                    n=aside.rows.n_full,
                    rows=share_of(aside.rows.n_full, aside.rows.n_rows, "rows"),
                    columns=counted(aside.n_left, "column"),
                    expected=_number(aside.expected_full),
                ),
            )
        ).told(short=without(aside.columns, aside.rows.n_full, aside.rows.n_rows))
        return
    found = aside.whole_rows
    verdict = _whole_row_verdict(found, thresholds)
    yield Finding.of("without_columns", verdict, n_affected=found.n_unique_exact)(
        _without(aside.columns, _whole_rows_found(found, verdict))
    ).told(short=without(aside.columns, found.n_unique_exact, found.n_unique))


def _without(columns: Sequence[str], found: Text) -> Text:
    """Say what is found without columns that match nowhere."""
    return text(
        "Without {columns}, which matches nowhere, {found}",
        "Without {columns}, which match nowhere, {found}",
        n=len(columns),
        columns=listed(columns, at_most=3),
        found=found,
    )


def _second_look_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """Say what leaks past spelling and simple disguises; FAIL beyond chance."""
    again = measures.second_look
    if again is None:
        return
    rows = again.rows
    if rows is not None and rows.n_full and rows.full_leakage_share > thresholds.max_full_leakage_share:
        p_value = float(poisson_tail(rows.n_full, again.expected_full))
        if p_value <= thresholds.chance_level / _N_WAYS:
            yield Finding.of("second_look", Verdict.FAIL, n_affected=rows.n_full)(
                _again(
                    measures,
                    again,
                    text(
                        "{rows} is the same as its original row in every valid cell; random order would give "
                        "{expected}. Another spelling or scale hides nobody.",
                        "{rows} are the same as their original row in every valid cell; random order would "
                        "give {expected}. Another spelling or scale hides nobody.",
                        n=rows.n_full,
                        rows=share_of(rows.n_full, rows.n_rows, "rows"),
                        expected=_number(again.expected_full),
                    ),
                )
            ).told(short=past_disguise(rows.n_full, rows.n_rows))
            return
    whole = _whole_row_verdict(again.whole_rows, thresholds)
    near = _verdict_by_chance(again.near_copies.excess.p_value, thresholds)
    if near.severity > whole.severity:
        message, n = _pointing(again.near_copies), again.near_copies.excess.n_observed
        first = measures.near_copies.excess
        before = _verdict_by_chance(first.p_value, thresholds)
        is_new = near.severity > before.severity or n > _MORE * first.n_observed
        short = ""
    else:
        message, n = _whole_rows_found(again.whole_rows, whole), again.whole_rows.n_unique_exact
        is_new, short = True, past_disguise(n, again.whole_rows.n_unique)
    if not is_new:
        yield Finding.of("second_look", Verdict.PASS, n_affected=n)(
            _again(measures, again, text("no more is found than before."))
        )
        return
    found = Finding.of("second_look", worst((whole, near)), n_affected=n)(_again(measures, again, message))
    yield found.told(short=short)


def _again(measures: LeakageMeasures, again: SecondLook, found: Text) -> Text:
    """Say what was undone, and what is found then."""
    if again.n_columns == len(measures.columns):
        return text("Second look ({undone}): {found}", undone=_what_was_undone(again), found=found)
    return text(
        "Second look ({undone}): on {n} of {columns}, {found}",
        undone=_what_was_undone(again),
        n=again.n_columns,
        columns=counted(len(measures.columns), "column"),
        found=found,
    )


def _attack_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """WARN where attacks succeed on original records more often than on hold-out records."""
    if measures.attacks is None or not measures.has_holdout:
        return
    level = thresholds.chance_level / _N_WAYS / max(len(measures.attacks.rates), 1)
    rates = measures.attacks.rates
    better = [rate for rate in rates if rate.p_value <= level]
    message = text(
        "No attack of {total} succeeds on original records more often than on hold-out records.",
        total=len(rates),
    )
    if better:
        most = max(better, key=lambda rate: rate.risk or 0.0)
        message = text(
            "{n} of {total} attacks succeeds on original records more often than on hold-out records, most "
            "of all {attack}: {share} of {guesses} against {control}. The scrambled table tells something of "
            "the persons in it.",
            "{n} of {total} attacks succeed on original records more often than on hold-out records, most of "
            "all {attack}: {share} of {guesses} against {control}. The scrambled table tells something of "
            "the persons in it.",
            n=len(better),
            total=len(rates),
            attack=most.named,
            share=percent(most.share),
            guesses=counted(most.n_guesses, "guess", "guesses"),
            control=percent(most.control_share or 0),
        )
    yield Finding.of("attacks", Verdict.WARN if better else Verdict.PASS, n_affected=len(better))(message)


def _member_findings(measures: LeakageMeasures, thresholds: LeakageThresholds) -> Iterator[Finding]:
    """FAIL where original persons are nearer to scrambled rows than outsiders, beyond chance."""
    found = measures.members
    if found is None:
        return
    verdict = _verdict_by_chance(found.p_value, thresholds)
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
        expected=_number(found.n_expected),
    )


def member_level(thresholds: LeakageThresholds) -> float:
    """Return the probability by chance from which members are told."""
    return thresholds.chance_level / _N_WAYS


def _by_columns(found: NearerMembers, measures: LeakageMeasures) -> Text:
    """Name the columns by which persons are near."""
    if len(found.columns) == len(measures.columns):
        return own("all columns")
    return listed(found.columns, at_most=4)


def _smallest_leak_findings(
    measures: LeakageMeasures, thresholds: LeakageThresholds, others: Verdict
) -> Iterator[Finding]:
    """Say what leak could have been seen; NOT ASSESSED where nothing was, and that says too little."""
    found = measures.members
    if found is None or not found.by_holdout:
        return
    persons = found.smallest_leak(member_level(thresholds))
    is_seen = persons is not None and persons <= LARGEST_UNSEEN * found.n_persons
    verdict = Verdict.NOT_ASSESSED if others is Verdict.PASS and not is_seen else Verdict.PASS
    if persons is None:
        yield Finding.of("smallest_leak", verdict)(
            "With {members} original and {others} hold-out records looked at, nearness to the scrambled "
            "table could not have shown any leak.",
            members=found.n_persons,
            others=found.n_outsiders,
        )
        return
    yield Finding.of("smallest_leak", verdict, n_affected=persons)(
        "The smallest leak that nearness to the scrambled table could have shown is of {n} person of "
        "{members} looked at ({share}; beside {others} of the hold-out): a smaller one may be there unseen.",
        "The smallest leak that nearness to the scrambled table could have shown is of {n} persons of "
        "{members} looked at ({share}; beside {others} of the hold-out): a smaller one may be there unseen.",
        members=found.n_persons,
        share=percent(persons / found.n_persons),
        others=found.n_outsiders,
    )


def _what_was_undone(again: SecondLook) -> Text:
    """Say in how many columns what was undone."""
    done = (
        counted(len(again.respelled), "column spelled otherwise", "columns spelled otherwise"),
        counted(
            len(again.rescaled), "column put on the original's scale", "columns put on the original's scale"
        ),
        counted(len(again.recoded), "column recoded by frequency", "columns recoded by frequency"),
        counted(len(again.renamed), "column of another name", "columns of another name"),
    )
    return joined([part for part in done if part.n], ", ")


def _column_set_findings(measures: LeakageMeasures) -> Iterator[Finding]:
    """Say which columns could not be compared, WARN where at least half; and where rows are no persons."""
    if measures.persons is not None:
        yield Finding.of("rows_of_persons", Verdict.PASS, column=measures.persons.column)(
            "{column} seems to say whose row it is, and has {values} in {rows}: all figures count rows, not "
            "persons.",
            column=f"`{measures.persons.column}`",
            values=counted(measures.persons.n_distinct, "value"),
            rows=counted(measures.persons.n_nonblank, "row"),
        )
    unlike = measures.not_comparable
    if len(unlike) >= max(2, len(measures.columns) / 2):
        yield Finding.of("columns_not_comparable", Verdict.WARN, n_affected=len(unlike))(
            "{n} of {columns} ({names}) share hardly a value with the original's, so that no row can be "
            "found by them: they may be encoded or cut short.",
            columns=counted(len(measures.columns), "column"),
            names=listed(unlike, at_most=3),
        )
    renamed = {} if measures.second_look is None else measures.second_look.renamed
    yield from missing_column_findings(
        measures.only_in_original, measures.only_in_scrambled, renamed=renamed.values()
    )


def missing_column_findings(
    only_in_original: Sequence[str], only_in_scrambled: Sequence[str], *, renamed: Collection[str] = ()
) -> Iterator[Finding]:
    """Say which columns only one table has, WARN where the scrambled one has any that nothing pairs."""
    if only_in_scrambled:
        n = len(only_in_scrambled)
        n_paired = len({*only_in_scrambled} & {*renamed})
        message = text(
            "{n} column of the scrambled table could not be compared, because the original has no column of "
            "that name.",
            "{n} columns of the scrambled table could not be compared, because the original has no column of "
            "that name.",
            n=n,
        )
        if n_paired:
            paired = text("The second look paired {paired} of them by their values.", paired=n_paired)
            message = joined([message, paired])
        yield Finding.of(
            "columns_only_in_scrambled", Verdict.PASS if n == n_paired else Verdict.WARN, n_affected=n
        )(message)
    if only_in_original:
        n = len(only_in_original)
        yield Finding.of("columns_only_in_original", Verdict.PASS, n_affected=n)(
            "{n} column of the original table is not in the scrambled table.",
            "{n} columns of the original table are not in the scrambled table.",
        )


def _percent_range(chance: ChanceRange) -> Text:
    """Return a mean with its central 95 %."""
    return text(
        "{mean} ({low} to {high} in 95 % of orders)",
        mean=percent(chance.mean),
        low=percent(chance.low),
        high=percent(chance.high),
    )


def _number(value: float) -> Text:
    """Return an expected count with as many decimals as it needs."""
    if value < 0.005:
        return own("none" if value == 0 else "fewer than 0.01")
    return Written(f"{value:,.2f}" if value < 100 else f"{value:,.0f}")
