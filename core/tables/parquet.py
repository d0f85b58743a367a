"""Parquet and Feather files: every column as text."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc, parquet

from core.processes.bounds import SMALL_FILE_BYTES
from core.settings.reading import ReadOptions
from core.tables.bounds import check_text
from core.tables.hidden_contents import Beside, beside_of, beside_parquet
from core.tables.model import Reading
from core.tables.typed import check_schema, read_typed
from core.words import input_error, own


def read_parquet(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a Parquet file; see :func:`core.tables.typed.read_typed` for how its values are written."""
    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        check_schema(file.schema_arrow, file.metadata.num_rows, n_bytes=data.size, name=name)
        table = _packed(data, file, name=name).read()
        beside = beside_parquet(file.schema_arrow, file.metadata.metadata)
        return read_typed(table, name=name, options=options, kind="Parquet", beside=[*beside, _unused(table)])
    except pa.ArrowMemoryError:
        raise  # beyond the bound of the process that reads it, not damaged
    except (pa.ArrowException, OSError):
        raise input_error(
            "{file}: the Parquet file is damaged, cut off or encrypted. Export it again, or as CSV.",
            file=name,
        ) from None


def read_feather(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a Feather file, which is an Arrow file; its values are written as those of Parquet."""
    try:
        file = ipc.open_file(pa.BufferReader(data))
        n_rows = sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))
        check_schema(file.schema, n_rows, n_bytes=data.size, name=name)
        table, beside = file.read_all(), beside_parquet(file.schema, file.schema.metadata)
        return read_typed(table, name=name, options=options, kind="Feather", beside=[*beside, _unused(table)])
    except pa.ArrowMemoryError:
        raise  # beyond the bound of the process that reads it, not damaged
    except (pa.ArrowException, OSError):
        raise input_error(
            "{file}: the Feather file is damaged or cut off. Export it again, or as CSV.", file=name
        ) from None


def _unused(table: pa.Table) -> Beside:
    """Return the values of dictionaries that no cell has."""
    return beside_of(own("values that no cell has"), _unused_values(table), is_usual=True)


def _unused_values(table: pa.Table) -> Iterator[str]:
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            is_used = np.zeros(len(chunk.dictionary), dtype=bool)
            is_used[chunk.indices.drop_null().to_numpy()] = True
            yield from map(str, chunk.dictionary.filter(pa.array(~is_used)).to_pylist())


def _packed(data: pa.Buffer, file: parquet.ParquetFile, *, name: str) -> parquet.ParquetFile:
    """Return a file whose texts fit in memory, counted first: a dictionary may pack a long text a lot."""
    if data.size > SMALL_FILE_BYTES:
        return file
    texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
    packed = parquet.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    n_bytes = 0
    for batch in packed.iter_batches(columns=texts):
        n_bytes += sum(_n_bytes(cells) for cells in batch.columns)
        check_text(n_bytes, of=data.size, name=name)
    return file


def _is_text(of: pa.DataType) -> bool:
    of = of.value_type if pa.types.is_dictionary(of) else of
    return any(is_kind(of) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))


def _n_bytes(cells: pa.Array) -> int:
    """Return the bytes that cells of text come to."""
    if not pa.types.is_dictionary(cells.type):
        return int(pc.sum(pc.binary_length(cells)).as_py() or 0)
    lengths = pc.binary_length(cells.dictionary)
    return int(pc.sum(lengths.take(cells.indices).cast(pa.int64())).as_py() or 0)
