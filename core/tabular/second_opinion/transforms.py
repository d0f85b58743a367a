"""What pairs of values have in common row by row: a shift, a part of the text, the order."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from core.coding import FloatArray
from core.comparing import nearest
from core.comparing.numbers import read_amounts, read_codes

_MASK = " *#xX.…-_"
_HANGUL = re.compile(r"[가-힣]")
_SHORTEST_WORD, _SHORTEST_HANGUL = 4, 2  # characters
_PLAIN = re.compile(r"[+-]?[0-9.,]+")  # a number without letters or units
_FEWEST = 3  # distinct values needed for a shift


@dataclass(frozen=True, kw_only=True)
class Shift:
    """A constant that was added or multiplied, in words, and how many rows it explains."""

    how: str
    n_matched: int


def shift_between(rows: Sequence[tuple[str, str]]) -> Shift | None:
    """Return the constant, not none, that explains most rows (original, anonymized) of dates or numbers."""
    both = [read_amounts(pa.array(texts, pa.string())) for texts in zip(*rows, strict=True)]
    read = [one for one in both if one is not None]
    if not all(_PLAIN.fullmatch(text) for text in itertools.chain(*rows)):
        read = [one for one in read if one.kind == "date"]
    if len(read) < 2 or read[0].kind != read[1].kind or min(len(one.distinct) for one in read) < _FEWEST:
        return None
    if read[0].kind == "date":
        days = np.floor(read[1].numbers) - np.floor(read[0].numbers)
        return _most_common(days, 0, "dates shifted by one constant number of days")
    before, after = (one.numbers for one in read)
    ratios = [float(f"{ratio:.6g}") for ratio in after[before != 0] / before[before != 0]]
    added = _most_common(np.round(after - before, 6), 0, "the original plus one constant")
    multiplied = _most_common(np.array(ratios), 1, "the original times one constant")
    found = [shift for shift in (added, multiplied) if shift is not None]
    return max(found, key=lambda shift: shift.n_matched, default=None)


def _most_common(constants: FloatArray, neutral: float, how: str) -> Shift | None:
    known = Counter(constants[~np.isnan(constants)].tolist())
    constant, n = known.most_common(1)[0] if known else (neutral, 0)
    return None if constant == neutral else Shift(how=how, n_matched=n)


def is_shortened(original: str, anonymized: str) -> bool:
    """Whether a text is the beginning or end of a longer one, signs of masking left aside."""
    rest = anonymized.strip(_MASK).casefold()
    longer = original.strip(_MASK).casefold()
    return bool(rest) and len(rest) < len(longer) and (longer.startswith(rest) or longer.endswith(rest))


def holds(anonymized: str, original: str, *, as_word: bool) -> bool:
    """Whether a longer text holds the original, as a word of its own if asked for.

    Originals of fewer than four characters (two in Hangul, where particles follow a word without a
    space) are found too often by chance.
    """
    is_hangul = bool(_HANGUL.search(original))
    if len(original) < (_SHORTEST_HANGUL if is_hangul else _SHORTEST_WORD) or len(anonymized) <= len(
        original
    ):
        return False
    text, word = anonymized.casefold(), original.casefold()
    start = text.find(word)
    if start < 0 or is_hangul or not as_word:
        return start >= 0
    return (
        not text[start - 1 : start].isalnum()
        and not text[start + len(word) : start + len(word) + 1].isalnum()
    )


def order_kept(rows: Sequence[tuple[str, str]]) -> Literal["all", "nearly", "no"]:
    """Return whether numbers or dates, sorted by the original, are sorted by what became of them.

    Both may be written in any usual way, numbers behind letters or in hexadecimal; the order may be reversed.
    They are ``nearly`` in order from a rank correlation of 0.9999.
    """
    if len(rows) < nearest.FEWEST_ROWS:
        return "no"
    sides = [pa.array(texts, pa.string()) for texts in zip(*rows, strict=True)]
    read = [read_amounts(texts) or read_codes(texts) for texts in sides]
    known = [one.numbers for one in read if one is not None and not np.isnan(one.numbers).any()]
    if len(known) < len(sides):
        return "no"
    kind, n_in_place = nearest.order_kept(*known)
    if kind in {"one to one", "in order"} and n_in_place == len(rows):
        return "all"
    correlation = abs(float(nearest.standard_ranks(known[0]) @ nearest.standard_ranks(known[1])))
    return "nearly" if kind is not None and correlation >= nearest.NEARLY else "no"
