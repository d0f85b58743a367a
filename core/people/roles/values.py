"""What a column's values say about its content."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from stdnum.si import emso

from core.coding import LONGEST_SHAPE, BoolArray, CodedColumn, beginnings, some_rows
from core.people import names as people
from core.people.free_text.finding import is_text_column
from core.people.names import vary_like_names
from core.people.patterns import is_ip_address
from core.people.roles import names
from core.people.roles.check_digits import checked_kind
from core.people.roles.vocabulary import DIGESTS, PERHAPS_NAMES, Role
from core.values.dates import YEAR
from core.values.letters import without_accents
from core.words import own, percent, text

_DIRECT, _QUASI, _SENSITIVE = Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE_ATTRIBUTE

MOST = 0.8  # share of a column's values that must have a strict shape for the column to have it
MANY = 0.5  # share for recognition by lists, which never know all names
DISTINCT = 0.9  # share of distinct values from which a column tells nearly all records apart
FEWEST_DIGITS = 5  # of documents and telephones
_MIN_RECORDS = 20  # non-blank cells below which distinctness says nothing
_SUPPRESSED = r"^[*#]+$"
_LONGEST_NUMBER = 30  # digits of a running number
_REPEATED = 0.1  # share of distinct values below which words in the form of names are categories
_FEWEST_ENCODED = 20  # distinct values from which they are read otherwise

_DIGEST = re.compile(r"(?:0x)?([0-9a-f]{32,128})", re.IGNORECASE)
_DIGEST_LENGTHS = {32, 40, 56, 64, 96, 128}
_YEARS = re.compile(r"(?:19\d\d|20[0-3]\d)(?:\.0)?")
_FEWEST_YEARS, _ALL_YEARS = 15, 0.98
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMALS = re.compile(r"[+-]?\d{1,3}\.(\d+)")
_FEWEST_INITIALS, _PER_LETTER = 8, 1.3
_TELEPHONE = (8, 12)  # digits of a number with its trunk 0
_MAC = re.compile(r"[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}", re.IGNORECASE)
_ONLINE = "online identifier or network address"
_SURNAME = r"(?:[^\W\d_a-z][^\W\d_A-Z]{1,30}[-'’ ]?){1,2}"
_INITIAL = re.compile(
    rf"(?P<before>[^\W\d_a-z])\.(?: ?[^\W\d_a-z]\.)? ?{_SURNAME}|{_SURNAME},? (?P<behind>[^\W\d_a-z])\."
)
_FEWEST_OTHERS, _KNOWN = 3, 0.3  # names of staff or relatives, and the share of listed ones that says so
_SYNTHEA_NAME = re.compile(r"([A-ZÀ-Ž][^\W\d_A-Z]+(?:[ '’-][^\W\d_]+)*)(\d{1,3})")
_NUMBERS_OF_NAMES = 300  # of a thousand; many names have one that another has too


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnProfile:
    """What is known of a column's values: exact counts, and a bounded sample of distinct values."""

    n_nonblank: int  # Exact; suppressed cells (only ``*`` or ``#``) count as blank
    n_distinct: int
    sample: tuple[
        str, ...
    ]  # distinct values, trimmed, in compatible composition (NFKC), of a seeded sample of the non-blank
    # cells; of long ones their first letters, see `core.coding.LONGEST_SHAPE`

    @property
    def distinct_share(self) -> float:
        """Return distinct values / non-blank cells, 0 of none."""
        return self.n_distinct / self.n_nonblank if self.n_nonblank else 0.0

    @property
    def tells_records_apart(self) -> bool:
        """Whether nearly every cell differs, in a column long enough for that to mean something."""
        return self.n_nonblank >= _MIN_RECORDS and self.distinct_share >= DISTINCT

    @property
    def varies_like_names(self) -> bool:
        """Whether the values repeat no more than those of many people do: see `vary_like_names`."""
        return vary_like_names(self.n_distinct, self.n_nonblank)

    def share(self, matches: Callable[[str], object]) -> float:
        """Return the share of the sampled distinct values for which `matches` is true, 0 of none."""
        hits = sum(map(bool, map(matches, self.sample)))
        return hits / len(self.sample) if self.sample else 0.0

    @cached_property
    def is_numeric(self) -> bool:
        """Whether at least 80 % of the values are numbers."""
        return self.share(_NUMBER.fullmatch) >= MOST


