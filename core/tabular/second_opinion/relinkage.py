"""Whether anonymized records can be found in the original by the columns left unchanged.

A record matches by value, not by position: its combination of values occurs exactly once among the original
records. A blank is a value like another, but a record blank in all the columns matches nothing.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from core.coding import joint_codes
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.second_opinion.unchanged import ColumnComparison
from core.tabular.settings import LOWEST_UNCHANGED_SHARE, SecondOpinionSettings, SecondOpinionThresholds
from core.tabular.words import listed
from core.verdict import Finding, Verdict
from core.words import Text, joined, percent, share_of, text

_MOST_SETS = 20_000  # sets of one size that an exhaustive search may look at
_PARTLY = (0.9, 0.75, 0.5, 0.25, 0.1)  # shares of unchanged cells from which columns are tried together
_NO_ACCIDENT = 5  # standard deviations beyond chance
_MOST_ADDED = 100  # columns, those of most values, that a greedy search tries to add


@dataclass(frozen=True, kw_only=True)
class ColumnSet:
    """How many anonymized records a set of columns re-links."""

    columns: tuple[str, ...]
    n_matched: int


@dataclass(frozen=True, kw_only=True)
class RelinkageLevel:
    """Re-linkage by all columns unchanged in at least a share of their cells."""

    unchanged_share: float  # the smallest unchanged share among the columns
    columns: tuple[str, ...]  # anonymized columns, in the order of the original table
    # anonymized records whose values in all these columns occur in exactly one original record
    n_matched: int
    # the columns, as few as found, that alone re-link more than `over_share` of the records; None where no
    # set of up to `largest_set` does
    smallest_set: ColumnSet | None
    # whether every smaller set was ruled out, and not only those a greedy search comes across
    exhaustive: bool


@dataclass(frozen=True, kw_only=True)
class PartlyUnchanged:
    """How many anonymized records are the only match of their own original record."""

    columns: tuple[str, ...]  # anonymized columns unchanged in at least a share of their cells
    # anonymized records whose values in all these columns occur in exactly one original record: the one of
    # the same row; where the order of the records has changed, as many as chance does not explain
    n_matched: int


@dataclass(frozen=True, kw_only=True, eq=False)
class RelinkageMeasurement:
    """Re-linkage for every possible limit of "left unchanged"."""

    n_records: int  # anonymized records
    over_share: float  # as set
    largest_set: int
    # Re-linkage by columns unchanged in part, with those unchanged in more; by falling share
    partly: tuple[PartlyUnchanged, ...]
    # By falling unchanged share; each level's columns include those before. Empty where no column is
    # unchanged in half of its cells.
    levels: tuple[RelinkageLevel, ...]
    single_columns: tuple[ColumnSet, ...]  # per column of the last level, how many records it re-links alone
    # Re-linkage by which cells are blank, in columns whose blanks were kept though their values were changed,
    # with the columns unchanged in nearly all cells; None where no blanks were kept
    blanks: PartlyUnchanged | None = None

    def level(self, left_unchanged_share: float) -> RelinkageLevel | None:
        """Return the level whose columns are those left unchanged; None where there are none."""
        wide_enough = [level for level in self.levels if level.unchanged_share >= left_unchanged_share]
        return wide_enough[-1] if wide_enough else None


def measure_relinkage(
    tables: LoggedTables, columns: Sequence[ColumnComparison], settings: SecondOpinionSettings
) -> RelinkageMeasurement:
    """Count the anonymized records that the unchanged columns re-link, for every possible limit.

    Exact: every record is read. The smallest set is searched exhaustively, pruned by a bound that
    cannot be wrong, as long as `settings.search_budget` lasts; then greedily, which is stated.
    """
    all_shares = {
        pair.pair.anonymized: column.unchanged_share or 0.0
        for pair, column in _one_per_original(tables, columns)
    }
    shares = {name: share for name, share in all_shares.items() if share >= LOWEST_UNCHANGED_SHARE}
    coded = {pair.pair.anonymized: pair for pair in tables.coded if pair.pair.anonymized in shares}
    search = _Search(coded=coded, tables=tables, settings=settings)
    levels = [
        search.level(share, tuple(name for name in shares if shares[name] >= share))
        for share in sorted(set(shares.values()), reverse=True)
    ]
    return RelinkageMeasurement(
        n_records=tables.n_anonymized,
        over_share=settings.over_share,
        largest_set=settings.largest_set,
        partly=tuple(_partly_unchanged(tables, all_shares, settings)),
        levels=tuple(levels),
        single_columns=tuple(
            ColumnSet(columns=(name,), n_matched=search.n_matched((name,))) for name in shares
        ),
        blanks=_by_blanks(tables, all_shares, settings),
    )


def _by_blanks(
    tables: LoggedTables, shares: Mapping[str, float], settings: SecondOpinionSettings
) -> PartlyUnchanged | None:
    """Return the matches by who is blank where, beside what was left unchanged, less those of chance."""
    pairs = [pair for pair in tables.coded if pair.pair.anonymized in shares]
    left = [pair for pair in pairs if shares[pair.pair.anonymized] >= _PARTLY[0]]
    filled = [
        replace(pair, original=(pair.original >= 0) * 1, anonymized=(pair.anonymized >= 0) * 1)
        for pair in pairs
        if pair not in left and _keeps_blanks(pair, in_row=tables.in_order)
    ]
    if not filled:
        return None
    n_matched = _n_beyond_chance(tables, left, filled, settings)
    return PartlyUnchanged(columns=tuple(pair.pair.anonymized for pair in filled), n_matched=n_matched)


def _keeps_blanks(pair: CodedPair, *, in_row: bool) -> bool:
    """Whether some cells were blank, and nearly these are: in their rows, or as many of reordered ones."""
    before, after = pair.original < 0, pair.anonymized < 0
    if not in_row:
        share = before.mean(), after.mean()
        return 0 < share[0] < 1 and min(share) >= _PARTLY[0] * max(share)
    either = np.count_nonzero(before | after)
    return bool(0 < before.mean() < 1 and np.count_nonzero(before & after) >= _PARTLY[0] * either)


def _partly_unchanged(
    tables: LoggedTables, shares: Mapping[str, float], settings: SecondOpinionSettings
) -> Iterator[PartlyUnchanged]:
    """Yield the matches by every limit of `_PARTLY` that adds a column, less those of chance."""
    known = {name for name, share in shares.items() if share == 1}
    for limit in _PARTLY:
        names = {name for name, share in shares.items() if share >= limit}
        if names == known:
            continue
        known = names
        pairs = [pair for pair in tables.coded if pair.pair.anonymized in names]
        whole = [pair for pair in pairs if shares[pair.pair.anonymized] == 1]
        changed = [pair for pair in pairs if shares[pair.pair.anonymized] < 1]
        n_matched = _n_beyond_chance(tables, whole, changed, settings)
        yield PartlyUnchanged(columns=tuple(pair.pair.anonymized for pair in pairs), n_matched=n_matched)


def _n_beyond_chance(
    tables: LoggedTables,
    whole: Sequence[CodedPair],
    changed: Sequence[CodedPair],
    settings: SecondOpinionSettings,
) -> int:
    """Return the matches by all columns; of reordered tables beyond those of the changed ones shuffled."""
    n_matched = _n_matched_by_all([*whole, *changed], in_row=tables.in_order)
    if tables.in_order:
        return n_matched
    rng = np.random.default_rng(settings.seed)
    shuffled = [replace(pair, anonymized=rng.permutation(pair.anonymized)) for pair in changed]
    by_chance = _n_matched_by_all([*whole, *shuffled])
    beyond = n_matched - by_chance
    return beyond if beyond > _NO_ACCIDENT * math.sqrt(by_chance + 1) else 0


def _one_per_original(
    tables: LoggedTables, columns: Sequence[ColumnComparison]
) -> Iterator[tuple[CodedPair, ColumnComparison]]:
    """Yield the pairs, of several expansions of one column only the least changed."""
    best: dict[str, tuple[CodedPair, ColumnComparison]] = {}
    for pair, column in zip(tables.coded, columns, strict=True):
        known = best.get(column.original)
        if known is None or column.n_unchanged > known[1].n_unchanged:
            best[column.original] = (pair, column)
    yield from best.values()


@dataclass(kw_only=True, eq=False)
class _Search:
    """Counts matches of sets of columns, remembers them, and looks for the smallest set."""

    coded: dict[str, CodedPair]
    tables: LoggedTables
    settings: SecondOpinionSettings
    counted_sets: dict[frozenset[str], int] = field(default_factory=dict)
    n_records_read: int = 0

    def level(self, share: float, columns: tuple[str, ...]) -> RelinkageLevel:
        found, exhaustive = self.smallest_set(columns)
        return RelinkageLevel(
            unchanged_share=share,
            columns=columns,
            n_matched=self.n_matched(columns),
            smallest_set=found,
            exhaustive=exhaustive,
        )

    def n_matched(self, columns: Sequence[str]) -> int:
        """Return the anonymized records that match exactly one original record on the columns."""
        key = frozenset(columns)
        if key not in self.counted_sets:
            pairs = [self.coded[name] for name in columns]
            self.counted_sets[key] = pairs[0].n_found_alone if len(pairs) == 1 else _n_matched_by_all(pairs)
            self.n_records_read += self.tables.n_original + self.tables.n_anonymized
        return self.counted_sets[key]

    def enough(self, n_matched: int) -> bool:
        return n_matched > self.settings.over_share * self.tables.n_anonymized

    def smallest_set(self, columns: tuple[str, ...]) -> tuple[ColumnSet | None, bool]:
        """Return the best set of the smallest size that is enough, and whether smaller ones are ruled out."""
        exhaustive = True
        for size in range(1, self.settings.largest_set + 1):
            sets = self.possible_sets(columns, size)
            if sets is None:
                exhaustive, sets = False, self.greedy_sets(columns, size)
            best = max(sets, key=self.n_matched, default=None)
            if best is not None and self.enough(self.n_matched(best)):
                return ColumnSet(columns=best, n_matched=self.n_matched(best)), exhaustive
        return None, exhaustive

    def possible_sets(self, columns: tuple[str, ...], size: int) -> list[tuple[str, ...]] | None:
        """Return the sets that could be enough, None where counting them all is too much work."""
        if math.comb(len(columns), size) > _MOST_SETS:
            return None
        sets = [names for names in itertools.combinations(columns, size) if self.possible(names)]
        return sets if self.affordable(sets) else None

    def affordable(self, sets: Sequence[tuple[str, ...]]) -> bool:
        n_new = sum(frozenset(names) not in self.counted_sets for names in sets if len(names) > 1)
        per_set = self.tables.n_original + self.tables.n_anonymized
        return self.n_records_read + n_new * per_set <= self.settings.search_budget

    def possible(self, columns: Sequence[str]) -> bool:
        """Whether the columns could be enough, by a bound that is never too low.

        There are at most as many original records with a combination of their own as there are
        combinations; of tables of equal length, an anonymized record that matches one of them is in
        the same row, or differs from the original of its row in one of the columns.
        """
        if self.tables.n_original != self.tables.n_anonymized:
            return True
        combinations, n_changed = 1, 0
        for pair in (self.coded[name] for name in columns):
            combinations *= int(np.count_nonzero(pair.original_counts)) + 1
            n_changed += self.tables.n_anonymized - pair.n_same_row
        return self.enough(min(combinations, self.tables.n_original) + n_changed)

    def greedy_sets(self, columns: Sequence[str], size: int) -> list[tuple[str, ...]]:
        """Return the sets that add one column to the best smaller set known."""
        position = {name: i for i, name in enumerate(columns)}
        smaller = [
            tuple(sorted(names, key=position.__getitem__))
            for names in self.counted_sets
            if len(names) == size - 1 and names <= position.keys()
        ]
        best = max(sorted(smaller), key=self.n_matched, default=())
        richest = sorted(columns, key=lambda name: -self.coded[name].n_values)[:_MOST_ADDED]
        return [
            tuple(sorted({*best, name}, key=position.__getitem__)) for name in richest if name not in best
        ]


def _n_matched_by_all(pairs: Sequence[CodedPair], *, in_row: bool = False) -> int:
    """Return the anonymized records whose combination of values one original record has, in the same row."""
    records = joint_codes(pairs)
    matched = records.original_counts[records.anonymized] == 1
    if in_row:
        matched &= records.original == records.anonymized
    return int(np.count_nonzero(matched & _any_filled(pairs)))


def _any_filled(pairs: Sequence[CodedPair]) -> npt.NDArray[np.bool_]:
    """Return shape (n_anonymized_records,): whether any of the columns is filled."""
    filled = pairs[0].anonymized >= 0
    for pair in pairs[1:]:
        filled |= pair.anonymized >= 0
    return filled


def judge_relinkage(measured: RelinkageMeasurement, thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return what the columns left unchanged reveal together, and the fewest that already do."""
    level = measured.level(thresholds.left_unchanged_share)
    if level is None or not measured.n_records:
        none = Finding.of("relinkage", Verdict.PASS, n_affected=0)("No column is left unchanged as a whole.")
        return [none, *_about_partly(None, measured, thresholds)]
    few = level.smallest_set or ColumnSet(columns=level.columns, n_matched=level.n_matched)
    findings = [_about_all(level, measured, thresholds)]
    if level.smallest_set is not None:
        findings.append(_about_few(level, level.smallest_set, measured, thresholds))
    findings = [each.told(step=_make_coarser(few.columns, few.n_matched, measured)) for each in findings]
    return [*findings, *_about_partly(level, measured, thresholds)]


