"""No pattern of the project takes more than linear time: one that does not return holds every session."""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator

import pytest

import core
from core.roles import values

SMALL, LARGE = 800, 3200  # a quadratic pattern takes sixteen times as long, a linear one four
SECONDS = 0.2  # for 100 kB: what a quadratic pattern must stay below at LARGE to be no danger
AT_THE_START = {  # asked only what a cell begins with or is, never searched for within a text
    "core.cells._NUMBER",
    "core.cells._DATE",
    "core.roles.values._SYNTHEA_NAME",
    "core.roles.values._KOREAN_ADDRESS",
    "core.tabular.second_opinion.ciphers._DIGITS",
    "core.tabular.second_opinion.digests._DECIMAL",
    "core.tabular.second_opinion.disguises._NUMBER",
    "core.tabular.second_opinion.readable._MEASURE",
    "core.tabular.second_opinion.surrogates._DATE",
    "core.tabular.second_opinion.transforms._PREFIX",
    "core.vcf.checks.columns._USUAL_FILTER",
    "core.vcf.frequencies._FLOAT",
}
SHAPES = (
    "a", "A", "0", "1", "f", ".", "-", "_", "/", ":", ";", "=", ",", " ", "\t", "\n", "(", "[",
    "<", "@", "+", "*", "가", "é", "aA", "a.", "a-", "a/", "/a", "a:", "a ", "a_", "A1", "1a", "1.",
    "1-", "1/", "1,", "1:", "0 ", "a@", "a=", "=a", "a;", ";a", "ACGT", "C[", "(A)", "[A", "]A",
    "A>", "19", "19-", "1900-01-", "10.", "010-", "000000-1", "--a ", "-a=", "a.b.", "a'b ", "\\",
    "a\\", "c.1", "rs1", "chr1:", "1:1A", "Jan ", "//", "../", "~/", "가시 ", "가 가", "http://", "0x",
    "1e", "\t1:",
)  # fmt: skip


def compiled() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Yield every pattern that a module of core holds, in a name of its own or in a table."""
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if module.name == "core.__main__":
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            held = (
                value
                if isinstance(value, list | tuple)
                else value.values()
                if isinstance(value, dict)
                else [value]
            )
            yield from ((f"{module.name}.{name}", item) for item in held if isinstance(item, re.Pattern))


PATTERNS = {(name, pattern.pattern): pattern for name, pattern in compiled()}


def seconds(name: str, pattern: re.Pattern[str] | re.Pattern[bytes], text: str) -> float:
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    started = time.process_time()
    if name in AT_THE_START:
        pattern.match(given)  # type: ignore[arg-type]
    else:
        for _ in pattern.finditer(given):  # type: ignore[arg-type]
            pass
    return time.process_time() - started


@pytest.mark.parametrize("key", PATTERNS, ids=lambda key: key[0])
def test_pattern__is_linear_on_adversarial_text(key: tuple[str, str]) -> None:
    name, pattern = key[0], PATTERNS[key]
    slow = []
    for shape in SHAPES:
        text = f"a{shape * (LARGE // len(shape))}!"
        taken = seconds(name, pattern, text)
        if taken * (100_000 / LARGE) > SECONDS and taken > 8 * seconds(name, pattern, text[:SMALL]):
            slow.append(shape)
    assert slow == []


def test_korean_address__is_asked_of_the_first_letters_only() -> None:
    pattern = PATTERNS["core.roles.values._KOREAN_ADDRESS", values._KOREAN_ADDRESS.pattern]
    started = time.process_time()
    pattern.match(("가시 가로 " * values._LONGEST_ADDRESS)[: values._LONGEST_ADDRESS])
    assert time.process_time() - started < SECONDS
