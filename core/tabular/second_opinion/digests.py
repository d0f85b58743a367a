"""Hashes that anybody can compute: spellings of a value, guessable keys, algorithms, and how digests are cut.

A `Recipe` says how a value became a digest, a `Cut` which part of the digest, written how, is the token.
"""

import base64
import binascii
import hashlib
import hmac
import re
import unicodedata
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.words import Text, own, text

_DAY_FIRST = re.compile(r"(\d{1,2})[./ -]+(\d{1,2})[./ -]+(\d{4})\.?")
_WHOLE_NUMBER = re.compile(r"[+-]?\d+(?:\.0+)?")
_NO_LETTERS = {ord(letter): None for letter in "abcdef"}
_MASK_32, _MASK_64 = 2**32 - 1, 2**64 - 1

# --- spellings


def _bare(value: str) -> str:
    """Return the letters and digits of a text, without accents."""
    decomposed = unicodedata.normalize("NFKD", value)
    return unicodedata.normalize("NFKC", "".join(c for c in decomposed if c.isalnum()))


def _digits(value: str) -> str:
    return "".join(c for c in value if c.isdecimal())


def _filled(digits: str, length: int) -> bytes:
    return digits.zfill(length).encode() if digits else b""


def _as_float(value: str) -> str:
    return f"{int(float(value))}.0" if len(value) < 16 and _WHOLE_NUMBER.fullmatch(value) else ""


def _iso(date: re.Match[str]) -> str:
    return f"{date[3]}-{int(date[2]):02d}-{int(date[1]):02d}"


def _day_first(value: str) -> str:
    match = _DAY_FIRST.fullmatch(value)
    return _iso(match) if match else ""


def with_iso_dates(value: str) -> str:
    """Return a text in small letters, its dates of day, month and year as ISO 8601 has them.

    >>> with_iso_dates("Novak|3. 5. 1974")
    'novak|1974-05-03'
    """
    return _DAY_FIRST.sub(_iso, value.lower())


def bare_in_small_letters(value: str) -> str:
    """Return the letters and digits of a text, without accents and capitals."""
    return _bare(value).lower()


_SPELLINGS: Mapping[str, Callable[[str], bytes]] = MappingProxyType(
    {
        "as written": str.encode,
        "in small letters": lambda value: value.lower().encode(),
        "in capitals": lambda value: value.upper().encode(),
        "with capital initials": lambda value: value.title().encode(),
        "without spaces": lambda value: re.sub(r"\s", "", value).encode(),
        "without spaces and signs": lambda value: re.sub(r"[\W_]", "", value).encode(),
        "without accents": lambda value: _bare(value).encode(),
        "without accents, in small letters": lambda value: bare_in_small_letters(value).encode(),
        "without accents, in capitals": lambda value: _bare(value).upper().encode(),
        "its digits": lambda value: _digits(value).encode(),
        "its digits without leading zeros": lambda value: _digits(value).lstrip("0").encode(),
        "its digits, eight": lambda value: _filled(_digits(value), 8),
        "its digits, ten": lambda value: _filled(_digits(value), 10),
        "as a decimal number": lambda value: _as_float(value).encode(),
        "its digits as a decimal number": lambda value: _as_float(_digits(value)).encode(),
        "as a date": lambda value: _day_first(value).encode(),
        "as a date of eight digits": lambda value: _digits(_day_first(value)).encode(),
        "with a line end": lambda value: value.encode() + b"\n",
        "in quotes": lambda value: b'"' + value.encode() + b'"',
        "decomposed": lambda value: unicodedata.normalize("NFD", value).encode(),
        "in UTF-16": lambda value: value.encode("utf-16-le"),
        "in UTF-16 with a mark": lambda value: value.encode("utf-16"),
        "in CP949": lambda value: b"" if value.isascii() else value.encode("cp949", "ignore"),
        "in CP1250": lambda value: b"" if value.isascii() else value.encode("cp1250", "ignore"),
    }
)
_USUAL_SPELLINGS = ("as written", "in small letters", "in capitals", "without spaces and signs")


