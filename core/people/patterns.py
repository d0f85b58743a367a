"""The catalogue of sensitive patterns, and the scan of a column for them.

A pattern says what a cell must hold to count: a resident number, a date, a person's name. The
verifiers share this one catalogue, so that a cell is judged the same everywhere. Patterns with
`rule` belong to the published rule; the others are on in second opinions.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import Literal, cast

import numpy as np
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

from core.coding import BoolArray, CodedColumn, IntArray, distinct_values
from core.people.names import (
    ADMINISTRATIVE_ENDINGS,
    CATEGORICAL_ENDINGS,
    GIVEN_NAMES_LIKE_PLACES,
    KOREAN_SURNAMES,
    WORDS_THAT_ARE_NO_NAMES,
)
from core.values.dates import YEAR
from core.values.letters import narrowed

_NATIONAL_NUMBERS = (dni, nie, codicefiscale, pesel, nir, ric, bsn, idnr, vnr, nhs)

_MONTHS = "(?:jan|feb|mar|apr|maj|may|jun|jul|avg|aug|sep|okt|oct|nov|dec)[a-z]*"
_OTHER_DATES = "|".join(
    (
        rf"{YEAR}\. ?\d{{1,2}}\. ?\d{{1,2}}",
        rf"\d{{1,2}}[./\-] ?\d{{1,2}}[./\-] ?{YEAR}",
        r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T?\d{4}(?:\d{2})?)?",
        rf"{YEAR}년 ?\d{{1,2}}월 ?\d{{1,2}}일",
        rf"(?i:\d{{1,2}}(?:st|nd|rd|th)?[ .\-]{{1,2}}{_MONTHS}[ ,.\-]{{1,2}}(?:{YEAR}|\d{{2}}))",
        rf"(?i:{_MONTHS}[ .]{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?,? {YEAR})",
    )
)

_INTERNATIONAL_PHONE = (
    r"(?:^|[^\p{L}\p{N}\-])(?P<found>\+[1-9](?:[ ()./\-]{0,2}\d){6,14})(?:$|[^\p{L}\p{N}\-])"
)

# Invisible and control characters, spaces other than the usual, hyphens, digits and letters that only look
# like ASCII, and Hangul in parts as file systems and old exporters write it.
_ODD = (
    r"\p{Cf}\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\x{A0}\x{34F}\x{2000}-\x{200A}\x{3000}\x{3164}"
    r"\x{2010}-\x{2015}\x{2212}\x{FE58}\x{FE63}\x{FE00}-\x{FE0F}\x{FF01}-\x{FF5E}\x{660}-\x{669}\x{6F0}-\x{6F9}"
    r"\x{966}-\x{96F}\x{B2}\x{B3}\x{B9}\x{2070}-\x{2089}\x{2460}-\x{2473}\x{1D7CE}-\x{1D7FF}\x{1100}-\x{11FF}"
)
_ODD_CHARACTER = f"[{_ODD}]"
# What a cell needs besides: digits, an @, or to be a short cell of Hangul.
_MAY_HIDE = rf"\p{{N}}.*\p{{N}}|[@＠]|^[\s{_ODD}가-힣]{{2,24}}$"
_DASHES = r"[\x{2010}-\x{2015}\x{2212}\x{FE58}\x{FE63}]"
_INVISIBLE = r"[\p{Cf}\p{Mn}\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\x{3164}\x{115F}\x{1160}]"
_OTHER_DIGITS = tuple(f"[{chr(0x660 + d)}{chr(0x6F0 + d)}{chr(0x966 + d)}]" for d in range(10))


def _as_read(values: pa.Array) -> pa.Array:
    """Return the texts as a person reads them: plain digits, letters and hyphens, nothing invisible."""
    plain = pc.utf8_normalize(pc.replace_substring_regex(values, _DASHES, "-"), "NFKC")
    plain = pc.replace_substring_regex(plain, _INVISIBLE, "")
    if pc.any(pc.match_substring_regex(plain, "|".join(_OTHER_DIGITS))).as_py():
        for digit, spellings in enumerate(_OTHER_DIGITS):
            plain = pc.replace_substring_regex(plain, spellings, str(digit))
    return pc.utf8_trim_whitespace(plain)


def _are_plausible_names(values: pa.Array) -> BoolArray:
    """Return which cells of two to four Hangul syllables may be a name, and no place or common word."""
    words = pc.utf8_trim_whitespace(values)
    place = pc.and_not(
        pc.match_substring_regex(words, f"[{ADMINISTRATIVE_ENDINGS}]$"), pc.is_in(words, _people())
    )
    word = pc.or_(pc.is_in(words, _words()), pc.match_substring_regex(words, f"[{CATEGORICAL_ENDINGS}]$"))
    return cast("BoolArray", pc.invert(pc.or_(place, word)).to_numpy(zero_copy_only=False))


@cache
def _people() -> pa.Array:
    return pa.array(
        sorted(surname + given for surname in KOREAN_SURNAMES for given in GIVEN_NAMES_LIKE_PLACES)
    )


@cache
def _words() -> pa.Array:
    return pa.array(sorted(WORDS_THAT_ARE_NO_NAMES))


def _is_phone_number(text: str) -> bool:
    """Return whether the number, + and country code included, is one that its country assigns."""
    import phonenumbers  # noqa: PLC0415 - takes long to import

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text, None))
    except phonenumbers.NumberParseException:
        return False


def is_ip_address(text: str) -> bool:
    """Return whether the text is an IP address of version 4 or 6."""
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def _is_national_number(text: str) -> bool:
    """Return whether the number is valid in one of the countries of the catalogue."""
    return any(kind.is_valid(text) for kind in _NATIONAL_NUMBERS)


_BEFORE = r"(?:^|[^\p{L}\p{N}\-])"
_AFTER = r"(?:$|[^\p{L}\p{N}\-])"
_N_TOGETHER = 3  # patterns in one regex; with more, some leave the fast machine of RE2
_N_CHECKED = 500  # candidates of a column that a checksum looks at; it is a matter of share


@dataclass(frozen=True, kw_only=True)
class SensitivePattern:
    r"""One way a cell can give a person away."""

    key: str  # stable machine name
    label: str  # name and explanation on screen
    description: str
    # what is searched, in RE2's syntax, with the group `found` around the candidate itself
    regex: str = field(repr=False)
    rule: bool = False  # whether the published rule counts it; the others are for second opinions
    shortest: int = 1  # bytes of the shortest cell that can match; shorter columns are not scanned
    # ``ascii`` when the pattern can be found in a column of plain ASCII, else ``non_ascii``
    alphabet: Literal["ascii", "non_ascii"] = "ascii"
    # of the distinct cells that the regex found, which ones count; None for all
    keep: Callable[[pa.Array], BoolArray] | None = field(default=None, repr=False)
    # Whether a candidate is valid by its checksum or plan. A column counts when at least `confirmed_share` of
    # its candidates are, and then with every candidate: a checksum raises confidence, it never rules a single
    # cell out.
    confirm: Callable[[str], bool] | None = field(default=None, repr=False)
    confirmed_share: float = 0.0  # in [0, 1]; at least one candidate has to be valid


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """How many distinct candidates of a column were looked at, and how many have a valid checksum."""

    n_checked: int
    n_valid: int


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternHits:
    """Which cells of a column hold which sensitive pattern."""

    distinct: CodedColumn  # the column's distinct values
    # Pattern key to shape (n_values,): which distinct values match. Patterns without a match are left out.
    masks: dict[str, BoolArray]
    # pattern key to what a checksum said, for patterns that have one and candidates in the column
    confirmed: dict[str, Confirmed]

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Return the cells that hold each pattern; a cell with two patterns counts in both."""
        return {key: self.distinct.n_cells(mask) for key, mask in self.masks.items()}

    @cached_property
    def any_mask(self) -> BoolArray:
        """Return shape (n_values,): which distinct values hold any of the patterns."""
        return np.logical_or.reduce([_none(len(self.distinct.values)), *self.masks.values()])

    @cached_property
    def n_cells(self) -> int:
        """Return the cells that hold at least one pattern."""
        return self.distinct.n_cells(self.any_mask) if self.masks else 0

    @property
    def n_filled(self) -> int:
        """Return the cells that are not missing."""
        return self.distinct.n_filled

    def in_records(self) -> BoolArray:
        """Return shape (n_records,): which records hold any of the patterns."""
        return self.distinct.in_records(self.any_mask)


