"""The anonymization log: what somebody claims to have done to every column."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast

from core.errors import AuditInputError
from core.verdict import Finding, Verdict

Mode = Literal["low", "high"]

DATE_FLOOR_ACTIONS = frozenset({"date_floor_year", "date_floor_decade"})
KNOWN_ACTIONS = DATE_FLOOR_ACTIONS | {
    "drop",
    "drop_zip_detail",
    "keep",
    "keep_if_permitted_else_drop",
    "mask_zip_leading",
    "normalize_marital_prefix",
    "pseudonymize",
    "region_generalize",
}
_REMEDY = "Choose the log written with the anonymized file."
_SHOWN = 40  # characters of a name out of the log that a message repeats


@dataclass(frozen=True, kw_only=True)
class LogEntry:
    """What the log says of one column.

    Attributes
    ----------
    column
        The column's name, exactly as logged.
    semantic
        What the column means, such as ``birthdate``; empty where the log does not say.
    action
        What was done to it, such as ``drop``; empty where the log does not say.
    source
        The original column it was made from, where the log says so.
    """

    column: str
    semantic: str
    action: str
    source: str | None = None


@dataclass(frozen=True, kw_only=True)
class AnonymizationLog:
    """An anonymization log, read and checked for form.

    Attributes
    ----------
    name
        File name without folders.
    mode
        ``low`` or ``high`` anonymization; ``low`` where the log does not say.
    allow_dx
        Whether keeping diagnoses is permitted; False where the log does not say.
    created_at, source_file, output_file
        What the log says of itself; None where it does not.
    entries
        Column name to entry, in the order of the log.
    sha256, n_bytes
        Of the file.
    notes
        Findings about the log itself; messages name the log, the column and the remedy.
    """

    name: str
    mode: Mode = "low"
    allow_dx: bool = False
    created_at: str | None = None
    source_file: str | None = None
    output_file: str | None = None
    entries: Mapping[str, LogEntry] = field(default_factory=dict)
    sha256: str = ""
    n_bytes: int = 0
    notes: tuple[Finding, ...] = ()

    def notes_about(self, *, original_name: str, anonymized_name: str) -> tuple[Finding, ...]:
        """Return the findings about this log when it is used for these two files.

        Parameters
        ----------
        original_name, anonymized_name
            File names as the person knows them, without folders.

        Returns
        -------
        tuple of Finding
            The log's own notes, and a WARN where the log says it was written for other files.
        """
        claims = (
            ("source_file", self.source_file, "original", original_name),
            ("output_file", self.output_file, "anonymized", anonymized_name),
        )
        return self.notes + tuple(
            _note(
                "log_for_another_file",
                f"{self.name}: `_meta.{key}` names another file than the {role} file {name}. {_REMEDY}",
            )
            for key, claimed, role, name in claims
            if claimed is not None and _file_name(claimed) != _file_name(name)
        )


def read_log(source: bytes | Path, *, name: str | None = None) -> AnonymizationLog:
    """Read an anonymization log.

    An absent ``_meta`` means low mode, diagnoses not permitted. What is odd but leaves the log
    usable becomes a note; a column whose entry cannot be used keeps an entry with empty texts, so
    that it is still checked for sensitive patterns.

    Parameters
    ----------
    source
        The file's bytes (JSON in UTF-8, UTF-16 or CP949), or its path.
    name
        File name to show; needed with bytes.

    Returns
    -------
    AnonymizationLog
        With the notes about its form.

    Raises
    ------
    AuditInputError
        Not JSON, not an object, without ``log_info``, or a mode other than low and high.
    """
    data = source.read_bytes() if isinstance(source, Path) else source
    name = name or (source.name if isinstance(source, Path) else "log")
    repeated: list[str] = []
    document = _parse(data, name=name, repeated=repeated)
    if not isinstance(document, dict):
        raise AuditInputError(f"{name}: the log is not a JSON object. {_REMEDY}")
    if not isinstance(document.get("log_info"), dict):
        raise AuditInputError(f"{name}: the log has no object `log_info` with an entry per column. {_REMEDY}")
    notes = [_repeated_note(name, key) for key in dict.fromkeys(repeated)]
    meta = _meta(document, name=name, notes=notes)
    entries = {
        column: _entry(column, value, name=name, notes=notes)
        for column, value in document["log_info"].items()
    }
    return AnonymizationLog(
        name=name,
        mode=_mode(meta, name=name),
        allow_dx=_allow_dx(meta, name=name, notes=notes),
        created_at=_meta_text(meta, "created_at", name=name, notes=notes),
        source_file=_meta_text(meta, "source_file", name=name, notes=notes),
        output_file=_meta_text(meta, "output_file", name=name, notes=notes),
        entries=MappingProxyType(entries),
        sha256=hashlib.sha256(data).hexdigest(),
        n_bytes=len(data),
        notes=tuple(notes),
    )


def _parse(data: bytes, *, name: str, repeated: list[str]) -> object:
    """Return the JSON document; keys that an object holds twice are appended to `repeated`."""

    def keep_last(pairs: list[tuple[str, object]]) -> dict[str, object]:
        document = dict(pairs)
        if len(document) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend(key for key in document if keys.count(key) > 1)
        return document

    try:
        return json.loads(_decode(data), object_pairs_hook=keep_last)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, character {error.colno}"
        raise AuditInputError(f"{name}: the log is not valid JSON ({place}). {_REMEDY}") from None
    except (ValueError, RecursionError):
        raise AuditInputError(f"{name}: the log is not readable as JSON text. {_REMEDY}") from None


def _decode(data: bytes) -> str:
    """Return the text; Korean tools also write CP949."""
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        return data.decode("cp949")


def _meta(document: dict[str, object], *, name: str, notes: list[Finding]) -> dict[str, object]:
    meta = document.get("_meta")
    if meta is None:
        return {}
    if isinstance(meta, dict):
        return meta
    notes.append(
        _note(
            "log_meta_unusable",
            f"{name}: `_meta` is not an object, so low mode without permission to keep diagnoses was "
            "assumed. Correct the log if that is wrong.",
        )
    )
    return {}


def _mode(meta: dict[str, object], *, name: str) -> Mode:
    mode = meta.get("mode")
    if mode is None:
        return "low"
    if isinstance(mode, str) and mode.strip().lower() in {"low", "high"}:
        return cast("Mode", mode.strip().lower())
    raise AuditInputError(f"{name}: `_meta.mode` is neither `low` nor `high`. Correct the mode in the log.")


def _allow_dx(meta: dict[str, object], *, name: str, notes: list[Finding]) -> bool:
    allowed = meta.get("allow_dx")
    if allowed is None or isinstance(allowed, bool):
        return bool(allowed)
    notes.append(
        _note(
            "log_value_not_text",
            f"{name}: `_meta.allow_dx` is neither `true` nor `false`, so keeping diagnoses counts as not "
            "permitted. Correct the log if that is wrong.",
        )
    )
    return False


def _meta_text(meta: dict[str, object], key: str, *, name: str, notes: list[Finding]) -> str | None:
    value = meta.get(key)
    if value is None or isinstance(value, str):
        return value
    notes.append(
        _note("log_value_not_text", f"{name}: `_meta.{key}` is not a text and was ignored. Correct the log.")
    )
    return None


def _entry(column: str, value: object, *, name: str, notes: list[Finding]) -> LogEntry:
    """Return the entry of a column; what is odd about it is appended to `notes`."""
    shown = _shortened(column)
    if not isinstance(value, dict):
        notes.append(
            _note(
                "log_entry_unusable",
                f"{name}: the entry of column `{shown}` is not an object, so the "
                "column was only checked for sensitive patterns. Correct the entry.",
                column=column,
            )
        )
        return LogEntry(column=column, semantic="", action="")
    texts = {
        key: _entry_text(column, value, key, name=name, notes=notes)
        for key in ("semantic", "action", "source")
    }
    if texts["action"] and texts["action"] not in KNOWN_ACTIONS:
        notes.append(
            _note(
                "log_action_unknown",
                f"{name}: column `{shown}` has the unknown action `{_shortened(texts['action'])}`, "
                "so it was only checked for sensitive patterns. Correct the action or check the "
                "column by eye.",
                column=column,
            )
        )
    return LogEntry(
        column=column, semantic=texts["semantic"], action=texts["action"], source=texts["source"] or None
    )


def _entry_text(column: str, entry: dict[str, object], key: str, *, name: str, notes: list[Finding]) -> str:
    """Return the trimmed text; "" where it is missing or no text, which is noted."""
    value = entry.get(key)
    if isinstance(value, str) and value.strip():
        return value.strip()
    if key == "source" and value is None:
        return ""
    missing = value is None or isinstance(value, str)
    consequence = {
        "semantic": "so the column counts neither as high-risk nor as a quasi-identifier",
        "action": "so the column was only checked for sensitive patterns",
        "source": "so it was ignored",
    }[key]
    notes.append(
        _note(
            f"log_{key}_missing" if missing else "log_value_not_text",
            f"{name}: column `{_shortened(column)}` has {'no' if missing else 'a value that is no text as'} "
            f"`{key}`, {consequence}. Complete the entry.",
            column=column,
        )
    )
    return ""


def _repeated_note(name: str, key: str) -> Finding:
    return _note(
        "log_key_repeated",
        f"{name}: the key `{_shortened(key)}` appears more than once in the same object and the last one was "
        "used. Keep the right one.",
    )


def _note(check: str, message: str, *, column: str | None = None) -> Finding:
    return Finding(check=check, verdict=Verdict.WARN, message=message, column=column)


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _file_name(path: str) -> str:
    """Return the last part of a path written on any system, for comparing without case."""
    return path.replace("\\", "/").rsplit("/", 1)[-1].casefold()
