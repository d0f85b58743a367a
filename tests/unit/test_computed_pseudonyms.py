"""Pseudonyms that anybody can compute or decode, and pseudonyms that nobody can."""

import base64
import codecs
import hashlib
import hmac
import uuid
import zlib
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core.comparing.digests import _murmur, token_shape
from core.comparing.learned import have_the_same_symbols, rule_between, rule_into
from core.comparing.readings import dated, legible, respelled
from core.tabular.second_opinion.computed import ComputedPseudonym, judge_computed, measure_computed
from core.tabular.second_opinion.pair import pair_tables
from core.tabular.second_opinion.unchanged import measure_unchanged
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
from core.values.encoded_texts import decoded
from core.verdict import Finding, Verdict
from tests.second_opinion_examples import Columns, disguised_in, log_of, table, the_finding

N = 60
IDS = [f"P{i * 7919 % 1_000_003:07d}" for i in range(1, N + 1)]
NAMES = [
    f"{g} {s}"
    for s in ("Novák", "Horvat", "Kos", "Zupan", "Golob", "Turk")
    for g in ("Ana", "Boris", "Cvetka", "Darja", "Eva", "Franc", "Gregor", "Helena", "Igor", "Jana")
]
BIRTHS = [f"19{40 + i % 57}-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)]
SEXES = ["F", "M"] * (N // 2)
ORDER = np.random.default_rng(5).permutation(N)


def md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def found_in(
    original: Columns,
    tokens: Sequence[str | None],
    *,
    shuffled: bool,
    beside: Columns | None = None,
) -> tuple[ComputedPseudonym, ...]:
    """Return what is found of tokens in place of the first column, beside a column that shows the rows."""
    first = next(iter(original))
    kept = {"seen": [str(i * 31 % 1009) for i in range(N)]}
    anonymized = {first: list(tokens), **kept, **(beside or {})}
    if shuffled:
        anonymized = {name: [cells[i] for i in ORDER] for name, cells in anonymized.items()}
    log = log_of(**{first: ("patient_id", "pseudonymize"), "seen": ("other", "keep")})
    tables = pair_tables(table({**original, **kept}), table(anonymized), log)
    assert tables.order == ("changed" if shuffled else "kept")
    return measure_computed(tables, measure_unchanged(tables), SecondOpinionSettings())


def _fnv_1(text: str) -> int:
    state = 0x811C9DC5
    for byte in text.encode():
        state = (state * 0x01000193 % 2**32) ^ byte
    return state


def _checksum(text: str, polynomial: int) -> int:
    """Return a cyclic redundancy check of any polynomial."""
    state = 0xFFFFFFFF
    for byte in text.encode():
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (polynomial if state & 1 else 0)
    return state


def _multiplied(text: str, factor: int, size: int) -> int:
    """Return a hash that multiplies and adds byte by byte."""
    state = 7
    for byte in text.encode():
        state = (state * factor + byte) % size
    return state


COMPUTED: dict[str, Callable[[str], str]] = {
    "the middle of a digest": lambda v: sha256(v)[20:32],
    "the end of a digest": lambda v: sha256(v)[-10:],
    "capitals behind a prefix": lambda v: f"PT-{sha256(v)[:10].upper()}",
    "in groups": lambda v: "-".join(sha256(v)[i : i + 4] for i in range(0, 16, 4)),
    "a UUID of a digest": lambda v: str(uuid.UUID(md5(v))),
    "uuid3": lambda v: str(uuid.uuid3(uuid.NAMESPACE_DNS, v)),
    "uuid5 in braces": lambda v: f"{{{uuid.uuid5(uuid.NAMESPACE_URL, v)}}}",
    "a digest made a UUID of version 4": lambda v: str(uuid.UUID(sha256(v)[:32], version=4)),
    "SHA-3": lambda v: hashlib.sha3_256(v.encode()).hexdigest(),
    "SHA-3 of 384 bits": lambda v: hashlib.sha3_384(v.encode()).hexdigest()[:16],
    "SHA-224": lambda v: hashlib.sha224(v.encode()).hexdigest(),
    "BLAKE2b": lambda v: hashlib.blake2b(v.encode()).hexdigest()[:20],
    "BLAKE2b of eight bytes": lambda v: hashlib.blake2b(v.encode(), digest_size=8).hexdigest(),
    "BLAKE2s of ten bytes": lambda v: hashlib.blake2s(v.encode(), digest_size=10).hexdigest(),
    "SHAKE": lambda v: hashlib.shake_128(v.encode()).hexdigest(8),
    "MD5 twice": lambda v: md5(md5(v)),
    "MD5 five times": lambda v: md5(md5(md5(md5(md5(v))))),
    "SHA-256 of MD5": lambda v: sha256(md5(v))[:16],
    "Base32": lambda v: base64.b32encode(hashlib.sha256(v.encode()).digest()).decode()[:16],
    "Base64 for addresses": lambda v: base64.urlsafe_b64encode(bytes.fromhex(md5(v))).decode()[:14],
    "a number modulo": lambda v: str(int(sha256(v), 16) % 10**8),
    "the first digits of a number": lambda v: str(int(md5(v), 16))[:10],
    "a number of eight digits of a digest": lambda v: str(int(md5(v)[:8], 16)),
    "the digits in a digest": lambda v: "".join(c for c in sha256(v) if c.isdigit())[:9],
    "CRC-32 as a number": lambda v: str(zlib.crc32(v.encode())),
    "with a line end": lambda v: md5(v + "\n"),
    "of its digits": lambda v: sha256(v[1:])[:12],
    "of its digits without zeros": lambda v: sha256(v[1:].lstrip("0"))[:12],
    "of its digits as a decimal number": lambda v: md5(f"{int(v[1:])}"),
    "in small letters": lambda v: md5(v.lower()),
    "salt before": lambda v: sha256("salt" + v)[:16],
    "a published default behind": lambda v: sha256(v + "DEFAULT_DEV_SALT_CHANGE_ME"),
    "the column's name before": lambda v: sha256(f"id:{v}"),
    "HMAC with secret": lambda v: hmac.digest(b"secret", v.encode(), "sha256").hex()[:12],
    "HMAC with nothing": lambda v: hmac.digest(b"", v.encode(), "md5").hex(),
    "a year": lambda v: md5(v + "2024"),
    "salt behind a blank": lambda v: md5(f"{v} salt"),
    "a key before a slash": lambda v: sha256(f"study/{v}")[:12],
    "BLAKE2b with a key": lambda v: hashlib.blake2b(v.encode(), key=b"pepper").hexdigest()[:16],
    "a composed key": lambda v: hmac.digest(b"super-salt", v.encode(), "sha1").hex(),
    "a study and its year": lambda v: sha256(f"study2024{v}")[:16],
    "FNV-1": lambda v: f"{_fnv_1(v):08x}",
    "MurmurHash3": lambda v: _murmur(v.encode(), 42).hex(),
    "pandas": lambda v: str(pd.util.hash_array(np.array([v], object))[0]),
}  # fmt: skip


@pytest.mark.one_of(6)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("how", COMPUTED)
def test_measure__computes_tokens(how: str, shuffled: bool) -> None:
    (found,) = found_in({"id": IDS}, [COMPUTED[how](value) for value in IDS], shuffled=shuffled)
    assert (found.originals, found.kind, found.n_matched, found.n_compared) == (("id",), "hash", N, N)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("names", "tokens"),
    [
        (("name", "birth"), [md5(n + b) for n, b in zip(NAMES, BIRTHS, strict=True)]),
        (("name", "birth"), [sha256(f"{n}|{b}".lower())[:16] for n, b in zip(NAMES, BIRTHS, strict=True)]),
        (
            ("name", "birth", "sex"),
            [sha256(f"{n}_{b}_{s}") for n, b, s in zip(NAMES, BIRTHS, SEXES, strict=True)],
        ),
    ],
)
def test_measure__computes_hashes_of_joined_columns(
    names: tuple[str, ...], tokens: list[str], shuffled: bool
) -> None:
    original = {"id": IDS, "name": NAMES, "birth": BIRTHS, "sex": SEXES}
    (found,) = found_in(original, tokens, shuffled=shuffled)
    assert (found.originals, found.n_matched) == (names, N)


@pytest.mark.parametrize("shuffled", [False, True])
def test_measure__finds_hashes_by_majority(shuffled: bool) -> None:
    tokens = [md5(value) if i % 5 else "unknown" for i, value in enumerate(IDS)]
    (found,) = found_in({"id": IDS}, tokens, shuffled=shuffled)
    assert found.n_matched == 48


SALTS = [np.random.default_rng(at).bytes(8).hex() for at in range(N)]
RECORDS = list(zip(IDS, NAMES, BIRTHS, SEXES, strict=True))
OF_RECORDS: dict[str, tuple[Callable[[int], str], int]] = {
    "PBKDF2": (lambda i: hashlib.pbkdf2_hmac("sha256", IDS[i].encode(), b"salt", 1000).hex(), 6),
    "PBKDF2, cut": (lambda i: hashlib.pbkdf2_hmac("sha1", IDS[i].encode(), b"pepper", 10_000).hex()[:16], 6),
    "scrypt": (lambda i: hashlib.scrypt(IDS[i].encode(), salt=b"salt", n=2**14, r=8, p=1).hex(), 6),
    "the row behind": (lambda i: sha256(f"{IDS[i]}{i}"), N),
    "the row before, from 1": (lambda i: md5(f"{i + 1}_{IDS[i]}")[:12], N),
    "the whole record": (lambda i: sha256("|".join(RECORDS[i]))[:16], N),
    "three neighbours": (lambda i: md5("".join(RECORDS[i][1:])), N),
    "a salt beside it": (lambda i: sha256(f"{SALTS[i]}:{IDS[i]}"), 6),
    "a key beside it": (lambda i: hmac.digest(SALTS[i].encode(), IDS[i].encode(), "md5").hex(), 6),
}


@pytest.mark.one_of(3)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("how", OF_RECORDS)
def test_measure__computes_tokens_of_records_and_with_slow_functions(how: str, shuffled: bool) -> None:
    make, n = OF_RECORDS[how]
    original = {"id": IDS, "name": NAMES, "birth": BIRTHS, "sex": SEXES}
    (found,) = found_in(original, [make(i) for i in range(N)], shuffled=shuffled, beside={"pepper": SALTS})
    assert (found.anonymized, found.n_matched, found.is_sample) == ("id", n, n < N)
    assert found.with_row == how.startswith("the row")


_RNG = np.random.default_rng(11)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    "tokens",
    [
        [_RNG.bytes(6).hex() for _ in IDS],
        [str(uuid.UUID(bytes=_RNG.bytes(16), version=4)) for _ in IDS],
        [f"{n:06d}" for n in _RNG.permutation(1_000_000)[:N]],
        [f"P{n:07d}" for n in _RNG.permutation(N)],
        [hmac.digest(b"\x8f\x02kq-9 unguessable", v.encode(), "sha256").hex()[:16] for v in IDS],
        [base64.b64encode(_RNG.bytes(12)).decode() for _ in IDS],
    ],
)
def test_measure__leaves_random_and_secretly_keyed_tokens_alone(tokens: list[str], shuffled: bool) -> None:
    original = {"id": IDS, "name": NAMES, "birth": BIRTHS, "sex": SEXES}
    assert found_in(original, tokens, shuffled=shuffled) == ()


