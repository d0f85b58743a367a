"""Pseudonyms that anybody can compute: spelling × algorithm × key × cut, learned on one value.

A `Recipe` says how values become a digest, a `Cut` which part of it, as which `TokenShape` writes it, is the
token. What gives one value's token is proved on the rest.
"""

import base64
import binascii
import hashlib
import hmac
import itertools
import re
import unicodedata
import uuid
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from core.words import Text, own, text

Value = tuple[str, ...]  # cells of one record, one for each original column that was hashed
Digest = Callable[[bytes], bytes]

# --- spellings

_DAY_FIRST = re.compile(r"(\d{1,2})[./ -]+(\d{1,2})[./ -]+(\d{4})\.?")
_WHOLE_NUMBER = re.compile(r"[+-]?\d+(?:\.0+)?")


def _bare(value: str) -> str:
    """Return the letters and digits of a text, without accents."""
    decomposed = unicodedata.normalize("NFKD", value)
    return unicodedata.normalize("NFKC", "".join(c for c in decomposed if c.isalnum()))


def _digits(value: str) -> str:
    return "".join(c for c in value if c.isdecimal())


def _filled(digits: str, length: int) -> str:
    return digits.zfill(length) if digits else ""


def _as_float(value: str) -> str:
    return f"{int(float(value))}.0" if len(value) < 16 and _WHOLE_NUMBER.fullmatch(value) else ""


def _iso(date: re.Match[str]) -> str:
    return f"{date[3]}-{int(date[2]):02d}-{int(date[1]):02d}"


# a date within joined values, from its year, month and day
_DATES = (
    "{2}{1}{0}",
    "{0}{1}{2}",
    "{2}.{1}.{0}",
    "{2}/{1}/{0}",
    "{1}/{2}/{0}",
    "{2}{1}{3}",
    "{3}{1}{2}",
    "{0}",
)
_ISO = re.compile(r"([12]\d{3})-(\d{2})-(\d{2})")


def _with_dates(value: Value, form: str) -> Value:
    """Return cells of which those that are dates are written in a form, where there is one."""
    if not form:
        return value
    dates = [_ISO.fullmatch(_as_date(each) or each) for each in value]
    parts = zip(value, dates, strict=True)
    return tuple(form.format(*date.groups(), date[1][2:]) if date else each for each, date in parts)


def _as_date(value: str) -> str:
    match = _DAY_FIRST.fullmatch(value)
    return _iso(match) if match else ""


_IN_UTF8: tuple[Callable[[str], str], ...] = (
    str,
    str.lower,
    str.upper,
    lambda value: re.sub(r"[\W_]", "", value),
    lambda value: _DAY_FIRST.sub(_iso, value.lower()),
    lambda value: _bare(value).lower(),
    str.title,
    lambda value: re.sub(r"\s", "", value),
    _bare,
    lambda value: _bare(value).upper(),
    _digits,
    lambda value: _digits(value).lstrip("0"),
    lambda value: _filled(_digits(value), 8),
    lambda value: _filled(_digits(value), 10),
    _as_float,
    lambda value: _as_float(_digits(value)),
    _as_date,
    lambda value: _digits(_as_date(value)),
    lambda value: f"{value}\n",
    lambda value: f"{value}\r\n",
    lambda value: f'"{value}"',
    lambda value: value[::-1],
    lambda value: unicodedata.normalize("NFD", value),
)
_OTHERWISE: tuple[Callable[[str], bytes], ...] = (
    lambda value: value.encode("utf-16-le"),
    lambda value: value.encode("utf-16"),
    lambda value: b"" if value.isascii() else value.encode("cp949", "ignore"),
    lambda value: b"" if value.isascii() else value.encode("cp1250", "ignore"),
)
_ALL_SPELLINGS = range(len(_IN_UTF8) + len(_OTHERWISE))
_USUAL_SPELLINGS = range(4)
_JOINED_SPELLINGS = (0, 1, 4, 5, 2)


def _spelling(value: str, which: int) -> bytes:
    if which < len(_IN_UTF8):
        return _IN_UTF8[which](value).encode()
    return _OTHERWISE[which - len(_IN_UTF8)](value)


