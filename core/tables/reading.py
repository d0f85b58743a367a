"""Bytes or a path in, a dataset out."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa

from core.holding import HAS_SHARED_MEMORY, Shared, read_unchanged, unchanged
from core.jobs import Threads
from core.tables.apart import read_apart
from core.tables.delimited import read_delimited
from core.tables.model import Dataset, Reading, ReadOptions, check_options
from core.tables.readers import TEXT, kind_of
from core.words import input_error

WORTH_A_PROCESS = 16 << 20  # bytes of text; less is read sooner than a process starts


def read_dataset(
    source: bytes | Path | Shared, *, name: str | None = None, options: ReadOptions | None = None
) -> Dataset:
    """Read a table with every cell as text.

    The format is decided by the content, whatever the name says.

    Parameters
    ----------
    source
        The file's bytes, also in shared memory, or its path.
    name
        File name to show; needed with bytes.
    options
        What the person corrected; the default detects everything.

    Returns
    -------
    Dataset
        At least one column and one record.

    Raises
    ------
    AuditInputError
        The file cannot be read as a table; says why and what to do.
    """
    options = options or ReadOptions()
    check_options(options)
    name = name or (source.name if isinstance(source, Path) else "table")
    source = _snapshot(source, name=name) if isinstance(source, Path) else source
    data = source.mapped() if isinstance(source, Shared) else pa.py_buffer(source)
    if not data.size:
        raise input_error("{file}: the file is empty (0 bytes). Export the table again.", file=name)
    with Threads(1) as thread:  # hashing releases the interpreter: it runs beside reading
        sha256 = thread.submit(lambda: hashlib.sha256(data).hexdigest())
        given = source if isinstance(source, Shared) else None
        table, reading = _read(data, name=name, options=options, given=given)
    return Dataset(
        name=name,
        table=table,
        fingerprint=_fingerprint(sha256.result(), options, reading.options),
        sha256=sha256.result(),
        n_bytes=data.size,
        reading=reading,
    )


def _snapshot(path: Path, *, name: str) -> bytes | Shared:
    """Return a file's bytes as they are now; what changes it meanwhile would change what is judged."""
    try:
        if path.stat().st_size < WORTH_A_PROCESS or not HAS_SHARED_MEMORY:
            return read_unchanged(path, name=name)
        with unchanged(path, name=name), path.open("rb", buffering=0) as file:
            return Shared.of(file)
    except OSError as error:
        raise input_error(
            "{file}: the file cannot be opened ({reason}). Check its path.",
            file=name,
            reason=str(error.strerror),
        ) from None


def _fingerprint(sha256: str, given: ReadOptions, resolved: ReadOptions) -> str:
    return hashlib.sha256(repr((sha256, given, resolved)).encode()).hexdigest()


def _read(
    data: pa.Buffer, *, name: str, options: ReadOptions, given: Shared | None
) -> tuple[pa.Table, Reading]:
    """Read a table where its reader can do no harm: only short text in this process."""
    kind = kind_of(data, name=name)
    if kind == TEXT and data.size < WORTH_A_PROCESS:
        return read_delimited(data, name=name, options=options)
    return read_apart(data, name=name, options=options, kind=kind, given=given)
