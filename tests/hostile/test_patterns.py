"""No pattern of the project takes more than linear time; `make trust` feeds each 100 kB of every shape."""

import itertools
import re
import time

from core.roles import values
from core.tabular.second_opinion import masked
from core.vcf.info import kind_of
from tests.hostile.patterns import LETTERS, PATTERNS, SECONDS, SHAPES, adversarial, seconds

SMALL, LARGE = 800, 3200  # a quadratic pattern takes sixteen times as long, a linear one four
AT_ONCE = 4  # shapes of 100 kB for each pattern, others for the next one


def test_pattern__is_linear_on_adversarial_text() -> None:
    slow = []
    for (name, written), pattern in PATTERNS.items():
        for shape in SHAPES:
            text = adversarial(shape, LARGE)
            taken = seconds(name, pattern, text)
            if taken * (LETTERS / LARGE) > SECONDS and taken > 8 * seconds(name, pattern, text[:SMALL]):
                slow.append((name, written, shape))
    assert slow == []


def test_pattern__takes_a_moment_for_100_kb() -> None:
    slow = []
    for number, ((name, written), pattern) in enumerate(PATTERNS.items()):
        for shape in (SHAPES[(AT_ONCE * number + i) % len(SHAPES)] for i in range(AT_ONCE)):
            text = adversarial(shape, LETTERS)  # what is slow is so each time, a machine at work is not
            if seconds(name, pattern, text) > SECONDS and seconds(name, pattern, text) > SECONDS:
                slow.append((name, written, shape))
    assert slow == []


def test_korean_address__is_asked_of_the_first_letters_only() -> None:
    pattern = PATTERNS["core.roles.values._KOREAN_ADDRESS", values._KOREAN_ADDRESS.pattern]
    started = time.process_time()
    pattern.match(("가시 가로 " * values._LONGEST_ADDRESS)[: values._LONGEST_ADDRESS])
    assert time.process_time() - started < SECONDS


def test_masked_cell__fits_what_its_parts_in_order_fit() -> None:
    texts = ["".join(letters) for n in range(6) for letters in itertools.product("ab", repeat=n)]
    for cell in ("*a", "a*", "a*b", "*a*b*", "a*ab*b", "*ab*a*ba", "ab**ab"):
        literal = re.compile(".*".join(map(re.escape, re.split(r"\*+", cell))), re.DOTALL)
        pattern = masked._pattern(cell)
        assert pattern is not None
        for text in texts:
            assert bool(pattern.fullmatch(text)) == bool(literal.fullmatch(text)), (cell, text)


def test_masked_cell__is_asked_in_linear_time() -> None:
    pattern = masked._pattern("*a" * 50 + "b")
    assert pattern is not None
    started = time.process_time()
    assert not pattern.fullmatch("a" * LETTERS)
    assert time.process_time() - started < SECONDS


def test_kind_of__looks_at_the_beginning_of_a_long_key() -> None:
    started = time.process_time()
    assert kind_of(b"AF" * 50_000 + b"!") == kind_of(b"AF" * 128)
    assert time.process_time() - started < SECONDS