def spelled(value: str, which: Iterable[int] = _USUAL_SPELLINGS) -> dict[bytes, int]:
    """Return the distinct spellings of a value, the usual first, each with its number."""
    found: dict[bytes, int] = {}
    for each in which:
        found.setdefault(_spelling(value, each), each)
    found.pop(b"", None)
    return found


# --- algorithms

_MASK_32, _MASK_64 = 2**32 - 1, 2**64 - 1


def _library(name: str) -> Digest | None:
    """Return an algorithm of the TLS library, None where it was built without it."""

    def digest(data: bytes) -> bytes:
        return hashlib.new(name, data, usedforsecurity=False).digest()

    try:
        digest(b"")
    except ValueError:
        return None
    return digest


def _rolling(start: int, factor: int, mask: int, *, fnv: Literal["", "1", "1a"] = "") -> Digest:
    """Return a hash that multiplies and adds, or exclusive-ors, byte by byte."""

    def digest(data: bytes) -> bytes:
        state = start
        for byte in data:
            if fnv == "1a":
                state = (state ^ byte) * factor & mask
            elif fnv:
                state = (state * factor & mask) ^ byte
            else:
                state = (state * factor + byte) & mask
        return state.to_bytes(mask.bit_length() // 8, "big")

    return digest


def _pandas(data: bytes) -> bytes:
    """Return what pandas hashes a text to."""
    import pandas as pd  # noqa: PLC0415 - takes long to import

    hashed = pd.util.hash_array(np.array([data.decode("utf-8", "replace")], object), categorize=False)
    return int(hashed[0]).to_bytes(8, "big")


def _murmur(data: bytes, seed: int = 0) -> bytes:
    """Return MurmurHash3 of 32 bits (Appleby 2011)."""

    def mixed(block: int) -> int:
        block = block * 0xCC9E2D51 & _MASK_32
        return (block << 15 | block >> 17) * 0x1B873593 & _MASK_32

    state, whole = seed, len(data) // 4 * 4
    for at in range(0, whole, 4):
        state ^= mixed(int.from_bytes(data[at : at + 4], "little"))
        state = ((state << 13 | state >> 19) * 5 + 0xE6546B64) & _MASK_32
    state ^= mixed(int.from_bytes(data[whole:], "little")) ^ len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & _MASK_32
    state = (state ^ state >> 13) * 0xC2B2AE35 & _MASK_32
    return (state ^ state >> 16).to_bytes(4, "big")


_USUAL: Mapping[str, Digest] = MappingProxyType(
    {
        "MD5": lambda data: hashlib.md5(data, usedforsecurity=False).digest(),
        "SHA-1": lambda data: hashlib.sha1(data, usedforsecurity=False).digest(),
        "SHA-256": lambda data: hashlib.sha256(data).digest(),
        "SHA-512": lambda data: hashlib.sha512(data).digest(),
    }
)
_CHECKSUMS: Mapping[str, Digest] = MappingProxyType(
    {
        "CRC-32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
        "Adler-32": lambda data: zlib.adler32(data).to_bytes(4, "big"),
        "FNV-1 (32 bits)": _rolling(0x811C9DC5, 0x01000193, _MASK_32, fnv="1"),
        "FNV-1 (64 bits)": _rolling(0xCBF29CE484222325, 0x100000001B3, _MASK_64, fnv="1"),
        "FNV-1a (32 bits)": _rolling(0x811C9DC5, 0x01000193, _MASK_32, fnv="1a"),
        "FNV-1a (64 bits)": _rolling(0xCBF29CE484222325, 0x100000001B3, _MASK_64, fnv="1a"),
        "Java": _rolling(0, 31, _MASK_32),
        "djb2": _rolling(5381, 33, _MASK_32),
        "sdbm": _rolling(0, 65599, _MASK_32),
        "MurmurHash3": _murmur,
        "MurmurHash3 (seed 42)": partial(_murmur, seed=42),
        "pandas": _pandas,
    }
)


def _chain(names: Sequence[str], *, in_hexadecimal: bool) -> Digest:
    """Return algorithms one upon the other, each of the bytes or the hexadecimal digits of the one before."""

    def digest(data: bytes) -> bytes:
        for name in names[:-1]:
            data = _USUAL[name](data)
            data = data.hex().encode() if in_hexadecimal else data
        return _USUAL[names[-1]](data)

    return digest


def _chains() -> Iterator[tuple[Text, Digest]]:
    for one, two in itertools.product(_USUAL, repeat=2):
        in_hex = text("{second} of {first} in hexadecimal", first=one, second=two)
        yield in_hex, _chain([one, two], in_hexadecimal=True)
        yield text("{second} of {first}", first=one, second=two), _chain([one, two], in_hexadecimal=False)
    for name, n in itertools.product(_USUAL, (3, 4, 5, 10)):
        in_hex = text("{name} (repeated {times} times, in hexadecimal)", name=name, times=n)
        yield in_hex, _chain([name] * n, in_hexadecimal=True)
        plain = text("{name} (repeated {times} times)", name=name, times=n)
        yield plain, _chain([name] * n, in_hexadecimal=False)


def _sized(name: str, data: bytes, n_bytes: int) -> bytes:
    """Return a digest of a chosen length."""
    if name.startswith("BLAKE2s"):
        return hashlib.blake2s(data, digest_size=n_bytes).digest()
    return hashlib.blake2b(data, digest_size=n_bytes).digest()


_SIZED = MappingProxyType({"BLAKE2b of this length": 64, "BLAKE2s of this length": 32})  # bytes at most


@cache
def _algorithms() -> Mapping[str, Digest]:
    """Return every algorithm without a key, but those made for digests of any length."""
    names = ("sha224", "sha384", "sha512_224", "sha512_256", "sha3_224", "sha3_256", "sha3_384", "sha3_512")
    further = ("blake2b", "blake2s", "ripemd160", "sm3", "md4")
    found = {name.upper(): digest for name in (*names, *further) if (digest := _library(name)) is not None}
    found |= {
        "SHAKE-128": lambda data: hashlib.shake_128(data).digest(64),
        "SHAKE-256": lambda data: hashlib.shake_256(data).digest(64),
    }
    return MappingProxyType({**_USUAL, **_CHECKSUMS, **found, **dict(_chains())})


# --- keys

_WORDS = (
    *("salt", "secret", "pepper", "key", "password", "passw0rd", "changeme", "change_me", "default", "test"),
    *("dev", "prod", "demo", "example", "sample", "static", "fixed", "global", "random", "hello"),
    *("hello_world", "DEFAULT_DEV_SALT_CHANGE_ME", "salty", "s3cr3t", "secret123", "salt123", "password123"),
    *("anonymize", "anonymized", "anonymization", "anonymous", "anon", "pseudonym", "pseudonymize", "token"),
    *("pseudonymization", "hash", "hashing", "mask", "privacy", "gdpr", "hipaa", "pipa", "patient", "person"),
    *("hospital", "clinic", "research", "study", "project", "data", "dataset", "user", "admin", "root", "id"),
    *("qwerty", "letmein", "abc", "abc123", "xyz", "foo", "foobar", "none", "null", "nacl", "sol"),
    *("skrivnost", "geslo", "비밀", "비밀번호", "암호", "소금", "솔트", "가명", "익명", "병원"),
    *("0", "1", "12", "42", "99", "100", "0000", "9999", "1337", "31337", "deadbeef", "0123456789"),
    *("1234567890"[:n] for n in range(3, 11)),
    *map(str, range(1990, 2035)),
    *("your-secret-key", "your_salt_here", "your-secret-salt", "super_secret_key", "my_secret_salt"),
    *("my_secret_key", "hash_salt", "salt_value", "topsecret", "mysecretkey", "my-secret-key"),
)
_BEFORE_WORDS = (
    "my",
    "your",
    "some",
    "secret",
    "super",
    "default",
    "dev",
    "test",
    "static",
    "fixed",
    "random",
)
_NOUNS = ("salt", "secret", "key", "pepper")
_STUDIES = ("study", "hospital", "clinic", "project", "research", "data", "test", "password", "admin")
_BEHIND = ("1", "123", "!", "_salt", "_key", *map(str, range(2018, 2028)))
_SEPARATORS = (b"", b":", b"_", b"-", b"|", b" ", b"/", b".", b",")
_HMAC_NAMES = MappingProxyType({"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512"})
_SLOW_SALTS, _MOST_NOTED = ("salt", "pepper", "secret", ""), 6
_ITERATIONS = MappingProxyType(
    {"SHA-256": (1_000, 10_000, 100_000), "SHA-1": (1_000, 10_000), "SHA-512": (1_000, 10_000)}
)


Place = Literal["before", "after", "HMAC", "BLAKE2", "PBKDF2", "scrypt"]


class Key(NamedTuple):
    """A guessable key and where it goes: before or after the value, or as the key or salt of a function."""

    data: bytes
    place: Place
    n: int = 1  # iterations, or the cost

    @property
    def algorithms(self) -> Iterable[str]:
        """Return the names of what it is used with."""
        return ("BLAKE2b",) if self.place == "BLAKE2" else ("scrypt",) if self.place == "scrypt" else _USUAL

    def digest(self, data: bytes, algorithm: str) -> bytes:
        """Return the keyed digest of a text."""
        if self.place == "before":
            return _USUAL[algorithm](self.data + data)
        if self.place == "after":
            return _USUAL[algorithm](data + self.data)
        if self.place == "HMAC":
            return hmac.digest(self.data, data, _HMAC_NAMES[algorithm])
        if self.place == "BLAKE2":
            return hashlib.blake2b(data, key=self.data[:64]).digest()
        if self.place == "scrypt":
            return hashlib.scrypt(data, salt=self.data, n=self.n, r=8, p=1, dklen=64)
        return hashlib.pbkdf2_hmac(_HMAC_NAMES[algorithm], data, self.data, self.n)


def guessable_keys(context: Sequence[str]) -> list[Key]:
    """Return the keys that somebody without any secret would try, those of the context first."""
    composed = itertools.chain(
        map("".join, itertools.product(_BEFORE_WORDS, ("_", "", "-"), _NOUNS)),
        map("".join, itertools.product((*_NOUNS, *_STUDIES, *context[:_MOST_NOTED]), _BEHIND)),
    )
    known = dict.fromkeys((*context, *_WORDS))
    cased = dict.fromkeys(each for word in known for each in (word, word.upper(), word.lower()) if word)
    keys = [Key(b"", "HMAC")]
    for word in map(str.encode, cased):
        keys += [*keys_of(word), Key(word, "BLAKE2")]
    for word in map(str.encode, composed):
        keys += [Key(word, place) for place in ("HMAC", "before", "after")]
    return list(dict.fromkeys(keys))


def keys_of(salt: bytes) -> list[Key]:
    """Return the ways in which a word goes into the hash of a value."""
    before = [Key(salt + separator, "before") for separator in _SEPARATORS]
    return [Key(salt, "HMAC"), *before, *(Key(separator + salt, "after") for separator in _SEPARATORS)]


def slow_keys(context: Iterable[str]) -> Iterator[Key]:
    """Yield the salts and iterations that people use with functions made to be slow: a second of work."""
    words = list(dict.fromkeys((*_SLOW_SALTS, *itertools.islice(context, _MOST_NOTED))))
    for n, n_words in ((1_000, len(words)), (10_000, len(words)), (100_000, 3)):
        yield from (Key(word.encode(), "PBKDF2", n) for word in words[:n_words])
    yield Key(b"salt", "scrypt", 2**14)


_NAMESPACES = tuple(
    Key(space.bytes, "before")
    for space in (
        *(uuid.NAMESPACE_DNS, uuid.NAMESPACE_URL, uuid.NAMESPACE_OID, uuid.NAMESPACE_X500),
        *(uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)),
    )
)


