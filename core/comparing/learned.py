"""Rules by which identifiers become other identifiers, learned of some values and proved on the rest.

Where rows are known: a table of letters, places and their replacement, arithmetic under a modulus, bits that
follow from bits. Where they are not: tables that need no learning, one constant, and symbols that occur
exactly as often as the originals' letters.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from core.words import Text, text

MOST = 0.9  # share of the compared rows or values that a rule must explain
_FEWEST_ROWS = 8
_FEWEST_DISTINCT = 5  # values on both sides
_CONFIRMED = 10  # rows that agree with what the others taught, for each place
_SHORTEST = 3  # characters of a value that is more than a code of a category
_NO_DIGIT = re.compile(r"\D+")
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{4,32})")

Rows = Sequence[tuple[str, str]]  # originals, each with its token
Fits = Callable[[str, str], bool]  # whether a learned rule turns a text into another


class Rule(NamedTuple):
    """A rule in words, completing "the values are …", and how many values it explains."""

    how: Text
    n_matched: int


# --- rows known


def rule_between(rows: Rows, *, weak: bool = False) -> Rule | None:
    """Return the rule that turns the first text of most rows into the second, None where none is found.

    `weak`: also hashes whose bits are sums of the original's, which numbers in the same order may seem to be.
    """
    unlike = [(a, b) for a, b in dict.fromkeys(rows) if a.casefold() != b.casefold()]
    if len(unlike) < _FEWEST_ROWS or len(unlike) < MOST * len(set(rows)):
        return None
    if min(len({a for a, _ in unlike}), len({b for _, b in unlike})) < _FEWEST_DISTINCT:
        return None
    n_rows = Counter(rows)
    for how, learn in (_RULES | _WEAK_RULES if weak else _RULES).items():
        fits = learn(unlike)
        n = sum(n_rows[row] for row in unlike if fits(*row)) if fits else 0
        if n >= MOST * len(rows):
            return Rule(how, n)
    return None


def first_rows(rows: Rows) -> Rows:
    """Return more rows than may be unexplained where a rule explains most."""
    return rows[: int((1 - MOST) * len(rows)) + 2]


def _images(pairs: Mapping[tuple[str, str], int]) -> dict[str, str]:
    """Return for each letter the one that most often stands for it."""
    table: dict[str, str] = {}
    for (a, b), _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        table.setdefault(a, b)
    return table


def _letter_by_letter(rows: Rows) -> Fits | None:
    """Learn an alphabet that stands for another: Caesar, Atbash, any substitution."""
    same = [(a, b) for a, b in rows if len(a) == len(b) >= _SHORTEST]
    pairs = Counter(itertools.chain.from_iterable(zip(a, b, strict=True) for a, b in same))
    table = _images(pairs)
    one_to_one = len(set(table.values())) >= MOST * len(table)
    if len(same) < MOST * len(rows) or not one_to_one or pairs.total() < 3 * len(table):
        return None
    if all(a == b for a, b in table.items()):
        return None
    return lambda a, b: len(a) == len(b) and "".join(table.get(c, "") for c in a) == b


def _place_by_place(rows: Rows) -> Fits | None:
    """Learn which place of the original stands for each place of the token, by any replacement."""
    (n_a, n_b), n_alike = Counter((len(a), len(b)) for a, b in rows).most_common(1)[0]
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
    return lambda a, b: len(a) == n_a and "".join(table.get(a[i], "") for i, table in found) == b


def _source_of(rows: Rows, j: int, n_places: int) -> tuple[int, dict[str, str]] | None:
    """Return the place whose characters decide those at place `j`, one for one, and how."""
    if len({b[j] for _, b in rows}) == 1:
        return 0, {a[0]: b[j] for a, b in rows}
    for i in range(n_places):
        pairs = Counter((a[i], b[j]) for a, b in rows)
        table = _images(pairs)
        agreeing = sum(pairs[a, b] for a, b in table.items())
        one_to_one = len(set(table.values())) == len(table) > 1
        if one_to_one and agreeing >= MOST * len(rows) and agreeing - len(table) >= _CONFIRMED:
            return i, table
    return None


def _number(written: str) -> int | None:
    digits = _NO_DIGIT.sub("", written)
    return int(digits) if 2 <= len(digits) <= 40 else None


def _hexadecimal(written: str) -> int | None:
    match = _HEX.fullmatch(written)
    return int(match[1], 16) if match else None


_Arithmetic = Callable[[Mapping[tuple[str, str], tuple[int, int]]], Callable[[int, int], bool] | None]


def _by_arithmetic(rows: Rows, *, learn: _Arithmetic) -> Fits | None:
    """Learn a rule of the originals' digits and of the tokens' digits, decimal or hexadecimal."""
    for read in (_number, _hexadecimal):
        if all(_number(a) is None or read(b) is None for a, b in first_rows(rows)):
            continue
        numbers = {
            (a, b): (x, y) for a, b in rows if (x := _number(a)) is not None and (y := read(b)) is not None
        }
        if len(numbers) >= MOST * len(rows) and len({x for x, _ in numbers.values()}) >= _FEWEST_DISTINCT:
            fits = learn(numbers)
            if fits is not None:
                return lambda a, b: (a, b) in numbers and fits(*numbers[a, b])
    return None


def _exclusive_or(numbers: Mapping[tuple[str, str], tuple[int, int]]) -> Callable[[int, int], bool] | None:
    constant, n = Counter(x ^ y for x, y in numbers.values()).most_common(1)[0]
    return (lambda x, y: x ^ y == constant) if constant and n >= MOST * len(numbers) else None


_N_FOR_MODULUS = 24  # rows whose differences give a modulus away
_MOST_MULTIPLES = 64  # of the modulus that such differences may have in common


def _modular(numbers: Mapping[tuple[str, str], tuple[int, int]]) -> Callable[[int, int], bool] | None:
    """Learn y = factor · x + summand under one modulus.

    Differences of any three rows are multiples of the modulus: it is their divisor, or few times less.
    """
    (x0, y0), *rest = sorted(set(numbers.values()))[:_N_FOR_MODULUS]
    unit = math.gcd(*(x - x0 for x, _ in rest))
    steps = [((x - x0) // unit, y - y0) for x, y in rest if x != x0]
    multiple = math.gcd(*(dx * ey - ex * dy for (dx, dy), (ex, ey) in itertools.pairwise(steps)))
    largest = max(y for _, y in numbers.values())

    def under(modulus: int, inverse: int) -> Callable[[int, int], bool]:
        return lambda x, y: (inverse * ((x - x0) // unit) + y0 - y) % modulus == 0

    for modulus in (multiple // n for n in range(1, _MOST_MULTIPLES) if multiple and multiple % n == 0):
        inverse = next((pow(dx, -1, modulus) * dy for dx, dy in steps if math.gcd(dx, modulus) == 1), None)
        if modulus > largest and inverse is not None:
            fits = under(modulus, inverse)
            if sum(fits(x, y) for x, y in numbers.values()) >= MOST * len(numbers):
                return fits
    return None


_MOST_SOLVED, _FEWEST_PROVING = 600, 40  # values, and those left of them when a rule has been learned
_LONGEST_SOLVED = 64  # characters


def _bit_by_bit(rows: Rows) -> Fits | None:
    """Learn tokens whose bits are sums, modulo 2, of bits of the original: checksums, and other weak hashes.

    Every row that elimination leaves without bits of the original has to have none of the token's either, of
    which a random bit is so with probability 1/2. The last bit is looked at, as sums and products with odd
    numbers leave it such a sum, or most bits.
    """
    for read in (_number, _hexadecimal):
        some = [
            (a, y) for a, b in rows[:_MOST_SOLVED] if len(a) <= _LONGEST_SOLVED and (y := read(b)) is not None
        ]
        if len(some) < MOST * min(len(rows), _MOST_SOLVED) or len({y for _, y in some}) < MOST * len(some):
            continue
        varied = 0
        for _, y in some:
            varied |= y ^ some[0][1]
        wrong, n_proving = _unexplained(some, varied.bit_length())
        right, last = varied & ~wrong, varied & -varied
        if n_proving >= _FEWEST_PROVING and (right & last or 2 * right.bit_count() >= varied.bit_count()):
            return lambda _, b: read(b) is not None
    return None


def _unexplained(some: Sequence[tuple[str, int]], n_bits: int) -> tuple[int, int]:
    """Return which bits of the numbers are no sums of the texts' bits, and how many rows prove that.

    Characters count from the end of a text; its length is a bit of its own.
    """
    pivots: dict[int, int] = {}
    wrong = n_proving = 0
    for written, number in some:
        letters = int.from_bytes(written.encode("utf-16-be"), "big") << _LONGEST_SOLVED
        row = (letters | 1 << len(written) - 1) << n_bits | number & ((1 << n_bits) - 1)
        while row >> n_bits and (pivot := pivots.get(row.bit_length())) is not None:
            row ^= pivot
        if row >> n_bits:
            pivots[row.bit_length()] = row
        else:
            wrong, n_proving = wrong | row, n_proving + 1
    return wrong, n_proving


def _letters(written: str) -> str:
    return "".join(sorted(written.casefold()))


def _by_order_of_letters(rows: Rows) -> Fits | None:
    """Look for the letters of each original in another order, far more often than those of other rows."""
    if not any(len(a) == len(b) and _letters(a) == _letters(b) for a, b in first_rows(rows)):
        return None
    others = zip((a for a, _ in rows), (b for _, b in (*rows[1:], rows[0])), strict=True)
    by_chance = sum(_letters(a) == _letters(b) for a, b in others)
    return (
        None
        if 3 * by_chance > MOST * len(rows)
        else lambda a, b: len(a) >= _SHORTEST and _letters(a) == _letters(b)
    )


_REPLACED = text("the original with its letters replaced by others")
_BY_XOR = text("the original combined with one constant by exclusive or")
_RULES: dict[Text, Callable[[Rows], Fits | None]] = {
    _REPLACED: _letter_by_letter,
    text("the original with its characters moved to other places or replaced"): _place_by_place,
    _BY_XOR: partial(_by_arithmetic, learn=_exclusive_or),
    text("the original's number times one constant plus another, cut at a third"): partial(
        _by_arithmetic, learn=_modular
    ),
    text("the original with its characters in another order"): _by_order_of_letters,
}
_WEAK_RULES: dict[Text, Callable[[Rows], Fits | None]] = {
    text("a weak hash or checksum of the original, whose bits are sums of its bits"): _bit_by_bit
}


# --- rows not known

_LATIN = "abcdefghijklmnopqrstuvwxyz"


def _moved(alphabet: str, by: int) -> dict[str, str]:
    return dict(zip(alphabet, alphabet[by:] + alphabet[:by], strict=True))


def _tables() -> Iterable[Mapping[int, str]]:
    """Yield the tables that move letters, digits or both along their alphabets, or turn them round."""
    letters = [{**_moved(_LATIN, by), **_moved(_LATIN.upper(), by)} for by in range(26)]
    digits = [_moved("0123456789", by) for by in range(10)]
    back = [dict(zip(each, reversed(each), strict=True)) for each in (_LATIN, _LATIN.upper(), "0123456789")]
    printed = "".join(map(chr, range(33, 127)))
    both = [letters[by] | digits[by] for by in range(1, 10)]
    for table in (*letters[1:], *digits[1:], *both, back[0] | back[1], back[2], _moved(printed, 47)):
        yield str.maketrans(table)


def _stepped(value: str, *, step: int) -> str:
    return "".join(chr(max(0, ord(character) + step)) for character in value)


_NAMED_RULES: tuple[Callable[[str], str], ...] = (
    *(partial(lambda value, table: value.translate(table), table=table) for table in _tables()),
    *(partial(_stepped, step=step) for step in (*range(-5, 0), *range(1, 6))),
)


def rule_into(values: Sequence[str], tokens: Sequence[str]) -> Rule | None:
    """Return a rule that turns most of the values into some of the tokens, None where none is found."""
    for fold in (str, str.casefold):
        known = frozenset(map(fold, tokens))
        long_enough = [each for each in map(fold, values) if len(each) >= _SHORTEST and each not in known]
        if len(long_enough) < max(_FEWEST_ROWS, MOST * len(values)) or len(known) < _FEWEST_DISTINCT:
            return None
        for rule in _NAMED_RULES:
            first = sum(rule(value) in known for value in long_enough[:10])
            n = sum(rule(value) in known for value in long_enough) if first > 5 else 0
            if n >= MOST * len(values):
                return Rule(_REPLACED, n)
    return _arithmetic_into(long_enough, tokens)


_MODULI = (
    *(2**31 - 1, 2**32, 2**61 - 1, 2**64, 10**9 + 7, 10**9 + 9, 998_244_353),
    *(10**n for n in range(5, 13)),
)
_SPARSE = 20  # numbers in their range for each of them: those without gaps hold whatever is computed
_N_TRIED = 12


def _arithmetic_into(values: Sequence[str], tokens: Sequence[str]) -> Rule | None:
    """Look for one constant that, multiplied or by exclusive or, turns most values into tokens."""
    numbers = [n for n in map(_number, values) if n is not None]
    for read in (_number, _hexadecimal):
        known = frozenset(n for n in map(read, tokens) if n is not None)
        if len(numbers) < MOST * len(values) or len(known) < MOST * len(tokens):
            continue
        if max(known) < _SPARSE * len(known):
            continue
        if any(_are_multiples(numbers[:_N_TRIED], known, modulus) for modulus in _MODULI):
            return Rule(text("the original's number times one constant, cut at another"), len(numbers))
        constants = {numbers[0] ^ token for token in known} - {0}
        for number in numbers[1:_N_TRIED]:
            constants = {each for each in constants if number ^ each in known}
        for constant in constants:
            n = sum(number ^ constant in known for number in numbers)
            if n >= MOST * len(values):
                return Rule(_BY_XOR, n)
    return None


def _are_multiples(numbers: Sequence[int], known: frozenset[int], modulus: int) -> bool:
    """Whether some factor turns all these numbers into known ones under a modulus that these fill."""
    first = next((n for n in numbers if math.gcd(n, modulus) == 1), 0)
    if not first or not modulus // 2 <= max(known) < modulus:
        return False
    inverse = pow(first, -1, modulus)
    factors = {token * inverse % modulus for token in known} - {0, 1}
    for number in numbers:
        factors = {factor for factor in factors if factor * number % modulus in known}
    return bool(factors)


_FEWEST_IN_PLACES, _MOST_COUNTED, _MOST_PLACES = 20, 100_000, 16
_GAPS = 1.3  # numbers in their range for each of them, from which they have gaps
_FEWEST_COUNTS = 6  # different ones, of letters
_SEPARATORS = re.compile(r"[\s,;/|-]+")


def have_the_same_symbols(values: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether symbols occur in the tokens exactly as often as letters in the values, however they look.

    Counted in whole texts, symbols being letters, words or pairs of letters; or at each place of texts of one
    length, and at each two places together. Of values that share none with the tokens, and have letters of
    several counts, or gaps: pseudonyms drawn anew never do.
    """
    if len(values) != len(tokens) or len(values) > _MOST_COUNTED or {*values} & {*tokens}:
        return False
    written = "".join(values)
    both = (written, written.casefold())
    letters = [Counter(each) for each in (*both, *("".join(filter(str.isalnum, each)) for each in both))]
    known = [sorted(each.values()) for each in letters if len({*each.values()}) >= _FEWEST_COUNTS]
    counted = (sorted(Counter(way(tokens)).values()) for way in _SYMBOLS)
    return any(each in known for each in counted) or _are_alike_in_places(values, tokens)


