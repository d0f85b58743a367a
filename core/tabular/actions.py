"""What the actions of an anonymization log mean, in the words that people write into logs.

The published rule knows nine actions by name; the second opinion also understands what others call their
work: English, Korean and Slovenian words, in any form (``round``, ``rounded``, ``rounding_to_10``).
"""

import re
import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType


class Meaning(StrEnum):
    """What was done to a column, by its log."""

    KEPT = "kept"
    GONE = "gone"
    PSEUDONYM = "pseudonym"
    COARSER = "coarser"
    CUT_OFF = "cut off"
    DISTURBED = "disturbed"
    SWAPPED = "swapped"
    REPLACED = "replaced"


# Of an action that several of these fit, the first in this order counts: `keep_if_permitted_else_drop` is
# no plain `keep`, and `replace_with_noise` disturbs.
_WORDS: Mapping[Meaning, str] = MappingProxyType(
    {
        Meaning.PSEUDONYM: (
            r"pseudonym|psevdonim|tokeni[sz]|hash|encrypt|hmac|recod(?:e|ed|ing)?ids?$|가명|해시|암호화|sifrir"
        ),
        Meaning.CUT_OFF: (
            r"(?:top|bottom)(?:and(?:top|bottom))?cod|winsori|clip|capp(?:ed|ing)|^cap|상하단|omejen"
        ),
        Meaning.DISTURBED: (
            r"nois|perturb|jitter|laplac|gauss|disturb|randomi[sz]edresponse|^pram|postrandomi[sz]|differentialpriva"
            r"|date?shift|shift|microaggreg|잡음|노이즈|교란|sum$|dodan.*sum|zamik"
        ),
        Meaning.SWAPPED: (r"swap|shuffl|permut|섞|교환|재배열|zamenja|premesa"),
        Meaning.REPLACED: (
            r"surrogat|fak(?:e|er|ed|ing)|synthe|substitut|replac|randomi[sz]|random|impute|대체|합성|nadomest"
        ),
        Meaning.COARSER: (
            r"generali[sz]|anonymi[sz]|anonimiz|detail|round|^bin|binn(?:ed|ing)|bins?$|bucket|band(?:ed|ing|s)?$|coars"
            r"|categori[sz]|recod|group|interval|range|aggregat|truncat|floor|ceil|shorten|mask|blur|quanti|discreti"
            r"|익명|일반화|범주화|반올림|올림|내림|라운딩|총계|마스킹|구간|posplos|zaokroz|razred|maskir|skrajsa|zdruzi"
        ),
        Meaning.GONE: (
            r"^drop|suppress|delet|remov|redact|blank|eras|omit|^null|exclud|삭제|제거|제외|비식별|izbris|odstran|izpust"
            r"|prikri|zatr"
        ),
        Meaning.KEPT: (
            r"^(?:keep|kept|retain(?:ed)?|unchanged|asis|none|noaction|nochange|preserved?|passthrough|유지|원본유지"
            r"|ohrani|ohranjeno|nespremenjeno)$"
        ),
    }
)
_NEGATION = re.compile(r"^(?:no|not|non|without|un|ne|brez)(?:_|$)")
_NO_LETTER = re.compile(r"[\W_]+")


@lru_cache(maxsize=1024)
def meaning_of(action: str) -> Meaning | None:
    """Return what a logged action means, None where that is not known.

    >>> [str(meaning_of(word)) for word in ("Rounding", "top-code", "local_suppression", "가명처리", "bless")]
    ['coarser', 'cut off', 'gone', 'pseudonym', 'None']
    """
    plain = unicodedata.normalize("NFKC", action).casefold()
    decomposed = unicodedata.normalize("NFD", plain)
    plain = unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))
    words = _NO_LETTER.sub("_", plain).strip("_")
    squashed = words.replace("_", "")
    if not _NEGATION.match(words) or squashed in {"noaction", "nochange", "noise"}:
        for meaning, pattern in _WORDS.items():
            if re.search(pattern, squashed):
                return meaning
    return None
