"""Copies and pseudonyms that are made of the originals, so that anybody can compute, invert or line them up again."""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.quality.scoreboard import Kind
from benchmarks.quality.tabular.releases import (
    ASK,
    EVERY,
    Change,
    Make,
    Release,
    added,
    dates,
    each,
    fine,
    leak,
    numbers,
    plain,
    random_tokens,
    tokens,
    written,
)

_PHONES, _WESTERN = ("korean_hospital", "slovenian_registry"), ("slovenian_registry", "english_insurance")
_ENGLISH = ("english_insurance",)
_HAVING = {"phone": _PHONES, "national": _PHONES, "email": _ENGLISH, "number": _WESTERN}


def _hashed(algorithm: str, before: str = "", after: str = "") -> Callable[[str], str]:
    return lambda text: hashlib.new(algorithm, (before + text + after).encode()).hexdigest()


def _keyed(key: str) -> Callable[[str], str]:
    return lambda text: hmac.new(key.encode(), text.encode(), "sha256").hexdigest()


def _number(text: str) -> int:
    return int("".join(letter for letter in text if letter.isdigit()) or "0")


def _ordered(form: str, start: int = 1) -> Make:
    """Return numbers of the distinct originals in their order."""
    return lambda values, _rng: (values.rank(method="dense").astype(int) + start - 1).map(form.format)


def _digits(values: np.ndarray, digits: int = 2) -> list[str]:
    return [f"{value:.{digits}f}" for value in values]


def _noisy(share: float) -> Make:
    return lambda s, rng: _digits(numbers(s) * (1 + rng.normal(0, share, len(s))))


def _days(values: pd.Series) -> np.ndarray:
    return dates(values).to_numpy().astype("datetime64[D]").astype(int)


def _days_later(values: pd.Series, days: np.ndarray | int) -> pd.Series:
    return (dates(values) + pd.to_timedelta(days, unit="D")).dt.strftime("%Y-%m-%d")


def _both(row: tuple[str, str, str, Make, str, str, dict]) -> Iterator[Kind]:
    """Yield a derived copy in place and one under another heading.

    Controls hold the same copy of other people's values where `strangers` says so, else the proper release: nobody
    can tell exact birthdates of strangers from real ones.
    """
    family, name, kind, make, heading, strangers, how = row
    action = {"number": "noise", "zip": "region_generalize"}.get(kind, "generalize")
    for at, suffix in ((None, "in place"), (heading, f"as {heading}")):
        said = {"action": action, "semantic": "other", "heading": at}
        is_of_strangers = strangers == "both" or (strangers == "heading" and at is not None)
        control = written(kind, make, strangers=True, **said) if is_of_strangers else plain
        how = {"schemas": _HAVING.get(kind, EVERY), **how}
        yield leak(f"{name}, {suffix}", family, written(kind, make, **said), control=control, **how)


def _split(form: str, *headings: str, strangers: bool = False) -> Change:
    def change(release: Release, _rng: np.random.Generator) -> Release:
        column = release.first("birth")
        source = release.of_strangers() if strangers else release
        parts = dates(source.truth(column)).dt.strftime(form).str.split(" ")
        release = release.without(column)
        for place, heading in enumerate(headings):
            release = release.having(heading, parts.str[place])
        return release

    return change


def _coordinates(release: Release, _rng: np.random.Generator) -> Release:
    """Keep a made-up point for each distinct address, as a map would give it, which the original has as well."""
    codes, distinct = pd.factorize(release.original[release.first("address")])
    rng = release.scenario.rng("map")
    for heading, low in (("lat", 45), ("lon", 13)):
        texts = pd.Series(_digits(rng.uniform(low, low + 3, len(distinct))[codes], 5))
        original = release.original.assign(**{heading: texts.to_numpy()})
        release = replace(release, original=original).having(heading, texts.iloc[release.rows])
    return release


def _worded(text: str) -> str:
    words = "nil one two three four five six seven eight nine".split()
    return " ".join(words[int(digit)] if digit.isdigit() else "point" for digit in text)


# Finer than the log says, and spelled apart


def _unseen_signs(release: Release, rng: np.random.Generator) -> Release:
    """Write each value of a kept category in one of 97 ways that nobody sees, by the row."""
    column = release.kept()[0]
    ways = rng.integers(0, 97, len(release.released))
    bits = [f"{way:07b}".translate(str.maketrans("01", "\u200b\u200c")) for way in ways]
    return release.having(column, release.released[column] + pd.Series(bits), action="keep")


