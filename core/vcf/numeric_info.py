"""INFO columns in which nothing but numbers stands, told by one pattern instead of a search for words.

Most records of a file have the same keys with other numbers. Once the keys have been seen to name
nothing, a record of that shape holds no allele and no identifier, whatever its numbers are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_SHAPES = 8  # tried one after the other
MAX_ATTEMPTS = 100
_NUMBERS = rb"[-+0-9.,eE]*"
_COUNT = rb"[1-9][0-9]*"
_SAFE_KEY = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
LONG_ALLELE = 6  # bases: no key that holds as many in a row is taken to name nothing
# In a key: a long allele, or REF beside an allele.
_ALLELE_LIKE = re.compile(rb"[ACGTN]{%d}|(?<![A-Z])[ACGTN]+(?:_|TO|[0-9]+)[ACGTN]+(?![A-Z0-9])" % LONG_ALLELE)
_BASES = re.compile(rb"[ACGTN]+")


class NumericInfo:
    """The shapes of numeric INFO columns that were met in one reading of a pair.

    Parameters
    ----------
    names
        What an INFO field of a public identifier begins with, as a pattern of ``;KEY=value``.
    describes
        What a field that describes the allele looks like, as a pattern of ``;KEY=value``.
    """

    def __init__(self, names: re.Pattern[bytes], describes: re.Pattern[bytes]) -> None:
        self._names = names
        self._describes = describes
        self._shapes: list[tuple[re.Pattern[bytes], bool]] = []
        self._n_attempts = 0

    def describes(self, alleles: Sequence[bytes], text: bytes | bytearray, *span: int) -> bool | None:
        """Tell whether a numeric INFO column describes its allele; None where it may be another kind.

        The column is the text, or what stands in it from the first number of `span` to the second.
        """
        for pattern, described in self._shapes:
            if pattern.fullmatch(text, *span):
                return described if all(map(_BASES.fullmatch, map(bytes.upper, alleles))) else None
        return None

    def learn(self, info: bytes) -> None:
        """Note the shape of an INFO column that was searched without finding an allele or an identifier."""
        if len(self._shapes) >= MAX_SHAPES or self._n_attempts >= MAX_ATTEMPTS:
            return
        self._n_attempts += 1
        fields: list[bytes] = []
        described = False
        for field in info.split(b";"):
            key, equals, value = field.partition(b"=")
            name = key.upper()
            with_value = b";%s=1" % name
            if not _SAFE_KEY.fullmatch(key) or _ALLELE_LIKE.search(name) or self._names.search(with_value):
                return
            if not equals:
                if _BASES.fullmatch(name) or self._describes.search(b";" + name):
                    return  # a flag can be an allele, as a word by itself
                fields.append(key)
                continue
            counts = self._describes.search(with_value) is not None
            if counts and value == b"0" and not self._describes.search(b";%s=0" % name):
                fields.append(field)  # a count of nobody describes nothing
                continue
            described = described or counts
            fields.append(key + b"=" + (_COUNT if counts else _NUMBERS))
        pattern = re.compile(b";".join(fields))
        if pattern.fullmatch(info):
            self._shapes.append((pattern, described))
