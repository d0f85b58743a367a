"""What follows from a table of counts, and which of its cells to suppress."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from core.counts.cube import Key
from core.counts.measuring import (
    Contributions,
    CountsMeasurement,
    Dominated,
    dominated_cells,
    measure_contributions,
    measure_counts,
)
from core.counts.settings import CountThresholds
from core.counts.suppressing import Suppression, propose_suppression, small_cells, told_cells
from core.counts.together import Together
from core.files.leftovers import Leftover, judge_leftovers, leftovers_of
from core.tables import Dataset
from core.verdict import Finding, Verdict, worst, worst_first
from core.words import Text, counted, joined, listed, percent, share_of, text

_UNSURE = "That is so if both hold the same people, which their counts do not tell."


@dataclass(frozen=True, kw_only=True, eq=False)
class CountsAudit:
    """A table of counts, or of amounts by contributor, held against thresholds."""

    name: str
    dimensions: tuple[str, ...]
    measured: tuple[CountsMeasurement, ...]  # one a column of counts
    suppressions: tuple[Suppression, ...]  # one a column of counts
    contributions: Contributions | None
    dominated: Dominated | None
    thresholds: CountThresholds
    findings: tuple[Finding, ...]  # the worst first

    @property
    def overall(self) -> Verdict:
        """Return the worst of the findings' verdicts."""
        return worst(finding.verdict for finding in self.findings)


def audit_counts(
    dataset: Dataset,
    *,
    counts: Sequence[str] = (),
    dimensions: Sequence[str],
    sensitive: Sequence[str] = (),
    magnitude: str | None = None,
    contributor: str | None = None,
    others: Sequence[Dataset] = (),
    thresholds: CountThresholds | None = None,
) -> CountsAudit:
    """Audit a table whose rows are cells of counts, or contributions to cells.

    FAIL: small counts are shown; a suppressed one follows from the others, or that it is small does; the
    difference of two counts is small; everybody of a group is in one category of a sensitive column; a
    contributor dominates a sum. WARN: everybody of a group is in one category of another column; a suppressed
    count can be few values only; a few counts are not rounded as all others are.

    Parameters
    ----------
    dataset
        The table, and with `counts` a cell in each row.
    counts, dimensions
        Columns of counts and of categories.
    sensitive
        Dimensions whose category nobody shall learn of a person.
    magnitude, contributor
        Columns of amounts and of who contributes them; rows are contributions then.
    others
        Tables of the same columns that are published too.

    Raises
    ------
    AuditInputError
        See `measure_counts` and `measure_contributions`.
    """
    found = measure_cells(
        dataset,
        counts=counts,
        dimensions=dimensions,
        sensitive=sensitive,
        magnitude=magnitude,
        contributor=contributor,
        others=others,
    )
    return judge_counts(found, thresholds)


@dataclass(frozen=True, kw_only=True, eq=False)
class CellsMeasurement:
    """What was measured of a table of cells, whatever counts as small."""

    name: str
    dimensions: tuple[str, ...]
    measured: tuple[CountsMeasurement, ...]  # one a column of counts
    contributions: Contributions | None
    leftovers: tuple[Leftover, ...] = ()  # what the file holds beside the table


def measure_cells(
    dataset: Dataset,
    *,
    counts: Sequence[str] = (),
    dimensions: Sequence[str],
    sensitive: Sequence[str] = (),
    magnitude: str | None = None,
    contributor: str | None = None,
    others: Sequence[Dataset] = (),
) -> CellsMeasurement:
    """Measure what thresholds are held against; see `audit_counts`."""
    columns, further = tuple(dimensions), [(other.name, other.table) for other in others]
    measured = tuple(
        measure_counts(
            dataset.table,
            count=each,
            dimensions=columns,
            sensitive=sensitive,
            name=dataset.name,
            others=further,
        )
        for each in counts
    )
    return CellsMeasurement(
        name=dataset.name,
        dimensions=measured[0].cube.dimensions if measured else columns,
        measured=measured,
        contributions=None
        if magnitude is None
        else measure_contributions(
            dataset.table, magnitude=magnitude, contributor=contributor, dimensions=columns
        ),
        leftovers=leftovers_of(dataset),
    )


def judge_counts(found: CellsMeasurement, thresholds: CountThresholds | None = None) -> CountsAudit:
    """Hold cells against thresholds, and propose what to suppress."""
    limits = thresholds or CountThresholds()
    suppressions = tuple(propose_suppression(each.cube, limits.least) for each in found.measured)
    findings = [*_of_counts(found.measured, suppressions, limits), *judge_leftovers(found.leftovers)]
    given, dominated = found.contributions, None
    if given is not None:
        dominated = dominated_cells(
            given.values,
            given.cell,
            n_cells=given.n_cells,
            n_largest=limits.n_largest,
            share=limits.dominance_share,
            p_share=limits.p_share,
        )
        findings += _dominance_findings(given, dominated, limits)
    return CountsAudit(
        name=found.name,
        dimensions=found.dimensions,
        measured=found.measured,
        suppressions=suppressions,
        contributions=given,
        dominated=dominated,
        thresholds=limits,
        findings=worst_first(findings),
    )