def _spelled(value: str, spellings: Iterable[str]) -> dict[bytes, str]:
    """Return the distinct spellings of a value, the usual first, with their names."""
    texts = {_SPELLINGS[name](value): name for name in reversed(list(spellings))}
    texts.pop(b"", None)
    return dict(reversed(texts.items()))


# --- algorithms


def _named(name: str) -> Callable[[bytes], bytes] | None:
    """Return an algorithm of the TLS library, None where it was built without it."""

    def digest(data: bytes) -> bytes:
        return hashlib.new(name, data, usedforsecurity=False).digest()

    try:
        digest(b"")
    except ValueError:
        return None
    return digest


def _rolling(data: bytes, start: int, factor: int, mask: int, *, fnv: bool = False) -> bytes:
    """Return a hash that multiplies and adds (or exclusive-ors) byte by byte."""
    state = start
    for byte in data:
        state = ((state ^ byte) * factor if fnv else state * factor + byte) & mask
    return state.to_bytes(4 if mask == _MASK_32 else 8, "big")


_USUAL: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType(
    {
        "MD5": lambda data: hashlib.md5(data, usedforsecurity=False).digest(),
        "SHA-1": lambda data: hashlib.sha1(data, usedforsecurity=False).digest(),
        "SHA-256": lambda data: hashlib.sha256(data).digest(),
        "SHA-512": lambda data: hashlib.sha512(data).digest(),
    }
)
_COMMON: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType(
    {
        **_USUAL,
        "SHA3-256": lambda data: hashlib.sha3_256(data).digest(),
        "BLAKE2b": lambda data: hashlib.blake2b(data).digest(),
        "BLAKE2s": lambda data: hashlib.blake2s(data).digest(),
    }
)
_CHECKSUMS: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType(
    {
        "CRC-32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
        "Adler-32": lambda data: zlib.adler32(data).to_bytes(4, "big"),
        "FNV-1a (32 bits)": lambda data: _rolling(data, 0x811C9DC5, 0x01000193, _MASK_32, fnv=True),
        "FNV-1a (64 bits)": lambda data: _rolling(
            data, 0xCBF29CE484222325, 0x100000001B3, _MASK_64, fnv=True
        ),
        "Java": lambda data: _rolling(data, 0, 31, _MASK_32),
        "djb2": lambda data: _rolling(data, 5381, 33, _MASK_32),
    }
)

_USUAL_UNKEYED = MappingProxyType({**_USUAL, "CRC-32": _CHECKSUMS["CRC-32"]})


def _twice(first: str, second: str) -> dict[str, Callable[[bytes], bytes]]:
    one, two = _USUAL[first], _USUAL[second]
    return {
        text("{second} of {first} in hexadecimal", first=first, second=second): (
            lambda data: two(one(data).hex().encode())
        ),
        text("{second} of {first}", first=first, second=second): lambda data: two(one(data)),
    }


def _repeated(name: str, n: int) -> dict[str, Callable[[bytes], bytes]]:
    one = _USUAL[name]

    def in_hexadecimal(data: bytes) -> bytes:
        for _ in range(n - 1):
            data = one(data).hex().encode()
        return one(data)

    def plain(data: bytes) -> bytes:
        for _ in range(n):
            data = one(data)
        return data

    return {
        text("{name} (repeated {times} times, in hexadecimal)", name=name, times=n): in_hexadecimal,
        text("{name} (repeated {times} times)", name=name, times=n): plain,
    }


