"""Pseudonyms that are alike where their originals are, whatever code made them."""

import base64
import hashlib
import json
import string
from random import Random

import pytest

from core.comparing.learned import have_the_same_symbols
from core.comparing.likeness import kept_likeness
from core.tables import read_dataset
from core.tabular.log import read_log
from core.tabular.second_opinion.opinion import judge_second_opinion, measure_second_opinion
from core.verdict import Verdict

FIRST = "Ana Marko Ivan Maja Luka Nina Jan Eva Petra Rok Tina Miha Sara Jure Katja Urska Matej Gregor".split()
LAST = "Novak Horvat Kovacic Krajnc Zupancic Potocnik Mlakar Kos Vidmar Golob Turk Bozic Kralj Oblak".split()
ALPHABET = string.ascii_lowercase + " "


def names(n: int = 120, seed: int = 0) -> list[str]:
    """Return distinct names in no order."""
    rng = Random(seed)  # noqa: S311 - of test data
    found = sorted({f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(4 * n)})
    rng.shuffle(found)
    return found[:n]


def numbers(n: int = 120, seed: int = 0) -> list[str]:
    """Return distinct numbers of eight digits."""
    return [str(each) for each in Random(seed).sample(range(10**7, 10**8), n)]  # noqa: S311 - of test data


def vigenere(text: str) -> str:
    """Move each letter by that of a key."""
    letters = string.ascii_lowercase + string.digits
    moved = enumerate(text.casefold())
    return "".join(letters[(letters.find(c) + 7 * (i % 5) + 3) % 36] if c in letters else c for i, c in moved)


def in_signs(text: str) -> str:
    """Write each letter as a word of dots and dashes of its own."""
    signs = [f"{at:b}".replace("0", ".").replace("1", "-") for at in range(128)]
    return " ".join(signs[ord(letter)] for letter in text.casefold())


def exclusive_or(text: str) -> str:
    """Combine each byte with one constant, in hexadecimal."""
    return bytes(byte ^ 0x5A for byte in text.encode()).hex()


def in_base_32(text: str) -> str:
    """Return Base32."""
    return base64.b32encode(text.encode()).decode()


def in_base_36(text: str) -> str:
    """Write the bytes as one number, from the last on, with digits and letters."""
    number, found = int.from_bytes(text.encode(), "little"), ""
    while number:
        number, place = divmod(number, 36)
        found += (string.digits + string.ascii_lowercase)[place]
    return found


def digest(text: str) -> str:
    """Return a salted digest, cut."""
    return hashlib.sha256(f"a salt of ours{text}".encode()).hexdigest()[:10]


def surrogate(text: str) -> str:
    """Return a made-up name of its own."""
    rng = Random(f"another {text}")  # noqa: S311 - of test data
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def as_long(text: str) -> str:
    """Return random letters, as many as the original has."""
    rng = Random(text)  # noqa: S311 - of test data
    return "".join(rng.choice(string.ascii_lowercase) for _ in text)


def of_site(text: str) -> str:
    """Return a random number behind the first letters."""
    return f"{text[:2]}-{Random(text).randrange(10**8):08}"  # noqa: S311 - of test data


@pytest.mark.parametrize("values", [names, numbers])
@pytest.mark.parametrize("code", [vigenere, in_signs, exclusive_or, in_base_32, in_base_36])
def test_kept_likeness__shows_codes_that_nobody_named(code, values):
    before = values()
    assert kept_likeness(before, [code(value) for value in before]) > 12


@pytest.mark.parametrize("values", [names, numbers])
@pytest.mark.parametrize("code", [digest, surrogate, as_long])
def test_kept_likeness__shows_nothing_of_values_drawn_anew(code, values):
    before = values()
    assert kept_likeness(before, [code(value) for value in before]) < 4


def test_kept_likeness__leaves_out_the_beginnings_of_a_few_sites():
    before = [f"{'LJ MB CE'.split()[at % 3]}-{value}" for at, value in enumerate(numbers())]
    assert kept_likeness(before, [of_site(value) for value in before]) < 4


@pytest.mark.slow
def test_kept_likeness__of_random_pseudonyms_stays_far_below_what_is_told():
    before = names(60)
    drawn = [[f"{rng.getrandbits(40):010x}" for _ in before] for rng in map(Random, range(300))]
    assert max(kept_likeness(before, after, seed=at) for at, after in enumerate(drawn)) < 5


@pytest.mark.parametrize(
    ("code", "is_seen"),
    [(vigenere, False), (in_signs, True), (exclusive_or, True), (digest, False), (surrogate, False)],
)
def test_symbols__are_counted_where_no_row_is_known(code, is_seen):
    before = [value for value in names() for _ in range(2)]
    after = sorted(code(value) for value in before)
    assert have_the_same_symbols(before, after) is is_seen
    assert not have_the_same_symbols(before, sorted(before, key=str.casefold))  # the values themselves


@pytest.mark.parametrize(("code", "verdict"), [(in_base_36, Verdict.WARN), (digest, None)])
def test_opinion__warns_of_a_code_that_keeps_what_is_alike(code, verdict):
    before = names()
    entry = {"semantic": "patient_id", "action": "pseudonymize"}
    log = json.dumps({"log_info": {"person": entry, "ward": {"semantic": "ward", "action": "keep"}}}).encode()
    tables = [
        read_dataset(("person,ward\n" + "".join(f"{each},A\n" for each in column)).encode(), name=f"{at}.csv")
        for at, column in enumerate((before, [code(value) for value in before]))
    ]
    opinion = judge_second_opinion(measure_second_opinion(*tables, read_log(log, name="log.json")))
    found = [each.verdict for each in opinion.findings if each.check == "kept_likeness"]
    assert found == ([] if verdict is None else [verdict])


def test_opinion__does_not_warn_of_a_column_made_coarser_beside_what_was_dropped():
    rng = Random(4)  # noqa: S311 - of test data
    born = [f"{rng.randint(1940, 1999)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}" for _ in range(400)]
    entry = {"semantic": "birth_date", "action": "drop"}
    log = json.dumps({"log_info": {"born": entry, "ward": {"semantic": "ward", "action": "keep"}}}).encode()
    tables = [
        read_dataset((f"{header},ward\n" + "".join(f"{each},A\n" for each in column)).encode(), name="t.csv")
        for header, column in (("born", born), ("month", [each[:7] for each in born]))
    ]
    measured = measure_second_opinion(*tables, read_log(log, name="log.json"))
    assert measured.hidden.kept_likeness == ()
