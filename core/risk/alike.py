"""Classes that have the same in other words: many values that are one thing, beyond what chance makes."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, cast

import numpy as np
import pyarrow as pa
import scipy

from core.attribute_disclosure import own_items
from core.chance import NO_ACCIDENT, poisson_tail
from core.classes import EquivalenceClasses, Items, items_of_classes
from core.coding import BoolArray, CodedColumn, FloatArray, IntArray
from core.risk.folding import DOMINANT_GAIN, SKEWED_RATIO, FoldedValues
from core.values.folded_text import folded_text, says_result

Likeness = Literal["result", "code", "beginning", "word", "range", "few", "own"]
_MOST_COMMON = 1 - DOMINANT_GAIN  # share of the table above which what a class has in common tells little
_NARROW = 1 / SKEWED_RATIO  # share of the table's records up to which a range of numbers is narrow
_EXCEPTION = 0.1  # share of classes above which that few values occur is how the table is
_MOST_CLASSES = 1000  # of one attribute whose values are read
_MOST_VALUES, _MOST_RESULTS = 10_000, 200  # meanings of a column of words, and of one of results
_IS_CODE = re.compile(r"[a-z]{1,3}\d{2}[\da-z.:/-]*")  # as of ICD-10 and ATC, folded
_HEAD = re.compile(r"[a-z]{1,3}\d{2}|[^\W\d_]{3}")  # that a common beginning has at least
_MOSTLY = 0.9  # share of the records whose values are codes
_WORD = re.compile(r"[^\W\d_]{3,}|[가-힣]{2,}")
_MOST_FLAGS, _TOGETHER = 12, (2, 3)  # columns of yes and no, and how many are looked at together


@dataclass(frozen=True, kw_only=True)
class AlikeClasses:
    """Classes with several values of a sensitive attribute that are one thing, in one way of reading them."""

    likeness: Likeness
    n_classes: int  # so many with a chance below 10⁻⁶, over all classes and all that was tried
    n_records: int
    share_in_table: float  # of units with what such a class has in common, the largest, in [0, 1]


def alike_classes(
    counts: Items, folded: FoldedValues, texts: pa.Array, *, several: BoolArray
) -> tuple[AlikeClasses, ...]:
    """Find classes of which everybody has one thing in several values, beyond chance.

    A class is read as numbers or days that lie in a narrow range, or as texts: all say the same result
    (positive, reactive, +), begin alike (codes of one group), share a word (severe, very severe), are a few
    of the table's values that may mean the same, in at most one class in ten, or occur in no other class. It
    is of the first reading that holds; of texts at most 1,000 classes that may be so are read, in columns of
    up to 10,000 meanings.

    Parameters
    ----------
    counts
        Units of each class by what their values mean, numbers ascending.
    folded
        Whether meanings are numbers.
    texts
        Shape (n_items,): a written value of each meaning.
    several
        Shape (n_entries,): whether a class has several meanings; one is homogeneous in plain sight.

    Notes
    -----
    A class of n units drawn from the table has only values of a set with the share q with the chance qⁿ,
    times the classes and the sets of a reading (Bonferroni); all are in a range of the share q with n qⁿ⁻¹ at
    most. Of results and groups of codes all such classes together are held against chance too.
    """
    first = np.flatnonzero(np.diff(counts.of_class, prepend=-1))
    if not len(first):
        return ()
    entries, accepted = counts.of_class[first], np.log(NO_ACCIDENT / counts.m.sum())
    several, n = several[entries], counts.class_totals[entries]
    if folded.numbers is not None:
        cumulated, last = (
            np.append(0.0, np.cumsum(counts.share_in_table)),
            np.append(first[1:], len(counts.item)),
        )
        q = cumulated[counts.item[last - 1] + 1] - cumulated[counts.item[first]]
        narrow = several & (q <= _NARROW) & (np.log(n) + (n - 1) * np.log(q) < accepted)
        return (_counted("range", counts, entries[narrow], q[narrow]),) if narrow.any() else ()
    found = _of_texts(counts, texts, first, several, accepted)
    if own := own_items(counts, by_chance=NO_ACCIDENT):
        found["few"].clear()
        return (
            *_all_counted(found, counts),
            AlikeClasses(
                likeness="own",
                n_classes=own.n_classes,
                n_records=own.n_records,
                share_in_table=own.share_in_table,
            ),
        )
    return _all_counted(found, counts)


_Found = dict[Likeness, dict[int, float]]  # by likeness and class, the share of the table with it


def _of_texts(counts: Items, texts: pa.Array, first: IntArray, several: BoolArray, accepted: float) -> _Found:
    """Return the classes of texts that are one thing; `first`, `several`: by class that has any."""
    found: _Found = defaultdict(dict)
    entries = counts.of_class[first]
    n, share = counts.class_totals[entries], np.add.reduceat(counts.share_in_table[counts.item], first)
    unlikely = several & (share <= _MOST_COMMON) & (n * np.log(share) < accepted)
    if not several.any() or len(texts) > _MOST_VALUES:
        return found
    words = _Words(texts, counts.share_in_table)
    for likeness, family in words.families():
        found[likeness] |= _of_one_family(counts, first, several, family)
    if not unlikely.any():
        return found
    unlikely &= words.may_be_alike(counts.item, first, n=n, share=share, accepted=accepted)
    for place in np.flatnonzero(unlikely)[:_MOST_CLASSES].tolist():
        items = counts.item[counts.of_class == entries[place]]
        for likeness, q, log_chance in words.tried(items.tolist(), int(n[place])):
            if log_chance < accepted or entries[place] in found[likeness]:
                found[likeness][entries[place]] = q
                break
    if len(found["few"]) > max(_EXCEPTION * np.count_nonzero(several), 1):
        found["few"].clear()
    return found


def _of_one_family(counts: Items, first: IntArray, several: BoolArray, family: IntArray) -> dict[int, float]:
    """Return the classes that are of one family of values, where chance hardly makes so many, with its share.

    Notes
    -----
    Classes of n units are of one of the families, with shares q, with the chance sum qⁿ, and their number is
    about Poisson. A family that most of the table have is none.
    """
    if (family < 0).all():
        return {}
    entries = counts.of_class[first]
    share = np.bincount(family + 1, counts.share_in_table)[1:]  # without those of none
    rare = np.append(share <= _MOST_COMMON, False)
    low, high = (each.reduceat(family[counts.item], first) for each in (np.minimum, np.maximum))
    alike = several & (low == high) & rare[low]
    m, n = counts.m[entries], counts.class_totals[entries]
    sizes, of_size = np.unique(n, return_inverse=True)
    expected = float(m @ (share[rare[:-1], None] ** sizes).sum(axis=0)[of_size])
    if poisson_tail(m[alike].sum(), expected) >= NO_ACCIDENT:
        return {}
    return dict(zip(entries[alike].tolist(), share[low[alike]].tolist(), strict=True))


def _all_counted(found: _Found, counts: Items) -> tuple[AlikeClasses, ...]:
    return tuple(
        _counted(likeness, counts, np.array(list(each)), np.array(list(each.values())))
        for likeness, each in found.items()
        if each
    )


def _counted(likeness: Likeness, counts: Items, entries: IntArray, share: FloatArray) -> AlikeClasses:
    return AlikeClasses(
        likeness=likeness,
        n_classes=int(counts.m[entries].sum()),
        n_records=int(counts.m[entries] @ counts.records[entries]),
        share_in_table=float(share.max()),
    )


class _Words:
    """What values of a column have in common, and how much of the table has it too."""

    def __init__(self, values: pa.Array, share: FloatArray) -> None:
        self.share = share
        texts: list[str] = values.to_pylist()
        self.folded: list[str] = folded_text(values).to_pylist()
        self.results = [says_result(text) if len(texts) <= _MOST_RESULTS else None for text in texts]
        signs = [len(text.strip()) == 1 and text.strip().isalnum() for text in texts]
        if any(one and result is None for one, result in zip(signs, self.results, strict=True)):
            # letters and digits that are categories
            self.results = [None if one else result for one, result in zip(signs, self.results, strict=True)]
        self.share_of_result = {
            one: float(share[[each is one for each in self.results]].sum()) for one in (True, False)
        }
        self.words = [frozenset(_WORD.findall(text.casefold())) for text in texts]
        self.of_word: Counter[str] = Counter()
        for words, q in zip(self.words, share.tolist(), strict=True):
            self.of_word.update(dict.fromkeys(words, q))
        self.order = sorted(range(len(texts)), key=self.folded.__getitem__)
        self.ordered = [self.folded[item] for item in self.order]
        self.before = np.append(0.0, np.cumsum(share[self.order]))
        is_code = [_IS_CODE.fullmatch(text) is not None for text in self.folded]
        self.are_codes = bool(share[is_code].sum() >= _MOSTLY)

    def families(self) -> Iterator[tuple[Likeness, IntArray]]:
        """Yield how values are of one family, and shape (n_values,) the family of each, -1 for none."""
        says = [-1 if each is None else int(each) for each in self.results]
        yield "result", np.array(says, dtype=np.int64)
        if self.are_codes:
            heads = [head[0] if (head := _HEAD.match(each)) else "" for each in self.folded]
            place = {head: at for at, head in enumerate(sorted({*heads} - {""}))}
            yield "code", np.array([place.get(head, -1) for head in heads], dtype=np.int64)

    def may_be_alike(
        self, items: IntArray, first: IntArray, *, n: IntArray, share: FloatArray, accepted: float
    ) -> BoolArray:
        """Return shape (n_classes,): False for classes of which `tried` accepts nothing.

        All values of a class with a common beginning stand between its first and its last one in order. Each
        word and each result has one of 62 bits, which all values with it have.
        """
        rank = np.empty(len(self.order), dtype=np.int64)
        rank[self.order] = np.arange(len(rank))
        low, high = (each.reduceat(rank[items], first) for each in (np.minimum, np.maximum))
        begins = n * np.log(self.before[high + 1] - self.before[low]) < accepted
        bit_of = {word: 1 << (place % 60) for place, word in enumerate(self.of_word)}
        of_result = {True: 1 << 60, False: 1 << 61, None: 0}
        bits = [
            sum({bit_of[word] for word in words}) + of_result[result]
            for words, result in zip(self.words, self.results, strict=True)
        ]
        shared = np.bitwise_and.reduceat(np.array(bits, dtype=np.int64)[items], first) != 0
        n_values = np.diff(first, append=len(items))
        few = n * np.log(share) + _log_sets(len(bits), n_values) < accepted
        return cast("BoolArray", begins | shared | few)

    def tried(self, items: Sequence[int], n: int) -> Iterator[tuple[Likeness, float, float]]:
        """Yield what values of a class of n have in common: how, its share, the chance's logarithm."""
        for likeness, q, log_sets in self._sets(items):
            if 0 < q <= _MOST_COMMON:
                yield likeness, q, n * np.log(q) + log_sets

    def _sets(self, items: Sequence[int]) -> Iterator[tuple[Likeness, float, float]]:
        result, n_values = self.results[items[0]], len(self.folded)
        if result is not None and all(self.results[item] is result for item in items):
            yield "result", self.share_of_result[result], np.log(2)
        begins = _beginning([self.folded[item] for item in items])
        if begins and (self.are_codes or _HEAD.match(begins)):
            start, end = (bisect_left(self.ordered, each) for each in (begins, begins + chr(0x10FFFF)))
            is_code = self.are_codes and _HEAD.match(begins) is not None
            yield "code" if is_code else "beginning", self.before[end] - self.before[start], np.log(n_values)
        if shared := frozenset.intersection(*(self.words[item] for item in items)):
            yield "word", min(self.of_word[word] for word in shared), np.log(len(self.of_word))
        if self.are_codes or {True, False} <= {self.results[item] for item in items}:
            return  # they say that they do not mean the same
        yield "few", float(self.share[items].sum()), float(_log_sets(n_values, len(items)))


