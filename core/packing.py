"""Values as plain data, to pass from one process to another: nothing is unpickled that read a hostile file.

What comes back is built by the declared types of the fields, whatever the other process sent. A function is
called in another process by its name, so that long work leaves this process's interpreter to others.
"""

import inspect
import json
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa

from core.apart import Answer, Bounds, EndedError, ask_apart, function_named, gibibytes, memory_bound
from core.errors import AuditInputError
from core.holding import HAS_SHARED_MEMORY, Shared
from core.words import input_error, plain_text, text_of

P = ParamSpec("P")
Result = TypeVar("Result")
SECONDS, SECONDS_FOR_A_MEGABYTE = 600, 60  # of processor time, for what takes a second for ten megabytes
_CODES = {"int32": "i", "int64": "q", "float64": "d"}  # of arrays that grow, by what numpy calls it


class _Growing:
    """Stands for :class:`array`, which cannot be subscripted before Python 3.12."""

    def __class_getitem__(cls, _kind: object) -> "type[_Growing]":
        return cls


def packed_bytes(value: object) -> bytes:
    """Return a result as bytes, compressed."""
    table, sink = packed(value), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def unpacked_bytes(kind: type[Result], data: bytes) -> Result:
    """Return a result of a type from its bytes; ValueError where they hold something else."""
    try:
        with pa.ipc.open_stream(pa.py_buffer(data)) as stream:
            table = stream.read_all()
        table.validate(full=True)
        return unpacked(kind, table)
    except (pa.ArrowException, LookupError, TypeError, OSError) as error:
        raise ValueError(type(error).__name__) from None


def packed(value: object) -> pa.Table:
    """Return a result as a table of one row: its plain values as JSON, and each of its arrays as it is."""
    arrays: list[Any] = []
    text = json.dumps(_plain(value, arrays)).encode()
    columns = [pa.array([text], pa.large_binary())]
    for one in arrays:
        ends = pa.array([0, len(one)], pa.int64())
        columns.append(pa.LargeListArray.from_arrays(ends, pa.array(one)))
    return pa.table(columns, names=[str(number) for number in range(len(columns))])


def unpacked(kind: type[Result], table: pa.Table) -> Result:
    """Return a result of a type from its table."""
    columns = [column.combine_chunks() for column in table.columns]
    arrays = [column.values.to_numpy(zero_copy_only=False) for column in columns[1:]]
    result: Result = _of_kind(kind, json.loads(columns[0][0].as_py()), arrays)
    return result


def _plain(value: Any, arrays: list[Any]) -> object:
    if isinstance(value, (np.ndarray, array, pa.Table)):
        arrays.append(value if isinstance(value, pa.Table) else np.asarray(value))
        return len(arrays) - 1
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, Mapping):
        return [[_plain(one, arrays) for one in pair] for pair in value.items()]
    if _is_record(type(value)):
        kind: Any = type(value)
        return [_plain(getattr(value, name), arrays) for name, _ in _hints(kind)]
    if isinstance(value, (tuple, frozenset, list)):
        return [_plain(one, arrays) for one in value]
    plain = value.item() if isinstance(value, np.generic) else value
    return plain_text(plain) if isinstance(plain, str) else plain


def _of_kind(kind: Any, value: Any, arrays: list[Any]) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (other,) = (part for part in parts if part is not NoneType)
        return None if value is None else _of_kind(other, value, arrays)
    if origin is np.ndarray or kind in (_Growing, pa.Table):
        return _array(kind, arrays[_checked(int, value)])
    if origin in (dict, Mapping):
        return {_of_kind(parts[0], one, arrays): _of_kind(parts[1], other, arrays) for one, other in value}
    if origin in (tuple, frozenset):
        return origin(_items(parts, _checked(list, value), arrays))
    if origin is Iterable or (kind is Any and isinstance(value, list)):  # a row of a table
        return tuple(_of_kind(Any, one, arrays) for one in _checked(list, value))
    return _record(kind, value, arrays) if _is_record(kind) else _scalar(kind, value)


def _record(kind: Any, value: Any, arrays: list[Any]) -> Any:
    pairs = zip(_hints(kind), value, strict=True)
    return kind(**{name: _of_kind(part, one, arrays) for (name, part), one in pairs})


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


def _items(parts: tuple[Any, ...], value: list[Any], arrays: list[Any]) -> Iterable[Any]:
    if parts[-1] is Ellipsis or len(parts) == 1:
        return [_of_kind(parts[0], one, arrays) for one in value]
    return [_of_kind(part, one, arrays) for part, one in zip(parts, value, strict=True)]


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


def called_apart(function: Callable[P, Result], *given: P.args, **named: P.kwargs) -> Result:
    """Return what a function of ours returns for tables and settings, from another process.

    What goes there and comes back is declared by the function's types. An error that nobody foresaw is met
    again here, where it is logged.

    Raises
    ------
    AuditInputError
        As the function does, or where it takes more memory or time than it may.
    """
    held: list[Any] = []
    plain = {
        name: _plain(value, held)
        for name, value in inspect.signature(function).bind(*given, **named).arguments.items()
    }
    request = {"function": f"{function.__module__}:{function.__qualname__}", "arguments": plain}
    with Shared() if HAS_SHARED_MEMORY else nullcontext() as shared:
        sink = pa.BufferOutputStream() if shared is None else pa.OSFile(shared.path, "wb")
        for one in held:
            with pa.ipc.new_stream(sink, one.schema) as stream:
                stream.write_table(one)
        data = sink.getvalue() if shared is None else shared.mapped()
        bounds = Bounds(memory_bound(data.size), SECONDS + SECONDS_FOR_A_MEGABYTE * (data.size >> 20))
        try:
            _, table = ask_apart(f"{__name__}:call_for_other", data, request, bounds=bounds, given=shared)
        except EndedError:
            raise _beyond(bounds) from None
    if table is None:
        return function(*given, **named)
    result: Result = unpacked(get_type_hints(function)["return"], table)
    return result


def _beyond(bounds: Bounds) -> AuditInputError:
    return input_error(
        "The work was ended: it takes more than {memory} GiB of memory or {seconds} seconds, the bounds for "
        "tables of their size. Take fewer records or columns at a time.",
        memory=gibibytes(bounds.memory),
        seconds=bounds.seconds,
    )


def call_for_other(data: pa.Buffer, *, function: str, arguments: dict[str, Any]) -> Answer:
    """Call a function for the process that asked; answer without a table after an error nobody foresaw."""
    called = function_named(function)
    kinds = get_type_hints(called)
    source = pa.BufferReader(data)
    held: list[Any] = []
    while source.tell() < data.size:
        with pa.ipc.open_stream(source) as stream:
            held.append(stream.read_all())
    try:
        result = called(**{name: _of_kind(kinds[name], value, held) for name, value in arguments.items()})
        return {}, packed(result)
    except (AuditInputError, MemoryError):
        raise
    except Exception:  # for the process that asked, which does the work itself and says what came up
        return {}, None