# --- recipes


class Recipe(NamedTuple):
    """How values become a digest: joined, spelled, and hashed by an algorithm, perhaps with a key."""

    spelling: int
    algorithm: str
    key: Key | None = None
    joint: str = ""
    dates: str = ""  # how dates among joined values are written, one of `_DATES`; as they are where empty
    n_bytes: int = 0  # of the digest, where the algorithm makes any length

    def digest(self, value: Value) -> bytes | None:
        """Return the digest of a value, None where it has no such spelling."""
        data = _spelling(self.joint.join(_with_dates(value, self.dates)), self.spelling)
        return self.function(data) if data else None

    @property
    def function(self) -> Digest:
        """Return what makes a digest of the bytes of a spelled value."""
        if self.key is not None:
            return partial(self.key.digest, algorithm=self.algorithm)
        if self.n_bytes:
            return partial(_sized, self.algorithm, n_bytes=self.n_bytes)
        return _algorithms()[self.algorithm]

    @property
    def is_slow(self) -> bool:
        """Whether one digest takes so long that a handful of values has to do."""
        return self.key is not None and self.key.n > 1

    @property
    def how(self) -> Text:
        """Return the recipe in words, completing "the values are …"."""
        algorithm = own(self.algorithm)
        if self.key is None:
            return text("an unsalted {algorithm} hash", algorithm=algorithm)
        if self.key in _NAMESPACES:
            return text("a UUID made by {algorithm} in a published namespace", algorithm=algorithm)
        if self.is_slow:
            slow = "scrypt" if self.key.place == "scrypt" else f"PBKDF2-{self.algorithm}"
            return text("a {algorithm} hash with a guessable key", algorithm=own(slow))
        if self.algorithm[0] in "MS":
            return text("an {algorithm} hash with a guessable key", algorithm=algorithm)
        return text("a {algorithm} hash with a guessable key", algorithm=algorithm)


