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


def _ordered(prefix: str = "", start: int = 1) -> Make:
    """Return numbers of the distinct originals in their order."""

    def make(values: pd.Series, _release: Release) -> pd.Series:
        return (values.rank(method="dense").astype(int) + start - 1).map(f"{prefix}{{:06d}}".format)

    return make


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
    ("BLAKE2b", "id", _each(_hashed("blake2b"))),
    ("SHAKE-128 of 10 bytes", "id", _each(lambda t: hashlib.shake_128(t.encode()).hexdigest(10))),
    ("MD5 of SHA-1", "name", _each(lambda t: _hashed("md5")(_hashed("sha1")(t)))),
    (
        "Base32 of SHA-1",
        "email",
        _each(lambda t: base64.b32encode(hashlib.sha1(t.encode(), usedforsecurity=False).digest()).decode()),
    ),
    ("SHA-256 modulo a billion", "national", _each(lambda t: f"{int(_hashed('sha256')(t), 16) % 10**9:09d}")),
    ("UUID5 without hyphens in capitals", "id", _each(lambda t: uuid.uuid5(_NAMESPACE, t).hex.upper())),
    ("UUID made of an MD5", "phone", _each(lambda t: str(uuid.UUID(_hashed("md5")(t))))),
    ("CRC-32 as a number", "id", _each(lambda t: f"{zlib.crc32(t.encode())}")),
    ("SHA-256 of the small letters", "name", _each(lambda t: _hashed("sha256")(t.lower()))),
    ("SHA-1 of a padded number", "id", _each(lambda t: _hashed("sha1")(f"{_number(t):010d}"))),
    ("SHA-256 of a number with .0", "id", _each(lambda t: _hashed("sha256")(f"{_number(t)}.0"))),
    ("SHA-256 with a line break", "email", _each(lambda t: _hashed("sha256")(t + "\n"))),
    ("sha256: in front", "id", _each(lambda t: "sha256:" + _hashed("sha256")(t))),
)
_KEYED: tuple[tuple[str, str, Make], ...] = (
    ("HMAC keyed DEFAULT_DEV_SALT_CHANGE_ME", "id", _each(_keyed("DEFAULT_DEV_SALT_CHANGE_ME"))),
    ("SHA-256 with secret| in front", "id", _each(_salted("secret|"))),
    ("HMAC keyed by the column's name", "phone", _by_heading(_keyed)),
    ("MD5 with the file's name in front", "id", _each(_salted("x", "", "md5"))),
    ("HMAC keyed 1234", "national", _each(_keyed("1234"))),
    ("MD5 with changeme behind", "email", _each(_salted("", "changeme", "md5"))),
)
_INVERTED: tuple[tuple[str, str, Make], ...] = (
    ("hexadecimal of the value", "name", _each(lambda t: t.encode().hex())),
    ("Base85 of the value", "id", _each(lambda t: base64.b85encode(t.encode()).decode())),
    ("numbers times a constant", "id", _each(lambda t: str(_number(t) * 7919))),
    (
        "nine's complement of digits",
        "national",
        _each(lambda t: t.translate(str.maketrans("0123456789", "9876543210"))),
    ),
    (
        "ROT13 of e-mails",
        "email",
        _each(
            lambda t: t.translate(str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm"))
        ),
    ),
    ("each letter's code number", "id", _each(lambda t: "".join(f"{ord(letter):03d}" for letter in t))),
    (
        "pseudonym with the last four digits kept",
        "national",
        _each(lambda t: _keyed("Zk3!9a_long_private_key")(t)[:8] + t[-4:]),
    ),
)
_LINED_UP: tuple[tuple[str, str, Make, tuple[bool, ...]], ...] = (
    ("numbers in the order of the original ids", "id", _ordered(), (False, True)),
    ("numbers in the order of national numbers", "national", _ordered("K", 5000), (False, True)),
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
