"""Pseudonyms that are alike where their originals are, whatever code made them (Mantel 1967).

No cipher is named: of all distinct values, does the likeness of two originals go with the likeness of their
pseudonyms, more than with pseudonyms dealt out anew? A code that keeps letters, their places or pairs of them
does so, however it writes them; random pseudonyms, hashes and surrogates drawn anew do not. Pseudonyms are
dealt out anew only among those built alike, of the same length and beginning with the same few letters, so
that neither a length nor the site in front of a number counts.

References
----------
Mantel, The detection of disease clustering and a generalized regression approach, Cancer Research 27, 1967.
"""

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.coding import FloatArray, IntArray
from core.tabular.actions import Meaning, meaning_of
from core.tabular.second_opinion.search import Search
from core.verdict import Finding, Verdict

_TAKEN_OUT = frozenset({Meaning.GONE, Meaning.PSEUDONYM, Meaning.REPLACED})
_FEWEST, _MOST = 20, 150  # distinct values that are compared
_MOST_PAIRS = 60  # of columns
_LONGEST = 120  # letters of a value that are looked at
_N_DEALT = (60, 200)  # times that pseudonyms are dealt out anew: at first, and where that shows something
_NO_ACCIDENT = 6.0  # standard deviations beyond chance
_SIGN = re.compile(r"[^\W_]")
_FIRST = re.compile(r"[^\W\d_]{1,4}|\d{1,3}(?=[\W_])")
_FEW = 8  # values for each beginning, from which beginnings are groups
_NOTHING = 1e-9  # spread of what does not vary
_NEARLY_ALL = 0.9
_SHORTEST = 3  # letters of nearly all values that are more than codes of categories


@dataclass(frozen=True, kw_only=True)
class KeptLikeness:
    """An anonymized column whose values are alike where those of an original one are."""

    original: str  # column names
    anonymized: str
    n_values: int  # distinct originals, each with its pseudonym, that were compared
    z: float  # standard deviations beyond pseudonyms dealt out anew


def measure_kept_likeness(search: Search) -> tuple[KeptLikeness, ...]:
    """Compare pseudonyms with their originals where rows are known: of each column, and of those added."""
    if search.tables.order == "changed":
        return ()
    found = (_between(search, *pair) for pair in itertools.islice(_pairs(search), _MOST_PAIRS))
    return tuple(one for one in found if one is not None)


def _pairs(search: Search) -> Iterator[tuple[str, str]]:
    """Yield the columns that the log calls taken out with what stands for them, then what was added."""
    paired = {pair.pair.anonymized: pair.pair for pair in search.tables.coded}
    for name in search.candidates:
        pair = paired.get(name)
        entry = None if pair is None else search.tables.log.entry(pair.original)
        if pair and entry and (entry.takes_out or meaning_of(pair.action) in _TAKEN_OUT):
            yield pair.original, name
    gone = [name for name in search.originals if name not in search.stands_for.values()]
    added = [name for name in search.candidates if name not in paired]
    yield from itertools.product(gone, added)


def _between(search: Search, original: str, anonymized: str) -> KeptLikeness | None:
    cells = [
        search.cells(side, name, sampled=True).to_pylist()
        for side, name in (("original", original), ("anonymized", anonymized))
    ]
    values = _one_for_one(cells[0], cells[1], np.random.default_rng(search.settings.seed))
    if len(values) < _FEWEST:
        return None
    z = kept_likeness(*zip(*values, strict=True), seed=search.settings.seed)
    if z < _NO_ACCIDENT:
        return None
    return KeptLikeness(original=original, anonymized=anonymized, n_values=len(values), z=z)


def _one_for_one(
    before: Sequence[str | None], after: Sequence[str | None], rng: np.random.Generator
) -> list[tuple[str, str]]:
    """Return a sample of originals with their pseudonyms, each once.

    Empty where tokens are fewer than originals, which makes values coarser, or most of them short.
    """
    first: dict[str, str] = {}
    for value, token in zip(before, after, strict=True):
        if value and token:
            first.setdefault(value[:_LONGEST].casefold(), token[:_LONGEST].casefold())
    pairs = [(value, token) for token, value in {token: value for value, token in first.items()}.items()]
    if len(pairs) < _NEARLY_ALL * len(first):
        return []
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    if sum(len(token) >= _SHORTEST for _, token in pairs) < _NEARLY_ALL * len(pairs):
        return []
    return [pairs[at] for at in sorted(rng.permutation(len(pairs))[:_MOST])]