def judged(*, taken_out: bool, share: float, originals: tuple[str, ...] = ("id",)) -> Finding:
    found = ComputedPseudonym(
        originals=originals, anonymized="token", kind="cipher", how="moved", n_matched=9, n_compared=10,
        is_sample=True, original_distinct_share=share, taken_out=taken_out,
    )  # fmt: skip
    (finding,) = judge_computed([found], SecondOpinionThresholds())
    return finding


def test_judge__fails_what_was_taken_out_or_tells_records_apart() -> None:
    assert judged(taken_out=True, share=0.1).verdict is Verdict.FAIL
    assert judged(taken_out=False, share=0.5).verdict is Verdict.FAIL
    finding = judged(taken_out=False, share=0.1, originals=("a", "b"))
    assert finding.verdict is Verdict.WARN
    assert finding.message == (
        "The values of `token` are moved of the original columns `a` and `b` joined: 9 of 10 (90.0 %) values "
        "of a sample. A few known people give the rule away, and the rule gives away all: draw random "
        "pseudonyms."
    )


# --- ciphers

NUMBERS = [str(100_000 + i * 104_729 % 800_000) for i in range(N)]
PLUS_ONE = str.maketrans("0123456789", "1234567890")
CIPHERS: dict[str, tuple[Sequence[str], Callable[[str], str]]] = {
    "letters three further": (NAMES, lambda v: "".join(chr(ord(c) + 3) for c in v)),
    "other digits": (NUMBERS, lambda v: v.translate(str.maketrans("0123456789", "4067192835"))),
    "places exchanged": (NUMBERS, lambda v: v[3] + v[0] + v[5] + v[1] + v[4] + v[2]),
    "places exchanged and digits replaced": (IDS, lambda v: "X" + v[:0:-1].translate(PLUS_ONE)),
    "a constant by exclusive or": (NUMBERS, lambda v: str(int(v) ^ 0x5A5A5)),
    "a constant by exclusive or in hexadecimal": (IDS, lambda v: f"{int(v[1:]) ^ 0x12345678:08x}"),
    "a product modulo a prime": (NUMBERS, lambda v: str(int(v) * 48_271 % 1_000_003)),
    "a product and a sum modulo": (IDS, lambda v: f"K{(int(v[1:]) * 7_001 + 12_345) % 10**8:08d}"),
    "letters shuffled": (NAMES, lambda v: "".join(np.random.default_rng(len(v)).permutation(list(v)))),
}  # fmt: skip