def bounded(body: str) -> str:
    """Return the regex for `body` where no letter, digit or hyphen touches it on either side."""
    return f"{_BEFORE}(?P<found>{body}){_AFTER}"


_DATE = r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"

_RULE = (
    SensitivePattern(
        key="resident_number",
        label="Korean resident number",
        description="Six digits, an optional hyphen, seven digits. Whatever the check digit: numbers "
        "issued since October 2020 have none.",
        regex=bounded(r"\d{6}-?\d{7}"),
        rule=True,
        shortest=13,
    ),
    SensitivePattern(
        key="phone",
        label="Phone number",
        description="Two or three digits, three or four digits, four digits, with hyphens between.",
        regex=bounded(r"\d{2,3}-\d{3,4}-\d{4}"),
        rule=True,
        shortest=11,
    ),
    SensitivePattern(
        key="date",
        label="Date",
        description="Year, month and day with hyphens or slashes, also when a T and a time follow.",
        regex=rf"{_BEFORE}(?P<found>{_DATE})(?:$|[^\p{{L}}\p{{N}}\-]|[Tt]\d{{1,2}}:?\d{{2}})",
        rule=True,
        shortest=8,
    ),
    SensitivePattern(
        key="email",
        label="E-mail address",
        description="Letters, an @ and a domain.",
        regex=bounded(r"[\p{L}\p{N}._%+\-]+@[\p{L}\p{N}.\-]+\.[\p{L}]{2,}"),
        rule=True,
        shortest=6,
    ),
    SensitivePattern(
        key="hangul_name",
        label="Korean person's name",
        description="The whole cell is two to four Hangul syllables, not a place ending in 시 군 구 동 읍 "
        "면 리 and not a common word of tables such as 남성, 기혼 or 서울.",
        regex=r"^\s*(?P<found>[가-힣]{2,4})\s*$",
        rule=True,
        shortest=6,
        alphabet="non_ascii",
        keep=_are_plausible_names,
    ),
)


