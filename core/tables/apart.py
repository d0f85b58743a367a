"""Tables that are read in a process of their own; see :mod:`core.apart`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pyarrow as pa

from core.apart import EndedError, Shared, ask_apart, refused
from core.tables.beside import Beside
from core.tables.model import Reading, ReadOptions
from core.words import plain_text, text_of

_REMEDY = "Open it in the program that wrote it and save it as CSV."


def read_apart(
    data: pa.Buffer, *, name: str, options: ReadOptions, kind: str, given: Shared | None = None
) -> tuple[pa.Table, Reading]:
    """Read a table in another process."""
    arguments = {"name": name, "options": asdict(options), "kind": kind}
    try:
        document, table = ask_apart("core.tables.readers:read_for_other", data, arguments, given=given)
        if table is None:
            raise EndedError
        return table, _reading(document)
    except (EndedError, KeyError, TypeError, ValueError):
        raise refused(data.size, name=name, remedy=_REMEDY) from None


def options_of(fields: dict[str, Any]) -> ReadOptions:
    """Return options from their JSON."""
    return ReadOptions(**{**fields, "missing_spellings": tuple(fields["missing_spellings"])})


def _reading(fields: dict[str, Any]) -> Reading:
    """Return what reading assumed, from its JSON."""
    texts = {key: tuple(fields[key]) for key in ("detected", "sheets", "unnamed_columns")}
    texts["notes"] = tuple(map(text_of, fields["notes"]))
    beside = tuple(
        Beside(**{**one, "what": text_of(one["what"]), "texts": tuple(one["texts"])})
        for one in fields["beside"]
    )
    return Reading(**{**fields, **texts, "beside": beside, "options": options_of(fields["options"])})


def plain_reading(reading: Reading) -> dict[str, Any]:
    """Return what reading assumed, as JSON can hold it."""
    fields = asdict(reading)
    fields["notes"] = [plain_text(note) for note in reading.notes]
    for one in fields["beside"]:
        one["what"] = plain_text(one["what"])
    return fields