@cache
def _algorithms(n_bytes: int) -> Mapping[str, Callable[[bytes], bytes]]:
    """Return every algorithm without a key; some are made for a digest of this length."""
    others: dict[str, Callable[[bytes], bytes]] = {
        "SHA-224": lambda data: hashlib.sha224(data).digest(),
        "SHA-384": lambda data: hashlib.sha384(data).digest(),
        "SHA3-224": lambda data: hashlib.sha3_224(data).digest(),
        "SHA3-384": lambda data: hashlib.sha3_384(data).digest(),
        "SHA3-512": lambda data: hashlib.sha3_512(data).digest(),
        "SHAKE-128": lambda data: hashlib.shake_128(data).digest(64),
        "SHAKE-256": lambda data: hashlib.shake_256(data).digest(64),
        **{
            name.upper(): digest
            for name in ("ripemd160", "sm3", "sha512_256", "sha512_224", "md4")
            if (digest := _named(name)) is not None
        },
        **(_twice("MD5", "MD5") | _twice("SHA-1", "SHA-1") | _twice("SHA-256", "SHA-256")),
        **(_twice("MD5", "SHA-1") | _twice("SHA-1", "MD5") | _twice("MD5", "SHA-256")),
        **(_twice("SHA-256", "MD5") | _twice("SHA-512", "SHA-512")),
        **{
            repeated: digest
            for name in ("MD5", "SHA-1", "SHA-256", "SHA-512")
            for n in (3, 4, 5, 10)
            for repeated, digest in _repeated(name, n).items()
        },
    }
    sized: dict[str, Callable[[bytes], bytes]] = {}
    if 1 <= n_bytes < 64:
        sized["BLAKE2b of this length"] = lambda data: hashlib.blake2b(data, digest_size=n_bytes).digest()
    if 1 <= n_bytes < 32:
        sized["BLAKE2s of this length"] = lambda data: hashlib.blake2s(data, digest_size=n_bytes).digest()
    return MappingProxyType({**_COMMON, **_CHECKSUMS, **others, **sized})


# --- keys

_GUESSABLE = (
    *("salt", "secret", "pepper", "key", "password", "passw0rd", "changeme", "change_me", "default", "test"),
    *("dev", "prod", "demo", "example", "sample", "static", "fixed", "global", "random", "hello"),
    "hello_world",
    *("DEFAULT_DEV_SALT_CHANGE_ME", "default_salt", "dev_salt", "test_salt", "static_salt", "fixed_salt"),
    *("my_salt", "mysalt", "some_salt", "somesalt", "random_salt", "hash_salt", "salt_value", "salty"),
    *("secret_salt", "my_secret_salt", "secret_key", "secretkey", "my_secret", "mysecret", "my_secret_key"),
    *("your_secret_key", "your-secret-key", "your_salt", "your_salt_here", "your-secret-salt", "supersecret"),
    *("super_secret", "super_secret_key", "super-secret", "topsecret", "s3cr3t", "secret123", "salt123"),
    *("anonymize", "anonymized", "anonymization", "anonymous", "anon", "pseudonym", "pseudonymize", "token"),
    *("pseudonymization", "hash", "hashing", "mask", "privacy", "gdpr", "hipaa", "pipa", "patient", "person"),
    *("hospital", "clinic", "research", "study", "project", "data", "dataset", "user", "admin", "root", "id"),
    *("qwerty", "letmein", "abc", "abc123", "xyz", "foo", "foobar", "none", "null", "nacl", "sol"),
    *("skrivnost", "geslo", "비밀", "비밀번호", "암호", "소금", "솔트", "가명", "익명", "병원"),
    *("0", "1", "12", "42", "99", "100", "123", "1234", "12345", "123456", "1234567", "12345678"),
    *("123456789",),
    *("1234567890", "0000", "0123456789", "9999", "1337", "31337", "deadbeef", "DEADBEEF"),
    *map(str, range(1990, 2035)),
)
_SEPARATORS = (b"", b":", b"_", b"-", b"|", b" ", b"/", b".", b",")


@dataclass(frozen=True, kw_only=True)
class Key:
    """A guessable key and where it goes: before or after the value, or as the key of an HMAC."""

    data: bytes
    place: Literal["before", "after", "HMAC", "BLAKE2"]

    def digest(self, text: bytes, algorithm: str) -> bytes:
        """Return the keyed digest of a text."""
        if self.place == "HMAC":
            return hmac.digest(self.data, text, _HMAC_NAMES[algorithm])
        if self.place == "BLAKE2":
            return hashlib.blake2b(text, key=self.data[:64]).digest()
        return _COMMON[algorithm](self.data + text if self.place == "before" else text + self.data)