@dataclass(frozen=True, kw_only=True)
class ValueMatch:
    """What the values look like; `reason` is a sentence of it."""

    role: Role
    kind: str
    score: float
    reason: str


def profile_column(column: CodedColumn, *, seed: int, sample_size: int) -> ColumnProfile:
    """Count a column's values and sample them."""
    dictionary, n_nonblank = column.values, column.n_filled
    suppressed = _suppressed(dictionary)
    if suppressed.any():
        n_nonblank -= column.n_cells(suppressed)
        dictionary = dictionary.filter(pa.array(~suppressed))
    n_distinct = len(dictionary)
    dictionary = dictionary.take(pa.array(some_rows(np.random.default_rng(seed), n_distinct, sample_size)))
    dictionary, _ = beginnings(dictionary, LONGEST_SHAPE)
    values = tuple(unicodedata.normalize("NFKC", value).strip() for value in dictionary.to_pylist())
    return ColumnProfile(n_nonblank=n_nonblank, n_distinct=n_distinct, sample=values)


def _suppressed(values: pa.Array) -> BoolArray:
    """Return which values are nothing but ``*`` or ``#``; only what sorts before ``+`` can be."""
    found = pc.less(values, "+").to_numpy(zero_copy_only=False).copy()
    if found.any():
        found[found] = pc.match_substring_regex(values.filter(pa.array(found)), _SUPPRESSED).to_numpy(
            zero_copy_only=False
        )
    return found


def match_values(profile: ColumnProfile) -> ValueMatch | None:
    """Return what a column's values look like, None where they look like nothing known."""
    if not profile.sample:
        return None
    for recognize in _RECOGNIZERS:
        match = recognize(profile)
        if match is not None:
            return match
    return None


def _shape(
    pattern: str, role: Role, kind: str, score: float, *, also: Callable[[str], bool] | None = None
) -> Callable[[ColumnProfile], ValueMatch | None]:
    """Return a recognizer of a column most of whose values are of one shape."""
    compiled = re.compile(pattern, re.IGNORECASE)

    def recognize(profile: ColumnProfile) -> ValueMatch | None:
        share = profile.share(lambda value: compiled.fullmatch(value) and (also is None or also(value)))
        if share < MOST:
            return None
        reason = text("{share} of the values are written like {kind}.", share=percent(share), kind=own(kind))
        return ValueMatch(role=role, kind=kind, score=score, reason=reason)

    return recognize


def _listed(
    words: frozenset[str], role: Role, kind: str, score: float
) -> Callable[[ColumnProfile], ValueMatch | None]:
    """Return a recognizer of a column most of whose values are in a list."""

    def recognize(profile: ColumnProfile) -> ValueMatch | None:
        share = profile.share(lambda value: value.casefold() in words)
        if share < MOST or profile.n_distinct < 2:
            return None
        reason = text("{share} of the values are a {kind}.", share=percent(share), kind=own(kind))
        return ValueMatch(role=role, kind=kind, score=score, reason=reason)

    return recognize