Made = Iterator[tuple[Recipe, bytes]]


def usual_digests(value: str) -> Made:
    """Yield the digests of a value that are used most, without a key."""
    for data, spelling in spelled(value).items():
        for name, digest in (*_USUAL.items(), ("CRC-32", _CHECKSUMS["CRC-32"])):
            yield Recipe(spelling, name), digest(data)


def _any(_: bytes) -> bool:
    return True


def plain_digests(
    value: str,
    lengths: Collection[int],
    *,
    without: Collection[str] = (),
    may_be: Callable[[bytes], bool] = _any,
) -> Made:
    """Yield all digests of a value that need no key, some of so many bytes, or UUIDs in namespaces.

    `without` some algorithms, such as the one for which pandas has to be imported; `may_be` says which
    digests are of use.
    """
    algorithms = {name: digest for name, digest in _algorithms().items() if name not in without}
    for data, spelling in spelled(value, _ALL_SPELLINGS).items():
        for name, digest in algorithms.items():
            if may_be(made := digest(data)):
                yield Recipe(spelling, name), made
        for n in lengths:
            for name, most in _SIZED.items():
                if n <= most:
                    yield Recipe(spelling, name, n_bytes=n), _sized(name, data, n)
    yield from keyed_digests(value, _NAMESPACES, may_be=may_be)