@cache
def guessable_keys(context: tuple[str, ...]) -> tuple[Key, ...]:
    """Return the keys that somebody without any secret would try."""
    words = dict.fromkeys([*context, *_GUESSABLE])
    spelled = dict.fromkeys(word for w in words for word in (w, w.upper(), w.lower()) if word)
    encoded = [word.encode() for word in spelled]
    keys = [Key(data=b"", place="HMAC")]
    for word in encoded:
        keys += [Key(data=word, place="HMAC"), Key(data=word, place="BLAKE2")]
        keys += [Key(data=word + separator, place="before") for separator in _SEPARATORS]
        keys += [Key(data=separator + word, place="after") for separator in _SEPARATORS]
    return tuple(keys)


UUID_NAMESPACES = tuple(
    Key(data=space.bytes, place="before")
    for space in (
        *(uuid.NAMESPACE_DNS, uuid.NAMESPACE_URL, uuid.NAMESPACE_OID, uuid.NAMESPACE_X500),
        *(uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)),
    )
)
_HMAC_NAMES = MappingProxyType({"SHA-256": "sha256", "SHA-1": "sha1", "MD5": "md5", "SHA-512": "sha512"})
_OF_PLACE = MappingProxyType(
    {"before": tuple(_USUAL), "after": tuple(_USUAL), "HMAC": tuple(_HMAC_NAMES), "BLAKE2": ("BLAKE2b",)}
)


# --- recipes


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a value becomes a digest."""

    spelling: str
    algorithm: str
    key: Key | None = None
    n_bytes: int = 0

    def digest(self, value: str) -> bytes | None:
        """Return the digest of a value, None where it has no such spelling."""
        spelled = _SPELLINGS[self.spelling](value)
        if not spelled:
            return None
        if self.key is not None:
            return self.key.digest(spelled, self.algorithm)
        return _algorithms(self.n_bytes)[self.algorithm](spelled)

    @property
    def how(self) -> Text:
        """Return the recipe in words, completing "the values are …"."""
        algorithm = own(self.algorithm)
        if self.key is None:
            return text("an unsalted {algorithm} hash", algorithm=algorithm)
        if self.key in UUID_NAMESPACES:
            return text("a UUID made by {algorithm} in a published namespace", algorithm=algorithm)
        if self.algorithm[0] in "MS":
            return text("an {algorithm} hash with a guessable key", algorithm=algorithm)
        return text("a {algorithm} hash with a guessable key", algorithm=algorithm)


def unkeyed_digests(
    value: str, *, usual: bool, n_bytes: int
) -> Iterator[tuple[tuple[str, str, None], bytes]]:
    """Yield the digests of a value that need no key, by spelling and algorithm; only usual ones if asked."""
    spelled = _spelled(value, _USUAL_SPELLINGS if usual else _SPELLINGS)
    algorithms = _USUAL_UNKEYED if usual else _algorithms(n_bytes)
    for data, spelling in spelled.items():
        for name, digest in algorithms.items():
            yield (spelling, name, None), digest(data)


def keyed_digests(value: str, keys: Iterable[Key]) -> Iterator[tuple[tuple[str, str, Key], bytes]]:
    """Yield the digests of a value with each key, by spelling, algorithm and key."""
    spelled = _spelled(value, _USUAL_SPELLINGS)
    for key in keys:
        for data, spelling in spelled.items():
            for algorithm in _OF_PLACE[key.place]:
                yield (spelling, algorithm, key), key.digest(data, algorithm)


def digests_by_key(value: str, keys: Iterable[Key]) -> Iterator[list[bytes]]:
    """Yield the same digests, those of one key together."""
    texts = list(_spelled(value, _USUAL_SPELLINGS))
    usual = tuple(_USUAL.values())
    for key in keys:
        if key.place == "before":
            yield [make(key.data + text) for text in texts for make in usual]
        elif key.place == "after":
            yield [make(text + key.data) for text in texts for make in usual]
        else:
            yield [key.digest(text, algorithm) for text in texts for algorithm in _OF_PLACE[key.place]]


def plain_digests(text: bytes, *, few: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield the digests of a text by the usual algorithms."""
    for name in ("MD5", "SHA-1", "SHA-256") if few else _USUAL:
        yield name, _USUAL[name](text)


