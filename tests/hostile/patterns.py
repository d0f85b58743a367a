"""Every pattern of the project, and text made to keep a pattern busy.

A pattern that does not return holds every session: Python's own patterns keep the interpreter's lock.
"""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator, Mapping, Sequence

import core

LETTERS = 100_000  # of a text
SECONDS = 0.2  # of processor time, for a text of so many letters
AT_THE_START = {  # asked only what a cell begins with or is, never searched for within a text
    "core.values.cells._NUMBER",
    "core.values.cells._DATE",
    "core.comparing.digests._DECIMAL",
    "core.people.roles.names._WORDS",
    "core.people.roles.values._SYNTHEA_NAME",
    "core.people.roles.values._KOREAN_ADDRESS",
    "core.values.stretches._BETWEEN",
    "core.values.stretches._FROM",
    "core.values.stretches._UNTIL",
    "core.values.stretches._WORD_BEFORE",
    "core.tables.excel._NUMBER",
    "core.tables.header._NUMBER",
    "core.tabular.second_opinion.disguises._NUMBER",
    "core.tabular.second_opinion.in_codes._MEASURE",
    "core.tabular.second_opinion.surrogates._DATE",
    "core.vcf.left._MASKED_FILTER",
    "core.vcf.frequencies._FLOAT",
}
SHAPES = (
    "a", "A", "0", "1", "f", ".", "-", "_", "/", ":", ";", "=", ",", " ", "\t", "\n", "(", "[",
    "<", "@", "+", "*", "가", "é", "aA", "a.", "a-", "a/", "/a", "a:", "a ", "a_", "A1", "1a", "1.",
    "1-", "1/", "1,", "1:", "0 ", "a@", "a=", "=a", "a;", ";a", "ACGT", "C[", "(A)", "[A", "]A",
    "A>", "19", "19-", "1900-01-", "10.", "010-", "000000-1", "--a ", "-a=", "a.b.", "a'b ", "\\",
    "a\\", "c.1", "rs1", "chr1:", "1:1A", "Jan ", "//", "../", "~/", "가시 ", "가 가", "http://", "0x",
    "1e", "\t1:", "AF", "HIST_", "CDS",
)  # fmt: skip


WHOLE = {  # asked whether they fit a whole text of so many letters
    "core.vcf.readings._OF_FORMAT": 256,
    "core.vcf.readings._OF_INFO": 256,
}


def compiled() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Yield every pattern that a module of core holds, in a name of its own or in a table."""
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if module.name != "core.__main__":
            for name, value in vars(importlib.import_module(module.name)).items():
                yield from ((f"{module.name}.{name}", pattern) for pattern in _held(value))


def _held(value: object) -> Iterator[re.Pattern[str] | re.Pattern[bytes]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, list | tuple | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _held(item)


PATTERNS = {(name, pattern.pattern): pattern for name, pattern in compiled()}


def adversarial(shape: str, n_letters: int) -> str:
    """Return a text of a shape that comes again and again, and an end that fits no pattern."""
    return f"a{shape * (n_letters // len(shape))}!"


def seconds(name: str, pattern: re.Pattern[str] | re.Pattern[bytes], text: str) -> float:
    """Return the processor time of a search through a text, as the pattern is used, and of fitting all of it.

    A pattern that begins to fit is asked again and again where what is left of the text goes otherwise.
    """
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    started = time.process_time()
    if name not in WHOLE:
        pattern.fullmatch(given[1:])  # type: ignore[arg-type]
    if name in WHOLE:
        pattern.fullmatch(given[-WHOLE[name] :])  # type: ignore[arg-type]
    elif name in AT_THE_START:
        pattern.match(given)  # type: ignore[arg-type]
    else:
        for _ in pattern.finditer(given):  # type: ignore[arg-type]
            pass
    return time.process_time() - started


def too_slow(shapes: Sequence[str] = SHAPES) -> Iterator[str]:
    """Yield which patterns take too long for which shapes; the best of three searches counts."""
    for (name, _), pattern in PATTERNS.items():
        for shape in shapes:
            text = adversarial(shape, LETTERS)
            if seconds(name, pattern, text) > SECONDS:
                taken = min(seconds(name, pattern, text) for _ in range(2))
                if taken > SECONDS:
                    yield f"{name}: {taken:.2f} s for {LETTERS:,} letters like {shape!r}"
