"""Files of SPSS, Stata and SAS: every column as text, as stored; labels of values stand beside the table."""

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from core.settings.reading import ReadOptions
from core.tables.hidden_contents import Beside, beside_of
from core.tables.model import Reading
from core.tables.typed import check_schema, read_typed
from core.words import input_error, own

_SPSS, _PORTABLE, _STATA, _SAS, _TRANSPORT = "SPSS", "SPSS portable", "Stata", "SAS", "SAS transport"
_FIRST_BYTES = (
    (b"$FL2", _SPSS),
    (b"$FL3", _SPSS),
    (b"<stata_dta>", _STATA),
    *((bytes((version, order, 1, 0)), _STATA) for version in range(104, 116) for order in (1, 2)),
    (b"ASCII SPSS PORT FILE", _PORTABLE),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", _SAS),
    (b"HEADER RECORD*******LIB", _TRANSPORT),
)
_PORTABLE_SIGN, _BEFORE_SIGN = b"SPSSPORT", 600  # bytes, of which 200 may be any text
_MEMBER = re.compile(rb"HEADER RECORD\*{7}MEMB(?:ER|V8) {1,2}HEADER RECORD")
_ATTRIBUTES = re.compile(rb"\x07\0\0\0[\x11\x12]\0\0\0\x01\0\0\0....", re.DOTALL)  # of a file, of variables
_CHARACTERISTICS = re.compile(rb"<ch>.{4}(.*?)</ch>", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_][^\x00-\x1f]{2,}")
_MOST_ATTRIBUTES = 1 << 20  # bytes after the sign of SPSS's attributes


def kind_of_statistical(head: bytes) -> str | None:
    """Return which program a file that begins so is of, None for another file."""
    found = next((kind for first, kind in _FIRST_BYTES if head.startswith(first)), None)
    return _PORTABLE if found is None and _PORTABLE_SIGN in head[:_BEFORE_SIGN] else found


def read_statistical(data: pa.Buffer, *, name: str, options: ReadOptions) -> tuple[pa.Table, Reading]:
    """Read a file of SPSS, Stata or SAS.

    Cells hold the stored value, not its label: a number without a fraction is written without one. Values
    that a person of SPSS called missing stay, since whoever gets the file sees them; missing of the program
    itself, also ``.a`` to ``.z``, is missing. Labels, notes and attributes stand in ``Reading.beside``.
    """
    whole = data.to_pybytes()
    kind = kind_of_statistical(whole[:_BEFORE_SIGN]) or _SPSS
    if kind == _TRANSPORT and len(_MEMBER.findall(whole)) > 1:
        raise input_error(
            "{file}: the SAS transport file holds several tables. Export each into a file of its own.",
            file=name,
        )
    try:
        frame, said = _read(kind, io.BytesIO(whole))
    except MemoryError:
        raise  # beyond the bound of the process that reads it, not damaged
    except Exception:  # the library has errors of its own, and Python of dates beyond its own
        raise input_error(
            "{file}: the file of {program} is damaged, cut off or encrypted. Save it again, or as CSV.",
            file=name,
            program=kind.split()[0],
        ) from None
    table = pa.table([_column(frame[column]) for column in frame], names=list(map(str, frame)))
    check_schema(table.schema, table.num_rows, n_bytes=data.size, name=name)
    return read_typed(table, name=name, options=options, kind=kind, beside=_beside(said, whole, kind))


def _read(kind: str, file: io.BytesIO) -> tuple[Any, Any]:
    """Return a frame and what the file says beside it."""
    import pyreadstat  # noqa: PLC0415 - a tenth of a second that no other file needs

    if kind == _SPSS:
        return pyreadstat.read_sav(file, user_missing=True)
    readers: dict[str, Any] = {
        _PORTABLE: pyreadstat.read_por,
        _STATA: pyreadstat.read_dta,
        _SAS: pyreadstat.read_sas7bdat,
        _TRANSPORT: pyreadstat.read_xport,
    }
    return readers[kind](file)


def _column(cells: Any) -> pa.Array:
    """Return a column with numbers whole where all are."""
    found = pa.array(cells, from_pandas=True)
    if not pa.types.is_floating(found.type):
        return found.cast(pa.string()) if pa.types.is_null(found.type) else found
    try:
        return found.cast(pa.int64())
    except pa.ArrowInvalid:
        return found


def _beside(said: Any, whole: bytes, kind: str) -> Iterator[Beside]:
    labels = (str(label) for each in said.value_labels.values() for label in each.values())
    yield beside_of(own("labels of values"), labels, is_usual=True)
    yield beside_of(own("labels of columns"), filter(None, said.column_labels), is_usual=True)
    yield beside_of(own("notes"), said.notes or ())
    yield beside_of(own("the file's label"), filter(None, [said.file_label, said.table_name]), is_usual=True)
    yield beside_of(own("attributes of the file or its columns"), _attributes(whole, kind))


def _attributes(whole: bytes, kind: str) -> Iterator[str]:
    """Yield texts of what a file says of itself and of its columns that no reader hands out."""
    if kind == _STATA:
        end = whole.find(b"</characteristics>")
        found = [] if end < 0 else [each[1] for each in _CHARACTERISTICS.finditer(whole, 0, end)]
    else:
        found = [] if kind != _SPSS else [_after(whole, each) for each in _ATTRIBUTES.finditer(whole)]
    for text in found:
        yield from (each[0] for each in _LETTERS.finditer(text.decode("utf-8", "replace")))


def _after(whole: bytes, sign: re.Match[bytes]) -> bytes:
    """Return the text of attributes: as many bytes as the number at the end of their sign."""
    n_bytes = int(np.frombuffer(sign[0][-4:], dtype="<u4")[0])
    return whole[sign.end() : sign.end() + min(n_bytes, _MOST_ATTRIBUTES)]