# --- tokens

Kind = Literal["uuid", "hex", "digits", "base32", "base64"]

_UUID = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?<![0-9a-f])[0-9a-f]{12}[1-8][0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9a-f])",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"[+-]?[0-9]+[.,][0-9]{1,6}")
_BODIES: Mapping[Kind, re.Pattern[str]] = MappingProxyType(
    {
        "digits": re.compile(r"[0-9]{5,160}"),
        "hex": re.compile(r"[0-9a-f]{6,128}|[0-9A-F]{6,128}"),
        "base32": re.compile(r"(?:[A-Z2-7]{6,104}|[a-z2-7]{6,104})={0,6}"),
        "base64": re.compile(r"[A-Za-z0-9+/_-]{8,88}={0,2}"),
    }
)
_GROUPED = re.compile(r"(?<=[0-9A-Za-z])[-:. ](?=[0-9A-Za-z])")
_MOST_ALIKE = 0.9
_MAJORITY = 0.5
_ENOUGH_MIXED = 0.3


@dataclass(frozen=True, kw_only=True)
class TokenShape:
    """How most tokens of a column are written."""

    kind: Kind  # the characters of the token itself
    prefix: str  # what stands around it in most cells
    suffix: str
    length: int  # characters of the longest token

    @property
    def n_bytes(self) -> int:
        """Return the bytes of a digest of this length."""
        per_character = {"hex": 0.5, "uuid": 0.5, "base32": 0.625, "base64": 0.75, "digits": 0.0}
        return int(self.length * per_character[self.kind])

    def body(self, cell: str) -> str | None:
        """Return the token of a cell in one spelling, None where the cell is written otherwise."""
        if self.kind == "uuid":
            match = _UUID.search(cell)
            return _without_version(match[0].replace("-", "").lower()) if match else None
        if not (cell.startswith(self.prefix) and cell.endswith(self.suffix)):
            return None
        body = cell[len(self.prefix) : len(cell) - len(self.suffix)]
        body = body if self.kind == "base64" else _GROUPED.sub("", body)
        if not _BODIES[self.kind].fullmatch(body) or len(body) > self.length:
            return None
        if self.kind == "digits":
            return body.zfill(self.length)
        body = body.rstrip("=")
        return {"hex": body.lower(), "base32": body.upper()}.get(self.kind, body)

    def texts(self, digest: bytes, *, few: bool = False) -> Sequence[str]:
        """Return a digest as tokens of this kind are cut out of it."""
        if self.kind == "hex":
            return (digest.hex(),)
        if self.kind == "uuid":
            text = digest.hex()
            return [_without_version(text[i : i + 32]) for i in range(0, len(text) - 31, 8)]
        if self.kind == "base32":
            return (base64.b32encode(digest).decode().rstrip("="),)
        if self.kind == "base64":
            code = binascii.b2a_base64(digest, newline=False).decode().rstrip("=")
            return (code, code.replace("+", "-").replace("/", "_"))
        return [str(make(digest)).zfill(self.length) for make in _decimals(len(digest), few=few)]

    def text(self, digest: bytes, place: int, *, few: bool = False) -> str:
        """Return one of the texts of a digest, "" where it has fewer."""
        if self.kind == "digits":
            made = _decimals(len(digest), few=few)
            return str(made[place](digest)).zfill(self.length) if place < len(made) else ""
        texts = self.texts(digest, few=few)
        return texts[place] if place < len(texts) else ""

    def hays(self, digests: Sequence[bytes], *, few: bool = False) -> list[str]:
        """Return for each digest all its texts, apart by line ends, to search at once."""
        if self.kind == "hex":
            return list(map(bytes.hex, digests))
        if self.kind == "digits":
            return _decimal_hays(digests, self.length, few=few)
        if self.kind == "base32":
            return _base32(digests)
        return ["\n".join(self.texts(digest, few=few)) for digest in digests]


