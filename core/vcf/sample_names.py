"""Names of samples: which tell a person, which are those of the original, and which are pseudonyms."""

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from urllib.parse import unquote

from core.people import names as people
from core.people.names import KOREAN_SURNAMES, WORDS_THAT_ARE_NO_NAMES
from core.values.letters import without_accents
from core.vcf.checks.spellings import WRITTEN_VARIANT
from core.vcf.memoized import remembered

MIN_NAME = 4  # letters: shorter names are parts of others by chance; of syllables two are enough
MIN_NUMBER = 5  # digits: shorter numbers of samples are counted in many files
LONGEST_NAME = 64  # letters of a name that is looked for inside others
_GENERIC = re.compile(
    r"(?i)(?:(?:s|sample|smpl|donor|subject|subj|anon\w*|masked|id|p|pt|ind|indiv|individual|patient|case"
    r"|control|proband|tumou?r|normal|child|mother|father|kid|sibling|mom|dad|unknown|test|truth|call|calls"
    r"|query|baseline|variants?|reads?|blank|dummy|example|demo|pool|pooled|merged|mix|blood|saliva|germline"
    r"|somatic|x|n)[_\-. ]?)?"
    r"\d{0,5}"
)
_SHAPE = re.compile(r"@|[\uac00-\ud7a3]{2}|\d{6}|[A-Za-z][-_]?\d{4}|\d[A-Za-z]+\d|[A-Za-z]{3}")
_NUMBER = re.compile(r"(?i)(?:HG|NA|GM)\d{5}|(?:mrn|chart|hosp|nhs|ssn|dob|case_?no|pat_?id)[-_ .:#]?\d{3,}")
# What repositories of samples and panels number theirs by: whoever has access looks the person up there.
_ACCESSION = re.compile(
    r"(?<![A-Za-z0-9])(?:TCGA-\w\w-\w{4}(?:-\w+)*|HGDP\d{5}|GTEX-\w{4,5}(?:-\w+)*|SAM(?:N|EA|D)\d{5,}"
    r"|EGA[A-Z]\d{8,}|GSM\d{5,}|[SED]R[RSXZ]\d{5,}|phs\d{6}\S*|LP\d{7}-DNA_\w+|ACH-\d{6}|COSS\d{5,}"
    r"|KPGP-?\d{3,}|UKBB?[-_]?\d{7}|DDD4K\.\d+|deCODE[-_]\d+|NWD\d{6}|SSC\d{5}|TARGET-\d\d-\w{5,6}(?:-\w+)*"
    r"|CPT\d{9,}|C3[LN]-\d{5}(?:-\w+)*)(?![A-Za-z0-9])"
)
_BETWEEN_WORDS = re.compile(r"[\s_:;,|/()]+")
_OF_A_PERSON = re.compile(
    r"(?i)(?<![a-z])(?:patient|pt|subject|participant|proband|individual|bolnik|pacient)[-_ ]?\d+(?!\d)"
    r"|환자[-_ ]?\d+"
)
# A place of care, in a name or a field that a person wrote.
_PLACE_OF_CARE = re.compile(
    r"(?i)hospital|clinic(?!al|o)|medical[_ ]cent|klinik|bolni[cš]nic|ambulant|병원|의료원|보건소"
)
_ON_ARRAY = re.compile(r"(?<!\d)\d{10,12}_R\d\dC\d\d(?!\d)")
_RELATIVE = re.compile(
    r"(?i)(?<![a-z])(?:father|mother|parent|brother|sister|sibling|son|daughter|twin|wife|husband|spouse|uncle|aunt"
    r"|cousin|grand(?:father|mother|son|daughter)|proband|oce|mati|brat|sestra|sin|hci)(?![a-z])"
)
_FAMILY = re.compile(r"(?i)(?<![a-z])(?:fam(?:ily)?|ped(?:igree)?|kindred|trio|household|druzina)[-_ ]?\d+")
_RESIDENT = re.compile(r"(?<!\d)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-?[1-4]\d{6}(?!\d)")
_BIRTH = re.compile(
    r"(?<![A-Za-z0-9])(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?![A-Za-z0-9])"
)
_OTHER_BIRTH = re.compile(
    r"(?i)(?<![A-Za-z0-9])(?:0?[1-9]|[12]\d|3[01])(?:[-_./](?:0?[1-9]|1[0-2])[-_./]"
    r"|[-_ ]?(?:jan|feb|ma[rjy]|apr|jun|jul|a[uv]g|sep|o[ck]t|nov|dec)[a-z]*[-_ ]?)(?:19|20)\d\d(?!\w)"
)
_DATA_FILE = re.compile(r"(?i)\.(?:bam|cram|sam|fastq|fq|g?vcf|bcf)(?:\.gz)?$|^[/~]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{2,4}")
_WORD = re.compile(r"[^\W\d_]+")
_APART = re.compile(r"[\s_.,\-]+")
_FILLERS = re.compile("[\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_LOOK_ALIKE = frozenset(("LATIN", "CYRILLIC", "GREEK", "FULLWIDTH", "MATHEMATICAL"))
_NO_DIGITS = re.compile(r"[^0-9]+")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){4,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_BASE32 = re.compile(r"[A-Z2-7]{8,}={0,6}")
_FEWEST_NUMBERS = 3  # of which check digits say something; how many are needed depends on the kind
_FEWEST_DIGITS = 7  # of a number that a country or a telephone company gives
NUMBERS_OF_PEOPLE = frozenset(
    (
        "national identification number",
        "phone number",
        "identity document or account number",
        "online identifier or network address",
    )
)
_RANDOM_LENGTH, _UUID = 10, re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GIVEN_NAMES = people.ENGLISH_GIVEN_NAMES | people.SLOVENIAN_GIVEN_NAMES
_SURNAMES = people.ENGLISH_SURNAMES | people.SLOVENIAN_SURNAMES
_COMMON_NAMES = _GIVEN_NAMES | _SURNAMES
_SURNAME = (
    r"(?i:kim|lee|rhee|park|pak|choi|choe|jung|jeong|chung|kang|cho|yoon|yun|jang|lim|han|oh|seo|suh|shin|kwon"
    r"|gwon|hwang|ahn|song|ryu|yoo|hong|jeon|moon|yang|bae|baek|heo|nam|noh)"
)
_SYLLABLES = (
    r"(?i:(?:min|jun|joon|ji|jee|woo|seo|seok|yeon|yun|yoon|hyun|hyeon|jin|young|yeong|soo|su|eun|hee|hui|ho|jae"
    r"|gil|kil|deok|duk|hwan|hwa|kwan|gwan|moon|mun|pil|hyo|baek|man|cheon|sang|sung|seong|dong|kyung|gyeong|hye|hae|mi|na|ra|rin|won|wook|chan|chul|cheol|geun|gun|hoon|hun|hyuk|il"
    r"|in|jong|jung|jeong|ki|gi|kwang|kyu|myung|nam|sik|tae|yong|ye|ah|yu|bin|ha|do|yoo|seul|bo|ram|da)-?){2}"
)
_ROMANIZED = re.compile(
    rf"(?<![A-Za-z])(?=[A-Z])(?:{_SURNAME}[ _.,-]{{1,2}}(?=[A-Z]){_SYLLABLES}"
    rf"|{_SYLLABLES}[ _.,-]{{1,2}}(?=[A-Z]){_SURNAME})(?![A-Za-z])"
)


@remembered
def decoded(name: bytes) -> str:
    """Return a text in its encoding: UTF-8, else Korean, else Western."""
    for encoding in ("utf-8", "cp949"):
        try:
            return name.decode(encoding)
        except UnicodeDecodeError:
            continue
    return name.decode("latin-1")


@remembered
def is_generic(name: str) -> bool:
    """Tell whether a name is a usual word or one with a short number, such as ``sample_1`` or ``test``."""
    return len(name) < LONGEST_NAME and _GENERIC.fullmatch(name) is not None


def is_role(name: str) -> bool:
    """Tell whether a name is a usual word without a number: which of its samples, and nobody's name."""
    return is_generic(name) and name.isalpha()


def looks_personal(name: str) -> bool:
    """Tell whether a name is a person's, or an identifier by its form; pseudonyms of any form are not.

    A person's name is one with a common name as a word of its own, or of Korean syllables with a surname;
    identifiers are addresses, resident and record numbers, dates of birth, numbers of public repositories and
    panels, places on an array, relatives within a numbered family, variants, and files.
    """
    if is_generic(name):
        return False
    if "@" in name or _DATA_FILE.search(name) or _NUMBER.fullmatch(name):
        return True
    if any(pattern.search(name) for pattern in (_ACCESSION, _ON_ARRAY, _PLACE_OF_CARE)):
        return True
    if WRITTEN_VARIANT.search(name.encode()):
        return True
    if _FAMILY.search(name) and _RELATIVE.search(name):
        return True
    is_dated = _RESIDENT.search(name) or _BIRTH.search(name) or _OTHER_BIRTH.search(name)
    return bool(is_dated) or holds_person(name)


def speaks_of_a_person(text: str) -> bool:
    """Tell whether a text numbers a person, names a place of care, or has a number of a record.

    Cell lines (GM12878) are none: annotations name those that they were measured in.
    """
    if _OF_A_PERSON.search(text) or _PLACE_OF_CARE.search(text):
        return True
    words = (word for word in _BETWEEN_WORDS.split(text) if not word.upper().startswith("GM"))
    return any(_NUMBER.fullmatch(word) or _ACCESSION.fullmatch(word) for word in words)


def are_numbers_of_people(names: Iterable[str]) -> bool:
    """Tell whether most names are national numbers, telephones or the like, by form and check digits."""
    import pyarrow as pa  # noqa: PLC0415 - what it needs takes long to import

    from core.people.roles.check_digits import checked_kind  # noqa: PLC0415 - the same
    from core.people.roles.suggest import suggest_roles  # noqa: PLC0415 - the same

    listed = [
        name for name in names if not is_generic(name) and sum(map(str.isdigit, name)) >= _FEWEST_DIGITS
    ]
    if not listed:
        return False
    (told,) = suggest_roles(pa.table({"": pa.array(listed, pa.string())}))
    if told.from_values and told.kind in NUMBERS_OF_PEOPLE:
        return True
    return checked_kind(listed, fewest=_FEWEST_NUMBERS) is not None


def holds_person(text: str) -> bool:
    """Tell whether a text holds a common name of people as a word."""
    for word in _APART.split(text):
        plain = without_accents(word)
        if len(plain) > 2 and plain in _COMMON_NAMES:
            return True
        if _HANGUL.fullmatch(word) and word not in WORDS_THAT_ARE_NO_NAMES:
            return bool({word[:1], word[:2]} & KOREAN_SURNAMES)
    return _ROMANIZED.search(text) is not None


def holds_full_name(text: str, *, surely: bool = False) -> bool:
    """Tell whether a text holds two words beside each other that begin with capitals, one a common name.

    Surely is it one where one is a common given name and the other a common surname, or both are a Korean
    name, romanized or not: methods are called by surnames, and by two of them.
    """
    words = _WORD.findall(text)
    pairs = [pair for pair in pairwise(words) if pair[0][:1].isupper() and pair[1][:1].isupper()]
    if not surely:
        return any(holds_person(" ".join(pair)) for pair in pairs) or _ROMANIZED.search(text) is not None
    if _ROMANIZED.search(text) or any(_HANGUL.fullmatch(word) and holds_person(word) for word in words):
        return True
    plain = ({without_accents(one) for one in pair} for pair in pairs)
    return any(pair & _GIVEN_NAMES and pair & _SURNAMES and len(pair) == 2 for pair in plain)


def holds_code(name: str) -> bool:
    """Tell whether a name holds signs that nobody sees, or letters that look like those of another script."""
    if name.isascii():
        return not name.isprintable()
    if _FILLERS.search(name) or not name.isprintable():
        return True
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in name if letter.isalpha()}
    return len(scripts & _LOOK_ALIKE) > 1