def kept_likeness(before: Sequence[str], after: Sequence[str], *, seed: int = 0) -> float:
    """Return by how many standard deviations likeness is kept, the most of all ways of being alike.

    Shape (n_values,) each, the values one for one; 0 where no two pseudonyms are built alike.
    """
    groups, rng = _built_alike(after), np.random.default_rng(seed)
    if not any(len(rows) > 1 for rows in groups):
        return 0.0
    ours, theirs = (np.stack([way(texts).ravel() for way in _WAYS]) for texts in (before, after))
    n, most = len(after), 0.0
    for n_dealt in _N_DEALT:
        dealt = np.empty((n_dealt, len(ours), len(theirs)))
        for each in dealt:
            order = _dealt(groups, n, rng)
            each[:] = ours @ theirs[:, (order[:, None] * n + order[None, :]).ravel()].T
        spread = dealt.std(axis=0)
        beyond = np.divide(
            ours @ theirs.T - dealt.mean(axis=0), spread, out=np.zeros_like(spread), where=spread > _NOTHING
        )
        most = float(beyond.max())
        if most < _NO_ACCIDENT:
            break
    return most


def _built_alike(tokens: Sequence[str]) -> list[IntArray]:
    """Return the places of the tokens that are built alike and begin alike.

    Where nearly every token is built in a way of its own, those of about the same length are.
    """
    builds = [_SIGN.sub("x", token) for token in tokens]
    width = 1
    while len({*builds}) * _FEW > 2 * len(tokens) and width < _LONGEST:
        width *= 2
        builds = [str(len(token) // width) for token in tokens]
    first = [found[0] if (found := _FIRST.match(token)) else "" for token in tokens]
    if len({*first}) * _FEW <= len(tokens):
        builds = [f"{build} {beginning}" for build, beginning in zip(builds, first, strict=True)]
    places: dict[str, list[int]] = {}
    for place, build in enumerate(builds):
        places.setdefault(build, []).append(place)
    return [np.array(each) for each in places.values()]


def _dealt(groups: Sequence[IntArray], n: int, rng: np.random.Generator) -> IntArray:
    """Return an order in which values built alike have changed places."""
    order = np.arange(n)
    for places in groups:
        order[places] = rng.permutation(places)
    return order


def _by_parts(size: int) -> Callable[[Sequence[str]], FloatArray]:
    """Return what measures likeness by the letters or pairs of letters that two values share."""

    def likeness(texts: Sequence[str]) -> FloatArray:
        parts = [{text[at : at + size] for at in range(max(1, len(text) - size + 1))} for text in texts]
        number = {part: at for at, part in enumerate(sorted(set().union(*parts)))}
        there = np.zeros((len(texts), len(number)))
        for row, each in enumerate(parts):
            there[row, [number[part] for part in each]] = 1
        sizes = there.sum(axis=1)
        found: FloatArray = 2 * (there @ there.T) / (sizes[:, None] + sizes[None, :])
        return _apart(found)

    return likeness


def _by_places(texts: Sequence[str]) -> FloatArray:
    """Return the share of places at which two values have the same letter."""
    longest = max(map(len, texts))
    letters = np.array([[ord(letter) for letter in text.ljust(longest, "\0")] for text in texts])
    found: FloatArray = (letters[:, None, :] == letters[None, :, :]).mean(axis=2)
    return _apart(found)


def _apart(likeness: FloatArray) -> FloatArray:
    """Return the likeness of different values alone, around its mean."""
    np.fill_diagonal(likeness, 0)
    likeness -= likeness.sum() / (likeness.size - len(likeness))
    np.fill_diagonal(likeness, 0)
    return likeness


_WAYS = (_by_parts(2), _by_parts(1), _by_places)


def judge_kept_likeness(measured: Sequence[KeptLikeness], told: Collection[str | None]) -> list[Finding]:
    """WARN of columns that are alike where their originals are, where nothing graver is told of them."""
    return [
        Finding.of("kept_likeness", Verdict.WARN, column=one.anonymized, n_affected=one.n_values)(
            "The values of `{column}` are alike where those of the original column `{original}` are, {z} "
            "standard deviations beyond pseudonyms dealt out anew ({n} distinct values compared): a code "
            "that keeps what is alike gives the rest away, once a few persons are known.",
            original=one.original,
            z=round(one.z),
            n=one.n_values,
        )
        for one in measured
        if one.anonymized not in told
    ]
