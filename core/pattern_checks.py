"""What sensitive patterns need beyond a regular expression: checksums, numbering plans, word lists."""

from __future__ import annotations

import ipaddress
import re
from typing import cast

import phonenumbers
import pyarrow as pa
import pyarrow.compute as pc
from stdnum import iban, luhn
from stdnum.at import vnr
from stdnum.cn import ric
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.pl import pesel
from stdnum.si import ddv, emso

from core.coding import BoolArray
from core.korean import (
    ADMINISTRATIVE_ENDINGS,
    CATEGORICAL_ENDINGS,
    GIVEN_NAMES_LIKE_PLACES,
    KOREAN_SURNAMES,
    WORDS_THAT_ARE_NO_NAMES,
)

_NATIONAL_NUMBERS = (dni, nie, codicefiscale, pesel, nir, ric, bsn, idnr, vnr, nhs)

_MONTHS = "(?:jan|feb|mar|apr|maj|may|jun|jul|avg|aug|sep|okt|oct|nov|dec)[a-z]*"
_YEAR = r"(?:19|20)\d{2}"
OTHER_DATES = "|".join(
    (
        rf"{_YEAR}\. ?\d{{1,2}}\. ?\d{{1,2}}",
        rf"\d{{1,2}}[./\-] ?\d{{1,2}}[./\-] ?{_YEAR}",
        rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T?\d{{4}}(?:\d{{2}})?)?",
        rf"{_YEAR}년 ?\d{{1,2}}월 ?\d{{1,2}}일",
        rf"(?i:\d{{1,2}}(?:st|nd|rd|th)?[ .\-]{{1,2}}{_MONTHS}[ ,.\-]{{1,2}}(?:19|20)?\d{{2}})",
        rf"(?i:{_MONTHS}[ .]{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR})",
    )
)

INTERNATIONAL_PHONE = (
    r"(?:^|[^\p{L}\p{N}\-])(?P<found>\+[1-9](?:[ ()./\-]{0,2}\d){6,14})(?:$|[^\p{L}\p{N}\-])"
)

# Invisible and control characters, spaces other than the usual, hyphens, digits and letters that only look
# like ASCII, and Hangul in parts as file systems and old exporters write it.
_ODD = (
    r"\p{Cf}\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\x{A0}\x{34F}\x{2000}-\x{200A}\x{3000}\x{3164}"
    r"\x{2010}-\x{2015}\x{2212}\x{FE58}\x{FE63}\x{FE00}-\x{FE0F}\x{FF01}-\x{FF5E}\x{660}-\x{669}\x{6F0}-\x{6F9}"
    r"\x{966}-\x{96F}\x{B2}\x{B3}\x{B9}\x{2070}-\x{2089}\x{2460}-\x{2473}\x{1D7CE}-\x{1D7FF}\x{1100}-\x{11FF}"
)
ODD_CHARACTER = f"[{_ODD}]"
# What a cell needs besides: digits, an @, or to be a short cell of Hangul.
_MAY_HIDE = rf"\p{{N}}.*\p{{N}}|[@＠]|^[\s{_ODD}가-힣]{{2,24}}$"
_DASHES = r"[\x{2010}-\x{2015}\x{2212}\x{FE58}\x{FE63}]"
_INVISIBLE = r"[\p{Cf}\p{Mn}\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\x{3164}\x{115F}\x{1160}]"
_OTHER_DIGITS = tuple(f"[{chr(0x660 + d)}{chr(0x6F0 + d)}{chr(0x966 + d)}]" for d in range(10))


def as_read(values: pa.Array) -> pa.Array:
    """Return the texts as a person reads them: plain digits, letters and hyphens, nothing invisible."""
    plain = pc.utf8_normalize(pc.replace_substring_regex(values, _DASHES, "-"), "NFKC")
    plain = pc.replace_substring_regex(plain, _INVISIBLE, "")
    if pc.any(pc.match_substring_regex(plain, "|".join(_OTHER_DIGITS))).as_py():
        for digit, spellings in enumerate(_OTHER_DIGITS):
            plain = pc.replace_substring_regex(plain, spellings, str(digit))
    return pc.utf8_trim_whitespace(plain)


def may_hide_a_pattern(values: pa.Array) -> BoolArray:
    """Return which cells hold enough digits, an @ or little enough Hangul to hide a pattern."""
    return cast("BoolArray", pc.match_substring_regex(values, _MAY_HIDE).to_numpy(zero_copy_only=False))


def are_plausible_names(values: pa.Array) -> BoolArray:
    """Return which cells of two to four Hangul syllables may be a person's name.

    Returns shape (n_values,). False for administrative places (by their ending) and common words of tables;
    True for a surname with a given name that only ends like a place.
    """
    words = pc.utf8_trim_whitespace(values)
    place = pc.and_not(
        pc.match_substring_regex(words, f"[{ADMINISTRATIVE_ENDINGS}]$"), pc.is_in(words, _PEOPLE)
    )
    word = pc.or_(pc.is_in(words, _WORDS), pc.match_substring_regex(words, f"[{CATEGORICAL_ENDINGS}]$"))
    return cast("BoolArray", pc.invert(pc.or_(place, word)).to_numpy(zero_copy_only=False))


_PEOPLE = pa.array(
    sorted(surname + given for surname in KOREAN_SURNAMES for given in GIVEN_NAMES_LIKE_PLACES)
)
_WORDS = pa.array(sorted(WORDS_THAT_ARE_NO_NAMES))


def is_phone_number(text: str) -> bool:
    """Return whether the number, + and country code included, is one that its country assigns."""
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text, None))
    except phonenumbers.NumberParseException:
        return False


def is_iban(text: str) -> bool:
    """Return whether length, structure and the check modulo 97 are those of the IBAN's country."""
    return bool(iban.is_valid(text))


def is_card(text: str) -> bool:
    """Return whether the digits pass the Luhn check."""
    return bool(luhn.is_valid(re.sub("[ -]", "", text)))


def is_ip_address(text: str) -> bool:
    """Return whether the text is an IP address of version 4 or 6."""
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def is_emso(text: str) -> bool:
    """Return whether date and check digit are those of a Slovenian personal number."""
    return bool(emso.is_valid(text))


def is_si_tax_number(text: str) -> bool:
    """Return whether the check digit is that of a Slovenian tax number."""
    return bool(ddv.is_valid(text))


def is_national_number(text: str) -> bool:
    """Return whether the number is valid in one of the countries of the catalogue."""
    return any(kind.is_valid(text) for kind in _NATIONAL_NUMBERS)
