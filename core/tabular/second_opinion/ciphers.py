"""Rules by which identifiers become other identifiers: letter by letter, by place, or by arithmetic.

`cipher_between` learns a rule from rows; `cipher_into` tries rules that need no learning, where nobody knows
which value belongs to which.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

MOST = 0.9  # share of the compared rows or values that a rule must explain
_FEWEST_ROWS = 8
_FEWEST_DISTINCT = 5  # values on both sides
_CONFIRMED = 10  # rows that agree with what the others taught, for each place
_SHORTEST = 3  # characters of a value that is more than a code of a category
_NO_DIGIT = re.compile(r"\D+")
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{4,32})")
_N_FOR_MODULUS = 24  # rows whose differences give a modulus away
_FEWEST_IN_PLACES, _MOST_IN_PLACES, _MOST_PLACES = 20, 100_000, 16
_GAPS = 1.3  # numbers in their range for each of them, from which they have gaps
_HALF = 42  # bits of a modulus under which products are taken in two steps of half of them
_FEWEST_COUNTS = 6  # different ones, of letters
_SEPARATORS = re.compile(r"[\s,;/|-]+")
_MOST_MULTIPLES = 64  # of the modulus that such differences may have in common


Whole = npt.NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True)
class Cipher:
    """A rule in words, completing "the values are …", and how many values it explains."""

    how: str
    n_matched: int


def cipher_between(rows: Sequence[tuple[str, str]]) -> Cipher | None:
    """Return the rule that turns the first text of most rows into the second, None where none is found."""
    unlike = [(a, b) for a, b in dict.fromkeys(rows) if a.casefold() != b.casefold()]
    if len(unlike) < _FEWEST_ROWS or len(unlike) < MOST * len(set(rows)):
        return None
    if min(len({a for a, _ in unlike}), len({b for _, b in unlike})) < _FEWEST_DISTINCT:
        return None
    n_rows = Counter(rows)
    for rule in (_letter_by_letter, _place_by_place, _by_arithmetic, _by_order_of_letters):
        found = rule(unlike)
        if found is not None:
            how, explained = found
            n = sum(n_rows[row] for row in explained)
            if n >= MOST * len(rows):
                return Cipher(how=how, n_matched=n)
    return None


_Rows = Sequence[tuple[str, str]]
_Explained = tuple[str, list[tuple[str, str]]]


def first_rows(rows: _Rows) -> _Rows:
    """Return more rows than may be unexplained where a rule explains most."""
    return rows[: int((1 - MOST) * len(rows)) + 2]


def _letter_by_letter(rows: _Rows) -> _Explained | None:
    """Look for an alphabet that stands for another: Caesar, Atbash, any substitution."""
    same = [(a, b) for a, b in rows if len(a) == len(b) >= _SHORTEST]
    if len(same) < MOST * len(rows):
        return None
    pairs: Counter[tuple[str, str]] = Counter()
    for a, b in same:
        pairs.update(zip(a, b, strict=True))
    table = _most_common_images(pairs)
    one_to_one = len(set(table.values())) >= MOST * len(table)
    if not one_to_one or all(a == b for a, b in table.items()) or sum(pairs.values()) < 3 * len(table):
        return None
    return "the original with its letters replaced by others", _explained(
        same, lambda a: "".join(table[c] for c in a)
    )


def _most_common_images(pairs: Mapping[tuple[str, str], int]) -> dict[str, str]:
    table: dict[str, str] = {}
    for (a, b), _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        table.setdefault(a, b)
    return table


def _explained(rows: _Rows, rule: Callable[[str], str]) -> list[tuple[str, str]]:
    return [(a, b) for a, b in rows if rule(a) == b]


def _place_by_place(rows: _Rows) -> _Explained | None:
    """Look for places of the original that stand for each place of the token, by any replacement."""
    lengths = Counter((len(a), len(b)) for a, b in rows)
    (n_a, n_b), n_alike = lengths.most_common(1)[0]
    if n_alike < MOST * len(rows) or not _SHORTEST <= n_b <= 40 or n_a > 40:
        return None
    alike = [(a, b) for a, b in rows if (len(a), len(b)) == (n_a, n_b)]
    found: list[tuple[int, dict[str, str]]] = []
    for j in range(n_b):
        source = _source_of(alike, j, n_a)
        if source is None:
            return None
        found.append(source)
    used = {i for i, table in found if len(set(table.values())) > 1}
    varied = {i for i in range(n_a) if len({a[i] for a, _ in alike}) > 1}
    if len(used) < _SHORTEST or not used >= varied:
        return None  # what masks or cuts off some places hides something, and is no cipher
    return "the original with its characters moved to other places or replaced", _explained(
        alike, lambda a: "".join(table.get(a[i], "") for i, table in found)
    )


def _source_of(rows: _Rows, j: int, n_places: int) -> tuple[int, dict[str, str]] | None:
    """Return the place whose characters decide those at place `j`, one for one, and how."""
    if len({b[j] for _, b in rows}) == 1:
        return 0, {a[0]: b[j] for a, b in rows}
    for i in range(n_places):
        pairs = Counter((a[i], b[j]) for a, b in rows)
        table = _most_common_images(pairs)
        agreeing = sum(pairs[a, b] for a, b in table.items())
        one_to_one = len(set(table.values())) == len(table) > 1
        if one_to_one and agreeing >= MOST * len(rows) and agreeing - len(table) >= _CONFIRMED:
            return i, table
    return None


def _by_arithmetic(rows: _Rows) -> _Explained | None:
    """Look for one constant that was combined by exclusive or, or a product and a sum under a modulus."""
    for read in (_in_digits, _in_hexadecimal):
        if all(_in_digits(a) is None or read(b) is None for a, b in first_rows(rows)):
            continue
        numbers = {
            (a, b): (x, y) for a, b in rows if (x := _in_digits(a)) is not None and (y := read(b)) is not None
        }
        if len(numbers) < MOST * len(rows) or len({x for x, _ in numbers.values()}) < _FEWEST_DISTINCT:
            continue
        constant, n = Counter(x ^ y for x, y in numbers.values()).most_common(1)[0]
        if constant and n >= MOST * len(rows):
            explained = [row for row, (x, y) in numbers.items() if x ^ y == constant]
            return "the original combined with one constant by exclusive or", explained
        explained = _on_a_modular_line(numbers)
        if explained:
            return "the original's number times one constant plus another, cut at a third", explained
    return None


def _in_digits(text: str) -> int | None:
    digits = _NO_DIGIT.sub("", text)
    return int(digits) if 2 <= len(digits) <= 40 else None


def _in_hexadecimal(text: str) -> int | None:
    match = _HEX.fullmatch(text)
    return int(match[1], 16) if match else None


def _on_a_modular_line(numbers: Mapping[tuple[str, str], tuple[int, int]]) -> list[tuple[str, str]]:
    """Return the rows with y = factor · x + summand under one modulus, none where most are not."""
    # differences of any three rows are multiples of the modulus: it is their divisor, or few times less
    distinct = sorted(set(numbers.values()))[:_N_FOR_MODULUS]
    (x0, y0), *rest = distinct
    unit = math.gcd(*(x - x0 for x, _ in rest))
    steps = [((x - x0) // unit, y - y0) for x, y in rest if x != x0]
    multiple = math.gcd(*(dx * ey - ex * dy for (dx, dy), (ex, ey) in itertools.pairwise(steps)))
    largest = max(y for _, y in numbers.values())
    for modulus in (multiple // n for n in range(1, _MOST_MULTIPLES) if multiple and multiple % n == 0):
        inverse = next((pow(dx, -1, modulus) * dy for dx, dy in steps if math.gcd(dx, modulus) == 1), None)
        if modulus <= largest or inverse is None:
            continue
        explained = [
            row for row, (x, y) in numbers.items() if (inverse * ((x - x0) // unit) + y0 - y) % modulus == 0
        ]
        if len(explained) >= MOST * len(numbers):
            return explained
    return []


def _by_order_of_letters(rows: _Rows) -> _Explained | None:
    """Look for the letters of each original in another order, far more often than those of other rows."""
    if not any(len(a) == len(b) and _letters(a) == _letters(b) for a, b in first_rows(rows)):
        return None
    same = [(a, b) for a, b in rows if len(a) == len(b) >= _SHORTEST]
    explained = [(a, b) for a, b in same if _letters(a) == _letters(b)]
    others = [(a, b) for (a, _), (_, b) in zip(rows, [*rows[1:], rows[0]], strict=True)]
    by_chance = sum(_letters(a) == _letters(b) for a, b in others)
    if len(explained) < MOST * len(rows) or 3 * by_chance > len(explained):
        return None
    return "the original with its characters in another order", explained


def _letters(text: str) -> str:
    return "".join(sorted(text.casefold()))


# --- without rows

_LATIN = "abcdefghijklmnopqrstuvwxyz"


def _shifted(by: int, *, letters: bool, digits: bool) -> dict[int, str]:
    """Return the table that moves letters, digits or both along their alphabets."""
    table: dict[str, str] = {}
    if letters:
        moved = _LATIN[by % 26 :] + _LATIN[: by % 26]
        table |= dict(zip(_LATIN + _LATIN.upper(), moved + moved.upper(), strict=True))
    if digits:
        table |= {str(d): str((d + by) % 10) for d in range(10)}
    return str.maketrans(table)


_ATBASH = str.maketrans(dict(zip(_LATIN + _LATIN.upper(), _LATIN[::-1] + _LATIN[::-1].upper(), strict=True)))
_NINES = str.maketrans({str(d): str(9 - d) for d in range(10)})
_ROT47 = str.maketrans({chr(c): chr(33 + (c - 33 + 47) % 94) for c in range(33, 127)})
_TABLES = (
    *(_shifted(by, letters=True, digits=False) for by in range(1, 26)),
    *(_shifted(by, letters=False, digits=True) for by in range(1, 10)),
    *(_shifted(by, letters=True, digits=True) for by in range(1, 10)),
    _ATBASH,
    _NINES,
    _ROT47,
)


def _translated(value: str, *, table: Mapping[int, str]) -> str:
    return value.translate(table)


def _stepped(value: str, *, step: int) -> str:
    return "".join(chr(max(0, ord(character) + step)) for character in value)


_STEPS = tuple(partial(_stepped, step=step) for step in (*range(-5, 0), *range(1, 6)))


def cipher_into(values: Sequence[str], tokens: Sequence[str]) -> Cipher | None:
    """Return a rule that turns most of the values into some of the tokens, None where none is found."""
    known = frozenset(tokens)
    long_enough = [value for value in values if len(value) >= _SHORTEST and value not in known]
    if len(long_enough) < max(_FEWEST_ROWS, MOST * len(values)) or len(known) < _FEWEST_DISTINCT:
        return None
    for rule in (*(partial(_translated, table=table) for table in _TABLES), *_STEPS):
        first = sum(rule(value) in known for value in long_enough[:10])
        n = sum(rule(value) in known for value in long_enough) if first > 5 else 0
        if n >= MOST * len(values):
            return Cipher(how="the original with its letters replaced by others", n_matched=n)
    return _arithmetic_into(long_enough, tokens)


_MODULI = (
    2**31 - 1,
    2**32,
    2**61 - 1,
    2**64,
    10**9 + 7,
    10**9 + 9,
    998_244_353,
    *(10**n for n in range(5, 13)),
)


def _is_multiple(numbers: Sequence[int], known: Whole, modulus: int) -> bool:
    """Whether some factor turns all these numbers into known ones, sorted, under the modulus."""
    first = next((n for n in numbers if math.gcd(n, modulus) == 1), 0)
    if not first or not len(known) or int(known[-1]) >= modulus:
        return False
    factors = _products(known, pow(first, -1, modulus), modulus)
    factors = factors[factors > 1]
    for number in numbers:
        products = _products(factors, number % modulus, modulus)
        places = np.minimum(np.searchsorted(known, products), len(known) - 1)
        factors = factors[known[places] == products]
        if not len(factors):
            return False
    return True


def _products(numbers: Whole, factor: int, modulus: int) -> Whole:
    """Multiply numbers below a modulus of 64 bits at most by one such number, under the modulus."""
    if modulus == 2**64:
        return numbers * np.uint64(factor)
    if modulus <= 2**_HALF:
        m, (high, low) = np.uint64(modulus), map(np.uint64, divmod(factor, 2 ** (_HALF // 2)))
        return ((numbers * high % m) * np.uint64(2 ** (_HALF // 2)) + numbers * low) % m
    return np.array([number * factor % modulus for number in numbers.tolist()], dtype=np.uint64)


def are_alike_in_places(values: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether the characters of every place occur as often as those of some place of the tokens.

    So do those of every two places together, and the values have gaps: replacing or moving characters the
    same way everywhere leaves these traces, and numbers drawn anew do not.
    """
    n = len(values)
    if n != len(tokens) or not _FEWEST_IN_PLACES <= n <= _MOST_IN_PLACES or set(values) & set(tokens):
        return False
    lengths = {len(value) for value in values}, {len(token) for token in tokens}
    if any(len(one) > 1 for one in lengths) or max(lengths[1]) % max(lengths[0]):
        return False
    before, after = _places(values, 1), _places(tokens, max(lengths[1]) // max(lengths[0]))
    varied = len(before)
    if varied != len(after) or not 2 <= varied <= _MOST_PLACES or not _have_gaps(values):
        return False
    return all(_spectra(before, size) == _spectra(after, size) for size in (1, 2))


def have_the_same_symbols(values: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether symbols occur in the tokens exactly as often as letters in the values, however they look.

    Symbols are letters, words or pairs of letters, such as two digits that stand for one letter. Of values
    that share none with the tokens, and have letters of several counts: pseudonyms drawn anew never do.
    """
    if len(values) != len(tokens) or len(values) > _MOST_IN_PLACES or {*values} & {*tokens}:
        return False
    written = "".join(values)
    both = (written, written.casefold())
    letters = [Counter(text) for text in (*both, *("".join(filter(str.isalnum, each)) for each in both))]
    known = [sorted(each.values()) for each in letters if len({*each.values()}) >= _FEWEST_COUNTS]
    return any(sorted(Counter(way(tokens)).values()) in known for way in _SYMBOLS) if known else False


def _pairs_of_letters(tokens: Sequence[str]) -> list[str]:
    return [token[at : at + 2] for token in tokens for at in range(0, len(token), 2)]


_SYMBOLS: tuple[Callable[[Sequence[str]], Iterable[str]], ...] = (
    lambda tokens: "".join(tokens).casefold(),
    lambda tokens: filter(str.isalnum, "".join(tokens).casefold()),
    lambda tokens: " ".join(tokens).split(),
    lambda tokens: _SEPARATORS.split(" ".join(tokens)),
    _pairs_of_letters,
)


def _places(texts: Sequence[str], width: int) -> list[list[str]]:
    """Return the characters of each place that varies, `width` of them as one."""
    columns = ([text[start : start + width] for text in texts] for start in range(0, len(texts[0]), width))
    return [column for column in columns if len(set(column)) > 1]


def _spectra(places: Sequence[Sequence[str]], size: int) -> list[list[int]]:
    """Return how often the characters of each place, or of each two together, occur, in no order."""
    sets = itertools.combinations(places, size)
    return sorted(sorted(Counter(zip(*columns, strict=True)).values()) for columns in sets)


def _have_gaps(values: Sequence[str]) -> bool:
    numbers = [n for n in map(_in_digits, values) if n is not None]
    return len(numbers) < len(values) or max(numbers) - min(numbers) >= _GAPS * len(numbers)


def _arithmetic_into(values: Sequence[str], tokens: Sequence[str]) -> Cipher | None:
    """Look for one constant that, by exclusive or, turns most values into tokens of a thin set."""
    numbers = [n for n in map(_in_digits, values) if n is not None]
    for read in (_in_digits, _in_hexadecimal):
        known = frozenset(n for n in map(read, tokens) if n is not None)
        if len(numbers) < MOST * len(values) or len(known) < MOST * len(tokens):
            continue
        if max(known) < 20 * len(known):  # numbers without gaps hold whatever is computed
            continue
        fitting = np.array(sorted(known) if max(known) < 2**64 else [], dtype=np.uint64)
        if any(_is_multiple(numbers[:12], fitting, modulus) for modulus in _MODULI):
            how = "the original's number times one constant, cut at another"
            return Cipher(how=how, n_matched=len(numbers))
        first, *others = numbers[:12]
        for token in known:
            constant = first ^ token
            if constant and all(number ^ constant in known for number in others):
                n = sum(number ^ constant in known for number in numbers)
                if n >= MOST * len(values):
                    return Cipher(how="the original combined with one constant by exclusive or", n_matched=n)
    return None
