"""New names of samples that follow from the original's: digests, parts, dates, initials, and their order."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.comparing.digests import (
    Compared,
    Cut,
    Recipe,
    guessable_keys,
    keyed_digests,
    learned,
    plain_digests,
    token_shape,
    usual_digests,
)
from core.vcf.carriers import BY_CHANCE, tail
from core.vcf.sample_names import folded, is_generic
from core.words import Text, text

_LEARNED_ON = 3  # original names whose digests are looked for among the new ones
_LOOKED_AT = 40  # of which one alone is an accident
_CUTS = 16  # of a digest, where a token may begin in it
_LETTERS, _DIGITS = 16, 10  # from which a letter or a digit of a name drawn at random is taken, at least
_FEWEST = 3  # letters or digits of a part; of a longer one its ends too, of one more at least
_WORD = re.compile(r"[^\W\d_]+|\d+")
_BETWEEN = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"([0-9]{1,18})")
_DATE = re.compile(r"((?:19|20)\d\d)\D?(0[1-9]|1[0-2])\D?(0[1-9]|[12]\d|3[01])")
_DAY_FIRST = re.compile(r"(0[1-9]|[12]\d|3[01])\D?(0[1-9]|1[0-2])\D?((?:19|20)\d\d)")
_DATE_FORMS = (
    "{0}{1}{2}",
    "{2}{1}{0}",
    "{1}{2}{0}",
    "{3}{1}{2}",
    "{2}{1}{3}",
    "{1}{2}{3}",
    "{2}{1}",
    "{1}{2}",
)


class Computed(NamedTuple):
    """Which new names follow from the original ones, by their column from 1, and how."""

    columns: tuple[int, ...] = ()
    how: Text = text("")


def computed_names(originals: Sequence[str], names: Sequence[str]) -> Computed:
    """Return which new names of samples anybody can compute who knows the original ones.

    Digests may be of any sample, whole names or parts of them; all else is of the sample that stands at the
    same place. What other samples' originals share says as little as their share.

    Notes
    -----
    Told is what chance gives in one of a million files: that so many names drawn at random are among the
    digests that were tried, hold parts of their own originals, or stand in the order of the originals.
    """
    if not originals or not names:
        return Computed()
    hashed = None if all(map(is_generic, names)) else _hashed(originals, names)
    return hashed or _made_of_parts(originals, names) or _in_order(originals, names)


def _hashed(originals: Sequence[str], names: Sequence[str]) -> Computed | None:
    # beside nothing, few names share no beginning by chance
    shapes = (token_shape([*names, *others]) for others in ([], [""] * len(names)))
    for shape in dict.fromkeys(filter(None, shapes)):
        bodies = [shape.body(name) or "" for name in names]
        compared = Compared(column="", shape=shape, pairs=(), tokens=frozenset(bodies) - {""})
        for values in _parts(originals):
            is_whole = values[:_LEARNED_ON] == originals[:_LEARNED_ON]
            made = [*itertools.chain.from_iterable(_digests(values[:_LEARNED_ON], is_whole=is_whole))]
            n_tried = len(made) * len(shape.texts(b"\0" * 32)) * _CUTS
            for _, recipe, cut in learned(made, [(compared, "", [compared])], few=False):
                columns = _given(recipe, cut, compared, values, bodies)
                by_chance = math.comb(len(values), len(columns)) * compared.by_chance ** len(columns)
                if columns and n_tried * by_chance < BY_CHANCE:
                    return Computed(columns, recipe.how)
    return None


def _given(
    recipe: Recipe, cut: Cut, compared: Compared, values: Sequence[str], bodies: Sequence[str]
) -> tuple[int, ...]:
    """Return the columns whose name a recipe gives; none where one of the first values alone gives any."""
    given: set[str] = set()
    for at, value in enumerate(values):
        digest = recipe.digest((value,))
        if digest is not None:
            given |= {cut.of(compared.shape.texts(digest), compared.length)} & (compared.tokens or set())
        if at == _LOOKED_AT and len(given) < 2:
            return ()
    return tuple(column for column, body in enumerate(bodies, 1) if body in given)


def _digests(values: Sequence[str], *, is_whole: bool) -> Iterator[Iterable[tuple[Recipe, bytes]]]:
    """Yield the usual digests of some values, and of the first of whole names those that people also use."""
    yield from map(usual_digests, values)
    if is_whole:
        yield plain_digests(values[0], (), without=("pandas",))
        yield keyed_digests(values[0], guessable_keys(()))


def _parts(originals: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names, then each word of them, and all but the first and the last."""
    words = [[word for word in _BETWEEN.split(name) if word] for name in originals]
    most = min(4, max(map(len, words), default=0))
    yield list(dict.fromkeys(originals))
    for at in range(most) if most > 1 else ():
        yield list(dict.fromkeys(one[at] for one in words if len(one) > at))
    for cut in (slice(1, None), slice(-1)) if most > 2 else ():
        yield list(dict.fromkeys("_".join(one[cut]) for one in words if one[cut]))