def _make_coarser(columns: Sequence[str], n_matched: int, measured: RelinkageMeasurement) -> Text:
    """Return what to do about columns that find records."""
    return text(
        "Make {columns} coarser, or leave it out: {found} anonymized records find their original.",
        "Make {columns} coarser, or leave some of them out: {found} anonymized records find their original.",
        n=len(columns),
        columns=listed(columns),
        found=share_of(n_matched, measured.n_records),
    )


def _about_partly(
    level: RelinkageLevel | None, measured: RelinkageMeasurement, thresholds: SecondOpinionThresholds
) -> Iterator[Finding]:
    """Yield what columns changed in a part of their cells reveal beyond those left unchanged."""
    known, n_known = (frozenset(level.columns), level.n_matched) if level else (frozenset[str](), 0)
    yield from _about_blanks(n_known, measured, thresholds)
    wider = [found for found in measured.partly if known < frozenset(found.columns)]
    found = max(wider, key=lambda found: found.n_matched, default=None)
    if found is None or found.n_matched <= n_known:
        return
    verdict = _relinkage_verdict(found.n_matched, measured, thresholds)
    if verdict is not Verdict.PASS:
        finding = Finding.of("relinkage_by_partly_unchanged", verdict, n_affected=found.n_matched)(
            "By {n} column of which many or all cells are unchanged, {found} anonymized records match their "
            "own original record and no other: {columns}. Changing the other cells does not hide them.",
            "By {n} columns of which many or all cells are unchanged, {found} anonymized records match their "
            "own original record and no other: {columns}. Changing the other cells does not hide them.",
            n=len(found.columns),
            found=share_of(found.n_matched, measured.n_records),
            columns=listed(found.columns),
        )
        yield finding.told(step=_make_coarser(found.columns, found.n_matched, measured))


