"""Coarse values that another released column makes exact again, such as a decade of birth beside the zodiac.

Whose row is whose need not be known: in the original, records that the coarse value and the other column
put together have one exact value, far more often than the coarse value alone puts them together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.chance import NO_ACCIDENT, binomial_tail
from core.coding import FloatArray, IntArray
from core.comparing.numbers import last_place, read_amounts
from core.tabular.second_opinion.pair import CodedPair, LoggedTables
from core.tabular.settings import SecondOpinionThresholds
from core.values.stretches import day_ends, number_ends
from core.verdict import Finding, Verdict
from core.words import counted, percent, text

_MOST_BANDS = 1_000  # distinct coarse values that are read
_IN_BANDS = 0.8  # share of the original's values that have to lie in one
_MOST_VALUES = 0.2  # distinct values of the other column per record, above which it is no coarse one
_TOLD, _OPEN = 0.9, 0.5  # share of pairs with one exact value, together and by the coarse value alone
_STAY = 2  # values that are left beside one that was blanked
_EXACT_FIGURES, _FEW = 3, 2  # figures that no round end has; records with an end's value
_FEWEST_PAIRED = 60  # records that are put together with another one


@dataclass(frozen=True, kw_only=True)
class Completed:
    """A coarse column that another one completes."""

    original: str
    coarse: str  # released columns
    by: str
    unit: str  # ``year`` or ``day`` of a date, or ``value``
    n_records: int  # original records that the two columns put together with another one
    told: float  # share of pairs of these with one exact value, in [0, 1]
    told_by_coarse: float  # the same of the pairs that the coarse value alone makes
    told_alone: float  # and of those that the other column alone makes


def measure_completed(tables: LoggedTables) -> tuple[Completed, ...]:
    """Return each coarse column with the released column that tells most of its exact values.

    A column is coarse where its values are stretches (``1940-1959``, ``1940s``, ``40-49``, ``<6.2``) in which
    the original's numbers or dates lie; the other one holds what it held in the original. Blank cells are
    left out.
    """
    kept = [pair for pair in tables.coded if pair.is_kept]
    found = []
    for pair in tables.coded:
        others = [each for each in kept if each is not pair]
        for exact in _exact(tables, pair):
            made = [_held(tables, pair, each, exact) for each in others]
            told = [each for each in made if each is not None and _is_told(each, len(others))]
            if told:
                found.append(max(told, key=lambda each: each.told))
                break
    return tuple(found)


class _Exact(NamedTuple):
    """An exact unit of a column; its values and stretches, shape (n_original,) each, -1 for none."""

    unit: str
    values: IntArray
    stretches: IntArray


def _exact(tables: LoggedTables, pair: CodedPair) -> Iterator[_Exact]:
    """Yield the exact units of a column whose released values are stretches, none of another."""
    original = tables.written["original"][pair.pair.original]
    coarse = tables.written["anonymized"][pair.pair.anonymized]
    if not 1 < coarse.n_distinct <= min(_MOST_BANDS, original.n_distinct // 2):
        return
    amounts = read_amounts(original.values)
    if amounts is None:
        return
    names = coarse.values.to_pylist()
    numbers, units = amounts.numbers, [("value", amounts.numbers)]
    stretches = number_ends(names, [])
    if amounts.kind == "date":
        years = amounts.part("year")
        units = [("day", np.floor(numbers)), ("year", years)]
        if np.isnan(stretches[0]).all():
            stretches = day_ends(names)
        else:
            numbers = years
    bands = _bands(numbers, *stretches)
    if (bands[original.codes[original.codes >= 0]] >= 0).mean() < _IN_BANDS:
        return
    in_records = np.append(bands, -1)[original.codes]
    for unit, each in units:
        codes = np.unique(each, return_inverse=True)[1].astype(np.int64)
        values = np.where(in_records >= 0, np.append(codes, -1)[original.codes], -1)
        yield _Exact(unit, values, in_records)


def _bands(numbers: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    """Return shape (n_values,): the first stretch that each number lies in, -1 for none."""
    found = np.full(len(numbers), -1, dtype=np.int64)
    for at in np.flatnonzero(~np.isnan(low)):
        found[(found < 0) & (numbers >= low[at]) & (numbers < high[at])] = at
    return found


def _held(tables: LoggedTables, pair: CodedPair, other: CodedPair, exact: _Exact) -> Completed | None:
    column = tables.written["original"][other.pair.original]
    if not 1 < column.n_distinct <= _MOST_VALUES * column.n_filled:
        return None
    filled = (exact.values >= 0) & (column.codes >= 0)
    codes, coarse = column.codes[filled].astype(np.int64), exact.stretches[filled]
    together, fine = coarse * len(column.values) + codes, exact.values[filled]
    n_records, told = _alike(together, fine)
    return Completed(
        original=pair.pair.original,
        coarse=pair.pair.anonymized,
        by=other.pair.anonymized,
        unit=exact.unit,
        n_records=n_records,
        told=told,
        told_by_coarse=_alike(coarse, fine)[1],
        told_alone=_alike(codes, fine)[1],
    )


def _alike(groups: IntArray, values: IntArray) -> tuple[int, float]:
    """Return the records that share their group, and the share of pairs in groups that share the value."""
    sizes = np.unique(groups, return_counts=True)[1]
    _, both = np.unique(np.stack([groups, values]), axis=1, return_counts=True)
    n_pairs = float((sizes * (sizes - 1.0)).sum())
    return int(sizes[sizes > 1].sum()), float((both * (both - 1.0)).sum()) / n_pairs if n_pairs else 0.0


def _is_told(one: Completed, n_tried: int) -> bool:
    """Return whether both together tell what the coarse value left open; half the records stand for pairs."""
    if one.n_records < _FEWEST_PAIRED or one.told < _TOLD or one.told_by_coarse > _OPEN:
        return False
    n = one.n_records // 2
    return bool(binomial_tail(round(one.told * n), n, max(one.told_by_coarse, 1e-9)) < NO_ACCIDENT / n_tried)


@dataclass(frozen=True, kw_only=True)
class ExactEnd:
    """A stretch that ends at what one or two persons have, such as the highest amount of all."""

    column: str
    n_records: int  # original records with this value


def measure_exact_ends(tables: LoggedTables) -> tuple[ExactEnd, ...]:
    """Return the columns of which a stretch ends at the lowest or highest original number itself.

    Of three figures or more that are no zeros, and of one or two records. A stretch as wide as another, or
    that ends right before a multiple of ten, was laid out by a person and ends there anyway.
    """
    found = []
    for pair in tables.coded:
        coarse = tables.written["anonymized"][pair.pair.anonymized]
        if not 1 < coarse.n_distinct <= _MOST_BANDS:
            continue
        low, high = number_ends(coarse.values.to_pylist(), [])
        original = tables.written["original"][pair.pair.original]
        amounts = None if np.isnan(low).all() else read_amounts(original.values)
        if amounts is None or amounts.kind != "number":
            continue
        unit = 2 * last_place(amounts.distinct)
        for at in (int(np.nanargmin(amounts.numbers)), int(np.nanargmax(amounts.numbers))):
            n_figures = len(original.values[at].as_py().replace(".", "").replace(",", "").strip("0"))
            is_end = _ends_by_data(low, high, float(amounts.numbers[at]), unit)
            if is_end and n_figures >= _EXACT_FIGURES and original.counts[at] <= _FEW:
                found.append(ExactEnd(column=pair.pair.anonymized, n_records=int(original.counts[at])))
    return tuple(found)


def _ends_by_data(low: FloatArray, high: FloatArray, value: float, unit: float) -> bool:
    """Return whether a stretch ends at a value, and neither its width nor a multiple of ten says why."""
    ends = np.stack([low, high, high - unit])  # with its end or without
    at = np.isclose(ends, value, rtol=1e-9, atol=0).any(axis=0)
    widths = high - low
    alike = [np.sum(np.abs(widths - width) <= 2 * unit) for width in widths[at & np.isfinite(widths)]]
    is_laid_out = any(n > 1 for n in alike) or round((value + unit) / unit) % 10 == 0
    return bool(at.any()) and not is_laid_out


def judge_exact_ends(measured: Sequence[ExactEnd]) -> list[Finding]:
    """Return a WARN for each column."""
    columns: dict[str, int] = {}
    for one in measured:
        columns[one.column] = columns.get(one.column, 0) + one.n_records
    return [
        Finding.of("exact_end", Verdict.WARN, column=column, n_affected=n)(
            "A range of `{column}` ends at the lowest or highest original value, which {records} has: "
            "whoever knows that somebody earns, weighs or owes most reads the exact value.",
            "A range of `{column}` ends at the lowest or highest original value, which {records} have: "
            "whoever knows that somebody earns, weighs or owes most reads the exact value.",
            n=n,
            records=counted(n, "record"),
        )
        for column, n in columns.items()
    ]


@dataclass(frozen=True, kw_only=True)
class BlankedValue:
    """A column of which one value was taken out and all others were left: what stands there is that value."""

    column: str
    n_records: int  # that had it


def measure_blanked(tables: LoggedTables) -> tuple[BlankedValue, ...]:
    """Return the columns in which every record of one value, and no other, is blank or has one new word."""
    found = []
    for pair in tables.coded:
        before, after = pair.original_counts, pair.anonymized_counts
        gone, new, kept = (before > 0) & (after == 0), (before == 0) & (after > 0), (before > 0) & (after > 0)
        if tables.n_original != tables.n_anonymized or gone.sum() != 1 or new.sum() > 1 or kept.sum() < _STAY:
            continue
        n = int(before[gone].sum())
        is_in_its_place = n == int(after[new].sum()) + int(before.sum() - after.sum())
        if is_in_its_place and np.array_equal(before[kept], after[kept]):
            found.append(BlankedValue(column=pair.pair.anonymized, n_records=n))
    return tuple(found)


def judge_blanked(measured: Sequence[BlankedValue], thresholds: SecondOpinionThresholds) -> list[Finding]:
    """Return a WARN for each column; fewer records than groups may have were suppressed with reason."""
    return [
        Finding.of("one_value_blanked", Verdict.WARN, column=one.column, n_affected=one.n_records)(
            "In `{column}` all {records} of one value were blanked or given one word, and nothing else was: "
            "whoever guesses which value is absent reads it of each of them.",
            column=one.column,
            records=counted(one.n_records, "record"),
        )
        for one in measured
        if one.n_records >= thresholds.smallest_k
    ]


_UNITS = {"year": text("year"), "day": text("day"), "value": text("value")}


def judge_completed(measured: Sequence[Completed]) -> list[Finding]:
    """Return a finding for each: FAIL, or WARN where the other column tells the exact value by itself."""
    return [
        Finding.of(
            "coarse_completed",
            Verdict.WARN if one.told_alone >= _TOLD else Verdict.FAIL,
            column=one.coarse,
            n_affected=one.n_records,
        )(
            "`{column}` is coarse, and exact again beside `{by}`: of two records that are alike in both, the "
            "{unit} of the original `{original}` is the same in {told}; by `{column}` alone in {alone}.",
            column=one.coarse,
            by=one.by,
            original=one.original,
            unit=_UNITS[one.unit],
            told=percent(one.told),
            alone=percent(one.told_by_coarse),
        )
        for one in measured
    ]