def _checked(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize numbers with check digits, of whatever country."""
    found = checked_kind(profile.sample)
    if found is None:
        return None
    message = "{share} of the values have the check digits or dates of {kind}, far more than by chance."
    reason = text(message, share=percent(found[1]), kind=own(found[0]))
    return ValueMatch(role=_DIRECT, kind=found[0], score=0.94, reason=reason)


def _is_network_address(value: str) -> bool:
    return is_ip_address(value) or _MAC.fullmatch(value) is not None


def _is_telephone(value: str) -> bool:
    """Whether groups of digits have as many as a telephone number with its trunk 0, and are no date."""
    digits = sum(map(str.isdigit, value))
    return _TELEPHONE[0] <= digits <= _TELEPHONE[1] and re.fullmatch(rf".*\b{YEAR}", value) is None


def _is_resident_number(value: str) -> bool:
    """Whether a text has a birth date and a digit of sex and century, as Korean resident numbers do."""
    digits = value.replace("-", "")
    return 1 <= int(digits[2:4]) <= 12 and 1 <= int(digits[4:6]) <= 31


def _names(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize people's names: English and Slovenian by lists, Korean by surname, Synthea by its digits."""
    if profile.n_distinct < 3 or profile.is_numeric:
        return None
    if not profile.varies_like_names:
        return _few_full_names(profile)
    korean, latin = profile.share(names.looks_like_korean_name), profile.share(names.looks_like_latin_name)
    synthea = profile.share(_SYNTHEA_NAME.fullmatch) if _vary_with_numbers(profile) else 0.0
    for share, enough, message in (
        (korean, MOST, "{share} of the values look like Korean names."),
        (latin, MANY, "{share} of the values look like English or Slovenian names."),
        (
            synthea,
            MOST,
            "{share} of the values look like names followed by a number, as synthetic patients have them.",
        ),
    ):
        if share >= enough:
            return ValueMatch(
                role=_DIRECT,
                kind="person's name",
                score=min(0.95, 0.6 + 0.35 * share),
                reason=text(message, share=percent(share)),
            )
    return None


def _vary_with_numbers(profile: ColumnProfile) -> bool:
    """Whether both the words and the numbers behind them vary; in `Tract1` and `Tract2` only one does."""
    found = [match.groups() for value in profile.sample if (match := _SYNTHEA_NAME.fullmatch(value))]
    n_words, n_numbers = (len({pair[part] for pair in found}) for part in (0, 1))
    return 2 * n_words >= len(found) and 3 * n_numbers >= min(len(found), _NUMBERS_OF_NAMES)


def _few_full_names(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize the same few people in many records, such as physicians, by given name with surname."""
    share = profile.share(names.is_full_name)
    if share < MOST:
        return None
    return ValueMatch(
        role=_DIRECT,
        kind="person's name",
        score=0.85,
        reason=text(
            "{share} of the values look like given name and surname, of few people.", share=percent(share)
        ),
    )


def match_other_people(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize names in a column whose header speaks of staff or relatives: by how they are written.

    Few words of no list may be something else, and are names of people perhaps.
    """
    share = profile.share(names.is_written_as_name)
    if profile.n_distinct < _FEWEST_OTHERS or share < MOST:
        return None
    known = profile.share(_is_known_name)
    sure = known >= _KNOWN or profile.varies_like_names
    if profile.share(names.is_of_a_trade) >= _KNOWN and known < _KNOWN:
        return None
    message = "{share} of the values are written like names of people."
    return ValueMatch(
        role=_DIRECT,
        kind="person's name" if sure else PERHAPS_NAMES,
        score=0.85 if sure else 0.6,
        reason=text(message, share=percent(share)),
    )


def match_full_names(profile: ColumnProfile, *, of_people: bool) -> ValueMatch | None:
    """Recognize full names, which the header cannot make anything else: listed ones, and Korean ones.

    Others, of no list, where the header speaks of people.
    """
    korean = profile.share(names.is_full_korean_name) if profile.varies_like_names else 0.0
    share = max(profile.share(names.is_full_name), korean if korean >= DISTINCT else 0.0)
    if share < MOST and of_people and profile.varies_like_names:
        share = MOST if names.are_given_names_with_surnames(profile.sample) else 0.0
    if share < MOST or profile.n_distinct < _FEWEST_OTHERS:
        return None
    return ValueMatch(
        role=_DIRECT,
        kind="person's name",
        score=0.9,
        reason=text("{share} of the values are written like names of people.", share=percent(share)),
    )


def _is_known_name(value: str) -> bool:
    return names.is_titled(value) or names.looks_like_latin_name(value) or "가" <= value[0] <= "힣"


def _initials(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize initials with surnames of no list; the letters in front of options go with one word each."""
    found = [match for value in profile.sample if (match := _INITIAL.fullmatch(value))]
    letters = {match["before"] or match["behind"] for match in found}
    if len(found) < max(_FEWEST_INITIALS, MOST * len(profile.sample), _PER_LETTER * len(letters)):
        return None
    return ValueMatch(
        role=_DIRECT,
        kind="person's name",
        score=0.85,
        reason=text(
            "{share} of the values look like an initial with a surname.",
            share=percent(len(found) / len(profile.sample)),
        ),
    )


def _perhaps_names(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize names that no list has by their form, and Korean ones of which a syllable is hidden."""
    if profile.distinct_share < _REPEATED:
        return None
    reason: str
    if names.are_full_names(profile.sample):
        reason = "The values are given names and surnames in many combinations, or look so."
    elif names.are_masked_names(profile.sample):
        reason = "The values look like Korean names of which a syllable is hidden."
    else:
        return None
    return ValueMatch(role=_DIRECT, kind=PERHAPS_NAMES, score=0.6, reason=reason)


def _encoded(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize what values say in an encoding, backwards, or in other ways that undo themselves."""
    if profile.is_numeric or profile.n_distinct < _FEWEST_ENCODED:
        return None
    for how, values in names.read_otherwise(profile.sample):
        read = replace(profile, sample=tuple(values))
        recognizers = (_names,) if how in names.ANY_TEXT else (*_PEOPLE_SHAPES, _addresses, _names)
        for recognize in recognizers:
            if (match := recognize(read)) is not None:
                reason = text("Read {how}: {reason}", how=own(how), reason=match.reason)
                return replace(match, score=min(match.score, 0.9), reason=reason)
    return None


def _inside(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize people in a part of longer values, such as JSON, addresses of the web or names of files."""
    if profile.is_numeric or profile.n_distinct < _FEWEST_ENCODED:
        return None
    for parts in names.parts_inside(profile.sample):
        differing = tuple(dict.fromkeys(parts))
        n_distinct = profile.n_distinct * len(differing) // len(parts)
        read = replace(profile, sample=differing, n_distinct=max(n_distinct, len(differing)))
        for recognize in (*_PEOPLE_SHAPES, _names, _encoded):
            if (match := recognize(read)) is not None:
                reason = text("Read {how}: {reason}", how=own("in part"), reason=match.reason)
                return replace(match, score=min(match.score, 0.9), reason=reason)
    return None


def _is_digest(value: str) -> bool:
    match = _DIGEST.fullmatch(value)
    return match is not None and len(match[1]) in _DIGEST_LENGTHS and any(c.isdigit() for c in match[1])


def _digests(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize digests of which some are alike: of names or numbers of people, perhaps."""
    if profile.tells_records_apart or profile.n_distinct < _FEWEST_ENCODED:
        return None
    if profile.share(_is_digest) < MOST or len(set(map(len, profile.sample))) > 1:
        return None
    reason = "The values are digests, and some of them are alike."
    return ValueMatch(role=_DIRECT, kind=DIGESTS, score=0.6, reason=reason)


def _districts(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize Korean districts and quarters: a province or city and what is in it, without a house."""
    share = 0.0 if profile.is_numeric else profile.share(_is_district)
    if share < MOST:
        return None
    reason = text("{share} of the values are a {kind}.", share=percent(share), kind=own("place or region"))
    return ValueMatch(role=_QUASI, kind="place or region", score=0.85, reason=reason)


def _is_district(value: str) -> bool:
    match = _DISTRICT.fullmatch(value[:_LONGEST_ADDRESS])
    return match is not None and (match[1] in people.KOREAN_REGIONS or match[1][-1] in "시도군")


def _addresses(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize postal addresses, English, Korean or Slovenian."""
    share = 0.0 if profile.is_numeric else profile.share(_looks_like_address)
    if share < MANY:
        return None
    return ValueMatch(
        role=_DIRECT,
        kind="postal address",
        score=min(0.95, 0.6 + 0.35 * share),
        reason=text("{share} of the values look like postal addresses.", share=percent(share)),
    )


_LONGEST_ADDRESS = 200
_KOREAN_ADDRESS = re.compile(r"[가-힣]+(?:시|도|군|구)\s+.*[가-힣0-9]+(?:로|길|동|읍|면|리|가)(?:\s.*\d.*|$)")
_DISTRICT = re.compile(r"([가-힣]{2,7})(?: [가-힣]{1,4}[시군구])+(?: [가-힣]{1,5}\d{0,2}[읍면동리가])*")
_NO_HOUSE = re.compile(r"(?<![^\s,])(?:[A-Za-z]{1,3}-?)?\d{4,5}(?![^\s,])|(?<=[가-힣])\d{1,2}[동가리](?!\S)")


def is_only_region(kind: str, profile: ColumnProfile) -> bool:
    """Whether a column that its name calls addresses holds places that records share, without houses."""
    if kind != "postal address" or profile.distinct_share >= MANY:
        return False
    return profile.share(lambda value: _looks_like_address(value) or _holds_house(value)) < MANY


def _holds_house(value: str) -> bool:
    """Whether a number stands in a text that is neither a postal code nor that of a Korean quarter."""
    return any(map(str.isdigit, _NO_HOUSE.sub("", value[:_LONGEST_ADDRESS])))


def holds_too_little(kind: str, profile: ColumnProfile) -> bool:
    """Whether records share what is left of telephones or e-mail addresses: area codes, providers."""
    if kind == "phone number":
        return profile.distinct_share < MANY and profile.share(_has_few_digits) > MANY
    return (
        kind == "e-mail address" and profile.distinct_share < MANY and profile.share(_has_no_mailbox) > MANY
    )


def _has_few_digits(value: str) -> bool:
    return sum(map(str.isdigit, value)) < FEWEST_DIGITS


def _has_no_mailbox(value: str) -> bool:
    return "@" not in value.lstrip("@*")


def _looks_like_address(value: str) -> bool:
    """Whether a text is a number with a street, as in Europe, or a Korean address with a road or quarter."""
    if _KOREAN_ADDRESS.match(value[:_LONGEST_ADDRESS]) and not _is_district(value):
        return True
    words = [without_accents(word) for word in re.findall(r"[^\W_]+", value)]
    if len(words) < 2 or not any(word[0].isdigit() for word in words):
        return False
    english = words[0].isdigit() and any(word in people.ENGLISH_STREET_WORDS for word in words[2:])
    slovenian = words[-1][0].isdigit() and any(word in people.SLOVENIAN_STREET_WORDS for word in words[:-1])
    numbered = any(
        word.endswith(people.STREET_ENDINGS) and word not in people.STREET_ENDINGS and after[0].isdigit()
        for word, after in pairwise(words)
    )
    before = words[0].isdigit() and len(words) > 2
    numbered |= words[before] in people.WORDS_BEFORE_STREETS and len(words) > 2
    return english or slovenian or numbered


def _free_text(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize free text: sentences, mostly distinct."""
    if not is_text_column(profile.sample, n_distinct=profile.n_distinct, n_cells=profile.n_nonblank):
        return None
    return ValueMatch(
        role=_DIRECT,
        kind="free text",
        score=0.6,
        reason="The values are long, varied texts of several words, which can hold names and anything else.",
    )


def _codes(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize identifiers by distinctness: codes of digits (and letters) that nearly all differ."""
    if not profile.tells_records_apart:
        return None
    coded = profile.share(
        lambda value: " " not in value and "." not in value and any(map(str.isdigit, value))
    )
    lengths = Counter(len(value) for value in profile.sample)
    same_length = lengths.most_common(1)[0][1] / len(profile.sample)
    if coded < MOST or (
        profile.is_numeric and not (_is_sequence(profile) or _is_long_number(profile, same_length))
    ):
        return None
    return ValueMatch(
        role=_DIRECT,
        kind="record identifier",
        score=0.75 if same_length >= MOST else 0.65,
        reason=text(
            "The values are codes and {share} of them differ.", share=percent(profile.distinct_share)
        ),
    )


def _years(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize years by their values: as many of them as those of birth have, and hardly anything else."""
    share = profile.share(_YEARS.fullmatch)
    if share < _ALL_YEARS or profile.n_distinct < _FEWEST_YEARS:
        return None
    reason = text("{share} of the values are a {kind}.", share=percent(share), kind=own("year"))
    return ValueMatch(role=_QUASI, kind="year", score=0.55, reason=reason)


def _is_sequence(profile: ColumnProfile) -> bool:
    """Whether whole numbers fill a range without gaps, judged from a sample: a running number."""
    if not all(map(_is_short_number, profile.sample)):
        return False
    numbers = [int(value) for value in profile.sample]
    expected = (profile.n_distinct - 1) * (len(numbers) - 1) / (len(numbers) + 1)
    return profile.n_distinct > 1 and max(numbers) - min(numbers) <= max(
        expected * 1.1, profile.n_distinct - 1
    )


def _is_short_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER


def _is_long_number(profile: ColumnProfile, same_length: float) -> bool:
    return same_length >= DISTINCT and float(np.median([len(value) for value in profile.sample])) >= 7


def _varied_words(profile: ColumnProfile) -> ValueMatch | None:
    """Recognize texts, not numbers, that nearly all differ."""
    if not profile.tells_records_apart or profile.is_numeric:
        return None
    message = "The values are texts of which {share} differ: each may stand for one person."
    return ValueMatch(
        role=_DIRECT,
        kind="identifier by distinctness",
        score=0.6,
        reason=text(message, share=percent(profile.distinct_share)),
    )


def decimal_places(profile: ColumnProfile) -> float:
    """Return the median number of decimal places, 0 where fewer than 80 % are decimals below 1000."""
    places = [len(match[1]) for value in profile.sample if (match := _DECIMALS.fullmatch(value))]
    return float(np.median(places)) if places and len(places) >= MOST * len(profile.sample) else 0.0


_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = (
    rf"(?:{YEAR}[-/.] ?{_MONTH}[-/.] ?{_DAY}\.?|{_DAY}[-/.] ?{_DAY}[-/.] ?{YEAR})"
    r"(?:[T: ]\d{1,2}[:.]\d\d.*)?"
)
_CLINICAL_TERM = r".+ \((?:disorder|finding|situation|procedure|regime/therapy|morphologic abnormality)\)"

_PEOPLE_SHAPES: tuple[Callable[[ColumnProfile], ValueMatch | None], ...] = (
    _shape(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", _DIRECT, "e-mail address", 0.97),
    _shape(r"\d{6}-?[0-9]\d{6}", _DIRECT, "national identification number", 0.93, also=_is_resident_number),
    _shape(r"\d{13}", _DIRECT, "national identification number", 0.96, also=emso.is_valid),
    _checked,
    _shape(r"\d{3}-\d{2}-\d{4}", _DIRECT, "national identification number", 0.95),
    _shape(r"\+?\(?\d{2,4}\)?[- .]\d{3,4}[- .]\d{3,4}", _DIRECT, "phone number", 0.9),
    _shape(r"\+\d{1,3}[\d ()./-]{6,16}", _DIRECT, "phone number", 0.9),
    _shape(
        r"\(?0[1-9]\d{0,3}\)?(?:[ /.-]{1,3}\d{2,4}){2,4}", _DIRECT, "phone number", 0.9, also=_is_telephone
    ),
    _shape(
        r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?",
        _DIRECT,
        "identity document or account number",
        0.9,
    ),
)
_RECOGNIZERS: tuple[Callable[[ColumnProfile], ValueMatch | None], ...] = (
    *_PEOPLE_SHAPES,
    _shape(
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", _DIRECT, "record identifier", 0.85
    ),
    _shape(r"[0-9a-f.:-]{3,45}", _DIRECT, _ONLINE, 0.85, also=_is_network_address),
    _shape(r"@[\w.-]*[^\W\d][\w.-]*", _DIRECT, _ONLINE, 0.85),
    _shape(_DATE, _QUASI, "date of a visit or stay", 0.6),
    _shape(r"[A-TV-Z]\d\d(?:\.\d{1,4})?", _SENSITIVE, "diagnosis or disease", 0.75),
    _shape(_CLINICAL_TERM, _SENSITIVE, "diagnosis or disease", 0.8),
    _listed(people.SEX_VALUES, _QUASI, "sex or gender", 0.9),
    _listed(people.MARITAL_VALUES, _QUASI, "marital status or household", 0.85),
    _listed(people.RACE_VALUES, _QUASI, "race, ethnicity or nationality", 0.8),
    _listed(people.KOREAN_REGIONS | people.US_STATES, _QUASI, "place or region", 0.85),
    _districts,
    _addresses,
    _names,
    _encoded,
    _inside,
    _digests,
    _initials,
    _perhaps_names,
    _free_text,
    _years,
    _codes,
    _varied_words,
)