def keyed_digests(value: str, keys: Iterable[Key], *, may_be: Callable[[bytes], bool] = _any) -> Made:
    """Yield the digests of a value with each key, those that `may_be` says are of use."""
    texts = spelled(value)
    for key in keys:
        for algorithm in key.algorithms:
            for data, spelling in texts.items():
                if may_be(made := key.digest(data, algorithm)):
                    yield Recipe(spelling, algorithm, key), made


def slow_digests(value: str, context: Iterable[str]) -> Made:
    """Yield the digests of a value by functions made to be slow, with salts that people use."""
    for key in slow_keys(context):
        for algorithm in key.algorithms:
            if key.place == "scrypt" or key.n in _ITERATIONS.get(algorithm, ()):
                yield Recipe(0, algorithm, key), key.digest(value.encode(), algorithm)


_JOINTS = ("", " ", "|", "_", "-", ",", ";", ":", "/")


def joined_digests(value: Value) -> Made:
    """Yield the digests of values that were joined, in this order; dates also as people write them."""
    few = len(value) > 2
    for joint in _JOINTS[:7] if few else _JOINTS:
        for data, spelling in spelled(joint.join(value), _JOINED_SPELLINGS[: 4 if few else 5]).items():
            for name in ("MD5", "SHA-1", "SHA-256", "CRC-32") if few else _USUAL:
                yield Recipe(spelling, name, None, joint), _algorithms()[name](data)
    for dates in _DATES if any(_ISO.fullmatch(_as_date(each) or each) for each in value) else ():
        written = _with_dates(value, dates)
        for joint in _JOINTS[: 3 if few else 6]:
            for data, spelling in spelled(joint.join(written), (0, 1, 2)).items():
                for name in ("MD5", "SHA-1", "SHA-256"):
                    yield Recipe(spelling, name, None, joint, dates), _USUAL[name](data)


# --- tokens