def _fewer_spellings(release: Release, rng: np.random.Generator) -> Release:
    """Write a kept category in four ways in the original, and in fewer in the release."""
    column = release.kept()[0]
    ways = rng.integers(0, 4, len(release.original))
    spelled = [
        (v, v.upper(), v.lower(), f"{v} ")[way] for v, way in zip(release.original[column], ways, strict=True)
    ]
    before = replace(release, original=release.original.assign(**{column: spelled}))
    return before.having(column, before.truth(column).str.strip(), action="keep")


def _numbers_nobody_had(values: pd.Series, rng: np.random.Generator) -> list[str]:
    return _digits(rng.normal(size=len(values)), 3)


def _marked_tokens(*, initials: bool) -> Change:
    """Return a change that puts a person's initials, or two letters drawn for the name, before random tokens."""

    def change(release: Release, rng: np.random.Generator) -> Release:
        names = release.truth(release.first("name"))
        drawn = names.map(
            {name: "".join(rng.choice(list("ABCDEFGHIJKLMNOPRSTUVZ"), 2)) for name in pd.unique(names)}
        )
        marks = names.map(lambda name: "".join(word[0] for word in name.split())) if initials else drawn
        column = release.first("id")
        made = marks + "-" + tokens(release.truth(column), rng, n_bytes=6)
        return release.having(column, made, action="pseudonymize")

    return change


def _days_between(release: Release, _rng: np.random.Generator) -> list[str]:
    born, seen = (_days(release.truth(release.first(kind))) for kind in ("birth", "date"))
    return (seen - born).astype(str).tolist()


def _weeks(release: Release, _rng: np.random.Generator) -> Release:
    born = dates(release.truth(release.first("birth"))).dt
    for name, part in (("y", born.year), ("w", born.isocalendar().week), ("wd", born.isocalendar().day)):
        release = release.having(name, part.astype(str), semantic="other")
    return release


def _weekday_seen(release: Release, _rng: np.random.Generator) -> pd.Series:
    return dates(release.truth(release.first("date"))).dt.day_name().str[:3]


# Pieces, orders and numbers worked out from others


def _before_drawn(*, last_four: bool) -> Make:
    def make(values: pd.Series, rng: np.random.Generator) -> list[str]:
        drawn = rng.choice(10**6, len(values), replace=False)
        four = values.str[-4:] if last_four else [f"{i:04d}" for i in rng.integers(0, 10**4, len(values))]
        return [f"X{each_}{number:06d}" for each_, number in zip(four, drawn, strict=True)]

    return make


def _in_order_of_names(release: Release, _rng: np.random.Generator) -> Release:
    places = release.truth(release.first("name")).rank(method="first").astype(int)
    return release.having(release.first("id"), places.map("S{:05d}".format), action="pseudonymize")


def _counted_up(values: pd.Series, rng: np.random.Generator) -> list[str]:
    return [f"S{place:06d}" for place in rng.permutation(len(values)) + 1]


def _joined_digest(release: Release, _rng: np.random.Generator) -> Release:
    born = dates(release.truth(release.first("birth"))).dt.strftime("%Y-%m-%d")
    joined = release.truth(release.first("name")).str.lower() + "|" + born
    return release.having(release.first("id"), joined.map(_hashed("sha256")), action="pseudonymize")


def _day_of_birth(release: Release, _rng: np.random.Generator) -> pd.Series:
    return dates(release.truth(release.first("birth"))).dt.day_of_year.astype(str)


def _any_day(release: Release, rng: np.random.Generator) -> list[str]:
    return rng.integers(1, 366, len(release.released)).astype(str).tolist()


def _ratio(release: Release, _rng: np.random.Generator) -> list[str]:
    first, second = (numbers(release.truth(name)) for name in release.schema.of_kind("number")[:2])
    return _digits(first / second, 3)


def _one_identifier(release: Release, _rng: np.random.Generator) -> Release:
    column, middle = release.kept()[0], len(release.released) // 2
    values = release.released[column].tolist()
    values[middle] = str(release.truth(release.first("id"))[middle])
    return release.having(column, values, action="keep")


