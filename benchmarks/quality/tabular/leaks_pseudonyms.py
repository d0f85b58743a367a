"""Pseudonyms that anybody can compute, invert or line up again."""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.releases import EVERY, NAMED, Change, Release, leak
from core.verdict import Verdict

Make = Callable[[pd.Series, Release], Sequence[str] | pd.Series]
_KINDS = {
    "id": EVERY,
    "name": NAMED,
    "national": ("korean_hospital", "slovenian_registry", "us_claims"),
    "email": ("english_insurance", "survey", "process_log"),
    "phone": ("korean_hospital", "slovenian_registry", "us_claims"),
}


def _each(function: Callable[[str], str]) -> Make:
    return lambda values, _release: values.map(function)


def _hashed(algorithm: str) -> Callable[[str], str]:
    return lambda text: hashlib.new(algorithm, text.encode()).hexdigest()


def _keyed(key: str, algorithm: str = "sha256") -> Callable[[str], str]:
    return lambda text: hmac.new(key.encode(), text.encode(), algorithm).hexdigest()


def _salted(before: str = "", after: str = "", algorithm: str = "sha256") -> Callable[[str], str]:
    return lambda text: hashlib.new(algorithm, (before + text + after).encode()).hexdigest()


def _number(text: str) -> int:
    return int("".join(letter for letter in text if letter.isdigit()) or "0")


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _sha(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _ordered(prefix: str = "", start: int = 1) -> Make:
    """Return numbers of the distinct originals in their order."""

    def make(values: pd.Series, _release: Release) -> pd.Series:
        return (values.rank(method="dense").astype(int) + start - 1).map(f"{prefix}{{:06d}}".format)

    return make


def _appearing(values: pd.Series, release: Release) -> pd.Series:
    """Return numbers of the distinct originals as they appear in the original table."""
    column = next(
        name
        for name in release.original
        if release.original[name].iloc[release.rows].to_list() == values.to_list()
    )
    distinct = pd.unique(release.original[column])
    return values.map({value: f"P-{number:06d}" for number, value in enumerate(distinct, 1)})


def _pseudonyms(kind: str, make: Make) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(kind)
        return release.having(column, make(release.truth(column), release), action="pseudonymize")

    return change


def _random(kind: str) -> Change:
    """Return the control: a random token of 16 hexadecimal digits for each distinct value."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        column = release.first(kind)
        values = release.truth(column)
        made = {value: rng.bytes(8).hex() for value in pd.unique(values)}
        return release.having(column, values.map(made), action="pseudonymize")

    return change


def _by_heading(key: Callable[[str], Callable[[str], str]]) -> Make:
    return lambda values, _release: values.map(key(str(values.name)))


_NAMESPACE = uuid.NAMESPACE_DNS
_PLAIN: tuple[tuple[str, str, Make], ...] = (
    ("MD5", "id", _each(_hashed("md5"))),
    ("SHA-1 in capitals", "national", _each(lambda t: _hashed("sha1")(t).upper())),
    ("SHA-256", "email", _each(_hashed("sha256"))),
    ("SHA-512", "id", _each(_hashed("sha512"))),
    ("SHA-384 cut to 24", "phone", _each(lambda t: _hashed("sha384")(t)[:24])),
    ("SHA3-256", "id", _each(_hashed("sha3_256"))),
    ("SHA3-512 in capitals", "national", _each(lambda t: _hashed("sha3_512")(t).upper())),
    ("BLAKE2b", "id", _each(_hashed("blake2b"))),
    ("BLAKE2s", "name", _each(_hashed("blake2s"))),
    (
        "BLAKE2b of 16 bytes",
        "email",
        _each(lambda t: hashlib.blake2b(t.encode(), digest_size=16).hexdigest()),
    ),
    ("SHAKE-128 of 10 bytes", "id", _each(lambda t: hashlib.shake_128(t.encode()).hexdigest(10))),
    (
        "RIPEMD-like double SHA-256 of the hexadecimal",
        "id",
        _each(lambda t: _hashed("sha256")(_hashed("sha256")(t))),
    ),
    ("double SHA-256 of the bytes", "phone", _each(lambda t: hashlib.sha256(_sha(t)).hexdigest())),
    ("MD5 of SHA-1", "name", _each(lambda t: _hashed("md5")(_hashed("sha1")(t)))),
    ("first 8 of SHA-256", "id", _each(lambda t: _hashed("sha256")(t)[:8])),
    ("last 12 of SHA-256", "email", _each(lambda t: _hashed("sha256")(t)[-12:])),
    ("middle 16 of SHA-256", "national", _each(lambda t: _hashed("sha256")(t)[20:36])),
    ("last 10 of MD5 with a prefix", "id", _each(lambda t: "PX" + _hashed("md5")(t)[-10:])),
    ("Base64 of SHA-256", "id", _each(lambda t: _b64(_sha(t)))),
    (
        "web-safe Base64 of SHA-256 cut to 16",
        "phone",
        _each(lambda t: base64.urlsafe_b64encode(_sha(t)).decode()[:16]),
    ),
    (
        "Base32 of SHA-1",
        "email",
        _each(lambda t: base64.b32encode(hashlib.sha1(t.encode(), usedforsecurity=False).digest()).decode()),
    ),
    ("SHA-256 as a decimal number", "id", _each(lambda t: str(int(_hashed("sha256")(t), 16))[:18])),
    ("SHA-256 modulo a billion", "national", _each(lambda t: f"{int(_hashed('sha256')(t), 16) % 10**9:09d}")),
    ("UUID3 of the DNS namespace", "id", _each(lambda t: str(uuid.uuid3(_NAMESPACE, t)))),
    ("UUID5 of the URL namespace", "email", _each(lambda t: str(uuid.uuid5(uuid.NAMESPACE_URL, t)))),
    ("UUID5 without hyphens in capitals", "id", _each(lambda t: uuid.uuid5(_NAMESPACE, t).hex.upper())),
    ("UUID made of an MD5", "phone", _each(lambda t: str(uuid.UUID(_hashed("md5")(t))))),
    ("CRC-32", "id", _each(lambda t: f"{zlib.crc32(t.encode()):08x}")),
    ("Adler-32", "national", _each(lambda t: f"{zlib.adler32(t.encode()):08x}")),
    ("CRC-32 as a number", "id", _each(lambda t: f"{zlib.crc32(t.encode())}")),
    ("SHA-256 of the small letters", "name", _each(lambda t: _hashed("sha256")(t.lower()))),
    (
        "SHA-256 of the capitals without spaces",
        "name",
        _each(lambda t: _hashed("sha256")(t.upper().replace(" ", ""))),
    ),
    ("SHA-256 of digits only", "phone", _each(lambda t: _hashed("sha256")(str(_number(t))))),
    ("SHA-1 of a padded number", "id", _each(lambda t: _hashed("sha1")(f"{_number(t):010d}"))),
    ("SHA-256 of a number with .0", "id", _each(lambda t: _hashed("sha256")(f"{_number(t)}.0"))),
    (
        "MD5 of UTF-16",
        "name",
        _each(lambda t: hashlib.md5(t.encode("utf-16-le"), usedforsecurity=False).hexdigest()),
    ),
    ("SHA-256 with a line break", "email", _each(lambda t: _hashed("sha256")(t + "\n"))),
    (
        "SHA-256 in groups of four",
        "id",
        _each(lambda t: "-".join(_hashed("sha256")(t)[i : i + 4] for i in range(0, 16, 4))),
    ),
    ("sha256: in front", "id", _each(lambda t: "sha256:" + _hashed("sha256")(t))),
)
_KEYED: tuple[tuple[str, str, Make], ...] = (
    ("HMAC keyed DEFAULT_DEV_SALT_CHANGE_ME", "id", _each(_keyed("DEFAULT_DEV_SALT_CHANGE_ME"))),
    ("HMAC keyed secret", "national", _each(_keyed("secret"))),
    ("HMAC with an empty key", "email", _each(_keyed(""))),
    ("HMAC-SHA-1 keyed salt", "id", _each(_keyed("salt", "sha1"))),
    ("HMAC-MD5 keyed password cut to 12", "phone", _each(lambda t: _keyed("password", "md5")(t)[:12])),
    ("SHA-256 with salt in front", "id", _each(_salted("salt"))),
    ("SHA-256 with salt behind", "email", _each(_salted("", "salt"))),
    (
        "SHA-256 with DEFAULT_DEV_SALT_CHANGE_ME in front cut to 16",
        "national",
        _each(lambda t: _salted("DEFAULT_DEV_SALT_CHANGE_ME")(t)[:16]),
    ),
    (
        "SHA-256 with DEFAULT_DEV_SALT_CHANGE_ME: in front",
        "id",
        _each(_salted("DEFAULT_DEV_SALT_CHANGE_ME:")),
    ),
    ("SHA-256 with secret| in front", "id", _each(_salted("secret|"))),
    ("SHA-512 with pepper behind", "id", _each(_salted("", "pepper", "sha512"))),
    ("SHA-256 with the column's name in front", "id", _by_heading(_salted)),
    (
        "SHA-256 with the column's name and a colon",
        "email",
        _by_heading(lambda c: _salted(c + ":")),
    ),
    ("HMAC keyed by the column's name", "phone", _by_heading(_keyed)),
    ("HMAC keyed by the file's name", "id", _each(_keyed("x.csv"))),
    ("MD5 with the file's name in front", "id", _each(_salted("x", "", "md5"))),
    ("HMAC keyed 1234", "national", _each(_keyed("1234"))),
    ("MD5 with changeme behind", "email", _each(_salted("", "changeme", "md5"))),
)
_INVERTED: tuple[tuple[str, str, Make], ...] = (
    ("Base64 of the value", "id", _each(lambda t: _b64(t.encode()))),
    ("Base64 without padding backwards", "email", _each(lambda t: _b64(t.encode()).rstrip("=")[::-1])),
    ("hexadecimal of the value", "name", _each(lambda t: t.encode().hex())),
    ("Base32 of the value", "national", _each(lambda t: base64.b32encode(t.encode()).decode())),
    ("Base85 of the value", "id", _each(lambda t: base64.b85encode(t.encode()).decode())),
    ("numbers XOR a constant", "id", _each(lambda t: f"{_number(t) ^ 0x5A5A5A:09d}")),
    ("numbers XOR a constant in hexadecimal", "national", _each(lambda t: f"{_number(t) ^ 0x1234567:012x}")),
    ("numbers times a constant", "id", _each(lambda t: str(_number(t) * 7919))),
    ("numbers times and plus a constant", "national", _each(lambda t: str(_number(t) * 31 + 123_457))),
    ("numbers minus a constant", "id", _each(lambda t: f"A{_number(t) + 90_001:09d}")),
    (
        "numbers times a constant modulo a prime",
        "id",
        _each(lambda t: str(_number(t) * 48_271 % 2_147_483_647)),
    ),
    (
        "nine's complement of digits",
        "national",
        _each(lambda t: t.translate(str.maketrans("0123456789", "9876543210"))),
    ),
    (
        "digits moved by three",
        "phone",
        _each(lambda t: t.translate(str.maketrans("0123456789", "3456789012"))),
    ),
    ("digits rearranged the same way", "id", _each(lambda t: t[::2] + t[1::2])),
    (
        "ROT13 of e-mails",
        "email",
        _each(
            lambda t: t.translate(str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm"))
        ),
    ),
    (
        "letters moved by three",
        "email",
        _each(
            lambda t: t.translate(str.maketrans("abcdefghijklmnopqrstuvwxyz", "defghijklmnopqrstuvwxyzabc"))
        ),
    ),
    ("bytes XOR a constant in hexadecimal", "id", _each(lambda t: bytes(b ^ 0x2A for b in t.encode()).hex())),
    ("each letter's code number", "id", _each(lambda t: "".join(f"{ord(letter):03d}" for letter in t))),
    (
        "value with random letters behind",
        "id",
        lambda v, r: v + "-" + pd.Series([r.scenario.rng("tail").bytes(2).hex()] * len(v), index=v.index),
    ),
    (
        "pseudonym with the last four digits kept",
        "national",
        _each(lambda t: _keyed("Zk3!9a_long_private_key")(t)[:8] + t[-4:]),
    ),
    (
        "pseudonym of the value with initials in front",
        "name",
        _each(lambda t: t[0] + t.split(" ")[-1][0] + _keyed("Zk3!9a_long_private_key")(t)[:12]),
    ),
)
_LINED_UP: tuple[tuple[str, str, Make, tuple[bool, ...]], ...] = (
    ("numbers in the order of the original ids", "id", _ordered(), (False, True)),
    ("prefix and number in the order of the original ids", "id", _ordered("SUBJ-", 1000), (False, True)),
    ("numbers in alphabetical order of names", "name", _ordered("N"), (False, True)),
    ("numbers in the order of national numbers", "national", _ordered("K", 5000), (False, True)),
    ("numbers as they appear in the original", "id", _appearing, (True,)),
)


def _pairs(cases: Sequence[tuple[str, str, Make]], family: str) -> Iterator[Kind]:
    for name, kind, make in cases:
        yield leak(
            f"{kind}: {name}", family, _pseudonyms(kind, make), control=_random(kind), schemas=_KINDS[kind]
        )


def lined_up_kinds() -> Iterator[Kind]:
    """Yield numbers that follow the order of the originals; in reordered tables they still do."""
    for name, kind, make, orders in _LINED_UP:
        yield leak(
            f"{kind}: {name}",
            "pseudonyms in order",
            _pseudonyms(kind, make),
            control=_random(kind),
            schemas=_KINDS[kind],
            orders=orders,
            at_least=Verdict.WARN,
        )


def added_kinds() -> Iterator[Kind]:
    """Yield computable pseudonyms in a column that was added, the original dropped."""
    for name, kind, make in (
        ("MD5 as a new column", "name", _each(_hashed("md5"))),
        ("SHA-256 of e-mails as a new column", "email", _each(_hashed("sha256"))),
        ("UUID5 as a new column", "id", _each(lambda t: str(uuid.uuid5(uuid.NAMESPACE_OID, t)))),
        ("SHA-1 of telephones cut to 10 as a new column", "phone", _each(lambda t: _hashed("sha1")(t)[:10])),
    ):
        yield leak(
            f"{kind}: {name}",
            "computable pseudonyms",
            _new_column(kind, make),
            control=_new_random,
            schemas=_KINDS[kind],
        )


def _new_column(kind: str, make: Make) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first(kind)
        return release.without(column).having("link", make(release.truth(column), release), semantic="other")

    return change


def _new_random(release: Release, rng: np.random.Generator) -> Release:
    return release.having("link", [rng.bytes(16).hex() for _ in release.rows], semantic="other")


KINDS = (
    *_pairs(_PLAIN, "computable pseudonyms"),
    *_pairs(_KEYED, "guessable keys"),
    *_pairs(_INVERTED, "invertible pseudonyms"),
    *lined_up_kinds(),
    *added_kinds(),
)