_UUID = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?<![0-9a-f])[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9a-f])",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"[+-]?[0-9]+[.,][0-9]{1,6}")
_WRITTEN = MappingProxyType(
    {
        "digits": re.compile(r"[0-9]{5,160}"),
        "hex": re.compile(r"[0-9a-f]{6,128}|[0-9A-F]{6,128}"),
        "base32": re.compile(r"(?:[A-Z2-7]{6,104}|[a-z2-7]{6,104})={0,6}"),
        "base64": re.compile(r"[A-Za-z0-9+/_-]{8,88}={0,2}"),
    }
)
_GROUPED = re.compile(r"(?<=[0-9A-Za-z])[-:. ](?=[0-9A-Za-z])")
_NO_LETTERS = {ord(letter): None for letter in "abcdef"}
_MOST_ALIKE = 0.9
_MAJORITY = 0.5
_ENOUGH_MIXED = 0.3
_HEAD_DIGITS = (5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16)  # hexadecimal ones that are read as a number
_FEW_HEAD_DIGITS = (8, 16)


def in_hexadecimal(token: str, written: str) -> str:
    """Return the whole bytes that a token in Base32 or Base64 stands for, in hexadecimal digits; else "".

    >>> in_hexadecimal("3q2-7w==", "base64")
    'deadbeef'
    """
    bare = token.rstrip("=")
    try:
        if written == "base32":
            data = base64.b32decode(bare.upper() + "=" * (-len(bare) % 8))
        else:
            data = base64.b64decode(
                bare + "A" * (-len(bare) % 4), altchars=b"-_" if "-" in bare or "_" in bare else None
            )
    except (ValueError, binascii.Error):
        return ""
    return data[: len(bare) * (5 if written == "base32" else 6) // 8].hex()


@dataclass(frozen=True, kw_only=True)
class TokenShape:
    """How most tokens of a column are written."""

    written: str  # ``uuid``, ``digits``, ``hex``, ``base32`` or ``base64``
    prefix: str = ""  # what stands around it in most cells
    suffix: str = ""
    length: int = 30  # of the longest token: hexadecimal digits, or decimal ones

    @property
    def form(self) -> tuple[str, int]:
        """Return what decides how a digest is written as digits."""
        if self.written == "digits":
            return self.written, self.length
        return ("uuid" if self.written == "uuid" else "hex"), 0

    def body(self, cell: str) -> str | None:
        """Return the token of a cell as hexadecimal or decimal digits, None where it is written otherwise.

        A UUID is without the two digits that say how it was made.
        """
        if self.written == "uuid":
            match = _UUID.search(cell)
            return _without_version(match[0].replace("-", "").lower()) if match else None
        if not (cell.startswith(self.prefix) and cell.endswith(self.suffix)):
            return None
        bare = cell[len(self.prefix) : len(cell) - len(self.suffix)]
        bare = bare if self.written == "base64" else _GROUPED.sub("", bare)
        if not _WRITTEN[self.written].fullmatch(bare):
            return None
        if self.written == "digits":
            return bare.zfill(self.length) if len(bare) <= self.length else None
        return (bare.lower() if self.written == "hex" else in_hexadecimal(bare, self.written)) or None

    def texts(self, digest: bytes, *, few: bool = False) -> Sequence[str]:
        """Return a digest as the digits that tokens are cut out of."""
        if self.written == "digits":
            return [str(number).zfill(self.length) for number in _numbers(digest, few=few)]
        written = digest.hex()
        if self.written != "uuid":
            return (written,)
        return [_without_version(written[i : i + 32]) for i in range(0, len(written) - 31, 8)]


def _without_version(hexadecimal: str) -> str:
    return f"{hexadecimal[:12]}{hexadecimal[13:16]}{hexadecimal[17:]}"


def _numbers(digest: bytes, *, few: bool) -> Iterator[int | str]:
    """Yield the numbers made of a digest: the whole, the digits in it, its beginning or end."""
    written = digest.hex()
    yield int(written, 16)
    yield written.translate(_NO_LETTERS)
    for n in _FEW_HEAD_DIGITS if few else _HEAD_DIGITS:
        yield int(written[:n], 16)
    if not few:
        yield int.from_bytes(digest[-4:], "big")
        yield int.from_bytes(digest[:4], "little")
        yield int.from_bytes(digest[-8:], "big")
        yield int.from_bytes(digest[:8], "little")
        yield int.from_bytes(digest, "little")
        yield abs(int.from_bytes(digest[:8], "big", signed=True))


def token_shape(cells: Sequence[str]) -> TokenShape | None:
    """Return how most of a column's filled cells are written, None where they do not look like tokens."""
    if sum(_UUID.search(cell) is not None for cell in cells) >= _MAJORITY * len(cells):
        return TokenShape(written="uuid") if cells else None
    prefix = _shared_beginning(cells)
    rests = [cell[len(prefix) :] for cell in cells if cell.startswith(prefix)]
    suffix = _shared_beginning([rest[::-1] for rest in rests])[::-1]
    bodies = [rest[: len(rest) - len(suffix)] for rest in rests if rest.endswith(suffix)]
    joined = [_GROUPED.sub("", body) for body in bodies]
    for written, pattern in _WRITTEN.items():
        alike = [body for body in (bodies if written == "base64" else joined) if pattern.fullmatch(body)]
        if len(alike) < _MAJORITY * len(cells) or not alike:
            continue
        if written in {"base32", "base64"} and not _are_mixed(alike):
            continue
        if (
            written == "digits"
            and sum(_DECIMAL.fullmatch(cell) is not None for cell in cells) > len(cells) / 2
        ):
            return None  # measurements and amounts
        if written in {"base32", "base64"}:
            alike = [in_hexadecimal(body, written) for body in alike]
        return TokenShape(written=written, prefix=prefix, suffix=suffix, length=max(map(len, alike)))
    return None


def _are_mixed(bodies: Sequence[str]) -> bool:
    """Whether many tokens hold letters and digits, as words do not."""
    mixed = sum(any(c.isdigit() for c in body) and any(c.isalpha() for c in body) for body in bodies)
    return mixed >= _ENOUGH_MIXED * len(bodies)


def _shared_beginning(cells: Sequence[str]) -> str:
    """Return what nearly all cells begin with."""
    found, rest = "", list(cells)
    while rest:
        counts = Counter(cell[len(found) : len(found) + 1] for cell in rest)
        character, n = counts.most_common(1)[0]
        if not character or n < _MOST_ALIKE * len(cells):
            break
        found += character
        rest = [cell for cell in rest if cell.startswith(found)]
    return found


# --- learned on one value, proved on the rest

_STARTS = (0, 8, 16)  # of slices of a digest, where many digests are tried and nobody knows whose
_STEP = 4  # characters between the slices of others
_LOOKED_AT, _SLOW = 40, 6  # values that show a recipe to be an accident, or do where each takes long
_MOST_BY_CHANCE = (0.05, 0.01)  # that any number is a token, from which no recipe, or few, are tried
_BEYOND = 4.0  # standard deviations
_MOST_TOGETHER = 3_000_000  # tokens


class Cut(NamedTuple):
    """Which part of a digest's texts is the token: of which text, from where; negative from the end."""

    text: int
    start: int

    def of(self, texts: Sequence[str], length: int) -> str:
        """Return the token that this cut takes out of its text, "" where there is none."""
        if self.text >= len(texts):
            return ""
        start = self.start if self.start >= 0 else len(texts[self.text]) + self.start
        return texts[self.text][start : start + length] if start >= 0 else ""


class Fit(NamedTuple):
    """A recipe and a cut, and of how many of the values compared they give the token."""

    recipe: Recipe
    cut: Cut
    few: bool  # whether only the usual numbers were made of a digest
    n_matched: int
    n_compared: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Compared:
    """Values, each with the token of its row; or without, and the tokens of the whole column."""

    column: str  # whose tokens they are
    shape: TokenShape
    pairs: Sequence[tuple[Value, str]]
    tokens: frozenset[str] | None = None  # None where each value has its own

    @cached_property
    def of_value(self) -> Mapping[Value, str]:
        """Return a token for each value; "" where nobody knows whose is whose."""
        return dict(self.pairs)

    @cached_property
    def length(self) -> int:
        """Return the usual length of a token."""
        lengths = Counter(map(len, itertools.islice(self.tokens or (), 1000)))
        return lengths.most_common(1)[0][0] if lengths else self.shape.length

    @cached_property
    def by_chance(self) -> float:
        """Return how probable it is that a random digest gives a token, in [0, 1]."""
        n = 1 if self.tokens is None else len(self.tokens)
        return min(1.0, n * (10.0 if self.shape.written == "digits" else 16.0) ** -min(self.length, 30))

    def may_be(self) -> Callable[[bytes], bool]:
        """Return what rules most digests out: no usual cut of their hexadecimal digits is a token."""
        if self.tokens is None or self.shape.form[0] != "hex":
            return _any
        tokens, n = self.tokens, self.length

        def may_be(digest: bytes) -> bool:
            made = digest.hex()
            if made[:n] in tokens or made[-n:] in tokens:
                return True
            return made[8 : 8 + n] in tokens or made[16 : 16 + n] in tokens

        return may_be

    def cuts(self, texts: Sequence[str], token: str, *, few: bool) -> Iterator[Cut]:
        """Yield the cuts by which a value's token, or any of the column's, comes out of its digest."""
        is_number = self.shape.written == "digits"  # which is cut at its beginning or its end
        for i, written in enumerate(texts):
            if self.tokens is None:
                start = written.find(token)
                if start == 0 or (start > 0 and not is_number):
                    yield Cut(i, start)
                elif start > 0 and written.endswith(token):
                    yield Cut(i, -len(token))
            else:
                last = len(written) - self.length
                starts = (0,) if is_number else _STARTS if few else range(0, last, _STEP)
                for start in starts:
                    if start < last and written[start : start + self.length] in self.tokens:
                        yield Cut(i, start)
                if last >= 0 and written[last:] in self.tokens:
                    yield Cut(i, -self.length)

    def proved(self, recipe: Recipe, cut: Cut, *, few: bool) -> Fit:
        """Count the values whose token a recipe gives; some alone, if these show that it is an accident."""
        pairs = self.pairs[:_SLOW] if recipe.is_slow else self.pairs
        found: list[bytes] = []
        for i, (value, token) in enumerate(pairs):
            digest = recipe.digest(value)
            if digest is not None and self._gives(digest, cut, token, few=few):
                found.append(digest)
            if i == _LOOKED_AT and len(found) < max(2, self._by_accident):
                break
        return Fit(recipe, cut, few, len(found) if len(set(found)) > 1 else 0, len(pairs))

    def has(self, recipe: Recipe, *, cut: Cut) -> bool:
        """Whether a recipe gives the token of any value."""
        return any(
            (digest := recipe.digest(value)) is not None and self._gives(digest, cut, token, few=True)
            for value, token in self.pairs
        )

    @cached_property
    def _by_accident(self) -> float:
        expected = _LOOKED_AT * self.by_chance
        return expected + _BEYOND * expected**0.5

    def _gives(self, digest: bytes, cut: Cut, token: str, *, few: bool) -> bool:
        texts = self.shape.texts(digest, few=few)
        if self.tokens is None:
            return cut.of(texts, len(token)) == token
        return cut.of(texts, self.length) in self.tokens


Target = tuple[Compared, str, Sequence[Compared]]  # where a token is looked for, and the columns that have it


def together(columns: Sequence[Compared]) -> list[tuple[Compared, list[Compared]]]:
    """Return what to search at once for the tokens of columns of which nobody knows whose is whose."""
    many = sum(len(each.tokens or ()) for each in columns) > _MOST_TOGETHER
    alike: dict[tuple[object, ...], list[Compared]] = {}
    for each in columns:
        dense = each.by_chance >= _MOST_BY_CHANCE[1]
        alike.setdefault((*each.shape.form, each.length, (dense or many) and each.column), []).append(each)
    tokens = (frozenset().union(*(each.tokens or () for each in group)) for group in alike.values())
    return [
        (replace(group[0], pairs=(), tokens=every), group)
        for group, every in zip(alike.values(), tokens, strict=True)
    ]


def learned(
    made: Iterable[tuple[Recipe, bytes]], targets: Sequence[Target], *, few: bool
) -> Iterator[tuple[Compared, Recipe, Cut]]:
    """Yield which recipes of one value give its token in which columns, and by which cut.

    `few`: of many recipes only the usual cuts are tried.
    """
    forms: dict[tuple[str, int], list[Target]] = {}
    for each in targets:
        if each[2] and each[0].by_chance < _MOST_BY_CHANCE[few]:
            forms.setdefault(each[0].shape.form, []).append(each)
    for recipe, digest in made if forms else ():
        for looked_at in forms.values():
            texts = looked_at[0][0].shape.texts(digest, few=few)
            for every, token, columns in looked_at:
                for cut in every.cuts(texts, token, few=few):
                    for column in columns:
                        yield column, recipe, cut
