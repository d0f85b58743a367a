"""What pairs of values have in common row by row: a shift, a part of the text, the order."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from core.tabular.second_opinion.amounts import read_amounts

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_MASK = " *#xX.…-_"
_HANGUL = re.compile(r"[가-힣]")
_SHORTEST_WORD, _SHORTEST_HANGUL = 4, 2  # characters
_FEWEST = 3  # distinct values needed for a shift
_IN_ORDER = 0.9999  # rank correlation
_PREFIX = re.compile(r".*[^0-9.,+-]", re.DOTALL)
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?")
_DECIMAL = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_HEX_NUMBER = re.compile(r"[0-9a-fA-F]{1,32}")
_FEWEST_IN_ORDER = 10  # rows; fewer are in order by chance too often


@dataclass(frozen=True, kw_only=True)
class Shift:
    """A constant that was added or multiplied, in words, and how many rows it explains."""

    how: str
    n_matched: int


def shift_between(rows: Sequence[tuple[str, str]]) -> Shift | None:
    """Return the constant, not none, that explains most rows (original, anonymized) of dates or numbers."""
    days = _days(rows)
    if _are_varied(days, len(rows)):
        return _most_common([b - a for a, b in days], 0, "dates shifted by one constant number of days")
    numbers = [(float(a), float(b)) for a, b in rows if _NUMBER.fullmatch(a) and _NUMBER.fullmatch(b)]
    if not _are_varied(numbers, len(rows)):
        return None
    added = _most_common([round(b - a, 6) for a, b in numbers], 0, "the original plus one constant")
    ratios = [float(f"{b / a:.6g}") for a, b in numbers if a]
    multiplied = _most_common(ratios, 1, "the original times one constant")
    found = [shift for shift in (added, multiplied) if shift is not None]
    return max(found, key=lambda shift: shift.n_matched, default=None)


def _are_varied(pairs: Sequence[tuple[float, float]], n_rows: int) -> bool:
    """Whether most rows could be read, with enough distinct values on both sides."""
    enough = len({a for a, _ in pairs}) >= _FEWEST and len({b for _, b in pairs}) >= _FEWEST
    return enough and len(pairs) >= 0.9 * n_rows


def _most_common(constants: Sequence[float], neutral: float, how: str) -> Shift | None:
    constant, n = Counter(constants).most_common(1)[0] if constants else (neutral, 0)
    return None if constant == neutral else Shift(how=how, n_matched=n)


def _days(rows: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
    """Return the pairs of days, where both sides are dates."""
    read = [read_amounts(pa.array(texts, pa.string())) for texts in zip(*rows, strict=True)]
    days = [np.floor(one.numbers) for one in read if one is not None and one.kind == "date"]
    if len(days) < 2:
        return []
    known = ~np.isnan(days[0]) & ~np.isnan(days[1])
    return list(zip(days[0][known].tolist(), days[1][known].tolist(), strict=True))


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

    Both may be written in any usual way, numbers behind one prefix or in hexadecimal; the order may be
    reversed. They are ``nearly`` in order from a rank correlation of 0.9999.
    """
    if len(rows) < _FEWEST_IN_ORDER:
        return "no"
    before, after = (_amounts(texts) for texts in zip(*rows, strict=True))
    if before is None or after is None or min(len(set(before)), len(set(after))) < _FEWEST:
        return "no"
    if _is_sorted(before, after) or _is_sorted(before, [-amount for amount in after]):
        return "all"
    ranks = pd.DataFrame({"before": before, "after": after}).rank().to_numpy()
    return "nearly" if abs(np.corrcoef(ranks, rowvar=False)[0, 1]) >= _IN_ORDER else "no"


def _is_sorted(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether the second numbers are in order where the first are."""
    ordered = [b for _, b in sorted(zip(before, after, strict=True))]
    return ordered == sorted(ordered)


def _amounts(texts: Sequence[str]) -> list[float] | None:
    """Read texts as dates of one spelling, or as numbers; None where not all are."""
    read = read_amounts(pa.array(texts, pa.string()))
    if read is not None and read.kind == "date" and not np.isnan(read.numbers).any():
        return [float(number) for number in read.numbers]
    prefix = _PREFIX.match(texts[0])
    if prefix and not all(text.startswith(prefix[0]) for text in texts):
        prefix = None
    rests = [text[prefix.end() if prefix else 0 :].replace(" ", "") for text in texts]
    if all(_GROUPED.fullmatch(rest) for rest in rests):
        return [float(rest.replace(",", "")) for rest in rests]
    if all(_DECIMAL.fullmatch(rest) for rest in rests):
        return [float(rest.replace(",", ".")) for rest in rests]
    if all(_HEX_NUMBER.fullmatch(text) for text in texts):
        return [float(int(text, 16)) for text in texts]
    return None