def _of_counts(
    measured: Sequence[CountsMeasurement], made: Sequence[Suppression], limits: CountThresholds
) -> Iterator[Finding]:
    for each, suppression in zip(measured, made, strict=True):
        yield _small(each, limits.least)
        yield from _told(each, limits.least)
        yield from _unrounded(each)
        yield from _linked(each, limits.least)
        yield from _differences(each, limits.least)
        yield from _full(each)
        yield from _figures(each, limits.least)
        yield from _figures_between(each, limits)
        yield from judge_together(each.together, limits.least)
        for name in each.not_compared:
            yield Finding.of("counts_not_compared", Verdict.NOT_ASSESSED, column=each.count)(
                "{other} has no `{count}` by columns of this table that say which cell a row is; it was not "
                "compared.",
                other=name,
                count=each.count,
            )
        if suppression.primary or told_cells(each.bounded, limits.least):
            yield _proposed(each, suppression, limits.least)
    for one, other in permutations(measured, 2):
        yield from _within(one, other, limits)


def _small(measured: CountsMeasurement, least: int) -> Finding:
    n_small, n_shown = len(small_cells(measured.cube, least)), len(measured.cube.shown)
    if not n_small:
        return Finding.of("small_counts", Verdict.PASS, column=measured.count)(
            "No count of `{column}` that is shown is from 1 to {most}; {n} is 0.",
            "No count of `{column}` that is shown is from 1 to {most}; {n} are 0.",
            n=sum(count == 0 for count in measured.cube.shown),
            most=least - 1,
        )
    return Finding.of("small_counts", Verdict.FAIL, column=measured.count, n_affected=n_small)(
        "{found} counts of `{column}` are from 1 to {most}: few people are in these cells, and whoever knows "
        "one of them sees the rest.",
        found=share_of(n_small, n_shown),
        most=least - 1,
    )


def _unrounded(measured: CountsMeasurement) -> Iterator[Finding]:
    """Yield that a few counts are no multiples of what nearly all others are rounded to."""
    if measured.rounded is None or not measured.rounded.n_others:
        return
    base, n_others = measured.rounded
    yield Finding.of("unrounded_counts", Verdict.WARN, column=measured.count, n_affected=n_others)(
        "Counts of `{column}` are multiples of {base}, but {found} is none: it seems not to be rounded.",
        "Counts of `{column}` are multiples of {base}, but {found} are none: they seem not to be rounded.",
        n=n_others,
        base=base,
        found=share_of(n_others, len(measured.cube.shown)),
    )


def _told(measured: CountsMeasurement, least: int) -> Iterator[Finding]:
    bounded, column = measured.bounded, measured.count
    n_suppressed = sum(count is None for count in measured.cube.cells.values())
    if not bounded.is_consistent:
        yield Finding.of("totals_do_not_add_up", Verdict.NOT_ASSESSED, column=column)(
            "The totals of `{column}` are not the sums of their cells, so what they tell of suppressed cells "
            "is not assessed."
        )
        return
    if bounded.n_left_out:
        yield Finding.of("counts_not_bounded", Verdict.NOT_ASSESSED, column=column)(
            "{n} suppressed count of `{column}` hangs together with too many others to be bounded.",
            "{n} suppressed counts of `{column}` hang together with too many others to be bounded.",
            n=bounded.n_left_out,
        )
    exact = [key for key, each in bounded.bounds.items() if each.least == each.most]
    narrow = [key for key in told_cells(bounded, least) if key not in exact]
    if exact:
        yield Finding.of("recoverable_counts", Verdict.FAIL, column=column, n_affected=len(exact))(
            "Suppressed counts of `{column}` that follow from the totals and the other cells: {found}.",
            found=share_of(len(exact), len(bounded.bounds)),
        )
    yield from _narrow(measured, narrow, least)
    if n_suppressed and not exact and not narrow and not bounded.n_left_out:
        yield Finding.of("recoverable_counts", Verdict.PASS, column=column)(
            "The totals leave each suppressed count of `{column}` at least {least} values.",
            least=round(min(bounded.asked(key, least) for key in bounded.bounds)),
        )