@pytest.mark.parametrize("how", CIPHERS)
def test_rule_between__learns_the_rule(how: str) -> None:
    values, rule = CIPHERS[how]
    found = rule_between([(value, rule(value)) for value in values])
    assert found is not None
    assert found.n_matched >= 0.9 * N
    tokens = [rule(value) for value in values]
    assert rule_between([(value, tokens[i]) for value, i in zip(values, ORDER, strict=True)]) is None


@pytest.mark.parametrize(
    ("values", "tokens"),
    [
        (NUMBERS, NUMBERS),
        (NAMES, [name.upper() for name in NAMES]),
        (["E11", "I10"] * 30, ["X11", "Y10"] * 30),
        (IDS[:5], IDS[5:10]),
        (NUMBERS, [number[:3] + "***" for number in NUMBERS]),
        (NAMES, [f"{name[0]}{'*' * (len(name) - 1)}" for name in NAMES]),
        (NUMBERS, [str(n) for n in _RNG.permutation(800_000)[:N] + 100_000]),
        (NUMBERS, [str(3 * int(n) + 7) for n in NUMBERS]),  # seen by its order
        (IDS, ["T" + "".join(str(d) for d in _RNG.integers(0, 10, 7)) for _ in IDS]),
    ],
)
def test_rule_between__leaves_others_alone(values: list[str], tokens: list[str]) -> None:
    assert rule_between(list(zip(values, tokens, strict=True))) is None


