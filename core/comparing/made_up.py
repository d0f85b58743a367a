"""Made-up values of the same build: what a column of names, codes or days shows by chance."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from core.coding import CodedColumn
from core.values.dates import read_dates

_MOSTLY = 0.5  # share of values that make a column one of dates, or of words
_BEYOND = 3.0  # standard deviations
_WORD = re.compile(r"[\W_]*[^\W_]+[\W_]*")


def are_dates(values: Sequence[str]) -> bool:
    """Return whether most values are dates."""
    return bool(read_dates(pa.array(values, pa.string())).known.mean() >= _MOSTLY)


def recombined(values: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Return made-up values of the same build: days in between; words or places' characters drawn anew."""
    days = read_dates(pa.array(values, pa.string()))
    if days.known.size and days.known.mean() >= _MOSTLY and days.finest == "day":
        first, last = np.nanmin(days.positions()), np.nanmax(days.positions())
        drawn = rng.integers(int(first), int(last) + 1, len(values))
        return [str(np.datetime64(int(day), "D")) for day in drawn]
    split = [_parts(value) for value in values]
    made = []
    for n in {len(parts) for parts in split}:
        same = [parts for parts in split if len(parts) == n]
        places = [rng.permutation([parts[i] for parts in same]) for i in range(n)]
        made += ["".join(parts) for parts in zip(*places, strict=True)]
    return made


def _parts(value: str) -> list[str]:
    return _words(value) or list(value)


def _words(value: str) -> list[str]:
    """Return the words of a name, of one in a script without spaces its first character and the rest."""
    words = _WORD.findall(value)
    if len(words) > 1 and not any(c.isdigit() for c in value):
        return words
    return [value[:1], value[1:]] if len(value) > 1 and not value.isascii() and value.isalpha() else []


def most_known_by_chance(values: CodedColumn, originals: CodedColumn) -> float:
    """Return the most distinct values that are originals because both were drawn of the same words.

    0 but for values of several words, such as names: there as many as of words drawn anew, and 3 standard
    deviations more.
    """
    written = [*dict.fromkeys(values.labels)]
    if not written or np.mean([bool(_words(value)) for value in written]) < _MOSTLY:
        return 0.0
    known, n = set(originals.labels), len(written)
    share = np.mean([value in known for value in recombined(written, np.random.default_rng(0))])
    return float(share * n + _BEYOND * np.sqrt(2 * share * (1 - share) * n))
