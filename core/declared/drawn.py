"""Whether pseudonyms and days were drawn: not computed from anything, in no order, told by nothing else.

A pseudonym that follows from its identifier hides nobody from who knows the rule or a few pairs; days that
follow from the pseudonym give all true dates back, and so does an event whose day everybody knows.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from core.chance import NO_ACCIDENT, binomial_tail, determines
from core.coding import BoolArray, CodedColumn, FloatArray, IntArray, value_codes
from core.comparing.digests import Compared, joined_digests, learned, plain_digests, token_shape
from core.comparing.learned import rule_between
from core.declared.lines import MOST_SHOWN, Case, Line, Shown, n_different, shown
from core.declared.pairing import Pair
from core.declared.rules import Rule
from core.sequences import in_order_of
from core.verdict import Verdict
from core.words import Text, counted, share_of, text

_FEWEST = 20  # persons from which an order or what tells their days is no chance
_LOOKED_AT, _LEARNED_ON = 2_000, 2  # persons that rules are proved on, and of whom digests are learned
_IN_ORDER = 0.9  # share of neighbours in one order, of which half ascend by chance
_FOLLOW = 0.9  # share of persons alike whose days, or characters, are alike
_MOST_JOINED = 6  # original columns of persons that may be hashed together by two
_CARRIED = 3  # places carried over from identifiers, from which pseudonyms tell much of them
_OF_ITS_OWN, _SAME_ORDER = 0.5, 0.95  # share of records with a number of their own; rank correlation
_ONE_DAY, _FEWEST_ON_IT = 0.9, 5  # share of records, and persons, on one day

Rows = Sequence[tuple[str, str]]


# --- pseudonyms


class Linked(NamedTuple):
    """A column of identifiers that became pseudonyms, at paired records that have both.

    Shape (n_linked,) each: places among paired records; and which link of identifier and pseudonym each has.
    """

    pair: Pair
    column: str
    at: IntArray
    link: IntArray


def pseudonym_lines(
    rule: Rule, columns: Sequence[Linked], originals: IntArray, pseudonyms: IntArray
) -> Iterator[Line]:
    """Yield a line for each column of a rule whose pseudonyms are not as if drawn; each mapping once.

    Tables with one record of each identifier come first: beside it stands what pseudonyms may be made of.
    Identifiers and pseudonyms are of each link, as codes, shape (n_links,) each.
    """
    seen = np.zeros(len(originals), dtype=bool)
    firsts = []
    for each in columns:
        others = np.flatnonzero((originals != pseudonyms)[each.link])
        firsts.append(others[_first(originals[each.link[others]])])
    by_size = sorted(zip(columns, firsts, strict=True), key=lambda one: len(one[1]) < len(one[0].at))
    for (pair, column, at, link), first in by_size:
        if len(first) < _FEWEST or seen[link[first]].all():
            continue
        seen[link[first]] = True
        said = _not_random(pair, column, *_rows(pair, column, at[first]))
        if said is not None:
            yield Line(
                kind="drawn",
                of=f"{pair.name}.{column}",
                verdict=Verdict.FAIL,
                message=said,
                n_persons=n_different(pair.persons),
                n_records=len(pair.mine),
                n_looked_at=len(pair.mine),
                line=rule.line,
                shown=shown("drawn", pair, column, np.ones(len(pair.mine), dtype=bool), most=1),
            )


def _first(codes: IntArray) -> IntArray:
    """Return where each code stands first, by code."""
    place = np.full(int(codes.max(initial=-1)) + 1, -1)
    place[codes[::-1]] = np.arange(len(codes))[::-1]
    return place[place >= 0]


def _rows(pair: Pair, column: str, at: IntArray) -> tuple[list[tuple[str, str]], IntArray]:
    """Return identifiers with their pseudonyms at some places, and the original record of each."""
    values, *_ = pair.joint(column)
    some = at[:: max(len(at) // _LOOKED_AT, 1)]
    texts = (values.take(pa.array(codes[some])).to_pylist() for codes in pair.cells(column)[::-1])
    return list(zip(*texts, strict=True)), pair.theirs[some]


def _not_random(pair: Pair, column: str, rows: Rows, records: IntArray) -> Text | None:
    place = f"`{pair.name}.{column}`"
    if (found := rule_between(rows)) is not None:
        values = share_of(found.n_matched, len(rows), "values")
        return text("{column}: {values} are {how}.", column=place, values=values, how=found.how)
    if (made := _digest(pair, column, rows, records)) is not None:
        return text(
            "{column}: pseudonyms are the {algorithm} of {source}, which anybody can compute.",
            column=place,
            algorithm=made[0],
            source=made[1],
        )
    if _are_in_order(rows):
        return text(
            "{column}: pseudonyms stand in the order of the identifiers: who has a list of these reads off "
            "whose each is.",
            column=place,
        )
    if (n := _n_carried(rows)) >= _CARRIED:
        return text(
            "{column}: {n} character of the identifiers stands in the pseudonyms.",
            "{column}: {n} characters of the identifiers stand in the pseudonyms.",
            n=n,
            column=place,
        )
    return None


def _are_in_order(rows: Rows) -> bool:
    """Return whether pseudonyms ascend, or descend, with the identifiers, texts by length and letters."""
    ranked = sorted(rows, key=lambda row: (len(row[0]), row[0]))
    by_text = np.array([other for _, other in ranked])
    by_length = np.array([f"{len(other):3}{other}" for _, other in ranked])
    n = len(rows) - 1
    n_up = max(int(np.count_nonzero(each[1:] > each[:-1])) for each in (by_text, by_length))
    n_down = max(int(np.count_nonzero(each[1:] < each[:-1])) for each in (by_text, by_length))
    most = max(n_up, n_down)
    return most >= _IN_ORDER * n and float(binomial_tail(most, n, 0.5)) < NO_ACCIDENT / 4


def _n_carried(rows: Rows) -> int:
    """Return how many places of pseudonyms, from either end, have a character of the identifier beside it."""
    best = 0
    for ends in ((1, 1), (-1, -1), (1, -1), (-1, 1)):
        one, other = (_letters([row[side][::step] for row in rows]) for side, step in enumerate(ends))
        found = {
            j
            for i, j in product(range(one.shape[1]), range(other.shape[1]))
            if _agree(one[:, i], other[:, j])
        }
        best = max(best, len(found))
    return best


_MOST_LETTERS = 16


def _letters(texts: Sequence[str]) -> np.ndarray:
    """Return shape (n_texts, n_letters): code points, 0 past the end."""
    wide = max(min(max(map(len, texts)), _MOST_LETTERS), 1)
    return np.array([[*map(ord, each[:wide].casefold().ljust(wide, "\0")[:wide])] for each in texts])


def _agree(one: IntArray, other: IntArray) -> bool:
    agreed = (one == other) & (one > 0)
    known = (one > 0) & (other > 0)
    n, n_agreed = int(known.sum()), int(agreed.sum())
    if n < _FEWEST or n_agreed < _FOLLOW * n:
        return False
    codes = np.unique([one[known], other[known]], return_inverse=True)[1].reshape(2, -1)
    shares = [np.bincount(each, minlength=int(codes.max()) + 1) / n for each in codes]
    chance = float(shares[0] @ shares[1])
    return float(binomial_tail(n_agreed, n, chance)) < NO_ACCIDENT / _MOST_LETTERS**2


def _digest(pair: Pair, column: str, rows: Rows, records: IntArray) -> tuple[str, str] | None:
    """Return algorithm and source of pseudonyms that are digests of identifiers or what is beside them."""
    shape = token_shape([token for _, token in rows])
    if shape is None:
        return None
    bodies = [shape.body(token) for _, token in rows]
    for names, columns in _sources(pair, column, records):
        at = [i for i, (*value, body) in enumerate(zip(*columns, bodies, strict=True)) if body and all(value)]
        if len(at) < _FOLLOW * len(rows):
            continue

        def compared(which: Sequence[int], columns: Sequence[Sequence[str]] = columns) -> Compared:
            pairs = [(tuple(each[i] for each in columns), str(bodies[i])) for i in which]
            return Compared(column=column, shape=shape, pairs=pairs)

        few = compared(at[:_LEARNED_ON])
        for value, token in few.pairs:
            made = plain_digests(value[0], {shape.length // 2}) if len(value) == 1 else joined_digests(value)
            for _, recipe, cut in learned(made, [(few, token, [few])], few=True):
                fit = compared(at).proved(recipe, cut, few=True)
                if fit.n_matched >= _FOLLOW * len(at):
                    return recipe.algorithm, " + ".join(f"`{pair.name}.{each}`" for each in names)
    return None


def _sources(
    pair: Pair, column: str, records: IntArray
) -> Iterator[tuple[tuple[str, ...], tuple[list[str], ...]]]:
    """Yield what pseudonyms may be hashed from: an original column of the table alone, or two together."""
    own = pair.columns[column]
    cells = {}
    for name in [own, *(each for each in pair.original.columns if each != own)]:
        taken = pair.original[name]
        codes = taken.codes[records]
        texts = taken.values.take(pa.array(codes, mask=codes < 0)).to_pylist()
        cells[name] = [each or "" for each in texts]
    few = [name for name in cells if len({*cells[name]}) > 1][:_MOST_JOINED]
    for name, written in cells.items():
        if len({*written}) >= _FOLLOW * len(written):
            yield (name,), (written,)
    for one, other in permutations(few, 2):
        yield (one, other), (cells[one], cells[other])


# --- days of shifts


def told_days(case: Case, rule: Rule, persons: IntArray, days: FloatArray) -> Text | None:
    """Return what tells the days of persons' shifts: their identifiers, pseudonyms, or other columns.

    `persons` are codes with their `days`, shape (n_persons,) each. A column tells them where nine of ten
    persons who are alike in it have the same days, and hardly would by chance.
    """
    if len(days) < _FEWEST or rule.one_for_all or len(np.unique(days)) < 2:
        return None
    some = slice(None, None, max(len(days) // _LOOKED_AT, 1))
    persons, days = persons[some], days[some]
    shifts = value_codes(np.unique(days, return_inverse=True)[1])
    for name, ids in _names(case, persons):
        if any(determines(codes, shifts, n_tried=_MOST_PARTS) for codes in _parts(ids)) or _is_computed(
            ids, days
        ):
            return text(
                "The numbers of days follow from {column}: who finds the rule has every true date again.",
                column=name,
            )
    for pair, column in ((each, one) for each in case.pairs for one in each.columns):
        if pair.are_dates(column) or column == pair.own:
            continue
        codes = of_persons(pair, column, persons)
        n_values = len(np.unique(codes[codes >= 0]))
        is_group = n_values > 1 and n_values * _FEWEST_ON_IT <= len(codes)  # a family may share its days
        if is_group and determines(codes, shifts, n_tried=_MOST_PARTS):
            return text(
                "Persons of one value of {column} are shifted by the same number of days: who knows one date "
                "knows those of all of them.",
                column=f"`{pair.name}.{column}`",
            )
    return None


_MOST_MODULUS, _MOST_RECIPES = 1_000, 200
_MOST_PARTS = _MOST_MODULUS + 2 * _MOST_LETTERS


def _names(case: Case, persons: IntArray) -> Iterator[tuple[Text | str, list[str]]]:
    """Yield what stands for persons in the table of most, "" where nothing does, and their identifiers."""
    found = [(of_persons(pair, pair.own, persons), pair) for pair in case.pairs if pair.own is not None]
    if found:
        codes, pair = max(found, key=lambda each: np.count_nonzero(each[0] >= 0))
        values, *_ = pair.joint(str(pair.own))
        texts = values.take(pa.array(codes, mask=codes < 0)).to_pylist()
        yield f"`{pair.name}.{pair.own}`", [each or "" for each in texts]
    yield text("the original identifiers"), [*case.identifiers.take(pa.array(persons)).to_pylist()]


def of_persons(pair: Pair, column: str, persons: IntArray) -> IntArray:
    """Return shape (n_persons,): a released cell of each person as a code, -1 for none."""
    mine, _ = pair.cells(column)
    first = np.full(max(int(pair.persons.max(initial=-1)), int(persons.max(initial=-1))) + 2, -1)
    known = pair.persons >= 0
    first[pair.persons[known][::-1]] = mine[known][::-1]
    found: IntArray = first[persons]
    return found


def _parts(ids: Sequence[str]) -> Iterator[IntArray]:
    """Yield what of identifiers may tell days: beginnings, ends, and their number modulo each modulus."""
    wide = min(max(map(len, ids)), _MOST_LETTERS)
    for n in range(1, wide):
        for part in ([each[:n] for each in ids], [each[-n:] for each in ids]):
            yield np.unique(part, return_inverse=True)[1]
    for base, kept in ((10, "0123456789"), (16, "0123456789abcdef")):
        digits = ["".join(c for c in each.lower() if c in kept) for each in ids]
        numbers = [int(each, base) if each else -1 for each in digits]
        if len({*numbers}) > 1:
            low = np.array([each % 2**62 if each < 2**62 else -1 for each in numbers], dtype=np.int64)
            if (low >= 0).all():
                yield from (low % modulus for modulus in range(2, _MOST_MODULUS))


def _is_computed(ids: Sequence[str], days: FloatArray) -> bool:
    """Return whether days are a number in the identifiers, or a digest of them, modulo a range of days."""
    if len({*ids}) < _FEWEST or not all(ids):
        return False
    whole = [round(each) for each in days[:_LOOKED_AT].tolist()]
    span = max(whole) - min(whole) + 1
    made: list[dict[object, int]] = []  # of as many persons as are needed

    def left(at: int, key: object, modulus: int) -> int:
        if at == len(made):
            made.append(dict(_numbers_in(ids[at])))
        return (whole[at] - made[at].get(key, 0)) % modulus

    n_persons = min(len(ids), 2 * _FEWEST)
    for key in dict(_numbers_in(ids[0])):
        for modulus in range(max(span, 8), span * 5 // 4 + 3):
            first = left(0, key, modulus)
            if all(left(at, key, modulus) == first for at in range(1, n_persons)):
                return True
    return False


def _numbers_in(written: str) -> Iterator[tuple[object, int]]:
    """Yield numbers made of an identifier: of its last digits, decimal or hexadecimal, and of its digests."""
    for base, kept in ((10, "0123456789"), (16, "0123456789abcdef")):
        digits = "".join(c for c in written.lower() if c in kept)
        yield from (((base, n), int(digits[-n:], base)) for n in range(2, len(digits) + 1))
    for recipe, digest in islice(plain_digests(written, ()), _MOST_RECIPES):
        yield (recipe, "whole"), int.from_bytes(digest, "big")
        yield (recipe, "head"), int(digest.hex()[:8], 16)


# --- events that everybody knows


def anchor_lines(case: Case, rule: Rule, dated: Sequence[tuple[Pair, str]]) -> Iterator[Line]:
    """Yield a line for each column of dates in which many persons have one event on one and the same day.

    Who knows that day knows the shift of each of them, and so all their other dates. The event is a value of
    another released column whose original records fall on one day, or the whole column of dates.
    """
    for pair, column in dated:
        _, theirs = pair.days(column)
        days, persons = np.floor(theirs[pair.theirs]), pair.persons
        known = ~np.isnan(days) & (persons >= 0) & case.spoken_of(rule, pair, column)
        found = np.zeros(len(days), dtype=bool)
        told = ""
        for other in (None, *(each for each in pair.columns if each not in (column, pair.own))):
            codes = np.zeros(len(days), dtype=np.int64) if other is None else pair.cells(other)[0]
            on_it = _on_one_day(codes, days, persons, known, is_whole=other is None)
            if n_different(persons[on_it]) > n_different(persons[found]):
                found, told = on_it, other or column
        if found.any():
            n = n_different(persons[found])
            yield Line(
                kind="shifted",
                of=f"{pair.name}.{column}",
                verdict=Verdict.FAIL,
                message=text(
                    "{column}: what {other} says happened to {persons} on one and the same day: who knows "
                    "that day knows the shift of each, and all their other dates.",
                    column=f"`{pair.name}.{column}`",
                    other=f"`{pair.name}.{told}`",
                    persons=counted(n, "person"),
                ),
                n_persons=n,
                n_records=int(found.sum()),
                n_looked_at=int(known.sum()),
                line=rule.line,
                shown=shown("day", pair, column, found) if pair.own else (),
            )


def _on_one_day(
    codes: IntArray, days: FloatArray, persons: IntArray, known: BoolArray, *, is_whole: bool
) -> BoolArray:
    """Return the records of a value nearly all of which are of one day, as the others are not."""
    found = np.zeros(len(codes), dtype=bool)
    usable = known & (codes >= 0)
    if not usable.any():
        return found
    first = days[usable].min()
    day = np.where(usable, np.nan_to_num(days) - first, 0).astype(np.int64)
    n_days, n_usable = int(day.max()) + 1, int(usable.sum())
    n_of_day, n_of_code = np.bincount(day[usable]), np.bincount(codes[usable])
    if n_usable < _FEWEST_ON_IT or n_of_code.max() < _FEWEST_ON_IT:
        return found
    pairs, n = np.unique(codes[usable] * n_days + day[usable], return_counts=True)
    are_many = n >= np.maximum(_FEWEST_ON_IT, _ONE_DAY * n_of_code[pairs // n_days])
    for pair, n_both in zip(pairs[are_many].tolist(), n[are_many].tolist(), strict=True):
        code, at = divmod(pair, n_days)
        left = n_usable - int(n_of_code[code])
        usual = (n_of_day[at] - n_both + 1) / (left + 1)
        chance = float(binomial_tail(n_both, int(n_of_code[code]), usual))
        if is_whole or chance < NO_ACCIDENT / len(pairs):
            on_it = usable & (codes == code) & (day == at)
            if n_different(persons[on_it]) >= _FEWEST_ON_IT:
                found |= on_it
    return found


def _ranks(cells: CodedColumn) -> FloatArray:
    """Return shape (n_records,): where each value stands by length and letters, NaN for a missing one."""
    texts = cells.values.to_pylist()
    ranks = np.full(len(texts) + 1, np.nan)
    ranks[sorted(range(len(texts)), key=lambda at: (len(texts[at]), texts[at]))] = np.arange(len(texts))
    found: FloatArray = ranks[cells.codes]
    return found


def order_lines(case: Case, rule: Rule, dated: Sequence[tuple[Pair, str]]) -> Iterator[Line]:
    """Yield a line for each column of numbers, kept as it was, that stands in the order of the true dates."""
    for pair, column in dated:
        days = np.where(case.spoken_of(rule, pair, column), pair.days(column)[1][pair.theirs], np.nan)
        for other in pair.columns:
            cells = pair.released[other]
            is_finest = cells.n_distinct > _OF_ITS_OWN * cells.n_filled > 0
            if other in (column, pair.own) or pair.are_dates(other) or not is_finest:
                continue
            if pair.changed(other).any():
                continue
            order = in_order_of(_ranks(cells)[pair.mine], days, coarse=False)
            if order is not None and abs(order) >= _SAME_ORDER:
                yield Line(
                    kind="shifted",
                    of=f"{pair.name}.{column}",
                    verdict=Verdict.FAIL,
                    message=text(
                        "{other} stands in the order of the true dates of {column}: who knows some of these "
                        "tells all others nearly.",
                        column=f"`{pair.name}.{column}`",
                        other=f"`{pair.name}.{other}`",
                    ),
                    n_persons=n_different(pair.persons),
                    n_records=len(pair.mine),
                    n_looked_at=len(pair.mine),
                    line=rule.line,
                    shown=_in_order(pair, column, other, days, is_up=order > 0),
                )


def _in_order(pair: Pair, column: str, other: str, days: FloatArray, *, is_up: bool) -> tuple[Shown, ...]:
    """Return records in the order of a number, their dates being those of another column."""
    ranks = _ranks(pair.released[other])[pair.mine] * (1 if is_up else -1)
    known = np.flatnonzero(~np.isnan(days) & ~np.isnan(ranks))
    at = known[np.argsort(ranks[known], kind="stable")][:: max(len(known) // MOST_SHOWN, 1)]
    return tuple(each._replace(of=pair.columns[column]) for each in shown("ordered", pair, other, at))