MANY = [f"P{i * 7919 % 1_000_003:07d}" for i in range(1, 201)]
SURNAMES = "Novak Horvat Kos Zupan Golob Turk Vidmar Kralj".split()
PEOPLE = [f"{name.split()[0]}{i} {SURNAMES[i % 8]}" for i, name in enumerate(NAMES * 4)]


@pytest.mark.parametrize("values", [MANY, PEOPLE])
@pytest.mark.parametrize(
    "weak",
    [
        lambda v: f"{_checksum(v, 0x82F63B78):08x}",
        lambda v: str(_checksum(v, 0xEB31D82E)),
        lambda v: f"{_multiplied(v, 131, 2**32):x}",
        lambda v: str(_multiplied(v, 1313, 2**64)),
        lambda v: f"{_fnv_1(v):08x}",
    ],
)
def test_rule_between__sees_weak_hashes_by_their_bits(values: list[str], weak: Callable[[str], str]) -> None:
    found = rule_between([(value, weak(value)) for value in values], weak=True)
    assert found is not None
    assert found.n_matched == len(values)
    assert rule_between([(value, weak(value)) for value in values]) is None


@pytest.mark.parametrize("values", [MANY, PEOPLE])
@pytest.mark.parametrize(
    "token",
    [
        lambda v, _: sha256(f"\x07 nobody knows {v}")[:16],
        lambda v, _: str(int(sha256(f"\x07 nobody knows {v}"), 16) % 10**9),
        lambda v, _: f"{v[:3]}-{_RNG.integers(10**8):08d}",
        lambda _, rng: f"{rng.integers(10**12):012d}",
        lambda _, rng: rng.bytes(16).hex(),
    ],
)
def test_rule_between__takes_no_strong_hash_or_random_token_for_a_weak_one(
    values: list[str], token: Callable[[str, np.random.Generator], str]
) -> None:
    rng = np.random.default_rng(4)
    assert rule_between([(value, token(value, rng)) for value in values], weak=True) is None