def _pairs_of_letters(tokens: Sequence[str]) -> list[str]:
    return [token[at : at + 2] for token in tokens for at in range(0, len(token), 2)]


_SYMBOLS: tuple[Callable[[Sequence[str]], Iterable[str]], ...] = (
    lambda tokens: "".join(tokens).casefold(),
    lambda tokens: filter(str.isalnum, "".join(tokens).casefold()),
    lambda tokens: " ".join(tokens).split(),
    lambda tokens: _SEPARATORS.split(" ".join(tokens)),
    _pairs_of_letters,
)


def _are_alike_in_places(values: Sequence[str], tokens: Sequence[str]) -> bool:
    lengths = {len(value) for value in values}, {len(token) for token in tokens}
    if len(values) < _FEWEST_IN_PLACES or any(len(one) > 1 for one in lengths):
        return False
    width, rest = divmod(max(lengths[1]), max(lengths[0]))
    if rest or not width:
        return False
    before, after = _places(values, 1), _places(tokens, width)
    if len(before) != len(after) or not 2 <= len(before) <= _MOST_PLACES or not _have_gaps(values):
        return False
    return all(_spectra(before, size) == _spectra(after, size) for size in (1, 2))


def _places(texts: Sequence[str], width: int) -> list[list[str]]:
    """Return the characters of each place that varies, `width` of them as one."""
    columns = ([each[start : start + width] for each in texts] for start in range(0, len(texts[0]), width))
    return [column for column in columns if len(set(column)) > 1]


def _spectra(places: Sequence[Sequence[str]], size: int) -> list[list[int]]:
    """Return how often the characters of each place, or of each two together, occur, in no order."""
    sets = itertools.combinations(places, size)
    return sorted(sorted(Counter(zip(*columns, strict=True)).values()) for columns in sets)


def _have_gaps(values: Sequence[str]) -> bool:
    numbers = [n for n in map(_number, values) if n is not None]
    return len(numbers) < len(values) or max(numbers) - min(numbers) >= _GAPS * len(numbers)