def _narrow(measured: CountsMeasurement, narrow: Sequence[Key], least: int) -> Iterator[Finding]:
    """Yield which suppressed counts are surely small, or else that some can be few values."""
    bounds, column = measured.bounded.bounds, measured.count
    most = {key: round(bounds[key].most) for key in narrow if np.isfinite(bounds[key].most)}
    # a mark that says as much of its cell is no news
    small = [key for key, n in most.items() if n < min(least, measured.cube.span(key)[1])]
    if small:
        yield Finding.of("narrow_counts", Verdict.FAIL, column=column, n_affected=len(small))(
            "Suppressed counts of `{column}` that are surely from 0 to {most}, by the totals and the other "
            "cells, where {least} people are asked for: {found}.",
            most=max(most[key] for key in small),
            least=least,
            found=share_of(len(small), len(bounds)),
        )
    elif narrow:
        yield Finding.of("narrow_counts", Verdict.WARN, column=column, n_affected=len(narrow))(
            "Suppressed counts of `{column}` that can be fewer than {least} values, by the totals and the "
            "other cells: {found}.",
            least=least,
            found=share_of(len(narrow), len(bounds)),
        )


def _differences(measured: CountsMeasurement, least: int) -> Iterator[Finding]:
    small = [each for each in measured.differences if 0 < each.n < least]
    in_others = [each for each in small if each.other]
    for is_sure in (True, False):
        if n := sum(each.is_sure is is_sure for each in in_others):
            message = text(
                "Counts of `{column}` that differ by 1 to {most} from that of the same cell in another "
                "table: {found}.",
                column=measured.count,
                most=least - 1,
                found=n,
            )
            yield _of_others("small_differences", measured, message, n=n, is_sure=is_sure)
    if n_nested := len(small) - len(in_others):
        yield Finding.of("small_differences", Verdict.FAIL, column=measured.count, n_affected=n_nested)(
            "Pairs of counts of `{column}`, of bands of which one holds the other, that differ by 1 to "
            "{most}: {found}.",
            most=least - 1,
            found=n_nested,
        )


def _of_others(
    check: str, measured: CountsMeasurement, message: Text, *, n: int, is_sure: bool, is_exact: bool = True
) -> Finding:
    """Return what another table tells; it only warns where that may count other people."""
    verdict = Verdict.FAIL if is_sure and is_exact else Verdict.WARN
    return Finding.of(check, verdict, column=measured.count, n_affected=n)(
        message if is_sure else joined([message, _UNSURE])
    )


def _linked(measured: CountsMeasurement, least: int) -> Iterator[Finding]:
    """Yield what tables beside it tell of suppressed counts."""
    for each in measured.linked:
        if not (narrow := each.narrower(measured.bounded, least)):
            continue
        message = text(
            "Suppressed counts of `{column}` that can be fewer than {least} values once {other} is read "
            "beside it: {found}. One value alone is left in {exact} of them.",
            column=measured.count,
            least=least,
            other=f"`{each.other}`",
            found=share_of(len(narrow), len(each.bounds)),
            exact=(n_exact := sum(each.bounds[key].n_values == 1 for key in narrow)),
        )
        yield _of_others(
            "recoverable_counts", measured, message, n=len(narrow), is_sure=each.is_sure, is_exact=n_exact > 0
        )


def judge_together(found: Sequence[Together], least: int) -> Iterator[Finding]:
    """Yield what tables tell together of cells that none of them shows."""
    for each in found:
        tables, columns = listed(each.tables), listed(each.columns)
        if n := each.n_small(least):
            message = text(
                "{tables}, read together, give {n} cell of 1 to {most} people by {columns} that none "
                "of them shows.",
                "{tables}, read together, give {n} cells of 1 to {most} people by {columns} that none "
                "of them shows.",
                n=n,
                tables=tables,
                columns=columns,
                most=least - 1,
            )
            yield Finding.of("counts_together", Verdict.FAIL if each.is_sure else Verdict.WARN, n_affected=n)(
                message if each.is_sure else joined([message, _UNSURE])
            )
        if each.n_left_out:
            yield Finding.of("counts_together", Verdict.NOT_ASSESSED)(
                "What {tables} tell together was left out for {n} cell by {columns}: there are too many.",
                "What {tables} tell together was left out for {n} cells by {columns}: there are too many.",
                n=each.n_left_out,
                tables=tables,
                columns=columns,
            )


def _within(one: CountsMeasurement, other: CountsMeasurement, limits: CountThresholds) -> Iterator[Finding]:
    """Yield what follows where a column may count some of the people that another one counts."""
    pairs = [
        (mine, theirs)
        for key, mine in one.cube.cells.items()
        if mine is not None and (theirs := other.cube.cells.get(key)) is not None
    ]
    rest = [theirs - mine for mine, theirs in pairs]
    if not rest or min(rest) < 0 or not max(rest):
        return
    if n_small := sum(0 < n < limits.least for n in rest):
        yield Finding.of("small_differences", Verdict.WARN, column=other.count, n_affected=n_small)(
            "`{column}` is nowhere below `{other}`. If it counts the same people and more, the rest is 1 to "
            "{most} in {found} cells.",
            other=one.count,
            most=limits.least - 1,
            found=share_of(n_small, len(rest)),
        )