def _about_blanks(
    n_known: int, measured: RelinkageMeasurement, thresholds: SecondOpinionThresholds
) -> Iterator[Finding]:
    """Yield what the places of blanks reveal beyond the columns left unchanged."""
    found = measured.blanks
    verdict = _relinkage_verdict(found.n_matched, measured, thresholds) if found else Verdict.PASS
    if found is None or verdict.severity <= _relinkage_verdict(n_known, measured, thresholds).severity:
        return
    yield Finding.of("relinkage_by_blanks", verdict, n_affected=found.n_matched)(
        "{n} changed column is blank where the original is: by who is blank where, beside what was left "
        "unchanged, {found} anonymized records match exactly one original record: {columns}.",
        "{n} changed columns are blank where the original is: by who is blank where, beside what was left "
        "unchanged, {found} anonymized records match exactly one original record: {columns}.",
        n=len(found.columns),
        found=share_of(found.n_matched, measured.n_records),
        columns=listed(found.columns),
    )


def _about_all(
    level: RelinkageLevel, measured: RelinkageMeasurement, thresholds: SecondOpinionThresholds
) -> Finding:
    message = text(
        "By the {n} column left unchanged, {found} anonymized records match exactly one original record.",
        "By the {n} columns left unchanged, {found} anonymized records match exactly one original record.",
        n=len(level.columns),
        found=share_of(level.n_matched, measured.n_records),
    )
    return Finding.of(
        "relinkage", _relinkage_verdict(level.n_matched, measured, thresholds), n_affected=level.n_matched
    )(joined([message, *_no_small_set(level, measured)]))