def tells_apart(name: str) -> bool:
    """Tell whether a name that is the original's leads to a person: not a general one, not random."""
    return not is_generic(name) and not _is_random(name) and _SHAPE.search(name) is not None


def _is_random(name: str) -> bool:
    """Tell whether a name is a token in hexadecimal of ten letters and more, or a UUID."""
    if _UUID.fullmatch(name):
        return True
    n_digits, n_letters = sum(map(str.isdigit, name)), sum(map(str.isalpha, name))
    is_mixed = n_digits >= 3 and n_letters >= 2 and n_digits + n_letters == len(name) >= _RANDOM_LENGTH
    one_case = name in (name.lower(), name.upper())
    return is_mixed and one_case and set(name.lower()) <= set("0123456789abcdef")


def name_finder(originals: Iterable[bytes]) -> Callable[[bytes], bool]:
    """Return what tells whether a name is one of the originals, or holds one, in whatever encoding.

    Upper and lower case, signs, direction and width are one; so are percent signs, hexadecimal and Base64.
    Takes time in proportion to all names together.
    """
    names = [decoded(name) for name in originals]
    plain = {folded(name) for name in names} - {""}
    numbers = {digits for name in names if len(digits := _digits(name)) >= MIN_NUMBER}
    long = {
        one
        for name in names
        if not is_generic(name) and len(one := folded(name)) >= _least(one) and len(one) <= LONGEST_NAME
    }
    long |= {one[::-1] for one in long}
    lengths = sorted({len(one) for one in long})

    def holds_name(sample: bytes) -> bool:
        name = decoded(sample)
        return (
            folded(name) in plain
            or _digits(name) in numbers
            or any(
                text[at : at + length] in long
                for text in _readings(name)
                for length in lengths
                for at in range(len(text) - length + 1)
            )
        )

    return holds_name


def _least(name: str) -> int:
    return 2 if not name.isascii() and all("\uac00" <= letter <= "\ud7a3" for letter in name) else MIN_NAME


@remembered
def folded(name: str) -> str:
    """Return the letters and digits of a name, without case, width and signs."""
    plain = name.lower() if name.isascii() else unicodedata.normalize("NFKC", name).casefold()
    return plain if plain.isalnum() else "".join(filter(str.isalnum, plain))


def _digits(name: str) -> str:
    return _NO_DIGITS.sub("", name) if name.isascii() else "".join(filter(str.isdecimal, name))


def _readings(name: str) -> Iterator[str]:
    yield folded(name)
    if "%" in name:
        yield folded(unquote(name))
    if name.isascii():
        yield folded(codecs.encode(name, "rot13"))
    if _BASE32.fullmatch(name):
        text = name.rstrip("=")
        try:
            yield folded(decoded(base64.b32decode(text + "=" * (-len(text) % 8))))
        except binascii.Error:
            return
    if _HEX.fullmatch(name):
        yield folded(decoded(bytes.fromhex(name)))
    if _BASE64.fullmatch(name):
        text = name.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            yield folded(decoded(base64.b64decode(text + "=" * (-len(text) % 4))))
        except binascii.Error:
            return