def _figures(measured: CountsMeasurement, least: int) -> Iterator[Finding]:
    """Yield what shares and averages beside the counts tell of few people."""
    for each in measured.figures:
        if n_below := each.n_below(least):
            yield Finding.of("small_counts", Verdict.FAIL, column=each.column, n_affected=n_below)(
                "`{column}` is a share of `{count}`: in {n} cell it comes to 1 to {most} people, or leaves "
                "so many.",
                "`{column}` is a share of `{count}`: in {n} cells it comes to 1 to {most} people, or leaves "
                "so many.",
                n=n_below,
                count=measured.count,
                most=least - 1,
            )
        if each.n_of_suppressed:
            yield Finding.of(
                "small_counts", Verdict.FAIL, column=each.column, n_affected=each.n_of_suppressed
            )(
                "`{column}` is shown in {n} cell whose `{count}` is suppressed: it is of those people.",
                "`{column}` is shown in {n} cells whose `{count}` is suppressed: it is of those people.",
                n=each.n_of_suppressed,
                count=measured.count,
            )


def _figures_between(measured: CountsMeasurement, limits: CountThresholds) -> Iterator[Finding]:
    """Yield what sums and averages tell of the people by whom counts differ, and of one person each."""
    for each in measured.between:
        if n_told := each.n_told(limits.least, limits.p_share):
            yield Finding.of("figure_differences", Verdict.FAIL, column=each.column, n_affected=n_told)(
                "Where counts of `{count}` differ by 1 to {most}, subtracting gives `{column}` of those "
                "people to within {share}; pairs of cells: {found}.",
                count=measured.count,
                most=limits.least - 1,
                share=percent(limits.p_share),
                found=n_told,
            )
    for column in measured.extremes:
        yield Finding.of("extreme_figures", Verdict.WARN, column=column)(
            "`{column}` is named as a largest or smallest value: in each cell it is that of a single person."
        )


def _full(measured: CountsMeasurement) -> Iterator[Finding]:
    for each in measured.full:
        sensitive = each.column in measured.sensitive
        if each.n_full and (sensitive or not measured.sensitive):
            yield Finding.of(
                "full_counts",
                Verdict.FAIL if sensitive else Verdict.WARN,
                column=each.column,
                n_affected=each.n_people,
            )(
                "In {found} groups by the other columns ({people}) everybody is in one category of "
                "`{column}`: who knows the group of a person knows it.",
                found=share_of(each.n_full, each.n_groups),
                people=counted(each.n_people, "person"),
            )


def _proposed(measured: CountsMeasurement, made: Suppression, least: int) -> Finding:
    column = measured.count
    if not made.is_complete:
        return Finding.of("suppression", Verdict.NOT_ASSESSED, column=column)(
            "The table has too many cells to look for those that have to be suppressed beside the small ones."
        )
    if not made.holds:
        return Finding.of("suppression", Verdict.WARN, column=column)(
            "No suppression of cells of `{column}` was found that the totals do not give away: put "
            "categories together."
        )
    return Finding.of(
        "suppression", Verdict.PASS, column=column, n_affected=len(made.primary) + len(made.secondary)
    )(
        "Suppressing {primary} and {secondary} is enough: counted again, each suppressed count of `{column}` "
        "can then be at least {least} values.",
        primary=counted(len(made.primary), "small count"),
        secondary=counted(len(made.secondary), "other count"),
        least=least,
    )


def _dominance_findings(given: Contributions, found: Dominated, limits: CountThresholds) -> Iterator[Finding]:
    for check, cells, rule in (
        (
            "dominance",
            found.by_share,
            text(
                "the {n} largest contributor has more than {share} of the sum",
                "the {n} largest contributors have more than {share} of the sum",
                n=limits.n_largest,
                share=percent(limits.dominance_share),
            ),
        ),
        (
            "p_percent",
            found.by_p,
            text(
                "the second largest contributor can tell the largest to within {share}",
                share=percent(limits.p_share),
            ),
        ),
    ):
        n = int(np.count_nonzero(cells))
        yield Finding.of(check, Verdict.FAIL if n else Verdict.PASS, column=given.column, n_affected=n)(
            "In {found} cells of `{column}` {rule}.", found=share_of(n, given.n_cells), rule=rule
        )


def cell_names(measured: CountsMeasurement, key: Key) -> list[str]:
    """Return the category of a cell by dimension; Σ for a total."""
    cube = measured.cube
    return [cube.name_of(at, place) or "Σ" for at, place in enumerate(key)]