@pytest.mark.parametrize(
    "rule",
    [
        lambda v: "".join(chr(ord(c) + 1) for c in v),
        lambda v: v.translate(str.maketrans("0123456789", "3456789012")),
        lambda v: v[0] + v[1:].translate(str.maketrans("0123456789", "9876543210")),
        lambda v: str(int(v[1:]) ^ 0x5A5A5A5),
    ],
)
def test_rule_into__finds_the_rule_without_rows(rule: Callable[[str], str]) -> None:
    tokens = [rule(value) for value in reversed(IDS)]
    found = rule_into(IDS, tokens)
    assert found is not None
    assert found.n_matched == N


@pytest.mark.parametrize(
    "tokens", [IDS, ["a", "b"], [f"P{n:07d}" for n in _RNG.permutation(10**7)[:N]], NUMBERS]
)
def test_rule_into__leaves_others_alone(tokens: list[str]) -> None:
    assert rule_into(IDS, tokens) is None


@pytest.mark.slow
def test_measure__sees_ciphers_with_and_without_rows() -> None:
    tokens = [value.translate(str.maketrans("0123456789", "5678901234")) for value in IDS]
    for shuffled in (False, True):
        (found,) = found_in({"id": IDS}, tokens, shuffled=shuffled)
        assert (found.kind, found.n_matched) == ("cipher", N)


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        (["12ab34cd", "99ff00aa", "n/a"], "hex"),
        (["ABCDEFGH", "ijklmnop"], None),
        (["Novak Ana", "Kos Eva"], None),
        (["x"], None),
        (["ID 123456", "ID 654321"], "digits"),
        (["QX3F5AAB", "ZZ2B7KLM"], "base32"),
    ],
)
def test_token_shape__goes_by_majority(cells: list[str], written: str | None) -> None:
    shape = token_shape(cells)
    assert (shape.written if shape else None) == written


@pytest.mark.parametrize("seed", range(2))
def test_computed__takes_amounts_for_no_checksum_of_other_numbers(seed: int) -> None:
    """Checksums of short numbers crowd together, and so do amounts: some are equal by chance."""
    rng = np.random.default_rng(seed)
    pay = [str(int(amount)) for amount in rng.lognormal(10, 0.5, 200)]
    original = {
        "record": [str(number) for number in rng.permutation(200_000 + 7 * np.arange(200))],
        "pay": pay,
    }
    released = {"pay": [str(amount) for amount in rng.permutation(pay)][1:]}
    log = log_of(record=("patient_id", "drop"), pay=("income", "swap"))
    tables = pair_tables(table(original), table(released), log)
    assert measure_computed(tables, measure_unchanged(tables), SecondOpinionSettings()) == ()


# --- texts that encode others, one upon the other, and names that are spelled otherwise


@pytest.mark.parametrize(
    ("text", "original"),
    [
        (base64.b64encode(b"ana.novak@example.org").decode()[::-1], "ana.novak@example.org"),
        (base64.b64encode(b"Ana Novak".hex().encode()).decode(), "Ana Novak"),
        (base64.urlsafe_b64encode("김민준".encode("cp949")).decode().rstrip("="), "김민준"),
        (base64.b32encode(codecs.encode("Ana Novak", "rot13").encode()).decode().lower(), "Ana Novak"),
        (" ".join(f"{letter:08b}" for letter in b"Ana Novak"), "Ana Novak"),
        (" ".join(str(ord(letter)) for letter in "Ana Novak"), "Ana Novak"),
        (base64.b85encode(b"P0448482").decode(), "P0448482"),
        (base64.a85encode(b"P0448482").decode(), "P0448482"),
        ("%41%6E%61", "Ana"),
        ("&#65;na", "Ana"),
        ("zero-four-one-nine-two", "04192"),
        ("nič štiri ena devet", "0419"),
        ("공일이삼사", "01234"),
        ("three nil five point four", "305.4"),
    ],
)
def test_decoded__undoes_encodings_upon_each_other(text: str, original: str) -> None:
    assert original in decoded(text)


