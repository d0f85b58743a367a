"""Alike before, alike after: pseudonyms that keep what is alike, whatever code made them (Mantel 1967).

No code is named: of all distinct values, does the likeness of two originals go with the likeness of their
pseudonyms, more than with pseudonyms dealt out anew? A code that keeps letters, their places or pairs of them
does so, however it writes them; random pseudonyms, hashes and surrogates drawn anew do not. Pseudonyms are
dealt out anew only among those built alike, of the same length and beginning with the same few letters, so
that neither a length nor the site in front of a number counts.

References
----------
Mantel, The detection of disease clustering and a generalized regression approach, Cancer Research 27, 1967.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from core.coding import FloatArray, IntArray

NO_ACCIDENT = 6.0  # standard deviations beyond chance
FEWEST = 20  # distinct values that are compared
_MOST = 150
_LONGEST = 120  # letters of a value that are looked at
_N_DEALT = (60, 200)  # times that pseudonyms are dealt out anew: at first, and where that shows something
_SIGN = re.compile(r"[^\W_]")
_FIRST = re.compile(r"[^\W\d_]{1,4}|\d{1,3}(?=[\W_])")
_FEW = 8  # values for each beginning, from which beginnings are groups
_NOTHING = 1e-9  # spread of what does not vary
_NEARLY_ALL, _HALF = 0.9, 0.5
_SHORTEST = 3  # letters of nearly all values that are more than codes of categories


def one_for_one(
    before: Sequence[str | None], after: Sequence[str | None], *, seed: int = 0
) -> list[tuple[str, str]]:
    """Return a sample of originals with their pseudonyms, each once, of columns of the same rows.

    Empty where tokens are fewer than originals, which makes values coarser, or most of them short. Of
    originals in letters half as many are enough: names that share a code, such as one of their sound.
    """
    first: dict[str, str] = {}
    for value, token in zip(before, after, strict=True):
        if value and token:
            first.setdefault(value[:_LONGEST].casefold(), token[:_LONGEST].casefold())
    in_letters = sum(not any(map(str.isdigit, value)) for value in first) >= _NEARLY_ALL * len(first)
    pairs = [(value, token) for token, value in {token: value for value, token in first.items()}.items()]
    if len(pairs) < (_HALF if in_letters else _NEARLY_ALL) * len(first):
        return []
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    if sum(len(token) >= _SHORTEST for _, token in pairs) < _NEARLY_ALL * len(pairs):
        return []
    rng = np.random.default_rng(seed)
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
        if most < NO_ACCIDENT:
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