def _hide_a_pattern(values: pa.Array) -> BoolArray:
    """Return which values hold a pattern of the rule only once their odd characters are replaced."""
    hidden = cast("BoolArray", pc.match_substring_regex(values, _MAY_HIDE).to_numpy(zero_copy_only=False))
    candidates = values.filter(pa.array(hidden))
    hidden[hidden] = scan_column(_as_read(candidates)).in_records() & ~scan_column(candidates).in_records()
    return hidden


_BEYOND_RULE = (
    SensitivePattern(
        key="disguised",
        label="Disguised pattern",
        description="A resident number, phone number, date or e-mail address written with full-width or "
        "other digits, special hyphens, or invisible characters.",
        regex=_ODD_CHARACTER,
        shortest=8,
        keep=_hide_a_pattern,
    ),
    SensitivePattern(
        key="hangul_name_spaced",
        label="Korean person's name with a space",
        description="The whole cell is a Korean surname, a space, and one to three Hangul syllables.",
        regex=rf"^\s*(?P<found>(?:{'|'.join(sorted(KOREAN_SURNAMES))}) [가-힣]{{1,3}})\s*$",
        shortest=7,
        alphabet="non_ascii",
    ),
    SensitivePattern(
        key="resident_number_embedded",
        label="Korean resident number inside other text",
        description="Six digits that are a possible birth date, a hyphen, space or dot, and seven digits of "
        "which the first is 1 to 8, whatever letters touch them.",
        regex=r"(?:^|\D)(?P<found>\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\s?[-. ]\s?[1-8]\d{6})"
        r"(?:$|\D)",
        shortest=14,
    ),
    SensitivePattern(
        key="phone_spaced",
        label="Phone number with other separators",
        description="A number beginning with 0 in three groups with spaces, dots, slashes or brackets, or a "
        "Korean mobile number without any.",
        regex=bounded(
            r"\(0\d{1,2}\)\s?\d{3,4}[ .\-]\d{4}|0\d{1,2}[ ./]{1,2}\d{3,4}[ .\-]\d{3,4}|01[016789]\d{7,8}"
        ),
        shortest=9,
    ),
    SensitivePattern(
        key="us_ssn",
        label="US social security number",
        description="Three digits, two digits, four digits, with hyphens between.",
        regex=bounded(r"\d{3}-\d{2}-\d{4}"),
        shortest=11,
    ),
    SensitivePattern(
        key="kr_driving_licence",
        label="Korean driving licence",
        description="Two digits, two digits, six digits, two digits, with hyphens between.",
        regex=bounded(r"\d{2}-\d{2}-\d{6}-\d{2}"),
        shortest=15,
    ),
    SensitivePattern(
        key="international_phone",
        label="International phone number",
        description="A + with a country code and as many digits as that country's numbers have.",
        regex=_INTERNATIONAL_PHONE,
        shortest=8,
        confirm=_is_phone_number,
    ),
    SensitivePattern(
        key="ipv4",
        label="IP address (version 4)",
        description="Four numbers from 0 to 255 with dots between.",
        regex=r"(?:^|[^\p{L}\p{N}\-.])(?P<found>\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(?:$|[^\p{L}\p{N}\-.])",
        shortest=7,
        confirm=is_ip_address,
        confirmed_share=0.5,
    ),
    SensitivePattern(
        key="ipv6",
        label="IP address (version 6)",
        description="Eight groups of hexadecimal digits with colons, or fewer with a double colon.",
        regex=r"(?:^|[^\p{L}\p{N}\-:])(?P<found>[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?:$|[^\p{L}\p{N}\-:])",
        shortest=3,
        confirm=is_ip_address,
        confirmed_share=0.5,
    ),
    SensitivePattern(
        key="date_other",
        label="Date in other spellings",
        description="Day, month and year with dots or slashes, eight digits, month names, or 년 월 일.",
        regex=bounded(_OTHER_DATES),
        shortest=8,
    ),
    SensitivePattern(
        key="iban",
        label="Bank account (IBAN)",
        description="A country code and as many characters as that country's IBANs have; at least one in "
        "the column passes the check modulo 97.",
        regex=bounded(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"),
        shortest=15,
        confirm=iban.is_valid,
    ),
    SensitivePattern(
        key="card",
        label="Payment card number",
        description="13 to 19 digits of a card network; at least half of those in the column pass the Luhn "
        "check, which one in ten random numbers does.",
        regex=bounded(r"[2-6]\d{12,18}|[2-6]\d{3}(?:[ -]\d{4}){3}|3[47]\d{2}[ -]\d{6}[ -]\d{5}"),
        shortest=13,
        confirm=lambda number: luhn.is_valid(re.sub("[ -]", "", number)),
        confirmed_share=0.5,
    ),
    SensitivePattern(
        key="emso",
        label="Slovenian personal number (EMŠO)",
        description="13 digits that begin with a date of birth; at least half of those in the column have "
        "the right check digit.",
        regex=bounded(r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])[089]\d{8}"),
        shortest=13,
        confirm=emso.is_valid,
        confirmed_share=0.5,
    ),
    SensitivePattern(
        key="si_tax_number",
        label="Slovenian tax number",
        description="Eight digits, SI before them or not; at least half of those in the column have the "
        "right check digit, which one in eleven random numbers does.",
        regex=bounded(r"(?:SI ?)?[1-9]\d{7}"),
        shortest=8,
        confirm=ddv.is_valid,
        confirmed_share=0.5,
    ),
    SensitivePattern(
        key="national_number",
        label="National number of another country",
        description="A personal number of Spain (DNI, NIE), Italy (codice fiscale), Poland (PESEL), France "
        "(NIR), China (resident identity number), the Netherlands (BSN), Germany (IdNr), Austria or "
        "Great Britain (NHS); at least half of those in the column have the right check digit.",
        regex=bounded(
            r"[XYZ]?\d{7,8}[A-Z]|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]|[12]\d{14}|[1-9]\d{16}[\dX]"
            r"|\d{9,11}|\d{3} \d{3} \d{4}"
        ),
        shortest=9,
        confirm=_is_national_number,
        confirmed_share=0.5,
    ),
)