_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
# fmt: off
_DERIVED = (
    ("derived numbers", "numbers divided by a thousand", "number", lambda s, _: _digits(numbers(s) / 1000, 6), "k", "both", {}),
    ("derived numbers", "ranks of numbers", "number", lambda s, _: numbers(s).argsort().argsort().astype(str), "rank_all", "both", {"orders": (False,)}),
    ("derived numbers", "numbers with noise of 1 %", "number", _noisy(0.01), "approx", "both", {"orders": (False,)}),
    ("derived numbers", "numbers with 5 % noise", "number", _noisy(0.05), "approx5", "both", {"orders": (False,), "at_least": ASK}),
    ("derived numbers", "two numbers joined with text", "number", lambda s, _: "v=" + s + ";ok", "record", "both", {}),
    ("derived dates", "birthdates as seconds of the epoch", "birth", lambda s, _: (_days(s) * 86_400).astype(str), "tick", "heading", {}),
    ("derived dates", "birthdates as Julian day numbers", "birth", lambda s, _: (_days(s) + 2_440_588).astype(str), "jd", "heading", {"orders": (False,)}),
    ("derived dates", "birthdates joined with the sex of all", "birth", lambda s, _: "B" + dates(s).dt.strftime("%Y%m%d") + "X", "stamp", "", {}),
    ("derived dates", "birthdates moved by up to three days each", "birth", lambda s, rng: _days_later(s, rng.integers(-3, 4, len(s))), "around", "", {"orders": (False,)}),
    ("derived dates", "visit dates moved by half a year for all", "date", lambda s, _: _days_later(s, 182), "moved", "", {"orders": (False,)}),
    ("derived places", "postcodes plus 11111", "zip", lambda s, _: s.map(_number).add(11_111).astype(str), "area", "heading", {"orders": (False,), "schemas": ("korean_hospital", "english_insurance")}),
)
_PSEUDONYMS = (
    ("computable pseudonyms", "id", "BLAKE2b", _hashed("blake2b")),
    ("computable pseudonyms", "id", "SHAKE-128 of 10 bytes", lambda t: hashlib.shake_128(t.encode()).hexdigest(10)),
    ("computable pseudonyms", "name", "MD5 of SHA-1", lambda t: _hashed("md5")(_hashed("sha1")(t))),
    ("computable pseudonyms", "email", "Base32 of SHA-1", lambda t: base64.b32encode(bytes.fromhex(_hashed("sha1")(t))).decode()),
    ("computable pseudonyms", "national", "SHA-256 modulo a billion", lambda t: f"{int(_hashed('sha256')(t), 16) % 10**9:09d}"),
    ("computable pseudonyms", "id", "UUID5 without hyphens in capitals", lambda t: uuid.uuid5(uuid.NAMESPACE_DNS, t).hex.upper()),
    ("computable pseudonyms", "phone", "UUID made of an MD5", lambda t: str(uuid.UUID(_hashed("md5")(t)))),
    ("computable pseudonyms", "id", "CRC-32 as a number", lambda t: f"{zlib.crc32(t.encode())}"),
    ("computable pseudonyms", "name", "SHA-256 of the small letters", lambda t: _hashed("sha256")(t.lower())),
    ("computable pseudonyms", "id", "SHA-1 of a padded number", lambda t: _hashed("sha1")(f"{_number(t):010d}")),
    ("computable pseudonyms", "id", "SHA-256 of a number with .0", lambda t: _hashed("sha256")(f"{_number(t)}.0")),
    ("computable pseudonyms", "email", "SHA-256 with a line break", _hashed("sha256", after="\n")),
    ("computable pseudonyms", "id", "sha256: in front", lambda t: "sha256:" + _hashed("sha256")(t)),
    ("guessable keys", "id", "HMAC keyed DEFAULT_DEV_SALT_CHANGE_ME", _keyed("DEFAULT_DEV_SALT_CHANGE_ME")),
    ("guessable keys", "id", "SHA-256 with secret| in front", _hashed("sha256", "secret|")),
    ("guessable keys", "id", "MD5 with the file's name in front", _hashed("md5", "x")),
    ("guessable keys", "national", "HMAC keyed 1234", _keyed("1234")),
    ("guessable keys", "email", "MD5 with changeme behind", _hashed("md5", after="changeme")),
    ("invertible pseudonyms", "name", "hexadecimal of the value", lambda t: t.encode().hex()),
    ("invertible pseudonyms", "id", "Base85 of the value", lambda t: base64.b85encode(t.encode()).decode()),
    ("invertible pseudonyms", "id", "numbers times a constant", lambda t: str(_number(t) * 7919)),
    ("invertible pseudonyms", "national", "nine's complement of digits", lambda t: t.translate(str.maketrans("0123456789", "9876543210"))),
    ("invertible pseudonyms", "email", "ROT13 of e-mails", lambda t: t.translate(_ROT13)),
    ("invertible pseudonyms", "id", "each letter's code number", lambda t: "".join(f"{ord(letter):03d}" for letter in t)),
    ("invertible pseudonyms", "national", "pseudonym with the last four digits kept", lambda t: _keyed("Zk3!9a_long_private_key")(t)[:8] + t[-4:]),
)
KINDS = (
    *(kind for row in _DERIVED for kind in _both(row)),
    leak(
        "birthdates split in month and day beside the year", "derived dates", _split("%m %d", "part1", "part2"),
        control=_split("%m %d", "part1", "part2", strangers=True),
    ),
    leak(
        "birthdates as year and day of year", "derived dates", _split("%Y %j", "cohort", "seq"),
        control=_split("%Y %j", "cohort", "seq", strangers=True),
    ),
    leak("coordinates of every address", "derived places", _coordinates),
    leak(
        "income as exact text of words", "derived numbers", written("number", each(_worded), heading="in_words"),
        control=written("number", each(_worded), heading="in_words", strangers=True), schemas=_WESTERN, orders=(False,),
    ),
    *(
        leak(f"{kind}: {name}", family, written(kind, each(make)), control=written(kind, random_tokens), schemas=_HAVING.get(kind, EVERY))
        for family, kind, name, make in _PSEUDONYMS
    ),
    leak(
        "phone: HMAC keyed by the column's name", "guessable keys", schemas=_PHONES, control=written("phone", random_tokens),
        change=written("phone", lambda values, _: values.map(_keyed(str(values.name)))),
    ),
    leak(
        "phone: SHA-1 of telephones cut to 10 as a new column", "computable pseudonyms", schemas=_PHONES,
        change=written("phone", each(lambda t: _hashed("sha1")(t)[:10]), heading="link"),
        control=written("phone", random_tokens, heading="link"),
    ),
    *(
        leak(f"{kind}: {name}", "pseudonyms in order", written(kind, make), control=written(kind, random_tokens), schemas=schemas, at_least=ASK)
        for kind, name, make, schemas in (
            ("id", "numbers in the order of the original ids", _ordered("{:06d}"), EVERY),
            ("national", "numbers in the order of national numbers", _ordered("K{:06d}", 5000), _PHONES),
        )
    ),
    leak("a category with signs nobody sees", "spelling", _unseen_signs),
    fine("a category in fewer spellings than the original's", "spelling", _fewer_spellings, schemas=_ENGLISH),
    leak(
        "a category of numbers nobody had, logged generalize", "finer", at_least=ASK,
        change=written("category", _numbers_nobody_had, action="generalize", semantic="other"),
    ),
    leak(
        "tokens with initials before them", "initials", _marked_tokens(initials=True), control=_marked_tokens(initials=False),
        schemas=_WESTERN, orders=(False,),
    ),
    fine("tokens with two random letters before them", "initials", _marked_tokens(initials=False), schemas=_WESTERN),
    leak("days from birth to a visit", "days between", added("d", _days_between)),
    leak("year, week and weekday of birth", "parts of weeks", _weeks, schemas=_PHONES),
    fine("the weekday of a visit", "parts of weeks", added("seen on", _weekday_seen), schemas=_PHONES),
    leak(
        "the last four digits of a number before random ones", "pieces", written("id", _before_drawn(last_four=True)),
        control=written("id", _before_drawn(last_four=False)),
    ),
    leak("numbers in the order of names", "sorted", _in_order_of_names),
    fine("numbers counted up", "sorted", written("id", _counted_up)),
    leak("a digest of the name and the date of birth", "joined", _joined_digest),
    leak("the day of the year of birth", "days", added("d", _day_of_birth), control=added("d", _any_day)),
    leak("the ratio of two numbers", "worked out", added("index", _ratio), at_least=ASK, schemas=_ENGLISH),
    leak("one identifier in a category", "text", _one_identifier),
)
# fmt: on