def _base32(digests: Sequence[bytes]) -> list[str]:
    """Return digests in Base32, worked out together."""
    bits = np.unpackbits(np.frombuffer(b"".join(d + bytes(-len(d) % 5) for d in digests), np.uint8))
    fives = bits.reshape(-1, 5) @ np.array([16, 8, 4, 2, 1], dtype=np.uint8)
    text = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", np.uint8)[fives].tobytes().decode()
    ends = np.cumsum([0] + [-(-len(d) // 5) * 8 for d in digests]).tolist()
    return [text[start : start - (-8 * len(d) // 5)] for start, d in zip(ends, digests, strict=False)]


def _without_version(hexadecimal: str) -> str:
    """Return 32 digits without the two in which a UUID says how it was made."""
    return f"{hexadecimal[:12]}{hexadecimal[13:16]}{hexadecimal[17:]}"


@cache
def _decimals(n_bytes: int, *, few: bool) -> tuple[Callable[[bytes], int | str], ...]:
    """Return what makes numbers of a digest: the whole, its beginning or end, and the digits in it."""

    def head(n: int) -> Callable[[bytes], int]:
        return lambda digest: int(digest[: (n + 1) // 2].hex()[:n], 16)

    made: list[Callable[[bytes], int | str]] = [
        lambda digest: int.from_bytes(digest, "big"),
        lambda digest: digest.hex().translate(_NO_LETTERS),
        *(head(n) for n in (_FEW_HEAD_DIGITS if few else _HEAD_DIGITS) if n <= 2 * n_bytes),
    ]
    if few:
        return tuple(made)
    made += [
        lambda digest: int.from_bytes(digest[-4:], "big"),
        lambda digest: int.from_bytes(digest[:4], "little"),
        lambda digest: int.from_bytes(digest[-8:], "big"),
        lambda digest: int.from_bytes(digest[:8], "little"),
        lambda digest: int.from_bytes(digest, "little"),
    ]
    if n_bytes <= 8:
        made.append(lambda digest: abs(int.from_bytes(digest, "big", signed=True)))
    return tuple(made)


_HEAD_DIGITS = (5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16)  # hexadecimal ones that are read as a number
_FEW_HEAD_DIGITS = (8, 16)


def _decimal_hays(digests: Sequence[bytes], length: int, *, few: bool) -> list[str]:
    """Return for each digest the texts of `_decimals`, those of long ones worked out together."""
    hays = [
        ""
        if len(digest) > 8
        else "\n".join(str(make(digest)).zfill(length) for make in _decimals(len(digest), few=few))
        for digest in digests
    ]
    long = [digest for digest in digests if len(digest) > 8]
    if not long:
        return hays
    heads, tails = (
        np.frombuffer(b"".join(part), ">u8").astype(np.uint64)
        for part in ([digest[:8] for digest in long], [digest[-8:] for digest in long])
    )
    numbers = [heads >> np.uint64(64 - 4 * n) for n in (_FEW_HEAD_DIGITS if few else _HEAD_DIGITS)]
    if not few:
        little, half = heads.byteswap(), np.uint64(2**32 - 1)
        numbers += [tails, tails & half, little, little & half]
    orders: tuple[Literal["big", "little"], ...] = ("big",) if few else ("big", "little")
    written = [
        "\n".join(map(bytes.hex, long)).translate(_NO_LETTERS).split("\n"),
        *([str(int.from_bytes(digest, order)) for digest in long] for order in orders),
    ]
    texts = [[text.zfill(length) for text in of_all] for of_all in written]
    of_long = zip(*texts, _numbers_as_lines(np.stack(numbers, axis=1), length), strict=True)
    return [hay or "\n".join(next(of_long)) for hay in hays]


@cache
def _four_digits() -> npt.NDArray[np.uint8]:
    """Return shape (10000, 4): the digits of each number."""
    places = np.array([1000, 100, 10, 1])
    return (np.arange(10_000)[:, None] // places % 10 + ord("0")).astype(np.uint8)


def _numbers_as_lines(numbers: npt.NDArray[np.uint64], length: int) -> list[str]:
    """Return a row's numbers as lines, with zeros before up to a length and blanks before those."""
    width = max(20, length)
    characters = np.full((numbers.size, width + 1), ord("0"), dtype=np.uint8)
    rest = numbers.ravel()
    for end in range(width, width - 20, -4):
        rest, four = np.divmod(rest, np.uint64(10_000))
        characters[:, end - 4 : end] = _four_digits()[four]
    told = np.maximum.accumulate(characters != ord("0"), axis=1)
    told[:, width - length :] = True
    characters[~told] = ord(" ")
    characters[:, -1] = ord("\n")
    text, size = characters.tobytes().decode(), numbers.shape[1] * (width + 1)
    return [text[start : start + size - 1] for start in range(0, len(text), size)]


def token_shape(cells: Sequence[str]) -> TokenShape | None:
    """Return how most of a column's cells are written, None where they do not look like tokens."""
    if sum(_UUID.search(cell) is not None for cell in cells) >= _MAJORITY * len(cells):
        return TokenShape(kind="uuid", prefix="", suffix="", length=32)
    prefix = _shared_beginning(cells)
    rests = [cell[len(prefix) :] for cell in cells if cell.startswith(prefix)]
    suffix = _shared_beginning([rest[::-1] for rest in rests])[::-1] if prefix or rests else ""
    bodies = [rest[: len(rest) - len(suffix)] for rest in rests if rest.endswith(suffix)]
    joined = [_GROUPED.sub("", body) for body in bodies]
    for kind, pattern in _BODIES.items():
        alike = [body for body in (bodies if kind == "base64" else joined) if pattern.fullmatch(body)]
        if len(alike) < _MAJORITY * len(cells) or not alike:
            continue
        if kind in {"base32", "base64"} and not _are_mixed(alike):
            continue
        if kind == "digits" and sum(_DECIMAL.fullmatch(cell) is not None for cell in cells) > len(cells) / 2:
            return None  # measurements and amounts
        if kind in {"base64", "base32"}:
            alike = [body.rstrip("=") for body in alike]
        return TokenShape(kind=kind, prefix=prefix, suffix=suffix, length=max(map(len, alike)))
    return None


def _are_mixed(bodies: Sequence[str]) -> bool:
    """Whether many tokens hold letters and digits, as words do not."""
    mixed = sum(any(c.isdigit() for c in body) and any(c.isalpha() for c in body) for body in bodies)
    return mixed >= _ENOUGH_MIXED * len(bodies)


def _shared_beginning(cells: Sequence[str]) -> str:
    """Return what nearly all cells begin with."""
    found = ""
    rest = list(cells)
    while True:
        counts: dict[str, int] = {}
        for cell in rest:
            counts[cell[len(found) : len(found) + 1]] = counts.get(cell[len(found) : len(found) + 1], 0) + 1
        character, n = max(counts.items(), key=lambda item: item[1], default=("", 0))
        if not character or n < _MOST_ALIKE * len(cells):
            return found
        found += character
        rest = [cell for cell in rest if cell.startswith(found)]


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Which part of a digest's text is the token: by which text, and where it begins."""

    text: int
    start: int
    from_end: bool

    def of(self, text: str, length: int) -> str:
        """Return the token that this cut takes out of its text."""
        start = len(text) - self.start if self.from_end else self.start
        return text[start : start + length] if start >= 0 else ""


def cuts_of(texts: Sequence[str], token: str) -> Iterator[Cut]:
    """Yield the cuts by which a token comes out of a digest's texts."""
    for i, written in enumerate(texts):
        start = written.find(token)
        if start >= 0:
            yield Cut(text=i, start=start, from_end=False)
            yield Cut(text=i, start=len(written) - start, from_end=True)