def _log_sets(n: int, size: IntArray | int) -> FloatArray:
    """Return the logarithm of how many sets of a size there are of n."""
    one, other, left = (scipy.special.gammaln(np.add(each, 1)) for each in (n, size, n - np.asarray(size)))
    return cast("FloatArray", one - other - left)


def _beginning(texts: Sequence[str]) -> str:
    """Return what all texts begin with: the first and the last in order do."""
    low, high = min(texts), max(texts)
    differing = (place for place, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1])
    return low[: next(differing, len(low))]


@dataclass(frozen=True, kw_only=True)
class YesTogether:
    """Classes in which everybody has one of several sensitive attributes of yes and no, beyond chance."""

    columns: tuple[str, ...]  # two or three, of none of which everybody has it
    n_classes: int  # each so with a chance below 10⁻⁶, over all classes and sets of columns
    n_records: int
    share_in_table: float  # of the assessed records that have one of them, in [0, 1]


def yes_together(
    columns: Sequence[CodedColumn], folded: Mapping[str, FoldedValues], classes: EquivalenceClasses
) -> YesTogether | None:
    """Find the two or three attributes of yes and no one of which everybody in some classes has.

    Of two meanings yes is the one that says so, else the rarer one; a missing value is no yes. Of more than
    12 such attributes the first 12 are looked at; of sets of one size the one with the smallest share counts.
    """
    chosen = [(each, _yes_of(each, folded[each.name])) for each in columns]
    flags = [(each.name, yes) for each, yes in chosen if yes is not None][:_MOST_FLAGS]
    if len(flags) < min(_TOGETHER):
        return None
    mask = sum(yes.astype(np.int64) << place for place, (_, yes) in enumerate(flags))
    counts = items_of_classes(classes, np.asarray(mask))
    may_be = np.ones(counts.n_entries, dtype=bool)
    may_be[counts.of_class[counts.item == 0]] = False
    sets = [each for size in _TOGETHER for each in combinations(range(len(flags)), size)]
    accepted = np.log(NO_ACCIDENT / max(len(sets) * counts.n_entries, 1))
    found: list[YesTogether] = []
    for each in sets if may_be.any() else ():
        if found and len(found[-1].columns) < len(each):
            break
        bits = [1 << place for place in each]
        q = float(counts.share_in_table[(np.arange(len(counts.totals)) & sum(bits)) > 0].sum())
        together = may_be & (classes.class_sizes * np.log(max(q, 1e-300)) < accepted)
        together[counts.of_class[(counts.item & sum(bits)) == 0]] = False
        for bit in bits:  # of which everybody has one alone
            alone = np.ones_like(together)
            alone[counts.of_class[(counts.item & bit) == 0]] = False
            together &= ~alone
        if together.any() and q <= _MOST_COMMON:
            found.append(
                YesTogether(
                    columns=tuple(flags[place][0] for place in each),
                    n_classes=int(together.sum()),
                    n_records=int(counts.records[together].sum()),
                    share_in_table=q,
                )
            )
    return min(found, key=lambda one: one.share_in_table, default=None)


def _yes_of(column: CodedColumn, folded: FoldedValues) -> BoolArray | None:
    """Return shape (n_records,): whether a record says yes; None where the column has not two meanings."""
    group = folded.group_of_value
    if group.max(initial=-1) != 1:
        return None
    n = np.bincount(group[:-1][group[:-1] >= 0], weights=column.counts[group[:-1] >= 0], minlength=2)
    texts = zip(group.tolist(), column.labels, strict=False)
    says = {meaning for meaning, value in texts if meaning >= 0 and says_result(value)}
    yes = says.pop() if len(says) == 1 else int(np.argmin(n))
    return np.asarray(group[column.codes] == yes)
