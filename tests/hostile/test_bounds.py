"""Tables that are larger than they look, and commands that meet what nobody foresaw."""

import io
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.__main__ import main
from core.errors import AuditInputError
from core.tables import bounds, read_dataset


def problem(data: bytes) -> str:
    with pytest.raises(AuditInputError) as caught:
        read_dataset(data, name="t")
    (sentence,) = caught.value.problems
    return sentence


def in_parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def test_columns__are_bounded_before_records_are_read() -> None:
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


def test_check_text__leaves_large_files_to_their_own_bounds() -> None:
    bounds.check_text(10 << 30, of=100 << 20, name="t")
    bounds.check_text(384 << 20, of=1000, name="t")
    with pytest.raises(AuditInputError, match="the file of 1,000 bytes would unpack"):
        bounds.check_text((384 << 20) + 1, of=1000, name="t")


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
    assert main(["measures"]) == code
    shown = capsys.readouterr().err
    assert shown.startswith(words)
    assert shown.count("\n") == 1
    assert "Novak" not in shown
    if code == 2:
        assert main(["measures", "--debug"]) == 2
        assert "Traceback" in capsys.readouterr().err


def test_tabular__refuses_more_columns_than_it_can_look_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ",".join(f"c{i}" for i in range(8_001))
    for name in ("x.csv", "x_anonymized.csv"):
        (tmp_path / name).write_text(f"{names}\n{names}\n")
    (tmp_path / "x_anonymized_log.json").write_text(
        '{"log_info": {"c0": {"semantic": "x", "action": "keep"}}}'
    )
    assert main(["tabular", str(tmp_path / "x.csv"), "--json"]) == 2
    assert "the table has 8,001 columns; every one is looked at in many ways" in capsys.readouterr().err