def _no_small_set(level: RelinkageLevel, measured: RelinkageMeasurement) -> Iterator[Text]:
    """Yield that no few columns are enough, where that is so and all of them are."""
    if level.smallest_set is None and level.n_matched > measured.over_share * measured.n_records:
        share = percent(measured.over_share)
        if level.exhaustive:
            yield text(
                "No single column re-links over {share} of them by itself (all sets were ruled out).",
                "No set of up to {n} columns re-links over {share} of them by itself (all sets were ruled "
                "out).",
                n=measured.largest_set,
                share=share,
            )
        else:
            yield text(
                "No single column re-links over {share} of them by itself (the search was greedy).",
                "No set of up to {n} columns re-links over {share} of them by itself (the search was "
                "greedy).",
                n=measured.largest_set,
                share=share,
            )


def _about_few(
    level: RelinkageLevel,
    found: ColumnSet,
    measured: RelinkageMeasurement,
    thresholds: SecondOpinionThresholds,
) -> Finding:
    n = len(found.columns)
    message = text(
        "One unchanged column is enough to re-link over {share} of the records: {columns} alone matches "
        "{found} to exactly one original record.",
        "{n} unchanged columns are enough to re-link over {share} of the records: {columns} alone match "
        "{found} to exactly one original record.",
        n=n,
        share=percent(measured.over_share),
        columns=listed(found.columns),
        found=share_of(found.n_matched, measured.n_records),
    )
    known = (
        "Every smaller set was ruled out."
        if level.exhaustive
        else "The search was greedy, so an even smaller set may do as well."
    )
    return Finding.of(
        "relinkage_by_few_columns",
        _relinkage_verdict(found.n_matched, measured, thresholds),
        column=found.columns[0] if n == 1 else None,
        n_affected=found.n_matched,
    )(joined([message, known]) if n > 1 else message)


def _relinkage_verdict(
    n_matched: int, measured: RelinkageMeasurement, thresholds: SecondOpinionThresholds
) -> Verdict:
    share = n_matched / measured.n_records
    if share > thresholds.relinkage_fail_share:
        return Verdict.FAIL
    return Verdict.WARN if share > thresholds.relinkage_warn_share else Verdict.PASS