CATALOGUE: Mapping[str, SensitivePattern] = MappingProxyType(
    {pattern.key: pattern for pattern in (*_RULE, *_BEYOND_RULE)}
)
RULE_PATTERNS: tuple[SensitivePattern, ...] = _RULE
ALL_PATTERNS: tuple[SensitivePattern, ...] = tuple(CATALOGUE.values())


def scan_column(
    column: pa.ChunkedArray | pa.Array, patterns: Sequence[SensitivePattern] = RULE_PATTERNS
) -> PatternHits:
    """Search a column's values for patterns (`RULE_PATTERNS`, `ALL_PATTERNS`); a missing one has none."""
    return scan_values(distinct_values(column), patterns)


def scan_values(distinct: CodedColumn, patterns: Sequence[SensitivePattern] = RULE_PATTERNS) -> PatternHits:
    """Search the distinct values of a column; see `scan_column`. What was searched once is kept with them."""
    possible = _possible(distinct.values, patterns)
    new = [pattern for pattern in possible if (pattern.key, pattern.regex) not in distinct.kept]
    found = PatternHits(distinct=distinct, masks={}, confirmed={})
    for start in range(0, len(new), _N_TOGETHER):
        batch = new[start : start + _N_TOGETHER]
        positions = np.flatnonzero(
            _matches(distinct.values, _any_of(tuple(pattern.regex for pattern in batch)))
        )
        if len(positions):
            candidates = distinct.values.take(pa.array(positions))
            for pattern in batch:
                _scan_candidates(candidates, positions, pattern, found)
    for pattern in new:
        hits = found.masks.get(pattern.key), found.confirmed.get(pattern.key)
        distinct.kept[pattern.key, pattern.regex] = hits
    kept = {pattern.key: distinct.kept[pattern.key, pattern.regex] for pattern in possible}
    return PatternHits(
        distinct=distinct,
        masks={key: mask for key, (mask, _) in kept.items() if mask is not None},
        confirmed={key: confirmed for key, (_, confirmed) in kept.items() if confirmed is not None},
    )


