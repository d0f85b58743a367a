"""Logs in other forms than ours: tables and JSON of any arrangement, read by their fields.

Somewhere in them stands, for each column, its name and what was done. Which field is which is told by what
the fields are called and by what they hold: actions are words that :mod:`core.tabular.actions` knows, and
names of columns differ.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from core.errors import AuditInputError
from core.tables import Dataset, read_dataset
from core.tabular.actions import meaning_of
from core.tabular.semantics import semantic_by_name
from core.words import listed, text

Record = Mapping[str, str]
_CALLED = {  # how fields are called, squashed to letters
    "column": "column|columnname|variable|variablename|var|field|fieldname|attribute|attributename|feature"
    "|name|stolpec|spremenljivka|polje|atribut|ime|열|열이름|컬럼|컬럼명|변수|변수명|필드|항목|spalte"
    "|merkmal|colonne|columna|coluna|kolom|kolumna",
    "action": "action|actions|method|technique|treatment|transformation|transform|operation|procedure|rule"
    "|anonymization|anonymisation|anonymizationmethod|deidentification|whatwasdone|done|ukrep|postopek"
    "|metoda|dejanje|obdelava|처리|처리방법|조치|방법|비식별화|비식별조치|massnahme|verfahren|methode|accion"
    "|metodo",
    "semantic": "semantics?|semantictype|meaning|pomen|의미|bedeutung",
    "source": "source|original|originalcolumn|sourcecolumn|izvor|vir|izvirnistolpec|원본|원본열|원본컬럼",
}
_NO_LETTER = re.compile(r"[\W\d_]+")
_MOSTLY = 0.8  # share of values of a field that are actions
_MOST_NODES = 10_000  # parts of JSON that are looked at
_UNTOLD = (
    "{log}: which field names the columns and which says what was done is not clear; it has {fields}. Call "
    "them `column` and `action`."
)
_NO_ENTRIES = (
    "{log}: it holds no list with the name of each column and what was done to it. Write a table with the "
    "fields `column` and `action`, or let a log be made by comparing both tables."
)


def records_in_json(document: object) -> list[Record]:
    """Return the first part of a JSON log that says what was done to columns; empty where none does."""
    found = (records for part in _parts(document) if (records := [*_records_of(part)]) and _actions(records))
    return next(found, [])


def records_in_table(data: bytes, *, name: str) -> list[Record]:
    """Return a log that is a table, a line a column."""
    records = _records_in(read_dataset(data, name=name))
    if not _actions(records):
        raise AuditInputError(text(_NO_ENTRIES, log=name))
    return records


def may_be_log(table: Dataset, columns: Sequence[str]) -> bool:
    """Tell whether a table has an action in each line, and most of its lines name one of these columns."""
    if table.n_records > 2 * len(columns) or not _actions(records := _records_in(table)):
        return False
    known = {name.casefold() for name in columns}
    shares = [
        sum(record[field].strip().casefold() in known for record in records) / len(records)
        for field in records[0]
    ]
    return max(shares) >= _MOSTLY


def _records_in(table: Dataset) -> list[Record]:
    columns = [pa.array(column.to_pylist(), pa.string()).fill_null("").to_pylist() for column in table.table]
    return [dict(zip(table.columns, values, strict=True)) for values in zip(*columns, strict=True)]


def _parts(document: object) -> Iterator[object]:
    """Yield the objects and lists of a document, the outermost first."""
    parts, n = [document], 0
    while parts and n < _MOST_NODES:
        part, *parts = parts
        n += 1
        if isinstance(part, dict | list):
            yield part
            parts += part.values() if isinstance(part, dict) else part


def _records_of(part: object) -> Iterator[Record]:
    """Yield a part as records: of an object its keys are the columns, of a list each object is one."""
    if isinstance(part, dict):
        for key, value in part.items():
            if isinstance(value, str):
                yield {"column": key, "action": value}
            elif isinstance(value, dict):
                yield {"column": key} | _texts(value)
    elif isinstance(part, list):
        yield from (_texts(each) for each in part if isinstance(each, dict))


def _texts(given: Mapping[str, object]) -> dict[str, str]:
    return {key: value for key, value in given.items() if isinstance(value, str)}


def _actions(records: Sequence[Record]) -> str:
    """Return the field that says what was done, empty where none does."""
    fields = list(dict.fromkeys(field for record in records for field in record))
    shares = {field: _share_of_actions(records, field) for field in fields}
    known = [field for field in fields if shares[field] >= _MOSTLY]
    called = [field for field in fields if _is_called(field, "action") and shares[field] > 0]
    return next(iter([*(one for one in called if one in known), *known, *called]), "")


def _share_of_actions(records: Sequence[Record], field: str) -> float:
    words = [record[field] for record in records if record.get(field, "").strip()]
    return sum(meaning_of(word) is not None for word in words) / len(records) if words else 0.0


def _is_called(field: str, what: str) -> bool:
    return re.fullmatch(_CALLED[what], _NO_LETTER.sub("", field.casefold())) is not None


def entries_of(records: Sequence[Record], *, name: str) -> dict[str, object]:
    """Return column to our fields; AuditInputError where nothing tells which field is which.

    A field of no name that is known counts by what it holds; what a column holds is told by its name, unless
    the log has a field for that.
    """
    action = _actions(records)
    fields = [field for field in dict.fromkeys(field for one in records for field in one) if field != action]
    called = {what: [one for one in fields if _is_called(one, what)] for what in _CALLED}
    differ = [one for one in fields if len({record.get(one, "") for record in records}) == len(records)]
    columns = [one for one in called["column"] if one in differ] or differ
    if len(columns) != 1 and not (called["column"] and called["column"][0] in differ):
        raise AuditInputError(text(_UNTOLD, log=name, fields=listed([*fields, action])))
    chosen = {"column": columns[0], "action": action}
    chosen |= {what: called[what][0] for what in ("semantic", "source") if called[what]}
    entries: dict[str, object] = {}
    for record in records:
        told = {what: record.get(field, "").strip() for what, field in chosen.items()}
        column = told.pop("column")
        told["semantic"] = told.get("semantic") or semantic_by_name(column)
        entries[column] = {what: word for what, word in told.items() if word}
    return entries