@pytest.mark.parametrize("text", ["Ana Novak", "58bfcb98329b007d", "", "Highlandschool", "=", "%zz", "0x0"])
def test_decoded__takes_no_plain_text_or_random_token_for_an_encoding(text: str) -> None:
    assert decoded(text) == {}


@pytest.mark.parametrize("shuffled", [False, True])
def test_disguises__sees_telephones_in_words(shuffled: bool) -> None:
    rng = np.random.default_rng(3)
    phones = [f"0{rng.integers(30, 71)} {rng.integers(100, 999)} {rng.integers(100, 999)}" for _ in range(60)]
    words = "zero one two three four five six seven eight nine".split()
    spoken = ["-".join(words[int(digit)] for digit in phone if digit != " ") for phone in phones]
    note = rng.choice(["a", "b", "c"], 60).tolist()
    order = rng.permutation(60) if shuffled else np.arange(60)
    opinion = disguised_in(
        {"phone": phones, "note": note},
        {"phone": [spoken[i] for i in order], "note": [note[i] for i in order]},
        log_of(phone=("phone", "generalize"), note=("other", "keep")),
    )
    finding = the_finding(opinion, "disguise_encoding")
    assert finding.verdict is Verdict.FAIL
    assert "with its digits in words" in finding.message


def test_respelled__names_and_dates_as_they_are_read_otherwise() -> None:
    texts = pa.array(["\\uc1a1\\uc218", "Аnа Nоvаk", "%4D%61ry", "ana (at) example (dot) org", "plain"])
    assert legible(texts).to_pylist() == ["송수", "Ana Novak", "Mary", "ana example org", "plain"]
    western = [*respelled(["ana novak", "kyd"])]
    assert ["kavon ana", "dyk"] in western
    assert ["n nvk", ""] in western
    assert ["4n4 n0v4k", ""] in western
    korean = [*respelled(["김민준", "이하늘", "서울시청역앞"])]
    assert ["gim minjun", "i haneul", ""] in korean
    assert ["kim min joon", "lee ha neul", ""] in korean
    assert ["kim minjun", "lee haneul", ""] in korean
    forms = {texts[0] for texts in dated(["1978-03-05", "2001-12-21", "1990-01-31"])}
    assert forms >= {"1978 03 05", "19780305", "05031978", "780305", "050378", "5 3 1978", "50308791"}
    assert list(dated(["Ana", "Eva", "Rok"])) == []


def test_have_the_same_symbols__sees_characters_moved_or_replaced() -> None:
    rng = np.random.default_rng(2)
    ids = [f"P{number:06d}" for number in rng.choice(1_000, 90, replace=False)]
    assert have_the_same_symbols(ids, ["".join(value[i] for i in (6, 0, 5, 1, 2, 4, 3)) for value in ids])
    assert have_the_same_symbols(ids, [bytes(b ^ 42 for b in value.encode()).hex() for value in ids])
    assert not have_the_same_symbols(ids, [rng.bytes(7).hex() for _ in ids])
    assert not have_the_same_symbols(ids, [f"S{number:06d}" for number in rng.permutation(90)])
    assert not have_the_same_symbols(ids, ids)


@pytest.mark.parametrize(
    ("semantic", "action", "verdict"),
    [
        ("other", "hash", Verdict.FAIL),
        ("patient_id", "encrypted", Verdict.FAIL),
        ("mrn", "keep", Verdict.FAIL),
        ("other", "keep", Verdict.WARN),
    ],
)
def test_hash_of_an_identifier_that_repeats__fails_in_whatever_words(
    semantic: str, action: str, verdict: Verdict
) -> None:
    ids = [number for number in IDS[:30] for _ in range(5)]
    tables = pair_tables(
        table({"id": ids}), table({"id": [sha256(number) for number in ids]}), log_of(id=(semantic, action))
    )
    settings = SecondOpinionSettings()
    measured = measure_computed(tables, measure_unchanged(tables), settings)
    (finding,) = judge_computed(measured, SecondOpinionThresholds())
    assert finding.verdict is verdict
