"""Values as plain data, to pass from one process to another: nothing is unpickled that read a hostile file.

What comes back is built by the declared types of the fields, whatever the other process sent.
"""

import json
from array import array
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import IO, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa

from core.words import plain_text, text_of

Result = TypeVar("Result")
_Held = tuple[list[Any], list[Any]]  # the arrays and the tables of a result
_ROWS_WRITTEN = 1 << 16
_CODES = {"int32": "i", "int64": "q", "float64": "d"}  # of arrays that grow, by what numpy calls it


class _Growing:
    """Stands for :class:`array`, which cannot be subscripted before Python 3.12."""

    def __class_getitem__(cls, _kind: object) -> "type[_Growing]":
        return cls


def packed_bytes(value: object) -> bytes:
    """Return a result as bytes, compressed."""
    sink = pa.BufferOutputStream()
    write_tables(packed(value), sink, compression="zstd")
    written: bytes = sink.getvalue().to_pybytes()
    return written


def unpacked_bytes(kind: type[Result], data: bytes) -> Result:
    """Return a result of a type from its bytes; ValueError where they hold something else."""
    try:
        return unpacked(kind, read_tables(pa.py_buffer(data)))
    except (pa.ArrowException, LookupError, TypeError, OSError) as error:
        raise ValueError(type(error).__name__) from None


def packed(value: object) -> list[pa.Table]:
    """Return a result as a table of one row: its plain values as JSON, and each of its arrays as it is.

    The tables that it holds follow.
    """
    held: tuple[list[Any], list[pa.Table]] = [], []
    text = json.dumps(_plain(value, held)).encode()
    columns = [pa.array([text], pa.large_binary())]
    for one in held[0]:
        ends = pa.array([0, len(one)], pa.int64())
        columns.append(pa.LargeListArray.from_arrays(ends, pa.array(one)))
    return [pa.table(columns, names=[str(number) for number in range(len(columns))]), *held[1]]


def unpacked(kind: type[Result], tables: list[pa.Table]) -> Result:
    """Return a result of a type from its tables."""
    first, *others = tables
    columns = [column.combine_chunks() for column in first.columns]
    arrays = [_as_numpy(column.values) for column in columns[1:]]
    result: Result = _of_kind(kind, json.loads(columns[0][0].as_py()), (arrays, others))
    return result


def _as_numpy(values: pa.Array) -> np.ndarray:
    """Return an array of Arrow as one of numpy; of numbers without pandas, which pyarrow loads otherwise."""
    is_flag = pa.types.is_boolean(values.type)
    numbers = values.cast(pa.uint8()) if is_flag else values
    if numbers.null_count or not (pa.types.is_integer(numbers.type) or pa.types.is_floating(numbers.type)):
        return values.to_numpy(zero_copy_only=False)
    found = np.from_dlpack(numbers)
    return found.astype(bool) if is_flag else found


def write_tables(
    tables: list[pa.Table], to: pa.NativeFile | IO[bytes], *, compression: str | None = None
) -> None:
    """Write tables one after the other; the list is empty then, and each record was let go once written."""
    options = pa.ipc.IpcWriteOptions(compression=compression)
    while tables:
        table = tables.pop(0)
        with pa.ipc.new_stream(to, table.schema, options=options) as stream:
            batches = deque(table.to_batches(max_chunksize=_ROWS_WRITTEN))
            del table
            while batches:
                stream.write_batch(batches.popleft())


def read_tables(data: pa.Buffer) -> list[pa.Table]:
    """Return the tables that were written one after the other, without copying; each is checked."""
    source, found = pa.BufferReader(data), []
    while source.tell() < data.size:
        with pa.ipc.open_stream(source) as stream:
            found.append(stream.read_all())
        found[-1].validate(full=True)
    return found


def _plain(value: Any, held: _Held) -> object:
    if isinstance(value, (np.ndarray, array, pa.Table)):
        of_kind = held[isinstance(value, pa.Table)]
        of_kind.append(value if isinstance(value, pa.Table) else np.asarray(value))
        return len(of_kind) - 1
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, Mapping):
        return [[_plain(one, held) for one in pair] for pair in value.items()]
    if _is_record(type(value)):
        kind: Any = type(value)
        return [_plain(getattr(value, name), held) for name, _ in _hints(kind)]
    if isinstance(value, (tuple, frozenset, list)):
        return [_plain(one, held) for one in value]
    plain = value.item() if isinstance(value, np.generic) else value
    return plain_text(plain) if isinstance(plain, str) else plain


def _of_kind(kind: Any, value: Any, held: _Held) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (other,) = (part for part in parts if part is not NoneType)
        return None if value is None else _of_kind(other, value, held)
    if origin is np.ndarray or kind in (_Growing, pa.Table):
        return _array(kind, held[kind is pa.Table][_checked(int, value)])
    if origin in (dict, Mapping):
        return {_of_kind(parts[0], one, held): _of_kind(parts[1], other, held) for one, other in value}
    if origin in (tuple, frozenset):
        return origin(_items(parts, _checked(list, value), held))
    if origin is Iterable or (kind is Any and isinstance(value, list)):  # a row of a table
        return tuple(_of_kind(Any, one, held) for one in _checked(list, value))
    return _record(kind, value, held) if _is_record(kind) else _scalar(kind, value)


def _record(kind: Any, value: Any, held: _Held) -> Any:
    pairs = zip(_hints(kind), value, strict=True)
    return kind(**{name: _of_kind(part, one, held) for (name, part), one in pairs})


def _scalar(kind: Any, value: Any) -> Any:
    if kind in (object, Any):  # a number, a text or none
        return text_of(value) if isinstance(value, dict) else value
    if get_origin(kind) is Literal:
        return get_args(kind)[get_args(kind).index(value)]
    if kind is bytes:
        return _checked(str, value).encode("latin-1")
    if kind is str and isinstance(value, dict):
        return text_of(value)
    if issubclass(kind, Enum):
        return kind(value)
    return _checked(kind, float(value) if kind is float and type(value) is int else value)


def _items(parts: tuple[Any, ...], value: list[Any], held: _Held) -> Iterable[Any]:
    if parts[-1] is Ellipsis or len(parts) == 1:
        return [_of_kind(parts[0], one, held) for one in value]
    return [_of_kind(part, one, held) for part, one in zip(parts, value, strict=True)]


def _array(kind: Any, found: Any) -> Any:
    """Return an array of the type that was declared, or a table."""
    if kind is pa.Table:
        return _checked(kind, found)
    if kind is _Growing:
        return array(_CODES[found.dtype.name], found.tobytes())
    (number,) = get_args(get_args(kind)[1])
    if not issubclass(found.dtype.type, get_origin(number) or number):
        raise TypeError("An array holds numbers of another type.")
    return found


def _checked(kind: Any, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError("A value is of another type.")
    return value


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind) or (isinstance(kind, type) and hasattr(kind, "_fields"))


@cache
def _hints(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the fields that a record is built of, with their types."""
    hints = get_type_hints(kind, localns={"array": _Growing})
    names = [one.name for one in fields(kind) if one.init] if is_dataclass(kind) else list(kind._fields)  # type: ignore[attr-defined]
    return tuple((name, hints[name]) for name in names)