def _scan_candidates(
    values: pa.Array, positions: IntArray, pattern: SensitivePattern, hits: PatternHits
) -> None:
    """Write into `hits` which of the values, at `positions` among the distinct ones, hold the pattern."""
    mask = _matches(values, pattern.regex)
    if pattern.keep is not None and mask.any():
        mask[mask] = pattern.keep(values.filter(pa.array(mask)))
    if pattern.confirm is not None and mask.any():
        confirmed = _confirmed(values.filter(pa.array(mask)), pattern.regex, pattern.confirm)
        hits.confirmed[pattern.key] = confirmed
        mask &= confirmed.n_valid > 0 and confirmed.n_valid >= pattern.confirmed_share * confirmed.n_checked
    if mask.any():
        hits.masks[pattern.key] = _none(len(hits.distinct.values))
        hits.masks[pattern.key][positions[mask]] = True


def _possible(values: pa.Array, patterns: Sequence[SensitivePattern]) -> tuple[SensitivePattern, ...]:
    """Return the patterns that the values' length and alphabet leave possible."""
    longest = pc.max(pc.binary_length(values)).as_py() or 0
    fitting = tuple(pattern for pattern in patterns if pattern.shortest <= longest)
    if (
        any(pattern.alphabet == "non_ascii" for pattern in fitting)
        and pc.all(pc.string_is_ascii(values)).as_py()
    ):
        return tuple(pattern for pattern in fitting if pattern.alphabet == "ascii")
    return fitting


@lru_cache(maxsize=64)
def _any_of(regexes: tuple[str, ...]) -> str:
    """Return one regex for several, so that a column without any match is read once."""
    return "|".join(f"(?:{regex.replace('?P<found>', '?:')})" for regex in regexes)


def _matches(values: pa.Array, regex: str) -> BoolArray:
    if not regex or not len(values):
        return _none(len(values))
    # A copy: Arrow's own buffers must not be written to.
    return np.array(
        pc.match_substring_regex(values, narrowed(regex, values)).to_numpy(zero_copy_only=False), dtype=bool
    )


def _confirmed(values: pa.Array, regex: str, confirm: Callable[[str], bool]) -> Confirmed:
    """Return how many of the candidates (evenly spaced ones of many) are valid, and how many were seen."""
    step = -(-len(values) // _N_CHECKED)
    looked_at = values.take(pa.array(np.arange(0, len(values), step)))
    found = pc.extract_regex(looked_at, narrowed(regex, looked_at)).field("found").to_pylist()
    return Confirmed(n_checked=len(found), n_valid=sum(map(confirm, found)))


def _none(n: int) -> BoolArray:
    return np.zeros(n, dtype=np.bool_)
