"""Patterns, and files beyond the bounds, take a moment."""

import io
import itertools
import re
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.__main__ import main
from core.errors import AuditInputError
from core.people.roles import values
from core.tables import bounds, read_dataset
from core.tabular.second_opinion import masked
from core.vcf.readings import kind_of
from tests.hostile.patterns import LETTERS, PATTERNS, SECONDS, SHAPES, adversarial, seconds
from tests.kinds import Told

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


def test_masked_cell_and_address__are_asked_of_few_letters() -> None:
    pattern = PATTERNS["core.people.roles.values._KOREAN_ADDRESS", values._KOREAN_ADDRESS.pattern]
    started = time.process_time()
    pattern.match(("가시 가로 " * values._LONGEST_ADDRESS)[: values._LONGEST_ADDRESS])
    assert time.process_time() - started < SECONDS
    texts = ["".join(letters) for n in range(6) for letters in itertools.product("ab", repeat=n)]
    for cell in ("*a", "a*", "a*b", "*a*b*", "a*ab*b", "*ab*a*ba", "ab**ab"):
        literal = re.compile(".*".join(map(re.escape, re.split(r"\*+", cell))), re.DOTALL)
        pattern = masked._pattern(cell)
        assert pattern is not None
        for text in texts:
            assert bool(pattern.fullmatch(text)) == bool(literal.fullmatch(text)), (cell, text)
    pattern = masked._pattern("*a" * 50 + "b")
    assert pattern is not None
    started = time.process_time()
    assert not pattern.fullmatch("a" * LETTERS)
    assert time.process_time() - started < SECONDS
    started = time.process_time()
    assert kind_of(b"AF" * 50_000 + b"!") == kind_of(b"AF" * 128)
    assert time.process_time() - started < SECONDS


# --- tables that are larger than they look, and commands that meet what nobody foresaw


def problem(data: bytes) -> str:
    with pytest.raises(AuditInputError) as caught:
        read_dataset(data, name="t")
    (sentence,) = caught.value.problems
    return sentence


def in_parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def test_columns_and_texts__are_bounded_before_records_are_read() -> None:
    names = ",".join(f"c{i}" for i in range(100_000))
    for data in (
        f"{names}\n{names}\n".encode(),
        b"," * 100_000 + b"\n" + b"," * 100_000 + b"\n",
        in_parquet(pa.table({f"c{i}": ["x"] for i in range(20_001)})),
    ):
        started = time.process_time()
        assert "columns; at most 20,000 are read" in problem(data)
        assert time.process_time() - started < 10
    assert len(read_dataset(f"{names[:100_000]}\n{names[:100_000]}\n".encode(), name="t").columns) < 20_001
    bounds.check_text(10 << 30, of=100 << 20, name="t")
    bounds.check_text(384 << 20, of=1000, name="t")
    with pytest.raises(AuditInputError, match="the file of 1,000 bytes would unpack"):
        bounds.check_text((384 << 20) + 1, of=1000, name="t")


@pytest.mark.parametrize("quote", [b"", b'"'])
@pytest.mark.parametrize("where", ["header", "record"])
def test_cell__of_hundreds_of_megabytes_is_refused_early(where: str, quote: bytes) -> None:
    cell = b"1," + quote + b"x" * (100 << 20) + quote + b"\n"
    data = cell + b"1,2\n" if where == "header" else b"a,b\n1,2\n" + cell + b"3,4\n"
    started = time.process_time()
    assert "a record is longer than 32 MB" in problem(data)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("packed", [True, False])
def test_parquet__is_counted_before_it_is_unpacked(packed: bool) -> None:
    texts = pa.array(["x" * 100_000]).dictionary_encode().take(pa.array([0] * 10_000))
    data = in_parquet(pa.table({"a": texts if packed else texts.cast(pa.string())}))
    assert len(data) < 10_000
    assert "would unpack to 1,000 MB of text; at most 384 MB are read" in problem(data)
    blank = in_parquet(pa.table({"a": pa.nulls(150_000_000, pa.string())}))
    assert "would unpack to 600 MB of text" in problem(blank)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("Novak"), 2, "error: An unexpected ValueError came up in measures.py, line"),
        (RecursionError("Novak"), 2, "error: An unexpected RecursionError came up in measures.py, line"),
        (MemoryError("Novak"), 2, "error: The input takes more memory than there is."),
        (KeyboardInterrupt(), 130, "error: Stopped before the end; nothing was judged."),
    ],
)
def test_main__an_unexpected_error_is_one_sentence_and_never_a_verdict(
    error: BaseException,
    code: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> str:
        raise error

    monkeypatch.setattr("core.commands.measures.measures_document", fail)
    monkeypatch.setattr("core.__main__.memory_left", lambda: None)
    assert main(["measures"]) == code
    shown = capsys.readouterr().err
    assert shown.startswith(words)
    assert shown.count("\n") == 1
    assert "Novak" not in shown
    if code == 2:
        assert main(["measures", "--debug"]) == 2
        assert "Traceback" in capsys.readouterr().err


def test_tabular__refuses_more_columns_than_it_can_look_at(tmp_path: Path, capsys: Told) -> None:
    names = ",".join(f"c{i}" for i in range(8_001))
    for name in ("x.csv", "x_anonymized.csv"):
        (tmp_path / name).write_text(f"{names}\n{names}\n")
    (tmp_path / "x_anonymized_log.json").write_text(
        '{"log_info": {"c0": {"semantic": "x", "action": "keep"}}}'
    )
    assert main(["tabular", str(tmp_path / "x.csv"), "--json"]) == 2
    assert "the table has 8,001 columns; every one is looked at in many ways" in capsys.readouterr().err