def _made_of_parts(originals: Sequence[str], names: Sequence[str]) -> Computed | None:
    if len(originals) != len(names):
        return None
    pieces = [_pieces(name) for name in originals]
    has = Counter(piece for own in pieces for piece in own)
    chances = [
        _chance(name, own, {piece: (has[piece] - 1) / max(len(names) - 1, 1) for piece in own})
        for name, own in zip(_without_counter(names), pieces, strict=True)
    ]
    ranked = enumerate(sorted(chances), 1)
    told = [chance for n, chance in ranked if tail(n, len(chances) * chance) < BY_CHANCE]
    if not told:
        return None
    columns = tuple(column for column, chance in enumerate(chances, 1) if chance <= told[-1])
    return Computed(columns, text("parts, dates or initials of them"))


def _pieces(name: str) -> frozenset[str]:
    """Return what people make shorter names of: words and numbers, their ends, backwards, dates, initials."""
    if is_generic(name):
        return frozenset()
    found = {
        form.format(year, month, day, year[2:])
        for year, month, day in (
            *(match.groups() for match in _DATE.finditer(name)),
            *(match.groups()[::-1] for match in _DAY_FIRST.finditer(name)),
        )
        for form in _DATE_FORMS
    }
    words = [folded(word) for word in _WORD.findall(name)]
    for word in words:
        lengths = () if word in found else range(_FEWEST + 1, len(word))
        found |= {part for n in lengths for part in (word[:n], word[-n:])}
        found |= {word, word[::-1]} if len(word) >= _FEWEST else set()
        found |= {word[:_FEWEST]} if word.isalpha() else set()
    initials = "".join(word[0] for word in words if word.isalpha())
    found |= {initials, initials[::-1]} if len(initials) > 1 else set()
    return frozenset(found)


def _without_counter(names: Sequence[str]) -> list[str]:
    """Return the letters and digits of names, without numbers that count the columns."""
    numbers = [[int(one) for one in _NUMBER.findall(name)] for name in names]
    count = min(map(len, numbers), default=0)
    counters = [at for at in range(count) if len({one[at] - row for row, one in enumerate(numbers)}) == 1]
    found = []
    for name in names:
        parts = _NUMBER.split(name)
        found.append("".join(" " if at // 2 in counters and at % 2 else one for at, one in enumerate(parts)))
    if len(names) == 1:
        return [folded(names[0])]
    return [" ".join(map(folded, name.split(" "))) for name in found]


def _chance(name: str, pieces: frozenset[str], shares: Mapping[str, float]) -> float:
    """Return how probable it is that a random name holds what it holds of these pieces, in [0, 1]."""
    n_alike = Counter((len(piece), piece.isdigit()) for piece in pieces)
    chance = 1.0
    for piece in sorted(pieces, key=lambda one: (-len(one), one)):
        if piece in name:
            size = _DIGITS if piece.isdigit() else _LETTERS
            places = n_alike[len(piece), piece.isdigit()] * (len(name) - len(piece) + 1)
            own = min(1.0, max(shares[piece], places * float(size) ** -len(piece)))
            name = name.replace(piece, " ", 1) if own < 1 else name
            chance *= own
    return chance


def _in_order(originals: Sequence[str], names: Sequence[str]) -> Computed:
    """Tell whether new names follow each other as the original ones do, and columns do not."""
    n = len(names)
    if len(originals) != n or all(map(is_generic, originals)) or 2 / math.factorial(min(n, 20)) >= BY_CHANCE:
        return Computed()
    columns = [*range(n)]
    before, after = (_ranked(every) for every in (originals, names))
    is_sorted = any(
        one in (columns, columns[::-1]) for one in (before, sorted(columns, key=originals.__getitem__))
    )
    if is_sorted or len(set(names)) < n or before not in (after, after[::-1]):
        return Computed()
    return Computed(tuple(range(1, n + 1)), text("numbers in their alphabetical order"))


def _ranked(names: Sequence[str]) -> list[int]:
    """Return the columns in the order of their names, in which numbers count as numbers."""

    def key(column: int) -> list[tuple[int, str]]:
        parts = _NUMBER.split(names[column].lower())
        return [(int(one), "") if at % 2 else (0, one) for at, one in enumerate(parts)]

    return sorted(range(len(names)), key=key)
